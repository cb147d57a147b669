//! What becomes of a tensor into which a function writes that reads it.

use super::rules::kernel_name;
use crate::dtype::{DType, IntLimits, Number};
use crate::ops::Args;
use crate::tensor::Tensor;
use crate::value::Value;

/// What is left where a reduction writes to the very tensor that it reads.
pub enum Left {
    /// The number that changes no other, which was written before anything was read.
    Number(Number),
    /// The first elements.
    Elements,
    /// What the function makes of the first elements.
    Again,
}

/// What is left where a reduction writes to the very tensor that it reads; none where it computes apart.
pub fn left_by_itself(args: &Args, target: &Tensor) -> Option<Left> {
    let dtype = target.dtype();
    let limit = |ints: fn(IntLimits) -> i128, float: f64, flag: bool| match dtype.int_limits() {
        Some(limits) => i64::try_from(ints(limits)).ok().map(|n| Left::Number(Number::Int(n))),
        None if dtype == DType::Bool => Some(Left::Number(Number::Bool(flag))),
        None => Some(Left::Number(Number::Float(float))),
    };
    let zero = || Some(Left::Number(Number::Int(0)));
    let (filled, whole) = (target.numel() > 0, args.values.len() == 1);
    match kernel_name(args) {
        // Products of matrices add to what is zero then.
        "mm" | "mv" if matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128) => zero(),
        "mean" if matches!(dtype, DType::F16 | DType::BF16) => None,
        "sum" | "nansum" | "mean" | "argmax" | "argmin" => zero(),
        "nanmean" if filled => zero(),
        "prod" => Some(Left::Number(Number::Int(1))),
        "all" | "any" if whole && filled && dtype == DType::Bool => Some(Left::Elements),
        "all" if !whole => Some(Left::Number(Number::Bool(true))),
        "any" if filled && dtype == DType::Bool => Some(Left::Number(Number::Bool(false))),
        "chain_matmul" | "linalg.multi_dot" | "linalg.vector_norm" | "norm" => Some(Left::Again),
        "nanquantile" | "quantile" if !matches!(args.value(1), Value::Tensor(_)) => Some(Left::Elements),
        "std" | "var" if is_alone(args) => {
            let corrects = match (args.named("correction"), args.named("unbiased")) {
                (Value::None, unbiased) => !matches!(unbiased, Value::Bool(false)),
                (correction, _) => correction.as_number().is_none_or(|n| n.to_f64() > 0.0),
            };
            Some(Left::Number(Number::Float(if corrects { f64::NAN } else { 0.0 })))
        }
        "max" | "min" if whole && filled => Some(Left::Elements),
        "amax" => limit(|ints| ints.min, f64::NEG_INFINITY, false),
        // The least of 64-bit integers begins with the first that is read.
        "amin" if dtype == DType::I64 => filled.then_some(Left::Elements),
        "amin" => limit(|ints| ints.max, f64::INFINITY, true),
        _ => None,
    }
}

/// True for functions of several results that compute when each `out` has its size, be it what they read.
pub fn sees_what_is_left(args: &Args) -> bool {
    matches!(args.op.name(), "aminmax" | "max" | "min")
}

/// True for a spread that finds each of the elements that are left by itself.
fn is_alone(args: &Args) -> bool {
    let Value::Tensor(x) = args.value(0) else { return false };
    let last = x.ndim() as i64 - 1;
    let is_last = |dim: i64| last > 0 && (dim == -1 || dim == last);
    matches!(args.named("keepdim"), Value::Bool(true))
        || match args.named("dim") {
            Value::Int(dim) => !is_last(*dim),
            Value::Size(dims) => !dims.iter().any(|dim| is_last(*dim)) || dims.len() == x.ndim(),
            _ => true,
        }
}

/// True for reductions that look at the dimensions again when `out`, which is what they read, has its new size.
pub fn looks_again(args: &Args) -> bool {
    matches!(args.op.name(), "sum" | "prod" | "mean" | "amax" | "amin" | "argmax" | "argmin")
}
