//! Gradients of complex numbers.
//!
//! The gradient of a function that has a derivative is that of the result times the conjugate of the derivative. So the rule that
//! holds for real numbers holds once more, with the conjugates of all that it reads. Rows say so.

use super::rules;
use crate::ops::{Op, call_method};
use crate::tensor::Tensor;
use crate::value::{Machine, Outcome, Value};
use num_complex::Complex64;

/// True when the rules of an operation are to read conjugates. Fails where there is no gradient of complex numbers.
pub fn turns(op: &Op, results: &[Tensor], values: &[Value]) -> Outcome<bool> {
    if !rules::has(op) {
        return Ok(false);
    }
    let complex =
        |value: &Value| matches!(value, Value::Complex(_)) || matches!(value, Value::Tensor(t) if t.dtype().is_complex());
    let made = results.iter().any(|t| t.dtype().is_complex());
    let inside = |value: &Value| complex(value) || value.sequence().is_some_and(|items| items.iter().any(complex));
    match op.reads_conjugates() {
        None if made => fault!(NotImplementedError, "tsr does not have the gradient of {} of complex numbers yet", op.name()),
        conjugates => Ok(conjugates == Some(true) && (made || values.iter().any(inside))),
    }
}

/// The conjugate of a number or a tensor, or of those in a list; what is real as it is.
pub fn conjugated(machine: &mut dyn Machine, value: &Value) -> Outcome {
    match value {
        Value::Complex(z) => Ok(Complex64::new(z.re, -z.im).into()),
        Value::Tensor(t) if t.dtype().is_complex() => call_method(machine, "conj", vec![value.clone()]),
        Value::Tuple(items) => Ok(Value::tuple(items.iter().map(|item| conjugated(machine, item)).collect::<Outcome<_>>()?)),
        Value::List(items) => {
            let items = items.borrow().clone();
            Ok(Value::list(items.iter().map(|item| conjugated(machine, item)).collect::<Outcome<_>>()?))
        }
        other => Ok(other.clone()),
    }
}
