//! The Schur form of a complex Hessenberg matrix by the single-shift QR iteration (`lahqr`).

use super::Matrix;
use super::field::{Field, Real};
use super::reflector::reflector;
use crate::interrupt;
use anyhow::Result;
use nalgebra::ComplexField;
use num_complex::Complex;

/// The iteration and what it works on: `h` becomes triangular, `z` collects the rotations.
pub struct Schur<R: Real>
where
    Complex<R>: Field<R = R>,
{
    /// Hessenberg at first, triangular at the end.
    pub h: Matrix<Complex<R>>,
    /// Multiplied from the right by every step; may have no rows.
    pub z: Matrix<Complex<R>>,
}

/// After how many steps without success an unusual shift is tried, and once more after twice as many.
const PATIENCE: usize = 10;

impl<R: Real> Schur<R>
where
    Complex<R>: Field<R = R>,
{
    /// Runs the iteration on the rows `low..=high`; rows outside are triangular already. False when it does not converge.
    pub fn run(&mut self, low: usize, high: usize) -> Result<bool> {
        for i in low + 1..=high {
            self.make_real(i);
        }
        let limit = 30 * (high + 1 - low).max(10);
        let mut end = high + 1;
        while end > low {
            let i = end - 1;
            let mut tries = 0;
            loop {
                interrupt::check()?;
                let start = self.block_start(low, i);
                if start >= i {
                    break;
                }
                tries += 1;
                if tries > limit {
                    return Ok(false);
                }
                self.sweep(start, i, tries);
            }
            end = i;
        }
        Ok(true)
    }

    /// Turns the phase of row and column `i` so that the entry under the diagonal is real and positive.
    fn make_real(&mut self, i: usize) {
        let entry = self.h[(i, i - 1)];
        if entry.imaginary() == R::of(0.0) {
            return;
        }
        let size = entry.modulus();
        let phase = entry.unscale(size);
        self.h[(i, i - 1)] = Complex::from_real(size);
        self.scale_row(i, i, phase.conjugate());
        let n = self.h.nrows();
        self.scale_column(i, (i + 2).min(n), phase);
    }

    /// `h[i, from..] *= by`
    fn scale_row(&mut self, i: usize, from: usize, by: Complex<R>) {
        (from..self.h.ncols()).for_each(|j| self.h[(i, j)] *= by);
    }

    /// `h[..to, i] *= by` and the whole column of `z`.
    fn scale_column(&mut self, i: usize, to: usize, by: Complex<R>) {
        (0..to).for_each(|r| self.h[(r, i)] *= by);
        self.z.column_mut(i).iter_mut().for_each(|x| *x *= by);
    }

    fn block_start(&mut self, low: usize, i: usize) -> usize {
        let smallest = R::TINY * R::of(self.h.nrows() as f64) / R::EPSILON;
        let start = (low + 1..=i).rev().find(|k| self.negligible(*k, low, i, smallest)).unwrap_or(low);
        if start > low {
            self.h[(start, start - 1)] = Complex::from_real(R::of(0.0));
        }
        start
    }

    fn negligible(&self, k: usize, low: usize, high: usize, smallest: R) -> bool {
        let h = |i: usize, j: usize| self.h[(i, j)].norm1();
        let under = h(k, k - 1);
        if under <= smallest {
            return true;
        }
        let mut around = h(k - 1, k - 1) + h(k, k);
        if around == R::of(0.0) {
            around += if k >= low + 2 { self.h[(k - 1, k - 2)].real().abs() } else { R::of(0.0) };
            around += if k < high { self.h[(k + 1, k)].real().abs() } else { R::of(0.0) };
        }
        if self.h[(k, k - 1)].real().abs() > R::EPSILON * around {
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
    fn shift(&self, start: usize, i: usize, tries: usize) -> Complex<R> {
        let h = |r: usize, c: usize| self.h[(r, c)];
        let far = |entry: Complex<R>| Complex::from_real(R::of(0.75) * entry.real().abs());
        if tries == 2 * PATIENCE + 1 {
            return far(h(i, i - 1)) + h(i, i);
        }
        if tries == PATIENCE + 1 {
            return far(h(start + 1, start)) + h(start, start);
        }
        let corner = h(i, i);
        let u = root(h(i - 1, i)) * root(h(i, i - 1));
        if u.norm1() == R::of(0.0) {
            return corner;
        }
        let x = (h(i - 1, i - 1) - corner).scale(R::of(0.5));
        let s = u.norm1().max(x.norm1());
        let (xs, us) = (x.unscale(s), u.unscale(s));
        let mut y = root(xs * xs + us * us).scale(s);
        if x.norm1() > R::of(0.0) && (x.conjugate() * y).real() < R::of(0.0) {
            y = -y;
        }
        corner - u * u.over(x + y)
    }

    /// The first two entries of the shifted column at row `m`, scaled.
    fn first_column(&self, m: usize, shift: Complex<R>) -> [Complex<R>; 2] {
        let under = self.h[(m + 1, m)].real();
        let on = self.h[(m, m)] - shift;
        let s = on.norm1() + under.abs();
        [on.unscale(s), Complex::from_real(under / s)]
    }

    /// One step on the block `start..=i`.
    fn sweep(&mut self, start: usize, i: usize, tries: usize) {
        let shift = self.shift(start, i, tries);
        let mut m = i - 1;
        let mut v = self.first_column(m, shift);
        while m > start {
            let around = self.h[(m, m)].norm1() + self.h[(m + 1, m + 1)].norm1();
            let under = self.h[(m, m - 1)].real().abs();
            if under * v[1].real().abs() <= R::EPSILON * (v[0].norm1() * around) {
                break;
            }
            m -= 1;
            v = self.first_column(m, shift);
        }
        let n = self.h.ncols();
        for k in m..i {
            if k > m {
                v = [self.h[(k, k - 1)], self.h[(k + 1, k - 1)]];
            }
            let (step, beta) = reflector(&v);
            if k > m {
                self.h[(k, k - 1)] = Complex::from_real(beta);
                self.h[(k + 1, k - 1)] = Complex::from_real(R::of(0.0));
            }
            // For the values alone, only the block counts.
            let rows = self.z.nrows();
            let (top, end) = if rows > 0 { (0, n) } else { (start, i + 1) };
            step.apply_left(step.tau.conjugate(), &mut self.h, k, k..end);
            step.apply_right(step.tau, &mut self.h, top..(k + 3).min(i + 1), k);
            step.apply_right(step.tau, &mut self.z, 0..rows, k);
            if k == m && m > start {
                self.restore_phase(m, i, step.tau);
            }
        }
        self.make_corner_real(i);
    }

    /// A step that began inside the block left the entry above its start complex.
    fn restore_phase(&mut self, m: usize, i: usize, tau: Complex<R>) {
        let turn = Complex::from_real(R::of(1.0)) - tau;
        let turn = turn.unscale(turn.modulus());
        self.h[(m + 1, m)] *= turn.conjugate();
        if m + 2 <= i {
            self.h[(m + 2, m + 1)] *= turn;
        }
        for j in m..=i {
            if j != m + 1 {
                self.scale_row(j, j + 1, turn);
                self.scale_column(j, j, turn.conjugate());
            }
        }
    }

    fn make_corner_real(&mut self, i: usize) {
        let entry = self.h[(i, i - 1)];
        if entry.imaginary() == R::of(0.0) {
            return;
        }
        let size = entry.modulus();
        let phase = entry.unscale(size);
        self.h[(i, i - 1)] = Complex::from_real(size);
        self.scale_row(i, i + 1, phase.conjugate());
        self.scale_column(i, i, phase);
    }
}

/// The principal square root; exact on the axes.
fn root<R: Real>(z: Complex<R>) -> Complex<R>
where
    Complex<R>: Field<R = R>,
{
    let zero = R::of(0.0);
    if z.im == zero && z.re >= zero {
        return Complex::new(ComplexField::sqrt(z.re), zero);
    }
    let large = ComplexField::sqrt((z.modulus() + ComplexField::abs(z.re)) * R::of(0.5));
    let small = ComplexField::abs(z.im) / (large + large);
    let (re, im) = if z.re >= zero { (large, small) } else { (small, large) };
    Complex::new(re, im.signed(z.im))
}
