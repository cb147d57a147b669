//! Programs of one function, kept from call to call.

use crate::dtype::{DType, Number};
use crate::kernel::program::{Instruction, Program, Source};
use crate::kernel::scalar::Scalar;
use anyhow::Result;
use std::cell::RefCell;

/// How many programs a thread keeps; a power of two.
const KEPT: usize = 256;

/// What a program depends on, numbers aside: the function, and the kinds and dtypes of its operands. No function stands for a copy
/// or a fill.
type Signature = (*const Scalar, u128);

/// A program and what it was made for.
type Kept = Box<(Signature, Program)>;

thread_local! {
    static PROGRAMS: RefCell<Vec<Option<Kept>>> = const { RefCell::new(Vec::new()) };
}

/// What a program is for, beside the kinds of its operands.
const FOLDED: u128 = 1 << 124;
const WIDEN: u128 = 1 << 125;
const COPY: u128 = 1 << 126;
const FILL: u128 = 1 << 127;

/// The signature of one instruction whose arguments are inputs and numbers.
fn signature(instruction: &Instruction, inputs: &[DType], output: DType) -> Signature {
    let Instruction { scalar, args, compute, result } = instruction;
    // An input is told by its place: one tensor may be two arguments.
    let kinds = args.iter().fold(1u128, |bits, arg| match arg {
        Source::Input(i) | Source::Step(i) => bits << 4 | *i as u128 & 7,
        Source::Number(_) => bits << 4 | 8,
        Source::Exact(_) => bits << 4 | 9,
    });
    let dtypes = inputs.iter().chain([compute, result, &output]);
    (*scalar as *const Scalar, dtypes.fold(kinds, |bits, dtype| bits << 8 | *dtype as u128))
}

/// The numbers of an instruction, in the order of its arguments.
fn numbers(instruction: &Instruction) -> impl Iterator<Item = Number> {
    instruction.args.iter().filter_map(|arg| match arg {
        Source::Number(n) | Source::Exact(n) => Some(*n),
        Source::Input(_) | Source::Step(_) => None,
    })
}

/// Hands `f` the program of one instruction. Fails when the function does not exist for a dtype.
pub(super) fn with_instruction(
    instruction: &Instruction,
    inputs: &[DType],
    output: DType,
    f: impl FnOnce(&Program) -> Result<()>,
) -> Result<()> {
    let compile = || Program::new(inputs, std::slice::from_ref(instruction), output);
    with_program(signature(instruction, inputs, output), compile, numbers(instruction), f)
}

/// As [`with_instruction`], for a result that is not stored but folded.
pub(super) fn with_folded(instruction: &Instruction, inputs: &[DType], f: impl FnOnce(&Program) -> Result<()>) -> Result<()> {
    let output = instruction.result;
    let compile = || Program::folded(inputs, std::slice::from_ref(instruction), output);
    let (scalar, kinds) = signature(instruction, inputs, output);
    with_program((scalar, FOLDED | kinds), compile, numbers(instruction), f)
}

/// Hands `f` the program that casts.
pub(super) fn with_copy(from: DType, to: DType, f: impl FnOnce(&Program) -> Result<()>) -> Result<()> {
    let signature = (std::ptr::null(), COPY | (from as u128) << 8 | to as u128);
    with_program(signature, || Ok(Program::copy(from, to)), std::iter::empty(), f)
}

/// Hands `f` the program that casts for a fold.
pub(super) fn with_widen(from: DType, to: DType, f: impl FnOnce(&Program) -> Result<()>) -> Result<()> {
    let signature = (std::ptr::null(), WIDEN | (from as u128) << 8 | to as u128);
    with_program(signature, || Ok(Program::widen(from, to)), std::iter::empty(), f)
}

/// Hands `f` the program that writes a number.
pub(super) fn with_fill(number: Number, dtype: DType, f: impl FnOnce(&Program) -> Result<()>) -> Result<()> {
    let signature = (std::ptr::null(), FILL | dtype as u128);
    with_program(signature, || Ok(Program::constant(number, dtype)), std::iter::once(number), f)
}

/// The program is away while `f` runs, which may need another one.
fn with_program(
    signature: Signature,
    compile: impl FnOnce() -> Result<Program>,
    numbers: impl Iterator<Item = Number>,
    f: impl FnOnce(&Program) -> Result<()>,
) -> Result<()> {
    let mixed = (signature.1 as u64 ^ (signature.1 >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let place = ((signature.0 as usize >> 4) ^ (mixed >> 40) as usize) % KEPT;
    let taken = PROGRAMS.with_borrow_mut(|programs| {
        if programs.is_empty() {
            programs.resize_with(KEPT, || None);
        }
        programs[place].take()
    });
    let mut kept = match taken {
        Some(kept) if kept.0 == signature => kept,
        _ => Box::new((signature, compile()?)),
    };
    kept.1.set_numbers(numbers);
    let done = f(&kept.1);
    PROGRAMS.with_borrow_mut(|programs| programs[place] = Some(kept));
    done
}
