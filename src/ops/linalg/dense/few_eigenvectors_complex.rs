//! Eigenvectors of a complex matrix of few rows from its Schur form, in the order of LAPACK's `trevc` and of what `geev` does to them.

use super::Matrix;
use super::compiled::Compiled;
use super::field::{Field, Real};
use super::hessenberg::Balance;
use nalgebra::ComplexField;
use num_complex::Complex;

/// Unit eigenvectors as columns, of the matrix that was balanced; the largest entry of each is real. `t` is triangular, and `z` leads
/// from the matrix to it.
pub fn vectors<R: Real + Compiled>(t: &Matrix<Complex<R>>, z: &Matrix<Complex<R>>, balance: &Balance<R>) -> Matrix<Complex<R>>
where
    Complex<R>: Field<R = R>,
{
    let n = t.nrows();
    let mut found = Matrix::zeros(n, n);
    for k in 0..n {
        let inner = triangular(t, k);
        let outer: Vec<_> = (0..n).map(|i| entry(z, i, &inner)).collect();
        let most = outer.iter().fold(R::of(0.0), |most, x| if x.norm1() > most { x.norm1() } else { most });
        let by = R::of(1.0) / most;
        found.set_column(k, &nalgebra::DVector::from_iterator(n, outer.iter().map(|x| x.scale(by))));
    }
    balance.undo(&mut found);
    found.as_mut_slice().chunks_mut(n.max(1)).for_each(unit);
    found
}

/// The eigenvector of the triangular matrix whose last entry is the `k`-th and 1; as long as the matrix.
fn triangular<R: Real + Compiled>(t: &Matrix<Complex<R>>, k: usize) -> Vec<Complex<R>>
where
    Complex<R>: Field<R = R>,
{
    let value = t[(k, k)];
    let smallest = R::TINY * (R::of(t.nrows() as f64) / R::EPSILON);
    let least = (R::EPSILON * value.norm1()).max(smallest);
    let mut x: Vec<Complex<R>> = (0..k).map(|i| -t[(i, k)]).collect();
    x.push(Complex::from_real(R::of(1.0)));
    for j in (0..k).rev() {
        if x[j] == Complex::from_real(R::of(0.0)) {
            continue;
        }
        let apart = t[(j, j)] - value;
        let divisor = if apart.norm1() < least { Complex::from_real(least) } else { apart };
        make_room(&mut x, j, divisor.norm1());
        x[j] = R::quotient(x[j], divisor);
        let by = x[j];
        x[..j].iter_mut().zip(t.column(j).iter()).for_each(|(x, t)| *x -= by * *t);
    }
    x.resize(t.nrows(), Complex::from_real(R::of(0.0)));
    x
}

/// Scales the whole vector down when a division would overflow.
fn make_room<R: Real>(x: &mut [Complex<R>], j: usize, divisor: R)
where
    Complex<R>: Field<R = R>,
{
    let (size, large) = (x[j].norm1(), R::EPSILON / R::TINY);
    if divisor < R::of(1.0) && size > divisor * ComplexField::sqrt(large) {
        x.iter_mut().for_each(|x| *x = x.unscale(size));
    }
}

/// An entry of `z x`. In single precision of four rows or more the four products of parts have sums of their own; in double precision
/// four terms are added up first.
fn entry<R: Real>(z: &Matrix<Complex<R>>, i: usize, x: &[Complex<R>]) -> Complex<R>
where
    Complex<R>: Field<R = R>,
{
    let zero = Complex::from_real(R::of(0.0));
    let terms = z.row(i).iter().copied().zip(x.iter().copied()).collect::<Vec<_>>();
    if size_of::<R>() == 4 && terms.len() >= 4 {
        let mut sums = [R::of(0.0); 4];
        for (z, x) in terms {
            sums = [
                ComplexField::mul_add(z.re, x.re, sums[0]),
                ComplexField::mul_add(z.im, x.im, sums[1]),
                ComplexField::mul_add(z.re, x.im, sums[2]),
                ComplexField::mul_add(z.im, x.re, sums[3]),
            ];
        }
        return Complex::new(sums[0] - sums[1], sums[2] + sums[3]);
    }
    let (fours, rest) = terms.as_chunks::<4>();
    let add = |sum: Complex<R>, (z, x): &(Complex<R>, Complex<R>)| sum + *z * *x;
    let sum = fours.iter().fold(zero, |sum, four| sum + four.iter().fold(zero, add));
    rest.iter().fold(sum, add)
}

/// Makes a vector one of length 1 whose largest entry is real.
fn unit<R: Real + Compiled>(x: &mut [Complex<R>])
where
    Complex<R>: Field<R = R>,
{
    let by = R::of(1.0) / R::length_of(x);
    x.iter_mut().for_each(|x| *x = x.scale(by));
    let square = |x: &Complex<R>| x.re * x.re + x.im * x.im;
    let largest = (1..x.len()).fold(0, |most, i| if square(&x[i]) > square(&x[most]) { i } else { most });
    let turn = x[largest].conjugate().unscale(ComplexField::sqrt(square(&x[largest])));
    x.iter_mut().for_each(|x| *x = turn * *x);
    x[largest].im = R::of(0.0);
}
