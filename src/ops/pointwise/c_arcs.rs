//! The inverses of the functions of angles and of hyperbolas, of complex numbers with finite parts that are not both zero: in the width
//! of their parts, in the steps of C's library and thus with its bits. What they leave out is [`c99`](super::c99)'s.

use super::c99::{self, Part};
use super::complex_log::{less_one, log};
use num_complex::Complex;
use std::f64::consts::{FRAC_PI_2, LN_2};

/// The real part of the inverse hyperbolic sine of a number with these parts, neither of which is negative, and the point at whose
/// angle the imaginary part is. Where the textbook's `log(z + sqrt(z² + 1))` would lose digits, its sums are written as what they are
/// more than one.
fn height<F: Part>(x: F, y: F) -> (F, Complex<F>) {
    let number = F::from_wide;
    let (one, two, half, least) = (F::one(), number(2.0), number(0.5), F::epsilon());
    let (few, far) = (least / number(8.0), one / least);
    let halved = |more: F| more.ln_1p() / two;
    let at = |height: F, across: F, up: F| (height, Complex::new(across, up));
    if x >= far || y >= far {
        let z = Complex::new(x, y);
        return (log(z).re + number(LN_2), z);
    }
    if x >= half && y < few {
        let size = one.hypot(x);
        return at((x + size).ln(), size, y);
    }
    if x < few && y >= number(1.5) {
        let size = ((y + one) * (y - one)).sqrt();
        return at((y + size).ln(), x, size);
    }
    if x < half && y == one {
        return beside_one(x);
    }
    if x < half && y < one && y <= least {
        let size = one.hypot(x);
        return at(halved(two * x * (x + size)), size, y);
    }
    if x < half && y < number(1.5) {
        // How far the imaginary part is from one, on either side.
        let apart = if y > one { (y + one) * (y - one) } else { (one + y) * (one - y) };
        if x < least * least {
            let size = apart.sqrt();
            return if y > one { at(halved(two * (apart + y * size)), x, size) } else { at(halved(two * x / size), size, y) };
        }
        let square = x * x;
        let more = square * (two + square + two * y * y);
        let root = (apart * apart + more).sqrt();
        let (sum, rest) = (root + apart, more / (root + apart));
        let (above, below) = if y > one { (sum, rest) } else { (rest, sum) };
        let across = ((below + square) / two).sqrt();
        let up = x * y / across;
        return at(halved(square + above + two * (x * across + y * up)), x + across, y + up);
    }
    let root = c99::sqrt(Complex::new((x - y) * (x + y) + one, two * x * y));
    let sum = Complex::new(root.re + x, root.im + y);
    (log(sum).re, sum)
}

/// [`height`] of a number of which the imaginary part is one.
fn beside_one<F: Part>(x: F) -> (F, Complex<F>) {
    let (one, two) = (F::one(), F::from_wide(2.0));
    if x < F::epsilon() / F::from_wide(8.0) {
        return ((two * (x + x.sqrt())).ln_1p() / two, Complex::new(x.sqrt(), one));
    }
    let square = x * x;
    let root = x * (F::from_wide(4.0) + square).sqrt();
    let (across, up) = (((root + square) / two).sqrt(), ((root - square) / two).sqrt());
    ((square + root + two * (x * across + up)).ln_1p() / two, Complex::new(x + across, one + up))
}

pub(super) fn asinh<F: Part>(z: Complex<F>) -> Complex<F> {
    let (height, at) = height(z.re.abs(), z.im.abs());
    Complex::new(height.copysign(z.re), at.im.atan2(at.re).copysign(z.im))
}

/// The size of the inverse hyperbolic cosine, and the angle of the point on the other side.
fn beside<F: Part>(z: Complex<F>) -> (F, F) {
    let (height, at) = height(z.im.abs(), z.re.abs());
    (height, at.re.atan2(at.im.copysign(z.re)))
}

pub(super) fn acosh<F: Part>(z: Complex<F>) -> Complex<F> {
    let (height, angle) = beside(z);
    Complex::new(height, angle.copysign(z.im))
}

pub(super) fn asin<F: Part>(z: Complex<F>) -> Complex<F> {
    let w = asinh(Complex::new(-z.im, z.re));
    Complex::new(w.im, -w.re)
}

pub(super) fn acos<F: Part>(z: Complex<F>) -> Complex<F> {
    let (height, angle) = beside(z);
    Complex::new(angle, height.copysign(-z.im))
}

pub(super) fn atan<F: Part>(z: Complex<F>) -> Complex<F> {
    let number = F::from_wide;
    let (one, least, far) = (F::one(), F::epsilon(), number(16.0) / F::epsilon());
    let (x, y) = (z.re.abs(), z.im.abs());
    if x >= far || y >= far {
        let height = if y <= one {
            z.im / z.re / z.re
        } else if x <= one {
            one / z.im
        } else {
            let half = (z.re / number(2.0)).hypot(z.im / number(2.0));
            z.im / half / half / number(4.0)
        };
        return Complex::new(number(FRAC_PI_2).copysign(z.re), height);
    }
    let (large, small) = if x < y { (y, x) } else { (x, y) };
    let apart = (one - large) * (one + large);
    let across = if small < least / number(2.0) {
        apart + F::zero()
    } else if large < one && (large >= number(0.75) || small >= number(0.5)) {
        -number(less_one::<F>(large.as_(), small.as_()))
    } else {
        apart - small * small
    };
    let angle = number(0.5) * (number(2.0) * z.re).atan2(across);
    if y == one && x < least * least {
        return Complex::new(angle, number(0.5).copysign(z.im) * (number(LN_2) - x.ln()));
    }
    let square = if x >= least * least { z.re * z.re } else { F::zero() };
    let (above, below) = (square + (z.im + one) * (z.im + one), square + (z.im - one) * (z.im - one));
    let ratio = above / below;
    let height = if ratio < number(0.5) { ratio.ln() } else { (number(4.0) * z.im / below).ln_1p() };
    Complex::new(angle, number(0.25) * height)
}

pub(super) fn atanh<F: Part>(z: Complex<F>) -> Complex<F> {
    let w = atan(Complex::new(-z.im, z.re));
    Complex::new(w.im, -w.re)
}
