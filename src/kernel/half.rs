//! 16-bit floats by the instructions that x86 has for them.

use super::element::{Element, Half};
use super::isa::Versions;
use super::manner::{Binary, Ternary, Unary};
use super::scalar::{Block, BlockFn, MAX_ARGS};
use crate::dtype::DType;
use std::marker::PhantomData;

/// True for float16 and bfloat16.
pub fn is_small(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

/// True when the loops over elements of 16 bits may be called.
pub fn has_loops() -> bool {
    cfg!(target_arch = "x86_64") && super::isa::has_avx2()
}

/// Loops over elements of float16 and of bfloat16 as they lie in memory, in one pass. They ask for AVX2: see [`has_loops`].
pub type Pair = [Option<Block>; 2];

/// The loops of a function of one lane.
pub const fn unary<F: Unary<Lane = f32>>() -> Pair {
    pair::<One<F>>()
}

/// The loops of a function of two lanes, which gives a lane or a truth value.
pub const fn binary<F: Binary<Lane = f32, Out: Stored>>() -> Pair {
    pair::<Two<F>>()
}

/// The loops of a function of three lanes.
pub const fn ternary<F: Ternary<Lane = f32>>() -> Pair {
    pair::<Three<F>>()
}

/// A function of lanes, whatever their number.
trait Lanes {
    /// How many there are.
    const COUNT: usize;
    /// Its result.
    type Out: Stored;
    /// The function.
    fn one(args: [f32; 3]) -> Self::Out;
}

struct One<F>(PhantomData<F>);
struct Two<F>(PhantomData<F>);
struct Three<F>(PhantomData<F>);

impl<F: Unary<Lane = f32>> Lanes for One<F> {
    const COUNT: usize = 1;
    type Out = f32;
    #[inline(always)]
    fn one([a, ..]: [f32; 3]) -> f32 {
        F::one(a)
    }
}

impl<F: Binary<Lane = f32, Out: Stored>> Lanes for Two<F> {
    const COUNT: usize = 2;
    type Out = F::Out;
    #[inline(always)]
    fn one([a, b, _]: [f32; 3]) -> F::Out {
        F::one(a, b)
    }
}

impl<F: Ternary<Lane = f32>> Lanes for Three<F> {
    const COUNT: usize = 3;
    type Out = f32;
    #[inline(always)]
    fn one([a, b, c]: [f32; 3]) -> f32 {
        F::one(a, b, c)
    }
}

/// What a result lane becomes in memory: an element of 16 bits, or the byte of a truth value.
pub trait Stored: Copy + Default {
    /// Bytes of an element.
    const SIZE: usize;
    /// Whether it is the lane that is rounded.
    const ROUNDED: bool;
}

impl Stored for f32 {
    const SIZE: usize = 2;
    const ROUNDED: bool = true;
}

impl Stored for u8 {
    const SIZE: usize = 1;
    const ROUNDED: bool = false;
}

#[cfg(target_arch = "x86_64")]
const fn pair<F: Lanes>() -> Pair {
    let halves = Block::plain([x86::half::<F>, x86::half::<F>, x86::half_16::<F>]);
    [Some(halves), Some(Block::plain([x86::brain::<F>, x86::brain::<F>, x86::brain_16::<F>]))]
}

#[cfg(not(target_arch = "x86_64"))]
const fn pair<F: Lanes>() -> Pair {
    [None; 2]
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
    use super::{Args, Lanes, Stored};
    use std::arch::asm;
    use std::arch::x86_64::*;

    /// Declares loops over float16 and bfloat16 that take `$step` elements of each argument at a time, each widened to float32 and
    /// rounded back.
    macro_rules! loops {
        ($features:literal, $step:literal, $single:ident, $short:ident: $half:ident, $brain:ident, $walk:ident,
            $to_single:ident, $to_half:ident, $widen_brains:ident, $narrow_brains:ident,
            $load:ident, $store:ident, $load_half:ident, $store_half:ident) => {
            /// Over float16.
            #[target_feature(enable = $features)]
            pub unsafe fn $half<F: Lanes>(n: usize, out: *mut u8, args: &Args) {
                // SAFETY: the caller's promise.
                unsafe { $walk::<F>(n, out, args, |x| $to_single(x), |x| $to_half::<_MM_FROUND_TO_NEAREST_INT>(x)) }
            }

            /// Over bfloat16.
            #[target_feature(enable = $features)]
            pub unsafe fn $brain<F: Lanes>(n: usize, out: *mut u8, args: &Args) {
                // SAFETY: the caller's promise.
                unsafe { $walk::<F>(n, out, args, |x| $widen_brains(x), |x| $narrow_brains(x)) }
            }

            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn $walk<F: Lanes>(
                n: usize,
                out: *mut u8,
                args: &Args,
                widen: impl Fn($short) -> $single,
                narrow: impl Fn($single) -> $short,
            ) {
                let whole = n / $step * $step;
                let step = |args: [*const u16; 3], out: *mut u8| {
                    // SAFETY: as many elements as a step takes lie behind each argument, with room for as many results.
                    unsafe {
                        let mut lanes = [[0f32; $step]; 3];
                        for k in 0..F::COUNT {
                            $store(lanes[k].as_mut_ptr(), widen($load_half(args[k] as *const _)));
                        }
                        let mut results = [F::Out::default(); $step];
                        for j in 0..$step {
                            results[j] = F::one([lanes[0][j], lanes[1][j], lanes[2][j]]);
                        }
                        if F::Out::ROUNDED {
                            $store_half(out as *mut _, narrow($load(results.as_ptr() as *const f32)));
                        } else {
                            out.copy_from_nonoverlapping(results.as_ptr() as *const u8, $step * F::Out::SIZE);
                        }
                    }
                };
                // SAFETY: the caller promises n elements of each argument, and room for as many results.
                unsafe {
                    let from = |i: usize| {
                        [0, 1, 2].map(|k| if k < F::COUNT { (args[k] as *const u16).add(i) } else { std::ptr::null() })
                    };
                    for i in (0..whole).step_by($step) {
                        step(from(i), out.add(i * F::Out::SIZE));
                    }
                    let (mut rest, mut results) = ([[0u16; $step]; 3], [0u16; $step]);
                    for (rest, from) in rest.iter_mut().zip(from(whole)).take(F::COUNT) {
                        rest.as_mut_ptr().copy_from_nonoverlapping(from, n - whole);
                    }
                    step([0, 1, 2].map(|k| rest[k].as_ptr()), results.as_mut_ptr() as *mut u8);
                    let (left, size) = (n - whole, F::Out::SIZE);
                    out.add(whole * size).copy_from_nonoverlapping(results.as_ptr() as *const u8, left * size);
                }
            }
        };
    }

    loops! { "avx2,fma,f16c", 8, __m256, __m128i: half, brain, walk,
    widen_halves, _mm256_cvtps_ph, widen_brains, narrow_brains,
    _mm256_loadu_ps, _mm256_storeu_ps, _mm_loadu_si128, _mm_storeu_si128 }
    loops! { "avx512f,avx512bw,avx512dq,avx512vl", 16, __m512, __m256i: half_16, brain_16, walk_16,
    _mm512_cvtph_ps, _mm512_cvtps_ph, widen_brains_16, narrow_brains_16,
    _mm512_loadu_ps, _mm512_storeu_ps, _mm256_loadu_si256, _mm256_storeu_si256 }

    /// The intrinsic tells the compiler what it does, which then compares halves in place of lanes: one at a time, by way of lanes.
    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    fn widen_halves(x: __m128i) -> __m256 {
        let lanes: __m256;
        // SAFETY: one instruction from register to register, of those that the function asks for.
        unsafe {
            asm!("vcvtph2ps {to}, {from}", from = in(xmm_reg) x, to = lateout(ymm_reg) lanes, options(pure, nomem, nostack, preserves_flags));
        }
        lanes
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn widen_brains(x: __m128i) -> __m256 {
        _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(x)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn narrow_brains(x: __m256) -> __m128i {
        let bits = _mm256_castps_si256(x);
        let odd = _mm256_and_si256(_mm256_srli_epi32::<16>(bits), _mm256_set1_epi32(1));
        let rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
        let is_nan = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(x, x));
        let value = _mm256_blendv_epi8(_mm256_srli_epi32::<16>(rounded), _mm256_set1_epi32(0x7fc0), is_nan);
        _mm_packus_epi32(_mm256_castsi256_si128(value), _mm256_extracti128_si256::<1>(value))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn widen_brains_16(x: __m256i) -> __m512 {
        _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(x)))
    }

    /// The instruction for this takes subnormal numbers for zero.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn narrow_brains_16(x: __m512) -> __m256i {
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
