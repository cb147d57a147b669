//! Python's numbers that the whole numbers of an array do not hold.

use crate::dtype::DType;
use crate::ops::exec;
use crate::value::{Outcome, Value};

/// Lists are looked into as deep as arrays have dimensions.
const DEEPEST: usize = 64;

/// The least and the greatest number of a dtype of whole numbers.
fn limits(dtype: DType) -> (i128, i128) {
    let bits = 8 * dtype.size() as u32;
    match dtype {
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => (0, (1 << bits) - 1),
        _ => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    }
}

/// The whole number that Python makes of a number. Fails for floats that are none.
fn whole(value: &Value) -> Outcome<Option<i128>> {
    Ok(match value {
        Value::Int(n) => Some(i128::from(*n)),
        // What is larger is beyond every dtype.
        Value::BigInt(n) => Some(i128::try_from(&**n).unwrap_or(i128::MAX)),
        Value::Float(f) if f.is_nan() => fault!(ValueError, "cannot convert float NaN to integer"),
        Value::Float(f) if f.is_infinite() => fault!(OverflowError, "cannot convert float infinity to integer"),
        Value::Float(f) => Some(f.trunc() as i128),
        _ => None,
    })
}

/// Fails with an `OverflowError` where a number of Python's, alone or in lists, is beyond what the dtype holds.
pub(super) fn check(data: &Value, dtype: DType) -> Outcome<()> {
    if dtype.is_integral(false) { check_at(data, dtype, 0) } else { Ok(()) }
}

fn check_at(data: &Value, dtype: DType, depth: usize) -> Outcome<()> {
    if let (Value::List(_) | Value::Tuple(_), true) = (data, depth < DEEPEST) {
        return data.items().unwrap_or_default().iter().try_for_each(|item| check_at(item, dtype, depth + 1));
    }
    let (least, greatest) = limits(dtype);
    match (whole(data)?, data) {
        (Some(n), Value::BigInt(_)) if n > greatest || n < least => {
            fault!(OverflowError, "Python int too large to convert to C long")
        }
        (Some(n), _) if !(least..=greatest).contains(&n) => {
            fault!(OverflowError, "Python integer {n} out of bounds for {}", dtype.name())
        }
        _ => Ok(()),
    }
}

/// Makes an array and a whole number of Python's ready for an operator: the array must hold the number, but where it is compared or
/// divided.
pub(super) fn fit(op: &str, args: &mut [Value]) -> Outcome<()> {
    let [Value::Tensor(array), number @ (Value::Int(_) | Value::BigInt(_))] = args else { return Ok(()) };
    match op {
        "<" | "<=" | ">" | ">=" | "==" | "!=" if array.dtype().is_integral(false) && array.dtype() != DType::U64 => {
            args[0] = exec::cast(array, DType::I64)?.into();
            Ok(())
        }
        "<" | "<=" | ">" | ">=" | "==" | "!=" | "/" => Ok(()),
        _ => check(number, array.dtype()),
    }
}

/// What is written to an array, in its dtype, as far as numpy converts it.
pub fn taken(own: DType, value: Value) -> Outcome {
    Ok(match value {
        Value::Tensor(given) if given.dtype() != own && (own.is_complex() || !given.dtype().is_complex()) => {
            exec::cast(&given, own)?.into()
        }
        Value::Float(number) if own.is_integral(true) && number.is_finite() => {
            exec::cast(&exec::from_vec(&[number], &[])?, own)?.into()
        }
        other => other,
    })
}
