//! `%trace`: the operations of a statement, one per row, with what each did to memory.

use super::facts;
use super::table::{Column, table};
use super::{counted, grouped};
use crate::show::{Doc, Style};
use crate::tensor::Tensor;

/// What an operation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Gave the very tensor it was asked for.
    Same,
    /// Gave another layout over the same storage.
    View,
    /// Made a storage for its result.
    New,
    /// Copied a tensor's elements into a new storage.
    Copy,
    /// Wrote into a tensor it was given.
    Write,
    /// Gave something that is no tensor.
    Value,
}

impl Deed {
    /// The word in the table. A copy, which costs most, stands out without colour too.
    fn word(self) -> &'static str {
        match self {
            Deed::Same => "same",
            Deed::View => "view",
            Deed::New => "new",
            Deed::Copy => "COPY",
            Deed::Write => "write",
            Deed::Value => "value",
        }
    }
}

/// One operation that ran.
pub struct Step {
    /// The operation as written: `.t()`.
    pub text: String,
    /// What it did.
    pub deed: Deed,
    /// The tensor it gave or wrote; for several, the first.
    pub tensor: Option<Tensor>,
    /// Bytes it copied.
    pub copied: usize,
}

const COLUMNS: [Column<'static>; 9] = [
    Column::new(" ").right(),
    Column::new("step").cut(10),
    Column::new("what"),
    Column::new("where"),
    Column::new("size").cut(7),
    Column::new("stride").cut(7),
    Column::new("offset").right(),
    Column::new("contiguous"),
    Column::new("copied").right(),
];

/// A table with a row per step and a line with the sum of the bytes copied. Empty when nothing ran.
pub fn trace(steps: &[Step], width: usize) -> Doc {
    if steps.is_empty() {
        return Doc::new();
    }
    let rows: Vec<Vec<String>> = steps.iter().enumerate().map(|(k, step)| row(k + 1, step)).collect();
    let mut doc = table(&COLUMNS, &rows, width);
    let copied: usize = steps.iter().map(|s| s.copied).sum();
    doc.push(Style::Faint, &format!(" {}, {} copied", counted(steps.len(), "step"), counted(copied, "byte"))).newline();
    doc
}

fn row(number: usize, step: &Step) -> Vec<String> {
    let mut row = vec![number.to_string(), step.text.clone(), step.deed.word().to_string()];
    let strided = step.tensor.as_ref().and_then(|t| Some((t.storage().ok()?, t.layout())));
    match strided {
        Some((storage, layout)) => {
            row.push(format!("#{}", storage.label()));
            row.extend(facts::geometry(&layout));
            row.push(facts::contiguity(&layout).to_string());
        }
        None => row.resize(8, String::new()),
    }
    row.push(if step.copied > 0 { grouped(step.copied) } else { String::new() });
    row
}
