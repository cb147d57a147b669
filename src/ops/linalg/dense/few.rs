//! Complex matrices of few rows and columns, worked through step by step in the order of LAPACK's unblocked routines: that decides
//! the signs of zeros, which show where a complex matrix holds real numbers.

use super::Matrix;
use super::bidiagonal::Bidiagonal;
use super::field::Field;
use super::parts::Kept;
use super::reflector::{Reflector, reflector};
use super::small::SIDE;

/// True for complex numbers in as few rows and columns as are worked through here.
pub fn takes<T: Field>(rows: usize, columns: usize) -> bool {
    T::IS_COMPLEX && rows <= SIDE && columns <= SIDE
}

/// `column -= v factor (vᴴ column)` for the columns of a matrix from a row on.
pub fn reflect_columns<T: Field>(v: &[T], factor: T, a: &mut Matrix<T>, row: usize, columns: std::ops::Range<usize>) {
    let height = a.nrows();
    for column in a.as_mut_slice()[columns.start * height..columns.end * height].chunks_mut(height) {
        let column = &mut column[row..][..v.len()];
        let terms = column.iter().zip(v).map(|(x, v)| x.conjugate().times(*v, Kept::ByReal));
        let (first, rest) = in_lanes(terms, 1);
        let by = (-factor).times((rest + first).conjugate(), kept::<T>());
        column.iter_mut().zip(v).for_each(|(x, v)| *x = x.plus(*v, by));
    }
}

/// The half that is kept of a product which every entry of a column or row is multiplied by.
fn kept<T: Field>() -> Kept {
    if size_of::<T>() == 8 { Kept::ByReal } else { Kept::OfReal }
}

/// The sum of some terms apart, and that of the others in four lanes.
pub(super) fn in_lanes<T: Field>(mut terms: impl Iterator<Item = T>, apart: usize) -> (T, T) {
    let first = terms.by_ref().take(apart).fold(T::zero(), |sum, term| sum + term);
    let mut lanes = [T::zero(); 4];
    terms.enumerate().for_each(|(i, term)| lanes[i % 4] += term);
    (first, (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]))
}

/// `row -= (row v) factor vᴴ` for some rows of a matrix from a column on.
pub fn reflect_rows<T: Field>(v: &[T], factor: T, a: &mut Matrix<T>, rows: std::ops::Range<usize>, column: usize) {
    let by: Vec<T> = v.iter().map(|v| (-factor).times(v.conjugate(), kept::<T>())).collect();
    let kept = if size_of::<T>() == 8 && v.len() > 2 { Kept::ByReal } else { Kept::OfReal };
    for i in rows {
        let product = v.iter().enumerate().fold(T::zero(), |sum, (k, v)| sum + a[(i, column + k)].times(*v, kept));
        by.iter().enumerate().for_each(|(k, by)| a[(i, column + k)] = a[(i, column + k)].plus(product, *by));
    }
}

/// The reflection of what is left of a column.
fn of_column<T: Field>(a: &Matrix<T>, first: usize, column: usize) -> (Reflector<T>, T::R) {
    reflector(&a.column(column).as_slice()[first..])
}

/// The reflection of what is left of a row, conjugated.
fn of_row<T: Field>(a: &Matrix<T>, row: usize, first: usize) -> (Reflector<T>, T::R) {
    let cells: Vec<T> = (first..a.ncols()).map(|j| a[(row, j)].conjugate()).collect();
    reflector(&cells)
}

/// Reduces a matrix to bidiagonal form: to upper when it has at least as many rows as columns, else to lower.
pub fn bidiagonal<T: Field>(mut a: Matrix<T>) -> Bidiagonal<T> {
    let (m, n) = a.shape();
    let lower = m < n;
    let mut out = Bidiagonal { d: vec![], e: vec![], lower, left: vec![], right: vec![] };
    for i in 0..m.min(n) {
        if lower {
            let (step, beta) = of_row(&a, i, i);
            out.d.push(beta);
            step.apply_right(step.tau, &mut a, i + 1..m, i);
            out.right.push(step);
        }
        let first = i + usize::from(lower);
        if first < m {
            let (step, beta) = of_column(&a, first, i);
            if lower { &mut out.e } else { &mut out.d }.push(beta);
            step.apply_left(step.tau.conjugate(), &mut a, first, i + 1..n);
            out.left.push(step);
        }
        if !lower && i + 1 < n {
            let (step, beta) = of_row(&a, i, i + 1);
            out.e.push(beta);
            step.apply_right(step.tau, &mut a, i + 1..m, i + 1);
            out.right.push(step);
        }
    }
    out
}

/// `c Pᴴ` for the product P of reflections, the first of which begins at column `first`.
pub fn times_adjoint<T: Field>(steps: &[Reflector<T>], first: usize, c: &mut Matrix<T>) {
    let rows = c.nrows();
    for (i, step) in steps.iter().enumerate().rev() {
        step.apply_right(step.tau.conjugate(), c, 0..rows, first + i);
    }
}

/// The first rows of `Pᴴ`, of as many columns as `width` says.
pub fn adjoint_product<T: Field>(steps: &[Reflector<T>], first: usize, rows: usize, width: usize) -> Matrix<T> {
    let mut p = Matrix::identity(rows, width);
    for (i, step) in steps.iter().enumerate().rev() {
        let row = first + i;
        step.apply_right(step.tau.conjugate(), &mut p, row + 1..rows, row);
        step.v.iter().enumerate().skip(1).for_each(|(k, v)| p[(row, row + k)] = (*v * -step.tau).conjugate());
        p[(row, row)] = T::one() - step.tau.conjugate();
    }
    p
}

/// `A = L Q`: L, and the reflections of the rows.
pub fn lq<T: Field>(mut a: Matrix<T>) -> (Matrix<T>, Vec<Reflector<T>>) {
    let (m, n) = a.shape();
    let mut steps = vec![];
    for i in 0..m.min(n) {
        let (step, beta) = of_row(&a, i, i);
        step.apply_right(step.tau, &mut a, i + 1..m, i);
        (i + 1..n).for_each(|j| a[(i, j)] = T::zero());
        a[(i, i)] = T::from_real(beta);
        steps.push(step);
    }
    (a.columns(0, m).into_owned(), steps)
}

/// The product, every sum from zero on.
pub fn product<T: Field>(a: &Matrix<T>, b: &Matrix<T>) -> Matrix<T> {
    Matrix::from_fn(a.nrows(), b.ncols(), |i, j| (0..a.ncols()).fold(T::zero(), |sum, k| sum + a[(i, k)] * b[(k, j)]))
}
