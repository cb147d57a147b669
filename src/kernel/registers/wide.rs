//! Floats in vectors of 64 bytes.
//!
//! Every function asks for AVX-512.

use num_traits::Float;
use std::arch::x86_64::*;

/// A float type whose vectors of 64 bytes are worked on as one.
pub trait Wide: Float + Send + Sync + 'static {
    /// A vector.
    type Vector: Copy;
    /// Elements of a vector.
    const WIDTH: usize;
    /// All zero.
    unsafe fn nothing() -> Self::Vector;
    /// The elements at `from` whose bits are set in `mask`, and zero for the others, which are not touched.
    unsafe fn load(mask: u16, from: *const Self) -> Self::Vector;
    /// Writes the elements whose bits are set.
    unsafe fn store(to: *mut Self, mask: u16, x: Self::Vector);
    /// One element everywhere.
    unsafe fn same(x: Self) -> Self::Vector;
    /// Element `k` everywhere.
    unsafe fn element(x: Self::Vector, k: usize) -> Self::Vector;
    /// `c + a * b`, rounded once.
    unsafe fn plus_product(c: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `c - a * b`, rounded once.
    unsafe fn less_product(c: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `c - a * b` in the elements whose bits are set, `c` in the others.
    unsafe fn less_product_some(mask: u16, c: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a * b` in the elements whose bits are set, `a` in the others.
    unsafe fn times_some(mask: u16, a: Self::Vector, b: Self::Vector) -> Self::Vector;
}

macro_rules! wide {
    ($t:ty, $vector:ty, $mask:ty, $indices:ident, $width:literal: $zero:ident $load:ident $store:ident $same:ident $permute:ident $add:ident $sub:ident $sub_some:ident $mul_some:ident) => {
        impl Wide for $t {
            type Vector = $vector;
            const WIDTH: usize = $width;
            #[inline]
            #[target_feature(enable = "avx512f")]
            unsafe fn nothing() -> $vector {
                $zero()
            }
            #[inline]
            #[target_feature(enable = "avx512f")]
            unsafe fn load(mask: u16, from: *const $t) -> $vector {
                // SAFETY: the caller promises the elements.
                unsafe { $load(mask as $mask, from) }
            }
            #[inline]
            #[target_feature(enable = "avx512f")]
            unsafe fn store(to: *mut $t, mask: u16, x: $vector) {
                // SAFETY: the caller promises room for the elements.
                unsafe { $store(to, mask as $mask, x) }
            }
            #[inline]
            #[target_feature(enable = "avx512f")]
            unsafe fn same(x: $t) -> $vector {
                $same(x)
            }
            #[inline]
            #[target_feature(enable = "avx512f")]
            unsafe fn element(x: $vector, k: usize) -> $vector {
                $permute($indices(k as _), x)
            }
            #[inline]
            #[target_feature(enable = "avx512f")]
            unsafe fn plus_product(c: $vector, a: $vector, b: $vector) -> $vector {
                $add(a, b, c)
            }
            #[inline]
            #[target_feature(enable = "avx512f")]
            unsafe fn less_product(c: $vector, a: $vector, b: $vector) -> $vector {
                $sub(a, b, c)
            }
            #[inline]
            #[target_feature(enable = "avx512f")]
            unsafe fn less_product_some(mask: u16, c: $vector, a: $vector, b: $vector) -> $vector {
                $sub_some(a, b, c, mask as $mask)
            }
            #[inline]
            #[target_feature(enable = "avx512f")]
            unsafe fn times_some(mask: u16, a: $vector, b: $vector) -> $vector {
                $mul_some(a, mask as $mask, a, b)
            }
        }
    };
}

wide! { f32, __m512, __mmask16, _mm512_set1_epi32, 16: _mm512_setzero_ps _mm512_maskz_loadu_ps _mm512_mask_storeu_ps _mm512_set1_ps _mm512_permutexvar_ps _mm512_fmadd_ps _mm512_fnmadd_ps _mm512_mask3_fnmadd_ps _mm512_mask_mul_ps }
wide! { f64, __m512d, __mmask8, _mm512_set1_epi64, 8: _mm512_setzero_pd _mm512_maskz_loadu_pd _mm512_mask_storeu_pd _mm512_set1_pd _mm512_permutexvar_pd _mm512_fmadd_pd _mm512_fnmadd_pd _mm512_mask3_fnmadd_pd _mm512_mask_mul_pd }
