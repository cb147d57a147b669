//! `%explain x[1, :, ::2]`: what each index does to size, stride and offset.

use super::counted;
use super::explained::{heading, sentence};
use super::facts::{self, Named};
use super::table::{Column, table};
use crate::show::{Doc, Style};
use anyhow::Result;

/// What an index does.
pub enum Pick {
    /// `3`: one of a dimension.
    One(i64),
    /// `a:b:c`: some of a dimension.
    Some(Option<i64>, Option<i64>, i64),
    /// `None`: a new dimension.
    New,
    /// `...`: passes over dimensions.
    Rest,
    /// A tensor, a list or a truth value: gathers elements.
    Elements,
}

/// One index of a subscript and its text.
pub struct Index<'a> {
    /// As written.
    pub text: &'a str,
    /// What it does.
    pub pick: Pick,
}

const COLUMNS: [Column<'static>; 5] = [
    Column::new("index").cut(8),
    Column::new("does").wrapped(11),
    Column::new("size").cut(7),
    Column::new("stride").cut(7),
    Column::new("offset").right().droppable(),
];

/// A row per index with the layout that it leaves. Fails as the subscript does: with an `IndexError` for an index out of range or
/// too many of them, with a `ValueError` for a step below 1.
pub fn subscript(base: &Named, text: &str, indices: &[Index], width: usize) -> Result<Doc> {
    let mut layout = (*base.tensor.layout()).clone();
    let ndim = layout.ndim();
    let used = indices.iter().filter(|i| !matches!(i.pick, Pick::New | Pick::Rest)).count();
    if used > ndim {
        fault!(IndexError, "too many indices for tensor of dimension {ndim}");
    }
    let mut rows = vec![[vec![base.name.clone(), String::new()], facts::geometry(&layout).to_vec()].concat()];
    // The dimension at hand in the tensor before, and in the layout so far.
    let (mut old, mut now) = (0, 0);
    let mut gathered = false;
    for index in indices {
        let size = layout.sizes.get(now).copied().unwrap_or(1);
        let does = match index.pick {
            Pick::One(i) => {
                layout = layout.select(now as i64, i)?;
                old += 1;
                format!("takes 1 of {size} along dim {}", old - 1)
            }
            Pick::Some(start, stop, step) => {
                layout = layout.slice(now as i64, start, stop, step)?;
                let kept = layout.sizes[now];
                (old, now) = (old + 1, now + 1);
                format!("keeps {kept} of {size} along dim {}", old - 1)
            }
            Pick::New => {
                layout = layout.unsqueeze(now as i64)?;
                now += 1;
                "adds a dim of 1".to_string()
            }
            Pick::Rest => {
                let passed = ndim - used;
                (old, now) = (old + passed, now + passed);
                format!("passes over {}", counted(passed, "dim"))
            }
            Pick::Elements => {
                (old, now) = (old + 1, now + 1);
                format!("gathers along dim {}", old - 1)
            }
        };
        // Once elements are gathered the rest is no arithmetic of strides.
        gathered |= matches!(index.pick, Pick::Elements);
        let geometry = if gathered { vec!["?".to_string(); 3] } else { facts::geometry(&layout).to_vec() };
        rows.push([vec![index.text.to_string(), does], geometry].concat());
    }
    let verdict = if gathered { " copies: what gathers elements makes a new storage" } else { " is a view: nothing is copied" };
    let mut doc = Doc::new();
    let style = if gathered { Style::Warning } else { Style::Good };
    heading(&mut doc, text, style, verdict, width);
    doc.append(&table(&COLUMNS, &rows, width));
    if !gathered {
        let rule = "an int adds index * stride to the offset; a:b:c multiplies the stride by c";
        sentence(&mut doc, Style::Note, rule, width);
    }
    Ok(doc)
}
