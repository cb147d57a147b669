//! Runs a fold plan: cuts it into units that can run side by side, and stores results.

use super::FoldLoop;
use super::feed::{self, Parts};
use super::jobs::{Job, Jobs};
use super::lanes::{Bytes, MAX_LANES, MAX_ROWS, Room, Rows, Wide};
use super::plan::{Dim, FoldPlan, Steps};
use crate::dtype::DType;
use crate::interrupt;
use crate::kernel::block::store;
use crate::kernel::isa::pick;
use crate::kernel::plan::{BLOCK, Patch};
use crate::kernel::program::Program;
use crate::kernel::run::Registers;
use anyhow::Result;
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

// SAFETY: the addresses belong to the launch that made the task; units write disjoint results.
unsafe impl Sync for Task<'_> {}

impl Task<'_> {
    /// Bytes of a lane of the elements.
    pub(super) fn lane(&self) -> usize {
        self.program.output().class().size()
    }

    /// True when the elements are folded as they lie in the only input.
    pub(super) fn lies(&self) -> bool {
        self.program.code.is_empty() && self.inputs.len() == 1 && self.plan.sizes[0] == self.lane()
    }
}

/// Some elements, one after the other and no more than a block, that are folded into one result.
pub struct Line<'a> {
    /// The loops.
    pub fold: &'a FoldLoop,
    /// How many elements.
    pub count: usize,
    /// The first element, a lane.
    pub first: *const u8,
    /// Where each result goes, a lane.
    pub outputs: [*mut u8; 2],
    /// The operation's parameter.
    pub number: f64,
}

/// Folds a line, as a plan for it would.
///
/// # Safety
/// The elements are readable, the results writable.
pub unsafe fn run_line(line: &Line) {
    let fold = line.fold;
    let wide = line.count >= fold.wide_from && (line.count >= fold.wide.vector || !fold.wide.folds_vectors);
    let lanes = if wide { &fold.wide } else { &fold.narrow };
    let mut total = Bytes::<32>::new();
    // SAFETY: the caller's promise; the room holds an accumulator.
    unsafe {
        (fold.start)(total.as_mut_ptr(), 1);
        lanes.whole_rows()(line.first, line.count, 0, 1, total.as_mut_ptr());
        (fold.finish)(total.as_mut_ptr(), 1, line.count as i64, line.number, &line.outputs);
    }
}

/// Something that runs numbered pieces of work, each of about `size` elements, perhaps on several threads.
pub type Spread<'a> = &'a dyn Fn(usize, usize, &(dyn Fn(Range<usize>) + Sync)) -> Result<()>;

/// Groups of columns that are walked together, at most, so that memory is read in longer pieces.
const TOGETHER: usize = 8;
/// Rows of a group of columns that are folded before those of the next.
const DEEP: usize = 128;

/// Elements of a short column.
const ROWS: usize = 32;

/// Columns that end within so many bytes, have no more than `ROWS` elements, or are best taken whole, are walked a few at a time.
const NEAR: usize = 1 << 18;
/// Fewer columns than this are not worth a block.
const FEW: usize = 32;

/// A result of more elements than this is worth several threads of its own.
const LONG: usize = 1 << 17;

/// Runs a task. Fails with `KeyboardInterrupt` when the user stops it.
///
/// # Safety
/// Everything the plan reaches from the addresses is readable (inputs) or writable (outputs), of the dtypes that program and
/// outputs say, and untouched by others during the call.
pub unsafe fn run(task: &Task, spread: Spread) -> Result<()> {
    let walk = Walk::new(task);
    let units = walk.outer() * walk.jobs_per_outer;
    // SAFETY: the caller's promise; units have results of their own.
    unsafe {
        if let Some(at_once) = walk.columns_at_once() {
            let groups = task.plan.next.size.div_ceil(at_once);
            let size = task.plan.count * at_once.min(task.plan.next.size);
            spread(walk.outer() * groups, size, &|range| walk.short_columns(range, groups, at_once))?;
        } else if units == 1 || (units < 4 && task.plan.count > LONG) {
            for unit in 0..units {
                walk.side_by_side(unit, spread)?;
            }
        } else if let Some(at_once) = walk.rows_at_once() {
            spread(units, task.plan.count, &|range| walk.whole_rows(range, at_once))?;
        } else if walk.are_columns() {
            let together = units.div_ceil(4 * rayon::current_num_threads()).min(TOGETHER);
            let groups = walk.jobs_per_outer.div_ceil(together);
            let size = task.plan.count * together * task.fold.wide.width;
            spread(walk.outer() * groups, size, &|range| range.for_each(|i| walk.column_jobs(i / groups, i % groups, together)))?;
        } else {
            let places = if task.plan.next_is_kept { task.plan.next.size.div_ceil(walk.jobs_per_outer.max(1)) } else { 1 };
            spread(units, task.plan.count * places, &|range| range.for_each(|unit| walk.one_unit(unit)))?;
        }
    }
    interrupt::check()
}

/// True where neighbouring columns may be folded side by side where they lie: those that are too short for several threads.
fn may_group(task: &Task) -> bool {
    let plan = task.plan;
    task.lies() && plan.next_is_kept && plan.next.steps[0] == task.lane() as isize && plan.count <= LONG
}

/// A task with its jobs. A unit is one job at one place of the outer kept dimensions, or all jobs there when they belong to
/// one result.
struct Walk<'a> {
    task: &'a Task<'a>,
    jobs: Jobs<'a>,
    jobs_per_outer: usize,
    /// Places of the outer reduced dimensions.
    repeats: usize,
}

impl<'a> Walk<'a> {
    fn new(task: &'a Task<'a>) -> Walk<'a> {
        let jobs = Jobs::new(task.fold, task.plan, may_group(task));
        let jobs_per_outer = if task.plan.next_is_kept { jobs.count() } else { 1 };
        Walk { task, jobs, jobs_per_outer, repeats: task.plan.reduced.iter().map(|d| d.size).product() }
    }

    /// Places of the outer kept dimensions.
    fn outer(&self) -> usize {
        self.task.plan.kept.iter().map(|d| d.size).product()
    }

    /// How many rows are folded by one call, when that is worth it: rows that are short, or lie ready without gaps.
    fn rows_at_once(&self) -> Option<usize> {
        let (task, inner) = (self.task, &self.task.plan.inner);
        if !task.plan.next_is_kept || !self.jobs.are_rows() || self.repeats != 1 || task.inputs.len() != 1 {
            return None;
        }
        let few = inner.size <= BLOCK || (inner.size <= LONG && self.lie_ready());
        (inner.size > 0 && few).then(|| self.rows_together())
    }

    /// True for rows that are folded where they lie.
    fn lie_ready(&self) -> bool {
        self.task.lies() && self.task.plan.inner.steps[0] == self.task.lane() as isize
    }

    /// How many rows of some elements one call folds: what fits a block, or what is folded at once where it lies.
    fn rows_together(&self) -> usize {
        let elements = if self.lie_ready() { feed::READY } else { BLOCK };
        (elements / self.task.plan.inner.size).clamp(1, MAX_ROWS)
    }

    /// Folds units that are rows, `at_once` of them together.
    unsafe fn whole_rows(&self, units: Range<usize>, at_once: usize) {
        let (task, plan) = (self.task, self.task.plan);
        let mut unit = units.start;
        Registers::with(task.program, BLOCK, |mut registers| {
            let mut totals = Totals::new();
            while unit < units.end {
                let (outer, job) = (unit / self.jobs_per_outer, unit % self.jobs_per_outer);
                let places = at_once.min(units.end - unit).min(self.jobs_per_outer - job);
                let base = advance(&offsets(&plan.kept, outer, &plan.starts), &plan.next, job);
                // SAFETY: the caller's promise; the room holds an accumulator for each place, and a block the places' elements
                // unless they are used where they lie.
                unsafe {
                    totals.start(task.fold, places);
                    feed::whole_rows(task, self.jobs.row, &mut registers, &base, places, totals.as_mut_ptr());
                    totals.store(task, outer, job, places);
                }
                unit += places;
            }
        });
    }

    /// How many columns are folded by one call, when they are short enough to be walked a few at a time: those that lie in the
    /// nearest memory, or that fill a block when they are computed.
    fn columns_at_once(&self) -> Option<usize> {
        let (task, inner, next) = (self.task, &self.task.plan.inner, &self.task.plan.next);
        if !task.plan.next_is_kept || self.jobs.are_rows() || task.fold.alone.is_none() || inner.size == 0 {
            return None;
        }
        if task.lies() && next.steps[0] == task.lane() as isize {
            let are_near = task.fold.takes_columns || inner.size <= ROWS || inner.size * inner.steps[0].unsigned_abs() <= NEAR;
            return (task.plan.count <= LONG && are_near).then_some(MAX_ROWS);
        }
        let fit = (BLOCK / inner.size).min(MAX_ROWS);
        (fit >= next.size.min(FEW)).then(|| fit / FEW.min(fit) * FEW.min(fit))
    }

    /// Folds columns, `at_once` of them together: those that fill lanes each in its own lane, the others in narrow ones.
    unsafe fn short_columns(&self, units: Range<usize>, groups: usize, at_once: usize) {
        let (task, plan) = (self.task, self.task.plan);
        let (inner, next) = (&plan.inner, &plan.next);
        Registers::with(task.program, BLOCK, |mut registers| {
            let mut totals = Totals::new();
            for unit in units {
                let (outer, first) = (unit / groups, unit % groups * at_once);
                let many = at_once.min(next.size - first);
                let alone = self.jobs.alone().saturating_sub(first).min(many);
                let base = advance(&offsets(&plan.kept, outer, &plan.starts), next, first);
                totals.start(task.fold, many);
                for repeat in 0..self.repeats {
                    let base = offsets(&plan.reduced, repeat, &base);
                    // SAFETY: the caller's promise; the room holds an accumulator for each column, and a block the columns unless
                    // they are used where they lie.
                    unsafe {
                        let (block, step) = feed::all_places(task, &mut registers, &base, many);
                        let into = totals.as_mut_ptr();
                        if let Some(own) = task.fold.alone {
                            pick(own)(block, step, inner.size, alone, into);
                        }
                        let (rest, after) = (block.wrapping_add(alone * task.lane()), into.wrapping_add(alone * task.fold.acc));
                        pick(task.fold.group)(rest, step, inner.size, many - alone, after);
                    }
                }
                // SAFETY: the caller's promise; the totals of these columns are there.
                unsafe { totals.store(task, outer, first, many) };
            }
        });
    }

    /// True when there are columns to be folded where they lie.
    fn are_columns(&self) -> bool {
        let (task, plan) = (self.task, self.task.plan);
        plan.next_is_kept
            && self.repeats == 1
            && task.lies()
            && !self.jobs.are_rows()
            && plan.next.steps[0] == task.lane() as isize
    }

    /// Folds `together` neighbouring jobs of one place of the outer kept dimensions, in turn.
    unsafe fn column_jobs(&self, outer: usize, group: usize, together: usize) {
        let (task, plan, lanes) = (self.task, self.task.plan, self.jobs.lanes);
        let jobs = group * together..((group + 1) * together).min(self.jobs_per_outer);
        let whole = jobs.clone().take_while(|i| matches!(self.jobs.get(*i), Job::Columns(_))).count();
        let base = offsets(&plan.kept, outer, &plan.starts);
        let start = |i: usize| base[0] + self.jobs.get(jobs.start + i).first() as isize * plan.next.steps[0];
        let mut states: [Room; TOGETHER] = std::array::from_fn(|_| Room::new());
        let places = [0; MAX_LANES];
        // SAFETY: the caller's promise; the rooms hold states, and the totals an accumulator for each lane.
        unsafe {
            states[..whole].iter_mut().for_each(|state| (lanes.reset)(state.as_mut_ptr()));
            let feed = lanes.feed();
            for first in (0..plan.inner.size).step_by(DEEP) {
                if interrupt::is_raised() {
                    return;
                }
                let (count, total) = (DEEP.min(plan.inner.size - first), plan.inner.size);
                for (i, state) in states[..whole].iter_mut().enumerate() {
                    let step = plan.inner.steps[0];
                    let block = task.inputs[0].wrapping_offset(start(i) + first as isize * step);
                    feed(
                        state.as_mut_ptr(),
                        &Rows { block, step, count, first, total, at: first as i64, stride: 1, lanes: &places },
                    );
                }
            }
            for (i, state) in states[..whole].iter_mut().enumerate() {
                let mut totals = Totals::new();
                totals.start(task.fold, lanes.width);
                (lanes.close_columns)(state.as_mut_ptr(), totals.as_mut_ptr());
                totals.store(task, outer, self.jobs.get(jobs.start + i).first(), lanes.width);
            }
            (jobs.start + whole..jobs.end).for_each(|i| self.one_unit(outer * self.jobs_per_outer + i));
        }
    }

    /// Folds all elements of a unit on this thread.
    unsafe fn one_unit(&self, unit: usize) {
        let plan = self.task.plan;
        let (outer, job) = (unit / self.jobs_per_outer, unit % self.jobs_per_outer);
        let first = if plan.next_is_kept { self.jobs.get(job) } else { Job::Row(0) };
        let places = if plan.next_is_kept { self.jobs.places(first) } else { 1 };
        let mut totals = Totals::new();
        totals.start(self.task.fold, places);
        let base = offsets(&plan.kept, outer, &plan.starts);
        for repeat in 0..self.repeats {
            let base = offsets(&plan.reduced, repeat, &base);
            if !plan.next_is_kept && self.jobs.are_rows() && (1..=BLOCK).contains(&plan.inner.size) {
                // SAFETY: the caller's promise.
                unsafe { self.fold_rows(&base, &mut totals) };
                continue;
            }
            let range = if plan.next_is_kept { job..job + 1 } else { 0..self.jobs.count() };
            for i in range {
                // SAFETY: the caller's promise.
                unsafe { self.fold_job(self.jobs.get(i), &base, &mut totals) };
            }
        }
        // SAFETY: the caller's promise; the totals of `places` results are there.
        unsafe { totals.store(self.task, outer, first.first(), places) };
    }

    /// Folds all rows of one place into the first total, some at a time.
    unsafe fn fold_rows(&self, base: &[isize], totals: &mut Totals) {
        let (task, plan) = (self.task, self.task.plan);
        let at_once = self.rows_together();
        let mut own = Totals::new();
        Registers::with(task.program, BLOCK, |mut registers| {
            for first in (0..plan.next.size).step_by(at_once) {
                let rows = at_once.min(plan.next.size - first);
                let base = advance(base, &plan.next, first);
                own.start(task.fold, rows);
                // SAFETY: the caller's promise; the room holds an accumulator for each row, and a block the rows.
                unsafe {
                    feed::whole_rows(task, self.jobs.row, &mut registers, &base, rows, own.as_mut_ptr());
                    (0..rows).for_each(|i| {
                        (task.fold.join)(totals.as_mut_ptr(), own.as_mut_ptr().wrapping_add(i * task.fold.acc));
                    });
                }
            }
        })
    }

    /// Folds the inner dimension of one job into the totals: a total per place when places are kept, else into the first.
    unsafe fn fold_job(&self, job: Job, base: &[isize], totals: &mut Totals) {
        let (task, lanes) = (self.task, self.jobs.lanes);
        let base = advance(base, &task.plan.next, job.first());
        let fold = |into: *mut u8| {
            // SAFETY: the caller's promise.
            unsafe {
                match job {
                    Job::Row(_) => feed::row(task, self.jobs.row, &base, into),
                    Job::Columns(_) => feed::columns(task, lanes, &base, into),
                    Job::Vectors(_) => feed::vectors(task, lanes, &base, into),
                    Job::Group(_) => {
                        let (block, inner) = (task.inputs[0].wrapping_offset(base[0]), &task.plan.inner);
                        pick(task.fold.group)(block, inner.steps[0], inner.size, self.jobs.places(job), into)
                    }
                }
            }
        };
        if task.plan.next_is_kept || matches!(job, Job::Row(_)) {
            return fold(totals.as_mut_ptr());
        }
        let mut own = Totals::new();
        own.start(task.fold, self.jobs.places(job));
        fold(own.as_mut_ptr());
        for i in 0..self.jobs.places(job) {
            // SAFETY: both are accumulators of this fold.
            unsafe { (task.fold.join)(totals.as_mut_ptr(), own.as_mut_ptr().wrapping_add(i * task.fold.acc)) };
        }
    }

    /// Folds the elements of a unit, its rows or the pieces of its only row side by side.
    unsafe fn side_by_side(&self, unit: usize, spread: Spread) -> Result<()> {
        let (task, plan) = (self.task, self.task.plan);
        let (outer, job) = (unit / self.jobs_per_outer, unit % self.jobs_per_outer);
        let places = if plan.next_is_kept { 1 } else { self.jobs.count() };
        let rows = self.repeats * places;
        if !self.jobs.are_rows() || (rows > 1 && plan.count <= LONG) {
            // SAFETY: the caller's promise.
            unsafe { self.one_unit(unit) };
            return Ok(());
        }
        let base = offsets(&plan.kept, outer, &plan.starts);
        let at = |row: usize| {
            let place = if plan.next_is_kept { job } else { row % places };
            advance(&offsets(&plan.reduced, row / places, &base), &plan.next, place)
        };
        let mut totals = Totals::new();
        totals.start(task.fold, 1);
        // SAFETY: the caller's promise; each row has its own accumulator, and there is one total.
        unsafe {
            if rows == 1 {
                feed::long_row(task, self.jobs.row, &at(0), totals.as_mut_ptr(), spread)?;
            } else {
                let parts = Parts::new(rows * task.fold.acc);
                spread(rows, plan.inner.size, &|range| {
                    for row in range {
                        let part = parts.at(row * task.fold.acc);
                        (task.fold.start)(part, 1);
                        feed::row(task, self.jobs.row, &at(row), part);
                    }
                })?;
                (0..rows).for_each(|row| (task.fold.join)(totals.as_mut_ptr(), parts.at(row * task.fold.acc)));
            }
            totals.store(task, outer, if plan.next_is_kept { job } else { 0 }, 1);
        }
        Ok(())
    }
}

/// The accumulators of the results of one job.
struct Totals {
    room: Wide,
}

impl Totals {
    #[inline(always)]
    fn new() -> Totals {
        Totals { room: Wide::new() }
    }

    /// The accumulators of `places` results before any element; at most [`MAX_ROWS`](super::lanes::MAX_ROWS).
    fn start(&mut self, fold: &FoldLoop, places: usize) {
        // SAFETY: the room holds as many accumulators.
        unsafe { (fold.start)(self.as_mut_ptr(), places) };
    }

    fn as_mut_ptr(&mut self) -> *mut u8 {
        self.room.as_mut_ptr()
    }

    /// Finishes `places` totals and stores them from place `first` on.
    unsafe fn store(&mut self, task: &Task, outer: usize, first: usize, places: usize) {
        let (mut a, mut b) = (Wide::new(), Wide::new());
        let lanes = [a.as_mut_ptr(), b.as_mut_ptr()];
        // SAFETY: the rooms hold MAX_ROWS lanes of 16 bytes.
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
            // SAFETY: the caller promises that the results are writable.
            unsafe { store(*dtype)(at.wrapping_offset(byte), lanes[i], &patch) };
        }
    }
}

/// The bytes of a place given by its number among some dimensions, innermost first.
fn offsets(dims: &[Dim], mut number: usize, base: &[isize]) -> Steps {
    let mut at = Steps::from_slice(base);
    for dim in dims {
        let i = (number % dim.size) as isize;
        number /= dim.size;
        at.iter_mut().zip(&dim.steps).for_each(|(at, step)| *at += i * step);
    }
    at
}

fn advance(base: &[isize], dim: &Dim, place: usize) -> Steps {
    base.iter().zip(&dim.steps).map(|(at, step)| at + place as isize * step).collect()
}
