//! Sums of products of the entries of two matrices, a tile of them at a time.

use super::super::turn::in_rows;
use super::wide::Wide;
use super::{ROWS, Sums, WIDEST};
use std::ops::Range;

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

/// What becomes of the products: their sum is written,
const WRITTEN: u8 = 0;
/// or added to what is there,
const ADDED: u8 = 1;
/// or each is taken from what is there.
const TAKEN: u8 = 2;

/// Sums the entries of `R` rows and `V` vectors of columns, from row `first` on.
#[target_feature(enable = "avx512f")]
unsafe fn tile<T: Wide, const R: usize, const V: usize, const USE: u8>(strip: &Strip<T>, first: usize) {
    let Sums { sizes: [_, _, terms], out, out_step, left, left_steps, right, right_steps } = strip.sums;
    let mask = |v: usize| if v + 1 < V { !0 } else { strip.last };
    let row = |r: usize| out.wrapping_offset((first + r) as isize * out_step);
    let left = left.wrapping_offset(first as isize * left_steps[0]);
    // SAFETY: the caller promises the entries; those beyond the mask are not touched.
    unsafe {
        let mut sums = [[T::nothing(); V]; R];
        if USE == TAKEN {
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
                    *sum = match USE {
                        TAKEN => T::less_product(*sum, factor, *line),
                        _ => T::plus_product(*sum, factor, *line),
                    };
                }
            }
        }
        for (r, sums) in sums.iter().enumerate() {
            for (v, sum) in sums.iter().enumerate() {
                let to = row(r).wrapping_add(v * T::WIDTH);
                let total = if USE == ADDED { T::plus_product(T::load(mask(v), to), T::same(T::one()), *sum) } else { *sum };
                T::store(to, mask(v), total);
            }
        }
    }
}

type Tile<T> = unsafe fn(&Strip<T>, usize);

/// The tiles of every height and width.
struct Tiles<T, const USE: u8>(std::marker::PhantomData<T>);

impl<T: Wide, const USE: u8> Tiles<T, USE> {
    const ALL: [[Tile<T>; VECTORS]; ROWS] =
        [Self::wide::<1>(), Self::wide::<2>(), Self::wide::<3>(), Self::wide::<4>(), Self::wide::<5>(), Self::wide::<6>()];

    const fn wide<const R: usize>() -> [Tile<T>; VECTORS] {
        [tile::<T, R, 1, USE>, tile::<T, R, 2, USE>, tile::<T, R, 3, USE>, tile::<T, R, 4, USE>]
    }
}

impl<T: Wide> Sums<T> {
    /// Writes the products, whose terms are summed a piece at a time.
    ///
    /// # Safety
    /// There is AVX-512; all entries are there, and those of `out` are not of the others; the pieces are all terms, in order.
    pub unsafe fn write(&self, pieces: impl Iterator<Item = Range<usize>>) {
        for terms in pieces {
            // SAFETY: the caller's promise.
            unsafe {
                match terms.start {
                    0 => self.strips::<WRITTEN>(terms),
                    _ => self.strips::<ADDED>(terms),
                }
            }
        }
    }

    /// Takes the products away from what is there.
    ///
    /// # Safety
    /// As for [`write`](Sums::write).
    pub unsafe fn subtract(&self) {
        for first in (0..self.sizes[2]).step_by(TERMS) {
            // SAFETY: the caller's promise.
            unsafe { self.strips::<TAKEN>(first..(first + TERMS).min(self.sizes[2])) }
        }
    }

    /// The products of some terms.
    unsafe fn strips<const USE: u8>(&self, terms: Range<usize>) {
        let [m, n, _] = self.sizes;
        for first in (0..n).step_by(VECTORS * T::WIDTH) {
            let along = self.right_steps[0] * terms.start as isize + self.right_steps[1] * first as isize;
            let part = Sums {
                sizes: [m, (VECTORS * T::WIDTH).min(n - first), terms.len()],
                out: self.out.wrapping_add(first),
                left: self.left.wrapping_offset(terms.start as isize * self.left_steps[1]),
                right: self.right.wrapping_offset(along),
                ..*self
            };
            // SAFETY: the caller's promise.
            unsafe { part.strip::<USE>() }
        }
    }

    /// As many columns as a tile has at most.
    unsafe fn strip<const USE: u8>(mut self) {
        let [m, width, k] = self.sizes;
        let vectors = width.div_ceil(T::WIDTH);
        let is_far = self.right_steps[0].unsigned_abs() * size_of::<T>() >= FAR && m >= MANY;
        let mut rows = Vec::new();
        if self.right_steps[1] != 1 || is_far {
            // SAFETY: the caller's promise.
            unsafe { in_rows(&mut rows, self.right, self.right_steps, [k, width], VECTORS * T::WIDTH) };
            (self.right, self.right_steps) = (rows.as_ptr(), [(VECTORS * T::WIDTH) as isize, 1]);
        }
        let strip = Strip { sums: self, last: u16::MAX >> (16 - (width - (vectors - 1) * T::WIDTH)) };
        for row in (0..m).step_by(ROWS) {
            // SAFETY: the caller's promise.
            unsafe { Tiles::<T, USE>::ALL[ROWS.min(m - row) - 1][vectors - 1](&strip, row) };
        }
    }
}
