//! Arithmetic on complex numbers as the loops of the library behind PyTorch have it: each part of a product has two halves, of which
//! one, or none, is rounded before they are added; on AMD's processors both are. Of real numbers it is plain.

use crate::kernel::blas::{Entry, less};
pub use crate::kernel::complex::Kept;
use crate::kernel::complex::times;
use crate::kernel::follows_intel;
use num_complex::Complex;

/// Products, quotients and reciprocals.
pub trait Parts: Sized + Copy {
    /// The product.
    fn times(self, factor: Self, kept: Kept) -> Self;
    /// The product with one rounding less, as PyTorch's own loops have it on every processor.
    fn times_once(self, factor: Self) -> Self;
    /// `self - a * b`; without `kept` every half is rounded.
    fn less(self, a: Self, b: Self, kept: Option<Kept>) -> Self;
    /// `self + a * b`, one half after the other and only the sums rounded.
    fn plus(self, a: Self, b: Self) -> Self;
    /// `self + v * by`, as a QR decomposition changes a column.
    fn reflected(self, v: Self, by: Self) -> Self;
    /// The reciprocal from parts with more digits; as a `quotient` of a complex one, where the zero of that decides signs of zeros.
    fn reciprocal(self, quotient: bool) -> Self;
    /// The reciprocal by the larger part, whose own reciprocal is rounded; `fused` is how its divisor is added.
    fn scaled_reciprocal(self, fused: bool) -> Self;
    /// The quotient as systems of few unknowns have it: by the reciprocal of the scaled divisor. `fused` is how the dividend is scaled
    /// where the divisor's real part is the larger one, and where it is not.
    fn share(self, divisor: Self, fused: [bool; 2]) -> Self;
}

macro_rules! parts {
    ($($r:ident $reciprocal:ident $reflected:ident),*) => { $(
        impl Parts for $r {
            fn times(self, factor: $r, _: Kept) -> $r {
                self * factor
            }
            fn times_once(self, factor: $r) -> $r {
                self * factor
            }
            fn less(self, a: $r, b: $r, _: Option<Kept>) -> $r {
                less(self, a, b)
            }
            fn plus(self, a: $r, b: $r) -> $r {
                fused(a, b, self)
            }
            fn reflected(self, v: $r, by: $r) -> $r {
                fused(v, by, self)
            }
            fn reciprocal(self, _: bool) -> $r {
                1.0 / self
            }
            fn scaled_reciprocal(self, _: bool) -> $r {
                1.0 / self
            }
            fn share(self, divisor: $r, _: [bool; 2]) -> $r {
                self / divisor
            }
        }
        impl Parts for Complex<$r> {
            fn times(self, b: Complex<$r>, kept: Kept) -> Complex<$r> {
                if follows_intel() { times(self, b, kept) } else { self * b }
            }
            fn times_once(self, b: Complex<$r>) -> Complex<$r> {
                times(self, b, Kept::OfReal)
            }
            fn less(self, a: Complex<$r>, b: Complex<$r>, kept: Option<Kept>) -> Complex<$r> {
                kept.map_or_else(|| self.less_product(a, b), |kept| self + (-a).times(b, kept))
            }
            fn plus(self, a: Complex<$r>, b: Complex<$r>) -> Complex<$r> {
                if !follows_intel() {
                    return self + a * b;
                }
                let re = (-a.im).mul_add(b.im, a.re.mul_add(b.re, self.re));
                Complex::new(re, a.re.mul_add(b.im, a.im.mul_add(b.re, self.im)))
            }
            fn reflected(self, v: Complex<$r>, by: Complex<$r>) -> Complex<$r> {
                if follows_intel() { $reflected(self, v, by) } else { reflected_rounded(self, v, by) }
            }
            fn reciprocal(self, quotient: bool) -> Complex<$r> {
                let turned = Complex::new(self.re + 0.0 * self.im, 0.0 * self.re - self.im);
                $reciprocal(self, if quotient { turned } else { self.conj() })
            }
            fn scaled_reciprocal(self, is_fused: bool) -> Complex<$r> {
                let divisor = |large: $r, small: $r, ratio: $r| match is_fused {
                    true => fused(small, ratio, large),
                    false => large + small * ratio,
                };
                if self.im.abs() <= self.re.abs() {
                    let ratio = self.im / self.re;
                    let by = 1.0 / divisor(self.re, self.im, ratio);
                    return Complex::new(by, -(ratio * by));
                }
                let ratio = self.re / self.im;
                let by = 1.0 / divisor(self.im, self.re, ratio);
                Complex::new(ratio * by, -by)
            }
            fn share(self, divisor: Complex<$r>, is_fused: [bool; 2]) -> Complex<$r> {
                if divisor.re.abs() > divisor.im.abs() {
                    let ratio = divisor.im / divisor.re;
                    let by = 1.0 / fused(divisor.im, ratio, divisor.re);
                    return match is_fused[0] {
                        true => Complex::new(fused(self.im, ratio, self.re) * by, fused(-self.re, ratio, self.im) * by),
                        false => Complex::new((self.re + self.im * ratio) * by, (self.im - self.re * ratio) * by),
                    };
                }
                let ratio = divisor.re / divisor.im;
                let by = 1.0 / fused(divisor.re, ratio, divisor.im);
                match is_fused[1] {
                    true => Complex::new(fused(self.re, ratio, self.im) * by, fused(self.im, ratio, -self.re) * by),
                    false => Complex::new((self.re * ratio + self.im) * by, (self.im * ratio - self.re) * by),
                }
            }
        }
    )* };
}

parts!(f32 reciprocal_single reflected_single, f64 reciprocal_double reflected_double);

fn reflected_single(x: Complex<f32>, v: Complex<f32>, by: Complex<f32>) -> Complex<f32> {
    let re = (-v.im).mul_add(by.im, v.re.mul_add(by.re, x.re));
    Complex::new(re, v.im.mul_add(by.re, v.re.mul_add(by.im, x.im)))
}

/// Of the real part one half after the other, on AMD's processors.
fn reflected_rounded<T: num_traits::Float>(x: Complex<T>, v: Complex<T>, by: Complex<T>) -> Complex<T> {
    Complex::new((x.re + v.re * by.re) - v.im * by.im, x.im + (v.re * by.im + v.im * by.re))
}

fn reflected_double(x: Complex<f64>, v: Complex<f64>, by: Complex<f64>) -> Complex<f64> {
    Complex::new(v.re.mul_add(by.re, x.re) - v.im * by.im, x.im + v.im.mul_add(by.re, v.re * by.im))
}

/// The conjugate of a complex number over the square of its modulus, computed in double precision.
fn reciprocal_single(x: Complex<f32>, conjugate: Complex<f32>) -> Complex<f32> {
    let (re, im) = (f64::from(x.re), f64::from(x.im));
    let squares = re * re + im * im;
    Complex::new((f64::from(conjugate.re) / squares) as f32, (f64::from(conjugate.im) / squares) as f32)
}

/// The conjugate of a complex number over the square of its modulus, computed with twice the digits: PyTorch's library takes the 80
/// bits that processors once had.
fn reciprocal_double(x: Complex<f64>, conjugate: Complex<f64>) -> Complex<f64> {
    // By a power of two, so that no square leaves the range.
    let largest = x.re.abs().max(x.im.abs());
    let scale = 1.0 / f64::from_bits(largest.to_bits() & f64::INFINITY.to_bits()).max(f64::MIN_POSITIVE);
    let (re, im) = (x.re * scale, x.im * scale);
    let (square, other) = (re * re, im * im);
    let sum = square + other;
    let taken = sum - square;
    let below = (square - (sum - taken)) + (other - taken) + re.mul_add(re, -square) + im.mul_add(im, -other);
    let quotient = |x: f64| {
        let x = x * scale;
        let first = x / sum;
        let rest = (-first).mul_add(sum, x) - first * below;
        (if rest == 0.0 || !rest.is_finite() { first } else { first + rest / sum }) * scale
    };
    Complex::new(quotient(conjugate.re), quotient(conjugate.im))
}

/// `a * b + c`, rounded once, or twice where PyTorch's library does so: in small matrices on AMD's processors.
#[inline]
pub fn fused<T: num_traits::Float>(a: T, b: T, c: T) -> T {
    if follows_intel() { a.mul_add(b, c) } else { a * b + c }
}
