//! Rows written in the language itself: compositions that are rarely hot.

use super::Form::Code;
use super::op;

rows![
    op(
        "diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor",
        "The differences between neighbours along `dim`, taken `n` times.",
        "torch.tensor([1, 4, 9]).diff()  # tensor([3, 5])",
        Code(
            "(lambda x: x if n == 0 else (\
                torch.diff(torch.ne(x.narrow(dim, 1, max(x.size(dim) - 1, 0)), x.narrow(dim, 0, max(x.size(dim) - 1, 0))), n - 1, dim) \
                if x.dtype == torch.bool else \
                torch.diff(x.narrow(dim, min(1, x.size(dim)), max(x.size(dim) - 1, 0)) - x.narrow(dim, 0, max(x.size(dim) - 1, 0)), n - 1, dim)))\
             (torch.cat([t for t in (prepend, self, append) if t is not None], dim))"
        ),
    ),
    op(
        "cartesian_prod(Tensor[] tensors) -> Tensor",
        "All combinations of one element of each 1-d tensor, one row each.",
        "torch.cartesian_prod([torch.tensor([1, 2]), torch.tensor([3])])  # tensor([[1, 3],\n#         [2, 3]])",
        Code("tensors[0] if len(tensors) == 1 else torch.stack([g.flatten() for g in torch.meshgrid(*tensors, indexing='ij')], dim=1)"),
    )
    .no_out(),
    op(
        "cov(Tensor self, *, int correction=1) -> Tensor",
        "The covariances of the variables in the rows.",
        "torch.tensor([[1., 2., 3.], [3., 2., 1.]]).cov()  # tensor([[ 1., -1.],\n#         [-1.,  1.]])",
        Code(
            "(lambda x: ((x - x.mean(1, keepdim=True)) @ (x - x.mean(1, keepdim=True)).t().conj() / (x.size(1) - correction)).squeeze())\
             (torch.atleast_2d(self).double() if not self.is_floating_point() and not self.is_complex() else torch.atleast_2d(self))"
        ),
    )
    .no_out(),
    op(
        "corrcoef(Tensor self) -> Tensor",
        "The correlation coefficients of the variables in the rows.",
        "torch.tensor([[1., 2., 3.], [3., 2., 1.]]).corrcoef()  # tensor([[ 1., -1.],\n#         [-1.,  1.]])",
        Code("(lambda c: (c / c.diag().sqrt().unsqueeze(1) / c.diag().sqrt().unsqueeze(0)).clip(-1, 1) if c.dim() > 0 else c / c)(self.cov())"),
    )
    .no_out(),
    op(
        "trapezoid(Tensor y, Tensor? x=None, *, Scalar? dx=None, int dim=-1) -> Tensor",
        "The integral along `dim` by the trapezoidal rule.",
        "torch.trapezoid(torch.tensor([1., 5., 10.]))  # tensor(10.5000)",
        Code(
            "((y.narrow(dim, 1, y.size(dim) - 1) + y.narrow(dim, 0, y.size(dim) - 1)) * \
              ((1 if dx is None else dx) if x is None else x.diff(dim=-1) if x.dim() == 1 and dim in (-1, y.dim() - 1) else x.diff(dim=dim))).sum(dim) / 2.0"
        ),
    )
    .alias(&["trapz"])
    .no_out(),
    op(
        "cdist(Tensor x1, Tensor x2, float p=2.0) -> Tensor",
        "The distance between each row of `x1` and each row of `x2`.",
        "torch.cdist(torch.tensor([[0., 0.]]), torch.tensor([[3., 4.]]))  # tensor([[5.]])",
        Code("(x1.unsqueeze(-2) - x2.unsqueeze(-3)).norm(p, -1)"),
    )
    .no_out(),
];
