//! Eigenvectors of a real matrix of few rows from its Schur form, in the order of LAPACK's `trevc`: real arithmetic throughout, with
//! the vectors of a complex pair as a column of real and one of imaginary parts.

use super::Matrix;
use super::few_double;
use super::few_pairs::{self, quotient};
use super::field::Real;
use super::hessenberg::Balance;
use super::rotation::hypotenuse;
use super::small::norm_scaled;
use crate::kernel::blas::less;
use num_complex::Complex;
use std::ops::Range;

/// A Schur form, the matrix that leads to it, and its eigenvalues.
pub struct Schur<'a, R: Real> {
    pub t: &'a Matrix<R>,
    pub z: &'a Matrix<R>,
    pub values: &'a [Complex<R>],
}

/// Real and imaginary parts of a vector in work; the first alone of a real one.
type Parts<R> = Vec<Vec<R>>;

impl<R: Real> Schur<'_, R> {
    /// Unit eigenvectors as columns, of the matrix that was balanced.
    pub fn vectors(&self, balance: &Balance<R>) -> Matrix<Complex<R>> {
        let (n, zero) = (self.t.nrows(), R::of(0.0));
        let mut found = Matrix::from_element(n, n, Complex::new(zero, zero));
        let mut k = 0;
        while k < n {
            let is_pair = self.values[k].im != zero;
            let parts = if is_pair { self.pair(k) } else { self.single(k) };
            let mut columns = Matrix::from_columns(&parts.into_iter().map(nalgebra::DVector::from_vec).collect::<Vec<_>>());
            balance.undo(&mut columns);
            if is_pair {
                let unit = unit_pair(&columns);
                found.set_column(k, &unit);
                found.set_column(k + 1, &unit.conjugate());
            } else {
                let by = R::of(1.0) / norm(columns.as_slice());
                found.set_column(k, &nalgebra::DVector::from_iterator(n, columns.iter().map(|x| Complex::new(*x * by, zero))));
            }
            k += 1 + usize::from(is_pair);
        }
        found
    }

    /// Differences of eigenvalues are kept away from zero by this much.
    fn least(&self, value: Complex<R>) -> R {
        let smallest = R::TINY * (R::of(self.t.nrows() as f64) / R::EPSILON);
        let size = R::EPSILON * (value.re.abs() + value.im.abs());
        if size > smallest { size } else { smallest }
    }

    /// The vector of a real eigenvalue, 1 at its place in the Schur form.
    fn single(&self, k: usize) -> Parts<R> {
        let mut x: Vec<R> = (0..k).map(|i| -self.t[(i, k)]).chain([R::of(1.0)]).collect();
        self.substitute(std::slice::from_mut(&mut x), k, self.values[k]);
        largest_one(vec![self.carried(&x, k, k)])
    }

    /// The vector of a pair, for the eigenvalue above the real axis.
    fn pair(&self, k: usize) -> Parts<R> {
        let (one, zero) = (R::of(1.0), R::of(0.0));
        let (t, value) = (self.t, self.values[k]);
        let (above, below) = (t[(k, k + 1)], t[(k + 1, k)]);
        let (first, second) = if above.abs() >= below.abs() { (one, value.im / above) } else { (-value.im / below, one) };
        let column = |by: R, j: usize| (0..k).map(move |i| -by * t[(i, j)]);
        let mut x = [column(first, k).chain([first, zero]).collect(), column(second, k + 1).chain([zero, second]).collect()];
        self.substitute(&mut x, k, value);
        largest_one(vec![self.carried(&x[0], k, k), self.carried(&x[1], k, k + 1)])
    }

    /// Solves `(T - value) x = x` for the first `count` entries, from the last one up.
    fn substitute(&self, parts: &mut [Vec<R>], count: usize, value: Complex<R>) {
        let (t, zero) = (self.t, R::of(0.0));
        let mut end = count;
        while end > 0 {
            let is_pair = end > 1 && t[(end - 1, end - 2)] != zero;
            let first = end - 1 - usize::from(is_pair);
            if is_pair {
                self.solve_pair(parts, first, value);
            } else {
                self.solve_single(parts, first, value);
            }
            self.leave_room(parts, first..end);
            for x in parts.iter_mut() {
                for j in first..end {
                    let by = -x[j];
                    (0..first).for_each(|i| x[i] = x[i].plus(by, t[(i, j)]));
                }
            }
            end = first;
        }
    }

    /// Divides by what is on the diagonal, after the whole vector was made smaller where the quotient would have no number.
    fn solve_single(&self, parts: &mut [Vec<R>], row: usize, value: Complex<R>) {
        let imaginary = if parts.len() > 1 { -value.im } else { R::of(0.0) };
        let divisor = few_pairs::away_from_zero([self.t[(row, row)] - value.re, imaginary], self.least(value));
        let size = |[re, im]: [R; 2]| re.abs() + im.abs();
        let (one, large) = (R::of(1.0), R::of(0.5) / R::TINY);
        let right = parts.iter().fold(R::of(0.0), |sum, x| sum + x[row].abs());
        if size(divisor) < one && right > one && right > large * size(divisor) {
            scale(parts, one / right);
        }
        if let [re, im] = parts {
            [re[row], im[row]] = quotient([re[row], im[row]], divisor);
        } else {
            parts[0][row] /= divisor[0];
        }
    }

    /// Solves for two entries; of a smaller vector where they would have no numbers.
    fn solve_pair(&self, parts: &mut [Vec<R>], first: usize, value: Complex<R>) {
        let t = |i: usize, j: usize| self.t[(first + i, first + j)];
        let block = [t(0, 0), t(1, 0), t(0, 1), t(1, 1)];
        let mut before = parts.to_vec();
        few_pairs::solve(block, value, self.least(value), parts, first);
        if parts.iter().any(|x| !(x[first] + x[first + 1]).is_finite()) {
            let by = R::of(1.0) / largest(&before, 0..first + 2);
            scale(&mut before, by);
            parts.clone_from_slice(&before);
            few_pairs::solve(block, value, self.least(value), parts, first);
        }
    }

    /// Makes a vector smaller where what entries that were found add to the others would have no number.
    fn leave_room(&self, parts: &mut [Vec<R>], found: Range<usize>) {
        let size = largest(parts, found.clone());
        let column = |j: usize| (0..found.start).fold(R::of(0.0), |sum, i| sum + self.t[(i, j)].abs());
        let most = found.clone().map(column).fold(R::of(0.0), |most, x| if x > most { x } else { most });
        let large = R::EPSILON / (R::TINY * R::of(self.t.nrows() as f64));
        if size > R::of(1.0) && most > large / size {
            scale(parts, R::of(1.0) / size);
        }
    }

    /// The first `count` entries of a vector carried back, and after them its own one.
    fn carried(&self, x: &[R], count: usize, own: usize) -> Vec<R> {
        let entry = |i: usize| {
            let before = |start: R| (0..count).fold(start, |sum, j| sum.plus(self.z[(i, j)], x[j]));
            match few_double::takes::<R>(self.z.nrows()) {
                true => before(x[own] * self.z[(i, own)]),
                false => before(R::of(0.0)).plus(x[own], self.z[(i, own)]),
            }
        };
        (0..self.z.nrows()).map(entry).collect()
    }
}

/// Multiplies a whole vector.
fn scale<R: Real>(parts: &mut [Vec<R>], by: R) {
    parts.iter_mut().flatten().for_each(|x| *x *= by);
}

/// The largest size of some entries of either part.
fn largest<R: Real>(parts: &[Vec<R>], entries: Range<usize>) -> R {
    parts.iter().flat_map(|x| &x[entries.clone()]).fold(R::of(0.0), |most, x| if x.abs() > most { x.abs() } else { most })
}

/// Scales a vector so that its largest entry has the size 1.
fn largest_one<R: Real>(mut parts: Parts<R>) -> Parts<R> {
    let size = |i: usize| parts.iter().fold(R::of(0.0), |sum, x| sum + x[i].abs());
    let most = (0..parts[0].len()).map(size).fold(R::of(0.0), |most, x| if x > most { x } else { most });
    let by = R::of(1.0) / most;
    scale(&mut parts, by);
    parts
}

/// The norm, of single precision from squares of twice the digits.
fn norm<R: Real>(x: &[R]) -> R {
    match size_of::<R>() {
        4 => R::of(x.iter().map(|x| x.wide() * x.wide()).sum::<f64>().sqrt()),
        _ if few_double::takes::<R>(x.len()) => norm_scaled(x),
        _ => R::norm(x),
    }
}

/// A complex vector of length 1 whose largest entry is real.
fn unit_pair<R: Real>(columns: &Matrix<R>) -> nalgebra::DVector<Complex<R>> {
    let n = columns.nrows();
    let (re, im) = columns.as_slice().split_at(n);
    let by = R::of(1.0) / hypotenuse(norm(re), norm(im));
    let scaled: Vec<[R; 2]> = re.iter().zip(im).map(|(re, im)| [*re * by, *im * by]).collect();
    let size = |[re, im]: [R; 2]| re * re + im * im;
    let largest = (1..n).fold(0, |most, i| if size(scaled[i]) > size(scaled[most]) { i } else { most });
    let turn = R::pair_rotation(scaled[largest][0], scaled[largest][1]);
    let rotate = |[re, im]: &[R; 2]| Complex::new(less(turn.c * *re, -*im, turn.s), less(-(turn.s * *re), -*im, turn.c));
    let turned = scaled.iter().map(rotate);
    let mut unit = nalgebra::DVector::from_iterator(n, turned);
    unit[largest].im = R::of(0.0);
    unit
}
