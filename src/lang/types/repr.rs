//! `repr(x)` and `str(x)` of every value.

use super::{digits, limits};
use crate::diag::ErrorClass;
use crate::interrupt;
use crate::settings;
use crate::show::{number, object, storage, tensor};
use crate::tensor::Tensor;
use crate::value::{Dict, Exception, Module, Named, Outcome, Range, Set, Value};
use std::cell::RefCell;
use std::fmt::Write;

pub use super::class::class_text;

thread_local! {
    /// The containers that are being shown, to find those that hold themselves.
    static OPEN: RefCell<Vec<u64>> = const { RefCell::new(vec![]) };
}

/// `repr(value)`.
pub fn repr(value: &Value) -> Outcome<String> {
    let mut out = String::new();
    write_repr(&mut out, value)?;
    Ok(out)
}

/// `str(value)`.
pub fn str(value: &Value) -> Outcome<String> {
    match value {
        Value::Str(s) => Ok(s.to_string()),
        Value::Exception(e) => exception_text(e),
        Value::Device(d) => Ok(object::device_str(d)),
        Value::Object(o) => Ok(o.str()),
        other => repr(other),
    }
}

/// `ascii(value)`: its repr with everything beyond ASCII escaped.
pub fn ascii(value: &Value) -> Outcome<String> {
    let mut out = String::new();
    for c in repr(value)?.chars() {
        if c.is_ascii() { out.push(c) } else { escape(&mut out, c) }
    }
    Ok(out)
}

/// Appends `repr(value)`.
pub fn write_repr(out: &mut String, value: &Value) -> Outcome<()> {
    match value {
        Value::None => out.push_str("None"),
        Value::Ellipsis => out.push_str("Ellipsis"),
        Value::Bool(b) => out.push_str(if *b { "True" } else { "False" }),
        Value::Int(i) => push(out, format_args!("{i}")),
        Value::BigInt(b) => out.push_str(&digits::of_big(b)?),
        Value::Float(f) => number::write_float(out, *f),
        Value::Complex(c) => number::write_complex(out, **c),
        Value::Str(s) => write_str(out, s),
        Value::Bytes(b) => write_bytes(out, b),
        Value::Tuple(items) => nested(out, value, "(...)", |out| write_tuple(out, items))?,
        Value::List(_) => nested(out, value, "[...]", |out| {
            out.push('[');
            write_items(out, &value.items().unwrap_or_default())?;
            out.push(']');
            Ok(())
        })?,
        Value::Dict(entries) => nested(out, value, "{...}", |out| write_dict(out, &entries.borrow().clone()))?,
        Value::Set(items) if items.borrow().is_empty() => out.push_str("set()"),
        Value::Set(items) => nested(out, value, "set(...)", |out| write_set(out, &items.borrow().clone()))?,
        Value::Range(range) => write_range(out, range),
        Value::Slice(parts) => {
            out.push_str("slice(");
            write_items(out, &**parts)?;
            out.push(')');
        }
        Value::Tensor(t) => out.push_str(&tensor_text(t)?),
        Value::Size(sizes) => out.push_str(&object::size(sizes)),
        Value::DType(d) => push(out, format_args!("{d}")),
        Value::Device(d) => out.push_str(&object::device(d)),
        Value::Storage(view) => out.push_str(&storage::repr(view)?),
        Value::Named(named) => nested(out, value, "(...)", |out| write_named(out, named))?,
        Value::Class(class) => push(out, format_args!("<class '{}'>", class.name())),
        Value::Exception(e) => nested(out, value, "...", |out| write_exception(out, e))?,
        Value::Module(m) => out.push_str(&module_text(m)),
        Value::Object(o) => out.push_str(&limits::deeper(GETTING, || Ok(o.repr()))?),
    }
    Ok(())
}

const GETTING: &str = " while getting the repr of an object";

/// Writing to a `String` cannot fail.
fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

/// Shows what a container holds, or `instead` when the container is being shown already.
fn nested(out: &mut String, value: &Value, instead: &str, inside: impl FnOnce(&mut String) -> Outcome<()>) -> Outcome<()> {
    let id = value.identity();
    if OPEN.with_borrow(|open| open.contains(&id)) {
        out.push_str(instead);
        return Ok(());
    }
    OPEN.with_borrow_mut(|open| open.push(id));
    let result = limits::deeper(GETTING, || inside(out));
    OPEN.with_borrow_mut(|open| open.pop());
    result
}

/// The text of an object's own container, for `repr` of [`crate::value::Object`]s: `instead` inside itself.
pub fn of_container(identity: u64, instead: &str, text: impl FnOnce() -> Outcome<String>) -> String {
    if OPEN.with_borrow(|open| open.contains(&identity)) {
        return instead.to_string();
    }
    OPEN.with_borrow_mut(|open| open.push(identity));
    let result = limits::deeper(GETTING, text);
    OPEN.with_borrow_mut(|open| open.pop());
    result.unwrap_or_else(|_| "...".to_string())
}

fn write_items(out: &mut String, items: &[Value]) -> Outcome<()> {
    for (i, item) in items.iter().enumerate() {
        interrupt::check()?;
        if i > 0 {
            out.push_str(", ");
        }
        write_repr(out, item)?;
    }
    Ok(())
}

fn write_tuple(out: &mut String, items: &[Value]) -> Outcome<()> {
    out.push('(');
    write_items(out, items)?;
    out.push_str(if items.len() == 1 { ",)" } else { ")" });
    Ok(())
}

/// Appends `{key: value}`.
pub fn write_dict(out: &mut String, entries: &Dict) -> Outcome<()> {
    out.push('{');
    for (i, (key, value)) in entries.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write_repr(out, key.value())?;
        out.push_str(": ");
        write_repr(out, value)?;
    }
    out.push('}');
    Ok(())
}

/// Appends `{a, b}` of a set that is not empty.
pub fn write_set(out: &mut String, items: &Set) -> Outcome<()> {
    out.push('{');
    write_items(out, &items.iter().map(|k| k.value().clone()).collect::<Vec<_>>())?;
    out.push('}');
    Ok(())
}

fn write_range(out: &mut String, range: &Range) {
    push(out, format_args!("range({}, {}", range.start, range.stop));
    if range.step != 1 {
        push(out, format_args!(", {}", range.step));
    }
    out.push(')');
}

/// `torch.return_types.max(\nvalues=tensor(3),\nindices=tensor(0))`; other named tuples stay on one line.
fn write_named(out: &mut String, named: &Named) -> Outcome<()> {
    let torch = named.type_name.starts_with("torch.");
    push(out, format_args!("{}(", named.type_name));
    for (i, (field, value)) in named.fields.iter().zip(&named.values).enumerate() {
        out.push_str(match (i, torch) {
            (0, true) => "\n",
            (0, false) => "",
            (_, true) => ",\n",
            (_, false) => ", ",
        });
        push(out, format_args!("{field}="));
        write_repr(out, value)?;
    }
    out.push(')');
    Ok(())
}

fn write_exception(out: &mut String, exception: &Exception) -> Outcome<()> {
    out.push_str(exception.diagnostic.class.short_name());
    out.push('(');
    write_items(out, &exception.args.borrow())?;
    out.push(')');
    Ok(())
}

/// `str(e)`: nothing, the only argument, or all of them; a `KeyError` shows the key as it is written.
fn exception_text(exception: &Exception) -> Outcome<String> {
    let class = exception.diagnostic.class;
    if let (ErrorClass::Own(_), Some(message)) = (class, &exception.trace.borrow().message) {
        return Ok(message.clone());
    }
    if class.is_a(ErrorClass::OSError) && exception.args.borrow().len() > 1 {
        return Ok(exception.diagnostic.message.clone());
    }
    match exception.args.borrow().as_slice() {
        [] => Ok(String::new()),
        [key] if class == ErrorClass::KeyError => repr(key),
        [one] => Ok(str(one)? + &place_in_text(exception)),
        several => {
            let mut out = String::new();
            write_tuple(&mut out, several)?;
            Ok(out)
        }
    }
}

/// Where a text that was to be run is wrong: ` (<string>, line 1)`.
fn place_in_text(exception: &Exception) -> String {
    let trace = exception.trace.borrow();
    let own = |name: &str| trace.own.iter().find(|(own, _)| &**own == name).map(|(_, value)| value);
    match (own("filename"), own("lineno")) {
        (Some(Value::Str(file)), Some(Value::Int(line))) if exception.diagnostic.class.is_a(ErrorClass::SyntaxError) => {
            format!(" ({}, line {line})", file.as_str())
        }
        _ => String::new(),
    }
}

fn module_text(module: &Module) -> String {
    match module.name.split('.').next() {
        Some("math" | "cmath" | "time" | "sys" | "itertools" | "builtins") => format!("<module '{}' (built-in)>", module.name),
        _ => format!("<module '{}' (tsr)>", module.name),
    }
}

fn tensor_text(t: &Tensor) -> Outcome<String> {
    let (options, default) = settings::with(|s| (s.print.clone(), s.default_dtype));
    Ok(tensor::repr(t, &options, default)?)
}

/// Appends a str as a literal: in single quotes unless it holds one and no double quote.
pub fn write_str(out: &mut String, text: &str) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.reserve(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if !c.is_ascii() && is_printable(c) => out.push(c),
            c => escape(out, c),
        }
    }
    out.push(quote);
}

/// True for what `repr` shows as it is: all but control, format, unassigned and private characters and odd blanks.
pub fn is_printable(c: char) -> bool {
    // A mark that joins the letter before it is escaped at the start of a str only; after a letter it shows what we ask.
    c.is_ascii_graphic() || c == ' ' || (!c.is_ascii() && !format!("a{c}").escape_debug().to_string().ends_with('}'))
}

fn escape(out: &mut String, c: char) {
    match c as u32 {
        n @ ..=0xff => push(out, format_args!("\\x{n:02x}")),
        n @ ..=0xffff => push(out, format_args!("\\u{n:04x}")),
        n => push(out, format_args!("\\U{n:08x}")),
    }
}

fn write_bytes(out: &mut String, bytes: &[u8]) {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { b'"' } else { b'\'' };
    out.push('b');
    out.push(quote as char);
    for &b in bytes {
        match b {
            b'\\' => out.push_str("\\\\"),
            b if b == quote => out.extend(['\\', b as char]),
            b' '..=b'~' => out.push(b as char),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b => push(out, format_args!("\\x{b:02x}")),
        }
    }
    out.push(quote as char);
}
