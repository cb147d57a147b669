//! The decomposition `A = L D Lᵀ` of a symmetric matrix (`L D Lᴴ` of a Hermitian one) that need not be positive-definite, with
//! the pivots of Bunch and Kaufman that `sytrf` and `hetrf` choose: D has blocks of one and of two rows.

use super::Matrix;
use super::field::{Field, Real};
use super::rotation::hypotenuse;
use crate::interrupt;
use anyhow::Result;
use nalgebra::{ComplexField, RealField};

/// A factored matrix, in LAPACK's compact form.
pub struct Factored<T: Field> {
    /// D on and beside the diagonal, L below it.
    pub packed: Matrix<T>,
    /// For each row the row it was exchanged with, counted from 1; negative twice in a row for a block of two.
    pub pivots: Vec<i32>,
    /// The first block of D that is zero.
    pub zero: Option<usize>,
}

/// The decomposition in progress.
struct Work<T: Field> {
    a: Matrix<T>,
    hermitian: bool,
}

/// Factors a matrix, of which only the lower triangle is read.
pub fn factor<T: Field>(a: &Matrix<T>, hermitian: bool) -> Result<Factored<T>> {
    let n = a.nrows();
    let mut work = Work { a: a.lower_triangle(), hermitian };
    let (mut pivots, mut zero) = (Vec::with_capacity(n), None);
    let mut k = 0;
    while k < n {
        interrupt::check()?;
        let Some((pivot, size)) = work.choose(k) else {
            zero = zero.or(Some(k));
            pivots.push(k as i32 + 1);
            work.keep_real(k);
            k += 1;
            continue;
        };
        work.exchange(k, pivot, size);
        if size == 1 {
            work.eliminate_one(k)
        } else {
            work.eliminate_two(k)
        }
        let mark = pivot as i32 + 1;
        pivots.extend(if size == 1 { vec![mark] } else { vec![-mark, -mark] });
        k += size;
    }
    Ok(Factored { packed: work.a, pivots, zero })
}

impl<T: Field> Work<T> {
    fn mirror(&self, x: T) -> T {
        if self.hermitian { x.conjugate() } else { x }
    }

    fn keep_real(&mut self, k: usize) {
        if self.hermitian {
            self.a[(k, k)] = T::from_real(self.a[(k, k)].real());
        }
    }

    fn diagonal(&self, k: usize) -> T::R {
        if self.hermitian { self.a[(k, k)].real().abs() } else { self.a[(k, k)].norm1() }
    }

    /// The entry of largest size in rows `from..` of column `k`, and its row. A nan is the largest where it is the first.
    fn largest_below(&self, k: usize, from: usize) -> (T::R, usize) {
        let sizes = (from..self.a.nrows()).map(|i| (self.a[(i, k)].norm1(), i));
        sizes.reduce(|best, (size, i)| if size > best.0 { (size, i) } else { best }).unwrap_or((T::R::of(0.0), from))
    }

    /// The row to exchange with and the size of the block; none when the column is zero.
    fn choose(&self, k: usize) -> Option<(usize, usize)> {
        let alpha = T::R::of((1.0 + 17f64.sqrt()) / 8.0);
        let here = self.diagonal(k);
        let (most, row) = self.largest_below(k, k + 1);
        if here.max(most) == T::R::of(0.0) {
            return None;
        }
        if here >= alpha * most {
            return Some((k, 1));
        }
        let sizes = (k..row).map(|j| self.a[(row, j)].norm1());
        let across = sizes.reduce(|most, size| if size > most { size } else { most }).unwrap_or(T::R::of(0.0));
        let below = self.largest_below(row, row + 1).0;
        let across = if below > across { below } else { across };
        if here >= alpha * most * (most / across) {
            Some((k, 1))
        } else if self.diagonal(row) >= alpha * across {
            Some((row, 1))
        } else {
            Some((row, 2))
        }
    }

    /// Exchanges rows and columns of what is left.
    fn exchange(&mut self, k: usize, pivot: usize, size: usize) {
        let at = k + size - 1;
        if pivot == at {
            if self.hermitian {
                (k..k + size).for_each(|i| self.keep_real(i));
            }
            return;
        }
        let a = &mut self.a;
        for i in pivot + 1..a.nrows() {
            a.swap((i, at), (i, pivot));
        }
        for j in at + 1..pivot {
            let (x, y) = (a[(j, at)], a[(pivot, j)]);
            (a[(j, at)], a[(pivot, j)]) = if self.hermitian { (y.conjugate(), x.conjugate()) } else { (y, x) };
        }
        if self.hermitian {
            a[(pivot, at)] = a[(pivot, at)].conjugate();
        }
        a.swap((at, at), (pivot, pivot));
        if size == 2 {
            a.swap((k + 1, k), (pivot, k));
        }
        self.keep_real(k);
        self.keep_real(at);
        self.keep_real(pivot);
    }

    fn eliminate_one(&mut self, k: usize) {
        if T::IS_COMPLEX {
            return self.eliminate_one_complex(k);
        }
        let n = self.a.nrows();
        let inverse = T::one().over(self.a[(k, k)]);
        // The reciprocal of an infinity changes nothing, be there infinities in the column.
        let changed = if inverse == T::zero() { n } else { k + 1 };
        for j in changed..n {
            let by = self.mirror(self.a[(j, k)]) * inverse;
            for i in j..n {
                let x = self.a[(i, k)];
                self.a[(i, j)] -= x * by;
            }
            self.keep_real(j);
        }
        (k + 1..n).for_each(|i| self.a[(i, k)] *= inverse);
    }

    /// In LAPACK's order: multiples of the negative reciprocal are added, which for a Hermitian matrix is real.
    fn eliminate_one_complex(&mut self, k: usize) {
        let (n, pivot, one) = (self.a.nrows(), self.a[(k, k)], T::one());
        let inverse = if self.hermitian { T::from_real(T::R::of(1.0) / pivot.real()) } else { one.divided(pivot) };
        let hermitian = self.hermitian;
        let times = |x: T, by: T| if hermitian { x.scale(by.real()) } else { x * by };
        for j in k + 1..n {
            let by = times(self.mirror(self.a[(j, k)]), -inverse);
            for i in j..n {
                let x = self.a[(i, k)];
                self.a[(i, j)] += x * by;
            }
            self.keep_real(j);
        }
        (k + 1..n).for_each(|i| self.a[(i, k)] = times(self.a[(i, k)], inverse));
    }

    /// In LAPACK's order: the block is divided by its entry beside the diagonal first.
    fn eliminate_two_complex(&mut self, k: usize) {
        let (n, one) = (self.a.nrows(), T::one());
        let (first, beside, second) = (self.a[(k, k)], self.a[(k + 1, k)], self.a[(k + 1, k + 1)]);
        let size = hypotenuse(beside.real(), beside.imaginary());
        let [d11, d22] = [second, first].map(|x| if self.hermitian { x.unscale(size) } else { x.divided(beside) });
        let determinant = one.divided(d11 * d22 - one);
        let (d21, by) = match self.hermitian {
            true => (beside.unscale(size), determinant.unscale(size)),
            false => (one, determinant.divided(beside)),
        };
        for j in k + 2..n {
            let (x, y) = (self.a[(j, k)], self.a[(j, k + 1)]);
            let (left, right) = match self.hermitian {
                true => (x.scale(d11.real()) - d21 * y, y.scale(d22.real()) - d21.conjugate() * x),
                false => (d11 * x - y, d22 * y - x),
            };
            let [left, right] = [left, right].map(|x| if self.hermitian { x.scale(by.real()) } else { by * x });
            let (across, down) = (self.mirror(left), self.mirror(right));
            for i in j..n {
                let (p, q) = (self.a[(i, k)], self.a[(i, k + 1)]);
                self.a[(i, j)] = self.a[(i, j)] - p * across - q * down;
            }
            (self.a[(j, k)], self.a[(j, k + 1)]) = (left, right);
            self.keep_real(j);
        }
    }

    fn eliminate_two(&mut self, k: usize) {
        if T::IS_COMPLEX {
            return self.eliminate_two_complex(k);
        }
        let n = self.a.nrows();
        let (d11, d21, d22) = (self.a[(k, k)], self.a[(k + 1, k)], self.a[(k + 1, k + 1)]);
        let d12 = self.mirror(d21);
        let determinant = d11 * d22 - d21 * d12;
        for j in k + 2..n {
            // The row (x, y) D⁻¹ of L.
            let (x, y) = (self.a[(j, k)], self.a[(j, k + 1)]);
            let (first, second) = ((x * d22 - y * d21).over(determinant), (y * d11 - x * d12).over(determinant));
            let (by, and) = (self.mirror(first), self.mirror(second));
            for i in j..n {
                let (p, q) = (self.a[(i, k)], self.a[(i, k + 1)]);
                self.a[(i, j)] -= p * by + q * and;
            }
            (self.a[(j, k)], self.a[(j, k + 1)]) = (first, second);
            self.keep_real(j);
        }
    }
}

impl<T: Field> Factored<T> {
    /// Solves `A x = b` for every column of `b`, in place.
    pub fn solve(&self, b: &mut Matrix<T>, hermitian: bool) -> Result<()> {
        if T::IS_COMPLEX {
            return self.solve_complex(b, hermitian);
        }
        let n = self.packed.nrows();
        let blocks = self.blocks();
        for &(k, size) in &blocks {
            interrupt::check()?;
            b.swap_rows(k + size - 1, self.partner(k));
            for i in k + size..n {
                for j in k..k + size {
                    subtract_row(b, i, j, self.packed[(i, j)]);
                }
            }
            self.divide(b, k, size, hermitian);
        }
        for &(k, size) in blocks.iter().rev() {
            for i in k + size..n {
                for j in k..k + size {
                    let by = self.packed[(i, j)];
                    subtract_row(b, j, i, if hermitian { by.conjugate() } else { by });
                }
            }
            b.swap_rows(k + size - 1, self.partner(k));
        }
        Ok(())
    }

    /// In LAPACK's order, which decides the signs of zeros.
    fn solve_complex(&self, b: &mut Matrix<T>, hermitian: bool) -> Result<()> {
        let (n, columns, less) = (self.packed.nrows(), b.ncols(), T::from_real(T::R::of(-1.0)));
        let blocks = self.blocks();
        let turned = |x: T| if hermitian { x.conjugate() } else { x };
        for &(k, size) in &blocks {
            interrupt::check()?;
            b.swap_rows(k + size - 1, self.partner(k));
            for (j, column) in (k..k + size).flat_map(|j| (0..columns).map(move |column| (j, column))) {
                let by = less * b[(j, column)];
                (k + size..n).for_each(|i| b[(i, column)] += self.packed[(i, j)] * by);
            }
            (0..columns).for_each(|column| self.divide_complex(b, (k, column), size, hermitian));
        }
        for &(k, size) in blocks.iter().rev() {
            for (j, column) in (k..k + size).flat_map(|j| (0..columns).map(move |column| (j, column))) {
                (k + size..n).for_each(|i| {
                    let term = b[(i, column)] * (less * turned(self.packed[(i, j)]));
                    b[(j, column)] += term;
                });
            }
            b.swap_rows(k + size - 1, self.partner(k));
        }
        Ok(())
    }

    fn divide_complex(&self, b: &mut Matrix<T>, (k, column): (usize, usize), size: usize, hermitian: bool) {
        let (d, one) = (&self.packed, T::one());
        if size == 1 {
            let (x, pivot) = (b[(k, column)], d[(k, k)]);
            b[(k, column)] = if hermitian { x.scale(T::R::of(1.0) / pivot.real()) } else { x * one.divided(pivot) };
            return;
        }
        let below = d[(k + 1, k)];
        let beside = if hermitian { below.conjugate() } else { below };
        let (first, second) = (d[(k, k)].divided(beside), d[(k + 1, k + 1)].divided(below));
        let determinant = first * second - one;
        let (x, y) = (b[(k, column)].divided(beside), b[(k + 1, column)].divided(below));
        b[(k, column)] = (second * x - y).divided(determinant);
        b[(k + 1, column)] = (first * y - x).divided(determinant);
    }

    /// Where each block starts and how many rows it has.
    fn blocks(&self) -> Vec<(usize, usize)> {
        let mut blocks = vec![];
        let mut k = 0;
        while k < self.pivots.len() {
            let size = if self.pivots[k] < 0 && k + 1 < self.pivots.len() { 2 } else { 1 };
            blocks.push((k, size));
            k += size;
        }
        blocks
    }

    fn partner(&self, k: usize) -> usize {
        self.pivots[k].unsigned_abs() as usize - 1
    }

    /// Divides the rows of one block by D.
    fn divide(&self, b: &mut Matrix<T>, k: usize, size: usize, hermitian: bool) {
        let d = &self.packed;
        for column in 0..b.ncols() {
            if size == 1 {
                b[(k, column)] = b[(k, column)].over(d[(k, k)]);
                continue;
            }
            let below = d[(k + 1, k)];
            let beside = if hermitian { below.conjugate() } else { below };
            let determinant = d[(k, k)] * d[(k + 1, k + 1)] - below * beside;
            let (x, y) = (b[(k, column)], b[(k + 1, column)]);
            b[(k, column)] = (x * d[(k + 1, k + 1)] - y * beside).over(determinant);
            b[(k + 1, column)] = (y * d[(k, k)] - x * below).over(determinant);
        }
    }
}

/// Subtracts a multiple of row `from` from row `to`.
fn subtract_row<T: Field>(b: &mut Matrix<T>, to: usize, from: usize, by: T) {
    for column in 0..b.ncols() {
        let x = b[(from, column)];
        b[(to, column)] -= x * by;
    }
}
