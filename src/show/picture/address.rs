//! `%addr x[1, 2]` and `%cell #1[7]`: from an index to its cell, and back.

use super::explained::heading;
use super::facts::Named;
use super::table::{Column, table};
use crate::show::{Doc, Style};
use anyhow::Result;

/// Most indices that are looked for in one cell.
const INDICES: usize = 8;

/// The sum that leads from an index to a cell: offset, and index times stride for each dimension. The index is in range. Fails
/// with a `NotImplementedError` on a sparse tensor.
pub fn address(base: &Named, text: &str, index: &[i64], value: &str, width: usize) -> Result<Doc> {
    let layout = base.tensor.layout();
    let cell = layout.address(index);
    let size = base.tensor.dtype().size() as i64;
    let mut doc = Doc::new();
    let verdict = format!(" is cell {cell} of storage #{}", base.tensor.storage()?.label());
    heading(&mut doc, text, Style::Good, &verdict, width);
    let mut rows = vec![vec!["offset".to_string(), String::new(), layout.offset.to_string()]];
    for (dim, (i, stride)) in index.iter().zip(&layout.strides).enumerate() {
        rows.push(vec![format!("dim {dim}"), format!("index {i} * stride {stride}"), (i * stride).to_string()]);
    }
    rows.push(vec!["cell".to_string(), format!("bytes {} to {}", cell * size, cell * size + size - 1), cell.to_string()]);
    rows.push(vec!["value".to_string(), String::new(), value.to_string()]);
    doc.append(&table(&[Column::new(""), Column::new("").cut(12), Column::new("").right()], &rows, width));
    Ok(doc)
}

/// Who reaches a cell of a storage: each tensor over it, with the indices.
pub fn cell(label: u32, cell: i64, tensors: &[Named], width: usize) -> Doc {
    let mut doc = Doc::new();
    let mut title = Doc::new();
    title.push(Style::Plain, " ").push(Style::Name, &format!("#{label}[{cell}]")).push(Style::Plain, " is reached by").newline();
    doc.append(&title.told_as(format!("Who reaches cell {cell} of storage {label}:"))).newline();
    let row = |named: &Named| {
        let reached = named.tensor.layout().visitors(cell, INDICES).map_or("·".to_string(), |visitors| {
            let first = visitors.first.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
            let more = if visitors.exact { visitors.count - 1 } else { INDICES as i64 };
            let rest = if more > 0 {
                format!(" and {}{more} more", if visitors.exact { "" } else { "at least " })
            } else {
                String::new()
            };
            if first.is_empty() { named.name.clone() } else { format!("{}[{first}]{rest}", named.name) }
        });
        vec![named.name.clone(), reached]
    };
    let rows: Vec<Vec<String>> = tensors.iter().map(row).collect();
    doc.append(&table(&[Column::new("name").cut(8), Column::new("index").cut(12)], &rows, width));
    doc
}
