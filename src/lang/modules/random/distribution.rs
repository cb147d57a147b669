//! Random floats of other distributions, each by the method that Python uses, so that the numbers agree.

use super::with;
use crate::lang::operators;
use crate::lang::types::call::Call;
use crate::lang::types::{convert, float};
use crate::syntax::ast::BinaryOp;
use crate::value::{Outcome, Value};
use std::f64::consts::{E, PI, TAU};

fn argument(c: &Call<'_>, place: usize, default: f64) -> Outcome<f64> {
    c.some(place).map_or(Ok(default), convert::to_float)
}

fn unit(c: &Call<'_>) -> f64 {
    with(c, |state| state.unit())
}

fn float(value: f64) -> Outcome {
    Ok(Value::Float(value))
}

/// `a op b`, where what the program gave may be no number.
fn by(c: &mut Call<'_>, op: BinaryOp, a: &Value, b: &Value) -> Outcome {
    operators::binary(c.machine, op, a, b)
}

/// What the program gave, or a number instead.
fn given(c: &Call<'_>, place: usize, default: f64) -> Value {
    c.get(place).cloned().unwrap_or(Value::Float(default))
}

/// A number of a distribution around 0 moved and stretched by the arguments `mu` and `sigma`.
fn moved(c: &mut Call<'_>, z: f64) -> Outcome {
    let (mu, sigma) = (given(c, 0, 0.0), given(c, 1, 1.0));
    let stretched = by(c, BinaryOp::Mul, &Value::Float(z), &sigma)?;
    by(c, BinaryOp::Add, &mu, &stretched)
}

/// `uniform(a, b)`
pub fn uniform(c: &mut Call<'_>) -> Outcome {
    let (a, b) = (c.arg(0).clone(), c.arg(1).clone());
    let width = by(c, BinaryOp::Sub, &b, &a)?;
    let drawn = unit(c);
    let inside = by(c, BinaryOp::Mul, &width, &Value::Float(drawn))?;
    by(c, BinaryOp::Add, &a, &inside)
}

/// `triangular(low, high, mode)`
pub fn triangular(c: &mut Call<'_>) -> Outcome {
    let mut u = unit(c);
    if [0, 1].iter().any(|place| matches!(c.get(*place), Some(Value::Str(_)))) {
        let (low, high) = (given(c, 0, 0.0), given(c, 1, 1.0));
        return by(c, BinaryOp::Sub, &high, &low);
    }
    let (mut low, mut high) = (argument(c, 0, 0.0)?, argument(c, 1, 1.0)?);
    let mode = c.some(2).map(convert::to_float).transpose()?;
    let mut peak = match mode {
        None => 0.5,
        Some(_) if high == low => return float(low),
        Some(mode) => (mode - low) / (high - low),
    };
    if u > peak {
        (u, peak) = (1.0 - u, 1.0 - peak);
        (low, high) = (high, low);
    }
    float(low + (high - low) * (u * peak).sqrt())
}

/// Kinderman and Monahan's ratio of uniform deviates.
fn standard_normal(c: &Call<'_>) -> f64 {
    // 4 exp(-1/2) / sqrt(2)
    let magic = 4.0 * (-0.5f64).exp() / 2.0f64.sqrt();
    loop {
        let (u1, u2) = (unit(c), 1.0 - unit(c));
        let z = magic * (u1 - 0.5) / u2;
        if z * z / 4.0 <= -u2.ln() {
            return z;
        }
    }
}

/// `normalvariate(mu, sigma)`
pub fn normal(c: &mut Call<'_>) -> Outcome {
    let z = standard_normal(c);
    moved(c, z)
}

/// `lognormvariate(mu, sigma)`
pub fn log_normal(c: &mut Call<'_>) -> Outcome {
    let z = standard_normal(c);
    float(convert::to_float(&moved(c, z)?)?.exp())
}

/// `gauss(mu, sigma)`: in pairs; the second waits for the next call.
pub fn gauss(c: &mut Call<'_>) -> Outcome {
    let z = with(c, |state| {
        if let Some(second) = state.gauss.take() {
            return second;
        }
        let angle = state.unit() * TAU;
        let radius = (-2.0 * (1.0 - state.unit()).ln()).sqrt();
        state.gauss = Some(angle.sin() * radius);
        angle.cos() * radius
    });
    moved(c, z)
}

/// `expovariate(lambd)`
pub fn exponential(c: &mut Call<'_>) -> Outcome {
    let (rate, drawn) = (c.arg(0).clone(), -(1.0 - unit(c)).ln());
    by(c, BinaryOp::Div, &Value::Float(drawn), &rate)
}

/// `vonmisesvariate(mu, kappa)`
pub fn von_mises(c: &mut Call<'_>) -> Outcome {
    let (mu, kappa) = (c.arg(0).clone(), argument(c, 1, 0.0)?);
    if kappa <= 1e-6 {
        return float(TAU * unit(c));
    }
    let s = 0.5 / kappa;
    let r = s + (1.0 + s * s).sqrt();
    let z = loop {
        let z = (PI * unit(c)).cos();
        let d = z / (r + z);
        let u = unit(c);
        if u < 1.0 - d * d || u <= (1.0 - d) * d.exp() {
            break z;
        }
    };
    let q = 1.0 / r;
    let angle = ((q + z) / (1.0 + q * z)).acos();
    let op = if unit(c) > 0.5 { BinaryOp::Add } else { BinaryOp::Sub };
    let turned = by(c, op, &mu, &Value::Float(angle))?;
    float(float::divmod(convert::to_float(&turned)?, TAU).1)
}

/// `gammavariate(alpha, beta)`
pub fn gamma(c: &mut Call<'_>) -> Outcome {
    let (alpha, beta) = (argument(c, 0, 1.0)?, argument(c, 1, 1.0)?);
    float(draw_gamma(c, alpha, beta)?)
}

fn draw_gamma(c: &Call<'_>, alpha: f64, beta: f64) -> Outcome<f64> {
    if alpha <= 0.0 || beta <= 0.0 {
        fault!(ValueError, "gammavariate: alpha and beta must be > 0.0");
    }
    Ok(if alpha > 1.0 {
        large_gamma(c, alpha) * beta
    } else if alpha == 1.0 {
        -(1.0 - unit(c)).ln() * beta
    } else {
        small_gamma(c, alpha) * beta
    })
}

/// Cheng's method, for alpha above 1.
fn large_gamma(c: &Call<'_>, alpha: f64) -> f64 {
    let root = (2.0 * alpha - 1.0).sqrt();
    let (b, slope) = (alpha - 4f64.ln(), alpha + root);
    // 1 + log(4.5)
    let magic = 1.0 + 4.5f64.ln();
    loop {
        let u1 = unit(c);
        if !(1e-7 < u1 && u1 < 0.9999999) {
            continue;
        }
        let u2 = 1.0 - unit(c);
        let v = (u1 / (1.0 - u1)).ln() / root;
        let x = alpha * v.exp();
        let z = u1 * u1 * u2;
        let r = b + slope * v - x;
        if r + magic - 4.5 * z >= 0.0 || r >= z.ln() {
            return x;
        }
    }
}

/// Algorithm GS of Kennedy and Gentle, for alpha between 0 and 1.
fn small_gamma(c: &Call<'_>, alpha: f64) -> f64 {
    loop {
        let u = unit(c);
        let b = (E + alpha) / E;
        let p = b * u;
        let x = if p <= 1.0 { p.powf(1.0 / alpha) } else { -((b - p) / alpha).ln() };
        let u1 = unit(c);
        let kept = if p > 1.0 { u1 <= x.powf(alpha - 1.0) } else { u1 <= (-x).exp() };
        if kept {
            return x;
        }
    }
}

/// `betavariate(alpha, beta)`
pub fn beta(c: &mut Call<'_>) -> Outcome {
    let (alpha, beta) = (argument(c, 0, 1.0)?, argument(c, 1, 1.0)?);
    let y = draw_gamma(c, alpha, 1.0)?;
    if y == 0.0 {
        return float(0.0);
    }
    float(y / (y + draw_gamma(c, beta, 1.0)?))
}

/// `paretovariate(alpha)`
pub fn pareto(c: &mut Call<'_>) -> Outcome {
    let (alpha, drawn) = (c.arg(0).clone(), 1.0 - unit(c));
    let power = by(c, BinaryOp::Div, &Value::Float(-1.0), &alpha)?;
    by(c, BinaryOp::Pow, &Value::Float(drawn), &power)
}

/// `weibullvariate(alpha, beta)`
pub fn weibull(c: &mut Call<'_>) -> Outcome {
    let (alpha, beta, drawn) = (c.arg(0).clone(), c.arg(1).clone(), -(1.0 - unit(c)).ln());
    let power = by(c, BinaryOp::Div, &Value::Float(1.0), &beta)?;
    let scaled = by(c, BinaryOp::Pow, &Value::Float(drawn), &power)?;
    by(c, BinaryOp::Mul, &alpha, &scaled)
}
