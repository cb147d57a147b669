//! What problems that are divided into two halves have in common: vectors that are zero in one half, and numbers that need no
//! solving because a half knows them already.

use super::Matrix;
use super::field::Real;
use super::reflections::whole;
use super::rotation::rotate_columns;
use crate::interrupt;
use crate::kernel::blas::{Block, subtract_product};
use crate::kernel::team;
use anyhow::Result;
use std::cmp::Ordering;

/// The largest problem that is not divided, as LAPACK has it.
pub const SMALL: usize = 25;

/// Rows from which on the halves are worth a thread each.
const MANY: usize = 64;

/// What a part of a problem is solved to; none when an iteration does not converge.
type Solved<T> = Result<Option<T>>;

/// Solves both halves of a problem of so many rows.
pub fn both<T: Send>(
    rows: usize,
    upper: impl FnOnce() -> Solved<T> + Send,
    lower: impl FnOnce() -> Solved<T> + Send,
) -> Solved<(T, T)> {
    interrupt::check()?;
    let (upper, lower) = if rows < MANY { (upper(), lower()) } else { team::both(upper, lower) };
    Ok(upper?.zip(lower?))
}

/// The power of two near the largest of some numbers, by which they are brought near 1. None for zeros and for what is not finite.
pub fn scale<R: Real>(d: &[R], e: &[R]) -> Option<R> {
    let largest = d.iter().chain(e).fold(R::of(0.0), |most, x| if most >= x.abs() { most } else { x.abs() });
    let usable = largest > R::of(0.0) && d.iter().chain(e).all(|x| x.is_finite());
    usable.then(|| R::of(largest.wide().log2().floor().exp2()))
}

/// Where a column has entries other than zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Upper,
    Both,
    Lower,
}

/// A square matrix whose columns belong to the upper rows, to the lower ones, or to both.
pub struct Halves<R: Real> {
    cells: Matrix<R>,
    upper: usize,
    places: Vec<Place>,
}

impl<R: Real> Halves<R> {
    /// Of so many rows, of which so many are upper ones, and no columns as yet.
    pub fn new(rows: usize, upper: usize) -> Halves<R> {
        Halves { cells: Matrix::zeros(rows, rows), upper, places: vec![] }
    }

    /// Adds a column that has these entries from a row on.
    pub fn push(&mut self, row: usize, entries: &[R]) {
        let (column, end) = (self.places.len(), row + entries.len());
        self.cells.column_mut(column).as_mut_slice()[row..end].copy_from_slice(entries);
        let place = if end <= self.upper { Place::Upper } else { Place::Both };
        self.places.push(if row >= self.upper { Place::Lower } else { place });
    }

    /// Rotates two columns: `(x, y)` becomes `(c x + s y, c y - s x)`.
    pub fn turn(&mut self, j: usize, k: usize, c: R, s: R) {
        rotate_columns(&mut self.cells, j, k, c, s);
        if self.places[j] != self.places[k] {
            (self.places[j], self.places[k]) = (Place::Both, Place::Both);
        }
    }

    /// A column.
    pub fn column(&self, j: usize) -> &[R] {
        let rows = self.cells.nrows();
        &self.cells.as_slice()[j * rows..(j + 1) * rows]
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.places.len()
    }

    /// An entry.
    pub fn at(&self, i: usize, j: usize) -> R {
        self.cells[(i, j)]
    }

    /// All numbers in an order, and their columns: the `values` of the columns that stay, which become their product with `within`, and
    /// those of `d` for the columns that are done.
    pub fn solved(
        &self,
        (values, within): (&[f64], Matrix<f64>),
        d: &[R],
        [stay, done]: &[Vec<usize>; 2],
        order: impl Fn(f64, f64) -> Ordering,
    ) -> (Vec<R>, Matrix<R>) {
        let (rows, new) = (self.cells.nrows(), self.times(stay, &normalized(within)));
        let mut found: Vec<(R, &[R])> = values.iter().map(|x| R::of(*x)).zip(new.as_slice().chunks(rows)).collect();
        found.extend(done.iter().map(|j| (d[*j], self.column(*j))));
        found.sort_by(|a, b| order(a.0.wide(), b.0.wide()));
        let cells: Vec<R> = found.iter().flat_map(|(_, column)| *column).copied().collect();
        (found.iter().map(|(value, _)| *value).collect(), Matrix::from_vec(rows, found.len(), cells))
    }

    /// The product of some columns with a square matrix that has a row for each of them. Rows are multiplied only by the columns
    /// that are not zero there.
    fn times(&self, columns: &[usize], right: &Matrix<f64>) -> Matrix<R> {
        let (rows, k) = (self.cells.nrows(), columns.len());
        let mut order: Vec<usize> = (0..k).collect();
        order.sort_by_key(|i| self.places[columns[*i]] as usize);
        let first_of = |place| order.iter().take_while(|i| (self.places[columns[**i]] as usize) < place as usize).count();
        let (shared, lower) = (first_of(Place::Both), first_of(Place::Lower));
        let left = Matrix::from_fn(rows, k, |i, j| self.cells[(i, columns[order[j]])]);
        let right = Matrix::from_fn(k, k, |i, j| R::of(-right[(order[i], j)]));
        let mut out = Matrix::zeros(rows, k);
        for (from, to, own) in [(0, self.upper, 0..lower), (self.upper, rows, shared..k)] {
            if from < to && !own.is_empty() {
                let left = Block { cells: &left.as_slice()[own.start * rows + from..], ..whole(&left) };
                let right = Block { cells: &right.as_slice()[own.start..], ..whole(&right) };
                subtract_product((&mut out.as_mut_slice()[from..], rows), left, right, false, (to - from, k, own.len()));
            }
        }
        out
    }
}

/// What is negligible beside the largest number of a problem. The whole problem is near 1: a part of it that is much smaller is
/// treated as zeros before squares of its numbers leave the range.
pub fn tolerance<R: Real>(largest: R) -> R {
    R::of(4.0) * R::EPSILON * largest.max(R::EPSILON)
}

/// Takes out the numbers that need no solving: those whose entry of `z` is negligible and, by a rotation of two entries that
/// makes one of them zero, one of each two that are no further apart than `tolerance`. `order` lists them ascending; `reach` is the
/// norm by which entries of `z` are multiplied. Gives those that stay, ascending, and the others.
pub fn deflate<R: Real>(
    d: &[R],
    z: &mut [R],
    order: impl IntoIterator<Item = usize>,
    [tolerance, reach]: [R; 2],
    mut turn: impl FnMut(usize, usize, R, R),
) -> [Vec<usize>; 2] {
    let (mut stay, mut done): (Vec<usize>, Vec<usize>) = (vec![], vec![]);
    for j in order {
        if reach * z[j].abs() <= tolerance {
            done.push(j);
            continue;
        }
        if let Some(before) = stay.pop_if(|before| d[j] - d[*before] <= tolerance) {
            let r = z[j].hypot(z[before]);
            turn(before, j, z[j] / r, -z[before] / r);
            (z[before], z[j]) = (R::of(0.0), r);
            done.push(before);
        }
        stay.push(j);
    }
    [stay, done]
}

/// Columns of length 1.
fn normalized(mut columns: Matrix<f64>) -> Matrix<f64> {
    for mut column in columns.column_iter_mut() {
        let norm = column.norm();
        column.unscale_mut(norm);
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::super::bidiagonal::{self, Bidiagonal};
    use super::super::{Real, tridiagonal};
    use super::*;

    /// Diagonals and what lies beside them that are hard to divide: values that meet, that differ by many orders, and zeros.
    fn problems<R: Real>(n: usize) -> Vec<(Vec<R>, Vec<R>)> {
        let list = |f: &dyn Fn(usize) -> f64| (0..n).map(|i| R::of(f(i))).collect::<Vec<R>>();
        let beside = |f: &dyn Fn(usize) -> f64| list(f)[1..].to_vec();
        let scattered = |i: usize| (i as f64 * 0.618_033_988_749).fract() - 0.5;
        vec![
            (list(&|_| 2.0), beside(&|_| -1.0)),
            (list(&scattered), beside(&|i| scattered(i * 7 + 3))),
            (list(&|_| 1.0), beside(&|_| 0.0)),
            (list(&|_| 0.0), beside(&|_| 1.0)),
            (list(&|i| i.abs_diff(n / 2) as f64), beside(&|_| 1.0)),
            (list(&|i| (i % 21).abs_diff(10) as f64), beside(&|i| if i % 21 == 0 { 1e-7 } else { 1.0 })),
            (list(&|i| 10f64.powi(-(i as i32) / 8)), beside(&|i| 10f64.powi(-(i as i32) / 8))),
            (list(&|i| 10f64.powi(i as i32 / 8 - 9)), beside(&|i| scattered(i) * 1e-3)),
            (list(&|i| if i % 5 == 0 { 0.0 } else { 1.0 }), beside(&|i| if i % 7 == 0 { 0.0 } else { 1e-9 })),
            (list(&|i| if i == 0 { 1.0 } else { 0.0 }), beside(&|i| if i == 1 { 1.0 } else { 0.0 })),
            (list(&|i| if i < 3 { 1.0 } else { 1e-30 }), beside(&|i| if i < 2 { 1.0 } else { 1e-35 })),
            (list(&|i| if i == n / 2 { 0.0 } else { 3.0 }), beside(&|i| if i == n / 2 { 0.0 } else { 1e-3 })),
        ]
    }

    /// Checks that a decomposition is one, up to rounding errors of the size of the largest entry.
    fn check<R: Real>(n: usize) {
        for (which, (d, e)) in problems::<R>(n).into_iter().enumerate() {
            let size = scale(&d, &e).unwrap() * R::of(4.0 * n as f64) * R::EPSILON;
            let one = R::of(4.0 * n as f64) * R::EPSILON;
            let is_near =
                |a: &Matrix<R>, b: &Matrix<R>, most: R| assert!((a - b).amax() <= most, "{which} of {n}: {}", (a - b).amax());
            let matrix = |below: bool, above: bool| {
                Matrix::from_fn(n, n, |i, j| match (i == j, i + 1 == j && above, i == j + 1 && below) {
                    (true, ..) => d[i],
                    (_, true, _) => e[i],
                    (.., true) => e[j],
                    _ => R::of(0.0),
                })
            };
            let identity = Matrix::identity(n, n);

            let (values, vectors) = tridiagonal::solve(&d, &e, 0).unwrap().unwrap();
            assert!(values.is_sorted());
            is_near(&(vectors.transpose() * &vectors), &identity, one);
            let scaled = &vectors * Matrix::from_diagonal(&nalgebra::DVector::from_vec(values));
            is_near(&(matrix(true, true) * &vectors), &scaled, size);

            for lower in [false, true] {
                let reduced = Bidiagonal::<R> { d: d.clone(), e: e.clone(), lower, left: vec![], right: vec![] };
                let found = bidiagonal::solve(&reduced).unwrap().unwrap();
                let alone = bidiagonal::values(&reduced).unwrap().expect("values alone");
                assert!(alone.iter().zip(&found.s).all(|(a, b)| (*a - *b).abs() <= size), "{which} of {n}: the same alone");
                assert!(found.s.iter().rev().is_sorted() && found.s.iter().all(|s| *s >= R::of(0.0)));
                is_near(&(found.u.transpose() * &found.u), &identity, one);
                is_near(&(&found.vt * found.vt.transpose()), &identity, one);
                let scaled = &found.u * Matrix::from_diagonal(&nalgebra::DVector::from_vec(found.s));
                is_near(&(scaled * &found.vt), &matrix(lower, !lower), size);
            }
        }
    }

    #[test]
    fn divided_problems_are_decomposed_whatever_their_values() {
        for n in [26, 27, 51, 83, 130, 200] {
            check::<f64>(n);
            check::<f32>(n);
        }
    }
}
