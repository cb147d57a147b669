//! Windows that move over the planes of a tensor: the largest element of each, its place, and their sum.

use super::isa::{pick, versions};
use super::pieces::{each, each_of_two};
use std::ops::AddAssign;

/// Windows over planes of three dimensions, of which the first may have one element.
#[derive(Clone, Debug)]
pub struct Windows {
    /// The sizes of a plane.
    pub sizes: [usize; 3],
    /// How many windows there are.
    pub out: [usize; 3],
    /// How many elements each has.
    pub kernel: [usize; 3],
    /// How far windows are apart.
    pub step: [usize; 3],
    /// How far the first one reaches beyond the plane.
    pub pad: [usize; 3],
    /// How far the elements of a window are apart.
    pub spread: [usize; 3],
}

impl Windows {
    /// How many elements a plane has.
    pub fn plane(&self) -> usize {
        self.sizes.iter().product()
    }

    /// How many windows a plane has.
    pub fn count(&self) -> usize {
        self.out.iter().product()
    }

    /// How many elements a window has.
    pub fn cells(&self) -> usize {
        self.kernel.iter().product()
    }

    /// Work for a row of results.
    fn cost(&self) -> usize {
        self.out[2] * self.kernel.iter().product::<usize>()
    }

    /// The place in dimension `d` that cell `cell` of window `window` covers, if it lies in the plane.
    #[inline(always)]
    pub(super) fn place(&self, d: usize, window: usize, cell: usize) -> Option<usize> {
        (window * self.step[d] + cell * self.spread[d]).checked_sub(self.pad[d]).filter(|at| *at < self.sizes[d])
    }

    /// The first window of a row whose cell `cell` lies in it, and the one behind the last.
    #[inline(always)]
    pub(super) fn inside(&self, cell: usize) -> (usize, usize) {
        let (step, shift) = (self.step[2], cell * self.spread[2]);
        let first = self.pad[2].saturating_sub(shift).div_ceil(step);
        let behind = (self.sizes[2] + self.pad[2]).saturating_sub(shift).div_ceil(step).min(self.out[2]);
        (first.min(behind), behind)
    }

    /// The lines of a plane that the windows of row `row` of the results cover, from the top down.
    #[inline(always)]
    fn lines(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        let (layer, row) = (row / self.out[1], row % self.out[1]);
        let layers = (0..self.kernel[0]).filter_map(move |cell| self.place(0, layer, cell));
        layers.flat_map(move |layer| {
            let rows = (0..self.kernel[1]).filter_map(move |cell| self.place(1, row, cell));
            rows.map(move |row| (layer * self.sizes[1] + row) * self.sizes[2])
        })
    }
}

/// An element of which there is a largest.
pub trait Ranked: Copy + PartialOrd + Send + Sync + 'static {
    /// Below all others.
    const LOWEST: Self;
}

impl Ranked for f32 {
    const LOWEST: f32 = f32::NEG_INFINITY;
}
impl Ranked for f64 {
    const LOWEST: f64 = f64::NEG_INFINITY;
}
impl Ranked for i64 {
    const LOWEST: i64 = i64::MIN;
}

/// True when `x` takes the place of `best`: it is larger, or NaN.
#[inline(always)]
fn beats<T: Ranked>(x: T, best: T) -> bool {
    #[allow(clippy::eq_op)] // only NaN differs from itself
    let lost = x != x;
    x > best || lost
}

#[inline(always)]
fn larger<T: Ranked>(best: T, x: T) -> T {
    if beats(x, best) { x } else { best }
}

/// Lets `f` meet each window of a row, from `first` up to `behind`, with one cell of each, which are `step` apart.
#[inline(always)]
fn meet<T: Copy>(to: &mut [T], cells: &[T], step: usize, f: impl Fn(T, T) -> T) {
    match step {
        1 => to.iter_mut().zip(cells).for_each(|(to, x)| *to = f(*to, *x)),
        2 => {
            let (pairs, rest) = cells.as_chunks::<2>();
            let (even, last) = to.split_at_mut(pairs.len().min(to.len()));
            even.iter_mut().zip(pairs).for_each(|(to, pair)| *to = f(*to, pair[0]));
            last.iter_mut().zip(rest).for_each(|(to, x)| *to = f(*to, *x));
        }
        _ => to.iter_mut().zip(cells.iter().step_by(step)).for_each(|(to, x)| *to = f(*to, *x)),
    }
}

/// Folds the windows of row `row` of a plane's results by `f`, cell by cell.
#[inline(always)]
fn over<T: Copy>(w: &Windows, plane: &[T], row: usize, to: &mut [T], f: impl Fn(T, T) -> T + Copy) {
    for line in w.lines(row) {
        for cell in 0..w.kernel[2] {
            let (first, behind) = w.inside(cell);
            if first < behind {
                let start = line + first * w.step[2] + cell * w.spread[2] - w.pad[2];
                meet(&mut to[first..behind], &plane[start..line + w.sizes[2]], w.step[2], f);
            }
        }
    }
}

/// The largest element of each window.
pub fn largest<T: Ranked>(w: &Windows, from: &[T], to: &mut [T]) {
    let (run, rows) = (pick(largest_versions::<T>()), w.out[0] * w.out[1]);
    // SAFETY: slices; the instructions are those of this machine.
    each(to, w.out[2], w.cost(), |n, to| unsafe { run(w, &from[n / rows * w.plane()..][..w.plane()], n % rows, to) });
}

versions! { fn largest_versions<T: Ranked>(w: &Windows, plane: &[T], row: usize, to: &mut [T]) = largest_row }

#[inline(always)]
unsafe fn largest_row<T: Ranked>(w: &Windows, plane: &[T], row: usize, to: &mut [T]) {
    to.fill(T::LOWEST);
    over(w, plane, row, to, larger);
}

/// The largest element of each window and its place in its plane: the first of equal ones, the last NaN.
pub fn largest_and_places<T: Ranked>(w: &Windows, from: &[T], to: &mut [T], places: &mut [i64]) {
    let rows = w.out[0] * w.out[1];
    each_of_two((to, w.out[2]), (places, w.out[2]), 2 * w.cost(), |n, to, places| {
        let plane = &from[n / rows * w.plane()..][..w.plane()];
        to.fill(T::LOWEST);
        places.fill(-1);
        for line in w.lines(n % rows) {
            for cell in 0..w.kernel[2] {
                let (first, behind) = w.inside(cell);
                for window in first..behind {
                    let at = line + window * w.step[2] + cell * w.spread[2] - w.pad[2];
                    if beats(plane[at], to[window]) || places[window] < 0 {
                        (to[window], places[window]) = (plane[at], at as i64);
                    }
                }
            }
        }
    });
}

/// The sum of the elements of each window, one added after the other.
pub fn sums<T: Copy + AddAssign + num_traits::Float + Send + Sync + 'static>(w: &Windows, from: &[T], to: &mut [T]) {
    let (run, rows) = (pick(sum_versions::<T>()), w.out[0] * w.out[1]);
    // SAFETY: slices; the instructions are those of this machine.
    each(to, w.out[2], w.cost(), |n, to| unsafe { run(w, &from[n / rows * w.plane()..][..w.plane()], n % rows, to) });
}

versions! { fn sum_versions<T: num_traits::Float>(w: &Windows, plane: &[T], row: usize, to: &mut [T]) = sum_row }

#[inline(always)]
unsafe fn sum_row<T: num_traits::Float>(w: &Windows, plane: &[T], row: usize, to: &mut [T]) {
    to.fill(T::zero());
    over(w, plane, row, to, |sum, x| sum + x);
}

/// Copies the cells of all windows: for each plane and each cell of a window, in order, a row of that cell of every window, 0 where
/// it lies outside.
pub fn cells<T: Copy + Send + Sync + num_traits::Zero>(w: &Windows, from: &[T], to: &mut [T]) {
    let (windows, cells) = (w.count(), w.cells());
    each(to, windows, windows, |n, to| put_cells(w, &from[n / cells * w.plane()..][..w.plane()], n % cells, 0..windows, to));
}

/// Copies one cell of some windows, 0 where it lies outside.
pub fn put_cells<T: Copy + num_traits::Zero>(
    w: &Windows,
    plane: &[T],
    cell: usize,
    windows: std::ops::Range<usize>,
    mut to: &mut [T],
) {
    let [high, wide] = [w.kernel[1], w.kernel[2]];
    let cell = [cell / (high * wide), cell / wide % high, cell % wide];
    let inside = w.inside(cell[2]);
    let mut window = windows.start;
    while window < windows.end {
        let (row, start) = (window / w.out[2], window % w.out[2]);
        let end = w.out[2].min(start + windows.end - window);
        let (now, later) = to.split_at_mut(end - start);
        (to, window) = (later, window + end - start);
        let (first, behind) = (inside.0.clamp(start, end), inside.1.clamp(start, end));
        let (layer, line) = (w.place(0, row / w.out[1], cell[0]), w.place(1, row % w.out[1], cell[1]));
        let (Some(layer), Some(line), true) = (layer, line, first < behind) else {
            now.fill(T::zero());
            continue;
        };
        let line = (layer * w.sizes[1] + line) * w.sizes[2];
        let from = line + first * w.step[2] + cell[2] * w.spread[2] - w.pad[2];
        now[..first - start].fill(T::zero());
        now[behind - start..].fill(T::zero());
        let inner = &mut now[first - start..behind - start];
        if w.step[2] == 1 {
            inner.copy_from_slice(&plane[from..from + behind - first]);
        } else {
            meet(inner, &plane[from..line + w.sizes[2]], w.step[2], |_, x| x);
        }
    }
}

/// The opposite of [`cells`]: adds the cells of all windows, which lie as it leaves them, to the elements of planes that they lie
/// over, cell by cell.
pub fn scatter<T: Copy + Send + Sync + AddAssign>(w: &Windows, from: &[T], to: &mut [T]) {
    let (windows, count) = (w.out.iter().product::<usize>(), w.kernel.iter().product::<usize>());
    let [high, wide] = [w.kernel[1], w.kernel[2]];
    each(to, w.plane(), windows * count, |n, plane| {
        for (cell, from) in from[n * count * windows..][..count * windows].chunks(windows).enumerate() {
            let cell = [cell / (high * wide), cell / wide % high, cell % wide];
            let (first, behind) = w.inside(cell[2]);
            for (row, from) in from.chunks(w.out[2]).enumerate() {
                let (layer, line) = (w.place(0, row / w.out[1], cell[0]), w.place(1, row % w.out[1], cell[1]));
                let (Some(layer), Some(line), true) = (layer, line, first < behind) else { continue };
                let line = (layer * w.sizes[1] + line) * w.sizes[2];
                let start = line + first * w.step[2] + cell[2] * w.spread[2] - w.pad[2];
                let places = plane[start..line + w.sizes[2]].iter_mut().step_by(w.step[2]);
                places.zip(&from[first..behind]).for_each(|(place, x)| *place += *x);
            }
        }
    });
}

/// Parts of planes: of each dimension where they begin and end.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The sizes of a plane.
    pub sizes: [usize; 3],
    /// The parts of each dimension.
    pub along: [Vec<std::ops::Range<usize>>; 3],
}

impl Parts {
    /// As many parts of each dimension as are wanted, as even as can be; neighbours may share an element.
    pub fn even(sizes: [usize; 3], wanted: [usize; 3]) -> Parts {
        let along = std::array::from_fn(|d| {
            let (size, count) = (sizes[d], wanted[d]);
            (0..count).map(|part| part * size / count..((part + 1) * size).div_ceil(count)).collect()
        });
        Parts { sizes, along }
    }

    /// How many parts a plane has.
    pub fn count(&self) -> usize {
        self.along.iter().map(Vec::len).product()
    }

    fn plane(&self) -> usize {
        self.sizes.iter().product()
    }

    /// The layers, rows and columns of a part.
    fn part(&self, number: usize) -> [std::ops::Range<usize>; 3] {
        let (rows, columns) = (self.along[1].len(), self.along[2].len());
        [number / (rows * columns), number / columns % rows, number % columns]
            .into_iter()
            .zip(&self.along)
            .map(|(at, ranges)| ranges[at].clone())
            .collect::<Vec<_>>()
            .try_into()
            .unwrap_or_default()
    }
}

/// The mean of each part of planes: the sum, one added after the other, divided by the length of each side in turn.
pub fn part_means<T: num_traits::Float + Send + Sync>(parts: &Parts, from: &[T], to: &mut [T]) {
    let (plane, count) = (parts.plane(), parts.count());
    let number = |n: usize| T::from(n).unwrap_or_else(T::nan);
    each(to, count, plane, |n, to| {
        let plane = &from[n * plane..][..plane];
        let bands = parts.along[0].iter().flat_map(|layers| parts.along[1].iter().map(move |rows| (layers, rows)));
        for ((layers, rows), sums) in bands.zip(to.chunks_mut(parts.along[2].len())) {
            sums.fill(T::zero());
            let lines =
                layers.clone().flat_map(|layer| rows.clone().map(move |row| (layer * parts.sizes[1] + row) * parts.sizes[2]));
            for line in lines {
                for (sum, places) in sums.iter_mut().zip(&parts.along[2]) {
                    plane[line..line + parts.sizes[2]][places.clone()].iter().for_each(|x| *sum = *sum + *x);
                }
            }
            for (sum, places) in sums.iter_mut().zip(&parts.along[2]) {
                *sum = *sum / number(layers.len()) / number(rows.len()) / number(places.len());
            }
        }
    });
}

/// The largest element of each part of planes and its place: the first of equal ones, the last NaN.
pub fn part_largest<T: Ranked>(parts: &Parts, from: &[T], to: &mut [T], places: &mut [i64]) {
    let (plane, count) = (parts.plane(), parts.count());
    each_of_two((to, count), (places, count), 2 * plane, |n, to, places| {
        let plane = &from[n * plane..][..plane];
        for (number, (best, place)) in to.iter_mut().zip(places).enumerate() {
            let [layers, rows, columns] = parts.part(number);
            let line = |layer, row| (layer * parts.sizes[1] + row) * parts.sizes[2];
            *place = (line(layers.start, rows.start) + columns.start) as i64;
            *best = T::LOWEST;
            for line in layers.flat_map(|layer| rows.clone().map(move |row| line(layer, row))) {
                for at in columns.clone().map(|column| line + column) {
                    if beats(plane[at], *best) {
                        (*best, *place) = (plane[at], at as i64);
                    }
                }
            }
        }
    });
}
