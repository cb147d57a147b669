//! Distributions of matrices, and of vectors whose covariances are few columns and a diagonal.

use super::{DISTRIBUTION, SHAPE, VALUE, checked, constraints, drawn, module};
use crate::lang::library::construct::Unless;
use crate::lang::library::written::{Written, attribute, method};

/// A text behind one that gives functions of a covariance of few columns and a diagonal: the logarithm of its determinant, and how
/// far a vector is from the middle in its measure.
macro_rules! low_rank {
    ($text:literal) => {
        concat!(
            "\
def log_det(each):
    root, diagonal = each._capacitance_tril, each._unbroadcasted_cov_diag
    return 2 * root.diagonal(dim1=-2, dim2=-1).log().sum(-1) + diagonal.log().sum(-1)
def distance(each, x):
    diagonal = each._unbroadcasted_cov_diag
    turned = each._unbroadcasted_cov_factor.mT / diagonal.unsqueeze(-2)
    inner = torch.matmul(turned, x.unsqueeze(-1))
    solved = torch.linalg.solve_triangular(each._capacitance_tril, inner, upper=False).squeeze(-1)
    return (x.pow(2) / diagonal).sum(-1) - solved.pow(2).sum(-1)
",
            $text
        )
    };
}
pub(super) use low_rank;

/// The rows.
pub(super) static KINDS: &[&Written] = &[
    &Written {
        name: "LowRankMultivariateNormal",
        module: module!("lowrank_multivariate_normal"),
        base: Some(&DISTRIBUTION),
        settings: &[
            ("loc", Unless::Required),
            ("cov_factor", Unless::Required),
            ("cov_diag", Unless::Required),
            ("validate_args", Unless::None),
        ],
        holds: &["loc", "cov_factor", "cov_diag", "_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril"],
        make: LOW_RANK,
        members: &[
            constraints!("loc": "real_vector", "cov_factor": "independent(torch.distributions.constraints.real, 2)", "cov_diag": "independent(torch.distributions.constraints.positive, 1)"),
            attribute("support", "torch.distributions.constraints.real_vector"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "loc.shape[:-1]"),
            attribute("event_shape", "loc.shape[-1:]"),
            attribute("mean", "loc"),
            attribute("mode", "loc"),
            attribute("variance", "(_unbroadcasted_cov_factor.pow(2).sum(-1) + _unbroadcasted_cov_diag).expand(loc.shape)"),
            attribute(
                "scale_tril",
                "\
n, roots = loc.shape[-1], _unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
scaled = _unbroadcasted_cov_factor / roots
inner = torch.matmul(scaled, scaled.mT).contiguous()
inner.view(-1, n * n)[:, ::n + 1] += 1
(roots * torch.linalg.cholesky(inner)).expand(loc.shape + (n,))",
            ),
            attribute(
                "covariance_matrix",
                "\
matrix = torch.matmul(_unbroadcasted_cov_factor, _unbroadcasted_cov_factor.mT) + torch.diag_embed(_unbroadcasted_cov_diag)
matrix.expand(loc.shape + loc.shape[-1:])",
            ),
            attribute(
                "precision_matrix",
                "\
turned = _unbroadcasted_cov_factor.mT / _unbroadcasted_cov_diag.unsqueeze(-2)
solved = torch.linalg.solve_triangular(_capacitance_tril, turned, upper=False)
(torch.diag_embed(_unbroadcasted_cov_diag.reciprocal()) - solved.mT @ solved).expand(loc.shape + loc.shape[-1:])",
            ),
            method(
                "rsample",
                SHAPE,
                drawn!(
                    "\
def standard(size):
    return torch.normal(torch.zeros(size, dtype=loc.dtype), torch.ones(size, dtype=loc.dtype))
first, second = standard(shape[:-1] + cov_factor.shape[-1:]), standard(shape)
loc + torch.matmul(_unbroadcasted_cov_factor, first.unsqueeze(-1)).squeeze(-1) + _unbroadcasted_cov_diag.sqrt() * second"
                ),
            ),
            method(
                "log_prob",
                VALUE,
                checked!(low_rank!(
                    "-0.5 * (loc.shape[-1] * math.log(2 * math.pi) + log_det(self) + distance(self, value - loc))"
                )),
            ),
            method(
                "entropy",
                &[],
                low_rank!("(0.5 * (loc.shape[-1] * (1.0 + math.log(2 * math.pi)) + log_det(self))).expand(self.batch_shape)"),
            ),
            method(
                "expand",
                &[("batch_shape", Unless::Required), ("_instance", Unless::None)],
                "\
size = torch.Size(batch_shape) + self.event_shape
wide = [loc.expand(size), cov_factor.expand(size + cov_factor.shape[-1:]), cov_diag.expand(size)]
self._with(wide + [_unbroadcasted_cov_factor, _unbroadcasted_cov_diag, _capacitance_tril])",
            ),
        ],
    },
    &Written {
        name: "LKJCholesky",
        module: module!("lkj_cholesky"),
        base: Some(&DISTRIBUTION),
        settings: &[("dim", Unless::Required), ("concentration", Unless::Float(1.0)), ("validate_args", Unless::None)],
        holds: &["dim", "concentration", "_beta"],
        make: "\
if dim < 2:
    raise ValueError(f'Expected dim to be an integer greater than or equal to 2. Found dim={dim}.')
concentration, = torch.distributions.utils.broadcast_all(concentration)
offset = torch.arange(dim - 1, dtype=concentration.dtype)
offset = torch.cat([offset.new_zeros((1,)), offset])
edge = (concentration + 0.5 * (dim - 2)).unsqueeze(-1)
[dim, concentration, torch.distributions.Beta(offset + 0.5, edge - 0.5 * offset)]",
        members: &[
            constraints!("concentration": "positive"),
            attribute("support", "torch.distributions.constraints.corr_cholesky"),
            attribute("batch_shape", "concentration.shape"),
            attribute("event_shape", "torch.Size((dim, dim))"),
            method(
                "sample",
                SHAPE,
                drawn!(
                    "\
y = _beta.sample(sample_shape).unsqueeze(-1)
normal = torch.randn(shape, dtype=y.dtype).tril(-1)
sphere = normal / normal.norm(dim=-1, keepdim=True)
sphere[..., 0, :].fill_(0.0)
w = torch.sqrt(y) * sphere
w + torch.diag_embed(torch.clamp(1 - torch.sum(w ** 2, dim=-1), min=torch.finfo(w.dtype).tiny).sqrt())"
                ),
            ),
            method("rsample", SHAPE, "raise NotImplementedError"),
            method(
                "log_prob",
                VALUE,
                checked!(
                    "\
order = 2 * (concentration - 1).unsqueeze(-1) + dim - torch.arange(2, dim + 1)
log = torch.sum(order * value.diagonal(dim1=-1, dim2=-2)[..., 1:].log(), dim=-1)
less = dim - 1
alpha = concentration + 0.5 * less
log - (0.5 * less * math.log(math.pi) + torch.mvlgamma(alpha - 0.5, less) - torch.lgamma(alpha) * less)"
                ),
            ),
            method(
                "expand",
                &[("batch_shape", Unless::Required), ("_instance", Unless::None)],
                "size = torch.Size(batch_shape)\nself._with([dim, concentration.expand(size), _beta.expand(size + (dim,))])",
            ),
        ],
    },
    &Written {
        name: "Wishart",
        module: module!("wishart"),
        base: Some(&DISTRIBUTION),
        settings: &[
            ("df", Unless::Required),
            ("covariance_matrix", Unless::None),
            ("precision_matrix", Unless::None),
            ("scale_tril", Unless::None),
            ("validate_args", Unless::None),
        ],
        holds: &["df", "covariance_matrix", "precision_matrix", "scale_tril", "_unbroadcasted_scale_tril", "_chi2"],
        make: WISHART,
        members: &[
            constraints!("covariance_matrix": "positive_definite", "precision_matrix": "positive_definite", "scale_tril": "lower_cholesky", "df": "greater_than(self.event_shape[-1] - 1)"),
            attribute("support", "torch.distributions.constraints.positive_definite"),
            attribute("has_rsample", "True"),
            attribute("batch_shape", "df.shape"),
            attribute("event_shape", "_unbroadcasted_scale_tril.shape[-2:]"),
            attribute("scale_tril", "_unbroadcasted_scale_tril.expand(df.shape + (-1, -1))"),
            attribute(
                "covariance_matrix",
                "(_unbroadcasted_scale_tril @ _unbroadcasted_scale_tril.transpose(-2, -1)).expand(df.shape + (-1, -1))",
            ),
            attribute(
                "precision_matrix",
                "\
unit = torch.eye(self.event_shape[-1], dtype=_unbroadcasted_scale_tril.dtype)
torch.cholesky_solve(unit, _unbroadcasted_scale_tril).expand(df.shape + (-1, -1))",
            ),
            attribute("mean", "df.view(df.shape + (1, 1)) * self.covariance_matrix"),
            attribute(
                "mode",
                "\
factor = df - self.event_shape[-1] - 1
factor[factor <= 0] = math.nan
factor.view(df.shape + (1, 1)) * self.covariance_matrix",
            ),
            attribute(
                "variance",
                "\
diagonal = self.covariance_matrix.diagonal(dim1=-2, dim2=-1)
df.view(df.shape + (1, 1)) * (self.covariance_matrix.pow(2) + torch.einsum('...i,...j->...ij', diagonal, diagonal))",
            ),
            method("rsample", &[("sample_shape", Unless::Empty), ("max_try_correction", Unless::None)], WISHART_DRAWN),
            method(
                "log_prob",
                VALUE,
                checked!(
                    "\
p, root = self.event_shape[-1], _unbroadcasted_scale_tril
first = -df * (p * math.log(2) / 2 + root.diagonal(dim1=-2, dim2=-1).log().sum(-1)) - torch.mvlgamma(df / 2, p=p)
second = (df - p - 1) / 2 * torch.linalg.slogdet(value).logabsdet
first + second - torch.cholesky_solve(value, root).diagonal(dim1=-2, dim2=-1).sum(dim=-1) / 2"
                ),
            ),
            method(
                "expand",
                &[("batch_shape", Unless::Required), ("_instance", Unless::None)],
                "\
size = torch.Size(batch_shape)
matrices = (covariance_matrix, precision_matrix, scale_tril, _unbroadcasted_scale_tril)
wide = [None if each is None else each.expand(size + self.event_shape) for each in matrices]
self._with([df.expand(size), *wide, _chi2.expand(size + self.event_shape[-1:])])",
            ),
            method(
                "entropy",
                &[],
                "\
p, half = self.event_shape[-1], df / 2
each = half.unsqueeze(-1) - torch.arange(p, dtype=half.dtype).div(2).expand(half.shape + (-1,))
first = (p + 1) * (p * math.log(2) / 2 + _unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1))
first + torch.mvlgamma(half, p=p) - (df - p - 1) / 2 * torch.digamma(each).sum(-1) + df * p / 2",
            ),
        ],
    },
];

const LOW_RANK: &str = "\
if loc.dim() < 1:
    raise ValueError('loc must be at least one-dimensional.')
if cov_factor.dim() < 2:
    raise ValueError('cov_factor must be at least two-dimensional, with optional leading batch dimensions')
if cov_factor.shape[-2:-1] != loc.shape[-1:]:
    raise ValueError(f'cov_factor must be a batch of matrices with shape {loc.shape[-1]} x m')
if cov_diag.shape[-1:] != loc.shape[-1:]:
    raise ValueError(f'cov_diag must be a batch of vectors with shape {loc.shape[-1:]}')
try:
    means, wide, diagonals = torch.broadcast_tensors(loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1))
except RuntimeError:
    raise ValueError(f'Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}')
rank = cov_factor.size(-1)
inner = torch.matmul(cov_factor.mT / cov_diag.unsqueeze(-2), cov_factor).contiguous()
inner.view(-1, rank * rank)[:, ::rank + 1] += 1
[means[..., 0], wide, diagonals[..., 0], cov_factor, cov_diag, torch.linalg.cholesky(inner)]";

const WISHART: &str = "\
given = [matrix for matrix in (covariance_matrix, precision_matrix, scale_tril) if matrix is not None]
if len(given) != 1:
    raise AssertionError('Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.')
matrix, = given
if matrix.dim() < 2:
    raise ValueError('scale_tril must be at least two-dimensional, with optional leading batch dimensions')
if isinstance(df, torch.Tensor):
    batch = torch.broadcast_shapes(matrix.shape[:-2], df.shape)
    freedom = df.expand(batch)
else:
    batch = matrix.shape[:-2]
    freedom = torch.tensor(df, dtype=matrix.dtype)
p = matrix.shape[-1]
if freedom.le(p - 1).any():
    raise ValueError(f'Value of df={df} expected to be greater than ndim - 1 = {p - 1}.')
if scale_tril is not None:
    root = scale_tril
elif covariance_matrix is not None:
    root = torch.linalg.cholesky(covariance_matrix)
else:
    factor = torch.linalg.cholesky(torch.flip(precision_matrix, (-2, -1)))
    inverse = torch.transpose(torch.flip(factor, (-2, -1)), -2, -1)
    root = torch.linalg.solve_triangular(inverse, torch.eye(p, dtype=matrix.dtype), upper=False)
forms = [None if each is None else each.expand(batch + (-1, -1)) for each in (covariance_matrix, precision_matrix, scale_tril)]
steps = torch.arange(p, dtype=root.dtype).expand(batch + (-1,))
[freedom, *forms, root, torch.distributions.Chi2(df=freedom.unsqueeze(-1) - steps)]";

/// What is drawn well is drawn once more, as PyTorch does it.
const WISHART_DRAWN: &str = "\
p, dims = self.event_shape[-1], [-(k + 1) for k, _ in enumerate(df.shape)]
def draw(size):
    noise = _chi2.rsample(size).sqrt()
    noise = noise.clamp(min=torch.finfo(noise.dtype).eps).diag_embed(dim1=-2, dim2=-1)
    i, j = torch.tril_indices(p, p, offset=-1)
    noise[..., i, j] = torch.randn(torch.Size(size) + df.shape + (p * (p - 1) // 2,), dtype=noise.dtype)
    factor = _unbroadcasted_scale_tril @ noise
    return factor @ factor.transpose(-2, -1)
def over_batch(fits):
    return fits.amax(dims) if dims else fits
drawn = draw(torch.Size(sample_shape))
again = over_batch(self.support.check(drawn))
tries = 10 if max_try_correction is None else max_try_correction
while tries > 0 and again.any():
    anew = draw(again[again].shape)
    drawn[again] = anew
    again[again.clone()] = over_batch(~self.support.check(anew))
    tries -= 1
drawn";
