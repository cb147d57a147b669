//! Eigenvalues and eigenvectors of a symmetric tridiagonal matrix by divide and conquer, as LAPACK's `stedc` finds them.

use super::Matrix;
use super::field::Real;
use super::halves::{self, Halves, SMALL, deflate};
use super::secular::{Kind, Secular};
use anyhow::Result;

/// Eigenvalues, ascending, and their vectors as columns.
type Found<R> = (Vec<R>, Matrix<R>);

/// Divides a matrix with the diagonal `d` and `e` beside it until the parts are small enough for `small`.
pub fn solve<R: Real>(
    d: &[R],
    e: &[R],
    small: &(impl Fn(&[R], &[R]) -> Result<Option<Found<R>>> + Sync),
) -> Result<Option<Found<R>>> {
    let n = d.len();
    if n <= SMALL {
        return small(d, e);
    }
    // Without its two entries at the tear the matrix is two; they come back as `|e| u uᵀ` with `u = (…, 1, ±1, …)`.
    let middle = n / 2;
    let tear = e[middle - 1];
    let (mut upper, mut lower) = (d[..middle].to_vec(), d[middle..].to_vec());
    upper[middle - 1] -= tear.abs();
    lower[0] -= tear.abs();
    let solved = halves::both(n, || solve(&upper, &e[..middle - 1], small), || solve(&lower, &e[middle..], small))?;
    Ok(solved.map(|(upper, lower)| join(upper, lower, tear)))
}

/// The solution of a matrix from those of its halves.
fn join<R: Real>(upper: Found<R>, lower: Found<R>, tear: R) -> Found<R> {
    let (middle, n) = (upper.0.len(), upper.0.len() + lower.0.len());
    let root = tear.abs().sqrt();
    let ends = upper.1.row(middle - 1).into_owned() * root;
    let starts = lower.1.row(0).into_owned() * root.signed(tear);
    let mut z: Vec<R> = ends.iter().chain(starts.iter()).copied().collect();
    let d = [upper.0, lower.0].concat();
    let mut vectors = Halves::new(n, middle);
    upper.1.as_slice().chunks(middle).for_each(|column| vectors.push(0, column));
    lower.1.as_slice().chunks(n - middle).for_each(|column| vectors.push(middle, column));

    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| d[*a].wide().total_cmp(&d[*b].wide()));
    let largest = d.iter().fold(tear.abs(), |most, x| most.max(x.abs()));
    let limits = [halves::tolerance(largest), root + root];
    let parts = deflate(&d, &mut z, order, limits, |j, k, c, s| vectors.turn(j, k, c, s));

    let (poles, entries): (Vec<f64>, Vec<f64>) = parts[0].iter().map(|j| (d[*j].wide(), z[*j].wide())).unzip();
    let roots = Secular { kind: Kind::Eigenvalues, d: &poles, z: &entries }.roots();
    vectors.solved((&roots.values, roots.directions), &d, &parts, |a, b| a.total_cmp(&b))
}
