//! The foldings themselves.

use super::{Amount, Cascade, Fold, FoldLoop, Folding, Plain};
use crate::dtype::Class;
use crate::kernel::element::{Choose, Lane};
use crate::kernel::halves::in_lanes;
use num_complex::Complex;
use std::marker::PhantomData;

type C64 = Complex<f32>;
type C128 = Complex<f64>;

/// Loops for lanes in vectors of 32 bytes, four side by side.
macro_rules! loops {
    ($strategy:ty, $narrow:literal, $wide_from:expr; $($class:ident: $folding:ty),*) => {{
        let mut loops = [None; 6];
        $(loops!(@$class loops, $strategy, $narrow, $wide_from, $folding);)*
        loops
    }};
    (@f32 $loops:ident, $s:ty, $n:literal, $from:expr, $f:ty) => { $loops[0] = Some(FoldLoop::new::<$f, $s, 32, $n, 8>($from)); };
    (@f64 $loops:ident, $s:ty, $n:literal, $from:expr, $f:ty) => { $loops[1] = Some(FoldLoop::new::<$f, $s, 16, $n, 4>($from)); };
    (@i64 $loops:ident, $s:ty, $n:literal, $from:expr, $f:ty) => { $loops[2] = Some(FoldLoop::new::<$f, $s, 16, $n, 4>($from)); };
    (@u64 $loops:ident, $s:ty, $n:literal, $from:expr, $f:ty) => { $loops[3] = Some(FoldLoop::new::<$f, $s, 16, $n, 4>($from)); };
    (@c64 $loops:ident, $s:ty, $n:literal, $from:expr, $f:ty) => { $loops[4] = Some(FoldLoop::new::<$f, $s, 16, $n, 4>($from)); };
    (@c128 $loops:ident, $s:ty, $n:literal, $from:expr, $f:ty) => { $loops[5] = Some(FoldLoop::new::<$f, $s, 8, $n, 2>($from)); };
}

macro_rules! fold {
    ($(#[$doc:meta])* $name:ident $text:literal $folding:ident, $strategy:ty, $narrow:literal, $from:expr; $($class:ident)*) => {
        $(#[$doc])*
        pub static $name: Fold = Fold { name: $text, loops: fold!(@ $folding, $strategy, $narrow, $from; $($class)*) };
    };
    (@ $folding:ident, $strategy:ty, $narrow:literal, $from:expr; $($class:ident)*) => {
        loops!($strategy, $narrow, $from; $($class: $folding<fold!(# $class)>),*)
    };
    (# c64) => { C64 };
    (# c128) => { C128 };
    (# $class:ident) => { $class };
}

/// Below this many elements a result is folded one element after the other where PyTorch does so.
const SERIAL: usize = 1 << 12;

fold! {
    /// The sum.
    SUM "sum" Sum, Cascade, 4, 0; f32 f64 i64 u64 c64 c128
}
fold! {
    /// The sum divided by the number of elements.
    MEAN "mean" Mean, Cascade, 4, 0; f32 f64 c64 c128
}
fold! {
    /// The sum, one element after the other unless there are many.
    TOTAL "sum" Sum, Plain, 1, SERIAL; f32 f64
}
fold! {
    /// The product.
    PROD "prod" Product, Plain, 1, 0; f32 f64 i64 u64 c64 c128
}
fold! {
    /// The greatest; nan if there is one.
    MAX "max" Max, Plain, 1, 0; f32 f64 i64 u64
}
fold! {
    /// The least; nan if there is one.
    MIN "min" Min, Plain, 1, 0; f32 f64 i64 u64
}
fold! {
    /// The greatest and the first place where it is.
    MAX_AT "max" MaxAt, Plain, 1, 0; f32 f64 i64 u64
}
fold! {
    /// The least and the first place where it is.
    MIN_AT "min" MinAt, Plain, 1, 0; f32 f64 i64 u64
}
/// 1 when any element (0 or 1) is 1.
pub static ANY: Fold = Fold { name: "any", loops: loops!(Plain, 1, 0; i64: Any) };
/// 1 when all elements (0 or 1) are 1.
pub static ALL: Fold = Fold { name: "all", loops: loops!(Plain, 1, 0; i64: All) };
/// The root of the sum of squares.
pub static NORM: Fold = Fold {
    name: "norm",
    loops: [
        Some(FoldLoop::new::<Norm<f32>, Plain, 8, 1, 8>(0)),
        Some(FoldLoop::new::<Norm<f64>, Plain, 4, 1, 4>(0)),
        None,
        None,
        None,
        None,
    ],
};

/// True for integers, whose folds do not mind the order.
const fn is_whole<T: Lane>() -> bool {
    matches!(T::CLASS, Class::I64 | Class::U64)
}

struct Sum<T>(PhantomData<T>);

impl<T: Amount> Folding for Sum<T> {
    type In = T;
    type Acc = T;
    type Out = T;
    type Second = T;
    const IS_LIGHT: bool = !is_whole::<T>();
    const TAKES_ROWS: bool = is_whole::<T>();
    /// Of integers, in any order.
    #[inline(always)]
    fn whole_row(row: &[T]) -> T {
        in_lanes(row, Self::start(), T::plus)
    }
    fn start() -> T {
        T::zero()
    }
    #[inline(always)]
    fn step(acc: T, x: T, _: i64) -> T {
        acc.plus(x)
    }
    #[inline(always)]
    fn join(a: T, b: T) -> T {
        a.plus(b)
    }
    fn finish(acc: T, _: i64, _: f64) -> (T, T) {
        (acc, acc)
    }
}

struct Mean<T>(PhantomData<T>);

impl<T: Amount> Folding for Mean<T> {
    type In = T;
    type Acc = T;
    type Out = T;
    type Second = T;
    const IS_LIGHT: bool = true;
    fn start() -> T {
        T::zero()
    }
    #[inline(always)]
    fn step(acc: T, x: T, _: i64) -> T {
        acc.plus(x)
    }
    #[inline(always)]
    fn join(a: T, b: T) -> T {
        a.plus(b)
    }
    fn finish(acc: T, count: i64, _: f64) -> (T, T) {
        (acc.over(count), acc)
    }
}

struct Product<T>(PhantomData<T>);

impl<T: Amount> Folding for Product<T> {
    type In = T;
    type Acc = T;
    type Out = T;
    type Second = T;
    const IS_LIGHT: bool = !is_whole::<T>();
    const TAKES_ROWS: bool = is_whole::<T>();
    /// Of integers, in any order.
    #[inline(always)]
    fn whole_row(row: &[T]) -> T {
        in_lanes(row, Self::start(), T::times)
    }
    fn start() -> T {
        T::one()
    }
    #[inline(always)]
    fn step(acc: T, x: T, _: i64) -> T {
        acc.times(x)
    }
    #[inline(always)]
    fn join(a: T, b: T) -> T {
        a.times(b)
    }
    fn finish(acc: T, _: i64, _: f64) -> (T, T) {
        (acc, acc)
    }
}

/// Lanes that can be ordered.
pub trait Ordered: Lane + PartialOrd + Choose {
    /// No lane is less.
    const LOWEST: Self;
    /// No lane is greater.
    const HIGHEST: Self;
    /// The place of a lane among some; as wide as the lane, so that vectors of both have as many.
    type Place: Choose + Default + TryFrom<usize> + Into<i64>;
}

macro_rules! ordered {
    ($($t:ty, $place:ty: $low:expr, $high:expr;)*) => {
        $(impl Ordered for $t {
            const LOWEST: $t = $low;
            const HIGHEST: $t = $high;
            type Place = $place;
        })*
    };
}

ordered! {
    f32, i32: f32::NEG_INFINITY, f32::INFINITY;
    f64, i64: f64::NEG_INFINITY, f64::INFINITY;
    i64, i64: i64::MIN, i64::MAX;
    u64, i64: u64::MIN, u64::MAX;
}

/// True for nan alone.
#[inline(always)]
#[allow(clippy::eq_op)]
fn is_nan<T: PartialOrd + Copy>(x: T) -> bool {
    x != x
}

macro_rules! extremes {
    ($($name:ident $at:ident $start:ident $beats:tt;)*) => {
        $(struct $name<T>(PhantomData<T>);

        impl<T: Ordered> Folding for $name<T> {
            type In = T;
            type Acc = T;
            type Out = T;
            type Second = T;
            const IS_LIGHT: bool = !is_whole::<T>();
            const TAKES_ROWS: bool = is_whole::<T>();
            /// Of integers, in any order.
            #[inline(always)]
            fn whole_row(row: &[T]) -> T {
                in_lanes(row, T::$start, |best, x| Self::step(best, x, 0))
            }
            fn start() -> T {
                T::$start
            }
            #[inline(always)]
            fn step(acc: T, x: T, _: i64) -> T {
                if x $beats acc || is_nan(x) { x } else { acc }
            }
            #[inline(always)]
            fn join(a: T, b: T) -> T {
                Self::step(a, b, 0)
            }
            fn finish(acc: T, _: i64, _: f64) -> (T, T) {
                (acc, acc)
            }
        }

        struct $at<T>(PhantomData<T>);

        impl<T: Ordered> Folding for $at<T> {
            type In = T;
            /// The best element and its place; no place yet: `i64::MAX`.
            type Acc = (T, i64);
            type Out = T;
            type Second = i64;
            const PAIR: bool = true;
            const TAKES_ROWS: bool = true;
            /// The best element first, then its place: both loops become vector instructions.
            #[inline(always)]
            fn whole_row(row: &[T]) -> (T, i64) {
                const LANES: usize = 64;
                let best = in_lanes(row, T::$start, |best, x| $name::<T>::step(best, x, 0));
                let is_best = |x: &T| *x == best || (is_nan(best) && is_nan(*x));
                let mut at = 0;
                for chunk in row.chunks_exact(LANES) {
                    if chunk.iter().fold(false, |found, x| found | is_best(x)) {
                        break;
                    }
                    at += LANES;
                }
                row[at..].iter().position(is_best).map_or((T::$start, i64::MAX), |i| (best, (at + i) as i64))
            }
            const TAKES_COLUMNS: bool = true;
            /// Elements and places apart, so that both are vectors, some rows at a time, so that places are small.
            #[inline(always)]
            unsafe fn whole_columns<const C: usize>(first: *const u8, step: isize, rows: usize) -> [(T, i64); C] {
                const MANY: usize = 1 << 30;
                let mut accs = [Self::start(); C];
                for start in (0..rows).step_by(MANY) {
                    let row = |i: usize| first.wrapping_offset((start + i) as isize * step) as *const [T; C];
                    // SAFETY: the caller promises the rows.
                    let (mut best, mut at) = (unsafe { *row(0) }, [T::Place::default(); C]);
                    for i in 1..MANY.min(rows - start) {
                        // SAFETY: as above.
                        let xs = unsafe { &*row(i) };
                        let Ok(place) = T::Place::try_from(i) else { break };
                        for k in 0..C {
                            let better = (xs[k] $beats best[k]) | (is_nan(xs[k]) & !is_nan(best[k]));
                            best[k] = xs[k].or(better, best[k]);
                            at[k] = place.or(better, at[k]);
                        }
                    }
                    for k in 0..C {
                        accs[k] = Self::join(accs[k], (best[k], start as i64 + at[k].into()));
                    }
                }
                accs
            }
            fn start() -> (T, i64) {
                (T::$start, i64::MAX)
            }
            #[inline(always)]
            fn step(acc: (T, i64), x: T, at: i64) -> (T, i64) {
                let better = x $beats acc.0 || (is_nan(x) && !is_nan(acc.0)) || acc.1 == i64::MAX;
                if better { (x, at) } else { acc }
            }
            #[inline(always)]
            fn join(a: (T, i64), b: (T, i64)) -> (T, i64) {
                let same = a.0 == b.0 || (is_nan(a.0) && is_nan(b.0));
                let better = b.0 $beats a.0 || (is_nan(b.0) && !is_nan(a.0));
                let earlier = b.1 < a.1;
                if a.1 == i64::MAX || (b.1 != i64::MAX && (better || (same && earlier))) { b } else { a }
            }
            fn finish(acc: (T, i64), _: i64, _: f64) -> (T, i64) {
                acc
            }
        })*
    };
}

extremes! {
    Max MaxAt LOWEST >;
    Min MinAt HIGHEST <;
}

macro_rules! truths {
    ($($name:ident $start:literal $op:tt;)*) => {
        $(struct $name;

        impl Folding for $name {
            type In = i64;
            type Acc = i64;
            type Out = i64;
            type Second = i64;
            fn start() -> i64 {
                $start
            }
            #[inline(always)]
            fn step(acc: i64, x: i64, _: i64) -> i64 {
                acc $op x
            }
            #[inline(always)]
            fn join(a: i64, b: i64) -> i64 {
                a $op b
            }
            fn finish(acc: i64, _: i64, _: f64) -> (i64, i64) {
                (acc, acc)
            }
        })*
    };
}

truths! {
    Any 0 |;
    All 1 &;
}

struct Norm<T>(PhantomData<T>);

macro_rules! norms {
    ($($t:ty: |$acc:ident, $x:ident| $step:expr;)*) => {
        $(impl Folding for Norm<$t> {
            type In = $t;
            type Acc = $t;
            type Out = $t;
            type Second = $t;
            fn start() -> $t {
                0.0
            }
            #[inline(always)]
            fn step(acc: $t, x: $t, _: i64) -> $t {
                let ($acc, $x) = (acc, x);
                $step
            }
            #[inline(always)]
            fn join(a: $t, b: $t) -> $t {
                a + b
            }
            fn finish(acc: $t, _: i64, _: f64) -> ($t, $t) {
                (acc.sqrt(), acc)
            }
        })*
    };
}

norms! {
    // One rounding per step.
    f32: |acc, x| x.mul_add(x, acc);
    f64: |acc, x| x * x + acc;
}
