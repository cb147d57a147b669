//! What is written before the first index out of range: PyTorch writes one element after another and looks at each index on its
//! way, so the elements before it have changed when the error comes.

use crate::dtype::DType;
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
    let turn: Dims = order.iter().map(|k| *k as i64).collect();
    let turned = |t: &Tensor| t.alias(t.layout().permute(&turn)?);
    let walked = turned(index)?;
    let numbers = exec::read_vec::<i64>(&exec::cast(&walked, DType::I64)?)?;
    let size = table.sizes()[dim];
    let inside = numbers.iter().take_while(|i| (0..size).contains(*i)).count();
    let outside = numbers.get(inside).copied().unwrap_or(size);
    let (steps, sizes) = (Layout::contiguous(&table.sizes()).strides, walked.sizes());
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
    let values = reshape(&turned(values)?, &[-1])?;
    let values = values.alias(values.layout().narrow(0, 0, inside as i64)?)?;
    write(&flat, 0, exec::from_vec(&cells, &[inside as i64])?, &values)?;
    if !line.same(table) {
        exec::copy(table, &line)?;
    }
    Ok(outside)
}

/// The order in which a scatter walks over its index, outermost dimension first: along `dim` innermost, but where the elements
/// behind it that lie in a row are as many.
pub(super) fn scatter_order(table: &[i64], dim: usize, walked: &[i64]) -> Vec<usize> {
    let ndim = walked.len();
    let mut row = ndim.max(dim + 2) - 1;
    while row > dim + 1 && walked[row] == table[row] {
        row -= 1;
    }
    let length: i64 = walked.iter().skip(row).product();
    let (before, behind) = ((0..dim).chain(dim + 1..row.min(ndim)), row..ndim);
    match row < ndim && length >= walked[dim] {
        true => before.chain([dim]).chain(behind).collect(),
        false => before.chain(behind).chain([dim]).collect(),
    }
}

/// The order that goes slice by slice along `dim`.
pub(super) fn slice_order(ndim: usize, dim: usize) -> Vec<usize> {
    std::iter::once(dim).chain((0..ndim).filter(|k| *k != dim)).collect()
}
