//! Sums of products of the entries of two matrices, a tile of them at a time.

use super::super::turn::{Crossing, turn, turns};
use super::wide::Wide;
use super::{ROWS, Sums, WIDEST};

/// Vectors of columns of the result that are summed at a time.
const VECTORS: usize = WIDEST / 64;

/// Terms that are taken away at a time: the part of a strip that they read stays in the innermost cache.
const TERMS: usize = 128;

/// Bytes from one row of the right matrix to the next from which on rows are moved together, and rows of the result that are worth
/// that.
const FAR: usize = 2048;
const MANY: usize = 64;

/// Some neighbouring columns of the result, as wide as a tile at most.
struct Strip<T> {
    sums: Sums<T>,
    /// The columns of the last vector.
    last: u16,
}

/// Sums the entries of `R` rows and `V` vectors of columns, from row `first` on; with `LESS` they are taken from what is there.
#[target_feature(enable = "avx512f")]
unsafe fn tile<T: Wide, const R: usize, const V: usize, const LESS: bool>(strip: &Strip<T>, first: usize) {
    let Sums { sizes: [_, _, terms], out, out_step, left, left_steps, right, right_steps } = strip.sums;
    let mask = |v: usize| if v + 1 < V { !0 } else { strip.last };
    let row = |r: usize| out.wrapping_offset((first + r) as isize * out_step);
    let left = left.wrapping_offset(first as isize * left_steps[0]);
    // SAFETY: the caller promises the entries; those beyond the mask are not touched.
    unsafe {
        let mut sums = [[T::nothing(); V]; R];
        if LESS {
            for (r, sums) in sums.iter_mut().enumerate() {
                (0..V).for_each(|v| sums[v] = T::load(mask(v), row(r).wrapping_add(v * T::WIDTH)));
            }
        }
        for k in 0..terms as isize {
            let from = right.wrapping_offset(k * right_steps[0]);
            let mut line = [T::nothing(); V];
            (0..V).for_each(|v| line[v] = T::load(mask(v), from.wrapping_add(v * T::WIDTH)));
            for (r, sums) in sums.iter_mut().enumerate() {
                let factor = T::same(*left.wrapping_offset(r as isize * left_steps[0] + k * left_steps[1]));
                for (sum, line) in sums.iter_mut().zip(&line) {
                    *sum = match LESS {
                        true => T::less_product(*sum, factor, *line),
                        false => T::plus_product(*sum, factor, *line),
                    };
                }
            }
        }
        for (r, sums) in sums.iter().enumerate() {
            (0..V).for_each(|v| T::store(row(r).wrapping_add(v * T::WIDTH), mask(v), sums[v]));
        }
    }
}

type Tile<T> = unsafe fn(&Strip<T>, usize);

/// The tiles of every height and width.
struct Tiles<T, const LESS: bool>(std::marker::PhantomData<T>);

impl<T: Wide, const LESS: bool> Tiles<T, LESS> {
    const ALL: [[Tile<T>; VECTORS]; ROWS] =
        [Self::wide::<1>(), Self::wide::<2>(), Self::wide::<3>(), Self::wide::<4>(), Self::wide::<5>(), Self::wide::<6>()];

    const fn wide<const R: usize>() -> [Tile<T>; VECTORS] {
        [tile::<T, R, 1, LESS>, tile::<T, R, 2, LESS>, tile::<T, R, 3, LESS>, tile::<T, R, 4, LESS>]
    }
}

impl<T: Wide> Sums<T> {
    /// Writes the products.
    ///
    /// # Safety
    /// There is AVX-512; all entries are there, and those of `out` are not of the others.
    pub unsafe fn write(&self) {
        // SAFETY: the caller's promise.
        unsafe { self.strips::<false>() }
    }

    /// Takes the products away from what is there.
    ///
    /// # Safety
    /// As for [`write`](Sums::write).
    pub unsafe fn subtract(&self) {
        // SAFETY: the caller's promise.
        unsafe { self.strips::<true>() }
    }

    unsafe fn strips<const LESS: bool>(&self) {
        let [m, n, k] = self.sizes;
        // What is taken away may be taken away in parts.
        let terms = if LESS { TERMS } else { k.max(1) };
        for first in (0..n).step_by(VECTORS * T::WIDTH) {
            for term in (0..k.max(1)).step_by(terms) {
                let width = (VECTORS * T::WIDTH).min(n - first);
                let along = self.right_steps[0] * term as isize + self.right_steps[1] * first as isize;
                let part = Sums {
                    sizes: [m, width, terms.min(k - term)],
                    out: self.out.wrapping_add(first),
                    left: self.left.wrapping_offset(term as isize * self.left_steps[1]),
                    right: self.right.wrapping_offset(along),
                    ..*self
                };
                // SAFETY: the caller's promise.
                unsafe { part.strip::<LESS>() }
            }
        }
    }

    /// As many columns as a tile has at most.
    unsafe fn strip<const LESS: bool>(mut self) {
        let [m, width, k] = self.sizes;
        let vectors = width.div_ceil(T::WIDTH);
        let is_far = self.right_steps[0].unsigned_abs() * size_of::<T>() >= FAR && m >= MANY;
        let rows;
        if self.right_steps[1] != 1 || is_far {
            // SAFETY: the caller's promise.
            rows = unsafe { gathered(self.right, self.right_steps, k, width) };
            (self.right, self.right_steps) = (rows.as_ptr(), [(VECTORS * T::WIDTH) as isize, 1]);
        }
        let strip = Strip { sums: self, last: u16::MAX >> (16 - (width - (vectors - 1) * T::WIDTH)) };
        for row in (0..m).step_by(ROWS) {
            // SAFETY: the caller's promise.
            unsafe { Tiles::<T, LESS>::ALL[ROWS.min(m - row) - 1][vectors - 1](&strip, row) };
        }
    }
}

/// The columns of a strip, row by row.
unsafe fn gathered<T: Wide>(right: *const T, steps: [isize; 2], terms: usize, width: usize) -> Vec<T> {
    let row = VECTORS * T::WIDTH;
    let mut rows = vec![T::zero(); terms * row];
    if steps[0] == 1 && turns::<T>() {
        let [to_step, from_step] = [row as isize, steps[1]].map(|step| step * size_of::<T>() as isize);
        let crossing = Crossing { lines: terms, len: width, to_step, from_step };
        // SAFETY: the caller promises the entries; the rows are new, and as wide as they may be.
        unsafe { turn::<T>(rows.as_mut_ptr() as *mut u8, right as *const u8, crossing) };
        return rows;
    }
    for k in 0..terms {
        let from = right.wrapping_offset(k as isize * steps[0]);
        if steps[1] == 1 {
            // SAFETY: the caller promises the entries.
            unsafe { rows.as_mut_ptr().add(k * row).copy_from_nonoverlapping(from, width) };
            continue;
        }
        for j in 0..width {
            // SAFETY: the caller promises the entries.
            rows[k * row + j] = unsafe { *from.wrapping_offset(j as isize * steps[1]) };
        }
    }
    rows
}
