//! The numbers matrices are made of: float32, float64 and the complex numbers over them.

use super::bidiagonal::Bidiagonal;
use super::few_lu::Halves;
use super::reflector::Reflector;
use super::rotation::{Rotation, rotation, rotation_by_larger};
use super::small::{self, Steps};
use super::tridiagonal::Tridiagonal;
use super::{Matrix, single};
use crate::kernel::blas::{Entry, dot};
use crate::kernel::element::Element;
use nalgebra::{ComplexField, RealField};
use num_complex::Complex;

/// A real or complex number.
pub trait Field: ComplexField<RealField = Self::R> + Copy + Entry {
    /// The real numbers of the same width.
    type R: Real;
    /// True for complex numbers.
    const IS_COMPLEX: bool;
    /// The quotient, safe from overflow and underflow on the way.
    fn over(self, divisor: Self) -> Self;
    /// The reciprocal, of a complex number from parts with more digits.
    fn reciprocal(self) -> Self {
        Self::one().over(self)
    }
    /// The product, of complex numbers with one half of each part added without rounding it before; which one, `crossed` says.
    fn times(self, factor: Self, _crossed: bool) -> Self {
        self * factor
    }
    /// `self - a * b`.
    fn less(self, a: Self, b: Self, _halves: Halves) -> Self {
        self.less_product(a, b)
    }
    /// The quotient as systems of few complex unknowns have it: by the reciprocal of the scaled divisor.
    fn share(self, divisor: Self, _fused: bool) -> Self {
        self.over(divisor)
    }
    /// The Euclidean norm, safe from overflow; of few real numbers rounded as LAPACK's libraries do.
    fn norm(x: &[Self]) -> Self::R {
        norm(x)
    }
    /// The steps of small decompositions, where they are known to the last bit.
    fn small_steps() -> Option<Steps<Self>> {
        None
    }
    /// A small Hermitian matrix, of which the lower triangle is read, reduced to tridiagonal form, where that is known to the last bit.
    fn small_tridiagonal(_: &Matrix<Self>) -> Option<Tridiagonal<Self>> {
        None
    }
    /// A small matrix with at least as many rows as columns reduced to bidiagonal form, where that is known to the last bit; of one
    /// that was `turned`, as a wide one is reduced.
    fn small_bidiagonal(_: &Matrix<Self>, _turned: bool) -> Option<Bidiagonal<Self>> {
        None
    }
    /// The right side of a small system with its least squares in the first rows, where that is known to the last bit; none when a
    /// column's share is at most this of the largest.
    fn small_least_squares(_: &Matrix<Self>, _: &Matrix<Self>, _least: f64) -> Option<Matrix<Self>> {
        None
    }
    /// Multiplies the columns of a small matrix by reflections as rows are, where that is known to the last bit. False when it is not.
    fn small_reflect_rows(_: &[Reflector<Self>], _: &mut Matrix<Self>, _first: usize) -> bool {
        false
    }
    /// Multiplies a small matrix by a reflection from a row on, where that is known to the last bit. False when it is not.
    fn small_reflect(_: &Reflector<Self>, _: &mut Matrix<Self>, _row: usize) -> bool {
        false
    }
}

/// A real number.
pub trait Real: RealField + Copy + Element + Field<R = Self> {
    /// The distance from 1 to the next larger number.
    const EPSILON: Self;
    /// The smallest positive number with all its digits.
    const TINY: Self;
    /// Rounded from float64.
    fn of(value: f64) -> Self;
    /// Widened.
    fn wide(self) -> f64;
    /// The modulus with the sign of another number; unlike `copysign`, a negative zero counts as positive, as it does in the
    /// library behind PyTorch.
    fn signed(self, like: Self) -> Self {
        let size = self.abs();
        if like < Self::of(0.0) { -size } else { size }
    }
    /// The rotation that makes the largest entry of an eigenvector of a complex pair real. The library behind PyTorch follows
    /// today's `lartg` in single and the older one in double precision.
    fn pair_rotation(f: Self, g: Self) -> Rotation<Self>;
}

macro_rules! fields {
    ($($r:ident $rotation:ident $steps:ident $norm:ident $reciprocal:ident { $($more:item)* }),*) => { $(
        impl Field for $r {
            type R = $r;
            const IS_COMPLEX: bool = false;
            fn over(self, divisor: $r) -> $r {
                self / divisor
            }
            fn norm(x: &[$r]) -> $r {
                if x.len() <= FEW { small::$norm(x) } else { norm(x) }
            }
            fn small_steps() -> Option<Steps<$r>> {
                Some(small::$steps)
            }
            $($more)*
        }
        impl Field for Complex<$r> {
            type R = $r;
            const IS_COMPLEX: bool = true;
            /// By Smith's method: scaled by the larger part of the divisor.
            fn over(self, divisor: Complex<$r>) -> Complex<$r> {
                if divisor.re.abs() >= divisor.im.abs() {
                    let ratio = if divisor.im == 0.0 { 0.0 } else { divisor.im / divisor.re };
                    let scale = divisor.re + divisor.im * ratio;
                    Complex::new((self.re + self.im * ratio) / scale, (self.im - self.re * ratio) / scale)
                } else {
                    let ratio = divisor.re / divisor.im;
                    let scale = divisor.re * ratio + divisor.im;
                    Complex::new((self.re * ratio + self.im) / scale, (self.im * ratio - self.re) / scale)
                }
            }
            fn reciprocal(self) -> Complex<$r> {
                $reciprocal(self)
            }
            fn times(self, factor: Complex<$r>, crossed: bool) -> Complex<$r> {
                let im = match crossed {
                    true => self.re.mul_add(factor.im, self.im * factor.re),
                    false => self.im.mul_add(factor.re, self.re * factor.im),
                };
                Complex::new(self.re.mul_add(factor.re, -(self.im * factor.im)), im)
            }
            fn less(self, a: Complex<$r>, b: Complex<$r>, halves: Halves) -> Complex<$r> {
                let re = a.im.mul_add(b.im, -(a.re * b.re));
                match halves {
                    Halves::Rounded => self.less_product(a, b),
                    Halves::Fused => self + Complex::new(re, (-a.im).mul_add(b.re, -(a.re * b.im))),
                    Halves::Crossed => self + Complex::new(re, (-a.re).mul_add(b.im, -(a.im * b.re))),
                }
            }
            fn share(self, divisor: Complex<$r>, fused: bool) -> Complex<$r> {
                if divisor.re.abs() > divisor.im.abs() {
                    let ratio = divisor.im / divisor.re;
                    let by = 1.0 / divisor.im.mul_add(ratio, divisor.re);
                    return match fused {
                        true => Complex::new(self.im.mul_add(ratio, self.re) * by, (-self.re).mul_add(ratio, self.im) * by),
                        false => Complex::new((self.re + self.im * ratio) * by, (self.im - self.re * ratio) * by),
                    };
                }
                let ratio = divisor.re / divisor.im;
                let by = 1.0 / divisor.re.mul_add(ratio, divisor.im);
                Complex::new(self.re.mul_add(ratio, self.im) * by, self.im.mul_add(ratio, -self.re) * by)
            }
        }
        impl Real for $r {
            const EPSILON: $r = $r::EPSILON;
            const TINY: $r = $r::MIN_POSITIVE;
            fn of(value: f64) -> $r {
                value as $r
            }
            fn wide(self) -> f64 {
                self as f64
            }
            fn pair_rotation(f: $r, g: $r) -> Rotation<$r> {
                $rotation(f, g)
            }
        }
    )* };
}

fields!(
    f32 rotation SINGLE norm_scaled reciprocal_single {
        fn small_tridiagonal(a: &Matrix<f32>) -> Option<Tridiagonal<f32>> {
            single::tridiagonal(a)
        }
        fn small_bidiagonal(a: &Matrix<f32>, turned: bool) -> Option<Bidiagonal<f32>> {
            single::bidiagonal(a, turned)
        }
        fn small_least_squares(a: &Matrix<f32>, b: &Matrix<f32>, least: f64) -> Option<Matrix<f32>> {
            single::least_squares(a, b, least as f32)
        }
        fn small_reflect_rows(steps: &[Reflector<f32>], a: &mut Matrix<f32>, first: usize) -> bool {
            single::reflect_rows(steps, a, first)
        }
        fn small_reflect(step: &Reflector<f32>, a: &mut Matrix<f32>, row: usize) -> bool {
            single::reflect(step, a, row)
        }
    },
    f64 rotation_by_larger DOUBLE norm_exact reciprocal_double {}
);

/// Numbers whose norm is rounded as the libraries do; of more, that would take its time.
const FEW: usize = 64;

/// The Euclidean norm, safe from overflow.
pub fn norm<T: Field>(x: &[T]) -> T::R {
    let sum = dot(x, x).real();
    if sum.is_finite() && sum > T::R::TINY / T::R::EPSILON {
        return sum.sqrt();
    }
    let largest = x.iter().fold(T::R::of(0.0), |m, v| if m >= v.norm1() { m } else { v.norm1() });
    if largest == T::R::of(0.0) || !largest.is_finite() {
        return largest;
    }
    let sum = x.iter().fold(T::R::of(0.0), |sum, v| sum + v.unscale(largest).modulus_squared());
    largest * sum.sqrt()
}

/// The reciprocal of a complex number, computed in double precision.
fn reciprocal_single(x: Complex<f32>) -> Complex<f32> {
    let (re, im) = (f64::from(x.re), f64::from(x.im));
    let squares = re * re + im * im;
    Complex::new((re / squares) as f32, (-im / squares) as f32)
}

/// The reciprocal of a complex number, computed with twice the digits: PyTorch's library takes the 80 bits that processors once had.
fn reciprocal_double(x: Complex<f64>) -> Complex<f64> {
    // By a power of two, so that no square leaves the range.
    let scale = 1.0 / f64::from_bits(x.norm1().to_bits() & f64::INFINITY.to_bits()).max(f64::MIN_POSITIVE);
    let (re, im) = (x.re * scale, x.im * scale);
    let (square, other) = (re * re, im * im);
    let sum = square + other;
    let taken = sum - square;
    let below = (square - (sum - taken)) + (other - taken) + re.mul_add(re, -square) + im.mul_add(im, -other);
    let quotient = |x: f64| {
        let first = x / sum;
        let rest = (-first).mul_add(sum, x) - first * below;
        if rest == 0.0 || !rest.is_finite() { first } else { first + rest / sum }
    };
    Complex::new(quotient(re) * scale, quotient(-im) * scale)
}
