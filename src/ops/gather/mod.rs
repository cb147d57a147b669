//! Rows that read and write elements at places that tensors of indices or masks name.

mod accumulate;
mod index;
mod mask;
mod nonzero;
mod pick;
mod scatter;

use super::Form::{Code, Native};
use super::op;

rows![
    op(
        "index_select(Tensor self, int dim, Tensor index) -> Tensor",
        "The slices along `dim` whose numbers `index` holds, as a new tensor.",
        "torch.tensor([5, 6, 7]).index_select(0, torch.tensor([2, 0]))  # tensor([7, 5])",
        Native(index::index_select),
    ),
    op(
        "index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
        "Adds the slices of `source`, times `alpha`, to the slices along `dim` that `index` names. A slice named twice gets both.",
        "torch.zeros(3).index_add(0, torch.tensor([0, 0]), torch.ones(2))  # tensor([2., 0., 0.])",
        Native(index::index_add),
    )
    .inplace(),
    op(
        "index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor",
        "Copies the slices of `source` over the slices along `dim` that `index` names.",
        "torch.zeros(3).index_copy(0, torch.tensor([2]), torch.ones(1))  # tensor([0., 0., 1.])",
        Native(index::index_copy),
    )
    .inplace(),
    op(
        "index_fill(Tensor self, int dim, Tensor index, Operand value) -> Tensor",
        "Writes `value` to the slices along `dim` that `index` names.",
        "torch.zeros(3).index_fill(0, torch.tensor([1]), 7)  # tensor([0., 7., 0.])",
        Native(index::index_fill),
    )
    .inplace()
    .no_out(),
    op(
        "index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor",
        "Reduces the slices of `source` into the slices along `dim` that `index` names, by 'prod', 'mean', 'amax' or 'amin'.",
        "torch.ones(2).index_reduce(0, torch.tensor([0]), torch.tensor([3.]), 'prod')  # tensor([3., 1.])",
        Native(index::index_reduce),
    )
    .inplace(),
    op(
        "gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
        "For every place of `index`, the element of `self` at that place with the index along `dim` replaced by the number there.",
        "torch.tensor([[1, 2], [3, 4]]).gather(1, torch.tensor([[0], [1]]))  # tensor([[1],\n#         [4]])",
        Native(scatter::gather),
    ),
    op(
        "take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor",
        "As `gather`, with both tensors broadcast first; without `dim`, over the flattened tensors.",
        "torch.take_along_dim(torch.tensor([30, 10, 20]), torch.tensor([1, 2, 0]), 0)  # tensor([10, 20, 30])",
        Native(scatter::take_along_dim),
    ),
    op(
        "scatter(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
        "The opposite of `gather`: writes the elements of `src` (or one value) to the places that `index` names along `dim`.",
        "torch.zeros(3).scatter(0, torch.tensor([2, 0]), torch.tensor([5., 6.]))  # tensor([6., 0., 5.])",
        Native(scatter::scatter),
    )
    .inplace(),
    op("scatter(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", "", "", Native(scatter::scatter_value)).inplace(),
    op("scatter(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor", "", "", Native(scatter::scatter_old))
        .inplace(),
    op("scatter(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor", "", "", Native(scatter::scatter_value_old))
        .inplace(),
    op(
        "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
        "As `scatter`, adding; a place named twice gets both.",
        "torch.zeros(2).scatter_add(0, torch.tensor([0, 0]), torch.tensor([1., 2.]))  # tensor([3., 0.])",
        Native(scatter::scatter_add),
    )
    .inplace(),
    op(
        "scatter_reduce(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor",
        "As `scatter`, reducing by 'sum', 'prod', 'mean', 'amax' or 'amin' what falls on one place.",
        "torch.zeros(2).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([1., 2.]), 'amax')  # tensor([2., 0.])",
        Native(scatter::scatter_reduce),
    )
    .inplace(),
    op(
        "take(Tensor self, Tensor index) -> Tensor",
        "The elements at these places of the flattened tensor; negative ones count from the end.",
        "torch.tensor([[1, 2], [3, 4]]).take(torch.tensor([0, -1]))  # tensor([1, 4])",
        Native(index::take),
    ),
    op(
        "put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor",
        "Writes (or adds) the elements of `source` at these places of the flattened tensor.",
        "torch.zeros(3).put(torch.tensor([1]), torch.tensor([5.]))  # tensor([0., 5., 0.])",
        Native(index::put),
    )
    .inplace()
    .no_out(),
    op(
        "masked_fill(Tensor self, Tensor mask, Operand value) -> Tensor",
        "`value` where the mask is True, the element elsewhere.",
        "torch.tensor([1, 2]).masked_fill(torch.tensor([True, False]), 9)  # tensor([9, 2])",
        Native(mask::masked_fill),
    )
    .inplace()
    .no_out(),
    op(
        "masked_select(Tensor self, Tensor mask) -> Tensor",
        "The elements where the mask is True, in a new 1-d tensor.",
        "torch.tensor([1, 2]).masked_select(torch.tensor([False, True]))  # tensor([2])",
        Native(mask::masked_select),
    ),
    op(
        "masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor",
        "Writes the elements of `source`, one after another, where the mask is True.",
        "torch.zeros(3).masked_scatter(torch.tensor([True, False, True]), torch.tensor([1., 2.]))  # tensor([1., 0., 2.])",
        Native(mask::masked_scatter),
    )
    .inplace()
    .no_out(),
    op(
        "nonzero(Tensor self, *, bool as_tuple=False) -> Any",
        "The indices of the elements that are not zero: one row each, or with `as_tuple` one tensor per dimension.",
        "torch.tensor([0, 5, 6]).nonzero(as_tuple=True)  # (tensor([1, 2]),)",
        Native(nonzero::nonzero),
    )
    .no_grad(),
    op(
        "argwhere(Tensor self) -> Tensor",
        "The indices of the elements that are not zero, one row each.",
        "torch.argwhere(torch.tensor([0, 5]))  # tensor([[1]])",
        Code("self.nonzero()"),
    )
    .no_out()
    .no_grad(),
    op(
        "nonzero_static(Tensor self, *, int size, int fill_value=-1) -> Tensor",
        "As `nonzero`, cut or filled up to `size` rows.",
        "torch.nonzero_static(torch.tensor([0, 5]), size=2)  # tensor([[ 1],\n#         [-1]])",
        Native(nonzero::nonzero_static),
    )
    .no_grad(),
    op(
        "unravel_index(Tensor indices, int[] shape) -> Any",
        "The coordinates, in a tensor of this shape, of places in its flattened form: one tensor per dimension.",
        "torch.unravel_index(torch.tensor(5), (2, 3))  # (tensor(1), tensor(2))",
        Native(nonzero::unravel_index),
    )
    .function_only()
    .no_out(),
    op(
        "repeat_interleave(Tensor repeats, *, int? output_size=None) -> Tensor",
        "Each element (or slice along `dim`) so many times in a row. Given the numbers alone: the place of each, so many times.",
        "torch.tensor([5, 6]).repeat_interleave(2)  # tensor([5, 5, 6, 6])",
        Native(index::places_repeated),
    )
    .function_only()
    .no_out()
    .no_grad(),
    op(
        "repeat_interleave(Tensor self, Any repeats, int? dim=None, *, int? output_size=None) -> Tensor",
        "",
        "",
        Code(
            "torch.repeat_interleave(self.flatten(), repeats, 0) if dim is None else \
             self.index_select(dim, torch.repeat_interleave(torch.full((self.size(dim),), repeats) if isinstance(repeats, int) \
             else repeats.expand(self.size(dim)) if repeats.numel() == 1 else repeats))"
        ),
    )
    .no_out(),
];
