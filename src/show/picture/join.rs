//! `%explain torch.cat([a, b])`: where each tensor goes in the joined one.

use super::explained::{Effect, Operand, bytes, heading, refusal, sentence, verdict_of};
use super::facts::Named;
use super::promotion::promotion;
use super::table::{Column, table};
use super::{counted, shortened};
use crate::show::object::tuple;
use crate::show::{Doc, Style};
use crate::tensor::Tensor;

/// Tensors that are joined.
pub struct Joining<'a> {
    /// The whole expression.
    pub text: &'a str,
    /// The tensors, in order.
    pub parts: &'a [Named],
    /// The dimension of the result along which they lie.
    pub dim: usize,
    /// True when that dimension is new.
    pub stacked: bool,
}

/// A row per tensor with its place in the result, and the bytes that are copied.
pub fn joining(it: &Joining, effect: &Effect, width: usize) -> Doc {
    let mut doc = Doc::new();
    let (style, verdict) = verdict_of(effect);
    heading(&mut doc, it.text, style, &verdict, width);
    let columns = [
        Column::new("name").cut(8),
        Column::new("dtype").droppable(),
        Column::new("size").cut(7),
        Column::new("becomes").cut(8),
        Column::new("").wrapped(12),
    ];
    let mut start = 0;
    let first = it.parts.iter().map(|p| p.tensor.sizes()).find(|s| s.as_slice() != [0]);
    let rows: Vec<Vec<String>> = it
        .parts
        .iter()
        .enumerate()
        .map(|(k, part)| {
            let sizes = part.tensor.sizes();
            let along = if it.stacked { 1 } else { sizes.get(it.dim).copied().unwrap_or(0) };
            let index = if it.stacked { k.to_string() } else { format!("{start}:{}", start + along) };
            start += along;
            let place = [vec![":"; it.dim], vec![index.as_str()]].concat().join(", ");
            let remark = first.as_ref().map_or(String::new(), |first| misfit(it, first, &sizes));
            vec![part.name.clone(), part.tensor.dtype().name().to_string(), tuple(&sizes), format!("result[{place}]"), remark]
        })
        .collect();
    doc.append(&table(&columns, &rows, width)).newline();
    match effect.refusal() {
        Some(_) => {
            refusal(&mut doc, effect, width);
            let rule = match it.stacked {
                true => "stack makes a new dim, so all sizes must be equal; cat joins along a dim that is there".to_string(),
                false => format!("only the sizes of dim {} may differ", it.dim),
            };
            sentence(&mut doc, Style::Plain, &rule, width);
        }
        None => {
            let copied = effect.result().map_or(0, |r| bytes([r]));
            let how = if it.stacked { "a new dim" } else { "a dim that is there" };
            let text = format!("joined along dim {}, {how}; {} are copied into a new storage", it.dim, counted(copied, "byte"));
            sentence(&mut doc, Style::Plain, &text, width);
        }
    }
    let operands: Vec<Operand> = it.parts.iter().map(|p| Operand::tensor(shortened(&p.name, 20), &p.tensor)).collect();
    promotion(&mut doc, &operands, effect.result().map(Tensor::dtype), width);
    doc
}

/// Where a tensor's sizes differ from the first one's although they must not.
fn misfit(it: &Joining, first: &[i64], sizes: &[i64]) -> String {
    if sizes.len() != first.len() {
        return format!("← {} where the first has {}", counted(sizes.len(), "dim"), first.len());
    }
    let differs = |k: &usize| first[*k] != sizes[*k] && (it.stacked || *k != it.dim);
    match (0..sizes.len()).find(differs) {
        Some(k) if sizes != [0] => format!("← dim {k}: {} where the first has {}", sizes[k], first[k]),
        _ => String::new(),
    }
}
