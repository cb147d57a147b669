//! Products of int64 matrices with AVX-512, whose sums stay in registers: four rows of the result by two vectors of columns at a time.
//! Strips of the right matrix that are read often are moved together first.

use super::matmul::Matrix;
use crate::interrupt;
use std::arch::x86_64::{
    _mm512_add_epi64, _mm512_loadu_si512, _mm512_mullo_epi64, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_storeu_si512,
};

/// Columns of a strip: two vectors.
const STRIP: usize = 16;

/// Rows of the result whose sums in a strip are built together.
const ROWS: usize = 4;

/// A matrix and where its first entry is.
type Placed = (Matrix, *mut u8);

/// Writes `out = left @ right`, (m, n) = (m, k) @ (k, n). What is too large wraps.
///
/// # Safety
/// The processor has AVX-512; all entries are there and int64, and the result's are writable and of neither factor.
#[target_feature(enable = "avx512f,avx512dq")]
pub unsafe fn multiply((out, to): Placed, (left, from): Placed, (right, corner): Placed, [m, n, k]: [usize; 3]) {
    let mut gathered = vec![[0i64; STRIP]; k];
    for start in (0..n).step_by(STRIP) {
        let width = (n - start).min(STRIP);
        for (i, line) in gathered.iter_mut().enumerate() {
            for (j, entry) in line.iter_mut().enumerate().take(width) {
                let at = i as isize * right.row + (start + j) as isize * right.column;
                // SAFETY: the caller's promise.
                *entry = unsafe { *(corner.wrapping_offset(at) as *const i64) };
            }
        }
        let mut row = 0;
        while row < m && !interrupt::is_raised() {
            let rows = from.wrapping_offset(row as isize * left.row);
            let cells = to.wrapping_offset(row as isize * out.row + start as isize * out.column);
            // SAFETY: the caller's promise.
            row += unsafe {
                match m - row {
                    0..ROWS => write::<1>((out, cells), (left, rows), &gathered, width),
                    _ => write::<ROWS>((out, cells), (left, rows), &gathered, width),
                }
            };
        }
    }
}

/// Writes `R` rows of the result in a strip of `width` columns, and says how many these are.
///
/// # Safety
/// As for [`multiply`].
#[target_feature(enable = "avx512f,avx512dq")]
#[allow(
    clippy::needless_range_loop,
    reason = "what iterators call is no part of this function where nothing is inlined across files"
)]
unsafe fn write<const R: usize>((out, to): Placed, (left, from): Placed, strip: &[[i64; STRIP]], width: usize) -> usize {
    let mut sums = [[_mm512_setzero_si512(); 2]; R];
    let mut at = strip.as_ptr() as *const i64;
    for i in 0..strip.len() as isize {
        // SAFETY: a line is two vectors.
        let line = unsafe { [_mm512_loadu_si512(at.cast()), _mm512_loadu_si512(at.add(STRIP / 2).cast())] };
        for r in 0..R {
            let place = r as isize * left.row + i * left.column;
            // SAFETY: the caller's promise.
            let factor = _mm512_set1_epi64(unsafe { *(from.wrapping_offset(place) as *const i64) });
            sums[r][0] = _mm512_add_epi64(sums[r][0], _mm512_mullo_epi64(factor, line[0]));
            sums[r][1] = _mm512_add_epi64(sums[r][1], _mm512_mullo_epi64(factor, line[1]));
        }
        at = at.wrapping_add(STRIP);
    }
    for (r, sums) in sums.iter().enumerate() {
        let mut entries = [0i64; STRIP];
        // SAFETY: the entries are two vectors; the caller promises that the result's cells are writable.
        unsafe {
            _mm512_storeu_si512(entries.as_mut_ptr().cast(), sums[0]);
            _mm512_storeu_si512(entries.as_mut_ptr().add(STRIP / 2).cast(), sums[1]);
            for (j, entry) in entries.iter().enumerate().take(width) {
                *(to.wrapping_offset(r as isize * out.row + j as isize * out.column) as *mut i64) = *entry;
            }
        }
    }
    R
}
