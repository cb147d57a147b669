//! Indices of sparse tensors.

use super::conversion::coordinates_of;
use super::coordinates::{coo, places};
use super::refusals::lacks;
use crate::device::{DeviceId, no_kernel};
use crate::kernel::fold::SUM;
use crate::layout::{Dims, Layout};
use crate::ops::FromValue;
use crate::ops::exec::{self, Reduction};
use crate::tensor::{Form, SparseKind, Tensor};
use crate::value::Value;
use anyhow::Result;

/// `x[index]`: ints and new dimensions alone, since there are no strides for anything else. `check` looks at the index as at that of a
/// dense tensor, and tells whether it is so plain.
pub fn indexed(x: &Tensor, index: &Value, check: impl FnOnce(&Tensor) -> Result<bool>) -> Result<Tensor> {
    let like = exec::zeros(&[1], x.dtype(), DeviceId::Cpu)?;
    let is_plain = check(&like.alias(Layout::new(&x.sizes(), &Dims::from_elem(0, x.ndim()), 0))?)?;
    let items = match index {
        Value::Tuple(items) => items.to_vec(),
        one => vec![one.clone()],
    };
    if is_plain && items.iter().all(|item| matches!(item, Value::Ellipsis)) {
        if x.sparse().is_some_and(|s| s.kind != SparseKind::Coo) {
            return Err(lacks(x, "strides"));
        }
        fault!(NotImplementedError, "Cannot access storage of SparseTensorImpl");
    }
    let is_plain = is_plain && items.iter().any(|item| matches!(item, Value::None) || i64::from_value(item).is_some());
    let adds = items.iter().any(|item| matches!(item, Value::None));
    let Some(sparse) = x.sparse().filter(|s| is_plain && (s.kind == SparseKind::Coo || !adds)) else {
        if x.sparse().is_some_and(|s| s.kind != SparseKind::Coo) {
            return Err(lacks(x, "strides"));
        }
        return Err(no_kernel("as_strided", "SparseCPU"));
    };
    let mut found = Tensor::from_form(x.dtype(), Form::Sparse(coordinates_of(&sparse)?));
    let named = items.iter().filter(|item| !matches!(item, Value::None | Value::Ellipsis)).count();
    let mut dim = 0;
    for item in items {
        match item {
            Value::Ellipsis => dim += x.ndim() - named,
            Value::None => {
                found = unsqueezed(&found, dim)?;
                dim += 1;
            }
            item => match i64::from_value(&item) {
                Some(at) => {
                    // Values that are to be viewed lie in equal steps.
                    let is_viewed = sparse.kind != SparseKind::Coo && found.ndim() == x.ndim();
                    found = selected(&found, dim, at, is_viewed)?
                }
                None => dim += 1,
            },
        }
    }
    Ok(found)
}

/// `x[index]` along one dimension of a coordinate tensor: where that was the only one with coordinates, or there was none, a dense tensor.
fn selected(x: &Tensor, dim: usize, index: i64, is_viewed: bool) -> Result<Tensor> {
    let Some(sparse) = x.sparse() else { return x.alias(x.layout().select(dim as i64, index)?) };
    let (columns, outer) = (places(&sparse)?, sparse.sizes.len() + 1 - sparse.values.ndim());
    let size = sparse.sizes[dim];
    let at = if index < 0 { index + size } else { index };
    let mut sizes = sparse.sizes.clone();
    sizes.remove(dim);
    if dim >= outer {
        let values = sparse.values.alias(sparse.values.layout().select((dim + 1 - outer) as i64, at)?)?;
        return Ok(coo(values.dtype(), &sizes, sparse.indices[0].clone(), values, sparse.coalesced));
    }
    let kept: Vec<usize> = (0..columns.len()).filter(|k| columns[*k][dim] == at).collect();
    if is_viewed && kept.windows(3).any(|at| at[2] - at[1] != at[1] - at[0]) {
        fault!(RuntimeError, "select(): no view exists for the given input, consider using torch.select_copy.");
    }
    let values = rows_of(&sparse.values, &kept)?;
    if outer == 1 {
        let sum = Reduction::new(&SUM, values.dtype());
        return Ok(exec::fold(&sum, &values, &[0], false)?.first().unwrap_or(&values).clone());
    }
    let rows = (0..outer).filter(|other| *other != dim);
    let places: Vec<i64> = rows.flat_map(|row| kept.iter().map(|k| columns[*k][row]).collect::<Vec<_>>()).collect();
    let indices = exec::from_vec(&places, &[outer as i64 - 1, kept.len() as i64])?;
    Ok(coo(values.dtype(), &sizes, indices, values, sparse.coalesced))
}

/// A new dimension of size 1 before `dim`, whose coordinates are zero.
fn unsqueezed(x: &Tensor, dim: usize) -> Result<Tensor> {
    let Some(sparse) = x.sparse() else { return x.alias(x.layout().unsqueeze(dim as i64)?) };
    let (outer, nnz) = (sparse.sizes.len() + 1 - sparse.values.ndim(), sparse.stored());
    let mut sizes = sparse.sizes.clone();
    sizes.insert(dim, 1);
    if dim > outer {
        let values = sparse.values.alias(sparse.values.layout().unsqueeze((dim + 1 - outer) as i64)?)?;
        return Ok(coo(values.dtype(), &sizes, sparse.indices[0].clone(), values, false));
    }
    let mut places: Vec<i64> = exec::read_vec(&sparse.indices[0])?;
    let start = dim * nnz as usize;
    places.splice(start..start, std::iter::repeat_n(0, nnz as usize));
    let indices = exec::from_vec(&places, &[outer as i64 + 1, nnz])?;
    Ok(coo(x.dtype(), &sizes, indices, sparse.values.clone(), false))
}

/// Some rows of a tensor, in this order.
fn rows_of(values: &Tensor, kept: &[usize]) -> Result<Tensor> {
    let (bytes, mut sizes) = (exec::bytes(values)?, values.sizes());
    let width = bytes.len().checked_div(sizes[0] as usize).unwrap_or(0);
    let picked: Vec<u8> = kept.iter().flat_map(|k| &bytes[k * width..(k + 1) * width]).copied().collect();
    sizes[0] = kept.len() as i64;
    exec::from_bytes(&picked, &sizes, values.dtype())
}
