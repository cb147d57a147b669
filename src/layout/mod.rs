//! Where elements are: sizes, strides and offset. Pure arithmetic, knows nobody and never sees data.
//!
//! A layout maps an index `i` of a tensor to the storage cell `offset + Σ i[k] * strides[k]`. A view operation is a
//! function from layout to layout: it fails with a fault, or gives the new layout; it never copies.

mod broadcast;
mod dims;
#[cfg(test)]
mod laws;
mod memory_format;
mod movement;
mod overlap;
mod part;
mod pieces;
mod reach;
mod reinterpret;
mod view;
mod walk;

pub use broadcast::{broadcast_all, broadcast_sizes};
pub use dims::{DimList, checked_numel, real_dim, wrap_dim, wrap_dims, wrap_dims_in_turn};
pub use memory_format::{MemoryFormat, dense_strides};
pub use overlap::InternalOverlap;
pub use pieces::Axis;
pub use reach::Visitors;
pub use reinterpret::Element;
pub use view::{Obstacle, infer_sizes};
pub use walk::Cells;

use smallvec::SmallVec;

/// One number per dimension.
pub type Dims = SmallVec<[i64; 5]>;

/// Sizes, strides and offset, in elements. Strides may be zero (repeated cells) and, inside tsr, negative.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The size of each dimension; never negative.
    pub sizes: Dims,
    /// Cells to move for one step in each dimension.
    pub strides: Dims,
    /// The cell of the first element.
    pub offset: i64,
}

/// By whole slices: the clone of a small vector goes number by number.
impl Clone for Layout {
    fn clone(&self) -> Layout {
        Layout::new(&self.sizes, &self.strides, self.offset)
    }
}

impl Layout {
    /// A row-major layout from cell 0.
    pub fn contiguous(sizes: &[i64]) -> Layout {
        Layout { sizes: Dims::from_slice(sizes), strides: contiguous_strides(sizes), offset: 0 }
    }

    /// Any layout; `sizes` and `strides` must have the same length.
    pub fn new(sizes: &[i64], strides: &[i64], offset: i64) -> Layout {
        debug_assert_eq!(sizes.len(), strides.len());
        Layout { sizes: Dims::from_slice(sizes), strides: Dims::from_slice(strides), offset }
    }

    /// Number of dimensions.
    pub fn ndim(&self) -> usize {
        self.sizes.len()
    }

    /// Number of elements; 1 for a 0-d layout.
    pub fn numel(&self) -> i64 {
        self.sizes.iter().product()
    }

    /// The byte where the first element begins, for elements of `size` bytes. A layout without elements may have any offset.
    pub fn start(&self, size: usize) -> isize {
        (self.offset as isize).wrapping_mul(size as isize)
    }

    /// True when walking the indices in order walks neighbouring cells. Strides of dimensions of size 1 do not count; an
    /// empty layout is contiguous.
    pub fn is_contiguous(&self) -> bool {
        if self.sizes.contains(&0) {
            return true;
        }
        let mut expected = 1;
        for (&size, &stride) in self.sizes.iter().zip(&self.strides).rev() {
            if size != 1 {
                if stride != expected {
                    return false;
                }
                expected *= size;
            }
        }
        true
    }

    /// True when its strides are those of a new row-major layout, of dimensions of size 1 too.
    pub fn is_row_major(&self) -> bool {
        let mut expected = 1i64;
        self.sizes.iter().zip(&self.strides).rev().all(|(size, stride)| {
            let as_expected = *stride == expected;
            expected = expected.saturating_mul((*size).max(1));
            as_expected
        })
    }

    /// True when it is a new row-major layout: from cell 0 and [`Layout::is_row_major`].
    pub fn is_plain(&self) -> bool {
        self.offset == 0 && self.is_row_major()
    }

    /// Lowest and highest cell reached; none when empty.
    pub fn extent(&self) -> Option<(i64, i64)> {
        let (mut low, mut high) = (self.offset, self.offset);
        for (&size, &stride) in self.sizes.iter().zip(&self.strides) {
            if size == 0 {
                return None;
            }
            let reach = (size - 1).saturating_mul(stride);
            if reach < 0 { low = low.saturating_add(reach) } else { high = high.saturating_add(reach) }
        }
        Some((low, high))
    }

    /// The cell of an index; the index must have one entry per dimension.
    pub fn address(&self, index: &[i64]) -> i64 {
        self.offset + index.iter().zip(&self.strides).map(|(i, s)| i * s).sum::<i64>()
    }
}

/// Row-major strides as PyTorch gives them: a size of 0 counts as 1.
pub fn contiguous_strides(sizes: &[i64]) -> Dims {
    let mut strides = Dims::from_slice(sizes);
    let mut step = 1i64;
    for stride in strides.iter_mut().rev() {
        let size = std::mem::replace(stride, step);
        step = step.saturating_mul(size.max(1));
    }
    strides
}
