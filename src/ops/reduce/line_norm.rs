//! Euclidean norms of lines, with the last bits that PyTorch has.

use super::plain_norm::{is_line, lines};
use super::reduced_sizes;
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::kernel::element::Element;
use crate::ops::exec;
use crate::tensor::Tensor;
use anyhow::Result;
use num_traits::Float;
use rayon::prelude::*;

/// Elements that are worth a thread of their own.
const MANY: usize = 1 << 15;

/// The norms along dimensions that are lines without gaps; none for others.
pub fn euclidean(x: &Tensor, dims: &[usize], keepdim: bool) -> Result<Option<Tensor>> {
    let length = dims.iter().map(|d| x.sizes()[*d]).product::<i64>() as usize;
    if !is_line(x, dims) || length == 0 || x.numel() == 0 || x.device() != DeviceId::Cpu {
        return Ok(None);
    }
    let (result, x) = (reduced_sizes(x, dims, keepdim), lines(x, dims)?);
    Ok(match x.dtype() {
        DType::F32 => Some(exec::from_vec(&norms::<f32, 8>(&x, length)?, &result)?),
        DType::F64 => Some(exec::from_vec(&norms::<f64, 4>(&x, length)?, &result)?),
        _ => None,
    })
}

fn norms<T: Element + Float, const LANES: usize>(x: &Tensor, length: usize) -> Result<Vec<T>> {
    exec::read::<T, _>(x, |elements| {
        elements.par_chunks(length).with_min_len((MANY / length).max(1)).map(norm::<T, LANES>).collect()
    })
}

/// Squares in lanes, the lanes one after the other, then the rest: four of eight lanes side by side, the others one by one.
fn norm<T: Float, const LANES: usize>(line: &[T]) -> T {
    let (blocks, mut rest) = line.as_chunks::<LANES>();
    let mut sums = [T::zero(); LANES];
    for block in blocks {
        sums.iter_mut().zip(block).for_each(|(sum, x)| *sum = *sum + *x * *x);
    }
    let mut sum = sums.into_iter().fold(T::zero(), |sum, lane| sum + lane);
    if LANES == 8 && rest.len() >= 4 {
        let (four, others) = rest.split_at(4);
        (sum, rest) = (four.iter().fold(sum, |sum, x| sum + *x * *x), others);
    }
    rest.iter().fold(sum, |sum, x| x.mul_add(*x, sum)).sqrt()
}
