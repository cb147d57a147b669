//! The gradients of eigenvalues, singular values, orthogonal factors and reflections.

use crate::ops::Gradients;

/// What is said of vectors that a loss looks at beyond what they are determined to.
macro_rules! undetermined {
    ($indent:literal, "svd", $vectors:literal) => {
        undetermined!($indent, "svd", $vectors, "phase term, making it ill-defined")
    };
    ($indent:literal, $what:literal, $vectors:literal) => {
        undetermined!($indent, $what, $vectors, "quantity, so it is ill-defined")
    };
    ($indent:literal, $what:literal, $vectors:literal, $why:literal) => {
        concat!(
            $indent,
            "raise RuntimeError('",
            $what,
            "_backward: The ",
            $vectors,
            " in the complex case are specified up to multiplication by e^{i phi}. The specified loss function depends on this ",
            $why,
            ".')\n"
        )
    };
}

/// Of `linalg.polar`, by the steps that a matrix of full rank can be taken apart in.
pub(super) const POLAR: Gradients = &[(
    "A",
    "recorded = torch.is_grad_enabled()
with torch.enable_grad():
    A = A.clone() if recorded else A.detach().requires_grad_()
    root = torch.linalg.matrix_sqrth(A.mH @ A)
    again = [A @ torch.linalg.inv(root), root]
torch.autograd.grad(again, A, grads, retain_graph=True, create_graph=recorded)[0]",
)];

/// Of `linalg.eigh`.
pub(super) const EIGH: Gradients = &[(
    "self",
    concat!(
        "values, vectors = results
turn = vectors.mH @ grads[1]
along = turn.diagonal(0, -2, -1)
if turn.is_complex() and not torch.allclose(along.imag, torch.zeros_like(along.imag), 1e-2, 1e-2):\n",
        undetermined!("    ", "linalg_eigh", "eigenvectors"),
        "turn = (turn - turn.mH) / 2
gap = values.unsqueeze(-2) - values.unsqueeze(-1)
gap = gap.masked_fill(torch.eye(values.shape[-1], dtype=torch.bool), float('inf'))
vectors @ (turn / gap + torch.diag_embed(grads[0])) @ vectors.mH"
    ),
)];

/// Of `linalg.eigvalsh`.
pub(super) const EIGVALSH: Gradients =
    &[("self", "vectors = torch.linalg.eigh(self, UPLO).eigenvectors\n(vectors * grad.unsqueeze(-2)) @ vectors.mH")];

/// Of `linalg.eig`.
pub(super) const EIG: Gradients = &[(
    "self",
    concat!(
        "values, vectors = results
turn = vectors.mH @ grads[1]
along = turn.diagonal(0, -2, -1)
if not torch.allclose(along.imag, torch.zeros_like(along.imag), 1e-2, 1e-2):\n",
        undetermined!("    ", "linalg_eig", "eigenvectors"),
        "turn = turn - vectors.mH @ (vectors * along.real.unsqueeze(-2))
gap = (values.unsqueeze(-2) - values.unsqueeze(-1)).conj()
same = torch.eye(values.shape[-1], dtype=torch.bool)
turn = torch.where(same, torch.diag_embed(grads[0]), turn / gap.masked_fill(same, 1))
torch.linalg.solve(vectors.mH, turn @ vectors.mH)"
    ),
)];

/// Of `linalg.eigvals`.
pub(super) const EIGVALS: Gradients = &[(
    "self",
    "vectors = torch.linalg.eig(self).eigenvectors
torch.linalg.solve(vectors.mH, grad.unsqueeze(-1) * vectors.mH)",
)];

/// Of singular values and vectors `u`, `s` and `vh`, whose gradients are the first two and `gv`.
macro_rules! from_singular {
    ($before:literal) => {
        concat!(
            $before,
            "k = s.shape[-1]
u, vh, gu, gs, gv = u[..., :k], vh[..., :k, :], grads[0][..., :k], grads[1], gv[..., :k, :]
found = (u * gs.unsqueeze(-2)) @ vh
if (gu != 0).any() or (gv != 0).any():
    left, right = u.mH @ gu, vh @ gv.mH
    left, right = left - left.mH, right - right.mH
    phase = (left + right).diagonal(0, -2, -1)
    if u.is_complex() and not torch.allclose(phase.imag, torch.zeros_like(phase.imag), 1e-2, 1e-2):\n",
            undetermined!("        ", "svd", "singular vectors"),
            "    same = torch.eye(k, dtype=torch.bool)
    squares = s * s
    gap = (squares.unsqueeze(-2) - squares.unsqueeze(-1)).masked_fill(same, 1)
    inner = left / gap * s.unsqueeze(-2) + s.unsqueeze(-1) * (right / gap)
    if u.is_complex():
        inner = torch.where(same, torch.diag_embed(left.diagonal(0, -2, -1) / (2 * s)), inner)
    found = found + u @ inner @ vh
    if u.shape[-2] > k and (gu != 0).any():
        over = gu / s.unsqueeze(-2)
        found = found + (over - u @ (u.mH @ over)) @ vh
    if vh.shape[-1] > k and (gv != 0).any():
        under = gv / s.unsqueeze(-1)
        found = found + u @ (under - (under @ vh.mH) @ vh)
found"
        )
    };
}

/// Of `linalg.svd`.
pub(super) const SVD: Gradients = &[("A", from_singular!("u, s, vh = results\ngv = grads[2]\n"))];

/// Of `svd`, which gives V itself, or zeros.
pub(super) const OLD_SVD: Gradients = &[(
    "self",
    from_singular!(
        "u, s, v = results
vh, gv = v.mH, grads[2].mH
if not compute_uv:
    u, s, vh = torch.linalg.svd(self, False)
"
    ),
)];

/// Of `linalg.svdvals`.
pub(super) const SVDVALS: Gradients =
    &[("A", "u, s, vh = torch.linalg.svd(A, full_matrices=False)\n(u * grad.unsqueeze(-2)) @ vh")];

/// Of `linalg.qr`: of a wide matrix, the columns beyond the square go back through Q.
pub(super) const QR: Gradients = &[(
    "A",
    "q, r = results
m, n = A.shape[-2:]
if mode == 'r':
    raise RuntimeError('The derivative of linalg.qr depends on Q, which is not computed when mode=\\'r\\'. Please use linalg.qr(A, mode=\\'reduced\\') if you are going to differentiate through linalg.qr.')
if mode == 'complete' and m > n:
    raise RuntimeError('The QR decomposition is not differentiable when mode=\\'complete\\' and nrows > ncols.')
gq, gr = grads
r1, rest = r[..., :m], gr[..., m:]
gq = gq + A[..., m:] @ rest.mH
inner = (gr[..., :m] @ r1.mH - q.mH @ gq).triu()
inner = inner + inner.mH
inner = inner - torch.diag_embed(inner.diagonal(0, -2, -1)) / 2
found = torch.linalg.solve_triangular(r1.mH, q @ inner + gq, upper=False, left=False)
torch.cat((found, q @ rest), -1) if n > m else found",
)];

/// A product of reflections, made again.
macro_rules! from_reflections {
    ($param:literal, $product:literal, $call:literal) => {
        concat!(
            "recorded = torch.is_grad_enabled()\n",
            $product,
            "\nwith torch.enable_grad():\n    ",
            $param,
            " = ",
            $param,
            ".clone() if recorded else ",
            $param,
            ".detach().requires_grad_()\n    again = ",
            $call,
            "\n",
            "torch.autograd.grad(again, ",
            $param,
            ", grad, retain_graph=True, create_graph=recorded, allow_unused=True)[0] if tau.shape[-1] else None"
        )
    };
}

/// The first columns of the product.
macro_rules! columns {
    ($param:literal) => {
        from_reflections!(
            $param,
            "def product(input, tau):
    ones = torch.eye(*input.shape[-2:], dtype=input.dtype)
    low, found = input.tril(-1) + ones, ones
    for k in reversed(range(tau.shape[-1])):
        v = low[..., k:k + 1]
        found = found - tau[..., k:k + 1].unsqueeze(-1) * (v @ (v.mH @ found))
    return found",
            "product(input, tau)"
        )
    };
}

/// A matrix times the product.
macro_rules! multiplied {
    ($param:literal) => {
        from_reflections!(
            $param,
            "tau = input2
def product(self, tau, other):
    low, found = self.tril(-1) + torch.eye(*self.shape[-2:], dtype=self.dtype), other
    count = list(range(tau.shape[-1]))
    for k in count[::-1] if left != transpose else count:
        v = low[..., k:k + 1]
        scale = tau[..., k:k + 1].unsqueeze(-1)
        scale = scale.conj() if transpose else scale
        found = found - (scale * (v @ (v.mH @ found)) if left else scale * (found @ v @ v.mH))
    return found",
            "product(self, input2, input3)"
        )
    };
}

/// Of `linalg.householder_product`.
pub(super) const REFLECTIONS: Gradients = &[("input", columns!("input")), ("tau", columns!("tau"))];
/// Of `ormqr`.
pub(super) const REFLECTED: Gradients =
    &[("self", multiplied!("self")), ("input2", multiplied!("input2")), ("input3", multiplied!("input3"))];

/// Of the root of a Hermitian matrix.
pub(super) const ROOT: Gradients = &[(
    "self",
    "values, vectors = torch.linalg.eigh(self)
roots = values.sqrt()
inner = vectors.mH @ (grad + grad.mH) @ vectors / 2 / (roots.unsqueeze(-1) + roots.unsqueeze(-2))
vectors @ inner @ vectors.mH",
)];
