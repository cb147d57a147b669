//! Looking for values in sorted and unsorted elements.

use super::lines::compare_floats;
use crate::dtype::{DType, Number};
use crate::kernel::element::Element;
use crate::ops::{Args, Operand, exec, rare};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::hint::select_unpredictable;

/// An operand as a tensor: a number becomes a 0-d one.
fn tensor(operand: &Operand) -> Result<Tensor> {
    match operand {
        Operand::Tensor(t) => Ok(t.clone()),
        Operand::Number(Number::Float(f)) => exec::from_vec(&[*f], &[]),
        Operand::Number(Number::Complex(c)) => exec::from_vec(&[*c], &[]),
        Operand::Number(Number::Bool(b)) => exec::cast(&exec::from_vec(&[i64::from(*b)], &[])?, DType::Bool),
        Operand::Number(n) => exec::from_vec(&[n.to_i64()], &[]),
    }
}

pub(super) fn searchsorted(args: &Args) -> Result<Value> {
    type Taken = (Tensor, Operand, bool, bool, Option<String>, Option<Tensor>);
    let (sequence, operand, int32, right, side, sorter): Taken = args.take()?;
    let right = match side.as_deref() {
        None => right,
        Some("right") => true,
        Some("left") if right => fault!(
            RuntimeError,
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        ),
        Some("left") => false,
        Some(other) => fault!(RuntimeError, "torch.searchsorted(): side can only be 'left' or 'right' but got {other}"),
    };
    let order: Option<Vec<i64>> = sorter.map(|s| places(&s, &sequence)).transpose()?;
    found(args, sequence, operand, [int32, right], order)
}

pub(super) fn bucketize(args: &Args) -> Result<Value> {
    let (operand, boundaries, int32, right): (Operand, Tensor, bool, bool) = args.take()?;
    if boundaries.ndim() != 1 {
        fault!(RuntimeError, "boundaries tensor must be 1 dimension, but got dim({})", boundaries.ndim());
    }
    found(args, boundaries, operand, [int32, right], None)
}

/// The places in a sorted sequence, as int32 or int64, left or right of what equals a value.
fn found(args: &Args, sequence: Tensor, operand: Operand, [int32, right]: [bool; 2], order: Option<Vec<i64>>) -> Result<Value> {
    let values = tensor(&operand)?;
    let (sizes, wanted) = (sequence.sizes(), values.sizes());
    if wanted.is_empty() && sizes.len() != 1 {
        fault!(
            RuntimeError,
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries tensor dim({}) and input value's dim(0) numel(1)",
            sizes.len()
        );
    }
    let Some((&length, lead)) = sizes.split_last() else {
        fault!(RuntimeError, "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension");
    };
    let one_line = sizes.len() == 1;
    if !one_line && (wanted.len() != sizes.len() || wanted[..lead.len()] != *lead) {
        fault!(
            RuntimeError,
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value tensor must match, but we got boundaries tensor {:?} and input value tensor {:?}",
            sizes.as_slice(),
            wanted.as_slice()
        );
    }
    if let Some(out) = args.target().filter(|out| out.dtype() != if int32 { DType::I32 } else { DType::I64 }) {
        fault!(
            RuntimeError,
            "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on whether out_int32 flag is True, but we got output tensor's dtype {} and out_int32 flag is {}",
            out.dtype().title(),
            if int32 { "True" } else { "False" }
        );
    }
    let lines = if one_line { 1 } else { lead.iter().product::<i64>() as usize };
    // Nothing at all needs no kernel. Else both are compared in the dtype that they convert to; whole numbers exactly.
    if values.numel() == 0 {
        return Ok(Value::Tensor(exec::zeros(&wanted, if int32 { DType::I32 } else { DType::I64 }, values.device())?));
    }
    let common = exec::common_dtype(&[Operand::Tensor(sequence.clone()), operand])?;
    if common == DType::Bool || common.is_complex() || rare::is_rare(common) {
        fault!(NotImplementedError, "\"searchsorted_out_cpu\" not implemented for '{}'", common.title());
    }
    let search = Search { length: length as usize, lines, order, right };
    let (sequence, values) = (exec::cast(&sequence, common)?, exec::cast(&values, common)?);
    let places = match common.is_integral(true) {
        true => search.all::<i64>(&sequence, &values)?,
        false => search.all::<f64>(&sequence, &values)?,
    };
    let found = exec::from_vec(&places, &wanted)?;
    Ok(Value::Tensor(if int32 { exec::cast(&found, DType::I32)? } else { found }))
}

/// Lines of sorted elements, in which as many groups of values look for their places.
struct Search {
    length: usize,
    lines: usize,
    order: Option<Vec<i64>>,
    right: bool,
}

/// Values that are not worth a thread of their own.
const FEW: usize = 1 << 12;

impl Search {
    fn all<T: Element + PartialOrd>(&self, sequence: &Tensor, values: &Tensor) -> Result<Vec<i64>> {
        exec::read(sequence, |sorted| exec::read(values, |needles| self.places::<T>(sorted, needles)))?
    }

    fn places<T: PartialOrd + Copy + Sync>(&self, sorted: &[T], needles: &[T]) -> Vec<i64> {
        let per_line = (needles.len() / self.lines.max(1)).max(1);
        let place = |(n, needle): (usize, &T)| {
            let base = n / per_line * self.length;
            let at = |i: usize| sorted[base + self.order.as_ref().map_or(i, |o| o[base + i] as usize)];
            // Said by what does not hold: no comparison with NaN does, so NaN comes after everything on either side.
            partition(self.length, |i| !(if self.right { at(i) > *needle } else { at(i) >= *needle })) as i64
        };
        needles.par_iter().enumerate().with_min_len(FEW).map(place).collect()
    }
}

/// What `sorter=` says: for each line the places of its elements in order.
fn places(sorter: &Tensor, sequence: &Tensor) -> Result<Vec<i64>> {
    let sizes = sequence.sizes();
    if sorter.sizes() != sizes {
        fault!(
            RuntimeError,
            "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor {:?}and got sorter tensor {:?}",
            sizes.as_slice(),
            sorter.sizes().as_slice()
        );
    }
    if sorter.dtype() != DType::I64 {
        fault!(
            RuntimeError,
            "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype {}",
            sorter.dtype().title()
        );
    }
    let places: Vec<i64> = exec::read_vec(sorter)?;
    if places.iter().any(|p| !(0..*sizes.last().unwrap_or(&0)).contains(p)) {
        fault!(RuntimeError, "torch.searchsorted(): sorter index out of range");
    }
    Ok(places)
}

/// The first place of `0..length` where `before` is false; it must be true up to there and false from there. Without a branch on
/// what is found, which no processor can foresee.
fn partition(length: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, length);
    while low < high {
        let middle = (low + high) / 2;
        let is_before = before(middle);
        low = select_unpredictable(is_before, middle + 1, low);
        high = select_unpredictable(is_before, high, middle);
    }
    low
}

pub(super) fn isin(args: &Args) -> Result<Value> {
    let (elements, tests, unique, invert): (Operand, Operand, bool, bool) = args.take()?;
    let operands = [elements, tests];
    let [elements, tests] = [tensor(&operands[0])?, tensor(&operands[1])?];
    for x in [&elements, &tests] {
        if matches!(x.dtype(), DType::Bool | DType::C64 | DType::C128) {
            fault!(NotImplementedError, "Unsupported input type encountered for isin(): {}", x.dtype().title());
        }
    }
    let common = exec::common_dtype(&operands)?;
    // PyTorch compares with a number, sorts many test elements, and has a kernel for a few.
    let few = tests.numel() < (10.0 * (elements.numel() as f64).powf(0.145)) as i64;
    if few && elements.numel() > 0 && matches!(operands[1], Operand::Tensor(_)) {
        if rare::is_rare(common) || common.is_complex() {
            fault!(NotImplementedError, "\"isin_default_cpu\" not implemented for '{}'", common.title());
        }
        exec::cast(&tests, common)?.layout().view(&[-1])?;
    }
    let sorts = unique && !few && elements.numel() > 0 && matches!(operands, [Operand::Tensor(_), Operand::Tensor(_)]);
    let lists = [exec::cast(&elements, common)?, exec::cast(&tests, common)?];
    let found = match common.is_integral(true) {
        true => among::<i64>(lists, Ord::cmp, sorts)?,
        false => among::<f64>(lists, |a, b| compare_floats(*a, *b), sorts)?,
    };
    let found: Vec<i64> = found.into_iter().map(|is_in| i64::from(is_in != invert)).collect();
    Ok(Value::Tensor(exec::cast(&exec::from_vec(&found, &elements.sizes())?, DType::Bool)?))
}

/// Whether each element of the first list is in the second; `sorts` when neither is to say anything twice.
fn among<T: Element + PartialEq>(lists: [Tensor; 2], order: impl Fn(&T, &T) -> Ordering, sorts: bool) -> Result<Vec<bool>> {
    let (elements, mut tests): (Vec<T>, Vec<T>) = (exec::read_vec(&lists[0])?, exec::read_vec(&lists[1])?);
    if sorts {
        return Ok(in_unique(&elements, &tests, order));
    }
    tests.sort_by(&order);
    // NaN is in no list.
    let is_in = |e: &T| tests.binary_search_by(|t| order(t, e)).is_ok_and(|place| tests[place] == *e);
    Ok(elements.iter().map(is_in).collect())
}

/// Which elements equal what comes after them among all elements and test elements in order: as long as neither list says anything
/// twice, those are in both.
fn in_unique<T: Copy + PartialEq>(elements: &[T], tests: &[T], order: impl Fn(&T, &T) -> Ordering) -> Vec<bool> {
    let all: Vec<T> = elements.iter().chain(tests).copied().collect();
    let mut places: Vec<usize> = (0..all.len()).collect();
    places.sort_by(|a, b| order(&all[*a], &all[*b]));
    let mut found = vec![false; all.len()];
    for pair in places.windows(2) {
        found[pair[0]] = all[pair[0]] == all[pair[1]];
    }
    found.truncate(elements.len());
    found
}
