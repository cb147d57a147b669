//! float32 functions by tables that fit into vector registers, where a look-up is one instruction for sixteen lanes.
//!
//! A compiler makes no such look-ups from a loop, so there is a loop by hand for AVX-512 beside the function of one number,
//! which gives the same bits. Errors, over every 10,007th float32: `exp` below 0.54 ulp where the result is normal, `tanh` and `log`
//! below 0.56.

mod exp;
mod log;
mod tanh;

use crate::kernel::isa::Versions;
use crate::kernel::scalar::{BlockFn, Body, MAX_ARGS, body_versions};

/// The logistic function.
#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp::one(-x))
}

macro_rules! loops {
    ($($(#[$doc:meta])* $loop:ident $body:ident $name:ident = $one:path;)*) => { $(
        struct $body;

        impl Body for $body {
            #[inline(always)]
            unsafe fn run(n: usize, out: *mut u8, args: &[*const u8; MAX_ARGS]) {
                // SAFETY: the caller of a block function promises n lanes behind both, which do not overlap.
                let (out, from) = unsafe {
                    (std::slice::from_raw_parts_mut(out as *mut f32, n), std::slice::from_raw_parts(args[0] as *const f32, n))
                };
                out.iter_mut().zip(from).for_each(|(y, x)| *y = $one(*x));
            }
        }

        $(#[$doc])*
        pub const $loop: Versions<BlockFn> = {
            let versions = body_versions::<$body>();
            #[cfg(target_arch = "x86_64")]
            let versions = [versions[0], versions[1], sixteen::$name as BlockFn];
            versions
        };
    )* };
}

loops! {
    /// e^x of float32.
    EXP_LOOP Exp exp = exp::one;
    /// The hyperbolic tangent of float32.
    TANH_LOOP Tanh tanh = tanh::one;
    /// 1 / (1 + e^-x) of float32.
    SIGMOID_LOOP Sigmoid sigmoid = sigmoid;
    /// The natural logarithm of float32.
    LOG_LOOP Log log = log::one;
}

#[cfg(target_arch = "x86_64")]
mod sixteen {
    use super::*;
    use std::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn sigmoids(x: __m512) -> __m512 {
        let (one, sign) = (_mm512_set1_ps(1.0), _mm512_castps_si512(_mm512_set1_ps(-0.0)));
        let minus = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(x), sign));
        _mm512_div_ps(one, _mm512_add_ps(one, exp::sixteen(minus)))
    }

    macro_rules! over_blocks {
        ($($name:ident = $lanes:path;)*) => { $(
            #[target_feature(enable = "avx512f")]
            pub unsafe fn $name(n: usize, out: *mut u8, args: &[*const u8; MAX_ARGS]) {
                let (out, from) = (out as *mut f32, args[0] as *const f32);
                for start in (0..n).step_by(16) {
                    let mask = u16::MAX >> (16 - (n - start).min(16));
                    // SAFETY: the caller promises n lanes behind both; those beyond the mask are not touched.
                    unsafe {
                        let y = $lanes(_mm512_maskz_loadu_ps(mask, from.add(start)));
                        _mm512_mask_storeu_ps(out.add(start), mask, y);
                    }
                }
            }
        )* };
    }

    over_blocks! {
        exp = super::exp::sixteen;
        tanh = super::tanh::sixteen;
        sigmoid = sigmoids;
        log = super::log::sixteen;
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

    fn check(name: &str, versions: Versions<BlockFn>, one: fn(f32) -> f32, exact: fn(f64) -> f64, most: f64) {
        let from = some();
        let mut out = vec![0f32; from.len()];
        let args = [from.as_ptr() as *const u8; MAX_ARGS];
        // SAFETY: both hold as many lanes.
        unsafe { pick(versions)(from.len(), out.as_mut_ptr() as *mut u8, &args) };
        for (x, y) in from.iter().zip(&out) {
            let (alone, error) = (one(*x), super::super::tests::ulps(*y, exact(*x as f64)));
            assert!(
                alone.to_bits() == y.to_bits() || alone.is_nan() && y.is_nan(),
                "{name}({x:e}): {alone:e} alone, {y:e} in a loop"
            );
            assert!(error <= most || y.abs() < f32::MIN_POSITIVE && error < 0.76, "{name}({x:e}) = {y:e} is off by {error} ulp");
        }
    }

    #[test]
    fn loops_give_the_bits_of_single_numbers_and_err_by_no_more_than_the_docs_say() {
        check("exp", EXP_LOOP, exp::one, f64::exp, 0.54);
        check("tanh", TANH_LOOP, tanh::one, f64::tanh, 0.56);
        check("log", LOG_LOOP, log::one, f64::ln, 0.56);
        // Where e^-x is no float32 any more, the quotient is zero, as in PyTorch.
        let quotient = |x: f64| if (-x).exp() > f32::MAX as f64 { 0.0 } else { 1.0 / (1.0 + (-x).exp()) };
        check("sigmoid", SIGMOID_LOOP, sigmoid, quotient, 2.0);
    }
}
