//! Singular values and vectors of an upper bidiagonal matrix by divide and conquer, as LAPACK's `bdsdc` finds them.

use super::Matrix;
use super::field::Real;
use super::halves::{self, Halves, SMALL, deflate};
use super::secular::{Kind, Secular};
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
    // The middle row is taken out; both its entries lie in columns of one half each.
    let row = n / 2;
    let upper = || solve(&d[..row], &e[..row], small);
    let lower = || solve(&d[row + 1..], &e[row + 1..], small);
    Ok(halves::both(n, upper, lower)?.map(|(upper, lower)| join(upper, lower, [d[row], e[row]])))
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
    let mut parts = deflate(&d, &mut z, order, [tolerance, R::of(1.0)], |j, k, c, s| {
        u.turn(j, k, c, s);
        v.turn(j, k, c, s);
    });
    parts[0].insert(0, 0);

    let (mut poles, entries): (Vec<f64>, Vec<f64>) = parts[0].iter().map(|j| (d[*j].wide(), z[*j].wide())).unzip();
    if let Some(second) = poles.get_mut(1) {
        *second = second.max(tolerance.wide() / 2.0);
    }
    let (values, left, right) = vectors(&poles, &entries);
    let descending = |a: f64, b: f64| b.total_cmp(&a);
    let (s, left) = u.solved((&values, left), &d, &parts, descending);
    let (_, mut right) = v.solved((&values, right), &d, &parts, descending);
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
/// vectors, of any length, as columns.
fn vectors(d: &[f64], z: &[f64]) -> (Vec<f64>, Matrix<f64>, Matrix<f64>) {
    let roots = Secular { kind: Kind::SingularValues, d, z }.roots();
    let right = roots.directions;
    let mut left = Matrix::from_fn(d.len(), d.len(), |i, j| d[i] * right[(i, j)]);
    left.row_mut(0).fill(-1.0);
    (roots.values, left, right)
}
