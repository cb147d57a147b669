//! In which arithmetic each float dtype counts, and where it rounds once.

use crate::kernel::element::{Brain, Element, Half};

/// A float that evenly spaced numbers are computed for.
pub(super) trait Ramp: Element {
    /// What the arithmetic is in.
    type Wide: Copy + Sync + Into<f64>;
    /// Elements of a vector.
    const VECTOR: usize;
    /// A number in that arithmetic.
    fn wide(number: f64) -> Self::Wide;
    /// Rounds to the element.
    fn round(wide: Self::Wide) -> Self;
    /// Back, exactly.
    fn unround(self) -> Self::Wide;
    /// `start + step * i` for a first element.
    fn first(start: Self::Wide, step: Self::Wide, i: usize) -> Self::Wide;
    /// The same within a vector.
    fn lane(base: Self::Wide, step: Self::Wide, i: usize) -> Self::Wide;
    /// The same for `linspace`, in its arithmetic, and rounded to the element.
    fn apart(start: Self::Spaced, step: Self::Spaced, i: Self::Spaced) -> Self;
    /// A place in that arithmetic.
    fn place(i: usize) -> Self::Spaced;
    /// The same of a place that has no more than 31 bits: vectors have no instruction for more.
    fn short_place(i: i32) -> Self::Spaced;
    /// What `linspace` computes in.
    type Spaced: Copy + Sync + Into<f64> + std::ops::Sub<Output = Self::Spaced> + std::ops::Div<Output = Self::Spaced>;
    /// A number in the arithmetic of `linspace`.
    fn spaced(number: f64) -> Self::Spaced;
}

/// One rounding.
macro_rules! fused {
    ($a:expr, $b:expr, $c:expr) => {
        $a.mul_add($b, $c)
    };
}

/// Two roundings.
macro_rules! plain {
    ($a:expr, $b:expr, $c:expr) => {
        $a * $b + $c
    };
}

macro_rules! ramps {
    ($($element:ty: $wide:ty, $vector:literal, $first:ident $lane:ident, $spaced:ty, $apart:ident;)*) => { $(impl Ramp for $element {
        type Wide = $wide;
        type Spaced = $spaced;
        const VECTOR: usize = $vector;
        #[inline(always)]
        fn wide(number: f64) -> $wide { number as $wide }
        #[inline(always)]
        fn round(wide: $wide) -> Self { <$element>::narrow(wide as <$element as Element>::Lane) }
        #[inline(always)]
        fn unround(self) -> $wide { self.widen() as $wide }
        #[inline(always)]
        fn first(start: $wide, step: $wide, i: usize) -> $wide { $first!(step, i as $wide, start) }
        #[inline(always)]
        fn lane(base: $wide, step: $wide, i: usize) -> $wide { $lane!(step, i as $wide, base) }
        #[inline(always)]
        fn apart(start: $spaced, step: $spaced, i: $spaced) -> Self {
            <$element>::narrow($apart!(step, i, start) as <$element as Element>::Lane)
        }
        #[inline(always)]
        fn place(i: usize) -> $spaced { i as $spaced }
        #[inline(always)]
        fn short_place(i: i32) -> $spaced { i as $spaced }
        #[inline(always)]
        fn spaced(number: f64) -> $spaced { number as $spaced }
    })* };
}

ramps! {
    f32:   f64, 8,  fused fused, f32, fused;
    f64:   f64, 4,  fused fused, f64, fused;
    Half:  f32, 16, fused fused, f32, plain;
    Brain: f32, 16, fused plain, f32, fused;
}
