//! Transforms of a prime number of terms, from 3 to 13: sums of those that stand with a cosine and of those that stand with a sine.

use super::super::plans::Real;
use super::angles::of_prime;
use super::number::{Number, float};
use super::orders::{Orders, Wanted, sum};
use num_complex::Complex;

/// The most terms, from the first one to the middle.
pub const MOST: usize = 7;

/// Sums with cosines and with sines, one of each for every number of a result up to the middle.
pub type Parts<N> = [[N; MOST]; 2];

/// The transform of `p` terms.
pub struct Prime<T> {
    /// How many.
    pub p: usize,
    orders: Orders,
    cosines: Vec<Vec<T>>,
    sines: Vec<Vec<T>>,
    /// What the terms are multiplied by first.
    scale: Option<T>,
}

impl<T: Real> Prime<T> {
    /// Of `p` terms, whose factors are doubled where a result is real: half of its terms are not there. Of real terms those that stand
    /// with a sine are turned forward by the sines' signs, so that what vanishes has the library's zeros.
    pub fn new(p: usize, wanted: Wanted, scale: Option<T>) -> Prime<T> {
        let double = if wanted.kind == "to-real" { 2.0 } else { 1.0 };
        let factors = |which: usize| -> Vec<Vec<T>> {
            let of = |j: usize, k: usize| float(if k == 0 { 1.0 } else { double * of_prime(p, j * k)[which] });
            (0..=p / 2).map(|j| (0..=p / 2).map(|k| of(j, k)).collect()).collect()
        };
        let (cosines, mut sines) = (factors(0), factors(1));
        let orders = Wanted { scaled: scale.is_some(), ..wanted }.find::<T>();
        if wanted.kind == "of-real" {
            sines.iter_mut().flatten().for_each(|sine| *sine = -*sine);
        }
        if let (3, Some(scale)) = (p, scale) {
            sines.iter_mut().flatten().for_each(|sine| *sine = *sine * scale);
        }
        Prime { p, orders, cosines, sines, scale }
    }

    /// The sums of terms, of which the first is number 0, and of differences, counted from 1.
    pub fn parts<N: Number<T>>(&self, terms: &mut [N], differences: &mut [N]) -> Parts<N> {
        if let Some(scale) = self.scale {
            terms.iter_mut().for_each(|x| *x = x.times(scale));
            if self.p > 3 {
                differences.iter_mut().for_each(|x| *x = x.times(scale));
            }
        }
        let mut parts = [[terms[0]; MOST]; 2];
        for (j, order) in self.orders.cosines.iter().enumerate() {
            parts[0][j] = sum(order, terms, &self.cosines[j]);
        }
        for (j, order) in (1..).zip(&self.orders.sines) {
            parts[1][j] = sum(order, differences, &self.sines[j]);
        }
        parts
    }

    /// The sums for numbers whose ends are added up and subtracted.
    fn folded<N: Number<T>>(&self, x: &[N]) -> Parts<N> {
        let (mut terms, mut differences) = ([x[0]; MOST], [x[0]; MOST]);
        let half = self.p / 2;
        for k in 1..=half {
            terms[k] = x[k] + x[self.p - k];
            differences[k] = x[k] - x[self.p - k];
        }
        self.parts(&mut terms[..=half], &mut differences[..=half])
    }

    /// The transform of complex numbers.
    pub fn complex(&self, x: &[Complex<T>], to: &mut [Complex<T>], forward: bool) {
        let parts = self.folded(x);
        to[0] = parts[0][0];
        for j in 1..=self.p / 2 {
            let turned = quarter(parts[1][j], forward);
            to[j] = parts[0][j] + turned;
            to[self.p - j] = parts[0][j] - turned;
        }
    }

    /// The first half of the transform of real numbers, forward.
    pub fn of_real(&self, x: &[T], to: &mut [Complex<T>]) {
        let [cosines, sines] = self.folded(x);
        to[0] = Complex::new(cosines[0], T::zero());
        for j in 1..=self.p / 2 {
            to[j] = Complex::new(cosines[j], sines[j]);
        }
    }

    /// The real numbers whose transform begins so, backward.
    pub fn to_real(&self, x: &[Complex<T>], to: &mut [T]) {
        let (mut terms, mut differences) = ([x[0].re; MOST], [x[0].re; MOST]);
        let half = self.p / 2;
        for (k, x) in x[..=half].iter().enumerate() {
            (terms[k], differences[k]) = (x.re, x.im);
        }
        let [cosines, sines] = self.parts(&mut terms[..=half], &mut differences[..=half]);
        to[0] = cosines[0];
        for j in 1..=half {
            to[j] = cosines[j] - sines[j];
            to[self.p - j] = cosines[j] + sines[j];
        }
    }
}

/// A quarter of a turn: forward, times `-i`.
#[inline(always)]
pub fn quarter<T: Real>(x: Complex<T>, forward: bool) -> Complex<T> {
    if forward { Complex::new(x.im, -x.re) } else { Complex::new(-x.im, x.re) }
}
