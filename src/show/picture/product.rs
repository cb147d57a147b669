//! `%explain a @ b`: which dims of two matrices are kept and which are summed away.

use super::broadcast::Operand;
use super::table::{Column, table};
use super::{grouped, shortened};
use crate::layout::broadcast_sizes;
use crate::show::object::tuple;
use crate::show::{Doc, Style};

const COLUMNS: [Column<'static>; 5] =
    [Column::new("name").cut(8), Column::new("size").cut(7), Column::new("batch"), Column::new("kept"), Column::new("summed")];

/// The parts of an operand's size: batch, kept and summed; `kept` is none for a vector.
struct Parts<'a> {
    batch: &'a [i64],
    kept: Option<i64>,
    summed: i64,
}

/// The parts of both operands; none where one has no dimensions.
fn parts<'a>(a: &'a [i64], b: &'a [i64]) -> Option<[Parts<'a>; 2]> {
    let left = match a {
        [] => return None,
        [summed] => Parts { batch: &[], kept: None, summed: *summed },
        [batch @ .., kept, summed] => Parts { batch, kept: Some(*kept), summed: *summed },
    };
    let right = match b {
        [] => return None,
        [summed] => Parts { batch: &[], kept: None, summed: *summed },
        [batch @ .., summed, kept] => Parts { batch, kept: Some(*kept), summed: *summed },
    };
    Some([left, right])
}

/// The verdict on `a @ b`, its dims in a table, and how much work it is.
pub fn product(text: &str, operands: &[Operand; 2], width: usize) -> Doc {
    let [a, b] = operands;
    let found = parts(&a.layout.sizes, &b.layout.sizes);
    let sizes = found.as_ref().and_then(|[left, right]| {
        let batch = broadcast_sizes(left.batch, right.batch).ok().filter(|_| left.summed == right.summed)?;
        Some(batch.into_iter().chain(left.kept).chain(right.kept).collect::<Vec<i64>>())
    });
    let mut doc = Doc::new();
    let (style, verdict) = match &sizes {
        Some(sizes) => (Style::Good, format!(" gives {}", tuple(sizes))),
        None => (Style::Error, " cannot be multiplied".to_string()),
    };
    let name = shortened(text, width.saturating_sub(verdict.len() + 1).max(20));
    doc.push(Style::Plain, " ").push(Style::Name, &name).push(style, &verdict).newline().newline();
    let Some([left, right]) = found else {
        doc.push(Style::Plain, " a product needs at least one dim on each side; * multiplies by a number").newline();
        return doc;
    };
    let row = |operand: &Operand, part: &Parts| {
        let kept = part.kept.map_or("-".to_string(), |n| n.to_string());
        vec![operand.name.to_string(), tuple(&operand.layout.sizes), tuple(part.batch), kept, part.summed.to_string()]
    };
    doc.append(&table(&COLUMNS, &[row(a, &left), row(b, &right)], width)).newline();
    let line = match &sizes {
        Some(sizes) => {
            let results: i64 = sizes.iter().product();
            format!(" each of {} results sums {} products", grouped(results), grouped(left.summed))
        }
        None if left.summed != right.summed => {
            format!(
                " the last dim of the left ({}) and the first but last of the right ({}) must be equal",
                left.summed, right.summed
            )
        }
        None => " the batch dims are lined up from the last; each pair must be equal or hold a 1".to_string(),
    };
    doc.push(Style::Plain, &line).newline();
    doc
}
