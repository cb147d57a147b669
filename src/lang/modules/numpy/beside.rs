//! numpy's arrays and numbers in operators beside tensors.

use crate::diag::ErrorClass;
use crate::dtype::{DType, Kind};
use crate::lang::operators;
use crate::layout::{Dims, broadcast_sizes};
use crate::ops::{self, exec};
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
pub(super) fn of_number(machine: &mut dyn Machine, op: &str, number: &Value, tensor: &Value, reflected: bool) -> Answer {
    let (left, right) = if reflected { (tensor, number) } else { (number, tensor) };
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
pub(super) fn shown(t: &Tensor) -> String {
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

/// A failure of shapes where one array is written into: it is named again as the result.
pub(super) fn of_sizes_in_place(array: &Tensor, raise: Raise) -> Raise {
    let message = &raise.0.diagnostic.message;
    match message.starts_with("operands could not be broadcast together with shapes ") {
        true => Raise::new(ErrorClass::ValueError, format!("{message}{} ", shown(array))),
        false => raise,
    }
}

/// The functions of numpy that divide and leave something, for which complex numbers and truth values have no rule.
const DIVISIONS: &[&str] = &["floor_divide", "fmod", "pow", "remainder"];

/// Fails with a `TypeError` where numpy has no function for the kind of numbers: bits of floats, remainders of complex numbers.
/// Beside numbers, a truth value is one, and among those that are divided.
pub(super) fn check_kinds(name: &str, args: &mut [Value]) -> Outcome<()> {
    let is_float = |value: &Value| match value {
        Value::Float(_) | Value::Complex(_) => true,
        Value::Tensor(t) => !t.dtype().is_integral(true),
        _ => false,
    };
    let is_complex = |value: &Value| match value {
        Value::Complex(_) => true,
        Value::Tensor(t) => t.dtype().is_complex(),
        _ => false,
    };
    let divides = DIVISIONS.contains(&name);
    let of = |kind: Kind, size: usize| {
        args.iter().any(|arg| matches!(arg, Value::Tensor(t) if t.dtype().kind() == kind && t.dtype().size() >= size))
    };
    // No whole number holds those with a sign and those of eight bytes without.
    let has_no_kind = args.iter().any(is_float) || of(Kind::Unsigned, 8) && of(Kind::Signed, 1);
    let is_real = divides && name != "pow" || matches!(name, "atan2" | "copysign" | "fmod" | "heaviside" | "hypot" | "nextafter");
    let is_real = is_real || matches!(name, "ceil" | "floor" | "trunc");
    if name.starts_with("bitwise_") && has_no_kind || is_real && args.iter().any(is_complex) {
        let title = name.replace("bitwise_left", "left").replace("bitwise_right", "right").replace("bitwise_not", "invert");
        let title = title.replace("atan2", "arctan2");
        fault!(
            TypeError,
            "ufunc '{title}' not supported for the input types, and the inputs could not be safely coerced to any supported types according to the casting rule ''safe''"
        );
    }
    let of_truths = if of(Kind::Unsigned, 1) { DType::U8 } else { DType::I8 };
    let has_numbers = args.iter().any(|value| matches!(value, Value::Tensor(t) if t.dtype() != DType::Bool));
    for arg in args.iter_mut().filter(|_| divides || (name == "sub" && has_numbers)) {
        match arg {
            Value::Bool(truth) => *arg = Value::Int(i64::from(*truth)),
            Value::Tensor(truths) if truths.dtype() == DType::Bool => *arg = exec::cast(truths, of_truths)?.into(),
            _ => {}
        }
    }
    Ok(())
}

/// A failure of an index into an array, in numpy's words.
pub(super) fn of_index(array: &Tensor, key: &Value, raise: Raise) -> Raise {
    let message = &raise.0.diagnostic.message;
    let counts = |item: &&Value| !matches!(item, Value::Ellipsis | Value::None);
    let items = if let Value::Tuple(items) = key { items.iter().filter(counts).count() } else { 1 };
    let text = match raise.0.diagnostic.class {
        ErrorClass::IndexError if message.contains(" is out of bounds for dimension ") => {
            message.replace(" for dimension ", " for axis ")
        }
        ErrorClass::IndexError if message.starts_with("The shape of the mask [") => {
            match of_mask(message) {
                Some(text) => text,
                None => return raise,
            }
        }
        ErrorClass::IndexError if message.starts_with("too many indices") || message.starts_with("invalid index of a 0-dim") => {
            format!("too many indices for array: array is {}-dimensional, but {items} were indexed", array.ndim())
        }
        ErrorClass::IndexError if message.starts_with("tensors used as indices") => {
            "arrays used as indices must be of integer (or boolean) type".to_string()
        }
        ErrorClass::IndexError | ErrorClass::TypeError if message.contains("only integers") || message.contains("data type 'str'") => {
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices"
                .to_string()
        }
        _ => return raise,
    };
    Raise::new(ErrorClass::IndexError, text)
}

/// numpy's words for a mask that does not fit: `... mask [M] at index i ... tensor [T] at index j` names one size of each.
fn of_mask(message: &str) -> Option<String> {
    let mut parts = message.split('[').skip(1).map(|part| {
        let (sizes, rest) = part.split_once(']')?;
        let place: usize =
            rest.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect::<String>().parse().ok()?;
        Some((sizes.split(", ").nth(place)?, place))
    });
    let ((mask, _), (size, axis)) = (parts.next()??, parts.next()??);
    Some(format!(
        "boolean index did not match indexed array along axis {axis}; size of axis is {size} but size of corresponding boolean axis is {mask}"
    ))
}

/// Fails with a `ValueError` where a factor is a number, or the rows of one are not as long as the columns of the other.
pub(super) fn check_factors(args: &[Value]) -> Outcome<()> {
    let is_number = |value: &Value| value.as_number().is_some() || matches!(value, Value::Tensor(t) if t.ndim() == 0);
    if let Some(place) = args.iter().position(is_number) {
        fault!(
            ValueError,
            "matmul: Input operand {place} does not have enough dimensions (has 0, gufunc core with signature (n?,k),(k,m?)->(n?,m?) requires 1)"
        );
    }
    let [Value::Tensor(a), Value::Tensor(b)] = args else { return Ok(()) };
    let (a, b) = (a.sizes(), b.sizes());
    let (Some(length), Some(height)) = (a.last(), b.iter().rev().nth(usize::from(b.len() > 1))) else { return Ok(()) };
    if length != height {
        fault!(
            ValueError,
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) (size {height} is different from {length})"
        );
    }
    Ok(())
}

/// Fails with a `ValueError` where `numpy.dot` cannot multiply two arrays.
pub(super) fn check_aligned(args: &[Value]) -> Outcome<()> {
    let [Value::Tensor(a), Value::Tensor(b)] = args else { return Ok(()) };
    let (columns, place) = (a.ndim().saturating_sub(1), b.ndim().saturating_sub(2));
    match (a.sizes().get(columns), b.sizes().get(place)) {
        (Some(m), Some(n)) if m != n => {
            fault!(ValueError, "shapes {} and {} not aligned: {m} (dim {columns}) != {n} (dim {place})", shown(a), shown(b))
        }
        _ => Ok(()),
    }
}

/// For functions that put arrays above or beside each other: the dimensions that each must have, and the axis they are joined along.
pub(super) fn stacking(name: &str, arrays: &[Value]) -> Option<(usize, i64)> {
    let is_line = matches!(arrays.first(), Some(Value::Tensor(t)) if t.ndim() < 2);
    match name {
        "vstack" => Some((2, 0)),
        "hstack" => Some((1, i64::from(!is_line))),
        _ => None,
    }
}

/// Fails with a `ValueError` where arrays cannot be joined along an axis: into one, or with `stacked` side by side.
pub(super) fn check_joined(arrays: &[Value], axis: i64, stacked: bool) -> Outcome<()> {
    let sizes: Vec<Dims> =
        arrays.iter().filter_map(|value| if let Value::Tensor(t) = value { Some(t.sizes()) } else { None }).collect();
    let Some(first) = sizes.first() else {
        fault!(ValueError, "need at least one array to {}", if stacked { "stack" } else { "concatenate" })
    };
    let axis = if axis < 0 { axis + first.len() as i64 } else { axis };
    for (place, other) in sizes.iter().enumerate().skip(1) {
        if stacked && other != first {
            fault!(ValueError, "all input arrays must have the same shape");
        }
        if !stacked && other.len() != first.len() {
            fault!(
                ValueError,
                "all the input arrays must have same number of dimensions, but the array at index 0 has {} dimension(s) and the array at index {place} has {} dimension(s)",
                first.len(),
                other.len()
            );
        }
        let unlike = first.iter().zip(other.iter()).enumerate().find(|(dim, (a, b))| *dim as i64 != axis && a != b);
        if let (Some((dim, (a, b))), false) = (unlike, stacked) {
            fault!(
                ValueError,
                "all the input array dimensions except for the concatenation axis must match exactly, but along dimension {dim}, the array at index 0 has size {a} and the array at index {place} has size {b}"
            );
        }
    }
    Ok(())
}

/// Fails with a `ValueError` for the largest of no elements, or its place.
pub(super) fn check_filled(name: &str, array: &Tensor) -> Outcome<()> {
    let operation = match name {
        _ if array.numel() > 0 => return Ok(()),
        "argmax" | "argmin" => fault!(ValueError, "attempt to get {name} of an empty sequence"),
        "max" => "maximum",
        "min" => "minimum",
        _ => return Ok(()),
    };
    fault!(ValueError, "zero-size array to reduction operation {operation} which has no identity")
}

/// Complex numbers are ordered by their real parts, then by the others.
const COMPLEX_ORDER: &str = "\
a, b = torch.as_tensor(a), torch.as_tensor(b)
imag = lambda x: x.imag if x.is_complex() else torch.zeros_like(x)
first = torch.lt(a.real, b.real) if name in ('lt', 'le') else torch.gt(a.real, b.real)
first | ((a.real == b.real) & getattr(torch, name)(imag(a), imag(b)))";

/// What an operation gives; whole numbers divided by zero are zero to numpy, and leave zero.
pub(super) fn computed(machine: &mut dyn Machine, name: &str, args: Vec<Value>) -> Outcome {
    if let ("abs" | "ceil" | "floor" | "trunc", [Value::Tensor(truths)]) = (name, &args[..])
        && truths.dtype() == DType::Bool
    {
        return Ok(args[0].clone());
    }
    if let ("neg", [Value::Tensor(x)]) = (name, &args[..])
        && x.dtype().is_complex()
    {
        // Zeros change their signs, too.
        let names = [("x", args[0].clone())];
        return machine.eval_code("torch.view_as_complex(-torch.view_as_real(x.resolve_conj()))", &names);
    }
    let [a, b] = &args[..] else { return ops::call_function(machine, name, args) };
    let is_complex =
        |value: &Value| matches!(value, Value::Complex(_)) || matches!(value, Value::Tensor(t) if t.dtype().is_complex());
    if matches!(name, "ge" | "gt" | "le" | "lt") && (is_complex(a) || is_complex(b)) {
        let names = [("a", a.clone()), ("b", b.clone()), ("name", Value::from(name))];
        return machine.eval_code(COMPLEX_ORDER, &names);
    }
    let names = [("a", a.clone()), ("b", b.clone()), ("name", Value::from(name))];
    match ops::call_function(machine, name, args) {
        Err(raise) if raise.0.diagnostic.message == "ZeroDivisionError" => machine.eval_code(
            "a, b = torch.as_tensor(a), torch.as_tensor(b)\nzero = b == 0\nfound = getattr(torch, name)(a, torch.where(zero, 1, b))\ntorch.where(zero, 0, found)",
            &names,
        ),
        // What leaves nothing has the sign of the divisor.
        Ok(Value::Tensor(rest)) if name == "remainder" && rest.dtype().is_float() => machine.eval_code(
            "none = rest == 0\ntorch.where(none, torch.copysign(torch.zeros_like(rest), torch.as_tensor(b)), rest) if none.any() else rest",
            &[("rest", Value::Tensor(rest)), ("b", names[1].1.clone())],
        ),
        found => found,
    }
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

/// A failure of linear algebra in numpy's class and words.
pub(super) fn of_matrices(found: Outcome) -> Outcome {
    found.map_err(|raise| {
        let message = &raise.0.diagnostic.message;
        let text = match raise.0.diagnostic.class {
            ErrorClass::LinAlgError if message.contains("singular") => "Singular matrix",
            ErrorClass::LinAlgError if message.contains("positive-definite") => "Matrix is not positive definite",
            ErrorClass::RuntimeError if message.contains("must be batches of square matrices") => {
                "Last 2 dimensions of the array must be square"
            }
            ErrorClass::RuntimeError if message.contains("must have at least 2 dimensions") => {
                "1-dimensional array given. Array must be at least two-dimensional"
            }
            ErrorClass::LinAlgError => message,
            _ => return raise,
        };
        Raise::new(ErrorClass::ArrayLinAlgError, text.to_string())
    })
}
