//! Functions of float32 step by step as PyTorch's vectors take them inside of its activations and losses, so that the bits are the same:
//! exponentials and logarithms in pairs of numbers, the second being what the first lost.

use super::fine::Fine;

/// A number and what its rounding lost.
type Pair = (f32, f32);

/// The sum of two numbers.
#[inline(always)]
fn sum(x: f32, y: f32) -> Pair {
    let s = x + y;
    let v = s - x;
    (s, (x - (s - v)) + (y - v))
}

/// The sum of a pair and a number.
#[inline(always)]
fn plus(x: Pair, y: f32) -> Pair {
    let (s, lost) = sum(x.0, y);
    (s, lost + x.1)
}

/// The sum of two pairs.
#[inline(always)]
fn both(x: Pair, y: Pair) -> Pair {
    let (s, lost) = sum(x.0, y.0);
    (s, lost + (x.1 + y.1))
}

/// The sum of a pair and one that is not larger.
#[inline(always)]
fn with_less(x: Pair, y: Pair) -> Pair {
    let s = x.0 + y.0;
    (s, x.0 - s + y.0 + x.1 + y.1)
}

/// The product of a pair and a number.
#[inline(always)]
fn times(x: Pair, y: f32) -> Pair {
    let s = x.0 * y;
    (s, x.1.mul_add(y, x.0.mul_add(y, -s)))
}

/// The product of two pairs.
#[inline(always)]
fn product(x: Pair, y: Pair) -> Pair {
    let s = x.0 * y.0;
    (s, x.0.mul_add(y.1, x.1.mul_add(y.0, x.0.mul_add(y.0, -s))))
}

/// The square of a pair.
#[inline(always)]
fn square(x: Pair) -> Pair {
    let s = x.0 * x.0;
    (s, (x.0 + x.0).mul_add(x.1, x.0.mul_add(x.0, -s)))
}

/// The quotient of two pairs.
#[inline(always)]
fn quotient(n: Pair, d: Pair) -> Pair {
    let t = 1.0 / d.0;
    let s = n.0 * t;
    let u = t.mul_add(n.0, -s);
    let v = (-d.1).mul_add(t, (-d.0).mul_add(t, 1.0));
    (s, s.mul_add(v, n.1.mul_add(t, u)))
}

/// One over a pair.
#[inline(always)]
fn inverse(d: Pair) -> Pair {
    let s = 1.0 / d.0;
    (s, s * (-d.1).mul_add(s, (-d.0).mul_add(s, 1.0)))
}

#[inline(always)]
fn select(condition: bool, yes: f32, no: f32) -> f32 {
    if condition { yes } else { no }
}

/// Added to a number below 2^22, it rounds to a whole number, which is then in the low bits.
const MAGIC: f32 = 12_582_912.0;

/// e^x as a pair, for x from -104 to 100.
#[inline(always)]
#[allow(clippy::excessive_precision, reason = "the digits they were found with")]
fn power(x: f32) -> Pair {
    let shifted = x * std::f32::consts::LOG2_E + MAGIC;
    let whole = shifted - MAGIC;
    let s = plus(plus((x, 0.0), whole * -0.693145751953125), whole * -1.428606765330187045e-06);
    let curve = [0.1980960224e-3_f32, 0.1394256484e-2, 0.8333456703e-2, 0.4166637361e-1];
    let u = curve[1..].iter().fold(curve[0], |sum, c| sum.mul_add(s.0, *c));
    let t = plus(times(s, u), 0.166666659414234244790680580464);
    let t = plus(product(s, t), 0.5);
    let t = both(s, product(square(s), t));
    let t = with_less((1.0, 0.0), t);
    let n = shifted.to_bits().wrapping_sub(MAGIC.to_bits());
    let half = (n as i32 >> 1) as u32;
    let (first, second) = (f32::power_of_two(half), f32::power_of_two(n.wrapping_sub(half)));
    (t.0 * first * second, t.1 * first * second)
}

/// Between bounds; NaN stays.
#[inline(always)]
fn bounded(x: f32, low: f32, high: f32) -> f32 {
    let x = select(x > high, high, x);
    select(x < low, low, x)
}

/// e^x - 1.
#[inline(always)]
#[allow(clippy::excessive_precision, reason = "the digits they were found with")]
pub fn expm1(x: f32) -> f32 {
    let d = plus(power(bounded(x, -20.0, 90.0)), -1.0);
    let result = select(x > 88.72283172607421875, f32::INFINITY, d.0 + d.1);
    let result = select(x < -16.635532333438687426013570, -1.0, result);
    select(x == 0.0, x, result)
}

/// The hyperbolic tangent.
#[inline(always)]
#[allow(clippy::excessive_precision, reason = "the digits they were found with")]
pub fn tanh(x: f32) -> f32 {
    let d = power(bounded(x.abs(), 0.0, 10.0));
    let e = inverse(d);
    let d = quotient(with_less(d, (-e.0, -e.1)), with_less(d, e));
    let result = select(x.abs() > 8.664339742, 1.0, d.0 + d.1);
    select(x.is_nan(), x, result.copysign(x))
}

/// ln(1 + x).
#[inline(always)]
#[allow(clippy::excessive_precision, reason = "the digits they were found with")]
pub fn log1p(x: f32) -> f32 {
    // Where 1 is lost beside x, 2^-64 of it is looked at, since its own exponent may have no inverse.
    let is_large = x > 1e30;
    let seen = select(is_large, x * f32::power_of_two((-64_i32) as u32), x);
    let scaled = (select(is_large, 0.0, 1.0) + seen) * (1.0_f32 / 0.75_f32);
    // The exponent of a positive normal number.
    let exponent = (scaled.to_bits() >> 23) as i32 - 127;
    let t = f32::power_of_two((-exponent).max(-126) as u32);
    let m = seen.mul_add(t, select(is_large, 0.0, t) - 1.0);
    let e = exponent as f32 + select(is_large, 64.0, 0.0);
    let s = times((0.69314718246459960938, -1.904654323148236017e-09), e);
    let near = 2.0 + m;
    let q = quotient((m, 0.0), (near, 2.0 - near + m));
    let square = q.0 * q.0;
    let curve = [0.3027294874_f32, 0.3996108174, 0.6666694880];
    let u = curve[1..].iter().fold(curve[0], |sum, c| sum.mul_add(square, *c));
    let s = with_less(s, (q.0 * 2.0, q.1 * 2.0));
    let s = with_less(s, (square * q.0 * u, 0.0));
    let result = select(x == f32::INFINITY, x, s.0 + s.1);
    let result = select(x >= -1.0, result, f32::NAN);
    let result = select(x == -1.0, f32::NEG_INFINITY, result);
    select(x == 0.0, x, result)
}
