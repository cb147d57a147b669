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
use std::borrow::Cow;

/// In which order the products of a result are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By planes, then cells, as a product of matrices adds up.
    Product,
    /// By planes, then cells, one after the other.
    Chain,
    /// So many planes from zero at a time, by cells, then planes.
    Blocks(usize),
    /// The columns of a window, each from zero, by its rows, then planes.
    Columns,
}

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
    /// The order of the terms; weights lie by planes, then cells, whatever it is.
    pub order: Order,
    /// Whether sums are added to what the results hold, from the first on; not in the order of a product.
    pub added: bool,
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

    /// Terms that are summed from zero, where that is not up to the product.
    fn piece(&self) -> Option<usize> {
        match self.order {
            Order::Product => None,
            Order::Chain => Some(self.terms()),
            Order::Blocks(planes) => Some(planes * self.windows.cells()),
            Order::Columns => Some(self.terms() / self.windows.kernel[2]),
        }
    }

    /// The plane and the cell of a term.
    fn term(&self, term: usize) -> (usize, usize) {
        let (inside, cells, columns) = (self.inside, self.windows.cells(), self.windows.kernel[2]);
        match self.order {
            Order::Product | Order::Chain => (term / cells, term % cells),
            Order::Blocks(planes) => {
                let first = term / (planes * cells) * planes;
                let (at, planes) = (term % (planes * cells), planes.min(inside - first));
                (first + at % planes, at / planes)
            }
            Order::Columns => {
                let height = self.terms() / columns;
                (term % inside, term % height / inside * columns + term / height)
            }
        }
    }

    /// The weights in the order of the terms.
    fn arranged<'a, T: Copy>(&self, weight: &'a [T]) -> Cow<'a, [T]> {
        let (terms, cells) = (self.terms(), self.windows.cells());
        if cells == 1 || self.inside == 1 && self.order != Order::Columns || matches!(self.order, Order::Product | Order::Chain) {
            return Cow::Borrowed(weight);
        }
        let places: Vec<usize> = (0..terms).map(|term| self.term(term)).map(|(plane, cell)| plane * cells + cell).collect();
        weight.chunks_exact(terms).flat_map(|row| places.iter().map(|at| row[*at])).collect()
    }

    /// True where each window is one element, and each element a window: the planes are their cells.
    fn is_whole(&self) -> bool {
        let w = self.windows;
        w.cells() == 1 && w.step == [1; 3] && w.pad == [0; 3]
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
        let weight = &*self.arranged(weight);
        let is_whole = self.is_whole();
        let width = self.width(size);
        let across = if is_whole { places } else { width };
        let matrix = |row: usize| Matrix { row: (row * size) as isize, column: size as isize };
        let product = Product {
            dtype: T::DTYPE,
            m: rows,
            n: places,
            k: terms,
            matrices: [matrix(places), matrix(terms), matrix(across)],
            batch: smallvec![[0; 3]],
            is_batch: true,
            is_widened: false,
            onto: false,
            piece: self.piece(),
            added: self.added,
        };
        let (strips, to) = (places.div_ceil(width), Shared(to.as_mut_ptr()));
        let strip = |room: &mut Vec<T>, number: usize| {
            if interrupt::is_raised() {
                return;
            }
            let (example, first) = (number / strips, number % strips * width);
            let columns = first..(first + width).min(places);
            let planes = &from[example * inside * w.plane()..][..inside * w.plane()];
            if !is_whole {
                room.resize(terms * width, T::zero());
                for (term, line) in room.chunks_exact_mut(width).enumerate() {
                    let (plane, cell) = self.term(term);
                    let plane = &planes[plane * w.plane()..][..w.plane()];
                    put_cells(w, plane, cell, columns.clone(), &mut line[..columns.len()]);
                }
            }
            let cells = if is_whole { planes.as_ptr() } else { room.as_ptr().wrapping_sub(first) };
            let at = [
                to.at(example * rows * places) as *mut u8,
                weight[example % groups * rows * terms..].as_ptr() as *mut u8,
                cells as *mut u8,
            ];
            // SAFETY: the lengths were checked; planes hold all columns, and the room these, from `first` on; strips have no results in
            // common, and what is multiplied is only read.
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
            let term = plane * w.cells() + cell;
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
            for order in [Order::Product, Order::Chain, Order::Blocks(2), Order::Blocks(16), Order::Columns] {
                let it = Convolution { windows, batch, groups, inside, rows, order, added: false };
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
