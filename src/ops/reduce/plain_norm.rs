//! Norms whose terms are added one after the other, as PyTorch adds those of complex numbers and of orders other than 2.

use super::reduced_sizes;
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::kernel::element::Element;
use crate::ops::exec;
use crate::tensor::Tensor;
use anyhow::Result;
use num_traits::Float;
use smallvec::SmallVec;
use std::cmp::Reverse;

/// A longer line is shared out among threads, there as here, and folded as others are.
const LONGEST: i64 = 1 << 15;

/// Of more elements, the last bits are not worth the time.
const MOST: i64 = 1 << 18;

/// The norms of the lines along some dimensions, given the sizes of the elements; none for more than a few.
pub fn plain(sizes: &Tensor, ord: f64, dims: &[usize], keepdim: bool) -> Result<Option<Tensor>> {
    if sizes.numel() > MOST || sizes.device() != DeviceId::Cpu || ord == 0.0 || ord.is_infinite() {
        return Ok(None);
    }
    let layout = sizes.layout();
    let lines = lines(sizes, dims)?;
    let length: i64 = dims.iter().map(|d| layout.sizes[*d]).product();
    let results = reduced_sizes(sizes, dims, keepdim);
    let found = match sizes.dtype() {
        _ if length == 0 || length > LONGEST || sizes.numel() == 0 => return Ok(None),
        DType::F64 => exec::from_vec(&norms::<f64>(&lines, length, ord)?, &results)?,
        _ => exec::from_vec(&norms::<f32>(&lines, length, ord)?, &results)?,
    };
    Ok(Some(exec::cast(&found, sizes.dtype())?))
}

/// True when the dimensions are one line without gaps, whose squares PyTorch adds in lanes.
pub fn is_line(x: &Tensor, dims: &[usize]) -> bool {
    let layout = x.layout();
    let mut steps: SmallVec<[(i64, i64); 6]> =
        dims.iter().map(|d| (layout.strides[*d], layout.sizes[*d])).filter(|(_, size)| *size != 1).collect();
    steps.sort_unstable();
    let mut next = 1;
    steps.iter().all(|(stride, size)| *stride == std::mem::replace(&mut next, stride * size))
}

/// The tensor with these dimensions behind the others, in order of how they lie in memory.
pub fn lines(x: &Tensor, dims: &[usize]) -> Result<Tensor> {
    let layout = x.layout();
    let mut order: SmallVec<[usize; 6]> = (0..x.ndim()).filter(|d| !dims.contains(d)).collect();
    let kept = order.len();
    order.extend_from_slice(dims);
    order[kept..].sort_by_key(|d| Reverse(layout.strides[*d].abs()));
    let order: SmallVec<[i64; 6]> = order.iter().map(|d| *d as i64).collect();
    x.alias(layout.permute(&order)?)
}

fn norms<T: Element + Float>(lines: &Tensor, length: i64, ord: f64) -> Result<Vec<T>> {
    let p = T::from(ord).unwrap_or_else(T::nan);
    let sum = |line: &[T], term: &dyn Fn(T) -> T| line.iter().fold(T::zero(), |sum, x| sum + term(*x));
    let norm = |line: &[T]| match ord {
        _ if line.len() == 1 => line[0],
        1.0 => sum(line, &|x| x),
        2.0 => sum(line, &|x| x * x).sqrt(),
        _ => sum(line, &|x| x.powf(p)).powf(T::one() / p),
    };
    Ok(exec::read_vec::<T>(lines)?.chunks(length as usize).map(norm).collect())
}
