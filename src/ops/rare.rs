//! What PyTorch has no kernels for in the dtypes that few use: float8, the unsigned integers wider than uint8, and complex numbers of two
//! 16-bit floats.

use super::out::{check_targets, order};
use super::unsupported;
use super::{Args, Operand};
use crate::diag::{ErrorClass, Fault};
use crate::dtype::{DType, Number};
use crate::layout::wrap_dim;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

pub(super) const FLOAT8: u8 = 1;
pub(super) const WIDE: u8 = 2;
/// A wider unsigned integer that is asked for: by `dtype=`, or by writing in place.
const ASKED: u8 = 4;
/// complex32 and bcomplex32.
pub(super) const C32: u8 = 8;
/// bcomplex32 alone, which is for storing.
pub(super) const BC32: u8 = 16;
/// The float8 that holds powers of two alone, to scale by.
pub(super) const SCALE8: u8 = 32;

/// True for float8, which is for storing: few functions compute with it.
pub fn is_float8(dtype: DType) -> bool {
    dtype.is_float8()
}

/// True for the dtypes of this page.
#[inline]
pub fn is_rare(dtype: DType) -> bool {
    dtype.is_float8() || matches!(dtype, DType::U16 | DType::U32 | DType::U64)
}

/// True where a complex number may make bcomplex32 of bfloat16.
#[inline]
pub fn makes_bcomplex(operands: &[Operand]) -> bool {
    let is_complex = |o: &Operand| match o {
        Operand::Tensor(t) => t.dtype().is_complex(),
        Operand::Number(n) => matches!(n, Number::Complex(_)),
    };
    operands.iter().any(|o| matches!(o, Operand::Tensor(t) if t.dtype() == DType::BF16)) && operands.iter().any(is_complex)
}

/// The functions of elements that float8 has.
const FLOAT8_FUNCTIONS: &[&str] = &[
    "abs",
    "addbmm",
    "addmm",
    "addmv",
    "baddbmm",
    "conj_physical",
    "eq",
    "inner",
    "isfinite",
    "isinf",
    "isnan",
    "isreal",
    "kron",
    "mul",
    "ne",
    "outer",
    "positive",
    "where",
];

/// The functions of elements that bcomplex32 has.
const BC32_FUNCTIONS: &[&str] = &["eq", "isfinite", "isinf", "isnan", "isreal", "ne", "positive", "where"];

/// The functions of elements that the wider unsigned integers lack, beside those whose rows refuse them.
const NOT_WIDE: &[&str] = &["addcmul", "pow"];

/// The functions of elements that complex32 lacks, beside those of [`VECTOR`].
const NOT_C32: &[&str] = &[
    "acosh",
    "angle",
    "asinh",
    "atanh",
    "cosh",
    "exp2",
    "logaddexp",
    "nan_to_num",
    "pow",
    "reciprocal",
    "rsqrt",
    "sigmoid",
    "sinc",
    "sinh",
    "square",
];

/// True when the function of this name has no kernel for a promoted dtype of the rare ones.
pub fn lacks_function(name: &str, dtype: DType, operands: &[Operand]) -> bool {
    match dtype {
        _ if name.starts_with("logical_") => is_rare(dtype) || dtype.is_half_complex(),
        DType::BC32 => !BC32_FUNCTIONS.contains(&name),
        DType::C32 => VECTOR.contains(&name) || NOT_C32.contains(&name),
        DType::F8E8M0 if name == "abs" => true,
        _ if is_float8(dtype) => {
            !FLOAT8_FUNCTIONS.contains(&name) || (matches!(name, "inner" | "kron" | "mul" | "outer") && by_number(operands))
        }
        DType::U16 | DType::U32 | DType::U64 => NOT_WIDE.contains(&name),
        _ => false,
    }
}

/// True when the second operand is one number, in a tensor or not.
fn by_number(operands: &[Operand]) -> bool {
    match operands.get(1) {
        Some(Operand::Number(_)) => true,
        Some(Operand::Tensor(t)) => t.numel() == 1,
        None => false,
    }
}

/// True when no operand but the first is a tensor.
fn by_plain_numbers(operands: &[Operand]) -> bool {
    operands.len() > 1 && operands[1..].iter().all(|o| matches!(o, Operand::Number(_)))
}

/// What PyTorch says when a function of elements lacks a kernel for a rare dtype.
pub fn sentence(name: &str, dtype: DType, operands: &[Operand]) -> String {
    let kernel = match name {
        "inner" | "kron" | "outer" => "mul_cpu_reduced_float".into(),
        "div" | "mul" if by_number(operands) && !dtype.is_half_complex() => format!("{name}_cpu_reduced_float"),
        "div_floor" | "div_trunc" if by_number(operands) && is_float8(dtype) => format!("{name}_cpu_reduced_float"),
        "floor_divide" if by_number(operands) && !dtype.is_half_complex() => "div_floor_cpu_reduced_float".into(),
        "deg2rad" | "rad2deg" => "mul_cpu_reduced_float".into(),
        "sigmoid" if is_float8(dtype) => "sigmoid_cpu_reduced_float".into(),
        "clamp" | "clamp_min" | "clamp_max" if by_plain_numbers(operands) => format!("{name}_scalar_cpu"),
        "round" if operands.len() == 1 => "round_vml_cpu".into(),
        "clamp_min" => "maximum_cpu".into(),
        "clamp_max" => "minimum_cpu".into(),
        "relu" => "clamp_min_scalar_cpu".into(),
        "exp2" | "nan_to_num" => name.into(),
        "conj_physical" => "conj_cpu".into(),
        "sgn" if is_float8(dtype) => "sign_cpu".into(),
        "sgn" => "sgn_cpu".into(),
        "square" | "pow" if dtype.is_half_complex() => "pow".into(),
        _ if VECTOR.contains(&name) => format!("{name}_vml_cpu"),
        _ => return unsupported::sentence(name, dtype),
    };
    format!("\"{kernel}\" not implemented for '{}'", dtype.title())
}

/// True for a function whose kernel is one of a library of vectors.
pub fn is_of_vectors(name: &str) -> bool {
    VECTOR.contains(&name) || unsupported::kernel(name).is_some_and(|kernel| kernel.ends_with("_vml_cpu"))
}

/// Functions of floats whose kernels are named after a library of vectors.
const VECTOR: &[&str] =
    &["acos", "asin", "atan", "cos", "exp", "expm1", "log", "log10", "log1p", "log2", "sin", "sqrt", "tan", "tanh"];

/// Functions that lack a kernel for some kinds of dtypes.
struct Missing {
    names: &'static [&'static str],
    kernel: &'static str,
    kinds: u8,
    when: When,
}

/// Which calls meet the missing kernel.
#[derive(Clone, Copy, PartialEq)]
enum When {
    Always,
    /// Of a tensor with elements.
    Elements,
    /// Of a tensor with elements and dimensions.
    Dimensions,
    /// With elements and without a `dim` or another tensor.
    Whole,
    /// Of a tensor with dimensions.
    Lines,
    /// Without a dimension.
    Undivided,
    /// Of a tensor and itself.
    Same,
    /// Of a tensor with elements, between bounds that are one.
    Unbounded,
    /// Of two vectors.
    Vectors,
    /// Of a tensor with elements and two dimensions or more.
    Triangles,
    /// Of a tensor with elements, of which several are compared.
    Compared,
    /// Along a dimension.
    Divided,
    /// Of tensors with elements.
    All,
    /// Into an `out`.
    Written,
}

const fn missing(names: &'static [&'static str], kernel: &'static str, kinds: u8, when: When) -> Missing {
    Missing { names, kernel, kinds, when }
}

/// The first that fits counts.
#[rustfmt::skip] // one kernel a line
const MISSING: &[Missing] = &[
    missing(&["sum", "mean"], "sum_cpu", FLOAT8 | ASKED, When::Elements),
    missing(&["prod"], "prod_out_cpu", FLOAT8 | ASKED, When::Elements),
    missing(&["nansum", "nanmean"], "nansum_cpu", FLOAT8 | ASKED, When::Elements),
    missing(&["cumsum"], "cumsum_out_cpu", FLOAT8 | ASKED, When::Dimensions),
    missing(&["cumprod"], "cumprod_out_cpu", FLOAT8 | ASKED, When::Dimensions),
    missing(&["cummax"], "cummax_cpu", FLOAT8, When::Dimensions),
    missing(&["cummin"], "cummin_cpu", FLOAT8, When::Dimensions),
    missing(&["logcumsumexp"], "logcumsumexp_out_cpu", FLOAT8, When::Always),
    missing(&["std", "var", "std_mean", "var_mean"], "std_cpu", FLOAT8, When::Elements),
    missing(&["amax"], "max_values_cpu", FLOAT8 | WIDE, When::Elements),
    missing(&["logsumexp"], "max_values_cpu", FLOAT8, When::Elements),
    missing(&["amin"], "min_values_cpu", FLOAT8 | WIDE, When::Elements),
    missing(&["max"], "max_all", FLOAT8 | WIDE, When::Whole),
    missing(&["min"], "min_all", FLOAT8 | WIDE, When::Whole),
    missing(&["max"], "max_cpu", FLOAT8, When::Dimensions),
    missing(&["min"], "min_cpu", FLOAT8, When::Dimensions),
    missing(&["argmax"], "argmax_cpu", FLOAT8, When::Compared),
    missing(&["argmin"], "argmin_cpu", FLOAT8, When::Compared),
    missing(&["aminmax"], "aminmax_cpu", FLOAT8, When::Elements),
    missing(&["histc"], "aminmax_cpu", FLOAT8 | WIDE, When::Unbounded),
    missing(&["histc"], "linspace_cpu", FLOAT8 | WIDE, When::Always),
    missing(&["median", "nanmedian"], "median_cpu", FLOAT8 | WIDE, When::Whole),
    missing(&["median", "nanmedian"], "median_out", FLOAT8 | WIDE, When::Divided),
    missing(&["mode"], "mode_cpu", FLOAT8 | WIDE, When::Dimensions),
    missing(&["norm", "linalg.vector_norm"], "norm_cpu", FLOAT8, When::Dimensions),
    missing(&["norm", "linalg.norm", "linalg.vector_norm", "linalg.matrix_norm"], "norm_cpu", BC32, When::Elements),
    missing(&["sort", "argsort", "msort"], "sorting_kernel_method_name", FLOAT8, When::Lines),
    missing(&["topk"], "topk_cpu", FLOAT8 | WIDE, When::Lines),
    missing(&["kthvalue"], "kthvalue_cpu", FLOAT8 | WIDE, When::Lines),
    missing(&["unique", "unique_consecutive"], "unique", FLOAT8, When::Always),
    missing(&["nonzero", "argwhere", "to_sparse", "to_sparse_coo"], "nonzero_count_cpu", FLOAT8 | WIDE, When::Always),
    missing(&["count_nonzero"], "nonzero_count_cpu", FLOAT8 | WIDE, When::Undivided),
    missing(&["bincount"], "bincount_cpu", WIDE, When::Always),
    missing(&["equal"], "equal_notnan_cpu", FLOAT8, When::Same),
    missing(&["dot", "matmul", "vdot"], "dot", FLOAT8 | WIDE, When::Vectors),
    missing(&["cross", "linalg.cross"], "cross", FLOAT8 | WIDE, When::Always),
    missing(&["trace"], "trace", FLOAT8 | WIDE, When::Always),
    missing(&["tril"], "tril", FLOAT8 | WIDE, When::Triangles),
    missing(&["triu"], "triu", FLOAT8 | WIDE, When::Triangles),
    missing(&["take"], "take_cpu", FLOAT8 | WIDE, When::All),
    missing(&["put"], "take_put_cpu", FLOAT8 | WIDE, When::All),
    missing(&["gather", "take_along_dim"], "gather_expanded_index", FLOAT8, When::Elements),
    missing(&["scatter", "scatter_add"], "scatter_gather_tensor_cpu", FLOAT8, When::Elements),
    missing(&["index_copy"], "index_copy_cpu", FLOAT8 | WIDE, When::Always),
    missing(&["masked_fill"], "masked_fill", FLOAT8 | WIDE, When::Always),
    missing(&["masked_scatter"], "masked_scatter", FLOAT8 | WIDE, When::Always),
    missing(&["nn.functional.elu", "nn.functional.celu", "nn.functional.selu", "celu", "selu"], "elu_cpu", FLOAT8, When::Always),
    missing(&["nn.functional.batch_norm", "nn.functional.instance_norm"], "batch_norm", FLOAT8, When::Always),
    missing(&["nn.functional.conv1d", "nn.functional.conv2d"], "slow_conv2d_cpu", FLOAT8 | WIDE, When::Always),
    missing(&["nn.functional.conv3d"], "compute_columns3d", FLOAT8 | WIDE, When::Always),
    missing(&["nn.functional.conv_transpose1d", "nn.functional.conv_transpose2d"], "slow_conv_transpose2d_out_cpu", FLOAT8 | WIDE, When::Always),
    missing(&["nn.functional.conv_transpose3d"], "slow_conv_transpose3d_out_cpu", FLOAT8 | WIDE, When::Always),
    missing(&["nn.functional.glu"], "glu_cpu", FLOAT8, When::Always),
    missing(&["nn.functional.group_norm"], "GroupNormKernelImpl", FLOAT8, When::Always),
    missing(&["nn.functional.layer_norm"], "LayerNormKernelImpl", FLOAT8, When::Always),
    missing(&["nn.functional.nll_loss"], "nll_loss_out_frame", FLOAT8, When::Always),
    missing(&["nn.functional.pdist"], "pdist", FLOAT8, When::Always),
    missing(&["nn.functional.rms_norm"], "rms_norm", FLOAT8, When::Always),
    missing(&["nn.functional.rrelu", "rrelu"], "leaky_relu_cpu", FLOAT8, When::Always),
    missing(&["nn.functional.silu"], "silu_cpu", FLOAT8, When::Always),
    missing(&["nn.functional.gelu"], "GeluKernelImpl", FLOAT8, When::Always),
    missing(&["nn.functional.softplus"], "softplus_cpu", FLOAT8, When::Always),
    missing(&["nn.functional.leaky_relu"], "leaky_relu_cpu", FLOAT8, When::Always),
    missing(&["nn.functional.mish"], "mish_cpu", FLOAT8, When::Always),
    missing(&["nn.functional.logsigmoid"], "log_sigmoid_cpu", FLOAT8, When::Always),
    missing(&["nn.functional.hardswish"], "hardswish_cpu", FLOAT8, When::Always),
    missing(&["nn.functional.hardsigmoid"], "hardsigmoid_cpu", FLOAT8, When::Always),
    missing(&["nn.functional.softshrink"], "softshrink_check", FLOAT8, When::Always),
    missing(&["nn.functional.hardtanh", "nn.functional.relu6"], "clamp_scalar_cpu", FLOAT8, When::Always),
    missing(&["nn.functional.mse_loss"], "mse_cpu", FLOAT8, When::Always),
    missing(&["nn.functional.soft_margin_loss"], "neg_cpu", WIDE, When::Always),
    missing(&["nn.functional.softmin"], "neg_cpu", FLOAT8, When::Always),
    missing(&["multinomial"], "aminmax_cpu", FLOAT8, When::Elements),
    missing(&["relu", "nn.functional.relu"], "clamp_min_scalar_cpu", FLOAT8, When::Always),
    missing(&["conj_physical"], "conj_cpu", FLOAT8 | WIDE, When::Written),
    missing(&["frexp"], "frexp_cpu", FLOAT8, When::Always),
    missing(&["ldexp"], "ldexp_cpu", FLOAT8, When::Always),
    missing(&["isclose", "allclose"], "mul_cpu_reduced_float", FLOAT8, When::Always),
    missing(&["logit"], "logit_cpu", FLOAT8, When::Always),
];

/// True for a call that has to do with a rare dtype: as a tensor or in a list, by name, or where the result goes.
pub(super) fn concerns(args: &Args) -> bool {
    let is_met = |dtype: DType| is_rare(dtype) || dtype.is_half_complex();
    let met = |value: &Value| match value {
        Value::Tensor(t) => is_met(t.dtype()),
        Value::DType(dtype) => is_met(*dtype),
        _ => false,
    };
    let listed = |value: &Value| value.items().is_some_and(|items| items.iter().any(met));
    args.values.iter().any(met)
        || !args.inplace && met(&args.out)
        || LISTS.contains(&args.op.name()) && args.values.iter().any(listed)
}

/// Products of tensors in a list.
const LISTS: &[&str] = &["chain_matmul", "einsum", "linalg.multi_dot"];

/// What PyTorch says of the dtypes of a call that lacks a kernel, where a call that ran gave this; none where it has one. A call
/// looks for its kernel last: whatever else is wrong with it, and with `out`, is said before, but for a number that does not fit.
pub(super) fn refusal(args: &Args, missing: Option<Fault>, ran: &Result<Value>) -> Result<Option<Fault>> {
    let said = ran.as_ref().err().and_then(|error| error.downcast_ref::<Fault>());
    let is_inside = |fault: &Fault| args.op.name().starts_with("nn.functional.") && fault.message.starts_with("Promotion for ");
    if ran.is_err() && !said.is_some_and(|fault| is_of_kernel(fault) || is_inside(fault)) && !EARLY.contains(&args.op.name()) {
        return Ok(None);
    }
    let found = match missing {
        Some(fault) => Some(fault),
        None => lacking(args, ran.as_ref().ok()),
    };
    match (&found, ran) {
        (Some(_), Ok(result)) => order::look_before_kernel(args, result)?,
        (Some(_), Err(_)) if !args.inplace && matches!(args.value(0), Value::Tensor(_)) => {
            check_targets(args, args.get::<Tensor>(0)?.dtype())?;
        }
        _ => {}
    }
    Ok(found)
}

/// Functions that look for their kernel first of all.
const EARLY: &[&str] = &["bincount", "logsumexp", "nn.functional.soft_margin_loss", "nn.functional.softshrink", "trace"];

/// True for what only a kernel says: that there is none, or that a number or an index does not fit.
fn is_of_kernel(fault: &Fault) -> bool {
    const BEGIN: &[&str] = &[
        "Found an invalid max index",
        "expected scalar type ",
        "invalid multinomial distribution",
        "out of range: tried to access index",
        "probability tensor contains",
        "value cannot be converted to type",
    ];
    order::is_late(fault)
        || BEGIN.iter().any(|begin| fault.message.starts_with(begin))
        || fault.message.starts_with("index ") && fault.message.contains(" is out of bounds for dimension ")
}

/// What is said of a call that lacks one of the kernels of [`rare_results`](super::rare_results).
fn lacking(args: &Args, result: Option<&Value>) -> Option<Fault> {
    let kind = |dtype: DType| match dtype {
        DType::C32 => C32,
        DType::BC32 => C32 | BC32,
        DType::F8E8M0 => FLOAT8 | SCALE8,
        _ if is_float8(dtype) => FLOAT8,
        _ if is_rare(dtype) => WIDE,
        _ => 0,
    };
    let of = |value: &Value| match value {
        Value::Tensor(t) => Some(t.dtype()),
        Value::DType(dtype) => Some(*dtype),
        _ => None,
    };
    let met = |value: &Value| of(value).filter(|dtype| kind(*dtype) != 0);
    let listed = || args.values.iter().filter_map(Value::items).flatten().find_map(|item| met(&item));
    let lists = LISTS.contains(&args.op.name());
    let dtype = match result {
        Some(_) => args.values.iter().find_map(met).or_else(|| if lists { listed() } else { None })?,
        // The kernel that was looked for is that of the first tensor.
        None => args.values.iter().find(|value| matches!(value, Value::Tensor(_))).and_then(met)?,
    };
    super::rare_results::lacking_kernel(args, result, dtype, kind(dtype))
}

/// The dtype that is asked for, by name or by where the result goes.
pub(super) fn asked(args: &Args) -> Option<DType> {
    let named = args.values.iter().find_map(|value| match value {
        Value::DType(dtype) => Some(*dtype),
        _ => None,
    });
    let by_target = !args.inplace && matches!(args.op.name(), "sum" | "mean" | "prod" | "cumsum" | "cumprod");
    named.or_else(|| args.target().filter(|_| by_target).map(|out| Tensor::dtype(&out)))
}

/// The bounds of a histogram.
fn bounds(args: &Args) -> Option<(f64, f64)> {
    Some((args.value(2).as_number()?.to_f64(), args.value(3).as_number()?.to_f64()))
}

/// True where PyTorch gathers whole rows: places along the first dimension, which go no further than one element along the others.
fn by_rows(args: &Args, x: &Tensor) -> bool {
    let (Value::Int(dim), Value::Tensor(index)) = (args.value(1), args.value(2)) else { return false };
    let (places, table) = (index.layout(), x.layout());
    let fits = |k: usize| places.strides[k] <= 1 && places.sizes[k] == table.sizes[k];
    wrap_dim(*dim, x.ndim()).is_ok_and(|dim| dim == 0)
        && places.ndim() == table.ndim()
        && places.strides.first() == Some(&1)
        && (1..places.ndim()).all(fits)
        && table.is_contiguous()
}

/// True where no place is named to be read or written.
pub(super) fn writes_nothing(args: &Args) -> bool {
    let by_places = matches!(args.op.name(), "gather" | "scatter" | "scatter_add" | "take_along_dim");
    by_places && args.values.iter().any(|value| matches!(value, Value::Tensor(t) if t.dtype() == DType::I64 && t.numel() == 0))
}

fn lacks_elements(args: &Args) -> bool {
    args.values.iter().any(|value| matches!(value, Value::Tensor(t) if t.numel() == 0))
}

/// What is said of a call whose kernel is missing whatever it gives.
pub(super) fn missing_kernel(args: &Args) -> Option<Fault> {
    let Value::Tensor(x) = args.value(0) else { return None };
    let asked = asked(args);
    let dtype = asked.unwrap_or(Tensor::dtype(x));
    let kind = match dtype {
        DType::BC32 => BC32,
        _ if is_float8(dtype) => FLOAT8,
        _ if is_rare(dtype) && (asked.is_some() || args.inplace) => WIDE | ASKED,
        _ if is_rare(dtype) => WIDE,
        _ => return None,
    };
    let name = args.op.name();
    let takes = |name: &str| args.op.schema().is_ok_and(|schema| schema.params.iter().any(|p| p.name == name));
    let whole = !takes("dim") && !takes("other");
    if matches!(name, "std" | "var") && kind == FLOAT8 && x.numel() > 0 && (whole || reduces_all(args, x)) {
        return Some(Fault::new(ErrorClass::RuntimeError, format!("std_var_all: Unsupported dtype {}", dtype.title())));
    }
    let meets = |when: When| match when {
        When::Always => true,
        When::Elements => x.numel() > 0,
        When::Dimensions => !takes("other") && x.numel() > 0 && x.ndim() > 0,
        When::Whole => whole && x.numel() > 0,
        When::Divided => takes("dim") && !matches!(args.named("dim"), Value::None),
        When::Lines => x.ndim() > 0,
        When::Undivided => {
            !matches!(args.value(1), Value::Int(_) | Value::Size(_))
                || matches!(args.value(1), Value::Size(dims) if dims.is_empty())
        }
        When::Same => matches!(args.value(1), Value::Tensor(other) if other.same(x)),
        When::Unbounded => x.numel() > 0 && bounds(args).is_none_or(|(low, high)| low == high),
        When::Vectors => {
            x.ndim() == 1 && matches!(args.value(1), Value::Tensor(other) if other.ndim() == 1 && other.dtype() == dtype)
        }
        When::Triangles => x.ndim() > 1 && x.numel() > 0,
        When::Compared => x.numel() > 0 && args.named("dim").as_number().is_none_or(|dim| is_of_several(x, dim)),
        When::Written => matches!(args.out, Value::Tensor(_)),
        When::All => (x.ndim() > 0 || matches!(name, "take" | "put")) && !lacks_elements(args),
    };
    if writes_nothing(args) {
        return None;
    }
    // A number by itself is its own bounds.
    if name == "aminmax" && x.ndim() == 0 && !matches!(args.named("dim"), Value::None) {
        return None;
    }
    let found = MISSING.iter().find(|m| m.kinds & kind != 0 && m.names.contains(&name) && meets(m.when))?;
    // Without NaN in the dtype it is the plain sum.
    let plain = name == "nansum" && x.dtype().is_integral(true);
    let kernel = match name {
        _ if plain => "sum_cpu",
        "ldexp" if !matches!(args.value(1), Value::Tensor(power) if power.dtype().is_integral(true)) => "pow",
        "scatter" if !matches!(args.value(3), Value::Tensor(_)) => "scatter_gather_scalar_cpu",
        "unique" | "unique_consecutive" if !matches!(args.named("dim"), Value::None) => "unique_dim",
        "gather" if !by_rows(args, x) => "scatter_gather_tensor_cpu",
        "multinomial" if matches!(args.value(2), Value::Bool(true)) => "multinomial",
        "nn.functional.conv1d" | "nn.functional.conv2d" | "nn.functional.conv3d" if is_spread(args) => "slow_conv_dilated<>",
        "nn.functional.rrelu" | "rrelu" if matches!(args.named("training"), Value::Bool(true)) => "rrelu_with_noise_out_cpu",
        "take_along_dim" if !matches!(args.value(2), Value::None) && !by_rows(args, x) => "scatter_gather_tensor_cpu",
        _ => found.kernel,
    };
    Some(Fault::new(ErrorClass::NotImplementedError, format!("\"{kernel}\" not implemented for '{}'", dtype.title())))
}

/// True where the dimensions that are named are all of a tensor's.
fn reduces_all(args: &Args, x: &Tensor) -> bool {
    match args.named("dim") {
        Value::Int(_) => x.ndim() < 2,
        Value::Size(dims) => dims.is_empty() || dims.len() == x.ndim(),
        _ => true,
    }
}

/// True for a convolution whose kernel has gaps.
fn is_spread(args: &Args) -> bool {
    match args.named("dilation") {
        Value::Int(step) => *step != 1,
        Value::Size(steps) => steps.iter().any(|step| *step != 1),
        _ => false,
    }
}

/// True where a line along a dimension has several elements.
fn is_of_several(x: &Tensor, dim: Number) -> bool {
    let Number::Int(dim) = dim else { return true };
    x.ndim() == 0 || wrap_dim(dim, x.ndim()).is_ok_and(|dim| x.sizes().get(dim).is_some_and(|size| *size != 1))
}
