//! Householder reflections `H = I - tau v vᴴ` with `v[0] = 1`, as LAPACK's `larfg` makes them.

use super::field::{Field, Real};
use super::parts::Kept;
use super::rotation::hypotenuse;
use super::{Matrix, few};
use crate::kernel::reflect::{reflect_columns, reflect_rows};
use smallvec::{SmallVec, smallvec};

/// A reflection.
pub struct Reflector<T: Field> {
    /// 0 for the identity.
    pub tau: T,
    /// Its direction; the first entry is 1.
    pub v: Direction<T>,
    /// Where the direction lies in the matrix that it was found in, column by column; none for that of a row. In small matrices that
    /// decides about the order of sums.
    pub at: Option<usize>,
}

/// The short ones of an iteration are made by the thousand.
pub type Direction<T> = SmallVec<[T; 4]>;

/// The reflection with `Hᴴ x = beta e₀`, and `beta`, which is real and of the sign opposite to `x[0]`'s.
///
/// A vector that is a real multiple of `e₀` already is left alone: then `beta` is `x[0]`.
pub fn reflector<T: Field>(x: &[T]) -> (Reflector<T>, T::R) {
    reflector_by(x, T::norm)
}

/// The same with a norm that is rounded in some way.
pub fn reflector_by<T: Field>(x: &[T], norm: fn(&[T]) -> T::R) -> (Reflector<T>, T::R) {
    enlarged(x, |x| plain(x, norm))
}

/// The reflection that `find` gives, of the vector made larger where what it leaves would have lost digits: the rest of a matrix of
/// low rank shrinks from step to step until the inverse of it has no number.
pub fn enlarged<T: Field>(x: &[T], find: impl Fn(&[T]) -> (Reflector<T>, T::R)) -> (Reflector<T>, T::R) {
    let found = find(x);
    let least = T::R::TINY / (T::R::EPSILON * T::R::of(0.5));
    if found.0.tau == T::zero() || nalgebra::ComplexField::abs(found.1) >= least {
        return found;
    }
    let large: Vec<T> = x.iter().map(|x| x.unscale(least)).collect();
    let (step, beta) = find(&large);
    (step, beta * least)
}

fn plain<T: Field>(x: &[T], norm: fn(&[T]) -> T::R) -> (Reflector<T>, T::R) {
    let (alpha, rest) = match x.split_first() {
        Some((alpha, rest)) => (*alpha, rest),
        None => return (Reflector { tau: T::zero(), v: smallvec![], at: None }, T::R::of(0.0)),
    };
    let below = norm(rest);
    let mut v: Direction<T> = smallvec![T::zero(); x.len()];
    v[0] = T::one();
    if below == T::R::of(0.0) && alpha.imaginary() == T::R::of(0.0) {
        return (Reflector { tau: T::zero(), v, at: None }, alpha.real());
    }
    let length = if T::IS_COMPLEX { T::length(alpha, below) } else { hypotenuse(alpha.real(), below) };
    let beta = -length.signed(alpha.real());
    let scale = (alpha - T::from_real(beta)).scaled_reciprocal(false);
    for (to, from) in v.iter_mut().zip(x).skip(1) {
        *to = from.times(scale, Kept::ByReal);
    }
    let tau = (-(alpha - T::from_real(beta))).unscale(beta);
    (Reflector { tau, v, at: None }, beta)
}

impl<T: Field> Reflector<T> {
    /// `a[row.., columns] = (I - factor v vᴴ) a[row.., columns]`, where `factor` is `tau` (H) or its conjugate (Hᴴ).
    pub fn apply_left(&self, factor: T, a: &mut Matrix<T>, row: usize, columns: std::ops::Range<usize>) {
        let rows = a.nrows();
        if factor == T::zero() || columns.is_empty() {
            return;
        }
        if few::takes(rows, a.ncols()) {
            few::reflect_columns(self, factor, a, row, columns, few::First::Apart);
        } else {
            reflect_columns(&self.v, factor, &mut a.as_mut_slice()[columns.start * rows + row..], rows, columns.len());
        }
    }

    /// `a[rows, column..] = a[rows, column..] (I - factor v vᴴ)`.
    pub fn apply_right(&self, factor: T, a: &mut Matrix<T>, rows: std::ops::Range<usize>, column: usize) {
        let height = a.nrows();
        if factor == T::zero() || rows.is_empty() {
            return;
        }
        if few::takes(height, a.ncols()) {
            few::reflect_rows(self, factor, a, rows, column, few::First::Apart);
        } else {
            reflect_rows(&self.v, factor, &mut a.as_mut_slice()[column * height + rows.start..], height, rows.len());
        }
    }
}
