//! `%origin x`: the views that led to a tensor.

use super::explained::sentence;
use super::facts;
use super::table::{Column, table};
use crate::layout::Layout;
use crate::show::{Doc, Style};
use std::rc::Rc;

/// A tensor on the way to another one.
pub struct Ancestor {
    /// The operation that gave it, or its name when it is the first.
    pub text: String,
    /// Its layout.
    pub layout: Rc<Layout>,
    /// What the operation did beside moving sizes and strides, such as a new dtype; may be empty.
    pub remark: String,
}

const COLUMNS: [Column<'static>; 5] = [
    Column::new("step").cut(8),
    Column::new("size").cut(7),
    Column::new("stride").cut(7),
    Column::new("offset").right().droppable(),
    Column::new("").wrapped(11),
];

/// A row per ancestor, the oldest first, with what changed from one to the next. `label` is the storage of all of them; `is_whole`
/// tells whether the oldest is no view itself.
pub fn origin(ancestors: &[Ancestor], label: u32, is_whole: bool, width: usize) -> Doc {
    let mut rows = vec![];
    let mut before: Option<&Layout> = None;
    for ancestor in ancestors {
        let [size, stride, offset] = facts::geometry(&ancestor.layout);
        let moved = before.map_or(String::new(), |before| changes(before, &ancestor.layout));
        let remarks: Vec<&str> = [moved.as_str(), ancestor.remark.as_str()].into_iter().filter(|r| !r.is_empty()).collect();
        rows.push(vec![ancestor.text.clone(), size, stride, offset, remarks.join(", ")]);
        before = Some(&ancestor.layout);
    }
    let mut doc = table(&COLUMNS, &rows, width);
    let text = match ancestors.len() {
        1 if !is_whole => format!("a view over storage #{label}; a long loop made it, and its steps were not kept"),
        _ if !is_whole => format!("all of them share storage #{label}; earlier steps were not kept"),
        1 => format!("storage #{label} is its own: it is no view of another tensor"),
        _ => format!("all of them share storage #{label}: no element was moved"),
    };
    sentence(&mut doc, Style::Note, &text, width);
    doc
}

/// What a view did to a layout, in words.
fn changes(before: &Layout, after: &Layout) -> String {
    let mut words = vec![];
    let dims = |layout: &Layout| layout.sizes.iter().copied().zip(layout.strides.iter().copied()).collect::<Vec<_>>();
    let (old, new) = (dims(before), dims(after));
    let sorted = |mut dims: Vec<(i64, i64)>| {
        dims.sort_unstable();
        dims
    };
    if old == new {
        if before.offset == after.offset {
            words.push("as before".to_string());
        }
    } else if sorted(old.clone()) == sorted(new.clone()) {
        words.push("dims in another order".to_string());
    } else if new.len() < old.len() && is_part(&new, &old) {
        words.push(if old.len() - new.len() == 1 { "a dim dropped".to_string() } else { "dims dropped".to_string() });
    } else if new.len() > old.len() && is_part(&old, &new) {
        words.push(if new.len() - old.len() == 1 { "a dim added".to_string() } else { "dims added".to_string() });
    } else if new.len() == old.len() {
        for (dim, (from, to)) in old.iter().zip(&new).enumerate().filter(|(_, (from, to))| from != to) {
            words.push(match (from, to) {
                ((1, _), (size, 0)) => format!("dim {dim} repeated {size} times"),
                ((size, stride), (kept, same)) if stride == same => format!("dim {dim}: {kept} of {size}"),
                ((size, stride), (kept, wide)) if *stride != 0 && wide % stride == 0 => {
                    format!("dim {dim}: {kept} of {size}, every {}", ordinal(wide / stride))
                }
                _ => format!("dim {dim} is another"),
            });
        }
    } else {
        words.push("other sizes".to_string());
    }
    match after.offset - before.offset {
        0 => {}
        step => words.push(format!("offset {step:+}")),
    }
    words.join(", ")
}

/// True when the dims of one are dims of the other, in its order.
fn is_part(small: &[(i64, i64)], large: &[(i64, i64)]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|dim| rest.any(|other| other == dim))
}

fn ordinal(n: i64) -> String {
    match n {
        2 => "second".to_string(),
        3 => "third".to_string(),
        _ => format!("{n}th"),
    }
}
