//! Rows that multiply vectors and matrices.

mod added;
mod chain;
mod cross;
mod einsum;
mod fit;
mod formula;
mod matrix;
mod tensordot;

pub(in crate::ops) use einsum::last_step;
pub(in crate::ops) use fit::stretched;
pub(in crate::ops) use matrix::folds;
pub(in crate::ops) use tensordot::contracted;

use super::Form::{Code, Native, Pair};
use super::{Args, Op, op};
use crate::device::no_kernel;
use crate::ops::autograd::texts;
use crate::value::Value;
use anyhow::Result;

/// Each operand from the result and the others; what only it names was summed, and is the same everywhere. What it names twice is zero
/// beside a diagonal.
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
    once = ''.join(dict.fromkeys(term))
    others = [(t, name) for j, (t, name) in enumerate(zip(operands, terms)) if j != k]
    known = out + ''.join(name for _, name in others)
    kept = ''.join(c for c in once if c in known)
    part = torch.einsum(','.join([out] + [name for _, name in others]) + '->' + kept, [grad] + [t for t, _ in others])
    sizes = dict(zip(term, own.shape))
    for place, c in enumerate(once):
        if c not in kept:
            part = part.unsqueeze(place).expand([sizes[d] if d == c else n for d, n in zip(once[:place + 1], part.unsqueeze(place).shape[:place + 1])] + list(part.shape[place:]))
    whole = [sizes[c] for c in once]
    repeated = [place for place, n in enumerate(whole) if n == 1 and part.size(place) != 1]
    part = part.sum(repeated, keepdim=True) if len(repeated) > 0 else part
    part = part if list(part.shape) == whole else part.expand(whole)
    for place, c in enumerate(term):
        if c in term[:place]:
            part = torch.diag_embed(part.movedim(term.index(c), -1), 0, term.index(c), place)
    found.append(part)
found";

const MATMUL_LEFT: &str = "if self.ndim == 1 and other.ndim == 1:
    found = grad * other
elif other.ndim == 1:
    found = grad.unsqueeze(-1) * other
elif self.ndim == 1:
    found = (other @ grad.unsqueeze(-1)).squeeze(-1)
else:
    found = grad @ other.mT
found";

const MATMUL_RIGHT: &str = "rows = self.flatten(0, -2) if self.ndim > 2 else self
if self.ndim == 1 and other.ndim == 1:
    found = grad * self
elif other.ndim == 1:
    found = rows.t() @ grad.reshape(-1)
elif self.ndim == 1:
    found = self.unsqueeze(-1) * grad.unsqueeze(-2)
elif other.ndim == 2:
    found = rows.t() @ grad.flatten(0, -2)
else:
    found = self.mT @ grad
found";

/// Of one operand `own` of `tensordot`, which meets `other` in the dimensions `mine` and `theirs`: the dimensions that do not meet
/// lie in the result in their order, those of `a` first.
macro_rules! tensordot {
    ($sides:literal) => {
        concat!(
            "dims = dims.tolist() if isinstance(dims, torch.Tensor) else dims
n = dims if isinstance(dims, int) else len(dims[0])
left = list(range(a.ndim - n, a.ndim)) if isinstance(dims, int) else [d % a.ndim for d in dims[0]]
right = list(range(n)) if isinstance(dims, int) else [d % b.ndim for d in dims[1]]
own, other, mine, theirs = ",
            $sides,
            "
kept = [d for d in range(own.ndim) if d not in mine]
rest = [d for d in range(other.ndim) if d not in theirs]
first = len(kept) if own is a else 0
found = torch.tensordot(grad, other, (list(range(first, first + len(rest))), rest))
order = kept + [mine[theirs.index(d)] for d in range(other.ndim) if d in theirs]
found = found.permute([order.index(d) for d in range(own.ndim)])
found.expand([max(n, m) for n, m in zip(found.shape, own.shape)])"
        )
    };
}

/// A product whose dtype is asked for: other devices have it.
const fn asked(schema: &'static str) -> Op {
    op(schema, "", "", Native(refuse_asked)).function_only()
}

fn refuse_asked(args: &Args) -> Result<Value> {
    let out = if matches!(args.out, Value::None) { "" } else { "_out" };
    Err(no_kernel(&format!("{}.dtype{out}", args.op.name()), "CPU"))
}

rows![
    op(
        "matmul(Tensor self, Tensor other) -> Tensor",
        "The matrix product, as `@`. Vectors are rows on the left and columns on the right; dimensions before the last two are \
         batches and broadcast.",
        "torch.tensor([[1., 2.], [3., 4.]]).matmul(torch.tensor([1., 1.]))  # tensor([3., 7.])",
        Pair(matrix::matmul_of),
    )
    .alias(&["linalg.matmul", "__matmul__"])
        .grads(&[("self", MATMUL_LEFT), ("other", MATMUL_RIGHT)]).conjugated(),
    op(
        "mm(Tensor self, Tensor mat2) -> Tensor",
        "The product of two matrices.",
        "torch.mm(torch.eye(2), torch.tensor([[1., 2.], [3., 4.]]))  # tensor([[1., 2.],\n#         [3., 4.]])",
        Pair(matrix::mm_of),
    )
        .grads(&[("self", "grad @ mat2.mT"), ("mat2", "self.mT @ grad")]).conjugated(),
    op(
        "bmm(Tensor self, Tensor mat2) -> Tensor",
        "The products of two batches of matrices, pair by pair.",
        "torch.bmm(torch.ones(2, 1, 3), torch.ones(2, 3, 1)).flatten()  # tensor([3., 3.])",
        Pair(matrix::bmm_of),
    )
        .grads(&[("self", "grad @ mat2.mT"), ("mat2", "self.mT @ grad")]).conjugated(),
    op(
        "mv(Tensor self, Tensor vec) -> Tensor",
        "The product of a matrix and a vector.",
        "torch.mv(torch.eye(2), torch.tensor([5., 6.]))  # tensor([5., 6.])",
        Pair(matrix::mv_of),
    )
        .grads(&[("self", "torch.outer(grad, vec)"), ("vec", "self.t() @ grad")]).conjugated(),
    op(
        "dot(Tensor self, Tensor tensor) -> Tensor",
        "The sum of the products of two vectors' elements.",
        "torch.dot(torch.tensor([1., 2.]), torch.tensor([3., 4.]))  # tensor(11.)",
        Pair(matrix::dot_of),
    )
        .grads(&[("self", "grad * tensor"), ("tensor", "grad * self")]).conjugated(),
    op(
        "vdot(Tensor self, Tensor other) -> Tensor",
        "As `dot`, with the conjugate of the first vector.",
        "torch.vdot(torch.tensor([1j]), torch.tensor([1j]))  # tensor(1.+0.j)",
        Code("self.conj().dot(other)"),
    )
        .grads(&[("self", "grad.conj() * other"), ("other", "grad * self")]).complex(),
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
    .alias(&["ger"])
        .grads(&[("self", "(grad * vec2).sum(1)"), ("vec2", "(grad * self.unsqueeze(1)).sum(0)")]).conjugated(),
    op(
        "inner(Tensor self, Tensor other) -> Tensor",
        "The dot products of the last dimensions.",
        "torch.inner(torch.tensor([1., 2.]), torch.tensor([3., 4.]))  # tensor(11.)",
        Pair(matrix::inner_of),
    )
        .grads(&[
            ("self", "torch.tensordot(grad, other, (list(range(self.ndim - 1, grad.ndim)), list(range(other.ndim - 1)))) if self.ndim and other.ndim else grad * other"),
            ("other", "torch.tensordot(grad, self, (list(range(self.ndim - 1)), list(range(self.ndim - 1)))) if self.ndim and other.ndim else grad * self"),
        ]).conjugated()
    .ends_in_view(),
    op(
        "addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        "`beta * self + alpha * (mat1 @ mat2)`.",
        "torch.addmm(torch.ones(1, 1), torch.ones(1, 2), torch.ones(2, 1))  # tensor([[3.]])",
        Native(|a| added::add_product(a, matrix::mm_onto, added::Batches::None)),
    )
    .inplace()
        .grads(&[("self", "grad * beta"), ("mat1", "grad @ mat2.mT if alpha == 1 else grad @ mat2.mT * alpha"), ("mat2", "mat1.mT @ grad if alpha == 1 else mat1.mT @ grad * alpha")]).conjugated(),
    op(
        "addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        "`beta * self + alpha * (mat @ vec)`.",
        "torch.addmv(torch.ones(1), torch.ones(1, 2), torch.ones(2))  # tensor([3.])",
        Native(|a| added::add_product(a, matrix::mv_onto, added::Batches::None)),
    )
    .inplace()
        .grads(&[("self", "grad * beta"), ("mat", "torch.outer(grad, vec) * alpha"), ("vec", "mat.t() @ grad * alpha")]).conjugated(),
    op(
        "addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        "`beta * self + alpha * outer(vec1, vec2)`.",
        "torch.addr(torch.zeros(1, 2), torch.ones(1), torch.tensor([1., 2.]))  # tensor([[1., 2.]])",
        Native(added::addr),
    )
    .inplace()
        .grads(&[("self", "grad * beta"), ("vec1", "grad @ vec2 * alpha"), ("vec2", "grad.t() @ vec1 * alpha")]).conjugated(),
    op(
        "addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        "`beta * self + alpha *` the sum of the products of two batches of matrices.",
        "torch.addbmm(torch.zeros(1, 1), torch.ones(2, 1, 1), torch.ones(2, 1, 1))  # tensor([[2.]])",
        Native(|a| added::add_product(a, matrix::bmm_onto, added::Batches::Add)),
    )
    .inplace()
        .grads(&[("self", "grad * beta"), ("batch1", "grad @ batch2.mT * alpha"), ("batch2", "batch1.mT @ grad * alpha")]).conjugated(),
    op(
        "baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        "`beta * self + alpha *` the products of two batches of matrices.",
        "torch.baddbmm(torch.zeros(1, 1, 1), torch.ones(1, 1, 2), torch.ones(1, 2, 1))  # tensor([[[2.]]])",
        Native(|a| added::add_product(a, matrix::bmm_onto, added::Batches::Stay)),
    )
    .inplace()
        .grads(&[("self", "grad * beta"), ("batch1", "grad @ batch2.mT * alpha"), ("batch2", "batch1.mT @ grad * alpha")]).conjugated(),
    op(
        "einsum(str equation, Tensor[] operands) -> Tensor",
        "Sums of products by a formula: a letter per dimension; equal letters run together, and what is not in the result is summed.",
        "torch.einsum('ij,j->i', torch.ones(2, 3), torch.ones(3))  # tensor([3., 3.])",
        Native(einsum::einsum),
    )
    .variadic()
    .no_out()
        .grads(&[("operands", EINSUM)]).conjugated().ends_in_view(),
    op("einsum(Any[] operands) -> Tensor", "", "", Native(einsum::by_numbers)).variadic().no_out()
        .grads(&[("operands", EINSUM)]).conjugated().ends_in_view(),
    op(
        "tensordot(Tensor a, Tensor b, Any dims=2) -> Tensor",
        "Sums the products over the last `dims` dimensions of `a` and the first of `b`, or over two lists of dimensions.",
        "torch.tensordot(torch.ones(2, 3), torch.ones(3, 2), dims=1)  # tensor([[3., 3.],\n#         [3., 3.]])",
        Native(tensordot::tensordot),
    )
    .grads(&[("a", tensordot!("a, b, left, right")), ("b", tensordot!("b, a, right, left"))])
    .conjugated()
    .ends_in_view(),
    op("tensordot(Tensor a, Tensor b, Any dims, Any out) -> Tensor", "", "", Code("if not isinstance(out, torch.Tensor) and out is not None:
    if isinstance(dims, (list, tuple)):
        left, right = dims
    raise TypeError(f\"tensordot(): argument 'out' must be Tensor, not {type(out).__name__}\")
torch.tensordot(a, b, dims, out=out)")).no_out()
    .grads(&[("a", tensordot!("a, b, left, right")), ("b", tensordot!("b, a, right, left"))])
    .conjugated(),
    op(
        "kron(Tensor self, Tensor other) -> Tensor",
        "The Kronecker product: every element of `self` times the whole of `other`.",
        "torch.kron(torch.tensor([1, 10]), torch.tensor([1, 2]))  # tensor([ 1,  2, 10, 20])",
        Native(matrix::kron),
    )
        .grads(&[
            ("self", texts::again!("self", "(self.reshape([k for d in one for k in (d, 1)]) * other.reshape([k for d in two for k in (1, d)])).reshape(result.shape)", "n = max(self.ndim, other.ndim)\none = [1] * (n - self.ndim) + list(self.shape)\ntwo = [1] * (n - other.ndim) + list(other.shape)\n")),
            ("other", texts::again!("other", "(self.reshape([k for d in one for k in (d, 1)]) * other.reshape([k for d in two for k in (1, d)])).reshape(result.shape)", "n = max(self.ndim, other.ndim)\none = [1] * (n - self.ndim) + list(self.shape)\ntwo = [1] * (n - other.ndim) + list(other.shape)\n")),
        ]).complex(),
    op(
        "trace(Tensor self) -> Tensor",
        "The sum of the diagonal of a matrix.",
        "torch.trace(torch.tensor([[1, 2], [3, 4]]))  # tensor(5)",
        Native(matrix::trace),
    )
    .no_out()
        .grads(&[("self", "torch.where(torch.eye(self.shape[0], self.shape[1], dtype=torch.bool), grad, 0.)")]).complex(),
    op(
        "chain_matmul(Tensor[] matrices) -> Tensor",
        "The product of several matrices.",
        "torch.chain_matmul(torch.eye(2), torch.eye(2))  # tensor([[1., 0.],\n#         [0., 1.]])",
        Native(chain::chain),
    )
    .variadic()
        .grads(&[("matrices", texts::again_list!("matrices", "(lambda f: f(f, list(matrices)))(lambda f, ms: ms[0] if len(ms) == 1 else f(f, ms[:-1]) @ ms[-1])"))])
    .complex()
    .ends_in_view(),
    op("chain_matmul() -> Tensor", "", "", Native(chain::no_chain)),
    op(
        "linalg.multi_dot(Tensor[] tensors) -> Tensor",
        "The product of several matrices; the first and the last may be vectors.",
        "torch.linalg.multi_dot([torch.eye(2), torch.ones(2)])  # tensor([1., 1.])",
        Native(chain::multi_dot),
    )
        .grads(&[("tensors", texts::again_list!("tensors", "(lambda f: f(f, list(tensors)))(lambda f, ms: ms[0] if len(ms) == 1 else f(f, ms[:-1]) @ ms[-1])"))])
    .complex()
    .ends_in_view(),
    op(
        "linalg.cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor",
        "The cross product of vectors of three elements along `dim`.",
        "torch.linalg.cross(torch.tensor([1, 0, 0]), torch.tensor([0, 1, 0]))  # tensor([0, 0, 1])",
        Native(cross::cross),
    )
        .grads(&[("self", "torch.linalg.cross(other, grad, dim=dim)"), ("other", "torch.linalg.cross(grad, self, dim=dim)")]).conjugated(),
    op(
        "cross(Tensor self, Tensor other, int? dim=None) -> Tensor",
        "The cross product along `dim`, or along the first dimension of size 3.",
        "torch.cross(torch.tensor([1, 0, 0]), torch.tensor([0, 1, 0]), dim=0)  # tensor([0, 0, 1])",
        Native(cross::cross_somewhere),
    )
        .grads(&[("self", "torch.cross(other, grad, dim=dim)"), ("other", "torch.cross(grad, self, dim=dim)")]).conjugated(),
    asked("mm(Tensor self, Tensor mat2, DType out_dtype) -> Tensor"),
    asked("bmm(Tensor self, Tensor mat2, DType out_dtype) -> Tensor"),
    asked("addmm(Tensor self, Tensor mat1, Tensor mat2, DType out_dtype, *, Scalar beta=1, Scalar alpha=1) -> Tensor"),
    asked("baddbmm(Tensor self, Tensor batch1, Tensor batch2, DType out_dtype, *, Scalar beta=1, Scalar alpha=1) -> Tensor"),
];
