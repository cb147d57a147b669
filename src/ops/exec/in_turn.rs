//! Writes that see themselves: a tensor that is changed while it is read elsewhere, as in `x[:, 1:] += x[:, :-1]`.
//!
//! Two views with gaps between their elements are not seen to share some, so nothing is refused, and PyTorch goes through the memory
//! in order: what it reads there it may just have written. Lines without gaps go by blocks of its vectors, all else one by one.

use super::place::place;
use crate::kernel::order::{expanded_strides, order};
use crate::kernel::overlap::{Overlap, overlap};
use crate::layout::{Dims, Layout};
use crate::tensor::Tensor;
use anyhow::Result;

/// The most elements that are gone through in order; of more, all are read before any is written.
const MOST: i64 = 1 << 12;

/// The bytes that PyTorch reads of an operand before it writes: two vectors.
const BLOCK: usize = 64;

/// True when `read` may share elements with `written` that lie elsewhere there, and there are few enough to go one by one.
pub fn meets(written: &Tensor, read: &Tensor) -> bool {
    let (Ok(to), Ok(from)) = (written.strided(), read.strided()) else { return false };
    to.storage.same(&from.storage)
        && is_few(&to.layout)
        && overlap(place(&to, written.dtype().size()), place(&from, read.dtype().size())) == Overlap::Possible
}

/// True when so many elements are written one by one.
pub fn is_few(layout: &Layout) -> bool {
    (2..=MOST).contains(&layout.numel())
}

/// A block of `read` for a block of what is written: of more than one element, or of one that is not as wide as the `size` in bytes of
/// what is written there, all are read before.
///
/// Fails when there is no room for a copy.
pub fn block(read: &Tensor, part: &Layout, size: usize) -> Result<Tensor> {
    let part = read.alias(part.clone())?;
    if part.numel() > 1 || read.dtype().size() != size { super::convert::clone(&part) } else { Ok(part) }
}

/// One dimension of a walk: its size, and the step of each operand.
struct Loop {
    size: i64,
    steps: Dims,
}

/// Calls `visit` with the layouts of one block of every operand after the other, in the order of the first one's memory.
/// The operands, layouts that broadcast to the first one's sizes, see what was written before.
///
/// Fails when `visit` does.
pub fn each_block(operands: &[&Layout], element: usize, mut visit: impl FnMut(&[Layout]) -> Result<()>) -> Result<()> {
    let Some(written) = operands.first() else { return Ok(()) };
    let loops = loops(operands, &written.sizes);
    let (inner, outer) = match loops.split_last() {
        Some((inner, outer)) => (inner.size, outer),
        None => (1, &loops[..]),
    };
    let steps: Dims = loops.last().map_or_else(|| Dims::from_elem(0, operands.len()), |inner| inner.steps.clone());
    let is_line = steps[0] == 1 && steps.iter().all(|step| (0..=1).contains(step));
    let block = if is_line { (BLOCK / element.max(1)) as i64 } else { i64::MAX };
    for place in 0..outer.iter().map(|l| l.size).product() {
        let mut at: Dims = operands.iter().map(|layout| layout.offset).collect();
        let mut rest = place;
        for l in outer.iter().rev() {
            let index = rest % l.size;
            rest /= l.size;
            at.iter_mut().zip(&l.steps).for_each(|(at, step)| *at += step * index);
        }
        let mut done = 0;
        while done < inner {
            let count = if inner - done >= block { block } else { 1 };
            let part = |(at, step): (&i64, &i64)| Layout::new(&[count], &[if count == 1 { 1 } else { *step }], at + step * done);
            visit(&at.iter().zip(&steps).map(part).collect::<Vec<_>>())?;
            done += count;
        }
    }
    Ok(())
}

/// The dimensions of a walk in PyTorch's order, the outermost first, joined where all operands go on evenly.
fn loops(operands: &[&Layout], sizes: &[i64]) -> Vec<Loop> {
    let strides: Vec<Dims> = operands.iter().map(|layout| expanded_strides(layout, sizes)).collect();
    let mut loops: Vec<Loop> = vec![];
    for k in order(sizes, strides.iter().map(|s| s.as_slice())).into_iter().rev().filter(|k| sizes[*k] != 1) {
        let inner = Loop { size: sizes[k], steps: strides.iter().map(|strides| strides[k]).collect() };
        match loops.last_mut() {
            Some(outer) if outer.steps.iter().zip(&inner.steps).all(|(outer, step)| *outer == step * inner.size) => {
                *outer = Loop { size: outer.size * inner.size, steps: inner.steps };
            }
            _ => loops.push(inner),
        }
    }
    loops
}
