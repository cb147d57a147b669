//! Reductions: many elements become one.
//!
//! A [`Folding`] says how (start, step, join, finish); the rest is the same for all. Elements are folded in several lanes side
//! by side, which the compiler turns into vector registers, and the lanes are joined at the end. Which element goes to which
//! lane, and in which order lanes are joined, follows PyTorch's CPU kernels and depends on sizes and strides alone, never on
//! the number of threads: sums, products and means have the bits PyTorch's have on one thread.

mod columns;
mod drive;
mod feed;
mod jobs;
mod lanes;
mod moments;
mod plan;
mod rules;
mod strategy;

pub use drive::{Line, Spread, Task, run, run_line};
pub use lanes::Lanes;
pub use moments::{STD, VAR};
pub(super) use plan::{Dim, walk};
pub use plan::{FoldPlan, Operand};
pub use rules::*;
pub use strategy::{Cascade, Plain, Strategy};

use columns::ColumnsFn;

use super::element::Lane;
use super::isa::Versions;
use crate::dtype::{Class, DType};
use num_complex::Complex;

/// How elements of one class are folded.
pub trait Folding: 'static {
    /// The class of the elements.
    type In: Lane;
    /// What is carried along.
    type Acc: Copy + Send + Sync + 'static;
    /// The class of the result.
    type Out: Lane;
    /// The class of the second result; the same as the first where there is none.
    type Second: Lane;
    /// True when there is a second result.
    const PAIR: bool = false;

    /// True when a step takes less time than memory does.
    const IS_LIGHT: bool = false;

    /// True when rows without gaps are best taken whole.
    const TAKES_ROWS: bool = false;

    /// What all elements of a row give; asked only of a folding that takes rows.
    #[inline(always)]
    fn whole_row(row: &[Self::In]) -> Self::Acc {
        row.iter().enumerate().fold(Self::start(), |acc, (at, x)| Self::step(acc, *x, at as i64))
    }

    /// True when neighbouring columns are best taken whole.
    const TAKES_COLUMNS: bool = false;

    /// What all elements of `C` neighbouring columns give, from one row of which to the next it is `step` bytes; asked only of a
    /// folding that takes columns.
    ///
    /// # Safety
    /// There are so many rows of readable elements.
    #[inline(always)]
    unsafe fn whole_columns<const C: usize>(first: *const u8, step: isize, rows: usize) -> [Self::Acc; C] {
        let mut accs = [Self::start(); C];
        for i in 0..rows {
            // SAFETY: the caller's promise.
            let row = unsafe { &*(first.wrapping_offset(i as isize * step) as *const [Self::In; C]) };
            accs.iter_mut().zip(row).for_each(|(acc, x)| *acc = Self::step(*acc, *x, i as i64));
        }
        accs
    }
    /// What nothing gives.
    fn start() -> Self::Acc;
    /// Takes one more element; `at` is its place in the reduced dimension.
    fn step(acc: Self::Acc, x: Self::In, at: i64) -> Self::Acc;
    /// Joins what two lanes or two pieces gave; `b`'s elements come later.
    fn join(a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// The result of `count` elements; `number` is the operation's parameter.
    fn finish(acc: Self::Acc, count: i64, number: f64) -> (Self::Out, Self::Second);
}

/// A reduction as data: its loops, one per class.
#[derive(Clone, Copy, Debug)]
pub struct Fold {
    /// As in messages.
    pub name: &'static str,
    /// A loop per [`Class`], in its order; none where PyTorch refuses the dtype.
    pub loops: [Option<FoldLoop>; 6],
}

/// The loops of one class.
#[derive(Clone, Copy, Debug)]
pub struct FoldLoop {
    /// Classes of the results.
    pub outs: [Class; 2],
    /// How many results there are.
    pub results: usize,
    /// Bytes of an accumulator.
    acc: usize,
    /// For elements without gaps.
    wide: Lanes,
    /// For elements with gaps, and few of them.
    narrow: Lanes,
    /// Fewer elements than this are folded narrow.
    wide_from: usize,
    /// For neighbouring columns, each folded narrow.
    group: Versions<ColumnsFn>,
    /// For neighbouring columns, each in a lane of its own; none where wide lanes fold otherwise.
    alone: Option<Versions<ColumnsFn>>,
    /// Writes the accumulators of `n` results before any element.
    start: unsafe fn(accs: *mut u8, n: usize),
    /// Columns are best taken whole, see [`Folding::TAKES_COLUMNS`].
    takes_columns: bool,
    join: unsafe fn(into: *mut u8, from: *const u8),
    finish: FinishFn,
}

/// Turns `n` accumulators of `count` elements each into result lanes.
type FinishFn = unsafe fn(accs: *const u8, n: usize, count: i64, number: f64, outs: &[*mut u8; 2]);

impl FoldLoop {
    /// The loops of a folding with strategy `S`: `WIDE` lanes in vectors of `V`, and `NARROW` lanes of one.
    pub const fn new<F, S, const WIDE: usize, const NARROW: usize, const V: usize>(wide_from: usize) -> FoldLoop
    where
        F: Folding,
        S: Strategy<F, WIDE, V> + Strategy<F, NARROW, 1> + Strategy<F, 1, 1>,
    {
        let alone = Some(lanes::group::<F, S, 1>());
        FoldLoop { alone, ..FoldLoop::mixed::<F, S, S, WIDE, NARROW, V>(wide_from) }
    }

    /// As [`FoldLoop::new`], with strategy `N` for the narrow lanes.
    pub const fn mixed<F, S, N, const WIDE: usize, const NARROW: usize, const V: usize>(wide_from: usize) -> FoldLoop
    where
        F: Folding,
        S: Strategy<F, WIDE, V>,
        N: Strategy<F, NARROW, 1>,
    {
        FoldLoop {
            outs: [<F::Out as Lane>::CLASS, <F::Second as Lane>::CLASS],
            results: 1 + F::PAIR as usize,
            acc: size_of::<F::Acc>(),
            wide: Lanes::new::<F, S, WIDE, V>(),
            narrow: Lanes::new::<F, N, NARROW, 1>(),
            wide_from,
            group: lanes::group::<F, N, NARROW>(),
            alone: None,
            start: start::<F>,
            takes_columns: F::TAKES_COLUMNS,
            join: join::<F>,
            finish: finish::<F>,
        }
    }
}

unsafe fn start<F: Folding>(accs: *mut u8, n: usize) {
    for i in 0..n {
        // SAFETY: the driver hands out aligned room for as many accumulators.
        unsafe { (accs as *mut F::Acc).add(i).write(F::start()) }
    }
}

unsafe fn join<F: Folding>(into: *mut u8, from: *const u8) {
    // SAFETY: both are accumulators of this folding.
    unsafe { *(into as *mut F::Acc) = F::join(*(into as *mut F::Acc), *(from as *const F::Acc)) }
}

unsafe fn finish<F: Folding>(accs: *const u8, n: usize, count: i64, number: f64, outs: &[*mut u8; 2]) {
    for i in 0..n {
        // SAFETY: the driver passes `n` accumulators and room for `n` lanes of each result.
        unsafe {
            let (first, second) = F::finish(*(accs as *const F::Acc).add(i), count, number);
            (outs[0] as *mut F::Out).add(i).write(first);
            if F::PAIR {
                (outs[1] as *mut F::Second).add(i).write(second);
            }
        }
    }
}

impl Fold {
    /// The loops for a dtype, if there are any.
    pub fn block(&self, dtype: DType) -> Option<&FoldLoop> {
        self.loops[dtype.class() as usize].as_ref()
    }
}

/// What real and complex lanes have in common.
pub trait Amount: Lane + num_traits::Zero + num_traits::One {
    /// `a + b`, integers wrap.
    fn plus(self, other: Self) -> Self;
    /// `a * b`, integers wrap.
    fn times(self, other: Self) -> Self;
    /// Divided by a count; integers do not divide.
    fn over(self, count: i64) -> Self;
}

macro_rules! amounts {
    ($($t:ty: $plus:expr, $times:expr, $over:expr;)*) => { $(impl Amount for $t {
        #[inline(always)]
        fn plus(self, other: Self) -> Self { let f: fn($t, $t) -> $t = $plus; f(self, other) }
        #[inline(always)]
        fn times(self, other: Self) -> Self { let f: fn($t, $t) -> $t = $times; f(self, other) }
        #[inline(always)]
        fn over(self, count: i64) -> Self { let f: fn($t, i64) -> $t = $over; f(self, count) }
    })* };
}

amounts! {
    f32: |a, b| a + b, |a, b| a * b, |a, n| a / n as f32;
    f64: |a, b| a + b, |a, b| a * b, |a, n| a / n as f64;
    i64: i64::wrapping_add, i64::wrapping_mul, |a, _| a;
    u64: u64::wrapping_add, u64::wrapping_mul, |a, _| a;
    // PyTorch divides complex numbers by multiplying with the reciprocal.
    Complex<f32>: |a, b| a + b, |a, b| a * b, |a, n| a * (1.0 / n as f32);
    Complex<f64>: |a, b| a + b, |a, b| a * b, |a, n| a * (1.0 / n as f64);
}
