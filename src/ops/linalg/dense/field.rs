//! The numbers matrices are made of: float32, float64 and the complex numbers over them.

use super::compiled::Compiled;
use super::parts::Parts;
use super::rotation::{Rotation, rotation, rotation_by_reciprocal};
use super::small::{self, Steps};
use crate::kernel::blas::{Entry, dot, less};
use crate::kernel::element::Element;
use crate::kernel::reciprocal_root_guess;
use nalgebra::{ComplexField, RealField};
use num_complex::Complex;

/// A real or complex number.
pub trait Field: ComplexField<RealField = Self::R> + Copy + Entry + Parts {
    /// The real numbers of the same width.
    type R: Real;
    /// True for complex numbers.
    const IS_COMPLEX: bool;
    /// The number of these parts; of a real one the second is nothing.
    fn of_parts(re: Self::R, im: Self::R) -> Self;
    /// The quotient, safe from overflow and underflow on the way.
    fn over(self, divisor: Self) -> Self;
    /// The quotient as the compiler of LAPACK has it, with more digits on the way.
    fn divided(self, divisor: Self) -> Self;
    /// The length of a vector of a first entry and others of this norm.
    fn length(first: Self, rest: Self::R) -> Self::R {
        norm(&[first, Self::from_real(rest)])
    }
    /// The Euclidean norm, safe from overflow; of few real numbers rounded as LAPACK's libraries do.
    fn norm(x: &[Self]) -> Self::R {
        norm(x)
    }
    /// Half of the processor's guess of the reciprocal root, and what it is multiplied by to be one of twice the digits; in single
    /// precision, where the library behind PyTorch divides by roots so.
    fn root_guess(self) -> Option<[Self; 2]> {
        None
    }
    /// The steps of small decompositions, where they are known to the last bit.
    fn small_steps() -> Option<Steps<Self>> {
        None
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
    ($($r:ident $rotation:ident $steps:ident $norm:ident { $($more:item)* }),*) => { $(
        impl Field for $r {
            type R = $r;
            const IS_COMPLEX: bool = false;
            fn of_parts(re: $r, _: $r) -> $r {
                re
            }
            fn over(self, divisor: $r) -> $r {
                self / divisor
            }
            fn divided(self, divisor: $r) -> $r {
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
            fn of_parts(re: $r, im: $r) -> Complex<$r> {
                Complex::new(re, im)
            }
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
            fn divided(self, divisor: Complex<$r>) -> Complex<$r> {
                $r::quotient(self, divisor)
            }
            fn norm(x: &[Complex<$r>]) -> $r {
                if x.len() > FEW {
                    return norm(x);
                }
                let parts: Vec<$r> = x.iter().flat_map(|x| [x.re, x.im]).collect();
                small::$norm(&parts)
            }
            fn length(first: Complex<$r>, rest: $r) -> $r {
                let sizes = [first.re, first.im, rest].map(|x| x.abs());
                let largest = sizes[0].max(sizes[1]).max(sizes[2]);
                let [re, im, rest] = sizes.map(|x| x / largest);
                largest * (re * re + im * im + rest * rest).sqrt()
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
    f32 rotation SINGLE norm_scaled {
        fn root_guess(self) -> Option<[f32; 2]> {
            reciprocal_root_guess(self).map(|guess| [0.5 * guess, less(3.0, self * guess, guess)])
        }
    },
    f64 rotation_by_reciprocal DOUBLE norm_double {}
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
