//! Distributions that are seldom asked for: of angles, of tails, of what lies between 0 and 1, and mixtures.

use super::relaxed::{LOGITS, one_of_two};
use super::{DISTRIBUTION, EMPTY, SHAPE, VALUE, checked, constraints, drawn, module, tensors};
use crate::lang::library::construct::Unless;
use crate::lang::library::written::{Written, attribute, method};

/// The logarithms of the modified Bessel functions of order 0 and 1, by two polynomials each.
const BESSEL_OF: &str = "\
few = ([1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.0360768, 0.0045813],
    [0.5, 0.87890594, 0.51498869, 0.15084934, 0.02658733, 0.00301532, 0.00032411])
many = ([0.39894228, 0.01328592, 0.00225319, -0.00157565, 0.00916281, -0.02057706, 0.02635537, -0.01647633, 0.00392377],
    [0.39894228, -0.03988024, -0.00362018, 0.00163801, -0.01031555, 0.02282967, -0.02895312, 0.01787654, -0.00420059])
def along(y, factors):
    result = factors[-1]
    for factor in reversed(factors[:-1]):
        result = factor + y * result
    return result
def log_bessel(x, order):
    small = along((x / 3.75) ** 2, few[order])
    small = (x.abs() * small if order else small).log()
    large = x - 0.5 * x.log() + along(3.75 / x, many[order]).log()
    return torch.where(x < 3.75, small, large)
[log_bessel(concentration, 0), log_bessel(concentration, 1)]";

/// Where the formulas of the continuous Bernoulli distribution do not divide nearly nothing by nearly nothing.
const AWAY_AND_CUT: &str = "\
p = self.probs
away = (p <= _lims[0]) | (p > _lims[1])
[away, torch.where(away, p, _lims[0] * torch.ones_like(p))]";

/// The logarithm of what makes the continuous Bernoulli distribution add up to 1.
const LOG_NORM: &str = "\
away, cut = self._cut
below = torch.where(cut <= 0.5, cut, torch.zeros_like(cut))
above = torch.where(cut >= 0.5, cut, torch.ones_like(cut))
log = torch.log(torch.abs(torch.log1p(-cut) - torch.log(cut)))
log = log - torch.where(cut <= 0.5, torch.log1p(-2.0 * below), torch.log(2.0 * above - 1.0))
near = torch.pow(self.probs - 0.5, 2)
torch.where(away, log, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * near) * near)";

/// The rows.
pub(super) static KINDS: &[&Written] = &[
    &Written {
        name: "VonMises",
        module: module!("von_mises"),
        base: Some(&DISTRIBUTION),
        settings: &[("loc", Unless::Required), ("concentration", Unless::Required), ("validate_args", Unless::None)],
        holds: &["loc", "concentration"],
        make: tensors!("loc, concentration"),
        members: &[
            constraints!("loc": "real", "concentration": "positive"),
            attribute("support", "torch.distributions.constraints.real"),
            attribute("batch_shape", "loc.shape"),
            attribute("mean", "loc"),
            attribute("mode", "loc"),
            attribute("_bessel", BESSEL_OF),
            attribute("variance", "small, large = self._bessel\n1 - (large - small).exp()"),
            method(
                "sample",
                SHAPE,
                drawn!(
                    "\
kappa = concentration.to(torch.double)
tau = 1 + (1 + 4 * kappa ** 2).sqrt()
rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
r = torch.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho ** 2) / (2 * rho))
x, done = torch.zeros(shape, dtype=torch.double), torch.zeros(shape, dtype=torch.bool)
while not done.all():
    first, second, third = torch.rand((3,) + shape, dtype=torch.double).unbind()
    z = torch.cos(math.pi * first)
    f = (1 + r * z) / (r + z)
    c = kappa * (r - f)
    taken = (c * (2 - c) - second > 0) | ((c / second).log() + 1 - c >= 0)
    x = torch.where(taken, (third - 0.5).sign() * f.acos(), x)
    done = done | taken
((x + math.pi + loc.to(torch.double)) % (2 * math.pi) - math.pi).to(loc.dtype)"
                ),
            ),
            method(
                "log_prob",
                VALUE,
                checked!("concentration * torch.cos(value - loc) - math.log(2 * math.pi) - self._bessel[0]"),
            ),
        ],
    },
    &Written {
        name: "Kumaraswamy",
        module: module!("kumaraswamy"),
        base: Some(&DISTRIBUTION),
        settings: &[("concentration1", Unless::Required), ("concentration0", Unless::Required), ("validate_args", Unless::None)],
        holds: &["concentration1", "concentration0"],
        make: tensors!("concentration1, concentration0"),
        members: &[
            constraints!("concentration1": "positive", "concentration0": "positive"),
            attribute("support", "torch.distributions.constraints.unit_interval"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "concentration0.shape"),
            attribute("_moments", MOMENTS),
            attribute("mean", "self._moments[0]"),
            attribute("variance", "first, second = self._moments\nsecond - torch.pow(first, 2)"),
            attribute(
                "mode",
                "\
log = concentration0.reciprocal() * (-concentration0).log1p() - (-concentration0 * concentration1).log1p()
log[(concentration0 < 1) | (concentration1 < 1)] = math.nan
log.exp()",
            ),
            method(
                "rsample",
                SHAPE,
                drawn!(
                    "\
u = torch.rand(shape, dtype=concentration0.dtype)
(1.0 + -1.0 * u.pow(concentration0.reciprocal())).pow(concentration1.reciprocal())"
                ),
            ),
            method(
                "log_prob",
                VALUE,
                checked!(
                    "\
outer, inner = concentration1.reciprocal(), concentration0.reciprocal()
x = value.pow(1 / outer)
log = 0.0 - (outer * value / x).abs().log()
y = (x - 1.0) / -1.0
x = y.pow(1 / inner)
log = log - torch.zeros_like(y) - (inner * y / x).abs().log()
log + torch.log((0 <= x).type_as(x) * (x < 1).type_as(x))"
                ),
            ),
            method(
                "cdf",
                VALUE,
                checked!(
                    "\
x = ((value.pow(1 / concentration1.reciprocal()) - 1.0) / -1.0).pow(1 / concentration0.reciprocal())
-1 * (x.clamp(min=0, max=1) - 0.5) + 0.5"
                ),
            ),
            method(
                "icdf",
                VALUE,
                checked!(
                    "\
u = -1 * (value - 0.5) + 0.5
(1.0 + -1.0 * u.pow(concentration0.reciprocal())).pow(concentration1.reciprocal())"
                ),
            ),
            method(
                "entropy",
                &[],
                "\
outer, inner = 1 - concentration1.reciprocal(), 1 - concentration0.reciprocal()
harmonic = torch.digamma(concentration0 + 1) + 0.5772156649015329
inner + outer * harmonic - torch.log(concentration1) - torch.log(concentration0)",
            ),
        ],
    },
    &Written {
        name: "FisherSnedecor",
        module: module!("fishersnedecor"),
        base: Some(&DISTRIBUTION),
        settings: &[("df1", Unless::Required), ("df2", Unless::Required), ("validate_args", Unless::None)],
        holds: &["df1", "df2", "_gamma1", "_gamma2"],
        make: "\
df1, df2 = torch.distributions.utils.broadcast_all(df1, df2)
[df1, df2, torch.distributions.Gamma(df1 * 0.5, df1), torch.distributions.Gamma(df2 * 0.5, df2)]",
        members: &[
            constraints!("df1": "positive", "df2": "positive"),
            attribute("support", "torch.distributions.constraints.positive"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "df1.shape"),
            attribute("mean", "enough = df2.masked_fill(df2 <= 2, math.nan)\nenough / (enough - 2)"),
            attribute("mode", "((df1 - 2) / df1 * df2 / (df2 + 2)).masked_fill(df1 <= 2, math.nan)"),
            attribute(
                "variance",
                "\
enough = df2.masked_fill(df2 <= 4, math.nan)
2 * enough.pow(2) * (df1 + enough - 2) / (df1 * (enough - 2).pow(2) * (enough - 4))",
            ),
            method(
                "rsample",
                SHAPE,
                drawn!(
                    "\
above, below = _gamma1.rsample(sample_shape).view(shape), _gamma2.rsample(sample_shape).view(shape)
tiny = torch.finfo(below.dtype).tiny
(above / below.clamp_(min=tiny)).clamp_(min=tiny)"
                ),
            ),
            method(
                "log_prob",
                VALUE,
                checked!(
                    "\
above, below, ratio = df1 * 0.5, df2 * 0.5, df1 / df2
first = (above + below).lgamma() - above.lgamma() - below.lgamma()
first + (above * ratio.log() + (above - 1) * torch.log(value)) - (above + below) * torch.log1p(ratio * value)"
                ),
            ),
        ],
    },
    &Written {
        name: "InverseGamma",
        module: module!("inverse_gamma"),
        base: Some(&DISTRIBUTION),
        settings: &[("concentration", Unless::Required), ("rate", Unless::Required), ("validate_args", Unless::None)],
        holds: &["base_dist"],
        make: "[torch.distributions.Gamma(concentration, rate, validate_args=validate_args)]",
        members: &[
            constraints!("concentration": "positive", "rate": "positive"),
            attribute("support", "torch.distributions.constraints.positive"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "base_dist.batch_shape"),
            attribute("concentration", "base_dist.concentration"),
            attribute("rate", "base_dist.rate"),
            attribute("mean", "torch.where(self.concentration > 1, self.rate / (self.concentration - 1), math.inf)"),
            attribute("mode", "self.rate / (self.concentration + 1)"),
            attribute(
                "variance",
                "\
a = self.concentration
torch.where(a > 2, self.rate.square() / ((a - 1).square() * (a - 2)), math.inf)",
            ),
            method("rsample", SHAPE, "base_dist.rsample(sample_shape).pow(-1)"),
            method(
                "log_prob",
                VALUE,
                checked!("x = value.pow(-1)\n0.0 - (-1 * value / x).abs().log() + base_dist.log_prob(x)"),
            ),
            method("cdf", VALUE, checked!("-1 * (base_dist.cdf(value.pow(-1)) - 0.5) + 0.5")),
            method(
                "entropy",
                &[],
                "a = self.concentration\na + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()",
            ),
        ],
    },
    &Written {
        name: "ContinuousBernoulli",
        module: module!("continuous_bernoulli"),
        base: Some(&DISTRIBUTION),
        settings: &[
            ("probs", Unless::None),
            ("logits", Unless::None),
            ("lims", Unless::None),
            ("validate_args", Unless::None),
        ],
        holds: &["probs", "logits", "_lims"],
        make: one_of_two!(
            "\
if logits is None:
    if validate_args is not None and not ((value >= 0) & (value <= 1)).all():
        raise ValueError('The parameter probs has invalid values')
    eps = torch.finfo(value.dtype).eps
    value = value.clamp(min=eps, max=1 - eps)
lims = (0.499, 0.501) if lims is None else lims
[*((value, None) if logits is None else (None, value)), lims]"
        ),
        members: &[
            constraints!("probs": "unit_interval", "logits": "real"),
            attribute(
                "probs",
                "\
p = torch.sigmoid(logits)
eps = torch.finfo(p.dtype).eps
p.clamp(min=eps, max=1 - eps)",
            ),
            attribute("logits", LOGITS),
            attribute("param_shape", "(logits if probs is None else probs).shape"),
            attribute("batch_shape", "(logits if probs is None else probs).shape"),
            attribute("support", "torch.distributions.constraints.unit_interval"),
            attribute("has_rsample", "True"),
            attribute("_cut", AWAY_AND_CUT),
            attribute("_log_norm", LOG_NORM),
            attribute(
                "mean",
                "\
away, cut = self._cut
near = self.probs - 0.5
far = cut / (2.0 * cut - 1.0) + 1.0 / (torch.log1p(-cut) - torch.log(cut))
torch.where(away, far, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * torch.pow(near, 2)) * near)",
            ),
            attribute(
                "variance",
                "\
away, cut = self._cut
near = torch.pow(self.probs - 0.5, 2)
far = cut * (cut - 1.0) / torch.pow(1.0 - 2.0 * cut, 2) + 1.0 / torch.pow(torch.log1p(-cut) - torch.log(cut), 2)
torch.where(away, far, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * near) * near)",
            ),
            method("rsample", SHAPE, drawn!("self.icdf(torch.rand(shape, dtype=self.probs.dtype))")),
            method(
                "log_prob",
                VALUE,
                checked!(
                    "\
a, b = torch.distributions.utils.broadcast_all(self.logits, value)
-torch.nn.functional.binary_cross_entropy_with_logits(a, b, reduction='none') + self._log_norm"
                ),
            ),
            method(
                "cdf",
                VALUE,
                checked!(
                    "\
away, cut = self._cut
far = (torch.pow(cut, value) * torch.pow(1.0 - cut, 1.0 - value) + cut - 1.0) / (2.0 * cut - 1.0)
inside = torch.where(away, far, value)
torch.where(value <= 0.0, torch.zeros_like(value), torch.where(value >= 1.0, torch.ones_like(value), inside))"
                ),
            ),
            method(
                "icdf",
                VALUE,
                "\
away, cut = self._cut
far = (torch.log1p(-cut + value * (2.0 * cut - 1.0)) - torch.log1p(-cut)) / (torch.log(cut) - torch.log1p(-cut))
torch.where(away, far, value)",
            ),
            method(
                "entropy",
                &[],
                "\
zero, one = torch.log1p(-self.probs), torch.log(self.probs)
self.mean * (zero - one) - self._log_norm - zero",
            ),
        ],
    },
    &Written {
        name: "GeneralizedPareto",
        module: module!("generalized_pareto"),
        base: Some(&DISTRIBUTION),
        settings: &[
            ("loc", Unless::Required),
            ("scale", Unless::Required),
            ("concentration", Unless::Required),
            ("validate_args", Unless::None),
        ],
        holds: &["loc", "scale", "concentration"],
        make: tensors!("loc, scale, concentration"),
        members: &[
            constraints!("loc": "real", "scale": "positive", "concentration": "real"),
            attribute(
                "support",
                "\
upper = torch.where(concentration < 0, loc - scale / concentration, math.inf)
torch.distributions.constraints.interval(loc, upper)",
            ),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "loc.shape"),
            attribute("mean", "fits = concentration < 1\ntorch.where(fits, loc + scale / (1 - torch.where(fits, concentration, 0.5)), math.nan)"),
            attribute("mode", "loc"),
            attribute(
                "variance",
                "\
fits = concentration < 0.5
safe = torch.where(fits, concentration, 0.25)
torch.where(fits, scale ** 2 / ((1 - safe) ** 2 * (1 - 2 * safe)), math.nan)",
            ),
            method("rsample", SHAPE, drawn!("self.icdf(torch.rand(shape, dtype=loc.dtype))")),
            method(
                "log_prob",
                VALUE,
                checked!(
                    "\
z, flat = (value - loc) / scale, torch.isclose(concentration, torch.tensor(0.0))
safe = torch.where(flat, torch.ones_like(concentration), concentration)
y = 1 / safe + torch.ones_like(z)
-scale.log() - torch.where(flat, z, torch.where(y == 0, y, y * torch.log1p(safe * z)))"
                ),
            ),
            method(
                "log_survival_function",
                VALUE,
                checked!(
                    "\
z, flat = (value - loc) / scale, torch.isclose(concentration, torch.tensor(0.0))
safe = torch.where(flat, torch.ones_like(concentration), concentration)
torch.where(flat, -z, -torch.log1p(safe * z) / safe)"
                ),
            ),
            method("log_cdf", VALUE, "torch.log1p(-torch.exp(self.log_survival_function(value)))"),
            method("cdf", VALUE, "torch.exp(self.log_cdf(value))"),
            method(
                "icdf",
                VALUE,
                "\
flat = torch.isclose(concentration, torch.zeros_like(concentration))
safe = torch.where(flat, torch.ones_like(concentration), concentration)
log = torch.log1p(-value)
torch.where(flat, loc - scale * log, loc + scale / safe * torch.expm1(-safe * log))",
            ),
            method("entropy", &[], "torch.broadcast_to(torch.log(scale) + concentration + 1, self.batch_shape)"),
        ],
    },
    &Written {
        name: "MixtureSameFamily",
        module: module!("mixture_same_family"),
        base: Some(&DISTRIBUTION),
        settings: &[
            ("mixture_distribution", Unless::Required),
            ("component_distribution", Unless::Required),
            ("validate_args", Unless::None),
        ],
        holds: &["mixture_distribution", "component_distribution"],
        make: "\
if not isinstance(mixture_distribution, torch.distributions.Categorical):
    raise ValueError(' The Mixture distribution needs to be an  instance of torch.distributions.Categorical')
if not isinstance(component_distribution, torch.distributions.Distribution):
    raise ValueError('The Component distribution need to be an instance of torch.distributions.Distribution')
for a, b in zip(reversed(mixture_distribution.batch_shape), reversed(component_distribution.batch_shape[:-1])):
    if a != 1 and b != 1 and a != b:
        raise ValueError(f'`mixture_distribution.batch_shape` ({mixture_distribution.batch_shape}) is not compatible with `component_distribution.batch_shape`({component_distribution.batch_shape})')
count = mixture_distribution.logits.shape[-1]
if count != component_distribution.batch_shape[-1]:
    raise ValueError(f'`mixture_distribution component` ({count}) does not equal `component_distribution.batch_shape[-1]` ({component_distribution.batch_shape[-1]})')
[mixture_distribution, component_distribution]",
        members: &[
            attribute("__repr__", "f'MixtureSameFamily(\\n  {mixture_distribution},\\n  {component_distribution})'"),
            attribute("support", "torch.distributions.constraints.MixtureSameFamilyConstraint(component_distribution.support)"),
            method(
                "expand",
                &[("batch_shape", Unless::Required), ("_instance", Unless::None)],
                "size = torch.Size(batch_shape)
self._with([mixture_distribution.expand(size), component_distribution.expand(size + mixture_distribution.logits.shape[-1:])])",
            ),
            attribute("batch_shape", "component_distribution.batch_shape[:-1]"),
            attribute("event_shape", "component_distribution.event_shape"),
            attribute("_weights", "p = mixture_distribution.probs\np.reshape(p.shape + (1,) * len(self.event_shape))"),
            attribute("mean", "torch.sum(self._weights * component_distribution.mean, dim=-1 - len(self.event_shape))"),
            attribute(
                "variance",
                "\
dim = -1 - len(self.event_shape)
inner = torch.sum(self._weights * component_distribution.variance, dim=dim)
inner + torch.sum(self._weights * (component_distribution.mean - self.mean.unsqueeze(dim)).pow(2.0), dim=dim)",
            ),
            method(
                "sample",
                &[("sample_shape", EMPTY)],
                "\
with torch.no_grad():
    which = mixture_distribution.sample(sample_shape)
    values = component_distribution.sample(sample_shape)
    inner = len(self.event_shape)
    which = which.reshape(which.shape + (1,) * (inner + 1)).expand(which.shape + (1,) + self.event_shape)
    drawn = torch.gather(values, len(which.shape) - inner - 1, which).squeeze(len(which.shape) - inner - 1)
drawn",
            ),
            method(
                "log_prob",
                VALUE,
                checked!(
                    "\
each = component_distribution.log_prob(value.unsqueeze(-1 - len(self.event_shape)))
torch.logsumexp(each + torch.log_softmax(mixture_distribution.logits, dim=-1), dim=-1)"
                ),
            ),
            method(
                "cdf",
                VALUE,
                checked!(
                    "\
each = component_distribution.cdf(value.unsqueeze(-1 - len(self.event_shape)))
torch.sum(each * mixture_distribution.probs, dim=-1)"
                ),
            ),
        ],
    },
];

const MOMENTS: &str = "\
def moment(n):
    first = 1 + n / concentration1
    log = torch.lgamma(first) + torch.lgamma(concentration0) - torch.lgamma(first + concentration0)
    return concentration0 * torch.exp(log)
[moment(1), moment(2)]";
