//! Whole lines at a time: sorting them, and choosing from them by rank.
//!
//! Lines lie one after another without gaps. Elements are ordered by their keys, unsigned numbers that sort as the elements do;
//! so there is one way of sorting for all dtypes.

mod distinct;
mod key;
mod partition;
mod radix;
mod rank;

use super::fold::Spread;
use crate::dtype::DType;
use crate::{for_element, interrupt};
use anyhow::Result;
use key::Keyed;
use partition::unstable_sort;
pub use rank::first_by_exchange;
use std::ops::Range;

/// What is done to each line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// All elements in order.
    Sort {
        /// The greatest first.
        descending: bool,
        /// Equal elements keep their order; else, in lines that are not long, they get the one that PyTorch's exchanges give them.
        stable: bool,
    },
    /// The first elements in order; of equal ones the earlier.
    Top {
        /// The greatest first.
        largest: bool,
        /// In order; else, where they are not few of many, they stay as PyTorch's exchanges leave them.
        sorted: bool,
    },
    /// The element of this rank, counted from 0; of equal ones the earlier has the lower rank.
    Nth(usize),
    /// The lower median; NaN when there is one, unless they are left out.
    Middle {
        /// Leaves NaN out.
        skip_nan: bool,
    },
    /// The last of the most frequent elements, the least of several; NaN differs from NaN.
    Frequent,
    /// The different elements of the only line and the group of each element; to the third output how many there are, and behind
    /// that their counts.
    Distinct {
        /// In order; else neighbours are compared.
        sort: bool,
        /// The groups are wanted.
        groups: bool,
        /// The counts are wanted.
        counts: bool,
    },
}

/// Lines ready to be worked on.
pub struct Task {
    /// What is done.
    pub work: Work,
    /// The dtype of the elements; not complex.
    pub dtype: DType,
    /// How many lines.
    pub count: usize,
    /// Elements of a line.
    pub length: usize,
    /// Results of a line.
    pub keep: usize,
    /// The first line.
    pub input: *const u8,
    /// The resulting elements, their places in their lines as int64, and counts as int64 where there are some.
    pub outputs: [*mut u8; 3],
}

// SAFETY: the addresses belong to the launch that made the task; lines write their own results.
unsafe impl Sync for Task {}

/// A line longer than this is worth several threads of its own.
const LONG: usize = 1 << 16;

/// Up to this length equal elements are ordered by exchanges; PyTorch itself sorts integers by digits from here on.
const SHORT: usize = 1 << 15;

/// Elements of a long line that are worked on before Ctrl-C is looked for again.
const AT_ONCE: usize = 1 << 16;

/// Exchanges leave equal elements of shorter lines alone.
const STABLE: usize = 17;

/// Runs a task, lines side by side, or one after the other when they are few and long.
///
/// # Safety
/// The lines are readable and the results writable: `count * length` elements, and `count * keep` results of each of the two kinds; for
/// `Distinct` one line of as many results as elements of each kind that is wanted, and one count more.
pub unsafe fn run(task: &Task, spread: Spread) -> Result<()> {
    let run: unsafe fn(&Task, Spread) -> Result<()> = for_element!(task.dtype, E => run_typed::<E>);
    // SAFETY: the caller's promise.
    unsafe { run(task, spread) }
}

unsafe fn run_typed<E: Keyed>(task: &Task, spread: Spread) -> Result<()> {
    match task.work {
        Work::Sort { descending, .. } if task.length > LONG && task.count < rayon::current_num_threads() => {
            for line in 0..task.count {
                // SAFETY: the caller's promise.
                let (elements, values, places) = unsafe { line_of::<E>(task, line) };
                radix::sort_long(elements, values, places, descending, spread)?;
            }
            return interrupt::check();
        }
        Work::Distinct { sort, groups, counts } => {
            // SAFETY: the caller's promise.
            let (elements, values, groups, found) = unsafe {
                (
                    std::slice::from_raw_parts(task.input as *const E, task.length),
                    std::slice::from_raw_parts_mut(task.outputs[0] as *mut E, task.length),
                    if groups { std::slice::from_raw_parts_mut(task.outputs[1] as *mut i64, task.length) } else { &mut [] },
                    std::slice::from_raw_parts_mut(task.outputs[2] as *mut i64, if counts { 1 + task.length } else { 1 }),
                )
            };
            let (found, counts) = found.split_at_mut(1);
            let out = distinct::Out { values, groups, counts };
            found[0] = if sort { distinct::distinct(elements, out, spread)? } else { distinct::neighbours(elements, out) } as i64;
            return interrupt::check();
        }
        _ => {}
    }
    // SAFETY: the caller's promise.
    spread(task.count, task.length.saturating_mul(8), &|range| unsafe { some_lines::<E>(task, range) })
}

/// A line and the room for its results.
#[allow(clippy::mut_from_ref, reason = "each line has results of its own")]
unsafe fn line_of<E: Keyed>(task: &Task, line: usize) -> (&[E], &mut [E], &mut [i64]) {
    // SAFETY: the caller's promise; each line has its own results.
    unsafe {
        (
            std::slice::from_raw_parts((task.input as *const E).add(line * task.length), task.length),
            std::slice::from_raw_parts_mut((task.outputs[0] as *mut E).add(line * task.keep), task.keep),
            std::slice::from_raw_parts_mut((task.outputs[1] as *mut i64).add(line * task.keep), task.keep),
        )
    }
}

unsafe fn some_lines<E: Keyed>(task: &Task, lines: Range<usize>) {
    let mut room = Room::default();
    for line in lines {
        // SAFETY: the caller's promise.
        let (elements, values, places) = unsafe { line_of::<E>(task, line) };
        match task.work {
            Work::Sort { descending, stable } => {
                radix::sort(elements, values, places, descending, &mut room);
                if !stable && (STABLE..=SHORT).contains(&task.length) {
                    exchange_equal(elements, values, places, descending, &mut room);
                }
            }
            Work::Top { largest, sorted } => rank::top(elements, values, places, (largest, sorted), &mut room),
            Work::Nth(rank) => rank::nth(elements, values, places, rank, &mut room),
            Work::Middle { skip_nan } => rank::middle(elements, values, places, skip_nan, &mut room),
            Work::Frequent => rank::frequent(elements, values, places),
            Work::Distinct { .. } => {}
        }
    }
}

/// Where a sorted line has equal elements, sorts it again by exchanges.
fn exchange_equal<E: Keyed>(elements: &[E], values: &mut [E], places: &mut [i64], descending: bool, room: &mut Room) {
    let keys = &mut room.keys;
    if !places.windows(2).any(|pair| keys[pair[0] as usize] == keys[pair[1] as usize]) {
        return;
    }
    if descending {
        keys.iter_mut().for_each(|key| *key = !*key);
    }
    let mut order: Vec<usize> = (0..elements.len()).collect();
    unstable_sort(&mut order, &|a, b| keys[a] < keys[b]);
    for ((at, value), place) in order.into_iter().zip(values).zip(places) {
        (*value, *place) = (elements[at], at as i64);
    }
}

/// Sorts one line, on all threads when it is long.
fn sort_line<E: Keyed>(elements: &[E], values: &mut [E], places: &mut [i64], spread: Spread) -> Result<()> {
    if elements.len() > LONG {
        return radix::sort_long(elements, values, places, false, spread);
    }
    radix::sort(elements, values, places, false, &mut Room::default());
    Ok(())
}

/// Memory that is used for one line after the other.
#[derive(Default)]
struct Room {
    keys: Vec<u64>,
    items: Vec<u64>,
    spare: Vec<u64>,
    best: Vec<u128>,
}
