//! The part of numpy that tensor scripts use: host arrays that share memory with tensors.
//!
//! An array is a tensor behind numpy's names and texts; what it computes, the table of operations computes.

mod array;
mod load;

pub use array::{TENSOR_METHODS, wrap};

use crate::dtype::DType;
use crate::lang::types::call::{Call, Table, Takes, def, row};
use crate::ops;
use crate::value::{Outcome, Value};

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "numpy",
    rows: &[
        row("abs", Takes::One, |c| same(c, "abs")),
        row("allclose", Takes::Between(2, 4), |c| {
            let args: Vec<Value> = c.args().iter().map(array::unwrap).collect();
            ops::call_function(c.machine, "allclose", args)
        }),
        row("arange", Takes::Any, |c| made(c, "arange")),
        row("array", def(&["object", "dtype"], 1, 2), |c| array::of_call(c, true)),
        row("asarray", def(&["a", "dtype"], 1, 2), |c| array::of_call(c, false)),
        row("concatenate", def(&["arrays", "axis"], 1, 2), |c| {
            let arrays: Vec<Value> = c.arg(0).items().unwrap_or_default().iter().map(array::unwrap).collect();
            let axis = c.get(1).cloned().unwrap_or(Value::Int(0));
            wrap(ops::call_function(c.machine, "cat", vec![Value::list(arrays), axis])?)
        }),
        row("cos", Takes::One, |c| same(c, "cos")),
        row("dot", Takes::Between(2, 2), |c| same(c, "matmul")),
        row("exp", Takes::One, |c| same(c, "exp")),
        row("eye", Takes::Between(1, 2), |c| double(c, "eye")),
        row("full", Takes::Between(2, 2), |c| made(c, "full")),
        row("linspace", Takes::Between(2, 3), |c| {
            let mut args = c.args();
            if args.len() == 2 {
                args.push(Value::Int(50));
            }
            wrap(array::call_as(c.machine, "linspace", args, DType::F64)?)
        }),
        row("loadtxt", Takes::Any, load::loadtxt),
        row("log", Takes::One, |c| same(c, "log")),
        row("max", Takes::Between(1, 1), |c| array::method(c, "max")),
        row("mean", Takes::Between(1, 1), |c| array::method(c, "mean")),
        row("min", Takes::Between(1, 1), |c| array::method(c, "min")),
        row("ones", Takes::Between(1, 1), |c| double(c, "ones")),
        row("sin", Takes::One, |c| same(c, "sin")),
        row("sqrt", Takes::One, |c| same(c, "sqrt")),
        row("sum", Takes::Between(1, 1), |c| array::method(c, "sum")),
        row("zeros", Takes::Between(1, 1), |c| double(c, "zeros")),
    ],
};

/// Constants and dtypes.
pub fn values() -> Vec<(&'static str, Value)> {
    let mut values = vec![
        ("pi", Value::Float(std::f64::consts::PI)),
        ("e", Value::Float(std::f64::consts::E)),
        ("inf", Value::Float(f64::INFINITY)),
        ("nan", Value::Float(f64::NAN)),
        ("newaxis", Value::None),
    ];
    let dtypes =
        [DType::U8, DType::I8, DType::I16, DType::I32, DType::I64, DType::F16, DType::F32, DType::F64, DType::C64, DType::C128];
    values.extend(dtypes.map(|d| (d.name(), array::dtype_object(d))));
    values.push(("bool_", array::dtype_object(DType::Bool)));
    values
}

/// The operation of the same kind on arrays.
fn same(c: &mut Call<'_>, name: &str) -> Outcome {
    let args = c.args().iter().map(array::unwrap).collect();
    wrap(ops::call_function(c.machine, name, args)?)
}

/// A factory with the dtype its arguments ask for, as numpy has it.
fn made(c: &mut Call<'_>, name: &str) -> Outcome {
    let args = c.args();
    let floats = args.iter().any(|v| matches!(v, Value::Float(_)));
    wrap(array::call_as(c.machine, name, args, if floats { DType::F64 } else { DType::I64 })?)
}

/// A factory of float64.
fn double(c: &mut Call<'_>, name: &str) -> Outcome {
    let args = c.args();
    wrap(array::call_as(c.machine, name, args, DType::F64)?)
}
