//! What is written before the first index out of range: PyTorch writes one element after another and looks at each index on its
//! way, so the elements before it have changed when the error comes.

use crate::dtype::DType;
use crate::kernel::order::order;
use crate::layout::{Dims, Layout};
use crate::ops::exec;
use crate::ops::reshape::reshape;
use crate::tensor::Tensor;
use anyhow::Result;

/// What writes values to the places of a table that an index names along a dimension.
pub(super) type Write<'a> = &'a dyn Fn(&Tensor, usize, Tensor, &Tensor) -> Result<()>;

/// Writes the values that a walk over `index` comes to before the first index out of range, and gives that index. `order` tells
/// the dimensions of the walk, the outermost first.
pub(super) fn write_before(
    table: &Tensor,
    dim: usize,
    index: &Tensor,
    values: &Tensor,
    order: &[usize],
    write: Write,
) -> Result<i64> {
    let numbers = numbers(index, order)?;
    let size = table.sizes()[dim];
    let inside = numbers.iter().take_while(|i| (0..size).contains(*i)).count();
    let outside = numbers.get(inside).copied().unwrap_or(size);
    let (steps, sizes) = (Layout::contiguous(&table.sizes()).strides, turned(index, order)?.sizes());
    let cell = |(place, number): (usize, &i64)| {
        let mut rest = place as i64;
        let mut cell = number * steps[dim];
        for (k, size) in order.iter().zip(&sizes).rev() {
            if *k != dim {
                cell += rest % size * steps[*k];
            }
            rest /= size;
        }
        cell
    };
    let cells: Vec<i64> = numbers.iter().take(inside).enumerate().map(cell).collect();
    let line = exec::contiguous(table)?;
    let flat = line.alias(Layout { offset: line.layout().offset, ..Layout::contiguous(&[line.numel()]) })?;
    let values = reshape(&turned(values, order)?, &[-1])?;
    let values = values.alias(values.layout().narrow(0, 0, inside as i64)?)?;
    write(&flat, 0, exec::from_vec(&cells, &[inside as i64])?, &values)?;
    if !line.same(table) {
        exec::copy(table, &line)?;
    }
    Ok(outside)
}

/// The order in which PyTorch walks over an index of these sizes and over the operands beside it, the one that is written to first: the
/// dimensions, the outermost first. `dim` is the innermost if it is the last one; else it is outside the row, the innermost of the
/// others with those that every operand walks as one with it.
pub(super) fn walk_order(dim: usize, sizes: &[i64], operands: &[&Layout]) -> Vec<usize> {
    let others: Vec<usize> = (0..sizes.len()).filter(|k| *k != dim).collect();
    let of = |dims: &[i64]| others.iter().map(|k| dims[*k]).collect::<Dims>();
    let (lengths, strides) = (of(sizes), operands.iter().map(|layout| of(&layout.strides)).collect::<Vec<Dims>>());
    let order = order(&lengths, strides.iter().map(|s| s.as_slice()));
    let (mut length, mut first) = (1, None);
    let joins = |k: &&usize| {
        let k = **k;
        let follows = |first: usize| strides.iter().all(|s| s[k] == s[first] * length);
        let joins = lengths[k] == 1 || first.is_none_or(follows);
        first = first.or((lengths[k] != 1).then_some(k));
        length *= lengths[k];
        joins
    };
    let row = order.iter().take_while(joins).count();
    let mut walk: Vec<usize> = order.iter().rev().map(|k| others[*k]).collect();
    walk.insert(if dim + 1 == sizes.len() { walk.len() } else { walk.len() - row }, dim);
    walk
}

/// The first index of such a walk that is not in `0..size`.
pub(super) fn first_outside(index: &Tensor, order: &[usize], size: i64) -> Result<Option<i64>> {
    Ok(numbers(index, order)?.into_iter().find(|i| !(0..size).contains(i)))
}

/// The tensor with its dimensions in the order of a walk.
fn turned(t: &Tensor, order: &[usize]) -> Result<Tensor> {
    let turn: Dims = order.iter().map(|k| *k as i64).collect();
    t.alias(t.layout().permute(&turn)?)
}

/// The indices as a walk comes to them.
fn numbers(index: &Tensor, order: &[usize]) -> Result<Vec<i64>> {
    exec::read_vec::<i64>(&exec::cast(&turned(index, order)?, DType::I64)?)
}

/// The order that goes slice by slice along `dim`.
pub(super) fn slice_order(ndim: usize, dim: usize) -> Vec<usize> {
    std::iter::once(dim).chain((0..ndim).filter(|k| *k != dim)).collect()
}
