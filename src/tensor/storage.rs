//! Storage: untyped bytes on a device, shared by handle.

use crate::device::{self, Address, DeviceId, NO_DATA};
use crate::settings;
use anyhow::Result;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set for good when a storage became smaller: from then on tensors may reach outside theirs.
static SHRUNK: AtomicBool = AtomicBool::new(false);

/// True when some storage became smaller than the tensors over it were told.
pub(super) fn may_be_short() -> bool {
    SHRUNK.load(Ordering::Relaxed)
}

/// Bytes that tensors are views of. Cloning shares them.
#[derive(Clone, Debug)]
pub struct Storage(Rc<Inner>);

#[derive(Debug)]
struct Inner {
    serial: u64,
    device: DeviceId,
    buffer: RefCell<Buffer>,
    version: Cell<u64>,
    changes: Cell<u64>,
    label: Cell<u32>,
    is_inference: bool,
    is_fixed: Cell<bool>,
}

thread_local! {
    static SERIAL: Cell<u64> = const { Cell::new(0) };
    static LABEL: Cell<u32> = const { Cell::new(0) };
}

/// A block of a device's memory.
#[derive(Debug)]
struct Buffer {
    device: DeviceId,
    start: Address,
    bytes: usize,
}

impl Buffer {
    fn new(device: DeviceId, bytes: usize, zeroed: bool) -> Result<Buffer> {
        Ok(Buffer { device, start: device::pool::alloc(device, bytes, zeroed)?, bytes })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: `start` came from `alloc` for this device with this very size.
        unsafe { device::pool::free(self.device, self.start, self.bytes) }
    }
}

impl Storage {
    /// New bytes, zero when `zeroed`. Fails with a `RuntimeError` when the memory is not there.
    pub fn new(device: DeviceId, bytes: usize, zeroed: bool) -> Result<Storage> {
        let buffer = Buffer::new(device, bytes, zeroed)?;
        let serial = SERIAL.with(|s| s.replace(s.get() + 1));
        let inner = Inner {
            serial,
            device,
            buffer: RefCell::new(buffer),
            version: Cell::new(0),
            changes: Cell::new(0),
            label: Cell::new(0),
            is_inference: settings::with(|s| s.inference),
            is_fixed: Cell::new(false),
        };
        Ok(Storage(Rc::new(inner)))
    }

    /// True when it was made inside `torch.inference_mode()`.
    pub fn is_inference(&self) -> bool {
        self.0.is_inference
    }

    /// True when an array shares it, so that it keeps its size.
    pub fn is_fixed(&self) -> bool {
        self.0.is_fixed.get()
    }

    /// Notes that an array shares it.
    pub fn fix(&self) {
        self.0.is_fixed.set(true);
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

    /// How often a statement changed it in place, which is less than the writes: results are written, too.
    pub fn changes(&self) -> u64 {
        self.0.changes.get()
    }

    /// Notes a change in place.
    pub fn note_change(&self) {
        self.0.changes.set(self.0.changes.get() + 1);
    }

    /// The address of the first byte; 0 for an empty storage, as PyTorch says it.
    pub fn data_ptr(&self) -> usize {
        let buffer = self.0.buffer.borrow();
        if buffer.bytes == 0 || self.0.device == DeviceId::Meta { 0 } else { buffer.start as usize }
    }

    /// The start of the bytes, for kernels. Valid until the storage is resized or dropped; dangling when empty or on meta.
    pub fn as_ptr(&self) -> Address {
        self.0.buffer.borrow().start
    }

    /// Changes the number of bytes, keeping the common prefix; new bytes are zero. Fails with a `RuntimeError` when an array shares it.
    pub fn resize(&self, bytes: usize) -> Result<()> {
        if self.is_fixed() {
            fault!(RuntimeError, "Trying to resize storage that is not resizable");
        }
        let new = Buffer::new(self.0.device, bytes, true)?;
        let mut old = self.0.buffer.borrow_mut();
        // SAFETY: both blocks hold at least the smaller of the two sizes.
        unsafe { device::get(self.0.device)?.copy(new.start, old.start, old.bytes.min(bytes))? };
        if bytes < old.bytes {
            SHRUNK.store(true, Ordering::Relaxed);
        }
        *old = new;
        Ok(())
    }

    /// Lets `f` read the bytes. Fails on a storage without memory (meta).
    pub fn read<T>(&self, f: impl FnOnce(&[u8]) -> T) -> Result<T> {
        self.require_memory()?;
        let buffer = self.0.buffer.borrow();
        // SAFETY: the buffer holds `bytes` bytes, initialised or of a type for which any bits are valid; the borrow keeps
        // them from being resized, and tsr runs no other code that writes while `f` reads.
        Ok(f(unsafe { std::slice::from_raw_parts(buffer.start, buffer.bytes) }))
    }

    /// Lets `f` write the bytes and notes the write. Fails on a storage without memory (meta).
    pub fn write<T>(&self, f: impl FnOnce(&mut [u8]) -> T) -> Result<T> {
        self.require_memory()?;
        self.bump_version();
        let buffer = self.0.buffer.borrow_mut();
        // SAFETY: as in `read`; the exclusive borrow keeps other readers and writers away while `f` runs.
        Ok(f(unsafe { std::slice::from_raw_parts_mut(buffer.start, buffer.bytes) }))
    }

    fn require_memory(&self) -> Result<()> {
        if self.0.device == DeviceId::Meta {
            fault!(NotImplementedError, "{NO_DATA}");
        }
        Ok(())
    }
}
