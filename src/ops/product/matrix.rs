//! Products of vectors and matrices.

use super::fit::{check_added, check_batches, check_matrices, check_vector, has_kernel, same_dtype, stretched};
use crate::device::DeviceId;
use crate::dtype::{DType, Number, promote};
use crate::kernel::fold::{ANY, SUM};
use crate::kernel::matmul::BATCHED;
use crate::layout::{Dims, Layout, broadcast_sizes, wrap_dim};
use crate::ops::exec::{self, Reduction};
use crate::ops::map::{Map, elementwise};
use crate::ops::pointwise::arithmetic::MUL;
use crate::ops::{Args, Operand, call_function};
use crate::tensor::Tensor;
use crate::value::{Machine, Value};
use anyhow::Result;
use num_complex::Complex;

const MULTIPLY_LESS: Map = elementwise!(mul(a, b, c), Promote, "a * b - c"; float: a.mul_add(b, -c));
const SUBTRACT: Map = elementwise!(sub(a, b), Promote, "a - b"; integer: a.wrapping_sub(b); float: a - b; complex: a - b);
const BLEND: Map = elementwise!(addmm(x, p, beta, alpha), Promote, "beta * x + alpha * p";
    integer: beta.wrapping_mul(x).wrapping_add(alpha.wrapping_mul(p)); float: beta.mul_add(x, alpha * p); complex: beta * x + alpha * p);
/// As [`BLEND`], of a small batch: each product is rounded.
const BLEND_SMALL: Map = elementwise!(baddbmm(x, p, beta, alpha), Promote, "beta * x + alpha * p";
    integer: beta.wrapping_mul(x).wrapping_add(alpha.wrapping_mul(p)); float: beta * x + alpha * p; complex: beta * x + alpha * p);
const SCALE: Map =
    elementwise!(addmm(p, alpha), Promote, "alpha * p"; integer: alpha.wrapping_mul(p); float: alpha * p; complex: alpha * p);

fn with_layout(x: &Tensor, sizes: &[i64], strides: &[i64]) -> Result<Tensor> {
    x.alias(Layout::new(sizes, strides, x.layout().offset))
}

/// A vector as a matrix of one row.
fn row(v: &Tensor) -> Result<Tensor> {
    let layout = v.layout();
    with_layout(v, &[1, layout.sizes[0]], &[0, layout.strides[0]])
}

/// A vector as a matrix of one column.
fn column(v: &Tensor) -> Result<Tensor> {
    let layout = v.layout();
    with_layout(v, &[layout.sizes[0], 1], &[layout.strides[0], 0])
}

/// The matrix product of two matrices; `mm`.
pub(super) fn mm_of(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    Ok(mm_onto(a, b, None)?.0)
}

/// As [`mm_of`], perhaps [added](exec::matmul_onto).
pub(super) fn mm_onto(a: &Tensor, b: &Tensor, added: exec::Added) -> Result<(Tensor, bool)> {
    check_matrices("mm", a, b)?;
    same_dtype(a, b)?;
    exec::matmul_onto(a, b, added)
}

/// The product of a matrix and a vector; `mv`.
pub(super) fn mv_of(m: &Tensor, v: &Tensor) -> Result<Tensor> {
    Ok(mv_onto(m, v, None)?.0)
}

/// As [`mv_of`], perhaps [added](exec::matmul_onto).
pub(super) fn mv_onto(m: &Tensor, v: &Tensor, added: exec::Added) -> Result<(Tensor, bool)> {
    check_vector(None, m, v)?;
    has_kernel("addmv_impl_cpu", m)?;
    let rows = m.sizes()[0];
    let upright =
        |sizes: &[i64]| added.map_or_else(|| exec::zeros(sizes, m.dtype(), m.device()), |added| column(&added(&[rows])?));
    let (product, is_added) = exec::matmul_onto(m, &column(v)?, added.is_some().then_some(&upright))?;
    Ok((product.alias(Layout::contiguous(&[rows]))?, is_added))
}

/// As [`bmm_of`]; nothing is added.
pub(super) fn bmm_onto(a: &Tensor, b: &Tensor, _: exec::Added) -> Result<(Tensor, bool)> {
    Ok((bmm_of(a, b)?, false))
}

/// The products of two batches of matrices; `bmm`.
pub(super) fn bmm_of(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if a.numel().min(b.numel()) == 0 && a.dtype() != b.dtype() {
        // No elements are multiplied, and nobody looks at their dtypes.
        let a = exec::cast(a, b.dtype())?;
        check_batches(&a, b)?;
        return exec::matmul(&a, b);
    }
    check_batches(a, b)?;
    exec::matmul(a, b)
}

/// Fails with a `RuntimeError` unless both arguments are vectors.
fn check_vectors(function: &str, arguments: [(&str, &Tensor); 2]) -> Result<()> {
    for (name, v) in arguments {
        if v.ndim() != 1 {
            fault!(RuntimeError, "{function}: Expected 1-D argument {name}, but got {}-D", v.ndim());
        }
    }
    Ok(())
}

/// Every element of one vector with each of the other; `outer`.
pub(super) fn outer_of(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    check_vectors("outer", [("self", a), ("vec2", b)])?;
    let product = MUL.of("outer", &[Operand::Tensor(column(a)?), Operand::Tensor(row(b)?)], &[])?;
    // A step over no rows has no length.
    if a.numel() == 0 && b.numel() == 1 { with_layout(&product, &[0, 1], &[1, 0]) } else { Ok(product) }
}

pub(super) fn dot_of(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if a.ndim() != 1 || b.ndim() != 1 {
        fault!(RuntimeError, "1D tensors expected, but got {}D and {}D tensors", a.ndim(), b.ndim());
    }
    if a.dtype() != b.dtype() {
        fault!(
            RuntimeError,
            "dot : expected both vectors to have same dtype, but found {} and {}",
            a.dtype().title(),
            b.dtype().title()
        );
    }
    if a.numel() != b.numel() {
        fault!(
            RuntimeError,
            "inconsistent tensor size, expected tensor [{}] and src [{}] to have the same number of elements, but got {0} and {1} elements respectively",
            a.numel(),
            b.numel()
        );
    }
    if a.dtype() == DType::Bool {
        fault!(NotImplementedError, "\"dot\" not implemented for 'Bool'");
    }
    exec::matmul(&row(a)?, &column(b)?)?.alias(Layout::contiguous(&[]))
}

/// True for batches of matrices whose rows lie like those of one matrix, as which they are then multiplied.
fn is_one_matrix(layout: &Layout) -> bool {
    let (rows, row) = layout.sizes.split_at(layout.ndim() - 1);
    layout.sizes.contains(&0) || layout.view(&[rows.iter().product(), row[0]]).is_ok()
}

/// The `RuntimeError` for batches of matrices and what does not fit them: that of the product that would be computed.
fn refuse_batches(a: &Tensor, b: &Tensor, batches: i64) -> Result<()> {
    let (s, t) = (a.sizes(), b.sizes());
    let inner = s[s.len() - 1];
    match (s.len(), t.len()) {
        (3.., 1) if is_one_matrix(&a.layout()) => {
            let all: i64 = s[..s.len() - 1].iter().product();
            fault!(RuntimeError, "size mismatch, got input ({all}), mat ({all}x{inner}), vec ({})", t[0]);
        }
        (3.., 2) if is_one_matrix(&a.layout()) => {
            let all: i64 = s[..s.len() - 1].iter().product();
            fault!(RuntimeError, "mm: mat1 and mat2 shapes cannot be multiplied ({all}x{inner} and {}x{})", t[0], t[1]);
        }
        (1, 2) => {
            fault!(RuntimeError, "mm: mat1 and mat2 shapes cannot be multiplied (1x{inner} and {}x{})", t[0], t[1])
        }
        (1, n) if is_one_matrix(&b.layout().transpose(-2, -1)?) => {
            let all = t[..n - 2].iter().product::<i64>() * t[n - 1];
            fault!(RuntimeError, "size mismatch, got input ({all}), mat ({all}x{}), vec ({inner})", t[n - 2]);
        }
        (_, n) => fault!(
            RuntimeError,
            "Expected size for first two dimensions of batch2 tensor to be: [{batches}, {inner}] but got: [{batches}, {}].",
            t[n.saturating_sub(2)]
        ),
    }
}

/// `a @ b` for tensors of any number of dimensions.
pub(super) fn matmul_of(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (p, q) = (a.ndim(), b.ndim());
    if p == 0 || q == 0 {
        fault!(RuntimeError, "both arguments to matmul need to be at least 1D, but they are {p}D and {q}D");
    }
    match (p, q) {
        (1, 1) => return dot_of(a, b),
        (2, 2) => return mm_of(a, b),
        (2, 1) => return mv_of(a, b),
        _ => {}
    }
    let left = if p == 1 { row(a)? } else { a.clone() };
    let right = if q == 1 { column(b)? } else { b.clone() };
    let (s, t) = (left.sizes(), right.sizes());
    let (rows, inner) = (s[s.len() - 2], s[s.len() - 1]);
    let mut sizes = broadcast_sizes(&s[..s.len() - 2], &t[..t.len() - 2])?;
    if inner != t[t.len() - 2] {
        refuse_batches(a, b, sizes.iter().product())?;
    }
    if t.len() > 2 && a.dtype() != b.dtype() {
        fault!(RuntimeError, "expected scalar type {} but found {}", a.dtype().title(), b.dtype().title());
    }
    match q {
        1 => {}
        2 => same_dtype(&left, &right)?,
        _ if b.numel() == 0 => {}
        _ => has_kernel("bmm", a)?,
    }
    let product = match folded(a, b)? {
        Some(product) => product,
        None if a.dtype() != b.dtype() => {
            fault!(RuntimeError, "expected scalar type {} but found {}", a.dtype().title(), b.dtype().title())
        }
        None => exec::matmul(&left, &right)?,
    };
    if p > 1 {
        sizes.push(rows);
    }
    if q > 1 {
        sizes.push(t[t.len() - 1]);
    }
    product.alias(Layout::contiguous(&sizes))
}

/// Many matrices without gaps between them times one matrix or vector: one product, as PyTorch takes it. None where it is not so.
fn folded(a: &Tensor, b: &Tensor) -> Result<Option<Tensor>> {
    let (many, one) = match (a.ndim(), b.ndim()) {
        (3.., 1..=2) => (a.clone(), b),
        (1, 3..) => (b.alias(b.layout().transpose(-1, -2)?)?, a),
        _ => return Ok(None),
    };
    let layout = many.layout();
    let last = layout.ndim() - 1;
    if (0..last - 1).any(|k| layout.strides[k] != layout.strides[k + 1] * layout.sizes[k + 1]) {
        return Ok(None);
    }
    let rows = layout.sizes[..last].iter().product();
    let matrix = with_layout(&many, &[rows, layout.sizes[last]], &[layout.strides[last - 1], layout.strides[last]])?;
    Ok(Some(if one.ndim() == 1 { mv_of(&matrix, one)? } else { mm_of(&matrix, one)? }))
}

pub(super) fn inner_of(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if a.ndim() == 0 || b.ndim() == 0 {
        return MUL.of("inner", &[Operand::Tensor(a.clone()), Operand::Tensor(b.clone())], &[]);
    }
    let (s, t) = (a.sizes(), b.sizes());
    if s.last() != t.last() {
        fault!(
            RuntimeError,
            "inner() the last dimension must match on both input tensors but got shapes {:?} and {:?}",
            s.as_slice(),
            t.as_slice()
        );
    }
    if a.dtype() != b.dtype() {
        fault!(RuntimeError, "both inputs should have same dtype");
    }
    let inner = s[s.len() - 1];
    let matrix = |x: &Tensor, sizes: &[i64]| {
        let rows = sizes[..sizes.len() - 1].iter().product();
        exec::contiguous(x)?.alias(Layout { offset: exec::contiguous(x)?.layout().offset, ..Layout::contiguous(&[rows, inner]) })
    };
    let (left, right) = (matrix(a, &s)?, matrix(b, &t)?);
    if left.sizes()[0] == 1 && right.sizes()[0] == 1 && a.dtype() == DType::Bool {
        if a.layout().is_contiguous() && b.layout().is_contiguous() {
            fault!(NotImplementedError, "\"dot\" not implemented for 'Bool'");
        }
        let both = MUL.of("mul", &[Operand::Tensor(left), Operand::Tensor(right)], &[])?;
        let found = exec::fold(&Reduction::new(&ANY, DType::Bool), &both, &[0, 1], false)?;
        return found.first().unwrap_or(&both).alias(Layout::contiguous(&s[..s.len() - 1]));
    }
    same_dtype(&left, &right)?;
    let turned = with_layout(&right, &[inner, right.sizes()[0]], &[1, inner.max(1)])?;
    let sizes: Dims = s[..s.len() - 1].iter().chain(&t[..t.len() - 1]).copied().collect();
    exec::matmul(&left, &turned)?.alias(Layout::contiguous(&sizes))
}

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
    check_added(args.op.name(), &x, &a, &b)?;
    let dtype = a.dtype();
    let is_plain = x.dtype() == dtype && [beta, alpha].iter().all(|factor| factor.to_complex() == Complex::ONE);
    let added = |sizes: &[i64]| stretched(&x, sizes);
    let result = match batches {
        Batches::Add => check_batches(&a, &b).map(|()| None)?,
        _ => Some(product(&a, &b, is_plain.then_some(&added))?),
    };
    if let Some((sum, true)) = result {
        return Ok(sum.into());
    }
    let (beta, alpha) = (factor(beta, dtype)?, factor(alpha, dtype)?);
    let name = args.op.name();
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
        let stretched = stretched(x, &product.sizes())?;
        match beta.to_complex() {
            zero if zero.norm() == 0.0 => SCALE.of(name, &[Operand::Tensor(product)], &[alpha]),
            _ => blend.of(name, &[Operand::Tensor(stretched), Operand::Tensor(product)], &[beta, alpha]),
        }
    };
    if dtype == DType::Bool && name != "addmv" && (name == "addbmm" || beta.to_complex().norm() != 0.0) {
        fault!(RuntimeError, "result type Long can't be cast to the desired output type Bool");
    }
    if let Some((result, _)) = result {
        // The routines behind these write row by row, whatever the order of `self` is.
        return Ok(exec::contiguous(&add(&x, result, beta)?)?.into());
    }
    if a.sizes()[0] == 0 {
        let none = exec::zeros(&[a.sizes()[1], b.sizes()[2]], dtype, a.device())?;
        return Ok(add(&x, none, beta)?.into());
    }
    // Each is a product of its own, which rounds otherwise than one of a batch.
    let matrix = |place: i64| mm_of(&a.alias(a_place(&a.layout(), place))?, &b.alias(a_place(&b.layout(), place))?);
    let mut total = add(&x, matrix(0)?, beta)?;
    for place in 1..a.sizes()[0] {
        total = add(&total, matrix(place)?, Number::Int(1))?;
    }
    Ok(exec::contiguous(&total)?.into())
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
    let product = outer_of(&a, &b)?;
    let dtype = promote(x.dtype(), product.dtype()).unwrap_or(product.dtype());
    for (name, number) in [("alpha", alpha), ("beta", beta)] {
        if dtype.is_integral(true) && matches!(number, Number::Float(_)) {
            fault!(RuntimeError, "For integral input tensors, argument {name} must not be a floating point number.");
        }
        if dtype != DType::Bool && matches!(number, Number::Bool(_)) {
            fault!(RuntimeError, "Boolean {name} only supported for Boolean results.");
        }
        factor(number, dtype)?;
    }
    // 16-bit floats are rounded after every step, and so are the factors.
    let in_steps = matches!(dtype, DType::F16 | DType::BF16);
    let [beta, alpha] = [beta, alpha].map(|number| if in_steps { number.cast(dtype) } else { number });
    let stretched = Operand::Tensor(stretched(&x, &product.sizes())?);
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
    Ok(total.into())
}

/// A factor of a product in the product's dtype: an integer product drops what follows the point.
fn factor(number: Number, dtype: DType) -> Result<Number> {
    let wide = number.to_complex();
    let overflows = dtype.is_integral(false) && !(wide.re >= i64::MIN as f64 && wide.re <= i64::MAX as f64);
    if overflows || wide.im != 0.0 && !dtype.is_complex() {
        let kind = if dtype.is_integral(false) { "int64_t" } else { dtype.c_name() };
        fault!(RuntimeError, "value cannot be converted to type {kind} without overflow");
    }
    Ok(match number {
        Number::Float(value) if dtype.is_integral(true) => Number::Int(value as i64),
        other => other,
    })
}

pub(super) fn kron_of(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let dims = a.ndim().max(b.ndim());
    let padded = |x: &Tensor| -> Dims { std::iter::repeat_n(1, dims - x.ndim()).chain(x.sizes()).collect() };
    let (s, t) = (padded(a), padded(b));
    let interleave = |first: &Dims, second: &Dims| -> Dims { first.iter().zip(second).flat_map(|(p, q)| [*p, *q]).collect() };
    let ones = Dims::from_elem(1, dims);
    let spread = |x: &Tensor, sizes: Dims| -> Result<Operand> { Ok(Operand::Tensor(x.alias(x.layout().view(&sizes)?)?)) };
    let product = MUL.of("kron", &[spread(a, interleave(&s, &ones))?, spread(b, interleave(&ones, &t))?], &[])?;
    // A view, so that a product in another order is refused as in PyTorch.
    let sizes: Dims = s.iter().zip(&t).map(|(p, q)| p * q).collect();
    product.alias(product.layout().view(&sizes)?)
}

pub(super) fn trace(args: &Args) -> Result<Value> {
    let (x,): (Tensor,) = args.take()?;
    if x.dtype() == DType::Bool {
        fault!(NotImplementedError, "\"trace\" not implemented for 'Bool'");
    }
    if x.ndim() != 2 {
        fault!(RuntimeError, "trace: expected a matrix, but got tensor with dim {}", x.ndim());
    }
    let layout = x.layout();
    let length = layout.sizes[0].min(layout.sizes[1]);
    let diagonal = with_layout(&x, &[length], &[layout.strides[0] + layout.strides[1]])?;
    let dtype = if x.dtype().is_integral(true) { DType::I64 } else { x.dtype() };
    if matches!(dtype, DType::F32 | DType::F64) && x.device() == DeviceId::Cpu {
        // One after the other, in float64.
        let step = layout.sizes[1] as usize + 1;
        let total = match dtype {
            DType::F64 if layout.is_row_major() => {
                exec::read::<f64, _>(&x, |all| all.iter().step_by(step).take(length as usize).fold(0.0, |sum, x| sum + x))?
            }
            DType::F32 if layout.is_row_major() => exec::read::<f32, _>(&x, |all| {
                all.iter().step_by(step).take(length as usize).fold(0.0, |sum, x| sum + f64::from(*x))
            })?,
            _ => exec::read_vec::<f64>(&diagonal)?.iter().fold(0.0, |sum, x| sum + x),
        };
        return Ok(exec::number(Number::Float(total), dtype, DeviceId::Cpu)?.into());
    }
    let total = exec::fold(&Reduction::new(&SUM, dtype), &diagonal, &[0], false)?;
    Ok(Value::from(total.into_vec()).sequence().and_then(|v| v.into_iter().next()).unwrap_or(Value::None))
}

/// The product of one or more matrices.
pub(super) fn chain(args: &Args) -> Result<Value> {
    let (tensors,): (Vec<Tensor>,) = args.take()?;
    if let Some(other) = tensors.iter().find(|t| t.ndim() != 2) {
        fault!(RuntimeError, "Tensor dimension is {}, expected 2 instead.", other.ndim());
    }
    match tensors.as_slice() {
        [] => no_chain(args),
        [one] => Ok(exec::clone(one)?.into()),
        _ => multi_dot(args),
    }
}

pub(super) fn no_chain(_: &Args) -> Result<Value> {
    fault!(RuntimeError, "chain_matmul(): Expected one or more matrices")
}

/// The dot products along a dimension, with the conjugate of the first operand.
pub(super) fn vecdot(machine: &mut dyn Machine, args: &Args) -> Result<Value> {
    let (x, y, dim): (Tensor, Tensor, i64) = args.take()?;
    if x.dtype().is_integral(true) {
        let title = x.dtype().title();
        fault!(NotImplementedError, "linalg.vecdot: Expected a floating point or complex tensor as input. Got {title}");
    }
    if x.dtype() != y.dtype() {
        fault!(
            RuntimeError,
            "linalg.vecdot: Expected x and y to have the same dtype, but found x of type {} and y of type {} instead",
            x.dtype().title(),
            y.dtype().title()
        );
    }
    if let Some(out) = args.target().filter(|out| out.dtype() != x.dtype()) {
        let (wanted, found) = (x.dtype().title(), out.dtype().title());
        fault!(RuntimeError, "linalg.vecdot: Expected out of dtype{wanted} but found {found}");
    }
    // Of two vectors it is their dot product, whatever `dim` says.
    if x.ndim() == 1 && y.ndim() == 1 {
        return Ok(call_function(machine, "vdot", vec![x.into(), y.into()])?);
    }
    let x = call_function(machine, "conj", vec![x.into()])?;
    let products = call_function(machine, "mul", vec![x, y.into()])?;
    Ok(call_function(machine, "sum", vec![products, Value::Int(dim)])?)
}

pub(super) fn multi_dot(args: &Args) -> Result<Value> {
    let (tensors,): (Vec<Tensor>,) = args.take()?;
    if tensors.len() < 2 {
        fault!(RuntimeError, "multi_dot(): expected at least 2 tensors but got {}", tensors.len());
    }
    for (n, tensor) in tensors.iter().enumerate() {
        let inner = n > 0 && n + 1 < tensors.len();
        let place = match n {
            0 => "the first tensor".to_string(),
            _ if n + 1 == tensors.len() => "the last tensor".to_string(),
            _ => format!("tensor {n}"),
        };
        match tensor.ndim() {
            2 => {}
            1 if !inner => {}
            ndim if inner => fault!(RuntimeError, "multi_dot(): {place} must be 2D but got {ndim}D"),
            ndim => fault!(RuntimeError, "multi_dot(): {place} must be 1D or 2D but got {ndim}D"),
        }
    }
    for (n, pair) in tensors.windows(2).enumerate() {
        if pair[1].dtype() != tensors[0].dtype() {
            fault!(
                RuntimeError,
                "multi_dot(): all tensors must have be the same dtype but tensor 0 is {} and tensor {} {}",
                tensors[0].dtype().c_name(),
                n + 1,
                pair[1].dtype().c_name()
            );
        }
        let (a, b) = (pair[0].sizes(), pair[1].sizes());
        if a.last() != b.first() {
            let (a, b) = (a.as_slice(), b.as_slice());
            fault!(RuntimeError, "multi_dot(): tensors {n} and {} with shapes {a:?} and {b:?} cannot be multiplied", n + 1);
        }
    }
    Ok(cheapest(&tensors)?.into())
}

/// The product of matrices in the order that takes the fewest multiplications; of equal ones the one PyTorch takes.
fn cheapest(tensors: &[Tensor]) -> Result<Tensor> {
    if let [a, b] = tensors {
        return matmul_of(a, b);
    }
    let last = tensors.len() - 1;
    let mut sizes: Vec<i64> = tensors.iter().map(|t| t.sizes()[0]).collect();
    if tensors[0].ndim() == 1 {
        sizes[0] = 1;
    }
    sizes.push(if tensors[last].ndim() == 1 { 1 } else { tensors[last].sizes()[1] });
    if let [a, b, c] = tensors {
        let (left, right) = (sizes[0] * sizes[2] * (sizes[1] + sizes[3]), sizes[1] * sizes[3] * (sizes[0] + sizes[2]));
        return if left > right { matmul_of(a, &matmul_of(b, c)?) } else { matmul_of(&matmul_of(a, b)?, c) };
    }
    let count = tensors.len();
    let (mut cost, mut cut) = (vec![vec![0i64; count]; count], vec![vec![0usize; count]; count]);
    for length in 1..count {
        for first in 0..count - length {
            let end = first + length;
            cost[first][end] = i64::MAX;
            for k in first..end {
                let price = cost[first][k] + cost[k + 1][end] + sizes[first] * sizes[k + 1] * sizes[end + 1];
                if price < cost[first][end] {
                    (cost[first][end], cut[first][end]) = (price, k);
                }
            }
        }
    }
    part_of(tensors, &cut, 0, last)
}

/// The product of the matrices from `first` to `last`, cut where `cut` says.
fn part_of(tensors: &[Tensor], cut: &[Vec<usize>], first: usize, last: usize) -> Result<Tensor> {
    if first == last {
        return Ok(tensors[first].clone());
    }
    let at = cut[first][last];
    matmul_of(&part_of(tensors, cut, first, at)?, &part_of(tensors, cut, at + 1, last)?)
}

pub(super) fn cross(args: &Args) -> Result<Value> {
    let (a, b, dim): (Tensor, Tensor, i64) = args.take()?;
    cross_of(&a, &b, dim)
}

pub(super) fn cross_somewhere(args: &Args) -> Result<Value> {
    let (a, b, dim): (Tensor, Tensor, Option<i64>) = args.take()?;
    let dim = match dim {
        Some(dim) => dim,
        None => match a.sizes().iter().position(|n| *n == 3) {
            Some(dim) => dim as i64,
            None => fault!(RuntimeError, "no dimension of size 3 in input"),
        },
    };
    cross_of(&a, &b, dim)
}

fn cross_of(a: &Tensor, b: &Tensor, given: i64) -> Result<Value> {
    if a.ndim() != b.ndim() {
        fault!(RuntimeError, "linalg.cross: inputs must have the same number of dimensions.");
    }
    if a.ndim() == 0 {
        fault!(IndexError, "Dimension specified as {given} but tensor has no dimensions");
    }
    let dim = wrap_dim(given, a.ndim())?;
    if a.sizes()[dim] != 3 || b.sizes()[dim] != 3 {
        let (one, other) = (a.sizes()[dim], b.sizes()[dim]);
        fault!(RuntimeError, "linalg.cross: inputs dimension {given} must have length 3. Got {one} and {other}");
    }
    let sizes = broadcast_sizes(&a.sizes(), &b.sizes())?;
    if a.dtype() == DType::Bool {
        fault!(NotImplementedError, "\"cross\" not implemented for 'Bool'");
    }
    if a.dtype() != b.dtype() {
        fault!(RuntimeError, "expected scalar type {} but found {}", a.dtype().title(), b.dtype().title());
    }
    let (a, b) = (a.alias(a.layout().broadcast_to(&sizes)?)?, b.alias(b.layout().broadcast_to(&sizes)?)?);
    let part = |x: &Tensor, n: i64| -> Result<Operand> {
        let mut layout = (*x.layout()).clone();
        layout.offset += layout.strides[dim] * n;
        layout.sizes[dim] = 1;
        Ok(Operand::Tensor(x.alias(layout)?))
    };
    let result = exec::empty(&sizes, a.dtype(), a.device())?;
    for n in 0..3 {
        let (next, last) = ((n + 1) % 3, (n + 2) % 3);
        let minus = Operand::Tensor(MUL.of("cross", &[part(&a, last)?, part(&b, next)?], &[])?);
        let plus = [part(&a, next)?, part(&b, last)?];
        // Of wide floats only one product is rounded.
        let difference = if matches!(a.dtype(), DType::F32 | DType::F64) {
            let [x, y] = plus;
            MULTIPLY_LESS.of("cross", &[x, y, minus], &[])?
        } else {
            SUBTRACT.of("cross", &[Operand::Tensor(MUL.of("cross", &plus, &[])?), minus], &[])?
        };
        if let Operand::Tensor(target) = part(&result, n)? {
            exec::copy(&target, &difference)?;
        }
    }
    Ok(result.into())
}
