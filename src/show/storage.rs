//! The text of a storage: every cell on a line of its own, whatever the size.

use super::number::write_number;
use crate::device::DeviceId;
use crate::dtype::{DType, Number};
use crate::interrupt;
use crate::value::StorageView;
use anyhow::Result;
use std::fmt::Write;

/// `repr(x.storage())` and `repr(x.untyped_storage())`. Fails with `KeyboardInterrupt` when a stop was asked for.
pub fn repr(view: &StorageView) -> Result<String> {
    let (device, dtype) = (view.storage.device(), view.dtype.unwrap_or(DType::U8));
    let mut out = String::new();
    if device == DeviceId::Meta {
        out.push_str("...");
    } else {
        view.storage.read(|bytes| write_cells(&mut out, dtype, bytes))??;
    }
    let class = match view.dtype {
        Some(dtype) => format!("TypedStorage(dtype={dtype}, "),
        None => "UntypedStorage(".to_string(),
    };
    let size = view.storage.nbytes() / dtype.size();
    // Writing to a String cannot fail.
    let _ = write!(out, "\n[torch.storage.{class}device={device}) of size {size}]");
    Ok(out)
}

/// Appends the cells, each after a space; an empty storage still has one line.
fn write_cells(out: &mut String, dtype: DType, bytes: &[u8]) -> Result<()> {
    out.push(' ');
    for (k, cell) in bytes.chunks_exact(dtype.size()).enumerate() {
        if k.is_multiple_of(4096) {
            interrupt::check()?;
        }
        if k > 0 {
            out.push_str("\n ");
        }
        write_number(out, Number::read(dtype, cell));
    }
    Ok(())
}
