//! Results that belong somewhere: into `out=`, which takes their size, be it what the operation reads.

use super::run::run_form;
use super::{Args, Form, OpSet, exec, out, out_order, rare, recorded_out};
use crate::dtype::DType;
use crate::layout::Layout;
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
    out_order::check_first(args)?;
    let in_its_dtype = out::in_its_dtype(args)?;
    let args = in_its_dtype.as_ref().unwrap_or(args);
    let computed = run_form(machine, args).or_else(|error| out_order::left_by_error(args, error))?;
    match (&args.out, computed) {
        (Value::Tensor(target), Value::Tensor(result)) => {
            let is_read = args.values.iter().any(|v| matches!(v, Value::Tensor(t) if t.same(target)));
            if is_read && out::is_elementwise(args) {
                require_sizes(target, &result.sizes())?;
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
            let pairs = targets.iter().zip(&results).filter_map(|pair| match pair {
                (Value::Tensor(target), Value::Tensor(result)) => Some((target, result)),
                _ => None,
            });
            // All are looked at before one is written.
            for (target, result) in pairs.clone() {
                recorded_out::refuse_target(set, args, target)?;
                out::check_part(args, result.dtype(), target)?;
            }
            for (target, result) in pairs {
                write_out(set, args, target, result)?;
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
pub fn require_sizes(target: &Tensor, wanted: &[i64]) -> Result<()> {
    if *target.sizes() != *wanted {
        fault!(RuntimeError, "output with shape {:?} doesn't match the broadcast shape {wanted:?}", target.sizes().as_slice());
    }
    Ok(())
}

/// Writes a result into `out=`, which takes the result's size when it has another one.
fn write_out(set: &OpSet, args: &Args, target: &Tensor, result: &Tensor) -> Result<()> {
    recorded_out::refuse_target(set, args, target)?;
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
