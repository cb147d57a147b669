//! Which dtypes `out` may have.

use super::rules::{First, Rule, Takes, kernel_name};
use super::sharing::check_shared;
use crate::diag::{ErrorClass, Fault};
use crate::dtype::{DType, can_cast};
use crate::layout::Dims;
use crate::ops::create::spoken::type_name;
use crate::ops::{Args, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// Fails with a `RuntimeError` when the result of a call may not be written into an `out` of this dtype.
pub fn check(args: &Args, result: DType, target: &Tensor) -> Result<()> {
    let (out, name, rule) = (target.dtype(), kernel_name(args), Rule::of(args));
    if name == "nanmean" && !result.is_integral(true) && !out.is_float() {
        fault!(NotImplementedError, "\"nansum_cpu\" not implemented for '{}'", out.title());
    }
    let flags = matches!(name, "all" | "any") && matches!((result, out), (_, DType::U8) | (DType::U8, DType::Bool));
    if flags || result == out || rule.takes() == Takes::Any {
        return Ok(());
    }
    let has_tensor = args.values.iter().skip(1).any(|bound| matches!(bound, Value::Tensor(_)));
    if name.starts_with("clamp") && has_tensor || is_weighed_by_number(args) {
        return exec::require_cast(result, out);
    }
    refuse_apart(args, result, target)?;
    if rule.takes() == Takes::Casts && can_cast(result, out) {
        return Ok(());
    }
    match own_words(&rule, args.op.name(), result, out) {
        Some(refused) => Err(refused.into()),
        None if rule.takes() == Takes::Casts => exec::require_cast(result, out),
        None => require_same(result, out),
    }
}

/// True for `lerp` with a number, which casts its result.
pub fn is_weighed_by_number(args: &Args) -> bool {
    args.op.name() == "lerp" && !matches!(args.value(2), Value::Tensor(_))
}

/// Fails with a `RuntimeError` in the words that a function has for some of its calls alone.
fn refuse_apart(args: &Args, result: DType, target: &Tensor) -> Result<()> {
    let out = target.dtype();
    let ndim = if let Value::Tensor(x) = args.value(0) { x.ndim() } else { 0 };
    let params = &args.op.schema()?.params;
    let (whole, of_one) = (!params.iter().any(|p| p.name == "dim"), params.len() == 1);
    let (from, to, fits) = (result.title(), out.title(), can_cast(result, out));
    match kernel_name(args) {
        "diff" if matches!(args.value(1), Value::Int(0)) => {
            fault!(RuntimeError, "expected scalar_type {from} but found {to}")
        }
        "diag" if ndim == 1 && !fits => {
            fault!(RuntimeError, "diag: result type {from} can't be cast to the desired out= type {to}")
        }
        "mean" if whole && !fits => {
            fault!(RuntimeError, "mean.dtype_out(): input types can't be cast to the desired output type {to}")
        }
        "mean" if !whole && out.is_integral(true) => {
            fault!(RuntimeError, "result type Float can't be cast to the desired output type {to}")
        }
        "max" | "min" if of_one && !fits => fault!(
            RuntimeError,
            "Expected canCast( typeMetaToScalarType(self.dtype()), typeMetaToScalarType(out.dtype())) to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
        ),
        "mv" if target.numel() == 1 || target.sizes() == rows_of(args) => {
            fault!(RuntimeError, "addmv input tensors must have the same dtype, but got {to}, {from}, and {from}")
        }
        "mvlgamma" if !fits => {
            let of = args.get::<Tensor>(0)?.dtype().title();
            fault!(RuntimeError, "mvlgamma: result type {of} can't be cast to the desired output type {from}")
        }
        _ => Ok(()),
    }
}

/// The size of a product with a vector.
fn rows_of(args: &Args) -> Dims {
    if let Value::Tensor(x) = args.value(0) { x.sizes().iter().take(1).copied().collect() } else { Dims::new() }
}

/// Fails with a `RuntimeError` when the result of an elementwise function cannot be cast to the dtype of what it is written to.
pub fn require_cast(name: &str, result: DType, out: DType) -> Result<()> {
    let rule = Rule::named(name);
    // Of complex powers it is the product that is refused.
    let is_product = name == "ldexp" && result.is_complex();
    let has_words = !is_product && result != out && (rule.is_same() || !can_cast(result, out));
    match own_words(&rule, name, result, out).filter(|_| has_words) {
        Some(refused) => Err(refused.into()),
        None => exec::require_cast(result, out),
    }
}

/// What a function says of an `out` of another dtype, where it has words of its own.
fn own_words(rule: &Rule, name: &str, result: DType, out: DType) -> Option<Fault> {
    let short = name.rsplit('.').next().unwrap_or_default();
    let text = rule.says?.replace("{result}", result.title()).replace("{out}", out.title()).replace("{name}", name);
    let text = text.replace("{c_result}", result.c_name()).replace("{c_out}", out.c_name()).replace("{short}", short);
    let class = if text.starts_with("torch.cat()") { ErrorClass::TypeError } else { ErrorClass::RuntimeError };
    Some(Fault::new(class, text))
}

/// Fails with a `RuntimeError` when an `out` has another dtype than the result.
pub fn require_same(result: DType, out: DType) -> Result<()> {
    if result == out {
        return Ok(());
    }
    fault!(RuntimeError, "Expected out tensor to have dtype {}, but got {} instead", result.c_name(), out.c_name())
}

/// As [`check`], for one of the tensors that an `out` of several has: the dtype of the result but for a few functions.
pub fn check_part(args: &Args, result: DType, target: &Tensor) -> Result<()> {
    let out = target.dtype();
    match args.op.name() {
        "median" | "nanmedian" if result != out => fault!(
            RuntimeError,
            "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type {} does not equal {} (while checking arguments for median)",
            type_name(out),
            type_name(result)
        ),
        "mode" if result != out => {
            fault!(RuntimeError, "expected scalar type '{}' but got '{}' for values output", result.title(), out.title())
        }
        "kthvalue" if result != out => fault!(RuntimeError, "output values must be of same type as input"),
        "frexp" if result != out => {
            let wanted = match result {
                DType::I32 => "exponent to have int dtype".to_string(),
                _ => format!("mantissa to have dtype {}", result.c_name()),
            };
            fault!(RuntimeError, "torch.frexp() expects {wanted} but got {}", out.c_name())
        }
        "cummax" | "cummin" | "geqrf" | "linalg.eig" | "linalg.lstsq" | "lu" | "split_copy" => check(args, result, target),
        _ => require_same(result, out),
    }
}

/// What a function that writes to a list of tensors is called where the list has the wrong length.
pub fn list_name(name: &str) -> String {
    match name {
        "split_copy" => "split_copy_Tensor_out()".into(),
        "unbind_copy" => "unbind_copy_int_out".into(),
        _ => format!("{name}_out"),
    }
}

/// Fails with a `RuntimeError` when the indices of an `out` of values and indices are not of int64; they are looked at first.
pub fn check_indices(args: &Args, targets: &[Value]) -> Result<()> {
    let Some(Value::Tensor(indices)) = targets.get(1).filter(|i| matches!(i, Value::Tensor(i) if i.dtype() != DType::I64)) else {
        return Ok(());
    };
    let dtype = indices.dtype();
    match args.op.name() {
        "median" | "nanmedian" => fault!(
            RuntimeError,
            "Expected tensor for argument #1 'indices' to have scalar type Long; but got {} instead (while checking arguments for median)",
            type_name(dtype)
        ),
        "cummax" | "cummin" | "kthvalue" | "mode" => {
            // The values are looked at before them.
            if let (Value::Tensor(x), Some(Value::Tensor(values))) = (args.value(0), targets.first()) {
                check_part(args, x.dtype(), values)?;
            }
            match args.op.name() {
                "mode" => fault!(RuntimeError, "expected scalar type 'Long' but got '{}' for indices output", dtype.title()),
                "cummax" | "cummin" => fault!(RuntimeError, "expected scalar_type Long but found {}", dtype.title()),
                _ => fault!(RuntimeError, "output indices must be of scalar type Long"),
            }
        }
        _ => Ok(()),
    }
}

/// Fails as writing values of this dtype and their indices would, for functions that look at `out` before anything else.
pub fn check_targets(args: &Args, values: DType) -> Result<()> {
    let Some(targets) = args.out.items() else { return Ok(()) };
    if let (First::Sharing, Some(Value::Tensor(target))) = (Rule::of(args).first, targets.first()) {
        check_shared(args, target)?;
    }
    check_indices(args, &targets)?;
    match targets.first() {
        Some(Value::Tensor(target)) => check_part(args, values, target),
        _ => Ok(()),
    }
}
