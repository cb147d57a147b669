//! Eigenvalues and eigenvectors of a Hermitian matrix, in the signs of `syevd`.

use super::Matrix;
use super::field::Field;
use super::tridiagonal::{self, Triangle};
use anyhow::Result;

/// Real eigenvalues, ascending, and unit eigenvectors as columns.
pub struct SymmetricEigen<T: Field> {
    /// Ascending.
    pub values: Vec<T::R>,
    /// One column per value.
    pub vectors: Matrix<T>,
}

/// Solves the problem, reading one triangle. None when the iteration does not converge.
pub fn eigen<T: Field>(a: &Matrix<T>, triangle: Triangle) -> Result<Option<SymmetricEigen<T>>> {
    let reduced = tridiagonal::reduce(a, triangle)?;
    let solved = tridiagonal::solve(&reduced.d, &reduced.e)?;
    let Some((values, inner)) = solved else { return Ok(None) };
    Ok(Some(SymmetricEigen { values, vectors: reduced.apply_q(inner.map(T::from_real))? }))
}

/// The eigenvalues alone.
pub fn values<T: Field>(a: &Matrix<T>, triangle: Triangle) -> Result<Option<Vec<T::R>>> {
    let reduced = tridiagonal::reduce(a, triangle)?;
    tridiagonal::values(&reduced.d, &reduced.e)
}
