//! What `out` may share with what a function reads.

use super::rules::{Rule, Shares};
use crate::layout::{Layout, wrap_dim};
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

/// True for an `out` that is read as it is: it cannot take another size.
pub fn keeps_size(args: &Args, target: &Tensor) -> bool {
    let is_target = |value: &Value| matches!(value, Value::Tensor(t) if t.same(target));
    match args.op.name() {
        "ger" | "outer" => is_target(args.value(1)),
        _ => is_elementwise(args) && args.values.iter().any(is_target),
    }
}

/// The tensors that a function reads: differences are taken between two views, and a column times a row is a product.
fn read(args: &Args) -> Result<Vec<Tensor>> {
    match (args.op.name(), args.value(0), args.value(2)) {
        ("diff", Value::Tensor(x), Value::Int(dim)) => {
            let (layout, along) = (x.layout(), wrap_dim(*dim, x.ndim())?);
            let count = layout.sizes[along];
            let part = |start: i64| x.alias(layout.narrow(*dim, start.min(count), (count - 1).max(0))?);
            Ok(vec![part(1)?, part(0)?])
        }
        ("ger" | "outer", Value::Tensor(x), _) if x.ndim() == 1 => {
            let (layout, mut read) = (x.layout(), args.tensors());
            read[0] = x.alias(Layout::new(&[layout.sizes[0], 1], &[layout.strides[0], 1], layout.offset))?;
            Ok(read)
        }
        // Whole numbers are cast to floats apart where a bound is one.
        ("clamp" | "clamp_max" | "clamp_min" | "clip", Value::Tensor(x), _)
            if Tensor::dtype(x).is_integral(true) && args.values.iter().any(|value| matches!(value, Value::Float(_))) =>
        {
            Ok(vec![])
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
