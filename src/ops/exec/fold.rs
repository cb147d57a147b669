//! Reductions of tensors.

use super::convert::resolve;
use super::fuse::Graph;
use super::make::empty_layout;
use crate::device::{self, Address, Kernel};
use crate::dtype::{DType, Number};
use crate::kernel::fold::{Fold, FoldPlan, Operand, Task};
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

    /// The program that makes the lanes to fold, of an input or of the result of some steps.
    fn program(&self, inputs: &[DType], mut steps: SmallVec<[Instruction; 8]>) -> Result<Program> {
        let start = if steps.is_empty() { Source::Input(0) } else { Source::Step(steps.len() - 1) };
        let mut result = self.compute;
        if let Some((scalar, numbers)) = self.first {
            let (compute, real) = scalar.rule.resolve(self.compute, self.compute);
            let args = std::iter::once(start).chain(numbers.iter().map(|n| Source::Number(*n))).collect();
            steps.push(Instruction { scalar, args, compute, result: real });
            result = real;
        }
        if steps.is_empty() { Ok(Program::widen(inputs[0], result)) } else { Program::folded(inputs, &steps, result) }
    }
}

/// Folds the dimensions `dims` (counted from 0, each at most once) of a tensor into new tensors, one per result.
///
/// Fails with a `NotImplementedError` when the fold does not exist for the dtype.
pub fn fold(what: &Reduction, x: &Tensor, dims: &[usize], keepdim: bool) -> Result<SmallVec<[Tensor; 2]>> {
    let x = resolve(x)?;
    let graph = foldable(&x)?;
    let (inputs, steps) = match graph {
        Some(graph) => (graph.inputs, graph.steps),
        None => (smallvec![x.clone()], smallvec![]),
    };
    let dtypes: SmallVec<[DType; 4]> = inputs.iter().map(Tensor::dtype).collect();
    let program = what.program(&dtypes, steps)?;
    let Some(block) = what.fold.block(program.output()) else {
        fault!(NotImplementedError, "\"{}\" not implemented for '{}'", what.fold.name, x.dtype().title())
    };
    let layout = x.layout();
    let sizes = &layout.sizes;
    let reduced: SmallVec<[bool; 6]> = (0..sizes.len()).map(|k| dims.contains(&k)).collect();
    let full: Dims = sizes.iter().zip(&reduced).map(|(s, r)| if *r { 1 } else { *s }).collect();
    let mut outs: SmallVec<[Tensor; 2]> = smallvec![];
    for dtype in &what.results[..block.results] {
        outs.push(empty_layout(Layout::contiguous(&full), *dtype, x.device())?);
    }
    let targets: SmallVec<[Operand; 2]> = outs.iter().map(operand).collect::<Result<_>>()?;
    let plan = FoldPlan::new(sizes, &reduced, &inputs.iter().map(operand).collect::<Result<SmallVec<[Operand; 4]>>>()?, &targets);
    let outputs: SmallVec<[(Address, DType); 2]> =
        outs.iter().map(|t| Ok((t.storage()?.as_ptr(), t.dtype()))).collect::<Result<_>>()?;
    let at: SmallVec<[Address; 4]> = inputs.iter().map(|t| Ok(t.storage()?.as_ptr())).collect::<Result<_>>()?;
    let task = Task { fold: block, program: &program, plan: &plan, inputs: &at, outputs: &outputs, number: what.number };
    if full.iter().all(|s| *s > 0) {
        // SAFETY: the plan was made from layouts that were checked against their storages, the program for these dtypes, and
        // the outputs are new.
        unsafe { device::get(x.device())?.launch(&Kernel::Fold(&task))? };
    }
    if keepdim { Ok(outs) } else { outs.iter().map(|t| squeezed(t, &reduced)).collect() }
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
    Ok(Operand { strides: form.layout.strides.clone(), size, start: form.layout.offset as isize * size as isize })
}

/// The tensor without its reduced dimensions.
fn squeezed(t: &Tensor, reduced: &[bool]) -> Result<Tensor> {
    let layout = t.layout();
    let kept = |dims: &[i64]| -> Dims { dims.iter().zip(reduced).filter(|(_, r)| !**r).map(|(d, _)| *d).collect() };
    t.alias(Layout::contiguous(&kept(&layout.sizes)))
}
