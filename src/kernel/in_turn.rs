//! Convolutions of few planes whose products are added one after the other, each unrounded, as PyTorch's library for them does: by the
//! cells of a window, and of each cell by the planes. On their way back they are added by windows, or by cells and results.

use super::isa::{pick, versions};
use super::pieces::each;
use super::pools::{Windows, put_cells};

/// A convolution of one group.
#[derive(Clone, Copy, Debug)]
pub struct InTurn<'a> {
    /// The windows over each plane.
    pub windows: &'a Windows,
    /// Examples.
    pub batch: usize,
    /// Planes of an example.
    pub inside: usize,
    /// Results of an example.
    pub rows: usize,
}

/// Sums that are kept in registers.
const LANES: usize = 32;

/// Windows whose cells are brought together at a time.
const STRETCH: usize = 64;

impl InTurn<'_> {
    /// Products that are added up for each result.
    fn terms(&self) -> usize {
        self.inside * self.windows.cells()
    }

    /// The cells of an example: a line of windows for each term.
    fn lines(&self, from: &[f32]) -> Vec<f32> {
        let (w, places) = (self.windows, self.windows.count());
        let mut lines = vec![0.0; self.terms() * places];
        for (term, line) in lines.chunks_exact_mut(places).enumerate() {
            let (plane, cell) = (term % self.inside, term / self.inside);
            put_cells(w, &from[plane * w.plane()..][..w.plane()], cell, 0..places, line);
        }
        lines
    }

    /// The results of all examples; weights are in the order of cells, then planes.
    pub fn run(&self, from: &[f32], weight: &[f32], to: &mut [f32]) {
        let (w, places, terms) = (self.windows, self.windows.count(), self.terms());
        let cost = self.rows * terms * places;
        each(to, self.rows * places, cost, |example, to| {
            let lines = self.lines(&from[example * self.inside * w.plane()..]);
            for (row, to) in to.chunks_exact_mut(places).enumerate() {
                // SAFETY: slices; the instructions are those of this machine.
                unsafe { pick(sum_versions())(&weight[row * terms..][..terms], &lines, to) };
            }
        });
    }

    /// The gradient of the weights, in their order.
    pub fn weights(&self, grad: &[f32], from: &[f32]) -> Vec<f32> {
        let (w, places, terms) = (self.windows, self.windows.count(), self.terms());
        let (mut sums, mut columns) = (vec![0.0; self.rows * terms], vec![0.0; places * terms]);
        for example in 0..self.batch {
            let lines = self.lines(&from[example * self.inside * w.plane()..]);
            each(&mut columns, STRETCH * terms, STRETCH * terms, |number, columns| {
                for (k, column) in columns.chunks_exact_mut(terms).enumerate() {
                    for (x, line) in column.iter_mut().zip(lines.chunks_exact(places)) {
                        *x = line[number * STRETCH + k];
                    }
                }
            });
            each(&mut sums, terms, terms * places, |row, to| {
                let grad = &grad[(example * self.rows + row) * places..][..places];
                // SAFETY: as above.
                unsafe { pick(more_versions())(grad, &columns, to) };
            });
        }
        let cells = w.cells();
        let place = |k: usize| k / terms * terms + k % cells * self.inside + k % terms / cells;
        (0..sums.len()).map(|k| sums[place(k)]).collect()
    }

    /// The gradient of the offsets.
    pub fn offsets(&self, grad: &[f32]) -> Vec<f32> {
        let (rows, places) = (self.rows, self.windows.count());
        let lines = |row: usize| (0..self.batch).flat_map(move |n| &grad[(n * rows + row) * places..][..places]);
        let mut sums = vec![0.0; rows];
        each(&mut sums, 1, self.batch * places, |row, to| to[0] = lines(row).fold(0.0, |sum, x| sum + x));
        sums
    }

    /// The gradient of the input; `weight` is in its own order.
    pub fn inputs(&self, grad: &[f32], weight: &[f32], to: &mut [f32]) {
        let (w, places, cells) = (self.windows, self.windows.count(), self.windows.cells());
        let size = self.inside * w.plane();
        each(to, size, self.rows * self.terms() * places, |example, to| {
            let grad = &grad[example * self.rows * places..][..self.rows * places];
            for cell in 0..cells {
                for (row, grad) in grad.chunks_exact(places).enumerate() {
                    for (plane, to) in to.chunks_exact_mut(w.plane()).enumerate() {
                        self.spread(weight[(row * self.inside + plane) * cells + cell], cell, grad, to);
                    }
                }
            }
        });
    }

    /// Adds a weight times the gradient of each window to the element that is this cell of it.
    fn spread(&self, weight: f32, cell: usize, grad: &[f32], to: &mut [f32]) {
        let w = self.windows;
        let [high, wide] = [w.kernel[1], w.kernel[2]];
        let cell = [cell / (high * wide), cell / wide % high, cell % wide];
        let (first, behind) = w.inside(cell[2]);
        for (line, grad) in grad.chunks_exact(w.out[2]).enumerate() {
            let (Some(layer), Some(row), true) =
                (w.place(0, line / w.out[1], cell[0]), w.place(1, line % w.out[1], cell[1]), first < behind)
            else {
                continue;
            };
            let start = (layer * w.sizes[1] + row) * w.sizes[2] + first * w.step[2] + cell[2] * w.spread[2] - w.pad[2];
            // SAFETY: slices; the instructions are those of this machine.
            unsafe { pick(spread_versions())(weight, &grad[first..behind], &mut to[start..], w.step[2]) };
        }
    }
}

versions! { fn sum_versions<>(weight: &[f32], lines: &[f32], to: &mut [f32]) = sum }

/// Each result is the sum of weights times what stands at its place in the lines.
#[inline(always)]
unsafe fn sum(weight: &[f32], lines: &[f32], to: &mut [f32]) {
    let places = to.len();
    for (number, to) in to.chunks_mut(LANES).enumerate() {
        let mut sums = [0.0; LANES];
        for (w, line) in weight.iter().zip(lines.chunks_exact(places)) {
            match line[number * LANES..].first_chunk::<LANES>() {
                Some(xs) => {
                    for k in 0..LANES {
                        sums[k] = w.mul_add(xs[k], sums[k]);
                    }
                }
                None => {
                    for (sum, x) in sums.iter_mut().zip(&line[number * LANES..]) {
                        *sum = w.mul_add(*x, *sum);
                    }
                }
            }
        }
        to.copy_from_slice(&sums[..to.len()]);
    }
}

versions! { fn more_versions<>(grad: &[f32], columns: &[f32], to: &mut [f32]) = more }

/// Adds to each sum what stands at its place in the columns, times the gradient of each column.
#[inline(always)]
unsafe fn more(grad: &[f32], columns: &[f32], to: &mut [f32]) {
    let terms = to.len();
    for (g, column) in grad.iter().zip(columns.chunks_exact(terms)) {
        for (sum, x) in to.iter_mut().zip(column) {
            *sum = x.mul_add(*g, *sum);
        }
    }
}

versions! { fn spread_versions<>(weight: f32, grad: &[f32], to: &mut [f32], step: usize) = spread_line }

#[inline(always)]
unsafe fn spread_line(weight: f32, grad: &[f32], to: &mut [f32], step: usize) {
    if step == 1 {
        for (x, g) in to.iter_mut().zip(grad) {
            *x = weight.mul_add(*g, *x);
        }
    } else {
        for (x, g) in to.iter_mut().step_by(step).zip(grad) {
            *x = weight.mul_add(*g, *x);
        }
    }
}
