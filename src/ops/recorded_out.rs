//! What is said of an `out=` whose elements would have to be recorded for a gradient.

use super::guard::refuse_leaf_write;
use super::{Args, NO_GRAD, OpSet};
use crate::settings;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// What PyTorch writes to `out=` by steps of its own, and does not refuse then.
#[rustfmt::skip] // a list of names
const UNREFUSED: &[&str] = &[
    "chain_matmul", "conj_physical", "diag", "floor_divide", "heaviside", "inner", "linalg.cond", "linalg.matrix_norm",
    "linalg.matrix_power", "linalg.norm", "log_softmax", "matrix_power", "nanquantile", "nuclear_norm", "quantile", "slice_scatter",
    "softmax", "special.ndtr", "take_along_dim", "tensordot",
];

/// Functions whose last step is a copy into `out=`, which must be no leaf then.
const COPIED: &[&str] = &["inner", "linalg.matrix_norm", "linalg.norm", "nanquantile", "quantile", "special.ndtr", "tensordot"];

/// Functions that PyTorch knows no derivative of.
#[rustfmt::skip] // in few lines
const UNDERIVED: &[&str] = &[
    "arange", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "conj_physical", "eye",
    "floor_divide", "full", "gcd", "heaviside", "lcm", "linspace", "log_softmax", "logspace", "ones", "rand", "randint", "randperm", "range",
    "slice_scatter", "softmax", "zeros",
];

/// Functions that another one is asked to write for.
#[rustfmt::skip] // in few lines
const SAID_BY: &[(&str, &str)] = &[
    ("chain_matmul", "mm"), ("column_stack", "cat"), ("cross", "linalg_cross"), ("diff", "sub"), ("dstack", "cat"), ("float_power", "pow"),
    ("ger", "mul"), ("hstack", "cat"), ("inverse", "linalg_inv_ex"), ("kron", "mul"), ("linalg.eigvalsh", "_linalg_eigh"),
    ("linalg.inv", "linalg_inv_ex"), ("linalg.matrix_power", "matmul"), ("linalg.multi_dot", "mm"), ("linalg.solve", "_linalg_solve_ex"),
    ("linalg.svdvals", "_linalg_svd"), ("matrix_power", "matmul"), ("msort", "sort"), ("nanmean", "nansum"), ("norm", "linalg_vector_norm"),
    ("outer", "mul"), ("special.expit", "sigmoid"), ("special.logit", "logit"), ("square", "pow"), ("take_along_dim", "gather"),
    ("vstack", "cat"),
];

/// Fails with a `RuntimeError` when what is written to `out=` would have to be recorded.
pub fn refuse_recorded(set: &OpSet, args: &Args) -> Result<()> {
    let underived = UNDERIVED.contains(&args.op.name());
    if args.op.has(NO_GRAD) && !underived {
        return Ok(());
    }
    let is_derived = set.rows.iter().any(|op| !op.gradients.is_empty());
    let takes = |t: &Tensor| is_derived || t.dtype().is_float() || t.dtype().is_complex();
    let first = args.out.sequence().and_then(|items| items.first().cloned()).unwrap_or_else(|| args.out.clone());
    let Value::Tensor(target) = &first else { return Ok(()) };
    let refused = takes(target) && !UNREFUSED.contains(&set.name) && !is_copy(set.name);
    let asks = args.any_tensor(Tensor::requires_grad) || (is_derived || underived) && target.requires_grad();
    match refused && asks && settings::with(|s| s.grad_enabled) {
        true => refuse_gradients(set, args),
        false => Ok(()),
    }
}

/// Fails with a `RuntimeError` when a result is to be written to what asks for a gradient.
pub fn refuse_target(set: &OpSet, args: &Args, target: &Tensor) -> Result<()> {
    if !target.requires_grad() || !settings::with(|s| s.grad_enabled) || args.op.has(NO_GRAD) {
        return Ok(());
    }
    match COPIED.contains(&args.op.name()) {
        true => refuse_leaf_write(target, None),
        false => refuse_gradients(set, args),
    }
}

/// True for what has the name of a view with `_copy` behind it.
fn is_copy(name: &str) -> bool {
    name.ends_with("_copy") && name != "index_copy"
}

fn refuse_gradients(set: &OpSet, args: &Args) -> Result<()> {
    let name = set.rows.first().map_or(set.name, |op| op.name());
    let said = match SAID_BY.iter().find(|(known, _)| *known == name) {
        Some((_, other)) => other.to_string(),
        None if name == "diag" && matches!(args.value(0), Value::Tensor(x) if x.ndim() == 1) => "aten::diag_embed".into(),
        None if name == "diag" => "aten::diagonal_copy".into(),
        None if UNDERIVED.contains(&name) || is_copy(name) => format!("aten::{name}"),
        None => name.replace('.', "_"),
    };
    fault!(
        RuntimeError,
        "{said}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad."
    )
}
