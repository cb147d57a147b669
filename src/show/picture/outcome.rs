//! `%explain f(x)` for any operation: what goes in, what comes out, and whether memory is shared.

use super::counted;
use super::explained::{Effect, bytes, heading, lies, refusal, sentence, verdict_of};
use super::facts::Named;
use crate::show::{Doc, Style};
use anyhow::Result;

/// What an operation's result does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// It lies on the storage of the first operand.
    Shared,
    /// It is the very tensor that was given.
    Same,
    /// It has a storage of its own, filled by computing.
    New,
    /// It has a storage of its own, filled by copying.
    Copied,
}

/// The operands and the results in one table, and what happens to memory: with the number of the storage that a result shares.
pub fn outcome(text: &str, operands: &[Named], effect: &Effect, memory: (Memory, Option<u32>), width: usize) -> Result<Doc> {
    let (memory, label) = memory;
    let mut doc = Doc::new();
    let (style, verdict) = match (effect, memory) {
        (Effect::Gives(_), Memory::Shared) => (Style::Good, " is a view: nothing is copied".to_string()),
        (Effect::Gives(_), Memory::Same) => (Style::Good, " is the tensor itself: nothing is copied".to_string()),
        (Effect::Gives(results), Memory::Copied) => (Style::Warning, format!(" copies {}", counted(bytes(results), "byte"))),
        (Effect::Unknown, _) if operands.iter().any(|operand| operand.tensor.is_sparse()) => {
            (Style::Plain, " works on indices and values: a sparse tensor has no strides".to_string())
        }
        _ => verdict_of(effect),
    };
    heading(&mut doc, text, style, &verdict, width);
    doc.append(&lies(operands, effect, label, width)?);
    if let (Effect::Gives(results), Memory::New) = (effect, memory) {
        doc.newline();
        sentence(&mut doc, Style::Plain, &format!("{} of new storage", counted(bytes(results), "byte")), width);
    }
    if effect.refusal().is_some() {
        doc.newline();
        refusal(&mut doc, effect, width);
    }
    Ok(doc)
}
