//! `%explain x += y`, `%explain x[1:] = y`: what a write reaches, who sees it, and why it may be refused.

use super::explained::{Effect, Operand, heading, lies, refusal, sentence};
use super::facts::Named;
use super::layout::layout;
use super::promotion::promotion;
use super::{atom, counted};
use crate::layout::{InternalOverlap, Layout};
use crate::show::object::tuple;
use crate::show::{Doc, Style};
use anyhow::Result;

/// A write into a tensor.
pub struct Writing<'a> {
    /// The whole expression.
    pub text: &'a str,
    /// The view that is written through.
    pub target: &'a Named,
    /// What is written or computed with.
    pub operands: &'a [Operand],
    /// Other variables over the same storage.
    pub seen: &'a [String],
}

/// The target, the cells it reaches and who sees them; for a refusal, the reason.
pub fn writing(it: &Writing, effect: &Effect, width: usize) -> Result<Doc> {
    let target = it.target.tensor.layout();
    let mut doc = Doc::new();
    let label = it.target.tensor.storage()?.label();
    let refused = effect.refusal().is_some();
    let (style, verdict) = match refused {
        true => (Style::Error, " is refused".to_string()),
        false => (Style::Good, format!(" writes {} of storage #{label}", counted(target.distinct_cells().unwrap_or(0), "cell"))),
    };
    heading(&mut doc, it.text, style, &verdict, width);
    let own = std::slice::from_ref(it.target);
    let overlaps = target.internal_overlap() == InternalOverlap::Yes;
    if overlaps {
        doc.append(&layout(own, None, Some(false), width)?);
    } else {
        doc.append(&lies(own, &Effect::Unknown, None, width)?);
    }
    doc.newline();
    refusal(&mut doc, effect, width);
    if overlaps && refused {
        shared_cells(&mut doc, it, &target, width);
        return Ok(doc);
    }
    for operand in it.operands {
        aligned(&mut doc, operand, &target, width);
    }
    if refused {
        if effect.refusal().is_some_and(|sentence| sentence.contains("cast")) {
            let target = Operand::tensor(it.target.name.as_str(), &it.target.tensor);
            let operands: Vec<Operand> = [target].into_iter().chain(it.operands.iter().cloned()).collect();
            promotion(&mut doc, &operands, None, width);
            let rule =
                format!("a write keeps the target's dtype, {}, and never goes to a lower kind", it.target.tensor.dtype().name());
            sentence(&mut doc, Style::Plain, &rule, width);
        }
    } else {
        let seen = match it.seen {
            [] => "no other variable sees the change".to_string(),
            names => format!("the change is seen under {} too", names.join(", ")),
        };
        sentence(&mut doc, Style::Plain, &seen, width);
    }
    Ok(doc)
}

/// Whether an operand's sizes reach the target's.
fn aligned(doc: &mut Doc, operand: &Operand, target: &Layout, width: usize) {
    let sizes = tuple(&operand.layout.sizes);
    let name = &operand.name;
    match operand.layout.broadcast_to(&target.sizes) {
        Ok(_) if operand.layout.ndim() == 0 => {}
        Ok(used) => {
            let text = format!("{name} {sizes} is read with stride {}", tuple(&used.strides));
            sentence(doc, Style::Plain, &text, width);
        }
        Err(_) => {
            let text = format!("{name} is {sizes}; a write cannot change the target's size {}", tuple(&target.sizes));
            sentence(doc, Style::Plain, &text, width);
        }
    }
}

/// The dims that stay on their cell, and the way out.
fn shared_cells(doc: &mut Doc, it: &Writing, target: &Layout, width: usize) {
    for (dim, (size, stride)) in target.sizes.iter().zip(&target.strides).enumerate() {
        if *size > 1 && *stride == 0 {
            let text = format!("dim {dim} has stride 0: its {size} indices are one cell, which cannot hold {size} results");
            sentence(doc, Style::Plain, &text, width);
        }
    }
    let bytes = target.numel() as i128 * it.target.tensor.dtype().size() as i128;
    let way =
        format!("way on: {}.clone() gives each element a cell of its own, {}", atom(&it.target.name), counted(bytes, "byte"));
    sentence(doc, Style::Plain, &way, width);
}
