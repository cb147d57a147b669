//! Which dtype comes of several: a table of what weighs how much, and the rule that decided.

use super::explained::{Operand, sentence};
use super::shortened;
use super::table::{Column, table};
use crate::dtype::{Category, DType, Kind};
use crate::show::{Doc, Style};

const COLUMNS: [Column<'static>; 3] = [Column::new("operand").cut(8), Column::new("dtype"), Column::new("counts as").wrapped(12)];

/// Appends the rule, unless all operands and the result are of one dtype. `result` is none when the operation is refused.
pub(super) fn promotion(doc: &mut Doc, operands: &[Operand], result: Option<DType>, width: usize) {
    let first = operands.first().map(|o| o.dtype);
    if operands.iter().all(|o| Some(o.dtype) == first) && (result == first || result.is_none()) {
        return;
    }
    // Numbers beside tensors of the result's own dtype have no say.
    let mut tensors = operands.iter().filter(|o| o.weight != Category::Wrapped);
    if result.is_some() && tensors.all(|o| Some(o.dtype) == result) {
        return;
    }
    let word = |weight| match weight {
        Category::Dimensioned => "a tensor: in full",
        Category::Zero => "a 0-d tensor: if its kind is higher",
        Category::Wrapped => "a number: if its kind is higher",
    };
    let row = |o: &Operand| vec![shortened(&o.name, 20), o.dtype.name().to_string(), word(o.weight).to_string()];
    doc.newline().append(&table(&COLUMNS, &operands.iter().map(row).collect::<Vec<_>>(), width));
    match result {
        Some(result) => sentence(doc, Style::Plain, &format!("dtype {}: {}", result.name(), reason(operands, result)), width),
        None => sentence(doc, Style::Plain, KINDS, width),
    }
}

const KINDS: &str = "kinds in rising order: bool, integers, floats, complex numbers";

/// Why the result has its dtype.
fn reason(operands: &[Operand], result: DType) -> String {
    let rank = |kind: Kind| match kind {
        Kind::Bool => 0,
        Kind::Unsigned | Kind::Signed => 1,
        Kind::Float => 2,
        Kind::Complex => 3,
    };
    let highest = operands.iter().map(|o| rank(o.dtype.kind())).max().unwrap_or(0);
    let full = operands.iter().map(|o| o.weight).max();
    let weighty = || operands.iter().filter(|o| Some(o.weight) == full);
    let own = rank(result.kind());
    if own < highest && result.kind() == Kind::Bool {
        return "the operation answers yes or no".to_string();
    }
    if own > highest {
        return "the operation needs fractions, so integers become the default float dtype".to_string();
    }
    if weighty().all(|o| rank(o.dtype.kind()) < highest) {
        let lighter = operands.iter().find(|o| rank(o.dtype.kind()) == highest);
        let name = lighter.map_or(String::new(), |o| shortened(&o.name, 20));
        return format!("{name} is of a higher kind than what has dimensions; {KINDS}");
    }
    if weighty().all(|o| o.dtype == result) {
        return "what has dimensions decides; the kind of the others is not higher".to_string();
    }
    if weighty().any(|o| rank(o.dtype.kind()) < highest) && weighty().any(|o| o.dtype == result) {
        return format!("the higher kind decides; {KINDS}");
    }
    match weighty().any(|o| o.dtype == result) {
        true => "of one kind, the wider decides".to_string(),
        false => "the least dtype that holds both".to_string(),
    }
}
