//! The QR decomposition by reflections, as `geqrf` gives it: the diagonal of R has the sign opposite to what it met.

use super::field::Field;
use super::reflections::{self, Factor, GROUP, Group};
use super::reflector::{Direction, Reflector, enlarged, reflector};
use super::small::{SIDE, Steps};
use super::{Matrix, few, few_qr};
use crate::interrupt;
use anyhow::Result;

/// A factored matrix: R, and the reflections whose product is Q.
pub struct Qr<T: Field> {
    /// R in the upper triangle; what lies below it is 0.
    upper: Matrix<T>,
    steps: Vec<Reflector<T>>,
}

/// Factors a matrix.
pub fn factor<T: Field>(mut a: Matrix<T>) -> Result<Qr<T>> {
    let (m, n) = a.shape();
    let count = m.min(n);
    if let Some(small) = T::small_steps().filter(|_| m <= SIDE && n <= SIDE) {
        let steps = (0..count).map(|i| small_step(&small, &mut a, i)).collect();
        return Ok(Qr { upper: a, steps });
    }
    if few::takes(m, n) {
        let steps = (0..count).map(|i| few_qr::step(&mut a, i)).collect();
        return Ok(Qr { upper: a, steps });
    }
    let mut steps = Vec::with_capacity(count);
    let width = if count < GROUP + GROUP / 2 { n } else { GROUP };
    for first in (0..count).step_by(width.max(1)) {
        let end = (first + width).min(n);
        for i in first..end.min(count) {
            interrupt::check()?;
            let (step, beta) = reflector(&a.as_slice()[i * m + i..(i + 1) * m]);
            step.apply_left(step.tau.conjugate(), &mut a, i, i + 1..end);
            a[(i, i)] = T::from_real(beta);
            a.as_mut_slice()[i * m + i + 1..(i + 1) * m].fill(T::zero());
            steps.push(step);
        }
        if end < n {
            Group::new(&steps[first..]).apply(a.as_mut_slice(), m, first, end..n, Factor::Adjoint);
        }
    }
    Ok(Qr { upper: a, steps })
}

/// Makes column `i` upper triangular.
fn small_step<T: Field>(small: &Steps<T>, a: &mut Matrix<T>, i: usize) -> Reflector<T> {
    let shape @ (m, n) = a.shape();
    let find = |x: &[T]| {
        let (step, beta) = (small.reflector)(x, shape);
        (step, beta.real())
    };
    let (step, beta) = enlarged(&a.as_slice()[i * m + i..(i + 1) * m], find);
    for j in i + 1..n {
        if step.tau != T::zero() {
            (small.reflect)(&step, &mut a.as_mut_slice()[j * m + i..(j + 1) * m], shape);
        }
    }
    a[(i, i)] = T::from_real(beta);
    a.as_mut_slice()[i * m + i + 1..(i + 1) * m].fill(T::zero());
    Reflector { at: Some(i * m + i), ..step }
}

impl<T: Field> Qr<T> {
    /// From R, with zeros below it, and the reflections that led to it.
    pub fn new(upper: Matrix<T>, steps: Vec<Reflector<T>>) -> Qr<T> {
        Qr { upper, steps }
    }

    /// R, with zeros below it.
    pub fn upper(&self) -> &Matrix<T> {
        &self.upper
    }

    /// The first rows of R.
    pub fn r(&self, rows: usize) -> Matrix<T> {
        self.upper.rows(0, rows).into_owned()
    }

    /// The reflections.
    pub fn steps(&self) -> &[Reflector<T>] {
        &self.steps
    }

    /// The first columns of Q, at least as many as there are reflections.
    pub fn q(&self, columns: usize) -> Result<Matrix<T>> {
        reflections::product(&self.steps, 0, self.upper.nrows(), columns)
    }

    /// `c = Q c`.
    pub fn apply_q(&self, c: &mut Matrix<T>) -> Result<()> {
        reflections::multiply(&self.steps, 0, c, Factor::Product)
    }

    /// `c = Qᴴ c`.
    pub fn apply_q_adjoint(&self, c: &mut Matrix<T>) -> Result<()> {
        reflections::multiply(&self.steps, 0, c, Factor::Adjoint)
    }

    /// `c = c Q`, or `c Qᴴ`, reflection by reflection.
    pub fn apply_from_right(&self, c: &mut Matrix<T>, adjoint: bool) {
        let rows = c.nrows();
        let mut apply = |(i, step): (usize, &Reflector<T>)| {
            let factor = if adjoint { step.tau.conjugate() } else { step.tau };
            step.apply_right(factor, c, 0..rows, i);
        };
        let steps = self.steps.iter().enumerate();
        if adjoint { steps.rev().for_each(&mut apply) } else { steps.for_each(&mut apply) }
    }

    /// LAPACK's compact form: R in the upper triangle, the directions of the reflections below it, and their factors.
    pub fn compact(&self) -> (Matrix<T>, Vec<T>) {
        let mut packed = self.upper.clone();
        for (i, step) in self.steps.iter().enumerate() {
            for (k, v) in step.v.iter().enumerate().skip(1) {
                packed[(i + k, i)] = *v;
            }
        }
        (packed, self.steps.iter().map(|s| s.tau).collect())
    }

    /// From LAPACK's compact form. `tau` has at most as many entries as the matrix has columns and rows.
    pub fn from_compact(packed: &Matrix<T>, tau: &[T]) -> Qr<T> {
        let m = packed.nrows();
        let steps = tau.iter().enumerate().map(|(i, tau)| {
            let mut v = Direction::from_slice(&packed.as_slice()[i * m + i..(i + 1) * m]);
            if let Some(first) = v.first_mut() {
                *first = T::one();
            }
            Reflector { tau: *tau, v, at: Some(i * m + i) }
        });
        Qr { steps: steps.collect(), upper: packed.upper_triangle() }
    }
}
