//! The one way to run an operation: bind, resolve, run the form, write the result where it belongs, note what happened.

use super::args::{Args, FromValue, truth};
use super::bind::bind;
use super::guard::{
    refuse_constants, refuse_inference, refuse_inference_write, refuse_leaf_write, refuse_outdated, refuse_resize,
    refuse_whole_sums,
};
use super::into::form;
use super::named::name_results;
use super::out::{order, rules};
use super::schema::Alias;
use super::{
    ENDS_IN_VIEW, FIRST_FIXED, Form, MARKED, NO_GRAD, Op, OpSet, SPARSE, STEPWISE, WRITES_LEAVES, autocast, autograd, direct,
    exec, index, rare, recorded, sparse, trace, viewed, warning,
};
use super::{in_place, in_turn};
use crate::diag::{ErrorClass, Fault};
use crate::dtype::DType;
use crate::kernel::scalar::Rule;
use crate::layout::{Dims, MemoryFormat, wrap_dim};
use crate::settings;
use crate::tensor::{Form as TensorForm, Grad, Strided, Tensor};
use crate::value::{CallArgs, CallRef, Machine, Outcome, Value};
use anyhow::Result;
use smallvec::SmallVec;
use std::rc::Rc;

/// Calls an operation. `method` is true for `x.f(…)`, where `x` is the first positional argument.
pub fn call(machine: &mut dyn Machine, set: &'static OpSet, method: bool, args: CallArgs) -> Outcome {
    call_with(machine, set, method, args.by_ref())
}

/// As [`call`], for a caller that keeps the arguments.
pub fn call_with(machine: &mut dyn Machine, set: &'static OpSet, method: bool, args: CallRef) -> Outcome {
    if autocast::is_on()
        && let Some(result) = autocast::call(machine, set, method, args)
    {
        return result;
    }
    if args.keyword.is_empty() && direct::may_take(set) {
        let values: SmallVec<[&Value; 4]> = args.positional.iter().collect();
        if let Some(result) = direct::call(set, &values) {
            return Ok(result?);
        }
    }
    let mut bound = bind(set, method, args)?;
    let (row, schema) = (bound.op, bound.op.schema()?);
    let original = Tensor::from_value(bound.value(0));
    let ordinary = bound.are_ordinary();
    if !ordinary && !row.has(SPARSE) && bound.any_tensor(Tensor::is_sparse) {
        let args = bound.values.to_vec();
        let result = sparse::call(machine, set, &mut bound)?;
        let wrote = set.inplace || schema.writes;
        trace::note(row, || trace::Step { name: set.name, op: row, args, result: result.clone(), wrote });
        return Ok(result);
    }
    refuse(set, &bound, original.as_ref(), ordinary)?;
    if !ordinary && !row.has(MARKED) && !matches!(row.form, Form::View(_)) {
        resolve_marks(&mut bound)?;
    }
    if let Some(found) = original.as_ref().filter(|_| !ordinary).and_then(|target| asked_in_place(set, &bound, target)) {
        return beside(machine, set, &bound, found);
    }
    if !set.warnings.is_empty() {
        warning::tell(machine, set, &bound)?;
    }
    let wrote = set.inplace || !matches!(bound.out, Value::None) || schema.writes;
    if wrote && exec::is_open() {
        exec::keep_all()?;
    }
    let before = if (set.inplace || schema.writes) && !ordinary { autograd::before(&bound)? } else { None };
    let resized = if wrote { sizes_to_change(set, original.as_ref()) } else { None };
    let result = if set.inplace { in_place(machine, set, &bound, original.as_ref())? } else { form(machine, set, &bound)? };
    if wrote {
        note_written(set, &bound, original.as_ref(), resized)?;
    }
    let result = match result {
        Value::Tuple(_) => name_results(schema, set.name, !matches!(bound.out, Value::None), result),
        plain => plain,
    };
    // First: the changes that the way back compares are counted with those of what is viewed.
    note_views(row, &bound, original.as_ref(), &result)?;
    if !ordinary {
        note_gradient(set, &bound, &result, before)?;
        autograd::pack(machine)?;
    }
    if row.has(ENDS_IN_VIEW) {
        viewed::note_last_view(set, &bound, &result);
    }
    trace::note(row, || trace::Step { name: set.name, op: row, args: bound.values.to_vec(), result: result.clone(), wrote });
    Ok(result)
}

/// Refuses a call before anything is done: what gradients, constants and tensors of a fixed size forbid. `ordinary` arguments ask for none
/// of it.
fn refuse(set: &OpSet, args: &Args, original: Option<&Tensor>, ordinary: bool) -> Result<()> {
    let row = args.op;
    if !matches!(args.out, Value::None) {
        super::out::recorded::refuse_recorded(set, args)?;
    }
    if !ordinary && !row.constants.is_empty() {
        refuse_constants(args)?;
    }
    if !ordinary && !row.has(NO_GRAD) {
        if let (true, false, Some(target)) = (set.inplace, row.has(WRITES_LEAVES), original) {
            refuse_leaf_write(target, None)?;
        }
        refuse_outdated(args.tensors().iter())?;
    }
    match original.filter(|_| row.schema().is_ok_and(|schema| schema.writes) && !row.has(NO_GRAD)) {
        Some(target) => {
            refuse_resize(set.name, target)?;
            if row.has(WRITES_LEAVES) { Ok(()) } else { refuse_leaf_write(target, None) }
        }
        None => Ok(()),
    }
}

/// The first argument of `f(x, inplace=True)` that asks for a gradient, and the place of that `True`; none where the steps of the text
/// look at leaves themselves.
fn asked_in_place<'t>(set: &OpSet, args: &Args, target: &'t Tensor) -> Option<(&'t Tensor, usize)> {
    let place = args.op.schema().ok()?.params.iter().position(|param| param.name == "inplace")?;
    let asked = !set.inplace && !args.op.has(WRITES_LEAVES) && truth(args.value(place)).unwrap_or(false);
    (asked && target.requires_grad() && settings::with(|s| s.grad_enabled)).then_some((target, place))
}

/// Notes that a call wrote, and where.
fn note_written(set: &OpSet, args: &Args, original: Option<&Tensor>, resized: Option<Dims>) -> Result<()> {
    let counts = !args.op.has(STEPWISE) && !UNCOUNTED.contains(&set.name);
    if counts && resized.is_none_or(|before| sizes_to_change(set, original) != Some(before)) {
        match (&args.out, original) {
            (Value::None, Some(target)) => note_changed(target),
            (Value::None, None) => note_change(args.value(0)),
            (out, _) => note_change(out),
        }
    }
    match (&args.out, original) {
        (Value::Tensor(target), _) | (Value::None, Some(target)) => refuse_inference_write(target),
        _ => Ok(()),
    }
}

/// Notes of which tensor a result is a view.
fn note_views(row: &Op, args: &Args, original: Option<&Tensor>, result: &Value) -> Result<()> {
    if !row.schema()?.is_view {
        return Ok(());
    }
    match (args.value(0), original) {
        (_, Some(original)) => viewed::note_view(row, original, result)?,
        // Each is a view of the tensor in its place.
        (Value::Tuple(items), None) => {
            for (item, view) in items.iter().zip(result.sequence().unwrap_or_default()) {
                if let Value::Tensor(of) = item {
                    viewed::note_view(row, of, &view)?;
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// `f(x, inplace=True)` of a text whose way back reads what it changes: its result is made of a copy, and then written.
fn beside(machine: &mut dyn Machine, set: &'static OpSet, args: &Args, (target, place): (&Tensor, usize)) -> Outcome {
    refuse_leaf_write(target, None)?;
    let mut values = args.values.to_vec();
    values[0] = Value::Tensor(resolved_apart(target)?);
    values[place] = Value::Bool(false);
    let made = call(machine, set, false, CallArgs::positional(values))?;
    let Value::Tensor(result) = &made else { return Ok(made) };
    call_method(machine, "copy_", vec![Value::Tensor(target.clone()), made.clone()])?;
    if target.base().is_none() {
        let name = result.grad().name().map(recorded::written_name);
        target.set_grad(Grad::default());
        autograd::record(target, result, &name.unwrap_or_default());
    }
    Ok(Value::Tensor(target.clone()))
}

/// A copy that was made by what made the tensor.
fn resolved_apart(tensor: &Tensor) -> Result<Tensor> {
    let copy = exec::clone(tensor)?;
    autograd::refresh(tensor);
    copy.set_grad(tensor.grad());
    Ok(copy)
}

/// What changes a tensor without counting as a change of its elements.
const UNCOUNTED: &[&str] = &["apply_", "detach_", "map2_", "map_", "requires_grad_", "share_memory_"];

/// The sizes of the first argument of an operation that counts as a change only when they change.
fn sizes_to_change(set: &OpSet, original: Option<&Tensor>) -> Option<Dims> {
    match original {
        Some(t) if matches!(set.name, "resize_" | "resize_as_") => Some(t.sizes()),
        _ => None,
    }
}

/// Notes in the storages of what a call wrote that they were changed.
pub(super) fn note_change(written: &Value) {
    match written {
        Value::Tensor(t) => note_changed(t),
        other => other.items().unwrap_or_default().iter().for_each(note_change),
    }
}

/// Notes in a tensor's storage that it was changed.
pub(super) fn note_changed(tensor: &Tensor) {
    tensor.note_change();
}

/// `torch.name(…)` with arguments by place, for Rust code that composes operations.
pub fn call_function(machine: &mut dyn Machine, name: &str, args: Vec<Value>) -> Outcome {
    match super::function(name) {
        Some(set) => call(machine, set, false, CallArgs::positional(args)),
        None => Err(err!(AttributeError, "module 'torch' has no attribute '{name}'").into()),
    }
}

/// `args[0].name(…)`, for Rust code that composes operations.
pub fn call_method(machine: &mut dyn Machine, name: &str, args: Vec<Value>) -> Outcome {
    match super::method(name) {
        Some(set) => call(machine, set, true, CallArgs::positional(args)),
        None => Err(err!(AttributeError, "'Tensor' object has no attribute '{name}'").into()),
    }
}

/// The same values without marks, made by what made them.
fn resolved(tensor: &Tensor) -> Result<Tensor> {
    let plain = exec::resolve(tensor)?;
    if tensor.requires_grad() {
        autograd::refresh(tensor);
        let grad = tensor.grad();
        let stands_for = grad.made_by.is_none().then(|| tensor.clone());
        plain.set_grad(Grad { stands_for, ..grad });
    }
    Ok(plain)
}

fn resolve_marks(args: &mut Args) -> Result<()> {
    for value in &mut args.values {
        match value {
            Value::Tensor(t) if t.is_conj() || t.is_neg() => *value = Value::Tensor(resolved(t)?),
            Value::Tuple(items) if items.iter().any(|v| matches!(v, Value::Tensor(t) if t.is_conj() || t.is_neg())) => {
                let items = items.iter().map(|v| match v {
                    Value::Tensor(t) => Ok(Value::Tensor(resolved(t)?)),
                    other => Ok(other.clone()),
                });
                *value = Value::tuple(items.collect::<Result<_>>()?);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Runs the form alone, whatever `out` is.
pub(super) fn run_form(machine: &mut dyn Machine, args: &Args) -> Result<Value> {
    let mut run = || {
        let ran = run_as_is(machine, args).or_else(|error| super::nothing::instead(machine, args, error));
        ran.map_err(|error| in_place::said_of_cells(args, error))
    };
    if !rare::concerns(args) {
        return run();
    }
    let missing = rare::missing_kernel(args);
    let ran = match missing {
        // A call that is refused draws no numbers.
        Some(_) => super::random::undisturbed(run),
        None => run(),
    };
    match rare::refusal(args, missing, &ran)? {
        Some(refused) => Err(refused.into()),
        None => ran,
    }
}

pub(super) fn run_as_is(machine: &mut dyn Machine, args: &Args) -> Result<Value> {
    match args.op.form {
        Form::View(layout) => {
            let Value::Tensor(x) = args.value(0) else { return Err(args.not_taken(0)) };
            Ok(Value::Tensor(x.alias(layout(&x.layout(), args)?)?))
        }
        Form::Map(map) => Ok(Value::Tensor(map.apply(args)?)),
        Form::Native(run) => run(args),
        Form::Pair(run) => {
            let (a, b): (Tensor, Tensor) = args.take()?;
            Ok(Value::Tensor(run(&a, &b)?))
        }
        Form::Edit(edit, fresh) => {
            let target = fresh(args)?;
            edit(&target, args)?;
            Ok(Value::Tensor(target))
        }
        Form::Hosted(run) => run(machine, args),
        Form::Code(text) => {
            let usual = args.op.usual.filter(|_| !autograd::needs_steps(args));
            if let Some(result) = usual.map(|usual| usual(args)).transpose()?.flatten() {
                return Ok(result);
            }
            let schema = args.op.schema()?;
            let names: Vec<(&'static str, Value)> =
                schema.params.iter().zip(&args.values).map(|(p, v)| (p.name.as_str(), v.clone())).collect();
            match super::refusal::check(args.op.refusals, &args.values) {
                Ok(()) => Ok(machine.eval_code(text, &names)?),
                Err(refused) => Err(match super::random::undisturbed(|| machine.eval_code(text, &names)) {
                    Err(raise) if super::refusal::goes_before(&raise) => raise.into(),
                    _ => refused,
                }),
            }
        }
    }
}

/// A copy of the first argument with its order of dimensions, for [`Form::Edit`].
pub fn copy_of_self(args: &Args) -> Result<Tensor> {
    exec::clone(&args.get(0)?)
}

/// A copy of the first argument in row-major order, for [`Form::Edit`].
pub fn row_major_copy(args: &Args) -> Result<Tensor> {
    exec::clone_in(&args.get(0)?, MemoryFormat::Contiguous)
}

/// `x.f_(…)`: a view changes the very tensor; anything else is computed and written through `x`'s layout.
fn in_place(machine: &mut dyn Machine, set: &OpSet, args: &Args, original: Option<&Tensor>) -> Result<Value> {
    let Some(target) = original else {
        fault!(TypeError, "{}(): argument 'input' (position 1) must be Tensor, not {}", set.name, args.value(0).type_name());
    };
    if let Err(error) = change(machine, set, args, target) {
        let error = in_place::said_first(machine, set, args, error);
        return Err(in_turn::up_to_zero(machine, set, args, target, error));
    }
    Ok(Value::Tensor(target.clone()))
}

/// Changes the target of a call in place.
pub(super) fn change(machine: &mut dyn Machine, set: &OpSet, args: &Args, target: &Tensor) -> Result<()> {
    if !args.op.has(WRITES_LEAVES) {
        refuse_leaf_write(target, None)?;
    }
    if !matches!(args.op.form, Form::View(_)) && rare::concerns(args) {
        refuse_rare(machine, args, target)?;
    }
    if let Form::View(layout) = args.op.form {
        if args.op.name() == "t" && target.ndim() > 2 {
            fault!(RuntimeError, "t_() expects a tensor with <= 2 dimensions, but self is {}D", target.ndim());
        }
        let strided = target.strided()?;
        let before = target.alias((*strided.layout).clone())?;
        before.set_grad(target.grad());
        let layout = Rc::new(layout(&strided.layout, args)?);
        target.replace(target.dtype(), TensorForm::Strided(Strided { layout, ..strided }))?;
        // From now on it is a view of what it was.
        autograd::made_view(target, &before, &recorded::backward_name(set, args, &[], target), vec![]);
        return Ok(());
    }
    if in_place::leaves_as_is(args, target) {
        return Ok(());
    }
    if in_turn::sees_itself(args, target) {
        return in_turn::one_by_one(machine, set, args, target, target.dtype().size());
    }
    if let Form::Map(map) = args.op.form {
        if map.scalar.rule == Rule::Real && target.dtype().is_complex() {
            fault!(RuntimeError, "In-place {} is not supported for complex tensors.", map.scalar.name);
        }
        map.apply_into(args, target)?;
        return Ok(());
    }
    if let Form::Edit(edit, _) = args.op.form {
        exec::through_marks(target, |target| edit(target, args))?;
        return Ok(());
    }
    let bounded = args.values.iter().skip(1).any(|bound| !matches!(bound, Value::None));
    if target.dtype().is_complex() && args.op.name() == "clamp" && bounded {
        fault!(NotImplementedError, "clamp is not supported for complex types");
    }
    refuse_other_dtype(args, target)?;
    let name = args.op.name();
    if matches!(name, "tril" | "triu") && target.ndim() > 1 && exec::refuse_overlap(target).is_err() {
        return super::triangle::clear_beside(target, args.get(1)?, name);
    }
    let scope = exec::Scope::open();
    compute_into(machine, set, args, target)?;
    scope.close()
}

/// Fails where a call in place lacks a kernel: nothing is written then.
fn refuse_rare(machine: &mut dyn Machine, args: &Args, target: &Tensor) -> Result<()> {
    refuse_other_dtype(args, target)?;
    let missing = rare::missing_kernel(args);
    if missing.is_none() && !matches!(args.op.form, Form::Edit(..)) {
        return Ok(());
    }
    let ran = super::random::undisturbed(|| run_as_is(machine, args));
    match rare::refusal(args, missing, &ran)? {
        Some(refused) => {
            if !super::rare_results::PRODUCTS.contains(&args.op.name()) {
                exec::refuse_overlap(target)?;
            }
            Err(refused.into())
        }
        None => Ok(()),
    }
}

/// Fails when a running sum or product in place is asked for in another dtype than the tensor's.
fn refuse_other_dtype(args: &Args, target: &Tensor) -> Result<()> {
    let name = args.op.name();
    match args.values.last() {
        Some(Value::None)
            if matches!(name, "cumsum" | "cumprod")
                && target.dtype() == DType::Bool
                && target.ndim() > 0
                && target.numel() > 0 =>
        {
            wrap_dim(args.get(1)?, target.ndim())?;
            fault!(NotImplementedError, "\"{name}_out_cpu\" not implemented for 'Bool'")
        }
        Some(Value::DType(dtype)) if matches!(name, "cumsum" | "cumprod") && *dtype != target.dtype() => {
            wrap_dim(args.get(1)?, target.ndim())?;
            fault!(
                RuntimeError,
                "Bad in-place call: input tensor dtype {} and output tensor dtype {} should match",
                target.dtype().c_name(),
                dtype.c_name()
            )
        }
        _ => Ok(()),
    }
}

/// Computes and writes; what is promised in the scope around it is computed straight into the target.
fn compute_into(machine: &mut dyn Machine, set: &OpSet, args: &Args, target: &Tensor) -> Result<()> {
    // What a kernel does not take, and sizes, are spoken of when the target was looked at, what an operation refuses before.
    let computed = run_form(machine, args);
    let rule = rules::Rule::of(args);
    let is_looked_at = rule.is_elementwise && rule.first == rules::First::Sharing;
    let is_before = |fault: &Fault| in_place::is_said_before(args, &fault.message);
    let is_later =
        |fault: &Fault| order::is_late(fault) || is_looked_at && fault.class == ErrorClass::RuntimeError && !is_before(fault);
    if computed.as_ref().err().is_none_or(|error| error.downcast_ref().is_some_and(is_later)) {
        exec::refuse_overlap(target)?;
        let read = args.values.iter().skip(1).filter_map(Tensor::from_value).filter(|_| rule.is_elementwise);
        read.into_iter().try_for_each(|read| exec::refuse_partial(target, &read))?;
    }
    let Value::Tensor(result) = computed? else {
        fault!(RuntimeError, "{} has no tensor to write in place", set.name);
    };
    in_place::check_sizes(args, target, &result)?;
    match in_place::casts(args) {
        true => exec::require_cast(result.dtype(), target.dtype())?,
        false => super::out::require_cast(args.op.name(), result.dtype(), target.dtype())?,
    }
    in_place::fit(args, target, &result)?;
    exec::copy(target, &result)
}

/// What [`call`] does after running, for operations that the language runs by itself: notes the step, and the gradient under the
/// name of its node.
pub(super) fn conclude(op: &'static Op, x: &Tensor, others: &[&Value], result: &Value, node: &str) -> Result<()> {
    let asks = |value: &&Value| matches!(value, Value::Tensor(t) if t.requires_grad());
    let wrote = op.schema()?.writes;
    if wrote {
        refuse_inference_write(x)?;
    }
    if let Value::Tensor(t) = result
        && (x.requires_grad() || others.iter().any(asks))
        && settings::with(|s| s.grad_enabled)
        && (t.dtype().is_float() || t.dtype().is_complex())
    {
        refuse_outdated(std::iter::once(x))?;
        let values = std::iter::once(Value::Tensor(x.clone())).chain(others.iter().copied().cloned()).collect();
        let args = Args { op, values, out: Value::None, inplace: wrote };
        match wrote {
            true => autograd::write_recorded(&args, node),
            // Where elements share cells, a cell does not tell which of them is meant.
            false if t.base().is_some() && !x.layout().may_repeat_cells() => {
                let mut steps = others.first().map_or(vec![], |index| index::steps_of(x, index));
                steps.pop();
                autograd::made_view(t, x, node, steps);
            }
            false => autograd::record_as(&args, false, &[(t.clone(), Some(node.to_string()))], None),
        }
    }
    let args = || std::iter::once(Value::Tensor(x.clone())).chain(others.iter().copied().cloned()).collect();
    if let (Value::Tensor(view), false) = (result, wrote) {
        autograd::note_unseen(view, x);
    }
    trace::note(op, || trace::Step { name: op.name(), op, args: args(), result: result.clone(), wrote });
    Ok(())
}

/// Marks the results of an operation on tensors that ask for a gradient with the name PyTorch prints.
pub(super) fn note_gradient(set: &OpSet, args: &Args, result: &Value, before: Option<Tensor>) -> Result<()> {
    let row = args.op;
    let viewed = set.inplace && matches!(row.form, Form::View(_));
    // A comparison has no gradient, but what it leaves in its target has: none of what was there.
    let has_none = row.has(NO_GRAD) && !(set.inplace && autograd::has_rules(row));
    if viewed || has_none || row.has(STEPWISE) || !args.any_tensor(Tensor::requires_grad) || !settings::with(|s| s.grad_enabled) {
        return Ok(());
    }
    let inputs = args.tensors();
    refuse_inference(args)?;
    refuse_whole_sums(args)?;
    let writes = set.inplace || row.schema()?.writes;
    let mut results = vec![];
    for (place, value) in result.sequence().unwrap_or_else(|| vec![result.clone()]).into_iter().enumerate() {
        if let Value::Tensor(t) = value {
            let new = writes || !inputs.iter().any(|i| i.same(&t)) && may_ask(row, args, place)?;
            let fixed = results.is_empty() && row.has(FIRST_FIXED);
            let records = new && !fixed && !gives_none(args, place) && (t.dtype().is_float() || t.dtype().is_complex());
            let node = || recorded::name_of_result(set, args, &inputs, (&t, place));
            let name = records.then(|| super::out::recorded::node(set, args).unwrap_or_else(node));
            results.push((t, name));
        }
    }
    autograd::refuse_complex(row, results.iter().filter(|(_, name)| name.is_some()).map(|(t, _)| t.dtype()))?;
    autograd::record_as(args, writes, &results, before);
    Ok(())
}

/// True for a result without a gradient, by row and place: those of `svd` that were not asked for are zeros.
fn gives_none(args: &Args, place: usize) -> bool {
    match (args.op.name(), place) {
        ("linalg.lstsq", 3) => true,
        ("svd", 0 | 2) => matches!(args.value(2), Value::Bool(false)),
        _ => false,
    }
}

/// False for a view of a tensor that asks for no gradient, whatever the other arguments ask for.
fn may_ask(row: &Op, args: &Args, place: usize) -> Result<bool> {
    let shares = row.schema()?.returns.first().is_some_and(|r| r.kind.alias == Alias::Shared);
    let asks = |value: &Value| !matches!(value, Value::Tensor(t) if !t.requires_grad());
    Ok(!shares
        || match args.value(0) {
            Value::Tuple(items) => items.get(place).is_none_or(asks),
            of => asks(of),
        })
}
