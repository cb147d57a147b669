//! Selection as the C++ library of PyTorch goes about it, which decides between equal elements that look different: zeros.

/// The element at a place of the ascending order, NaN last.
pub fn nth(elements: &mut [f64], place: usize) -> f64 {
    let (mut first, mut last) = (0, elements.len());
    while last - first > 3 {
        let cut = first + divide(&mut elements[first..last]);
        if cut <= place {
            first = cut;
        } else {
            last = cut;
        }
    }
    insert(&mut elements[first..last]);
    elements.get(place).copied().unwrap_or(f64::NAN)
}

fn is_less(a: f64, b: f64) -> bool {
    (!a.is_nan() && b.is_nan()) || a < b
}

/// Sorts a few by insertion.
fn insert(few: &mut [f64]) {
    for end in 1..few.len() {
        let mut at = end;
        while at > 0 && is_less(few[at], few[at - 1]) {
            few.swap(at, at - 1);
            at -= 1;
        }
    }
}

/// Brings what is less than the median of three to the front, and gives the place where the others begin.
fn divide(part: &mut [f64]) -> usize {
    let (middle, end) = (part.len() / 2, part.len() - 1);
    let [a, b, c] = [part[1], part[middle], part[end]];
    let median = match (is_less(a, b), is_less(b, c), is_less(a, c)) {
        (true, true, _) => middle,
        (true, false, true) => end,
        (true, false, false) => 1,
        (false, _, true) => 1,
        (false, true, false) => end,
        (false, false, false) => middle,
    };
    part.swap(0, median);
    let (pivot, mut low, mut high) = (part[0], 1, part.len());
    loop {
        while is_less(part[low], pivot) {
            low += 1;
        }
        high -= 1;
        while is_less(pivot, part[high]) {
            high -= 1;
        }
        if low >= high {
            return low;
        }
        part.swap(low, high);
        low += 1;
    }
}
