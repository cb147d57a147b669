//! Compressed rows and columns of a matrix.

use super::coordinates::{coalesce, columns, from_dense};
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::layout::{Dims, Layout};
use crate::ops::create::data::from_data;
use crate::ops::reshape::reshape;
use crate::ops::{Args, Form as OpForm, Op, exec, op};
use crate::tensor::{Form, Grad, Sparse, SparseKind, Tensor};
use crate::value::{TensorLayout, Value};
use anyhow::Result;
use std::rc::Rc;

/// Which dimension is compressed.
fn outer(kind: SparseKind) -> usize {
    if kind.is_by_columns() { 1 } else { 0 }
}

/// How many dimensions a value has as a block.
fn of_block(kind: SparseKind) -> usize {
    if kind.is_blocked() { 2 } else { 0 }
}

/// The rows of compressed columns, and the columns of compressed rows: the same numbers, but for blocks, which are transposed.
pub(super) fn transposed(dtype: DType, sparse: &Sparse) -> Result<Tensor> {
    let sizes = sparse.sizes.iter().rev().copied().collect();
    let mut values = sparse.values.clone();
    if let (true, Some(starts)) = (sparse.kind.is_blocked(), sparse.indices.first()) {
        let (mut layout, row) = ((*values.strided()?.layout).clone(), starts.ndim());
        layout.sizes.swap(row, row + 1);
        layout.strides.swap(row, row + 1);
        values = values.alias(layout)?;
    }
    Ok(made(dtype, sparse.kind.transposed(), sizes, sparse.indices.clone(), values))
}

pub(super) fn made(dtype: DType, kind: SparseKind, sizes: Vec<i64>, indices: Vec<Tensor>, values: Tensor) -> Tensor {
    Tensor::from_form(dtype, Form::Sparse(Rc::new(Sparse { kind, sizes, indices, values, coalesced: true })))
}

/// A tensor of as large blocks that keeps none.
pub fn emptied_blocks(sparse: &Sparse, dtype: DType) -> Result<Tensor> {
    let batch = sparse.indices[0].ndim() - 1;
    let without = |t: &Tensor| {
        let mut sizes = t.sizes();
        sizes[batch] = 0;
        sizes
    };
    let starts = exec::zeros(&sparse.indices[0].sizes(), DType::I64, DeviceId::Cpu)?;
    let inner = exec::zeros(&without(&sparse.indices[1]), DType::I64, DeviceId::Cpu)?;
    let values = exec::zeros(&without(&sparse.values), dtype, DeviceId::Cpu)?;
    Ok(made(dtype, sparse.kind, sparse.sizes.clone(), vec![starts, inner], values))
}

/// `torch.sparse_csr_tensor(…)`: compressed rows or columns from their parts. Without sizes they are the least that hold them. Whether the
/// parts belong together is looked at when it is asked for, or when elements are.
fn from_parts(args: &Args, kind: SparseKind) -> Result<Value> {
    let dtype: Option<DType> = args.get(4)?;
    let given = |place: usize, dtype: Option<DType>| match args.value(place) {
        Value::Tensor(t) => exec::cast(t, dtype.unwrap_or(t.dtype())),
        other => from_data(other, dtype, DeviceId::Cpu),
    };
    let (starts, inner, values) = (given(0, None)?, given(1, None)?, given(2, dtype)?);
    check_dims(&starts, &inner, &values, kind)?;
    let sizes = match args.get::<Option<Dims>>(3)? {
        Some(sizes) => sizes.to_vec(),
        None => least_sizes(&starts, &inner, &values, kind)?,
    };
    let made = made(values.dtype(), kind, sizes, vec![starts, inner], values);
    if let (Value::Bool(true), Some(sparse)) = (args.value(9), made.sparse()) {
        check_parts(&sparse)?;
    }
    if matches!(args.value(8), Value::Bool(true)) {
        made.set_grad(Grad { requires_grad: true, ..Grad::default() });
    }
    Ok(made.into())
}

/// Fails with a `RuntimeError` where the parts have numbers of dimensions that no compressed tensor has.
fn check_dims(starts: &Tensor, inner: &Tensor, values: &Tensor, kind: SparseKind) -> Result<()> {
    let [compressed, plain, ..] = spoken(kind);
    if starts.ndim() == 0 {
        fault!(RuntimeError, "{compressed} must have dimensionality >= 1 but got 0");
    }
    if starts.ndim() != inner.ndim() {
        fault!(
            RuntimeError,
            "{compressed} and {plain} dimensionalities must be equal but got {} and {}, respectively",
            starts.ndim(),
            inner.ndim()
        );
    }
    let (batch, block) = (starts.ndim() - 1, of_block(kind));
    if values.ndim() <= batch + block {
        fault!(
            RuntimeError,
            "values must have dimensionality > sum of batch and block dimensionalities (={batch} + {block}) but got {}",
            values.ndim()
        );
    }
    Ok(())
}

/// The sizes that hold all values: those of the batches, of the matrices, and of the values.
fn least_sizes(starts: &Tensor, inner: &Tensor, values: &Tensor, kind: SparseKind) -> Result<Vec<i64>> {
    if starts.numel() == 0 || !matches!(inner.dtype(), DType::I32 | DType::I64) {
        let title = (if starts.numel() == 0 { starts } else { inner }).dtype().title();
        fault!(NotImplementedError, "\"estimate_sparse_compressed_tensor_size\" not implemented for '{title}'");
    }
    let batch = starts.ndim() - 1;
    let width = exec::read_vec::<i64>(inner)?.into_iter().max().map_or(0, |most| most.saturating_add(1));
    let mut matrix = [starts.sizes()[batch] - 1, width];
    matrix.rotate_left(outer(kind));
    let sizes = values.sizes();
    let (block, dense) = sizes[batch + 1..].split_at(of_block(kind));
    matrix.iter_mut().zip(block).for_each(|(size, block)| *size *= block);
    Ok(starts.sizes()[..batch].iter().chain(&matrix).chain(dense).copied().collect())
}

/// How the parts are called: what is compressed, what is not, and their dimensions.
fn spoken(kind: SparseKind) -> [&'static str; 4] {
    match outer(kind) {
        0 => ["crow_indices", "col_indices", "nrows", "ncols"],
        _ => ["ccol_indices", "row_indices", "ncols", "nrows"],
    }
}

/// What is compressed, in the words for its number.
fn counted(kind: SparseKind) -> &'static str {
    match kind {
        SparseKind::Bsr => "row blocks",
        SparseKind::Bsc => "column blocks",
        SparseKind::Csc => "columns",
        _ => "rows",
    }
}

/// Fails with a `RuntimeError` where the parts of a compressed tensor do not belong together.
fn check_parts(sparse: &Sparse) -> Result<()> {
    let [compressed, plain, along, across] = spoken(sparse.kind);
    let [starts, inner] = sparse.indices.as_slice() else { return Ok(()) };
    let (batch, values) = (starts.ndim() - 1, &sparse.values);
    if starts.dtype() != inner.dtype() {
        fault!(
            RuntimeError,
            "{compressed} and {plain} must have the same dtype, bot got {} and {}, respectively",
            starts.dtype().title(),
            inner.dtype().title()
        );
    }
    let dense = values.ndim() - batch - 1 - of_block(sparse.kind);
    if sparse.sizes.len() != batch + 2 + dense {
        fault!(
            RuntimeError,
            "tensor dimensionality must be sum of batch, base, and dense dimensionalities (={batch} + 2 + {dense}) but got {}",
            sparse.sizes.len()
        );
    }
    let (place, block) = (outer(sparse.kind), sparse.block());
    for (d, block) in block.iter().enumerate() {
        let size = sparse.sizes[batch + d];
        if size % block.max(&1) != 0 {
            fault!(
                RuntimeError,
                "tensor shape[{}] (={size}) must be divisible with blocksize[{d}] (={block}) as defined by values shape",
                batch + d
            );
        }
    }
    let blocks = |d: usize| sparse.sizes[batch + d] / block[d].max(1);
    let (many, width) = (blocks(place), blocks(1 - place));
    if starts.sizes()[batch] != many + 1 {
        fault!(
            RuntimeError,
            "{compressed}.shape[-1] must be equal to the number of {} + 1 (={}), but got {}",
            counted(sparse.kind),
            many + 1,
            starts.sizes()[batch]
        );
    }
    let nnz = sparse.stored();
    if nnz != values.sizes()[batch] {
        fault!(
            RuntimeError,
            "{plain}.shape[-1] must be equal to nnz (={}) as defined by values.shape[{batch}], but got {nnz}",
            values.sizes()[batch]
        );
    }
    let (starts, inner) = (exec::read_vec::<i64>(starts)?, exec::read_vec::<i64>(inner)?);
    for (starts, inner) in starts.chunks(many as usize + 1).zip(inner.chunks(nnz.max(1) as usize)) {
        check_matrix(starts, inner, width, [compressed, plain, along, across])?;
    }
    Ok(())
}

/// As [`check_parts`], of the numbers of one matrix.
fn check_matrix(starts: &[i64], inner: &[i64], width: i64, [compressed, plain, along, across]: [&str; 4]) -> Result<()> {
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
    let is_sorted = |pair: &[i64]| inner[pair[0] as usize..pair[1] as usize].is_sorted_by(|a, b| a < b);
    if !starts.windows(2).all(is_sorted) {
        fault!(
            RuntimeError,
            "`{plain}[..., {compressed}[..., i - 1]:{compressed}[..., i]] for all i = 1, ..., {along} are sorted and distinct along the last dimension values` is not satisfied."
        );
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
        "A matrix of compressed rows or columns, of values or of blocks, as `layout` says.",
        "torch.sparse_compressed_tensor([0, 1, 2], [1, 0], [3., 4.], layout=torch.sparse_csr).to_dense()\n# tensor([[0., 3.],\n#         [4., 0.]])",
        |args| match args.get::<Option<TensorLayout>>(5)? {
            Some(TensorLayout::Sparse(kind)) if kind != SparseKind::Coo => from_parts(args, kind),
            given => fault!(
                RuntimeError,
                "sparse_compressed_tensor expected sparse compressed tensor layout but got {}",
                given.map_or("none", TensorLayout::title)
            ),
        },
    ),
    maker(
        "sparse_bsr_tensor(Any crow_indices, Any col_indices, Any values, int[]? size=None, *, DType? dtype=None, Layout? layout=None, \
         Device? device=None, bool pin_memory=False, bool requires_grad=False, bool? check_invariants=None) -> Tensor",
        "A matrix of compressed rows of blocks: for each row of blocks where its blocks begin, the column of each, and the blocks.",
        "torch.sparse_bsr_tensor([0, 1], [0], [[[1., 2.], [3., 4.]]]).to_dense()\n# tensor([[1., 2.],\n#         [3., 4.]])",
        |args| from_parts(args, SparseKind::Bsr),
    ),
    maker(
        "sparse_bsc_tensor(Any ccol_indices, Any row_indices, Any values, int[]? size=None, *, DType? dtype=None, Layout? layout=None, \
         Device? device=None, bool pin_memory=False, bool requires_grad=False, bool? check_invariants=None) -> Tensor",
        "A matrix of compressed columns of blocks: for each column of blocks where its blocks begin, the row of each, and the blocks.",
        "torch.sparse_bsc_tensor([0, 1], [0], [[[1., 2.], [3., 4.]]]).to_dense()\n# tensor([[1., 2.],\n#         [3., 4.]])",
        |args| from_parts(args, SparseKind::Bsc),
    ),
];

/// A matrix of coordinates as compressed rows or columns, whose blocks have anything in them. Fails with a `RuntimeError` when it is no
/// matrix.
pub(super) fn from_coordinates(sparse: &Rc<Sparse>, kind: SparseKind, block: [i64; 2]) -> Result<Tensor> {
    if sparse.indices.first().is_some_and(|indices| indices.sizes().first() != Some(&2)) {
        let (name, title) = (&kind.name()["sparse_".len()..], kind.title());
        fault!(
            RuntimeError,
            "coo_to_sparse_{name}: conversion from Sparse to {title} for input tensors with sparse_dim()!=2 is not supported"
        );
    }
    columns(sparse)?;
    let sorted = coalesce(sparse)?;
    let Some(sparse) = sorted.sparse() else { return Ok(sorted) };
    let nnz = sparse.stored() as usize;
    let coordinates: Vec<i64> = sparse.indices.first().map_or(Ok(vec![]), exec::read_vec)?;
    let (row_of, column_of) = coordinates.split_at(nnz);
    let place = |k: usize| {
        let [row, column] = [row_of[k] / block[0], column_of[k] / block[1]];
        if outer(kind) == 0 { (row, column) } else { (column, row) }
    };
    let mut order: Vec<usize> = (0..nnz).collect();
    order.sort_by_key(|k| place(*k));
    let mut kept: Vec<(i64, i64)> = order.iter().map(|k| place(*k)).collect();
    kept.dedup();
    let lines = sparse.sizes[outer(kind)] / block[outer(kind)];
    exec::require_room(&[lines, 1], DType::I64)?;
    let mut starts = vec![0i64; lines as usize + 1];
    kept.iter().for_each(|(at, _)| starts[*at as usize + 1] += 1);
    for k in 1..starts.len() {
        starts[k] += starts[k - 1];
    }
    let (bytes, many) = (exec::bytes(&sparse.values)?, (block[0] * block[1]) as usize);
    let width = bytes.len().checked_div(nnz).unwrap_or(0);
    let mut values = vec![0u8; kept.len() * many * width];
    let mut at = 0;
    for k in order {
        at += usize::from(kept[at] != place(k));
        let within = (row_of[k] % block[0] * block[1] + column_of[k] % block[1]) as usize;
        values[(at * many + within) * width..][..width].copy_from_slice(&bytes[k * width..][..width]);
    }
    let inner: Vec<i64> = kept.iter().map(|(_, inner)| *inner).collect();
    let sizes: Dims = std::iter::once(inner.len() as i64)
        .chain(block.into_iter().filter(|_| kind.is_blocked()))
        .chain(sparse.values.sizes()[1..].iter().copied())
        .collect();
    let indices = vec![exec::from_vec(&starts, &[starts.len() as i64])?, exec::from_vec(&inner, &[inner.len() as i64])?];
    let values = exec::from_bytes(&values, &sizes, sorted.dtype())?;
    Ok(made(sorted.dtype(), kind, sparse.sizes.clone(), indices, values))
}

/// The matrices in the dimensions of a dense tensor before the last `dense` ones, compressed; dimensions before them are batches.
///
/// Fails with a `RuntimeError` when the matrices do not keep as many values each.
pub(super) fn from_batches(x: &Tensor, dense: usize, kind: SparseKind, block: [i64; 2]) -> Result<Tensor> {
    let batch = x.ndim() - 2 - dense;
    let (layout, sizes) = (x.layout(), x.sizes());
    let lead = &sizes[..batch];
    let mut parts: [Vec<u8>; 3] = Default::default();
    let mut inside: Option<[Dims; 3]> = None;
    for place in 0..lead.iter().product::<i64>() {
        let steps = unraveled(place, lead).into_iter().zip(&layout.strides).map(|(at, stride)| at * stride);
        let offset = layout.offset + steps.sum::<i64>();
        let matrix = x.alias(Layout::new(&sizes[batch..], &layout.strides[batch..], offset))?;
        let Some(coordinates) = from_dense(&matrix, 2)?.sparse() else { continue };
        let Some(sparse) = from_coordinates(&coordinates, kind, block)?.sparse() else { continue };
        let found = [&sparse.indices[0], &sparse.indices[1], &sparse.values];
        if inside.get_or_insert(found.map(Tensor::sizes))[1] != found[1].sizes() {
            fault!(RuntimeError, "Expect the same number of specified elements per batch.");
        }
        for (all, part) in parts.iter_mut().zip(found) {
            all.extend(exec::bytes(part)?);
        }
    }
    let inside = inside.unwrap_or_else(|| {
        let many = sizes[batch + outer(kind)] / block[outer(kind)] + 1;
        let block = block.into_iter().filter(|_| kind.is_blocked());
        let values = std::iter::once(0).chain(block).chain(sizes[batch + 2..].iter().copied()).collect();
        [Dims::from_slice(&[many]), Dims::from_slice(&[0]), values]
    });
    let dtypes = [DType::I64, DType::I64, x.dtype()];
    let mut stacked = vec![];
    for ((bytes, inside), dtype) in parts.iter().zip(&inside).zip(dtypes) {
        let sizes: Dims = lead.iter().chain(inside).copied().collect();
        stacked.push(exec::from_bytes(bytes, &sizes, dtype)?);
    }
    let values = stacked.remove(2);
    Ok(made(x.dtype(), kind, sizes.to_vec(), stacked, values))
}

/// A row-major place as coordinates.
fn unraveled(place: i64, sizes: &[i64]) -> Vec<i64> {
    let mut step = sizes.iter().product::<i64>();
    let mut along = |size: &i64| {
        step /= size.max(&1);
        place / step.max(1) % size.max(&1)
    };
    sizes.iter().map(&mut along).collect()
}

/// Compressed rows or columns as coordinates, in the order in which they lie.
pub(super) fn to_coordinates(sparse: &Sparse) -> Result<Sparse> {
    let [starts, inner] = sparse.indices.as_slice() else {
        fault!(RuntimeError, "a compressed sparse tensor has two tensors of indices, not {}", sparse.indices.len());
    };
    let (batch, nnz, lines) = (starts.ndim() - 1, sparse.stored(), starts.sizes()[starts.ndim() - 1] as usize);
    if nnz != sparse.values.sizes()[batch] {
        let kept = sparse.values.sizes()[batch];
        fault!(RuntimeError, "indices and values must have same nnz, but got nnz from indices: {nnz}, nnz from values: {kept}");
    }
    let lead = &sparse.sizes[..batch];
    let (starts, inner): (Vec<i64>, Vec<i64>) = (exec::read_vec(starts)?, exec::read_vec(inner)?);
    let block = sparse.block();
    let mut rows: Vec<Vec<i64>> = vec![Vec::with_capacity(inner.len()); batch + 2];
    for (place, starts) in starts.chunks(lines.max(1)).enumerate() {
        let mut outer_of = Vec::with_capacity(nnz as usize);
        for (k, pair) in starts.windows(2).enumerate() {
            let many = pair[1].min(nnz).saturating_sub(pair[0].max(outer_of.len() as i64));
            outer_of.extend(std::iter::repeat_n(k as i64, many.max(0) as usize));
        }
        // What begins no line is in the last one.
        outer_of.resize(nnz as usize, lines.saturating_sub(2) as i64);
        let lead = unraveled(place as i64, lead);
        for (outer_of, inner) in outer_of.into_iter().zip(&inner[place * nnz as usize..]) {
            let mut at = [outer_of, *inner];
            at.rotate_left(outer(sparse.kind));
            for within in 0..block[0] * block[1] {
                rows.iter_mut().zip(&lead).for_each(|(row, at)| row.push(*at));
                rows[batch].push(at[0] * block[0] + within / block[1]);
                rows[batch + 1].push(at[1] * block[1] + within % block[1]);
            }
        }
    }
    let all = rows[batch].len() as i64;
    let indices = exec::from_vec(&rows.concat(), &[batch as i64 + 2, all])?;
    let dense = &sparse.values.sizes()[batch + 1 + of_block(sparse.kind)..];
    let sizes: Dims = std::iter::once(all).chain(dense.iter().copied()).collect();
    let is_plain = batch == 0 && !sparse.kind.is_blocked();
    Ok(Sparse {
        kind: SparseKind::Coo,
        sizes: sparse.sizes.clone(),
        indices: vec![indices],
        values: if is_plain { sparse.values.clone() } else { reshape(&sparse.values, &sizes)? },
        coalesced: sparse.kind == SparseKind::Csr,
    })
}
