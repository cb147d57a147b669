//! The incomplete gamma functions, as shares of the whole one, step by step in the width of their arguments: by a power series, by
//! another for small arguments of the upper one, or by a continued fraction.
//!
//! PyTorch's compiler made products that are added without rounding of the steps, but for those of the upper function that the lower
//! one asks for; `FUSED` says which are meant.

use num_traits::Float;
use spec_math::cephes64 as cephes;

/// The widths in which the functions are worked out.
pub trait Width: Float {
    /// Half the distance from 1 to the next number: a term that is less beside a sum ends it.
    const LEAST: Self;
    /// The logarithm of the largest number.
    const MOST: Self;
    /// From this size on the terms of the fraction are made smaller.
    const BIG: Self;
    /// A number, rounded.
    fn of(x: f64) -> Self;
    /// Widened.
    fn wide(self) -> f64;
    /// The logarithm of the size of the gamma function.
    fn log_gamma(self) -> Self;
    /// 1 less the error function.
    fn erf_complement(self) -> Self;
}

impl Width for f32 {
    const LEAST: f32 = f32::EPSILON / 2.0;
    const MOST: f32 = 88.722_84;
    const BIG: f32 = 16_777_216.0;
    fn of(x: f64) -> f32 {
        x as f32
    }
    fn wide(self) -> f64 {
        f64::from(self)
    }
    fn log_gamma(self) -> f32 {
        libm::lgammaf(self)
    }
    fn erf_complement(self) -> f32 {
        libm::erfcf(self)
    }
}

impl Width for f64 {
    const LEAST: f64 = f64::EPSILON / 2.0;
    const MOST: f64 = 709.782_712_893_384;
    const BIG: f64 = 4_503_599_627_370_496.0;
    fn of(x: f64) -> f64 {
        x
    }
    fn wide(self) -> f64 {
        self
    }
    fn log_gamma(self) -> f64 {
        libm::lgamma(self)
    }
    fn erf_complement(self) -> f64 {
        libm::erfc(self)
    }
}

/// Terms at most; what has not settled by then stays as it is.
const TERMS: usize = 2000;

/// Lanczos's sum for the gamma function, scaled by an exponential: the coefficients above and below the line, highest power first.
const ABOVE: [f64; 13] = [
    0.006_061_842_346_248_907,
    0.509_841_665_565_667_6,
    19.519_927_882_476_175,
    449.944_556_906_316_8,
    6_955.999_602_515_376,
    75_999.293_040_145_42,
    601_859.617_168_109_9,
    3_481_712.154_980_646,
    14_605_578.087_685_067,
    43_338_889.324_676_14,
    86_363_131.288_138_6,
    103_794_043.116_344_54,
    56_906_521.913_471_565,
];
const BELOW: [f64; 13] = [
    1.0,
    66.0,
    1_925.0,
    32_670.0,
    357_423.0,
    2_637_558.0,
    13_339_535.0,
    45_995_730.0,
    105_258_076.0,
    150_917_976.0,
    120_543_840.0,
    39_916_800.0,
    0.0,
];

/// What Lanczos's sum is shifted by.
const SHIFT: f64 = 6.024_680_040_776_73;

/// The lower function of `x`, for the shape `a`.
pub fn lower<T: Width>(a: T, x: T) -> T {
    if let Some(edge) = edge(a, x) {
        return edge;
    }
    if is_near(a, x) {
        return T::of(by_curve(a.wide(), x.wide(), -1.0, cephes::igam));
    }
    if x > T::one() && x > a { T::one() - upper_by_steps::<T, false>(a, x) } else { by_series::<T, true>(a, x) }
}

/// The upper function of `x`, for the shape `a`.
pub fn upper<T: Width>(a: T, x: T) -> T {
    if let Some(edge) = edge(a, x) {
        return T::one() - edge;
    }
    if is_near(a, x) {
        return T::of(by_curve(a.wide(), x.wide(), 1.0, cephes::igamc));
    }
    upper_by_steps::<T, true>(a, x)
}

/// The lower function where an argument is 0, infinite or outside the domain. A NaN beside such a 0 or infinity is not looked at.
fn edge<T: Width>(a: T, x: T) -> Option<T> {
    let (zero, one, nan) = (T::zero(), T::one(), T::nan());
    match () {
        () if a < zero || x < zero => Some(nan),
        () if a == zero => Some(if x > zero { one } else { nan }),
        () if x == zero => Some(zero),
        () if a.is_infinite() => Some(if x.is_infinite() { nan } else { zero }),
        () if x.is_infinite() => Some(one),
        () if a.is_nan() || x.is_nan() => Some(nan),
        () => None,
    }
}

/// True where large arguments are so near each other that an asymptotic series is taken.
fn is_near<T: Width>(a: T, x: T) -> bool {
    let distance = (x - a).abs() / a;
    let (small, large) = (T::of(20.0), T::of(200.0));
    (a > small && a < large && distance < T::of(0.3)) || (a > large && distance < T::of(4.5) / a.sqrt())
}

/// Cephes' asymptotic series, of which PyTorch divides all but the leading term by the root of a pi of 24 bits.
fn by_curve(a: f64, x: f64, side: f64, share: fn(f64, f64) -> f64) -> f64 {
    let sigma = (x - a) / a;
    let eta = (-2.0 * log_without_slope(sigma)).sqrt().copysign(sigma);
    let leading = 0.5 * libm::erfc(side * eta * (a / 2.0).sqrt());
    let rest = share(a, x) - leading;
    leading + rest / (f64::from(std::f32::consts::PI) / std::f64::consts::PI).sqrt()
}

/// `log(1 + x) - x`, by its series where they are nearly the same.
fn log_without_slope(x: f64) -> f64 {
    if x.abs() >= 0.5 {
        return x.ln_1p() - x;
    }
    let (mut power, mut sum) = (x, 0.0f64);
    for n in 2..500 {
        power *= -x;
        let term = power / f64::from(n);
        sum += term;
        if term.abs() <= f64::LEAST * sum.abs() {
            break;
        }
    }
    sum
}

fn upper_by_steps<T: Width, const FUSED: bool>(a: T, x: T) -> T {
    let by_lower = match () {
        () if x > T::of(1.1) && x >= a => return by_fraction::<T, FUSED>(a, x),
        () if x > T::of(1.1) => true,
        () if x <= T::of(0.5) => T::of(-0.4) / x.ln() < a,
        () => x * T::of(1.1) < a,
    };
    if by_lower { T::one() - by_series::<T, FUSED>(a, x) } else { by_small_series::<T, FUSED>(a, x) }
}

/// `a * b + c`.
#[inline(always)]
fn added<T: Width, const FUSED: bool>(a: T, b: T, c: T) -> T {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// `x` to the power of `a`, times `exp(-x)`, as a part of the gamma function.
fn factor<T: Width, const FUSED: bool>(a: T, x: T) -> T {
    if (a - x).abs() > T::of(0.4) * a.abs() {
        let log = added::<T, FUSED>(a, x.ln(), -x) - a.log_gamma();
        return if log < -T::MOST { T::zero() } else { log.exp() };
    }
    let (half, shift) = (T::of(0.5), T::of(SHIFT));
    let base = a + shift - half;
    let scale = (base / T::of(std::f64::consts::E)).sqrt() / lanczos::<T, FUSED>(a);
    let most = T::of(200.0);
    if a < most && x < most {
        return scale * ((a - x).exp() * (x / base).powf(a));
    }
    let part = (x - a - shift + half) / base;
    scale * added::<T, FUSED>(a, part.ln_1p() - part, x * (half - shift) / base).exp()
}

/// Lanczos's sum; of a number above 1 by powers of its inverse.
fn lanczos<T: Width, const FUSED: bool>(x: T) -> T {
    let sum = |coefficients: &[f64; 13]| match x.abs() > T::one() {
        true => polynomial::<T, FUSED>(T::one() / x, coefficients.iter().rev()),
        false => polynomial::<T, FUSED>(x, coefficients.iter()),
    };
    sum(&ABOVE) / sum(&BELOW)
}

fn polynomial<'a, T: Width, const FUSED: bool>(x: T, coefficients: impl Iterator<Item = &'a f64>) -> T {
    coefficients.map(|c| T::of(*c)).reduce(|sum, c| added::<T, FUSED>(sum, x, c)).unwrap_or_else(T::zero)
}

/// The lower function by its power series.
fn by_series<T: Width, const FUSED: bool>(a: T, x: T) -> T {
    let factor = factor::<T, FUSED>(a, x);
    if factor == T::zero() {
        return factor;
    }
    let (mut place, mut term, mut sum) = (a, T::one(), T::one());
    for _ in 0..TERMS {
        place = place + T::one();
        term = term * (x / place);
        sum = sum + term;
        if term <= T::LEAST * sum {
            break;
        }
    }
    sum * factor / a
}

/// The upper function of a small `x`, whose lower one is nearly the whole.
fn by_small_series<T: Width, const FUSED: bool>(a: T, x: T) -> T {
    let (mut power, mut sum) = (T::one(), T::zero());
    for n in 1..TERMS {
        let n = T::of(n as f64);
        power = power * (-x / n);
        let term = power / (a + n);
        sum = sum + term;
        if term.abs() <= T::LEAST * sum.abs() {
            break;
        }
    }
    let log = x.ln();
    let first = -(added::<T, FUSED>(a, log, -(T::one() + a).log_gamma()).exp_m1());
    added::<T, FUSED>(-added::<T, FUSED>(a, log, -a.log_gamma()).exp(), sum, first)
}

/// The upper function by its continued fraction.
fn by_fraction<T: Width, const FUSED: bool>(a: T, x: T) -> T {
    let (one, two) = (T::one(), T::of(2.0));
    let factor = factor::<T, FUSED>(a, x);
    if factor == T::zero() {
        return factor;
    }
    let (mut count, mut y, mut z) = (T::zero(), one - a, one - a + x + one);
    // What is above and below the line, of the fraction so far and of the one before.
    let (mut above, mut below) = ([x + one, one], [z * x, x]);
    let mut found = above[0] / below[0];
    for _ in 0..TERMS {
        (count, y, z) = (count + one, y + one, z + two);
        let weight = y * count;
        let step = |[last, before]: [T; 2]| added::<T, FUSED>(last, z, -(before * weight));
        let (top, bottom) = (step(above), step(below));
        let mut change = one;
        if bottom != T::zero() {
            let next = top / bottom;
            change = ((found - next) / next).abs();
            found = next;
        }
        (above, below) = ([top, above[0]], [bottom, below[0]]);
        if top.abs() > T::BIG {
            (above, below) = (above.map(|part| part / T::BIG), below.map(|part| part / T::BIG));
        }
        if change <= T::LEAST {
            break;
        }
    }
    found * factor
}

#[cfg(test)]
mod tests {
    use super::{lower, upper};

    #[test]
    fn shares_are_as_recorded() {
        for (a, x, low, high) in [(2.75, 4.0, 0.804_748_5, 0.195_251_55), (5.0, 0.5, 0.000_172_115_63, 0.999_827_86)] {
            assert_eq!((lower::<f32>(a, x), upper::<f32>(a, x)), (low, high), "{a} {x}");
        }
        assert_eq!(upper::<f64>(2.0, 3.0), 0.199_148_273_471_455_8);
    }

    #[test]
    fn both_shares_make_the_whole() {
        for a in [0.1, 0.75, 1.0, 2.5, 9.0, 30.0, 250.0] {
            for x in [0.01, 0.4, 0.9, 1.05, 2.0, 8.0, 31.0, 240.0] {
                let whole: f64 = lower(a, x) + upper(a, x);
                assert!((whole - 1.0).abs() < 1e-12, "{a} {x}: {whole}");
            }
        }
    }
}
