//! Exponentials.

use super::{MAGIC, bounded, poly, select};

/// 1 / ln 2.
const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// ln 2 in two parts.
const LN_2: f64 = std::f64::consts::LN_2;
const LN_2_REST: f64 = 2.3190468138462996e-17;

/// `expm1(r) / r` for |r| <= ln(2) / 2, off by 2^-55.
const EXPM1: [f64; 11] = [
    1.0,
    0.5000000000000006,
    0.1666666666666667,
    0.041666666666573066,
    0.008333333333326136,
    0.001388888893251478,
    0.00019841269874820627,
    2.480150431378554e-05,
    2.7557255400206422e-06,
    2.7626371065696354e-07,
    2.5105217004720745e-08,
];

/// The same, off by 2^-59, for float64.
const EXPM1_FINE: [f64; 13] = [
    1.0,
    0.5,
    0.16666666666666666,
    0.04166666666666669,
    0.008333333333333335,
    0.0013888888888871874,
    0.000198412698412585,
    2.480158735013993e-05,
    2.755731925634867e-06,
    2.7557251877225084e-07,
    2.505206349460745e-08,
    2.092158893897149e-09,
    1.6088928283552838e-10,
];

/// `x = n ln 2 + r` with a whole n and |r| <= ln(2) / 2: r and 2^n. For |x| < 700.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    let shifted = x.mul_add(LOG2_E, MAGIC);
    let n = shifted - MAGIC;
    let r = n.mul_add(-LN_2_REST, n.mul_add(-LN_2, x));
    (r, power_of_two(shifted))
}

/// 2^n for a number n that was shifted by `MAGIC`.
#[inline(always)]
fn power_of_two(shifted: f64) -> f64 {
    f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

/// e^x for |x| < 700, to 2^-50.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    let (r, scale) = split(x);
    scale.mul_add(r * poly(r, &EXPM1), scale)
}

/// 2^x for |x| < 1000, to 2^-50.
#[inline(always)]
pub fn exp2(x: f64) -> f64 {
    let shifted = x + MAGIC;
    let r = (x - (shifted - MAGIC)) * LN_2;
    let scale = power_of_two(shifted);
    scale.mul_add(r * poly(r, &EXPM1), scale)
}

/// e^x - 1 for |x| < 700, to 2^-50 of itself.
#[inline(always)]
pub fn expm1(x: f64) -> f64 {
    let (r, scale) = split(x);
    let result = scale.mul_add(r * poly(r, &EXPM1), scale - 1.0);
    select(x == 0.0, x, result)
}

/// e^x for |x| < 708, within 0.52 ulp.
#[inline(always)]
pub fn exp_fine(x: f64) -> f64 {
    let shifted = x.mul_add(LOG2_E, MAGIC);
    let n = shifted - MAGIC;
    let (coarse, rest) = (n.mul_add(-LN_2, x), n * LN_2_REST);
    let r = coarse - rest;
    let lost = (coarse - r) - rest;
    // 1 + r + r² / 2 + r³ q(r): the sum of the first three in two parts.
    let [_, _, tail @ ..] = EXPM1_FINE;
    let square = r * r;
    let half = 0.5 * square;
    let one = 1.0 + r;
    let sum = one + half;
    let low = ((1.0 - one) + r) + ((one - sum) + half) + 0.5 * r.mul_add(r, -square);
    let correction = (square * r).mul_add(poly(r, &tail), low + lost * one);
    let scale = power_of_two(shifted);
    scale.mul_add(correction, scale * sum)
}

/// The hyperbolic tangent, to 2^-48 of itself.
#[inline(always)]
pub fn tanh(x: f64) -> f64 {
    let grown = expm1(bounded(2.0 * x.abs(), 0.0, 60.0));
    (grown / (grown + 2.0)).copysign(x)
}
