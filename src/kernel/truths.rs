//! Where truth values are true.

use rayon::prelude::*;

/// Truth values that one thread looks at in one go.
const PIECE: usize = 1 << 14;

/// The places of the true ones among some truth values, bytes that are 0 or not, in order.
pub fn places(truths: &[u8]) -> Vec<i64> {
    let count = |piece: &[u8]| piece.iter().map(|truth| (*truth != 0) as usize).sum::<usize>();
    if truths.len() <= PIECE {
        let mut found = vec![0; count(truths)];
        fill(truths, 0, &mut found);
        return found;
    }
    let counts: Vec<usize> = truths.par_chunks(PIECE).map(count).collect();
    let mut found = vec![0; counts.iter().sum()];
    let mut rest = found.as_mut_slice();
    let mut parts = Vec::with_capacity(counts.len());
    for count in counts {
        let (part, others) = rest.split_at_mut(count);
        parts.push(part);
        rest = others;
    }
    truths.par_chunks(PIECE).zip(parts).enumerate().for_each(|(i, (piece, part))| fill(piece, i * PIECE, part));
    found
}

/// Writes the places of the true ones, the first of which would be `start`. Without a branch on what is seen: each place is
/// written, and counts when it is true.
fn fill(truths: &[u8], start: usize, places: &mut [i64]) {
    let mut count = 0;
    for (i, truth) in truths.iter().enumerate() {
        let Some(place) = places.get_mut(count) else { break };
        *place = (start + i) as i64;
        count += (*truth != 0) as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::steps;

    #[test]
    fn places_of_long_and_short_masks_are_those_of_a_plain_loop() {
        for len in [0, 1, 7, PIECE, PIECE + 1, 3 * PIECE + 11].into_iter().take(steps(6, 3)) {
            for modulus in [1, 2, 7, len.max(1)] {
                let truths: Vec<u8> = (0..len).map(|i| (i * i % 11 % modulus == 0) as u8).collect();
                let plain: Vec<i64> = (0..len as i64).filter(|i| truths[*i as usize] == 1).collect();
                assert_eq!(places(&truths), plain, "{len} by {modulus}");
            }
        }
    }
}
