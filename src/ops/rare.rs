//! What PyTorch has no kernels for in the dtypes that few use: float8, the unsigned integers wider than uint8, and complex numbers of two
//! 16-bit floats.

use super::unsupported;
use super::{Args, Operand, exec};
use crate::dtype::{DType, Number};
use crate::layout::{wrap_dim, wrap_dims};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

const FLOAT8: u8 = 1;
pub(super) const WIDE: u8 = 2;
/// A wider unsigned integer that is asked for: by `dtype=`, or by writing in place.
const ASKED: u8 = 4;
/// complex32 and bcomplex32.
pub(super) const C32: u8 = 8;
/// bcomplex32 alone, which is for storing.
pub(super) const BC32: u8 = 16;

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
const FLOAT8_FUNCTIONS: &[&str] =
    &["abs", "conj_physical", "eq", "isfinite", "isinf", "isnan", "isreal", "kron", "mul", "ne", "outer", "positive", "where"];

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
        _ if is_float8(dtype) => !FLOAT8_FUNCTIONS.contains(&name) || (name == "mul" && by_number(operands)),
        DType::U16 | DType::U32 | DType::U64 => NOT_WIDE.contains(&name),
        _ => false,
    }
}

/// True when the second operand is one number, in a tensor or not.
fn by_number(operands: &[Operand]) -> bool {
    match operands.get(1) {
        Some(Operand::Number(_)) => true,
        Some(Operand::Tensor(t)) => t.ndim() == 0,
        None => false,
    }
}

/// What PyTorch says when a function of elements lacks a kernel for a rare dtype.
pub fn sentence(name: &str, dtype: DType, operands: &[Operand]) -> String {
    let kernel = match name {
        "mul" | "div" if by_number(operands) && !dtype.is_half_complex() => format!("{name}_cpu_reduced_float"),
        "floor_divide" if by_number(operands) && !dtype.is_half_complex() => "div_floor_cpu_reduced_float".into(),
        "deg2rad" | "rad2deg" => "mul_cpu_reduced_float".into(),
        "sigmoid" if is_float8(dtype) => "sigmoid_cpu_reduced_float".into(),
        "clamp" | "clamp_min" | "clamp_max" if by_number(operands) => format!("{name}_scalar_cpu"),
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
    /// Of a tensor with two dimensions or more.
    Matrices,
    /// The same, of tensors with elements.
    Products,
    /// Of tensors with elements.
    All,
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
    missing(&["argmax"], "argmax_cpu", FLOAT8, When::Elements),
    missing(&["argmin"], "argmin_cpu", FLOAT8, When::Elements),
    missing(&["aminmax"], "aminmax_cpu", FLOAT8, When::Elements),
    missing(&["histc"], "aminmax_cpu", FLOAT8 | WIDE, When::Unbounded),
    missing(&["histc"], "linspace_cpu", FLOAT8 | WIDE, When::Always),
    missing(&["median", "nanmedian"], "median_cpu", FLOAT8 | WIDE, When::Whole),
    missing(&["median", "nanmedian"], "median_out", FLOAT8 | WIDE, When::Elements),
    missing(&["mode"], "mode_cpu", FLOAT8 | WIDE, When::Dimensions),
    missing(&["norm", "linalg.vector_norm"], "norm_cpu", FLOAT8, When::Dimensions),
    missing(&["norm", "linalg.norm", "linalg.vector_norm", "linalg.matrix_norm"], "norm_cpu", BC32, When::Elements),
    missing(&["sort", "argsort", "msort"], "sorting_kernel_method_name", FLOAT8, When::Lines),
    missing(&["topk"], "topk_cpu", FLOAT8 | WIDE, When::Lines),
    missing(&["kthvalue"], "kthvalue_cpu", FLOAT8 | WIDE, When::Lines),
    missing(&["unique", "unique_consecutive"], "unique", FLOAT8, When::Always),
    missing(&["nonzero", "nonzero_static", "argwhere", "to_sparse", "to_sparse_coo"], "nonzero_count_cpu", FLOAT8 | WIDE, When::Always),
    missing(&["count_nonzero"], "nonzero_count_cpu", FLOAT8 | WIDE, When::Undivided),
    missing(&["bincount"], "bincount_cpu", WIDE, When::Always),
    missing(&["equal"], "equal_notnan_cpu", FLOAT8, When::Same),
    missing(&["dot", "inner", "matmul", "vdot"], "dot", FLOAT8 | WIDE, When::Vectors),
    missing(&["inner", "matmul", "mm"], "addmm_impl_cpu_", WIDE, When::Products),
    missing(&["cross", "linalg.cross"], "cross", FLOAT8 | WIDE, When::Always),
    missing(&["trace"], "trace", FLOAT8 | WIDE, When::Always),
    missing(&["tril"], "tril", FLOAT8 | WIDE, When::Matrices),
    missing(&["triu"], "triu", FLOAT8 | WIDE, When::Matrices),
    missing(&["take"], "take_cpu", FLOAT8 | WIDE, When::All),
    missing(&["put"], "take_put_cpu", FLOAT8 | WIDE, When::All),
    missing(&["gather", "take_along_dim"], "gather_expanded_index", FLOAT8, When::Elements),
    missing(&["scatter", "scatter_add"], "scatter_gather_tensor_cpu", FLOAT8, When::Elements),
    missing(&["index_copy"], "index_copy_cpu", FLOAT8 | WIDE, When::Always),
    missing(&["masked_fill"], "masked_fill", FLOAT8 | WIDE, When::Always),
    missing(&["masked_scatter"], "masked_scatter", FLOAT8 | WIDE, When::Always),
    missing(&["masked_select"], "masked_select", WIDE, When::Elements),
    missing(&["bernoulli"], "bernoulli_tensor_cpu_self_", FLOAT8 | WIDE, When::Elements),
    missing(&["nn.functional.elu", "nn.functional.celu", "nn.functional.selu", "celu", "selu"], "elu_cpu", FLOAT8, When::Always),
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
    missing(&["relu", "nn.functional.relu"], "clamp_min_scalar_cpu", FLOAT8, When::Always),
    missing(&["frexp"], "frexp_cpu", FLOAT8, When::Always),
    missing(&["ldexp"], "ldexp_cpu", FLOAT8, When::Always),
    missing(&["isclose", "allclose"], "mul_cpu_reduced_float", FLOAT8, When::Always),
    missing(&["logit"], "logit_cpu", FLOAT8, When::Always),
];

/// Fails with a `NotImplementedError` when PyTorch lacks the kernel that a call needs for the dtype it computes in.
pub fn check(args: &Args) -> Result<()> {
    let rare = |value: &Value| match value {
        Value::Tensor(t) => is_rare(t.dtype()) || t.dtype() == DType::BC32,
        Value::DType(dtype) => is_rare(*dtype),
        _ => false,
    };
    if args.values.iter().any(rare) || (!args.inplace && rare(&args.out)) { refuse(args) } else { Ok(()) }
}

/// As [`check`], of a call that was made and gave this: whatever else is wrong with a call is said before.
pub fn check_result(args: &Args, result: &Value) -> Result<()> {
    let kind = |dtype: DType| match dtype {
        DType::C32 => C32,
        DType::BC32 => C32 | BC32,
        _ if is_rare(dtype) && !is_float8(dtype) => WIDE,
        _ => 0,
    };
    let of = |value: &Value| match value {
        Value::Tensor(t) => Some(t.dtype()),
        Value::DType(dtype) => Some(*dtype),
        _ => None,
    };
    let met = |value: &Value| of(value).filter(|dtype| kind(*dtype) != 0);
    let lists = matches!(args.op.name(), "einsum" | "linalg.multi_dot");
    let listed = || args.values.iter().filter_map(Value::items).flatten().find_map(|item| met(&item));
    let met = args.values.iter().find_map(met).or_else(|| if lists { listed() } else { None });
    met.map_or(Ok(()), |dtype| super::rare_results::check(args, result, dtype, kind(dtype)))
}

/// False when something is wrong with the call that is said before a kernel is looked for: a dimension that the tensor lacks or
/// that is named twice, more elements asked for than there are, another dtype in what is written.
fn is_sound(args: &Args, x: &Tensor) -> Result<bool> {
    let params = &args.op.schema()?.params;
    let dims = params.iter().zip(&args.values).all(|(param, value)| match value {
        Value::Int(dim) if param.name == "dim" => wrap_dim(*dim, x.ndim()).is_ok(),
        Value::Size(dims) if param.name == "dim" => wrap_dims(dims, x.ndim()).is_ok(),
        _ => true,
    });
    let same = |other: &Value| !matches!(other, Value::Tensor(other) if other.dtype() != Tensor::dtype(x));
    Ok(dims
        && match args.op.name() {
            "topk" => has_as_many(args, x, 0),
            "kthvalue" => has_as_many(args, x, 1),
            "cumsum" | "cumprod" => !args.inplace || !matches!(args.values.last(), Some(Value::DType(d)) if *d != x.dtype()),
            // A mean is of floats, whatever there are kernels for.
            "mean" | "nanmean" => !args.values.iter().any(|value| matches!(value, Value::DType(d) if d.is_integral(true))),
            "sum" | "prod" => args.asked_dtype(asked(args)).is_ok(),
            "histc" => {
                !matches!(args.value(1), Value::Int(bins) if *bins <= 0) && bounds(args).is_none_or(|(low, high)| low <= high)
            }
            "cross" | "linalg.cross" => x.sizes().contains(&3),
            "tril" | "triu" => x.numel() > 0,
            "cummax" | "cummin" | "median" | "mode" | "nanmedian" => super::out::check_targets(args, x.dtype()).is_ok(),
            "masked_fill" => {
                let (mask, whole) = (args.value(1), |value: &Value| !matches!(value, Value::Tensor(t) if t.ndim() > 0));
                whole(args.value(2))
                    && matches!(mask, Value::Tensor(mask) if mask.dtype() == DType::Bool
                        && exec::sizes_of(&[Operand::Tensor(x.clone()), Operand::Tensor(mask.clone())]).is_ok())
            }
            "scatter" | "scatter_add" | "index_add" => same(args.value(3)),
            // Nothing can be copied into a line without elements, and a number to one place alone.
            "index_copy" => {
                same(args.value(3))
                    && (x.numel() > 0 || x.ndim() > 1)
                    && (!matches!(args.value(3), Value::Tensor(source) if source.ndim() == 0)
                        || matches!(args.value(2), Value::Tensor(index) if index.numel() == 1))
            }
            "masked_scatter" => matches!(args.value(1), Value::Tensor(mask) if mask.dtype() == DType::Bool),
            "put" | "take" => matches!(args.value(1), Value::Tensor(index) if index.dtype() == DType::I64),
            "take_along_dim" => matches!(args.value(1), Value::Tensor(index) if index.ndim() == x.ndim()),
            _ => true,
        })
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

/// True when a line along the dimension has as many elements as are asked for.
fn has_as_many(args: &Args, x: &Tensor, least: i64) -> bool {
    let (Value::Int(count), Value::Int(dim)) = (args.value(1), args.value(2)) else { return true };
    let size = wrap_dim(*dim, x.ndim()).ok().and_then(|dim| x.sizes().get(dim).copied());
    size.is_none_or(|size| (least..=size).contains(count))
}

/// True unless the second operand is one of a product that fails for another reason.
fn multiplies(x: &Tensor, other: &Value) -> bool {
    let Value::Tensor(other) = other else { return true };
    let (s, t) = (x.sizes(), other.sizes());
    let inner = if t.len() == 1 { t.first() } else { t.len().checked_sub(2).and_then(|k| t.get(k)) };
    other.dtype() == Tensor::dtype(x) && inner.is_some() && inner == s.last()
}

/// True where PyTorch gathers whole rows: places along the first dimension, which go no further than one element along the others.
fn by_rows(args: &Args, x: &Tensor) -> bool {
    let (Value::Int(dim), Value::Tensor(index)) = (args.value(1), args.value(2)) else { return false };
    let (places, table) = (index.layout(), x.layout());
    let fits = |k: usize| places.strides[k] <= 1 && places.sizes[k] == table.sizes[k];
    wrap_dim(*dim, x.ndim()).is_ok_and(|dim| dim == 0)
        && places.ndim() == table.ndim()
        && places.strides.first().is_some_and(|stride| *stride > 0)
        && (1..places.ndim()).all(fits)
        && table.is_contiguous()
}

fn lacks_elements(args: &Args) -> bool {
    args.values.iter().any(|value| matches!(value, Value::Tensor(t) if t.numel() == 0))
}

fn refuse(args: &Args) -> Result<()> {
    let Value::Tensor(x) = args.value(0) else { return Ok(()) };
    let asked = asked(args);
    let dtype = asked.unwrap_or(Tensor::dtype(x));
    let kind = match dtype {
        DType::BC32 => BC32,
        _ if is_float8(dtype) => FLOAT8,
        _ if is_rare(dtype) && (asked.is_some() || args.inplace) => WIDE | ASKED,
        _ if is_rare(dtype) => WIDE,
        _ => return Ok(()),
    };
    let name = args.op.name();
    if !is_sound(args, x)? {
        return Ok(());
    }
    let takes = |name: &str| args.op.schema().is_ok_and(|schema| schema.params.iter().any(|p| p.name == name));
    let whole = !takes("dim") && !takes("other");
    let meets = |when: When| match when {
        When::Always => true,
        When::Elements => x.numel() > 0,
        When::Dimensions => !takes("other") && x.numel() > 0 && x.ndim() > 0,
        When::Whole => whole && x.numel() > 0,
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
        When::Matrices => x.ndim() > 1 && multiplies(x, args.value(1)),
        When::Products => x.ndim() > 1 && multiplies(x, args.value(1)) && !lacks_elements(args),
        When::All => (x.ndim() > 0 || matches!(name, "take" | "put")) && !lacks_elements(args),
    };
    if matches!(name, "std" | "var") && kind == FLOAT8 && whole && x.numel() > 0 {
        fault!(RuntimeError, "std_var_all: Unsupported dtype {}", dtype.title());
    }
    match MISSING.iter().find(|m| m.kinds & kind != 0 && m.names.contains(&name) && meets(m.when)) {
        Some(found) => {
            // Without NaN in the dtype it is the plain sum.
            let plain = name == "nansum" && x.dtype().is_integral(true);
            let kernel = match name {
                _ if plain => "sum_cpu",
                "ldexp" if !matches!(args.value(1), Value::Tensor(power) if power.dtype().is_integral(true)) => "pow",
                "scatter" if !matches!(args.value(3), Value::Tensor(_)) => "scatter_gather_scalar_cpu",
                "unique" | "unique_consecutive" if !matches!(args.named("dim"), Value::None) => "unique_dim",
                "gather" if !by_rows(args, x) => "scatter_gather_tensor_cpu",
                _ => found.kernel,
            };
            fault!(NotImplementedError, "\"{kernel}\" not implemented for '{}'", dtype.title())
        }
        None => Ok(()),
    }
}
