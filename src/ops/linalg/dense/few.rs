//! Matrices of few rows and columns, worked through step by step in the order of LAPACK's unblocked routines: that decides the last
//! bits, which show where a matrix is singular, and the signs of zeros, which show where a complex matrix holds real numbers.

use super::bidiagonal::Bidiagonal;
use super::field::Field;
use super::parts::Kept;
use super::reflector::{Reflector, reflector};
use super::small::SIDE;
use super::{Matrix, few_complex, few_real};
use std::ops::Range;

/// True for as few rows and columns as are worked through here.
pub fn takes(rows: usize, columns: usize) -> bool {
    rows <= SIDE && columns <= SIDE
}

/// The first term of a sum of products with a direction: the library has it with the others, or, knowing that it is one, apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// With the others: where a matrix is reduced.
    Among,
    /// After the others: where reflections are multiplied.
    Apart,
}

/// `column -= v factor (vᴴ column)` for the columns of a matrix from a row on.
pub fn reflect_columns<T: Field>(
    step: &Reflector<T>,
    factor: T,
    a: &mut Matrix<T>,
    row: usize,
    columns: Range<usize>,
    first: First,
) {
    let (height, v) = (a.nrows(), without_zeros(&step.v));
    let cells = &mut a.as_mut_slice()[columns.start * height..columns.end * height];
    let is_zero = |column: &[T]| column[row..][..v.len()].iter().all(|x| *x == T::zero());
    let count = columns.len() - cells.chunks(height).rev().take_while(|column| is_zero(column)).count();
    if !T::IS_COMPLEX {
        let columns = columns.start..columns.start + count;
        return few_real::reflect_columns(v, step.at, factor, a, row, columns, first);
    }
    for (j, column) in cells.chunks_mut(height).take(count).enumerate() {
        let column = &mut column[row..][..v.len()];
        let apart = usize::from(first == First::Apart);
        // Double precision takes columns in pairs, and one without a partner has one sum.
        let is_alone = count % 2 == 1 && j + 1 == count;
        let product = few_complex::inner(&column[apart..], &v[apart..], is_alone);
        let product = column[..apart].iter().fold(product, |sum, x| sum + x.conjugate());
        let by = (-factor).times(product.conjugate(), kept::<T>());
        column.iter_mut().zip(v).for_each(|(x, v)| *x = x.plus(*v, by));
    }
}

/// Without the zeros at its end.
fn without_zeros<T: Field>(v: &[T]) -> &[T] {
    &v[..v.len() - v.iter().rev().take_while(|v| **v == T::zero()).count()]
}

/// The half that is kept of a product which every entry of a column or row is multiplied by.
fn kept<T: Field>() -> Kept {
    if size_of::<T>() == 8 { Kept::ByReal } else { Kept::OfReal }
}

/// `row -= (row v) factor vᴴ` for some rows of a matrix from a column on.
pub fn reflect_rows<T: Field>(
    step: &Reflector<T>,
    factor: T,
    a: &mut Matrix<T>,
    rows: Range<usize>,
    column: usize,
    first: First,
) {
    let v = without_zeros(&step.v);
    let by: Vec<T> = v.iter().map(|v| (-factor).times(v.conjugate(), kept::<T>())).collect();
    let is_zero = |i: usize| (0..v.len()).all(|k| a[(i, column + k)] == T::zero());
    let zeros = rows.clone().rev().take_while(|i| is_zero(*i)).count();
    // In single precision the terms after the first go in pairs.
    let in_pairs = size_of::<T>() == 8 && first == First::Apart;
    let kept = |k: usize| if in_pairs && (k + 1 < v.len() || k.is_multiple_of(2)) { Kept::ByReal } else { Kept::OfReal };
    for i in rows.start..rows.end - zeros {
        let row = Vec::from_iter((0..v.len()).map(|k| a[(i, column + k)]));
        let product = match T::IS_COMPLEX {
            true => few_complex::across(&row, v, first, kept),
            false => few_real::row_product(&row, v, first, step.at.is_none()),
        };
        for (k, by) in by.iter().enumerate() {
            let x = &mut a[(i, column + k)];
            *x = match k == 0 && first == First::Apart && T::IS_COMPLEX {
                true => few_complex::plus_in_turn(*x, *by, product),
                false => x.plus(product, *by),
            };
        }
    }
}

/// The reflection of what is left of a column.
fn of_column<T: Field>(a: &Matrix<T>, rows: Range<usize>, column: usize) -> (Reflector<T>, T::R) {
    let (first, beta) = reflector(&a.column(column).as_slice()[rows.clone()]);
    (Reflector { at: Some(column * a.nrows() + rows.start), ..first }, beta)
}

/// The reflection of what is left of a row, conjugated.
fn of_row<T: Field>(a: &Matrix<T>, row: usize, first: usize) -> (Reflector<T>, T::R) {
    let cells: Vec<T> = (first..a.ncols()).map(|j| a[(row, j)].conjugate()).collect();
    reflector(&cells)
}

/// Reduces the first rows of a matrix to bidiagonal form: to upper when they are at least as many as columns, else to lower.
pub fn bidiagonal<T: Field>(mut a: Matrix<T>, rows: usize) -> Bidiagonal<T> {
    let (m, n) = (rows, a.ncols());
    let lower = m < n;
    let mut out = Bidiagonal { d: vec![], e: vec![], lower, left: vec![], right: vec![] };
    for i in 0..m.min(n) {
        if lower {
            let (step, beta) = of_row(&a, i, i);
            out.d.push(beta);
            change_rows(&step, step.tau, &mut a, i + 1..m, i);
            out.right.push(step);
        }
        let first = i + usize::from(lower);
        if first < m {
            let (step, beta) = of_column(&a, first..m, i);
            if lower { &mut out.e } else { &mut out.d }.push(beta);
            change_columns(&step, step.tau.conjugate(), &mut a, first, i + 1..n);
            out.left.push(step);
        }
        if !lower && i + 1 < n {
            let (step, beta) = of_row(&a, i, i + 1);
            out.e.push(beta);
            change_rows(&step, step.tau, &mut a, i + 1..m, i + 1);
            out.right.push(step);
        }
    }
    out
}

/// Does a reflection to columns of a matrix that is reduced.
pub fn change_columns<T: Field>(step: &Reflector<T>, factor: T, a: &mut Matrix<T>, row: usize, columns: Range<usize>) {
    if factor != T::zero() && !columns.is_empty() {
        reflect_columns(step, factor, a, row, columns, First::Among);
    }
}

/// Does a reflection to rows of a matrix that is reduced.
pub fn change_rows<T: Field>(step: &Reflector<T>, factor: T, a: &mut Matrix<T>, rows: Range<usize>, column: usize) {
    if factor != T::zero() && !rows.is_empty() {
        reflect_rows(step, factor, a, rows, column, First::Among);
    }
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
        change_rows(step, step.tau.conjugate(), &mut p, row + 1..rows, row);
        for (k, v) in step.v.iter().enumerate().skip(1) {
            p[(row, row + k)] = v.times(-step.tau, Kept::ByReal).conjugate();
        }
        p[(row, row)] = T::one() - step.tau.conjugate();
    }
    p
}

/// The product of two matrices, of few rows and columns as PyTorch has it.
pub fn matrix_product<T: Field>(a: &Matrix<T>, b: &Matrix<T>) -> Matrix<T> {
    if takes(a.nrows(), a.ncols()) && takes(b.nrows(), b.ncols()) { product(a, b) } else { a * b }
}

/// The product, every sum from zero on.
pub fn product<T: Field>(a: &Matrix<T>, b: &Matrix<T>) -> Matrix<T> {
    let plus = |sum: T, a: T, b: T| if T::IS_COMPLEX { sum + a * b } else { sum.plus(a, b) };
    let entry = |i: usize, j: usize| (0..a.ncols()).fold(T::zero(), |sum, k| plus(sum, a[(i, k)], b[(k, j)]));
    Matrix::from_fn(a.nrows(), b.ncols(), entry)
}
