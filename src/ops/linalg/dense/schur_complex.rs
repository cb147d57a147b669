//! The Schur form of a complex Hessenberg matrix by the single-shift QR iteration, in the order of LAPACK's `lahqr`: every product and
//! sum of it is rounded, and so small matrices have PyTorch's last bits.

use super::Matrix;
use super::compiled::Compiled;
use super::field::{Field, Real};
use super::reflector::{Reflector, reflector};
use crate::interrupt;
use anyhow::Result;
use nalgebra::ComplexField;
use num_complex::Complex;
use std::ops::{Range, RangeInclusive};

/// The iteration and what it works on: `h` becomes triangular, `z` collects the rotations.
pub struct Schur<R: Real>
where
    Complex<R>: Field<R = R>,
{
    /// Hessenberg at first, triangular at the end.
    pub h: Matrix<Complex<R>>,
    /// Multiplied from the right by every step; may have no rows, and then `h` is right on its diagonal alone.
    pub z: Matrix<Complex<R>>,
}

/// Rows of the whole problem, and a block of them that is worked on: its first, its last, and how many steps did not separate it.
struct Block {
    part: RangeInclusive<usize>,
    start: usize,
    end: usize,
    tries: usize,
}

/// After how many steps without success an unusual shift is tried.
const PATIENCE: usize = 10;

impl<R: Real + Compiled> Schur<R>
where
    Complex<R>: Field<R = R>,
{
    /// Runs the iteration on the rows `low..=high`; rows outside are triangular already. False when it does not converge.
    pub fn run(&mut self, low: usize, high: usize) -> Result<bool> {
        if low == high {
            return Ok(true);
        }
        for i in low + 1..=high {
            self.make_real(i, low, high);
        }
        let limit = 30 * (high + 1 - low).max(10);
        let mut end = high + 1;
        while end > low {
            let mut block = Block { part: low..=high, start: low, end: end - 1, tries: 0 };
            loop {
                interrupt::check()?;
                block.start = self.block_start(low, high, block.end);
                if block.start >= block.end {
                    break;
                }
                block.tries += 1;
                if block.tries > limit + 1 {
                    return Ok(false);
                }
                self.sweep(&block);
            }
            end = block.start;
        }
        Ok(true)
    }

    fn has_vectors(&self) -> bool {
        self.z.nrows() > 0
    }

    /// Turns the phase of row and column `i` so that the entry under the diagonal is real and positive.
    fn make_real(&mut self, i: usize, low: usize, high: usize) {
        let entry = self.h[(i, i - 1)];
        if entry.im == R::of(0.0) {
            return;
        }
        let near = entry.unscale(entry.norm1());
        let phase = near.conjugate().unscale(R::size(near));
        self.h[(i, i - 1)] = Complex::from_real(R::size(entry));
        let (first, last) = if self.has_vectors() { (0, self.h.nrows() - 1) } else { (low, high) };
        self.scale_row(i, i..last + 1, phase);
        self.scale_column(i, first..last.min(i + 1) + 1, phase.conjugate());
        self.scale_z(i, &(low..=high), phase.conjugate());
    }

    /// `h[i, columns] *= by`
    fn scale_row(&mut self, i: usize, columns: Range<usize>, by: Complex<R>) {
        columns.for_each(|j| self.h[(i, j)] = by * self.h[(i, j)]);
    }

    /// `h[rows, i] *= by`
    fn scale_column(&mut self, i: usize, rows: Range<usize>, by: Complex<R>) {
        rows.for_each(|r| self.h[(r, i)] = by * self.h[(r, i)]);
    }

    /// The same for a column of `z`.
    fn scale_z(&mut self, i: usize, part: &RangeInclusive<usize>, by: Complex<R>) {
        if self.has_vectors() {
            part.clone().for_each(|r| self.z[(r, i)] = by * self.z[(r, i)]);
        }
    }

    /// The first row of the block that ends at a row; what is above it is separated.
    fn block_start(&mut self, low: usize, high: usize, end: usize) -> usize {
        let smallest = R::TINY * (R::of((high + 1 - low) as f64) / R::EPSILON);
        let start = (low + 1..=end).rev().find(|k| self.is_negligible(*k, low, high, smallest)).unwrap_or(low);
        if start > low {
            self.h[(start, start - 1)] = Complex::from_real(R::of(0.0));
        }
        start
    }

    fn is_negligible(&self, k: usize, low: usize, high: usize, smallest: R) -> bool {
        let h = |i: usize, j: usize| self.h[(i, j)].norm1();
        let under = h(k, k - 1);
        if under <= smallest {
            return true;
        }
        let mut around = h(k - 1, k - 1) + h(k, k);
        if around == R::of(0.0) {
            around += if k >= low + 2 { self.h[(k - 1, k - 2)].re.abs() } else { R::of(0.0) };
            around += if k < high { self.h[(k + 1, k)].re.abs() } else { R::of(0.0) };
        }
        if self.h[(k, k - 1)].re.abs() > R::EPSILON * around {
            return false;
        }
        let over = h(k - 1, k);
        let apart = (self.h[(k - 1, k - 1)] - self.h[(k, k)]).norm1();
        let (ab, ba) = (under.max(over), under.min(over));
        let (aa, bb) = (h(k, k).max(apart), h(k, k).min(apart));
        let s = aa + ab;
        ba * (ab / s) <= smallest.max(R::EPSILON * (bb * (aa / s)))
    }

    /// The eigenvalue of the last 2x2 block that is nearer to the corner.
    fn shift(&self, block: &Block) -> Complex<R> {
        let (h, i, start) = (|r: usize, c: usize| self.h[(r, c)], block.end, block.start);
        let far = |entry: Complex<R>| Complex::from_real(R::of(0.75) * entry.re.abs());
        if block.tries.is_multiple_of(2 * PATIENCE) {
            return far(h(i, i - 1)) + h(i, i);
        }
        if block.tries.is_multiple_of(PATIENCE) {
            return far(h(start + 1, start)) + h(start, start);
        }
        let corner = h(i, i);
        let u = R::root(h(i - 1, i)) * R::root(h(i, i - 1));
        if u.norm1() == R::of(0.0) {
            return corner;
        }
        let x = (h(i - 1, i - 1) - corner).scale(R::of(0.5));
        let s = u.norm1().max(x.norm1());
        let (xs, us) = (x.unscale(s), u.unscale(s));
        let mut y = R::root(xs * xs + us * us).scale(s);
        if x.norm1() > R::of(0.0) {
            let ahead = x.unscale(x.norm1());
            if ahead.re * y.re + ahead.im * y.im < R::of(0.0) {
                y = -y;
            }
        }
        corner - u * robust_quotient(u, x + y)
    }

    /// The first two entries of the shifted column at row `m`, scaled.
    fn first_column(&self, m: usize, shift: Complex<R>) -> [Complex<R>; 2] {
        let under = self.h[(m + 1, m)].re;
        let on = self.h[(m, m)] - shift;
        let s = on.norm1() + under.abs();
        [on.unscale(s), Complex::from_real(under / s)]
    }

    /// One step on the block.
    fn sweep(&mut self, block: &Block) {
        let (shift, start, i) = (self.shift(block), block.start, block.end);
        let mut m = i - 1;
        let mut v = self.first_column(m, shift);
        while m > start {
            let around = self.h[(m, m)].norm1() + self.h[(m + 1, m + 1)].norm1();
            let under = self.h[(m, m - 1)].re.abs();
            if under * v[1].re.abs() <= R::EPSILON * (v[0].norm1() * around) {
                break;
            }
            m -= 1;
            v = self.first_column(m, shift);
        }
        // For the values alone, only the block counts.
        let (top, columns) = if self.has_vectors() { (0, self.h.ncols()) } else { (start, i + 1) };
        for k in m..i {
            if k > m {
                v = [self.h[(k, k - 1)], self.h[(k + 1, k - 1)]];
            }
            let (step, beta) = reflector(&v);
            if k > m {
                self.h[(k, k - 1)] = Complex::from_real(beta);
                self.h[(k + 1, k - 1)] = Complex::from_real(R::of(0.0));
            }
            reflect_rows(&step, &mut self.h, k, k..columns);
            reflect_columns(&step, &mut self.h, k, top..(k + 3).min(i + 1));
            if self.has_vectors() {
                reflect_columns(&step, &mut self.z, k, *block.part.start()..block.part.end() + 1);
            }
            if k == m && m > start {
                self.restore_phase(m, block, Complex::from_real(R::of(1.0)) - step.tau, top, columns);
            }
        }
        self.make_corner_real(block, top, columns);
    }

    /// A step that began inside the block left the entry above its start complex.
    fn restore_phase(&mut self, m: usize, block: &Block, turn: Complex<R>, top: usize, columns: usize) {
        let turn = turn.unscale(R::size(turn));
        self.h[(m + 1, m)] *= turn.conjugate();
        if m + 2 <= block.end {
            self.h[(m + 2, m + 1)] *= turn;
        }
        for j in m..=block.end {
            if j != m + 1 {
                self.scale_row(j, j + 1..columns, turn);
                self.scale_column(j, top..j, turn.conjugate());
                self.scale_z(j, &block.part, turn.conjugate());
            }
        }
    }

    fn make_corner_real(&mut self, block: &Block, top: usize, columns: usize) {
        let i = block.end;
        let entry = self.h[(i, i - 1)];
        if entry.im == R::of(0.0) {
            return;
        }
        let size = R::size(entry);
        let phase = entry.unscale(size);
        self.h[(i, i - 1)] = Complex::from_real(size);
        self.scale_row(i, i + 1..columns, phase.conjugate());
        self.scale_column(i, top..i, phase);
        self.scale_z(i, &block.part, phase);
    }
}

/// What a reflection of two rows does to some columns. The second entry of its direction times its factor is real.
fn reflect_rows<R: Real>(step: &Reflector<Complex<R>>, a: &mut Matrix<Complex<R>>, row: usize, columns: Range<usize>)
where
    Complex<R>: Field<R = R>,
{
    let (height, second) = (a.nrows(), step.v[1]);
    let (turned, real) = (step.tau.conjugate(), (step.tau * second).re);
    for column in a.as_mut_slice()[columns.start * height..columns.end * height].chunks_exact_mut(height) {
        if let [x, y] = &mut column[row..row + 2] {
            let sum = turned * *x + y.scale(real);
            *x -= sum;
            *y -= sum * second;
        }
    }
}

/// The same of two columns, to some rows.
fn reflect_columns<R: Real>(step: &Reflector<Complex<R>>, a: &mut Matrix<Complex<R>>, column: usize, rows: Range<usize>)
where
    Complex<R>: Field<R = R>,
{
    let (height, second) = (a.nrows(), step.v[1].conjugate());
    let real = (step.tau * step.v[1]).re;
    let (left, right) = a.as_mut_slice()[column * height..].split_at_mut(height);
    for (x, y) in left[rows.clone()].iter_mut().zip(&mut right[rows]) {
        let sum = step.tau * *x + y.scale(real);
        *x -= sum;
        *y -= sum * second;
    }
}

/// The quotient by the larger part of the divisor, as LAPACK's `ladiv` has it.
fn robust_quotient<R: Real>(a: Complex<R>, b: Complex<R>) -> Complex<R> {
    let zero = R::of(0.0);
    let part = |x: R, y: R, large: R, small: R, ratio: R, by: R| {
        if ratio == zero {
            return (x + small * (y / large)) * by;
        }
        let less = y * ratio;
        if less == zero { x * by + (y * by) * ratio } else { (x + less) * by }
    };
    let is_upright = b.im.abs() > b.re.abs();
    let (large, small) = if is_upright { (b.im, b.re) } else { (b.re, b.im) };
    let (x, y) = if is_upright { (a.im, a.re) } else { (a.re, a.im) };
    let ratio = small / large;
    let by = R::of(1.0) / (large + small * ratio);
    let im = part(y, -x, large, small, ratio, by);
    Complex::new(part(x, y, large, small, ratio, by), if is_upright { -im } else { im })
}
