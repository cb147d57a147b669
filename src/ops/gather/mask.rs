//! Elements chosen by a mask.

use super::index::{one, scalar_of};
use crate::dtype::{DType, Number};
use crate::layout::broadcast_sizes;
use crate::ops::map::{Map, elementwise};
use crate::ops::{Args, Operand, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

const WHERE: Map = elementwise!(where(c: bool, a, b), Promote, "c ? a : b"; any: if c { a } else { b });

pub(super) fn masked_fill(args: &Args) -> Result<Value> {
    let (x, mask, value): (Tensor, Tensor, Operand) = args.take()?;
    let value = scalar_of("masked_fill_", value)?;
    if mask.dtype() != DType::Bool {
        fault!(RuntimeError, "masked_fill_ only supports boolean masks, but got mask with dtype {}", mask.dtype().title());
    }
    if matches!(value, Number::Complex(_)) && !x.dtype().is_complex() {
        fault!(RuntimeError, "value cannot be converted to type {} without overflow", x.dtype().name());
    }
    let value = exec::cast(&one(value)?, x.dtype())?;
    Ok(WHERE.of("masked_fill", &[Operand::Tensor(mask), Operand::Tensor(value), Operand::Tensor(x)], &[])?.into())
}

/// Both tensors stretched to their common size.
fn stretched(x: &Tensor, mask: &Tensor) -> Result<(Tensor, Tensor)> {
    let sizes = broadcast_sizes(&x.sizes(), &mask.sizes())?;
    Ok((x.alias(x.layout().broadcast_to(&sizes)?)?, mask.alias(mask.layout().broadcast_to(&sizes)?)?))
}

pub(super) fn masked_select(args: &Args) -> Result<Value> {
    let (x, mask): (Tensor, Tensor) = args.take()?;
    if mask.dtype() != DType::Bool {
        fault!(RuntimeError, "masked_select: expected BoolTensor for mask");
    }
    let (x, mask) = stretched(&x, &mask)?;
    let (bytes, size) = (exec::bytes(&x)?, x.dtype().size());
    let truth = exec::bytes(&mask)?;
    let chosen: Vec<u8> = bytes.chunks(size).zip(truth).filter(|(_, t)| *t != 0).flat_map(|(b, _)| b).copied().collect();
    let count = (chosen.len() / size) as i64;
    Ok(exec::from_bytes(&chosen, &[count], x.dtype())?.into())
}

pub(super) fn masked_scatter(args: &Args) -> Result<Value> {
    let (x, mask, source): (Tensor, Tensor, Tensor) = args.take()?;
    if x.dtype() != source.dtype() {
        fault!(
            RuntimeError,
            "masked_scatter: expected self and source to have same dtypes but got {} and {}",
            x.dtype().title(),
            source.dtype().title()
        );
    }
    if mask.dtype() != DType::Bool {
        fault!(RuntimeError, "masked_scatter_ only supports boolean masks, but got mask with dtype {}", mask.dtype().title());
    }
    let (x, mask) = stretched(&x, &mask)?;
    let (mut bytes, from, size) = (exec::bytes(&x)?, exec::bytes(&source)?, x.dtype().size());
    let mut elements = from.chunks(size);
    for (place, _) in bytes.chunks_mut(size).zip(exec::bytes(&mask)?).filter(|(_, t)| *t != 0) {
        match elements.next() {
            Some(element) => place.copy_from_slice(element),
            None => fault!(RuntimeError, "Number of elements of source < number of ones in mask"),
        }
    }
    Ok(exec::from_bytes(&bytes, &x.sizes(), x.dtype())?.into())
}
