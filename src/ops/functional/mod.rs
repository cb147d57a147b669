//! `torch.nn.functional`: the functions networks are made of, as text of the language.

/// What both triplet losses do, up to `loss`.
macro_rules! triplet {
    () => {
        "if not anchor.dim() == positive.dim() == negative.dim():
    raise RuntimeError(f'The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor {anchor.dim()}D, positive {positive.dim()}D, and negative {negative.dim()}D inputs')
near = torch.nn.functional.pairwise_distance(anchor, positive, p, eps)
far = torch.nn.functional.pairwise_distance(anchor, negative, p, eps)
far = torch.minimum(far, torch.nn.functional.pairwise_distance(positive, negative, p, eps)) if swap else far
loss = (margin + near - far).clamp(min=0)"
    };
}

pub mod activation;
pub mod attention;
pub mod bag;
pub mod bound;
pub mod bytes;
pub mod convolution;
pub mod corners;
pub mod curves;
pub mod fractional;
pub mod last_steps;
pub mod loss;
pub mod native;
pub mod normalize;
pub mod parts;
pub mod piecewise;
pub mod places;
pub mod plain;
pub mod pool;
pub mod recurrent;
pub mod resize;
pub mod rowwise;
pub mod usual;
mod windows;

use super::Form::{Code, Native};
use super::{Args, Op, op};
use crate::value::Value;
use anyhow::Result;

/// Functions that stand in `torch` itself too.
pub const IN_TORCH: &[&str] = &[
    "adaptive_avg_pool1d",
    "avg_pool1d",
    "bilinear",
    "celu",
    "celu_",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_similarity",
    "hardshrink",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "pairwise_distance",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "prelu",
    "rms_norm",
    "selu",
    "selu_",
    "threshold",
    "threshold_",
];

/// Those of them that are methods as well.
pub const METHODS: &[&str] = &["hardshrink", "prelu"];

/// A function of `torch.nn.functional`.
const fn function(schema: &'static str, doc: &'static str, example: &'static str, text: &'static str) -> Op {
    op(schema, doc, example, Code(text)).function_only().no_out()
}

/// A function of the language's own that texts call.
const fn function_of_calls(schema: &'static str, doc: &'static str, example: &'static str, f: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Native(f)).function_only().no_out().no_grad()
}

/// A function of `torch.nn.functional` that takes `out=`, too.
const fn builtin(schema: &'static str, doc: &'static str, example: &'static str, text: &'static str) -> Op {
    op(schema, doc, example, Code(text)).function_only()
}
