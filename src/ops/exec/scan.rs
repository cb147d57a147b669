//! Running results along a dimension.

use super::convert::resolve;
use super::fold::operand;
use super::make::empty;
use crate::device::{self, Address, Kernel};
use crate::dtype::DType;
use crate::kernel::fold::Operand;
use crate::kernel::program::Program;
use crate::kernel::scan::{Scan, ScanPlan, ScanTask};
use crate::tensor::Tensor;
use anyhow::Result;
use smallvec::{SmallVec, smallvec};

/// Scans a tensor along dimension `dim` (counted from 0; any for a 0-d tensor) into new contiguous tensors, one per result.
/// Elements are cast to `compute` first; the first result has that dtype, a second one is int64.
///
/// Fails with a `NotImplementedError` when the scan does not exist for the dtype.
pub fn scan(scan: &'static Scan, x: &Tensor, dim: usize, compute: DType) -> Result<SmallVec<[Tensor; 2]>> {
    let x = resolve(x)?;
    let Some(block) = scan.block(compute) else {
        fault!(NotImplementedError, "\"{}_cpu\" not implemented for '{}'", scan.name, compute.title())
    };
    let sizes = x.sizes();
    let mut outs: SmallVec<[Tensor; 2]> = smallvec![empty(&sizes, compute, x.device())?];
    if block.results > 1 {
        outs.push(empty(&sizes, DType::I64, x.device())?);
    }
    if x.numel() == 0 {
        return Ok(outs);
    }
    let targets: SmallVec<[Operand; 2]> = outs.iter().map(operand).collect::<Result<_>>()?;
    let plan = ScanPlan::new(&sizes, dim, &operand(&x)?, &targets);
    let outputs: SmallVec<[(Address, DType); 2]> =
        outs.iter().map(|t| Ok((t.storage()?.as_ptr(), t.dtype()))).collect::<Result<_>>()?;
    let program = Program::widen(x.dtype(), compute);
    let input = x.storage()?.as_ptr();
    let task = ScanTask { scan: block, program: &program, plan: &plan, input, outputs: &outputs };
    // SAFETY: the plan was made from layouts that were checked against their storages, the program for this dtype, and the
    // outputs are new.
    unsafe { device::get(x.device())?.launch(&Kernel::Scan(&task))? };
    Ok(outs)
}
