//! What complex32 and the unsigned integers wider than uint8 have no kernels for, looked for once a call turned out to fit: products,
//! sums, writes by index, borders.

use super::Args;
use super::rare::{self, BC32, C32, WIDE};
use crate::dtype::DType;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

const BOTH: u8 = C32 | WIDE;

/// Functions that lack a kernel, by the name that PyTorch has for it.
struct Lacking {
    names: &'static [&'static str],
    kinds: u8,
    kernel: Kernel,
}

enum Kernel {
    Named(&'static str),
    /// One that depends on the arguments; empty where there is one.
    Chosen(fn(&Args, &Tensor) -> &'static str),
}

use Kernel::{Chosen, Named};

const fn lacking(names: &'static [&'static str], kinds: u8, kernel: Kernel) -> Lacking {
    Lacking { names, kinds, kernel }
}

#[rustfmt::skip] // one kernel a line
const LACKING: &[Lacking] = &[
    lacking(&["dot"], C32, Chosen(|args, _| turned(args, "dot", "vdot"))),
    lacking(&["vdot"], C32, Chosen(|args, _| turned(args, "vdot", "dot"))),
    lacking(&["matmul", "inner", "linalg.matmul"], BOTH, Chosen(product)),
    lacking(&["mm", "addmm", "addbmm", "linalg.multi_dot", "linalg.matrix_power", "matrix_power", "nn.functional.linear"], BOTH, Named("addmm_impl_cpu_")),
    lacking(&["mv", "addmv"], BOTH, Named("addmv_impl_cpu")),
    lacking(&["addr"], BOTH, Named("addr_cpu")),
    lacking(&["bmm"], BOTH, Chosen(|args, result| batches(args, result, "bmm"))),
    lacking(&["baddbmm"], BOTH, Chosen(|args, result| batches(args, result, "baddbmm"))),
    lacking(&["nn.functional.bilinear"], BOTH, Named("bmm")),
    lacking(&["tensordot"], BOTH, Chosen(|_, result| if result.ndim() == 0 { "dot" } else { "addmm_impl_cpu_" })),
    lacking(&["einsum"], BOTH, Chosen(by_formula)),
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
    lacking(&["linspace"], C32, Chosen(|_, result| if result.numel() > 1 { "linspace_cpu" } else { "" })),
    lacking(&["gather", "take_along_dim", "scatter_add"], C32, Named("scatter_gather_tensor_cpu")),
    lacking(&["scatter"], C32, Chosen(|args, _| if tensors(args.value(3)) > 0 { "scatter_gather_tensor_cpu" } else { "scatter_gather_scalar_cpu" })),
    lacking(&["scatter_reduce"], BOTH, Chosen(scattered)),
    lacking(&["index_reduce"], BOTH, Chosen(|args, _| if leaves_out(args, 5) { "index_reduce_func_exclude_input_init" } else { "index_func_" })),
    lacking(&["ldexp"], C32, Named("pow")),
    lacking(&["lerp"], C32, Chosen(|args, _| if tensors(args.value(2)) > 0 { "lerp_kernel_tensor" } else { "lerp_kernel_scalar" })),
    lacking(&["linalg.vecdot"], C32, Chosen(|_, result| if result.ndim() == 0 { "vdot" } else { "sum_cpu" })),
    lacking(&["logsumexp"], C32, Named("exp_vml_cpu")),
    lacking(&["masked_scatter"], C32, Named("masked_scatter")),
    lacking(&["sum", "mean"], C32, Chosen(|args, _| of_elements(args, "sum_cpu"))),
    lacking(&["prod"], C32, Chosen(|args, _| of_elements(args, "prod_out_cpu"))),
    lacking(&["put"], C32, Named("take_put_cpu")),
    lacking(&["take"], C32, Named("take_cpu")),
    lacking(&["trace"], C32, Named("trace")),
    lacking(&["nn.functional.unfold"], C32, Named("im2col_out_cpu")),
    lacking(&["nn.functional.fold"], C32, Named("col2im_out_cpu")),
    lacking(&["nn.functional.pad"], BOTH, Chosen(border)),
    lacking(&["nn.functional.pixel_shuffle"], BOTH, Named("pixel_shuffle")),
    lacking(&["nn.functional.pixel_unshuffle"], BOTH, Named("pixel_unshuffle")),
    lacking(&["nn.functional.max_pool2d"], WIDE, Named("max_pool2d")),
    lacking(&["nn.functional.max_pool3d"], WIDE, Named("max_pool3d")),
];

/// Functions that look for a kernel though no element is written.
const ALWAYS: &[&str] = &[
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
const PRODUCTS: &[&str] = &[
    "addbmm", "addmm", "addmv", "baddbmm", "bmm", "einsum", "inner", "linalg.matmul", "linalg.matrix_power", "linalg.multi_dot",
    "matmul", "matrix_power", "mm", "mv", "nn.functional.bilinear", "nn.functional.linear", "put", "tensordot",
];

/// True for a tensor without elements, or a list that has one.
fn has_empty(value: &Value) -> bool {
    match value {
        Value::Tensor(t) => t.numel() == 0,
        other => other.items().is_some_and(|items| items.iter().any(has_empty)),
    }
}

/// Fails when a call that gave a result lacks a kernel in PyTorch.
pub fn check(args: &Args, result: &Value, dtype: DType, kind: u8) -> Result<()> {
    let name = args.op.name();
    if let ("equal", true, Value::Tensor(x)) = (name, kind & C32 != 0, args.value(0))
        && !matches!(args.value(1), Value::Tensor(other) if other.dtype() != Tensor::dtype(x))
    {
        let same = matches!(args.value(1), Value::Tensor(other) if other.same(x));
        fault!(
            NotImplementedError,
            "\"{}\" not implemented for '{}'",
            if same { "equal_notnan_cpu" } else { "equal_cpu" },
            dtype.title()
        );
    }
    let Value::Tensor(result) = result else { return Ok(()) };
    if result.numel() == 0 && !ALWAYS.contains(&name) {
        return Ok(());
    }
    // What is added up in another dtype was converted first.
    if rare::asked(args).is_some_and(|asked| !asked.is_half_complex()) {
        return Ok(());
    }
    // A product without terms is zero.
    if PRODUCTS.contains(&name) && args.values.iter().any(has_empty) {
        return Ok(());
    }
    let Some(found) = LACKING.iter().find(|row| row.kinds & kind != 0 && row.names.contains(&name)) else { return Ok(()) };
    match found.kernel {
        Named(kernel) => fault!(NotImplementedError, "\"{kernel}\" not implemented for '{}'", dtype.title()),
        Chosen(chosen) => match chosen(args, result) {
            "" => Ok(()),
            kernel => fault!(NotImplementedError, "\"{kernel}\" not implemented for '{}'", dtype.title()),
        },
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

fn product(args: &Args, result: &Tensor) -> &'static str {
    let (Value::Tensor(a), Value::Tensor(b)) = (args.value(0), args.value(1)) else { return "" };
    match (a.ndim(), b.ndim()) {
        (0, _) | (_, 0) => "",
        (1, 1) => turned(args, "dot", "vdot"),
        _ if args.op.name() == "inner" => "addmm_impl_cpu_",
        (2.., 1) => "addmv_impl_cpu",
        (1..=2, 2) | (3.., 2) => "addmm_impl_cpu_",
        _ => batches(args, result, "bmm"),
    }
}

/// Small products of batches have a kernel of their own.
fn batches(args: &Args, result: &Tensor, small: &'static str) -> &'static str {
    let factor = usize::from(small == "baddbmm");
    let Value::Tensor(a) = args.value(factor) else { return "" };
    // Without terms there is nothing to multiply.
    if a.numel() == 0 {
        return "";
    }
    let (inner, made) = (a.sizes().last().copied().unwrap_or(0), result.sizes().iter().rev().take(2).product::<i64>());
    match Tensor::dtype(a) {
        _ if inner * made < 400 => small,
        DType::C32 | DType::BC32 => "baddbmm_with_gemm",
        _ => "addmm_impl_cpu_",
    }
}

/// A formula over several tensors multiplies, one over a single tensor may sum.
fn by_formula(args: &Args, result: &Tensor) -> &'static str {
    if args.values.iter().map(tensors).sum::<usize>() > 1 {
        return "bmm";
    }
    let Value::Str(formula) = args.value(0) else { return "" };
    let read = formula.split("->").next().unwrap_or_default();
    let letters: std::collections::HashSet<char> = read.chars().filter(|c| c.is_alphabetic()).collect();
    if result.dtype().is_half_complex() && letters.len() > result.ndim() { "sum_cpu" } else { "" }
}

fn in_lines(result: &Tensor, kernel: &'static str) -> &'static str {
    if result.ndim() > 0 { kernel } else { "" }
}

fn of_elements(args: &Args, kernel: &'static str) -> &'static str {
    if matches!(args.value(0), Value::Tensor(x) if x.numel() > 0) { kernel } else { "" }
}

fn leaves_out(args: &Args, at: usize) -> bool {
    matches!(args.value(at), Value::Bool(false))
}

fn scattered(args: &Args, result: &Tensor) -> &'static str {
    let reduce = args.get::<String>(4).unwrap_or_default();
    match reduce.as_str() {
        _ if leaves_out(args, 5) => "scatter_reduce_exclude_input_init",
        "amax" => "scatter_gather_tensor_cpu_reduce_amax",
        "amin" => "scatter_gather_tensor_cpu_reduce_amin",
        "mean" => "scatter_gather_tensor_cpu_reduce_mean",
        _ if result.dtype().is_half_complex() => "scatter_gather_tensor_cpu",
        _ => "",
    }
}

fn border(args: &Args, _: &Tensor) -> &'static str {
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
