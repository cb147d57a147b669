//! Elementwise operations: promotion, broadcasting, the result's layout, and the launch.

use super::convert::resolve;
use super::make::empty_layout;
use super::place::{broadcast, common_device, plan, read_safely};
use crate::device::{self, Kernel};
use crate::dtype::{Category, DType, Number, result_type};
use crate::kernel::order::output_layout;
use crate::kernel::overlap::check_written;
use crate::kernel::program::{Instruction, Program, Source};
use crate::kernel::scalar::{Argument, Scalar};
use crate::layout::{Dims, Layout};
use crate::ops::Operand;
use crate::settings;
use crate::tensor::{Strided, Tensor};
use anyhow::Result;
use smallvec::SmallVec;
use std::rc::Rc;

/// The promoted dtype of some operands. Fails with a `RuntimeError` where PyTorch does not promote.
pub fn common_dtype(operands: &[Operand]) -> Result<DType> {
    let weighed = operands.iter().map(|o| match o {
        Operand::Tensor(t) if t.ndim() == 0 => (t.dtype(), Category::Zero),
        Operand::Tensor(t) => (t.dtype(), Category::Dimensioned),
        Operand::Number(n) => (number_dtype(*n), Category::Wrapped),
    });
    match result_type(weighed, settings::default_dtype()) {
        Some(dtype) => Ok(dtype),
        None => refuse_promotion(operands),
    }
}

/// The dtype of a Python number before the default float dtype is taken into account.
fn number_dtype(number: Number) -> DType {
    match number {
        Number::Bool(_) => DType::Bool,
        Number::Int(_) => DType::I64,
        Number::Unsigned(_) => DType::U64,
        Number::Float(_) => DType::F64,
        Number::Complex(_) => DType::C128,
    }
}

fn refuse_promotion(operands: &[Operand]) -> Result<DType> {
    let dtypes = operands.iter().map(|o| match o {
        Operand::Tensor(t) => t.dtype(),
        Operand::Number(n) => number_dtype(*n),
    });
    let dtypes: SmallVec<[DType; 4]> = dtypes.collect();
    let titles: Vec<&str> = dtypes.iter().map(|d| d.title()).collect();
    let family = if dtypes.iter().any(|d| matches!(d, DType::F8E4M3 | DType::F8E5M2)) {
        "Float8 Types"
    } else {
        "uint16, uint32, uint64 types"
    };
    fault!(RuntimeError, "Promotion for {family} is not supported, attempted to promote {}", titles.join(" and "))
}

/// A scalar function bound to operands: everything known about the result before memory is touched.
struct Call {
    program: Program,
    tensors: SmallVec<[Tensor; 4]>,
    sizes: Dims,
    result: DType,
}

impl Call {
    /// `numbers` follow the operands as arguments and take no part in promotion. The program stores as `output`, or as the
    /// dtype the rule gives.
    fn new(scalar: &'static Scalar, operands: &[Operand], numbers: &[Number], output: Option<DType>) -> Result<Call> {
        let weighed: SmallVec<[Operand; 4]> =
            operands.iter().zip(scalar.arguments).filter(|(_, a)| **a == Argument::Common).map(|(o, _)| o.clone()).collect();
        // A function of truth values alone is computed on truth values.
        let common = if weighed.is_empty() { DType::Bool } else { common_dtype(&weighed)? };
        let (compute, result) = scalar.rule.resolve(common, settings::default_dtype());
        let mut tensors: SmallVec<[Tensor; 4]> = SmallVec::new();
        let mut args = SmallVec::new();
        for operand in operands {
            args.push(match operand {
                Operand::Number(n) => Source::Number(*n),
                Operand::Tensor(t) => {
                    tensors.push(resolve(t)?);
                    Source::Input(tensors.len() - 1)
                }
            });
        }
        args.extend(numbers.iter().map(|n| Source::Number(*n)));
        let inputs: SmallVec<[DType; 4]> = tensors.iter().map(Tensor::dtype).collect();
        let instruction = Instruction { scalar, args, compute, result };
        let program = Program::new(&inputs, &[instruction], output.unwrap_or(result))?;
        let layouts: SmallVec<[Rc<Layout>; 4]> = tensors.iter().map(Tensor::layout).collect();
        let sizes: SmallVec<[&[i64]; 4]> = layouts.iter().map(|l| l.sizes.as_slice()).collect();
        let sizes = broadcast(&sizes)?;
        Ok(Call { program, tensors, sizes, result })
    }

    fn layout(&self) -> Layout {
        let layouts: SmallVec<[Rc<Layout>; 4]> = self.tensors.iter().map(Tensor::layout).collect();
        let layouts: SmallVec<[&Layout; 4]> = layouts.iter().map(|l| &**l).collect();
        output_layout(&self.sizes, &layouts)
    }
}

/// Applies a scalar function to operands, promoted and broadcast, as a new tensor. `numbers` are its further arguments.
///
/// Fails with a `NotImplementedError` when the function does not exist for the dtype, and with a `RuntimeError` when the
/// sizes do not broadcast.
pub fn map_new(scalar: &'static Scalar, operands: &[Operand], numbers: &[Number]) -> Result<Tensor> {
    let call = Call::new(scalar, operands, numbers, None)?;
    let device = common_device(&call.tensors)?;
    let out = empty_layout(call.layout(), call.result, device)?;
    launch(&call.program, &out, &call.tensors)?;
    Ok(out)
}

/// As [`map_new`], into an existing tensor, whose dtype must be able to take the result (`x.f_()`).
///
/// Fails with a `RuntimeError` when it cannot, when its size is not the broadcast size, and when the write would overlap.
pub fn map_into(scalar: &'static Scalar, out: &Tensor, operands: &[Operand], numbers: &[Number]) -> Result<()> {
    let call = Call::new(scalar, operands, numbers, Some(out.dtype()))?;
    if !crate::dtype::can_cast(call.result, out.dtype()) {
        fault!(
            RuntimeError,
            "result type {} can't be cast to the desired output type {}",
            call.result.title(),
            out.dtype().title()
        );
    }
    if call.sizes != out.sizes() {
        refuse_sizes(&out.sizes(), &call.sizes)?;
    }
    if out.is_conj() || out.is_neg() {
        return super::convert::copy(out, &map_new(scalar, operands, numbers)?);
    }
    let ins: SmallVec<[&Tensor; 4]> = call.tensors.iter().collect();
    map(&call.program, out, &ins)
}

/// The `RuntimeError` for an output whose size is not the result's.
pub(super) fn refuse_sizes(out: &[i64], result: &[i64]) -> Result<()> {
    fault!(RuntimeError, "output with shape {out:?} doesn't match the broadcast shape {result:?}")
}

/// Runs a program over existing tensors; the inputs broadcast to the output. Marks on inputs must be resolved.
///
/// Fails with a `RuntimeError` when the output repeats cells or partly overlaps an input, or on mixed devices.
pub fn map(program: &Program, out: &Tensor, ins: &[&Tensor]) -> Result<()> {
    check_written(&out.layout())?;
    let ins = ins.iter().map(|t| read_safely(out, t)).collect::<Result<SmallVec<[Tensor; 4]>>>()?;
    launch(program, out, &ins)
}

/// Runs a program; the output overlaps no input, or is the same elements.
pub(super) fn launch(program: &Program, out: &Tensor, ins: &[Tensor]) -> Result<()> {
    let device = common_device(std::iter::once(out).chain(ins))?;
    let target = out.strided()?;
    let forms: SmallVec<[(Strided, usize); 4]> =
        ins.iter().map(|t| Ok((t.strided()?, t.dtype().size()))).collect::<Result<_>>()?;
    let mut walked: SmallVec<[(&Strided, usize); 5]> = SmallVec::new();
    walked.push((&target, out.dtype().size()));
    walked.extend(forms.iter().map(|(form, size)| (form, *size)));
    let plan = plan(&target.layout.sizes, &walked);
    let at: SmallVec<[device::Address; 5]> = walked.iter().map(|(form, _)| form.storage.as_ptr()).collect();
    target.storage.bump_version();
    // SAFETY: each plan operand is a layout that was checked against its storage, the program was made for these dtypes, and
    // this thread, which waits for the launch, is the only one that has tensors.
    unsafe { device::get(device)?.launch(&Kernel::Map { program, plan: &plan, at: &at }) }
}
