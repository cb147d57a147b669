//! Work on columns of row-major data as on lines. Some columns are brought together at a time, worked on in the cache, and brought back,
//! so that memory is passed once.

use super::plan::LINE;
use super::shared::Shared;
use super::turn::{Crossing, turn, turns};
use crate::interrupt;
use num_traits::Zero;
use rayon::prelude::*;

/// Bytes of a row that are brought together at most; at least are what the cache reads at a time.
const WIDEST: usize = 256;

/// Bytes that are worked on at a time.
const ROOM: usize = 1 << 18;

/// Work, counted in steps of about a nanosecond, that one thread does alone.
const ALONE: usize = 1 << 15;

/// Lets `f` change the columns of each block of `n` rows of `inner` elements: it gets some of them, one after the other, and the number
/// of the first. A column costs it `cost` steps. When Ctrl-C is pressed, the rest is left out.
///
/// # Panics
/// When the data is no whole number of blocks.
pub fn change_columns<E: Copy + Zero + Send + Sync>(
    data: &mut [E],
    [n, inner]: [usize; 2],
    cost: usize,
    f: impl Fn(usize, &mut [E]) + Sync + Send,
) {
    if data.is_empty() {
        return;
    }
    assert!(data.len().is_multiple_of(n * inner), "data are whole blocks");
    let (width, blocks) = (width::<E>(n).min(inner), data.len() / (n * inner));
    let (tiles, start) = (inner.div_ceil(width), Shared(data.as_mut_ptr()));
    let tile = |room: &mut Vec<E>, number: usize| {
        if interrupt::is_raised() {
            return;
        }
        let (block, first) = (number / tiles, number % tiles * width);
        let count = width.min(inner - first);
        let corner = start.at(block * n * inner + first);
        room.resize(count * n, E::zero());
        // SAFETY: the columns lie in the data, and tiles have none in common; the room holds them.
        unsafe { cross(room.as_mut_ptr(), corner, [count, n], [n, inner]) };
        f(first, room);
        // SAFETY: as above.
        unsafe { cross(corner, room.as_ptr(), [n, count], [inner, n]) };
    };
    if blocks * tiles < 2 || (blocks * inner).saturating_mul(cost) < ALONE {
        let mut room = Vec::new();
        (0..blocks * tiles).for_each(|number| tile(&mut room, number));
    } else {
        (0..blocks * tiles).into_par_iter().for_each_init(Vec::new, tile);
    }
}

/// Lets `f` change rows of `length` elements, some at a time, and fills `to` with them as columns. When Ctrl-C is pressed, the rest is left
/// out.
///
/// # Panics
/// When there are no whole rows, or `to` is not as long.
pub fn rows_to_columns<E: Copy + Send + Sync>(rows: &mut [E], length: usize, to: &mut [E], f: impl Fn(&mut [E]) + Sync + Send) {
    assert!(rows.len() == to.len() && rows.len().is_multiple_of(length), "rows become as many columns");
    let (count, width, to) = (rows.len() / length, width::<E>(length), Shared(to.as_mut_ptr()));
    rows.par_chunks_mut(width * length).enumerate().for_each(|(number, some)| {
        if interrupt::is_raised() {
            return;
        }
        f(some);
        // SAFETY: these columns lie in `to`, and are nobody else's.
        unsafe { cross(to.at(number * width), some.as_ptr(), [length, some.len() / length], [count, length]) };
    });
}

/// Writes lines of `to`, `to_stride` elements apart: element `j` of line `i` is element `i` of line `j` of `from`.
///
/// # Panics
/// When elements are not there.
pub fn crossed<E: Copy>(from: &[E], from_stride: usize, (to, to_stride): (&mut [E], usize), [lines, len]: [usize; 2]) {
    if lines == 0 || len == 0 {
        return;
    }
    assert!((lines - 1) * to_stride + len <= to.len() && (len - 1) * from_stride + lines <= from.len(), "elements are there");
    // SAFETY: as asserted; nobody else has what is written.
    unsafe { cross(to.as_mut_ptr(), from.as_ptr(), [lines, len], [to_stride, from_stride]) }
}

/// How many columns of `n` elements are brought together.
fn width<E>(n: usize) -> usize {
    (ROOM / n.max(1)).clamp(LINE, WIDEST) / size_of::<E>()
}

/// Writes `lines` lines of `len` elements: element `j` of line `i` is element `i` of line `j` that is read. Steps lead from line to line.
///
/// # Safety
/// All elements are there, and none is both read and written.
unsafe fn cross<E: Copy>(to: *mut E, from: *const E, [lines, len]: [usize; 2], [to_step, from_step]: [usize; 2]) {
    // SAFETY: the caller's promise.
    unsafe {
        if turns::<E>() {
            let [to_step, from_step] = [to_step, from_step].map(|step| (step * size_of::<E>()) as isize);
            return turn::<E>(to as *mut u8, from as *const u8, Crossing { lines, len, to_step, from_step });
        }
        for j in 0..len {
            for i in 0..lines {
                *to.add(i * to_step + j) = *from.add(j * from_step + i);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_changed_where_they_are() {
        for (blocks, n, inner) in [(1, 1, 1), (2, 5, 3), (1, 40, 70), (3, 7, 33)] {
            let mut data: Vec<u64> = (0..(blocks * n * inner) as u64).collect();
            let mut expected = data.clone();
            for (at, x) in expected.iter_mut().enumerate() {
                *x += 1000 * (at % inner) as u64 + (at / inner % n) as u64;
            }
            change_columns(&mut data, [n, inner], 1 << 12, |first, columns| {
                for (number, column) in columns.chunks_mut(n).enumerate() {
                    column.iter_mut().enumerate().for_each(|(row, x)| *x += 1000 * (first + number) as u64 + row as u64);
                }
            });
            assert_eq!(data, expected, "{blocks} blocks of {n} rows of {inner}");
        }
    }

    #[test]
    fn rows_become_columns() {
        for (count, length) in [(1, 1), (3, 5), (50, 40), (70, 33)] {
            let mut rows: Vec<u32> = (0..(count * length) as u32).collect();
            let mut to = vec![0; rows.len()];
            rows_to_columns(&mut rows, length, &mut to, |some| some.iter_mut().for_each(|x| *x += 1));
            for (at, x) in to.iter().enumerate() {
                assert_eq!(*x as usize, at % count * length + at / count + 1, "{count} rows of {length}");
            }
        }
    }
}
