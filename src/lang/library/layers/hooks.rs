//! Functions that are called before a layer and behind it, as they came.

use super::Layer;
use crate::lang::operators;
use crate::lang::types::call::Call;
use crate::ops::Handle;
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
}

/// `register_forward_pre_hook` and `register_forward_hook`: what they give takes the function off again.
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

/// Calls a layer between its hooks: what one returns, unless None, takes the place of the arguments, or of the result.
pub(super) fn between(layer: Rc<Layer>, machine: &mut dyn Machine, mut args: CallArgs) -> Outcome {
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
    let mut result = layer.forward(machine, args.clone())?;
    for hook in hooks.iter().filter(|hook| hook.when == When::Behind) {
        match machine.call(&hook.call, hook.given(&this, &args, Some(&result)))? {
            Value::None => {}
            found => result = found,
        }
    }
    Ok(result)
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
