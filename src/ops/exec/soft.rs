//! Exponentials along a dimension.

use super::convert::{contiguous, resolve};
use super::make::empty;
use crate::device::{self, Kernel};
use crate::dtype::DType;
use crate::kernel::soft::{Soft, Task};
use crate::kernel::soft_back;
use crate::tensor::Tensor;
use anyhow::Result;

/// Softmax, its logarithm, or the logarithm of the sum of exponentials along dimension `dim` (counted from 0; any for a 0-d
/// tensor) of a float32 or float64 tensor with elements, as a new contiguous tensor; `LogSum` keeps the dimension with size 1.
/// `narrow` is the dtype that the results will be cast to.
pub fn soft(work: Soft, x: &Tensor, dim: usize, narrow: DType) -> Result<Tensor> {
    let x = contiguous(&resolve(x)?)?;
    let mut sizes = x.sizes();
    let (outer, length, inner) = slabs(&sizes, dim);
    if work == Soft::LogSum
        && let Some(size) = sizes.get_mut(dim)
    {
        *size = 1;
    }
    let out = empty(&sizes, x.dtype(), x.device())?;
    let input = x.strided()?.first(x.dtype().size());
    let (is_last, output) = (dim + 1 >= x.ndim(), out.storage()?.as_ptr());
    let task = Task { work, dtype: x.dtype(), narrow, outer, length, inner, is_last, input, output };
    // SAFETY: the input is contiguous and was checked against its storage; the output is new and of the size asked for.
    unsafe { device::get(x.device())?.launch(&Kernel::Soft(&task))? };
    Ok(out)
}

/// The gradient of what [`soft`] made `result` of, of `grad`, which came back to it; of the logarithm where `is_log`. Both are of float32,
/// or of float64, and of one size, with elements.
pub fn soft_back(is_log: bool, grad: &Tensor, result: &Tensor, dim: usize) -> Result<Tensor> {
    let (grad, result) = (contiguous(&resolve(grad)?)?, contiguous(&resolve(result)?)?);
    let (outer, length, inner) = slabs(&grad.sizes(), dim);
    let out = empty(&grad.sizes(), grad.dtype(), grad.device())?;
    let size = grad.dtype().size();
    let (from, made, output) = (grad.strided()?.first(size), result.strided()?.first(size), out.storage()?.as_ptr());
    let task = soft_back::Task { is_log, dtype: grad.dtype(), outer, length, inner, grad: from, result: made, output };
    // SAFETY: the inputs are contiguous and were checked against their storages; the output is new and of their size.
    unsafe { device::get(grad.device())?.launch(&Kernel::SoftBack(&task))? };
    Ok(out)
}

/// How many slabs there are beside a dimension, its length, and the lines of a slab.
fn slabs(sizes: &[i64], dim: usize) -> (usize, usize, usize) {
    let count = |sizes: &[i64]| sizes.iter().product::<i64>() as usize;
    match sizes.get(dim) {
        Some(length) => (count(&sizes[..dim]), *length as usize, count(&sizes[dim + 1..])),
        None => (1, 1, 1),
    }
}
