//! `torch.distributions.transforms`: functions with inverses, and distributions of what they make of others.

use super::{DISTRIBUTION, SHAPE, VALUE, checked, constraints, module};
use crate::lang::library::construct::{Settings, Unless};
use crate::lang::library::written::{Written, attribute, method};

const CACHE: (&str, Unless) = ("cache_size", Unless::Int(0));
const X: Settings = &[("x", Unless::Required)];
const Y: Settings = &[("y", Unless::Required)];
const BOTH: Settings = &[("x", Unless::Required), ("y", Unless::Required)];
const SIZE: Settings = &[("shape", Unless::Required)];

/// A constraint by its name.
macro_rules! constraint {
    ($name:literal) => {
        concat!("torch.distributions.constraints.", $name)
    };
}

/// Says how the last dimensions are added up: `rightmost`.
macro_rules! rightmost {
    () => {
        "rightmost = lambda t, n: t.reshape(t.shape[:t.dim() - n] + (-1,)).sum(-1) if n else t\n"
    };
}

/// What every transform can do.
static TRANSFORM: Written = Written {
    name: "Transform",
    module: module!("transforms"),
    base: None,
    settings: &[CACHE],
    holds: &[],
    make: "[]",
    members: &[
        attribute("__repr__", "f'{type(self).__name__}()'"),
        method("__call__", X, "self._call(x)"),
        method("_call", X, "raise NotImplementedError"),
        method("_inv_call", Y, "self._inverse(y)"),
        method("_inverse", Y, "raise NotImplementedError"),
        method("log_abs_det_jacobian", BOTH, "raise NotImplementedError"),
        method("forward_shape", SIZE, "shape"),
        method("inverse_shape", SIZE, "shape"),
        method("with_cache", &[("cache_size", Unless::Int(1))], "self"),
        attribute("inv", "torch.distributions.transforms._InverseTransform(self)"),
        attribute("bijective", "False"),
        attribute("sign", "raise NotImplementedError"),
        attribute(
            "event_dim",
            "\
if self.domain.event_dim != self.codomain.event_dim:
    raise ValueError('Please use either .domain.event_dim or .codomain.event_dim')
self.domain.event_dim",
        ),
    ],
};

/// A transform without settings: its domain and codomain, whether it has an inverse and grows, what it makes and unmakes, the logarithm
/// of its slope, and what else there is to it.
macro_rules! transform {
    ($name:literal, $domain:literal, $codomain:literal, $bijective:literal, $call:literal, $inverse:literal, [$($more:expr),*]) => {
        &Written {
            name: $name,
            module: module!("transforms"),
            base: Some(&TRANSFORM),
            settings: &[CACHE],
            holds: &["_key"],
            make: concat!("['", $name, "']"),
            members: &[
                attribute("domain", constraint!($domain)),
                attribute("codomain", constraint!($codomain)),
                attribute("bijective", $bijective),
                method("_call", X, $call),
                method("_inverse", Y, $inverse),
                $($more),*
            ],
        }
    };
}

/// The slope of one that grows everywhere, by its logarithm.
macro_rules! growing {
    ($name:literal, $domain:literal, $codomain:literal, $call:literal, $inverse:literal, $slope:literal) => {
        transform!(
            $name,
            $domain,
            $codomain,
            "True",
            $call,
            $inverse,
            [method("log_abs_det_jacobian", BOTH, $slope), attribute("sign", "1")]
        )
    };
}

/// The size of what it makes of a size, where numbers that it was made with are as large as tensors.
const WIDENED: &str = "torch.broadcast_shapes(shape, *[each.shape for each in self._held if isinstance(each, torch.Tensor)])";

/// Some dimensions of real numbers that are looked at together.
const REALS: &str = concat!(
    constraint!("real"),
    " if _event_dim == 0 else torch.distributions.constraints.independent(torch.distributions.constraints.real, _event_dim)"
);

/// The widest of what the parts look at together, from one end to the other.
macro_rules! along {
    ($first:literal, $last:literal, $from:literal, $to:literal, $order:literal) => {
        concat!(
            "whole = parts[",
            $first,
            "].",
            $from,
            " if parts else torch.distributions.constraints.real
dims = parts[",
            $last,
            "].",
            $to,
            ".event_dim if parts else 0
for part in ",
            $order,
            ":
    dims = max(dims + part.",
            $from,
            ".event_dim - part.",
            $to,
            ".event_dim, part.",
            $from,
            ".event_dim)
more = dims - whole.event_dim
torch.distributions.constraints.independent(whole, more) if more > 0 else whole"
        )
    };
}

const COMPOSED_SLOPE: &str = concat!(
    rightmost!(),
    "\
if not parts:
    total = torch.zeros_like(x)
else:
    xs = [x]
    for part in parts[:-1]:
        xs.append(part(xs[-1]))
    total, dims = None, self.domain.event_dim
    for part, a, b in zip(parts, xs, [*xs[1:], y]):
        term = rightmost(part.log_abs_det_jacobian(a, b), dims - part.domain.event_dim)
        total = term if total is None else total + term
        dims += part.codomain.event_dim - part.domain.event_dim
total"
);

/// What a distribution holds of another one, `base`, and the transforms behind it, `transforms`.
macro_rules! settled {
    ($start:literal) => {
        concat!(
            $start,
            "
size, inner = base.batch_shape + base.event_shape, len(base.event_shape)
whole = torch.distributions.ComposeTransform(transforms)
taken, given = whole.domain.event_dim, whole.codomain.event_dim
if len(size) < taken:
    raise ValueError(f'base_distribution needs to have shape with size at least {taken}, but got {size}.')
forward = torch.Size(whole.forward_shape(size))
wide = torch.Size(whole.inverse_shape(forward))
if wide != size:
    base = base.expand(wide[:len(wide) - inner])
if taken > inner:
    base = torch.distributions.Independent(base, taken - inner)
cut = len(forward) - max(given, inner + given - taken)
[base, transforms, forward[:cut], forward[cut:]]"
        )
    };
}

const PARTS: &[&str] = &["base_dist", "transforms", "batch_shape", "event_shape"];

/// How the values of a distribution function turn where its transforms fall: `turned`.
macro_rules! turned {
    () => {
        "sign = 1
for each in transforms:
    sign = sign * each.sign
turned = lambda p: p if isinstance(sign, int) and sign == 1 else sign * (p - 0.5) + 0.5
"
    };
}

static TRANSFORMED: Written = Written {
    name: "TransformedDistribution",
    module: module!("transformed_distribution"),
    base: Some(&DISTRIBUTION),
    settings: &[("base_distribution", Unless::Required), ("transforms", Unless::Required), ("validate_args", Unless::None)],
    holds: PARTS,
    make: settled!(
        "\
base, kind = base_distribution, torch.distributions.Transform
if not isinstance(transforms, (kind, list)):
    raise ValueError(f'transforms must be a Transform or list, but was {transforms}')
transforms = [transforms] if isinstance(transforms, kind) else transforms
if not all(isinstance(each, kind) for each in transforms):
    raise ValueError('transforms must be a Transform or a list of Transforms')"
    ),
    members: &[
        attribute(
            "support",
            "\
last = transforms[-1].codomain if transforms else base_dist.support
more = len(event_shape) - last.event_dim
torch.distributions.constraints.independent(last, more) if transforms and more > 0 else last",
        ),
        attribute("has_rsample", "base_dist.has_rsample"),
        method(
            "sample",
            SHAPE,
            "\
with torch.no_grad():
    x = base_dist.sample(sample_shape)
    for each in transforms:
        x = each(x)
x",
        ),
        method("rsample", SHAPE, "x = base_dist.rsample(sample_shape)\nfor each in transforms:\n    x = each(x)\nx"),
        method(
            "log_prob",
            VALUE,
            checked!(
                rightmost!(),
                "\
inner, y, log = len(event_shape), value, 0.0
for each in reversed(transforms):
    x = each.inv(y)
    inner += each.domain.event_dim - each.codomain.event_dim
    log = log - rightmost(each.log_abs_det_jacobian(x, y), inner - each.domain.event_dim)
    y = x
log + rightmost(base_dist.log_prob(y), inner - len(base_dist.event_shape))"
            ),
        ),
        method(
            "cdf",
            VALUE,
            concat!(turned!(), "for each in reversed(transforms):\n    value = each.inv(value)\nturned(base_dist.cdf(value))"),
        ),
        method(
            "icdf",
            VALUE,
            concat!(turned!(), "x = base_dist.icdf(turned(value))\nfor each in transforms:\n    x = each(x)\nx"),
        ),
        method(
            "expand",
            &[("batch_shape", Unless::Required), ("_instance", Unless::None)],
            "\
size = inner = torch.Size(batch_shape) + self.event_shape
for each in reversed(transforms):
    inner = torch.Size(each.inverse_shape(inner))
base = base_dist.expand(inner[:len(inner) - len(base_dist.event_shape)])
self._with([base, transforms, torch.Size(batch_shape), self.event_shape])",
        ),
    ],
};

/// The rows.
pub(super) static KINDS: &[&Written] = &[
    &TRANSFORM,
    growing!("ExpTransform", "real", "positive", "x.exp()", "y.log()", "x"),
    growing!(
        "SigmoidTransform",
        "real",
        "unit_interval",
        "info = torch.finfo(x.dtype)\ntorch.sigmoid(x).clamp(min=info.tiny, max=1.0 - info.eps)",
        "info = torch.finfo(y.dtype)\ny = y.clamp(min=info.tiny, max=1.0 - info.eps)\ny.log() - (-y).log1p()",
        "-torch.nn.functional.softplus(-x) - torch.nn.functional.softplus(x)"
    ),
    growing!(
        "SoftplusTransform",
        "real",
        "positive",
        "torch.nn.functional.softplus(x)",
        "(-y).expm1().neg().log() + y",
        "-torch.nn.functional.softplus(-x)"
    ),
    growing!(
        "TanhTransform",
        "real",
        "interval(-1.0, 1.0)",
        "x.tanh()",
        "torch.atanh(y)",
        "2.0 * (math.log(2.0) - x - torch.nn.functional.softplus(-2.0 * x))"
    ),
    transform!("AbsTransform", "real", "positive", "False", "x.abs()", "y", []),
    transform!(
        "SoftmaxTransform",
        "real_vector",
        "simplex",
        "False",
        "p = (x - x.max(-1, True)[0]).exp()\np / p.sum(-1, True)",
        "y.log()",
        []
    ),
    transform!(
        "StickBreakingTransform",
        "real_vector",
        "simplex",
        "True",
        "\
info = torch.finfo(x.dtype)
offset = x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)
z = torch.sigmoid(x - offset.log()).clamp(min=info.tiny, max=1.0 - info.eps)
torch.nn.functional.pad(z, [0, 1], value=1) * torch.nn.functional.pad((1 - z).cumprod(-1), [1, 0], value=1)",
        "\
crop = y[..., :-1]
offset = y.shape[-1] - y.new_ones(crop.shape[-1]).cumsum(-1)
rest = torch.clamp(1 - crop.cumsum(-1), min=torch.finfo(y.dtype).tiny)
crop.log() - rest.log() + offset.log()",
        [
            method(
                "log_abs_det_jacobian",
                BOTH,
                "\
offset = x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)
x = x - offset.log()
(-x + torch.nn.functional.logsigmoid(x) + y[..., :-1].log()).sum(-1)"
            ),
            method("forward_shape", SIZE, "shape[:-1] + (shape[-1] + 1,)"),
            method("inverse_shape", SIZE, "shape[:-1] + (shape[-1] - 1,)")
        ]
    ),
    transform!(
        "LowerCholeskyTransform",
        "independent(torch.distributions.constraints.real, 2)",
        "lower_cholesky",
        "False",
        "x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()",
        "y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()",
        []
    ),
    &Written {
        name: "PowerTransform",
        module: module!("transforms"),
        base: Some(&TRANSFORM),
        settings: &[("exponent", Unless::Required), CACHE],
        holds: &["exponent", "_key"],
        make: "exponent, = torch.distributions.utils.broadcast_all(exponent)\n[exponent, ('PowerTransform', str(exponent.tolist()))]",
        members: &[
            attribute("domain", constraint!("positive")),
            attribute("codomain", constraint!("positive")),
            attribute("bijective", "True"),
            attribute("sign", "exponent.sign()"),
            method("_call", X, "x.pow(exponent)"),
            method("_inverse", Y, "y.pow(1 / exponent)"),
            method("log_abs_det_jacobian", BOTH, "(exponent * y / x).abs().log()"),
            method("forward_shape", SIZE, WIDENED),
            method("inverse_shape", SIZE, WIDENED),
        ],
    },
    &Written {
        name: "AffineTransform",
        module: module!("transforms"),
        base: Some(&TRANSFORM),
        settings: &[("loc", Unless::Required), ("scale", Unless::Required), ("event_dim", Unless::Int(0)), CACHE],
        holds: &["loc", "scale", "_event_dim", "_key"],
        make: "\
numbers = [each.tolist() if isinstance(each, torch.Tensor) else float(each) for each in (loc, scale)]
[loc, scale, event_dim, ('AffineTransform', str(numbers))]",
        members: &[
            attribute("event_dim", "_event_dim"),
            attribute("domain", REALS),
            attribute("codomain", REALS),
            attribute("bijective", "True"),
            attribute("sign", "scale.sign() if isinstance(scale, torch.Tensor) else (scale > 0) - (scale < 0)"),
            method("_call", X, "loc + scale * x"),
            method("_inverse", Y, "(y - loc) / scale"),
            method(
                "log_abs_det_jacobian",
                BOTH,
                "\
slope = torch.abs(scale).log() if isinstance(scale, torch.Tensor) else torch.full_like(x, math.log(abs(scale)))
size = x.shape
if _event_dim:
    slope = slope.view(slope.shape[:-_event_dim] + (-1,)).sum(-1)
    size = size[:-_event_dim]
slope.expand(size)",
            ),
            method("forward_shape", SIZE, WIDENED),
            method("inverse_shape", SIZE, WIDENED),
        ],
    },
    &Written {
        name: "ComposeTransform",
        module: module!("transforms"),
        base: Some(&TRANSFORM),
        settings: &[("parts", Unless::Required), CACHE],
        holds: &["parts"],
        make: "[parts]",
        members: &[
            attribute(
                "__repr__",
                "inner = ',\\n    '.join(repr(part) for part in parts)\nf'ComposeTransform(\\n    {inner}\\n)'",
            ),
            attribute("domain", along!("0", "-1", "domain", "codomain", "reversed(parts)")),
            attribute("codomain", along!("-1", "0", "codomain", "domain", "parts")),
            attribute("bijective", "all(part.bijective for part in parts)"),
            attribute("sign", "sign = 1\nfor part in parts:\n    sign = sign * part.sign\nsign"),
            attribute("inv", "torch.distributions.ComposeTransform([part.inv for part in reversed(parts)])"),
            method("__call__", X, "for part in parts:\n    x = part(x)\nx"),
            method("_inv_call", Y, "for part in reversed(parts):\n    y = part.inv(y)\ny"),
            method("log_abs_det_jacobian", BOTH, COMPOSED_SLOPE),
            method("forward_shape", SIZE, "for part in parts:\n    shape = part.forward_shape(shape)\nshape"),
            method("inverse_shape", SIZE, "for part in reversed(parts):\n    shape = part.inverse_shape(shape)\nshape"),
        ],
    },
    &Written {
        name: "_InverseTransform",
        module: module!("transforms"),
        base: Some(&TRANSFORM),
        settings: &[("transform", Unless::Required)],
        holds: &["_inv"],
        make: "[transform]",
        members: &[
            attribute("__repr__", "f'_InverseTransform({_inv!r})'"),
            attribute("domain", "_inv.codomain"),
            attribute("codomain", "_inv.domain"),
            attribute("bijective", "_inv.bijective"),
            attribute("sign", "_inv.sign"),
            attribute("inv", "_inv"),
            method("__call__", X, "_inv._inv_call(x)"),
            method("_inv_call", Y, "_inv(y)"),
            method("log_abs_det_jacobian", BOTH, "-_inv.log_abs_det_jacobian(y, x)"),
            method("forward_shape", SIZE, "_inv.inverse_shape(shape)"),
            method("inverse_shape", SIZE, "_inv.forward_shape(shape)"),
        ],
    },
    &TRANSFORMED,
    &Written {
        name: "LogisticNormal",
        module: module!("logistic_normal"),
        base: Some(&TRANSFORMED),
        settings: &[("loc", Unless::Required), ("scale", Unless::Required), ("validate_args", Unless::None)],
        holds: PARTS,
        make: settled!(
            "\
base = torch.distributions.Normal(loc, scale, validate_args=validate_args)
base = base if base.batch_shape else base.expand([1])
transforms = [torch.distributions.StickBreakingTransform()]"
        ),
        members: &[
            constraints!("loc": "real", "scale": "positive"),
            attribute("loc", "base_dist.base_dist.loc"),
            attribute("scale", "base_dist.base_dist.scale"),
        ],
    },
];
