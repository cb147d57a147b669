//! The tangent.

use super::{MAGIC, poly};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// What is missing in `FRAC_PI_2`.
const FRAC_PI_2_REST: f64 = 6.123233995736766e-17;

/// `sin(r) / r` in r² for |r| <= π / 4, off by 2^-47.
const SIN: [f64; 6] = [
    0.9999999999999957,
    -0.1666666666661666,
    0.008333333323874375,
    -0.00019841263296432765,
    2.7555271485395277e-06,
    -2.475652937959251e-08,
];

/// `cos(r)` in r² for |r| <= π / 4, off by 2^-52.
const COS: [f64; 7] = [
    1.0,
    -0.4999999999999925,
    0.04166666666647221,
    -0.001388888886997111,
    2.4801578535940913e-05,
    -2.7555233469269026e-07,
    2.063042988376311e-09,
];

/// `x = n π / 2 + r` with a whole n and |r| <= π / 4: r, and n in the low bits.
#[inline(always)]
fn split(x: f64) -> (f64, u64) {
    let shifted = x.mul_add(FRAC_2_PI, MAGIC);
    let n = shifted - MAGIC;
    (n.mul_add(-FRAC_PI_2_REST, n.mul_add(-FRAC_PI_2, x)), shifted.to_bits())
}

/// sin(r) and cos(r) for |r| <= π / 4.
#[inline(always)]
fn both(r: f64) -> (f64, f64) {
    let square = r * r;
    (r * poly(square, &SIN), poly(square, &COS))
}

/// The tangent for |x| <= 1e9.
#[inline(always)]
pub fn tan(x: f64) -> f64 {
    let (r, n) = split(x);
    let (sin, cos) = both(r);
    let odd = n & 1 == 1;
    (if odd { -cos } else { sin }) / (if odd { sin } else { cos })
}
