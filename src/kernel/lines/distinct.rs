//! The different elements of a line.

use super::key::{Keyed, limits, write_keys};
use super::sort_line;
use crate::dtype::Class;
use crate::kernel::element::Lane;
use crate::kernel::fold::Spread;
use anyhow::Result;

/// Where the results go: room for as many values, groups and counts as there are elements, and one count more, which takes the
/// number of different elements.
pub(super) struct Out<'a, E> {
    pub values: &'a mut [E],
    /// The group of each element.
    pub groups: &'a mut [i64],
    pub counts: &'a mut [i64],
}

/// The different elements in order, how many there are of each, and, when asked for, the group of each element. NaN differs from
/// NaN.
pub(super) fn distinct<E: Keyed>(elements: &[E], out: Out<E>, groups: bool, spread: Spread) -> Result<()> {
    let n = elements.len();
    if matches!(E::Lane::CLASS, Class::I64 | Class::U64) && n < u32::MAX as usize {
        let mut keys = vec![0; n];
        write_keys(elements, &mut keys);
        let (low, high) = limits(&keys);
        if high - low <= 2 * n as u64 {
            count(elements, &keys, low, (high - low) as usize + 1, out, groups);
            return Ok(());
        }
    }
    let (mut sorted, mut order) = (elements.to_vec(), vec![0i64; n]);
    sort_line(elements, &mut sorted, &mut order, spread)?;
    number(&sorted, out, |i, group, all| {
        if groups {
            all[order[i] as usize] = group;
        }
    });
    Ok(())
}

/// As `distinct`, of neighbours.
pub(super) fn neighbours<E: Keyed>(elements: &[E], out: Out<E>) {
    number(elements, out, |i, group, all| all[i] = group);
}

/// Numbers groups of equal neighbours; `note` is told the group of each place.
fn number<E: Keyed>(elements: &[E], out: Out<E>, mut note: impl FnMut(usize, i64, &mut [i64])) {
    let (mut found, mut start) = (0, 0);
    for group in elements.chunk_by(|a, b| a.key() == b.key() && !a.is_nan()) {
        out.values[found] = group[0];
        out.counts[found] = group.len() as i64;
        (start..start + group.len()).for_each(|i| note(i, found as i64, out.groups));
        (found, start) = (found + 1, start + group.len());
    }
    out.counts[elements.len()] = found as i64;
}

/// By a table of all keys there can be.
fn count<E: Keyed>(elements: &[E], keys: &[u64], low: u64, range: usize, out: Out<E>, groups: bool) {
    let (mut counts, mut last) = (vec![0u32; range], vec![0u32; range]);
    for (i, key) in keys.iter().enumerate() {
        let at = (key - low) as usize;
        counts[at] += 1;
        last[at] = i as u32;
    }
    let mut found = 0;
    for at in (0..range).filter(|at| counts[*at] > 0) {
        out.values[found] = elements[last[at] as usize];
        out.counts[found] = counts[at] as i64;
        last[at] = found as u32;
        found += 1;
    }
    if groups {
        out.groups.iter_mut().zip(keys).for_each(|(group, key)| *group = last[(key - low) as usize] as i64);
    }
    out.counts[elements.len()] = found as i64;
}
