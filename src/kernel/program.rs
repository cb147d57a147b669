//! What is computed: a list of instructions over register blocks.
//!
//! An ordinary operation is a program of one instruction, a fused expression a longer one, a copy one of none. The result
//! of each instruction is rounded to that instruction's dtype before the next one reads it, so a fused expression gives
//! the bits that its operations would have given one by one.

use super::block::{self, MoveFn};
use super::cast::{cast, round};
use super::isa::pick;
use super::plan::BLOCK;
use super::scalar::{Argument, BlockFn, MAX_ARGS, Scalar};
use crate::dtype::{Class, DType, Number};
use anyhow::Result;
use smallvec::SmallVec;

/// Where an instruction finds an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// An input of the program.
    Input(usize),
    /// The result of an earlier instruction.
    Step(usize),
    /// A constant.
    Number(Number),
    /// A constant that is not rounded to a 16-bit dtype before it is used.
    Exact(Number),
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
    pub(super) inputs: SmallVec<[Port; 4]>,
    pub(super) output: Port,
    pub(super) code: SmallVec<[Micro; 4]>,
    pub(super) constants: SmallVec<[(u16, DType, Number); 2]>,
    /// The byte of the scratch memory at which each register begins.
    pub(super) registers: SmallVec<[usize; 8]>,
    /// Bytes of scratch memory that all registers take.
    pub(super) scratch: usize,
    /// The register of the result.
    pub(super) result: u16,
}

/// An operand of a program and how it meets its register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Port {
    pub dtype: DType,
    /// Moves it between tensor and register.
    pub transfer: MoveFn,
    /// True when tensor and register hold the same bytes, so that a gapless tensor can serve as register.
    pub own: bool,
}

/// One call of a block function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Micro {
    pub run: BlockFn,
    pub out: u16,
    pub args: [u16; MAX_ARGS],
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

    /// Nothing but a cast, for the elements of a fold or scan computed in `to`.
    pub fn widen(from: DType, to: DType) -> Program {
        let build = Builder::new(&[from], to);
        let value = build.inputs[0];
        build.finish(value, to)
    }

    /// Compiles instructions; the last one is the result, stored as `output`. Fails with a `NotImplementedError` when a
    /// function does not exist for a dtype.
    pub fn new(inputs: &[DType], instructions: &[Instruction], output: DType) -> Result<Program> {
        Program::compile(inputs, instructions, output, true)
    }

    /// As [`Program::new`], for a result that is not stored but folded.
    pub fn folded(inputs: &[DType], instructions: &[Instruction], output: DType) -> Result<Program> {
        Program::compile(inputs, instructions, output, false)
    }

    fn compile(inputs: &[DType], instructions: &[Instruction], output: DType, stored: bool) -> Result<Program> {
        let mut build = Builder::new(inputs, output);
        let mut steps: SmallVec<[Value; 8]> = SmallVec::new();
        for (i, instruction) in instructions.iter().enumerate() {
            // The store rounds what the last instruction left unrounded.
            let last = stored && i + 1 == instructions.len() && instruction.result == output;
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
                Source::Exact(number) if matches!(to, DType::F16 | DType::BF16) => self.constant(*number, DType::F32),
                Source::Exact(number) => self.constant(*number, to),
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
