//! Sums of products of the entries of two matrices, a tile of them at a time.

use super::super::turn::in_rows;
use super::wide::Wide;
use super::{ROWS, Sums};
use crate::interrupt;
use num_traits::{Float, One};
use std::ops::Range;

/// Terms that are taken away at a time: the part of a strip that they read stays in the innermost cache.
const TERMS: usize = 128;

/// Terms of a large product that are summed while both matrices' parts of them stay in the caches.
const BLOCK: usize = 192;

/// Bytes of the left matrix's part that do, in a cache of their own.
const LEFT: usize = 1 << 18;

/// Bytes from one row of the right matrix to the next from which on rows are moved together, and rows of the result that are worth
/// that.
const FAR: usize = 2048;
const MANY: usize = 64;

/// Some neighbouring columns of the result, as wide as a tile at most.
pub(super) struct Strip<T> {
    sums: Sums<T>,
    /// The columns of the last vector.
    last: u16,
}

impl<T> Strip<T> {
    /// Where a vector of the result is.
    #[inline(always)]
    fn cell<W: Wide<Float = T>>(&self, row: usize, vector: usize) -> *mut T {
        self.sums.out.wrapping_offset(row as isize * self.sums.out_step).wrapping_add(vector * W::WIDTH)
    }
}

/// What becomes of the products: their sum is written,
const WRITTEN: u8 = 0;
/// or added to what is there,
const ADDED: u8 = 1;
/// or each is added to what is there,
const CONTINUED: u8 = 2;
/// or taken from it.
const TAKEN: u8 = 3;

/// Sums the entries of `R` rows and `V` vectors of columns, from row `first` on. To be called as [`Wide::tile`].
///
/// # Safety
/// As for [`write`](Sums::write).
#[inline(always)]
pub(super) unsafe fn tile<W: Wide, const R: usize, const V: usize, const USE: u8>(strip: &Strip<W::Float>, first: usize) {
    let Sums { sizes: [_, _, terms], left, left_steps, right, right_steps, .. } = strip.sums;
    let left = left.wrapping_offset(first as isize * left_steps[0]);
    let mut masks = [u16::MAX; V];
    masks[V - 1] = strip.last;
    // SAFETY: the caller promises the entries; those beyond the masks are not touched.
    unsafe {
        let mut sums = [[W::nothing(); V]; R];
        if USE == TAKEN || USE == CONTINUED {
            for (r, sums) in sums.iter_mut().enumerate() {
                for v in 0..V {
                    sums[v] = W::load(masks[v], strip.cell::<W>(first + r, v));
                }
            }
        }
        for k in 0..terms as isize {
            let from = right.wrapping_offset(k * right_steps[0]);
            let mut line = [W::nothing(); V];
            for v in 0..V {
                line[v] = W::load(masks[v], from.wrapping_add(v * W::WIDTH));
            }
            for (r, sums) in sums.iter_mut().enumerate() {
                let factor = W::same(*left.wrapping_offset(r as isize * left_steps[0] + k * left_steps[1]));
                for v in 0..V {
                    sums[v] = match USE {
                        TAKEN => W::less_product(sums[v], factor, line[v]),
                        _ => W::plus_product(sums[v], factor, line[v]),
                    };
                }
            }
        }
        for (r, sums) in sums.iter().enumerate() {
            for v in 0..V {
                let (to, sum) = (strip.cell::<W>(first + r, v), sums[v]);
                let total = if USE == ADDED { W::plus_product(W::load(masks[v], to), W::same(One::one()), sum) } else { sum };
                W::store(to, masks[v], total);
            }
        }
    }
}

type Tile<T> = unsafe fn(&Strip<T>, usize);

/// The tiles of every height and width.
struct Tiles<W, const USE: u8>(std::marker::PhantomData<W>);

/// Vectors of the widest tile.
const MOST: usize = 4;

impl<W: Wide, const USE: u8> Tiles<W, USE> {
    const ALL: [[Tile<W::Float>; MOST]; ROWS] =
        [Self::wide::<1>(), Self::wide::<2>(), Self::wide::<3>(), Self::wide::<4>(), Self::wide::<5>(), Self::wide::<6>()];

    const fn wide<const R: usize>() -> [Tile<W::Float>; MOST] {
        match W::VECTORS {
            MOST => [W::tile::<R, 1, USE>, W::tile::<R, 2, USE>, W::tile::<R, 3, USE>, W::tile::<R, MOST, USE>],
            _ => [W::tile::<R, 1, USE>, W::tile::<R, 2, USE>, W::tile::<R, 2, USE>, W::tile::<R, 2, USE>],
        }
    }
}

impl<T: Float> Sums<T> {
    /// Writes the products, whose terms are summed a piece at a time; or adds these sums to what is there, or starts the first there.
    ///
    /// # Safety
    /// There are the instructions of the vectors; all entries are there, and those of `out` are not of the others; the pieces are all terms, in order.
    pub(super) unsafe fn write<W: Wide<Float = T>>(&self, pieces: impl Iterator<Item = Range<usize>>, added: bool, onto: bool) {
        for terms in pieces {
            // SAFETY: the caller's promise.
            unsafe {
                match terms.start {
                    0 if onto => self.strips::<W, CONTINUED>(terms),
                    0 if !added => self.strips::<W, WRITTEN>(terms),
                    _ => self.strips::<W, ADDED>(terms),
                }
            }
        }
    }

    /// Takes the products away from what is there.
    ///
    /// # Safety
    /// As for [`write`](Sums::write).
    pub(super) unsafe fn subtract<W: Wide<Float = T>>(&self) {
        for first in (0..self.sizes[2]).step_by(TERMS) {
            // SAFETY: the caller's promise.
            unsafe { self.strips::<W, TAKEN>(first..(first + TERMS).min(self.sizes[2])) }
        }
    }

    /// The products of some terms.
    unsafe fn strips<W: Wide<Float = T>, const USE: u8>(&self, terms: Range<usize>) {
        let [m, n, _] = self.sizes;
        for first in (0..n).step_by(W::VECTORS * W::WIDTH) {
            let along = self.right_steps[0] * terms.start as isize + self.right_steps[1] * first as isize;
            let part = Sums {
                sizes: [m, (W::VECTORS * W::WIDTH).min(n - first), terms.len()],
                out: self.out.wrapping_add(first),
                left: self.left.wrapping_offset(terms.start as isize * self.left_steps[1]),
                right: self.right.wrapping_offset(along),
                ..*self
            };
            // SAFETY: the caller's promise.
            unsafe { part.strip::<W, USE>() }
        }
    }

    /// As [`write`](Sums::write), for matrices that do not stay in the caches: some terms of both are moved together first, those of the
    /// right one as wide as a tile. When a stop is asked for, the rest stays as it is.
    ///
    /// # Safety
    /// As for [`write`](Sums::write).
    pub(super) unsafe fn write_large<W: Wide<Float = T>>(&self, pieces: impl Iterator<Item = Range<usize>>, added: bool) {
        let mut room = (vec![], vec![Vec::new(); self.sizes[1].div_ceil(W::VECTORS * W::WIDTH)]);
        for piece in pieces {
            let starts = piece.start == 0 && !added;
            let block = if starts { BLOCK } else { piece.len() };
            for start in piece.clone().step_by(block.max(1)) {
                let terms = start..(start + block).min(piece.end);
                // SAFETY: the caller's promise.
                unsafe {
                    match (starts, start) {
                        (true, 0) => self.block::<W, WRITTEN>(terms, &mut room),
                        (true, _) => self.block::<W, CONTINUED>(terms, &mut room),
                        _ => self.block::<W, ADDED>(terms, &mut room),
                    }
                }
            }
        }
    }

    /// The products of some terms, moved together in `left` and in strips of the right matrix.
    unsafe fn block<W: Wide<Float = T>, const USE: u8>(&self, terms: Range<usize>, (left, strips): &mut (Vec<T>, Vec<Vec<T>>)) {
        let ([m, n, _], wide, k) = (self.sizes, W::VECTORS * W::WIDTH, terms.len());
        let width = |strip: usize| wide.min(n - strip * wide);
        for (i, strip) in strips.iter_mut().enumerate() {
            let along = self.right_steps[0] * terms.start as isize + self.right_steps[1] * (i * wide) as isize;
            // SAFETY: the caller's promise.
            unsafe { in_rows(strip, self.right.wrapping_offset(along), self.right_steps, [k, width(i)], wide) };
        }
        let height = (LEFT / size_of::<T>() / k.max(1)).max(ROWS).next_multiple_of(ROWS);
        for first in (0..m).step_by(height).take_while(|_| !interrupt::is_raised()) {
            let rows = height.min(m - first);
            let along = self.left_steps[0] * first as isize + self.left_steps[1] * terms.start as isize;
            // SAFETY: the caller's promise.
            unsafe { in_rows(left, self.left.wrapping_offset(along), self.left_steps, [rows, k], k) };
            for (i, strip) in strips.iter().enumerate() {
                let part = Sums {
                    sizes: [rows, width(i), k],
                    out: self.out.wrapping_offset(first as isize * self.out_step).wrapping_add(i * wide),
                    out_step: self.out_step,
                    left: left.as_ptr(),
                    left_steps: [k as isize, 1],
                    right: strip.as_ptr(),
                    right_steps: [wide as isize, 1],
                };
                // SAFETY: the caller's promise; what was moved together is there.
                unsafe { part.tiles::<W, USE>() };
            }
        }
    }

    /// As many columns as a tile has at most.
    unsafe fn strip<W: Wide<Float = T>, const USE: u8>(mut self) {
        let [m, width, k] = self.sizes;
        let is_far = self.right_steps[0].unsigned_abs() * size_of::<T>() >= FAR && m >= MANY;
        let mut rows = Vec::new();
        if self.right_steps[1] != 1 || is_far {
            // SAFETY: the caller's promise.
            unsafe { in_rows(&mut rows, self.right, self.right_steps, [k, width], W::VECTORS * W::WIDTH) };
            (self.right, self.right_steps) = (rows.as_ptr(), [(W::VECTORS * W::WIDTH) as isize, 1]);
        }
        // SAFETY: the caller's promise.
        unsafe { self.tiles::<W, USE>() }
    }

    /// The same, from rows of the right matrix that are used as they lie.
    #[inline]
    unsafe fn tiles<W: Wide<Float = T>, const USE: u8>(self) {
        let [m, width, _] = self.sizes;
        let vectors = width.div_ceil(W::WIDTH);
        let in_last = width - (vectors - 1) * W::WIDTH;
        let strip = Strip { sums: self, last: if in_last == W::WIDTH { u16::MAX } else { (1 << in_last) - 1 } };
        for row in (0..m).step_by(ROWS) {
            // SAFETY: the caller's promise.
            unsafe { Tiles::<W, USE>::ALL[ROWS.min(m - row) - 1][vectors - 1](&strip, row) };
        }
    }
}
