//! `torch.sparse`: what is computed of the values that a sparse tensor keeps, and matrices of diagonals.

use crate::device::no_kernel;
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
    torch.sparse._lacks('_sparse_",
            $dense,
            "', backend)
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

const SAMPLED: &str = "\
if input.layout in (torch.strided, torch.sparse_coo):
    backend = 'SparseCPU' if input.is_sparse else 'CPU'
    torch.sparse._lacks('sparse_sampled_addmm', backend)
if input.layout in (torch.sparse_bsr, torch.sparse_bsc):
    raise RuntimeError(f'empty_sparse_compressed expected sparse compressed (non-block) tensor layout but got {torch.sparse._title(input)}')
if input.layout == torch.sparse_csc:
    raise RuntimeError('sampled_addmm: Expected result to have sparse csr layout, but got SparseCsc')
for which, m in (('mat1', mat1), ('mat2', mat2)):
    if m.layout != torch.strided:
        raise RuntimeError(f'sampled_addmm: Expected {which} to have strided layout, but got {torch.sparse._title(m)}')
names = [t.new_zeros(1).type()[6:-6] for t in (input.values(), mat1, mat2)]
if mat1.dtype != mat2.dtype:
    raise RuntimeError(f'sampled_addmm: Expected mat1 and mat2 to have the same dtype, but got {names[1]} and {names[2]}')
if input.dtype != mat1.dtype:
    raise RuntimeError(f'sampled_addmm: Expected mat1 and self to have the same dtype, but got {names[1]} and {names[0]}')
if mat1.dim() < 2:
    raise RuntimeError(f'sampled_addmm: Expected mat1 to be a matrix, got {mat1.dim()}-D tensor')
if mat2.dim() < 2:
    raise RuntimeError(f'sampled_addmm: Expected mat2 to be a matrix, got {mat2.dim()}-D tensor')
if mat1.size(-1) != mat2.size(-2):
    raise RuntimeError(f'sampled_addmm: mat1 and mat2 shapes cannot be multiplied ({mat1.size(-2)}x{mat1.size(-1)} and {mat2.size(-2)}x{mat2.size(-1)})')
if input.size(-2) != mat1.size(-2):
    raise RuntimeError('sampled_addmm: self.shape[-2] must match mat1.shape[-2]')
if input.size(-1) != mat2.size(-1):
    raise RuntimeError('sampled_addmm: self.shape[-1] must match mat2.shape[-1]')
taken = (mat1 @ mat2).sparse_mask(input).values() * alpha
v = taken if beta == 0 else taken + input.values() * beta
torch.sparse_csr_tensor(input.crow_indices(), input.col_indices(), v, list(input.shape))";

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
        "sparse.sampled_addmm(Tensor input, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        "A matrix of compressed rows plus the elements of a product of dense ones at its places.",
        "torch.sparse.sampled_addmm(torch.eye(2).to_sparse_csr(), torch.ones(2, 1), torch.ones(1, 2)).values()  # tensor([2., 2.])",
        SAMPLED
    )
    .grads(&[
        ("input", "grad.to_dense().sparse_mask(input) * beta"),
        ("mat1", "grad.to_dense() @ mat2.mT * alpha"),
        ("mat2", "mat1.mT @ grad.to_dense() * alpha")
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
if layout not in (None, torch.sparse_coo, torch.sparse_csr, torch.sparse_csc):
    title = 'Strided' if layout == torch.strided else 'Sparse' + str(layout)[13:].capitalize()
    raise RuntimeError(f'Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got {title}')
result if layout is None else result.to_sparse(layout=layout)"
    ),
    op(
        "sparse._lacks(str kernel, str backend) -> Tensor",
        "Fails with the `NotImplementedError` for tensors of a kind that a kernel is not there for.",
        "try:\n    torch.sparse._lacks('dot', 'SparseCPU')\nexcept NotImplementedError as e:\n    print(str(e)[:25])\n# Could not run 'aten::dot'",
        Form::Native(|args| Err(no_kernel(&args.get::<String>(0)?, &args.get::<String>(1)?)))
    )
    .function_only()
    .no_out(),
    op(
        "sparse._title(Tensor self) -> str",
        "The layout of a tensor as sentences name it.",
        "torch.sparse._title(torch.eye(2).to_sparse_csr())\n# 'SparseCsr'",
        Form::Native(|args| Ok(super::layout_title(&args.get(0)?).into())),
    )
    .function_only()
    .no_out()
    .sparse()
    .no_grad(),
    op(
        "sparse._laid(Tensor self, Tensor like) -> Tensor",
        "A sparse tensor in the layout of another one, in blocks of its size.",
        "torch.sparse._laid(torch.eye(2).to_sparse(), torch.eye(2).to_sparse_csr()).layout\n# torch.sparse_csr",
        Form::Native(super::laid),
    )
    .function_only()
    .no_out()
    .sparse()
    .grads(&[("self", "grad if grad.layout == torch.strided else grad.to_dense()"), ("like", "None")])
    .complex(),
];
