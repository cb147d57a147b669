//! Sums of products by a formula.
//!
//! All operands get all the dimensions, in one order. Two operands at a time are multiplied: dimensions that nobody needs further on are
//! summed by a product of batches of matrices, where dimensions that both have and that stay are the batches. Where nothing is to be
//! summed, elements are multiplied.

use super::formula::Formula;
use super::matrix::bmm_of;
use crate::dtype::DType;
use crate::kernel::fold::SUM;
use crate::layout::{Dims, Layout};
use crate::ops::exec::{self, Reduction};
use crate::ops::pointwise::arithmetic::MUL;
use crate::ops::reshape::reshape;
use crate::ops::{Args, FromValue, Operand};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

fn nothing_given() -> anyhow::Error {
    err!(
        ValueError,
        "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts list"
    )
}

pub(super) fn einsum(args: &Args) -> Result<Value> {
    let (equation, operands): (String, Vec<Tensor>) = args.take()?;
    if operands.is_empty() {
        return Err(nothing_given());
    }
    run(&equation, &operands)
}

/// Operands, each with a list of numbers (and at most one ellipsis) for its dimensions, then one for the result if it is given.
pub(super) fn by_numbers(args: &Args) -> Result<Value> {
    let items = args.value(0).sequence().unwrap_or_default();
    let Some((first, rest)) = items.split_first().filter(|(_, rest)| !rest.is_empty()) else {
        return Err(nothing_given());
    };
    match first {
        Value::Str(equation) => by_list(equation, rest),
        Value::Tensor(_) => by_pairs(&items),
        other => fault!(TypeError, "einsum(): argument 'equation' (position 1) must be str, not {}", other.type_name()),
    }
}

/// Operands that may be given as one list.
fn by_list(equation: &str, given: &[Value]) -> Result<Value> {
    if let [list @ (Value::List(_) | Value::Tuple(_) | Value::Size(_))] = given {
        let items = list.items().unwrap_or_default();
        return if items.is_empty() { Err(nothing_given()) } else { by_list(equation, &items) };
    }
    run(equation, &all_tensors(given)?)
}

fn all_tensors(given: &[Value]) -> Result<Vec<Tensor>> {
    let tensor = |(place, value): (usize, &Value)| match Tensor::from_value(value) {
        Some(tensor) => Ok(tensor),
        None => fault!(TypeError, "expected Tensor as element {place} in argument 1, but got {}", value.type_name()),
    };
    given.iter().enumerate().map(tensor).collect()
}

fn by_pairs(items: &[Value]) -> Result<Value> {
    let pairs = items.chunks_exact(2);
    let output = pairs.remainder().first();
    let (operands, lists): (Vec<Value>, Vec<&Value>) = pairs.map(|pair| (pair[0].clone(), &pair[1])).unzip();
    let inputs: Vec<String> = lists.into_iter().map(letters_of).collect::<Result<_>>()?;
    let mut equation = inputs.join(",");
    if let Some(output) = output {
        equation = format!("{equation}->{}", letters_of(output)?);
    }
    run(&equation, &all_tensors(&operands)?)
}

/// A list of numbers below 52 as letters; what is not such a list fails as comparing its members with 0 does in Python.
fn letters_of(list: &Value) -> Result<String> {
    if let Value::Tensor(numbers) = list {
        return letters_of_tensor(numbers);
    }
    let Some(items) = list.items() else {
        match list {
            Value::Str(text) if text.is_empty() => return Ok(String::new()),
            Value::Str(_) => return Err(unordered(list)),
            _ => fault!(TypeError, "'{}' object is not iterable", list.type_name()),
        }
    };
    items.iter().map(letter_of).collect()
}

/// A vector of whole numbers does for a list.
fn letters_of_tensor(numbers: &Tensor) -> Result<String> {
    match numbers.ndim() {
        0 => fault!(TypeError, "iteration over a 0-d tensor"),
        1 => {}
        _ if numbers.numel() == 0 => return Ok(String::new()),
        _ => fault!(RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"),
    }
    let values: Vec<f64> = exec::read_vec(numbers)?;
    if !numbers.dtype().is_integral(false) && values.first().is_some_and(|first| (0.0..52.0).contains(first)) {
        fault!(TypeError, "only integer tensors of a single element can be converted to an index");
    }
    values.iter().map(|value| letter_of(&Value::Int(*value as i64))).collect()
}

/// The letter that stands for a subscript.
fn letter_of(subscript: &Value) -> Result<String> {
    match subscript {
        Value::Ellipsis => Ok("...".to_string()),
        Value::Int(n @ 0..26) => Ok(char::from(b'A' + *n as u8).to_string()),
        Value::Int(n @ 26..52) => Ok(char::from(b'a' + (*n - 26) as u8).to_string()),
        Value::Float(x) if (0.0..52.0).contains(x) => {
            fault!(TypeError, "'float' object cannot be interpreted as an integer")
        }
        Value::Str(_) | Value::None => Err(unordered(subscript)),
        _ => fault!(ValueError, "einsum(): subscript in subscript list is not within the valid range [0, 52)"),
    }
}

/// A subscript that has no order with numbers.
fn unordered(subscript: &Value) -> anyhow::Error {
    err!(TypeError, "'>=' not supported between instances of '{}' and 'int'", subscript.type_name())
}

/// The node that PyTorch records for a formula: that of its last step. Of one operand that is a sum, or a change of order; of more it is
/// a product of elements, or what leaves the summed dimensions out.
pub(in crate::ops) fn last_step(equation: &str, operands: &[Tensor]) -> Result<&'static str> {
    let formula = Formula::read(equation, operands)?;
    Ok(match (operands.len(), formula.all > formula.kept) {
        (1, true) => "SumBackward1",
        (1, false) => "PermuteBackward0",
        (_, true) => "ViewBackward0",
        (_, false) => "MulBackward0",
    })
}

fn run(equation: &str, operands: &[Tensor]) -> Result<Value> {
    let formula = Formula::read(equation, operands)?;
    let (aligned, mut long) = formula.align(operands)?;
    let mut terms = aligned.into_iter();
    let Some(mut product) = terms.next() else { return Err(nothing_given()) };
    for term in terms {
        product = multiply(product, term, formula.kept, &mut long)?;
    }
    if formula.all == formula.kept {
        return Ok(product.into());
    }
    if operands.len() == 1 {
        let dims: Vec<usize> = (formula.kept..formula.all).collect();
        return Ok(sum(&product, &dims, false)?.into());
    }
    let layout = product.layout();
    Ok(product.alias(layout.view(&layout.sizes[..formula.kept])?)?.into())
}

/// The sum along dimensions, of integers as int64.
fn sum(x: &Tensor, dims: &[usize], stay: bool) -> Result<Tensor> {
    if dims.is_empty() {
        return Ok(x.clone());
    }
    let dtype = if x.dtype().is_integral(true) { DType::I64 } else { x.dtype() };
    let sums = exec::fold(&Reduction::new(&SUM, dtype), &exec::cast(x, dtype)?, dims, stay)?;
    Ok(sums.into_iter().next().unwrap_or_else(|| x.clone()))
}

fn is_long(x: &Tensor, dim: usize) -> bool {
    x.layout().sizes[dim] != 1
}

/// The product of two terms, summed along the dimensions from `kept` on that are longer than 1 in no other term; how many terms are
/// longer than 1 in each dimension is in `long`.
fn multiply(left: Tensor, right: Tensor, kept: usize, long: &mut [usize]) -> Result<Tensor> {
    let (mut both, mut of_left, mut of_right) = (vec![], vec![], vec![]);
    for (dim, count) in long.iter_mut().enumerate().skip(kept) {
        let summed = match (is_long(&left, dim), is_long(&right, dim)) {
            (true, true) => {
                *count -= 1;
                &mut both
            }
            (true, false) => &mut of_left,
            (false, true) => &mut of_right,
            (false, false) => continue,
        };
        if *count == 1 {
            *count = 0;
            summed.push(dim);
        }
    }
    let (left, right) = (sum(&left, &of_left, true)?, sum(&right, &of_right, true)?);
    match both.is_empty() {
        true => MUL.of("mul", &[Operand::Tensor(left), Operand::Tensor(right)], &[]),
        false => sum_of_products(left, right, &both),
    }
}

/// The sum of the products along dimensions in which both terms are longer than 1. These stay, with size 1.
fn sum_of_products(mut left: Tensor, mut right: Tensor, summed: &[usize]) -> Result<Tensor> {
    let (mut batches, mut rows, mut columns) = (vec![], vec![], vec![]);
    for dim in (0..left.ndim()).filter(|dim| !summed.contains(dim)) {
        match (is_long(&left, dim), is_long(&right, dim)) {
            (true, true) => batches.push(dim),
            (true, false) => rows.push(dim),
            _ => columns.push(dim),
        }
    }
    // When all columns come before all rows in the result, they change places, so that its elements lie in order.
    if !rows.is_empty() && columns.last().is_some_and(|last| *last < rows[0]) {
        std::mem::swap(&mut left, &mut right);
        std::mem::swap(&mut rows, &mut columns);
    }
    let product = bmm_of(&matrices(&left, [&batches, &rows, summed])?, &matrices(&right, [&batches, summed, &columns])?)?;
    let order = [&batches[..], &rows, summed, &columns].concat();
    let sizes: Dims = order.iter().map(|dim| if summed.contains(dim) { 1 } else { long_size(&left, &right, *dim) }).collect();
    let lying = Layout::contiguous(&sizes);
    let (mut sizes, mut strides) = (Dims::from_elem(1, order.len()), Dims::from_elem(1, order.len()));
    for (place, dim) in order.into_iter().enumerate() {
        (sizes[dim], strides[dim]) = (lying.sizes[place], lying.strides[place]);
    }
    product.alias(Layout::new(&sizes, &strides, 0))
}

/// The size of a dimension that one of two terms may have with size 1.
fn long_size(left: &Tensor, right: &Tensor, dim: usize) -> i64 {
    if is_long(left, dim) { left.layout().sizes[dim] } else { right.layout().sizes[dim] }
}

/// A term as a batch of matrices, of which each dimension is several of the term.
fn matrices(x: &Tensor, groups: [&[usize]; 3]) -> Result<Tensor> {
    let layout = x.layout();
    let pick = |of: &Dims| -> Dims { groups.concat().iter().map(|dim| of[*dim]).collect() };
    let turned = x.alias(Layout::new(&pick(&layout.sizes), &pick(&layout.strides), layout.offset))?;
    let shape = groups.map(|group| group.iter().map(|dim| layout.sizes[*dim]).product());
    reshape(&turned, &shape)
}
