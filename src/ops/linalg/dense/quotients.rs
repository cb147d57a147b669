//! Singular values alone, of an upper bidiagonal matrix: the quotient-difference iteration with shifts (`dqds`), as LAPACK's `lasq1`
//! to `lasq6` do it. The squares of the matrix's entries are the quotients `q` and the differences `e`; a step makes new ones of
//! them and takes a shift off all eigenvalues. A step reads one pair of rows and writes the other, and the next one goes back.

use super::field::Real;
use super::quotient_shift;
use crate::interrupt;
use anyhow::Result;

/// How much larger the last quotient is than the first where the matrix is turned around.
const BIAS: f64 = 1.5;

/// What a step found out: the least entries of the diagonal between quotients, over all rows, without the last and without the last
/// two of them, and the last three entries.
#[derive(Clone, Copy, Debug)]
pub struct Least<R> {
    pub all: R,
    pub but_one: R,
    pub but_two: R,
    pub last: R,
    pub second: R,
    pub third: R,
}

/// The block in work, of rows `first..end`, and what is known of it.
pub struct Block<R> {
    /// Quotients, of the one and the other kind of step.
    pub q: [Vec<R>; 2],
    /// Differences. Those of a last row hold the least of the others.
    pub e: [Vec<R>; 2],
    pub first: usize,
    pub end: usize,
    /// Which of the two is read by the next step.
    pub side: usize,
    pub least: Least<R>,
    pub shift: R,
    /// How the last shift was chosen; more than once where a step failed.
    pub kind: i32,
    /// What a shift takes of the least entry where nothing else is known.
    pub share: R,
    /// The sum of all shifts, with what it lost to rounding.
    sum: [R; 2],
    largest: R,
    is_turned: bool,
}

/// The singular values, descending, of a matrix with the diagonal `d` and `e` above it. None when the iteration does not converge.
pub fn values<R: Real>(d: &[R], e: &[R]) -> Result<Option<Vec<R>>> {
    let zero = R::of(0.0);
    let larger = |most: R, x: &R| if x.abs() > most { x.abs() } else { most };
    let beside = e.iter().fold(zero, larger);
    if beside == zero {
        return Ok(Some(descending(d.iter().map(|x| x.abs()).collect())));
    }
    let largest = d.iter().fold(beside, larger);
    let scale = nalgebra::ComplexField::sqrt(R::EPSILON / R::TINY);
    let [q, e] = [d, e].map(|x| x.iter().map(|x| x.abs() * (scale / largest)).map(|x| x * x).collect::<Vec<R>>());
    let Some(squares) = Block::new(q, e).eigenvalues()? else { return Ok(None) };
    let root = |x: R| nalgebra::ComplexField::sqrt(x) * (largest / scale);
    Ok(Some(squares.into_iter().map(root).collect()))
}

fn descending<R: Real>(mut values: Vec<R>) -> Vec<R> {
    values.sort_by(|a, b| b.wide().total_cmp(&a.wide()));
    values
}

fn least<R: Real>(a: R, b: R) -> R {
    if b < a { b } else { a }
}

fn most<R: Real>(a: R, b: R) -> R {
    if b > a { b } else { a }
}

/// What is negligible beside 1, and its square, beside which squares are.
fn tolerance<R: Real>() -> [R; 2] {
    let tolerance = R::EPSILON * R::of(100.0);
    [tolerance, tolerance * tolerance]
}

impl<R: Real> Block<R> {
    fn new(q: Vec<R>, mut e: Vec<R>) -> Block<R> {
        let zero = R::of(0.0);
        let n = q.len();
        e.push(zero);
        let nothing = Least { all: zero, but_one: zero, but_two: zero, last: zero, second: zero, third: zero };
        Block {
            q: [q, vec![zero; n]],
            e: [e, vec![zero; n]],
            first: 0,
            end: n,
            side: 0,
            least: nothing,
            shift: zero,
            kind: 0,
            share: zero,
            sum: [zero; 2],
            largest: zero,
            is_turned: false,
        }
    }

    fn eigenvalues(mut self) -> Result<Option<Vec<R>>> {
        let n = self.end;
        if R::of(BIAS) * self.q[0][0] < self.q[0][n - 1] {
            self.turn_around();
        }
        self.split_by_two_steps();
        for _ in 0..=n {
            if self.end == 0 {
                return Ok(Some(descending(std::mem::take(&mut self.q[0]))));
            }
            self.sum = [if self.end == n { R::of(0.0) } else { -self.e[0][self.end - 1] }, R::of(0.0)];
            if self.sum[0] < R::of(0.0) {
                return Ok(None);
            }
            self.take_last_block();
            if !self.finish_block()? {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// The first row last.
    fn turn_around(&mut self) {
        let (first, end) = (self.first, self.end);
        self.q.iter_mut().for_each(|q| q[first..end].reverse());
        self.e.iter_mut().for_each(|e| e[first..end - 1].reverse());
    }

    /// Two steps without a shift, in which negligible differences become zeros.
    fn split_by_two_steps(&mut self) {
        let [_, tolerance] = tolerance::<R>();
        let n = self.end;
        for side in 0..2 {
            let other = 1 - side;
            let mut d = self.q[side][n - 1];
            for i in (0..n - 1).rev() {
                let (q, e) = (self.q[side][i], self.e[side][i]);
                if e <= tolerance * d {
                    self.e[side][i] = -R::of(0.0);
                    d = q;
                } else {
                    d = q * (d / (d + e));
                }
            }
            d = self.q[side][0];
            for i in 0..n - 1 {
                let (next, e) = (self.q[side][i + 1], self.e[side][i]);
                let sum = d + e;
                self.q[other][i] = sum;
                if e <= tolerance * d {
                    self.e[side][i] = -R::of(0.0);
                    (self.q[other][i], self.e[other][i], d) = (d, R::of(0.0), next);
                } else {
                    (self.e[other][i], d) = quotient(next, sum, e, d);
                }
            }
            self.q[other][n - 1] = d;
        }
    }

    /// Finds the last block that is not split further, and a first shift for it.
    fn take_last_block(&mut self) {
        let zero = R::of(0.0);
        let ([q, _], [e, _], end) = (&self.q, &self.e, self.end);
        let mut beside = zero;
        let mut smallest = q[end - 1];
        self.largest = smallest;
        let mut first = end - 1;
        while first > 0 && e[first - 1] > zero {
            if smallest >= R::of(4.0) * beside {
                smallest = least(smallest, q[first]);
                beside = most(beside, e[first - 1]);
            }
            self.largest = most(self.largest, q[first - 1] + e[first - 1]);
            first -= 1;
        }
        self.first = first;
        self.side = 0;
        self.is_turned = false;
        if end - first > 2 {
            let mut d = q[first];
            let (mut lowest, mut place) = (d, first);
            for i in first + 1..end {
                d = q[i] * (d / (d + e[i - 1]));
                if d <= lowest {
                    (lowest, place) = (d, i);
                }
            }
            if (place - first) * 2 < end - 1 - place && lowest <= R::of(0.5) * q[end - 1] {
                self.turn_around();
                self.is_turned = true;
            }
        }
        let root = |x: R| nalgebra::ComplexField::sqrt(x);
        self.least.all = -most(zero, smallest - R::of(2.0) * root(smallest) * root(beside));
    }

    /// Steps until all eigenvalues of the block are found. False when it does not converge.
    fn finish_block(&mut self) -> Result<bool> {
        let [_, tolerance] = tolerance::<R>();
        for _ in 0..100 * (self.end - self.first) {
            if self.first >= self.end {
                return Ok(true);
            }
            interrupt::check()?;
            self.step();
            self.side = 1 - self.side;
            let may_split = self.side == 0 && self.end >= self.first + 4;
            let last = self.end.saturating_sub(1);
            if may_split && (self.e[1][last] <= tolerance * self.largest || self.e[0][last] <= tolerance * self.sum[0]) {
                self.split(tolerance);
            }
        }
        Ok(self.first >= self.end)
    }

    /// Leaves rows before a negligible difference for later; the sum of shifts stands there.
    fn split(&mut self, tolerance: R) {
        let (first, end) = (self.first, self.end);
        let mut start = first;
        self.largest = self.q[0][first];
        let mut lowest = [self.e[0][first], self.e[1][first]];
        for i in first..end - 3 {
            if self.e[1][i] <= tolerance * self.q[0][i] || self.e[0][i] <= tolerance * self.sum[0] {
                self.e[0][i] = -self.sum[0];
                start = i + 1;
                self.largest = R::of(0.0);
                lowest = [self.e[0][i + 1], self.e[1][i + 1]];
            } else {
                self.largest = most(self.largest, self.q[0][i + 1]);
                lowest = [least(lowest[0], self.e[0][i]), least(lowest[1], self.e[1][i])];
            }
        }
        (self.e[0][end - 1], self.e[1][end - 1]) = (lowest[0], lowest[1]);
        self.first = start;
    }

    /// Takes off the eigenvalues that are found, and does a step with a shift that leaves the others positive.
    fn step(&mut self) {
        let before = self.end;
        if !self.is_turned {
            self.take_off();
        }
        self.is_turned = false;
        if self.first >= self.end {
            return;
        }
        let (first, end, side) = (self.first, self.end, self.side);
        let is_fresh = self.least.all <= R::of(0.0) || end < before;
        if is_fresh && R::of(BIAS) * self.q[side][first] < self.q[side][end - 1] {
            self.turn_in_work();
        }
        quotient_shift::choose(self, before - end);
        self.step_with_shift();
        let [sum, lost] = self.sum;
        let (shift, total);
        if self.shift < sum {
            shift = lost + self.shift;
            total = sum + shift;
            self.sum = [total, shift - (total - sum)];
        } else {
            total = sum + self.shift;
            self.sum = [total, sum - (total - self.shift) + lost];
        }
    }

    /// Turns the block around between two steps, with what is known of its ends.
    fn turn_in_work(&mut self) {
        let (first, end, side) = (self.first, self.end, self.side);
        let last = end - 1;
        self.turn_around();
        for side in [side, 1 - side] {
            if end - first <= 5 {
                self.e[side][last] = self.e[side][first];
            }
        }
        self.least.but_two = least(self.least.but_two, self.e[side][last]);
        for side in [side, 1 - side] {
            let e = &mut self.e[side];
            e[last] = least(least(e[last], e[first]), e[first + 1]);
        }
        let q = &self.q[side];
        self.largest = most(most(self.largest, q[first]), q[first + 1]);
        self.least.all = -R::of(0.0);
    }

    /// Takes off single eigenvalues and pairs at the end, as long as there are some.
    fn take_off(&mut self) {
        let [_, tolerance] = tolerance::<R>();
        let (side, other, sum) = (self.side, 1 - self.side, self.sum[0]);
        while self.end > self.first {
            let last = self.end - 1;
            let count = self.end - self.first;
            let (q, e, old) = (&self.q[side], &self.e[side], &self.e[other]);
            let is_alone = |i: usize, beside: R| e[i] <= tolerance * beside || old[i] <= tolerance * q[i];
            if count == 1 || count > 2 && is_alone(last - 1, sum + q[last]) {
                self.q[0][last] = self.q[side][last] + sum;
                self.end -= 1;
            } else if count == 2 || is_alone(last - 2, sum) {
                self.take_off_pair(last, tolerance);
                self.end -= 2;
            } else {
                return;
            }
        }
    }

    /// The eigenvalues of the last two rows.
    fn take_off_pair(&mut self, last: usize, tolerance: R) {
        let (one, root) = (R::of(1.0), |x: R| nalgebra::ComplexField::sqrt(x));
        let (side, sum) = (self.side, self.sum[0]);
        let (q, e) = (&self.q[side], self.e[side][last - 1]);
        let (mut large, mut small) = (most(q[last - 1], q[last]), least(q[last - 1], q[last]));
        let t = R::of(0.5) * ((large - small) + e);
        if e > small * tolerance && t != R::of(0.0) {
            let s = small * (e / t);
            let s =
                if s <= t { small * (e / (t * (one + root(one + s / t)))) } else { small * (e / (t + root(t) * root(t + s))) };
            let t = large + (s + e);
            (small, large) = (small * (large / t), t);
        }
        (self.q[0][last - 1], self.q[0][last]) = (large + sum, small + sum);
    }

    /// Steps with the chosen shift, or less where that was too much.
    fn step_with_shift(&mut self) {
        let zero = R::of(0.0);
        let [tolerance, _] = tolerance::<R>();
        loop {
            self.shifted_step();
            let (last, side, sum) = (self.end - 1, self.side, self.sum[0]);
            let Least { all, but_one, second, last: d, .. } = self.least;
            if all >= zero && but_one >= zero {
                return;
            }
            let is_positive = but_one > zero;
            if all < zero && is_positive && self.e[1 - side][last - 1] < tolerance * (sum + second) && d.abs() < tolerance * sum {
                // It converged, which a negative last entry hides.
                self.q[1 - side][last] = zero;
                self.least.all = zero;
                return;
            } else if all < zero {
                (self.shift, self.kind) = match is_positive {
                    _ if self.kind < -22 => (zero, self.kind),
                    true => ((self.shift + all) * (R::of(1.0) - R::of(2.0) * R::EPSILON), self.kind - 11),
                    false => (R::of(0.25) * self.shift, self.kind - 12),
                };
            } else if all.wide().is_nan() && self.shift != zero {
                self.shift = zero;
            } else {
                self.careful_step();
                self.shift = zero;
                return;
            }
        }
    }

    /// A step with a shift. Without one, entries that are as good as zero become zeros. In single precision the library divides
    /// before it multiplies everywhere, and gives up at the first negative entry.
    fn shifted_step(&mut self) {
        let (first, end, side) = (self.first, self.end, self.side);
        let zero = R::of(0.0);
        let is_single = size_of::<R>() == 4;
        let threshold = R::EPSILON * (self.sum[0] + self.shift);
        if self.shift < threshold * R::of(0.5) {
            self.shift = zero;
        }
        let shift = self.shift;
        let mut lowest = self.q[side][first + 1];
        let mut d = self.q[side][first] - shift;
        (self.least.all, self.least.but_one) = (d, -self.q[side][first]);
        for i in first..end - 1 {
            let (next, e) = (self.q[side][i + 1], self.e[side][i]);
            let is_inner = i + 3 < end;
            if i + 3 == end {
                (self.least.third, self.least.but_two) = (d, self.least.all);
            }
            let sum = d + e;
            self.q[1 - side][i] = sum;
            if is_single && d < zero {
                return;
            }
            let difference;
            if is_inner && !is_single {
                let ratio = next / sum;
                (difference, d) = (e * ratio, d * ratio - shift);
            } else {
                (difference, d) = (next * (e / sum), next * (d / sum) - shift);
            }
            self.e[1 - side][i] = difference;
            if is_inner {
                d = if shift == zero && d < threshold { zero } else { d };
                lowest = least(lowest, difference);
            }
            self.least.all = least(self.least.all, d);
            if i + 3 == end {
                (self.least.second, self.least.but_one) = (d, self.least.all);
            }
        }
        self.least.last = d;
        (self.q[1 - side][end - 1], self.e[1 - side][end - 1]) = (d, lowest);
    }

    /// A step without a shift that stays clear of the ends of the range.
    fn careful_step(&mut self) {
        let (first, end, side) = (self.first, self.end, self.side);
        let mut lowest = self.q[side][first + 1];
        let mut d = self.q[side][first];
        self.least.all = d;
        for i in first..end - 1 {
            let (next, e) = (self.q[side][i + 1], self.e[side][i]);
            if i + 3 == end {
                (self.least.third, self.least.but_two) = (d, self.least.all);
            }
            let sum = d + e;
            let difference;
            if sum == R::of(0.0) {
                (difference, d, self.least.all) = (sum, next, next);
            } else {
                (difference, d) = quotient(next, sum, e, d);
            }
            self.least.all = least(self.least.all, d);
            (self.q[1 - side][i], self.e[1 - side][i]) = (sum, difference);
            lowest = least(lowest, difference);
            if i + 3 == end {
                (self.least.second, self.least.but_one) = (d, self.least.all);
            }
        }
        self.least.last = d;
        (self.q[1 - side][end - 1], self.e[1 - side][end - 1]) = (d, lowest);
    }
}

/// The new difference and the new entry of the diagonal, from the next quotient, a sum and the old ones.
fn quotient<R: Real>(next: R, sum: R, e: R, d: R) -> (R, R) {
    if R::TINY * next < sum && R::TINY * sum < next {
        let ratio = next / sum;
        return (e * ratio, d * ratio);
    }
    (next * (e / sum), next * (d / sum))
}
