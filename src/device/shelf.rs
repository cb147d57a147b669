//! Small blocks of host memory, kept for the next storage of their size: a statement on tiny tensors makes and drops several.

use std::alloc::{Layout, alloc, dealloc};
use std::cell::RefCell;

/// Storages begin on a cache line.
pub const ALIGN: usize = 64;

/// Blocks of 64 bytes, 128, and so on to 16 KiB.
const CLASSES: usize = 9;

/// How many free blocks of one size a thread keeps.
const KEPT: usize = 64;

/// The free blocks, by size.
struct Shelf([Vec<*mut u8>; CLASSES]);

thread_local! {
    static SHELF: RefCell<Shelf> = const { RefCell::new(Shelf([const { Vec::new() }; CLASSES])) };
}

impl Drop for Shelf {
    fn drop(&mut self) {
        for (class, blocks) in self.0.iter().enumerate() {
            for block in blocks {
                // SAFETY: the blocks of a class were allocated with its layout.
                unsafe { dealloc(*block, layout(class)) }
            }
        }
    }
}

/// The class that as many bytes belong to; none when they are none, or many.
pub fn class(bytes: usize) -> Option<usize> {
    let class = bytes.div_ceil(ALIGN).next_power_of_two().trailing_zeros() as usize;
    (bytes > 0 && class < CLASSES).then_some(class)
}

fn layout(class: usize) -> Layout {
    // SAFETY: the alignment is a power of two and the size small.
    unsafe { Layout::from_size_align_unchecked(ALIGN << class, ALIGN) }
}

/// A block of a class with any contents; null when there is no memory.
pub fn take(class: usize) -> *mut u8 {
    let kept = SHELF.try_with(|shelf| shelf.borrow_mut().0[class].pop()).ok().flatten();
    // SAFETY: the layout has a size above zero.
    kept.unwrap_or_else(|| unsafe { alloc(layout(class)) })
}

/// Takes back a block.
///
/// # Safety
/// The block came from [`take`] with this class and is not used again.
pub unsafe fn put(class: usize, block: *mut u8) {
    let kept = SHELF.try_with(|shelf| {
        let blocks = &mut shelf.borrow_mut().0[class];
        let room = blocks.len() < KEPT;
        if room {
            blocks.push(block);
        }
        room
    });
    if !kept.unwrap_or(false) {
        // SAFETY: the caller's promise.
        unsafe { dealloc(block, layout(class)) }
    }
}
