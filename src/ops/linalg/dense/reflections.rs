//! Products of many Householder reflections, some at a time as `I - V T Vᴴ`, so that most work is in products of matrices.

use super::field::Field;
use super::parts::Kept;
use super::reflector::Reflector;
use super::{Matrix, adjoint, few};
use crate::interrupt;
use crate::kernel::blas::{Block, subtract_product, subtract_scaled};
use crate::kernel::follows_intel;
use anyhow::Result;
use std::ops::Range;

/// Reflections that are done together.
pub const GROUP: usize = 32;

/// Fewer reflections or columns than this are worked through one by one.
const FEW: usize = 8;

/// Which product of the reflections `H₀ H₁ …` multiplies from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    /// The product.
    Product,
    /// Its adjoint.
    Adjoint,
}

/// Multiplies `c` from the left. Reflection `k` changes the rows from `first + k` on, as many as its direction has entries.
pub fn multiply<T: Field>(steps: &[Reflector<T>], first: usize, c: &mut Matrix<T>, factor: Factor) -> Result<()> {
    work(steps, first, c, factor, false)
}

/// The product of reflections: `columns` columns of it, of `height` entries each.
pub fn product<T: Field>(steps: &[Reflector<T>], first: usize, height: usize, columns: usize) -> Result<Matrix<T>> {
    let mut q = Matrix::identity(height, columns);
    work(steps, first, &mut q, Factor::Product, true)?;
    Ok(q)
}

/// With `fresh`, `c` is an identity: a reflection then changes only columns as far to the right as its rows are down.
fn work<T: Field>(steps: &[Reflector<T>], first: usize, c: &mut Matrix<T>, factor: Factor, fresh: bool) -> Result<()> {
    let (columns, height) = (c.ncols(), c.nrows());
    let is_small = few::takes(height, columns);
    let size = if columns < FEW || steps.len() < FEW || is_small { 1 } else { GROUP };
    let groups = steps.len().div_ceil(size);
    for step in 0..groups {
        interrupt::check()?;
        let group = if factor == Factor::Product { groups - 1 - step } else { step };
        let range = group * size..((group + 1) * size).min(steps.len());
        let row = first + range.start;
        let from = if fresh { row.min(columns) } else { 0 };
        match &steps[range] {
            [one] => {
                let tau = if factor == Factor::Product { one.tau } else { one.tau.conjugate() };
                let own = fresh && from < columns;
                let others = from + usize::from(own)..columns;
                if fresh && is_small && !(T::IS_COMPLEX && follows_intel()) {
                    few::change_columns(one, tau, c, row, others);
                } else {
                    one.apply_left(tau, c, row, others);
                }
                if own {
                    first_column(&mut c.as_mut_slice()[from * height + row..(from + 1) * height], one);
                }
            }
            many => Group::new(many).apply(c.as_mut_slice(), height, row, from..columns, factor),
        }
    }
    Ok(())
}

/// A reflection of a unit vector, with LAPACK's signs of zeros.
fn first_column<T: Field>(column: &mut [T], step: &Reflector<T>) {
    column.iter_mut().zip(&step.v).skip(1).for_each(|(to, v)| *to = v.times(-step.tau, Kept::ByReal));
    if let Some(first) = column.first_mut() {
        *first = T::one() - step.tau;
    }
}

/// Some reflections as `I - V T Vᴴ`.
pub struct Group<T: Field> {
    v: Matrix<T>,
    adjoint: Matrix<T>,
    t: Matrix<T>,
}

impl<T: Field> Group<T> {
    /// Reflections each of which begins one row below the one before it.
    pub fn new(steps: &[Reflector<T>]) -> Group<T> {
        let (k, height) = (steps.len(), steps.first().map_or(0, |s| s.v.len()));
        let mut v = Matrix::zeros(height, k);
        for (j, step) in steps.iter().enumerate() {
            v.as_mut_slice()[j * height + j..][..step.v.len()].copy_from_slice(&step.v);
        }
        let adjoint = adjoint(&v);
        let mut inner = Matrix::zeros(k, k);
        subtract_product((inner.as_mut_slice(), k), whole(&adjoint), whole(&v), false, (k, k, height));
        // Column by column, each from those before it.
        let mut t = Matrix::zeros(k, k);
        for (j, step) in steps.iter().enumerate() {
            let (before, rest) = t.as_mut_slice().split_at_mut(j * k);
            for i in 0..j {
                subtract_scaled(&mut rest[..=i], &before[i * k..][..=i], -step.tau * inner[(i, j)]);
            }
            rest[j] = step.tau;
        }
        Group { v, adjoint, t }
    }

    /// Multiplies the rows from `row` on of some columns of a matrix of `height` rows from the left.
    pub fn apply(&self, cells: &mut [T], height: usize, row: usize, columns: Range<usize>, factor: Factor) {
        let ((m, k), n) = (self.v.shape(), columns.len());
        if n == 0 || k == 0 {
            return;
        }
        let part = &mut cells[columns.start * height + row..];
        let (mut met, mut turned) = (Matrix::zeros(k, n), Matrix::zeros(k, n));
        let right = Block { cells: &*part, row: 1, column: height };
        subtract_product((met.as_mut_slice(), k), whole(&self.adjoint), right, false, (k, n, m));
        let t = if factor == Factor::Product { &self.t } else { &adjoint(&self.t) };
        subtract_product((turned.as_mut_slice(), k), whole(t), whole(&met), false, (k, n, k));
        subtract_product((part, height), whole(&self.v), whole(&turned), false, (m, n, k));
    }
}

/// A matrix as an operand of a product.
pub(super) fn whole<T: Field>(m: &Matrix<T>) -> Block<'_, T> {
    Block { cells: m.as_slice(), row: 1, column: m.nrows() }
}
