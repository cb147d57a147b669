//! Products of two vectors, and of a matrix and a vector, as PyTorch's library computes them on processors of Intel with AVX-512: in
//! whole vectors of the processor, of which the last one is filled up with zeros. Products are added without being rounded. The
//! orders were found as those of [`aligned`](super::aligned) were; here they do not depend on where an operand lies.

use super::aligned::{Loop, loop_of};
use super::blas::Entry;
use super::halves::in_halves;
use super::isa::{follows_intel, pick, versions};
use super::matmul::Product;
use crate::dtype::DType;
use smallvec::SmallVec;
use std::ops::Range;

/// Rows that are multiplied by a vector at a time.
const GROUP: usize = 4;
/// Multiplications up to which the order is followed where a product is one piece of work.
const MOST: usize = 1 << 15;
/// The length of rows up to which it is followed for as many of them as there are.
const SHORT: usize = 256;
/// Bytes of a vector.
const VECTOR: usize = 64;

/// A line of numbers, `step` elements apart.
#[derive(Clone, Copy)]
struct Line<T> {
    start: *const T,
    step: isize,
}

impl<T: Copy> Line<T> {
    fn new(start: *const u8, bytes: isize) -> Line<T> {
        Line { start: start as *const T, step: bytes / size_of::<T>() as isize }
    }

    /// # Safety
    /// The line has an element `k`.
    #[inline(always)]
    unsafe fn get(self, k: usize) -> T {
        // SAFETY: the caller's promise.
        unsafe { *self.start.offset(k as isize * self.step) }
    }

    /// Its elements side by side.
    ///
    /// # Safety
    /// The line has `n` elements.
    #[inline(always)]
    unsafe fn gathered(self, n: usize) -> SmallVec<[T; 64]> {
        // SAFETY: the caller's promise.
        (0..n).map(|k| unsafe { self.get(k) }).collect()
    }
}

/// True for a product that the library computes in these loops, and for which they do not take long.
pub fn is_ordered(product: &Product) -> bool {
    let Product { dtype, m, n, k, .. } = *product;
    matches!(dtype, DType::F32 | DType::F64)
        && follows_intel()
        && !product.is_batch
        && k > 0
        && (m == 1 || n == 1)
        && (m.saturating_mul(n).saturating_mul(k) <= MOST || k <= SHORT && has_rows(product))
}

/// True when rows without gaps meet a vector.
fn has_rows(product: &Product) -> bool {
    matches!(loop_of(product), Loop::Rows | Loop::Columns)
}

/// How many entries an [ordered](is_ordered) product has.
pub fn count(product: &Product) -> usize {
    product.m.max(product.n)
}

/// True when the sums of such a product start at the numbers to which it is added, and false when it is added to them.
pub fn starts_at_added(product: &Product) -> bool {
    is_ordered(product) && kind_of(product) == Loop::Line && (product.m * product.n * product.k > 1 || is_by_vector(product))
}

/// True when the right operand is a vector, not a matrix of one column.
fn is_by_vector(product: &Product) -> bool {
    product.n == 1 && product.matrices[2].column == 0
}

/// A matrix of one column that meets a vector is a column, not rows.
fn kind_of(product: &Product) -> Loop {
    match loop_of(product) {
        Loop::Rows if product.k == 1 && is_by_vector(product) => Loop::Line,
        kind => kind,
    }
}

versions! { fn product_versions<T: Entry>(product: &Product, part: &Range<usize>, at: &[*mut u8; 3]) = entries }

/// Computes some entries of an [ordered](is_ordered) product.
///
/// # Safety
/// As for [`multiply`](super::matmul::multiply).
pub unsafe fn multiply(product: &Product, part: &Range<usize>, at: &[*mut u8; 3]) {
    let run = if product.dtype == DType::F32 { pick(product_versions::<f32>()) } else { pick(product_versions::<f64>()) };
    // SAFETY: the caller's promise.
    unsafe { run(product, part, at) }
}

#[inline(always)]
unsafe fn entries<T: Entry>(product: &Product, part: &Range<usize>, at: &[*mut u8; 3]) {
    let [out, left, right] = product.matrices;
    let [to, a, b]: [*mut u8; 3] = std::array::from_fn(|i| at[i].wrapping_offset(product.batch[0][i]));
    // The matrix, with the vector that its rows meet; a vector on the left meets columns.
    let is_right = product.n == 1 && (product.m > 1 || right.column == 0);
    let (rows, to_next, [next, along], matrix, vector) = match is_right {
        true => (product.m, out.row, [left.row, left.column], a, Line::new(b, right.row)),
        false => (product.n, out.column, [right.column, right.row], b, Line::new(a, left.column)),
    };
    let cell = |i: usize| to.wrapping_offset(i as isize * to_next) as *mut T;
    let row = |i: usize| Line::<T>::new(matrix.wrapping_offset(i as isize * next), along);
    // What is no column of a matrix, nor a vector on the right, was copied if its elements are apart.
    let size = size_of::<T>() as isize;
    let is_column = if is_right { right.column == 0 || right.column == size } else { left.row == size };
    let is_apart = is_column && vector.step != 1;
    // SAFETY: the caller promises that all entries are there, and the result's cells are writable.
    unsafe {
        match kind_of(product) {
            Loop::Vectors => *cell(0) = of_vectors(row(0), vector, product.k),
            Loop::Line => {
                let columns = Columns { k: product.k, vector, is_apart };
                part.clone().for_each(|i| {
                    let start = if product.onto { *cell(i) } else { T::zero() };
                    *cell(i) = columns.sum(start, row(i), size_of::<T>() == 4 && i < rows / width::<T>() * width::<T>());
                });
            }
            _ => {
                let vector = vector.gathered(product.k);
                for i in part.clone() {
                    let line = row(i);
                    *cell(i) = match line.step {
                        1 => of_row(std::slice::from_raw_parts(line.start, product.k), &vector, i, rows, is_apart),
                        _ => of_row(&line.gathered(product.k), &vector, i, rows, is_apart),
                    };
                }
            }
        }
    }
}

/// How many numbers a vector holds.
const fn width<T>() -> usize {
    VECTOR / size_of::<T>()
}

/// Sums of products, one below the other: up to four vectors of them.
struct Sums<T> {
    lanes: [T; 64],
}

impl<T: Entry> Sums<T> {
    fn zero() -> Sums<T> {
        Sums { lanes: [T::zero(); 64] }
    }

    /// Adds products to as many sums as there are.
    #[inline(always)]
    fn add(&mut self, a: &[T], b: &[T]) {
        for (sum, (x, y)) in self.lanes.iter_mut().zip(a.iter().zip(b)) {
            *sum = sum.less_product(-*x, *y);
        }
    }

    /// Adds as many whole blocks of `vectors` vectors as there are; gives what is left.
    #[inline(always)]
    fn add_blocks<'a>(&mut self, vectors: usize, [a, b]: [&'a [T]; 2]) -> [&'a [T]; 2] {
        let block = vectors * width::<T>();
        let whole = a.len() / block * block;
        a[..whole].chunks_exact(block).zip(b.chunks_exact(block)).for_each(|(a, b)| self.add(a, b));
        [&a[whole..], &b[whole..]]
    }

    /// Joins four vectors, or two, in pairs of neighbours, to one.
    #[inline(always)]
    fn join(&mut self, mut vectors: usize) {
        while vectors > 1 {
            vectors /= 2;
            for vector in 0..vectors {
                for lane in 0..width::<T>() {
                    let [low, high] = [2 * vector, 2 * vector + 1].map(|v| self.lanes[v * width::<T>() + lane]);
                    self.lanes[vector * width::<T>() + lane] = low + high;
                }
            }
        }
    }

    /// The sum of the first vector, in halves.
    #[inline(always)]
    fn total(&mut self) -> T {
        in_halves(&mut self.lanes[..width::<T>()], |a, b| a + b)
    }
}

/// The product of two vectors.
///
/// # Safety
/// Both have `n` elements.
#[inline(always)]
unsafe fn of_vectors<T: Entry>(a: Line<T>, b: Line<T>, n: usize) -> T {
    let is_apart = a.step != 1 || b.step != 1;
    // SAFETY: the caller's promise.
    let (a, b) = unsafe { (a.gathered(n), b.gathered(n)) };
    if is_apart { in_twos(&a, &b) } else { of_whole(&a, &b) }
}

/// The product of two vectors whose elements lie side by side: four sums of a vector each, of which the first ones take what does
/// not fill all.
#[inline(always)]
fn of_whole<T: Entry>(a: &[T], b: &[T]) -> T {
    let mut sums = Sums::zero();
    let rest = [4, 2, 1].into_iter().fold([a, b], |rest, vectors| sums.add_blocks(vectors, rest));
    sums.add(rest[0], rest[1]);
    sums.join(4);
    for half in [8, 4].into_iter().filter(|half| *half < width::<T>()) {
        (0..half).for_each(|i| sums.lanes[i] = sums.lanes[i] + sums.lanes[i + half]);
    }
    let [first, second, third, fourth] = std::array::from_fn(|i| sums.lanes[i]);
    // Pairs of float32 are neighbours, those of float64 halves.
    if size_of::<T>() == 4 { (first + second) + (third + fourth) } else { (first + third) + (second + fourth) }
}

/// The product of two vectors in one vector of sums, which are joined in halves.
pub fn in_one_vector<T: Entry>(a: &[T], b: &[T]) -> T {
    let mut sums = Sums::zero();
    let rest = sums.add_blocks(1, [a, b]);
    sums.add(rest[0], rest[1]);
    sums.total()
}

/// The product of two vectors of which one has gaps: two pairs of sums.
#[inline(always)]
fn in_twos<T: Entry>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::zero(); 4];
    let ((fours, rest), (by, by_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    for (a, b) in fours.iter().zip(by) {
        (0..4).for_each(|i| sums[i] = sums[i].less_product(-a[i], b[i]));
    }
    let mut pair = [sums[0] + sums[2], sums[1] + sums[3]];
    let whole = rest.len() / 2 * 2;
    (0..whole).for_each(|i| pair[i] = pair[i].less_product(-rest[i], by_rest[i]));
    let sum = pair[0] + pair[1];
    (whole..rest.len()).fold(sum, |sum, i| sum.less_product(-rest[i], by_rest[i]))
}

/// The product of row `i` of some rows, whose elements lie side by side, with the vector that they meet.
#[inline(always)]
fn of_row<T: Entry>(row: &[T], vector: &[T], i: usize, rows: usize, is_apart: bool) -> T {
    let mut sums = Sums::zero();
    if size_of::<T>() == 8 {
        let rest = sums.add_blocks(2, [row, vector]);
        sums.join(2);
        let rest = sums.add_blocks(1, rest);
        sums.add(rest[0], rest[1]);
        let [low, high] = [0, 4].map(|at| (sums.lanes[at] + sums.lanes[at + 2]) + (sums.lanes[at + 1] + sums.lanes[at + 3]));
        return low + high;
    }
    // The first products of float32 are by themselves.
    let (first, rest) = (row[0] * vector[0], [&row[1..], &vector[1..]]);
    if i < rows / GROUP * GROUP {
        sums.lanes[0] = first;
        let rest = sums.add_blocks(1, rest);
        if rest[0].len() < row.len() - 1 && !rest[0].is_empty() {
            let sum = sums.total();
            sums = Sums::zero();
            sums.lanes[0] = sum;
        }
        sums.add(rest[0], rest[1]);
        return sums.total();
    }
    // Of up to three rows that are left the second one has one vector of sums, where the vector's elements lie side by side.
    let rest = if i % GROUP == 1 && !is_apart { rest } else { sums.add_blocks(2, rest) };
    sums.join(2);
    let rest = sums.add_blocks(1, rest);
    sums.add(rest[0], rest[1]);
    first + sums.total()
}

/// The columns of a matrix that lie without gaps, each of which is added to the result, times an element of a vector.
struct Columns<T> {
    k: usize,
    vector: Line<T>,
    is_apart: bool,
}

impl<T: Entry> Columns<T> {
    /// An entry of the result, of the row that it comes from. Of float32 there are eight columns at a time where the rows fill a
    /// vector, and four in the other rows where the vector's elements are apart.
    ///
    /// # Safety
    /// The row and the vector have `k` elements.
    #[inline(always)]
    unsafe fn sum(&self, start: T, row: Line<T>, is_filled: bool) -> T {
        // SAFETY: the caller's promise.
        let pair = |k: usize| unsafe { (row.get(k), self.vector.get(k)) };
        let onto = |sum: T, k: usize| {
            let (x, y) = pair(k);
            sum.less_product(-x, y)
        };
        // Two products, of which the second one is rounded.
        let two = |k: usize, l: usize| {
            let (x, y) = pair(l);
            onto(x * y, k)
        };
        let at_a_time = match (size_of::<T>(), is_filled, self.is_apart) {
            (4, true, false) => 8,
            (4, false, true) => 4,
            _ => 1,
        };
        let whole = if at_a_time == 1 { 0 } else { self.k / at_a_time * at_a_time };
        let sum = (0..whole).step_by(at_a_time).fold(start, |sum, k| {
            let last = k + at_a_time - 4;
            let four = onto(onto(sum, last + 2), last) + two(last + 1, last + 3);
            if at_a_time == 4 { four } else { four + (two(k, k + 2) + two(k + 1, k + 3)) }
        });
        (whole..self.k).fold(sum, onto)
    }
}
