//! LU decomposition with row exchanges, as `getrf` chooses them: the entry of largest `|re| + |im|` on or below the diagonal.

use super::field::{Field, Real};
use super::{Matrix, triangular};
use crate::interrupt;
use crate::kernel::blas::{Block, subtract_product, subtract_scaled};
use anyhow::Result;
use nalgebra::ComplexField;

/// A factored matrix `P A = L U`.
pub struct Lu<T: Field> {
    /// L below the diagonal (its own is 1) and U on and above it.
    pub packed: Matrix<T>,
    /// Row `i` was exchanged with row `pivots[i]`, in order.
    pub pivots: Vec<usize>,
    /// The first zero on U's diagonal: the matrix is singular.
    pub zero: Option<usize>,
}

/// Columns that are factored before the ones to their right take notice.
const PANEL: usize = 32;

/// Factors a matrix of any shape, panel by panel.
pub fn factor<T: Field>(mut a: Matrix<T>) -> Result<Lu<T>> {
    let (m, n) = a.shape();
    let (steps, mut pivots, mut zero) = (m.min(n), Vec::with_capacity(m.min(n)), None);
    let width = if steps < 2 * PANEL { n } else { PANEL };
    for first in (0..steps).step_by(width.max(1)) {
        let end = (first + width).min(n);
        for k in first..end.min(steps) {
            interrupt::check()?;
            let chosen = largest(&a.as_slice()[k * m + k..(k + 1) * m]) + k;
            pivots.push(chosen);
            if a[(chosen, k)] == T::zero() {
                zero = zero.or(Some(k));
                continue;
            }
            a.swap_rows(k, chosen);
            let inverse = T::one().over(a[(k, k)]);
            eliminate(&mut a, k, inverse, end);
        }
        if end < n {
            follow(&mut a, first, end.min(steps), end);
        }
    }
    Ok(Lu { packed: a, pivots, zero })
}

/// Does to the columns from `end` on what was done to columns `first..last`.
fn follow<T: Field>(a: &mut Matrix<T>, first: usize, last: usize, end: usize) {
    let ((m, n), k) = (a.shape(), last - first);
    let mut top = Matrix::from_fn(k, n - end, |i, j| a[(first + i, end + j)]);
    let panel = a.view((first, first), (k, k)).into_owned();
    triangular::solve_few(&panel, &mut top, triangular::Shape { upper: false, unit: true });
    a.view_mut((first, end), (k, n - end)).copy_from(&top);
    if last == m {
        return;
    }
    let (left, right) = a.as_mut_slice().split_at_mut(end * m);
    let below = Block { cells: &left[first * m + last..], row: 1, column: m };
    let top = Block { cells: top.as_slice(), row: 1, column: k };
    subtract_product((&mut right[last..], m), below, top, false, (m - last, n - end, k));
}

fn largest<T: Field>(column: &[T]) -> usize {
    let mut best = 0;
    for (i, x) in column.iter().enumerate().skip(1) {
        if x.norm1() > column[best].norm1() {
            best = i;
        }
    }
    best
}

/// Divides column `k` below the diagonal and subtracts its multiples from the columns to the right, up to column `end`.
fn eliminate<T: Field>(a: &mut Matrix<T>, k: usize, inverse: T, end: usize) {
    let m = a.nrows();
    let (left, right) = a.as_mut_slice().split_at_mut((k + 1) * m);
    let column = &mut left[k * m + k + 1..];
    column.iter_mut().for_each(|x| *x *= inverse);
    for j in 0..end - k - 1 {
        let target = &mut right[j * m + k..(j + 1) * m];
        let by = target[0];
        if by != T::zero() {
            subtract_scaled(&mut target[1..], column, by);
        }
    }
}

impl<T: Field> Lu<T> {
    /// L, with as many columns as the smaller side.
    pub fn l(&self) -> Matrix<T> {
        let (m, n) = self.packed.shape();
        Matrix::from_fn(m, m.min(n), |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Less => T::zero(),
            std::cmp::Ordering::Equal => T::one(),
            std::cmp::Ordering::Greater => self.packed[(i, j)],
        })
    }

    /// U, with as many rows as the smaller side.
    pub fn u(&self) -> Matrix<T> {
        let (m, n) = self.packed.shape();
        Matrix::from_fn(m.min(n), n, |i, j| if i <= j { self.packed[(i, j)] } else { T::zero() })
    }

    /// The order of the rows of A in L U: row `i` is row `order()[i]` of A.
    pub fn order(&self) -> Vec<usize> {
        order(&self.pivots, self.packed.nrows())
    }

    /// The determinant of a square matrix as a phase (or sign) and the logarithm of its modulus.
    pub fn log_determinant(&self) -> (T, T::R) {
        let (mut phase, mut log) = (T::one(), T::R::of(0.0));
        for i in 0..self.packed.nrows() {
            let x = self.packed[(i, i)];
            let size = x.modulus();
            phase *= if size == T::R::of(0.0) { T::zero() } else { x.unscale(size) };
            log += size.ln();
        }
        (if self.is_odd() { -phase } else { phase }, log)
    }

    /// The determinant of a square matrix.
    pub fn determinant(&self) -> T {
        let product = self.packed.diagonal().iter().fold(T::one(), |product, x| product * *x);
        if self.is_odd() { -product } else { product }
    }

    fn is_odd(&self) -> bool {
        self.pivots.iter().enumerate().filter(|(i, p)| i != *p).count() % 2 == 1
    }

    /// Solves `A x = b` for every column of `b`, in place.
    pub fn solve(&self, b: &mut Matrix<T>) -> Result<()> {
        for (i, p) in self.pivots.iter().enumerate() {
            b.swap_rows(i, *p);
        }
        triangular::solve(&self.packed, b, triangular::Shape { upper: false, unit: true })?;
        triangular::solve(&self.packed, b, triangular::Shape { upper: true, unit: false })
    }

    /// Solves `Aᵀ x = b`, or `Aᴴ x = b`, for every column of `b`, in place.
    pub fn solve_transposed(&self, b: &mut Matrix<T>, conjugate: bool) -> Result<()> {
        let turned = if conjugate { self.packed.adjoint() } else { self.packed.transpose() };
        triangular::solve(&turned, b, triangular::Shape { upper: false, unit: false })?;
        triangular::solve(&turned, b, triangular::Shape { upper: true, unit: true })?;
        for (i, p) in self.pivots.iter().enumerate().rev() {
            b.swap_rows(i, *p);
        }
        Ok(())
    }
}

/// Row exchanges as an order of rows.
pub fn order(pivots: &[usize], rows: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    for (i, p) in pivots.iter().enumerate() {
        order.swap(i, *p);
    }
    order
}
