//! From index to cell and back: walking a tensor's cells in order, and finding who looks at a cell.

use super::{Dims, Layout};
use num_integer::Integer;

/// The cells of a layout in index order, the last dimension fastest.
#[derive(Clone, Debug)]
pub struct Cells<'a> {
    layout: &'a Layout,
    index: Dims,
    cell: i64,
    left: i64,
}

impl Iterator for Cells<'_> {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let cell = self.cell;
        if self.left > 0 {
            self.advance();
        }
        Some(cell)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl ExactSizeIterator for Cells<'_> {}

impl Cells<'_> {
    /// Moves to the next index, carrying into the dimensions before.
    fn advance(&mut self) {
        for k in (0..self.index.len()).rev() {
            self.index[k] += 1;
            self.cell += self.layout.strides[k];
            if self.index[k] < self.layout.sizes[k] {
                return;
            }
            self.cell -= self.layout.sizes[k] * self.layout.strides[k];
            self.index[k] = 0;
        }
    }
}

impl Layout {
    /// Every cell in index order.
    pub fn cells(&self) -> Cells<'_> {
        Cells { layout: self, index: Dims::from_elem(0, self.ndim()), cell: self.offset, left: self.numel() }
    }

    /// The index of element number `n` in index order; `n` must be below the number of elements.
    pub fn nth_index(&self, n: i64) -> Dims {
        let mut index = Dims::from_elem(0, self.ndim());
        let mut rest = n;
        for (k, &size) in self.sizes.iter().enumerate().rev() {
            index[k] = rest % size.max(1);
            rest /= size.max(1);
        }
        index
    }

    /// The cell of element number `n` in index order; `n` must be below the number of elements.
    pub fn nth_cell(&self, n: i64) -> i64 {
        self.address(&self.nth_index(n))
    }

    /// The indices that reach a cell, in index order, at most `limit` of them. Solved from the strides, dimension by
    /// dimension, without walking the elements: at each one only those steps are tried from which the rest can still hit.
    pub fn indices_at(&self, cell: i64, limit: usize) -> Vec<Dims> {
        if self.sizes.contains(&0) || limit == 0 {
            return vec![];
        }
        let mut search = Search::new(self, limit);
        search.search_from(0, cell - self.offset);
        search.found
    }

    /// True when some index reaches the cell.
    pub fn reaches(&self, cell: i64) -> bool {
        !self.indices_at(cell, 1).is_empty()
    }
}

/// A search for the indices of one cell. `rest[k]` tells which distances dimensions `k..` can cover at all.
struct Search<'a> {
    layout: &'a Layout,
    rest: Vec<Cover>,
    index: Dims,
    limit: usize,
    found: Vec<Dims>,
}

/// The distances some dimensions can cover lie between `low` and `high` and are multiples of `divisor` (0: only 0).
#[derive(Clone, Copy)]
struct Cover {
    low: i64,
    high: i64,
    divisor: i64,
}

impl Cover {
    fn may_reach(self, distance: i64) -> bool {
        let multiple = if self.divisor == 0 { distance == 0 } else { distance % self.divisor == 0 };
        multiple && self.low <= distance && distance <= self.high
    }

    /// The counts of steps of `stride` that leave a multiple of the divisor: a phase and a period. `distance` must be a
    /// multiple of the greatest common divisor of both.
    fn steps_that_fit(self, distance: i64, stride: i64) -> (i64, i64) {
        if self.divisor == 0 {
            return (0, 1);
        }
        let bezout = stride.extended_gcd(&self.divisor);
        let period = self.divisor / bezout.gcd;
        let phase = (distance / bezout.gcd) as i128 * bezout.x as i128;
        (phase.rem_euclid(period as i128) as i64, period)
    }
}

impl<'a> Search<'a> {
    fn new(layout: &'a Layout, limit: usize) -> Search<'a> {
        let mut rest = vec![Cover { low: 0, high: 0, divisor: 0 }; layout.ndim() + 1];
        for k in (0..layout.ndim()).rev() {
            let reach = (layout.sizes[k] - 1) * layout.strides[k];
            let divisor = if reach == 0 { 0 } else { layout.strides[k].abs() };
            let after = rest[k + 1];
            rest[k] =
                Cover { low: after.low + reach.min(0), high: after.high + reach.max(0), divisor: after.divisor.gcd(&divisor) };
        }
        Search { layout, rest, index: Dims::from_elem(0, layout.ndim()), limit, found: vec![] }
    }

    /// Tries every index of dimension `k` from which the dimensions after it can still cover the distance.
    fn search_from(&mut self, k: usize, distance: i64) {
        if self.found.len() >= self.limit || !self.rest[k].may_reach(distance) {
            return;
        }
        if k == self.layout.ndim() {
            self.found.push(self.index.clone());
            return;
        }
        let (size, stride, after) = (self.layout.sizes[k], self.layout.strides[k], self.rest[k + 1]);
        let (first, last) = match stride {
            0 => (0, size - 1),
            1.. => (div_ceil(distance - after.high, stride), (distance - after.low).div_euclid(stride)),
            _ => (div_ceil(after.low - distance, -stride), (after.high - distance).div_euclid(-stride)),
        };
        let (phase, period) = after.steps_that_fit(distance, stride);
        let first = first.max(0);
        let first = first + (phase - first).rem_euclid(period);
        for i in (first..=last.min(size - 1)).step_by(period as usize) {
            self.index[k] = i;
            self.search_from(k + 1, distance - i * stride);
            if self.found.len() >= self.limit {
                return;
            }
        }
        self.index[k] = 0;
    }
}

/// `a / b` rounded up, for `b > 0`.
fn div_ceil(a: i64, b: i64) -> i64 {
    -(-a).div_euclid(b)
}
