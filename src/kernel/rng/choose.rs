//! Choosing among many: permutations and samples by weight.

use super::fill::fill;
use super::{Dist, Generator};
use crate::dtype::{DType, Number};
use crate::interrupt;
use crate::kernel::lines::first_by_exchange;
use anyhow::Result;
use std::cmp::Ordering;

/// From this length on permutations are drawn with two words an item.
const LONG: i64 = (u32::MAX / 20) as i64;

/// Places that are drawn before the items there are exchanged, so that the exchanges need not wait for the draws.
const BATCH: usize = 256;

/// The numbers `0..n` in random order. Fails with `KeyboardInterrupt` when a stop was asked for.
pub fn permutation(generator: &mut Generator, n: i64) -> Result<Vec<i64>> {
    match u32::try_from(n) {
        Ok(short) if n < LONG => Ok(short_permutation(generator, short)?.into_iter().map(i64::from).collect()),
        _ => long_permutation(generator, n),
    }
}

fn short_permutation(generator: &mut Generator, n: u32) -> Result<Vec<u32>> {
    let mut items: Vec<u32> = (0..n).collect();
    let draws = n.saturating_sub(1) as usize;
    let mut places = [0; BATCH];
    for first in (0..draws).step_by(BATCH) {
        interrupt::check()?;
        let places = &mut places[..BATCH.min(draws - first)];
        for (i, place) in (first..).zip(&mut *places) {
            *place = i as u32 + generator.word() % (n - i as u32);
        }
        (first..).zip(&*places).for_each(|(i, place)| items.swap(i, *place as usize));
    }
    Ok(items)
}

fn long_permutation(generator: &mut Generator, n: i64) -> Result<Vec<i64>> {
    let mut items: Vec<i64> = (0..n).collect();
    for i in 0..items.len() {
        if i.is_multiple_of(BATCH) {
            interrupt::check()?;
        }
        let k = (generator.double_word() % (i as u64 + 1)) as usize;
        items[i] = items[k];
        items[k] = i as i64;
    }
    Ok(items)
}

/// Rounds to a float dtype as a result of its arithmetic.
fn rounded(dtype: DType, value: f64) -> f64 {
    let mut bytes = [0; 8];
    Number::Float(value).write(dtype, &mut bytes);
    Number::read(dtype, &bytes).to_f64()
}

/// Indices drawn by weight, `samples` of each row of `categories` weights, row after row.
///
/// `weights` are those of a tensor of `dtype`, widened; `order` says where the numbers that are drawn for them go, one after the other
/// unless it is given. Fails with a `RuntimeError` when a row cannot be drawn from.
pub fn multinomial(
    generator: &mut Generator,
    weights: &[f64],
    categories: usize,
    samples: usize,
    replacement: bool,
    dtype: DType,
    order: Option<&[usize]>,
) -> Result<Vec<i64>> {
    if weights.is_empty() {
        return Ok(Vec::new());
    }
    if replacement && samples > 1 {
        return with_replacement(generator, weights, categories, samples, dtype);
    }
    if weights.iter().any(|w| !(w.is_finite() && *w >= 0.0)) {
        fault!(RuntimeError, "probability tensor contains either `inf`, `nan` or element < 0");
    }
    if weights.chunks(categories).any(|row| row.iter().all(|w| *w == 0.0)) {
        fault!(RuntimeError, "invalid multinomial distribution (sum of probabilities <= 0)");
    }
    let mut bytes = vec![0; weights.len() * dtype.size()];
    fill(generator, &Dist::Exponential { rate: 1.0 }, dtype, order.is_none(), &mut bytes)?;
    let mut keys = vec![0.0; weights.len()];
    for (drawn, time) in bytes.chunks_exact(dtype.size()).enumerate() {
        let place = order.map_or(drawn, |order| order[drawn]);
        keys[place] = quotient(dtype, weights[place], Number::read(dtype, time).to_f64());
    }
    let best = |row: &[f64]| {
        let before = |a: usize, b: usize| descending(row[a], row[b]) == Ordering::Less;
        // One is the first of the greatest; several come as `topk` gives them, those without a chance too.
        let order = match samples {
            1 => (0..row.len()).reduce(|best, at| if before(at, best) { at } else { best }).into_iter().collect(),
            _ => first_by_exchange(row.len(), samples, true, &before),
        };
        order.into_iter().map(|i: usize| i as i64).collect::<Vec<_>>()
    };
    Ok(keys.chunks(categories).flat_map(best).collect())
}

/// A division in the arithmetic of a dtype: 16-bit floats divide in float32.
fn quotient(dtype: DType, a: f64, b: f64) -> f64 {
    let single = if dtype == DType::F64 { a / b } else { (a / b) as f32 as f64 };
    rounded(dtype, single)
}

/// Largest first, nan before all.
fn descending(a: f64, b: f64) -> Ordering {
    b.partial_cmp(&a).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan()))
}

/// By the running sum of the weights: each sample is the first place where it reaches a uniform number.
fn with_replacement(
    generator: &mut Generator,
    weights: &[f64],
    categories: usize,
    samples: usize,
    dtype: DType,
) -> Result<Vec<i64>> {
    let arithmetic = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
    let mut found = Vec::with_capacity(weights.len() / categories * samples);
    for row in weights.chunks(categories) {
        let mut sums = running_sums(row, arithmetic)?;
        let total = sums.last().copied().unwrap_or(0.0);
        sums.iter_mut().for_each(|s| *s = rounded(arithmetic, *s / total));
        if let Some(last) = sums.last_mut() {
            *last = 1.0;
        }
        for k in 0..samples {
            if k.is_multiple_of(4096) {
                interrupt::check()?;
            }
            let u = generator.unit_f64();
            found.push(sums.partition_point(|s| *s < u) as i64);
        }
    }
    Ok(found)
}

fn running_sums(row: &[f64], arithmetic: DType) -> Result<Vec<f64>> {
    let mut sum = 0.0;
    let mut sums = Vec::with_capacity(row.len());
    for &weight in row {
        if weight.is_nan() || weight < 0.0 {
            fault!(RuntimeError, "invalid multinomial distribution (encountering probability entry < 0)");
        }
        if weight.is_infinite() {
            fault!(RuntimeError, "invalid multinomial distribution (encountering probability entry = infinity or NaN)");
        }
        sum = rounded(arithmetic, sum + weight);
        sums.push(sum);
    }
    if sum <= 0.0 {
        fault!(RuntimeError, "invalid multinomial distribution (sum of probabilities <= 0)");
    }
    Ok(sums)
}
