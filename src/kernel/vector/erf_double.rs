//! The error function of float64, its complement and its inverse. What a step loses is carried along, so `erf` and `erfc` are within a
//! unit or two of those of the system's library.

use super::double::{quotient, sum};
use super::fine::Fine;
use super::{log, poly, select};
use std::f64::consts::FRAC_2_SQRT_PI;

/// `(erf(x) / x - 2 / √π) / x²` in x² for |x| <= 1, off by 2^-62.
const NEAR: [f64; 12] = [
    -0.3761263890318375,
    0.11283791670954885,
    -0.026866170645077875,
    0.005223977624828431,
    -0.0008548326981425542,
    0.0001205533113295582,
    -1.4925595772180904e-05,
    1.6461008477802698e-06,
    -1.6350396222864598e-07,
    1.4660328722742179e-08,
    -1.1374955736069996e-09,
    5.960685338520943e-11,
];
/// `2 / √π - 1`, and what its nearest float64 lacks.
const SLOPE: [f64; 2] = [0.1283791670955126, -1.2546e-17];

/// `erfc(x) exp(x²) (1 + 2x)` in (x - 2.5) / (x + 2.5) for x between 1 and 6, off by 2^-57 of `1 - erfc(x)`.
const SCALED_NEAR: [f64; 14] = [
    1.2648381843668606,
    -0.12235676308241976,
    -0.09902453957278352,
    0.15762991904277043,
    -0.10296705595224138,
    0.03276089215114731,
    0.00093187901753509,
    -0.004382128544406176,
    0.0004918888688676084,
    0.0006327950306615324,
    -8.687022398861744e-05,
    -0.00011389768723103807,
    -1.0074191987130978e-06,
    1.214923613116063e-05,
];

/// The same in (x - 3.75) / (x + 3.75) for x from 0 on, off by 2^-56; the first coefficient and what its nearest float64 lacks, and the
/// others.
const SCALED: [f64; 2] = [1.2375126308378275, 1.0872542269827094e-16];
const SCALED_REST: [f64; 22] = [
    -0.1402405985855467,
    0.003585415485462493,
    0.08227673849011308,
    -0.10880393014164273,
    0.09230432116152072,
    -0.0586933985917737,
    0.028362277400144333,
    -0.009746579537791475,
    0.0017556260246120404,
    0.0002937135706872675,
    -0.0002901550318534093,
    5.16492656583165e-05,
    2.2387577069390714e-05,
    -1.1443773206489846e-05,
    -9.810481896196817e-07,
    1.7491003326349866e-06,
    -4.6729225745924533e-08,
    -2.531460838627545e-07,
    1.4741015611724912e-08,
    3.275737533153833e-08,
    -4.1637256824441395e-10,
    -2.243558233601852e-09,
];

/// `erf(x) - x` for |x| <= 1.
#[inline(always)]
fn beyond_line(x: f64) -> f64 {
    let square = x * x;
    x.mul_add(SLOPE[0], x * square.mul_add(poly(square, &NEAR), SLOPE[1]))
}

/// The error function.
#[inline(always)]
pub fn erf(x: f64) -> f64 {
    let size = x.abs();
    let near = x + beyond_line(x);
    let y = select(size > 6.0, 6.0, size);
    let square = y * y;
    let shrunk = (-square).exp_with(-y.mul_add(y, -square));
    let (sum, scale) = (y + 2.5, 2.0f64.mul_add(y, 1.0));
    let inverse = 1.0 / (sum * scale);
    let place = (y - 2.5) * scale * inverse;
    let far = 1.0 - shrunk * poly(place, &SCALED_NEAR) * (sum * inverse);
    select(size < 1.0, near, far).copysign(x)
}

/// `erfc(y)` for y from 0 to 28, and `exp(-y²)` where that is not too small.
#[inline(always)]
fn tail(y: f64) -> (f64, f64) {
    let square = y * y;
    let (a, b, n) = (-square).exp_parts();
    let shrunk = sum(a, (-y.mul_add(y, -square)).mul_add(a + b, b));
    let scale = 2.0f64.mul_add(y, 1.0);
    let scale_lost = 2.0f64.mul_add(y, 1.0 - scale);
    let place = (y - 3.75) / (y + 3.75);
    let (most, rest) = sum(SCALED[0], place * poly(place, &SCALED_REST));
    let (share, lost) = quotient((most, rest + SCALED[1]), (scale, scale_lost));
    let product = shrunk.0 * share;
    let lost = shrunk.0.mul_add(share, -product) + shrunk.0.mul_add(lost, shrunk.1 * share);
    let half = (n as i64 >> 1) as u64;
    let (first, second) = (f64::power_of_two(half), f64::power_of_two(n.wrapping_sub(half)));
    ((product + lost) * first * second, shrunk.0 * first * second)
}

/// 1 less the error function.
#[inline(always)]
pub fn erfc(x: f64) -> f64 {
    let size = x.abs();
    let line = 1.0 - x;
    let near = line + (((1.0 - line) - x) - beyond_line(x));
    let (tail, _) = tail(select(size > 28.0, 28.0, size));
    select(size < 0.5, near, select(x < 0.0, 2.0 - tail, tail))
}

/// `erfinv(y) / y` in `-ln(1 - y²) - 2.5` below 2.5, and in the root of `-ln(1 - y²)` less 4.125 up to 6.1, off by 2^-19.
const ROOTS_NEAR: [f64; 8] = [
    1.501409179,
    0.2466414204,
    -0.004176257033,
    -0.001254630184,
    0.0002173349973,
    -4.094848178e-06,
    -3.185743248e-06,
    3.157147055e-07,
];
const ROOTS_FAR: [f64; 9] = [
    3.965988767,
    1.009791983,
    0.0009633829862,
    -0.0008153706862,
    0.0002551192187,
    1.623860626e-05,
    2.925245988e-05,
    -6.109153338e-05,
    1.782450199e-05,
];

/// The number whose error function it is: a guess, and three terms of the inverse function's series there, by whichever of `erf` and
/// `erfc` is small.
#[inline(always)]
pub fn erfinv(y: f64) -> f64 {
    let size = y.abs();
    let rest = 1.0 - size;
    let depth = -log::brief(rest * (1.0 + size));
    let guess = size * select(depth < 5.0, poly(depth - 2.5, &ROOTS_NEAR), poly(depth.sqrt() - 4.125, &ROOTS_FAR));
    let (tail, shrunk) = tail(guess);
    let miss = select(size < 0.84, (size - guess) - beyond_line(guess), tail - rest);
    let step = miss / (FRAC_2_SQRT_PI * shrunk);
    let cubic = guess.mul_add(guess * (4.0 / 3.0), 1.0 / 3.0);
    let found = guess + step * step.mul_add(step.mul_add(cubic, guess), 1.0);
    select(size < 1.0, found, select(size == 1.0, f64::INFINITY, f64::NAN)).copysign(y)
}
