//! Decompositions of which only the largest parts are wanted, by products with random matrices.

use crate::ops::{Form, Op, op};

const fn function(schema: &'static str, doc: &'static str, example: &'static str, text: &'static str) -> Op {
    op(schema, doc, example, Form::Code(text)).function_only().no_out()
}

rows![
    function(
        "svd_lowrank(Tensor A, int? q=6, int? niter=2, Tensor? M=None) -> Any",
        "The `q` largest singular values of a matrix and their vectors, nearly; of the matrix less `M` when that is given.",
        "torch.svd_lowrank(torch.tensor([[3., 0.], [4., 0.]]), q=1)[1]  # tensor([5.])",
        "\
m, n = list(A.shape)[-2:]
q = 6 if q is None else q
x = A if M is None else A - M.broadcast_to(A.shape)
wide = x.mH if m < n else x
real = A.dtype if A.is_complex() or A.dtype in (torch.float16, torch.float32, torch.float64) else torch.float32
basis = torch.linalg.qr(wide @ torch.randn(wide.shape[-1], q, dtype=real, device=A.device)).Q
for _ in range(2 if niter is None else niter):
    basis = torch.linalg.qr(wide.mH @ basis).Q
    basis = torch.linalg.qr(wide @ basis).Q
U, S, Vh = torch.linalg.svd(basis.mH @ wide, full_matrices=False)
U, V = basis @ U, Vh.mH
(V, S, U) if m < n else (U, S, V)"
    ),
    function(
        "pca_lowrank(Tensor A, int? q=None, bool center=True, int niter=2) -> Any",
        "The `q` main directions of the rows of a matrix, less their mean unless `center` is false, by `svd_lowrank`.",
        "torch.pca_lowrank(torch.tensor([[0., 0.], [3., 4.]]), q=1)[1]  # tensor([3.5355])",
        "\
m, n = A.shape[-2:]
q = min(6, m, n) if q is None else q
if not 0 <= q <= min(m, n):
    raise ValueError(f'q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}')
if niter < 0:
    raise ValueError(f'niter(={niter}) must be non-negative integer')
torch.svd_lowrank(A - A.mean(dim=(-2,), keepdim=True) if center else A, q, niter=niter)"
    ),
];
