//! Distributions of counts and of choices.

use super::{DISTRIBUTION, SHAPE, VALUE, checked, constraints, drawn, module, tensors};
use crate::lang::library::construct::Unless;
use crate::lang::library::written::{Written, attribute, method};

/// The rows.
pub(super) static KINDS: &[&Written] = &[
    &Written {
        name: "Bernoulli",
        module: module!("bernoulli"),
        base: Some(&DISTRIBUTION),
        settings: &[("probs", Unless::None), ("logits", Unless::None), ("validate_args", Unless::None)],
        holds: &["probs", "logits"],
        make: "\
if (probs is None) == (logits is None):
    raise ValueError('Either `probs` or `logits` must be specified, but not both.')
value, = torch.distributions.utils.broadcast_all(probs if logits is None else logits)
[*((value, None) if logits is None else (None, value))]",
        members: &[
            constraints!("probs": "unit_interval", "logits": "real"),
            attribute("probs", "torch.sigmoid(logits)"),
            attribute("logits", "\
eps = torch.finfo(probs.dtype).eps
clamped = probs.clamp(min=eps, max=1 - eps)
torch.log(clamped) - torch.log1p(-clamped)"),
            attribute("batch_shape", "(logits if probs is None else probs).shape"),
            attribute("support", "torch.distributions.constraints.boolean"),
            attribute("has_enumerate_support", "True"),
            attribute("mean", "self.probs"),
            attribute("mode", "mode = (self.probs >= 0.5).to(self.probs)\nmode[self.probs == 0.5] = math.nan\nmode"),
            attribute("variance", "self.probs * (1 - self.probs)"),
            method("sample", SHAPE, drawn!("with torch.no_grad():\n    drawn = torch.bernoulli(self.probs.expand(shape))\ndrawn")),
            method("log_prob", VALUE, checked!("\
a, b = torch.distributions.utils.broadcast_all(self.logits, value)
-torch.nn.functional.binary_cross_entropy_with_logits(a, b, reduction='none')")),
            method("entropy", &[], "torch.nn.functional.binary_cross_entropy_with_logits(self.logits, self.probs, reduction='none')"),
            method("enumerate_support", &[("expand", Unless::Bool(true))], "\
values = torch.arange(2, dtype=self.probs.dtype).view((-1,) + (1,) * len(self.batch_shape))
values.expand((-1,) + self.batch_shape) if expand else values"),
        ],
    },
    &Written {
        name: "Geometric",
        module: module!("geometric"),
        base: Some(&DISTRIBUTION),
        settings: &[("probs", Unless::None), ("logits", Unless::None), ("validate_args", Unless::None)],
        holds: &["probs", "logits"],
        make: "\
if (probs is None) == (logits is None):
    raise ValueError('Either `probs` or `logits` must be specified, but not both.')
value, = torch.distributions.utils.broadcast_all(probs if logits is None else logits)
[*((value, None) if logits is None else (None, value))]",
        members: &[
            constraints!("probs": "unit_interval", "logits": "real"),
            attribute("probs", "torch.sigmoid(logits)"),
            attribute("logits", "\
eps = torch.finfo(probs.dtype).eps
clamped = probs.clamp(min=eps, max=1 - eps)
torch.log(clamped) - torch.log1p(-clamped)"),
            attribute("batch_shape", "(logits if probs is None else probs).shape"),
            attribute("_positive", "\
word = 'probs'
if validate_args is not False and 'probs' in given and not (self.probs > 0).all():
    raise ValueError(f'Expected parameter {word} ({type(self.probs).__name__} of shape {tuple(self.probs.shape)}) of distribution {self!r} to be positive but found invalid values:\\n{self.probs[~(self.probs > 0)]}')"),
            attribute("support", "torch.distributions.constraints.nonnegative_integer"),
            attribute("mean", "1.0 / self.probs - 1.0"),
            attribute("mode", "torch.zeros_like(self.probs)"),
            attribute("variance", "(1.0 / self.probs - 1.0) / self.probs"),
            method("sample", SHAPE, drawn!("\
with torch.no_grad():
    u = torch.empty(shape, dtype=self.probs.dtype).uniform_(torch.finfo(self.probs.dtype).tiny, 1)
(u.log() / (-self.probs).log1p()).floor()")),
            method("log_prob", VALUE, checked!("\
value, p = torch.distributions.utils.broadcast_all(value, self.probs)
p = p.clone()
p[(p == 1) & (value == 0)] = 0
value * (-p).log1p() + self.probs.log()")),
            method("entropy", &[], "torch.nn.functional.binary_cross_entropy_with_logits(self.logits, self.probs, reduction='none') / self.probs"),
        ],
    },
    &Written {
        name: "Binomial",
        module: module!("binomial"),
        base: Some(&DISTRIBUTION),
        settings: &[("total_count", Unless::Int(1)), ("probs", Unless::None), ("logits", Unless::None), ("validate_args", Unless::None)],
        holds: &["total_count", "probs", "logits"],
        make: "\
if (probs is None) == (logits is None):
    raise ValueError('Either `probs` or `logits` must be specified, but not both.')
count, value = torch.distributions.utils.broadcast_all(total_count, probs if logits is None else logits)
[count.type_as(value), *((value, None) if logits is None else (None, value))]",
        members: &[
            constraints!("total_count": "nonnegative_integer", "probs": "unit_interval", "logits": "real"),
            attribute("probs", "torch.sigmoid(logits)"),
            attribute("logits", "\
eps = torch.finfo(probs.dtype).eps
clamped = probs.clamp(min=eps, max=1 - eps)
torch.log(clamped) - torch.log1p(-clamped)"),
            attribute("batch_shape", "(logits if probs is None else probs).shape"),
            attribute("support", "torch.distributions.constraints.integer_interval(0, total_count)"),
            attribute("has_enumerate_support", "True"),
            attribute("mean", "total_count * self.probs"),
            attribute("mode", "((total_count + 1) * self.probs).floor().clamp(max=total_count)"),
            attribute("variance", "total_count * self.probs * (1 - self.probs)"),
            method("sample", SHAPE, drawn!("\
with torch.no_grad():
    drawn = torch.binomial(total_count.expand(shape), self.probs.expand(shape))
drawn")),
            method("log_prob", VALUE, checked!("\
log_n = torch.lgamma(total_count + 1)
log_k = torch.lgamma(value + 1)
log_rest = torch.lgamma(total_count - value + 1)
raised = (self.logits.clamp(min=0) + self.logits - self.logits.clamp(max=0)) / 2
norm = total_count * raised + total_count * torch.log1p(torch.exp(-torch.abs(self.logits))) - log_n
value * self.logits - log_k - log_rest - norm")),
            method("entropy", &[], "\
count = int(total_count.max())
if not total_count.min() == count:
    raise NotImplementedError('Inhomogeneous total count not supported by `entropy`.')
log = self.log_prob(self.enumerate_support(False))
-(torch.exp(log) * log).sum(0)"),
            method("enumerate_support", &[("expand", Unless::Bool(true))], "\
count = int(total_count.max())
if not total_count.min() == count:
    raise NotImplementedError('Inhomogeneous total count not supported by `enumerate_support`.')
values = torch.arange(1 + count, dtype=self.probs.dtype).view((-1,) + (1,) * len(self.batch_shape))
values.expand((-1,) + self.batch_shape) if expand else values"),
        ],
    },
    &Written {
        name: "NegativeBinomial",
        module: module!("negative_binomial"),
        base: Some(&DISTRIBUTION),
        settings: &[("total_count", Unless::Required), ("probs", Unless::None), ("logits", Unless::None), ("validate_args", Unless::None)],
        holds: &["total_count", "probs", "logits"],
        make: "\
if (probs is None) == (logits is None):
    raise ValueError('Either `probs` or `logits` must be specified, but not both.')
count, value = torch.distributions.utils.broadcast_all(total_count, probs if logits is None else logits)
[count.type_as(value), *((value, None) if logits is None else (None, value))]",
        members: &[
            constraints!("total_count": "greater_than_eq(0)", "probs": "half_open_interval(0.0, 1.0)", "logits": "real"),
            attribute("probs", "torch.sigmoid(logits)"),
            attribute("logits", "\
eps = torch.finfo(probs.dtype).eps
clamped = probs.clamp(min=eps, max=1 - eps)
torch.log(clamped) - torch.log1p(-clamped)"),
            attribute("batch_shape", "(logits if probs is None else probs).shape"),
            attribute("support", "torch.distributions.constraints.nonnegative_integer"),
            attribute("mean", "total_count * torch.exp(self.logits)"),
            attribute("mode", "((total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)"),
            attribute("variance", "self.mean / torch.sigmoid(-self.logits)"),
            method("sample", SHAPE, "\
with torch.no_grad():
    rate = torch.distributions.Gamma(total_count, torch.exp(-self.logits), validate_args=False).sample(sample_shape)
    drawn = torch.poisson(rate)
drawn"),
            method("log_prob", VALUE, checked!("\
plain = total_count * torch.nn.functional.logsigmoid(-self.logits) + value * torch.nn.functional.logsigmoid(self.logits)
norm = -torch.lgamma(total_count + value) + torch.lgamma(1.0 + value) + torch.lgamma(total_count)
plain - norm.masked_fill(total_count + value == 0.0, 0.0)")),
        ],
    },
    &Written {
        name: "Poisson",
        module: module!("poisson"),
        base: Some(&DISTRIBUTION),
        settings: &[("rate", Unless::Required), ("validate_args", Unless::None)],
        holds: &["rate"],
        make: tensors!("rate"),
        members: &[
            constraints!("rate": "nonnegative"),
            attribute("support", "torch.distributions.constraints.nonnegative_integer"),
            attribute("batch_shape", "rate.shape"),
            attribute("mean", "rate"),
            attribute("mode", "rate.floor()"),
            attribute("variance", "rate"),
            method("sample", SHAPE, drawn!("with torch.no_grad():\n    drawn = torch.poisson(rate.expand(shape))\ndrawn")),
            method("log_prob", VALUE, checked!("\
rate, value = torch.distributions.utils.broadcast_all(rate, value)
value.xlogy(rate) - rate - (value + 1).lgamma()")),
        ],
    },
    &Written {
        name: "Categorical",
        module: module!("categorical"),
        base: Some(&DISTRIBUTION),
        settings: &[("probs", Unless::None), ("logits", Unless::None), ("validate_args", Unless::None)],
        holds: &["probs", "logits"],
        make: "\
if (probs is None) == (logits is None):
    raise ValueError('Either `probs` or `logits` must be specified, but not both.')
shown = 'probs' if logits is None else 'logits'
value = probs if logits is None else logits
if value.dim() < 1:
    raise ValueError(f'`{shown}` parameter must be at least one-dimensional.')
[value / value.sum(-1, keepdim=True), None] if logits is None else [None, value - value.logsumexp(dim=-1, keepdim=True)]",
        members: &[
            constraints!("probs": "simplex", "logits": "real_vector"),
            attribute("probs", "torch.softmax(logits, -1)"),
            attribute("logits", "eps = torch.finfo(probs.dtype).eps\ntorch.log(probs.clamp(min=eps, max=1 - eps))"),
            attribute("param_shape", "(logits if probs is None else probs).shape"),
            attribute("batch_shape", "self.param_shape[:-1]"),
            attribute("support", "torch.distributions.constraints.integer_interval(0, self.param_shape[-1] - 1)"),
            attribute("has_enumerate_support", "True"),
            attribute("mean", "torch.full(self._extended_shape(), math.nan, dtype=self.probs.dtype)"),
            attribute("mode", "self.probs.argmax(dim=-1)"),
            attribute("variance", "torch.full(self._extended_shape(), math.nan, dtype=self.probs.dtype)"),
            method("sample", SHAPE, drawn!("\
flat = self.probs.reshape(-1, self.probs.shape[-1])
torch.multinomial(flat, torch.Size(sample_shape).numel(), True).T.reshape(shape)")),
            method("log_prob", VALUE, checked!("\
value, each = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
each.gather(-1, value[..., :1]).squeeze(-1)")),
            method("entropy", &[], "-(torch.clamp(self.logits, min=torch.finfo(self.logits.dtype).min) * self.probs).sum(-1)"),
            method("enumerate_support", &[("expand", Unless::Bool(true))], "\
values = torch.arange(self.param_shape[-1]).view((-1,) + (1,) * len(self.batch_shape))
values.expand((-1,) + self.batch_shape) if expand else values"),
        ],
    },
];
