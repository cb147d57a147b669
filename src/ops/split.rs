//! Cutting a tensor into a tuple of views.

use super::{Args, Form, Op, exec, op};
use crate::dtype::{DType, Number};
use crate::layout::{Axis, Dims, Layout};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// A row whose results are views of its first argument.
const fn cut(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).marked().no_out()
}

/// A rule for pieces between any indices: they may leave elements out, and have some in common.
macro_rules! pieces {
    ($at:literal, $dim:literal) => {
        concat!(
            "along = ",
            $dim,
            "\nwhole = torch.zeros_like(self, dtype=grad.dtype)\nplaces = torch.tensor_split(torch.arange(self.shape[along]), ",
            $at,
            ")\nfor place, part in zip(places, grads):\n    whole = whole.index_add(along, place, part)\nwhole"
        )
    };
}

rows![
    cut(
        "split(Tensor(a) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
        "Cuts a dimension into parts of `split_size` (the last one may be smaller), or into parts of the sizes listed.",
        "[p.tolist() for p in torch.arange(5).split(2)]\n# [[0, 1], [2, 3], [4]]",
        |a| parts(a, |l| l.split(a.get(1)?, a.get(2)?)),
    )
        .grads(&[("self", "torch.cat(grads, dim)")]).complex(),
    cut("split(Tensor(a) self, int[] split_size, int dim=0) -> Tensor(a)[]", "", "", |a| {
        parts(a, |l| l.split_with_sizes(&a.get::<Dims>(1)?, a.get(2)?))
    })
        .grads(&[("self", "torch.cat(grads, dim)")]).complex(),
    cut("split(Tensor(a) self, Tensor split_size, int dim=0) -> Tensor(a)[]", "", "", |a| {
        let size = whole(&a.get(1)?)?;
        parts(a, |l| l.split(size, a.get(2)?))
    })
        .grads(&[("self", "torch.cat(grads, dim)")]).complex(),
    cut(
        "split_with_sizes(Tensor(a) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]",
        "Cuts a dimension into parts of the sizes listed, which must add up to it.",
        "[p.tolist() for p in torch.arange(5).split_with_sizes([1, 4])]\n# [[0], [1, 2, 3, 4]]",
        |a| parts(a, |l| l.split_with_sizes(&a.get::<Dims>(1)?, a.get(2)?)),
    )
        .grads(&[("self", "torch.cat(grads, dim)")]).complex(),
    cut(
        "chunk(Tensor(a) self, int chunks, int dim=0) -> Tensor(a)[]",
        "Cuts a dimension into at most `chunks` parts of one size, the last one smaller: five in four chunks gives 2, 2 and 1.",
        "[len(p) for p in torch.zeros(5).chunk(4)]\n# [2, 2, 1]",
        |a| parts(a, |l| l.chunk(a.get(1)?, a.get(2)?)),
    )
        .grads(&[("self", "torch.cat(grads, dim)")]).complex(),
    cut(
        "unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]",
        "As `chunk`, but the parts do not count as views.",
        "[len(p) for p in torch.zeros(5).unsafe_chunk(2)]\n# [3, 2]",
        |a| parts(a, |l| l.chunk(a.get(1)?, a.get(2)?)),
    )
    .grads(&[("self", "torch.cat(grads, dim)")])
    .complex(),
    cut(
        "unsafe_split(Tensor self, SymInt split_size, int dim=0) -> Tensor[]",
        "As `split`, but the parts do not count as views.",
        "[len(p) for p in torch.zeros(5).unsafe_split(2)]\n# [2, 2, 1]",
        |a| parts(a, |l| l.split(a.get(1)?, a.get(2)?)),
    )
    .grads(&[("self", "torch.cat(grads, dim)")])
    .complex(),
    cut(
        "unsafe_split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]",
        "As `split_with_sizes`, but the parts do not count as views.",
        "[len(p) for p in torch.zeros(5).unsafe_split_with_sizes([1, 4])]\n# [1, 4]",
        |a| parts(a, |l| l.split_with_sizes(&a.get::<Dims>(1)?, a.get(2)?)),
    )
    .grads(&[("self", "torch.cat(grads, dim)")])
    .complex(),
    cut(
        "tensor_split(Tensor(a) self, SymInt sections, int dim=0) -> Tensor(a)[]",
        "Cuts a dimension into exactly `sections` parts, the first ones larger by one where it does not divide; or before each of \
         the indices listed.",
        "[len(p) for p in torch.zeros(5).tensor_split(4)]\n# [2, 1, 1, 1]",
        |a| parts(a, |l| l.tensor_split(a.get(1)?, a.get(2)?)),
    )
        .grads(&[("self", "torch.cat(grads, dim)")]).complex(),
    cut("tensor_split(Tensor(a) self, SymInt[] indices, int dim=0) -> Tensor(a)[]", "", "", |a| {
        parts(a, |l| l.tensor_split_at(&a.get::<Dims>(1)?, a.get(2)?))
    })
        .grads(&[("self", pieces!("indices", "dim"))]).complex(),
    cut("tensor_split(Tensor(a) self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor(a)[]", "", "", tensor_split_by)
        .grads(&[("self", pieces!("tensor_indices_or_sections", "dim"))]).complex(),
    cut(
        "hsplit(Tensor(a) self, int sections) -> Tensor(a)[]",
        "Cuts columns (of a 1-d tensor: elements) into equal parts, or before each of the indices listed.",
        "[p.tolist() for p in torch.arange(4).view(2, 2).hsplit(2)]\n# [[[0], [2]], [[1], [3]]]",
        |a| along(a, Axis::Horizontal),
    )
    .grads(&[("self", "torch.cat(grads, 0 if self.ndim == 1 else 1)")])
    .complex(),
    cut("hsplit(Tensor(a) self, int[] indices) -> Tensor(a)[]", "", "", |a| along_at(a, Axis::Horizontal))
    .grads(&[("self", pieces!("indices", "0 if self.ndim == 1 else 1"))])
    .complex(),
    cut(
        "vsplit(Tensor(a) self, int sections) -> Tensor(a)[]",
        "Cuts rows into equal parts, or before each of the indices listed.",
        "[p.tolist() for p in torch.arange(4).view(2, 2).vsplit(2)]\n# [[[0, 1]], [[2, 3]]]",
        |a| along(a, Axis::Vertical),
    )
    .grads(&[("self", "torch.cat(grads, 0)")])
    .complex(),
    cut("vsplit(Tensor(a) self, int[] indices) -> Tensor(a)[]", "", "", |a| along_at(a, Axis::Vertical))
    .grads(&[("self", pieces!("indices", "0"))])
    .complex(),
    cut(
        "dsplit(Tensor(a) self, int sections) -> Tensor(a)[]",
        "Cuts the third dimension into equal parts, or before each of the indices listed.",
        "[p.tolist() for p in torch.arange(4).view(1, 2, 2).dsplit(2)]\n# [[[[0], [2]]], [[[1], [3]]]]",
        |a| along(a, Axis::Depth),
    )
    .grads(&[("self", "torch.cat(grads, 2)")])
    .complex(),
    cut("dsplit(Tensor(a) self, int[] indices) -> Tensor(a)[]", "", "", |a| along_at(a, Axis::Depth))
    .grads(&[("self", pieces!("indices", "2"))])
    .complex(),
    cut(
        "unbind(Tensor(a) self, int dim=0) -> Tensor(a)[]",
        "One view for each index of a dimension, without that dimension.",
        "[p.tolist() for p in torch.arange(4).view(2, 2).unbind(1)]\n# [[0, 2], [1, 3]]",
        |a| parts(a, |l| l.unbind(a.get(1)?)),
    )
        .grads(&[("self", "torch.stack(grads, dim)")]).complex(),
];

/// The whole part of the only element of a tensor, as Python's `int` takes it.
fn whole(size: &Tensor) -> Result<i64> {
    if size.numel() != 1 {
        fault!(TypeError, "split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, not Tensor");
    }
    match exec::item(size)? {
        Number::Complex(c) if c.im != 0.0 => fault!(RuntimeError, "value cannot be converted to type int64_t without overflow"),
        number => Ok(number.to_i64()),
    }
}

/// A tuple of views of the first argument.
fn parts(args: &Args, cut: impl FnOnce(&Layout) -> Result<Vec<Layout>>) -> Result<Value> {
    let x: Tensor = args.get(0)?;
    let parts: Vec<Tensor> = cut(&x.layout())?.into_iter().map(|layout| x.alias(layout)).collect::<Result<_>>()?;
    Ok(parts.into())
}

fn along(args: &Args, axis: Axis) -> Result<Value> {
    let sections = args.get(1)?;
    parts(args, |l| l.tensor_split(sections, l.axis_split_dim(axis, Some(sections))?))
}

fn along_at(args: &Args, axis: Axis) -> Result<Value> {
    parts(args, |l| l.tensor_split_at(&args.get::<Dims>(1)?, l.axis_split_dim(axis, None)?))
}

/// `tensor_split` by the numbers in an int64 tensor.
fn tensor_split_by(args: &Args) -> Result<Value> {
    let (x, by, dim): (Tensor, Tensor, i64) = args.take()?;
    if x.ndim() == 0 {
        return parts(args, |l| l.tensor_split_at(&[], dim));
    }
    if by.dtype() != DType::I64 {
        fault!(
            RuntimeError,
            "tensor_split expected tensor_indices_or_sections to have dtype of long, but got {}",
            by.dtype().title()
        );
    }
    if by.ndim() == 0 {
        let sections = exec::item(&by)?.to_i64();
        return parts(args, |l| l.tensor_split(sections, dim));
    }
    if by.ndim() != 1 {
        fault!(
            RuntimeError,
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but got a tensor with {} dims",
            by.ndim()
        );
    }
    let indices = exec::read_vec::<i64>(&by)?;
    parts(args, |l| l.tensor_split_at(&indices, dim))
}
