//! `%watch STATEMENT`: every element that changed, under every name that reaches it.

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
    /// Set when the name stands for another tensor now.
    pub rebound: bool,
}

const COLUMNS: [Column<'static>; 4] =
    [Column::new("name").cut(8), Column::new("index").cut(8), Column::new("before").right(), Column::new("after").right()];

/// A row per element that changed, and a line with how many there are.
pub fn changes(changes: &[Change], width: usize) -> Doc {
    let mut doc = Doc::new();
    let mut rows = vec![];
    for change in changes {
        if change.rebound {
            rows.push(vec![change.name.clone(), "now another tensor".to_string()]);
            continue;
        }
        rows.extend(change.elements.iter().map(|cells| [vec![change.name.clone()], cells.to_vec()].concat()));
        if change.count > change.elements.len() {
            rows.push(vec![change.name.clone(), format!("{} more", grouped(change.count - change.elements.len()))]);
        }
    }
    if rows.is_empty() {
        doc.push(Style::Faint, " no tensor changed").newline();
        return doc;
    }
    doc.append(&table(&COLUMNS, &rows, width));
    let names = changes.iter().filter(|c| c.count > 0).count();
    if names == 0 {
        return doc;
    }
    let count: usize = changes.iter().map(|c| c.count).sum();
    doc.push(Style::Faint, &format!(" {} changed under {}", counted(count, "element"), counted(names, "name"))).newline();
    doc
}
