//! Copies of a tensor in which a view of it is replaced: the counterparts of the views, without writing into the tensor.

use super::{Args, Form, Op, exec, op};
use crate::layout::{Dims, InternalOverlap, Layout};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// A row that copies.
const fn embedding(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).no_out()
}

rows![
    embedding(
        "select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor",
        "A copy in which the part at one index of a dimension is replaced by `src`.",
        "torch.zeros(2, 2).select_scatter(torch.ones(2), 0, 1).tolist()\n# [[0.0, 0.0], [1.0, 1.0]]",
        |a| replaced(a, |l| l.select(a.get(2)?, a.get(3)?)),
    )
    .grads(&[
        ("self", "grad.select_scatter(torch.zeros_like(grad.select(dim, index)), dim, index)"),
        ("src", "grad.select(dim, index)")
    ]),
    op(
        "slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor",
        "A copy in which a slice of a dimension is replaced by `src`.",
        "torch.zeros(4).slice_scatter(torch.ones(2), start=1, end=3)\n# tensor([0., 1., 1., 0.])",
        Form::Native(|a| {
            if a.get::<i64>(5)? <= 0 {
                fault!(RuntimeError, "slice step must be positive");
            }
            replaced(a, |l| l.slice(a.get(2)?, a.get(3)?, a.get(4)?, a.get(5)?))
        }),
    )
    .grads(&[
        ("self", "grad.slice_scatter(torch.zeros_like(src), dim, start, end, step)"),
        ("src", "grad.index_select(dim, torch.arange(self.shape[dim])[start:end:step])"),
    ])
    .of_form(),
    embedding(
        "diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
        "A copy in which a diagonal is replaced by `src`.",
        "torch.zeros(2, 2).diagonal_scatter(torch.ones(2)).tolist()\n# [[1.0, 0.0], [0.0, 1.0]]",
        |a| replaced(a, |l| l.diagonal(a.get(2)?, a.get(3)?, a.get(4)?)),
    )
    .grads(&[
        ("self", "grad.diagonal_scatter(torch.zeros_like(grad.diagonal(offset, dim1, dim2)), offset, dim1, dim2)"),
        ("src", "grad.diagonal(offset, dim1, dim2)"),
    ])
    .complex(),
    embedding(
        "as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor",
        "A copy in which the cells that `as_strided` would show are replaced by `src`.",
        "torch.zeros(4).as_strided_scatter(torch.ones(2), (2,), (2,), 1)\n# tensor([0., 1., 0., 1.])",
        |a| replaced(a, |l| l.as_strided(&a.get::<Dims>(2)?, &a.get::<Dims>(3)?, a.get(4)?)),
    )
    .grads(&[
        ("self", "torch.zeros_like(grad).as_strided_scatter(grad.contiguous().as_strided(size, stride, storage_offset), size, stride, storage_offset)"),
        ("src", "grad.contiguous().as_strided(size, stride, storage_offset)"),
    ])
    .complex(),
];

/// A copy of the first argument with the second written where `part` points.
fn replaced(args: &Args, part: impl FnOnce(&Layout) -> Result<Layout>) -> Result<Value> {
    let (x, src): (Tensor, Tensor) = args.take()?;
    let out = clone_in_place(&x)?;
    let slice = out.alias(part(&out.layout())?)?;
    if slice.sizes() != src.sizes() {
        fault!(
            RuntimeError,
            "expected src to have a size equal to the slice of self. src size = {:?}, slice size = {:?}",
            src.sizes().as_slice(),
            slice.sizes().as_slice()
        );
    }
    exec::copy(&slice, &src)?;
    Ok(out.into())
}

/// A copy with the same strides and offset, so that a view of it is a view of the tensor: of all cells of its storage. A tensor that
/// repeats cells is copied densely.
fn clone_in_place(x: &Tensor) -> Result<Tensor> {
    let layout = x.layout();
    if layout.internal_overlap() == InternalOverlap::Yes {
        return exec::clone(x);
    }
    let cells = x.storage()?.nbytes() / x.dtype().size();
    exec::clone(&x.alias(Layout::contiguous(&[cells as i64]))?)?.alias((*layout).clone())
}
