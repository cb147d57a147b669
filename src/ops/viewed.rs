//! What results are views of.

use super::schema::{Alias, Base, Schema};
use super::{Args, NO_GRAD, Op, OpSet, autograd, recorded};
use crate::layout::{Dims, Layout, real_dim};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// The tensors among one result or several.
fn tensors(result: &Value) -> impl Iterator<Item = Tensor> {
    let results = result.sequence().unwrap_or_else(|| vec![result.clone()]);
    results.into_iter().filter_map(|item| if let Value::Tensor(t) = item { Some(t) } else { None })
}

/// Notes that results are views of what they were computed in, or of the tensor that they show. Where a gradient is asked for, the way
/// back knows no tensor between.
pub(super) fn note_last_view(set: &OpSet, args: &Args, result: &Value) {
    // What was given as `out` stays what it was.
    if !matches!(args.out, Value::None) {
        return;
    }
    const VIEWS: [&str; 5] = ["View", "Permute", "Squeeze", "Conj", "ReshapeAlias"];
    let inputs = args.tensors();
    // One result is a view where its last step is one; several are the parts of one tensor.
    let ends_in_view = |view: &Tensor| {
        let last = recorded::backward_name(set, args, &inputs, view);
        VIEWS.iter().any(|name| last.starts_with(name))
    };
    for (place, view) in tensors(result).enumerate() {
        let is_view = match result {
            // Along several dimensions the conjugates are written.
            Value::Tensor(_) if args.op.name().starts_with("fft.ihfft") => view.is_conj(),
            Value::Tensor(_) => ends_in_view(&view),
            // Of these the last alone is one.
            _ if args.op.name() == "svd" => place == 2,
            _ => true,
        };
        if !is_view {
            continue;
        }
        let of = inputs.iter().find(|x| view.has_cells_of(x)).cloned();
        // The way back knows no tensor between.
        if of.is_none() && view.requires_grad() {
            continue;
        }
        if let Some(of) = of.or_else(|| computed_in(args, &inputs, &view)) {
            view.note_view_of(&of);
        }
    }
}

/// The tensor of its own that a result was computed in, as PyTorch lays it.
fn computed_in(args: &Args, inputs: &[Tensor], view: &Tensor) -> Option<Tensor> {
    let layout = match (args.op.name(), args.value(1), inputs) {
        // Made with one dimension more, and then flattened.
        ("repeat_interleave", Value::Int(times), [x]) => {
            let (mut sizes, at) = match args.value(2) {
                Value::Int(dim) => (x.sizes(), real_dim(*dim, x.ndim()).ok()?),
                _ => (Dims::from_slice(&[x.numel()]), 0),
            };
            sizes.insert(at + 1, *times);
            Layout::contiguous(&sizes)
        }
        _ => (*view.layout()).clone(),
    };
    view.alias(layout).ok()
}

/// Notes what the results of an operation on views are views of.
pub(super) fn note_view(row: &Op, of: &Tensor, result: &Value) -> Result<()> {
    let Schema { params, returns, .. } = row.schema()?;
    let shares = returns.first().is_some_and(|r| r.kind.alias == Alias::Shared);
    // The same cells seen as a dtype are no view to PyTorch, be it their own.
    let is_cast = row.name() == "view" && matches!(&params[..], [_, to] if to.kind.base == Base::DType);
    if shares && !row.has(NO_GRAD) && !is_cast {
        for view in tensors(result) {
            view.note_view_of(of);
            autograd::note_unseen(&view, of);
        }
    }
    Ok(())
}
