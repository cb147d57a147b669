//! Products of matrices and what solves them.

use super::{Rule, of};

#[rustfmt::skip] // one rule a line
pub(super) const RULES: &[Rule] = &[
    of("tensordot", "a", again!("a", "(a.permute(rest_a + left).reshape(-1, count) @ b.permute(right + rest_b).reshape(count, -1)).reshape(result.shape)", "n = dims if isinstance(dims, int) else len(dims[0])\nleft = list(range(a.ndim - n, a.ndim)) if isinstance(dims, int) else [d % a.ndim for d in dims[0]]\nright = list(range(n)) if isinstance(dims, int) else [d % b.ndim for d in dims[1]]\nrest_a = [d for d in range(a.ndim) if d not in left]\nrest_b = [d for d in range(b.ndim) if d not in right]\ncount = math.prod([a.shape[d] for d in left])\n")),
    of("tensordot", "b", again!("b", "(a.permute(rest_a + left).reshape(-1, count) @ b.permute(right + rest_b).reshape(count, -1)).reshape(result.shape)", "n = dims if isinstance(dims, int) else len(dims[0])\nleft = list(range(a.ndim - n, a.ndim)) if isinstance(dims, int) else [d % a.ndim for d in dims[0]]\nright = list(range(n)) if isinstance(dims, int) else [d % b.ndim for d in dims[1]]\nrest_a = [d for d in range(a.ndim) if d not in left]\nrest_b = [d for d in range(b.ndim) if d not in right]\ncount = math.prod([a.shape[d] for d in left])\n")),
    of("kron", "self", again!("self", "(self.reshape([k for d in one for k in (d, 1)]) * other.reshape([k for d in two for k in (1, d)])).reshape(result.shape)", "n = max(self.ndim, other.ndim)\none = [1] * (n - self.ndim) + list(self.shape)\ntwo = [1] * (n - other.ndim) + list(other.shape)\n")),
    of("kron", "other", again!("other", "(self.reshape([k for d in one for k in (d, 1)]) * other.reshape([k for d in two for k in (1, d)])).reshape(result.shape)", "n = max(self.ndim, other.ndim)\none = [1] * (n - self.ndim) + list(self.shape)\ntwo = [1] * (n - other.ndim) + list(other.shape)\n")),
    of("inner", "self", again!("self", "(self.reshape(-1, self.shape[-1]) @ other.reshape(-1, other.shape[-1]).t()).reshape(result.shape) if self.ndim and other.ndim else self * other", "")),
    of("inner", "other", again!("other", "(self.reshape(-1, self.shape[-1]) @ other.reshape(-1, other.shape[-1]).t()).reshape(result.shape) if self.ndim and other.ndim else self * other", "")),
];
