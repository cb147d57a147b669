//! Which cells of a storage a picture shows when it cannot show all.

use crate::layout::Layout;

/// A storage of at most this many cells is shown whole.
pub(super) const WHOLE: i64 = 32;

/// The cells worth seeing of a storage with `cells` cells, in order. One of at most `whole` cells is shown whole; of a larger one the ends,
/// where each tensor begins and ends, and the neighbourhood of the first step in each of its dimensions, as long as `fits` says
/// there is room. Takes time in proportion to the dimensions, not to the cells.
pub(super) fn choose(cells: i64, whole: i64, layouts: &[&Layout], fits: impl Fn(&[i64]) -> bool) -> Vec<i64> {
    if cells <= whole {
        return (0..cells).collect();
    }
    let mut chosen: Vec<i64> = vec![];
    for cell in candidates(cells, layouts) {
        let Err(place) = chosen.binary_search(&cell) else { continue };
        if !(0..cells).contains(&cell) {
            continue;
        }
        chosen.insert(place, cell);
        if !fits(&chosen) {
            chosen.remove(place);
        }
    }
    chosen
}

/// Cells in order of interest, some of them twice, some outside the storage.
fn candidates(cells: i64, layouts: &[&Layout]) -> Vec<i64> {
    let reached: Vec<(&Layout, i64, i64)> =
        layouts.iter().filter_map(|l| l.extent().map(|(low, high)| (*l, low, high))).collect();
    let mut list = vec![0, cells - 1];
    list.extend(reached.iter().flat_map(|(layout, low, high)| [layout.offset, *low, *high]));
    list.extend([1, 2]);
    for round in 0..3 {
        for (layout, ..) in &reached {
            // The step itself, then the cells on both sides of it.
            let steps = layout.sizes.iter().zip(&layout.strides).rev().filter(|(size, stride)| **size > 1 && **stride != 0);
            list.extend(steps.map(|(_, stride)| layout.offset + stride + [0, 1, -1][round]));
        }
    }
    list.extend([cells - 2, 3, 4, 5, cells - 3]);
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_storages_are_whole() {
        assert_eq!(choose(3, WHOLE, &[], |_| false), [0, 1, 2]);
        assert!(choose(0, WHOLE, &[], |_| true).is_empty());
    }

    #[test]
    fn large_ones_show_ends_and_steps() {
        let x = Layout::contiguous(&[100, 100]);
        let part = Layout::new(&[99, 50], &[100, 2], 100);
        let cells = choose(10_000, WHOLE, &[&x, &part], |chosen| chosen.len() <= 12);
        assert_eq!(cells, [0, 1, 2, 99, 100, 101, 102, 103, 200, 201, 9998, 9999]);
    }
}
