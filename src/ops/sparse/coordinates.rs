//! Coordinates and values.

use crate::dtype::{DType, Number};
use crate::layout::{Dims, Layout};
use crate::ops::exec;
use crate::tensor::{Form, Sparse, SparseKind, Tensor};
use anyhow::Result;
use std::rc::Rc;

/// Wraps coordinates and values.
pub(super) fn coo(dtype: DType, sizes: &[i64], indices: Tensor, values: Tensor, coalesced: bool) -> Tensor {
    let sparse = Sparse { kind: SparseKind::Coo, sizes: sizes.to_vec(), indices: vec![indices], values, coalesced };
    Tensor::from_form(dtype, Form::Sparse(Rc::new(sparse)))
}

/// A copy with values of another dtype.
pub fn converted(sparse: &Sparse, dtype: DType) -> Result<Tensor> {
    let (indices, values) = (exec::clone(&sparse.indices[0])?, exec::clone(&exec::cast(&sparse.values, dtype)?)?);
    Ok(coo(dtype, &sparse.sizes, indices, values, sparse.coalesced))
}

/// The elements of a dense tensor that are not zero. Dimensions from `sparse_dim` on are kept whole in the values.
pub(super) fn from_dense(x: &Tensor, sparse_dim: usize) -> Result<Tensor> {
    let (dtype, sizes) = (x.dtype(), x.sizes());
    let (outer, inner) = sizes.split_at(sparse_dim);
    let row = inner.iter().product::<i64>() as usize * dtype.size();
    let bytes = exec::bytes(x)?;
    let is_kept = |row: &[u8]| row.chunks_exact(dtype.size()).any(|cell| Number::read(dtype, cell).to_bool());
    let (mut kept, mut values) = (Vec::new(), Vec::new());
    for (place, row) in bytes.chunks_exact(row.max(1)).enumerate() {
        if is_kept(row) {
            kept.push(place as i64);
            values.extend_from_slice(row);
        }
    }
    let count = kept.len() as i64;
    let indices = exec::from_vec(&unravel(&kept, outer), &[sparse_dim as i64, count])?;
    let sizes_of_values: Dims = std::iter::once(count).chain(inner.iter().copied()).collect();
    Ok(coo(dtype, &sizes, indices, exec::from_bytes(&values, &sizes_of_values, dtype)?, true))
}

/// Row-major places as coordinates, one row per dimension.
fn unravel(places: &[i64], sizes: &[i64]) -> Vec<i64> {
    let mut found = Vec::with_capacity(places.len() * sizes.len());
    for dim in 0..sizes.len() {
        let step: i64 = sizes[dim + 1..].iter().product();
        found.extend(places.iter().map(|place| place / step % sizes[dim]));
    }
    found
}

/// A sparse tensor of given parts; without a size, the least one that holds the coordinates.
///
/// Fails with a `RuntimeError` when the parts do not belong together.
pub(super) fn from_parts(indices: Tensor, values: Tensor, size: Option<Dims>, coalesced: bool) -> Result<Tensor> {
    let (sparse_dim, nnz) = match indices.sizes().as_slice() {
        [count] if size.is_none() => fault!(RuntimeError, "indices must be sparse_dim x nnz, but got: [{count}]"),
        [count] => (*count, 1),
        [dims, nnz] => (*dims, *nnz),
        other => fault!(RuntimeError, "indices must be sparse_dim x nnz, but got: {other:?}"),
    };
    let kept = values.sizes().first().copied().unwrap_or(1);
    let dense = values.sizes().get(1..).map(Dims::from_slice).unwrap_or_default();
    if let Some(size) = &size
        && size.len() as i64 != sparse_dim + dense.len() as i64
    {
        fault!(
            RuntimeError,
            "'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {}, sparse_dim = {sparse_dim}, dense_dim = {}",
            size.len(),
            dense.len()
        );
    }
    if nnz != kept || indices.ndim() != 2 || values.ndim() == 0 {
        fault!(RuntimeError, "indices and values must have same nnz, but got nnz from indices: {nnz}, nnz from values: {kept}");
    }
    if let Some(size) = &size
        && size[sparse_dim as usize..] != dense[..]
    {
        let wanted: Dims = std::iter::once(nnz).chain(size[sparse_dim as usize..].iter().copied()).collect();
        fault!(RuntimeError, "values has incorrect size, expected {:?}, got {:?}", wanted.as_slice(), values.sizes().as_slice());
    }
    let size = match size {
        Some(size) => size,
        None => least_size(&indices, nnz as usize)?.into_iter().chain(dense).collect(),
    };
    Ok(coo(values.dtype(), &size, indices, values, coalesced))
}

/// Fails with a `RuntimeError` when a coordinate lies outside.
pub(super) fn check_places(sparse: &Sparse) -> Result<()> {
    let Some(indices) = sparse.indices.first() else { return Ok(()) };
    let places: Vec<i64> = exec::read_vec(indices)?;
    for (dim, (row, size)) in places.chunks((sparse.stored() as usize).max(1)).zip(&sparse.sizes).enumerate() {
        refuse_negative(row, dim)?;
        if let Some(most) = row.iter().max().filter(|most| *most >= size) {
            fault!(RuntimeError, "size is inconsistent with indices: for dim {dim}, size is {size} but found index {most}");
        }
    }
    Ok(())
}

fn refuse_negative(row: &[i64], dim: usize) -> Result<()> {
    match row.iter().min() {
        Some(least) if *least < 0 => fault!(RuntimeError, "found negative index {least} for dim {dim}"),
        _ => Ok(()),
    }
}

fn least_size(indices: &Tensor, nnz: usize) -> Result<Vec<i64>> {
    let coordinates: Vec<i64> = exec::read_vec(indices)?;
    let row = |dim: i64| &coordinates[dim as usize * nnz..(dim as usize + 1) * nnz];
    (0..indices.sizes()[0]).try_for_each(|dim| refuse_negative(row(dim), dim as usize))?;
    Ok((0..indices.sizes()[0]).map(|dim| row(dim).iter().max().map_or(0, |most| most.saturating_add(1))).collect())
}

/// The coordinates of every value, each a row. Fails with a `RuntimeError` when one lies outside.
pub(super) fn columns(sparse: &Sparse) -> Result<Vec<Vec<i64>>> {
    let columns = places(sparse)?;
    for (dim, size) in sparse.sizes.iter().enumerate() {
        if let Some(at) = columns.iter().filter_map(|column| column.get(dim)).find(|at| !(0..*size).contains(*at)) {
            fault!(RuntimeError, "size is inconsistent with indices: for dim {dim}, size is {size} but found index {at}");
        }
    }
    Ok(columns)
}

/// As [`columns`], wherever they lie.
pub(super) fn places(sparse: &Sparse) -> Result<Vec<Vec<i64>>> {
    let Some(indices) = sparse.indices.first() else { return Ok(vec![]) };
    let (nnz, flat) = (sparse.stored() as usize, exec::read_vec::<i64>(indices)?);
    let dims = flat.len().checked_div(nnz).unwrap_or(0);
    let mut columns = vec![Vec::with_capacity(dims); nnz];
    for row in flat.chunks(nnz.max(1)) {
        columns.iter_mut().zip(row).for_each(|(column, at)| column.push(*at));
    }
    Ok(columns)
}

/// The same tensor with its dimensions in another order. Those with coordinates stay before those without.
pub(super) fn permuted(sparse: &Sparse, order: &[usize]) -> Result<Tensor> {
    let Some(indices) = sparse.indices.first() else { fault!(RuntimeError, "a sparse tensor has coordinates") };
    let outer = indices.sizes()[0] as usize;
    let (rows, inner) = order.split_at(outer);
    let rows: Vec<i64> = rows.iter().map(|d| *d as i64).collect();
    let along: Vec<usize> = std::iter::once(0).chain(inner.iter().map(|d| d + 1 - outer)).collect();
    let layout = sparse.values.layout();
    let pick = |of: &Dims| -> Dims { along.iter().map(|d| of[*d]).collect() };
    let values =
        sparse.values.alias(Layout { sizes: pick(&layout.sizes), strides: pick(&layout.strides), ..(*layout).clone() })?;
    let nnz = indices.sizes()[1] as usize;
    let flat: Vec<i64> = exec::read_vec(indices)?;
    let moved: Vec<i64> = rows.iter().flat_map(|d| flat[*d as usize * nnz..(*d as usize + 1) * nnz].to_vec()).collect();
    let sizes: Vec<i64> = order.iter().map(|d| sparse.sizes[*d]).collect();
    Ok(coo(values.dtype(), &sizes, exec::from_vec(&moved, &[outer as i64, nnz as i64])?, values, false))
}

/// The same tensor with its coordinates in order, each once; values at the same place are added.
pub(super) fn coalesce(sparse: &Sparse) -> Result<Tensor> {
    let (columns, dtype) = (places(sparse)?, sparse.values.dtype());
    let bytes = exec::bytes(&sparse.values)?;
    let width = bytes.len().checked_div(columns.len()).unwrap_or(0);
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by(|a, b| columns[*a].cmp(&columns[*b]));
    let (mut kept, mut values): (Vec<usize>, Vec<u8>) = (Vec::new(), Vec::new());
    for place in order {
        let row = &bytes[place * width..(place + 1) * width];
        if kept.last().is_some_and(|last| columns[*last] == columns[place]) {
            let start = values.len() - width;
            add(dtype, &mut values[start..], row);
        } else {
            kept.push(place);
            values.extend_from_slice(row);
        }
    }
    let dims = sparse.indices.first().map_or(0, |t| t.sizes()[0]);
    let indices: Vec<i64> =
        (0..dims as usize).flat_map(|dim| kept.iter().map(move |k| (dim, *k))).map(|(d, k)| columns[k][d]).collect();
    let mut size = sparse.values.sizes();
    size[0] = kept.len() as i64;
    let indices = exec::from_vec(&indices, &[dims, kept.len() as i64])?;
    Ok(coo(dtype, &sparse.sizes, indices, exec::from_bytes(&values, &size, dtype)?, true))
}

/// A dense tensor with every value at its place; values at the same place are added.
pub(super) fn to_dense(sparse: &Sparse) -> Result<Tensor> {
    let dtype = sparse.values.dtype();
    let dense = exec::zeros(&sparse.sizes, dtype, sparse.values.device())?;
    let (columns, bytes) = (columns(sparse)?, exec::bytes(&sparse.values)?);
    let width = bytes.len().checked_div(columns.len()).unwrap_or(0);
    if width == 0 {
        return Ok(dense);
    }
    dense.storage()?.write(|cells| {
        for (column, row) in columns.iter().zip(bytes.chunks_exact(width)) {
            let place = column.iter().zip(&sparse.sizes).fold(0, |place, (at, size)| place * size + at) as usize;
            add(dtype, &mut cells[place * width..(place + 1) * width], row);
        }
    })?;
    Ok(dense)
}

/// Adds elements to elements, place by place.
fn add(dtype: DType, to: &mut [u8], row: &[u8]) {
    for (place, cell) in to.chunks_exact_mut(dtype.size()).zip(row.chunks_exact(dtype.size())) {
        let sum = match (Number::read(dtype, place), Number::read(dtype, cell)) {
            (Number::Bool(a), Number::Bool(b)) => Number::Bool(a | b),
            (Number::Float(a), Number::Float(b)) => Number::Float(a + b),
            (Number::Complex(a), Number::Complex(b)) => Number::Complex(a + b),
            (a, b) => Number::Int(a.to_i64().wrapping_add(b.to_i64())),
        };
        sum.write(dtype, place);
    }
}
