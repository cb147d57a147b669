//! Calls that read no elements: they need no kernel, and give what the same call of float32 gives, in their own dtype.

use super::run::run_as_is;
use super::{Args, exec, out};
use crate::diag::Fault;
use crate::dtype::DType;
use crate::tensor::Tensor;
use crate::value::{Machine, Value};
use anyhow::Result;
use smallvec::SmallVec;

/// Functions that PyTorch asks for no kernel where a tensor is empty.
#[rustfmt::skip] // in few lines
const NAMES: &[&str] = &[
    "cdist", "det", "linalg.cholesky", "linalg.cholesky_ex", "linalg.det", "linalg.eigh", "linalg.eigvalsh", "linalg.ldl_factor",
    "linalg.ldl_factor_ex", "linalg.lu", "linalg.lu_factor", "linalg.lu_factor_ex", "linalg.matrix_exp", "linalg.solve",
    "linalg.solve_ex", "linalg.svd", "linalg.svdvals", "lu", "matrix_exp", "nn.functional.adaptive_avg_pool1d",
    "nn.functional.adaptive_avg_pool2d", "nn.functional.group_norm", "nn.functional.pdist", "svd",
];

/// Those that have none for complex numbers, and ask for none there.
const OF_COMPLEX: &[&str] = &[
    "bernoulli",
    "nn.functional.fractional_max_pool2d",
    "nn.functional.fractional_max_pool2d_with_indices",
    "nn.functional.fractional_max_pool3d",
    "nn.functional.fractional_max_pool3d_with_indices",
];

fn needs_none(name: &str, dtype: DType) -> bool {
    NAMES.contains(&name)
        || dtype.is_complex() && OF_COMPLEX.contains(&name)
        || dtype.is_half_complex() && name.starts_with("fft.")
}

/// What a call gives that failed for want of a kernel, and reads no elements; else the error again.
pub(super) fn instead(machine: &mut dyn Machine, args: &Args, error: anyhow::Error) -> Result<Value> {
    let lacks = |f: &Fault| {
        ["Unsupported dtype", "MKL FFT", "Low precision"].iter().any(|of_dtype| f.message.contains(of_dtype))
            || out::order::is_late(f)
    };
    let is_empty = |value: &Value| matches!(value, Value::Tensor(t) if t.numel() == 0);
    let Value::Tensor(first) = args.value(0) else { return Err(error) };
    let dtype = Tensor::dtype(first);
    if !args.values.iter().any(is_empty)
        || !needs_none(args.op.name(), dtype)
        || !error.downcast_ref::<Fault>().is_some_and(lacks)
    {
        return Err(error);
    }
    let mut of = |known: DType| {
        let values = args.values.iter().map(|value| cast(value, dtype, known)).collect::<Result<SmallVec<_>>>()?;
        run_as_is(machine, &Args { op: args.op, values, out: Value::None, inplace: false })
    };
    if dtype.is_complex()
        && let Ok(result) = of(DType::C64)
    {
        // Of complex numbers some results are real.
        return each(&each(&result, DType::C64, dtype)?, DType::F32, dtype.to_real());
    }
    each(&of(DType::F32)?, DType::F32, dtype)
}

fn cast(value: &Value, from: DType, to: DType) -> Result<Value> {
    match value {
        Value::Tensor(t) if t.dtype() == from => Ok(exec::cast(t, to)?.into()),
        other => Ok(other.clone()),
    }
}

fn each(results: &Value, from: DType, to: DType) -> Result<Value> {
    match results {
        Value::Tuple(items) => Ok(Value::tuple(items.iter().map(|item| cast(item, from, to)).collect::<Result<_>>()?)),
        one => cast(one, from, to),
    }
}
