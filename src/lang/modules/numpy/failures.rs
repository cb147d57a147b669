//! Failures in numpy's classes and words, where PyTorch's operations speak of tensors.

use super::array::unwrap;
use super::beside::{of_index, shown};
use crate::diag::ErrorClass;
use crate::dtype::DType;
use crate::lang::types::call::Call;
use crate::ops::{self, exec};
use crate::tensor::Tensor;
use crate::value::{Outcome, Raise, Value};

/// Operators whose functions have a name of their own in numpy.
const TITLES: &[(&str, &str)] = &[
    ("%", "remainder"),
    ("&", "bitwise_and"),
    ("*", "multiply"),
    ("**", "power"),
    ("+", "add"),
    ("-", "subtract"),
    ("/", "divide"),
    ("//", "floor_divide"),
    ("<<", "left_shift"),
    (">>", "right_shift"),
    ("@", "matmul"),
    ("^", "bitwise_xor"),
    ("|", "bitwise_or"),
];

/// The name of an operator's function.
pub(super) fn title(op: &str) -> &str {
    TITLES.iter().find(|(symbol, _)| *symbol == op).map_or(op, |(_, title)| title)
}

/// Functions of elements whose operation has another name.
const FUNCTIONS: &[(&str, &str)] = &[
    ("bitwise_left_shift", "left_shift"),
    ("bitwise_not", "invert"),
    ("bitwise_right_shift", "right_shift"),
    ("div", "divide"),
    ("eq", "equal"),
    ("ge", "greater_equal"),
    ("gt", "greater"),
    ("le", "less_equal"),
    ("lt", "less"),
    ("mul", "multiply"),
    ("ne", "not_equal"),
    ("neg", "negative"),
    ("round", "rint"),
    ("sub", "subtract"),
];

/// The name that numpy has for an operation.
pub(super) fn function(operation: &str) -> &str {
    FUNCTIONS.iter().find(|(known, _)| *known == operation).map_or(operation, |(_, title)| title)
}

/// What is said of an order of dimensions that is none, there and here.
const ORDERS: &[(&str, &str)] = &[
    ("permute(): duplicate dims are not allowed", "repeated axis in transpose"),
    ("does not match the length of the desired ordering of dimensions", "axes don't match array"),
];

/// A dimension that an array does not have is an `AxisError`.
pub(super) fn of_axis(raise: Raise) -> Raise {
    let message = &raise.0.diagnostic.message;
    for (said, text) in ORDERS {
        if message.contains(said) {
            return Raise::new(ErrorClass::ValueError, *text);
        }
    }
    let told = message.strip_prefix("Dimension out of range (expected to be in range of [-").and_then(|rest| {
        let (dims, rest) = rest.split_once(", ")?;
        let (_, axis) = rest.split_once("], but got ")?;
        Some(format!("axis {} is out of bounds for array of dimension {dims}", axis.trim_end_matches(')')))
    });
    match told {
        Some(text) if raise.0.diagnostic.class == ErrorClass::IndexError => Raise::new(ErrorClass::AxisError, text),
        _ => raise,
    }
}

/// Fails with a `ValueError` where the right side of a system of equations has another number of rows than the square on the left.
pub(super) fn check_system(args: &[Value]) -> Outcome<()> {
    let tensors: Vec<Tensor> =
        args.iter().filter_map(|arg| if let Value::Tensor(t) = unwrap(arg) { Some(t) } else { None }).collect();
    let [left, right] = &tensors[..] else { return Ok(()) };
    let (rows, columns) = match left.sizes()[..] {
        [.., rows, columns] => (rows, columns),
        _ => return Ok(()),
    };
    let (name, signature, given) = match right.sizes()[..] {
        [length] => ("solve1", "(m,m),(m)->(m)", length),
        [.., length, _] => ("solve", "(m,m),(m,n)->(m,n)", length),
        [] => return Ok(()),
    };
    if rows == columns && given != rows {
        fault!(
            ValueError,
            "{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature {signature} (size {given} is different from {rows})"
        );
    }
    Ok(())
}

/// Fails with a `ValueError` for an order that no norm has: of an array, with an order and perhaps dimensions.
pub(super) fn check_order(args: &[Value]) -> Outcome<()> {
    let [Value::Tensor(array), order, axis, ..] = args else { return Ok(()) };
    let dims = match axis {
        Value::None => array.ndim(),
        axes => axes.items().map_or(1, |axes| axes.len()),
    };
    let number = order.as_number().map(|n| n.to_f64().abs());
    match (dims, order) {
        (_, Value::None) => {}
        (1, Value::Str(name)) => fault!(ValueError, "Invalid norm order '{name}' for vectors"),
        (2, Value::Str(name)) if matches!(name.as_str(), "fro" | "nuc") => {}
        (2, _) if number.is_some_and(|n| n == 1.0 || n == 2.0 || n.is_infinite()) => {}
        (2, _) => fault!(ValueError, "Invalid norm order for matrices."),
        (3.., _) => fault!(ValueError, "Improper number of dimensions to norm."),
        _ => {}
    }
    Ok(())
}

/// Fails with a `TypeError` where one bound of two is given to `clip`.
pub(super) fn check_bounds(c: &Call<'_>) -> Outcome<()> {
    let given = |place: usize, name: &str| c.count() > place || c.keyword.iter().any(|(key, _)| &**key == name);
    match (given(1, "a_min"), given(2, "a_max")) {
        (true, false) => fault!(TypeError, "clip() missing 1 required positional argument: 'a_max'"),
        (false, true) => fault!(TypeError, "clip() missing 1 required positional argument: 'a_min'"),
        _ => Ok(()),
    }
}

/// Fails with a `ValueError` where a whole number has a negative exponent.
pub(super) fn check_exponents(base: &Value, exponent: &Value) -> Outcome<()> {
    let is_whole = |value: &Value| match value {
        Value::Int(_) | Value::BigInt(_) | Value::Bool(_) => true,
        Value::Tensor(t) => t.dtype().is_integral(true),
        _ => false,
    };
    let is_negative = match exponent {
        Value::Int(n) => *n < 0,
        Value::Tensor(t) if is_whole(exponent) && t.dtype() != DType::Bool => {
            exec::read_vec::<i64>(&exec::cast(t, DType::I64)?)?.iter().any(|n| *n < 0)
        }
        _ => false,
    };
    if is_negative && is_whole(base) {
        fault!(ValueError, "Integers to negative integer powers are not allowed.");
    }
    Ok(())
}

/// Fails with a `TypeError` for truth values that would be subtracted or negated.
pub(super) fn check_truths(op: &str, args: &[Value]) -> Outcome<()> {
    let is_truth = |value: &Value| match value {
        Value::Bool(_) => true,
        Value::Tensor(t) => t.dtype() == DType::Bool,
        _ => false,
    };
    if op != "-" || !args.iter().all(is_truth) {
        return Ok(());
    }
    if args.len() == 1 {
        fault!(
            TypeError,
            "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the logical_not function instead."
        );
    }
    fault!(
        TypeError,
        "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or the logical_xor function instead."
    )
}

/// A failure to write a value where an index of an array says.
pub(super) fn of_assignment(array: &Tensor, key: &Value, value: &Value, raise: Raise) -> Raise {
    let message = &raise.0.diagnostic.message;
    let refused = ["The expanded size of the tensor", "expand(", "shape mismatch: value tensor of shape"];
    if let (true, Value::Tensor(value)) = (refused.iter().any(|start| message.starts_with(start)), value)
        && let Ok(Value::Tensor(place)) = ops::index::get(array, key)
    {
        let (class, text) = misplaced(array.dtype(), key, &place, value);
        return Raise::new(class, text);
    }
    let whole = array.dtype().is_integral(false);
    match value {
        Value::Str(text) if message.starts_with("can't assign a str") => {
            let how = if whole { "invalid literal for int() with base 10:" } else { "could not convert string to float:" };
            Raise::new(ErrorClass::ValueError, format!("{how} '{}'", text.as_str()))
        }
        _ => of_index(array, key, raise),
    }
}

/// Class and sentence for a value of a shape that does not fit the place.
fn misplaced(dtype: DType, key: &Value, place: &Tensor, value: &Tensor) -> (ErrorClass, String) {
    let is_mask = |item: &Value| matches!(item, Value::Tensor(t) if t.dtype() == DType::Bool);
    let is_list = |item: &Value| matches!(item, Value::List(_)) || matches!(item, Value::Tensor(t) if t.ndim() > 0);
    let picks = if let Value::Tuple(items) = key { items.iter().any(is_list) } else { is_list(key) };
    if is_mask(key) && place.ndim() == 1 && value.ndim() == 1 {
        let (given, taken) = (value.numel(), place.numel());
        let text = format!(
            "NumPy boolean array indexing assignment cannot assign {given} input values to the {taken} output values where the mask is true"
        );
        return (ErrorClass::ValueError, text);
    }
    let text = if picks {
        format!(
            "shape mismatch: value array of shape {} could not be broadcast to indexing result of shape {}",
            shown(value),
            shown(place)
        )
    } else if place.ndim() > 0 {
        format!("could not broadcast input array from shape {} into shape {}", shown(value), shown(place))
    } else if dtype.is_integral(false) {
        let text = "int() argument must be a string, a bytes-like object or a real number, not 'list'";
        return (ErrorClass::TypeError, text.to_string());
    } else {
        "setting an array element with a sequence.".to_string()
    };
    (ErrorClass::ValueError, text)
}

/// An operator between an array and what is no number: it is equal to no element, and nothing is computed with it. None for a text
/// beside other operators.
pub(super) fn beside_no_number(array: &Tensor, op: &str, other: &Value, reflected: bool) -> Option<Outcome> {
    if matches!(op, "==" | "!=") {
        let truths = exec::zeros(&array.sizes(), DType::Bool, array.device());
        let found = truths.and_then(|truths| {
            if op == "!=" {
                exec::fill(&truths, crate::dtype::Number::Bool(true))?;
            }
            Ok(Value::Tensor(truths))
        });
        return Some(found.map_err(Raise::from));
    }
    if !matches!(other, Value::None) {
        return None;
    }
    let element = match array.dtype() {
        DType::Bool => "bool",
        dtype if dtype.is_complex() => "complex",
        dtype if dtype.is_float() => "float",
        _ => "int",
    };
    let (left, right) = if reflected { ("NoneType", element) } else { (element, "NoneType") };
    let text = match op {
        "<" | "<=" | ">" | ">=" => format!("'{op}' not supported between instances of '{left}' and '{right}'"),
        "**" => format!("unsupported operand type(s) for ** or pow(): '{left}' and '{right}'"),
        _ => format!("unsupported operand type(s) for {op}: '{left}' and '{right}'"),
    };
    Some(Err(Raise::new(ErrorClass::TypeError, text)))
}
