//! In which order `out` is looked at and other things are found wrong: what is looked at before anything is computed, and what has
//! become of `out` when something cannot be.

use super::dtypes::{check, check_indices, check_part, is_weighed_by_number, require_cast};
use super::rules::{First, Rule, kernel_name};
use super::shape::{lay, resize_early};
use super::sharing::{check_copied, check_shared};
use crate::diag::{ErrorClass, Fault};
use crate::dtype::DType;
use crate::kernel::order::output_layout;
use crate::kernel::scalar::Rule as Promotion;
use crate::layout::{Dims, wrap_dim};
use crate::ops::{Args, Form, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// Fails as [`check`] does, for functions that look at `out` before they look at sizes and dimensions.
pub fn check_first(args: &Args) -> Result<()> {
    let Value::Tensor(target) = &args.out else { return Ok(()) };
    check_made(args, target)?;
    let Value::Tensor(x) = args.value(0) else { return Ok(()) };
    let (dtype, out) = (Tensor::dtype(x), target.dtype());
    match kernel_name(args) {
        "take" if matches!(args.value(1), Value::Tensor(index) if index.dtype() != DType::I64) => Ok(()),
        "index_select" if !matches!(args.value(2), Value::Tensor(index) if index.ndim() < 2 && matches!(index.dtype(), DType::I32 | DType::I64)) => {
            Ok(())
        }
        "index_select" if x.ndim() == 0 && matches!(args.value(2), Value::Tensor(index) if index.numel() != 1) => Ok(()),
        "take_along_dim" => match args.value(1) {
            // An index of few bits is not taken, and `out` is looked at before that is said.
            Value::Tensor(index) if index.ndim() == x.ndim() && matches!(index.dtype(), DType::I16 | DType::I8 | DType::U8) => {
                check(args, dtype, target)
            }
            _ => Ok(()),
        },
        "diff" => check_line(args, x),
        "gather" | "index_select" => {
            wrap_dim(args.get(1)?, x.ndim())?;
            check(args, dtype, target)
        }
        "dot" | "vdot" => {
            exec::resize(target, &[])?;
            check(args, dtype, target)
        }
        "cholesky_inverse" if !matches!(x.sizes()[..], [.., rows, columns] if rows == columns) => Ok(()),
        "amax" | "amin" | "cholesky_inverse" | "cholesky_solve" | "take" => check(args, dtype, target),
        "linalg.cond" => check(args, dtype.to_real(), target),
        "narrow_copy" if dtype != out && x.ndim() > 0 => fault!(
            RuntimeError,
            "Expected self.dtype() == output.dtype() to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
        ),
        "logsumexp" if !(out.is_float() || out.is_complex()) => check(args, DType::F32, target),
        "nansum" if dtype.is_complex() => fault!(NotImplementedError, "nansum on CPU does not support complex inputs"),
        "isin"
            if args.any_tensor(|t| Tensor::dtype(t).is_complex() || Tensor::dtype(t) == DType::Bool)
                || args.values.iter().take(2).any(|value| matches!(value, Value::Bool(_) | Value::Complex(_))) =>
        {
            Ok(())
        }
        "isin" => check(args, DType::Bool, target),
        "nanmean" | "nansum" if dtype.is_integral(true) => Ok(()),
        "nanmean" | "nansum" => match args.values.last() {
            Some(Value::DType(asked)) if *asked != out && !asked.is_integral(true) => fault!(
                RuntimeError,
                "nansum: provided dtype must match dtype of result. Got {} and {}.",
                out.title(),
                asked.title()
            ),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Fails for differences along a line without elements, whose second one is asked for before it is looked how many there are.
fn check_line(args: &Args, x: &Tensor) -> Result<()> {
    let Value::Int(dim) = args.value(2) else { return Ok(()) };
    let is_empty = |t: &Tensor| wrap_dim(*dim, t.ndim()).is_ok_and(|dim| t.sizes().get(dim) == Some(&0));
    if matches!(args.value(1), Value::Int(1..)) && is_empty(x) && args.tensors().iter().all(is_empty) {
        fault!(IndexError, "start out of range (expected to be in range of [0, 0], but got 1)");
    }
    Ok(())
}

/// Fails where an `out` cannot take the size that a function is to make.
fn check_made(args: &Args, target: &Tensor) -> Result<()> {
    let name = args.op.name();
    if matches!(name, "empty" | "randn") && target.requires_grad() {
        fault!(RuntimeError, "cannot resize variables that require grad");
    }
    let asked = if name.ends_with("fftfreq") { args.named("dtype") } else { &Value::None };
    if let (Value::DType(asked), found) = (asked, target.dtype())
        && *asked != found
    {
        fault!(RuntimeError, "dtype {} does not match dtype of out parameter ({})", asked.title(), found.title());
    }
    let is_negative = |value: &Value| matches!(value, Value::Size(sizes) if sizes.iter().any(|size| *size < 0));
    if matches!(name, "full" | "normal" | "ones" | "rand" | "randint" | "randn" | "zeros") && args.values.iter().any(is_negative)
    {
        fault!(RuntimeError, "numel: integer multiplication overflow");
    }
    Ok(())
}

/// The dtype that `out` must have, for functions that look at it before they look whether sizes fit.
fn expected(args: &Args) -> Option<DType> {
    let of = |place| if let Value::Tensor(t) = args.value(place) { Some(Tensor::dtype(t)) } else { None };
    match args.op.name() {
        "complex" | "polar" => of(0).map(DType::to_complex),
        "float_power" if args.any_tensor(|t| Tensor::dtype(t).is_complex()) => Some(DType::C128),
        "float_power" => Some(DType::F64),
        "ldexp" => crate::dtype::promote(of(0)?, DType::F32),
        "heaviside" | "masked_select" | "nanquantile" | "quantile" | "renorm" => of(0),
        "isneginf" | "isposinf" | "signbit" => Some(DType::Bool),
        "addmm" => of(1),
        "where" => crate::dtype::promote(of(1)?, of(2)?),
        _ => None,
    }
}

/// The size that `out` has been given when a function finds that an index is not there, or other such things.
fn sized_before(args: &Args) -> Result<Option<Dims>> {
    let of = |place| if let Value::Tensor(t) = args.value(place) { Some(t.sizes()) } else { None };
    Ok(match args.op.name() {
        "gather" => of(2),
        "index_add" | "index_copy" | "scatter" | "scatter_add" | "scatter_reduce" => of(0),
        "index_select" => {
            let (x, dim, index): (Tensor, i64, Tensor) = args.take()?;
            let (dim, mut sizes) = (wrap_dim(dim, x.ndim())?, x.sizes());
            if let Some(size) = sizes.get_mut(dim) {
                *size = index.numel();
            }
            Some(sizes)
        }
        "bernoulli" => of(0),
        "take" => of(1),
        "normal" | "rand" | "randint" | "randn" => {
            args.values.iter().find_map(|value| if let Value::Size(size) = value { Some((**size).clone()) } else { None })
        }
        _ => None,
    })
}

/// True for what is said of an index that is not there, or of sizes by functions that make `out` before they look at them.
fn is_said_late(name: &str, fault: &Fault) -> bool {
    const OUTSIDE: [&str; 11] = [
        "is out of bounds for",
        "index out of range in self",
        "out of range: tried",
        "INDICES element",
        "self indexing axis",
        "random_ expects",
        "\"check_uniform_bounds\"",
        "\"normal_kernel_cpu\"",
        "normal expects std",
        "Expected p_in >= 0",
        "\"bernoulli_tensor_cpu_",
    ];
    let text = &fault.message;
    OUTSIDE.iter().any(|part| text.contains(part))
        || name == "gather" && (text.starts_with("Index tensor must") || text.starts_with("Size does not match"))
        || name == "index_copy" && text.starts_with("index_copy_(): ")
        || name == "scatter_reduce" && text.starts_with("reduce argument must")
}

/// Leaves `out` as PyTorch does when its elements cannot be computed, and gives the error back: it has its new size already.
fn resize_uncomputed(args: &Args, target: &Tensor) -> Result<()> {
    let operands = args.tensors();
    let Some(first) = operands.first() else { return Ok(()) };
    let sizes = operands.iter().map(Tensor::sizes).collect::<Vec<_>>();
    let joint = exec::broadcast(&sizes.iter().map(|s| s.as_slice()).collect::<Vec<_>>())?;
    let is_read = operands.iter().any(|t| t.same(target));
    if is_read && joint != target.sizes() {
        fault!(
            RuntimeError,
            "output with shape {:?} doesn't match the broadcast shape {:?}",
            target.sizes().as_slice(),
            joint.as_slice()
        );
    }
    let common = operands.iter().map(Tensor::dtype).try_fold(Tensor::dtype(first), crate::dtype::promote);
    let is_truth = matches!(args.op.form, Form::Map(map) if map.scalar.rule == Promotion::Truth);
    if let Some(common) = common.filter(|_| !is_truth && expected(args) != Some(DType::Bool)) {
        match is_weighed_by_number(args) {
            true => exec::require_cast(common, target.dtype())?,
            false => require_cast(args.op.name(), common, target.dtype())?,
        }
    }
    // A result of another dtype that is not computed by way of the table of kernels is made apart.
    let is_apart = args.op.name() == "floor_divide" && common != Some(target.dtype());
    if joint != target.sizes() && !is_apart {
        let layouts = operands.iter().map(Tensor::layout).collect::<Vec<_>>();
        lay(target, &output_layout(&joint, &layouts.iter().map(AsRef::as_ref).collect::<Vec<_>>()))?;
    }
    Ok(())
}

/// True for what is found out when the elements are computed.
pub fn is_late(fault: &Fault) -> bool {
    fault.message == "ZeroDivisionError"
        || fault.class == ErrorClass::NotImplementedError
            && fault.message.starts_with('"')
            && fault.message.contains("\" not implemented for '")
}

/// True for what is wrong with a factor, which functions of elements look at when they know the size of the result.
fn is_of_factor(fault: &Fault) -> bool {
    const BEGIN: [&str; 4] = [
        "For integral input tensors, argument alpha",
        "For non-complex input tensors, argument alpha",
        "Boolean alpha only supported",
        "value cannot be converted to type",
    ];
    BEGIN.iter().any(|begin| fault.message.starts_with(begin))
}

/// Functions of matrices that make `out` as large as the result before they find that there is none, and the argument whose sizes
/// it takes.
const SIZED_FIRST: &[(&str, usize)] =
    &[("inverse", 0), ("linalg.cholesky", 0), ("linalg.inv", 0), ("linalg.matrix_power", 0), ("linalg.solve", 1)];

/// Functions, other than those of elements, that look at the dtype of `out` before they find that nothing computes theirs, and the
/// argument whose dtype it must have.
const DTYPE_BEFORE: &[(&str, usize)] = &[
    ("addbmm", 1),
    ("addmm", 1),
    ("addmv", 1),
    ("baddbmm", 1),
    ("bmm", 0),
    ("chain_matmul", 0),
    ("cross", 0),
    ("index_reduce", 0),
    ("linalg.cholesky", 0),
    ("linalg.cholesky_ex", 0),
    ("linalg.cross", 0),
    ("linalg.det", 0),
    ("linalg.eigh", 0),
    ("linalg.eigvalsh", 0),
    ("linalg.ldl_factor", 0),
    ("linalg.ldl_factor_ex", 0),
    ("linalg.lu", 0),
    ("linalg.lu_factor", 0),
    ("linalg.lu_factor_ex", 0),
    ("linalg.lu_solve", 0),
    ("linalg.multi_dot", 0),
    ("linalg.qr", 0),
    ("linalg.solve", 0),
    ("linalg.solve_ex", 0),
    ("linalg.svd", 0),
    ("linalg.svdvals", 0),
    ("mm", 0),
    ("mv", 0),
    ("nn.functional.avg_pool2d", 0),
    ("nn.functional.avg_pool3d", 0),
    ("nn.functional.linear", 0),
    ("ormqr", 0),
    ("renorm", 0),
    ("scatter_reduce", 0),
];

/// The dtype that `out` must have, for functions that look at it before they find that nothing computes the result.
fn before_kernel(args: &Args, fault: &Fault) -> Option<DType> {
    let name = kernel_name(args);
    let place = DTYPE_BEFORE.binary_search_by_key(&name, |(known, _)| known).ok()?;
    let says_norm = name == "renorm" && fault.class == ErrorClass::NotImplementedError;
    if let ("mm" | "bmm", Value::Tensor(b)) = (name, args.value(1))
        && fault.message.starts_with("expected scalar type")
    {
        return Some(Tensor::dtype(b));
    }
    let is_mixed = name.ends_with("cross") && fault.message.starts_with("expected scalar type")
        || name.starts_with("addm") && is_of_factor(fault)
        || matches!(name, "mm" | "addmm") && fault.message.starts_with("expected m1 and m2 to have the same dtype");
    match args.value(DTYPE_BEFORE[place].1) {
        Value::Tensor(x) if says_norm || is_mixed || is_late(fault) => Some(Tensor::dtype(x)),
        listed if is_late(fault) => match listed.items()?.first() {
            Some(Value::Tensor(x)) => Some(Tensor::dtype(x)),
            _ => None,
        },
        _ => None,
    }
}

/// Leaves `out` as PyTorch does when the result cannot be computed, and gives the error, or what is wrong with `out` itself where
/// PyTorch looks at it first.
pub fn left_by_error(args: &Args, error: anyhow::Error) -> anyhow::Error {
    leave(args, &error).err().unwrap_or(error)
}

fn leave(args: &Args, error: &anyhow::Error) -> Result<()> {
    let Some(fault) = error.downcast_ref::<Fault>() else { return Ok(()) };
    let Value::Tensor(target) = &args.out else {
        let targets = args.out.items().unwrap_or_default();
        let Some(dtype) = before_kernel(args, fault) else { return Ok(()) };
        // The others may be of whole numbers.
        return match targets.first() {
            Some(Value::Tensor(first)) => look_at(args, Some(dtype), first),
            _ => Ok(()),
        };
    };
    let (name, rule) = (args.op.name(), Rule::of(args));
    let of_sizes = ["The size of tensor a", "Dimension out of range", "The expanded size of the tensor"];
    let of_sizes = of_sizes.iter().any(|begin| fault.message.starts_with(begin));
    if rule.is_elementwise {
        if of_sizes || is_late(fault) || rule.first == First::Sharing && fault.class == ErrorClass::RuntimeError {
            look_at(args, expected(args), target)?;
        }
        if is_late(fault) || is_of_factor(fault) {
            resize_uncomputed(args, target)?;
        }
        return Ok(());
    }
    if let (true, Some(dtype)) = (of_sizes, expected(args)) {
        look_at(args, Some(dtype), target)?;
    }
    if let Some(dtype) = before_kernel(args, fault) {
        look_at(args, Some(dtype), target)?;
    }
    if let (true, Some(sizes)) = (is_said_late(name, fault), sized_before(args)?) {
        // Random numbers are of the dtype of `out`.
        let dtype = if let Value::Tensor(x) = args.value(0) { Some(Tensor::dtype(x)) } else { None };
        look_at(args, dtype, target)?;
        exec::resize(target, &sizes)?;
        check_shared(args, target)?;
        check_copied(args, target)?;
        return Ok(());
    }
    let unsolved = fault.class == ErrorClass::LinAlgError;
    let like = SIZED_FIRST.iter().find(|(known, _)| unsolved && *known == name).map(|(_, place)| args.value(*place));
    if let Some(Value::Tensor(like)) = like {
        check(args, Tensor::dtype(like), target)?;
        exec::resize(target, &like.sizes())?;
    }
    Ok(())
}

/// Looks at what is looked at before a kernel is looked for, where a call would give this result.
pub fn look_before_kernel(args: &Args, result: &Value) -> Result<()> {
    match (&args.out, result) {
        // These are another function first, of whatever dtype.
        _ if args.inplace || matches!(args.op.name(), "inner" | "mean" | "tensordot") => Ok(()),
        (Value::Tensor(target), Value::Tensor(result)) => {
            resize_early(args, result, target)?;
            look_at(args, Some(Tensor::dtype(result)), target)?;
            // What computes it finds the room for it.
            exec::resize(target, &result.sizes())
        }
        (targets, results) => {
            let (Some(targets), Some(results)) = (targets.items(), results.sequence()) else { return Ok(()) };
            check_indices(args, &targets)?;
            targets.iter().zip(&results).try_for_each(|pair| match pair {
                (Value::Tensor(target), Value::Tensor(result)) => check_part(args, Tensor::dtype(result), target),
                _ => Ok(()),
            })
        }
    }
}

/// Looks at what is looked at before `out` takes another size: its dtype, where the result's is known, and what it shares.
pub fn look_at(args: &Args, result: Option<DType>, target: &Tensor) -> Result<()> {
    let check_dtype = || result.map_or(Ok(()), |dtype| check(args, dtype, target));
    match Rule::of(args).first {
        First::Sharing => check_shared(args, target).and_then(|()| check_dtype()),
        First::DType => check_dtype().and_then(|()| check_shared(args, target)),
        First::Size => check_dtype(),
    }
}
