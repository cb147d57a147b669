//! What is added up in a transform: real numbers, or complex ones whose two parts are added up alike.

use super::super::plans::Real;
use num_complex::Complex;
use std::ops::{Add, Sub};

/// A number that is multiplied by real ones only.
pub trait Number<T>: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// The product with a real number.
    fn times(self, factor: T) -> Self;
    /// The sum with a product, rounded once.
    fn plus_product(self, x: Self, factor: T) -> Self;
}

impl<T: Real> Number<T> for T {
    fn times(self, factor: T) -> T {
        self * factor
    }

    fn plus_product(self, x: T, factor: T) -> T {
        x.mul_add(factor, self)
    }
}

impl<T: Real> Number<T> for Complex<T> {
    fn times(self, factor: T) -> Complex<T> {
        self.scale(factor)
    }

    fn plus_product(self, x: Complex<T>, factor: T) -> Complex<T> {
        Complex::new(x.re.mul_add(factor, self.re), x.im.mul_add(factor, self.im))
    }
}

/// A float of this value.
#[inline(always)]
pub fn float<T: Real>(x: f64) -> T {
    T::from_f64(x).unwrap_or_else(T::zero)
}
