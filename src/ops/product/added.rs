//! Products of matrices that are added to a tensor.

use super::fit::{check_added, check_batches, check_vectors, multiplies, stretched};
use super::matrix::{column, mm_onto, outer_of, row};
use crate::dtype::{DType, Number, promote};
use crate::kernel::follows_intel;
use crate::kernel::matmul::BATCHED;
use crate::kernel::order::output_layout;
use crate::layout::{Dims, Layout};
use crate::ops::exec;
use crate::ops::in_place::require_target;
use crate::ops::map::{Map, elementwise};
use crate::ops::pointwise::arithmetic::MUL;
use crate::ops::{Args, Operand};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use num_complex::Complex;

const BLEND: Map = elementwise!(addmm(x, p, beta, alpha), Promote, "beta * x + alpha * p";
    integer: beta.wrapping_mul(x).wrapping_add(alpha.wrapping_mul(p)); float: beta.mul_add(x, alpha * p); complex: beta * x + alpha * p);
/// As [`BLEND`], of a small batch: each product is rounded.
const BLEND_SMALL: Map = elementwise!(baddbmm(x, p, beta, alpha), Promote, "beta * x + alpha * p";
    integer: beta.wrapping_mul(x).wrapping_add(alpha.wrapping_mul(p)); float: beta * x + alpha * p; complex: beta * x + alpha * p);
const SCALE: Map =
    elementwise!(addmm(p, alpha), Promote, "alpha * p"; integer: alpha.wrapping_mul(p); float: alpha * p; complex: alpha * p);

/// A product that may be [added](exec::matmul_onto) while it is made.
type Onto = fn(&Tensor, &Tensor, exec::Added) -> Result<(Tensor, bool)>;

/// What happens to the matrices that two batches give.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Batches {
    /// There are none.
    None,
    /// Each stays.
    Stay,
    /// They are added up.
    Add,
}

/// `beta * self + alpha * product`. With a beta of 0, `self` does not count, not even its NaN.
pub(super) fn add_product(args: &Args, product: Onto, batches: Batches) -> Result<Value> {
    let (x, a, b, beta, alpha): (Tensor, Tensor, Tensor, Number, Number) = args.take()?;
    check_added(args.op.name(), args.inplace, &x, &a, &b)?;
    if args.inplace && args.op.name() == "addmm" {
        require_target(&x, &[a.sizes()[0], b.sizes()[1]])?;
    }
    if args.op.name() == "addmm"
        && let Some(sum) = scaled_first([&x, &a, &b], [beta, alpha])?
    {
        return Ok(exec::contiguous(&sum)?.into());
    }
    let dtype = a.dtype();
    // Floats of 16 bits and less are rounded once, when all is added.
    let wide = if is_half(dtype) || dtype.is_float8() { DType::F32 } else { dtype };
    let turned = columns_lie_in_order(&a.layout());
    let (a, b) = (exec::cast(&a, wide)?, exec::cast(&b, wide)?);
    let is_plain = x.dtype() == wide && [beta, alpha].iter().all(|factor| factor.to_complex() == Complex::ONE);
    let added = |sizes: &[i64]| stretched(&x, sizes);
    let result = match batches {
        Batches::Add => check_batches(&a, &b).map(|()| None)?,
        _ => Some(product(&a, &b, is_plain.then_some(&added))?),
    };
    if let Some((sum, true)) = result {
        return Ok(sum.into());
    }
    let name = args.op.name();
    let sizes = match &result {
        Some((product, _)) => product.sizes(),
        None => Dims::from_slice(&[a.sizes()[1], b.sizes()[2]]),
    };
    if let Some(scaled) = without_product(name, (&x, &a, &sizes), beta, dtype)? {
        return Ok(scaled.into());
    }
    if let (Some((product, _)), "addmv", true) = (&result, name, is_half(dtype)) {
        [beta, alpha].into_iter().try_for_each(|number| exec::check_fits(number, dtype))?;
        return add_half_vector(&x, product, [beta, alpha].map(|by| by.cast(dtype)), turned).map(Value::from);
    }
    let (beta, alpha) = (factor(beta, wide)?, factor(alpha, wide)?);
    let small = batches == Batches::Stay && multiplications(&a, &b) < BATCHED as i64;
    let blend = if small { BLEND_SMALL } else { BLEND };
    // The routines behind these do not look at matrices that are taken no times.
    let has_routine = match name {
        "addmv" => matches!(dtype, DType::F32 | DType::F64),
        _ => matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128) && !small,
    };
    let unread = has_routine && alpha.to_complex().norm() == 0.0;
    let add = |x: &Tensor, product: Tensor, beta: Number| {
        let product = if unread { exec::zeros(&product.sizes(), dtype, product.device())? } else { product };
        let stretched = stretched(&exec::cast(x, wide)?, &product.sizes())?;
        let sum = match beta.to_complex() {
            zero if zero.norm() == 0.0 => SCALE.of(name, &[Operand::Tensor(product)], &[alpha]),
            _ => blend.of(name, &[Operand::Tensor(stretched), Operand::Tensor(product)], &[beta, alpha]),
        };
        exec::cast(&sum?, dtype)
    };
    if batches == Batches::Add {
        multiplies(&a)?;
    }
    if let Some((result, _)) = result {
        // The routines behind these write row by row, whatever the order of `self` is.
        return Ok(exec::contiguous(&add(&x, result, beta)?)?.into());
    }
    // Each is a product of its own, which rounds otherwise than one of a batch, and begins with what is there.
    let step = |total: &Tensor, place: i64, beta: Number| {
        let (left, right) = (a.alias(a_place(&a.layout(), place))?, b.alias(a_place(&b.layout(), place))?);
        if let Some(sum) = scaled_first([total, &left, &right], [beta, alpha])? {
            return Ok(sum);
        }
        let is_plain = total.dtype() == wide && [beta, alpha].iter().all(|factor| factor.to_complex() == Complex::ONE);
        let added = |sizes: &[i64]| stretched(total, sizes);
        match mm_onto(&left, &right, is_plain.then_some(&added))? {
            (sum, true) => Ok(sum),
            (product, false) => add(total, product, beta),
        }
    };
    let mut total = step(&x, 0, beta)?;
    for place in 1..a.sizes()[0] {
        total = step(&total, place, Number::Int(1))?;
    }
    Ok(exec::contiguous(&total)?.into())
}

/// What the factor of a product is multiplied with.
enum Scaled {
    Left,
    Right,
    Product,
}

/// What that is in PyTorch's library on processors that are not Intel's, by the sizes of the matrices and how the second one lies; none
/// where it is taken otherwise.
fn scaled(a: &Layout, b: &Layout, dtype: DType) -> Option<Scaled> {
    /// As many columns are not few.
    const MANY: i64 = 12;
    let (rows, columns) = (a.sizes[0], b.sizes[1]);
    let is_few = rows <= 3 || columns < MANY;
    match dtype {
        _ if follows_intel() => None,
        DType::F32 | DType::F64 if columns == 1 => Some(Scaled::Product),
        DType::F32 | DType::F64 if is_few && b.strides[1] == 1 => Some(Scaled::Left),
        DType::F32 | DType::F64 if is_few => Some(Scaled::Product),
        DType::F32 => Some(Scaled::Right),
        _ => None,
    }
}

/// `beta * x + alpha * (a @ b)` where both factors are taken before matrices are multiplied, or where each step is rounded; none
/// where it is done in other ways.
fn scaled_first([x, a, b]: [&Tensor; 3], [beta, alpha]: [Number; 2]) -> Result<Option<Tensor>> {
    let is_one = |by: Number| by.to_complex() == Complex::ONE;
    let is_other = is_one(beta) && is_one(alpha) || alpha.to_complex().norm() == 0.0 || x.dtype() != a.dtype();
    let fits = [a, b].iter().all(|t| t.ndim() == 2 && t.numel() > 0) && a.dtype() == b.dtype() && a.sizes()[1] == b.sizes()[0];
    let found = if fits && !is_other { scaled(&a.layout(), &b.layout(), a.dtype()) } else { None };
    let Some(scaled) = found else { return Ok(None) };
    let (beta, alpha) = (factor(beta, a.dtype())?, factor(alpha, a.dtype())?);
    let times = |t: &Tensor, by: Number| match is_one(by) {
        true => Ok(t.clone()),
        false => SCALE.of("addmm", &[Operand::Tensor(t.clone())], &[by]),
    };
    let (left, right) = match scaled {
        Scaled::Left => (times(a, alpha)?, b.clone()),
        Scaled::Right => (a.clone(), times(b, alpha)?),
        Scaled::Product => (a.clone(), b.clone()),
    };
    let rest = if matches!(scaled, Scaled::Product) { alpha } else { Number::Int(1) };
    if beta.to_complex().norm() == 0.0 {
        return times(&mm_onto(&left, &right, None)?.0, rest).map(Some);
    }
    let sizes = [a.sizes()[0], b.sizes()[1]];
    let base = times(&stretched(x, &sizes)?, beta)?;
    let added = |_: &[i64]| Ok(base.clone());
    Ok(Some(match mm_onto(&left, &right, is_one(rest).then_some(&added))? {
        (sum, true) => sum,
        (product, false) => {
            BLEND_SMALL.of("addmm", &[Operand::Tensor(base), Operand::Tensor(product)], &[Number::Int(1), rest])?
        }
    }))
}

/// True for 16-bit floats.
fn is_half(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

/// True for a matrix whose columns lie one after the other, which is multiplied by a vector column by column.
fn columns_lie_in_order(matrix: &Layout) -> bool {
    match (&matrix.sizes[..], &matrix.strides[..]) {
        (&[rows, columns], &[1, step]) => columns == 1 || step >= rows.max(1),
        _ => false,
    }
}

/// `beta * x + alpha * product` of a vector of 16-bit floats and a product in float32. What is added is rounded first, and so is a
/// product that was taken column by column; rows of float16 that are taken once are added to in one step.
fn add_half_vector(x: &Tensor, product: &Tensor, [beta, alpha]: [Number; 2], turned: bool) -> Result<Tensor> {
    let dtype = x.dtype();
    let scaled = |t: &Tensor, by: Number, is_rounded: bool| {
        let made = SCALE.of("addmv", &[Operand::Tensor(exec::cast(t, DType::F32)?)], &[by])?;
        if is_rounded { exec::cast(&exec::cast(&made, dtype)?, DType::F32) } else { Ok(made) }
    };
    let product = scaled(product, alpha, turned)?;
    if beta.to_complex().norm() == 0.0 {
        return exec::cast(&product, dtype);
    }
    let at_once = dtype == DType::F16 && alpha.to_complex() == Complex::ONE;
    let added = scaled(&stretched(x, &product.sizes())?, beta, turned || !at_once)?;
    let sum = BLEND.of("addmv", &[Operand::Tensor(added), Operand::Tensor(product)], &[Number::Int(1); 2])?;
    exec::contiguous(&exec::cast(&sum, dtype)?)
}

/// `beta * self` where nothing is multiplied, which does not look at `alpha`; none where something is.
fn without_product(name: &str, (x, a, sizes): (&Tensor, &Tensor, &[i64]), beta: Number, dtype: DType) -> Result<Option<Tensor>> {
    let no_batches = name == "addbmm" && a.sizes()[0] == 0;
    let dtype = if no_batches { x.dtype() } else { dtype };
    let is_vector = name == "addmv";
    let is_empty = sizes.contains(&0) && !no_batches && !is_vector;
    let nothing = no_batches || a.sizes().last() == Some(&0) || is_vector && a.numel() == 0;
    if !is_empty && !nothing {
        return Ok(None);
    }
    let stretched = stretched(&exec::cast(x, dtype)?, sizes)?;
    // A vector is scaled as it is.
    let added = if is_vector { exec::cast(x, dtype)? } else { stretched };
    // From the second matrix on, the sum is taken once.
    if name == "addbmm" && a.sizes()[0] > 1 && !is_empty {
        exec::require_cast(if dtype == DType::Bool { DType::I64 } else { dtype }, dtype)?;
    }
    if is_empty || beta.to_complex().norm() == 0.0 {
        return exec::zeros(sizes, dtype, x.device()).map(Some);
    }
    let beta = if is_vector { factor(beta, dtype)? } else { beta };
    let beta = if is_half(dtype) { beta.cast(dtype) } else { beta };
    let scaled = MUL.of(name, &[Operand::Tensor(added), Operand::Number(beta)], &[])?;
    if !is_vector {
        exec::require_cast(scaled.dtype(), dtype)?;
    }
    let scaled = exec::contiguous(&exec::cast(&scaled, dtype)?)?;
    let layout = scaled.layout();
    scaled.alias(Layout { offset: layout.offset, ..Layout::contiguous(&layout.sizes) }).map(Some)
}

/// How many multiplications one product of two batches takes.
fn multiplications(a: &Tensor, b: &Tensor) -> i64 {
    a.sizes()[1..].iter().product::<i64>() * b.sizes()[2]
}

/// One matrix of a batch.
fn a_place(batch: &Layout, place: i64) -> Layout {
    Layout::new(&batch.sizes[1..], &batch.strides[1..], batch.offset + place * batch.strides[0])
}

/// `beta * self + alpha * outer(vec1, vec2)`, which promotes as elementwise operations do.
pub(super) fn addr(args: &Args) -> Result<Value> {
    let (x, a, b, beta, alpha): (Tensor, Tensor, Tensor, Number, Number) = args.take()?;
    check_vectors("addr", [("vec1", &a), ("vec2", &b)])?;
    if args.inplace {
        check_target(&x, &a, &b)?;
        exec::refuse_partial(&x, &a).and_then(|()| exec::refuse_partial(&x, &b))?;
    }
    let product = outer_of(&a, &b)?;
    let dtype = promote(x.dtype(), product.dtype()).unwrap_or(product.dtype());
    let (sizes, added) = (product.sizes(), stretched(&x, &product.sizes())?);
    let order = output_layout(&sizes, &[&added.layout(), &column(&a)?.layout(), &row(&b)?.layout()]);
    let stretched = Operand::Tensor(added);
    for (name, number) in [("beta", beta), ("alpha", alpha)] {
        if dtype.is_integral(true) && matches!(number, Number::Float(_) | Number::Complex(_)) {
            fault!(RuntimeError, "For integral input tensors, argument {name} must not be a floating point number.");
        }
        if dtype != DType::Bool && matches!(number, Number::Bool(_)) {
            fault!(RuntimeError, "Boolean {name} only supported for Boolean results.");
        }
    }
    [beta, alpha].into_iter().try_for_each(|number| exec::check_fits(number, dtype))?;
    // 16-bit floats are rounded after every step, and so are the factors.
    let in_steps = matches!(dtype, DType::F16 | DType::BF16);
    let [beta, alpha] = [beta, alpha].map(|number| if in_steps { number.cast(dtype) } else { number });
    let [left, right] = [exec::cast(&column(&a)?, dtype)?, exec::cast(&row(&b)?, dtype)?];
    let scaled = SCALE.of("addr", &[Operand::Tensor(left)], &[alpha])?;
    let product = Operand::Tensor(MUL.of("addr", &[Operand::Tensor(scaled), Operand::Tensor(right)], &[])?);
    let total = match (beta.to_complex(), product) {
        (zero, Operand::Tensor(product)) if zero.norm() == 0.0 => exec::cast(&product, dtype)?,
        (_, product) if in_steps => {
            let added = SCALE.of("addr", &[stretched], &[beta])?;
            BLEND.of("addr", &[Operand::Tensor(added), product], &[Number::Int(1); 2])?
        }
        (_, product) => BLEND.of("addr", &[stretched, product], &[beta, Number::Int(1)])?,
    };
    // A step over no rows has no length.
    let strides = if a.numel() == 0 && b.numel() == 1 { Dims::from_slice(&[1, 0]) } else { order.strides };
    if total.layout().strides == strides {
        return Ok(total.into());
    }
    let laid = exec::empty_strided(&sizes, &strides, dtype, total.device())?;
    exec::copy(&laid, &total)?;
    Ok(laid.into())
}

/// Fails with a `RuntimeError` unless a tensor has the sizes of the outer product that is written into it.
fn check_target(x: &Tensor, a: &Tensor, b: &Tensor) -> Result<()> {
    let (sizes, rows, columns) = (x.sizes(), a.sizes(), b.sizes());
    if sizes.len() != 2 {
        fault!(RuntimeError, "2D tensor expected, got {}D tensor for input", sizes.len());
    }
    if sizes[..] != [rows[0], columns[0]] {
        fault!(
            RuntimeError,
            "size mismatch, input: {:?}, v1: {:?}, v2: {:?}",
            sizes.as_slice(),
            rows.as_slice(),
            columns.as_slice()
        );
    }
    Ok(())
}

/// A factor of a product in the product's dtype: an integer product drops what follows the point. Fails with a `RuntimeError` on
/// one that the dtype does not hold.
fn factor(number: Number, dtype: DType) -> Result<Number> {
    exec::check_fits(number, dtype)?;
    Ok(match number {
        Number::Float(value) if dtype.is_integral(true) => Number::Int(value as i64),
        other => other,
    })
}
