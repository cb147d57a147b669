//! Functions of real numbers, written without branches so that a loop over them becomes vector instructions.
//!
//! The most used ones ([`fine`], [`wide`]) are computed in the width of their argument, with errors below 0.86 ulp. Of the others a float32
//! is computed in float64 and rounded once, so the result is nearly always the correctly rounded one: a test bounds the error by
//! 0.501 ulp (0.51 for `lgamma` and `erfinv`), and by 2 ulp for hyperbolic functions and their inverses, which are rounded as glibc does it; float64 is computed in its width (`double`, `erf_double`), or goes to the system's library.
//!
//! Sines, cosines and tangents of float32 are those of PyTorch's library (`turn`). `expm1` and `log1p` of float32, and what activations are made of, take PyTorch's steps one by one (`steps`).
//!
//! All instruction sets give the same bits: nothing is contracted by the compiler, and where `mul_add` is written it rounds
//! once everywhere; a machine without the instruction calls a function that does the same, slowly.

mod arc;
mod double;
mod erf;
mod erf_double;
mod exp;
pub mod fine;
mod gamma;
pub mod handbook;
mod hyperbolic;
mod log;
mod steps;
#[cfg(test)]
mod tests;
mod turn;
pub mod wide;

/// Added to a number below 2^51 and taken away again, it rounds to a whole number; in between, that number is in the low bits.
const MAGIC: f64 = 6_755_399_441_055_744.0;

/// A whole number of less than 2^51 as an integer, without the cases that a cast looks at.
#[inline(always)]
pub fn whole(x: f64) -> i64 {
    ((x + MAGIC).to_bits() as i64).wrapping_sub((MAGIC).to_bits() as i64)
}

/// An integer of at most 2^51, without its sign, as a float: before AVX-512, vectors have no instruction for it.
#[inline(always)]
pub fn exact(x: i64) -> f64 {
    f64::from_bits(x.wrapping_add(MAGIC.to_bits() as i64) as u64) - MAGIC
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
pub trait Real: Functions + fine::Fine + PartialOrd {
    /// True where the short way to a sine does not work.
    fn is_far_angle(self) -> bool;
    /// The square root, with the bits of [`wide`].
    fn root(self) -> Self;
    /// True where a power needs the long way.
    fn is_odd_power(self, exponent: Self) -> bool;
}

impl Real for f32 {
    #[inline(always)]
    fn is_far_angle(self) -> bool {
        self.abs() > turn::FAR
    }
    #[inline(always)]
    fn root(self) -> f32 {
        wide::alone(wide::SQRT_LOOP, self)
    }
    #[inline(always)]
    fn is_odd_power(self, exponent: f32) -> bool {
        !(self > 0.0 && self < f32::INFINITY && exponent.abs() < f32::INFINITY)
    }
}

impl Real for f64 {
    #[inline(always)]
    fn is_far_angle(self) -> bool {
        self.abs() > turn::FAR_DOUBLE
    }
    #[inline(always)]
    fn root(self) -> f64 {
        wide::alone(wide::SQRT_DOUBLE_LOOP, self)
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
    /// e^x inside of other functions.
    vector_exp;
    /// The natural logarithm.
    log;
    /// The hyperbolic tangent.
    tanh;
}

/// Functions that float32 and float64 have ways of their own for: methods, since a function that is handed over is not always
/// inlined, and then it is compiled for the baseline.
macro_rules! functions {
    (through_float64 { $($(#[$doc:meta])* $name:ident = $single:path, $double:path;)* }
     two_through_float64 { $($(#[$doc_two:meta])* $two:ident = $single_two:path, $double_two:path;)* }
     in_its_width { $($(#[$doc_own:meta])* $own:ident = $single_own:path, $double_own:path;)* }) => {
        /// See the functions of the same names.
        #[allow(missing_docs, reason = "the functions say it")]
        pub trait Functions: Copy {
            $(fn $name(self) -> Self;)*
            $(fn $two(self, other: Self) -> Self;)*
            $(fn $own(self) -> Self;)*
        }
        impl Functions for f32 {
            $(#[inline(always)]
            fn $name(self) -> f32 {
                $single(self as f64) as f32
            })*
            $(#[inline(always)]
            fn $two(self, other: f32) -> f32 {
                $single_two(self as f64, other as f64) as f32
            })*
            $(#[inline(always)]
            fn $own(self) -> f32 {
                $single_own(self)
            })*
        }
        impl Functions for f64 {
            $(#[inline(always)]
            fn $name(self) -> f64 {
                $double(self)
            })*
            $(#[inline(always)]
            fn $two(self, other: f64) -> f64 {
                $double_two(self, other)
            })*
            $(#[inline(always)]
            fn $own(self) -> f64 {
                $double_own(self)
            })*
        }
        $($(#[$doc])*
        #[inline(always)]
        pub fn $name<T: Functions>(x: T) -> T {
            Functions::$name(x)
        })*
        $($(#[$doc_two])*
        #[inline(always)]
        pub fn $two<T: Functions>(x: T, y: T) -> T {
            Functions::$two(x, y)
        })*
        $($(#[$doc_own])*
        #[inline(always)]
        pub fn $own<T: Functions>(x: T) -> T {
            Functions::$own(x)
        })*
    };
}

functions! {
    through_float64 {
    /// The hyperbolic sine.
    sinh = hyperbolic::sinh, double::sinh;
    /// The hyperbolic cosine.
    cosh = hyperbolic::cosh, double::cosh;
    /// The number whose hyperbolic sine it is.
    asinh = hyperbolic::asinh, libm::asinh;
    /// The number whose hyperbolic cosine it is; NaN below 1.
    acosh = hyperbolic::acosh, double::acosh;
    /// The number whose hyperbolic tangent it is.
    atanh = hyperbolic::atanh, libm::atanh;
    }
    two_through_float64 {
    /// The angle of the point (y, x) against the axis of the second.
    atan2 = arc::atan2, double::atan2;
    /// The length of the hypotenuse over these legs; infinite where one of them is, whatever the other.
    hypot = arc::hypot, double::hypot;
    /// x^y, unless [`Real::is_odd_power`].
    pow = log::pow, log::pow_double;
    }
    in_its_width {
    /// The sine, unless [`Real::is_far_angle`].
    sin = turn::sin, turn::sin_double;
    /// The cosine, unless [`Real::is_far_angle`].
    cos = turn::cos, turn::cos_double;
    /// The tangent, unless [`Real::is_far_angle`].
    tan = turn::tan, turn::tan_double;
    /// The logarithm to base 2.
    log2 = wide::log2, wide::log2_double;
    /// The logarithm to base 10.
    log10 = wide::log10, wide::log10_double;
    /// e^x - 1.
    expm1 = steps::expm1, double::expm1;
    /// ln(1 + x).
    log1p = steps::log1p, log::double::log1p;
    /// The hyperbolic tangent inside of other functions.
    vector_tanh = steps::tanh, fine::Fine::tanh;
    /// The number whose error function it is.
    erfinv = erf::erfinv, erf_double::erfinv;
    /// The error function.
    erf = wide::erf, erf_double::erf;
    /// 1 less the error function.
    erfc = wide::erfc, erf_double::erfc;
    /// The angle whose tangent it is.
    atan = wide::atan, double::atan;
    /// The angle whose sine it is.
    asin = wide::asin, double::asin;
    /// The angle whose cosine it is.
    acos = wide::acos, double::acos;
    }
}

/// e^x of float32, rounded once.
#[inline(always)]
pub fn exp_once(x: f32) -> f32 {
    exp::exp(bounded(x as f64, -110.0, 100.0)) as f32
}

/// The logarithm of the gamma function of a positive finite number.
#[inline(always)]
pub fn lgamma(x: f32) -> f32 {
    gamma::lgamma(x as f64) as f32
}
