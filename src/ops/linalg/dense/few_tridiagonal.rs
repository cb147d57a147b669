//! Hermitian matrices of few rows to tridiagonal ones, with the order of additions and the roundings of the library behind
//! PyTorch, so that vectors print the same down to entries that are zero but for the last bits.

use super::few_real::added;
use super::field::{Field, Real};
use super::reflector::{Reflector, reflector};
use super::tridiagonal::Tridiagonal;
use super::{Matrix, few_tridiagonal_complex};
use crate::kernel::aligned::sum_of_vectors;
use crate::kernel::follows_intel;
use crate::kernel::halves::in_halves;

/// Rows up to which every rounding is known.
const MOST: usize = 9;

/// True for so many rows as are worked through here.
pub fn takes<T: Field>(rows: usize) -> bool {
    if T::IS_COMPLEX { !follows_intel() && few_tridiagonal_complex::takes::<T>(rows) } else { rows <= MOST }
}

/// Reduces a symmetric matrix, of which the lower triangle is read.
pub fn reduce<T: Field>(mut a: Matrix<T>) -> Tridiagonal<T> {
    let n = a.nrows();
    let (mut d, mut e, mut steps) = (vec![], vec![], vec![]);
    for i in 0..n {
        d.push(a[(i, i)].real());
        if i + 1 == n {
            break;
        }
        let at = i * n + i + 1;
        let (step, beta) = reflector(&a.as_slice()[at..(i + 1) * n]);
        let step = Reflector { at: Some(at), ..step };
        e.push(beta);
        if step.tau != T::zero() {
            let change = if T::IS_COMPLEX { few_tridiagonal_complex::change_both_sides } else { change_both_sides };
            change(&mut a, i + 1, &step);
        }
        steps.push(step);
    }
    Tridiagonal { d, e, steps, reversed: false }
}

/// `A -= v wᵀ + w vᵀ` from a row and column on, below the diagonal, for the reflection along `v`.
fn change_both_sides<T: Field>(a: &mut Matrix<T>, first: usize, step: &Reflector<T>) {
    let (v, tau, m) = (&step.v, step.tau, step.v.len());
    let mut w = match (follows_intel(), size_of::<T>()) {
        (false, _) => product_in_lanes::<T, 1>(a, first, v, tau),
        (true, 4) => product_in_lanes::<T, 4>(a, first, v, tau),
        (true, _) => product_in_eights(a, first, v, tau),
    };
    let half = T::from_real(T::R::of(0.5));
    // The factors of the reflections, whose place the product takes, lie behind the entries beside the diagonal.
    let at = [a.nrows() + first - 1, step.at.unwrap_or(0)];
    let by = -(half * tau) * inner(&w, v, at);
    w.iter_mut().zip(v).for_each(|(w, v)| *w = w.plus(by, *v));
    for j in 0..m {
        for k in j..m {
            let cell = &mut a[(first + k, first + j)];
            *cell = match (follows_intel(), size_of::<T>()) {
                (true, 8) if k == j && j + 1 == m && m % 2 == 1 => cell.plus(-(v[k] + v[k]), w[j]),
                (true, 8) => cell.plus(w[k], -v[j]).plus(v[k], -w[j]),
                (true, _) => cell.plus(-v[k], w[j]).plus(-w[k], v[j]),
                // In double precision both products are added to each other before, but where a pair of columns begins.
                (false, 8) if !(k == j && j % 2 == 0 && j + 1 < m) => *cell + (v[k] * -w[j] + w[k] * -v[j]),
                (false, _) => (*cell + v[k] * -w[j]) + w[k] * -v[j],
            };
        }
    }
}

/// `tau A v`, column by column: what is below the diagonal is added to the rows, and its sum, in lanes, to the column's own row.
fn product_in_lanes<T: Field, const N: usize>(a: &Matrix<T>, first: usize, v: &[T], tau: T) -> Vec<T> {
    let mut w = vec![T::zero(); v.len()];
    for j in 0..v.len() {
        let by = tau * v[j];
        let column = a.column(first + j);
        let column = &column.as_slice()[first + j..];
        w[j..].iter_mut().zip(column).for_each(|(w, cell)| *w = w.plus(by, *cell));
        let mut sums = added([T::zero(); N], &column[1..], &v[j + 1..], |sum, cell, v| sum + cell * v);
        w[j] = w[j].plus(tau, in_halves(&mut sums, |a, b| a + b));
    }
    w
}

/// The same with sums in eight lanes that begin on the diagonal, and the factor last.
fn product_in_eights<T: Field>(a: &Matrix<T>, first: usize, v: &[T], tau: T) -> Vec<T> {
    let mut w = vec![T::zero(); v.len()];
    for j in 0..v.len() {
        let column = a.column(first + j);
        let column = &column.as_slice()[first + j..];
        let sum = in_eights(column, &v[j..]);
        w[j..].iter_mut().zip(column).skip(1).for_each(|(w, cell)| *w = w.plus(*cell, v[j]));
        w[j] += sum;
    }
    w.iter().map(|w| tau * *w).collect()
}

/// The sum of products in eight lanes, joined in halves.
fn in_eights<T: Field>(x: &[T], v: &[T]) -> T {
    in_halves(&mut added([T::zero(); 8], x, v, T::plus), |a, b| a + b)
}

/// The inner product of two vectors that lie so many elements after a multiple of 16 bytes.
fn inner<T: Field>(w: &[T], v: &[T], at: [usize; 2]) -> T {
    if !follows_intel() {
        return sum_of_vectors(v.len(), |k| w[k] * v[k], at);
    }
    if size_of::<T>() == 8 {
        return in_eights(w, v);
    }
    let sums = added([T::zero(); 4], w, v, |sum, w, v| sum + w * v);
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}
