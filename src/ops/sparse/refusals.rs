//! What PyTorch refuses of sparse tensors that could be done.

use super::kernel_name;
use crate::ops::{Args, Form};
use crate::tensor::{SparseKind, Tensor};
use anyhow::Result;

/// Fails where PyTorch refuses an operation on sparse tensors that could be done.
pub fn refuse(args: &Args) -> Result<()> {
    let tensors = args.tensors();
    let others = || tensors.get(1).filter(|t| t.is_sparse() || t.ndim() > 0);
    if !tensors.first().is_some_and(Tensor::is_sparse) {
        return match (args.op.name(), others()) {
            ("add" | "sub", Some(other)) if other.is_sparse() && tensors[0].sizes() != other.sizes() => fault!(
                RuntimeError,
                "add: expected 'self' and 'other' to have same size, but self has size {:?} while other has size {:?} (FYI: dense-sparse addition does not currently support broadcasting)",
                tensors[0].sizes().as_slice(),
                other.sizes().as_slice()
            ),
            ("div", Some(divisor)) => refuse_divisor(divisor),
            _ => Ok(()),
        };
    }
    let compressed = tensors[0].sparse().filter(|s| s.kind != SparseKind::Coo);
    let has_form = |name| matches!(name, "add" | "mul" | "neg") || super::BY_VALUE.contains(&name);
    if let Some(sparse) = compressed.filter(|_| matches!(args.op.form, Form::Map(_)) && !has_form(args.op.name())) {
        fault!(RuntimeError, "unsupported tensor layout: Sparse{:?}", sparse.kind);
    }
    match args.op.name() {
        "add" | "sub" if tensors.len() == 1 || !tensors[1].is_sparse() => {
            fault!(RuntimeError, "add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
        }
        "div" if let Some(divisor) = others() => refuse_divisor(divisor),
        "fill_" => fault!(
            NotImplementedError,
            "Could not run 'aten::{}' with arguments from the 'SparseCPU' backend.",
            kernel_name(args, true)
        ),
        "pow" if args.value(1).as_number().is_some_and(|n| n.to_f64() == 0.0) => {
            fault!(RuntimeError, "pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense")
        }
        _ => Ok(()),
    }
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
