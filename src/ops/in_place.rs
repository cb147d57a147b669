//! What comes before the elements of a change in place are computed: sizes that do not fit, and numbers that stay as they are.

use super::into::require_sizes;
use super::run::change;
use super::{Args, OpSet, exec, out};
use crate::diag::{ErrorClass, Fault};
use crate::dtype::DType;
use crate::tensor::Tensor;
use crate::value::{Machine, Value};
use anyhow::Result;
use smallvec::SmallVec;

/// What is said of a change in place that lacks a kernel for the target's dtype: what is wrong with its sizes comes first, and is
/// found out by the same call of float32.
pub(super) fn said_first(machine: &mut dyn Machine, set: &OpSet, args: &Args, error: anyhow::Error) -> anyhow::Error {
    let is_late = error.downcast_ref::<Fault>().is_some_and(out::order::is_late);
    let Some(dtype) = args.target().filter(|_| is_late).map(|target| target.dtype()) else { return error };
    let known = if dtype.is_complex() { DType::C64 } else { DType::F32 };
    let float = |value: &Value| match value {
        Value::Tensor(t) if t.dtype() == dtype => Ok(Value::Tensor(exec::cast(t, known)?)),
        Value::DType(asked) if *asked == dtype => Ok(Value::DType(known)),
        other => Ok(other.clone()),
    };
    let Ok(values) = args.values.iter().map(float).collect::<Result<SmallVec<_>>>() else { return error };
    let trial = Args { op: args.op, values, out: Value::None, inplace: args.inplace };
    let found = trial.get(0).and_then(|target: Tensor| change(machine, set, &trial, &target));
    let of_sizes = |e: &anyhow::Error| e.downcast_ref::<Fault>().is_some_and(|f| f.class == ErrorClass::RuntimeError);
    found.err().filter(of_sizes).unwrap_or(error)
}

/// What is said of `f(x, inplace=True)` that lacks a kernel: elements of `x` that are one cell are found first.
pub(super) fn said_of_cells(args: &Args, error: anyhow::Error) -> anyhow::Error {
    let is_late = || error.downcast_ref::<Fault>().is_some_and(out::order::is_late);
    match args.value(0) {
        Value::Tensor(x) if matches!(args.named("inplace"), Value::Bool(true)) && is_late() => {
            exec::refuse_overlap(x).err().unwrap_or(error)
        }
        _ => error,
    }
}

/// True for a change in place of numbers that it leaves as they are, wherever they lie.
pub(super) fn leaves_as_is(args: &Args, target: &Tensor) -> bool {
    match args.op.name() {
        "conj_physical" => !target.dtype().is_complex(),
        "nan_to_num" => target.dtype().is_integral(true),
        _ => false,
    }
}

/// True for what is wrong with a number or a word among the arguments, which is looked at before the target is.
pub(super) fn is_said_before(args: &Args, message: &str) -> bool {
    const BEGIN: &[&str] = &[
        "Integer division with addcdiv",
        "Integers to negative integer powers",
        "div expected rounding_mode",
        "expected dtype ",
        "torch.clamp: ",
    ];
    let of_bound = args.op.name().starts_with("clamp") && message.starts_with("result type ");
    of_bound || BEGIN.iter().any(|begin| message.starts_with(begin))
}

/// True for a change in place whose result is cast to the target's dtype although its function wants that of the result: bounds
/// that are tensors.
pub(super) fn casts(args: &Args) -> bool {
    let has_tensor = args.values.iter().skip(1).any(|bound| matches!(bound, Value::Tensor(_)));
    has_tensor && matches!(args.op.name(), "clamp" | "clamp_max" | "clamp_min")
}

/// Products whose sizes PyTorch looks at before it computes, in words of its own.
const STRUCTURED: &[&str] = &["addmm", "addmv", "baddbmm"];

/// Products that PyTorch writes as into an `out`, which takes the sizes of the result.
const RESIZED: &[&str] = &["addbmm"];

/// Gives the target the sizes of the result where it takes them. Fails with a `RuntimeError` where it has others and keeps them.
pub(super) fn fit(args: &Args, target: &Tensor, result: &Tensor) -> Result<()> {
    if RESIZED.contains(&args.op.name()) && target.sizes() != result.sizes() {
        return exec::resize(target, &result.sizes());
    }
    require_sizes(target, &result.sizes())
}

/// Fails with a `RuntimeError` where such a product has other sizes than the target.
pub(super) fn check_sizes(args: &Args, target: &Tensor, result: &Tensor) -> Result<()> {
    if STRUCTURED.contains(&args.op.name()) { require_target(target, &result.sizes()) } else { Ok(()) }
}

/// Fails with a `RuntimeError` where the target of a product has other sizes than the result will have.
pub(in crate::ops) fn require_target(target: &Tensor, sizes: &[i64]) -> Result<()> {
    if target.sizes()[..] != *sizes {
        fault!(
            RuntimeError,
            "Bad in-place call: input tensor size {:?} and output tensor size {sizes:?} should match",
            target.sizes().as_slice()
        );
    }
    Ok(())
}
