//! Do two indices reach one cell? What a write must know.

use super::Layout;

/// Whether two indices of one layout reach the same cell, as far as a quick look tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InternalOverlap {
    /// Surely not.
    No,
    /// Surely: a dimension of more than one index has stride 0.
    Yes,
    /// Gaps or odd strides: a quick look does not tell, and PyTorch lets the write pass.
    TooHard,
}

impl Layout {
    /// The verdict by which PyTorch refuses to write through an expanded tensor.
    pub fn internal_overlap(&self) -> InternalOverlap {
        if self.is_dense() {
            return InternalOverlap::No;
        }
        let repeats = self.sizes.iter().zip(&self.strides).any(|(&size, &stride)| size > 1 && stride == 0);
        if repeats { InternalOverlap::Yes } else { InternalOverlap::TooHard }
    }

    /// This layout with one index left of every dimension that repeats its cells.
    pub fn without_repeats(&self) -> Layout {
        let mut layout = self.clone();
        for (size, stride) in layout.sizes.iter_mut().zip(&self.strides) {
            if *stride == 0 && *size > 1 {
                *size = 1;
            }
        }
        layout
    }

    /// True when two indices surely or possibly reach one cell; exact whenever each stride steps over all smaller ones, which
    /// holds for every layout made from a contiguous one without `expand`, `unfold` and `as_strided`.
    pub fn may_repeat_cells(&self) -> bool {
        if self.sizes.contains(&0) {
            return false;
        }
        let mut dims: super::DimList = (0..self.ndim()).filter(|&k| self.sizes[k] > 1).collect();
        dims.sort_by_key(|&k| self.strides[k].abs());
        let mut reach = 0i64;
        dims.iter().any(|&k| {
            let stride = self.strides[k].abs();
            let repeats = stride <= reach;
            reach = reach.saturating_add(stride.saturating_mul(self.sizes[k] - 1));
            repeats
        })
    }
}
