//! Rows that reduce dimensions to one value each.

mod extremes;
mod line_norm;
mod middle;
mod norms;
mod plain_norm;
pub mod segment;
mod select;
mod softmax;
mod spread;
mod sums;
mod zeros;

pub use norms::{check_dtype as check_norm_dtype, vector_norm};

use super::Form::Native;
use super::{exec, op};
use crate::layout::{Dims, Layout, wrap_dims, wrap_dims_in_turn};
use crate::ops::autograd::texts;
use crate::tensor::Tensor;
use anyhow::Result;

const AMINMAX: &str = "low, high = results
g, h = grads
if dim is not None and not keepdim:
    low, high, g, h = low.unsqueeze(dim), high.unsqueeze(dim), g.unsqueeze(dim), h.unsqueeze(dim)
least, most = self == low, self == high
count = (lambda t: t.sum()) if dim is None else (lambda t: t.sum(dim, True))
least * (g / count(least)) + most * (h / count(most))";

const SHARED: &str = "alike = self.isnan() if result.isnan() else self == result\ntorch.where(alike, grad / alike.sum(), 0.)";

/// Of a variance (or its root) and a mean, by what these are called with.
macro_rules! spread {
    ($function:literal, $spread:literal, $mean:literal) => {
        concat!(
            "recorded = torch.is_grad_enabled()
with torch.enable_grad():
    self = self.clone() if recorded else self.detach().requires_grad_()
    again = [torch.",
            $function,
            "(self, ",
            $spread,
            "), self.mean(",
            $mean,
            ")]
torch.autograd.grad(again, self, grads, retain_graph=True, create_graph=recorded)[0]"
        )
    };
}

/// Of the norm of the order `order`.
macro_rules! norm {
    ($order:literal) => {
        concat!(
            $order,
            "\n",
            texts::reduced!(
                "r = result.reshape(ones)
size = self.abs()
if order == 0:
    found = None
elif order == 1:
    found = self.sgn() * kept
elif order == 2:
    found = kept * (self / r).masked_fill(r == 0, 0)
elif abs(order) == float('inf'):
    alike = (size == r) | size.isnan()
    found = self.sgn() * (kept / alike.sum(dims, True) * alike)
elif order < 1:
    found = (self.sgn() * size ** (order - 1)).masked_fill(self == 0, 0) * kept * r ** (1 - order)
else:
    powers = self.sgn() * size ** (order - 1) if order < 2 else self * size ** (order - 2)
    found = powers * (kept / r ** (order - 1)).masked_fill(r == 0, 0)
found"
            )
        )
    };
}

const VECTOR_NORM: &str = norm!("order = ord");

const NORM: &str = concat!(
    "if p == 'nuc':
    matrix = list(dim) if dim else [-2, -1]
    u, s, vh = torch.linalg.svd(self.movedim(matrix, [-2, -1]), full_matrices=False)
    near = grad.movedim(matrix, [-2, -1]) if keepdim else grad.unsqueeze(-1).unsqueeze(-1)
    near = (u * near) @ vh
    nuclear = near.movedim([-2, -1], matrix)
    p, dim = 1, matrix
else:
    nuclear = None
",
    norm!("order = 2 if p in (None, 'fro') else p"),
    " if nuclear is None else nuclear"
);

/// The product of the others, also where elements are 0.
const PROD: &str = "flat = self.reshape(-1)
if not self.ndim:
    found = grad
elif not torch.is_grad_enabled() and (flat == 0).sum() > 1:
    found = torch.zeros_like(self)
elif (flat == 0).any():
    one = flat.new_ones(1)
    before = torch.cat([one, flat[:-1]]).cumprod(0)
    behind = torch.cat([one, flat.flip(0)[:-1]]).cumprod(0).flip(0)
    found = grad * (before * behind).reshape(self.shape)
else:
    found = grad * (result / self)
found";

/// The same along a dimension.
const PROD_ALONG: &str = texts::reduced!(
    "if not self.ndim:
    found = grad
elif (self == 0).any():
    along, count = dims[0], self.shape[dims[0]]
    one = torch.ones_like(self.narrow(along, 0, min(count, 1)))
    before = torch.cat([one, self.narrow(along, 0, max(count - 1, 0))], along).cumprod(along)
    behind = torch.cat([one, self.flip(along).narrow(along, 0, max(count - 1, 0))], along).cumprod(along).flip(along)
    found = kept * (before * behind)
else:
    found = kept * (result.reshape(ones) / self)
found"
);

/// The way back through a softmax, which is an operation of its own.
const SOFTMAX: &str = "torch._softmax_backward_data(grad, result, dim, self.dtype)";
/// The same through its logarithm.
const LOG_SOFTMAX: &str = "torch._log_softmax_backward_data(grad, result, dim, self.dtype)";

rows![
    op(
        "sum(Tensor self, *, DType? dtype=None) -> Tensor",
        "The sum of all elements, or along `dim`. Integers and bools are summed in int64.",
        "torch.tensor([[1, 2], [3, 4]]).sum(0)  # tensor([4, 6])",
        Native(sums::sum),
    )
    .no_out()
        .grads(&[("self", "grad.expand(self.shape)")]).complex(),
    op("sum(Tensor self, int[1]? dim, bool keepdim=False, *, DType? dtype=None) -> Tensor", "", "", Native(sums::sum_along))
        .grads(&[("self", texts::reduced!("kept.expand(self.shape)"))]).complex(),
    op(
        "nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, DType? dtype=None) -> Tensor",
        "The sum with NaN counted as 0.",
        "torch.tensor([1., float('nan')]).nansum()  # tensor(1.)",
        Native(sums::nansum),
    )
        .grads(&[("self", texts::reduced!("kept.expand(self.shape) * ~self.isnan()"))]),
    op(
        "mean(Tensor self, *, DType? dtype=None) -> Tensor",
        "The mean of all elements, or along `dim`; for floats and complex numbers.",
        "torch.tensor([1., 2., 6.]).mean()  # tensor(3.)",
        Native(sums::mean),
    )
        .grads(&[("self", "grad.expand(self.shape) / self.numel()")]).complex(),
    op("mean(Tensor self, int[1]? dim, bool keepdim=False, *, DType? dtype=None) -> Tensor", "", "", Native(sums::mean_along))
        .grads(&[("self", texts::reduced!("kept.expand(self.shape) / (self.numel() // max(kept.numel(), 1))"))]).complex(),
    op(
        "nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, DType? dtype=None) -> Tensor",
        "The mean of the elements that are not NaN.",
        "torch.tensor([1., float('nan'), 3.]).nanmean()  # tensor(2.)",
        Native(sums::nanmean),
    )
        .grads(&[("self", texts::again!("self", "torch.nansum(self, dim, keepdim) / (~self.isnan()).sum(list(range(self.ndim)) if dim is None else dim, keepdim)", ""))]),
    op(
        "prod(Tensor self, *, DType? dtype=None) -> Tensor",
        "The product of all elements, or along `dim`. Integers and bools are multiplied in int64.",
        "torch.tensor([2, 3, 4]).prod()  # tensor(24)",
        Native(sums::prod),
    )
        .no_out()
        .grads(&[("self", PROD)]).conjugated(),
    op("prod(Tensor self, int dim, bool keepdim=False, *, DType? dtype=None) -> Tensor", "", "", Native(sums::prod_along))
        .grads(&[("self", PROD_ALONG)]).conjugated(),
    op(
        "any(Tensor self, int[1]? dim=None, bool keepdim=False) -> Tensor",
        "Whether any element is not zero.",
        "torch.tensor([0, 2]).any()  # tensor(True)",
        Native(sums::any),
    )
    .no_grad(),
    op(
        "all(Tensor self, int[1]? dim=None, bool keepdim=False) -> Tensor",
        "Whether no element is zero.",
        "torch.tensor([0, 2]).all()  # tensor(False)",
        Native(sums::all),
    )
    .no_grad(),
    op(
        "count_nonzero(Tensor self, int? dim=None) -> Tensor",
        "How many elements are not zero.",
        "torch.tensor([0, 5, 6]).count_nonzero()  # tensor(2)",
        Native(|a| sums::count_nonzero(a, a.get::<Option<i64>>(1)?.map(|dim| Dims::from_slice(&[dim])))),
    )
    .no_out()
    .no_grad(),
    op("count_nonzero(Tensor self, int[] dim) -> Tensor", "", "", Native(|a| sums::count_nonzero(a, Some(a.get(1)?)))).no_out().no_grad(),
    op(
        "max(Tensor self) -> Tensor",
        "The greatest element; along `dim` with the place where it is first; or the greater of each pair. NaN counts as the greatest.",
        "torch.tensor([[1, 5], [7, 2]]).max(1).values  # tensor([5, 7])",
        Native(extremes::max),
    )
        .grads(&[("self", SHARED)]),
    op("max(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", "", "", Native(extremes::max_along))
        .grads(&[("self", texts::PICKED)]),
    op(
        "min(Tensor self) -> Tensor",
        "The least element; along `dim` with the place where it is first; or the lesser of each pair. NaN counts as the least here.",
        "torch.tensor([[1, 5], [7, 2]]).min(1).values  # tensor([1, 2])",
        Native(extremes::min),
    )
        .grads(&[("self", SHARED)]),
    op("min(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", "", "", Native(extremes::min_along))
        .grads(&[("self", texts::PICKED)]),
    op(
        "amax(Tensor self, int[1]? dim=[], bool keepdim=False) -> Tensor",
        "The greatest element along several dimensions, or of all.",
        "torch.tensor([[1, 5], [7, 2]]).amax(0)  # tensor([7, 5])",
        Native(extremes::amax),
    )
        .grads(&[("self", texts::reduced!("alike = self == result.reshape(ones)\nalike * (kept / alike.sum(dims, True))"))]),
    op(
        "amin(Tensor self, int[1]? dim=[], bool keepdim=False) -> Tensor",
        "The least element along several dimensions, or of all.",
        "torch.tensor([[1, 5], [7, 2]]).amin(0)  # tensor([1, 2])",
        Native(extremes::amin),
    )
        .grads(&[("self", texts::reduced!("alike = self == result.reshape(ones)\nalike * (kept / alike.sum(dims, True))"))]),
    op(
        "aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)",
        "The least and the greatest element.",
        "torch.aminmax(torch.tensor([1, 5])).max  # tensor(5)",
        Native(extremes::aminmax),
    )
        .grads(&[("self", AMINMAX)]),
    op(
        "argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
        "The place of the greatest element along `dim`, or in the flattened tensor; the first of several.",
        "torch.tensor([3, 9, 9]).argmax()  # tensor(1)",
        Native(extremes::argmax),
    )
    .no_grad(),
    op(
        "argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
        "The place of the least element along `dim`, or in the flattened tensor; the first of several.",
        "torch.tensor([3, 1, 1]).argmin()  # tensor(1)",
        Native(extremes::argmin),
    )
    .no_grad(),
    op(
        "var(Tensor self, bool unbiased=True) -> Tensor",
        "The variance: the mean squared distance from the mean, dividing by the number of elements less `correction` (1).",
        "torch.tensor([1., 2., 3.]).var()  # tensor(1.)",
        Native(spread::var_all),
    )
    .no_out()
        .grads(&[("self", texts::whole!("left = self.numel() - int(unbiased)\nfar = self - self.mean()\n2 / left * kept * far if left > 0 else kept * torch.where(far == 0, float('nan'), float('inf'))"))]),
    op("var(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", "", "", Native(spread::var_along))
        .grads(&[("self", texts::reduced!("n = self.numel() // max(kept.numel(), 1)\nleft = n - int(unbiased)\nfar = self - self.mean(dims, True)\n2 / left * kept * far if left > 0 else kept * torch.where(far == 0, float('nan'), float('inf'))"))]),
    op(
        "var(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
        "",
        "",
        Native(spread::var)
    )
        .grads(&[("self", texts::reduced!("n = self.numel() // max(kept.numel(), 1)\nleft = n - (1 if correction is None else correction)\nfar = self - self.mean(dims, True)\n2 / left * kept * far if left > 0 else kept * torch.where(far == 0, float('nan'), float('inf'))"))]),
    op(
        "std(Tensor self, bool unbiased=True) -> Tensor",
        "The standard deviation: the root of the variance.",
        "torch.tensor([1., 2., 3.]).std()  # tensor(1.)",
        Native(spread::std_all),
    )
    .no_out()
        .grads(&[("self", texts::whole!("r = result.reshape(ones)\nkept = (kept / (r * 2)).masked_fill(r == 0, 0)\nleft = self.numel() - int(unbiased)\nfar = self - self.mean()\n2 / left * kept * far if left > 0 else kept * torch.where(far == 0, float('nan'), float('inf'))"))]),
    op("std(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", "", "", Native(spread::std_along))
        .grads(&[("self", texts::reduced!("n = self.numel() // max(kept.numel(), 1)\nr = result.reshape(ones)\nkept = (kept / (r * 2)).masked_fill(r == 0, 0)\nleft = n - int(unbiased)\nfar = self - self.mean(dims, True)\n2 / left * kept * far if left > 0 else kept * torch.where(far == 0, float('nan'), float('inf'))"))]),
    op(
        "std(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
        "",
        "",
        Native(spread::std)
    )
        .grads(&[("self", texts::reduced!("n = self.numel() // max(kept.numel(), 1)\nr = result.reshape(ones)\nkept = (kept / (r * 2)).masked_fill(r == 0, 0)\nleft = n - (1 if correction is None else correction)\nfar = self - self.mean(dims, True)\n2 / left * kept * far if left > 0 else kept * torch.where(far == 0, float('nan'), float('inf'))"))]),
    op(
        "var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
        "The variance and the mean.",
        "torch.var_mean(torch.tensor([1., 2., 3.]))  # (tensor(1.), tensor(2.))",
        Native(spread::var_mean_all),
    )
    .function_only()
    .no_out()
        .grads(&[("self", spread!("var", "unbiased", ""))])
    .complex(),
    op(
        "var_mean(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)",
        "",
        "",
        Native(spread::var_mean_along)
    )
    .function_only()
    .no_out()
        .grads(&[("self", spread!("var", "dim, unbiased, keepdim", "dim, keepdim"))])
    .complex(),
    op(
        "var_mean(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)",
        "",
        "",
        Native(spread::var_mean)
    )
    .function_only()
    .no_out()
        .grads(&[("self", spread!("var", "dim=dim, correction=1 if correction is None else correction, keepdim=keepdim", "dim, keepdim"))])
    .complex(),
    op(
        "std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
        "The standard deviation and the mean.",
        "torch.std_mean(torch.tensor([1., 2., 3.]))  # (tensor(1.), tensor(2.))",
        Native(spread::std_mean_all),
    )
    .function_only()
    .no_out()
        .grads(&[("self", spread!("std", "unbiased", ""))])
    .complex(),
    op(
        "std_mean(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)",
        "",
        "",
        Native(spread::std_mean_along)
    )
    .function_only()
    .no_out()
        .grads(&[("self", spread!("std", "dim, unbiased, keepdim", "dim, keepdim"))])
    .complex(),
    op(
        "std_mean(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)",
        "",
        "",
        Native(spread::std_mean)
    )
    .function_only()
    .no_out()
        .grads(&[("self", spread!("std", "dim=dim, correction=1 if correction is None else correction, keepdim=keepdim", "dim, keepdim"))])
    .complex(),
    op(
        "linalg.vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, DType? dtype=None) -> Tensor",
        "The norm of the elements as one vector, or along `dim`: the `ord`-th root of the sum of the `ord`-th powers of their sizes.",
        "torch.linalg.vector_norm(torch.tensor([3., 4.]))  # tensor(5.)",
        Native(norms::linalg_vector_norm),
    )
        .grads(&[("self", VECTOR_NORM)]),
    op(
        "norm(Tensor self, Any p=\"fro\", int[1]? dim=None, bool keepdim=False, *, Any dtype=None) -> Tensor",
        "The norm of a tensor's elements: the `p`-th root of the sum of the `p`-th powers of their sizes. 'fro' is 2, 'nuc' the sum of the \
         singular values of a matrix.",
        "torch.tensor([3., 4.]).norm()  # tensor(5.)",
        super::Form::Hosted(norms::norm),
    )
        .grads(&[("self", NORM)]),
    op(
        "norm(Tensor self, Any p, int[1]? dim, bool keepdim, Any dtype) -> Tensor",
        "",
        "",
        super::Form::Hosted(norms::norm),
    )
    .method_only()
        .grads(&[("self", NORM)]),
    op(
        "norm(Tensor self, Any p, Any dim, Any keepdim, Any into, Any dtype=None) -> Tensor",
        "",
        "",
        super::Form::Hosted(norms::norm_into),
    )
    .function_only()
        .grads(&[("self", NORM)]),
    op(
        "dist(Tensor self, Tensor other, Scalar p=2) -> Tensor",
        "The norm of the difference.",
        "torch.dist(torch.tensor([1., 2.]), torch.tensor([4., 6.]))  # tensor(5.)",
        super::Form::Hosted(norms::dist),
    )
    .no_out(),
    op(
        "median(Tensor self) -> Tensor",
        "The element in the middle of the sorted ones, the lower of two; along `dim` with its place. NaN if there is one.",
        "torch.tensor([3, 1, 2, 9]).median()  # tensor(2)",
        Native(middle::median),
    )
    .no_out()
    .grads(&[("self", SHARED)]),
    op(
        "median(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
        "",
        "",
        Native(middle::median_along)
    )
        .grads(&[("self", texts::PICKED)]),
    op(
        "nanmedian(Tensor self) -> Tensor",
        "The median of the elements that are not NaN.",
        "torch.tensor([1., float('nan'), 3.]).nanmedian()  # tensor(1.)",
        Native(middle::nanmedian),
    )
    .no_out()
    .grads(&[("self", SHARED)]),
    op(
        "nanmedian(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
        "",
        "",
        Native(middle::nanmedian_along)
    )
        .grads(&[("self", "here = torch.zeros_like(self)\nat, g = (results[1], grads[0]) if keepdim or self.ndim == 0 else (results[1].unsqueeze(dim), grads[0].unsqueeze(dim))\nhere.scatter(dim, at, g) if self.ndim else g")]),
    op(
        "mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
        "The element that occurs most often along `dim`, the least of several, with its place.",
        "torch.tensor([3, 1, 3]).mode().values  # tensor(3)",
        Native(middle::mode),
    )
        .grads(&[("self", texts::PICKED)]),
    op(
        "logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
        "The logarithm of the sum of the exponentials along `dim`, without overflow.",
        "torch.tensor([0., 0.]).logsumexp(0)  # tensor(0.6931)",
        Native(softmax::logsumexp),
    )
    .alias(&["special.logsumexp"])
        .grads(&[("self", texts::reduced!("kept * (self - result.reshape(ones)).exp()"))])
    .conjugated(),
    op(
        "softmax(Tensor self, int dim, DType? dtype=None) -> Tensor",
        "The exponentials along `dim`, divided by their sum.",
        "torch.tensor([0., 0.]).softmax(0)  # tensor([0.5000, 0.5000])",
        Native(softmax::softmax),
    )
        .grads(&[("self", SOFTMAX)]),
    op(
        "_softmax_backward_data(Tensor grad_output, Tensor output, int dim, DType input_dtype) -> Tensor",
        "The gradient of `softmax`, of what came back and of its result: `(grad_output - (grad_output * output).sum(dim, True)) * output`.",
        "torch._softmax_backward_data(torch.tensor([1., 0.]), torch.tensor([0.5, 0.5]), 0, torch.float32)  # tensor([ 0.2500, -0.2500])",
        Native(softmax::softmax_back),
    )
        .grads(&[
            ("grad_output", "torch._softmax_backward_data(grad, output, dim, input_dtype)"),
            ("output", "grad * (grad_output - (grad_output * output).sum(dim, True)) - grad_output * (grad * output).sum(dim, True)"),
        ]),
    op(
        "_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, DType input_dtype) -> Tensor",
        "The gradient of `log_softmax`, of what came back and of its result: `grad_output - output.exp() * grad_output.sum(dim, True)`.",
        "torch._log_softmax_backward_data(torch.tensor([1., 0.]), torch.tensor([0.5, 0.5]).log(), 0, torch.float32)  # tensor([ 0.5000, -0.5000])",
        Native(softmax::log_softmax_back),
    )
        .grads(&[
            ("grad_output", "grad - (grad * output.exp()).sum(dim, True)"),
            ("output", "-grad * output.exp() * grad_output.sum(dim, True)"),
        ]),
    op(
        "special.softmax(Tensor self, int dim, DType? dtype=None) -> Tensor",
        "As `softmax`.",
        "torch.special.softmax(torch.tensor([0., 0.]), 0)  # tensor([0.5000, 0.5000])",
        Native(softmax::softmax)
    )
    .no_out()
        .grads(&[("self", SOFTMAX)]),
    op(
        "log_softmax(Tensor self, int dim, DType? dtype=None) -> Tensor",
        "The logarithm of the softmax, accurate for small values.",
        "torch.tensor([0., 0.]).log_softmax(0)  # tensor([-0.6931, -0.6931])",
        Native(softmax::log_softmax),
    )
        .grads(&[("self", LOG_SOFTMAX)]),
    op(
        "special.log_softmax(Tensor self, int dim, *, DType? dtype=None) -> Tensor",
        "As `log_softmax`.",
        "torch.special.log_softmax(torch.tensor([0., 0.]), 0)  # tensor([-0.6931, -0.6931])",
        Native(softmax::log_softmax)
    )
    .no_out()
        .grads(&[("self", LOG_SOFTMAX)]),
];

/// Of more dimensions PyTorch reduces none.
const MOST_DIMS: usize = 64;

/// The dimensions to reduce, counted from 0: all when none are named.
fn dims(x: &Tensor, dim: Option<&[i64]>) -> Result<Vec<usize>> {
    match dim {
        Some(named) if !named.is_empty() => {
            let dims = wrap_dims(named, x.ndim())?;
            if x.ndim() > MOST_DIMS {
                fault!(RuntimeError, "only tensors with up to {MOST_DIMS} dims are supported");
            }
            Ok(dims.into_iter().filter(|d| *d < x.ndim()).collect())
        }
        _ => Ok((0..x.ndim()).collect()),
    }
}

/// As [`dims`], of functions that look at one dimension after the other.
fn dims_in_turn(x: &Tensor, dim: Option<&[i64]>) -> Result<Vec<usize>> {
    wrap_dims_in_turn(dim.unwrap_or_default(), x.ndim())?;
    dims(x, dim)
}

/// The first result of a fold over dimensions.
fn fold(what: &exec::Reduction, x: &Tensor, dims: &[usize], keepdim: bool) -> Result<Tensor> {
    match exec::fold(what, x, dims, keepdim)?.into_iter().next() {
        Some(result) => Ok(result),
        None => fault!(RuntimeError, "a fold without a result"),
    }
}

/// The same elements, row-major, as one dimension.
fn flat(x: &Tensor) -> Result<Tensor> {
    exec::contiguous(x)?.alias(Layout { offset: exec::contiguous(x)?.layout().offset, ..Layout::contiguous(&[x.numel()]) })
}

/// The sizes after reducing `dims`.
fn reduced_sizes(x: &Tensor, dims: &[usize], keepdim: bool) -> Dims {
    let sizes = x.sizes();
    let kept = sizes.iter().enumerate().filter_map(|(k, n)| match dims.contains(&k) {
        true if keepdim => Some(1),
        true => None,
        false => Some(*n),
    });
    kept.collect()
}
