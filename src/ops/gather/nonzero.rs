//! Where the elements are that are not zero.

use super::slices::at_least_1d;
use crate::dtype::{DType, Number};
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

pub(super) fn unravel_index(args: &Args) -> Result<Value> {
    let (indices, shape): (Tensor, Dims) = args.take()?;
    if !indices.dtype().is_integral(false) {
        fault!(TypeError, "expected 'indices' to be integer dtype, but got {}", indices.dtype());
    }
    if shape.iter().any(|s| *s < 0) {
        let sizes: Vec<String> = shape.iter().map(i64::to_string).collect();
        fault!(ValueError, "'shape' cannot have negative values, but got ({})", sizes.join(", "));
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
    let layout = output_layout(&sizes, &[&indices.layout().unsqueeze(-1)?, &column]);
    let ordered = exec::empty_layout(layout, DType::I64, indices.device())?;
    exec::copy(&ordered, &exec::from_vec(&all, &sizes)?)?;
    let all = ordered;
    Ok(all.layout().unbind(-1)?.into_iter().map(|l| all.alias(l)).collect::<Result<Vec<Tensor>>>()?.into())
}
