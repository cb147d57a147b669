//! Rows that read and write elements at places that tensors of indices or masks name.

mod along;
mod before;
mod mask;
mod nonzero;
mod reduce;
mod rows;
mod slices;

pub use mask::write_where;
pub use slices::{fill_slices, select_slices};

use super::Form::{Edit, Native};
use super::autograd::texts;
use super::{copy_of_self, op, row_major_copy};

/// What each element that was reduced has of the gradient; of the tensor itself where `own`.
macro_rules! shared {
    () => {
        "ones = grad.new_ones(index.shape)
if reduce == 'sum':
    found = grad if own else grad.gather(dim, index)
elif reduce == 'mean':
    count = torch.full(grad.shape, float(include_self), dtype=grad.dtype).scatter_add(dim, index, ones)
    found = grad / count.clamp(min=1)
    found = found if own else found.gather(dim, index)
elif reduce in ('amax', 'amin'):
    mine, other = (self == result).to(grad.dtype), (src == result.gather(dim, index)).to(grad.dtype)
    share = grad / mine.scatter_add(dim, index, other).clamp(min=1)
    found = mine * share if own else other * share.gather(dim, index)
elif own:
    filled = self.masked_fill(self == 0, 1)
    found = grad * filled.scatter_reduce(dim, index, src, reduce, include_self=include_self) / filled
else:
    zero = src == 0
    count = torch.zeros_like(self).scatter_add(dim, index, zero.to(self.dtype)).gather(dim, index)
    alone = zero & (count == 1)
    rest = self.scatter_reduce(dim, index, src.masked_fill(alone, 1), reduce, include_self=include_self)
    others = (grad * result).gather(dim, index) / src.masked_fill(zero, 1)
    found = torch.where(alone, (grad * rest).gather(dim, index), others)
"
    };
}

/// Of places along a dimension, where both tensors are repeated to one size.
const ALONG: &str = "size = self.numel() if dim is None else self.shape[dim]
indices = torch.where(indices < 0, indices + size, indices)
if dim is None:
    found = self.new_zeros(self.numel()).scatter_add(0, indices.reshape(-1), grad.reshape(-1)).reshape(self.shape)
else:
    sizes = [self.shape[k] if k == dim % self.ndim else n for k, n in enumerate(grad.shape)]
    found = self.new_zeros(sizes).scatter_add(dim, indices.expand(grad.shape), grad)
found";

rows![
    op(
        "index_select(Tensor self, int dim, Tensor index) -> Tensor",
        "The slices along `dim` whose numbers `index` holds, as a new tensor.",
        "torch.tensor([5, 6, 7]).index_select(0, torch.tensor([2, 0]))\n# tensor([7, 5])",
        Native(slices::index_select),
    )
        .grads(&[("self", "self.new_zeros(self.shape).index_add(dim, index, grad)")]).complex(),
    op(
        "index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
        "Adds the slices of `source`, times `alpha`, to the slices along `dim` that `index` names. A slice named twice gets both.",
        "torch.zeros(3).index_add(0, torch.tensor([0, 0]), torch.ones(2))\n# tensor([2., 0., 0.])",
        Edit(slices::index_add, row_major_copy),
    )
    .inplace()
        .grads(&[("self", "grad"), ("source", "alpha * grad.index_select(dim, index)")]).complex(),
    op(
        "index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor",
        "Copies the slices of `source` over the slices along `dim` that `index` names.",
        "torch.zeros(3).index_copy(0, torch.tensor([2]), torch.ones(1))\n# tensor([0., 0., 1.])",
        Edit(slices::index_copy, row_major_copy),
    )
    .inplace()
        .grads(&[("self", "grad.index_fill(dim, index, 0)"), ("source", "grad.index_select(dim, index)")]).complex(),
    op(
        "index_fill(Tensor self, int dim, Tensor index, Operand value) -> Tensor",
        "Writes `value` to the slices along `dim` that `index` names.",
        "torch.zeros(3).index_fill(0, torch.tensor([1]), 7)\n# tensor([0., 7., 0.])",
        Edit(slices::index_fill, copy_of_self),
    )
    .inplace()
    .no_out()
        .grads(&[("self", "grad.index_fill(dim, index, 0)"), ("value", "grad.index_select(dim, index.unique()).sum()")]).complex(),
    op(
        "index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor",
        "Reduces the slices of `source` into the slices along `dim` that `index` names, by 'prod', 'mean', 'amax' or 'amin'.",
        "torch.ones(2).index_reduce(0, torch.tensor([0]), torch.tensor([3.]), 'prod')\n# tensor([3., 1.])",
        Edit(slices::index_reduce, row_major_copy),
    )
    .inplace()
    .grads(&[(
        "self",
        texts::again!(
            "self",
            "self.scatter_reduce(dim, places, source, reduce, include_self=include_self)",
            "places = index.reshape([-1 if k == dim % self.ndim else 1 for k in range(self.ndim)]).expand(source.shape) if self.ndim else index.reshape(source.shape)\n"
        )
    ), (
        "source",
        texts::again!(
            "source",
            "self.scatter_reduce(dim, places, source, reduce, include_self=include_self)",
            "places = index.reshape([-1 if k == dim % self.ndim else 1 for k in range(self.ndim)]).expand(source.shape) if self.ndim else index.reshape(source.shape)\n"
        )
    )]),
    op(
        "gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
        "For every place of `index`, the element of `self` at that place with the index along `dim` replaced by the number there.",
        "torch.tensor([[1, 2], [3, 4]]).gather(1, torch.tensor([[0], [1]]))\n# tensor([[1],\n#         [4]])",
        Native(along::gather),
    )
        // The elements are kept, though only their sizes are looked at.
        .grads(&[("self", "self.detach().new_zeros(self.shape).scatter_add(dim, index, grad)")]).complex(),
    op(
        "take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor",
        "As `gather`, with both tensors broadcast first; without `dim`, over the flattened tensors.",
        "torch.take_along_dim(torch.tensor([30, 10, 20]), torch.tensor([1, 2, 0]), 0)\n# tensor([10, 20, 30])",
        Native(along::take_along_dim),
    )
    .grads(&[("self", ALONG)])
    .complex(),
    op(
        "scatter(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
        "The opposite of `gather`: writes the elements of `src` (or one value) to the places that `index` names along `dim`.",
        "torch.zeros(3).scatter(0, torch.tensor([2, 0]), torch.tensor([5., 6.]))\n# tensor([6., 0., 5.])",
        Edit(along::scatter, row_major_copy),
    )
    .inplace()
    .grads(&[("self", "grad.scatter(dim, index, 0)"), ("src", "grad.gather(dim, index)")])
    .complex(),
    op("scatter(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", "", "", Edit(along::scatter_value, row_major_copy)).inplace()
    .grads(&[("self", "grad.scatter(dim, index, 0)")])
    .complex(),
    op("scatter(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor", "", "", Edit(along::scatter_reducing, row_major_copy))
        .inplace()
    .grads(&[("self", texts::none!("scatter")), ("src", texts::none!("scatter"))]),
    op("scatter(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor", "", "", Edit(along::scatter_value_reducing, row_major_copy))
        .inplace()
    .grads(&[("self", texts::none!("scatter"))]),
    op(
        "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
        "As `scatter`, adding; a place named twice gets both.",
        "torch.zeros(2).scatter_add(0, torch.tensor([0, 0]), torch.tensor([1., 2.]))\n# tensor([3., 0.])",
        Edit(along::scatter_add, row_major_copy),
    )
    .inplace()
        .grads(&[("self", "grad"), ("src", "grad.gather(dim, index)")]).complex(),
    op(
        "scatter_reduce(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor",
        "As `scatter`, reducing by 'sum', 'prod', 'mean', 'amax' or 'amin' what falls on one place.",
        "torch.zeros(2).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([1., 2.]), 'amax')\n# tensor([2., 0.])",
        Edit(along::scatter_reduce, row_major_copy),
    )
    .inplace()
        .grads(&[
            ("self", concat!("own = True\n", shared!(), "found if include_self else found.scatter(dim, index, 0)")),
            ("src", concat!("own = False\n", shared!(), "found")),
        ]),
    op(
        "take(Tensor self, Tensor index) -> Tensor",
        "The elements at these places of the flattened tensor; negative ones count from the end.",
        "torch.tensor([[1, 2], [3, 4]]).take(torch.tensor([0, -1]))\n# tensor([1, 4])",
        Native(slices::take),
    )
    .grads(&[("self", "self.new_zeros(self.shape).put(index, grad, True)")])
    .complex(),
    op(
        "put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor",
        "Writes (or adds) the elements of `source` at these places of the flattened tensor.",
        "torch.zeros(3).put(torch.tensor([1]), torch.tensor([5.]))\n# tensor([0., 5., 0.])",
        Edit(slices::put, copy_of_self),
    )
    .inplace()
    .no_out()
        .grads(&[
            ("self", "grad if accumulate else grad.put(index, grad.new_zeros(index.shape))"),
            ("source", "grad.take(index).reshape(source.shape)"),
        ])
    .complex(),
    op(
        "masked_fill(Tensor self, Tensor mask, Operand value) -> Tensor",
        "`value` where the mask is True, the element elsewhere.",
        "torch.tensor([1, 2]).masked_fill(torch.tensor([True, False]), 9)\n# tensor([9, 2])",
        Edit(mask::masked_fill, mask::empty_joint),
    )
    .inplace()
    .no_out()
        .grads(&[("self", "grad.masked_fill(mask, 0)"), ("value", "torch.where(mask, grad, 0.).sum()")]).complex(),
    op(
        "masked_select(Tensor self, Tensor mask) -> Tensor",
        "The elements where the mask is True, in a new 1-d tensor.",
        "torch.tensor([1, 2]).masked_select(torch.tensor([False, True]))\n# tensor([2])",
        Native(mask::masked_select),
    )
        .grads(&[("self", "torch.zeros(torch.broadcast_shapes(self.shape, mask.shape), dtype=grad.dtype).masked_scatter(mask, grad)")]).complex(),
    op(
        "masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor",
        "Writes the elements of `source`, one after another, where the mask is True.",
        "torch.zeros(3).masked_scatter(torch.tensor([True, False, True]), torch.tensor([1., 2.]))\n# tensor([1., 0., 2.])",
        Edit(mask::masked_scatter, mask::joint_copy),
    )
    .inplace()
    .no_out()
        .grads(&[
            ("self", "grad.masked_fill(mask, 0)"),
            ("source", "torch.cat([grad.masked_select(mask), grad.new_zeros(max(source.numel() - int(mask.expand(grad.shape).sum()), 0))]).reshape(source.shape)"),
        ]).complex(),
    op(
        "nonzero(Tensor self, *, bool as_tuple=False) -> Any",
        "The indices of the elements that are not zero: one row each, or with `as_tuple` one tensor per dimension.",
        "torch.tensor([0, 5, 6]).nonzero(as_tuple=True)\n# (tensor([1, 2]),)",
        Native(nonzero::nonzero),
    )
    .no_grad()
    .ends_in_view(),
    op(
        "argwhere(Tensor self) -> Tensor",
        "The indices of the elements that are not zero, one row each.",
        "torch.argwhere(torch.tensor([0, 5]))\n# tensor([[1]])",
        Native(nonzero::argwhere),
    )
    .no_out()
    .no_grad(),
    op(
        "nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor",
        "As `nonzero`, cut or filled up to `size` rows.",
        "torch.nonzero_static(torch.tensor([0, 5]), size=2)\n# tensor([[ 1],\n#         [-1]])",
        Native(nonzero::nonzero_static),
    )
    .no_grad(),
    op(
        "unravel_index(Tensor indices, Any shape) -> Any",
        "The coordinates, in a tensor of this shape, of places in its flattened form: one tensor per dimension.",
        "torch.unravel_index(torch.tensor(5), (2, 3))\n# (tensor(1), tensor(2))",
        Native(nonzero::unravel_index),
    )
    .function_only()
    .no_out()
    .ends_in_view(),
];
