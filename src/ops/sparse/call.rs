//! Calls with sparse tensors: on coordinates, on values, by a text, or through dense tensors.

use super::resize::resize_compressed;
use super::said::said;
use super::{
    again, backend, coded, dense, emptied, has_gradient, is_by_value, kernel_name, overwrite, permuted, refuse, result_kind,
    take_values, with_values,
};
use crate::device::no_kernel;
use crate::dtype::DType;
use crate::layout::Layout;
use crate::ops::guard::refuse_leaf_write;
use crate::ops::into::form;
use crate::ops::run::{note_gradient, run_form};
use crate::ops::{Args, OpSet, exec};
use crate::settings;
use crate::tensor::{SparseKind, Tensor};
use crate::value::{Machine, Value};
use anyhow::Result;

/// Runs an operation with sparse tensors, and records it as a whole where its gradient is one of whole tensors.
pub(in crate::ops) fn call(machine: &mut dyn Machine, set: &OpSet, args: &mut Args) -> Result<Value> {
    let records = has_gradient(set) && settings::with(|s| s.grad_enabled) && args.any_tensor(Tensor::requires_grad);
    if !records {
        return run(machine, set, args, false);
    }
    let given = Args { op: args.op, values: args.values.clone(), out: Value::None, inplace: false };
    let before = settings::change(|s| std::mem::replace(&mut s.grad_enabled, false));
    let result = run(machine, set, args, false);
    settings::change(|s| s.grad_enabled = before);
    let result = result?;
    note_gradient(set, &given, &result, None)?;
    Ok(result)
}

/// Runs an operation on the coordinates or on the values of a sparse tensor alone, or else through dense tensors where PyTorch has
/// a sparse form of it.
fn run(machine: &mut dyn Machine, set: &OpSet, args: &mut Args, in_place: bool) -> Result<Value> {
    if let (true, Value::Tensor(target)) = (set.inplace || args.op.schema()?.writes, args.value(0)) {
        refuse_leaf_write(target, None)?;
    }
    if let ("expand_as" | "reshape_as" | "view_as", [Value::Tensor(x), Value::Tensor(like)]) = (set.name, &args.values[..])
        && !x.is_sparse()
    {
        args.values[1] = stand_in(like, like.dtype())?.into();
        return form(machine, set, args);
    }
    // What compares tensors looks at their layouts itself.
    if set.name == "testing.assert_close" {
        return form(machine, set, args);
    }
    if set.name == "einsum" {
        run_form(machine, &stand_ins(args)?)?;
    }
    if set.name == "resize_"
        && let Some(resized) = resize_compressed(args)?
    {
        return Ok(resized);
    }
    refuse(args)?;
    if let ("zero_", Value::Tensor(target)) = (set.name, args.value(0)) {
        let (text, names) = emptied(target);
        let empty = machine.eval_code(text, &names)?;
        overwrite(target, &empty, args)?;
        return Ok(args.value(0).clone());
    }
    if set.inplace {
        return replace(machine, args);
    }
    if let Some(turned) = permuted(args)? {
        return Ok(turned);
    }
    if let Some((text, names)) = coded(set, args)? {
        return Ok(machine.eval_code(text, &names)?);
    }
    if let Some(sparse) = take_values(set, args)? {
        return Ok(match form(machine, set, args)? {
            Value::Tensor(values) => with_values(&sparse, values),
            other => other,
        });
    }
    let Some(result) = result_kind(set, args) else {
        if CHECKED.contains(&args.op.name()) {
            run_form(machine, &stand_ins(args)?)?;
        }
        if let Some(error) = said(args, in_place) {
            return Err(error);
        }
        return Err(no_kernel(&kernel_name(args, in_place), backend(args)));
    };
    for value in &mut args.values {
        if let Value::Tensor(t) = value {
            *t = dense(t)?;
        }
    }
    match (form(machine, set, args)?, result) {
        (Value::Tensor(t), Some(kind)) => again(&t, kind),
        (dense, _) => Ok(dense),
    }
}

/// Operations that look at sizes and dtypes before they come to what has no sparse form.
const CHECKED: &[&str] =
    &["cdist", "chain_matmul", "cholesky_solve", "complex", "linalg.multi_dot", "logdet", "polar", "tensordot"];

/// A dense tensor of one cell that has the sizes of another tensor.
fn stand_in(x: &Tensor, dtype: DType) -> Result<Tensor> {
    let cell = exec::zeros(&[1], dtype, x.device())?;
    cell.alias(Layout::new(&x.sizes(), &vec![0; x.ndim()], 0))
}

/// The same call of dense tensors of one cell, which have the sizes and dtypes of those that are given; but for those of one dtype whose
/// dtypes are not looked at.
fn stand_ins(args: &Args) -> Result<Args> {
    let ignores_dtypes = args.op.name() == "einsum";
    let stand_in = |x: &Tensor| stand_in(x, if ignores_dtypes { DType::F32 } else { x.dtype() });
    let mut values = vec![];
    for value in &args.values {
        values.push(match (value, value.items()) {
            (Value::Tensor(x), _) => stand_in(x)?.into(),
            (_, Some(items)) if items.iter().all(|item| matches!(item, Value::Tensor(_))) => {
                let tensors = items.iter().filter_map(|item| if let Value::Tensor(x) = item { Some(x) } else { None });
                let tensors = tensors.map(|x| stand_in(x).map(Value::Tensor)).collect::<Result<Vec<_>>>()?;
                if let Value::Tuple(_) = value { Value::tuple(tensors) } else { Value::list(tensors) }
            }
            _ => value.clone(),
        });
    }
    Ok(Args { op: args.op, values: values.into(), out: Value::None, inplace: false })
}

/// `x.f_(…)` of a sparse tensor: it becomes what `x.f(…)` gives.
fn replace(machine: &mut dyn Machine, args: &mut Args) -> Result<Value> {
    let original = args.value(0).clone();
    let (Some(set), Value::Tensor(target)) = (crate::ops::function(args.op.name()), &original) else {
        return Err(no_kernel(&format!("{}_", args.op.name()), "SparseCPU"));
    };
    if matches!(args.op.name(), "pow" | "square") && target.sparse().is_some_and(|s| s.kind == SparseKind::Coo) {
        return Err(no_kernel("pow_.Scalar", "SparseCPU"));
    }
    if args.values.len() == 1 && is_by_value(args.op.name(), SparseKind::Coo) {
        if args.op.name() == "abs" && target.dtype().is_complex() {
            fault!(RuntimeError, "In-place abs is not supported for complex tensors.");
        }
        if target.sparse().is_some_and(|s| !s.coalesced) {
            fault!(RuntimeError, "{}_ requires coalesced input", args.op.name());
        }
    }
    let mut fresh = Args { op: args.op, values: args.values.clone(), out: Value::None, inplace: false };
    let result = run(machine, set, &mut fresh, true)?;
    match &result {
        // A whole tensor stays one.
        Value::Tensor(product) if !target.is_sparse() && product.is_sparse() => exec::copy(target, &dense(product)?)?,
        _ => overwrite(target, &result, args)?,
    }
    Ok(original)
}
