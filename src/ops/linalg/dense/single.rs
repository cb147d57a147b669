//! Steps of small eigenvalue and singular value problems in single precision, with the order of additions and the roundings of the library behind
//! PyTorch, so that vectors print the same down to entries that are zero but for the last bits.

use super::Matrix;
use super::bidiagonal::Bidiagonal;
use super::parts::fused;
use super::reflector::{Reflector, reflector};
use super::tridiagonal::Tridiagonal;

/// Rows up to which every rounding is known.
const MOST: usize = 9;

/// Reduces a symmetric matrix, of which the lower triangle is read, to tridiagonal form; none when it is too large.
pub fn tridiagonal(a: &Matrix<f32>) -> Option<Tridiagonal<f32>> {
    let n = a.nrows();
    if n > MOST {
        return None;
    }
    let mut a = a.clone();
    let (mut d, mut e, mut steps) = (vec![], vec![], vec![]);
    for i in 0..n {
        d.push(a[(i, i)]);
        if i + 1 == n {
            break;
        }
        let (step, beta) = reflector(&a.as_slice()[i * n + i + 1..(i + 1) * n]);
        e.push(beta);
        if step.tau != 0.0 {
            change_both_sides(&mut a, i + 1, &step);
        }
        steps.push(step);
    }
    Some(Tridiagonal { d, e, steps, reversed: false })
}

/// `A -= v wᵀ + w vᵀ` from a row and column on, below the diagonal, for the reflection along `v`.
fn change_both_sides(a: &mut Matrix<f32>, first: usize, step: &Reflector<f32>) {
    let (v, tau, m) = (&step.v, step.tau, step.v.len());
    let mut w = vec![0f32; m];
    for j in 0..m {
        let by = tau * v[j];
        w[j] = fused(by, a[(first + j, first + j)], w[j]);
        let mut sums = [0f32; 4];
        for (k, i) in (j + 1..m).enumerate() {
            let cell = a[(first + i, first + j)];
            w[i] = fused(by, cell, w[i]);
            sums[k % 4] += cell * v[i];
        }
        w[j] = fused(tau, (sums[0] + sums[2]) + (sums[1] + sums[3]), w[j]);
    }
    let mut sums = [0f32; 4];
    w.iter().zip(v).enumerate().for_each(|(k, (w, v))| sums[k % 4] += w * v);
    let by = -0.5 * tau * ((sums[0] + sums[1]) + (sums[2] + sums[3]));
    w.iter_mut().zip(v).for_each(|(w, v)| *w = fused(by, *v, *w));
    for j in 0..m {
        for k in j..m {
            let cell = &mut a[(first + k, first + j)];
            *cell = fused(-w[k], v[j], fused(-v[k], w[j], *cell));
        }
    }
}

/// Columns up to which every rounding of a reduction to bidiagonal form is known.
const NARROW: usize = 4;

/// Reduces a matrix with at least as many rows as columns to upper bidiagonal form; none when it is too large. One that was `turned`
/// is reduced as the wide one it was before: the library then takes its rows for columns.
pub fn bidiagonal(a: &Matrix<f32>, turned: bool) -> Option<Bidiagonal<f32>> {
    let (m, n) = a.shape();
    if n > NARROW || m > MOST || turned && m >= NARROW {
        return None;
    }
    let mut a = a.clone();
    let mut out = Bidiagonal { d: vec![], e: vec![], lower: false, left: vec![], right: vec![] };
    let [of_columns, of_rows] = if turned { [change_by_row, change_by_column] } else { [change_by_column, change_by_row] };
    for i in 0..n {
        let (step, beta) = reflector(&a.as_slice()[i * m + i..(i + 1) * m]);
        out.d.push(beta);
        let columns = n - i - 1;
        for j in 0..columns {
            let mut column: Vec<f32> = (i..m).map(|k| a[(k, i + 1 + j)]).collect();
            of_columns(&step, &mut column, j < columns / 4 * 4);
            (i..m).zip(column).for_each(|(k, x)| a[(k, i + 1 + j)] = x);
        }
        out.left.push(step);
        if columns > 0 {
            let row: Vec<f32> = (i + 1..n).map(|k| a[(i, k)]).collect();
            let (step, beta) = reflector(&row);
            out.e.push(beta);
            for j in i + 1..m {
                let mut row: Vec<f32> = (i + 1..n).map(|k| a[(j, k)]).collect();
                of_rows(&step, &mut row, j - i - 1 < (m - i - 1) / 4 * 4);
                (i + 1..n).zip(row).for_each(|(k, x)| a[(j, k)] = x);
            }
            out.right.push(step);
        }
    }
    Some(out)
}

/// What a reflection from the left does to a column.
fn change_by_column(step: &Reflector<f32>, x: &mut [f32], in_fours: bool) {
    let by = -step.tau * beside(x, &step.v, in_fours);
    if step.tau != 0.0 {
        x.iter_mut().zip(&step.v).for_each(|(x, v)| *x = fused(by, *v, *x));
    }
}

/// What a reflection from the right does to a row.
fn change_by_row(step: &Reflector<f32>, x: &mut [f32], _: bool) {
    let product = x.iter().zip(&step.v).skip(1).fold(x[0], |sum, (x, v)| fused(*x, *v, sum));
    if step.tau != 0.0 {
        x.iter_mut().zip(&step.v).for_each(|(x, v)| *x = fused(product, -step.tau * v, *x));
    }
}

/// Multiplies the columns of a matrix, as rows of its transpose, by the product of reflections, the first of which begins at row
/// `first`. False when it is too large, and then nothing is done.
pub fn reflect_rows(steps: &[Reflector<f32>], a: &mut Matrix<f32>, first: usize) -> bool {
    let (height, columns) = a.shape();
    if height > MOST || columns > MOST {
        return false;
    }
    for (i, step) in steps.iter().enumerate().rev() {
        a.as_mut_slice().chunks_mut(height).for_each(|x| change_by_row(step, &mut x[first + i..], false));
    }
    true
}

/// Reflects the columns of a matrix from a row on. False when it is too large, and then nothing is done.
pub fn reflect(step: &Reflector<f32>, a: &mut Matrix<f32>, row: usize) -> bool {
    let (height, columns) = a.shape();
    if height > MOST || columns > MOST {
        return false;
    }
    for (j, column) in a.as_mut_slice().chunks_mut(height).enumerate() {
        let column = &mut column[row..];
        let product = column[0] + beside(&column[1..], &step.v[1..], j < columns / 4 * 4);
        let by = product * step.tau;
        column[0] = fused(-product, step.tau, column[0]);
        column[1..].iter_mut().zip(&step.v[1..]).for_each(|(x, v)| *x = fused(-v, by, *x));
    }
    true
}

/// A sum of products as a product of a matrix and a vector has it: columns in fours, and those that are over one by one.
fn beside(x: &[f32], v: &[f32], in_fours: bool) -> f32 {
    let n = x.len();
    let term = |k: usize| x[k] * v[k];
    match n {
        0 => 0.0,
        1 => term(0),
        _ if !in_fours => {
            let mut sums = [0f32; 16];
            (1..n).for_each(|k| sums[(k - 1) % 16] = fused(x[k], v[k], sums[(k - 1) % 16]));
            let mut width = 8;
            while width > 0 {
                (0..width).for_each(|i| sums[i] += sums[i + width]);
                width /= 2;
            }
            term(0) + sums[0]
        }
        _ => {
            let first = fused(x[1], v[1], term(0));
            let odd = (3..n).rev().filter(|k| k % 2 == 1).fold(first, |sum, k| sum + term(k));
            (2..n).rev().filter(|k| k % 2 == 0).map(term).reduce(|a, b| a + b).map_or(odd, |even| odd + even)
        }
    }
}

/// A norm from squares in double precision.
fn norm_wide(x: impl Iterator<Item = f32>) -> f32 {
    x.map(|x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt() as f32
}

/// The least squares of a system with at least as many equations as unknowns, by QR with the longest column first: the right side
/// with the solution in its first rows. None when the system is too large, or a column adds next to nothing.
pub fn least_squares(a: &Matrix<f32>, b: &Matrix<f32>, least: f32) -> Option<Matrix<f32>> {
    let (m, n) = a.shape();
    if m < n || m > MOST || n > NARROW || b.ncols() != 1 {
        return None;
    }
    let (mut a, mut b) = (a.clone(), b.clone());
    let mut order: Vec<usize> = (0..n).collect();
    // What is left of each column's norm, and when it was last worked out.
    let mut norms: Vec<[f32; 2]> = a.column_iter().map(|c| [norm_wide(c.iter().copied()); 2]).collect();
    for i in 0..n {
        let longest = (i + 1..n).fold(i, |longest, j| if norms[j][0] > norms[longest][0] { j } else { longest });
        a.swap_columns(i, longest);
        order.swap(i, longest);
        norms.swap(i, longest);
        let (step, beta) = reflector(&a.as_slice()[i * m + i..(i + 1) * m]);
        a[(i, i)] = beta;
        let columns = n - i - 1;
        for (k, j) in (i + 1..n).enumerate() {
            change_by_column(&step, &mut a.as_mut_slice()[j * m + i..(j + 1) * m], k < columns / 4 * 4);
            let [left, whole] = norms[j];
            let ratio = a[(i, j)].abs() / left;
            let share = (1.0 - ratio * ratio).max(0.0);
            let lost = share * ((left / whole) * (left / whole)) <= (f32::EPSILON / 2.0).sqrt();
            norms[j] = match left == 0.0 {
                true => norms[j],
                false if lost => [norm_wide((i + 1..m).map(|k| a[(k, j)])); 2],
                false => [left * share.sqrt(), whole],
            };
        }
        reflect(&step, &mut b, i);
    }
    let diagonal = || (0..n).map(|k| a[(k, k)].abs());
    if !diagonal().all(|x| x > least * diagonal().fold(0.0, f32::max)) {
        return None;
    }
    let x = &mut b.as_mut_slice()[..n];
    for k in (0..n).rev() {
        x[k] /= a[(k, k)];
        let by = x[k];
        (0..k).for_each(|i| x[i] = fused(-a[(i, k)], by, x[i]));
    }
    let found = x.to_vec();
    order.iter().zip(found).for_each(|(place, found)| x[*place] = found);
    Some(b)
}
