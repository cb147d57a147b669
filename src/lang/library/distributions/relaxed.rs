//! Distributions of what lies between truths: samples that can be differentiated in place of choices.

use super::{DISTRIBUTION, SHAPE, VALUE, checked, constraints, drawn, module};
use crate::lang::library::construct::{Settings, Unless};
use crate::lang::library::written::{Written, attribute, method};

/// What is held of probabilities or their logits, of which one is given as `value`, and a text that says what to hold.
macro_rules! one_of_two {
    ($last:literal) => {
        concat!(
            "\
if (probs is None) == (logits is None):
    raise ValueError('Either `probs` or `logits` must be specified, but not both.')
value, = torch.distributions.utils.broadcast_all(probs if logits is None else logits)
",
            $last
        )
    };
}

pub(super) use one_of_two;

/// The logits of probabilities that are kept away from 0 and 1.
pub(super) const LOGITS: &str = "\
eps = torch.finfo(probs.dtype).eps
clamped = probs.clamp(min=eps, max=1 - eps)
torch.log(clamped) - torch.log1p(-clamped)";

/// Rows that are found in their own modules only.
pub(super) const APART: [&str; 2] = ["ExpRelaxedCategorical", "LogitRelaxedBernoulli"];

/// The rows.
pub(super) static KINDS: &[&Written] = &[
    &LOGIT_RELAXED_BERNOULLI,
    &Written {
        name: "RelaxedBernoulli",
        module: module!("relaxed_bernoulli"),
        base: Some(&DISTRIBUTION),
        settings: RELAXED,
        holds: &["base_dist"],
        make: "[torch.distributions.relaxed_bernoulli.LogitRelaxedBernoulli(temperature, probs, logits)]",
        members: &[
            constraints!("probs": "unit_interval", "logits": "real"),
            attribute("support", "torch.distributions.constraints.unit_interval"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "base_dist.batch_shape"),
            attribute("temperature", "base_dist.temperature"),
            attribute("probs", "base_dist.probs"),
            attribute("logits", "base_dist.logits"),
            method(
                "rsample",
                SHAPE,
                "\
x = torch.sigmoid(base_dist.rsample(sample_shape))
info = torch.finfo(x.dtype)
x.clamp(min=info.tiny, max=1.0 - info.eps)",
            ),
            method(
                "log_prob",
                VALUE,
                checked!(
                    "\
info = torch.finfo(value.dtype)
y = value.clamp(min=info.tiny, max=1.0 - info.eps)
x = y.log() - (-y).log1p()
0.0 - (-torch.nn.functional.softplus(-x) - torch.nn.functional.softplus(x)) + base_dist.log_prob(x)"
                ),
            ),
        ],
    },
    &EXP_RELAXED_CATEGORICAL,
    &Written {
        name: "RelaxedOneHotCategorical",
        module: module!("relaxed_categorical"),
        base: Some(&DISTRIBUTION),
        settings: RELAXED,
        holds: &["base_dist"],
        make: "[torch.distributions.relaxed_categorical.ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)]",
        members: &[
            constraints!("probs": "simplex", "logits": "real_vector"),
            attribute("support", "torch.distributions.constraints.simplex"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "base_dist.batch_shape"),
            attribute("event_shape", "base_dist.event_shape"),
            attribute("temperature", "base_dist.temperature"),
            attribute("probs", "base_dist.probs"),
            attribute("logits", "base_dist.logits"),
            method("rsample", SHAPE, "base_dist.rsample(sample_shape).exp()"),
            method("log_prob", VALUE, checked!("x = value.log()\n0.0 - x.sum(-1) + base_dist.log_prob(x)")),
        ],
    },
];

const RELAXED: Settings =
    &[("temperature", Unless::Required), ("probs", Unless::None), ("logits", Unless::None), ("validate_args", Unless::None)];

static LOGIT_RELAXED_BERNOULLI: Written = Written {
    name: "LogitRelaxedBernoulli",
    module: module!("relaxed_bernoulli"),
    base: Some(&DISTRIBUTION),
    settings: RELAXED,
    holds: &["temperature", "probs", "logits"],
    make: one_of_two!("[temperature, *((value, None) if logits is None else (None, value))]"),
    members: &[
        constraints!("probs": "unit_interval", "logits": "real"),
        attribute("probs", "torch.sigmoid(logits)"),
        attribute("logits", LOGITS),
        attribute("batch_shape", "(logits if probs is None else probs).shape"),
        attribute("support", "torch.distributions.constraints.real"),
        method(
            "rsample",
            SHAPE,
            drawn!(
                "\
eps = torch.finfo(self.probs.dtype).eps
p = self.probs.expand(shape).clamp(min=eps, max=1 - eps)
u = torch.rand(shape, dtype=p.dtype).clamp(min=eps, max=1 - eps)
(u.log() - (-u).log1p() + p.log() - (-p).log1p()) / temperature"
            ),
        ),
        method(
            "log_prob",
            VALUE,
            checked!(
                "\
a, b = torch.distributions.utils.broadcast_all(self.logits, value)
away = a - b.mul(temperature)
temperature.log() + away - 2 * away.exp().log1p()"
            ),
        ),
    ],
};

static EXP_RELAXED_CATEGORICAL: Written = Written {
    name: "ExpRelaxedCategorical",
    module: module!("relaxed_categorical"),
    base: Some(&DISTRIBUTION),
    settings: RELAXED,
    holds: &["temperature", "_categorical"],
    make: "[temperature, torch.distributions.Categorical(probs, logits)]",
    members: &[
        constraints!("probs": "simplex", "logits": "real_vector"),
        attribute("support", "torch.distributions.constraints.real_vector"),
        attribute("has_rsample", "True"),
        attribute("batch_shape", "_categorical.batch_shape"),
        attribute("event_shape", "_categorical.param_shape[-1:]"),
        attribute("param_shape", "_categorical.param_shape"),
        attribute("probs", "_categorical.probs"),
        attribute("logits", "_categorical.logits"),
        method(
            "rsample",
            SHAPE,
            drawn!(
                "\
eps = torch.finfo(self.logits.dtype).eps
u = torch.rand(shape, dtype=self.logits.dtype).clamp(min=eps, max=1 - eps)
scores = (self.logits - (-(u.log())).log()) / temperature
scores - scores.logsumexp(dim=-1, keepdim=True)"
            ),
        ),
        method(
            "log_prob",
            VALUE,
            checked!(
                "\
count = self.event_shape[0]
logits, value = torch.distributions.utils.broadcast_all(self.logits, value)
scale = torch.full_like(temperature, float(count)).lgamma() - temperature.log().mul(-(count - 1))
score = logits - value.mul(temperature)
(score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + scale"
            ),
        ),
    ],
};
