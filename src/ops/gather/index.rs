//! Slices along one dimension by their numbers, and elements by their place in the flattened tensor.

use super::accumulate::{Reduce, accumulate};
use super::pick::{at_least_1d, numbers, pick, places_along};
use crate::dtype::{DType, Number};
use crate::layout::{Dims, wrap_dim};
use crate::ops::{Args, Operand, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// The numbers in a 0-d or 1-d tensor of indices.
fn vector(name: &str, index: &Tensor) -> Result<Vec<i64>> {
    if index.ndim() > 1 {
        fault!(IndexError, "{name}(): Index is supposed to be a vector");
    }
    numbers(index, &format!("{name}(): Expected dtype int32 or int64 for index"))
}

pub(super) fn index_select(args: &Args) -> Result<Value> {
    let (x, dim, index): (Tensor, i64, Tensor) = args.take()?;
    let dim = wrap_dim(dim, x.ndim())?;
    let chosen = vector("index_select", &index)?;
    let sizes = at_least_1d(&x.sizes());
    if chosen.iter().any(|n| *n < 0 || *n >= sizes[dim]) {
        fault!(IndexError, "index out of range in self");
    }
    let mut result_sizes = sizes.clone();
    result_sizes[dim] = chosen.len() as i64;
    let places = places_along(&sizes, &result_sizes, dim, |_, i| chosen[i] as usize);
    if x.ndim() == 0 {
        result_sizes.clear();
    }
    Ok(pick(&x, &places, &result_sizes)?.into())
}

/// The places in `x` of the elements of `source`, whose slices along `dim` go where `index` says.
fn slice_places(name: &str, x: &Tensor, dim: i64, index: &Tensor, source: &Tensor) -> Result<Vec<usize>> {
    let dim = wrap_dim(dim, x.ndim())?;
    let chosen = vector(name, index)?;
    let (sizes, from) = (at_least_1d(&x.sizes()), at_least_1d(&source.sizes()));
    let rest = |s: &Dims| s.iter().enumerate().filter(|(k, _)| *k != dim).map(|(_, n)| *n).collect::<Dims>();
    if x.ndim() != source.ndim() && (x.ndim() > 0 || source.ndim() > 1) || rest(&sizes) != rest(&from) {
        fault!(
            RuntimeError,
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = {:?} source.shape = {:?}",
            x.sizes().as_slice(),
            source.sizes().as_slice()
        );
    }
    if chosen.len() as i64 != from[dim] {
        fault!(
            RuntimeError,
            "{name}_(): Number of indices ({}) should be equal to source.size(dim): ({}), for dim: {dim}",
            chosen.len(),
            from[dim]
        );
    }
    let size = sizes[dim];
    if let Some(bad) = chosen.iter().find(|n| **n < 0 || **n >= size) {
        match name {
            "index_copy" => {
                fault!(IndexError, "index_copy_(): index {bad} is out of bounds for dimension {dim} with size {size}")
            }
            _ => fault!(IndexError, "index out of range in self"),
        }
    }
    Ok(places_along(&sizes, &from, dim, |_, i| chosen[i] as usize))
}

fn same_dtype(name: &str, x: &Tensor, source: &Tensor) -> Result<()> {
    if x.dtype() != source.dtype() {
        fault!(
            RuntimeError,
            "{name}_(): self ({}) and source ({}) must have the same scalar type",
            x.dtype().title(),
            source.dtype().title()
        );
    }
    Ok(())
}

pub(super) fn index_add(args: &Args) -> Result<Value> {
    let (x, dim, index, source, alpha): (Tensor, i64, Tensor, Tensor, Number) = args.take()?;
    same_dtype("index_add", &x, &source)?;
    let places = slice_places("index_add", &x, dim, &index, &source)?;
    let scaled = match alpha {
        Number::Int(1) => source,
        other => scale(&source, other)?,
    };
    Ok(accumulate(&x, &places, &scaled, Reduce::Sum, true)?.into())
}

/// `source * alpha` in source's dtype.
fn scale(source: &Tensor, alpha: Number) -> Result<Tensor> {
    let alpha = exec::cast(&one(alpha)?, source.dtype())?;
    let zeros = exec::zeros(&source.sizes(), source.dtype(), source.device())?;
    let ones: Vec<usize> = (0..source.numel() as usize).collect();
    exec::fill(&zeros, exec::item(&alpha)?)?;
    accumulate(&zeros, &ones, source, Reduce::Prod, true)
}

/// A number as a 0-d tensor.
pub(super) fn one(number: Number) -> Result<Tensor> {
    match number {
        Number::Complex(c) => exec::from_vec(&[c], &[]),
        Number::Float(f) => exec::from_vec(&[f], &[]),
        other => exec::from_vec(&[other.to_i64()], &[]),
    }
}

pub(super) fn index_copy(args: &Args) -> Result<Value> {
    let (x, dim, index, source): (Tensor, i64, Tensor, Tensor) = args.take()?;
    same_dtype("index_copy", &x, &source)?;
    let places = slice_places("index_copy", &x, dim, &index, &source)?;
    Ok(accumulate(&x, &places, &source, Reduce::Assign, true)?.into())
}

pub(super) fn index_fill(args: &Args) -> Result<Value> {
    let (x, dim, index, value): (Tensor, i64, Tensor, Operand) = args.take()?;
    let value = scalar_of("index_fill_", value)?;
    let dim = wrap_dim(dim, x.ndim())?;
    let sizes = at_least_1d(&x.sizes());
    let size = sizes[dim];
    let chosen: Vec<usize> = vector("index_fill_", &index)?
        .into_iter()
        .map(|n| match n {
            n if n < -size || n >= size => fault!(IndexError, "index {n} is out of bounds for dimension {dim} with size {size}"),
            n => Ok(if n < 0 { n + size } else { n } as usize),
        })
        .collect::<Result<_>>()?;
    let mut from = sizes.clone();
    from[dim] = chosen.len() as i64;
    let places = places_along(&sizes, &from, dim, |_, i| chosen[i]);
    let source = exec::zeros(&from, x.dtype(), x.device())?;
    exec::fill(&source, value)?;
    Ok(accumulate(&x, &places, &source, Reduce::Assign, true)?.into())
}

/// The number an operand stands for; a tensor must be 0-d.
pub(super) fn scalar_of(name: &str, value: Operand) -> Result<Number> {
    match value {
        Operand::Number(n) => Ok(n),
        Operand::Tensor(t) if t.ndim() == 0 => exec::item(&t),
        Operand::Tensor(t) => fault!(
            RuntimeError,
            "{name} only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
            t.ndim()
        ),
    }
}

pub(super) fn index_reduce(args: &Args) -> Result<Value> {
    let (x, dim, index, source, reduce, include_self): (Tensor, i64, Tensor, Tensor, String, bool) = args.take()?;
    same_dtype("index_reduce", &x, &source)?;
    let how = match reduce.as_str() {
        "prod" => Reduce::Prod,
        "mean" => Reduce::Mean,
        "amax" => Reduce::Amax,
        "amin" => Reduce::Amin,
        other => fault!(RuntimeError, "index_reduce_(): Expected reduce to be one of prod, mean, amax or amin but got {other}"),
    };
    let places = slice_places("index_reduce", &x, dim, &index, &source)?;
    Ok(accumulate(&x, &places, &source, how, include_self)?.into())
}

/// Places in the flattened tensor, negative ones from the end.
fn flat_places(name: &str, x: &Tensor, index: &Tensor) -> Result<Vec<usize>> {
    if index.dtype() != DType::I64 {
        fault!(RuntimeError, "{name}(): Expected a long tensor for index, but got {}", index.dtype().title());
    }
    let numel = x.numel();
    exec::read_vec::<i64>(index)?
        .into_iter()
        .map(|n| match n {
            n if n < -numel || n >= numel => {
                fault!(IndexError, "out of range: tried to access index {n} on a tensor of {numel} elements.")
            }
            n => Ok(if n < 0 { n + numel } else { n } as usize),
        })
        .collect()
}

pub(super) fn take(args: &Args) -> Result<Value> {
    let (x, index): (Tensor, Tensor) = args.take()?;
    Ok(pick(&x, &flat_places("take", &x, &index)?, &index.sizes())?.into())
}

pub(super) fn put(args: &Args) -> Result<Value> {
    let (x, index, source, adding): (Tensor, Tensor, Tensor, bool) = args.take()?;
    if x.dtype() != source.dtype() {
        fault!(
            RuntimeError,
            "put_(): self and source expected to have the same dtype, but got self.dtype = {} and source.dtype = {}",
            x.dtype().title(),
            source.dtype().title()
        );
    }
    let places = flat_places("put_", &x, &index)?;
    if places.len() as i64 != source.numel() {
        fault!(
            RuntimeError,
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = {}, index.numel() = {}",
            source.numel(),
            places.len()
        );
    }
    Ok(accumulate(&x, &places, &source, if adding { Reduce::Sum } else { Reduce::Assign }, true)?.into())
}

/// The place of each number, so many times as the number says.
pub(super) fn places_repeated(args: &Args) -> Result<Value> {
    let (repeats,): (Tensor,) = args.take()?;
    if repeats.ndim() > 1 {
        fault!(RuntimeError, "repeat_interleave only accept 0D or 1D repeats tensor");
    }
    let counts = numbers(&repeats, "repeats has to be Long or Int tensor")?;
    if counts.iter().any(|n| *n < 0) {
        fault!(RuntimeError, "repeats can not be negative");
    }
    let total = counts.iter().sum::<i64>();
    let result = exec::empty(&[total], repeats.dtype(), repeats.device())?;
    let places: Vec<i64> =
        counts.iter().enumerate().flat_map(|(place, n)| std::iter::repeat_n(place as i64, *n as usize)).collect();
    exec::copy(&result, &exec::from_vec(&places, &[total])?)?;
    Ok(result.into())
}
