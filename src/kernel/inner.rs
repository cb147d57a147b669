//! Inner products of lines without gaps: what matrix-vector products and dot products are made of, at the speed of memory.

use super::halves::in_halves;
use super::isa::{pick, versions};
use super::matmul::Product;
use crate::dtype::DType;
use num_traits::Float;
use std::ops::Range;

/// Lanes that are summed side by side; the same on every machine, so that all give the same bits.
const LANES: usize = 64;

/// Lanes that one vector holds: what is left at the end of a line is taken in so many at a time.
const GROUP: usize = 16;

/// A longer line is summed in pieces of this many elements, so that several threads can share it.
pub const PIECE: usize = 1 << 16;

/// The matrix whose rows meet the one line of the other, when a product is of that kind: 1 for the left one, 2 for the right one.
pub fn side(product: &Product) -> Option<usize> {
    let size = product.dtype.size() as isize;
    let gapless = product.matrices[1].column == size && product.matrices[2].row == size;
    match (product.dtype, product.m, product.n) {
        _ if product.is_small_batch() => None,
        (DType::F32 | DType::F64, _, 1) if gapless => Some(1),
        (DType::F32 | DType::F64, 1, _) if gapless => Some(2),
        _ => None,
    }
}

/// Writes the inner product of a line of the side with the other's, over the elements `part` of both, to `out`.
///
/// # Safety
/// `at` are the starts of the storages of out, left and right; all entries lie in them. `out` has room for one.
pub unsafe fn product(it: &Product, side: usize, place: usize, line: usize, part: Range<usize>, at: &[*mut u8; 3], out: *mut u8) {
    let steps = [0, it.matrices[1].row, it.matrices[2].column];
    let skip = (part.start * it.dtype.size()) as isize;
    let start = |i: usize| {
        let down = if i == side { line as isize * steps[i] } else { 0 };
        at[i].wrapping_offset(it.batch[place][i] + skip + down) as *const u8
    };
    let run = if it.dtype == DType::F32 { pick(line_versions::<f32>()) } else { pick(line_versions::<f64>()) };
    // SAFETY: the caller's promise.
    unsafe { run(part.len(), start(1), start(2), out) }
}

/// Sums the numbers that pieces of a line gave, in order.
///
/// # Safety
/// `parts` holds numbers of the dtype, `out` has room for one.
pub unsafe fn total(dtype: DType, parts: &[u64], out: *mut u8) {
    // SAFETY: the caller's promise; each part lies at the start of its own 8 bytes.
    unsafe {
        match dtype {
            DType::F32 => *(out as *mut f32) = parts.iter().map(|p| *(p as *const u64 as *const f32)).sum(),
            _ => *(out as *mut f64) = parts.iter().map(|p| f64::from_bits(*p)).sum(),
        }
    }
}

versions! { fn line_versions<T: Float>(n: usize, a: *const u8, b: *const u8, out: *mut u8) = line }

#[inline(always)]
unsafe fn line<T: Float>(n: usize, a: *const u8, b: *const u8, out: *mut u8) {
    // SAFETY: the caller promises n elements behind each and room for one.
    unsafe {
        let (a, b) = (std::slice::from_raw_parts(a as *const T, n), std::slice::from_raw_parts(b as *const T, n));
        let mut lanes = [T::zero(); LANES];
        let (rows, columns) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
        let rest = (rows.remainder(), columns.remainder());
        for (x, y) in rows.zip(columns) {
            for k in 0..LANES {
                lanes[k] = lanes[k] + x[k] * y[k];
            }
        }
        let (rows, columns) = (rest.0.chunks_exact(GROUP), rest.1.chunks_exact(GROUP));
        let last = rest.0.len() - rows.remainder().len();
        let ends = rows.remainder().iter().zip(columns.remainder());
        for (group, (x, y)) in lanes.chunks_exact_mut(GROUP).zip(rows.zip(columns)) {
            for k in 0..GROUP {
                group[k] = group[k] + x[k] * y[k];
            }
        }
        for (lane, (x, y)) in lanes[last..].iter_mut().zip(ends) {
            *lane = *lane + *x * *y;
        }
        *(out as *mut T) = in_halves(&mut lanes, |a, b| a + b);
    }
}
