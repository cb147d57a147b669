//! Products of vectors and matrices.

use super::fit::{check_batches, check_matrices, check_vector, check_vectors, has_kernel, same_dtype};
use crate::device::DeviceId;
use crate::dtype::{DType, Number};
use crate::kernel::fold::{ANY, SUM};
use crate::kernel::follows_intel;
use crate::kernel::matmul::BATCHED;
use crate::layout::{Dims, Layout, broadcast_sizes};
use crate::ops::exec::{self, Reduction};
use crate::ops::pointwise::arithmetic::MUL;
use crate::ops::{Args, Operand, call_function};
use crate::tensor::Tensor;
use crate::value::{Machine, Value};
use anyhow::Result;
use num_complex::Complex;
use num_traits::Zero;

fn with_layout(x: &Tensor, sizes: &[i64], strides: &[i64]) -> Result<Tensor> {
    x.alias(Layout::new(sizes, strides, x.layout().offset))
}

/// A vector as a matrix of one row.
pub(super) fn row(v: &Tensor) -> Result<Tensor> {
    let layout = v.layout();
    with_layout(v, &[1, layout.sizes[0]], &[0, layout.strides[0]])
}

/// A vector as a matrix of one column.
pub(super) fn column(v: &Tensor) -> Result<Tensor> {
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

/// As [`bmm_of`], perhaps [added](exec::matmul_onto); on Intel's processors nothing is.
pub(super) fn bmm_onto(a: &Tensor, b: &Tensor, added: exec::Added) -> Result<(Tensor, bool)> {
    check_batches(a, b)?;
    let added = added.filter(|_| !follows_intel() && a.numel().min(b.numel()) > 0 && a.dtype() == b.dtype());
    if added.is_some() { exec::matmul_onto(a, b, added) } else { Ok((batched(a, b)?, false)) }
}

/// The products of two batches of matrices; `bmm`.
pub(super) fn bmm_of(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    check_batches(a, b)?;
    batched(a, b)
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
        (3.., 1) if is_one_matrix(&a.layout()) || b.requires_grad() => {
            let all: i64 = s[..s.len() - 1].iter().product();
            fault!(RuntimeError, "size mismatch, got input ({all}), mat ({all}x{inner}), vec ({})", t[0]);
        }
        (3.., 2) if is_one_matrix(&a.layout()) || b.requires_grad() => {
            let all: i64 = s[..s.len() - 1].iter().product();
            fault!(RuntimeError, "mm: mat1 and mat2 shapes cannot be multiplied ({all}x{inner} and {}x{})", t[0], t[1]);
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
        (1, 2) => return mm_of(&row(a)?, b)?.alias(Layout::contiguous(&b.sizes()[1..])),
        _ => {}
    }
    if let Some(product) = turned(a, b)? {
        return Ok(product);
    }
    let left = if p == 1 { row(a)? } else { a.clone() };
    let right = if q == 1 { column(b)? } else { b.clone() };
    let (s, t) = (left.sizes(), right.sizes());
    let (rows, inner) = (s[s.len() - 2], s[s.len() - 1]);
    let mut sizes = broadcast_sizes(&s[..s.len() - 2], &t[..t.len() - 2])?;
    if inner != t[t.len() - 2] {
        refuse_batches(a, b, sizes.iter().product())?;
    }
    let product = match folded(a, b)? {
        Some(product) => product,
        None => batched(&left, &right)?,
    };
    if p > 1 {
        sizes.push(rows);
    }
    if q > 1 {
        sizes.push(t[t.len() - 1]);
    }
    product.alias(Layout::contiguous(&sizes))
}

/// The rows of all matrices of a batch below each other, copied where they do not lie so.
fn as_one_matrix(many: &Tensor) -> Result<Tensor> {
    let layout = many.layout();
    let (rows, row) = layout.sizes.split_at(layout.ndim() - 1);
    let sizes = [rows.iter().product(), row[0]];
    match layout.view(&sizes) {
        Ok(laid) => many.alias(laid),
        Err(_) => exec::contiguous(many)?.alias(Layout::contiguous(&sizes)),
    }
}

/// A matrix that asks for a gradient times many: the product of all of them, turned over, with the matrix, as PyTorch takes it.
fn turned(a: &Tensor, b: &Tensor) -> Result<Option<Tensor>> {
    if a.ndim() != 2 || b.ndim() < 3 || !a.requires_grad() {
        return Ok(None);
    }
    let many = b.alias(b.layout().transpose(-1, -2)?)?;
    let mut sizes = many.sizes();
    let product = mm_of(&as_one_matrix(&many)?, &a.alias(a.layout().transpose(0, 1)?)?)?;
    if let Some(last) = sizes.last_mut() {
        *last = a.sizes()[0];
    }
    let product = product.alias(Layout::contiguous(&sizes))?;
    exec::contiguous(&product.alias(product.layout().transpose(-1, -2)?)?).map(Some)
}

/// The products of batches of matrices that broadcast.
fn batched(left: &Tensor, right: &Tensor) -> Result<Tensor> {
    if left.numel().min(right.numel()) == 0 {
        // No elements are multiplied, and nobody looks at their dtypes.
        return exec::matmul(&exec::cast(left, right.dtype())?, right);
    }
    let inner = left.sizes().last().copied().unwrap_or(0);
    let made = left.sizes().iter().rev().nth(1).copied().unwrap_or(1) * right.sizes().last().copied().unwrap_or(1);
    has_kernel(if inner * made < BATCHED as i64 { "bmm" } else { "addmm_impl_cpu_" }, left)?;
    if left.dtype() != right.dtype() {
        fault!(RuntimeError, "expected scalar type {} but found {}", left.dtype().title(), right.dtype().title());
    }
    exec::matmul(left, right)
}

/// Many matrices and the one matrix or vector that they are multiplied by; none for other operands.
fn many_and_one<'t>(a: &'t Tensor, b: &'t Tensor) -> Result<Option<(Tensor, &'t Tensor)>> {
    Ok(match (a.ndim(), b.ndim()) {
        (3.., 1..=2) => Some((a.clone(), b)),
        (1, 3..) => Some((b.alias(b.layout().transpose(-1, -2)?)?, a)),
        _ => None,
    })
}

/// True where many matrices times one matrix or vector are one product.
pub(in crate::ops) fn folds(a: &Tensor, b: &Tensor) -> bool {
    many_and_one(a, b).is_ok_and(|found| found.is_some_and(|(many, one)| !has_gaps(&many) || one.requires_grad()))
}

/// True where there are gaps between the rows of many matrices.
fn has_gaps(many: &Tensor) -> bool {
    let layout = many.layout();
    let last = layout.ndim() - 1;
    let many = (0..last).filter(|k| layout.sizes[*k] != 1).map(|k| (layout.sizes[k], layout.strides[k]));
    let many: Vec<_> = many.collect();
    layout.numel() > 0 && many.windows(2).any(|pair| pair[0].1 != pair[1].1 * pair[1].0)
}

/// Many matrices without gaps between them times one matrix or vector: one product, as PyTorch takes it. None where it is not so.
fn folded(a: &Tensor, b: &Tensor) -> Result<Option<Tensor>> {
    let Some((many, one)) = many_and_one(a, b)? else { return Ok(None) };
    if has_gaps(&many) && !one.requires_grad() {
        return Ok(None);
    }
    let matrix = as_one_matrix(&many)?;
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

/// The Kronecker product. What is written to an `out` is written in the order of its rows.
pub(super) fn kron(args: &Args) -> Result<Value> {
    let (a, b): (Tensor, Tensor) = args.take()?;
    match args.target() {
        Some(_) => Ok(kron_of(&exec::contiguous(&a)?, &exec::contiguous(&b)?)?.into()),
        None => Ok(kron_of(&a, &b)?.into()),
    }
}

fn kron_of(a: &Tensor, b: &Tensor) -> Result<Tensor> {
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
    if matches!(dtype, DType::C64 | DType::C128) && x.device() == DeviceId::Cpu {
        let total = exec::read_vec::<Complex<f64>>(&diagonal)?.into_iter().fold(Complex::zero(), |sum, x| sum + x);
        return Ok(exec::number(Number::Complex(total), dtype, DeviceId::Cpu)?.into());
    }
    let total = exec::fold(&Reduction::new(&SUM, dtype), &diagonal, &[0], false)?;
    Ok(Value::from(total.into_vec()).sequence().and_then(|v| v.into_iter().next()).unwrap_or(Value::None))
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
