//! Ordering the lines of a tensor along one dimension: sort, topk, kthvalue.

use crate::dtype::{Class, DType};
use crate::kernel::lines::Work;
use crate::layout::{Dims, Layout, wrap_dim};
use crate::ops::{Args, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use std::cmp::Ordering;

/// The elements of a tensor, comparable: floats by value with NaN as the greatest, integers by value.
pub(in crate::ops) enum Keys {
    /// bool and integers.
    Ints(Vec<i64>),
    /// uint64.
    Unsigned(Vec<u64>),
    /// Floats, widened.
    Floats(Vec<f64>),
}

impl Keys {
    /// The elements in order of their indices. `complex` is what PyTorch says of complex ones, which have no order.
    pub(in crate::ops) fn read(x: &Tensor, complex: &str) -> Result<Keys> {
        Ok(match x.dtype().class() {
            Class::I64 => Keys::Ints(exec::read_vec(x)?),
            Class::U64 => Keys::Unsigned(exec::read_vec(x)?),
            Class::F32 | Class::F64 => Keys::Floats(exec::read_vec(x)?),
            Class::C64 | Class::C128 => fault!(TypeError, "{complex}"),
        })
    }

    /// The order of two elements by their places.
    pub(in crate::ops) fn compare(&self, a: usize, b: usize) -> Ordering {
        match self {
            Keys::Ints(v) => v[a].cmp(&v[b]),
            Keys::Unsigned(v) => v[a].cmp(&v[b]),
            Keys::Floats(v) => compare_floats(v[a], v[b]),
        }
    }

    /// True when they are equal; NaN equals nothing.
    pub(in crate::ops) fn equal(&self, a: usize, b: usize) -> bool {
        match self {
            Keys::Ints(v) => v[a] == v[b],
            Keys::Unsigned(v) => v[a] == v[b],
            Keys::Floats(v) => v[a] == v[b],
        }
    }
}

/// By value, NaN last.
pub(super) fn compare_floats(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// A tensor turned so that the dimension is the last one, and what is needed to turn results back.
pub(in crate::ops) struct Lines {
    /// The turned tensor.
    pub(in crate::ops) turned: Tensor,
    /// Its sizes.
    pub(in crate::ops) sizes: Dims,
    /// The dimension in the tensor as it came; none for a 0-d one.
    dim: usize,
    zero_d: bool,
}

impl Lines {
    pub(in crate::ops) fn new(x: &Tensor, dim: i64) -> Result<Lines> {
        let zero_d = x.ndim() == 0;
        let dim = wrap_dim(dim, x.ndim())?;
        let mut layout = (*x.layout()).clone();
        if zero_d {
            layout.sizes.push(1);
            layout.strides.push(1);
        }
        let last = layout.ndim() - 1;
        layout.sizes[dim..=last].rotate_left(1);
        layout.strides[dim..=last].rotate_left(1);
        let turned = x.alias(layout)?;
        let sizes = turned.sizes();
        Ok(Lines { turned, sizes, dim, zero_d })
    }

    /// The length of a line.
    pub(in crate::ops) fn length(&self) -> usize {
        self.sizes.last().map_or(1, |n| *n as usize)
    }

    /// How many lines.
    pub(in crate::ops) fn count(&self) -> usize {
        self.sizes[..self.sizes.len() - 1].iter().product::<i64>() as usize
    }

    /// `keep` elements of each line and their places, turned back.
    pub(in crate::ops) fn each(&self, work: Work, keep: usize, drop: bool) -> Result<(Tensor, Tensor)> {
        let (values, indices) = exec::lines(work, &self.turned, keep)?;
        Ok((self.restore(&values, drop)?, self.restore(&indices, drop)?))
    }

    /// Turns a contiguous result with lines of `length` elements back; with `drop`, the dimension (then of size 1) goes.
    pub(in crate::ops) fn restore(&self, result: &Tensor, drop: bool) -> Result<Tensor> {
        let mut layout = (*result.layout()).clone();
        let last = layout.ndim() - 1;
        layout.sizes[self.dim..=last].rotate_right(1);
        layout.strides[self.dim..=last].rotate_right(1);
        if self.zero_d || drop {
            layout.sizes.remove(self.dim);
            layout.strides.remove(self.dim);
        }
        // One element per line lies in row-major order already; this also gives dimensions of size 1 their usual strides.
        if layout.is_contiguous() {
            layout = Layout { offset: layout.offset, ..Layout::contiguous(&layout.sizes) };
        }
        result.alias(layout)
    }
}

fn pair(values: Tensor, indices: Tensor) -> Value {
    Value::tuple(vec![values.into(), indices.into()])
}

/// `x` in row-major order, dimensions of size 0 and 1 with their usual strides too.
fn row_major(x: &Tensor) -> Result<Tensor> {
    let x = exec::contiguous(x)?;
    x.alias(Layout { offset: x.layout().offset, ..Layout::contiguous(&x.sizes()) })
}

/// `x` with the order of dimensions in memory that `like` has.
fn in_order_of(x: &Tensor, like: &Tensor) -> Result<Tensor> {
    let layout = Layout::new(&like.sizes(), &like.layout().preserved_strides(), 0);
    if *x.layout() == layout {
        return Ok(x.clone());
    }
    let target = exec::empty_layout(layout, x.dtype(), x.device())?;
    exec::copy(&target, x)?;
    Ok(target)
}

pub(super) fn sort(args: &Args) -> Result<Value> {
    let (x, dim, descending): (Tensor, i64, bool) = args.take()?;
    sort_along(&x, dim, descending, false)
}

pub(super) fn sort_stable(args: &Args) -> Result<Value> {
    let (x, stable, dim, descending): (Tensor, Option<bool>, i64, bool) = args.take()?;
    sort_along(&x, dim, descending, stable == Some(true))
}

fn sort_along(x: &Tensor, dim: i64, descending: bool, stable: bool) -> Result<Value> {
    crate::layout::wrap_dim(dim, x.ndim())?;
    refuse_complex(x, " Sort does not support complex dtypes on CPU")?;
    let lines = Lines::new(x, dim)?;
    // One element that stands for a whole line is left where it is.
    let stable = stable || lines.turned.layout().strides.last() == Some(&0);
    let (values, indices) = lines.each(Work::Sort { descending, stable }, lines.length(), false)?;
    Ok(pair(in_order_of(&values, x)?, in_order_of(&indices, x)?))
}

pub(super) fn topk(args: &Args) -> Result<Value> {
    let (x, k, dim, largest, sorted): (Tensor, i64, i64, bool, bool) = args.take()?;
    let lines = Lines::new(&x, dim)?;
    if k < 0 || k as usize > lines.length() {
        fault!(RuntimeError, "selected index k out of range");
    }
    if x.dtype() == DType::Bool {
        fault!(NotImplementedError, "topk does not support bool dtypes on CPU");
    }
    refuse_complex(&x, " topk does not support complex dtypes on CPU")?;
    if x.ndim() == 0 {
        return Ok(pair(exec::clone(&x)?, exec::zeros(&[], DType::I64, x.device())?));
    }
    let (values, indices) = lines.each(Work::Top { largest, sorted }, k as usize, false)?;
    Ok(pair(row_major(&values)?, row_major(&indices)?))
}

pub(super) fn kthvalue(args: &Args) -> Result<Value> {
    let (x, k, dim, keepdim): (Tensor, i64, i64, bool) = args.take()?;
    let lines = Lines::new(&x, dim)?;
    if lines.length() == 0 {
        fault!(IndexError, "kthvalue(): Expected reduction dim {} to have non-zero size.", wrap_dim(dim, x.ndim())?);
    }
    if k < 1 || k as usize > lines.length() {
        fault!(RuntimeError, "kthvalue(): selected number k out of range for dimension {}", wrap_dim(dim, x.ndim())?);
    }
    if let Some(Value::Tensor(values)) = args.out.items().unwrap_or_default().first() {
        exec::refuse_shared(values, &x)?;
    }
    crate::ops::out::check_targets(args, x.dtype())?;
    if x.ndim() == 0 {
        return Ok(pair(exec::clone(&x)?, exec::zeros(&[], DType::I64, x.device())?));
    }
    if x.dtype() == DType::Bool || x.dtype().is_complex() {
        fault!(NotImplementedError, "\"kthvalue_cpu\" not implemented for '{}'", x.dtype().title());
    }
    let (values, indices) = lines.each(Work::Nth(k as usize - 1), 1, !keepdim && x.ndim() > 0)?;
    Ok(pair(row_major(&values)?, row_major(&indices)?))
}

fn refuse_complex(x: &Tensor, message: &str) -> Result<()> {
    if x.dtype().is_complex() {
        fault!(TypeError, "{message}");
    }
    Ok(())
}
