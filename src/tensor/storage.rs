//! Storage: untyped bytes on a device, shared by handle.

use crate::device::DeviceId;
use anyhow::Result;
use std::alloc::{Layout as Block, alloc, alloc_zeroed, dealloc};
use std::cell::{Cell, RefCell};
use std::ptr::NonNull;
use std::rc::Rc;

/// Bytes that tensors are views of. Cloning shares them.
#[derive(Clone, Debug)]
pub struct Storage(Rc<Inner>);

#[derive(Debug)]
struct Inner {
    serial: u64,
    device: DeviceId,
    buffer: RefCell<Buffer>,
    version: Cell<u64>,
    label: Cell<u32>,
}

thread_local! {
    static SERIAL: Cell<u64> = const { Cell::new(0) };
    static LABEL: Cell<u32> = const { Cell::new(0) };
}

/// A block of host memory, 64-byte aligned; of no memory for an empty or a meta storage.
#[derive(Debug)]
struct Buffer {
    start: NonNull<u8>,
    bytes: usize,
    owned: bool,
}

const ALIGN: usize = 64;

impl Buffer {
    fn new(bytes: usize, zeroed: bool) -> Result<Buffer> {
        if bytes == 0 {
            return Ok(Buffer::hollow(0));
        }
        let Ok(block) = Block::from_size_align(bytes, ALIGN) else { return Self::refuse(bytes) };
        // SAFETY: the block has a size above zero.
        let start = unsafe { if zeroed { alloc_zeroed(block) } else { alloc(block) } };
        match NonNull::new(start) {
            Some(start) => Ok(Buffer { start, bytes, owned: true }),
            None => Self::refuse(bytes),
        }
    }

    /// `bytes` of address space without memory behind it.
    fn hollow(bytes: usize) -> Buffer {
        Buffer { start: NonNull::dangling(), bytes, owned: false }
    }

    fn refuse<T>(bytes: usize) -> Result<T> {
        fault!(RuntimeError, "DefaultCPUAllocator: can't allocate memory: you tried to allocate {bytes} bytes.")
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: `start` came from `alloc` with this very size and alignment.
            unsafe { dealloc(self.start.as_ptr(), Block::from_size_align_unchecked(self.bytes, ALIGN)) }
        }
    }
}

/// Bytes the machine can give: beyond this an allocation is refused before the machine suffers.
fn available_memory() -> usize {
    let Ok(text) = std::fs::read_to_string("/proc/meminfo") else { return usize::MAX };
    let line = text.lines().find(|l| l.starts_with("MemAvailable:"));
    let kib = line.and_then(|l| l.split_whitespace().nth(1)).and_then(|n| n.parse::<usize>().ok());
    kib.map_or(usize::MAX, |k| k.saturating_mul(1024))
}

/// Only allocations above this ask how much memory there is.
const LARGE: usize = 1 << 28;

impl Storage {
    /// New bytes, zero when `zeroed`. Fails with a `RuntimeError` when the memory is not there.
    pub fn new(device: DeviceId, bytes: usize, zeroed: bool) -> Result<Storage> {
        let buffer = match device {
            DeviceId::Cpu => {
                if bytes > LARGE && bytes > available_memory() {
                    Buffer::refuse::<()>(bytes)?;
                }
                Buffer::new(bytes, zeroed)?
            }
            DeviceId::Meta => Buffer::hollow(bytes),
            DeviceId::Cuda(_) => fault!(RuntimeError, "No CUDA GPUs are available"),
        };
        let serial = SERIAL.with(|s| s.replace(s.get() + 1));
        let inner = Inner { serial, device, buffer: RefCell::new(buffer), version: Cell::new(0), label: Cell::new(0) };
        Ok(Storage(Rc::new(inner)))
    }

    /// True when both handles name the same bytes.
    pub fn same(&self, other: &Storage) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// A number no other storage of the session has.
    pub fn serial(&self) -> u64 {
        self.0.serial
    }

    /// The number behind `#` in pictures: given on first show, so that what a user sees counts from 1; then it stays.
    pub fn label(&self) -> u32 {
        if self.0.label.get() == 0 {
            self.0.label.set(LABEL.with(|l| {
                l.set(l.get() + 1);
                l.get()
            }));
        }
        self.0.label.get()
    }

    /// Where the bytes live.
    pub fn device(&self) -> DeviceId {
        self.0.device
    }

    /// How many bytes.
    pub fn nbytes(&self) -> usize {
        self.0.buffer.borrow().bytes
    }

    /// Counts the writes.
    pub fn version(&self) -> u64 {
        self.0.version.get()
    }

    /// Notes a write.
    pub fn bump_version(&self) {
        self.0.version.set(self.0.version.get() + 1);
    }

    /// The address of the first byte; 0 for an empty storage, as PyTorch says it.
    pub fn data_ptr(&self) -> usize {
        let buffer = self.0.buffer.borrow();
        if buffer.owned { buffer.start.as_ptr() as usize } else { 0 }
    }

    /// The start of the bytes, for kernels. Valid until the storage is resized or dropped; dangling when empty or on meta.
    pub fn as_ptr(&self) -> *mut u8 {
        self.0.buffer.borrow().start.as_ptr()
    }

    /// Changes the number of bytes, keeping the common prefix; new bytes are zero.
    pub fn resize(&self, bytes: usize) -> Result<()> {
        if self.0.device == DeviceId::Meta {
            *self.0.buffer.borrow_mut() = Buffer::hollow(bytes);
            return Ok(());
        }
        let new = Buffer::new(bytes, true)?;
        let mut old = self.0.buffer.borrow_mut();
        // SAFETY: both blocks hold at least the smaller of the two sizes, and a new block overlaps no old one.
        unsafe { std::ptr::copy_nonoverlapping(old.start.as_ptr(), new.start.as_ptr(), old.bytes.min(bytes)) };
        *old = new;
        Ok(())
    }

    /// Lets `f` read the bytes. Fails on a storage without memory (meta).
    pub fn read<T>(&self, f: impl FnOnce(&[u8]) -> T) -> Result<T> {
        self.require_memory()?;
        let buffer = self.0.buffer.borrow();
        // SAFETY: the buffer holds `bytes` bytes, initialised or of a type for which any bits are valid; the borrow keeps
        // them from being resized, and tsr runs no other code that writes while `f` reads.
        Ok(f(unsafe { std::slice::from_raw_parts(buffer.start.as_ptr(), buffer.bytes) }))
    }

    /// Lets `f` write the bytes and notes the write. Fails on a storage without memory (meta).
    pub fn write<T>(&self, f: impl FnOnce(&mut [u8]) -> T) -> Result<T> {
        self.require_memory()?;
        self.bump_version();
        let buffer = self.0.buffer.borrow_mut();
        // SAFETY: as in `read`; the exclusive borrow keeps other readers and writers away while `f` runs.
        Ok(f(unsafe { std::slice::from_raw_parts_mut(buffer.start.as_ptr(), buffer.bytes) }))
    }

    fn require_memory(&self) -> Result<()> {
        if self.0.device == DeviceId::Meta {
            fault!(NotImplementedError, "Cannot copy out of meta tensor; no data!");
        }
        Ok(())
    }
}
