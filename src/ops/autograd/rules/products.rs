//! Products of matrices and what solves them.

use super::{Rule, of};

#[rustfmt::skip] // one rule a line
pub(super) const RULES: &[Rule] = &[
    of("mm", "self", "grad @ mat2.mT"),
    of("mm", "mat2", "self.mT @ grad"),
    of("bmm", "self", "grad @ mat2.mT"),
    of("bmm", "mat2", "self.mT @ grad"),
    of("mv", "self", "torch.outer(grad, vec)"),
    of("mv", "vec", "self.t() @ grad"),
    of("dot", "self", "grad * tensor"),
    of("dot", "tensor", "grad * self"),
    of("vdot", "self", "grad.conj() * other"),
    of("vdot", "other", "grad * self"),
    of("outer", "self", "grad @ vec2"),
    of("outer", "vec2", "grad.t() @ self"),
    of("matmul", "self", MATMUL_LEFT),
    of("matmul", "other", MATMUL_RIGHT),
    of("addmm", "self", "grad * beta"),
    of("addmm", "mat1", "grad @ mat2.mT * alpha"),
    of("addmm", "mat2", "mat1.mT @ grad * alpha"),
    of("addmv", "self", "grad * beta"),
    of("addmv", "mat", "torch.outer(grad, vec) * alpha"),
    of("addmv", "vec", "mat.t() @ grad * alpha"),
    of("baddbmm", "self", "grad * beta"),
    of("baddbmm", "batch1", "grad @ batch2.mT * alpha"),
    of("baddbmm", "batch2", "batch1.mT @ grad * alpha"),
    of("addr", "self", "grad * beta"),
    of("addr", "vec1", "grad @ vec2 * alpha"),
    of("addr", "vec2", "grad.t() @ vec1 * alpha"),
    of("nn.functional.linear", "input", "grad @ weight"),
    of("nn.functional.linear", "weight", "grad.reshape(-1, grad.shape[-1]).t() @ input.reshape(-1, input.shape[-1]) if weight.ndim == 2 else (grad.unsqueeze(-1) * input)"),
    of("nn.functional.linear", "bias", "grad"),
    of("einsum", "operands", EINSUM),
    of("linalg.inv", "A", "-(result.mT @ grad @ result.mT)"),
    of("inverse", "self", "-(result.mT @ grad @ result.mT)"),
    of("det", "self", "(grad * result).unsqueeze(-1).unsqueeze(-1) * torch.linalg.inv(self).mT"),
    of("linalg.det", "A", "(grad * result).unsqueeze(-1).unsqueeze(-1) * torch.linalg.inv(A).mT"),
    of("logdet", "self", "grad.unsqueeze(-1).unsqueeze(-1) * torch.linalg.inv(self).mT"),
    of("slogdet", "self", "grads[1].unsqueeze(-1).unsqueeze(-1) * torch.linalg.inv(self).mT"),
    of("linalg.slogdet", "A", "grads[1].unsqueeze(-1).unsqueeze(-1) * torch.linalg.inv(A).mT"),
    of("linalg.solve", "B", "torch.linalg.solve(A.mT, grad)"),
    of("linalg.solve", "A", "back = torch.linalg.solve(A.mT, grad)\n-torch.outer(back, result) if back.ndim == 1 else -(back @ result.mT)"),
    of("linalg.cholesky", "self", CHOLESKY),
    of("linalg.cholesky_ex", "self", CHOLESKY),
    of("linalg.eigh", "self", EIGH),
    of("linalg.eigvalsh", "self", "vectors = torch.linalg.eigh(self).eigenvectors\n(vectors * grad.unsqueeze(-2)) @ vectors.mH"),
    of("linalg.svdvals", "A", "u, s, vh = torch.linalg.svd(A, full_matrices=False)\n(u * grad.unsqueeze(-2)) @ vh"),
    of("tensordot", "a", again!("a", "(a.permute(rest_a + left).reshape(-1, count) @ b.permute(right + rest_b).reshape(count, -1)).reshape(result.shape)", "n = dims if isinstance(dims, int) else len(dims[0])\nleft = list(range(a.ndim - n, a.ndim)) if isinstance(dims, int) else [d % a.ndim for d in dims[0]]\nright = list(range(n)) if isinstance(dims, int) else [d % b.ndim for d in dims[1]]\nrest_a = [d for d in range(a.ndim) if d not in left]\nrest_b = [d for d in range(b.ndim) if d not in right]\ncount = math.prod([a.shape[d] for d in left])\n")),
    of("tensordot", "b", again!("b", "(a.permute(rest_a + left).reshape(-1, count) @ b.permute(right + rest_b).reshape(count, -1)).reshape(result.shape)", "n = dims if isinstance(dims, int) else len(dims[0])\nleft = list(range(a.ndim - n, a.ndim)) if isinstance(dims, int) else [d % a.ndim for d in dims[0]]\nright = list(range(n)) if isinstance(dims, int) else [d % b.ndim for d in dims[1]]\nrest_a = [d for d in range(a.ndim) if d not in left]\nrest_b = [d for d in range(b.ndim) if d not in right]\ncount = math.prod([a.shape[d] for d in left])\n")),
    of("cross", "self", "torch.cross(other, grad, dim=dim)"),
    of("cross", "other", "torch.cross(grad, self, dim=dim)"),
    of("kron", "self", again!("self", "(self.reshape([k for d in one for k in (d, 1)]) * other.reshape([k for d in two for k in (1, d)])).reshape(result.shape)", "n = max(self.ndim, other.ndim)\none = [1] * (n - self.ndim) + list(self.shape)\ntwo = [1] * (n - other.ndim) + list(other.shape)\n")),
    of("kron", "other", again!("other", "(self.reshape([k for d in one for k in (d, 1)]) * other.reshape([k for d in two for k in (1, d)])).reshape(result.shape)", "n = max(self.ndim, other.ndim)\none = [1] * (n - self.ndim) + list(self.shape)\ntwo = [1] * (n - other.ndim) + list(other.shape)\n")),
    of("inner", "self", again!("self", "(self.reshape(-1, self.shape[-1]) @ other.reshape(-1, other.shape[-1]).t()).reshape(result.shape) if self.ndim and other.ndim else self * other", "")),
    of("inner", "other", again!("other", "(self.reshape(-1, self.shape[-1]) @ other.reshape(-1, other.shape[-1]).t()).reshape(result.shape) if self.ndim and other.ndim else self * other", "")),
    of("linalg.svd", "A", SVD),
    of("linalg.qr", "A", QR),
    of("linalg.cross", "self", "torch.linalg.cross(other, grad, dim=dim)"),
    of("linalg.cross", "other", "torch.linalg.cross(grad, self, dim=dim)"),
    of("matrix_power", "self", "sum((self.mT.matrix_power(k) @ grad @ self.mT.matrix_power(n - 1 - k) for k in range(n)), self.new_zeros(self.shape))"),
];

const MATMUL_LEFT: &str = "if self.ndim == 1 and other.ndim == 1:
    found = grad * other
elif other.ndim == 1:
    found = grad.unsqueeze(-1) * other
elif self.ndim == 1:
    found = (other @ grad.unsqueeze(-1)).squeeze(-1)
else:
    found = grad @ other.mT
found";

const MATMUL_RIGHT: &str = "if self.ndim == 1 and other.ndim == 1:
    found = grad * self
elif other.ndim == 1:
    found = self.reshape(-1, self.shape[-1]).t() @ grad.reshape(-1)
elif self.ndim == 1:
    found = self.unsqueeze(-1) * grad.unsqueeze(-2)
elif other.ndim == 2:
    found = self.reshape(-1, self.shape[-1]).t() @ grad.reshape(-1, grad.shape[-1])
else:
    found = self.mT @ grad
found";

/// Each operand from the result and the others; what only it names was summed, and is the same everywhere.
const EINSUM: &str = "terms, arrow, out = equation.replace(' ', '').partition('->')
terms = terms.split(',')
free = [c for c in 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' if c not in equation]
dots = max([t.ndim - len(term) + 3 for t, term in zip(operands, terms) if '...' in term] + [0])
spread = ''.join(free[:dots])
if not arrow:
    letters = ''.join(terms).replace('...', '')
    out = ('...' if '...' in equation else '') + ''.join(sorted(c for c in set(letters) if letters.count(c) == 1))
terms = [term.replace('...', spread[dots - (t.ndim - len(term) + 3):]) if '...' in term else term for t, term in zip(operands, terms)]
out = out.replace('...', spread)
found = []
for k, (own, term) in enumerate(zip(operands, terms)):
    if len(set(term)) < len(term):
        raise NotImplementedError('tsr does not have the gradient of a diagonal in einsum yet')
    others = [(t, name) for j, (t, name) in enumerate(zip(operands, terms)) if j != k]
    known = out + ''.join(name for _, name in others)
    kept = ''.join(c for c in term if c in known)
    part = torch.einsum(','.join([out] + [name for _, name in others]) + '->' + kept, [grad] + [t for t, _ in others])
    sizes = dict(zip(term, own.shape))
    for place, c in enumerate(term):
        if c not in kept:
            part = part.unsqueeze(place).expand([sizes[d] if d == c else n for d, n in zip(term[:place + 1], part.unsqueeze(place).shape[:place + 1])] + list(part.shape[place:]))
    found.append(part)
found";

const CHOLESKY: &str = "result, grad = (result.mH, grad.mH) if upper else (result, grad)
low = result.mH @ grad
low = low.tril() - 0.5 * torch.diag_embed(low.diagonal(0, -2, -1))
inv = torch.linalg.inv(result)
found = inv.mH @ low @ inv
(found + found.mH) / 2";

/// Of the reduced form; where the vectors have no gradient, only that of the values counts.
const SVD: &str = "u, s, vh = results
k = s.shape[-1]
u, vh, gu, gs, gv = u[..., :k], vh[..., :k, :], grads[0][..., :k], grads[1], grads[2][..., :k, :]
found = (u * gs.unsqueeze(-2)) @ vh
if (gu != 0).any() or (gv != 0).any():
    one = torch.eye(k, dtype=s.dtype)
    squares = s * s
    gap = (squares.unsqueeze(-2) - squares.unsqueeze(-1)).masked_fill(one.bool(), float('inf'))
    left = u.mT @ gu
    right = vh @ gv.mT
    inner = ((left - left.mT) / gap) * s.unsqueeze(-2) + s.unsqueeze(-1) * ((right - right.mT) / gap)
    found = found + u @ inner @ vh
    found = found + ((gu - u @ left) / s.unsqueeze(-2)) @ vh
    found = found + (u / s.unsqueeze(-2)) @ (gv - right.mT @ vh)
found";

/// Of a matrix that is no wider than high, or of the square part of one that is.
const QR: &str = "if mode != 'reduced' and A.shape[-2] != A.shape[-1] or A.shape[-2] < A.shape[-1]:
    raise NotImplementedError('tsr has the gradient of qr for reduced forms of matrices that are no wider than high only')
q, r = results
inner = r @ grads[1].mT - grads[0].mT @ q
inner = inner.tril() + inner.tril(-1).mT
torch.linalg.solve_triangular(r, (grads[0] + q @ inner).mT, upper=True).mT";

const EIGH: &str = "values, vectors = results
inner = vectors.mH @ grads[1]
gap = values.unsqueeze(-2) - values.unsqueeze(-1)
gap = gap.masked_fill(torch.eye(values.shape[-1], dtype=torch.bool), float('inf'))
vectors @ (inner / gap + torch.diag_embed(grads[0])) @ vectors.mH";
