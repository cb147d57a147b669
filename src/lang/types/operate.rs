//! Infix and prefix operators of everything but tensors.

use super::{bytes, convert, dict, hint, limits, list, number, percent, sequence, set, str};
use crate::lang::classes::{self, Asked};
use crate::syntax::ast::{BinaryOp, UnaryOp};
use crate::value::{Machine, Outcome, Raise, Value};
use std::rc::Rc;

/// `a op b`. Fails with a `TypeError` when the two do not know the operator.
pub fn binary(machine: &mut dyn Machine, op: BinaryOp, a: &Value, b: &Value) -> Outcome {
    match known(machine, op, a, b)? {
        Some(value) => Ok(value),
        None => refuse(op, a, b, ""),
    }
}

/// `a op= b`: lists, sets, dicts and some objects change, others make a new value.
pub fn inplace(machine: &mut dyn Machine, op: BinaryOp, a: &Value, b: &Value) -> Outcome {
    match (op, a) {
        (BinaryOp::Add, Value::List(items)) => {
            list::extend(machine, items, b)?;
            Ok(a.clone())
        }
        (BinaryOp::Mul, Value::List(items)) if convert::as_int(b)?.is_some() => {
            let repeated = sequence::repeat(&items.borrow(), convert::to_count(b)?)?;
            *items.borrow_mut() = repeated;
            Ok(a.clone())
        }
        (_, Value::Set(items)) => match set::inplace(op, items, b)? {
            true => Ok(a.clone()),
            false => refuse(op, a, b, "="),
        },
        (_, Value::Tensor(_)) if !matches!(b, Value::Object(_)) => refuse(op, a, b, "="),
        (BinaryOp::BitOr, Value::Dict(entries)) => {
            dict::update(machine, entries, b)?;
            Ok(a.clone())
        }
        _ if let Some(done) = classes::operate_in_place(machine, a, op.symbol(), b) => done,
        _ => match (a, known(machine, op, a, b).map_err(|raise| of_place(a, raise))?) {
            (Value::Object(object), Some(value)) => match object.operate_in_place(op.symbol(), &value) {
                Some(done) => done.map(|()| a.clone()),
                None => Ok(value),
            },
            (_, Some(value)) => Ok(value),
            (_, None) => refuse(op, a, b, "="),
        },
    }
}

/// A failure of an operator as that of the one that changes `a` tells it.
fn of_place(a: &Value, raise: Raise) -> Raise {
    if let Value::Object(object) = a { object.failed_in_place(raise) } else { raise }
}

/// `-a`, `+a`, `~a`. Fails with a `TypeError` when the value does not know the operator.
pub fn unary(machine: &mut dyn Machine, op: UnaryOp, a: &Value) -> Outcome {
    let symbol = match op {
        UnaryOp::Neg => "-",
        UnaryOp::Pos => "+",
        UnaryOp::Invert => "~",
        UnaryOp::Not => return super::truth::truth(a).map(|t| Value::Bool(!t)),
    };
    if let Some(value) = number::unary(op, a) {
        return Ok(value);
    }
    if let Value::Object(object) = a
        && let Some(value) = Rc::clone(object).unary(machine, symbol)
    {
        return value;
    }
    fault!(TypeError, "bad operand type for unary {symbol}: '{}'", a.type_name())
}

/// `a op b`; none when neither knows the operator.
pub fn known(machine: &mut dyn Machine, op: BinaryOp, a: &Value, b: &Value) -> Outcome<Option<Value>> {
    if let Some(value) = number::binary(op, a, b)? {
        return Ok(Some(value));
    }
    if let (BinaryOp::Mod, Value::Str(format)) = (op, a) {
        let filled = match classes::plain(b) {
            items @ (Value::Tuple(_) | Value::Named(_) | Value::Dict(_)) => items,
            _ => b.clone(),
        };
        return percent::format(machine, format, &filled).map(|text| Some(Value::from(text)));
    }
    if let Some(value) = objects(machine, op, a, b) {
        return value.map(Some);
    }
    match op {
        BinaryOp::Add => concatenate(a, b),
        BinaryOp::Mul if matches!((a, b), (Value::Object(_), _) | (_, Value::Object(_))) => {
            let (a, b) = (classes::index(machine, a)?, classes::index(machine, b)?);
            multiply(&a, &b)
        }
        BinaryOp::Mul => multiply(a, b),
        BinaryOp::BitOr => match (a, b) {
            (Value::Dict(x), Value::Dict(y)) => Ok(Some(dict::union(&x.borrow(), &y.borrow()))),
            (Value::Class(_), _) => hint::either("|", a.clone(), b, false).transpose(),
            (_, Value::Class(_)) => hint::either("|", b.clone(), a, true).transpose(),
            _ => Ok(set::binary(op, a, b)),
        },
        BinaryOp::BitAnd | BinaryOp::BitXor | BinaryOp::Sub => Ok(set::binary(op, a, b)),
        _ => Ok(None),
    }
}

/// Asks objects, the left one first unless the right one's class builds on its.
fn objects(machine: &mut dyn Machine, op: BinaryOp, a: &Value, b: &Value) -> Option<Outcome> {
    let asked = match (a, b) {
        (Value::Object(_), Value::Object(_)) => classes::asked(a, b),
        _ => Asked::Left,
    };
    if let (Asked::Right, Value::Object(object)) = (asked, b)
        && let Some(value) = Rc::clone(object).operate(machine, op.symbol(), a, true)
    {
        return Some(value);
    }
    if let Value::Object(object) = a
        && let Some(value) = Rc::clone(object).operate(machine, op.symbol(), b, false)
    {
        return Some(value);
    }
    match b {
        Value::Object(object) if asked == Asked::Left => Rc::clone(object).operate(machine, op.symbol(), a, true),
        _ => None,
    }
}

/// `a + b` of two sequences of one kind; none when they are not.
fn concatenate(a: &Value, b: &Value) -> Outcome<Option<Value>> {
    Ok(Some(match (a, b) {
        (Value::Str(x), Value::Str(y)) => {
            limits::check_bytes(x.len() + y.len())?;
            let mut text = String::with_capacity(x.len() + y.len());
            text.push_str(x);
            text.push_str(y);
            Value::from(text)
        }
        (Value::Bytes(x), Value::Bytes(y)) => {
            limits::check_bytes(x.len() + y.len())?;
            Value::Bytes(Rc::new([&x[..], &y[..]].concat()))
        }
        (Value::List(x), Value::List(y)) => {
            limits::check_items(x.borrow().len() + y.borrow().len())?;
            Value::list([&x.borrow()[..], &y.borrow()[..]].concat())
        }
        _ => match (a.sequence(), b.sequence()) {
            (Some(x), Some(y)) => {
                limits::check_items(x.len() + y.len())?;
                super::tuple::joined(a, b, [x, y].concat())?
            }
            _ => return Ok(None),
        },
    }))
}

/// `sequence * n` and `n * sequence`; none when neither is a sequence.
fn multiply(a: &Value, b: &Value) -> Outcome<Option<Value>> {
    let (items, count) = if is_sequence(a) { (a, b) } else { (b, a) };
    if !is_sequence(items) {
        return Ok(None);
    }
    if convert::as_int(count)?.is_none() {
        fault!(TypeError, "can't multiply sequence by non-int of type '{}'", count.type_name());
    }
    let count = convert::to_count(count)?;
    Ok(Some(match items {
        Value::Str(s) => str::repeat(s, count)?,
        Value::Bytes(bytes) => Value::Bytes(Rc::new(sequence::repeat(bytes, count)?)),
        Value::List(list) => Value::list(sequence::repeat(&list.borrow(), count)?),
        Value::Tuple(_) if count == 1 => items.clone(),
        other => super::tuple::like(other, sequence::repeat(&other.sequence().unwrap_or_default(), count)?),
    }))
}

fn is_sequence(value: &Value) -> bool {
    matches!(value, Value::Str(_) | Value::Bytes(_) | Value::List(_) | Value::Tuple(_) | Value::Size(_) | Value::Named(_))
}

fn refuse(op: BinaryOp, a: &Value, b: &Value, assign: &str) -> Outcome {
    if op == BinaryOp::Add {
        match a {
            Value::Str(_) => fault!(TypeError, "can only concatenate str (not \"{}\") to str", b.type_name()),
            Value::List(_) => fault!(TypeError, "can only concatenate list (not \"{}\") to list", b.type_name()),
            Value::Tuple(_) | Value::Named(_) => {
                fault!(TypeError, "can only concatenate tuple (not \"{}\") to tuple", b.type_name())
            }
            Value::Size(_) => fault!(TypeError, "can only concatenate tuple (not {}) to torch.Size", b.type_name()),
            Value::Bytes(_) => return bytes::refuse_concatenation(b),
            _ => {}
        }
    }
    let symbol = match (op, assign) {
        (BinaryOp::Pow, "") => "** or pow()".to_string(),
        _ => format!("{}{assign}", op.symbol()),
    };
    fault!(TypeError, "unsupported operand type(s) for {symbol}: '{}' and '{}'", a.type_name(), b.type_name())
}
