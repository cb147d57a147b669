//! Places in a contiguous tensor: naming them, reading from them.

use crate::dtype::DType;
use crate::layout::{Dims, contiguous_strides};
use crate::ops::exec;
use crate::tensor::Tensor;
use anyhow::Result;

/// The numbers in a tensor of indices. Fails with the `RuntimeError` that names the operation when it does not hold integers.
pub(super) fn numbers(index: &Tensor, expected: &str) -> Result<Vec<i64>> {
    if !matches!(index.dtype(), DType::I64 | DType::I32) {
        fault!(RuntimeError, "{expected}");
    }
    exec::read_vec(index)
}

/// The elements of `x` at these places of its row-major order, as a new tensor of these sizes.
pub(super) fn pick(x: &Tensor, places: &[usize], sizes: &[i64]) -> Result<Tensor> {
    let (bytes, size) = (exec::bytes(x)?, x.dtype().size());
    let mut picked = Vec::with_capacity(places.len() * size);
    for place in places {
        picked.extend_from_slice(&bytes[place * size..(place + 1) * size]);
    }
    exec::from_bytes(&picked, sizes, x.dtype())
}

/// Row-major places in a tensor of `sizes` for every index of `walked`, where the index along `dim` is replaced: by
/// `along(n, i)`, given the number `n` of the index in order and the index `i` along `dim`.
pub(super) fn places_along(sizes: &[i64], walked: &[i64], dim: usize, along: impl Fn(usize, usize) -> usize) -> Vec<usize> {
    let strides = contiguous_strides(sizes);
    let count = walked.iter().product::<i64>() as usize;
    let mut places = Vec::with_capacity(count);
    let mut index = Dims::from_elem(0, walked.len());
    for n in 0..count {
        let mut place = 0;
        for (k, (&i, &stride)) in index.iter().zip(&strides).enumerate() {
            let i = if k == dim { along(n, i as usize) } else { i as usize };
            place += i * stride as usize;
        }
        places.push(place);
        step(&mut index, walked);
    }
    places
}

/// The next index in row-major order.
fn step(index: &mut Dims, sizes: &[i64]) {
    for (i, size) in index.iter_mut().zip(sizes).rev() {
        *i += 1;
        if *i < *size {
            return;
        }
        *i = 0;
    }
}

/// Sizes of a tensor as one with at least a dimension: a 0-d tensor counts as one element along dimension 0.
pub(super) fn at_least_1d(sizes: &[i64]) -> Dims {
    if sizes.is_empty() { Dims::from_slice(&[1]) } else { Dims::from_slice(sizes) }
}
