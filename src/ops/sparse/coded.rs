//! What operations do with coordinate tensors, written in the language over their coordinates and values.

use crate::tensor::SparseKind;

/// An operation on coordinate tensors: its names, what its text reads, the text.
pub(super) struct Coded {
    names: &'static [&'static str],
    /// Parameters by name; what a row does not have is None.
    pub params: &'static [&'static str],
    /// The operation in the language.
    pub text: &'static str,
}

/// What the operation is for sparse tensors of a kind; none when it has no such form.
pub(super) fn find(name: &str, kind: SparseKind) -> Option<&'static Coded> {
    let table = if kind == SparseKind::Coo { CODED } else { COMPRESSED };
    table.iter().find(|coded| coded.names.contains(&name))
}

const fn coded(names: &'static [&'static str], params: &'static [&'static str], text: &'static str) -> Coded {
    Coded { names, params, text }
}

/// A property of matrices, with what PyTorch says of vectors; a single number stays as it is.
macro_rules! turned {
    ($property:literal, $text:literal) => {
        concat!(
            "if self.dim() == 1:\n    raise RuntimeError('tensor.",
            $property,
            " is only supported on matrices or batches of matrices. Got 1-D tensor.')\nself if self.dim() == 0 else ",
            $text
        )
    };
}

const CODED: &[Coded] = &[
    coded(&["unsqueeze"], &["self", "dim"], UNSQUEEZE),
    coded(&["select"], &["self", "dim", "index"], SELECT),
    coded(&["index_select"], &["self", "dim", "index"], INDEX_SELECT),
    coded(&["cat", "concat", "concatenate"], &["tensors", "dim"], CAT),
    coded(&["stack"], &["tensors", "dim"], STACK),
    coded(&["unbind"], &["self", "dim"], "tuple([self.select(dim, i) for i in range(self.size(dim))])"),
    coded(&["sum"], &["self", "dim", "keepdim", "dtype"], SUM),
    coded(&["add"], &["self", "other", "alpha"], MERGE),
    coded(&["sub", "subtract"], &["self", "other", "alpha"], SUBTRACT),
    coded(&["mul", "multiply"], &["self", "other"], INTERSECT),
    coded(&["norm"], &["self", "p", "dim", "dtype"], NORM),
    coded(&["any"], &["self", "dim"], ANY),
    coded(&["zeros_like", "empty_like"], &["self", "dtype"], ZEROS),
    coded(&["conj", "conj_physical"], &["self"], CONJ),
    coded(&["real"], &["self"], REAL),
    coded(&["imag"], &["self"], IMAG),
    coded(&["positive", "resolve_conj", "resolve_neg"], &["self"], "self"),
    coded(&["atleast_1d"], &["self"], "self if self.dim() > 0 else self.unsqueeze(0)"),
    coded(&["atleast_2d"], &["self"], "self if self.dim() > 1 else torch.atleast_1d(self).unsqueeze(0)"),
    coded(&["atleast_3d"], &["self"], "self if self.dim() > 2 else torch.atleast_2d(self).unsqueeze(-1)"),
    coded(&["float_power"], &["self", "exponent"], FLOAT_POWER),
    coded(&["tensor"], &["data"], "data.clone()"),
    coded(&["mT"], &["self"], turned!("mT", "self.transpose(-2, -1)")),
    coded(&["mH"], &["self"], turned!("mH", "self.transpose(-2, -1).conj()")),
    coded(&["adjoint"], &["self"], turned!("adjoint()", "self.transpose(-2, -1).conj()")),
    coded(&["H"], &["self"], HERMITIAN),
    coded(&["hstack", "column_stack"], &["tensors"], "torch.cat([t for t in tensors], 0 if tensors[0].dim() == 1 else 1)"),
    coded(&["vstack"], &["tensors"], "torch.cat([t.unsqueeze(0) if t.dim() == 1 else t for t in tensors], 0)"),
    coded(&["dstack"], &["tensors"], "torch.cat([t.unsqueeze(-1) if t.dim() == 2 else t for t in tensors], 2)"),
    coded(&["linalg.matrix_norm"], &["self", "ord", "dim", "keepdim", "dtype"], MATRIX_NORM),
    coded(&["linalg.norm"], &["self", "ord", "dim", "keepdim", "dtype"], NAMED_NORM),
    coded(&["linalg.vector_norm"], &["self", "ord", "dim", "keepdim", "dtype"], VECTOR_NORM),
    coded(&["linalg.vecdot"], &["x", "y", "dim"], "(x.conj() * y).sum(dim)"),
    coded(&["nn.functional.linear"], &["input", "weight", "bias"], LINEAR),
    coded(&["reshape"], &[], "raise RuntimeError('reshape is not implemented for sparse tensors')"),
    coded(&["flatten"], &["self"], FLATTEN),
    coded(&["narrow_copy"], &["self", "dim", "start", "length"], NARROW_COPY),
    coded(&["contiguous"], &[], "raise RuntimeError('unsupported memory format option Contiguous')"),
    coded(&["expand", "repeat", "broadcast_to"], &[], "raise RuntimeError('expand is unsupported for Sparse tensors')"),
    coded(&["tolist"], &[], "raise RuntimeError(\"Cannot access data pointer of Tensor that doesn't have storage\")"),
];

const HERMITIAN: &str = "if self.dim() not in (0, 2):
    hint = ' For batches of matrices, consider using tensor.mH' if self.dim() > 2 else ''
    raise RuntimeError(f'tensor.H is only supported on matrices (2-D tensors). Got {self.dim()}-D tensor.{hint}')
self if self.dim() == 0 else self.transpose(-2, -1).conj()";

/// What operations do with compressed rows and columns.
const COMPRESSED: &[Coded] = &[
    coded(&["select"], &["self", "dim", "index"], "self.to_sparse_coo().select(dim, index)"),
    coded(&["unbind"], &["self", "dim"], "self.to_sparse_coo().unbind(dim)"),
    coded(&["add"], &["self", "other", "alpha"], COMPRESSED_ADD),
    coded(&["atleast_1d", "atleast_2d"], &["self"], "self"),
    coded(&["tensor"], &["data"], "data.clone()"),
    coded(&["mT", "H", "adjoint", "mH"], &["self"], "self.transpose(-2, -1)"),
    coded(&["nn.functional.linear"], &["input", "weight", "bias"], LINEAR),
    coded(&["sum"], &["self", "dim", "keepdim", "dtype"], COMPRESSED_SUM),
    coded(&["tolist"], &[], "raise RuntimeError(\"Cannot access data pointer of Tensor that doesn't have storage\")"),
];

/// What is kept of either is kept, were the sum zero.
const COMPRESSED_ADD: &str = "if self.dtype not in (torch.float32, torch.float64, torch.complex64, torch.complex128):
    raise NotImplementedError(f'\"add_out_sparse_csr_impl_mkl\" not implemented for \\'{self.values().type()[6:-6]}\\'')
torch.sparse._laid(torch.add(self.to_sparse_coo(), other.to_sparse_coo(), alpha=1 if alpha is None else alpha), self)";

const COMPRESSED_SUM: &str = "if dim is not None and self.layout != torch.sparse_csr:
    raise RuntimeError(f'Currently the only compressed sparse format supported for sum.dim_IntList is CSR, but got layout {torch.sparse._title(self)}')
if dim is not None and self.dtype == torch.bool:
    raise NotImplementedError('\"_sparse_csr_sum_cpu\" not implemented for \\'Bool\\'')
if dim is not None and len(dim) > 0 and not keepdim:
    raise RuntimeError('reduction operations on CSR tensors with keepdim=False is unsupported')
kind = self.layout
self.values().sum(dtype=dtype) if dim is None or len(dim) == 0 else self.to_sparse_coo().sum(dim, keepdim=True, dtype=dtype).to_sparse(layout=kind)";

const NORM: &str = "if dim is not None and len(dim if isinstance(dim, (tuple, list)) else [dim]) != self.dim():
    raise RuntimeError(\"norm_sparse currently only supports full reductions, so 'dim' must either be empty or contain all dimensions of the input\")
v = self.coalesce()._values()
if dtype is None and not v.is_floating_point() and not v.is_complex():
    raise NotImplementedError(f'norm(): input dtype should be either floating point or complex. Got {v.type()[6:-6]} instead.')
v.norm(p, dtype=dtype)";

const ANY: &str = "if dim is not None:
    torch.sparse._lacks('any.dim', 'SparseCPU')
self._values().any()";

/// Those of matrices are asked for by name, or by a number where no dimension is; all others need all dimensions.
macro_rules! norm_of {
    ($of_matrix:literal) => {
        concat!("of_matrix = ", $of_matrix, "
whole = dim is None or len(dim if isinstance(dim, (tuple, list)) else [dim]) == self.dim()
if of_matrix and ord not in ('fro', 'nuc', 2, -2, 1, -1, math.inf, -math.inf):
    raise RuntimeError(f'linalg.matrix_norm: Order {ord} not supported.')
if of_matrix and (ord == 'nuc' or ord == 2 or ord == -2):
    torch.sparse._lacks('_linalg_svd', 'SparseCPU')
if not whole or of_matrix and ord != 'fro':
    raise RuntimeError(\"norm_sparse currently only supports full reductions, so 'dim' must either be empty or contain all dimensions of the input\")
if keepdim:
    raise RuntimeError('norm_sparse currently does not support keepdim=True')
if dtype is not None:
    raise RuntimeError(\"norm_sparse currently does not support 'dtype' argument\")
torch.norm(self, 2 if ord is None or ord == 'fro' else ord)")
    };
}

const MATRIX_NORM: &str = concat!(
    "if not self.is_floating_point() and not self.is_complex():
    raise NotImplementedError(f'linalg.matrix_norm: Expected a floating point or complex tensor as input. Got {self._values().type()[6:-6]}')
",
    norm_of!("True")
);
const NAMED_NORM: &str = norm_of!("ord is not None and dim is None and self.dim() == 2");
const VECTOR_NORM: &str = norm_of!("False");

const LINEAR: &str = "y = input @ weight.t()
y if bias is None else torch.add(bias, y)";

/// A product with a dense tensor keeps the coordinates as they are.
pub(super) const WEIGH: &str = "i, v = self._indices(), self._values()
w = other.expand(self.shape)[tuple(i)]
torch.sparse_coo_tensor(i, v * w, list(self.shape), is_coalesced=self.is_coalesced())";

/// What is said of a dense tensor that does not fit.
pub(super) const MISFIT: &str = "other * self.to_dense()";

/// A product with a dense tensor of the same size keeps the places as they are.
pub(super) const WEIGH_COMPRESSED: &str = "if self.layout != torch.sparse_csr:
    raise RuntimeError('Expected result Tensor to be of format CSR')
w = other.sparse_mask(self)
torch.sparse_csr_tensor(self.crow_indices(), self.col_indices(), self.values() * w.values(), list(self.shape))";

/// A tensor of the same size that keeps nothing.
pub(super) const ZEROS: &str = "k = self.sparse_dim()
kind = self.dtype if dtype is None else dtype
i = torch.empty(k, 0, dtype=torch.int64)
torch.sparse._laid(torch.sparse_coo_tensor(i, torch.empty([0, *self.shape[k:]], dtype=kind), list(self.shape), is_coalesced=True), self)";

const CONJ: &str = "i, v = self._indices(), self._values()
torch.sparse_coo_tensor(i, v.conj(), list(self.shape), is_coalesced=self.is_coalesced()) if self.is_complex() else self";

/// A part of the values, where they have parts.
macro_rules! part_of {
    ($begin:literal, $part:literal) => {
        concat!(
            $begin,
            "i, v = self._indices(), self._values()
torch.sparse_coo_tensor(i, v.",
            $part,
            ", list(self.shape), is_coalesced=self.is_coalesced()) if self.is_complex() else self"
        )
    };
}

const REAL: &str = part_of!("", "real");
const IMAG: &str = part_of!(
    "if not self.is_complex():
    raise TypeError('imag is not implemented for tensors with non-complex dtypes.')
",
    "imag"
);

const FLOAT_POWER: &str = "if isinstance(exponent, torch.Tensor):
    torch.sparse._lacks('pow.Tensor_Tensor', 'SparseCPU')
self.to(torch.complex128 if self.is_complex() else torch.float64).pow(exponent)";

const SUBTRACT: &str = "if self.dtype == torch.bool and other.dtype == torch.bool:
    raise NotImplementedError('Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.')
if self.dtype == torch.bool or other.dtype == torch.bool:
    raise NotImplementedError('Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.')
torch.add(self, other, alpha=-1 if alpha is None else -alpha)";

/// Both lists of coordinates are walked side by side, as if they were in order.
const MERGE: &str = "if self.dtype == torch.bool and other.dtype == torch.bool:
    raise NotImplementedError('\"cadd_sparse\" not implemented for \\'Bool\\'')
if self.shape != other.shape:
    raise RuntimeError(f\"add: expected sizes of 'self' and 'other' to match, but {list(self.shape)} != {list(other.shape)}\")
a, b = self._indices().t().tolist(), other._indices().t().tolist()
merged, of_a, of_b = [], [], []
while len(of_a) < len(a) or len(of_b) < len(b):
    p, q = len(of_a), len(of_b)
    takes_a = p < len(a) and (q == len(b) or a[p] <= b[q])
    takes_b = q < len(b) and (p == len(a) or b[q] <= a[p])
    if takes_a:
        of_a.append(len(merged))
    if takes_b:
        of_b.append(len(merged))
    merged.append(a[p] if takes_a else b[q])
v, w = self._values(), other._values()
kind = torch.promote_types(v.dtype, w.dtype)
y = torch.zeros([len(merged), *v.shape[1:]], dtype=kind)
y = y.index_add(0, torch.tensor(of_a, dtype=torch.int64), v.to(kind))
y = y.index_add(0, torch.tensor(of_b, dtype=torch.int64), w.to(kind), alpha=1 if alpha is None else alpha)
i = torch.tensor(merged, dtype=torch.int64).view(len(merged), self.sparse_dim()).t()
torch.sparse_coo_tensor(i, y, list(self.shape), is_coalesced=self.is_coalesced() and other.is_coalesced())";

/// The coordinates of one tensor that is perhaps not ordered are looked up among the ordered ones of the other.
const INTERSECT: &str = "k = self.sparse_dim()
if (self.dim(), k, self.shape[:k]) != (other.dim(), other.sparse_dim(), other.shape[:k]):
    raise RuntimeError('sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, number of sparse dimensions, and shape of sparse dimensions')
if self.is_coalesced() and not other.is_coalesced():
    source, probed = other, self
else:
    source, probed = self, other.coalesce()
places = {}
for p, place in enumerate(probed._indices().t().tolist()):
    places[tuple(place)] = p
found = [(p, places[tuple(q)]) for p, q in enumerate(source._indices().t().tolist()) if tuple(q) in places]
ours = torch.tensor([p for p, q in found], dtype=torch.int64)
theirs = torch.tensor([q for p, q in found], dtype=torch.int64)
v = source._values().index_select(0, ours) * probed._values().index_select(0, theirs)
torch.sparse_coo_tensor(source._indices().index_select(1, ours), v, [*self.shape[:k], *v.shape[1:]], is_coalesced=source.is_coalesced())";

const UNSQUEEZE: &str = "n, k = self.dim(), self.sparse_dim()
if not -n - 1 <= dim <= n:
    raise IndexError(f'Dimension out of range (expected to be in range of [{-n - 1}, {n}], but got {dim})')
d = dim % (n + 1)
i, v = self._indices(), self._values()
if d <= k:
    i = torch.cat([i[:d], i.new_zeros(1, i.size(1)), i[d:]])
else:
    v = v.unsqueeze(d - k + 1)
torch.sparse_coo_tensor(i, v, [*self.shape[:d], 1, *self.shape[d:]], is_coalesced=False)";

const SELECT: &str = "n, k = self.dim(), self.sparse_dim()
if not -n <= dim < n:
    raise IndexError(f'Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})')
d, size = dim % n, self.size(dim)
if not -size <= index < size:
    raise IndexError(f'select(): index {index} out of range for tensor of size {list(self.shape)} at dimension {d}')
i, v = self._indices(), self._values()
if d >= k:
    v = v.select(d - k + 1, index)
else:
    kept = (i[d] == index % size).nonzero().view(-1)
    i, v = torch.cat([i[:d], i[d + 1:]]).index_select(1, kept), v.index_select(0, kept)
if i.size(0) == 0:
    y = v.sum(0, dtype=v.dtype)
else:
    y = torch.sparse_coo_tensor(i, v, [*self.shape[:d], *self.shape[d + 1:]], is_coalesced=self.is_coalesced())
y";

const INDEX_SELECT: &str = "n, k = self.dim(), self.sparse_dim()
if not -n <= dim < n:
    raise IndexError(f'Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})')
if index.dim() != 1:
    raise IndexError('index_select() argument index must be 1-D long-tensor.')
d, size = dim % n, self.size(dim)
for j in index.tolist():
    if not -size <= j < size:
        raise IndexError(f'index_select(): index contains {j} that is out of range for tensor of size {list(self.shape)} at dimension {d}')
i, v = self._indices(), self._values()
shape = [*self.shape[:d], len(index), *self.shape[d + 1:]]
if d >= k:
    v = v.index_select(d - k + 1, index % size)
elif len(index) == 0:
    i, v = i[:, :0], v[:0]
else:
    found = [(i[d] == j % size).nonzero().view(-1) for j in index.tolist()]
    kept = torch.cat(found)
    placed = torch.cat([torch.full_like(f, p) for p, f in enumerate(found)])
    i, v = i.index_select(1, kept), v.index_select(0, kept)
    i = torch.cat([i[:d], placed.unsqueeze(0), i[d + 1:]])
torch.sparse_coo_tensor(i, v, shape, is_coalesced=False)";

const CAT: &str = "for p, t in enumerate(tensors):
    if not t.is_sparse:
        raise RuntimeError(f'Concatenating sparse tensors, but a dense tensor was found at position {p}.')
first = tensors[0]
n, k = first.dim(), first.sparse_dim()
if not -n <= dim < n:
    raise IndexError(f'Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})')
d, shape = dim % n, list(first.shape)
for p, t in enumerate(tensors):
    if [*t.shape[:d], *t.shape[d + 1:]] != [*shape[:d], *shape[d + 1:]]:
        raise RuntimeError(f'All tensors must have the same shape: {shape} (except in the concatenating dimension), but found shape: {list(t.shape)} at position {p}.')
    if (t.sparse_dim(), t.dense_dim()) != (k, n - k):
        raise RuntimeError(f'All tensors must have the same sparse_dim and dense_dim: {k}, {n - k}, but tensor at position {p} has {t.sparse_dim()}, {t.dense_dim()}.')
shape[d] = sum([t.size(d) for t in tensors])
coordinates, values, offset = [], [], 0
for t in tensors:
    i, v = t._indices(), t._values()
    if d < k:
        i = torch.cat([i[:d], i[d:d + 1] + offset, i[d + 1:]])
    else:
        before, behind = list(v.shape), list(v.shape)
        before[d - k + 1], behind[d - k + 1] = offset, shape[d] - offset - t.size(d)
        v = torch.cat([v.new_zeros(before), v, v.new_zeros(behind)], d - k + 1)
    coordinates.append(i)
    values.append(v)
    offset += t.size(d)
torch.sparse_coo_tensor(torch.cat(coordinates, 1), torch.cat(values), shape, is_coalesced=False)";

/// What has one dimension is flat.
const FLATTEN: &str = "if self.dim() != 1:
    raise RuntimeError('reshape is not implemented for sparse tensors')
self";

const NARROW_COPY: &str = "n, k = self.dim(), self.sparse_dim()
if not 0 <= dim < n:
    raise RuntimeError(f'Dimension {dim} out of range. Expecting 0 <= dim < {n}.')
if not 0 <= start <= start + length <= self.size(dim):
    raise RuntimeError(f'Invalid range to narrow. range(start, start+length) must be a subset of range(0, {self.size(dim)}).')
i, v = self._indices(), self._values()
if dim < k:
    kept = ((i[dim] >= start) & (i[dim] < start + length)).nonzero().view(-1)
    i, v = i.index_select(1, kept), v.index_select(0, kept)
    i[dim] -= start
else:
    v = v.narrow(dim - k + 1, start, length)
torch.sparse_coo_tensor(i, v, [*self.shape[:dim], length, *self.shape[dim + 1:]])";

const STACK: &str = "for p, t in enumerate(tensors):
    if t.shape != tensors[0].shape:
        raise RuntimeError(f'stack expects each tensor to be equal size, but got {list(tensors[0].shape)} at entry 0 and {list(t.shape)} at entry {p}')
torch.cat([t.unsqueeze(dim) for t in tensors], dim)";

const SUM: &str = "n, k = self.dim(), self.sparse_dim()
i, v = self._indices(), self._values()
if dtype is not None:
    v = v.to(dtype)
elif dim is not None and not v.is_floating_point() and not v.is_complex():
    v = v.long()
if dim is None:
    y = v.sum()
else:
    for d in dim:
        if not -n <= d < n:
            raise IndexError(f'Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {d})')
    gone = sorted([d % n for d in dim])
    within = [d - k + 1 for d in gone if d >= k]
    if len(within) > 0:
        v = v.sum(within)
    rows = [d for d in range(k) if d not in gone]
    shape = [self.size(d) for d in range(n) if d not in gone]
    if len(rows) == 0:
        y = v.sum(0)
    elif self.is_coalesced() and len(rows) == k:
        y = torch.sparse_coo_tensor(i, v, shape, is_coalesced=True)
    else:
        y = torch.sparse_coo_tensor(i[rows], v, shape).coalesce()
    if keepdim:
        for d in gone:
            y = y.unsqueeze(d)
y";
