//! Where the elements are that are not zero.

use super::slices::at_least_1d;
use crate::dtype::{DType, Number, promote};
use crate::kernel::order::output_layout;
use crate::layout::{Dims, Layout, contiguous_strides};
use crate::ops::{Args, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

pub(super) fn nonzero(args: &Args) -> Result<Value> {
    let (x, as_tuple): (Tensor, bool) = args.take()?;
    if !as_tuple {
        return Ok(exec::nonzero(&x)?.into());
    }
    let found = exec::nonzero(&at_least_1d(&x)?)?;
    let columns = found.layout().unbind(1)?.into_iter().map(|column| found.alias(column));
    Ok(columns.collect::<Result<Vec<Tensor>>>()?.into())
}

pub(super) fn argwhere(args: &Args) -> Result<Value> {
    Ok(exec::nonzero(&args.get(0)?)?.into())
}

pub(super) fn nonzero_static(args: &Args) -> Result<Value> {
    let (x, size, fill): (Tensor, i64, i64) = args.take()?;
    if size < 0 {
        fault!(RuntimeError, "nonzero_static: 'size' must be an non-negative integer");
    }
    let found = exec::nonzero(&x)?;
    let rows = found.sizes()[0].min(size);
    let result = exec::empty(&[size, x.ndim() as i64], DType::I64, x.device())?;
    exec::fill(&result, Number::Int(fill))?;
    let part = |t: &Tensor| t.alias(t.layout().narrow(0, 0, rows)?);
    exec::copy(&part(&result)?, &part(&found)?)?;
    Ok(result.into())
}

/// The sizes of a grid, from an int or a sequence of them.
fn grid(shape: &Value) -> Result<Dims> {
    let size = |value: &Value| match value {
        Value::Int(n) => Some(*n),
        Value::Bool(b) => Some(i64::from(*b)),
        _ => None,
    };
    let class = |value: &Value| match value.type_name().as_str() {
        "Tensor" => "torch.Tensor".to_string(),
        other => other.to_string(),
    };
    let items = match shape {
        Value::Int(_) | Value::Bool(_) => vec![shape.clone()],
        Value::Str(text) => text.chars().map(|c| Value::from(c.to_string().as_str())).collect(),
        other => match other.items() {
            Some(items) => items,
            None => fault!(TypeError, "expected 'shape' to be int or sequence of ints, but got <class '{}'>", class(other)),
        },
    };
    match items.iter().find(|item| size(item).is_none()) {
        Some(odd) => fault!(TypeError, "expected 'shape' sequence to only contain ints, but got <class '{}'>", class(odd)),
        None => Ok(items.iter().filter_map(size).collect()),
    }
}

pub(super) fn unravel_index(args: &Args) -> Result<Value> {
    let indices: Tensor = args.get(0)?;
    if !indices.dtype().is_integral(false) {
        fault!(TypeError, "expected 'indices' to be integer dtype, but got {}", indices.dtype());
    }
    if indices.numel() > 0 && promote(indices.dtype(), DType::I64).is_none() {
        exec::refuse_promotion(&[indices.dtype(), DType::I64])?;
    }
    let shape = grid(args.value(1))?;
    let spoken = || {
        let sizes: Vec<String> = shape.iter().map(i64::to_string).collect();
        format!("({}{})", sizes.join(", "), if shape.len() == 1 { "," } else { "" })
    };
    if shape.iter().any(|s| *s < 0) {
        fault!(ValueError, "'shape' cannot have negative values, but got {}", spoken());
    }
    if shape.contains(&0) && indices.numel() > 0 {
        fault!(ValueError, "'shape' cannot have zero dimensions when 'indices' is non-empty, but got {}", spoken());
    }
    let strides = contiguous_strides(&shape);
    let coordinate = |place: &i64| {
        let along = |(size, stride): (&i64, &i64)| place.div_euclid(*stride).rem_euclid((*size).max(1));
        shape.iter().zip(&strides).map(along).collect::<Dims>()
    };
    let all: Vec<i64> = exec::read_vec::<i64>(&indices)?.iter().flat_map(coordinate).collect();
    let mut sizes = indices.sizes();
    sizes.push(shape.len() as i64);
    // PyTorch computes this element by element, which keeps the order of dimensions of the indices.
    let column = Layout::contiguous(&sizes[sizes.len() - 1..]);
    let layout = match indices.numel() {
        0 => Layout::contiguous(&sizes),
        _ => output_layout(&sizes, &[&indices.layout().unsqueeze(-1)?, &column]),
    };
    let ordered = exec::empty_layout(layout, DType::I64, indices.device())?;
    exec::copy(&ordered, &exec::from_vec(&all, &sizes)?)?;
    let all = ordered;
    Ok(all.layout().unbind(-1)?.into_iter().map(|l| all.alias(l)).collect::<Result<Vec<Tensor>>>()?.into())
}
