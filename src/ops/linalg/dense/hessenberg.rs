//! General square matrices to upper Hessenberg form: balanced first, then reduced by reflections.

use super::Matrix;
use super::compiled::norm_in_turn;
use super::field::{Field, Real, norm};
use super::reflections;
use super::reflector::{Reflector, reflector, reflector_by};
use super::{few, few_double};
use crate::interrupt;
use crate::kernel::blas::subtract_two;
use crate::kernel::reduce::{Change, change_and_multiply_both};
use anyhow::Result;
use nalgebra::{ComplexField, RealField};

/// What balancing did: rows and columns outside `low..=high` were moved to their places, those inside were scaled.
pub struct Balance<R> {
    /// First row of the part that is left to reduce.
    pub low: usize,
    /// Its last row.
    pub high: usize,
    /// Inside the part the scale of each row; outside, the row it was exchanged with.
    marks: Vec<Mark<R>>,
}

#[derive(Clone, Copy)]
enum Mark<R> {
    Scaled(R),
    Exchanged(usize),
}

/// Balances a matrix in place (`gebal`): isolates eigenvalues that stand alone, then scales rows and columns by powers of two
/// until their norms are close.
pub fn balance<T: Field>(a: &mut Matrix<T>) -> Balance<T::R> {
    let n = a.nrows();
    let mut out = Balance { low: 0, high: n.saturating_sub(1), marks: vec![Mark::Scaled(T::R::of(1.0)); n] };
    if n == 0 {
        return out;
    }
    isolate_rows(a, &mut out);
    isolate_columns(a, &mut out);
    while scale_once(a, &mut out) {}
    out
}

/// Moves rows with zeros beside the diagonal down.
fn isolate_rows<T: Field>(a: &mut Matrix<T>, out: &mut Balance<T::R>) {
    loop {
        let alone = |i: &usize| (0..=out.high).all(|j| j == *i || a[(*i, j)] == T::zero());
        let Some(row) = (0..=out.high).rev().find(alone) else { return };
        out.marks[out.high] = Mark::Exchanged(row);
        exchange(a, row, out.high, out.high + 1, 0);
        if out.high == 0 {
            return;
        }
        out.high -= 1;
    }
}

/// Moves columns with zeros beside the diagonal to the left.
fn isolate_columns<T: Field>(a: &mut Matrix<T>, out: &mut Balance<T::R>) {
    while out.low < out.high {
        let alone = |j: &usize| (out.low..=out.high).all(|i| i == *j || a[(i, *j)] == T::zero());
        let Some(column) = (out.low..=out.high).find(alone) else { return };
        out.marks[out.low] = Mark::Exchanged(column);
        exchange(a, column, out.low, out.high + 1, out.low);
        out.low += 1;
    }
}

/// Exchanges rows and columns `i` and `j`: rows of the columns, and columns of the rows, that still count.
fn exchange<T: Field>(a: &mut Matrix<T>, i: usize, j: usize, rows: usize, first: usize) {
    if i == j {
        return;
    }
    for r in 0..rows {
        a.swap((r, i), (r, j));
    }
    for c in first..a.ncols() {
        a.swap((i, c), (j, c));
    }
}

/// One pass of scaling; false when nothing was worth it.
fn scale_once<T: Field>(a: &mut Matrix<T>, out: &mut Balance<T::R>) -> bool {
    let (two, part) = (T::R::of(2.0), out.low..=out.high);
    let n = a.nrows();
    let small = T::R::TINY / T::R::EPSILON * two;
    let large = T::R::of(1.0) / small;
    let mut changed = false;
    for i in part.clone() {
        let column: Vec<T> = part.clone().map(|r| a[(r, i)]).collect();
        let row: Vec<T> = part.clone().map(|c| a[(i, c)]).collect();
        let (mut c, mut r) = (norm(&column), norm(&row));
        if c == T::R::of(0.0) || r == T::R::of(0.0) || !(c + r).is_finite() {
            continue;
        }
        let (sum, mut f) = (c + r, T::R::of(1.0));
        let (mut most_c, mut most_r) = (most((0..=out.high).map(|k| a[(k, i)])), most((out.low..n).map(|k| a[(i, k)])));
        while c < r / two && f.max(c).max(most_c) < large && r.min(most_r) > small {
            (f, c, most_c) = (f * two, c * two, most_c * two);
            (r, most_r) = (r / two, most_r / two);
        }
        while c / two >= r && r.max(most_r) < large && f.min(c).min(most_c) > small {
            (f, c, most_c) = (f / two, c / two, most_c / two);
            (r, most_r) = (r * two, most_r * two);
        }
        if c + r >= T::R::of(0.95) * sum {
            continue;
        }
        changed = true;
        if let Mark::Scaled(scale) = &mut out.marks[i] {
            *scale *= f;
        }
        (out.low..n).for_each(|k| a[(i, k)] = a[(i, k)].unscale(f));
        (0..=out.high).for_each(|k| a[(k, i)] = a[(k, i)].scale(f));
    }
    changed
}

fn most<T: Field>(cells: impl Iterator<Item = T>) -> T::R {
    cells.fold(T::R::of(0.0), |m, x| m.max(x.modulus()))
}

impl<R: Real> Balance<R> {
    /// Turns eigenvectors (columns) of the balanced matrix into those of the original one.
    pub fn undo<T: Field<R = R>>(&self, vectors: &mut Matrix<T>) {
        for i in self.low..=self.high.min(vectors.nrows().saturating_sub(1)) {
            if let Some(Mark::Scaled(scale)) = self.marks.get(i) {
                vectors.row_mut(i).iter_mut().for_each(|x| *x = x.scale(*scale));
            }
        }
        let outside = (0..self.low).rev().chain(self.high + 1..vectors.nrows());
        for i in outside {
            if let Mark::Exchanged(with) = self.marks[i] {
                vectors.swap_rows(i, with);
            }
        }
    }
}

/// Reduces the rows `low..=high` of a matrix to Hessenberg form, in place (`gehrd`); gives Q with `A = Q H Qᴴ`.
pub fn reduce<T: Field>(a: &mut Matrix<T>, low: usize, high: usize) -> Result<Matrix<T>> {
    let n = a.nrows();
    if n >= LARGE {
        return reduce_late(a, low, high);
    }
    if few_double::takes::<T>(n) {
        return Ok(few_double::reduce(a, low, high));
    }
    let mut steps = vec![];
    for i in low..high {
        interrupt::check()?;
        let at = i * n + i + 1;
        let norm = if few::takes(n, n) && T::IS_COMPLEX { norm_in_turn } else { T::norm };
        let (step, beta) = reflector_by(&a.as_slice()[at..i * n + high + 1], norm);
        let step = Reflector { at: Some(at), ..step };
        if few::takes(n, n) && !T::IS_COMPLEX {
            few::change_rows(&step, step.tau, a, 0..high + 1, i + 1);
            few::change_columns(&step, step.tau, a, i + 1, i + 1..n);
        } else if few::takes(n, n) && step.tau != T::zero() {
            few::reflect_rows(&step, step.tau, a, 0..high + 1, i + 1, few::First::Among);
            few::reflect_columns(&step, step.tau.conjugate(), a, i + 1, i + 1..n, few::First::Among);
        } else {
            step.apply_right(step.tau, a, 0..high + 1, i + 1);
            step.apply_left(step.tau.conjugate(), a, i + 1, i + 1..n);
        }
        a[(i + 1, i)] = T::from_real(beta);
        a.as_mut_slice()[i * n + i + 2..(i + 1) * n].fill(T::zero());
        steps.push(step);
    }
    reflections::product(&steps, low + 1, n, n)
}

/// Rows from which on a matrix is changed in the pass that finds the next step.
const LARGE: usize = 48;

/// As [`reduce`], in one pass over the matrix for each step: `A -= x vᴴ + v z` is done when the next step has to know `A v` and `vᴴ A`.
fn reduce_late<T: Field>(a: &mut Matrix<T>, low: usize, high: usize) -> Result<Matrix<T>> {
    let n = a.nrows();
    let mut steps = vec![];
    let mut left = [vec![T::zero(); n], vec![T::zero(); n]];
    let mut right = [vec![T::zero(); n - low], vec![T::zero(); n - low]];
    for i in low..high {
        interrupt::check()?;
        let change = Change { left: left.each_ref().map(|x| &x[..]), right: right.each_ref().map(|x| &x[..]) };
        let column = &mut a.as_mut_slice()[i * n..(i + 1) * n];
        subtract_two(column, (change.left[0], change.right[0][0]), (change.left[1], change.right[1][0]));
        let (step, beta) = reflector(&column[i + 1..high + 1]);
        column[i + 1] = T::from_real(beta);
        column[i + 2..].fill(T::zero());
        let mut v = vec![T::zero(); n];
        v[i + 1..][..step.v.len()].copy_from_slice(&step.v);
        let (mut x, mut z) = (vec![T::zero(); n], vec![T::zero(); n - i - 1]);
        let rest = &mut a.as_mut_slice()[(i + 1) * n..];
        change_and_multiply_both(rest, n, &change.after(0, 1), [&v, &v[i + 1..]], [&mut z, &mut x]);
        x.iter_mut().for_each(|x| *x *= step.tau);
        let met = v.iter().zip(&x).fold(T::zero(), |sum, (v, x)| sum + v.conjugate() * *x);
        let across: Vec<T> = v[i + 1..].iter().map(|v| v.conjugate()).collect();
        z.iter_mut().zip(&across).for_each(|(z, v)| *z = step.tau.conjugate() * (*z - met * *v));
        (left, right) = ([x, v], [across, z]);
        steps.push(step);
    }
    for (j, column) in a.as_mut_slice()[high * n..].chunks_exact_mut(n).enumerate() {
        subtract_two(column, (&left[0], right[0][j]), (&left[1], right[1][j]));
    }
    reflections::product(&steps, low + 1, n, n)
}
