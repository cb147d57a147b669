//! Elementwise operations: promotion, broadcasting, the result's layout, and the launch.

use super::convert::resolve;
use super::fuse;
use super::make::empty_layout;
use super::place::{broadcast, common_device, plan, read_safely};
use super::{alike, kept};
use crate::device::{self, DeviceId, Kernel};
use crate::dtype::{Category, DType, Number, promote, result_type};
use crate::kernel::order::output_layout;
use crate::kernel::overlap::check_written;
use crate::kernel::program::{Instruction, Program, Source};
use crate::kernel::scalar::{Argument, MAX_ARGS, Numbers, Scalar};
use crate::layout::{Dims, Layout};
use crate::ops::{Args, Operand, rare};
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
        None if let Some(dtype) = float8_beside_complex(operands) => {
            fault!(RuntimeError, "Unknown Complex ScalarType for {}", dtype.title())
        }
        None => {
            // Tensors with dimensions come first, numbers last.
            let mut by_weight: SmallVec<[&Operand; 4]> = operands.iter().collect();
            by_weight.sort_by_key(|operand| std::cmp::Reverse(weight(operand)));
            refuse_promotion(&by_weight.into_iter().map(dtype_of).collect::<SmallVec<[DType; 4]>>())
        }
    }
}

/// As [`common_dtype`], for a function of elements: sizes that do not fit, together or into what is written, are said first.
pub fn common_dtype_for(args: &Args, operands: &[Operand]) -> Result<DType> {
    let written = args.target().filter(|_| args.inplace);
    common_dtype(operands).or_else(|error| refuse_misfits(written.as_ref(), operands).and(Err(error)))
}

/// Fails where sizes do not fit, together or into what is written in place.
pub fn refuse_misfits(written: Option<&Tensor>, operands: &[Operand]) -> Result<()> {
    match written {
        Some(target) => refuse_misfit(target, operands),
        None => sizes_of(operands).map(drop),
    }
}

/// The float8 dtype that a complex number of less weight beside it should widen.
fn float8_beside_complex(operands: &[Operand]) -> Option<DType> {
    let float8 = operands.iter().find(|o| rare::is_float8(dtype_of(o)))?;
    let beside = |o: &Operand| dtype_of(o).is_complex() && weight(o) < weight(float8);
    operands.iter().any(beside).then(|| dtype_of(float8))
}

/// How much an operand counts where dtypes are promoted: a tensor with dimensions, one without, a number.
fn weight(operand: &Operand) -> usize {
    match operand {
        Operand::Tensor(t) => 1 + usize::from(t.ndim() > 0),
        Operand::Number(_) => 0,
    }
}

/// The dtype of a Python number before the default float dtype is taken into account.
pub fn number_dtype(number: Number) -> DType {
    match number {
        Number::Bool(_) => DType::Bool,
        Number::Int(_) => DType::I64,
        Number::Unsigned(_) => DType::U64,
        Number::Float(_) => DType::F64,
        Number::Complex(_) => DType::C128,
    }
}

fn dtype_of(operand: &Operand) -> DType {
    match operand {
        Operand::Tensor(t) => t.dtype(),
        Operand::Number(n) => number_dtype(*n),
    }
}

/// The `RuntimeError` for dtypes that are not promoted to a common one.
pub fn refuse_promotion(dtypes: &[DType]) -> Result<DType> {
    let float8 = dtypes.iter().find(|d| rare::is_float8(**d));
    let family = if float8.is_some() { "Float8 Types" } else { "uint16, uint32, uint64 types" };
    let (a, b) = unlike(dtypes);
    fault!(RuntimeError, "Promotion for {family} is not supported, attempted to promote {} and {}", a.title(), b.title())
}

/// What the first of these dtypes have been promoted to, and the one that does not mix with it.
fn unlike(dtypes: &[DType]) -> (DType, DType) {
    let mut so_far = dtypes.first().copied().unwrap_or(DType::Bool);
    for &next in dtypes.iter().skip(1) {
        match promote(so_far, next) {
            Some(dtype) => so_far = dtype,
            None => return (so_far, next),
        }
    }
    (so_far, so_far)
}

/// Which dtypes an application of a function has to do with.
pub struct DTypes {
    /// The promoted one.
    pub common: DType,
    /// The one to compute in.
    pub compute: DType,
    /// The result's.
    pub result: DType,
}

/// The dtypes of a function applied to these operands. Fails with a `RuntimeError` where PyTorch does not promote.
pub fn dtypes_of(scalar: &Scalar, operands: &[Operand]) -> Result<DTypes> {
    let weighed: SmallVec<[Operand; 4]> =
        operands.iter().zip(scalar.arguments).filter(|(_, a)| **a == Argument::Common).map(|(o, _)| o.clone()).collect();
    // A function of truth values alone is computed on truth values.
    let common = match scalar.rule {
        _ if weighed.is_empty() => DType::Bool,
        _ => common_dtype(&weighed)?,
    };
    let (compute, result) = scalar.rule.resolve(common, settings::default_dtype());
    Ok(DTypes { common, compute, result })
}

/// The sizes some operands broadcast to. Fails with a `RuntimeError` when they do not.
pub fn sizes_of(operands: &[Operand]) -> Result<Dims> {
    let layouts: SmallVec<[Rc<Layout>; 4]> = operands
        .iter()
        .filter_map(|o| match o {
            Operand::Tensor(t) => Some(t.layout()),
            Operand::Number(_) => None,
        })
        .collect();
    let sizes: SmallVec<[&[i64]; 4]> = layouts.iter().map(|l| l.sizes.as_slice()).collect();
    broadcast(&sizes)
}

/// A scalar function bound to operands: everything known about the result before memory is touched.
struct Call {
    scalar: &'static Scalar,
    args: SmallVec<[Source; MAX_ARGS]>,
    tensors: SmallVec<[Tensor; 4]>,
    sizes: Dims,
    compute: DType,
    result: DType,
    /// The dtype of operands that PyTorch does not copy.
    met: DType,
    /// The layout of a 0-d operand that a number stands for.
    number: Option<Layout>,
}

impl Call {
    /// `numbers` follow the operands as arguments and take no part in promotion.
    fn new(scalar: &'static Scalar, operands: &[Operand], numbers: &[Number]) -> Result<Call> {
        let DTypes { compute, result, .. } = match dtypes_of(scalar, operands) {
            Ok(dtypes) => dtypes,
            // Sizes that do not fit are said first.
            Err(error) => return sizes_of(operands).and(Err(error)),
        };
        let exact = matches!(compute, DType::F16 | DType::BF16) && scalar.numbers == Numbers::Exact;
        let mut tensors: SmallVec<[Tensor; 4]> = SmallVec::new();
        let mut args = SmallVec::new();
        for (place, operand) in operands.iter().enumerate() {
            args.push(match operand {
                Operand::Number(n) if exact && place == 1 => Source::Exact(*n),
                Operand::Number(n) => Source::Number(*n),
                Operand::Tensor(t) if exact && place == 1 && t.ndim() == 0 && t.device() == DeviceId::Cpu => {
                    Source::Exact(super::host::item(t)?)
                }
                Operand::Tensor(t) => {
                    tensors.push(resolve(t)?);
                    Source::Input(tensors.len() - 1)
                }
            });
        }
        args.extend(numbers.iter().map(|n| Source::Exact(*n)));
        scalar.require(compute)?;
        let layouts: SmallVec<[Rc<Layout>; 4]> = tensors.iter().map(Tensor::layout).collect();
        let sizes: SmallVec<[&[i64]; 4]> = layouts.iter().map(|l| l.sizes.as_slice()).collect();
        let sizes = broadcast(&sizes)?;
        let has_number = operands.iter().any(|o| matches!(o, Operand::Number(_)));
        let number = (has_number && !matches!(scalar.numbers, Numbers::Aside | Numbers::Like)).then(|| Layout::contiguous(&[]));
        // Functions of truth values alone promote like comparisons, and look at the elements as they are.
        let of_truths = !scalar.arguments.contains(&Argument::Common);
        let met = if of_truths { common_dtype(operands).unwrap_or(compute) } else { compute };
        Ok(Call { scalar, args, tensors, sizes, compute, result, met, number })
    }

    /// Writes the result to a tensor of its sizes, which reads what it overlaps only where that is the same elements.
    fn run(self, out: &Tensor) -> Result<()> {
        let inputs: SmallVec<[DType; 4]> = self.tensors.iter().map(Tensor::dtype).collect();
        let Call { scalar, args, compute, result, tensors, .. } = self;
        let instruction = Instruction { scalar, args, compute, result };
        kept::with_instruction(&instruction, &inputs, out.dtype(), |program| launch(program, out, &tensors))
    }

    /// The result as a promise, if it is worth one.
    fn promise(&self, device: DeviceId) -> Result<Option<Tensor>> {
        if !fuse::is_open() || self.tensors.iter().any(|t| t.sparse().is_some()) {
            return Ok(None);
        }
        let args = || {
            let arg = |source: &Source| match source {
                Source::Input(i) | Source::Step(i) => fuse::Arg::Tensor(self.tensors[*i].clone()),
                Source::Number(n) => fuse::Arg::Number(Source::Number(*n)),
                Source::Exact(n) => fuse::Arg::Number(Source::Exact(*n)),
            };
            self.args.iter().map(arg).collect()
        };
        let numel = self.sizes.iter().product();
        fuse::promise(self.scalar, args, (self.compute, self.result), device, || self.layout(), numel)
    }

    /// The layout of an operand. PyTorch first makes a copy of one that has another dtype, and the copy has no gaps or repeats.
    fn promoted_layout(&self, operand: &Tensor) -> Rc<Layout> {
        let own = operand.layout();
        let condition = operand.dtype() == DType::Bool
            && self.scalar.arguments.contains(&Argument::Common)
            && self.scalar.arguments.contains(&Argument::Truth);
        if operand.dtype() == self.met || condition || operand.ndim() == 0 || own.is_contiguous() {
            return own;
        }
        Rc::new(Layout::new(&own.sizes, &own.preserved_strides(), 0))
    }

    /// The tensor that the result is made like before anything is computed.
    fn like(&self) -> Option<&Tensor> {
        let like = self.tensors.first().filter(|first| first.sizes() == self.sizes)?;
        self.scalar.numbers.is_like(self.compute).then_some(like)
    }

    fn layout(&self) -> Layout {
        if let Some(like) = self.like() {
            return Layout::new(&self.sizes, &like.layout().preserved_strides(), 0);
        }
        let layouts: SmallVec<[Rc<Layout>; 4]> = self.tensors.iter().map(|t| self.promoted_layout(t)).collect();
        let layouts: SmallVec<[&Layout; 4]> = layouts.iter().map(|l| &**l).chain(&self.number).collect();
        // Of the imaginary parts, a view that lies as the operand does, whatever it skips.
        let first = if self.scalar.numbers == Numbers::LikeRealOrCompared {
            layouts[0].clone()
        } else {
            output_layout(&self.sizes, &layouts)
        };
        match self.scalar.numbers.is_compared() {
            true => output_layout(&self.sizes, &[&first, &Layout::contiguous(&[])]),
            false => first,
        }
    }
}

/// Applies a scalar function to operands, promoted and broadcast, as a new tensor. `numbers` are its further arguments.
///
/// Fails with a `NotImplementedError` when the function does not exist for the dtype, and with a `RuntimeError` when the
/// sizes do not broadcast.
pub fn map_new(scalar: &'static Scalar, operands: &[Operand], numbers: &[Number]) -> Result<Tensor> {
    if let Some(out) = alike::map_new(scalar, operands, numbers, &[])? {
        return Ok(out);
    }
    let call = Call::new(scalar, operands, numbers)?;
    let device = common_device(&call.tensors)?;
    if let Some(promised) = call.promise(device)? {
        return Ok(promised);
    }
    let out = empty_layout(call.layout(), call.result, device)?;
    call.run(&out)?;
    Ok(out)
}

/// As [`map_new`], into an existing tensor, whose dtype must be able to take the result (`x.f_()`).
///
/// Fails with a `RuntimeError` when it cannot, when its size is not the broadcast size, and when the write would overlap.
pub fn map_into(scalar: &'static Scalar, out: &Tensor, operands: &[Operand], numbers: &[Number]) -> Result<()> {
    if alike::map_into(scalar, out, operands, numbers, &[])? {
        return Ok(());
    }
    let mut call = match Call::new(scalar, operands, numbers) {
        Ok(call) => call,
        Err(error) => return refuse_misfit(out, operands).and(Err(error)),
    };
    if call.sizes != out.sizes() {
        refuse_misfit(out, operands)?;
    }
    require_cast(call.result, out.dtype())?;
    if out.is_conj() || out.is_neg() {
        return super::convert::copy(out, &map_new(scalar, operands, numbers)?);
    }
    check_written(&out.layout())?;
    call.tensors = call.tensors.iter().map(|t| read_safely(out, t)).collect::<Result<_>>()?;
    call.run(out)
}

/// Fails with a `RuntimeError` when a result of dtype `from` may not be written into a tensor of dtype `to`.
pub fn require_cast(from: DType, to: DType) -> Result<()> {
    if !crate::dtype::can_cast(from, to) {
        fault!(RuntimeError, "result type {} can't be cast to the desired output type {}", from.title(), to.title());
    }
    Ok(())
}

/// Fails with a `RuntimeError` where an output cannot be written because of how it and the operands lie, in PyTorch's order: cells
/// that are repeated or shared in part, sizes that do not broadcast, sizes that are not the output's.
pub fn refuse_misfit(out: &Tensor, operands: &[Operand]) -> Result<()> {
    check_written(&out.layout())?;
    for operand in operands {
        if let Operand::Tensor(read) = operand {
            super::place::refuse_partial(out, read)?;
        }
    }
    let sizes = sizes_of(operands)?;
    if sizes != out.sizes() {
        refuse_sizes(&out.sizes(), &sizes)?;
    }
    Ok(())
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
    target.storage.bump_version();
    let device = device::get(device)?;
    let sizes = &target.layout.sizes;
    if walked.iter().all(|(form, _)| form.layout.is_contiguous() && form.layout.sizes == *sizes) {
        let at: SmallVec<[device::Address; 5]> = walked.iter().map(|(form, size)| form.first(*size)).collect();
        // SAFETY: as below.
        return unsafe { device.launch(&Kernel::Flat { program, count: target.layout.numel() as usize, at: &at }) };
    }
    let plan = plan(sizes, &walked);
    let at: SmallVec<[device::Address; 5]> = walked.iter().map(|(form, _)| form.storage.as_ptr()).collect();
    // SAFETY: each operand is a layout that was checked against its storage, the program was made for these dtypes, and
    // this thread, which waits for the launch, is the only one that has tensors.
    unsafe { device.launch(&Kernel::Map { program, plan: &plan, at: &at }) }
}
