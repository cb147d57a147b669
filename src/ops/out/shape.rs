//! How large `out` becomes, how it lies then, and in which dtype a function computes what it writes there.

use super::rules::{Lies, Rule};
use crate::dtype::{DType, can_cast};
use crate::kernel::order::output_layout;
use crate::layout::Layout;
use crate::ops::{Args, Op, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// True when an `out` without elements is laid anew whatever its size.
pub fn orders_nothing(args: &Args) -> bool {
    Rule::of(args).lies == Lies::AnewWhenEmpty
}

/// True when an `out` that is resized gets the strides of the result, and not row-major order; `apart` tells that nothing at
/// all is copied.
pub fn keeps_strides(args: &Args, apart: bool) -> bool {
    // Transforms of real numbers are conjugated into it.
    if matches!(args.op.name(), "fft.ifft" | "fft.ihfft") && !matches!(args.value(0), Value::Tensor(x) if x.dtype().is_complex())
    {
        return true;
    }
    match Rule::of(args).lies {
        Lies::InRows => false,
        Lies::InRowsWhenEmpty => !apart,
        Lies::AsResult | Lies::AnewWhenEmpty | Lies::AsBefore => true,
    }
}

/// How an `out` that is resized lies, of functions that are laid otherwise when they make a result of their own.
pub fn own_layout(args: &Args, result: &Tensor) -> Option<Layout> {
    if args.op.name() == "stack" {
        return Some(Layout::contiguous(&result.sizes()));
    }
    let Value::Tensor(x) = args.value(0) else { return None };
    match args.op.name() {
        // A product by a number.
        "deg2rad" | "rad2deg" => Some(output_layout(&result.sizes(), &[&x.layout(), &Layout::contiguous(&[])])),
        "abs" | "conj_physical" => Some(output_layout(&result.sizes(), &[&x.layout()])),
        _ => None,
    }
}

/// True for a product with a vector that is written as a matrix of one row, whose `out` is laid anew whatever its size.
pub fn is_row(args: &Args) -> bool {
    let vector = |value: &Value| matches!(value, Value::Tensor(x) if x.ndim() == 1);
    args.op.name() == "nn.functional.linear" && vector(args.value(0)) && !matches!(args.value(2), Value::None)
}

/// True for a transform that forgets to write to its `out`: one along a single dimension, by functions of several.
pub fn is_forgotten(args: &Args) -> bool {
    let several = matches!(args.op.name(), "fft.ihfft2" | "fft.ihfftn");
    let count = |value: &Value| match value {
        Value::Size(sizes) => Some(sizes.len()),
        _ => None,
    };
    let ndim = || if let Value::Tensor(x) = args.value(0) { x.ndim() } else { 0 };
    several && count(args.value(2)).or(count(args.value(1))).unwrap_or_else(ndim) == 1
}

/// Functions that write to their `out` as if its elements lay in order, where it has the size of the result.
pub fn writes_in_order(op: &Op) -> bool {
    matches!(op.name(), "narrow_copy" | "nn.functional.avg_pool3d")
}

/// True for a row that reduces some of the dimensions.
fn takes_dim(args: &Args) -> Result<bool> {
    Ok(args.op.schema()?.params.iter().any(|p| p.name == "dim"))
}

/// The result with the size of an `out` that keeps its own: some functions fill one of as many elements as it is.
pub fn laid_as_target(args: &Args, result: &Tensor, target: &Tensor) -> Result<Tensor> {
    let fills = matches!(args.op.name(), "arange" | "linspace" | "logspace" | "range");
    match fills && result.numel() == target.numel() {
        true => result.alias(Layout { offset: result.layout().offset, ..Layout::contiguous(&target.sizes()) }),
        false => Ok(result.clone()),
    }
}

/// Gives `out` the size of the result where a function does so before it looks at its dtype.
pub fn resize_early(args: &Args, result: &Tensor, target: &Tensor) -> Result<()> {
    let early = match (args.op.name(), args.value(0)) {
        ("diag", Value::Tensor(x)) => x.ndim() == 2 || can_cast(result.dtype(), target.dtype()),
        ("mean" | "std" | "var", _) => takes_dim(args)?,
        ("diff", _) => matches!(args.value(1), Value::Int(0)),
        ("addbmm" | "kron" | "linalg.matrix_power" | "matrix_power" | "nanmean" | "nansum" | "slice_scatter" | "stack", _) => {
            true
        }
        ("nn.functional.logsigmoid", _) => true,
        (name, _) => name.ends_with("_copy") && !matches!(name, "narrow_copy" | "index_copy" | "split_copy"),
    };
    if early && result.dtype() != target.dtype() && result.sizes() != target.sizes() {
        exec::resize(target, &result.sizes())?;
    }
    Ok(())
}

/// The arguments of a function that makes its numbers in the dtype of `out` unless another is asked for; none for other functions.
pub fn in_its_dtype(args: &Args) -> Result<Option<Args>> {
    let Value::Tensor(target) = &args.out else { return Ok(None) };
    match args.op.name() {
        "fft.fftfreq" | "fft.rfftfreq" => {}
        // What floats there are to sum up are cast to those of `out`.
        "mean" if takes_dim(args)? && !target.dtype().is_integral(true) => match args.value(0) {
            Value::Tensor(x) if !x.dtype().is_integral(true) => {}
            _ => return Ok(None),
        },
        "std" | "var" => return of_its_numbers(args, target),
        _ => return Ok(None),
    }
    let place = args.op.schema()?.params.iter().position(|p| p.name == "dtype");
    let mut args = args.clone();
    if let Some(unsaid @ Value::None) = place.and_then(|place| args.values.get_mut(place)) {
        *unsaid = Value::DType(target.dtype());
    }
    Ok(Some(args))
}

/// The arguments of a reduction that casts what it reads to the dtype of `out`; none where that is the same or does not fit.
fn of_its_numbers(args: &Args, target: &Tensor) -> Result<Option<Args>> {
    let Value::Tensor(x) = args.value(0) else { return Ok(None) };
    let (from, out) = (Tensor::dtype(x), target.dtype());
    let wanted = match from.is_complex() {
        _ if !out.is_float() => return Ok(None),
        true => out.to_complex(),
        false if from.is_float() => out,
        false => return Ok(None),
    };
    let dim = args.op.schema()?.params.iter().position(|p| p.name == "dim");
    let is_whole = match dim.map_or(&Value::None, |dim| args.value(dim)) {
        Value::Size(dims) => dims.is_empty() || dims.len() == x.ndim(),
        Value::Int(_) => x.ndim() < 2,
        _ => true,
    };
    if matches!(from, DType::F16 | DType::BF16) && matches!(out, DType::F32 | DType::F64) && is_whole {
        fault!(RuntimeError, "std_var_all: Unsupported dtype {}", from.title());
    }
    // All elements of a tensor are reduced in its own dtype.
    if wanted == from || is_whole {
        return Ok(None);
    }
    let mut args = args.clone();
    args.values[0] = Value::Tensor(exec::cast(x, wanted)?);
    Ok(Some(args))
}
