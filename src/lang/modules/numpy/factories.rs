//! Functions that make arrays of a size: zeros, ranges, diagonals.

use super::{array, bounds, keyword, same};
use crate::dtype::DType;
use crate::lang::types::call::Call;
use crate::lang::types::{convert, repr};
use crate::ops::{self, exec};
use crate::tensor::Tensor;
use crate::value::{Outcome, Value};

/// `linspace(start, stop, num, endpoint, retstep, dtype)`: the numbers and, where it is asked for, the step between them.
pub(super) fn linspace(c: &mut Call<'_>) -> Outcome {
    let given = |place: usize, usual: Value| c.get(place).map_or(usual, array::unwrap);
    let num = given(2, Value::Int(50));
    match &num {
        Value::Int(n) if *n < 0 => fault!(ValueError, "Number of samples, {n}, must be non-negative."),
        Value::Float(_) | Value::Str(_) => {
            fault!(TypeError, "'{}' object cannot be interpreted as an integer", num.type_name())
        }
        _ => {}
    }
    let dtype = c.some(5).map(array::dtype_of).transpose()?.flatten();
    let names = [
        ("start", given(0, Value::None)),
        ("stop", given(1, Value::None)),
        ("num", num),
        ("endpoint", given(3, Value::Bool(true))),
        ("retstep", given(4, Value::Bool(false))),
        ("dtype", dtype.map_or(Value::None, Value::DType)),
    ];
    let text = "\
parts = num - 1 if endpoint else num
made = torch.linspace(start, stop, num, dtype=torch.float64) if endpoint else torch.linspace(start, stop, num + 1, dtype=torch.float64)[:num]
made = made if dtype is None or dtype == made.dtype else made.floor().to(dtype) if not dtype.is_floating_point and not dtype.is_complex else made.to(dtype)
(made, torch.tensor((stop - start) / parts if parts else math.nan, dtype=torch.float64)) if retstep else made";
    let found = c.machine.eval_code(text, &names)?;
    match found.sequence() {
        Some(parts) => Ok(Value::tuple(parts.into_iter().map(array::wrap).collect::<Outcome<_>>()?)),
        None => Ok(array::wrap_array(found)),
    }
}

/// `eye(N, M, k, dtype)`: ones along a diagonal.
pub(super) fn eye(c: &mut Call<'_>) -> Outcome {
    let dtype = c.some(3).map(array::dtype_of).transpose()?.flatten().unwrap_or(DType::F64);
    if matches!(c.arg(0), Value::None) {
        fault!(TypeError, "'NoneType' object cannot be interpreted as an integer");
    }
    for size in [Some(c.arg(0)), c.some(1)].into_iter().flatten() {
        match size {
            Value::Int(..0) => fault!(ValueError, "negative dimensions are not allowed"),
            Value::Str(_) | Value::Float(_) => {
                fault!(TypeError, "'{}' object cannot be interpreted as an integer", size.type_name())
            }
            _ => {}
        }
    }
    let names = [
        ("rows", array::unwrap(c.arg(0))),
        ("columns", c.some(1).map_or_else(|| array::unwrap(c.arg(0)), array::unwrap)),
        ("k", c.some(2).map_or(Value::Int(0), array::unwrap)),
        ("dtype", Value::DType(dtype)),
    ];
    let text = "\
places = torch.arange(columns).unsqueeze(0) - torch.arange(rows).unsqueeze(1)
(places == k).to(dtype)";
    Ok(array::wrap_array(c.machine.eval_code(text, &names)?))
}

/// An array of the size of another, of its dtype or the one that is given.
pub(super) fn like(c: &mut Call<'_>, name: &str) -> Outcome {
    let Some(dtype) = keyword(c, "dtype").or(c.get(1).cloned()) else {
        return Ok(array::wrap_array(array::unwrap(&same(c, name)?)));
    };
    let dtype = array::dtype_of(&dtype)?.unwrap_or(DType::F64);
    let given = c.arg(0).clone();
    let array = array::unwrap(&array::from_data(c.machine, &given, None, false)?);
    Ok(array::wrap_array(array::call_as(c.machine, name, vec![array], dtype)?))
}

/// A factory with the dtype its arguments ask for, as numpy has it.
pub(super) fn made(c: &mut Call<'_>, name: &str) -> Outcome {
    check_taken(c, name)?;
    if name == "arange" {
        let args: Vec<f64> = c.args().iter().filter_map(|number| convert::to_float(number).ok()).collect();
        match args[..] {
            [] if c.count() == 0 && c.keyword.is_empty() => fault!(TypeError, "arange() requires stop to be specified."),
            [_, _, 0.0] => fault!(ZeroDivisionError, "division by zero"),
            // An end that is never met leaves nothing.
            [start, stop] if start > stop => return double_or_whole(c),
            [start, stop, step] if (stop - start) * step < 0.0 => return double_or_whole(c),
            _ => {}
        }
    }
    let floats = c.args().iter().any(|v| matches!(v, Value::Float(_)));
    let usual = if floats { DType::F64 } else { DType::I64 };
    let filled = c.get(1).filter(|_| name == "full").and_then(dtype_of_number);
    typed(c, name, filled.unwrap_or(usual))
}

/// The dtype of an array that is filled with a number; none where ints and floats alone are told apart.
fn dtype_of_number(number: &Value) -> Option<DType> {
    match number {
        Value::Bool(_) => Some(DType::Bool),
        Value::Complex(_) => Some(DType::C128),
        Value::Tensor(one) => Some(one.dtype()),
        Value::Object(object) => Some(object.as_array()?.dtype()),
        _ => None,
    }
}

/// A range of nothing, of the dtype that its numbers ask for.
fn double_or_whole(c: &mut Call<'_>) -> Outcome {
    let floats = c.args().iter().any(|v| matches!(v, Value::Float(_)));
    let usual = if floats { DType::F64 } else { DType::I64 };
    let dtype = keyword(c, "dtype").map(|kind| array::dtype_of(&kind)).transpose()?.flatten().unwrap_or(usual);
    Ok(array::wrap_array(exec::zeros(&[0], dtype, crate::device::DeviceId::Cpu)?.into()))
}

/// A factory of float64, unless another dtype is given.
pub(super) fn double(c: &mut Call<'_>, name: &str) -> Outcome {
    check_taken(c, name)?;
    typed(c, name, DType::F64)
}

/// The size that a factory is given, with ints for whatever stands for one. Fails with a `TypeError` for what is none.
fn shape_of(name: &str, given: &Value) -> Outcome {
    match given {
        Value::None if name == "zeros" => fault!(TypeError, "Use () not None as shape arguments"),
        Value::None | Value::Int(_) => return Ok(given.clone()),
        Value::BigInt(_) => fault!(ValueError, "Maximum allowed dimension exceeded"),
        Value::Str(_) => fault!(TypeError, "'{}' object cannot be interpreted as an integer", given.type_name()),
        _ => {}
    }
    if let Some(int) = whole(given) {
        return Ok(Value::Int(int));
    }
    let listed = match given {
        Value::List(_) | Value::Tuple(_) | Value::Size(_) => given.items(),
        Value::Range(range) => Some((0..range.len()).map(|k| Value::Int(range.at(k))).collect()),
        Value::Object(object) => object.as_array().filter(|array| array.ndim() == 1).map(|array| numbers(&array)).transpose()?,
        _ => None,
    };
    let Some(items) = listed else {
        fault!(TypeError, "expected a sequence of integers or a single integer, got '{}'", repr::repr(given)?)
    };
    Ok(Value::tuple(items.iter().map(size_of).collect::<Outcome<_>>()?))
}

/// One of several sizes.
fn size_of(item: &Value) -> Outcome {
    match (whole(item), item) {
        (Some(int), _) => Ok(Value::Int(int)),
        (None, Value::Bool(_)) => fault!(TypeError, "an integer is required"),
        (None, Value::BigInt(_)) => fault!(ValueError, "Maximum allowed dimension exceeded"),
        (None, Value::Tensor(_)) => {
            fault!(TypeError, "only integer tensors of a single element can be converted to an index")
        }
        _ => fault!(TypeError, "'{}' object cannot be interpreted as an integer", item.type_name()),
    }
}

/// An int, or the one in a tensor of a single element or in a number of numpy.
fn whole(value: &Value) -> Option<i64> {
    let one = match value {
        Value::Int(int) => return Some(*int),
        Value::Tensor(tensor) => tensor.clone(),
        Value::Object(object) => object.as_array().filter(|array| array.ndim() == 0)?,
        _ => return None,
    };
    let is_index = one.numel() == 1 && one.dtype().is_integral(false);
    is_index.then(|| exec::item(&one).ok().map(|int| int.to_i64()))?
}

/// The numbers of an array of one dimension.
fn numbers(array: &Tensor) -> Outcome<Vec<Value>> {
    (0..array.numel()).map(|k| array::wrap(ops::index::get(array, &Value::Int(k))?)).collect()
}

/// What a factory takes: its name, whether it is written in Python, its parameters and how many of them must be given.
const TAKEN: &[(&str, bool, &[&str], usize)] = &[
    ("arange", false, &["start", "stop", "step", "dtype"], 0),
    ("empty", false, &["shape", "dtype", "order"], 1),
    ("full", true, &["shape", "fill_value", "dtype", "order"], 2),
    ("ones", true, &["shape", "dtype", "order"], 1),
    ("zeros", false, &["shape", "dtype", "order"], 1),
];

/// Fails with a `TypeError` for an argument that a factory does not know, or one that it lacks.
pub(super) fn check_taken(c: &Call<'_>, name: &str) -> Outcome<()> {
    let Some((_, is_python, names, required)) = TAKEN.iter().find(|(known, ..)| *known == name) else { return Ok(()) };
    let given = |name: &str| c.keyword.iter().any(|(key, _)| &**key == name);
    if let Some((key, _)) = c.keyword.iter().find(|(key, _)| !names.contains(&&**key) && !matches!(&**key, "device" | "like")) {
        fault!(TypeError, "{name}() got an unexpected keyword argument '{key}'");
    }
    let (count, most) = (c.count(), names.len());
    if count > most {
        fault!(TypeError, "{name}() takes from {required} to {most} positional arguments but {count} were given");
    }
    let missing: Vec<String> =
        names[..*required].iter().skip(count).filter(|name| !given(name)).map(|name| format!("'{name}'")).collect();
    match missing.len() {
        0 => Ok(()),
        _ if !is_python => fault!(TypeError, "{name}() missing required argument {} (pos 0)", missing[0]),
        1 => fault!(TypeError, "{name}() missing 1 required positional argument: {}", missing[0]),
        several => fault!(TypeError, "{name}() missing {several} required positional arguments: {}", missing.join(" and ")),
    }
}

fn typed(c: &mut Call<'_>, name: &str, default: DType) -> Outcome {
    let mut args = c.args();
    args.extend(c.take_keyword("shape").filter(|_| args.is_empty() && matches!(name, "zeros" | "ones" | "full")));
    let is_dtype = |v: &Value| matches!(v, Value::Object(_) | Value::Class(_) | Value::Str(_)) && array::dtype_of(v).is_ok();
    let by_place = args.last().filter(|_| args.len() > 1).cloned().filter(is_dtype);
    if by_place.is_some() {
        args.pop();
    }
    let dtype = match keyword(c, "dtype").or(by_place) {
        Some(dtype) => {
            array::refuse_dtype(&dtype)?;
            array::dtype_of(&dtype)?.unwrap_or(default)
        }
        None => default,
    };
    if let ("zeros" | "ones" | "full", Some(shape)) = (name, args.first_mut()) {
        *shape = shape_of(name, shape)?;
    }
    let sizes = args.first().map(|shape| shape.items().unwrap_or_else(|| vec![shape.clone()])).unwrap_or_default();
    if matches!(name, "zeros" | "ones" | "full") && sizes.iter().any(|n| matches!(n, Value::Int(..=-1))) {
        fault!(ValueError, "negative dimensions are not allowed");
    }
    if let ("full", [shape, list @ (Value::List(_) | Value::Tuple(_))]) = (name, &args[..]) {
        let (shape, list) = (shape.clone(), list.clone());
        let kind = keyword(c, "dtype");
        let names = [("values", array::from_data(c.machine, &list, kind, true)?), ("shape", shape)];
        return c.machine.eval_code("import numpy\nnumpy.broadcast_to(values, shape).copy()", &names);
    }
    if let ("full", [shape, number, ..]) = (name, args.as_mut_slice()) {
        if let Value::Int(length) = shape {
            *shape = Value::tuple(vec![Value::Int(*length)]);
        }
        bounds::check(number, dtype)?;
    }
    let made = array::call_as(c.machine, name, args, dtype)?;
    if !matches!(keyword(c, "order"), Some(Value::Str(order)) if order.as_str() == "F") {
        return Ok(array::wrap_array(made));
    }
    let by_columns = "every = tuple(range(a.dim() - 1, -1, -1))\na.permute(every).contiguous().permute(every)";
    Ok(array::wrap_array(c.machine.eval_code(by_columns, &[("a", made)])?))
}
