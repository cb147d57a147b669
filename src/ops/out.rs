//! Which dtypes `out=` may have, and what becomes of it where a result is not there.

use super::create::spoken::type_name;
use super::{Args, Form, Op, exec};
use crate::dtype::{DType, IntLimits, Number, can_cast};
use crate::kernel::order::output_layout;
use crate::layout::Layout;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// Functions of elements whose `out` has the very dtype of the result; the others take any that can hold it.
#[rustfmt::skip]
const SAME: &[&str] = &[
    "abs", "ceil", "conj_physical", "floor", "frac", "isneginf", "isposinf", "nan_to_num", "neg", "round", "sgn", "sign",
    "signbit", "trunc", "float_power", "where", "heaviside", "complex", "polar", "bitwise_not", "tensordot",
];

/// Other functions whose `out` takes any dtype that can hold the result; where a function is in no list, it has the result's.
#[rustfmt::skip]
const CASTS: &[&str] = &[
    "add", "addr", "angle", "block_diag", "cat", "cholesky_inverse", "cholesky_solve", "cumulative_trapezoid", "diff", "dstack",
    "hstack", "isclose", "kron", "ldexp", "logsumexp", "max", "mean", "min",
    "nanmean", "outer", "square", "stack", "std", "var", "vstack", "logit", "rsqrt",
    "column_stack", "geqrf", "linalg.cond", "linalg.eig", "linalg.eigvals", "linalg.householder_product", "linalg.lstsq", "matrix_power",
    "linalg.matrix_rank", "linalg.pinv", "linalg.tensorinv", "linalg.tensorsolve", "mvlgamma", "nextafter", "special.ndtr",
];

/// Functions that join tensors; an `out` that cannot hold the result is a `TypeError`.
const JOINS: &[&str] = &["cat", "column_stack", "dstack", "hstack", "stack", "vstack"];

/// Functions that PyTorch computes apart and copies into an `out`, which gets row-major order when it is resized; the names of a
/// module end in a dot.
const COPIES: &[&str] =
    &["fft.", "cholesky_solve", "linalg.tensorinv", "lu", "nanquantile", "quantile", "renorm", "special.ndtr"];

/// Functions whose `out` may share no element at all with what they read.
#[rustfmt::skip] // in few lines
const READS_APART: &[&str] = &[
    "cat", "column_stack", "diff", "dstack", "gather", "hstack", "index_add", "index_copy", "index_select", "kron", "masked_select", "nonzero", "outer", "scatter",
    "scatter_add", "stack", "take", "vstack",
];

/// Functions of elements that are more than one scalar function. Of these and of the next, `out` may be what they read, but may
/// not share some elements of it.
#[rustfmt::skip] // in few lines
const ELEMENTWISE: &[&str] = &[
    "addcdiv", "addcmul", "bitwise_not", "clamp", "clamp_max", "clamp_min", "div", "erf", "floor_divide", "fmax", "fmin", "fmod", "heaviside", "lerp", "maximum", "minimum",
    "polygamma", "pow", "remainder", "special.entr", "special.i0e", "special.xlog1py", "sub", "where", "xlogy",
];

/// Other functions that read and write in step.
const READS_IN_STEP: &[&str] =
    &["addmm", "addr", "bernoulli", "cumprod", "cumsum", "logcumsumexp", "normal", "renorm", "sort", "topk"];

/// Functions whose `out` takes the size of the result before it is looked at what it shares.
const RESIZED_FIRST: &[&str] = &[
    "cat",
    "column_stack",
    "cumprod",
    "cumsum",
    "diff",
    "dstack",
    "gather",
    "hstack",
    "kron",
    "logcumsumexp",
    "outer",
    "sort",
    "stack",
    "topk",
    "vstack",
];

/// True where `out` takes the size of the result before it is looked at what it shares.
pub fn is_resized_first(args: &Args) -> bool {
    RESIZED_FIRST.contains(&args.op.name())
}

/// True for a function that walks over its operands and `out` together.
pub fn is_elementwise(args: &Args) -> bool {
    matches!(args.op.form, Form::Map(_)) || ELEMENTWISE.contains(&args.op.name())
}

/// Fails with a `RuntimeError` where an `out` shares elements with what the function reads.
pub fn check_shared(args: &Args, target: &Tensor) -> Result<()> {
    let apart = READS_APART.contains(&args.op.name());
    if !apart && !is_elementwise(args) && !READS_IN_STEP.contains(&args.op.name()) {
        return Ok(());
    }
    if apart || is_elementwise(args) || args.op.name() == "addr" {
        exec::refuse_overlap(target)?;
    }
    let check = |read: &Tensor| if apart { exec::refuse_shared(target, read) } else { exec::refuse_partial(target, read) };
    args.values.iter().try_for_each(|value| match value {
        Value::Tensor(read) => check(read),
        Value::Tuple(items) => {
            items.iter().try_for_each(|item| if let Value::Tensor(read) = item { check(read) } else { Ok(()) })
        }
        _ => Ok(()),
    })
}

/// Functions that cast their result to whatever `out` is, or compute in its dtype.
const ANY: &[&str] = &["arange", "bernoulli", "eye", "full", "linspace", "logspace", "lu", "ones", "range", "zeros"];

/// Functions whose `out` has the very dtype of the result where the bounds are numbers, and is cast to where they are tensors.
const CLAMPS: &[&str] = &["clamp", "clamp_max", "clamp_min"];

/// The function that computes a product of two tensors: it depends on their dimensions.
fn kernel_name(args: &Args) -> &'static str {
    let ndim = |place| match args.value(place) {
        Value::Tensor(t) => t.ndim(),
        _ => 0,
    };
    match (args.op.name(), ndim(0), ndim(1)) {
        ("matmul", 1, 1) => "dot",
        ("matmul", ..) => "mm",
        ("inner", 0, _) | ("inner", _, 0) => "mul",
        (name, ..) => name,
    }
}

/// What functions say of an `out` of another dtype; the others have one of two sentences.
#[rustfmt::skip] // one sentence a line
const WORDS: &[(&[&str], &str)] = &[
    (&["all", "any"], "{name} only supports bool tensor for result, got: {out}"),
    (&["amax", "amin"], "Expected the dtype for input and out to match, but got {result} for input's dtype and {out} for out's dtype."),
    (&["abs", "ceil", "conj_physical", "floor", "frac", "neg", "round", "sgn", "sign", "trunc", "bitwise_not"], "Found dtype {out} but expected {result}"),
    (&["complex", "polar"], "Expected object of scalar type {result} but got scalar type {out} for argument 'out'"),
    (&["chain_matmul", "linalg.multi_dot"], "multi_dot(): expected out tensor to have dtype {c_result} but got {c_out}"),
    (&["clamp", "clamp_max", "clamp_min"], "Found dtype {out} but expected {result}"),
    (&["cummax", "cummin", "logcumsumexp"], "expected scalar_type {result} but found {out}"),
    (&["dot", "vdot"], "result dtype {out} does not match input dtype {result}"),
    (&["float_power"], "the output given to float_power has dtype {out} but the operation's result requires dtype {result}"),
    (&["heaviside"], "heaviside is not yet implemented for tensors with different dtypes."),
    (&["histc"], "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {c_result} and hist {c_out}"),
    (&["index_select", "masked_select"], "{name}(): self and result must have the same scalar type"),
    (&["inner", "tensordot"], "tensordot: Expected the output tensor to have dtype {result}, but got an output tensor with dtype {out}"),
    (&["isneginf", "isposinf", "signbit"], "{name} does not support non-boolean outputs."),
    (&["ldexp"], "ldexp can't be cast to the desired output type {out}"),
    (&["mvlgamma"], "mvlgamma: result type {out} can't be cast to the desired output type {result}"),
    (&["linalg.cond", "linalg.pinv"], "{name}: Expected result to be safely castable from {result} dtype, but got result with dtype {out}"),
    (&["linalg.matrix_norm", "linalg.norm"], "{name} expected out tensor dtype {result} but got: {out}"),
    (&["linalg.matrix_power", "matrix_power"], "matrix_power: Expected result to be safely castable from {result} dtype, but got result with dtype {out}"),
    (&["cholesky_inverse"], "cholesky_inverse: Expected result to be safely castable from {result} dtype, but got result with dtype {out}"),
    (&["nanquantile", "quantile"], "{name}() out tensor must be same dtype as the input tensor"),
    (&["logsumexp"], "logsumexp(): Expected floating point type for result tensor, but got: {out}"),
    (&["nan_to_num"], "nan_to_num: dtype of out: {out} should be same as input: {result}"),
    (&["nonzero"], "nonzero: Expected out tensor to have scalar type {result} but got scalar type{out}"),
    (&["take"], "take(): self and out expected to have the same dtype, but got self.dtype = {result} and out.dtype = {out}"),
    (&["where"], "Expected out type to be {result} but got {out}"),
];

/// Fails with a `RuntimeError` when the result of a call may not be written into an `out` of this dtype.
pub fn check(args: &Args, result: DType, target: &Tensor) -> Result<()> {
    let out = target.dtype();
    let name = kernel_name(args);
    let mapped = is_elementwise(args) && !SAME.contains(&name) && !CLAMPS.contains(&name);
    if name == "nanmean" && !result.is_integral(true) && !out.is_float() {
        fault!(NotImplementedError, "\"nansum_cpu\" not implemented for '{}'", out.title());
    }
    let flags = matches!(name, "all" | "any") && matches!((result, out), (_, DType::U8) | (DType::U8, DType::Bool));
    if flags || result == out || ANY.contains(&name) {
        return Ok(());
    }
    let by_tensors = args.values.iter().skip(1).any(|bound| matches!(bound, Value::Tensor(_)));
    let of_complex = matches!(args.value(0), Value::Tensor(t) if t.dtype().is_complex());
    if (CLAMPS.contains(&name) && by_tensors) || (name == "abs" && of_complex) {
        return exec::require_cast(result, out);
    }
    refuse_apart(args, result, target)?;
    let casts = CASTS.contains(&name) || name == "mul" || name.starts_with("fft.") || mapped;
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

/// Fails with a `RuntimeError` in the words that a function has for some of its calls alone.
fn refuse_apart(args: &Args, result: DType, target: &Tensor) -> Result<()> {
    let out = target.dtype();
    let ndim = if let Value::Tensor(x) = args.value(0) { x.ndim() } else { 0 };
    let params = &args.op.schema()?.params;
    let (whole, of_one) = (!params.iter().any(|p| p.name == "dim"), params.len() == 1);
    let (from, to, fits) = (result.title(), out.title(), can_cast(result, out));
    match args.op.name() {
        "diff" if result != out && matches!(args.value(1), Value::Int(0)) => {
            fault!(RuntimeError, "expected scalar_type {from} but found {to}")
        }
        "diag" if ndim == 1 && !fits => {
            fault!(RuntimeError, "diag: result type {from} can't be cast to the desired out= type {to}")
        }
        "mean" if whole && !fits => {
            fault!(RuntimeError, "mean.dtype_out(): input types can't be cast to the desired output type {to}")
        }
        "mean" if !whole && out.is_integral(true) => {
            fault!(RuntimeError, "result type Float can't be cast to the desired output type {to}")
        }
        "max" | "min" if of_one && !fits => fault!(
            RuntimeError,
            "Expected canCast( typeMetaToScalarType(self.dtype()), typeMetaToScalarType(out.dtype())) to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
        ),
        "mv" if target.numel() > 0 && result != out => {
            fault!(RuntimeError, "addmv input tensors must have the same dtype, but got {to}, {from}, and {from}")
        }
        _ => Ok(()),
    }
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
pub fn check_part(args: &Args, result: DType, target: &Tensor) -> Result<()> {
    let out = target.dtype();
    match args.op.name() {
        "median" | "nanmedian" if result != out => fault!(
            RuntimeError,
            "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type {} does not equal {} (while checking arguments for median)",
            type_name(out),
            type_name(result)
        ),
        "mode" if result != out => {
            fault!(RuntimeError, "expected scalar type '{}' but got '{}' for values output", result.title(), out.title())
        }
        "kthvalue" if result != out => fault!(RuntimeError, "output values must be of same type as input"),
        "cummax" | "cummin" | "geqrf" | "linalg.eig" | "linalg.lstsq" | "lu" => check(args, result, target),
        _ => require_same(result, out),
    }
}

/// What a function that writes to a list of tensors is called where the list has the wrong length.
pub fn list_name(name: &str) -> String {
    if name == "unbind_copy" { "unbind_copy_int_out".into() } else { format!("{name}_out") }
}

/// Fails with a `RuntimeError` when the indices of an `out` of values and indices are not of int64; they are looked at first.
pub fn check_indices(args: &Args, targets: &[Value]) -> Result<()> {
    let Some(Value::Tensor(indices)) = targets.get(1).filter(|i| matches!(i, Value::Tensor(i) if i.dtype() != DType::I64)) else {
        return Ok(());
    };
    let dtype = indices.dtype();
    match args.op.name() {
        "median" | "nanmedian" => fault!(
            RuntimeError,
            "Expected tensor for argument #1 'indices' to have scalar type Long; but got {} instead (while checking arguments for median)",
            type_name(dtype)
        ),
        "mode" => {
            // The values are looked at before them.
            if let (Value::Tensor(x), Some(Value::Tensor(values))) = (args.value(0), targets.first()) {
                check_part(args, x.dtype(), values)?;
            }
            fault!(RuntimeError, "expected scalar type 'Long' but got '{}' for indices output", dtype.title())
        }
        "kthvalue" => fault!(RuntimeError, "output indices must be of scalar type Long"),
        _ => Ok(()),
    }
}

/// Fails as writing values of this dtype and their indices would, for functions that look at `out` before anything else.
pub fn check_targets(args: &Args, values: DType) -> Result<()> {
    let Some(targets) = args.out.items() else { return Ok(()) };
    check_indices(args, &targets)?;
    match targets.first() {
        Some(Value::Tensor(target)) => check_part(args, values, target),
        _ => Ok(()),
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
pub fn keeps_strides(args: &Args, apart: bool) -> bool {
    let name = args.op.name();
    // Transforms of real numbers are conjugated into it.
    if matches!(name, "fft.ifft" | "fft.ihfft") && !matches!(args.value(0), Value::Tensor(x) if x.dtype().is_complex()) {
        return true;
    }
    let copied = |known: &&str| name == *known || known.ends_with('.') && name.starts_with(known);
    !(apart && PLAIN_NOTHING.contains(&name) || COPIES.iter().any(copied))
}

/// How an `out` that is resized lies, of functions that are laid otherwise when they make a result of their own.
pub fn own_layout(args: &Args, result: &Tensor) -> Option<Layout> {
    if args.op.name() == "stack" {
        return Some(Layout::contiguous(&result.sizes()));
    }
    let Value::Tensor(x) = args.value(0) else { return None };
    match args.op.name() {
        // A product by a number.
        "deg2rad" | "rad2deg" => Some(output_layout(&result.sizes(), &[&x.layout(), &Layout::contiguous(&[])])),
        "abs" | "conj_physical" => Some(output_layout(&result.sizes(), &[&x.layout()])),
        _ => None,
    }
}

/// True for a product with a vector that is written as a matrix of one row, whose `out` is laid anew whatever its size.
pub fn is_row(args: &Args) -> bool {
    let vector = |value: &Value| matches!(value, Value::Tensor(x) if x.ndim() == 1);
    args.op.name() == "nn.functional.linear" && vector(args.value(0)) && !matches!(args.value(2), Value::None)
}

/// True for a transform that forgets to write to its `out`: one along a single dimension, by functions of several.
pub fn is_forgotten(args: &Args) -> bool {
    let several = matches!(args.op.name(), "fft.ihfft2" | "fft.ihfftn");
    let count = |value: &Value| match value {
        Value::Size(sizes) => Some(sizes.len()),
        _ => None,
    };
    let ndim = || if let Value::Tensor(x) = args.value(0) { x.ndim() } else { 0 };
    several && count(args.value(2)).or(count(args.value(1))).unwrap_or_else(ndim) == 1
}

/// Functions that write to their `out` as if its elements lay in order, where it has the size of the result.
pub fn writes_in_order(op: &Op) -> bool {
    matches!(op.name(), "narrow_copy" | "nn.functional.avg_pool3d")
}

/// True for a row that reduces some of the dimensions.
fn takes_dim(args: &Args) -> Result<bool> {
    Ok(args.op.schema()?.params.iter().any(|p| p.name == "dim"))
}

/// Functions that fill an `out` of as many elements as it is.
const FILLS: &[&str] = &["arange", "linspace", "logspace", "range"];

/// The result with the size of an `out` that keeps its own.
pub fn laid_as_target(args: &Args, result: &Tensor, target: &Tensor) -> Result<Tensor> {
    match FILLS.contains(&args.op.name()) && result.numel() == target.numel() {
        true => result.alias(Layout { offset: result.layout().offset, ..Layout::contiguous(&target.sizes()) }),
        false => Ok(result.clone()),
    }
}

/// Gives `out` the size of the result where a function does so before it looks at its dtype.
pub fn resize_early(args: &Args, result: &Tensor, target: &Tensor) -> Result<()> {
    let early = match (args.op.name(), args.value(0)) {
        ("diag", Value::Tensor(x)) => x.ndim() == 2 || can_cast(result.dtype(), target.dtype()),
        ("mean" | "std" | "var", _) => takes_dim(args)?,
        ("kron" | "linalg.matrix_power" | "matrix_power" | "slice_scatter" | "stack", _) => true,
        (name, _) => name.ends_with("_copy") && !matches!(name, "narrow_copy" | "index_copy"),
    };
    if early && result.dtype() != target.dtype() && result.sizes() != target.sizes() {
        exec::resize(target, &result.sizes())?;
    }
    Ok(())
}

/// The arguments of a function that makes its numbers in the dtype of `out` unless another is asked for; none for other functions.
pub fn in_its_dtype(args: &Args) -> Result<Option<Args>> {
    let Value::Tensor(target) = &args.out else { return Ok(None) };
    match args.op.name() {
        "fft.fftfreq" | "fft.rfftfreq" => {}
        // What floats there are to sum up are cast to those of `out`.
        "mean" if takes_dim(args)? && !target.dtype().is_integral(true) => match args.value(0) {
            Value::Tensor(x) if !x.dtype().is_integral(true) => {}
            _ => return Ok(None),
        },
        "std" | "var" => return of_its_numbers(args, target),
        _ => return Ok(None),
    }
    let place = args.op.schema()?.params.iter().position(|p| p.name == "dtype");
    let mut args = args.clone();
    if let Some(unsaid @ Value::None) = place.and_then(|place| args.values.get_mut(place)) {
        *unsaid = Value::DType(target.dtype());
    }
    Ok(Some(args))
}

/// The arguments of a reduction that casts what it reads to the dtype of `out`; none where that is the same or does not fit.
fn of_its_numbers(args: &Args, target: &Tensor) -> Result<Option<Args>> {
    let Value::Tensor(x) = args.value(0) else { return Ok(None) };
    let (from, out) = (Tensor::dtype(x), target.dtype());
    let wanted = match from.is_complex() {
        _ if !out.is_float() => return Ok(None),
        true => out.to_complex(),
        false if from.is_float() => out,
        false => return Ok(None),
    };
    let dim = args.op.schema()?.params.iter().position(|p| p.name == "dim");
    let is_whole = match dim.map_or(&Value::None, |dim| args.value(dim)) {
        Value::Size(dims) => dims.is_empty() || dims.len() == x.ndim(),
        Value::Int(_) => x.ndim() < 2,
        _ => true,
    };
    if matches!(from, DType::F16 | DType::BF16) && matches!(out, DType::F32 | DType::F64) && is_whole {
        fault!(RuntimeError, "std_var_all: Unsupported dtype {}", from.title());
    }
    // All elements of a tensor are reduced in its own dtype.
    if wanted == from || is_whole {
        return Ok(None);
    }
    let mut args = args.clone();
    args.values[0] = Value::Tensor(exec::cast(x, wanted)?);
    Ok(Some(args))
}

/// What is left where a reduction writes to the very tensor that it reads.
pub enum Left {
    /// The number that changes no other, which was written before anything was read.
    Number(Number),
    /// The first elements.
    Elements,
}

/// What is left where a reduction writes to the very tensor that it reads; none where it computes apart.
pub fn left_by_itself(args: &Args, target: &Tensor) -> Option<Left> {
    let dtype = target.dtype();
    let limit = |ints: fn(IntLimits) -> i128, float: f64, flag: bool| match dtype.int_limits() {
        Some(limits) => i64::try_from(ints(limits)).ok().map(|n| Left::Number(Number::Int(n))),
        None if dtype == DType::Bool => Some(Left::Number(Number::Bool(flag))),
        None => Some(Left::Number(Number::Float(float))),
    };
    let zero = || Some(Left::Number(Number::Int(0)));
    let (filled, whole) = (target.numel() > 0, args.values.len() == 1);
    match args.op.name() {
        "mean" if matches!(dtype, DType::F16 | DType::BF16) => None,
        "sum" | "nansum" | "mean" | "argmax" | "argmin" => zero(),
        "nanmean" if filled => zero(),
        "prod" => Some(Left::Number(Number::Int(1))),
        "all" | "any" if whole && filled && dtype == DType::Bool => Some(Left::Elements),
        "all" if !whole => Some(Left::Number(Number::Bool(true))),
        "any" if filled && dtype == DType::Bool => Some(Left::Elements),
        "max" | "min" if whole && filled => Some(Left::Elements),
        "amax" => limit(|ints| ints.min, f64::NEG_INFINITY, false),
        // The least of 64-bit integers begins with the first that is read.
        "amin" if dtype == DType::I64 => filled.then_some(Left::Elements),
        "amin" => limit(|ints| ints.max, f64::INFINITY, true),
        _ => None,
    }
}

/// True for reductions that look at the dimensions again when `out`, which is what they read, has its new size.
pub fn looks_again(args: &Args) -> bool {
    matches!(args.op.name(), "sum" | "prod" | "mean" | "amax" | "amin" | "argmax" | "argmin")
}
