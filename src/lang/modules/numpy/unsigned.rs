//! Unsigned whole numbers of more than a byte: PyTorch has few kernels for them, numpy computes with them as with all others. What lacks a
//! kernel is computed in int64, whose low bits are theirs.

use super::beside;
use crate::diag::ErrorClass;
use crate::dtype::DType;
use crate::ops::{self, exec};
use crate::tensor::Tensor;
use crate::value::{Machine, Outcome, Raise, Value};
use anyhow::Result;

/// Functions whose results are places or counts.
const COUNTS: &[&str] = &["argmax", "argmin", "argsort", "bincount", "count_nonzero", "nonzero", "searchsorted"];
/// Functions that sum up, in 64 bits.
const SUMS: &[&str] = &["cumprod", "cumsum", "prod", "sum"];
/// Functions for which the low bits of int64 do, however large the numbers are.
const OF_LOW_BITS: &[&str] =
    &["add", "bitwise_left_shift", "cumprod", "cumsum", "dot", "matmul", "mul", "neg", "pow", "prod", "square", "sub", "sum"];

/// The dtype of arrays whose function failed because there is no kernel for it.
pub(super) fn lacking(raise: &Raise, arrays: &[&Tensor]) -> Option<DType> {
    let wide = |dtype: &DType| matches!(dtype, DType::U16 | DType::U32 | DType::U64);
    arrays.iter().map(|array| array.dtype()).find(wide).filter(|_| is_of_kernel(raise))
}

/// True for what is said where there is no kernel.
pub(super) fn is_of_kernel(raise: &Raise) -> bool {
    let diagnostic = &raise.0.diagnostic;
    diagnostic.class == ErrorClass::NotImplementedError && diagnostic.message.contains("not implemented for 'UInt")
}

/// An array in int64; none where the function needs numbers that have no place there.
pub(super) fn widened(name: &str, array: &Tensor) -> Result<Option<Tensor>> {
    let wide = exec::cast(array, DType::I64)?;
    let fits =
        array.dtype() != DType::U64 || OF_LOW_BITS.contains(&name) || exec::read_vec::<i64>(&wide)?.iter().all(|x| *x >= 0);
    Ok(fits.then_some(wide))
}

/// What was computed in int64, as the result for arrays of this dtype.
pub(super) fn narrowed(name: &str, found: Value, dtype: DType) -> Outcome {
    let dtype = if SUMS.contains(&name) { DType::U64 } else { dtype };
    Ok(match found {
        Value::Tensor(found) if found.dtype() == DType::I64 && !COUNTS.contains(&name) => exec::cast(&found, dtype)?.into(),
        // Of values and their places the values come first.
        Value::Named(_) | Value::Tuple(_) => {
            let mut parts = found.sequence().unwrap_or_default();
            if let Some(first) = parts.first_mut() {
                *first = narrowed(name, first.clone(), dtype)?;
            }
            Value::tuple(parts)
        }
        other => other,
    })
}

/// What a function of tensors gives for arrays.
pub(super) fn call(machine: &mut dyn Machine, name: &str, args: Vec<Value>) -> Outcome {
    match ops::call_function(machine, name, args.clone()) {
        Err(raise) => again(machine, name, args, raise, ops::call_function),
        found => found,
    }
}

/// What two arrays make of each other, where `numpy` has words of its own for what fails.
pub(super) fn computed(machine: &mut dyn Machine, name: &str, args: Vec<Value>) -> Outcome {
    match beside::computed(machine, name, args.clone()) {
        Err(raise) => again(machine, name, args, raise, beside::computed),
        found => found,
    }
}

/// The same in int64, where that helps.
fn again(
    machine: &mut dyn Machine,
    name: &str,
    args: Vec<Value>,
    raise: Raise,
    by: fn(&mut dyn Machine, &str, Vec<Value>) -> Outcome,
) -> Outcome {
    let arrays: Vec<&Tensor> =
        args.iter().filter_map(|arg| if let Value::Tensor(array) = arg { Some(array) } else { None }).collect();
    let Some(dtype) = lacking(&raise, &arrays) else { return Err(raise) };
    let mut wide = vec![];
    for arg in &args {
        wide.push(match arg {
            Value::Tensor(array) if array.dtype().is_integral(true) => match widened(name, array)? {
                Some(array) => array.into(),
                None => return Err(raise),
            },
            other => other.clone(),
        });
    }
    narrowed(name, by(machine, name, wide)?, dtype)
}
