//! Compressed rows and columns of a matrix.

use super::coordinates::coalesce;
use crate::ops::exec;
use crate::tensor::{Form, Sparse, SparseKind, Tensor};
use anyhow::Result;
use std::rc::Rc;

/// Which dimension is compressed.
fn outer(kind: SparseKind) -> usize {
    if kind == SparseKind::Csc { 1 } else { 0 }
}

/// A matrix of coordinates as compressed rows or columns. Fails with an `IndexError` when it is no matrix.
pub(super) fn from_coordinates(sparse: &Rc<Sparse>, kind: SparseKind) -> Result<Tensor> {
    let &[rows, columns] = sparse.sizes.as_slice() else {
        fault!(IndexError, "a compressed sparse tensor has 2 dimensions here, not {}", sparse.sizes.len());
    };
    if sparse.indices.first().is_some_and(|indices| indices.sizes().first() != Some(&2)) {
        let (name, title) = if outer(kind) == 0 { ("csr", "Csr") } else { ("csc", "Csc") };
        fault!(
            RuntimeError,
            "coo_to_sparse_{name}: conversion from Sparse to Sparse{title} for input tensors with sparse_dim()!=2 is not supported"
        );
    }
    let sorted = coalesce(sparse)?;
    let Some(sparse) = sorted.sparse() else { return Ok(sorted) };
    let (dtype, nnz) = (sorted.dtype(), sparse.stored() as usize);
    let coordinates: Vec<i64> = sparse.indices.first().map_or(Ok(vec![]), exec::read_vec)?;
    let (row_of, column_of) = coordinates.split_at(nnz);
    let (outer_of, inner_of) = if outer(kind) == 0 { (row_of, column_of) } else { (column_of, row_of) };
    let mut order: Vec<usize> = (0..nnz).collect();
    order.sort_by_key(|k| (outer_of[*k], inner_of[*k]));
    let mut starts = vec![0i64; if outer(kind) == 0 { rows } else { columns } as usize + 1];
    outer_of.iter().for_each(|at| starts[*at as usize + 1] += 1);
    for k in 1..starts.len() {
        starts[k] += starts[k - 1];
    }
    let bytes = exec::bytes(&sparse.values)?;
    let width = dtype.size();
    let values: Vec<u8> = order.iter().flat_map(|k| &bytes[k * width..(k + 1) * width]).copied().collect();
    let inner: Vec<i64> = order.iter().map(|k| inner_of[*k]).collect();
    let made = Sparse {
        kind,
        sizes: sparse.sizes.clone(),
        indices: vec![exec::from_vec(&starts, &[starts.len() as i64])?, exec::from_vec(&inner, &[nnz as i64])?],
        values: exec::from_bytes(&values, &[nnz as i64], dtype)?,
        coalesced: true,
    };
    Ok(Tensor::from_form(dtype, Form::Sparse(Rc::new(made))))
}

/// Compressed rows or columns as coordinates.
pub(super) fn to_coordinates(sparse: &Sparse) -> Result<Sparse> {
    let [starts, inner] = sparse.indices.as_slice() else {
        fault!(RuntimeError, "a compressed sparse tensor has two tensors of indices, not {}", sparse.indices.len());
    };
    let (starts, inner): (Vec<i64>, Vec<i64>) = (exec::read_vec(starts)?, exec::read_vec(inner)?);
    let mut outer_of = Vec::with_capacity(inner.len());
    for (place, pair) in starts.windows(2).enumerate() {
        outer_of.extend((pair[0]..pair[1]).map(|_| place as i64));
    }
    let rows_first = outer(sparse.kind) == 0;
    let both: Vec<i64> = if rows_first { [outer_of, inner].concat() } else { [inner, outer_of].concat() };
    let indices = exec::from_vec(&both, &[2, both.len() as i64 / 2])?;
    let coo = Sparse {
        kind: SparseKind::Coo,
        sizes: sparse.sizes.clone(),
        indices: vec![indices],
        values: sparse.values.clone(),
        coalesced: rows_first,
    };
    if rows_first {
        return Ok(coo);
    }
    let sorted = coalesce(&coo)?;
    match sorted.sparse() {
        Some(sparse) => Ok(Sparse { indices: sparse.indices.clone(), values: sparse.values.clone(), coalesced: true, ..coo }),
        None => Ok(coo),
    }
}
