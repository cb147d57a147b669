//! The hyperbolic sine and cosine of float32, which PyTorch leaves to the C library: rounding by rounding as glibc 2.36 has them, so
//! that the digits that are printed of `cosh(5)` are the same. Their errors are up to two units in the last place.

use super::bounded;
use super::exp::exp;

/// ln 2 in two parts, of which the first has trailing zeros.
const LN_2: f32 = f32::from_bits(0x3f31_7180);
const LN_2_REST: f32 = f32::from_bits(0x3717_f7d1);
/// 1 / ln 2.
const LOG2_E: f32 = f32::from_bits(0x3fb8_aa3b);
/// ln(2) / 2, up to which e^x - 1 is a polynomial, and 3 ln(2) / 2, up to which one ln 2 is taken away.
const HALF_LN_2: f32 = f32::from_bits(0x3eb1_7218);
const THREE_HALVES_LN_2: f32 = f32::from_bits(0x3f85_1592);
/// The rational approximation of e^x - 1.
const GROWTH: [f32; 5] = [
    f32::from_bits(0xbd08_8889),
    f32::from_bits(0x3ad0_0d01),
    f32::from_bits(0xb8a6_70cd),
    f32::from_bits(0x3686_7e54),
    f32::from_bits(0xb457_edbb),
];

/// A number from which on e^-x is lost beside e^x.
const LARGE: f32 = 22.0;
/// Numbers from here on are squares of e^(x/2): e^x may be too large where half of it is not.
const HUGE: f32 = f32::from_bits(0x42b1_7180);

/// Added to a whole number below 2^22, it shows it in the low bits.
const MAGIC: f32 = 12_582_912.0;

/// The hyperbolic sine of what was float32.
#[inline(always)]
pub fn sinh(x: f64) -> f64 {
    let size = x.abs() as f32;
    let t = grown(if size < LARGE { size } else { LARGE });
    let near = if size < 1.0 { 2.0 * t - t * t / (t + 1.0) } else { t + t / (t + 1.0) };
    let result = if size < LARGE { 0.5 * near } else { half_exp(size) };
    if x.is_nan() { x } else { (result as f64).copysign(x) }
}

/// The hyperbolic cosine of what was float32.
#[inline(always)]
pub fn cosh(x: f64) -> f64 {
    let size = x.abs() as f32;
    let t = grown(if size < HALF_LN_2 { size } else { HALF_LN_2 });
    let near = 1.0 + (t * t) / (2.0 * (1.0 + t));
    let e = whole_exp(size);
    let far = if size < LARGE { 0.5 * e + 0.5 / e } else { half_exp(size) };
    let result = if size < HALF_LN_2 { near } else { far };
    if x.is_nan() { x } else { result as f64 }
}

/// e^x for x from 0 on, rounded to float32.
#[inline(always)]
fn whole_exp(x: f32) -> f32 {
    exp(bounded(x as f64, 0.0, 100.0)) as f32
}

/// Half of e^x, also where e^x itself is too large.
#[inline(always)]
fn half_exp(x: f32) -> f32 {
    let root = whole_exp(0.5 * x);
    if x < HUGE { 0.5 * whole_exp(x) } else { (0.5 * root) * root }
}

/// e^x - 1 for x from 0 to 22: x is less by as many ln 2 as there are in it, a rational function gives the rest.
#[inline(always)]
fn grown(x: f32) -> f32 {
    let nearest = (LOG2_E * x + 0.5).trunc();
    let count = if x <= HALF_LN_2 {
        0.0
    } else if x < THREE_HALVES_LN_2 {
        1.0
    } else {
        nearest
    };
    let (high, low) = (x - count * LN_2, count * LN_2_REST);
    let rest = high - low;
    let lost = (high - rest) - low;
    let half = 0.5 * rest;
    let square = rest * half;
    let [a, b, c, d, e] = GROWTH;
    let growth = 1.0 + square * (a + square * (b + square * (c + square * (d + square * e))));
    let t = 3.0 - growth * half;
    let error = square * ((growth - t) / (6.0 - rest * t));
    let alone = rest - (rest * error - square);
    let error = (rest * (error - lost) - lost) - square;
    let single = if rest < -0.25 { -2.0 * (error - (rest + 0.5)) } else { 1.0 + 2.0 * (rest - error) };
    let bits = (count + MAGIC).to_bits() - MAGIC.to_bits();
    let (power, inverse) = (f32::from_bits((127 + bits) << 23), f32::from_bits((127 - bits) << 23));
    let many = if count < 23.0 { (1.0 - inverse) - (error - rest) } else { (rest - (error + inverse)) + 1.0 };
    match count {
        0.0 => alone,
        1.0 => single,
        _ => many * power,
    }
}
