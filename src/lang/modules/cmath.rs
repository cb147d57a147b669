//! `cmath`: functions of complex numbers, by the formulas that CPython uses.

use super::math::real::{self, tolerances};
use crate::lang::types::call::{Call, Row, Table, Takes, keywords, row};
use crate::lang::types::convert;
use crate::value::{Outcome, Value};
use num_complex::Complex64;
use std::f64::consts::{E, LN_10, PI, TAU};

type Function = fn(Complex64) -> Complex64;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "cmath",
    rows: Table::sorted(&[
        function("acos", |c| by(c, acos)),
        function("acosh", |c| by(c, acosh)),
        function("asin", |c| by(c, |z| turned(z, asinh))),
        function("asinh", |c| by(c, asinh)),
        function("atan", |c| by(c, |z| turned(z, atanh))),
        function("atanh", |c| match argument(c.arg(0))? {
            z if z.im == 0.0 && z.re.abs() == 1.0 => fault!(ValueError, "math domain error"),
            _ => by(c, atanh),
        }),
        function("cos", |c| by(c, |z| cosh(Complex64::new(-z.im, z.re)))),
        function("cosh", |c| by(c, cosh)),
        function("exp", |c| by(c, |z| Complex64::new(z.re.exp() * z.im.cos(), z.re.exp() * z.im.sin()))),
        row("isclose", keywords(&["a", "b", "rel_tol", "abs_tol"], 2, 2), is_close),
        function("isfinite", |c| argument(c.arg(0)).map(|z| Value::Bool(z.is_finite()))),
        function("isinf", |c| argument(c.arg(0)).map(|z| Value::Bool(z.is_infinite()))),
        function("isnan", |c| argument(c.arg(0)).map(|z| Value::Bool(z.is_nan()))),
        row("log", Takes::Between(1, 2), |c| {
            let above = logarithm(argument(c.arg(0))?)?;
            match c.get(1) {
                None => Ok(value(above)),
                Some(base) => {
                    let below = value(logarithm(argument(base)?)?);
                    crate::lang::operators::binary(c.machine, crate::syntax::ast::BinaryOp::Div, &value(above), &below)
                }
            }
        }),
        function("log10", |c| {
            let found = logarithm(argument(c.arg(0))?)?;
            Ok(value(Complex64::new(found.re / LN_10, found.im / LN_10)))
        }),
        function("phase", |c| argument(c.arg(0)).map(|z| Value::Float(z.im.atan2(z.re)))),
        function("polar", |c| {
            let z = argument(c.arg(0))?;
            Ok(Value::tuple(vec![Value::Float(z.re.hypot(z.im)), Value::Float(z.im.atan2(z.re))]))
        }),
        row("rect", Takes::Between(2, 2), |c| {
            let (length, angle) = (convert::to_float(c.arg(0))?, convert::to_float(c.arg(1))?);
            Ok(value(Complex64::new(length * angle.cos(), length * angle.sin())))
        }),
        function("sin", |c| by(c, |z| turned(z, sinh))),
        function("sinh", |c| by(c, sinh)),
        function("sqrt", |c| by(c, sqrt)),
        function("tan", |c| by(c, |z| turned(z, tanh))),
        function("tanh", |c| by(c, tanh)),
    ]),
};

const fn function(name: &'static str, run: fn(&mut Call<'_>) -> Outcome) -> Row {
    row(name, Takes::One, run)
}

/// The constants.
pub fn constants() -> Vec<(&'static str, Value)> {
    vec![
        ("e", Value::Float(E)),
        ("inf", Value::Float(f64::INFINITY)),
        ("infj", value(Complex64::new(0.0, f64::INFINITY))),
        ("nan", Value::Float(f64::NAN)),
        ("nanj", value(Complex64::new(0.0, f64::NAN))),
        ("pi", Value::Float(PI)),
        ("tau", Value::Float(TAU)),
    ]
}

fn value(z: Complex64) -> Value {
    Value::Complex(z.into())
}

fn argument(value: &Value) -> Outcome<Complex64> {
    match value {
        Value::Complex(z) => Ok(**z),
        other => match convert::as_float(other)? {
            Some(x) => Ok(Complex64::new(x, 0.0)),
            None => fault!(TypeError, "must be real number, not {}", other.type_name()),
        },
    }
}

fn by(c: &Call<'_>, f: Function) -> Outcome {
    let z = argument(c.arg(0))?;
    let found = f(z);
    if z.is_finite() && !found.is_finite() {
        fault!(OverflowError, "math range error");
    }
    Ok(value(found))
}

/// A function of circles by the one of hyperbolas: of the argument turned by a quarter, and turned back.
fn turned(z: Complex64, f: Function) -> Complex64 {
    let found = f(Complex64::new(-z.im, z.re));
    Complex64::new(found.im, -found.re)
}

fn sqrt(z: Complex64) -> Complex64 {
    if z.re == 0.0 && z.im == 0.0 {
        return Complex64::new(0.0, z.im);
    }
    let (x, y) = (z.re.abs() / 8.0, z.im.abs());
    let large = 2.0 * (x + x.hypot(y / 8.0)).sqrt();
    let small = y / (2.0 * large);
    match z.re >= 0.0 {
        true => Complex64::new(large, small.copysign(z.im)),
        false => Complex64::new(small, large.copysign(z.im)),
    }
}

fn logarithm(z: Complex64) -> Outcome<Complex64> {
    if z.re == 0.0 && z.im == 0.0 {
        fault!(ValueError, "math domain error");
    }
    let (large, small) = if z.re.abs() > z.im.abs() { (z.re.abs(), z.im.abs()) } else { (z.im.abs(), z.re.abs()) };
    let length = large.hypot(small);
    // Near 1 the logarithm of the length would lose digits.
    let real = match (0.71..=1.73).contains(&length) {
        true => ((large - 1.0) * (large + 1.0) + small * small).ln_1p() / 2.0,
        false => length.ln(),
    };
    Ok(Complex64::new(real, z.im.atan2(z.re)))
}

fn sinh(z: Complex64) -> Complex64 {
    Complex64::new(z.im.cos() * z.re.sinh(), z.im.sin() * z.re.cosh())
}

fn cosh(z: Complex64) -> Complex64 {
    Complex64::new(z.im.cos() * z.re.cosh(), z.im.sin() * z.re.sinh())
}

fn tanh(z: Complex64) -> Complex64 {
    // Beyond this the hyperbolic cosine overflows.
    const FAR: f64 = 708.0;
    if z.re.abs() > FAR {
        return Complex64::new(1f64.copysign(z.re), 4.0 * z.im.sin() * z.im.cos() * (-2.0 * z.re.abs()).exp());
    }
    let (x, y, narrow) = (z.re.tanh(), z.im.tan(), 1.0 / z.re.cosh());
    let below = 1.0 + x * y * (x * y);
    Complex64::new(x * (1.0 + y * y) / below, y / below * narrow * narrow)
}

fn acos(z: Complex64) -> Complex64 {
    let (a, b) = (sqrt(Complex64::new(1.0 - z.re, -z.im)), sqrt(Complex64::new(1.0 + z.re, z.im)));
    Complex64::new(2.0 * a.re.atan2(b.re), real::asinh(b.re * a.im - b.im * a.re))
}

fn acosh(z: Complex64) -> Complex64 {
    let (a, b) = (sqrt(Complex64::new(z.re - 1.0, z.im)), sqrt(Complex64::new(z.re + 1.0, z.im)));
    Complex64::new(real::asinh(a.re * b.re + a.im * b.im), 2.0 * a.im.atan2(b.re))
}

fn asinh(z: Complex64) -> Complex64 {
    let (a, b) = (sqrt(Complex64::new(1.0 + z.im, -z.re)), sqrt(Complex64::new(1.0 - z.im, z.re)));
    Complex64::new(real::asinh(a.re * b.im - b.re * a.im), z.im.atan2(a.re * b.re - a.im * b.im))
}

fn atanh(z: Complex64) -> Complex64 {
    if z.re.is_sign_negative() {
        return -atanh(-z);
    }
    let y = z.im.abs();
    let near = (1.0 - z.re) * (1.0 - z.re) + y * y;
    Complex64::new((4.0 * z.re / near).ln_1p() / 4.0, -(-2.0 * z.im).atan2((1.0 - z.re) * (1.0 + z.re) - y * y) / 2.0)
}

/// `isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0)`
fn is_close(c: &mut Call<'_>) -> Outcome {
    let (a, b) = (argument(c.arg(0))?, argument(c.arg(1))?);
    let (relative, absolute) = tolerances(c)?;
    if a == b {
        return Ok(Value::Bool(true));
    }
    if a.is_infinite() || b.is_infinite() {
        return Ok(Value::Bool(false));
    }
    let apart = (a - b).norm();
    Ok(Value::Bool(apart <= relative * b.norm() || apart <= relative * a.norm() || apart <= absolute))
}
