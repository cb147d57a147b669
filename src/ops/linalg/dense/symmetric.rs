//! Eigenvalues and eigenvectors of a Hermitian matrix, in the signs of `syevd`.

use super::Matrix;
use super::field::{Field, Real};
use super::range::Ranged;
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
    let ranged = Ranged::of_triangle(a, triangle);
    let reduced = tridiagonal::reduce(&ranged.matrix, triangle)?;
    // The imaginary parts, which are zeros, are rotated for their signs, the same in all rows: one stands for them.
    let zeros = usize::from(T::IS_COMPLEX);
    let solved = tridiagonal::solve(&reduced.d, &reduced.e, zeros)?;
    let Some((mut values, inner)) = solved else { return Ok(None) };
    ranged.restore(&mut values);
    let n = values.len();
    let rotated = Matrix::from_fn(n, n, |i, j| {
        let value = T::from_real(inner[(i, j)]);
        if T::IS_COMPLEX && inner[(n, j)].wide().is_sign_negative() { value.conjugate() } else { value }
    });
    let vectors = reduced.apply_q(rotated)?;
    Ok(Some(SymmetricEigen { values, vectors }))
}

/// The eigenvalues alone.
pub fn values<T: Field>(a: &Matrix<T>, triangle: Triangle) -> Result<Option<Vec<T::R>>> {
    let ranged = Ranged::of_triangle(a, triangle);
    let reduced = tridiagonal::reduce(&ranged.matrix, triangle)?;
    let mut values = tridiagonal::values(&reduced.d, &reduced.e)?;
    values.iter_mut().for_each(|values| ranged.restore(values));
    Ok(values)
}
