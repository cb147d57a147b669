//! 16-bit floats by the instructions that x86 has for them.

use super::element::{Element, Half};
use super::isa::Versions;
use super::scalar::{Block, BlockFn, MAX_ARGS};
use crate::dtype::DType;

/// True for float16 and bfloat16.
pub fn is_small(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

/// True when the loops over elements of 16 bits may be called.
pub fn has_loops() -> bool {
    cfg!(target_arch = "x86_64") && super::isa::has_avx512()
}

/// Loops over elements of float16 and of bfloat16 as they lie in memory, in one pass. They ask for AVX-512: see [`has_loops`].
pub type Pair = [Option<Block>; 2];

/// Declares loops for functions of two arguments by their instruction.
macro_rules! pairs {
    ($($(#[$doc:meta])* $name:ident: $op:ident;)*) => { $(
        $(#[$doc])*
        #[cfg(target_arch = "x86_64")]
        pub const $name: Pair = {
            #[target_feature(enable = "avx512f")]
            unsafe fn half(n: usize, out: *mut u8, args: &Args) {
                // SAFETY: the caller's promise.
                unsafe { x86::both(n, out, args, |x| x86::widen_halves(x), |a, b| std::arch::x86_64::$op(a, b), |x| x86::narrow_halves(x)) }
            }
            #[target_feature(enable = "avx512f")]
            unsafe fn brain(n: usize, out: *mut u8, args: &Args) {
                // SAFETY: the caller's promise.
                unsafe { x86::both(n, out, args, |x| x86::widen_brains(x), |a, b| std::arch::x86_64::$op(a, b), |x| x86::narrow_brains(x)) }
            }
            [Some(Block::plain([half; 3])), Some(Block::plain([brain; 3]))]
        };
        $(#[$doc])*
        #[cfg(not(target_arch = "x86_64"))]
        pub const $name: Pair = [None; 2];
    )* };
}

pairs! {
    /// Sums.
    ADD: _mm512_add_ps;
    /// Differences.
    SUB: _mm512_sub_ps;
    /// Products.
    MUL: _mm512_mul_ps;
    /// Quotients.
    DIV: _mm512_div_ps;
}

type Args = [*const u8; MAX_ARGS];

/// Elements to lanes.
#[cfg(target_arch = "x86_64")]
pub const WIDEN: Versions<BlockFn> = [widen, x86::widen, x86::widen_16];
/// Lanes to elements, rounded to nearest even.
#[cfg(target_arch = "x86_64")]
pub const NARROW: Versions<BlockFn> = [narrow, x86::narrow, x86::narrow_16];
/// Elements to lanes.
#[cfg(not(target_arch = "x86_64"))]
pub const WIDEN: Versions<BlockFn> = [widen; 3];
/// Lanes to elements, rounded to nearest even.
#[cfg(not(target_arch = "x86_64"))]
pub const NARROW: Versions<BlockFn> = [narrow; 3];

unsafe fn widen(n: usize, out: *mut u8, args: &Args) {
    for i in 0..n {
        // SAFETY: the caller promises n elements and room for n lanes.
        unsafe { *(out as *mut f32).add(i) = (*(args[0] as *const Half).add(i)).widen() };
    }
}

unsafe fn narrow(n: usize, out: *mut u8, args: &Args) {
    for i in 0..n {
        // SAFETY: the caller promises n lanes and room for n elements.
        unsafe { *(out as *mut Half).add(i) = Half::narrow(*(args[0] as *const f32).add(i)) };
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Args;
    use std::arch::x86_64::*;

    /// Results of 16 elements of both arguments at a time, each widened to float32 and rounded back.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub unsafe fn both(
        n: usize,
        out: *mut u8,
        args: &Args,
        widen: impl Fn(__m256i) -> __m512,
        combine: impl Fn(__m512, __m512) -> __m512,
        narrow: impl Fn(__m512) -> __m256i,
    ) {
        let (out, [a, b]) = (out as *mut u16, [args[0] as *const u16, args[1] as *const u16]);
        let whole = n / 16 * 16;
        // SAFETY: the caller promises n elements of each argument, and room for as many results.
        unsafe {
            let load = |at: *const u16| widen(_mm256_loadu_si256(at as *const _));
            for i in (0..whole).step_by(16) {
                _mm256_storeu_si256(out.add(i) as *mut _, narrow(combine(load(a.add(i)), load(b.add(i)))));
            }
            let (mut rest, mut results) = ([[0u16; 16]; 2], [0u16; 16]);
            rest[0].as_mut_ptr().copy_from_nonoverlapping(a.add(whole), n - whole);
            rest[1].as_mut_ptr().copy_from_nonoverlapping(b.add(whole), n - whole);
            _mm256_storeu_si256(results.as_mut_ptr() as *mut _, narrow(combine(load(rest[0].as_ptr()), load(rest[1].as_ptr()))));
            out.add(whole).copy_from_nonoverlapping(results.as_ptr(), n - whole);
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn widen_halves(x: __m256i) -> __m512 {
        _mm512_cvtph_ps(x)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn narrow_halves(x: __m512) -> __m256i {
        _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(x)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn widen_brains(x: __m256i) -> __m512 {
        _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(x)))
    }

    /// The instruction for this takes subnormal numbers for zero.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn narrow_brains(x: __m512) -> __m256i {
        let bits = _mm512_castps_si512(x);
        let odd = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
        let rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
        let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
        let value = _mm512_mask_mov_epi32(_mm512_srli_epi32::<16>(rounded), is_nan, _mm512_set1_epi32(0x7fc0));
        _mm512_cvtepi32_epi16(value)
    }

    /// Declares both ways for vectors of `$step` float32.
    macro_rules! conversions {
        ($features:literal, $step:literal: $widen:ident, $narrow:ident, $load:ident, $store:ident, $to_single:ident, $to_half:ident,
            $load_half:ident, $store_half:ident) => {
            #[target_feature(enable = $features)]
            pub unsafe fn $widen(n: usize, out: *mut u8, args: &Args) {
                let whole = n / $step * $step;
                for i in (0..whole).step_by($step) {
                    // SAFETY: the caller promises n elements and room for n lanes.
                    unsafe {
                        let from = $load_half((args[0] as *const u16).add(i) as *const _);
                        $store((out as *mut f32).add(i), $to_single(from));
                    }
                }
                // SAFETY: as above; the rest.
                unsafe { super::widen(n - whole, out.add(whole * 4), &args.map(|a| a.wrapping_add(whole * 2))) }
            }

            #[target_feature(enable = $features)]
            pub unsafe fn $narrow(n: usize, out: *mut u8, args: &Args) {
                let whole = n / $step * $step;
                for i in (0..whole).step_by($step) {
                    // SAFETY: the caller promises n lanes and room for n elements.
                    unsafe {
                        let to = $to_half::<_MM_FROUND_TO_NEAREST_INT>($load((args[0] as *const f32).add(i)));
                        $store_half((out as *mut u16).add(i) as *mut _, to);
                    }
                }
                // SAFETY: as above; the rest.
                unsafe { super::narrow(n - whole, out.add(whole * 2), &args.map(|a| a.wrapping_add(whole * 4))) }
            }
        };
    }

    conversions! { "avx2,fma,f16c", 8: widen, narrow, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_cvtph_ps, _mm256_cvtps_ph,
    _mm_loadu_si128, _mm_storeu_si128 }
    conversions! { "avx512f", 16: widen_16, narrow_16, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_cvtph_ps, _mm512_cvtps_ph,
    _mm256_loadu_si256, _mm256_storeu_si256 }
}
