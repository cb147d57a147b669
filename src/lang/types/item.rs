//! `x[i]`, `x[i] = v`, `del x[i]` of everything but tensors.

use super::{bytes, dict, hint, list, range, storage, str, tuple};
use crate::lang::classes;
use crate::value::{Machine, Outcome, Value};
use std::rc::Rc;

/// `object[index]`. Fails with a `TypeError` when the object takes no index.
pub fn get_item(machine: &mut dyn Machine, object: &Value, index: &Value) -> Outcome {
    if let (Value::Object(_) | Value::Slice(_), true) = (index, is_indexed(object)) {
        let index = classes::indices(machine, index)?;
        return get_known(machine, object, &index);
    }
    get_known(machine, object, index)
}

/// True for what takes an int, and so whatever says that it is one.
fn is_indexed(object: &Value) -> bool {
    matches!(
        object,
        Value::List(_) | Value::Tuple(_) | Value::Size(_) | Value::Named(_) | Value::Str(_) | Value::Bytes(_) | Value::Range(_)
    )
}

fn get_known(machine: &mut dyn Machine, object: &Value, index: &Value) -> Outcome {
    match object {
        Value::List(items) => list::index(items, index),
        Value::Tuple(_) | Value::Size(_) | Value::Named(_) => tuple::index(object, index),
        Value::Dict(entries) => dict::index(machine, entries, index),
        Value::Str(text) => str::index(text, index),
        Value::Bytes(data) => bytes::index(data, index),
        Value::Range(numbers) => range::index(numbers, index),
        Value::Storage(view) => storage::index(view, index),
        Value::Class(class) => match hint::of_class(machine, *class, index) {
            Some(alias) => alias,
            None => fault!(TypeError, "type '{}' is not subscriptable", class.name()),
        },
        Value::Object(o) => match Rc::clone(o).index(machine, index) {
            Some(item) => item,
            None => fault!(TypeError, "'{}' object is not subscriptable", object.type_name()),
        },
        other => fault!(TypeError, "'{}' object is not subscriptable", other.type_name()),
    }
}

/// `object[index] = value`. Fails with a `TypeError` when the object's items cannot be set.
pub fn set_item(machine: &mut dyn Machine, object: &Value, index: &Value, value: Value) -> Outcome<()> {
    match object {
        Value::List(items) => {
            let index = classes::index(machine, index)?;
            list::set_index(machine, items, &index, value)
        }
        Value::Dict(entries) => dict::set_index(machine, entries, index, value),
        Value::Storage(view) => storage::set_index(machine, view, index, &value),
        Value::Object(o) => match o.set_index(machine, index, Some(value)) {
            Some(done) => done,
            None => fault!(TypeError, "'{}' object does not support item assignment", object.type_name()),
        },
        other => fault!(TypeError, "'{}' object does not support item assignment", other.type_name()),
    }
}

/// `del object[index]`. Fails with a `TypeError` when the object's items cannot be deleted.
pub fn del_item(machine: &mut dyn Machine, object: &Value, index: &Value) -> Outcome<()> {
    match object {
        Value::List(items) => list::del_index(items, index),
        Value::Dict(entries) => dict::del_index(machine, entries, index),
        Value::Object(o) => match o.set_index(machine, index, None) {
            Some(done) => done,
            None if matches!(index, Value::Int(_)) && o.own_class().is_some() => {
                fault!(TypeError, "'{}' object doesn't support item deletion", object.type_name())
            }
            None => fault!(TypeError, "'{}' object does not support item deletion", object.type_name()),
        },
        Value::Tensor(_) => fault!(TypeError, "Tensor does not support deleting items"),
        other => {
            let verb = if matches!(other, Value::Str(_) | Value::Tuple(_) | Value::Bytes(_) | Value::Range(_) | Value::Set(_)) {
                "doesn't support"
            } else {
                "does not support"
            };
            fault!(TypeError, "'{}' object {verb} item deletion", other.type_name())
        }
    }
}
