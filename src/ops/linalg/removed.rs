//! Names that PyTorch keeps only to say what to write instead.

use crate::ops::{Form, Op, op};

/// A function that raises; its text says so.
const fn removed(schema: &'static str, doc: &'static str, example: &'static str, text: &'static str) -> Op {
    op(schema, doc, example, Form::Code(text)).no_out().no_grad().sparse().marked()
}

/// A text that raises a sentence, which begins as all of them do.
macro_rules! gone {
    ($($line:literal),+) => {
        concat!("raise RuntimeError(\"\"\"This function was deprecated since version 1.9 and is now removed.", $($line),+, "\"\"\")")
    };
}

rows![
    removed(
        "cholesky(Any self, Any upper=False, *, Any out=None) -> Tensor",
        "Was removed: `torch.linalg.cholesky` is the Cholesky decomposition.",
        "try:\n    torch.cholesky(torch.eye(2))\nexcept RuntimeError:\n    print('gone')\n# gone",
        gone!(
            " `torch.cholesky` is deprecated in favor of `torch.linalg.cholesky`.\n",
            "L = torch.cholesky(A) should be replaced with:\nL = torch.linalg.cholesky(A)\n",
            "U = torch.cholesky(A, upper=True) should be replaced with:\nU = torch.linalg.cholesky(A).mH"
        ),
    ),
    removed(
        "eig(Any self, Any eigenvectors=False, *, Any e=None, Any v=None) -> (Tensor eigenvalues, Tensor eigenvectors)",
        "Was removed: `torch.linalg.eig` gives eigenvalues and vectors as complex tensors.",
        "try:\n    torch.eig(torch.eye(2))\nexcept RuntimeError:\n    print('gone')\n# gone",
        gone!(
            " `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors mimicking complex \
             tensors.\n\n",
            "L, _ = torch.eig(A) should be replaced with:\nL_complex = torch.linalg.eigvals(A)\n\nand\n\n",
            "L, V = torch.eig(A, eigenvectors=True) should be replaced with:\nL_complex, V_complex = torch.linalg.eig(A)"
        ),
    ),
    removed(
        "lstsq(Any self, Any A, *, Any out=None) -> (Tensor solution, Tensor QR)",
        "Was removed: `torch.linalg.lstsq` takes its arguments the other way round.",
        "try:\n    torch.lstsq(torch.eye(2), torch.eye(2))\nexcept RuntimeError:\n    print('gone')\n# gone",
        gone!(
            " `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n`torch.linalg.lstsq` has reversed arguments and does not \
             return the QR decomposition in the returned tuple (although it returns other information about the problem).\n\n",
            "To get the QR decomposition consider using `torch.linalg.qr`.\n\n",
            "The returned solution in `torch.lstsq` stored the residuals of the solution in the last m - n columns of the returned value \
             whenever m > n. In torch.linalg.lstsq, the residuals are in the field 'residuals' of the returned named tuple.\n\n",
            "The unpacking of the solution, as in\nX, _ = torch.lstsq(B, A).solution[:A.size(1)]\nshould be replaced with:\n",
            "X = torch.linalg.lstsq(A, B).solution"
        ),
    ),
    removed(
        "matrix_rank(Any self, Any tol=None, Any symmetric=False, *, Any out=None) -> Tensor",
        "Was removed: `torch.linalg.matrix_rank` is its name today.",
        "try:\n    torch.matrix_rank(torch.eye(2))\nexcept RuntimeError:\n    print('gone')\n# gone",
        gone!(
            "\nPlease use the `torch.linalg.matrix_rank` function instead. ",
            "The parameter 'symmetric' was renamed in `torch.linalg.matrix_rank()` to 'hermitian'."
        ),
    )
    .function_only(),
    removed(
        "qr(Any self, Any some=True, *, Any out=None) -> (Tensor Q, Tensor R)",
        "Was removed: `torch.linalg.qr` is the QR decomposition.",
        "try:\n    torch.qr(torch.eye(2))\nexcept RuntimeError:\n    print('gone')\n# gone",
        concat!(
            "mode = 'reduced' if some else 'complete'\nraise RuntimeError(f\"\"\"This function was deprecated since version 1.9 and is \
             now removed. `torch.qr` is deprecated in favor of `torch.linalg.qr` and the boolean parameter `some` has been replaced with \
             a string parameter `mode`.\n\n",
            "Q, R = torch.qr(A) should be replaced with:\nQ, R = torch.linalg.qr(A, mode='reduced')\n\nand\n\n",
            "Q, R = torch.qr(A, some=False) should be replaced with:\nQ, R = torch.linalg.qr(A, mode='complete')\n\n",
            "Since `some` was set to {some}, use mode='{mode}'.\"\"\")"
        ),
    ),
    removed(
        "solve(Any self, Any A, *, Any out=None) -> (Tensor solution, Tensor LU)",
        "Was removed: `torch.linalg.solve` takes its arguments the other way round.",
        "try:\n    torch.solve(torch.eye(2), torch.eye(2))\nexcept RuntimeError:\n    print('gone')\n# gone",
        gone!(
            " `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments reversed and does \
             not return the LU factorization.\n\n",
            "To get the LU factorization see `torch.lu`, which can be used with `torch.lu_solve` or `torch.lu_unpack`.\n",
            "X = torch.solve(B, A).solution should be replaced with:\nX = torch.linalg.solve(A, B)"
        ),
    ),
    removed(
        "symeig(Any self, Any eigenvectors=False, Any upper=True, *, Any out=None) -> (Tensor eigenvalues, Tensor eigenvectors)",
        "Was removed: `torch.linalg.eigh` gives the eigenvalues and vectors of a symmetric matrix.",
        "try:\n    torch.symeig(torch.eye(2))\nexcept RuntimeError:\n    print('gone')\n# gone",
        gone!(
            " The default behavior has changed from using the upper triangular portion of the matrix by default to using the lower \
             triangular portion.\n\n",
            "L, _ = torch.symeig(A, upper=upper) should be replaced with:\n",
            "L = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')\n\nand\n\n",
            "L, V = torch.symeig(A, eigenvectors=True) should be replaced with:\n",
            "L, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')"
        ),
    ),
];
