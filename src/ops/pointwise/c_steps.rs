//! Functions of complex numbers in the width of their parts, in the steps of C's library and thus with its bits: of numbers from
//! which no step leads to an infinity. What they leave out is [`c99`](super::c99)'s.

use super::c99::Part;
use num_complex::Complex;
use num_traits::Float;

/// The sine and the cosine of an angle; the least angles are their sine.
fn turn<F: Float>(angle: F) -> (F, F) {
    if angle.abs() > F::min_positive_value() { (angle.sin(), angle.cos()) } else { (angle, F::one()) }
}

/// The whole part of the largest power of e, or of its square for half of it.
fn most<F: Part>(share: f64) -> F {
    let wide: f64 = F::max_value().as_();
    F::from_wide((wide.log2().floor() * std::f64::consts::LN_2 / share).trunc())
}

/// True when both parts are finite, and the one that grows is not beyond what its functions are.
fn is_near<F: Part>(growing: F, other: F, share: f64) -> bool {
    growing.abs() <= most(share) && other.is_finite()
}

pub(super) fn exp<F: Part>(z: Complex<F>) -> Option<Complex<F>> {
    let (sin, cos) = turn(z.im);
    let is_near = z.re <= most(1.0) && z.re.is_finite() && z.im.is_finite();
    is_near.then(|| Complex::new(z.re.exp() * cos, z.re.exp() * sin))
}

pub(super) fn sinh<F: Part>(z: Complex<F>) -> Option<Complex<F>> {
    let (sin, cos) = turn(z.im);
    let cos = if z.re.is_sign_negative() { -cos } else { cos };
    let x = z.re.abs();
    is_near(x, z.im, 1.0).then(|| Complex::new(x.sinh() * cos, x.cosh() * sin))
}

pub(super) fn cosh<F: Part>(z: Complex<F>) -> Option<Complex<F>> {
    let (sin, cos) = turn(z.im);
    is_near(z.re, z.im, 1.0).then(|| Complex::new(z.re.cosh() * cos, z.re.sinh() * sin))
}

pub(super) fn sin<F: Part>(z: Complex<F>) -> Option<Complex<F>> {
    sinh(Complex::new(-z.im, z.re)).map(|w| Complex::new(w.im, -w.re))
}

pub(super) fn cos<F: Part>(z: Complex<F>) -> Option<Complex<F>> {
    cosh(Complex::new(-z.im, z.re))
}

pub(super) fn tanh<F: Part>(z: Complex<F>) -> Option<Complex<F>> {
    let (sin, cos) = turn(z.im);
    let x = z.re;
    let (sinh, cosh) = if x.abs() > F::epsilon() { (x.sinh(), x.cosh()) } else { (x, F::one()) };
    let size = if sinh.abs() > cos.abs() * F::epsilon() { sinh * sinh + cos * cos } else { cos * cos };
    is_near(x, z.im, 2.0).then(|| Complex::new(sinh * cosh / size, sin * cos / size))
}

pub(super) fn tan<F: Part>(z: Complex<F>) -> Option<Complex<F>> {
    tanh(Complex::new(-z.im, z.re)).map(|w| Complex::new(w.im, -w.re))
}
