//! Sorting by digits. A key and its place are packed into one number, so that equal keys keep their order.

use super::key::{Keyed, limits, write_keys};
use super::{AT_ONCE, Room};
use crate::interrupt;
use crate::kernel::fold::Spread;
use crate::kernel::shared::Shared;
use anyhow::Result;

/// Bits of a key that are sorted by digits; the few elements that agree in all of them are compared.
const DIGITS: u32 = 33;
/// Fewer elements than this are compared.
const FEW: usize = 200;
/// From so many elements on, digits are wide.
const MANY: usize = 1 << 14;

/// How keys and places are packed: the upper bits of the key, as many as there is room for, above the place.
#[derive(Clone, Copy)]
struct Packing {
    low: u64,
    high: u64,
    descending: bool,
    place_bits: u32,
    key_bits: u32,
    /// Bits of the key that did not fit.
    lost: u32,
}

impl Packing {
    fn new((low, high): (u64, u64), length: usize, descending: bool) -> Packing {
        let bits_of = |n: u64| 64 - n.leading_zeros();
        let place_bits = bits_of(length.saturating_sub(1) as u64).max(1);
        let all = bits_of(high.wrapping_sub(low));
        let key_bits = all.min(64 - place_bits);
        Packing { low, high, descending, place_bits, key_bits, lost: all - key_bits }
    }

    /// The key counted from the first one in order.
    #[inline(always)]
    fn rank(&self, key: u64) -> u64 {
        if self.descending { self.high - key } else { key - self.low }
    }

    fn write(&self, keys: &[u64], first: usize, items: &mut [u64]) {
        for (i, (item, key)) in items.iter_mut().zip(keys).enumerate() {
            *item = ((self.rank(*key) >> self.lost) << self.place_bits) | (first + i) as u64;
        }
    }

    fn place(&self, item: u64) -> usize {
        (item & ((1 << self.place_bits) - 1)) as usize
    }

    /// Bits below those that digits sort by.
    fn below_digits(&self) -> u32 {
        self.place_bits + self.key_bits.saturating_sub(DIGITS)
    }

    /// Orders items that agree in all digits.
    fn finish(&self, items: &mut [u64], keys: &[u64]) {
        let below = self.below_digits();
        if below == self.place_bits && self.lost == 0 {
            return;
        }
        let groups = items.chunk_by_mut(|a, b| a >> below == b >> below);
        for group in groups.take_while(|_| !interrupt::is_raised()).filter(|group| group.len() > 1) {
            self.compare(group, keys);
        }
    }

    /// Writes sorted elements and where they stood.
    fn read<E: Keyed>(&self, items: &[u64], elements: &[E], values: &mut [E], places: &mut [i64]) {
        let parts = items.chunks(AT_ONCE).zip(values.chunks_mut(AT_ONCE)).zip(places.chunks_mut(AT_ONCE));
        for ((items, values), places) in parts.take_while(|_| !interrupt::is_raised()) {
            for ((item, value), place) in items.iter().zip(values).zip(places) {
                let at = self.place(*item);
                (*value, *place) = (elements[at], at as i64);
            }
        }
    }

    fn compare(&self, items: &mut [u64], keys: &[u64]) {
        if self.lost == 0 {
            items.sort_unstable();
        } else {
            items.sort_unstable_by_key(|item| (self.rank(keys[self.place(*item)]), self.place(*item)));
        }
    }

    /// The digits to sort by, lowest first: where each begins, and how many bits it has.
    fn digits(&self, length: usize) -> Vec<(u32, u32)> {
        let (start, end) = (self.below_digits(), self.place_bits + self.key_bits);
        let count = (end - start).div_ceil(if length < MANY { 8 } else { 11 });
        let at = |i: u32| start + (end - start) * i / count;
        (0..count).map(|i| (at(i), at(i + 1) - at(i))).collect()
    }
}

/// Sorts a line on this thread.
pub(super) fn sort<E: Keyed>(elements: &[E], values: &mut [E], places: &mut [i64], descending: bool, room: &mut Room) {
    let n = elements.len();
    room.keys.resize(n, 0);
    room.items.resize(n, 0);
    write_keys(elements, &mut room.keys);
    let packing = Packing::new(limits(&room.keys), n, descending);
    packing.write(&room.keys, 0, &mut room.items);
    if n < FEW {
        packing.compare(&mut room.items, &room.keys);
    } else {
        room.spare.resize(n, 0);
        for (shift, bits) in packing.digits(n) {
            let mut starts = [0usize; 1 << 11];
            count(&room.items, shift, bits, &mut starts);
            let mut sum = 0;
            starts[..1 << bits].iter_mut().for_each(|start| sum += std::mem::replace(start, sum));
            let spare = Shared(room.spare.as_mut_ptr());
            // SAFETY: every item has a place of its own among as many.
            unsafe { distribute(&room.items, shift, bits, &mut starts, spare) };
            std::mem::swap(&mut room.items, &mut room.spare);
        }
        packing.finish(&mut room.items, &room.keys);
    }
    packing.read(&room.items, elements, values, places);
}

/// Sorts a long line on all threads.
pub(super) fn sort_long<E: Keyed>(
    elements: &[E],
    values: &mut [E],
    places: &mut [i64],
    descending: bool,
    spread: Spread,
) -> Result<()> {
    let n = elements.len();
    let chunks = rayon::current_num_threads();
    let size = n.div_ceil(chunks);
    let part = |i: usize| (i * size).min(n)..((i + 1) * size).min(n);
    let each = |work: &(dyn Fn(usize) + Sync)| spread(chunks, size, &|range| range.for_each(work));
    let (mut keys, mut items, mut spare) = (vec![0u64; n], vec![0u64; n], vec![0u64; n]);
    let mut ends = vec![(u64::MAX, 0u64); chunks];
    let (at, to) = (Shared(keys.as_mut_ptr()), Shared(ends.as_mut_ptr()));
    each(&|i| {
        // SAFETY: chunks are disjoint.
        let keys = unsafe { at.part(part(i)) };
        write_keys(&elements[part(i)], keys);
        // SAFETY: each chunk has its own.
        unsafe { *to.at(i) = limits(keys) };
    })?;
    let limits = ends.iter().fold((u64::MAX, 0), |(low, high), end| (low.min(end.0), high.max(end.1)));
    let packing = Packing::new(limits, n, descending);
    let to = Shared(items.as_mut_ptr());
    // SAFETY: chunks are disjoint.
    each(&|i| packing.write(&keys[part(i)], i * size, unsafe { to.part(part(i)) }))?;
    for (shift, bits) in packing.digits(n) {
        let mut starts = vec![[0usize; 1 << 11]; chunks];
        let counts = Shared(starts.as_mut_ptr());
        // SAFETY: each chunk has its own counts.
        each(&|i| count(&items[part(i)], shift, bits, unsafe { &mut *counts.at(i) }))?;
        let mut sum = 0;
        for digit in 0..1 << bits {
            starts.iter_mut().for_each(|starts| sum += std::mem::replace(&mut starts[digit], sum));
        }
        let (counts, to) = (Shared(starts.as_mut_ptr()), Shared(spare.as_mut_ptr()));
        // SAFETY: every item has a place of its own among as many, by its digit, its chunk and its place there.
        each(&|i| unsafe { distribute(&items[part(i)], shift, bits, &mut *counts.at(i), to) })?;
        std::mem::swap(&mut items, &mut spare);
    }
    packing.finish(&mut items, &keys);
    let (values, places) = (Shared(values.as_mut_ptr()), Shared(places.as_mut_ptr()));
    each(&|i| {
        // SAFETY: chunks are disjoint.
        let (values, places) = unsafe { (values.part(part(i)), places.part(part(i))) };
        packing.read(&items[part(i)], elements, values, places);
    })
}

/// Counts how often each digit occurs.
fn count(items: &[u64], shift: u32, bits: u32, counts: &mut [usize; 1 << 11]) {
    let mask = (1usize << bits) - 1;
    for items in items.chunks(AT_ONCE).take_while(|_| !interrupt::is_raised()) {
        items.iter().for_each(|item| counts[(item >> shift) as usize & mask] += 1);
    }
}

/// Moves items to where the next one with their digit goes, or only some of them when a stop is asked for.
///
/// # Safety
/// The places that `starts` leads to are writable and nobody else's.
unsafe fn distribute(items: &[u64], shift: u32, bits: u32, starts: &mut [usize; 1 << 11], to: Shared<u64>) {
    let mask = (1usize << bits) - 1;
    for items in items.chunks(AT_ONCE).take_while(|_| !interrupt::is_raised()) {
        for item in items {
            let start = &mut starts[(item >> shift) as usize & mask & ((1 << 11) - 1)];
            // SAFETY: the caller's promise.
            unsafe { *to.at(*start) = *item };
            *start += 1;
        }
    }
}
