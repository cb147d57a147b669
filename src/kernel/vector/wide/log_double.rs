//! Logarithms of float64, as those of float32 are in `log`.

#[cfg(target_arch = "x86_64")]
use super::pieces::at_16_double;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// What makes a logarithm one of a base.
pub struct Base {
    /// The logarithm of 2 in two parts; the first is so short that its product with an exponent is exact.
    two: [f64; 2],
    /// The logarithm of e in two parts.
    scale: [f64; 2],
    /// `-log c` in two parts, of which the first can be added to that of an exponent without loss; from 1.5 on with that of 2.
    starts: [[f64; 16]; 2],
    /// `(log(1 + r) - r log e) / r²` for r from -1/26 to 1/16, highest coefficient first.
    curve: [f64; 10],
}

/// c for 16 intervals of m, by the first four bits of its fraction; from 1.5 on for half of m.
const SHARES: [f64; 16] =
    [1.0, 0.90625, 0.875, 0.8125, 0.78125, 0.75, 0.71875, 0.6875, 1.3125, 1.25, 1.1875, 1.1875, 1.125, 1.0625, 1.0625, 1.0];
/// To base e.
pub const LN: Base = Base {
    two: [0.6931471805601177, -1.7239444525614835e-13],
    scale: [1.0, 0.0],
    starts: [
        [
            0.0,
            0.09844007281299127,
            0.13353139262471814,
            0.2076393647785153,
            0.24686007793116005,
            0.2876820724513891,
            0.330241686870977,
            0.3746934494411107,
            0.42121346507610724,
            0.4700036292460936,
            0.5212969236335994,
            0.5212969236335994,
            0.5753641449036877,
            0.6325225587434034,
            0.6325225587434034,
            0.6931471805601177,
        ],
        [
            0.0,
            2.6124491647247346e-13,
            -1.9551393909415374e-13,
            -2.707990980384746e-13,
            3.657488373208597e-13,
            3.918237769963822e-13,
            -4.001352063965439e-13,
            2.9997833694248845e-13,
            1.9630983790222844e-13,
            -3.5807015485410843e-13,
            -3.132757246272597e-13,
            -3.132757246272597e-13,
            -1.258471477801639e-13,
            1.0711543657844876e-13,
            1.0711543657844876e-13,
            -1.7239444525614835e-13,
        ],
    ],
    curve: [
        0.08060518192266687,
        -0.09988940633733469,
        0.11114423052433144,
        -0.12500096227267035,
        0.14285710654183573,
        -0.16666666538875527,
        0.2000000000161557,
        -0.2500000000005634,
        0.3333333333333308,
        -0.49999999999999994,
    ],
};
/// To base 2.
#[allow(clippy::approx_constant, reason = "written in parts, as the others are")]
pub const TWO: Base = Base {
    two: [1.0, 0.0],
    scale: [1.4426950408889634, 2.0355273740931033e-17],
    starts: [
        [
            0.0,
            0.1420190048720542,
            0.19264507794196106,
            0.29956028185915784,
            0.3561438102251486,
            0.4150374992786965,
            0.47643804394283507,
            0.5405683813623909,
            0.607682577221567,
            0.6780719051130291,
            0.7520724865562443,
            0.7520724865562443,
            0.830074998557393,
            0.9125371587497284,
            0.9125371587497284,
            1.0,
        ],
        [
            0.0,
            3.736684162192024e-13,
            4.348299516065895e-13,
            -2.500001867992647e-13,
            1.266771905137232e-13,
            1.4733181985781966e-13,
            1.520621696507556e-13,
            3.1180651700181383e-13,
            -3.273329303085191e-13,
            -3.914087556296025e-13,
            1.7024883460791358e-13,
            1.7024883460791358e-13,
            2.9466363971563933e-13,
            -6.781363655020842e-14,
            -6.781363655020842e-14,
            0.0,
        ],
    ],
    curve: [
        0.11628869622978422,
        -0.14410995116021535,
        0.16034723020087271,
        -0.18033826837712993,
        0.2060992391636527,
        -0.24044917163785745,
        0.28853900820110046,
        -0.36067376022305364,
        0.4808983469629842,
        -0.7213475204444816,
    ],
};
/// To base 10.
#[allow(clippy::approx_constant, reason = "written in parts, as the others are")]
pub const TEN: Base = Base {
    two: [0.3010299956640665, -8.532344317057107e-14],
    scale: [0.4342944819032518, 1.098319650216765e-17],
    starts: [
        [
            0.0,
            0.042751980420689506,
            0.0579919469773813,
            0.09017663034865109,
            0.10720996964755614,
            0.12493873660787358,
            0.14342214230237005,
            0.1627272974974403,
            0.18293068358616438,
            0.20411998265626607,
            0.22639637736756413,
            0.22639637736756413,
            0.24987747321665665,
            0.2747010569419217,
            0.2747010569419217,
            0.3010299956640665,
        ],
        [
            0.0,
            2.603827452530852e-13,
            3.0545148822097805e-13,
            4.3692380556874144e-13,
            3.122305995789308e-13,
            4.263736452453345e-13,
            -5.695092715108574e-14,
            2.594359632639561e-13,
            -1.776695683066157e-13,
            -3.4129377268228426e-13,
            -4.871132481360763e-13,
            -4.871132481360763e-13,
            -5.6747411282259244e-14,
            -2.8965878288012575e-13,
            -2.8965878288012575e-13,
            -8.532344317057107e-14,
        ],
    ],
    curve: [
        0.035006385721821964,
        -0.043381417972896165,
        0.048269326012100114,
        -0.05428722814761731,
        0.06204205307178419,
        -0.0723824130955521,
        0.0868588963876667,
        -0.10857362047605763,
        0.14476482730108287,
        -0.21714724095162588,
    ],
};

/// Of one number.
#[inline(always)]
pub fn one(x: f64, base: &Base) -> f64 {
    let is_small = x < f64::MIN_POSITIVE;
    let bits = if is_small { x * 18_014_398_509_481_984.0 } else { x }.to_bits();
    let e = ((bits >> 52) as i32 - 1023) as f64 - if is_small { 54.0 } else { 0.0 };
    let i = (bits >> 48 & 15) as usize;
    let m = f64::from_bits(bits & 0xf_ffff_ffff_ffff | if i < 8 { 0x3ff0_0000_0000_0000 } else { 0x3fe0_0000_0000_0000 });
    let r = SHARES[i].mul_add(m, -1.0);
    let whole = e.mul_add(base.two[0], base.starts[0][i]);
    let rest = e.mul_add(base.two[1], base.starts[1][i]);
    let (line, rest) = if base.scale[0] == 1.0 {
        (r, rest)
    } else {
        let line = r * base.scale[0];
        (line, r.mul_add(base.scale[1], rest + r.mul_add(base.scale[0], -line)))
    };
    let sum = whole + line;
    let lost = (whole - sum) + line;
    let curve = base.curve[1..].iter().fold(base.curve[0], |sum, c| sum.mul_add(r, *c));
    let value = sum + ((r * r).mul_add(curve, rest) + lost);
    let outside = if x == 0.0 {
        f64::NEG_INFINITY
    } else if x == f64::INFINITY {
        x
    } else {
        f64::NAN
    };
    if x > 0.0 && x < f64::INFINITY { value } else { outside }
}

/// All that has no logarithm, and infinity, for `_mm512_fpclass_pd_mask`.
#[cfg(target_arch = "x86_64")]
const OUTSIDE: i32 = 0xdf;

/// Of eight numbers.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub fn eight(x: __m512d, base: &Base) -> __m512d {
    let m = _mm512_getmant_pd::<_MM_MANT_NORM_P75_1P5, _MM_MANT_SIGN_SRC>(x);
    let e = _mm512_getexp_pd(x);
    let i = _mm512_srli_epi64::<48>(_mm512_castpd_si512(m));
    let r = _mm512_fmsub_pd(at_16_double(&SHARES, i), m, _mm512_set1_pd(1.0));
    let whole = _mm512_fmadd_pd(e, _mm512_set1_pd(base.two[0]), at_16_double(&base.starts[0], i));
    let rest = _mm512_fmadd_pd(e, _mm512_set1_pd(base.two[1]), at_16_double(&base.starts[1], i));
    let (line, rest) = if base.scale[0] == 1.0 {
        (r, rest)
    } else {
        let [scale, scale_lost] = [_mm512_set1_pd(base.scale[0]), _mm512_set1_pd(base.scale[1])];
        let line = _mm512_mul_pd(r, scale);
        (line, _mm512_fmadd_pd(r, scale_lost, _mm512_add_pd(rest, _mm512_fmsub_pd(r, scale, line))))
    };
    let sum = _mm512_add_pd(whole, line);
    let lost = _mm512_add_pd(_mm512_sub_pd(whole, sum), line);
    let mut curve = _mm512_set1_pd(base.curve[0]);
    for c in &base.curve[1..] {
        curve = _mm512_fmadd_pd(curve, r, _mm512_set1_pd(*c));
    }
    let tail = _mm512_add_pd(_mm512_fmadd_pd(_mm512_mul_pd(r, r), curve, rest), lost);
    let value = _mm512_add_pd(sum, tail);
    let outside = _mm512_fpclass_pd_mask::<OUTSIDE>(x);
    if outside == 0 {
        return value;
    }
    let (zero, infinite) = (_mm512_setzero_pd(), _mm512_set1_pd(f64::INFINITY));
    let edge = _mm512_mask_mov_pd(
        _mm512_set1_pd(f64::NAN),
        _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(x, zero),
        _mm512_set1_pd(f64::NEG_INFINITY),
    );
    let edge = _mm512_mask_mov_pd(edge, _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(x, infinite), infinite);
    _mm512_mask_mov_pd(value, outside, edge)
}
