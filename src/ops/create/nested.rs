//! Nested lists and tuples of numbers: which size and dtype they have, and their elements as bytes.

use crate::dtype::{DType, Kind, Number, promote};
use crate::ops::bind::too_big;
use crate::ops::exec;
use crate::settings;
use crate::tensor::Tensor;
use crate::value::{Class, Value};
use anyhow::Result;
use num_traits::ToPrimitive;

/// More dimensions than this are a mistake.
const MOST_DIMS: usize = 128;

/// Lets `f` look at the items of a sequence; none when the value is not one.
fn with_items<T>(value: &Value, f: impl FnOnce(&[Value]) -> T) -> Option<T> {
    Some(match value {
        Value::List(items) => f(&items.borrow()),
        Value::Tuple(items) => f(items),
        Value::Range(range) => f(&(0..range.len()).map(|k| Value::Int(range.at(k))).collect::<Vec<_>>()),
        other => f(&other.sequence().or_else(|| array_rows(other)).or_else(|| cells(other))?),
    })
}

/// The rows of a numpy array that has dimensions.
fn array_rows(value: &Value) -> Option<Vec<Value>> {
    let Value::Object(object) = value else { return None };
    let array = object.as_array().filter(|t| t.ndim() > 0)?;
    let layout = array.layout();
    let (&size, &stride) = layout.sizes.first().zip(layout.strides.first())?;
    let row = |k: i64| {
        let mut layout = (*layout).clone();
        layout.sizes.remove(0);
        layout.strides.remove(0);
        layout.offset += k * stride;
        array.alias(layout)
    };
    let rows = (0..size).map(|k| Some(Value::object(Row(row(k).ok()?))));
    rows.collect()
}

/// The numbers of a buffer.
fn cells(value: &Value) -> Option<Vec<Value>> {
    let Value::Object(object) = value else { return None };
    let buffer = object.buffer().filter(|_| object.as_array().is_none())?;
    let bytes = exec::bytes(&buffer).ok()?;
    Some(bytes.chunks(buffer.dtype().size()).map(|cell| Value::from(Number::read(buffer.dtype(), cell))).collect())
}

/// A row of a numpy array: an array again.
struct Row(Tensor);

impl crate::value::Object for Row {
    fn type_name(&self) -> String {
        "ndarray".to_string()
    }
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
    fn as_array(&self) -> Option<Tensor> {
        Some(self.0.clone())
    }
}

/// The size of nested sequences, told by the first item of each. Fails with a `ValueError` when they are too deep.
pub(super) fn sizes(data: &Value) -> Result<Vec<i64>> {
    let mut sizes = Vec::new();
    let mut at = data.clone();
    loop {
        match at {
            Value::Str(_) => fault!(ValueError, "too many dimensions 'str'"),
            Value::Bytes(_) => fault!(TypeError, "new(): invalid data type 'bytes'"),
            // Its items are looked at one by one, as values of two words.
            Value::Range(ref range) => exec::require_room(&[range.len() as i64, 2], DType::I64)?,
            _ => {}
        }
        let Some((length, first)) = with_items(&at, |items| (items.len(), items.first().cloned())) else { return Ok(sizes) };
        sizes.push(length as i64);
        let Some(first) = first else { return Ok(sizes) };
        if first.is(&at) {
            fault!(TypeError, "new(): self-referential lists are incompatible");
        }
        if sizes.len() > MOST_DIMS {
            fault!(ValueError, "too many dimensions '{}'", first.type_name());
        }
        at = first;
    }
}

/// The dtype of nested data: that which all its numbers and tensors promote to.
///
/// Fails with a `RuntimeError` or a `TypeError` when something in it has none.
pub(super) fn infer(data: &Value) -> Result<DType> {
    infer_below(data, 0)
}

fn infer_below(data: &Value, depth: usize) -> Result<DType> {
    if depth > MOST_DIMS {
        fault!(TypeError, "new(): self-referential lists are incompatible");
    }
    let default = settings::default_dtype();
    Ok(match data {
        Value::Float(_) => default,
        Value::Int(_) | Value::BigInt(_) => DType::I64,
        Value::Bool(_) => DType::Bool,
        Value::Complex(_) if default == DType::BF16 => fault!(RuntimeError, "invalid default scalar type for complex"),
        Value::Complex(_) => default.to_complex(),
        Value::Tensor(t) => t.dtype(),
        Value::Str(_) | Value::Bytes(_) => fault!(TypeError, "new(): invalid data type '{}'", data.type_name()),
        Value::Object(object) if object.as_array().is_some() => object.as_array().map_or(default, |t| t.dtype()),
        _ => match with_items(data, |items| infer_all(items, depth)) {
            Some(dtype) => dtype?.unwrap_or(default),
            None => fault!(RuntimeError, "Could not infer dtype of {}", data.type_name()),
        },
    })
}

/// The common dtype of some items; none when there are none.
fn infer_all(items: &[Value], depth: usize) -> Result<Option<DType>> {
    let mut common = None;
    for item in items {
        let dtype = infer_below(item, depth + 1)?;
        common = match common {
            Some(before) => Some(promote(before, dtype).map_or_else(|| exec::refuse_promotion(&[before, dtype]), Ok)?),
            None => Some(dtype),
        };
    }
    Ok(common)
}

/// Writes nested data as elements of a dtype, row after row. `out` has room for what `sizes` say.
///
/// Fails with a `ValueError` where a sequence has another length than `sizes` say, with a `TypeError` where there is
/// something else, and as PyTorch does where the dtype cannot hold a number.
pub(super) fn write(data: &Value, sizes: &[i64], dtype: DType, out: &mut [u8]) -> Result<()> {
    write_below(data, sizes, 0, dtype, out)
}

fn write_below(data: &Value, sizes: &[i64], dim: usize, dtype: DType, out: &mut [u8]) -> Result<()> {
    let Some(&size) = sizes.get(dim) else {
        element(data, dtype)?.write(dtype, out);
        return Ok(());
    };
    let rows = match data {
        Value::Tensor(t) if t.ndim() > 0 => Some(Value::list(rows(t)?)),
        _ => None,
    };
    let written = with_items(rows.as_ref().unwrap_or(data), |items| {
        if items.len() as i64 != size {
            fault!(ValueError, "expected sequence of length {size} at dim {dim} (got {})", items.len());
        }
        let width = out.len() / items.len().max(1);
        for (item, place) in items.iter().zip(out.chunks_exact_mut(width.max(1))) {
            write_below(item, sizes, dim + 1, dtype, place)?;
        }
        Ok(())
    });
    match written {
        Some(result) => result,
        None => fault!(TypeError, "not a sequence"),
    }
}

/// The rows of a tensor among rows of numbers.
fn rows(tensor: &Tensor) -> Result<Vec<Value>> {
    (0..tensor.sizes()[0]).map(|k| Ok(tensor.alias(tensor.layout().select(0, k)?)?.into())).collect()
}

/// One element as a number that the dtype holds.
fn element(value: &Value, dtype: DType) -> Result<Number> {
    let number = match value {
        Value::Tensor(_) if dtype == DType::U64 => fault!(TypeError, "an integer is required"),
        Value::Tensor(t) if t.numel() == 1 && dtype.is_integral(true) && !t.dtype().is_integral(true) => {
            fault!(TypeError, "only integer tensors of a single element can be converted to an index")
        }
        Value::Tensor(t) if t.numel() == 1 && dtype.is_float() && t.dtype().is_complex() => match exec::item(t)? {
            Number::Complex(c) if c.im != 0.0 => {
                fault!(RuntimeError, "value cannot be converted to type double without overflow")
            }
            other => Number::Float(other.to_f64()),
        },
        Value::Tensor(t) => tensor_element(t, dtype)?,
        Value::Object(object) => match (object.as_array(), number_of_numpy(value)) {
            (_, Some(number)) => element_of_numpy(&number, dtype)?,
            (Some(array), None) if array.ndim() == 0 => fault!(TypeError, "len() of unsized object"),
            (Some(array), None) => tensor_element(&array, dtype)?,
            (None, None) => return refuse(value, dtype),
        },
        Value::BigInt(big) => match (dtype, u64::try_from(&**big)) {
            (DType::U64, Ok(u)) => Number::Unsigned(u),
            (DType::U64, Err(_)) => return Err(too_big(big)),
            _ if dtype.is_integral(false) => fault!(ValueError, "Overflow when unpacking long long"),
            _ => match big.to_f64() {
                Some(f) if f.is_finite() => Number::Float(f),
                _ => fault!(OverflowError, "int too large to convert to float"),
            },
        },
        other => match other.as_number() {
            Some(number) => number,
            None => return refuse(value, dtype),
        },
    };
    match (dtype.kind(), number) {
        _ if dtype == DType::U64 && matches!(number, Number::Float(_) | Number::Complex(_)) => {
            fault!(TypeError, "an integer is required")
        }
        (Kind::Signed | Kind::Unsigned, Number::Complex(_)) => {
            fault!(TypeError, "'complex' object cannot be interpreted as an integer")
        }
        (Kind::Float, Number::Complex(_)) => {
            fault!(TypeError, "must be real number, not complex")
        }
        (Kind::Signed | Kind::Unsigned, number) => check_integer(number, dtype)?,
        _ => {}
    }
    Ok(match number {
        // What is too large becomes the largest number, since this dtype has no infinity.
        Number::Float(f) if dtype == DType::F8E4M3 && !f.is_nan() => Number::Float(f.clamp(-448.0, 448.0)),
        other => other,
    })
}

/// The number of numpy behind a value; none for its arrays.
pub(super) fn number_of_numpy(value: &Value) -> Option<Tensor> {
    let Value::Object(object) = value else { return None };
    object.as_array().filter(|array| array.ndim() == 0 && object.class() != Some(Class::NdArray))
}

/// A number of numpy as an element. Of its floats only float64 is one of Python's, and none of its ints is.
fn element_of_numpy(array: &Tensor, dtype: DType) -> Result<Number> {
    let (number, own) = (exec::item(array)?, array.dtype());
    let fits = match own.kind() {
        _ if dtype == DType::U64 => false,
        Kind::Signed | Kind::Unsigned => true,
        Kind::Bool => !dtype.is_integral(false),
        _ => own == DType::F64 || !dtype.is_integral(true),
    };
    match number {
        _ if !fits && dtype == DType::U64 => fault!(TypeError, "an integer is required"),
        _ if !fits => fault!(TypeError, "'numpy.{}' object cannot be interpreted as an integer", own.name()),
        Number::Complex(c) if dtype.is_float() => Ok(Number::Float(c.re)),
        number => Ok(number),
    }
}

/// The only element of a tensor among numbers.
fn tensor_element(tensor: &Tensor, dtype: DType) -> Result<Number> {
    match (tensor.numel(), dtype.is_integral(true)) {
        (1, _) => exec::item(tensor),
        (_, true) => fault!(TypeError, "only integer tensors of a single element can be converted to an index"),
        (_, false) => fault!(ValueError, "only one element tensors can be converted to Python scalars"),
    }
}

fn refuse(value: &Value, dtype: DType) -> Result<Number> {
    let name = value.type_name();
    if dtype == DType::U64 {
        fault!(TypeError, "an integer is required");
    }
    if dtype.is_integral(true) {
        fault!(TypeError, "'{name}' object cannot be interpreted as an integer");
    }
    fault!(TypeError, "must be real number, not {name}")
}

/// Fails with a `RuntimeError` when an integer dtype cannot hold a number. The negatives of an unsigned dtype's numbers wrap,
/// those of floats do not.
fn check_integer(number: Number, dtype: DType) -> Result<()> {
    let Some(limits) = dtype.int_limits() else { return Ok(()) };
    let fits = match number {
        Number::Float(f) => f.is_finite() && f >= limits.min as f64 && f < limits.max as f64 + 1.0,
        Number::Unsigned(u) => u as i128 <= limits.max,
        Number::Int(i) if dtype == DType::U64 && i < 0 => fault!(OverflowError, "can't convert negative int to unsigned"),
        other => {
            let value = other.to_i64() as i128;
            value <= limits.max && value >= if limits.min == 0 { -limits.max } else { limits.min }
        }
    };
    if !fits {
        fault!(RuntimeError, "value cannot be converted to type {} without overflow", dtype.name());
    }
    Ok(())
}
