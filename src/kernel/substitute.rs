//! Systems with a triangular matrix and many right sides.

use super::blas::Entry;
use super::isa::{pick, versions};
use super::registers::{self, System};

/// Unknowns that [`substitute`] takes at most.
pub fn most<T: Entry>() -> usize {
    if registers::takes(T::DTYPE) { 256 } else { 32 }
}

/// Right sides that are worked on side by side.
const BESIDE: usize = 64;

/// Solves `T x = b` for `columns` right sides, in place: T begins at the start of `a`, whose columns lie `stride` apart. The
/// diagonal is given by its reciprocals, of which there are as many as unknowns, or counts as ones.
///
/// # Panics
/// When there are more than [`most`] unknowns or a slice is too short.
pub fn substitute<T: Entry>(
    (a, stride): (&[T], usize),
    n: usize,
    inverses: Option<&[T]>,
    upper: bool,
    (b, height): (&mut [T], usize),
    columns: usize,
) {
    if n == 0 || columns == 0 {
        return;
    }
    let last = (n - 1) * stride + n <= a.len() && (columns - 1) * height + n <= b.len();
    assert!(n <= most::<T>() && last && inverses.is_none_or(|i| i.len() >= n), "matrices lie in their slices");
    if registers::takes(T::DTYPE) {
        let inverses = inverses.map_or(std::ptr::null(), |i| i.as_ptr());
        let system = System { matrix: a.as_ptr(), stride, upper, inverses, rights: b.as_mut_ptr(), height, columns };
        // SAFETY: all entries lie in their slices, as was just checked.
        return unsafe { registers::solve(system, n) };
    }
    let inverses = inverses.map_or(std::ptr::null(), |i| i.as_ptr() as *const u8);
    let run = pick(substitute_versions::<T>());
    // SAFETY: all entries lie in their slices, as was just checked.
    unsafe { run(a.as_ptr() as *const u8, inverses, upper, b.as_mut_ptr() as *mut u8, [n, stride, height, columns]) }
}

/// Times the reciprocal of the diagonal, where there are any.
#[inline(always)]
unsafe fn divide<T: Entry>(row: &mut [T], inverses: *const T, k: usize) {
    if !inverses.is_null() {
        // SAFETY: the caller promises as many as unknowns.
        let by = unsafe { *inverses.add(k) };
        for x in row {
            *x = *x * by;
        }
    }
}

/// Less the multiple of another row.
#[inline(always)]
fn less<T: Entry>(row: &mut [T], by: T, known: &[T]) {
    for (x, known) in row.iter_mut().zip(known) {
        *x = x.less_product(by, *known);
    }
}

/// Less the multiples of two others, the first one first.
#[inline(always)]
fn less_both<T: Entry>(row: &mut [T], by: [T; 2], [first, second]: [&[T]; 2]) {
    for ((x, first), second) in row.iter_mut().zip(first).zip(second) {
        *x = x.less_product(by[0], *first).less_product(by[1], *second);
    }
}

versions! { fn substitute_versions<T: Entry>(a: *const u8, inverses: *const u8, upper: bool, b: *mut u8, sizes: [usize; 4]) = run }

#[inline(always)]
unsafe fn run<T: Entry>(a: *const u8, inverses: *const u8, upper: bool, b: *mut u8, [n, stride, height, columns]: [usize; 4]) {
    let (a, inverses, b) = (a as *const T, inverses as *const T, b as *mut T);
    // Row by row, so that the loops run over right sides.
    let mut tile = vec![T::default(); n * columns.min(BESIDE)];
    for first in (0..columns).step_by(BESIDE) {
        let width = (columns - first).min(BESIDE);
        // SAFETY: the caller promises that all entries are there.
        unsafe {
            for j in 0..width {
                (0..n).for_each(|i| *tile.get_unchecked_mut(i * width + j) = *b.add((first + j) * height + i));
            }
            let mut done = 0;
            while done < n {
                let taken = (n - done).min(2);
                let low = if upper { n - done - taken } else { done };
                let (before, rest) = tile[..n * width].split_at_mut(low * width);
                let (known, after) = rest.split_at_mut(taken * width);
                let (rest, from) = if upper { (before, 0) } else { (after, low + taken) };
                let (lower, higher) = known.split_at_mut(width);
                // The first of two is the one that the other one waits for.
                let (first, second, [k, l]) = match upper && taken == 2 {
                    true => (higher, lower, [low + 1, low]),
                    false => (lower, higher, [low, low + 1]),
                };
                divide(first, inverses, k);
                if taken == 2 {
                    less(second, *a.add(k * stride + l), first);
                    divide(second, inverses, l);
                }
                for (i, row) in rest.chunks_exact_mut(width).enumerate() {
                    let by = *a.add(k * stride + from + i);
                    match taken {
                        2 => less_both(row, [by, *a.add(l * stride + from + i)], [first, second]),
                        _ => less(row, by, first),
                    }
                }
                done += taken;
            }
            for j in 0..width {
                (0..n).for_each(|i| *b.add((first + j) * height + i) = *tile.get_unchecked(i * width + j));
            }
        }
    }
}
