//! Reflections and rotations of matrices that lie in slices column by column, for decompositions: compiled for every
//! instruction set, one call for all columns or rows.

use super::blas::{Entry, sum_of_products};
use super::isa::{follows_intel, pick, versions};
use super::shared::Shared;
use super::team;
use std::ops::Range;

/// Rows that are worked on together: what is summed or carried for them stays in registers.
const ROWS: usize = 32;

/// `column -= v * factor * (vᴴ column)` for `columns` columns of `cells` that begin `stride` apart.
///
/// # Panics
/// When the slice is too short.
pub fn reflect_columns<T: Entry>(v: &[T], factor: T, cells: &mut [T], stride: usize, columns: usize) {
    if columns == 0 || v.is_empty() {
        return;
    }
    assert!((columns - 1) * stride + v.len() <= cells.len(), "columns lie in their slice");
    let run = pick(left_versions::<T>());
    let start = Shared(cells.as_mut_ptr());
    in_parts(columns, 1, v.len(), &|part| {
        let (cells, factor) = (start.at(part.start * stride) as *mut u8, &raw const factor as *const u8);
        // SAFETY: all columns lie in the slice, as was just checked; parts have none in common.
        unsafe { run(v.as_ptr() as *const u8, v.len(), factor, cells, stride, part.len()) }
    });
}

/// Shares out columns or rows, so many at a time, when they have many cells.
fn in_parts(count: usize, unit: usize, len: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    if count * len > SOME { team::ranges(count, unit, false, work) } else { work(0..count) }
}

versions! { fn left_versions<T: Entry>(v: *const u8, k: usize, factor: *const u8, cells: *mut u8, stride: usize, columns: usize) = left }

#[inline(always)]
unsafe fn left<T: Entry>(v: *const u8, k: usize, factor: *const u8, cells: *mut u8, stride: usize, columns: usize) {
    let (v, cells) = (v as *const T, cells as *mut T);
    // SAFETY: the caller passes `k` entries, a factor, and columns of `k` entries.
    unsafe {
        let factor = *(factor as *const T);
        match k {
            2 => left_few::<T, 2>(v, factor, cells, stride, columns),
            3 => left_few::<T, 3>(v, factor, cells, stride, columns),
            _ => {
                let v = std::slice::from_raw_parts(v, k);
                for j in 0..columns {
                    let column = std::slice::from_raw_parts_mut(cells.add(j * stride), k);
                    let by = sum_of_products(v, column) * factor;
                    column.iter_mut().zip(v).for_each(|(x, v)| *x = *x - *v * by);
                }
            }
        }
    }
}

#[inline(always)]
unsafe fn left_few<T: Entry, const K: usize>(v: *const T, factor: T, cells: *mut T, stride: usize, columns: usize) {
    // SAFETY: the caller passes `K` entries and columns of `K` entries.
    unsafe {
        let v = *(v as *const [T; K]);
        let scaled = v.map(|x| x * factor);
        for j in 0..columns {
            let column = &mut *(cells.add(j * stride) as *mut [T; K]);
            let mut dot = v[0].conj() * column[0];
            for i in 1..K {
                dot = dot + v[i].conj() * column[i];
            }
            for i in 0..K {
                column[i] = column[i] - scaled[i] * dot;
            }
        }
    }
}

/// `row -= (row v) * factor * vᴴ` for `rows` rows of `cells`, whose entries lie `stride` apart.
///
/// # Panics
/// When the slice is too short.
pub fn reflect_rows<T: Entry>(v: &[T], factor: T, cells: &mut [T], stride: usize, rows: usize) {
    if rows == 0 || v.is_empty() {
        return;
    }
    assert!((v.len() - 1) * stride + rows <= cells.len(), "rows lie in their slice");
    let run = pick(right_versions::<T>());
    let start = Shared(cells.as_mut_ptr());
    in_parts(rows, ROWS, v.len(), &|part| {
        let (cells, factor) = (start.at(part.start) as *mut u8, &raw const factor as *const u8);
        // SAFETY: all rows lie in the slice, as was just checked; parts have none in common.
        unsafe { run(v.as_ptr() as *const u8, v.len(), factor, cells, stride, part.len()) }
    });
}

versions! { fn right_versions<T: Entry>(v: *const u8, k: usize, factor: *const u8, cells: *mut u8, stride: usize, rows: usize) = right }

#[inline(always)]
unsafe fn right<T: Entry>(v: *const u8, k: usize, factor: *const u8, cells: *mut u8, stride: usize, rows: usize) {
    // SAFETY: the caller passes `k` entries, a factor, and rows whose entries lie `stride` apart.
    unsafe {
        let (v, factor) = (std::slice::from_raw_parts(v as *const T, k), *(factor as *const T));
        let mut first = 0;
        while first < rows {
            let cells = (cells as *mut T).add(first);
            if rows - first >= ROWS {
                right_block::<T, ROWS>(v, factor, cells, stride);
                first += ROWS;
            } else if rows - first >= 4 {
                right_block::<T, 4>(v, factor, cells, stride);
                first += 4;
            } else {
                right_block::<T, 1>(v, factor, cells, stride);
                first += 1;
            }
        }
    }
}

#[inline(always)]
unsafe fn right_block<T: Entry, const W: usize>(v: &[T], factor: T, cells: *mut T, stride: usize) {
    let mut sums = [T::default(); W];
    // SAFETY: the caller passes `W` rows whose entries lie `stride` apart.
    unsafe {
        for (j, v) in v.iter().enumerate() {
            let column = &*(cells.add(j * stride) as *const [T; W]);
            for i in 0..W {
                sums[i] = sums[i] + column[i] * *v;
            }
        }
        for (j, v) in v.iter().enumerate() {
            let (column, by) = (&mut *(cells.add(j * stride) as *mut [T; W]), v.conj() * factor);
            for i in 0..W {
                column[i] = column[i] - sums[i] * by;
            }
        }
    }
}

/// A rotation of two neighbouring columns: `(x, y)` becomes `(c x + s y, c y - s x)`, the product with `y` added without rounding
/// it before on Intel's processors.
#[derive(Clone, Copy, Debug)]
pub struct Turn<T> {
    /// The left one of the columns.
    pub column: usize,
    /// Cosine.
    pub c: T,
    /// Sine.
    pub s: T,
}

/// Cells from which on several threads are worth waking,
const MANY: usize = 1 << 17;

/// and from which on those of a team are worth asking.
const SOME: usize = 1 << 16;

/// Does rotations, in order, to the columns of `cells`, which has `rows` rows. Rows are taken some at a time and all rotations
/// done to them, so that they stay in the cache however many rotations there are.
///
/// # Panics
/// When a rotation names a column that is not there.
pub fn turn_columns<T: Entry>(cells: &mut [T], rows: usize, turns: &[Turn<T>]) {
    if rows == 0 || turns.is_empty() {
        return;
    }
    let columns = cells.len() / rows;
    assert!(turns.iter().all(|t| t.column + 1 < columns), "columns are there");
    let start = Shared(cells.as_mut_ptr() as *mut u8);
    let work = |block: usize| {
        let first = block * ROWS;
        let run = pick(turn_versions::<T>());
        // SAFETY: blocks of rows are disjoint and lie in the slice; the columns of all rotations are there.
        unsafe {
            let at = start.at(first * size_of::<T>());
            run(at, rows, (rows - first).min(ROWS), columns, turns.as_ptr() as *const u8, turns.len())
        }
    };
    let blocks = rows.div_ceil(ROWS);
    if rows * turns.len() > SOME { team::each(blocks, rows * turns.len() > MANY, &work) } else { (0..blocks).for_each(work) }
}

versions! { fn turn_versions<T: Entry>(cells: *mut u8, stride: usize, rows: usize, columns: usize, turns: *const u8, count: usize) = turn }

#[inline(always)]
unsafe fn turn<T: Entry>(cells: *mut u8, stride: usize, rows: usize, columns: usize, turns: *const u8, count: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match follows_intel() {
            true => turn_block::<T>(cells, stride, rows, columns, turns, count, |x, y, by| x.less_product(-y, by)),
            false => turn_block::<T>(cells, stride, rows, columns, turns, count, |x, y, by| x.less_rounded(-y, by)),
        }
    }
}

#[inline(always)]
unsafe fn turn_block<T: Entry>(
    cells: *mut u8,
    stride: usize,
    rows: usize,
    columns: usize,
    turns: *const u8,
    count: usize,
    plus: impl Fn(T, T, T) -> T,
) {
    let cells = cells as *mut T;
    // SAFETY: the caller passes `rows` rows of `columns` columns, and rotations of columns that are there.
    unsafe {
        let turns = std::slice::from_raw_parts(turns as *const Turn<T>, count);
        let mut block = vec![[T::default(); ROWS]; columns];
        for (j, column) in block.iter_mut().enumerate() {
            std::ptr::copy_nonoverlapping(cells.add(j * stride), column.as_mut_ptr(), rows);
        }
        let mut i = 0;
        while i < turns.len() {
            let goes_on = |i: usize, right: bool| {
                let next = if right { turns[i].column + 1 } else { turns[i].column.wrapping_sub(1) };
                i + 1 < turns.len() && turns[i + 1].column == next
            };
            let right = goes_on(i, true);
            // The column that the next rotation takes too stays in registers.
            let mut held = block[turns[i].column + usize::from(!right)];
            loop {
                let Turn { column, c, s } = turns[i];
                if right {
                    let other = block.get_unchecked_mut(column + 1);
                    let mut done = [T::default(); ROWS];
                    for k in 0..ROWS {
                        done[k] = plus(held[k] * c, other[k], s);
                        held[k] = plus(-(held[k] * s), other[k], c);
                    }
                    *block.get_unchecked_mut(column) = done;
                } else {
                    let other = block.get_unchecked_mut(column);
                    let mut done = [T::default(); ROWS];
                    for k in 0..ROWS {
                        done[k] = plus(-(other[k] * s), held[k], c);
                        held[k] = plus(other[k] * c, held[k], s);
                    }
                    *block.get_unchecked_mut(column + 1) = done;
                }
                i += 1;
                if !goes_on(i - 1, right) {
                    block[turns[i - 1].column + usize::from(right)] = held;
                    break;
                }
            }
        }
        for (j, column) in block.iter().enumerate() {
            std::ptr::copy_nonoverlapping(column.as_ptr(), cells.add(j * stride), rows);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::blas::less;
    use super::*;

    #[test]
    fn rotations_that_run_both_ways_are_done_in_order() {
        let (rows, columns) = (45, 9);
        let steps = [0, 1, 2, 3, 3, 2, 1, 5, 7, 6, 5, 4, 0, 0, 1, 7];
        let turns: Vec<Turn<f64>> = steps.iter().enumerate().map(|(i, j)| turn_of(*j, i as f64)).collect();
        let mut cells: Vec<f64> = (0..rows * columns).map(|i| (i as f64 * 0.37).sin()).collect();
        let mut by_hand = cells.clone();
        for t in &turns {
            for i in 0..rows {
                let (x, y) = (by_hand[t.column * rows + i], by_hand[(t.column + 1) * rows + i]);
                by_hand[t.column * rows + i] = less(x * t.c, -y, t.s);
                by_hand[(t.column + 1) * rows + i] = less(-(x * t.s), -y, t.c);
            }
        }
        turn_columns(&mut cells, rows, &turns);
        assert_eq!(cells, by_hand);
    }

    fn turn_of(column: usize, angle: f64) -> Turn<f64> {
        Turn { column, c: angle.cos(), s: angle.sin() }
    }
}
