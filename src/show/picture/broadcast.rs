//! `%explain a + b`: how two operands are lined up at their last dimension without copying.

use super::table::{Column, table};
use super::{grouped, shortened};
use crate::layout::{Layout, broadcast_sizes};
use crate::show::object::tuple;
use crate::show::{Doc, Style};

/// Columns of an operand's text at most.
const NAME: usize = 24;

/// One operand of an operation that lines its operands up.
pub struct Operand<'a> {
    /// Its text.
    pub name: &'a str,
    /// Where its elements are.
    pub layout: &'a Layout,
}

impl Operand<'_> {
    /// Its size in dimension `dim` of `ndim` that it is aligned with at the last; none where it has no dimension.
    fn size(&self, dim: usize, ndim: usize) -> Option<i64> {
        (dim + self.layout.ndim()).checked_sub(ndim).and_then(|k| self.layout.sizes.get(k)).copied()
    }
}

/// `%explain a + b`: how two operands are lined up at their last dimension, and which cells are read again.
pub fn broadcast(text: &str, operands: &[Operand; 2], width: usize) -> Doc {
    let [a, b] = operands;
    let joint = broadcast_sizes(&a.layout.sizes, &b.layout.sizes);
    let mut doc = Doc::new();
    let (style, verdict) = match &joint {
        Ok(sizes) => (Style::Good, format!(" gives {}", tuple(sizes))),
        Err(_) => (Style::Error, " cannot be lined up".to_string()),
    };
    let text = shortened(text, width.saturating_sub(verdict.len() + 1).max(20));
    doc.push(Style::Plain, " ").push(Style::Name, &text).push(style, &verdict).newline().newline();
    doc.append(&lined_up(operands, joint.as_deref().ok(), width)).newline();
    match joint {
        Ok(sizes) => readings(&mut doc, operands, sizes.iter().product()),
        Err(_) => obstacles(&mut doc, a, b),
    }
    doc
}

/// The dimensions in which two operands do not fit.
fn obstacles(doc: &mut Doc, a: &Operand, b: &Operand) {
    let ndim = a.layout.ndim().max(b.layout.ndim());
    for dim in 0..ndim {
        let (Some(p), Some(q)) = (a.size(dim, ndim), b.size(dim, ndim)) else { continue };
        if p != q && p != 1 && q != 1 {
            doc.push(Style::Plain, &format!(" dim {dim}: {p} and {q} differ and neither is 1")).newline();
        }
    }
}

/// The sizes of both operands dimension by dimension, aligned at the last, and the strides before and after.
fn lined_up(operands: &[Operand; 2], joint: Option<&[i64]>, width: usize) -> Doc {
    let ndim = operands.iter().map(|o| o.layout.ndim()).max().unwrap_or(0);
    let dims: Vec<String> = (0..ndim).map(|dim| format!("dim {dim}")).collect();
    let titles = [""].into_iter().chain(dims.iter().map(String::as_str)).chain(["stride", "stride used"]);
    let columns: Vec<Column> = titles.map(Column::new).collect();
    let row = |operand: &Operand| {
        let mut row = vec![shortened(operand.name, NAME)];
        row.extend((0..ndim).map(|dim| {
            let own = operand.size(dim, ndim).map_or("-".to_string(), |size| size.to_string());
            match joint.map(|sizes| sizes[dim].to_string()) {
                Some(whole) if whole != own => format!("{own} → {whole}"),
                _ => own,
            }
        }));
        let used = joint.and_then(|sizes| operand.layout.broadcast_to(sizes).ok());
        row.push(tuple(&operand.layout.strides));
        row.push(used.map_or("-".to_string(), |layout| tuple(&layout.strides)));
        row
    };
    let rows: Vec<Vec<String>> = operands.iter().map(row).collect();
    table(&columns, &rows, width)
}

/// How often each element of an operand is read.
fn readings(doc: &mut Doc, operands: &[Operand; 2], results: i64) {
    for operand in operands {
        let own = operand.layout.numel();
        if own > 0 && results > own {
            let name = shortened(operand.name, NAME);
            doc.push(Style::Plain, &format!(" each element of {name} is read {} times", grouped(results / own))).newline();
        }
    }
    doc.push(Style::Faint, " a stride of 0 stays on its cell: nothing is copied to line the operands up").newline();
}
