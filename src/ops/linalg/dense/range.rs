//! Matrices of very small or very large entries, brought near 1 before squares of entries are taken.

use super::field::{Field, Real};
use super::{Matrix, tridiagonal::Triangle};
use nalgebra::ComplexField;
use std::borrow::Cow;

/// A matrix within range, and the power of two it was multiplied by: 1 for all but those whose largest entry is further from 1 than
/// `sqrt(TINY) / EPSILON` is, as LAPACK's drivers have it.
pub struct Ranged<'a, T: Field> {
    /// The matrix.
    pub matrix: Cow<'a, Matrix<T>>,
    scale: T::R,
}

impl<'a, T: Field> Ranged<'a, T> {
    /// Of all entries of a matrix.
    pub fn new(a: &'a Matrix<T>) -> Ranged<'a, T> {
        Ranged::of_largest(a, a.iter())
    }

    /// Of a Hermitian matrix of which one triangle is read.
    pub fn of_triangle(a: &'a Matrix<T>, triangle: Triangle) -> Ranged<'a, T> {
        let columns = a.as_slice().chunks(a.nrows().max(1)).enumerate();
        let read = columns.map(|(j, column)| if triangle == Triangle::Lower { &column[j..] } else { &column[..=j] });
        Ranged::of_largest(a, read.flatten())
    }

    fn of_largest<'b>(a: &'a Matrix<T>, entries: impl Iterator<Item = &'b T>) -> Ranged<'a, T> {
        let largest = entries.fold(T::R::of(0.0), |most, x| if most >= x.norm1() { most } else { x.norm1() });
        let least = T::R::TINY.sqrt() / T::R::EPSILON;
        let one = T::R::of(1.0);
        if largest == T::R::of(0.0) || !largest.is_finite() || (largest >= least && largest <= one / least) {
            return Ranged { matrix: Cow::Borrowed(a), scale: one };
        }
        let near = (-largest.wide().log2().floor()).exp2();
        let scale = T::R::of(near.clamp(T::R::TINY.wide(), (one / T::R::TINY).wide()));
        Ranged { matrix: Cow::Owned(a.map(|x| x.scale(scale))), scale }
    }

    /// What was found for the matrix in range, for the one that was given.
    pub fn restore(&self, values: &mut [T::R]) {
        if self.scale != T::R::of(1.0) {
            values.iter_mut().for_each(|x| *x /= self.scale);
        }
    }
}
