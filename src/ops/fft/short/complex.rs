//! Transforms of up to 16 complex numbers.

use super::super::plans::Real;
use super::angles::{EIGHTH, THIRD, of_product};
use super::number::{Number, float};
use super::prime::{Prime, quarter};
use num_complex::Complex;

/// Room for a short line.
pub type Line<T> = [Complex<T>; 16];

/// How numbers are turned by a part of a circle.
#[derive(Clone, Copy)]
pub struct Turning {
    /// None where both products are rounded; else which ones are not, in the real and in the imaginary part: those with the sine (true)
    /// or with the cosine.
    pub fused: Option<[bool; 2]>,
    /// Whether eighths of a turn are one product of a sum.
    pub sums_eighths: bool,
}

impl Turning {
    /// A complex number turned forward, or back, by `m` `n`-th parts of a turn.
    pub fn turn<T: Real>(self, x: Complex<T>, n: usize, m: usize, forward: bool) -> Complex<T> {
        match (4 * m).cmp(&n) {
            _ if m == 0 => return x,
            _ if 2 * m == n => return -x,
            std::cmp::Ordering::Equal => return quarter(x, forward),
            _ => {}
        }
        if self.sums_eighths && (8 * m == n || 8 * m == 3 * n) {
            let (eighth, turned) = (float(EIGHTH), quarter(x, forward));
            return if 8 * m == n { x + turned } else { turned - x }.scale(eighth);
        }
        let [cosine, sine] = of_product(n, m).map(float::<T>);
        self.product(x, cosine, if forward { sine } else { -sine })
    }

    /// The product with `cosine - i sine`.
    pub fn product<T: Real>(self, x: Complex<T>, cosine: T, sine: T) -> Complex<T> {
        let Some([re, im]) = self.fused else {
            return Complex::new(x.re * cosine + x.im * sine, x.im * cosine - x.re * sine);
        };
        let re = if re { sine.mul_add(x.im, x.re * cosine) } else { cosine.mul_add(x.re, x.im * sine) };
        let im = if im { (-sine).mul_add(x.re, x.im * cosine) } else { cosine.mul_add(x.im, -(x.re * sine)) };
        Complex::new(re, im)
    }
}

/// The transform of two.
#[inline(always)]
pub fn two<N: std::ops::Add<Output = N> + std::ops::Sub<Output = N> + Copy>([a, b]: [N; 2]) -> [N; 2] {
    [a + b, a - b]
}

/// The transform of four.
#[inline(always)]
pub fn four<T: Real>(x: [Complex<T>; 4], forward: bool) -> [Complex<T>; 4] {
    let ([a, b], [c, d]) = (two([x[0], x[2]]), two([x[1], x[3]]));
    let d = quarter(d, forward);
    [a + c, b + d, a - c, b - d]
}

/// The transform of four that are scaled as they are added up.
fn four_scaled<T: Real>(x: [Complex<T>; 4], forward: bool, scale: T) -> [Complex<T>; 4] {
    let [a, b] = two([x[0], x[2]]);
    let last = x[3].scale(scale);
    let (c, d) = (last.plus_product(x[1], scale), quarter((-last).plus_product(x[1], scale), forward));
    [c.plus_product(a, scale), d.plus_product(b, scale), (-c).plus_product(a, scale), (-d).plus_product(b, scale)]
}

/// The transform of three whose products with the sine are not rounded.
fn three_fused<T: Real>(x: [Complex<T>; 3], forward: bool) -> [Complex<T>; 3] {
    let (sum, turned, sine) = (x[1] + x[2], quarter(x[1] - x[2], forward), float(THIRD));
    let middle = x[0] - sum.scale(float(0.5));
    [x[0] + sum, middle.plus_product(turned, sine), middle.plus_product(turned, -sine)]
}

/// What transforms a few numbers in place.
pub trait Inner<T>: Fn(&mut [Complex<T>]) {}

impl<T, F: Fn(&mut [Complex<T>])> Inner<T> for F {}

/// Four in place.
pub fn fours<T: Real>(forward: bool) -> impl Inner<T> {
    move |x: &mut [Complex<T>]| x.copy_from_slice(&four([x[0], x[1], x[2], x[3]], forward))
}

/// Two in place.
pub fn twos<T: Real>(x: &mut [Complex<T>]) {
    x.copy_from_slice(&two([x[0], x[1]]));
}

/// A prime number of them in place.
pub fn primes<T: Real>(prime: &Prime<T>, forward: bool) -> impl Inner<T> {
    move |x: &mut [Complex<T>]| {
        let mut to = [Complex::new(T::zero(), T::zero()); 16];
        prime.complex(x, &mut to, forward);
        x.copy_from_slice(&to[..prime.p]);
    }
}

/// The transform of `a` times `b` numbers: of each `b`-th one, then of those that came first, second and so on, turned by their share of a
/// circle (Cooley and Tukey).
pub fn turned<T: Real>(
    x: &mut [Complex<T>],
    [a, b]: [usize; 2],
    turning: Turning,
    forward: bool,
    first: impl Inner<T>,
    then: impl Inner<T>,
) {
    let zero = Complex::new(T::zero(), T::zero());
    let mut columns = [[zero; 4]; 4];
    for (j, column) in columns[..b].iter_mut().enumerate() {
        (0..a).for_each(|i| column[i] = x[b * i + j]);
        first(&mut column[..a]);
    }
    for k in 0..a {
        let mut row = [zero; 4];
        (0..b).for_each(|j| row[j] = turning.turn(columns[j][k], a * b, j * k, forward));
        then(&mut row[..b]);
        (0..b).for_each(|i| x[k + a * i] = row[i]);
    }
}

/// The transform of `p` times `b` numbers that have no factor in common, which needs no turning (Good and Thomas).
pub fn unturned<T: Real>(
    x: &mut [Complex<T>],
    [p, b]: [usize; 2],
    first: impl Fn(usize, &mut [Complex<T>]),
    then: impl Inner<T>,
) {
    let n = p * b;
    let mut rows = [[Complex::new(T::zero(), T::zero()); 7]; 4];
    for (q, row) in rows[..b].iter_mut().enumerate() {
        (0..p).for_each(|i| row[i] = x[(b * i + p * q) % n]);
        first(q, &mut row[..p]);
    }
    for k in 0..p {
        let mut column = rows.map(|row| row[k]);
        then(&mut column[..b]);
        (0..n).filter(|place| place % p == k).for_each(|place| x[place] = column[place % b]);
    }
}

/// The transform of complex numbers as those of their real and of their imaginary parts.
pub fn by_parts<T: Real>(x: &mut [Complex<T>], forward: bool, of_real: impl Inner<T>) {
    let zero = T::zero();
    let (mut real, mut imag) = ([Complex::new(zero, zero); 16], [Complex::new(zero, zero); 16]);
    for (i, x) in x.iter().enumerate() {
        (real[i].re, imag[i].re) = (x.re, x.im);
    }
    let n = x.len();
    of_real(&mut real[..n]);
    of_real(&mut imag[..n]);
    for ((x, real), imag) in x.iter_mut().zip(real).zip(imag) {
        let turned = if forward { Complex::new(-imag.im, imag.re) } else { Complex::new(imag.im, imag.re) };
        let real = if forward { real } else { real.conj() };
        *x = real + turned;
    }
}

/// The transform of twelve with no product rounded that need not be, scaled.
pub fn twelve_fused<T: Real>(x: &mut [Complex<T>], forward: bool, scale: T) {
    let turning = Turning { fused: Some([false, false]), sums_eighths: false };
    let threes = |x: &mut [Complex<T>]| x.copy_from_slice(&three_fused([x[0], x[1], x[2]], forward));
    let fours = |x: &mut [Complex<T>]| x.copy_from_slice(&four_scaled([x[0], x[1], x[2], x[3]], forward, scale));
    turned(x, [3, 4], turning, forward, threes, fours);
}
