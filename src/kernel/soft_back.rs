//! The way back through softmax and its logarithm, with the bits that PyTorch has for float32: where its compiler joined a product and
//! a sum, they are joined here.

use super::fold::Spread;
use super::isa::{pick, versions};
use super::soft::Soften;
use crate::dtype::DType;
use anyhow::Result;
use num_traits::Float;
use std::ops::Range;

/// Lines of a result of softmax, or of its logarithm, and of what came back to it; they lie as in [`super::soft::Task`].
pub struct Task {
    /// True for the logarithm.
    pub is_log: bool,
    /// float32 or float64.
    pub dtype: DType,
    /// How many slabs.
    pub outer: usize,
    /// Elements of a line.
    pub length: usize,
    /// Lines of a slab.
    pub inner: usize,
    /// The first element of what came back.
    pub grad: *const u8,
    /// The first element of the result.
    pub result: *const u8,
    /// The first element of the gradient.
    pub output: *mut u8,
}

// SAFETY: the addresses belong to the launch that made the task; slabs write their own results.
unsafe impl Sync for Task {}

/// Elements of the widest vector.
const WIDEST: usize = 16;

/// Runs a task, slabs side by side.
///
/// # Safety
/// The elements are readable and the results writable.
pub unsafe fn run(task: &Task, spread: Spread) -> Result<()> {
    let run = if task.dtype == DType::F64 { pick(slab_versions::<f64>()) } else { pick(slab_versions::<f32>()) };
    // SAFETY: the caller's promise; slabs are disjoint.
    spread(task.outer, task.length * task.inner * 4, &|range| unsafe { run(task, range) })
}

versions! { fn slab_versions<T: Soften>(task: &Task, slabs: Range<usize>) = some_slabs }

#[inline(always)]
unsafe fn some_slabs<T: Soften>(task: &Task, slabs: Range<usize>) {
    let size = task.length * task.inner;
    let vector = T::vector();
    for slab in slabs {
        // SAFETY: the caller's promise.
        let (grad, result, to) = unsafe {
            (
                std::slice::from_raw_parts((task.grad as *const T).add(slab * size), size),
                std::slice::from_raw_parts((task.result as *const T).add(slab * size), size),
                std::slice::from_raw_parts_mut((task.output as *mut T).add(slab * size), size),
            )
        };
        match task.inner {
            1 => line(task.is_log, vector, grad, result, to),
            inner => columns(task.is_log, vector, inner, [grad, result], to),
        }
    }
}

/// A line of neighbours.
#[inline(always)]
fn line<T: Soften>(is_log: bool, vector: usize, grad: &[T], result: &[T], to: &mut [T]) {
    let sum = line_sum(is_log, vector, grad, result);
    for ((to, g), y) in to.iter_mut().zip(grad).zip(result) {
        *to = if is_log { (-y.exp_in_line()).mul_add(sum, *g) } else { (*g - sum) * *y };
    }
}

/// The sum of what came back, or of its products with the result: in as many lanes as a vector has elements; in a line shorter than that
/// from left to right. Products that do not fill a vector are added before they are rounded.
#[inline(always)]
fn line_sum<T: Soften>(is_log: bool, vector: usize, grad: &[T], result: &[T]) -> T {
    let term = |k: usize| if is_log { grad[k] } else { grad[k] * result[k] };
    if grad.len() < vector {
        return (1..grad.len()).fold(term(0), |sum, k| sum + term(k));
    }
    let mut lanes = [T::zero(); WIDEST];
    let whole = grad.len() / vector * vector;
    for start in (0..whole).step_by(vector) {
        for (k, lane) in lanes.iter_mut().enumerate().take(vector) {
            *lane = if start == 0 { term(k) } else { *lane + term(start + k) };
        }
    }
    for k in whole..grad.len() {
        let lane = &mut lanes[k - whole];
        *lane = if is_log { *lane + grad[k] } else { grad[k].mul_add(result[k], *lane) };
    }
    T::joined(&mut lanes[..vector])
}

/// Columns of a slab whose rows are `inner` elements: those that fill vectors, and what is over.
#[inline(always)]
fn columns<T: Soften>(is_log: bool, vector: usize, inner: usize, [grad, result]: [&[T]; 2], to: &mut [T]) {
    let mut sums = vec![T::zero(); inner];
    for (grad, result) in grad.chunks_exact(inner).zip(result.chunks_exact(inner)) {
        for ((sum, g), y) in sums.iter_mut().zip(grad).zip(result) {
            *sum = if is_log { *sum + *g } else { g.mul_add(*y, *sum) };
        }
    }
    let whole = inner / vector * vector;
    let rows = to.chunks_exact_mut(inner).zip(grad.chunks_exact(inner)).zip(result.chunks_exact(inner));
    for ((to, grad), result) in rows {
        for (k, to) in to.iter_mut().enumerate() {
            let (g, y, sum) = (grad[k], result[k], sums[k]);
            *to = match is_log {
                true if k < whole => (-y.exp_in_line()).mul_add(sum, g),
                true => (-Float::exp(y)).mul_add(sum, g),
                false => (g - sum) * y,
            };
        }
    }
}
