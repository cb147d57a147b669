//! The steps of a transform: transforms of a few numbers, written out so that the compiler can make vector code of several beside each
//! other. They round as PyTorch's library does on processors that are not Intel's.

use super::super::plans::Real;
use super::super::short::angles::{EIGHTH, of_prime};
use super::super::short::complex::{four, two};
use super::super::short::number::float;
use super::super::short::prime::quarter;
use num_complex::Complex;

/// The cosine of a sixteenth of a turn, the same in all tables.
pub const SIXTEENTH: f64 = 0.923_879_532_511_286_7;

/// How a transform of eight or sixteen turns by eighths, and by which numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Eighths {
    /// What is turned is scaled before it is added up.
    Apart,
    /// Both products are rounded.
    Products(Constants),
    /// The product of a sum.
    Sums(Constants),
}

/// The library's tables differ in the last bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constants {
    /// The nearest floats.
    Near,
    /// Smaller ones, in the table of the powers of two.
    Below,
    /// A larger one, in the last steps of powers of two of float32.
    Above,
}

impl Constants {
    /// The cosine and the sine of an eighth of a turn.
    #[inline(always)]
    pub fn eighth<T: Real>(self) -> T {
        match self {
            Constants::Near => float(EIGHTH),
            Constants::Below => float(0.707_106_781_186_547_5),
            Constants::Above => float(0.707_106_828_689_575_2),
        }
    }

    /// The sine of a sixteenth of a turn.
    #[inline(always)]
    pub fn sixteenth<T: Real>(self) -> T {
        float(if self == Constants::Near { 0.382_683_432_365_089_8 } else { 0.382_683_432_365_089_7 })
    }
}

/// Of three.
#[inline(always)]
pub fn three<T: Real>(x: [Complex<T>; 3]) -> [Complex<T>; 3] {
    let [cosine, sine] = of_prime(3, 1).map(float::<T>);
    let (sum, turned) = (x[1] + x[2], quarter((x[1] - x[2]).scale(sine), true));
    let middle = x[0] + sum.scale(cosine);
    [x[0] + sum, middle + turned, middle - turned]
}

/// Of five; `first` tells whether the first number is added first or last.
#[inline(always)]
pub fn five<T: Real>(x: [Complex<T>; 5], first: bool) -> [Complex<T>; 5] {
    let ([near, near_sine], [far, far_sine]) = (of_prime(5, 1).map(float::<T>), of_prime(5, 2).map(float::<T>));
    let (s, t) = (x[1] + x[4], x[2] + x[3]);
    let (d, e) = (x[1] - x[4], x[2] - x[3]);
    let add = |s: Complex<T>, t: Complex<T>| if first { (x[0] + s) + t } else { (s + t) + x[0] };
    let (one, two) = (add(s.scale(near), t.scale(far)), add(s.scale(far), t.scale(near)));
    let turned = quarter(d.scale(near_sine) + e.scale(far_sine), true);
    let other = quarter(d.scale(far_sine) + e.scale(-near_sine), true);
    [add(s, t), one + turned, two + other, two - other, one - turned]
}

/// Of six: threes, and across them.
#[inline(always)]
pub fn six<T: Real>(x: [Complex<T>; 6]) -> [Complex<T>; 6] {
    let (a, b) = (three([x[0], x[2], x[4]]), three([x[3], x[5], x[1]]));
    let [first, second, third] = [0, 1, 2].map(|k| two([a[k], b[k]]));
    [first[0], second[1], third[0], first[1], second[0], third[1]]
}

/// Of seven.
#[inline(always)]
pub fn seven<T: Real>(x: [Complex<T>; 7]) -> [Complex<T>; 7] {
    let sums = [x[1] + x[6], x[2] + x[5], x[3] + x[4]];
    let differences = [x[1] - x[6], x[2] - x[5], x[3] - x[4]];
    let add = |[a, b, c]: [Complex<T>; 3]| ((a + b) + c) + x[0];
    let factor = |j: usize, k: usize, which: usize| float::<T>(of_prime(7, (j + 1) * k)[which]);
    let mut to = [add(sums); 7];
    for k in 1..4 {
        let middle = add([0, 1, 2].map(|j| sums[j].scale(factor(j, k, 0))));
        let [a, b, c] = [0, 1, 2].map(|j| differences[j].scale(factor(j, k, 1)));
        let turned = quarter((a + b) + c, true);
        (to[k], to[7 - k]) = (middle + turned, middle - turned);
    }
    to
}

/// Of eight: sums and differences of halves, and of the differences those that are an eighth of a turn off, scaled.
#[inline(always)]
pub fn eight_apart<T: Real>(x: [Complex<T>; 8]) -> [Complex<T>; 8] {
    let [s, d] = two([x[0], x[4]]);
    let [t, e] = two([x[1], x[5]]);
    let [u, f] = two([x[2], x[6]]);
    let [v, g] = two([x[3], x[7]]);
    let even = four([s, t, u, v], true);
    let (e, g) = (e.scale(float(EIGHTH)), g.scale(float(EIGHTH)));
    let ([a, b], [c, h]) = (two([d, e - g]), two([f, e + g]));
    let (c, h) = (quarter(c, true), quarter(h, true));
    [even[0], a + c, even[1], b - h, even[2], b + h, even[3], a - c]
}

/// Of eight: two fours, of which the second is turned, by sums or by products.
#[inline(always)]
pub fn eight_turned<T: Real>(x: [Complex<T>; 8], eighth: T, sums: bool) -> [Complex<T>; 8] {
    let (even, odd) = (four([x[0], x[2], x[4], x[6]], true), four([x[1], x[3], x[5], x[7]], true));
    let [a, e] = two([even[0], odd[0]]);
    let [b, f] = two([even[1], an_eighth(odd[1], eighth, sums)]);
    let [c, g] = two([even[2], quarter(odd[2], true)]);
    let [d, h] = two([even[3], three_eighths(odd[3], eighth, sums)]);
    [a, b, c, d, e, f, g, h]
}

#[inline(always)]
fn an_eighth<T: Real>(x: Complex<T>, eighth: T, sums: bool) -> Complex<T> {
    if sums { (x + quarter(x, true)).scale(eighth) } else { product(x, eighth, eighth) }
}

#[inline(always)]
fn three_eighths<T: Real>(x: Complex<T>, eighth: T, sums: bool) -> Complex<T> {
    if sums { (quarter(x, true) - x).scale(eighth) } else { product(x, -eighth, eighth) }
}

/// The product with `cosine - i sine`.
#[inline(always)]
pub fn product<T: Real>(x: Complex<T>, cosine: T, sine: T) -> Complex<T> {
    Complex::new(x.re * cosine + x.im * sine, x.im * cosine - x.re * sine)
}

/// Of sixteen: fours, turned, and fours across them.
#[inline(always)]
fn sixteen<T: Real>(x: [Complex<T>; 16], [eighth, far]: [T; 2]) -> [Complex<T>; 16] {
    let near = float::<T>(SIXTEENTH);
    let a = four([x[0], x[4], x[8], x[12]], true);
    let b = four([x[1], x[5], x[9], x[13]], true);
    let c = four([x[2], x[6], x[10], x[14]], true);
    let d = four([x[3], x[7], x[11], x[15]], true);
    let first = four([a[0], b[0], c[0], d[0]], true);
    let b1 = product(b[1], near, far);
    let second = four([a[1], b1, an_eighth(c[1], eighth, false), product(d[1], far, near)], true);
    let b2 = an_eighth(b[2], eighth, false);
    let third = four([a[2], b2, quarter(c[2], true), three_eighths(d[2], eighth, false)], true);
    let b3 = product(b[3], far, near);
    let last = four([a[3], b3, three_eighths(c[3], eighth, false), product(d[3], -near, -far)], true);
    across(first, second, third, last)
}

/// The columns of four rows, one after the other.
#[inline(always)]
fn across<N: Copy>(a: [N; 4], b: [N; 4], c: [N; 4], d: [N; 4]) -> [N; 16] {
    [a[0], b[0], c[0], d[0], a[1], b[1], c[1], d[1], a[2], b[2], c[2], d[2], a[3], b[3], c[3], d[3]]
}

/// Of sixteen, as those of their real and of their imaginary parts.
#[inline(always)]
pub fn sixteen_by_parts<T: Real>(x: [Complex<T>; 16]) -> [Complex<T>; 16] {
    let sines = [Constants::Near.eighth(), Constants::Near.sixteenth()];
    let (mut real, mut imag) = (x, x);
    for k in 0..16 {
        (real[k].im, imag[k]) = (T::zero(), Complex::new(x[k].im, T::zero()));
    }
    let (real, imag) = (sixteen(real, sines), sixteen(imag, sines));
    let mut to = x;
    for k in 0..16 {
        to[k] = real[k] + Complex::new(-imag[k].im, imag[k].re);
    }
    to
}
