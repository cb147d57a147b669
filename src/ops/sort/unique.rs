//! Different elements and slices.

use super::lines::Keys;
use crate::dtype::DType;
use crate::layout::{Dims, Layout, real_dim};
use crate::ops::{Args, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use std::cmp::Ordering;

/// Slices of equal length that can be compared: the elements of a tensor, or its slices along a dimension.
struct Slices {
    keys: Keys,
    bytes: Vec<u8>,
    count: usize,
    length: usize,
    /// Sizes with the number of slices first.
    sizes: Dims,
}

impl Slices {
    fn new(x: &Tensor, dim: Option<i64>) -> Result<Slices> {
        let mut layout = (*x.layout()).clone();
        let turned = match dim {
            Some(dim) => {
                let dim = real_dim(dim, x.ndim())?;
                let (size, stride) = (layout.sizes.remove(dim), layout.strides.remove(dim));
                layout.sizes.insert(0, size);
                layout.strides.insert(0, stride);
                x.alias(layout)?
            }
            None => exec::contiguous(x)?,
        };
        let numel = turned.numel() as usize;
        let (count, sizes) = match dim {
            Some(_) => (turned.sizes()[0] as usize, turned.sizes()),
            None => (numel, Dims::from_slice(&[numel as i64])),
        };
        let keys = Keys::read(&turned, "unique: complex numbers have no order")?;
        Ok(Slices { keys, bytes: exec::bytes(&turned)?, count, length: numel.checked_div(count).unwrap_or(0), sizes })
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        (0..self.length)
            .map(|i| self.keys.compare(a * self.length + i, b * self.length + i))
            .find(|o| o.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    fn equal(&self, a: usize, b: usize) -> bool {
        (0..self.length).all(|i| self.keys.equal(a * self.length + i, b * self.length + i))
    }

    /// True when a slice is less than another where they differ first; NaN, which is neither less nor greater, is passed over.
    fn is_less(&self, a: usize, b: usize) -> bool {
        let (a, b) = (a * self.length, b * self.length);
        let differ = |i: &usize| {
            let (p, q) = (a + i, b + i);
            self.keys.equal(p, p) && self.keys.equal(q, q) && !self.keys.equal(p, q)
        };
        (0..self.length).find(differ).is_some_and(|i| self.keys.compare(a + i, b + i).is_lt())
    }

    /// Sorts by insertion, which tells where slices with NaN among them end up: what is less than the first goes there.
    fn sort_few(&self, order: &mut [usize]) {
        for i in 1..order.len() {
            let mut place = i;
            if self.is_less(order[i], order[0]) {
                place = 0;
            }
            while place > 0 && self.is_less(order[i], order[place - 1]) {
                place -= 1;
            }
            order[place..=i].rotate_right(1);
        }
    }

    /// Groups neighbours in `order` that are equal: the first of each group, the group of each slice, the sizes of the groups.
    fn group(&self, order: &[usize]) -> Groups {
        let mut groups = Groups { first: vec![], inverse: vec![0; order.len()], counts: vec![] };
        for (n, &place) in order.iter().enumerate() {
            if n == 0 || !self.equal(order[n - 1], place) {
                groups.first.push(place);
                groups.counts.push(0);
            }
            let group = groups.first.len() - 1;
            groups.inverse[place] = group as i64;
            groups.counts[group] += 1;
        }
        groups
    }

    /// The chosen slices as a tensor, the slices along `dim` again.
    fn choose(&self, x: &Tensor, places: &[usize], dim: Option<i64>) -> Result<Tensor> {
        let size = self.length * x.dtype().size();
        let bytes: Vec<u8> = places.iter().flat_map(|p| &self.bytes[p * size..(p + 1) * size]).copied().collect();
        let mut sizes = self.sizes.clone();
        sizes[0] = places.len() as i64;
        let chosen = exec::from_bytes(&bytes, &sizes, x.dtype())?;
        let Some(dim) = dim else { return Ok(chosen) };
        let dim = real_dim(dim, x.ndim())?;
        let mut layout = (*chosen.layout()).clone();
        let (size, stride) = (layout.sizes.remove(0), layout.strides.remove(0));
        layout.sizes.insert(dim, size);
        layout.strides.insert(dim, stride);
        chosen.alias(if chosen.numel() == 0 { Layout::contiguous(&layout.sizes) } else { layout })
    }
}

struct Groups {
    first: Vec<usize>,
    inverse: Vec<i64>,
    counts: Vec<i64>,
}

pub(super) fn unique(args: &Args) -> Result<Value> {
    let (x, _sorted, inverse, counts, dim): (Tensor, bool, bool, bool, Option<i64>) = args.take()?;
    let asked = Asked::new(inverse, counts);
    if dim.is_none() && !x.dtype().is_complex() {
        return elements(&x, true, asked);
    }
    require_rows(&x, dim, dim.is_some())?;
    let slices = Slices::new(&x, dim)?;
    let mut order: Vec<usize> = (0..slices.count).collect();
    match order.len() <= FEW && order.iter().any(|a| !slices.equal(*a, *a)) {
        true => slices.sort_few(&mut order),
        false => order.sort_by(|&a, &b| slices.compare(a, b)),
    }
    finish(&x, &slices, &order, dim, asked)
}

/// So many slices are sorted by insertion.
const FEW: usize = 16;

pub(super) fn unique_consecutive(args: &Args) -> Result<Value> {
    let (x, inverse, counts, dim): (Tensor, bool, bool, Option<i64>) = args.take()?;
    consecutive(&x, dim, Asked::new(inverse, counts))
}

/// As a function with flags by place: PyTorch looks for each flag, when it chooses the results, in the place of the other one.
pub(super) fn unique_consecutive_by_place(args: &Args) -> Result<Value> {
    let (x, inverse, counts, dim): (Tensor, bool, bool, Option<i64>) = args.take()?;
    consecutive(&x, dim, Asked { given: [counts, inverse], ..Asked::new(inverse, counts) })
}

/// As [`unique_consecutive_by_place`], with the flag for counts by name.
pub(super) fn unique_consecutive_by_both(args: &Args) -> Result<Value> {
    let (x, inverse, counts, dim): (Tensor, bool, bool, Option<i64>) = args.take()?;
    consecutive(&x, dim, Asked { given: [false, counts], ..Asked::new(inverse, counts) })
}

/// Which of the groups and their sizes are worked out, and which are given: what is not worked out is empty.
#[derive(Clone, Copy)]
struct Asked {
    made: [bool; 2],
    given: [bool; 2],
}

impl Asked {
    fn new(inverse: bool, counts: bool) -> Asked {
        Asked { made: [inverse, counts], given: [inverse, counts] }
    }
}

fn consecutive(x: &Tensor, dim: Option<i64>, asked: Asked) -> Result<Value> {
    let of_slices = dim.is_some_and(|dim| dim != 0 || x.ndim() != 1);
    if !of_slices && !x.dtype().is_complex() {
        return elements(x, false, asked);
    }
    require_rows(x, dim, of_slices)?;
    let slices = Slices::new(x, dim)?;
    let order: Vec<usize> = (0..slices.count).collect();
    finish(x, &slices, &order, dim, asked)
}

/// Fails with a `NotImplementedError` for complex numbers, which have no order, by the kernel of elements or of slices, and with a
/// `RuntimeError` when the slices along `dim` have no elements.
fn require_rows(x: &Tensor, dim: Option<i64>, of_slices: bool) -> Result<()> {
    if x.dtype().is_complex() {
        let kernel = if of_slices { "unique_dim" } else { "unique" };
        fault!(NotImplementedError, "\"{kernel}\" not implemented for '{}'", x.dtype().title());
    }
    let Some(dim) = dim else { return Ok(()) };
    let dim = real_dim(dim, x.ndim())?;
    let sizes = x.sizes();
    let empty = |all: bool| sizes.iter().enumerate().filter(|(k, size)| **size == 0 && (all || *k != dim)).count();
    if sizes[dim..].first() == Some(&0) && empty(true) > 1 {
        fault!(RuntimeError, "Number of zero sized dimensions is more than one, so unique cannot be applied ");
    }
    if empty(false) > 0 {
        fault!(RuntimeError, "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
    }
    Ok(())
}

/// The different elements of a tensor.
fn elements(x: &Tensor, sort: bool, asked: Asked) -> Result<Value> {
    let [inverse, counts] = asked.made;
    let [values, groups, sizes] = exec::distinct(x, sort, inverse, counts)?;
    let empty = || exec::zeros(&[0], DType::I64, x.device());
    let groups = if inverse { groups.alias(Layout::contiguous(&x.sizes()))? } else { empty()? };
    let sizes = if counts { sizes } else { empty()? };
    Ok(chosen(values, [groups, sizes], asked))
}

fn finish(x: &Tensor, slices: &Slices, order: &[usize], dim: Option<i64>, asked: Asked) -> Result<Value> {
    let groups = slices.group(order);
    let values = slices.choose(x, &groups.first, dim)?;
    let sizes = if dim.is_some() { Dims::from_slice(&[slices.count as i64]) } else { x.sizes() };
    let inverse = exec::from_vec(&groups.inverse, &sizes)?;
    let counts = exec::from_vec(&groups.counts, &[groups.counts.len() as i64])?;
    Ok(chosen(values, [inverse, counts], asked))
}

/// The values, alone or with what is given beside them.
fn chosen(values: Tensor, others: [Tensor; 2], asked: Asked) -> Value {
    let others = others.into_iter().zip(asked.given).filter(|(_, given)| *given).map(|(other, _)| other.into());
    let mut results: Vec<Value> = std::iter::once(values.into()).chain(others).collect();
    if results.len() == 1 { results.remove(0) } else { Value::tuple(results) }
}
