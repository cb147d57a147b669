//! `torch.distributions.kl_divergence`: how far one distribution is from another, a text for each pair.

use super::matrices::low_rank;
use crate::diag::ErrorClass;
use crate::lang::types::call::{Table, def, row};
use crate::value::{Machine, Outcome, Raise, Value};

/// A pair of distributions, and the text that sees them as `p` and `q`.
struct Pair(&'static str, &'static str, &'static str);

/// Pairs that are endlessly far from each other, since the first gives values that the second does not: a distribution, the others,
/// and the text.
const ENDLESS: &[(&str, &[&str], &str)] = &[
    ("ContinuousBernoulli", &["Pareto"], "torch.full_like(p.probs, math.inf)"),
    ("Exponential", &["Beta", "ContinuousBernoulli", "Pareto", "Uniform"], "torch.full_like(p.rate, math.inf)"),
    ("Gamma", &["Beta", "ContinuousBernoulli", "Pareto", "Uniform"], "torch.full_like(p.concentration, math.inf)"),
    ("Gumbel", &["Beta", "ContinuousBernoulli", "Exponential", "Gamma", "Pareto", "Uniform"], "torch.full_like(p.loc, math.inf)"),
    (
        "Laplace",
        &["Beta", "ContinuousBernoulli", "Exponential", "Gamma", "Pareto", "Uniform"],
        "torch.full_like(p.loc, math.inf)",
    ),
    ("Normal", &["Beta", "ContinuousBernoulli", "Exponential", "Gamma", "Pareto", "Uniform"], "torch.full_like(p.loc, math.inf)"),
    ("Pareto", &["Beta", "ContinuousBernoulli", "Uniform"], "torch.full_like(p.scale, math.inf)"),
    ("Poisson", &["Bernoulli", "Binomial"], "torch.full_like(p.rate, math.inf)"),
    ("Beta", &["Pareto"], "torch.full_like(p.concentration1, math.inf)"),
];

/// The pairs.
static PAIRS: &[Pair] = &[
    Pair("Bernoulli", "Bernoulli", "\
first = p.probs * (torch.nn.functional.softplus(-q.logits) - torch.nn.functional.softplus(-p.logits))
first[q.probs == 0] = math.inf
first[p.probs == 0] = 0
second = (1 - p.probs) * (torch.nn.functional.softplus(q.logits) - torch.nn.functional.softplus(p.logits))
second[q.probs == 1] = math.inf
second[p.probs == 1] = 0
first + second"),
    Pair("Beta", "Beta", "\
a, b = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
logs = q.concentration1.lgamma() + q.concentration0.lgamma() + a.lgamma() - (p.concentration1.lgamma() + p.concentration0.lgamma() + b.lgamma())
first = (p.concentration1 - q.concentration1) * torch.digamma(p.concentration1)
second = (p.concentration0 - q.concentration0) * torch.digamma(p.concentration0)
logs + first + second + (b - a) * torch.digamma(a)"),
    Pair("Binomial", "Binomial", "\
if (p.total_count < q.total_count).any():
    raise NotImplementedError('KL between Binomials where q.total_count > p.total_count is not implemented')
found = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
found[p.total_count > q.total_count] = math.inf
found"),
    Pair("Categorical", "Categorical", "\
each = p.probs * (p.logits - q.logits)
each[(q.probs == 0).expand_as(each)] = math.inf
each[(p.probs == 0).expand_as(each)] = 0
each.sum(-1)"),
    Pair("OneHotCategorical", "OneHotCategorical", "torch.distributions.kl_divergence(p._categorical, q._categorical)"),
    Pair("Cauchy", "Cauchy", "((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()"),
    Pair("Dirichlet", "Dirichlet", "\
a, b = p.concentration.sum(-1), q.concentration.sum(-1)
logs = (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
each = (p.concentration - q.concentration) * (p.concentration.digamma() - a.digamma().unsqueeze(-1))
a.lgamma() - b.lgamma() - logs + each.sum(-1)"),
    Pair("Exponential", "Exponential", "ratio = q.rate / p.rate\n-ratio.log() + ratio - 1"),
    Pair("Exponential", "Normal", "\
variance, square = q.scale.pow(2), p.rate.pow(2)
0.5 * torch.log(square * variance * 2 * math.pi) - 1 + (square.reciprocal() - q.loc / p.rate + q.loc.pow(2) * 0.5) / variance"),
    Pair("Normal", "Gumbel", "\
spread, away = (p.scale / q.scale).pow(2), q.loc / q.scale
mean = p.loc / q.scale
-(spread.log() * 0.5) + (mean - away) + torch.exp(-mean + 0.5 * spread + away) - (0.5 * (1 + math.log(2 * math.pi)))"),
    Pair("Gumbel", "Normal", "\
ratio = p.scale / q.scale
-(ratio / math.sqrt(2 * math.pi)).log() + (math.pi * ratio * 0.5).pow(2) / 3 + ((p.loc + p.scale * 0.5772156649015329 - q.loc) / q.scale).pow(2) * 0.5 - (0.5772156649015329 + 1)"),
    Pair("Exponential", "Gumbel", "\
product, away = p.rate * q.scale, q.loc / q.scale
product.log() - 1 - away + torch.exp(away) * product / (product + 1) + product.reciprocal()"),
    Pair("Uniform", "Gamma", "\
width = p.high - p.low
log = q.concentration.lgamma() - q.concentration * q.rate.log()
middle = (1 - q.concentration) * (torch.xlogy(p.high, p.high) - torch.xlogy(p.low, p.low) - width) / width
found = -width.log() + log + middle + q.rate * (p.high + p.low) / 2
found[p.low < 0.0] = math.inf
found"),
    Pair("Uniform", "Beta", "\
width = p.high - p.low
first = (q.concentration1 - 1) * (torch.xlogy(p.high, p.high) - torch.xlogy(p.low, p.low) - width) / width
high, low = 1 - p.high, 1 - p.low
second = (q.concentration0 - 1) * (torch.xlogy(high, high) - torch.xlogy(low, low) + width) / width
logs = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
found = second + logs - torch.log(width) - first
found[(p.high > 1.0) | (p.low < 0.0)] = math.inf
found"),
    Pair("Uniform", "Gumbel", "\
ratio = q.scale / (p.high - p.low)
high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
ratio.log() + 0.5 * (high + low) - ratio * (torch.exp(-high) - torch.exp(-low))"),
    Pair("Beta", "Exponential", "-p.entropy() - q.rate.log() + q.rate * (p.concentration1 / (p.concentration1 + p.concentration0))"),
    Pair("Beta", "Gamma", "\
log = q.concentration.lgamma() - q.concentration * q.rate.log()
mean = (q.concentration - 1) * (p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma())
-p.entropy() + log - mean + q.rate * p.concentration1 / (p.concentration1 + p.concentration0)"),
    Pair("Exponential", "Gamma", "\
ratio = q.rate / p.rate
-q.concentration * torch.log(ratio) + ratio + q.concentration.lgamma() + q.concentration * 0.5772156649015329 - (1 + 0.5772156649015329)"),
    Pair("Gamma", "Gamma", "\
first = q.concentration * (p.rate / q.rate).log()
second = torch.lgamma(q.concentration) - torch.lgamma(p.concentration)
third = (p.concentration - q.concentration) * torch.digamma(p.concentration)
first + second + third + (q.rate - p.rate) * (p.concentration / p.rate)"),
    Pair("Gamma", "Exponential", "-p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate"),
    Pair("Gamma", "Gumbel", "\
product, away = p.rate * q.scale, q.loc / q.scale
first = (p.concentration - 1) * p.concentration.digamma() - p.concentration.lgamma() - p.concentration
second = product.log() + p.concentration / product
first + second + (torch.exp(away) * (1 + product.reciprocal()).pow(-p.concentration) - away)"),
    Pair("Geometric", "Geometric", "-p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits"),
    Pair("Gumbel", "Gumbel", "\
ratio, b, a = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
-ratio.log() - b + a + ratio * 0.5772156649015329 + torch.exp(b + (1 + ratio).lgamma() - a) - (1 + 0.5772156649015329)"),
    Pair("Laplace", "Laplace", "\
ratio, away = p.scale / q.scale, (p.loc - q.loc).abs()
-ratio.log() + away / q.scale + ratio * torch.exp(-away / p.scale) - 1"),
    Pair("Laplace", "Normal", "\
variance = q.scale.pow(2)
ratio = p.scale.pow(2) / variance
-(0.5 * torch.log(2 * ratio / math.pi)) + ratio + (0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)) / variance - 1"),
    Pair("MultivariateNormal", "MultivariateNormal", "\
if p.event_shape != q.event_shape:
    raise ValueError('KL-divergence between two Multivariate Normals with                          different event shapes cannot be computed')
a, b = torch.broadcast_tensors(p.scale_tril, q.scale_tril)
half = q.scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1) - p.scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
trace = torch.linalg.solve_triangular(b, a, upper=False).flatten(-2).pow(2).sum(-1)
away = torch.linalg.solve_triangular(b, (q.loc - p.loc).unsqueeze(-1), upper=False).squeeze(-1).pow(2).sum(-1)
half + 0.5 * (trace + away - p.event_shape[0])"),
    Pair("Normal", "Normal", "\
ratio = (p.scale / q.scale).pow(2)
0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())"),
    Pair("Normal", "Laplace", "\
away = p.loc - q.loc
ratio, per = p.scale / q.scale, away / p.scale
first = math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * per.pow(2))
-torch.log(ratio) + (first + away * torch.erf(math.sqrt(0.5) * per)) / q.scale - (0.5 * (1 + math.log(0.5 * math.pi)))"),
    Pair("Pareto", "Pareto", "\
ratio, power = p.scale / q.scale, q.alpha / p.alpha
found = q.alpha * ratio.log() + -power.log() + power - 1
found[p.scale < q.scale] = math.inf
found"),
    Pair("Poisson", "Poisson", "p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)"),
    Pair("Bernoulli", "Poisson", "-p.entropy() - (p.probs * q.rate.log() - q.rate)"),
    Pair("Uniform", "Uniform", "\
found = ((q.high - q.low) / (p.high - p.low)).log()
found[(q.low > p.low) | (q.high < p.high)] = math.inf
found"),
    Pair("Uniform", "Normal", "\
width = p.high - p.low
first = (math.sqrt(math.pi * 2) * q.scale / width).log()
first + 0.5 * (width.pow(2) / 12 + ((p.high + p.low - 2 * q.loc) / 2).pow(2)) / q.scale.pow(2)"),
    Pair("Uniform", "Exponential", "\
found = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
found[p.low < 0.0] = math.inf
found"),
    Pair("Beta", "Uniform", "\
found = -p.entropy() + (q.high - q.low).log()
found[(q.low > 0.0) | (q.high < 1.0)] = math.inf
found"),
    Pair("Beta", "Normal", "\
mean, variance = p.concentration1 / (p.concentration1 + p.concentration0), q.scale.pow(2)
third = (mean * (1 - mean) / (p.concentration1 + p.concentration0 + 1) + mean.pow(2)) * 0.5
-p.entropy() + 0.5 * (variance * 2 * math.pi).log() + (third - q.loc * mean + q.loc.pow(2) * 0.5) / variance"),
    Pair("Gamma", "Normal", "\
variance, square = q.scale.pow(2), p.rate.pow(2)
first = 0.5 * torch.log(square * variance * 2 * math.pi) - p.concentration - p.concentration.lgamma()
second = 0.5 * (p.concentration.pow(2) + p.concentration) / square
first + (p.concentration - 1) * p.concentration.digamma() + (second - q.loc * p.concentration / p.rate + 0.5 * q.loc.pow(2)) / variance"),
    Pair("ContinuousBernoulli", "ContinuousBernoulli", "\
first = p.mean * (p.logits - q.logits)
first + (p._log_norm + torch.log1p(-p.probs)) + (-q._log_norm - torch.log1p(-q.probs))"),
    Pair("ContinuousBernoulli", "Exponential", "-p.entropy() - torch.log(q.rate) + q.rate * p.mean"),
    Pair("ContinuousBernoulli", "Normal", "\
second = 0.5 * (math.log(2.0 * math.pi) + torch.square(q.loc / q.scale)) + torch.log(q.scale)
-p.entropy() + second + (p.variance + torch.square(p.mean) - 2.0 * q.loc * p.mean) / (2.0 * torch.square(q.scale))"),
    Pair("ContinuousBernoulli", "Uniform", "\
found = -p.entropy() + (q.high - q.low).log()
torch.where(torch.max(torch.ge(q.low, 0.0), torch.le(q.high, 1.0)), torch.ones_like(found) * math.inf, found)"),
    Pair("Beta", "ContinuousBernoulli", "-p.entropy() - p.mean * q.logits - torch.log1p(-q.probs) - q._log_norm"),
    Pair("Uniform", "ContinuousBernoulli", "\
found = -p.entropy() - p.mean * q.logits - torch.log1p(-q.probs) - q._log_norm
torch.where(torch.max(torch.ge(p.high, 1.0), torch.le(p.low, 0.0)), torch.ones_like(found) * math.inf, found)"),
    Pair("Uniform", "Pareto", "\
width = p.high - p.low
log = (q.alpha * q.scale.pow(q.alpha) * width).log()
found = (torch.xlogy(p.high, p.high) - torch.xlogy(p.low, p.low) - width) / width * (q.alpha + 1) - log
found[p.low < q.scale] = math.inf
found"),
    Pair("Pareto", "Exponential", "\
product = p.scale * q.rate
found = (p.alpha / product).log() - p.alpha.reciprocal() + p.alpha * product / (p.alpha - 1) - 1
found[p.alpha <= 1] = math.inf
found"),
    Pair("Pareto", "Gamma", "\
common = p.scale.log() + p.alpha.reciprocal()
log = q.concentration.lgamma() - q.concentration * q.rate.log()
last = q.rate * p.alpha * p.scale / (p.alpha - 1)
found = p.alpha.log() - common + log + (1 - q.concentration) * common + last - 1
found[p.alpha <= 1] = math.inf
found"),
    Pair("Pareto", "Normal", "\
common = p.scale / (p.alpha - 1)
log = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log()
third, fourth = p.alpha * common.pow(2) / (p.alpha - 2), (p.alpha * common - q.loc).pow(2)
found = log - p.alpha.reciprocal() + (third + fourth) / (2 * q.scale.pow(2)) - 1
found[p.alpha <= 2] = math.inf
found"),
    Pair("LowRankMultivariateNormal", "LowRankMultivariateNormal", low_rank!("\
if p.event_shape != q.event_shape:
    raise ValueError('KL-divergence between two Low Rank Multivariate Normals with                          different event shapes cannot be computed')
def trace(matrix):
    return matrix.flatten(-2).pow(2).sum(-1)
first, third = log_det(q) - log_det(p), distance(q, q.loc - p.loc)
diagonal, inner = q._unbroadcasted_cov_diag, p._unbroadcasted_cov_factor
solved = torch.linalg.solve_triangular(q._capacitance_tril, q._unbroadcasted_cov_factor.mT / diagonal.unsqueeze(-2), upper=False)
second = (p._unbroadcasted_cov_diag / diagonal).sum(-1) + trace(inner * diagonal.rsqrt().unsqueeze(-1))
second = second - trace(solved * p._unbroadcasted_cov_diag.sqrt().unsqueeze(-2)) - trace(solved.matmul(inner))
0.5 * (first + second + third - p.event_shape[0])")),
    Pair("MultivariateNormal", "LowRankMultivariateNormal", low_rank!("\
if p.event_shape != q.event_shape:
    raise ValueError('KL-divergence between two (Low Rank) Multivariate Normals with                          different event shapes cannot be computed')
def trace(matrix):
    return matrix.flatten(-2).pow(2).sum(-1)
tril, diagonal = p.scale_tril, q._unbroadcasted_cov_diag
first = log_det(q) - 2 * tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
solved = torch.linalg.solve_triangular(q._capacitance_tril, q._unbroadcasted_cov_factor.mT / diagonal.unsqueeze(-2), upper=False)
second = trace(tril * diagonal.rsqrt().unsqueeze(-1)) - trace(solved.matmul(tril))
0.5 * (first + second + distance(q, q.loc - p.loc) - p.event_shape[0])")),
    Pair("LowRankMultivariateNormal", "MultivariateNormal", low_rank!("\
if p.event_shape != q.event_shape:
    raise ValueError('KL-divergence between two (Low Rank) Multivariate Normals with                          different event shapes cannot be computed')
def trace(matrix):
    return matrix.flatten(-2).pow(2).sum(-1)
tril = q.scale_tril
first = 2 * tril.diagonal(dim1=-2, dim2=-1).log().sum(-1) - log_det(p)
third = torch.linalg.solve_triangular(tril, (q.loc - p.loc).unsqueeze(-1), upper=False).squeeze(-1).pow(2).sum(-1)
second = trace(torch.linalg.solve_triangular(tril, p._unbroadcasted_cov_factor, upper=False))
second = second + trace(torch.linalg.solve_triangular(tril, torch.diag_embed(p._unbroadcasted_cov_diag.sqrt()), upper=False))
0.5 * (first + second + third - p.event_shape[0])")),
    Pair("Independent", "Independent", "\
if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
    raise NotImplementedError
count = p.reinterpreted_batch_ndims
found = torch.distributions.kl_divergence(p.base_dist, q.base_dist)
found.reshape(found.shape[:found.dim() - count] + (-1,)).sum(-1) if count else found"),
];

/// Distributions of the exponential family, whose divergences are known only among equals.
const FAMILY: [&str; 9] =
    ["Bernoulli", "Beta", "ContinuousBernoulli", "Dirichlet", "Exponential", "Gamma", "Normal", "Poisson", "Wishart"];

/// Distributions that are special cases of others, and are compared as these.
const SPECIAL: [(&str, &str); 2] = [("Chi2", "Gamma"), ("OneHotCategoricalStraightThrough", "OneHotCategorical")];

/// Distributions that others were turned into, which are compared by what they came from: the name, what must be equal, and a text
/// that gives what such a one came from.
const TRANSFORMED: [(&str, &[&str], &str); 12] = [
    ("Gumbel", &[], ""),
    ("HalfCauchy", &[], "it.base_dist"),
    ("HalfNormal", &[], "it.base_dist"),
    ("InverseGamma", &[], "it.base_dist"),
    (
        "Kumaraswamy",
        &["concentration0", "concentration1"],
        "torch.distributions.Uniform(torch.zeros_like(it.concentration0), torch.ones_like(it.concentration0))",
    ),
    ("LogNormal", &[], "it.base_dist"),
    ("LogisticNormal", &[], "it.base_dist"),
    ("Pareto", &[], ""),
    ("RelaxedBernoulli", &[], "it.base_dist"),
    ("RelaxedOneHotCategorical", &[], "it.base_dist"),
    ("TransformedDistribution", &["transforms", "event_shape"], "it.base_dist"),
    ("Weibull", &["scale", "concentration"], "torch.distributions.Exponential(torch.ones_like(it.scale))"),
];

/// How far what two distributions came from are from each other, where they were turned into them alike.
fn of_transformed(machine: &mut dyn Machine, class: &str, p: Value, q: Value) -> Outcome {
    let (equal, base) = TRANSFORMED.iter().find(|row| row.0 == class).map_or((&[][..], ""), |row| (row.1, row.2));
    let differs = Raise::new(ErrorClass::NotImplementedError, "");
    for name in equal {
        let (a, b) = (machine.attr(&p, name)?, machine.attr(&q, name)?);
        let text = "torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b";
        if !matches!(machine.eval_code(text, &[("a", a), ("b", b)])?, Value::Bool(true)) {
            return Err(differs);
        }
    }
    let (p, q) = (machine.eval_code(base, &[("it", p)])?, machine.eval_code(base, &[("it", q)])?);
    divergence(machine, p, q)
}

fn divergence(machine: &mut dyn Machine, p: Value, q: Value) -> Outcome {
    let (first, second) = (p.type_name(), q.type_name());
    let general = |name: &str| SPECIAL.iter().find(|row| row.0 == name).map(|row| row.1.to_string());
    let (first, second) = (general(&first).unwrap_or(first), general(&second).unwrap_or(second));
    let pair = PAIRS.iter().find(|pair| pair.0 == first && pair.1 == second).map(|pair| pair.2);
    let endless = || ENDLESS.iter().find(|row| row.0 == first && row.1.contains(&&*second)).map(|row| row.2);
    let is_family = |name: &str| FAMILY.contains(&name);
    let is_transformed = |name: &str| TRANSFORMED.iter().any(|row| row.0 == name);
    match pair.or_else(endless) {
        Some(text) => machine.eval_code(text, &[("p", p), ("q", q)]),
        None if is_family(&first) && is_family(&second) => fault!(
            NotImplementedError,
            "The cross KL-divergence between different exponential families cannot                             be computed using Bregman divergences"
        ),
        None if is_transformed(&first) && first == second => of_transformed(machine, &first, p, q),
        None if is_transformed(&first) && is_transformed(&second) => Err(Raise::new(ErrorClass::NotImplementedError, "")),
        None => {
            fault!(NotImplementedError, "No KL(p || q) is implemented for p type {} and q type {}", p.type_name(), q.type_name())
        }
    }
}

/// The function.
pub(super) static FUNCTIONS: Table = Table {
    owner: "",
    rows: Table::sorted(&[row("kl_divergence", def(&["p", "q"], 2, 2), |c| {
        let (p, q) = (c.get(0).cloned().unwrap_or(Value::None), c.get(1).cloned().unwrap_or(Value::None));
        divergence(c.machine, p, q)
    })]),
};
