//! What `out` may share with what a function reads.

use super::rules::{Rule, Shares};
use crate::layout::wrap_dim;
use crate::ops::{Args, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// True for a function that walks over its operands and `out` together.
pub fn is_elementwise(args: &Args) -> bool {
    Rule::of(args).is_elementwise
}

/// Fails with a `RuntimeError` where an `out` shares elements with what the function reads, or two of its elements are one cell.
pub fn check_shared(args: &Args, target: &Tensor) -> Result<()> {
    let shares = Rule::of(args).shares;
    if shares == Shares::Unseen {
        return Ok(());
    }
    // Of several, those that are resized or that places are looked up for are left to the write.
    if matches!(args.out, Value::Tensor(_)) || shares == Shares::AllOrNone {
        exec::refuse_overlap(target)?;
    }
    read(args)?.iter().enumerate().try_for_each(|(place, read)| match shares {
        Shares::NothingOfOthers if place == 0 => Ok(()),
        Shares::Nothing | Shares::NothingOfOthers => exec::refuse_shared(target, read),
        Shares::AllOrNone | Shares::Unseen => exec::refuse_partial(target, read),
    })
}

/// The tensors that a function reads: differences are taken between two views.
fn read(args: &Args) -> Result<Vec<Tensor>> {
    match (args.op.name(), args.value(0), args.value(2)) {
        ("diff", Value::Tensor(x), Value::Int(dim)) => {
            let (layout, along) = (x.layout(), wrap_dim(*dim, x.ndim())?);
            let count = layout.sizes[along];
            let part = |start: i64| x.alias(layout.narrow(*dim, start.min(count), (count - 1).max(0))?);
            Ok(vec![part(1)?, part(0)?])
        }
        _ => Ok(args.tensors()),
    }
}

/// Fails with a `RuntimeError` where an `out`, which has the size of the result, shares some elements with the tensor that is copied
/// to it before others are written there.
pub fn check_copied(args: &Args, target: &Tensor) -> Result<()> {
    match (Rule::of(args).shares, args.value(0)) {
        (Shares::NothingOfOthers, Value::Tensor(first)) => exec::refuse_partial(target, first),
        _ => Ok(()),
    }
}
