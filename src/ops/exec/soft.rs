//! Exponentials along a dimension.

use super::convert::{contiguous, resolve};
use super::make::empty;
use crate::device::{self, Kernel};
use crate::dtype::DType;
use crate::kernel::soft::{Soft, Task};
use crate::tensor::Tensor;
use anyhow::Result;

/// Softmax, its logarithm, or the logarithm of the sum of exponentials along dimension `dim` (counted from 0; any for a 0-d
/// tensor) of a float32 or float64 tensor with elements, as a new contiguous tensor; `LogSum` keeps the dimension with size 1.
/// `narrow` is the dtype that the results will be cast to.
pub fn soft(work: Soft, x: &Tensor, dim: usize, narrow: DType) -> Result<Tensor> {
    let x = contiguous(&resolve(x)?)?;
    let mut sizes = x.sizes();
    let count = |sizes: &[i64]| sizes.iter().product::<i64>() as usize;
    let dim = dim.min(sizes.len());
    let (outer, length, inner) = match sizes.get(dim) {
        Some(length) => (count(&sizes[..dim]), *length as usize, count(&sizes[dim + 1..])),
        None => (1, 1, 1),
    };
    if work == Soft::LogSum
        && let Some(size) = sizes.get_mut(dim)
    {
        *size = 1;
    }
    let out = empty(&sizes, x.dtype(), x.device())?;
    let form = x.strided()?;
    let input = form.storage.as_ptr().wrapping_add(form.layout.offset as usize * x.dtype().size());
    let task = Task { work, dtype: x.dtype(), narrow, outer, length, inner, input, output: out.storage()?.as_ptr() };
    // SAFETY: the input is contiguous and was checked against its storage; the output is new and of the size asked for.
    unsafe { device::get(x.device())?.launch(&Kernel::Soft(&task))? };
    Ok(out)
}
