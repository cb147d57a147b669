//! Whole rows of gapless floats written where indices say, shared out among threads by where they go.

use crate::device::DeviceId;
use crate::dtype::DType;
use crate::kernel::element::Element;
use crate::kernel::pieces::each;
use crate::ops::exec;
use crate::tensor::Tensor;
use anyhow::Result;
use std::ops::AddAssign;

/// Rows shorter than this are written element by element.
const SHORT: usize = 16;

/// Adds the slices of `source` along `dim` to those of `table` that `index` names, whose numbers are in range. False where nothing
/// was done, since something does not lie so.
pub(super) fn add(table: &Tensor, dim: usize, index: &Tensor, source: &Tensor) -> Result<bool> {
    match table.dtype() {
        DType::F32 => write(table, dim, index, source, sum::<f32>),
        DType::F64 => write(table, dim, index, source, sum::<f64>),
        _ => Ok(false),
    }
}

/// As [`add`], with the slices copied.
pub(super) fn copy(table: &Tensor, dim: usize, index: &Tensor, source: &Tensor) -> Result<bool> {
    match table.dtype() {
        DType::F32 => write(table, dim, index, source, <[f32]>::copy_from_slice),
        DType::F64 => write(table, dim, index, source, <[f64]>::copy_from_slice),
        DType::I64 => write(table, dim, index, source, <[i64]>::copy_from_slice),
        _ => Ok(false),
    }
}

fn sum<T: Copy + AddAssign>(to: &mut [T], from: &[T]) {
    to.iter_mut().zip(from).for_each(|(to, x)| *to += *x);
}

fn write<T: Element>(table: &Tensor, dim: usize, index: &Tensor, source: &Tensor, f: fn(&mut [T], &[T])) -> Result<bool> {
    let sizes = table.sizes();
    let inner = sizes[dim + 1..].iter().product::<i64>() as usize;
    let lies = [table, source].iter().all(|t| !t.is_sparse() && t.device() == DeviceId::Cpu && !t.is_conj() && !t.is_neg());
    if inner < SHORT || !lies || !table.layout().is_plain() || source.dtype() != table.dtype() || source.numel() == 0 {
        return Ok(false);
    }
    if table.storage()?.serial() == source.storage()?.serial() {
        return Ok(false);
    }
    let places = exec::read_vec::<i64>(index)?;
    let size = sizes[dim] as usize;
    // As many rows for each thread as make it worth one, in the order of their numbers.
    let together = size.div_ceil(PARTS);
    exec::read::<T, _>(source, |from| {
        exec::change::<T, _>(table, |to| {
            for (to, from) in to.chunks_mut(size * inner).zip(from.chunks(places.len() * inner)) {
                each(to, together * inner, places.len() * inner / PARTS, |part, to| {
                    let mine = part * together..(part + 1) * together;
                    for (place, from) in places.iter().zip(from.chunks(inner)) {
                        if mine.contains(&(*place as usize)) {
                            f(&mut to[(*place as usize - mine.start) * inner..][..inner], from);
                        }
                    }
                });
            }
        })
    })??;
    Ok(true)
}

/// Parts of the rows of a table.
const PARTS: usize = 16;
