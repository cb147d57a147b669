//! Operators over every value, tensors included, for built-in code that is handed values of any kind.

use super::truth as plain;
use crate::syntax::ast::CompareOp;
use crate::value::{Class, Machine, Outcome, Value};

pub use crate::lang::operators::{binary, compare, truth};

/// `bool(a == b)`.
pub fn equal(machine: &mut dyn Machine, a: &Value, b: &Value) -> Outcome<bool> {
    let answer = compare(machine, CompareOp::Eq, a, b)?;
    truth(&answer)
}

/// `bool(a < b)`.
pub fn less(machine: &mut dyn Machine, a: &Value, b: &Value) -> Outcome<bool> {
    let answer = compare(machine, CompareOp::Lt, a, b)?;
    truth(&answer)
}

/// `bool(a > b)`.
pub fn greater(machine: &mut dyn Machine, a: &Value, b: &Value) -> Outcome<bool> {
    let answer = compare(machine, CompareOp::Gt, a, b)?;
    truth(&answer)
}

/// `len(value)`. Fails with a `TypeError` when it has none.
pub fn len(value: &Value) -> Outcome<usize> {
    match value {
        Value::Tensor(t) => match t.sizes().first() {
            Some(len) => Ok(*len as usize),
            None => fault!(TypeError, "len() of a 0-d tensor"),
        },
        other => match plain::len(other) {
            Some(len) => Ok(len),
            None if matches!(other, Value::Object(object) if object.class() == Some(Class::NdArray)) => {
                fault!(TypeError, "len() of unsized object")
            }
            None => fault!(TypeError, "object of type '{}' has no len()", other.type_name()),
        },
    }
}
