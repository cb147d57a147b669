//! The way back through softmax and its logarithm, with the bits that PyTorch has for float32: where its compiler joined a product and
//! a sum, they are joined here.

use super::fold::Spread;
use super::isa::{pick, versions};
use super::soft::{BESIDE, Soften};
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

// SAFETY: the addresses belong to the launch that made the task; lines write their own results.
unsafe impl Sync for Task {}

/// Elements of the widest vector.
const WIDEST: usize = 16;

/// Runs a task, lines side by side.
///
/// # Safety
/// The elements are readable and the results writable.
pub unsafe fn run(task: &Task, spread: Spread) -> Result<()> {
    let run = if task.dtype == DType::F64 { pick(line_versions::<f64>()) } else { pick(line_versions::<f32>()) };
    let groups = task.inner.div_ceil(BESIDE);
    // SAFETY: the caller's promise; groups are disjoint lines.
    spread(task.outer * groups, task.length * task.inner.min(BESIDE) * 4, &|range| unsafe { run(task, range) })
}

versions! { fn line_versions<T: Soften>(task: &Task, groups: Range<usize>) = some_lines }

#[inline(always)]
unsafe fn some_lines<T: Soften>(task: &Task, groups: Range<usize>) {
    let (n, inner) = (task.length, task.inner);
    let beside = inner.div_ceil(BESIDE);
    for group in groups {
        let (slab, column) = (group / beside, group % beside * BESIDE);
        let first = slab * n * inner + column;
        // SAFETY: the caller's promise; the rows of a group of columns lie in the slab, and no other group has them.
        unsafe {
            let (grad, result) = ((task.grad as *const T).add(first), (task.result as *const T).add(first));
            let to = (task.output as *mut T).add(first);
            if inner == 1 {
                let lines = (std::slice::from_raw_parts(grad, n), std::slice::from_raw_parts(result, n));
                line(task.is_log, lines.0, lines.1, std::slice::from_raw_parts_mut(to, n));
            } else {
                columns(task, BESIDE.min(inner - column), [grad, result], to);
            }
        }
    }
}

/// A line of neighbours.
#[inline(always)]
fn line<T: Soften>(is_log: bool, grad: &[T], result: &[T], to: &mut [T]) {
    let sum = line_sum(is_log, T::vector(), grad, result);
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

/// The sum of the products of two lines of float32, in the order in which a line goes back.
pub fn products(a: &[f32], b: &[f32]) -> f32 {
    line_sum(false, f32::vector(), a, b)
}

/// The same of float64.
pub fn products_double(a: &[f64], b: &[f64]) -> f64 {
    line_sum(false, f64::vector(), a, b)
}

/// `width` neighbouring columns of a slab: those that fill vectors, and what is over.
///
/// # Safety
/// The columns lie in the slab, and the result's are writable.
#[inline(always)]
unsafe fn columns<T: Soften>(task: &Task, width: usize, [grad, result]: [*const T; 2], to: *mut T) {
    let (is_log, whole) = (task.is_log, width / T::vector() * T::vector());
    // SAFETY: the caller's promise.
    let row = |from: *const T, i: usize| unsafe { std::slice::from_raw_parts(from.add(i * task.inner), width) };
    let mut sums = [T::zero(); BESIDE];
    for i in 0..task.length {
        for ((sum, g), y) in sums.iter_mut().zip(row(grad, i)).zip(row(result, i)) {
            *sum = if is_log { *sum + *g } else { g.mul_add(*y, *sum) };
        }
    }
    for i in 0..task.length {
        let (grad, result) = (row(grad, i), row(result, i));
        // SAFETY: as above.
        let to = unsafe { std::slice::from_raw_parts_mut(to.add(i * task.inner), width) };
        for (((to, g), y), sum) in to.iter_mut().zip(grad).zip(result).zip(&sums).take(if is_log { whole } else { width }) {
            *to = if is_log { (-y.exp_in_line()).mul_add(*sum, *g) } else { (*g - *sum) * *y };
        }
        for k in if is_log { whole..width } else { 0..0 } {
            to[k] = (-Float::exp(result[k])).mul_add(sums[k], grad[k]);
        }
    }
}
