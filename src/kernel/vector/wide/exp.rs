//! The exponential: `e^x = 2^n (1 + p) 2^(j / 16)`.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Added to a number below 2^18 and taken away again, it rounds to sixteenths; in between, the lowest four bits count them.
const MAGIC: f32 = 786_432.0;
/// ln 2 in two parts, the first so short that its products with sixteenths are exact.
const LN_2: [f32; 2] = [0.693_359_4, -0.000_212_194_44];
/// Below it e^x is zero, and above it infinite.
const RANGE: [f32; 2] = [-104.5, 89.0];

/// 2^(j / 16), and what its nearest float32 lacks.
#[allow(clippy::approx_constant, reason = "the root of 2 is one of many powers here")]
const POWERS: [[f32; 16]; 2] = [
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
const EXP: [f32; 3] = [0.041667596, 0.16667016, 0.5];

/// Of one number.
#[inline(always)]
pub fn one(x: f32) -> f32 {
    let x = if x > RANGE[1] { RANGE[1] } else { x };
    let x = if x < RANGE[0] { RANGE[0] } else { x };
    let shifted = x.mul_add(std::f32::consts::LOG2_E, MAGIC);
    let n = shifted - MAGIC;
    let r = n.mul_add(-LN_2[1], n.mul_add(-LN_2[0], x));
    let p = (r * r).mul_add(EXP[0].mul_add(r, EXP[1]).mul_add(r, EXP[2]), r);
    let j = (shifted.to_bits() & 15) as usize;
    let y = POWERS[0][j] + POWERS[0][j].mul_add(p, POWERS[1][j]);
    // The power of two in two steps, for results too small to be normal.
    let whole = (shifted.to_bits().wrapping_sub(MAGIC.to_bits()) as i32) >> 4;
    let power = |n: i32| f32::from_bits(((n + 127) as u32) << 23);
    y * power(whole >> 1) * power(whole - (whole >> 1))
}

/// Of sixteen numbers.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub fn sixteen(x: __m512) -> __m512 {
    let same = |x| _mm512_set1_ps(x);
    let x = _mm512_max_ps(same(RANGE[0]), _mm512_min_ps(same(RANGE[1]), x));
    let shifted = _mm512_fmadd_ps(x, same(std::f32::consts::LOG2_E), same(MAGIC));
    let n = _mm512_sub_ps(shifted, same(MAGIC));
    let r = _mm512_fmadd_ps(n, same(-LN_2[1]), _mm512_fmadd_ps(n, same(-LN_2[0]), x));
    let curve = _mm512_fmadd_ps(_mm512_fmadd_ps(same(EXP[0]), r, same(EXP[1])), r, same(EXP[2]));
    let p = _mm512_fmadd_ps(_mm512_mul_ps(r, r), curve, r);
    // Only the lowest four bits of a place count.
    let places = _mm512_castps_si512(shifted);
    // SAFETY: both tables have room for a vector.
    let [power, rest] = POWERS.each_ref().map(|table| unsafe { _mm512_loadu_ps(table.as_ptr()) });
    let (power, rest) = (_mm512_permutexvar_ps(places, power), _mm512_permutexvar_ps(places, rest));
    // Multiplies by 2 to the next lower whole number.
    _mm512_scalef_ps(_mm512_add_ps(power, _mm512_fmadd_ps(power, p, rest)), n)
}
