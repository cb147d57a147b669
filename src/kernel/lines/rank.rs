//! Choosing elements of a line by their rank, without sorting the rest.

use super::key::{GROUP, Keyed, greatest_of_groups, write_keys};
use super::partition::{first_in_order, partial_order, quick_select, unstable_sort};
use super::{Room, SHORT};

/// Of lines at most so many times as long as what is wanted of them, PyTorch takes the first by partitioning.
const FEW: usize = 64;

/// As PyTorch: a heap for few of many, else partitions around the last place that is wanted, then sorts what lies before; that decides
/// which of equal elements are taken and in which order.
fn top_by_exchange<E: Keyed>(elements: &[E], values: &mut [E], places: &mut [i64], keys: &[u64]) {
    let k = places.len();
    let mut order: Vec<usize> = (0..elements.len()).collect();
    let less = |a: usize, b: usize| keys[a] > keys[b];
    if k * FEW <= elements.len() {
        first_in_order(&mut order, k, &less);
    } else {
        partial_order(&mut order, k - 1, &less);
        unstable_sort(&mut order[..k - 1], &less);
    }
    for ((at, value), place) in order.into_iter().zip(values).zip(places) {
        (*value, *place) = (elements[at], at as i64);
    }
}

/// The first `places.len()` elements in order.
///
/// Candidates are those whose keys beat the worst of the best ones known; now and then they shrink to as many as are wanted. So most
/// elements are only compared, a group at a time.
pub(super) fn top<E: Keyed>(elements: &[E], values: &mut [E], places: &mut [i64], largest: bool, room: &mut Room) {
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
        return top_by_exchange(elements, values, places, &room.keys);
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
    room.items.clone_from(&room.keys);
    let key = *room.items.select_nth_unstable(rank).1;
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
    room.items.clone_from(&room.keys);
    let key = *room.items.select_nth_unstable(rank).1;
    let lower = room.keys.iter().filter(|k| **k < key).count();
    let equal = room.keys.iter().enumerate().filter(|(_, k)| **k == key);
    equal.map(|(at, _)| at).nth(rank - lower).unwrap_or(0)
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
