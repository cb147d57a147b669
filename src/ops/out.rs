//! Which dtypes `out=` may have.

use super::{Form, Op, exec};
use crate::dtype::{DType, can_cast};
use anyhow::Result;

/// Functions of elements whose `out` has the very dtype of the result; the others take any that can hold it.
#[rustfmt::skip]
const SAME: &[&str] = &[
    "abs", "ceil", "conj_physical", "floor", "frac", "isneginf", "isposinf", "nan_to_num", "neg", "round", "sgn", "sign",
    "signbit", "trunc", "float_power", "where", "heaviside", "complex", "polar", "bitwise_not",
];

/// Other functions whose `out` takes any dtype that can hold the result; where a function is in no list, it has the result's.
#[rustfmt::skip]
const CASTS: &[&str] = &[
    "add", "addcdiv", "addcmul", "addr", "block_diag", "cat", "cholesky_inverse", "cholesky_solve", "clamp", "clamp_max", "clamp_min", "cumulative_trapezoid", "diff", "div", "dstack", "floor_divide",
    "fmax", "fmin", "fmod", "hstack", "isclose", "kron", "ldexp", "logsumexp", "max", "maximum", "mean", "min", "minimum",
    "nanmean", "outer", "pow", "remainder", "square", "stack", "std", "sub", "var", "vstack", "xlogy", "logit", "rsqrt",
    "column_stack", "geqrf", "inner", "linalg.cond", "linalg.eig", "linalg.eigvals", "lerp", "linalg.householder_product", "linalg.ldl_solve", "linalg.lstsq", "linalg.matrix_power",
    "linalg.matrix_rank", "linalg.pinv", "linalg.tensorinv", "linalg.tensorsolve", "mvlgamma", "special.ndtr", "tensordot",
];

/// Functions that join tensors; an `out` that cannot hold the result is a `TypeError`.
const JOINS: &[&str] = &["cat", "column_stack", "dstack", "hstack", "stack", "vstack"];

/// Functions that PyTorch computes apart and copies into an `out`, which gets row-major order when it is resized; the names of a
/// module end in a dot.
const COPIES: &[&str] =
    &["fft.", "cholesky_solve", "linalg.tensorinv", "lu", "nanquantile", "quantile", "renorm", "special.ndtr"];

/// Functions that cast their result to whatever `out` is, or compute in its dtype.
const ANY: &[&str] = &["arange", "bernoulli", "eye", "full", "linspace", "logspace", "lu", "ones", "range", "zeros"];

/// What functions say of an `out` of another dtype; the others have one of two sentences.
#[rustfmt::skip] // one sentence a line
const WORDS: &[(&[&str], &str)] = &[
    (&["all", "any"], "{name} only supports bool tensor for result, got: {out}"),
    (&["amax", "amin"], "Expected the dtype for input and out to match, but got {result} for input's dtype and {out} for out's dtype."),
    (&["abs", "ceil", "floor", "frac", "neg", "round", "sgn", "sign", "trunc", "bitwise_not"], "Found dtype {out} but expected {result}"),
    (&["bucketize", "searchsorted"], "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on whether out_int32 flag is True, but we got output tensor's dtype {out} and out_int32 flag is False"),
    (&["complex", "polar"], "Expected object of scalar type {result} but got scalar type {out} for argument 'out'"),
    (&["diag"], "diag: result type {result} can't be cast to the desired out= type {out}"),
    (&["dot", "matmul", "vdot"], "result dtype {out} does not match input dtype {result}"),
    (&["heaviside"], "heaviside is not yet implemented for tensors with different dtypes."),
    (&["histc"], "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {c_result} and hist {c_out}"),
    (&["index_select", "masked_select"], "{name}(): self and result must have the same scalar type"),
    (&["logsumexp"], "logsumexp(): Expected floating point type for result tensor, but got: {out}"),
    (&["mean"], "mean.dtype_out(): input types can't be cast to the desired output type {out}"),
    (&["mv"], "addmv input tensors must have the same dtype, but got {out}, {result}, and {result}"),
    (&["nan_to_num"], "nan_to_num: dtype of out: {out} should be same as input: {result}"),
    (&["nonzero"], "nonzero: Expected out tensor to have scalar type {result} but got scalar type{out}"),
    (&["take"], "take(): self and out expected to have the same dtype, but got self.dtype = {result} and out.dtype = {out}"),
    (&["where"], "Expected out type to be {result} but got {out}"),
];

/// Fails with a `RuntimeError` when a result may not be written into an `out` of this dtype.
pub fn check(op: &Op, result: DType, out: DType) -> Result<()> {
    let name = op.name();
    let mapped = matches!(op.form, Form::Map(_));
    if name == "nanmean" && !result.is_integral(true) && !out.is_float() {
        fault!(NotImplementedError, "\"nansum_cpu\" not implemented for '{}'", out.title());
    }
    let flags = matches!(name, "all" | "any") && out == DType::U8;
    if flags || result == out || ANY.contains(&name) {
        return Ok(());
    }
    let casts = CASTS.contains(&name) || name.starts_with("fft.") || (mapped && !SAME.contains(&name));
    if casts && can_cast(result, out) {
        return Ok(());
    }
    if JOINS.contains(&name) {
        fault!(TypeError, "torch.cat(): input types can't be cast to the desired output type {}", out.title());
    }
    if let Some(text) = own_words(name, result, out) {
        fault!(RuntimeError, "{text}");
    }
    if casts { exec::require_cast(result, out) } else { require_same(result, out) }
}

/// Fails with a `RuntimeError` when the result of an elementwise function cannot be cast to the dtype of what it is written to.
pub fn require_cast(name: &str, result: DType, out: DType) -> Result<()> {
    match own_words(name, result, out).filter(|_| result != out && (SAME.contains(&name) || !can_cast(result, out))) {
        Some(text) => fault!(RuntimeError, "{text}"),
        None => exec::require_cast(result, out),
    }
}

/// What a function says of an `out` of another dtype, where it has words of its own.
fn own_words(name: &str, result: DType, out: DType) -> Option<String> {
    let (_, text) = WORDS.iter().find(|(names, _)| names.contains(&name))?;
    let text = text.replace("{result}", result.title()).replace("{out}", out.title()).replace("{name}", name);
    Some(text.replace("{c_result}", result.c_name()).replace("{c_out}", out.c_name()))
}

/// Fails with a `RuntimeError` when an `out` has another dtype than the result.
pub fn require_same(result: DType, out: DType) -> Result<()> {
    if result == out {
        return Ok(());
    }
    fault!(RuntimeError, "Expected out tensor to have dtype {}, but got {} instead", result.c_name(), out.c_name())
}

/// As [`check`], for one of the tensors that an `out` of several has: the dtype of the result but for a few functions.
pub fn check_part(op: &Op, result: DType, out: DType) -> Result<()> {
    match op.name() {
        "geqrf" | "linalg.eig" | "linalg.lstsq" | "lu" => check(op, result, out),
        _ => require_same(result, out),
    }
}

/// Functions whose `out` without elements gets the order of the result though its size fits.
const ORDERS_NOTHING: &[&str] =
    &["cholesky_inverse", "linalg.eig", "linalg.eigvals", "linalg.householder_product", "triangular_solve"];

/// Functions whose results have an order of their own, but row-major order when nothing at all is copied into an `out`.
const PLAIN_NOTHING: &[&str] = &["geqrf", "linalg.lstsq", "ormqr"];

/// True when an `out` without elements is laid anew whatever its size.
pub fn orders_nothing(op: &Op) -> bool {
    ORDERS_NOTHING.contains(&op.name())
}

/// True when an `out` that is resized gets the strides of the result, and not row-major order; `apart` tells that nothing at
/// all is copied.
pub fn keeps_strides(op: &Op, apart: bool) -> bool {
    let name = op.name();
    let copied = |known: &&str| name == *known || known.ends_with('.') && name.starts_with(known);
    !(apart && PLAIN_NOTHING.contains(&name) || COPIES.iter().any(copied))
}
