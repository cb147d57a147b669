//! float16 by the instructions that x86 has for it.

use super::element::{Element, Half};
use super::isa::Versions;
use super::scalar::{BlockFn, MAX_ARGS};

type Args = [*const u8; MAX_ARGS];

/// Elements to lanes.
#[cfg(target_arch = "x86_64")]
pub const WIDEN: Versions<BlockFn> = [widen, x86::widen, x86::widen];
/// Lanes to elements, rounded to nearest even.
#[cfg(target_arch = "x86_64")]
pub const NARROW: Versions<BlockFn> = [narrow, x86::narrow, x86::narrow];
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

    /// Converted at once.
    const STEP: usize = 8;

    #[target_feature(enable = "avx2,fma,f16c")]
    pub unsafe fn widen(n: usize, out: *mut u8, args: &Args) {
        let whole = n / STEP * STEP;
        for i in (0..whole).step_by(STEP) {
            // SAFETY: the caller promises n elements and room for n lanes.
            unsafe {
                let from = _mm_loadu_si128((args[0] as *const u16).add(i) as *const __m128i);
                _mm256_storeu_ps((out as *mut f32).add(i), _mm256_cvtph_ps(from));
            }
        }
        // SAFETY: as above; the rest.
        unsafe { super::widen(n - whole, out.add(whole * 4), &args.map(|a| a.wrapping_add(whole * 2))) }
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    pub unsafe fn narrow(n: usize, out: *mut u8, args: &Args) {
        let whole = n / STEP * STEP;
        for i in (0..whole).step_by(STEP) {
            // SAFETY: the caller promises n lanes and room for n elements.
            unsafe {
                let from = _mm256_loadu_ps((args[0] as *const f32).add(i));
                let to = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(from);
                _mm_storeu_si128((out as *mut u16).add(i) as *mut __m128i, to);
            }
        }
        // SAFETY: as above; the rest.
        unsafe { super::narrow(n - whole, out.add(whole * 2), &args.map(|a| a.wrapping_add(whole * 4))) }
    }
}
