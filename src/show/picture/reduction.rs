//! `%explain x.sum(1)`: which dims go, which stay, and which cells one result reads.

use super::explained::{Effect, heading, refusal, sentence, verdict_of};
use super::facts::Named;
use super::table::{Column, table};
use super::{counted, grouped};
use crate::show::{Doc, Style};

/// An operation that makes one value of all elements along some dims.
pub struct Reduction<'a> {
    /// The whole expression.
    pub text: &'a str,
    /// What is reduced.
    pub base: &'a Named,
    /// For each dim, whether it is reduced.
    pub reduced: &'a [bool],
    /// Whether reduced dims stay with size 1.
    pub keepdim: bool,
}

const COLUMNS: [Column<'static>; 4] =
    [Column::new("dim"), Column::new("size").right(), Column::new("stride").right(), Column::new("").wrapped(12)];

/// A row per dim, and how many elements each result reads.
pub fn reduction(it: &Reduction, effect: &Effect, width: usize) -> Doc {
    let layout = it.base.tensor.layout();
    let mut doc = Doc::new();
    let (style, verdict) = verdict_of(effect);
    heading(&mut doc, it.text, style, &verdict, width);
    let mut next = 0;
    let mut rows = vec![];
    for (dim, ((size, stride), reduced)) in layout.sizes.iter().zip(&layout.strides).zip(it.reduced).enumerate() {
        let fate = match (reduced, it.keepdim) {
            (false, _) => format!("stays, as dim {next}"),
            (true, true) => format!("reduced, stays as dim {next} of size 1"),
            (true, false) => "reduced, goes".to_string(),
        };
        next += usize::from(!reduced || it.keepdim);
        rows.push(vec![format!("dim {dim}"), size.to_string(), stride.to_string(), fate]);
    }
    if !rows.is_empty() {
        doc.append(&table(&COLUMNS, &rows, width)).newline();
    }
    let chosen = |wanted: bool| layout.sizes.iter().zip(it.reduced).filter(move |(_, r)| **r == wanted).map(|(s, _)| *s);
    let (each, results): (i64, i64) = (chosen(true).product(), chosen(false).product());
    let strides: Vec<i64> = layout.strides.iter().zip(it.reduced).filter(|(_, r)| **r).map(|(s, _)| *s).collect();
    let apart = match strides.as_slice() {
        [0] if each > 1 => ", all of them one cell".to_string(),
        [one] if each > 1 => format!(", {} apart", counted(*one, "cell")),
        _ => String::new(),
    };
    refusal(&mut doc, effect, width);
    if effect.refusal().is_none() {
        let subject = if results == 1 { "the result".to_string() } else { format!("each of {} results", grouped(results)) };
        sentence(&mut doc, Style::Plain, &format!("{subject} reads {}{apart}", counted(each, "element")), width);
    }
    if let Some(result) = effect.result().filter(|r| r.dtype() != it.base.tensor.dtype()) {
        let (from, to) = (it.base.tensor.dtype().name(), result.dtype().name());
        sentence(&mut doc, Style::Plain, &format!("dtype {from} becomes {to}"), width);
    }
    doc
}
