//! What is seldom gone back through.

use super::{Rule, of, with};

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
    with("linalg.cond", "p", "self", again!("self", "(lambda s: s[..., 0] / s[..., -1])(torch.linalg.svdvals(self)) if p is None or p == 2 else torch.linalg.matrix_norm(self, p) * torch.linalg.matrix_norm(torch.linalg.inv(self), p)", "")),
    of("scatter_reduce", "self", concat!("own = True\n", shared!(), "found if include_self else found.scatter(dim, index, 0)")),
    of("scatter_reduce", "src", concat!("own = False\n", shared!(), "found")),
    of("linalg.pinv", "self", again!("self", "(self.mH @ torch.linalg.inv(self @ self.mH)) if self.shape[-2] <= self.shape[-1] else (torch.linalg.inv(self.mH @ self) @ self.mH)", "")),
    of("pinverse", "self", again!("self", "(self.mH @ torch.linalg.inv(self @ self.mH)) if self.shape[-2] <= self.shape[-1] else (torch.linalg.inv(self.mH @ self) @ self.mH)", "")),
    of("linalg.tensorinv", "self", again!("self", "torch.linalg.inv(self.reshape(math.prod(self.shape[:ind]), -1)).reshape(result.shape)", "")),
    of("linalg.vander", "x", again!("x", "torch.stack([x ** k for k in range(result.shape[-1])], -1)", "")),
];
