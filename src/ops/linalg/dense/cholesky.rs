//! The Cholesky decomposition `A = L Lᴴ` of a Hermitian positive-definite matrix.

use super::Matrix;
use super::field::{Field, Real};
use crate::interrupt;
use anyhow::Result;
use nalgebra::ComplexField;
use std::cmp::Ordering;

/// L, read from the lower triangle; or, for a matrix that is not positive-definite, the order of the first leading minor that
/// is not, counted from 1, with what was done until there.
pub fn factor<T: Field>(a: &Matrix<T>) -> Result<(Matrix<T>, Option<usize>)> {
    let n = a.nrows();
    let mut l = a.lower_triangle();
    for k in 0..n {
        interrupt::check()?;
        let pivot = l[(k, k)].real();
        // Neither positive nor negative: nan.
        if pivot.partial_cmp(&T::R::of(0.0)) != Some(Ordering::Greater) {
            return Ok((l, Some(k + 1)));
        }
        let root = pivot.sqrt();
        l[(k, k)] = T::from_real(root);
        let (left, right) = l.as_mut_slice().split_at_mut((k + 1) * n);
        let column = &mut left[k * n + k + 1..];
        column.iter_mut().for_each(|x| *x = x.unscale(root));
        for (j, factor) in column.iter().enumerate() {
            let by = factor.conjugate();
            let target = &mut right[j * n + k + 1 + j..(j + 1) * n];
            target.iter_mut().zip(&column[j..]).for_each(|(x, l)| *x -= *l * by);
        }
    }
    Ok((l, None))
}
