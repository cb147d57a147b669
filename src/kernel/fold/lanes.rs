//! Folding in lanes side by side: rows of lanes come in, every lane folds its column.

use super::Folding;
use crate::kernel::isa::{Versions, versions};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Most lanes.
pub const MAX_LANES: usize = 32;

/// Most rows that are folded by one call.
pub const MAX_ROWS: usize = 256;

/// Room for the state of any folding in any number of lanes.
pub type Room = Bytes<2048>;
/// Room for the accumulators, or for the results, of as many rows as are folded by one call.
pub type Wide = Bytes<{ MAX_ROWS * 32 }>;

/// Aligned memory.
#[repr(C, align(64))]
pub struct Bytes<const N: usize>(MaybeUninit<[u8; N]>);

impl<const N: usize> Bytes<N> {
    /// Room whose contents mean nothing yet.
    pub fn new() -> Bytes<N> {
        Bytes(MaybeUninit::uninit())
    }

    /// Where it begins.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.0.as_mut_ptr() as *mut u8
    }
}

/// Where the rows of a block lie and which elements they are.
pub struct Rows<'a> {
    /// The first row.
    pub block: *const u8,
    /// Bytes from one row to the next.
    pub step: isize,
    /// How many.
    pub count: usize,
    /// Number of the first row since the state was fresh.
    pub first: usize,
    /// Rows there will be in all.
    pub total: usize,
    /// Place of the first row in the reduced dimension, and places from row to row.
    pub at: i64,
    /// Places from one row to the next.
    pub stride: i64,
    /// Place of each lane relative to its row.
    pub lanes: &'a [i64; MAX_LANES],
}

/// Short rows that are folded side by side.
pub const BESIDE: usize = 16;

/// Rows of fewer elements than this are short.
const SHORT: usize = 64;

/// How the lanes' state is kept.
pub trait Strategy<F: Folding, const W: usize>: 'static {
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
    fn close(state: &Self::State, tail: &[F::In], vector: usize, at: i64) -> F::Acc;
    /// What `close` gives of a fresh state, for rows of fewer than `W` elements side by side: the i-th of each is in `columns[i]`.
    fn beside(columns: &[[F::In; BESIDE]], vector: usize) -> [F::Acc; BESIDE];
    /// After how many rows a long column is cut, so that several threads can work on it.
    fn piece(rows: usize) -> usize;
    /// See [`Lanes::folds_vectors`].
    const FOLDS_VECTORS: bool;
}

/// One accumulator per lane.
pub struct Plain;

impl<F: Folding, const W: usize> Strategy<F, W> for Plain {
    type State = [F::Acc; W];

    #[inline(always)]
    fn fresh() -> [F::Acc; W] {
        [F::start(); W]
    }

    #[inline(always)]
    unsafe fn feed(state: &mut [F::Acc; W], rows: &Rows) {
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

    #[inline(always)]
    fn append(state: &mut [F::Acc; W], later: &[F::Acc; W]) {
        for (a, b) in state.iter_mut().zip(later) {
            *a = F::join(*a, *b);
        }
    }

    #[inline(always)]
    fn lanes(state: &[F::Acc; W]) -> [F::Acc; W] {
        *state
    }

    /// Vectors two by two, then the lanes of the vector that is left, then the tail.
    #[inline(always)]
    fn close(state: &[F::Acc; W], tail: &[F::In], vector: usize, at: i64) -> F::Acc {
        let mut lanes = *state;
        let mut width = vector;
        while width < W {
            for k in (0..W).step_by(2 * width) {
                for i in k..(k + vector).min(W - width) {
                    lanes[i] = F::join(lanes[i], lanes[i + width]);
                }
            }
            width *= 2;
        }
        let joined = lanes[1..vector.min(W)].iter().fold(lanes[0], |acc, lane| F::join(acc, *lane));
        tail.iter().enumerate().fold(joined, |acc, (i, x)| F::step(acc, *x, at + i as i64))
    }

    #[inline(always)]
    fn beside(columns: &[[F::In; BESIDE]], _vector: usize) -> [F::Acc; BESIDE] {
        let mut accs = [F::start(); BESIDE];
        for (i, column) in columns.iter().enumerate() {
            for (acc, x) in accs.iter_mut().zip(column) {
                *acc = F::step(*acc, *x, i as i64);
            }
        }
        accs
    }

    fn piece(_rows: usize) -> usize {
        1 << 12
    }

    const FOLDS_VECTORS: bool = false;
}

/// Sums of sums: after a fixed number of rows a lane's sum moves up a level, so that rounding errors grow with the logarithm
/// of the number of rows.
pub struct Cascade;

const LEVELS: usize = 4;

/// Rows per step of a level, as a power of two.
fn power(rows: usize) -> u32 {
    let log = if rows <= 2 { 1 } else { (rows - 1).ilog2() + 1 };
    (log / LEVELS as u32).max(4)
}

impl<F: Folding, const W: usize> Strategy<F, W> for Cascade {
    type State = [[F::Acc; W]; LEVELS];

    #[inline(always)]
    fn fresh() -> Self::State {
        [[F::start(); W]; LEVELS]
    }

    #[inline(always)]
    unsafe fn feed(state: &mut Self::State, rows: &Rows) {
        let power = power(rows.total);
        let step = 1usize << power;
        let mut done = 0;
        while done < rows.count {
            let i = rows.first + done;
            let run = (rows.count - done).min(step - i % step);
            let part = Rows { block: rows.block.wrapping_offset(done as isize * rows.step), count: run, ..*rows };
            // SAFETY: the part is some of the caller's rows.
            unsafe { <Plain as Strategy<F, W>>::feed(&mut state[0], &part) };
            done += run;
            let i = i + run;
            if !i.is_multiple_of(step) {
                break;
            }
            for level in 1..LEVELS {
                let below = std::mem::replace(&mut state[level - 1], [F::start(); W]);
                <Plain as Strategy<F, W>>::append(&mut state[level], &below);
                if i & ((step - 1) << (level as u32 * power)) != 0 {
                    break;
                }
            }
        }
    }

    fn append(state: &mut Self::State, later: &Self::State) {
        for (a, b) in state.iter_mut().zip(later) {
            <Plain as Strategy<F, W>>::append(a, b);
        }
    }

    #[inline(always)]
    fn lanes(state: &Self::State) -> [F::Acc; W] {
        let mut lanes = state[0];
        for level in &state[1..] {
            <Plain as Strategy<F, W>>::append(&mut lanes, level);
        }
        lanes
    }

    /// Whole vectors of the tail go with the first vector; then the vectors are added up, then what is left of the tail and
    /// the lanes of the vector.
    #[inline(always)]
    fn close(state: &Self::State, tail: &[F::In], vector: usize, at: i64) -> F::Acc {
        let mut lanes = <Self as Strategy<F, W>>::lanes(state);
        let (whole, rest) = tail.split_at(tail.len() / vector * vector);
        join_vectors::<F, W>(&mut lanes, whole, vector, |i| at + i as i64);
        if vector == 1 {
            return lanes[0];
        }
        let at = at + whole.len() as i64;
        let acc = rest.iter().enumerate().fold(F::start(), |acc, (i, x)| F::step(acc, *x, at + i as i64));
        lanes[..vector].iter().fold(acc, |acc, lane| F::join(acc, *lane))
    }

    /// Whole vectors into the lanes of one, what is left one after the other, then the lanes of the vector; joining what is fresh
    /// changes no sum.
    #[inline(always)]
    fn beside(columns: &[[F::In; BESIDE]], vector: usize) -> [F::Acc; BESIDE] {
        let whole = if vector == 1 { 0 } else { columns.len() / vector * vector };
        let mut accs = <Plain as Strategy<F, W>>::beside(&columns[whole..], vector);
        if whole > 0 {
            for lane in 0..vector {
                let mut sums = [F::start(); BESIDE];
                for (i, column) in columns[..whole].iter().enumerate().skip(lane).step_by(vector) {
                    sums.iter_mut().zip(column).for_each(|(sum, x)| *sum = F::step(*sum, *x, i as i64));
                }
                accs.iter_mut().zip(sums).for_each(|(acc, sum)| *acc = F::join(*acc, sum));
            }
        }
        accs
    }

    /// What fills the lower levels: pieces then meet in the uppermost, in order, as they do on one thread.
    fn piece(rows: usize) -> usize {
        1 << ((LEVELS as u32 - 1) * power(rows))
    }

    const FOLDS_VECTORS: bool = true;
}

/// The functions of a folding in a certain number of lanes, without their types.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    /// Number of lanes.
    pub width: usize,
    /// Lanes that count as one vector: the order in which lanes are joined follows it.
    pub vector: usize,
    /// True when columns that do not fill all lanes are folded a vector at a time, several rows side by side.
    pub folds_vectors: bool,
    /// Makes a state fresh.
    pub reset: unsafe fn(state: *mut u8),
    /// Takes rows of `width` elements.
    pub feed: Versions<unsafe fn(state: *mut u8, rows: &Rows)>,
    /// Appends another state.
    pub append: unsafe fn(state: *mut u8, later: *const u8),
    /// After how many rows a long column is cut.
    pub piece: fn(rows: usize) -> usize,
    /// Joins all lanes, and the `len` elements at `tail` that follow the last whole row, the first of which has place `at`,
    /// into one accumulator.
    pub close_row: CloseFn,
    /// Joins each lane into its own of `width` accumulators.
    pub close_columns: unsafe fn(state: *const u8, into: *mut u8),
    /// Folds some whole rows of `len` elements each, one after another, each into its own accumulator.
    pub whole_rows: Versions<WholeFn>,
    /// For `folds_vectors`: joins the vectors of the state and the `len` elements at `tail`, whole vectors, into `vector`
    /// accumulators.
    pub close_vectors: CloseFn,
}

/// Takes the rows, the length of a row, how many there are, the lanes of a vector, and where the accumulators are.
type WholeFn = unsafe fn(rows: *const u8, len: usize, count: usize, vector: usize, into: *mut u8);

type CloseFn = unsafe fn(state: *const u8, tail: *const u8, len: usize, vector: usize, at: i64, into: *mut u8);

impl Lanes {
    /// The functions of a folding with a strategy in `W` lanes.
    pub const fn new<F: Folding, S: Strategy<F, W>, const W: usize>(vector: usize) -> Lanes {
        Lanes {
            width: W,
            vector,
            folds_vectors: S::FOLDS_VECTORS,
            reset: reset::<F, S, W>,
            feed: feed_versions::<Typed<F, S, W>>(),
            append: append::<F, S, W>,
            piece: S::piece,
            close_row: close_row::<F, S, W>,
            whole_rows: whole_versions::<Typed<F, S, W>>(),
            close_columns: close_columns::<F, S, W>,
            close_vectors: close_vectors::<F, S, W>,
        }
    }
}

/// A folding with its strategy and number of lanes.
struct Typed<F, S, const W: usize>(PhantomData<(F, S)>);

/// What a [`Typed`] can do, for the versions of it.
trait Feed: 'static {
    unsafe fn feed(state: *mut u8, rows: &Rows);
    unsafe fn whole_rows(rows: *const u8, len: usize, count: usize, vector: usize, into: *mut u8);
    unsafe fn group(block: *const u8, step: isize, rows: usize, columns: usize, into: *mut u8);
}

impl<F: Folding, S: Strategy<F, W>, const W: usize> Feed for Typed<F, S, W> {
    /// Row k of a group goes to lane k of each column, a [`Cascade`] where lanes fold so.
    #[inline(always)]
    unsafe fn group(block: *const u8, step: isize, rows: usize, columns: usize, into: *mut u8) {
        let join = |into: &mut [F::Acc], from: &[F::Acc]| into.iter_mut().zip(from).for_each(|(a, b)| *a = F::join(*a, *b));
        let feed = |accs: &mut [F::Acc], row: usize| {
            // SAFETY: the caller promises `columns` elements in each row.
            let xs = unsafe { std::slice::from_raw_parts(block.offset(row as isize * step) as *const F::In, columns) };
            accs.iter_mut().zip(xs).for_each(|(acc, x)| *acc = F::step(*acc, *x, row as i64));
        };
        let mut state = [[[F::start(); MAX_LANES]; W]; LEVELS];
        let (total, levels) = (rows / W, if S::FOLDS_VECTORS { LEVELS } else { 1 });
        let power = power(total);
        let mask = (1usize << power) - 1;
        for i in 0..total {
            (0..W).for_each(|k| feed(&mut state[0][k][..columns], i * W + k));
            for level in 1..levels {
                if (i + 1) & (mask << ((level as u32 - 1) * power)) != 0 {
                    break;
                }
                let below = std::mem::replace(&mut state[level - 1], [[F::start(); MAX_LANES]; W]);
                (0..W).for_each(|k| join(&mut state[level][k][..columns], &below[k]));
            }
        }
        let [mut lanes, above @ ..] = state;
        for level in &above[..levels - 1] {
            (0..W).for_each(|k| join(&mut lanes[k][..columns], &level[k]));
        }
        (total * W..rows).for_each(|row| feed(&mut lanes[0][..columns], row));
        let [first, others @ ..] = &mut lanes[..] else { return };
        others.iter().for_each(|lane| join(&mut first[..columns], lane));
        // SAFETY: the caller promises as many accumulators.
        join(unsafe { std::slice::from_raw_parts_mut(into as *mut F::Acc, columns) }, &first[..]);
    }

    #[inline(always)]
    unsafe fn whole_rows(rows: *const u8, len: usize, count: usize, vector: usize, into: *mut u8) {
        if len < W || (F::TAKES_ROWS && len < SHORT) {
            // SAFETY: the driver passes `count` rows of `len` elements and as many accumulators.
            return unsafe { short_rows::<F, S, W>(rows as *const F::In, len, count, vector, into as *mut F::Acc) };
        }
        let lanes: [i64; MAX_LANES] = std::array::from_fn(|k| k as i64);
        for i in 0..count {
            // SAFETY: the driver passes `count` rows of `len` elements and as many accumulators.
            let row = unsafe { std::slice::from_raw_parts((rows as *const F::In).add(i * len), len) };
            let acc = if F::TAKES_ROWS {
                F::whole_row(row)
            } else {
                let (total, mut state) = (len / W, S::fresh());
                let step = (W * size_of::<F::In>()) as isize;
                let block = row.as_ptr() as *const u8;
                let rows = Rows { block, step, count: total, first: 0, total, at: 0, stride: W as i64, lanes: &lanes };
                if total > 0 {
                    // SAFETY: the row has `total * W` elements at least.
                    unsafe { S::feed(&mut state, &rows) };
                }
                S::close(&state, &row[total * W..], vector, (total * W) as i64)
            };
            // SAFETY: as above.
            unsafe {
                let into = (into as *mut F::Acc).add(i);
                *into = F::join(*into, acc);
            }
        }
    }

    #[inline(always)]
    unsafe fn feed(state: *mut u8, rows: &Rows) {
        // SAFETY: the driver passes a state of this strategy, and rows of W elements.
        unsafe { S::feed(&mut *(state as *mut S::State), rows) }
    }
}

/// Rows of fewer than [`SHORT`] elements, some of them side by side in lanes of their own.
#[inline(always)]
unsafe fn short_rows<F: Folding, S: Strategy<F, W>, const W: usize>(
    rows: *const F::In,
    len: usize,
    count: usize,
    vector: usize,
    into: *mut F::Acc,
) {
    let mut columns = [[F::In::default(); BESIDE]; SHORT];
    for first in (0..count).step_by(BESIDE) {
        let places = BESIDE.min(count - first);
        // SAFETY: the caller promises `count` rows of `len` elements, and an accumulator for each.
        unsafe {
            let from = rows.add(first * len);
            for (i, column) in columns[..len].iter_mut().enumerate() {
                for (k, x) in column.iter_mut().enumerate() {
                    *x = *from.add(k.min(places - 1) * len + i);
                }
            }
            let accs = S::beside(&columns[..len], vector);
            for (k, acc) in accs.iter().enumerate().take(places) {
                let into = into.add(first + k);
                *into = F::join(*into, *acc);
            }
        }
    }
}

versions! { fn whole_versions<T: Feed>(rows: *const u8, len: usize, count: usize, vector: usize, into: *mut u8) = whole_rows }

#[inline(always)]
unsafe fn whole_rows<T: Feed>(rows: *const u8, len: usize, count: usize, vector: usize, into: *mut u8) {
    // SAFETY: the caller's promise is passed on.
    unsafe { T::whole_rows(rows, len, count, vector, into) }
}

/// Folds neighbouring columns, at most [`MAX_LANES`], each into its own accumulator: takes the first element, the bytes from one row
/// to the next, and how many rows and columns there are.
pub type GroupFn = unsafe fn(block: *const u8, step: isize, rows: usize, columns: usize, into: *mut u8);

/// The function that folds columns side by side as a row of `W` lanes folds each of them.
pub const fn group<F: Folding, S: Strategy<F, W>, const W: usize>() -> Versions<GroupFn> {
    const { assert!(W == 1 || (W <= BESIDE && S::FOLDS_VECTORS)) };
    group_versions::<Typed<F, S, W>>()
}

versions! { fn group_versions<T: Feed>(block: *const u8, step: isize, rows: usize, columns: usize, into: *mut u8) = group_of }

#[inline(always)]
unsafe fn group_of<T: Feed>(block: *const u8, step: isize, rows: usize, columns: usize, into: *mut u8) {
    // SAFETY: the caller's promise is passed on.
    unsafe { T::group(block, step, rows, columns, into) }
}

versions! { fn feed_versions<T: Feed>(state: *mut u8, rows: &Rows) = feed }

#[inline(always)]
unsafe fn feed<T: Feed>(state: *mut u8, rows: &Rows) {
    // SAFETY: the caller's promise is passed on.
    unsafe { T::feed(state, rows) }
}

unsafe fn reset<F: Folding, S: Strategy<F, W>, const W: usize>(state: *mut u8) {
    const { assert!(size_of::<S::State>() <= size_of::<Room>() && W <= MAX_LANES) };
    // SAFETY: the driver passes room for a state.
    unsafe { (state as *mut S::State).write(S::fresh()) }
}

unsafe fn append<F: Folding, S: Strategy<F, W>, const W: usize>(state: *mut u8, later: *const u8) {
    // SAFETY: the driver passes two states of this strategy.
    unsafe { S::append(&mut *(state as *mut S::State), &*(later as *const S::State)) }
}

unsafe fn close_row<F: Folding, S: Strategy<F, W>, const W: usize>(
    state: *const u8,
    tail: *const u8,
    len: usize,
    vector: usize,
    at: i64,
    into: *mut u8,
) {
    // SAFETY: the driver passes a state, `len` elements and an accumulator.
    unsafe {
        let tail = std::slice::from_raw_parts(tail as *const F::In, len);
        let acc = S::close(&*(state as *const S::State), tail, vector, at);
        *(into as *mut F::Acc) = F::join(*(into as *mut F::Acc), acc);
    }
}

unsafe fn close_columns<F: Folding, S: Strategy<F, W>, const W: usize>(state: *const u8, into: *mut u8) {
    // SAFETY: the driver passes a state and W accumulators.
    let (lanes, into) = unsafe { (S::lanes(&*(state as *const S::State)), &mut *(into as *mut [F::Acc; W])) };
    for (into, lane) in into.iter_mut().zip(lanes) {
        *into = F::join(*into, lane);
    }
}

unsafe fn close_vectors<F: Folding, S: Strategy<F, W>, const W: usize>(
    state: *const u8,
    tail: *const u8,
    len: usize,
    vector: usize,
    at: i64,
    into: *mut u8,
) {
    // SAFETY: the driver passes a state, `len` elements and `vector` accumulators.
    unsafe {
        let mut lanes = S::lanes(&*(state as *const S::State));
        let tail = std::slice::from_raw_parts(tail as *const F::In, len);
        join_vectors::<F, W>(&mut lanes, tail, vector, |i| at + (i / vector) as i64);
        let into = std::slice::from_raw_parts_mut(into as *mut F::Acc, vector);
        into.iter_mut().zip(lanes).for_each(|(into, lane)| *into = F::join(*into, lane));
    }
}

/// Steps whole vectors of `tail` into the first vector of lanes, then joins the other vectors into it, in order. The lanes of a
/// vector are a power of two.
#[inline(always)]
fn join_vectors<F: Folding, const W: usize>(lanes: &mut [F::Acc; W], tail: &[F::In], vector: usize, at: impl Fn(usize) -> i64) {
    for (i, x) in tail.iter().enumerate() {
        let lane = i & (vector - 1) & (W - 1);
        lanes[lane] = F::step(lanes[lane], *x, at(i));
    }
    for k in vector..W {
        let lane = k & (vector - 1);
        lanes[lane] = F::join(lanes[lane], lanes[k]);
    }
}
