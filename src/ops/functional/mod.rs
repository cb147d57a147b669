//! `torch.nn.functional`: the functions networks are made of, as text of the language.

pub mod activation;
pub mod attention;
pub mod convolution;
pub mod loss;
pub mod normalize;
pub mod plain;
pub mod pool;
pub mod resize;
pub mod rowwise;

use super::Form::Code;
use super::{Op, op};

/// Functions that stand in `torch` itself too.
pub const IN_TORCH: &[&str] = &[
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
    "group_norm",
    "hardshrink",
    "layer_norm",
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

/// A function of `torch.nn.functional`.
const fn function(schema: &'static str, doc: &'static str, example: &'static str, text: &'static str) -> Op {
    op(schema, doc, example, Code(text)).function_only().no_out()
}

/// A function of `torch.nn.functional` that takes `out=`, too.
const fn builtin(schema: &'static str, doc: &'static str, example: &'static str, text: &'static str) -> Op {
    op(schema, doc, example, Code(text)).function_only()
}
