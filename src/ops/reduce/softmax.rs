//! Exponentials along dimensions, with the greatest taken out so that nothing overflows.

use super::{dims, fold};
use crate::dtype::DType;
use crate::kernel::fold::{MAX, SUM};
use crate::layout::Dims;
use crate::ops::exec::{self, Reduction};
use crate::ops::map::{Map, elementwise};
use crate::ops::{Args, Operand};
use crate::settings;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

const EXP_DISTANCE: Map = elementwise!(softmax(a, m), Promote, "exp(a - m)"; float: (a - m).exp());
const DISTANCE: Map = elementwise!(softmax(a, m), Promote, "a - m"; float: a - m);
const DIVIDE: Map = elementwise!(softmax(a, s), Promote, "a / s"; float: a / s);
const LESS_LOG: Map = elementwise!(log_softmax(a, s), Promote, "a - log(s)"; float: a - s.ln());
const LOG_PLUS: Map = elementwise!(logsumexp(s, m), Promote, "log(s) + m"; float: s.ln() + m);
const FINITE: Map = elementwise!(logsumexp(m), Promote, "isinf(m) ? 0 : m"; float: if m.is_infinite() { 0.0 } else { m });

fn of(map: Map, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    map.of("softmax", &[Operand::Tensor(a.clone()), Operand::Tensor(b.clone())], &[])
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
    if !result.is_float() {
        fault!(NotImplementedError, "\"{name}_lastdim_kernel_impl\" not implemented for '{}'", result.title());
    }
    let wide = if result == DType::F64 { DType::F64 } else { DType::F32 };
    let dims = dims(&x, Some(&[dim]))?;
    Ok((exec::cast(&exec::cast(&x, result)?, wide)?, result, dims))
}

pub(super) fn softmax(args: &Args) -> Result<Value> {
    let (x, dtype, dims) = prepare("softmax", args)?;
    if x.numel() == 0 {
        return Ok(exec::cast(&x, dtype)?.into());
    }
    let powers = of(EXP_DISTANCE, &x, &greatest(&x, &dims)?)?;
    let shares = of(DIVIDE, &powers, &sum(&powers, &dims, true)?)?;
    Ok(exec::contiguous(&exec::cast(&shares, dtype)?)?.into())
}

pub(super) fn log_softmax(args: &Args) -> Result<Value> {
    let (x, dtype, dims) = prepare("log_softmax", args)?;
    if x.numel() == 0 {
        return Ok(exec::cast(&x, dtype)?.into());
    }
    let most = greatest(&x, &dims)?;
    let total = sum(&of(EXP_DISTANCE, &x, &most)?, &dims, true)?;
    let logs = of(LESS_LOG, &of(DISTANCE, &x, &most)?, &total)?;
    Ok(exec::contiguous(&exec::cast(&logs, dtype)?)?.into())
}

pub(super) fn logsumexp(args: &Args) -> Result<Value> {
    let (x, dim, keepdim): (Tensor, Dims, bool) = args.take()?;
    let x = if x.dtype().is_integral(true) { exec::cast(&x, settings::default_dtype())? } else { x };
    if x.dtype().is_complex() {
        fault!(NotImplementedError, "tsr has no logsumexp of complex numbers yet");
    }
    let dims = dims(&x, Some(&dim))?;
    if x.numel() == 0 {
        let zero = sum(&x, &dims, keepdim)?;
        return Ok(of(LOG_PLUS, &zero, &zero)?.into());
    }
    let most = FINITE.of("logsumexp", &[Operand::Tensor(greatest(&x, &dims)?)], &[])?;
    let total = sum(&of(EXP_DISTANCE, &x, &most)?, &dims, keepdim)?;
    let most = if keepdim { most } else { most.alias(crate::layout::Layout::contiguous(&total.sizes()))? };
    Ok(of(LOG_PLUS, &total, &most)?.into())
}
