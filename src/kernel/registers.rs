//! Small products of matrices of floats, with all sums in vector registers.
//!
//! A library's product arranges both matrices first, which pays for large ones only. Here six rows of the result, up to four vectors
//! wide, are summed at a time, straight from the left matrix and from the rows of the right one. Every sum adds one product after
//! the other, each before it is rounded.

use super::matmul::{Product, starts};
use crate::dtype::DType;
use std::ops::Range;

/// Multiplications up to which a product is computed here.
const MOST: usize = 1 << 24;

/// Rows of the result that are summed at a time.
const ROWS: usize = 6;

/// Rows of a product that are a piece of work of their own: whole tiles, of some microseconds.
pub fn rows_of_a_piece(product: &Product) -> usize {
    ((1 << 17) / (product.n * product.k).max(1)).next_multiple_of(ROWS).max(ROWS)
}

/// True when [`multiply`] may be called.
pub fn fits(product: &Product) -> bool {
    let size = product.dtype.size() as isize;
    let floats = matches!(product.dtype, DType::F32 | DType::F64);
    floats && is_available() && product.matrices[0].column == size && product.m * product.n * product.k <= MOST
}

#[cfg(target_arch = "x86_64")]
fn is_available() -> bool {
    super::isa::has_avx512()
}

#[cfg(not(target_arch = "x86_64"))]
fn is_available() -> bool {
    false
}

/// Computes some rows of one product of the batch.
///
/// # Safety
/// The product [`fits`]; `at` are the starts of the storages of out, left and right, and all entries lie in them.
#[cfg(target_arch = "x86_64")]
pub unsafe fn multiply(product: &Product, place: usize, rows: Range<usize>, at: &[*mut u8; 3]) {
    // SAFETY: the caller's promise; the instructions are there where a product fits.
    unsafe {
        match product.dtype {
            DType::F32 => single::multiply(product, place, rows, at),
            _ => double::multiply(product, place, rows, at),
        }
    }
}

/// No product fits here.
///
/// # Safety
/// None is needed.
#[cfg(not(target_arch = "x86_64"))]
pub unsafe fn multiply(_: &Product, _: usize, _: Range<usize>, _: &[*mut u8; 3]) {}

/// Declares the products of a float type in vectors of `$width`.
macro_rules! products {
    ($name:ident: $t:ty, $width:literal, $mask:ty; $zero:ident $load_some:ident $store_some:ident $same:ident $fma:ident) => {
        #[cfg(target_arch = "x86_64")]
        mod $name {
            use super::{Product, ROWS, Range, starts};
            use std::arch::x86_64::*;

            /// Vectors of columns of the result that are summed at a time.
            const VECTORS: usize = 4;
            const STRIP: usize = VECTORS * $width;

            /// Where a tile's rows, in elements, begin and how far they are apart.
            struct Tile {
                terms: usize,
                left: *const $t,
                left_steps: [isize; 2],
                right: *const $t,
                right_step: isize,
                out: *mut $t,
                out_step: isize,
                /// The columns of the last vector.
                last: $mask,
            }

            #[target_feature(enable = "avx512f")]
            unsafe fn sum<const R: usize, const V: usize>(tile: &Tile) {
                let mut sums = [[$zero(); V]; R];
                let mask = |v: usize| if v + 1 < V { !0 } else { tile.last };
                for k in 0..tile.terms as isize {
                    let row = tile.right.wrapping_offset(k * tile.right_step);
                    let mut line = [$zero(); V];
                    for v in 0..V {
                        // SAFETY: the caller promises the entries; those beyond the mask are not touched.
                        line[v] = unsafe { $load_some(mask(v), row.wrapping_add(v * $width)) };
                    }
                    for r in 0..R {
                        let at = r as isize * tile.left_steps[0] + k * tile.left_steps[1];
                        // SAFETY: the caller promises the entry.
                        let factor = $same(unsafe { *tile.left.wrapping_offset(at) });
                        (0..V).for_each(|v| sums[r][v] = $fma(factor, line[v], sums[r][v]));
                    }
                }
                for r in 0..R {
                    let row = tile.out.wrapping_offset(r as isize * tile.out_step);
                    // SAFETY: the caller promises room for the entries.
                    (0..V).for_each(|v| unsafe { $store_some(row.wrapping_add(v * $width), mask(v), sums[r][v]) });
                }
            }

            type Sum = unsafe fn(&Tile);
            const SUMS: [[Sum; VECTORS]; ROWS] = [
                [sum::<1, 1>, sum::<1, 2>, sum::<1, 3>, sum::<1, 4>],
                [sum::<2, 1>, sum::<2, 2>, sum::<2, 3>, sum::<2, 4>],
                [sum::<3, 1>, sum::<3, 2>, sum::<3, 3>, sum::<3, 4>],
                [sum::<4, 1>, sum::<4, 2>, sum::<4, 3>, sum::<4, 4>],
                [sum::<5, 1>, sum::<5, 2>, sum::<5, 3>, sum::<5, 4>],
                [sum::<6, 1>, sum::<6, 2>, sum::<6, 3>, sum::<6, 4>],
            ];

            /// Some columns of the right matrix, row by row.
            unsafe fn gathered(right: *const $t, steps: [isize; 2], terms: usize, width: usize) -> Vec<$t> {
                let mut rows = vec![0.0; terms * STRIP];
                for k in 0..terms {
                    for j in 0..width {
                        // SAFETY: the caller promises the entries.
                        rows[k * STRIP + j] = unsafe { *right.wrapping_offset(k as isize * steps[0] + j as isize * steps[1]) };
                    }
                }
                rows
            }

            pub(super) unsafe fn multiply(product: &Product, place: usize, rows: Range<usize>, at: &[*mut u8; 3]) {
                let size = size_of::<$t>() as isize;
                let [out, left, right] = product.matrices.map(|m| [m.row / size, m.column / size]);
                let [to, a, b] = starts(product, place, rows.start, at);
                for first in (0..product.n).step_by(STRIP) {
                    let width = STRIP.min(product.n - first);
                    let vectors = width.div_ceil($width);
                    let mut strip = (b as *const $t).wrapping_offset(first as isize * right[1]);
                    let mut step = right[0];
                    let rest;
                    if right[1] != 1 {
                        // SAFETY: the caller's promise.
                        rest = unsafe { gathered(strip, right, product.k, width) };
                        (strip, step) = (rest.as_ptr(), STRIP as isize);
                    }
                    for row in (0..rows.len()).step_by(ROWS) {
                        let tile = Tile {
                            terms: product.k,
                            left: (a as *const $t).wrapping_offset(row as isize * left[0]),
                            left_steps: left,
                            right: strip,
                            right_step: step,
                            out: (to as *mut $t).wrapping_offset(row as isize * out[0] + first as isize),
                            out_step: out[0],
                            last: !0 >> (vectors * $width - width),
                        };
                        // SAFETY: the caller's promise, and that the instructions are there.
                        unsafe { SUMS[ROWS.min(rows.len() - row) - 1][vectors - 1](&tile) };
                    }
                }
            }
        }
    };
}

products! { single: f32, 16, __mmask16; _mm512_setzero_ps _mm512_maskz_loadu_ps _mm512_mask_storeu_ps _mm512_set1_ps _mm512_fmadd_ps }
products! { double: f64, 8, __mmask8; _mm512_setzero_pd _mm512_maskz_loadu_pd _mm512_mask_storeu_pd _mm512_set1_pd _mm512_fmadd_pd }
