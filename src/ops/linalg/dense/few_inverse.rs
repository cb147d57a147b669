//! The inverse of a matrix of few rows whose Cholesky factor is given: that of the factor times its adjoint, as `potri` works.

use super::Matrix;
use super::field::Field;

/// The inverse from L, or from U.
pub fn of_factored<T: Field>(factor: &Matrix<T>, upper: bool) -> Matrix<T> {
    let n = factor.nrows();
    let mut a = factor.clone();
    invert(&mut a, upper);
    for i in 0..n {
        let diagonal = a[(i, i)].real();
        let by = T::from_real(diagonal);
        if i + 1 == n {
            (0..=i).for_each(|j| a[place(upper, i, j)] = a[place(upper, i, j)].scale(diagonal));
            break;
        }
        let squares = (i + 1..n).fold(diagonal * diagonal, |sum, k| sum + a[place(upper, k, i)].modulus_squared());
        a[(i, i)] = T::from_real(squares);
        for j in 0..i {
            a[place(upper, i, j)] = if upper {
                (i + 1..n).fold(by * a[(j, i)], |sum, k| sum + a[(i, k)].conjugate() * a[(j, k)])
            } else {
                let sum = (i + 1..n).fold(T::zero(), |sum, k| sum + a[(k, j)].conjugate() * a[(k, i)]);
                (by * a[(i, j)].conjugate() + sum).conjugate()
            };
        }
    }
    // The other triangle is the adjoint of the one that was found.
    for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
        a[place(!upper, i, j)] = a[place(upper, i, j)].conjugate();
    }
    a
}

/// Entry `(i, j)` of a lower triangle, or of an upper one turned over.
fn place(upper: bool, i: usize, j: usize) -> (usize, usize) {
    if upper { (j, i) } else { (i, j) }
}

/// The inverse of a triangular matrix, in place.
fn invert<T: Field>(a: &mut Matrix<T>, upper: bool) {
    let n = a.nrows();
    for step in 0..n {
        let j = if upper { step } else { n - 1 - step };
        a[(j, j)] = T::one().over(a[(j, j)]);
        let by = -a[(j, j)];
        let rows = if upper { 0..j } else { j + 1..n };
        let order: Vec<usize> = if upper { rows.clone().collect() } else { rows.clone().rev().collect() };
        for k in order {
            let known = a[(k, j)];
            for i in if upper { 0..k } else { k + 1..n } {
                let term = known * a[(i, k)];
                a[(i, j)] += term;
            }
            a[(k, j)] = known * a[(k, k)];
        }
        rows.for_each(|i| a[(i, j)] *= by);
    }
}
