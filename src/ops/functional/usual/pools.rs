//! Windows over planes: the largest elements and the means, and those of parts.

use super::{by_float, each, is_here, is_plain, sizes_of};
use crate::dtype::DType;
use crate::kernel::element::Element;
use crate::kernel::pools::{self, Parts, Ranked, Windows};
use crate::layout::Dims;
use crate::ops::{Args, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use num_traits::Float;

/// A number for each of three dimensions, of which the first are 1 (or another number) where there are fewer.
pub(super) fn three(of: &[i64], else_is: usize) -> [usize; 3] {
    let mut all = [else_is; 3];
    all[3 - of.len()..].iter_mut().zip(of).for_each(|(to, n)| *to = *n as usize);
    all
}

/// The number of dimensions that a pool's name ends with: `max_pool2d`.
fn dimensions(args: &Args) -> usize {
    args.op.name().bytes().find(u8::is_ascii_digit).map_or(2, |digit| (digit - b'0') as usize)
}

/// The sizes before those of a plane, and those of a plane, of what has a batch or not.
fn planes(x: &Tensor, n: usize) -> Option<(Dims, Dims)> {
    let sizes = x.sizes();
    let fits = (n + 1..=n + 2).contains(&sizes.len()) && x.layout().is_row_major() && x.numel() > 0 && is_here(x);
    fits.then(|| (Dims::from_slice(&sizes[..sizes.len() - n]), Dims::from_slice(&sizes[sizes.len() - n..])))
}

/// Windows of these measures over planes of these sizes, unless there is something to say about them.
fn windows(sizes: &[i64], [kernel, step, pad, spread]: [[i64; 3]; 4], ceil: bool) -> Option<Windows> {
    let n = sizes.len();
    let mut out = [1; 3];
    for d in 0..n {
        let (k, s, p, apart) = (kernel[d], step[d], pad[d], spread[d]);
        let most = 1 << 31;
        if ![k, s, apart].iter().all(|of| (1..most).contains(of))
            || p < 0
            || p > k.checked_sub(1)?.checked_mul(apart)?.div_euclid(2) + 1
        {
            return None;
        }
        if 2 * p > (k - 1) * apart + 1 {
            return None;
        }
        let span = sizes[d] + 2 * p - apart * (k - 1) - 1;
        let mut many = (span + if ceil { s - 1 } else { 0 }).div_euclid(s) + 1;
        if ceil && (many - 1) * s >= sizes[d] + p {
            many -= 1;
        }
        if many < 1 {
            return None;
        }
        out[d] = many;
    }
    Some(made_of(sizes, out, [kernel, step, pad, spread]))
}

/// The step of windows: as given, or as wide as they are.
fn step_of(value: &Value, kernel: [i64; 3], n: usize) -> Option<[i64; 3]> {
    match value {
        Value::None => Some(kernel),
        given if given.items().is_some_and(|items| items.is_empty()) => Some(kernel),
        given => each(given, n),
    }
}

/// The sizes of a result of windows.
fn shape_of(front: &[i64], w: &Windows, n: usize) -> Dims {
    let out: Dims = w.out[3 - n..].iter().map(|n| *n as i64).collect();
    sizes_of(front, &out)
}

/// The largest elements of windows.
pub fn max_pool(args: &Args) -> Result<Option<Value>> {
    let n = dimensions(args);
    let (x, ceil): (Tensor, bool) = (args.get(0)?, args.get(5)?);
    let Value::Bool(with_places) = *args.value(6) else { return Ok(None) };
    let measures = || {
        let kernel = each(args.value(1), n)?;
        let step = step_of(args.value(2), kernel, n)?;
        let (front, sizes) = planes(&x, n)?;
        let w = windows(&sizes, [kernel, step, each(args.value(3), n)?, each(args.value(4), n)?], ceil)?;
        Some((shape_of(&front, &w, n), w))
    };
    let Some((shape, w)) = measures() else { return Ok(None) };
    match x.dtype() {
        DType::F32 => largest::<f32>(&x, &w, &shape, with_places).map(Some),
        DType::F64 => largest::<f64>(&x, &w, &shape, with_places).map(Some),
        DType::I64 if n > 1 => largest::<i64>(&x, &w, &shape, with_places).map(Some),
        _ => Ok(None),
    }
}

fn largest<T: Element + Ranked>(x: &Tensor, w: &Windows, shape: &[i64], with_places: bool) -> Result<Value> {
    if !with_places {
        let out = exec::read::<T, _>(x, |from| exec::made::<T>(shape, |to| pools::largest(w, from, to)))??;
        return Ok(out.into());
    }
    with_places_of(x, shape, |from, to, places| pools::largest_and_places::<T>(w, from, to, places))
}

/// Two new tensors of these sizes that `f` fills: elements and their places.
fn with_places_of<T: Element>(x: &Tensor, shape: &[i64], f: impl FnOnce(&[T], &mut [T], &mut [i64])) -> Result<Value> {
    let best = exec::empty(shape, T::DTYPE, x.device())?;
    let places = exec::empty(shape, DType::I64, x.device())?;
    exec::read::<T, _>(x, |from| {
        exec::change::<T, _>(&best, |to| exec::change::<i64, _>(&places, |places| f(from, to, places)))
    })???;
    Ok(vec![best, places].into())
}

/// The means of windows.
pub fn avg_pool(args: &Args) -> Result<Option<Value>> {
    let n = dimensions(args);
    let (x, ceil, whole): (Tensor, bool, bool) = (args.get(0)?, args.get(4)?, args.get(5)?);
    let divisor: Option<i64> = if n == 1 { None } else { args.get(6)? };
    let measures = || {
        let kernel = each(args.value(1), n)?;
        let step = step_of(args.value(2), kernel, n)?;
        let (front, sizes) = planes(&x, n)?;
        let w = windows(&sizes, [kernel, step, each(args.value(3), n)?, [1; 3]], ceil)?;
        let small = n == 3 && sizes.iter().zip(&kernel).any(|(size, kernel)| size < kernel);
        (!small).then(|| (shape_of(&front, &w, n), w))
    };
    let (Some((shape, w)), true, true) = (measures(), is_plain(&x), divisor != Some(0)) else { return Ok(None) };
    by_float!(x, means(&x, &w, &shape, whole, divisor)).map(Some)
}

fn means<T: Element + Float + std::ops::AddAssign>(
    x: &Tensor,
    w: &Windows,
    shape: &[i64],
    whole: bool,
    divisor: Option<i64>,
) -> Result<Value> {
    let number = |n: i64| T::from(n).unwrap_or_else(T::nan);
    // How many elements of a window count, in each dimension.
    let shares: [Vec<T>; 3] = std::array::from_fn(|d| {
        let (size, pad) = (w.sizes[d] as i64, w.pad[d] as i64);
        let share = |window: usize| {
            let start = (window * w.step[d]) as i64 - pad;
            let end = start + w.kernel[d] as i64;
            if whole { end.min(size + pad) - start } else { end.min(size) - start.max(0) }
        };
        (0..w.out[d]).map(|window| number(share(window))).collect()
    });
    let out = exec::read::<T, _>(x, |from| {
        exec::made::<T>(shape, |to| {
            pools::sums(w, from, to);
            let rows = w.out[0] * w.out[1];
            for (row, to) in to.chunks_mut(w.out[2]).enumerate() {
                let row = row % rows;
                let beside = shares[0][row / w.out[1]] * shares[1][row % w.out[1]];
                match divisor {
                    Some(divisor) => to.iter_mut().for_each(|sum| *sum = *sum / number(divisor)),
                    None => to.iter_mut().zip(&shares[2]).for_each(|(sum, share)| *sum = *sum / (beside * *share)),
                }
            }
        })
    })??;
    Ok(out.into())
}

/// Sizes that are wanted of the last `n` dimensions; those that are none are the input's.
fn wanted(value: &Value, sizes: &[i64]) -> Option<Dims> {
    let one = |value: &Value, size: i64| match value {
        Value::Int(n) if *n > 0 => Some(*n),
        Value::None => Some(size),
        _ => None,
    };
    match value {
        Value::Int(_) => sizes.iter().map(|size| one(value, *size)).collect(),
        other => {
            let items = other.items().filter(|items| items.len() == sizes.len())?;
            items.iter().zip(sizes).map(|(item, size)| one(item, *size)).collect()
        }
    }
}

/// The parts that are wanted of planes, and the sizes of a result.
fn parts_of(args: &Args, x: &Tensor) -> Option<(Parts, Dims)> {
    let n = dimensions(args);
    let (front, sizes) = planes(x, n)?;
    let wanted = wanted(args.value(1), &sizes)?;
    let most = wanted.iter().try_fold(front.iter().product::<i64>(), |all, n| all.checked_mul(*n))?;
    // What asks for more than there is asks for room first.
    (most <= x.numel().saturating_mul(16)).then(|| (Parts::even(three(&sizes, 1), three(&wanted, 1)), sizes_of(&front, &wanted)))
}

/// The means of parts.
pub fn adaptive_avg_pool(args: &Args) -> Result<Option<Value>> {
    let x: Tensor = args.get(0)?;
    let Some((parts, shape)) = parts_of(args, &x).filter(|(parts, _)| is_plain(&x) && parts.count() > 1) else { return Ok(None) };
    by_float!(x, part_means(&x, &parts, &shape)).map(Some)
}

fn part_means<T: Element + Float>(x: &Tensor, parts: &Parts, shape: &[i64]) -> Result<Value> {
    let out = exec::read::<T, _>(x, |from| exec::made::<T>(shape, |to| pools::part_means(parts, from, to)))??;
    Ok(out.into())
}

/// The largest elements of parts.
pub fn adaptive_max_pool(args: &Args) -> Result<Option<Value>> {
    let x: Tensor = args.get(0)?;
    let Value::Bool(with_places) = *args.value(2) else { return Ok(None) };
    let Some((parts, shape)) = parts_of(args, &x).filter(|_| is_plain(&x)) else { return Ok(None) };
    let found = by_float!(x, part_largest(&x, &parts, &shape))?;
    Ok(Some(match (with_places, found) {
        (false, Value::Tuple(both)) => both[0].clone(),
        (_, both) => both,
    }))
}

fn part_largest<T: Element + Ranked>(x: &Tensor, parts: &Parts, shape: &[i64]) -> Result<Value> {
    with_places_of(x, shape, |from, to, places| pools::part_largest::<T>(parts, from, to, places))
}

/// The blocks of images as columns.
pub fn unfold(args: &Args) -> Result<Option<Value>> {
    let x: Tensor = args.get(0)?;
    let measures = || {
        let pair =
            |place: usize| each(args.value(place), 2).filter(|_| args.value(place).items().is_none_or(|items| items.len() == 2));
        let (front, sizes) = planes(&x, 2)?;
        Some((front, exact(&sizes, [pair(1)?, pair(4)?, pair(3)?, pair(2)?])?))
    };
    let (Some((front, w)), true) = (measures(), is_plain(&x)) else { return Ok(None) };
    let (cells, windows) = (w.kernel.iter().product::<usize>() as i64, w.out.iter().product::<usize>() as i64);
    let (batch, channels) = front.split_at(front.len() - 1);
    let shape = sizes_of(batch, &[channels[0] * cells, windows]);
    by_float!(x, columns(&x, &w, &shape)).map(|columns| Some(columns.into()))
}

/// The sum of blocks at their places.
pub fn fold(args: &Args) -> Result<Option<Value>> {
    let x: Tensor = args.get(0)?;
    let measures = || {
        let pair =
            |place: usize| each(args.value(place), 2).filter(|_| args.value(place).items().is_none_or(|items| items.len() == 2));
        let out = pair(1)?;
        let w = exact(&out[..2], [pair(2)?, pair(5)?, pair(4)?, pair(3)?])?;
        let (sizes, cells) = (x.sizes(), w.kernel.iter().product::<usize>() as i64);
        let (front, &[blocks, places]) = sizes.split_last_chunk::<2>()?;
        let fits = front.len() < 2 && blocks % cells == 0 && places == w.out.iter().product::<usize>() as i64;
        let shape: Dims = front.iter().copied().chain([blocks / cells, out[0], out[1]]).collect();
        (fits && out[..2].iter().all(|size| *size > 0)).then_some((w, shape))
    };
    let (Some((w, shape)), true) = (measures(), is_plain(&x)) else { return Ok(None) };
    by_float!(x, added(&x, &w, &shape)).map(Some)
}

fn added<T: Element + Float + std::ops::AddAssign>(x: &Tensor, w: &Windows, shape: &[i64]) -> Result<Value> {
    let out = exec::read::<T, _>(x, |from| {
        exec::made::<T>(shape, |to| {
            to.fill(T::zero());
            pools::scatter(w, from, to);
        })
    })??;
    Ok(out.into())
}

/// The cells of all windows over the planes of `x`, as [`pools::cells`] puts them.
pub(super) fn columns<T: Element + Float>(x: &Tensor, w: &Windows, shape: &[i64]) -> Result<Tensor> {
    exec::read::<T, _>(x, |from| exec::made::<T>(shape, |to| pools::cells(w, from, to)))?
}

/// Windows that lie in planes and their borders whole, whatever these measure.
pub(super) fn exact(sizes: &[i64], [kernel, step, pad, spread]: [[i64; 3]; 4]) -> Option<Windows> {
    let n = sizes.len();
    let mut out = [1; 3];
    for d in 0..n {
        let most = 1 << 31;
        if ![kernel[d], step[d], spread[d]].iter().all(|of| (1..most).contains(of)) || !(0..most).contains(&pad[d]) {
            return None;
        }
        let reach = (kernel[d] - 1).checked_mul(spread[d])? + 1;
        out[d] = (sizes[d] + 2 * pad[d]).checked_sub(reach).filter(|room| *room >= 0)? / step[d] + 1;
    }
    Some(made_of(sizes, out, [kernel, step, pad, spread]))
}

/// Windows of these measures.
fn made_of(sizes: &[i64], out: [i64; 3], [kernel, step, pad, spread]: [[i64; 3]; 4]) -> Windows {
    let n = sizes.len();
    Windows {
        sizes: three(sizes, 1),
        out: three(&out[..n], 1),
        kernel: three(&kernel[..n], 1),
        step: three(&step[..n], 1),
        pad: three(&pad[..n], 0),
        spread: three(&spread[..n], 1),
    }
}
