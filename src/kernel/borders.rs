//! Borders of one number around the elements of a tensor.

use super::pieces::each;

/// Fills `to`, which has `before` and then `after` elements more than `from` around each of its dimensions, with `value` there.
pub fn around<E: Copy + Send + Sync>(from: &[E], sizes: &[usize], before: &[usize], after: &[usize], value: E, to: &mut [E]) {
    let Some((inner, outer)) = sizes.split_last() else { return to.copy_from_slice(from) };
    let (left, wide) = (before[outer.len()], inner + before[outer.len()] + after[outer.len()]);
    each(to, wide, wide / 8 + 8, |line, to| {
        // The line of the input, unless this one is all border.
        let (mut rest, mut at, mut reach) = (line, 0, 1);
        for d in (0..outer.len()).rev() {
            let size = outer[d] + before[d] + after[d];
            let place = (rest % size).wrapping_sub(before[d]);
            if place >= outer[d] {
                return to.fill(value);
            }
            (rest, at, reach) = (rest / size, at + place * reach, reach * outer[d]);
        }
        to[..left].fill(value);
        to[left..left + inner].copy_from_slice(&from[at * inner..][..*inner]);
        to[left + inner..].fill(value);
    });
}
