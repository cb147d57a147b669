//! Reductions of tensors.

use super::convert::resolve;
use super::fuse::Graph;
use super::kept;
use super::make::empty_layout;
use crate::device::{self, Address, Kernel};
use crate::dtype::{DType, Number};
use crate::kernel::fold::{Fold, FoldPlan, Line, Operand, Task};
use crate::kernel::plan::BLOCK;
use crate::kernel::program::{Instruction, Program, Source};
use crate::kernel::scalar::Scalar;
use crate::layout::{Dims, Layout};
use crate::tensor::Tensor;
use anyhow::Result;
use smallvec::{SmallVec, smallvec};

/// What is folded, and how.
#[derive(Clone, Copy)]
pub struct Reduction<'a> {
    /// The fold.
    pub fold: &'static Fold,
    /// A function applied to every element first, with its further arguments.
    pub first: Option<(&'static Scalar, &'a [Number])>,
    /// The dtype elements are cast to before anything else.
    pub compute: DType,
    /// The dtype of each result.
    pub results: [DType; 2],
    /// The fold's parameter.
    pub number: f64,
}

impl Reduction<'_> {
    /// A fold whose results have the dtype it is computed in.
    pub fn new(fold: &'static Fold, compute: DType) -> Reduction<'static> {
        Reduction { fold, first: None, compute, results: [compute, compute], number: 0.0 }
    }

    /// The function applied first, to an input or to the result of some steps.
    fn before(&self, on: Source) -> Option<Instruction> {
        let (scalar, numbers) = self.first?;
        let (compute, result) = scalar.rule.resolve(self.compute, self.compute);
        let args = std::iter::once(on).chain(numbers.iter().map(|n| Source::Number(*n))).collect();
        Some(Instruction { scalar, args, compute, result })
    }

    /// Hands `f` the program that makes the lanes to fold, of an input or of the result of some steps.
    fn with_program(
        &self,
        inputs: &[DType],
        mut steps: SmallVec<[Instruction; 8]>,
        f: impl FnOnce(&Program) -> Result<()>,
    ) -> Result<()> {
        let before = self.before(if steps.is_empty() { Source::Input(0) } else { Source::Step(steps.len() - 1) });
        match before {
            None if steps.is_empty() => kept::with_widen(inputs[0], self.compute, f),
            Some(before) if steps.is_empty() => kept::with_folded(&before, inputs, f),
            before => {
                let result = before.as_ref().map_or(self.compute, |b| b.result);
                steps.extend(before);
                f(&Program::folded(inputs, &steps, result)?)
            }
        }
    }
}

/// Folds the dimensions `dims` (counted from 0, each at most once) of a tensor into new tensors, one per result.
///
/// Fails with a `NotImplementedError` when the fold does not exist for the dtype.
pub fn fold(what: &Reduction, x: &Tensor, dims: &[usize], keepdim: bool) -> Result<SmallVec<[Tensor; 2]>> {
    let x = resolve(x)?;
    if x.promise().is_none()
        && let Some(outs) = line(what, &x, dims, keepdim)?
    {
        return Ok(outs);
    }
    let (inputs, steps) = match foldable(&x)? {
        Some(graph) => (graph.inputs, graph.steps),
        None => (smallvec![x.clone()], smallvec![]),
    };
    let dtypes: SmallVec<[DType; 4]> = inputs.iter().map(Tensor::dtype).collect();
    let layout = x.layout();
    let sizes = &layout.sizes;
    let reduced: SmallVec<[bool; 6]> = (0..sizes.len()).map(|k| dims.contains(&k)).collect();
    let full: Dims = sizes.iter().zip(&reduced).map(|(s, r)| if *r { 1 } else { *s }).collect();
    let left = sizes.iter().zip(&reduced).filter(|(_, r)| !**r).map(|(s, _)| *s);
    let left: Dims = if keepdim { full.clone() } else { left.collect() };
    let mut outs: SmallVec<[Tensor; 2]> = smallvec![];
    what.with_program(&dtypes, steps, |program| {
        let Some(block) = what.fold.block(program.output()) else {
            fault!(NotImplementedError, "\"{}\" not implemented for '{}'", what.fold.name, x.dtype().title())
        };
        for dtype in &what.results[..block.results] {
            outs.push(empty_layout(Layout::contiguous(&left), *dtype, x.device())?);
        }
        if full.contains(&0) {
            return Ok(());
        }
        // The results lie in the same cells whether reduced dimensions are kept or not.
        let strides = Layout::contiguous(&full).strides;
        let target = |t: &Tensor| Operand { strides: strides.clone(), size: t.dtype().size(), start: 0 };
        let targets: SmallVec<[Operand; 2]> = outs.iter().map(target).collect();
        let operands = inputs.iter().map(operand).collect::<Result<SmallVec<[Operand; 4]>>>()?;
        let plan = FoldPlan::new(sizes, &reduced, &operands, &targets);
        let outputs: SmallVec<[(Address, DType); 2]> =
            outs.iter().map(|t| Ok((t.storage()?.as_ptr(), t.dtype()))).collect::<Result<_>>()?;
        let at: SmallVec<[Address; 4]> = inputs.iter().map(|t| Ok(t.storage()?.as_ptr())).collect::<Result<_>>()?;
        let task = Task { fold: block, program, plan: &plan, inputs: &at, outputs: &outputs, number: what.number };
        // SAFETY: the plan was made from layouts that were checked against their storages, the program for these dtypes, and
        // the outputs are new.
        unsafe { device::get(x.device())?.launch(&Kernel::Fold(&task)) }
    })?;
    Ok(outs)
}

/// Folds all elements of a tensor that are few and lie one after the other as lanes, and are no promise.
fn line(what: &Reduction, x: &Tensor, dims: &[usize], keepdim: bool) -> Result<Option<SmallVec<[Tensor; 2]>>> {
    let (layout, dtype) = (x.layout(), x.dtype());
    let count = layout.numel() as usize;
    let is_lane = dtype == what.compute && dtype.size() == dtype.class().size();
    if what.first.is_some() || !is_lane || !(1..=BLOCK).contains(&count) || dims.len() != layout.ndim() || !layout.is_contiguous()
    {
        return Ok(None);
    }
    let Some(fold) = what.fold.block(dtype).filter(|fold| (0..fold.results).all(|i| fold.outs[i] == what.results[i].class()))
    else {
        return Ok(None);
    };
    let target = if keepdim { Layout::contiguous(&Dims::from_elem(1, layout.ndim())) } else { Layout::contiguous(&[]) };
    let mut outs: SmallVec<[Tensor; 2]> = smallvec![];
    let mut outputs = [std::ptr::null_mut(); 2];
    for (i, dtype) in what.results[..fold.results].iter().enumerate() {
        if dtype.size() != dtype.class().size() {
            return Ok(None);
        }
        let out = empty_layout(target.clone(), *dtype, x.device())?;
        outputs[i] = out.storage()?.as_ptr();
        outs.push(out);
    }
    let first = x.strided()?.first(dtype.size());
    let line = Line { fold, count, first, outputs, number: what.number };
    // SAFETY: the elements lie in the tensor's storage, and the outputs are new.
    unsafe { device::get(x.device())?.launch(&Kernel::Line(&line)) }?;
    Ok(Some(outs))
}

/// What leads to a promised tensor, if its elements are met in the same order when they are computed on the way: when all that is
/// read lies as the tensor itself would.
fn foldable(x: &Tensor) -> Result<Option<Graph>> {
    let layout = x.layout();
    let same = |t: &Tensor| {
        let own = t.layout();
        own.sizes == layout.sizes && own.strides == layout.strides
    };
    Ok(Graph::of(x)?.filter(|graph| graph.inputs.iter().all(same)))
}

/// How a tensor lies, for a plan.
pub(super) fn operand(t: &Tensor) -> Result<Operand> {
    let (form, size) = (t.strided()?, t.dtype().size());
    Ok(Operand { strides: form.layout.strides.clone(), size, start: form.layout.start(size) })
}
