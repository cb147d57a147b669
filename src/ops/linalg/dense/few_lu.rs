//! The LU decomposition of a complex matrix of few rows and columns, with the roundings of the library behind PyTorch: each shape has
//! loops of its own, in which the halves of a product are rounded or not.

use super::Matrix;
use super::field::Field;
use super::lu::{Lu, largest};
use super::parts::Kept;
use crate::kernel::follows_intel;

/// Rows and columns up to which the roundings are known: on AMD's processors, where everything is rounded, to more.
pub fn most() -> usize {
    if follows_intel() { 8 } else { 16 }
}

/// Factors a matrix.
pub fn factor<T: Field>(mut a: Matrix<T>) -> Lu<T> {
    let shape @ (m, n) = a.shape();
    let (mut pivots, mut zero) = (vec![], None);
    for k in 0..m.min(n) {
        let chosen = largest(&a.as_slice()[k * m + k..(k + 1) * m]) + k;
        pivots.push(chosen);
        if a[(chosen, k)] == T::zero() {
            zero = zero.or(Some(k));
        } else {
            a.swap_rows(k, chosen);
            let inverse = a[(k, k)].reciprocal(size_of::<T>() == 16 || is_unrolled(shape));
            let kept = if is_unrolled(shape) { Kept::OfReal } else { Kept::ByReal };
            (k + 1..m).for_each(|i| a[(i, k)] = a[(i, k)].times(inverse, kept));
        }
        for (i, j) in (k + 1..n).flat_map(|j| (k + 1..m).map(move |i| (i, j))) {
            a[(i, j)] = a[(i, j)].less(a[(i, k)], a[(k, j)], kept::<T>(shape, k, (i, j)));
        }
    }
    Lu { packed: a, pivots, zero }
}

/// Square matrices of two to four rows have loops that are written out.
fn is_unrolled((m, n): (usize, usize)) -> bool {
    m == n && (2..=4).contains(&m)
}

/// What step `k` keeps of a product that it subtracts from an entry.
fn kept<T: Field>(shape @ (m, n): (usize, usize), k: usize, (i, j): (usize, usize)) -> Option<Kept> {
    if !follows_intel() {
        return None;
    }
    let single = size_of::<T>() == 8;
    if is_unrolled(shape) {
        return match (m, single, k, j) {
            (2, ..) | (3, true, 1, _) | (3, false, 0, 1) | (4, true, 2, _) | (4, false, 1, 2) => Some(Kept::ByImaginary),
            (4, true, 0, 1) if i == 2 => Some(Kept::OfImaginary),
            (4, true, 0, 1) => Some(Kept::ByImaginary),
            _ => None,
        };
    }
    match single || m != n && (i - k).is_multiple_of(2) {
        true => Some(Kept::OfImaginary),
        false => None,
    }
}
