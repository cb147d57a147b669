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
    let mut tensors = vec![];
    let mut others = vec![];
    for variable in variables {
        match variable {
            Variable::Tensor(named) => tensors.extend(named.parts()),
            Variable::Other { name, kind, text } => others.push(vec![name.clone(), kind.clone(), one_line(text)]),
        }
    }
    let mut doc = Doc::new();
    if !tensors.is_empty() {
        doc.append(&tensor_table(&tensors, width)?).newline();
        doc.append(&storage_table(&tensors, width)?);
    }
    if !others.is_empty() {
        if !doc.is_empty() {
            doc.newline();
        }
        doc.append(&table(&[Column::new("name").cut(8), Column::new("type"), Column::new("value").cut(8)], &others, width));
    }
    if doc.is_empty() {
        doc.push(Style::Faint, " no variables yet").newline();
    }
    Ok(doc)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn tensor_table(tensors: &[Named], width: usize) -> Result<Doc> {
    let [name, size, stride, offset, cells, contiguous, remarks] = facts::COLUMNS;
    let columns = [name, Column::new("dtype"), size, stride, offset, Column::new("on"), cells, contiguous, remarks];
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

fn storage_table(tensors: &[Named], width: usize) -> Result<Doc> {
    let mut storages: Vec<(Storage, Vec<&str>)> = vec![];
    for named in tensors {
        let storage = named.tensor.storage()?;
        match storages.iter_mut().find(|(s, _)| s.same(&storage)) {
            Some((_, names)) => names.push(&named.name),
            None => storages.push((storage, vec![&named.name])),
        }
    }
    let row = |(storage, names): &(Storage, Vec<&str>)| {
        let label = format!("#{}", storage.label());
        vec![label, grouped(storage.nbytes()), storage.device().to_string(), names.join(", ")]
    };
    let rows: Vec<Vec<String>> = storages.iter().map(row).collect();
    let columns = [Column::new("storage"), Column::new("bytes").right(), Column::new("device"), Column::new("shared by").cut(12)];
    let mut doc = table(&columns, &rows, width);
    let bytes: usize = storages.iter().map(|(storage, _)| storage.nbytes()).sum();
    doc.push(Style::Faint, &format!(" {}, {}", counted(storages.len(), "storage"), counted(bytes, "byte"))).newline();
    Ok(doc)
}
