//! Systems of few real unknowns of which more than there are equations: the shortest solution, by reflections from the right that
//! make the rest of each row zero, as LAPACK's `tzrzf` and `ormrz` do.

use super::Matrix;
use super::few::First;
use super::few_real::{beside, row_product};
use super::field::Field;
use super::reflector::{Reflector, reflector};
use super::triangular::{self, Shape};
use crate::kernel::aligned::Member;
use anyhow::Result;

/// The shortest `x` with `R x = b`, for the columns of `b`. R has fewer rows than columns, and is upper triangular in the first ones.
pub fn solve<T: Field>(mut r: Matrix<T>, b: &Matrix<T>) -> Result<Matrix<T>> {
    let (rank, n) = r.shape();
    let mut steps: Vec<Reflector<T>> = (0..rank).rev().map(|i| step(&mut r, i)).collect();
    steps.reverse();
    let mut top = b.clone();
    triangular::solve(&r.columns(0, rank).into_owned(), &mut top, Shape { upper: true, unit: false })?;
    let mut x = top.resize_vertically(n, T::zero());
    let count = x.ncols();
    for (i, step) in steps.iter().enumerate().filter(|(_, step)| step.tau != T::zero()) {
        for (index, column) in x.as_mut_slice().chunks_mut(n).enumerate() {
            let (known, rest) = column.split_at_mut(rank);
            let last = (index / 4 * 4 + 3) * n + rank;
            let product = beside(rest, &step.v[1..], Member { index, count, last, vector: None }) + known[i];
            known[i] = known[i].plus(-step.tau, product);
            let by = -step.tau * product;
            rest.iter_mut().zip(&step.v[1..]).for_each(|(x, v)| *x = x.plus(*v, by));
        }
    }
    Ok(x)
}

/// Makes the rest of a row zero.
fn step<T: Field>(r: &mut Matrix<T>, row: usize) -> Reflector<T> {
    let (rank, n) = r.shape();
    let columns: Vec<usize> = std::iter::once(row).chain(rank..n).collect();
    let cells = |r: &Matrix<T>, row: usize| columns.iter().map(|j| r[(row, *j)]).collect::<Vec<T>>();
    let (step, beta) = reflector(&cells(r, row));
    if step.tau != T::zero() {
        for i in 0..row {
            let product = row_product(&cells(r, i), &step.v, First::Apart, true);
            let by = |v: T| -step.tau * v;
            columns.iter().zip(&step.v).for_each(|(j, v)| r[(i, *j)] = r[(i, *j)].plus(product, by(*v)));
        }
    }
    r[(row, row)] = T::from_real(beta);
    step
}
