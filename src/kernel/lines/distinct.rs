//! The different elements of a line.

use super::key::{Keyed, Ordinal, limits, write_keys};
use super::partition::unstable_sort;
use super::{AT_ONCE, sort_line};
use crate::dtype::Class;
use crate::interrupt;
use crate::kernel::element::Lane;
use crate::kernel::fold::Spread;
use anyhow::Result;

/// Where the results go: room for as many as there are elements, or none for what is not wanted.
pub(super) struct Out<'a, E> {
    pub values: &'a mut [E],
    /// The group of each element.
    pub groups: &'a mut [i64],
    pub counts: &'a mut [i64],
}

/// The different elements in order, the group of each element, and how many are in each group; gives how many groups there are.
/// NaN differs from NaN.
pub(super) fn distinct<E: Keyed>(elements: &[E], out: Out<E>, spread: Spread) -> Result<usize> {
    let n = elements.len();
    if matches!(E::Lane::CLASS, Class::I64 | Class::U64) && n < u32::MAX as usize {
        let mut keys = vec![0; n];
        write_keys(elements, &mut keys);
        let (low, high) = limits(&keys);
        if high - low <= 2 * n as u64 {
            return Ok(count(elements, &keys, low, (high - low) as usize + 1, out));
        }
    }
    let (mut sorted, mut order) = (elements.to_vec(), vec![0i64; n]);
    sort_line(elements, &mut sorted, &mut order, spread)?;
    if let Some(place) = first_zero(elements) {
        let zero = elements[place];
        let start = sorted.partition_point(|element| element.key() < zero.key());
        sorted[start] = zero;
    }
    Ok(number(&sorted, out, |i| order[i] as usize))
}

/// Which of the elements stands for zero where there are both zeros: the one that the sort which PyTorch uses leaves first of them.
/// None where there is one zero.
fn first_zero<E: Keyed>(elements: &[E]) -> Option<usize> {
    let negative = *elements.iter().find(|element| element.widen().is_negative_zero())?;
    let is_zero = |element: &E| element.key() == negative.key();
    if elements.iter().filter(|element| is_zero(element)).all(|element| element.widen().is_negative_zero()) {
        return None;
    }
    let mut places: Vec<usize> = (0..elements.len()).collect();
    unstable_sort(&mut places, &|a, b| elements[a].key() < elements[b].key());
    places.into_iter().find(|place| is_zero(&elements[*place]))
}

/// As `distinct`, of neighbours.
pub(super) fn neighbours<E: Keyed>(elements: &[E], out: Out<E>) -> usize {
    number(elements, out, |i| i)
}

/// Numbers groups of equal neighbours; `place` says where an element stood. Gives how many groups there are.
fn number<E: Keyed>(elements: &[E], out: Out<E>, place: impl Fn(usize) -> usize) -> usize {
    let (counted, grouped) = (!out.counts.is_empty(), !out.groups.is_empty());
    // The first element begins a group: no key is its own opposite.
    let Some(mut before) = elements.first().map(|first| !first.key()) else { return 0 };
    let mut found = 0;
    for (i, element) in elements.iter().enumerate().take_while(|(i, _)| goes_on(*i)) {
        // Every element is written down, and stays when it begins a group: a branch would be guessed wrong half the time.
        out.values[found] = *element;
        if counted {
            out.counts[found] = i as i64;
        }
        let key = element.key();
        found += (key != before || element.is_nan()) as usize;
        before = key;
        if grouped {
            out.groups[place(i)] = found as i64 - 1;
        }
    }
    if counted {
        for group in 0..found {
            let end = if group + 1 < found { out.counts[group + 1] } else { elements.len() as i64 };
            out.counts[group] = end - out.counts[group];
        }
    }
    found
}

/// False, now and then, when a stop is asked for.
#[inline(always)]
fn goes_on(place: usize) -> bool {
    !place.is_multiple_of(AT_ONCE) || !interrupt::is_raised()
}

/// By a table of all keys there can be.
fn count<E: Keyed>(elements: &[E], keys: &[u64], low: u64, range: usize, out: Out<E>) -> usize {
    let (mut counts, mut last) = (vec![0u32; range], vec![0u32; range]);
    for (i, key) in keys.iter().enumerate().take_while(|(i, _)| goes_on(*i)) {
        let at = (key - low) as usize;
        counts[at] += 1;
        last[at] = i as u32;
    }
    let mut found = 0;
    for at in (0..range).filter(|at| counts[*at] > 0) {
        out.values[found] = elements[last[at] as usize];
        if let Some(count) = out.counts.get_mut(found) {
            *count = counts[at] as i64;
        }
        last[at] = found as u32;
        found += 1;
    }
    out.groups.iter_mut().zip(keys).for_each(|(group, key)| *group = last[(key - low) as usize] as i64);
    found
}
