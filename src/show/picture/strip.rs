//! A row of cells in a box, with the index by which each tensor reaches each cell below it.

use super::arrows::{Floor, Lane};
use super::centered;
use crate::show::{Doc, Style};
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// One cell of the picture, or a gap where cells are left out.
pub(super) enum Slot {
    /// A cell: its number, its value, and per tensor the index that reaches it.
    Cell { number: i64, value: String, indices: Vec<Option<String>> },
    /// Cells left out.
    Gap,
}

/// What stands where cells are left out, and where no index reaches a cell.
const GAP: &str = "..";
const NOBODY: &str = "·";

impl Slot {
    /// Columns between the rulings.
    fn width(&self) -> usize {
        let longest = match self {
            Slot::Gap => GAP.len(),
            Slot::Cell { number, value, indices } => {
                let index = indices.iter().flatten().map(|i| i.width()).max().unwrap_or(0);
                index.max(value.width()).max(number.to_string().len())
            }
        };
        longest + 2
    }

    /// The number of the cell; none for a gap.
    pub(super) fn number(&self) -> Option<i64> {
        match self {
            Slot::Gap => None,
            Slot::Cell { number, .. } => Some(*number),
        }
    }

    fn text(&self, row: Row) -> String {
        match (self, row) {
            (Slot::Gap, Row::Index(_)) => String::new(),
            (Slot::Gap, _) => GAP.to_string(),
            (Slot::Cell { number, .. }, Row::Number) => number.to_string(),
            (Slot::Cell { value, .. }, Row::Value) => value.clone(),
            (Slot::Cell { indices, .. }, Row::Index(k)) => {
                indices.get(k).and_then(Option::as_deref).unwrap_or(NOBODY).to_string()
            }
        }
    }
}

/// A row of text of a strip.
#[derive(Clone, Copy)]
enum Row {
    Number,
    Value,
    Index(usize),
}

/// A strip of cells that is broken into lines where the columns end.
pub(super) struct Strip<'a> {
    /// What the two upper rows are called.
    pub heads: [&'a str; 2],
    /// A name per tensor.
    pub names: &'a [String],
    /// The cells, in order.
    pub slots: &'a [Slot],
    /// The arrows under each name; none at all, or a list per name.
    pub lanes: &'a [Vec<Lane>],
    /// Columns to use.
    pub width: usize,
}

impl Strip<'_> {
    /// Columns before the first ruling.
    fn label_width(&self) -> usize {
        let names = self.names.iter().map(|n| n.width());
        let arrows = self.lanes.iter().flatten().map(|lane| lane.label.len());
        names.chain(arrows).chain(self.heads.map(str::len)).max().unwrap_or(0) + 2
    }

    /// The slots of each line; a gap opens no line. A line holds at least one cell, however wide.
    pub(super) fn lines(&self) -> Vec<Range<usize>> {
        let room = self.width.saturating_sub(self.label_width() + 1);
        let mut lines = vec![];
        let (mut start, mut used) = (0, 0);
        for (k, slot) in self.slots.iter().enumerate() {
            let needed = slot.width() + 1;
            if k > start && used + needed > room {
                lines.push(start..k);
                (start, used) = (k, 0);
            }
            if k == start && matches!(slot, Slot::Gap) {
                start = k + 1;
                continue;
            }
            used += needed;
        }
        if start < self.slots.len() {
            lines.push(start..self.slots.len());
        }
        lines
    }

    /// The whole strip. Each line of text ends in a line break.
    pub(super) fn doc(&self) -> Doc {
        let mut doc = Doc::new();
        let mut said: Vec<Vec<_>> = self.lanes.iter().flatten().map(|_| vec![]).collect();
        for range in self.lines() {
            let line = &self.slots[range.clone()];
            let floor = floor(line, range);
            let mut said = said.iter_mut();
            self.text_row(&mut doc, line, self.heads[0], Row::Number);
            self.ruling(&mut doc, line, ["┌", "┬", "┐"]);
            self.text_row(&mut doc, line, self.heads[1], Row::Value);
            self.ruling(&mut doc, line, ["└", "┴", "┘"]);
            for (k, name) in self.names.iter().enumerate() {
                self.text_row(&mut doc, line, name, Row::Index(k));
                for lane in self.lanes.get(k).into_iter().flatten() {
                    let Some(said) = said.next() else { continue };
                    let arrows = lane.below(&floor, self.slots, said);
                    if !arrows.is_empty() {
                        self.label(&mut doc, Style::Note, &lane.label);
                        doc.push(Style::Plain, &arrows).newline();
                    }
                }
            }
        }
        doc
    }

    fn label(&self, doc: &mut Doc, style: Style, text: &str) {
        doc.push(Style::Plain, " ").push(style, text);
        doc.push(Style::Plain, &" ".repeat(self.label_width() - 1 - text.width()));
    }

    fn ruling(&self, doc: &mut Doc, line: &[Slot], [left, middle, right]: [&str; 3]) {
        self.label(doc, Style::Plain, "");
        let bars: Vec<String> = line.iter().map(|slot| "─".repeat(slot.width())).collect();
        doc.push(Style::Faint, &format!("{left}{}{right}", bars.join(middle))).newline();
    }

    fn text_row(&self, doc: &mut Doc, line: &[Slot], label: &str, row: Row) {
        let (head, body, wall) = match row {
            Row::Number => (Style::Note, Style::Note, " "),
            Row::Value => (Style::Note, Style::Strong, "│"),
            Row::Index(_) => (Style::Name, Style::Plain, " "),
        };
        let mut text = Doc::new();
        self.label(&mut text, head, label);
        text.push(Style::Faint, wall);
        for slot in line {
            let text_of = slot.text(row);
            // A value without decimals ends in a point: its digits stand in the middle.
            let cell = match row {
                Row::Value if text_of.ends_with('.') && text_of.width() < slot.width() => {
                    centered(&format!(" {text_of}"), slot.width())
                }
                _ => centered(&text_of, slot.width()),
            };
            let style = if cell.trim() == NOBODY { Style::Faint } else { body };
            text.push(style, &cell).push(Style::Faint, wall);
        }
        doc.append(&text.trim_end()).newline();
    }
}

/// Where the cells of a line have their middles, as seen from behind the label.
fn floor(line: &[Slot], slots: Range<usize>) -> Floor {
    let mut middles = vec![];
    let mut column = 1;
    for slot in line {
        middles.push(column + (slot.width() - 1) / 2);
        column += slot.width() + 1;
    }
    Floor { slots, middles, width: column }
}
