//! The QR decomposition that takes the longest column first (`geqp3`), and the rank that `gelsy` reads off it.

use super::field::{Field, Real};
use super::qr::Qr;
use super::reflector::{Reflector, reflector};
use super::{Matrix, few};
use crate::interrupt;
use anyhow::Result;
use nalgebra::ComplexField;

/// The factors, and which column of the matrix each column of R was.
pub fn factor<T: Field>(mut a: Matrix<T>) -> Result<(Qr<T>, Vec<usize>)> {
    let (m, n) = a.shape();
    let mut order: Vec<usize> = (0..n).collect();
    let mut steps = vec![];
    // What is left of each column's norm, and what it was when it was last worked out.
    let mut norms: Vec<[T::R; 2]> = a.column_iter().map(|c| [T::norm(c.as_slice()); 2]).collect();
    for i in 0..m.min(n) {
        interrupt::check()?;
        let longest = (i + 1..n).fold(i, |longest, j| if norms[j][0] > norms[longest][0] { j } else { longest });
        a.swap_columns(i, longest);
        order.swap(i, longest);
        norms.swap(i, longest);
        let at = i * m + i;
        let (step, beta) = reflector(&a.as_slice()[at..(i + 1) * m]);
        let step = Reflector { at: Some(at), ..step };
        if few::takes(m, n) {
            few::change_columns(&step, step.tau.conjugate(), &mut a, i, i + 1..n);
        } else {
            step.apply_left(step.tau.conjugate(), &mut a, i, i + 1..n);
        }
        a[(i, i)] = T::from_real(beta);
        a.as_mut_slice()[at + 1..(i + 1) * m].fill(T::zero());
        steps.push(step);
        for j in i + 1..n {
            norms[j] = shortened(norms[j], a[(i, j)].modulus(), &a.as_slice()[j * m + i + 1..(j + 1) * m]);
        }
    }
    Ok((Qr::new(a, steps), order))
}

/// The norm of a column without an entry of some size: from what it was, or anew from the rest where that has lost its digits.
fn shortened<T: Field>([left, whole]: [T::R; 2], size: T::R, rest: &[T]) -> [T::R; 2] {
    let (zero, one) = (T::R::of(0.0), T::R::of(1.0));
    if left == zero {
        return [left, whole];
    }
    let ratio = size / left;
    let share = if ratio < one { (one + ratio) * (one - ratio) } else { zero };
    let kept = left / whole;
    if share * kept * kept <= ComplexField::sqrt(T::R::EPSILON * T::R::of(0.5)) {
        return [T::norm(rest); 2];
    }
    [left * ComplexField::sqrt(share), whole]
}

/// How many columns count: as long as the estimate of the least singular value is no less than `rcond` times that of the greatest.
pub fn rank<T: Field>(r: &Matrix<T>, rcond: T::R) -> usize {
    let most = r.nrows().min(r.ncols());
    if most == 0 || r[(0, 0)] == T::zero() {
        return 0;
    }
    let size = r[(0, 0)].modulus();
    let [mut least, mut greatest] = [false, true].map(|is_greatest| Estimate { size, vector: vec![T::one()], is_greatest });
    for i in 1..most {
        let column: Vec<T> = (0..i).map(|k| r[(k, i)]).collect();
        let [less, greater] = [&least, &greatest].map(|estimate| estimate.grown(&column, r[(i, i)]));
        if greater.size * rcond > less.size {
            return i;
        }
        (least, greatest) = (less, greater);
    }
    most
}

/// An estimate of the least or greatest singular value of a triangle, with its vector, that grows by a column (`laic1`).
struct Estimate<T: Field> {
    size: T::R,
    vector: Vec<T>,
    is_greatest: bool,
}

impl<T: Field> Estimate<T> {
    /// The estimate with a column more, the last entry of which is on the diagonal.
    fn grown(&self, column: &[T], diagonal: T) -> Estimate<T> {
        let alpha = self.vector.iter().zip(column).fold(T::zero(), |sum, (x, w)| sum + x.conjugate() * *w);
        let (size, sine, cosine) = if self.is_greatest { self.greater(alpha, diagonal) } else { self.less(alpha, diagonal) };
        let vector = self.vector.iter().map(|x| *x * sine).chain([cosine]).collect();
        Estimate { size, vector, is_greatest: self.is_greatest }
    }

    /// True where a number adds nothing to another.
    fn is_nothing(x: T::R, beside: T::R) -> bool {
        x <= T::R::EPSILON * T::R::of(0.5) * beside
    }

    fn greater(&self, alpha: T, gamma: T) -> (T::R, T, T) {
        let (one, zero, two) = (T::one(), T::zero(), T::R::of(2.0));
        let (a, g, size) = (alpha.modulus(), gamma.modulus(), self.size);
        if size == T::R::of(0.0) || Self::is_nothing(size, a) || Self::is_nothing(size, g) {
            return Self::unit(alpha, gamma, |length| length);
        }
        if Self::is_nothing(g, size) {
            return (T::length(T::from_real(size), a), one, zero);
        }
        if Self::is_nothing(a, size) {
            return if g <= size { (size, one, zero) } else { (g, zero, one) };
        }
        let (first, second) = (a / size, g / size);
        let b = (T::R::of(1.0) - first * first - second * second) / two;
        let c = first * first;
        let root = ComplexField::sqrt(b * b + c);
        let t = if b > T::R::of(0.0) { c / (b + root) } else { root - b };
        let (sine, cosine) = (-alpha.unscale(size).unscale(t), -gamma.unscale(size).unscale(T::R::of(1.0) + t));
        Self::unit(sine, cosine, |_| ComplexField::sqrt(t + T::R::of(1.0)) * size)
    }

    fn less(&self, alpha: T, gamma: T) -> (T::R, T, T) {
        let (one, zero, two) = (T::R::of(1.0), T::R::of(0.0), T::R::of(2.0));
        let (a, g, size) = (alpha.modulus(), gamma.modulus(), self.size);
        if size == zero && a == zero && g == zero {
            return (zero, T::one(), T::zero());
        }
        if size == zero || (!Self::is_nothing(g, size) && (Self::is_nothing(size, a) || Self::is_nothing(size, g))) {
            return Self::unit(-gamma.conjugate(), alpha.conjugate(), |length| size * (g / length));
        }
        if Self::is_nothing(g, size) {
            return (g, T::zero(), T::one());
        }
        if Self::is_nothing(a, size) {
            return if g <= size { (g, T::zero(), T::one()) } else { (size, T::one(), T::zero()) };
        }
        let (first, second) = (a / size, g / size);
        let sums = [one + first * first + first * second, first * second + second * second];
        let norm = if sums[0] >= sums[1] { sums[0] } else { sums[1] };
        let slack = T::R::EPSILON * T::R::EPSILON * norm;
        let (alpha, gamma) = (alpha.unscale(size), gamma.unscale(size));
        if one + two * (first - second) * (first + second) >= zero {
            let b = (first * first + second * second + one) / two;
            let c = second * second;
            let t = c / (b + ComplexField::sqrt(ComplexField::abs(b * b - c)));
            return Self::unit(alpha.unscale(one - t), -gamma.unscale(t), |_| ComplexField::sqrt(t + slack) * size);
        }
        let b = (second * second + first * first - one) / two;
        let c = first * first;
        let root = ComplexField::sqrt(b * b + c);
        let t = if b >= zero { -c / (b + root) } else { b - root };
        Self::unit(-alpha.unscale(t), -gamma.unscale(one + t), |_| ComplexField::sqrt(one + t + slack) * size)
    }

    /// A sine and a cosine from their ratio, with the size that follows from the length they had.
    fn unit(sine: T, cosine: T, size: impl Fn(T::R) -> T::R) -> (T::R, T, T) {
        let length = T::length(sine, cosine.modulus());
        if length == T::R::of(0.0) {
            return (length, T::zero(), T::one());
        }
        (size(length), sine.unscale(length), cosine.unscale(length))
    }
}
