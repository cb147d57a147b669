//! What is computed: a list of instructions over register blocks.
//!
//! An ordinary operation is a program of one instruction, a fused expression a longer one, a copy one of none. The result
//! of each instruction is rounded to that instruction's dtype before the next one reads it, so a fused expression gives
//! the bits that its operations would have given one by one.

use super::block::{self, MoveFn};
use super::cast::{cast, cast_elements, cast_stored, narrow, round, widen};
use super::choice::joined;
use super::half::is_small;
use super::isa::{pick, pick_light};
use super::manner::{MANNERS, Manner, Manners};
use super::plan::{BLOCK, Patch};
use super::rest::Ending;
use super::scalar::{Argument, Block, BlockFn, MAX_ARGS, Rule, Scalar};
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
    pub(super) constants: SmallVec<[Constant; 2]>,
    /// The byte of the scratch memory at which each register begins.
    pub(super) registers: SmallVec<[usize; 8]>,
    /// Bytes of scratch memory that all registers take.
    pub(super) scratch: usize,
    /// The register of the result.
    pub(super) result: u16,
}

/// An operand of a program. Its register holds elements as they lie in memory, so a gapless tensor can serve as register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Port {
    pub dtype: DType,
    /// Moves elements between tensor and register.
    pub transfer: MoveFn,
}

/// A register that holds one number, everywhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constant {
    pub register: u16,
    pub dtype: DType,
    pub number: Number,
    /// Fills the register from one element.
    pub fill: MoveFn,
    /// Its reader asks for one element alone.
    pub is_one: bool,
}

/// Room for any element, aligned for it.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(super) struct Element(pub [u8; 16]);

impl Constant {
    /// Writes the number as often as its reader asks, `n` times at most.
    ///
    /// # Safety
    /// There is room for `n` lanes at `to`.
    pub unsafe fn write(&self, to: *mut u8, n: usize) {
        let mut element = Element([0; 16]);
        self.number.write(self.dtype, &mut element.0);
        let repeat = Patch { len: if self.is_one { 1 } else { n }, rows: 1, step: 0, row_step: 0 };
        // SAFETY: one element at a step of 0; the caller's promise.
        unsafe { (self.fill)(to, element.0.as_ptr(), &repeat) };
    }
}

/// One call of a block function.
#[derive(Clone, Debug)]
pub(super) struct Micro {
    /// The loop that reads constants as they were written.
    pub run: BlockFn,
    /// The loops for other arguments that are one element, and for results in the place of the first.
    pub manners: Manners<BlockFn>,
    pub out: u16,
    pub args: [u16; MAX_ARGS],
    /// How many arguments there are.
    pub count: usize,
    /// The loops for the rest of a row, where that differs.
    pub ending: Option<Box<Ending>>,
}

impl Micro {
    /// The arguments' registers.
    pub fn args(&self) -> &[u16] {
        &self.args[..self.count]
    }

    /// The loop for arguments of which some are one element, and for a result that takes the place of the first.
    pub fn manner(&self, is_one: impl Fn(u16) -> bool, within: bool) -> Option<BlockFn> {
        let manner = Manner::of(self.count, |k| is_one(self.args[k]), within)?;
        self.manners[manner as usize]
    }
}

/// A register and the dtype whose values it holds: as lanes of the dtype's class when `wide`, else as they lie in memory. Where
/// that is the same they count as wide.
#[derive(Clone, Copy)]
struct Value {
    register: u16,
    dtype: DType,
    wide: bool,
}

impl Program {
    /// True for one operation on one or two operands of the result's dtype.
    pub fn is_plain(&self) -> bool {
        let is_short = matches!(self.code.as_slice(), [micro] if micro.args().len() <= 2);
        is_short && self.inputs().all(|dtype| dtype == self.output())
    }

    /// A copy that casts from one dtype to another.
    pub fn copy(from: DType, to: DType) -> Program {
        let build = Builder::new(&[from], to);
        let value = build.inputs[0];
        build.finish(value, to, true)
    }

    /// The same number everywhere.
    pub fn constant(number: Number, dtype: DType) -> Program {
        let mut build = Builder::new(&[], dtype);
        let value = build.constant(number, dtype, false);
        build.finish(value, dtype, true)
    }

    /// Nothing but a cast, for the elements of a fold or scan computed in `to`.
    pub fn widen(from: DType, to: DType) -> Program {
        let build = Builder::new(&[from], to);
        let value = build.inputs[0];
        build.finish(value, to, false)
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
        let joined = joined(instructions);
        let instructions = joined.as_deref().unwrap_or(instructions);
        let mut build = Builder::new(inputs, output);
        let mut steps: SmallVec<[Value; 8]> = SmallVec::new();
        for (i, instruction) in instructions.iter().enumerate() {
            // The store rounds what the last instruction left unrounded.
            let last = stored && i + 1 == instructions.len() && instruction.result == output;
            let value = build.instruction(instruction, &steps, last)?;
            steps.push(value);
        }
        let Some(result) = steps.last().copied() else { fault!(RuntimeError, "a program needs an instruction") };
        Ok(build.finish(result, output, stored))
    }

    /// Puts other numbers in the place of those it was compiled with, in the order of the arguments.
    pub fn set_numbers(&mut self, numbers: impl Iterator<Item = Number>) {
        self.constants.iter_mut().zip(numbers).for_each(|(constant, number)| constant.number = number);
    }

    /// Dtypes of the inputs.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = DType> {
        self.inputs.iter().map(|p| p.dtype)
    }

    /// True when an element's place in its row decides how it is computed.
    pub fn minds_rows(&self) -> bool {
        self.code.iter().any(|micro| micro.ending.is_some())
    }

    /// Dtype of the output.
    pub fn output(&self) -> DType {
        self.output.dtype
    }
}

/// True for dtypes whose elements are the lanes of their class.
fn is_wide(dtype: DType) -> bool {
    dtype.size() == dtype.class().size()
}

/// The loops for this machine.
fn loops(block: &Block) -> (BlockFn, Manners<BlockFn>) {
    match block.manners.iter().all(Option::is_none) {
        true => (pick(block.run), [None; MANNERS]),
        false => (pick_light(block.run), block.manners.map(|m| m.map(pick_light))),
    }
}

/// A program being compiled.
struct Builder {
    program: Program,
    inputs: SmallVec<[Value; 4]>,
    /// Bytes of a lane of each register.
    sizes: SmallVec<[usize; 8]>,
    /// Registers of elements, with the registers that hold them as lanes.
    widened: SmallVec<[(u16, u16); 4]>,
}

impl Builder {
    fn new(inputs: &[DType], output: DType) -> Builder {
        let load = |d: &DType| Port { dtype: *d, transfer: block::raw(d.size()).0 };
        let program = Program {
            inputs: inputs.iter().map(load).collect(),
            output: Port { dtype: output, transfer: block::raw(output.size()).1 },
            code: SmallVec::new(),
            constants: SmallVec::new(),
            registers: SmallVec::new(),
            scratch: 0,
            result: 0,
        };
        let mut build = Builder { program, inputs: SmallVec::new(), sizes: SmallVec::new(), widened: SmallVec::new() };
        for dtype in inputs {
            let register = build.register(dtype.size());
            build.inputs.push(Value { register, dtype: *dtype, wide: is_wide(*dtype) });
        }
        build
    }

    fn register(&mut self, size: usize) -> u16 {
        self.sizes.push(size);
        (self.sizes.len() - 1) as u16
    }

    /// A call whose results take `size` bytes each.
    fn call(&mut self, run: BlockFn, size: usize, args: &[u16]) -> u16 {
        self.push(run, [None; MANNERS], size, args)
    }

    /// A call of a scalar function. Constants that it can read as one element are written as one.
    fn apply(&mut self, block: &Block, size: usize, args: &[u16]) -> u16 {
        let (run, manners) = loops(block);
        let out = self.push(run, manners, size, args);
        if manners.iter().all(Option::is_none) {
            return out;
        }
        let Program { code, constants, .. } = &mut self.program;
        if let Some(micro) = code.last_mut()
            && let Some(run) = micro.manner(|r| constants.iter().any(|c| c.register == r), false)
        {
            micro.run = run;
            constants.iter_mut().filter(|c| args.contains(&c.register)).for_each(|c| c.is_one = true);
        }
        out
    }

    fn push(&mut self, run: BlockFn, manners: Manners<BlockFn>, size: usize, args: &[u16]) -> u16 {
        let out = self.register(size);
        let mut filled = [args.first().copied().unwrap_or(0); MAX_ARGS];
        filled[..args.len()].copy_from_slice(args);
        self.program.code.push(Micro { run, manners, out, args: filled, count: args.len(), ending: None });
        out
    }

    /// The register of a value's lanes.
    fn lanes(&mut self, value: Value) -> u16 {
        if value.wide {
            return value.register;
        }
        if let Some((_, wide)) = self.widened.iter().find(|(narrow, _)| *narrow == value.register) {
            return *wide;
        }
        let wide = self.call(widen(value.dtype), value.dtype.class().size(), &[value.register]);
        self.widened.push((value.register, wide));
        wide
    }

    /// The register of a value's elements as they lie in memory. Lanes that were not rounded yet are rounded.
    fn elements(&mut self, value: Value) -> u16 {
        if !value.wide || is_wide(value.dtype) {
            return value.register;
        }
        self.call(narrow(value.dtype), value.dtype.size(), &[value.register])
    }

    /// The register of the lanes of a value cast to a dtype; `narrowed` as in [`cast`].
    fn cast(&mut self, value: Value, to: DType, narrowed: bool) -> u16 {
        if !value.wide
            && let Some(run) = cast_elements(value.dtype, to)
        {
            return self.call(run, to.class().size(), &[value.register]);
        }
        let lanes = self.lanes(value);
        let steps = cast(value.dtype, to, narrowed);
        steps.into_iter().fold(lanes, |register, (run, class)| self.call(run, class.size(), &[register]))
    }

    fn instruction(&mut self, instruction: &Instruction, steps: &[Value], last: bool) -> Result<Value> {
        let Instruction { scalar, args, compute, result } = instruction;
        let value = |build: &Builder, source: &Source| match source {
            Source::Input(i) => Some(build.inputs[*i]),
            Source::Step(i) => Some(steps[*i]),
            Source::Number(_) | Source::Exact(_) => None,
        };
        // On elements as they lie in memory, when the function can and no argument needs a cast.
        let fits = |source: &Source, kind: &Argument| {
            let wanted = if *kind == Argument::Truth { DType::Bool } else { *compute };
            value(self, source).is_none_or(|v| v.dtype == wanted)
        };
        let exact = |source: &Source| matches!(source, Source::Exact(_)) && is_small(*compute);
        let direct = scalar.narrow(*compute).filter(|_| args.iter().zip(scalar.arguments).all(|(s, k)| fits(s, k) && !exact(s)));
        let block = scalar.require(*compute)?;
        let mut registers: SmallVec<[u16; MAX_ARGS]> = SmallVec::new();
        for (source, argument) in args.iter().zip(scalar.arguments) {
            let to = if *argument == Argument::Truth { DType::Bool } else { *compute };
            registers.push(match (value(self, source), source) {
                (Some(v), _) if direct.is_some() => self.elements(v),
                (Some(v), _) => self.cast(v, to, false),
                (None, Source::Exact(number)) if is_small(to) => self.constant(*number, DType::F32, true).register,
                (None, Source::Number(number) | Source::Exact(number)) => self.constant(*number, to, direct.is_none()).register,
                (None, _) => fault!(RuntimeError, "an instruction reads what does not exist"),
            });
        }
        if let Some(direct) = direct {
            let register = self.apply(&direct, result.size(), &registers);
            self.end(scalar, *compute, |rest| rest.narrow(*compute));
            return Ok(Value { register, dtype: *result, wide: is_wide(*result) });
        }
        let mut register = self.apply(&block.block, block.out.size(), &registers);
        self.end(scalar, *compute, |rest| rest.block(*compute).map(|found| found.block));
        // A truth value is one already.
        if !last && scalar.rule != Rule::Truth {
            register = self.settle(register, block.out, *result);
        }
        Ok(Value { register, dtype: *result, wide: true })
    }

    /// Adds the loops for the rest of a row to the call just made.
    fn end(&mut self, scalar: &Scalar, dtype: DType, block: impl Fn(&Scalar) -> Option<Block>) {
        if let Some(rest) = scalar.rest(dtype)
            && let Some(block) = block(&rest.scalar)
            && let Some(micro) = self.program.code.last_mut()
        {
            let (run, manners) = loops(&block);
            micro.ending = Some(Box::new(Ending { rest, dtype, run, manners }));
        }
    }

    /// Rounds fresh lanes to the dtype they stand for; the last instruction leaves that to the narrowing.
    fn settle(&mut self, register: u16, class: Class, dtype: DType) -> u16 {
        debug_assert_eq!(class, dtype.class());
        match round(dtype) {
            Some(run) => self.call(run, class.size(), &[register]),
            None => register,
        }
    }

    fn constant(&mut self, number: Number, dtype: DType, wide: bool) -> Value {
        let wide = wide || is_wide(dtype);
        let (size, fill) =
            if wide { (dtype.class().size(), block::load(dtype)) } else { (dtype.size(), block::raw(dtype.size()).0) };
        let register = self.register(size);
        self.program.constants.push(Constant { register, dtype, number, fill, is_one: false });
        Value { register, dtype, wide }
    }

    /// The result as elements of a dtype when it is to be stored, else as lanes.
    fn finish(mut self, mut value: Value, output: DType, stored: bool) -> Program {
        if value.dtype != output {
            if stored
                && (!value.wide || is_wide(value.dtype))
                && let Some(run) = cast_stored(value.dtype, output)
            {
                let result = self.call(run, output.size(), &[value.register]);
                return self.seal(result);
            }
            let narrowed = stored && !is_wide(output);
            value = Value { register: self.cast(value, output, narrowed), dtype: output, wide: true };
        }
        let result = if stored { self.elements(value) } else { self.lanes(value) };
        self.seal(result)
    }

    /// Gives every register a place in the scratch memory. Intermediate results share places once they have been read for the
    /// last time, so that a long program stays in the innermost cache; inputs and constants keep theirs, since an input may be
    /// read where it lies in its tensor and a constant is written once for all blocks.
    fn seal(mut self, result: u16) -> Program {
        let code = &self.program.code;
        let mut last_read: SmallVec<[usize; 16]> = SmallVec::from_elem(0, self.sizes.len());
        for (i, micro) in code.iter().enumerate() {
            micro.args.iter().for_each(|a| last_read[*a as usize] = i);
        }
        last_read[result as usize] = usize::MAX;
        let is_step = |register: u16| code.iter().any(|m| m.out == register);
        let mut places: SmallVec<[usize; 8]> = SmallVec::from_elem(0, self.sizes.len());
        let mut scratch = 0;
        let mut take = |size: usize| {
            scratch += BLOCK * size;
            scratch - BLOCK * size
        };
        for register in (0..self.sizes.len()).filter(|r| !is_step(*r as u16)) {
            places[register] = take(self.sizes[register]);
        }
        let mut free: SmallVec<[(usize, usize); 8]> = SmallVec::new();
        for (i, micro) in code.iter().enumerate() {
            let size = self.sizes[micro.out as usize];
            let reused = free.iter().position(|(bytes, _)| *bytes == size).map(|k| free.swap_remove(k).1);
            places[micro.out as usize] = reused.unwrap_or_else(|| take(size));
            let mut done: SmallVec<[u16; MAX_ARGS]> =
                micro.args.iter().copied().filter(|a| last_read[*a as usize] == i).collect();
            done.sort_unstable();
            done.dedup();
            free.extend(done.into_iter().filter(|r| is_step(*r)).map(|r| (self.sizes[r as usize], places[r as usize])));
        }
        self.program.registers = places;
        self.program.scratch = scratch;
        self.program.result = result;
        self.program
    }
}
