//! What is said of an `out=` whose elements would have to be recorded for a gradient.

use super::rules::{Refused, Rule, kernel_name};
use crate::ops::guard::refuse_leaf_write;
use crate::ops::{Args, NO_GRAD, OpSet};
use crate::settings;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// Fails with a `RuntimeError` when what is written to `out=` would have to be recorded.
pub fn refuse_recorded(set: &OpSet, args: &Args) -> Result<()> {
    let refused = refused(set, args);
    if args.op.has(NO_GRAD) && refused != Refused::Underived {
        return Ok(());
    }
    let is_derived = is_derived(set);
    let takes = |t: &Tensor| is_derived || t.dtype().is_float() || t.dtype().is_complex();
    let first = args.out.items().and_then(|items| items.first().cloned()).unwrap_or_else(|| args.out.clone());
    let Value::Tensor(target) = &first else { return Ok(()) };
    // Another dtype is asked for: that is said first.
    if matches!(args.named("dtype"), Value::DType(dtype) if *dtype != target.dtype()) && refused == Refused::Underived {
        return Ok(());
    }
    let asks = match refused {
        Refused::Early => args.any_tensor(Tensor::requires_grad) || is_derived && target.requires_grad(),
        Refused::Underived => target.requires_grad() && target.grad().made_by.is_none(),
        Refused::Late | Refused::AsCopied => false,
    };
    match takes(target) && asks && settings::with(|s| s.grad_enabled) {
        true => refuse_gradients(set, args),
        false => Ok(()),
    }
}

/// Fails with a `RuntimeError` when a result is to be written to what asks for a gradient.
pub fn refuse_target(set: &OpSet, args: &Args, target: &Tensor) -> Result<()> {
    if !settings::with(|s| s.grad_enabled) || args.op.has(NO_GRAD) {
        return Ok(());
    }
    match refused(set, args) {
        Refused::AsCopied => refuse_leaf_write(target, None),
        Refused::Late if is_derived(set) && args.any_tensor(Tensor::requires_grad) => refuse_gradients(set, args),
        Refused::Early | Refused::Late if target.requires_grad() => refuse_gradients(set, args),
        _ => Ok(()),
    }
}

/// The node of what is in `out` where that is not the function's: a copy, or what has no derivative.
pub fn node(set: &OpSet, args: &Args) -> Option<String> {
    let name = match refused(set, args) {
        _ if matches!(args.out, Value::None) => return None,
        Refused::AsCopied => "torch::autograd::CopyBackwards",
        Refused::Underived => "torch::autograd::NotImplemented",
        Refused::Early | Refused::Late => return None,
    };
    Some(name.to_string())
}

/// True where a row of the set has a derivative.
fn is_derived(set: &OpSet) -> bool {
    set.rows.iter().any(|op| !op.gradients.is_empty() || op.name() == "ldexp")
}

/// When a call is refused; what has the name of a view with `_copy` behind it has no derivative of its own.
fn refused(set: &OpSet, args: &Args) -> Refused {
    match set.name.ends_with("_copy") && !matches!(set.name, "index_copy" | "narrow_copy" | "unbind_copy") {
        true => Refused::Underived,
        false => Rule::of(args).refused,
    }
}

fn refuse_gradients(set: &OpSet, args: &Args) -> Result<()> {
    let kernel = kernel_name(args);
    let name = if matches!(kernel, "maximum" | "minimum") { kernel } else { args.op.name() };
    let is_line = matches!(args.value(0), Value::Tensor(x) if x.ndim() == 1);
    let said = match (Rule::of(args).refused_as, name, refused(set, args)) {
        ("", "diag", _) if is_line => "aten::diag_embed".into(),
        ("", "diag", _) => "aten::diagonal_copy".into(),
        ("", _, Refused::Underived) => format!("aten::{name}"),
        ("", ..) => name.trim_start_matches("nn.functional.").replace('.', "_"),
        (other, ..) => other.to_string(),
    };
    fault!(
        RuntimeError,
        "{said}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad."
    )
}
