//! Calls of built-in classes: `int("5")`, `list(range(3))`.

use super::call::{Call, Table, Takes, check_count, keywords, named, row};
use super::{
    buffer, bytes, class, complex, convert, dict, digits, float, int, iter, lazy, limits, long, overall, range, repr, set,
};
use crate::lang::classes;
use crate::ops::warning;
use crate::value::{CallArgs, Class, Machine, Object, Outcome, Value};
use num_bigint::BigInt;
use num_complex::Complex64;
use std::any::Any;

/// What a call of each class runs.
static CONSTRUCTORS: Table = Table {
    owner: "",
    rows: Table::sorted(&[
        row("NoneType", Takes::Between(0, 0), |_| Ok(Value::None)),
        row("bool", Takes::Between(0, 1), |c| {
            let value = c.arg(0).clone();
            Ok(Value::Bool(overall::truth(&value)?))
        }),
        row("bytearray", named(&["source", "encoding", "errors"], 0), |c| {
            let args = [0, 1, 2].map(|place| c.get(place).cloned());
            buffer::construct(c.machine, &args)
        }),
        row("bytes", named(&["source", "encoding", "errors"], 0), |c| {
            let args = [0, 1, 2].map(|place| c.get(place).cloned());
            bytes::construct(c.machine, "bytes", &args)
        }),
        row("complex", named(&["real", "imag"], 0), construct_complex),
        row("dict", Takes::Any, |c| {
            check_count("dict", c.count(), 0, 1)?;
            let (made, args) = (dict::Entries::default(), c.args());
            dict::fill(c.machine, &made, args.first(), std::mem::take(&mut c.keyword))?;
            Ok(Value::Dict(made))
        }),
        row("ellipsis", Takes::Between(0, 0), |_| Ok(Value::Ellipsis)),
        row("enumerate", named(&["iterable", "start"], 1), lazy::enumerate),
        row("filter", Takes::Between(2, 2), lazy::filter),
        row("float", Takes::Between(0, 1), |c| match c.get(0).cloned() {
            Some(value) => {
                let number = to_float(&value)?;
                warning::tell_of_number(c.machine, &value)?;
                Ok(number)
            }
            None => Ok(Value::Float(0.0)),
        }),
        row("frozenset", Takes::Between(0, 1), |c| {
            let Some(items) = c.get(0).cloned() else { return Ok(set::frozen(Default::default())) };
            match items.class() {
                Some(Class::FrozenSet) => Ok(items),
                _ => Ok(set::frozen(set::from_iterable(c.machine, &items)?)),
            }
        }),
        row("int", keywords(&["", "base"], 0, 2), construct_int),
        row("list", Takes::Between(0, 1), |c| Ok(Value::list(collected(c)?))),
        row("map", Takes::Any, lazy::map),
        row("object", Takes::Between(0, 0), |_| Ok(Value::object(Bare))),
        row("range", Takes::Between(0, usize::MAX), |c| range::construct(&c.indices()?)),
        row("reversed", Takes::Between(1, 1), lazy::reversed),
        row("set", Takes::Between(0, 1), |c| {
            let Some(items) = c.get(0).cloned() else { return Ok(set::value(Default::default())) };
            Ok(set::value(set::from_iterable(c.machine, &items)?))
        }),
        row("slice", Takes::Between(0, usize::MAX), |c| range::construct_slice(&c.args())),
        row("str", named(&["object", "encoding", "errors"], 0), construct_str),
        row("tuple", Takes::Between(0, 1), |c| match c.get(0) {
            Some(Value::Tuple(_)) => Ok(c.arg(0).clone()),
            _ => Ok(Value::tuple(collected(c)?)),
        }),
        row("type", Takes::Any, |c| match c.args().as_slice() {
            [_] if !c.keyword.is_empty() => fault!(TypeError, "type() takes no keyword arguments"),
            [value] => Ok(class::type_of(value)),
            args @ [_, _, _] => {
                let (positional, keyword) = (args.to_vec(), std::mem::take(&mut c.keyword));
                let meta = classes::metaclass(&positional[1])?;
                match meta {
                    Some(meta) => classes::call(c.machine, &meta, CallArgs { positional, keyword }),
                    None => classes::of_parts(c.machine, None, CallArgs { positional, keyword }),
                }
            }
            _ => fault!(TypeError, "type() takes 1 or 3 arguments"),
        }),
        row("zip", Takes::Any, lazy::zip),
    ]),
};

/// Calls a class. Fails with a `TypeError` for those that users cannot make objects of.
pub fn construct(machine: &mut dyn Machine, class: Class, args: CallArgs) -> Outcome {
    if let ([value], true) = (&args.positional[..], args.keyword.is_empty())
        && let Some(made) = classes::converted(machine, class, value)
    {
        return made;
    }
    let args = if matches!(class, Class::Bool | Class::Int | Class::Float | Class::Complex) { plain(args) } else { args };
    if let Some(made) = super::torch_types::construct(machine, class, &args) {
        return made;
    }
    let name = class.name();
    match CONSTRUCTORS.find(&name) {
        Some(row) => CONSTRUCTORS.call(row, machine, &Value::None, args),
        None => fault!(TypeError, "cannot create '{name}' instances"),
    }
}

/// Arguments as the values of built-in classes that they are.
fn plain(mut args: CallArgs) -> CallArgs {
    args.positional.iter_mut().for_each(|value| {
        if let Value::Object(_) = value {
            *value = classes::plain(value);
        }
    });
    args
}

/// `object()`
struct Bare;

impl Object for Bare {
    fn type_name(&self) -> String {
        "object".into()
    }
    fn class(&self) -> Option<Class> {
        Some(Class::Object)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("<object object at {:#x}>", self as *const Bare as usize)
    }
}

fn collected(c: &mut Call<'_>) -> Outcome<Vec<Value>> {
    match c.get(0).cloned() {
        Some(items) => iter::collect(c.machine, &items),
        None => Ok(vec![]),
    }
}

fn construct_str(c: &mut Call<'_>) -> Outcome {
    let coded = c.get(1).is_some() || c.get(2).is_some();
    for (place, name) in [(1, "encoding"), (2, "errors")] {
        if let Some(value) = c.get(place) {
            convert::to_str(value, "str", &format!("argument '{name}'"))?;
        }
    }
    match c.get(0) {
        None => Ok(Value::from("")),
        Some(Value::Bytes(data)) if coded => bytes::decode(data, c.get(1), c.get(2)),
        Some(Value::Str(_)) if coded => fault!(TypeError, "decoding str is not supported"),
        Some(other) if coded => fault!(TypeError, "decoding to str: need a bytes-like object, {} found", other.type_name()),
        Some(Value::Str(_)) => Ok(c.arg(0).clone()),
        Some(other) => {
            let other = other.clone();
            Ok(Value::from(c.machine.str(&other)?))
        }
    }
}

fn construct_int(c: &mut Call<'_>) -> Outcome {
    let Some(base) = c.get(1) else {
        let Some(value) = c.get(0).cloned() else { return Ok(Value::Int(0)) };
        let number = to_int(&value)?;
        warning::tell_of_number(c.machine, &value)?;
        return Ok(number);
    };
    let base = convert::to_i64_clamped(base)?;
    if c.get(0).is_some() && base != 0 && !(2..=36).contains(&base) {
        fault!(ValueError, "int() base must be >= 2 and <= 36, or 0");
    }
    let text = match c.get(0) {
        None => fault!(TypeError, "int() missing string argument"),
        Some(Value::Str(text)) => text.to_string(),
        Some(Value::Bytes(data)) => String::from_utf8_lossy(data).into_owned(),
        Some(_) => fault!(TypeError, "int() can't convert non-string with explicit base"),
    };
    if base != 0 && !(2..=36).contains(&base) {
        fault!(ValueError, "int() base must be >= 2 and <= 36, or 0");
    }
    parse_int(c.arg(0), &text, base as u32)
}

/// `int(value)`.
pub fn to_int(value: &Value) -> Outcome {
    match value {
        Value::Str(text) => parse_int(value, text, 10),
        Value::Bytes(data) => parse_int(value, &String::from_utf8_lossy(data), 10),
        Value::Float(f) => int::from_float(*f),
        Value::Tensor(t) => {
            if t.numel() != 1 {
                fault!(ValueError, "only one element tensors can be converted to Python scalars");
            }
            match Value::from(crate::ops::exec::item(t)?) {
                Value::Float(f) => int::from_float(f),
                Value::Complex(c) if c.im == 0.0 && c.re.is_finite() => int::from_float(c.re),
                Value::Complex(_) => fault!(RuntimeError, "value cannot be converted to type int64_t without overflow"),
                other => convert::to_int(&other),
            }
        }
        Value::Object(o) if o.class() == Some(Class::NdArray) && o.length().is_some() => refuse_array(),
        Value::Object(o) => match o.number() {
            Some(number) => to_int(&Value::from(number)),
            None => refuse_int(value),
        },
        other => match convert::as_int(other)? {
            Some(int) => Ok(int),
            None => refuse_int(value),
        },
    }
}

/// Fails for an array that has dimensions, of whatever size.
fn refuse_array() -> Outcome {
    fault!(TypeError, "only 0-dimensional arrays can be converted to Python scalars")
}

fn refuse_int(value: &Value) -> Outcome {
    fault!(TypeError, "int() argument must be a string, a bytes-like object or a real number, not '{}'", value.type_name())
}

/// An int of more digits takes a while to be read.
const MANY: usize = 1 << 18;

/// An int from its text: blanks around, a sign, `0x` with base 16 or 0, underscores between digits.
fn parse_int(source: &Value, text: &str, base: u32) -> Outcome {
    let invalid = || -> Outcome { fault!(ValueError, "invalid literal for int() with base {base}: {}", repr::repr(source)?) };
    let plain = digits::to_ascii(text.trim_matches(float::is_space));
    let (negative, body) = match plain.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let (radix, body) = split_prefix(body, base);
    let digits = body.replace('_', "");
    let doubled = body.contains("__") || body.ends_with('_') || body.starts_with('_') && radix.is_none();
    let zeros_first = base == 0 && radix.is_none() && digits.len() > 1 && digits.starts_with('0');
    if digits.is_empty() || doubled || zeros_first && digits.contains(|c| c != '0') || digits.starts_with(['+', '-']) {
        return invalid();
    }
    let radix = radix.unwrap_or(if base == 0 { 10 } else { base });
    let limit = limits::max_digits();
    if !radix.is_power_of_two() && limit > 0 && digits.len() > limit && digits.bytes().all(|b| b.is_ascii_digit()) {
        fault!(
            ValueError,
            "Exceeds the limit ({limit} digits) for integer string conversion: value has {} digits; use sys.set_int_max_str_digits() to increase the limit",
            digits.len()
        );
    }
    let parsed = match digits.len() {
        ..MANY => BigInt::parse_bytes(digits.as_bytes(), radix),
        _ => long::apart(move || BigInt::parse_bytes(digits.as_bytes(), radix))?,
    };
    match parsed {
        Some(size) => Ok(Value::big(if negative { -size } else { size })),
        None => invalid(),
    }
}

/// The radix that `0x`, `0o` or `0b` says where the base allows it, and the rest; an underscore may follow the prefix.
fn split_prefix(body: &str, base: u32) -> (Option<u32>, &str) {
    let lower = body.to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if lower.starts_with(prefix) && (base == radix || base == 0) {
            let rest = &body[2..];
            return (Some(radix), rest.strip_prefix('_').unwrap_or(rest));
        }
    }
    (None, body)
}

/// `float(value)`.
pub fn to_float(value: &Value) -> Outcome {
    let text = match value {
        Value::Str(text) => text.to_string(),
        Value::Bytes(data) => String::from_utf8_lossy(data).into_owned(),
        Value::Object(o) if o.class() == Some(Class::NdArray) && o.length().is_some() => return refuse_array(),
        other => match convert::as_float(other)? {
            Some(f) => return Ok(Value::Float(f)),
            None => fault!(TypeError, "float() argument must be a string or a real number, not '{}'", value.type_name()),
        },
    };
    match float::parse(&text) {
        Some(f) => Ok(Value::Float(f)),
        None => fault!(ValueError, "could not convert string to float: {}", repr::repr(value)?),
    }
}

fn construct_complex(c: &mut Call<'_>) -> Outcome {
    let second = c.get(1);
    if let Some(Value::Str(text)) = c.get(0) {
        if second.is_some() {
            fault!(TypeError, "complex() can't take second arg if first is a string");
        }
        return match complex::parse(text) {
            Some(z) => Ok(Value::from(z)),
            None => fault!(ValueError, "complex() arg is a malformed string"),
        };
    }
    if let Some(Value::Str(_)) = second {
        fault!(TypeError, "complex() second arg can't be a string");
    }
    let real = c.get(0).map_or(Ok(Complex64::default()), |v| complex_part(v, "first argument must be a string or a number"))?;
    let Some(second) = second else { return Ok(Value::from(real)) };
    let imag = complex_part(second, "second argument must be a number")?;
    let (re, im) = (real.re - imag.im, imag.re + real.im);
    // A real first argument has no imaginary part that could be added, which keeps the sign of a zero.
    let im = if matches!(c.get(0), Some(Value::Complex(_))) { im } else { imag.re };
    let re = if matches!(second, Value::Complex(_)) { re } else { real.re };
    Ok(Value::from(Complex64::new(re, im)))
}

fn complex_part(value: &Value, what: &str) -> Outcome<Complex64> {
    if let Value::Complex(c) = value {
        return Ok(**c);
    }
    if let Value::Tensor(t) = value
        && t.dtype().is_complex()
        && t.numel() == 1
    {
        return Ok(crate::ops::exec::item(t)?.to_complex());
    }
    match convert::as_float(value)? {
        Some(f) => Ok(Complex64::new(f, 0.0)),
        None => fault!(TypeError, "complex() {what}, not '{}'", value.type_name()),
    }
}
