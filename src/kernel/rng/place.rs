//! Where drawn elements go: in-place fills follow memory, not indices.

use crate::kernel::order::order;
use crate::layout::Layout;

/// For each draw the place of its element in row-major order; none when that is the order of the draws.
pub fn drawing_order(layout: &Layout) -> Option<Vec<usize>> {
    if layout.is_contiguous() {
        return None;
    }
    let rows = Layout::contiguous(&layout.sizes);
    let mut found = Vec::with_capacity(layout.numel() as usize);
    walk(layout, &rows, |place| found.push(place as usize));
    Some(found)
}

/// Copies elements of `size` bytes, given in drawing order, to the cells of a layout: the smallest stride runs fastest.
///
/// `to` holds every cell the layout reaches; `from` has one element per index.
pub fn scatter(layout: &Layout, size: usize, from: &[u8], to: &mut [u8]) {
    let mut elements = from.chunks_exact(size);
    walk(layout, layout, |cell| {
        let at = cell as usize * size;
        if let Some(element) = elements.next() {
            to[at..at + size].copy_from_slice(element);
        }
    });
}

/// Calls `visit` with the cell of every index in `cells`, in the order in which `layout` is drawn.
fn walk(layout: &Layout, cells: &Layout, mut visit: impl FnMut(i64)) {
    let inner_first = order(&layout.sizes, std::iter::once(layout.strides.as_slice()));
    let mut index = vec![0i64; layout.ndim()];
    let mut cell = cells.offset;
    for _ in 0..layout.numel() {
        visit(cell);
        for &dim in &inner_first {
            index[dim] += 1;
            cell += cells.strides[dim];
            if index[dim] < layout.sizes[dim] {
                break;
            }
            cell -= cells.strides[dim] * layout.sizes[dim];
            index[dim] = 0;
        }
    }
}
