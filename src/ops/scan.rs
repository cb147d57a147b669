//! Rows that run along a dimension: sums, products and extremes of the elements so far.

use super::Form::Native;
use super::map::WIDE;
use super::{Args, exec, op, out};
use crate::dtype::DType;
use crate::kernel::scan::{CUMMAX, CUMMIN, CUMPROD, CUMSUM, LOGCUMSUMEXP, Scan};
use crate::layout::wrap_dim;
use crate::ops::autograd::texts;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// Behind the first 0 nothing counts, and at it the product of the others does.
const CUMPROD_GRADIENT: &str = "if not self.ndim:
    found = grad
else:
    behind = lambda t: t.flip(dim).cumsum(dim).flip(dim)
    zero = self == 0
    found = behind(grad * result) / torch.where(zero, 1, self)
    if zero.any() and torch.is_grad_enabled():
        n = self.shape[dim]
        one = torch.ones_like(self.narrow(dim, 0, 1))
        until = lambda k: self.narrow(dim, 0, k).prod(dim, True) if k else one
        behind = lambda k: torch.cat([one, self.narrow(dim, k + 1, n - k - 1)], dim).cumprod(dim)
        found = torch.cat([(grad.narrow(dim, k, n - k) * until(k) * behind(k)).sum(dim, True) for k in range(n)], dim)
    elif zero.any():
        count = zero.long().cumsum(dim)
        first = zero & (count == 1)
        others = torch.where(first, 1, self).cumprod(dim)
        found = torch.where(count == 0, found, torch.where(first, behind(grad * others), 0))
found";

const LOGCUMSUMEXP_GRADIENT: &str = "if not self.ndim:
    found = grad
elif self.is_complex():
    found = ((grad.conj().log() - result).flip(dim).logcumsumexp(dim).flip(dim) + self).exp().conj()
else:
    # By logarithms, what rises and what falls apart: the exponentials alone overflow.
    least, size = torch.finfo(grad.dtype).min, grad.abs().log()
    back = lambda t: ((torch.where(t, size, least) - result).flip(dim).logcumsumexp(dim).flip(dim) + self).exp()
    found = back(grad > 0) - back(grad < 0)
found";

rows![
    op(
        "cumsum(Tensor self, int dim, *, DType? dtype=None) -> Tensor",
        "Along `dim`, the sum of each element and those before it. Integers and bools are summed in int64.",
        "torch.tensor([1, 2, 3]).cumsum(0)  # tensor([1, 3, 6])",
        Native(|a| total(a, &CUMSUM)),
    )
    .inplace()
        .grads(&[("self", "grad.flip(dim).cumsum(dim).flip(dim) if self.ndim else grad")]).complex(),
    op(
        "cumprod(Tensor self, int dim, *, DType? dtype=None) -> Tensor",
        "Along `dim`, the product of each element and those before it. Integers and bools are multiplied in int64.",
        "torch.tensor([1, 2, 3]).cumprod(0)  # tensor([1, 2, 6])",
        Native(|a| total(a, &CUMPROD)),
    )
    .inplace()
        .grads(&[("self", CUMPROD_GRADIENT)])
    .conjugated(),
    op(
        "cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)",
        "Along `dim`, the greatest of each element and those before it, and the last place where it is. NaN counts as the greatest.",
        "torch.tensor([1, 3, 2]).cummax(0).values  # tensor([1, 3, 3])",
        Native(|a| extreme(a, &CUMMAX)),
    )
        .grads(&[("self", texts::PICKED)]),
    op(
        "cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)",
        "Along `dim`, the least of each element and those before it, and the last place where it is. NaN counts as the least here.",
        "torch.tensor([3, 1, 2]).cummin(0).values  # tensor([3, 1, 1])",
        Native(|a| extreme(a, &CUMMIN)),
    )
        .grads(&[("self", texts::PICKED)]),
    op(
        "logcumsumexp(Tensor self, int dim) -> Tensor",
        "Along `dim`, the logarithm of the sum of the exponentials of each element and those before it, without overflow.",
        "torch.zeros(3).logcumsumexp(0)  # tensor([0.0000, 0.6931, 1.0986])",
        Native(logcumsumexp),
    )
        .grads(&[("self", LOGCUMSUMEXP_GRADIENT)])
    .complex(),
];

/// The first result of a scan.
fn first(what: &'static Scan, x: &Tensor, dim: i64, dtype: DType) -> Result<Value> {
    match exec::scan(what, x, wrap_dim(dim, x.ndim())?, dtype)?.into_iter().next() {
        Some(result) => Ok(result.into()),
        None => fault!(RuntimeError, "a scan without a result"),
    }
}

fn total(args: &Args, what: &'static Scan) -> Result<Value> {
    let (x, dim, dtype): (Tensor, i64, Option<DType>) = args.take()?;
    wrap_dim(dim, x.ndim())?;
    let dtype = args.asked_dtype(dtype)?.unwrap_or(if x.dtype().is_integral(true) { DType::I64 } else { x.dtype() });
    if x.ndim() == 0 && (dtype == DType::Bool || args.inplace) {
        return Ok(exec::cast(&x, if args.inplace { x.dtype() } else { dtype })?.into());
    }
    if args.inplace && x.numel() == 0 {
        return Ok(x.into());
    }
    // A number is not added to a zero, whose sign would be lost.
    if x.ndim() == 0 && !dtype.is_integral(true) {
        return Ok(if dtype == x.dtype() { exec::clone(&x)? } else { exec::cast(&x, dtype)? }.into());
    }
    if dtype == DType::Bool && x.numel() > 0 {
        fault!(NotImplementedError, "\"{}_out_cpu\" not implemented for 'Bool'", what.name);
    }
    first(what, &x, dim, dtype)
}

fn extreme(args: &Args, what: &'static Scan) -> Result<Value> {
    let (x, dim): (Tensor, i64) = args.take()?;
    out::check_targets(args, x.dtype())?;
    if x.ndim() == 0 {
        return of_one(&x, dim, what.name);
    }
    if x.numel() == 0 {
        wrap_dim(dim, x.ndim())?;
        let empty = |dtype| exec::empty(&x.sizes(), dtype, x.device()).map(Value::from);
        return Ok(Value::tuple(vec![empty(x.dtype())?, empty(DType::I64)?]));
    }
    let dim = wrap_dim(dim, x.ndim())?;
    if WIDE.contains(&x.dtype()) {
        fault!(NotImplementedError, "\"{}_cpu\" not implemented for '{}'", what.name, x.dtype().title());
    }
    let results = exec::scan(what, &x, dim, x.dtype())?;
    Ok(Value::tuple(results.into_iter().map(Value::from).collect()))
}

/// A number is the greatest of itself, of whatever dtype.
fn of_one(x: &Tensor, dim: i64, name: &str) -> Result<Value> {
    if !matches!(dim, -1 | 0) {
        fault!(IndexError, "{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}");
    }
    Ok(Value::tuple(vec![exec::clone(x)?.into(), exec::zeros(&[], DType::I64, x.device())?.into()]))
}

fn logcumsumexp(args: &Args) -> Result<Value> {
    let (x, dim): (Tensor, i64) = args.take()?;
    if let Some(target) = args.target() {
        out::check(args, x.dtype(), &target)?;
    }
    wrap_dim(dim, x.ndim())?;
    if x.dtype().is_integral(true) {
        fault!(NotImplementedError, "\"logcumsumexp_out_cpu\" not implemented for '{}'", x.dtype().title());
    }
    if x.ndim() == 0 {
        return Ok(exec::clone(&x)?.into());
    }
    first(&LOGCUMSUMEXP, &x, dim, x.dtype())
}
