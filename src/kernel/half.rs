//! float16 by the instructions that x86 has for it.

use super::element::{Element, Half};
use super::isa::Versions;
use super::scalar::{BlockFn, MAX_ARGS};

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
