//! The words of `%layout`: what the cells hold, which of them each name reads, and how far one step goes.

use super::facts::Named;
use crate::layout::Layout;
use crate::show::narrate::{cells, list};

/// Rows of a tensor, and elements of a row, that are read out.
const ROWS: usize = 6;
const ELEMENTS: i64 = 8;

/// What some cells hold, those that follow each other together.
pub(super) fn contents(numbers: &[i64], values: &[String]) -> String {
    let mut out = String::new();
    let mut start = 0;
    while start < numbers.len() {
        let count = numbers[start..].iter().zip(numbers[start]..).take_while(|(n, wanted)| **n == *wanted).count();
        let (part, held) = (&numbers[start..start + count], &values[start..start + count]);
        let verb = if count == 1 { "holds" } else { "hold" };
        let held: Vec<String> = held.iter().map(|value| value.trim_end_matches('.').to_string()).collect();
        out.push_str(&format!("{} {verb} {}.\n", capital(&cells(part)), list(&held)));
        start += count;
    }
    out
}

/// Which cells a tensor reads, row by row, and what a step along each dimension does.
pub(super) fn tensor(named: &Named) -> String {
    let layout = named.tensor.layout();
    let name = &named.name;
    if layout.numel() == 0 {
        return format!("{name} has no elements.\n");
    }
    let mut out = String::new();
    if layout.ndim() > 0 {
        let steps: Vec<String> = layout.strides.iter().enumerate().map(|(dim, stride)| step(dim, *stride)).collect();
        out.push_str(&format!("In {name}, a step {}.\n", list(&steps)));
    }
    let Some((columns, rows)) = layout.sizes.split_last() else {
        return format!("{name} reads {}.\n", cells(&[layout.offset]));
    };
    let rows = Layout::contiguous(rows);
    for row in 0..rows.numel().min(ROWS as i64) {
        let index = rows.nth_index(row);
        let at: Vec<i64> = (0..(*columns).min(ELEMENTS)).map(|column| address(&layout, &index, column)).collect();
        let more = if *columns > ELEMENTS { ", and so on" } else { "" };
        let place = match index.as_slice() {
            [] => "It".to_string(),
            [row] => format!("Row {row}"),
            dims => format!("The row at {}", list(&dims.iter().map(i64::to_string).collect::<Vec<_>>())),
        };
        out.push_str(&format!("{place} reads {}{more}.\n", cells(&at)));
    }
    if rows.numel() > ROWS as i64 {
        out.push_str(&format!("And so on for {} rows.\n", rows.numel()));
    }
    out
}

fn address(layout: &Layout, row: &[i64], column: i64) -> i64 {
    let index: Vec<i64> = row.iter().copied().chain([column]).collect();
    layout.address(&index)
}

fn step(dim: usize, stride: i64) -> String {
    let far = stride.unsigned_abs();
    let unit = if far == 1 { "cell" } else { "cells" };
    match stride {
        0 => format!("along dim {dim} stays on its cell"),
        1.. => format!("along dim {dim} moves {far} {unit} on"),
        _ => format!("along dim {dim} moves {far} {unit} back"),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cells_hold() {
        let values = ["4.", "1.5", "7."].map(String::from);
        assert_eq!(contents(&[0, 1, 9], &values), "Cells 0 and 1 hold 4 and 1.5.\nCell 9 holds 7.\n");
    }

    #[test]
    fn steps_in_words() {
        let words = [step(0, 0), step(1, 1), step(2, -4)];
        assert_eq!(words, ["along dim 0 stays on its cell", "along dim 1 moves 1 cell on", "along dim 2 moves 4 cells back"]);
    }
}
