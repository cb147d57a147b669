//! Up to 16 real numbers of the first half of their transform, backward.

use super::super::plans::Real;
use super::angles::{EIGHTH, THIRD};
use super::complex::{Turning, two};
use super::number::float;
use super::prime::Prime;
use crate::kernel::follows_intel;
use num_complex::Complex;

/// Some number of a whole transform of which the first half is there.
fn at<T: Real>(x: &[Complex<T>], n: usize, k: usize) -> Complex<T> {
    let k = k % n;
    if k < x.len() { x[k] } else { x[n - k].conj() }
}

/// Of `p` times two: two shorter lines of real numbers, added up and subtracted.
pub fn unturned<T: Real>(x: &[Complex<T>], to: &mut [T], parts: &[Prime<T>]) {
    let (n, p) = (to.len(), parts[0].p);
    let mut lines = [[T::zero(); 7]; 2];
    for (q, (line, prime)) in lines.iter_mut().zip(parts).enumerate() {
        let part: [Complex<T>; 4] = std::array::from_fn(|i| at(x, n, 2 * i + p * q));
        prime.to_real(&part, line);
    }
    for (j, to) in to.iter_mut().enumerate() {
        *to = two(lines.map(|line| line[j % p]))[j % 2];
    }
}

/// Three real numbers of a half, and three complex ones, whose terms are scaled by factors that belong to the constants.
struct Thirds<T> {
    scale: T,
    sine: T,
}

impl<T: Real> Thirds<T> {
    fn new(scale: Option<T>) -> Thirds<T> {
        let scale = scale.unwrap_or_else(T::one);
        Thirds { scale, sine: float::<T>(THIRD) * scale }
    }

    fn real(&self, first: T, other: Complex<T>) -> [T; 3] {
        let (twice, first, re) = (float::<T>(2.0), self.scale * first, self.scale * other.re);
        let turned = (twice * self.sine) * other.im;
        [first + twice * re, (first - re) - turned, (first - re) + turned]
    }

    fn complex(&self, x: [Complex<T>; 3]) -> [Complex<T>; 3] {
        let (first, sum, difference) = (x[0].scale(self.scale), (x[1] + x[2]).scale(self.scale), (x[1] - x[2]).scale(self.sine));
        let middle = first - sum.scale(float(0.5));
        let turned = Complex::new(-difference.im, difference.re);
        [first + sum, middle + turned, middle - turned]
    }
}

/// Of twelve: threes, and across them.
pub fn twelve<T: Real>(x: &[Complex<T>], to: &mut [T], scale: Option<T>) {
    let thirds = Thirds::new(scale);
    let (even, other) = (thirds.real(x[0].re, x[4]), thirds.real(x[6].re, x[2].conj()));
    let odd = thirds.complex([x[3], x[5].conj(), x[1].conj()]);
    for (j, to) in to.iter_mut().enumerate() {
        let k = j % 3;
        *to = two([even[k], other[k]])[j % 2] + float::<T>(2.0) * real_quarter(odd[k], j % 4);
    }
}

/// The real part of a number that is turned back by some quarters of a turn.
fn real_quarter<T: Real>(x: Complex<T>, quarters: usize) -> T {
    [x.re, -x.im, -x.re, x.im][quarters]
}

/// Of nine.
pub fn nine<T: Real>(x: &[Complex<T>], to: &mut [T], scale: Option<T>) {
    let (thirds, twice) = (Thirds::new(scale), float::<T>(2.0));
    let own = thirds.real(x[0].re, x[3]);
    let others = thirds.complex([x[1], x[4], x[2].conj()]);
    for (b, (own, x)) in own.into_iter().zip(others).enumerate() {
        let fused = Turning { fused: follows_intel().then_some([false, false]), sums_eighths: false };
        let mut turned = fused.turn(x, 9, b, false);
        if b == 1 && scale.is_none() {
            turned.im = Turning { fused: None, ..fused }.turn(x, 9, b, false).im;
        }
        let (rest, sine) = (own - turned.re, twice * (float::<T>(THIRD) * turned.im));
        (to[b], to[b + 3], to[b + 6]) = (own + twice * turned.re, rest - sine, rest + sine);
    }
}

/// Of four.
pub fn four<T: Real>(x: &[Complex<T>], to: &mut [T]) {
    let ([sum, difference], twice) = (two([x[0].re, x[2].re]), float::<T>(2.0));
    let (re, im) = (twice * x[1].re, twice * x[1].im);
    to.copy_from_slice(&[sum + re, difference - im, sum - re, difference + im]);
}

/// Of eight.
pub fn eight<T: Real>(x: &[Complex<T>], to: &mut [T]) {
    let mut even = [T::zero(); 4];
    four(&[x[0], x[2], x[4]], &mut even);
    for (j, odd) in pair(x[1], x[3]).into_iter().enumerate() {
        (to[j], to[j + 4]) = (even[j] + odd, even[j] - odd);
    }
}

/// What two numbers of a half, as far from a quarter of it, add to the first four results.
fn pair<T: Real>(near: Complex<T>, far: Complex<T>) -> [T; 4] {
    let twice = float::<T>(2.0);
    let eighth = twice * float::<T>(EIGHTH);
    let (re, im) = (near.re - far.re, near.im + far.im);
    [twice * (near.re + far.re), eighth * (re - im), -(twice * (near.im - far.im)), -(eighth * (re + im))]
}

/// Of sixteen.
pub fn sixteen<T: Real>(x: &[Complex<T>], to: &mut [T]) {
    let mut even = [T::zero(); 8];
    eight(&[x[0], x[2], x[4], x[6], x[8]], &mut even);
    let fused = (follows_intel() && size_of::<T>() == 8).then_some([false, true]);
    let (turning, twice) = (Turning { fused, sums_eighths: true }, float::<T>(2.0));
    for b in 0..4 {
        let ([a, c], [d, e]) = (two([x[1], x[7].conj()]), two([x[5], x[3].conj()]));
        let (near, far) = if b % 2 == 0 { (a, d) } else { (c, e) };
        let far = [far, Complex::new(-far.im, far.re), -far, Complex::new(far.im, -far.re)][b];
        let turned = turning.turn(near + far, 16, b, false);
        for j in (b..16).step_by(4) {
            to[j] = even[j % 8] + twice * real_quarter(turned, j / 4);
        }
    }
}
