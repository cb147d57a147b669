//! New tensors with any contents, and tensors of another size.

use crate::device::DeviceId;
use crate::dtype::DType;
use crate::layout::{Dims, Layout};
use crate::tensor::{Form, Storage, Strided, Tensor};
use anyhow::Result;
use std::rc::Rc;

/// A new contiguous tensor whose contents are whatever the memory held.
pub fn empty(sizes: &[i64], dtype: DType, device: DeviceId) -> Result<Tensor> {
    empty_layout(Layout::contiguous(sizes), dtype, device)
}

/// Fails with a `RuntimeError` when memory does not hold a tensor of these sizes: for elements that are gathered elsewhere before
/// they become one.
pub fn require_room(sizes: &[i64], dtype: DType) -> Result<()> {
    empty(sizes, dtype, DeviceId::Cpu).map(drop)
}

/// A new contiguous tensor of zeros.
pub fn zeros(sizes: &[i64], dtype: DType, device: DeviceId) -> Result<Tensor> {
    allocate(Layout::contiguous(sizes), dtype, device, true)
}

/// A new tensor with these strides, in a storage that just holds it. Fails with a `RuntimeError` on a stride that leads before it.
pub fn empty_strided(sizes: &[i64], strides: &[i64], dtype: DType, device: DeviceId) -> Result<Tensor> {
    if let Some(negative) = sizes.iter().find(|size| **size < 0) {
        fault!(RuntimeError, "Trying to create tensor with negative dimension {negative}: {sizes:?}");
    }
    if sizes.len() != strides.len() {
        fault!(
            RuntimeError,
            "dimensionality of sizes ({}) must match dimensionality of strides ({})",
            sizes.len(),
            strides.len()
        );
    }
    if !sizes.contains(&0) && sizes.iter().zip(strides).any(|(size, stride)| *size > 1 && *stride < 0) {
        fault!(RuntimeError, "Storage size calculation overflowed with sizes={sizes:?} and strides={strides:?}");
    }
    empty_layout(Layout::new(sizes, &forward(sizes, strides), 0), dtype, device)
}

/// The strides with those below 0 made what they would be in row-major order, as PyTorch does.
fn forward(sizes: &[i64], strides: &[i64]) -> Dims {
    let mut forward = Dims::from_slice(strides);
    let mut inner = 1;
    for (stride, size) in forward.iter_mut().zip(sizes).rev() {
        if *stride < 0 {
            *stride = inner;
        }
        inner = (*stride).saturating_mul((*size).max(1));
    }
    forward
}

/// A new tensor with this layout, in a storage that just holds it.
pub fn empty_layout(layout: Layout, dtype: DType, device: DeviceId) -> Result<Tensor> {
    allocate(layout, dtype, device, false)
}

fn allocate(layout: Layout, dtype: DType, device: DeviceId, zeroed: bool) -> Result<Tensor> {
    let storage = Storage::new(device, bytes_of(&layout, dtype)?, zeroed)?;
    Ok(Tensor::made_for(Rc::new(layout), dtype, storage))
}

/// Fails with a `RuntimeError` on a size below 0.
pub fn require_sizes(sizes: &[i64]) -> Result<()> {
    match sizes.iter().find(|size| **size < 0) {
        Some(size) => fault!(RuntimeError, "Trying to create tensor with negative dimension {size}: {sizes:?}"),
        None => Ok(()),
    }
}

/// Bytes a storage needs for a layout. Fails with a `RuntimeError` on a negative size and when they cannot be counted.
fn bytes_of(layout: &Layout, dtype: DType) -> Result<usize> {
    let (mut numel, mut last) = (Some(1i64), Some(layout.offset));
    require_sizes(&layout.sizes)?;
    for (&size, &stride) in layout.sizes.iter().zip(&layout.strides) {
        numel = numel.and_then(|n| n.checked_mul(size));
        // A step back would leave the storage.
        let reach = (size - 1).checked_mul(stride).filter(|reach| *reach >= 0 || size == 0);
        last = last.and_then(|last| last.checked_add(reach?));
    }
    let cells = if numel == Some(0) { Some(0) } else { last.and_then(|last| last.checked_add(1)) };
    match (numel, cells.and_then(|cells| cells.checked_mul(dtype.size() as i64))) {
        (Some(_), Some(bytes)) => Ok(bytes as usize),
        _ => fault!(RuntimeError, "Storage size calculation overflowed with sizes={:?}", layout.sizes.as_slice()),
    }
}

/// Gives a tensor another size, contiguous from its offset; its storage grows when it must. Nothing happens when the tensor
/// has that size already.
pub fn resize(tensor: &Tensor, sizes: &[i64]) -> Result<()> {
    let form = tensor.strided()?;
    if form.layout.sizes.as_slice() == sizes {
        return Ok(());
    }
    let layout = Layout { offset: form.layout.offset, ..Layout::contiguous(sizes) };
    let needed = bytes_of(&layout, tensor.dtype())?;
    if needed > form.storage.nbytes() {
        form.storage.resize(needed)?;
    }
    tensor.replace(tensor.dtype(), Form::Strided(Strided { layout: Rc::new(layout), ..form }))
}
