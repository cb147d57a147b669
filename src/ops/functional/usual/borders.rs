//! Borders, and images whose channels become places.

use super::is_here;
use crate::dtype::{DType, Number};
use crate::for_element;
use crate::kernel::borders::around;
use crate::kernel::element::Element;
use crate::kernel::places::take;
use crate::layout::{Dims, Layout, MemoryFormat};
use crate::ops::{Args, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// A border of one number or of what lies near.
pub fn pad(args: &Args) -> Result<Option<Value>> {
    let (x, widths, mode, value): (Tensor, Dims, String, Option<f64>) = args.take()?;
    let (sizes, n) = (x.sizes(), widths.len() / 2);
    let small = widths.iter().all(|width| (0..1 << 40).contains(width));
    if widths.len() % 2 != 0
        || n == 0
        || n > sizes.len()
        || !small
        || x.numel() == 0
        || !is_here(&x)
        || !x.layout().is_row_major()
    {
        return Ok(None);
    }
    if mode == "constant" {
        return constant(&x, &widths, value.unwrap_or(0.0));
    }
    let fits = (1..=3).contains(&n) && (n + 1..=n + 2).contains(&sizes.len()) && value.is_none_or(|value| value == 0.0);
    if !fits || x.dtype() == DType::Bool {
        return Ok(None);
    }
    let inner = sizes.len() - n;
    let places = (0..n).map(|d| near(&mode, sizes[inner + d], [widths[2 * (n - 1 - d)], widths[2 * (n - 1 - d) + 1]]));
    let Some(places) = places.collect::<Option<Vec<_>>>() else { return Ok(None) };
    at_places(&x, &places).map(Some)
}

/// The places of a dimension with a border; none where it does not reach that far.
fn near(mode: &str, size: i64, [before, after]: [i64; 2]) -> Option<Vec<usize>> {
    let place: fn(i64, i64) -> i64 = match mode {
        "reflect" if before < size && after < size => |at, size| size - 1 - (size - 1 - at.abs()).abs(),
        "replicate" if before.max(after) <= size.saturating_mul(16) => |at, size| at.clamp(0, size - 1),
        "circular" if before <= size && after <= size => |at, size| at.rem_euclid(size),
        _ => return None,
    };
    Some((-before..size + after).map(|at| place(at, size) as usize).collect())
}

/// The elements at all combinations of places of the last dimensions.
pub(super) fn at_places(x: &Tensor, places: &[Vec<usize>]) -> Result<Value> {
    let (sizes, n) = (x.sizes(), places.len());
    let inner = sizes.len() - n;
    let wide = sizes[sizes.len() - 1] as usize;
    let mut rows = vec![0];
    for (places, size) in places[..n - 1].iter().zip(&sizes[inner..]) {
        rows = rows.iter().flat_map(|row| places.iter().map(move |at| row * *size as usize + at)).collect();
    }
    rows.iter_mut().for_each(|row| *row *= wide);
    let lines = super::count(&sizes[inner..sizes.len() - 1]);
    let shape: Dims = sizes[..inner].iter().copied().chain(places.iter().map(|places| places.len() as i64)).collect();
    let taken = for_element!(x.dtype(), E => taken::<E>(x, [lines, wide], &rows, &places[n - 1], &shape))?;
    Ok(taken.into())
}

fn taken<E: Element>(x: &Tensor, block: [usize; 2], rows: &[usize], columns: &[usize], shape: &[i64]) -> Result<Tensor> {
    exec::read::<E, _>(x, |from| exec::made::<E>(shape, |to| take(from, block, rows, columns, to)))?
}

fn constant(x: &Tensor, widths: &[i64], value: f64) -> Result<Option<Value>> {
    // Other numbers may not fit.
    let whole = x.dtype().is_float() || value.fract() == 0.0 && (0.0..128.0).contains(&value) && x.dtype() != DType::Bool;
    if value != 0.0 && !(whole && (value.is_infinite() || value.abs() < 60000.0)) {
        return Ok(None);
    }
    let sizes = x.sizes();
    let (mut before, mut after) = (vec![0; sizes.len()], vec![0; sizes.len()]);
    for (pair, d) in widths.chunks(2).zip((0..sizes.len()).rev()) {
        (before[d], after[d]) = (pair[0] as usize, pair[1] as usize);
    }
    let whole = |d: usize| sizes[d] + (before[d] + after[d]) as i64;
    let shape: Dims = (0..sizes.len()).map(whole).collect();
    let padded = for_element!(x.dtype(), E => surrounded::<E>(x, &before, &after, value, &shape))?;
    Ok(Some(padded.into()))
}

fn surrounded<E: Element>(x: &Tensor, before: &[usize], after: &[usize], value: f64, shape: &[i64]) -> Result<Tensor> {
    let one = exec::empty(&[1], x.dtype(), x.device())?;
    exec::fill(&one, Number::Float(value))?;
    let value = exec::read_vec::<E>(&one)?[0];
    let sizes: Vec<usize> = x.sizes().iter().map(|n| *n as usize).collect();
    exec::read::<E, _>(x, |from| exec::made::<E>(shape, |to| around(from, &sizes, before, after, value, to)))?
}

/// Channels spread out into larger images.
pub fn pixel_shuffle(args: &Args) -> Result<Option<Value>> {
    let (x, r): (Tensor, i64) = args.take()?;
    let Some((front, [c, h, w])) = image(&x).filter(|(_, [c, ..])| r > 0 && r < 1 << 20 && c % (r * r) == 0) else {
        return Ok(None);
    };
    let c = c / (r * r);
    turned(&x, &front, &[c, h, r, w, r], &[c * r * r * h * w / c, w, h * w * r, 1, h * w], &[c, h * r, w * r]).map(Some)
}

/// Images taken apart into channels.
pub fn pixel_unshuffle(args: &Args) -> Result<Option<Value>> {
    let (x, r): (Tensor, i64) = args.take()?;
    let Some((front, [c, h, w])) = image(&x).filter(|(_, [_, h, w])| r > 0 && r < 1 << 20 && h % r == 0 && w % r == 0) else {
        return Ok(None);
    };
    turned(&x, &front, &[c, r, r, h / r, w / r], &[h * w, w, 1, w * r, r], &[c * r * r, h / r, w / r]).map(Some)
}

/// The sizes before an image, and channels, height and width.
fn image(x: &Tensor) -> Option<(Dims, [i64; 3])> {
    let sizes = x.sizes();
    let (front, image) = sizes.split_last_chunk::<3>()?;
    (x.numel() > 0 && is_here(x) && x.layout().is_row_major()).then(|| (Dims::from_slice(front), *image))
}

/// A copy of the images read with these sizes and strides, as images of sizes `to`.
fn turned(x: &Tensor, front: &[i64], sizes: &[i64], strides: &[i64], to: &[i64]) -> Result<Value> {
    let layout = x.layout();
    let shape: Dims = front.iter().chain(sizes).copied().collect();
    let strides: Dims = layout.strides[..front.len()].iter().chain(strides).copied().collect();
    let view = x.alias(Layout::new(&shape, &strides, layout.offset))?;
    let copy = exec::clone_in(&view, MemoryFormat::Contiguous)?;
    Ok(copy.alias(Layout::contiguous(&super::sizes_of(front, to)))?.into())
}
