//! Help: on an operation from its row, on a command from its row, on tsr itself.

use super::{COMMANDS, Call, Command, about, find, topics};
use crate::diag::{Diagnostic, ErrorClass, did_you_mean};
use crate::lang::{Interp, Operation, elsewhere};
use crate::ops::schema::{Alias, Base};
use crate::ops::{self, OpSet};
use crate::show::{Doc, Style};
use crate::value::{Outcome, Value};

/// Columns of a paragraph.
const WIDTH: usize = 79;

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    let doc = topic(call.interp, call.rest)?;
    let doc = paragraphs(&doc, call.width());
    call.print(&doc);
    Ok(())
}

/// Help as it is shown: paragraphs broken into lines that fit, and to be read aloud as they are.
pub fn paragraphs(doc: &Doc, width: usize) -> Doc {
    doc.wrapped(width.min(WIDTH)).told_verbatim()
}

/// Help on a name, or on tsr when there is none. Fails with a `NameError` when nothing is known by it.
pub fn topic(interp: &mut Interp, name: &str) -> Outcome<Doc> {
    let name = name.trim().trim_end_matches("()");
    if name.is_empty() {
        return Ok(overview());
    }
    if let Some(command) = find(name.strip_prefix('%').unwrap_or(name)) {
        let mut doc = on_command(command);
        if let Some(topic) = topics::find(name) {
            doc.newline().append(&topic);
        }
        if let Some(set) = operation(name) {
            doc.newline().append(&on_operation(set));
        }
        return Ok(doc);
    }
    // `torch.float` is a dtype, whatever tensors have by that name.
    if let Some(bare) = name.strip_prefix("torch.")
        && ops::function(bare).is_none()
        && let Some(value @ Value::DType(_)) = named(interp, name)
    {
        return about(interp, Some(&value));
    }
    if let Some(set) = operation(name) {
        return Ok(on_operation(set));
    }
    if let Some(doc) = topics::find(name) {
        return Ok(doc);
    }
    let commands = || COMMANDS.iter().map(|c| c.name).chain(topics::names());
    let known = || ops::function_names().chain(ops::method_names()).chain(commands());
    match named(interp, name) {
        Some(value) => about(interp, Some(&value)),
        None => {
            let diagnostic = Diagnostic::new(ErrorClass::NameError, format!("there is no help on {name:?}"));
            let last = name.rsplit('.').next().unwrap_or(name);
            if let Some(ours) = elsewhere(last) {
                return Err(diagnostic.help(format!("here that is {ours}")).into());
            }
            Err(match did_you_mean(last, known()) {
                Some(near) => diagnostic.help(format!("did you mean {near}?")).into(),
                None => diagnostic.help("%help lists the commands; ?torch.view explains an operation").into(),
            })
        }
    }
}

/// `help(value)`.
pub fn about(interp: &mut Interp, value: Option<&Value>) -> Outcome<Doc> {
    let Some(value) = value else { return Ok(overview()) };
    if let Value::Object(object) = value
        && let Some(operation) = object.as_any().downcast_ref::<Operation>()
    {
        return Ok(on_operation(operation.set()));
    }
    about::value(interp, value)
}

/// The value of a name with dots: of a variable, of Python's own, or of torch's, whose name may be left out.
fn named(interp: &mut Interp, name: &str) -> Option<Value> {
    let mut parts = name.split('.');
    let first = parts.next()?;
    let own = |interp: &Interp| interp.globals.builtins().find(|(n, _)| &***n == first).map(|(_, value)| value.clone());
    let root = interp.globals.get(first).cloned().or_else(|| own(interp));
    let root = root.or_else(|| {
        let torch = interp.globals.get("torch").cloned()?;
        interp.attr(&torch, first).ok()
    });
    parts.try_fold(root?, |value, part| interp.attr(&value, part).ok())
}

/// The operation that `torch.view`, `x.view` or `view` names.
fn operation(name: &str) -> Option<&'static OpSet> {
    let bare = name.strip_prefix("torch.").unwrap_or(name);
    let last = bare.rsplit('.').next().unwrap_or(bare);
    // `linalg.solve` is another one than `solve`.
    let inner = ops::function(bare).filter(|_| bare.contains('.'));
    inner.or_else(|| ops::method(last)).or_else(|| ops::function(bare)).or_else(|| ops::property(last))
}

fn overview() -> Doc {
    let mut doc = Doc::new();
    doc.push(Style::Heading, "tsr").push(Style::Plain, ": type PyTorch-style lines; torch is imported already.").newline();
    doc.newline();
    for command in COMMANDS {
        let word = command.usage.split_whitespace().next().unwrap_or_default();
        doc.push(Style::Plain, " ").push(Style::Name, &format!("{word:<10}"));
        doc.push(Style::Plain, command.help.split('\n').next().unwrap_or_default()).newline();
    }
    doc.newline();
    doc.push(Style::Plain, "%help %layout says how a command is typed, ?torch.view explains an operation.").newline();
    doc.push(Style::Plain, "The % may be left out when the line could not be Python: layout x, y").newline();
    doc.push(Style::Plain, "_ is the last value shown. %help lesson, %help test and %help pictures say more.").newline();
    doc
}

fn on_command(command: &Command) -> Doc {
    let mut doc = Doc::new();
    doc.push(Style::Name, command.usage).newline();
    let (first, rest) = command.help.split_once('\n').unwrap_or((command.help, ""));
    for paragraph in [first, &rest.replace('\n', " ")].into_iter().filter(|text| !text.is_empty()) {
        doc.push(Style::Plain, paragraph).newline();
    }
    doc
}

fn on_operation(set: &OpSet) -> Doc {
    let mut doc = Doc::new();
    for row in &set.rows {
        // A whole number, which PyTorch may trace.
        doc.push(Style::Name, &row.schema.replace("SymInt", "int")).newline();
    }
    if let Some(verdict) = verdict(set) {
        doc.push(Style::Note, &format!(" {verdict}")).newline();
    }
    let row = set.rows.iter().find(|row| !row.doc.is_empty());
    if let Some(row) = row {
        doc.newline().push(Style::Plain, &row.doc.split_whitespace().collect::<Vec<_>>().join(" ")).newline();
    }
    if let Some(row) = set.rows.iter().find(|row| !row.example.is_empty()) {
        doc.newline();
        for line in row.example.trim().lines() {
            doc.push(Style::Plain, "    ").push(Style::Plain, line).newline();
        }
    }
    gradients(set, &mut doc);
    doc
}

/// How the gradient of each argument follows from that of the result, `grad`, where a text says so.
fn gradients(set: &OpSet, doc: &mut Doc) {
    let mut rules: Vec<(&str, &str)> = Vec::new();
    for rule in set.rows.iter().flat_map(|row| ops::gradient_rules(row)) {
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    if rules.is_empty() {
        return;
    }
    let width = rules.iter().map(|(param, _)| param.len()).max().unwrap_or(0) + 2;
    doc.newline().push(Style::Note, "Gradients, where `grad` is that of the result, `grads` those of several:").newline();
    for (param, text) in rules {
        for (number, line) in text.lines().enumerate() {
            let name = if number == 0 { param } else { "" };
            doc.push(Style::Plain, "    ").push(Style::Name, &format!("{name:<width$}")).push(Style::Plain, line).newline();
        }
    }
}

/// Operations whose schema promises shared memory, and that copy when the layout asks for it.
#[rustfmt::skip] // in few lines
const MAY_COPY: &[&str] = &[
    "reshape", "reshape_as", "flatten", "ravel", "contiguous", "to", "type", "type_as", "cpu", "cuda", "resolve_conj", "resolve_neg",
    "bfloat16", "bool", "byte", "cdouble", "cfloat", "chalf", "char", "double", "float", "half", "int", "long", "short",
];

/// Whether the result is a view, a new tensor, the tensor that was written, or none; nothing where the schema does not say.
fn verdict(set: &OpSet) -> Option<&'static str> {
    let schemas = || set.rows.iter().filter_map(|row| row.schema().ok());
    let returns = |alias: Alias| schemas().any(|s| s.returns.iter().any(|r| r.kind.alias == alias));
    let gives = |base: Base| schemas().any(|s| s.returns.iter().any(|r| r.kind.base == base));
    Some(if set.inplace || returns(Alias::Written) {
        "writes into the tensor and gives it"
    } else if returns(Alias::Shared) && MAY_COPY.contains(&set.name) {
        "gives a view, or the tensor itself, where it can; else a copy"
    } else if returns(Alias::Shared) {
        "gives a view: no number is copied"
    } else if gives(Base::Any) {
        return None;
    } else if gives(Base::Tensor) {
        "gives a new tensor"
    } else {
        "gives no tensor"
    })
}
