//! What PyTorch calls the kernel that a sparse tensor has none of: `eq.Scalar`, `_softmax`, `as_strided`.

use crate::ops::Args;
use crate::tensor::{SparseKind, Tensor};
use crate::value::Value;

/// Functions of a tensor and either a tensor or a number, which have a kernel for each.
const BY_OPERAND: &[&str] = &["eq", "ne", "lt", "le", "gt", "ge", "fill", "masked_fill", "lerp"];

/// Functions whose numbers are made tensors.
#[rustfmt::skip]
const OF_TENSORS: &[&str] = &[
    "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "copysign", "fmod", "remainder", "xlogy",
];

/// Functions with a kernel of their own for one dimension, and its name.
const ALONG: &[(&str, &str)] = &[
    ("all", "all.dim"),
    ("max", "max.dim"),
    ("median", "median.dim_values"),
    ("min", "min.dim"),
    ("nanmedian", "nanmedian.dim_values"),
    ("prod", "prod.dim_int"),
];

/// Functions that ask for the kernel that writes into a tensor.
const WRITTEN: &[&str] = &["logical_and", "logical_not", "logical_or", "logical_xor", "logsumexp"];

/// Functions that hand their tensor on to another one, or have one kernel with a longer name.
#[rustfmt::skip] // in few lines
const HANDED_ON: &[(&[&str], &str)] = &[
    (&["T", "chunk", "diagonal", "diff", "fill_diagonal_", "hsplit", "narrow", "permute", "split", "squeeze", "tensor_split", "unsafe_chunk", "unsafe_split", "vsplit"], "as_strided"),
    (&["allclose", "isclose"], "eq.Tensor"),
    (&["any"], "any.dim"),
    (&["argsort", "msort", "sort"], "sort.stable"),
    (&["argwhere"], "nonzero"),
    (&["cholesky_solve"], "_cholesky_solve_helper"),
    (&["count_nonzero"], "count_nonzero.dim_IntList"),
    (&["cummax"], "_cummax_helper"),
    (&["cummin"], "_cummin_helper"),
    (&["det"], "_linalg_det"),
    (&["diag"], "diagonal_copy"),
    (&["fliplr", "flipud", "rot90"], "flip"),
    (&["inverse"], "linalg_inv_ex"),
    (&["isfinite"], "ne.Scalar"),
    (&["kthvalue"], "kthvalue.values"),
    (&["ldexp"], "pow.Scalar"),
    (&["log_softmax"], "_log_softmax"),
    (&["logcumsumexp"], "_logcumsumexp"),
    (&["logdet", "slogdet"], "_linalg_slogdet"),
    (&["matrix_exp"], "linalg_matrix_exp"),
    (&["mean"], "mean.dim"),
    (&["nanmean"], "ne.Tensor"),
    (&["pow", "float_power"], "pow.Tensor_Tensor"),
    (&["softmax"], "_softmax"),
    (&["std"], "std.correction"),
    (&["svd"], "_linalg_svd"),
    (&["take_along_dim", "view_as"], "view"),
    (&["unique"], "_unique2"),
    (&["var"], "var.correction"),
    (&["where"], "where.self"),
];

/// The name of the kernels that a call with a sparse tensor asks for.
pub fn backend(args: &Args) -> &'static str {
    let is_compressed = |t: &Tensor| t.sparse().is_some_and(|sparse| sparse.kind != SparseKind::Coo);
    if args.tensors().iter().any(is_compressed) { "SparseCsrCPU" } else { "SparseCPU" }
}

/// The name of the kernel that a call asks for, perhaps to write in place.
pub fn name(args: &Args, in_place: bool) -> String {
    let base = args.op.name();
    let base = base.strip_suffix('_').unwrap_or(base);
    let written = in_place || args.op.name().ends_with('_');
    let last = || args.values.iter().rev().find(|v| !matches!(v, Value::None));
    let mark = if written { "_" } else { "" };
    let variant = match base {
        _ if BY_OPERAND.contains(&base) && !matches!(last(), Some(Value::Tensor(_))) => Some("Scalar"),
        _ if BY_OPERAND.contains(&base) || OF_TENSORS.contains(&base) => Some("Tensor"),
        _ if WRITTEN.contains(&base) && !written => Some("out"),
        "clamp" | "clamp_max" | "clamp_min" if !matches!(args.value(1), Value::Int(_) | Value::Float(_)) => Some("Tensor"),
        "max" | "min" if matches!(args.value(1), Value::Tensor(_)) => return format!("{base}imum"),
        _ => None,
    };
    if let Some(variant) = variant {
        return format!("{base}{mark}.{variant}");
    }
    if let Some((_, kernel)) = ALONG.iter().find(|(name, _)| *name == base && matches!(args.value(1), Value::Int(_))) {
        return kernel.to_string();
    }
    match HANDED_ON.iter().find(|(names, _)| names.contains(&args.op.name())) {
        Some((_, kernel)) if !written => kernel.to_string(),
        _ => format!("{base}{mark}"),
    }
}
