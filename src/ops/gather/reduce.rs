//! What becomes of values that meet at one place.

use crate::dtype::{DType, Number};
use crate::kernel::indexed::Combine;
use crate::kernel::scalar::Scalar;
use crate::layout::Layout;
use crate::ops::exec::{self, Places};
use crate::ops::{Operand, rare};
use crate::scalar;
use crate::tensor::Tensor;
use anyhow::Result;

static SCALE: Scalar =
    scalar! { scale(a, b), Promote, "a * b"; i64: a.wrapping_mul(b); u64: a.wrapping_mul(b); float: a * b; complex: a * b };
static SHARE: Scalar = scalar! { share(a, b), Promote, "a / b"; i64: num_integer::Integer::div_floor(&a, &b); u64: a / b; float: a / b; complex: num_complex::Complex::new(a.re / b.re, a.im / b.re) };

/// How values that meet become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reduce {
    /// Their sum.
    Sum,
    /// Their product.
    Prod,
    /// Their mean.
    Mean,
    /// The greatest.
    Amax,
    /// The least.
    Amin,
}

impl Reduce {
    /// The reduction with this name.
    pub fn named(name: &str) -> Option<Reduce> {
        Some(match name {
            "sum" => Reduce::Sum,
            "prod" => Reduce::Prod,
            "mean" => Reduce::Mean,
            "amax" => Reduce::Amax,
            "amin" => Reduce::Amin,
            _ => return None,
        })
    }

    fn combine(self) -> Combine {
        match self {
            Reduce::Sum | Reduce::Mean => Combine::Add,
            Reduce::Prod => Combine::Multiply,
            Reduce::Amax => Combine::Greatest,
            Reduce::Amin => Combine::Least,
        }
    }

    /// What no value at all comes to.
    fn start(self, dtype: DType) -> Number {
        let (least, most) = match dtype.int_limits() {
            _ if dtype == DType::Bool => (Number::Bool(false), Number::Bool(true)),
            Some(limits) => (Number::Int(limits.min as i64), Number::Unsigned(limits.max as u64)),
            None => (Number::Float(f64::NEG_INFINITY), Number::Float(f64::INFINITY)),
        };
        match self {
            Reduce::Sum | Reduce::Mean => Number::Int(0),
            Reduce::Prod => Number::Int(1),
            Reduce::Amax => least,
            Reduce::Amin => most,
        }
    }
}

/// How often values of 16 bits that meet at one place are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounding {
    /// Once, when all have met: scatters gather them in float32.
    Once,
    /// Each time that one comes to the others.
    Each,
}

/// Combines `values` with what lies in the places of `x` that `places` works out for a layout.
pub(super) fn combine_at(
    x: &Tensor,
    places: impl Fn(&Layout) -> Places,
    values: &Tensor,
    how: Combine,
    rounding: Rounding,
) -> Result<()> {
    if rounding == Rounding::Each || !matches!(x.dtype(), DType::F16 | DType::BF16) {
        return exec::combine_at(x, &places(&x.layout()), values, how);
    }
    let wide = exec::cast(x, DType::F32)?;
    exec::combine_at(&wide, &places(&wide.layout()), &exec::cast(values, DType::F32)?, how)?;
    exec::copy(x, &wide)
}

/// Reduces `values` into the places of `x` that `places` works out for a layout. Without `include_self` the elements that are
/// there do not count.
pub(super) fn reduce_at(
    x: &Tensor,
    places: impl Fn(&Layout) -> Places,
    values: &Tensor,
    how: Reduce,
    include_self: bool,
    rounding: Rounding,
) -> Result<()> {
    let here = places(&x.layout());
    let number = |value: Number, dtype: DType| -> Result<Tensor> {
        let tensor = exec::number(value, dtype, x.device())?;
        tensor.alias(tensor.layout().expand(&here.sizes)?)
    };
    if !include_self {
        exec::write_at(x, &here, &number(how.start(x.dtype()), x.dtype())?)?;
    }
    combine_at(x, &places, values, how.combine(), rounding)?;
    if how != Reduce::Mean || rare::is_rare(x.dtype()) {
        return Ok(());
    }
    let counts = exec::zeros(&x.sizes(), DType::I64, x.device())?;
    exec::fill(&counts, Number::Int(1))?;
    let places = places(&counts.layout());
    if !include_self {
        exec::write_at(&counts, &places, &number(Number::Int(0), DType::I64)?)?;
    }
    exec::combine_at(&counts, &places, &number(Number::Int(1), DType::I64)?, Combine::Add)?;
    let counts = exec::cast(&counts, if x.dtype().is_integral(true) { DType::I64 } else { x.dtype() })?;
    let shared = exec::map_new(&SHARE, &[Operand::Tensor(x.clone()), Operand::Tensor(counts)], &[])?;
    exec::copy(x, &shared)
}

/// `values * factor` in the dtype of the values, which the factor is cast to first.
pub(super) fn scaled(values: &Tensor, factor: Number) -> Result<Tensor> {
    if matches!(factor, Number::Int(1)) {
        return Ok(values.clone());
    }
    let number = exec::number(factor, values.dtype(), values.device())?;
    exec::map_new(&SCALE, &[Operand::Tensor(values.clone()), Operand::Tensor(number)], &[])
}
