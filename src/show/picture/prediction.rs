//! `%predict EXPRESSION`: what was predicted beside what is.

use super::explained::sentence;
use super::table::{Column, table};
use crate::show::{Doc, Style};

/// One question that was answered.
pub struct Prediction {
    /// What was asked.
    pub about: String,
    /// What was predicted.
    pub given: String,
    /// What is.
    pub found: String,
    /// True when both are the same.
    pub right: bool,
    /// What the mistake may have been.
    pub slip: Option<String>,
}

const COLUMNS: [Column<'static>; 4] =
    [Column::new("").wrapped(8), Column::new("predicted").wrapped(9), Column::new("is").wrapped(6), Column::new("")];

/// A row per question, what mistakes may have been, and how many were right.
pub fn predictions(predictions: &[Prediction], width: usize) -> Doc {
    let mut doc = Doc::new();
    let row =
        |p: &Prediction| vec![p.about.clone(), p.given.clone(), p.found.clone(), if p.right { "right" } else { "no" }.into()];
    let told = |p: &Prediction| match p.right {
        true => format!("{}: {} is right.\n", p.about, p.given),
        false => format!("{}: not {}, but {}.\n", p.about, p.given, p.found),
    };
    let rows: Vec<_> = predictions.iter().map(row).collect();
    doc.append(&table(&COLUMNS, &rows, width).told_as(predictions.iter().map(told).collect::<String>()));
    for slip in predictions.iter().filter_map(|p| p.slip.as_ref()) {
        sentence(&mut doc, Style::Plain, slip, width);
    }
    let right = predictions.iter().filter(|p| p.right).count();
    let style = if right == predictions.len() { Style::Good } else { Style::Warning };
    sentence(&mut doc, style, &format!("{right} of {} right", predictions.len()), width);
    doc
}
