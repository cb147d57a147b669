//! `%watch STATEMENT`: every element that changed, under every name that reaches it.

use super::explained::sentence;
use super::table::{Column, table};
use super::{counted, grouped};
use crate::show::{Doc, Style};

/// What happened to a variable.
pub struct Change {
    /// Its name.
    pub name: String,
    /// The first of the elements that changed: index, value before, value after.
    pub elements: Vec<[String; 3]>,
    /// How many changed.
    pub count: usize,
    /// What became of a name that no longer stands for the tensor it stood for.
    pub fate: Option<&'static str>,
}

const COLUMNS: [Column<'static>; 4] =
    [Column::new("name").cut(8), Column::new("index").cut(8), Column::new("before").right(), Column::new("after").right()];

/// A row per element that changed, and a line with how many there are. `others` are names that were not compared.
pub fn changes(changes: &[Change], others: &[String], width: usize) -> Doc {
    let mut doc = compared(changes, width);
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().take(NAMES).map(String::as_str).collect();
        let more = if others.len() > NAMES { ", ..." } else { "" };
        let text = format!("not compared, too large: {}{more}", names.join(", "));
        sentence(&mut doc, Style::Note, &text, width);
    }
    doc
}

/// Names that are listed as not compared.
const NAMES: usize = 8;

fn compared(changes: &[Change], width: usize) -> Doc {
    let mut doc = Doc::new();
    let mut rows = vec![];
    for change in changes {
        if let Some(fate) = change.fate {
            rows.push(vec![change.name.clone(), fate.to_string()]);
            continue;
        }
        rows.extend(change.elements.iter().map(|cells| [vec![change.name.clone()], cells.to_vec()].concat()));
        if change.count > change.elements.len() {
            rows.push(vec![change.name.clone(), format!("{} more", grouped(change.count - change.elements.len()))]);
        }
    }
    if rows.is_empty() {
        doc.push(Style::Note, " no tensor changed").newline();
        return doc;
    }
    doc.append(&table(&COLUMNS, &rows, width));
    let names = changes.iter().filter(|c| c.count > 0).count();
    if names == 0 {
        return doc;
    }
    let count: usize = changes.iter().map(|c| c.count).sum();
    let text = format!("{} changed under {}", counted(count, "element"), counted(names, "name"));
    sentence(&mut doc, Style::Note, &text, width);
    doc
}
