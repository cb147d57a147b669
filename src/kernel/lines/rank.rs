//! Choosing elements of a line by their rank, without sorting the rest.

use super::key::{GROUP, Keyed, greatest_of_groups, limits, write_keys};
use super::partition::{first_in_order, partial_order, quick_select, unstable_sort};
use super::{AT_ONCE, LONG, Room, SHORT};
use crate::interrupt;

/// Of lines at most so many times as long as what is wanted of them, PyTorch takes the first by partitioning.
const FEW: usize = 64;

/// The places of the first `k` of so many elements, as PyTorch finds them: a heap for few of many, else partitions around the last place that is wanted, then sorts what lies before; that decides
/// which of equal elements are taken and in which order.
pub fn first_by_exchange(length: usize, k: usize, sorted: bool, less: &impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..length).collect();
    if k * FEW <= length {
        first_in_order(&mut order, k, less);
    } else if k > 0 {
        partial_order(&mut order, k - 1, less);
        if sorted {
            unstable_sort(&mut order[..k - 1], less);
        }
    }
    order.truncate(k);
    order
}

/// The first `places.len()` elements in order.
///
/// Candidates are those whose keys beat the worst of the best ones known; now and then they shrink to as many as are wanted. So most
/// elements are only compared, a group at a time.
pub(super) fn top<E: Keyed>(
    elements: &[E],
    values: &mut [E],
    places: &mut [i64],
    (largest, sorted): (bool, bool),
    room: &mut Room,
) {
    let k = places.len();
    if k == 0 {
        return;
    }
    room.keys.resize(elements.len(), 0);
    write_keys(elements, &mut room.keys);
    if !largest {
        room.keys.iter_mut().for_each(|key| *key = !*key);
    }
    if k * FEW > elements.len() || elements.len() <= SHORT {
        let keys = &room.keys;
        let order = first_by_exchange(elements.len(), k, sorted, &|a, b| keys[a] > keys[b]);
        for ((at, value), place) in order.into_iter().zip(values).zip(places) {
            (*value, *place) = (elements[at], at as i64);
        }
        return;
    }
    greatest_of_groups(&room.keys, &mut room.spare);
    let best = &mut room.best;
    best.clear();
    let item = |key: u64, at: usize| ((!key) as u128) << 64 | at as u128;
    let most = k + k.max(GROUP);
    let mut worst = None;
    for (n, (group, greatest)) in room.keys.chunks(GROUP).zip(&room.spare).enumerate() {
        if worst.is_some_and(|worst| *greatest <= worst) {
            continue;
        }
        let beats = |(_, key): &(usize, &u64)| worst.is_none_or(|worst| **key > worst);
        best.extend(group.iter().enumerate().filter(beats).map(|(i, key)| item(*key, n * GROUP + i)));
        if best.len() > most {
            best.select_nth_unstable(k - 1);
            best.truncate(k);
            worst = Some(!((best[k - 1] >> 64) as u64));
        }
    }
    if best.len() > k {
        best.select_nth_unstable(k - 1);
        best.truncate(k);
    }
    best.sort_unstable();
    for ((item, value), place) in best.iter().zip(values).zip(places) {
        let at = *item as u64 as usize;
        (*value, *place) = (elements[at], at as i64);
    }
}

/// The element of a rank; of equal ones the one that PyTorch's exchanges bring there.
pub(super) fn nth<E: Keyed>(elements: &[E], values: &mut [E], places: &mut [i64], rank: usize, room: &mut Room) {
    room.keys.resize(elements.len(), 0);
    write_keys(elements, &mut room.keys);
    let key = key_of_rank(&room.keys, rank, &mut room.items);
    let mut equal = room.keys.iter().enumerate().filter(|(_, k)| **k == key).map(|(at, _)| at);
    let at = match (equal.next(), equal.next()) {
        (Some(at), None) => at,
        _ => quick_select(elements.len(), rank, |a, b| room.keys[a] > room.keys[b]),
    };
    (values[0], places[0]) = (elements[at], at as i64);
}

/// The lower median; equal elements keep their order.
pub(super) fn middle<E: Keyed>(elements: &[E], values: &mut [E], places: &mut [i64], skip_nan: bool, room: &mut Room) {
    let nans = elements.iter().filter(|e| e.is_nan()).count();
    let at = match elements.iter().position(|e| !skip_nan && e.is_nan()) {
        Some(nan) => nan,
        // The first when nothing is put before anything else, which is not where the first stood.
        None if nans == elements.len() => {
            let mut places: Vec<usize> = (0..nans).collect();
            partial_order(&mut places, 0, &|_, _| false);
            places[0]
        }
        None => place_of_rank(elements, (elements.len() - nans - 1) / 2, room),
    };
    (values[0], places[0]) = (elements[at], at as i64);
}

fn place_of_rank<E: Keyed>(elements: &[E], rank: usize, room: &mut Room) -> usize {
    room.keys.resize(elements.len(), 0);
    write_keys(elements, &mut room.keys);
    let key = key_of_rank(&room.keys, rank, &mut room.items);
    let lower = room.keys.iter().filter(|k| **k < key).count();
    let equal = room.keys.iter().enumerate().filter(|(_, k)| **k == key);
    equal.map(|(at, _)| at).nth(rank.saturating_sub(lower)).unwrap_or(0)
}

/// Bits of a key that are counted at a time.
const DIGIT: u32 = 11;

/// The key of a rank. Those of a long line are counted, digit by digit from the highest; when a stop is asked for, it is any key.
fn key_of_rank(keys: &[u64], mut rank: usize, room: &mut Vec<u64>) -> u64 {
    if keys.len() <= LONG {
        room.clear();
        room.extend_from_slice(keys);
        return *room.select_nth_unstable(rank).1;
    }
    let (low, high) = limits(keys);
    let (mut known, mut unknown) = (0, 64 - (high - low).leading_zeros());
    while unknown > 0 {
        let bits = unknown.min(DIGIT);
        let mut counts = [0usize; 1 << DIGIT];
        for part in keys.chunks(AT_ONCE).take_while(|_| !interrupt::is_raised()) {
            let candidates = part.iter().map(|key| key - low).filter(|key| key.unbounded_shr(unknown) == known);
            candidates.for_each(|key| counts[(key >> (unknown - bits)) as usize & ((1 << bits) - 1)] += 1);
        }
        unknown -= bits;
        let digit = counts.iter().position(|count| {
            let found = rank < *count;
            rank -= if found { 0 } else { *count };
            found
        });
        known = known << bits | digit.unwrap_or(0) as u64;
    }
    low.wrapping_add(known)
}

/// One of the most frequent elements, the least of several: the one that comes last when they are sorted as PyTorch sorts them.
pub(super) fn frequent<E: Keyed>(elements: &[E], values: &mut [E], places: &mut [i64]) {
    // NaN is less than nothing, and nothing is less than NaN.
    let keys: Vec<Option<u64>> = elements.iter().map(|e| (!e.is_nan()).then(|| e.key())).collect();
    let mut order: Vec<usize> = (0..elements.len()).collect();
    unstable_sort(&mut order, &|a, b| matches!((keys[a], keys[b]), (Some(a), Some(b)) if a < b));
    let (mut best, mut most) = (0, 0);
    for group in order.chunk_by(|a, b| keys[*a].is_some() && keys[*a] == keys[*b]) {
        if let (true, Some(last)) = (group.len() > most, group.last()) {
            (best, most) = (*last, group.len());
        }
    }
    (values[0], places[0]) = (elements[best], best as i64);
}
