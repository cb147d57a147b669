//! Calls with sparse tensors: on coordinates, on values, by a text, or through dense tensors.

use super::said::said;
use super::{
    again, backend, coded, dense, emptied, has_gradient, is_by_value, kernel_name, overwrite, permuted, refuse, result_kind,
    take_values, with_values,
};
use crate::layout::Layout;
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
        fault!(
            NotImplementedError,
            "Could not run 'aten::{}' with arguments from the '{}' backend. There is no sparse form of it; call .to_dense() first",
            kernel_name(args, in_place),
            backend(args)
        );
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
const CHECKED: &[&str] = &["cdist", "chain_matmul", "cholesky_solve", "cross", "einsum", "linalg.multi_dot", "tensordot"];

/// The same call of dense tensors of one cell, which have the sizes and dtypes of those that are given.
fn stand_ins(args: &Args) -> Result<Args> {
    let stand_in = |x: &Tensor| -> Result<Tensor> {
        let cell = exec::zeros(&[1], x.dtype(), x.device())?;
        cell.alias(Layout::new(&x.sizes(), &vec![0; x.ndim()], 0))
    };
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
        fault!(NotImplementedError, "Could not run 'aten::{}_' with arguments from the 'SparseCPU' backend.", args.op.name());
    };
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
    overwrite(target, &result, args)?;
    Ok(original)
}
