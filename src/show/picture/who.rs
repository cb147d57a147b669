//! `%who`: every variable, and which tensors share a storage.

use super::facts::{self, Named};
use super::layout::cells_below;
use super::table::{Column, table};
use super::{counted, grouped};
use crate::show::{Doc, Style};
use crate::tensor::Storage;
use anyhow::Result;

/// A variable.
pub enum Variable {
    /// A tensor.
    Tensor(Named),
    /// Anything else, by its name, the name of its type and its text.
    Other {
        /// The variable's name.
        name: String,
        /// The name of its type.
        kind: String,
        /// Its value in short.
        text: String,
    },
}

/// Tables of the tensors, of the storages with all who share them, and of the other variables.
pub fn who(variables: &[Variable], width: usize) -> Result<Doc> {
    let (tensors, others) = sorted(variables);
    let mut doc = Doc::new();
    if !tensors.is_empty() {
        doc.append(&tensor_table(&tensors, width)?).newline();
        doc.append(&storage_table(&tensors, width)?);
    }
    append_others(&mut doc, &others, width);
    if doc.is_empty() {
        doc.push(Style::Note, " no variables yet").newline();
    }
    Ok(doc)
}

/// The same without the storages, for the operands of an operation.
pub fn operands(variables: &[Variable], width: usize) -> Result<Doc> {
    let (tensors, others) = sorted(variables);
    let mut doc = if tensors.is_empty() { Doc::new() } else { tensor_table(&tensors, width)? };
    append_others(&mut doc, &others, width);
    Ok(doc)
}

/// The tensors, and the rows of all else.
fn sorted(variables: &[Variable]) -> (Vec<Named>, Vec<Vec<String>>) {
    let mut tensors = vec![];
    let mut others = vec![];
    for variable in variables {
        match variable {
            Variable::Tensor(named) => tensors.extend(named.parts()),
            Variable::Other { name, kind, text } => others.push(vec![name.clone(), kind.clone(), one_line(text)]),
        }
    }
    (tensors, others)
}

fn append_others(doc: &mut Doc, others: &[Vec<String>], width: usize) {
    if others.is_empty() {
        return;
    }
    if !doc.is_empty() {
        doc.newline();
    }
    doc.append(&table(&[Column::new("name").cut(8), Column::new("type"), Column::new("value").cut(8)], others, width));
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn tensor_table(tensors: &[Named], width: usize) -> Result<Doc> {
    let [name, size, stride, offset, cells, contiguous, remarks] = facts::COLUMNS;
    let columns = [name, Column::new("dtype").droppable(), size, stride, offset, Column::new("on"), cells, contiguous, remarks];
    let rows: Result<Vec<Vec<String>>> = tensors
        .iter()
        .map(|named| {
            let tensor = &named.tensor;
            let label = format!("#{}", tensor.storage()?.label());
            let mut row = facts::cells_of(tensor, cells_below(tensor)?);
            row.insert(3, label);
            Ok([vec![named.name.clone(), tensor.dtype().name().to_string()], row].concat())
        })
        .collect();
    Ok(table(&columns, &rows?, width))
}

/// A row per storage, the largest first: its bytes, how often it was written, and under each name over it how much of it that
/// name reaches. So a small view that keeps a large storage alive is seen.
pub fn storages(variables: &[Variable], width: usize) -> Result<Doc> {
    let named = variables.iter().filter_map(|v| if let Variable::Tensor(named) = v { Some(named.parts()) } else { None });
    let tensors: Vec<Named> = named.flatten().collect();
    let mut doc = Doc::new();
    if tensors.is_empty() {
        doc.push(Style::Note, " no variable is a tensor").newline();
        return Ok(doc);
    }
    let mut groups = grouped_by_storage(&tensors)?;
    groups.sort_by_key(|(storage, _)| std::cmp::Reverse(storage.nbytes()));
    let mut rows = vec![];
    for (storage, members) in &groups {
        for (k, named) in members.iter().enumerate() {
            let first = [format!("#{}", storage.label()), grouped(storage.nbytes()), storage.device().to_string()];
            let mut row = if k == 0 { first.to_vec() } else { vec![String::new(); 3] };
            row.push(if k == 0 { storage.version().to_string() } else { String::new() });
            let layout = named.tensor.layout();
            let reached = layout.distinct_cells().map(|cells| cells as usize * named.tensor.dtype().size());
            row.extend([named.name.clone(), named.tensor.dtype().name().to_string(), reached.map_or("?".to_string(), grouped)]);
            let part = reached.filter(|_| storage.nbytes() > 0).map(|bytes| 100.0 * bytes as f64 / storage.nbytes() as f64);
            row.push(part.map_or(String::new(), |part| format!("{part:.0}%")));
            rows.push(row);
        }
    }
    let columns = [
        Column::new("storage"),
        Column::new("bytes").right(),
        Column::new("device").spare(),
        Column::new("writes").right().spare(),
        Column::new("name").cut(8),
        Column::new("dtype").droppable(),
        Column::new("reaches").right(),
        Column::new("").right().droppable(),
    ];
    doc.append(&table(&columns, &rows, width));
    total(&mut doc, &groups);
    Ok(doc)
}

/// Storages in order of appearance, each with the tensors over it.
type Groups<'a> = Vec<(Storage, Vec<&'a Named>)>;

fn grouped_by_storage(tensors: &[Named]) -> Result<Groups<'_>> {
    let mut groups: Groups = vec![];
    for named in tensors {
        let storage = named.tensor.storage()?;
        match groups.iter_mut().find(|(s, _)| s.same(&storage)) {
            Some((_, members)) => members.push(named),
            None => groups.push((storage, vec![named])),
        }
    }
    Ok(groups)
}

fn total(doc: &mut Doc, groups: &Groups) {
    let bytes: usize = groups.iter().map(|(storage, _)| storage.nbytes()).sum();
    doc.push(Style::Note, &format!(" {}, {}", counted(groups.len(), "storage"), counted(bytes, "byte"))).newline();
}

fn storage_table(tensors: &[Named], width: usize) -> Result<Doc> {
    let groups = grouped_by_storage(tensors)?;
    let row = |(storage, members): &(Storage, Vec<&Named>)| {
        let label = format!("#{}", storage.label());
        let names = members.iter().map(|named| named.name.as_str()).collect::<Vec<_>>().join(", ");
        vec![label, grouped(storage.nbytes()), storage.device().to_string(), names]
    };
    let rows: Vec<Vec<String>> = groups.iter().map(row).collect();
    let columns = [
        Column::new("storage"),
        Column::new("bytes").right(),
        Column::new("device").droppable(),
        Column::new("shared by").wrapped(12),
    ];
    let mut doc = table(&columns, &rows, width);
    total(&mut doc, &groups);
    Ok(doc)
}
