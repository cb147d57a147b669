//! Logarithms and powers.

use super::fine::Fine;
use super::{exp, poly, select};
use std::f64::consts::{LN_2, LOG2_E};

/// `ln(1 + f) / f` for 1 + f between the square roots of 1/2 and 2, off by 2^-51.
const LOG1P: [f64; 19] = [
    1.0,
    -0.4999999999999845,
    0.3333333333333718,
    -0.2500000000077079,
    0.19999999999909254,
    -0.16666666554738657,
    0.1428571417342217,
    -0.12500007261946172,
    0.11111124285601712,
    -0.09999754617864935,
    0.09090286006207182,
    -0.08337814090772554,
    0.07707358631304377,
    -0.071023997470247,
    0.06473279014149513,
    -0.0633928098219667,
    0.07092357911965427,
    -0.06606686974118874,
    0.029914559036755568,
];

/// The same, off by 2^-37: enough where the result is rounded to float32 at once.
const SHORT: [f64; 14] = [
    1.0,
    -0.49999999992971805,
    0.333333334795741,
    -0.25000002048164394,
    0.1999998295912731,
    -0.16666490142581625,
    0.14286366102434628,
    -0.12506640703431107,
    0.11102988279786334,
    -0.09878969810992054,
    0.09054505550925004,
    -0.09342881451966843,
    0.09089754509453518,
    -0.047177590533593855,
];

/// `x = 2^e (1 + f)` with 1 + f between the square roots of 1/2 and 2: e and f. For positive normal numbers.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    const ROOT: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    // The exponent is kept positive by 1024, so that a logical shift will do.
    let exponent = x.to_bits().wrapping_sub(ROOT).wrapping_add(1024 << 52) >> 52;
    let e = f64::from_bits(exponent | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1024.0);
    let mantissa = f64::from_bits(x.to_bits().wrapping_sub(exponent.wrapping_sub(1024) << 52));
    (e, mantissa - 1.0)
}

/// The logarithm of a positive normal number to the base with this logarithm of 2 and of e.
#[inline(always)]
fn scaled<const N: usize>(x: f64, terms: &[f64; N], of_two: f64, of_e: f64) -> f64 {
    let (e, f) = split(x);
    (f * of_e).mul_add(poly(f, terms), e * of_two)
}

/// The natural logarithm of a positive normal number, to 2^-37.
#[inline(always)]
pub fn brief(x: f64) -> f64 {
    scaled(x, &SHORT, LN_2, 1.0)
}

/// ln(1 + x) of a float type, `ln 2` being given in two parts of which the first times an exponent is exact.
macro_rules! logarithms {
    ($($name:ident $t:ident ln2 [$ln2:literal, $ln2_rest:literal];)*) => { $(
        /// Of this float type.
        pub mod $name {
            use super::Fine;

            /// `result` where `x` is positive and finite; what logarithms are elsewhere.
            #[inline(always)]
            fn bounded(x: $t, result: $t) -> $t {
                let infinite = if x == $t::INFINITY { x } else { $t::NAN };
                let outside = if x == 0.0 { $t::NEG_INFINITY } else { infinite };
                if x > 0.0 && x < $t::INFINITY { result } else { outside }
            }

            /// ln(1 + x): the logarithm of the rounded sum, and what the rounding took from it as a share of the sum.
            #[inline(always)]
            pub fn log1p(x: $t) -> $t {
                let sum = 1.0 + x;
                let taken = (if x > 1.0 { 1.0 - (sum - x) } else { x - (sum - 1.0) }) / sum;
                let (e, ratio, lost) = sum.log_parts();
                let whole = e * $ln2;
                let most = whole + ratio;
                let value = most + (e.mul_add($ln2_rest, lost + taken) + ((whole - most) + ratio));
                if x == 0.0 { x } else { bounded(sum, value) }
            }
        }
    )* };
}

logarithms! {
    double f64 ln2 [0.6931471805598903, 5.497923018708371e-14];
}

/// x^y of float64, unless [`Real::is_odd_power`](super::Real::is_odd_power); off by less than a unit.
#[inline(always)]
pub fn pow_double(x: f64, y: f64) -> f64 {
    // What the parts of the logarithm lose is carried along.
    const LN_2_PARTS: [f64; 2] = [0.6931471805598903, 5.497923018708371e-14];
    let (e, ratio, lost) = x.log_parts();
    let whole = e * LN_2_PARTS[0];
    let most = whole + ratio;
    let rest = e.mul_add(LN_2_PARTS[1], lost) + ((whole - most) + ratio);
    let log = most + rest;
    let power = y * log;
    power.exp_with(y.mul_add((most - log) + rest, y.mul_add(log, -power)))
}

/// x^y for positive finite x and finite y, to 2^-42.
#[inline(always)]
pub fn pow(x: f64, y: f64) -> f64 {
    let power = y * scaled(x, &LOG1P, 1.0, LOG2_E);
    exp::exp2(select(power > 300.0, 300.0, select(power < -300.0, -300.0, power)))
}
