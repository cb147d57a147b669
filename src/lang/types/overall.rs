//! Operators over every value, tensors included, for built-in code that is handed values of any kind.

use super::{compare as python, operate, truth as plain};
use crate::syntax::ast::{BinaryOp, CompareOp};
use crate::value::{Machine, Outcome, Value};

/// `a op b`.
pub fn binary(machine: &mut dyn Machine, op: BinaryOp, a: &Value, b: &Value) -> Outcome {
    operate::binary(machine, op, a, b)
}

/// `a op b` for `==`, `!=`, `<` and so on.
pub fn compare(machine: &mut dyn Machine, op: CompareOp, a: &Value, b: &Value) -> Outcome {
    python::compare(machine, op, a, b)
}

/// `bool(a == b)`.
pub fn equal(machine: &mut dyn Machine, a: &Value, b: &Value) -> Outcome<bool> {
    let answer = compare(machine, CompareOp::Eq, a, b)?;
    truth(machine, &answer)
}

/// `bool(a < b)`.
pub fn less(machine: &mut dyn Machine, a: &Value, b: &Value) -> Outcome<bool> {
    let answer = compare(machine, CompareOp::Lt, a, b)?;
    truth(machine, &answer)
}

/// `bool(a > b)`.
pub fn greater(machine: &mut dyn Machine, a: &Value, b: &Value) -> Outcome<bool> {
    let answer = compare(machine, CompareOp::Gt, a, b)?;
    truth(machine, &answer)
}

/// `len(value)`. Fails with a `TypeError` when it has none.
pub fn len(_machine: &mut dyn Machine, value: &Value) -> Outcome<usize> {
    match value {
        Value::Tensor(t) => match t.sizes().first() {
            Some(len) => Ok(*len as usize),
            None => fault!(TypeError, "len() of a 0-d tensor"),
        },
        other => match plain::len(other) {
            Some(len) => Ok(len),
            None => fault!(TypeError, "object of type '{}' has no len()", other.type_name()),
        },
    }
}

/// `bool(a)`.
pub fn truth(_machine: &mut dyn Machine, value: &Value) -> Outcome<bool> {
    plain::truth(value)
}
