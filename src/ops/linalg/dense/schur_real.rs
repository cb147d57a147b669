//! The real Schur form of a Hessenberg matrix by the double-shift QR iteration (`lahqr`).

use super::field::Real;
use super::reflector::{Reflector, reflector};
use super::rotation::hypotenuse;
use super::{Matrix, few, few_double};
use crate::interrupt;
use crate::kernel::blas::less;
use crate::kernel::chase::{Step, reflect_columns, reflect_rows};
use crate::kernel::team;
use anyhow::Result;
use num_complex::Complex;
use std::ops::Range;

/// The iteration and what it works on: `h` becomes quasi-triangular, `z` collects the rotations.
pub struct Schur<R: Real> {
    /// Hessenberg at first, quasi-triangular at the end: its 2x2 blocks are complex pairs.
    pub h: Matrix<R>,
    /// Multiplied from the right by every step. Without rows, the values alone are looked for, and what `h` becomes is no matter.
    pub z: Matrix<R>,
    /// The eigenvalues in the order of the diagonal.
    pub values: Vec<Complex<R>>,
}

/// Reflections that are done together to what lies far from the diagonal.
const TOGETHER: usize = 16;

/// Rows from which on a thread for each matrix is worth asking.
const LARGE: usize = 320;

/// After how many steps without success an unusual shift is tried, and once more after twice as many.
const PATIENCE: usize = 10;

impl<R: Real> Schur<R> {
    /// Starts from a Hessenberg matrix and the matrix that led to it.
    pub fn new(h: Matrix<R>, z: Matrix<R>) -> Schur<R> {
        let zero = Complex::new(R::of(0.0), R::of(0.0));
        let values = vec![zero; h.nrows()];
        Schur { h, z, values }
    }

    /// Runs the iteration on the rows `low..=high`; rows outside are triangular already. False when it does not converge.
    pub fn run(&mut self, low: usize, high: usize) -> Result<bool> {
        let n = self.h.nrows();
        for k in (0..low).chain(high + 1..n) {
            self.values[k] = Complex::new(self.h[(k, k)], R::of(0.0));
        }
        let limit = 30 * (high + 1 - low).max(10);
        let mut end = high + 1;
        while end > low {
            let i = end - 1;
            let mut tries = 0;
            let start = loop {
                interrupt::check()?;
                let start = self.block_start(low, i);
                if start + 1 >= i {
                    break start;
                }
                tries += 1;
                if tries > limit {
                    return Ok(false);
                }
                self.sweep(start, i, tries);
            };
            self.deflate(start, i);
            end = start;
        }
        Ok(true)
    }

    /// The first row of the block that ends at `i`: below the lowest negligible entry under the diagonal.
    fn block_start(&mut self, low: usize, i: usize) -> usize {
        let size = self.h.nrows();
        let smallest = R::TINY * R::of(size as f64) / R::EPSILON;
        let start = (low + 1..=i).rev().find(|k| self.negligible(*k, low, i, smallest)).unwrap_or(low);
        if start > low {
            self.h[(start, start - 1)] = R::of(0.0);
        }
        start
    }

    fn negligible(&self, k: usize, low: usize, high: usize, smallest: R) -> bool {
        let h = |i: usize, j: usize| self.h[(i, j)].abs();
        let under = h(k, k - 1);
        if under <= smallest {
            return true;
        }
        let mut around = h(k - 1, k - 1) + h(k, k);
        if around == R::of(0.0) {
            around += if k >= low + 2 { h(k - 1, k - 2) } else { R::of(0.0) };
            around += if k < high { h(k + 1, k) } else { R::of(0.0) };
        }
        if under > R::EPSILON * around {
            return false;
        }
        let over = h(k - 1, k);
        let apart = (self.h[(k - 1, k - 1)] - self.h[(k, k)]).abs();
        let (ab, ba) = (under.max(over), under.min(over));
        let (aa, bb) = (h(k, k).max(apart), h(k, k).min(apart));
        let s = aa + ab;
        ba * (ab / s) <= smallest.max(R::EPSILON * (bb * (aa / s)))
    }

    /// True where the library has formulas of its own.
    fn is_rearranged(&self) -> bool {
        few_double::takes::<R>(self.h.nrows())
    }

    /// The two shifts: eigenvalues of the last 2x2 block, a real pair replaced by the one nearer to the corner.
    fn shifts(&self, start: usize, i: usize, tries: usize) -> [Complex<R>; 2] {
        let h = |r: usize, c: usize| self.h[(r, c)];
        let unusual = |s: R, corner: R| {
            let d = R::of(0.75) * s + corner;
            [d, R::of(-0.4375) * s, s, d]
        };
        let [h11, h12, h21, h22] = if tries == 2 * PATIENCE + 1 {
            unusual(h(i, i - 1).abs() + h(i - 1, i - 2).abs(), h(i, i))
        } else if tries == PATIENCE + 1 {
            unusual(h(start + 1, start).abs() + h(start + 2, start + 1).abs(), h(start, start))
        } else {
            [h(i - 1, i - 1), h(i - 1, i), h(i, i - 1), h(i, i)]
        };
        if self.is_rearranged() {
            return few_double::shifts([h11, h12, h21, h22]);
        }
        let zero = R::of(0.0);
        let s = h11.abs() + h12.abs() + h21.abs() + h22.abs();
        if s == zero {
            return [Complex::new(zero, zero); 2];
        }
        let (h11, h12, h21, h22) = (h11 / s, h12 / s, h21 / s, h22 / s);
        let mean = (h11 + h22) / R::of(2.0);
        let determinant = (h11 - mean) * (h22 - mean) - h12 * h21;
        pair_or_near(mean, determinant, h22, s)
    }

    /// The first column of `(H - s₁)(H - s₂)` at row `m`, scaled.
    fn first_column(&self, m: usize, shifts: &[Complex<R>; 2]) -> [R; 3] {
        let h = |i: usize, j: usize| self.h[(i, j)];
        if self.is_rearranged() {
            return few_double::first_column([h(m, m), h(m, m + 1), h(m + 1, m), h(m + 1, m + 1)], h(m + 2, m + 1), *shifts);
        }
        let [one, two] = *shifts;
        let s = (h(m, m) - two.re).abs() + two.im.abs() + h(m + 1, m).abs();
        let h21 = h(m + 1, m) / s;
        let v = [
            h21 * h(m, m + 1) + (h(m, m) - one.re) * ((h(m, m) - two.re) / s) - one.im * (two.im / s),
            h21 * (h(m, m) + h(m + 1, m + 1) - one.re - two.re),
            h21 * h(m + 2, m + 1),
        ];
        let s = v[0].abs() + v[1].abs() + v[2].abs();
        v.map(|x| x / s)
    }

    /// One double-shift step on the block `start..=i`.
    fn sweep(&mut self, start: usize, i: usize, tries: usize) {
        let shifts = self.shifts(start, i, tries);
        let mut m = i - 2;
        let mut v = self.first_column(m, &shifts);
        while m > start {
            let h = |r: usize, c: usize| self.h[(r, c)].abs();
            let around = h(m - 1, m - 1) + h(m, m) + h(m + 1, m + 1);
            if h(m, m - 1) * (v[1].abs() + v[2].abs()) <= R::EPSILON * v[0].abs() * around {
                break;
            }
            m -= 1;
            v = self.first_column(m, &shifts);
        }
        let mut first = m;
        while first < i {
            // The last reflection, of two rows, goes alone.
            let end = (first + TOGETHER).min(i - 1).max(first + 1);
            self.chase(first..end, [m, start, i], &v);
            first = end;
        }
    }

    /// The part of a step on the block `start..=i`, which began at row `m`, that reflects the rows from each of `range` on. What lies
    /// far from the diagonal is reflected by all at the end.
    fn chase(&mut self, range: Range<usize>, [m, start, i]: [usize; 3], v: &[R; 3]) {
        // For the values alone, only the block counts.
        let (n, rows) = (self.h.nrows(), self.z.nrows());
        let (top, end) = if rows > 0 { (0, n) } else { (start, i + 1) };
        let (first, near) = (range.start, (range.end + 2).min(end));
        let (mut left, mut right) = (Vec::with_capacity(range.len()), Vec::with_capacity(range.len()));
        for k in range {
            let size = 3.min(i - k + 1);
            let column =
                if k > m { std::array::from_fn(|r| if r < size { self.h[(k + r, k - 1)] } else { R::of(0.0) }) } else { *v };
            let find = if self.is_rearranged() { few_double::short_reflector } else { reflector };
            let (step, beta) = find(&column[..size]);
            if k > m {
                self.h[(k, k - 1)] = beta;
                (1..size).for_each(|r| self.h[(k + r, k - 1)] = R::of(0.0));
            } else if m > start {
                self.h[(k, k - 1)] *= R::of(1.0) - step.tau;
            }
            if few::takes(n, n) {
                self.reflect_few(&step, k, k..end, top..(k + 4).min(i + 1));
                continue;
            }
            step.apply_left(step.tau, &mut self.h, k, k..near);
            step.apply_right(step.tau, &mut self.h, first..(k + 4).min(i + 1), k);
            match step.v[..] {
                [a, b, c] => {
                    left.push(Step::left([a, b, c], step.tau));
                    right.push(Step::right([a, b, c], step.tau));
                }
                _ => {
                    step.apply_left(step.tau, &mut self.h, k, near..end);
                    step.apply_right(step.tau, &mut self.h, top..first, k);
                    step.apply_right(step.tau, &mut self.z, 0..rows, k);
                }
            }
        }
        let (h, z) = (self.h.as_mut_slice(), self.z.as_mut_slice());
        let mut far = || {
            if near < end {
                reflect_columns(&left, &mut h[near * n + first..], n, end - near);
            }
            reflect_rows(&right, &mut h[first * n + top..], n, first - top);
        };
        let mut along = || {
            if rows > 0 {
                reflect_rows(&right, &mut z[first * rows..], rows, rows);
            }
        };
        // Each matrix stays in the cache of one thread.
        if rows >= LARGE && team::size() > 1 {
            team::both(along, far);
        } else {
            far();
            along();
        }
    }

    /// Reflects the rows from `k` on of some columns, and the columns of some rows, one by one.
    fn reflect_few(&mut self, step: &Reflector<R>, k: usize, columns: Range<usize>, rows: Range<usize>) {
        let by: Vec<R> = step.v.iter().map(|v| step.tau * *v).collect();
        // Double precision takes the last entry of a column first on AMD's processors, and does not round products before they are
        // added on Intel's.
        let (is_turned, is_fused) = (self.is_rearranged(), size_of::<R>() == 8);
        let reflect = |cells: &mut Matrix<R>, at: &dyn Fn(usize) -> (usize, usize), is_turned: bool| {
            let product =
                |sum: R, r: usize| if is_fused { sum.plus(step.v[r], cells[at(r)]) } else { sum + step.v[r] * cells[at(r)] };
            let others = 1..step.v.len();
            let sum = if is_turned { others.rev().fold(cells[at(0)], product) } else { others.fold(cells[at(0)], product) };
            for (r, by) in by.iter().enumerate() {
                let cell = cells[at(r)];
                cells[at(r)] = if is_fused { less(cell, sum, *by) } else { cell - sum * *by };
            }
        };
        columns.for_each(|j| reflect(&mut self.h, &|r| (k + r, j), is_turned));
        rows.for_each(|j| reflect(&mut self.h, &|r| (j, k + r), false));
        (0..self.z.nrows()).for_each(|j| reflect(&mut self.z, &|r| (j, k + r), false));
    }

    /// Takes a finished block of one or two rows.
    fn deflate(&mut self, start: usize, i: usize) {
        if start == i {
            self.values[i] = Complex::new(self.h[(i, i)], R::of(0.0));
            return;
        }
        let h = |r: usize, c: usize| self.h[(r, c)];
        let block = standardize([h(i - 1, i - 1), h(i - 1, i), h(i, i - 1), h(i, i)], self.is_rearranged());
        let [a, b, c, d] = block.entries;
        (self.h[(i - 1, i - 1)], self.h[(i - 1, i)], self.h[(i, i - 1)], self.h[(i, i)]) = (a, b, c, d);
        [self.values[i - 1], self.values[i]] = block.values;
        let n = self.h.ncols();
        let rotate = |cells: &mut Matrix<R>, a: (usize, usize), b: (usize, usize)| {
            let (x, y) = (cells[a], cells[b]);
            cells[a] = less(x * block.c, -y, block.s);
            cells[b] = less(-(x * block.s), -y, block.c);
        };
        (i + 1..n).for_each(|j| rotate(&mut self.h, (i - 1, j), (i, j)));
        (0..i - 1).for_each(|j| rotate(&mut self.h, (j, i - 1), (j, i)));
        (0..self.z.nrows()).for_each(|j| rotate(&mut self.z, (j, i - 1), (j, i)));
    }
}

/// The eigenvalues of a 2x2 matrix that was divided by `size`, from the mean of its diagonal, the determinant of what is left without
/// that, and its last entry: a pair, or twice the real one that is nearer to the last entry.
pub fn pair_or_near<R: Real>(mean: R, determinant: R, last: R, size: R) -> [Complex<R>; 2] {
    let root = determinant.abs().sqrt();
    if determinant >= R::of(0.0) {
        return [Complex::new(mean * size, root * size), Complex::new(mean * size, -root * size)];
    }
    let (first, second) = (mean + root, mean - root);
    let near = if (first - last).abs() <= (second - last).abs() { first } else { second };
    [Complex::new(near * size, R::of(0.0)); 2]
}

/// A 2x2 block in standard form.
struct Block<R> {
    /// Row by row: either the lower left is zero, or the diagonal is equal and the others differ in sign.
    entries: [R; 4],
    /// Its eigenvalues; of a complex pair, the one above the real axis first.
    values: [Complex<R>; 2],
    /// The rotation that leads there.
    c: R,
    s: R,
}

/// Rotates `[a b; c d]` to standard form (`lanv2`).
fn standardize<R: Real>([a, b, c, d]: [R; 4], is_rearranged: bool) -> Block<R> {
    let (zero, one, half) = (R::of(0.0), R::of(1.0), R::of(0.5));
    let sign = |x: R| one.signed(x);
    let ([a, b, c, d], cs, sn) = if c == zero {
        ([a, b, c, d], one, zero)
    } else if b == zero {
        ([d, -c, zero, a], zero, one)
    } else if a == d && sign(b) != sign(c) {
        ([a, b, c, d], one, zero)
    } else {
        let p = half * (a - d);
        let most = b.abs().max(c.abs());
        let least = b.abs().min(c.abs()) * sign(b) * sign(c);
        let scale = p.abs().max(most);
        let z = if is_rearranged { (p * p + most * least) / scale } else { (p / scale) * p + (most / scale) * least };
        if z >= R::of(4.0) * R::EPSILON {
            let z = p + (scale.sqrt() * z.sqrt()).signed(p);
            let tau = hypotenuse(c, z);
            let less = if is_rearranged { (most * least) / z } else { (most / z) * least };
            let [cs, sn] = if is_rearranged { [z, c].map(|x| x * (one / tau)) } else { [z / tau, c / tau] };
            ([d + z, b - c, zero, d - less], cs, sn)
        } else {
            equalize([a, b, c, d], is_rearranged)
        }
    };
    let imaginary = if c == zero { zero } else { b.abs().sqrt() * c.abs().sqrt() };
    let below = if c == zero { zero } else { -imaginary };
    Block { entries: [a, b, c, d], values: [Complex::new(a, imaginary), Complex::new(d, below)], c: cs, s: sn }
}

/// Makes the diagonal of a block with complex or nearly equal real eigenvalues equal.
fn equalize<R: Real>([a, b, c, d]: [R; 4], is_rearranged: bool) -> ([R; 4], R, R) {
    let (zero, one, half) = (R::of(0.0), R::of(1.0), R::of(0.5));
    let (sigma, difference) = (b + c, a - d);
    let p = half * difference;
    let tau = hypotenuse(sigma, difference);
    let cs = (half * (one + sigma.abs() / tau)).sqrt();
    let sn = -(p / (tau * cs)) * one.signed(sigma);
    let (aa, bb, cc, dd) = (a * cs + b * sn, b * cs - a * sn, c * cs + d * sn, d * cs - c * sn);
    let (a, b, c, d) = (aa * cs + cc * sn, bb * cs + dd * sn, cc * cs - aa * sn, dd * cs - bb * sn);
    let mean = half * if is_rearranged { sn * (cc - bb) + cs * (aa + dd) } else { a + d };
    if c == zero {
        return ([mean, b, c, mean], cs, sn);
    }
    if b == zero {
        return ([mean, -c, zero, mean], -sn, cs);
    }
    if one.signed(b) != one.signed(c) {
        return ([mean, b, c, mean], cs, sn);
    }
    let (root_b, root_c) = (b.abs().sqrt(), c.abs().sqrt());
    let p = (root_b * root_c).signed(c);
    let tau = one / (b + c).abs().sqrt();
    let (c1, s1) = (root_b * tau, root_c * tau);
    ([mean + p, b - c, zero, mean - p], cs * c1 - sn * s1, cs * s1 + sn * c1)
}
