//! Elementwise operations on small tensors that all lie in memory in one order: no plan is made, and programs are kept.
//!
//! Everything else about a call (promotion, refusals, marks, overlap) is as in [`super::map`]; what is not simple goes there.

use super::fuse;
use crate::device::{Address, DeviceId};
use crate::dtype::{Category, DType, Number, can_cast, result_type};
use crate::kernel::plan::BLOCK;
use crate::kernel::program::{Instruction, Program, Source};
use crate::kernel::scalar::{Argument, MAX_ARGS, Rule, Scalar};
use crate::layout::Layout;
use crate::ops::Operand;
use crate::settings;
use crate::tensor::{Form, Storage, Strided, Tensor};
use anyhow::Result;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;

/// How many programs a thread keeps; a power of two.
const KEPT: usize = 256;

/// What a program depends on, numbers aside: the function, and the dtypes and kinds of its operands.
type Signature = (*const Scalar, u64);

/// A program and what it was made for.
type Kept = Box<(Signature, Program)>;

thread_local! {
    static PROGRAMS: RefCell<Vec<Option<Kept>>> = const { RefCell::new(Vec::new()) };
}

/// Operands that lie alike.
struct Alike {
    layout: Rc<Layout>,
    count: usize,
    dtypes: SmallVec<[DType; MAX_ARGS]>,
    starts: SmallVec<[Address; 5]>,
}

/// The address of the first element of a small row-major tensor on the host without marks; none for others.
fn start(form: &Strided, dtype: DType) -> Option<Address> {
    let plain = !form.conj && !form.neg && form.storage.device() == DeviceId::Cpu && form.layout.is_contiguous();
    plain.then(|| form.storage.as_ptr().wrapping_add(form.layout.offset as usize * dtype.size()))
}

impl Alike {
    fn find(operands: &[Operand]) -> Option<Alike> {
        let mut found: Option<Alike> = None;
        for operand in operands {
            let Operand::Tensor(tensor) = operand else { continue };
            tensor.look(|dtype, form| {
                let Form::Strided(form) = form else { return None };
                let start = start(form, dtype)?;
                match &mut found {
                    Some(alike) if alike.layout.sizes == form.layout.sizes => {
                        alike.dtypes.push(dtype);
                        alike.starts.push(start);
                    }
                    Some(_) => return None,
                    None => {
                        let count = form.layout.numel() as usize;
                        if count == 0 || count > BLOCK {
                            return None;
                        }
                        let (mut dtypes, mut starts) = (SmallVec::new(), SmallVec::new());
                        dtypes.push(dtype);
                        // The output comes first.
                        starts.extend([std::ptr::null_mut(), start]);
                        found = Some(Alike { layout: form.layout.clone(), count, dtypes, starts });
                    }
                }
                Some(())
            })?;
        }
        // A number has a say in the order of dimensions, unless that is row by row beyond doubt.
        let numbers = operands.iter().any(|o| matches!(o, Operand::Number(_)));
        found.filter(|alike| !numbers || alike.layout.is_row_major())
    }

    /// A new row-major tensor of these sizes.
    fn join(self, storage: Storage, dtype: DType) -> Result<Tensor> {
        let layout = if self.layout.is_plain() { self.layout } else { Rc::new(Layout::contiguous(&self.layout.sizes)) };
        Tensor::join(storage, dtype, layout)
    }

    /// Runs the program for these dtypes, kept from last time or made now.
    fn run(&mut self, what: &Resolved, operands: &[Operand], numbers: &[Number], out: Address) -> Result<()> {
        self.starts[0] = out;
        let signature = (what.scalar as *const Scalar, what.signature(operands, &self.dtypes));
        let compile = || what.compile(operands, numbers, &self.dtypes);
        with_program(signature, compile, |program| {
            let given = operands.iter().filter_map(|o| if let Operand::Number(n) = o { Some(*n) } else { None });
            program.set_numbers(given.chain(numbers.iter().copied()));
            // SAFETY: the program was made for these dtypes; each address is that of `count` elements in a row, at most a block,
            // by layouts that were checked against their storages; an input that overlaps the output is the same elements.
            unsafe { program.run_flat(self.count, &self.starts) };
        })
    }
}

/// Hands `f` the program with this signature, kept from last time or compiled now.
fn with_program(signature: Signature, compile: impl FnOnce() -> Result<Program>, f: impl FnOnce(&mut Program)) -> Result<()> {
    let place = (signature.0 as usize >> 4) ^ (signature.1.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
    PROGRAMS.with_borrow_mut(|programs| {
        if programs.is_empty() {
            programs.resize_with(KEPT, || None);
        }
        let slot = &mut programs[place % KEPT];
        let kept = match slot {
            Some(kept) if kept.0 == signature => kept,
            _ => slot.insert(Box::new((signature, compile()?))),
        };
        f(&mut kept.1);
        Ok(())
    })
}

/// What copies and fills stand under: no function.
const COPY: u64 = 1 << 62;
const FILL: u64 = 1 << 63;

/// A small row-major tensor as a new one of another dtype, or of its own; none when it is not such a tensor.
pub(super) fn converted(tensor: &Tensor, to: DType) -> Result<Option<Tensor>> {
    let operand = Operand::Tensor(tensor.clone());
    let usual = |a: &Alike| a.layout.is_row_major() && !fuse::may_promise(a.count);
    let Some(mut alike) = Alike::find(std::slice::from_ref(&operand)).filter(usual) else {
        return Ok(None);
    };
    let from = tensor.dtype();
    let storage = Storage::new(DeviceId::Cpu, alike.count * to.size(), false)?;
    alike.starts[0] = storage.as_ptr();
    let signature = (std::ptr::null(), COPY | (from as u64) << 8 | to as u64);
    // SAFETY: as in `Alike::run`.
    with_program(signature, || Ok(Program::copy(from, to)), |program| unsafe { program.run_flat(alike.count, &alike.starts) })?;
    storage.bump_version();
    alike.join(storage, to).map(Some)
}

/// Writes a number to every element of a small row-major tensor; false when it is not such a tensor.
pub(super) fn fill(tensor: &Tensor, number: Number) -> Result<bool> {
    let Some((start, count, storage)) = tensor.look(|dtype, form| match form {
        Form::Strided(form) => {
            let count = form.layout.numel() as usize;
            (1..=BLOCK).contains(&count).then_some(())?;
            Some((start(form, dtype)?, count, form.storage.clone()))
        }
        Form::Sparse(_) => None,
    }) else {
        return Ok(false);
    };
    let dtype = tensor.dtype();
    let compile = || Ok(Program::constant(number, dtype));
    with_program((std::ptr::null(), FILL | dtype as u64), compile, |program| {
        program.set_numbers(std::iter::once(number));
        // SAFETY: as in `Alike::run`.
        unsafe { program.run_flat(count, &[start]) }
    })?;
    storage.bump_version();
    Ok(true)
}

/// A function and the dtypes of this call.
struct Resolved {
    scalar: &'static Scalar,
    compute: DType,
    result: DType,
    output: DType,
}

impl Resolved {
    /// None where promotion is refused, or its result is among the dtypes that the caller refuses.
    fn new(scalar: &'static Scalar, operands: &[Operand], output: Option<DType>, refuses: &[DType]) -> Option<Resolved> {
        let common = match one_dtype(scalar, operands) {
            Some(dtype) => dtype,
            None => promoted(scalar, operands)?,
        };
        if refuses.contains(&common) {
            return None;
        }
        let (compute, result) = match scalar.rule {
            Rule::Promote => (common, common),
            Rule::Truth => (common, DType::Bool),
            rule => rule.resolve(common, settings::default_dtype()),
        };
        // Numbers beside 16-bit floats are taken exactly by some functions, rounded by others.
        let narrow = matches!(compute, DType::F16 | DType::BF16);
        if narrow && operands.iter().any(|o| !matches!(o, Operand::Tensor(t) if t.ndim() > 0)) {
            return None;
        }
        scalar.block(compute)?;
        Some(Resolved { scalar, compute, result, output: output.unwrap_or(result) })
    }

    fn signature(&self, operands: &[Operand], dtypes: &[DType]) -> u64 {
        let kinds = operands.iter().fold(1u64, |bits, o| bits << 1 | matches!(o, Operand::Tensor(_)) as u64);
        let dtypes = dtypes.iter().chain([&self.compute, &self.result, &self.output]);
        dtypes.fold(kinds, |bits, dtype| bits << 8 | *dtype as u64)
    }

    fn compile(&self, operands: &[Operand], numbers: &[Number], dtypes: &[DType]) -> Result<Program> {
        let mut inputs = 0..;
        let args = operands.iter().map(|o| match o {
            Operand::Number(n) => Source::Number(*n),
            Operand::Tensor(_) => Source::Input(inputs.next().unwrap_or_default()),
        });
        let args = args.chain(numbers.iter().map(|n| Source::Exact(*n))).collect();
        let instruction = Instruction { scalar: self.scalar, args, compute: self.compute, result: self.result };
        Program::new(dtypes, &[instruction], self.output)
    }
}

/// The dtype of all tensors, where they have one and no number is of a higher kind.
fn one_dtype(scalar: &Scalar, operands: &[Operand]) -> Option<DType> {
    let mut found = None;
    for (operand, argument) in operands.iter().zip(scalar.arguments) {
        match operand {
            _ if *argument != Argument::Common => return None,
            Operand::Tensor(t) => {
                let dtype = t.dtype();
                if *found.get_or_insert(dtype) != dtype {
                    return None;
                }
            }
            Operand::Number(_) => {}
        }
    }
    let dtype: DType = found?;
    let fits = |operand: &Operand| match operand {
        Operand::Tensor(_) => true,
        Operand::Number(Number::Bool(_)) => true,
        Operand::Number(Number::Int(_)) => dtype != DType::Bool,
        Operand::Number(Number::Float(_)) => dtype.is_float() || dtype.is_complex(),
        Operand::Number(_) => false,
    };
    operands.iter().all(fits).then_some(dtype)
}

/// The promoted dtype, by the rules for all cases.
fn promoted(scalar: &Scalar, operands: &[Operand]) -> Option<DType> {
    let weighed = operands.iter().zip(scalar.arguments).filter(|(_, a)| **a == Argument::Common).map(|(o, _)| match o {
        Operand::Tensor(t) if t.ndim() == 0 => (t.dtype(), Category::Zero),
        Operand::Tensor(t) => (t.dtype(), Category::Dimensioned),
        Operand::Number(n) => (super::map::number_dtype(*n), Category::Wrapped),
    });
    result_type(weighed, settings::default_dtype())
}

/// As [`super::map_new`]; none when the call is not of the simple kind.
pub fn map_new(scalar: &'static Scalar, operands: &[Operand], numbers: &[Number], refuses: &[DType]) -> Result<Option<Tensor>> {
    let Some(mut alike) = Alike::find(operands).filter(|a| !fuse::may_promise(a.count)) else { return Ok(None) };
    let Some(what) = Resolved::new(scalar, operands, None, refuses) else { return Ok(None) };
    let storage = Storage::new(DeviceId::Cpu, alike.count * what.output.size(), false)?;
    alike.run(&what, operands, numbers, storage.as_ptr())?;
    storage.bump_version();
    alike.join(storage, what.output).map(Some)
}

/// As [`super::map_into`]; false when the call is not of the simple kind.
pub fn map_into(
    scalar: &'static Scalar,
    out: &Tensor,
    operands: &[Operand],
    numbers: &[Number],
    refuses: &[DType],
) -> Result<bool> {
    let Some(mut alike) = Alike::find(operands) else { return Ok(false) };
    let Some((target, dtype)) = out.look(|dtype, form| match form {
        Form::Strided(form) if form.layout.sizes == alike.layout.sizes => Some((form.clone(), dtype)),
        _ => None,
    }) else {
        return Ok(false);
    };
    let (Some(start), Some(what)) = (start(&target, dtype), Resolved::new(scalar, operands, Some(dtype), refuses)) else {
        return Ok(false);
    };
    if !can_cast(what.result, dtype) || !operands.iter().all(|read| is_apart(&target, dtype, read)) {
        return Ok(false);
    }
    alike.run(&what, operands, numbers, start)?;
    target.storage.bump_version();
    Ok(true)
}

/// True when what is read has another storage than what is written, or is the very same elements.
fn is_apart(written: &Strided, dtype: DType, read: &Operand) -> bool {
    let Operand::Tensor(read) = read else { return true };
    let apart = read.look(|from, form| match form {
        Form::Strided(form) if form.storage.same(&written.storage) => {
            Some(from == dtype && form.layout.offset == written.layout.offset && form.layout.strides == written.layout.strides)
        }
        _ => Some(true),
    });
    apart.unwrap_or(false)
}
