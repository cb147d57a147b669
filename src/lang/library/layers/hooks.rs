//! Functions that are called before a layer and behind it, as they came, and when a gradient goes back through it.

use super::Layer;
use crate::lang::modules::collections;
use crate::lang::operators;
use crate::lang::types::call::Call;
use crate::lang::types::limits;
use crate::ops::{self, Handle};
use crate::value::{CallArgs, Key, Machine, ObjectRef, Outcome, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// Those of a layer.
pub(super) type Hooks = Rc<RefCell<Vec<Rc<Hook>>>>;

/// One of them.
#[derive(Clone)]
pub(super) struct Hook {
    when: When,
    /// It is given the arguments by name, too.
    with_kwargs: bool,
    call: Value,
}

/// When one is called.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum When {
    Before,
    Behind,
    /// When the gradient of its result is there.
    BeforeBackward,
    /// When the gradients of its arguments are there.
    Backward,
    /// When the gradients of what made its result are there.
    OnNode,
    /// Before its state is kept,
    BeforeKeeping,
    /// and then.
    Kept,
    /// Before a state is put into it,
    BeforeLoading,
    /// and then.
    Loaded,
}

/// `register_forward_pre_hook` and its kin: what they give takes the function off again.
pub(super) fn register(c: &mut Call<'_>, when: When) -> Outcome {
    let Some(layer) = super::layer(c.this) else { return Ok(Value::None) };
    let is_set = |place: usize| c.get(place).map_or(Ok(false), operators::truth);
    let (first, with_kwargs) = (is_set(1)?, is_set(2)?);
    let hook = Rc::new(Hook { when, with_kwargs, call: c.arg(0).clone() });
    let hooks = layer.hooks.clone();
    let place = if first { 0 } else { hooks.borrow().len() };
    hooks.borrow_mut().insert(place, hook.clone());
    Ok(Value::object(Handle(Box::new(move || hooks.borrow_mut().retain(|other| !Rc::ptr_eq(other, &hook))))))
}

/// Functions that wait for the same, as a dict.
pub(super) fn waiting(hooks: &Hooks, when: When) -> Value {
    let calls = calls(&hooks.borrow(), when);
    let numbered = calls.into_iter().enumerate().map(|(number, call)| (Key::from(number as i64), call));
    collections::ordered_dict(numbered.collect())
}

/// Calls a layer between its hooks: what one returns, unless None, takes the place of the arguments, or of the result.
pub(super) fn between(layer: Rc<Layer>, machine: &mut dyn Machine, mut args: CallArgs) -> Outcome {
    layer.settle(machine, &args)?;
    let hooks = layer.hooks.borrow().clone();
    if hooks.is_empty() {
        return layer.forward(machine, args);
    }
    let this = Value::Object(ObjectRef::new(layer.clone()));
    for hook in hooks.iter().filter(|hook| hook.when == When::Before) {
        match (machine.call(&hook.call, hook.given(&this, &args, None))?, hook.with_kwargs) {
            (Value::None, _) => {}
            (found, true) => args = both(&found)?,
            (Value::Tuple(items), false) => args.positional = items.to_vec(),
            (found, false) => args.positional = vec![found],
        }
    }
    let going_back = Backward::of(&hooks);
    if let Some(back) = &going_back {
        args.positional = back.open(machine, args.positional)?;
    }
    let mut result = layer.forward(machine, args.clone())?;
    for hook in hooks.iter().filter(|hook| hook.when == When::Behind) {
        match machine.call(&hook.call, hook.given(&this, &args, Some(&result)))? {
            Value::None => {}
            found => result = found,
        }
    }
    if let Some(back) = going_back {
        result = named(&result);
        back.watch(machine, this.clone(), args.positional, result.clone())?;
    }
    let on_node = calls(&hooks, When::OnNode);
    if !on_node.is_empty() {
        let names = [("layer", this), ("result", result.clone()), ("hooks", Value::list(on_node))];
        machine.eval_code(ON_NODE, &names)?;
    }
    Ok(result)
}

/// The functions of these hooks that are called then.
fn calls(hooks: &[Rc<Hook>], when: When) -> Vec<Value> {
    hooks.iter().filter(|hook| hook.when == when).map(|hook| hook.call.clone()).collect()
}

/// Calls the functions that wait for this in a layer and those inside, with what else they are given.
pub(super) fn tell(machine: &mut dyn Machine, this: &Value, when: When, given: &[Value]) -> Outcome<()> {
    let Some(own) = super::layer(this) else { return Ok(()) };
    for part in own.children.borrow().clone().values() {
        limits::deeper("", || tell(machine, part, when, given))?;
    }
    for hook in calls(&own.hooks.borrow().clone(), when) {
        machine.call(&hook, CallArgs::positional(std::iter::once(this.clone()).chain(given.iter().cloned()).collect()))?;
    }
    Ok(())
}

/// A result with the name of what functions for gradients hang on.
fn named(result: &Value) -> Value {
    match result {
        Value::Tensor(x) if x.requires_grad() => Value::Tensor(ops::renamed(x, "BackwardHookFunctionBackward")),
        Value::Tuple(items) => Value::tuple(items.iter().map(named).collect()),
        other => other.clone(),
    }
}

/// Hangs the functions on what made a result, or the first of several.
const ON_NODE: &str = "\
while not isinstance(result, torch.Tensor):
    result = next(iter(result.values())) if isinstance(result, dict) else result[0]
for hook in hooks if result.grad_fn is not None else []:
    result.grad_fn.register_hook(lambda into, out, hook=hook: hook(layer, into, out))";

/// Arguments as views of their own, so that a gradient is that of this call alone.
const OPEN: &str = "[x.view_as(x) if isinstance(x, torch.Tensor) and x.requires_grad else x for x in inputs]";

/// Calls the functions as the gradients come in: first of all results, then of all arguments.
const WATCH: &str = "\
asks = lambda x: isinstance(x, torch.Tensor) and x.requires_grad
together = lambda given: given if isinstance(given, tuple) else (given,)
outputs = together(result)
shown, found = [None] * len(outputs), [None] * len(inputs)
awaited = {'out': sum(asks(x) for x in outputs), 'in': sum(asks(x) for x in inputs)}
def behind():
    for hook in hooks:
        changed = hook(layer, tuple(found), tuple(shown))
        if changed is not None:
            found[:] = together(changed)
def out(place, grad):
    shown[place] = grad
    awaited['out'] -= 1
    if awaited['out'] == 0:
        for hook in before:
            changed = hook(layer, tuple(shown))
            if changed is not None:
                shown[:] = together(changed)
        if not any(asks(x) for x in inputs):
            behind()
    return shown[place]
def into(place, grad):
    found[place] = grad
    awaited['in'] -= 1
    if awaited['in'] == 0:
        behind()
    return found[place]
for values, come in ((outputs, out), (inputs, into)):
    for place, x in enumerate(values):
        if asks(x):
            x.register_hook(lambda grad, come=come, place=place: come(place, grad))";

/// Functions for when a gradient goes back.
struct Backward {
    before: Value,
    behind: Value,
}

impl Backward {
    fn of(hooks: &[Rc<Hook>]) -> Option<Backward> {
        let (before, behind) = (calls(hooks, When::BeforeBackward), calls(hooks, When::Backward));
        let some = !before.is_empty() || !behind.is_empty();
        some.then(|| Backward { before: Value::list(before), behind: Value::list(behind) })
    }

    fn open(&self, machine: &mut dyn Machine, inputs: Vec<Value>) -> Outcome<Vec<Value>> {
        Ok(machine.eval_code(OPEN, &[("inputs", Value::list(inputs))])?.items().unwrap_or_default())
    }

    fn watch(self, machine: &mut dyn Machine, layer: Value, inputs: Vec<Value>, result: Value) -> Outcome {
        let names = [
            ("layer", layer),
            ("inputs", Value::list(inputs)),
            ("result", result),
            ("before", self.before),
            ("hooks", self.behind),
        ];
        machine.eval_code(WATCH, &names)
    }
}

impl Hook {
    /// The layer, its arguments, and its result if there is one yet.
    fn given(&self, this: &Value, args: &CallArgs, result: Option<&Value>) -> CallArgs {
        let by_name = || args.keyword.iter().map(|(name, value)| (Key::from(&**name), value.clone())).collect();
        let named = self.with_kwargs.then(|| Value::dict(by_name()));
        let values = [this.clone(), Value::tuple(args.positional.clone())].into_iter().chain(named).chain(result.cloned());
        CallArgs::positional(values.collect())
    }
}

/// The arguments by place and by name that a hook gave.
fn both(found: &Value) -> Outcome<CallArgs> {
    if let Value::Tuple(pair) = found
        && let [Value::Tuple(positional), keyword] = &pair[..]
        && let Some(entries) = crate::lang::types::dict::entries_of(keyword)
    {
        let named = |(name, value): (&Key, &Value)| (super::container::name_of(name), value.clone());
        return Ok(CallArgs { positional: positional.to_vec(), keyword: entries.borrow().iter().map(named).collect() });
    }
    fault!(RuntimeError, "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {}.", found.type_name())
}
