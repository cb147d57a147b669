//! The part of numpy that tensor scripts use: host arrays that share memory with tensors.
//!
//! An array is a tensor behind numpy's names and texts; what it computes, the table of operations computes.

mod array;
mod backward;
mod beside;
mod bounds;
mod dtypes;
mod factories;
mod failures;
mod grids;
mod limits;
mod load;
mod memory;
mod methods;
mod nested;
mod print_options;
mod promotion;
pub mod random;
mod reduce;
mod unsigned;
pub mod written;

pub use array::{TENSOR_METHODS, wrap};

use crate::diag::ErrorClass;
use crate::dtype::DType;
use crate::lang::types::call::{Builtin, Call, Table, Takes, def, named, row};
use crate::lang::types::{convert, iter};
use crate::ops::{self, exec};
use crate::value::{CallArgs, Class, Outcome, Value};

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "numpy",
    rows: Table::sorted(&[
        row("abs", Takes::Any, |c| same(c, "abs")),
        row("absolute", Takes::Any, |c| same(c, "abs")),
        row("acos", Takes::Any, |c| same(c, "acos")),
        row("acosh", Takes::Any, |c| same(c, "acosh")),
        row("add", Takes::Any, |c| same(c, "add")),
        row("all", Takes::Any, |c| methods::called(c, "all")),
        row("allclose", def(&["a", "b", "rtol", "atol", "equal_nan"], 2, 5), |c| close(c, "allclose")),
        row("amax", Takes::Any, |c| methods::called(c, "max")),
        row("amin", Takes::Any, |c| methods::called(c, "min")),
        row("any", Takes::Any, |c| methods::called(c, "any")),
        row("arange", Takes::Any, |c| factories::made(c, "arange")),
        row("arccos", Takes::Any, |c| same(c, "acos")),
        row("arccosh", Takes::Any, |c| same(c, "acosh")),
        row("arcsin", Takes::Any, |c| same(c, "asin")),
        row("arcsinh", Takes::Any, |c| same(c, "asinh")),
        row("arctan", Takes::Any, |c| same(c, "atan")),
        row("arctan2", Takes::Any, |c| same(c, "atan2")),
        row("arctanh", Takes::Any, |c| same(c, "atanh")),
        row("argmax", Takes::Any, |c| methods::called(c, "argmax")),
        row("argmin", Takes::Any, |c| methods::called(c, "argmin")),
        row("argsort", def(&["a", "axis", "kind", "order", "stable"], 1, 4), |c| {
            let (given, axis) = (c.arg(0).clone(), c.get(1).cloned().unwrap_or(Value::Int(-1)));
            let of_tensor = matches!(given, Value::Tensor(_));
            let array = array::unwrap(&array::from_data(c.machine, &given, None, false)?);
            let names = [("a", array), ("axis", axis)];
            let text = "(a.flatten() if axis is None else a).argsort(dim=-1 if axis is None else axis, stable=True)";
            let found = c.machine.eval_code(text, &names).map_err(failures::of_axis)?;
            Ok(if of_tensor { found } else { array::wrap_array(found) })
        }),
        row("around", named(&["a", "decimals", "out"], 1), rounded),
        row("array", def(&["object", "dtype", "copy", "order", "ndmin"], 1, 2), array::of_array),
        row("array_equal", def(&["a1", "a2", "equal_nan"], 2, 3), |c| {
            let mut arrays = vec![];
            for data in [c.arg(0).clone(), c.arg(1).clone()] {
                arrays.push(array::unwrap(&array::from_data(c.machine, &data, None, false)?));
            }
            promotion::level(&mut arrays, false)?;
            let same_nan = c.some(2).cloned().unwrap_or(Value::Bool(false));
            let names = [("a", arrays[0].clone()), ("b", arrays[1].clone()), ("equal_nan", same_nan)];
            let text = "\
alike = lambda: (a == b) | (a != a) & (b != b) if equal_nan else a == b
a.shape == b.shape and bool(alike().all())";
            c.machine.eval_code(text, &names)
        }),
        row("asanyarray", def(&["a", "dtype"], 1, 2), |c| array::of_call(c, false)),
        row("asarray", def(&["a", "dtype"], 1, 2), |c| array::of_call(c, false)),
        row("asin", Takes::Any, |c| same(c, "asin")),
        row("asinh", Takes::Any, |c| same(c, "asinh")),
        row("atan", Takes::Any, |c| same(c, "atan")),
        row("atan2", Takes::Any, |c| same(c, "atan2")),
        row("atanh", Takes::Any, |c| same(c, "atanh")),
        row("bitwise_and", Takes::Any, |c| same(c, "bitwise_and")),
        row("bitwise_not", Takes::Any, |c| same(c, "bitwise_not")),
        row("bitwise_or", Takes::Any, |c| same(c, "bitwise_or")),
        row("bitwise_xor", Takes::Any, |c| same(c, "bitwise_xor")),
        row("can_cast", def(&["from_", "to", "casting"], 2, 3), promotion::can_cast),
        row("ceil", Takes::Any, |c| same(c, "ceil")),
        row("clip", Takes::Any, |c| {
            failures::check_bounds(c)?;
            // Without a bound nothing is done.
            methods::called(c, if c.count() == 1 && c.keyword.is_empty() { "copy" } else { "clip" })
        }),
        row("concat", def(&["arrays", "axis"], 1, 2), |c| joined(c, "cat")),
        row("concatenate", def(&["arrays", "axis"], 1, 2), |c| joined(c, "cat")),
        row("conj", Takes::Any, |c| same(c, "conj")),
        row("conjugate", Takes::Any, |c| same(c, "conj")),
        row("copysign", Takes::Any, |c| same(c, "copysign")),
        row("cos", Takes::Any, |c| same(c, "cos")),
        row("cosh", Takes::Any, |c| same(c, "cosh")),
        row("cross", Takes::Any, |c| same(c, "cross")),
        row("cumprod", Takes::Any, |c| methods::called(c, "cumprod")),
        row("cumsum", Takes::Any, |c| methods::called(c, "cumsum")),
        row("deg2rad", Takes::Any, |c| same(c, "deg2rad")),
        row("degrees", Takes::Any, |c| same(c, "rad2deg")),
        row("diag", Takes::Any, |c| same(c, "diag")),
        row("divide", Takes::Any, |c| same(c, "div")),
        row("dot", def(&["a", "b"], 2, 2), |c| {
            let factors: Vec<Value> = c.args().iter().map(array::unwrap).collect();
            // A number multiplies every element.
            let is_number = |factor: &Value| matches!(factor, Value::Tensor(t) if t.ndim() == 0) || factor.as_number().is_some();
            if factors.len() == 2 && factors.iter().any(is_number) {
                return wrap(array::unwrap(&same(c, "mul")?));
            }
            beside::check_aligned(&factors)?;
            wrap(array::unwrap(&same(c, "matmul")?))
        }),
        row("dtype", Takes::One, dtype),
        row("empty", Takes::Any, |c| {
            factories::check_taken(c, "empty")?;
            factories::double(c, "zeros")
        }),
        row("equal", Takes::Any, |c| same(c, "eq")),
        row("exp", Takes::Any, |c| same(c, "exp")),
        row("exp2", Takes::Any, |c| same(c, "exp2")),
        row("expand_dims", def(&["a", "axis"], 2, 2), |c| same(c, "unsqueeze")),
        row("expm1", Takes::Any, |c| same(c, "expm1")),
        row("eye", def(&["N", "M", "k", "dtype"], 1, 4), factories::eye),
        row("fabs", Takes::Any, |c| same(c, "abs")),
        row("finfo", Takes::One, limits::finfo),
        row("fix", Takes::Any, |c| same(c, "trunc")),
        row("flip", def(&["m", "axis"], 1, 2), flip),
        row("float_power", Takes::Any, |c| same(c, "float_power")),
        row("floor", Takes::Any, |c| same(c, "floor")),
        row("floor_divide", Takes::Any, |c| same(c, "floor_divide")),
        row("fmax", Takes::Any, |c| same(c, "fmax")),
        row("fmin", Takes::Any, |c| same(c, "fmin")),
        row("fmod", Takes::Any, |c| same(c, "fmod")),
        row("from_dlpack", Takes::One, |c| {
            let given = c.arg(0).clone();
            Ok(array::wrap_array(array::unwrap(&array::from_data(c.machine, &given, None, false)?)))
        }),
        row("full", Takes::Any, |c| factories::made(c, "full")),
        row("gcd", Takes::Any, |c| same(c, "gcd")),
        row("greater", Takes::Any, |c| same(c, "gt")),
        row("greater_equal", Takes::Any, |c| same(c, "ge")),
        row("heaviside", Takes::Any, |c| same(c, "heaviside")),
        row("hstack", Takes::One, |c| joined(c, "hstack")),
        row("hypot", Takes::Any, |c| same(c, "hypot")),
        row("iinfo", Takes::One, limits::iinfo),
        row("imag", Takes::One, |c| {
            let names = [("x", c.arg(0).clone())];
            c.machine.eval_code("import numpy\nnumpy.asarray(x).imag", &names)
        }),
        row("invert", Takes::Any, |c| same(c, "bitwise_not")),
        row("isclose", def(&["a", "b", "rtol", "atol", "equal_nan"], 2, 5), |c| close(c, "isclose")),
        row("isfinite", Takes::Any, |c| same(c, "isfinite")),
        row("isinf", Takes::Any, |c| same(c, "isinf")),
        row("isnan", Takes::Any, |c| same(c, "isnan")),
        row("isneginf", Takes::Any, |c| same(c, "isneginf")),
        row("isposinf", Takes::Any, |c| same(c, "isposinf")),
        row("isreal", Takes::Any, |c| same(c, "isreal")),
        row("isscalar", Takes::One, |c| {
            let is_text = matches!(c.arg(0), Value::Str(_) | Value::Bytes(_));
            let is_plain =
                matches!(c.arg(0), Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Complex(_));
            Ok(Value::Bool(is_text || is_plain || array::scalar_dtype(c.arg(0)).is_some()))
        }),
        row("issubdtype", def(&["arg1", "arg2"], 2, 2), |c| Ok(Value::Bool(dtypes::is_sub_dtype(c.arg(0), c.arg(1))?))),
        row("kron", Takes::Any, |c| same(c, "kron")),
        row("lcm", Takes::Any, |c| same(c, "lcm")),
        row("left_shift", Takes::Any, |c| same(c, "bitwise_left_shift")),
        row("less", Takes::Any, |c| same(c, "lt")),
        row("less_equal", Takes::Any, |c| same(c, "le")),
        row("linspace", def(&["start", "stop", "num", "endpoint", "retstep", "dtype"], 2, 6), factories::linspace),
        row("loadtxt", Takes::Any, load::loadtxt),
        row("log", Takes::Any, |c| same(c, "log")),
        row("log10", Takes::Any, |c| same(c, "log10")),
        row("log1p", Takes::Any, |c| same(c, "log1p")),
        row("log2", Takes::Any, |c| same(c, "log2")),
        row("logaddexp", Takes::Any, |c| same(c, "logaddexp")),
        row("logaddexp2", Takes::Any, |c| same(c, "logaddexp2")),
        row("logical_and", Takes::Any, |c| same(c, "logical_and")),
        row("logical_not", Takes::Any, |c| same(c, "logical_not")),
        row("logical_or", Takes::Any, |c| same(c, "logical_or")),
        row("logical_xor", Takes::Any, |c| same(c, "logical_xor")),
        row("matmul", Takes::Any, |c| same(c, "matmul")),
        row("max", Takes::Any, |c| methods::called(c, "max")),
        row("maximum", Takes::Any, |c| same(c, "maximum")),
        row("may_share_memory", Takes::Between(2, 2), |c| memory::shares(c, false)),
        row("mean", Takes::Any, |c| methods::called(c, "mean")),
        row("meshgrid", Takes::Any, meshgrid),
        row("min", Takes::Any, |c| methods::called(c, "min")),
        row("minimum", Takes::Any, |c| same(c, "minimum")),
        row("mod", Takes::Any, |c| same(c, "remainder")),
        row("multiply", Takes::Any, |c| same(c, "mul")),
        row("negative", Takes::Any, |c| same(c, "neg")),
        row("nextafter", Takes::Any, |c| same(c, "nextafter")),
        row("not_equal", Takes::Any, |c| same(c, "ne")),
        row("ones", Takes::Any, |c| factories::double(c, "ones")),
        row("ones_like", Takes::Any, |c| factories::like(c, "ones_like")),
        row("positive", Takes::Any, |c| same(c, "positive")),
        row("pow", Takes::Any, |c| same(c, "pow")),
        row("power", Takes::Any, |c| same(c, "pow")),
        row("prod", Takes::Any, |c| methods::called(c, "prod")),
        row("promote_types", def(&["type1", "type2"], 2, 2), promotion::promote_types),
        row("rad2deg", Takes::Any, |c| same(c, "rad2deg")),
        row("radians", Takes::Any, |c| same(c, "deg2rad")),
        row("ravel", Takes::Any, |c| methods::called(c, "ravel")),
        row("real", Takes::Any, |c| same(c, "real")),
        row("reciprocal", Takes::Any, |c| same(c, "reciprocal")),
        row("remainder", Takes::Any, |c| same(c, "remainder")),
        row("reshape", Takes::Any, |c| methods::called(c, "reshape")),
        row("result_type", Takes::Any, promotion::result_type),
        row("right_shift", Takes::Any, |c| same(c, "bitwise_right_shift")),
        row("rint", Takes::Any, |c| same(c, "round")),
        row("round", named(&["a", "decimals", "out"], 1), rounded),
        // A tensor is asked itself.
        row("shape", def(&["a"], 1, 1), |c| {
            let given = c.arg(0).clone();
            let asked = match given {
                Value::Tensor(_) => given,
                other => array::wrap_array(array::unwrap(&array::from_data(c.machine, &other, None, false)?)),
            };
            c.machine.attr(&asked, "shape")
        }),
        row("shares_memory", Takes::Between(2, 2), |c| memory::shares(c, true)),
        row("sign", Takes::Any, |c| same(c, "sign")),
        row("signbit", Takes::Any, |c| same(c, "signbit")),
        row("sin", Takes::Any, |c| same(c, "sin")),
        row("sinc", Takes::Any, |c| same(c, "sinc")),
        row("sinh", Takes::Any, |c| same(c, "sinh")),
        row("sort", def(&["a", "axis", "kind", "order", "stable"], 1, 4), |c| {
            let axis = c.get(1).cloned();
            let given = c.arg(0).clone();
            let given = array::unwrap(&array::from_data(c.machine, &given, None, false)?);
            let args = std::iter::once(given).chain(axis).collect();
            let sorted = unsigned::call(c.machine, "sort", args).map_err(failures::of_axis)?;
            wrap(sorted.sequence().and_then(|parts| parts.first().cloned()).unwrap_or(Value::None))
        }),
        row("sqrt", Takes::Any, |c| same(c, "sqrt")),
        row("square", Takes::Any, |c| same(c, "square")),
        row("squeeze", Takes::Any, |c| methods::called(c, "squeeze")),
        row("stack", def(&["arrays", "axis"], 1, 2), |c| joined(c, "stack")),
        row("std", Takes::Any, |c| methods::called(c, "std")),
        row("subtract", Takes::Any, |c| same(c, "sub")),
        row("sum", Takes::Any, |c| methods::called(c, "sum")),
        row("tan", Takes::Any, |c| same(c, "tan")),
        row("tanh", Takes::Any, |c| same(c, "tanh")),
        row("tile", def(&["A", "reps"], 2, 2), |c| {
            let (given, times) = (c.arg(0).clone(), c.arg(1).clone());
            let given = array::unwrap(&array::from_data(c.machine, &given, None, false)?);
            let times = Value::tuple(times.items().unwrap_or_else(|| vec![times.clone()]));
            wrap(ops::call_function(c.machine, "tile", vec![given, times])?)
        }),
        row("transpose", Takes::Any, |c| methods::called(c, "transpose")),
        row("tril", Takes::Any, |c| same(c, "tril")),
        row("triu", Takes::Any, |c| same(c, "triu")),
        row("true_divide", Takes::Any, |c| same(c, "div")),
        row("trunc", Takes::Any, |c| same(c, "trunc")),
        row("unique", def(&["ar", "return_index", "return_inverse", "return_counts"], 1, 4), unique),
        row("var", Takes::Any, |c| methods::called(c, "var")),
        row("vstack", Takes::One, |c| joined(c, "vstack")),
        row("where", Takes::Any, |c| {
            if c.count() == 2 {
                fault!(ValueError, "either both or neither of x and y should be given");
            }
            same(c, "where")
        }),
        row("zeros", Takes::Any, |c| factories::double(c, "zeros")),
        row("zeros_like", Takes::Any, |c| factories::like(c, "zeros_like")),
    ]),
};

/// Functions whose results are floats, whatever they are given.
#[rustfmt::skip] // a list
const FLOAT_FUNCTIONS: &[&str] = &[
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "copysign", "cos", "cosh", "deg2rad", "div", "exp", "exp2", "expm1", "heaviside", "hypot",
    "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "nextafter", "rad2deg", "round", "sin", "sinc", "sinh", "sqrt", "tan", "tanh",
];

/// The functions of `numpy.linalg`.
pub static LINALG: Table = Table {
    owner: "numpy.linalg",
    rows: Table::sorted(&[
        row("cholesky", Takes::One, |c| of_floats(c, "linalg.cholesky")),
        row("eigvalsh", Takes::One, |c| of_floats(c, "linalg.eigvalsh")),
        row("inv", Takes::One, |c| of_floats(c, "linalg.inv")),
        row("matrix_power", Takes::Between(2, 2), |c| {
            if matches!(c.arg(1), Value::Float(_) | Value::Str(_) | Value::None) {
                fault!(TypeError, "exponent must be an integer");
            }
            same(c, "linalg.matrix_power")
        }),
        row("matrix_rank", Takes::One, |c| of_floats(c, "linalg.matrix_rank")),
        row("norm", def(&["x", "ord", "axis", "keepdims"], 1, 4), |c| {
            let given = c.arg(0).clone();
            let given = array::unwrap(&array::from_data(c.machine, &given, None, false)?);
            let mut args = vec![given, c.arg(1).clone(), c.arg(2).clone()];
            args.extend(c.some(3).cloned());
            promotion::level(&mut args[..1], true)?;
            failures::check_order(&args)?;
            wrap(ops::call_function(c.machine, "linalg.norm", args).map_err(failures::of_axis)?)
        }),
        row("pinv", Takes::One, |c| of_floats(c, "linalg.pinv")),
        row("solve", Takes::Between(2, 2), |c| {
            failures::check_system(&c.args())?;
            of_floats(c, "linalg.solve")
        }),
    ]),
};

/// The functions of `numpy.linalg` that are texts.
pub fn linalg_values() -> Vec<(&'static str, Value)> {
    let failure = ("LinAlgError", Value::Class(Class::Exception(ErrorClass::ArrayLinAlgError)));
    let functions = written::LINALG.rows.iter().map(|row| (row.name, Builtin::function(&written::LINALG, row)));
    functions.chain([failure]).collect()
}

/// The classes of `numpy.exceptions`.
pub fn exceptions() -> Vec<(&'static str, Value)> {
    vec![("AxisError", Value::Class(Class::Exception(ErrorClass::AxisError)))]
}

/// A function of matrices of floats, as which whole numbers go, too.
fn of_floats(c: &mut Call<'_>, name: &str) -> Outcome {
    let mut args = vec![];
    for arg in c.args() {
        args.push(match array::unwrap(&arg) {
            Value::List(_) => array::unwrap(&array::from_data(c.machine, &arg, None, false)?),
            other => other,
        });
    }
    promotion::level(&mut args, true)?;
    wrap(beside::of_matrices(ops::call_function(c.machine, name, args))?)
}

/// The version that arrays behave as.
const VERSION: &str = "2.4.6";

/// A truth value of numpy's own.
fn truth(is: bool) -> Value {
    let made = exec::from_bytes(&[u8::from(is)], &[], DType::Bool);
    made.ok().and_then(|one| array::wrap(one.into()).ok()).unwrap_or(Value::Bool(is))
}

/// Constants and dtypes.
pub fn values() -> Vec<(&'static str, Value)> {
    let mut values = vec![
        ("euler_gamma", Value::Float(0.577_215_664_901_532_9)),
        ("pi", Value::Float(std::f64::consts::PI)),
        ("e", Value::Float(std::f64::consts::E)),
        ("inf", Value::Float(f64::INFINITY)),
        ("False_", truth(false)),
        ("True_", truth(true)),
        ("nan", Value::Float(f64::NAN)),
        ("newaxis", Value::None),
        ("ndarray", Value::Class(Class::NdArray)),
        ("__version__", Value::from(VERSION)),
    ];
    values.extend(dtypes::classes());
    values.extend(grids::values());
    for table in [&written::FUNCTIONS, &written::rarer::FUNCTIONS, &written::rarer::SETTINGS, &print_options::FUNCTIONS] {
        values.extend(table.rows.iter().map(|row| (row.name, Builtin::function(table, row))));
    }
    values
}

/// Whether arrays, or numbers beside them, are as near to each other as `rtol` and `atol` allow; `name` is that of the operation.
fn close(c: &mut Call<'_>, name: &str) -> Outcome {
    let mut args = vec![];
    for data in [c.arg(0).clone(), c.arg(1).clone()] {
        args.push(array::unwrap(&array::from_data(c.machine, &data, None, false)?));
    }
    beside::check_sizes(&args)?;
    promotion::level(&mut args, true)?;
    for (place, usual) in [(2, Value::Float(1e-5)), (3, Value::Float(1e-8)), (4, Value::Bool(false))] {
        args.push(c.some(place).cloned().unwrap_or(usual));
    }
    // A whole answer is no array.
    let found = ops::call_function(c.machine, name, args)?;
    if matches!(found, Value::Tensor(_)) { wrap(found) } else { Ok(found) }
}

/// `dtype(name)`.
fn dtype(c: &mut Call<'_>) -> Outcome {
    array::refuse_dtype(c.arg(0))?;
    Ok(array::dtype_object(array::dtype_of(c.arg(0))?.unwrap_or(DType::F64)))
}

/// `round(a, decimals)`.
fn rounded(c: &mut Call<'_>) -> Outcome {
    let decimals = c.some(1).cloned().unwrap_or(Value::Int(0));
    let given = c.arg(0).clone();
    let of_tensor = matches!(given, Value::Tensor(_));
    let array = array::unwrap(&array::from_data(c.machine, &given, None, false)?);
    let names = [("array", array), ("decimals", decimals)];
    let text = "torch.round(array, decimals=decimals) if array.is_floating_point() and decimals else torch.round(array)";
    let found = c.machine.eval_code(text, &names)?;
    if of_tensor { Ok(found) } else { array::wrap(found) }
}

/// Operations that are functions of elements to numpy: of a tensor they give a tensor.
#[rustfmt::skip] // a list
const OF_ELEMENTS: &[&str] = &[
    "abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and", "bitwise_left_shift", "bitwise_not",
    "bitwise_or", "bitwise_right_shift", "bitwise_xor", "ceil", "copysign", "cos", "cosh", "deg2rad", "div", "eq", "exp", "exp2", "expm1",
    "float_power", "floor", "floor_divide", "fmax", "fmin", "fmod", "gcd", "ge", "gt", "heaviside", "hypot", "isfinite", "isinf", "isnan",
    "isneginf", "isposinf", "lcm", "le", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "logical_and", "logical_not",
    "logical_or", "logical_xor", "lt", "maximum", "minimum", "mul", "ne", "neg", "nextafter", "positive", "pow", "rad2deg", "reciprocal",
    "remainder", "round", "sign", "signbit", "sin", "sinc", "sinh", "sqrt", "square", "sub", "tan", "tanh", "trunc",
];

/// Functions of elements of two arrays.
#[rustfmt::skip] // a list
const OF_TWO: &[&str] = &[
    "add", "atan2", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "copysign", "div", "eq",
    "float_power", "floor_divide", "fmax", "fmin", "fmod", "gcd", "ge", "gt", "heaviside", "hypot", "lcm", "le", "logaddexp",
    "logaddexp2", "logical_and", "logical_or", "logical_xor", "lt", "maximum", "minimum", "mul", "ne", "nextafter", "pow", "remainder",
    "sub",
];

/// Operations that take no numbers beside tensors.
#[rustfmt::skip] // a list
const OF_TENSORS: &[&str] = &[
    "atan2", "copysign", "fmax", "fmin", "fmod", "gcd", "heaviside", "hypot", "lcm", "logaddexp", "logaddexp2", "logical_and", "logical_or", "logical_xor",
    "maximum", "minimum", "nextafter",
];

/// A result of numpy's as PyTorch takes it over: truth values are bytes.
fn as_tensor(result: Value) -> Outcome {
    Ok(match result {
        Value::Tensor(truths) if truths.dtype() == DType::Bool => exec::cast(&truths, DType::U8)?.into(),
        other => other,
    })
}

/// The operation of the same kind on arrays; written into `out=` when that is given.
fn same(c: &mut Call<'_>, name: &str) -> Outcome {
    let is_ufunc = OF_ELEMENTS.contains(&name);
    if let Some((own, _)) = c.keyword.iter().find(|(own, _)| is_ufunc && !matches!(&**own, "out" | "where" | "dtype" | "casting"))
    {
        fault!(TypeError, "{}() got an unexpected keyword argument '{own}'", failures::function(name));
    }
    if is_ufunc {
        let (least, given) = (if OF_TWO.contains(&name) { 2 } else { 1 }, c.count());
        if !(least..=least + 1).contains(&given) {
            let (title, were) = (failures::function(name), if given == 1 { "was" } else { "were" });
            fault!(TypeError, "{title}() takes from {least} to {} positional arguments but {given} {were} given", least + 1);
        }
    }
    let of_tensors = (is_ufunc || name == "matmul") && c.args().iter().any(|arg| matches!(arg, Value::Tensor(_)));
    let (mut args, out) = (c.args().iter().map(array::unwrap).collect::<Vec<_>>(), keyword(c, "out"));
    // Lists and plain numbers are arrays to numpy.
    if !args.iter().any(|arg| matches!(arg, Value::Tensor(_)))
        && let Some(first) = args.first_mut()
    {
        *first = array::unwrap(&array::from_data(c.machine, first, None, false)?);
    }
    // Two numbers to choose from are as wide as Python's.
    let chooses = name == "where" && !args.iter().skip(1).any(|arg| matches!(arg, Value::Tensor(_)));
    let is_data = |arg: &Value| matches!(arg, Value::List(_)) || (chooses && matches!(arg, Value::Float(_)));
    for arg in args.iter_mut().filter(|arg| is_data(arg)) {
        *arg = array::unwrap(&array::from_data(c.machine, arg, None, false)?);
    }
    // Of narrow whole numbers alone, functions of floats give narrow floats.
    if let ([Value::Tensor(t)], true) = (&mut args[..], FLOAT_FUNCTIONS.contains(&name))
        && let (true, Some(narrow)) = (t.dtype().is_integral(true), narrow_float(t.dtype()))
    {
        *t = exec::cast(t, narrow)?;
    }
    beside::check_kinds(name, &mut args)?;
    if is_ufunc || name == "where" {
        beside::check_sizes(&args)?;
    }
    // The condition of `where` stays what it is.
    let first = usize::from(name == "where").min(args.len());
    if is_ufunc || matches!(name, "cross" | "equal" | "inner" | "matmul" | "outer" | "vdot" | "where") {
        promotion::level(&mut args[first..], FLOAT_FUNCTIONS.contains(&name))?;
    }
    // A number beside arrays, where the operation takes tensors alone, is an array of their dtype.
    let like = args.iter().find_map(|arg| if let Value::Tensor(t) = arg { Some(t.dtype()) } else { None });
    if let (Some(dtype), true) = (like, OF_TENSORS.contains(&name)) {
        for arg in args.iter_mut().filter(|arg| !matches!(arg, Value::Tensor(_))) {
            *arg = array::unwrap(&array::from_data(c.machine, arg, Some(Value::DType(dtype)), false)?);
        }
    }
    if name == "matmul" {
        beside::check_factors(&args)?;
    }
    let name = mirrored(name, &mut args);
    let result = unsigned::computed(c.machine, name, args).map_err(failures::of_axis);
    let result = if name == "matmul" { beside::of_values(result) } else { result }?;
    let Some(out) = out else {
        return match result {
            result if of_tensors => as_tensor(result),
            Value::Tuple(parts) => Ok(Value::tuple(parts.iter().cloned().map(wrap).collect::<Outcome<_>>()?)),
            result if name == "where" => Ok(array::wrap_array(result)),
            result => wrap(result),
        };
    };
    ops::call_method(c.machine, "copy_", vec![array::unwrap(&out), result])?;
    Ok(out)
}

/// Comparisons, and what they are the other way round.
const MIRRORED: &[(&str, &str)] = &[("eq", "eq"), ("ge", "le"), ("gt", "lt"), ("le", "ge"), ("lt", "gt"), ("ne", "ne")];

/// The comparison of an array with a number, for that of a number with an array; other functions stay as they are.
fn mirrored<'n>(name: &'n str, args: &mut [Value]) -> &'n str {
    let other = MIRRORED.iter().find(|(known, _)| *known == name);
    match (other, &mut *args) {
        (Some((_, other)), [first, Value::Tensor(_)]) if !matches!(first, Value::Tensor(_)) => {
            args.reverse();
            other
        }
        _ => name,
    }
}

/// The float that a whole number of one or two bytes becomes.
fn narrow_float(dtype: DType) -> Option<DType> {
    match dtype.size() {
        1 => Some(DType::F16),
        2 => Some(DType::F32),
        _ => None,
    }
}

/// `flip(m, axis)`: along one axis or, without, along all of them.
fn flip(c: &mut Call<'_>) -> Outcome {
    let array = array::unwrap(c.arg(0));
    let axes = match (c.some(1), &array) {
        (Some(axes), _) => axes.items().unwrap_or_else(|| vec![axes.clone()]),
        (None, Value::Tensor(t)) => (0..t.ndim() as i64).map(Value::Int).collect(),
        (None, _) => vec![],
    };
    wrap(ops::call_function(c.machine, "flip", vec![array, Value::list(axes)]).map_err(failures::of_axis)?)
}

/// `meshgrid(x, y)`: the first array along the second axis, unless `indexing='ij'`.
fn meshgrid(c: &mut Call<'_>) -> Outcome {
    let mut grids = vec![];
    for line in c.args() {
        grids.push(array::unwrap(&array::from_data(c.machine, &line, None, false)?));
    }
    let positional = vec![Value::list(grids)];
    let indexing = keyword(c, "indexing").unwrap_or(Value::from("xy"));
    let Some(set) = ops::function("meshgrid") else { return Ok(Value::None) };
    let grids = ops::call(c.machine, set, false, CallArgs { positional, keyword: vec![("indexing".into(), indexing)] })?;
    Ok(Value::tuple(grids.sequence().unwrap_or_default().into_iter().map(wrap).collect::<Outcome<_>>()?))
}

/// `unique(ar)`, with the places and counts that were asked for.
fn unique(c: &mut Call<'_>) -> Outcome {
    let data = c.arg(0).clone();
    let array = array::unwrap(&array::from_data(c.machine, &data, None, false)?);
    let wanted = |place: usize| c.get(place).map_or(Ok(false), crate::lang::operators::truth);
    if wanted(1)? {
        fault!(NotImplementedError, "unique() gives inverse places and counts, not first places");
    }
    let flags = vec![Value::Bool(true), Value::Bool(wanted(2)?), Value::Bool(wanted(3)?)];
    let found = ops::call_function(c.machine, "unique", std::iter::once(array).chain(flags).collect())?;
    match found.sequence() {
        Some(parts) => Ok(Value::tuple(parts.into_iter().map(wrap).collect::<Outcome<_>>()?)),
        None => wrap(found),
    }
}

/// Arrays joined into one.
fn joined(c: &mut Call<'_>, name: &str) -> Outcome {
    let given = c.arg(0).clone();
    if matches!(c.get(1), Some(Value::Object(axis)) if axis.as_array().is_some_and(|axis| axis.ndim() > 0)) {
        fault!(TypeError, "only integer scalar arrays can be converted to a scalar index");
    }
    let mut arrays = vec![];
    for part in iter::collect(c.machine, &given)? {
        arrays.push(array::unwrap(&array::from_data(c.machine, &part, None, false)?));
    }
    promotion::level(&mut arrays, false)?;
    if name == "cat" && arrays.iter().any(|array| matches!(array, Value::Tensor(t) if t.ndim() == 0)) {
        fault!(ValueError, "zero-dimensional arrays cannot be concatenated");
    }
    let axis = c.get(1).cloned();
    if let Some((lowest, along)) = beside::stacking(name, &arrays) {
        let raise = if lowest == 2 { "atleast_2d" } else { "atleast_1d" };
        let raised =
            arrays.iter().map(|part| ops::call_function(c.machine, raise, vec![part.clone()])).collect::<Outcome<Vec<_>>>()?;
        beside::check_joined(&raised, along, false)?;
    }
    if let ("cat" | "stack", Some(along)) = (name, axis.as_ref().map_or(Some(0), |axis| convert::to_i64(axis).ok())) {
        beside::check_joined(&arrays, along, name == "stack")?;
    }
    let found = ops::call_function(c.machine, name, std::iter::once(Value::list(arrays)).chain(axis).collect());
    beside::of_values(found.map_err(failures::of_axis)).and_then(wrap)
}

/// An argument given by name.
fn keyword(c: &Call<'_>, name: &str) -> Option<Value> {
    c.keyword.iter().find(|(given, _)| &**given == name).map(|(_, value)| value.clone())
}
