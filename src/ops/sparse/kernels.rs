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
    (&["T", "block_diag", "chunk", "diagonal", "diff", "hsplit", "linalg.diagonal", "movedim", "narrow", "permute", "split", "squeeze", "tensor_split", "tensordot", "unsafe_chunk", "unsafe_split", "vsplit"], "as_strided"),
    (&["allclose", "isclose"], "eq.Tensor"),
    (&["any"], "any.dim"),
    (&["argsort", "msort", "sort"], "sort.stable"),
    (&["argwhere"], "nonzero"),
    (&["cdist"], "_cdist_forward"),
    (&["cholesky_solve"], "_cholesky_solve_helper"),
    (&["complex"], "complex.out"),
    (&["count_nonzero"], "count_nonzero.dim_IntList"),
    (&["cross", "linalg.cross"], "linalg_cross"),
    (&["cummax"], "_cummax_helper"),
    (&["cummin"], "_cummin_helper"),
    (&["det", "linalg.det"], "_linalg_det"),
    (&["diag"], "diagonal_copy"),
    (&["fliplr", "flipud", "rot90"], "flip"),
    (&["frexp"], "frexp.Tensor_out"),
    (&["inverse", "linalg.inv", "linalg.inv_ex"], "linalg_inv_ex"),
    (&["isfinite"], "ne.Scalar"),
    (&["kthvalue"], "kthvalue.values"),
    (&["ldexp"], "pow.Scalar"),
    (&["linalg.cholesky", "linalg.cholesky_ex"], "linalg_cholesky_ex"),
    (&["linalg.cond", "linalg.matrix_rank", "linalg.svd", "linalg.svdvals", "svd"], "_linalg_svd"),
    (&["linalg.eig", "linalg.eigvals"], "linalg_eig"),
    (&["linalg.eigh", "linalg.eigvalsh"], "_linalg_eigh"),
    (&["linalg.householder_product", "orgqr"], "linalg_householder_product"),
    (&["linalg.ldl_factor", "linalg.ldl_factor_ex"], "linalg_ldl_factor_ex"),
    (&["linalg.lstsq"], "linalg_lstsq.out"),
    (&["linalg.lu_factor", "linalg.lu_factor_ex", "lu"], "linalg_lu_factor_ex"),
    (&["linalg.lu_solve", "lu_solve"], "linalg_lu_solve"),
    (&["linalg.pinv"], "linalg_pinv.atol_rtol_tensor"),
    (&["linalg.slogdet", "logdet", "slogdet"], "_linalg_slogdet"),
    (&["linalg.solve", "linalg.solve_ex"], "_linalg_solve_ex"),
    (&["log_softmax", "nn.functional.cross_entropy", "nn.functional.log_softmax"], "_log_softmax"),
    (&["logcumsumexp"], "_logcumsumexp"),
    (&["matrix_exp"], "linalg_matrix_exp"),
    (&["mean"], "mean.dim"),
    (&["mvlgamma"], "arange.start_out"),
    (&["nanmean"], "ne.Tensor"),
    (&["nn.functional.dropout"], "bernoulli_.float"),
    (&["nn.functional.pad"], "fill_.Scalar"),
    (&["nn.functional.softmax", "softmax"], "_softmax"),
    (&["polar"], "polar.out"),
    (&["pow", "float_power"], "pow.Tensor_Tensor"),
    (&["rand_like"], "uniform_"),
    (&["randn_like"], "normal_"),
    (&["scatter"], "scatter.value"),
    (&["special.round"], "round.decimals"),
    (&["std"], "std.correction"),
    (&["stft", "take_along_dim", "view_as"], "view"),
    (&["unique"], "_unique2"),
    (&["var"], "var.correction"),
    (&["where"], "where.self"),
];

/// As [`HANDED_ON`], of functions that write in place.
const HANDED_ON_IN_PLACE: &[(&str, &str)] = &[
    ("fill_diagonal", "as_strided"),
    ("floor_divide", "floor_divide_.Tensor"),
    ("index_fill", "index_fill_.int_Scalar"),
    ("index_put", "_index_put_impl_"),
    ("pow", "pow_.Tensor"),
    ("scatter", "scatter_.value"),
    ("set", "set_.source_Tensor"),
    ("squeeze", "as_strided_"),
];

/// As [`HANDED_ON`], of compressed tensors, which have other kernels for the same functions.
#[rustfmt::skip] // in few lines
const OF_COMPRESSED: &[(&[&str], &str)] = &[
    (&["all"], "all.all_out"),
    (&["any"], "any.all_out"),
    (&["amax"], "amax.out"),
    (&["amin"], "amin.out"),
    (&["argmax"], "argmax.out"),
    (&["argmin"], "argmin.out"),
    (&["cross", "linalg.cross"], "linalg_cross.out"),
    (&["cumprod"], "cumprod.out"),
    (&["cumsum"], "cumsum.out"),
    (&["gather"], "gather.out"),
    (&["index_add"], "index_add.out"),
    (&["inner"], "as_strided"),
    (&["inverse", "linalg.cholesky", "linalg.cholesky_ex", "linalg.cond", "linalg.eigh", "linalg.eigvalsh", "linalg.inv", "linalg.inv_ex", "linalg.ldl_factor", "linalg.ldl_factor_ex", "linalg.lu_factor", "linalg.lu_factor_ex", "linalg.polar", "linalg.qr", "linalg.solve_ex", "linalg.svd", "linalg.svdvals", "lu", "svd"], "empty_strided"),
    (&["ldexp"], "pow.Scalar_out"),
    (&["linalg.lu"], "linalg_lu.out"),
    (&["linalg.solve"], "_spsolve"),
    (&["log_softmax", "nn.functional.cross_entropy", "nn.functional.log_softmax"], "_log_softmax.out"),
    (&["mean"], "mean.out"),
    (&["nan_to_num"], "nan_to_num.out"),
    (&["nn.functional.softmax", "softmax"], "_softmax.out"),
    (&["norm"], "norm.out"),
    (&["renorm"], "renorm.out"),
    (&["scatter"], "scatter.value_out"),
    (&["scatter_add"], "scatter_add.out"),
    (&["std_mean"], "std_mean.correction"),
    (&["topk"], "topk.values"),
    (&["tril"], "tril.out"),
    (&["triu"], "triu.out"),
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
        "diag" if matches!(args.value(0), Value::Tensor(x) if x.ndim() == 1) => return "diag_embed".to_string(),
        "max" | "min" if matches!(args.value(1), Value::Tensor(_)) => return format!("{base}imum"),
        _ => None,
    };
    if let Some(variant) = variant {
        return format!("{base}{mark}.{variant}");
    }
    if base == "round" && !matches!(args.values.get(1), None | Some(Value::None | Value::Int(0))) {
        return format!("round{mark}.decimals");
    }
    let is_complex = matches!(args.value(0), Value::Tensor(x) if x.dtype().is_complex());
    if let Some(kernel) = base.strip_prefix("fft.").and_then(|name| transform(name, is_complex)) {
        return kernel.to_string();
    }
    if raises_number(args) {
        return "pow.Scalar".to_string();
    }
    if let Some((_, kernel)) = ALONG.iter().find(|(name, _)| *name == base && matches!(args.value(1), Value::Int(_))) {
        return kernel.to_string();
    }
    let names_it = |(names, _): &&(&[&str], &str)| names.contains(&args.op.name());
    let compressed = OF_COMPRESSED.iter().find(names_it).filter(|_| backend(args) == "SparseCsrCPU" && !written);
    match compressed.or_else(|| HANDED_ON.iter().find(names_it)) {
        Some((_, kernel)) if !written => kernel.to_string(),
        _ => match HANDED_ON_IN_PLACE.iter().find(|(name, _)| *name == base) {
            Some((_, kernel)) if written => kernel.to_string(),
            _ => format!("{}{mark}", in_one_word(base)),
        },
    }
}

/// The kernel that a Fourier transform begins with: of real numbers, to real ones, or of complex ones on both sides.
fn transform(name: &str, is_complex: bool) -> Option<&'static str> {
    Some(match name {
        "fft" | "ifft" if !is_complex => "_fft_r2c",
        "ihfft" | "ihfft2" | "ihfftn" | "rfft" | "rfft2" | "rfftn" => "_fft_r2c",
        "hfft" | "irfft" | "irfft2" | "irfftn" => "_fft_c2r",
        "fft" | "fft2" | "fftn" | "hfft2" | "hfftn" | "ifft" | "ifft2" | "ifftn" => "_fft_c2c",
        _ => return None,
    })
}

/// The name of a function as that of a kernel: its module stands in front, or is not said.
fn in_one_word(name: &str) -> String {
    name.strip_prefix("nn.functional.").unwrap_or(name).replace('.', "_")
}

/// True for the power of a number.
fn raises_number(args: &Args) -> bool {
    args.op.name() == "pow" && !matches!(args.value(0), Value::Tensor(_))
}
