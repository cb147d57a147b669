//! Angles from their tangent: `atan x = atan c + atan q` with `q = (x - c) / (1 + c x)` for the middle c of an interval; from 14 on
//! c is infinite and `q = -1 / x`. Angles from their sine and cosine: a polynomial up to 1/2, and beyond the same of the
//! root of `(1 - x) / 2`, which is the sine of half of what is missing to a right angle. What q and the root lose is carried along.

#[cfg(target_arch = "x86_64")]
use super::pieces::{at, signed};
#[cfg(target_arch = "x86_64")]
use super::root;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Intervals are numbered by exponent and two bits of the fraction; this is the number before that of 1/8, and the last.
const FIRST: u32 = 495;
const LAST: u32 = 524;
/// From here on c is infinite.
const FAR: f32 = 14.0;
/// From here on the angle rounds to π / 2.
const BOUND: f32 = 1e10;

/// Middles of intervals, by the lowest five bits of their numbers; 1 where c is infinite.
const MIDDLES: [f32; 32] = [
    2.25, 2.75, 3.25, 3.75, 4.5, 5.5, 6.5, 7.5, 9.0, 11.0, 13.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.140625, 0.171875, 0.203125, 0.234375,
    0.28125, 0.34375, 0.40625, 0.46875, 0.5625, 0.6875, 0.8125, 0.9375, 1.125, 1.375, 1.625, 1.875,
];

/// The angles of the middles, and what their nearest float32 lack.
#[allow(clippy::approx_constant, reason = "a right angle is one of many")]
const ANGLES: [[f32; 32]; 2] = [
    [
        1.152572, 1.2220253, 1.2722974, 1.3101939, 1.3521274, 1.3909428, 1.418147, 1.4382448, 1.4601392, 1.4801364, 1.4940244,
        1.5707964, 1.5707964, 1.5707964, 1.5707964, 0.0, 0.13970888, 0.17021193, 0.20039855, 0.23021959, 0.27416745, 0.33109608,
        0.38588268, 0.43833655, 0.5123895, 0.60228735, 0.68231654, 0.7531513, 0.844154, 0.94200003, 1.0191413, 1.080839,
    ],
    [
        -3.8573823e-08,
        4.798058e-08,
        1.2853981e-08,
        3.8753914e-08,
        -5.1902227e-08,
        1.5036475e-08,
        3.0511753e-08,
        -2.514289e-08,
        -4.976688e-08,
        4.509342e-08,
        3.958243e-08,
        -4.371139e-08,
        -4.371139e-08,
        -4.371139e-08,
        -4.371139e-08,
        0.0,
        -2.3206386e-09,
        -8.1716384e-10,
        4.3883555e-09,
        -4.0683396e-10,
        2.837417e-09,
        -6.2216645e-09,
        -6.2496617e-09,
        8.668535e-09,
        -2.075692e-08,
        -5.9501493e-09,
        1.3202995e-08,
        -1.660708e-08,
        -1.41691165e-08,
        8.908211e-09,
        2.785247e-08,
        -3.7354035e-08,
    ],
];
/// `(atan q - q) / q³` in q² for |q| <= 1/8, highest coefficient first, off by 2^-42 of an angle.
const ATAN: [f32; 4] = [0.10772302, -0.142813, 0.19999978, -0.33333334];
/// `(asin z - z) / z³` in z² for z <= 1/2, highest coefficient first, off by 2^-31 of an angle.
const ASIN: [f32; 6] = [0.037563108, 0.01440439, 0.031817056, 0.044515796, 0.07500511, 0.1666666];
/// π / 2 in two parts.
const RIGHT: [f32; 2] = [std::f32::consts::FRAC_PI_2, -4.371139e-8];
/// Less half of the bits of a number, they are those of half its inverse root, but for 4 percent.
const HALF_INVERSE_ROOT: u32 = 0x5eb7_59df;

/// The angle of a tangent.
#[inline(always)]
pub fn atan(x: f32) -> f32 {
    let size = if x.abs() > BOUND { BOUND } else { x.abs() };
    let i = ((size.to_bits() >> 21).clamp(FIRST, LAST) & 31) as usize;
    let (middle, is_near) = (MIDDLES[i], size < FAR);
    let above = if is_near { size - middle } else { -1.0 };
    let offset = if is_near { 1.0 } else { 0.0 };
    let below = size.mul_add(middle, offset);
    let below_lost = size.mul_add(middle, offset - below);
    let share = 1.0 / below;
    let q = above * share;
    let lost = q.mul_add(-below_lost, q.mul_add(-below, above)) * share;
    let square = q * q;
    let curve = ATAN[1..].iter().fold(ATAN[0], |sum, c| sum.mul_add(square, *c));
    let rest = (q * square).mul_add(curve, lost);
    let sum = ANGLES[0][i] + q;
    let sum_lost = (ANGLES[0][i] - sum) + q;
    (sum + (sum_lost + (ANGLES[1][i] + rest))).copysign(x)
}

/// For |x| <= 1/2 the angle whose sine it is; else half of what is missing to a right angle: in two parts, and which of them.
#[inline(always)]
fn half_angle(x: f32) -> ([f32; 2], bool) {
    let size = x.abs();
    let is_steep = size > 0.5;
    let square = if is_steep { size.mul_add(-0.5, 0.5) } else { size * size };
    let root = square.sqrt();
    let inverse = f32::from_bits(HALF_INVERSE_ROOT.wrapping_sub(square.to_bits() >> 1));
    let root_lost = root.mul_add(-root, square) * inverse;
    let (z, lost) = if is_steep { (root, root_lost) } else { (size, 0.0) };
    let curve = ASIN[1..].iter().fold(ASIN[0], |sum, c| sum.mul_add(square, *c));
    ([z, (z * square).mul_add(curve, lost)], is_steep)
}

/// The angle of a sine.
#[inline(always)]
pub fn asin(x: f32) -> f32 {
    let ([z, rest], is_steep) = half_angle(x);
    let (start, start_lost) = if is_steep { (RIGHT[0], RIGHT[1]) } else { (0.0, 0.0) };
    let factor = if is_steep { -2.0 } else { 1.0 };
    let step = factor * z;
    let sum = start + step;
    let lost = (start - sum) + step;
    (sum + (lost + factor.mul_add(rest, start_lost))).copysign(x)
}

/// The angle of a cosine.
#[inline(always)]
pub fn acos(x: f32) -> f32 {
    let ([z, rest], is_steep) = half_angle(x);
    let rights = if x < 0.0 { 2.0 } else { 0.0 };
    let rights = if is_steep { rights } else { 1.0 };
    let factor = if is_steep { 2.0 } else { 1.0 };
    let factor = if (x < 0.0) == is_steep { -factor } else { factor };
    let (start, step) = (rights * RIGHT[0], factor * z);
    let sum = start + step;
    let lost = (start - sum) + step;
    sum + (lost + rights.mul_add(RIGHT[1], factor * rest))
}

/// The angles of sixteen tangents.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub fn atans(x: __m512) -> __m512 {
    let one = _mm512_set1_ps(1.0);
    let size = _mm512_min_ps(_mm512_set1_ps(BOUND), _mm512_abs_ps(x));
    let i = _mm512_max_epi32(_mm512_srli_epi32::<21>(_mm512_castps_si512(size)), _mm512_set1_epi32(FIRST as i32));
    let i = _mm512_min_epi32(i, _mm512_set1_epi32(LAST as i32));
    let middle = at(&MIDDLES, i);
    let is_near = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(size, _mm512_set1_ps(FAR));
    let above = _mm512_mask_sub_ps(_mm512_set1_ps(-1.0), is_near, size, middle);
    let offset = _mm512_maskz_mov_ps(is_near, one);
    let below = _mm512_fmadd_ps(size, middle, offset);
    let below_lost = _mm512_fmadd_ps(size, middle, _mm512_sub_ps(offset, below));
    let share = _mm512_div_ps(one, below);
    let q = _mm512_mul_ps(above, share);
    let lost = _mm512_mul_ps(_mm512_fnmadd_ps(q, below_lost, _mm512_fnmadd_ps(q, below, above)), share);
    let square = _mm512_mul_ps(q, q);
    let mut curve = _mm512_set1_ps(ATAN[0]);
    for c in &ATAN[1..] {
        curve = _mm512_fmadd_ps(curve, square, _mm512_set1_ps(*c));
    }
    let rest = _mm512_fmadd_ps(_mm512_mul_ps(q, square), curve, lost);
    let (angle, angle_lost) = (at(&ANGLES[0], i), at(&ANGLES[1], i));
    let sum = _mm512_add_ps(angle, q);
    let sum_lost = _mm512_add_ps(_mm512_sub_ps(angle, sum), q);
    signed(_mm512_add_ps(sum, _mm512_add_ps(sum_lost, _mm512_add_ps(angle_lost, rest))), x)
}

/// [`half_angle`] of sixteen numbers.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
fn half_angles(x: __m512) -> (__m512, __m512, __mmask16) {
    let (size, half) = (_mm512_abs_ps(x), _mm512_set1_ps(0.5));
    let is_steep = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(size, half);
    let square = _mm512_mask_fnmadd_ps(size, is_steep, half, half);
    let square = _mm512_mask_mul_ps(square, !is_steep, size, size);
    let root = root::nearest(square);
    let halved = _mm512_srli_epi32::<1>(_mm512_castps_si512(square));
    let inverse = _mm512_castsi512_ps(_mm512_sub_epi32(_mm512_set1_epi32(HALF_INVERSE_ROOT as i32), halved));
    let lost = _mm512_maskz_mul_ps(is_steep, _mm512_fnmadd_ps(root, root, square), inverse);
    let z = _mm512_mask_mov_ps(size, is_steep, root);
    let mut curve = _mm512_set1_ps(ASIN[0]);
    for c in &ASIN[1..] {
        curve = _mm512_fmadd_ps(curve, square, _mm512_set1_ps(*c));
    }
    (z, _mm512_fmadd_ps(_mm512_mul_ps(z, square), curve, lost), is_steep)
}

/// The angles of sixteen sines.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub fn asins(x: __m512) -> __m512 {
    let (z, rest, is_steep) = half_angles(x);
    let start = _mm512_maskz_mov_ps(is_steep, _mm512_set1_ps(RIGHT[0]));
    let start_lost = _mm512_maskz_mov_ps(is_steep, _mm512_set1_ps(RIGHT[1]));
    let factor = _mm512_mask_mov_ps(_mm512_set1_ps(1.0), is_steep, _mm512_set1_ps(-2.0));
    let step = _mm512_mul_ps(factor, z);
    let sum = _mm512_add_ps(start, step);
    let lost = _mm512_add_ps(_mm512_sub_ps(start, sum), step);
    signed(_mm512_add_ps(sum, _mm512_add_ps(lost, _mm512_fmadd_ps(factor, rest, start_lost))), x)
}

/// The angles of sixteen cosines.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub fn acoses(x: __m512) -> __m512 {
    let (z, rest, is_steep) = half_angles(x);
    let (one, two) = (_mm512_set1_ps(1.0), _mm512_set1_ps(2.0));
    let is_left = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(x, _mm512_setzero_ps());
    let rights = _mm512_mask_mov_ps(_mm512_maskz_mov_ps(is_left, two), !is_steep, one);
    let factor = _mm512_mask_mov_ps(one, is_steep, two);
    let factor = _mm512_mask_sub_ps(factor, !(is_left ^ is_steep), _mm512_setzero_ps(), factor);
    let (start, step) = (_mm512_mul_ps(rights, _mm512_set1_ps(RIGHT[0])), _mm512_mul_ps(factor, z));
    let sum = _mm512_add_ps(start, step);
    let lost = _mm512_add_ps(_mm512_sub_ps(start, sum), step);
    let rest = _mm512_fmadd_ps(rights, _mm512_set1_ps(RIGHT[1]), _mm512_mul_ps(factor, rest));
    _mm512_add_ps(sum, _mm512_add_ps(lost, rest))
}
