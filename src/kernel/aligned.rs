//! Small products, and those of a matrix and a vector, as PyTorch's library computes them on processors that are not Intel's: loops
//! that a compiler has unrolled, in vectors of 16 bytes that begin at multiples of 16. So the order of a sum depends on where its row
//! lies. The orders were found by putting two large numbers of opposite signs among ones: the sum tells which ones were added between.
//! Every product is rounded before it is added.

use super::halves::in_halves;
use super::isa::{follows_intel, pick, versions};
use super::matmul::{Matrix, Part, Product};
use crate::dtype::DType;
use num_traits::{Float, Zero};
use std::ops::Range;

/// Bytes of a vector.
const VECTOR: usize = 16;
/// Sums that lie side by side at most.
const LANES: usize = 8;
/// Rows that are multiplied by a vector at a time.
const GROUP: usize = 4;
/// Rows and columns of a block from which on the library has code by hand.
pub(super) const BLOCK: [usize; 2] = [4, 12];
/// Rows from which on its code for float32 takes all of them,
const TALL: usize = 12;
/// columns and terms up to which it does so of fewer rows,
const NARROW: usize = 16;
/// and terms up to which it does of any columns.
const SHORT: usize = 4;
/// Multiplications up to which the order is followed: it is slower than one for whole vectors of the processor.
const MOST: usize = 1 << 15;
/// The same for what is beside the blocks of a product, and
const MOST_BESIDE: usize = 1 << 20;
/// where columns of the right matrix lie without gaps, whose loops are slower.
const MOST_TURNED: usize = 1 << 16;

/// The order of a sum: how many terms come one after the other, and then how many lanes are filled, from how many terms a pass.
/// What does not fill a pass is added at the end.
#[derive(Clone, Copy, Debug)]
struct Order {
    before: usize,
    lanes: usize,
    pass: usize,
    /// The lanes are added up one after the other.
    is_in_turn: bool,
}

impl Order {
    /// One term after the other.
    const SERIAL: Order = Order::wide(usize::MAX);

    const fn wide(before: usize) -> Order {
        Order { before, lanes: LANES, pass: LANES, is_in_turn: false }
    }

    /// Of the lanes of one vector.
    const fn narrow<T>(before: usize) -> Order {
        let lanes = VECTOR / size_of::<T>();
        Order { before, lanes, pass: lanes, is_in_turn: false }
    }

    /// Of a row that meets a vector whose entries are apart.
    fn apart<T>(row: *const u8) -> Order {
        match size_of::<T>() {
            4 => Order { is_in_turn: true, ..Order::wide(1) },
            _ => Order::wide(VECTOR / size_of::<T>() - beyond::<T>(row)),
        }
    }
}

/// The sum of `k` terms.
#[inline(always)]
fn sum<T: Copy + Zero>(k: usize, term: impl Fn(usize) -> T, order: Order) -> T {
    let passes = k.saturating_sub(order.before) / order.pass;
    let first = if passes > 0 { order.before } else { k };
    let head = (0..first).fold(T::zero(), |sum, i| sum + term(i));
    if passes == 0 {
        return head;
    }
    let end = first + passes * order.pass;
    let whole = match order.lanes {
        _ if order.is_in_turn => {
            lanes_of::<T, LANES>(head, first..end, &term).into_iter().fold(T::zero(), |sum, lane| sum + lane)
        }
        2 => in_lanes::<T, 2>(head, first..end, &term),
        4 => in_lanes::<T, 4>(head, first..end, &term),
        _ => in_lanes::<T, LANES>(head, first..end, &term),
    };
    (end..k).fold(whole, |sum, i| sum + term(i))
}

/// The sum of terms in `N` lanes, a number that divides theirs, of which the first starts at `head`.
#[inline(always)]
fn in_lanes<T: Copy + Zero, const N: usize>(head: T, terms: Range<usize>, term: &impl Fn(usize) -> T) -> T {
    joined(lanes_of::<T, N>(head, terms, term))
}

/// The lanes.
#[inline(always)]
fn lanes_of<T: Copy + Zero, const N: usize>(head: T, terms: Range<usize>, term: &impl Fn(usize) -> T) -> [T; N] {
    let mut lanes = [T::zero(); N];
    lanes[0] = head;
    for start in terms.step_by(N) {
        for (i, lane) in lanes.iter_mut().enumerate() {
            *lane = *lane + term(start + i);
        }
    }
    lanes
}

/// The sum of some lanes: vectors in pairs of neighbours, then the lanes of the one that is left in halves.
#[inline(always)]
fn joined<T: Copy + Zero, const N: usize>(mut lanes: [T; N]) -> T {
    let width = VECTOR / size_of::<T>();
    let mut vectors = N / width;
    while vectors > 1 {
        vectors /= 2;
        for i in 0..vectors * width {
            let (vector, lane) = (i / width, i % width);
            lanes[i] = lanes[2 * vector * width + lane] + lanes[(2 * vector + 1) * width + lane];
        }
    }
    in_halves(&mut lanes[..width], |a, b| a + b)
}

/// Elements from an address down to the last multiple of a vector's bytes.
fn beyond<T>(address: *const u8) -> usize {
    address as usize % VECTOR / size_of::<T>()
}

/// Elements from an address up to the next multiple of a vector's bytes.
fn short_of<T>(address: *const u8) -> usize {
    (VECTOR / size_of::<T>() - beyond::<T>(address)) % (VECTOR / size_of::<T>())
}

/// What becomes of the terms of an entry of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loop {
    /// Rows of the left matrix meet a vector: four at a time.
    Rows,
    /// The same with columns of the right matrix, where a vector is the left one.
    Columns,
    /// Two vectors.
    Vectors,
    /// Columns of the right matrix lie without gaps, rows of the left one too.
    Turned,
    /// Columns of both lie without gaps. Of float32 the terms come one after the other.
    BothTurned,
    /// Rows of the right matrix are added to a row of the result, each times a number.
    Along,
    /// The same, where the result is one line.
    Line,
}

/// True for a product that the library computes in these loops, and that is not so large that they would take long.
pub fn is_ordered(product: &Product) -> bool {
    let Product { dtype, m, n, k, .. } = *product;
    let is_small = m < BLOCK[0] || n < BLOCK[1];
    matches!(dtype, DType::F32 | DType::F64)
        && !follows_intel()
        && !product.is_small_batch()
        && product.piece.is_none()
        && k > 1
        && is_small
        && [m, n, k].iter().fold(product.batch.len(), |work, size| work.saturating_mul(*size)) <= MOST
}

/// How many rows and columns of a product lie in whole blocks, where some do not: what is beside them goes through these loops.
pub fn blocks(product: &Product) -> Option<[usize; 2]> {
    let Product { dtype, m, n, k, .. } = *product;
    let is_single = dtype == DType::F32;
    let is_known =
        matches!(dtype, DType::F32 | DType::F64) && !follows_intel() && !product.is_small_batch() && !product.is_widened;
    if !is_known || product.piece.is_some() || m < BLOCK[0] || n < BLOCK[1] || k < 2 {
        return None;
    }
    let takes_rows = if is_single { takes_all_rows(product) } else { loop_of(product) == Loop::BothTurned };
    let rows = if takes_rows { m } else { m / BLOCK[0] * BLOCK[0] };
    let columns = if is_single { n } else { n / BLOCK[1] * BLOCK[1] };
    let beside = ((m - rows) * n + rows * (n - columns)).saturating_mul(product.batch.len());
    let most = if loop_of(product) == Loop::Along { MOST_BESIDE } else { MOST_TURNED };
    (beside > 0 && beside.saturating_mul(k) <= most).then_some([rows, columns])
}

/// True for a product of float32 whose rows are all in blocks, also those beside the last four.
pub(super) fn takes_all_rows(product: &Product) -> bool {
    let Product { m, n, k, .. } = *product;
    m >= TALL || product.batch.len() > 1 || n.max(k) <= NARROW || k <= SHORT
}

/// True when the sums of such a product start at the numbers to which it is added, and false when it is added to them.
pub fn starts_at_added(product: &Product) -> bool {
    is_ordered(product) && matches!(loop_of(product), Loop::Along | Loop::Line)
}

/// True for a matrix with this many rows whose columns lie without gaps one after the other, so that the library takes it as it is.
fn is_turned(matrix: Matrix, size: isize, rows: usize, columns: usize) -> bool {
    let is_plain = matrix.column == size && matrix.row >= size * columns.max(1) as isize;
    !is_plain && matrix.row == size && matrix.column >= size * rows.max(1) as isize
}

pub(super) fn loop_of(product: &Product) -> Loop {
    let Product { m, n, k, matrices: [_, left, right], .. } = *product;
    let size = product.dtype.size() as isize;
    let (of_left, of_right) = (is_turned(left, size, m, k), is_turned(right, size, k, n));
    // A vector is a matrix that does not move along its dimension of one row or column.
    match (m, n) {
        _ if product.is_batch => matrix_loop(of_left, of_right),
        (1, 1) if left.row == 0 && right.column == 0 => Loop::Vectors,
        (_, 1) if right.column == 0 && left.row == size && left.column >= size * m as isize => Loop::Line,
        (_, 1) if right.column == 0 && left.column == size => Loop::Rows,
        (1, 1) if of_right => Loop::Columns,
        (1, 1) => Loop::Line,
        (_, 1) if of_left => Loop::Line,
        (_, 1) => Loop::Rows,
        (1, _) if of_right => Loop::Columns,
        (1, _) => Loop::Line,
        _ => matrix_loop(of_left, of_right),
    }
}

/// That of two matrices, by which of them lie column by column.
fn matrix_loop(of_left: bool, of_right: bool) -> Loop {
    match (of_left, of_right) {
        (true, true) => Loop::BothTurned,
        (false, true) => Loop::Turned,
        _ => Loop::Along,
    }
}

versions! { fn product_versions<T: Float>(product: &Product, part: &Part, kind: Loop, at: &[*mut u8; 3]) = entries }

/// Computes an [ordered](is_ordered) product.
///
/// # Safety
/// As for [`multiply`](super::matmul::multiply).
pub unsafe fn multiply(product: &Product, at: &[*mut u8; 3]) {
    // SAFETY: the caller's promise.
    unsafe { multiply_part(product, &Part { rows: 0..product.m, columns: 0..product.n }, loop_of(product), at) }
}

/// Computes what is beside so many rows and columns in [blocks].
///
/// # Safety
/// As for [`multiply`](super::matmul::multiply).
pub unsafe fn multiply_beside(product: &Product, [rows, columns]: [usize; 2], at: &[*mut u8; 3]) {
    let kind = loop_of(product);
    // Rows of float64 that meet columns without gaps are vectors for it.
    let (behind, across, below) = match (product.dtype, kind) {
        (DType::F64, Loop::Turned) => (product.m, columns, Loop::Columns),
        _ => (rows, product.n, kind),
    };
    let right = Part { rows: 0..behind, columns: columns..product.n };
    let under = Part { rows: rows..product.m, columns: 0..across };
    for (part, kind) in [(right, kind), (under, below)] {
        if !part.rows.is_empty() && !part.columns.is_empty() {
            // SAFETY: the caller's promise.
            unsafe { multiply_part(product, &part, kind, at) }
        }
    }
}

unsafe fn multiply_part(product: &Product, part: &Part, kind: Loop, at: &[*mut u8; 3]) {
    let run = if product.dtype == DType::F32 { pick(product_versions::<f32>()) } else { pick(product_versions::<f64>()) };
    for place in &product.batch {
        // SAFETY: the caller's promise.
        unsafe { run(product, part, kind, &std::array::from_fn(|i| at[i].wrapping_offset(place[i]))) }
    }
}

/// The entries of a part of a product, whose matrices begin at `at`.
#[inline(always)]
unsafe fn entries<T: Float>(product: &Product, part: &Part, kind: Loop, at: &[*mut u8; 3]) {
    let [out, left, right] = product.matrices;
    let [to, a, b] = *at;
    // PyTorch copies what has no step of one element, so that it begins at a multiple of a vector's bytes.
    let size = size_of::<T>() as isize;
    let (is_copied, copy) = (|steps: [isize; 2]| !steps.contains(&size), (std::ptr::null(), size));
    let is_serial = matches!(kind, Loop::Along | Loop::Line) && right.column == size_of::<T>() as isize;
    let (first, last, length) = (part.columns.start, part.columns.end, part.columns.len());
    let takes_up = product.onto || product.added;
    for i in part.rows.clone() {
        let line = to.wrapping_offset(i as isize * out.row + first as isize * out.column);
        let edge = first + if kind == Loop::Along { columns_at_edge::<T>(line, length) } else { 0 };
        let end = if is_serial { edge + (last - edge) / LANES * LANES } else { edge };
        for j in (edge..end).step_by(LANES) {
            let cell = to.wrapping_offset(i as isize * out.row + j as isize * out.column);
            // SAFETY: the caller promises that all entries are there, and the result's cells are writable.
            unsafe {
                eight::<T>(
                    product,
                    [cell, a.wrapping_offset(i as isize * left.row)],
                    b.wrapping_offset(j as isize * right.column),
                )
            };
        }
        for j in (first..edge).chain(end..last) {
            let (row, column) = (a.wrapping_offset(i as isize * left.row), b.wrapping_offset(j as isize * right.column));
            let cell = to.wrapping_offset(i as isize * out.row + j as isize * out.column) as *mut T;
            // SAFETY: the caller promises that all entries are there, and the result's cells are writable.
            unsafe {
                let term = |k: usize| {
                    let x = *(row.wrapping_offset(k as isize * left.column) as *const T);
                    x * *(column.wrapping_offset(k as isize * right.row) as *const T)
                };
                let start = if takes_up { *cell } else { T::zero() };
                let found = match kind {
                    Loop::Vectors if [left.column, right.row].iter().any(|step| *step != size_of::<T>() as isize) => {
                        apart(product.k, term)
                    }
                    Loop::Vectors => vectors(product.k, term, 0, false),
                    Loop::Line => (0..product.k).fold(start, |sum, k| sum + term(k)),
                    Loop::Along => along(product.k, start, term, j < edge),
                    Loop::Rows => {
                        let is_matrix = right.column != 0;
                        let given = (column as *const u8, right.row);
                        let (column, step) = if is_matrix && is_copied([right.row, right.column]) { copy } else { given };
                        sum(product.k, term, grouped::<T>(product.m, i, row, left.row, column, step))
                    }
                    Loop::Columns => {
                        // PyTorch copies a vector on the left whose entries are apart.
                        let is_copied = [left.row, left.column].iter().all(|step| *step != size_of::<T>() as isize);
                        let (row, step) =
                            if is_copied { (std::ptr::null_mut(), size_of::<T>() as isize) } else { (row, left.column) };
                        sum(product.k, term, grouped::<T>(length, j - first, column, right.column, row, step))
                    }
                    Loop::Turned => sum(product.k, term, turned::<T>(length, j - first, row)),
                    Loop::BothTurned if product.dtype == DType::F32 => sum(product.k, term, Order::SERIAL),
                    Loop::BothTurned => sum(product.k, term, Order::wide(short_of::<T>(column))),
                };
                let is_taken_up = matches!(kind, Loop::Along | Loop::Line);
                *cell = if takes_up && !is_taken_up { start + found } else { found };
            }
        }
    }
}

/// Eight entries of a row of the result, of neighbouring columns of the right matrix, whose terms come one after the other.
#[inline(always)]
unsafe fn eight<T: Float>(product: &Product, [to, row]: [*mut u8; 2], columns: *const u8) {
    let [out, left, right] = product.matrices;
    let cell = |j: usize| to.wrapping_offset(j as isize * out.column) as *mut T;
    // SAFETY: the caller promises that all entries are there, and the result's cells are writable.
    unsafe {
        let mut sums: [T; LANES] = std::array::from_fn(|j| if product.onto || product.added { *cell(j) } else { T::zero() });
        for k in 0..product.k as isize {
            let x = *(row.wrapping_offset(k * left.column) as *const T);
            let terms = columns.wrapping_offset(k * right.row) as *const T;
            for (j, sum) in sums.iter_mut().enumerate() {
                *sum = *sum + x * *terms.add(j);
            }
        }
        (0..LANES).for_each(|j| *cell(j) = sums[j]);
    }
}

/// One of some rows, or columns, that meet the same vector, and where that decides about the order of its sum: in elements from a
/// multiple of 16 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Which one it is,
    pub index: usize,
    /// and of how many.
    pub count: usize,
    /// To the last one of its group of four.
    pub last: usize,
    /// To the vector; none where the entries of that are apart.
    pub vector: Option<usize>,
}

impl Member {
    fn order<T>(self) -> Order {
        let lanes = VECTOR / size_of::<T>();
        let rest = self.count % GROUP;
        if self.index + rest < self.count {
            // The last row of a group is the one that is aligned.
            return Order::narrow::<T>(lanes - self.last % lanes);
        }
        let Some(vector) = self.vector else { return Order::SERIAL };
        let order = Order::wide(lanes - vector % lanes);
        match (self.index % GROUP, rest) {
            (0, 2 | 3) => Order { lanes: 32 / size_of::<T>(), ..order },
            (1, _) => Order { lanes, ..order },
            _ => order,
        }
    }
}

/// The sum of the `k` products of a row, or column, and the vector that it meets.
pub fn sum_of_member<T: Copy + Zero>(k: usize, term: impl Fn(usize) -> T, member: Member) -> T {
    sum(k, term, member.order::<T>())
}

/// The order for row `i` of `rows`, each of which meets one vector.
fn grouped<T>(rows: usize, i: usize, row: *const u8, step: isize, vector: *const u8, stride: isize) -> Order {
    let last = row.wrapping_offset((GROUP - 1 - i % GROUP) as isize * step);
    let is_whole = stride == size_of::<T>() as isize;
    if !is_whole && i >= rows / GROUP * GROUP {
        return Order::apart::<T>(row);
    }
    Member { index: i, count: rows, last: beyond::<T>(last), vector: Some(beyond::<T>(vector)) }.order::<T>()
}

/// The order of an entry in column `j` of `columns` that lie without gaps.
fn turned<T>(columns: usize, j: usize, row: *const u8) -> Order {
    let before = short_of::<T>(row);
    if j < columns / GROUP * GROUP { Order::narrow::<T>(before) } else { Order::wide(before) }
}

/// Cells of a line of the result before the first whole vector, where there is one.
fn columns_at_edge<T>(line: *const u8, length: usize) -> usize {
    let before = short_of::<T>(line);
    if length >= before + VECTOR / size_of::<T>() { before } else { 0 }
}

/// Terms one after the other; before the first whole vector the second four of eight are added up by themselves.
#[inline(always)]
fn along<T: Float>(k: usize, start: T, term: impl Fn(usize) -> T, is_at_edge: bool) -> T {
    let whole = if is_at_edge { k / 8 * 8 } else { 0 };
    let eights = (0..whole).step_by(8).fold(start, |sum, i| {
        let sum = (i..i + 4).fold(sum, |sum, i| sum + term(i));
        sum + (i + 5..i + 8).fold(term(i + 4), |sum, i| sum + term(i))
    });
    (whole..k).fold(eights, |sum, i| sum + term(i))
}

/// The sum of the `k` products of two vectors that lie so many elements after a multiple of 16 bytes: terms before the second one's
/// first whole vector are added to the first lane.
pub fn sum_of_vectors<T: Copy + Zero>(k: usize, term: impl Fn(usize) -> T, [x, y]: [usize; 2]) -> T {
    let width = VECTOR / size_of::<T>();
    let before = (width - y % width) % width;
    match k < before + width {
        true => (0..k).fold(T::zero(), |sum, i| sum + term(i)),
        false => vectors(k, term, before, width == 4 && !(x + before).is_multiple_of(width)),
    }
}

/// The product of two vectors of which one has gaps: of float64 the terms of even and of odd places are added up by themselves.
#[inline(always)]
fn apart<T: Copy + Zero>(k: usize, term: impl Fn(usize) -> T) -> T {
    let chains = if size_of::<T>() == 8 { 2 } else { 1 };
    (0..chains)
        .map(|first| (first..k).step_by(chains).fold(T::zero(), |sum, i| sum + term(i)))
        .fold(T::zero(), |sum, chain| sum + chain)
}

/// The product of two vectors: four sums of a vector each, of which the first takes what does not fill all. It takes everything
/// where the vectors are not aligned both.
#[inline(always)]
fn vectors<T: Copy + Zero>(k: usize, term: impl Fn(usize) -> T, before: usize, is_crossed: bool) -> T {
    let width = VECTOR / size_of::<T>();
    let mut sums = [T::zero(); 16];
    let all = &mut sums[..4 * width];
    (0..before).for_each(|i| all[0] = all[0] + term(i));
    let mut start = before;
    // Of float32 a half of what fills all sums goes to the first two.
    let steps = if width == 4 { [4 * width, 2 * width, width] } else { [4 * width, width, width] };
    for step in steps.into_iter().filter(|step| !is_crossed || *step == width) {
        while start + step <= k {
            (0..step).for_each(|i| all[i] = all[i] + term(start + i));
            start += step;
        }
    }
    (start..k).for_each(|i| all[0] = all[0] + term(i));
    for vector in 1..4 {
        (0..width).for_each(|i| all[i] = all[i] + all[vector * width + i]);
    }
    in_halves(&mut all[..width], |a, b| a + b)
}
