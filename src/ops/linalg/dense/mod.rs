//! Decompositions of one dense matrix, with LAPACK's conventions: the signs of its reflections and rotations, its pivots and
//! the order of its results. PyTorch prints what LAPACK gives, so these conventions are what a user sees.
//!
//! Pure arithmetic on [`nalgebra::DMatrix`]; tensors and batches are the business of the parent.

pub mod bidiagonal;
pub mod cholesky;
pub mod compiled;
pub mod divide_bidiagonal;
pub mod divide_symmetric;
pub mod eigen;
pub mod eigenvectors;
pub mod few;
pub mod few_cholesky;
pub mod few_cholesky_complex;
pub mod few_complex;
pub mod few_double;
pub mod few_eigenvectors;
pub mod few_eigenvectors_complex;
pub mod few_inverse;
pub mod few_lu;
pub mod few_pairs;
pub mod few_qr;
pub mod few_real;
pub mod few_sides;
pub mod few_svd;
pub mod few_transposed;
pub mod few_trapezoid;
pub mod few_triangles;
pub mod few_tridiagonal;
pub mod few_tridiagonal_complex;
pub mod few_unknowns;
pub mod field;
pub mod halves;
pub mod hessenberg;
pub mod indefinite;
pub mod lu;
pub mod parts;
pub mod pivoted;
pub mod qr;
pub mod quotient_shift;
pub mod quotients;
pub mod range;
pub mod reflections;
pub mod reflector;
pub mod rotation;
pub mod schur_complex;
pub mod schur_real;
pub mod secular;
pub mod small;
pub mod svd;
pub mod symmetric;
pub mod triangular;
pub mod tridiagonal;

pub use field::{Field, Real};

use crate::kernel::blas::transposed;

/// A matrix, column by column.
pub type Matrix<T> = nalgebra::DMatrix<T>;

/// The transpose.
pub fn transpose<T: Field>(m: &Matrix<T>) -> Matrix<T> {
    Matrix::from_vec(m.ncols(), m.nrows(), transposed(m.as_slice(), m.nrows(), m.ncols()))
}

/// The conjugate of the transpose.
pub fn adjoint<T: Field>(m: &Matrix<T>) -> Matrix<T> {
    let mut turned = transpose(m);
    if T::IS_COMPLEX {
        turned.apply(|x| *x = x.conjugate());
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::triangular::{Shape, solve};
    use super::tridiagonal::Triangle;
    use super::{Matrix, cholesky, eigen::Eigenproblem, lu, qr, svd, symmetric};
    use num_complex::Complex;

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
        let (l, minor) = cholesky::factor(square.clone()).unwrap();
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

    /// Entries without a pattern, of a matrix that is far from singular.
    fn general(rows: usize, columns: usize) -> Matrix<f64> {
        scattered(rows, columns) + Matrix::from_fn(rows, columns, |i, j| ((i * i + 3 * j) as f64).sin())
    }

    #[test]
    fn reflections_in_groups_are_the_product_of_all() {
        for (m, n) in [(70, 70), (150, 60), (60, 150), (100, 33), (20, 20)] {
            let a = general(m, n);
            let factored = qr::factor(a.clone()).unwrap();
            let (q, r) = (factored.q(m).unwrap(), factored.r(m));
            near(&(&q * &r), &a);
            near(&(q.transpose() * &q), &Matrix::identity(m, m));
            near(&factored.q(m.min(n)).unwrap(), &q.columns(0, m.min(n)).into_owned());
            let mut product = general(m, 12);
            factored.apply_q_adjoint(&mut product).unwrap();
            near(&product, &(q.transpose() * general(m, 12)));
            factored.apply_q(&mut product).unwrap();
            near(&product, &general(m, 12));
        }
    }

    #[test]
    fn eigenvalues_alone_are_found_at_any_size() {
        for scale in [1e-200_f64, 1.0, 1e200] {
            let a = Matrix::from_fn(9, 9, |i, j| if i.abs_diff(j) == 1 { scale } else { 0.0 });
            let found = symmetric::values(&a, Triangle::Lower).unwrap().unwrap();
            for (k, value) in found.iter().enumerate() {
                let known = -2.0 * ((k + 1) as f64 * std::f64::consts::PI / 10.0).cos();
                assert!((value / scale - known).abs() < 1e-14, "{value} {known}");
            }
        }
        let zero = symmetric::values(&Matrix::<f64>::zeros(3, 3), Triangle::Lower).unwrap();
        assert_eq!(zero, Some(vec![0.0; 3]));
    }

    #[test]
    fn many_rotations_give_singular_and_eigenvectors() {
        for (m, n) in [(70, 70), (90, 70), (70, 90), (200, 40)] {
            let a = general(m, n);
            let found = svd::svd(&a, false).unwrap().unwrap();
            let s = Matrix::from_diagonal(&nalgebra::DVector::from_vec(found.s));
            near(&(&found.u * s * &found.vh), &a);
            near(&(found.u.transpose() * &found.u), &Matrix::identity(found.u.ncols(), found.u.ncols()));
        }
        let symmetric = general(75, 75) + general(75, 75).transpose();
        for triangle in [Triangle::Lower, Triangle::Upper] {
            let found = symmetric::eigen(&symmetric, triangle).unwrap().unwrap();
            let values = Matrix::from_diagonal(&nalgebra::DVector::from_vec(found.values.clone()));
            near(&(&symmetric * &found.vectors), &(&found.vectors * values));
            let alone = symmetric::values(&symmetric, triangle).unwrap().unwrap();
            assert!(alone.iter().zip(&found.values).all(|(a, b)| (a - b).abs() < 1e-9), "the same values without vectors");
        }
        let both =
            |m: usize, n: usize| Matrix::from_fn(m, n, |i, j| Complex::new(general(m, n)[(i, j)], (i * j) as f64 / 400.0 - 0.5));
        let hermitian = both(37, 37) + both(37, 37).adjoint();
        for triangle in [Triangle::Lower, Triangle::Upper] {
            let found = symmetric::eigen(&hermitian, triangle).unwrap().unwrap();
            let values = nalgebra::DVector::from_vec(found.values).map(Complex::from);
            let left = &hermitian * &found.vectors - &found.vectors * Matrix::from_diagonal(&values);
            assert!(left.iter().all(|x| x.norm() < 1e-9));
        }
        for (m, n) in [(41, 30), (30, 41), (33, 33)] {
            let found = svd::svd(&both(m, n), false).unwrap().unwrap();
            let s = nalgebra::DVector::from_vec(found.s).map(Complex::from);
            let left = &found.u * Matrix::from_diagonal(&s) * &found.vh - both(m, n);
            assert!(left.iter().all(|x| x.norm() < 1e-9));
        }
    }

    #[test]
    fn general_matrices_are_their_eigenvectors_times_values_with_rows_that_stand_alone_too() {
        let alone = Matrix::from_fn(90, 90, |i, j| if (i > 80 || j < 4) && i != j { 0.0 } else { general(90, 90)[(i, j)] });
        for a in [general(50, 50), general(140, 140), alone] {
            let found = f64::eigen(a.clone(), true).unwrap().unwrap();
            let (left, mut right) = (a.map(Complex::from) * &found.vectors, found.vectors.clone());
            for (mut column, value) in right.column_iter_mut().zip(&found.values) {
                column *= *value;
            }
            assert!((left - right).iter().all(|x| x.norm() < 1e-9));
            let values = f64::eigen(a.clone(), false).unwrap().unwrap().values;
            let is_there = |value: &Complex<f64>| found.values.iter().any(|x| (x - value).norm() < 1e-9);
            assert!(values.len() == a.nrows() && values.iter().all(is_there), "the same values without vectors");
            let both = a.map(|x| Complex::new(x, (3.0 * x).sin()));
            let (found, alone) = (Complex::eigen(both.clone(), true), Complex::eigen(both.clone(), false));
            let (found, alone) = (found.unwrap().unwrap(), alone.unwrap().unwrap());
            let right = &found.vectors * Matrix::from_diagonal(&nalgebra::DVector::from_vec(found.values.clone()));
            assert!((&both * &found.vectors - right).iter().all(|x| x.norm() < 1e-9));
            assert!(alone.values.iter().all(|value| found.values.iter().any(|x| (x - value).norm() < 1e-9)));
        }
    }

    #[test]
    fn inverses_are_inverses_at_all_sizes() {
        for n in [1, 5, 63, 64, 65, 150, 200] {
            let a = general(n, n) + Matrix::identity(n, n) * 3.0;
            near(&(&a * lu::factor(a.clone()).unwrap().inverse().unwrap()), &Matrix::identity(n, n));
            let both = a.map(|x| Complex::new(x, (5.0 * x).sin()));
            let product = &both * lu::factor(both.clone()).unwrap().inverse().unwrap();
            assert!((product - Matrix::identity(n, n)).iter().all(|x| x.norm() < 1e-9));
        }
    }
}
