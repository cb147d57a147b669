//! The arrows under a row of cells: from the storage's start to a tensor's first element, and from each element to the next one
//! along a dimension.

use super::strip::Slot;
use crate::layout::{Dims, Layout};
use crate::show::narrate::list;
use std::collections::BTreeMap;
use std::ops::Range;

/// Elements of one cell whose steps are looked for.
const ELEMENTS: usize = 16;
/// Cells of a walk that are read out, and walks.
const STOPS: usize = 4;
const WALKS: usize = 4;

/// Arrows of one kind: those of the offset, or those along one dimension.
pub(super) struct Lane {
    /// What they stand for: `offset`, `stride(0)`.
    pub label: String,
    /// How far each leads: `+4`.
    text: String,
    /// Cells that an arrow leads from and to, both the same for a step that stays.
    arrows: Vec<(i64, i64)>,
}

/// The arrows of a tensor between cells that are shown. Those that would cross are left out, as long as others of their dimension
/// are there: the first row of a dimension tells what all of them do.
pub(super) fn lanes(layout: &Layout, slots: &[Slot]) -> Vec<Lane> {
    let shown: Vec<i64> = slots.iter().filter_map(Slot::number).collect();
    let is_shown = |cell: i64| shown.binary_search(&cell).is_ok();
    let mut lanes = vec![];
    if layout.numel() > 0 && layout.offset > 0 && is_shown(0) && is_shown(layout.offset) {
        let arrows = vec![(0, layout.offset)];
        lanes.push(Lane { label: "offset".to_string(), text: format!("+{}", layout.offset), arrows });
    }
    let elements: Vec<(Dims, i64)> =
        shown.iter().flat_map(|cell| layout.indices_at(*cell, ELEMENTS).into_iter().map(|index| (index, *cell))).collect();
    for (dim, (&size, &stride)) in layout.sizes.iter().zip(&layout.strides).enumerate() {
        let mut rows: BTreeMap<Dims, Vec<(i64, i64)>> = BTreeMap::new();
        for (index, cell) in &elements {
            let next = cell + stride;
            if index[dim] + 1 < size && is_shown(next) {
                let mut row = index.clone();
                row[dim] = 0;
                rows.entry(row).or_default().push((*cell, next));
            }
        }
        let arrows = apart(rows.into_values());
        if !arrows.is_empty() {
            lanes.push(Lane { label: format!("stride({dim})"), text: format!("{stride:+}"), arrows });
        }
    }
    lanes
}

/// The arrows of those rows that do not lie over one another, from left to right.
fn apart(rows: impl Iterator<Item = Vec<(i64, i64)>>) -> Vec<(i64, i64)> {
    let mut taken: Vec<(i64, i64)> = vec![];
    let mut kept: Vec<(i64, i64)> = vec![];
    for row in rows {
        let ends = |(from, to): &(i64, i64)| [*from, *to];
        let (Some(low), Some(high)) = (row.iter().flat_map(ends).min(), row.iter().flat_map(ends).max()) else { continue };
        if taken.iter().all(|(a, b)| (high <= *a || low >= *b) && (low, high) != (*a, *b)) {
            taken.push((low, high));
            kept.extend(row);
        }
    }
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// What a line of cells looks like to the arrows below it: which slots are in it, and at which column each has its middle.
pub(super) struct Floor {
    /// The slots of the line.
    pub slots: Range<usize>,
    /// The column of the middle of each.
    pub middles: Vec<usize>,
    /// Columns of the line.
    pub width: usize,
}

impl Lane {
    /// The arrows below one line of cells, empty when none is there. `said` holds the arrows that have their text already.
    pub(super) fn below(&self, floor: &Floor, slots: &[Slot], said: &mut Vec<(i64, i64)>) -> String {
        let mut row = vec![' '; floor.width];
        let place = |cell: i64| slots.iter().position(|slot| slot.number() == Some(cell));
        for &(from, to) in &self.arrows {
            let (Some(a), Some(b)) = (place(from.min(to)), place(from.max(to))) else { continue };
            if b < floor.slots.start || a >= floor.slots.end {
                continue;
            }
            let column = |slot: usize| floor.slots.contains(&slot).then(|| floor.middles[slot - floor.slots.start]);
            if a == b {
                let middle = column(a).unwrap_or(0);
                write(&mut row, middle.saturating_sub(self.text.len() / 2), &self.text);
                continue;
            }
            let (left, right) = (column(a), column(b));
            let inside = left.map_or(0, |c| c + 1)..right.unwrap_or(floor.width);
            row[inside.clone()].fill('─');
            let ends = if to > from { ['└', TIP] } else { [TIP, '┘'] };
            for (column, end) in [left, right].into_iter().zip(ends) {
                if let Some(cell) = column.and_then(|c| row.get_mut(c)).filter(|c| **c != TIP) {
                    *cell = end;
                }
            }
            if !said.contains(&(from, to)) && inside.len() >= self.text.len() {
                said.push((from, to));
                let text = if inside.len() >= self.text.len() + 4 { format!(" {} ", self.text) } else { self.text.clone() };
                write(&mut row, inside.start + (inside.len() - text.len()) / 2, &text);
            }
        }
        row.into_iter().collect::<String>().trim_end().to_string()
    }

    /// The same in words; nothing for steps that stay, which the strides tell.
    pub(super) fn told(&self) -> String {
        let mut walks: Vec<Vec<i64>> = vec![];
        for &(from, to) in self.arrows.iter().filter(|(from, to)| from != to) {
            match walks.last_mut() {
                Some(walk) if walk.last() == Some(&from) => walk.push(to),
                _ => walks.push(vec![from, to]),
            }
        }
        if walks.is_empty() {
            return String::new();
        }
        let mut told: Vec<String> = walks.iter().take(WALKS).map(|walk| walked(walk)).collect();
        if walks.len() > WALKS {
            told.push("so on".to_string());
        }
        format!("{} leads {}.\n", self.named(), list(&told))
    }

    fn named(&self) -> String {
        match self.label.strip_prefix("stride(").and_then(|rest| rest.strip_suffix(')')) {
            Some(dim) => format!("The stride of dim {dim}"),
            None => format!("The {}", self.label),
        }
    }
}

/// The head of an arrow.
const TIP: char = '▲';

/// Puts a text of 7-bit characters into a row, as far as it reaches.
fn write(row: &mut [char], at: usize, text: &str) {
    for (cell, c) in row.iter_mut().skip(at).zip(text.chars()) {
        *cell = c;
    }
}

/// `from cell 5 to 9 to 13`.
fn walked(walk: &[i64]) -> String {
    let stops: Vec<String> = walk.iter().map(i64::to_string).collect();
    match stops.as_slice() {
        [first, second, .., last] if stops.len() > STOPS => format!("from cell {first} to {second} and so on to {last}"),
        _ => format!("from cell {}", stops.join(" to ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrows(layout: &Layout, cells: Range<i64>) -> Vec<(String, Vec<(i64, i64)>)> {
        let slot = |number| Slot::Cell { number, value: String::new(), indices: vec![] };
        let slots: Vec<Slot> = cells.map(slot).collect();
        lanes(layout, &slots).into_iter().map(|lane| (lane.label, lane.arrows)).collect()
    }

    #[test]
    fn offset_and_strides_lead_from_element_to_element() {
        let found = arrows(&Layout::new(&[3, 2], &[4, 1], 5), 0..20);
        let expected = [
            ("offset".to_string(), vec![(0, 5)]),
            ("stride(0)".to_string(), vec![(5, 9), (9, 13)]),
            ("stride(1)".to_string(), vec![(5, 6), (9, 10), (13, 14)]),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn arrows_that_would_cross_are_left_out() {
        let found = arrows(&Layout::new(&[2, 3], &[1, 2], 0), 0..6);
        let expected = [("stride(0)".to_string(), vec![(0, 1), (2, 3), (4, 5)]), ("stride(1)".to_string(), vec![(0, 2), (2, 4)])];
        assert_eq!(found, expected);
    }

    #[test]
    fn steps_may_stay_go_back_and_lead_to_cells_that_are_not_shown() {
        let found = arrows(&Layout::new(&[2, 2], &[0, -1], 1), 0..2);
        assert_eq!(found[1..], [("stride(0)".to_string(), vec![(0, 0), (1, 1)]), ("stride(1)".to_string(), vec![(1, 0)])]);
        assert_eq!(arrows(&Layout::new(&[3], &[4], 0), 0..5), [("stride(0)".to_string(), vec![(0, 4)])]);
        assert!(arrows(&Layout::new(&[0, 3], &[3, 1], 2), 0..5).is_empty());
    }

    #[test]
    fn walks_in_words() {
        assert_eq!(
            [walked(&[5, 9, 13]), walked(&[0, 1, 2, 3, 4])],
            ["from cell 5 to 9 to 13", "from cell 0 to 1 and so on to 4"]
        );
    }
}
