//! Where elements live: device ids, the verbs every device has, and the registry of devices.
//!
//! No operation is named here. A device knows how to keep bytes and how to run a kernel over a plan.

mod absent;
mod backends;
mod cpu;
mod meta;
pub mod pool;
mod proc;
mod shelf;
mod workers;

pub use absent::{named, require_reached};
pub use backends::no_kernel;
pub use meta::{NO_DATA, NO_ITEM};
pub use proc::{keep_freed_memory, resident};
pub use workers::enlist;

use crate::kernel::fold::{Line, Task};
use crate::kernel::indexed;
use crate::kernel::lines;
use crate::kernel::matmul::Product;
use crate::kernel::plan::Plan;
use crate::kernel::program::Program;
use crate::kernel::scan::ScanTask;
use crate::kernel::{soft, soft_back};
use anyhow::Result;

/// What PyTorch says where there is no GPU.
pub const NO_GPU: &str = "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver \
                          from http://www.nvidia.com/Download/index.aspx";

/// Names a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceId {
    /// Host memory.
    Cpu,
    /// No memory at all: shapes without data.
    Meta,
    /// A GPU by number.
    Cuda(u32),
    /// A kind of device by its name, of which there is none here.
    Absent(&'static str),
}

impl DeviceId {
    /// `cpu`, `meta`, `cuda`, `mps`.
    pub fn kind(self) -> &'static str {
        match self {
            DeviceId::Cpu => "cpu",
            DeviceId::Meta => "meta",
            DeviceId::Cuda(_) => "cuda",
            DeviceId::Absent(kind) => kind,
        }
    }

    /// The number after the colon, for devices that have one.
    pub fn index(self) -> Option<u32> {
        match self {
            DeviceId::Cuda(n) => Some(n),
            _ => None,
        }
    }
}

impl std::fmt::Display for DeviceId {
    /// `cpu`, `cuda:0`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.index() {
            Some(n) => write!(f, "{}:{n}", self.kind()),
            None => f.write_str(self.kind()),
        }
    }
}

/// A place in a device's memory: a host pointer on the CPU, a device pointer on a GPU, a dangling one on meta.
pub type Address = *mut u8;

/// What a device is.
#[derive(Clone, Debug)]
pub struct Info {
    /// As a user reads it.
    pub name: String,
    /// How many things it does at once: threads or multiprocessors.
    pub units: usize,
    /// True when the host reads its memory through plain pointers.
    pub is_host: bool,
    /// False when there is no memory behind addresses.
    pub has_memory: bool,
}

/// Memory of a device, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// What can be allocated now.
    pub free: usize,
    /// All there is.
    pub total: usize,
}

/// Work for a device: what to compute over which elements.
pub enum Kernel<'a> {
    /// One result per element.
    Map {
        /// What.
        program: &'a Program,
        /// Where.
        plan: &'a Plan,
        /// The storages.
        at: &'a [Address],
    },
    /// One result per element, where every operand has its elements one after the other, in the same order.
    Flat {
        /// What.
        program: &'a Program,
        /// How many elements.
        count: usize,
        /// The first element of each operand, output first.
        at: &'a [Address],
    },
    /// One result from many elements.
    Fold(&'a Task<'a>),
    /// One result from a few elements that lie one after the other.
    Line(&'a Line<'a>),
    /// Running results.
    Scan(&'a ScanTask<'a>),
    /// Elements at places that indices name.
    Indexed(&'a indexed::Task<'a>),
    /// Whole lines in order.
    Lines(&'a lines::Task),
    /// Exponentials along lines.
    Soft(&'a soft::Task),
    /// The way back through them.
    SoftBack(&'a soft_back::Task),
}

/// What every device can do.
///
/// Addresses handed to a device come from its own `alloc`, and kernels stay inside them: a plan is made from layouts that
/// were checked against their storages.
pub trait Device: Send + Sync {
    /// What it is.
    fn info(&self) -> Info;
    /// How much memory there is.
    fn memory(&self) -> Memory;
    /// New bytes, aligned to 64, zero when `zeroed`. Fails with a `RuntimeError` when they are not there.
    fn alloc(&self, bytes: usize, zeroed: bool) -> Result<Address>;
    /// Gives back what `alloc` gave for as many bytes.
    ///
    /// # Safety
    /// `at` came from `alloc(bytes, _)` of this device and is not used again.
    unsafe fn free(&self, at: Address, bytes: usize);
    /// Copies from the host.
    ///
    /// # Safety
    /// `to` has room for as many bytes.
    unsafe fn upload(&self, to: Address, from: &[u8]) -> Result<()>;
    /// Copies to the host, after everything launched before.
    ///
    /// # Safety
    /// As many bytes can be read at `from`.
    unsafe fn download(&self, from: Address, to: &mut [u8]) -> Result<()>;
    /// Copies within the device.
    ///
    /// # Safety
    /// Both places hold as many bytes.
    unsafe fn copy(&self, to: Address, from: Address, bytes: usize) -> Result<()>;
    /// Runs a kernel. Fails with `KeyboardInterrupt` when the user stops it.
    ///
    /// # Safety
    /// Every element the kernel reaches lies in live memory of this device, is of the dtype the kernel takes it for, and is
    /// touched by nobody else until the kernel is done.
    unsafe fn launch(&self, kernel: &Kernel) -> Result<()>;
    /// Multiplies matrices; `at` holds the storages of result, left and right factor.
    ///
    /// # Safety
    /// As for [`Device::launch`].
    unsafe fn gemm(&self, product: &Product, at: &[Address; 3]) -> Result<()>;
    /// Waits until everything launched is done; reports its errors.
    fn synchronize(&self) -> Result<()>;
    /// Seconds on the device's clock.
    fn timestamp(&self) -> Result<f64>;
}

/// The device with this name. Fails with a `RuntimeError` when the machine has no such device.
pub fn get(id: DeviceId) -> Result<&'static dyn Device> {
    match id {
        DeviceId::Cpu => Ok(&cpu::Cpu),
        DeviceId::Meta => Ok(&meta::Meta),
        DeviceId::Cuda(_) => fault!(RuntimeError, "{NO_GPU}"),
        DeviceId::Absent(kind) => Err(absent::refusal(kind)),
    }
}
