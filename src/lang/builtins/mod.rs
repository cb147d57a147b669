//! The built-in functions, and the names that every program begins with.

mod aggregate;
mod attributes;
pub mod file;
mod numbers;
mod output;
mod refused;

pub use numbers::absolute;
pub use output::{Stream, exit, path_argument, redirect};

use super::classes::{self, special};
use super::generator::Generator;
use super::modules::importlib;
use super::types::call::{Builtin, Call, Table, Takes, keywords, named, row};
use super::types::special::not_implemented;
use super::types::{convert, iter, lazy, overall};
use crate::value::{Class, Key, Outcome, Value};

/// The functions, sorted by name.
pub static FUNCTIONS: Table = Table {
    owner: "",
    rows: Table::sorted(&[
        row("__import__", keywords(&["name", "globals", "locals", "fromlist", "level"], 1, 5), importlib::by_function),
        row("abs", Takes::One, |c| special(c, "__abs__").unwrap_or_else(|| numbers::absolute(c))),
        row("all", Takes::One, |c| aggregate::any_is(c, false).map(|found| Value::Bool(!found))),
        row("any", Takes::One, |c| aggregate::any_is(c, true).map(Value::Bool)),
        row("ascii", Takes::One, |c| Ok(Value::from(super::types::repr::ascii(c.arg(0))?))),
        row("bin", Takes::One, |c| numbers::in_radix(c, 2, "0b")),
        row("callable", Takes::One, |c| Ok(Value::Bool(convert::is_callable(c.arg(0))))),
        row("chr", Takes::One, numbers::chr),
        row("compile", Takes::Any, refused::compile),
        row("delattr", Takes::Between(2, 2), attributes::delete),
        row("dir", Takes::Between(0, 1), attributes::dir),
        row("divmod", Takes::Between(2, 2), numbers::divmod),
        row("eval", Takes::Between(1, 3), attributes::eval),
        row("exec", Takes::Between(1, 3), attributes::exec),
        row("exit", Takes::Between(0, 1), output::exit),
        row("format", Takes::Between(1, 2), |c| {
            let spec = c.get(1).map_or(Ok(""), |spec| convert::to_str(spec, "format", "argument 2").map(|s| s.as_str()))?;
            let (value, spec) = (c.arg(0).clone(), spec.to_string());
            super::types::format(c.machine, &value, &spec).map(Value::from)
        }),
        row("getattr", Takes::Between(2, 3), attributes::get),
        row("globals", Takes::Nothing, |c| attributes::scope(c, false)),
        row("hasattr", Takes::Between(2, 2), attributes::has),
        row("hash", Takes::One, |c| {
            let value = c.arg(0).clone();
            match classes::hash_of(c.machine, &value)? {
                Some(hash) => Ok(Value::Int(hash)),
                None => Ok(Value::Int(Key::of(c.machine, value)?.hash())),
            }
        }),
        row("help", Takes::Between(0, 1), |c| {
            let topic = c.get(0).cloned();
            c.machine.help(topic.as_ref())?;
            Ok(Value::None)
        }),
        row("hex", Takes::One, |c| numbers::in_radix(c, 16, "0x")),
        row("id", Takes::One, |c| Ok(Value::Int(c.arg(0).identity() as i64))),
        row("input", Takes::Between(0, 1), output::input),
        row("isinstance", Takes::Between(2, 2), |c| {
            let (value, given) = (c.arg(0).clone(), c.arg(1).clone());
            classes::is_instance(c.machine, &value, &given).map(Value::Bool)
        }),
        row("issubclass", Takes::Between(2, 2), |c| {
            let (class, given) = (c.arg(0).clone(), c.arg(1).clone());
            classes::is_subclass(c.machine, &class, &given).map(Value::Bool)
        }),
        row("iter", Takes::Between(1, 2), iterate),
        row("len", Takes::One, |c| match special(c, "__len__") {
            Some(found) => classes::length(found?),
            None => Ok(Value::from(overall::len(c.arg(0))?)),
        })
        .at_once(|_, args| match args {
            [value] => Some(Value::from(overall::len(value).ok()?)),
            _ => None,
        }),
        row("locals", Takes::Nothing, |c| attributes::scope(c, true)),
        row("max", Takes::Any, |c| aggregate::extreme(c, "max")),
        row("min", Takes::Any, |c| aggregate::extreme(c, "min")),
        row("next", Takes::Between(1, 2), next),
        row("oct", Takes::One, |c| numbers::in_radix(c, 8, "0o")),
        row("open", named(&["file", "mode", "buffering", "encoding", "errors", "newline", "closefd", "opener"], 1), file::open),
        row("ord", Takes::One, numbers::ord),
        row("pow", named(&["base", "exp", "mod"], 2), numbers::power),
        row("print", Takes::Any, output::print),
        row("quit", Takes::Between(0, 1), output::exit),
        row("repr", Takes::One, |c| {
            let value = c.arg(0).clone();
            Ok(Value::from(c.machine.repr(&value)?))
        }),
        row("round", named(&["number", "ndigits"], 1), |c| special(c, "__round__").unwrap_or_else(|| numbers::round(c))),
        row("setattr", Takes::Between(3, 3), attributes::set),
        row("sorted", Takes::Any, aggregate::sorted),
        row("sum", keywords(&["", "start"], 1, 2), aggregate::sum),
        row("super", Takes::Any, classes::parent),
        row("vars", Takes::Between(0, 1), attributes::vars),
    ]),
};

/// The classes that are built-in names.
const CLASSES: &[Class] = &[
    Class::Bool,
    Class::ByteArray,
    Class::Bytes,
    Class::Complex,
    Class::Dict,
    Class::Enumerate,
    Class::Filter,
    Class::Float,
    Class::FrozenSet,
    Class::Int,
    Class::List,
    Class::Map,
    Class::Object,
    Class::Range,
    Class::Reversed,
    Class::Set,
    Class::Slice,
    Class::Str,
    Class::Tuple,
    Class::Type,
    Class::Zip,
];

/// Every built-in name but the exception classes, with its value.
pub fn all() -> Vec<(&'static str, Value)> {
    let functions = FUNCTIONS.rows.iter().map(|row| (row.name, Builtin::function(&FUNCTIONS, row)));
    let built_in = CLASSES.iter().map(|class| (class.short_name(), Value::Class(*class)));
    let constants = [("Ellipsis", Value::Ellipsis), ("NotImplemented", not_implemented()), ("__debug__", Value::Bool(true))];
    let members = classes::FUNCTIONS.rows.iter().map(|row| (row.name, Builtin::function(&classes::FUNCTIONS, row)));
    functions.chain(built_in).chain(members).chain(constants).collect()
}

/// `iter(iterable)`, `iter(callable, sentinel)`.
fn iterate(c: &mut Call<'_>) -> Outcome {
    let value = c.arg(0).clone();
    let Some(sentinel) = c.get(1).cloned() else { return c.machine.iter(&value) };
    if !convert::is_callable(&value) {
        fault!(TypeError, "iter(v, w): v must be callable");
    }
    Ok(lazy::until(value, sentinel))
}

/// `next(iterator, default)`.
fn next(c: &mut Call<'_>) -> Outcome {
    let iterator = c.arg(0).clone();
    match (c.machine.next(&iterator)?, c.get(1)) {
        (Some(item), _) => Ok(item),
        (None, Some(default)) => Ok(default.clone()),
        (None, None) => match iterator.downcast::<Generator>() {
            Some(generator) => Err(generator.ended()),
            None => fault!(StopIteration, ""),
        },
    }
}

/// All items of the first argument.
fn items(c: &mut Call<'_>) -> Outcome<Vec<Value>> {
    let value = c.arg(0).clone();
    iter::collect(c.machine, &value)
}
