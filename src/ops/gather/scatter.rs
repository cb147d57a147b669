//! One index per element, along one dimension: gather and the scatters.

use super::accumulate::{Reduce, accumulate};
use super::index::one;
use super::pick::{at_least_1d, numbers, pick, places_along};
use crate::dtype::Number;
use crate::layout::{Dims, Layout, broadcast_sizes, wrap_dim};
use crate::ops::{Args, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// The places in a tensor of `sizes` that the elements of `index` name along `dim`.
fn places(name: &str, x: &Tensor, dim: i64, index: &Tensor) -> Result<Vec<usize>> {
    let dim = wrap_dim(dim, x.ndim())?;
    let chosen = numbers(index, &format!("{name}(): Expected dtype int32/int64 for index"))?;
    if chosen.is_empty() {
        return Ok(vec![]);
    }
    let (sizes, walked) = (at_least_1d(&x.sizes()), at_least_1d(&index.sizes()));
    if sizes.len() != walked.len() {
        fault!(RuntimeError, "Index tensor must have the same number of dimensions as input tensor");
    }
    if sizes.iter().zip(&walked).enumerate().any(|(k, (s, w))| k != dim && w > s) {
        fault!(
            RuntimeError,
            "Size does not match at dimension {} expected index {:?} to be no larger than self {:?} apart from dimension {dim}",
            sizes.iter().zip(&walked).enumerate().position(|(k, (s, w))| k != dim && w > s).unwrap_or(0),
            walked.as_slice(),
            sizes.as_slice()
        );
    }
    if let Some(bad) = chosen.iter().find(|n| **n < 0 || **n >= sizes[dim]) {
        fault!(RuntimeError, "index {bad} is out of bounds for dimension {dim} with size {}", sizes[dim]);
    }
    Ok(places_along(&sizes, &walked, dim, |n, _| chosen[n] as usize))
}

pub(super) fn gather(args: &Args) -> Result<Value> {
    let (x, dim, index): (Tensor, i64, Tensor) = args.take()?;
    Ok(pick(&x, &places("gather", &x, dim, &index)?, &index.sizes())?.into())
}

pub(super) fn take_along_dim(args: &Args) -> Result<Value> {
    let (x, index, dim): (Tensor, Tensor, Option<i64>) = args.take()?;
    let Some(dim) = dim else {
        let flat = |t: &Tensor| exec::contiguous(t)?.alias(Layout::contiguous(&[t.numel()]));
        let (x, index) = (flat(&x)?, flat(&index)?);
        return Ok(pick(&x, &places("take_along_dim", &x, 0, &index)?, &index.sizes())?.into());
    };
    if x.ndim() != index.ndim() {
        fault!(
            RuntimeError,
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got {} dimensions for input, and {} dimensions for indices",
            x.ndim(),
            index.ndim()
        );
    }
    let dim = wrap_dim(dim, x.ndim())?;
    let without = |t: &Tensor| {
        let mut sizes = t.sizes();
        sizes[dim] = 1;
        sizes
    };
    let common = broadcast_sizes(&without(&x), &without(&index))?;
    let stretch = |t: &Tensor| {
        let sizes: Dims = common.iter().enumerate().map(|(k, n)| if k == dim { t.sizes()[dim] } else { *n }).collect();
        t.alias(t.layout().broadcast_to(&sizes)?)
    };
    let (x, index) = (stretch(&x)?, stretch(&index)?);
    Ok(pick(&x, &places("take_along_dim", &x, dim as i64, &index)?, &index.sizes())?.into())
}

/// Scatters `src`, of which only as much is used as `index` has elements.
fn into_places(x: &Tensor, dim: i64, index: &Tensor, src: &Tensor, how: Reduce, include_self: bool) -> Result<Value> {
    exec::refuse_overlap(x)?;
    let places = places("scatter", x, dim, index)?;
    if x.dtype() != src.dtype() {
        fault!(RuntimeError, "scatter(): Expected self.dtype to be equal to src.dtype");
    }
    let (walked, from) = (at_least_1d(&index.sizes()), at_least_1d(&src.sizes()));
    if !places.is_empty() && (walked.len() != from.len() || walked.iter().zip(&from).any(|(w, f)| w > f)) {
        fault!(
            RuntimeError,
            "Expected index {:?} to be no larger than self {:?} apart from dimension {} and to be no larger size than src {:?}",
            walked.as_slice(),
            x.sizes().as_slice(),
            wrap_dim(dim, x.ndim())?,
            from.as_slice()
        );
    }
    if places.is_empty() {
        return Ok(exec::clone(x)?.into());
    }
    let read = places_along(&from, &walked, usize::MAX, |_, i| i);
    Ok(accumulate(x, &places, &pick(src, &read, &walked)?, how, include_self)?.into())
}

pub(super) fn scatter(args: &Args) -> Result<Value> {
    let (x, dim, index, src): (Tensor, i64, Tensor, Tensor) = args.take()?;
    into_places(&x, dim, &index, &src, Reduce::Assign, true)
}

/// One value for all places: a tensor of it as large as `index`.
fn of_value(x: &Tensor, index: &Tensor, value: Number) -> Result<Tensor> {
    let src = exec::zeros(&index.sizes(), x.dtype(), x.device())?;
    exec::copy(&src, &one(value)?)?;
    Ok(src)
}

pub(super) fn scatter_value(args: &Args) -> Result<Value> {
    let (x, dim, index, value): (Tensor, i64, Tensor, Number) = args.take()?;
    into_places(&x, dim, &index, &of_value(&x, &index, value)?, Reduce::Assign, true)
}

/// The names that `scatter(reduce=)` takes.
fn old_reduce(name: &str) -> Result<Reduce> {
    match name {
        "add" => Ok(Reduce::Sum),
        "multiply" => Ok(Reduce::Prod),
        other => fault!(RuntimeError, "reduce argument must be either add or multiply, got {other}"),
    }
}

pub(super) fn scatter_old(args: &Args) -> Result<Value> {
    let (x, dim, index, src, reduce): (Tensor, i64, Tensor, Tensor, String) = args.take()?;
    into_places(&x, dim, &index, &src, old_reduce(&reduce)?, true)
}

pub(super) fn scatter_value_old(args: &Args) -> Result<Value> {
    let (x, dim, index, value, reduce): (Tensor, i64, Tensor, Number, String) = args.take()?;
    into_places(&x, dim, &index, &of_value(&x, &index, value)?, old_reduce(&reduce)?, true)
}

pub(super) fn scatter_add(args: &Args) -> Result<Value> {
    let (x, dim, index, src): (Tensor, i64, Tensor, Tensor) = args.take()?;
    into_places(&x, dim, &index, &src, Reduce::Sum, true)
}

pub(super) fn scatter_reduce(args: &Args) -> Result<Value> {
    let (x, dim, index, src, reduce, include_self): (Tensor, i64, Tensor, Tensor, String, bool) = args.take()?;
    let how = match reduce.as_str() {
        "sum" => Reduce::Sum,
        "prod" => Reduce::Prod,
        "mean" => Reduce::Mean,
        "amax" => Reduce::Amax,
        "amin" => Reduce::Amin,
        other => fault!(RuntimeError, "reduce argument must be either sum, prod, mean, amax or amin, got {other}"),
    };
    into_places(&x, dim, &index, &src, how, include_self)
}
