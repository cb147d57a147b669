//! `==`, `<`, `in` of everything but tensors.

use super::{limits, number, overall, set};
use crate::interrupt;
use crate::lang::classes::{self, Asked};
use crate::lang::iterate::Cursor;
use crate::syntax::ast::CompareOp;
use crate::value::{Machine, Outcome, Value};
use std::cmp::Ordering;
use std::rc::Rc;

const COMPARING: &str = " in comparison";

/// `a op b` for every comparison but `is` and `in`. Fails with a `TypeError` where the two have no order.
///
/// Gives a bool, except for objects that give something else (arrays).
pub fn compare(machine: &mut dyn Machine, op: CompareOp, a: &Value, b: &Value) -> Outcome {
    if let Some(answer) = number::compare(op, a, b) {
        return Ok(Value::Bool(answer));
    }
    if let Some(answer) = operate(machine, op, a, b) {
        return answer;
    }
    match op {
        CompareOp::Eq => equal_or_identical(machine, a, b).map(Value::Bool),
        CompareOp::Ne => equal_or_identical(machine, a, b).map(|eq| Value::Bool(!eq)),
        _ => match order(machine, op, a, b)? {
            Some(answer) => Ok(Value::Bool(answer)),
            None if matches!((a, b), (Value::Device(_), Value::Device(_))) => fault!(TypeError, "comparison not implemented"),
            None => fault!(
                TypeError,
                "'{}' not supported between instances of '{}' and '{}'",
                op.symbol(),
                a.type_name(),
                b.type_name()
            ),
        },
    }
}

/// Asks objects, the left one first; the right one is asked the mirrored question.
fn operate(machine: &mut dyn Machine, op: CompareOp, a: &Value, b: &Value) -> Option<Outcome> {
    if let (Value::Object(_), Value::Object(object)) = (a, b)
        && classes::asked(a, b) == Asked::Right
        && let Some(answer) = Rc::clone(object).operate(machine, mirrored(op).symbol(), a, false)
    {
        return Some(answer);
    }
    if let Value::Object(object) = a
        && let Some(answer) = Rc::clone(object).operate(machine, op.symbol(), b, false)
    {
        return Some(answer);
    }
    match b {
        Value::Object(object) => Rc::clone(object).operate(machine, mirrored(op).symbol(), a, false),
        _ => None,
    }
}

fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
        other => other,
    }
}

/// `a == b` as a bool for elements of containers: one object is always equal to itself. Numbers that are NaN are taken for objects of
/// their own, as those of two calls of `tolist` are.
pub fn same(machine: &mut dyn Machine, a: &Value, b: &Value) -> Outcome<bool> {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => Ok(x == y),
        (Value::Str(x), Value::Str(y)) => Ok(x == y),
        (Value::Float(x), Value::Float(y)) => Ok(x == y),
        _ => Ok(a.is(b) || overall::equal(machine, a, b)?),
    }
}

fn equal_or_identical(machine: &mut dyn Machine, a: &Value, b: &Value) -> Outcome<bool> {
    match (a, b) {
        (Value::List(_), Value::List(_)) | (Value::Tuple(_), Value::Tuple(_)) | (Value::Dict(_), Value::Dict(_)) if a.is(b) => {
            Ok(true)
        }
        (Value::Str(x), Value::Str(y)) => Ok(x == y),
        (Value::Bytes(x), Value::Bytes(y)) => Ok(x == y),
        (Value::Range(x), Value::Range(y)) => Ok(x.same_numbers(y)),
        (Value::Device(x), Value::Device(y)) => Ok(x == y),
        (Value::Set(x), Value::Set(y)) => Ok(Rc::ptr_eq(x, y) || set::same(&x.borrow(), &y.borrow())),
        (Value::List(_), Value::List(_)) => {
            let (x, y) = (a.items().unwrap_or_default(), b.items().unwrap_or_default());
            limits::deeper(COMPARING, || all_equal(machine, &x, &y))
        }
        (Value::Slice(x), Value::Slice(y)) => limits::deeper(COMPARING, || all_equal(machine, &x[..], &y[..])),
        (Value::Dict(x), Value::Dict(y)) => {
            let (x, y) = (x.borrow().clone(), y.borrow().clone());
            if x.len() != y.len() {
                return Ok(false);
            }
            limits::deeper(COMPARING, || {
                for (key, value) in &x {
                    match y.get(key) {
                        Some(other) if same(machine, value, other)? => {}
                        _ => return Ok(false),
                    }
                }
                Ok(true)
            })
        }
        (Value::Object(x), _) if x.equals(b).is_some() => Ok(x.equals(b) == Some(true)),
        (_, Value::Object(y)) if y.equals(a).is_some() => Ok(y.equals(a) == Some(true)),
        (Value::Tuple(x), Value::Tuple(y)) => limits::deeper(COMPARING, || all_equal(machine, x, y)),
        _ => match (a.sequence(), b.sequence()) {
            (Some(x), Some(y)) => limits::deeper(COMPARING, || all_equal(machine, &x, &y)),
            _ => Ok(a.is(b)),
        },
    }
}

fn all_equal(machine: &mut dyn Machine, a: &[Value], b: &[Value]) -> Outcome<bool> {
    if a.len() != b.len() {
        return Ok(false);
    }
    for (x, y) in a.iter().zip(b) {
        if !same(machine, x, y)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// `<`, `<=`, `>`, `>=`; none where the two have no order.
fn order(machine: &mut dyn Machine, op: CompareOp, a: &Value, b: &Value) -> Outcome<Option<bool>> {
    let order = match (a, b) {
        (Value::Str(x), Value::Str(y)) => x.cmp(y),
        (Value::Bytes(x), Value::Bytes(y)) => x.cmp(y),
        (Value::Set(x), Value::Set(y)) => return Ok(Some(set::order(op, &x.borrow(), &y.borrow()))),
        (Value::List(_), Value::List(_)) => {
            let (x, y) = (a.items().unwrap_or_default(), b.items().unwrap_or_default());
            return limits::deeper(COMPARING, || sequence_order(machine, op, &x, &y)).map(Some);
        }
        (Value::Tuple(x), Value::Tuple(y)) => return limits::deeper(COMPARING, || sequence_order(machine, op, x, y)).map(Some),
        _ => match (a.sequence(), b.sequence()) {
            (Some(x), Some(y)) => return limits::deeper(COMPARING, || sequence_order(machine, op, &x, &y)).map(Some),
            _ => return Ok(None),
        },
    };
    Ok(Some(holds(op, order)))
}

/// Whether an ordering comparison holds for an order.
pub fn holds(op: CompareOp, order: Ordering) -> bool {
    match op {
        CompareOp::Lt => order.is_lt(),
        CompareOp::Le => order.is_le(),
        CompareOp::Gt => order.is_gt(),
        CompareOp::Ge => order.is_ge(),
        CompareOp::Eq => order.is_eq(),
        CompareOp::Ne => order.is_ne(),
        CompareOp::In | CompareOp::NotIn | CompareOp::Is | CompareOp::IsNot => false,
    }
}

/// The first items that differ decide; without any the longer sequence is the greater.
pub fn sequence_order(machine: &mut dyn Machine, op: CompareOp, a: &[Value], b: &[Value]) -> Outcome<bool> {
    for (x, y) in a.iter().zip(b) {
        if !same(machine, x, y)? {
            let answer = overall::compare(machine, op, x, y)?;
            return overall::truth(&answer);
        }
    }
    Ok(holds(op, a.len().cmp(&b.len())))
}

/// `item in container`. Fails with a `TypeError` when the container holds nothing.
pub fn contains(machine: &mut dyn Machine, container: &Value, item: &Value) -> Outcome<bool> {
    match container {
        Value::Str(text) => match item {
            Value::Str(part) => Ok(text.contains(part.as_str())),
            other => fault!(TypeError, "'in <string>' requires string as left operand, not {}", other.type_name()),
        },
        Value::Bytes(bytes) => super::bytes::contains(bytes, item),
        Value::Dict(entries) => super::dict::contains(machine, entries, item),
        Value::Set(items) => set::contains(machine, items, item),
        Value::Range(range) if matches!(item, Value::Int(_) | Value::Bool(_)) => {
            Ok(super::range::place_of(range, item).is_some())
        }
        Value::Object(object) => match object.contains(machine, item) {
            Some(answer) => answer,
            None => search(machine, container, item),
        },
        _ => search(machine, container, item),
    }
}

fn search(machine: &mut dyn Machine, container: &Value, item: &Value) -> Outcome<bool> {
    let Some(mut cursor) = Cursor::find(machine, container)? else {
        fault!(TypeError, "argument of type '{}' is not iterable", container.type_name());
    };
    while let Some(other) = cursor.next(machine)? {
        interrupt::check()?;
        if same(machine, &other, item)? {
            return Ok(true);
        }
    }
    Ok(false)
}
