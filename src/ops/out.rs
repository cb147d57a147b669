//! Which dtypes `out=` may have.

use super::{Form, Op, exec};
use crate::dtype::DType;
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
    "add", "addcdiv", "addcmul", "block_diag", "cat", "clamp", "clamp_max", "clamp_min", "cumulative_trapezoid", "diff", "div", "dstack", "floor_divide",
    "fmax", "fmin", "fmod", "hstack", "isclose", "kron", "ldexp", "lerp", "logsumexp", "max", "maximum", "mean", "min", "minimum",
    "nanmean", "outer", "pow", "remainder", "square", "stack", "std", "sub", "var", "vstack", "xlogy", "logit", "rsqrt",
];

/// Functions that cast their result to whatever `out` is, or compute in its dtype.
const ANY: &[&str] =
    &["arange", "cumprod", "cumsum", "eye", "full", "linspace", "logspace", "ones", "prod", "range", "sum", "zeros"];

/// Fails with a `RuntimeError` when a result may not be written into an `out` of this dtype.
pub fn check(op: &Op, result: DType, out: DType) -> Result<()> {
    let name = op.name();
    let mapped = matches!(op.form, Form::Map(_));
    if result == out || ANY.contains(&name) {
        return Ok(());
    }
    if CASTS.contains(&name) || (mapped && !SAME.contains(&name)) {
        return exec::require_cast(result, out);
    }
    fault!(RuntimeError, "Expected out tensor to have dtype {}, but got {} instead", result.title(), out.title())
}
