//! Matrices to real bidiagonal ones, `A = Q B Pᴴ`, and the singular values of those.

use super::divide_bidiagonal::{self, Found};
use super::field::{Field, Real};
use super::halves::{SMALL, scale};
use super::reflections::{self, Factor};
use super::reflector::{Reflector, reflector};
use super::rotation::{Turns, rotation};
use super::{Matrix, adjoint, few, quotients, transpose};
use crate::interrupt;
use crate::kernel::blas::{less, subtract_two};
use crate::kernel::reduce::{Change, change_and_dot, first_row, multiply};
use anyhow::Result;

/// A bidiagonal matrix with the reflections on both sides that lead to it.
pub struct Bidiagonal<T: Field> {
    /// The diagonal.
    pub d: Vec<T::R>,
    /// Above the diagonal, or below it for a wide matrix.
    pub e: Vec<T::R>,
    /// True when `e` lies below the diagonal.
    pub lower: bool,
    pub(super) left: Vec<Reflector<T>>,
    pub(super) right: Vec<Reflector<T>>,
}

/// Reduces a matrix: to upper bidiagonal form when it has at least as many rows as columns, else to lower.
pub fn reduce<T: Field>(a: Matrix<T>) -> Result<Bidiagonal<T>> {
    let rows = a.nrows();
    if few::takes(rows, a.ncols()) {
        return Ok(few::bidiagonal(a, rows));
    }
    if rows < a.ncols() {
        let Bidiagonal { d, e, left, right, .. } = reduce_upper(adjoint(&a))?;
        return Ok(Bidiagonal { d, e, lower: true, left: right, right: left });
    }
    reduce_upper(a)
}

/// A step changes the rest of the matrix by `A -= v yᵀ + x uᴴ`; the pass that finds the next step does it. Columns have all rows, with
/// zeros above the step, so that a pass may begin above.
fn reduce_upper<T: Field>(mut a: Matrix<T>) -> Result<Bidiagonal<T>> {
    let (m, n) = a.shape();
    let mut out = Bidiagonal { d: vec![], e: vec![], lower: false, left: vec![], right: vec![] };
    let mut left = [vec![T::zero(); m], vec![T::zero(); m]];
    let mut right = [vec![T::zero(); n], vec![T::zero(); n]];
    for i in 0..n {
        interrupt::check()?;
        let change = Change { left: left.each_ref().map(|x| &x[..]), right: right.each_ref().map(|x| &x[..]) };
        let column = &mut a.as_mut_slice()[i * m + i..(i + 1) * m];
        subtract_two(column, (&change.left[0][i..], change.right[0][0]), (&change.left[1][i..], change.right[1][0]));
        let (step, beta) = reflector(column);
        out.d.push(beta);
        if i + 1 < n {
            let mut v = vec![T::zero(); m];
            v[i..].copy_from_slice(&step.v);
            let rest = &mut a.as_mut_slice()[(i + 1) * m..];
            let (first, mut y) = (first_row(i, m), vec![T::zero(); n - i - 1]);
            change_and_dot(&mut rest[first..], m, &change.after(first, 1), &v[first..], &mut y);
            y.iter_mut().for_each(|y| *y *= step.tau.conjugate());
            let row: Vec<T> = y.iter().enumerate().map(|(j, y)| (rest[j * m + i] - *y).conjugate()).collect();
            let (across, beta) = reflector(&row);
            out.e.push(beta);
            v[i] = T::zero();
            let (first, u, mut x) = (first_row(i + 1, m), &across.v, vec![T::zero(); m]);
            multiply(&rest[first..], m, u, &mut x[first..]);
            x[..=i].fill(T::zero());
            let met = y.iter().zip(u).fold(T::zero(), |sum, (y, u)| sum + *y * *u);
            x.iter_mut().zip(&v).for_each(|(x, v)| *x = (*x - *v * met) * across.tau);
            right = [y, u.iter().map(|u| u.conjugate()).collect()];
            left = [v, x];
            out.right.push(across);
        }
        out.left.push(step);
    }
    Ok(out)
}

impl<T: Field> Bidiagonal<T> {
    /// `Q c` for a matrix `c` with as many rows as the reduced one.
    pub fn apply_q(&self, c: &mut Matrix<T>) -> Result<()> {
        reflections::multiply(&self.left, usize::from(self.lower), c, Factor::Product)
    }

    /// `P c` for a matrix `c` with as many rows as the reduced one has columns.
    pub fn apply_p(&self, c: &mut Matrix<T>) -> Result<()> {
        reflections::multiply(&self.right, usize::from(!self.lower), c, Factor::Product)
    }
}

/// The SVD of a square real bidiagonal matrix `B = U S Vᵀ`.
pub struct Values<R: Real> {
    /// Singular values, descending.
    pub s: Vec<R>,
    /// Left vectors, as columns.
    pub u: Matrix<R>,
    /// Right vectors, as rows.
    pub vt: Matrix<R>,
}

/// The singular values alone, descending. None when the iteration does not converge.
pub fn values<T: Field>(reduced: &Bidiagonal<T>) -> Result<Option<Vec<T::R>>> {
    let (mut d, mut e) = (reduced.d.clone(), reduced.e.clone());
    if reduced.lower {
        make_upper(&mut d, &mut e);
    }
    if let ([f, h], [g]) = (&d[..], &e[..]) {
        let (small, large) = singular_pair(*f, *g, *h);
        return Ok(Some(vec![large, small]));
    }
    quotients::values(&d, &e)
}

/// Solves a bidiagonal problem. None when the iteration does not converge.
pub fn solve<T: Field>(reduced: &Bidiagonal<T>) -> Result<Option<Values<T::R>>> {
    let (mut d, mut e) = (reduced.d.clone(), reduced.e.clone());
    let n = d.len();
    if n == 1 {
        let sign = Matrix::from_element(1, 1, T::R::of(1.0).signed(d[0]));
        return Ok(Some(Values { s: vec![nalgebra::ComplexField::abs(d[0])], u: sign, vt: Matrix::identity(1, 1) }));
    }
    let turns = if reduced.lower { make_upper(&mut d, &mut e) } else { vec![] };
    let solved = match scale(&d, &e).filter(|_| n > SMALL) {
        None => rotated(&d, &e)?.map(reordered),
        Some(scale) => divided(&mut d, &mut e, scale)?,
    };
    let Some(Found { s, mut u, v }) = solved else { return Ok(None) };
    for (j, (c, s)) in turns.into_iter().enumerate().rev() {
        turn_rows(&mut u, j, c, s);
    }
    Ok(Some(Values { s, u, vt: transpose(&v) }))
}

/// Descending singular values sorted upwards and back by selection, as `lasdq` and `bdsdc` do one after the other: that says in which
/// order equal ones come.
fn reordered<R: Real>(mut found: Found<R>) -> Found<R> {
    for comes_before in [|a: R, b: R| a < b, |a: R, b: R| a > b] {
        for i in 0..found.s.len() {
            let first =
                (i + 1..found.s.len()).fold(i, |first, j| if comes_before(found.s[j], found.s[first]) { j } else { first });
            if first != i {
                found.s.swap(i, first);
                found.u.swap_columns(i, first);
                found.v.swap_columns(i, first);
            }
        }
    }
    found
}

/// Makes a lower bidiagonal matrix upper; gives the rotations to undo in the left vectors.
fn make_upper<R: Real>(d: &mut [R], e: &mut [R]) -> Vec<(R, R)> {
    let mut turns = vec![];
    for i in 0..e.len() {
        let turn = rotation(d[i], e[i]);
        d[i] = turn.r;
        e[i] = turn.s * d[i + 1];
        d[i + 1] *= turn.c;
        turns.push((turn.c, -turn.s));
    }
    turns
}

/// Singular values, descending, and vectors by divide and conquer, of a matrix that is brought near 1 for that.
fn divided<R: Real>(d: &mut [R], e: &mut [R], scale: R) -> Result<Option<Found<R>>> {
    d.iter_mut().chain(e.iter_mut()).for_each(|x| *x /= scale);
    let Some(mut found) = divide_bidiagonal::solve(d, e, &rotated)? else { return Ok(None) };
    found.s.iter_mut().for_each(|s| *s *= scale);
    Ok(Some(found))
}

/// Singular values, descending, and vectors by rotations. A matrix with one column more than rows has a row of zeros added for that.
fn rotated<R: Real>(d: &[R], e: &[R]) -> Result<Option<Found<R>>> {
    let n = d.len();
    let wide = e.len() == n;
    let square = n + usize::from(wide);
    let fresh = || Turns::new(Matrix::identity(square, square));
    let mut work = Work { d: d.to_vec(), e: e.to_vec(), u: fresh(), v: fresh() };
    work.d.resize(square, R::of(0.0));
    if !work.iterate()? {
        return Ok(None);
    }
    work.finish();
    let (mut s, mut u, v) = (work.d, work.u.done(), work.v.done());
    if wide {
        // The value and the left vector of the added row, which no rotation has reached.
        s.truncate(n);
        u = u.resize(n, n, R::of(0.0));
    }
    Ok(Some(Found { s, u, v }))
}

/// Rotates rows `j` and `j + 1` as the library does: what it adds without rounding it before depends on whether a column is one of four.
fn turn_rows<R: Real>(a: &mut Matrix<R>, j: usize, c: R, s: R) {
    let (rows, whole) = (a.nrows().max(1), a.ncols() / 4 * 4);
    for (i, column) in a.as_mut_slice().chunks_mut(rows).enumerate() {
        let (x, y) = (column[j], column[j + 1]);
        column[j] = if i < whole { less(x * c, -y, s) } else { less(y * s, -x, c) };
        column[j + 1] = less(-(x * s), -y, c);
    }
}

/// The implicit zero-shift QR iteration (`bdsqr`) and what it works on.
struct Work<R: Real> {
    d: Vec<R>,
    e: Vec<R>,
    u: Turns<R>,
    /// The right vectors, as columns: rotations then run along memory.
    v: Turns<R>,
}

/// Which way a sweep runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Down,
    Up,
}

impl<R: Real> Work<R> {
    fn turn_v(&mut self, j: usize, c: R, s: R) {
        self.v.turn(j, c, s);
    }

    fn turn_u(&mut self, j: usize, c: R, s: R) {
        self.u.turn(j, c, s);
    }

    /// False when it does not converge.
    fn iterate(&mut self) -> Result<bool> {
        let n = self.d.len();
        let unit = R::EPSILON * R::of(0.5);
        let tolerance = R::of((unit.wide().powf(-0.125)).clamp(10.0, 100.0)) * unit;
        let threshold = self.threshold(tolerance);
        let mut steps = 6 * n * n;
        let (mut before, mut way) = (None, Way::Down);
        let mut m = n - 1;
        while m > 0 {
            let (block, largest) = self.block(m, threshold);
            let Some(low) = block else {
                m -= 1;
                continue;
            };
            if low + 1 == m {
                self.solve_pair(low);
                m = low.saturating_sub(1);
                continue;
            }
            if before.is_none_or(|(oldest, newest)| low > newest || m < oldest) {
                way = if self.d[low].abs() >= self.d[m].abs() { Way::Down } else { Way::Up };
            }
            let Some(smallest) = self.smallest(low, m, way, tolerance) else { continue };
            before = Some((low, m));
            if steps < m - low || !largest.is_finite() {
                return Ok(false);
            }
            steps -= m - low;
            interrupt::check()?;
            let shift = self.shift(low, m, way, tolerance, smallest / largest);
            self.sweep(low, m, way, shift);
            let last = if way == Way::Down { m - 1 } else { low };
            if self.e[last].abs() <= threshold {
                self.e[last] = R::of(0.0);
            }
        }
        Ok(true)
    }

    /// Entries beside the diagonal up to this are taken for zero.
    fn threshold(&self, tolerance: R) -> R {
        let n = self.d.len();
        let mut mu = self.d[0].abs();
        let mut least = mu;
        for i in 1..n {
            if least == R::of(0.0) {
                break;
            }
            mu = self.d[i].abs() * (mu / (mu + self.e[i - 1].abs()));
            least = least.min(mu);
        }
        (tolerance * least / R::of(n as f64).sqrt()).max(R::of(6.0 * (n * n) as f64) * R::TINY)
    }

    /// The first row of the block that ends at `m`, and its largest entry; none when the last row stands alone.
    fn block(&mut self, m: usize, threshold: R) -> (Option<usize>, R) {
        let mut largest = self.d[m].abs();
        for l in (0..m).rev() {
            if self.e[l].abs() <= threshold {
                self.e[l] = R::of(0.0);
                return if l + 1 == m { (None, largest) } else { (Some(l + 1), largest) };
            }
            for entry in [self.d[l].abs(), self.e[l].abs()] {
                if entry > largest || !entry.is_finite() {
                    largest = entry;
                }
            }
        }
        (Some(0), largest)
    }

    fn solve_pair(&mut self, l: usize) {
        let pair = triangular2(self.d[l], self.e[l], self.d[l + 1]);
        (self.d[l], self.e[l], self.d[l + 1]) = (pair.large, R::of(0.0), pair.small);
        self.turn_v(l, pair.right.0, pair.right.1);
        self.turn_u(l, pair.left.0, pair.left.1);
    }

    /// A lower bound of the block's singular values; none when an entry was found negligible on the way.
    fn smallest(&mut self, low: usize, m: usize, way: Way, tolerance: R) -> Option<R> {
        let end = if way == Way::Down { (m - 1, m) } else { (low, low) };
        if self.e[end.0].abs() <= tolerance * self.d[end.1].abs() {
            self.e[end.0] = R::of(0.0);
            return None;
        }
        let rows: Vec<usize> = if way == Way::Down { (low..m).collect() } else { (low..m).rev().collect() };
        let mut mu = self.d[if way == Way::Down { low } else { m }].abs();
        let mut least = mu;
        for l in rows {
            let beside = self.e[l].abs();
            if beside <= tolerance * mu {
                self.e[l] = R::of(0.0);
                return None;
            }
            mu = self.d[if way == Way::Down { l + 1 } else { l }].abs() * (mu / (mu + beside));
            least = least.min(mu);
        }
        Some(least)
    }

    /// The shift of the next sweep; 0 where a shift would cost small singular values their accuracy.
    fn shift(&self, low: usize, m: usize, way: Way, tolerance: R, spread: R) -> R {
        let unit = R::EPSILON * R::of(0.5);
        let n = R::of(self.d.len() as f64);
        if n * tolerance * spread <= unit.max(R::of(0.01) * tolerance) {
            return R::of(0.0);
        }
        let (start, shift) = match way {
            Way::Down => (self.d[low].abs(), smaller_singular(self.d[m - 1], self.e[m - 1], self.d[m])),
            Way::Up => (self.d[m].abs(), smaller_singular(self.d[low], self.e[low], self.d[low + 1])),
        };
        let negligible = start > R::of(0.0) && (shift / start) * (shift / start) < unit;
        if negligible { R::of(0.0) } else { shift }
    }

    fn sweep(&mut self, low: usize, m: usize, way: Way, shift: R) {
        match (shift == R::of(0.0), way) {
            (true, Way::Down) => self.zero_shift_down(low, m),
            (true, Way::Up) => self.zero_shift_up(low, m),
            (false, Way::Down) => self.shifted_down(low, m, shift),
            (false, Way::Up) => self.shifted_up(low, m, shift),
        }
    }

    fn zero_shift_down(&mut self, low: usize, m: usize) {
        let (mut c, mut old_c, mut old_s) = (R::of(1.0), R::of(1.0), R::of(0.0));
        for i in low..m {
            let right = rotation(self.d[i] * c, self.e[i]);
            if i > low {
                self.e[i - 1] = old_s * right.r;
            }
            let left = rotation(old_c * right.r, self.d[i + 1] * right.s);
            self.d[i] = left.r;
            self.turn_v(i, right.c, right.s);
            self.turn_u(i, left.c, left.s);
            (c, old_c, old_s) = (right.c, left.c, left.s);
        }
        let h = self.d[m] * c;
        self.d[m] = h * old_c;
        self.e[m - 1] = h * old_s;
    }

    fn zero_shift_up(&mut self, low: usize, m: usize) {
        let (mut c, mut old_c, mut old_s) = (R::of(1.0), R::of(1.0), R::of(0.0));
        for i in (low + 1..=m).rev() {
            let left = rotation(self.d[i] * c, self.e[i - 1]);
            if i < m {
                self.e[i] = old_s * left.r;
            }
            let right = rotation(old_c * left.r, self.d[i - 1] * left.s);
            self.d[i] = right.r;
            self.turn_v(i - 1, right.c, -right.s);
            self.turn_u(i - 1, left.c, -left.s);
            (c, old_c, old_s) = (left.c, right.c, right.s);
        }
        let h = self.d[low] * c;
        self.d[low] = h * old_c;
        self.e[low] = h * old_s;
    }

    fn shifted_down(&mut self, low: usize, m: usize, shift: R) {
        let (d, e) = (&mut self.d, &mut self.e);
        let mut f = (d[low].abs() - shift) * (R::of(1.0).signed(d[low]) + shift / d[low]);
        let mut g = e[low];
        let mut turns = Vec::with_capacity(m - low);
        for i in low..m {
            let right = rotation(f, g);
            if i > low {
                e[i - 1] = right.r;
            }
            f = right.c * d[i] + right.s * e[i];
            e[i] = right.c * e[i] - right.s * d[i];
            g = right.s * d[i + 1];
            d[i + 1] *= right.c;
            let left = rotation(f, g);
            d[i] = left.r;
            f = left.c * e[i] + left.s * d[i + 1];
            d[i + 1] = left.c * d[i + 1] - left.s * e[i];
            if i + 1 < m {
                g = left.s * e[i + 1];
                e[i + 1] *= left.c;
            }
            turns.push((i, right, left));
        }
        e[m - 1] = f;
        for (i, right, left) in turns {
            self.turn_v(i, right.c, right.s);
            self.turn_u(i, left.c, left.s);
        }
    }

    fn shifted_up(&mut self, low: usize, m: usize, shift: R) {
        let (d, e) = (&mut self.d, &mut self.e);
        let mut f = (d[m].abs() - shift) * (R::of(1.0).signed(d[m]) + shift / d[m]);
        let mut g = e[m - 1];
        let mut turns = Vec::with_capacity(m - low);
        for i in (low + 1..=m).rev() {
            let left = rotation(f, g);
            if i < m {
                e[i] = left.r;
            }
            f = left.c * d[i] + left.s * e[i - 1];
            e[i - 1] = left.c * e[i - 1] - left.s * d[i];
            g = left.s * d[i - 1];
            d[i - 1] *= left.c;
            let right = rotation(f, g);
            d[i] = right.r;
            f = right.c * e[i - 1] + right.s * d[i - 1];
            d[i - 1] = right.c * d[i - 1] - right.s * e[i - 1];
            if i > low + 1 {
                g = right.s * e[i - 2];
                e[i - 2] *= right.c;
            }
            turns.push((i - 1, right, left));
        }
        e[low] = f;
        for (i, right, left) in turns {
            self.turn_v(i, right.c, -right.s);
            self.turn_u(i, left.c, -left.s);
        }
    }

    /// Singular values become positive and descending.
    fn finish(&mut self) {
        let n = self.d.len();
        let (u, v) = (self.u.matrix(), self.v.matrix());
        for i in 0..n {
            if self.d[i] < R::of(0.0) {
                v.column_mut(i).neg_mut();
            }
            // Of a zero, too.
            self.d[i] = self.d[i].abs();
        }
        for last in (1..n).rev() {
            let least = (1..=last).fold(0, |least, j| if self.d[j] <= self.d[least] { j } else { least });
            if least != last {
                self.d.swap(least, last);
                v.swap_columns(least, last);
                u.swap_columns(least, last);
            }
        }
    }
}

/// The smaller singular value of `[f g; 0 h]`.
fn smaller_singular<R: Real>(f: R, g: R, h: R) -> R {
    singular_pair(f, g, h).0
}

/// The singular values of `[f g; 0 h]`, the smaller one first (`las2`).
pub fn singular_pair<R: Real>(f: R, g: R, h: R) -> (R, R) {
    let (one, two) = (R::of(1.0), R::of(2.0));
    let (f, g, h) = (f.abs(), g.abs(), h.abs());
    let (least, most) = (f.min(h), f.max(h));
    if least == R::of(0.0) {
        let (large, small) = (most.max(g), most.min(g));
        let ratio = if large == R::of(0.0) { large } else { small / large };
        return (least, if most == R::of(0.0) { g } else { large * (one + ratio * ratio).sqrt() });
    }
    let (sum, difference) = (one + least / most, (most - least) / most);
    if g < most {
        let across = (g / most) * (g / most);
        let c = two / ((sum * sum + across).sqrt() + (difference * difference + across).sqrt());
        return (least * c, most / c);
    }
    let across = most / g;
    if across == R::of(0.0) {
        return ((least * most) / g, g);
    }
    let (sum, difference) = (sum * across, difference * across);
    let c = one / ((one + sum * sum).sqrt() + (one + difference * difference).sqrt());
    let small = (least * c) * across;
    (small + small, g / (c + c))
}

/// The SVD of `[f g; 0 h]`, signs included.
struct Triangular2<R> {
    /// The value of larger modulus; may be negative.
    large: R,
    /// The other one.
    small: R,
    /// Cosine and sine of the left rotation.
    left: (R, R),
    /// Cosine and sine of the right rotation.
    right: (R, R),
}

/// Solves the triangular 2x2 problem (`lasv2`).
fn triangular2<R: Real>(f: R, g: R, h: R) -> Triangular2<R> {
    let (zero, one, two, half) = (R::of(0.0), R::of(1.0), R::of(2.0), R::of(0.5));
    let swap = h.abs() > f.abs();
    let (ft, ht) = if swap { (h, f) } else { (f, h) };
    let (fa, ha, ga) = (ft.abs(), ht.abs(), g.abs());
    let unit = R::EPSILON * half;
    let g_largest = ga > fa;
    let (small, large, (cl, sl), (cr, sr));
    if ga == zero {
        (small, large, (cl, sl), (cr, sr)) = (ha, fa, (one, zero), (one, zero));
    } else if g_largest && fa / ga < unit {
        let tiny = if ha > one { fa / (ga / ha) } else { (fa / ga) * ha };
        (small, large, (cl, sl), (cr, sr)) = (tiny, ga, (one, ht / g), (ft / g, one));
    } else {
        let d = fa - ha;
        let l = if d == fa { one } else { d / fa };
        let m = g / ft;
        let t = two - l;
        let (mm, tt) = (m * m, t * t);
        let s = (tt + mm).sqrt();
        let r = if l == zero { m.abs() } else { (l * l + mm).sqrt() };
        let a = half * (s + r);
        let t = match (mm == zero, l == zero) {
            (true, true) => two.signed(ft) * one.signed(g),
            (true, false) => g / d.signed(ft) + m / t,
            _ => (m / (s + t) + m / (r + l)) * (one + a),
        };
        let l = (t * t + two * two).sqrt();
        (cr, sr) = (two / l, t / l);
        (cl, sl) = ((cr + sr * m) / a, (ht / ft) * sr / a);
        (small, large) = (ha / a, fa * a);
    }
    let (left, right) = if swap { ((sr, cr), (sl, cl)) } else { ((cl, sl), (cr, sr)) };
    let sign = |x: R| one.signed(x);
    let of_large = if g_largest {
        sign(right.1) * sign(left.0) * sign(g)
    } else if swap {
        sign(right.1) * sign(left.1) * sign(h)
    } else {
        sign(right.0) * sign(left.0) * sign(f)
    };
    Triangular2 { large: large.signed(of_large), small: small.signed(of_large * sign(f) * sign(h)), left, right }
}
