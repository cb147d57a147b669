//! The element in the middle, and the most frequent one.

use super::flat;
use super::select::nth;
use crate::dtype::DType;
use crate::kernel::lines::Work;
use crate::layout::wrap_dim;
use crate::ops::out::check_targets;
use crate::ops::sort::Lines;
use crate::ops::{Args, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// One element of each line with its place.
fn each_line(x: &Tensor, dim: i64, keepdim: bool, work: Work) -> Result<(Tensor, Tensor)> {
    Lines::new(x, dim)?.each(work, 1, !keepdim && x.ndim() > 0)
}

fn refuse(name: &str, x: &Tensor) -> Result<()> {
    if x.dtype() == DType::Bool || x.dtype().is_complex() {
        fault!(NotImplementedError, "\"{name}\" not implemented for '{}'", x.dtype().title());
    }
    Ok(())
}

/// Fails with an `IndexError` where a line has no element.
fn require_elements(name: &str, x: &Tensor, dim: i64) -> Result<()> {
    let place = wrap_dim(dim, x.ndim())?;
    if x.sizes().get(place) == Some(&0) {
        fault!(IndexError, "{name}(): Expected reduction dim {place} to have non-zero size.");
    }
    Ok(())
}

fn along(args: &Args, work: Work) -> Result<Value> {
    let (x, dim, keepdim): (Tensor, i64, bool) = args.take()?;
    require_elements("median", &x, dim)?;
    check_targets(args, x.dtype())?;
    refuse("median_out", &x)?;
    let (values, indices) = each_line(&x, dim, keepdim, work)?;
    Ok(Value::tuple(vec![values.into(), indices.into()]))
}

fn of_all(name: &str, args: &Args, work: Work) -> Result<Value> {
    let x: Tensor = args.get(0)?;
    if x.numel() > 0 {
        refuse(if name.ends_with("median") { "median_cpu" } else { name }, &x)?;
    } else {
        let nan = exec::from_vec(&[f64::NAN], &[])?;
        return Ok(exec::cast(&nan, x.dtype())?.into());
    }
    let found = each_line(&flat(&x)?, 0, false, work)?.0;
    if x.dtype().is_float() && exec::item(&found)?.to_f64() == 0.0 {
        return zero_of_all(&x).map(Value::from);
    }
    Ok(found.into())
}

/// The middle of elements where that is zero: which of the zeros, selection tells.
fn zero_of_all(x: &Tensor) -> Result<Tensor> {
    let mut elements: Vec<f64> = exec::read_vec(x)?;
    let numbers = elements.iter().filter(|e| !e.is_nan()).count();
    let found = nth(&mut elements, numbers.saturating_sub(1) / 2);
    exec::cast(&exec::from_vec(&[found], &[])?, x.dtype())
}

pub(super) fn median(args: &Args) -> Result<Value> {
    of_all("median", args, Work::Middle { skip_nan: false })
}

pub(super) fn median_along(args: &Args) -> Result<Value> {
    along(args, Work::Middle { skip_nan: false })
}

pub(super) fn nanmedian(args: &Args) -> Result<Value> {
    of_all("nanmedian", args, Work::Middle { skip_nan: true })
}

pub(super) fn nanmedian_along(args: &Args) -> Result<Value> {
    along(args, Work::Middle { skip_nan: true })
}

pub(super) fn mode(args: &Args) -> Result<Value> {
    let (x, dim, keepdim): (Tensor, i64, bool) = args.take()?;
    check_targets(args, x.dtype())?;
    require_elements("mode", &x, dim)?;
    if x.ndim() == 0 {
        let place = exec::zeros(&[], DType::I64, x.device())?;
        return Ok(Value::tuple(vec![exec::clone(&x)?.into(), place.into()]));
    }
    if x.dtype().is_complex() && x.numel() > 0 {
        fault!(NotImplementedError, "\"mode_cpu\" not implemented for '{}'", x.dtype().title());
    }
    let (values, indices) = each_line(&x, dim, keepdim, Work::Frequent)?;
    Ok(Value::tuple(vec![values.into(), indices.into()]))
}
