//! Many reflections in a row, each of a few neighbouring rows or columns and beginning one further than the one before it: what
//! chases a bulge along the diagonal of a matrix does to the cells that lie far from it.
//!
//! All are done to some columns or rows before the next ones are read. The arithmetic is that of [`reflect`](super::reflect).

use super::blas::Entry;
use super::isa::{has_avx512, pick, versions};
use super::turn::{Crossing, turn, turns};

/// A reflection of `K` neighbours from one side: what meets `meets` loses `takes` times what comes of it.
#[derive(Clone, Copy, Debug)]
pub struct Step<T, const K: usize> {
    meets: [T; K],
    takes: [T; K],
}

impl<T: Entry, const K: usize> Step<T, K> {
    /// `I - factor v vᴴ` from the left.
    pub fn left(v: [T; K], factor: T) -> Step<T, K> {
        Step { meets: v.map(T::conj), takes: v.map(|v| v * factor) }
    }

    /// The same from the right.
    pub fn right(v: [T; K], factor: T) -> Step<T, K> {
        Step { meets: v, takes: v.map(|v| v.conj() * factor) }
    }
}

/// Columns or rows that are worked on side by side, as many as vector registers hold of three neighbours; columns are turned into rows
/// for that,
const MANY: usize = 32;
const FEWER: usize = 16;

/// and those that are left in lesser steps.
const FEW: usize = 8;

/// True where registers do not hold [`MANY`].
fn holds_fewer<T>() -> bool {
    size_of::<T>() > 4 && !has_avx512()
}

/// Reflects columns, which begin `stride` apart: step `i` their entries from `i` on.
///
/// # Panics
/// When the slice is too short.
pub fn reflect_columns<T: Entry, const K: usize>(steps: &[Step<T, K>], cells: &mut [T], stride: usize, columns: usize) {
    if steps.is_empty() || columns == 0 {
        return;
    }
    assert!((columns - 1) * stride + steps.len() + K - 1 <= cells.len(), "columns lie in their slice");
    let run = match holds_fewer::<T>() {
        true => pick(column_versions::<T, Steps<K, FEWER>>()),
        false => pick(column_versions::<T, Steps<K, MANY>>()),
    };
    // SAFETY: all columns lie in the slice, as was just checked.
    unsafe { run(steps.as_ptr() as *const u8, steps.len(), cells.as_mut_ptr() as *mut u8, stride, columns) }
}

/// Reflects rows, whose entries lie `stride` apart: step `i` their entries from `i` on.
///
/// # Panics
/// When the slice is too short.
pub fn reflect_rows<T: Entry, const K: usize>(steps: &[Step<T, K>], cells: &mut [T], stride: usize, rows: usize) {
    if steps.is_empty() || rows == 0 {
        return;
    }
    assert!((steps.len() + K - 2) * stride + rows <= cells.len(), "rows lie in their slice");
    let run = match holds_fewer::<T>() {
        true => pick(row_versions::<T, Steps<K, FEWER>>()),
        false => pick(row_versions::<T, Steps<K, MANY>>()),
    };
    // SAFETY: all rows lie in the slice, as was just checked.
    unsafe { run(steps.as_ptr() as *const u8, steps.len(), cells.as_mut_ptr() as *mut u8, stride, rows) }
}

/// How many neighbours a step reflects and how many lines are worked on side by side, as a type.
trait Reach {
    unsafe fn columns<T: Entry>(steps: *const u8, count: usize, cells: *mut T, stride: usize, columns: usize);
    unsafe fn rows<T: Entry>(steps: *const u8, count: usize, cells: *mut T, stride: usize, rows: usize);
}

struct Steps<const K: usize, const BESIDE: usize>;

impl<const K: usize, const BESIDE: usize> Reach for Steps<K, BESIDE> {
    #[inline(always)]
    unsafe fn columns<T: Entry>(steps: *const u8, count: usize, cells: *mut T, stride: usize, columns: usize) {
        // SAFETY: the caller passes `count` steps, and columns that they fit in.
        unsafe {
            let steps = std::slice::from_raw_parts(steps as *const Step<T, K>, count);
            let mut room = vec![T::default(); (count + K - 1) * BESIDE];
            let mut first = 0;
            while first < columns {
                let (cells, rest) = (cells.add(first * stride), columns - first);
                first += if rest >= BESIDE {
                    some_columns::<T, K, BESIDE>(steps, cells, stride, rest, &mut room)
                } else {
                    some_columns::<T, K, FEW>(steps, cells, stride, rest, &mut room)
                };
            }
        }
    }

    #[inline(always)]
    unsafe fn rows<T: Entry>(steps: *const u8, count: usize, cells: *mut T, stride: usize, rows: usize) {
        // SAFETY: the caller passes `count` steps, and rows that they fit in.
        unsafe {
            let steps = std::slice::from_raw_parts(steps as *const Step<T, K>, count);
            let mut first = 0;
            while first < rows {
                let cells = cells.add(first);
                first += match rows - first {
                    rest if rest >= BESIDE => some_rows::<T, K, BESIDE>(steps, cells, stride),
                    FEW.. => some_rows::<T, K, FEW>(steps, cells, stride),
                    _ => some_rows::<T, K, 1>(steps, cells, stride),
                };
            }
        }
    }
}

/// Reflects `W` columns, or as many as there are, and gives how many.
#[inline(always)]
unsafe fn some_columns<T: Entry, const K: usize, const W: usize>(
    steps: &[Step<T, K>],
    cells: *mut T,
    stride: usize,
    columns: usize,
    room: &mut [T],
) -> usize {
    let (height, width, at) = (steps.len() + K - 1, W.min(columns), room.as_mut_ptr());
    let [line, far] = [W, stride].map(|step| (step * size_of::<T>()) as isize);
    let whole = width == W && turns::<T>();
    // SAFETY: the caller passes columns that the steps fit in, and room for `W` of them.
    unsafe {
        if whole {
            let there = Crossing { lines: height, len: W, to_step: line, from_step: far };
            turn::<T>(at as *mut u8, cells as *const u8, there);
        } else {
            for j in 0..width {
                for i in 0..height {
                    *at.add(i * W + j) = *cells.add(j * stride + i);
                }
            }
        }
        some_rows::<T, K, W>(steps, at, W);
        if whole {
            let back = Crossing { lines: W, len: height, to_step: far, from_step: line };
            turn::<T>(cells as *mut u8, at as *const u8, back);
        } else {
            for j in 0..width {
                for i in 0..height {
                    *cells.add(j * stride + i) = *at.add(i * W + j);
                }
            }
        }
    }
    width
}

/// Reflects `W` rows, and gives how many.
#[allow(clippy::needless_range_loop, reason = "arrays that are indexed stay in registers")]
#[inline(always)]
unsafe fn some_rows<T: Entry, const K: usize, const W: usize>(steps: &[Step<T, K>], cells: *mut T, stride: usize) -> usize {
    // SAFETY: the caller passes `W` rows that the steps fit in.
    unsafe {
        // The columns that the next step takes too stay in registers.
        let column = |i: usize| cells.add(i * stride) as *mut [T; W];
        let mut held = [[T::default(); W]; K];
        for k in 0..K - 1 {
            held[k] = *column(k);
        }
        for (i, step) in steps.iter().enumerate() {
            held[K - 1] = *column(i + K - 1);
            let mut sums = held[0];
            for r in 0..W {
                sums[r] = sums[r] * step.meets[0];
            }
            for k in 1..K {
                for r in 0..W {
                    sums[r] = sums[r] + held[k][r] * step.meets[k];
                }
            }
            for k in 0..K {
                for r in 0..W {
                    held[k][r] = held[k][r] - sums[r] * step.takes[k];
                }
            }
            *column(i) = held[0];
            for k in 1..K {
                held[k - 1] = held[k];
            }
        }
        for k in 0..K - 1 {
            *column(steps.len() + k) = held[k];
        }
    }
    W
}

versions! { fn column_versions<T: Entry, R: Reach>(steps: *const u8, count: usize, cells: *mut u8, stride: usize, columns: usize) = run_columns }
versions! { fn row_versions<T: Entry, R: Reach>(steps: *const u8, count: usize, cells: *mut u8, stride: usize, rows: usize) = run_rows }

#[inline(always)]
unsafe fn run_columns<T: Entry, R: Reach>(steps: *const u8, count: usize, cells: *mut u8, stride: usize, columns: usize) {
    // SAFETY: the caller's promise is passed on.
    unsafe { R::columns(steps, count, cells as *mut T, stride, columns) }
}

#[inline(always)]
unsafe fn run_rows<T: Entry, R: Reach>(steps: *const u8, count: usize, cells: *mut u8, stride: usize, rows: usize) {
    // SAFETY: the caller's promise is passed on.
    unsafe { R::rows(steps, count, cells as *mut T, stride, rows) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::reflect;

    #[test]
    fn reflections_in_a_row_are_those_one_by_one() {
        let (rows, columns) = (71, 45);
        let number = |i: usize| (i as f64 * 0.37).sin();
        let of = |i: usize| ([1.0, number(i), number(i + 50)], number(i + 9));
        let steps = |side: fn([f64; 3], f64) -> Step<f64, 3>| (0..20).map(|i| side(of(i).0, of(i).1)).collect::<Vec<_>>();
        let cells: Vec<f64> = (0..rows * columns).map(number).collect();
        let (mut left, mut by_hand) = (cells.clone(), cells.clone());
        reflect_columns(&steps(Step::left), &mut left[7..], rows, columns);
        for i in 0..20 {
            reflect::reflect_columns(&of(i).0, of(i).1, &mut by_hand[7 + i..], rows, columns);
        }
        assert_eq!(left, by_hand);
        let (mut right, mut by_hand) = (cells.clone(), cells);
        reflect_rows(&steps(Step::right), &mut right[5 * rows + 2..], rows, rows - 2);
        for i in 0..20 {
            reflect::reflect_rows(&of(i).0, of(i).1, &mut by_hand[(5 + i) * rows + 2..], rows, rows - 2);
        }
        assert_eq!(right, by_hand);
    }
}
