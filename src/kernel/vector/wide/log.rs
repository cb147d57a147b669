//! Logarithms: `x = 2^e m` with m from 1 to 2, and `log m = -log c + log(1 + r)` with `r = c m - 1` for a c near 1 / m, or near 2 / m
//! from 1.5 on, which makes the exponent one more. Shares c are so short that r is exact.

use super::lanes::{Bits, Lanes};
#[cfg(target_arch = "x86_64")]
use super::pieces::at_16;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// What makes a logarithm one of a base.
pub struct Base {
    /// The logarithm of 2 in two parts; the first is so short that its product with an exponent is exact.
    two: [f32; 2],
    /// The logarithm of e in two parts.
    scale: [f32; 2],
    /// `-log c` in two parts, of which the first can be added to that of an exponent without loss; from 1.5 on with that of 2.
    starts: [[f32; 16]; 2],
    /// `(log(1 + r) - r log e) / r²` for r from -1/26 to 1/16, highest coefficient first.
    curve: [f32; 5],
}

/// c for 16 intervals of m, by the first four bits of its fraction; from 1.5 on for half of m.
const SHARES: [f32; 16] =
    [1.0, 0.90625, 0.875, 0.8125, 0.78125, 0.75, 0.71875, 0.6875, 1.3125, 1.25, 1.1875, 1.1875, 1.125, 1.0625, 1.0625, 1.0];
/// To base e.
pub const LN: Base = Base {
    two: [0.69314575, 1.4286068e-06],
    scale: [1.0, 0.0],
    starts: [
        [
            0.0, 0.09844971, 0.13354492, 0.2076416, 0.24685669, 0.2876892, 0.3302307, 0.37469482, 0.4212036, 0.47000122,
            0.52130127, 0.52130127, 0.5753479, 0.6325073, 0.6325073, 0.69314575,
        ],
        [
            0.0,
            -9.634218e-06,
            -1.352925e-05,
            -2.2367842e-06,
            3.3884785e-06,
            -7.1365325e-06,
            1.097398e-05,
            -1.3747773e-06,
            9.851795e-06,
            2.4085425e-06,
            -4.345898e-06,
            -4.345898e-06,
            1.6244512e-05,
            1.5234525e-05,
            1.5234525e-05,
            1.4286068e-06,
        ],
    ],
    curve: [-0.15676247, 0.20019816, -0.25001946, 0.33333328, -0.5],
};
/// To base 2.
#[allow(clippy::approx_constant, reason = "written in parts, as the others are")]
pub const TWO: Base = Base {
    two: [1.0, 0.0],
    scale: [1.442695, 1.925963e-08],
    starts: [
        [
            0.0, 0.14202881, 0.19265747, 0.29956055, 0.35614014, 0.41503906, 0.47644043, 0.54055786, 0.60769653, 0.67807007,
            0.7520752, 0.7520752, 0.8300781, 0.9125366, 0.9125366, 1.0,
        ],
        [
            0.0,
            -9.803722e-06,
            -1.2392761e-05,
            -2.650161e-07,
            3.6735066e-06,
            -1.5632212e-06,
            -2.3857444e-06,
            1.0520034e-05,
            -1.3955982e-05,
            1.8367533e-06,
            -2.708756e-06,
            -2.708756e-06,
            -3.1264424e-06,
            5.376559e-07,
            5.376559e-07,
            0.0,
        ],
    ],
    curve: [-0.22616044, 0.2888249, -0.36070183, 0.4808983, -0.7213475],
};
/// To base 10.
#[allow(clippy::approx_constant, reason = "written in parts, as the others are")]
pub const TEN: Base = Base {
    two: [0.3010254, 4.605039e-06],
    scale: [0.4342945, -1.010305e-08],
    starts: [
        [
            0.0,
            0.042755127,
            0.0579834,
            0.09017944,
            0.10720825,
            0.124938965,
            0.14343262,
            0.16271973,
            0.18292236,
            0.20410156,
            0.2263794,
            0.2263794,
            0.24987793,
            0.27468872,
            0.27468872,
            0.3010254,
        ],
        [
            0.0,
            -3.1465322e-06,
            8.54854e-06,
            -2.8130103e-06,
            1.7176948e-06,
            -2.2823545e-07,
            -1.0474885e-05,
            7.5709354e-06,
            8.320305e-06,
            1.8420156e-05,
            1.6982836e-05,
            1.6982836e-05,
            -4.5647081e-07,
            1.2336239e-05,
            1.2336239e-05,
            4.605039e-06,
        ],
    ],
    curve: [-0.06808107, 0.08694496, -0.10858207, 0.14476481, -0.21714723],
};

/// Of the numbers of all lanes.
#[inline(always)]
pub fn of<L: Lanes>(x: L, base: &Base) -> L {
    let is_small = x.is_below(f32::MIN_POSITIVE);
    let bits = L::choose(is_small, x * L::all(33_554_432.0), x).bits();
    let e = L::from_whole((bits >> 23) - L::Bits::all(127)) - L::choose(is_small, L::all(25.0), L::all(0.0));
    let i = bits >> 19;
    // From 1.5 on the half: an exponent less.
    let exponent = L::Bits::all(1f32.to_bits()) - ((bits & L::Bits::all(0x40_0000)) << 1);
    let m = L::from_bits((bits & L::Bits::all(0x7f_ffff)) + exponent);
    let r = L::at_16(&SHARES, i).mul_add(m, L::all(-1.0));
    let whole = e.mul_add(L::all(base.two[0]), L::at_16(&base.starts[0], i));
    let rest = e.mul_add(L::all(base.two[1]), L::at_16(&base.starts[1], i));
    let (line, rest) = if base.scale[0] == 1.0 {
        (r, rest)
    } else {
        let scale = L::all(base.scale[0]);
        let line = r * scale;
        (line, r.mul_add(L::all(base.scale[1]), rest + r.mul_add(scale, -line)))
    };
    let sum = whole + line;
    let lost = (whole - sum) + line;
    let value = sum + ((r * r).mul_add(r.curve(&base.curve), rest) + lost);
    let outside = L::choose(x.is(f32::INFINITY), x, L::all(f32::NAN));
    let outside = L::choose(x.is(0.0), L::all(f32::NEG_INFINITY), outside);
    L::choose(x.is_above(0.0) & x.is_below(f32::INFINITY), value, outside)
}

/// All that has no logarithm, and infinity, for `_mm512_fpclass_ps_mask`.
#[cfg(target_arch = "x86_64")]
const OUTSIDE: i32 = 0xdf;

/// Of sixteen numbers.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub fn sixteen(x: __m512, base: &Base) -> __m512 {
    let m = _mm512_getmant_ps::<_MM_MANT_NORM_P75_1P5, _MM_MANT_SIGN_SRC>(x);
    let e = _mm512_getexp_ps(x);
    let i = _mm512_srli_epi32::<19>(_mm512_castps_si512(m));
    let r = _mm512_fmsub_ps(at_16(&SHARES, i), m, _mm512_set1_ps(1.0));
    let whole = _mm512_fmadd_ps(e, _mm512_set1_ps(base.two[0]), at_16(&base.starts[0], i));
    let rest = _mm512_fmadd_ps(e, _mm512_set1_ps(base.two[1]), at_16(&base.starts[1], i));
    let (line, rest) = if base.scale[0] == 1.0 {
        (r, rest)
    } else {
        let [scale, scale_lost] = [_mm512_set1_ps(base.scale[0]), _mm512_set1_ps(base.scale[1])];
        let line = _mm512_mul_ps(r, scale);
        (line, _mm512_fmadd_ps(r, scale_lost, _mm512_add_ps(rest, _mm512_fmsub_ps(r, scale, line))))
    };
    let sum = _mm512_add_ps(whole, line);
    let lost = _mm512_add_ps(_mm512_sub_ps(whole, sum), line);
    let mut curve = _mm512_set1_ps(base.curve[0]);
    for c in &base.curve[1..] {
        curve = _mm512_fmadd_ps(curve, r, _mm512_set1_ps(*c));
    }
    let tail = _mm512_add_ps(_mm512_fmadd_ps(_mm512_mul_ps(r, r), curve, rest), lost);
    let value = _mm512_add_ps(sum, tail);
    let outside = _mm512_fpclass_ps_mask::<OUTSIDE>(x);
    if outside == 0 {
        return value;
    }
    let (zero, infinite) = (_mm512_setzero_ps(), _mm512_set1_ps(f32::INFINITY));
    let edge = _mm512_mask_mov_ps(
        _mm512_set1_ps(f32::NAN),
        _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(x, zero),
        _mm512_set1_ps(f32::NEG_INFINITY),
    );
    let edge = _mm512_mask_mov_ps(edge, _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(x, infinite), infinite);
    _mm512_mask_mov_ps(value, outside, edge)
}
