//! What every explanation begins with: the expression and its verdict; and what all of them say of an operation's operands.

use super::facts::{self, Named};
use super::table::{Column, table};
use super::{counted, shortened};
use crate::dtype::{Category, DType};
use crate::layout::Layout;
use crate::show::lines::filled;
use crate::show::{Doc, Style, narrate};
use crate::tensor::Tensor;
use anyhow::Result;
use std::rc::Rc;
use unicode_width::UnicodeWidthStr;

/// What an operation comes to, found without touching an element.
#[derive(Clone)]
pub enum Effect {
    /// These tensors; none of them is larger than its layout says, all of them without memory.
    Gives(Vec<Tensor>),
    /// It is refused with this sentence.
    Refused(String),
    /// Only the elements can tell.
    Unknown,
}

impl Effect {
    /// The first tensor it gives.
    pub(super) fn result(&self) -> Option<&Tensor> {
        match self {
            Effect::Gives(tensors) => tensors.first(),
            _ => None,
        }
    }

    /// The sentence it is refused with.
    pub(super) fn refusal(&self) -> Option<&str> {
        match self {
            Effect::Refused(sentence) => Some(sentence),
            _ => None,
        }
    }
}

/// One operand of an operation.
#[derive(Clone)]
pub struct Operand {
    /// Its text.
    pub name: String,
    /// Where its elements are; a number is a tensor without dimensions.
    pub layout: Rc<Layout>,
    /// The type of its elements.
    pub dtype: DType,
    /// How much that type weighs.
    pub weight: Category,
    /// Its values; none for a number.
    pub tensor: Option<Tensor>,
}

impl Operand {
    /// A tensor under its text.
    pub fn tensor(name: impl Into<String>, tensor: &Tensor) -> Operand {
        let layout = tensor.layout();
        let weight = if layout.ndim() == 0 { Category::Zero } else { Category::Dimensioned };
        Operand { name: name.into(), layout, dtype: tensor.dtype(), weight, tensor: Some(tensor.clone()) }
    }

    /// A number, which is of the dtype that stands for its class.
    pub fn number(name: impl Into<String>, dtype: DType) -> Operand {
        let layout = Rc::new(Layout::contiguous(&[]));
        Operand { name: name.into(), layout, dtype, weight: Category::Wrapped, tensor: None }
    }
}

/// The expression, the verdict on it, and an empty line.
pub(super) fn heading(doc: &mut Doc, text: &str, style: Style, verdict: &str, width: usize) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let room = width.saturating_sub(verdict.width() + 1);
    // A verdict that would leave no room for the expression has lines of its own.
    let (room, apart) = if room < text.width().min(LEAST) { (width.saturating_sub(1), true) } else { (room, false) };
    let mut drawn = Doc::plain(" ");
    drawn.push(Style::Name, &shortened(&text, room));
    match apart {
        true => drawn.newline().push(style, &indented(verdict, width)),
        false => drawn.push(style, verdict),
    };
    drawn.newline();
    doc.append(&drawn.told_as(narrate::sentence(&format!("{text}{verdict}")))).newline();
}

/// Columns that an expression has at least beside its verdict.
const LEAST: usize = 20;

/// Columns that an operand's text has at most.
pub(super) fn room_for_name(width: usize) -> usize {
    (width / 4).clamp(8, 20)
}

/// A sentence broken into lines; it is told as one.
pub fn sentence(doc: &mut Doc, style: Style, text: &str, width: usize) {
    let mut drawn = Doc::new();
    drawn.push(style, &indented(text, width)).newline();
    doc.append(&drawn.told_as(narrate::sentence(text)));
}

/// A text broken into lines behind the margin of pictures.
pub(super) fn indented(text: &str, width: usize) -> String {
    textwrap::indent(&filled(text.trim(), width.max(20) - 1), " ")
}

/// The expression that failed and what was said to it.
pub fn failure(doc: &mut Doc, text: &str, message: &str, width: usize) {
    heading(doc, text, Style::Error, " failed", width);
    sentence(doc, Style::Plain, message, width);
}

/// What PyTorch says to it, when it is refused.
pub(super) fn refusal(doc: &mut Doc, effect: &Effect, width: usize) {
    if let Some(text) = effect.refusal() {
        sentence(doc, Style::Error, text, width);
    }
}

/// The verdict on an operation that gives a new tensor: its dtype, size and bytes.
pub(super) fn verdict_of(effect: &Effect) -> (Style, String) {
    match effect {
        Effect::Gives(tensors) => match tensors.as_slice() {
            [] => (Style::Good, " gives no tensor".to_string()),
            [one] => (Style::Good, format!(" gives {} {}", one.dtype().name(), crate::show::object::tuple(&one.sizes()))),
            several => (Style::Good, format!(" gives {}", counted(several.len(), "tensor"))),
        },
        Effect::Refused(_) => (Style::Error, " is refused".to_string()),
        Effect::Unknown => (Style::Plain, " depends on the elements".to_string()),
    }
}

/// A row per operand and per result with all there is to say about its layout. `shared` tells for a result which storage it lies
/// on; other results are new.
pub(super) fn lies(operands: &[Named], effect: &Effect, shared: Option<u32>, width: usize) -> Result<Doc> {
    let mut rows = vec![];
    for part in operands.iter().flat_map(Named::parts) {
        rows.push(row(&part.name, &part.tensor, format!("#{}", part.tensor.storage()?.label())));
    }
    if let Effect::Gives(tensors) = effect {
        let several = tensors.len() > 1;
        for (k, tensor) in tensors.iter().enumerate() {
            let name = if several { format!("result {k}") } else { "result".to_string() };
            rows.push(row(&name, tensor, shared.map_or("new".to_string(), |label| format!("#{label}"))));
        }
    }
    let [name, size, stride, offset, _, contiguous, remarks] = facts::COLUMNS;
    let columns = [name, Column::new("dtype").droppable(), size, stride, offset, Column::new("on"), contiguous, remarks];
    Ok(table(&columns, &rows, width))
}

fn row(name: &str, tensor: &Tensor, on: String) -> Vec<String> {
    let layout = tensor.layout();
    let [size, stride, offset] = facts::geometry(&layout);
    let contiguous = facts::contiguity(&layout).to_string();
    let remarks = facts::remarks(tensor).join(", ");
    vec![name.to_string(), tensor.dtype().name().to_string(), size, stride, offset, on, contiguous, remarks]
}

/// Bytes that the elements of some tensors need.
pub(super) fn bytes<'a>(tensors: impl IntoIterator<Item = &'a Tensor>) -> i128 {
    tensors.into_iter().map(|t| t.numel() as i128 * t.dtype().size() as i128).sum()
}
