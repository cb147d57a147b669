//! 1 less the error function: `e^-x² g(x)`, both in two parts. e^-x² is worked out as in `exp`; `g(x) = erfc(x) e^x²` in pieces, as in
//! `pieces`.

use super::exp::{EXP, LN_2, MAGIC, POWERS};
#[cfg(target_arch = "x86_64")]
use super::pieces::{at, at_16};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;
use std::f32::consts::LOG2_E;

/// From here on the result is zero.
const END: f32 = 10.25;

/// The number of the first interval; for 32 of them middles, g there, what its nearest float32 lacks, and the slope there; and what is
/// left, over the square of the distance from the middle, highest coefficient first.
const FIRST: u32 = 490;
#[allow(clippy::approx_constant, reason = "one slope of many")]
const LINE: [[f32; 32]; 4] = [
    [
        2.25, 2.75, 3.25, 3.75, 4.5, 5.5, 6.5, 7.5, 9.0, 11.0, 0.0, 0.05859375, 0.0703125, 0.0859375, 0.1015625, 0.1171875,
        0.140625, 0.171875, 0.203125, 0.234375, 0.28125, 0.34375, 0.40625, 0.46875, 0.5625, 0.6875, 0.8125, 0.9375, 1.125, 1.375,
        1.625, 1.875,
    ],
    [
        0.23108725,
        0.19366209,
        0.16633534,
        0.14558972,
        0.1224848,
        0.10096222,
        0.08580567,
        0.074573696,
        0.062307723,
        0.051080596,
        1.0,
        0.93717164,
        0.9253549,
        0.90996367,
        0.89497596,
        0.8803784,
        0.8591853,
        0.8321765,
        0.8065109,
        0.78210336,
        0.7476803,
        0.7054984,
        0.6671063,
        0.6320697,
        0.5849986,
        0.53087085,
        0.48481083,
        0.44528228,
        0.39569807,
        0.3432959,
        0.3022612,
        0.26942998,
    ],
    [
        6.232719e-09,
        4.1894155e-09,
        4.1122465e-09,
        -2.908044e-09,
        1.0740734e-09,
        -3.222968e-09,
        6.7797656e-10,
        -2.5967608e-09,
        1.1712395e-09,
        -9.438444e-10,
        0.0,
        -1.2478137e-08,
        1.8813383e-08,
        -5.7419003e-09,
        2.4769307e-08,
        -1.4871761e-08,
        2.8108639e-08,
        2.863732e-08,
        -8.3606455e-10,
        2.4321695e-08,
        -1.8156937e-08,
        2.2555962e-08,
        -2.7599569e-08,
        -1.7667253e-08,
        1.3839467e-08,
        1.7562972e-08,
        -6.0097743e-10,
        -7.308217e-09,
        9.026873e-09,
        -1.2151653e-08,
        5.836035e-09,
        3.4561438e-09,
    ],
    [
        -0.0884865,
        -0.06323764,
        -0.047199402,
        -0.036456257,
        -0.026015928,
        -0.017794766,
        -0.012905456,
        -0.009773771,
        -0.0068401345,
        -0.0046060826,
        -1.1283792,
        -1.0185543,
        -0.99825114,
        -0.97197914,
        -0.94658715,
        -0.92204046,
        -0.8867333,
        -0.8423185,
        -0.8007341,
        -0.7617682,
        -0.70780903,
        -0.643349,
        -0.5863553,
        -0.5358138,
        -0.47025573,
        -0.39843172,
        -0.34056157,
        -0.2934749,
        -0.23805849,
        -0.18431547,
        -0.14603023,
        -0.11801672,
    ],
];
const CURVE: [[f32; 32]; 5] = [
    [
        0.00035234765,
        0.00013234136,
        5.4814136e-05,
        2.4663315e-05,
        8.586532e-06,
        2.4929202e-06,
        8.5897193e-07,
        3.3777866e-07,
        1.0241598e-07,
        2.6305317e-08,
        0.15216468,
        0.13510802,
        0.12960652,
        0.12263901,
        0.116072655,
        0.109882936,
        0.10126368,
        0.09087463,
        0.08162435,
        0.073380634,
        0.06267282,
        0.05091691,
        0.041506827,
        0.033948738,
        0.025294371,
        0.017248232,
        0.01190594,
        0.008315173,
        0.0049729873,
        0.0025866816,
        0.0013988331,
        0.00078397454,
    ],
    [
        -0.0011533425,
        -0.00048543914,
        -0.00022359738,
        -0.000111076835,
        -4.4154545e-05,
        -1.5077881e-05,
        -5.9927297e-06,
        -2.6754285e-06,
        -9.537698e-07,
        -2.9617217e-07,
        -0.29993376,
        -0.24806489,
        -0.23876454,
        -0.22694378,
        -0.21575722,
        -0.20516841,
        -0.19034542,
        -0.17235145,
        -0.15619646,
        -0.14167957,
        -0.122625574,
        -0.101410165,
        -0.084145874,
        -0.07004949,
        -0.053574715,
        -0.037830487,
        -0.02703246,
        -0.019537454,
        -0.012283218,
        -0.006826331,
        -0.0039372607,
        -0.002349127,
    ],
    [
        0.0036188466,
        0.0017195367,
        0.0008859892,
        0.00048821667,
        0.00022124188,
        8.947557e-05,
        4.120899e-05,
        2.0953037e-05,
        8.738467e-06,
        3.297606e-06,
        0.49996927,
        0.41985592,
        0.40559545,
        0.38740844,
        0.37011984,
        0.35368162,
        0.33052018,
        0.30221257,
        0.27656972,
        0.25332043,
        0.22241268,
        0.18753399,
        0.15864244,
        0.13463102,
        0.10586745,
        0.07765006,
        0.057610653,
        0.043212343,
        0.028619323,
        0.01708489,
        0.010561436,
        0.0067380145,
    ],
    [
        -0.011001852,
        -0.005934268,
        -0.003435445,
        -0.0021072722,
        -0.0011045238,
        -0.0005294508,
        -0.00028273257,
        -0.00016379898,
        -8.099826e-05,
        -3.7007216e-05,
        -0.75225234,
        -0.64475924,
        -0.62541485,
        -0.60063833,
        -0.5769701,
        -0.5543556,
        -0.52229726,
        -0.48278072,
        -0.4466331,
        -0.4135386,
        -0.36900848,
        -0.3179031,
        -0.2747433,
        -0.2381758,
        -0.1933238,
        -0.14785276,
        -0.11431771,
        -0.089306444,
        -0.06279371,
        -0.040503252,
        -0.02697785,
        -0.018491996,
    ],
    [
        0.03199263,
        0.019758593,
        0.012937291,
        0.008878755,
        0.0054131267,
        0.0030910128,
        0.0019202079,
        0.0012704094,
        0.00074651453,
        0.00041368822,
        1.0,
        0.8774907,
        0.85516536,
        0.8264342,
        0.7988382,
        0.77232677,
        0.7344884,
        0.687403,
        0.64386183,
        0.60356396,
        0.548609,
        0.4843472,
        0.42889938,
        0.38090697,
        0.32047978,
        0.25694907,
        0.20810455,
        0.17014955,
        0.12788229,
        0.089862116,
        0.064962074,
        0.04814863,
    ],
];

/// Of one number.
#[inline(always)]
pub fn one(x: f32) -> f32 {
    let size = if x.abs() > END { END } else { x.abs() };
    let square = size * size;
    let square_lost = size.mul_add(size, -square);
    let shifted = square.mul_add(-LOG2_E, MAGIC);
    let n = shifted - MAGIC;
    let r = n.mul_add(-LN_2[1], n.mul_add(-LN_2[0], -square)) - square_lost;
    let p = (r * r).mul_add(EXP[0].mul_add(r, EXP[1]).mul_add(r, EXP[2]), r);
    let j = (shifted.to_bits() & 15) as usize;
    let (power, power_rest) = (POWERS[0][j], POWERS[0][j].mul_add(p, POWERS[1][j]));
    let i = ((size.to_bits() >> 21).max(FIRST) & 31) as usize;
    let (middle, value, rest, slope) = (LINE[0][i], LINE[1][i], LINE[2][i], LINE[3][i]);
    let r = size - middle;
    let curve = CURVE[1..].iter().fold(CURVE[0][i], |sum, table| sum.mul_add(r, table[i]));
    let line = slope.mul_add(r, value);
    let lost = slope.mul_add(r, value - line);
    let line_rest = (curve * r).mul_add(r, rest) + lost;
    let product = power * line;
    let lost = power.mul_add(line, -product);
    let tail = product + power_rest.mul_add(line + line_rest, power.mul_add(line_rest, lost));
    // The power of two in two steps, for results too small to be normal.
    let whole = (shifted.to_bits().wrapping_sub(MAGIC.to_bits()) as i32) >> 4;
    let of_two = |n: i32| f32::from_bits(((n + 127) as u32) << 23);
    let tail = tail * of_two(whole >> 1) * of_two(whole - (whole >> 1));
    if x < 0.0 { 2.0 - tail } else { tail }
}

/// Of sixteen numbers.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub fn sixteen(x: __m512) -> __m512 {
    let size = _mm512_min_ps(_mm512_set1_ps(END), _mm512_abs_ps(x));
    let square = _mm512_mul_ps(size, size);
    let square_lost = _mm512_fmsub_ps(size, size, square);
    let shifted = _mm512_fnmadd_ps(square, _mm512_set1_ps(LOG2_E), _mm512_set1_ps(MAGIC));
    let n = _mm512_sub_ps(shifted, _mm512_set1_ps(MAGIC));
    let r = _mm512_fnmsub_ps(n, _mm512_set1_ps(LN_2[0]), square);
    let r = _mm512_sub_ps(_mm512_fnmadd_ps(n, _mm512_set1_ps(LN_2[1]), r), square_lost);
    let curve = _mm512_fmadd_ps(_mm512_fmadd_ps(_mm512_set1_ps(EXP[0]), r, _mm512_set1_ps(EXP[1])), r, _mm512_set1_ps(EXP[2]));
    let p = _mm512_fmadd_ps(_mm512_mul_ps(r, r), curve, r);
    let places = _mm512_castps_si512(shifted);
    let (power, rest) = (at_16(&POWERS[0], places), at_16(&POWERS[1], places));
    let power_rest = _mm512_fmadd_ps(power, p, rest);
    let i = _mm512_max_epi32(_mm512_srli_epi32::<21>(_mm512_castps_si512(size)), _mm512_set1_epi32(FIRST as i32));
    let r = _mm512_sub_ps(size, at(&LINE[0], i));
    let (value, rest, slope) = (at(&LINE[1], i), at(&LINE[2], i), at(&LINE[3], i));
    let mut curve = at(&CURVE[0], i);
    for table in &CURVE[1..] {
        curve = _mm512_fmadd_ps(curve, r, at(table, i));
    }
    let line = _mm512_fmadd_ps(slope, r, value);
    let lost = _mm512_fmadd_ps(slope, r, _mm512_sub_ps(value, line));
    let line_rest = _mm512_add_ps(_mm512_fmadd_ps(_mm512_mul_ps(curve, r), r, rest), lost);
    let product = _mm512_mul_ps(power, line);
    let lost = _mm512_fmsub_ps(power, line, product);
    let lost = _mm512_fmadd_ps(power_rest, _mm512_add_ps(line, line_rest), _mm512_fmadd_ps(power, line_rest, lost));
    let tail = _mm512_scalef_ps(_mm512_add_ps(product, lost), n);
    let is_left = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(x, _mm512_setzero_ps());
    _mm512_mask_sub_ps(tail, is_left, _mm512_set1_ps(2.0), tail)
}
