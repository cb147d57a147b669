//! Square roots, correctly rounded: the processor's own instruction gives them, but for many numbers at once a guess and steps
//! that halve its error take less time.

use std::arch::x86_64::*;

/// Outside of this range the steps would leave the range of normal numbers.
const RANGE: [f32; 2] = [1e-25, 1e37];
const RANGE_DOUBLE: [f64; 2] = [1e-280, 1e300];

/// Of sixteen float32. From the root and its half inverse, which are right to 14 bits, to 24 bits, and then the last rounding of what is
/// missing.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn sixteen(x: __m512) -> __m512 {
    let half = _mm512_set1_ps(0.5);
    let guess = _mm512_rsqrt14_ps(x);
    let (root, inverse) = (_mm512_mul_ps(x, guess), _mm512_mul_ps(half, guess));
    let miss = _mm512_fnmadd_ps(inverse, root, half);
    let (root, inverse) = (_mm512_fmadd_ps(root, miss, root), _mm512_fmadd_ps(inverse, miss, inverse));
    let root = _mm512_fmadd_ps(_mm512_fnmadd_ps(root, root, x), inverse, root);
    let (low, high) = (_mm512_set1_ps(RANGE[0]), _mm512_set1_ps(RANGE[1]));
    let inside = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(x, low) & _mm512_cmp_ps_mask::<_CMP_LT_OQ>(x, high);
    if inside == u16::MAX { root } else { _mm512_sqrt_ps(x) }
}

/// Of eight float64, with a step more.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn eight(x: __m512d) -> __m512d {
    let half = _mm512_set1_pd(0.5);
    let guess = _mm512_rsqrt14_pd(x);
    let (root, inverse) = (_mm512_mul_pd(x, guess), _mm512_mul_pd(half, guess));
    let miss = _mm512_fnmadd_pd(inverse, root, half);
    let (root, inverse) = (_mm512_fmadd_pd(root, miss, root), _mm512_fmadd_pd(inverse, miss, inverse));
    let miss = _mm512_fnmadd_pd(inverse, root, half);
    let (root, inverse) = (_mm512_fmadd_pd(root, miss, root), _mm512_fmadd_pd(inverse, miss, inverse));
    let root = _mm512_fmadd_pd(_mm512_fnmadd_pd(root, root, x), inverse, root);
    let (low, high) = (_mm512_set1_pd(RANGE_DOUBLE[0]), _mm512_set1_pd(RANGE_DOUBLE[1]));
    let inside = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(x, low) & _mm512_cmp_pd_mask::<_CMP_LT_OQ>(x, high);
    if inside == u8::MAX { root } else { _mm512_sqrt_pd(x) }
}
