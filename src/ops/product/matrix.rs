//! Products of vectors and matrices.

use crate::dtype::{DType, Number};
use crate::kernel::fold::SUM;
use crate::layout::{Dims, Layout, broadcast_sizes, wrap_dim};
use crate::ops::exec::{self, Reduction};
use crate::ops::map::{Map, elementwise};
use crate::ops::{Args, Operand};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

const MULTIPLY: Map = elementwise!(mul(a, b), Promote Exact, "a * b"; integer: a.wrapping_mul(b); float: a * b; complex: a * b);
const SUBTRACT: Map = elementwise!(sub(a, b), Promote, "a - b"; integer: a.wrapping_sub(b); float: a - b; complex: a - b);
const BLEND: Map = elementwise!(addmm(x, p, beta, alpha), Promote, "beta * x + alpha * p";
    integer: beta.wrapping_mul(x).wrapping_add(alpha.wrapping_mul(p)); float: beta * x + alpha * p; complex: beta * x + alpha * p);
const SCALE: Map =
    elementwise!(addmm(p, alpha), Promote, "alpha * p"; integer: alpha.wrapping_mul(p); float: alpha * p; complex: alpha * p);

/// A C-like name, as in messages about products: `float`, `long int`.
fn c_name(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "float",
        DType::F64 => "double",
        DType::F16 => "c10::Half",
        DType::BF16 => "c10::BFloat16",
        DType::I64 => "long int",
        DType::I32 => "int",
        DType::I16 => "short int",
        DType::I8 => "signed char",
        DType::U8 => "unsigned char",
        DType::Bool => "bool",
        DType::C64 => "c10::complex<float>",
        DType::C128 => "c10::complex<double>",
        other => other.name(),
    }
}

fn same_dtype(a: &Tensor, b: &Tensor) -> Result<()> {
    if a.dtype() != b.dtype() {
        fault!(
            RuntimeError,
            "expected m1 and m2 to have the same dtype, but got: {} != {}",
            c_name(a.dtype()),
            c_name(b.dtype())
        );
    }
    if a.dtype() == DType::Bool {
        fault!(NotImplementedError, "\"addmm_impl_cpu_\" not implemented for 'Bool'");
    }
    Ok(())
}

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

fn shape_text(x: &Tensor) -> String {
    x.sizes().iter().map(i64::to_string).collect::<Vec<_>>().join("x")
}

/// The matrix product of two matrices; `mm`.
pub(super) fn mm_of(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    for (name, m) in [("self", a), ("mat2", b)] {
        if m.ndim() != 2 {
            fault!(RuntimeError, "mm: {name} must be a matrix, got {}-D tensor", m.ndim());
        }
    }
    if a.sizes()[1] != b.sizes()[0] {
        fault!(RuntimeError, "mm: mat1 and mat2 shapes cannot be multiplied ({} and {})", shape_text(a), shape_text(b));
    }
    same_dtype(a, b)?;
    exec::matmul(a, b)
}

/// The product of a matrix and a vector; `mv`.
pub(super) fn mv_of(m: &Tensor, v: &Tensor) -> Result<Tensor> {
    if m.ndim() != 2 || v.ndim() != 1 {
        fault!(RuntimeError, "vector + matrix @ vector expected, got {}, {}, {}", 1, m.ndim(), v.ndim());
    }
    if m.sizes()[1] != v.sizes()[0] {
        fault!(RuntimeError, "size mismatch, got input ({}), mat ({}), vec ({})", m.sizes()[0], shape_text(m), shape_text(v));
    }
    same_dtype(m, v)?;
    exec::matmul(m, &column(v)?)?.alias(Layout::contiguous(&[m.sizes()[0]]))
}

/// The products of two batches of matrices; `bmm`.
pub(super) fn bmm_of(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    for (name, m) in [("batch1", a), ("batch2", b)] {
        if m.ndim() != 3 {
            fault!(RuntimeError, "{name} must be a 3D tensor");
        }
    }
    let (s, t) = (a.sizes(), b.sizes());
    if s[0] != t[0] || s[2] != t[1] {
        fault!(
            RuntimeError,
            "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}].",
            s[0],
            s[2],
            t[0],
            t[1]
        );
    }
    same_dtype(a, b)?;
    exec::matmul(a, b)
}

/// Every element of one vector with each of the other; `outer`.
pub(super) fn outer_of(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    for (name, v) in [("self", a), ("vec2", b)] {
        if v.ndim() != 1 {
            fault!(RuntimeError, "outer: Expected 1-D argument {name}, but got {}-D", v.ndim());
        }
    }
    MULTIPLY.of("outer", &[Operand::Tensor(column(a)?), Operand::Tensor(row(b)?)], &[])
}

fn dot_of(a: &Tensor, b: &Tensor) -> Result<Tensor> {
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

type Pair = (Tensor, Tensor);

macro_rules! pairs {
    ($($name:ident = $of:ident),*) => { $(pub(super) fn $name(args: &Args) -> Result<Value> {
        let (a, b): Pair = args.take()?;
        Ok($of(&a, &b)?.into())
    })* };
}

pairs!(
    mm = mm_of,
    mv = mv_of,
    bmm = bmm_of,
    outer = outer_of,
    dot = dot_of,
    matmul = matmul_of,
    inner = inner_of,
    kron = kron_of
);

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
    if inner != t[t.len() - 2] {
        let rows = s[..s.len() - 1].iter().product::<i64>();
        fault!(
            RuntimeError,
            "mm: mat1 and mat2 shapes cannot be multiplied ({}x{inner} and {}x{})",
            if t.len() == 2 { rows } else { s[s.len() - 2] },
            t[t.len() - 2],
            t[t.len() - 1]
        );
    }
    same_dtype(&left, &right)?;
    let mut sizes = broadcast_sizes(&s[..s.len() - 2], &t[..t.len() - 2])?;
    let product = exec::matmul(&left, &right)?;
    if p > 1 {
        sizes.push(rows);
    }
    if q > 1 {
        sizes.push(t[t.len() - 1]);
    }
    product.alias(Layout::contiguous(&sizes))
}

fn inner_of(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if a.ndim() == 0 || b.ndim() == 0 {
        return MULTIPLY.of("inner", &[Operand::Tensor(a.clone()), Operand::Tensor(b.clone())], &[]);
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
    let inner = s[s.len() - 1];
    let matrix = |x: &Tensor, sizes: &[i64]| {
        let rows = sizes[..sizes.len() - 1].iter().product();
        exec::contiguous(x)?.alias(Layout { offset: exec::contiguous(x)?.layout().offset, ..Layout::contiguous(&[rows, inner]) })
    };
    let (left, right) = (matrix(a, &s)?, matrix(b, &t)?);
    same_dtype(&left, &right)?;
    let turned = with_layout(&right, &[inner, right.sizes()[0]], &[1, inner.max(1)])?;
    let sizes: Dims = s[..s.len() - 1].iter().chain(&t[..t.len() - 1]).copied().collect();
    exec::matmul(&left, &turned)?.alias(Layout::contiguous(&sizes))
}

/// Whether the batches of a product are summed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sum {
    /// Each stays.
    No,
    /// They are added up.
    Batches,
    /// Each stays; the product is one of vectors, and the result has the order of `self`.
    Outer,
}

/// `beta * self + alpha * product`. With a beta of 0, `self` does not count, not even its NaN.
pub(super) fn add_product(args: &Args, product: fn(&Tensor, &Tensor) -> Result<Tensor>, sum: Sum) -> Result<Value> {
    let (x, a, b, beta, alpha): (Tensor, Tensor, Tensor, Number, Number) = args.take()?;
    let mut result = product(&a, &b)?;
    if x.dtype() != result.dtype() {
        fault!(
            RuntimeError,
            "self and mat2 must have the same dtype, but got {} and {}",
            x.dtype().title(),
            result.dtype().title()
        );
    }
    let factor = |number| if sum == Sum::Outer { outer_factor(number, &result) } else { factor(number, result.dtype()) };
    let (beta, alpha) = (factor(beta)?, factor(alpha)?);
    if sum == Sum::Batches {
        let what = Reduction::new(&SUM, result.dtype());
        result = exec::fold(&what, &result, &[0], false)?.into_iter().next().unwrap_or(result);
    }
    let stretched = x.alias(x.layout().expand(&result.sizes())?)?;
    let name = args.op.name();
    let keeps_order = sum == Sum::Outer;
    let total = match beta.to_complex() {
        zero if zero.norm() == 0.0 => SCALE.of(name, &[Operand::Tensor(result)], &[alpha])?,
        _ => BLEND.of(name, &[Operand::Tensor(stretched), Operand::Tensor(result)], &[beta, alpha])?,
    };
    // The routines behind the others write row by row, whatever the order of `self` is.
    Ok(if keeps_order { total } else { exec::contiguous(&total)? }.into())
}

/// A factor of a product in the product's dtype: an integer product drops what follows the point.
fn factor(number: Number, dtype: DType) -> Result<Number> {
    let wide = number.to_complex();
    if wide.im != 0.0 && !dtype.is_complex() {
        fault!(RuntimeError, "value cannot be converted to type {} without overflow", c_name(dtype));
    }
    Ok(match number {
        Number::Float(value) if dtype.is_integral(true) => Number::Int(value as i64),
        other => other,
    })
}

/// A factor of an outer product, which adds as elementwise operations do.
fn outer_factor(number: Number, product: &Tensor) -> Result<Number> {
    if product.dtype().is_integral(true) && matches!(number, Number::Float(_)) {
        fault!(RuntimeError, "For integral input tensors, argument alpha must not be a floating point number.");
    }
    Ok(number)
}

fn kron_of(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let dims = a.ndim().max(b.ndim());
    let padded = |x: &Tensor| -> Dims { std::iter::repeat_n(1, dims - x.ndim()).chain(x.sizes()).collect() };
    let (s, t) = (padded(a), padded(b));
    let interleave = |first: &Dims, second: &Dims| -> Dims { first.iter().zip(second).flat_map(|(p, q)| [*p, *q]).collect() };
    let ones = Dims::from_elem(1, dims);
    let left = exec::contiguous(a)?;
    let right = exec::contiguous(b)?;
    let spread = |x: &Tensor, sizes: Dims| x.alias(Layout { offset: x.layout().offset, ..Layout::contiguous(&sizes) });
    let operands =
        [Operand::Tensor(spread(&left, interleave(&s, &ones))?), Operand::Tensor(spread(&right, interleave(&ones, &t))?)];
    let product = exec::contiguous(&MULTIPLY.of("kron", &operands, &[])?)?;
    let sizes: Dims = s.iter().zip(&t).map(|(p, q)| p * q).collect();
    product.alias(Layout::contiguous(&sizes))
}

pub(super) fn trace(args: &Args) -> Result<Value> {
    let (x,): (Tensor,) = args.take()?;
    if x.ndim() != 2 {
        fault!(RuntimeError, "trace: expected a matrix, but got tensor with dim {}", x.ndim());
    }
    if x.dtype() == DType::Bool {
        fault!(NotImplementedError, "\"trace\" not implemented for 'Bool'");
    }
    let layout = x.layout();
    let length = layout.sizes[0].min(layout.sizes[1]);
    let diagonal = with_layout(&x, &[length], &[layout.strides[0] + layout.strides[1]])?;
    let dtype = if x.dtype().is_integral(true) { DType::I64 } else { x.dtype() };
    let total = exec::fold(&Reduction::new(&SUM, dtype), &diagonal, &[0], false)?;
    Ok(Value::from(total.into_vec()).sequence().and_then(|v| v.into_iter().next()).unwrap_or(Value::None))
}

/// The product of one or more matrices.
pub(super) fn chain(args: &Args) -> Result<Value> {
    let (tensors,): (Vec<Tensor>,) = args.take()?;
    match tensors.as_slice() {
        [] => no_chain(args),
        [one] => Ok(exec::clone(one)?.into()),
        _ => multi_dot(args),
    }
}

pub(super) fn no_chain(_: &Args) -> Result<Value> {
    fault!(RuntimeError, "chain_matmul(): Expected one or more matrices")
}

pub(super) fn multi_dot(args: &Args) -> Result<Value> {
    let (tensors,): (Vec<Tensor>,) = args.take()?;
    let [first, rest @ ..] = tensors.as_slice() else {
        fault!(RuntimeError, "multi_dot(): expected at least 2 tensors but got {}", tensors.len());
    };
    if rest.is_empty() {
        fault!(RuntimeError, "multi_dot(): expected at least 2 tensors but got 1");
    }
    for (n, tensor) in tensors.iter().enumerate() {
        let inner = n > 0 && n + 1 < tensors.len();
        let place = if n == 0 { "the first tensor".to_string() } else { format!("tensor {n}") };
        match tensor.ndim() {
            2 => {}
            1 if !inner => {}
            ndim if inner => fault!(RuntimeError, "multi_dot(): {place} must be 2D but got {ndim}D"),
            ndim => fault!(RuntimeError, "multi_dot(): {place} must be 1D or 2D but got {ndim}D"),
        }
    }
    let mut product = first.clone();
    for next in rest {
        product = matmul_of(&product, next)?;
    }
    Ok(product.into())
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

fn cross_of(a: &Tensor, b: &Tensor, dim: i64) -> Result<Value> {
    if a.ndim() != b.ndim() {
        fault!(RuntimeError, "linalg.cross: inputs must have the same number of dimensions.");
    }
    let dim = wrap_dim(dim, a.ndim())?;
    let sizes = broadcast_sizes(&a.sizes(), &b.sizes())?;
    if a.sizes()[dim] != 3 || b.sizes()[dim] != 3 {
        fault!(
            RuntimeError,
            "linalg.cross: inputs dimension {dim} must have length 3. Got {} and {}",
            a.sizes()[dim],
            b.sizes()[dim]
        );
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
        let plus = MULTIPLY.of("cross", &[part(&a, next)?, part(&b, last)?], &[])?;
        let minus = MULTIPLY.of("cross", &[part(&a, last)?, part(&b, next)?], &[])?;
        let difference = SUBTRACT.of("cross", &[Operand::Tensor(plus), Operand::Tensor(minus)], &[])?;
        if let Operand::Tensor(target) = part(&result, n)? {
            exec::copy(&target, &difference)?;
        }
    }
    Ok(result.into())
}
