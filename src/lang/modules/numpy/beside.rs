//! numpy's arrays and numbers in operators beside tensors.

use crate::diag::ErrorClass;
use crate::dtype::{DType, promote};
use crate::lang::operators;
use crate::layout::{Dims, broadcast_sizes};
use crate::ops::exec;
use crate::syntax::ast::{BinaryOp, CompareOp};
use crate::tensor::Tensor;
use crate::value::{CallArgs, Machine, Outcome, Raise, Value};

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

/// Reductions that numpy leaves to a tensor, and the names it hands on to it.
const REDUCTIONS: &[(&str, &[&str])] = &[
    ("all", &["axis", "out"]),
    ("any", &["axis", "out"]),
    ("max", &["axis", "out"]),
    ("mean", &["axis", "dtype", "out"]),
    ("min", &["axis", "out"]),
    ("prod", &["axis", "out"]),
    ("std", &["axis", "dtype", "out", "ddof"]),
    ("sum", &["axis", "out"]),
    ("var", &["axis", "dtype", "out", "ddof"]),
];

/// `numpy.sum(tensor)` and the like: the tensor's own method, with numpy's arguments; none for what numpy computes.
pub(super) fn reduced(machine: &mut dyn Machine, name: &str, tensor: &Value, given: &CallArgs) -> Option<Outcome> {
    let (_, handed) = REDUCTIONS.iter().find(|(known, _)| *known == name)?;
    let named = |name: &str| given.keyword.iter().find(|(own, _)| &**own == name).map(|(_, value)| value.clone());
    let by_place = |name: &str| given.positional.first().filter(|_| name == "axis").cloned();
    let usual = |name: &str| if name == "ddof" { Value::Int(0) } else { Value::None };
    let own = handed.iter().map(|name| ((*name).into(), by_place(name).or(named(name)).unwrap_or(usual(name))));
    let more = given.keyword.iter().filter(|(name, _)| !handed.contains(&&**name)).cloned();
    let args = CallArgs { positional: vec![], keyword: own.chain(more).collect() };
    Some(machine.attr(tensor, name).and_then(|bound| machine.call(&bound, args)))
}

/// A shape as numpy shows it in its messages.
fn shown(t: &Tensor) -> String {
    let sizes: Vec<String> = t.sizes().iter().map(i64::to_string).collect();
    format!("({}{})", sizes.join(","), if sizes.len() == 1 { "," } else { "" })
}

/// Fails with a `ValueError` where the shapes of arrays do not fit together.
pub(super) fn check_sizes(args: &[Value]) -> Outcome<()> {
    let arrays: Vec<&Tensor> = args.iter().filter_map(|arg| if let Value::Tensor(t) = arg { Some(t) } else { None }).collect();
    let fits = arrays.iter().try_fold(Dims::default(), |sizes, t| broadcast_sizes(&sizes, &t.sizes()));
    if fits.is_err() {
        let shapes: Vec<String> = arrays.iter().map(|t| shown(t)).collect();
        fault!(ValueError, "operands could not be broadcast together with shapes {} ", shapes.join(" "));
    }
    Ok(())
}

/// Fails with a `TypeError` for bits of floats; beside numbers, a truth value is one.
pub(super) fn check_kinds(name: &str, args: &mut [Value]) -> Outcome<()> {
    let is_float = |value: &Value| match value {
        Value::Float(_) | Value::Complex(_) => true,
        Value::Tensor(t) => !t.dtype().is_integral(true),
        _ => false,
    };
    if name.starts_with("bitwise_") && args.iter().any(is_float) {
        let title = name.replace("bitwise_left", "left").replace("bitwise_right", "right").replace("bitwise_not", "invert");
        fault!(
            TypeError,
            "ufunc '{title}' not supported for the input types, and the inputs could not be safely coerced to any supported types according to the casting rule ''safe''"
        );
    }
    let has_numbers = args.iter().any(|value| matches!(value, Value::Tensor(t) if t.dtype() != DType::Bool));
    for arg in args.iter_mut().filter(|_| name == "sub" && has_numbers) {
        match arg {
            Value::Bool(truth) => *arg = Value::Int(i64::from(*truth)),
            Value::Tensor(truths) if truths.dtype() == DType::Bool => *arg = exec::cast(truths, DType::I8)?.into(),
            _ => {}
        }
    }
    Ok(())
}

/// A failure of numpy's, which blames the values of arrays where PyTorch speaks of its own.
pub(super) fn of_values(found: Outcome) -> Outcome {
    found.map_err(|raise| match raise.0.diagnostic.class {
        ErrorClass::RuntimeError | ErrorClass::TypeError => {
            Raise::new(ErrorClass::ValueError, raise.0.diagnostic.message.clone())
        }
        _ => raise,
    })
}
