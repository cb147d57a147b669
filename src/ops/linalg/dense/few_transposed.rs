//! Systems of few real unknowns with the transpose of a decomposition, with the order of additions and the roundings of the library
//! behind PyTorch: gradients of solutions are such, and `X A = B`. A right side is lessened by some products at once, whose sum is
//! rounded for itself, and by the others one after the other.

use super::Matrix;
use super::field::Field;
use super::small::FEW;
use crate::kernel::blas::less;
use crate::kernel::follows_intel;
use crate::kernel::halves::in_halves;
use std::ops::Range;

/// Vectors of the widest loop.
const WIDEST: usize = 8;

/// Products that are added up before they are subtracted.
struct Block {
    /// How many.
    count: usize,
    /// In so many lanes, a power of two.
    lanes: usize,
}

/// Solves `Aᵀ x = b` in place for the columns of `b`, given the triangles of A; rows are not exchanged.
pub fn solve<T: Field>(packed: &Matrix<T>, b: &mut Matrix<T>) {
    let n = packed.nrows();
    for x in b.as_mut_slice().chunks_mut(n.max(1)) {
        for k in 0..n {
            let (rest, pivot) = (lessened(packed, x, k, 0..k), packed[(k, k)]);
            x[k] = if n == FEW { rest.over(pivot) } else { rest * T::one().over(pivot) };
        }
        (0..n).rev().for_each(|k| x[k] = lessened(packed, x, k, k + 1..n));
    }
}

/// A right side `x[k]` less what the known ones take of it.
fn lessened<T: Field>(packed: &Matrix<T>, x: &[T], k: usize, known: Range<usize>) -> T {
    let (n, is_first) = (packed.nrows(), known.start == 0);
    let mut terms: Vec<(T, T)> = known.map(|i| (packed[(i, k)], x[i])).collect();
    let is_chain = !is_first && n < FEW;
    match terms.len() {
        0 | 1 => {}
        _ if is_chain && follows_intel() => terms.swap(0, 1),
        _ if is_chain => terms.rotate_left(1),
        _ => {}
    }
    let block = Block::of::<T>(n, terms.len(), is_first);
    let (at_once, others) = terms.split_at(block.count);
    let left = if at_once.is_empty() { x[k] } else { x[k] - block.sum(at_once, is_chain && follows_intel()) };
    others.iter().fold(left, |left, (a, x)| less(left, *a, *x))
}

impl Block {
    /// Of `terms` products in a system of `n` unknowns; of the first triangle, or of the second.
    fn of<T: Field>(n: usize, terms: usize, is_first: bool) -> Block {
        let in_lanes = |lanes: usize| Block { count: terms / lanes * lanes, lanes };
        let at_most = |count: usize| Block { count: if terms < 2 { 0 } else { count.min(terms) }, lanes: 1 };
        match (follows_intel(), is_first, n) {
            (true, _, FEW) => Block { count: terms, lanes: WIDEST },
            (true, true, 7) => Block { lanes: WIDEST, ..at_most(terms) },
            (true, true, 5 | 6) => in_lanes(4),
            (true, true, _) => at_most(2),
            (false, true, 0..=4) | (_, false, 0..FEW) => at_most(terms),
            _ if size_of::<T>() == 4 && n != 7 => in_lanes(4),
            _ => in_lanes(2),
        }
    }

    /// The sum of products, each of which is rounded, or all but the first of which are not.
    fn sum<T: Field>(&self, terms: &[(T, T)], fused: bool) -> T {
        let product = |(a, x): &(T, T)| *a * *x;
        if self.lanes == 1 {
            let (first, others) = terms.split_first().map_or((T::zero(), terms), |(first, others)| (product(first), others));
            return others.iter().fold(first, |sum, term| if fused { sum.plus(term.0, term.1) } else { sum + product(term) });
        }
        let mut lanes = [T::zero(); WIDEST];
        for (i, term) in terms.iter().enumerate() {
            let (lane, value) = (&mut lanes[i % self.lanes], product(term));
            *lane = if i < self.lanes { value } else { *lane + value };
        }
        in_halves(&mut lanes[..self.lanes], |a, b| a + b)
    }
}
