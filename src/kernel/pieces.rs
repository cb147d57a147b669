//! Pieces of a result that are worked out apart from each other: by one thread where they are few, else by all.

use rayon::prelude::*;

/// Work, counted in steps of about a nanosecond, that is not worth a thread of its own.
const GRAIN: usize = 1 << 15;

/// Lets `f` fill each piece of `size` elements, which costs it `cost` steps; it is told the number of the piece.
pub fn each<T: Send>(to: &mut [T], size: usize, cost: usize, f: impl Fn(usize, &mut [T]) + Sync + Send) {
    let (size, cost) = (size.max(1), cost.max(1));
    let count = to.len().div_ceil(size);
    if count < 2 || count.saturating_mul(cost) <= GRAIN {
        to.chunks_mut(size).enumerate().for_each(|(number, piece)| f(number, piece));
    } else {
        let pieces = to.par_chunks_mut(size).enumerate().with_min_len((GRAIN / cost).max(1));
        pieces.for_each(|(number, piece)| f(number, piece));
    }
}

/// As [`each`], of two results with as many pieces.
pub fn each_of_two<T: Send, U: Send>(
    (to, size): (&mut [T], usize),
    (other, width): (&mut [U], usize),
    cost: usize,
    f: impl Fn(usize, &mut [T], &mut [U]) + Sync + Send,
) {
    let (size, width, cost) = (size.max(1), width.max(1), cost.max(1));
    let count = to.len().div_ceil(size);
    if count < 2 || count.saturating_mul(cost) <= GRAIN {
        to.chunks_mut(size).zip(other.chunks_mut(width)).enumerate().for_each(|(number, (to, other))| f(number, to, other));
    } else {
        let pieces = to.par_chunks_mut(size).zip(other.par_chunks_mut(width)).enumerate();
        pieces.with_min_len((GRAIN / cost).max(1)).for_each(|(number, (to, other))| f(number, to, other));
    }
}
