//! Sums, extremes, norms, and what runs along a dimension.

use super::{Rule, of, with};
use crate::ops::autograd::texts::PICKED;

/// A text that sees `dims`, the dimensions that were reduced, `kept`, the gradient with them as 1, and `r`, the result so.
macro_rules! reduced {
    ($text:literal) => {
        concat!(
            "dims = list(range(self.ndim)) if dim is None or dim == () or dim == [] else [d % max(self.ndim, 1) for d in ([dim] if isinstance(dim, int) else dim)]\n",
            "ones = [1 if k in dims else n for k, n in enumerate(self.shape)]\n",
            "kept = grad.reshape(ones)\n",
            $text
        )
    };
}

/// As `reduced`, of all dimensions.
macro_rules! whole {
    ($text:literal) => {
        concat!("dims = list(range(self.ndim))\nones = [1] * self.ndim\nkept = grad.reshape(ones)\n", $text)
    };
}

#[rustfmt::skip] // one rule a line
pub(super) const RULES: &[Rule] = &[
    with("sum", "dim", "self", reduced!("kept.expand(self.shape)")),
    of("sum", "self", "grad.expand(self.shape)"),
    with("nansum", "dim", "self", reduced!("kept.expand(self.shape) * ~self.isnan()")),
    of("nansum", "self", "grad.expand(self.shape) * ~self.isnan()"),
    with("mean", "dim", "self", reduced!("kept.expand(self.shape) / (self.numel() // max(kept.numel(), 1))")),
    of("mean", "self", "grad.expand(self.shape) / self.numel()"),
    with("prod", "dim", "self", reduced!("one = self.narrow(dims[0], 0, 1) * 0 + 1\nbefore = torch.cat([one, self.narrow(dims[0], 0, self.shape[dims[0]] - 1)], dims[0]).cumprod(dims[0])\nback = self.flip(dims[0])\nbehind = torch.cat([one, back.narrow(dims[0], 0, self.shape[dims[0]] - 1)], dims[0]).cumprod(dims[0]).flip(dims[0])\nkept * (before * behind)")),
    with("var", "correction", "self", reduced!("n = self.numel() // max(kept.numel(), 1)\n2 / (n - (1 if correction is None else correction)) * kept * (self - self.mean(dims, True))")),
    with("var", "dim", "self", reduced!("n = self.numel() // max(kept.numel(), 1)\n2 / (n - int(unbiased)) * kept * (self - self.mean(dims, True))")),
    of("var", "self", whole!("2 / (self.numel() - int(unbiased)) * kept * (self - self.mean())")),
    with("std", "correction", "self", reduced!("n = self.numel() // max(kept.numel(), 1)\nr = result.reshape(ones)\nkept = (kept / (r * 2)).masked_fill(r == 0, 0)\n2 / (n - (1 if correction is None else correction)) * kept * (self - self.mean(dims, True))")),
    with("std", "dim", "self", reduced!("n = self.numel() // max(kept.numel(), 1)\nr = result.reshape(ones)\nkept = (kept / (r * 2)).masked_fill(r == 0, 0)\n2 / (n - int(unbiased)) * kept * (self - self.mean(dims, True))")),
    of("std", "self", whole!("r = result.reshape(ones)\nkept = (kept / (r * 2)).masked_fill(r == 0, 0)\n2 / (self.numel() - int(unbiased)) * kept * (self - self.mean())")),
    of("prod", "self", PROD),
    of("norm", "self", concat!("order = 2 if p in (None, 'fro') else p\n", reduced!("r = result.reshape(ones)\nif order == 2:\n    found = self * (kept / r).masked_fill(r == 0, 0)\nelif order == 1:\n    found = self.sgn() * kept\nelif order == 0:\n    found = self.new_zeros(self.shape)\nelif abs(order) == float('inf'):\n    alike = self.abs() == r\n    found = self.sgn() * (alike * (kept / alike.sum(dims, True)))\nelse:\n    found = (self * self.abs() ** (order - 2)) * (kept / r ** (order - 1)).masked_fill(r == 0, 0)\nfound"))),
    of("linalg.vector_norm", "self", concat!("order = ord\n", reduced!("r = result.reshape(ones)\nif order == 2:\n    found = self * (kept / r).masked_fill(r == 0, 0)\nelif order == 1:\n    found = self.sgn() * kept\nelif order == 0:\n    found = self.new_zeros(self.shape)\nelif abs(order) == float('inf'):\n    alike = self.abs() == r\n    found = self.sgn() * (alike * (kept / alike.sum(dims, True)))\nelse:\n    found = (self * self.abs() ** (order - 2)) * (kept / r ** (order - 1)).masked_fill(r == 0, 0)\nfound"))),
    of("amax", "self", reduced!("alike = self == result.reshape(ones)\nalike * (kept / alike.sum(dims, True))")),
    of("amin", "self", reduced!("alike = self == result.reshape(ones)\nalike * (kept / alike.sum(dims, True))")),
    of("sort", "self", PICKED),
    of("topk", "self", PICKED),
    of("kthvalue", "self", PICKED),
    of("logsumexp", "self", reduced!("kept * (self - result.reshape(ones)).exp()")),
];

/// The product of the others, also where elements are 0.
const PROD: &str = "flat = self.reshape(-1)
if (flat == 0).any():
    one = flat.new_ones(1)
    before = torch.cat([one, flat[:-1]]).cumprod(0)
    behind = torch.cat([one, flat.flip(0)[:-1]]).cumprod(0).flip(0)
    found = grad * (before * behind).reshape(self.shape)
else:
    found = grad * result / self
found";
