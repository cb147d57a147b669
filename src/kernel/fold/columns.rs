//! Folding neighbouring columns: some at a time stay in registers from the first row to the last.

use super::Folding;
use super::strategy::{LEVELS, SHORTEST_RUN, Stage, Strategy, cascade, join};
use std::ops::Range;

/// Folds neighbouring columns, each into its own accumulator: takes the first element, the bytes from one row to the next, and
/// how many rows and columns there are.
pub type ColumnsFn = unsafe fn(block: *const u8, step: isize, rows: usize, columns: usize, into: *mut u8);

/// Where columns lie.
#[derive(Clone, Copy)]
struct Block {
    first: *const u8,
    step: isize,
    rows: usize,
}

/// Row k of each `W` rows goes to lane k of its column.
///
/// # Safety
/// Each row is `columns` readable elements, and there are as many accumulators.
#[inline(always)]
pub unsafe fn columns<F: Folding, S: Strategy<F, W, 1>, const W: usize>(
    first: *const u8,
    step: isize,
    rows: usize,
    columns: usize,
    into: *mut u8,
) {
    let (block, into) = (Block { first, step, rows }, into as *mut F::Acc);
    // SAFETY: the caller's promise.
    unsafe {
        let done = chunks::<F, S, W, 32>(block, 0..columns, into);
        let done = chunks::<F, S, W, 8>(block, done..columns, into);
        let done = chunks::<F, S, W, 4>(block, done..columns, into);
        let done = chunks::<F, S, W, 2>(block, done..columns, into);
        chunks::<F, S, W, 1>(block, done..columns, into);
    }
}

/// Folds as many of the columns as there are whole chunks of `C`; the first that is left.
#[inline(always)]
unsafe fn chunks<F: Folding, S: Strategy<F, W, 1>, const W: usize, const C: usize>(
    block: Block,
    columns: Range<usize>,
    into: *mut F::Acc,
) -> usize {
    let mut at = columns.start;
    while columns.end - at >= C {
        let first = block.first.wrapping_add(at * size_of::<F::In>());
        // SAFETY: the caller promises the columns, and an accumulator for each.
        unsafe { join::<F>(&mut *(into.add(at) as *mut [F::Acc; C]), &chunk::<F, S, W, C>(Block { first, ..block })) };
        at += C;
    }
    at
}

/// `C` columns in `W` lanes each.
#[inline(always)]
unsafe fn chunk<F: Folding, S: Strategy<F, W, 1>, const W: usize, const C: usize>(block: Block) -> [F::Acc; C] {
    if F::TAKES_COLUMNS {
        // SAFETY: the caller's promise.
        return unsafe { F::whole_columns::<C>(block.first, block.step, block.rows) };
    }
    let total = block.rows / W;
    let fresh = [[F::start(); C]; W];
    let mut lanes = fresh;
    if !S::FOLDS_VECTORS || total < SHORTEST_RUN {
        // SAFETY: the caller's promise.
        unsafe { take::<F, W, C>(&mut lanes, block, 0..total) };
    } else {
        let mut levels = [fresh; LEVELS];
        for stage in cascade(total, 0..total) {
            match stage {
                // SAFETY: the caller's promise.
                Stage::Rows(range) => unsafe { take::<F, W, C>(&mut levels[0], block, range) },
                Stage::Lift(level) => {
                    let below = std::mem::replace(&mut levels[level - 1], fresh);
                    (0..W).for_each(|k| join::<F>(&mut levels[level][k], &below[k]));
                }
            }
        }
        lanes = levels[0];
        levels[1..].iter().for_each(|level| (0..W).for_each(|k| join::<F>(&mut lanes[k], &level[k])));
    }
    let mut first = [lanes[0]];
    // SAFETY: the caller's promise.
    unsafe { take::<F, 1, C>(&mut first, block, total * W..block.rows) };
    let [mut first] = first;
    lanes[1..].iter().for_each(|lane| join::<F>(&mut first, lane));
    first
}

/// Takes `W` rows for each number, each into its lane.
#[inline(always)]
unsafe fn take<F: Folding, const W: usize, const C: usize>(lanes: &mut [[F::Acc; C]; W], block: Block, range: Range<usize>) {
    let mut acc = *lanes;
    for i in range {
        for (k, acc) in acc.iter_mut().enumerate() {
            let row = i * W + k;
            // SAFETY: the caller promises C elements in each row.
            let xs = unsafe { &*(block.first.wrapping_offset(row as isize * block.step) as *const [F::In; C]) };
            for c in 0..C {
                acc[c] = F::step(acc[c], xs[c], row as i64);
            }
        }
    }
    *lanes = acc;
}
