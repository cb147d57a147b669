//! The Cholesky decomposition `A = L Lᴴ` of a Hermitian positive-definite matrix.

use super::Matrix;
use super::field::{Field, Real};
use crate::interrupt;
use crate::kernel::blas::{Block, subtract_product, subtract_scaled};
use anyhow::Result;
use nalgebra::ComplexField;
use std::cmp::Ordering;

/// Columns that are factored before the ones to their right take notice.
const PANEL: usize = 32;

/// L, read from the lower triangle; or, for a matrix that is not positive-definite, the order of the first leading minor that
/// is not, counted from 1, with what was done until there.
pub fn factor<T: Field>(a: &Matrix<T>) -> Result<(Matrix<T>, Option<usize>)> {
    let n = a.nrows();
    let mut l = a.lower_triangle();
    let width = if n < 2 * PANEL { n } else { PANEL };
    for first in (0..n).step_by(width.max(1)) {
        let end = (first + width).min(n);
        for k in first..end {
            interrupt::check()?;
            let pivot = l[(k, k)].real();
            // Neither positive nor negative: nan.
            if pivot.partial_cmp(&T::R::of(0.0)) != Some(Ordering::Greater) {
                return Ok((l.lower_triangle(), Some(k + 1)));
            }
            let root = pivot.sqrt();
            l[(k, k)] = T::from_real(root);
            let (left, right) = l.as_mut_slice().split_at_mut((k + 1) * n);
            let column = &mut left[k * n + k + 1..];
            column.iter_mut().for_each(|x| *x = x.unscale(root));
            for (j, factor) in column.iter().enumerate().take(end - k - 1) {
                let by = factor.conjugate();
                let target = &mut right[j * n + k + 1 + j..(j + 1) * n];
                subtract_scaled(target, &column[j..], by);
            }
        }
        follow(&mut l, first, end);
    }
    Ok((if width < n { l.lower_triangle() } else { l }, None))
}

/// Does to the columns from `end` on what was done to columns `first..end`; above the diagonal there is no care.
fn follow<T: Field>(l: &mut Matrix<T>, first: usize, end: usize) {
    let n = l.nrows();
    let (left, right) = l.as_mut_slice().split_at_mut(end * n);
    for j in (end..n).step_by(4 * PANEL) {
        let width = (4 * PANEL).min(n - j);
        let below = Block { cells: &left[first * n + j..], row: 1, column: n };
        let beside = Block { cells: &left[first * n + j..], row: n, column: 1 };
        subtract_product((&mut right[(j - end) * n + j..], n), below, beside, T::IS_COMPLEX, (n - j, width, end - first));
    }
}
