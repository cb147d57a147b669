//! The names of what computes gradients, as tensors are shown with that have a history of their own: `create_graph=True`.
//!
//! Rules are written in steps; where PyTorch has one operation for them, or other steps, the last one is named after those.

use super::graph::{self, Edge, Node, Saved};
use crate::tensor::{Recorded, Tensor};

/// What a gradient is computed by, by the node it goes through, or by the row of that where a node has the name of a last step.
#[rustfmt::skip] // in few lines
const NAMES: &[(&str, &str)] = &[
    ("nn.functional.cross_entropy", "LogSoftmaxBackwardDataBackward0"),
    ("nn.functional.softplus", "SoftplusBackwardBackward0"),
    ("CeluBackward0", "EluBackwardBackward0"), ("EluBackward0", "EluBackwardBackward0"), ("GeluBackward0", "GeluBackwardBackward0"),
    ("GluBackward0", "GluBackwardBackward0"), ("HardshrinkBackward0", "HardshrinkBackwardBackward0"),
    ("HardsigmoidBackward0", "NotImplemented"), ("HardswishBackward0", "HardswishBackwardBackward0"),
    ("HardtanhBackward0", "HardtanhBackwardBackward0"), ("LeakyReluBackward0", "LeakyReluBackwardBackward0"),
    ("LogSigmoidBackward0", "LogSigmoidBackwardBackward0"), ("PreluKernelBackward0", "PreluKernelBackwardBackward0"),
    ("ReluBackward0", "ThresholdBackwardBackward0"), ("SeluBackward0", "EluBackwardBackward0"),
    ("SigmoidBackward0", "SigmoidBackwardBackward0"), ("SoftplusBackward0", "SoftplusBackwardBackward0"),
    ("SoftshrinkBackward0", "SoftshrinkBackwardBackward0"), ("TanhBackward0", "TanhBackwardBackward0"),
    ("ThresholdBackward0", "ThresholdBackwardBackward0"),
    ("BinaryCrossEntropyBackward0", "BinaryCrossEntropyBackwardBackward0"), ("HuberLossBackward0", "HuberLossBackwardBackward0"), ("MseLossBackward0", "MseLossBackwardBackward0"),
    ("SmoothL1LossBackward0", "SmoothL1LossBackwardBackward0"),
    ("EmbeddingBackward0", "EmbeddingDenseBackwardBackward0"), ("LogSoftmaxBackward0", "LogSoftmaxBackwardDataBackward0"),
    ("NativeBatchNormBackward0", "NativeBatchNormBackwardBackward0"), ("NativeLayerNormBackward0", "NativeLayerNormBackwardBackward0"),
    ("SoftmaxBackward0", "SoftmaxBackwardDataBackward0"),
    ("DiagonalBackward0", "DiagonalBackwardBackward0"), ("IndexBackward0", "IndexPutImplBackward0"),
    ("PermuteBackward0", "PermuteBackward0"), ("SelectBackward0", "SelectBackwardBackward0"), ("SliceBackward0", "SliceBackwardBackward0"),
    ("UnfoldBackward0", "UnfoldBackwardBackward0"), ("UnsqueezeBackward0", "SqueezeBackward1"), ("CopySlices", "CopySlices"),
    ("ConstantPadNdBackward0", "ConstantPadNdBackward0"), ("RepeatBackward0", "SumBackward1"), ("StackBackward0", "SelectBackward0"),
    ("KthvalueBackward0", "ScatterBackward0"), ("MaxBackward0", "ScatterBackward0"), ("MinBackward0", "ScatterBackward0"),
    ("SortBackward0", "ScatterBackward0"), ("TopkBackward0", "ScatterBackward0"),
    ("Exp2Backward0", "MulBackward1"), ("HypotBackward0", "DivBackward0"), ("LogcumsumexpBackward0", "SubBackward0"),
    ("MaximumBackward0", "MaskedFillBackward0"), ("MinimumBackward0", "MaskedFillBackward0"), ("MeanBackward0", "DivBackward1"),
    ("MeanBackward1", "DivBackward1"), ("PowBackward2", "MulBackward0"), ("ProdBackward0", "MulBackward0"),
    ("SincBackward0", "WhereBackward0"), ("ConvolutionBackward0", "ConvolutionBackwardBackward0"),
    ("MishBackward0", "MulBackward0"), ("SiluBackward0", "MulBackward0"),
];

/// Nodes of sums whose terms have a scale each, a number.
const WITH_SCALES: [&str; 7] =
    ["AddBackward0", "AddbmmBackward0", "AddmmBackward0", "AddmvBackward0", "AddrBackward0", "BaddbmmBackward0", "SubBackward0"];

/// The gradient as made by what PyTorch computes it by, where that has another name than the last step of the rule. What is handed
/// on as it came keeps its name.
pub fn named(node: &Node, edge: &Edge, grad: Tensor, came: &[Option<Tensor>]) -> Tensor {
    if came.iter().flatten().any(|came| came.same(&grad)) {
        return grad;
    }
    let row = match &*node.saved.borrow() {
        Some(Saved::Call(call)) => call.op.name(),
        _ => "",
    };
    let known = |key: &str| NAMES.iter().find(|(name, _)| *name == key).map(|(_, slope)| *slope);
    let name = match node.name() {
        "ExpandBackward0" => Some(of_repeated(grad.ndim(), edge)),
        "PowBackward1" => (edge.param == 1).then_some("MulBackward0"),
        name if WITH_SCALES.contains(&name) && grad.grad().name() == Some("MulBackward0") => Some("MulBackward1"),
        name => known(row).or_else(|| known(name)),
    };
    match name {
        Some(name) if grad.grad().name().is_some_and(|own| own != name) => graph::renamed(&grad, name),
        _ => grad,
    }
}

/// What adds up a gradient of repeated elements.
fn of_repeated(dims: usize, edge: &Edge) -> &'static str {
    if dims > edge.like.ndim() { "ViewBackward0" } else { "SumBackward1" }
}
