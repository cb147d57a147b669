//! What is computed: a list of instructions over register blocks.
//!
//! An ordinary operation is a program of one instruction, a fused expression a longer one, a copy one of none. The result
//! of each instruction is rounded to that instruction's dtype before the next one reads it, so a fused expression gives
//! the bits that its operations would have given one by one.

use super::block::{self, MoveFn};
use super::cast::{cast, round};
use super::isa::pick;
use super::plan::{BLOCK, Plan, Tile};
use super::scalar::{Argument, BlockFn, MAX_ARGS, Scalar};
use crate::dtype::{Class, DType, Number};
use anyhow::Result;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::ops::Range;

/// Where an instruction finds an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// An input of the program.
    Input(usize),
    /// The result of an earlier instruction.
    Step(usize),
    /// A constant.
    Number(Number),
}

/// One scalar function applied to blocks.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The function.
    pub scalar: &'static Scalar,
    /// Its arguments.
    pub args: SmallVec<[Source; MAX_ARGS]>,
    /// The dtype its arguments are cast to, and in whose class it is computed.
    pub compute: DType,
    /// The dtype its result is rounded to.
    pub result: DType,
}

/// A compiled list of instructions, ready to run over any plan with as many operands.
#[derive(Clone, Debug)]
pub struct Program {
    inputs: SmallVec<[Port; 4]>,
    output: Port,
    code: SmallVec<[Micro; 4]>,
    constants: SmallVec<[(u16, DType, Number); 2]>,
    /// The byte of the scratch memory at which each register begins.
    registers: SmallVec<[usize; 8]>,
    scratch: usize,
    result: u16,
}

/// An operand of a program and how it meets its register.
#[derive(Clone, Copy, Debug)]
struct Port {
    dtype: DType,
    /// Moves it between tensor and register.
    transfer: MoveFn,
    /// True when tensor and register hold the same bytes, so that a gapless tensor can serve as register.
    own: bool,
}

#[derive(Clone, Copy, Debug)]
struct Micro {
    run: BlockFn,
    out: u16,
    args: [u16; MAX_ARGS],
}

/// A register and the dtype whose values its lanes are.
#[derive(Clone, Copy)]
struct Value {
    register: u16,
    dtype: DType,
}

impl Program {
    /// A copy that casts from one dtype to another.
    pub fn copy(from: DType, to: DType) -> Program {
        let mut build = Builder::new(&[from], to);
        let value = build.inputs[0];
        if from == to {
            let (load, store) = block::raw(from.size());
            build.program.inputs[0] = Port { dtype: from, transfer: load, own: true };
            build.program.output = Port { dtype: to, transfer: store, own: true };
            build.program.registers = SmallVec::from_elem(0, 1);
            build.program.scratch = BLOCK * from.size();
            return build.program;
        }
        build.finish(value, to)
    }

    /// The same number everywhere.
    pub fn constant(number: Number, dtype: DType) -> Program {
        let mut build = Builder::new(&[], dtype);
        build.program.result = build.constant(number, dtype);
        build.program
    }

    /// Compiles instructions; the last one is the result, stored as `output`. Fails with a `NotImplementedError` when a
    /// function does not exist for a dtype.
    pub fn new(inputs: &[DType], instructions: &[Instruction], output: DType) -> Result<Program> {
        let mut build = Builder::new(inputs, output);
        let mut steps: SmallVec<[Value; 8]> = SmallVec::new();
        for (i, instruction) in instructions.iter().enumerate() {
            let last = i + 1 == instructions.len() && instruction.result == output;
            let value = build.instruction(instruction, &steps, last)?;
            steps.push(value);
        }
        let Some(result) = steps.last().copied() else { fault!(RuntimeError, "a program needs an instruction") };
        Ok(build.finish(result, output))
    }

    /// Dtypes of the inputs.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = DType> {
        self.inputs.iter().map(|p| p.dtype)
    }

    /// Dtype of the output.
    pub fn output(&self) -> DType {
        self.output.dtype
    }

    /// True when every operand can serve as its own register, so that tiles need not fit a block.
    pub fn is_direct(&self, plan: &Plan) -> bool {
        self.code.len() == 1
            && self.constants.is_empty()
            && self.output.own
            && plan.is_direct(0)
            && self.inputs.iter().enumerate().all(|(i, port)| port.own && plan.is_direct(i + 1))
    }

    /// Runs over some tiles of a plan.
    ///
    /// # Safety
    /// `bases` holds one address per operand of the plan, output first; every element the plan reaches from them is of the
    /// program's dtype for that operand and readable, the output's writable, by nobody else during the call. An input that
    /// overlaps the output must be the same elements in the same order.
    pub unsafe fn run(&self, plan: &Plan, bases: &[*mut u8], tiles: Range<usize>) {
        SCRATCH.with_borrow_mut(|scratch| {
            scratch.resize(self.scratch.div_ceil(64).max(scratch.len()), Line([0; 64]));
            let mut run = Run::new(self, plan, bases, scratch.as_mut_ptr() as *mut u8);
            // SAFETY: the caller's promise, and registers as large as the program asked for.
            unsafe {
                run.prepare(plan.tile_numel().min(BLOCK));
                plan.visit(tiles, |tile| run.tile(tile));
            }
        });
    }
}

/// A cache line of scratch memory.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[allow(dead_code, reason = "memory that is only reached through pointers")] [u8; 64]);

thread_local! {
    /// Register blocks of the running thread.
    static SCRATCH: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
}

/// A program on the way over a plan.
struct Run<'a> {
    program: &'a Program,
    plan: &'a Plan,
    bases: &'a [*mut u8],
    /// Where each register is now: in scratch, or in a tensor.
    registers: SmallVec<[*mut u8; 12]>,
    /// Inputs that must be loaded for each tile, and those that serve as their own register.
    loaded: SmallVec<[usize; 4]>,
    direct: SmallVec<[usize; 4]>,
    /// The result is computed straight into the output.
    writes_through: bool,
}

impl<'a> Run<'a> {
    fn new(program: &'a Program, plan: &'a Plan, bases: &'a [*mut u8], scratch: *mut u8) -> Run<'a> {
        let registers = program.registers.iter().map(|at| scratch.wrapping_add(*at)).collect();
        let (mut loaded, mut direct) = (SmallVec::new(), SmallVec::new());
        for (i, port) in program.inputs.iter().enumerate() {
            if port.own && plan.is_direct(i + 1) {
                direct.push(i);
            } else if !plan.is_constant(i + 1) {
                loaded.push(i);
            }
        }
        let in_place = bases[1..].contains(&bases[0]);
        let computes = !program.code.is_empty() || !loaded.is_empty();
        let writes_through = program.output.own && plan.is_direct(0) && !in_place && computes;
        Run { program, plan, bases, registers, loaded, direct, writes_through }
    }

    /// Fills the registers that stay the same for all tiles: constants and repeated single elements.
    unsafe fn prepare(&mut self, n: usize) {
        let block = |step: usize| super::plan::Patch { len: n, rows: 1, step: step as isize, row_step: 0 };
        for (register, dtype, number) in &self.program.constants {
            let mut bytes = [0u8; 16];
            number.write(*dtype, &mut bytes);
            // SAFETY: one element at a step of 0; the register has room for a block.
            unsafe { block::load(*dtype)(self.registers[*register as usize], bytes.as_ptr(), &block(0)) };
        }
        for (i, port) in self.program.inputs.iter().enumerate() {
            if self.plan.is_constant(i + 1) && !self.direct.contains(&i) {
                let at = self.bases[i + 1].wrapping_offset(self.plan.walks()[i + 1].start());
                // SAFETY: as above; the caller promises that the element is readable.
                unsafe { (port.transfer)(self.registers[i], at, &block(0)) };
            }
        }
    }

    unsafe fn tile(&mut self, tile: &Tile) {
        let n = tile.len * tile.rows;
        let out = self.bases[0].wrapping_offset(tile.starts[0]);
        if self.writes_through {
            self.registers[self.program.result as usize] = out;
        }
        for i in &self.direct {
            self.registers[*i] = self.bases[i + 1].wrapping_offset(tile.starts[i + 1]);
        }
        for i in &self.loaded {
            let from = self.bases[i + 1].wrapping_offset(tile.starts[i + 1]);
            let patch = self.plan.patch(i + 1, tile);
            // SAFETY: the caller promises that the patch is readable; a register holds a tile.
            unsafe { (self.program.inputs[*i].transfer)(self.registers[*i], from, &patch) };
        }
        for micro in &self.program.code {
            let args = micro.args.map(|a| self.registers[a as usize] as *const u8);
            // SAFETY: the builder connected registers of the right classes, each with room for a tile, and never an
            // argument with the result.
            unsafe { (micro.run)(n, self.registers[micro.out as usize], &args) };
        }
        if !self.writes_through {
            let patch = self.plan.patch(0, tile);
            // SAFETY: the caller promises that the patch is writable.
            unsafe { (self.program.output.transfer)(out, self.registers[self.program.result as usize], &patch) };
        }
    }
}

/// A program being compiled.
struct Builder {
    program: Program,
    inputs: SmallVec<[Value; 4]>,
}

impl Builder {
    fn new(inputs: &[DType], output: DType) -> Builder {
        let own = |d: DType| d.size() == d.class().size();
        let load = |d: &DType| Port { dtype: *d, transfer: block::load(*d), own: own(*d) };
        let program = Program {
            inputs: inputs.iter().map(load).collect(),
            output: Port { dtype: output, transfer: block::store(output), own: own(output) },
            code: SmallVec::new(),
            constants: SmallVec::new(),
            registers: SmallVec::new(),
            scratch: 0,
            result: 0,
        };
        let mut build = Builder { program, inputs: SmallVec::new() };
        for dtype in inputs {
            let register = build.register(dtype.class());
            build.inputs.push(Value { register, dtype: *dtype });
        }
        build
    }

    fn register(&mut self, class: Class) -> u16 {
        self.program.registers.push(self.program.scratch);
        self.program.scratch += BLOCK * class.size();
        (self.program.registers.len() - 1) as u16
    }

    fn call(&mut self, run: BlockFn, class: Class, args: &[u16]) -> u16 {
        let out = self.register(class);
        let mut filled = [args.first().copied().unwrap_or(0); MAX_ARGS];
        filled[..args.len()].copy_from_slice(args);
        self.program.code.push(Micro { run, out, args: filled });
        out
    }

    fn cast(&mut self, value: Value, to: DType) -> u16 {
        cast(value.dtype, to).into_iter().fold(value.register, |register, (run, class)| self.call(run, class, &[register]))
    }

    fn instruction(&mut self, instruction: &Instruction, steps: &[Value], last: bool) -> Result<Value> {
        let Instruction { scalar, args, compute, result } = instruction;
        let Some(block) = scalar.block(*compute) else {
            fault!(NotImplementedError, "\"{}\" not implemented for '{}'", scalar.name, compute.title())
        };
        let mut registers: SmallVec<[u16; MAX_ARGS]> = SmallVec::new();
        for (source, argument) in args.iter().zip(scalar.arguments) {
            let to = if *argument == Argument::Truth { DType::Bool } else { *compute };
            registers.push(match source {
                Source::Input(i) => self.cast(self.inputs[*i], to),
                Source::Step(i) => self.cast(steps[*i], to),
                Source::Number(number) => self.constant(*number, to),
            });
        }
        let mut register = self.call(pick(block.run), block.out, &registers);
        if !last {
            register = self.settle(register, block.out, *result);
        }
        Ok(Value { register, dtype: *result })
    }

    /// Rounds fresh lanes to the dtype they stand for; the last instruction leaves that to the store.
    fn settle(&mut self, register: u16, class: Class, dtype: DType) -> u16 {
        debug_assert_eq!(class, dtype.class());
        match round(dtype) {
            Some(run) => self.call(run, class, &[register]),
            None => register,
        }
    }

    fn constant(&mut self, number: Number, dtype: DType) -> u16 {
        let register = self.register(dtype.class());
        self.program.constants.push((register, dtype, number));
        register
    }

    fn finish(mut self, value: Value, output: DType) -> Program {
        self.program.result = self.cast(value, output);
        self.program
    }
}
