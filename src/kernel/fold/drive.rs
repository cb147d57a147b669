//! Walks a fold plan: cuts it into jobs that can run side by side, feeds blocks to lanes, stores results.

use super::FoldLoop;
use super::lanes::{Lanes, MAX_LANES, Room, Rows};
use super::plan::{Dim, FoldPlan};
use crate::dtype::DType;
use crate::interrupt;
use crate::kernel::block::{MoveFn, store};
use crate::kernel::isa::pick;
use crate::kernel::plan::{BLOCK, Patch};
use crate::kernel::program::Program;
use crate::kernel::run::Registers;
use smallvec::SmallVec;
use std::ops::Range;

/// A fold ready to run: what is folded, over which elements, from where to where.
pub struct Task<'a> {
    /// The loops.
    pub fold: &'a FoldLoop,
    /// Makes the lanes to be folded from the inputs' elements.
    pub program: &'a Program,
    /// Which elements.
    pub plan: &'a FoldPlan,
    /// Start of each input's storage.
    pub inputs: &'a [*mut u8],
    /// Start of each output's storage, and its dtype.
    pub outputs: &'a [(*mut u8, DType)],
    /// The operation's parameter.
    pub number: f64,
}

// SAFETY: the addresses belong to the launch that made the task; jobs write disjoint results.
unsafe impl Sync for Task<'_> {}

/// How the places of the `next` dimension are grouped.
#[derive(Clone, Copy, Debug)]
pub struct Jobs<'a> {
    lanes: &'a Lanes,
    /// Places that are folded `lanes.width` at a time, then those folded a vector at a time; the rest one by one.
    columns: usize,
    vectors: usize,
    /// How single rows are folded.
    row: &'a Lanes,
    places: usize,
}

/// Some places of the `next` dimension, folded together.
#[derive(Clone, Copy, Debug)]
enum Job {
    /// One place.
    Row(usize),
    /// `width` places in as many lanes.
    Columns(usize),
    /// `vector` places, several rows side by side.
    Vectors(usize),
}

impl Job {
    fn first(self) -> usize {
        match self {
            Job::Row(place) | Job::Columns(place) | Job::Vectors(place) => place,
        }
    }
}

impl<'a> Jobs<'a> {
    fn new(fold: &'a FoldLoop, plan: &FoldPlan) -> Jobs<'a> {
        let steps =
            |dim: &Dim, size: usize| dim.steps.iter().zip(&plan.sizes).all(|(step, bytes)| *step == (*bytes * size) as isize);
        let (wide, narrow) = (&fold.wide, &fold.narrow);
        let places = plan.next.size;
        let enough = plan.count >= fold.wide_from;
        let rows = |row| Jobs { lanes: row, columns: 0, vectors: 0, row, places };
        if steps(&plan.inner, 1) && (plan.inner.size >= wide.vector || !wide.folds_vectors) {
            return rows(if enough { wide } else { narrow });
        }
        let columns = |lanes: &'a Lanes| {
            let columns = places / lanes.width * lanes.width;
            let vectors = if lanes.folds_vectors { (places - columns) / lanes.vector * lanes.vector } else { 0 };
            Jobs { lanes, columns, vectors: if lanes.vector > 1 { vectors } else { 0 }, row: narrow, places }
        };
        let inner = plan.inner.steps.first().map_or(0, |s| s.abs());
        let next = plan.next.steps.first().map_or(0, |s| s.abs());
        if steps(&plan.next, 1) && places >= wide.vector {
            columns(if enough { wide } else { narrow })
        } else if inner < next || places == 1 {
            rows(narrow)
        } else {
            columns(narrow)
        }
    }

    fn count(&self) -> usize {
        self.columns / self.lanes.width + self.vectors / self.lanes.vector + (self.places - self.columns - self.vectors)
    }

    fn get(&self, i: usize) -> Job {
        let (columns, vectors) = (self.columns / self.lanes.width, self.vectors / self.lanes.vector);
        if i < columns {
            Job::Columns(i * self.lanes.width)
        } else if i < columns + vectors {
            Job::Vectors(self.columns + (i - columns) * self.lanes.vector)
        } else {
            Job::Row(self.columns + self.vectors + i - columns - vectors)
        }
    }

    /// Places of a job.
    fn places(&self, job: Job) -> usize {
        match job {
            Job::Row(_) => 1,
            Job::Columns(_) => self.lanes.width,
            Job::Vectors(_) => self.lanes.vector,
        }
    }
}

/// Something that runs numbered pieces of work, each of about `size` elements, perhaps on several threads.
pub type Spread<'a> = &'a dyn Fn(usize, usize, &(dyn Fn(Range<usize>) + Sync)) -> anyhow::Result<()>;

/// Runs a task.
///
/// # Safety
/// Everything the plan reaches from the addresses is readable (inputs) or writable (outputs), of the dtypes that program and
/// outputs say, and untouched by others during the call.
pub unsafe fn run(task: &Task, spread: Spread) -> anyhow::Result<()> {
    // SAFETY: the caller's promise.
    unsafe { run_units(task, spread)? };
    interrupt::check()
}

unsafe fn run_units(task: &Task, spread: Spread) -> anyhow::Result<()> {
    let jobs = Jobs::new(task.fold, task.plan);
    let plan = task.plan;
    let outer: usize = plan.kept.iter().map(|d| d.size).product();
    let repeats: usize = plan.reduced.iter().map(|d| d.size).product();
    let per_outer = if plan.next_is_kept { jobs.count() } else { 1 };
    let units = outer * per_outer;
    if units == 1 || (units < 4 && plan.count > LONG) {
        for unit in 0..units {
            // SAFETY: the caller's promise.
            unsafe { one_by_one(task, &jobs, unit, per_outer, repeats, spread)? };
        }
        return Ok(());
    }
    let size = plan.count * if plan.next_is_kept { plan.next.size.div_ceil(per_outer.max(1)) } else { 1 };
    spread(units, size, &|range| {
        for unit in range {
            // SAFETY: the caller's promise; units have results of their own.
            unsafe { whole(task, &jobs, unit, per_outer, repeats) };
        }
    })
}

/// A result of more elements than this is worth several threads of its own.
const LONG: usize = 1 << 17;

/// Folds all elements of one unit on this thread.
unsafe fn whole(task: &Task, jobs: &Jobs, unit: usize, per_outer: usize, repeats: usize) {
    let plan = task.plan;
    let (outer, job) = (unit / per_outer, unit % per_outer);
    let mut totals = Totals::new(task.fold);
    let base = offsets(&plan.kept, outer, &plan.starts);
    for repeat in 0..repeats {
        let base = offsets(&plan.reduced, repeat, &base);
        let range = if plan.next_is_kept { job..job + 1 } else { 0..jobs.count() };
        for i in range {
            // SAFETY: the caller's promise.
            unsafe { fold_job(task, jobs, jobs.get(i), &base, &mut totals, plan.next_is_kept) };
        }
    }
    let first = if plan.next_is_kept { jobs.get(job) } else { Job::Row(0) };
    let places = if plan.next_is_kept { jobs.places(first) } else { 1 };
    // SAFETY: the caller's promise; the totals of `places` results are there.
    unsafe { totals.store(task, outer, first.first(), places) };
}

/// Folds the elements of one unit, its rows or pieces of its only row side by side.
unsafe fn one_by_one(
    task: &Task,
    jobs: &Jobs,
    unit: usize,
    per_outer: usize,
    repeats: usize,
    spread: Spread,
) -> anyhow::Result<()> {
    let plan = task.plan;
    let (outer, job) = (unit / per_outer, unit % per_outer);
    let rows = if plan.next_is_kept { repeats } else { repeats * jobs.count() };
    let only_rows = matches!(jobs.get(job), Job::Row(_)) && jobs.columns + jobs.vectors == 0;
    if !only_rows || (rows > 1 && plan.count <= LONG) {
        // SAFETY: the caller's promise.
        unsafe { whole(task, jobs, unit, per_outer, repeats) };
        return Ok(());
    }
    let base = offsets(&plan.kept, outer, &plan.starts);
    let mut totals = Totals::new(task.fold);
    let places = jobs.count();
    let at = |row: usize| {
        let (repeat, place) = if plan.next_is_kept { (row, job) } else { (row / places, row % places) };
        let base = offsets(&plan.reduced, repeat, &base);
        advance(&base, &plan.next, place)
    };
    if rows == 1 {
        // SAFETY: the caller's promise.
        unsafe { long_row(task, jobs.row, &at(0), totals.as_mut_ptr(), spread)? };
    } else {
        let size = task.fold.acc;
        let parts = Parts::new(rows * size);
        spread(rows, plan.inner.size, &|range| {
            for row in range {
                let part = parts.at(row * size);
                // SAFETY: the caller's promise; each row has its own accumulator.
                unsafe {
                    (task.fold.start)(part);
                    short_row(task, jobs.row, &at(row), part);
                }
            }
        })?;
        for row in 0..rows {
            // SAFETY: every part was written.
            unsafe { (task.fold.join)(totals.as_mut_ptr(), parts.at(row * size)) };
        }
    }
    // SAFETY: one total.
    unsafe { totals.store(task, outer, if plan.next_is_kept { job } else { 0 }, 1) };
    Ok(())
}

/// Accumulators or states that several threads write, each its own.
struct Parts(Box<[u128]>);

// SAFETY: threads write disjoint parts.
unsafe impl Sync for Parts {}

impl Parts {
    fn new(bytes: usize) -> Parts {
        Parts(vec![0; bytes.div_ceil(16)].into_boxed_slice())
    }

    fn at(&self, byte: usize) -> *mut u8 {
        (self.0.as_ptr() as *mut u8).wrapping_add(byte)
    }
}

/// The accumulators of the results of one job.
struct Totals {
    room: Room,
}

impl Totals {
    fn new(fold: &FoldLoop) -> Totals {
        let mut totals = Totals { room: Room::new() };
        for i in 0..MAX_LANES {
            // SAFETY: the room holds an accumulator for each lane.
            unsafe { (fold.start)(totals.as_mut_ptr().wrapping_add(i * fold.acc)) };
        }
        totals
    }

    fn as_mut_ptr(&mut self) -> *mut u8 {
        self.room.as_mut_ptr()
    }

    /// Finishes `places` totals and stores them from place `first` on.
    unsafe fn store(&mut self, task: &Task, outer: usize, first: usize, places: usize) {
        let (mut a, mut b) = (Room::new(), Room::new());
        let lanes = [a.as_mut_ptr(), b.as_mut_ptr()];
        // SAFETY: the rooms hold MAX_LANES lanes of 16 bytes.
        unsafe { (task.fold.finish)(self.as_mut_ptr(), places, task.plan.count as i64, task.number, &lanes) };
        for (i, (at, dtype)) in task.outputs.iter().enumerate() {
            let step = if task.plan.next_is_kept { task.plan.next.outs[i] } else { 0 };
            let mut byte = task.plan.outs[i] + first as isize * step;
            let mut rest = outer;
            for dim in &task.plan.kept {
                byte += (rest % dim.size) as isize * dim.outs[i];
                rest /= dim.size;
            }
            let patch = Patch { len: places, rows: 1, step, row_step: 0 };
            let transfer: MoveFn = store(*dtype);
            // SAFETY: the caller promises that the results are writable.
            unsafe { transfer(at.wrapping_offset(byte), lanes[i], &patch) };
        }
    }
}

/// The bytes of a place given by its number among some dimensions, innermost first.
fn offsets(dims: &[Dim], mut number: usize, base: &[isize]) -> SmallVec<[isize; 2]> {
    let mut at = SmallVec::from_slice(base);
    for dim in dims {
        let i = (number % dim.size) as isize;
        number /= dim.size;
        at.iter_mut().zip(&dim.steps).for_each(|(at, step)| *at += i * step);
    }
    at
}

fn advance(base: &[isize], dim: &Dim, place: usize) -> SmallVec<[isize; 2]> {
    base.iter().zip(&dim.steps).map(|(at, step)| at + place as isize * step).collect()
}

/// Folds the inner dimension of one job into the totals.
unsafe fn fold_job(task: &Task, jobs: &Jobs, job: Job, base: &[isize], totals: &mut Totals, apart: bool) {
    let acc = task.fold.acc;
    let base = advance(base, &task.plan.next, job.first());
    // SAFETY: the caller's promise.
    unsafe {
        match job {
            Job::Row(_) => short_row(task, jobs.row, &base, totals.as_mut_ptr()),
            Job::Columns(_) if apart => columns(task, jobs.lanes, &base, totals.as_mut_ptr()),
            Job::Vectors(_) if apart => vectors(task, jobs.lanes, &base, totals.as_mut_ptr()),
            _ => {
                let mut own = Totals::new(task.fold);
                match job {
                    Job::Vectors(_) => vectors(task, jobs.lanes, &base, own.as_mut_ptr()),
                    _ => columns(task, jobs.lanes, &base, own.as_mut_ptr()),
                }
                for i in 0..jobs.places(job) {
                    (task.fold.join)(totals.as_mut_ptr(), own.as_mut_ptr().wrapping_add(i * acc));
                }
            }
        }
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
    let mut row = range.start;
    while row < range.end && !interrupt::is_raised() {
        let count = (BLOCK / lanes.width).min(range.end - row);
        let first = row * lanes.width;
        // SAFETY: the caller promises readable elements; a block holds them.
        unsafe {
            let block = elements(task, registers, base, first, count * lanes.width);
            let step = (lanes.width * task.lane()) as isize;
            let at = first as i64;
            let stride = lanes.width as i64;
            let rows = Rows { block, step, count, first: row - range.start, total, at, stride, lanes: &places };
            pick(lanes.feed)(state, &rows);
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
unsafe fn short_row(task: &Task, lanes: &Lanes, base: &[isize], into: *mut u8) {
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
        (lanes.close_row)(state, tail, len, lanes.vector, done as i64, into);
    }
}

/// Folds the inner dimension of one place in pieces, on several threads; the pieces are the same however many there are.
unsafe fn long_row(task: &Task, lanes: &Lanes, base: &[isize], into: *mut u8, spread: Spread) -> anyhow::Result<()> {
    let rows = task.plan.inner.size / lanes.width;
    let piece = (lanes.piece)(rows);
    let pieces = rows.div_ceil(piece).max(1);
    let room = size_of::<Room>();
    let states = Parts::new(pieces * room + align_of::<Room>());
    let start = states.at(0).align_offset(align_of::<Room>());
    spread(pieces, piece * lanes.width, &|range| {
        Registers::with(task.program, task.plan.inner.size, |mut registers| {
            for i in range.clone() {
                let state = states.at(start + i * room);
                // SAFETY: the caller's promise; each piece has its own state.
                unsafe {
                    (lanes.reset)(state);
                    feed_row(task, lanes, &mut registers, base, i * piece..((i + 1) * piece).min(rows), rows, state);
                }
            }
        });
    })?;
    let state = states.at(start);
    Registers::with(task.program, task.plan.inner.size, |mut registers| {
        // SAFETY: all states were fed, in the order of their elements.
        unsafe {
            for i in 1..pieces {
                (lanes.append)(state, states.at(start + i * room));
            }
            close_row(task, lanes, &mut registers, base, state, into);
        }
    });
    Ok(())
}

/// Feeds rows of `len` neighbouring places of the `next` dimension, one per element of the inner dimension.
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
unsafe fn columns(task: &Task, lanes: &Lanes, base: &[isize], into: *mut u8) {
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
                pick(lanes.feed)(state.as_mut_ptr(), &rows);
                row += count;
            }
            (lanes.close_columns)(state.as_mut_ptr(), into);
        }
    });
}

/// Folds `vector` neighbouring places, `width / vector` rows side by side.
unsafe fn vectors(task: &Task, lanes: &Lanes, base: &[isize], into: *mut u8) {
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
                pick(lanes.feed)(state.as_mut_ptr(), &rows);
                row += count;
            }
            let (done, rest) = (total * beside, task.plan.inner.size - total * beside);
            let tail =
                if rest == 0 { state.as_mut_ptr() } else { places(task, &mut registers, base, done, rest, vector).0.cast_mut() };
            (lanes.close_vectors)(state.as_mut_ptr(), tail, rest * vector, vector, done as i64, into);
        }
    });
}

impl Task<'_> {
    /// Bytes of a lane of the elements.
    fn lane(&self) -> usize {
        self.program.output().class().size()
    }
}
