//! The only door from operations to a device: make, copy, fill and read tensors of any layout.

use crate::device::DeviceId;
use crate::dtype::{DType, Number};
use crate::layout::{Dims, Layout};
use crate::tensor::{Form, Storage, Strided, Tensor};
use anyhow::Result;
use std::rc::Rc;

/// A new contiguous tensor with any contents.
pub fn empty(sizes: &[i64], dtype: DType, device: DeviceId) -> Result<Tensor> {
    let layout = Layout::contiguous(sizes);
    let cells = sizes.iter().try_fold(1i64, |n, s| n.checked_mul(*s));
    let Some(bytes) = cells.and_then(|n| n.checked_mul(dtype.size() as i64)) else {
        fault!(RuntimeError, "Storage size calculation overflowed with sizes={sizes:?}");
    };
    Tensor::new(Storage::new(device, bytes as usize, true)?, dtype, layout)
}

/// The only element of a tensor. Fails with a `RuntimeError` when it has another number of elements.
pub fn item(tensor: &Tensor) -> Result<Number> {
    if tensor.numel() != 1 {
        fault!(RuntimeError, "a Tensor with {} elements cannot be converted to Scalar", tensor.numel());
    }
    let form = tensor.strided()?;
    let at = form.layout.offset as usize * tensor.dtype().size();
    let number = form.storage.read(|bytes| Number::read(tensor.dtype(), &bytes[at..]))?;
    Ok(marked(&form, number))
}

/// The element as its view reads it: conjugated, negated.
fn marked(form: &Strided, number: Number) -> Number {
    match number {
        Number::Complex(c) if form.conj => Number::Complex(c.conj()),
        Number::Float(f) if form.neg => Number::Float(-f),
        other => other,
    }
}

/// The same values without conj and neg marks: the tensor itself when it has none.
pub fn resolve(tensor: &Tensor) -> Result<Tensor> {
    if !tensor.is_conj() && !tensor.is_neg() {
        return Ok(tensor.clone());
    }
    let new = empty(&tensor.sizes(), tensor.dtype(), tensor.device())?;
    copy(&new, tensor)?;
    Ok(new)
}

/// Fails with a `RuntimeError` when two elements of a tensor that is to be written are one cell.
pub fn refuse_overlap(tensor: &Tensor) -> Result<()> {
    let layout = tensor.layout();
    if layout.sizes.iter().zip(&layout.strides).any(|(size, stride)| *size > 1 && *stride == 0) {
        fault!(
            RuntimeError,
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation."
        );
    }
    Ok(())
}

/// Copies `src`, broadcast and cast, into `dst`.
pub fn copy(dst: &Tensor, src: &Tensor) -> Result<()> {
    let (from, to) = (src.strided()?, dst.strided()?);
    let lead = to.layout.ndim().saturating_sub(from.layout.ndim());
    let numbers: Vec<Number> = indices(&to.layout.sizes)
        .map(|index| {
            let place: Dims = index[lead..].iter().zip(&from.layout.sizes).map(|(i, s)| if *s == 1 { 0 } else { *i }).collect();
            let at = from.layout.address(&place) as usize * src.dtype().size();
            Ok(marked(&from, from.storage.read(|bytes| Number::read(src.dtype(), &bytes[at..]))?))
        })
        .collect::<Result<_>>()?;
    to.storage.write(|bytes| {
        for (index, number) in indices(&to.layout.sizes).zip(numbers) {
            let at = to.layout.address(&index) as usize * dst.dtype().size();
            number.write(dst.dtype(), &mut bytes[at..]);
        }
    })
}

fn indices(sizes: &[i64]) -> impl Iterator<Item = Dims> {
    let sizes = Dims::from_slice(sizes);
    (0..sizes.iter().product::<i64>()).map(move |mut n| {
        let mut index = Dims::from_elem(0, sizes.len());
        for k in (0..sizes.len()).rev() {
            index[k] = n % sizes[k];
            n /= sizes[k];
        }
        index
    })
}

/// Gives a tensor another size, contiguous from its offset; its storage grows when it must.
pub fn resize(tensor: &Tensor, sizes: &[i64]) -> Result<()> {
    let form = tensor.strided()?;
    let layout = Layout { offset: form.layout.offset, ..Layout::contiguous(sizes) };
    let needed = layout.extent().map_or(0, |(_, high)| high as usize + 1) * tensor.dtype().size();
    if needed > form.storage.nbytes() {
        form.storage.resize(needed)?;
    }
    tensor.replace(tensor.dtype(), Form::Strided(Strided { layout: Rc::new(layout), ..form }))
}
