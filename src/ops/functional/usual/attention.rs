//! Attention over examples of one kind, all at once or each up to its own place.

use super::{by_float, is_plain};
use crate::dtype::Number;
use crate::kernel::element::Element;
use crate::kernel::follows_avx512;
use crate::kernel::pieces::{each, each_of_two};
use crate::kernel::soft_back;
use crate::kernel::vector::wide;
use crate::layout::MemoryFormat;
use crate::ops::pointwise::arithmetic::ADD_SCALED;
use crate::ops::{Args, Operand, exec};
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
    // What has gaps between the numbers of a row is not for one kernel.
    let gapless = |t: &Tensor| t.layout().strides.last() == Some(&1);
    if !alike
        || !plain
        || ![&query, &key, &value].into_iter().all(gapless)
        || grouped
        || dropout != 0.0
        || !matches!(args.value(3), Value::None)
    {
        return Ok(None);
    }
    let scale = scale.unwrap_or_else(|| 1.0 / (q[n - 1] as f64).sqrt());
    let fit = fits(&query, &key, None, causal, scale)?;
    silence(&fit)?;
    by_float!(query, attend(&fit, &value)).map(|result| Some(result.into()))
}

/// Refuses what the rows of this page are not made for: floats of one dtype in the memory of the CPU, matrices at least, with elements.
fn require_matrices(tensors: &[&Tensor]) -> Result<()> {
    let alike = |t: &&Tensor| is_plain(t) && t.ndim() > 1 && t.dtype() == tensors[0].dtype();
    match tensors.iter().all(alike) {
        true => Ok(()),
        false => fault!(RuntimeError, "expected matrices of one dtype, which is float32 or float64, with elements"),
    }
}

/// The same of floats that are alike, with a mask that is added.
pub fn attended(args: &Args) -> Result<Value> {
    let (fit, value) = (fits_of(args)?, args.get::<Tensor>(2)?);
    require_matrices(&[&fit, &value])?;
    if matches!(args.value(3), Value::None) {
        silence(&fit)?;
    }
    by_float!(fit, attend(&fit, &value)).map(Value::Tensor)
}

/// A copy without keys that fit where a query fits nothing but what is no number.
pub fn silenced(args: &Args) -> Result<Value> {
    let fit: Tensor = args.get(0)?;
    require_matrices(&[&fit])?;
    let fit = exec::clone_in(&fit, MemoryFormat::Contiguous)?;
    silence(&fit)?;
    Ok(fit.into())
}

/// PyTorch's kernel looks for the largest number of a row vector by vector. What fills no vector is compared with what was found, which
/// no NaN is larger than: a row of those weighs nothing.
fn silence(fit: &Tensor) -> Result<()> {
    by_float!(fit, silence_rows(fit))
}

fn silence_rows<T: Weigh>(fit: &Tensor) -> Result<()> {
    let (_, keys) = last_two(fit);
    exec::change::<T, _>(fit, |fit| {
        each(fit, keys, keys, |_, row| {
            let (whole, rest) = row.split_at(keys / T::lanes() * T::lanes());
            let fits = |x: &T| *x > T::neg_infinity();
            if !row.is_empty() && !whole.iter().any(|x| x.is_nan() || fits(x)) && !rest.iter().any(fits) {
                row.fill(T::neg_infinity());
            }
        });
    })
}

/// The logarithm of the sum of the weights of each query.
pub fn sums(args: &Args) -> Result<Value> {
    let fit = fits_of(args)?;
    by_float!(fit, log_sums(&fit)).map(Value::Tensor)
}

/// Products of matrices, each by itself.
pub fn products(args: &Args) -> Result<Value> {
    let (left, right): (Tensor, Tensor) = args.take()?;
    require_matrices(&[&left, &right])?;
    exec::matmul_each(&left, &right).map(Value::Tensor)
}

/// For each row of two tensors of one form the sum of the products of their elements.
pub fn row_products(args: &Args) -> Result<Value> {
    let (a, b): (Tensor, Tensor) = args.take()?;
    require_matrices(&[&a, &b])?;
    if a.sizes() != b.sizes() {
        fault!(RuntimeError, "{:?} and {:?} differ", a.sizes().as_slice(), b.sizes().as_slice());
    }
    by_float!(a, products_of_rows(&a, &b)).map(Value::Tensor)
}

fn products_of_rows<T: Weigh>(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (_, wide) = last_two(a);
    let sums = per_row(a)?;
    exec::read::<T, _>(a, |a| {
        exec::read::<T, _>(b, |b| {
            exec::change::<T, _>(&sums, |sums| {
                each(sums, 1, wide, |row, sum| {
                    let of_row = row * wide..(row + 1) * wide;
                    sum[0] = T::products(&a[of_row.clone()], &b[of_row]);
                });
            })
        })
    })???;
    Ok(sums)
}

fn fits_of(args: &Args) -> Result<Tensor> {
    let (query, key, mask): (Tensor, Tensor, Option<Tensor>) = (args.get(0)?, args.get(1)?, args.get(3)?);
    require_matrices(&[&query, &key])?;
    fits(&query, &key, mask.as_ref(), args.get(4)?, args.get(5)?)
}

/// How well each key fits each query, in a memory of its own.
fn fits(query: &Tensor, key: &Tensor, mask: Option<&Tensor>, causal: bool, scale: f64) -> Result<Tensor> {
    let fit = exec::matmul_each(query, &key.alias(key.layout().transpose(-2, -1)?)?)?;
    // What is added is added to products that are not rounded.
    by_float!(query, scaled(&fit, causal, if mask.is_some() { 1.0 } else { scale }))?;
    match mask {
        Some(mask) => {
            let sizes = fit.sizes();
            let found = ADD_SCALED.of("add", &[Operand::Tensor(mask.clone()), Operand::Tensor(fit)], &[Number::Float(scale)])?;
            if found.sizes() != sizes || found.dtype() != query.dtype() {
                fault!(RuntimeError, "the mask does not fit {:?}", sizes.as_slice());
            }
            exec::contiguous(&found)
        }
        None => Ok(fit),
    }
}

fn scaled<T: Element + Float + MulAssign>(fit: &Tensor, causal: bool, scale: f64) -> Result<()> {
    let (rows, keys) = last_two(fit);
    let scale = T::from(scale).unwrap_or_else(T::nan);
    exec::change::<T, _>(fit, |fit| {
        each(fit, keys, keys, |row, fit| {
            fit.iter_mut().for_each(|x| *x *= scale);
            if causal {
                fit.iter_mut().skip(row % rows + 1).for_each(|x| *x = T::neg_infinity());
            }
        });
    })
}

fn last_two(x: &Tensor) -> (usize, usize) {
    let sizes = x.sizes();
    (sizes[sizes.len() - 2] as usize, sizes[sizes.len() - 1] as usize)
}

/// One number per row of a tensor, to be written.
fn per_row(x: &Tensor) -> Result<Tensor> {
    let mut sizes = x.sizes();
    if let Some(last) = sizes.last_mut() {
        *last = 1;
    }
    exec::empty(&sizes, x.dtype(), x.device())
}

fn attend<T: Weigh>(fit: &Tensor, value: &Tensor) -> Result<Tensor> {
    let (_, keys) = last_two(fit);
    let total = per_row(fit)?;
    exec::change::<T, _>(fit, |fit| {
        exec::change::<T, _>(&total, |total| {
            each_of_two((fit, keys), (total, 1), 4 * keys, |_, fit, total| {
                take_out_the_largest(fit);
                total[0] = T::weigh(fit);
            });
        })
    })??;
    let result = exec::matmul_each(fit, value)?;
    let (_, wide) = last_two(&result);
    exec::read::<T, _>(&total, |totals| {
        exec::change::<T, _>(&result, |result| {
            each(result, wide, wide, |row, result| {
                let total = if totals[row].is_zero() { T::one() } else { totals[row] };
                let share = T::one() / total;
                result.iter_mut().for_each(|x| *x *= share);
            });
        })
    })??;
    Ok(result)
}

fn log_sums<T: Weigh>(fit: &Tensor) -> Result<Tensor> {
    let (_, keys) = last_two(fit);
    let sums = per_row(fit)?;
    exec::change::<T, _>(fit, |fit| {
        exec::change::<T, _>(&sums, |sums| {
            each_of_two((fit, keys), (sums, 1), 4 * keys, |_, fit, sum| {
                let most = take_out_the_largest(fit);
                sum[0] = most + T::weigh(fit).ln();
            });
        })
    })??;
    Ok(sums)
}

/// Makes a row distances from its largest number, unless that is without bound, and tells that.
fn take_out_the_largest<T: Float>(row: &mut [T]) -> T {
    let most = row.iter().fold(T::neg_infinity(), |most, x| if x.is_nan() || *x > most { *x } else { most });
    let most = if row.iter().any(|x| x.is_nan()) { T::nan() } else { most };
    let most = if most == T::neg_infinity() { T::zero() } else { most };
    row.iter_mut().for_each(|x| *x = *x - most);
    most
}

/// float32 and float64.
trait Weigh: Element + Float + MulAssign {
    /// Numbers in a vector.
    fn lanes() -> usize;
    /// Makes a row of distances their exponentials, and tells the sum of those: whole vectors by polynomials, then the rest one by one.
    fn weigh(row: &mut [Self]) -> Self;
    /// The sum of the products of two rows.
    fn products(a: &[Self], b: &[Self]) -> Self;
}

/// The sum of lanes, halves onto halves.
fn joined<T: Float>(mut lanes: Vec<T>) -> T {
    while lanes.len() > 1 {
        let half = lanes.split_off(lanes.len() / 2);
        lanes.iter_mut().zip(half).for_each(|(a, b)| *a = *a + b);
    }
    lanes.first().copied().unwrap_or_else(T::zero)
}

/// The sum of what fills vectors of so many lanes, and then of each number that does not.
fn sum_of<T: Float>(row: &[T], lanes: usize) -> T {
    let whole = row.len() / lanes * lanes;
    let mut sums = vec![T::zero(); lanes];
    for vector in row[..whole].chunks_exact(lanes) {
        sums.iter_mut().zip(vector).for_each(|(sum, x)| *sum = *sum + *x);
    }
    row[whole..].iter().fold(joined(sums), |sum, x| sum + *x)
}

impl Weigh for f32 {
    fn lanes() -> usize {
        if follows_avx512() { 16 } else { 8 }
    }
    fn weigh(row: &mut [f32]) -> f32 {
        let lanes = Self::lanes();
        let (whole, rest) = row.split_at_mut(row.len() / lanes * lanes);
        for block in whole.chunks_mut(256) {
            let mut from = [0f32; 256];
            from[..block.len()].copy_from_slice(block);
            wide::short_exp(&from[..block.len()], block);
        }
        // Rounded once, where C's function is not always.
        rest.iter_mut().for_each(|x| *x = f64::from(*x).exp() as f32);
        sum_of(row, lanes)
    }
    fn products(a: &[f32], b: &[f32]) -> f32 {
        soft_back::products(a, b)
    }
}

impl Weigh for f64 {
    fn lanes() -> usize {
        if follows_avx512() { 8 } else { 4 }
    }
    fn weigh(row: &mut [f64]) -> f64 {
        row.iter_mut().for_each(|x| *x = x.exp());
        sum_of(row, Self::lanes())
    }
    fn products(a: &[f64], b: &[f64]) -> f64 {
        soft_back::products_double(a, b)
    }
}
