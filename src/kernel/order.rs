//! In which order dimensions are walked, and which strides a new result gets.
//!
//! Both follow from one rule, PyTorch's: the dimension with the smallest stride is innermost; the first operand that can
//! tell two dimensions apart decides, so the result keeps the permutation of its first dense operand.

use crate::layout::{Dims, Layout, contiguous_strides};
use smallvec::SmallVec;
use std::cmp::Ordering;

/// Dimensions, innermost first.
pub type Order = SmallVec<[usize; 6]>;

/// The order in which to walk `sizes`, given the strides of the operands (expanded: 0 where broadcast), most important first.
pub fn order<'a>(sizes: &[i64], strides: impl Iterator<Item = &'a [i64]> + Clone) -> Order {
    let mut order: Order = (0..sizes.len()).rev().collect();
    for start in 1..order.len() {
        let mut here = start;
        for other in (0..start).rev() {
            match compare(sizes, strides.clone(), order[other], order[here]) {
                Ordering::Greater => {
                    order.swap(other, here);
                    here = other;
                }
                Ordering::Less => break,
                Ordering::Equal => {}
            }
        }
    }
    order
}

/// `Greater` when dimension `b` belongs inside dimension `a`; `Equal` when no operand can tell.
fn compare<'a>(sizes: &[i64], strides: impl Iterator<Item = &'a [i64]>, a: usize, b: usize) -> Ordering {
    for strides in strides {
        let (here, there) = (strides[a].abs(), strides[b].abs());
        if here == 0 || there == 0 {
            continue;
        }
        match here.cmp(&there) {
            Ordering::Equal if sizes[a] > sizes[b] => return Ordering::Greater,
            Ordering::Equal => {}
            decided => return decided,
        }
    }
    Ordering::Equal
}

/// The layout of a new result of an elementwise operation: dense, from cell 0, in the order of its operands.
///
/// `sizes` is the broadcast size; the operands need not be expanded yet.
pub fn output_layout(sizes: &[i64], operands: &[&Layout]) -> Layout {
    let plain = || Layout::contiguous(sizes);
    let whole = operands.iter().all(|l| l.sizes.as_slice() == sizes);
    // Where every size is above 1, a 0-d operand cannot change the order; with sizes of 0 and 1 the strides may tell one.
    let solid = || sizes.iter().all(|s| *s > 1) && operands.iter().all(|l| l.ndim() == 0 || l.sizes.as_slice() == sizes);
    if operands.is_empty() || ((whole || solid()) && operands.iter().all(|l| l.is_contiguous())) {
        return plain();
    }
    if whole && let Some(kept) = common_strides(sizes, operands) {
        return Layout { sizes: Dims::from_slice(sizes), strides: kept, offset: 0 };
    }
    let expanded: SmallVec<[Dims; 4]> = operands.iter().map(|l| expanded_strides(l, sizes)).collect();
    let order = order(sizes, expanded.iter().map(|s| s.as_slice()));
    if order.iter().copied().eq((0..sizes.len()).rev()) {
        return plain();
    }
    Layout { sizes: Dims::from_slice(sizes), strides: packed_strides(sizes, order.iter().copied()), offset: 0 }
}

/// The strides all operands agree on: channels-last, or the same dense strides.
fn common_strides(sizes: &[i64], operands: &[&Layout]) -> Option<Dims> {
    const CHANNELS_LAST: [usize; 4] = [1, 3, 2, 0];
    if sizes.len() == 4 && operands.iter().all(|l| is_packed(l, CHANNELS_LAST)) {
        return Some(packed_strides(sizes, CHANNELS_LAST));
    }
    let first = operands.first()?;
    let same = operands.iter().all(|l| l.strides == first.strides);
    (same && first.is_dense()).then(|| first.strides.clone())
}

/// Strides without gaps, given the dimensions innermost first.
fn packed_strides(sizes: &[i64], order: impl IntoIterator<Item = usize>) -> Dims {
    let mut strides = contiguous_strides(sizes);
    let mut next = 1i64;
    for k in order {
        strides[k] = next;
        next = next.saturating_mul(sizes[k]);
    }
    strides
}

/// True when walking the dimensions in this order, innermost first, walks neighbouring cells.
fn is_packed(layout: &Layout, order: impl IntoIterator<Item = usize>) -> bool {
    let mut next = 1;
    for k in order {
        if layout.sizes[k] != 1 {
            if layout.strides[k] != next {
                return false;
            }
            next *= layout.sizes[k];
        }
    }
    true
}

/// The strides of `layout` seen as `sizes`: 0 in new dimensions and where a size of 1 is repeated.
pub fn expanded_strides(layout: &Layout, sizes: &[i64]) -> Dims {
    let new = sizes.len() - layout.ndim();
    let mut strides = Dims::from_elem(0, sizes.len());
    for k in 0..layout.ndim() {
        if layout.sizes[k] == sizes[new + k] {
            strides[new + k] = layout.strides[k];
        }
    }
    strides
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::steps;

    /// `2x0x1`, or `-` for no dimension.
    fn dims(text: &str) -> Vec<i64> {
        if text == "-" { vec![] } else { text.split('x').map(|n| n.parse().unwrap()).collect() }
    }

    #[test]
    fn results_get_the_strides_that_pytorch_gives_them() {
        let text = include_str!("../../tests/goldens/layouts.txt");
        for line in text.lines().step_by(steps(1, 100)) {
            let words: Vec<Vec<i64>> = line.split(' ').map(dims).collect();
            let operands: Vec<Layout> = words[2..].chunks(2).map(|pair| Layout::new(&pair[0], &pair[1], 0)).collect();
            let operands: Vec<&Layout> = operands.iter().collect();
            assert_eq!(output_layout(&words[0], &operands).strides.as_slice(), words[1], "{line}");
        }
    }
}
