//! Blocks of memory between tensors: a block that one statement gives back serves the next, so that a loop over large tensors
//! does not ask the system for fresh, unmapped pages at every turn.
//!
//! Blocks are kept by exact capacity; the capacity of a request is its size, rounded up by at most an eighth. What is kept is
//! bounded, the oldest block leaves first, and all leave when an allocation fails.

use super::{Address, Device, DeviceId, Kernel, get};
use crate::dtype::{DType, Number};
use crate::kernel::program::Program;
use anyhow::Result;
use std::cell::RefCell;
use std::sync::LazyLock;

/// Smaller blocks are left to the allocator of the device, which is quick enough for them.
const SMALL: usize = 1 << 16;

/// Larger blocks are not rounded up: an eighth of them is much, and they are few.
const LARGE: usize = 1 << 28;

/// Most bytes kept, and the share of the host's memory that they may be.
const KEPT: usize = 1 << 30;
const SHARE: usize = 4;

/// A block that nobody uses; dropping it gives it back to its device.
struct Block {
    device: DeviceId,
    at: Address,
    capacity: usize,
}

impl Drop for Block {
    fn drop(&mut self) {
        if let Ok(device) = get(self.device) {
            // SAFETY: a block is made from what `alloc` gave for this capacity, and nobody else knows it.
            unsafe { device.free(self.at, self.capacity) }
        }
    }
}

/// The free blocks, oldest first.
#[derive(Default)]
struct Pool {
    blocks: Vec<Block>,
    kept: usize,
}

thread_local! {
    static POOL: RefCell<Pool> = RefCell::new(Pool::default());
}

impl Pool {
    /// The youngest block of a capacity: the one most likely still in a cache.
    fn take(&mut self, device: DeviceId, capacity: usize) -> Option<Address> {
        let found = self.blocks.iter().rposition(|b| b.device == device && b.capacity == capacity)?;
        let block = self.blocks.remove(found);
        self.kept -= capacity;
        let at = block.at;
        std::mem::forget(block);
        Some(at)
    }

    fn keep(&mut self, block: Block) {
        static LIMIT: LazyLock<usize> = LazyLock::new(|| get(DeviceId::Cpu).map_or(0, |d| d.memory().total / SHARE).min(KEPT));
        self.kept += block.capacity;
        self.blocks.push(block);
        while self.kept > *LIMIT {
            self.kept -= self.blocks.remove(0).capacity;
        }
    }
}

/// True for requests that go through the pool.
fn recycles(id: DeviceId, bytes: usize) -> bool {
    bytes >= SMALL && id != DeviceId::Meta
}

/// The bytes of the block that serves a request: a size of which there are eight between two powers of two.
fn capacity(bytes: usize) -> usize {
    if bytes >= LARGE {
        return bytes;
    }
    bytes.next_multiple_of((bytes / 2 + 1).next_power_of_two() / 8)
}

/// New bytes of a device, zero when `zeroed`. Fails with a `RuntimeError` when they are not there.
pub fn alloc(id: DeviceId, bytes: usize, zeroed: bool) -> Result<Address> {
    let device = get(id)?;
    if !recycles(id, bytes) {
        return device.alloc(bytes, zeroed);
    }
    let capacity = capacity(bytes);
    let at = match POOL.try_with(|p| p.borrow_mut().take(id, capacity)) {
        Ok(Some(at)) => at,
        _ => device.alloc(capacity, false).or_else(|_| {
            drop_all();
            device.alloc(capacity, false)
        })?,
    };
    if zeroed && let Err(stopped) = clear(device, at, capacity) {
        // SAFETY: nobody has seen the block yet.
        unsafe { free(id, at, bytes) };
        return Err(stopped);
    }
    Ok(at)
}

/// Gives back what [`alloc`] gave for as many bytes.
///
/// # Safety
/// `at` came from `alloc(id, bytes, _)` and is not used again.
pub unsafe fn free(id: DeviceId, at: Address, bytes: usize) {
    if recycles(id, bytes) {
        let block = Block { device: id, at, capacity: capacity(bytes) };
        // At the end of a thread the pool may be gone before the last tensor: then the block is dropped.
        let _ = POOL.try_with(|p| p.borrow_mut().keep(block));
    } else if let Ok(device) = get(id) {
        // SAFETY: the caller's promise.
        unsafe { device.free(at, bytes) }
    }
}

/// Gives all free blocks back to their devices.
pub fn drop_all() {
    let _ = POOL.try_with(|p| std::mem::take(&mut *p.borrow_mut()));
}

/// Writes zeros over a block, whose capacity is a multiple of 8.
fn clear(device: &dyn Device, at: Address, capacity: usize) -> Result<()> {
    let program = Program::constant(Number::Float(0.0), DType::F64);
    // SAFETY: the block holds as many cells, and only the pool knows it.
    unsafe { device.launch(&Kernel::Flat { program: &program, count: capacity / 8, at: &[at] }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::steps;

    #[test]
    fn capacities_are_few_and_close() {
        for bytes in (SMALL..SMALL * 9).step_by(61).chain([LARGE - 1, LARGE, LARGE + 1]).step_by(steps(1, 50)) {
            let capacity = capacity(bytes);
            assert!(capacity >= bytes && capacity - bytes <= bytes / 8, "{bytes}: {capacity}");
        }
        let between: std::collections::HashSet<usize> = (SMALL..SMALL * 2).step_by(steps(1, 97)).map(capacity).collect();
        assert!(between.len() <= 9, "{}", between.len());
    }

    #[test]
    fn a_block_given_back_serves_the_next_request_and_is_cleared_when_asked() {
        let at = alloc(DeviceId::Cpu, 100_000, false).unwrap();
        // SAFETY: the block has room for as many bytes, and is given back once.
        unsafe {
            at.write_bytes(7, 100_000);
            free(DeviceId::Cpu, at, 100_000);
        }
        let again = alloc(DeviceId::Cpu, 99_000, true).unwrap();
        assert_eq!(at, again);
        // SAFETY: as above.
        unsafe {
            assert!(std::slice::from_raw_parts(again, 99_000).iter().all(|b| *b == 0));
            free(DeviceId::Cpu, again, 99_000);
        }
        drop_all();
    }
}
