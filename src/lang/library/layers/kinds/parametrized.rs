//! What a parameter of a layer is computed by.

use super::{Kind, nothing};
use crate::lang::library::construct::Unless::{Float, Int, Required};

/// The rows.
pub(in crate::lang::library::layers) static KINDS: &[Kind] = &[
    Kind {
        name: "_WeightNorm",
        module: "utils.parametrizations",
        settings: &[("dim", Int(0))],
        takes: &[("weight_g", Required), ("weight_v", Required)],
        holds: &[],
        buffers: &[],
        make: "",
        run: "torch._weight_norm(weight_v, weight_g, dim)",
        shows: nothing,
    },
    Kind {
        name: "_SpectralNorm",
        module: "utils.parametrizations",
        settings: &[("initial", Required), ("n_power_iterations", Int(1)), ("dim", Int(0)), ("eps", Float(1e-12))],
        takes: &[("weight", Required)],
        holds: &[],
        buffers: &["_u", "_v"],
        make: MAKE,
        run: RUN,
        shows: nothing,
    },
];

/// Fifteen steps toward the greatest singular value.
const MAKE: &str = "\
normal = lambda x: torch.nn.functional.normalize(x, dim=0, eps=eps)
at = dim if dim >= 0 else dim + initial.dim()
found = [None, None]
if initial.dim() > 1:
    whole = initial if at == 0 else initial.permute(at, *[d for d in range(initial.dim()) if d != at])
    whole = whole.flatten(1)
    u, v = whole.new_empty(whole.size(0)).normal_(0, 1), whole.new_empty(whole.size(1)).normal_(0, 1)
    u, v = normal(u), normal(v)
    for _ in range(15):
        u = normal(torch.mv(whole, v))
        v = normal(torch.mv(whole.t(), u))
    found = [u, v]
found";

const RUN: &str = "\
normal = lambda x: torch.nn.functional.normalize(x, dim=0, eps=eps)
at = dim if dim >= 0 else dim + weight.dim()
if weight.dim() == 1:
    found = normal(weight)
else:
    whole = weight if at == 0 else weight.permute(at, *[d for d in range(weight.dim()) if d != at])
    whole = whole.flatten(1)
    if training:
        with torch.no_grad():
            for _ in range(n_power_iterations):
                _u.copy_(normal(torch.mv(whole, _v)))
                _v.copy_(normal(torch.mv(whole.t(), _u)))
    u, v = _u.clone(), _v.clone()
    found = weight / torch.vdot(u, torch.mv(whole, v))
found";
