//! The error function.

use super::{exp, log, poly, select};
use std::f64::consts::FRAC_2_SQRT_PI;

/// `erf(x) / x - 1` in x² for |x| < 1, highest coefficient first, off by 2^-29.
const NEAR: [f32; 7] = [7.875875e-05, -0.00080168643, 0.0051890872, -0.026854211, 0.11283594, -0.37612626, 0.12837917];

/// `erf(x) - 1` in (x - 2.5) / 1.5 for x between 1 and 4, highest coefficient first, off by 2^-28.
const FAR: [f32; 17] = [
    1.1253841e-05,
    -0.00015377221,
    0.00021478679,
    0.0006736809,
    -0.0019661754,
    0.0006712347,
    0.004614501,
    -0.009742715,
    0.006660165,
    0.009303966,
    -0.031873345,
    0.046447817,
    -0.043651,
    0.028181966,
    -0.012252844,
    0.0032674177,
    -0.00040695202,
];

/// `erfc(x) exp(x²) (1 + 2x)` in (x - 3.75) / (x + 3.75) for x between 0 and 11, off by 2^-50.
const SCALED: [f64; 19] = [
    1.2375126308378273,
    -0.14024059858557236,
    0.003585415485573393,
    0.08227673849330426,
    -0.10880393014632207,
    0.09230432104362173,
    -0.05869339857242634,
    0.028362279342872204,
    -0.009746578154814743,
    0.0017556099628374513,
    0.0002936903063222862,
    -0.0002900915332779742,
    5.1800163740489814e-05,
    2.2321348901836776e-05,
    -1.187417988753508e-05,
    -1.243174242455457e-06,
    2.124512809891334e-06,
    5.564891850441479e-07,
    1.3134806242025276e-08,
];

/// The error function, off by 0.98 ulp at most (near 1).
#[inline(always)]
pub fn erf(x: f32) -> f32 {
    let sum = |x: f32, terms: &[f32]| terms[1..].iter().fold(terms[0], |sum, term| sum.mul_add(x, *term));
    let size = x.abs();
    let near = x.mul_add(sum(x * x, &NEAR), x);
    let bounded = if size > 4.0 { 4.0 } else { size };
    let far = 1.0 + sum((bounded - 2.5) * (1.0 / 1.5), &FAR);
    if size < 1.0 { near } else { far.copysign(x) }
}

/// 1 less the error function, of what was a float32, to 2^-48 of itself.
#[inline(always)]
pub fn erfc(x: f64) -> f64 {
    let size = select(x.abs() > 11.0, 11.0, x.abs());
    let (sum, scale) = (size + 3.75, 2.0f64.mul_add(size, 1.0));
    let inverse = 1.0 / (sum * scale);
    let place = (size - 3.75) * scale * inverse;
    let tail = exp::exp(-(size * size)) * poly(place, &SCALED) * (sum * inverse);
    select(x < 0.0, 2.0 - tail, tail)
}

/// `erfinv(y) / y` in `-ln(1 - y²) - 2.5` below 2.5 and in the root of `-ln(1 - y²)` less 3 beyond, off by 2^-21 (M. Giles,
/// "Approximating the erfinv function", GPU Computing Gems, 2011).
const ROOTS: [[f64; 9]; 2] = [
    [
        1.50140941,
        0.246640727,
        -0.00417768164,
        -0.00125372503,
        0.00021858087,
        -4.39150654e-06,
        -3.5233877e-06,
        3.43273939e-07,
        2.81022636e-08,
    ],
    [
        2.83297682,
        1.00167406,
        0.00943887047,
        -0.0076224613,
        0.00573950773,
        -0.00367342844,
        0.00134934322,
        0.000100950558,
        -0.000200214257,
    ],
];

/// The number whose error function it is: an approximation, and one of Newton's steps from it.
#[inline(always)]
pub fn erfinv(y: f32) -> f32 {
    let size = (y as f64).abs();
    let depth = -log::log1p(-(size * size));
    let near = size * select(depth < 5.0, poly(depth - 2.5, &ROOTS[0]), poly(depth.sqrt() - 3.0, &ROOTS[1]));
    // The complement, for it keeps its digits where the error function is near 1; where that is small, its series.
    let found = near + (erfc(near) - (1.0 - size)) / (FRAC_2_SQRT_PI * exp::exp(-(near * near)));
    let line = size / FRAC_2_SQRT_PI;
    let series = line * poly(line * line, &[1.0, 1.0 / 3.0, 7.0 / 30.0]);
    let found = select(size < 0.02, series, found);
    let found = select(size < 1.0, found, select(size == 1.0, f64::INFINITY, f64::NAN));
    (found as f32).copysign(y)
}
