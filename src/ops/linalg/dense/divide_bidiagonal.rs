//! Singular values and vectors of an upper bidiagonal matrix by divide and conquer, as LAPACK's `bdsdc` finds them.

use super::Matrix;
use super::field::Real;
use super::halves::{self, Halves, SMALL, deflate, in_order, normalized};
use super::secular::{Kind, Secular};
use crate::interrupt;
use anyhow::Result;

/// `B = U [S 0] Vᵀ` for a matrix `B` that has as many columns as rows, or one more.
pub struct Found<R: Real> {
    /// Singular values.
    pub s: Vec<R>,
    /// Left vectors, as columns.
    pub u: Matrix<R>,
    /// Right vectors, as columns; a vector that `B` makes zero is the last one of them.
    pub v: Matrix<R>,
}

/// Divides a matrix with the diagonal `d` and `e` to the right of it until the parts are small enough for `small`. With as many
/// entries in `e` as in `d` the matrix has one column more than rows.
pub fn solve<R: Real>(
    d: &[R],
    e: &[R],
    small: &(impl Fn(&[R], &[R]) -> Result<Option<Found<R>>> + Sync),
) -> Result<Option<Found<R>>> {
    let n = d.len();
    if n <= SMALL {
        return small(d, e);
    }
    interrupt::check()?;
    // The middle row is taken out; both its entries lie in columns of one half each.
    let row = n / 2;
    let upper = || solve(&d[..row], &e[..row], small);
    let lower = || solve(&d[row + 1..], &e[row + 1..], small);
    let solved = halves::both(n, upper, lower);
    let (Some(upper), Some(lower)) = (solved.0?, solved.1?) else { return Ok(None) };
    Ok(Some(join(upper, lower, [d[row], e[row]])))
}

/// The solution of a matrix from those of its halves and the two entries of the row between them.
fn join<R: Real>(upper: Found<R>, lower: Found<R>, between: [R; 2]) -> Found<R> {
    let row = upper.s.len();
    let (rows, columns) = (row + 1 + lower.s.len(), row + 1 + lower.v.ncols());
    let (mut u, mut v) = (Halves::new(rows, row + 1), Halves::new(columns, row + 1));
    u.push(row, &[R::of(1.0)]);
    v.push(0, upper.v.column(row).as_slice());
    upper.u.column_iter().for_each(|column| u.push(0, column.as_slice()));
    upper.v.column_iter().take(row).for_each(|column| v.push(0, column.as_slice()));
    lower.u.column_iter().for_each(|column| u.push(row + 1, column.as_slice()));
    lower.v.column_iter().for_each(|column| v.push(row + 1, column.as_slice()));

    let mut z = row_of(&mut v, row, rows, between);
    let d = [vec![R::of(0.0)], upper.s, lower.s].concat();
    let largest = d.iter().chain(&between).fold(R::of(0.0), |most, x| most.max(x.abs()));
    let tolerance = halves::tolerance(largest);
    if z[0].abs() <= tolerance {
        z[0] = tolerance;
    }
    let mut order: Vec<usize> = (1..rows).collect();
    order.sort_by(|a, b| d[*a].wide().total_cmp(&d[*b].wide()));
    let [mut stay, done] = deflate(&d, &mut z, order, [tolerance, R::of(1.0)], |j, k, c, s| {
        u.turn(j, k, c, s);
        v.turn(j, k, c, s);
    });
    stay.insert(0, 0);

    let (mut poles, entries): (Vec<f64>, Vec<f64>) = stay.iter().map(|j| (d[*j].wide(), z[*j].wide())).unzip();
    if let Some(second) = poles.get_mut(1) {
        *second = second.max(tolerance.wide() / 2.0);
    }
    let (values, left, right) = vectors(&poles, &entries);
    let sorted = |all: &Halves<R>, within: &Matrix<f64>| {
        let solved = all.times(&stay, within);
        let new = values.iter().map(|x| R::of(*x)).zip(solved.as_slice().chunks(solved.nrows()));
        let old = done.iter().map(|j| (d[*j], all.column(*j)));
        in_order(new.chain(old).collect(), solved.nrows(), |a, b| b.wide().total_cmp(&a.wide()))
    };
    let ((s, left), (_, mut right)) = (sorted(&u, &left), sorted(&v, &right));
    if columns > rows {
        right = right.resize_horizontally(columns, R::of(0.0));
        right.column_mut(rows).copy_from_slice(v.column(rows));
    }
    Found { s, u: left, v: right }
}

/// The row taken out, in terms of the right vectors: of the two that a half makes zero, one combination meets the row and comes
/// first, and one, the last of all, does not. A matrix of as many columns as rows has the first alone.
fn row_of<R: Real>(v: &mut Halves<R>, row: usize, rows: usize, between: [R; 2]) -> Vec<R> {
    let entry = |j: usize| if j <= row { between[0] * v.at(row, j) } else { between[1] * v.at(row + 1, j) };
    let mut z: Vec<R> = (0..v.columns()).map(entry).collect();
    if let Some(other) = z.get(rows).copied() {
        let (met, r) = (z[0], z[0].hypot(other));
        if r > R::of(0.0) {
            v.turn(0, rows, met / r, other / r);
        }
        z[0] = r;
    }
    z
}

/// Singular values of a matrix that has `z` as its first row and otherwise `d` on its diagonal, which begins with 0; left and right
/// vectors as columns.
fn vectors(d: &[f64], z: &[f64]) -> (Vec<f64>, Matrix<f64>, Matrix<f64>) {
    let roots = Secular { kind: Kind::SingularValues, d, z }.roots();
    let mut right = roots.gaps;
    for mut column in right.column_iter_mut() {
        column.iter_mut().zip(&roots.z).for_each(|(gap, z)| *gap = *z / *gap);
    }
    let mut left = Matrix::from_fn(d.len(), d.len(), |i, j| d[i] * right[(i, j)]);
    left.row_mut(0).fill(-1.0);
    (roots.values, normalized(left), normalized(right))
}
