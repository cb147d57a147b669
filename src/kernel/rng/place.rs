//! Where drawn elements go: in-place fills follow memory, not indices.

use crate::kernel::order::order;
use crate::layout::Layout;

/// Copies elements of `size` bytes, given in drawing order, to the cells of a layout: the smallest stride runs fastest.
///
/// `to` holds every cell the layout reaches; `from` has one element per index.
pub fn scatter(layout: &Layout, size: usize, from: &[u8], to: &mut [u8]) {
    let inner_first = order(&layout.sizes, std::iter::once(layout.strides.as_slice()));
    let mut index = vec![0i64; layout.ndim()];
    let mut cell = layout.offset;
    for element in from.chunks_exact(size) {
        let at = cell as usize * size;
        to[at..at + size].copy_from_slice(element);
        for &dim in &inner_first {
            index[dim] += 1;
            cell += layout.strides[dim];
            if index[dim] < layout.sizes[dim] {
                break;
            }
            cell -= layout.strides[dim] * layout.sizes[dim];
            index[dim] = 0;
        }
    }
}
