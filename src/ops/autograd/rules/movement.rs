//! What moves, joins, picks and writes elements. Views need no rule.

use super::{Rule, of, with};

#[rustfmt::skip] // one rule a line
pub(super) const RULES: &[Rule] = &[
    of("expand", "self", "grad"),
    of("expand_as", "self", "grad"),
    of("expand_as", "other", "None"),
    of("broadcast_to", "self", "grad"),
    of("view", "self", "grad.reshape(self.shape)"),
    of("reshape", "self", "grad.reshape(self.shape)"),
    of("reshape_as", "self", "grad.reshape(self.shape)"),
    of("reshape_as", "other", "None"),
    of("view_as", "self", "grad.reshape(self.shape)"),
    of("view_as", "other", "None"),
    of("type_as", "self", "grad"),
    of("type_as", "other", "None"),
    of("hstack", "tensors", again_list!("tensors", "torch.cat([t.reshape(1) if t.ndim == 0 else t for t in tensors], 0 if tensors[0].ndim <= 1 else 1)")),
    of("vstack", "tensors", again_list!("tensors", "torch.cat([t.reshape(1, -1) if t.ndim <= 1 else t for t in tensors], 0)")),
    of("dstack", "tensors", again_list!("tensors", "torch.cat([t.reshape(1, -1, 1) if t.ndim <= 1 else (t.unsqueeze(-1) if t.ndim == 2 else t) for t in tensors], 2)")),
    of("column_stack", "tensors", again_list!("tensors", "torch.cat([t.reshape(-1, 1) if t.ndim <= 1 else t for t in tensors], 1)")),
    of("meshgrid", "tensors", MESHGRID),
    of("broadcast_tensors", "tensors", "list(grads)"),
    of("block_diag", "tensors", BLOCK_DIAG),
    of("tile", "self", again!("self", "self.repeat([1] * (self.ndim - len(dims)) + list(dims))", "")),
    of("masked_scatter", "source", "torch.cat([grad.masked_select(mask), grad.new_zeros(max(source.numel() - int(mask.expand(grad.shape).sum()), 0))]).reshape(source.shape)"),
    of("flatten", "self", "grad.reshape(self.shape)"),
    of("ravel", "self", "grad.reshape(self.shape)"),
    of("unflatten", "self", "grad.reshape(self.shape)"),
    of("unsqueeze", "self", "grad.reshape(self.shape)"),
    of("squeeze", "self", "grad.reshape(self.shape)"),
    of("clone", "self", "grad"),
    of("contiguous", "self", "grad"),
    of("t", "self", "grad.t()"),
    of("T", "self", "grad.T"),
    of("mT", "self", "grad.mT"),
    of("transpose", "self", "grad.transpose(dim0, dim1)"),
    of("permute", "self", "grad.permute([list(d % len(dims) for d in dims).index(k) for k in range(len(dims))])"),
    of("cat", "tensors", "list(torch.split(grad, [t.shape[dim] for t in tensors], dim))"),
    of("stack", "tensors", "list(grad.unbind(dim))"),
    of("split", "self", "torch.cat(grads, dim)"),
    of("split_with_sizes", "self", "torch.cat(grads, dim)"),
    of("chunk", "self", "torch.cat(grads, dim)"),
    of("tensor_split", "self", "torch.cat(grads, dim)"),
    of("unbind", "self", "torch.stack(grads, dim)"),
    of("repeat", "self", REPEAT),
    with("repeat_interleave", "repeats", "self", REPEAT_INTERLEAVE),
    of("flip", "self", "grad.flip(dims)"),
    of("fliplr", "self", "grad.fliplr()"),
    of("flipud", "self", "grad.flipud()"),
    of("roll", "self", "grad.roll([-n for n in shifts] if isinstance(shifts, (tuple, list)) else -shifts, dims)"),
    of("rot90", "self", "grad.rot90(-k, dims)"),
    of("tril", "self", "grad.tril(diagonal)"),
    of("triu", "self", "grad.triu(diagonal)"),
    of("diag", "self", "grad.diag(diagonal) if self.ndim == 1 else self.new_zeros(self.shape).diagonal_scatter(grad, diagonal)"),
    of("diag_embed", "self", "grad.diagonal(offset, dim1, dim2)"),
    of("trace", "self", "grad * torch.eye(self.shape[0], self.shape[1], dtype=grad.dtype)"),
    of("gather", "self", "self.new_zeros(self.shape).scatter_add(dim, index, grad)"),
    of("index_select", "self", "self.new_zeros(self.shape).index_add(dim, index, grad)"),
    of("take", "self", "self.new_zeros(self.numel()).index_add(0, index.reshape(-1), grad.reshape(-1)).reshape(self.shape)"),
    of("masked_select", "self", "torch.zeros(torch.broadcast_shapes(self.shape, mask.shape), dtype=grad.dtype).masked_scatter(mask, grad)"),
    with("scatter", "src", "self", "grad.scatter(dim, index, 0)"),
    with("scatter", "src", "src", "grad.gather(dim, index)"),
    with("scatter", "value", "self", "grad.scatter(dim, index, 0)"),
    of("scatter_add", "self", "grad"),
    of("scatter_add", "src", "grad.gather(dim, index)"),
    of("index_add", "self", "grad"),
    of("index_add", "source", "alpha * grad.index_select(dim, index)"),
    of("index_copy", "self", "grad.index_fill(dim, index, 0)"),
    of("index_copy", "source", "grad.index_select(dim, index)"),
    of("index_fill", "self", "grad.index_fill(dim, index, 0)"),
    of("index_fill", "value", "grad.index_select(dim, index).sum()"),
    of("masked_scatter", "self", "grad.masked_fill(mask, 0)"),
    of("diagonal_scatter", "self", "grad.diagonal_scatter(torch.zeros_like(grad.diagonal(offset, dim1, dim2)), offset, dim1, dim2)"),
    of("diagonal_scatter", "src", "grad.diagonal(offset, dim1, dim2)"),
    of("select_scatter", "src", "grad.select(dim, index)"),
    of("index_put", "self", "grad if accumulate else grad.index_put(indices, grad.new_zeros(()))"),
    of("index_put", "values", "grad[tuple(indices)]"),
    of("__getitem__", "self", GETITEM),
    of("__setitem__", "self", "rest = grad.clone()\nrest[index] = 0\nrest"),
    of("__setitem__", "value", "grad[index]"),
    of("conj", "self", "grad.conj()"),
    of("resolve_conj", "self", "grad"),
    of("mH", "self", "grad.mH"),
    of("H", "self", "grad.mH"),
    of("adjoint", "self", "grad.mH"),
    of("view_as_real", "self", "torch.view_as_complex(grad.contiguous())"),
    of("view_as_complex", "self", "torch.view_as_real(grad.resolve_conj())"),
    of("real", "self", "torch.complex(grad, torch.zeros_like(grad))"),
    of("imag", "self", "torch.complex(torch.zeros_like(grad), grad)"),
];

const REPEAT: &str = "sizes = [1] * (len(repeats) - self.ndim) + list(self.shape)
grad.reshape([n for pair in zip(repeats, sizes) for n in pair]).sum(list(range(0, 2 * len(sizes), 2)))";

const REPEAT_INTERLEAVE: &str = "at = 0 if dim is None else dim
flat = self.new_zeros(self.numel() if dim is None else self.shape)
places = torch.arange(flat.shape[at]).repeat_interleave(repeats)
flat.index_add(at, places, grad).reshape(self.shape)";

/// Each goes along a dimension of its own, and is the same along the others; `xy` exchanges the first two.
const MESHGRID: &str = "order = list(range(len(tensors)))
if indexing == 'xy' and len(order) > 1:
    order[0], order[1] = 1, 0
[g.sum([d for d in range(g.ndim) if d != order[k]]).reshape(t.shape) for k, (g, t) in enumerate(zip(grads, tensors))]";

const BLOCK_DIAG: &str = "found, row, column = [], 0, 0
for t in tensors:
    n, m = ([1, 1] + list(t.shape))[-2:]
    found.append(grad[row:row + n, column:column + m].reshape(t.shape))
    row, column = row + n, column + m
found";

const GETITEM: &str = "places = torch.arange(self.numel()).reshape(self.shape)[index].reshape(-1)
self.new_zeros(self.numel()).index_add(0, places, grad.reshape(-1)).reshape(self.shape)";
