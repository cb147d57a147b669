//! Classes of the program on built-in ones: each object holds a value of the built-in class, which does what the class does not say.

use super::{Instance, UserClass, special};
use crate::diag::ErrorClass;
use crate::lang::modules::collections::named_tuple;
use crate::lang::operators;
use crate::lang::types::class::ObjectClass;
use crate::lang::types::{get_item, operate as built_in, repr, set};
use crate::syntax::ast::{BinaryOp, CompareOp, UnaryOp};
use crate::value::{CallArgs, Class, Machine, Outcome, Value};
use std::rc::Rc;

/// Built-in classes whose values change, and so begin empty.
const CHANGING: &[Class] = &[Class::Dict, Class::List, Class::Set];

/// Built-in classes whose values are what they are made of.
const FIXED: &[Class] = &[Class::Bytes, Class::Complex, Class::Float, Class::FrozenSet, Class::Int, Class::Str, Class::Tuple];

/// True for a class that others may build on in this way.
pub(super) fn takes(class: &Value) -> bool {
    match class {
        Value::Class(class) => CHANGING.contains(class) || FIXED.contains(class),
        other => is_collection(other) || named_tuple::is_class(other),
    }
}

/// True for a class of `collections`.
fn is_collection(class: &Value) -> bool {
    class.downcast::<ObjectClass>().is_some_and(ObjectClass::can_be_built_on)
}

/// The value that an object begins with: an empty one, or for classes whose values never change what they are made of.
pub(super) fn blank(machine: &mut dyn Machine, native: &Value, args: &CallArgs) -> Outcome {
    let args = if is_fixed(native) { args.clone() } else { CallArgs::default() };
    machine.call(native, args)
}

/// True for a class whose values never change.
pub(super) fn is_fixed(native: &Value) -> bool {
    match native {
        Value::Class(class) => FIXED.contains(class),
        other => named_tuple::is_class(other),
    }
}

/// Its text, where the class has no say in it.
pub(super) fn repr(class: &UserClass, base: &Value) -> String {
    let text = repr::repr(base).unwrap_or_default();
    match base {
        Value::Set(items) if !items.borrow().is_empty() => format!("{}({text})", class.name()),
        Value::Set(_) | Value::Object(_) | Value::Named(_) => match text.find('(') {
            Some(place) => format!("{}{}", class.name(), &text[place..]),
            None => text,
        },
        _ => text,
    }
}

/// True for a value that can be a dict key.
pub(super) fn is_hashable(base: &Value) -> bool {
    crate::value::Key::new(base.clone()).is_ok()
}

/// A copy with the same items.
pub(super) fn copy(base: &Value) -> Value {
    match base {
        Value::List(items) => Value::list(items.borrow().clone()),
        Value::Dict(entries) => Value::dict(entries.borrow().clone()),
        Value::Set(items) => set::value(items.borrow().clone()),
        Value::Object(object) => object.copy().unwrap_or_else(|| base.clone()),
        other => other.clone(),
    }
}

/// `object[key]`; a dict's class may say what is under a key that is not there.
pub(super) fn item(machine: &mut dyn Machine, this: &Rc<Instance>, key: &Value) -> Option<Outcome> {
    let found = get_item(machine, &this.base()?, key);
    match &found {
        Err(raise) if raise.0.diagnostic.class == ErrorClass::KeyError && this.of().find("__missing__").is_some() => {
            special::ask(machine, &this.this(), "__missing__", vec![key.clone()])
        }
        _ => Some(found),
    }
}

/// `-object`, `+object`, `~object`; none where its value does not know that.
pub(super) fn unary(machine: &mut dyn Machine, base: &Value, op: &str) -> Option<Outcome> {
    if op == "abs" {
        let size = machine.attr(base, "__abs__").ok()?;
        return Some(machine.call(&size, CallArgs::default()));
    }
    let op = match op {
        "-" => UnaryOp::Neg,
        "+" => UnaryOp::Pos,
        _ => UnaryOp::Invert,
    };
    let found = operators::unary(machine, op, base);
    if matches!(&found, Err(raise) if raise.0.diagnostic.class == ErrorClass::TypeError) { None } else { Some(found) }
}

/// `object op other`, or `other op object` when reflected, by their values; none where those do not know it.
pub(super) fn operate(machine: &mut dyn Machine, base: &Value, op: &str, other: &Value, reflected: bool) -> Option<Outcome> {
    let other = plain(other);
    let (left, right) = if reflected { (&other, base) } else { (base, &other) };
    if let Some(op) = CompareOp::from_symbol(op) {
        let found = operators::compare(machine, op, left, right);
        let is_unknown = |found: &Outcome| matches!(found, Err(raise) if raise.0.diagnostic.class == ErrorClass::TypeError);
        return if is_unknown(&found) { None } else { Some(found) };
    }
    let op = BinaryOp::from_symbol(op)?;
    match matches!(other, Value::Tensor(_)) {
        true => Some(operators::binary(machine, op, left, right)),
        false => built_in::known(machine, op, left, right).transpose(),
    }
}

/// The value of a built-in class that an object is, or the value itself.
pub fn plain(value: &Value) -> Value {
    match value {
        Value::Object(object) => object.plain().unwrap_or_else(|| value.clone()),
        other => other.clone(),
    }
}

/// `object op= other` where its value is one that changes; none where it does not, or does not know that.
pub(super) fn operate_in_place(machine: &mut dyn Machine, this: &Value, op: &str, other: &Value) -> Option<Outcome> {
    let base = this.downcast::<Instance>()?.base()?;
    let changes = match (&base, op) {
        (Value::List(_), "+" | "*") | (Value::Dict(_), "|") => true,
        (Value::Set(_), "|" | "&" | "-" | "^") => matches!(plain(other), Value::Set(_)),
        _ => false,
    };
    let op = BinaryOp::from_symbol(op).filter(|_| changes)?;
    Some(operators::inplace(machine, op, &base, &plain(other)).map(|_| this.clone()))
}
