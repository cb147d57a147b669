//! Decompositions of one dense matrix, with LAPACK's conventions: the signs of its reflections and rotations, its pivots and
//! the order of its results. PyTorch prints what LAPACK gives, so these conventions are what a user sees.
//!
//! Pure arithmetic on [`nalgebra::DMatrix`]; tensors and batches are the business of the parent.

pub mod bidiagonal;
pub mod cholesky;
pub mod eigen;
pub mod eigenvectors;
pub mod field;
pub mod hessenberg;
pub mod indefinite;
pub mod lu;
pub mod qr;
pub mod reflector;
pub mod rotation;
pub mod schur_complex;
pub mod schur_real;
pub mod svd;
pub mod symmetric;
pub mod triangular;
pub mod tridiagonal;

pub use field::{Field, Real};

/// A matrix, column by column.
pub type Matrix<T> = nalgebra::DMatrix<T>;

#[cfg(test)]
mod tests {
    use super::triangular::{Shape, solve};
    use super::{Matrix, cholesky, lu};

    /// Entries between 0 and 1 without a pattern.
    fn scattered(rows: usize, columns: usize) -> Matrix<f64> {
        Matrix::from_fn(rows, columns, |i, j| ((i * 131 + j * 71 + 7) as f64 * 0.618_033_988_749).fract())
    }

    fn near(a: &Matrix<f64>, b: &Matrix<f64>) {
        assert_eq!(a.shape(), b.shape());
        assert!((a - b).amax() < 1e-9, "{}", (a - b).amax());
    }

    #[test]
    fn matrices_of_several_panels_are_their_factors_product() {
        for (m, n) in [(150, 150), (90, 200), (200, 90), (63, 65)] {
            let a = scattered(m, n) + Matrix::from_fn(m, n, |i, j| ((i * i + 3 * j) as f64).sin());
            let factors = lu::factor(a.clone()).unwrap();
            let order = factors.order();
            near(&(factors.l() * factors.u()), &Matrix::from_fn(m, n, |i, j| a[(order[i], j)]));
            assert!(factors.l().amax() <= 1.0);
        }
        let a = scattered(170, 170);
        let square = &a * a.transpose() + Matrix::identity(170, 170) * 170.0;
        let (l, minor) = cholesky::factor(&square).unwrap();
        assert_eq!((minor, &l), (None, &l.lower_triangle()));
        near(&(&l * l.transpose()), &square);
    }

    #[test]
    fn systems_of_several_panels_are_solved() {
        let a = scattered(170, 170) + Matrix::identity(170, 170) * 200.0;
        let b = scattered(170, 9);
        for (upper, triangle) in [(false, a.lower_triangle()), (true, a.upper_triangle())] {
            let mut x = b.clone();
            solve(&a, &mut x, Shape { upper, unit: false }).unwrap();
            near(&(triangle * x), &b);
        }
    }
}
