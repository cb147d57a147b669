//! What the dtypes that few use have no kernels for, looked for once a call turned out to fit: products, sums, writes by index, borders.

use super::Args;
use super::product::{contracted, folds};
use super::rare::{self, BC32, C32, FLOAT8, SCALE8, WIDE};
use crate::diag::{ErrorClass, Fault};
use crate::dtype::DType;
use crate::tensor::Tensor;
use crate::value::Value;

/// All but the dtypes of 8 bits that have products of matrices.
const UNMULTIPLIED: u8 = C32 | WIDE | SCALE8;
const ALL: u8 = C32 | WIDE | FLOAT8;

/// Functions that lack a kernel, by the name that PyTorch has for it.
struct Lacking {
    names: &'static [&'static str],
    kinds: u8,
    kernel: Kernel,
}

enum Kernel {
    Named(&'static str),
    /// One that depends on the arguments and the result; empty where there is one.
    Chosen(fn(&Args, Option<&Tensor>) -> &'static str),
}

use Kernel::{Chosen, Named};

const fn lacking(names: &'static [&'static str], kinds: u8, kernel: Kernel) -> Lacking {
    Lacking { names, kinds, kernel }
}

#[rustfmt::skip] // one kernel a line
const LACKING: &[Lacking] = &[
    lacking(&["dot"], C32, Chosen(|args, _| turned(args, "dot", "vdot"))),
    lacking(&["vdot"], C32, Chosen(|args, _| turned(args, "vdot", "dot"))),
    lacking(&["matmul", "linalg.matmul"], ALL, Chosen(product)),
    lacking(&["inner", "tensordot"], ALL, Chosen(contraction)),
    lacking(&["chain_matmul"], UNMULTIPLIED, Chosen(|args, _| if tensors(args.value(0)) > 1 { "addmm_impl_cpu_" } else { "" })),
    lacking(&["mm", "addmm", "addbmm", "linalg.multi_dot", "linalg.matrix_power", "matrix_power", "nn.functional.linear"], UNMULTIPLIED, Named("addmm_impl_cpu_")),
    lacking(&["mv", "addmv"], ALL, Named("addmv_impl_cpu")),
    lacking(&["addr"], ALL, Named("addr_cpu")),
    lacking(&["bmm"], ALL, Chosen(|args, result| batches(args, result, "bmm"))),
    lacking(&["baddbmm"], ALL, Chosen(|args, result| batches(args, result, "baddbmm"))),
    lacking(&["nn.functional.bilinear"], ALL, Named("bmm")),
    lacking(&["einsum"], ALL, Chosen(by_formula)),
    lacking(&["addcdiv"], C32, Named("addcdiv_cpu_out")),
    lacking(&["cross", "linalg.cross"], C32, Named("cross")),
    lacking(&["cumsum"], C32, Chosen(|_, result| in_lines(result, "cumsum_out_cpu"))),
    lacking(&["cumprod"], C32, Chosen(|_, result| in_lines(result, "cumprod_out_cpu"))),
    lacking(&["logcumsumexp"], C32, Named("logcumsumexp_out_cpu")),
    lacking(&["fill", "fill_", "full", "full_like", "new_full", "ones", "ones_like", "new_ones"], BC32, Named("fill_cpu")),
    lacking(&["index_add"], BC32, Named("scatter_gather_tensor_cpu")),
    lacking(&["tril"], BC32, Named("tril")),
    lacking(&["triu"], BC32, Named("triu")),
    lacking(&["eye"], C32, Named("eye")),
    lacking(&["linspace"], C32, Chosen(|_, result| several(result, "linspace_cpu"))),
    lacking(&["logspace"], C32, Chosen(|_, result| several(result, "logspace_cpu"))),
    lacking(&["gather", "take_along_dim", "scatter_add"], C32, Named("scatter_gather_tensor_cpu")),
    lacking(&["scatter"], C32, Chosen(|args, _| if tensors(args.value(3)) > 0 { "scatter_gather_tensor_cpu" } else { "scatter_gather_scalar_cpu" })),
    lacking(&["scatter_reduce"], ALL, Chosen(scattered)),
    lacking(&["index_reduce"], ALL, Chosen(reduced_at)),
    lacking(&["masked_select"], WIDE, Named("masked_select")),
    lacking(&["nonzero_static"], WIDE | FLOAT8, Named("nonzero_count_cpu")),
    lacking(&["ldexp"], C32, Named("pow")),
    lacking(&["lerp"], C32, Chosen(|args, _| if tensors(args.value(2)) > 0 { "lerp_kernel_tensor" } else { "lerp_kernel_scalar" })),
    lacking(&["linalg.vecdot"], C32, Chosen(|args, _| if matches!(args.value(0), Value::Tensor(x) if x.ndim() == 1) { "vdot" } else { "sum_cpu" })),
    lacking(&["logsumexp"], C32, Named("exp_vml_cpu")),
    lacking(&["masked_scatter"], C32, Named("masked_scatter")),
    lacking(&["sum", "mean"], C32, Chosen(|args, _| of_elements(args, "sum_cpu"))),
    lacking(&["prod"], C32, Chosen(|args, _| of_elements(args, "prod_out_cpu"))),
    lacking(&["put"], C32, Named("take_put_cpu")),
    lacking(&["take"], C32, Named("take_cpu")),
    lacking(&["trace"], C32, Named("trace")),
    lacking(&["nn.functional.unfold"], C32 | FLOAT8, Named("im2col_out_cpu")),
    lacking(&["nn.functional.fold"], C32 | FLOAT8, Named("col2im_out_cpu")),
    lacking(&["nn.functional.max_unpool1d", "nn.functional.max_unpool2d"], FLOAT8, Named("max_unpool2d")),
    lacking(&["nn.functional.max_unpool3d"], FLOAT8, Named("max_unpool3d")),
    lacking(&["nn.functional.pad"], ALL, Chosen(border)),
    lacking(&["nn.functional.channel_shuffle"], ALL, Named("channel_shuffle")),
    lacking(&["nn.functional.rms_norm"], C32, Named("rms_norm")),
    lacking(&["nn.functional.silu"], C32, Named("silu_cpu")),
    lacking(&["nn.functional.pixel_shuffle"], ALL, Named("pixel_shuffle")),
    lacking(&["nn.functional.pixel_unshuffle"], ALL, Named("pixel_unshuffle")),
    lacking(&["nn.functional.max_pool2d"], WIDE, Named("max_pool2d")),
    lacking(&["nn.functional.max_pool3d"], WIDE, Named("max_pool3d")),
];

/// Functions that look for a kernel though no element is written.
const ALWAYS: &[&str] = &[
    "addcdiv",
    "cross",
    "eye",
    "lerp",
    "linalg.cross",
    "logcumsumexp",
    "logsumexp",
    "nn.functional.max_pool2d",
    "nn.functional.max_pool3d",
    "nn.functional.pad",
    "nn.functional.unfold",
];

/// Products, which are zero without terms.
#[rustfmt::skip] // in few lines
pub(super) const PRODUCTS: &[&str] = &[
    "addbmm", "addmm", "addmv", "baddbmm", "bmm", "chain_matmul", "einsum", "inner", "linalg.matmul", "linalg.matrix_power", "linalg.multi_dot",
    "matmul", "matrix_power", "mm", "mv", "nn.functional.bilinear", "nn.functional.linear", "put", "tensordot",
];

/// True for a tensor without elements, or a list that has one.
fn has_empty(value: &Value) -> bool {
    match value {
        Value::Tensor(t) => t.numel() == 0,
        other => other.items().is_some_and(|items| items.iter().any(has_empty)),
    }
}

/// What PyTorch says of a call that lacks a kernel: one that gave a result, or that failed for want of a kernel.
pub(super) fn lacking_kernel(args: &Args, result: Option<&Value>, dtype: DType, kind: u8) -> Option<Fault> {
    let name = args.op.name();
    let refused = |kernel: &str| {
        Fault::new(ErrorClass::NotImplementedError, format!("\"{kernel}\" not implemented for '{}'", dtype.title()))
    };
    if let ("equal", true, Value::Tensor(x)) = (name, kind & C32 != 0, args.value(0))
        && !matches!(args.value(1), Value::Tensor(other) if other.dtype() != Tensor::dtype(x))
    {
        let same = matches!(args.value(1), Value::Tensor(other) if other.same(x));
        return Some(refused(if same { "equal_notnan_cpu" } else { "equal_cpu" }));
    }
    let result = match result {
        Some(Value::Tensor(result)) => Some(result),
        Some(_) => return None,
        None => None,
    };
    if result.is_some_and(|result| result.numel() == 0) && !ALWAYS.contains(&name) {
        return None;
    }
    if rare::writes_nothing(args) {
        return None;
    }
    // What is added up in another dtype was converted first.
    if rare::asked(args).is_some_and(|asked| !asked.is_half_complex()) {
        return None;
    }
    // These compute in the dtype that all are promoted to.
    if matches!(name, "addcdiv" | "addr") && result.is_some_and(|result| result.dtype() != dtype) {
        return None;
    }
    // A product without terms is zero.
    if PRODUCTS.contains(&name) && args.values.iter().any(has_empty) {
        return None;
    }
    let found = LACKING.iter().find(|row| row.kinds & kind != 0 && row.names.contains(&name))?;
    match found.kernel {
        Named(kernel) => Some(refused(kernel)),
        Chosen(chosen) => Some(chosen(args, result)).filter(|kernel| !kernel.is_empty()).map(refused),
    }
}

/// How many tensors a value is or lists.
fn tensors(value: &Value) -> usize {
    match value {
        Value::Tensor(_) => 1,
        other => other.items().map_or(0, |items| items.iter().map(tensors).sum()),
    }
}

/// One tensor that is to be conjugated turns a product into the other one.
fn turned(args: &Args, plain: &'static str, other: &'static str) -> &'static str {
    let conjugated = |at: usize| matches!(args.value(at), Value::Tensor(t) if t.is_conj());
    if conjugated(0) != conjugated(1) { other } else { plain }
}

/// The product of matrices, which some dtypes of 8 bits have.
fn of_matrices(x: &Tensor) -> &'static str {
    let dtype = Tensor::dtype(x);
    if dtype.is_float8() && dtype != DType::F8E8M0 { "" } else { "addmm_impl_cpu_" }
}

fn product(args: &Args, result: Option<&Tensor>) -> &'static str {
    let (Value::Tensor(a), Value::Tensor(b)) = (args.value(0), args.value(1)) else { return "" };
    match (a.ndim(), b.ndim()) {
        (0, _) | (_, 0) => "",
        (1, 1) => turned(args, "dot", "vdot"),
        (2, 1) => "addmv_impl_cpu",
        (1..=2, 2) => of_matrices(a),
        (3.., 1) | (1, 3..) if folds(a, b) => "addmv_impl_cpu",
        (3.., 2) if folds(a, b) => of_matrices(a),
        _ => batches(args, result, "bmm"),
    }
}

/// A contraction sums first along what has one element, multiplies vectors where nothing is left, else matrices.
fn contraction(args: &Args, result: Option<&Tensor>) -> &'static str {
    let Value::Tensor(a) = args.value(0) else { return "" };
    match contracted(args) {
        None => "",
        Some(sizes) if sizes.iter().flatten().any(|size| *size == 1) => "sum_cpu",
        _ if result.is_some_and(|result| result.numel() == 1) => turned(args, "dot", "vdot"),
        _ => of_matrices(a),
    }
}

/// Small products of batches have a kernel of their own.
fn batches(args: &Args, result: Option<&Tensor>, small: &'static str) -> &'static str {
    let factor = usize::from(small == "baddbmm");
    let Value::Tensor(a) = args.value(factor) else { return "" };
    // Without terms there is nothing to multiply.
    if a.numel() == 0 {
        return "";
    }
    let made = result.map_or(0, |result| result.sizes().iter().rev().take(2).product::<i64>());
    let inner = a.sizes().last().copied().unwrap_or(0);
    match Tensor::dtype(a) {
        _ if inner * made < 400 => small,
        dtype if dtype.is_integral(true) => "addmm_impl_cpu_",
        _ => "baddbmm_with_gemm",
    }
}

/// A formula over several tensors multiplies, one over a single tensor may sum.
fn by_formula(args: &Args, result: Option<&Tensor>) -> &'static str {
    let (Value::Str(formula), Some(result)) = (args.value(0), result) else { return "" };
    let read = formula.split("->").next().unwrap_or_default();
    let letters: std::collections::HashSet<char> = read.chars().filter(|c| c.is_alphabetic()).collect();
    let sums = letters.len() > result.ndim();
    match args.values.iter().map(tensors).sum::<usize>() {
        2 if !multiplies_lines(args, formula) => "",
        2.. if sums => "bmm",
        1 if sums && !result.dtype().is_integral(true) => "sum_cpu",
        _ => "",
    }
}

/// True where two operands of a formula have a letter in common that the result lacks, and several elements along it.
fn multiplies_lines(args: &Args, formula: &str) -> bool {
    let (read, made) = formula.split_once("->").unwrap_or((formula, ""));
    let Some((first, second)) = read.split_once(',') else { return true };
    let listed: Vec<Value> = args.values.iter().filter_map(Value::items).flatten().collect();
    let [Value::Tensor(a), Value::Tensor(b)] = listed.as_slice() else { return true };
    let size = |letters: &str, x: &Tensor, letter: char| {
        let (front, back) = letters.trim().split_once("...").unwrap_or((letters.trim(), ""));
        let place = front.find(letter).or_else(|| Some(x.ndim().checked_sub(back.len())? + back.find(letter)?))?;
        x.sizes().get(place).copied()
    };
    let is_summed = |letter: &char| letter.is_alphabetic() && !made.contains(*letter) && second.contains(*letter);
    let several = |x: Option<i64>| x.is_none_or(|size| size != 1);
    first.chars().filter(is_summed).any(|letter| several(size(first, a, letter)) && several(size(second, b, letter)))
}

fn in_lines(result: Option<&Tensor>, kernel: &'static str) -> &'static str {
    if result.is_some_and(|result| result.ndim() > 0) { kernel } else { "" }
}

fn several(result: Option<&Tensor>, kernel: &'static str) -> &'static str {
    if result.is_some_and(|result| result.numel() > 1) { kernel } else { "" }
}

/// Rows are reduced by functions of elements, single elements by a kernel of their own.
fn reduced_at(args: &Args, _: Option<&Tensor>) -> &'static str {
    let Value::Tensor(x) = args.value(0) else { return "" };
    let reduce = args.get::<String>(4).unwrap_or_default();
    match Tensor::dtype(x) {
        _ if leaves_out(args, 5) => "index_reduce_func_exclude_input_init",
        _ if x.ndim() < 2 => "index_func_",
        dtype if dtype.is_float8() => match reduce.as_str() {
            "amax" => "maximum_cpu",
            "amin" => "minimum_cpu",
            "mean" => "add_stub",
            _ => "",
        },
        _ => "",
    }
}

fn of_elements(args: &Args, kernel: &'static str) -> &'static str {
    if matches!(args.value(0), Value::Tensor(x) if x.numel() > 0) { kernel } else { "" }
}

fn leaves_out(args: &Args, at: usize) -> bool {
    matches!(args.value(at), Value::Bool(false))
}

fn scattered(args: &Args, result: Option<&Tensor>) -> &'static str {
    let reduce = args.get::<String>(4).unwrap_or_default();
    match reduce.as_str() {
        _ if leaves_out(args, 5) => "scatter_reduce_exclude_input_init",
        "amax" => "scatter_gather_tensor_cpu_reduce_amax",
        "amin" => "scatter_gather_tensor_cpu_reduce_amin",
        "mean" => "scatter_gather_tensor_cpu_reduce_mean",
        _ if result.is_some_and(|x| x.dtype().is_half_complex() || x.dtype().is_float8()) => "scatter_gather_tensor_cpu",
        _ => "",
    }
}

fn border(args: &Args, _: Option<&Tensor>) -> &'static str {
    let n = args.value(1).items().map_or(0, |sizes| sizes.len() / 2);
    let mode = args.get::<String>(2).unwrap_or_default();
    match (mode.as_str(), n) {
        ("reflect", 1) => "reflection_pad1d",
        ("reflect", 2) => "reflection_pad2d",
        ("reflect", _) => "reflection_pad3d",
        ("replicate", 1) => "replication_pad1d",
        ("replicate", 2) => "replication_pad2d",
        ("replicate", _) => "replication_pad3d",
        _ => "",
    }
}
