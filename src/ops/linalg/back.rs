//! The gradients of factors, and of what is solved with them.

use crate::ops::Gradients;

/// Of the factors `p`, `low` and `up`, whose gradients are `gl` and `gu`.
macro_rules! from_triangles {
    ($before:literal) => {
        concat!(
            $before,
            "m, n = low.shape[-2], up.shape[-1]
k = min(m, n)
l1, l2, u1, u2 = low[..., :k, :], low[..., k:, :], up[..., :k], up[..., k:]
g1, g2, h1, h2 = gl[..., :k, :], gl[..., k:, :], gu[..., :k], gu[..., k:]
inner = (l1.mH @ g1 - h2 @ u2.mH).tril(-1) + (h1 @ u1.mH - l2.mH @ g2).triu()
inner = torch.linalg.solve_triangular(u1.mH, inner, upper=False, left=False)
found = torch.linalg.solve_triangular(l1.mH, inner, upper=True, unitriangular=True)
if n > k:
    found = torch.cat((found, torch.linalg.solve_triangular(l1.mH, h2, upper=True, unitriangular=True)), -1)
if m > k:
    found = torch.cat((found, torch.linalg.solve_triangular(u1.mH, g2, upper=False, left=False)), -2)
p @ found"
        )
    };
}

/// Of `linalg.lu`.
pub(super) const LU: Gradients = &[("A", from_triangles!("p, low, up = results\ngl, gu = grads[1:]\n"))];

/// Of the compact form.
macro_rules! from_compact {
    () => {
        from_triangles!(
            "p, low, up = torch.lu_unpack(results[0], results[1])
k = low.shape[-1]
gl, gu = grads[0][..., :k].tril(-1), grads[0][..., :k, :].triu()
"
        )
    };
}

/// Of `linalg.lu_factor`.
pub(super) const LU_FACTOR: Gradients = &[("A", from_compact!())];
/// Of the method `lu`.
pub(super) const OLD_LU: Gradients = &[("self", from_compact!())];

/// Of `lu_unpack`.
pub(super) const LU_UNPACK: Gradients = &[(
    "LU_data",
    "low, up = grads[1].tril(-1), grads[2].triu()
m, n = LU_data.shape[-2:]
wide = torch.cat((low, low.new_zeros(*low.shape[:-1], n - low.shape[-1])), -1)
high = torch.cat((up, up.new_zeros(*up.shape[:-2], m - up.shape[-2], n)), -2)
wide + high",
)];

/// Of the compact form of a matrix that was solved with: of the matrix first, then of its triangles.
macro_rules! from_solution {
    ($before:literal) => {
        concat!(
            $before,
            "p, low, up = torch.lu_unpack(LU, pivots)
back = torch.linalg.lu_solve(LU, pivots, grad, left=left, adjoint=not adjoint)
if left:
    found = -(result @ back.mH) if adjoint else -(back @ result.mH)
else:
    found = -(back.mH @ result) if adjoint else -(result.mH @ back)
found = p.mT @ found
(found @ up.mH).tril(-1) + (low.mH @ found).triu()"
        )
    };
}

/// Of `linalg.lu_solve`.
pub(super) const LU_SOLVE: Gradients =
    &[("B", "torch.linalg.lu_solve(LU, pivots, grad, left=left, adjoint=not adjoint)"), ("LU", from_solution!(""))];

/// Of `lu_solve`.
pub(super) const OLD_LU_SOLVE: Gradients = &[
    ("self", "torch.linalg.lu_solve(LU_data, LU_pivots, grad, adjoint=True)"),
    ("LU_data", from_solution!("LU, pivots, left, adjoint = LU_data, LU_pivots, True, False\n")),
];

/// Of a Cholesky factor.
pub(super) const CHOLESKY: Gradients = &[(
    "self",
    "result, grad = (result.mH, grad.mH) if upper else (result, grad)
low = (result.mH @ grad).tril()
both = 0.5 * (low + low.tril(-1).mH)
torch.linalg.solve_triangular(result, torch.linalg.solve_triangular(result.mH, both, upper=True), upper=False, left=False)",
)];

/// Of `cholesky_solve`.
pub(super) const CHOLESKY_SOLVE: Gradients = &[
    ("self", "torch.cholesky_solve(grad, input2, upper)"),
    (
        "input2",
        "both = torch.cholesky_solve(grad, input2, upper) @ result.mH
both = both + both.mH
-(input2 @ both) if upper else -(both @ input2)",
    ),
];

/// Of `cholesky_inverse`.
pub(super) const CHOLESKY_INVERSE: Gradients = &[(
    "self",
    "both = result @ (grad + grad.mH) @ result
-(self @ both) if upper else -(both @ self)",
)];

/// Of what a matrix or a vector was solved for.
macro_rules! solved {
    ($end:literal) => {
        concat!(
            "vector = B.ndim == 1 or A.ndim - 1 == B.ndim and A.shape[:-1] == B.shape
back = grad.unsqueeze(-1) if vector else grad
if torch.is_grad_enabled():
    back = torch.linalg.solve(A.mT, back, left=left)
else:
    back = torch.linalg.lu_solve(*torch.linalg.lu_factor(A.conj()), back, left=left, adjoint=True)
",
            $end
        )
    };
}

/// Of `linalg.solve`.
pub(super) const SOLVE: Gradients = &[
    ("A", solved!("x = result.unsqueeze(-1) if vector else result\n-(back @ x.mT) if left else -(x.mT @ back)")),
    ("B", solved!("back.squeeze(-1) if vector else back")),
];

/// Of `linalg.lstsq`: of the solution that the pseudo-inverse gives, and of the sums of squares that are left.
pub(super) const LSTSQ: Gradients = &[
    (
        "b",
        "vector = b.ndim == 1
found = torch.linalg.pinv(self).mH @ (grads[0].unsqueeze(-1) if vector else grads[0])
if results[1].numel():
    right, x = (t.unsqueeze(-1) if vector else t for t in (b, results[0]))
    found = found + 2 * grads[1].unsqueeze(-2) * (right - self @ x)
found.squeeze(-1) if vector else found",
    ),
    (
        "self",
        "inverse = torch.linalg.pinv(self)
vector = b.ndim == 1
right, x, g = (t.unsqueeze(-1) if vector else t for t in (b, results[0], grads[0]))
back = g @ right.mH
whole = back.mH
found = -(inverse.mH @ back @ inverse.mH) + (whole - self @ (inverse @ whole)) @ inverse @ inverse.mH + inverse.mH @ inverse @ (whole - (whole @ inverse) @ self)
if results[1].numel():
    found = found + 2 * (self @ x - right) @ (grads[1].unsqueeze(-2) * x).mH
found",
    ),
];

/// Of `linalg.pinv`.
pub(super) const PINV: Gradients = &[(
    "self",
    "whole = grad.mH
-(result.mH @ grad @ result.mH) + (whole - self @ (result @ whole)) @ result @ result.mH + result.mH @ result @ (whole - (whole @ result) @ self)",
)];

/// Of a power whose factors are the matrix or, for a negative one, its inverse.
pub(super) const POWER: Gradients = &[(
    "self",
    "base = (torch.linalg.inv(self) if n < 0 else self).mT
last = abs(n) - 1
powers = [base.matrix_power(k) for k in range(last + 1)]
before = [grad if k == 0 else powers[k] @ grad for k in range(last + 1)]
found = sum((before[k] if k == last else before[k] @ powers[last - k] for k in range(last + 1)), self.new_zeros(self.shape))
-(base @ found @ base) if n < 0 else found",
)];

/// `scale` times the inverse of `A.mH`. Where it is not differentiated again it is solved for as PyTorch does, from a factorization of
/// the transpose of rows without gaps, which a singular matrix has too; `$mend` is what happens to the factors first.
macro_rules! scaled_inverse {
    ($before:literal, $scale:literal, $mend:literal) => {
        scaled_inverse!($before, $scale, $mend, "found = solved(A)")
    };
    ($before:literal, $scale:literal, $mend:literal, $again:literal) => {
        concat!(
            $before,
            "scale = ",
            $scale,
            "
solved = lambda A: torch.linalg.solve(A.mH, torch.diag_embed(scale.unsqueeze(-1).expand(A.shape[:-1])))
if torch.is_grad_enabled():
    ",
            $again,
            "
else:
    turned = A.is_contiguous() and not A.is_complex()
    LU, pivots, _ = torch.linalg.lu_factor_ex(A.mT if turned else A)
",
            $mend,
            "    found = torch.linalg.lu_solve(LU, pivots, torch.diag_embed(scale.unsqueeze(-1).expand(pivots.shape)), adjoint=not turned)
found"
        )
    };
}

/// Of a determinant. A singular matrix has one nearby that is none, and what is solved for is then multiplied by zero; to be differentiated
/// again, what stands in for it is made of the products of all singular values but one.
macro_rules! determinant {
    ($before:literal) => {
        scaled_inverse!(
            $before,
            "grad * result.conj()",
            "    LU = LU + torch.diag_embed(torch.where(LU.diagonal(0, -2, -1) == 0, torch.finfo(A.dtype).eps, 0.))\n",
            "flat = result.abs() < 100 * torch.finfo(A.dtype).eps
    if flat.any():
        mask = flat.unsqueeze(-1).unsqueeze(-1)
        U, S, Vh = torch.linalg.svd(A)
        others = torch.stack([torch.cat([S[..., :k], S[..., k + 1:]], -1).prod(-1) for k in range(S.shape[-1])], -1)
        turned = (torch.linalg.det(U) * torch.linalg.det(Vh)).conj() * grad
        found = (U * (turned.unsqueeze(-1) * others).unsqueeze(-2)) @ Vh
        if not flat.all():
            unit = torch.eye(A.shape[-1], dtype=A.dtype)
            found = torch.where(mask, found, solved(torch.where(mask, unit, A)))
    else:
        found = solved(A)"
        )
    };
}

/// Of the sign and the logarithm of a determinant.
macro_rules! log_determinant {
    ($before:literal) => {
        scaled_inverse!($before, "grads[1] - 1j * (grads[0].conj() * results[0]).imag if A.is_complex() else grads[1]", "")
    };
}

/// Of `linalg.det`.
pub(super) const DETERMINANT: Gradients = &[("A", determinant!(""))];
/// Of `det`.
pub(super) const OLD_DETERMINANT: Gradients = &[("self", determinant!("A = self\n"))];
/// Of `linalg.slogdet`.
pub(super) const LOG_DETERMINANT: Gradients = &[("A", log_determinant!(""))];
/// Of `slogdet`.
pub(super) const OLD_LOG_DETERMINANT: Gradients = &[("self", log_determinant!("A = self\n"))];
/// Of `logdet`, which does not change where a determinant is negative.
pub(super) const PLAIN_LOG_DETERMINANT: Gradients = &[(
    "self",
    scaled_inverse!("A = self\n", "grad if A.is_complex() else torch.where(torch.linalg.slogdet(A)[0] == -1, 0, grad)", ""),
)];

/// Of a condition number. Those by norms change their inverse after it was recorded, and PyTorch refuses that.
pub(super) const CONDITION: Gradients = &[(
    "self",
    "recorded = torch.is_grad_enabled()
if p not in (None, 2, -2, 'nuc'):
    raise RuntimeError(f'one of the variables needed for gradient computation has been modified by an inplace operation: [{self.type()} {list(self.shape)}], which is output 0 of LinalgInvEx, is at version 1; expected version 0 instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).')
with torch.enable_grad():
    self = self.clone() if recorded else self.detach().requires_grad_()
    values = torch.linalg.svdvals(self)
    ends = (values.sum(-1), 1 / values.reciprocal().sum(-1)) if p == 'nuc' else (values[..., 0], values[..., -1])
    again = ends[1] / ends[0] if p == -2 else ends[0] / ends[1]
torch.autograd.grad(again, self, grad, retain_graph=True, create_graph=recorded)[0]",
)];
