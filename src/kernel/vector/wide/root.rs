//! Square roots, in the steps of PyTorch's library and thus with its bits: a guess that is right to 14 bits, and what is missing
//! divided by it. About one root of a hundred is the neighbour below the nearest number.
//!
//! The guess is that of the instruction of AVX-512, which is a line for each of 128 pieces between 1 and 4.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Between these numbers, what is missing has all its bits. Outside, a number is multiplied by the square of a power of two first,
/// and its root divided by that power: `(bound, power)`.
const SMALL: (f32, f32) = (1e-25, (1u64 << 40) as f32);
const LARGE: (f32, f32) = (1e37, 1.0 / 1024.0);
const SMALL_DOUBLE: (f64, f64) = (1e-280, (1u128 << 100) as f64);
const LARGE_DOUBLE: (f64, f64) = (1e300, 1.0 / (1u64 << 30) as f64);

/// For 64 pieces between 1 and 2, and 64 between 2 and 4: 1024 times the first guess less 1/2, in units of 2^-17, and how much it falls
/// with each 512th of the piece.
#[rustfmt::skip] // six pieces a line
const PIECES: [(u32, u16); 128] = [
    (67102976, 2002), (66077952, 2002), (65052928, 1910), (64075008, 1910), (63096064, 1830), (62159104, 1830),
    (61223424, 1754), (60325376, 1754), (59428352, 1682), (58567168, 1682), (57706240, 1614), (56879872, 1614),
    (56052992, 1550), (55259392, 1550), (54464768, 1494), (53699840, 1494), (52935168, 1438), (52198912, 1438),
    (51462400, 1386), (50752768, 1386), (50042624, 1338), (49357568, 1338), (48673792, 1294), (48011264, 1294),
    (47350272, 1250), (46710272, 1250), (46070272, 1206), (45452800, 1206), (44834560, 1170), (44235520, 1170),
    (43637504, 1134), (43056896, 1134), (42477312, 1098), (41915136, 1098), (41353984, 1066), (40808192, 1066),
    (40263424, 1034), (39734016, 1034), (39204864, 1002), (38691840, 1002), (38178048, 974), (37679360, 974),
    (37180160, 946), (36695808, 946), (36210688, 922), (35738624, 922), (35267328, 898), (34807552, 898),
    (34348800, 874), (33901312, 874), (33454848, 850), (33019648, 850), (32585216, 830), (32160256, 830),
    (31735296, 806), (31322624, 806), (30908160, 786), (30505728, 786), (30103040, 770), (29708800, 770),
    (29314816, 750), (28930816, 750), (28547584, 734), (28171776, 734), (27792640, 1414), (27068672, 1414),
    (26343680, 1350), (25652480, 1350), (24960000, 1294), (24297472, 1294), (23634944, 1238), (23001088, 1238),
    (22367232, 1190), (21757952, 1190), (21149440, 1142), (20564736, 1142), (19980544, 1098), (19418368, 1098),
    (18856192, 1054), (18316544, 1054), (17775872, 1018), (17254656, 1018), (16734976, 982), (16232192, 982),
    (15729920, 946), (15245568, 946), (14761216, 914), (14293248, 914), (13825280, 882), (13373696, 882),
    (12921344, 854), (12484096, 854), (12046592, 826), (11623680, 826), (11201280, 802), (10790656, 802),
    (10381056, 778), (9982720, 778), (9585408, 754), (9199360, 754), (8814336, 730), (8440576, 730),
    (8067328, 710), (7703808, 710), (7340800, 690), (6987520, 690), (6635008, 670), (6291968, 670),
    (5948416, 650), (5615616, 650), (5281792, 634), (4957184, 634), (4633088, 618), (4316672, 618),
    (4001024, 602), (3692800, 602), (3385088, 586), (3085056, 586), (2784768, 570), (2492928, 570),
    (2200832, 558), (1915136, 558), (1629440, 542), (1351936, 542), (1073152, 530), (801792, 530),
    (529920, 518), (264704, 518),
];

/// The inverse of the root, to 14 bits, of a positive normal number.
#[inline(always)]
fn guess(x: f64) -> f64 {
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i64 - 1023;
    let is_odd = (exponent & 1) as u64;
    let halved = (exponent - is_odd as i64) / 2;
    let fraction = bits & ((1 << 52) - 1);
    if fraction == 0 && is_odd == 0 {
        return f64::from_bits(((1023 - halved) as u64) << 52);
    }
    let (start, slope) = PIECES[(is_odd << 6 | fraction >> 46) as usize];
    let guess = (start - slope as u32 * (fraction >> 37 & 511) as u32) >> 10;
    f64::from_bits(((1022 - halved) as u64) << 52 | (guess as u64) << 36)
}

/// Of a float32.
#[inline(always)]
pub fn one(x: f32) -> f32 {
    if !(x > 0.0 && x < f32::INFINITY) {
        return x.sqrt();
    }
    let power = if x <= SMALL.0 {
        SMALL.1
    } else if x >= LARGE.0 {
        LARGE.1
    } else {
        1.0
    };
    let x = x * (power * power);
    let guess = guess(x as f64) as f32;
    let (root, half_inverse) = (x * guess, 0.5 * guess);
    root.mul_add(-root, x).mul_add(half_inverse, root) / power
}

/// Lanes looked at together: where none is in doubt, there is nothing to do but the processor's roots.
const TOGETHER: usize = 16;

/// The steps of [`one`] end below the true root, by less than 0.08 of the last place, so they end at another number than the nearest only
/// where that lies above the true root by more than this part of half of the last place. Tried with every float32 up to 8 and a third of
/// those above; 0.88 is too much.
const SURE: f32 = 0.84;

/// Of many float32, with the bits of [`one`]: the processor's roots, and where they are rounded up by nearly half of the last place, the
/// steps themselves. For processors without the instruction of the guess, where the table takes longer for each number.
#[inline(always)]
pub fn many(out: &mut [f32], from: &[f32]) {
    let (outs, outs_left) = out.as_chunks_mut::<TOGETHER>();
    let (chunks, left) = from.as_chunks::<TOGETHER>();
    for (out, x) in outs.iter_mut().zip(chunks) {
        let mut doubts = [false; TOGETHER];
        let mut is_any = false;
        for ((out, x), is_doubtful) in out.iter_mut().zip(x).zip(&mut doubts) {
            *out = x.sqrt();
            *is_doubtful = is_in_doubt(*x, *out);
            is_any |= *is_doubtful;
        }
        if is_any {
            for ((out, x), is_doubtful) in out.iter_mut().zip(x).zip(doubts) {
                if is_doubtful {
                    *out = one(*x);
                }
            }
        }
    }
    for (out, x) in outs_left.iter_mut().zip(left) {
        *out = one(*x);
    }
}

/// Whether [`one`] may end at another number than the nearest, which is `root`.
#[inline(always)]
fn is_in_doubt(x: f32, root: f32) -> bool {
    let last_place = f32::from_bits((root.to_bits() & 0x7f80_0000).wrapping_sub(23 << 23));
    let is_inside = (x > SMALL.0) & (x < LARGE.0);
    (!is_inside & (x != 0.0)) | (root.mul_add(-root, x) <= -(root * last_place) * SURE)
}

/// Of a float64, with a step more.
#[inline(always)]
pub fn one_double(x: f64) -> f64 {
    if !(x > 0.0 && x < f64::INFINITY) {
        return x.sqrt();
    }
    let power = if x <= SMALL_DOUBLE.0 {
        SMALL_DOUBLE.1
    } else if x >= LARGE_DOUBLE.0 {
        LARGE_DOUBLE.1
    } else {
        1.0
    };
    let x = x * (power * power);
    let guess = guess(x);
    let (root, inverse) = (x * guess, 0.5 * guess);
    let miss = inverse.mul_add(-root, 0.5);
    let (root, inverse) = (root.mul_add(miss, root), inverse.mul_add(miss, inverse));
    root.mul_add(-root, x).mul_add(inverse, root) / power
}

/// Of sixteen float32.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub fn sixteen(x: __m512) -> __m512 {
    let guess = _mm512_rsqrt14_ps(x);
    let (root, inverse) = (_mm512_mul_ps(x, guess), _mm512_mul_ps(_mm512_set1_ps(0.5), guess));
    let root = _mm512_fmadd_ps(_mm512_fnmadd_ps(root, root, x), inverse, root);
    let (low, high) = (_mm512_set1_ps(SMALL.0), _mm512_set1_ps(LARGE.0));
    let inside = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(x, low) & _mm512_cmp_ps_mask::<_CMP_LT_OQ>(x, high);
    if inside == u16::MAX { root } else { _mm512_mask_mov_ps(outside(x, inside), inside, root) }
}

/// Roots of what is not inside the bounds, which mostly is zero.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
fn outside(x: __m512, inside: __mmask16) -> __m512 {
    let is_finite = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(x, _mm512_set1_ps(f32::INFINITY));
    if _mm512_cmp_ps_mask::<_CMP_GT_OQ>(x, _mm512_setzero_ps()) & is_finite & !inside == 0 {
        return _mm512_sqrt_ps(x);
    }
    let mut lanes = [0f32; 16];
    // SAFETY: the array has sixteen lanes.
    unsafe { _mm512_storeu_ps(lanes.as_mut_ptr(), x) };
    lanes.iter_mut().for_each(|x| *x = one(*x));
    // SAFETY: as above.
    unsafe { _mm512_loadu_ps(lanes.as_ptr()) }
}

/// Of sixteen float32, correctly rounded, with a step more.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub fn nearest(x: __m512) -> __m512 {
    let half = _mm512_set1_ps(0.5);
    let guess = _mm512_rsqrt14_ps(x);
    let (root, inverse) = (_mm512_mul_ps(x, guess), _mm512_mul_ps(half, guess));
    let miss = _mm512_fnmadd_ps(inverse, root, half);
    let (root, inverse) = (_mm512_fmadd_ps(root, miss, root), _mm512_fmadd_ps(inverse, miss, inverse));
    let root = _mm512_fmadd_ps(_mm512_fnmadd_ps(root, root, x), inverse, root);
    let (low, high) = (_mm512_set1_ps(SMALL.0), _mm512_set1_ps(LARGE.0));
    let inside = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(x, low) & _mm512_cmp_ps_mask::<_CMP_LT_OQ>(x, high);
    if inside == u16::MAX { root } else { _mm512_sqrt_ps(x) }
}

/// Of eight float64.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub fn eight(x: __m512d) -> __m512d {
    let half = _mm512_set1_pd(0.5);
    let guess = _mm512_rsqrt14_pd(x);
    let (root, inverse) = (_mm512_mul_pd(x, guess), _mm512_mul_pd(half, guess));
    let miss = _mm512_fnmadd_pd(inverse, root, half);
    let (root, inverse) = (_mm512_fmadd_pd(root, miss, root), _mm512_fmadd_pd(inverse, miss, inverse));
    let root = _mm512_fmadd_pd(_mm512_fnmadd_pd(root, root, x), inverse, root);
    let (low, high) = (_mm512_set1_pd(SMALL_DOUBLE.0), _mm512_set1_pd(LARGE_DOUBLE.0));
    let inside = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(x, low) & _mm512_cmp_pd_mask::<_CMP_LT_OQ>(x, high);
    if inside == u8::MAX { root } else { _mm512_mask_mov_pd(outside_double(x, inside), inside, root) }
}

/// Roots of what is not inside the bounds, which mostly is zero.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
fn outside_double(x: __m512d, inside: __mmask8) -> __m512d {
    let is_finite = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(x, _mm512_set1_pd(f64::INFINITY));
    if _mm512_cmp_pd_mask::<_CMP_GT_OQ>(x, _mm512_setzero_pd()) & is_finite & !inside == 0 {
        return _mm512_sqrt_pd(x);
    }
    let mut lanes = [0f64; 8];
    // SAFETY: the array has eight lanes.
    unsafe { _mm512_storeu_pd(lanes.as_mut_ptr(), x) };
    lanes.iter_mut().for_each(|x| *x = one_double(*x));
    // SAFETY: as above.
    unsafe { _mm512_loadu_pd(lanes.as_ptr()) }
}
