//! Tables: texts in columns that fit a number of terminal columns.

use super::{shortened, spoken};
use crate::show::lines::filled;
use crate::show::{Doc, Style};
use comfy_table::{CellAlignment, ContentArrangement, Table};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How a column is set.
#[derive(Clone, Copy)]
pub(super) struct Column<'a> {
    /// Its head; a table whose titles are all empty has no line for them.
    pub title: &'a str,
    /// Numbers stand to the right.
    pub right: bool,
    /// Fewest columns it may be cut to when the table is too wide; none: never cut.
    pub least: Option<usize>,
    /// Left out when cutting does not help; the greatest number first, of equal ones the last.
    pub dropped: Option<u8>,
    /// A text that goes on below itself where it would be cut.
    pub wraps: bool,
}

impl<'a> Column<'a> {
    /// A column of text that is never cut.
    pub(super) const fn new(title: &'a str) -> Column<'a> {
        Column { title, right: false, least: None, dropped: None, wraps: false }
    }

    /// May be cut down to `least` columns.
    pub(super) const fn cut(self, least: usize) -> Column<'a> {
        Column { least: Some(least), ..self }
    }

    /// May be broken into lines of at least `least` columns.
    pub(super) const fn wrapped(self, least: usize) -> Column<'a> {
        Column { least: Some(least), wraps: true, ..self }
    }

    /// May be left out when the table is too wide.
    pub(super) const fn droppable(self) -> Column<'a> {
        Column { dropped: Some(0), ..self }
    }

    /// May be left out, before those that are only droppable.
    pub(super) const fn spare(self) -> Column<'a> {
        Column { dropped: Some(1), ..self }
    }

    /// Aligned to the right.
    pub(super) const fn right(self) -> Column<'a> {
        Column { right: true, ..self }
    }
}

/// Blanks before the first column and between two.
const MARGIN: usize = 1;
const GAP: usize = 2;

/// A terminal with fewer columns is narrow.
const NARROW: usize = 40;

/// Columns that a cell has at least, however narrow the terminal.
const SHORTEST: usize = 5;

/// Rows of cells below their titles (none when all are empty), in at most `width` columns as far as cutting cells and dropping
/// columns allows. Each line ends in a line break.
pub(super) fn table(columns: &[Column], rows: &[Vec<String>], width: usize) -> Doc {
    let widths = fit(columns, rows, width);
    let kept: Vec<usize> = (0..columns.len()).filter(|k| widths[*k] > 0).collect();
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Disabled);
    if columns.iter().any(|c| !c.title.is_empty()) {
        table.set_header(kept.iter().map(|k| shortened(columns[*k].title, widths[*k])));
    }
    let set = |k: usize, cell: &String| match columns[k].wraps {
        true => filled(cell, widths[k]),
        false => shortened(cell, widths[k]),
    };
    for row in rows {
        table.add_row(kept.iter().map(|k| row.get(*k).map_or(String::new(), |cell| set(*k, cell))));
    }
    for (place, k) in kept.iter().enumerate() {
        if let Some(set) = table.column_mut(place) {
            set.set_padding((if place == 0 { MARGIN as u16 } else { 0 }, GAP as u16));
            set.set_cell_alignment(if columns[*k].right { CellAlignment::Right } else { CellAlignment::Left });
        }
    }
    styled(&table, kept.first().map_or(0, |k| widths[*k])).told_as(spoken::rows(columns, rows))
}

/// The width of each column, 0 for one that is left out: its longest cell; then, until all fit, the widest column that may be cut
/// or broken into lines is made narrower, and when none is left, one that may be dropped is dropped.
fn fit(columns: &[Column], rows: &[Vec<String>], width: usize) -> Vec<usize> {
    let longest = |k: usize| rows.iter().filter_map(|row| row.get(k)).map(|cell| cell.width()).max().unwrap_or(0);
    let natural: Vec<usize> = columns.iter().enumerate().map(|(k, c)| longest(k).max(c.title.width())).collect();
    let mut widths = natural.clone();
    let used = |widths: &[usize]| widths.iter().filter(|w| **w > 0).map(|w| w + GAP).sum::<usize>() + MARGIN - GAP;
    while used(&widths) > width {
        let least = |k: usize| columns[k].least.map_or(natural[k], |least| least.max(columns[k].title.width()));
        let cuttable = (0..columns.len()).filter(|k| widths[*k] > least(*k)).max_by_key(|k| widths[*k]);
        let droppable = (0..columns.len()).filter(|k| columns[*k].dropped.is_some() && widths[*k] > 0);
        let droppable = droppable.max_by_key(|k| columns[*k].dropped);
        match (cuttable, droppable) {
            (Some(k), _) => widths[k] -= 1,
            (None, Some(k)) => {
                // With one column less the others get their room back.
                let dropped: Vec<usize> = (0..columns.len()).filter(|j| *j == k || widths[*j] == 0).collect();
                widths.clone_from(&natural);
                dropped.iter().for_each(|j| widths[*j] = 0);
            }
            // The last resort where there are few columns on a terminal: what should not be cut is.
            (None, None) if width >= NARROW => break,
            (None, None) => match (0..columns.len()).filter(|k| widths[*k] > SHORTEST).max_by_key(|k| widths[*k]) {
                Some(k) => widths[k] -= 1,
                None => break,
            },
        }
    }
    widths
}

/// True when a table needs no cell cut and no column dropped.
pub(super) fn fits(columns: &[Column], rows: &[Vec<String>], width: usize) -> bool {
    let rigid: Vec<Column> = columns.iter().map(|c| Column { least: None, dropped: None, ..*c }).collect();
    let used: usize = fit(&rigid, rows, width).iter().map(|w| w + GAP).sum();
    used + MARGIN <= width + GAP
}

/// The table's lines: the titles faint, the first column as names.
fn styled(table: &Table, names: usize) -> Doc {
    let mut doc = Doc::new();
    for (n, line) in table.lines().enumerate() {
        let line = line.trim_end();
        let (first, rest) = line.split_at(column_end(line, MARGIN + names));
        let (head, tail) =
            if n == 0 && table.header().is_some() { (Style::Note, Style::Note) } else { (Style::Name, Style::Plain) };
        doc.push(head, first).push(tail, rest).newline();
    }
    doc
}

/// The byte where the first `columns` columns of a text end.
fn column_end(text: &str, columns: usize) -> usize {
    let mut used = 0;
    let past = text.char_indices().find(|(_, c)| {
        used += c.width().unwrap_or(0);
        used > columns
    });
    past.map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[Column] = &[Column::new("name"), Column::new("size").cut(8), Column::new("offset").right()];

    fn rows() -> Vec<Vec<String>> {
        let row = |cells: [&str; 3]| cells.map(String::from).to_vec();
        vec![row(["x", "(2, 3)", "0"]), row(["images", "(64, 3, 224, 224)", "150528"])]
    }

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let expected = [
            " name    size               offset",
            " x       (2, 3)                  0",
            " images  (64, 3, 224, 224)  150528",
            "",
        ];
        assert_eq!(table(COLUMNS, &rows(), 80).text(), expected.join("\n"));
    }

    #[test]
    fn wide_cells_are_cut() {
        let expected = [" name    size       offset", " x       (2, 3)          0", " images  (64, 3 ..  150528", ""];
        assert_eq!(table(COLUMNS, &rows(), 26).text(), expected.join("\n"));
    }

    #[test]
    fn wrapped_cells_go_on_below() {
        let columns = [Column::new("step").cut(4), Column::new("").wrapped(8)];
        let row = ["[1]", "a dim dropped, offset +1"].map(String::from).to_vec();
        assert_eq!(table(&columns, &[row], 22).text(), " step\n [1]   a dim dropped,\n       offset +1\n");
    }

    #[test]
    fn columns_are_dropped_when_cutting_does_not_help() {
        let columns = [Column::new("name"), Column::new("size").cut(6), Column::new("cells").droppable()];
        let row = ["images", "(64, 3)", "9,633,792"].map(String::from).to_vec();
        assert_eq!(table(&columns, &[row], 20).text(), " name    size\n images  (64, 3)\n");
    }

    #[test]
    fn a_narrow_terminal_cuts_what_is_never_cut_elsewhere() {
        let columns = [Column::new("name"), Column::new("elements").right(), Column::new("storage")];
        let row = ["images_of_cats", "9,633,792", "#1"].map(String::from).to_vec();
        let doc = table(&columns, std::slice::from_ref(&row), 24);
        assert!(doc.text().lines().all(|line| line.width() <= 24), "{doc}");
        assert!(table(&columns, &[row], 60).text().contains("images_of_cats  9,633,792  #1"));
    }

    #[test]
    fn a_table_without_titles_has_no_line_for_them() {
        let columns = [Column::new(""), Column::new("")];
        assert_eq!(table(&columns, &[vec!["a".into(), "b".into()]], 80).text(), " a  b\n");
    }
}
