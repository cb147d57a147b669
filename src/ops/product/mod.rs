//! Rows that multiply vectors and matrices.

mod einsum;
mod fit;
mod matrix;

use super::Form::{Code, Native, Pair};
use super::op;

rows![
    op(
        "matmul(Tensor self, Tensor other) -> Tensor",
        "The matrix product, as `@`. Vectors are rows on the left and columns on the right; dimensions before the last two are \
         batches and broadcast.",
        "torch.tensor([[1., 2.], [3., 4.]]).matmul(torch.tensor([1., 1.]))  # tensor([3., 7.])",
        Pair(matrix::matmul_of),
    )
    .alias(&["linalg.matmul", "__matmul__"]),
    op(
        "mm(Tensor self, Tensor mat2) -> Tensor",
        "The product of two matrices.",
        "torch.mm(torch.eye(2), torch.tensor([[1., 2.], [3., 4.]]))  # tensor([[1., 2.],\n#         [3., 4.]])",
        Pair(matrix::mm_of),
    ),
    op(
        "bmm(Tensor self, Tensor mat2) -> Tensor",
        "The products of two batches of matrices, pair by pair.",
        "torch.bmm(torch.ones(2, 1, 3), torch.ones(2, 3, 1)).flatten()  # tensor([3., 3.])",
        Pair(matrix::bmm_of),
    ),
    op(
        "mv(Tensor self, Tensor vec) -> Tensor",
        "The product of a matrix and a vector.",
        "torch.mv(torch.eye(2), torch.tensor([5., 6.]))  # tensor([5., 6.])",
        Pair(matrix::mv_of),
    ),
    op(
        "dot(Tensor self, Tensor tensor) -> Tensor",
        "The sum of the products of two vectors' elements.",
        "torch.dot(torch.tensor([1., 2.]), torch.tensor([3., 4.]))  # tensor(11.)",
        Pair(matrix::dot_of),
    ),
    op(
        "vdot(Tensor self, Tensor other) -> Tensor",
        "As `dot`, with the conjugate of the first vector.",
        "torch.vdot(torch.tensor([1j]), torch.tensor([1j]))  # tensor(1.+0.j)",
        Code("self.conj().dot(other)"),
    ),
    op(
        "linalg.vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor",
        "The dot products along `dim`, with the conjugate of the first operand.",
        "torch.linalg.vecdot(torch.ones(2, 3), torch.ones(2, 3))  # tensor([3., 3.])",
        super::Form::Hosted(matrix::vecdot),
    ),
    op(
        "outer(Tensor self, Tensor vec2) -> Tensor",
        "The product of each element of one vector with each of the other.",
        "torch.outer(torch.tensor([1, 2]), torch.tensor([3, 4]))  # tensor([[3, 4],\n#         [6, 8]])",
        Pair(matrix::outer_of),
    )
    .alias(&["ger"]),
    op(
        "inner(Tensor self, Tensor other) -> Tensor",
        "The dot products of the last dimensions.",
        "torch.inner(torch.tensor([1., 2.]), torch.tensor([3., 4.]))  # tensor(11.)",
        Pair(matrix::inner_of),
    ),
    op(
        "addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        "`beta * self + alpha * (mat1 @ mat2)`.",
        "torch.addmm(torch.ones(1, 1), torch.ones(1, 2), torch.ones(2, 1))  # tensor([[3.]])",
        Native(|a| matrix::add_product(a, matrix::mm_of, matrix::Batches::None)),
    )
    .inplace(),
    op(
        "addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        "`beta * self + alpha * (mat @ vec)`.",
        "torch.addmv(torch.ones(1), torch.ones(1, 2), torch.ones(2))  # tensor([3.])",
        Native(|a| matrix::add_product(a, matrix::mv_of, matrix::Batches::None)),
    )
    .inplace(),
    op(
        "addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        "`beta * self + alpha * outer(vec1, vec2)`.",
        "torch.addr(torch.zeros(1, 2), torch.ones(1), torch.tensor([1., 2.]))  # tensor([[1., 2.]])",
        Native(matrix::addr),
    )
    .inplace(),
    op(
        "addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        "`beta * self + alpha *` the sum of the products of two batches of matrices.",
        "torch.addbmm(torch.zeros(1, 1), torch.ones(2, 1, 1), torch.ones(2, 1, 1))  # tensor([[2.]])",
        Native(|a| matrix::add_product(a, matrix::bmm_of, matrix::Batches::Add)),
    )
    .inplace(),
    op(
        "baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        "`beta * self + alpha *` the products of two batches of matrices.",
        "torch.baddbmm(torch.zeros(1, 1, 1), torch.ones(1, 1, 2), torch.ones(1, 2, 1))  # tensor([[[2.]]])",
        Native(|a| matrix::add_product(a, matrix::bmm_of, matrix::Batches::Stay)),
    )
    .inplace(),
    op(
        "einsum(str equation, Tensor[] operands) -> Tensor",
        "Sums of products by a formula: a letter per dimension; equal letters run together, and what is not in the result is summed.",
        "torch.einsum('ij,j->i', torch.ones(2, 3), torch.ones(3))  # tensor([3., 3.])",
        Native(einsum::einsum),
    )
    .variadic()
    .no_out(),
    op("einsum(Any[] operands) -> Tensor", "", "", Native(einsum::by_numbers)).variadic().no_out(),
    op(
        "tensordot(Tensor a, Tensor b, Any dims=2) -> Tensor",
        "Sums the products over the last `dims` dimensions of `a` and the first of `b`, or over two lists of dimensions.",
        "torch.tensordot(torch.ones(2, 3), torch.ones(3, 2), dims=1)  # tensor([[3., 3.],\n#         [3., 3.]])",
        Native(einsum::tensordot),
    ),
    op("tensordot(Tensor a, Tensor b, Any dims, Tensor? out) -> Tensor", "", "", Code("torch.tensordot(a, b, dims, out=out)")).no_out(),
    op(
        "kron(Tensor self, Tensor other) -> Tensor",
        "The Kronecker product: every element of `self` times the whole of `other`.",
        "torch.kron(torch.tensor([1, 10]), torch.tensor([1, 2]))  # tensor([ 1,  2, 10, 20])",
        Pair(matrix::kron_of),
    ),
    op(
        "trace(Tensor self) -> Tensor",
        "The sum of the diagonal of a matrix.",
        "torch.trace(torch.tensor([[1, 2], [3, 4]]))  # tensor(5)",
        Native(matrix::trace),
    )
    .no_out(),
    op(
        "chain_matmul(Tensor[] matrices) -> Tensor",
        "The product of several matrices.",
        "torch.chain_matmul(torch.eye(2), torch.eye(2))  # tensor([[1., 0.],\n#         [0., 1.]])",
        Native(matrix::chain),
    )
    .variadic(),
    op("chain_matmul() -> Tensor", "", "", Native(matrix::no_chain)),
    op(
        "linalg.multi_dot(Tensor[] tensors) -> Tensor",
        "The product of several matrices; the first and the last may be vectors.",
        "torch.linalg.multi_dot([torch.eye(2), torch.ones(2)])  # tensor([1., 1.])",
        Native(matrix::multi_dot),
    ),
    op(
        "linalg.cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor",
        "The cross product of vectors of three elements along `dim`.",
        "torch.linalg.cross(torch.tensor([1, 0, 0]), torch.tensor([0, 1, 0]))  # tensor([0, 0, 1])",
        Native(matrix::cross),
    ),
    op(
        "cross(Tensor self, Tensor other, int? dim=None) -> Tensor",
        "The cross product along `dim`, or along the first dimension of size 3.",
        "torch.cross(torch.tensor([1, 0, 0]), torch.tensor([0, 1, 0]), dim=0)  # tensor([0, 0, 1])",
        Native(matrix::cross_somewhere),
    ),
];
