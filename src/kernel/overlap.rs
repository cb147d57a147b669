//! Whether a write could be seen by a read it must not be seen by.

use crate::layout::{InternalOverlap, Layout};
use anyhow::Result;

/// Where an operand lies: which storage (any number that names it), how, and the bytes of an element.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The storage.
    pub storage: u64,
    /// The cells, in elements.
    pub layout: &'a Layout,
    /// Bytes of an element.
    pub size: usize,
}

/// How the elements of two operands meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// They share no byte.
    None,
    /// They are the same elements in the same order: an in-place operation.
    Full,
    /// Two gapless ranges that meet elsewhere.
    Partial,
    /// The ranges meet, and there are gaps, so the elements may or may not.
    Possible,
}

/// How two operands meet.
pub fn overlap(a: Place, b: Place) -> Overlap {
    if a.storage != b.storage {
        return Overlap::None;
    }
    let (Some(at), Some(bt)) = (range(a), range(b)) else { return Overlap::None };
    if at.0 >= bt.1 || bt.0 >= at.1 {
        return Overlap::None;
    }
    let starts_there = a.size == b.size && a.layout.offset == b.layout.offset;
    if a.layout.is_dense() && b.layout.is_dense() {
        // PyTorch compares the strides as they stand, of dimensions of one step too.
        return if starts_there && at == bt && a.layout.strides == b.layout.strides { Overlap::Full } else { Overlap::Partial };
    }
    if starts_there && same_walk(a.layout, b.layout) { Overlap::Full } else { Overlap::Possible }
}

/// First byte and one past the last.
fn range(place: Place) -> Option<(i64, i64)> {
    let (low, high) = place.layout.extent()?;
    let size = place.size as i64;
    Some((low.saturating_mul(size), high.saturating_add(1).saturating_mul(size)))
}

/// Same sizes and, where a dimension has more than one step, same strides.
fn same_walk(a: &Layout, b: &Layout) -> bool {
    a.sizes == b.sizes && (0..a.ndim()).all(|k| a.sizes[k] == 1 || a.strides[k] == b.strides[k])
}

/// Fails when the elements to be written are not each a cell of their own.
pub fn check_written(layout: &Layout) -> Result<()> {
    if layout.internal_overlap() == InternalOverlap::Yes {
        fault!(
            RuntimeError,
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. \
             Please clone() the tensor before performing the operation."
        );
    }
    Ok(())
}

/// Fails when `read` meets `written` elsewhere than at the same elements; answers whether `read` must be copied first.
pub fn check_read(written: Place, read: Place) -> Result<bool> {
    match overlap(written, read) {
        Overlap::None | Overlap::Full => Ok(false),
        Overlap::Possible => Ok(true),
        Overlap::Partial => fault!(
            RuntimeError,
            "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. \
             Please clone() the tensor before performing the operation."
        ),
    }
}
