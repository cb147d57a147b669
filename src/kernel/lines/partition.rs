//! The n-th element by partitioning, in the very order of exchanges that libstdc++ makes, so that among equal elements the same
//! one is found as in PyTorch.

/// The place of the element that would stand at `nth` among `0..length` sorted by `less`. `length` is above `nth`.
///
/// After Musser's introselect: partition around the median of three until three elements remain, then insert.
pub(super) fn nth_element(length: usize, nth: usize, less: impl Fn(usize, usize) -> bool) -> usize {
    let mut places: Vec<usize> = (0..length).collect();
    partial_order(&mut places, nth, &less);
    places[nth]
}

/// Reorders `places` so that the one at `nth` is where sorting puts it, lesser ones before, greater ones behind.
fn partial_order(places: &mut [usize], nth: usize, less: &impl Fn(usize, usize) -> bool) {
    let (mut first, mut last) = (0, places.len());
    while last - first > 3 {
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
        if low >= high {
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

fn insertion_sort(places: &mut [usize], less: &impl Fn(usize, usize) -> bool) {
    for end in 1..places.len() {
        let mut at = end;
        while at > 0 && less(places[at], places[at - 1]) {
            places.swap(at, at - 1);
            at -= 1;
        }
    }
}
