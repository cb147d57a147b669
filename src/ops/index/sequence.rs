//! Lists of numbers as tensors of indices or masks.

use crate::dtype::{DType, Number};
use crate::ops::exec;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// True for a tensor that picks where it is true.
pub(super) fn is_mask(index: &Tensor) -> bool {
    matches!(index.dtype(), DType::Bool | DType::U8)
}

/// True for what holds items in order: lists, tuples, ranges.
pub(super) fn is_sequence(value: &Value) -> bool {
    matches!(value, Value::List(_) | Value::Range(_)) || value.sequence().is_some()
}

/// The items of a sequence.
pub(super) fn items(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::Range(range) => Some((0..range.len()).map(|k| Value::Int(range.at(k))).collect()),
        other => other.items(),
    }
}

/// A nested sequence of numbers as a tensor: a mask when all are truth values, else int64, floats cut off.
///
/// Fails with a `ValueError` when the sequence is ragged, with a `TypeError` for what is no number.
pub(super) fn tensor(value: &Value) -> Result<Tensor> {
    let mut sizes = vec![];
    let mut level = value.clone();
    while let Some(inner) = items(&level) {
        sizes.push(inner.len() as i64);
        match inner.into_iter().next() {
            Some(first) => level = first,
            None => break,
        }
    }
    let mut numbers = vec![];
    flatten(value, &sizes, 0, &mut numbers)?;
    if !numbers.is_empty() && numbers.iter().all(|n| matches!(n, Number::Bool(_))) {
        let truths: Vec<u8> = numbers.iter().map(|n| n.to_bool() as u8).collect();
        return exec::from_bytes(&truths, &sizes, DType::Bool);
    }
    exec::from_vec(&numbers.into_iter().map(whole).collect::<Result<Vec<i64>>>()?, &sizes)
}

/// The numbers of a sequence at a depth, in order.
fn flatten(value: &Value, sizes: &[i64], depth: usize, numbers: &mut Vec<Number>) -> Result<()> {
    let Some(&size) = sizes.get(depth) else {
        numbers.push(number(value)?);
        return Ok(());
    };
    let Some(inner) = items(value) else { fault!(TypeError, "not a sequence") };
    if inner.len() as i64 != size {
        fault!(ValueError, "expected sequence of length {size} at dim {depth} (got {})", inner.len());
    }
    inner.iter().try_for_each(|item| flatten(item, sizes, depth + 1, numbers))
}

fn number(value: &Value) -> Result<Number> {
    match value {
        Value::Tensor(t) if t.numel() == 1 => exec::item(t),
        Value::Tensor(_) => fault!(TypeError, "only integer tensors of a single element can be converted to an index"),
        Value::BigInt(_) => fault!(ValueError, "Overflow when unpacking long long"),
        Value::Complex(_) => fault!(TypeError, "'complex' object cannot be interpreted as an integer"),
        other => match other.as_number() {
            Some(number) => Ok(number),
            None if let Some(number) = of_numpy(other) => Ok(number),
            None if matches!(other, Value::Str(_) | Value::Bytes(_)) => {
                fault!(TypeError, "new(): invalid data type '{}'", other.type_name())
            }
            None if array_of(other).is_some() => {
                fault!(TypeError, "'{}' object cannot be interpreted as an integer", other.type_name())
            }
            None => fault!(RuntimeError, "Could not infer dtype of {}", other.type_name()),
        },
    }
}

/// A whole number or a truth value of numpy's, or one of its float64, which are Python's floats.
fn of_numpy(value: &Value) -> Option<Number> {
    let array = array_of(value)?;
    (array.dtype().is_integral(true) || array.dtype() == DType::F64).then(|| exec::item(&array).ok())?
}

/// What holds a number of numpy's.
fn array_of(value: &Value) -> Option<Tensor> {
    let Value::Object(object) = value else { return None };
    object.as_array().filter(|array| array.ndim() == 0)
}

fn whole(number: Number) -> Result<i64> {
    match number {
        Number::Float(f) if !(-9.3e18..9.3e18).contains(&f) => {
            fault!(RuntimeError, "value cannot be converted to type int64 without overflow")
        }
        other => Ok(other.to_i64()),
    }
}
