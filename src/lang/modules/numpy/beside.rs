//! numpy's arrays and numbers in operators beside tensors.

use crate::dtype::{DType, promote};
use crate::lang::operators;
use crate::ops::exec;
use crate::syntax::ast::{BinaryOp, CompareOp};
use crate::tensor::Tensor;
use crate::value::{Machine, Outcome, Value};

/// What becomes of an operator between an array and a tensor.
pub(super) enum Answer {
    /// It is settled.
    Is(Outcome),
    /// Neither side takes the other.
    Refused,
    /// numpy computes, and the result is a tensor.
    Computed,
}

/// `number op tensor`, or the other way round when `reflected`: what Python's number of the same value gives.
pub(super) fn of_number(machine: &mut dyn Machine, op: &str, own: &Tensor, tensor: &Value, reflected: bool) -> Answer {
    let number = match exec::item(own) {
        Ok(number) => Value::from(number),
        Err(error) => return Answer::Is(Err(error.into())),
    };
    let (left, right) = if reflected { (tensor, &number) } else { (&number, tensor) };
    match (BinaryOp::from_symbol(op), CompareOp::from_symbol(op)) {
        (Some(BinaryOp::MatMul), _) | (None, None) => Answer::Refused,
        (Some(op), _) => Answer::Is(operators::binary(machine, op, left, right)),
        (_, Some(op)) => Answer::Is(operators::compare(machine, op, left, right)),
    }
}

/// `array op tensor`, or the other way round when `reflected`. Tensors leave sums to numpy and are left most of them by it.
pub(super) fn of_array(op: &str, reflected: bool) -> Answer {
    match op {
        "!=" => Answer::Is(Ok(Value::Bool(true))),
        "<" | "<=" | ">" | ">=" => Answer::Refused,
        "==" | "/" => Answer::Computed,
        _ if reflected => Answer::Computed,
        "+" => Answer::Is(refuse_concatenation()),
        _ => Answer::Refused,
    }
}

/// A tensor of what numpy computed, which has no truth values for PyTorch.
pub(super) fn of_numpy(result: Value) -> Outcome {
    Ok(match &result {
        Value::Tensor(t) if t.dtype() == DType::Bool => exec::cast(t, DType::U8)?.into(),
        _ => result,
    })
}

/// Gives the factors of a product of matrices the dtype that both promote to.
pub(super) fn level(args: &mut [Value]) -> Outcome<()> {
    let dtypes = args.iter().filter_map(|arg| if let Value::Tensor(t) = arg { Some(t.dtype()) } else { None });
    let Some(common) = dtypes.map(Some).reduce(|a, b| promote(a?, b?)).flatten() else { return Ok(()) };
    for arg in args {
        if let Value::Tensor(t) = arg
            && t.dtype() != common
        {
            *arg = exec::cast(t, common)?.into();
        }
    }
    Ok(())
}

fn refuse_concatenation() -> Outcome {
    fault!(
        TypeError,
        "Concatenation operation is not implemented for NumPy arrays, use np.concatenate() instead. Please do not rely on this error; it may not be given on all Python implementations."
    )
}
