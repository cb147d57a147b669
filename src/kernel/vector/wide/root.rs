//! Square roots. On Intel's processors with AVX-512 they are in the steps of PyTorch's library and thus have its bits: a guess that is
//! right to 14 bits, and what is missing divided by it; about one root of a hundred is the neighbour below the nearest number.
//! On other processors those of float32 come from a guess of 12 bits and one step more, each operation of which is rounded: one of six
//! is a neighbour of the nearest number. Those of float64 are the nearest numbers there, as the processor gives them.

use std::arch::x86_64::*;

/// Between these numbers, what is missing has all its bits. Outside, a number is multiplied by the square of a power of two first,
/// and its root divided by that power: `(bound, power)`.
const SMALL: (f32, f32) = (1e-25, (1u64 << 40) as f32);
const LARGE: (f32, f32) = (1e37, 1.0 / 1024.0);
const SMALL_DOUBLE: (f64, f64) = (1e-280, (1u128 << 100) as f64);
const LARGE_DOUBLE: (f64, f64) = (1e300, 1.0 / (1u64 << 30) as f64);

/// Roots of one float type: the steps inside the bounds, and what lies outside them.
macro_rules! roots {
    ($name:ident $outside:ident $inside:ident $steps:ident $vector:ident $mask:ident $t:ident $small:ident $large:ident
     $set:ident $mul:ident $div:ident $sqrt:ident $cmp:ident $mov:ident) => {
        #[inline]
        #[target_feature(enable = "avx512f")]
        fn $inside(x: $vector) -> $mask {
            $cmp::<_CMP_GT_OQ>(x, $set($small.0)) & $cmp::<_CMP_LT_OQ>(x, $set($large.0))
        }

        /// Of a vector.
        #[inline]
        #[target_feature(enable = "avx512f")]
        pub fn $name(x: $vector) -> $vector {
            let (root, inside) = ($steps(x), $inside(x));
            if inside == $mask::MAX { root } else { $mov($outside(x), inside, root) }
        }

        /// Roots of what is not inside the bounds, which mostly is zero.
        #[inline]
        #[target_feature(enable = "avx512f")]
        fn $outside(x: $vector) -> $vector {
            let is_number = $cmp::<_CMP_GT_OQ>(x, $set(0.0)) & $cmp::<_CMP_LT_OQ>(x, $set($t::INFINITY));
            let power = $mov($set(1.0), $cmp::<_CMP_LE_OQ>(x, $set($small.0)), $set($small.1));
            let power = $mov(power, $cmp::<_CMP_GE_OQ>(x, $set($large.0)), $set($large.1));
            let root = $div($steps($mul(x, $mul(power, power))), power);
            $mov($sqrt(x), is_number, root)
        }
    };
}

roots! {
    sixteen outside inside steps __m512 __mmask16 f32 SMALL LARGE
    _mm512_set1_ps _mm512_mul_ps _mm512_div_ps _mm512_sqrt_ps _mm512_cmp_ps_mask _mm512_mask_mov_ps
}
roots! {
    eight outside_double inside_double steps_double __m512d __mmask8 f64 SMALL_DOUBLE LARGE_DOUBLE
    _mm512_set1_pd _mm512_mul_pd _mm512_div_pd _mm512_sqrt_pd _mm512_cmp_pd_mask _mm512_mask_mov_pd
}

/// Of float32 inside the bounds.
#[inline]
#[target_feature(enable = "avx512f")]
fn steps(x: __m512) -> __m512 {
    let guess = _mm512_rsqrt14_ps(x);
    let (root, half_inverse) = (_mm512_mul_ps(x, guess), _mm512_mul_ps(_mm512_set1_ps(0.5), guess));
    _mm512_fmadd_ps(_mm512_fnmadd_ps(root, root, x), half_inverse, root)
}

/// Of float64 inside the bounds, with a step more.
#[inline]
#[target_feature(enable = "avx512f")]
fn steps_double(x: __m512d) -> __m512d {
    let half = _mm512_set1_pd(0.5);
    let guess = _mm512_rsqrt14_pd(x);
    let (root, inverse) = (_mm512_mul_pd(x, guess), _mm512_mul_pd(half, guess));
    let miss = _mm512_fnmadd_pd(inverse, root, half);
    let (root, inverse) = (_mm512_fmadd_pd(root, miss, root), _mm512_fmadd_pd(inverse, miss, inverse));
    _mm512_fmadd_pd(_mm512_fnmadd_pd(root, root, x), inverse, root)
}

/// Of sixteen float32, correctly rounded, with a step more.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn nearest(x: __m512) -> __m512 {
    let half = _mm512_set1_ps(0.5);
    let guess = _mm512_rsqrt14_ps(x);
    let (root, inverse) = (_mm512_mul_ps(x, guess), _mm512_mul_ps(half, guess));
    let miss = _mm512_fnmadd_ps(inverse, root, half);
    let (root, inverse) = (_mm512_fmadd_ps(root, miss, root), _mm512_fmadd_ps(inverse, miss, inverse));
    let root = _mm512_fmadd_ps(_mm512_fnmadd_ps(root, root, x), inverse, root);
    if inside(x) == u16::MAX { root } else { _mm512_sqrt_ps(x) }
}

/// Of eight float32, as on AMD's processors.
#[inline]
#[target_feature(enable = "avx2")]
pub fn guessed(x: __m256) -> __m256 {
    let half = _mm256_set1_ps(0.5);
    let guess = _mm256_rsqrt_ps(x);
    let (root, inverse) = (_mm256_mul_ps(x, guess), _mm256_mul_ps(half, guess));
    let miss = _mm256_sub_ps(half, _mm256_mul_ps(root, inverse));
    let (root, inverse) = (_mm256_add_ps(root, _mm256_mul_ps(root, miss)), _mm256_add_ps(inverse, _mm256_mul_ps(inverse, miss)));
    let left = _mm256_sub_ps(x, _mm256_mul_ps(root, root));
    let root = _mm256_add_ps(root, _mm256_mul_ps(left, inverse));
    let is_normal = _mm256_and_ps(
        _mm256_cmp_ps::<_CMP_GE_OQ>(x, _mm256_set1_ps(f32::MIN_POSITIVE)),
        _mm256_cmp_ps::<_CMP_LT_OQ>(x, _mm256_set1_ps(f32::INFINITY)),
    );
    _mm256_blendv_ps(_mm256_sqrt_ps(x), root, is_normal)
}
