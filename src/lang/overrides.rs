//! Operations on objects of the program's classes: values of built-in classes that they are, and `__torch_function__`.

use super::classes;
use super::operation::Operation;
use super::types::class::type_of;
use super::types::iter;
use super::types::special::not_implemented;
use crate::ops::{self, OpSet};
use crate::value::{CallArgs, CallRef, Dict, Key, Machine, Outcome, Value};

/// Calls an operation; where objects of the program's classes are among its arguments they may say what it does.
pub fn call_with(machine: &mut dyn Machine, set: &'static OpSet, method: bool, args: CallRef) -> Outcome {
    if !args.positional.iter().any(may_hold) && !args.keyword.iter().any(|(_, value)| may_hold(value)) {
        return ops::call_with(machine, set, method, args);
    }
    let mut args = args.to_args();
    let mut asked: Vec<Value> = vec![];
    for value in args.positional.iter().chain(args.keyword.iter().map(|(_, value)| value)) {
        let inside = match value {
            Value::List(_) | Value::Tuple(_) => value.items().unwrap_or_default(),
            other => vec![other.clone()],
        };
        asked.extend(inside.into_iter().filter(|value| is_own(value) && has_override(value)));
    }
    if asked.is_empty() {
        let every = args.positional.iter_mut().chain(args.keyword.iter_mut().map(|(_, value)| value));
        for value in every.filter(|value| may_hold(value)) {
            *value = plain(machine, value, TAKES_ITEMS.contains(&set.name))?;
        }
        return ops::call_with(machine, set, method, args.by_ref());
    }
    overridden(machine, set, method, &asked, args)
}

/// Operations that take whatever has a length and items for a list.
const TAKES_ITEMS: [&str; 4] = ["as_tensor", "asarray", "new_tensor", "tensor"];

/// A value of a built-in class that an object is, inside a list too; its items where those are asked for.
fn plain(machine: &mut dyn Machine, value: &Value, as_items: bool) -> Outcome {
    let found = match value {
        Value::List(_) | Value::Tuple(_) => {
            let items = value.items().unwrap_or_default();
            let items = items.iter().map(|item| plain(machine, item, as_items)).collect::<Outcome<Vec<_>>>()?;
            return Ok(if matches!(value, Value::List(_)) { Value::list(items) } else { Value::tuple(items) });
        }
        other => classes::index(machine, other)?,
    };
    let has = |name: &str| classes::class_of(&found).is_some_and(|class| class.find(name).is_some());
    match as_items && has("__len__") && has("__getitem__") {
        true => Ok(Value::list(iter::collect(machine, &found)?)),
        false => Ok(found),
    }
}

/// True for an object of a class of the program, and for what begins with one.
fn may_hold(value: &Value) -> bool {
    match value {
        Value::Object(_) => is_own(value),
        Value::List(items) => ends(&items.borrow()).any(may_hold),
        Value::Tuple(items) => ends(items).any(may_hold),
        _ => false,
    }
}

/// The first and the last item.
fn ends(items: &[Value]) -> impl Iterator<Item = &Value> {
    items.first().into_iter().chain(items.last())
}

fn is_own(value: &Value) -> bool {
    matches!(value, Value::Object(object) if object.own_class().is_some())
}

fn has_override(value: &Value) -> bool {
    classes::class_of(value).is_some_and(|class| class.find("__torch_function__").is_some())
}

/// The answer of the first object that knows the operation.
fn overridden(machine: &mut dyn Machine, set: &'static OpSet, method: bool, asked: &[Value], args: CallArgs) -> Outcome {
    let mut types: Vec<Value> = vec![];
    for value in asked {
        let class = type_of(value);
        if !types.iter().any(|known| known.is(&class)) {
            types.push(class);
        }
    }
    let function = if method { super::operation::of_class(set.name) } else { None };
    let function = function.unwrap_or_else(|| Operation::function(set));
    let keyword: Dict = args.keyword.into_iter().map(|(name, value)| (Key::from(&*name), value)).collect();
    let told = vec![function, Value::tuple(types.clone()), Value::tuple(args.positional), Value::dict(keyword)];
    for value in asked {
        let answer = machine.attr(value, "__torch_function__")?;
        let answer = machine.call(&answer, CallArgs::positional(told.clone()))?;
        if !answer.is(&not_implemented()) {
            return Ok(answer);
        }
    }
    let shown = types.iter().map(|class| Ok(format!("\n  - tensor subclass {}", machine.repr(class)?)));
    let shown = shown.collect::<Outcome<String>>()?;
    let owner = if method { "torch.Tensor" } else { "torch" };
    fault!(
        TypeError,
        "Multiple dispatch failed for '{owner}.{}'; all __torch_function__ handlers returned NotImplemented:\n{shown}\n\nFor more information, try re-running with TORCH_LOGS=not_implemented",
        set.name
    )
}
