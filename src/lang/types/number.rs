//! Arithmetic of Python's numbers: bool, int of any length, float, complex.

use super::{complex, float, int};
use crate::syntax::ast::{BinaryOp, CompareOp, UnaryOp};
use crate::value::{Outcome, Value, number_eq};
use num_bigint::BigInt;
use num_complex::Complex64;
use num_traits::{FromPrimitive, Signed};
use std::cmp::Ordering;

/// `a op b` of two Python numbers; none when one of them is not a number, or the operator is not theirs.
pub fn binary(op: BinaryOp, a: &Value, b: &Value) -> Outcome<Option<Value>> {
    use Value::{BigInt as Big, Bool, Complex, Float, Int};
    match (a, b) {
        (Int(x), Int(y)) => int::small(op, *x, *y),
        (Float(x), Float(y)) => float::binary(op, *x, *y),
        (Bool(x), Bool(y)) => Ok(Some(match op {
            BinaryOp::BitAnd => Bool(x & y),
            BinaryOp::BitOr => Bool(x | y),
            BinaryOp::BitXor => Bool(x ^ y),
            _ => return int::small(op, *x as i64, *y as i64),
        })),
        (Bool(x), Int(y)) => int::small(op, *x as i64, *y),
        (Int(x), Bool(y)) => int::small(op, *x, *y as i64),
        (Big(_), Int(_) | Bool(_) | Big(_)) | (Int(_) | Bool(_), Big(_)) => match (to_big(a), to_big(b)) {
            (Some(x), Some(y)) => int::large(op, &x, &y),
            _ => Ok(None),
        },
        (Float(_), Int(_) | Bool(_) | Big(_)) | (Int(_) | Bool(_) | Big(_), Float(_)) if float::knows(op) => {
            float::binary(op, real(a)?, real(b)?)
        }
        (Complex(_), Int(_) | Bool(_) | Big(_) | Float(_) | Complex(_)) | (Int(_) | Bool(_) | Big(_) | Float(_), Complex(_))
            if complex::knows(op) =>
        {
            complex::binary(op, to_complex(a)?, to_complex(b)?)
        }
        _ => Ok(None),
    }
}

/// `-a`, `+a`, `~a` of a Python number; none when it is none or the operator is not its own.
pub fn unary(op: UnaryOp, a: &Value) -> Option<Value> {
    use Value::{BigInt as Big, Bool, Complex, Float, Int};
    Some(match (op, a) {
        (UnaryOp::Neg, Int(x)) => x.checked_neg().map_or_else(|| Value::big(-BigInt::from(*x)), Int),
        (UnaryOp::Neg, Bool(x)) => Int(-(*x as i64)),
        (UnaryOp::Neg, Big(x)) => Value::big(-(**x).clone()),
        (UnaryOp::Neg, Float(x)) => Float(-x),
        (UnaryOp::Neg, Complex(x)) => Value::from(-**x),
        (UnaryOp::Pos, Bool(x)) => Int(*x as i64),
        (UnaryOp::Pos, Int(_) | Big(_) | Float(_) | Complex(_)) => a.clone(),
        (UnaryOp::Invert, Int(x)) => Int(!x),
        (UnaryOp::Invert, Bool(x)) => Int(!(*x as i64)),
        (UnaryOp::Invert, Big(x)) => Value::big(!(**x).clone()),
        _ => return None,
    })
}

/// `a op b` for a comparison of two Python numbers, exact between ints and floats; none when one is not a number or they have
/// no order (complex).
pub fn compare(op: CompareOp, a: &Value, b: &Value) -> Option<bool> {
    match op {
        CompareOp::Eq => number_eq(a, b),
        CompareOp::Ne => number_eq(a, b).map(|eq| !eq),
        CompareOp::Lt => order(a, b).map(|o| o == Some(Ordering::Less)),
        CompareOp::Le => order(a, b).map(|o| matches!(o, Some(Ordering::Less | Ordering::Equal))),
        CompareOp::Gt => order(a, b).map(|o| o == Some(Ordering::Greater)),
        CompareOp::Ge => order(a, b).map(|o| matches!(o, Some(Ordering::Greater | Ordering::Equal))),
        CompareOp::In | CompareOp::NotIn | CompareOp::Is | CompareOp::IsNot => None,
    }
}

/// The order of two reals, itself none with a NaN; none when they are not both reals.
fn order(a: &Value, b: &Value) -> Option<Option<Ordering>> {
    use Value::{BigInt as Big, Bool, Float, Int};
    Some(match (a, b) {
        (Int(x), Int(y)) => Some(x.cmp(y)),
        (Float(x), Float(y)) => x.partial_cmp(y),
        (Float(x), Int(_) | Bool(_) | Big(_)) => float_to_int_order(*x, &to_big(b)?),
        (Int(_) | Bool(_) | Big(_), Float(y)) => float_to_int_order(*y, &to_big(a)?).map(Ordering::reverse),
        (Int(_) | Bool(_) | Big(_), Int(_) | Bool(_) | Big(_)) => Some(to_big(a)?.cmp(&to_big(b)?)),
        _ => return None,
    })
}

fn float_to_int_order(f: f64, i: &BigInt) -> Option<Ordering> {
    if f.is_nan() {
        return None;
    }
    let Some(whole) = BigInt::from_f64(f.trunc()) else {
        return Some(if f > 0.0 { Ordering::Greater } else { Ordering::Less });
    };
    Some(whole.cmp(i).then(f.fract().partial_cmp(&0.0)?))
}

/// An int or bool as a big int.
pub fn to_big(value: &Value) -> Option<BigInt> {
    match value {
        Value::Bool(b) => Some(BigInt::from(*b as i64)),
        Value::Int(i) => Some(BigInt::from(*i)),
        Value::BigInt(b) => Some((**b).clone()),
        _ => None,
    }
}

/// True for bool, int, float and complex.
pub fn is_number(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Complex(_))
}

/// A real number as a float. Fails with an `OverflowError` for an int that no float holds.
fn real(value: &Value) -> Outcome<f64> {
    match value {
        Value::Bool(b) => Ok(*b as u8 as f64),
        Value::Int(i) => Ok(*i as f64),
        Value::BigInt(b) => int::to_float(b),
        Value::Float(f) => Ok(*f),
        _ => Ok(f64::NAN),
    }
}

fn to_complex(value: &Value) -> Outcome<Complex64> {
    match value {
        Value::Complex(c) => Ok(**c),
        other => Ok(Complex64::new(real(other)?, 0.0)),
    }
}

/// `abs(a)` of a Python number; none when it is none.
pub fn absolute(a: &Value) -> Outcome<Option<Value>> {
    Ok(Some(match a {
        Value::Bool(b) => Value::Int(*b as i64),
        Value::Int(i) => i.checked_abs().map_or_else(|| Value::big(BigInt::from(*i).abs()), Value::Int),
        Value::BigInt(b) => Value::big(b.abs()),
        Value::Float(f) => Value::Float(f.abs()),
        Value::Complex(c) => {
            let size = c.re.hypot(c.im);
            if size.is_infinite() && c.re.is_finite() && c.im.is_finite() {
                fault!(OverflowError, "absolute value too large");
            }
            Value::Float(size)
        }
        _ => return Ok(None),
    }))
}
