//! The step that reduces a Hermitian matrix of few rows, as the library behind PyTorch does it on AMD's processors: every operation is
//! rounded, and only the order of additions is its own. The orders were found as those of [`aligned`](crate::kernel::aligned) were.

use super::Matrix;
use super::few_complex::{conjugated, in_lanes, plus_in_turn};
use super::field::{Field, Real};
use super::reflector::Reflector;

/// Rows up to which the orders are known, in single and in double precision.
const MOST: [usize; 2] = [9, 16];
/// Sums of a column in single precision.
const LANES: usize = 4;

/// True for so many rows as are worked through here.
pub fn takes<T: Field>(rows: usize) -> bool {
    rows <= MOST[is_double::<T>() as usize]
}

fn is_double<T>() -> bool {
    size_of::<T>() == 16
}

/// `A -= v wᴴ + w vᴴ` from a row and column on, below the diagonal, for the reflection along `v`.
pub fn change_both_sides<T: Field>(a: &mut Matrix<T>, first: usize, step: &Reflector<T>) {
    let (v, tau, m) = (&step.v, step.tau, step.v.len());
    let mut w = product(a, first, v, tau);
    let half = T::R::of(0.5);
    // The vector's place decides which of its terms are in a lane of their own.
    let before = if is_double::<T>() { 0 } else { step.at.unwrap_or(0) % 2 };
    let by = tau.scale(-half) * conjugated(&w, v, before);
    w.iter_mut().zip(v).for_each(|(w, v)| *w = plus_in_turn(*w, by, *v));
    for j in 0..m {
        for i in j..m {
            let cell = &mut a[(first + i, first + j)];
            let (by_w, by_v) = (v[i] * -w[j].conjugate(), w[i] * -v[j].conjugate());
            *cell = (*cell + by_w) + by_v;
            if i == j {
                *cell = T::from_real(cell.real());
            }
        }
    }
}

/// `tau A v`, column by column: what is below the diagonal is added to the rows, and its sum to the column's own row.
fn product<T: Field>(a: &Matrix<T>, first: usize, v: &[T], tau: T) -> Vec<T> {
    let mut w = vec![T::zero(); v.len()];
    for j in 0..v.len() {
        let column = &a.column(first + j);
        let column = &column.as_slice()[first + j..];
        let by = tau * v[j];
        w[j] += by.scale(column[0].real());
        w[j + 1..].iter_mut().zip(&column[1..]).for_each(|(w, cell)| *w += by * *cell);
        let terms: Vec<T> = column[1..].iter().zip(&v[j + 1..]).map(|(cell, v)| cell.conjugate() * *v).collect();
        let whole = if is_double::<T>() { 0 } else { terms.len() / LANES * LANES };
        let in_lanes = in_lanes(&terms[..whole]);
        w[j] += tau * terms[whole..].iter().fold(in_lanes, |sum, term| sum + *term);
    }
    w
}
