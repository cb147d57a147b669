//! Results that belong somewhere: into `out=`, which takes their size, be it what the operation reads.

use super::run::run_form;
use super::{Args, Form, OpSet, exec, out, rare};
use crate::dtype::DType;
use crate::layout::Layout;
use crate::settings;
use crate::tensor::{Form as TensorForm, Strided, Tensor};
use crate::value::{Machine, Value};
use anyhow::Result;
use std::rc::Rc;

/// Runs the form; with `out`, writes the result there.
pub fn form(machine: &mut dyn Machine, set: &OpSet, args: &Args) -> Result<Value> {
    if matches!(args.out, Value::None) {
        return run_form(machine, args);
    }
    if is_written_at_once(args)? {
        return Ok(args.out.clone());
    }
    // What is promised in the scope is computed straight into `out`.
    let scope = exec::Scope::open();
    let written = form_into(machine, set, args)?;
    scope.close()?;
    Ok(written)
}

/// Writes a pointwise operation on tensors that lie as `out` does; false for all else, which is not simple.
fn is_written_at_once(args: &Args) -> Result<bool> {
    let is_usual = |value: &Value| match value {
        Value::Tensor(t) => t.is_ordinary() && !rare::is_rare(t.dtype()) && t.dtype() != DType::C32,
        _ => true,
    };
    match (&args.op.form, &args.out) {
        (Form::Map(map), Value::Tensor(target)) if args.values.iter().chain([&args.out]).all(is_usual) => {
            map.apply_at_once(args, target)
        }
        _ => Ok(false),
    }
}

/// Runs the form in a scope of its own and writes.
fn form_into(machine: &mut dyn Machine, set: &OpSet, args: &Args) -> Result<Value> {
    out::check_first(args)?;
    let in_its_dtype = out::in_its_dtype(args)?;
    let args = in_its_dtype.as_ref().unwrap_or(args);
    let computed = run_form(machine, args).or_else(|error| out::resize_unsolved(args, error))?;
    match (&args.out, computed) {
        (Value::Tensor(target), Value::Tensor(result)) => {
            let is_read = args.values.iter().any(|v| matches!(v, Value::Tensor(t) if t.same(target)));
            if is_read && out::is_elementwise(args) {
                require_sizes(target, &result)?;
            }
            match out::left_by_itself(args, target).filter(|_| is_read) {
                None if out::is_forgotten(args) => {}
                None => write_out(set, args, target, &result)?,
                Some(out::Left::Number(number)) => {
                    write_out(set, args, target, &result)?;
                    begin_again(machine, set, args, target)?;
                    exec::fill(target, number)?;
                }
                Some(out::Left::Elements) => {
                    out::check(args, result.dtype(), target)?;
                    exec::resize(target, &result.sizes())?;
                    begin_again(machine, set, args, target)?;
                }
            }
            Ok(args.out.clone())
        }
        (targets, results) => {
            let several = targets.items().filter(|_| set.name != "nonzero");
            let (Some(targets), Some(results)) = (several, results.sequence()) else {
                fault!(TypeError, "{}(): argument 'out' must be Tensor, not {}", set.name, targets.type_name());
            };
            let listed = args.op.schema()?.returns.first().is_some_and(|first| first.kind.list.is_some());
            if listed && targets.len() != results.len() {
                let (name, given) = (out::list_name(set.name), targets.len());
                fault!(RuntimeError, "{name} expected an out= argument of size {}, got size {given}", results.len());
            }
            out::check_indices(args, &targets)?;
            for (target, result) in targets.iter().zip(&results) {
                if let (Value::Tensor(target), Value::Tensor(result)) = (target, result) {
                    out::check_part(args, result.dtype(), target)?;
                    write_out(set, args, target, result)?;
                }
            }
            Ok(if listed { Value::None } else { Value::tuple(targets) })
        }
    }
}

/// A reduction into the very tensor it reads sees the size that tensor was given: a dimension may be gone, and a mean is taken of
/// what is left.
fn begin_again(machine: &mut dyn Machine, set: &OpSet, args: &Args, target: &Tensor) -> Result<()> {
    if out::looks_again(args)
        && let Value::Tensor(again) = run_form(machine, args)?
        && args.op.name() == "mean"
    {
        write_out(set, args, target, &again)?;
    }
    Ok(())
}

/// Fails where a result would not fit a tensor that may not be resized: one that is read, too.
pub fn require_sizes(target: &Tensor, result: &Tensor) -> Result<()> {
    if result.sizes() != target.sizes() {
        fault!(
            RuntimeError,
            "output with shape {:?} doesn't match the broadcast shape {:?}",
            target.sizes().as_slice(),
            result.sizes().as_slice()
        );
    }
    Ok(())
}

/// What PyTorch writes to `out=` by steps of its own, and does not refuse then.
#[rustfmt::skip] // a list of names
const UNREFUSED: &[&str] = &[
    "chain_matmul", "conj_physical", "diag", "floor_divide", "heaviside", "inner", "linalg.cond", "linalg.matrix_norm",
    "linalg.matrix_power", "linalg.norm", "log_softmax", "matrix_power", "nanquantile", "nuclear_norm", "quantile", "slice_scatter",
    "softmax", "special.ndtr", "tensordot",
];

/// Fails with a `RuntimeError` when what is written to `out=` would have to be recorded.
pub fn refuse_recorded(set: &OpSet, args: &Args) -> Result<()> {
    let is_derived = set.rows.iter().any(|op| !op.gradients.is_empty());
    let takes = |t: &Tensor| is_derived || t.dtype().is_float() || t.dtype().is_complex();
    let records = |value: &Value| matches!(value, Value::Tensor(t) if takes(t));
    let first = args.out.sequence().and_then(|items| items.first().cloned()).unwrap_or_else(|| args.out.clone());
    let records = |value: &Value| records(value) && !UNREFUSED.contains(&set.name) && !set.name.ends_with("_copy");
    match records(&first) && args.any_tensor(Tensor::requires_grad) && settings::with(|s| s.grad_enabled) {
        true => refuse_gradients(set),
        false => Ok(()),
    }
}

fn refuse_gradients(set: &OpSet) -> Result<()> {
    fault!(
        RuntimeError,
        "{}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad.",
        set.rows.first().map_or(set.name, |op| op.name()).replace('.', "_")
    )
}

/// Writes a result into `out=`, which takes the result's size when it has another one.
fn write_out(set: &OpSet, args: &Args, target: &Tensor, result: &Tensor) -> Result<()> {
    if target.requires_grad() && settings::with(|s| s.grad_enabled) {
        return refuse_gradients(set);
    }
    if !out::is_resized_first(args) {
        out::check_shared(args, target)?;
    }
    out::resize_early(args, result, target)?;
    out::check(args, result.dtype(), target)?;
    // What cannot be computed in place is copied there.
    let result = &out::laid_as_target(args, result, target)?;
    let apart = result.numel() == 0 && (target.numel() > 0 || target.dtype() != result.dtype());
    let laid_anew = out::is_row(args) || target.numel() == 0 && out::orders_nothing(args.op);
    if target.sizes() != result.sizes() || laid_anew {
        exec::resize(target, &result.sizes())?;
        let strided = target.strided()?;
        let sizes = result.sizes();
        let own = out::own_layout(args, result).unwrap_or_else(|| (*result.layout()).clone());
        let strides = match out::keeps_strides(args, apart) && !out::is_row(args) {
            true => own.preserved_strides(),
            false => Layout::contiguous(&sizes).strides,
        };
        let layout = Layout::new(&sizes, &strides, strided.layout.offset);
        target.replace(target.dtype(), TensorForm::Strided(Strided { layout: Rc::new(layout), ..strided }))?;
    }
    if out::is_resized_first(args) {
        out::check_shared(args, target)?;
    }
    let in_order = Layout { offset: target.layout().offset, ..Layout::contiguous(&target.sizes()) };
    match out::writes_in_order(args.op) && !target.layout().is_contiguous() {
        true => exec::copy(&target.alias(in_order)?, result),
        false => exec::copy(target, result),
    }
}
