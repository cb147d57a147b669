//! Sorting and choosing by comparisons, in the very order of exchanges that libstdc++ and PyTorch make, so that equal elements come
//! out in the same order. When a stop is asked for, they stay in some order.

use crate::interrupt::is_raised;

/// The place of the element that would stand at `nth` among `0..length` in rising order, found by exchanges around the median
/// of three as `kthvalue` makes them.
pub(super) fn quick_select(length: usize, nth: usize, above: impl Fn(usize, usize) -> bool) -> usize {
    let mut places: Vec<usize> = (0..length).collect();
    let (mut left, mut right) = (0, length - 1);
    while right > left && !is_raised() {
        let order = |places: &mut Vec<usize>, a: usize, b: usize| {
            if above(places[a], places[b]) {
                places.swap(a, b);
            }
        };
        if right == left + 1 {
            order(&mut places, left, right);
            break;
        }
        places.swap(left + (right - left) / 2, left + 1);
        order(&mut places, left + 1, right);
        order(&mut places, left, right);
        order(&mut places, left + 1, left);
        let pivot = places[left];
        let (mut low, mut high) = (left + 1, right);
        loop {
            low += 1;
            while above(pivot, places[low]) {
                low += 1;
            }
            high -= 1;
            while above(places[high], pivot) {
                high -= 1;
            }
            if high < low || is_raised() {
                break;
            }
            places.swap(low, high);
        }
        places.swap(left, high);
        if high <= nth {
            left = low;
        }
        if high >= nth {
            right = high.saturating_sub(1);
        }
    }
    places[nth]
}

/// Reorders `places` so that the one at `nth` is where sorting puts it, lesser ones before, greater ones behind.
///
/// After Musser's introselect: partition around the median of three until three elements remain, then insert.
pub(super) fn partial_order(places: &mut [usize], nth: usize, less: &impl Fn(usize, usize) -> bool) {
    let (mut first, mut last) = (0, places.len());
    while last - first > 3 && !is_raised() {
        let cut = partition_around_median(places, first, last, less);
        if cut <= nth { first = cut } else { last = cut }
    }
    insertion_sort(&mut places[first..last], less);
}

fn partition_around_median(places: &mut [usize], first: usize, last: usize, less: &impl Fn(usize, usize) -> bool) -> usize {
    let middle = first + (last - first) / 2;
    let median = median_of(places, first + 1, middle, last - 1, less);
    places.swap(first, median);
    let (mut low, mut high) = (first + 1, last);
    loop {
        while less(places[low], places[first]) {
            low += 1;
        }
        high -= 1;
        while less(places[first], places[high]) {
            high -= 1;
        }
        if low >= high || is_raised() {
            return low;
        }
        places.swap(low, high);
        low += 1;
    }
}

fn median_of(places: &[usize], a: usize, b: usize, c: usize, less: &impl Fn(usize, usize) -> bool) -> usize {
    let lt = |x: usize, y: usize| less(places[x], places[y]);
    if lt(a, b) {
        if lt(b, c) {
            b
        } else if lt(a, c) {
            c
        } else {
            a
        }
    } else if lt(a, c) {
        a
    } else if lt(b, c) {
        c
    } else {
        b
    }
}

/// Sorts `places` as an unstable sort does that is Musser's introsort: partition around the median of three until sixteen remain, give
/// up for a heap when that goes too deep, and insert at last.
pub(super) fn unstable_sort(places: &mut [usize], less: &impl Fn(usize, usize) -> bool) {
    let depth = 2 * places.len().checked_ilog2().unwrap_or(0);
    divide(places, depth, less);
    insertion_sort(places, less);
}

fn divide(places: &mut [usize], mut depth: u32, less: &impl Fn(usize, usize) -> bool) {
    let mut last = places.len();
    while last > 16 && !is_raised() {
        if depth == 0 {
            return first_in_order(&mut places[..last], last, less);
        }
        depth -= 1;
        let cut = partition_around_median(places, 0, last, less);
        divide(&mut places[cut..last], depth, less);
        last = cut;
    }
}

/// Brings the first `count` to the front in order, by a heap with the last of them on top.
pub(super) fn first_in_order(places: &mut [usize], count: usize, less: &impl Fn(usize, usize) -> bool) {
    let (heap, others) = places.split_at_mut(count);
    for parent in (0..count / 2).rev() {
        let place = heap[parent];
        sift(heap, parent, place, less);
    }
    for other in others.iter_mut().take_while(|_| !is_raised()) {
        if less(*other, heap[0]) {
            let place = std::mem::replace(other, heap[0]);
            sift(heap, 0, place, less);
        }
    }
    for end in (1..count).rev().take_while(|_| !is_raised()) {
        let place = heap[end];
        heap[end] = heap[0];
        sift(&mut heap[..end], 0, place, less);
    }
}

/// Lets a hole in a heap sink to a leaf, and `place` rise from there.
fn sift(heap: &mut [usize], top: usize, place: usize, less: &impl Fn(usize, usize) -> bool) {
    let mut hole = top;
    while 2 * hole + 1 < heap.len() {
        let right = 2 * hole + 2;
        let child = if right == heap.len() || less(heap[right], heap[right - 1]) { right - 1 } else { right };
        heap[hole] = heap[child];
        hole = child;
    }
    while hole > top && less(heap[(hole - 1) / 2], place) {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = place;
}

fn insertion_sort(places: &mut [usize], less: &impl Fn(usize, usize) -> bool) {
    for end in (1..places.len()).take_while(|_| !is_raised()) {
        // Seen only where some are less than nothing, as NaN is: one that is less than the first passes them too.
        if end < 16 && less(places[end], places[0]) {
            places[..=end].rotate_right(1);
            continue;
        }
        let mut at = end;
        while at > 0 && less(places[at], places[at - 1]) {
            places.swap(at, at - 1);
            at -= 1;
        }
    }
}
