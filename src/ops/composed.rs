//! The usual calls of compositions, of floats in the memory of the CPU, without their texts.

use super::{Args, Form, Operand, exec};
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::kernel::distances::{Lanes, Way, of_rows};
use crate::kernel::element::Element;
use crate::kernel::fold::SUM;
use crate::kernel::pieces::each;
use crate::kernel::vector::Real;
use crate::layout::{Layout, wrap_dim};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use num_traits::Float;

/// An elementwise function, by its name in the table.
pub fn apply(name: &str, operands: &[Operand]) -> Result<Tensor> {
    match super::function(name).and_then(|set| set.rows.first()).map(|row| &row.form) {
        Some(Form::Map(map)) => map.of(name, operands, &[]),
        _ => fault!(RuntimeError, "{name} is no elementwise function"),
    }
}

/// True for a tensor of float32 or float64 in the memory of the CPU that has elements.
fn is_plain(x: &Tensor) -> bool {
    matches!(x.dtype(), DType::F32 | DType::F64) && !x.is_sparse() && x.device() == DeviceId::Cpu && x.numel() > 0
}

macro_rules! by_float {
    ($x:expr, $f:ident($($arg:expr),* $(,)?)) => {
        match $x.dtype() {
            DType::F64 => $f::<f64>($($arg),*),
            _ => $f::<f32>($($arg),*),
        }
    };
}

fn number<T: Float>(value: f64) -> T {
    T::from(value).unwrap_or_else(T::nan)
}

fn sums(x: &Tensor, dim: usize) -> Result<Tensor> {
    Ok(exec::fold(&exec::Reduction::new(&SUM, x.dtype()), x, &[dim], false)?.remove(0))
}

/// Differences of neighbours, taken once.
pub(super) fn diff(args: &Args) -> Result<Option<Value>> {
    let (x, n, dim): (Tensor, i64, i64) = args.take()?;
    let alone = matches!((args.value(3), args.value(4)), (Value::None, Value::None));
    if n != 1 || !alone || !is_plain(&x) || x.ndim() == 0 || !(-(x.ndim() as i64)..x.ndim() as i64).contains(&dim) {
        return Ok(None);
    }
    let (layout, dim) = (x.layout(), wrap_dim(dim, x.ndim())?);
    let mut sizes = layout.sizes.clone();
    sizes[dim] -= 1;
    let from = |start: i64| x.alias(Layout::new(&sizes, &layout.strides, layout.offset + start * layout.strides[dim]));
    let both = [Operand::Tensor(from(1)?), Operand::Tensor(from(0)?)];
    Ok(Some(super::pointwise::arithmetic::SUB.of("sub", &both, &[])?.into()))
}

/// True for a vector, and for a matrix whose rows lie in memory: products of others are added up in the order in which they lie.
fn has_rows(x: &Tensor) -> bool {
    x.ndim() == 1 || x.ndim() == 2 && x.layout().is_contiguous()
}

/// Covariances of rows without weights.
pub(super) fn cov(args: &Args) -> Result<Option<Value>> {
    let (x, correction): (Tensor, i64) = args.take()?;
    let weighted = !matches!((args.value(2), args.value(3)), (Value::None, Value::None));
    if weighted || !is_plain(&x) || !has_rows(&x) {
        return Ok(None);
    }
    by_float!(x, covariances(&x, correction)).map(|cov| Some(cov.into()))
}

fn covariances<T: Element + Float>(x: &Tensor, correction: i64) -> Result<Tensor> {
    let sizes = x.sizes();
    let (rows, length) = if sizes.len() == 2 { (sizes[0], sizes[1]) } else { (1, sizes[0]) };
    let totals = exec::read_vec::<T>(&sums(x, sizes.len() - 1)?)?;
    let (count, wide) = (number::<T>(length as f64), length as usize);
    let apart = exec::read::<T, _>(x, |from| {
        exec::made::<T>(&[rows, length], |to| {
            each(to, wide, wide, |row, to| {
                let mean = totals[row] / count;
                to.iter_mut().zip(&from[row * wide..]).for_each(|(to, x)| *to = *x - mean);
            });
        })
    })??;
    let product = exec::matmul(&apart, &apart.alias(apart.layout().transpose(0, 1)?)?)?;
    let norm = number::<T>((length - correction).max(0) as f64);
    exec::change::<T, _>(&product, |product| product.iter_mut().for_each(|x| *x = *x / norm))?;
    if rows == 1 { product.alias(Layout::contiguous(&[])) } else { Ok(product) }
}

/// Correlations of rows.
pub(super) fn corrcoef(args: &Args) -> Result<Option<Value>> {
    let (x,): (Tensor,) = args.take()?;
    if !is_plain(&x) || !has_rows(&x) {
        return Ok(None);
    }
    by_float!(x, correlations(&x)).map(|found| Some(found.into()))
}

fn correlations<T: Element + Float + Real>(x: &Tensor) -> Result<Tensor> {
    let cov = covariances::<T>(x, 1)?;
    let rows = cov.sizes().first().map_or(1, |rows| *rows as usize);
    let alone = cov.ndim() == 0;
    exec::change::<T, _>(&cov, |cov| {
        if alone {
            let variance = cov[0];
            return cov[0] = bounded(cov[0] / variance);
        }
        let deviations: Vec<T> = (0..rows).map(|k| cov[k * rows + k].root()).collect();
        each(cov, rows, rows, |row, line| {
            line.iter_mut().zip(&deviations).for_each(|(x, other)| *x = bounded(*x / deviations[row] / *other));
        });
    })?;
    Ok(cov)
}

/// Into [-1, 1]; NaN stays.
fn bounded<T: Float>(x: T) -> T {
    let one = T::one();
    if x > one {
        one
    } else if x < -one {
        -one
    } else {
        x
    }
}

/// Powers of the elements of a vector, side by side.
pub(super) fn vander(args: &Args) -> Result<Option<Value>> {
    let (x, n, increasing): (Tensor, Option<i64>, bool) = args.take()?;
    if x.ndim() != 1 || !is_plain(&x) || n.is_some_and(|n| n < 1) {
        return Ok(None);
    }
    by_float!(x, powers(&x, n.unwrap_or(x.numel()), increasing)).map(Some)
}

fn powers<T: Element + Float>(x: &Tensor, n: i64, increasing: bool) -> Result<Value> {
    let values = exec::read_vec::<T>(x)?;
    let wide = n as usize;
    let made = exec::made::<T>(&[x.numel(), n], |to| {
        each(to, wide, 4 * wide, |row, to| {
            // Products keep more digits than their dtype has.
            let (by, mut power) = (values[row].to_f64().unwrap_or(f64::NAN), 1.0);
            for k in 0..wide {
                to[if increasing { k } else { wide - 1 - k }] = number(power);
                power *= by;
            }
        });
    })?;
    Ok(made.into())
}

/// Distances between the rows of two matrices.
pub(super) fn cdist(args: &Args) -> Result<Option<Value>> {
    let (a, b, p): (Tensor, Tensor, f64) = args.take()?;
    let fits = a.ndim() == 2 && b.ndim() == 2 && a.sizes()[1] == b.sizes()[1] && a.dtype() == b.dtype();
    let way = match p {
        1.0 => Way::Sum,
        2.0 => Way::Squares,
        f64::INFINITY => Way::LargestNumber,
        _ => return Ok(None),
    };
    let by_products = match args.value(3) {
        Value::Str(mode) if mode.as_str() == "use_mm_for_euclid_dist_if_necessary" => fits && a.sizes()[0].max(b.sizes()[0]) > 25,
        Value::Str(mode) if mode.as_str() == "use_mm_for_euclid_dist" => true,
        Value::Str(mode) if mode.as_str() == "donot_use_mm_for_euclid_dist" => false,
        _ => return Ok(None),
    };
    if !fits || !is_plain(&a) || !is_plain(&b) {
        return Ok(None);
    }
    if way == Way::Squares && by_products {
        return by_float!(a, by_product(&a, &b)).map(Some);
    }
    by_float!(a, between(&a, &b, way)).map(Some)
}

fn between<T: Element + Lanes>(a: &Tensor, b: &Tensor, way: Way) -> Result<Value> {
    let (shape, wide) = ([a.sizes()[0], b.sizes()[0]], a.sizes()[1] as usize);
    let out = exec::read::<T, _>(a, |a| exec::read::<T, _>(b, |b| exec::made::<T>(&shape, |to| of_rows(a, b, wide, way, to))))???;
    Ok(out.into())
}

/// The roots of |a|² - 2ab + |b|², as one product.
fn by_product<T: Element + Float>(a: &Tensor, b: &Tensor) -> Result<Value> {
    let two = number::<T>(-2.0);
    let left = widened::<T>(a, |x| x * two, true)?;
    let right = widened::<T>(b, |x| x, false)?;
    let product = exec::matmul(&left, &right.alias(right.layout().transpose(0, 1)?)?)?;
    let wide = product.sizes()[1] as usize;
    exec::change::<T, _>(&product, |product| {
        each(product, wide, 2 * wide, |_, row| {
            row.iter_mut().for_each(|x| *x = if *x < T::zero() { T::zero() } else { x.sqrt() });
        });
    })?;
    Ok(product.into())
}

/// Rows that `f` changes, with the sum of their squares and 1 behind them, in this order or the other one.
fn widened<T: Element + Float>(x: &Tensor, f: impl Fn(T) -> T + Sync + Send, squares_first: bool) -> Result<Tensor> {
    let (rows, length) = (x.sizes()[0], x.sizes()[1]);
    let wide = length as usize;
    exec::read::<T, _>(x, |from| {
        let squares = exec::made::<T>(&[rows, length], |to| to.iter_mut().zip(from).for_each(|(to, x)| *to = *x * *x))?;
        let totals = exec::read_vec::<T>(&sums(&squares, 1)?)?;
        exec::made::<T>(&[rows, length + 2], |to| {
            for (row, to) in to.chunks_mut(wide + 2).enumerate() {
                to.iter_mut().zip(&from[row * wide..][..wide]).for_each(|(to, x)| *to = f(*x));
                let both = if squares_first { [totals[row], T::one()] } else { [T::one(), totals[row]] };
                to[wide..].copy_from_slice(&both);
            }
        })
    })?
}

/// The sum of trapezoids at even distances under a line.
pub(super) fn trapezoid(args: &Args) -> Result<Option<Value>> {
    let (y, dim): (Tensor, i64) = (args.get(0)?, args.get(2)?);
    let Some(dx) = args.value(1).as_number().filter(|_| matches!(args.value(1), Value::Int(_) | Value::Float(_))) else {
        return Ok(None);
    };
    if !is_plain(&y) || y.ndim() != 1 || !(-1..=0).contains(&dim) {
        return Ok(None);
    }
    by_float!(y, trapezoids(&y, dx.to_f64())).map(Some)
}

fn trapezoids<T: Element + Float>(y: &Tensor, dx: f64) -> Result<Value> {
    let total = exec::read_vec::<T>(&sums(y, 0)?)?[0];
    let layout = y.layout();
    let at = |place: i64| -> Result<T> {
        Ok(exec::read_vec::<T>(&y.alias(Layout::new(&[], &[], layout.offset + place * layout.strides[0]))?)?[0])
    };
    let ends = at(0)? + at(layout.sizes[0] - 1)?;
    let area = (total - ends * number(0.5)) * number(dx);
    Ok(exec::from_vec(&[area], &[])?.into())
}

/// The first half times the sigmoid of the second.
pub(super) fn glu(args: &Args) -> Result<Option<Value>> {
    let (x, dim): (Tensor, i64) = args.take()?;
    if !is_plain(&x) || x.ndim() == 0 || !(-(x.ndim() as i64)..x.ndim() as i64).contains(&dim) {
        return Ok(None);
    }
    let (layout, dim) = (x.layout(), wrap_dim(dim, x.ndim())?);
    if layout.sizes[dim] % 2 != 0 {
        return Ok(None);
    }
    let half = layout.sizes[dim] / 2;
    let part = |start: i64| x.alias(layout.narrow(dim as i64, start, half)?);
    let gate = apply("sigmoid", &[Operand::Tensor(part(half)?)])?;
    let both = [Operand::Tensor(part(0)?), Operand::Tensor(gate)];
    Ok(Some(super::pointwise::arithmetic::MUL.of("mul", &both, &[])?.into()))
}
