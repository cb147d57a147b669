//! `%layout x, y.t()`: the storage row and who reaches each cell.

use super::reader::with_what_is_missing;
use super::{Call, source, usage};
use crate::diag::{Diagnostic, ErrorClass, Span};
use crate::layout::Layout;
use crate::show::picture::{self, Named};
use crate::syntax;
use crate::syntax::ast::{Expr, ExprKind};
use crate::tensor::Tensor;
use crate::value::{Outcome, StorageView, Value};
use std::ops::Range;

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    let (bytes, text) = flag(call.rest, "--bytes");
    let (with, text) = flag(&text, "--arrows");
    let (without, text) = flag(&text, "--no-arrows");
    let (window, text) = window(&text)?;
    let tensors = named(call, &text)?;
    let arrows = (with || without).then_some(with);
    let doc = match bytes {
        true => picture::bytes(&tensors, window, call.width())?,
        false => picture::layout(&tensors, window, arrows, call.width())?,
    };
    call.print(&doc);
    Ok(())
}

/// Takes a word out of a command's text; true when it was there.
fn flag(rest: &str, word: &str) -> (bool, String) {
    let kept: Vec<&str> = rest.split(' ').filter(|part| *part != word).collect();
    (kept.len() < rest.split(' ').count(), kept.join(" "))
}

/// Takes `--cells 90:110` out of a command's text.
fn window(rest: &str) -> Outcome<(Option<Range<i64>>, String)> {
    let Some((before, after)) = rest.split_once("--cells") else { return Ok((None, rest.to_string())) };
    let after = after.trim_start_matches(['=', ' ']);
    let (range, behind) = after.split_once(char::is_whitespace).unwrap_or((after, ""));
    let end = |text: &str, default: i64| if text.is_empty() { Some(default) } else { text.parse().ok() };
    let bounds = range.split_once(':').and_then(|(from, to)| Some(end(from, 0)?..end(to, i64::MAX)?));
    match bounds {
        Some(bounds) => Ok((Some(bounds), format!("{before} {behind}"))),
        None => Err(usage("layout", &format!("--cells takes a range of cells like 90:110, not {range:?}"))),
    }
}

/// The tensors that some expressions give, each with its text.
fn named(call: &mut Call, text: &str) -> Outcome<Vec<Named>> {
    if text.trim().is_empty() {
        return Err(usage("layout", "%layout needs at least one tensor"));
    }
    let source = source("layout", &with_commas(text.trim()));
    let whole = syntax::parse_expression(&source, Span::new(0, source.text.len()))
        .map_err(|refusal| with_what_is_missing(&source.text, refusal))?;
    let value = call.interp.evaluate(&source)?;
    let text = |expr: &Expr| source.text.get(expr.span.range()).unwrap_or_default().to_string();
    let mut found = vec![];
    match (&whole.kind, &value) {
        (ExprKind::Tuple(parts), Value::Tuple(values)) if parts.len() == values.len() => {
            for (part, value) in parts.iter().zip(values.iter()) {
                collect(&mut found, text(part), value)?;
            }
        }
        _ => collect(&mut found, text(&whole), &value)?,
    }
    Ok(found)
}

/// A text that is no expression, with the commas that are missing in it when each of its words is one: `x y` as `x, y`.
fn with_commas(text: &str) -> String {
    let is_expression = |text: &str| syntax::parse_expression(&source("layout", text), Span::new(0, text.len())).is_ok();
    let words: Vec<&str> = text.split_whitespace().collect();
    match !is_expression(text) && words.iter().all(|word| is_expression(word)) {
        true => words.join(", "),
        false => text.to_string(),
    }
}

/// Adds what a value holds: a tensor, a storage, or the tensors of a list.
fn collect(found: &mut Vec<Named>, name: String, value: &Value) -> Outcome<()> {
    match value {
        Value::Tensor(tensor) => found.push(Named { name, tensor: tensor.clone() }),
        Value::Storage(view) => found.push(Named { name, tensor: whole_storage(view)? }),
        other => match other.items() {
            Some(items) if !items.is_empty() => {
                for (k, item) in items.iter().enumerate() {
                    collect(found, format!("{name}[{k}]"), item)?;
                }
            }
            _ => {
                let message = format!("%layout draws tensors, and {name} is of type {}", other.type_name());
                let help = "it takes tensors, their storages, and lists of them; %tree shows what is in a value";
                return Err(Diagnostic::new(ErrorClass::TypeError, message).help(help).into());
            }
        },
    }
    Ok(())
}

/// All cells of a storage as a tensor of one dimension.
fn whole_storage(view: &StorageView) -> Outcome<Tensor> {
    let dtype = view.dtype.unwrap_or(crate::dtype::DType::U8);
    let cells = (view.storage.nbytes() / dtype.size()) as i64;
    Ok(Tensor::new(view.storage.clone(), dtype, Layout::contiguous(&[cells]))?)
}
