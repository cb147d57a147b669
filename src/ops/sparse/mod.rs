//! Sparse tensors: made from dense ones or from coordinates, looked into, made dense again.

mod by_value;
mod call;
mod coded;
pub mod compressed;
mod conversion;
mod coordinates;
pub mod functions;
mod indexing;
mod kernels;
pub mod products;
mod refusals;
pub mod resize;
mod said;

use super::create::options::sparse_zeros;
use super::{Args, Form, Op, OpSet, gradient, op};
use crate::device::{DeviceId, no_kernel};
use crate::dtype::DType;
use crate::layout::{Dims, Layout, broadcast_sizes, wrap_dim};
use crate::settings;
use crate::tensor::{Sparse, SparseKind, Tensor};
use crate::value::{Device, TensorLayout, Value};
use anyhow::Result;
use std::rc::Rc;

use by_value::is_by_value;
pub use by_value::{take_values, with_values};
pub(super) use call::call;
use conversion::{
    block_of, blocks_from, check_blocks, compressed_from, coordinates_of, dense_dims, from_parts, to_compressed, to_coordinates,
};
pub use coordinates::converted;
pub use indexing::indexed;
pub use kernels::{backend, name as kernel_name};
use refusals::refuse_mixed;
pub use refusals::{lacks, refuse, refuse_blocked};
pub use said::no_room;

/// What is dense again has a gradient without gaps.
const TO_SPARSE: &[(&str, &str)] = &[("self", "grad if grad.layout == torch.strided else grad.to_dense()")];

/// Each value has the gradient of its element.
pub const VALUES: &str = "if self.layout == torch.sparse_coo:
    found = torch.sparse_coo_tensor(self.indices(), grad, list(self.shape), is_coalesced=True)
elif self.layout == torch.sparse_csr:
    found = torch.sparse_csr_tensor(self.crow_indices(), self.col_indices(), grad, list(self.shape))
elif self.layout == torch.sparse_bsr:
    found = torch.sparse_bsr_tensor(self.crow_indices(), self.col_indices(), grad, list(self.shape))
else:
    made = torch.sparse_csc_tensor if self.layout == torch.sparse_csc else torch.sparse_bsc_tensor
    found = made(self.ccol_indices(), self.row_indices(), grad, list(self.shape))
found";

/// A method of tensors, sparse ones too.
const fn method(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).method_only().marked().sparse()
}

/// A method that only looks.
const fn look(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    method(schema, doc, example, run).no_grad()
}

rows![
    method(
        "to_sparse(Tensor self, *, Layout? layout=None, int[]? blocksize=None, int? dense_dim=None) -> Tensor",
        "The same elements as coordinates and values: only those that are not zero are kept.",
        "torch.eye(2).to_sparse().values()\n# tensor([1., 1.])",
        |a| {
            let (x, layout, blocks, dense_dim): (Tensor, Option<TensorLayout>, Option<Dims>, Option<i64>) = a.take()?;
            let block = block_of(&x, layout, blocks.as_deref())?;
            let kept = dense_dim.filter(|_| !x.is_sparse()).map_or(Ok(0), |dense| dense_dims(&x, layout, dense))?;
            match layout {
                None | Some(TensorLayout::Sparse(SparseKind::Coo)) if kept > 0 => to_coordinates(&x, x.ndim() as i64 - kept),
                None | Some(TensorLayout::Sparse(SparseKind::Coo)) => to_coordinates(&x, x.ndim() as i64),
                Some(TensorLayout::Sparse(kind)) => {
                    if x.sparse().is_some_and(|sparse| sparse.kind == SparseKind::Coo) && dims_of(&x).0 != 2 {
                        fault!(
                            RuntimeError,
                            "sparse_coo_to_sparse: conversion from Sparse to {} for input tensors with sparse_dim()!=2 is not supported",
                            kind.title()
                        );
                    }
                    if !x.is_sparse() {
                        check_blocks(&x, "dense_to_sparse", block, kept as usize)?;
                    }
                    to_compressed(&x, kind, block, kept as usize)
                }
                Some(TensorLayout::Strided) => Ok(dense(&x)?.into()),
                Some(TensorLayout::Jagged) => fault!(RuntimeError, "dense_to_sparse: unexpected source layout Strided"),
            }
        },
    )
    .grads(TO_SPARSE),
    method("to_sparse(Tensor self, int sparse_dim) -> Tensor", "", "", |a| {
        let (x, sparse_dim): (Tensor, i64) = a.take()?;
        if let (Some(sparse), true) = (x.sparse().filter(|s| s.kind != SparseKind::Coo), sparse_dim != 2) {
            let title = sparse.kind.title();
            fault!(
                RuntimeError,
                "sparse_compressed_to_sparse: conversion from {title} to Sparse with sparse_dim argument !=2 is not supported"
            );
        }
        if x.is_sparse() && dims_of(&x).0 as i64 != sparse_dim {
            fault!(
                RuntimeError,
                "to_sparse: conversion from Sparse to Sparse with sparse_dim argument !=self.sparse_dim() is not supported"
            );
        }
        to_coordinates(&x, sparse_dim)
    })
    .grads(TO_SPARSE),
    method(
        "to_sparse_coo(Tensor self) -> Tensor",
        "The same elements as coordinates and values.",
        "torch.eye(2).to_sparse_coo().indices()\n# tensor([[0, 1],\n#         [0, 1]])",
        |a| {
            let x: Tensor = a.get(0)?;
            to_coordinates(&x, x.ndim() as i64)
        },
    )
    .grads(TO_SPARSE),
    method(
        "to_sparse_csr(Tensor self, int? dense_dim=None) -> Tensor",
        "A matrix as compressed rows: for each row where its values begin, and the column of each value.",
        "torch.eye(2).to_sparse_csr().crow_indices()\n# tensor([0, 1, 2])",
        |a| compressed_from(a, SparseKind::Csr),
    )
    .grads(TO_SPARSE),
    method(
        "to_sparse_csc(Tensor self, int? dense_dim=None) -> Tensor",
        "A matrix as compressed columns: for each column where its values begin, and the row of each value.",
        "torch.eye(2).to_sparse_csc().row_indices()\n# tensor([0, 1])",
        |a| compressed_from(a, SparseKind::Csc),
    )
    .grads(TO_SPARSE),
    method(
        "to_sparse_bsr(Tensor self, int[2] blocksize, int? dense_dim=None) -> Tensor",
        "A matrix as compressed rows of blocks of one size: those that hold anything but zeros are kept.",
        "torch.eye(4).to_sparse_bsr((2, 2)).values().shape\n# torch.Size([2, 2, 2])",
        |a| blocks_from(a, SparseKind::Bsr),
    )
    .grads(TO_SPARSE),
    method(
        "to_sparse_bsc(Tensor self, int[2] blocksize, int? dense_dim=None) -> Tensor",
        "A matrix as compressed columns of blocks of one size.",
        "torch.eye(4).to_sparse_bsc((2, 2)).row_indices()\n# tensor([0, 1])",
        |a| blocks_from(a, SparseKind::Bsc),
    )
    .grads(TO_SPARSE),
    method(
        "to_dense(Tensor self, DType? dtype=None, *, bool? masked_grad=None) -> Tensor",
        "The same elements with every zero in its place; a dense tensor is given back itself.",
        "torch.eye(2).to_sparse().to_dense()\n# tensor([[1., 0.],\n#         [0., 1.]])",
        |a| {
            let (x, dtype, _masked): (Tensor, Option<DType>, Option<bool>) = a.take()?;
            if x.is_sparse() && dtype.is_some() {
                let kind = if x.sparse().is_some_and(|s| s.kind != SparseKind::Coo) { "sparse_csr" } else { "sparse" };
                fault!(RuntimeError, "dtype argument is not supported by {kind}_to_dense");
            }
            let dense = dense(&x)?;
            Ok(super::exec::cast(&dense, dtype.unwrap_or(dense.dtype()))?.into())
        },
    )
    .grads(&[("self", "grad if self.layout == torch.strided else torch.sparse._laid(grad.sparse_mask(self.to_sparse_coo()), self)")])
    .complex(),
    op(
        "sparse_coo_tensor(Any indices, Any values, int[]? size=None, *, DType? dtype=None, Device? device=None, \
         bool pin_memory=False, bool requires_grad=False, bool? check_invariants=None, bool? is_coalesced=None) -> Tensor",
        "A sparse tensor of coordinates, one column for each value, and values. Without a size the least one that holds them.",
        "torch.sparse_coo_tensor([[0, 1], [1, 0]], [3., 4.]).to_dense()\n# tensor([[0., 3.],\n#         [4., 0.]])",
        Form::Native(from_parts),
    )
    .function_only()
    .no_out()
    .grads(&[("values", "(grad if grad.layout == torch.strided else grad.to_dense())[tuple(torch.as_tensor(indices))].to(values.dtype)")])
    .complex(),
    op(
        "sparse_coo_tensor(int[] size, *, DType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor",
        "",
        "",
        Form::Native(|a| {
            let (size, dtype, device): (Dims, Option<DType>, Option<Device>) = a.take()?;
            let (dtype, device) = (dtype.unwrap_or_else(settings::default_dtype), device.map_or(DeviceId::Cpu, |d| d.id));
            Ok(sparse_zeros(SparseKind::Coo, &size, dtype, device)?.into())
        }),
    )
    .function_only()
    .no_out()
    .no_grad(),
    op(
        "sparse.sum(Tensor input, int[1]? dim=None, DType? dtype=None) -> Tensor",
        "The sum of the elements of a sparse tensor, or along dimensions, which gives a sparse tensor.",
        "torch.sparse.sum(torch.eye(2).to_sparse())\n# tensor(2.)",
        Form::Code(
            "if input.layout == torch.strided and dim is None:
    raise RuntimeError('coalesce expected sparse coordinate tensor layout but got Strided')
for d in [] if input.is_sparse or dim is None else dim:
    if not -input.dim() <= d < input.dim():
        raise IndexError(f'Dimension out of range (expected to be in range of [{-input.dim()}, {input.dim() - 1}], but got {d})')
if not input.is_sparse and dim is not None:
    backend = 'CPU' if input.layout == torch.strided else 'SparseCsrCPU'
    torch.sparse._lacks('_indices', backend)
input.coalesce().values().sum(dtype=dtype) if dim is None else input.sum(dim, dtype=dtype)",
        ),
    )
    .function_only()
    .no_out()
    .sparse(),
    op(
        "sparse_mask(Tensor self, Tensor mask) -> Tensor",
        "The elements at the coordinates of a sparse tensor, which are kept as they are.",
        "torch.ones(2, 2).sparse_mask(torch.eye(2).to_sparse()).values()\n# tensor([1., 1.])",
        Form::Code(
            "uncompressed = (torch.strided, torch.sparse_coo)
if self.layout not in uncompressed and mask.layout in uncompressed:
    raise RuntimeError(f'sparse_mask_sparse_compressed expects mask to have sparse compressed layout, got {torch.sparse._title(mask)}')
if mask.layout == torch.strided and self.layout == torch.strided:
    torch.sparse._lacks('sparse_mask', 'CPU')
if self.shape != mask.shape:
    raise RuntimeError(f'sparse_mask(): operands have incompatible sizes; self has size {list(self.shape)} but mask has size {list(mask.shape)}')
if mask.layout == torch.strided:
    torch.sparse._lacks('_nnz', 'CPU')
places = mask.detach().to_sparse_coo()
i = places._indices()
v = places._values() if self is mask else self.to_dense()[tuple(i)]
torch.sparse._laid(torch.sparse_coo_tensor(i, v, list(self.shape), is_coalesced=places.is_coalesced()), mask)",
        ),
    )
    .method_only()
    .marked()
    .sparse(),
    method(
        "coalesce(Tensor self) -> Tensor",
        "The same sparse tensor with its coordinates in order and each only once; values at the same place are added.",
        "torch.sparse_coo_tensor([[1, 1]], [2., 3.], (2,)).coalesce().values()\n# tensor([5.])",
        |a| {
            let x: Tensor = a.get(0)?;
            let sparse = require_coo(&x, "coalesce")?;
            if sparse.coalesced { Ok(x.into()) } else { Ok(coordinates::coalesce(&sparse)?.into()) }
        },
    )
    .grads(&[("self", "grad")])
    .complex(),
    look(
        "is_coalesced(Tensor self) -> bool",
        "True when the coordinates are in order and each is there once.",
        "torch.eye(2).to_sparse().is_coalesced()\n# True",
        |a| Ok(require_coo(&a.get(0)?, "is_coalesced")?.coalesced.into()),
    ),
    look(
        "_indices(Tensor self) -> Tensor",
        "The coordinates of a sparse tensor, coalesced or not.",
        "torch.eye(2).to_sparse()._indices().shape\n# torch.Size([2, 2])",
        |a| {
            let sparse = kernel_of_coo(&a.get(0)?, "_indices")?;
            Ok(sparse.indices.first().map_or(Value::None, |t| gradient::alias(t).into()))
        },
    ),
    look(
        "_values(Tensor self) -> Tensor",
        "The values of a sparse tensor, coalesced or not.",
        "torch.eye(2).to_sparse()._values()\n# tensor([1., 1.])",
        |a| Ok(gradient::alias(&kernel_of_coo(&a.get(0)?, "_values")?.values).into()),
    ),
    look(
        "_nnz(Tensor self) -> int",
        "How many values a sparse tensor keeps.",
        "torch.eye(2).to_sparse()._nnz()\n# 2",
        |a| match a.get::<Tensor>(0)?.sparse() {
            Some(sparse) => Ok(sparse.stored().into()),
            None => Err(no_kernel("_nnz", "CPU")),
        },
    ),
    look(
        "sparse_dim(Tensor self) -> int",
        "How many dimensions have coordinates; 0 for a dense tensor.",
        "torch.eye(2).to_sparse().sparse_dim()\n# 2",
        |a| Ok(dims_of(&a.get(0)?).0.into()),
    ),
    look(
        "dense_dim(Tensor self) -> int",
        "How many dimensions are kept whole in the values.",
        "torch.eye(2).to_sparse(1).dense_dim()\n# 1",
        |a| Ok(dims_of(&a.get(0)?).1.into()),
    ),
    look(
        "crow_indices(Tensor self) -> Tensor",
        "For each row of compressed rows where its values begin, and the end.",
        "torch.eye(2).to_sparse_csr().crow_indices()\n# tensor([0, 1, 2])",
        |a| part(a, "crow_indices", false, 0),
    ),
    look(
        "col_indices(Tensor self) -> Tensor",
        "The column of each value of compressed rows.",
        "torch.eye(2).to_sparse_csr().col_indices()\n# tensor([0, 1])",
        |a| part(a, "col_indices", false, 1),
    ),
    look(
        "ccol_indices(Tensor self) -> Tensor",
        "For each column of compressed columns where its values begin, and the end.",
        "torch.eye(2).to_sparse_csc().ccol_indices()\n# tensor([0, 1, 2])",
        |a| part(a, "ccol_indices", true, 0),
    ),
    look(
        "row_indices(Tensor self) -> Tensor",
        "The row of each value of compressed columns.",
        "torch.eye(2).to_sparse_csc().row_indices()\n# tensor([0, 1])",
        |a| part(a, "row_indices", true, 1),
    ),
];

/// A text of the language, and what it reads by name.
pub type Text = (&'static str, Vec<(&'static str, Value)>);

/// The text of an operation on coordinate tensors and what it reads, where it has a form of its own for them.
pub fn coded(set: &OpSet, args: &Args) -> Result<Option<Text>> {
    if let Some(product) = products::find(set, args)? {
        return Ok(Some(product));
    }
    let tensors = args.tensors();
    if let Some((text, operands)) = weighed(set, &tensors).filter(|_| matches!(args.out, Value::None)) {
        return Ok(Some((text, operands)));
    }
    // Weights of a layer stand behind its input.
    let looked_at = if args.op.name() == "nn.functional.linear" { 2 } else { 1 };
    let kind = tensors.iter().take(looked_at).find_map(|t| t.sparse()).map(|s| s.kind);
    let Some(coded) = kind.filter(|_| matches!(args.out, Value::None)).and_then(|kind| coded::find(args.op.name(), kind)) else {
        return Ok(None);
    };
    // Two operands are walked together when both are sparse.
    if coded.params.contains(&"other") && !tensors.get(1).is_some_and(Tensor::is_sparse) {
        return Ok(None);
    }
    let params = &args.op.schema()?.params;
    let value = |name: &str| params.iter().position(|p| p.name == name).map_or(Value::None, |at| args.value(at).clone());
    Ok(Some((coded.text, coded.params.iter().map(|name| (*name, value(name))).collect())))
}

/// The text of a tensor of the same size that keeps nothing, and what it reads.
pub fn emptied(of: &Tensor) -> Text {
    (coded::ZEROS, vec![("self", of.clone().into()), ("dtype", Value::None)])
}

/// The text of a product of a sparse tensor and a dense one, and its operands, the sparse one first.
fn weighed(set: &OpSet, tensors: &[Tensor]) -> Option<Text> {
    let [a, b] = tensors else { return None };
    let (sparse, dense) = if a.is_sparse() { (a, b) } else { (b, a) };
    if dense.is_sparse() || dense.ndim() == 0 || set.name != "mul" && set.name != "multiply" {
        return None;
    }
    let names = || vec![("self", sparse.clone().into()), ("other", dense.clone().into())];
    match sparse.sparse()?.kind {
        SparseKind::Coo if dense.layout().broadcast_to(&sparse.sizes()).is_ok() => Some((coded::WEIGH, names())),
        SparseKind::Coo if broadcast_sizes(&sparse.sizes(), &dense.sizes()).is_err() => Some((coded::MISFIT, names())),
        SparseKind::Coo => None,
        _ => Some((coded::WEIGH_COMPRESSED, names())),
    }
}

/// Writes the result of an operation over a sparse tensor itself.
pub fn overwrite(target: &Tensor, result: &Value, args: &Args) -> Result<()> {
    let Value::Tensor(result) = result else { fault!(RuntimeError, "{} has no tensor to write in place", args.op.name()) };
    super::exec::require_cast(result.dtype(), target.dtype())?;
    // A product with a number is not noted as ordered, but where nothing is to be ordered.
    let unordered = args.op.name() == "mul" && args.tensors().len() == 1;
    match result.sparse().filter(|s| unordered && s.kind == SparseKind::Coo) {
        Some(s) => {
            let kept =
                coordinates::coo(result.dtype(), &s.sizes, s.indices[0].clone(), s.values.clone(), s.coalesced && s.stored() < 2);
            target.replace(kept.dtype(), kept.form()?)
        }
        None => target.replace(result.dtype(), result.form()?),
    }
}

/// The result of a view that puts dimensions in another order; none for other operations.
pub fn permuted(args: &Args) -> Result<Option<Value>> {
    let (Form::View(view), Some(Value::Tensor(x))) = (args.op.form, args.values.first()) else { return Ok(None) };
    let Some(sparse) = x.sparse() else { return Ok(None) };
    if sparse.kind != SparseKind::Coo {
        let swaps = matches!(args.op.name(), "mT" | "swapaxes" | "swapdims" | "t" | "transpose");
        if let (true, [_, Value::Int(first), Value::Int(second), ..]) = (swaps, &args.values[..])
            && wrap_dim(*first, x.ndim())? == wrap_dim(*second, x.ndim())?
        {
            return Ok(Some(gradient::alias(x).into()));
        }
        return swaps.then(|| compressed::transposed(x.dtype(), &sparse).map(Value::from)).transpose();
    }
    if matches!(args.op.name(), "squeeze" | "view" | "view_as" | "expand" | "expand_as" | "broadcast_to") {
        return Ok(None);
    }
    let (outer, inner) = dims_of(x);
    if args.op.name() == "t" && (outer > 2 || inner > 0) {
        fault!(
            RuntimeError,
            "t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {outer} sparse and {inner} dense dimensions"
        );
    }
    // Each stride says which dimension it belongs to.
    let strides: Dims = (0..x.ndim() as i64).collect();
    let turned = view(&Layout { sizes: x.sizes(), strides: strides.clone(), ..Layout::contiguous(&[]) }, args)?.strides;
    // What is wrong with the numbers is said first.
    if args.op.name() == "narrow" {
        return Ok(None);
    }
    let mut sorted = turned.clone();
    sorted.sort_unstable();
    if sorted != strides {
        return Ok(None);
    }
    let order: Vec<usize> = turned.iter().map(|d| *d as usize).collect();
    refuse_mixed(args.op.name(), &order, outer)?;
    Ok(Some(if turned == strides { gradient::alias(x).into() } else { coordinates::permuted(&sparse, &order)?.into() }))
}

/// Operations whose gradients are computed from sparse tensors as from dense ones.
const WITH_GRADIENT: &[&str] = &[
    "add",
    "addmm",
    "cat",
    "div",
    "index_select",
    "linalg.matrix_norm",
    "linalg.norm",
    "linalg.vector_norm",
    "mT",
    "matmul",
    "mm",
    "mul",
    "mv",
    "neg",
    "norm",
    "permute",
    "select",
    "sub",
    "sum",
    "stack",
    "t",
    "transpose",
    "unbind",
    "unsqueeze",
];

/// True for an operation whose gradient is its row's for sparse tensors, too.
pub fn has_gradient(set: &OpSet) -> bool {
    let name = set.rows.first().map_or(set.name, |op| op.name());
    !set.inplace && (WITH_GRADIENT.contains(&name) || is_by_value(name, SparseKind::Coo))
}

/// Operations whose result is sparse as their first operand is.
const SPARSE_RESULT: &[&str] = &["add", "div", "mul", "sub"];

/// How PyTorch keeps the result of an operation with sparse operands: dense, or sparse of a kind; the outer none: not at all.
pub fn result_kind(set: &OpSet, args: &Args) -> Option<Option<SparseKind>> {
    let first = args.tensors().first()?.sparse().map(|s| s.kind);
    let plain = !set.inplace && matches!(args.out, Value::None);
    let all_sparse = args.tensors().iter().all(Tensor::is_sparse);
    match args.op.name() {
        "add" | "sub" if plain && !all_sparse => Some(None),
        "mul" if plain && first.is_none() => args.tensors().get(1).map(|t| t.sparse().map(|s| s.kind)),
        "mul" if plain && first.is_some() => Some(first),
        name if plain && all_sparse && SPARSE_RESULT.contains(&name) => Some(first),
        _ => None,
    }
}

/// A tensor with every element in its place.
pub fn dense(x: &Tensor) -> Result<Tensor> {
    match x.sparse() {
        Some(sparse) => coordinates::to_dense(coordinates_of(&sparse)?.as_ref()),
        None => Ok(x.clone()),
    }
}

/// A dense tensor as a sparse one.
pub fn again(x: &Tensor, kind: SparseKind) -> Result<Value> {
    match kind {
        SparseKind::Coo => to_coordinates(x, x.ndim() as i64),
        kind => to_compressed(x, kind, [1, 1], 0),
    }
}

/// A sparse tensor in the layout of another one, in blocks of its size.
pub(super) fn laid(args: &Args) -> Result<Value> {
    let (x, like): (Tensor, Tensor) = args.take()?;
    match like.sparse() {
        Some(sparse) if sparse.kind != SparseKind::Coo => to_compressed(&x, sparse.kind, sparse.block(), 0),
        _ => Ok(x.into()),
    }
}

/// The name of a layout in PyTorch's messages.
pub fn layout_title(x: &Tensor) -> &'static str {
    TensorLayout::of(x).title()
}

fn require_coo(x: &Tensor, name: &str) -> Result<Rc<Sparse>> {
    match x.sparse() {
        Some(sparse) if sparse.kind == SparseKind::Coo => Ok(sparse),
        _ => fault!(RuntimeError, "{name} expected sparse coordinate tensor layout but got {}", layout_title(x)),
    }
}

/// As [`require_coo`], in the words for a function that has a kernel for such tensors alone.
fn kernel_of_coo(x: &Tensor, name: &str) -> Result<Rc<Sparse>> {
    match x.sparse() {
        Some(sparse) if sparse.kind == SparseKind::Coo => Ok(sparse),
        other => {
            let backend = if other.is_some() { "SparseCsrCPU" } else { "CPU" };
            Err(no_kernel(name, backend))
        }
    }
}

/// The indices of a compressed tensor.
fn part(args: &Args, name: &str, by_columns: bool, place: usize) -> Result<Value> {
    let x: Tensor = args.get(0)?;
    let wanted = if by_columns { "column" } else { "row" };
    match x.sparse() {
        Some(sparse) if sparse.kind != SparseKind::Coo && sparse.kind.is_by_columns() == by_columns => {
            Ok(sparse.indices.get(place).map_or(Value::None, |t| gradient::alias(t).into()))
        }
        _ => fault!(RuntimeError, "{name} expected sparse {wanted} compressed tensor layout but got {}", layout_title(&x)),
    }
}

/// How many dimensions have coordinates, and how many do not.
fn dims_of(x: &Tensor) -> (usize, usize) {
    match x.sparse() {
        Some(sparse) if sparse.kind == SparseKind::Coo => (x.ndim() + 1 - sparse.values.ndim(), sparse.values.ndim() - 1),
        Some(sparse) => (2, sparse.values.ndim() - sparse.indices[0].ndim() - if sparse.kind.is_blocked() { 2 } else { 0 }),
        None => (0, x.ndim()),
    }
}
