//! What PyTorch refuses of sparse tensors that could be done.

use super::said::said;
use super::{kernel_name, layout_title};
use crate::device::no_kernel;
use crate::dtype::{DType, Number};
use crate::ops::{Args, Form};
use crate::tensor::{SparseKind, Tensor};
use crate::value::Value;
use anyhow::Result;

/// Fails where PyTorch refuses an operation on sparse tensors that could be done.
pub fn refuse(args: &Args) -> Result<()> {
    let tensors = args.tensors();
    if let Some(compressed) = tensors.iter().find(|t| t.sparse().is_some_and(|s| s.kind != SparseKind::Coo)) {
        return refuse_compressed(args, compressed, &tensors);
    }
    let others = || tensors.get(1).filter(|t| t.is_sparse() || t.ndim() > 0);
    if !tensors.first().is_some_and(Tensor::is_sparse) {
        return match (args.op.name(), others()) {
            ("add" | "sub", Some(other)) if other.is_sparse() => refuse_sizes(&tensors[0].sizes(), other, "dense"),
            ("div", Some(divisor)) => refuse_divisor(divisor),
            _ => Ok(()),
        };
    }
    match args.op.name() {
        "add" | "sub" if tensors.len() == 1 || !tensors[1].is_sparse() => {
            fault!(RuntimeError, "add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
        }
        "div" if let Some(divisor) = others() => refuse_divisor(divisor),
        "view" if matches!(args.value(1), Value::DType(_)) => {
            fault!(NotImplementedError, "Cannot access storage of SparseTensorImpl")
        }
        "fill_" => Err(no_kernel(&kernel_name(args, true), "SparseCPU")),
        "pow"
            if let (Some(power), Some(x)) = (args.value(1).as_number(), tensors.first())
                && x.dtype().is_integral(true)
                && matches!(power, Number::Float(_)) =>
        {
            fault!(RuntimeError, "result type Float can't be cast to the desired output type {}", x.dtype().title())
        }
        "pow" if args.value(1).as_number().is_some_and(|n| n.to_f64() == 0.0) => {
            fault!(RuntimeError, "pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense")
        }
        _ => Ok(()),
    }
}

/// The `RuntimeError` for what a compressed tensor does not have.
pub fn lacks(x: &Tensor, what: &str) -> anyhow::Error {
    let kind = x.sparse().map_or(SparseKind::Csr, |s| s.kind).name()["sparse_".len()..].to_uppercase();
    err!(RuntimeError, "Sparse {kind} tensors do not have {what}")
}

/// As [`refuse`], of operands of which one is compressed.
fn refuse_compressed(args: &Args, compressed: &Tensor, tensors: &[Tensor]) -> Result<()> {
    let name = args.op.name();
    if let Some(error) = said(args, args.inplace) {
        return Err(error);
    }
    let is_only_one = tensors.iter().filter(|t| t.is_sparse()).count() == 1;
    if args.inplace && name == "add" && is_only_one && tensors[0].is_sparse() {
        return Err(lacks(compressed, "is_contiguous"));
    }
    let has_form = matches!(name, "add" | "mul" | "neg") || super::is_by_value(name, SparseKind::Csr);
    if matches!(name, "sub" | "rsub" | "div") || matches!(args.op.form, Form::Map(_)) && !has_form {
        let first = tensors.first().filter(|t| t.is_sparse()).unwrap_or(compressed);
        fault!(RuntimeError, "unsupported tensor layout: {}", layout_title(first));
    }
    let kinds: Vec<Option<SparseKind>> = tensors.iter().map(|t| t.sparse().map(|s| s.kind)).collect();
    match (name, &kinds[..]) {
        ("add", [Some(first), Some(SparseKind::Coo)]) if first.is_blocked() => fault!(
            RuntimeError,
            "at::sparse_csr::is_sparse_compressed(other) INTERNAL ASSERT FAILED at \"/__w/pytorch/pytorch/aten/src/ATen/SparseCsrTensorUtils.h\":371, please report a bug to PyTorch. "
        ),
        ("add", [Some(kind)] | [None, Some(kind)] | [Some(kind), None]) if kind.is_blocked() => fault!(
            RuntimeError,
            "src.layout() == kSparseCsr || src.layout() == kSparseCsc INTERNAL ASSERT FAILED at \"/__w/pytorch/pytorch/aten/src/ATen/native/sparse/SparseCsrTensorMath.cpp\":827, please report a bug to PyTorch. "
        ),
        ("add", [Some(SparseKind::Coo), Some(_)]) => {
            fault!(RuntimeError, "memory format option is only supported by strided tensors")
        }
        ("add", [Some(_), Some(_)]) if tensors[0].sizes() != tensors[1].sizes() => fault!(
            RuntimeError,
            "torch.add: Expected input tensors to have the same shape, but got tensor `self` with shape {:?} and tensor `other` with shape {:?}",
            tensors[0].sizes().as_slice(),
            tensors[1].sizes().as_slice()
        ),
        ("add", [Some(_)]) => refuse_sizes(&[], compressed, "op2"),
        ("add", [None, Some(_)]) => refuse_sizes(&tensors[0].sizes(), compressed, "op2"),
        ("add", [Some(_), None]) => refuse_sizes(&tensors[1].sizes(), compressed, "op2"),
        ("mul", [Some(first), _]) if first.is_blocked() && tensors[1].ndim() > 0 => refuse_blocked(*first, "empty"),
        ("add", [Some(first), Some(second)]) if first.is_blocked() != second.is_blocked() => fault!(
            RuntimeError,
            "MKL error: SPARSE_STATUS_NOT_SUPPORTED when calling `mkl_sparse_{}_add(operation, A, alpha, B, C)`",
            precision(compressed.dtype())
        ),
        ("add", [Some(first), Some(second)]) if first != second && first.is_blocked() => {
            let (part, wanted) = if first.is_by_columns() { ("ccol_indices", "column") } else { ("crow_indices", "row") };
            fault!(RuntimeError, "{part} expected sparse {wanted} compressed tensor layout but got {}", layout_title(&tensors[1]))
        }
        ("mul", [Some(first), Some(_)]) if *first != SparseKind::Csr => {
            fault!(RuntimeError, "Expected result Tensor to be of format CSR")
        }
        _ => Ok(()),
    }
}

/// Fails with a `RuntimeError` for a layout of blocks, which what makes a tensor does not know.
pub fn refuse_blocked(kind: SparseKind, making: &str) -> Result<()> {
    if !kind.is_blocked() {
        return Ok(());
    }
    let title = kind.title();
    fault!(RuntimeError, "{making}_sparse_compressed expected sparse compressed (non-block) tensor layout but got {title}")
}

/// The letter for a dtype in the names of MKL's functions.
fn precision(dtype: DType) -> char {
    match dtype {
        DType::F64 => 'd',
        DType::C64 => 'c',
        DType::C128 => 'z',
        _ => 's',
    }
}

/// Fails with a `RuntimeError` where a dense tensor does not have the sizes of the sparse one that is added.
pub(super) fn refuse_sizes(dense: &[i64], sparse: &Tensor, spoken: &str) -> Result<()> {
    if dense == &sparse.sizes()[..] {
        return Ok(());
    }
    fault!(
        RuntimeError,
        "add: expected 'self' and 'other' to have same size, but self has size {dense:?} while other has size {:?} (FYI: {spoken}-sparse addition does not currently support broadcasting)",
        sparse.sizes().as_slice()
    )
}

fn refuse_divisor(divisor: &Tensor) -> Result<()> {
    fault!(
        RuntimeError,
        "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape {:?} for divisor)",
        divisor.sizes().as_slice()
    )
}

/// Fails with a `RuntimeError` when an order puts dimensions with coordinates among those without.
pub(super) fn refuse_mixed(name: &str, order: &[usize], outer: usize) -> Result<()> {
    if order.iter().enumerate().all(|(to, from)| (to < outer) == (*from < outer)) {
        return Ok(());
    }
    let moved: Vec<usize> = order.iter().enumerate().filter(|(to, from)| to != *from).map(|(to, _)| to).collect();
    match (name, &moved[..]) {
        ("permute" | "movedim" | "moveaxis" | "T", _) | (_, [] | [_] | [_, _, _, ..]) => fault!(
            RuntimeError,
            "permute(sparse_coo): transpositions between sparse and dense dimensions are not allowed.Only transpositions within sparse and dense dimensions are supported."
        ),
        (_, [first, second]) => fault!(
            RuntimeError,
            "sparse transpose: transposed dimensions must be sparse Got sparse_dim: {outer}, d0: {first}, d1: {second}"
        ),
    }
}
