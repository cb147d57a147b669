//! Gradients of complex numbers.
//!
//! The gradient of a function that has a derivative is that of the result times the conjugate of the derivative. So the rule that
//! holds for real numbers holds once more, with the conjugates of all that it reads. Rows say so.

use super::rules;
use crate::dtype::DType;
use crate::ops::{Op, call_method};
use crate::tensor::Tensor;
use crate::value::{Machine, Outcome, Value};
use anyhow::Result;
use num_complex::Complex64;

/// True when the rules of an operation are to read conjugates.
pub fn turns(op: &Op, results: &[Tensor], values: &[Value]) -> bool {
    let complex =
        |value: &Value| matches!(value, Value::Complex(_)) || matches!(value, Value::Tensor(t) if t.dtype().is_complex());
    let made = results.iter().any(|t| t.dtype().is_complex());
    let inside = |value: &Value| complex(value) || value.sequence().is_some_and(|items| items.iter().any(complex));
    op.reads_conjugates() == Some(true) && (made || values.iter().any(inside))
}

/// Functions that PyTorch has under other names where it refuses gradients of complex numbers.
const SPOKEN: [(&str, &str); 4] = [
    ("to_sparse", "_to_sparse"),
    ("to_sparse_coo", "_to_sparse"),
    ("to_sparse_csc", "_to_sparse_csc"),
    ("to_sparse_csr", "_to_sparse_csr"),
];

/// Fails where there is no gradient of complex numbers, for an operation whose rules hold for real ones only. What has no gradient at all
/// says so on the way back.
pub fn refuse(op: &Op, mut results: impl Iterator<Item = DType>) -> Result<()> {
    let has_none = || op.gradients.iter().all(|(_, text)| text.starts_with("raise RuntimeError"));
    if rules::has(op) && op.reads_conjugates().is_none() && results.any(DType::is_complex) && !has_none() {
        let name = op.name().rsplit('.').next().unwrap_or_default().trim_end_matches('_');
        let name = SPOKEN.iter().find(|(own, _)| *own == op.name()).map_or(name, |(_, spoken)| spoken);
        fault!(NotImplementedError, "{name} does not support automatic differentiation for outputs with complex dtype.");
    }
    Ok(())
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
