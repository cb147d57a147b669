//! Elements chosen by a mask.

use super::slices::{at_least_1d, number_of};
use crate::dtype::DType;
use crate::layout::{Dims, broadcast_sizes};
use crate::ops::into::require_sizes;
use crate::ops::pointwise::blend::WHERE;
use crate::ops::product::stretched;
use crate::ops::reshape::reshape;
use crate::ops::{Args, Operand, exec, rare};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// The value where the mask is true, the element of the first argument elsewhere.
pub(super) fn masked_fill(out: &Tensor, args: &Args) -> Result<()> {
    let (x, mask, value): (Tensor, Tensor, Operand) = args.take()?;
    let value = number_of("masked_fill_", value)?;
    if mask.dtype() != DType::Bool {
        fault!(RuntimeError, "masked_fill_ only supports boolean masks, but got mask with dtype {}", mask.dtype().c_name());
    }
    if out.same(&x) {
        let joint = exec::sizes_of(&[Operand::Tensor(x.clone()), Operand::Tensor(mask.clone())])?;
        require_sizes(out, &joint)?;
    }
    let number = exec::number(value, x.dtype(), x.device())?;
    if exec::refuse_overlap(out).is_err() {
        return write_where(out, &mask.alias(mask.layout().expand(&out.sizes())?)?, &number);
    }
    exec::map_into(WHERE.scalar, out, &[Operand::Tensor(mask), Operand::Tensor(number), Operand::Tensor(x)], &[])
}

/// Writes to the elements of `x` where a mask of its size is true, and to no other: one value to all, or one value each, from the
/// front of a 1-d tensor. Elements that share a cell may be written one after another.
pub fn write_where(x: &Tensor, mask: &Tensor, values: &Tensor) -> Result<()> {
    let (table, found) = (at_least_1d(x)?, exec::nonzero(&at_least_1d(mask)?)?);
    let wanted = found.sizes()[0];
    // What a source that is too short has is written, as in PyTorch.
    let count = if values.ndim() == 0 { wanted } else { wanted.min(values.numel()) };
    let found = found.alias(found.layout().narrow(0, 0, count)?)?;
    let layout = table.layout();
    let pick = |k: usize| {
        let index = found.alias(found.layout().select(1, k as i64)?)?;
        Ok(exec::Pick { index, size: layout.sizes[k], stride: layout.strides[k] })
    };
    let picks = (0..layout.ndim()).map(pick).collect::<Result<_>>()?;
    let values = match values.ndim() {
        0 => values.alias(values.layout().expand(&[count])?)?,
        _ => values.alias(values.layout().narrow(0, 0, count)?)?,
    };
    exec::write_at(
        &table,
        &exec::Places { sizes: Dims::from_slice(&[count]), strides: Dims::from_slice(&[0]), start: 0, picks },
        &values,
    )?;
    if count < wanted {
        fault!(RuntimeError, "Number of elements of source < number of ones in mask");
    }
    Ok(())
}

/// A new tensor of the size that the first argument and the mask have in common.
pub(super) fn empty_joint(args: &Args) -> Result<Tensor> {
    let (x, mask): (Tensor, Tensor) = args.take()?;
    exec::empty(&broadcast_sizes(&mask.sizes(), &x.sizes())?, x.dtype(), x.device())
}

/// A copy of the first argument, stretched to the size it has in common with the mask.
pub(super) fn joint_copy(args: &Args) -> Result<Tensor> {
    let copy = empty_joint(args)?;
    exec::copy(&copy, &args.get(0)?)?;
    Ok(copy)
}

pub(super) fn masked_select(args: &Args) -> Result<Value> {
    let (x, mask): (Tensor, Tensor) = args.take()?;
    if mask.dtype() != DType::Bool {
        fault!(RuntimeError, "masked_select: expected BoolTensor for mask");
    }
    let sizes = broadcast_sizes(&mask.sizes(), &x.sizes())?;
    let stretch = |t: &Tensor| t.alias(t.layout().expand(&sizes)?);
    Ok(exec::select_masked(&stretch(&x)?, &stretch(&mask)?)?.into())
}

/// `masked_scatter_`: the elements of the source, one after another, to where the mask is true.
pub(super) fn masked_scatter(x: &Tensor, args: &Args) -> Result<()> {
    let (_, mask, source): (Tensor, Tensor, Tensor) = args.take()?;
    exec::refuse_overlap(x)?;
    if x.dtype() != source.dtype() {
        fault!(
            RuntimeError,
            "masked_scatter: expected self and source to have same dtypes but got{} and {}",
            x.dtype().title(),
            source.dtype().title()
        );
    }
    let dtype = mask.dtype();
    let mask = stretched(&mask, &x.sizes())?;
    if dtype != DType::Bool {
        fault!(RuntimeError, "masked_scatter_ only supports boolean masks, but got mask with dtype {}", dtype.title());
    }
    if rare::is_rare(x.dtype()) {
        fault!(NotImplementedError, "\"masked_scatter\" not implemented for '{}'", x.dtype().title());
    }
    write_where(x, &mask, &reshape(&source, &[-1])?)
}
