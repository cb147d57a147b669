//! Folding in lanes side by side: rows of lanes come in, every lane folds its column.

use super::Folding;
use super::columns::{ColumnsFn, columns};
use super::strategy::{Strategy, join, join_vectors};
use crate::kernel::isa::{Versions, pick, pick_light, versions};
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
const BESIDE: usize = 16;

/// Rows of fewer elements than this are short.
const SHORT: usize = 64;

/// The functions of a folding in a certain number of lanes, without their types.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    /// Number of lanes.
    pub width: usize,
    /// Lanes that count as one vector: the order in which lanes are joined follows it.
    pub vector: usize,
    /// True when columns that do not fill all lanes are folded a vector at a time, several rows side by side.
    pub folds_vectors: bool,
    /// Its loops are [light](super::Folding::IS_LIGHT).
    is_light: bool,
    /// Makes a state fresh.
    pub reset: unsafe fn(state: *mut u8),
    /// Takes rows of `width` elements.
    feed: Versions<FeedFn>,
    /// Appends another state.
    pub append: unsafe fn(state: *mut u8, later: *const u8),
    /// After how many rows a long column is cut.
    pub piece: fn(rows: usize) -> usize,
    /// Joins all lanes, and the `len` elements at `tail` that follow the last whole row, the first of which has place `at`,
    /// into one accumulator.
    pub close_row: CloseFn,
    /// Joins each lane into its own of `width` accumulators.
    pub close_columns: unsafe fn(state: *const u8, into: *mut u8),
    /// Folds some whole rows of `len` elements each, from one of which to the next it is `step` bytes, each into its own
    /// accumulator.
    whole_rows: Versions<WholeFn>,
    /// For `folds_vectors`: joins the vectors of the state and the `len` elements at `tail`, whole vectors, into `vector`
    /// accumulators.
    pub close_vectors: CloseFn,
}

type FeedFn = unsafe fn(state: *mut u8, rows: &Rows);

/// Takes the rows, the length of a row, the bytes from one to the next, how many there are, and where the accumulators are.
type WholeFn = unsafe fn(rows: *const u8, len: usize, step: isize, count: usize, into: *mut u8);

type CloseFn = unsafe fn(state: *const u8, tail: *const u8, len: usize, at: i64, into: *mut u8);

impl Lanes {
    /// Takes rows of `width` elements.
    pub fn feed(&self) -> FeedFn {
        if self.is_light { pick_light(self.feed) } else { pick(self.feed) }
    }

    /// Folds whole rows.
    pub fn whole_rows(&self) -> WholeFn {
        if self.is_light { pick_light(self.whole_rows) } else { pick(self.whole_rows) }
    }

    /// The functions of a folding with a strategy in `W` lanes in vectors of `V`.
    pub const fn new<F: Folding, S: Strategy<F, W, V>, const W: usize, const V: usize>() -> Lanes {
        const { assert!(W.is_multiple_of(V) && V.is_power_of_two() && W <= MAX_LANES) };
        Lanes {
            width: W,
            vector: V,
            folds_vectors: S::FOLDS_VECTORS,
            is_light: F::IS_LIGHT,
            reset: reset::<F, S, W, V>,
            feed: feed_versions::<Typed<F, S, W, V>>(),
            append: append::<F, S, W, V>,
            piece: S::piece,
            close_row: close_row::<F, S, W, V>,
            whole_rows: whole_versions::<Typed<F, S, W, V>>(),
            close_columns: close_columns::<F, S, W, V>,
            close_vectors: close_vectors::<F, S, W, V>,
        }
    }
}

/// The function that folds columns side by side as a row of `W` lanes folds each of them.
pub const fn group<F: Folding, S: Strategy<F, W, 1>, const W: usize>() -> Versions<ColumnsFn> {
    const { assert!(W == 1 || S::FOLDS_VECTORS) };
    columns_versions::<Typed<F, S, W, 1>>()
}

/// A folding with its strategy and number of lanes.
struct Typed<F, S, const W: usize, const V: usize>(PhantomData<(F, S)>);

/// What a [`Typed`] can do, for the versions of it.
trait Feed: 'static {
    unsafe fn feed(state: *mut u8, rows: &Rows);
    unsafe fn whole_rows(rows: *const u8, len: usize, step: isize, count: usize, into: *mut u8);
}

/// Columns, for the versions of it.
trait Sides: 'static {
    unsafe fn columns(first: *const u8, step: isize, rows: usize, many: usize, into: *mut u8);
}

impl<F: Folding, S: Strategy<F, W, 1>, const W: usize> Sides for Typed<F, S, W, 1> {
    #[inline(always)]
    unsafe fn columns(first: *const u8, step: isize, rows: usize, many: usize, into: *mut u8) {
        // SAFETY: the caller's promise is passed on.
        unsafe { columns::<F, S, W>(first, step, rows, many, into) }
    }
}

impl<F: Folding, S: Strategy<F, W, V>, const W: usize, const V: usize> Feed for Typed<F, S, W, V> {
    #[inline(always)]
    unsafe fn whole_rows(rows: *const u8, len: usize, step: isize, count: usize, into: *mut u8) {
        let into = into as *mut F::Acc;
        if (!S::FOLDS_VECTORS && len < W) || (F::TAKES_ROWS && len < SHORT) {
            // SAFETY: the driver passes `count` rows of `len` elements and as many accumulators.
            return unsafe { short_rows::<F>(rows, len, step, count, into) };
        }
        for i in 0..count {
            // SAFETY: as above.
            unsafe {
                let row = rows.wrapping_offset(i as isize * step) as *const F::In;
                let row = std::slice::from_raw_parts(row, len);
                let acc = if F::TAKES_ROWS { F::whole_row(row) } else { S::row(row) };
                *into.add(i) = F::join(*into.add(i), acc);
            }
        }
    }

    #[inline(always)]
    unsafe fn feed(state: *mut u8, rows: &Rows) {
        // SAFETY: the driver passes a state of this strategy, and rows of W elements.
        unsafe { S::feed(&mut *(state as *mut S::State), rows) }
    }
}

/// Rows of fewer than [`SHORT`] elements, each from its first to its last, some of them side by side in lanes of their own.
#[inline(always)]
unsafe fn short_rows<F: Folding>(rows: *const u8, len: usize, step: isize, count: usize, into: *mut F::Acc) {
    for first in (0..count).step_by(BESIDE) {
        let places = BESIDE.min(count - first);
        let row = |k: usize| rows.wrapping_offset((first + k.min(places - 1)) as isize * step) as *const F::In;
        let starts: [*const F::In; BESIDE] = std::array::from_fn(row);
        let mut accs = [F::start(); BESIDE];
        // SAFETY: the caller promises `count` rows of `len` elements, and an accumulator for each.
        unsafe {
            for i in 0..len {
                for k in 0..BESIDE {
                    accs[k] = F::step(accs[k], *starts[k].add(i), i as i64);
                }
            }
            join::<F>(std::slice::from_raw_parts_mut(into.add(first), places), &accs);
        }
    }
}

versions! { fn whole_versions<T: Feed>(rows: *const u8, len: usize, step: isize, count: usize, into: *mut u8) = whole_rows }

#[inline(always)]
unsafe fn whole_rows<T: Feed>(rows: *const u8, len: usize, step: isize, count: usize, into: *mut u8) {
    // SAFETY: the caller's promise is passed on.
    unsafe { T::whole_rows(rows, len, step, count, into) }
}

versions! {
    fn columns_versions<T: Sides>(first: *const u8, step: isize, rows: usize, many: usize, into: *mut u8) = columns_of
}

#[inline(always)]
unsafe fn columns_of<T: Sides>(first: *const u8, step: isize, rows: usize, many: usize, into: *mut u8) {
    // SAFETY: the caller's promise is passed on.
    unsafe { T::columns(first, step, rows, many, into) }
}

versions! { fn feed_versions<T: Feed>(state: *mut u8, rows: &Rows) = feed }

#[inline(always)]
unsafe fn feed<T: Feed>(state: *mut u8, rows: &Rows) {
    // SAFETY: the caller's promise is passed on.
    unsafe { T::feed(state, rows) }
}

unsafe fn reset<F: Folding, S: Strategy<F, W, V>, const W: usize, const V: usize>(state: *mut u8) {
    const { assert!(size_of::<S::State>() <= size_of::<Room>()) };
    // SAFETY: the driver passes room for a state.
    unsafe { (state as *mut S::State).write(S::fresh()) }
}

unsafe fn append<F: Folding, S: Strategy<F, W, V>, const W: usize, const V: usize>(state: *mut u8, later: *const u8) {
    // SAFETY: the driver passes two states of this strategy.
    unsafe { S::append(&mut *(state as *mut S::State), &*(later as *const S::State)) }
}

unsafe fn close_row<F: Folding, S: Strategy<F, W, V>, const W: usize, const V: usize>(
    state: *const u8,
    tail: *const u8,
    len: usize,
    at: i64,
    into: *mut u8,
) {
    // SAFETY: the driver passes a state, `len` elements and an accumulator.
    unsafe {
        let tail = std::slice::from_raw_parts(tail as *const F::In, len);
        let acc = S::close(&*(state as *const S::State), tail, at);
        *(into as *mut F::Acc) = F::join(*(into as *mut F::Acc), acc);
    }
}

unsafe fn close_columns<F: Folding, S: Strategy<F, W, V>, const W: usize, const V: usize>(state: *const u8, into: *mut u8) {
    // SAFETY: the driver passes a state and W accumulators.
    let (lanes, into) = unsafe { (S::lanes(&*(state as *const S::State)), &mut *(into as *mut [F::Acc; W])) };
    join::<F>(into, &lanes);
}

unsafe fn close_vectors<F: Folding, S: Strategy<F, W, V>, const W: usize, const V: usize>(
    state: *const u8,
    tail: *const u8,
    len: usize,
    at: i64,
    into: *mut u8,
) {
    // SAFETY: the driver passes a state, `len` elements and `V` accumulators.
    unsafe {
        let lanes = S::lanes(&*(state as *const S::State));
        let tail = std::slice::from_raw_parts(tail as *const F::In, len);
        let vector = join_vectors::<F, W, V>(&lanes, tail, |i| at + (i / V) as i64);
        join::<F>(std::slice::from_raw_parts_mut(into as *mut F::Acc, V), &vector);
    }
}
