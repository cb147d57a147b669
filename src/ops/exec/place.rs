//! Where operands are: devices, sizes, and what a write would run over.

use crate::device::DeviceId;
use crate::kernel::order::expanded_strides;
use crate::kernel::overlap::{Overlap, Place, check_read, check_written, overlap};
use crate::kernel::plan::{Operand, Plan};
use crate::layout::{Dims, broadcast_all};
use crate::tensor::{Strided, Tensor};
use anyhow::Result;

/// The size all of these broadcast to. Fails with a `RuntimeError` that names the dimension.
pub fn broadcast(sizes: &[&[i64]]) -> Result<Dims> {
    broadcast_all(sizes.iter().copied())
}

/// The device of these tensors, where 0-d CPU tensors may go anywhere. Fails with a `RuntimeError` when they are on several.
pub fn common_device<'a>(tensors: impl IntoIterator<Item = &'a Tensor>) -> Result<DeviceId> {
    let mut found: Option<DeviceId> = None;
    let mut has_scalar = false;
    for tensor in tensors {
        let device = tensor.device();
        if tensor.ndim() == 0 && device == DeviceId::Cpu {
            has_scalar = true;
            continue;
        }
        match found {
            None => found = Some(device),
            Some(first) if first == device => {}
            Some(first) if first == DeviceId::Meta || device == DeviceId::Meta => {
                fault!(RuntimeError, "Tensor on device {device} is not on the expected device {first}!")
            }
            Some(first) => fault!(
                RuntimeError,
                "Expected all tensors to be on the same device, but found at least two devices, {first} and {device}!"
            ),
        }
    }
    debug_assert!(found.is_some() || has_scalar || cfg!(not(test)));
    Ok(found.unwrap_or(DeviceId::Cpu))
}

/// Fails with a `RuntimeError` when two elements of a tensor that is to be written are one cell.
pub fn refuse_overlap(tensor: &Tensor) -> Result<()> {
    check_written(&tensor.layout())
}

/// How a tensor lies, for the overlap check.
pub(super) fn place(form: &Strided, size: usize) -> Place<'_> {
    Place { storage: form.storage.serial(), layout: &form.layout, size }
}

/// Fails with a `RuntimeError` when `read` partly overlaps `written`; gives a copy of `read` where the overlap is not seen by
/// comparing ranges, else the tensor itself.
pub(super) fn read_safely(written: &Tensor, read: &Tensor) -> Result<Tensor> {
    let (to, from) = (written.strided()?, read.strided()?);
    if !to.storage.same(&from.storage) {
        return Ok(read.clone());
    }
    match check_read(place(&to, written.dtype().size()), place(&from, read.dtype().size()))? {
        true => super::convert::clone(read),
        false => Ok(read.clone()),
    }
}

/// Fails with a `RuntimeError` when `written` is seen to share elements with `read`, be it the same ones. A tensor is taken to
/// share with itself even when it has no elements.
pub fn refuse_shared(written: &Tensor, read: &Tensor) -> Result<()> {
    let (to, from) = (written.strided()?, read.strided()?);
    match overlap(place(&to, written.dtype().size()), place(&from, read.dtype().size())) {
        _ if written.same(read) => refuse_common(),
        Overlap::None | Overlap::Possible => Ok(()),
        // PyTorch looks no further at two views that leave gaps.
        Overlap::Full if !to.layout.is_dense() => Ok(()),
        Overlap::Full | Overlap::Partial => refuse_common(),
    }
}

/// True for two tensors whose elements are in one storage.
pub fn shares_storage(a: &Tensor, b: &Tensor) -> bool {
    matches!((a.strided(), b.strided()), (Ok(a), Ok(b)) if a.storage.same(&b.storage))
}

fn refuse_common() -> Result<()> {
    fault!(
        RuntimeError,
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. \
         Please clone() the tensor before performing the operation."
    )
}

/// Fails with a `RuntimeError` when `written` is seen to share some elements with `read` that lie otherwise there.
pub fn refuse_partial(written: &Tensor, read: &Tensor) -> Result<()> {
    let (to, from) = (written.strided()?, read.strided()?);
    check_read(place(&to, written.dtype().size()), place(&from, read.dtype().size())).map(|_| ())
}

/// The plan of an elementwise walk over `sizes`; the first form is written.
pub(super) fn plan(sizes: &[i64], forms: &[(&Strided, usize)]) -> Plan {
    let operands: smallvec::SmallVec<[Operand; 4]> = forms
        .iter()
        .map(|(form, size)| Operand { strides: expanded_strides(&form.layout, sizes), offset: form.layout.offset, size: *size })
        .collect();
    Plan::new(sizes, &operands)
}
