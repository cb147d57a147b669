//! `%explain a @ b`: which dims of two matrices are kept and which are summed away.

use super::explained::{Effect, Operand, heading, refusal, sentence};
use super::table::{Column, table};
use super::{atom, grouped};
use crate::layout::broadcast_sizes;
use crate::show::object::tuple;
use crate::show::{Doc, Style};

const COLUMNS: [Column<'static>; 5] = [
    Column::new("name").cut(8),
    Column::new("size").cut(7),
    Column::new("batch").droppable(),
    Column::new("kept"),
    Column::new("summed"),
];

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

/// What comes of turning one of two matrices, when the two can be multiplied then.
fn turned(one: &Operand, other: &Operand, is_left: bool) -> Option<String> {
    let ([rows, columns], [p, q]) = (one.layout.sizes.as_slice(), other.layout.sizes.as_slice()) else { return None };
    let other = atom(&other.name);
    let one = one.name.strip_suffix(".t()").map_or_else(|| format!("{}.t()", atom(&one.name)), str::to_string);
    let (text, result, fits) = match is_left {
        true => (format!("{one} @ {other}"), [*columns, *q], rows == p),
        false => (format!("{other} @ {one}"), [*p, *rows], columns == q),
    };
    (fits && text.len() < 48).then(|| format!("way on: {text} gives {}", tuple(&result)))
}

/// The verdict on `a @ b`, its dims in a table, and how much work it is.
pub fn product(text: &str, operands: &[Operand; 2], effect: &Effect, width: usize) -> Doc {
    let [a, b] = operands;
    let found = parts(&a.layout.sizes, &b.layout.sizes);
    let sizes = found.as_ref().and_then(|[left, right]| {
        let batch = broadcast_sizes(left.batch, right.batch).ok().filter(|_| left.summed == right.summed)?;
        Some(batch.into_iter().chain(left.kept).chain(right.kept).collect::<Vec<i64>>())
    });
    let mut doc = Doc::new();
    let (style, verdict) = match (&sizes, effect) {
        (Some(sizes), Effect::Gives(_) | Effect::Unknown) => (Style::Good, format!(" gives {}", tuple(sizes))),
        _ => (Style::Error, " cannot be multiplied".to_string()),
    };
    heading(&mut doc, text, style, &verdict, width);
    let Some([left, right]) = found else {
        let rule = "a product needs at least one dim on each side; * multiplies by a number";
        sentence(&mut doc, Style::Plain, rule, width);
        return doc;
    };
    let row = |operand: &Operand, part: &Parts| {
        let kept = part.kept.map_or("-".to_string(), |n| n.to_string());
        vec![operand.name.clone(), tuple(&operand.layout.sizes), tuple(part.batch), kept, part.summed.to_string()]
    };
    doc.append(&table(&COLUMNS, &[row(a, &left), row(b, &right)], width)).newline();
    let line = match &sizes {
        Some(_) if effect.refusal().is_some() => {
            refusal(&mut doc, effect, width);
            return doc;
        }
        Some(sizes) => {
            let results: i64 = sizes.iter().product();
            format!("each of {} results sums {} products", grouped(results), grouped(left.summed))
        }
        None if left.summed != right.summed => {
            let place = if right.kept.is_some() { "first but last" } else { "only" };
            format!(
                "the last dim of the left ({}) and the {place} dim of the right ({}) must be equal",
                left.summed, right.summed
            )
        }
        None => "the batch dims are lined up from the last; each pair must be equal or hold a 1".to_string(),
    };
    sentence(&mut doc, Style::Plain, &line, width);
    if sizes.is_none() {
        for way in [turned(a, b, true), turned(b, a, false)].into_iter().flatten() {
            sentence(&mut doc, Style::Plain, &way, width);
        }
    }
    doc
}
