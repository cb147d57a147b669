//! Elementwise operations on tensors that all lie in memory in one order: no plan is made, and programs are kept.
//!
//! Everything else about a call (promotion, refusals, marks, overlap) is as in [`super::map`]; what is not simple goes there.

use super::spread::{self, Room};
use super::{fuse, kept};
use crate::device::{self, Address, DeviceId, Kernel};
use crate::dtype::{Category, DType, Number, can_cast, result_type};
use crate::kernel::program::{Instruction, Program, Source};
use crate::kernel::scalar::{Argument, MAX_ARGS, Rule, Scalar};
use crate::layout::Layout;
use crate::ops::Operand;
use crate::settings;
use crate::tensor::{Form, Storage, Strided, Tensor};
use anyhow::Result;
use smallvec::SmallVec;
use std::rc::Rc;

/// Operands that lie alike.
pub(super) struct Alike {
    pub(super) layout: Rc<Layout>,
    pub(super) count: usize,
    pub(super) dtypes: SmallVec<[DType; MAX_ARGS]>,
    /// The first element of the output and of each operand.
    pub(super) starts: SmallVec<[Address; 5]>,
    /// What some of them point into.
    pub(super) _rooms: SmallVec<[Room; 2]>,
}

/// True for a tensor on the host without marks.
pub(super) fn plain(form: &Strided) -> bool {
    !form.conj && !form.neg && form.storage.device() == DeviceId::Cpu
}

/// The address of the first element of a row-major tensor on the host without marks; none for others.
fn start(form: &Strided, dtype: DType) -> Option<Address> {
    (plain(form) && form.layout.is_contiguous()).then(|| form.first(dtype.size()))
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
                        if count == 0 {
                            return None;
                        }
                        let (mut dtypes, mut starts) = (SmallVec::new(), SmallVec::new());
                        dtypes.push(dtype);
                        // The output comes first.
                        starts.extend([std::ptr::null_mut(), start]);
                        found = Some(Alike { layout: form.layout.clone(), count, dtypes, starts, _rooms: SmallVec::new() });
                    }
                }
                Some(())
            })?;
        }
        // A number has a say in the order of dimensions, unless that is row by row beyond doubt.
        let numbers = operands.iter().any(|o| matches!(o, Operand::Number(_)));
        found.filter(|alike| !numbers || alike.layout.is_row_major())
    }

    /// As [`Alike::find`]; small ones are made to lie alike, where it does not matter in which rows they lay.
    fn find_or_spread(scalar: &Scalar, operands: &[Operand]) -> Option<Alike> {
        let minds_rows = |operand: &Operand| matches!(operand, Operand::Tensor(t) if scalar.rest(t.dtype()).is_some());
        let spread = || if operands.iter().any(minds_rows) { None } else { spread::find(operands) };
        Alike::find(operands).or_else(spread)
    }

    /// A new row-major tensor of these sizes.
    fn join(self, storage: Storage, dtype: DType) -> Tensor {
        let layout = if self.layout.is_plain() { self.layout } else { Rc::new(Layout::contiguous(&self.layout.sizes)) };
        Tensor::made_for(layout, dtype, storage)
    }

    /// Writes the result from `out` on.
    fn run(&mut self, what: &Resolved, operands: &[Operand], numbers: &[Number], out: Address) -> Result<()> {
        self.starts[0] = out;
        let instruction = what.instruction(operands, numbers);
        kept::with_instruction(&instruction, &self.dtypes, what.output, |program| self.launch(program))
    }

    /// Runs a program that was made for these dtypes over the elements at `starts`.
    fn launch(&self, program: &Program) -> Result<()> {
        let kernel = Kernel::Flat { program, count: self.count, at: &self.starts };
        // SAFETY: each address is that of `count` elements in a row, by layouts that were checked against their storages; an input
        // that overlaps the output is the same elements; this thread, which waits, is the only one that has tensors.
        unsafe { device::get(DeviceId::Cpu)?.launch(&kernel) }
    }
}

/// A row-major tensor as a new one of another dtype, or of its own; none when it is not such a tensor.
pub(super) fn converted(tensor: &Tensor, to: DType) -> Result<Option<Tensor>> {
    let operand = Operand::Tensor(tensor.clone());
    let usual = |a: &Alike| a.layout.is_row_major() && !fuse::may_promise(a.count);
    let Some(mut alike) = Alike::find(std::slice::from_ref(&operand)).filter(usual) else {
        return Ok(None);
    };
    let from = tensor.dtype();
    let storage = Storage::new(DeviceId::Cpu, alike.count * to.size(), false)?;
    alike.starts[0] = storage.as_ptr();
    kept::with_copy(from, to, |program| alike.launch(program))?;
    storage.bump_version();
    Ok(Some(alike.join(storage, to)))
}

/// Writes a number to every element of a row-major tensor; false when it is not such a tensor.
pub(super) fn fill(tensor: &Tensor, number: Number) -> Result<bool> {
    let Some(mut alike) = Alike::find(&[Operand::Tensor(tensor.clone())]) else { return Ok(false) };
    alike.starts.remove(0);
    kept::with_fill(number, tensor.dtype(), |program| alike.launch(program))?;
    tensor.strided()?.storage.bump_version();
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

    fn instruction(&self, operands: &[Operand], numbers: &[Number]) -> Instruction {
        let mut inputs = 0..;
        let args = operands.iter().map(|o| match o {
            Operand::Number(n) => Source::Number(*n),
            Operand::Tensor(_) => Source::Input(inputs.next().unwrap_or_default()),
        });
        let args = args.chain(numbers.iter().map(|n| Source::Exact(*n))).collect();
        Instruction { scalar: self.scalar, args, compute: self.compute, result: self.result }
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
    // Where the result is made like the operand, its strides say more than the order of the elements.
    let minds = |dtype: DType| scalar.numbers.is_like(dtype) || scalar.numbers.is_compared();
    let keeps = |o: &Operand| matches!(o, Operand::Tensor(t) if minds(t.dtype()) && !t.layout().is_row_major());
    if operands.iter().any(keeps) {
        return Ok(None);
    }
    let Some(mut alike) = Alike::find_or_spread(scalar, operands).filter(|a| !fuse::may_promise(a.count)) else {
        return Ok(None);
    };
    let Some(what) = Resolved::new(scalar, operands, None, refuses) else { return Ok(None) };
    let storage = Storage::new(DeviceId::Cpu, alike.count * what.output.size(), false)?;
    alike.run(&what, operands, numbers, storage.as_ptr())?;
    storage.bump_version();
    Ok(Some(alike.join(storage, what.output)))
}

/// As [`super::map_into`]; false when the call is not of the simple kind.
pub fn map_into(
    scalar: &'static Scalar,
    out: &Tensor,
    operands: &[Operand],
    numbers: &[Number],
    refuses: &[DType],
) -> Result<bool> {
    let Some(mut alike) = Alike::find_or_spread(scalar, operands) else { return Ok(false) };
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
        Form::Strided(form) if form.storage.same(&written.storage) => Some(from == dtype && form.layout == written.layout),
        _ => Some(true),
    });
    apart.unwrap_or(false)
}
