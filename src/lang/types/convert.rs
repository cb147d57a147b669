//! What an argument is taken as: an index, a float, a text.

use super::{int, number};
use crate::dtype::Number;
use crate::ops::exec;
use crate::value::{Outcome, Text, Value};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::rc::Rc;

/// The int that a value stands for where an int is needed (`__index__`): ints, bools, integer tensors of one element.
///
/// Fails with a `TypeError` for anything else, floats too.
pub fn to_int(value: &Value) -> Outcome {
    match as_int(value)? {
        Some(int) => Ok(int),
        None => fault!(TypeError, "'{}' object cannot be interpreted as an integer", value.type_name()),
    }
}

/// As [`to_int`], none for a value that is no int.
pub fn as_int(value: &Value) -> Outcome<Option<Value>> {
    Ok(match value {
        Value::Bool(b) => Some(Value::Int(*b as i64)),
        Value::Int(_) | Value::BigInt(_) => Some(value.clone()),
        Value::Tensor(t) if t.dtype().is_integral(true) && t.numel() == 1 => match exec::item(t)? {
            Number::Bool(b) => Some(Value::Int(i64::from(b))),
            number => Some(Value::from(number)),
        },
        Value::Tensor(_) => fault!(TypeError, "only integer tensors of a single element can be converted to an index"),
        Value::Object(o) => match o.number() {
            Some(Number::Int(i)) => Some(Value::Int(i)),
            Some(Number::Bool(b)) => Some(Value::Int(b as i64)),
            _ => None,
        },
        _ => None,
    })
}

/// An int of 64 bits. Fails with an `OverflowError` when it is longer.
pub fn to_i64(value: &Value) -> Outcome<i64> {
    match to_int(value)? {
        Value::Int(i) => Ok(i),
        _ => fault!(OverflowError, "Python int too large to convert to C ssize_t"),
    }
}

/// An int for a C `int` parameter.
pub fn to_i32(value: &Value) -> Outcome<i32> {
    match to_int(value)? {
        Value::Int(i) if i32::try_from(i).is_ok() => Ok(i as i32),
        _ => fault!(OverflowError, "Python int too large to convert to C int"),
    }
}

/// An int of any length.
pub fn to_big(value: &Value) -> Outcome<BigInt> {
    Ok(number::to_big(&to_int(value)?).unwrap_or_default())
}

/// An int that counts or indexes: one that is too long is as long as can be.
pub fn to_i64_clamped(value: &Value) -> Outcome<i64> {
    Ok(match to_int(value)? {
        Value::Int(i) => i,
        Value::BigInt(b) => b.to_i64().unwrap_or(if b.sign() == num_bigint::Sign::Minus { i64::MIN } else { i64::MAX }),
        _ => 0,
    })
}

/// A number of repetitions or items. Fails with an `OverflowError` when no memory could hold it.
pub fn to_count(value: &Value) -> Outcome<usize> {
    match to_int(value)? {
        Value::Int(i) => Ok(i.max(0) as usize),
        Value::BigInt(b) if b.sign() == num_bigint::Sign::Minus => Ok(0),
        _ => fault!(OverflowError, "cannot fit 'int' into an index-sized integer"),
    }
}

/// A float for a function of reals: ints, floats, tensors of one element.
pub fn to_float(value: &Value) -> Outcome<f64> {
    match as_float(value)? {
        Some(f) => Ok(f),
        None => fault!(TypeError, "must be real number, not {}", value.type_name()),
    }
}

/// As [`to_float`], none for a value that is no real number.
pub fn as_float(value: &Value) -> Outcome<Option<f64>> {
    Ok(Some(match value {
        Value::Bool(b) => *b as u8 as f64,
        Value::Int(i) => *i as f64,
        Value::BigInt(b) => int::to_float(b)?,
        Value::Float(f) => *f,
        Value::Tensor(t) => return tensor_float(t).map(Some),
        Value::Object(o) => match o.number() {
            Some(number) => number.to_f64(),
            None => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

fn tensor_float(tensor: &crate::tensor::Tensor) -> Outcome<f64> {
    if tensor.numel() != 1 {
        fault!(ValueError, "only one element tensors can be converted to Python scalars");
    }
    let number = exec::item(tensor)?;
    if tensor.dtype().is_complex() && number.to_complex().im != 0.0 {
        fault!(RuntimeError, "value cannot be converted to type double without overflow");
    }
    Ok(number.to_f64())
}

/// A str argument. Fails with a `TypeError` that names the function and, unless empty, the argument.
pub fn to_str<'v>(value: &'v Value, function: &str, argument: &str) -> Outcome<&'v Rc<Text>> {
    match value {
        Value::Str(s) => Ok(s),
        other if argument.is_empty() => fault!(TypeError, "{function}() argument must be str, not {}", other.type_name()),
        other => fault!(TypeError, "{function}() {argument} must be str, not {}", other.type_name()),
    }
}

/// True when the value can be called.
pub fn is_callable(value: &Value) -> bool {
    match value {
        Value::Class(_) => true,
        Value::Object(o) => o.is_callable(),
        _ => false,
    }
}
