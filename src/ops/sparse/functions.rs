//! `torch.sparse`: what is computed of the values that a sparse tensor keeps, and matrices of diagonals.

use crate::ops::{Form, Op, op};

/// A function of `torch.sparse`, as text.
const fn function(schema: &'static str, doc: &'static str, example: &'static str, text: &'static str) -> Op {
    op(schema, doc, example, Form::Code(text)).function_only().no_out().sparse()
}

/// The softmax of the kept values alone; the text at the end makes the result of `away`, the values less the largest of their group,
/// and of `total`, a function that adds up over groups.
macro_rules! softmax {
    ($dense:literal, $result:literal) => {
        concat!(
            "\
if not input.is_sparse:
    backend = 'CPU' if input.layout == torch.strided else 'SparseCsrCPU'
    raise NotImplementedError(f\"Could not run 'aten::_sparse_",
            $dense,
            "' with arguments from the '{backend}' backend.\")
x = input.coalesce()
i, v = x.indices(), x.values() if dtype is None else x.values().to(dtype)
d = dim + x.dim() if -x.dim() <= dim < 0 else dim
if not 0 <= d < x.dim():
    raise IndexError(f'Dimension out of range (expected to be in range of [{-x.dim()}, {x.dim() - 1}], but got {dim})')
if v.dtype != torch.float32 and v.dtype != torch.float64:
    raise NotImplementedError(f'\"",
            $dense,
            "\" not implemented for \\'{v.type()[6:-6]}\\'')
if d >= x.sparse_dim():
    w = torch.",
            $dense,
            "(v, d - x.sparse_dim() + 1)
else:
    group = torch.zeros_like(i[0])
    for other in range(x.sparse_dim()):
        group = group * x.size(other) + i[other] if other != d else group
    group = group.unique(return_inverse=True)[1]
    room = [int(group.max()) + 1 if group.numel() else 0] + list(v.shape)[1:]
    at = group.view([-1] + [1] * (v.dim() - 1)).expand(v.shape)
    largest = torch.full(room, -math.inf, dtype=v.dtype).scatter_reduce(0, at, v, 'amax')
    away = v - largest[group]
    total = torch.zeros(room, dtype=v.dtype).index_add(0, group, away.exp())[group]
    w = ",
            $result,
            "
torch.sparse_coo_tensor(i, w, list(x.shape), is_coalesced=True)"
        )
    };
}

rows![
    function(
        "sparse.softmax(Tensor input, int dim, *, DType? dtype=None) -> Tensor",
        "The softmax of a sparse tensor, to which what is not kept is minus infinity.",
        "torch.sparse.softmax(torch.eye(2).to_sparse(), 0).values()  # tensor([1., 1.])",
        softmax!("softmax", "away.exp() / total")
    ),
    function(
        "sparse.softmax(Tensor input, int dim, DType dtype) -> Tensor",
        "",
        "",
        "torch.sparse.softmax(input, dim, dtype=dtype)"
    ),
    function(
        "sparse.log_softmax(Tensor input, int dim, *, DType? dtype=None) -> Tensor",
        "The logarithm of the softmax of a sparse tensor.",
        "torch.sparse.log_softmax(torch.eye(2).to_sparse(), 0).values()  # tensor([0., 0.])",
        softmax!("log_softmax", "away - total.log()")
    ),
    function(
        "sparse.log_softmax(Tensor input, int dim, DType dtype) -> Tensor",
        "",
        "",
        "torch.sparse.log_softmax(input, dim, dtype=dtype)"
    ),
    function(
        "sparse.addmm(Tensor mat, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        "A matrix plus the product of a sparse one and another.",
        "torch.sparse.addmm(torch.ones(2, 1), torch.eye(2).to_sparse(), torch.ones(2, 1))\n# tensor([[2.],\n#         [2.]])",
        "torch.addmm(mat, mat1, mat2, beta=beta, alpha=alpha)"
    )
    .grads(&[
        ("mat", "grad * beta"),
        ("mat1", "(grad @ mat2.mT * alpha).sparse_mask(mat1)"),
        ("mat2", "mat1.mT @ grad * alpha")
    ]),
    function(
        "sparse.spdiags(Tensor diagonals, Tensor offsets, int[] shape, Layout? layout=None) -> Tensor",
        "The sparse matrix that has these rows as its diagonals.",
        "torch.sparse.spdiags(torch.tensor([[1, 2]]), torch.tensor([1]), (2, 2)).to_dense()\n# tensor([[0, 2],\n#         [0, 0]])",
        "\
rows, places = torch.atleast_2d(diagonals), torch.atleast_1d(offsets)
if rows.dim() != 2:
    raise RuntimeError('Diagonals must be vector or matrix')
if len(shape) != 2:
    raise RuntimeError('Output shape must be 2d')
if places.dim() != 1:
    raise RuntimeError('Offsets must be scalar or vector')
if rows.size(0) != places.size(0):
    raise RuntimeError(f'Number of diagonals ({rows.size(0)}) does not match the number of offsets ({places.size(0)})')
if places.unique().numel() != places.numel():
    raise RuntimeError('Offset tensor contains duplicate values')
if places.dtype != torch.int64:
    raise RuntimeError(f'Offset Tensor must have dtype Long but got {places.type()[6:-6]}')
indices, values = [torch.zeros(2, 0, dtype=torch.int64)], [rows.new_zeros(0)]
for row, place in zip(rows, places.tolist()):
    columns = torch.arange(max(place, 0), max(min(shape[1], row.numel(), shape[0] + place), max(place, 0)))
    indices.append(torch.stack([columns - place, columns]))
    values.append(row[columns])
result = torch.sparse_coo_tensor(torch.cat(indices, 1), torch.cat(values), list(shape))
result if layout is None else result.to_sparse(layout=layout)"
    ),
];
