//! The element in the middle, and the most frequent one.

use super::flat;
use crate::dtype::DType;
use crate::ops::sort::{Keys, Lines, nth_element};
use crate::ops::{Args, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// The chosen place of each line with its value; `choose` is given the keys, where the line begins and its length.
fn each_line(x: &Tensor, dim: i64, keepdim: bool, choose: impl Fn(&Keys, usize, usize) -> usize) -> Result<(Tensor, Tensor)> {
    let lines = Lines::new(x, dim)?;
    let length = lines.length();
    if length == 0 {
        fault!(IndexError, "median(): Expected reduction dim {dim} to have non-zero size.");
    }
    let keys = Keys::read(&lines.turned, "complex numbers have no order")?;
    let places: Vec<i64> = (0..lines.count()).map(|n| choose(&keys, n * length, length) as i64).collect();
    lines.select(x, places, 1, !keepdim && x.ndim() > 0)
}

fn refuse(name: &str, x: &Tensor) -> Result<()> {
    if x.dtype() == DType::Bool || x.dtype().is_complex() {
        fault!(NotImplementedError, "\"{name}_out\" not implemented for '{}'", x.dtype().title());
    }
    Ok(())
}

/// The place of the lower median of a line: the first NaN if there is one.
fn middle(keys: &Keys, base: usize, length: usize) -> usize {
    match (0..length).find(|i| keys.is_nan(base + i)) {
        Some(nan) => nan,
        None => nth_element(length, (length - 1) / 2, |a, b| keys.compare(base + a, base + b).is_lt()),
    }
}

/// As `middle`, among the elements that are not NaN.
fn middle_number(keys: &Keys, base: usize, length: usize) -> usize {
    let numbers = (0..length).filter(|i| !keys.is_nan(base + i)).count();
    let nth = if numbers == 0 { (length - 1) / 2 } else { (numbers - 1) / 2 };
    nth_element(length, nth, |a, b| keys.compare(base + a, base + b).is_lt())
}

fn along(name: &str, args: &Args, choose: impl Fn(&Keys, usize, usize) -> usize) -> Result<Value> {
    let (x, dim, keepdim): (Tensor, i64, bool) = args.take()?;
    refuse(name, &x)?;
    let (values, indices) = each_line(&x, dim, keepdim, choose)?;
    Ok(Value::tuple(vec![values.into(), indices.into()]))
}

fn of_all(name: &str, args: &Args, choose: impl Fn(&Keys, usize, usize) -> usize) -> Result<Value> {
    let x: Tensor = args.get(0)?;
    refuse(name, &x)?;
    if x.numel() == 0 {
        let nan = exec::from_vec(&[f64::NAN], &[])?;
        return Ok(exec::cast(&nan, x.dtype())?.into());
    }
    Ok(each_line(&flat(&x)?, 0, false, choose)?.0.into())
}

pub(super) fn median(args: &Args) -> Result<Value> {
    of_all("median", args, middle)
}

pub(super) fn median_along(args: &Args) -> Result<Value> {
    along("median", args, middle)
}

pub(super) fn nanmedian(args: &Args) -> Result<Value> {
    of_all("nanmedian", args, middle_number)
}

pub(super) fn nanmedian_along(args: &Args) -> Result<Value> {
    along("nanmedian", args, middle_number)
}

pub(super) fn mode(args: &Args) -> Result<Value> {
    let (x, dim, keepdim): (Tensor, i64, bool) = args.take()?;
    if x.dtype().is_complex() {
        fault!(NotImplementedError, "\"mode_cpu\" not implemented for '{}'", x.dtype().title());
    }
    let (values, indices) = each_line(&x, dim, keepdim, most_frequent)?;
    Ok(Value::tuple(vec![values.into(), indices.into()]))
}

/// The place of the last of the most frequent elements of a line, the least of several.
fn most_frequent(keys: &Keys, base: usize, length: usize) -> usize {
    let mut order: Vec<usize> = (0..length).collect();
    order.sort_by(|a, b| keys.compare(base + a, base + b));
    let (mut best, mut most, mut run) = (0, 0, 0);
    for (n, &place) in order.iter().enumerate() {
        run += 1;
        let ends = order.get(n + 1).is_none_or(|next| !keys.equal(base + place, base + next));
        if ends {
            if run > most {
                (best, most) = (place, run);
            }
            run = 0;
        }
    }
    best
}
