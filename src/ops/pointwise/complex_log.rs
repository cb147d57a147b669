//! The logarithm of a complex number, which loses nothing where its size is near one.

use super::c99::Part;
use super::complex::{divide, fused_product};
use num_complex::Complex;
use std::f64::consts::LN_2;

/// The natural logarithm.
pub fn log<F: Part>(z: Complex<F>) -> Complex<F> {
    Complex::new(log_of_size(z), z.arg())
}

/// The logarithm to the base that has this logarithm itself.
pub fn log_to<F: Part>(z: Complex<F>, of_base: f64) -> Complex<F> {
    log(z).unscale(F::from_wide(of_base))
}

/// The logarithm of one more: that of the rounded sum, made as much larger as the rounding made the number smaller.
pub fn log_of_more<F: Part>(z: Complex<F>) -> Complex<F> {
    let sum = Complex::new(z.re + F::one(), z.im);
    if sum == Complex::new(F::one(), F::zero()) {
        return z;
    }
    let (more, log) = (Complex::new(sum.re - F::one(), z.im), log(sum));
    if more == z { log } else { fused_product(log, divide(z, more)) }
}

/// The logarithm of the size: near one, that of what its square is more than one.
fn log_of_size<F: Part>(z: Complex<F>) -> F {
    let (x, y) = (z.re.abs(), z.im.abs());
    let (large, small) = if x < y { (y, x) } else { (x, y) };
    let (one, two) = (F::one(), F::one() + F::one());
    let halved = |more: F| more.ln_1p() / two;
    if large == one {
        return halved(small * small);
    }
    if large > one && large < two && small < one {
        let more = (large - one) * (large + one);
        return halved(if small >= F::epsilon() { more + small * small } else { more });
    }
    if large < one && large * two >= one && large * large + small * small >= one / two {
        return halved(F::from_wide(less_one::<F>(large.as_(), small.as_())));
    }
    let power = if large > F::max_value() / two {
        -1
    } else if large < F::min_positive_value() && small < F::min_positive_value() {
        if size_of::<F>() == size_of::<f32>() { f32::MANTISSA_DIGITS as i32 } else { f64::MANTISSA_DIGITS as i32 }
    } else {
        return large.hypot(small).ln();
    };
    // Sizes that hypot would round, or not hold, are moved by a power of two.
    let scale = two.powi(power);
    (large * scale).hypot(small * scale).ln() - F::from_wide(f64::from(power)) * F::from_wide(LN_2)
}

/// `x² + y² - 1`. The squares of float32 numbers are exact; those of float64 come in two parts each, which are added up from the least
/// on, as C's library does it.
pub(super) fn less_one<F: Part>(x: f64, y: f64) -> f64 {
    if size_of::<F>() < size_of::<f64>() {
        return (x - 1.0).mul_add(x + 1.0, y * y);
    }
    let (p, q) = (x * x, y * y);
    let mut parts = [x.mul_add(x, -p), p, y.mul_add(y, -q), q, -1.0];
    let by_size = |a: &f64, b: &f64| a.abs().total_cmp(&b.abs());
    parts.sort_by(by_size);
    for k in 0..4 {
        let (less, more) = (parts[k], parts[k + 1]);
        parts[k + 1] = more + less;
        parts[k] = (more - parts[k + 1]) + less;
        parts[k + 1..].sort_by(by_size);
    }
    parts.iter().rev().skip(1).fold(parts[4], |sum, part| sum + part)
}
