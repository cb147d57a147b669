//! Help on a value: on a function from its docstring, on a dtype from its row, on a module from its names.

use crate::dtype::{DType, FloatLimits, Kind, general};
use crate::lang::classes::{self, Bound, UserClass};
use crate::lang::{Function, Interp};
use crate::show::{Doc, Style};
use crate::value::{Machine, Outcome, Value};

/// What there is to say of a value that is no operation.
pub(super) fn value(interp: &mut Interp, value: &Value) -> Outcome<Doc> {
    let function = value.downcast::<Bound>().map_or(value, |bound| &bound.function).downcast::<Function>();
    if let Some(class) = classes::as_class(value) {
        return of_class(interp, &class);
    }
    match (value, function) {
        (_, Some(function)) => of_function(interp, function),
        (Value::DType(dtype), _) => Ok(of_dtype(*dtype)),
        (Value::Module(module), _) => Ok(of_module(&module.name, &interp.attributes(value))),
        (other, _) => {
            let mut doc = Doc::new();
            doc.push(Style::Plain, &interp.repr(other)?).newline();
            doc.push(Style::Note, &format!(" of type {}", other.type_name())).newline();
            Ok(doc)
        }
    }
}

/// As Python's `help`, which says of a function how it is called and what its docstring says.
fn of_function(interp: &mut Interp, function: &Function) -> Outcome<Doc> {
    let name = &*function.code.name;
    let signature = function.signature(interp)?;
    let mut doc = Doc::plain(format!("Help on function {name} in module __main__:\n\n"));
    match signature.strip_prefix('(').and_then(|s| s.strip_suffix(')')).filter(|_| name == "<lambda>") {
        Some(params) => doc.push(Style::Name, &format!("{name} lambda {params}")),
        None => doc.push(Style::Name, &format!("{name}{signature}")),
    };
    doc.newline();
    for line in function.code.doc.as_deref().map(clean).unwrap_or_default() {
        doc.push(Style::Plain, &format!("    {line}")).newline();
    }
    doc.newline();
    Ok(doc)
}

/// A class that the program defined: what it builds on, its docstring, and its functions with the first line of theirs.
fn of_class(interp: &mut Interp, class: &UserClass) -> Outcome<Doc> {
    let mut bases = vec![];
    for base in class.bases() {
        let name = interp.attr(base, "__name__")?;
        bases.push(interp.str(&name)?);
    }
    let mut doc = Doc::plain(format!("Help on class {} in module __main__:\n\nclass ", class.name()));
    doc.push(Style::Name, &format!("{}({})", class.name(), bases.join(", "))).newline();
    for line in class.doc().as_deref().map(clean).unwrap_or_default() {
        doc.push(Style::Plain, &format!("    {line}")).newline();
    }
    doc.newline();
    for (name, member) in class.members() {
        let Some(function) = member.downcast::<Function>() else { continue };
        doc.push(Style::Name, &format!("    {name}{}", function.signature(interp)?)).newline();
        if let Some(line) = function.code.doc.as_deref().map(clean).and_then(|lines| lines.into_iter().next()) {
            doc.push(Style::Note, &format!("        {line}")).newline();
        }
    }
    Ok(doc)
}

/// The lines of a docstring without what they are indented by, and without the empty ones around them, as `inspect.cleandoc`.
fn clean(text: &str) -> Vec<String> {
    let text = text.replace('\t', "        ");
    let indent = |line: &str| line.len() - line.trim_start().len();
    let margin = text.lines().skip(1).filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    let mut lines: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(number, line)| if number == 0 { line.trim_start() } else { line.get(margin..).unwrap_or_default() }.into())
        .collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let empty = lines.iter().take_while(|line| line.is_empty()).count();
    lines.drain(..empty);
    lines
}

/// What an element of a dtype is, and which numbers it holds.
fn of_dtype(dtype: DType) -> Doc {
    let info = dtype.info();
    let names = info.aliases.iter().fold(dtype.to_string(), |names, alias| format!("{names}, torch.{alias}"));
    let mut doc = Doc::new();
    doc.push(Style::Name, &names).newline();
    let bytes = if info.size == 1 { "1 byte".into() } else { format!("{} bytes", info.size) };
    doc.push(Style::Note, &format!(" the type of elements of {bytes}")).newline().newline();
    doc.push(Style::Plain, &holds(dtype)).newline().newline();
    let number = match dtype.kind() {
        Kind::Bool => "True",
        Kind::Unsigned | Kind::Signed => "7",
        Kind::Float => "0.1",
        Kind::Complex => "1+2j",
    };
    doc.push(Style::Plain, &format!("    torch.tensor([{number}], dtype={dtype})")).newline();
    doc
}

/// The numbers of a dtype in a sentence.
fn holds(dtype: DType) -> String {
    if dtype.is_complex() {
        let part = dtype.to_real();
        return format!("Complex numbers: the real and the imaginary part are {part} each, side by side.");
    }
    match (dtype.float_limits(), dtype.int_limits()) {
        (Some(limits), _) => holds_floats(dtype, &limits),
        (None, Some(limits)) => {
            let bits = 8 * dtype.size();
            format!("Whole numbers of {bits} bits, from {} to {}. What goes beyond wraps around.", limits.min, limits.max)
        }
        (None, None) => "False and True: what comparisons give, and what masks are made of.".into(),
    }
}

/// How a float is made of bits, how far it goes and how finely.
fn holds_floats(dtype: DType, limits: &FloatLimits) -> String {
    let (bits, fraction) = (8 * dtype.size() as u32, limits.digits - 1);
    let exponent = bits - 1 - fraction;
    format!(
        "Floats of {bits} bits: 1 for the sign, {exponent} for the exponent, {fraction} for the fraction. The largest is {}, the \
         smallest with all its digits {}; beside 1 lies 1 + {}.",
        general(limits.max, 6),
        general(limits.smallest_normal, 6),
        general(limits.eps, 6),
    )
}

/// What a module has.
fn of_module(name: &str, names: &[String]) -> Doc {
    let mut names: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.starts_with('_')).collect();
    names.sort_unstable();
    names.dedup();
    let mut doc = Doc::new();
    doc.push(Style::Name, name).newline();
    doc.push(Style::Note, &format!(" a module with {} names", names.len())).newline().newline();
    doc.push(Style::Plain, &names.join(", ")).newline();
    doc
}
