//! The natural logarithm: `x = 2^e m` with m from 0.75 to 1.5, and `ln m = -ln c + ln(1 + r)` with `r = c m - 1` for a c near 1 / m,
//! what rounding takes from r included.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// 0.75.
const LEAST: u32 = 0x3f40_0000;
/// ln 2 in two parts; the first has 9 bits.
const LN_2: [f32; 2] = [0.693_359_4, -0.000_212_194_44];

/// c for 16 intervals of m, by the first four bits of its fraction.
const SHARES: [f32; 16] = [
    1.0, 0.9142857, 0.8648649, 0.82051283, 0.7804878, 0.74418604, 0.7111111, 0.68085104, 1.3061224, 1.254902, 1.2075472,
    1.1636363, 1.122807, 1.0847458, 1.0491803, 1.0,
];
/// `-ln c` in two parts; the first is so short that it can be added to the first part of `e ln 2` without loss.
const LOGS: [[f32; 16]; 2] = [
    [
        0.0,
        0.08961487,
        0.14518738,
        0.1978302,
        0.24783325,
        0.2954712,
        0.34092712,
        0.38441467,
        -0.26705933,
        -0.22705078,
        -0.18859863,
        -0.1515503,
        -0.11582947,
        -0.081344604,
        -0.04800415,
        0.0,
    ],
    [
        0.0,
        -2.7150622e-6,
        -5.3922995e-6,
        -4.469904e-6,
        2.9492044e-6,
        -6.974787e-6,
        -5.6126726e-7,
        -2.9422763e-6,
        -3.438588e-6,
        -6.7047754e-6,
        7.4481036e-6,
        4.2650652e-7,
        -2.3552022e-6,
        -1.0368244e-6,
        -5.0129165e-6,
        0.0,
    ],
];
/// `(ln(1 + r) - r) / r²` for r from -1/32 to 1/16, highest coefficient first.
const CURVE: [f32; 5] = [-0.15445304, 0.19990872, -0.2500116, 0.3333335, -0.5];

/// Of one number.
#[inline(always)]
pub fn one(x: f32) -> f32 {
    let is_small = x < f32::MIN_POSITIVE;
    let bits = if is_small { x * 33_554_432.0 } else { x }.to_bits().wrapping_sub(LEAST);
    let e = (bits as i32 >> 23) as f32 - if is_small { 25.0 } else { 0.0 };
    let m = f32::from_bits((bits & 0x7f_ffff).wrapping_add(LEAST));
    let i = (m.to_bits() >> 19 & 15) as usize;
    let product = SHARES[i] * m;
    let r = product - 1.0;
    let short = SHARES[i].mul_add(m, -product);
    let short = (-short).mul_add(r, short);
    let whole = e.mul_add(LN_2[0], LOGS[0][i]);
    let sum = whole + r;
    let lost = (whole - sum) + r;
    let curve = CURVE[1..].iter().fold(CURVE[0], |sum, c| sum.mul_add(r, *c));
    let value = sum + ((r * r).mul_add(curve, e.mul_add(LN_2[1], LOGS[1][i]) + short) + lost);
    let outside = if x == 0.0 {
        f32::NEG_INFINITY
    } else if x == f32::INFINITY {
        x
    } else {
        f32::NAN
    };
    if x > 0.0 && x < f32::INFINITY { value } else { outside }
}

/// Of sixteen numbers.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub fn sixteen(x: __m512) -> __m512 {
    let same = |x| _mm512_set1_ps(x);
    // SAFETY: all tables have room for a vector.
    let at = |table: &[f32; 16], i| _mm512_permutexvar_ps(i, unsafe { _mm512_loadu_ps(table.as_ptr()) });
    let m = _mm512_getmant_ps::<_MM_MANT_NORM_P75_1P5, _MM_MANT_SIGN_SRC>(x);
    // Where m is below 1, the exponent that counts is one more than x has.
    let e = _mm512_sub_ps(_mm512_getexp_ps(x), _mm512_getexp_ps(m));
    // Only the lowest four bits of a place count.
    let i = _mm512_srli_epi32::<19>(_mm512_castps_si512(m));
    let share = at(&SHARES, i);
    let product = _mm512_mul_ps(share, m);
    let r = _mm512_sub_ps(product, same(1.0));
    let short = _mm512_fmsub_ps(share, m, product);
    let short = _mm512_fnmadd_ps(short, r, short);
    let whole = _mm512_fmadd_ps(e, same(LN_2[0]), at(&LOGS[0], i));
    let sum = _mm512_add_ps(whole, r);
    let lost = _mm512_add_ps(_mm512_sub_ps(whole, sum), r);
    let mut curve = same(CURVE[0]);
    for c in &CURVE[1..] {
        curve = _mm512_fmadd_ps(curve, r, same(*c));
    }
    let rest = _mm512_add_ps(_mm512_fmadd_ps(e, same(LN_2[1]), at(&LOGS[1], i)), short);
    let tail = _mm512_add_ps(_mm512_fmadd_ps(_mm512_mul_ps(r, r), curve, rest), lost);
    let value = _mm512_add_ps(sum, tail);
    let (zero, infinite) = (_mm512_setzero_ps(), same(f32::INFINITY));
    let inside = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(x, zero) & _mm512_cmp_ps_mask::<_CMP_LT_OQ>(x, infinite);
    if inside == u16::MAX {
        return value;
    }
    let outside = _mm512_mask_mov_ps(same(f32::NAN), _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(x, zero), same(f32::NEG_INFINITY));
    let outside = _mm512_mask_mov_ps(outside, _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(x, infinite), infinite);
    _mm512_mask_mov_ps(outside, inside, value)
}
