//! Made sparse: dense tensors and other layouts as coordinates or as compressed rows, and tensors of parts that are given.

use super::{compressed, coordinates, layout_title, require_coo};
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
        _ => Ok(Rc::new(compressed::to_coordinates(sparse)?)),
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

/// The size of blocks for `to_sparse`, as it is given or not: they are for the layouts that have them.
pub(super) fn block_of(x: &Tensor, layout: Option<TensorLayout>, blocks: Option<&[i64]>) -> Result<[i64; 2]> {
    let to = layout.unwrap_or(TensorLayout::Sparse(SparseKind::Coo));
    let has_blocks = matches!(to, TensorLayout::Sparse(kind) if kind.is_blocked());
    let name = match x.sparse() {
        None => "dense_to_sparse",
        Some(sparse) if TensorLayout::Sparse(sparse.kind) == to => "to_sparse",
        Some(sparse) if sparse.kind == SparseKind::Coo => "sparse_coo_to_sparse",
        Some(_) => "sparse_compressed_to_sparse",
    };
    let block = blocks.map_or(Ok([1, 1]), |blocks| block_size(name, blocks))?;
    if has_blocks != blocks.is_some() {
        let (from, title) = (layout_title(x), to.title());
        let with = if has_blocks { "without" } else { "with" };
        fault!(RuntimeError, "{name}: conversion from {from} to {title} {with} blocksize argument given is not supported");
    }
    Ok(block)
}

/// Two positive sizes, or the `RuntimeError` that says so of others.
fn block_size(name: &str, blocks: &[i64]) -> Result<[i64; 2]> {
    let &[rows, columns] = blocks else {
        fault!(RuntimeError, "{name}: blocksize needs to be a tuple of size 2, but got {}", blocks.len());
    };
    if rows <= 0 || columns <= 0 {
        fault!(RuntimeError, "{name}: blocksize needs to be positive, but got {blocks:?}");
    }
    Ok([rows, columns])
}

/// `to_sparse_csr` and `to_sparse_csc`.
pub(super) fn compressed_from(args: &Args, kind: SparseKind) -> Result<Value> {
    let (x, dense): (Tensor, Option<i64>) = args.take()?;
    let dense = kept_dense(&x, kind, dense)?;
    to_compressed(&x, kind, [1, 1], dense)
}

/// `to_sparse_bsr` and `to_sparse_bsc`.
pub(super) fn blocks_from(args: &Args, kind: SparseKind) -> Result<Value> {
    let (x, blocks, dense): (Tensor, Dims, Option<i64>) = args.take()?;
    let name = format!("{}{}", from_name(&x), &kind.name()["sparse".len()..]);
    let block = block_size(&name, &blocks)?;
    let dense = kept_dense(&x, kind, dense)?;
    if !x.sparse().is_some_and(|sparse| sparse.kind.is_blocked()) {
        check_blocks(&x, &name, block, dense)?;
    }
    to_compressed(&x, kind, block, dense)
}

/// What a conversion to a compressed layout is called, but for the layout.
fn from_name(x: &Tensor) -> &'static str {
    match x.sparse().map(|s| s.kind) {
        None => "dense_to_sparse",
        Some(SparseKind::Coo) => "coo_to_sparse",
        Some(_) => "sparse_compressed_to_sparse",
    }
}

/// How many dimensions of a dense tensor stay whole.
fn kept_dense(x: &Tensor, kind: SparseKind, dense: Option<i64>) -> Result<usize> {
    let dense = dense.filter(|_| !x.is_sparse()).unwrap_or(0);
    let most = (x.ndim() as i64 - 2).max(0);
    if !(0..=most).contains(&dense) {
        let name = kind.name();
        fault!(RuntimeError, "dense_to_{name}: dense_dim argument must be in [0,{most}] range, but {dense} is given");
    }
    Ok(dense as usize)
}

/// A tensor whose last `dense` dimensions stay whole, compressed, in blocks of a size where the kind has them.
pub(super) fn to_compressed(x: &Tensor, kind: SparseKind, block: [i64; 2], dense: usize) -> Result<Value> {
    let source = match x.sparse() {
        Some(sparse) if sparse.kind == kind && (!kind.is_blocked() || sparse.block() == block) => return Ok(x.clone().into()),
        Some(sparse) => {
            refuse_blocks(&sparse, kind, block)?;
            coordinates_of(&sparse)?
        }
        None if x.ndim() < 2 && kind.is_blocked() => {
            real_dim(-2, x.ndim())?;
            real_dim(-1, x.ndim())?;
            fault!(IndexError, "Dimension out of range")
        }
        None if x.ndim() < 2 => {
            if kind.is_by_columns() {
                real_dim(1, x.ndim())?;
            }
            let kept = require_coo(&coordinates::from_dense(x, x.ndim())?, "to_sparse")?.stored();
            fault!(IndexError, "select(): index 1 out of range for tensor of size [{kept}, {}] at dimension 1", x.ndim())
        }
        None if x.ndim() < 2 + dense => fault!(RuntimeError, "a matrix has two dimensions"),
        None if x.ndim() == 2 + dense => require_coo(&coordinates::from_dense(x, 2)?, "to_sparse")?,
        None => return Ok(compressed::from_batches(x, dense, kind, block)?.into()),
    };
    Ok(compressed::from_coordinates(&source, kind, block)?.into())
}

/// Fails with a `RuntimeError` where blocks do not fill matrices.
pub(super) fn check_blocks(x: &Tensor, name: &str, [high, wide]: [i64; 2], dense: usize) -> Result<()> {
    let sizes = x.sizes();
    let Some(&[rows, columns]) = sizes.len().checked_sub(2 + dense).and_then(|at| sizes[at..at + 2].first_chunk()) else {
        return Ok(());
    };
    if rows % high != 0 || columns % wide != 0 {
        fault!(
            RuntimeError,
            "{name}: tensor sparse size ({rows},{columns}) must be divisible by given blocksize ({high},{wide})"
        );
    }
    Ok(())
}

/// Fails with a `RuntimeError` where a sparse tensor with blocks is asked for other ones, or for none.
fn refuse_blocks(sparse: &Sparse, kind: SparseKind, block: [i64; 2]) -> Result<()> {
    if !sparse.kind.is_blocked() {
        return Ok(());
    }
    let (from, to, name) = (sparse.kind.title(), kind.title(), kind.name());
    if !kind.is_blocked() {
        fault!(RuntimeError, "sparse_compressed_to_{name}: expected SparseCsr or SparseCsc layout but got {from}");
    }
    let own = sparse.block();
    if own != block {
        let spoken = if kind == sparse.kind { format!("to_{name}") } else { format!("sparse_compressed_to_{name}") };
        fault!(
            RuntimeError,
            "{spoken}: conversion from {from} to {to} with blocksize changed from {own:?} to {block:?} is not supported"
        );
    }
    Ok(())
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
