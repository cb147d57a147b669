//! Distributions of several numbers that are drawn together.

use super::{DISTRIBUTION, SHAPE, VALUE, checked, constraints, drawn, module};
use crate::lang::library::construct::{Settings, Unless};
use crate::lang::library::written::{Written, attribute, method};

/// The rows.
pub(super) static KINDS: &[&Written] = &[
    &Written {
        name: "Dirichlet",
        module: module!("dirichlet"),
        base: Some(&DISTRIBUTION),
        settings: &[("concentration", Unless::Required), ("validate_args", Unless::None)],
        holds: &["concentration"],
        make: "\
if concentration.dim() < 1:
    raise ValueError('`concentration` parameter must be at least one-dimensional.')
[concentration]",
        members: &[
            constraints!("concentration": "independent(torch.distributions.constraints.positive, 1)"),
            attribute("support", "torch.distributions.constraints.simplex"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "concentration.shape[:-1]"),
            attribute("event_shape", "concentration.shape[-1:]"),
            attribute("mean", "concentration / concentration.sum(-1, True)"),
            attribute("mode", "\
less = (concentration - 1).clamp(min=0.0)
mode = less / less.sum(-1, True)
small = (concentration < 1).all(dim=-1)
mode[small] = torch.nn.functional.one_hot(mode[small].argmax(dim=-1), less.shape[-1]).to(mode)
mode"),
            attribute("variance", "\
total = concentration.sum(-1, True)
concentration * (total - concentration) / (total.pow(2) * (total + 1))"),
            method("rsample", SHAPE, drawn!("\
torch._sample_dirichlet(concentration.detach().expand(shape))")),
            method("log_prob", VALUE, checked!("torch.xlogy(concentration - 1.0, value).sum(-1) + torch.lgamma(concentration.sum(-1)) - torch.lgamma(concentration).sum(-1)")),
            method("entropy", &[], "\
k, total = concentration.size(-1), concentration.sum(-1)
torch.lgamma(concentration).sum(-1) - torch.lgamma(total) - (k - total) * torch.digamma(total) - ((concentration - 1.0) * torch.digamma(concentration)).sum(-1)"),
        ],
    },
    &ONE_HOT,
    &Written {
        name: "OneHotCategoricalStraightThrough",
        module: module!("one_hot_categorical"),
        base: Some(&ONE_HOT),
        settings: PROBS,
        holds: &["_categorical"],
        make: "[torch.distributions.Categorical(probs, logits)]",
        members: &[
            attribute("has_rsample", "True"),
            method("rsample", SHAPE, "probs = _categorical.probs\nself.sample(sample_shape) + (probs - probs.detach())"),
        ],
    },
    &Written {
        name: "Multinomial",
        module: module!("multinomial"),
        base: Some(&DISTRIBUTION),
        settings: &[("total_count", Unless::Int(1)), ("probs", Unless::None), ("logits", Unless::None), ("validate_args", Unless::None)],
        holds: &["total_count", "_categorical"],
        make: "\
if not isinstance(total_count, int):
    raise NotImplementedError('inhomogeneous total_count is not supported')
[total_count, torch.distributions.Categorical(probs, logits)]",
        members: &[
            constraints!("probs": "simplex", "logits": "real_vector"),
            attribute("support", "torch.distributions.constraints.multinomial(total_count)"),
            attribute("batch_shape", "_categorical.batch_shape"),
            attribute("event_shape", "_categorical.param_shape[-1:]"),
            attribute("probs", "_categorical.probs"),
            attribute("logits", "_categorical.logits"),
            attribute("mean", "self.probs * total_count"),
            attribute("variance", "total_count * self.probs * (1 - self.probs)"),
            method("sample", SHAPE, drawn!("\
places = _categorical.sample((total_count,) + torch.Size(sample_shape)).movedim(0, -1)
counts = torch.zeros(shape, dtype=torch.int64)
counts.scatter_add_(-1, places, torch.ones_like(places)).type_as(self.probs)")),
            method("log_prob", VALUE, checked!("\
logits, value = torch.distributions.utils.broadcast_all(self.logits, value)
logits = logits.clone()
log_n = torch.lgamma(value.sum(-1) + 1)
log_each = torch.lgamma(value + 1).sum(-1)
logits[(value == 0) & (logits == -math.inf)] = 0
log_n - log_each + (logits * value).sum(-1)")),
            method("entropy", &[], "\
n = torch.tensor(total_count, dtype=self.probs.dtype)
binomial = torch.distributions.Binomial(total_count, probs=self.probs)
values = binomial.enumerate_support(expand=False)[1:]
weights = torch.exp(binomial.log_prob(values)) * torch.lgamma(values + 1)
n * _categorical.entropy() - torch.lgamma(n + 1) + weights.sum([0, -1])"),
        ],
    },
    &Written {
        name: "MultivariateNormal",
        module: module!("multivariate_normal"),
        base: Some(&DISTRIBUTION),
        settings: &[("loc", Unless::Required), ("covariance_matrix", Unless::None), ("precision_matrix", Unless::None), ("scale_tril", Unless::None), ("validate_args", Unless::None)],
        holds: &["loc", "covariance_matrix", "precision_matrix", "scale_tril", "_tril"],
        make: "\
if loc.dim() < 1:
    raise ValueError('loc must be at least one-dimensional.')
forms = [('scale_tril', scale_tril), ('covariance_matrix', covariance_matrix), ('precision_matrix', precision_matrix)]
forms = [(name, matrix) for name, matrix in forms if matrix is not None]
if len(forms) != 1:
    raise ValueError('Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.')
name, matrix = forms[0]
if matrix.dim() < 2:
    article = ' matrix' if name == 'scale_tril' else ''
    raise ValueError(f'{name}{article} must be at least two-dimensional, with optional leading batch dimensions')
batch = torch.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
wide = matrix.expand(batch + (-1, -1))
[loc.expand(batch + (-1,)), *(wide if each == name else None for each in ('covariance_matrix', 'precision_matrix', 'scale_tril')), None]",
        members: &[
            constraints!("loc": "real_vector", "covariance_matrix": "positive_definite", "precision_matrix": "positive_definite", "scale_tril": "lower_cholesky"),
            attribute("support", "torch.distributions.constraints.real_vector"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "loc.shape[:-1]"),
            attribute("event_shape", "loc.shape[-1:]"),
            attribute("_tril", "\
if 'scale_tril' in given:
    tril = scale_tril
elif 'covariance_matrix' in given:
    tril = torch.linalg.cholesky(covariance_matrix)
else:
    factor = torch.linalg.cholesky(torch.flip(precision_matrix, (-2, -1)))
    inverse = torch.transpose(torch.flip(factor, (-2, -1)), -2, -1)
    unit = torch.eye(precision_matrix.shape[-1], dtype=precision_matrix.dtype)
    tril = torch.linalg.solve_triangular(inverse, unit, upper=False)
tril"),
            attribute("scale_tril", "self._tril"),
            attribute("covariance_matrix", "torch.matmul(self._tril, self._tril.mT)"),
            attribute("precision_matrix", "torch.cholesky_inverse(self._tril)"),
            attribute("mean", "loc"),
            attribute("mode", "loc"),
            attribute("variance", "self._tril.pow(2).sum(-1)"),
            method("rsample", SHAPE, drawn!("\
eps = torch.normal(torch.zeros(shape, dtype=loc.dtype), torch.ones(shape, dtype=loc.dtype))
loc + torch.matmul(self._tril, eps.unsqueeze(-1)).squeeze(-1)")),
            method("log_prob", VALUE, checked!("\
away, tril = value - loc, self._tril
solved = torch.linalg.solve_triangular(tril, away.unsqueeze(-1), upper=False).squeeze(-1)
half = tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
-0.5 * (loc.shape[-1] * math.log(2 * math.pi) + solved.pow(2).sum(-1)) - half")),
            method("entropy", &[], "\
half = self._tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
0.5 * loc.shape[-1] * (1.0 + math.log(2 * math.pi)) + half"),
        ],
    },
    &Written {
        name: "Independent",
        module: module!("independent"),
        base: Some(&DISTRIBUTION),
        settings: &[("base_distribution", Unless::Required), ("reinterpreted_batch_ndims", Unless::Required), ("validate_args", Unless::None)],
        holds: &["base_dist", "reinterpreted_batch_ndims"],
        make: "\
if reinterpreted_batch_ndims > len(base_distribution.batch_shape):
    raise ValueError(f'Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual {reinterpreted_batch_ndims} vs {len(base_distribution.batch_shape)}')
[base_distribution, reinterpreted_batch_ndims]",
        members: &[
            attribute("__repr__", "f'Independent({base_dist}, {reinterpreted_batch_ndims})'"),
            attribute("support", "torch.distributions.constraints.independent(base_dist.support, reinterpreted_batch_ndims) if reinterpreted_batch_ndims else base_dist.support"),
            attribute("batch_shape", "base_dist.batch_shape[:len(base_dist.batch_shape) - reinterpreted_batch_ndims]"),
            attribute("event_shape", "(base_dist.batch_shape + base_dist.event_shape)[len(base_dist.batch_shape) - reinterpreted_batch_ndims:]"),
            attribute("has_rsample", "base_dist.has_rsample"),
            attribute("has_enumerate_support", "not reinterpreted_batch_ndims and base_dist.has_enumerate_support"),
            method("enumerate_support", &[("expand", Unless::Bool(true))], "\
if reinterpreted_batch_ndims > 0:
    raise NotImplementedError('Enumeration over cartesian product is not implemented')
base_dist.enumerate_support(expand)"),
            attribute("mean", "base_dist.mean"),
            attribute("mode", "base_dist.mode"),
            attribute("variance", "base_dist.variance"),
            method("sample", SHAPE, "base_dist.sample(sample_shape)"),
            method("rsample", SHAPE, "base_dist.rsample(sample_shape)"),
            method("log_prob", VALUE, "\
found = base_dist.log_prob(value)
found.reshape(found.shape[:found.dim() - reinterpreted_batch_ndims] + (-1,)).sum(-1) if reinterpreted_batch_ndims else found"),
            method("entropy", &[], "\
found = base_dist.entropy()
found.reshape(found.shape[:found.dim() - reinterpreted_batch_ndims] + (-1,)).sum(-1) if reinterpreted_batch_ndims else found"),
            method("expand", &[("batch_shape", Unless::Required), ("_instance", Unless::None)], "self._with([base_dist.expand(torch.Size(batch_shape) + self.event_shape[:reinterpreted_batch_ndims]), reinterpreted_batch_ndims])"),
        ],
    },
];

const PROBS: Settings = &[("probs", Unless::None), ("logits", Unless::None), ("validate_args", Unless::None)];

static ONE_HOT: Written = Written {
    name: "OneHotCategorical",
    module: module!("one_hot_categorical"),
    base: Some(&DISTRIBUTION),
    settings: PROBS,
    holds: &["_categorical"],
    make: "[torch.distributions.Categorical(probs, logits)]",
    members: &[
        constraints!("probs": "simplex", "logits": "real_vector"),
        attribute("support", "torch.distributions.constraints.one_hot"),
        attribute("has_enumerate_support", "True"),
        attribute("batch_shape", "_categorical.batch_shape"),
        attribute("event_shape", "_categorical.param_shape[-1:]"),
        attribute("probs", "_categorical.probs"),
        attribute("logits", "_categorical.logits"),
        attribute("param_shape", "_categorical.param_shape"),
        attribute("mean", "_categorical.probs"),
        attribute(
            "mode",
            "torch.nn.functional.one_hot(_categorical.mode, num_classes=_categorical.probs.shape[-1]).to(_categorical.probs)",
        ),
        attribute("variance", "_categorical.probs * (1 - _categorical.probs)"),
        method(
            "sample",
            SHAPE,
            "torch.nn.functional.one_hot(_categorical.sample(sample_shape), _categorical.probs.shape[-1]).to(_categorical.probs)",
        ),
        method("log_prob", VALUE, checked!("_categorical.log_prob(value.max(-1)[1])")),
        method("entropy", &[], "_categorical.entropy()"),
        method(
            "enumerate_support",
            &[("expand", Unless::Bool(true))],
            "\
n = _categorical.probs.shape[-1]
values = torch.eye(n, dtype=_categorical.probs.dtype).view((n,) + (1,) * len(self.batch_shape) + (n,))
values.expand((n,) + self.batch_shape + (n,)) if expand else values",
        ),
    ],
};
