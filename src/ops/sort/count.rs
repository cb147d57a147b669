//! Counting elements: bincount, histc, histogram.

use crate::dtype::{DType, Number};
use crate::kernel::element::Element;
use crate::kernel::ramp;
use crate::ops::out::check;
use crate::ops::{Args, exec, rare};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use half::{bf16, f16};
use num_traits::{AsPrimitive, Float};
use rayon::prelude::*;
use std::ops::AddAssign;

pub(super) fn bincount(args: &Args) -> Result<Value> {
    let (x, weights, minlength): (Tensor, Option<Tensor>, i64) = args.take()?;
    if !x.dtype().is_integral(false) {
        fault!(NotImplementedError, "\"bincount_cpu\" not implemented for '{}'", x.dtype().title());
    }
    if minlength < 0 {
        fault!(RuntimeError, "minlength should be >= 0");
    }
    if x.ndim() != 1 {
        fault!(RuntimeError, "bincount only supports 1-d non-negative integral inputs.");
    }
    // Negative numbers are the greatest of all as unsigned ones.
    let most = exec::read::<i64, _>(&x, |numbers| numbers.par_chunks(PIECE).filter_map(greatest).max())?;
    if most.is_some_and(|most| most > i64::MAX as u64) {
        fault!(RuntimeError, "bincount only supports 1-d non-negative integral inputs.");
    }
    let most = most.map(|most| most as i64);
    if most == Some(i64::MAX) {
        fault!(RuntimeError, "maximum value of input overflowed, it should be < {} but got {}", i64::MAX, i64::MAX);
    }
    let length = most.map_or(0, |m| m + 1).max(minlength);
    // The result is allocated first, so that a huge number is refused before the machine suffers.
    let Some(weights) = weights.filter(|_| x.numel() > 0) else {
        let result = exec::zeros(&[length], DType::I64, x.device())?;
        let counts = exec::read::<i64, _>(&x, |numbers| occurrences(numbers, length as usize))?;
        exec::copy(&result, &exec::from_vec(&counts, &[length])?)?;
        return Ok(Value::Tensor(result));
    };
    if weights.sizes() != x.sizes() {
        fault!(RuntimeError, "weights should be 1-d and have the same length as input");
    }
    match weights.dtype() {
        DType::F32 => weighed::<f32>(&x, &weights, length),
        _ => weighed::<f64>(&x, &exec::cast(&weights, DType::F64)?, length),
    }
}

/// The sum of the weights of each number below `length`, in the order in which they come.
fn weighed<T: Element + AddAssign + Default>(x: &Tensor, weights: &Tensor, length: i64) -> Result<Value> {
    let result = exec::zeros(&[length], T::DTYPE, x.device())?;
    let mut sums = vec![T::default(); length as usize];
    exec::read::<i64, _>(x, |numbers| {
        exec::read::<T, _>(weights, |weights| numbers.iter().zip(weights).for_each(|(n, w)| sums[*n as usize] += *w))
    })??;
    exec::copy(&result, &exec::from_vec(&sums, &[length])?)?;
    Ok(result.into())
}

/// Numbers that a thread counts before it looks for others.
const PIECE: usize = 1 << 15;

/// The greatest number, where negative ones are greater than all others; none of none.
fn greatest(numbers: &[i64]) -> Option<u64> {
    let bits = numbers.iter().fold(0, |bits, n| bits | n);
    let any_negative = bits < 0;
    // Of numbers with few digits these are compared, many at once on every processor.
    let most = match u16::try_from(bits) {
        Ok(bits) if bits <= i16::MAX as u16 => numbers.iter().fold(0, |most, n| most.max(*n as i16)) as i64,
        _ => numbers.iter().fold(i64::MIN, |most, n| most.max(*n)),
    };
    (!numbers.is_empty()).then_some(if any_negative { u64::MAX } else { most as u64 })
}

/// How often each number below `length` occurs.
fn occurrences(numbers: &[i64], length: usize) -> Vec<i64> {
    match length {
        0..=FEW if numbers.len() > PIECE => {
            let add = |mut all: Vec<i64>, counts: Vec<i64>| {
                all.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
                all
            };
            let pieces = numbers.par_chunks(PIECE).map(|piece| counted::<TABLES>(piece, length));
            pieces.reduce(|| vec![0; length], add)
        }
        0..=FEW if numbers.len() > length => counted::<TABLES>(numbers, length),
        _ => counted::<1>(numbers, length),
    }
}

/// Lengths up to which several tables of counts stay in the nearest memory.
const FEW: usize = 1 << 12;

/// Tables of counts that are written in turn.
const TABLES: usize = 4;

/// How often each number below `length` occurs. Neighbours count in different tables, so that none waits for the one before to
/// be written.
fn counted<const TABLES: usize>(numbers: &[i64], length: usize) -> Vec<i64> {
    let mut counts = vec![0i64; length * TABLES];
    let (whole, rest) = numbers.as_chunks::<TABLES>();
    let mut count = |table: usize, n: i64| counts[n as usize * TABLES + table] += 1;
    for part in whole {
        part.iter().enumerate().for_each(|(table, n)| count(table, *n));
    }
    rest.iter().for_each(|n| count(0, *n));
    counts.as_chunks::<TABLES>().0.iter().map(|tables| tables.iter().sum()).collect()
}

pub(super) fn histc(args: &Args) -> Result<Value> {
    let (x, bins, min, max): (Tensor, i64, Number, Number) = args.take()?;
    if let Some(out) = args.target() {
        check(args, x.dtype(), &out)?;
    }
    if bins <= 0 {
        fault!(RuntimeError, "torch.histogram(): bins must be > 0, but got {bins} for dimension 0");
    }
    for limit in [min, max] {
        if matches!(limit, Number::Complex(c) if c.im != 0.0) {
            fault!(RuntimeError, "value cannot be converted to type double without overflow");
        }
    }
    let limits = limits_of(&x, min.to_f64(), max.to_f64())?;
    require_edges(&x, limits)?;
    require_float(&x)?;
    let counts = match x.dtype() {
        DType::F64 => exec::read::<f64, _>(&x, |elements| counts_of(elements, bins, limits, |x| x))?,
        DType::F16 => exec::read::<f32, _>(&x, |all| counts_of(all, bins, limits, |x| f16::from_f32(x).to_f32()))?,
        DType::BF16 => exec::read::<f32, _>(&x, |all| counts_of(all, bins, limits, |x| bf16::from_f32(x).to_f32()))?,
        _ => exec::read::<f32, _>(&x, |elements| counts_of(elements, bins, limits, |x| x))?,
    }?;
    Ok(Value::Tensor(exec::cast(&exec::from_vec(&counts, &[bins])?, x.dtype())?))
}

/// The ends of the bins: the limits, or the least and the greatest element where both limits are equal.
fn limits_of(x: &Tensor, min: f64, max: f64) -> Result<(f64, f64)> {
    let searched = min == max && x.numel() > 0;
    if searched && x.dtype().is_complex() {
        fault!(TypeError, "aminmax not implemented for {}", x.dtype().title());
    }
    let (low, high) = match x.dtype() {
        _ if !searched => (min, max),
        DType::F32 | DType::F16 | DType::BF16 => exec::read::<f32, _>(x, ends_of)?,
        _ => exec::read::<f64, _>(x, ends_of)?,
    };
    if !low.is_finite() || !high.is_finite() {
        let [low, high] =
            if searched { spoken_ends(x.numel() as usize, (low, high), x.dtype()) } else { [low, high].map(general) };
        fault!(RuntimeError, "torch.histc: range of [{low}, {high}] is not finite");
    }
    if low > high {
        fault!(RuntimeError, "torch.histc: max must be larger than min");
    }
    Ok(if low == high { (low - 1.0, high + 1.0) } else { (low, high) })
}

/// Fails where the edges of bins cannot be made in the dtype of the elements.
fn require_edges(x: &Tensor, (low, high): (f64, f64)) -> Result<()> {
    let dtype = x.dtype();
    if dtype == DType::Bool || dtype.is_half_complex() || rare::is_rare(dtype) {
        fault!(NotImplementedError, "\"linspace_cpu\" not implemented for '{}'", dtype.title());
    }
    if dtype.is_integral(false) {
        exec::check_fits(Number::Float(low), dtype)?;
        exec::check_fits(Number::Float(high), dtype)?;
    }
    Ok(())
}

/// How many elements lie in each of `bins` bins between the limits. Every step to the place of an element is rounded to its dtype.
fn counts_of<T: Float + AsPrimitive<i64> + Send + Sync>(
    elements: &[T],
    bins: i64,
    (low, high): (f64, f64),
    round: impl Fn(T) -> T + Sync,
) -> Result<Vec<f64>> {
    exec::require_room(&[bins], DType::F64)?;
    let number = |x: f64| round(T::from(x).unwrap_or_else(T::nan));
    let (low, high, number_of_bins) = (number(low), number(high), number(bins as f64));
    let counted = |elements: &[T]| {
        // The last place takes what lies in no bin.
        let mut counts = vec![0u64; bins as usize + 1];
        for block in elements.chunks(BLOCK) {
            let mut places = [0; BLOCK];
            for (place, e) in places.iter_mut().zip(block) {
                // Products before quotients, as they round in PyTorch.
                let at: i64 = round(round(round(*e - low) * number_of_bins) / round(high - low)).as_();
                let inside = *e >= low && *e <= high;
                *place = if inside { (at as usize).min(bins as usize - 1) } else { bins as usize };
            }
            places[..block.len()].iter().for_each(|place| counts[*place] += 1);
        }
        counts
    };
    let add = |mut all: Vec<u64>, counts: Vec<u64>| {
        all.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
        all
    };
    let counts = match elements.len() > PIECE && (bins as usize) < FEW {
        true => elements.par_chunks(PIECE).map(counted).reduce(|| vec![0; bins as usize + 1], add),
        false => counted(elements),
    };
    Ok(counts[..bins as usize].iter().map(|count| *count as f64).collect())
}

/// Lanes in which the least and the greatest element are looked for.
const LANES: usize = 16;

/// Elements whose bins are found before they are counted.
const BLOCK: usize = 64;

fn require_float(x: &Tensor) -> Result<()> {
    if !x.dtype().is_float() {
        fault!(NotImplementedError, "\"histogram_cpu\" not implemented for '{}'", x.dtype().title());
    }
    Ok(())
}

/// The least and the greatest element; nan where one is.
fn ends(elements: &[f64]) -> (f64, f64) {
    let wider = |(low, high): (f64, f64), e: &f64| match e.is_nan() {
        true => (*e, *e),
        false => (if *e < low { *e } else { low }, if *e > high { *e } else { high }),
    };
    elements.iter().fold((f64::INFINITY, f64::NEG_INFINITY), wider)
}

/// As [`ends`], by all threads.
fn ends_of<T: Float + Send + Sync>(elements: &[T]) -> (f64, f64) {
    let wide = |x: T| x.to_f64().unwrap_or(f64::NAN);
    let of_piece = |piece: &[T]| {
        // In lanes, each comparison of which waits for its own lane only.
        let mut lanes = ([T::infinity(); LANES], [T::neg_infinity(); LANES], [false; LANES]);
        let mut take = |lane: usize, e: T| {
            let (low, high, lost) = (&mut lanes.0[lane], &mut lanes.1[lane], &mut lanes.2[lane]);
            *low = if e < *low { e } else { *low };
            *high = if e > *high { e } else { *high };
            *lost |= e.is_nan();
        };
        let (blocks, rest) = piece.as_chunks::<LANES>();
        blocks.iter().for_each(|block| (0..LANES).for_each(|lane| take(lane, block[lane])));
        rest.iter().for_each(|e| take(0, *e));
        let low = lanes.0.into_iter().fold(T::infinity(), T::min);
        let high = lanes.1.into_iter().fold(T::neg_infinity(), T::max);
        let lost = lanes.2.contains(&true);
        if lost { (f64::NAN, f64::NAN) } else { (wide(low), wide(high)) }
    };
    let either = |a: f64, b: f64, wider: fn(f64, f64) -> f64| if a.is_nan() || b.is_nan() { f64::NAN } else { wider(a, b) };
    let join = |a: (f64, f64), b: (f64, f64)| (either(a.0, b.0, f64::min), either(a.1, b.1, f64::max));
    if elements.len() <= PIECE {
        return of_piece(elements);
    }
    elements.par_chunks(PIECE).map(of_piece).reduce(|| (f64::INFINITY, f64::NEG_INFINITY), join)
}

/// How `histc` names limits that are not finite: the search for them starts at the last finite numbers, and a nan among several
/// elements comes out of it with its sign turned.
fn spoken_ends(count: usize, (low, high): (f64, f64), dtype: DType) -> [String; 2] {
    let greatest = dtype.float_limits().map_or(f64::MAX, |limits| limits.max);
    let number = |x: f64, start: f64| match x {
        x if x.is_nan() => if count > 1 && dtype != DType::BF16 { "-nan" } else { "nan" }.to_string(),
        x if x.is_infinite() && x.signum() == start.signum() => general(start),
        x => general(x),
    };
    [number(low, greatest), number(high, -greatest)]
}

/// As C++ streams print a number: six digits, with an exponent where it is large or small.
fn general(x: f64) -> String {
    if x.is_nan() {
        return "nan".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf" } else { "-inf" }.into();
    }
    let scientific = format!("{x:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let short =
        |text: &str| if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text.into() };
    match exponent {
        -4..=5 => short(&format!("{x:.*}", (5 - exponent).max(0) as usize)),
        _ => format!("{}e{}{:02}", short(digits), if exponent < 0 { '-' } else { '+' }, exponent.abs()),
    }
}

pub(super) fn histogram(args: &Args) -> Result<Value> {
    let (x, bins, range, weight, density): (Tensor, i64, Option<Vec<f64>>, Option<Tensor>, bool) = args.take()?;
    check_targets(args, &x)?;
    if bins <= 0 {
        fault!(RuntimeError, "torch.histogram(): bins must be > 0, but got {bins} for dimension 0");
    }
    let (mut low, mut high) = match range.as_deref() {
        Some([low, high]) => (*low, *high),
        Some(other) => fault!(
            RuntimeError,
            "torch.histogramdd: for a 1-dimensional histogram range should have 2 elements, but got {}",
            other.len()
        ),
        None if x.numel() == 0 => (0.0, 1.0),
        // The ends of the elements are found in these dtypes alone.
        None if matches!(x.dtype(), DType::F32 | DType::F64) => ends(&exec::read_vec(&x)?),
        None => fault!(NotImplementedError, "\"histogramdd\" not implemented for '{}'", x.dtype().title()),
    };
    if !low.is_finite() || !high.is_finite() {
        let [low, high] = [low, high].map(general);
        fault!(RuntimeError, "torch.histogramdd: dimension 0's range [{low}, {high}] is not finite");
    }
    if low > high {
        let [low, high] = [low, high].map(general);
        fault!(RuntimeError, "torch.histogramdd: min should not exceed max, but got min {low} max {high} for dimension 0");
    }
    if low == high {
        (low, high) = (low - 0.5, high + 0.5);
    }
    require_edges(&x, (low, high))?;
    check_weight(&x, &weight)?;
    exec::require_room(&[bins.saturating_add(1)], x.dtype())?;
    require_float(&x)?;
    let elements: Vec<f64> = exec::read_vec(&x)?;
    let dtype = x.dtype();
    let mut held = vec![0; (bins as usize + 1) * dtype.size()];
    ramp::linspace(Number::Float(low), Number::Float(high), dtype, &mut held)?;
    let edges: Vec<f64> = held.chunks(dtype.size()).map(|edge| Number::read(dtype, edge).to_f64()).collect();
    finish(&x, &elements, &edges, weight, density)
}

pub(super) fn histogram_edges(args: &Args) -> Result<Value> {
    let (x, bins, weight, density): (Tensor, Tensor, Option<Tensor>, bool) = args.take()?;
    if bins.dtype() != x.dtype() {
        fault!(
            RuntimeError,
            "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype {} and bins for dimension 0 with dtype {}",
            x.dtype().c_name(),
            bins.dtype().c_name()
        );
    }
    if bins.ndim() != 1 {
        fault!(
            RuntimeError,
            "torch.histogramdd: bins tensor should have one dimension, but got {} dimensions in the bins tensor for dimension 0",
            bins.ndim()
        );
    }
    match bins.numel() {
        0 => fault!(
            RuntimeError,
            "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the bins tensor for dimension 0"
        ),
        1 => fault!(RuntimeError, "torch.histogram(): bins must be > 0, but got 0 for dimension 0"),
        _ => {}
    }
    check_weight(&x, &weight)?;
    check_targets(args, &x)?;
    require_float(&x)?;
    finish(&x, &exec::read_vec::<f64>(&x)?, &exec::read_vec::<f64>(&bins)?, weight, density)
}

/// Fails with a `RuntimeError` where the counts or the edges are to be written into other dtypes than that of the elements.
fn check_targets(args: &Args, x: &Tensor) -> Result<()> {
    let targets = args.out.items().unwrap_or_default();
    for ((name, place), target) in [("hist", ""), ("bin_edges", " for dimension 0")].into_iter().zip(&targets) {
        let Value::Tensor(target) = target else { continue };
        if target.dtype() != x.dtype() {
            let (from, to) = (x.dtype().c_name(), target.dtype().c_name());
            fault!(
                RuntimeError,
                "torch.histogram: input tensor and {name} tensor should have the same dtype, but got input {from} and {name} {to}{place}"
            );
        }
    }
    Ok(())
}

/// Fails with a `RuntimeError` unless there is a weight of the elements' dtype for each of them.
fn check_weight(x: &Tensor, weight: &Option<Tensor>) -> Result<()> {
    let Some(weight) = weight else { return Ok(()) };
    if weight.dtype() != x.dtype() {
        fault!(
            RuntimeError,
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same dtype, but got input({}), and weight({})",
            x.dtype().c_name(),
            weight.dtype().c_name()
        );
    }
    let (count, sizes) = (x.numel(), weight.sizes());
    // The elements are looked at as points of one dimension, in the sizes that they have but for those of no dimension.
    if weight.numel() != count {
        fault!(
            RuntimeError,
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor excluding its innermost dimension, but got input with shape [{count}, 1] and weight with shape {:?}",
            if sizes.len() == 1 { sizes.to_vec() } else { vec![weight.numel()] }
        );
    }
    Ok(())
}

fn finish(x: &Tensor, elements: &[f64], edges: &[f64], weight: Option<Tensor>, density: bool) -> Result<Value> {
    let bins = edges.len() - 1;
    let weights: Option<Vec<f64>> = weight.map(|w| exec::read_vec(&w)).transpose()?;
    let mut sums = vec![0f64; bins];
    for (n, e) in elements.iter().enumerate().filter(|(_, e)| bins > 0 && **e >= edges[0] && **e <= edges[bins]) {
        let place = edges.partition_point(|edge| edge <= e).saturating_sub(1).min(bins - 1);
        sums[place] += weights.as_ref().and_then(|w| w.get(n)).copied().unwrap_or(1.0);
    }
    if density {
        let total: f64 = sums.iter().sum();
        let round = |v: f64| if x.dtype() == DType::F64 { v } else { v as f32 as f64 };
        sums.iter_mut().zip(edges.windows(2)).for_each(|(s, w)| *s = round(*s / total) / round(w[1] - w[0]));
    }
    let hist = exec::cast(&exec::from_vec(&sums, &[bins as i64])?, x.dtype())?;
    let edges = exec::cast(&exec::from_vec(edges, &[edges.len() as i64])?, x.dtype())?;
    Ok(Value::tuple(vec![hist.into(), edges.into()]))
}
