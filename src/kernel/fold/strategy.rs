//! In which lane and in which order elements are folded, as PyTorch does it.

use super::Folding;
use super::lanes::{MAX_LANES, Rows};
use std::ops::Range;

/// Levels of a [`Cascade`].
pub const LEVELS: usize = 4;

/// Where the lanes of a row are in the reduced dimension.
const IN_A_ROW: [i64; MAX_LANES] = {
    let mut places = [0; MAX_LANES];
    let mut k = 0;
    while k < MAX_LANES {
        places[k] = k as i64;
        k += 1;
    }
    places
};

/// How the lanes' state is kept: `W` lanes, of which `V` count as a vector, a power of two.
pub trait Strategy<F: Folding, const W: usize, const V: usize>: 'static {
    /// The state of all lanes.
    type State: Copy;
    /// A fresh state.
    fn fresh() -> Self::State;
    /// Takes rows.
    ///
    /// # Safety
    /// Each row is `W` readable elements.
    unsafe fn feed(state: &mut Self::State, rows: &Rows);
    /// Appends a state that was fed the rows after this one's.
    fn append(state: &mut Self::State, later: &Self::State);
    /// One accumulator per lane.
    fn lanes(state: &Self::State) -> [F::Acc; W];
    /// All lanes and the elements after the last whole row, the first of which has place `at`.
    fn close(state: &Self::State, tail: &[F::In], at: i64) -> F::Acc;
    /// All elements of one row.
    #[inline(always)]
    fn row(xs: &[F::In]) -> F::Acc {
        let rows = rows_of::<F::In, W>(xs);
        let mut state = Self::fresh();
        // SAFETY: these are the row's elements.
        unsafe { Self::feed(&mut state, &rows) };
        let done = rows.count * W;
        Self::close(in_memory(&mut state), &xs[done..], done as i64)
    }
    /// After how many rows a long column is cut, so that several threads can work on it.
    fn piece(rows: usize) -> usize;
    /// See [`Lanes::folds_vectors`](super::lanes::Lanes::folds_vectors).
    const FOLDS_VECTORS: bool;
}

/// One accumulator per lane.
pub struct Plain;

impl<F: Folding, const W: usize, const V: usize> Strategy<F, W, V> for Plain {
    type State = [F::Acc; W];

    #[inline(always)]
    fn fresh() -> [F::Acc; W] {
        [F::start(); W]
    }

    #[inline(always)]
    unsafe fn feed(state: &mut [F::Acc; W], rows: &Rows) {
        // SAFETY: the caller's promise.
        unsafe { feed::<F, W>(state, rows) }
    }

    #[inline(always)]
    fn append(state: &mut [F::Acc; W], later: &[F::Acc; W]) {
        join::<F>(state, later);
    }

    #[inline(always)]
    fn lanes(state: &[F::Acc; W]) -> [F::Acc; W] {
        *state
    }

    /// Vectors two by two, then the lanes of the vector that is left, then the tail.
    #[inline(always)]
    fn close(state: &[F::Acc; W], tail: &[F::In], at: i64) -> F::Acc {
        let mut lanes = *state;
        let mut width = V;
        while width < W {
            for k in (0..W).step_by(2 * width) {
                for i in k..(k + V).min(W - width) {
                    lanes[i] = F::join(lanes[i], lanes[i + width]);
                }
            }
            width *= 2;
        }
        let lanes = in_memory(&mut lanes);
        let joined = lanes[1..V.min(W)].iter().fold(lanes[0], |acc, lane| F::join(acc, *lane));
        tail.iter().enumerate().fold(joined, |acc, (i, x)| F::step(acc, *x, at + i as i64))
    }

    fn piece(_rows: usize) -> usize {
        1 << 12
    }

    const FOLDS_VECTORS: bool = false;
}

/// Takes rows, each lane its column, one after the other.
#[inline(always)]
unsafe fn feed<F: Folding, const W: usize>(state: &mut [F::Acc; W], rows: &Rows) {
    let mut acc = *state;
    for r in 0..rows.count {
        // SAFETY: the caller promises W elements in each row.
        let row = unsafe { &*(rows.block.offset(r as isize * rows.step) as *const [F::In; W]) };
        let at = rows.at + r as i64 * rows.stride;
        for k in 0..W {
            acc[k] = F::step(acc[k], row[k], at + rows.lanes[k]);
        }
    }
    *state = acc;
}

/// Lanes as they lie in memory. The compiler would else keep them in the order in which they are joined in the end, and shuffle
/// every row into it, or take vectors apart: two to five times slower.
#[inline(always)]
fn in_memory<T>(lanes: &mut T) -> &T {
    std::hint::black_box(lanes)
}

/// The elements of one row of a tensor as rows of lanes. The compiler must not know how far apart they are: it would fold each lane by
/// itself, gathering its elements, five times slower.
#[inline(always)]
fn rows_of<'a, E, const W: usize>(xs: &'a [E]) -> Rows<'a> {
    let (block, step, total) = (xs.as_ptr() as *const u8, std::hint::black_box(W * size_of::<E>()) as isize, xs.len() / W);
    Rows { block, step, count: total, first: 0, total, at: 0, stride: W as i64, lanes: &IN_A_ROW }
}

/// Joins each lane with that which comes later.
#[inline(always)]
pub fn join<F: Folding>(lanes: &mut [F::Acc], later: &[F::Acc]) {
    lanes.iter_mut().zip(later).for_each(|(a, b)| *a = F::join(*a, *b));
}

/// Sums of sums: after a fixed number of rows a lane's sum moves up a level, so that rounding errors grow with the logarithm
/// of the number of rows.
pub struct Cascade;

/// Fewer rows than this stay in the lowest level.
pub const SHORTEST_RUN: usize = 1 << 4;

/// Rows per step of a level, as a power of two.
fn power(rows: usize) -> u32 {
    let log = if rows <= 2 { 1 } else { (rows - 1).ilog2() + 1 };
    (log / LEVELS as u32).max(SHORTEST_RUN.ilog2())
}

/// True when the sums that came to a level after so many rows go on to the next.
#[inline(always)]
fn moves_on(rows: usize, power: u32, level: usize) -> bool {
    level + 1 < LEVELS && rows & (((1 << power) - 1) << (level as u32 * power)) == 0
}

/// A step of a cascade.
pub enum Stage {
    /// These rows go to the lowest level.
    Rows(Range<usize>),
    /// What is below this level moves up to it.
    Lift(usize),
}

/// The steps that take some rows of a cascade.
pub struct Stages {
    power: u32,
    rows: Range<usize>,
    /// The level to which sums move up next; 0 when rows are next.
    level: usize,
}

/// The steps for some rows of a cascade of `total`.
#[inline(always)]
pub fn cascade(total: usize, rows: Range<usize>) -> Stages {
    Stages { power: power(total), rows, level: 0 }
}

impl Iterator for Stages {
    type Item = Stage;

    #[inline(always)]
    fn next(&mut self) -> Option<Stage> {
        let run = 1usize << self.power;
        if self.level > 0 {
            let level = self.level;
            self.level = if moves_on(self.rows.start, self.power, level) { level + 1 } else { 0 };
            return Some(Stage::Lift(level));
        }
        if self.rows.is_empty() {
            return None;
        }
        let first = self.rows.start;
        self.rows.start = (first + run - first % run).min(self.rows.end);
        self.level = usize::from(self.rows.start.is_multiple_of(run));
        Some(Stage::Rows(first..self.rows.start))
    }
}

/// Moves the sums below a level up to it.
#[inline(always)]
fn lift<F: Folding, const W: usize>(state: &mut [[F::Acc; W]; LEVELS], level: usize) {
    let below = std::mem::replace(&mut state[level - 1], [F::start(); W]);
    join::<F>(&mut state[level], &below);
}

impl<F: Folding, const W: usize, const V: usize> Strategy<F, W, V> for Cascade {
    type State = [[F::Acc; W]; LEVELS];

    #[inline(always)]
    fn fresh() -> Self::State {
        [[F::start(); W]; LEVELS]
    }

    /// Whole runs go to the second level without a stay in memory.
    #[inline(always)]
    unsafe fn feed(state: &mut Self::State, rows: &Rows) {
        let power = power(rows.total);
        let run = 1usize << power;
        let part = |done: usize, count: usize| {
            let block = rows.block.wrapping_offset(done as isize * rows.step);
            Rows { block, count, at: rows.at + done as i64 * rows.stride, ..*rows }
        };
        let mut done = 0;
        while done < rows.count {
            let (first, left) = (rows.first + done, rows.count - done);
            let ahead = run - first % run;
            // SAFETY: the parts are some of the caller's rows.
            unsafe {
                if ahead == run && left >= run {
                    let runs = (run - first / run % run).min(left / run);
                    let mut sums = state[1];
                    for i in 0..runs {
                        let mut lanes = [F::start(); W];
                        feed::<F, W>(&mut lanes, &part(done + i * run, run));
                        join::<F>(&mut sums, &lanes);
                    }
                    state[1] = *in_memory(&mut sums);
                    done += runs * run;
                } else {
                    let count = ahead.min(left);
                    feed::<F, W>(&mut state[0], &part(done, count));
                    done += count;
                    if count < ahead {
                        return;
                    }
                    lift::<F, W>(state, 1);
                }
            }
            let mut level = 1;
            while moves_on(rows.first + done, power, level) {
                level += 1;
                lift::<F, W>(state, level);
            }
        }
    }

    fn append(state: &mut Self::State, later: &Self::State) {
        state.iter_mut().zip(later).for_each(|(a, b)| join::<F>(a, b));
    }

    #[inline(always)]
    fn lanes(state: &Self::State) -> [F::Acc; W] {
        let mut lanes = state[0];
        state[1..].iter().for_each(|level| join::<F>(&mut lanes, level));
        lanes
    }

    #[inline(always)]
    fn close(state: &Self::State, tail: &[F::In], at: i64) -> F::Acc {
        close::<F, W, V>(<Self as Strategy<F, W, V>>::lanes(state), tail, at)
    }

    /// Short rows never leave the lowest level.
    #[inline(always)]
    fn row(xs: &[F::In]) -> F::Acc {
        let rows = rows_of::<F::In, W>(xs);
        let done = rows.count * W;
        let (tail, at) = (&xs[done..], done as i64);
        if rows.count == 0 {
            return close::<F, V, V>([F::start(); V], tail, at);
        }
        if rows.count < SHORTEST_RUN {
            let mut lanes = [F::start(); W];
            // SAFETY: these are the row's elements.
            unsafe { feed::<F, W>(&mut lanes, &rows) };
            return close::<F, W, V>(*in_memory(&mut lanes), tail, at);
        }
        let mut state = [[F::start(); W]; LEVELS];
        // SAFETY: as above.
        unsafe { <Self as Strategy<F, W, V>>::feed(&mut state, &rows) }
        close::<F, W, V>(<Self as Strategy<F, W, V>>::lanes(&state), tail, at)
    }

    /// What fills the lower levels: pieces then meet in the uppermost, in order, as they do on one thread.
    fn piece(rows: usize) -> usize {
        1 << ((LEVELS as u32 - 1) * power(rows))
    }

    const FOLDS_VECTORS: bool = true;
}

/// Joins lanes and tail: whole vectors of the tail go with the first vector; then the vectors are added up, then what is left of the
/// tail and the lanes of the vector.
#[inline(always)]
fn close<F: Folding, const W: usize, const V: usize>(lanes: [F::Acc; W], tail: &[F::In], at: i64) -> F::Acc {
    let (whole, rest) = tail.split_at(tail.len() / V * V);
    let mut vector = join_vectors::<F, W, V>(&lanes, whole, |i| at + i as i64);
    let at = at + whole.len() as i64;
    let acc = rest.iter().enumerate().fold(F::start(), |acc, (i, x)| F::step(acc, *x, at + i as i64));
    in_memory(&mut vector).iter().fold(acc, |acc, lane| F::join(acc, *lane))
}

/// Steps whole vectors of `tail` into the first vector of lanes, then joins the other vectors into it, in order.
#[inline(always)]
pub fn join_vectors<F: Folding, const W: usize, const V: usize>(
    lanes: &[F::Acc; W],
    tail: &[F::In],
    at: impl Fn(usize) -> i64,
) -> [F::Acc; V] {
    let (vectors, _) = lanes.as_chunks::<V>();
    let mut first = vectors[0];
    for (v, xs) in tail.as_chunks::<V>().0.iter().enumerate() {
        for k in 0..V {
            first[k] = F::step(first[k], xs[k], at(v * V + k));
        }
    }
    vectors[1..].iter().for_each(|vector| join::<F>(&mut first, vector));
    first
}
