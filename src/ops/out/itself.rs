//! What becomes of a tensor into which a function writes that reads it.

use super::rules::kernel_name;
use crate::dtype::{DType, IntLimits, Number};
use crate::ops::Args;
use crate::tensor::Tensor;

/// What is left where a reduction writes to the very tensor that it reads.
pub enum Left {
    /// The number that changes no other, which was written before anything was read.
    Number(Number),
    /// The first elements.
    Elements,
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
        "any" if filled && dtype == DType::Bool => Some(Left::Elements),
        "max" | "min" if whole && filled => Some(Left::Elements),
        "amax" => limit(|ints| ints.min, f64::NEG_INFINITY, false),
        // The least of 64-bit integers begins with the first that is read.
        "amin" if dtype == DType::I64 => filled.then_some(Left::Elements),
        "amin" => limit(|ints| ints.max, f64::INFINITY, true),
        _ => None,
    }
}

/// True for reductions that look at the dimensions again when `out`, which is what they read, has its new size.
pub fn looks_again(args: &Args) -> bool {
    matches!(args.op.name(), "sum" | "prod" | "mean" | "amax" | "amin" | "argmax" | "argmin")
}
