//! `sys`: the program and its surroundings.

use crate::lang::builtins::{Stream, exit};
use crate::lang::interp::Interp;
use crate::lang::modules::traceback;
use crate::lang::types::call::{Call, Table, Takes, keywords, row};
use crate::lang::types::{class, convert, limits};
use crate::value::{Dict, Named, Value};
use std::rc::Rc;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "sys",
    rows: Table::sorted(&[
        row("exc_info", Takes::Nothing, |c| {
            Ok(Value::tuple(match traceback::current(c.machine) {
                Some(exception) => {
                    let places = traceback::of(&exception);
                    let exception = Value::Exception(exception);
                    vec![class::type_of(&exception), exception, places]
                }
                None => vec![Value::None; 3],
            }))
        }),
        row("exception", Takes::Nothing, |c| Ok(traceback::current(c.machine).map_or(Value::None, Value::Exception))),
        row("exit", Takes::Between(0, 1), exit),
        row("get_int_max_str_digits", Takes::Nothing, |_| Ok(Value::from(limits::max_digits()))),
        row("getdefaultencoding", Takes::Nothing, |_| Ok(Value::from("utf-8"))),
        row("getrecursionlimit", Takes::Nothing, |c| Ok(Value::from(interp(c).map_or(0, |i| i.recursion_limit)))),
        row("getsizeof", Takes::Between(1, 2), |c| Ok(Value::from(size_of_value(c.arg(0))))),
        row("intern", Takes::One, |c| convert::to_str(c.arg(0), "intern", "").map(|_| c.arg(0).clone())),
        row("set_int_max_str_digits", keywords(&["maxdigits"], 1, 1), |c| {
            let digits = convert::to_i32(c.arg(0))?;
            match usize::try_from(digits) {
                Ok(digits) if digits == 0 || digits >= 640 => limits::set_max_digits(digits),
                _ => fault!(ValueError, "maxdigits must be 0 or larger than 640"),
            }
            Ok(Value::None)
        }),
        row("setrecursionlimit", Takes::One, |c| {
            let limit = convert::to_i32(c.arg(0))?;
            if limit < 1 {
                fault!(ValueError, "recursion limit must be greater or equal than 1");
            }
            if let Some(interp) = interp(c) {
                interp.recursion_limit = limit as usize;
            }
            Ok(Value::None)
        }),
    ]),
};

fn interp<'c>(c: &'c mut Call<'_>) -> Option<&'c mut Interp> {
    c.machine.as_any().downcast_mut()
}

/// The constants and streams.
pub fn values() -> Vec<(&'static str, Value)> {
    let stream = |is_error: bool| Value::object(Stream { is_error });
    vec![
        ("argv", Value::list(vec![Value::from("")])),
        ("byteorder", Value::from(if cfg!(target_endian = "big") { "big" } else { "little" })),
        ("executable", Value::from(std::env::current_exe().map_or(String::new(), |p| p.display().to_string()))),
        ("float_info", float_info()),
        ("hexversion", Value::Int(0x030b_00f0)),
        ("maxsize", Value::Int(i64::MAX)),
        ("maxunicode", Value::Int(0x10ffff)),
        ("modules", Value::dict(Dict::default())),
        ("path", Value::list(vec![])),
        ("platform", Value::from(std::env::consts::OS)),
        ("stderr", stream(true)),
        ("stdout", stream(false)),
        ("version", Value::from(format!("3.11.0 (tsr {})", env!("CARGO_PKG_VERSION")))),
        ("version_info", version_info()),
    ]
}

fn named(type_name: &'static str, fields: &'static [&'static str], values: Vec<Value>) -> Value {
    Value::Named(Rc::new(Named { type_name, fields, values }))
}

fn version_info() -> Value {
    let fields = &["major", "minor", "micro", "releaselevel", "serial"];
    named("sys.version_info", fields, vec![Value::Int(3), Value::Int(11), Value::Int(0), Value::from("final"), Value::Int(0)])
}

const FLOAT_FIELDS: &[&str] =
    &["max", "max_exp", "max_10_exp", "min", "min_exp", "min_10_exp", "dig", "mant_dig", "epsilon", "radix", "rounds"];

fn float_info() -> Value {
    let (int, float) = (|i: i32| Value::Int(i as i64), Value::Float);
    let values = vec![
        float(f64::MAX),
        int(f64::MAX_EXP),
        int(f64::MAX_10_EXP),
        float(f64::MIN_POSITIVE),
        int(f64::MIN_EXP),
        int(f64::MIN_10_EXP),
        int(f64::DIGITS as i32),
        int(f64::MANTISSA_DIGITS as i32),
        float(f64::EPSILON),
        int(2),
        int(1),
    ];
    named("sys.float_info", FLOAT_FIELDS, values)
}

/// `getsizeof(value)`: the bytes that CPython would keep for the value itself.
fn size_of_value(value: &Value) -> usize {
    match value {
        Value::None | Value::Ellipsis => 16,
        Value::Bool(false) | Value::Int(0) => 24,
        Value::Bool(true) => 28,
        Value::Int(i) => 24 + 4 * (64 - i.unsigned_abs().leading_zeros() as usize).div_ceil(30),
        Value::BigInt(b) => 24 + 4 * (b.bits() as usize).div_ceil(30),
        Value::Float(_) => 24,
        Value::Complex(_) => 32,
        Value::Str(s) if s.is_ascii() => 49 + s.len(),
        Value::Str(s) => 76 + s.chars().map(char::len_utf16).sum::<usize>() * 2,
        Value::Bytes(b) => 33 + b.len(),
        Value::Tuple(items) => 40 + 8 * items.len(),
        Value::List(items) => 56 + 8 * items.borrow().len(),
        Value::Dict(entries) if entries.borrow().is_empty() => 64,
        Value::Dict(entries) => 184 + 56 * entries.borrow().len().saturating_sub(5),
        Value::Set(items) => 216 + 32 * items.borrow().len().saturating_sub(4),
        Value::Range(_) => 48,
        Value::Slice(_) => 56,
        Value::Tensor(_) => 80,
        _ => 48,
    }
}
