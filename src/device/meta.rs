//! The device without memory: shapes, strides and dtypes are right, and nothing is computed.

use super::{Address, Device, Info, Kernel, Memory};
use crate::kernel::matmul::Product;
use anyhow::Result;

/// What is said to whoever asks for elements that are not there.
pub const NO_DATA: &str = "Cannot copy out of meta tensor; no data!";
/// The same about the only element.
pub const NO_ITEM: &str = "Tensor.item() cannot be called on meta tensors";

/// The meta device.
pub struct Meta;

impl Device for Meta {
    fn info(&self) -> Info {
        Info { name: "meta".to_string(), units: 0, is_host: false, has_memory: false }
    }

    fn memory(&self) -> Memory {
        Memory { free: usize::MAX, total: usize::MAX }
    }

    fn alloc(&self, _bytes: usize, _zeroed: bool) -> Result<Address> {
        Ok(std::ptr::dangling_mut())
    }

    unsafe fn free(&self, _at: Address, _bytes: usize) {}

    unsafe fn upload(&self, _to: Address, _from: &[u8]) -> Result<()> {
        Ok(())
    }

    unsafe fn download(&self, _from: Address, _to: &mut [u8]) -> Result<()> {
        fault!(NotImplementedError, "{NO_DATA}")
    }

    unsafe fn copy(&self, _to: Address, _from: Address, _bytes: usize) -> Result<()> {
        Ok(())
    }

    unsafe fn launch(&self, _kernel: &Kernel) -> Result<()> {
        Ok(())
    }

    unsafe fn gemm(&self, _product: &Product, _at: &[Address; 3]) -> Result<()> {
        Ok(())
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn timestamp(&self) -> Result<f64> {
        Ok(0.0)
    }
}
