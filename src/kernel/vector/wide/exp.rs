//! The exponential: `e^x = 2^n (1 + p) 2^(j / 16)`.

use super::lanes::{Bits, Lanes};
#[cfg(target_arch = "x86_64")]
use super::pieces::{at_16, at_16_double};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Added to a number below 2^18 and taken away again, it rounds to sixteenths; in between, the lowest four bits count them.
pub const MAGIC: f32 = 786_432.0;
/// ln 2 in two parts, the first so short that its products with sixteenths are exact.
pub const LN_2: [f32; 2] = [0.693_359_4, -0.000_212_194_44];
/// Below it e^x is zero, and above it infinite.
const RANGE: [f32; 2] = [-104.5, 89.0];

/// 2^(j / 16), and what its nearest float32 lacks.
#[allow(clippy::approx_constant, reason = "the root of 2 is one of many powers here")]
pub const POWERS: [[f32; 16]; 2] = [
    [
        1.0, 1.0442737, 1.0905077, 1.1387886, 1.1892071, 1.2418578, 1.2968396, 1.3542556, 1.4142135, 1.4768262, 1.5422108,
        1.6104903, 1.6817929, 1.7562522, 1.8340081, 1.9152066,
    ],
    [
        0.0,
        4.83347e-8,
        -1.307754e-8,
        5.3862223e-8,
        3.7976353e-8,
        4.496838e-8,
        -4.0189995e-8,
        -1.0123349e-8,
        2.4203235e-8,
        -4.500899e-8,
        8.070905e-9,
        9.836217e-9,
        -2.4755327e-8,
        -9.23577e-9,
        -1.1239278e-8,
        9.845328e-9,
    ],
];

/// `(e^r - 1 - r) / r²` for |r| <= ln(2) / 32, highest coefficient first, off by 2^-38 of e^r.
pub const EXP: [f32; 3] = [0.041667596, 0.16667016, 0.5];

/// Of the numbers of all lanes.
#[inline(always)]
pub fn of<L: Lanes>(x: L) -> L {
    let x = x.at_most(RANGE[1]).at_least(RANGE[0]);
    let shifted = x.mul_add(L::all(std::f32::consts::LOG2_E), L::all(MAGIC));
    let n = shifted - L::all(MAGIC);
    let r = n.mul_add(L::all(-LN_2[1]), n.mul_add(L::all(-LN_2[0]), x));
    let p = (r * r).mul_add(r.curve(&EXP), r);
    let power = L::at_16(&POWERS[0], shifted.bits());
    let y = power + power.mul_add(p, L::at_16(&POWERS[1], shifted.bits()));
    scaled(y, shifted)
}

/// Times the power of two that a number plus [`MAGIC`] tells, in two steps, for results too small to be normal.
#[inline(always)]
fn scaled<L: Lanes>(y: L, shifted: L) -> L {
    let whole = (shifted.bits() - L::Bits::all(MAGIC.to_bits())) >> 4;
    let half = whole >> 1;
    y * L::power_of_two(half) * L::power_of_two(whole - half)
}

/// Of sixteen numbers.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub fn sixteen(x: __m512) -> __m512 {
    let x = _mm512_max_ps(_mm512_set1_ps(RANGE[0]), _mm512_min_ps(_mm512_set1_ps(RANGE[1]), x));
    let shifted = _mm512_fmadd_ps(x, _mm512_set1_ps(std::f32::consts::LOG2_E), _mm512_set1_ps(MAGIC));
    let n = _mm512_sub_ps(shifted, _mm512_set1_ps(MAGIC));
    let r = _mm512_fmadd_ps(n, _mm512_set1_ps(-LN_2[1]), _mm512_fmadd_ps(n, _mm512_set1_ps(-LN_2[0]), x));
    let curve = _mm512_fmadd_ps(_mm512_fmadd_ps(_mm512_set1_ps(EXP[0]), r, _mm512_set1_ps(EXP[1])), r, _mm512_set1_ps(EXP[2]));
    let p = _mm512_fmadd_ps(_mm512_mul_ps(r, r), curve, r);
    let places = _mm512_castps_si512(shifted);
    let (power, rest) = (at_16(&POWERS[0], places), at_16(&POWERS[1], places));
    // Multiplies by 2 to the next lower whole number.
    _mm512_scalef_ps(_mm512_add_ps(power, _mm512_fmadd_ps(power, p, rest)), n)
}

/// The same of float64.
mod double {
    /// Added to a number below 2^47 and taken away again, it rounds to sixteenths.
    pub const MAGIC: f64 = 422_212_465_065_984.0;
    /// ln 2 in two parts.
    pub const LN_2: [f64; 2] = [std::f64::consts::LN_2, 2.3190468138462996e-17];
    /// Below it e^x is zero, and above it infinite.
    pub const RANGE: [f64; 2] = [-746.0, 710.0];
    /// 2^(j / 16), and what its nearest float64 lacks.
    #[allow(clippy::approx_constant, reason = "the root of 2 is one of many powers here")]
    pub const POWERS: [[f64; 16]; 2] = [
        [
            1.0,
            1.0442737824274138,
            1.0905077326652577,
            1.1387886347566916,
            1.189207115002721,
            1.241857812073484,
            1.2968395546510096,
            1.3542555469368927,
            1.4142135623730951,
            1.4768261459394993,
            1.5422108254079407,
            1.6104903319492543,
            1.681792830507429,
            1.7562521603732995,
            1.8340080864093424,
            1.9152065613971474,
        ],
        [
            0.0,
            8.551889706e-17,
            -3.046782080e-17,
            8.912812676e-17,
            3.982015231e-17,
            4.658027592e-17,
            2.538250279e-17,
            7.700948380e-17,
            -9.667293313e-17,
            -3.483994557e-17,
            7.949834810e-17,
            2.470719257e-17,
            8.199010021e-17,
            2.960140695e-17,
            3.283107224e-17,
            -1.061994606e-16,
        ],
    ];
    /// `(e^r - 1 - r) / r²` for |r| <= ln(2) / 32, highest coefficient first, off by 2^-66 of e^r.
    pub const EXP: [f64; 6] = [
        0.00019841571934327756,
        0.001388911238676212,
        0.008333333332274945,
        0.0416666666605896,
        0.1666666666666668,
        0.5000000000000004,
    ];
}

/// Of one float64.
#[inline(always)]
pub fn one_double(x: f64) -> f64 {
    use double::*;
    let x = if x > RANGE[1] { RANGE[1] } else { x };
    let x = if x < RANGE[0] { RANGE[0] } else { x };
    let shifted = x.mul_add(std::f64::consts::LOG2_E, MAGIC);
    let n = shifted - MAGIC;
    let r = n.mul_add(-LN_2[1], n.mul_add(-LN_2[0], x));
    let curve = EXP[1..].iter().fold(EXP[0], |sum, c| sum.mul_add(r, *c));
    let p = (r * r).mul_add(curve, r);
    let j = (shifted.to_bits() & 15) as usize;
    let y = POWERS[0][j] + POWERS[0][j].mul_add(p, POWERS[1][j]);
    let whole = (shifted.to_bits().wrapping_sub(MAGIC.to_bits()) as i64) >> 4;
    let power = |n: i64| f64::from_bits(((n + 1023) as u64) << 52);
    y * power(whole >> 1) * power(whole - (whole >> 1))
}

/// Of eight float64.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub fn eight(x: __m512d) -> __m512d {
    use double::*;
    let x = _mm512_max_pd(_mm512_set1_pd(RANGE[0]), _mm512_min_pd(_mm512_set1_pd(RANGE[1]), x));
    let shifted = _mm512_fmadd_pd(x, _mm512_set1_pd(std::f64::consts::LOG2_E), _mm512_set1_pd(MAGIC));
    let n = _mm512_sub_pd(shifted, _mm512_set1_pd(MAGIC));
    let r = _mm512_fmadd_pd(n, _mm512_set1_pd(-LN_2[1]), _mm512_fmadd_pd(n, _mm512_set1_pd(-LN_2[0]), x));
    let mut curve = _mm512_set1_pd(EXP[0]);
    for c in &EXP[1..] {
        curve = _mm512_fmadd_pd(curve, r, _mm512_set1_pd(*c));
    }
    let p = _mm512_fmadd_pd(_mm512_mul_pd(r, r), curve, r);
    let places = _mm512_castpd_si512(shifted);
    let (power, rest) = (at_16_double(&double::POWERS[0], places), at_16_double(&double::POWERS[1], places));
    _mm512_scalef_pd(_mm512_add_pd(power, _mm512_fmadd_pd(power, p, rest)), n)
}
