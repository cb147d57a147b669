//! What is refused for the sake of gradients and of inference mode: writing where values are needed, and reading what cannot be kept.

use super::schema::Param;
use super::{Args, autograd};
use crate::settings;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// What is said of changes to views that were made together.
const SEVERAL_VIEWS: &str = "This view is the output of a function that returns multiple views. Such functions do not allow the output views to be modified inplace. You should replace the inplace operation by an out-of-place one.";

/// What is said of changes to views that were made while nothing was recorded.
const UNSEEN_VIEW: &str = "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) or both outside (if you want the inplace to be tracked).";

/// Fails with a `RuntimeError` when the way back would go through a view that was made together with others, and whose elements were
/// changed since.
pub fn refuse_outdated<'a>(mut tensors: impl Iterator<Item = &'a Tensor>) -> Result<()> {
    if let Some((name, output)) = tensors.find_map(autograd::outdated_of_several)
        && settings::with(|s| s.grad_enabled)
    {
        fault!(
            RuntimeError,
            "Output {output} of {name} is a view and its base or another view of its base has been modified inplace. {SEVERAL_VIEWS}"
        );
    }
    Ok(())
}

/// Writing into a leaf that asks for a gradient would lose the values its gradient needs, and so would writing into a view of one:
/// the target itself, or what is made of it on the way, by an operation whose node is named.
pub fn refuse_leaf_write(target: &Tensor, view: Option<&str>) -> Result<()> {
    if !settings::with(|s| s.grad_enabled) || !target.requires_grad() {
        return Ok(());
    }
    if let Some((name, output)) = autograd::one_of_several(target) {
        let (name, output) = view.map_or((name.as_str(), output), |view| (view, 0));
        fault!(RuntimeError, "Output {output} of {name} is a view and is being modified inplace. {SEVERAL_VIEWS}");
    }
    if target.grad().unseen {
        fault!(
            RuntimeError,
            "A view was created in no_grad mode and is being modified inplace with grad mode enabled. {UNSEEN_VIEW}"
        );
    }
    let is_leaf = |x: &Tensor| x.grad().made_by.is_none();
    let of_leaf = target.base().is_some_and(is_leaf);
    if of_leaf || is_leaf(target) {
        let whose = if view.is_some() || target.base().is_some() { "a view of a leaf" } else { "a leaf" };
        fault!(RuntimeError, "{whose} Variable that requires grad is being used in an in-place operation.");
    }
    Ok(())
}

/// Fails with a `RuntimeError` when a tensor that asks for a gradient would get another size.
pub fn refuse_resize(name: &str, target: &Tensor) -> Result<()> {
    if matches!(name, "resize_" | "resize_as_") && target.requires_grad() {
        fault!(RuntimeError, "cannot resize variables that require grad");
    }
    Ok(())
}

/// Fails with a `RuntimeError` when what was made inside `torch.inference_mode()` was written to outside: as in PyTorch, which finds out
/// when it counts the change, it has the new elements then.
pub fn refuse_inference_write(target: &Tensor) -> Result<()> {
    if target.is_inference() && !settings::with(|s| s.inference) {
        fault!(
            RuntimeError,
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
        );
    }
    Ok(())
}

/// Fails with a `RuntimeError` when what is taken for constant asks for a gradient.
pub fn refuse_constants(args: &Args) -> Result<()> {
    let params = &args.op.schema()?.params;
    let named = |name: &str| params.iter().zip(&args.values).find(|(param, _)| param.name == name).map(|(_, value)| value);
    let asks = |name: &str| named(name).is_some_and(|value| matches!(value, Value::Tensor(t) if t.requires_grad()));
    let classes = || !matches!(named("target"), Some(Value::Tensor(t)) if t.dtype().is_float());
    for (name, function) in args.op.constants {
        if asks(name) && settings::with(|s| s.grad_enabled) && (*function != "nll_loss_forward" || classes()) {
            let function = match args.value(0) {
                Value::Tensor(x) if x.ndim() > 2 && *function == "nll_loss_forward" => "nll_loss2d_forward",
                _ => function,
            };
            fault!(
                RuntimeError,
                "The function '{function}' is not differentiable with respect to argument '{name}'. This input cannot have requires_grad True."
            );
        }
    }
    Ok(())
}

/// Fails with a `RuntimeError` when the way back would read what was made inside `torch.inference_mode()`.
pub fn refuse_inference(args: &Args) -> Result<()> {
    let is_kept = |(param, value): (&Param, &Value)| {
        matches!(value, Value::Tensor(t) if t.is_inference()) && autograd::reads(args.op, &param.name)
    };
    if settings::with(|s| s.inferred) && args.op.schema()?.params.iter().zip(&args.values).any(is_kept) {
        fault!(
            RuntimeError,
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
        );
    }
    Ok(())
}

/// Fails with a `RuntimeError` when what asks for a gradient is summed or multiplied up as a dtype that has none.
pub fn refuse_whole_sums(args: &Args) -> Result<()> {
    const SUMS: [&str; 5] = ["sum", "nansum", "prod", "cumsum", "cumprod"];
    if let Some(Value::DType(dtype)) = args.values.last()
        && SUMS.contains(&args.op.name())
        && !dtype.is_float()
        && !dtype.is_complex()
    {
        fault!(RuntimeError, "Autograd not support dtype: {}", dtype.title());
    }
    Ok(())
}
