//! Functions that write to an `out` some of whose elements are one cell: what others refuse, these do not look at.

use crate::dtype::{DType, Number};
use crate::kernel::fold::{ANY, PROD, SUM};
use crate::layout::Layout;
use crate::ops::exec::Reduction;
use crate::ops::{Args, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// What is left in a cell that several elements share.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cells {
    /// Nothing: the call is refused.
    Refused,
    /// What was there: nothing is written.
    Kept,
    /// The last element of those that are written there.
    Last,
    /// One where any of them is not zero.
    Any,
    /// Their sum.
    Sum,
    /// Their product.
    Product,
    /// The number of the last one: what is shuffled there is one cell.
    Count,
    /// What all that would be reduced to them is reduced to.
    Reduced,
}

/// What the functions that do not look leave there.
const CELLS: &[(&str, Cells)] = &[
    ("all", Cells::Reduced),
    ("amax", Cells::Reduced),
    ("amin", Cells::Reduced),
    ("any", Cells::Reduced),
    ("bmm", Cells::Last),
    ("empty", Cells::Kept),
    ("eye", Cells::Any),
    ("histc", Cells::Sum),
    ("linalg.vecdot", Cells::Sum),
    ("linalg.vector_norm", Cells::Reduced),
    ("mv", Cells::Last),
    ("nansum", Cells::Reduced),
    ("norm", Cells::Reduced),
    ("prod", Cells::Product),
    ("randperm", Cells::Count),
    ("std", Cells::Reduced),
    ("sum", Cells::Reduced),
    ("var", Cells::Reduced),
];

/// What becomes of cells that several elements of an `out` of the right size share.
pub fn shared(args: &Args, target: &Tensor, result: &Tensor) -> Cells {
    let found = CELLS.binary_search_by_key(&args.op.name(), |(name, _)| name).ok().map(|place| CELLS[place].1);
    match found {
        Some(cells) if target.sizes() == result.sizes() && exec::refuse_overlap(target).is_err() => cells,
        _ => Cells::Refused,
    }
}

/// The dimensions along which all elements of a tensor are one cell.
fn repeated(target: &Tensor) -> Vec<usize> {
    let layout = target.layout();
    (0..layout.ndim()).filter(|dim| layout.strides[*dim] == 0 && layout.sizes[*dim] > 1).collect()
}

/// A view that has one element along each dimension where all are one cell: that at a place there.
fn once(x: &Tensor, dims: &[usize], last: bool) -> Result<Tensor> {
    let mut layout = (*x.layout()).clone();
    for dim in dims {
        let place = if last { layout.sizes[*dim] - 1 } else { 0 };
        layout = layout.narrow(*dim as i64, place, 1)?;
    }
    x.alias(layout)
}

/// Writes what the elements that share a cell leave there.
pub fn write(target: &Tensor, result: &Tensor, cells: Cells) -> Result<()> {
    let dims = repeated(target);
    let written = once(target, &dims, false)?;
    match cells {
        Cells::Kept => Ok(()),
        Cells::Sum | Cells::Product => {
            let fold = if cells == Cells::Sum { &SUM } else { &PROD };
            let folded = exec::fold(&Reduction::new(fold, result.dtype()), result, &dims, true)?;
            folded.first().map_or(Ok(()), |folded| exec::copy(&written, folded))
        }
        Cells::Any => {
            let flags = exec::fold(&Reduction::new(&ANY, DType::Bool), result, &dims, true)?;
            flags.first().map_or(Ok(()), |flags| exec::copy(&written, flags))
        }
        Cells::Count => exec::fill(&written, Number::Int(result.numel() - 1)),
        _ => exec::copy(&written, &once(result, &dims, true)?),
    }
}

/// The arguments of a reduction that reduces along the dimensions where all of `out` is one cell, too, and what it writes to; none
/// where it cannot.
pub fn reducing_all(args: &Args, target: &Tensor) -> Result<Option<(Args, Tensor)>> {
    let params = &args.op.schema()?.params;
    let place = |name: &str| params.iter().position(|param| param.name == name);
    let (Value::Tensor(x), Some(dim), Some(keepdim)) = (args.value(0), place("dim"), place("keepdim")) else { return Ok(None) };
    let ndim = x.ndim() as i64;
    let mut dims: Vec<i64> = match args.value(dim) {
        Value::Int(dim) => vec![*dim],
        Value::Size(dims) if !dims.is_empty() => dims.to_vec(),
        _ => return Ok(None),
    };
    dims.iter_mut().filter(|dim| **dim < 0).for_each(|dim| *dim += ndim);
    let keeps = matches!(args.value(keepdim), Value::Bool(true));
    let left: Vec<i64> = (0..ndim).filter(|dim| keeps || !dims.contains(dim)).collect();
    let met = repeated(target);
    dims.extend(met.iter().filter_map(|dim| left.get(*dim)));
    let written = once(target, &met, false)?;
    // What is reduced has one element: its dimensions do not count.
    let layout = written.layout();
    let kept: Vec<usize> = (0..layout.ndim()).filter(|dim| keeps || !met.contains(dim)).collect();
    let sizes: Vec<i64> = kept.iter().map(|dim| layout.sizes[*dim]).collect();
    let strides: Vec<i64> = kept.iter().map(|dim| layout.strides[*dim]).collect();
    let written = written.alias(Layout::new(&sizes, &strides, layout.offset))?;
    let mut again = args.clone();
    again.values[dim] = Value::size(&dims);
    again.out = Value::Tensor(written.clone());
    Ok(Some((again, written)))
}
