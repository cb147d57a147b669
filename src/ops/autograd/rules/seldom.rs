//! What is seldom gone back through.

use super::{Rule, of, with};

/// 0 for every element: what was drawn does not depend on what was there.
const FLAT: &str = "self.new_zeros(self.shape)";

/// What each element that was reduced has of the gradient; of the tensor itself where `own`.
macro_rules! shared {
    () => {
        "ones = grad.new_ones(index.shape)
if reduce == 'sum':
    found = grad if own else grad.gather(dim, index)
elif reduce == 'mean':
    count = torch.full(grad.shape, float(include_self), dtype=grad.dtype).scatter_add(dim, index, ones)
    found = grad / count.clamp(min=1)
    found = found if own else found.gather(dim, index)
elif reduce in ('amax', 'amin'):
    mine, other = (self == result).to(grad.dtype), (src[tuple(slice(0, n) for n in index.shape)] == result.gather(dim, index)).to(grad.dtype)
    share = grad / mine.scatter_add(dim, index, other).clamp(min=1)
    found = mine * share if own else other * share.gather(dim, index)
else:
    raise NotImplementedError('tsr does not have the gradient of products that are scattered yet')
"
    };
}

/// Of a variance (or its root) and a mean, by what these are called with.
macro_rules! spread {
    ($spread:literal, $root:literal, $mean:literal) => {
        concat!(
            "recorded = torch.is_grad_enabled()
with torch.enable_grad():
    self = self.clone() if recorded else self.detach().requires_grad_()
    again = [torch.var(self, ",
            $spread,
            ")",
            $root,
            ", self.mean(",
            $mean,
            ")]
torch.autograd.grad(again, self, grads, retain_graph=True, create_graph=recorded)[0]"
        )
    };
}

#[rustfmt::skip] // one rule a line
pub(super) const RULES: &[Rule] = &[
    of("chain_matmul", "matrices", again_list!("matrices", "(lambda f: f(f, list(matrices)))(lambda f, ms: ms[0] if len(ms) == 1 else f(f, ms[:-1]) @ ms[-1])")),
    of("linalg.multi_dot", "tensors", again_list!("tensors", "(lambda f: f(f, list(tensors)))(lambda f, ms: ms[0] if len(ms) == 1 else f(f, ms[:-1]) @ ms[-1])")),
    of("nn.functional.softshrink", "input", "torch.where((input >= -lambd) & (input <= lambd), 0., grad)"),
    of("nn.functional.hardshrink", "input", "torch.where((input >= -lambd) & (input <= lambd), 0., grad)"),
    with("nanmedian", "dim", "self", "here = torch.zeros_like(self)\nat, g = (results[1], grads[0]) if keepdim or self.ndim == 0 else (results[1].unsqueeze(dim), grads[0].unsqueeze(dim))\nhere.scatter(dim, at, g) if self.ndim else g"),
    of("nanmedian", "self", "place = (self == result).reshape(-1).nonzero().reshape(-1)[-1:]\nself.new_zeros(self.numel()).index_add(0, place, grad.reshape(1)).reshape(self.shape)"),
    of("nanmean", "self", again!("self", "torch.nansum(self, dim, keepdim) / (~self.isnan()).sum(list(range(self.ndim)) if dim is None else dim, keepdim)", "")),
    with("var_mean", "correction", "self", spread!("dim=dim, correction=1 if correction is None else correction, keepdim=keepdim", "", "dim, keepdim")),
    with("var_mean", "keepdim", "self", spread!("dim, unbiased, keepdim", "", "dim, keepdim")),
    of("var_mean", "self", spread!("unbiased", "", "")),
    with("std_mean", "correction", "self", spread!("dim=dim, correction=1 if correction is None else correction, keepdim=keepdim", ".sqrt()", "dim, keepdim")),
    with("std_mean", "keepdim", "self", spread!("dim, unbiased, keepdim", ".sqrt()", "dim, keepdim")),
    of("std_mean", "self", spread!("unbiased", ".sqrt()", "")),
    of("quantile", "self", again!("self", "(lambda r: torch.lerp(r[..., low], r[..., high], (place - low).to(r.dtype)))(flat(self).sort(-1).values).movedim(-1 if at.ndim else 0, 0).reshape(result.shape)", "if interpolation != 'linear':
    raise NotImplementedError('tsr has the gradient of quantiles between neighbours only')
flat = lambda t: t.reshape(-1) if dim is None else t.movedim(dim, -1)
at = torch.as_tensor(q, dtype=self.dtype)
place = at * (flat(self).shape[-1] - 1)
low, high = place.floor().long(), place.ceil().long()
")),
    of("triangular_solve", "self", "torch.triangular_solve(grads[0], A, upper, not transpose, unitriangular)[0]"),
    of("triangular_solve", "A", "back = torch.triangular_solve(grads[0], A, upper, not transpose, unitriangular)[0]\nfound = -(results[0] @ back.mT) if transpose else -(back @ results[0].mT)\nfound.triu(int(unitriangular)) if upper else found.tril(-int(unitriangular))"),
    of("atleast_1d", "self", "grad.reshape(self.shape)"),
    of("atleast_2d", "self", "grad.reshape(self.shape)"),
    of("atleast_3d", "self", "grad.reshape(self.shape)"),
    with("linalg.cond", "p", "self", again!("self", "(lambda s: s[..., 0] / s[..., -1])(torch.linalg.svdvals(self)) if p is None or p == 2 else torch.linalg.matrix_norm(self, p) * torch.linalg.matrix_norm(torch.linalg.inv(self), p)", "")),
    of("take_along_dim", "self", "at = indices.expand(grad.shape)\nself.new_zeros(self.numel()).scatter_add(0, at.reshape(-1), grad.reshape(-1)).reshape(self.shape) if dim is None else self.new_zeros(self.shape).scatter_add(dim, at, grad)"),
    of("put", "self", "grad if accumulate else grad.put(index, grad.new_zeros(index.shape))"),
    of("put", "source", "grad.take(index).reshape(source.shape)"),
    of("scatter_reduce", "self", concat!("own = True\n", shared!(), "found if include_self else found.scatter(dim, index, 0)")),
    of("scatter_reduce", "src", concat!("own = False\n", shared!(), "found")),
    of("linalg.pinv", "self", again!("self", "(self.mH @ torch.linalg.inv(self @ self.mH)) if self.shape[-2] <= self.shape[-1] else (torch.linalg.inv(self.mH @ self) @ self.mH)", "")),
    of("pinverse", "self", again!("self", "(self.mH @ torch.linalg.inv(self @ self.mH)) if self.shape[-2] <= self.shape[-1] else (torch.linalg.inv(self.mH @ self) @ self.mH)", "")),
    of("matrix_exp", "self", "n, back = self.shape[-1], self.mH\nwhole = torch.cat([torch.cat([back, grad], -1), torch.cat([torch.zeros_like(back), back], -1)], -2)\ntorch.matrix_exp(whole)[..., :n, n:]"),
    of("cholesky_solve", "self", "torch.cholesky_solve(grad, input2, upper)"),
    of("cholesky_solve", "input2", "both = torch.cholesky_solve(grad, input2, upper) @ result.mT\nboth = both + both.mT\n-(input2 @ both) if upper else -(both @ input2)"),
    of("linalg.solve_triangular", "B", "torch.linalg.solve_triangular(self.mT, grad, upper=not upper, left=left, unitriangular=unitriangular)"),
    of("linalg.solve_triangular", "self", "back = torch.linalg.solve_triangular(self.mT, grad, upper=not upper, left=left, unitriangular=unitriangular)\nfound = -(back @ result.mT) if left else -(result.mT @ back)\nfound.triu(int(unitriangular)) if upper else found.tril(-int(unitriangular))"),
    of("diagflat", "self", "grad.diagonal(offset).reshape(self.shape)"),
    of("unsafe_chunk", "self", "torch.cat(grads, dim)"),
    of("unsafe_split", "self", "torch.cat(grads, dim)"),
    of("special.log_softmax", "self", "grad - result.exp() * grad.sum(dim, True)"),
    of("special.softmax", "self", "(grad - (grad * result).sum(dim, True)) * result"),
    of("special.ndtri", "self", "grad * (result ** 2 / 2).exp() * 2.5066282746310002"),
    of("special.log_ndtr", "self", "grad / torch.special.erfcx(self * -0.7071067811865476) * 0.7978845608028654"),
    of("special.xlog1py", "self", "grad * torch.where(self == 0, 0., other.log1p() if isinstance(other, torch.Tensor) else math.log1p(other))"),
    of("special.xlog1py", "other", "grad * self / (other + 1)"),
    of("special.i1", "self", "grad * torch.where(self == 0, 0.5, torch.special.i0(self) - result / self)"),
    of("special.i0e", "self", "grad * (torch.special.i1e(self) - self.sgn() * result)"),
    of("special.i1e", "self", "grad * torch.where(self == 0, 0.5, torch.special.i0e(self) - result * (self.sgn() + 1 / self))"),
    of("special.erfcx", "self", "grad * (2 * self * result - 1.1283791670955126)"),
    of("addbmm", "self", "grad * beta"),
    of("addbmm", "batch1", "grad @ batch2.mT * alpha"),
    of("addbmm", "batch2", "batch1.mT @ grad * alpha"),
    of("float_power", "self", "grad * (exponent * self ** (exponent - 1))"),
    of("slice_scatter", "self", "grad.slice_scatter(torch.zeros_like(src), dim, start, end, step)"),
    of("slice_scatter", "src", "grad.index_select(dim, torch.arange(self.shape[dim])[start:end:step])"),
    of("linalg.inv_ex", "A", "-(result.mT @ grad @ result.mT)"),
    of("linalg.solve_ex", "B", "torch.linalg.solve(A.mT, grad, left=left)"),
    of("linalg.solve_ex", "A", "back = torch.linalg.solve(A.mT, grad, left=left)\nfound = torch.outer(back, result) if back.ndim == 1 else back @ result.mT if left else result.mT @ back\n-found"),
    of("linalg.tensorinv", "self", again!("self", "torch.linalg.inv(self.reshape(math.prod(self.shape[:ind]), -1)).reshape(result.shape)", "")),
    of("linalg.vander", "x", again!("x", "torch.stack([x ** k for k in range(result.shape[-1])], -1)", "")),
    of("uniform_", "self", FLAT),
    of("normal_", "self", FLAT),
    of("exponential_", "self", FLAT),
    of("cauchy_", "self", FLAT),
    of("log_normal_", "self", FLAT),
    of("geometric_", "self", FLAT),
    of("bernoulli_", "self", FLAT),
    of("random_", "self", FLAT),
];
