//! The order in which the sort of the C++ library leaves what is equal: quicksort around the median of three, a heap where that goes
//! too deep, and insertion at the end.

/// So many are sorted by insertion alone, which keeps the order of what is equal.
pub(super) const FEW: usize = 16;

/// A key, and what it stands for.
type Item = (u64, usize);

/// Sorts by the keys.
pub(super) fn sort(items: &mut [Item]) {
    if items.is_empty() {
        return;
    }
    divide(items, 2 * items.len().ilog2());
    let few = items.len().min(FEW);
    for place in 1..few {
        match items[place].0 < items[0].0 {
            true => items[..=place].rotate_right(1),
            false => sink(items, place),
        }
    }
    (few..items.len()).for_each(|place| sink(items, place));
}

/// Brings items near their places: parts of at most [`FEW`] stay as they are.
fn divide(mut items: &mut [Item], mut depth: u32) {
    while items.len() > FEW {
        if depth == 0 {
            return by_heap(items);
        }
        depth -= 1;
        let place = part(items);
        let (low, high) = items.split_at_mut(place);
        divide(high, depth);
        items = low;
    }
}

/// Parts items around the median of three of them, and says where.
fn part(items: &mut [Item]) -> usize {
    let places = [1, items.len() / 2, items.len() - 1];
    let [a, b, c] = places.map(|place| items[place].0);
    let median = match (a < b, b < c, a < c) {
        (true, true, _) | (false, false, false) => places[1],
        (true, false, true) | (false, true, false) => places[2],
        _ => places[0],
    };
    items.swap(0, median);
    let (pivot, mut low, mut high) = (items[0].0, 1, items.len());
    loop {
        while items[low].0 < pivot {
            low += 1;
        }
        high -= 1;
        while pivot < items[high].0 {
            high -= 1;
        }
        if low >= high {
            return low;
        }
        items.swap(low, high);
        low += 1;
    }
}

/// Moves an item down to its place among those before it, of which one is not greater.
fn sink(items: &mut [Item], place: usize) {
    let item = items[place];
    let mut to = place;
    while to > 0 && item.0 < items[to - 1].0 {
        items[to] = items[to - 1];
        to -= 1;
    }
    items[to] = item;
}

fn by_heap(items: &mut [Item]) {
    for place in (0..items.len() / 2).rev() {
        settle(items, place, items[place]);
    }
    for last in (1..items.len()).rev() {
        let item = items[last];
        items[last] = items[0];
        settle(&mut items[..last], 0, item);
    }
}

/// Puts an item into a heap whose place `top` is free: greater children move up all the way, then it rises.
fn settle(items: &mut [Item], top: usize, item: Item) {
    let (mut hole, length) = (top, items.len());
    while 2 * hole + 2 < length {
        let right = 2 * hole + 2;
        let child = if items[right].0 < items[right - 1].0 { right - 1 } else { right };
        items[hole] = items[child];
        hole = child;
    }
    if 2 * hole + 2 == length {
        items[hole] = items[length - 1];
        hole = length - 1;
    }
    while hole > top && items[(hole - 1) / 2].0 < item.0 {
        items[hole] = items[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    items[hole] = item;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_by_key_and_keeps_every_item() {
        for count in [0, 1, 2, 16, 17, 40, 1000] {
            let mut items: Vec<Item> = (0..count).map(|i| ((i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60, i)).collect();
            let mut wanted = items.clone();
            sort(&mut items);
            assert!(items.is_sorted_by_key(|item| item.0));
            items.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(items, wanted);
        }
    }

    #[test]
    fn heaps_sort() {
        let mut items: Vec<Item> = (0..50).map(|i| ((i * 37 % 50) as u64, i)).collect();
        by_heap(&mut items);
        assert!(items.is_sorted_by_key(|item| item.0));
    }
}
