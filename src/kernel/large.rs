//! Products of matrices that are worth arranging first, by a library.
//!
//! The library is asked for one piece of the terms at a time, so that sums round as PyTorch's do, and is given what it likes: entries
//! of a row of the right matrix that are neighbours, in float32 or float64.

use super::element::Lane;
use super::half::{NARROW, WIDEN};
use super::isa::pick;
use super::matmul::{Matrix, Part, Product, starts};
use super::scalar::MAX_ARGS;
use super::turn::{Crossing, in_rows, turn, turns};
use crate::interrupt;
use gemm::Parallelism;
use num_complex::Complex;
use num_traits::{One, Zero};

/// Rows of the left matrix from which on it is worth moving the entries of a row of the right one together.
const MANY: usize = 16;

/// Rows of the right matrix whose entries are moved together at a time.
const BESIDE: usize = 512;

/// Multiplications up to which a thread arranges its part of the right matrix. Larger products are parts of a few rows, each of
/// which would do it again.
pub const ARRANGED: usize = 1 << 31;

/// Terms of float16 that are summed at a time, for which bits were the same as PyTorch's.
const HALVES: usize = 512;

/// Some entries of a matrix: the first, and the steps, in entries, to the next row and to the next column.
#[derive(Clone, Copy)]
struct Entries<T> {
    at: *mut T,
    steps: [isize; 2],
}

impl<T: Copy> Entries<T> {
    fn new(at: *mut u8, matrix: Matrix) -> Self {
        Self { at: at as *mut T, steps: [matrix.row, matrix.column].map(|step| step / size_of::<T>() as isize) }
    }

    /// Of the transpose.
    fn turned(self) -> Self {
        Self { at: self.at, steps: [self.steps[1], self.steps[0]] }
    }

    /// Those from a place on.
    fn from(self, row: usize, column: usize) -> Self {
        let skipped = row as isize * self.steps[0] + column as isize * self.steps[1];
        Self { at: self.at.wrapping_offset(skipped), ..self }
    }
}

/// Computes a part of one product of the batch.
///
/// # Safety
/// As for [`multiply`](super::matmul::multiply), for this type.
pub unsafe fn float<T: Lane + One + Zero>(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3]) {
    let [out, left, right] = all::<T>(product, place, part, at);
    let lie_down = [left, right].iter().all(|e| e.steps[0] == 1 && e.steps[1] != 1);
    if lie_down && !product.added && out.steps[1] == 1 && part.rows.len() >= MANY && turns::<T>() {
        // SAFETY: the caller's promise.
        return unsafe { turned(product, [part.rows.len(), part.columns.len()], out, left, right) };
    }
    let arranges = product.m * product.n * product.k <= ARRANGED;
    for terms in product.pieces().take_while(|_| !interrupt::is_raised()) {
        let sizes = [part.rows.len(), part.columns.len(), terms.len()];
        let (left, right, adds) = (left.from(0, terms.start), right.from(terms.start, 0), terms.start > 0 || product.added);
        // SAFETY: the caller's promise.
        unsafe {
            match arranges {
                true => arranged(sizes, out, left, right, adds),
                false => multiply(sizes, out, left, right, adds),
            }
        }
    }
}

/// The transpose of the product of transposes, for matrices that lie column by column: these are rows then, as the library likes them,
/// and only the result has to be turned.
unsafe fn turned<T: Lane + One + Zero>(
    product: &Product,
    [m, n]: [usize; 2],
    out: Entries<T>,
    left: Entries<T>,
    right: Entries<T>,
) {
    let mut room: Vec<T> = Vec::with_capacity(m * n);
    let to = Entries { at: room.as_mut_ptr(), steps: [m as isize, 1] };
    let [to_step, from_step] = [out.steps[0], m as isize].map(|step| step * size_of::<T>() as isize);
    // SAFETY: the caller's promise; there is room for all entries, and the first piece writes them all.
    unsafe {
        for terms in product.pieces() {
            let (left, right) = (left.from(0, terms.start).turned(), right.from(terms.start, 0).turned());
            multiply([n, m, terms.len()], to, right, left, terms.start > 0);
        }
        turn::<T>(out.at as *mut u8, to.at as *const u8, Crossing { lines: m, len: n, to_step, from_step });
    }
}

/// Computes a part of one product of the batch, whose sums are in float32.
///
/// # Safety
/// As for [`multiply`](super::matmul::multiply), for float16.
pub unsafe fn half(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3]) {
    let [out, left, right] = all::<Bits>(product, place, part, at);
    let (m, n) = (part.rows.len(), part.columns.len());
    let mut sums = vec![0f32; m * n];
    let step = product.k.div_ceil(product.k.div_ceil(HALVES).max(1)).max(1);
    for start in (0..product.k).step_by(step) {
        let k = step.min(product.k - start);
        // SAFETY: the caller's promise.
        unsafe {
            let (a, left_steps) = widened(left.from(0, start), [m, k]);
            let (b, right_steps) = widened(right.from(start, 0), [k, n]);
            let left = Entries { at: a.as_ptr() as *mut f32, steps: left_steps };
            let right = Entries { at: b.as_ptr() as *mut f32, steps: right_steps };
            let to = Entries { at: sums.as_mut_ptr(), steps: [n as isize, 1] };
            arranged([m, n, k], to, left, right, start > 0);
        }
    }
    let mut line = vec![Bits::default(); n];
    for (row, sums) in sums.chunks_exact(n.max(1)).enumerate() {
        let to = out.from(row, 0);
        let is_row = to.steps[1] == 1;
        let cells = if is_row { to.at } else { line.as_mut_ptr() };
        // SAFETY: the caller promises the entries and the instructions.
        unsafe {
            pick(NARROW)(n, cells as *mut u8, &[sums.as_ptr() as *const u8; MAX_ARGS]);
            if !is_row {
                line.iter().enumerate().for_each(|(j, x)| *to.from(0, j).at = *x);
            }
        }
    }
}

/// A 16-bit float as it lies in memory.
type Bits = u16;

/// Entries of 16-bit floats in float32, line by line of those that are neighbours, and their steps.
///
/// # Safety
/// All (rows, columns) entries are there.
unsafe fn widened(from: Entries<Bits>, [rows, columns]: [usize; 2]) -> (Vec<f32>, [isize; 2]) {
    let down = from.steps[0] == 1;
    let (lines, len) = if down { (columns, rows) } else { (rows, columns) };
    let mut to = vec![0f32; lines * len];
    let mut gathered = vec![Bits::default(); len];
    for (i, to) in to.chunks_exact_mut(len.max(1)).enumerate() {
        let line = if down { from.from(0, i) } else { from.from(i, 0) };
        let is_line = down || from.steps[1] == 1;
        // SAFETY: the caller promises the entries, and a line has as many as `to`.
        unsafe {
            if !is_line {
                gathered.iter_mut().enumerate().for_each(|(j, x)| *x = *line.from(0, j).at);
            }
            let cells = if is_line { line.at } else { gathered.as_mut_ptr() };
            pick(WIDEN)(len, to.as_mut_ptr() as *mut u8, &[cells as *const u8; MAX_ARGS]);
        }
    }
    (to, if down { [1, rows as isize] } else { [columns as isize, 1] })
}

/// Computes a part of one complex product of the batch.
///
/// # Safety
/// As for [`multiply`](super::matmul::multiply), for this type.
pub unsafe fn complex<T>(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3])
where
    Complex<T>: Lane + One + Zero,
{
    let [out, left, right] = all::<Complex<T>>(product, place, part, at);
    // SAFETY: the caller's promise.
    unsafe { multiply([part.rows.len(), part.columns.len(), product.k], out, left, right, false) };
}

/// The entries of out, left and right from where a part begins.
fn all<T: Copy>(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3]) -> [Entries<T>; 3] {
    let starts = starts(product, place, part, at);
    std::array::from_fn(|i| Entries::new(starts[i], product.matrices[i]))
}

/// As [`multiply`], with the entries of a row of `right` moved together first where that pays: some rows at a time, which stay in the
/// cache until they are used.
unsafe fn arranged<T: Lane + One + Zero>(sizes: [usize; 3], out: Entries<T>, left: Entries<T>, right: Entries<T>, adds: bool) {
    let [m, n, k] = sizes;
    if right.steps[1] == 1 || m < MANY {
        // SAFETY: the caller's promise.
        return unsafe { multiply(sizes, out, left, right, adds) };
    }
    let (mut rows, step) = (Vec::new(), k.div_ceil(k.div_ceil(BESIDE).max(1)).max(1));
    for start in (0..k).step_by(step) {
        let count = step.min(k - start);
        // SAFETY: the caller's promise; the rows that are made here outlive their use.
        unsafe {
            in_rows(&mut rows, right.from(start, 0).at as *const T, right.steps, [count, n], n);
            let right = Entries { at: rows.as_mut_ptr(), steps: [n as isize, 1] };
            multiply([m, n, count], out, left.from(0, start), right, adds || start > 0);
        }
    }
}

/// Sums of k products for (m, n) entries, added to `out` when it `adds`. One thread's work: the library shares its own out by rows of tiles, and loses a tenth against columns that are shared out by us.
unsafe fn multiply<T: Lane + One + Zero>(
    [m, n, k]: [usize; 3],
    out: Entries<T>,
    left: Entries<T>,
    right: Entries<T>,
    adds: bool,
) {
    let ([down, across], [left_down, left_across], [right_down, right_across]) = (out.steps, left.steps, right.steps);
    // SAFETY: the caller promises that all entries, at these strides, are there.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            out.at,
            across,
            down,
            adds,
            left.at as *const T,
            left_across,
            left_down,
            right.at as *const T,
            right_across,
            right_down,
            if adds { T::one() } else { T::zero() },
            T::one(),
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}
