//! Hyperbolic functions of float32 and their inverses, which PyTorch leaves to the C library: rounding by rounding as glibc 2.36 has
//! them, so that the digits that are printed of `cosh(5)` are the same. Their errors are up to two units in the last place.

use super::bounded;
use super::exp::exp;
use super::log::brief;

/// ln 2 in two parts, of which the first has trailing zeros.
const LN_2: f32 = f32::from_bits(0x3f31_7180);
const LN_2_REST: f32 = f32::from_bits(0x3717_f7d1);
/// 1 / ln 2.
const LOG2_E: f32 = f32::from_bits(0x3fb8_aa3b);
/// ln(2) / 2, up to which e^x - 1 is a polynomial, and 3 ln(2) / 2, up to which one ln 2 is taken away.
const HALF_LN_2: f32 = f32::from_bits(0x3eb1_7218);
const THREE_HALVES_LN_2: f32 = f32::from_bits(0x3f85_1592);
/// The rational approximation of e^x - 1.
const GROWTH: [f32; 5] = [
    f32::from_bits(0xbd08_8889),
    f32::from_bits(0x3ad0_0d01),
    f32::from_bits(0xb8a6_70cd),
    f32::from_bits(0x3686_7e54),
    f32::from_bits(0xb457_edbb),
];

/// A number from which on e^-x is lost beside e^x.
const LARGE: f32 = 22.0;
/// Numbers from here on are squares of e^(x/2): e^x may be too large where half of it is not.
const HUGE: f32 = f32::from_bits(0x42b1_7180);

/// Added to a whole number below 2^22, it shows it in the low bits.
const MAGIC: f32 = 12_582_912.0;

/// The hyperbolic sine of what was float32.
#[inline(always)]
pub fn sinh(x: f64) -> f64 {
    let size = x.abs() as f32;
    let t = grown(if size < LARGE { size } else { LARGE });
    let near = if size < 1.0 { 2.0 * t - t * t / (t + 1.0) } else { t + t / (t + 1.0) };
    let result = if size < LARGE { 0.5 * near } else { half_exp(size) };
    if x.is_nan() { x } else { (result as f64).copysign(x) }
}

/// The hyperbolic cosine of what was float32.
#[inline(always)]
pub fn cosh(x: f64) -> f64 {
    let size = x.abs() as f32;
    let t = grown(if size < HALF_LN_2 { size } else { HALF_LN_2 });
    let near = 1.0 + (t * t) / (2.0 * (1.0 + t));
    let e = whole_exp(size);
    let far = if size < LARGE { 0.5 * e + 0.5 / e } else { half_exp(size) };
    let result = if size < HALF_LN_2 { near } else { far };
    if x.is_nan() { x } else { result as f64 }
}

/// e^x for x from 0 on, rounded to float32.
#[inline(always)]
fn whole_exp(x: f32) -> f32 {
    exp(bounded(x as f64, 0.0, 100.0)) as f32
}

/// Half of e^x, also where e^x itself is too large.
#[inline(always)]
fn half_exp(x: f32) -> f32 {
    let root = whole_exp(0.5 * x);
    if x < HUGE { 0.5 * whole_exp(x) } else { (0.5 * root) * root }
}

/// e^x - 1 for x from 0 to 22: x is less by as many ln 2 as there are in it, a rational function gives the rest.
#[inline(always)]
fn grown(x: f32) -> f32 {
    let nearest = (LOG2_E * x + 0.5).trunc();
    let count = if x <= HALF_LN_2 {
        0.0
    } else if x < THREE_HALVES_LN_2 {
        1.0
    } else {
        nearest
    };
    let (high, low) = (x - count * LN_2, count * LN_2_REST);
    let rest = high - low;
    let lost = (high - rest) - low;
    let half = 0.5 * rest;
    let square = rest * half;
    let [a, b, c, d, e] = GROWTH;
    let growth = 1.0 + square * (a + square * (b + square * (c + square * (d + square * e))));
    let t = 3.0 - growth * half;
    let error = square * ((growth - t) / (6.0 - rest * t));
    let alone = rest - (rest * error - square);
    let error = (rest * (error - lost) - lost) - square;
    let single = if rest < -0.25 { -2.0 * (error - (rest + 0.5)) } else { 1.0 + 2.0 * (rest - error) };
    let bits = (count + MAGIC).to_bits() - MAGIC.to_bits();
    let (power, inverse) = (f32::from_bits((127 + bits) << 23), f32::from_bits((127 - bits) << 23));
    let many = if count < 23.0 { (1.0 - inverse) - (error - rest) } else { (rest - (error + inverse)) + 1.0 };
    match count {
        0.0 => alone,
        1.0 => single,
        _ => many * power,
    }
}

/// What [`log1p`] adds to a number of the form s^2, s being f / (2 + f).
const LOG_1P: [f32; 7] = [
    f32::from_bits(0x3f2a_aaab),
    f32::from_bits(0x3ecc_cccd),
    f32::from_bits(0x3e92_4925),
    f32::from_bits(0x3e63_8e29),
    f32::from_bits(0x3e3a_3325),
    f32::from_bits(0x3e1c_d04f),
    f32::from_bits(0x3e17_8897),
];

/// The number whose hyperbolic sine it is, of what was float32.
#[inline(always)]
pub fn asinh(x: f64) -> f64 {
    let size = x.abs() as f32;
    let square = size * size;
    let near = log1p(if size <= 2.0 { size + square / (1.0 + (1.0 + square).sqrt()) } else { 1.0 });
    let far = log(2.0 * size + 1.0 / ((square + 1.0).sqrt() + size));
    let most = if size > 16384.0 {
        log(size) + std::f32::consts::LN_2
    } else if size > 2.0 {
        far
    } else {
        near
    };
    let result = if size < 1.0 / 16384.0 || !size.is_finite() { size } else { most };
    (result as f64).copysign(x)
}

/// The number that is not negative and whose hyperbolic cosine it is, of what was float32; NaN below 1.
#[inline(always)]
pub fn acosh(x: f64) -> f64 {
    let x = x as f32;
    let over = x - 1.0;
    let near = log1p(if (1.0..=2.0).contains(&x) { over + (2.0 * over + over * over).sqrt() } else { 1.0 });
    let far = log(2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt()));
    let most = if x >= 268_435_456.0 {
        log(x) + std::f32::consts::LN_2
    } else if x > 2.0 {
        far
    } else {
        near
    };
    let result = if x < 1.0 { f32::NAN } else { most };
    if x.is_finite() {
        result as f64
    } else if x > 0.0 {
        f64::INFINITY
    } else {
        f64::NAN
    }
}

/// The number whose hyperbolic tangent it is, of what was float32, rounded once; NaN beyond 1.
#[inline(always)]
pub fn atanh(x: f64) -> f64 {
    let size = x.abs();
    let near = size + size * size * size / 3.0;
    let far = 0.5 * brief((1.0 + size) / (1.0 - size));
    let beyond = if size == 1.0 { f64::INFINITY } else { f64::NAN };
    let inside = if size < 1e-3 { near } else { far };
    (if size < 1.0 { inside } else { beyond }).copysign(x)
}

/// The logarithm of a positive number, rounded to float32.
#[inline(always)]
fn log(x: f32) -> f32 {
    brief(x as f64) as f32
}

/// ln(1 + x) for x from 2^-29 to 2^50.
#[inline(always)]
fn log1p(x: f32) -> f32 {
    /// The square root of 2, less 1, up to which no ln 2 is taken away; its mantissa.
    const ROOT_LESS_1: f32 = f32::from_bits(0x3ed4_13d7);
    const ROOT: u32 = 0x35_04f7;
    let sum = 1.0 + x;
    let (exponent, mantissa) = ((sum.to_bits() >> 23) as i32 - 127, sum.to_bits() & 0x7f_ffff);
    let lost = (if exponent > 0 { 1.0 - (sum - x) } else { x - (sum - 1.0) }) / sum;
    let is_low = mantissa < ROOT;
    let is_near = x < ROOT_LESS_1;
    let scaled = f32::from_bits(mantissa | if is_low { 0x3f80_0000 } else { 0x3f00_0000 }) - 1.0;
    let (f, count) = if is_near { (x, 0) } else { (scaled, exponent + i32::from(!is_low)) };
    let (lost, count) = (if is_near { 0.0 } else { lost }, count as f32);
    let half = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let [a, b, c, d, e, g, h] = LOG_1P;
    let terms = z * (a + z * (b + z * (c + z * (d + z * (e + z * (g + z * h))))));
    let alone = f - (half - s * (half + terms));
    let whole = count * LN_2 - ((half - (s * (half + terms) + (count * LN_2_REST + lost))) - f);
    // Where what is left of a power of two is next to nothing.
    let little = half * (1.0 - 0.666_666_7 * f);
    let power = count * LN_2 - ((little - (count * LN_2_REST + lost)) - f);
    let folded = if is_low { mantissa } else { (0x80_0000 - mantissa) >> 2 };
    match (is_near || count == 0.0, folded == 0 && !is_near) {
        (true, false) => alone,
        (true, true) => f - little,
        (false, true) if f == 0.0 => count * LN_2 + (lost + count * LN_2_REST),
        (false, true) => power,
        _ => whole,
    }
}
