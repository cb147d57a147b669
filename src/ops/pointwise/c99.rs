//! Functions of complex numbers with the values that C prescribes at infinities, NaN and signed zeros, and without the
//! cancellation of the textbook formulas. Computed in float64, rounded once; those of float32 that C's library makes of a few functions
//! of its parts are made so.

use super::{c_arcs, c_steps};
use num_complex::Complex;
use num_traits::{AsPrimitive, Float, Zero};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, PI};

type Z = Complex<f64>;

/// Lanes of complex numbers: float32 and float64.
pub trait Part: Float + AsPrimitive<f64> {
    /// Rounds.
    fn from_wide(value: f64) -> Self;
}

impl Part for f32 {
    fn from_wide(value: f64) -> f32 {
        value as f32
    }
}

impl Part for f64 {
    fn from_wide(value: f64) -> f64 {
        value
    }
}

/// In the steps of C's library, or where those do not go, the other way.
fn arc<F: Part>(z: Complex<F>, steps: fn(Complex<F>) -> Complex<F>, rest: fn(Z) -> Z) -> Complex<F> {
    if z.re.is_finite() && z.im.is_finite() && !z.is_zero() {
        return steps(z);
    }
    let w = rest(Z::new(z.re.as_(), z.im.as_()));
    Complex::new(F::from_wide(w.re), F::from_wide(w.im))
}

macro_rules! arcs {
    ($($name:ident)*) => { $(
        #[doc = concat!("`", stringify!($name), "` of a complex number.")]
        pub fn $name<F: Part>(z: Complex<F>) -> Complex<F> {
            arc(z, c_arcs::$name, wide::$name)
        }
    )* };
}

arcs! { asinh acosh atanh asin atan }

macro_rules! public_in_steps {
    ($($name:ident)*) => { $(
        #[doc = concat!("`", stringify!($name), "` of a complex number.")]
        #[inline(always)]
        pub fn $name<F: Part>(z: Complex<F>) -> Complex<F> {
            let in_steps = if size_of::<F>() == size_of::<f32>() { c_steps::$name(z) } else { None };
            in_steps.unwrap_or_else(|| {
                let w = wide::$name(Z::new(z.re.as_(), z.im.as_()));
                Complex::new(F::from_wide(w.re), F::from_wide(w.im))
            })
        }
    )* };
}

public_in_steps! { exp sinh cosh tanh sin cos tan }

/// `acos` of a complex number; of complex128 it is what the arcsine leaves of a right angle, as PyTorch has it.
pub fn acos<F: Part>(z: Complex<F>) -> Complex<F> {
    if size_of::<F>() == size_of::<f64>() {
        let w = asin(z);
        return Complex::new(F::from_wide(FRAC_PI_2) - w.re, F::zero() - w.im);
    }
    arc(z, c_arcs::acos, wide::acos)
}

/// The square root.
pub fn sqrt<F: Part>(z: Complex<F>) -> Complex<F> {
    let (x, y, zero) = (z.re, z.im, F::zero());
    match (x.is_finite(), y.is_finite()) {
        (true, true) => finite_root(z),
        _ if y.is_infinite() => Complex::new(F::infinity(), y),
        (false, _) if x.is_infinite() && x > zero => Complex::new(x, if y.is_nan() { y } else { zero.copysign(y) }),
        (false, _) if x.is_infinite() => Complex::new(if y.is_nan() { y } else { zero }, F::infinity().copysign(y)),
        _ => Complex::new(F::nan(), F::nan()),
    }
}

/// The square root of finite parts, in the steps of C's library and thus with its bits.
fn finite_root<F: Part>(z: Complex<F>) -> Complex<F> {
    let (x, y, zero, one) = (z.re, z.im, F::zero(), F::one());
    let two = one + one;
    let half = one / two;
    if y == zero {
        let root = x.abs().sqrt();
        return if x < zero { Complex::new(zero, root.copysign(y)) } else { Complex::new(root, y) };
    }
    let (least, most) = (two * F::min_positive_value(), F::max_value() / (two * two));
    if x == zero {
        let root = if y.abs() < least { half * (two * y.abs()).sqrt() } else { (half * y.abs()).sqrt() };
        return Complex::new(root, root.copysign(y));
    }
    // A power of two whose square keeps the size from overflow and its bits from being lost.
    let power = if x.abs() > most || y.abs() > most {
        half
    } else if x.abs() < least && y.abs() < least {
        F::from_wide(if size_of::<F>() == 4 { 4096.0 } else { 134_217_728.0 })
    } else {
        one
    };
    let (x, y) = (x * power * power, y * power * power);
    let size = x.hypot(y);
    let larger = (half * (size + x.abs())).sqrt();
    let other = half * (y / larger);
    let (re, im) = if x > zero { (larger, other) } else { (other.abs(), larger) };
    Complex::new(re / power, im.copysign(y) / power)
}

/// `exp(z) - 1`, accurate near 0: as PyTorch has it, with the product added unrounded.
pub fn expm1<F: Part>(z: Complex<F>) -> Complex<F> {
    let two = F::one() + F::one();
    let half = (z.im / two).sin();
    Complex::new(z.re.exp_m1().mul_add(z.im.cos(), -(two * half * half)), z.re.exp() * z.im.sin())
}

/// 2 to the power of a complex number.
pub fn exp2<F: Part>(z: Complex<F>) -> Complex<F> {
    let scale = F::from_wide(LN_2);
    exp(Complex::new(z.re * scale, z.im * scale))
}

/// `log(exp(a) + exp(b))` without overflow.
pub fn logaddexp<F: Part>(a: Complex<F>, b: Complex<F>) -> Complex<F> {
    if a.re.is_nan() || a.im.is_nan() || b.re.is_nan() || b.im.is_nan() {
        return Complex::new(F::nan(), F::nan());
    }
    let (low, high) = if a.re < b.re { (a, b) } else { (b, a) };
    if low.re == high.re && !low.re.is_finite() {
        return if low.re < F::zero() { low } else { (exp(low) + exp(high)).ln() };
    }
    (exp(low - high) + F::one()).ln() + high
}

mod wide {
    use super::{FRAC_PI_2, FRAC_PI_4, PI, Z};

    /// `-i f(iz)`: a function of angles from the hyperbolic one.
    fn turned(f: fn(Z) -> Z, z: Z) -> Z {
        let w = f(Z::new(-z.im, z.re));
        Z::new(w.im, -w.re)
    }

    pub(super) fn exp(z: Z) -> Z {
        match (z.re, z.im) {
            (x, 0.0) => Z::new(x.exp(), z.im),
            (x, y) if y.is_finite() && !x.is_nan() => Z::new(scaled(x.exp(), y.cos()), scaled(x.exp(), y.sin())),
            (f64::INFINITY, _) => Z::new(f64::INFINITY, f64::NAN),
            (f64::NEG_INFINITY, y) => Z::new(0.0, 0f64.copysign(y)),
            _ => Z::new(f64::NAN, f64::NAN),
        }
    }

    /// The product of a size and a direction; an infinite size keeps only the direction's sign.
    fn scaled(size: f64, direction: f64) -> f64 {
        if size.is_infinite() { size.copysign(direction) * size.signum() } else { size * direction }
    }

    pub(super) fn sinh(z: Z) -> Z {
        let (x, y) = (z.re, z.im);
        match (x.is_finite(), y.is_finite()) {
            (_, true) if y == 0.0 => Z::new(x.sinh(), y),
            (true, true) => Z::new(x.sinh() * y.cos(), x.cosh() * y.sin()),
            (true, false) => Z::new(if x == 0.0 { x } else { f64::NAN }, f64::NAN),
            (false, true) if x.is_infinite() => {
                Z::new(f64::INFINITY.copysign(y.cos() * x.signum()), f64::INFINITY.copysign(y.sin()))
            }
            (false, false) if x.is_infinite() => Z::new(f64::INFINITY, f64::NAN),
            _ => Z::new(f64::NAN, f64::NAN),
        }
    }

    pub(super) fn cosh(z: Z) -> Z {
        let (x, y) = (z.re, z.im);
        match (x.is_finite(), y.is_finite()) {
            (_, true) if y == 0.0 && !x.is_nan() => Z::new(x.cosh(), y * 1f64.copysign(x)),
            (_, true) if y == 0.0 => Z::new(x, y),
            (true, true) => Z::new(x.cosh() * y.cos(), x.sinh() * y.sin()),
            (true, false) => Z::new(f64::NAN, if x == 0.0 { 0.0 } else { f64::NAN }),
            (false, true) if x.is_infinite() => {
                Z::new(f64::INFINITY.copysign(y.cos()), f64::INFINITY.copysign(y.sin() * x.signum()))
            }
            (false, false) if x.is_infinite() => Z::new(f64::INFINITY, f64::NAN),
            _ => Z::new(f64::NAN, f64::NAN),
        }
    }

    pub(super) fn tanh(z: Z) -> Z {
        /// Beyond this size of the real part the result's is 1.
        const FAR: f64 = 354.0;
        let (x, y) = (z.re, z.im);
        if x.is_infinite() {
            let sign = if y.is_finite() && y.abs() > 1.0 { y.sin() * y.cos() } else { y };
            return Z::new(1f64.copysign(x), 0f64.copysign(sign));
        }
        if y == 0.0 && (x.is_nan() || x == 0.0) {
            return z;
        }
        if !x.is_finite() || !y.is_finite() {
            return Z::new(if x == 0.0 { x } else { f64::NAN }, f64::NAN);
        }
        let (sin, cos) = y.sin_cos();
        if x.abs() > FAR {
            return Z::new(1f64.copysign(x), 4.0 * sin * cos / (2.0 * x.abs()).exp());
        }
        let (sinh, cosh) = (x.sinh(), x.cosh());
        let size = if sinh.abs() > cos.abs() * f64::EPSILON { sinh * sinh + cos * cos } else { cos * cos };
        Z::new(sinh * cosh / size, sin * cos / size)
    }

    pub(super) fn sin(z: Z) -> Z {
        // Of what is no number the sign is lost, and the infinity is taken to be positive.
        if z.re.is_nan() && z.im.is_infinite() { Z::new(f64::NAN, f64::INFINITY) } else { turned(sinh, z) }
    }

    pub(super) fn cos(z: Z) -> Z {
        cosh(Z::new(-z.im, z.re))
    }

    pub(super) fn tan(z: Z) -> Z {
        turned(tanh, z)
    }

    pub(super) fn asinh(z: Z) -> Z {
        let (x, y) = (z.re, z.im);
        if y.is_infinite() {
            let angle = if x.is_finite() { FRAC_PI_2 } else { FRAC_PI_4 };
            return Z::new(f64::INFINITY.copysign(x), if x.is_nan() { f64::NAN } else { angle.copysign(y) });
        }
        if !x.is_finite() {
            let known = if x.is_nan() { y == 0.0 } else { !y.is_nan() };
            return Z::new(x, if known { 0f64.copysign(y) } else { f64::NAN });
        }
        if y.is_nan() {
            return Z::new(y, y);
        }
        z
    }

    pub(super) fn asin(z: Z) -> Z {
        match (z.re, z.im) {
            (x, y) if (x.is_nan() || y.is_nan()) && x == 0.0 => z,
            (x, y) if (x.is_nan() && y.is_infinite()) || (y.is_nan() && x.is_infinite()) => {
                Z::new(f64::NAN, f64::INFINITY.copysign(y))
            }
            (x, y) if x.is_nan() || y.is_nan() => Z::new(f64::NAN, f64::NAN),
            _ => turned(asinh, z),
        }
    }

    pub(super) fn acos(z: Z) -> Z {
        let w = asin(z);
        Z::new(FRAC_PI_2 - w.re, -w.im)
    }

    pub(super) fn acosh(z: Z) -> Z {
        let (x, y) = (z.re, z.im);
        if y.is_infinite() {
            let angle = match x {
                f64::INFINITY => FRAC_PI_4,
                f64::NEG_INFINITY => PI - FRAC_PI_4,
                _ => FRAC_PI_2,
            };
            return Z::new(f64::INFINITY, if x.is_nan() { x } else { angle.copysign(y) });
        }
        if x.is_infinite() {
            let angle = if x < 0.0 { PI } else { 0.0 };
            return Z::new(f64::INFINITY, if y.is_nan() { y } else { angle.copysign(y) });
        }
        if x.is_nan() || y.is_nan() {
            return Z::new(f64::NAN, if x == 0.0 { FRAC_PI_2 } else { f64::NAN });
        }
        let w = acos(z);
        Z::new(w.im.abs(), w.re.copysign(y))
    }

    pub(super) fn atan(z: Z) -> Z {
        let (x, y) = (z.re, z.im);
        if x.is_infinite() || y.is_infinite() {
            return Z::new(if x.is_nan() { x } else { FRAC_PI_2.copysign(x) }, 0f64.copysign(y));
        }
        if x.is_nan() || y.is_nan() {
            return Z::new(f64::NAN, if y == 0.0 { y } else { f64::NAN });
        }
        z
    }

    pub(super) fn atanh(z: Z) -> Z {
        turned(atan, z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_lead_back() {
        for (re, im) in [(0.5, 0.25), (-2.0, 3.0), (1e-9, -1e-9), (-501.0, -501.0), (0.3, -0.0), (-2.5, 0.0)] {
            let z = Z::new(re, im);
            for (name, there, back) in [
                ("asinh", asinh(z), sinh as fn(Z) -> Z),
                ("acosh", acosh(z), cosh),
                ("atanh", atanh(z), tanh),
                ("asin", asin(z), sin),
                ("acos", acos(z), cos),
                ("atan", atan(z), tan),
            ] {
                let found = back(there);
                assert!((found - z).norm() <= 1e-10 * z.norm().max(1e-3), "{name}({z}) = {there}, and back {found}");
            }
        }
    }

    #[test]
    fn infinities_have_the_angles_of_their_quadrant() {
        let infinite = Z::new(f64::INFINITY, f64::INFINITY);
        assert_eq!(acos(infinite), Z::new(FRAC_PI_4, f64::NEG_INFINITY));
        assert_eq!(asinh(infinite), Z::new(f64::INFINITY, FRAC_PI_4));
        assert_eq!(acosh(-infinite.conj()), Z::new(f64::INFINITY, PI - FRAC_PI_4));
        assert_eq!(atan(infinite), Z::new(FRAC_PI_2, 0.0));
    }
}
