//! Which elements are visited, in which order: everything about an elementwise walk that does not depend on what is computed.
//!
//! A plan takes the layouts of the output and of the inputs, seen at one common size, orders the dimensions by the output's
//! strides, joins those that can be walked as one, and cuts the rest into tiles that fit a register block. It knows the
//! bytes of an element and nothing else about it.

use super::order::order;
use crate::layout::Dims;
use smallvec::SmallVec;
use std::ops::Range;

/// Most elements of a register block.
pub const BLOCK: usize = 1024;

/// Bytes of a line of the cache.
pub const LINE: usize = 64;

/// One operand to be walked: strides at the common size, offset and element size.
#[derive(Clone, Debug)]
pub struct Operand {
    /// In elements; 0 where the operand is repeated.
    pub strides: Dims,
    /// The cell of the first element.
    pub offset: i64,
    /// Bytes of an element.
    pub size: usize,
}

/// Byte strides of one operand, innermost dimension first, and the byte where it starts.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Bytes of an element.
    pub size: usize,
    start: isize,
    strides: SmallVec<[isize; 6]>,
}

/// A walk over several operands at once.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Innermost first; never fewer than two, padded with 1.
    sizes: SmallVec<[usize; 6]>,
    walks: SmallVec<[Walk; 5]>,
    tile: (usize, usize),
}

/// A piece of a walk: `rows` rows of `len` elements, the same for every operand.
#[derive(Clone, Debug)]
pub struct Tile {
    /// Elements of a row.
    pub len: usize,
    /// Number of rows.
    pub rows: usize,
    /// The byte of the first element, for each operand.
    pub starts: SmallVec<[isize; 5]>,
}

/// How one operand lies in a tile, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    /// Elements of a row.
    pub len: usize,
    /// Number of rows.
    pub rows: usize,
    /// From one element of a row to the next.
    pub step: isize,
    /// From one row to the next.
    pub row_step: isize,
}

impl Patch {
    /// True when its elements, of `size` bytes, follow each other without gaps.
    pub fn is_gapless(&self, size: usize) -> bool {
        self.step == size as isize && (self.rows == 1 || self.row_step == (self.len * size) as isize)
    }
}

impl Plan {
    /// Plans a walk of `sizes`; the first operand is the one written to.
    pub fn new(sizes: &[i64], operands: &[Operand]) -> Plan {
        let order = order(sizes, operands.iter().map(|o| o.strides.as_slice()));
        let mut plan = Plan {
            sizes: order.iter().map(|k| sizes[*k] as usize).collect(),
            walks: operands.iter().map(|o| Walk::new(o, &order)).collect(),
            tile: (0, 0),
        };
        plan.join_dimensions();
        plan.pad();
        plan.tile = plan.choose_tile();
        plan
    }

    /// Joins neighbouring dimensions that every operand walks as if they were one, and drops those of size 1.
    fn join_dimensions(&mut self) {
        let mut kept = 0;
        for k in 0..self.sizes.len() {
            let size = self.sizes[k];
            if size == 1 && self.sizes.len() > 1 {
                continue;
            }
            let joins = kept > 0
                && self.walks.iter().all(|w| w.strides[k] == w.strides[kept - 1].wrapping_mul(self.sizes[kept - 1] as isize));
            if joins {
                self.sizes[kept - 1] *= size;
                continue;
            }
            self.sizes[kept] = size;
            self.walks.iter_mut().for_each(|w| w.strides[kept] = w.strides[k]);
            kept += 1;
        }
        self.sizes.truncate(kept);
        self.walks.iter_mut().for_each(|w| w.strides.truncate(kept));
    }

    fn pad(&mut self) {
        while self.sizes.len() < 2 {
            self.sizes.push(1);
            self.walks.iter_mut().for_each(|w| w.strides.push(0));
        }
    }

    /// Whole rows when every operand walks rows; a square when one walks the second dimension in smaller steps.
    fn choose_tile(&self) -> (usize, usize) {
        const SIDE: usize = 32;
        let (len, rows) = (self.sizes[0], self.sizes[1]);
        if self.is_crossed() && len > 2 * SIDE && rows > 1 {
            let rows = rows.min(SIDE);
            return (len.min(BLOCK / rows), rows);
        }
        if len >= BLOCK { (BLOCK, 1) } else { (len, rows.min(BLOCK / len.max(1)).max(1)) }
    }

    /// True when an operand walks the second dimension in smaller steps than the first.
    pub fn is_crossed(&self) -> bool {
        self.walks.iter().any(|w| w.strides[1] != 0 && w.strides[1].abs() < w.strides[0].abs())
    }

    /// The same walk in tiles of up to `limit` elements, for when nothing needs to pass through a register block.
    pub fn with_tiles_of(&self, limit: usize) -> Plan {
        let len = self.sizes[0];
        let tile = if len >= limit { (limit, 1) } else { (len, self.sizes[1].min(limit / len.max(1)).max(1)) };
        Plan { tile, ..self.clone() }
    }

    /// The part of the walk at some places of one dimension.
    pub fn narrow(&self, dim: usize, first: usize, len: usize) -> Plan {
        let mut part = self.clone();
        part.sizes[dim] = len;
        part.walks.iter_mut().for_each(|walk| walk.start += first as isize * walk.strides[dim]);
        part
    }

    /// The same walk over a part of each row.
    pub fn piece(&self, range: Range<usize>) -> Plan {
        let mut part = self.narrow(0, range.start, range.len());
        part.tile = part.choose_tile();
        part
    }

    /// The same walk row by row; a row that all rows repeat then lies ready.
    pub fn with_tiles_of_rows(&self) -> Plan {
        Plan { tile: (self.sizes[0], 1), ..self.clone() }
    }

    /// Number of elements visited.
    pub fn numel(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Most elements of a tile.
    pub fn tile_numel(&self) -> usize {
        self.tile.0 * self.tile.1
    }

    /// Number of tiles.
    pub fn tiles(&self) -> usize {
        self.tile_counts().iter().product()
    }

    /// Number of tiles along each dimension.
    fn tile_counts(&self) -> SmallVec<[usize; 6]> {
        let mut counts = self.sizes.clone();
        counts[0] = self.sizes[0].div_ceil(self.tile.0.max(1));
        counts[1] = self.sizes[1].div_ceil(self.tile.1.max(1));
        counts
    }

    /// The operands in order, the output first.
    pub fn walks(&self) -> &[Walk] {
        &self.walks
    }

    /// Sizes after joining, innermost first.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// True when, in every tile, the elements of this operand follow each other without gaps.
    pub fn is_direct(&self, operand: usize) -> bool {
        let walk = &self.walks[operand];
        let size = walk.size as isize;
        walk.strides[0] == size
            && (self.tile.1 == 1 || (self.tile.0 == self.sizes[0] && walk.strides[1] == size * self.sizes[0] as isize))
    }

    /// True when each element of this operand lies in another line of the cache than those before and after it.
    pub fn is_scattered(&self, operand: usize) -> bool {
        self.walks[operand].strides[0].unsigned_abs() >= LINE
    }

    /// True when, in every tile, this operand is one element, repeated.
    pub fn is_one_in_each_tile(&self, operand: usize) -> bool {
        let strides = &self.walks[operand].strides;
        strides[0] == 0 && (self.tile.1 == 1 || strides[1] == 0)
    }

    /// Bytes of the elements that are visited, of all operands; one that is repeated counts once.
    pub fn bytes(&self) -> usize {
        let elements = |walk: &Walk| -> usize {
            self.sizes.iter().zip(&walk.strides).map(|(size, step)| if *step == 0 { 1 } else { *size }).product()
        };
        self.walks.iter().map(|walk| elements(walk) * walk.size).sum()
    }

    /// True when two operands are walked from the same byte in the same steps.
    pub fn walks_alike(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.walks[one], &self.walks[other]);
        one.start == other.start && one.strides == other.strides
    }

    /// True when this operand is one element, repeated, or one row that every row repeats in tiles of whole rows.
    pub fn is_same_in_all_tiles(&self, operand: usize) -> bool {
        let strides = &self.walks[operand].strides;
        strides[1..].iter().all(|s| *s == 0) && (strides[0] == 0 || self.tile.0 == self.sizes[0])
    }

    /// How an operand lies in the largest tile.
    pub fn largest_patch(&self, operand: usize) -> Patch {
        let (strides, (len, rows)) = (&self.walks[operand].strides, self.tile);
        Patch { len, rows, step: strides[0], row_step: strides[1] }
    }

    /// How an operand lies in a tile.
    pub fn patch(&self, operand: usize, tile: &Tile) -> Patch {
        let strides = &self.walks[operand].strides;
        Patch { len: tile.len, rows: tile.rows, step: strides[0], row_step: strides[1] }
    }

    /// Visits the tiles with these numbers, in order.
    pub fn visit(&self, tiles: Range<usize>, mut f: impl FnMut(&Tile)) {
        self.visit_runs(tiles, |_| 1, |tile, _| f(tile));
    }

    /// As [`Plan::visit`], but rows that are tiles are handed over with the number of those that follow in the second dimension.
    pub fn visit_rows(&self, tiles: Range<usize>, f: impl FnMut(&Tile, usize)) {
        let are_rows = self.tile.0 >= self.sizes[0] && self.tile.1 == 1;
        self.visit_runs(tiles, |row| if are_rows { self.sizes[1] - row } else { 1 }, f);
    }

    /// Visits tiles in runs of as many as `most` says, given where the first of them is in the second dimension.
    fn visit_runs(&self, tiles: Range<usize>, most: impl Fn(usize) -> usize, mut f: impl FnMut(&Tile, usize)) {
        if tiles.is_empty() || self.numel() == 0 {
            return;
        }
        let counts = self.tile_counts();
        let mut index: SmallVec<[usize; 6]> = counts.clone();
        let mut rest = tiles.start;
        for (i, count) in index.iter_mut().zip(&counts) {
            *i = rest % count;
            rest /= count;
        }
        let mut tile = Tile { len: 0, rows: 0, starts: SmallVec::from_elem(0, self.walks.len()) };
        let mut left = tiles.len();
        while left > 0 {
            let run = most(index[1]).min(left);
            self.place(&index, &mut tile);
            f(&tile, run);
            left -= run;
            // A run of several steps along the second dimension: the first has one tile then.
            index[1] += run - 1;
            for (i, count) in index.iter_mut().zip(&counts) {
                *i += 1;
                if *i < *count {
                    break;
                }
                *i = 0;
            }
        }
    }

    fn place(&self, index: &[usize], tile: &mut Tile) {
        let (first, row) = (index[0] * self.tile.0, index[1] * self.tile.1);
        tile.len = self.tile.0.min(self.sizes[0] - first);
        tile.rows = self.tile.1.min(self.sizes[1] - row);
        for (start, walk) in tile.starts.iter_mut().zip(&self.walks) {
            let mut at = walk.start + first as isize * walk.strides[0] + row as isize * walk.strides[1];
            for (i, stride) in index.iter().zip(&walk.strides).skip(2) {
                at += *i as isize * stride;
            }
            *start = at;
        }
    }
}

impl Walk {
    /// The byte of the first element.
    pub fn start(&self) -> isize {
        self.start
    }

    /// Bytes from one element to the next along each dimension.
    pub fn steps(&self) -> &[isize] {
        &self.strides
    }

    fn new(operand: &Operand, order: &[usize]) -> Walk {
        let size = operand.size as isize;
        Walk {
            size: operand.size,
            start: (operand.offset as isize).wrapping_mul(size),
            // A dimension of one cell may have any stride: nothing steps along it.
            strides: order.iter().map(|k| (operand.strides[*k] as isize).wrapping_mul(size)).collect(),
        }
    }
}
