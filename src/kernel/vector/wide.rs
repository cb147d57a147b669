//! float32 functions by tables that fit into vector registers, where a look-up is one instruction for sixteen lanes.
//!
//! A compiler makes no such look-ups from a loop, so there is a loop by hand for AVX-512 beside the function of one number,
//! which gives the same bits. Errors, over every 10,007th float32: `exp` below 0.54 ulp where the result is normal, `tanh` below
//! 0.56.

use super::tables::{EXP, POWERS, TANH, TANH_CURVE};
use crate::kernel::isa::Versions;
use crate::kernel::scalar::{BlockFn, Body, MAX_ARGS, body_versions};

/// Added to a number below 2^18 and taken away again, it rounds to sixteenths; in between, the lowest four bits count them.
const MAGIC: f32 = 786_432.0;
/// ln 2 in two parts, the first so short that its products with sixteenths are exact.
const LN_2: [f32; 2] = [0.693_359_4, -0.000_212_194_44];
/// Below it e^x is zero, and above it infinite.
const RANGE: [f32; 2] = [-104.5, 89.0];
/// From here on a tanh rounds to 1.
const ONE: f32 = 12.0;
/// Intervals are numbered by exponent and two bits of the fraction; this is the number before that of 1/16.
const FIRST: i32 = 491;

/// e^x, as `2^n (1 + p) 2^(j / 16)`.
#[inline(always)]
fn exp(x: f32) -> f32 {
    let x = if x > RANGE[1] { RANGE[1] } else { x };
    let x = if x < RANGE[0] { RANGE[0] } else { x };
    let shifted = x.mul_add(std::f32::consts::LOG2_E, MAGIC);
    let n = shifted - MAGIC;
    let r = n.mul_add(-LN_2[1], n.mul_add(-LN_2[0], x));
    let p = (r * r).mul_add(EXP[0].mul_add(r, EXP[1]).mul_add(r, EXP[2]), r);
    let j = (shifted.to_bits() & 15) as usize;
    let y = POWERS[0][j] + POWERS[0][j].mul_add(p, POWERS[1][j]);
    // The power of two in two steps, for results too small to be normal.
    let whole = (shifted.to_bits().wrapping_sub(MAGIC.to_bits()) as i32) >> 4;
    let power = |n: i32| f32::from_bits(((n + 127) as u32) << 23);
    y * power(whole >> 1) * power(whole - (whole >> 1))
}

/// The hyperbolic tangent: near the middle c of an interval, `tanh c + slope r + curve r²`.
#[inline(always)]
fn tanh(x: f32) -> f32 {
    let size = if x.abs() > ONE { ONE } else { x.abs() };
    let i = ((size.to_bits() >> 21) as i32 - FIRST).clamp(0, 31) as usize;
    let [middle, value, rest, slope] = TANH.map(|table| table[i]);
    let r = size - middle;
    let curve = TANH_CURVE[1..].iter().fold(TANH_CURVE[0][i], |sum, table| sum.mul_add(r, table[i]));
    let line = slope.mul_add(r, value);
    let lost = slope.mul_add(r, value - line);
    (line + ((curve * r).mul_add(r, rest) + lost)).copysign(x)
}

/// The logistic function.
#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

macro_rules! loops {
    ($($(#[$doc:meta])* $loop:ident $body:ident = $name:ident;)*) => { $(
        struct $body;

        impl Body for $body {
            #[inline(always)]
            unsafe fn run(n: usize, out: *mut u8, args: &[*const u8; MAX_ARGS]) {
                // SAFETY: the caller of a block function promises n lanes behind both, which do not overlap.
                let (out, from) = unsafe {
                    (std::slice::from_raw_parts_mut(out as *mut f32, n), std::slice::from_raw_parts(args[0] as *const f32, n))
                };
                out.iter_mut().zip(from).for_each(|(y, x)| *y = $name(*x));
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
    EXP_LOOP Exp = exp;
    /// The hyperbolic tangent of float32.
    TANH_LOOP Tanh = tanh;
    /// 1 / (1 + e^-x) of float32.
    SIGMOID_LOOP Sigmoid = sigmoid;
}

#[cfg(target_arch = "x86_64")]
mod sixteen {
    use super::*;
    use std::arch::x86_64::*;

    /// What lies at the places of a table of 32.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn at(table: &[f32; 32], places: __m512i) -> __m512 {
        // SAFETY: the table has room for two vectors.
        let [low, high] = [0, 16].map(|start| unsafe { _mm512_loadu_ps(table.as_ptr().add(start)) });
        _mm512_permutex2var_ps(low, places, high)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn exps(x: __m512) -> __m512 {
        let same = |x| _mm512_set1_ps(x);
        let x = _mm512_max_ps(same(RANGE[0]), _mm512_min_ps(same(RANGE[1]), x));
        let shifted = _mm512_fmadd_ps(x, same(std::f32::consts::LOG2_E), same(MAGIC));
        let n = _mm512_sub_ps(shifted, same(MAGIC));
        let r = _mm512_fmadd_ps(n, same(-LN_2[1]), _mm512_fmadd_ps(n, same(-LN_2[0]), x));
        let curve = _mm512_fmadd_ps(_mm512_fmadd_ps(same(EXP[0]), r, same(EXP[1])), r, same(EXP[2]));
        let p = _mm512_fmadd_ps(_mm512_mul_ps(r, r), curve, r);
        // Only the lowest four bits of a place count.
        let places = _mm512_castps_si512(shifted);
        // SAFETY: both tables have room for a vector.
        let [power, rest] = POWERS.each_ref().map(|table| unsafe { _mm512_loadu_ps(table.as_ptr()) });
        let (power, rest) = (_mm512_permutexvar_ps(places, power), _mm512_permutexvar_ps(places, rest));
        // Multiplies by 2 to the next lower whole number.
        _mm512_scalef_ps(_mm512_add_ps(power, _mm512_fmadd_ps(power, p, rest)), n)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn tanhs(x: __m512) -> __m512 {
        let sign = _mm512_castps_si512(_mm512_set1_ps(-0.0));
        let size = _mm512_min_ps(_mm512_set1_ps(ONE), _mm512_abs_ps(x));
        let i = _mm512_sub_epi32(_mm512_srli_epi32::<21>(_mm512_castps_si512(size)), _mm512_set1_epi32(FIRST));
        let i = _mm512_min_epi32(_mm512_max_epi32(i, _mm512_setzero_si512()), _mm512_set1_epi32(31));
        let r = _mm512_sub_ps(size, at(&TANH[0], i));
        let (value, rest, slope) = (at(&TANH[1], i), at(&TANH[2], i), at(&TANH[3], i));
        let mut curve = at(&TANH_CURVE[0], i);
        for table in &TANH_CURVE[1..] {
            curve = _mm512_fmadd_ps(curve, r, at(table, i));
        }
        let line = _mm512_fmadd_ps(slope, r, value);
        let lost = _mm512_fmadd_ps(slope, r, _mm512_sub_ps(value, line));
        let y = _mm512_add_ps(line, _mm512_add_ps(_mm512_fmadd_ps(_mm512_mul_ps(curve, r), r, rest), lost));
        let bits = _mm512_ternarylogic_epi32::<0xd8>(_mm512_castps_si512(y), _mm512_castps_si512(x), sign);
        _mm512_castsi512_ps(bits)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn sigmoids(x: __m512) -> __m512 {
        let (one, sign) = (_mm512_set1_ps(1.0), _mm512_castps_si512(_mm512_set1_ps(-0.0)));
        let minus = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(x), sign));
        _mm512_div_ps(one, _mm512_add_ps(one, exps(minus)))
    }

    macro_rules! over_blocks {
        ($($name:ident = $lanes:ident;)*) => { $(
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
        exp = exps;
        tanh = tanhs;
        sigmoid = sigmoids;
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
        check("exp", EXP_LOOP, exp, f64::exp, 0.54);
        check("tanh", TANH_LOOP, tanh, f64::tanh, 0.56);
        // Where e^-x is no float32 any more, the quotient is zero, as in PyTorch.
        let quotient = |x: f64| if (-x).exp() > f32::MAX as f64 { 0.0 } else { 1.0 / (1.0 + (-x).exp()) };
        check("sigmoid", SIGMOID_LOOP, sigmoid, quotient, 2.0);
    }
}
