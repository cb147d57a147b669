//! `%shapes h = relu(x @ w + b)`: the operands under their places in the line, then each part with its dtype and size.

use super::explained::sentence;
use super::shortened;
use super::table::{Column, table};
use crate::show::{Doc, Style};
use unicode_width::UnicodeWidthStr;

/// An operand: where it begins in the line, its text and what it is.
pub struct Leaf {
    /// Columns before it.
    pub column: usize,
    /// Its text and what it is: `x (2, 3)`.
    pub label: String,
}

/// A part that was computed.
pub struct Twig {
    /// Its text.
    pub text: String,
    /// What it is: `float32 (2, 3)`.
    pub kind: String,
}

/// A line taken apart.
pub struct Shapes<'a> {
    /// The line.
    pub text: &'a str,
    /// Its operands, from left to right.
    pub leaves: &'a [Leaf],
    /// What was computed, innermost first.
    pub twigs: &'a [Twig],
    /// The part that failed, and the sentence it failed with.
    pub failed: Option<(String, String)>,
}

/// The line with its operands below it, and a table of the parts. A line that is too long is shown without places.
pub fn shapes(it: &Shapes, width: usize) -> Doc {
    let mut doc = Doc::new();
    let fits = it.text.width() < width && it.leaves.iter().all(|leaf| leaf.column + leaf.label.width() < width);
    doc.push(Style::Plain, " ").push(Style::Name, &shortened(it.text, width.saturating_sub(1))).newline();
    let mut rows: Vec<Vec<String>> = vec![];
    let parts = || it.leaves.iter().filter_map(|leaf| leaf.label.split_once(" · "));
    if fits && !it.leaves.is_empty() {
        let told: String = parts().map(|(name, kind)| format!("{name} is {kind}.\n")).collect();
        doc.append(&hung(it.leaves).told_as(told));
    } else {
        rows.extend(parts().map(|(name, kind)| vec![name.to_string(), kind.to_string()]));
    }
    rows.extend(it.twigs.iter().map(|twig| vec![twig.text.clone(), twig.kind.clone()]));
    rows.extend(it.failed.iter().map(|(text, _)| vec![text.clone(), "failed".to_string()]));
    if !rows.is_empty() {
        doc.newline().append(&table(&[Column::new("part").cut(12), Column::new("gives").cut(12)], &rows, width));
    }
    if let Some((_, message)) = &it.failed {
        doc.newline();
        sentence(&mut doc, Style::Error, message, width);
    }
    doc
}

/// The operands, the last one first, each at its own column with bars down from those before it.
fn hung(leaves: &[Leaf]) -> Doc {
    let mut doc = Doc::new();
    for last in (0..leaves.len()).rev() {
        let mut line = String::from(" ");
        for leaf in &leaves[..last] {
            let missing = (leaf.column + 1).saturating_sub(line.chars().count());
            line.push_str(&" ".repeat(missing));
            line.push('│');
        }
        let leaf = &leaves[last];
        line.push_str(&" ".repeat((leaf.column + 1).saturating_sub(line.chars().count())));
        doc.push(Style::Faint, &line).push(Style::Plain, &leaf.label).newline();
    }
    doc
}
