//! Made sparse: dense tensors and other layouts as coordinates or as compressed rows, and tensors of parts that are given.

use super::{compressed, coordinates, require_coo};
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::layout::{Dims, real_dim};
use crate::ops::create::data::from_data;
use crate::ops::{Args, exec};
use crate::tensor::{Grad, Sparse, SparseKind, Tensor};
use crate::value::{Device, TensorLayout, Value};
use anyhow::Result;
use std::rc::Rc;

/// The coordinates of a sparse tensor of any layout.
pub(super) fn coordinates_of(sparse: &Rc<Sparse>) -> Result<Rc<Sparse>> {
    match sparse.kind {
        SparseKind::Coo => Ok(sparse.clone()),
        SparseKind::Csr | SparseKind::Csc => Ok(Rc::new(compressed::to_coordinates(sparse)?)),
    }
}

pub(super) fn to_coordinates(x: &Tensor, sparse_dim: i64) -> Result<Value> {
    let dense = match x.sparse() {
        Some(sparse) if sparse.kind == SparseKind::Coo => return Ok(x.clone().into()),
        Some(sparse) => {
            let sparse = coordinates_of(&sparse)?;
            return Ok(Tensor::from_form(x.dtype(), crate::tensor::Form::Sparse(sparse)).into());
        }
        None => x,
    };
    let ndim = dense.ndim() as i64;
    if !(0..=ndim).contains(&sparse_dim) {
        fault!(RuntimeError, "dense_to_sparse: sparse_dim argument must be in [0,{ndim}] range, but {sparse_dim} is given");
    }
    if sparse_dim == 0 && ndim > 0 {
        fault!(RuntimeError, "dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0");
    }
    Ok(coordinates::from_dense(dense, sparse_dim as usize)?.into())
}

/// How many dimensions at the end stay dense, as `dense_dim` says of a dense tensor.
pub(super) fn dense_dims(x: &Tensor, layout: Option<TensorLayout>, dense: i64) -> Result<i64> {
    let ndim = x.ndim() as i64;
    let most = match layout {
        None | Some(TensorLayout::Sparse(SparseKind::Coo)) => ndim,
        _ => (ndim - 2).max(0),
    };
    if !(0..=most).contains(&dense) {
        fault!(RuntimeError, "dense_to_sparse: dense_dim argument must be in [0,{most}] range, but {dense} is given");
    }
    if dense == ndim && ndim > 0 {
        fault!(RuntimeError, "dense_to_sparse: dense_dim argument must be !=self.dim() when self.dim()>0");
    }
    Ok(dense)
}

/// Blocks are for the layouts that have them, of which there are none here.
pub(super) fn refuse_blocks(layout: Option<TensorLayout>, blocks: &[i64]) -> Result<()> {
    if blocks.len() != 2 {
        fault!(RuntimeError, "dense_to_sparse: blocksize needs to be a tuple of size 2, but got {}", blocks.len());
    }
    if blocks.iter().any(|size| *size <= 0) {
        fault!(RuntimeError, "dense_to_sparse: blocksize needs to be positive, but got {blocks:?}");
    }
    let to = match layout {
        None | Some(TensorLayout::Sparse(SparseKind::Coo)) => "Sparse",
        Some(TensorLayout::Sparse(SparseKind::Csr)) => "SparseCsr",
        Some(TensorLayout::Sparse(SparseKind::Csc)) => "SparseCsc",
        Some(TensorLayout::Strided) => "Strided",
    };
    fault!(RuntimeError, "dense_to_sparse: conversion from Strided to {to} with blocksize argument given is not supported")
}

/// `to_sparse_csr` and `to_sparse_csc`.
pub(super) fn compressed_from(args: &Args, kind: SparseKind) -> Result<Value> {
    let (x, dense): (Tensor, Option<i64>) = args.take()?;
    let dense = dense.filter(|_| !x.is_sparse()).unwrap_or(0);
    let most = (x.ndim() as i64 - 2).max(0);
    if !(0..=most).contains(&dense) {
        let name = if kind == SparseKind::Csr { "csr" } else { "csc" };
        fault!(RuntimeError, "dense_to_sparse_{name}: dense_dim argument must be in [0,{most}] range, but {dense} is given");
    }
    to_compressed(&x, kind, dense as usize)
}

/// A tensor whose last `dense` dimensions stay whole, compressed.
pub(super) fn to_compressed(x: &Tensor, kind: SparseKind, dense: usize) -> Result<Value> {
    let source = match x.sparse() {
        Some(sparse) if sparse.kind == kind => return Ok(x.clone().into()),
        Some(sparse) => coordinates_of(&sparse)?,
        None if x.ndim() < 2 => {
            if kind == SparseKind::Csc {
                real_dim(1, x.ndim())?;
            }
            let kept = require_coo(&coordinates::from_dense(x, x.ndim())?, "to_sparse")?.stored();
            fault!(IndexError, "select(): index 1 out of range for tensor of size [{kept}, {}] at dimension 1", x.ndim())
        }
        None if x.ndim() == 2 + dense => require_coo(&coordinates::from_dense(x, 2)?, "to_sparse")?,
        None => return Ok(compressed::from_batches(x, dense, kind)?.into()),
    };
    Ok(compressed::from_coordinates(&source, kind)?.into())
}

pub(super) fn from_parts(args: &Args) -> Result<Value> {
    let dtype: Option<DType> = args.get(3)?;
    let device = args.get::<Option<Device>>(4)?.map_or(DeviceId::Cpu, |d| d.id);
    let (requires_grad, is_coalesced): (bool, Option<bool>) = (args.get(6)?, args.get(8)?);
    let given = |place: usize, dtype: Option<DType>| match args.value(place) {
        Value::Tensor(t) => exec::cast(t, dtype.unwrap_or(t.dtype())),
        other => from_data(other, dtype, device),
    };
    let (indices, values) = (given(0, Some(DType::I64))?, given(1, dtype)?.twin());
    let size: Option<Dims> = args.get(2)?;
    // What has one value at most needs no order.
    let few = values.ndim() > 0 && values.sizes()[0] < 2;
    let tensor = coordinates::from_parts(indices, values, size, is_coalesced.unwrap_or(few))?;
    if matches!(args.value(7), Value::Bool(true)) {
        coordinates::check_places(require_coo(&tensor, "sparse_coo_tensor")?.as_ref())?;
    }
    if requires_grad && !(tensor.dtype().is_float() || tensor.dtype().is_complex()) {
        fault!(RuntimeError, "Only Tensors of floating point and complex dtype can require gradients");
    }
    if requires_grad {
        tensor.set_grad(Grad { requires_grad: true, ..Grad::default() });
    }
    Ok(tensor.into())
}
