//! Views: operations that give another layout over the same storage and touch no data.

use super::{Args, Form, Op, op};
use crate::layout::{Dims, Layout};
use crate::tensor::Tensor;
use anyhow::Result;

/// A row whose result is a view of its first argument.
const fn view(
    schema: &'static str,
    doc: &'static str,
    example: &'static str,
    layout: fn(&Layout, &Args) -> Result<Layout>,
) -> Op {
    op(schema, doc, example, Form::View(layout))
}

rows![
    view(
        "transpose(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
        "Swaps two dimensions. No data moves: only sizes and strides change places.",
        "torch.zeros(2, 3, 4).transpose(0, 2).stride()\n# (1, 4, 12)",
        |l, a| l.transpose(a.get(1)?, a.get(2)?),
    )
    .inplace()
    .alias(&["swapdims"])
        .grads(&[("self", "grad.transpose(dim0, dim1)")]).complex(),
    view(
        "swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)",
        "Swaps two dimensions: NumPy's name for `transpose`.",
        "torch.zeros(2, 3, 4).swapaxes(0, 1).shape\n# torch.Size([3, 2, 4])",
        |l, a| l.transpose(a.get(1)?, a.get(2)?),
    )
    .inplace(),
    view(
        "t(Tensor(a) self) -> Tensor(a)",
        "Swaps rows and columns of a matrix. Tensors with fewer than two dimensions stay as they are.",
        "torch.arange(6).view(2, 3).t().tolist()\n# [[0, 3], [1, 4], [2, 5]]",
        |l, _| l.t(),
    )
    .inplace()
        .grads(&[("self", "grad.t()")]).complex(),
    view(
        "T(Tensor(a) self) -> Tensor(a)",
        "All dimensions in reverse order; for a matrix, its transpose.",
        "torch.zeros(2, 3).T.stride()\n# (1, 3)",
        |l, _| Ok(l.reversed()),
    )
    .property()
        .grads(&[("self", "grad.T")]).complex(),
    view(
        "permute(Tensor(a) self, int[] dims) -> Tensor(a)",
        "Puts the dimensions in the order given: dimension `k` of the result is dimension `dims[k]` of the tensor.",
        "torch.zeros(2, 3, 4).permute(2, 0, 1).shape\n# torch.Size([4, 2, 3])",
        |l, a| l.permute(&dims(a, 1)?),
    )
        .grads(&[("self", "grad.permute([list(d % len(dims) for d in dims).index(k) for k in range(len(dims))])")]).complex(),
    view(
        "movedim(Tensor(a) self, int source, int destination) -> Tensor(a)",
        "Moves dimensions to other places; the dimensions that are not named keep their order.",
        "torch.zeros(2, 3, 4).movedim(0, 2).shape\n# torch.Size([3, 4, 2])",
        |l, a| l.movedim(&[a.get(1)?], &[a.get(2)?]),
    )
    .alias(&["moveaxis"]),
    view("movedim(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)", "", "", |l, a| {
        l.movedim(&dims(a, 1)?, &dims(a, 2)?)
    })
    .alias(&["moveaxis"]),
    view(
        "unsqueeze(Tensor(a) self, int dim) -> Tensor(a)",
        "A new dimension of size 1 at place `dim`.",
        "torch.zeros(2, 3).unsqueeze(1).shape\n# torch.Size([2, 1, 3])",
        |l, a| l.unsqueeze(a.get(1)?),
    )
    .inplace()
        .grads(&[("self", "grad.reshape(self.shape)")]).complex(),
    view(
        "squeeze(Tensor(a) self) -> Tensor(a)",
        "Drops dimensions of size 1: all of them, or those that are named. A named dimension of another size stays.",
        "torch.zeros(1, 2, 1).squeeze().shape\n# torch.Size([2])",
        |l, _| Ok(l.squeeze()),
    )
    .inplace()
        .grads(&[("self", "grad.reshape(self.shape)")]).complex(),
    view("squeeze(Tensor(a) self, int dim) -> Tensor(a)", "", "", |l, a| l.squeeze_dims(&[a.get(1)?])).inplace()
        .grads(&[("self", "grad.reshape(self.shape)")]).complex(),
    view("squeeze(Tensor(a) self, int[] dim) -> Tensor(a)", "", "", |l, a| l.squeeze_dims(&dims(a, 1)?)).inplace()
        .grads(&[("self", "grad.reshape(self.shape)")]).complex(),
    view(
        "select(Tensor(a) self, int dim, SymInt index) -> Tensor(a)",
        "The part at one index of a dimension, without that dimension: `x.select(0, 2)` is `x[2]`.",
        "torch.arange(6).view(2, 3).select(1, 2)\n# tensor([2, 5])",
        |l, a| l.select(a.get(1)?, a.get(2)?),
    ),
    view(
        "narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)",
        "`length` indices of a dimension from `start` on. Unlike a slice, a range that reaches outside is an error.",
        "torch.arange(6).narrow(0, 2, 3)\n# tensor([2, 3, 4])",
        |l, a| l.narrow(a.get(1)?, a.get(2)?, a.get(3)?),
    ),
    view("narrow(Tensor(a) self, int dim, Tensor start, SymInt length) -> Tensor(a)", "", "", |_, _| {
        // A tensor that stands for an int was taken by the row above.
        fault!(RuntimeError, "start must be an 0-dim integral Tensor.")
    }),
    view(
        "diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)",
        "The elements whose index in `dim2` is `offset` more than in `dim1`, as a new last dimension in place of the two.",
        "torch.arange(6).view(2, 3).diagonal(1)\n# tensor([1, 5])",
        |l, a| l.diagonal(a.get(1)?, a.get(2)?, a.get(3)?),
    ),
    view(
        "linalg.diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)",
        "The diagonals of the matrices in the last two dimensions.",
        "torch.linalg.diagonal(torch.arange(4).view(2, 2))\n# tensor([0, 3])",
        |l, a| l.diagonal(a.get(1)?, a.get(2)?, a.get(3)?),
    ),
    view(
        "unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)",
        "Windows of `size` neighbours along a dimension, one every `step`. The dimension counts the windows; a new last dimension \
         walks inside them. Windows that overlap share cells.",
        "torch.arange(5).unfold(0, 3, 1).tolist()\n# [[0, 1, 2], [1, 2, 3], [2, 3, 4]]",
        |l, a| l.unfold(a.get(1)?, a.get(2)?, a.get(3)?),
    )
    .method_only(),
    view(
        "as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)",
        "Any sizes and strides over the tensor's storage, from the cell `storage_offset`, as long as every cell lies in it.",
        "torch.arange(6).as_strided((2, 2), (1, 2), 1).tolist()\n# [[1, 3], [2, 4]]",
        |l, a| l.as_strided(&dims(a, 1)?, &dims(a, 2)?, a.get(3)?),
    )
    .inplace(),
    view(
        "expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)",
        "Repeats dimensions of size 1 without copying: their stride becomes 0. -1 keeps a size; new dimensions may come first.",
        "torch.zeros(3, 1).expand(2, -1, 4).stride()\n# (0, 1, 0)",
        |l, a| expand(l, a, &dims(a, 1)?),
    )
    .method_only()
        .grads(&[("self", "grad")]).complex(),
    view(
        "expand_as(Tensor(a) self, Tensor other) -> Tensor(a)",
        "Expands to the size of another tensor.",
        "torch.zeros(3).expand_as(torch.zeros(2, 3)).stride()\n# (0, 1)",
        |l, a| expand(l, a, &sizes_of(a, 1)?),
    )
    .method_only()
        .grads(&[("self", "grad"), ("other", "None")]).complex(),
    view(
        "broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)",
        "Repeats dimensions of size 1 without copying, as arithmetic does.",
        "torch.arange(3).broadcast_to(2, 3).tolist()\n# [[0, 1, 2], [0, 1, 2]]",
        |l, a| expand(l, a, &dims(a, 1)?),
    )
        .grads(&[("self", "grad")]).complex(),
    view(
        "unflatten(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)",
        "Splits a dimension into several, of which one may be given as -1.",
        "torch.zeros(2, 6).unflatten(1, (2, -1)).shape\n# torch.Size([2, 2, 3])",
        |l, a| l.unflatten(a.get(1)?, &dims(a, 2)?),
    )
        .grads(&[("self", "grad.reshape(self.shape)")]).complex(),
];

/// Repeats dimensions of size 1. Fails with a `RuntimeError` that names the tensor by its type.
fn expand(layout: &Layout, args: &Args, sizes: &[i64]) -> Result<Layout> {
    if sizes.len() < layout.ndim() {
        fault!(
            RuntimeError,
            "expand({}{{{:?}}}, size={sizes:?}): the number of sizes provided ({}) must be greater or equal to the number of dimensions in the tensor ({})",
            super::convert::c_type_name(args.get::<Tensor>(0)?.dtype()),
            layout.sizes.as_slice(),
            sizes.len(),
            layout.ndim()
        );
    }
    layout.expand(sizes)
}

/// A list of ints by its place among the arguments.
fn dims(args: &Args, place: usize) -> Result<Dims> {
    args.get(place)
}

/// The sizes of the tensor at a place among the arguments.
fn sizes_of(args: &Args, place: usize) -> Result<Dims> {
    Ok(args.get::<Tensor>(place)?.sizes())
}
