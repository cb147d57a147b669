//! The dtype that several arrays have in common, by numpy's rules and not by PyTorch's.

use super::array::scalar_dtype;
use super::dtypes::{dtype_object, dtype_of};
use crate::device::DeviceId;
use crate::dtype::{DType, Kind};
use crate::lang::types::call::Call;
use crate::ops::exec;
use crate::value::{Outcome, Value};

/// The float that holds every number of a dtype.
fn float_of(dtype: DType) -> DType {
    match (dtype.kind(), dtype.size()) {
        (Kind::Float, _) => dtype,
        (Kind::Complex, _) => dtype.to_real(),
        (_, 1) => DType::F16,
        (_, 2) => DType::F32,
        _ => DType::F64,
    }
}

/// The whole number with a sign of so many bytes.
fn signed(size: usize) -> DType {
    match size {
        1 => DType::I8,
        2 => DType::I16,
        4 => DType::I32,
        _ => DType::I64,
    }
}

/// The dtype that two arrays have in common: it holds the numbers of both.
pub fn promote(a: DType, b: DType) -> DType {
    let larger = |a: DType, b: DType| if b.size() > a.size() { b } else { a };
    match (a.kind(), b.kind()) {
        (Kind::Bool, _) => b,
        (_, Kind::Bool) => a,
        (Kind::Unsigned, Kind::Unsigned) | (Kind::Signed, Kind::Signed) => larger(a, b),
        // No whole number with a sign holds those of eight bytes without.
        (Kind::Unsigned, Kind::Signed) | (Kind::Signed, Kind::Unsigned) if [a, b].contains(&DType::U64) => DType::F64,
        (Kind::Unsigned, Kind::Signed) => larger(b, signed(2 * a.size())),
        (Kind::Signed, Kind::Unsigned) => larger(a, signed(2 * b.size())),
        (Kind::Complex, _) | (_, Kind::Complex) => {
            let part = larger(float_of(a), float_of(b));
            if part.size() > 4 { DType::C128 } else { DType::C64 }
        }
        _ => larger(float_of(a), float_of(b)),
    }
}

/// The dtype of arrays and numbers together; a plain number counts by its kind alone. None without any.
fn common(args: &[Value]) -> Option<DType> {
    let arrays = args.iter().filter_map(|arg| if let Value::Tensor(t) = arg { Some(t.dtype()) } else { None });
    let dtype = arrays.reduce(promote)?;
    let beside = |of: fn(&Value) -> bool| args.iter().any(of);
    let (whole, bool) = (dtype.is_integral(true), dtype == DType::Bool);
    Some(match () {
        () if beside(|arg| matches!(arg, Value::Complex(_))) && !dtype.is_complex() => {
            if whole || dtype == DType::F64 {
                DType::C128
            } else {
                DType::C64
            }
        }
        () if beside(|arg| matches!(arg, Value::Float(_))) && whole => DType::F64,
        () if beside(|arg| matches!(arg, Value::Int(_))) && bool => DType::I64,
        () => dtype,
    })
}

/// Gives arrays the dtype that they have in common, with the numbers beside them; whole numbers become floats where `floats` says so.
pub fn level(args: &mut [Value], floats: bool) -> Outcome<()> {
    let Some(dtype) = common(args) else { return Ok(()) };
    let dtype = if floats && dtype.is_integral(true) { DType::F64 } else { dtype };
    for arg in args {
        if let Value::Tensor(t) = arg
            && t.dtype() != dtype
        {
            *arg = exec::cast(t, dtype)?.into();
        }
    }
    Ok(())
}

/// A dtype, or that of an array or a number of numpy's.
fn dtype(value: &Value) -> Outcome<Option<DType>> {
    match (super::array::unwrap(value), scalar_dtype(value)) {
        (Value::Tensor(t), _) => Ok(Some(t.dtype())),
        (_, Some(dtype)) => Ok(Some(dtype)),
        _ => dtype_of(value),
    }
}

/// `numpy.promote_types(a, b)`.
pub fn promote_types(c: &mut Call<'_>) -> Outcome {
    let usual = DType::F64;
    Ok(dtype_object(promote(dtype_of(c.arg(0))?.unwrap_or(usual), dtype_of(c.arg(1))?.unwrap_or(usual))))
}

/// `numpy.result_type(…)`: the dtype of an operation on arrays, dtypes and numbers.
pub fn result_type(c: &mut Call<'_>) -> Outcome {
    let mut parts = vec![];
    for arg in c.args() {
        parts.push(match &arg {
            Value::Int(_) | Value::Float(_) | Value::Complex(_) | Value::Bool(_) => arg,
            other => exec::zeros(&[0], dtype(other)?.unwrap_or(DType::F64), DeviceId::Cpu)?.into(),
        });
    }
    Ok(dtype_object(common(&parts).unwrap_or(DType::F64)))
}

/// The order of the kinds of dtypes: an array may hold what is of no higher kind, whatever its size.
pub(super) fn rank(dtype: DType) -> u8 {
    match dtype.kind() {
        Kind::Bool => 0,
        Kind::Unsigned => 1,
        Kind::Signed => 2,
        Kind::Float => 3,
        Kind::Complex => 4,
    }
}

/// `numpy.can_cast(from, to, casting)`.
pub fn can_cast(c: &mut Call<'_>) -> Outcome {
    let (from, to) = (dtype(c.arg(0))?.unwrap_or(DType::F64), dtype_of(c.arg(1))?.unwrap_or(DType::F64));
    let safe = promote(from, to) == to;
    Ok(Value::Bool(match c.some(2) {
        Some(Value::Str(how)) if how.as_str() == "unsafe" => true,
        Some(Value::Str(how)) if how.as_str() == "same_kind" => safe || rank(from) <= rank(to),
        Some(Value::Str(how)) if how.as_str() == "no" || how.as_str() == "equiv" => from == to,
        _ => safe,
    }))
}
