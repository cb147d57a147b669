//! Lines of a tensor in order.

use super::convert::{clone, contiguous, copy, resolve};
use super::host::item;
use super::make::empty;
use crate::device::{self, Kernel};
use crate::dtype::DType;
use crate::kernel::lines::{Task, Work};
use crate::layout::Layout;
use crate::tensor::Tensor;
use anyhow::Result;

/// Works on each line along the last dimension of a real tensor that has one, and gives `keep` elements per line and their
/// places in the lines, both contiguous. There must be elements, and lines of at least `keep`, when `keep` is not 0.
pub fn lines(work: Work, x: &Tensor, keep: usize) -> Result<(Tensor, Tensor)> {
    let mut sizes = x.sizes();
    if let Some(last) = sizes.last_mut() {
        *last = keep as i64;
    }
    let outs = [empty(&sizes, x.dtype(), x.device())?, empty(&sizes, DType::I64, x.device())?];
    launch(work, x, keep, &outs)?;
    let [values, places] = outs;
    Ok((values, places))
}

/// The different elements of a real tensor (neighbours only unless `sort`), the group of each of its elements in index order
/// when `groups`, and the sizes of the groups when `counts`.
pub fn distinct(x: &Tensor, sort: bool, groups: bool, counts: bool) -> Result<[Tensor; 3]> {
    let n = x.numel();
    let make = |size: i64, dtype| empty(&[size], dtype, x.device());
    let room = |wanted: bool| if wanted { n } else { 0 };
    let outs = [make(n, x.dtype())?, make(room(groups), DType::I64)?, make(1 + room(counts), DType::I64)?];
    let flat = contiguous(&resolve(x)?)?;
    let flat = flat.alias(Layout { offset: flat.layout().offset, ..Layout::contiguous(&[n]) })?;
    launch(Work::Distinct { sort, groups, counts }, &flat, n as usize, &outs)?;
    let [values, places, sizes] = outs;
    let part = |t: &Tensor, start: i64, size: i64| t.alias(t.layout().narrow(0, start, size)?);
    let found = if n == 0 { 0 } else { item(&part(&sizes, 0, 1)?)?.to_i64() };
    let counted = if counts { found } else { 0 };
    let counts = part(&make(if sort { counted } else { room(counts) }, DType::I64)?, 0, counted)?;
    copy(&counts, &part(&sizes, 1, counted)?)?;
    // In the order of the elements PyTorch writes into room for all of them.
    let values = part(&values, 0, found)?;
    Ok([if sort { clone(&values)? } else { values }, places, counts])
}

/// Works on lines; the outputs are new and as large as the work asks for.
fn launch(work: Work, x: &Tensor, keep: usize, outs: &[Tensor]) -> Result<()> {
    let x = contiguous(&resolve(x)?)?;
    let length = x.sizes().last().map_or(1, |n| *n as usize);
    if x.numel() == 0 || keep == 0 {
        return Ok(());
    }
    let form = x.strided()?;
    let mut outputs = [std::ptr::null_mut(); 3];
    for (address, out) in outputs.iter_mut().zip(outs) {
        *address = out.storage()?.as_ptr();
    }
    let task = Task {
        work,
        dtype: x.dtype(),
        count: x.numel() as usize / length.max(1),
        length,
        keep,
        input: form.first(x.dtype().size()),
        outputs,
    };
    // SAFETY: the input is contiguous and was checked against its storage; the outputs are of the sizes the work asks for.
    unsafe { device::get(x.device())?.launch(&Kernel::Lines(&task)) }
}
