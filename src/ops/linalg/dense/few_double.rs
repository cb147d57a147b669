//! Steps of `geev` for few rows in double precision on AMD's processors. PyTorch's library has a version of its own for these whose
//! compiler rearranged LAPACK's formulas: sums of quotients became quotients of sums, and quotients products with a reciprocal. The
//! forms were found by comparing what a matrix holds after each step.

use super::few_real::added;
use super::field::{Field, Real};
use super::reflector::{Direction, Reflector, reflector};
use super::rotation::hypotenuse;
use super::schur_real::pair_or_near;
use super::{Matrix, few};
use crate::kernel::follows_intel;
use num_complex::Complex;
use smallvec::smallvec;

/// True for a matrix of real numbers of this many rows that is worked through here.
pub fn takes<T: Field>(rows: usize) -> bool {
    !T::IS_COMPLEX && size_of::<T>() == 8 && few::takes(rows, rows) && !follows_intel()
}

/// Reduces the rows `low..=high` of a matrix to Hessenberg form, in place; gives Q with `A = Q H Qᵀ`.
pub fn reduce<T: Field>(a: &mut Matrix<T>, low: usize, high: usize) -> Matrix<T> {
    let n = a.nrows();
    let mut steps = vec![];
    for i in low..high {
        let (step, beta) = reflector(&a.as_slice()[i * n + i + 1..i * n + high + 1]);
        if step.tau != T::zero() {
            for row in 0..=high {
                let sum = step.v.iter().enumerate().fold(T::zero(), |sum, (k, v)| sum + a[(row, i + 1 + k)] * *v);
                let by = step.tau * sum;
                step.v.iter().enumerate().for_each(|(k, v)| a[(row, i + 1 + k)] -= by * *v);
            }
            a.as_mut_slice().chunks_mut(n).skip(i + 1).for_each(|column| reflect(&step, &mut column[i + 1..=high]));
        }
        a[(i + 1, i)] = T::from_real(beta);
        a.as_mut_slice()[i * n + i + 2..(i + 1) * n].fill(T::zero());
        steps.push(step);
    }
    let mut q = Matrix::identity(n, n);
    for (i, step) in steps.iter().enumerate().rev() {
        let first = low + 1 + i;
        if step.tau != T::zero() {
            q.as_mut_slice().chunks_mut(n).skip(first + 1).for_each(|column| reflect(step, &mut column[first..=high]));
        }
        step.v.iter().enumerate().skip(1).for_each(|(k, v)| q[(first + k, first)] = -step.tau * *v);
        q[(first, first)] = T::one() - step.tau;
    }
    q
}

/// What a reflection does to a column: the sum of products in two lanes, and one that is over at the end.
fn reflect<T: Field>(step: &Reflector<T>, column: &mut [T]) {
    let whole = column.len() / 2 * 2;
    let [even, odd] = added([T::zero(); 2], &column[..whole], &step.v[..whole], |sum, x, v| sum + x * v);
    let sum = column[whole..].iter().zip(&step.v[whole..]).fold(even + odd, |sum, (x, v)| sum + *x * *v);
    let by = step.tau * sum;
    column.iter_mut().zip(&step.v).for_each(|(x, v)| *x -= by * *v);
}

/// The two shifts that a 2x2 matrix gives, row by row: its eigenvalues, a real pair replaced by the one nearer to the corner.
pub fn shifts<R: Real>([h11, h12, h21, h22]: [R; 4]) -> [Complex<R>; 2] {
    let (zero, half) = (R::of(0.0), R::of(0.5));
    let size = (h11.abs() + h21.abs()) + (h12.abs() + h22.abs());
    if size == zero {
        return [Complex::new(zero, zero); 2];
    }
    let by = R::of(1.0) / size;
    let (first, last) = (h11 * by, h22 * by);
    let mean = (first + last) * half;
    let determinant = (first - mean) * (last - mean) - (h12 * h21) / (size * size);
    pair_or_near(mean, determinant, last, size)
}

/// The first column of `(H - s₁)(H - s₂)`, scaled, from the 2x2 corner of `H`, row by row, and the entry below that.
pub fn first_column<R: Real>([h11, h12, h21, h22]: [R; 4], h32: R, [one, two]: [Complex<R>; 2]) -> [R; 3] {
    let size = (h11 - two.re).abs() + (two.im.abs() + h21.abs());
    let by = R::of(1.0) / size;
    let h21 = h21 * by;
    let v = [
        h21 * h12 + ((h11 - one.re) * (h11 - two.re) - one.im * two.im) * by,
        h21 * ((h11 + h22) - (one.re + two.re)),
        h21 * h32,
    ];
    let by = R::of(1.0) / ((v[0].abs() + v[2].abs()) + v[1].abs());
    v.map(|x| x * by)
}

/// The reflection of two or three numbers, and what it makes of the first.
pub fn short_reflector<R: Real>(x: &[R]) -> (Reflector<R>, R) {
    let (zero, one) = (R::of(0.0), R::of(1.0));
    if x[1..].iter().all(|x| *x == zero) {
        let v = std::iter::once(one).chain(x[1..].iter().copied()).collect();
        return (Reflector { tau: zero, v, at: None }, x[0]);
    }
    let most = x.iter().fold(zero, |most, x| if x.abs() > most { x.abs() } else { most });
    let length = match x.iter().map(|x| *x / most).collect::<Direction<R>>()[..] {
        [a, b, c] => most * (a * a + (b * b + c * c)).sqrt(),
        _ => hypotenuse(x[0], x[1]),
    };
    let beta = -length.signed(x[0]);
    let divisor = x[0] - beta;
    let v = match *x {
        [_, second, third] => smallvec![one, second * (one / divisor), third * (one / divisor)],
        _ => smallvec![one, x[1] / divisor],
    };
    (Reflector { tau: (beta - x[0]) / beta, v, at: None }, beta)
}
