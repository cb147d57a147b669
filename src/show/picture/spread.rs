//! What small operands look like once they are lined up: each with the values that it gives to every place of the result.

use super::explained::Operand;
use super::layout::value_text;
use crate::device::DeviceId;
use crate::dtype::Number;
use crate::layout::Layout;
use crate::show::narrate::list;
use crate::show::object::tuple;
use crate::show::{Doc, Style};
use crate::tensor::Tensor;
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// Rows and places of a result at most.
const ROWS: i64 = 8;
const PLACES: i64 = 64;
/// Blanks between two operands.
const GAP: usize = 3;

/// An operand spread over the sizes of the result.
struct Spread {
    title: String,
    name: String,
    /// The values, row by row, each with whether it is there for the first time.
    rows: Vec<Vec<(String, bool)>>,
    /// Columns of a value.
    wide: usize,
}

/// The operands side by side; empty when none of them is read again, when they are too large, or when there is no room.
pub(super) fn spread(operands: &[&Operand], names: &[String], sizes: &[i64], width: usize) -> Doc {
    let places: i64 = sizes.iter().product();
    let is_small = (1..=2).contains(&sizes.len()) && (1..=PLACES).contains(&places) && places / sizes[sizes.len() - 1] <= ROWS;
    let is_again = |o: &&Operand| o.layout.ndim() > 0 && o.layout.numel() < places;
    if !is_small || !operands.iter().any(is_again) {
        return Doc::new();
    }
    let Some(spreads) = operands.iter().zip(names).map(|(o, name)| Spread::of(o, name, sizes)).collect::<Option<Vec<_>>>() else {
        return Doc::new();
    };
    let used: usize = spreads.iter().map(|s| s.width() + GAP).sum();
    if used + 1 > width + GAP {
        return Doc::new();
    }
    let mut doc = Doc::plain(" ");
    for (k, spread) in spreads.iter().enumerate() {
        let gap = if k + 1 < spreads.len() { spread.width() + GAP - spread.title.width() } else { 0 };
        doc.push(Style::Note, &spread.title).push(Style::Plain, &" ".repeat(gap));
    }
    doc.newline();
    for row in 0..spreads.first().map_or(0, |s| s.rows.len()) {
        let mut line = Doc::plain(" ");
        for spread in &spreads {
            spread.draw(&mut line, row);
        }
        doc.append(&line.trim_end()).newline();
    }
    doc.newline();
    let told = told(&spreads);
    doc.told_as(told)
}

fn told(spreads: &[Spread]) -> String {
    let mut out = String::new();
    for row in 0..spreads.first().map_or(0, |s| s.rows.len()) {
        let values = |spread: &Spread| {
            let values = spread.rows[row].iter().map(|(value, _)| value.trim_end_matches('.').to_string());
            format!("{} of {}", list(&values.collect::<Vec<_>>()), spread.name)
        };
        let _ = writeln!(out, "Row {row} takes {}.", spreads.iter().map(values).collect::<Vec<_>>().join("; "));
    }
    out
}

impl Spread {
    /// None when its values cannot be read here.
    fn of(operand: &Operand, name: &str, sizes: &[i64]) -> Option<Spread> {
        let tensor = operand.tensor.as_ref()?;
        let layout = operand.layout.broadcast_to(sizes).ok()?;
        let columns = *sizes.last()?;
        let rows = Layout::contiguous(&sizes[..sizes.len() - 1]).numel();
        let mut values = vec![];
        for row in 0..rows {
            let place = |column: i64| layout.nth_index(row * columns + column);
            // A place is the first for its element when it is at 0 wherever it stays on its cell.
            let is_first = |index: &[i64]| index.iter().zip(&layout.strides).all(|(i, stride)| *i == 0 || *stride != 0);
            let read = |index: &[i64]| Some((value(tensor, layout.address(index))?, is_first(index)));
            values.push((0..columns).map(|column| read(&place(column))).collect::<Option<Vec<_>>>()?);
        }
        let wide = values.iter().flatten().map(|(text, _)| text.width()).max().unwrap_or(0);
        let title = format!("{name} as {}", tuple(sizes));
        Some(Spread { title, name: name.to_string(), rows: values, wide })
    }

    fn width(&self) -> usize {
        let row = self.rows.first().map_or(0, |row| row.len() * (self.wide + 2));
        row.max(self.title.width())
    }

    fn draw(&self, doc: &mut Doc, row: usize) {
        let mut used = 0;
        for (value, is_first) in &self.rows[row] {
            let text = format!("{}{value}  ", " ".repeat(self.wide - value.width()));
            used += text.width();
            doc.push(if *is_first { Style::Strong } else { Style::Faint }, &text);
        }
        doc.push(Style::Plain, &" ".repeat(self.width() + GAP - used));
    }
}

/// The value of a cell; none where there is no memory to read, or where it is not read as it lies there.
pub(super) fn value(tensor: &Tensor, cell: i64) -> Option<String> {
    if tensor.is_conj() || tensor.is_neg() || tensor.sparse().is_some() {
        return None;
    }
    let (storage, dtype) = (tensor.storage().ok()?, tensor.dtype());
    if storage.device() == DeviceId::Meta {
        return None;
    }
    let at = cell as usize * dtype.size();
    let number = storage.read(|bytes| bytes.get(at..at + dtype.size()).map(|bytes| Number::read(dtype, bytes))).ok()??;
    Some(value_text(dtype, number))
}
