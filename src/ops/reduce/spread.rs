//! Variance and standard deviation.

use super::{dims, dims_in_turn};
use crate::device::DeviceId;
use crate::dtype::{DType, Number};
use crate::kernel::fold::{Fold, MEAN, STD, VAR};
use crate::layout::{Dims, Layout};
use crate::ops::complex_view::{imag, real};
use crate::ops::exec::{self, Reduction};
use crate::ops::map::{Map, elementwise};
use crate::ops::pointwise::math::SQRT;
use crate::ops::{Args, Operand};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use num_complex::Complex;

const ADD: Map = elementwise!(var(a, b), Promote, "a + b"; float: a + b);
const JOIN: Map = elementwise!(complex(a, b), Complex, "complex(a, b)"; float => complex: Complex::new(a, b));

/// The spread and the mean along dimensions, dividing by the number of elements less `correction`.
fn spread(
    name: &str,
    what: &'static Fold,
    x: &Tensor,
    dim: Option<&[i64]>,
    correction: f64,
    keepdim: bool,
) -> Result<(Tensor, Tensor)> {
    if x.dtype().is_integral(true) {
        let who = if name.ends_with("_mean") { name } else { "std and var" };
        fault!(NotImplementedError, "{who} only support floating point and complex dtypes");
    }
    if x.dtype().is_complex() {
        return complex_spread(name, x, dim, correction, keepdim);
    }
    let what = Reduction { number: correction, ..Reduction::new(what, x.dtype()) };
    let mut results = exec::fold(&what, x, &dims_in_turn(x, dim)?, keepdim)?.into_iter();
    match (results.next(), results.next()) {
        (Some(spread), Some(mean)) if !name.ends_with("_mean") && goes_twice(name, x, &spread, &mean)? => {
            Ok((of_all(name, x, correction, &spread.sizes())?, mean))
        }
        (Some(spread), Some(mean)) => Ok((spread, mean)),
        _ => fault!(RuntimeError, "{name} needs a spread and a mean"),
    }
}

/// Float64 elements whose one spread is found as PyTorch finds it; of more, its last bits are not worth the time.
const FEW: i64 = 1 << 15;

/// A part of the square of the mean: what spreads less shows that the mean of float32 elements is rounded.
const NARROW: f64 = 1e-6;

/// Whether the one spread of all elements has to be found as PyTorch finds it to print the same.
fn goes_twice(name: &str, x: &Tensor, spread: &Tensor, mean: &Tensor) -> Result<bool> {
    if x.device() == DeviceId::Meta || spread.numel() != 1 || x.numel() == 0 {
        return Ok(false);
    }
    if x.dtype() != DType::F32 {
        return Ok(x.dtype() == DType::F64 && x.numel() <= FEW);
    }
    let [spread, mean] = [spread, mean].map(|x| exec::item(x).map(Number::to_f64));
    let (spread, mean) = (spread?, mean?);
    let variance = if name == "std" { spread * spread } else { spread };
    Ok(variance <= NARROW * mean * mean)
}

/// One spread of all elements: the mean first, in their dtype, then the squares of the distances from it, one after the other.
fn of_all(name: &str, x: &Tensor, correction: f64, sizes: &[i64]) -> Result<Tensor> {
    let every = dims(x, None)?;
    let sum = exec::fold(&Reduction::new(&MEAN, x.dtype()), x, &every, false)?;
    let mean = sum.first().map_or(Ok(f64::NAN), |mean| exec::item(mean).map(Number::to_f64))?;
    let squares = exec::read_vec::<f64>(&as_it_lies(x)?)?.iter().fold(0.0, |sum, x| sum + (x - mean) * (x - mean));
    let variance = squares / (x.numel() as f64 - correction).max(0.0);
    exec::cast(&exec::from_vec(&[if name == "std" { variance.sqrt() } else { variance }], sizes)?, x.dtype())
}

/// The same elements in the order in which they lie in memory.
fn as_it_lies(x: &Tensor) -> Result<Tensor> {
    let layout = x.layout();
    let mut order: Vec<usize> = (0..layout.ndim()).collect();
    order.sort_by_key(|d| std::cmp::Reverse(layout.strides[*d]));
    let sizes: Dims = order.iter().map(|d| layout.sizes[*d]).collect();
    let strides: Dims = order.iter().map(|d| layout.strides[*d]).collect();
    x.alias(Layout::new(&sizes, &strides, layout.offset))
}

/// The variance of complex numbers is that of their real parts and that of their imaginary parts together.
fn complex_spread(name: &str, x: &Tensor, dim: Option<&[i64]>, correction: f64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    let x = exec::resolve(x)?;
    let of_part = |part: Value| -> Result<(Operand, Operand)> {
        match &part {
            Value::Tensor(part) => {
                let (variance, mean) = spread("var", &VAR, part, dim, correction, keepdim)?;
                Ok((Operand::Tensor(variance), Operand::Tensor(mean)))
            }
            _ => fault!(RuntimeError, "a part of complex numbers is a tensor"),
        }
    };
    let ((across, re), (along, im)) = (of_part(real(&x)?)?, of_part(imag(&x)?)?);
    let variance = ADD.of(name, &[across, along], &[])?;
    let result = if name.starts_with("std") { SQRT.of(name, &[Operand::Tensor(variance)], &[])? } else { variance };
    Ok((result, JOIN.of(name, &[re, im], &[])?))
}

/// The three ways to call each: of all elements, by `unbiased`, by `correction`.
macro_rules! ways {
    ($name:literal, $fold:expr, $all:ident, $along:ident, $by:ident, |$spread:ident, $mean:ident| $result:expr) => {
        pub(super) fn $all(args: &Args) -> Result<Value> {
            let (x, unbiased): (Tensor, bool) = args.take()?;
            let ($spread, $mean) = spread($name, $fold, &x, None, unbiased as u8 as f64, false)?;
            Ok($result)
        }

        pub(super) fn $along(args: &Args) -> Result<Value> {
            let (x, dim, unbiased, keepdim): (Tensor, Option<Dims>, bool, bool) = args.take()?;
            let ($spread, $mean) = spread($name, $fold, &x, dim.as_deref(), unbiased as u8 as f64, keepdim)?;
            Ok($result)
        }

        pub(super) fn $by(args: &Args) -> Result<Value> {
            let (x, dim, correction, keepdim): (Tensor, Option<Dims>, Option<Number>, bool) = args.take()?;
            if let Some(Number::Complex(correction)) = correction
                && correction.im != 0.0
                && !x.dtype().is_integral(true)
            {
                fault!(RuntimeError, "value cannot be converted to type double without overflow");
            }
            let correction = correction.map_or(1.0, Number::to_f64);
            let ($spread, $mean) = spread($name, $fold, &x, dim.as_deref(), correction, keepdim)?;
            Ok($result)
        }
    };
}

ways!("var", &VAR, var_all, var_along, var, |spread, _mean| spread.into());
ways!("std", &STD, std_all, std_along, std, |spread, _mean| spread.into());
ways!("var_mean", &VAR, var_mean_all, var_mean_along, var_mean, |spread, mean| Value::tuple(vec![spread.into(), mean.into()]));
ways!("std_mean", &STD, std_mean_all, std_mean_along, std_mean, |spread, mean| Value::tuple(vec![spread.into(), mean.into()]));
