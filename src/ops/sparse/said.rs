//! What PyTorch says of operations that have no sparse form, where that is not the name of a kernel: most of them are made of others,
//! and what is said is what the first of those says.

use super::layout_title;
use super::refusals::{lacks, refuse_sizes};
use crate::device::no_kernel;
use crate::layout::Dims;
use crate::ops::{Args, FromValue};
use crate::tensor::{SparseKind, Tensor};
use crate::value::Value;
use anyhow::{Error, Result};

/// Operations on coordinate tensors, and the `RuntimeError` for each.
#[rustfmt::skip] // a sentence a line
const COORDINATES: &[(&[&str], &str)] = &[
    (&["addr", "special.ndtr"], "add(sparse, dense) is not supported. Use add(dense, sparse) instead."),
    (&["einsum", "inner", "nn.functional.unfold", "quantile", "nanquantile", "repeat_interleave", "reshape_as", "unflatten"], "reshape is not implemented for sparse tensors"),
    (&["index_fill"], "unsupported memory format option Preserve"),
    (&["nn.functional.cosine_similarity", "nn.functional.normalize"], "norm_sparse currently only supports full reductions, so 'dim' must either be empty or contain all dimensions of the input"),
    (&["isreal"], "memory format option is only supported by strided tensors"),
    (&["linalg.matrix_rank", "pinverse"], "full(...) is not implemented for sparse layout"),
    (&["broadcast_to", "expand_as", "linalg.vander", "tile"], "expand is unsupported for Sparse tensors"),
    (&["masked_fill", "nn.functional.layer_norm", "ravel"], "unsupported memory format option Contiguous"),
    (&["view_as_complex"], "view_as_complex_sparse is only supported for sparse tensors with the last dim == 2 and dense_dim > 0."),
    (&["view_as_real"], "view_as_real_sparse is only supported for complex sparse tensors"),
];

/// Operations on compressed tensors that ask for their strides.
#[rustfmt::skip] // in few lines
const STRIDED: &[&str] = &[
    "argsort", "block_diag", "chunk", "diag", "diag_embed", "diagonal", "diff", "dstack", "einsum", "fill_diagonal_", "hsplit", "kron",
    "linalg.diagonal", "linalg.vander", "msort", "narrow", "narrow_copy", "nn.functional.embedding", "nn.functional.pad", "sort", "split",
    "squeeze", "tensor_split", "unsafe_chunk", "unsafe_split", "unsqueeze", "vsplit",
];

/// Operations that do so only in place.
const STRIDED_IN_PLACE: &[&str] = &["index_add", "index_copy", "scatter", "scatter_add"];

/// Operations on compressed tensors that ask whether these lie in row-major order.
#[rustfmt::skip] // in few lines
const CONTIGUOUS: &[&str] = &[
    "cat", "column_stack", "contiguous", "flatten", "hstack", "meshgrid", "nn.functional.layer_norm", "nanquantile", "quantile", "ravel",
    "repeat_interleave", "reshape", "reshape_as", "stack", "vstack",
];

/// Operations on compressed tensors that walk over elements, for which there is no layout of the result.
#[rustfmt::skip] // in few lines
const WALKING: &[&str] = &[
    "addcdiv", "addcmul", "allclose", "clamp", "clamp_max", "clamp_min", "dist", "float_power", "fmax", "fmin", "fmod", "heaviside",
    "isclose", "lerp", "maximum", "minimum", "nanmean", "nextafter", "nn.functional.elu", "nn.functional.gelu", "nn.functional.leaky_relu",
    "nn.functional.mse_loss", "nn.functional.silu", "nn.functional.softplus", "pow", "remainder", "rsqrt", "special.entr", "special.i0e",
    "special.round", "square", "xlogy",
];

/// Operations on compressed tensors that make an empty tensor of no dimensions first, which has no such layout.
#[rustfmt::skip] // in few lines
const OF_NO_SIZE: &[&str] = &[
    "aminmax", "det", "linalg.det", "linalg.matrix_norm", "linalg.matrix_rank", "linalg.norm", "linalg.slogdet", "linalg.vector_norm",
    "logdet", "pinverse", "slogdet",
];

/// As [`OF_NO_SIZE`], of one dimension without elements.
#[rustfmt::skip] // in few lines
const OF_SIZE_ZERO: &[&str] = &[
    "complex", "cummax", "cummin", "kthvalue", "linalg.lstsq", "logical_and", "logical_not", "logical_or", "logical_xor", "logsumexp",
    "median", "mvlgamma", "nanmedian", "polar", "triangular_solve",
];

/// Operations on compressed tensors that make the result of a reduction along dimensions first.
const REDUCING: &[&str] = &["all", "amax", "amin", "any", "argmax", "argmin", "mean", "norm", "prod"];

/// Operations on compressed tensors that cannot repeat elements.
const EXPANDING: &[&str] = &["broadcast_to", "expand", "expand_as", "repeat", "tile"];

/// Operations on compressed tensors with sentences of their own.
const COMPRESSED: &[(&str, &str)] = &[
    ("index_fill", "unsupported memory format option Preserve"),
    ("isreal", "unsupported memory format Preserve"),
    ("linalg.pinv", "torch.zeros: Only batched sparse compressed (non-block) tensors are supported, but got size []"),
    ("masked_fill", "unsupported memory format option Contiguous"),
];

/// What is said of a call with a sparse tensor; none where it is that there is no kernel, or where there is one.
pub(super) fn said(args: &Args, in_place: bool) -> Option<Error> {
    refuse_any(args).and_then(|()| refuse_kind(args, in_place)).err()
}

/// What is said whatever the layout is.
fn refuse_any(args: &Args) -> Result<()> {
    let Some(x) = args.tensors().into_iter().next() else { return Ok(()) };
    match args.op.name() {
        "backward" if !x.requires_grad() => {
            fault!(RuntimeError, "element 0 of tensors does not require grad and does not have a grad_fn")
        }
        "backward" => fault!(RuntimeError, "grad can be implicitly created only for scalar outputs"),
        "cartesian_prod" | "combinations" => {
            fault!(RuntimeError, "Expect a 1D vector, but got shape {:?}", x.sizes().as_slice())
        }
        "allclose" | "isclose"
            if let [a, b] = &args.tensors()[..]
                && a.dtype() != b.dtype() =>
        {
            fault!(RuntimeError, "{} did not match {}", a.dtype().title(), b.dtype().title())
        }
        "cat" | "stack" if !args.tensors()[0].is_sparse() => Err(no_kernel("_values", "CPU")),
        "imag" if !x.dtype().is_complex() => {
            fault!(TypeError, "imag is not implemented for tensors with non-complex dtypes.")
        }
        "is_shared" | "share_memory_" if x.sparse().is_some_and(|s| s.kind == SparseKind::Coo) => {
            fault!(NotImplementedError, "Cannot access storage of SparseTensorImpl")
        }
        "is_shared" | "share_memory_" => fault!(NotImplementedError, "Cannot access storage of SparseCsrTensorImpl"),
        "nn.functional.one_hot" => fault!(RuntimeError, "one_hot is only applicable to index tensor of type LongTensor."),
        "outer" => fault!(RuntimeError, "outer: Expected 1-D argument self, but got {}-D", x.ndim()),
        "retain_grad" if !x.requires_grad() => {
            fault!(RuntimeError, "can't retain_grad on Tensor that has requires_grad=False")
        }
        "vander" => fault!(RuntimeError, "x must be a one-dimensional tensor."),
        _ => Ok(()),
    }
}

/// Operations on compressed tensors that look first whether matrices are square, and how they name themselves.
#[rustfmt::skip] // one sentence a line
const SQUARE: &[(&[&str], &str)] = &[
    (&["det", "linalg.det"], "linalg.det"),
    (&["inverse", "linalg.inv", "linalg.inv_ex"], "linalg.inv"),
    (&["linalg.cholesky", "linalg.cholesky_ex"], "linalg.cholesky"),
    (&["linalg.eigh", "linalg.eigvalsh"], "linalg.eigh"),
    (&["linalg.ldl_factor", "linalg.ldl_factor_ex"], "torch.linalg.ldl_factor_ex"),
    (&["linalg.slogdet", "slogdet"], "linalg.slogdet"),
];

/// True for what is no matrix, too: of that other things are said.
fn is_square(x: &Tensor) -> bool {
    x.ndim() < 2 || x.sizes()[x.ndim() - 2] == x.sizes()[x.ndim() - 1]
}

fn refuse_kind(args: &Args, in_place: bool) -> Result<()> {
    let tensors = args.tensors();
    match tensors.iter().find(|t| t.sparse().is_some_and(|s| s.kind != SparseKind::Coo)) {
        Some(compressed) => refuse_compressed(args, compressed, in_place),
        None => refuse_coordinates(args, &tensors, in_place),
    }
}

fn refuse_coordinates(args: &Args, tensors: &[Tensor], in_place: bool) -> Result<()> {
    let name = args.op.name();
    let comes_first = !in_place && tensors.first().is_some_and(Tensor::is_sparse);
    if let (true, Some((_, sentence))) = (comes_first, COORDINATES.iter().find(|(names, _)| names.contains(&name))) {
        fault!(RuntimeError, "{sentence}");
    }
    match (name, tensors) {
        ("floor_divide", [_, divisor]) if divisor.is_sparse() || divisor.ndim() > 0 => fault!(
            RuntimeError,
            "Sparse floor division requires a scalar or zero-dim dense tensor divisor (got shape {:?} for divisor)",
            divisor.sizes().as_slice()
        ),
        ("isfinite", [x]) if x.dtype().is_integral(true) => {
            fault!(RuntimeError, "memory format option is only supported by strided tensors")
        }
        ("kron", _) => fault!(NotImplementedError, "Cannot access storage of SparseTensorImpl"),
        ("rsub", [x]) => refuse_sizes(&[], x, "dense"),
        _ => Ok(()),
    }
}

fn refuse_compressed(args: &Args, x: &Tensor, in_place: bool) -> Result<()> {
    let name = args.op.name();
    let is_all = |value: &Value| Dims::from_value(value).is_some_and(|dims| dims.is_empty());
    let has_dim = args.values.get(1).is_some_and(|value| !matches!(value, Value::None | Value::DType(_)) && !is_all(value));
    if STRIDED.contains(&name) || in_place && STRIDED_IN_PLACE.contains(&name) {
        return Err(lacks(x, "strides"));
    }
    if name == "stack"
        && let Some(at) = args.tensors().iter().position(|t| t.sizes() != args.tensors()[0].sizes())
    {
        let (first, other) = (args.tensors()[0].sizes(), args.tensors()[at].sizes());
        fault!(
            RuntimeError,
            "stack expects each tensor to be equal size, but got {:?} at entry 0 and {:?} at entry {at}",
            first.as_slice(),
            other.as_slice()
        );
    }
    if name == "cat" && args.tensors()[0].sparse().is_some_and(|s| s.kind == SparseKind::Coo) {
        return Err(lacks(x, "strides"));
    }
    if CONTIGUOUS.contains(&name) {
        return Err(lacks(x, "is_contiguous"));
    }
    if let (Some((_, spoken)), false) = (SQUARE.iter().find(|(names, _)| names.contains(&name)), is_square(x)) {
        let [.., rows, columns] = x.sizes()[..] else { return Ok(()) };
        fault!(RuntimeError, "{spoken}: A must be batches of square matrices, but they are {rows} by {columns} matrices");
    }
    let title = layout_title(x);
    if let (false, Some((_, sentence))) = (in_place, COMPRESSED.iter().find(|(known, _)| *known == name)) {
        fault!(RuntimeError, "{sentence}");
    }
    match name {
        "clamp" if args.values[1..].iter().all(|v| matches!(v, Value::None)) => {
            fault!(RuntimeError, "torch.clamp: At least one of 'min' or 'max' must not be None")
        }
        "norm" if !(x.dtype().is_float() || x.dtype().is_complex()) => fault!(
            NotImplementedError,
            "norm(): input dtype should be either floating point or complex. Got {} instead.",
            x.dtype().title()
        ),
        "mean" if !(x.dtype().is_float() || x.dtype().is_complex()) => fault!(
            NotImplementedError,
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {}",
            x.dtype().title()
        ),
        "t" | "transpose" if in_place => {
            fault!(RuntimeError, "torch.transpose_: in-place transposition is not supported for {title} layout")
        }
        "max" | "min" if has_dim && !matches!(args.value(1), Value::Tensor(_)) => no_room(&x.sizes()[1..]),
        _ if OF_NO_SIZE.contains(&name) => no_room(&[]),
        _ if OF_SIZE_ZERO.contains(&name) && (!matches!(name, "median" | "nanmedian") || has_dim) => no_room(&[0]),
        _ if WALKING.contains(&name) => fault!(RuntimeError, "unsupported tensor layout: {title}"),
        _ if REDUCING.contains(&name)
            && (has_dim && name != "norm"
                || name == "norm" && args.values.len() > 2 && !matches!(args.value(2), Value::None)) =>
        {
            fault!(RuntimeError, "resize_reduction: support for output with {title} layout is not implemented yet")
        }
        _ if EXPANDING.contains(&name) => fault!(RuntimeError, "expand is unsupported for {title} tensors"),
        _ => Ok(()),
    }
}

/// Fails as a compressed tensor that is no matrix does.
pub fn no_room(sizes: &[i64]) -> Result<()> {
    fault!(RuntimeError, "torch.empty: Only batched sparse compressed (non-block) tensors are supported, but got size {sizes:?}")
}
