//! Greatest and least elements, and where they are.

use super::{dims, flat, fold, reduced_sizes, zeros};
use crate::dtype::{DType, Number};
use crate::kernel::fold::{Fold, MAX, MAX_AT, MIN, MIN_AT};
use crate::layout::{Dims, Layout, wrap_dim};
use crate::ops::Args;
use crate::ops::exec::{self, Reduction};
use crate::ops::out::{check, require_same};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

fn is_wide(x: &Tensor) -> bool {
    matches!(x.dtype(), DType::U16 | DType::U32 | DType::U64)
}

fn refuse_wide(name: &str, x: &Tensor) -> Result<()> {
    if is_wide(x) {
        fault!(NotImplementedError, "\"{name}_cpu\" not implemented for '{}'", x.dtype().title());
    }
    Ok(())
}

/// Of all elements, of which there must be one.
fn over_all(name: &str, what: &'static Fold, args: &Args) -> Result<Value> {
    let x: Tensor = args.get(0)?;
    if let Some(out) = args.target() {
        check(args, x.dtype(), &out)?;
    }
    if x.numel() == 0 {
        fault!(
            RuntimeError,
            "{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument."
        );
    }
    if x.dtype().is_complex() {
        fault!(NotImplementedError, "\"{name}_all\" not implemented for '{}'", x.dtype().title());
    }
    let found = fold(&Reduction::new(what, x.dtype()), &x, &dims(&x, None)?, false)?;
    Ok(zeros::signed(found, &x, name == "max")?.into())
}

pub(super) fn max(args: &Args) -> Result<Value> {
    over_all("max", &MAX, args)
}

pub(super) fn min(args: &Args) -> Result<Value> {
    over_all("min", &MIN, args)
}

/// A dimension that is reduced must have an element, unless nothing comes out.
fn require_elements(subject: &str, x: &Tensor, dims: &[usize]) -> Result<()> {
    let sizes = x.sizes();
    if let Some(dim) = dims.iter().find(|d| sizes[**d] == 0) {
        fault!(IndexError, "{subject}: Expected reduction dim {dim} to have non-zero size.");
    }
    Ok(())
}

/// What needs no comparison: the one element of a tensor without dimensions at place 0, or nothing at all.
fn alone(x: &Tensor, dims: &[usize], keepdim: bool) -> Result<(Tensor, Tensor)> {
    let sizes = reduced_sizes(x, dims, keepdim);
    let places = exec::empty(&sizes, DType::I64, x.device())?;
    exec::fill(&places, Number::Int(0))?;
    let values = if x.numel() == 0 { exec::empty(&sizes, x.dtype(), x.device())? } else { exec::clone(x)? };
    Ok((values, places))
}

/// Along one dimension, with the place.
fn with_place(name: &str, what: &'static Fold, x: &Tensor, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    let dims = dims(x, Some(&[dim]))?;
    require_elements(&format!("{name}()"), x, &dims)?;
    if x.dtype().is_complex() {
        fault!(TypeError, "{name}(): does not support complex input");
    }
    if is_wide(x) && (x.ndim() == 0 || x.numel() == 0) {
        return alone(x, &dims, keepdim);
    }
    refuse_wide(name, x)?;
    let what = Reduction { results: [x.dtype(), DType::I64], ..Reduction::new(what, x.dtype()) };
    let mut results = exec::fold(&what, x, &dims, keepdim)?.into_iter();
    match (results.next(), results.next()) {
        (Some(values), Some(indices)) => Ok((values, indices)),
        _ => fault!(RuntimeError, "{name} needs values and places"),
    }
}

fn named(pair: (Tensor, Tensor)) -> Value {
    Value::tuple(vec![pair.0.into(), pair.1.into()])
}

pub(super) fn max_along(args: &Args) -> Result<Value> {
    let (x, dim, keepdim): (Tensor, i64, bool) = args.take()?;
    Ok(named(with_place("max", &MAX_AT, &x, dim, keepdim)?))
}

pub(super) fn min_along(args: &Args) -> Result<Value> {
    let (x, dim, keepdim): (Tensor, i64, bool) = args.take()?;
    Ok(named(with_place("min", &MIN_AT, &x, dim, keepdim)?))
}

fn over_several(name: &str, what: &'static Fold, args: &Args) -> Result<Value> {
    let (x, dim, keepdim): (Tensor, Option<Dims>, bool) = args.take()?;
    let dim = dim.unwrap_or_default();
    if x.numel() == 0 {
        // Sizes are asked for before it is seen that a dimension is named twice.
        for d in &dim {
            if x.sizes().get(wrap_dim(*d, x.ndim())?) == Some(&0) {
                fault!(IndexError, "{name}(): Expected reduction dim {d} to have non-zero size.");
            }
        }
    }
    let dims = dims(&x, Some(&dim))?;
    if x.numel() == 0 && dim.is_empty() {
        fault!(
            RuntimeError,
            "{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument."
        );
    }
    require_elements(&format!("{name}()"), &x, &dims)?;
    if x.numel() > 0 && x.dtype().is_complex() {
        let kernel = if name == "amax" { "max_values_cpu" } else { "min_values_cpu" };
        fault!(NotImplementedError, "\"{kernel}\" not implemented for '{}'", x.dtype().title());
    }
    refuse_wide(name, &x)?;
    if x.numel() == 0 {
        return Ok(exec::empty(&reduced_sizes(&x, &dims, keepdim), x.dtype(), x.device())?.into());
    }
    Ok(fold(&Reduction::new(what, x.dtype()), &x, &dims, keepdim)?.into())
}

pub(super) fn amax(args: &Args) -> Result<Value> {
    over_several("amax", &MAX, args)
}

pub(super) fn amin(args: &Args) -> Result<Value> {
    over_several("amin", &MIN, args)
}

pub(super) fn aminmax(args: &Args) -> Result<Value> {
    let (x, dim, keepdim): (Tensor, Option<i64>, bool) = args.take()?;
    if x.dtype().is_complex() {
        fault!(TypeError, "aminmax not implemented for {}", x.dtype().title());
    }
    for target in args.out.items().iter().flatten() {
        if let Value::Tensor(target) = target {
            require_same(x.dtype(), target.dtype())?;
        }
    }
    if let Some([Value::Tensor(low), Value::Tensor(high)]) = args.out.items().as_deref()
        && exec::refuse_shared(low, high).is_err()
    {
        fault!(ValueError, "aminmax(): the `min` and `max` out= tensors must not overlap.");
    }
    if x.numel() == 0 && dim.is_none() {
        fault!(RuntimeError, "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.");
    }
    let dims = dims(&x, dim.as_ref().map(std::slice::from_ref))?;
    require_elements("aminmax", &x, &dims)?;
    // Along a dimension, the one element of a tensor without dimensions is the result.
    if x.ndim() > 0 || dim.is_none() {
        refuse_wide("aminmax", &x)?;
    }
    let one = |what: &'static Fold, greatest: bool| {
        let found = fold(&Reduction::new(what, x.dtype()), &x, &dims, keepdim)?;
        if dim.is_none() { zeros::signed(found, &x, greatest) } else { Ok(found) }
    };
    Ok(named((one(&MIN, false)?, one(&MAX, true)?)))
}

fn place(name: &str, what: &'static Fold, args: &Args) -> Result<Value> {
    let (x, dim, keepdim): (Tensor, Option<i64>, bool) = args.take()?;
    if x.dtype() == DType::Bool {
        fault!(NotImplementedError, "{name}(): does not support bool input");
    }
    if x.dtype().is_complex() {
        fault!(TypeError, "{name}(): does not support complex input");
    }
    if let (Some(dim), true) = (dim, is_wide(&x)) {
        let sizes = reduced_sizes(&x, &dims(&x, Some(&[dim]))?, keepdim);
        // Of one element each, the place is known.
        if sizes.iter().product::<i64>() == x.numel() && x.ndim() > 0 && x.numel() > 0 {
            return Ok(exec::zeros(&sizes, DType::I64, x.device())?.into());
        }
    }
    if is_wide(&x) && x.numel() > 0 {
        if let Some(out) = args.target() {
            require_same(DType::I64, out.dtype())?;
        }
        refuse_wide(name, &x)?;
    }
    if let Some(dim) = dim {
        return Ok(with_place(name, what, &x, dim, keepdim)?.1.into());
    }
    if x.numel() == 0 {
        fault!(IndexError, "{name}(): Expected reduction dim to be specified for input.numel() == 0.");
    }
    let (_, place) = with_place(name, what, &flat(&x)?, 0, false)?;
    let sizes = reduced_sizes(&x, &dims(&x, None)?, keepdim);
    Ok(place.alias(Layout::contiguous(&sizes))?.into())
}

pub(super) fn argmax(args: &Args) -> Result<Value> {
    place("argmax", &MAX_AT, args)
}

pub(super) fn argmin(args: &Args) -> Result<Value> {
    place("argmin", &MIN_AT, args)
}
