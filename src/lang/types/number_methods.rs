//! Methods and attributes of ints, floats and complex numbers.

use super::call::{Call, Table, Takes, keywords, row};
use super::{bytes, convert, float, number};
use crate::value::{Outcome, Value};
use num_bigint::{BigInt, Sign};
use num_traits::{Signed, Zero};

/// Methods of ints and bools.
pub static INT: Table = Table {
    owner: "int",
    rows: Table::sorted(&[
        row("as_integer_ratio", Takes::Nothing, |c| Ok(Value::tuple(vec![whole(c.this), Value::Int(1)]))),
        row("bit_count", Takes::Nothing, |c| Ok(Value::Int(big(c).magnitude().count_ones() as i64))),
        row("bit_length", Takes::Nothing, |c| Ok(Value::Int(big(c).bits() as i64))),
        row("conjugate", Takes::Nothing, |c| Ok(whole(c.this))),
        row("from_bytes", keywords(&["bytes", "byteorder", "signed"], 1, 2), from_bytes),
        row("to_bytes", keywords(&["length", "byteorder", "signed"], 0, 2), to_bytes),
    ]),
};

/// Methods of floats.
pub static FLOAT: Table = Table {
    owner: "float",
    rows: Table::sorted(&[
        row("as_integer_ratio", Takes::Nothing, |c| {
            let f = value(c);
            if f.is_nan() {
                fault!(ValueError, "cannot convert NaN to integer ratio");
            }
            if f.is_infinite() {
                fault!(OverflowError, "cannot convert Infinity to integer ratio");
            }
            let (numerator, denominator) = float::integer_ratio(f);
            Ok(Value::tuple(vec![Value::big(numerator), Value::big(denominator)]))
        }),
        row("conjugate", Takes::Nothing, |c| Ok(c.this.clone())),
        row("fromhex", Takes::One, |c| match c.arg(0) {
            Value::Str(text) => float::from_hex(text).map(Value::Float),
            _ => fault!(TypeError, "bad argument type for built-in operation"),
        }),
        row("hex", Takes::Nothing, |c| Ok(Value::from(float::to_hex(value(c))))),
        row("is_integer", Takes::Nothing, |c| Ok(Value::Bool(value(c).is_finite() && value(c).fract() == 0.0))),
    ]),
};

/// Methods of complex numbers.
pub static COMPLEX: Table = Table {
    owner: "complex",
    rows: Table::sorted(&[row("conjugate", Takes::Nothing, |c| match c.this {
        Value::Complex(z) => Ok(Value::from(z.conj())),
        other => Ok(other.clone()),
    })]),
};

/// `real`, `imag`, `numerator`, `denominator`.
pub fn attr(value: &Value, name: &str) -> Option<Value> {
    let is_int = matches!(value, Value::Bool(_) | Value::Int(_) | Value::BigInt(_));
    match (name, value) {
        ("real" | "numerator", _) if is_int => Some(whole(value)),
        ("imag", _) if is_int => Some(Value::Int(0)),
        ("denominator", _) if is_int => Some(Value::Int(1)),
        ("real", Value::Float(_)) => Some(value.clone()),
        ("imag", Value::Float(_)) => Some(Value::Float(0.0)),
        ("real", Value::Complex(c)) => Some(Value::Float(c.re)),
        ("imag", Value::Complex(c)) => Some(Value::Float(c.im)),
        _ => None,
    }
}

/// An int or bool as an int.
fn whole(value: &Value) -> Value {
    match value {
        Value::Bool(b) => Value::Int(*b as i64),
        other => other.clone(),
    }
}

fn big(c: &Call<'_>) -> BigInt {
    number::to_big(c.this).unwrap_or_default()
}

fn value(c: &Call<'_>) -> f64 {
    match c.this {
        Value::Float(f) => *f,
        _ => 0.0,
    }
}

/// True for `big`, the default.
fn is_big_endian(order: Option<&Value>) -> Outcome<bool> {
    match order {
        None => Ok(true),
        Some(Value::Str(order)) if **order == "big" => Ok(true),
        Some(Value::Str(order)) if **order == "little" => Ok(false),
        Some(Value::Str(_)) => fault!(ValueError, "byteorder must be either 'little' or 'big'"),
        Some(other) => fault!(TypeError, "argument 'byteorder' must be str, not {}", other.type_name()),
    }
}

fn is_signed(c: &Call<'_>) -> Outcome<bool> {
    c.get(2).map_or(Ok(false), super::truth::truth)
}

fn to_bytes(c: &mut Call<'_>) -> Outcome {
    let length = c.get(0).map_or(Ok(1), convert::to_i64)?;
    let (big_endian, signed, number) = (is_big_endian(c.get(1))?, is_signed(c)?, big(c));
    let Ok(length) = usize::try_from(length) else { fault!(ValueError, "length argument must be non-negative") };
    if number.is_negative() && !signed {
        fault!(OverflowError, "can't convert negative int to unsigned");
    }
    super::limits::check_bytes(length)?;
    let mut data = if signed { number.to_signed_bytes_le() } else { number.magnitude().to_bytes_le() };
    if number.is_zero() {
        data.clear();
    }
    if data.len() > length {
        fault!(OverflowError, "int too big to convert");
    }
    data.resize(length, if number.is_negative() { 0xff } else { 0 });
    if big_endian {
        data.reverse();
    }
    Ok(bytes::value(data))
}

fn from_bytes(c: &mut Call<'_>) -> Outcome {
    let (big_endian, signed) = (is_big_endian(c.get(1))?, is_signed(c)?);
    let source = c.arg(0).clone();
    let data = match &source {
        Value::Bytes(_) => source,
        Value::Str(_) => fault!(TypeError, "cannot convert 'str' object to bytes"),
        other => bytes::from_numbers(c.machine, "bytes", other)?,
    };
    let Value::Bytes(data) = data else { return Ok(Value::Int(0)) };
    Ok(Value::big(match (big_endian, signed) {
        (true, true) => BigInt::from_signed_bytes_be(&data),
        (false, true) => BigInt::from_signed_bytes_le(&data),
        (true, false) => BigInt::from_bytes_be(Sign::Plus, &data),
        (false, false) => BigInt::from_bytes_le(Sign::Plus, &data),
    }))
}
