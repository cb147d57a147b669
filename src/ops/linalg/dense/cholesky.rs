//! The Cholesky decomposition `A = L Lᴴ` of a Hermitian positive-definite matrix.

use super::field::{Field, Real};
use super::{Matrix, few_cholesky};
use crate::interrupt;
use crate::kernel::blas::{Block, subtract_product, subtract_scaled_of};
use anyhow::Result;
use nalgebra::ComplexField;
use std::cmp::Ordering;

/// Columns that are factored one by one; more are halved.
const NARROW: usize = 8;

/// L, read from the lower triangle; or, for a matrix that is not positive-definite, the order of the first leading minor that
/// is not, counted from 1, with what was done until there.
pub fn factor<T: Field>(mut l: Matrix<T>) -> Result<(Matrix<T>, Option<usize>)> {
    let n = l.nrows();
    let minor = if few_cholesky::takes::<T>(n) { few_cholesky::factor(&mut l) } else { columns(&mut l, 0, n)? };
    l.fill_upper_triangle(T::zero(), 1);
    // The unrolled loops of PyTorch's library leave a negative zero here.
    if T::IS_COMPLEX && (3..=5).contains(&n) && minor != Some(1) {
        l[(1, 1)] = T::from_real(l[(1, 1)].real()).conjugate();
    }
    Ok((l, minor))
}

/// Factors columns `first..end`: the left half, then, when the right half took notice, that. Above the diagonal there is no
/// care. Gives the order of a minor that is not positive-definite.
fn columns<T: Field>(l: &mut Matrix<T>, first: usize, end: usize) -> Result<Option<usize>> {
    interrupt::check()?;
    let n = l.nrows();
    if end - first <= NARROW {
        return Ok((first..end).find(|k| !step(l, *k, end)).map(|k| k + 1));
    }
    let middle = first + ((end - first) / 2).next_multiple_of(NARROW);
    if let Some(order) = columns(l, first, middle)? {
        return Ok(Some(order));
    }
    let (left, right) = l.as_mut_slice().split_at_mut(middle * n);
    for j in (middle..end).step_by(STRIP) {
        let width = STRIP.min(end - j);
        let below = Block { cells: &left[first * n + j..], row: 1, column: n };
        let beside = Block { cells: &left[first * n + j..], row: n, column: 1 };
        subtract_product((&mut right[(j - middle) * n + j..], n), below, beside, T::IS_COMPLEX, (n - j, width, middle - first));
    }
    columns(l, middle, end)
}

/// Columns that take notice together: what they get above the diagonal is work for nothing.
const STRIP: usize = 128;

/// Factors column `k` and subtracts its multiples from the columns up to `end`; false when its pivot is not positive.
fn step<T: Field>(l: &mut Matrix<T>, k: usize, end: usize) -> bool {
    let (n, pivot) = (l.nrows(), l[(k, k)].real());
    // Neither positive nor negative: nan.
    if pivot.partial_cmp(&T::R::of(0.0)) != Some(Ordering::Greater) {
        l[(k, k)] = T::from_real(pivot);
        return false;
    }
    let root = pivot.sqrt();
    l[(k, k)] = T::from_real(root);
    let (left, right) = l.as_mut_slice().split_at_mut((k + 1) * n);
    let column = &mut left[k * n + k + 1..];
    let inverse = T::R::of(1.0) / root;
    column.iter_mut().for_each(|x| *x = x.scale(inverse));
    for (j, factor) in column.iter().enumerate().take(end - k - 1) {
        let target = &mut right[j * n + k + 1 + j..(j + 1) * n];
        subtract_scaled_of(n, target, &column[j..], factor.conjugate());
    }
    true
}
