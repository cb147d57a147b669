//! Borders of one number around the elements of a tensor.

use super::pieces::each;

/// Elements that are written before the place of a line is worked out anew.
const PIECE: usize = 1 << 12;

/// Fills `to`, which has `before` and then `after` elements more than `from` around each of its dimensions, with `value` there.
pub fn around<E: Copy + Send + Sync>(from: &[E], sizes: &[usize], before: &[usize], after: &[usize], value: E, to: &mut [E]) {
    let Some((inner, outer)) = sizes.split_last() else { return to.copy_from_slice(from) };
    let (left, wide) = (before[outer.len()], inner + before[outer.len()] + after[outer.len()]);
    let lines = (PIECE / wide.max(1)).max(1);
    each(to, lines * wide, lines * (wide / 8 + 8), |piece, to| {
        let mut places = Places::new(outer, before, after, piece * lines);
        for to in to.chunks_mut(wide) {
            match places.next_line() {
                None => to.fill(value),
                Some(at) => {
                    to[..left].fill(value);
                    to[left..left + inner].copy_from_slice(&from[at * inner..][..*inner]);
                    to[left + inner..].fill(value);
                }
            }
        }
    });
}

/// Where lines of the result are in all dimensions but the last, one after the other.
struct Places<'a> {
    outer: &'a [usize],
    before: &'a [usize],
    after: &'a [usize],
    index: Vec<usize>,
}

impl<'a> Places<'a> {
    fn new(outer: &'a [usize], before: &'a [usize], after: &'a [usize], line: usize) -> Self {
        let (mut index, mut rest) = (vec![0; outer.len()], line);
        for d in (0..outer.len()).rev() {
            let size = outer[d] + before[d] + after[d];
            (index[d], rest) = (rest % size, rest / size);
        }
        Places { outer, before, after, index }
    }

    /// The line of the input that this line of the result holds, unless it is all border; and on to the next.
    fn next_line(&mut self) -> Option<usize> {
        let mut found = Some(0);
        for ((size, before), place) in self.outer.iter().zip(self.before).zip(&self.index) {
            let place = place.wrapping_sub(*before);
            found = found.filter(|_| place < *size).map(|at| at * size + place);
        }
        for d in (0..self.index.len()).rev() {
            self.index[d] += 1;
            if self.index[d] < self.outer[d] + self.before[d] + self.after[d] {
                break;
            }
            self.index[d] = 0;
        }
        found
    }
}
