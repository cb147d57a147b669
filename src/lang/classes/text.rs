//! Texts of objects whose classes say how they are shown.
//!
//! What shows a value walks it without the evaluator, so what functions of the program have to say is settled before: each object
//! keeps what was said last.

use super::{Instance, UserClass, ask, class_of};
use crate::lang::library::layers;
use crate::value::{Machine, Outcome, Value};
use std::cell::Cell;

thread_local! {
    /// True once a class was defined: before, there is nothing to look for.
    static ANY: Cell<bool> = const { Cell::new(false) };
}

/// From now on there are classes.
pub(super) fn begin() {
    ANY.set(true);
}

/// Settles the texts of a value and of all that it holds, before it is shown: `plain` is as by `str`.
pub fn settle(machine: &mut dyn Machine, value: &Value, plain: bool) -> Outcome<()> {
    if !ANY.get() {
        return Ok(());
    }
    settle_inside(machine, value, plain, &mut vec![])
}

fn settle_inside(machine: &mut dyn Machine, value: &Value, plain: bool, around: &mut Vec<u64>) -> Outcome<()> {
    let inside: Vec<Value> = match value {
        Value::List(items) => items.borrow().clone(),
        Value::Tuple(items) => items.to_vec(),
        Value::Dict(entries) => entries.borrow().iter().flat_map(|(key, value)| [key.value().clone(), value.clone()]).collect(),
        Value::Set(items) => value_items(&items.borrow()),
        Value::Named(named) => named.values.clone(),
        Value::Exception(exception) => {
            if let Some(text) = said(machine, value, "__str__")? {
                exception.trace.borrow_mut().message = Some(text);
            }
            exception.args.borrow().clone()
        }
        Value::Object(object) => {
            settle_object(machine, value, plain)?;
            match object.entries() {
                Some(entries) => vec![Value::Dict(entries)],
                None => match value.downcast::<Instance>() {
                    Some(instance) => instance.base().into_iter().collect(),
                    None => layers::parts(value),
                },
            }
        }
        _ => return Ok(()),
    };
    let identity = value.identity();
    if inside.is_empty() || around.contains(&identity) {
        return Ok(());
    }
    around.push(identity);
    let done = inside.iter().try_for_each(|item| settle_inside(machine, item, false, around));
    around.pop();
    done
}

fn value_items(items: &crate::value::Set) -> Vec<Value> {
    items.iter().map(|key| key.value().clone()).collect()
}

fn settle_object(machine: &mut dyn Machine, value: &Value, plain: bool) -> Outcome<()> {
    if let Some(instance) = value.downcast::<Instance>() {
        let repr = said(machine, value, "__repr__")?;
        let text = if plain { said(machine, value, "__str__")? } else { None };
        instance.shown.replace([repr, text]);
        return Ok(());
    }
    if let Some(class) = value.downcast::<UserClass>() {
        if class.meta.is_some() {
            let repr = said(machine, value, "__repr__")?;
            let text = if plain { said(machine, value, "__str__")? } else { None };
            class.shown.replace([repr, text]);
        }
        return Ok(());
    }
    if class_of(value).is_some() {
        let whole = said(machine, value, "__repr__")?;
        let extra = said(machine, value, "extra_repr")?;
        layers::show_as(value, whole, extra);
    }
    Ok(())
}

/// The text that a method gives; none when the class has no such method.
fn said(machine: &mut dyn Machine, value: &Value, name: &str) -> Outcome<Option<String>> {
    match ask(machine, value, name, vec![]).transpose()? {
        None => Ok(None),
        Some(Value::Str(text)) => Ok(Some(text.to_string())),
        Some(other) => fault!(TypeError, "{name} returned non-string (type {})", other.type_name()),
    }
}

/// What `__format__` of its class gives for a value; none where the class has none. Then the value's own text is settled.
pub fn formatted(machine: &mut dyn Machine, value: &Value, spec: &str) -> Outcome<Option<String>> {
    match ask(machine, value, "__format__", vec![Value::from(spec)]).transpose()? {
        None => settle(machine, value, true).map(|()| None),
        Some(Value::Str(text)) => Ok(Some(text.to_string())),
        Some(other) => fault!(TypeError, "__format__ must return a str, not {}", other.type_name()),
    }
}
