//! LU decomposition with row exchanges, as `getrf` chooses them: the entry of largest `|re| + |im|` on or below the diagonal.

use super::field::{Field, Real};
use super::parts::Kept;
use super::small::Division;
use super::{Matrix, adjoint, few_lu, few_transposed, small, transpose, triangular};
use crate::interrupt;
use crate::kernel::blas::{self, Block, subtract_product, subtract_scaled_of};
use crate::kernel::team;
use anyhow::Result;

/// A factored matrix `P A = L U`.
pub struct Lu<T: Field> {
    /// L below the diagonal (its own is 1) and U on and above it.
    pub packed: Matrix<T>,
    /// Row `i` was exchanged with row `pivots[i]`, in order.
    pub pivots: Vec<usize>,
    /// The first zero on U's diagonal: the matrix is singular.
    pub zero: Option<usize>,
}

/// Columns that are factored one by one; more are halved.
const NARROW: usize = 8;

/// Rows from which on the zeros of an identity are not worked on, and beyond which no care is taken of last bits.
const WIDE: usize = 64;

/// Rows of a small matrix.
const SMALL: usize = 4;

/// Factors a matrix of any shape.
pub fn factor<T: Field>(mut a: Matrix<T>) -> Result<Lu<T>> {
    let (m, n) = a.shape();
    if T::IS_COMPLEX && m.max(n) <= few_lu::most() {
        return Ok(few_lu::factor(a));
    }
    let steps = m.min(n);
    let mut out = Factoring { pivots: Vec::with_capacity(steps), zero: None };
    if is_rounded(&a) {
        out.one_by_one(&mut a, 0..steps, n);
        return Ok(Lu { packed: a, pivots: out.pivots, zero: out.zero });
    }
    out.columns(&mut a, 0, steps)?;
    if steps < n {
        out.follow(&mut a, 0, steps, n)?;
    }
    Ok(Lu { packed: a, pivots: out.pivots, zero: out.zero })
}

struct Factoring {
    pivots: Vec<usize>,
    zero: Option<usize>,
}

impl Factoring {
    /// Factors columns `first..end`, from row `first` down: the left half, then, when the right half has followed, that.
    fn columns<T: Field>(&mut self, a: &mut Matrix<T>, first: usize, end: usize) -> Result<()> {
        interrupt::check()?;
        if end - first <= NARROW {
            self.one_by_one(a, first..end, end);
            return Ok(());
        }
        let middle = first + ((end - first) / 2).next_multiple_of(NARROW);
        self.columns(a, first, middle)?;
        self.follow(a, first, middle, end)?;
        self.columns(a, middle, end)?;
        exchange(a, first..middle, &self.pivots[middle..end], middle);
        Ok(())
    }

    /// Does to all columns up to `end` what is done for each of some, when it is.
    fn one_by_one<T: Field>(&mut self, a: &mut Matrix<T>, columns: std::ops::Range<usize>, end: usize) {
        let (m, first) = (a.nrows(), columns.start);
        for k in columns {
            let chosen = largest(&a.as_slice()[k * m + k..(k + 1) * m]) + k;
            self.pivots.push(chosen);
            if a[(chosen, k)] == T::zero() {
                self.zero = self.zero.or(Some(k));
                if T::IS_COMPLEX {
                    subtract_multiples(a, k, end);
                }
                continue;
            }
            if chosen != k {
                (first..end).for_each(|j| a.as_mut_slice().swap(j * m + k, j * m + chosen));
            }
            eliminate(a, k, end);
        }
    }

    /// Does to columns `middle..end` what was done to columns `first..middle`.
    fn follow<T: Field>(&self, a: &mut Matrix<T>, first: usize, middle: usize, end: usize) -> Result<()> {
        let (m, k, n) = (a.nrows(), middle - first, end - middle);
        exchange(a, middle..end, &self.pivots[first..middle], first);
        let (left, right) = a.as_mut_slice().split_at_mut(middle * m);
        if n == 0 {
            return Ok(());
        }
        let corner = &left[first * m + first..];
        triangular::solve_part((corner, m), k, (&mut right[first..], m), n, triangular::Shape { upper: false, unit: true })?;
        if middle < m {
            let mut top = Vec::with_capacity(k * n);
            right.chunks(m).take(n).for_each(|column| top.extend_from_slice(&column[first..middle]));
            let below = Block { cells: &left[first * m + middle..], row: 1, column: m };
            let top = Block { cells: &top, row: 1, column: k };
            subtract_product((&mut right[middle..], m), below, top, false, (m - middle, n, k));
        }
        Ok(())
    }
}

/// True for a small real matrix where PyTorch's library rounds products before it takes them away: on AMD's processors, and then it does so
/// column by column. What is singular shows there, as in `arange(1., 10.).view(3, 3)`.
fn is_rounded<T: Field>(a: &Matrix<T>) -> bool {
    !T::IS_COMPLEX && blas::is_rounded(a.nrows().max(a.ncols()))
}

/// Exchanges rows of some columns: row `first + i` with row `pivots[i]`, in order.
fn exchange<T: Field>(a: &mut Matrix<T>, columns: std::ops::Range<usize>, pivots: &[usize], first: usize) {
    let m = a.nrows();
    let swaps: Vec<(usize, usize)> = pivots.iter().enumerate().map(|(i, p)| (first + i, *p)).filter(|(i, p)| i != p).collect();
    let is_much = columns.len() * swaps.len() > MANY;
    let cells = &mut a.as_mut_slice()[columns.start * m..columns.end * m];
    let column = |_: usize, column: &mut [T]| swaps.iter().for_each(|(i, p)| column.swap(*i, *p));
    if is_much {
        team::columns(cells, m, false, &column);
    } else {
        cells.chunks_exact_mut(m.max(1)).for_each(|cells| column(0, cells));
    }
}

/// Exchanges from which on the threads of a team are worth asking.
const MANY: usize = 1 << 15;

/// The first entry of the largest size; the first of all when that is no number.
pub(super) fn largest<T: Field>(column: &[T]) -> usize {
    /// Entries that are compared side by side.
    const BESIDE: usize = 16;
    if column.first().is_none_or(|x| x.norm1().wide().is_nan()) {
        return 0;
    }
    let most = |a: T::R, b: T::R| if b > a { b } else { a };
    let (whole, rest) = column.as_chunks::<BESIDE>();
    let mut sizes = [T::R::of(0.0); BESIDE];
    for entries in whole {
        for (size, x) in sizes.iter_mut().zip(entries) {
            *size = most(*size, x.norm1());
        }
    }
    let size = sizes.into_iter().chain(rest.iter().map(|x| x.norm1())).fold(T::R::of(0.0), most);
    column.iter().position(|x| x.norm1() == size).unwrap_or(0)
}

/// Divides column `k` below the diagonal and subtracts its multiples from the columns to the right, up to column `end`.
fn eliminate<T: Field>(a: &mut Matrix<T>, k: usize, end: usize) {
    let ((m, n), pivot) = (a.shape(), a[(k, k)]);
    let inverse = pivot.reciprocal(size_of::<T>() == 16);
    // The bits are those of the library behind PyTorch, which divides in the last step of a small real matrix only.
    let rounded = is_rounded(a);
    let column = &mut a.as_mut_slice()[k * m + k + 1..(k + 1) * m];
    match !T::IS_COMPLEX && m <= SMALL && k + 2 == m && (m == n || !rounded) {
        true => column.iter_mut().for_each(|x| *x = x.over(pivot)),
        false if m <= WIDE => column.iter_mut().for_each(|x| *x = x.times(inverse, Kept::ByReal)),
        false => column.iter_mut().for_each(|x| *x *= inverse),
    }
    subtract_multiples(a, k, end);
}

/// Subtracts the multiples of column `k` below the diagonal from the columns to the right.
fn subtract_multiples<T: Field>(a: &mut Matrix<T>, k: usize, end: usize) {
    let (m, size) = (a.nrows(), a.nrows().max(a.ncols()));
    let (left, right) = a.as_mut_slice().split_at_mut((k + 1) * m);
    let column = &left[k * m + k + 1..];
    // Multiples of zero are left out where they change nothing; of complex zeros they may change signs.
    let bounded = !T::IS_COMPLEX && column.iter().all(|x| x.is_finite());
    for j in 0..end - k - 1 {
        let target = &mut right[j * m + k..(j + 1) * m];
        let by = target[0];
        if by != T::zero() || !bounded {
            subtract_scaled_of(size, &mut target[1..], column, by);
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

    /// The phase (or sign) of the determinant of a square matrix.
    pub fn phase(&self) -> T {
        let mut phase = T::one();
        for i in 0..self.packed.nrows() {
            let x = self.packed[(i, i)];
            let size = x.modulus();
            let sign = match size.wide() {
                0.0 => T::zero(),
                size if T::IS_COMPLEX => x.scale(T::R::of(1.0) / T::R::of(size)),
                size if size.is_finite() => x.unscale(T::R::of(size)),
                // The sign of what is no number is zero.
                size if size.is_nan() => T::zero(),
                _ => T::from_real(T::R::of(1.0).signed(x.real())),
            };
            phase = phase.times(sign, Kept::OfReal);
        }
        self.signed(phase)
    }

    /// The determinant of a square matrix.
    pub fn determinant(&self) -> T {
        // The product of what lies apart is rounded like this.
        let times = |a: T, b: T| if size_of::<T>() == 16 { a.times_once(b) } else { a * b };
        let product = self.packed.diagonal().iter().fold(T::one(), |product, x| times(product, *x));
        self.signed(product)
    }

    /// The product of the diagonal, or its phase, times the sign of the exchanges of rows.
    fn signed(&self, product: T) -> T {
        product * T::from_real(T::R::of(if self.is_odd() { -1.0 } else { 1.0 }))
    }

    fn is_odd(&self) -> bool {
        self.pivots.iter().enumerate().filter(|(i, p)| i != *p).count() % 2 == 1
    }

    /// Solves `A x = b` for every column of `b`, in place.
    pub fn solve(&self, b: &mut Matrix<T>) -> Result<()> {
        let columns = 0..b.ncols();
        exchange(b, columns, &self.pivots, 0);
        if self.packed.nrows() < small::FEW && !T::IS_COMPLEX {
            small::solve(&self.packed, b);
            return Ok(());
        }
        if self.packed.nrows() <= small::FEW && T::IS_COMPLEX {
            small::solve_complex(&self.packed, b, Division::Second);
            return Ok(());
        }
        triangular::solve(&self.packed, b, triangular::Shape { upper: false, unit: true })?;
        triangular::divide(&self.packed, b)
    }

    /// The inverse of a square matrix.
    pub fn inverse(&self) -> Result<Matrix<T>> {
        let n = self.packed.nrows();
        let mut inverse = Matrix::identity(n, n);
        // Entries of L are finite where those of U's diagonal are; others would show where a product with zero is left out.
        if n < WIDE || self.packed.diagonal().iter().any(|x| !x.is_finite()) {
            self.solve(&mut inverse)?;
            return Ok(inverse);
        }
        triangular::invert_unit_lower(&self.packed, &mut inverse)?;
        triangular::solve(&self.packed, &mut inverse, triangular::Shape { upper: true, unit: false })?;
        self.pivots.iter().enumerate().rev().filter(|(i, p)| i != *p).for_each(|(i, p)| inverse.swap_columns(i, *p));
        Ok(inverse)
    }

    /// Solves `Aᵀ x = b`, or `Aᴴ x = b`, for every column of `b`, in place.
    pub fn solve_transposed(&self, b: &mut Matrix<T>, conjugate: bool) -> Result<()> {
        let is_few = self.packed.nrows() <= small::FEW;
        let turned = || if conjugate { adjoint(&self.packed) } else { transpose(&self.packed) };
        if is_few && T::IS_COMPLEX {
            small::solve_complex(&turned(), b, Division::First);
        } else if is_few {
            few_transposed::solve(&self.packed, b);
        } else {
            let turned = turned();
            triangular::solve(&turned, b, triangular::Shape { upper: false, unit: false })?;
            triangular::solve(&turned, b, triangular::Shape { upper: true, unit: true })?;
        }
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
