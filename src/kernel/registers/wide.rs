//! Floats in vectors of 64 bytes with AVX-512, or of 32 bytes with AVX2.

use super::System;
use super::product::{Strip, tile};
use num_traits::Float;
use std::arch::x86_64::*;
use std::marker::PhantomData;

/// Vectors of a processor that has AVX-512, of floats of a type.
#[derive(Clone, Copy, Debug)]
pub struct Avx512<T>(PhantomData<T>);

/// The same for AVX2 and products that are added before they are rounded.
#[derive(Clone, Copy, Debug)]
pub struct Avx2<T>(PhantomData<T>);

/// Floats that are worked on a vector at a time. Every function asks for the instructions of the type.
///
/// Bits of a mask stand for elements, the first for the lowest; those beyond a vector are not looked at, and all of them are set
/// where every element is meant.
pub(super) trait Wide: 'static {
    /// Its elements.
    type Float: Float + Send + Sync;
    /// A vector.
    type Vector: Copy;
    /// Elements of a vector.
    const WIDTH: usize;
    /// Vectors of columns of a result that are summed at a time, with six rows of it: as the registers allow.
    const VECTORS: usize;
    /// All zero.
    unsafe fn nothing() -> Self::Vector;
    /// The elements at `from` whose bits are set in `mask`, and zero for the others, which are not touched.
    unsafe fn load(mask: u16, from: *const Self::Float) -> Self::Vector;
    /// Writes the elements whose bits are set.
    unsafe fn store(to: *mut Self::Float, mask: u16, x: Self::Vector);
    /// One element everywhere.
    unsafe fn same(x: Self::Float) -> Self::Vector;
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
    /// [`tile`] with these instructions.
    unsafe fn tile<const R: usize, const V: usize, const USE: u8>(strip: &Strip<Self::Float>, first: usize);
    /// [`System::corner`] with these instructions.
    unsafe fn corner<const UPPER: bool, const UNIT: bool>(system: &System<Self::Float>, n: usize);
}

/// The vectors of an instruction set: expressions for each function, in the order of the trait.
macro_rules! wide {
    ($kind:ident<$t:ty>, $features:literal, $vector:ty, $width:literal, $vectors:literal;
        nothing $nothing:expr;
        load($load_mask:ident, $from:ident) $load:expr;
        store($to:ident, $store_mask:ident, $stored:ident) $store:expr;
        same($one:ident) $same:expr;
        element($x:ident, $k:ident) $element:expr;
        products $plus:ident $less:ident;
        less_product_some($less_mask:ident, $c:ident, $a:ident, $b:ident) $less_some:expr;
        times_some($times_mask:ident, $left:ident, $right:ident) $times_some:expr
    ) => {
        impl Wide for $kind<$t> {
            type Float = $t;
            type Vector = $vector;
            const WIDTH: usize = $width;
            const VECTORS: usize = $vectors;
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn nothing() -> $vector {
                $nothing
            }
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn load($load_mask: u16, $from: *const $t) -> $vector {
                // SAFETY: the caller promises the elements.
                unsafe { $load }
            }
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn store($to: *mut $t, $store_mask: u16, $stored: $vector) {
                // SAFETY: the caller promises room for the elements.
                unsafe { $store }
            }
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn same($one: $t) -> $vector {
                $same
            }
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn element($x: $vector, $k: usize) -> $vector {
                $element
            }
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn plus_product(c: $vector, a: $vector, b: $vector) -> $vector {
                $plus(a, b, c)
            }
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn less_product(c: $vector, a: $vector, b: $vector) -> $vector {
                $less(a, b, c)
            }
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn less_product_some($less_mask: u16, $c: $vector, $a: $vector, $b: $vector) -> $vector {
                $less_some
            }
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn times_some($times_mask: u16, $left: $vector, $right: $vector) -> $vector {
                $times_some
            }
            #[target_feature(enable = $features)]
            unsafe fn tile<const R: usize, const V: usize, const USE: u8>(strip: &Strip<$t>, first: usize) {
                // SAFETY: the caller's promise.
                unsafe { tile::<Self, R, V, USE>(strip, first) }
            }
            #[target_feature(enable = $features)]
            unsafe fn corner<const UPPER: bool, const UNIT: bool>(system: &System<$t>, n: usize) {
                // SAFETY: the caller's promise.
                unsafe { system.corner::<Self, UPPER, UNIT>(n) }
            }
        }
    };
}

wide! { Avx512<f32>, "avx512f", __m512, 16, 4;
    nothing _mm512_setzero_ps();
    load(mask, from) _mm512_maskz_loadu_ps(mask, from);
    store(to, mask, x) _mm512_mask_storeu_ps(to, mask, x);
    same(x) _mm512_set1_ps(x);
    element(x, k) _mm512_permutexvar_ps(_mm512_set1_epi32(k as i32), x);
    products _mm512_fmadd_ps _mm512_fnmadd_ps;
    less_product_some(mask, c, a, b) _mm512_mask3_fnmadd_ps(a, b, c, mask);
    times_some(mask, a, b) _mm512_mask_mul_ps(a, mask, a, b)
}

wide! { Avx512<f64>, "avx512f", __m512d, 8, 4;
    nothing _mm512_setzero_pd();
    load(mask, from) _mm512_maskz_loadu_pd(mask as u8, from);
    store(to, mask, x) _mm512_mask_storeu_pd(to, mask as u8, x);
    same(x) _mm512_set1_pd(x);
    element(x, k) _mm512_permutexvar_pd(_mm512_set1_epi64(k as i64), x);
    products _mm512_fmadd_pd _mm512_fnmadd_pd;
    less_product_some(mask, c, a, b) _mm512_mask3_fnmadd_pd(a, b, c, mask as u8);
    times_some(mask, a, b) _mm512_mask_mul_pd(a, mask as u8, a, b)
}

/// The elements whose bits are set, as AVX2 asks for them.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn eight(mask: u16) -> __m256i {
    let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(mask as i32), bits), bits)
}

/// The same for elements twice as long.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn four(mask: u16) -> __m256i {
    let bits = _mm256_setr_epi64x(1, 2, 4, 8);
    _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(mask as i64), bits), bits)
}

wide! { Avx2<f32>, "avx2,fma", __m256, 8, 2;
    nothing _mm256_setzero_ps();
    load(mask, from) if mask == u16::MAX { _mm256_loadu_ps(from) } else { _mm256_maskload_ps(from, eight(mask)) };
    store(to, mask, x) if mask == u16::MAX { _mm256_storeu_ps(to, x) } else { _mm256_maskstore_ps(to, eight(mask), x) };
    same(x) _mm256_set1_ps(x);
    element(x, k) _mm256_permutevar8x32_ps(x, _mm256_set1_epi32(k as i32));
    products _mm256_fmadd_ps _mm256_fnmadd_ps;
    less_product_some(mask, c, a, b) _mm256_blendv_ps(c, _mm256_fnmadd_ps(a, b, c), _mm256_castsi256_ps(eight(mask)));
    times_some(mask, a, b) _mm256_blendv_ps(a, _mm256_mul_ps(a, b), _mm256_castsi256_ps(eight(mask)))
}

wide! { Avx2<f64>, "avx2,fma", __m256d, 4, 2;
    nothing _mm256_setzero_pd();
    load(mask, from) if mask == u16::MAX { _mm256_loadu_pd(from) } else { _mm256_maskload_pd(from, four(mask)) };
    store(to, mask, x) if mask == u16::MAX { _mm256_storeu_pd(to, x) } else { _mm256_maskstore_pd(to, four(mask), x) };
    same(x) _mm256_set1_pd(x);
    element(x, k) {
        let halves = _mm256_setr_epi32(0, 1, 0, 1, 0, 1, 0, 1);
        let places = _mm256_add_epi32(_mm256_set1_epi32(2 * k as i32), halves);
        _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(x), places))
    };
    products _mm256_fmadd_pd _mm256_fnmadd_pd;
    less_product_some(mask, c, a, b) _mm256_blendv_pd(c, _mm256_fnmadd_pd(a, b, c), _mm256_castsi256_pd(four(mask)));
    times_some(mask, a, b) _mm256_blendv_pd(a, _mm256_mul_pd(a, b), _mm256_castsi256_pd(four(mask)))
}
