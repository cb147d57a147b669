//! Bessel functions by Moshier's Cephes, in the width of their argument and with products added unrounded, as PyTorch's are.
//!
//! PyTorch's denominators lack the leading 1 that Cephes leaves out of its tables, so its functions are right to seven or eight
//! digits in float64; so are these.

use super::bessel_tables::*;
use crate::kernel::vector;
use num_traits::Float;
use std::f64::consts::{FRAC_2_PI, FRAC_PI_4};

/// The square root of 2 / π.
const ROOT: f64 = 0.797_884_560_802_865_4;

/// A float with an exponential whose loops become vectors; that of float32 is rounded once.
pub trait Grown: Float {
    /// e^x.
    fn grown(self) -> Self;
}

impl Grown for f32 {
    #[inline(always)]
    fn grown(self) -> f32 {
        vector::exp_once(self)
    }
}

impl Grown for f64 {
    #[inline(always)]
    fn grown(self) -> f64 {
        vector::exp(self)
    }
}

#[inline(always)]
fn number<T: Float>(x: f64) -> T {
    T::from(x).unwrap_or_else(T::nan)
}

/// A series of Chebyshev's polynomials at `x / 2`.
#[inline(always)]
fn series<T: Float>(x: T, coefficients: &[f64]) -> T {
    let (mut sum, mut last, mut before) = (T::zero(), T::zero(), T::zero());
    for c in coefficients {
        (before, last) = (last, sum);
        sum = x.mul_add(last, -before) + number(*c);
    }
    number::<T>(0.5) * (sum - before)
}

/// As [`series`], each step rounded to the dtype.
#[inline(always)]
fn series_in_steps<T: Float>(x: T, coefficients: &[f64]) -> T {
    let (mut sum, mut last, mut before) = (T::zero(), T::zero(), T::zero());
    for c in coefficients {
        (before, last) = (last, sum);
        sum = x * last - before + number(*c);
    }
    number::<T>(0.5) * (sum - before)
}

#[inline(always)]
fn polynomial<T: Float>(x: T, coefficients: &[f64]) -> T {
    coefficients.iter().fold(T::zero(), |sum, c| sum.mul_add(x, number(*c)))
}

/// Where the series for small arguments of a modified function is taken.
#[inline(always)]
fn near<T: Float>(x: T) -> T {
    x / number(2.0) - number(2.0)
}

#[inline(always)]
fn far<T: Float>(x: T) -> T {
    number::<T>(32.0) / x - number(2.0)
}

/// The modified function of the first kind and order 0, with `scale` for exp(|x|). Both series are worked out, so that there is no
/// branch in the way of vectors.
#[inline(always)]
fn first_0<T: Float>(x: T, scale: T) -> T {
    let x = x.abs();
    let (small, large) = (scale * series(near(x), &I0_NEAR), scale * series(far(x), &I0_FAR) / x.sqrt());
    if x <= number(8.0) { small } else { large }
}

#[inline(always)]
pub fn i0<T: Grown>(x: T) -> T {
    first_0(x, x.abs().grown())
}

#[inline(always)]
pub fn i0e<T: Float>(x: T) -> T {
    first_0(x, T::one())
}

/// As [`i0e`], each step rounded to the dtype.
#[inline(always)]
pub fn i0e_in_steps<T: Float>(x: T) -> T {
    let x = x.abs();
    match x <= number(8.0) {
        true => series_in_steps(near(x), &I0_NEAR),
        false => series_in_steps(far(x), &I0_FAR) / x.sqrt(),
    }
}

/// As `first_0` of order 1. In float32 the first coefficients, which would change nothing, are left out.
#[inline(always)]
fn first_1<T: Float>(x: T, scale: T) -> T {
    let narrow = size_of::<T>() == 4;
    let y = x.abs();
    let small = scale * y * series(near(y), &I1_NEAR[if narrow { 12 } else { 0 }..]);
    let large = scale * series(far(y), &I1_FAR[if narrow { 18 } else { 0 }..]) / y.sqrt();
    let value = if y <= number(8.0) { small } else { large };
    if x < T::zero() { -value } else { value }
}

#[inline(always)]
pub fn i1<T: Grown>(x: T) -> T {
    first_1(x, x.abs().grown())
}

#[inline(always)]
pub fn i1e<T: Float>(x: T) -> T {
    first_1(x, T::one())
}

/// As `i1`, with all coefficients and another order of its factors.
#[inline(always)]
pub fn modified_i1<T: Grown>(x: T) -> T {
    let y = x.abs();
    let scale = y.grown();
    let (small, large) = (series(near(y), &I1_NEAR) * y * scale, scale * series(far(y), &I1_FAR) / y.sqrt());
    let value = if y <= number(8.0) { small } else { large };
    if x < T::zero() { -value } else { value }
}

/// A modified function of the second kind: infinite at 0, none below. `small` is its value up to 2.
#[inline(always)]
fn second<T: Float>(x: T, scaled: bool, small: impl Fn(T) -> T, coefficients: &[f64]) -> T {
    match x {
        _ if x == T::zero() => T::infinity(),
        _ if x.is_nan() || x < T::zero() => T::nan(),
        _ if x <= number(2.0) => small(x),
        _ => {
            let value = series(number::<T>(8.0) / x - number(2.0), coefficients);
            (if scaled { value } else { (-x).exp() * value }) / x.sqrt()
        }
    }
}

#[inline(always)]
pub fn k0<T: Grown>(x: T) -> T {
    // The logarithm is taken in float64, and what follows is rounded once.
    let wide = |x: T| x.to_f64().unwrap_or(f64::NAN);
    let small = |x: T| {
        let value = series(x.mul_add(x, number(-2.0)), &K0_NEAR);
        number((-(0.5 * wide(x)).ln()).mul_add(wide(i0(x)), wide(value)))
    };
    second(x, false, small, &K0_FAR)
}

#[inline(always)]
pub fn k0e<T: Grown>(x: T) -> T {
    let small = |x: T| {
        let value = series(x.mul_add(x, number(-2.0)), &K0_NEAR);
        (-(number::<T>(0.5) * x).ln()).mul_add(i0(x), value) * x.exp()
    };
    second(x, true, small, &K0_FAR)
}

#[inline(always)]
fn small_k1<T: Grown>(x: T) -> T {
    let value = series(x.mul_add(x, number(-2.0)), &K1_NEAR) / x;
    (number::<T>(0.5) * x).ln().mul_add(modified_i1(x), value)
}

#[inline(always)]
pub fn k1<T: Grown>(x: T) -> T {
    second(x, false, small_k1, &K1_FAR)
}

#[inline(always)]
pub fn k1e<T: Grown>(x: T) -> T {
    second(x, true, |x| small_k1(x) * x.exp(), &K1_FAR)
}

/// The expansion for large arguments: a sine and a cosine of the angle, and their weights.
struct Wave<T> {
    cosine: T,
    sine: T,
    in_phase: T,
    across: T,
}

impl<T: Float> Wave<T> {
    #[inline(always)]
    fn new(x: T, square: T, shift: f64, [pp, pq, qp, qq]: [&[f64]; 4]) -> Self {
        let angle = x - number(shift);
        Wave {
            cosine: angle.cos(),
            sine: angle.sin(),
            in_phase: polynomial(square, pp) / polynomial(square, pq),
            across: number::<T>(5.0) / x * (polynomial(square, qp) / polynomial(square, qq)),
        }
    }

    #[inline(always)]
    fn of_order_0(x: T) -> Self {
        Self::new(x, number::<T>(25.0) / (x * x), FRAC_PI_4, [&J0_PP, &J0_PQ, &J0_QP, &J0_QQ])
    }

    #[inline(always)]
    fn of_order_1(x: T) -> Self {
        let part = number::<T>(5.0) / x;
        Self::new(x, part * part, 3.0 * FRAC_PI_4, [&J1_PP, &J1_PQ, &J1_QP, &J1_QQ])
    }

    #[inline(always)]
    fn first_kind(&self, x: T) -> T {
        self.in_phase.mul_add(self.cosine, -(self.across * self.sine)) * number(ROOT) / x.sqrt()
    }

    #[inline(always)]
    fn second_kind(&self, x: T) -> T {
        self.in_phase.mul_add(self.sine, self.across * self.cosine) * number(ROOT) / x.sqrt()
    }
}

#[inline(always)]
pub fn j0<T: Float>(x: T) -> T {
    let x = x.abs();
    if x > number(5.0) {
        return Wave::of_order_0(x).first_kind(x);
    }
    let square = x * x;
    if x < number(1e-5) {
        return T::one() - square / number(4.0);
    }
    let zeros = (square - number(5.783_185_962_946_784)) * (square - number(30.471_262_343_662_087));
    zeros * polynomial(square, &J0_RP) / polynomial(square, &J0_RQ)
}

#[inline(always)]
pub fn j1<T: Float>(x: T) -> T {
    let size = x.abs();
    if size > number(5.0) {
        let value = Wave::of_order_1(size).first_kind(size);
        return if x < T::zero() { -value } else { value };
    }
    let square = x * x;
    let ratio = polynomial(square, &J1_RP) / polynomial(square, &J1_RQ);
    ratio * x * (square - number(14.681_970_642_123_893)) * (square - number(49.218_456_321_694_6))
}

#[inline(always)]
pub fn y0<T: Float>(x: T) -> T {
    match x {
        _ if x == T::zero() => T::neg_infinity(),
        _ if x.is_nan() || x < T::zero() => T::nan(),
        _ if x > number(5.0) => Wave::of_order_0(x).second_kind(x),
        _ => {
            let square = x * x;
            let ratio = polynomial(square, &Y0_P) / polynomial(square, &Y0_Q);
            (number::<T>(FRAC_2_PI) * x.ln()).mul_add(j0(x), ratio)
        }
    }
}

#[inline(always)]
pub fn y1<T: Float>(x: T) -> T {
    match x {
        _ if x == T::zero() => T::neg_infinity(),
        _ if x.is_nan() || x < T::zero() => T::nan(),
        _ if x > number(5.0) => Wave::of_order_1(x).second_kind(x),
        _ => {
            let square = x * x;
            let ratio = polynomial(square, &Y1_P) / polynomial(square, &Y1_Q);
            let rest = j1(x).mul_add(x.ln(), -x.recip());
            x.mul_add(ratio, number::<T>(FRAC_2_PI) * rest)
        }
    }
}
