//! Results that belong somewhere: into `out=`, which takes their size, be it what the operation reads.

use super::in_turn::{one_by_one, sees_itself, up_to_zero};
use super::out::{
    self,
    cells::{self, Cells},
    itself, recorded,
    rules::{First, Lies, Rule},
    shape,
};
use super::run::run_form;
use super::{Args, Form, OpSet, create, exec, rare, warning};
use crate::layout::Layout;
use crate::tensor::Tensor;
use crate::value::{Machine, Value};
use anyhow::Result;

/// Runs the form; with `out`, writes the result there.
pub fn form(machine: &mut dyn Machine, set: &OpSet, args: &Args) -> Result<Value> {
    if matches!(args.out, Value::None) {
        return run_form(machine, args);
    }
    if let Value::Tensor(target) = &args.out
        && sees_itself(args, target)
    {
        one_by_one(machine, set, args, target, target.dtype().size())?;
        return Ok(args.out.clone());
    }
    if is_written_at_once(args)? {
        return Ok(args.out.clone());
    }
    let outputs = warning::outputs(args);
    // What is promised in the scope is computed straight into `out`.
    let scope = exec::Scope::open();
    let written = form_into(machine, set, args)?;
    scope.close()?;
    ask_gradient(args)?;
    warning::tell_resized(machine, set.name, outputs)?;
    warning::tell_late(machine, set, args)?;
    Ok(written)
}

/// A function that makes a tensor asks for its gradient where it is told to, be it one that was given as `out`.
fn ask_gradient(args: &Args) -> Result<()> {
    match (&args.out, args.named("requires_grad")) {
        (Value::Tensor(target), Value::Bool(true)) => create::options::ask_gradient(target),
        _ => Ok(()),
    }
}

/// Writes a pointwise operation on tensors that lie as `out` does; false for all else, which is not simple.
fn is_written_at_once(args: &Args) -> Result<bool> {
    let is_usual = |value: &Value| match value {
        Value::Tensor(t) => t.is_ordinary() && !rare::is_rare(t.dtype()) && !t.dtype().is_half_complex(),
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
    out::order::check_first(args)?;
    let in_its_dtype = shape::in_its_dtype(args)?;
    let args = in_its_dtype.as_ref().unwrap_or(args);
    let computed = run_form(machine, args).map_err(|error| {
        let error = out::order::left_by_error(args, error);
        match args.target() {
            Some(target) => up_to_zero(machine, set, args, &target, error),
            None => error,
        }
    })?;
    match (&args.out, computed) {
        (Value::Tensor(target), Value::Tensor(result)) => {
            let is_target = |v: &Value| matches!(v, Value::Tensor(t) if t.same(target));
            let is_read = args.values.iter().any(|v| is_target(v) || v.items().is_some_and(|items| items.iter().any(is_target)));
            if out::sharing::keeps_size(args, target) {
                out::order::look_at(args, Some(result.dtype()).filter(|_| Rule::of(args).first == First::DType), target)?;
                require_sizes(target, &result.sizes())?;
            }
            if write_shared(machine, args, target, &result)? || write_in_turn(machine, set, args, target, &result)? {
                return Ok(args.out.clone());
            }
            match itself::left_by_itself(args, target).filter(|_| is_read) {
                None if shape::is_forgotten(args) => {}
                None => {
                    write_out(set, args, target, &result)?;
                    read_again(machine, set, args, target)?;
                }
                Some(itself::Left::Number(number)) => {
                    write_out(set, args, target, &result)?;
                    begin_again(machine, set, args, target)?;
                    exec::fill(target, number)?;
                }
                Some(itself::Left::Elements) => {
                    out::check(args, result.dtype(), target)?;
                    exec::resize(target, &result.sizes())?;
                    begin_again(machine, set, args, target)?;
                }
                Some(itself::Left::Again) => {
                    out::check(args, result.dtype(), target)?;
                    exec::resize(target, &result.sizes())?;
                    if let Value::Tensor(again) = run_form(machine, args)? {
                        write_out(set, args, target, &again)?;
                    }
                }
            }
            Ok(args.out.clone())
        }
        (Value::Tensor(_), _) if set.name == "nonzero" => {
            fault!(RuntimeError, "nonzero does not support the out kwarg when as_tuple is True")
        }
        (targets, results) => {
            let several = targets.items().filter(|_| set.name != "nonzero");
            let (Some(targets), Some(results)) = (several, results.sequence()) else {
                fault!(TypeError, "{}(): argument 'out' must be Tensor, not {}", set.name, targets.type_name());
            };
            let listed = args.op.schema()?.returns.first().is_some_and(|first| first.kind.list.is_some());
            if listed && targets.len() != results.len() {
                let (name, given) = (out::dtypes::list_name(set.name), targets.len());
                fault!(RuntimeError, "{name} expected an out= argument of size {}, got size {given}", results.len());
            }
            let pairs = targets.iter().zip(&results).filter_map(|pair| match pair {
                (Value::Tensor(target), Value::Tensor(result)) => Some((target, result)),
                _ => None,
            });
            if Rule::of(args).first == First::Sharing {
                pairs.clone().try_for_each(|(target, _)| out::sharing::check_shared(args, target))?;
            }
            out::dtypes::check_indices(args, &targets)?;
            // All are looked at before one is written.
            let turns = shape::turns(args);
            let looked_at: Vec<_> = pairs.clone().collect();
            let every: Vec<usize> = (0..looked_at.len()).collect();
            for (target, result) in turns.unwrap_or(&every).iter().filter_map(|place| looked_at.get(*place)) {
                out::dtypes::check_part(args, result.dtype(), target)?;
                recorded::refuse_target(set, args, target)?;
                if turns.is_some() && target.sizes() != result.sizes() {
                    shape::lay(target, &shape::layout_for(args, result, target))?;
                }
            }
            let is_read = |target: &Tensor| args.tensors().iter().any(|t| t.same(target));
            let sees_again = itself::sees_what_is_left(args) && pairs.clone().any(|(target, _)| is_read(target));
            if !sees_again {
                pairs.clone().try_for_each(|(target, result)| write_out(set, args, target, result))?;
            } else {
                // All have their sizes before one is computed.
                pairs.clone().try_for_each(|(target, result)| exec::resize(target, &result.sizes()))?;
                let again = run_form(machine, args)?.sequence().unwrap_or_default();
                for (target, result) in targets.iter().zip(&again) {
                    if let (Value::Tensor(target), Value::Tensor(result)) = (target, result) {
                        exec::resize(target, &result.sizes())?;
                        exec::copy(target, result)?;
                    }
                }
            }
            Ok(if listed { Value::None } else { Value::tuple(targets) })
        }
    }
}

/// Writes to an `out` some of whose elements are one cell, for functions that do not look; false where that is refused.
fn write_shared(machine: &mut dyn Machine, args: &Args, target: &Tensor, result: &Tensor) -> Result<bool> {
    let cells = cells::shared(args, target, result);
    if cells == Cells::Refused {
        return Ok(false);
    }
    out::check(args, result.dtype(), target)?;
    if cells != Cells::Reduced {
        return cells::write(target, result, cells).map(|()| true);
    }
    let Some((again, written)) = cells::reducing_all(args, target)? else { return Ok(false) };
    if let Value::Tensor(all) = run_form(machine, &again)? {
        exec::copy(&written, &all)?;
    }
    Ok(true)
}

/// Writes one after another the elements of a function of elements to an `out` that takes another size and then lies where the function
/// reads, unseen by the looks that refuse such; false for all others.
fn write_in_turn(machine: &mut dyn Machine, set: &OpSet, args: &Args, target: &Tensor, result: &Tensor) -> Result<bool> {
    let is_read = |t: &Tensor| !t.same(target) && exec::shares_storage(target, t);
    if !out::is_elementwise(args) || target.sizes() == result.sizes() || !args.tensors().iter().any(is_read) {
        return Ok(false);
    }
    // What a library of vectors computes is read before.
    let reads_ahead = rare::is_of_vectors(args.op.name()) || !exec::is_few(&result.layout());
    out::order::look_at(args, Some(result.dtype()), target)?;
    recorded::refuse_target(set, args, target)?;
    shape::lay(target, &shape::layout_for(args, result, target))?;
    match reads_ahead {
        true => exec::copy(target, result)?,
        false => one_by_one(machine, set, args, target, target.dtype().size())?,
    }
    Ok(true)
}

/// A reduction into the very tensor it reads sees the size that tensor was given: a dimension may be gone, and a mean is taken of
/// what is left.
fn begin_again(machine: &mut dyn Machine, set: &OpSet, args: &Args, target: &Tensor) -> Result<()> {
    if itself::looks_again(args)
        && let Value::Tensor(again) = run_form(machine, args)?
        && args.op.name() == "mean"
    {
        write_out(set, args, target, &again)?;
    }
    Ok(())
}

/// A reduction that reads some of the cells it writes finds in them what it begins with.
fn read_again(machine: &mut dyn Machine, set: &OpSet, args: &Args, target: &Tensor) -> Result<()> {
    let Some(itself::Left::Number(number)) = itself::left_by_itself(args, target) else { return Ok(()) };
    if matches!(args.value(0), Value::Tensor(x) if exec::refuse_shared(target, x).is_err()) {
        exec::fill(target, number)?;
        if let Value::Tensor(again) = run_form(machine, args)? {
            write_out(set, args, target, &again)?;
        }
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
    let rule = Rule::of(args);
    match rule.first {
        First::Sharing => {
            out::sharing::check_shared(args, target)?;
            shape::resize_early(args, result, target)?;
            out::check(args, result.dtype(), target)?;
        }
        First::DType => {
            out::check(args, result.dtype(), target)?;
            out::sharing::check_shared(args, target)?;
        }
        First::Size => {
            shape::resize_early(args, result, target)?;
            out::check(args, result.dtype(), target)?;
        }
    }
    recorded::refuse_target(set, args, target)?;
    if rule.lies == Lies::AsBefore {
        return exec::copy(target, result);
    }
    // What cannot be computed in place is copied there.
    let result = &shape::laid_as_target(args, result, target)?;
    if target.sizes() != result.sizes() || shape::is_laid_anew(args, result, target) {
        shape::lay(target, &shape::layout_for(args, result, target))?;
    }
    if rule.first == First::Size {
        out::sharing::check_shared(args, target)?;
    }
    out::sharing::check_copied(args, target)?;
    if rule.fills && target.numel() > 0 {
        return exec::fill(target, exec::item(&result.alias(Layout::new(&[], &[], result.layout().offset))?)?);
    }
    let in_order = Layout { offset: target.layout().offset, ..Layout::contiguous(&target.sizes()) };
    match shape::writes_in_order(args.op) && !target.layout().is_contiguous() {
        true => exec::copy(&target.alias(in_order)?, result),
        false => exec::copy(target, result),
    }
}
