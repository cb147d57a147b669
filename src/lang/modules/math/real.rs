//! Functions of one or two reals that need more than a call of the standard library.

use super::{number, out_of_range};
use crate::lang::types::call::Call;
use crate::lang::types::{convert, float, int};
use crate::value::{Outcome, Value};
use num_bigint::{BigInt, Sign};
use std::f64::consts::LN_2;

const LARGE: f64 = 268_435_456.0;

/// Inverse hyperbolic sine, by the formulas of fdlibm.
pub fn asinh(x: f64) -> f64 {
    let size = x.abs();
    if !x.is_finite() || size < 1.0 / LARGE {
        return x;
    }
    let result = if size > LARGE {
        size.ln() + LN_2
    } else if size > 2.0 {
        (2.0 * size + 1.0 / ((x * x + 1.0).sqrt() + size)).ln()
    } else {
        let square = x * x;
        (size + square / (1.0 + (1.0 + square).sqrt())).ln_1p()
    };
    result.copysign(x)
}

/// Inverse hyperbolic cosine; NaN below 1.
pub fn acosh(x: f64) -> f64 {
    if x < 1.0 {
        f64::NAN
    } else if x >= LARGE {
        x.ln() + LN_2
    } else if x > 2.0 {
        (2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt())).ln()
    } else {
        let beyond = x - 1.0;
        (beyond + (2.0 * beyond + beyond * beyond).sqrt()).ln_1p()
    }
}

/// Inverse hyperbolic tangent; NaN outside of -1 to 1, infinite at the ends.
pub fn atanh(x: f64) -> f64 {
    let size = x.abs();
    if size < 1.0 / LARGE {
        return x;
    }
    let result = if size < 0.5 {
        let twice = size + size;
        0.5 * (twice + twice * size / (1.0 - size)).ln_1p()
    } else {
        0.5 * ((size + size) / (1.0 - size)).ln_1p()
    };
    result.copysign(x)
}

/// `floor`, `ceil`: an int.
pub fn whole(c: &Call<'_>, f: fn(f64) -> f64) -> Outcome {
    match c.arg(0) {
        Value::Bool(_) | Value::Int(_) | Value::BigInt(_) => convert::to_int(c.arg(0)),
        _ => int::from_float(f(number(c, 0)?)),
    }
}

/// `trunc(x)`.
pub fn truncate(c: &mut Call<'_>) -> Outcome {
    match c.arg(0) {
        Value::Bool(_) | Value::Int(_) | Value::BigInt(_) => convert::to_int(c.arg(0)),
        Value::Float(f) => int::from_float(*f),
        other => fault!(TypeError, "type {} doesn't define __trunc__ method", other.type_name()),
    }
}

/// `fmod`, `remainder`: not defined for an infinite first or a zero second argument.
pub fn binary(c: &Call<'_>, f: fn(f64, f64) -> f64) -> Outcome {
    let (x, y) = (number(c, 0)?, number(c, 1)?);
    if y.is_infinite() && x.is_finite() {
        return Ok(Value::Float(x));
    }
    let result = f(x, y);
    if result.is_nan() && !x.is_nan() && !y.is_nan() {
        fault!(ValueError, "math domain error");
    }
    Ok(Value::Float(result))
}

/// `pow(x, y)` of floats.
pub fn power(c: &mut Call<'_>) -> Outcome {
    let (x, y) = (number(c, 0)?, number(c, 1)?);
    let result = x.powf(y);
    if x.is_finite() && y.is_finite() {
        if result.is_nan() || result.is_infinite() && x == 0.0 {
            fault!(ValueError, "math domain error");
        }
        if result.is_infinite() {
            return out_of_range();
        }
    }
    Ok(Value::Float(result))
}

/// `frexp(x)`.
pub fn frexp(c: &mut Call<'_>) -> Outcome {
    let (mantissa, exponent) = float::frexp(number(c, 0)?);
    Ok(Value::tuple(vec![Value::Float(mantissa), Value::Int(exponent)]))
}

/// `ldexp(x, i)`.
pub fn ldexp(c: &mut Call<'_>) -> Outcome {
    let x = number(c, 0)?;
    let exponent = match c.arg(1) {
        Value::Bool(_) | Value::Int(_) | Value::BigInt(_) => convert::to_i64_clamped(c.arg(1))?,
        _ => fault!(TypeError, "Expected an int as second argument to ldexp."),
    };
    let result = float::ldexp(x, exponent);
    if result.is_infinite() && x.is_finite() { out_of_range() } else { Ok(Value::Float(result)) }
}

/// `modf(x)`: fraction and whole part, both with the sign of x.
pub fn modf(c: &mut Call<'_>) -> Outcome {
    let x = number(c, 0)?;
    let fraction = if x.is_infinite() { 0.0 } else { x.fract() };
    Ok(Value::tuple(vec![Value::Float(fraction.copysign(x)), Value::Float(x.trunc())]))
}

/// `log(x)`, `log(x, base)`.
pub fn log(c: &mut Call<'_>) -> Outcome {
    if !c.keyword.is_empty() {
        fault!(TypeError, "log() takes no keyword arguments");
    }
    match c.args().as_slice() {
        [x] => logarithm(x, f64::ln).map(Value::Float),
        [x, base] => {
            let (top, bottom) = (logarithm(x, f64::ln)?, logarithm(base, f64::ln)?);
            if bottom == 0.0 {
                fault!(ZeroDivisionError, "float division by zero");
            }
            Ok(Value::Float(top / bottom))
        }
        _ => fault!(TypeError, "math.log requires 1 to 2 arguments"),
    }
}

/// A logarithm, of ints too large for a float too.
pub fn logarithm(x: &Value, log: fn(f64) -> f64) -> Outcome<f64> {
    let (value, more) = match x {
        Value::BigInt(big) if big.sign() == Sign::Plus => split(big),
        Value::BigInt(_) => (-1.0, 0),
        other => (convert::to_float(other)?, 0),
    };
    if value <= 0.0 {
        fault!(ValueError, "math domain error");
    }
    Ok(if more == 0 { log(value) } else { log(value) + log(2.0) * more as f64 })
}

/// A float and a power of two whose product is the int; the power is 0 when a float holds the int.
fn split(big: &BigInt) -> (f64, i64) {
    match int::to_float(big) {
        Ok(value) => (value, 0),
        Err(_) => {
            let bits = big.bits() as i64;
            (int::scale(big, -bits), bits)
        }
    }
}

/// `rel_tol` and `abs_tol`, third and fourth. Fails with a `ValueError` when one is negative.
pub fn tolerances(c: &Call<'_>) -> Outcome<(f64, f64)> {
    let tolerance = |place: usize, default: f64| c.get(place).map_or(Ok(default), convert::to_float);
    let (relative, absolute) = (tolerance(2, 1e-9)?, tolerance(3, 0.0)?);
    if relative < 0.0 || absolute < 0.0 {
        fault!(ValueError, "tolerances must be non-negative");
    }
    Ok((relative, absolute))
}

/// `isclose(a, b, rel_tol=1e-09, abs_tol=0.0)`.
pub fn is_close(c: &mut Call<'_>) -> Outcome {
    let (a, b) = (number(c, 0)?, number(c, 1)?);
    let (relative, absolute) = tolerances(c)?;
    if a == b {
        return Ok(Value::Bool(true));
    }
    if a.is_infinite() || b.is_infinite() {
        return Ok(Value::Bool(false));
    }
    let distance = (b - a).abs();
    Ok(Value::Bool(distance <= (relative * b).abs() || distance <= (relative * a).abs() || distance <= absolute))
}

/// `ulp(x)`: the distance to the next float away from zero.
pub fn unit_in_last_place(c: &mut Call<'_>) -> Outcome {
    let size = number(c, 0)?.abs();
    if !size.is_finite() {
        return Ok(Value::Float(size));
    }
    let next = f64::from_bits(size.to_bits() + 1);
    Ok(Value::Float(if next.is_infinite() { size - f64::from_bits(size.to_bits() - 1) } else { next - size }))
}
