//! Eigenvectors of a (quasi-)triangular matrix, carried back to the matrix it came from (`trevc`).

use super::Matrix;
use super::field::{Field, Real};
use super::reflections::whole;
use crate::kernel::blas::{subtract_product, subtract_scaled};
use nalgebra::ComplexField;
use num_complex::Complex;

/// A triangular system that eigenvectors are found in: 1x1 blocks, and 2x2 blocks of complex pairs.
pub struct Triangular<'a, R: Real>
where
    Complex<R>: Field<R = R>,
{
    t: &'a Matrix<Complex<R>>,
    /// Divisors are kept away from zero by this much.
    least: R,
}

/// The eigenvectors of quasi-triangular `t`, as columns of `z x`, each of largest entry 1.
pub fn vectors<R: Real>(t: &Matrix<Complex<R>>, z: &Matrix<Complex<R>>, values: &[Complex<R>]) -> Matrix<Complex<R>>
where
    Complex<R>: Field<R = R>,
{
    let n = t.nrows();
    let mut inner = Matrix::zeros(n, n);
    let mut pairs = vec![];
    let smallest = R::TINY * R::of(n as f64) / R::EPSILON;
    let mut k = 0;
    while k < n {
        let least = (R::EPSILON * values[k].norm1()).max(smallest);
        let system = Triangular { t, least };
        let pair = k + 1 < n && system.is_pair(k);
        let x = if pair { system.pair_vector(k, values[k]) } else { system.vector(k, values[k]) };
        inner.as_mut_slice()[k * n..][..x.len()].copy_from_slice(&x);
        pairs.extend(pair.then_some(k));
        k += 1 + usize::from(pair);
    }
    let mut out = Matrix::zeros(n, n);
    subtract_product((out.as_mut_slice(), n), whole(z), whole(&inner), false, (n, n, n));
    for mut column in out.column_iter_mut() {
        let most = column.iter().fold(R::of(0.0), |m, v| m.max(v.norm1()));
        // Less than zero and not negated: zeros stay positive.
        column.iter_mut().for_each(|v| *v = Complex::from_real(R::of(0.0)) - v.unscale(most));
    }
    for k in pairs {
        let mirrored = out.column(k).conjugate();
        out.set_column(k + 1, &mirrored);
    }
    out
}

impl<R: Real> Triangular<'_, R>
where
    Complex<R>: Field<R = R>,
{
    fn is_pair(&self, k: usize) -> bool {
        self.t[(k + 1, k)].norm1() != R::of(0.0)
    }

    /// The eigenvector of a 1x1 block: 1 at its place.
    fn vector(&self, k: usize, value: Complex<R>) -> Vec<Complex<R>> {
        let mut x: Vec<Complex<R>> = (0..k).map(|i| -self.t[(i, k)]).collect();
        x.push(Complex::from_real(R::of(1.0)));
        self.substitute(&mut x, k, value);
        x
    }

    /// The eigenvector of a 2x2 block for its eigenvalue above the real axis.
    fn pair_vector(&self, k: usize, value: Complex<R>) -> Vec<Complex<R>> {
        let (above, below) = (self.t[(k, k + 1)].real(), self.t[(k + 1, k)].real());
        let (first, second) = if above.abs() >= below.abs() {
            (Complex::from_real(R::of(1.0)), Complex::new(R::of(0.0), value.im / above))
        } else {
            (Complex::from_real(-value.im / below), Complex::new(R::of(0.0), R::of(1.0)))
        };
        let mut x: Vec<Complex<R>> = (0..k).map(|i| -(self.t[(i, k)] * first + self.t[(i, k + 1)] * second)).collect();
        x.extend([first, second]);
        self.substitute(&mut x, k, value);
        x
    }

    /// Solves `(T - value) x = x` for the first `count` entries, from the last one up.
    fn substitute(&self, x: &mut [Complex<R>], count: usize, value: Complex<R>) {
        let mut end = count;
        while end > 0 {
            let pair = end > 1 && self.is_pair(end - 2);
            let first = end - 1 - usize::from(pair);
            if pair {
                self.solve_pair(x, first, value);
            } else {
                let divisor = self.away_from_zero(self.t[(first, first)] - value);
                self.make_room(x, x[first].norm1(), divisor.norm1());
                x[first] = x[first].over(divisor);
            }
            for j in first..end {
                let by = x[j];
                subtract_scaled(&mut x[..first], &self.t.as_slice()[j * self.t.nrows()..][..first], by);
            }
            end = first;
        }
    }

    fn away_from_zero(&self, divisor: Complex<R>) -> Complex<R> {
        if divisor.norm1() < self.least { Complex::from_real(self.least) } else { divisor }
    }

    /// Scales the whole vector down when a division would overflow.
    fn make_room(&self, x: &mut [Complex<R>], size: R, divisor: R) {
        let large = R::EPSILON / R::TINY;
        if divisor < R::of(1.0) && size > divisor * large.sqrt() {
            x.iter_mut().for_each(|v| *v = v.unscale(size));
        }
    }

    /// Solves a 2x2 block by elimination, the larger entry of its first column as pivot.
    fn solve_pair(&self, x: &mut [Complex<R>], k: usize, value: Complex<R>) {
        let t = |i: usize, j: usize| self.t[(k + i, k + j)] - if i == j { value } else { Complex::from_real(R::of(0.0)) };
        let swap = t(1, 0).norm1() > t(0, 0).norm1();
        let (p, q) = if swap { (1, 0) } else { (0, 1) };
        let pivot = self.away_from_zero(t(p, 0));
        let factor = t(q, 0).over(pivot);
        let divisor = self.away_from_zero(t(q, 1) - factor * t(p, 1));
        self.make_room(x, x[k].norm1().max(x[k + 1].norm1()), divisor.norm1());
        let (first, second) = (x[k + p], x[k + q]);
        x[k + 1] = (second - factor * first).over(divisor);
        x[k] = (first - t(p, 1) * x[k + 1]).over(pivot);
    }
}
