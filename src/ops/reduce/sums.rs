//! Sums, means, products, and how many elements are not zero.

use super::plain_norm::{is_line, lines};
use super::{dims, dims_in_turn, fold, reduced_sizes};
use crate::device::DeviceId;
use crate::dtype::{DType, Number, can_cast};
use crate::kernel::element::Element;
use crate::kernel::fold::{ALL, ANY, Fold, MEAN, PROD, SUM};
use crate::kernel::scalar::Scalar;
use crate::layout::{Dims, Layout};
use crate::ops::exec::{self, Reduction};
use crate::ops::map::{Map, elementwise};
use crate::ops::pointwise::blend::finite_numbers;
use crate::ops::pointwise::complex::{divide, fused_product};
use crate::ops::{Args, Operand};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use num_complex::Complex;
use num_traits::Float;

const WITHOUT_NAN: &Scalar =
    const { &crate::scalar! { nansum(a), Promote, "a != a ? 0 : a"; integer: a; float: if a.is_nan() { 0.0 } else { a } } };
const IS_NUMBER: Map = elementwise!(nanmean(a), Truth, "a == a"; float => bool: !a.is_nan());
const SHARE: Map = elementwise!(mean(a, n), Promote, "a / n"; float: a / n; complex: divide(a, n));
const DIVIDE: Map = elementwise!(nanmean(a, b), Float, "a / b"; float: a / b);

/// The dtype to compute in, as it is asked for; dimensions are looked at before it.
fn asked_dtype(args: &Args, x: &Tensor, dim: Option<&[i64]>, dtype: Option<DType>) -> Result<Option<DType>> {
    dims(x, dim)?;
    args.asked_dtype(dtype)
}

type Taken = (Tensor, Option<Dims>, bool, Option<DType>);

/// The dtype sums are computed in: as asked, else int64 for integers and bools.
fn sum_dtype(x: &Tensor, dtype: Option<DType>) -> DType {
    dtype.unwrap_or(if x.dtype().is_integral(true) { DType::I64 } else { x.dtype() })
}

fn along(what: &'static Fold, x: &Tensor, dim: Option<&[i64]>, keepdim: bool, dtype: DType) -> Result<Value> {
    Ok(fold(&Reduction::new(what, dtype), x, &dims(x, dim)?, keepdim)?.into())
}

pub(super) fn sum(args: &Args) -> Result<Value> {
    let (x, dtype): (Tensor, Option<DType>) = args.take()?;
    along(&SUM, &x, None, false, sum_dtype(&x, args.asked_dtype(dtype)?))
}

pub(super) fn sum_along(args: &Args) -> Result<Value> {
    let (x, dim, keepdim, dtype): Taken = args.take()?;
    along(&SUM, &x, dim.as_deref(), keepdim, sum_dtype(&x, asked_dtype(args, &x, dim.as_deref(), dtype)?))
}

pub(super) fn nansum(args: &Args) -> Result<Value> {
    let (x, dim, keepdim, dtype): Taken = args.take()?;
    if let Some(dtype) = dtype.filter(|dtype| dtype.is_integral(true) && !x.dtype().is_complex()) {
        // What becomes integers is finite first.
        let x = if x.dtype().is_float() { finite_numbers(&x, [None; 3])? } else { x };
        let asked = asked_dtype(args, &x, dim.as_deref(), Some(dtype))?;
        return along(&SUM, &x, dim.as_deref(), keepdim, asked.unwrap_or(dtype));
    }
    let (dims, dtype) = (dims_in_turn(&x, dim.as_deref())?, sum_dtype(&x, args.asked_dtype(dtype)?));
    Ok(sum_of_numbers(&x, &dims, keepdim, dtype)?.into())
}

/// The sum of what is not NaN; integers have none.
fn sum_of_numbers(x: &Tensor, dims: &[usize], keepdim: bool, dtype: DType) -> Result<Tensor> {
    if x.dtype().is_complex() {
        fault!(NotImplementedError, "nansum on CPU does not support complex inputs");
    }
    if x.dtype().is_integral(true) {
        return fold(&Reduction::new(&SUM, dtype), x, dims, keepdim);
    }
    if x.numel() == 0 {
        return fold(&Reduction::new(&SUM, dtype), x, dims, keepdim);
    }
    if !dtype.is_float() {
        fault!(NotImplementedError, "\"nansum_cpu\" not implemented for '{}'", dtype.title());
    }
    let what = Reduction { first: Some((WITHOUT_NAN, &[])), ..Reduction::new(&SUM, dtype) };
    fold(&what, x, dims, keepdim)
}

/// The dtype of a mean. Fails with a `NotImplementedError` for integers.
fn mean_dtype(x: &Tensor, dtype: Option<DType>) -> Result<DType> {
    let (whose, dtype) = if let Some(dtype) = dtype { ("Optional", dtype) } else { ("Input", x.dtype()) };
    if dtype.is_integral(true) {
        fault!(
            NotImplementedError,
            "mean(): could not infer output dtype. {whose} dtype must be either a floating point or complex dtype. Got: {}",
            dtype.title()
        );
    }
    Ok(dtype)
}

pub(super) fn mean(args: &Args) -> Result<Value> {
    let (x, dtype): (Tensor, Option<DType>) = args.take()?;
    if let Some(out) = args.target().filter(|out| !can_cast(x.dtype(), out.dtype())) {
        let to = out.dtype().title();
        fault!(RuntimeError, "mean.dtype_out(): input types can't be cast to the desired output type {to}");
    }
    mean_of(args, &x, None, false, dtype)
}

pub(super) fn mean_along(args: &Args) -> Result<Value> {
    let (x, dim, keepdim, dtype): Taken = args.take()?;
    mean_of(args, &x, dim.as_deref(), keepdim, dtype)
}

fn mean_of(args: &Args, x: &Tensor, dim: Option<&[i64]>, keepdim: bool, asked: Option<DType>) -> Result<Value> {
    let dtype = mean_dtype(x, asked)?;
    if asked.is_some() {
        asked_dtype(args, x, dim, asked)?;
    }
    if dtype.is_complex() {
        // A complex quotient, of which no part is finite where one is not.
        let dims = dims(x, dim)?;
        let sum = fold(&Reduction::new(&SUM, dtype), x, &dims, keepdim)?;
        let sizes = x.sizes();
        let count: i64 = dims.iter().map(|d| sizes[*d]).product();
        return Ok(SHARE.of("mean", &[Operand::Tensor(sum)], &[Number::Int(count)])?.into());
    }
    if matches!(dtype, DType::F16 | DType::BF16) && x.dtype() != dtype {
        // Wider elements are not rounded before they are added.
        let wide = exec::cast(x, DType::F32)?;
        let mean = fold(&Reduction::new(&MEAN, DType::F32), &wide, &dims(x, dim)?, keepdim)?;
        return Ok(exec::cast(&mean, dtype)?.into());
    }
    along(&MEAN, x, dim, keepdim, dtype)
}

pub(super) fn nanmean(args: &Args) -> Result<Value> {
    let (x, dim, keepdim, dtype): Taken = args.take()?;
    if x.dtype().is_integral(true) {
        if args.target().is_some() {
            fault!(
                NotImplementedError,
                "nanmean(): integral types and 'Bool' are not supported for nanmean, even for empty tensors."
            );
        }
        let title = x.dtype().title();
        fault!(NotImplementedError, "nanmean(): expected input to have floating point or complex dtype but got {title}");
    }
    if let Some(dtype) = dtype.filter(|d| d.is_integral(true)) {
        fault!(
            RuntimeError,
            "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: {}",
            dtype.title()
        );
    }
    let dims = dims(&x, dim.as_deref())?;
    let sum = sum_of_numbers(&x, &dims, keepdim, dtype.unwrap_or(x.dtype()))?;
    let numbers = IS_NUMBER.of("isnan", &[Operand::Tensor(x.clone())], &[])?;
    let count = fold(&Reduction::new(&SUM, DType::I64), &numbers, &dims, keepdim)?;
    let count = exec::cast(&count, sum.dtype())?;
    Ok(DIVIDE.of("nanmean", &[Operand::Tensor(sum), Operand::Tensor(count)], &[])?.into())
}

pub(super) fn prod(args: &Args) -> Result<Value> {
    let (x, dtype): (Tensor, Option<DType>) = args.take()?;
    product(&x, None, false, sum_dtype(&x, args.asked_dtype(dtype)?))
}

pub(super) fn prod_along(args: &Args) -> Result<Value> {
    let (x, dim, keepdim, dtype): (Tensor, i64, bool, Option<DType>) = args.take()?;
    product(&x, Some(&[dim]), keepdim, sum_dtype(&x, asked_dtype(args, &x, Some(&[dim]), dtype)?))
}

fn product(x: &Tensor, dim: Option<&[i64]>, keepdim: bool, dtype: DType) -> Result<Value> {
    if let Some(product) = product_in_turn(x, dim, keepdim, dtype)? {
        return Ok(product.into());
    }
    if !matches!(dtype, DType::F16 | DType::BF16) || x.numel() == 0 || x.device() != DeviceId::Cpu {
        return along(&PROD, x, dim, keepdim, dtype);
    }
    let x = exec::cast(x, dtype)?;
    let dims = dims(&x, dim)?;
    let sizes = reduced_sizes(&x, &dims, keepdim);
    // Rows of what is multiplied; those that lie in memory are multiplied as lanes.
    let layout = x.layout();
    let (rows, lie) = if dims.len() == layout.ndim() && layout.is_dense() {
        (x.alias(Layout { offset: layout.offset, ..Layout::contiguous(&[x.numel()]) })?, true)
    } else if let [only] = dims[..] {
        (x.alias(layout.movedim(&[only as i64], &[-1])?)?, layout.strides[only] == 1)
    } else {
        (x.clone(), false)
    };
    let count = x.numel() as usize / sizes.iter().product::<i64>().max(1) as usize;
    let elements: Vec<f32> = exec::read_vec(&rows)?;
    let round: fn(f32) -> f32 = match dtype {
        DType::F16 => |v| half::f16::from_f32(v).to_f32(),
        _ => |v| half::bf16::from_f32(v).to_f32(),
    };
    let products: Vec<f32> = elements.chunks(count.max(1)).map(|row| rounded_product(row, lie, round)).collect();
    Ok(exec::cast(&exec::from_vec(&products, &sizes)?, dtype)?.into())
}

/// Products of so few complex numbers that no vectors are filled: one after the other, which gives zeros their signs.
fn product_in_turn(x: &Tensor, dim: Option<&[i64]>, keepdim: bool, dtype: DType) -> Result<Option<Tensor>> {
    let least = match dtype {
        DType::C64 => 16,
        DType::C128 => 8,
        _ => return Ok(None),
    };
    let dims = dims(x, dim)?;
    let length: i64 = dims.iter().map(|d| x.sizes()[*d]).product();
    if !(1..least).contains(&length) || x.device() != DeviceId::Cpu {
        return Ok(None);
    }
    let (rows, sizes) = (lines(&exec::cast(x, dtype)?, &dims)?, reduced_sizes(x, &dims, keepdim));
    let lie = is_line(x, &dims);
    Ok(Some(match dtype {
        DType::C64 => exec::from_vec(&multiplied::<f32>(&rows, length as usize, lie)?, &sizes)?,
        _ => exec::from_vec(&multiplied::<f64>(&rows, length as usize, lie)?, &sizes)?,
    }))
}

/// The products of lines. Of those that lie in memory, parts of products are added without being rounded.
fn multiplied<F: Float>(rows: &Tensor, length: usize, lie: bool) -> Result<Vec<Complex<F>>>
where
    Complex<F>: Element,
{
    let elements: Vec<Complex<F>> = exec::read_vec(rows)?;
    let times = |product: Complex<F>, x: &Complex<F>| if lie { fused_product(product, *x) } else { product * *x };
    let one = Complex::new(F::one(), F::zero());
    Ok(elements.chunks(length).map(|row| row.iter().fold(one, times)).collect())
}

/// The product of a row, rounded after each factor: four times 16 lanes of a row that lies in memory, then one after the other.
fn rounded_product(row: &[f32], lie: bool, round: fn(f32) -> f32) -> f32 {
    const LANES: usize = 16;
    let whole = if lie { row.len() - row.len() % (4 * LANES) } else { 0 };
    let (wide, rest) = row.split_at(whole);
    let mut lanes = [[1f32; LANES]; 4];
    for block in wide.chunks_exact(4 * LANES) {
        for (lane, factors) in lanes.iter_mut().zip(block.chunks_exact(LANES)) {
            lane.iter_mut().zip(factors).for_each(|(l, f)| *l = round(*l * f));
        }
    }
    let joined = (0..LANES).map(|i| round(round(lanes[0][i] * lanes[1][i]) * round(lanes[2][i] * lanes[3][i])));
    joined.chain(rest.iter().copied()).fold(1.0, |product, factor| round(product * factor))
}

/// any and all: bool, and uint8 for uint8. An empty list of dimensions reduces nothing.
fn truth(what: &'static Fold, args: &Args) -> Result<Value> {
    let (x, dim, keepdim): (Tensor, Option<Dims>, bool) = args.take()?;
    let result = if x.dtype() == DType::U8 { DType::U8 } else { DType::Bool };
    if let Some(out) = args.target().filter(|_| !args.inplace) {
        crate::ops::out::check(args, result, &out)?;
    }
    let reduction = Reduction { results: [result, result], ..Reduction::new(what, DType::Bool) };
    let dims = match dim.as_deref() {
        Some([]) => vec![],
        named => dims(&x, named)?,
    };
    Ok(fold(&reduction, &x, &dims, keepdim)?.into())
}

pub(super) fn any(args: &Args) -> Result<Value> {
    truth(&ANY, args)
}

pub(super) fn all(args: &Args) -> Result<Value> {
    truth(&ALL, args)
}

pub(super) fn count_nonzero(args: &Args, dim: Option<Dims>) -> Result<Value> {
    let x: Tensor = args.get(0)?;
    let truth = exec::cast(&x, DType::Bool)?;
    along(&SUM, &truth, dim.as_deref(), false, DType::I64)
}
