//! Convolutions: products of weights with the cells of windows. The cells of some windows are copied at a time, so that they stay in
//! the cache until they are multiplied, and take little room.

use super::element::Element;
use super::matmul::{Matrix, Part, Product, multiply};
use super::pools::{Windows, put_cells};
use super::shared::Shared;
use crate::interrupt;
use num_traits::Zero;
use rayon::prelude::*;
use smallvec::smallvec;

/// What is multiplied: for each example and each group, (rows, terms) weights with the (terms, windows) cells of its planes.
#[derive(Clone, Copy, Debug)]
pub struct Convolution<'a> {
    /// The windows over each plane.
    pub windows: &'a Windows,
    /// Examples.
    pub batch: usize,
    /// Groups of planes.
    pub groups: usize,
    /// Planes of a group.
    pub inside: usize,
    /// Results of a group.
    pub rows: usize,
    /// Terms are in the order of cells, then planes, as the weights are; else of planes, then cells.
    pub cells_first: bool,
}

/// Bytes of the cells that are multiplied at a time,
const ROOM: usize = 1 << 18;
/// in columns of at least so many windows,
const LEAST: usize = 256;
/// a multiple of this.
const UNIT: usize = 64;
/// Multiplications up to which one thread does all.
const ALONE: usize = 1 << 17;

impl Convolution<'_> {
    /// Products that are added up for each result.
    fn terms(&self) -> usize {
        self.inside * self.windows.cells()
    }

    /// Windows whose cells are copied at a time.
    fn width(&self, size: usize) -> usize {
        let (places, threads) = (self.windows.count(), rayon::current_num_threads());
        let fits = (ROOM / (self.terms() * size).max(1)).max(LEAST);
        let share = if self.batch * self.groups < threads { places.div_ceil(threads) } else { places };
        fits.min(share).next_multiple_of(UNIT).min(places)
    }

    /// Writes the results of each example and group, row by row. When Ctrl-C is pressed, the rest is left out.
    ///
    /// # Panics
    /// When a slice has another number of elements than the sizes say.
    pub fn run<T: Element + Zero>(&self, from: &[T], weight: &[T], to: &mut [T]) {
        let Self { windows: w, batch, groups, inside, rows, .. } = *self;
        let (places, terms, size) = (w.count(), self.terms(), size_of::<T>());
        let all = batch * groups;
        let fits = from.len() == all * inside * w.plane() && weight.len() == groups * rows * terms;
        assert!(fits && to.len() == all * rows * places, "the slices hold the planes, the weights and the results");
        let width = self.width(size);
        let matrix = |row: usize| Matrix { row: (row * size) as isize, column: size as isize };
        let product = Product {
            dtype: T::DTYPE,
            m: rows,
            n: places,
            k: terms,
            matrices: [matrix(places), matrix(terms), matrix(width)],
            batch: smallvec![[0; 3]],
            is_batch: true,
            is_widened: false,
            onto: false,
        };
        let (strips, to) = (places.div_ceil(width), Shared(to.as_mut_ptr()));
        let strip = |room: &mut Vec<T>, number: usize| {
            if interrupt::is_raised() {
                return;
            }
            let (example, first) = (number / strips, number % strips * width);
            let columns = first..(first + width).min(places);
            room.resize(terms * width, T::zero());
            let planes = &from[example * inside * w.plane()..];
            for (term, line) in room.chunks_exact_mut(width).enumerate() {
                let (plane, cell) = match self.cells_first {
                    true => (term % inside, term / inside),
                    false => (term / w.cells(), term % w.cells()),
                };
                let plane = &planes[plane * w.plane()..][..w.plane()];
                put_cells(w, plane, cell, columns.clone(), &mut line[..columns.len()]);
            }
            let at = [
                to.at(example * rows * places) as *mut u8,
                weight[example % groups * rows * terms..].as_ptr() as *mut u8,
                room.as_mut_ptr().wrapping_sub(first) as *mut u8,
            ];
            // SAFETY: the lengths were checked; the room holds these columns, from `first` on; strips have no results in common.
            unsafe { multiply(&product, 0, &Part { rows: 0..rows, columns }, &at) }
        };
        if all * rows * terms * places <= ALONE {
            let mut room = Vec::new();
            (0..all * strips).for_each(|number| strip(&mut room, number));
        } else {
            (0..all * strips).into_par_iter().for_each_init(Vec::new, strip);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::steps;

    /// Whole numbers without a pattern, so that sums are exact in any order.
    fn scattered(count: usize, step: usize) -> Vec<f32> {
        (0..count).map(|i| (i * step % 11) as f32 - 5.0).collect()
    }

    /// One result: the sum over the planes of its group and the cells of its window.
    fn by_hand(c: &Convolution, from: &[f32], weight: &[f32], number: usize) -> f32 {
        let (w, places) = (c.windows, c.windows.count());
        let (example, row, window) = (number / places / c.rows, number / places % c.rows, number % places);
        let mut sum = 0.0;
        for (plane, cell) in (0..c.inside).flat_map(|plane| (0..w.cells()).map(move |cell| (plane, cell))) {
            let mut line = [0.0];
            let at = &from[(example * c.inside + plane) * w.plane()..][..w.plane()];
            put_cells(w, at, cell, window..window + 1, &mut line);
            let term = if c.cells_first { cell * c.inside + plane } else { plane * w.cells() + cell };
            sum += line[0] * weight[(example % c.groups * c.rows + row) * c.terms() + term];
        }
        sum
    }

    #[test]
    fn every_result_is_the_sum_over_its_window() {
        let windows = |sizes: [usize; 3], out, kernel, step, pad, spread| Windows { sizes, out, kernel, step, pad, spread };
        let many = windows([1, 30, 40], [1, 30, 40], [1, 3, 3], [1; 3], [0, 1, 1], [1; 3]);
        let apart = windows([4, 9, 11], [2, 4, 6], [2, 3, 2], [2; 3], [0, 1, 1], [1, 2, 2]);
        for (windows, batch, groups, inside, rows) in [(&many, 1, 1, 2, 3), (&many, 2, 2, 3, 2), (&apart, 2, 1, 3, 4)] {
            for cells_first in [false, true] {
                let it = Convolution { windows, batch, groups, inside, rows, cells_first };
                let from = scattered(batch * groups * inside * windows.plane(), 7);
                let weight = scattered(groups * rows * it.terms(), 3);
                let mut to = vec![0.0; batch * groups * rows * windows.count()];
                it.run(&from, &weight, &mut to);
                for (number, found) in to.iter().enumerate().step_by(steps(1, 97)) {
                    assert_eq!(*found, by_hand(&it, &from, &weight, number), "result {number} of {it:?}");
                }
            }
        }
    }
}
