//! Running a program over the tiles of a plan.

use super::block::copy_rows;
use super::plan::{BLOCK, LINE, Patch, Plan, Tile};
use super::program::{Constant, Element, Micro, Program};
use super::scalar::{BlockFn, MAX_ARGS};
use super::stream::{self, Ahead};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::ops::Range;

/// A cache line of scratch memory.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[allow(dead_code, reason = "memory that is only reached through pointers")] [u8; 64]);

thread_local! {
    /// Register blocks of the running thread.
    static SCRATCH: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
}

/// The registers of a running program.
pub struct Registers<'a> {
    program: &'a Program,
    /// The scratch memory.
    start: *mut u8,
    /// Where each register is now: in scratch memory, or in a tensor that serves as one.
    at: SmallVec<[*mut u8; 12]>,
    /// The loop of each call.
    runs: SmallVec<[BlockFn; 4]>,
}

impl<'a> Registers<'a> {
    /// Hands `f` the registers of a program, with constants filled in for tiles of up to `n` elements, at most a block.
    pub fn with<T>(program: &'a Program, n: usize, f: impl FnOnce(Registers<'a>) -> T) -> T {
        SCRATCH.with_borrow_mut(|scratch| {
            scratch.resize(program.scratch.div_ceil(64).max(scratch.len()), Line([0; 64]));
            let start = scratch.as_mut_ptr() as *mut u8;
            let at: SmallVec<[*mut u8; 12]> = program.registers.iter().map(|at| start.wrapping_add(*at)).collect();
            for constant in &program.constants {
                // SAFETY: a register has room for a block.
                unsafe { constant.write(at[constant.register as usize], n.min(BLOCK)) };
            }
            f(Registers { program, start, at, runs: program.code.iter().map(|micro| micro.run).collect() })
        })
    }

    /// Lets a part of a tensor serve as the register of an input, or as the register of the result.
    fn place(&mut self, register: usize, at: *mut u8) {
        self.at[register] = at;
    }

    /// Loads a patch into the register of an input.
    ///
    /// # Safety
    /// The patch is readable, of the input's dtype, and no larger than a block.
    unsafe fn load(&self, input: usize, from: *const u8, patch: &Patch) {
        // SAFETY: the caller's promise.
        unsafe { (self.program.inputs[input].transfer)(self.at[input], from, patch) }
    }

    /// Computes everything from the inputs to the result, for `n` elements.
    ///
    /// # Safety
    /// The registers of the inputs hold `n` elements.
    unsafe fn compute(&self, n: usize) -> *mut u8 {
        for (micro, run) in self.program.code.iter().zip(&self.runs) {
            let args = micro.args.map(|a| self.at[a as usize] as *const u8);
            // SAFETY: the program connects registers of the right classes, each with room for a block, and an argument
            // with the result only where the loop is made for it.
            unsafe { run(n, self.at[micro.out as usize], &args) };
        }
        self.at[self.program.result as usize]
    }

    /// The lanes of the result for a patch of each input, `n` elements in all; a gapless input of the right dtype is used
    /// where it lies.
    ///
    /// # Safety
    /// The patches are readable, of the inputs' dtypes, and no larger than a block unless used where they lie.
    pub unsafe fn block(&mut self, n: usize, patch: impl Fn(usize) -> (*mut u8, Patch)) -> *const u8 {
        for (i, port) in self.program.inputs.iter().enumerate() {
            let (from, patch) = patch(i);
            if patch.is_gapless(port.dtype.size()) {
                self.place(i, from);
            } else {
                let home = self.home(i);
                self.place(i, home);
                // SAFETY: the caller's promise.
                unsafe { self.load(i, from, &patch) };
            }
        }
        // SAFETY: all inputs are in their registers.
        unsafe { self.compute(n) }
    }

    /// The scratch memory of a register.
    fn home(&self, register: usize) -> *mut u8 {
        self.start.wrapping_add(self.program.registers[register])
    }
}

impl Program {
    /// True when every operand can serve as its own register, so that tiles need not fit a block.
    pub fn is_direct(&self, plan: &Plan, bases: &[*mut u8]) -> bool {
        if self.is_copy() {
            return plan.is_direct(0) && plan.is_direct(1);
        }
        self.code.len() <= 1 && self.constants.iter().all(|c| c.is_one) && {
            let course = Course::over(self, plan, bases);
            let is_placed = |i: usize| course.ones[i] || plan.is_direct(i + 1);
            course.writes_through && plan.is_direct(0) && (0..self.inputs.len()).all(is_placed)
        }
    }

    /// True for a copy that needs no register because the elements of one of its tensors follow each other in every tile.
    pub fn moves(&self, plan: &Plan, bases: &[*mut u8]) -> bool {
        let loads = || plan.is_direct(0) && Course::over(self, plan, bases).writes_through;
        self.is_copy() && !plan.is_crossed() && !plan.is_same_in_all_tiles(1) && (plan.is_direct(1) || loads())
    }

    /// True when elements are moved as they are.
    pub fn is_copy(&self) -> bool {
        self.code.is_empty() && self.constants.is_empty() && self.inputs.len() == 1
    }

    /// Runs over the elements of a range, where those of every operand follow each other. `past_caches` writes a result that is
    /// not an operand, too, as what is not read soon.
    ///
    /// # Safety
    /// `at` holds one address per operand, output first, each of the first of as many elements as the range ends at, of the
    /// program's dtype for that operand, readable, the output's writable, by nobody else during the call. An input that overlaps
    /// the output is the same elements.
    pub unsafe fn run_flat(&self, range: Range<usize>, at: &[*mut u8], past_caches: bool) {
        let (out, size) = (at[0], self.output.dtype.size());
        let input = |i: usize, k: usize| at[i + 1].wrapping_add(k * self.inputs[i].dtype.size());
        let past_caches = past_caches && !at[1..].contains(&out);
        match (self.code.is_empty(), self.constants.as_slice()) {
            // SAFETY: the caller's promise; the output is no operand.
            (true, []) if past_caches => unsafe {
                stream::copy(out.wrapping_add(range.start * size), input(0, range.start), range.len() * size, &[]);
                return stream::finish();
            },
            // SAFETY: the caller's promise; a copy of elements onto themselves is one, too.
            (true, []) => unsafe {
                return copy_rows((out.wrapping_add(range.start * size), 0), (input(0, range.start), 0), range.len() * size, 1);
            },
            // SAFETY: the caller's promise; without code the constant is the result.
            (true, [constant]) => return unsafe { constant.write(out.wrapping_add(range.start * size), range.len()) },
            _ => {}
        }
        let is_out = |i: usize| at[i + 1] == out;
        let course = Course::new(self, SmallVec::from_elem(false, self.inputs.len()), &is_out, &is_out);
        let writes_through = course.writes_through && !past_caches;
        if let ([micro], true) = (self.code.as_slice(), writes_through && self.constants.iter().all(|c| c.is_one)) {
            let numbers = self.numbers();
            let args = micro.args.map(|a| match self.constants.iter().position(|c| c.register == a) {
                Some(k) => numbers[k].0.as_ptr(),
                None => input(a as usize, range.start) as *const u8,
            });
            // SAFETY: the registers of the inputs come first, and serve as they are; the caller's promise.
            return unsafe { course.runs[0](range.len(), out.wrapping_add(range.start * size), &args) };
        }
        let ahead = |k: usize| -> SmallVec<[Ahead; 4]> {
            (0..self.inputs.len()).map(|i| (input(i, k).cast_const(), self.bytes_per_line(i))).collect()
        };
        Registers::with(self, range.len(), |mut registers| {
            registers.runs = course.runs;
            for k in range.clone().step_by(BLOCK) {
                let n = (range.end - k).min(BLOCK);
                let to = out.wrapping_add(k * size);
                (0..self.inputs.len()).for_each(|i| registers.place(i, input(i, k)));
                if writes_through {
                    registers.place(self.result as usize, to);
                }
                // SAFETY: the caller's promise.
                unsafe {
                    let result = registers.compute(n);
                    match (writes_through, past_caches) {
                        (true, _) => {}
                        (false, true) => stream::copy(to, result, n * size, &ahead(k + n)),
                        (false, false) => std::ptr::copy_nonoverlapping(result, to, n * size),
                    }
                }
            }
        });
        if past_caches {
            stream::finish();
        }
    }

    /// Bytes of an input that a line of the result is computed from.
    fn bytes_per_line(&self, input: usize) -> usize {
        (LINE / self.output.dtype.size()).max(1) * self.inputs[input].dtype.size()
    }

    /// Constants that are read as one element, as lanes.
    fn numbers(&self) -> SmallVec<[Element; 2]> {
        let lane = |constant: &Constant| {
            let mut lane = Element([0; 16]);
            // SAFETY: an element has room for any lane.
            unsafe { constant.write(lane.0.as_mut_ptr(), 1) };
            lane
        };
        self.constants.iter().map(lane).collect()
    }

    /// True when the result is computed, tile by tile, into elements that follow each other and that are not read for it.
    pub fn may_pass_caches(&self, plan: &Plan, bases: &[*mut u8]) -> bool {
        !self.is_copy() && plan.is_direct(0) && !bases[1..].contains(&bases[0])
    }

    /// Runs over some tiles of a plan. `past_caches` writes the result as what is not read soon: the program
    /// [may](Program::may_pass_caches).
    ///
    /// # Safety
    /// `bases` holds one address per operand of the plan, output first; every element the plan reaches from them is of the
    /// program's dtype for that operand and readable, the output's writable, by nobody else during the call. An input that
    /// overlaps the output must be the same elements in the same order. Tiles hold at most a block, unless the program
    /// [`is_direct`](Program::is_direct).
    pub unsafe fn run(&self, plan: &Plan, bases: &[*mut u8], tiles: Range<usize>, past_caches: bool) {
        if plan.numel() == 0 {
            return;
        }
        Registers::with(self, plan.tile_numel(), |registers| {
            let mut run = Run::new(registers, plan, bases, past_caches);
            // SAFETY: the caller's promise.
            unsafe {
                run.load_constants();
                match run.only_call() {
                    Some(call) => plan.visit_rows(tiles, |tile, count| run.rows(call, tile, count)),
                    None if run.copies_rows() => {
                        let size = self.output.dtype.size();
                        plan.visit_rows(tiles, |tile, count| {
                            let at = |i: usize| bases[i].wrapping_offset(tile.starts[i]);
                            let step = |i: usize| plan.patch(i, tile).row_step;
                            copy_rows((at(0), step(0)), (at(1), step(1)), tile.len * tile.rows * size, count);
                        });
                    }
                    None => plan.visit(tiles, |tile| run.tile(tile)),
                }
            }
        });
        if past_caches {
            stream::finish();
        }
    }
}

/// The loops a program's calls run as, given how its operands lie.
struct Course {
    runs: SmallVec<[BlockFn; 4]>,
    /// The inputs that are one element, and read as one.
    ones: SmallVec<[bool; 4]>,
    /// The result is computed straight into an output whose elements follow each other.
    writes_through: bool,
}

impl Course {
    /// `ones` are the inputs that are one element; `shares` tells which inputs have a storage in common with the output, `is_out`
    /// which of them are the very elements of it, where those follow each other.
    fn new(
        program: &Program,
        mut ones: SmallVec<[bool; 4]>,
        shares: &dyn Fn(usize) -> bool,
        is_out: &dyn Fn(usize) -> bool,
    ) -> Course {
        let is_input_one = |ones: &[bool], r: u16| ones.get(r as usize).is_some_and(|one| *one);
        let is_one = |ones: &[bool], r: u16| is_input_one(ones, r) || program.constants.iter().any(|c| c.register == r);
        let reads_one = |ones: &[bool], micro: &Micro| micro.args().iter().any(|a| is_input_one(ones, *a));
        let fails = |ones: &[bool], m: &Micro| reads_one(ones, m) && m.manner(|r| is_one(ones, r), false).is_none();
        for (i, one) in ones.iter_mut().enumerate() {
            *one &= program.code.iter().any(|m| m.args().contains(&(i as u16)));
        }
        while let Some(micro) = program.code.iter().find(|m| fails(&ones, m)) {
            for argument in micro.args() {
                if let Some(one) = ones.get_mut(*argument as usize) {
                    *one = false;
                }
            }
        }
        let run = |m: &Micro| {
            let manner = if reads_one(&ones, m) { m.manner(|r| is_one(&ones, r), false) } else { None };
            manner.unwrap_or(m.run)
        };
        let mut runs: SmallVec<[BlockFn; 4]> = program.code.iter().map(run).collect();
        let is_shared = |r: u16| (r as usize) < program.inputs.len() && shares(r as usize);
        let mut writes_through = (0..program.inputs.len()).all(|i| !shares(i));
        if let (Some(last), Some(run), false) = (program.code.last(), runs.last_mut(), writes_through)
            && last.out == program.result
            && let Some((first, others)) = last.args().split_first()
        {
            let within = is_shared(*first) && is_out(*first as usize);
            let manner = if within { last.manner(|r| is_one(&ones, r), true) } else { None };
            writes_through = !others.iter().any(|r| is_shared(*r)) && (manner.is_some() || !is_shared(*first));
            *run = manner.filter(|_| writes_through).unwrap_or(*run);
        }
        Course { runs, ones, writes_through }
    }

    /// For the walks of a plan.
    fn over(program: &Program, plan: &Plan, bases: &[*mut u8]) -> Course {
        let shares = |i: usize| bases[i + 1] == bases[0];
        let ones = (0..program.inputs.len()).map(|i| plan.is_one_in_each_tile(i + 1) && !shares(i)).collect();
        let is_out = |i: usize| shares(i) && plan.is_direct(0) && plan.walks_alike(0, i + 1);
        let mut course = Course::new(program, ones, &shares, &is_out);
        course.writes_through &= plan.is_direct(0);
        course
    }
}

/// A program on the way over a plan.
struct Run<'a> {
    registers: Registers<'a>,
    plan: &'a Plan,
    bases: &'a [*mut u8],
    /// Inputs that must be loaded for each tile, and those that serve as their own register.
    loaded: SmallVec<[usize; 4]>,
    direct: SmallVec<[usize; 4]>,
    /// The result is computed straight into the output.
    writes_through: bool,
    /// The result is written as what is not read soon.
    past_caches: bool,
    /// For each input, the element that its register repeats, and how often.
    repeated: SmallVec<[(*mut u8, usize); 4]>,
}

impl<'a> Run<'a> {
    fn new(mut registers: Registers<'a>, plan: &'a Plan, bases: &'a [*mut u8], past_caches: bool) -> Run<'a> {
        let program = registers.program;
        let course = Course::over(program, plan, bases);
        let (mut loaded, mut direct) = (SmallVec::new(), SmallVec::new());
        for i in 0..program.inputs.len() {
            if course.ones[i] || plan.is_direct(i + 1) {
                direct.push(i);
            } else if !plan.is_same_in_all_tiles(i + 1) {
                loaded.push(i);
            }
        }
        let writes_through = course.writes_through && (!program.code.is_empty() || !loaded.is_empty()) && !past_caches;
        registers.runs = course.runs;
        let repeated = SmallVec::from_elem((std::ptr::null_mut(), 0), program.inputs.len());
        Run { registers, plan, bases, loaded, direct, writes_through, past_caches, repeated }
    }

    /// Fills the registers of inputs that are the same in all tiles.
    unsafe fn load_constants(&mut self) {
        for i in 0..self.registers.program.inputs.len() {
            if self.plan.is_same_in_all_tiles(i + 1) && !self.direct.contains(&i) {
                let at = self.bases[i + 1].wrapping_offset(self.plan.walks()[i + 1].start());
                // SAFETY: the caller promises that the elements are readable; tiles of a plan with such an input fit a block.
                unsafe { self.registers.load(i, at, &self.plan.largest_patch(i + 1)) };
            }
        }
    }

    /// The loop and the arguments of a program that is one call, from operands where they lie to where the result belongs.
    fn only_call(&self) -> Option<(BlockFn, [u16; MAX_ARGS])> {
        let ([micro], [run]) = (self.registers.program.code.as_slice(), self.registers.runs.as_slice()) else { return None };
        (self.writes_through && self.loaded.is_empty()).then_some((*run, micro.args))
    }

    /// True for a copy whose rows lie without gaps in both tensors.
    fn copies_rows(&self) -> bool {
        self.registers.program.is_copy() && self.direct.contains(&0) && self.plan.is_direct(0)
    }

    /// A tile, or several of one row each that begin a step of the second dimension apart.
    unsafe fn rows(&mut self, (run, args): (BlockFn, [u16; MAX_ARGS]), tile: &Tile, count: usize) {
        let step = |operand: usize| self.plan.patch(operand, tile).row_step;
        let mut out = self.bases[0].wrapping_offset(tile.starts[0]);
        let (mut from, mut steps) = ([std::ptr::null(); MAX_ARGS], [0; MAX_ARGS]);
        for (k, arg) in args.iter().enumerate() {
            let input = *arg as usize;
            if self.direct.contains(&input) {
                from[k] = self.bases[input + 1].wrapping_offset(tile.starts[input + 1]).cast_const();
                steps[k] = step(input + 1);
            } else {
                from[k] = self.registers.at[input].cast_const();
            }
        }
        let (n, out_step) = (tile.len * tile.rows, step(0));
        for _ in 0..count {
            // SAFETY: the caller promises that the rows are readable and writable; the loop was made for how they lie.
            unsafe { run(n, out, &from) };
            out = out.wrapping_offset(out_step);
            (0..MAX_ARGS).for_each(|k| from[k] = from[k].wrapping_offset(steps[k]));
        }
    }

    /// What follows the inputs of a tile in memory, which the next tile reads as a rule.
    fn ahead(&self, tile: &Tile) -> SmallVec<[Ahead; 4]> {
        let program = self.registers.program;
        let moves = |i: &&usize| self.plan.patch(**i + 1, tile).row_step != 0;
        let next = |i: &usize| {
            let read = tile.len * tile.rows * program.inputs[*i].dtype.size();
            (self.registers.at[*i].wrapping_add(read).cast_const(), program.bytes_per_line(*i))
        };
        self.direct.iter().filter(moves).map(next).collect()
    }

    unsafe fn tile(&mut self, tile: &Tile) {
        let program = self.registers.program;
        let out = self.bases[0].wrapping_offset(tile.starts[0]);
        if self.writes_through {
            self.registers.place(program.result as usize, out);
        }
        for i in &self.direct {
            self.registers.place(*i, self.bases[i + 1].wrapping_offset(tile.starts[i + 1]));
        }
        for i in &self.loaded {
            let from = self.bases[i + 1].wrapping_offset(tile.starts[i + 1]);
            let patch = self.plan.patch(i + 1, tile);
            // A row that repeats one element may have been cut into tiles; an output that overlaps it would change it, and a copy
            // loads straight into the output.
            let repeats = patch.step == 0 && patch.rows == 1 && self.writes_through && !program.code.is_empty();
            let known = &mut self.repeated[*i];
            if repeats && known.0 == from && known.1 >= patch.len {
                continue;
            }
            *known = if repeats { (from, patch.len) } else { (std::ptr::null_mut(), 0) };
            // SAFETY: the caller promises that the patch is readable; a register holds a tile.
            unsafe { self.registers.load(*i, from, &patch) };
        }
        // SAFETY: all inputs are in their registers.
        let result = unsafe { self.registers.compute(tile.len * tile.rows) };
        // SAFETY: the caller promises that the patch is writable, and it is gapless where its elements follow each other.
        unsafe {
            match (self.writes_through, self.past_caches) {
                (true, _) => {}
                (false, true) => stream::copy(out, result, tile.len * tile.rows * program.output.dtype.size(), &self.ahead(tile)),
                (false, false) => (program.output.transfer)(out, result, &self.plan.patch(0, tile)),
            }
        }
    }
}
