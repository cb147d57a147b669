//! How large `out` becomes, how it lies then, and in which dtype a function computes what it writes there.

use super::rules::{Lies, Rule};
use crate::dtype::{DType, can_cast};
use crate::kernel::order::output_layout;
use crate::layout::{Dims, Layout};
use crate::ops::{Args, Op, exec};
use crate::tensor::{Form as TensorForm, Strided, Tensor};
use crate::value::Value;
use anyhow::Result;
use std::rc::Rc;

/// Gives a tensor the sizes and the strides of a layout; it begins where it did.
pub fn lay(target: &Tensor, layout: &Layout) -> Result<()> {
    exec::resize(target, &layout.sizes)?;
    let strided = target.strided()?;
    let layout = Layout::new(&layout.sizes, &layout.strides, strided.layout.offset);
    target.replace(target.dtype(), TensorForm::Strided(Strided { layout: Rc::new(layout), ..strided }))
}

/// How an `out` lies that takes the size of a result.
pub fn layout_for(args: &Args, result: &Tensor, target: &Tensor) -> Layout {
    let sizes = result.sizes();
    let own = own_layout(args, result).unwrap_or_else(|| (*result.layout()).clone());
    let strides = match keeps_strides(args, result, target) && !is_row(args) {
        true => own.preserved_strides(),
        false => Layout::contiguous(&sizes).strides,
    };
    Layout::new(&sizes, &strides, 0)
}

/// In which order a function of several results looks at its `out` and gives each its size before it looks at the next; none for
/// one that looks at all before.
pub fn turns(args: &Args) -> Option<&'static [usize]> {
    Some(match args.op.name() {
        "linalg.eigh" => &[1, 0],
        "linalg.svd" => &[0, 2, 1],
        "aminmax" | "linalg.cholesky_ex" | "linalg.inv_ex" | "linalg.ldl_factor" | "linalg.lu_factor" | "linalg.slogdet"
        | "linalg.solve_ex" | "max" | "min" | "sort" | "topk" | "triangular_solve" => &[0, 1],
        "linalg.ldl_factor_ex" | "linalg.lu" | "linalg.lu_factor_ex" | "lu_unpack" => &[0, 1, 2],
        _ => return None,
    })
}

/// True when an `out` is laid anew whatever its size.
pub fn is_laid_anew(args: &Args, result: &Tensor, target: &Tensor) -> bool {
    match Rule::of(args).lies {
        Lies::AnewWhenEmpty => target.numel() == 0,
        Lies::OwnWhenEmpty => target.numel() == 0 && target.dtype() == result.dtype(),
        Lies::AsResult | Lies::InRows | Lies::AsBefore => is_row(args),
    }
}

/// True when an `out` that is resized gets the strides of the result, and not row-major order.
fn keeps_strides(args: &Args, result: &Tensor, target: &Tensor) -> bool {
    // Transforms of real numbers are conjugated into it.
    if matches!(args.op.name(), "fft.ifft" | "fft.ihfft") && !matches!(args.value(0), Value::Tensor(x) if x.dtype().is_complex())
    {
        return true;
    }
    match Rule::of(args).lies {
        Lies::InRows => false,
        Lies::OwnWhenEmpty => target.numel() == 0 && target.dtype() == result.dtype(),
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
fn is_row(args: &Args) -> bool {
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
    if args.op.name() == "linalg.solve_triangular" && result.sizes() != target.sizes() {
        return lay(target, &layout_for(args, result, target));
    }
    let early = match (args.op.name(), args.value(0)) {
        ("diag", Value::Tensor(x)) => x.ndim() == 2 || can_cast(result.dtype(), target.dtype()),
        ("mean" | "std" | "var", _) => takes_dim(args)?,
        ("diff", _) => matches!(args.value(1), Value::Int(0)),
        ("addbmm" | "kron" | "linalg.matrix_power" | "matrix_power" | "nanmean" | "nansum" | "slice_scatter" | "stack", _) => {
            true
        }
        ("nn.functional.logsigmoid", _) => true,
        ("linalg.matmul" | "matmul", _) => args.values.iter().any(|value| matches!(value, Value::Tensor(x) if x.ndim() > 2)),
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
        "mean" | "nanmean" if !target.dtype().is_integral(true) => match args.value(0) {
            Value::Tensor(x) if x.dtype().is_float() && (target.dtype().is_float() || args.op.name() == "mean") => {}
            Value::Tensor(x) if x.dtype().is_complex() && args.op.name() == "mean" => {}
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
    let is_half = |dtype: DType| matches!(dtype, DType::F16 | DType::BF16);
    let is_single = is_one_result(args, x)?;
    if is_half(from) && !is_half(out) && !out.is_integral(true) && is_single {
        fault!(RuntimeError, "std_var_all: Unsupported dtype {}", from.title());
    }
    let wanted = match from.is_complex() {
        _ if !out.is_float() => return Ok(None),
        true => out.to_complex(),
        false if from.is_float() => out,
        false => return Ok(None),
    };
    // A single result of what is no half is reduced in its own dtype.
    if wanted == from || (is_single && !is_half(from)) {
        return Ok(None);
    }
    let mut args = args.clone();
    args.values[0] = Value::Tensor(exec::cast(x, wanted)?);
    Ok(Some(args))
}

/// True where a reduction has one result: every dimension that stays has one cell.
fn is_one_result(args: &Args, x: &Tensor) -> Result<bool> {
    let sizes = x.sizes();
    let place = args.op.schema()?.params.iter().position(|p| p.name == "dim");
    let reduced: Dims = match place.map_or(&Value::None, |dim| args.value(dim)) {
        Value::Size(dims) if !dims.is_empty() => (**dims).clone(),
        Value::Int(dim) => Dims::from_slice(&[*dim]),
        _ => return Ok(true),
    };
    let count = sizes.len() as i64;
    Ok(sizes.iter().enumerate().all(|(at, size)| {
        let at = at as i64;
        *size == 1 || reduced.contains(&at) || reduced.contains(&(at - count))
    }))
}
