//! Ordering the lines of a tensor along one dimension: sort, topk, kthvalue.

use crate::dtype::{Class, DType};
use crate::layout::Dims;
use crate::layout::wrap_dim;
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

    /// True for NaN.
    pub(in crate::ops) fn is_nan(&self, place: usize) -> bool {
        matches!(self, Keys::Floats(v) if v[place].is_nan())
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
        layout.sizes.swap(dim, last);
        layout.strides.swap(dim, last);
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

    /// The elements at `keep` places of each line, and the places, as tensors turned back.
    pub(in crate::ops) fn select(&self, x: &Tensor, places: Vec<i64>, keep: usize, drop: bool) -> Result<(Tensor, Tensor)> {
        let mut sizes = self.sizes.clone();
        if let Some(last) = sizes.last_mut() {
            *last = keep as i64;
        }
        let bytes = pick(&exec::bytes(&self.turned)?, x.dtype(), &places, self.length(), keep);
        let values = self.restore(&exec::from_bytes(&bytes, &sizes, x.dtype())?, drop)?;
        let indices = self.restore(&exec::from_vec(&places, &sizes)?, drop)?;
        Ok((values, indices))
    }

    /// Turns a contiguous result with lines of `length` elements back; with `drop`, the dimension (then of size 1) goes.
    pub(in crate::ops) fn restore(&self, result: &Tensor, drop: bool) -> Result<Tensor> {
        let mut layout = (*result.layout()).clone();
        let last = layout.ndim() - 1;
        layout.sizes.swap(self.dim, last);
        layout.strides.swap(self.dim, last);
        if self.zero_d || drop {
            layout.sizes.remove(self.dim);
            layout.strides.remove(self.dim);
        }
        result.alias(layout)
    }
}

/// The places of each line's elements in sorted order, line after line.
fn argsort(keys: &Keys, lines: usize, length: usize, descending: bool) -> Vec<i64> {
    let mut places: Vec<i64> = Vec::with_capacity(lines * length);
    for line in 0..lines {
        let base = line * length;
        let mut order: Vec<i64> = (0..length as i64).collect();
        order.sort_by(|&a, &b| {
            let ordering = keys.compare(base + a as usize, base + b as usize);
            if descending { ordering.reverse() } else { ordering }
        });
        places.append(&mut order);
    }
    places
}

/// The elements of `bytes` that stand at `places` of each line of `length` elements, `keep` of them per line.
fn pick(bytes: &[u8], dtype: DType, places: &[i64], length: usize, keep: usize) -> Vec<u8> {
    let size = dtype.size();
    let mut picked = Vec::with_capacity(places.len() * size);
    for (n, &place) in places.iter().enumerate() {
        let at = (n / keep.max(1) * length + place as usize) * size;
        picked.extend_from_slice(&bytes[at..at + size]);
    }
    picked
}

fn pair(values: Tensor, indices: Tensor) -> Value {
    Value::tuple(vec![values.into(), indices.into()])
}

/// `x` with the order of dimensions in memory that `like` has.
fn in_order_of(x: &Tensor, like: &Tensor) -> Result<Tensor> {
    let target = exec::empty_layout(crate::kernel::order::output_layout(&x.sizes(), &[&like.layout()]), x.dtype(), x.device())?;
    exec::copy(&target, x)?;
    Ok(target)
}

pub(super) fn sort(args: &Args) -> Result<Value> {
    let (x, dim, descending): (Tensor, i64, bool) = args.take()?;
    sort_along(&x, dim, descending)
}

pub(super) fn sort_stable(args: &Args) -> Result<Value> {
    let (x, _stable, dim, descending): (Tensor, Option<bool>, i64, bool) = args.take()?;
    sort_along(&x, dim, descending)
}

fn sort_along(x: &Tensor, dim: i64, descending: bool) -> Result<Value> {
    let lines = Lines::new(x, dim)?;
    let keys = Keys::read(&lines.turned, " Sort does not support complex dtypes on CPU")?;
    let places = argsort(&keys, lines.count(), lines.length(), descending);
    let (values, indices) = lines.select(x, places, lines.length(), false)?;
    Ok(pair(in_order_of(&values, x)?, in_order_of(&indices, x)?))
}

pub(super) fn topk(args: &Args) -> Result<Value> {
    let (x, k, dim, largest, _sorted): (Tensor, i64, i64, bool, bool) = args.take()?;
    let lines = Lines::new(&x, dim)?;
    if k < 0 || k as usize > lines.length() {
        fault!(RuntimeError, "selected index k out of range");
    }
    let keys = Keys::read(&lines.turned, "topk() does not support complex dtypes on CPU")?;
    let (k, length) = (k as usize, lines.length());
    let mut places = Vec::with_capacity(lines.count() * k);
    for line in 0..lines.count() {
        places.extend(first_of_line(&keys, line * length, length, k, largest));
    }
    let (values, indices) = lines.select(&x, places, k, false)?;
    Ok(pair(exec::contiguous(&values)?, exec::contiguous(&indices)?))
}

/// The places of the `k` greatest or least elements of one line, in order; equal ones by place.
fn first_of_line(keys: &Keys, base: usize, length: usize, k: usize, largest: bool) -> Vec<i64> {
    let order = |a: &i64, b: &i64| {
        let ordering = keys.compare(base + *a as usize, base + *b as usize);
        (if largest { ordering.reverse() } else { ordering }).then(a.cmp(b))
    };
    let mut places: Vec<i64> = (0..length as i64).collect();
    if k < length {
        places.select_nth_unstable_by(k, order);
        places.truncate(k);
    }
    places.sort_by(order);
    places
}

pub(super) fn kthvalue(args: &Args) -> Result<Value> {
    let (x, k, dim, keepdim): (Tensor, i64, i64, bool) = args.take()?;
    let lines = Lines::new(&x, dim)?;
    let length = lines.length();
    if k < 1 || k as usize > length {
        fault!(RuntimeError, "kthvalue(): selected number k out of range for dimension {}", wrap_dim(dim, x.ndim())?);
    }
    let keys = Keys::read(&lines.turned, "kthvalue: complex numbers have no order")?;
    let places =
        (0..lines.count()).filter_map(|line| first_of_line(&keys, line * length, length, k as usize, false).pop()).collect();
    let (values, indices) = lines.select(&x, places, 1, !keepdim && x.ndim() > 0)?;
    Ok(pair(exec::contiguous(&values)?, exec::contiguous(&indices)?))
}
