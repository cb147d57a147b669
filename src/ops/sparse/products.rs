//! Products of matrices of which one at least is sparse, written in the language over what is kept.

use crate::ops::autograd::texts;
use crate::ops::{Args, Form, Op, OpSet, op};
use crate::tensor::{SparseKind, Tensor};
use crate::value::Value;
use anyhow::Result;

/// The names by which the texts of products read what is given by place.
const NAMES: [&str; 5] = ["a", "b", "c", "beta", "alpha"];

/// The text of a product with a sparse tensor among its operands.
fn text(name: &str) -> Option<&'static str> {
    Some(match name {
        "matmul" => MATMUL,
        "mm" => MM,
        "mv" => MV,
        "bmm" => BMM,
        "addmm" => ADDMM,
        "dist" => "(a - b).norm(c)",
        "inner" => INNER,
        _ => return None,
    })
}

/// The text of a call and what it reads, where it is a product with a sparse tensor.
pub fn find(set: &OpSet, args: &Args) -> Result<Option<super::Text>> {
    let tensors = args.tensors();
    let ours = !set.inplace && matches!(args.out, Value::None) && tensors.iter().any(Tensor::is_sparse);
    let Some(text) = text(args.op.name()).filter(|_| ours) else { return Ok(None) };
    let all_compressed = tensors[1..].iter().all(|t| t.sparse().is_some_and(|s| s.kind != SparseKind::Coo));
    let text = if args.op.name() == "addmm" && all_compressed { ADDMM_COMPRESSED } else { text };
    Ok(Some((text, NAMES.iter().zip(&args.values).map(|(name, value)| (*name, value.clone())).collect())))
}

/// By the dimensions of both: products of vectors are not there, stacks of matrices would have to be expanded.
const MATMUL: &str = "\
if a.dim() == 0 or b.dim() == 0:
    raise RuntimeError(f'both arguments to matmul need to be at least 1D, but they are {a.dim()}D and {b.dim()}D')
if a.dim() == 2 and b.dim() == 1:
    y = torch.mv(a, b)
elif a.dim() == 1 and b.dim() == 2:
    y = torch.mm(a.unsqueeze(0), b).squeeze(0)
elif a.dim() == 1 and b.dim() == 1:
    torch.sparse._lacks('dot', 'SparseCPU')
elif a.dim() == 2 and b.dim() == 2:
    y = torch.mm(a, b)
else:
    raise RuntimeError('expand is unsupported for Sparse tensors')
y";

/// The terms of a product of matrices of coordinates, row by row as they lie in memory, after the places they belong to. What is kept does
/// not depend on values: a sum may be zero.
const TERMS: &str = "\
i, j = p._indices(), q._indices()
many = torch.bincount(j[0], minlength=q.size(0))
n = many[i[1]]
at = torch.arange(len(n)).repeat_interleave(n)
met = torch.arange(len(at)) + ((many.cumsum(0) - many)[i[1]] - n.cumsum(0) + n)[at]
(torch.stack([i[0][at], j[1][met]]), p._values()[at] * q._values()[met])";

/// Compressed rows of terms, with columns in the order in which the terms of a row first meet them.
const ROWS_OF_TERMS: &str = "\
y = torch.sparse_coo_tensor(places, terms, list(size)).coalesce()
group = (places[0] * size[1] + places[1]).unique(return_inverse=True)[1]
first = torch.full([y._nnz()], len(group)).scatter_reduce(0, group, torch.arange(len(group)), 'amin')
order = (y.indices()[0] * (len(group) + 1) + first).argsort()
starts = torch.bincount(y.indices()[0] + 1, minlength=size[0] + 1).cumsum(0)
torch.sparse_csr_tensor(starts, y.indices()[1][order], y.values()[order], list(size))";

const INNER: &str = "\
if a.dim() == 0 or b.dim() == 0:
    y = a * b
elif a.dtype != b.dtype:
    raise RuntimeError('both inputs should have same dtype')
elif any(t.layout not in (torch.strided, torch.sparse_coo) for t in (a, b)):
    torch.sparse._lacks('as_strided', 'SparseCsrCPU')
else:
    raise RuntimeError('reshape is not implemented for sparse tensors')
y";

/// What is compressed goes through coordinates, and comes out dense unless both are. Compressed rows hold columns in the order in which
/// the terms first meet them.
const MM: &str = "\
compressed = [t.layout not in (torch.strided, torch.sparse_coo) for t in (a, b)]
if compressed[0] or compressed[1]:
    a.size(0), b.size(1)
    if b.dim() != 2:
        raise RuntimeError(f'addmm: mat2 must be a matrix, got {b.dim()}-D tensor')
    if a.dim() == 2 and a.size(1) != b.size(0):
        raise RuntimeError(f'addmm: mat1 and mat2 shapes cannot be multiplied ({a.size(0)}x{a.size(1)} and {b.size(0)}x{b.size(1)})')
    blocked = [t.layout in (torch.sparse_bsr, torch.sparse_bsc) for t in (a, b)]
    titles = [torch.sparse._title(t) for t in (a, b)]
    if blocked[0] and b.layout != torch.strided:
        raise RuntimeError(f'zeros_sparse_compressed expected sparse compressed (non-block) tensor layout but got {titles[0]}')
    if a.is_sparse or b.is_sparse or blocked[1] and titles[0] != 'Strided':
        raise RuntimeError(f'addmm: computation on CPU is not implemented for {titles[0]} + {titles[0]} @ {titles[1]}')
    if a.layout == torch.sparse_bsc or b.layout == torch.sparse_bsr:
        raise RuntimeError(f'addmm: computation on CPU is not implemented for Strided + {titles[0]} @ {titles[1]}')
    kernel = 'addmm_out_sparse_csr_impl_mkl_sparse' if compressed[0] and compressed[1] else 'addmm_out_sparse_csr_impl_mkl'
    names = [m.new_zeros(1).type()[6:-6] for m in [t.values() if packed else t for t, packed in zip((a, b), compressed)]]
    if a.dtype not in (torch.float32, torch.float64, torch.complex64, torch.complex128):
        raise NotImplementedError(f'\"{kernel}\" not implemented for \\'{names[0]}\\'')
    if a.dtype != b.dtype:
        raise RuntimeError(f'expected scalar type {names[0]} but found {names[1]}')
    if any(torch.sparse._title(t)[:8] == 'SparseBs' and t.values().size(-1) != t.values().size(-2) for t in (a, b)):
        raise RuntimeError(\"MKL Sparse doesn't support matrices with non-square blocks.\")
    if compressed[0] and compressed[1]:
        places, terms = torch.sparse._terms(a.to_sparse_csr().to_sparse_coo(), b.to_sparse_csr().to_sparse_coo())
        y = torch.sparse._rows(places, terms, (a.size(0), b.size(1)))
    else:
        y = torch.mm(*[t.to_sparse_coo() if packed else t for t, packed in zip((a, b), compressed)])
elif a.is_sparse and b.is_sparse:
    titles = [t._values().new_zeros(1).type()[6:-6] for t in (a, b)]
    for named, t in (('self', a), ('mat2', b)):
        if t.dim() != 2:
            raise RuntimeError(f'_sparse_sparse_matmul: {named} must be a matrix, got {t.dim()}-D tensor')
    if a.size(1) != b.size(0):
        raise RuntimeError(f'_sparse_sparse_matmul: mat1 and mat2 shapes cannot be multiplied ({a.size(0)}x{a.size(1)} and {b.size(0)}x{b.size(1)})')
    for t in (a, b):
        if t.dense_dim() != 0:
            raise RuntimeError(f'sparse_sparse_matmul_cpu: scalar values expected, got {t.dense_dim()}D values')
    if a.dtype != b.dtype:
        raise RuntimeError(f'mat1 dtype {titles[0]} does not match mat2 dtype {titles[1]}')
    if a.dtype not in (torch.float32, torch.float64, torch.complex64, torch.complex128):
        raise NotImplementedError(f'\"sparse_matmul\" not implemented for \\'{titles[0]}\\'')
    places, terms = torch.sparse._terms(a.coalesce(), b.coalesce())
    y = torch.sparse_coo_tensor(places, terms, (a.size(0), b.size(1))).coalesce()
elif a.is_sparse:
    y = torch.addmm(torch.zeros(a.size(-2), b.size(-1), dtype=b.dtype), a, b, beta=0)
else:
    y = torch.zeros(a.size(-2), b.size(-1), dtype=a.dtype)
    y = torch.addmm(y.t(), b.transpose(-2, -1), a.transpose(-2, -1), beta=0).transpose(-2, -1)
y";

const MV: &str = "\
if a.layout not in (torch.strided, torch.sparse_coo) and b.dim() != 1 and b.layout == torch.strided:
    raise RuntimeError(f'vector + matrix @ vector expected, got 1, {a.dim()}, {b.dim()}')
if a.dim() != 2 or b.dim() != 1:
    raise RuntimeError(f'mv: two tensor dim should be 2 and 1, but got SparseTensor Dim: {a.dim()}Tensor Dim: {b.dim()}')
if a.size(-1) != b.size(-1) and (a.is_sparse or b.is_sparse):
    raise RuntimeError('mv: expected self.size(-1) == vec.size(-1)')
if a.size(-1) != b.size(-1):
    raise RuntimeError(f'size mismatch, got input ({a.size(0)}), mat ({a.size(0)}x{a.size(1)}), vec ({b.size(0)})')
if a.layout == torch.sparse_bsc and b.layout == torch.strided:
    raise RuntimeError('torch.addmv: operation not supported for mat with SparseBsc layout')
if a.layout not in (torch.strided, torch.sparse_coo) and b.layout == torch.strided:
    names = [m.new_zeros(1).type()[6:-6] for m in (a.values(), b)]
    if a.dtype != b.dtype:
        raise RuntimeError(f'addmv input tensors must have the same dtype, but got {names[1]}, {names[0]}, and {names[1]}')
    if a.dtype not in (torch.float32, torch.float64, torch.complex64, torch.complex128):
        raise NotImplementedError(f'\"addmv_out_sparse_csr_impl_mkl\" not implemented for \\'{names[0]}\\'')
torch.mm(a, b.unsqueeze(-1)).squeeze(-1)";

const BMM: &str = "\
if a.layout not in (torch.strided, torch.sparse_coo):
    raise RuntimeError('batch1 must be a 3D tensor')
if b.is_sparse:
    raise RuntimeError('bmm_sparse: Tensor \\'mat2\\' must be dense')
if a.dense_dim() != 0:
    raise RuntimeError(f'bmm_sparse: Tensor \\'self\\' must have 0 dense dims, but has {a.dense_dim()}')
if a.sparse_dim() != 3:
    raise RuntimeError(f'bmm_sparse: Tensor \\'self\\' must have 3 sparse dims, but has {a.sparse_dim()}')
if b.dim() != 3:
    raise RuntimeError(f'bmm_sparse: Tensor \\'mat2\\' must have 3 dims, but has {b.dim()}')
for ours, theirs in ((0, 0), (2, 1)):
    if a.size(ours) != b.size(theirs):
        raise RuntimeError(f'bmm_sparse: \\'self.size({ours})\\' and \\'mat2.size({theirs})\\' must match')
torch.bmm(a.to_dense(), b)";

/// Of compressed matrices: the sum is compressed where that which is added to is so. It has the columns of the product first where these
/// are in no order.
const ADDMM_COMPRESSED: &str = "\
y = torch.mm(b, c)
t = a if a.shape == y.shape else a.expand(y.shape)
t = t if beta == 1 else t * beta
if t.layout == torch.strided:
    y = torch.add(t, y.to_dense(), alpha=alpha)
else:
    p, q = y.to_sparse_coo(), t.to_sparse_coo()
    rows, columns = p._indices()
    is_sorted = bool((rows.diff() + (columns.diff() > 0) > 0).all())
    terms = [torch.cat([p._indices(), q._indices()], 1), torch.cat([p._values() * alpha, q._values()])]
    y = torch.add(t, y, alpha=alpha) if is_sorted else torch.sparse._rows(*terms, y.shape)
y";

/// The kept values alone are multiplied, so that no infinity meets a zero.
const ADDMM: &str = "\
if b.layout not in (torch.strided, torch.sparse_coo) and c.dim() != 2:
    raise RuntimeError(f'addmm: mat2 must be a matrix, got {c.dim()}-D tensor')
if b.layout not in (torch.strided, torch.sparse_coo) and b.dim() == 2 and c.dim() == 2 and b.size(1) != c.size(0):
    raise RuntimeError(f'addmm: mat1 and mat2 shapes cannot be multiplied ({b.size(0)}x{b.size(1)} and {c.size(0)}x{c.size(1)})')
compressed = [m.layout not in (torch.strided, torch.sparse_coo) for m in (a, b, c)]
titles = [torch.sparse._title(m) for m in (a, b, c)]
if a.layout in (torch.sparse_bsr, torch.sparse_bsc):
    raise RuntimeError(f'empty_sparse_compressed expected sparse compressed (non-block) tensor layout but got {titles[0]}')
if compressed[0] or b.layout == torch.sparse_bsc or c.layout == torch.sparse_bsr:
    raise RuntimeError(f'addmm: computation on CPU is not implemented for {titles[0]} + {titles[1]} @ {titles[2]}')
if any(torch.sparse._title(m)[:8] == 'SparseBs' and m.values().size(-1) != m.values().size(-2) for m in (b, c)):
    raise RuntimeError(\"MKL Sparse doesn't support matrices with non-square blocks.\")
x = b.to_sparse_coo() if compressed[1] else b
size = [x.size(0), c.size(1)]
if a.is_sparse and a.dim() > 2:
    kind = a._values().new_zeros(1).type()[6:]
    raise RuntimeError(f'expand(torch.sparse.{kind}{{{list(a.shape)}}}, size={size}): the number of sizes provided (2) must be greater or equal to the number of dimensions in the tensor ({a.dim()})')
t = a if list(a.shape) == size else a.expand(size)
if t.is_sparse:
    raise RuntimeError('addmm_sparse_dense: expected strided result tensor, got tensor with layout Sparse')
if not x.is_sparse or c.is_sparse:
    layouts = ['Sparse' if m.is_sparse else 'Strided' for m in (x, c)]
    raise RuntimeError(f'addmm_sparse_dense: expected either \\'mat1\\' to have sparse layout and \\'mat2\\' to have strided layout, got \\'mat1\\' with layout {layouts[0]} and \\'mat2\\' with layout {layouts[1]}')
if x.sparse_dim() != 2:
    raise RuntimeError(f'addmm: matrices expected, got {x.sparse_dim()}D tensor')
if x.dense_dim() != 0:
    raise RuntimeError(f'addmm: scalar values expected, got {x.dense_dim()}D values')
if c.dim() != 2:
    raise RuntimeError(f'addmm: matrices expected, got {c.dim()}D tensor')
if x.size(1) != c.size(0):
    raise RuntimeError(f'addmm: Argument #3 (dense): Expected dim 0 size {x.size(1)}, got {c.size(0)}')
if x.dtype == torch.bool and x._nnz() > 0:
    raise NotImplementedError('\"addmm_sparse_dense\" not implemented for \\'Bool\\'')
if x.dtype != c.dtype and x._nnz() > 0:
    titles = [m.new_zeros(1).type()[6:-6] for m in (x._values(), c)]
    raise RuntimeError(f'expected scalar type {titles[0]} but found {titles[1]}')
rows, columns = x._indices()
outside = [(named, int(at[(at < 0) | (at >= room)][:1].sum()), room) for named, at, room in (('row', rows, x.size(0)), ('column', columns, x.size(1))) if ((at < 0) | (at >= room)).any()]
if len(outside) > 0:
    raise RuntimeError(f'addmm: index out of {outside[0][0]} bound: {outside[0][1]} not between 1 and {outside[0][2]}')
parts = x._values().unsqueeze(1) * c.index_select(0, columns)
y = torch.zeros(size, dtype=c.dtype).index_add_(0, rows, parts.to(c.dtype))
y = y if alpha == 1 else y * alpha
y if beta == 0 else y + t if beta == 1 else y + t * beta";

/// The part of a gradient that a sparse matrix has a place for; all of that of a dense one.
macro_rules! kept {
    ($of:literal, $grad:literal) => {
        concat!(
            "found = ",
            $grad,
            "
if ",
            $of,
            ".layout != torch.strided:
    found = found.sparse_mask(",
            $of,
            ".to_sparse_coo()).to_sparse(layout=",
            $of,
            ".layout)
found"
        )
    };
}

/// A function of a sparse matrix and a dense one, as text, that is a method of tensors, too, where PyTorch has one.
const fn product(schema: &'static str, doc: &'static str, example: &'static str, text: &'static str) -> Op {
    op(schema, doc, example, Form::Code(text)).no_out().sparse()
}

/// What is said of the operands of a product that stays sparse, which are `x` and `c`.
macro_rules! fits {
    ($name:literal) => {
        concat!(
            "if x.sparse_dim() != 2:
    raise RuntimeError(f'",
            $name,
            ": Argument #2: matrices expected, got {x.sparse_dim()}D tensor')
if x.dense_dim() != 0:
    raise RuntimeError(f'",
            $name,
            ": Argument #2: scalar values expected, got {x.dense_dim()}D values')
if c.dim() != 2:
    raise RuntimeError(f'",
            $name,
            ": Argument #3: matrices expected, got {c.dim()}D tensor')
if x.size(1) != c.size(0):
    raise RuntimeError(f'",
            $name,
            ": Argument #3: Expected dim 0 size {x.size(1)}, got {c.size(0)}')
"
        )
    };
}

/// `alpha` times a product, of which rows are kept where the sparse matrix has some, behind what is kept of `t` times `beta`.
macro_rules! kept_rows {
    ($begin:literal) => {
        concat!(
            $begin,
            "if x.layout not in (torch.strided, torch.sparse_coo):
    raise RuntimeError('torch.empty: Only batched sparse compressed (non-block) tensors are supported, but got size [0]')
if c.layout not in (torch.strided, torch.sparse_coo):
    torch.sparse._lacks('sspaddmm.out', 'SparseCsrCPU')
if not any(m.is_sparse for m in (t, x, c) if m is not None):
    raise RuntimeError('tensor.sspaddmm(...) can only be called on sparse tensors')
if not x.is_sparse:
    raise RuntimeError('sspaddmm: expected \\'mat1\\' to have sparse layout, got \\'mat1\\' with layout Strided')
if c.is_sparse:
    raise RuntimeError('sspaddmm: expected \\'mat2\\' to have strided layout, got \\'mat2\\' with layout Sparse')
",
            fits!("sspaddmm"),
            "t = torch.sparse_coo_tensor(size=(x.size(0), c.size(1)), dtype=c.dtype) if t is None else t
for place, wanted in enumerate((x.size(0), c.size(1))):
    if t.size(place) != wanted:
        raise RuntimeError(f'sspaddmm: Argument #1: Expected dim {place} size {wanted}, got {t.size(place)}')
if x.dtype in (torch.float16, torch.bfloat16) and x.dtype == c.dtype or x.dtype == torch.float16:
    raise NotImplementedError(f'\"sspmm\" not implemented for \\'{x._values().new_zeros(1).type()[6:-6]}\\'')
if x.dtype != c.dtype:
    titles = [m.new_zeros(1).type()[6:-6] for m in (x._values(), c)]
    raise RuntimeError(f'expected scalar type {titles[0]} but found {titles[1]}')
x, width = x.coalesce(), c.size(1)
rows = x.indices()[0].unique()
places = torch.stack([rows.repeat_interleave(width), torch.arange(width).repeat(len(rows))])
v = torch.mm(x, c)[rows].reshape(-1)
torch.sparse_coo_tensor(torch.cat([t._indices(), places], 1), torch.cat([t._values() * beta, v * alpha]), list(t.shape), is_coalesced=False)"
        )
    };
}

rows![
    product(
        "sparse._terms(Tensor p, Tensor q) -> (Tensor, Tensor)",
        "Where the terms of a product of two matrices of coordinates belong, and the terms.",
        "torch.sparse._terms(torch.eye(2).to_sparse(), torch.eye(2).to_sparse())\n# (tensor([[0, 1],\n#         [0, 1]]), tensor([1., 1.]))",
        TERMS
    )
    .function_only()
    .no_grad(),
    product(
        "sparse._rows(Tensor places, Tensor terms, int[] size) -> Tensor",
        "Compressed rows of sums of terms, by their places.",
        "torch.sparse._rows(torch.tensor([[0, 0], [1, 1]]), torch.tensor([1., 2.]), (1, 2)).values()  # tensor([3.])",
        ROWS_OF_TERMS
    )
    .function_only()
    .no_grad(),
    product(
        "sparse.mm(Tensor sparse, Tensor dense) -> Tensor",
        "The product of two matrices of which one may be sparse.",
        "torch.sparse.mm(torch.eye(2).to_sparse(), torch.ones(2, 1))\n# tensor([[1.],\n#         [1.]])",
        "if sparse.layout == torch.strided and dense.layout == torch.strided:
    y = torch.zeros(sparse.size(-2), dense.size(-1), dtype=sparse.dtype)
    y = torch.addmm(y.t(), dense.transpose(-2, -1), sparse.transpose(-2, -1), beta=0).transpose(-2, -1)
elif sparse.layout in (torch.sparse_bsr, torch.sparse_bsc) and dense.layout in (torch.sparse_bsr, torch.sparse_bsc):
    raise RuntimeError(f'zeros_sparse_compressed expected sparse compressed (non-block) tensor layout but got {torch.sparse._title(dense)}')
elif sparse.layout == torch.strided and dense.layout == torch.sparse_bsr:
    raise RuntimeError('addmm: computation on CPU is not implemented for Strided + SparseBsc @ Strided')
elif sparse.layout == torch.sparse_csr and dense.layout == torch.sparse_csc and sparse.size(1) == dense.size(0):
    raise RuntimeError('addmm: computation on CPU is not implemented for SparseCsc + SparseCsr @ SparseCsc')
elif sparse.layout not in (torch.strided, torch.sparse_coo) and sparse.dim() == 2 and dense.dim() == 1:
    raise RuntimeError('addmm: mat2 must be a matrix, got 1-D tensor')
else:
    y = torch.mm(sparse, dense)
y"
    )
    .grads(&[("sparse", kept!("sparse", "grad @ dense.mT")), ("dense", kept!("dense", "sparse.mT @ grad"))])
    .function_only(),
    product(
        "sparse.mm(Tensor mat1, Tensor mat2, str reduce) -> Tensor",
        "",
        "",
        "kinds = {'sum': 'sum', 'mean': 'mean', 'max': 'amax', 'amax': 'amax', 'min': 'amin', 'amin': 'amin'}
if reduce not in kinds:
    raise RuntimeError(f'reduce argument must be either sum, mean, amax or amin, got {reduce}')
if mat1.layout != torch.sparse_csr:
    raise RuntimeError(f'Expected mat1 to be of layout torch.sparse_csr, but got {mat1.layout}')
rows = torch.arange(mat1.size(0)).repeat_interleave(mat1.crow_indices().diff())
terms = mat1.values().unsqueeze(1) * mat2[mat1.col_indices()]
torch.zeros(mat1.size(0), mat2.size(1), dtype=terms.dtype).scatter_reduce(0, rows.unsqueeze(1).expand_as(terms), terms, kinds[reduce], include_self=False)"
    )
    .function_only(),
    product(
        "sspaddmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        "A sparse matrix plus the product of a sparse one and a dense one, which stays sparse.",
        "torch.sspaddmm(torch.eye(2).to_sparse(), torch.eye(2).to_sparse(), torch.ones(2, 2)).to_dense()\n# tensor([[2., 1.],\n#         [1., 2.]])",
        kept_rows!("t, x, c = self, mat1, mat2\n")
    )
    .grads(&[("self", texts::none!("sspaddmm")), ("mat1", texts::none!("sspaddmm")), ("mat2", texts::none!("sspaddmm"))])
    .alias(&["saddmm"]),
    product(
        "smm(Tensor self, Tensor mat) -> Tensor",
        "The product of a sparse matrix and a dense one, which stays sparse.",
        "torch.smm(torch.eye(2).to_sparse(), torch.ones(2, 1)).to_dense()\n# tensor([[1.],\n#         [1.]])",
        kept_rows!("t, x, c, beta, alpha = None, self, mat, 0, 1\n")
    )
    .grads(&[("self", texts::none!("sspaddmm")), ("mat", texts::none!("sspaddmm"))]),
    product(
        "hspmm(Tensor mat1, Tensor mat2) -> Tensor",
        "The product of a sparse matrix and a dense one: rows are kept whole, where the sparse one has some.",
        "torch.hspmm(torch.eye(2).to_sparse(), torch.ones(2, 1))._values()\n# tensor([[1.],\n#         [1.]])",
        concat!(
            "x, c = mat1, mat2
if any(m.layout not in (torch.strided, torch.sparse_coo) for m in (x, c)):
    torch.sparse._lacks('hspmm', 'SparseCsrCPU')
if not x.is_sparse and not c.is_sparse:
    torch.sparse._lacks('hspmm', 'CPU')
",
            fits!("hspmm"),
            "x = x.coalesce()
rows = x.indices()[0].unique()
v = torch.mm(x, torch.zeros(list(c.shape), dtype=x.dtype) if x._nnz() == 0 else c) if not c.is_sparse or x._nnz() == 0 else None
if v is None:
    raise RuntimeError('addmm_sparse_dense: expected strided result tensor, got tensor with layout Sparse')
torch.sparse_coo_tensor(rows.unsqueeze(0), v[rows], [x.size(0), c.size(1)])"
        )
    )
    .grads(&[("mat1", texts::none!("hspmm")), ("mat2", texts::none!("hspmm"))])
    .alias(&["hsmm"])
    .function_only(),
];
