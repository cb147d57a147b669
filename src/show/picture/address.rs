//! `%addr x[1, 2]` and `%cell #1[7]`: from an index to its cell, and back.

use super::explained::heading;
use super::facts::Named;
use super::layout::value_text;
use super::table::{Column, table};
use crate::device::DeviceId;
use crate::dtype::{DType, Number};
use crate::show::{Doc, Style};
use crate::tensor::Storage;
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
    let steps = index
        .iter()
        .zip(&layout.strides)
        .enumerate()
        .map(|(dim, (i, stride))| format!("In dim {dim}, index {i} times stride {stride} is {}.\n", i * stride));
    let told = format!(
        "The offset is {}.\n{}Together that is cell {cell}, bytes {} to {}.\nIts value is {value}.",
        layout.offset,
        steps.collect::<String>(),
        cell * size,
        cell * size + size - 1
    );
    let columns = [Column::new(""), Column::new("").cut(12), Column::new("").right()];
    doc.append(&table(&columns, &rows, width).told_as(told));
    Ok(doc)
}

/// Who reaches a cell of a storage, and what it holds: each tensor over it, with the indices.
pub fn cell(label: u32, cell: i64, tensors: &[Named], width: usize) -> Result<Doc> {
    let mut doc = Doc::new();
    let mut rows = vec![];
    let mut values: Vec<String> = vec![];
    for named in tensors {
        let Some(visitors) = named.tensor.layout().visitors(cell, INDICES) else {
            rows.push(vec![named.name.clone(), "does not reach it".to_string()]);
            continue;
        };
        let value = held(&named.tensor.storage()?, named.tensor.dtype(), cell)?;
        values.extend(value.filter(|value| !values.contains(value)));
        let first = visitors.first.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let element = if first.is_empty() { named.name.clone() } else { format!("{}[{first}]", named.name) };
        let more = match (visitors.count, visitors.exact) {
            (1, true) => String::new(),
            (count, true) => format!("and {} more", count - 1),
            (_, false) => format!("and at least {INDICES} more"),
        };
        rows.push(vec![element, more]);
    }
    let verdict = match values.as_slice() {
        [] => " is reached by:".to_string(),
        values => format!(" holds {} and is reached by:", values.join(" or ")),
    };
    heading(&mut doc, &format!("#{label}[{cell}]"), Style::Good, &verdict, width);
    doc.append(&table(&[Column::new("").cut(8), Column::new("")], &rows, width));
    Ok(doc)
}

/// The value in a cell as a tensor of this dtype reads it; none where there is no memory.
fn held(storage: &Storage, dtype: DType, cell: i64) -> Result<Option<String>> {
    if storage.device() == DeviceId::Meta {
        return Ok(None);
    }
    let start = usize::try_from(cell).unwrap_or(usize::MAX).saturating_mul(dtype.size());
    let number = storage.read(|bytes| bytes.get(start..start + dtype.size()).map(|bytes| Number::read(dtype, bytes)))?;
    // As Python writes it: a full stop at its end would end the sentence.
    let spelled = |text: String| if text.ends_with('.') { text + "0" } else { text };
    Ok(number.map(|number| spelled(value_text(dtype, number))))
}
