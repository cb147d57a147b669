//! The gradient slot of a tensor: `requires_grad`, `grad`, `grad_fn`, detaching, and assigning to them.

use super::convert::c_type_name;
use super::{Args, Form, Op, autograd, exec, op};
use crate::dtype::DType;

use crate::settings;
use crate::tensor::{Grad, Tensor};
use crate::value::{CallArgs, Machine, Outcome, Value};
use anyhow::Result;

/// A property of the slot.
const fn slot(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    method(schema, doc, example, run).property()
}

/// A method on the slot.
const fn method(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).marked().sparse().no_grad().method_only()
}

/// What is said of `detach_` on a view, gradients of parallel training included.
const DETACHED_VIEW: &str = "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution.";

rows![
    op(
        "is_grad_enabled() -> bool",
        "True unless recording is switched off, as it is inside `torch.no_grad()`.",
        "with torch.no_grad():\n    print(torch.is_grad_enabled())\n# False",
        Form::Native(|_| Ok(settings::with(|s| s.grad_enabled).into())),
    )
    .function_only()
    .no_out(),
    op(
        "is_inference_mode_enabled() -> bool",
        "True inside `torch.inference_mode()`.",
        "with torch.inference_mode():\n    print(torch.is_inference_mode_enabled())\n# True",
        Form::Native(|_| Ok(settings::with(|s| s.inference).into())),
    )
    .function_only()
    .no_out(),
    op(
        "is_inference(Tensor self) -> bool",
        "True for a tensor that was made inside `torch.inference_mode()`: outside it can be read, but not written to or asked for a gradient.",
        "with torch.inference_mode():\n    x = torch.ones(2)\nx.is_inference()\n# True",
        Form::Native(|a| Ok(tensor(a)?.is_inference().into())),
    )
    .marked()
    .sparse()
    .no_grad()
    .no_out(),
    slot(
        "requires_grad(Tensor self) -> bool",
        "True when operations on the tensor record how to compute a gradient.",
        "torch.ones(2, requires_grad=True).requires_grad\n# True",
        |a| Ok(tensor(a)?.requires_grad().into()),
    ),
    slot(
        "output_nr(Tensor self) -> int",
        "Which result of its operation the tensor is, where that has several.",
        "torch.ones(2, requires_grad=True).unbind()[1].output_nr\n# 1",
        |a| Ok(Value::from(tensor(a)?.grad().made_by.map_or(0, |made| made.output as i64))),
    ),
    slot(
        "is_leaf(Tensor self) -> bool",
        "True unless the tensor is the recorded result of an operation.",
        "torch.ones(2, requires_grad=True).is_leaf\n# True",
        |a| Ok(tensor(a)?.grad().made_by.is_none().into()),
    ),
    slot(
        "grad(Tensor self) -> Tensor?",
        "The gradient that was computed or assigned, or None.",
        "torch.ones(2).grad is None\n# True",
        |a| Ok(tensor(a)?.grad().grad.map_or(Value::None, Value::Tensor)),
    ),
    slot(
        "grad_dtype(Tensor self) -> Any",
        "The dtype of the gradient: that of the tensor unless another one was assigned; None where any will do.",
        "torch.ones(2).grad_dtype\n# torch.float32",
        |a| Ok(grad_dtype(&tensor(a)?).map_or(Value::None, Value::DType)),
    ),
    slot(
        "grad_fn(Tensor self) -> Any",
        "The recorded operation that made the tensor, or None for a leaf.",
        "x = torch.ones(2, requires_grad=True)\n(x * 2).grad_fn.name()\n# 'MulBackward0'",
        |a| autograd::shown(&tensor(a)?),
    ),
    slot(
        "retains_grad(Tensor self) -> bool",
        "True for a recorded result that was asked to keep its gradient.",
        "torch.ones(2).retains_grad\n# False",
        |a| Ok(autograd::retains(&tensor(a)?).into()),
    ),
    method(
        "requires_grad_(Tensor(a!) self, bool requires_grad=True) -> Tensor(a!)",
        "Switches recording on or off for a leaf, and gives the same tensor.",
        "torch.ones(2).requires_grad_()\n# tensor([1., 1.], requires_grad=True)",
        |a| {
            let (x, flag): (Tensor, bool) = a.take()?;
            if flag && !differentiable(&x) {
                fault!(RuntimeError, "only Tensors of floating point dtype can require gradients");
            }
            require(&x, flag)?;
            Ok(x.into())
        },
    ),
    op(
        "detach(Tensor(a) self) -> Tensor(a)",
        "A tensor over the same storage, outside of the recorded computation.",
        "torch.ones(2, requires_grad=True).detach()\n# tensor([1., 1.])",
        Form::Native(|a| {
            let x = tensor(a)?;
            let detached = alias(&x);
            detached.count_with(&x);
            Ok(detached.into())
        }),
    )
    .marked()
    .sparse()
    .no_grad()
    .no_out(),
    op(
        "_beside(Tensor self, Tensor other) -> Tensor",
        "The tensor, as one that `other` changes by nothing: a gradient in steps.",
        "torch._beside(torch.tensor([1.]), torch.tensor([2.]))\n# tensor([1.])",
        Form::Native(|a| Ok(alias(&tensor(a)?).into())),
    )
    .marked()
    .function_only()
    .no_out()
    .grads(&[("self", "grad"), ("other", "other.new_zeros(other.shape)")])
    .complex(),
    op(
        "detach_(Tensor(a!) self) -> Tensor(a!)",
        "Takes the tensor itself out of the recorded computation.",
        "x = torch.ones(2, requires_grad=True)\n(x * 2).detach_()\n# tensor([2., 2.])",
        Form::Native(|a| {
            let x = tensor(a)?;
            if x.base().is_some() {
                fault!(RuntimeError, "{DETACHED_VIEW}");
            }
            x.set_grad(Grad { requires_grad: false, made_by: None, ..x.grad() });
            Ok(x.into())
        }),
    )
    .marked()
    .sparse()
    .no_grad()
    .no_out(),
];

fn tensor(args: &Args) -> Result<Tensor> {
    args.get(0)
}

/// Another tensor over the same elements.
pub fn alias(x: &Tensor) -> Tensor {
    x.twin()
}

fn differentiable(x: &Tensor) -> bool {
    x.dtype().is_float() || x.dtype().is_complex()
}

/// Switches recording for a leaf. Fails with a `RuntimeError` on a recorded result.
fn require(x: &Tensor, flag: bool) -> Result<()> {
    let slot = x.grad();
    if slot.made_by.is_some() && !flag {
        fault!(
            RuntimeError,
            "you can only change requires_grad flags of leaf variables. \
             If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
        );
    }
    if flag && x.is_inference() && !settings::with(|s| s.inference) {
        fault!(RuntimeError, "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
    }
    if slot.requires_grad != flag {
        x.set_grad(Grad { requires_grad: flag, ..slot });
    }
    Ok(())
}

/// `x.name = value` for the attributes that every tensor has; false for other names. Fails with an `AttributeError` on those that
/// cannot be assigned, and as PyTorch does on a value that does not fit.
pub fn set_attribute(machine: &mut dyn Machine, x: &Tensor, name: &str, value: &Value) -> Outcome<bool> {
    match ATTRIBUTES.iter().find(|(known, _)| *known == name) {
        Some((_, set)) => set(machine, x, value).map(|()| true),
        None if super::property(name).is_some() => {
            fault!(AttributeError, "attribute '{name}' of 'torch._C.TensorBase' objects is not writable")
        }
        None => Ok(false),
    }
}

type Setter = fn(&mut dyn Machine, &Tensor, &Value) -> Outcome<()>;

/// The attributes that can be assigned.
const ATTRIBUTES: &[(&str, Setter)] = &[
    ("requires_grad", |_, x, value| {
        let Value::Bool(flag) = value else { fault!(RuntimeError, "requires_grad must be a bool") };
        if *flag && !differentiable(x) {
            fault!(RuntimeError, "only Tensors of floating point and complex dtype can require gradients");
        }
        if *flag && x.grad().made_by.is_some() {
            fault!(RuntimeError, "you can only change requires_grad flags of leaf variables.");
        }
        Ok(require(x, *flag)?)
    }),
    ("grad", |_, x, value| Ok(set_grad(x, value)?)),
    ("grad_dtype", |_, x, value| Ok(set_grad_dtype(x, value)?)),
    ("data", |_, x, value| match value {
        Value::Tensor(data) if x.requires_grad() && !differentiable(data) => {
            fault!(RuntimeError, "data set to a tensor that requires gradients must be floating point or complex dtype")
        }
        Value::Tensor(data) => {
            x.count_alone();
            Ok(x.replace(data.dtype(), data.form()?)?)
        }
        other => fault!(TypeError, "Variable data has to be a tensor, but got {}", other.type_name()),
    }),
    ("real", |machine, x, value| write_part(machine, x, "real", value)),
    ("imag", |machine, x, value| write_part(machine, x, "imag", value)),
];

/// The dtype that the gradient of a tensor must have; none where any will do.
fn grad_dtype(x: &Tensor) -> Option<DType> {
    x.grad().dtype.unwrap_or(Some(x.dtype()))
}

/// `x.grad_dtype = value`.
fn set_grad_dtype(x: &Tensor, value: &Value) -> Result<()> {
    let dtype = match value {
        Value::None => None,
        Value::DType(dtype) => Some(*dtype),
        other => fault!(RuntimeError, "grad_dtype must be a torch.dtype or None, but got {}", other.type_name()),
    };
    let slot = x.grad();
    if slot.made_by.is_some() {
        fault!(RuntimeError, "grad_dtype can only be set on leaf tensors.");
    }
    if let (Some(dtype), Some(grad)) = (dtype, &slot.grad)
        && grad.dtype() != dtype
    {
        fault!(
            RuntimeError,
            "Cannot set grad_dtype to '{}' because there is already a gradient with dtype '{}'. Please clear the gradient (.grad = None) before changing grad_dtype, or ensure the new grad_dtype matches the existing gradient's dtype.",
            dtype.title(),
            grad.dtype().c_name()
        );
    }
    x.set_grad(Grad { dtype: Some(dtype), ..slot });
    Ok(())
}

/// `x.grad = value`.
fn set_grad(x: &Tensor, value: &Value) -> Result<()> {
    let grad = match value {
        Value::None => None,
        Value::Tensor(grad) => Some(grad.clone()),
        other => fault!(TypeError, "assigned grad expected to be a Tensor or None but got grad of type {}", other.type_name()),
    };
    if let Some(grad) = &grad {
        if grad.same(x) {
            fault!(RuntimeError, "can't assign Variable as its own grad");
        }
        if let Some(wanted) = grad_dtype(x).filter(|wanted| *wanted != grad.dtype()) {
            fault!(
                RuntimeError,
                "attempting to assign a gradient with dtype '{}' to a tensor with grad_dtype '{}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream systems that assume they match.",
                grad.dtype().c_name(),
                wanted.title()
            );
        }
        if grad.sizes() != x.sizes() {
            fault!(
                RuntimeError,
                "attempting to assign a gradient of size '{:?}' to a tensor of size '{:?}'. \
                 Please ensure that the gradient and the tensor are the same size",
                grad.sizes().as_slice(),
                x.sizes().as_slice()
            );
        }
    }
    x.set_grad(Grad { grad, ..x.grad() });
    Ok(())
}

/// `x.real = value`: writes through the view.
fn write_part(machine: &mut dyn Machine, x: &Tensor, part: &str, value: &Value) -> Outcome<()> {
    let Some(set) = super::property(part) else { fault!(AttributeError, "attribute '{part}' is not writable") };
    if let Value::BigInt(_) = value {
        fault!(ValueError, "Overflow when unpacking long long");
    }
    let view = super::call(machine, set, true, CallArgs::positional(vec![x.clone().into()]))?;
    let dtype = x.dtype().to_real();
    match (value, value.as_number()) {
        (_, Some(number)) => exec::check_fits(number, dtype)?,
        (Value::Tensor(_), _) => {}
        _ => fault!(TypeError, "can't assign a {} to a {}", value.type_name(), c_type_name(dtype)),
    }
    super::call_method(machine, "copy_", vec![view, value.clone()])?;
    Ok(())
}
