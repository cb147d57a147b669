//! Sums of columns, each times a number: products of a matrix and a vector where the entries of a column are neighbours.
//!
//! Runs of columns are summed apart from each other, so that a thread reads memory from one end to the other. Their sums are added in
//! order, so that the bits are the same for any number of threads.

use super::isa::{pick, versions};
use super::matmul::Product;
use crate::dtype::DType;
use num_traits::Float;
use std::ops::Range;

/// Fewer columns than this are left to other products,
const FEW: usize = 16;

/// and so are shorter ones.
const SHORT: usize = 128;

/// Columns of a run.
const RUN: usize = 256;

/// Entries that are added up together at most: their sums stay in the innermost cache.
const WIDEST: usize = 4096;

/// Columns that are added at a time: the sums are read and written once for all of them.
const TOGETHER: usize = 4;

/// The matrix whose columns, each times an entry of the one line of the other, add up to a product, where the entries of a column are
/// neighbours and there are many: 1 for the left one, 2 for the right one, whose rows they are.
pub fn side(product: &Product) -> Option<usize> {
    let size = product.dtype.size() as isize;
    let are_many = product.k > FEW && matches!(product.dtype, DType::F32 | DType::F64) && !product.is_small_batch();
    match (product.m, product.n) {
        (m, 1) if are_many && m >= SHORT && product.matrices[1].row == size => Some(1),
        (1, n) if are_many && n >= SHORT && product.matrices[2].column == size => Some(2),
        _ => None,
    }
}

/// How the sums of one place of the batch are shared out.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// Entries of a column.
    pub entries: usize,
    /// Runs of columns.
    pub runs: usize,
    /// Columns of a run, but for the last.
    pub run: usize,
    /// Entries that are summed together, but for the last.
    pub width: usize,
}

impl Parts {
    /// For a product that has a [`side`].
    pub fn new(product: &Product, side: usize) -> Parts {
        let entries = if side == 1 { product.m } else { product.n };
        let (runs, threads) = (product.k.div_ceil(RUN), rayon::current_num_threads());
        let share = if runs * product.batch.len() < threads { entries.div_ceil(threads) } else { entries };
        let width = share.next_multiple_of(16).clamp(SHORT, WIDEST);
        Parts { entries, runs, run: RUN.min(product.k), width }
    }

    /// Groups of entries that are summed together.
    pub fn groups(&self) -> usize {
        self.entries.div_ceil(self.width)
    }
}

/// Adds the columns of run `run` to `to`, for some entries that lie side by side.
///
/// # Safety
/// `at` are the starts of the storages of out, left and right; all entries lie in them. `to` holds a number for each entry.
pub unsafe fn add_run(
    it: &Product,
    side: usize,
    place: usize,
    run: usize,
    entries: Range<usize>,
    at: &[*mut u8; 3],
    to: *mut u8,
) {
    let [_, left, right] = it.matrices;
    let (step, factor_step) = if side == 1 { (left.column, right.row) } else { (right.row, left.column) };
    let columns = run * RUN..((run + 1) * RUN).min(it.k);
    let start = |i: usize, step: isize| at[i].wrapping_offset(it.batch[place][i] + columns.start as isize * step) as *const u8;
    let first = start(side, step).wrapping_add(entries.start * it.dtype.size());
    let these = Columns { first, step, factors: start(3 - side, factor_step), factor_step, count: columns.len() };
    let add = if it.dtype == DType::F32 { pick(run_versions::<f32>()) } else { pick(run_versions::<f64>()) };
    // SAFETY: the caller's promise.
    unsafe { add(&these, to, entries.len()) }
}

/// Writes the sums of the runs of a place, which lie one after the other.
///
/// # Safety
/// As for [`add_run`], with the sums of all entries for each run.
pub unsafe fn total(it: &Product, side: usize, place: usize, sums: *const u8, at: &[*mut u8; 3]) {
    let (out, parts) = (it.matrices[0], Parts::new(it, side));
    let step = if side == 1 { out.row } else { out.column };
    let to = at[0].wrapping_offset(it.batch[place][0]);
    // SAFETY: the caller's promise.
    unsafe {
        match it.dtype {
            DType::F32 => total_of::<f32>(parts, sums, to, step),
            _ => total_of::<f64>(parts, sums, to, step),
        }
    }
}

unsafe fn total_of<T: Float>(parts: Parts, sums: *const u8, to: *mut u8, step: isize) {
    for entry in 0..parts.entries {
        let mut total = T::zero();
        // SAFETY: the caller promises the sums, and the places of the results.
        unsafe {
            for run in 0..parts.runs {
                total = total + *(sums as *const T).add(run * parts.entries + entry);
            }
            *(to.wrapping_offset(entry as isize * step) as *mut T) = total;
        }
    }
}

/// Columns, and what each is multiplied by; steps in bytes.
struct Columns {
    first: *const u8,
    step: isize,
    factors: *const u8,
    factor_step: isize,
    count: usize,
}

versions! { fn run_versions<T: Float>(columns: &Columns, to: *mut u8, entries: usize) = add_columns }

#[inline(always)]
unsafe fn add_columns<T: Float>(columns: &Columns, to: *mut u8, entries: usize) {
    // SAFETY: the caller promises a number for each entry.
    let to = unsafe { std::slice::from_raw_parts_mut(to as *mut T, entries) };
    let whole = columns.count / TOGETHER * TOGETHER;
    for first in (0..whole).step_by(TOGETHER) {
        // SAFETY: the caller's promise.
        unsafe { columns.add::<T, TOGETHER>(first, to) };
    }
    for column in whole..columns.count {
        // SAFETY: the caller's promise.
        unsafe { columns.add::<T, 1>(column, to) };
    }
}

impl Columns {
    /// Adds `C` columns, times their factors, one after the other.
    #[inline(always)]
    unsafe fn add<T: Float, const C: usize>(&self, first: usize, to: &mut [T]) {
        let (mut columns, mut factors) = ([&[] as &[T]; C], [T::zero(); C]);
        for c in 0..C {
            let i = (first + c) as isize;
            // SAFETY: the caller promises the entries and the factors.
            unsafe {
                columns[c] = std::slice::from_raw_parts(self.first.wrapping_offset(i * self.step) as *const T, to.len());
                factors[c] = *(self.factors.wrapping_offset(i * self.factor_step) as *const T);
            }
        }
        for k in 0..to.len() {
            let mut sum = to[k];
            for c in 0..C {
                sum = columns[c][k].mul_add(factors[c], sum);
            }
            to[k] = sum;
        }
    }
}
