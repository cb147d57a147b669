//! Inner products of lines without gaps: what matrix-vector products and dot products are made of, at the speed of memory.

use super::halves::in_halves;
use super::isa::{pick, versions};
use super::matmul::{Product, sum_of_lanes};
use crate::dtype::DType;
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
    let rows = if side == 1 { it.m } else { it.n };
    // PyTorch's library takes rows four at a time, and those that remain one by one.
    let run = match (it.dtype, part.len()) {
        (DType::F32, 1..=8) if rows == 1 => pick(short_dot_versions::<f32>()),
        (DType::F64, 1..=8) if rows == 1 => pick(short_dot_versions::<f64>()),
        (DType::F32, 1..=17) if rows > 1 && line >= rows / 4 * 4 => pick(short_line_versions::<f32>()),
        (DType::F32, 2..=4) if rows > 1 => pick(few_versions::<f32>()),
        (DType::F64, 2..=7) if rows > 1 => pick(fours_versions::<f64>()),
        (DType::F32, _) => pick(line_versions::<f32>()),
        _ => pick(line_versions::<f64>()),
    };
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

/// What lanes of an inner product do.
trait Real: num_traits::Float + std::iter::Sum + 'static {
    /// Four sums of a short dot product are joined in halves.
    const HALVES: bool;
}

impl Real for f32 {
    const HALVES: bool = false;
}
impl Real for f64 {
    const HALVES: bool = true;
}

versions! { fn line_versions<T: Real>(n: usize, a: *const u8, b: *const u8, out: *mut u8) = line }

#[inline(always)]
unsafe fn line<T: Real>(n: usize, a: *const u8, b: *const u8, out: *mut u8) {
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

versions! { fn short_dot_versions<T: Real>(n: usize, a: *const u8, b: *const u8, out: *mut u8) = short_dot }

/// A product of two short lines, with the bits that PyTorch has: four sums, joined in pairs
/// of neighbours or in halves.
#[inline(always)]
unsafe fn short_dot<T: Real>(n: usize, a: *const u8, b: *const u8, out: *mut u8) {
    // SAFETY: the caller promises n elements behind each and room for one.
    unsafe {
        let (a, b) = (std::slice::from_raw_parts(a as *const T, n), std::slice::from_raw_parts(b as *const T, n));
        let mut sums = [T::zero(); 4];
        a.iter().zip(b).enumerate().for_each(|(k, (x, y))| sums[k % 4] = sums[k % 4] + *x * *y);
        let [first, second, third, fourth] = sums;
        *(out as *mut T) = if T::HALVES { (first + third) + (second + fourth) } else { (first + second) + (third + fourth) };
    }
}

versions! { fn short_line_versions<T: Real>(n: usize, a: *const u8, b: *const u8, out: *mut u8) = short_line }

/// A short row of a matrix with a vector, with the bits that PyTorch has: the first product, and the others in lanes.
#[inline(always)]
unsafe fn short_line<T: Real>(n: usize, a: *const u8, b: *const u8, out: *mut u8) {
    // SAFETY: the caller promises at least one element behind each and room for one.
    unsafe {
        let (a, b) = (std::slice::from_raw_parts(a as *const T, n), std::slice::from_raw_parts(b as *const T, n));
        let rest = sum_of_lanes(a[1..].iter().copied().zip(b[1..].iter().copied()));
        *(out as *mut T) = a[0] * b[0] + rest;
    }
}

versions! { fn few_versions<T: Real>(n: usize, a: *const u8, b: *const u8, out: *mut u8) = few }

/// One of four rows of two to four elements with a vector, with the bits that PyTorch has.
#[inline(always)]
unsafe fn few<T: Real>(n: usize, a: *const u8, b: *const u8, out: *mut u8) {
    // SAFETY: the caller promises n elements behind each and room for one.
    unsafe {
        let (a, b) = (std::slice::from_raw_parts(a as *const T, n), std::slice::from_raw_parts(b as *const T, n));
        let first = a[1].mul_add(b[1], a[0] * b[0]);
        *(out as *mut T) = (2..n).rev().fold(first, |sum, k| sum + a[k] * b[k]);
    }
}

versions! { fn fours_versions<T: Real>(n: usize, a: *const u8, b: *const u8, out: *mut u8) = fours }

/// A row of fewer than eight elements with a vector, with the bits that PyTorch has: four side by side,
/// then the others.
#[inline(always)]
unsafe fn fours<T: Real>(n: usize, a: *const u8, b: *const u8, out: *mut u8) {
    // SAFETY: the caller promises n elements behind each and room for one.
    unsafe {
        let (a, b) = (std::slice::from_raw_parts(a as *const T, n), std::slice::from_raw_parts(b as *const T, n));
        let side = |k: usize| if k < n { a[k] * b[k] } else { T::zero() };
        let four = |k: usize| (side(k) + side(k + 2)) + (side(k + 1) + side(k + 3));
        *(out as *mut T) = if n <= 4 { four(0) } else { four(0) + four(4) };
    }
}
