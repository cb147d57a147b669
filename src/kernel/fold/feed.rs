//! Feeding elements to lanes: along the inner dimension of one place, or for neighbouring places side by side.

use super::drive::{Spread, Task};
use super::lanes::{Lanes, MAX_LANES, Room, Rows};
use crate::interrupt;
use crate::kernel::plan::{BLOCK, Patch};
use crate::kernel::run::Registers;
use std::cell::UnsafeCell;
use std::ops::Range;

/// Elements that lie ready and are folded by one call.
pub(super) const READY: usize = 1 << 15;

/// Pieces of a long row that are folded side by side before they are appended: what is kept of them does not grow with the row.
const AT_ONCE: usize = 1 << 12;

/// Accumulators or states that several threads write, each its own.
pub(super) struct Parts(Box<[UnsafeCell<u128>]>);

// SAFETY: threads write disjoint parts.
unsafe impl Sync for Parts {}

impl Parts {
    /// Room for so many bytes.
    pub fn new(bytes: usize) -> Parts {
        Parts((0..bytes.div_ceil(16)).map(|_| UnsafeCell::new(0)).collect())
    }

    /// The place of a byte.
    pub fn at(&self, byte: usize) -> *mut u8 {
        (UnsafeCell::raw_get(self.0.as_ptr()) as *mut u8).wrapping_add(byte)
    }
}

/// Where the lanes of a row are in the reduced dimension.
fn in_a_row() -> [i64; MAX_LANES] {
    std::array::from_fn(|k| k as i64)
}

/// Feeds some rows of a row's lanes to a state: elements `range.start * width ..` of the inner dimension.
unsafe fn feed_row(
    task: &Task,
    lanes: &Lanes,
    registers: &mut Registers,
    base: &[isize],
    range: Range<usize>,
    total: usize,
    state: *mut u8,
) {
    let places = in_a_row();
    let ready = task.lies() && task.plan.inner.steps[0] == task.lane() as isize;
    let at_once = if ready { READY } else { BLOCK } / lanes.width;
    let mut row = range.start;
    while row < range.end && !interrupt::is_raised() {
        let count = at_once.min(range.end - row);
        let first = row * lanes.width;
        // SAFETY: the caller promises readable elements; a block holds them.
        unsafe {
            let block = elements(task, registers, base, first, count * lanes.width);
            let step = (lanes.width * task.lane()) as isize;
            let at = first as i64;
            let stride = lanes.width as i64;
            let rows = Rows { block, step, count, first: row - range.start, total, at, stride, lanes: &places };
            lanes.feed()(state, &rows);
        }
        row += count;
    }
}

/// Lanes of some elements of the inner dimension.
unsafe fn elements(task: &Task, registers: &mut Registers, base: &[isize], first: usize, len: usize) -> *const u8 {
    // SAFETY: the caller promises readable elements.
    unsafe {
        registers.block(len, |i| {
            let step = task.plan.inner.steps[i];
            let at = task.inputs[i].wrapping_offset(base[i] + first as isize * step);
            (at, Patch { len, rows: 1, step, row_step: 0 })
        })
    }
}

/// Folds the inner dimension of one place on this thread.
pub(super) unsafe fn row(task: &Task, lanes: &Lanes, base: &[isize], into: *mut u8) {
    let rows = task.plan.inner.size / lanes.width;
    let mut state = Room::new();
    Registers::with(task.program, task.plan.inner.size, |mut registers| {
        // SAFETY: the caller's promise; the room holds a state.
        unsafe {
            (lanes.reset)(state.as_mut_ptr());
            feed_row(task, lanes, &mut registers, base, 0..rows, rows, state.as_mut_ptr());
            close_row(task, lanes, &mut registers, base, state.as_mut_ptr(), into);
        }
    });
}

unsafe fn close_row(task: &Task, lanes: &Lanes, registers: &mut Registers, base: &[isize], state: *const u8, into: *mut u8) {
    let done = task.plan.inner.size / lanes.width * lanes.width;
    let len = task.plan.inner.size - done;
    // SAFETY: the caller's promise.
    unsafe {
        let tail = if len == 0 { state } else { elements(task, registers, base, done, len) };
        (lanes.close_row)(state, tail, len, done as i64, into);
    }
}

/// Folds the inner dimension of some neighbouring places, each into its own accumulator.
pub(super) unsafe fn whole_rows(
    task: &Task,
    lanes: &Lanes,
    registers: &mut Registers,
    base: &[isize],
    places: usize,
    into: *mut u8,
) {
    let (inner, next) = (&task.plan.inner, &task.plan.next);
    // SAFETY: the caller promises readable elements, and that a block holds them unless they are used where they lie.
    unsafe {
        let (rows, step) = if task.lies() && inner.steps[0] == task.lane() as isize {
            (task.inputs[0].wrapping_offset(base[0]) as *const u8, next.steps[0])
        } else {
            let rows = registers.block(inner.size * places, |i| {
                let patch = Patch { len: inner.size, rows: places, step: inner.steps[i], row_step: next.steps[i] };
                (task.inputs[i].wrapping_offset(base[i]), patch)
            });
            (rows, (inner.size * task.lane()) as isize)
        };
        lanes.whole_rows()(rows, inner.size, step, places, into);
    }
}

/// Folds the inner dimension of one place in pieces, on several threads; the pieces are the same however many there are.
pub(super) unsafe fn long_row(task: &Task, lanes: &Lanes, base: &[isize], into: *mut u8, spread: Spread) -> anyhow::Result<()> {
    let rows = task.plan.inner.size / lanes.width;
    let piece = (lanes.piece)(rows);
    let pieces = rows.div_ceil(piece);
    if pieces <= 1 {
        // SAFETY: the caller's promise.
        unsafe { self::row(task, lanes, base, into) };
        return Ok(());
    }
    let room = size_of::<Room>();
    // The first piece's state takes the others in, in order.
    let states = Parts::new((pieces.min(AT_ONCE) + 1) * room + align_of::<Room>());
    let start = states.at(0).align_offset(align_of::<Room>());
    let total = states.at(start);
    let feed = |registers: &mut Registers, piece_at: usize, state: *mut u8| {
        let from = piece_at * piece;
        // SAFETY: the caller's promise; each piece has its own state.
        unsafe {
            (lanes.reset)(state);
            feed_row(task, lanes, registers, base, from..(from + piece).min(rows), rows, state);
        }
    };
    let mut done = 0;
    while done < pieces {
        // Where in the room this wave begins: after the total, once there is one.
        let place = usize::from(done > 0);
        let count = AT_ONCE.min(pieces - done);
        spread(count, piece * lanes.width, &|range| {
            Registers::with(task.program, task.plan.inner.size, |mut registers| {
                range.for_each(|i| feed(&mut registers, done + i, states.at(start + (place + i) * room)));
            });
        })?;
        interrupt::check()?;
        // SAFETY: all states were fed, in the order of their elements.
        (1..place + count).for_each(|i| unsafe { (lanes.append)(total, states.at(start + i * room)) });
        done += count;
    }
    Registers::with(task.program, task.plan.inner.size, |mut registers| {
        // SAFETY: the total is a state that all pieces were appended to.
        unsafe { close_row(task, lanes, &mut registers, base, total, into) };
    });
    Ok(())
}

/// All rows of `len` neighbouring places of the `next` dimension: the first, and the bytes from one to the next. A block holds them,
/// unless they are folded where they lie.
pub(super) unsafe fn all_places(task: &Task, registers: &mut Registers, base: &[isize], len: usize) -> (*const u8, isize) {
    let plan = task.plan;
    if task.lies() && plan.next.steps[0] == task.lane() as isize {
        return (task.inputs[0].wrapping_offset(base[0]), plan.inner.steps[0]);
    }
    // SAFETY: the caller promises readable elements, and that a block holds them.
    unsafe { places(task, registers, base, 0, plan.inner.size, len) }
}

/// Rows of `len` neighbouring places of the `next` dimension in a block, one per element of the inner dimension: the first, and the
/// bytes from one to the next.
unsafe fn places(
    task: &Task,
    registers: &mut Registers,
    base: &[isize],
    first: usize,
    rows: usize,
    len: usize,
) -> (*const u8, isize) {
    let plan = task.plan;
    let patch = |i: usize| {
        let at = task.inputs[i].wrapping_offset(base[i] + first as isize * plan.inner.steps[i]);
        (at, Patch { len, rows, step: plan.next.steps[i], row_step: plan.inner.steps[i] })
    };
    // SAFETY: the caller promises readable elements.
    unsafe { (registers.block(len * rows, patch), (len * task.lane()) as isize) }
}

/// Folds `width` neighbouring places, each in its lane.
pub(super) unsafe fn columns(task: &Task, lanes: &Lanes, base: &[isize], into: *mut u8) {
    let total = task.plan.inner.size;
    let mut state = Room::new();
    Registers::with(task.program, BLOCK, |mut registers| {
        // SAFETY: the caller's promise; the room holds a state.
        unsafe {
            (lanes.reset)(state.as_mut_ptr());
            let mut row = 0;
            while row < total && !interrupt::is_raised() {
                let count = (BLOCK / lanes.width).min(total - row);
                let (block, step) = places(task, &mut registers, base, row, count, lanes.width);
                let rows = Rows { block, step, count, first: row, total, at: row as i64, stride: 1, lanes: &[0; MAX_LANES] };
                lanes.feed()(state.as_mut_ptr(), &rows);
                row += count;
            }
            (lanes.close_columns)(state.as_mut_ptr(), into);
        }
    });
}

/// Folds `vector` neighbouring places, `width / vector` rows side by side.
pub(super) unsafe fn vectors(task: &Task, lanes: &Lanes, base: &[isize], into: *mut u8) {
    let (vector, beside) = (lanes.vector, lanes.width / lanes.vector);
    let total = task.plan.inner.size / beside;
    let mut state = Room::new();
    let offsets: [i64; MAX_LANES] = std::array::from_fn(|k| (k / vector) as i64);
    Registers::with(task.program, BLOCK, |mut registers| {
        // SAFETY: the caller's promise; the room holds a state.
        unsafe {
            (lanes.reset)(state.as_mut_ptr());
            let mut row = 0;
            while row < total && !interrupt::is_raised() {
                let count = (BLOCK / lanes.width).min(total - row);
                let (block, _) = places(task, &mut registers, base, row * beside, count * beside, vector);
                let step = (lanes.width * task.lane()) as isize;
                let at = (row * beside) as i64;
                let rows = Rows { block, step, count, first: row, total, at, stride: beside as i64, lanes: &offsets };
                lanes.feed()(state.as_mut_ptr(), &rows);
                row += count;
            }
            let (done, rest) = (total * beside, task.plan.inner.size - total * beside);
            let tail =
                if rest == 0 { state.as_mut_ptr() } else { places(task, &mut registers, base, done, rest, vector).0.cast_mut() };
            (lanes.close_vectors)(state.as_mut_ptr(), tail, rest * vector, done as i64, into);
        }
    });
}
