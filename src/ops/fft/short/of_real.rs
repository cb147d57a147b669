//! The first half of transforms of up to 16 real numbers.

use super::super::plans::Real;
use super::angles::{THIRD, of_product};
use super::complex::Line;
use super::number::float;
use super::prime::Prime;
use crate::kernel::follows_intel;
use num_complex::Complex;

/// Of `p` times `b` real numbers that have no factor in common: those of each `b`-th one, and across them.
pub fn unturned<T: Real>(x: &[T], to: &mut [Complex<T>], parts: &[Prime<T>], across: impl Fn(&mut [Complex<T>])) {
    let (n, p, b) = (x.len(), parts[0].p, parts.len());
    let zero = Complex::new(T::zero(), T::zero());
    let mut rows = [[zero; 7]; 4];
    for (q, (row, prime)) in rows.iter_mut().zip(parts).enumerate() {
        let mut own = [T::zero(); 7];
        (0..p).for_each(|i| own[i] = x[(b * i + p * q) % n]);
        prime.of_real(&own[..p], row);
    }
    for k in 0..p {
        let mut column = rows.map(|row| if k > p / 2 { row[p - k].conj() } else { row[k] });
        across(&mut column[..b]);
        (0..=n / 2).filter(|place| place % p == k).for_each(|place| to[place] = column[place % b]);
    }
}

/// Of nine, which are scaled first where `scale` says so.
pub fn nine<T: Real>(x: &[T], to: &mut [Complex<T>], scale: Option<T>) {
    let scaled = |x: T| scale.map_or(x, |scale| x * scale);
    let (half, sine) = (float::<T>(0.5), float::<T>(THIRD));
    let sums: [T; 3] = std::array::from_fn(|j| scaled(x[j + 3] + x[j + 6]));
    let first: [T; 3] = std::array::from_fn(|j| scaled(x[j]));
    let differences: [T; 3] = std::array::from_fn(|j| scaled(x[j + 6] - x[j + 3]));
    let whole: [T; 3] = std::array::from_fn(|j| first[j] + sums[j]);
    let rest: [T; 3] = std::array::from_fn(|j| first[j] - half * sums[j]);
    let mut turned = [Complex::new(rest[0], sine * differences[0]); 3];
    if let Some(scale) = scale {
        turned[0].im = (sine * scale) * (x[6] - x[3]);
    }
    for j in 1..3 {
        // The sine of a third is a factor of both parts that stand with a difference.
        let [c, s] = of_product(9, j).map(float::<T>);
        let (a, b) = ((sine * s) * differences[j], s * rest[j]);
        turned[j] = match follows_intel() {
            true => Complex::new(c.mul_add(rest[j], a), (sine * c).mul_add(differences[j], -b)),
            false => Complex::new(c * rest[j] + a, (sine * c) * differences[j] - b),
        };
    }
    let both = whole[1] + whole[2];
    to[0] = Complex::new(whole[0] + both, T::zero());
    to[3] = Complex::new(whole[0] - half * both, sine * (whole[2] - whole[1]));
    let (sum, difference) = (turned[1] + turned[2], (turned[1] - turned[2]).scale(sine));
    let middle = turned[0] - sum.scale(half);
    to[1] = turned[0] + sum;
    to[4] = Complex::new(middle.re + difference.im, middle.im - difference.re);
    to[2] = Complex::new(middle.re - difference.im, -(middle.im + difference.re));
}

/// A line of real numbers as complex ones.
pub fn as_complex<T: Real>(x: &[T]) -> Line<T> {
    std::array::from_fn(|i| Complex::new(x.get(i).copied().unwrap_or_else(T::zero), T::zero()))
}
