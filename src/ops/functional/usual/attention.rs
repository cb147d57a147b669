//! Attention over examples of one kind, all at once or each up to its own place.

use super::{by_float, is_plain};
use crate::kernel::element::Element;
use crate::kernel::fold::SUM;
use crate::kernel::pieces::each;
use crate::ops::exec::{self, Reduction};
use crate::ops::{Args, Operand, composed};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use num_traits::Float;
use std::ops::MulAssign;

/// The mean of the values, weighed by how well their keys fit.
pub fn attention(args: &Args) -> Result<Option<Value>> {
    let (query, key, value): (Tensor, Tensor, Tensor) = args.take()?;
    let (dropout, causal, scale, grouped): (f64, bool, Option<f64>, bool) =
        (args.get(4)?, args.get(5)?, args.get(6)?, args.get(7)?);
    let (q, k, v) = (query.sizes(), key.sizes(), value.sizes());
    let n = q.len();
    let alike = (3..=4).contains(&n) && k == v && q.len() == k.len() && q[..n - 2] == k[..n - 2] && q[n - 1] == k[n - 1];
    let plain = [&query, &key, &value].iter().all(|t| is_plain(t) && t.dtype() == query.dtype());
    if !alike || !plain || grouped || dropout != 0.0 || !matches!(args.value(3), Value::None) {
        return Ok(None);
    }
    let scale = scale.unwrap_or_else(|| 1.0 / (q[n - 1] as f64).sqrt());
    by_float!(query, attend(&query, &key, &value, scale, causal)).map(Some)
}

fn attend<T: Element + Float + MulAssign>(
    query: &Tensor,
    key: &Tensor,
    value: &Tensor,
    scale: f64,
    causal: bool,
) -> Result<Value> {
    let fit = exec::matmul(query, &key.alias(key.layout().transpose(-2, -1)?)?)?;
    let sizes = fit.sizes();
    let (rows, keys) = (sizes[sizes.len() - 2] as usize, sizes[sizes.len() - 1] as usize);
    let scale = T::from(scale).unwrap_or_else(T::nan);
    exec::change::<T, _>(&fit, |fit| {
        each(fit, keys, 2 * keys, |row, fit| {
            fit.iter_mut().for_each(|x| *x *= scale);
            if causal {
                fit.iter_mut().skip(row % rows + 1).for_each(|x| *x = T::neg_infinity());
            }
            take_out_the_largest(fit);
        });
    })?;
    let weights = composed::apply("exp", &[Operand::Tensor(fit)])?;
    let total = exec::fold(&Reduction::new(&SUM, weights.dtype()), &weights, &[sizes.len() - 1], true)?.remove(0);
    let result = exec::matmul(&weights, value)?;
    let wide = result.sizes()[sizes.len() - 1] as usize;
    exec::read::<T, _>(&total, |totals| {
        exec::change::<T, _>(&result, |result| {
            each(result, wide, wide, |row, result| {
                let total = if totals[row].is_zero() { T::one() } else { totals[row] };
                let share = T::one() / total;
                result.iter_mut().for_each(|x| *x *= share);
            });
        })
    })??;
    Ok(result.into())
}

/// Distances from the largest number, unless that is without bound.
fn take_out_the_largest<T: Float>(row: &mut [T]) {
    let most = row.iter().fold(T::neg_infinity(), |most, x| if x.is_nan() || *x > most { *x } else { most });
    let most = if row.iter().any(|x| x.is_nan()) { T::nan() } else { most };
    let most = if most == T::neg_infinity() { T::zero() } else { most };
    row.iter_mut().for_each(|x| *x = *x - most);
}
