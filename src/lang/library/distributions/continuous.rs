//! Distributions of one real number.

use super::{DISTRIBUTION, SHAPE, VALUE, checked, constraints, drawn, module, tensors};
use crate::lang::library::construct::Unless;
use crate::lang::library::written::{Written, attribute, method};

/// The gamma distribution, on which others build.
static GAMMA: Written = Written {
    name: "Gamma",
    module: module!("gamma"),
    base: Some(&DISTRIBUTION),
    settings: &[("concentration", Unless::Required), ("rate", Unless::Required), ("validate_args", Unless::None)],
    holds: &["concentration", "rate"],
    make: tensors!("concentration, rate"),
    members: &[
        constraints!("concentration": "positive", "rate": "positive"),
        attribute("support", "torch.distributions.constraints.nonnegative"),
        attribute("has_rsample", "True"),
        attribute("batch_shape", "concentration.shape"),
        attribute("mean", "concentration / rate"),
        attribute("mode", "((concentration - 1) / rate).clamp(min=0)"),
        attribute("variance", "concentration / rate.pow(2)"),
        method(
            "rsample",
            SHAPE,
            drawn!(
                "\
value = torch._standard_gamma(concentration.expand(shape)) / rate.expand(shape)
value.clamp_(min=torch.finfo(value.dtype).tiny)"
            ),
        ),
        method(
            "log_prob",
            VALUE,
            "\
value = torch.as_tensor(value, dtype=rate.dtype)
self._validate_sample(value)
torch.xlogy(concentration, rate) + torch.xlogy(concentration - 1, value) - rate * value - torch.lgamma(concentration)",
        ),
        method("cdf", VALUE, checked!("torch.special.gammainc(concentration, rate * value)")),
        method(
            "entropy",
            &[],
            "concentration - torch.log(rate) + torch.lgamma(concentration) + (1.0 - concentration) * torch.digamma(concentration)",
        ),
    ],
};

/// The rows.
pub(super) static KINDS: &[&Written] = &[
    &GAMMA,
    &Written {
        name: "Normal",
        module: module!("normal"),
        base: Some(&DISTRIBUTION),
        settings: &[("loc", Unless::Required), ("scale", Unless::Required), ("validate_args", Unless::None)],
        holds: &["loc", "scale"],
        make: tensors!("loc, scale"),
        members: &[
            constraints!("loc": "real", "scale": "positive"),
            attribute("support", "torch.distributions.constraints.real"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "loc.shape"),
            attribute("mean", "loc"),
            attribute("mode", "loc"),
            attribute("stddev", "scale"),
            attribute("variance", "scale.pow(2)"),
            method("sample", SHAPE, drawn!("torch.normal(loc.detach().expand(shape), scale.detach().expand(shape))")),
            method(
                "rsample",
                SHAPE,
                drawn!("loc + torch.normal(torch.zeros(shape, dtype=loc.dtype), torch.ones(shape, dtype=loc.dtype)) * scale"),
            ),
            method(
                "log_prob",
                VALUE,
                checked!("-((value - loc) ** 2) / (2 * scale ** 2) - scale.log() - math.log(math.sqrt(2 * math.pi))"),
            ),
            method("cdf", VALUE, checked!("0.5 * (1 + torch.erf((value - loc) * scale.reciprocal() / math.sqrt(2)))")),
            method("icdf", VALUE, "loc + scale * torch.erfinv(2 * value - 1) * math.sqrt(2)"),
            method("entropy", &[], "0.5 + 0.5 * math.log(2 * math.pi) + torch.log(scale)"),
        ],
    },
    &Written {
        name: "LogNormal",
        module: module!("log_normal"),
        base: Some(&DISTRIBUTION),
        settings: &[("loc", Unless::Required), ("scale", Unless::Required), ("validate_args", Unless::None)],
        holds: &["base_dist"],
        make: "[torch.distributions.Normal(loc, scale, validate_args=validate_args)]",
        members: &[
            constraints!("loc": "real", "scale": "positive"),
            attribute("support", "torch.distributions.constraints.positive"),
            attribute("transforms", "[torch.distributions.ExpTransform()]"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "base_dist.batch_shape"),
            attribute("loc", "base_dist.loc"),
            attribute("scale", "base_dist.scale"),
            attribute("mean", "(self.loc + self.scale.pow(2) / 2).exp()"),
            attribute("mode", "(self.loc - self.scale.square()).exp()"),
            attribute("variance", "spread = self.scale.pow(2)\nspread.expm1() * (2 * self.loc + spread).exp()"),
            method("rsample", SHAPE, "base_dist.rsample(sample_shape).exp()"),
            method("sample", SHAPE, "base_dist.sample(sample_shape).exp()"),
            method("log_prob", VALUE, checked!("log = value.log()\n0.0 - log + base_dist.log_prob(log)")),
            method("cdf", VALUE, "base_dist.cdf(value.log())"),
            method("icdf", VALUE, "base_dist.icdf(value).exp()"),
            method("entropy", &[], "base_dist.entropy() + self.loc"),
        ],
    },
    &Written {
        name: "HalfNormal",
        module: module!("half_normal"),
        base: Some(&DISTRIBUTION),
        settings: &[("scale", Unless::Required), ("validate_args", Unless::None)],
        holds: &["base_dist"],
        make: "[torch.distributions.Normal(0, scale, validate_args=False)]",
        members: &[
            constraints!("scale": "positive"),
            attribute("support", "torch.distributions.constraints.nonnegative"),
            attribute("transforms", "[torch.distributions.AbsTransform()]"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "base_dist.batch_shape"),
            attribute("scale", "base_dist.scale"),
            attribute("mean", "self.scale * math.sqrt(2 / math.pi)"),
            attribute("mode", "torch.zeros_like(self.scale)"),
            attribute("variance", "self.scale.pow(2) * (1 - 2 / math.pi)"),
            method("rsample", SHAPE, "base_dist.rsample(sample_shape).abs()"),
            method("sample", SHAPE, "base_dist.sample(sample_shape).abs()"),
            method("log_prob", VALUE, checked!("torch.where(value >= 0, base_dist.log_prob(value) + math.log(2), -math.inf)")),
            method("cdf", VALUE, checked!("2 * base_dist.cdf(value) - 1")),
            method("icdf", VALUE, "base_dist.icdf((value + 1) / 2)"),
            method("entropy", &[], "base_dist.entropy() - math.log(2)"),
        ],
    },
    &Written {
        name: "HalfCauchy",
        module: module!("half_cauchy"),
        base: Some(&DISTRIBUTION),
        settings: &[("scale", Unless::Required), ("validate_args", Unless::None)],
        holds: &["base_dist"],
        make: "[torch.distributions.Cauchy(0, scale, validate_args=False)]",
        members: &[
            constraints!("scale": "positive"),
            attribute("support", "torch.distributions.constraints.nonnegative"),
            attribute("transforms", "[torch.distributions.AbsTransform()]"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "base_dist.batch_shape"),
            attribute("scale", "base_dist.scale"),
            attribute("mean", "torch.full(self._extended_shape(), math.inf, dtype=self.scale.dtype)"),
            attribute("mode", "torch.zeros_like(self.scale)"),
            attribute("variance", "base_dist.variance"),
            method("rsample", SHAPE, "base_dist.rsample(sample_shape).abs()"),
            method("sample", SHAPE, "base_dist.sample(sample_shape).abs()"),
            method("log_prob", VALUE, checked!("torch.where(value >= 0, base_dist.log_prob(value) + math.log(2), -math.inf)")),
            method("cdf", VALUE, checked!("2 * base_dist.cdf(value) - 1")),
            method("icdf", VALUE, "base_dist.icdf((value + 1) / 2)"),
            method("entropy", &[], "base_dist.entropy() - math.log(2)"),
        ],
    },
    &Written {
        name: "Uniform",
        module: module!("uniform"),
        base: Some(&DISTRIBUTION),
        settings: &[("low", Unless::Required), ("high", Unless::Required), ("validate_args", Unless::None)],
        holds: &["low", "high"],
        make: tensors!("low, high"),
        members: &[
            constraints!("low": "less_than(self.high)", "high": "greater_than(self.low)"),
            attribute("support", "torch.distributions.constraints.interval(low, high)"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "low.shape"),
            attribute("mean", "(high + low) / 2"),
            attribute("mode", "math.nan * high"),
            attribute("stddev", "(high - low) / 12 ** 0.5"),
            attribute("variance", "(high - low).pow(2) / 12"),
            method("rsample", SHAPE, drawn!("low + torch.rand(shape, dtype=low.dtype) * (high - low)")),
            method(
                "log_prob",
                VALUE,
                checked!("torch.log(low.le(value).type_as(low).mul(high.gt(value).type_as(low))) - torch.log(high - low)"),
            ),
            method("cdf", VALUE, checked!("((value - low) / (high - low)).clamp(min=0, max=1)")),
            method("icdf", VALUE, "value * (high - low) + low"),
            method("entropy", &[], "torch.log(high - low)"),
        ],
    },
    &Written {
        name: "Exponential",
        module: module!("exponential"),
        base: Some(&DISTRIBUTION),
        settings: &[("rate", Unless::Required), ("validate_args", Unless::None)],
        holds: &["rate"],
        make: tensors!("rate"),
        members: &[
            constraints!("rate": "positive"),
            attribute("support", "torch.distributions.constraints.nonnegative"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "rate.shape"),
            attribute("mean", "rate.reciprocal()"),
            attribute("mode", "torch.zeros_like(rate)"),
            attribute("stddev", "rate.reciprocal()"),
            attribute("variance", "rate.pow(-2)"),
            method("rsample", SHAPE, drawn!("torch.empty(shape, dtype=rate.dtype).exponential_() / rate")),
            method("log_prob", VALUE, checked!("rate.log() - rate * value")),
            method("cdf", VALUE, checked!("1 - torch.exp(-rate * value)")),
            method("icdf", VALUE, "-torch.log1p(-value) / rate"),
            method("entropy", &[], "1.0 - torch.log(rate)"),
        ],
    },
    &Written {
        name: "Laplace",
        module: module!("laplace"),
        base: Some(&DISTRIBUTION),
        settings: &[("loc", Unless::Required), ("scale", Unless::Required), ("validate_args", Unless::None)],
        holds: &["loc", "scale"],
        make: tensors!("loc, scale"),
        members: &[
            constraints!("loc": "real", "scale": "positive"),
            attribute("support", "torch.distributions.constraints.real"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "loc.shape"),
            attribute("mean", "loc"),
            attribute("mode", "loc"),
            attribute("stddev", "2 ** 0.5 * scale"),
            attribute("variance", "2 * scale.pow(2)"),
            method(
                "rsample",
                SHAPE,
                drawn!(
                    "\
u = torch.empty(shape, dtype=loc.dtype).uniform_(torch.finfo(loc.dtype).eps - 1, 1)
loc - scale * u.sign() * torch.log1p(-u.abs())"
                ),
            ),
            method("log_prob", VALUE, checked!("-torch.log(2 * scale) - torch.abs(value - loc) / scale")),
            method("cdf", VALUE, checked!("0.5 - 0.5 * (value - loc).sign() * torch.expm1(-(value - loc).abs() / scale)")),
            method("icdf", VALUE, "off = value - 0.5\nloc - scale * off.sign() * torch.log1p(-2 * off.abs())"),
            method("entropy", &[], "1 + torch.log(2 * scale)"),
        ],
    },
    &Written {
        name: "Cauchy",
        module: module!("cauchy"),
        base: Some(&DISTRIBUTION),
        settings: &[("loc", Unless::Required), ("scale", Unless::Required), ("validate_args", Unless::None)],
        holds: &["loc", "scale"],
        make: tensors!("loc, scale"),
        members: &[
            constraints!("loc": "real", "scale": "positive"),
            attribute("support", "torch.distributions.constraints.real"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "loc.shape"),
            attribute("mean", "torch.full(self._extended_shape(), math.nan, dtype=loc.dtype)"),
            attribute("mode", "loc"),
            attribute("variance", "torch.full(self._extended_shape(), math.inf, dtype=loc.dtype)"),
            method("rsample", SHAPE, drawn!("loc + torch.empty(shape, dtype=loc.dtype).cauchy_() * scale")),
            method("log_prob", VALUE, checked!("-math.log(math.pi) - scale.log() - (((value - loc) / scale) ** 2).log1p()")),
            method("cdf", VALUE, checked!("torch.atan((value - loc) / scale) / math.pi + 0.5")),
            method("icdf", VALUE, "torch.tan(math.pi * (value - 0.5)) * scale + loc"),
            method("entropy", &[], "math.log(4 * math.pi) + scale.log()"),
        ],
    },
    &Written {
        name: "Gumbel",
        module: module!("gumbel"),
        base: Some(&DISTRIBUTION),
        settings: &[("loc", Unless::Required), ("scale", Unless::Required), ("validate_args", Unless::None)],
        holds: &["loc", "scale"],
        make: "loc, scale = torch.distributions.utils.broadcast_all(loc, scale)\ntorch.finfo(loc.dtype)\n[loc, scale]",
        members: &[
            constraints!("loc": "real", "scale": "positive"),
            attribute("support", "torch.distributions.constraints.real"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "loc.shape"),
            attribute("mean", "loc + scale * 0.5772156649015329"),
            attribute("mode", "loc"),
            attribute("stddev", "(math.pi / math.sqrt(6)) * scale"),
            attribute("variance", "self.stddev.pow(2)"),
            method(
                "rsample",
                SHAPE,
                drawn!(
                    "\
info = torch.finfo(loc.dtype)
u = info.tiny + torch.rand(shape, dtype=loc.dtype) * (torch.full_like(loc, 1 - info.eps) - info.tiny)
loc - scale * torch.log(-u.log())"
                ),
            ),
            method("log_prob", VALUE, checked!("y = (loc - value) / scale\n(y - y.exp()) - scale.log()")),
            method(
                "cdf",
                VALUE,
                "\
info = torch.finfo(loc.dtype)
high = torch.full_like(loc, 1 - info.eps)
u = (((value - loc) / -scale).exp() / -torch.ones_like(scale)).exp()
((u - info.tiny) / (high - info.tiny)).clamp(min=0, max=1) - 0.5 + 0.5",
            ),
            method(
                "icdf",
                VALUE,
                "\
info = torch.finfo(loc.dtype)
u = value * (torch.full_like(loc, 1 - info.eps) - info.tiny) + info.tiny
loc - scale * torch.log(-u.log())",
            ),
            method("entropy", &[], "scale.log() + (1 + 0.5772156649015329)"),
        ],
    },
    &Written {
        name: "Weibull",
        module: module!("weibull"),
        base: Some(&DISTRIBUTION),
        settings: &[("scale", Unless::Required), ("concentration", Unless::Required), ("validate_args", Unless::None)],
        holds: &["scale", "concentration"],
        make: tensors!("scale, concentration"),
        members: &[
            constraints!("scale": "positive", "concentration": "positive"),
            attribute("support", "torch.distributions.constraints.positive"),
            attribute(
                "transforms",
                "[torch.distributions.PowerTransform(exponent=concentration.reciprocal()), torch.distributions.AffineTransform(loc=0, scale=scale)]",
            ),
            attribute("base_dist", "torch.distributions.Exponential(torch.ones_like(scale), validate_args=validate_args)"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "scale.shape"),
            attribute("concentration_reciprocal", "concentration.reciprocal()"),
            attribute("mean", "scale * torch.exp(torch.lgamma(1 + concentration.reciprocal()))"),
            attribute("mode", "scale * ((concentration - 1) / concentration) ** concentration.reciprocal()"),
            attribute(
                "variance",
                "\
power = concentration.reciprocal()
scale.pow(2) * (torch.exp(torch.lgamma(1 + 2 * power)) - torch.exp(2 * torch.lgamma(1 + power)))",
            ),
            method(
                "rsample",
                SHAPE,
                drawn!(
                    "scale * (torch.empty(shape, dtype=scale.dtype).exponential_() / torch.ones_like(scale)).pow(concentration.reciprocal())"
                ),
            ),
            method(
                "log_prob",
                VALUE,
                checked!(
                    "\
power, y = concentration.reciprocal(), value / scale
x = y.pow(1 / power)
0.0 - scale.abs().log() - (power * y / x).abs().log() - x"
                ),
            ),
            method(
                "cdf",
                VALUE,
                "\
sign = concentration.reciprocal().sign() * scale.sign()
sign * (self.base_dist.cdf((value / scale).pow(1 / concentration.reciprocal())) - 0.5) + 0.5",
            ),
            method(
                "icdf",
                VALUE,
                "\
sign = concentration.reciprocal().sign() * scale.sign()
scale * (-torch.log1p(-(sign * (value - 0.5) + 0.5))).pow(concentration.reciprocal())",
            ),
            method(
                "entropy",
                &[],
                "\
power = concentration.reciprocal()
0.5772156649015329 * (1 - power) + torch.log(scale * power) + 1",
            ),
        ],
    },
    &Written {
        name: "Pareto",
        module: module!("pareto"),
        base: Some(&DISTRIBUTION),
        settings: &[("scale", Unless::Required), ("alpha", Unless::Required), ("validate_args", Unless::None)],
        holds: &["scale", "alpha", "base_dist"],
        make: "\
scale, alpha = torch.distributions.utils.broadcast_all(scale, alpha)
[scale, alpha, torch.distributions.Exponential(alpha, validate_args=validate_args)]",
        members: &[
            constraints!("alpha": "positive", "scale": "positive"),
            attribute("support", "torch.distributions.constraints.greater_than_eq(scale)"),
            attribute(
                "transforms",
                "[torch.distributions.ExpTransform(), torch.distributions.AffineTransform(loc=0, scale=scale)]",
            ),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "scale.shape"),
            attribute("mean", "a = alpha.clamp(min=1)\na * scale / (a - 1)"),
            attribute("mode", "scale"),
            attribute("variance", "a = alpha.clamp(min=2)\nscale.pow(2) * a / ((a - 1).pow(2) * (a - 2))"),
            method("rsample", SHAPE, drawn!("scale * (torch.empty(shape, dtype=alpha.dtype).exponential_() / alpha).exp()")),
            method(
                "log_prob",
                VALUE,
                checked!("log = (value / scale).log()\n0.0 - scale.abs().log() - log + (alpha.log() - alpha * log)"),
            ),
            method("cdf", VALUE, "scale.sign() * (base_dist.cdf((value / scale).log()) - 0.5) + 0.5"),
            method("icdf", VALUE, "scale * base_dist.icdf(scale.sign() * (value - 0.5) + 0.5).exp()"),
            method("entropy", &[], "(scale / alpha).log() + (1 + alpha.reciprocal())"),
        ],
    },
    &Written {
        name: "Chi2",
        module: module!("chi2"),
        base: Some(&GAMMA),
        settings: &[("df", Unless::Required), ("validate_args", Unless::None)],
        holds: &["concentration", "rate"],
        make: "[*torch.distributions.utils.broadcast_all(0.5 * df, 0.5)]",
        members: &[constraints!("df": "positive"), attribute("df", "concentration * 2")],
    },
    &Written {
        name: "StudentT",
        module: module!("studentT"),
        base: Some(&DISTRIBUTION),
        settings: &[
            ("df", Unless::Required),
            ("loc", Unless::Float(0.0)),
            ("scale", Unless::Float(1.0)),
            ("validate_args", Unless::None),
        ],
        holds: &["df", "loc", "scale", "_chi2"],
        make: "\
df, loc, scale = torch.distributions.utils.broadcast_all(df, loc, scale)
[df, loc, scale, torch.distributions.Chi2(df)]",
        members: &[
            constraints!("df": "positive", "loc": "real", "scale": "positive"),
            attribute("support", "torch.distributions.constraints.real"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "df.shape"),
            attribute("mean", "m = loc.clone()\nm[df <= 1] = math.nan\nm"),
            attribute("mode", "loc"),
            attribute(
                "variance",
                "\
m = df.clone()
m[df > 2] = scale[df > 2].pow(2) * df[df > 2] / (df[df > 2] - 2)
m[(df <= 2) & (df > 1)] = math.inf
m[df <= 1] = math.nan
m",
            ),
            method(
                "rsample",
                SHAPE,
                drawn!(
                    "\
x = torch.normal(torch.zeros(shape, dtype=df.dtype), torch.ones(shape, dtype=df.dtype))
z = _chi2.rsample(sample_shape)
loc + scale * (x * torch.rsqrt(z / df))"
                ),
            ),
            method(
                "log_prob",
                VALUE,
                checked!(
                    "\
y = (value - loc) / scale
z = scale.log() + 0.5 * df.log() + 0.5 * math.log(math.pi) + torch.lgamma(0.5 * df) - torch.lgamma(0.5 * (df + 1.0))
-0.5 * (df + 1.0) * torch.log1p(y ** 2.0 / df) - z"
                ),
            ),
            method(
                "entropy",
                &[],
                "\
half = 0.5 * (df + 1)
log = torch.lgamma(0.5 * df) + math.lgamma(0.5) - torch.lgamma(half)
scale.log() + half * (torch.digamma(half) - torch.digamma(0.5 * df)) + 0.5 * df.log() + log",
            ),
        ],
    },
    &Written {
        name: "Beta",
        module: module!("beta"),
        base: Some(&DISTRIBUTION),
        settings: &[("concentration1", Unless::Required), ("concentration0", Unless::Required), ("validate_args", Unless::None)],
        holds: &["_dirichlet"],
        make: "\
if isinstance(concentration1, (int, float)) and isinstance(concentration0, (int, float)):
    both = torch.tensor([float(concentration1), float(concentration0)])
else:
    both = torch.stack(torch.distributions.utils.broadcast_all(concentration1, concentration0), -1)
[torch.distributions.Dirichlet(both, validate_args=validate_args)]",
        members: &[
            constraints!("concentration1": "positive", "concentration0": "positive"),
            attribute("support", "torch.distributions.constraints.unit_interval"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "_dirichlet.batch_shape"),
            attribute("concentration1", "_dirichlet.concentration[..., 0]"),
            attribute("concentration0", "_dirichlet.concentration[..., 1]"),
            attribute("mean", "self.concentration1 / (self.concentration1 + self.concentration0)"),
            attribute("mode", "_dirichlet.mode[..., 0]"),
            attribute("variance", "a, b = self.concentration1, self.concentration0\na * b / ((a + b).pow(2) * (a + b + 1))"),
            method("rsample", SHAPE, "_dirichlet.rsample(sample_shape).select(-1, 0)"),
            method("log_prob", VALUE, checked!("_dirichlet.log_prob(torch.stack([value, 1.0 - value], -1))")),
            method("entropy", &[], "_dirichlet.entropy()"),
        ],
    },
];
