//! Functions of real numbers, written without branches so that a loop over them becomes vector instructions.
//!
//! The most used ones ([`fine`]) are computed in the width of their argument, with errors below 0.98 ulp. Of the others a float32 is computed in float64 and rounded once, so the result is nearly always the correctly rounded one: a test bounds the error by
//! 0.501 ulp (0.51 for `lgamma` and `erfinv`); float64 goes to the system's library, but for powers that are not far from 1.
//!
//! All instruction sets give the same bits: nothing is contracted by the compiler, and where `mul_add` is written it rounds
//! once everywhere; a machine without the instruction calls a function that does the same, slowly.

mod arc;
mod erf;
mod exp;
pub mod fine;
mod gamma;
mod log;
#[cfg(test)]
mod tests;
mod trig;
pub mod wide;

/// Added to a number below 2^51 and taken away again, it rounds to a whole number; in between, that number is in the low bits.
const MAGIC: f64 = 6_755_399_441_055_744.0;

/// A whole number of less than 2^51 as an integer, without the cases that a cast looks at.
#[inline(always)]
pub fn whole(x: f64) -> i64 {
    ((x + MAGIC).to_bits() as i64).wrapping_sub((MAGIC).to_bits() as i64)
}

/// The polynomial with these coefficients, lowest first.
#[inline(always)]
fn poly<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    let mut sum = coefficients[N - 1];
    let mut k = N - 1;
    while k > 0 {
        k -= 1;
        sum = sum.mul_add(x, coefficients[k]);
    }
    sum
}

#[inline(always)]
fn select(condition: bool, yes: f64, no: f64) -> f64 {
    if condition { yes } else { no }
}

/// float32 and float64.
pub trait Real: fine::Fine + PartialOrd {
    /// See the functions of the same names.
    fn apply(self, single: impl Fn(f64) -> f64, double: impl Fn(f64) -> f64) -> Self;
    /// As [`Real::apply`], for a function of float32 itself.
    fn apply_own(self, single: impl Fn(f32) -> f32, double: impl Fn(f64) -> f64) -> Self;
    /// As [`Real::apply`], for two arguments.
    fn apply_two(self, other: Self, single: impl Fn(f64, f64) -> f64, double: impl Fn(f64, f64) -> f64) -> Self;
    /// True where the short way to a sine does not work.
    fn is_far_angle(self) -> bool;
    /// True where a power needs the long way.
    fn is_odd_power(self, exponent: Self) -> bool;
}

impl Real for f32 {
    #[inline(always)]
    fn apply(self, single: impl Fn(f64) -> f64, _: impl Fn(f64) -> f64) -> f32 {
        single(self as f64) as f32
    }
    #[inline(always)]
    fn apply_own(self, single: impl Fn(f32) -> f32, _: impl Fn(f64) -> f64) -> f32 {
        single(self)
    }
    #[inline(always)]
    fn apply_two(self, other: f32, single: impl Fn(f64, f64) -> f64, _: impl Fn(f64, f64) -> f64) -> f32 {
        single(self as f64, other as f64) as f32
    }
    #[inline(always)]
    fn is_far_angle(self) -> bool {
        self.abs() > <f32 as fine::Fine>::FAR
    }
    #[inline(always)]
    fn is_odd_power(self, exponent: f32) -> bool {
        !(self > 0.0 && self < f32::INFINITY && exponent.abs() < f32::INFINITY)
    }
}

impl Real for f64 {
    #[inline(always)]
    fn apply(self, _: impl Fn(f64) -> f64, double: impl Fn(f64) -> f64) -> f64 {
        double(self)
    }
    #[inline(always)]
    fn apply_own(self, _: impl Fn(f32) -> f32, double: impl Fn(f64) -> f64) -> f64 {
        double(self)
    }
    #[inline(always)]
    fn apply_two(self, other: f64, _: impl Fn(f64, f64) -> f64, double: impl Fn(f64, f64) -> f64) -> f64 {
        double(self, other)
    }
    #[inline(always)]
    fn is_far_angle(self) -> bool {
        self.abs() > <f64 as fine::Fine>::FAR
    }
    /// Powers whose logarithm is large would lose digits.
    #[inline(always)]
    fn is_odd_power(self, exponent: f64) -> bool {
        let place = f64::from_bits(self.to_bits() >> 52 | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0);
        !(self > 0.0 && self < f64::INFINITY && exponent.abs() * (place.abs() + 1.0) < 32.0)
    }
}

/// Between bounds beyond which a float32 result no longer changes; NaN stays.
#[inline(always)]
fn bounded(x: f64, low: f64, high: f64) -> f64 {
    let x = select(x > high, high, x);
    select(x < low, low, x)
}

macro_rules! fine_functions {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<T: Real>(x: T) -> T {
            fine::Fine::$name(x)
        }
    )* };
}

fine_functions! {
    /// e^x.
    exp;
    /// 2^x.
    exp2;
    /// The natural logarithm.
    log;
    /// The sine, unless [`Real::is_far_angle`].
    sin;
    /// The cosine, unless [`Real::is_far_angle`].
    cos;
    /// The hyperbolic tangent.
    tanh;
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident = $single:expr, $double:expr;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<T: Real>(x: T) -> T {
            x.apply($single, $double)
        }
    )* };
}

functions! {
    /// e^x - 1.
    expm1 = |x| exp::expm1(bounded(x, -110.0, 100.0)), f64::exp_m1;
    /// The number whose hyperbolic tangent it is.
    atanh = log::atanh, libm::atanh;
    /// The tangent, unless [`Real::is_far_angle`].
    tan = trig::tan, f64::tan;
    /// The angle whose tangent it is.
    atan = arc::atan, f64::atan;
    /// The angle whose sine it is.
    asin = arc::asin, f64::asin;
    /// The angle whose cosine it is.
    acos = arc::acos, f64::acos;
    /// 1 less the error function.
    erfc = erf::erfc, libm::erfc;
}

/// The logarithm to base 2.
#[inline(always)]
pub fn log2<T: Real>(x: T) -> T {
    x.apply_own(log::log2, f64::log2)
}

/// The logarithm to base 10.
#[inline(always)]
pub fn log10<T: Real>(x: T) -> T {
    x.apply_own(log::log10, f64::log10)
}

/// ln(1 + x).
#[inline(always)]
pub fn log1p<T: Real>(x: T) -> T {
    x.apply_own(log::log1p_single, f64::ln_1p)
}

/// The error function.
#[inline(always)]
pub fn erf<T: Real>(x: T) -> T {
    x.apply_own(erf::erf, libm::erf)
}

pub use erf::erfinv;

/// The logarithm of the gamma function of a positive finite number.
#[inline(always)]
pub fn lgamma(x: f32) -> f32 {
    gamma::lgamma(x as f64) as f32
}

/// The angle of the point (x, y) against the x axis.
#[inline(always)]
pub fn atan2<T: Real>(y: T, x: T) -> T {
    y.apply_two(x, arc::atan2, f64::atan2)
}

/// x^y, unless [`Real::is_odd_power`].
#[inline(always)]
pub fn pow<T: Real>(x: T, y: T) -> T {
    x.apply_two(y, log::pow, log::pow_double)
}
