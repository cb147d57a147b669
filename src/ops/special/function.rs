//! Special functions of float64 that the table's rows call. Most are Moshier's Cephes, by the crate `spec_math`; here stands what
//! it lacks, and what PyTorch answers at the edges.

use super::incomplete::Width;
use num_traits::Float;
use spec_math::cephes64 as cephes;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// The derivative of `lgamma`, worked out in the width of its argument as PyTorch does: raised to 10, where the asymptotic series
/// of Bernoulli's numbers holds. At 0 it is an infinity of the other sign, at negative integers NaN.
pub fn digamma<T: Float>(x: T) -> T {
    const SERIES: [f64; 7] = [1.0 / 12.0, -691.0 / 32760.0, 1.0 / 132.0, -1.0 / 240.0, 1.0 / 252.0, -1.0 / 120.0, 1.0 / 12.0];
    const AT_TEN: f64 = 2.251_752_589_066_721;
    let number = |x: f64| T::from(x).unwrap_or_else(T::nan);
    if x == T::zero() {
        return T::infinity().copysign(-x);
    }
    if x < T::zero() {
        if x == x.trunc() {
            return T::nan();
        }
        let part = x.fract().to_f64().unwrap_or(f64::NAN);
        return digamma(T::one() - x) - number(PI / (PI * part).tan());
    }
    let ten = number(10.0);
    let (mut x, mut result) = (x, T::zero());
    while x < ten {
        result = result - x.recip();
        x = x + T::one();
    }
    if x == ten {
        return result + number(AT_TEN);
    }
    let series = if x < number(1e17) {
        let square = (x * x).recip();
        square * SERIES.iter().fold(T::zero(), |sum, c| sum * square + number(*c))
    } else {
        T::zero()
    };
    result + x.ln() - number(0.5) / x - series
}

/// The `n`th derivative of `digamma`, in the width of its argument. From the second on it is a factorial times a zeta function that is
/// rounded first.
#[inline(always)]
pub fn polygamma<T: Float>(n: f64, x: T, rounded: impl Fn(f64) -> T) -> T {
    let number = |x: f64| T::from(x).unwrap_or_else(T::nan);
    match n {
        _ if n == 0.0 => digamma(x),
        _ if n == 1.0 => trigamma(x),
        _ => {
            let gamma = number(libm::lgamma(n + 1.0)).to_f64().unwrap_or(f64::NAN);
            let factorial = number(if n % 2.0 == 0.0 { -gamma.exp() } else { gamma.exp() });
            factorial * rounded(zeta(number(n + 1.0), x))
        }
    }
}

/// The derivative of `digamma`, in the width of its argument: reflected to the right, raised until the asymptotic series holds.
fn trigamma<T: Float>(x: T) -> T {
    let number = |x: f64| T::from(x).unwrap_or_else(T::nan);
    let (one, pi) = (T::one(), number(PI));
    let reflects = x < number(0.5);
    let mut x = x;
    let mut sum = T::zero();
    if reflects {
        let sine = (pi * x).sin();
        sum = -(pi * pi) / (sine * sine);
        x = one - x;
    }
    for _ in 0..6 {
        sum = sum + one / (x * x);
        x = x + one;
    }
    let square = one / (x * x);
    let series = number(1.0 / 6.0) - square * (number(1.0 / 30.0) - square * number(1.0 / 42.0));
    sum = sum + (one + one / (number(2.0) * x) + square * series) / x;
    if reflects { -sum } else { sum }
}

/// Hurwitz's zeta function: in float64, but for the first term, which has the width of its arguments.
pub fn zeta<T: Float>(x: T, q: T) -> f64 {
    let [first, exponent, shift] = [q.powf(-x), x, q].map(|v| v.to_f64().unwrap_or(f64::NAN));
    match (exponent, shift) {
        (1.0, _) => f64::INFINITY,
        (x, q) if x >= 1.0 || x.is_nan() => match q {
            q if q <= 0.0 && q == q.floor() => f64::INFINITY,
            q if x.is_nan() || !q.is_finite() || (q <= 0.0 && x != x.floor()) => f64::NAN,
            q => zeta_sum(first, x, q),
        },
        _ => f64::NAN,
    }
}

/// The sum of the first terms, until they are nothing or nine are there, and Euler's and Maclaurin's formula for the others.
fn zeta_sum(first: f64, x: f64, q: f64) -> f64 {
    /// Factorials of even numbers divided by Bernoulli's numbers.
    #[rustfmt::skip] // in few lines
    const PARTS: [f64; 12] = [
        12.0, -720.0, 30240.0, -1_209_600.0, 47_900_160.0, -1.892_437_580_318_379_2e9, 7.472_424_96e10, -2.950_130_727_918_164e12,
        1.164_678_281_435_006_7e14, -4_597_978_722_407_473.0, 1.815_210_540_194_354_7e17, -7.166_165_256_175_667e18,
    ];
    let least = f64::EPSILON / 2.0;
    let (mut sum, mut place, mut count, mut term) = (first, q, 0, 0.0);
    while count < 9 || place <= 9.0 {
        (count, place) = (count + 1, place + 1.0);
        term = place.powf(-x);
        sum += term;
        if (-least * sum..least * sum).contains(&term) {
            return sum;
        }
    }
    let last = place;
    sum += term * last / (x - 1.0);
    sum -= 0.5 * term;
    let (mut rising, mut step) = (1.0, 0.0);
    for part in PARTS {
        rising *= x + step;
        term /= last;
        let change = rising * term / part;
        sum += change;
        if (change / sum).abs() < least {
            break;
        }
        rising *= x + step + 1.0;
        term /= last;
        step += 2.0;
    }
    sum
}

/// `exp(x²) erfc(x)`. The square is taken in two parts, since its rounding error would be multiplied by x².
pub fn erfcx(x: f64) -> f64 {
    if x > 26.0 {
        // The continued fraction, from its tail.
        let fraction = (1..=12).rev().fold(0.0, |tail, k| k as f64 / 2.0 / (x + tail));
        return 1.0 / (PI.sqrt() * (x + fraction));
    }
    let square = x * x;
    let rest = x.mul_add(x, -square);
    if square.is_infinite() {
        return f64::INFINITY;
    }
    square.exp() * (1.0 + rest) * libm::erfc(x)
}

/// The logarithm of `ndtr`, for very negative numbers too, in the width of its argument.
pub fn log_ndtr<T: Width>(x: T) -> T {
    let (t, two) = (x * T::of(FRAC_1_SQRT_2), T::of(2.0));
    if x < -T::one() { (T::of(erfcx(-t.wide())) / two).ln() - t * t } else { (-t.erf_complement() / two).ln_1p() }
}

/// The inverse of `ndtr`.
pub fn ndtri(p: f64) -> f64 {
    match p {
        _ if p == 0.0 => f64::NEG_INFINITY,
        _ if p == 1.0 => f64::INFINITY,
        _ if p > 0.0 && p < 1.0 => cephes::ndtri(p),
        _ => f64::NAN,
    }
}

/// `-x log x`, with the logarithm as it is given.
#[inline(always)]
pub fn entr<T: Float>(x: T, log: impl Fn(T) -> T) -> T {
    let outside = if x == T::zero() { T::zero() } else { T::neg_infinity() };
    let value = -x * log(x.ln());
    if x > T::zero() || x.is_nan() { value } else { outside }
}

/// `a` times a logarithm of `b`: 0 where `a` is, but for NaN.
#[inline(always)]
pub fn times_log<T: Float>(a: T, b: T, log: T) -> T {
    if b.is_nan() {
        b
    } else if a == T::zero() {
        T::zero()
    } else {
        a * log
    }
}

/// Airy's function Ai.
pub fn airy_ai<T: Width>(x: T) -> T {
    match x.wide() {
        x if x.is_infinite() => T::nan(),
        x if x > 103.892 => T::zero(),
        wide if wide < -2.09 => airy_waves(x),
        x => T::of(cephes::airy(x).0),
    }
}

/// Airy's function Ai far below zero, where it is a wave, in the width of its argument. The divisors are Cephes' but for their leading terms, which PyTorch leaves out:
/// that can be seen from the seventh digit on.
#[rustfmt::skip] // in few lines
fn airy_waves<T: Width>(x: T) -> T {
    const EVEN: [&[f64]; 2] = [
        &[-1.316_963_234_183_318e-1, -6.264_565_444_319_123e-1, -6.931_580_360_369_335e-1, -2.797_799_815_451_191e-1,
          -4.919_001_326_095_003e-2, -4.062_659_235_948_854e-3, -1.592_764_962_392_621e-4, -2.776_491_081_552_329e-6, -1.677_876_984_891_146_5e-8],
        &[1.335_604_207_065_532_4e1, 3.268_250_327_952_246_4e1, 2.673_670_409_414_995_7e1, 9.187_074_029_072_596, 1.475_291_467_716_664_2,
          1.156_871_737_951_880_4e-1, 4.402_916_416_152_112e-3, 7.547_203_482_874_142e-5, 4.518_500_929_705_803_5e-7],
    ];
    const ODD: [&[f64]; 2] = [
        &[1.973_399_320_916_857e-2, 3.911_030_296_156_882_7e-1, 1.065_798_975_995_955_9, 9.391_692_298_166_502e-1, 3.514_656_561_055_476_4e-1,
          6.338_889_196_289_255e-2, 5.858_041_130_483_885e-3, 2.828_516_008_367_37e-4, 6.987_936_699_972_61e-6, 8.117_892_395_543_892e-8,
          3.415_517_847_659_236e-10],
        &[9.308_929_080_774_42, 1.983_529_287_183_121_4e1, 1.556_466_289_328_646_2e1, 5.476_860_694_229_755, 9.542_936_116_189_619e-1,
          8.645_808_263_523_921e-2, 4.126_565_238_242_226e-3, 1.012_590_851_165_091_4e-4, 1.171_667_332_144_135_2e-6, 4.918_345_700_629_3e-9],
    ];
    let phase = T::of(-2.0) * x * (-x).sqrt() / T::of(3.0);
    let inverse = phase.recip();
    let square = inverse * inverse;
    let sum = |terms: &[f64]| terms.iter().fold(T::zero(), |sum, term| sum * square + T::of(*term));
    let [even, odd] = [EVEN, ODD].map(|[top, bottom]| sum(top) / sum(bottom));
    let angle = phase + T::of(0.25) * T::of(PI);
    let wave = angle.sin() * (T::one() + square * even) - angle.cos() * (inverse * odd);
    T::of(PI.sqrt().recip()) / (-x).sqrt().sqrt() * wave
}

/// `sin(x) / x`, by its series near 0, in the width of its argument.
pub fn spherical_j0<T: Width>(x: T) -> T {
    if x.is_infinite() {
        return T::zero();
    }
    if x.abs() < T::of(0.5) {
        /// 1 / 13!, -1 / 11!, …, -1 / 3!.
        const SERIES: [f64; 6] =
            [1.0 / 6_227_020_800.0, -1.0 / 39_916_800.0, 1.0 / 362_880.0, -1.0 / 5_040.0, 1.0 / 120.0, -1.0 / 6.0];
        let square = x * x;
        return T::one() + square * SERIES.iter().fold(T::zero(), |sum, term| sum * square + T::of(*term));
    }
    x.sin() / x
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: f64, want: f64) {
        assert!((got - want).abs() <= 4e-15 * want.abs(), "{got:e} is not {want:e}");
    }

    /// The inverse of `erf`: Cephes, then Newton steps on whichever of `erf` and `erfc` is small there.
    fn erfinv(y: f64) -> f64 {
        let mut x = spec_math::misc::erfinv(y);
        if !x.is_finite() || y == 0.0 {
            return x;
        }
        for _ in 0..2 {
            let miss = if y.abs() < 0.5 { libm::erf(x) - y } else { ((1.0 - y.abs()) - libm::erfc(x.abs())) * y.signum() };
            x -= miss / (std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp());
        }
        x
    }

    #[test]
    fn values_of_the_handbooks() {
        near(digamma(1.0), -0.577_215_664_901_532_9);
        // Six steps and three terms, as PyTorch takes them: right to nine digits, and recorded from it.
        near(polygamma(1.0, 1.0, |x| x), 1.644_934_067_638_337_5);
        near(polygamma(2.0, 1.0, |x| x), -2.404_113_806_319_188_6);
        near(erfcx(1.0), 0.427_583_576_155_807_05);
        near(erfcx(30.0), 0.018_795_888_861_416_75);
        near(erfinv(0.5), 0.476_936_276_204_469_9);
        near(erfinv(1e-6), 8.862_269_254_529_9e-7);
        near(log_ndtr(-10.0), -53.231_285_150_512_47);
        near(spherical_j0(0.25), 0.25f64.sin() / 0.25);
    }

    #[test]
    fn inverses_lead_back() {
        for i in -19..20 {
            let x = i as f64 / 10.0;
            assert!((erfinv(libm::erf(x)) - x).abs() < 1e-13, "{x}");
            assert!((ndtri(log_ndtr(x).exp()) - x).abs() < 1e-13, "{x}");
        }
    }

    #[test]
    fn the_inverse_of_erf_of_float32_is_rounded_once() {
        for bits in (0..=1f32.to_bits()).step_by(10_007).chain([1, 1f32.to_bits() - 1, 1f32.to_bits() + 1]) {
            for y in [f32::from_bits(bits), -f32::from_bits(bits)] {
                let (found, exact) = (crate::kernel::vector::erfinv(y), erfinv(y as f64));
                let unit = f32::from_bits(found.abs().to_bits() + 1) - found.abs();
                let near = (found as f64 - exact).abs() <= 0.51 * unit as f64;
                assert!(near || found as f64 == exact || (found.is_nan() && exact.is_nan()), "{y:e}: {found:e}, {exact:e}");
            }
        }
    }
}
