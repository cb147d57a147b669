//! Images of another size.

use super::borders::at_places;
use super::{by_float, each, is_plain, sizes_of};
use crate::kernel::corners::{Side, Start, means};
use crate::kernel::element::Element;
use crate::layout::Dims;
use crate::ops::{Args, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use num_traits::Float;

/// The sizes of a result, and the factors that count for places, if any.
type Wanted = (Dims, Option<Vec<f64>>);

/// Sizes as given, or as many times those of the image.
fn wanted(args: &Args, have: &[i64]) -> Option<Wanted> {
    let n = have.len();
    let (size, factor, again) = (args.value(1), args.value(2), matches!(args.value(5), Value::Bool(true)));
    let (out, factors) = match (size, factor) {
        (size, Value::None) if !again => {
            let listed = matches!(size, Value::Int(_)) || size.items().is_some_and(|items| items.len() == n);
            (Dims::from_slice(&each(size, n).filter(|_| listed)?[..n]), None)
        }
        (Value::None, factor) => {
            let items = factor.items().unwrap_or_else(|| vec![factor.clone(); n]);
            let factors = items.iter().map(|item| match item {
                Value::Int(_) | Value::Float(_) => item.as_number().map(|factor| factor.to_f64()),
                _ => None,
            });
            let factors = factors.collect::<Option<Vec<_>>>().filter(|factors| factors.len() == n)?;
            let out = have.iter().zip(&factors).map(|(size, factor)| (*size as f64 * factor).floor() as i64).collect();
            (out, (!again).then_some(factors))
        }
        _ => return None,
    };
    out.iter().all(|size| (1..1 << 31).contains(size)).then_some((out, factors))
}

/// The nearest elements, and means of the four nearest.
pub fn interpolate(args: &Args) -> Result<Option<Value>> {
    let x: Tensor = args.get(0)?;
    let (Value::Str(mode), Value::Bool(smooth)) = (args.value(3), args.value(6)) else { return Ok(None) };
    let corners = match args.value(4) {
        Value::None => None,
        Value::Bool(corners) => Some(*corners),
        _ => return Ok(None),
    };
    let sizes = x.sizes();
    let n = sizes.len().saturating_sub(2);
    let kind = (mode.as_str(), n, corners);
    let known = matches!(kind, ("nearest" | "nearest-exact", 1..=3, None) | ("bilinear", 2, _));
    if !known || *smooth || x.dtype().is_float8() || !is_plain(&x) || !x.layout().is_row_major() {
        return Ok(None);
    }
    let Some(wanted) = wanted(args, &sizes[2..]) else { return Ok(None) };
    // What cannot be held is refused before any place is looked for.
    exec::require_room(&sizes_of(&sizes[..2], &wanted.0), x.dtype())?;
    by_float!(x, resized(&x, mode.as_str(), wanted, corners == Some(true))).map(Some)
}

fn resized<T: Element + Float>(x: &Tensor, mode: &str, (out, factors): Wanted, corners: bool) -> Result<Value> {
    let sizes = x.sizes();
    let have = &sizes[2..];
    let factor = |d: usize| factors.as_ref().map(|factors| factors[d]);
    if mode != "bilinear" {
        let shift = if mode == "nearest" { T::zero() } else { number::<T>(0.5) };
        let places = |d: usize| nearest::<T>(have[d] as usize, out[d] as usize, factor(d), shift);
        return at_places(x, &(0..out.len()).map(places).collect::<Vec<_>>());
    }
    let [rows, columns] = [0, 1].map(|d| side::<T>(have[d] as usize, out[d] as usize, factor(d), corners));
    let made = exec::read::<T, _>(x, |from| {
        let image = [have[0] as usize, have[1] as usize];
        exec::made::<T>(&sizes_of(&sizes[..2], &out), |to| means(from, image, &rows, &columns, Start::Second, to))
    })??;
    Ok(made.into())
}

fn number<T: Float>(value: f64) -> T {
    T::from(value).unwrap_or_else(T::nan)
}

/// How far places are apart, in elements of the image.
fn ratio<T: Float>(have: usize, want: usize, factor: Option<f64>) -> T {
    number(factor.map_or(have as f64 / want as f64, |factor| 1.0 / factor))
}

fn nearest<T: Float>(have: usize, want: usize, factor: Option<f64>, shift: T) -> Vec<usize> {
    let ratio = ratio::<T>(have, want, factor);
    let place = |at: usize| ((number::<T>(at as f64) + shift) * ratio).floor().to_usize().unwrap_or(0);
    (0..want).map(|at| place(at).min(have - 1)).collect()
}

/// The lines around each place of a side, and how much of each.
fn side<T: Float>(have: usize, want: usize, factor: Option<f64>, corners: bool) -> Side<T> {
    let (half, ratio) = (number::<T>(0.5), ratio::<T>(have, want, factor));
    let step = number::<T>(if want > 1 { (have as f64 - 1.0) / (want as f64 - 1.0) } else { 0.0 });
    let mut side = Side { lines: [vec![], vec![]], weights: [vec![], vec![]] };
    for at in 0..want {
        let line = number::<T>(at as f64);
        let place = match (have == want, corners) {
            (true, _) => line,
            (_, true) => line * step,
            _ => (line + half).mul_add(ratio, -half).max(T::zero()),
        };
        let base = place.floor();
        let far = (place - base).max(T::zero()).min(T::one());
        let low = base.to_usize().unwrap_or(0).min(have - 1);
        let high = if have == want { low } else { (low + 1).min(have - 1) };
        for (k, (line, weight)) in [(low, T::one() - far), (high, far)].into_iter().enumerate() {
            side.lines[k].push(line);
            side.weights[k].push(weight);
        }
    }
    side
}
