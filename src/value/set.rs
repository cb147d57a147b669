//! The elements of a set, in CPython's order.
//!
//! A set of numbers prints in an order that users see and that depends only on the numbers and on what was done to the set, so
//! this is CPython's own open-addressing scheme: linear probes, then jumps by the perturbed hash. Where CPython's order changes
//! from run to run (a str has another hash in each process), elements stay in the order of insertion instead.

use super::Key;
use super::hash::is_reproducible;

const LEAST: usize = 8;
const LINEAR_PROBES: usize = 9;
const PERTURB_SHIFT: u32 = 5;
const LARGE: usize = 50_000;

/// The entries of a set.
#[derive(Clone)]
pub struct Set {
    slots: Vec<Slot>,
    entries: Vec<Option<Entry>>,
    /// Slots that are not empty.
    fill: usize,
    used: usize,
    /// Elements whose hash CPython draws anew in each process.
    shuffled: usize,
    finger: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Slot {
    Empty,
    Removed,
    At(u32),
}

#[derive(Clone)]
struct Entry {
    hash: i64,
    key: Key,
}

enum Probe {
    Found(usize),
    Free(usize),
}

impl Default for Set {
    fn default() -> Set {
        Set { slots: vec![Slot::Empty; LEAST], entries: vec![], fill: 0, used: 0, shuffled: 0, finger: 0 }
    }
}

impl Set {
    /// An empty set.
    pub fn new() -> Set {
        Set::default()
    }

    /// How many elements.
    pub fn len(&self) -> usize {
        self.used
    }

    /// True when it holds none.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// True when it holds the element.
    pub fn contains(&self, key: &Key) -> bool {
        matches!(self.probe(key.hash(), Some(key)), Probe::Found(_))
    }

    /// Adds an element; false when it was there (the old one stays, as in Python).
    pub fn insert(&mut self, key: Key) -> bool {
        let hash = key.hash();
        let Probe::Free(slot) = self.probe(hash, Some(&key)) else { return false };
        self.place(slot, Entry { hash, key });
        if self.fill * 5 >= (self.slots.len() - 1) * 3 {
            self.resize(self.growth());
        }
        true
    }

    /// Takes an element out; none when it was not there.
    pub fn remove(&mut self, key: &Key) -> Option<Key> {
        match self.probe(key.hash(), Some(key)) {
            Probe::Found(slot) => self.take(slot),
            Probe::Free(_) => None,
        }
    }

    /// Takes out the element that `set.pop()` gives.
    pub fn pop(&mut self) -> Option<Key> {
        if self.used == 0 {
            return None;
        }
        if self.shuffled > 0 {
            while let Some(None) = self.entries.last() {
                self.entries.pop();
            }
            let last = self.entries.last()?.as_ref()?.key.clone();
            return self.remove(&last);
        }
        let n = self.slots.len();
        let start = self.finger % n;
        let slot = (0..n).map(|i| (start + i) % n).find(|i| matches!(self.slots[*i], Slot::At(_)))?;
        self.finger = slot + 1;
        self.take(slot)
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        *self = Set::default();
    }

    /// The elements in order.
    pub fn iter(&self) -> Iter<'_> {
        Iter { set: self, place: 0 }
    }

    /// The first element at or after a place and the place after it, for iterators that outlive a borrow. Start with 0.
    pub fn next_from(&self, place: usize) -> Option<(usize, &Key)> {
        if self.shuffled > 0 {
            let rest = self.entries.get(place..)?;
            return rest.iter().enumerate().find_map(|(i, e)| e.as_ref().map(|e| (place + i + 1, &e.key)));
        }
        let rest = self.slots.get(place..)?;
        rest.iter().enumerate().find_map(|(i, slot)| self.entry(*slot).map(|e| (place + i + 1, &e.key)))
    }

    /// Makes room for `count` more elements the way `set.update` does, which decides the order.
    pub fn make_room(&mut self, count: usize) {
        if (self.fill + count) * 5 >= (self.slots.len() - 1) * 3 {
            self.resize((self.used + count) * 2);
        }
    }

    /// Adds the elements of another set: `self |= other`.
    pub fn merge(&mut self, other: &Set) {
        self.make_room(other.used);
        if self.fill == 0 && self.slots.len() == other.slots.len() && other.fill == other.used {
            *self = Set { finger: 0, ..other.clone() };
            return;
        }
        other.iter().for_each(|key| {
            self.insert(key.clone());
        });
    }

    /// Shrinks after many removals, as `difference_update` does at its end.
    pub fn sweep(&mut self) {
        if self.fill - self.used > (self.slots.len() - 1) / 4 {
            self.resize(self.growth());
        }
    }

    fn growth(&self) -> usize {
        if self.used > LARGE { self.used * 2 } else { self.used * 4 }
    }

    fn entry(&self, slot: Slot) -> Option<&Entry> {
        match slot {
            Slot::At(i) => self.entries.get(i as usize).and_then(Option::as_ref),
            Slot::Empty | Slot::Removed => None,
        }
    }

    /// Where an element is or would go. Without a key it is known to be absent, and only its hash counts.
    fn probe(&self, hash: i64, key: Option<&Key>) -> Probe {
        let mask = self.slots.len() - 1;
        let (mut perturb, mut i) = (hash as u64, hash as usize & mask);
        loop {
            let last = if i + LINEAR_PROBES <= mask { i + LINEAR_PROBES } else { i };
            for slot in i..=last {
                match self.slots[slot] {
                    Slot::Empty => return Probe::Free(slot),
                    Slot::Removed => {}
                    at => {
                        let same = |e: &Entry| key.is_some_and(|k| e.hash == hash && e.key == *k);
                        if self.entry(at).is_some_and(same) {
                            return Probe::Found(slot);
                        }
                    }
                }
            }
            perturb >>= PERTURB_SHIFT;
            i = i.wrapping_mul(5).wrapping_add(1).wrapping_add(perturb as usize) & mask;
        }
    }

    fn place(&mut self, slot: usize, entry: Entry) {
        self.shuffled += !is_reproducible(entry.key.value()) as usize;
        self.slots[slot] = Slot::At(self.entries.len() as u32);
        self.entries.push(Some(entry));
        self.fill += 1;
        self.used += 1;
    }

    fn take(&mut self, slot: usize) -> Option<Key> {
        let Slot::At(i) = self.slots[slot] else { return None };
        let entry = self.entries.get_mut(i as usize)?.take()?;
        self.slots[slot] = Slot::Removed;
        self.used -= 1;
        self.shuffled -= !is_reproducible(entry.key.value()) as usize;
        Some(entry.key)
    }

    /// A table for more than `wanted` elements, filled in the order of the old one.
    fn resize(&mut self, wanted: usize) {
        let size = (wanted + 1).next_power_of_two().max(LEAST);
        let mut old = std::mem::take(self);
        self.slots = vec![Slot::Empty; size];
        self.finger = old.finger;
        let order: Vec<usize> = if old.shuffled > 0 {
            (0..old.entries.len()).collect()
        } else {
            old.slots.iter().filter_map(|s| if let Slot::At(i) = s { Some(*i as usize) } else { None }).collect()
        };
        for entry in order.into_iter().filter_map(|i| old.entries.get_mut(i).and_then(Option::take)) {
            if let Probe::Free(slot) = self.probe(entry.hash, None) {
                self.place(slot, entry);
            }
        }
    }
}

impl FromIterator<Key> for Set {
    fn from_iter<I: IntoIterator<Item = Key>>(keys: I) -> Set {
        let mut set = Set::new();
        set.extend(keys);
        set
    }
}

impl Extend<Key> for Set {
    fn extend<I: IntoIterator<Item = Key>>(&mut self, keys: I) {
        for key in keys {
            self.insert(key);
        }
    }
}

/// The elements of a set in order.
pub struct Iter<'a> {
    set: &'a Set,
    place: usize,
}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a Key;

    fn next(&mut self) -> Option<&'a Key> {
        let (place, key) = self.set.next_from(self.place)?;
        self.place = place;
        Some(key)
    }
}

impl<'a> IntoIterator for &'a Set {
    type Item = &'a Key;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    fn order(set: &Set) -> Vec<i64> {
        let number = |k: &Key| if let Value::Int(i) = k.value() { *i } else { unreachable!("only ints are put in") };
        set.iter().map(number).collect()
    }

    fn ints(numbers: &[i64]) -> Set {
        numbers.iter().map(|i| Key::from(*i)).collect()
    }

    /// Recorded from CPython 3.11.
    #[test]
    fn ints_print_in_cpythons_order() {
        assert_eq!(order(&ints(&[5, 3, 1])), [1, 3, 5]);
        assert_eq!(order(&ints(&[100, 20, 3, -7])), [-7, 3, 100, 20]);
        assert_eq!(order(&ints(&[64, 32, 16, 8, 0, 1, -1, -2])), [64, 32, 0, 1, 8, 16, -2, -1]);
        assert_eq!(
            order(&(0..30).map(|i| Key::from(i * 37 % 101)).collect()),
            [0, 3, 6, 10, 13, 16, 20, 23, 26, 30, 33, 37, 40, 43, 47, 50, 53, 57, 60, 63, 67, 70, 74, 77, 80, 84, 87, 90, 94, 97]
        );
    }

    #[test]
    fn removal_keeps_places_and_pop_walks() {
        let mut set = ints(&[10, 20, 30, 40]);
        set.remove(&Key::from(20));
        set.insert(Key::from(28));
        assert_eq!(order(&set), [40, 10, 28, 30]);
        let popped = [set.pop(), set.pop()].map(|k| order(&k.into_iter().collect()));
        assert_eq!(popped, [vec![40], vec![10]]);
    }
}
