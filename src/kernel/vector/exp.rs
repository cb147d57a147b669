//! Exponentials.

use super::{MAGIC, poly};

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
