//! Decompositions of which only the largest parts are wanted, by products with random matrices.

use crate::ops::{Form, Op, op};

const fn function(schema: &'static str, doc: &'static str, example: &'static str, text: &'static str) -> Op {
    op(schema, doc, example, Form::Code(text)).function_only().no_out()
}

rows![
    function(
        "svd_lowrank(Tensor A, Any q=6, Any niter=2, Tensor? M=None) -> Any",
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
    )
    .stepwise(),
    function(
        "lobpcg(Tensor A, int? k=None, Tensor? B=None, Tensor? X=None, int? n=None, Tensor? iK=None, int? niter=None, float? tol=None, bool? largest=None, str? method=None, Any tracker=None, Any ortho_iparams=None, Any ortho_fparams=None, Any ortho_bparams=None) -> Any",
        "The `k` largest eigenvalues of a symmetric matrix, or the least ones, and their vectors; of the pair `A`, `B` when that is given.",
        "torch.lobpcg(torch.diag(torch.arange(1., 7.)), k=1)[0]  # tensor([6.])",
        "\
rows = A.shape[-2]
k = (X.shape[-1] if X is not None else 1) if k is None else k
if rows < 3 * k:
    raise ValueError(f'LOBPCG algorithm is not applicable when the number of A rows (={rows}) is smaller than 3 x the number of requested eigenpairs (={k})')
if X is None:
    _ = torch.randn(list(A.shape[:-2]) + [rows, k if n is None else n], dtype=A.dtype, device=A.device)
dense = A.to_dense() if A.is_sparse else A
if B is None:
    values, vectors = torch.linalg.eigh(dense)
else:
    half = torch.linalg.cholesky(B.to_dense() if B.is_sparse else B)
    inner = torch.linalg.solve_triangular(half, torch.linalg.solve_triangular(half, dense, upper=False).mT, upper=False)
    values, vectors = torch.linalg.eigh(inner)
    vectors = torch.linalg.solve_triangular(half.mT, vectors, upper=True)
if largest is None or largest:
    values, vectors = values.flip(-1), vectors.flip(-1)
(values[..., :k], vectors[..., :k])"
    ),
    function(
        "pca_lowrank(Tensor A, Any q=None, Any center=True, Any niter=2) -> Any",
        "The `q` main directions of the rows of a matrix, less their mean unless `center` is false, by `svd_lowrank`.",
        "torch.pca_lowrank(torch.tensor([[0., 0.], [3., 4.]]), q=1)[1]  # tensor([3.5355])",
        "\
m, n = A.shape[-2:]
q = min(6, m, n) if q is None else q
if not (q >= 0 and q <= min(m, n)):
    raise ValueError(f'q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}')
if not niter >= 0:
    raise ValueError(f'niter(={niter}) must be non-negative integer')
torch.svd_lowrank(A - A.mean(dim=(-2,), keepdim=True) if center else A, q, niter=niter)"
    )
    .stepwise(),
];
