//! The gamma function and its logarithm, by Lanczos' approximation with CPython's thirteen terms, so that the digits agree.

use crate::value::Outcome;
use std::f64::consts::PI;

const G: f64 = 6.02468004077673;
const G_MINUS_HALF: f64 = 5.52468004077673;
/// The logarithm of pi.
const LN_PI: f64 = 1.1447298858494002;

/// Numerator and denominator of the rational function, by rising power.
const TERMS: [(f64, f64); 13] = [
    (23531376880.41076, 0.0),
    (42919803642.6491, 39916800.0),
    (35711959237.35567, 120543840.0),
    (17921034426.03721, 150917976.0),
    (6039542586.352028, 105258076.0),
    (1439720407.3117216, 45995730.0),
    (248874557.86205417, 13339535.0),
    (31426415.585400194, 2637558.0),
    (2876370.6289353725, 357423.0),
    (186056.26539522348, 32670.0),
    (8071.672002365816, 1925.0),
    (210.82427775157936, 66.0),
    (2.5066282746310002, 1.0),
];

fn lanczos_sum(x: f64) -> f64 {
    let (mut top, mut bottom) = (0.0, 0.0);
    // For large x the powers would overflow, so the sum is taken in powers of 1/x.
    if x < 5.0 {
        for (n, d) in TERMS.iter().rev() {
            (top, bottom) = (top * x + n, bottom * x + d);
        }
    } else {
        for (n, d) in &TERMS {
            (top, bottom) = (top / x + n, bottom / x + d);
        }
    }
    top / bottom
}

/// `sin(pi * x)`, exact where the sine is 0 or 1.
fn sin_pi(x: f64) -> f64 {
    let y = x.abs() % 2.0;
    let size = match (2.0 * y).round() as i32 {
        0 => (PI * y).sin(),
        1 => (PI * (y - 0.5)).cos(),
        2 => (PI * (1.0 - y)).sin(),
        3 => -(PI * (y - 1.5)).cos(),
        _ => (PI * (y - 2.0)).sin(),
    };
    1f64.copysign(x) * size
}

fn undefined() -> Outcome<f64> {
    fault!(ValueError, "math domain error")
}

fn too_large() -> Outcome<f64> {
    fault!(OverflowError, "math range error")
}

/// `gamma(x)`. Fails with a `ValueError` at the poles and an `OverflowError` beyond 171.6.
pub fn gamma(x: f64) -> Outcome<f64> {
    if x.is_nan() || x == f64::INFINITY {
        return Ok(x);
    }
    let whole = x == x.floor();
    if x == f64::NEG_INFINITY || x == 0.0 || whole && x < 0.0 {
        return undefined();
    }
    if whole && x <= 23.0 {
        return Ok((1..x as u32).map(f64::from).product());
    }
    let size = x.abs();
    if size > 200.0 {
        return if x < 0.0 { Ok(0.0 / sin_pi(x)) } else { too_large() };
    }
    let result = if size < 1e-20 { 1.0 / x } else { by_lanczos(x, size) };
    if result.is_infinite() { too_large() } else { Ok(result) }
}

fn by_lanczos(x: f64, size: f64) -> f64 {
    let y = size + G_MINUS_HALF;
    // What the sum lost by rounding, brought back to first order.
    let lost = if size > G_MINUS_HALF { (y - size) - G_MINUS_HALF } else { (y - G_MINUS_HALF) - size };
    let correction = lost * G / y;
    let parts = |mut r: f64, apply: fn(f64, f64) -> f64| {
        if size < 140.0 {
            return apply(r, y.powf(size - 0.5));
        }
        // The power alone would overflow: half of it, twice.
        let half = y.powf(size / 2.0 - 0.25);
        r = apply(r, half);
        apply(r, half)
    };
    if x < 0.0 {
        let r = -PI / sin_pi(size) / size * y.exp() / lanczos_sum(size);
        parts(r - correction * r, |a, b| a / b)
    } else {
        let r = lanczos_sum(size) / y.exp();
        parts(r + correction * r, |a, b| a * b)
    }
}

/// `lgamma(x)`: the logarithm of the absolute value of gamma. Fails with a `ValueError` at the poles.
pub fn log_gamma(x: f64) -> Outcome<f64> {
    if !x.is_finite() {
        return Ok(if x.is_nan() { x } else { f64::INFINITY });
    }
    if x == x.floor() && x <= 2.0 {
        return if x <= 0.0 { undefined() } else { Ok(0.0) };
    }
    let size = x.abs();
    if size < 1e-20 {
        return Ok(-size.ln());
    }
    let mut result = lanczos_sum(size).ln() - G;
    result += (size - 0.5) * ((size + G - 0.5).ln() - 1.0);
    if x < 0.0 {
        result = LN_PI - sin_pi(size).abs().ln() - size.ln() - result;
    }
    if result.is_infinite() { too_large() } else { Ok(result) }
}
