//! Where the elements are that are not zero.

use crate::dtype::DType;
use crate::layout::{Layout, contiguous_strides};
use crate::ops::{Args, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// Row-major places of the elements that are not zero.
fn places(x: &Tensor) -> Result<Vec<i64>> {
    let truth = exec::bytes(&exec::cast(x, DType::Bool)?)?;
    Ok(truth.iter().enumerate().filter(|(_, t)| **t != 0).map(|(n, _)| n as i64).collect())
}

/// The coordinates of places in a tensor of these sizes: all of the first dimension, then all of the second …
fn coordinates(places: &[i64], sizes: &[i64]) -> Vec<i64> {
    let strides = contiguous_strides(sizes);
    sizes.iter().zip(&strides).flat_map(|(size, stride)| places.iter().map(move |p| p / stride % size)).collect()
}

pub(super) fn nonzero(args: &Args) -> Result<Value> {
    let (x, as_tuple): (Tensor, bool) = args.take()?;
    let places = places(&x)?;
    let count = places.len() as i64;
    if as_tuple {
        let sizes = if x.ndim() == 0 { [1].into_iter().collect() } else { x.sizes() };
        let all = coordinates(&places, &sizes);
        let columns = all.chunks(places.len().max(1)).map(|c| exec::from_vec(c, &[c.len() as i64]));
        let mut columns: Vec<Tensor> = columns.collect::<Result<_>>()?;
        while columns.len() < sizes.len() {
            columns.push(exec::from_vec::<i64>(&[], &[0])?);
        }
        return Ok(Value::from(columns));
    }
    let dims = x.ndim() as i64;
    let by_dimension = exec::from_vec(&coordinates(&places, &x.sizes()), &[dims, count])?;
    Ok(by_dimension.alias(Layout::new(&[count, dims], &[1, count.max(1)], 0))?.into())
}

pub(super) fn nonzero_static(args: &Args) -> Result<Value> {
    let (x, size, fill): (Tensor, i64, i64) = args.take()?;
    if size < 0 {
        fault!(RuntimeError, "nonzero_static: 'size' must be an non-negative integer");
    }
    let mut places = places(&x)?;
    places.truncate(size as usize);
    let (dims, count) = (x.ndim(), places.len());
    let found = coordinates(&places, &x.sizes());
    let result = exec::zeros(&[size, dims as i64], DType::I64, x.device())?;
    let rows: Vec<i64> =
        (0..size as usize * dims).map(|n| if n / dims < count { found[n % dims * count + n / dims] } else { fill }).collect();
    exec::copy(&result, &exec::from_vec(&rows, &[size, dims as i64])?)?;
    Ok(result.into())
}

pub(super) fn unravel_index(args: &Args) -> Result<Value> {
    let (indices, shape): (Tensor, crate::layout::Dims) = args.take()?;
    if !indices.dtype().is_integral(false) {
        fault!(ValueError, "expected 'indices' to be integer dtype, but got {}", indices.dtype());
    }
    if shape.iter().any(|s| *s < 0) {
        fault!(ValueError, "'shape' cannot have negative values, but got {:?}", shape.as_slice());
    }
    let places: Vec<i64> = exec::read_vec(&indices)?;
    let strides = contiguous_strides(&shape);
    let columns = shape.iter().zip(&strides).map(|(size, stride)| {
        let column: Vec<i64> = places.iter().map(|p| p.div_euclid(*stride).rem_euclid((*size).max(1))).collect();
        exec::from_vec(&column, &indices.sizes())
    });
    Ok(Value::from(columns.collect::<Result<Vec<Tensor>>>()?))
}
