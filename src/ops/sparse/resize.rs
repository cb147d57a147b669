//! Sparse tensors that take another size.

use super::{compressed, coordinates, dims_of, require_coo};
use crate::device::no_kernel;
use crate::layout::Dims;
use crate::ops::create::options::hybrid_zeros;
use crate::ops::guard::refuse_leaf_write;
use crate::ops::{Args, Form, Op, exec, op};
use crate::tensor::{SparseKind, Tensor};
use crate::value::Value;
use anyhow::Result;

/// What PyTorch advises where a tensor keeps its size.
const ADVICE: &str = "\
You could try the following options:
1. If you need an empty sparse tensor of this size, call `x = torch.sparse_coo_tensor(size)`.
2. If you need to resize this tensor, you have the following options:
    1. For both sparse and dense dimensions, keep the number of them constant and the size of them non-shrinking, and then try the same call again.
    2. Or, create a new sparse tensor with the correct indices and values from this sparse tensor.";

/// A method that writes into a coordinate tensor.
const fn resizing(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).method_only().marked().sparse().no_grad()
}

rows![
    resizing(
        "sparse_resize_(Tensor(a!) self, int[] size, int sparse_dim, int dense_dim) -> Tensor(a!)",
        "Gives a coordinate tensor larger sizes; its values stay where they are.",
        "torch.eye(2).to_sparse().sparse_resize_((3, 3), 2, 0).shape\n# torch.Size([3, 3])",
        |a| resize(a, false),
    ),
    resizing(
        "sparse_resize_and_clear_(Tensor(a!) self, int[] size, int sparse_dim, int dense_dim) -> Tensor(a!)",
        "Gives a coordinate tensor other sizes, and no values.",
        "torch.eye(2).to_sparse().sparse_resize_and_clear_((3,), 1, 0)._nnz()\n# 0",
        |a| resize(a, true),
    ),
];

fn resize(args: &Args, clears: bool) -> Result<Value> {
    let (x, size, outer, inner): (Tensor, Dims, i64, i64) = args.take()?;
    refuse_leaf_write(&x, None)?;
    let name = args.op.name();
    let Some(sparse) = x.sparse().filter(|s| s.kind == SparseKind::Coo) else {
        let backend = if x.is_sparse() { "SparseCsrCPU" } else { "CPU" };
        return Err(no_kernel(name, backend));
    };
    if outer + inner != size.len() as i64 {
        fault!(
            RuntimeError,
            "'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {}, sparse_dim = {outer}, dense_dim = {inner}",
            size.len()
        );
    }
    if clears || sparse.stored() == 0 {
        let empty = hybrid_zeros(SparseKind::Coo, &size, outer as usize, x.dtype(), x.device())?;
        x.replace(x.dtype(), require_coo(&empty, name).map(crate::tensor::Form::Sparse)?)?;
        return Ok(x.into());
    }
    refuse_others(&x, &size, outer, inner)?;
    let kept = coordinates::coo(x.dtype(), &size, sparse.indices[0].clone(), sparse.values.clone(), sparse.coalesced);
    x.replace(x.dtype(), kept.form()?)?;
    Ok(x.into())
}

/// `resize_` of a matrix of compressed rows or columns: what is compressed takes the first size, whichever it stands for. None where
/// there are batches, whose new elements would be anything.
pub fn resize_compressed(args: &Args) -> Result<Option<Value>> {
    let (x, size): (Tensor, Dims) = (args.get(0)?, args.get(1)?);
    let Some(sparse) = x.sparse().filter(|s| s.kind != SparseKind::Coo && s.sizes.len() == 2) else { return Ok(None) };
    if let Some(negative) = size.iter().find(|n| **n < 0) {
        fault!(RuntimeError, "Trying to create tensor with negative dimension {negative}: {size:?}");
    }
    let &[rows, columns] = &size[..] else {
        if size.len() > 2 {
            return Ok(None);
        }
        fault!(RuntimeError, "torch.resize_: Only batched sparse CSR matrices are supported, but got size {size:?}");
    };
    if columns < sparse.sizes[1] {
        fault!(
            RuntimeError,
            "torch.resize_: Resizing columns of sparse CSR tensors to a smaller value is not supported. The original number of columns is \
             {} while the requested new number of columns is {columns}.",
            sparse.sizes[1]
        );
    }
    let [starts, inner] = sparse.indices.as_slice() else { return Ok(None) };
    let (mut places, stored) = (exec::read_vec::<i64>(starts)?, inner.numel());
    if places.len() as i64 != rows + 1 {
        places.resize(rows as usize + 1, stored);
        places.last_mut().into_iter().for_each(|last| *last = stored);
    }
    let starts = exec::cast(&exec::from_vec::<i64>(&places, &[rows + 1])?, starts.dtype())?;
    let made = compressed::made(x.dtype(), sparse.kind, size.to_vec(), vec![starts, inner.clone()], sparse.values.clone());
    x.replace(x.dtype(), made.form()?)?;
    Ok(Some(x.into()))
}

/// As `refuse_others`, of a coordinate tensor that takes the sizes of another one.
pub fn refuse_smaller(x: &Tensor, like: &Tensor) -> Result<()> {
    let (outer, inner) = dims_of(like);
    match x.sparse() {
        Some(sparse) if sparse.stored() > 0 => refuse_others(x, &like.sizes(), outer as i64, inner as i64),
        _ => Ok(()),
    }
}

/// Fails with a `RuntimeError` where a tensor with values would have other dimensions, or smaller ones.
fn refuse_others(x: &Tensor, size: &[i64], outer: i64, inner: i64) -> Result<()> {
    let (had, dense) = dims_of(x);
    for (kind, before, after) in [("sparse", had as i64, outer), ("dense", dense as i64, inner)] {
        if before != after {
            fault!(
                RuntimeError,
                "changing the number of {kind} dimensions (from {before} to {after}) on a non-empty sparse tensor is not supported.\n{ADVICE}"
            );
        }
    }
    let sizes = x.sizes();
    let (old, new) = (sizes.split_at(had), size.split_at(had));
    for (kind, before, after) in [("sparse", old.0, new.0), ("dense", old.1, new.1)] {
        if before.iter().zip(after).any(|(before, after)| after < before) {
            fault!(
                RuntimeError,
                "shrinking the size of {kind} dimensions (from {before:?} to {after:?}) on a non-empty sparse tensor is not supported.\n{ADVICE}"
            );
        }
    }
    if old.1 != new.1 {
        fault!(NotImplementedError, "sparse_resize_: values do not grow here; sizes without coordinates stay {:?}", old.1);
    }
    Ok(())
}
