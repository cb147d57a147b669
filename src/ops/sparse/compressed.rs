//! Compressed rows and columns of a matrix.

use super::coordinates::coalesce;
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::layout::Dims;
use crate::ops::create::data::from_data;
use crate::ops::{Args, Form as OpForm, Op, exec, op};
use crate::tensor::{Form, Sparse, SparseKind, Tensor};
use crate::value::{TensorLayout, Value};
use anyhow::Result;
use std::rc::Rc;

/// Which dimension is compressed.
fn outer(kind: SparseKind) -> usize {
    if kind == SparseKind::Csc { 1 } else { 0 }
}

/// The rows of compressed columns, and the columns of compressed rows: the same numbers.
pub(super) fn transposed(dtype: DType, sparse: &Sparse) -> Tensor {
    let kind = if sparse.kind == SparseKind::Csr { SparseKind::Csc } else { SparseKind::Csr };
    let sizes = sparse.sizes.iter().rev().copied().collect();
    made(dtype, kind, sizes, sparse.indices.clone(), sparse.values.clone())
}

fn made(dtype: DType, kind: SparseKind, sizes: Vec<i64>, indices: Vec<Tensor>, values: Tensor) -> Tensor {
    Tensor::from_form(dtype, Form::Sparse(Rc::new(Sparse { kind, sizes, indices, values, coalesced: true })))
}

/// `torch.sparse_csr_tensor(…)`: compressed rows or columns from their parts. Without sizes they are the least that hold them.
fn from_parts(args: &Args, kind: SparseKind) -> Result<Value> {
    let dtype: Option<DType> = args.get(4)?;
    let given = |place: usize, dtype: Option<DType>| match args.value(place) {
        Value::Tensor(t) => exec::cast(t, dtype.unwrap_or(t.dtype())),
        other => from_data(other, dtype, DeviceId::Cpu),
    };
    let indices = vec![given(0, Some(DType::I64))?, given(1, Some(DType::I64))?];
    let values = given(2, dtype)?;
    let spoken = ["crow_indices", "ccol_indices"][outer(kind)];
    if indices[0].ndim() != 1 || indices[1].ndim() != 1 {
        fault!(NotImplementedError, "{spoken} of one matrix have one dimension here, not {}", indices[0].ndim());
    }
    let sizes = match args.get::<Option<Dims>>(3)? {
        Some(sizes) => sizes.to_vec(),
        None => {
            let inner = exec::read_vec::<i64>(&indices[1])?.into_iter().max().map_or(0, |most| most + 1);
            let sizes = [indices[0].numel() - 1, inner];
            if outer(kind) == 0 { sizes.to_vec() } else { sizes.into_iter().rev().collect() }
        }
    };
    check_parts(&indices, &values, &sizes, kind)?;
    Ok(made(values.dtype(), kind, sizes, indices, values).into())
}

/// Fails with a `RuntimeError` where the parts of a compressed matrix do not belong together.
fn check_parts(indices: &[Tensor], values: &Tensor, sizes: &[i64], kind: SparseKind) -> Result<()> {
    let (starts, inner) = (exec::read_vec::<i64>(&indices[0])?, exec::read_vec::<i64>(&indices[1])?);
    let [compressed, plain, along, across] = match outer(kind) {
        0 => ["crow_indices", "col_indices", "nrows", "ncols"],
        _ => ["ccol_indices", "row_indices", "ncols", "nrows"],
    };
    if sizes.len() != 2 {
        fault!(
            RuntimeError,
            "size must have length >= batch dimensionality + base dimensionality + dense dimensionality (= 0 + 2 + 0), got {}",
            sizes.len()
        );
    }
    let (many, width) = (sizes[outer(kind)], sizes[1 - outer(kind)]);
    if starts.len() as i64 != many + 1 {
        fault!(
            RuntimeError,
            "{compressed}.shape[-1] must be equal to the number of {along} + 1 (={}), but got {}",
            many + 1,
            starts.len()
        );
    }
    if inner.len() as i64 != values.sizes().first().copied().unwrap_or(0) {
        fault!(
            RuntimeError,
            "{plain} and values must have the same number of elements, but got {} and {:?}",
            inner.len(),
            values.sizes().as_slice()
        );
    }
    if starts.first() != Some(&0) {
        fault!(RuntimeError, "`{compressed}[..., 0] == 0` is not satisfied.");
    }
    if starts.last() != Some(&(inner.len() as i64)) {
        fault!(RuntimeError, "`{compressed}[..., -1] == nnz` is not satisfied.");
    }
    if starts.windows(2).any(|pair| !(0..=width).contains(&(pair[1] - pair[0]))) {
        fault!(RuntimeError, "`0 <= {compressed}[..., 1:] - {compressed}[..., :-1] <= {across}` is not satisfied.");
    }
    if inner.iter().any(|at| !(0..width).contains(at)) {
        fault!(RuntimeError, "`0 <= {plain} < {across}` is not satisfied.");
    }
    Ok(())
}

/// A constructor from parts.
const fn maker(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, OpForm::Native(run)).function_only().no_out().no_grad()
}

rows![
    maker(
        "sparse_csr_tensor(Any crow_indices, Any col_indices, Any values, int[]? size=None, *, DType? dtype=None, Layout? layout=None, \
         Device? device=None, bool pin_memory=False, bool requires_grad=False, bool? check_invariants=None) -> Tensor",
        "A matrix of compressed rows: for each row where its values begin, the column of each value, and the values.",
        "torch.sparse_csr_tensor([0, 1, 2], [1, 0], [3., 4.]).to_dense()\n# tensor([[0., 3.],\n#         [4., 0.]])",
        |args| from_parts(args, SparseKind::Csr),
    ),
    maker(
        "sparse_csc_tensor(Any ccol_indices, Any row_indices, Any values, int[]? size=None, *, DType? dtype=None, Layout? layout=None, \
         Device? device=None, bool pin_memory=False, bool requires_grad=False, bool? check_invariants=None) -> Tensor",
        "A matrix of compressed columns: for each column where its values begin, the row of each value, and the values.",
        "torch.sparse_csc_tensor([0, 1, 2], [1, 0], [3., 4.]).to_dense()\n# tensor([[0., 4.],\n#         [3., 0.]])",
        |args| from_parts(args, SparseKind::Csc),
    ),
    maker(
        "sparse_compressed_tensor(Any compressed_indices, Any plain_indices, Any values, int[]? size=None, *, DType? dtype=None, \
         Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False, bool? check_invariants=None) -> Tensor",
        "A matrix of compressed rows or columns, as `layout` says.",
        "torch.sparse_compressed_tensor([0, 1, 2], [1, 0], [3., 4.], layout=torch.sparse_csr).to_dense()\n# tensor([[0., 3.],\n#         [4., 0.]])",
        |args| match args.get::<Option<TensorLayout>>(5)?.map(|layout| layout.name()) {
            Some("sparse_csr") => from_parts(args, SparseKind::Csr),
            Some("sparse_csc") => from_parts(args, SparseKind::Csc),
            Some(_) => fault!(RuntimeError, "compressed_tensor: expected a compressed layout"),
            None => fault!(RuntimeError, "compressed sparse tensor layout: no layout is given"),
        },
    ),
];

/// A matrix of coordinates as compressed rows or columns. Fails with a `RuntimeError` when it is no matrix.
pub(super) fn from_coordinates(sparse: &Rc<Sparse>, kind: SparseKind) -> Result<Tensor> {
    if sparse.indices.first().is_some_and(|indices| indices.sizes().first() != Some(&2)) {
        let (name, title) = if outer(kind) == 0 { ("csr", "Csr") } else { ("csc", "Csc") };
        fault!(
            RuntimeError,
            "coo_to_sparse_{name}: conversion from Sparse to Sparse{title} for input tensors with sparse_dim()!=2 is not supported"
        );
    }
    let &[rows, columns] = sparse.sizes.as_slice() else {
        fault!(NotImplementedError, "a compressed sparse tensor has 2 dimensions here, not {}", sparse.sizes.len());
    };
    let sorted = coalesce(sparse)?;
    let Some(sparse) = sorted.sparse() else { return Ok(sorted) };
    let (dtype, nnz) = (sorted.dtype(), sparse.stored() as usize);
    let coordinates: Vec<i64> = sparse.indices.first().map_or(Ok(vec![]), exec::read_vec)?;
    let (row_of, column_of) = coordinates.split_at(nnz);
    let (outer_of, inner_of) = if outer(kind) == 0 { (row_of, column_of) } else { (column_of, row_of) };
    let mut order: Vec<usize> = (0..nnz).collect();
    order.sort_by_key(|k| (outer_of[*k], inner_of[*k]));
    let lines = if outer(kind) == 0 { rows } else { columns };
    exec::require_room(&[lines, 1], DType::I64)?;
    let mut starts = vec![0i64; lines as usize + 1];
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
