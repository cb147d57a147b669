//! Exponentials along dimensions, with the greatest taken out so that nothing overflows.

use super::{dims, fold, reduced_sizes};
use crate::dtype::DType;
use crate::kernel::fold::{MAX, SUM};
use crate::kernel::soft::Soft;
use crate::layout::{Dims, Layout, wrap_dims};
use crate::ops::exec::{self, Reduction};
use crate::ops::map::{Map, elementwise};
use crate::ops::out::check;
use crate::ops::{Args, Operand, rare};
use crate::settings;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

// One step each, since each rounds to a 16-bit dtype.
const DISTANCE: Map = elementwise!(logsumexp(a, m), Promote, "a - m"; float: a - m; complex: a - m);
const EXP: Map = elementwise!(logsumexp(a), Promote, "exp(a)"; float: a.exp(); complex: a.exp());
const LOG: Map = elementwise!(logsumexp(a), Promote, "log(a)"; float: a.ln(); complex: a.ln());
const PLUS: Map = elementwise!(logsumexp(a, m), Promote, "a + m"; float: a + m; complex: a + m);
const TIMES: Map = elementwise!(softmax(a, b), Promote, "a * b"; float: a * b);
const REAL: Map = elementwise!(logsumexp(a), Real, "real(a)"; real: a; complex => real: a.re);
const FINITE: Map = elementwise!(logsumexp(m), Promote, "isinf(m) ? 0 : m"; float: if m.is_infinite() { 0.0 } else { m });

fn of(map: Map, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    map.of("logsumexp", &[Operand::Tensor(a.clone()), Operand::Tensor(b.clone())], &[])
}

fn each(map: Map, a: &Tensor) -> Result<Tensor> {
    map.of("logsumexp", &[Operand::Tensor(a.clone())], &[])
}

fn greatest(x: &Tensor, dims: &[usize]) -> Result<Tensor> {
    fold(&Reduction::new(&MAX, x.dtype()), x, dims, true)
}

fn sum(x: &Tensor, dims: &[usize], keepdim: bool) -> Result<Tensor> {
    fold(&Reduction::new(&SUM, x.dtype()), x, dims, keepdim)
}

/// The tensor in the dtype to compute in (16-bit floats in float32), the dtype of the result, and the dimension.
fn prepare(name: &str, args: &Args) -> Result<(Tensor, DType, Vec<usize>)> {
    let (x, dim, dtype): (Tensor, i64, Option<DType>) = args.take()?;
    let result = dtype.unwrap_or(x.dtype());
    let dims: Vec<usize> = wrap_dims(&[dim], x.ndim())?.into_iter().filter(|d| *d < x.ndim()).collect();
    if let Some(out) = args.target() {
        check(args, result, &out)?;
    }
    if x.numel() == 0 {
        return Ok((x, result, dims));
    }
    if !result.is_float() || rare::is_float8(result) {
        let inner = dims.first().is_none_or(|d| d + 1 == x.ndim());
        let kernel = if inner { "lastdim_kernel" } else { "kernel" };
        fault!(NotImplementedError, "\"{name}_{kernel}_impl\" not implemented for '{}'", result.title());
    }
    let wide = if result == DType::F64 { DType::F64 } else { DType::F32 };
    Ok((exec::cast(&exec::cast(&x, result)?, wide)?, result, dims))
}

/// The result in its dtype, row-major whatever the order of `x`.
fn in_rows(x: &Tensor, dtype: DType) -> Result<Value> {
    let x = exec::contiguous(&exec::cast(x, dtype)?)?;
    Ok(x.alias(Layout { offset: x.layout().offset, ..Layout::contiguous(&x.sizes()) })?.into())
}

/// Elements from which on steps that PyTorch takes one after the other are taken together, at the price of a last bit.
const MANY: i64 = 1 << 16;

fn shares(name: &str, work: Soft, args: &Args) -> Result<Value> {
    let (x, dtype, dims) = prepare(name, args)?;
    if x.numel() == 0 {
        return in_rows(&exec::clone(&x)?, dtype);
    }
    let shares = exec::soft(work, &x, dims.first().copied().unwrap_or(0), dtype)?;
    in_rows(&shares, dtype)
}

pub(super) fn softmax(args: &Args) -> Result<Value> {
    shares("softmax", Soft::Share, args)
}

pub(super) fn log_softmax(args: &Args) -> Result<Value> {
    shares("log_softmax", Soft::LogShare, args)
}

/// The gradient of softmax, or of its logarithm, of what came back and of the result.
fn back(is_log: bool, args: &Args) -> Result<Value> {
    let (grad, result, dim, dtype): (Tensor, Tensor, i64, DType) = args.take()?;
    let dims: Vec<usize> = wrap_dims(&[dim], grad.ndim())?.into_iter().filter(|d| *d < grad.ndim()).collect();
    let is_plain = matches!((grad.dtype(), result.dtype()), (DType::F32, DType::F32) | (DType::F64, DType::F64));
    if is_plain && grad.sizes() == result.sizes() && grad.numel() > 0 {
        let found = exec::soft_back(is_log, &grad, &result, dims.first().copied().unwrap_or(0))?;
        return Ok(exec::cast(&found, dtype)?.into());
    }
    let found = match is_log {
        true => of(DISTANCE, &grad, &of(TIMES, &each(EXP, &result)?, &sum(&grad, &dims, true)?)?)?,
        false => of(TIMES, &of(DISTANCE, &grad, &sum(&of(TIMES, &grad, &result)?, &dims, true)?)?, &result)?,
    };
    Ok(exec::cast(&found, dtype)?.into())
}

pub(super) fn softmax_back(args: &Args) -> Result<Value> {
    back(false, args)
}

pub(super) fn log_softmax_back(args: &Args) -> Result<Value> {
    back(true, args)
}

pub(super) fn logsumexp(args: &Args) -> Result<Value> {
    let (x, dim, keepdim): (Tensor, Dims, bool) = args.take()?;
    let x = if x.dtype().is_integral(true) { exec::cast(&x, settings::default_dtype())? } else { x };
    if dim.is_empty() && x.ndim() > 0 && x.numel() > 0 && !keepdim {
        fault!(RuntimeError, "output with shape [] doesn't match the broadcast shape {:?}", vec![1; x.ndim()]);
    }
    let dims = dims(&x, Some(&dim))?;
    if x.numel() == 0 {
        let zero = sum(&x, &dims, keepdim)?;
        return Ok(of(PLUS, &each(LOG, &zero)?, &zero)?.into());
    }
    // What is written to an `out` of another float dtype is summed in that.
    let wide = args.target().map(|out| out.dtype()).filter(|out| out.is_float() && x.dtype().is_float() && *out != x.dtype());
    if let ([dim], DType::F32 | DType::F64, None, MANY..) = (dims.as_slice(), x.dtype(), wide, x.numel()) {
        let result = exec::soft(Soft::LogSum, &x, *dim, x.dtype())?;
        let sizes = reduced_sizes(&x, &dims, keepdim);
        return Ok(result.alias(Layout::contiguous(&sizes))?.into());
    }
    let sizes = if x.dtype().is_complex() { each(REAL, &x)? } else { x.clone() };
    let most = each(FINITE, &greatest(&sizes, &dims)?)?;
    let powers = each(EXP, &of(DISTANCE, &x, &most)?)?;
    let powers = wide.map_or(Ok(powers.clone()), |wide| exec::cast(&powers, wide))?;
    let total = sum(&powers, &dims, keepdim)?;
    let most = if keepdim { most } else { most.alias(Layout::contiguous(&total.sizes()))? };
    // The sum is written into `out`, which may have no imaginary part, before the logarithm is taken.
    let total = if matches!(&args.out, Value::Tensor(out) if out.dtype().is_float()) { each(REAL, &total)? } else { total };
    Ok(of(PLUS, &each(LOG, &total)?, &most)?.into())
}
