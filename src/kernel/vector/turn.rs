//! Sines, cosines and tangents: float32 by the way of PyTorch's library, float64 with hardly more error than the last rounding.
//!
//! PyTorch's library takes float32 from the nearest multiple of π (of π / 2 for tangents), and short polynomials in float64 from there:
//! the results are off by up to 0.61 ulp (0.94 for tangents), and are the same. The polynomials were found by experiment: of millions
//! of results each says between which numbers the unrounded one lies. The multiple is found in float32.
//! Its results of float64 are nearly always the nearest ones, and so are these: angles, squares and polynomials are carried in two parts.

use super::double::{quotient, sum};
use super::{MAGIC, poly, select};
use std::f32::consts as single;
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, PI};

/// Beyond these, the short ways do not work.
pub(super) const FAR: f32 = 10_000.0;
pub(super) const FAR_DOUBLE: f64 = 1e9;

/// What is missing in `PI`, and what this lacks of a half of that.
const PI_REST: f64 = 1.2246467991473532e-16;
const HALF_PI_LAST: f64 = -1.4973849048591698e-33;

/// Added to a float32 below 2^22 and taken away again, it rounds to a whole number; in between, that number is in the low bits.
const MAGIC_SINGLE: f32 = 12_582_912.0;

/// `(sin r - r) / r³` in r² for |r| <= π / 2, off by 2^-27.6.
const NEAR: [f64; 4] = [-0.16666659550418542, 0.008333066245913732, -0.00019809602892278662, 2.605780620017313e-06];

/// `tan r = r (1 + a r²) / (1 + b r² + c r⁴)` for |r| <= π / 4, off by 2^-25.2: a, and the polynomial below.
const ABOVE: f64 = -0.0958017724414875;
const BELOW: [f64; 3] = [1.0, -0.42913577714150325, 0.009716858398816065];

/// `((sin r - r) / r³ + 1 / 6) / r²` in r² for |r| a little more than π / 4, and the sixth in two parts.
const SIN: [f64; 6] = [
    0.008333333333333333,
    -0.00019841269841268944,
    2.7557319222294406e-06,
    -2.5052107220500486e-08,
    1.6058681098564137e-10,
    -7.595074467194712e-13,
];
const SIXTH: (f64, f64) = (-0.16666666666666666, -9.25185853854297e-18);

/// `((cos r - 1 + r² / 2) / r⁴ - 1 / 24) / r²` likewise, and the 24th.
const COS: [f64; 6] = [
    -0.001388888888888889,
    2.4801587301586804e-05,
    -2.755731922304568e-07,
    2.087675634035414e-09,
    -1.1470543985868769e-11,
    4.750529026970792e-14,
];
const PART_24: (f64, f64) = (0.041666666666666664, 2.3129646346357427e-18);

/// The nearest whole number, and the same in the low bits.
#[inline(always)]
fn nearest(x: f32) -> (f32, u32) {
    let shifted = x + MAGIC_SINGLE;
    (shifted - MAGIC_SINGLE, shifted.to_bits())
}

/// What is beyond n times π.
#[inline(always)]
fn beyond(x: f32, n: f64) -> f64 {
    n.mul_add(-PI_REST, n.mul_add(-PI, x as f64))
}

/// The sine of r, with the other sign where n is odd.
#[inline(always)]
fn near(r: f64, n: u32) -> f32 {
    let square = r * r;
    let sine = (r * square).mul_add(poly(square, &NEAR), r) as f32;
    f32::from_bits(sine.to_bits() ^ n << 31)
}

/// The sine of a float32 up to [`FAR`].
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    let (n, bits) = nearest(x * single::FRAC_1_PI);
    let sine = near(beyond(x, n as f64), bits);
    if x == 0.0 { x } else { sine }
}

/// The cosine of a float32 up to [`FAR`]: the sine of what is a right angle further.
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    let x = x.abs();
    let (n, bits) = nearest((x + single::FRAC_PI_2) * single::FRAC_1_PI);
    near(beyond(x, n as f64 - 0.5), bits)
}

/// The tangent of a float32 up to [`FAR`].
#[inline(always)]
pub fn tan(x: f32) -> f32 {
    let (n, bits) = nearest(x * single::FRAC_2_PI);
    let r = beyond(x, 0.5 * n as f64);
    let square = r * r;
    let (above, below) = (r * ABOVE.mul_add(square, 1.0), poly(square, &BELOW));
    let odd = bits & 1 == 1;
    let tangent = (select(odd, -below, above) / select(odd, above, below)) as f32;
    if x == 0.0 { x } else { tangent }
}

/// The product of numbers in two parts each, in two parts.
#[inline(always)]
fn product(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let most = a.0 * b.0;
    (most, a.0.mul_add(b.0, -most) + a.0.mul_add(b.1, a.1 * b.0))
}

/// The sine and the cosine of what is beyond the nearest multiple of π / 2, each in two parts, and that multiple in the low bits,
/// for |x| <= [`FAR_DOUBLE`].
#[inline(always)]
fn parts(x: f64) -> ((f64, f64), (f64, f64), u64) {
    let shifted = x.mul_add(FRAC_2_PI, MAGIC);
    let n = shifted - MAGIC;
    let coarse = n.mul_add(-FRAC_PI_2, x);
    let rest = n * (0.5 * PI_REST);
    let r = coarse - rest;
    let lost = n.mul_add(-HALF_PI_LAST, ((coarse - r) - rest) - n.mul_add(0.5 * PI_REST, -rest));
    let square = product((r, lost), (r, lost));

    let (most, least) = sum(SIXTH.0, square.0 * poly(square.0, &SIN));
    let bend = product(product(square, (r, lost)), (most, least + SIXTH.1));
    let (sine, sine_lost) = sum(r, bend.0);

    let (most, least) = sum(PART_24.0, square.0 * poly(square.0, &COS));
    let rise = product(product(square, square), (most, least + PART_24.1));
    let (short, short_lost) = sum(1.0, -0.5 * square.0);
    let (cosine, cosine_lost) = sum(short, rise.0);

    let sine_lost = sine_lost + (bend.1 + lost);
    let cosine_lost = cosine_lost + (short_lost + (rise.1 - 0.5 * square.1));
    ((sine, sine_lost), (cosine, cosine_lost), shifted.to_bits())
}

/// The sine where the n-th quarter is `ahead` quarters earlier.
#[inline(always)]
fn turned(x: f64, ahead: u64) -> f64 {
    let (sine, cosine, n) = parts(x);
    let n = n.wrapping_add(ahead);
    let value = select(n & 1 == 1, cosine.0 + cosine.1, sine.0 + sine.1);
    f64::from_bits(value.to_bits() ^ ((n & 2) << 62))
}

/// The sine of a float64 up to [`FAR_DOUBLE`].
#[inline(always)]
pub fn sin_double(x: f64) -> f64 {
    select(x == 0.0, x, turned(x, 0))
}

/// The cosine of a float64 up to [`FAR_DOUBLE`].
#[inline(always)]
pub fn cos_double(x: f64) -> f64 {
    turned(x, 1)
}

/// The tangent of a float64 up to [`FAR_DOUBLE`].
#[inline(always)]
pub fn tan_double(x: f64) -> f64 {
    let (sine, cosine, n) = parts(x);
    let (sine, cosine) = (sum(sine.0, sine.1), sum(cosine.0, cosine.1));
    let odd = n & 1 == 1;
    let above = (select(odd, -cosine.0, sine.0), select(odd, -cosine.1, sine.1));
    let below = (select(odd, sine.0, cosine.0), select(odd, sine.1, cosine.1));
    let (most, lost) = quotient(above, below);
    select(x == 0.0, x, most + lost)
}
