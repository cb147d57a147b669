//! Operations on sparse tensors that are done to the kept values alone.

use super::{coordinates, require_coo};
use crate::ops::{Args, OpSet};
use crate::tensor::{Sparse, SparseKind, Tensor};
use crate::value::Value;
use anyhow::Result;
use std::rc::Rc;

/// Operations that make zero of zero, and so work on the values alone.
#[rustfmt::skip] // in few lines
const BY_VALUE: &[&str] = &[
    "abs", "asin", "asinh", "atan", "atanh", "ceil", "deg2rad", "erf", "erfinv", "expm1", "floor", "frac", "isinf", "isnan",
    "isneginf", "isposinf", "log1p", "rad2deg", "relu", "round", "sgn", "sign", "signbit", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
];

/// As [`BY_VALUE`], of coordinates alone.
const BY_VALUE_OF_COORDINATES: &[&str] = &["floor_divide", "nan_to_num", "pow", "square"];

/// As [`BY_VALUE`], of compressed tensors alone.
#[rustfmt::skip] // in few lines
const BY_VALUE_OF_COMPRESSED: &[&str] =
    &["angle", "conj", "conj_physical", "fill_", "positive", "real", "resolve_conj", "resolve_neg"];

/// True for an operation that works on the values of such a tensor alone.
pub(super) fn is_by_value(name: &str, kind: SparseKind) -> bool {
    let others = if kind == SparseKind::Coo { BY_VALUE_OF_COORDINATES } else { BY_VALUE_OF_COMPRESSED };
    BY_VALUE.contains(&name) || others.contains(&name)
}

/// The values of a sparse tensor take its place among the arguments, where the operation needs no more; gives what they were
/// taken from. Values at one place are added before, but for negation, products with numbers and quotients.
pub fn take_values(set: &OpSet, args: &mut Args) -> Result<Option<Rc<Sparse>>> {
    let name = args.op.name();
    if let ("mul", [Value::Tensor(number), Value::Tensor(x)]) = (name, &args.values[..])
        && !number.is_sparse()
        && number.ndim() == 0
        && x.is_sparse()
    {
        args.values.swap(0, 1);
    }
    // A tensor without dimensions is a number.
    let takes_number = matches!(name, "mul" | "div" | "floor_divide");
    let by_number = args.tensors().iter().skip(1).all(|t| takes_number && !t.is_sparse() && t.ndim() == 0);
    let plain = !set.inplace && matches!(args.out, Value::None) && by_number;
    let Some(Value::Tensor(x)) = args.values.first().filter(|_| plain) else { return Ok(None) };
    let Some(mut sparse) = x.sparse() else { return Ok(None) };
    if sparse.kind != SparseKind::Coo && name == "div" {
        return Ok(None);
    }
    let is_rounded = name == "div" && matches!(args.values.get(2), Some(Value::Str(_)));
    let by_value = is_by_value(name, sparse.kind);
    if (by_value || is_rounded) && !sparse.coalesced {
        sparse = require_coo(&coordinates::coalesce(&sparse)?, name)?;
    } else if !by_value && !matches!(name, "mul" | "div" | "neg") {
        return Ok(None);
    }
    let has_places = name == "round" && !matches!(args.values.get(1), None | Some(Value::None | Value::Int(0)));
    if has_places {
        return Ok(None);
    }
    args.values[0] = sparse.values.clone().into();
    Ok(Some(sparse))
}

/// The same coordinates with other values.
pub fn with_values(sparse: &Sparse, values: Tensor) -> Value {
    let (dtype, Sparse { kind, sizes, indices, coalesced, .. }) = (values.dtype(), sparse);
    let again = Sparse { kind: *kind, sizes: sizes.clone(), indices: indices.clone(), values, coalesced: *coalesced };
    Tensor::from_form(dtype, crate::tensor::Form::Sparse(Rc::new(again))).into()
}
