//! `%trace`: the operations of a statement, one per row, with what each did to memory; `%meter`: their sums.

use super::explained::sentence;
use super::facts;
use super::table::{Column, table};
use super::{counted, grouped};
use crate::layout::Layout;
use crate::show::{Doc, Style};
use std::rc::Rc;

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

/// Where a tensor lies.
pub struct Place {
    /// The number of its storage; a sparse tensor has none.
    pub on: Option<u32>,
    /// Its layout.
    pub layout: Rc<Layout>,
}

/// One operation that ran.
pub struct Step {
    /// The operation as written: `.t()`.
    pub text: String,
    /// What it did.
    pub deed: Deed,
    /// Where the tensor lies that it gave or wrote; for several, the first.
    pub place: Option<Place>,
    /// Bytes of storage that it made.
    pub new: usize,
    /// Bytes it copied.
    pub copied: usize,
    /// Bytes it wrote into what was there.
    pub written: usize,
}

/// The bytes of all operations of a statement.
#[derive(Clone, Copy, Default)]
pub struct Bytes {
    /// Of storages that were made.
    pub new: usize,
    /// Of elements that were copied.
    pub copied: usize,
    /// Of elements that were given as views.
    pub shared: usize,
    /// Of elements that were written in place.
    pub written: usize,
    /// True when only the elements tell how many were written, and it may be fewer.
    pub at_most: bool,
}

impl Bytes {
    /// `16 bytes written`; none when nothing was.
    pub fn writes(&self) -> Option<String> {
        let most = if self.at_most { "up to " } else { "" };
        (self.written > 0).then(|| format!("{most}{} written", counted(self.written, "byte")))
    }
}

const COLUMNS: [Column<'static>; 11] = [
    Column::new(" ").right(),
    Column::new("step").cut(12),
    Column::new("what"),
    Column::new("where").spare(),
    Column::new("size").cut(7).spare(),
    Column::new("stride").cut(7).spare(),
    Column::new("offset").right().spare(),
    Column::new("contiguous").spare(),
    Column::new("new").right().droppable(),
    Column::new("copied").right().droppable(),
    Column::new("written").right().droppable(),
];

/// Where the columns of bytes begin.
const BYTES: usize = 8;

/// A table with a row per step and a line with the sums of the bytes. `count` is how many steps there were; the table may hold
/// fewer. Empty when nothing ran.
pub fn trace(steps: &[Step], count: usize, bytes: Bytes, width: usize) -> Doc {
    if steps.is_empty() {
        return Doc::new();
    }
    let rows: Vec<Vec<String>> = steps.iter().enumerate().map(|(k, step)| row(k + 1, step)).collect();
    // Of the columns of bytes those are shown in which something stands.
    let said = |k: usize| k < BYTES || rows.iter().any(|row| !row[k].is_empty());
    let kept: Vec<usize> = (0..COLUMNS.len()).filter(|k| said(*k)).collect();
    let columns: Vec<Column> = kept.iter().map(|k| COLUMNS[*k]).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(|row| kept.iter().map(|k| row[*k].clone()).collect()).collect();
    let mut doc = table(&columns, &rows, width);
    if count > steps.len() {
        doc.push(Style::Note, &format!(" .. {} more", grouped(count - steps.len()))).newline();
        doc.push(Style::Note, &format!(" {}", counted(count, "step"))).newline();
        return doc;
    }
    let [new, copied] = [bytes.new, bytes.copied].map(|n| counted(n, "byte"));
    let sums = [Some(counted(count, "step")), Some(format!("{new} new")), Some(format!("{copied} copied")), bytes.writes()];
    sentence(&mut doc, Style::Note, &sums.into_iter().flatten().collect::<Vec<_>>().join(", "), width);
    doc
}

fn row(number: usize, step: &Step) -> Vec<String> {
    let mut row = vec![number.to_string(), step.text.clone(), step.deed.word().to_string()];
    match &step.place {
        Some(Place { on: Some(label), layout }) => {
            row.push(format!("#{label}"));
            row.extend(facts::geometry(layout));
            row.push(facts::contiguity(layout).to_string());
        }
        _ => row.resize(8, String::new()),
    }
    let bytes = |n: usize| if n > 0 { grouped(n) } else { String::new() };
    row.extend([bytes(step.new), bytes(step.copied), bytes(step.written)]);
    row
}

/// One line: the bytes that a statement's operations made, copied, shared and wrote. Empty when nothing ran.
pub fn meter(count: usize, bytes: Bytes, width: usize) -> Doc {
    let mut doc = Doc::new();
    if count > 0 {
        let sums = [(bytes.new, "new"), (bytes.copied, "copied"), (bytes.shared, "shared")];
        let sums = sums.map(|(n, word)| format!("{} {word}", counted(n, "byte")));
        let text: Vec<String> = sums.into_iter().chain(bytes.writes()).collect();
        sentence(&mut doc, Style::Note, &text.join(" · "), width);
    }
    doc
}
