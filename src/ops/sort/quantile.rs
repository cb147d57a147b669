//! Quantiles.

use super::lines::Lines;
use crate::dtype::{DType, general};
use crate::kernel::lines::Work;
use crate::layout::{Dims, Layout, wrap_dim};
use crate::ops::{Args, Operand, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use num_traits::Float;

pub(super) fn quantile(args: &Args) -> Result<Value> {
    along(args, false)
}

pub(super) fn nanquantile(args: &Args) -> Result<Value> {
    along(args, true)
}

/// What an element between two may be.
const INTERPOLATIONS: [&str; 5] = ["linear", "lower", "higher", "midpoint", "nearest"];

fn along(args: &Args, skip_nan: bool) -> Result<Value> {
    let (x, q, dim, keepdim, interpolation): (Tensor, Operand, Option<i64>, bool, String) = args.take()?;
    if let Operand::Number(q) = q {
        check_share(q.to_f64())?;
    }
    if !INTERPOLATIONS.contains(&interpolation.as_str()) {
        fault!(
            RuntimeError,
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        );
    }
    if x.numel() == 0 {
        fault!(RuntimeError, "quantile() input tensor must be non-empty");
    }
    if matches!(&q, Operand::Tensor(q) if q.ndim() > 1) {
        fault!(RuntimeError, "quantile() q must be a scalar or 1D tensor");
    }
    if !matches!(x.dtype(), DType::F32 | DType::F64) {
        fault!(RuntimeError, "quantile() input tensor must be either float or double dtype");
    }
    let (shares, share_sizes) = shares(&x, q)?;
    if let Some(dim) = dim {
        wrap_dim(dim, x.ndim())?;
    }
    if !shares.iter().all(|s| (0.0..=1.0).contains(s)) {
        fault!(RuntimeError, "quantile() q values must be in the range [0, 1]");
    }
    let flat = match dim {
        Some(_) => x.clone(),
        None => {
            let x = exec::contiguous(&x)?;
            x.alias(Layout { offset: x.layout().offset, ..Layout::contiguous(&[x.numel()]) })?
        }
    };
    let lines = Lines::new(&flat, dim.unwrap_or(0))?;
    let (ordered, _) = exec::lines(Work::Sort { descending: false, stable: true }, &lines.turned, lines.length())?;
    let elements: Vec<f64> = exec::read_vec(&ordered)?;
    let mut results = vec![0f64; shares.len() * lines.count()];
    for (n, line) in elements.chunks(lines.length()).enumerate() {
        // NaN comes last.
        let sorted = &line[..if skip_nan { line.partition_point(|e| !e.is_nan()) } else { line.len() }];
        for (s, share) in shares.iter().enumerate() {
            results[n * shares.len() + s] = at_share(sorted, *share, &interpolation, x.dtype())?;
        }
    }
    // The shares lie innermost; as a dimension they come first.
    let mut sizes = kept_sizes(&x, dim, keepdim)?;
    sizes.extend(share_sizes.iter().copied());
    let found = exec::cast(&exec::from_vec(&results, &sizes)?, x.dtype())?;
    let mut layout = (*found.layout()).clone();
    if !share_sizes.is_empty() {
        layout.sizes.rotate_right(1);
        layout.strides.rotate_right(1);
    }
    Ok(Value::Tensor(found.alias(layout)?))
}

/// The sizes of the result for one share.
fn kept_sizes(x: &Tensor, dim: Option<i64>, keepdim: bool) -> Result<Dims> {
    let mut sizes = x.sizes();
    match dim {
        None if keepdim => sizes.fill(1),
        None => sizes.clear(),
        Some(dim) if !sizes.is_empty() => {
            let dim = wrap_dim(dim, sizes.len())?;
            if keepdim {
                sizes[dim] = 1
            } else {
                sizes.remove(dim);
            }
        }
        Some(_) => {}
    }
    Ok(sizes)
}

/// The shares asked for, in x's precision, and the sizes they add in front.
fn shares(x: &Tensor, q: Operand) -> Result<(Vec<f64>, Dims)> {
    let (shares, sizes): (Vec<f64>, Dims) = match q {
        Operand::Number(n) => (vec![n.to_f64()], Dims::new()),
        Operand::Tensor(t) if t.dtype() != x.dtype() => {
            fault!(RuntimeError, "quantile() q tensor must be same dtype as the input tensor")
        }
        Operand::Tensor(t) => (exec::read_vec(&t)?, t.sizes()),
    };
    Ok((shares, sizes))
}

/// Fails with a `RuntimeError` when one share is not from 0 to 1.
fn check_share(share: f64) -> Result<()> {
    if !(0.0..=1.0).contains(&share) {
        fault!(RuntimeError, "quantile() q must be in the range [0, 1] but got {}", general(share, 6));
    }
    Ok(())
}

/// The value at a share of a sorted line; NaN when the line holds one or is empty.
fn at_share(sorted: &[f64], share: f64, interpolation: &str, dtype: DType) -> Result<f64> {
    let Some(last) = sorted.last() else { return Ok(f64::NAN) };
    if last.is_nan() {
        return Ok(f64::NAN);
    }
    let round = |v: f64| if dtype == DType::F32 { v as f32 as f64 } else { v };
    // Only the weight is rounded, and what is added to an element is not rounded before.
    let rank = round(share) * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[rank.floor() as usize], sorted[rank.ceil() as usize]);
    let between = |weight: f64| match dtype {
        DType::F32 => lerp(below as f32, above as f32, weight as f32) as f64,
        _ => lerp(below, above, weight),
    };
    Ok(match interpolation {
        "linear" => between(rank - rank.floor()),
        "lower" => below,
        "higher" => above,
        "midpoint" => between(0.5),
        "nearest" => sorted[rank.round_ties_even() as usize],
        other => fault!(
            RuntimeError,
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {other}"
        ),
    })
}

/// The number so far on the way from one to the other, from the nearer end.
fn lerp<T: Float>(from: T, to: T, weight: T) -> T {
    let way = to - from;
    let half = T::one() / (T::one() + T::one());
    if weight < half { weight.mul_add(way, from) } else { (-way).mul_add(T::one() - weight, to) }
}
