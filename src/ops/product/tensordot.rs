//! Sums of products along pairs of dimensions.

use super::matrix::{dot_of, mm_of};
use crate::kernel::fold::SUM;
use crate::layout::{Dims, Layout, wrap_dim};
use crate::ops::exec::{self, Reduction};
use crate::ops::reshape::reshape;
use crate::ops::{Args, FromValue};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

pub(super) fn tensordot(args: &Args) -> Result<Value> {
    let (a, b, dims): (Tensor, Tensor, Value) = args.take()?;
    let (first, second) = pairs(&a, &b, dims)?;
    if first.len() != second.len() {
        fault!(RuntimeError, "both dimension lists should have same length");
    }
    if a.dtype() != b.dtype() {
        fault!(RuntimeError, "both inputs should have same dtype");
    }
    let (mut left, mut right) = (a.clone(), b.clone());
    for (p, q) in first.iter().zip(&second) {
        let (i, j) = (placed(*p, &a)?, placed(*q, &b)?);
        let (m, n) = (a.sizes()[i], b.sizes()[j]);
        // What is repeated along a dimension may be added up before.
        match (m, n) {
            (_, 1) => left = sum_kept(&left, i)?,
            (1, _) => right = sum_kept(&right, j)?,
            _ if m == n => {}
            _ => fault!(
                RuntimeError,
                "contracted dimensions need to match, but first has size {m} in dim {p} and second has size {n} in dim {q}"
            ),
        }
    }
    let (met, meeting) = (distinct(&first, &a)?, distinct(&second, &b)?);
    let (rows, columns) = (others(&met, a.ndim()), others(&meeting, b.ndim()));
    let product = if rows.is_empty() && columns.is_empty() || is_one(&left, &rows) && is_one(&right, &columns) {
        dot_of(&flat(&left, &met)?, &flat(&right, &meeting)?)?
    } else {
        mm_of(&matrix(&left, &rows, &met)?, &matrix(&right, &meeting, &columns)?)?
    };
    let sizes: Dims = pick(&left.sizes(), &rows).into_iter().chain(pick(&right.sizes(), &columns)).collect();
    Ok(product.alias(Layout::contiguous(&sizes))?.into())
}

/// The sizes of what a contraction sums over, `inner` or `tensordot`; none for a product of numbers.
pub(in crate::ops) fn contracted(args: &Args) -> Option<Vec<[i64; 2]>> {
    let (a, b): (Tensor, Tensor) = (args.get(0).ok()?, args.get(1).ok()?);
    if args.op.name() == "inner" {
        return Some(vec![[*a.sizes().last()?, *b.sizes().last()?]]);
    }
    let (first, second) = pairs(&a, &b, args.get(2).ok()?).ok()?;
    let sizes = |(p, q): (&i64, &i64)| Some([a.sizes()[placed(*p, &a).ok()?], b.sizes()[placed(*q, &b).ok()?]]);
    first.iter().zip(&second).map(sizes).collect()
}

fn placed(dim: i64, x: &Tensor) -> Result<usize> {
    match x.ndim() {
        0 => fault!(IndexError, "Dimension specified as {dim} but tensor has no dimensions"),
        ndim => wrap_dim(dim, ndim),
    }
}

/// The places of dimensions. Fails with a `RuntimeError` when one is there twice.
fn distinct(dims: &[i64], x: &Tensor) -> Result<Vec<usize>> {
    let mut found = vec![];
    for dim in dims {
        let place = placed(*dim, x)?;
        if found.contains(&place) {
            fault!(RuntimeError, "dim {place} appears multiple times in the list of dims");
        }
        found.push(place);
    }
    Ok(found)
}

fn others(taken: &[usize], ndim: usize) -> Vec<usize> {
    (0..ndim).filter(|dim| !taken.contains(dim)).collect()
}

fn pick(of: &Dims, dims: &[usize]) -> Dims {
    dims.iter().map(|dim| of[*dim]).collect()
}

fn is_one(x: &Tensor, dims: &[usize]) -> bool {
    pick(&x.sizes(), dims).iter().product::<i64>() == 1
}

/// The dimensions in another order, and then run together.
fn run_together(x: &Tensor, dims: &[usize], shape: &[i64]) -> Result<Tensor> {
    let layout = x.layout();
    reshape(&x.alias(Layout::new(&pick(&layout.sizes, dims), &pick(&layout.strides, dims), layout.offset))?, shape)
}

/// A matrix whose rows are some dimensions and whose columns are the others.
fn matrix(x: &Tensor, rows: &[usize], columns: &[usize]) -> Result<Tensor> {
    let count = |dims| pick(&x.sizes(), dims).iter().product::<i64>();
    run_together(x, &[rows, columns].concat(), &[count(rows), count(columns)])
}

/// All elements as a vector; the dimensions that are not given have size 1.
fn flat(x: &Tensor, dims: &[usize]) -> Result<Tensor> {
    run_together(x, dims, &[pick(&x.sizes(), dims).iter().product()])
}

/// The sum along one dimension, which stays with size 1, in the tensor's own dtype.
fn sum_kept(x: &Tensor, dim: usize) -> Result<Tensor> {
    let sums = exec::fold(&Reduction::new(&SUM, x.dtype()), x, &[dim], true)?;
    exec::cast(sums.first().unwrap_or(x), x.dtype())
}

/// The dimensions that meet: the last ones and the first ones, or two lists.
fn pairs(a: &Tensor, b: &Tensor, dims: Value) -> Result<(Vec<i64>, Vec<i64>)> {
    let dims = match dims {
        Value::Tensor(count) if count.numel() <= 1 => Value::Int(exec::item(&count)?.to_i64()),
        Value::Bool(count) => Value::Int(i64::from(count)),
        given => given,
    };
    match dims {
        Value::Int(n) if n < 0 => fault!(RuntimeError, "tensordot expects dims >= 0, but got dims={n}"),
        Value::Int(n) if n as usize > a.ndim().min(b.ndim()) => {
            fault!(RuntimeError, "tensordot expects dims < ndim_a or ndim_b, but got dims={n}")
        }
        Value::Int(n) => Ok(((-n..0).collect(), (0..n).collect())),
        other => pair_of_lists(&other),
    }
}

fn refuse_dims<T>(name: &str, position: usize, given: &Value) -> Result<T> {
    let type_name = given.type_name();
    fault!(TypeError, "tensordot(): argument '{name}' (position {position}) must be tuple of ints, not {type_name}")
}

fn pair_of_lists(dims: &Value) -> Result<(Vec<i64>, Vec<i64>)> {
    if let Value::Tensor(rows) = dims
        && rows.ndim() == 2
        && rows.sizes()[0] == 2
    {
        let mut first = exec::read_vec::<i64>(rows)?;
        let second = first.split_off(first.len() / 2);
        return Ok((first, second));
    }
    if let Value::Tensor(rows) = dims {
        return match rows.sizes().first() {
            Some(2) if rows.dtype().is_integral(true) => refuse_dims("dims_self", 3, &Value::Int(0)),
            Some(2) => refuse_dims("dims_self", 3, &Value::Float(0.0)),
            size => fault!(AssertionError, "dims tensor must have size 2 in first dimension, got {}", size.unwrap_or(&0)),
        };
    }
    let number = |v: &Value| match v {
        Value::Tensor(one) if one.ndim() == 0 && one.dtype().is_integral(false) => Some(exec::item(one).ok()?.to_i64()),
        other => i64::from_value(crate::ops::number_of_numpy(other).as_ref().unwrap_or(other)),
    };
    let list = |v: &Value| -> Option<Vec<i64>> { v.items()?.iter().map(number).collect() };
    match dims.items().as_deref() {
        Some([first, second]) => match (list(first), list(second)) {
            (Some(first), Some(second)) => Ok((first, second)),
            (None, _) => refuse_dims("dims_self", 3, first),
            (_, None) => refuse_dims("dims_other", 4, second),
        },
        Some(items) if items.len() < 2 => {
            fault!(ValueError, "not enough values to unpack (expected 2, got {})", items.len())
        }
        Some(_) => fault!(ValueError, "too many values to unpack (expected 2)"),
        None => {
            let given = match dims {
                Value::Str(text) => text.to_string(),
                Value::None => "None".to_string(),
                other => {
                    let number = crate::ops::number_of_numpy(other).unwrap_or_else(|| other.clone());
                    number.as_number().map_or_else(|| number.type_name(), |n| n.to_f64().to_string())
                }
            };
            fault!(
                RuntimeError,
                "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, but got dims={given}"
            )
        }
    }
}
