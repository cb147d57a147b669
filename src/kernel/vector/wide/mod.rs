//! Functions by tables that fit into vector registers, where a look-up is one instruction for all lanes, and by the
//! processor's guesses.
//!
//! A compiler makes no such look-ups from a loop, so there is a loop by hand for AVX-512 beside the function of one number,
//! which gives the same bits. Errors, over every 10,007th float32 (and all between 1/4 and 2 of some): `exp` below 0.54 ulp where the
//! result is normal, `tanh`, `log`, `log2` and `log10` below 0.56, `atan` 0.52, `asin` 0.64, `acos` 0.61, `erf` 0.56 above 1e-37 and 0.77
//! below, `erfc` 0.78. Of float64, `exp` and the logarithms are the nearest number to the true one or, in less than one case of a hundred, its
//! neighbour. Roots are correctly rounded.

mod arc;
mod erf;
mod erfc;
mod exp;
mod log;
mod log_double;
mod pieces;
#[cfg(target_arch = "x86_64")]
mod root;
mod tanh;

pub use arc::{acos, asin, atan};
pub use erfc::one as erfc;

use crate::kernel::isa::Versions;
use crate::kernel::scalar::{BlockFn, Body, MAX_ARGS, body_versions};

/// The logistic function.
#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp::one(-x))
}

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

/// x times its logistic function.
#[inline(always)]
fn silu(x: f32) -> f32 {
    x / (exp::one(-x) + 1.0)
}

/// The natural logarithm.
#[inline(always)]
fn log(x: f32) -> f32 {
    log::one(x, &log::LN)
}

/// The logarithm to base 2.
#[inline(always)]
pub fn log2(x: f32) -> f32 {
    log::one(x, &log::TWO)
}

/// The logarithm to base 10.
#[inline(always)]
pub fn log10(x: f32) -> f32 {
    log::one(x, &log::TEN)
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

macro_rules! loops {
    ($($(#[$doc:meta])* $loop:ident $body:ident $t:ident $name:ident = $one:expr;)*) => { $(
        struct $body;

        impl Body for $body {
            #[inline(always)]
            unsafe fn run(n: usize, out: *mut u8, args: &[*const u8; MAX_ARGS]) {
                // SAFETY: the caller of a block function promises n lanes behind both, which do not overlap.
                let (out, from) = unsafe {
                    (std::slice::from_raw_parts_mut(out as *mut $t, n), std::slice::from_raw_parts(args[0] as *const $t, n))
                };
                for i in 0..n {
                    out[i] = $one(from[i]);
                }
            }
        }

        $(#[$doc])*
        pub const $loop: Versions<BlockFn> = {
            let versions = body_versions::<$body>();
            #[cfg(target_arch = "x86_64")]
            let versions = [versions[0], versions[1], x86::$name as BlockFn];
            versions
        };
    )* };
}

loops! {
    /// e^x of float32.
    EXP_LOOP Exp f32 exp = exp::one;
    /// The hyperbolic tangent of float32.
    TANH_LOOP Tanh f32 tanh = tanh;
    /// The error function of float32.
    ERF_LOOP Erf f32 erf = erf;
    /// 1 less the error function, of float32.
    ERFC_LOOP Erfc f32 erfc = erfc;
    /// x times the area under the normal density left of x, of float32.
    GELU_LOOP Gelu f32 gelu = gelu;
    /// x times its logistic function, of float32.
    SILU_LOOP Silu f32 silu = silu;
    /// e^x of float64.
    EXP_DOUBLE_LOOP ExpDouble f64 exp_double = exp::one_double;
    /// 1 / (1 + e^-x) of float32.
    SIGMOID_LOOP Sigmoid f32 sigmoid = sigmoid;
    /// The natural logarithm of float32.
    LOG_LOOP Log f32 log = log;
    /// The logarithm of float32 to base 2.
    LOG2_LOOP Log2 f32 log2 = log2;
    /// The logarithm of float32 to base 10.
    LOG10_LOOP Log10 f32 log10 = log10;
    /// The angle whose tangent it is, of float32.
    ATAN_LOOP Atan f32 atan = arc::atan;
    /// The angle whose sine it is, of float32.
    ASIN_LOOP Asin f32 asin = arc::asin;
    /// The angle whose cosine it is, of float32.
    ACOS_LOOP Acos f32 acos = arc::acos;
    /// The square root of float32.
    SQRT_LOOP Sqrt f32 sqrt = f32::sqrt;
    /// The natural logarithm of float64.
    LOG_DOUBLE_LOOP LogDouble f64 log_double = log_double;
    /// The logarithm of float64 to base 2.
    LOG2_DOUBLE_LOOP Log2Double f64 log2_double = log2_double;
    /// The logarithm of float64 to base 10.
    LOG10_DOUBLE_LOOP Log10Double f64 log10_double = log10_double;
    /// The square root of float64.
    SQRT_DOUBLE_LOOP SqrtDouble f64 sqrt_double = f64::sqrt;
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use std::arch::x86_64::*;

    /// 1 + e^-x.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn one_and_shrunk(x: __m512) -> __m512 {
        let sign = _mm512_castps_si512(_mm512_set1_ps(-0.0));
        let minus = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(x), sign));
        _mm512_add_ps(_mm512_set1_ps(1.0), exp::sixteen(minus))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn sigmoids(x: __m512) -> __m512 {
        _mm512_div_ps(_mm512_set1_ps(1.0), one_and_shrunk(x))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn silus(x: __m512) -> __m512 {
        _mm512_div_ps(x, one_and_shrunk(x))
    }

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
        silu = silus;
        sigmoid = sigmoids;
        log = logs;
        atan = super::arc::atans;
        asin = super::arc::asins;
        acos = super::arc::acoses;
        log2 = logs2;
        log10 = logs10;
        sqrt = super::root::sixteen;
    }

    over_blocks! {
        f64 8 u8 _mm512_loadu_pd _mm512_maskz_loadu_pd _mm512_storeu_pd _mm512_mask_storeu_pd
        log_double = logs_double;
        log2_double = logs2_double;
        log10_double = logs10_double;
        exp_double = super::exp::eight;
        sqrt_double = super::root::eight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::isa::pick;

    /// Every 10,007th float32, in a number that is no multiple of a vector's.
    fn some() -> Vec<f32> {
        (0..u32::MAX).step_by(10_007).chain([0x8000_0000, 0x7f80_0000, 0xff80_0000]).map(f32::from_bits).collect()
    }

    fn run<T: Copy + Default>(versions: Versions<BlockFn>, from: &[T]) -> Vec<T> {
        let mut out = vec![T::default(); from.len()];
        let args = [from.as_ptr() as *const u8; MAX_ARGS];
        // SAFETY: both hold as many lanes.
        unsafe { pick(versions)(from.len(), out.as_mut_ptr() as *mut u8, &args) };
        out
    }

    fn check_bits(name: &str, versions: Versions<BlockFn>, one: fn(f32) -> f32) {
        let from = some();
        for (x, y) in from.iter().zip(run(versions, &from)) {
            let alone = one(*x);
            assert!(
                alone.to_bits() == y.to_bits() || alone.is_nan() && y.is_nan(),
                "{name}({x:e}): {alone:e} alone, {y:e} in a loop"
            );
        }
    }

    fn check(name: &str, versions: Versions<BlockFn>, one: fn(f32) -> f32, exact: fn(f64) -> f64, most: f64) {
        check_bits(name, versions, one);
        for x in some() {
            let (y, error) = (one(x), super::super::tests::ulps(one(x), exact(x as f64)));
            assert!(error <= most || y.abs() < f32::MIN_POSITIVE && error < 0.78, "{name}({x:e}) = {y:e} is off by {error} ulp");
        }
    }

    /// Results are no more than so many steps from those of the system's library.
    fn check_double(name: &str, versions: Versions<BlockFn>, one: fn(f64) -> f64, exact: fn(f64) -> f64, most: u64) {
        let random = |i: u64| f64::from_bits(i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let ends = [0.0, -0.0, f64::INFINITY, -f64::INFINITY, f64::NAN, 5e-324, 1e-310, 710.0, -708.5, -745.0, 1.0];
        let near = (0..100_003).map(|i| i as f64 * 0.000_137 - 6.0);
        let from: Vec<f64> = (0..100_000).map(random).chain(near).chain(ends).collect();
        for (x, y) in from.iter().zip(run(versions, &from)) {
            let (alone, exact) = (one(*x), exact(*x));
            let is_same = |a: f64, b: f64, most| a.to_bits().abs_diff(b.to_bits()) <= most || a.is_nan() && b.is_nan();
            assert!(is_same(alone, y, 0), "{name}({x:e}): {alone:e} alone, {y:e} in a loop");
            assert!(is_same(exact, y, most), "{name}({x:e}): {y:e} and not {exact:e}");
        }
    }

    #[test]
    fn loops_give_the_bits_of_single_numbers_and_err_by_no_more_than_the_docs_say() {
        check("exp", EXP_LOOP, exp::one, f64::exp, 0.54);
        check("tanh", TANH_LOOP, tanh, f64::tanh, 0.56);
        check("erf", ERF_LOOP, erf, libm::erf, 0.77);
        check("erfc", ERFC_LOOP, erfc, libm::erfc, 0.78);
        check("log", LOG_LOOP, log, f64::ln, 0.56);
        check("log2", LOG2_LOOP, log2, f64::log2, 0.56);
        check("log10", LOG10_LOOP, log10, f64::log10, 0.56);
        check("atan", ATAN_LOOP, atan, f64::atan, 0.52);
        check("asin", ASIN_LOOP, asin, f64::asin, 0.64);
        check("acos", ACOS_LOOP, acos, f64::acos, 0.61);
        check("sqrt", SQRT_LOOP, f32::sqrt, f64::sqrt, 0.5);
        // Where e^-x is no float32 any more, the quotient is zero, as in PyTorch.
        let quotient = |x: f64| if (-x).exp() > f32::MAX as f64 { 0.0 } else { 1.0 / (1.0 + (-x).exp()) };
        check("sigmoid", SIGMOID_LOOP, sigmoid, quotient, 2.0);
        check_bits("silu", SILU_LOOP, silu);
        check_bits("gelu", GELU_LOOP, gelu);
    }

    #[test]
    fn loops_over_float64_give_the_bits_of_single_numbers_and_those_of_the_library_or_their_neighbours() {
        check_double("exp", EXP_DOUBLE_LOOP, exp::one_double, f64::exp, 1);
        check_double("log", LOG_DOUBLE_LOOP, log_double, f64::ln, 1);
        check_double("log2", LOG2_DOUBLE_LOOP, log2_double, f64::log2, 1);
        check_double("log10", LOG10_DOUBLE_LOOP, log10_double, f64::log10, 2);
        check_double("sqrt", SQRT_DOUBLE_LOOP, f64::sqrt, f64::sqrt, 0);
    }

    /// All float32 whose roots differ by more than a power of two.
    #[test]
    fn roots_of_float32_are_rounded_as_by_the_instruction() {
        let from: Vec<f32> =
            (1f32.to_bits()..4f32.to_bits()).step_by(crate::testing::steps(1, 1001)).map(f32::from_bits).collect();
        let out = run(SQRT_LOOP, &from);
        assert!(from.iter().zip(out).all(|(x, y)| x.sqrt().to_bits() == y.to_bits()));
    }

    /// Odd numbers q of 54 bits are twice what lies between two float64; where q² is near a multiple of 2^54 or 2^55, that is a number
    /// whose root is hard to round.
    #[test]
    fn roots_that_lie_near_the_middle_between_two_float64_are_rounded_as_by_the_instruction() {
        let mut from = vec![];
        for near in (-4095i128..4096).step_by(8) {
            // A root of `near` to the base 2, digit by digit.
            let mut q = 1i128;
            for bit in 3..56 {
                q += if (q * q - near) >> bit & 1 == 1 { 1 << (bit - 1) } else { 0 };
            }
            for q in [q, -q].map(|q| q & ((1 << 54) - 1)).into_iter().flat_map(|q| [q, q ^ 1 << 53]) {
                let square = q * q - near;
                let shift = if square >> 107 == 0 { 54 } else { 55 };
                if square >> 106 != 0 && square & ((1 << shift) - 1) == 0 {
                    from.push((square >> shift) as f64 * if shift == 54 { 1.0 } else { 2.0 });
                }
            }
        }
        assert!(from.len() > 1000, "{}", from.len());
        let out = run(SQRT_DOUBLE_LOOP, &from);
        for (x, y) in from.iter().zip(out) {
            assert!(x.sqrt().to_bits() == y.to_bits(), "{x:e}: {y:e} and not {:e}", x.sqrt());
        }
    }
}
