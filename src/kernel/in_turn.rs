//! Convolutions whose products are added one after the other, each unrounded, as PyTorch's library for them does: those in which each
//! plane has its own window, by its cells, and the gradients of weights and offsets, by windows.

use super::isa::{pick, versions};
use super::pieces::each;
use super::pools::{Windows, put_cells};
use std::ops::Range;

/// The result of each plane, from its own window of weights and an offset, to which the products are added cell by cell; what lies
/// beside the plane is left out.
///
/// # Panics
/// When a slice has another number of elements than the sizes say.
pub fn planes(w: &Windows, from: &[f32], weight: &[f32], bias: &[f32], to: &mut [f32]) {
    let (places, cells) = (w.count(), w.cells());
    each(to, places, places * cells, |n, to| {
        let (plane, from) = (n % bias.len(), &from[n * w.plane()..][..w.plane()]);
        to.fill(bias[plane]);
        for (cell, weight) in weight[plane * cells..][..cells].iter().enumerate() {
            for (window, place, count) in runs(w, cell) {
                // SAFETY: slices; the instructions are those of this machine.
                unsafe { pick(gather_versions())(*weight, &from[place..], &mut to[window..][..count], w.step[2]) };
            }
        }
    });
}

/// The results of windows of one cell: for each the sum over the planes, one after the other, which starts at an offset.
///
/// # Panics
/// When a slice has another number of elements than the sizes say.
pub fn points(w: &Windows, from: &[f32], weight: &[f32], bias: &[f32], to: &mut [f32]) {
    let (places, rows) = (w.count(), bias.len());
    let inside = weight.len() / rows.max(1);
    each(to, places, places * inside, |n, to| {
        let (example, row) = (n / rows, n % rows);
        to.fill(bias[row]);
        for (plane, weight) in weight[row * inside..][..inside].iter().enumerate() {
            let from = &from[(example * inside + plane) * w.plane()..][..w.plane()];
            for (window, place, count) in runs(w, 0) {
                // SAFETY: slices; the instructions are those of this machine.
                unsafe { pick(gather_versions())(*weight, &from[place..], &mut to[window..][..count], w.step[2]) };
            }
        }
    });
}

/// The runs of windows whose cell `cell` lies in the plane: the first of them, the place of its cell, and how many they are.
fn runs(w: &Windows, cell: usize) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
    let [high, wide] = [w.kernel[1], w.kernel[2]];
    let cell = [cell / (high * wide), cell / wide % high, cell % wide];
    let (first, behind) = w.inside(cell[2]);
    let lines = if first < behind { w.out[0] * w.out[1] } else { 0 };
    (0..lines).filter_map(move |line| {
        let (layer, row) = (w.place(0, line / w.out[1], cell[0])?, w.place(1, line % w.out[1], cell[1])?);
        let place = (layer * w.sizes[1] + row) * w.sizes[2] + first * w.step[2] + cell[2] * w.spread[2] - w.pad[2];
        Some((line * w.out[2] + first, place, behind - first))
    })
}

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

    /// The gradient of the weights, in their order. Windows, counted over all examples, are added up in parts that end behind those
    /// given; those of one cell within them example by example.
    pub fn weights(&self, grad: &[f32], from: &[f32], ends: &[usize]) -> Vec<f32> {
        let (places, terms) = (self.windows.count(), self.terms());
        let by_example = self.windows.cells() == 1;
        let mut columns = vec![0.0; places * terms];
        let mut add = |part: Range<usize>, sums: &mut [f32]| {
            for example in part.start / places..part.end.div_ceil(places) {
                self.columns(&from[example * self.inside * self.windows.plane()..], &mut columns);
                let part = within(&part, example, places);
                each(sums, terms, terms * part.len(), |row, to| {
                    let grad = &grad[(example * self.rows + row) * places..][part.clone()];
                    // SAFETY: slices; the instructions are those of this machine.
                    unsafe { pick(more_versions())(grad, &columns[part.start * terms..], to) };
                });
            }
        };
        let count = self.rows * terms;
        let sums = in_parts(count, 0, ends, |part, sums| {
            if !by_example {
                return add(part, sums);
            }
            let last = part.end;
            let ends: Vec<usize> = (part.start / places..last.div_ceil(places)).map(|n| last.min((n + 1) * places)).collect();
            sums.copy_from_slice(&in_parts(count, part.start, &ends, &mut add));
        });
        let cells = self.windows.cells();
        let place = |k: usize| k / terms * terms + k % cells * self.inside + k % terms / cells;
        (0..sums.len()).map(|k| sums[place(k)]).collect()
    }

    /// The cells of an example: a column of terms for each window.
    fn columns(&self, from: &[f32], to: &mut [f32]) {
        let (places, terms) = (self.windows.count(), self.terms());
        let lines = self.lines(from);
        each(to, STRETCH * terms, STRETCH * terms, |number, columns| {
            for (k, column) in columns.chunks_exact_mut(terms).enumerate() {
                for (x, line) in column.iter_mut().zip(lines.chunks_exact(places)) {
                    *x = line[number * STRETCH + k];
                }
            }
        });
    }
}

/// What a part has of the windows of an example, of which there are so many.
fn within(part: &Range<usize>, example: usize, places: usize) -> Range<usize> {
    let inside = |window: usize| window.saturating_sub(example * places).min(places);
    inside(part.start)..inside(part.end)
}

/// So many sums over windows, of which `add` adds a range to what it is given: each part's from zero, then one part after the other.
fn in_parts(count: usize, mut start: usize, ends: &[usize], mut add: impl FnMut(Range<usize>, &mut [f32])) -> Vec<f32> {
    let mut first = None::<Vec<f32>>;
    for end in ends {
        let mut sums = vec![0.0; count];
        add(start..*end, &mut sums);
        start = *end;
        match &mut first {
            None => first = Some(sums),
            Some(first) => first.iter_mut().zip(sums).for_each(|(first, more)| *first += more),
        }
    }
    first.unwrap_or_else(|| vec![0.0; count])
}

/// The gradient of the offsets of so many results: for each the sum over all examples, in parts as the weights'.
pub fn offsets(grad: &[f32], batch: usize, results: usize, ends: &[usize]) -> Vec<f32> {
    let places = (grad.len() / (batch * results).max(1)).max(1);
    in_parts(results, 0, ends, |part, sums| {
        each(sums, 1, part.len(), |result, to| {
            for example in part.start / places..part.end.div_ceil(places) {
                let line = &grad[(example * results + result) * places..][within(&part, example, places)];
                to[0] = line.iter().fold(to[0], |sum, x| sum + x);
            }
        });
    })
}

versions! { fn gather_versions<>(weight: f32, from: &[f32], to: &mut [f32], step: usize) = gather_line }

#[inline(always)]
unsafe fn gather_line(weight: f32, from: &[f32], to: &mut [f32], step: usize) {
    if step == 1 {
        for (sum, x) in to.iter_mut().zip(from) {
            *sum = weight.mul_add(*x, *sum);
        }
    } else {
        for (sum, x) in to.iter_mut().zip(from.iter().step_by(step)) {
            *sum = weight.mul_add(*x, *sum);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::convolve::{Convolution, Order};

    /// Whole numbers without a pattern, so that sums are exact in any order.
    fn scattered(count: usize, step: usize) -> Vec<f32> {
        (0..count).map(|i| (i * step % 11) as f32 - 5.0).collect()
    }

    #[test]
    fn planes_with_their_own_windows_are_groups_of_one() {
        let sizes = [1, 7, 9];
        for (out, kernel, step, pad, spread) in
            [([1, 7, 9], [1, 3, 3], [1; 3], [0, 1, 1], [1; 3]), ([1, 2, 4], [1, 3, 2], [1, 2, 2], [0, 1, 0], [1, 2, 2])]
        {
            let windows = Windows { sizes, out, kernel, step, pad, spread };
            let (batch, groups) = (2, 3);
            let from = scattered(batch * groups * windows.plane(), 7);
            let weight = scattered(groups * windows.cells(), 3);
            let bias = scattered(groups, 5);
            let mut to = vec![0.0; batch * groups * windows.count()];
            planes(&windows, &from, &weight, &bias, &mut to);
            let mut wanted: Vec<f32> =
                to.chunks(windows.count()).zip(bias.iter().cycle()).flat_map(|(l, b)| l.iter().map(|_| *b)).collect();
            let order = Order::Chain;
            Convolution { windows: &windows, batch, groups, inside: 1, rows: 1, order, added: true }.run(
                &from,
                &weight,
                &mut wanted,
            );
            assert_eq!(to, wanted, "{windows:?}");
        }
    }
}
