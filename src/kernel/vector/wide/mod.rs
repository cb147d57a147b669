//! Functions by tables that fit into vector registers, where a look-up is one instruction for all lanes, and by the
//! processor's guesses.
//!
//! A compiler makes no such look-ups from a loop, so functions with short tables are written in steps of one number or of eight in a vector
//! of AVX2 (`lanes`), and all once more by hand for AVX-512, with the same bits. Errors, over every 10,007th float32 (and all between 1/4 and 2 of some): `exp` below 0.54 ulp where the
//! result is normal, `tanh`, `log`, `log2` and `log10` below 0.56, `atan` 0.52, `asin` 0.64, `acos` 0.61, `erf` 0.56 above 1e-37 and 0.77
//! below, `erfc` 0.78. Of float64, `exp` and the logarithms are the nearest number to the true one or, in less than one case of a hundred, its
//! neighbour. Roots are those of PyTorch's library for the maker of the processor (`root`), the nearest number or a neighbour.

mod arc;
mod erf;
mod erfc;
mod exp;
mod gelu;
mod lanes;
mod log;
mod log_double;
mod pieces;
#[cfg(target_arch = "x86_64")]
mod root;
mod tanh;
#[cfg(test)]
mod tests;

pub use arc::{acos, asin, atan};
pub use erfc::one as erfc;

use crate::kernel::isa::{Versions, follows_avx512, follows_intel, pick};
use crate::kernel::scalar::{BlockFn, Body, MAX_ARGS, body_versions};
#[cfg(target_arch = "x86_64")]
use lanes::Eight;
use lanes::Lanes;

/// The hyperbolic tangent.
#[inline(always)]
fn tanh(x: f32) -> f32 {
    pieces::one(x, &tanh::TANH)
}

/// The error function.
#[inline(always)]
pub fn erf(x: f32) -> f32 {
    pieces::one(x, &erf::ERF)
}

/// x times the area under the normal density left of x.
#[inline(always)]
fn gelu(x: f32) -> f32 {
    x * 0.5 * (erf(x * std::f32::consts::FRAC_1_SQRT_2) + 1.0)
}

/// The natural logarithm.
#[inline(always)]
fn log<L: Lanes>(x: L) -> L {
    log::of(x, &log::LN)
}

/// The logarithm to base 2.
#[inline(always)]
pub fn log2<L: Lanes>(x: L) -> L {
    log::of(x, &log::TWO)
}

/// The logarithm to base 10.
#[inline(always)]
pub fn log10<L: Lanes>(x: L) -> L {
    log::of(x, &log::TEN)
}

/// The natural logarithm of float64.
#[inline(always)]
pub fn log_double(x: f64) -> f64 {
    log_double::one(x, &log_double::LN)
}

/// The logarithm of float64 to base 2.
#[inline(always)]
pub fn log2_double(x: f64) -> f64 {
    log_double::one(x, &log_double::TWO)
}

/// The logarithm of float64 to base 10.
#[inline(always)]
pub fn log10_double(x: f64) -> f64 {
    log_double::one(x, &log_double::TEN)
}

/// Rows of a loop, its body, its dtype, its function of AVX-512 and that of one number, which after `lanes` is also that of the vectors
/// of AVX2.
macro_rules! loops {
    ($($(#[$doc:meta])* $loop:ident $body:ident $t:ident $name:ident = $($by:ident)? ($one:path);)*) => { $(
        struct $body;

        impl Body for $body {
            #[inline(always)]
            unsafe fn run(n: usize, out: *mut u8, args: &[*const u8; MAX_ARGS]) {
                // SAFETY: the caller of a block function promises n lanes behind both, which do not overlap.
                let (out, from) = unsafe {
                    (std::slice::from_raw_parts_mut(out as *mut $t, n), std::slice::from_raw_parts(args[0] as *const $t, n))
                };
                for i in 0..out.len() {
                    out[i] = $one(from[i]);
                }
            }
        }

        $(#[$doc])*
        pub const $loop: Versions<BlockFn> = {
            let versions = body_versions::<$body>();
            #[cfg(target_arch = "x86_64")]
            let versions = [versions[0], loops!(@avx2 versions, $one, $($by)?), x86::$name as BlockFn];
            versions
        };
    )* };
    (@avx2 $versions:ident, $one:path,) => { $versions[1] };
    (@avx2 $versions:ident, $one:path, guessed) => { x86::sqrt_with_avx2 as BlockFn };
    (@avx2 $versions:ident, $one:path, lanes) => {{
        #[target_feature(enable = "avx2,fma")]
        unsafe fn eights(n: usize, out: *mut u8, args: &[*const u8; MAX_ARGS]) {
            let (out, from) = (out as *mut f32, args[0] as *const f32);
            let whole = n / 8 * 8;
            for start in (0..whole).step_by(8) {
                // SAFETY: the caller promises n lanes behind both.
                unsafe { $one(Eight::load(from.add(start))).store(out.add(start)) };
            }
            for i in whole..n {
                // SAFETY: as above.
                unsafe { *out.add(i) = $one(*from.add(i)) };
            }
        }
        eights as BlockFn
    }};
}

loops! {
    /// e^x of float32.
    EXP_LOOP Exp f32 exp = lanes(exp::of);
    /// The hyperbolic tangent of float32.
    TANH_LOOP Tanh f32 tanh = (tanh);
    /// The error function of float32.
    ERF_LOOP Erf f32 erf = (erf);
    /// 1 less the error function, of float32.
    ERFC_LOOP Erfc f32 erfc = (erfc);
    /// x times the area under the normal density left of x, of float32.
    GELU_LOOP Gelu f32 gelu = (gelu);
    /// The same in polynomials, of float32.
    PIECED_GELU_LOOP PiecedGelu f32 pieced_gelu = (gelu::one);
    /// e^x of float64.
    EXP_DOUBLE_LOOP ExpDouble f64 exp_double = (exp::one_double);
    /// The natural logarithm of float32.
    LOG_LOOP Log f32 log = lanes(log);
    /// The logarithm of float32 to base 2.
    LOG2_LOOP Log2 f32 log2 = lanes(log2);
    /// The logarithm of float32 to base 10.
    LOG10_LOOP Log10 f32 log10 = lanes(log10);
    /// The angle whose tangent it is, of float32.
    ATAN_LOOP Atan f32 atan = (arc::atan);
    /// The angle whose sine it is, of float32.
    ASIN_LOOP Asin f32 asin = (arc::asin);
    /// The angle whose cosine it is, of float32.
    ACOS_LOOP Acos f32 acos = (arc::acos);
    /// The square root of float32.
    SQRT_LOOP Sqrt f32 sqrt = guessed(f32::sqrt);
    /// The natural logarithm of float64.
    LOG_DOUBLE_LOOP LogDouble f64 log_double = (log_double);
    /// The logarithm of float64 to base 2.
    LOG2_DOUBLE_LOOP Log2Double f64 log2_double = (log2_double);
    /// The logarithm of float64 to base 10.
    LOG10_DOUBLE_LOOP Log10Double f64 log10_double = (log10_double);
    /// The square root of float64.
    SQRT_DOUBLE_LOOP SqrtDouble f64 sqrt_double = (f64::sqrt);
}

/// The hyperbolic tangent of float32, where it is a result of its own: on processors that are not Intel's PyTorch's library gives the
/// nearest number in all but one case of a thousand.
pub const TANH: Versions<BlockFn> = {
    unsafe fn chosen(n: usize, out: *mut u8, args: &[*const u8; MAX_ARGS]) {
        let versions = if follows_intel() { TANH_LOOP } else { body_versions::<NearestTanh>() };
        // SAFETY: `pick` chooses a version that this machine can run; the rest is the caller's promise.
        unsafe { pick(versions)(n, out, args) }
    }
    [chosen; 3]
};

/// Bodies of loops over single numbers.
macro_rules! bodies {
    ($($body:ident = $one:path;)*) => { $(
        struct $body;

        impl Body for $body {
            #[inline(always)]
            unsafe fn run(n: usize, out: *mut u8, args: &[*const u8; MAX_ARGS]) {
                let (out, from) = (out as *mut f32, args[0] as *const f32);
                for i in 0..n {
                    // SAFETY: the caller promises n lanes behind both.
                    unsafe { *out.add(i) = $one(*from.add(i)) };
                }
            }
        }
    )* };
}

bodies! {
    HandbookGelu = gelu::by_handbook;
    HandbookSlope = gelu::slope_by_handbook;
    NearestTanh = tanh::nearest;
    ShortExp = gelu::shorter_exp;
}

/// e^x of numbers that are not above 0, as attention takes it.
pub fn short_exp(from: &[f32], to: &mut [f32]) {
    let n = from.len().min(to.len());
    // SAFETY: `pick` chooses a version that this machine can run, and both hold n numbers.
    unsafe { pick(body_versions::<ShortExp>())(n, to.as_mut_ptr() as *mut u8, &[from.as_ptr() as *const u8; MAX_ARGS]) };
}

/// The slope of [`FITTED_GELU_LOOP`]'s function as oneDNN computes it, of float32.
pub const GELU_SLOPE_LOOP: Versions<BlockFn> = body_versions::<HandbookSlope>();

/// x times the area under the normal density left of x as oneDNN computes it, of float32.
pub const FITTED_GELU_LOOP: Versions<BlockFn> = {
    unsafe fn fitted(n: usize, out: *mut u8, args: &[*const u8; MAX_ARGS]) {
        let versions = if follows_avx512() { PIECED_GELU_LOOP } else { body_versions::<HandbookGelu>() };
        // SAFETY: `pick` chooses a version that this machine can run; the rest is the caller's promise.
        unsafe { pick(versions)(n, out, args) }
    }
    [fitted; 3]
};

/// The results of a loop, for one number.
#[inline]
pub fn alone<T: Copy>(versions: Versions<BlockFn>, x: T) -> T {
    let mut y = x;
    // SAFETY: `pick` chooses a version that this machine can run, and both are one lane.
    unsafe { pick(versions)(1, &raw mut y as *mut u8, &[&raw const x as *const u8; MAX_ARGS]) };
    y
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use std::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn tanhs(x: __m512) -> __m512 {
        pieces::sixteen(x, &tanh::TANH)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn erfs(x: __m512) -> __m512 {
        pieces::sixteen(x, &erf::ERF)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn gelus(x: __m512) -> __m512 {
        let area = _mm512_add_ps(erfs(_mm512_mul_ps(x, _mm512_set1_ps(std::f32::consts::FRAC_1_SQRT_2))), _mm512_set1_ps(1.0));
        _mm512_mul_ps(_mm512_mul_ps(x, _mm512_set1_ps(0.5)), area)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn logs(x: __m512) -> __m512 {
        log::sixteen(x, &log::LN)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn logs2(x: __m512) -> __m512 {
        log::sixteen(x, &log::TWO)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn logs10(x: __m512) -> __m512 {
        log::sixteen(x, &log::TEN)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn logs_double(x: __m512d) -> __m512d {
        log_double::eight(x, &log_double::LN)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn logs2_double(x: __m512d) -> __m512d {
        log_double::eight(x, &log_double::TWO)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn logs10_double(x: __m512d) -> __m512d {
        log_double::eight(x, &log_double::TEN)
    }

    /// Loops over whole vectors, and then over what is left of one.
    macro_rules! over_blocks {
        ($t:ident $step:literal $mask:ident $load:ident $load_some:ident $store:ident $store_some:ident $($name:ident = $lanes:path;)*) => { $(
            #[target_feature(enable = "avx512f,avx512dq")]
            pub unsafe fn $name(n: usize, out: *mut u8, args: &[*const u8; MAX_ARGS]) {
                let (out, from) = (out as *mut $t, args[0] as *const $t);
                let whole = n / $step * $step;
                for start in (0..whole).step_by($step) {
                    // SAFETY: the caller promises n lanes behind both.
                    unsafe { $store(out.add(start), $lanes($load(from.add(start)))) };
                }
                if whole < n {
                    let mask = $mask::MAX >> ($step - (n - whole));
                    // SAFETY: as above; lanes beyond the mask are not touched.
                    unsafe { $store_some(out.add(whole), mask, $lanes($load_some(mask, from.add(whole)))) };
                }
            }
        )* };
    }

    over_blocks! {
        f32 16 u16 _mm512_loadu_ps _mm512_maskz_loadu_ps _mm512_storeu_ps _mm512_mask_storeu_ps
        exp = super::exp::sixteen;
        tanh = tanhs;
        erf = erfs;
        erfc = super::erfc::sixteen;
        gelu = gelus;
        pieced_gelu = super::gelu::sixteen;
        log = logs;
        atan = super::arc::atans;
        asin = super::arc::asins;
        acos = super::arc::acoses;
        log2 = logs2;
        log10 = logs10;
        stepped_sqrt = super::root::sixteen;
    }

    over_blocks! {
        f64 8 u8 _mm512_loadu_pd _mm512_maskz_loadu_pd _mm512_storeu_pd _mm512_mask_storeu_pd
        log_double = logs_double;
        log2_double = logs2_double;
        log10_double = logs10_double;
        exp_double = super::exp::eight;
        stepped_sqrt_double = super::root::eight;
    }

    /// Roots in the steps of PyTorch's library.
    macro_rules! roots {
        ($($name:ident = $stepped:ident or $other:ident;)*) => { $(
            pub unsafe fn $name(n: usize, out: *mut u8, args: &[*const u8; MAX_ARGS]) {
                let roots = if follows_intel() { $stepped as BlockFn } else { $other as BlockFn };
                // SAFETY: the caller promises what they ask for.
                unsafe { roots(n, out, args) }
            }
        )* };
    }

    roots! {
        sqrt = stepped_sqrt or guessed_sqrt;
        sqrt_double = stepped_sqrt_double or nearest_double;
    }

    unsafe fn nearest_double(n: usize, out: *mut u8, args: &[*const u8; MAX_ARGS]) {
        // SAFETY: the caller's promise.
        unsafe { body_versions::<SqrtDouble>()[2](n, out, args) }
    }

    /// Roots on a processor with AVX2.
    pub unsafe fn sqrt_with_avx2(n: usize, out: *mut u8, args: &[*const u8; MAX_ARGS]) {
        let roots = if follows_intel() { body_versions::<Sqrt>()[1] } else { guessed_sqrt as BlockFn };
        // SAFETY: the caller promises what they ask for.
        unsafe { roots(n, out, args) }
    }

    #[target_feature(enable = "avx2")]
    unsafe fn guessed_sqrt(n: usize, out: *mut u8, args: &[*const u8; MAX_ARGS]) {
        let (out, from) = (out as *mut f32, args[0] as *const f32);
        let whole = n / 8 * 8;
        for start in (0..whole).step_by(8) {
            // SAFETY: the caller promises n lanes behind both.
            unsafe { _mm256_storeu_ps(out.add(start), super::root::guessed(_mm256_loadu_ps(from.add(start)))) };
        }
        let mut rest = [1f32; 8];
        // SAFETY: as above, and fewer than eight are left.
        unsafe {
            std::ptr::copy_nonoverlapping(from.add(whole), rest.as_mut_ptr(), n - whole);
            _mm256_storeu_ps(rest.as_mut_ptr(), super::root::guessed(_mm256_loadu_ps(rest.as_ptr())));
            std::ptr::copy_nonoverlapping(rest.as_ptr(), out.add(whole), n - whole);
        }
    }
}
