//! `torch.autocast`: inside it some operations are computed in a narrower dtype, and some in float32, whatever they are given.

use super::{OpSet, call_with};
use crate::dtype::DType;
use crate::settings;
use crate::tensor::Tensor;
use crate::value::{CallArgs, CallRef, Machine, Outcome, Value};
use std::cell::Cell;

thread_local! {
    /// True inside, so that others need not ask for the dtype.
    static IS_ON: Cell<bool> = const { Cell::new(false) };
}

/// What is computed in the narrower dtype.
#[rustfmt::skip] // a list
const NARROW: &[&str] = &[
    "__matmul__", "addbmm", "addmm", "addmv", "baddbmm", "bmm", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "einsum", "linalg.matmul", "linalg.multi_dot", "linalg.vecdot", "linear", "matmul", "mm", "mv", "nn.functional.conv1d",
    "nn.functional.conv2d", "nn.functional.conv3d", "nn.functional.conv_transpose1d", "nn.functional.conv_transpose2d",
    "nn.functional.conv_transpose3d", "nn.functional.linear", "nn.functional.scaled_dot_product_attention", "scaled_dot_product_attention",
];

/// What is computed in float32.
#[rustfmt::skip] // a list
const WIDE: &[&str] = &[
    "cdist", "cholesky", "cholesky_inverse", "cholesky_solve", "inverse", "linalg.cholesky", "linalg.cond", "linalg.det", "linalg.eigh",
    "linalg.inv", "linalg.matrix_rank", "linalg.qr", "linalg.solve", "linalg.svd", "lu_solve", "nanquantile",
    "nn.functional.adaptive_avg_pool3d", "nn.functional.avg_pool3d", "nn.functional.binary_cross_entropy",
    "nn.functional.binary_cross_entropy_with_logits", "nn.functional.cosine_embedding_loss", "nn.functional.cross_entropy",
    "nn.functional.ctc_loss", "nn.functional.grid_sample", "nn.functional.hinge_embedding_loss", "nn.functional.huber_loss",
    "nn.functional.kl_div", "nn.functional.l1_loss", "nn.functional.margin_ranking_loss", "nn.functional.max_pool3d",
    "nn.functional.mse_loss", "nn.functional.multi_margin_loss", "nn.functional.multilabel_margin_loss", "nn.functional.nll_loss",
    "nn.functional.poisson_nll_loss", "nn.functional.smooth_l1_loss", "nn.functional.soft_margin_loss",
    "nn.functional.triplet_margin_loss", "pinverse", "polar", "prod", "quantile", "stft", "trace", "view_as_complex",
];

/// True inside of `torch.autocast`.
#[inline]
pub fn is_on() -> bool {
    IS_ON.get()
}

/// Begins the narrower dtype, or ends it; gives the one before.
pub fn begin(dtype: Option<DType>) -> Option<DType> {
    IS_ON.set(dtype.is_some());
    settings::change(|s| std::mem::replace(&mut s.autocast, dtype))
}

/// The call in the dtype that the operation has here; what it is made of goes on outside. None for what keeps its own.
pub fn call(machine: &mut dyn Machine, set: &'static OpSet, method: bool, args: CallRef) -> Option<Outcome> {
    let narrow = settings::with(|s| s.autocast)?;
    let dtype = match set.name {
        _ if set.inplace || args.keyword.iter().any(|(name, _)| &**name == "out") => return None,
        name if NARROW.contains(&name) => narrow,
        name if WIDE.contains(&name) => DType::F32,
        _ => return None,
    };
    let outside = begin(None);
    let result = changed(machine, set, method, args, dtype);
    begin(outside);
    Some(result)
}

fn changed(machine: &mut dyn Machine, set: &'static OpSet, method: bool, args: CallRef, dtype: DType) -> Outcome {
    let positional = args.positional.iter().map(|value| cast(machine, value, dtype)).collect::<Outcome<_>>()?;
    let named = args.keyword.iter().map(|(name, value)| Ok((name.clone(), cast(machine, value, dtype)?)));
    let keyword = named.collect::<Outcome<_>>()?;
    call_with(machine, set, method, CallArgs { positional, keyword }.by_ref())
}

/// A tensor of floats of another width in the dtype, one by one in a list of them; anything else as it is.
fn cast(machine: &mut dyn Machine, value: &Value, dtype: DType) -> Outcome {
    let is_other = |t: &Tensor| matches!(t.dtype(), DType::F32 | DType::F16 | DType::BF16) && t.dtype() != dtype;
    Ok(match value {
        Value::Tensor(t) if is_other(t) => super::run::call_method(machine, "to", vec![value.clone(), Value::DType(dtype)])?,
        Value::List(items) => {
            Value::list(items.borrow().clone().iter().map(|item| cast(machine, item, dtype)).collect::<Outcome<_>>()?)
        }
        Value::Tuple(items) => Value::tuple(items.iter().map(|item| cast(machine, item, dtype)).collect::<Outcome<_>>()?),
        other => other.clone(),
    })
}
