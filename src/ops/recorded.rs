//! Under which name PyTorch records an operation: that of the node of its gradient, `grad_fn=<MulBackward0>`.

use super::OpSet;
use super::args::Args;
use crate::tensor::Tensor;
use crate::value::Value;

/// Compositions that PyTorch records by the last thing they do, or by another name.
#[rustfmt::skip] // one name a line
const RECORDED_AS: &[(&str, &str)] = &[
    ("H", "transpose"),
    ("T", "permute"),
    ("adaptive_avg_pool1d", "SqueezeBackward1"),
    ("adaptive_avg_pool2d", "AdaptiveAvgPool2DBackward0"),
    ("adaptive_max_pool1d", "SqueezeBackward1"),
    ("adaptive_max_pool2d", "AdaptiveMaxPool2DBackward0"),
    ("alpha_dropout", "add"),
    ("avg_pool1d", "SqueezeBackward1"),
    ("avg_pool2d", "AvgPool2DBackward0"),
    ("avg_pool3d", "AvgPool3DBackward0"),
    ("batch_norm", "native_batch_norm"),
    ("bilinear", "add"),
    ("chunk", "split"),
    ("contiguous", "clone"),
    ("conv1d", "convolution"),
    ("conv2d", "convolution"),
    ("conv3d", "convolution"),
    ("conv_transpose1d", "convolution"),
    ("conv_transpose2d", "convolution"),
    ("conv_transpose3d", "convolution"),
    ("cosine_embedding_loss", "mean"),
    ("cosine_similarity", "SumBackward1"),
    ("cross_entropy", "nll_loss"),
    ("ctc_loss", "mean"),
    ("det", "linalg_det"),
    ("diff", "sub"),
    ("dropout", "mul"),
    ("dropout1d", "mul"),
    ("dropout2d", "mul"),
    ("dropout3d", "mul"),
    ("einsum", "view"),
    ("flatten", "view"),
    ("fold", "Col2ImBackward0"),
    ("gaussian_nll_loss", "mean"),
    ("group_norm", "native_group_norm"),
    ("hinge_embedding_loss", "mean"),
    ("instance_norm", "view"),
    ("inverse", "LinalgInvExBackward0"),
    ("kl_div", "mean"),
    ("l1_loss", "mean"),
    ("layer_norm", "native_layer_norm"),
    ("linalg.inv", "LinalgInvExBackward0"),
    ("linalg.norm", "linalg_vector_norm"),
    ("local_response_norm", "div"),
    ("log1p", "Log1PBackward0"),
    ("logsigmoid", "log_sigmoid"),
    ("lp_pool1d", "pow"),
    ("lp_pool2d", "pow"),
    ("mH", "transpose"),
    ("mT", "transpose"),
    ("margin_ranking_loss", "mean"),
    ("max_pool1d", "SqueezeBackward1"),
    ("max_pool2d", "MaxPool2DWithIndicesBackward0"),
    ("max_pool3d", "MaxPool3DWithIndicesBackward0"),
    ("movedim", "permute"),
    ("multilabel_soft_margin_loss", "mean"),
    ("narrow", "slice"),
    ("norm", "linalg_vector_norm"),
    ("normalize", "div"),
    ("outer", "mul"),
    ("pad", "constant_pad_nd"),
    ("pairwise_distance", "NormBackward1"),
    ("poisson_nll_loss", "mean"),
    ("prelu", "prelu_kernel"),
    ("relu6", "hardtanh"),
    ("reshape", "view"),
    ("rms_norm", "mul"),
    ("rrelu", "rrelu_with_noise"),
    ("selu", "elu"),
    ("softmin", "softmax"),
    ("softsign", "div"),
    ("square", "pow"),
    ("take_along_dim", "gather"),
    ("tanhshrink", "sub"),
    ("triplet_margin_loss", "mean"),
    ("unflatten", "view"),
    ("unfold", "Im2ColBackward0"),
    ("view_as", "view"),
];

/// The last step of a product, by the dimensions of what is multiplied.
fn product_step(inputs: &[Tensor]) -> &'static str {
    let dims = |place: usize| inputs.get(place).map_or(0, Tensor::ndim);
    match (dims(0), dims(1), inputs.len()) {
        (2, 2, 3) => "AddmmBackward0",
        (3.., 2, 3) if !inputs.first().is_some_and(|x| x.layout().is_contiguous()) => "AddBackward0",
        (_, _, 3) => "UnsafeViewBackward0",
        (1, 1, _) => "DotBackward0",
        (2, 1, _) => "MvBackward0",
        (1, 2, _) => "SqueezeBackward4",
        (2, 2, _) => "MmBackward0",
        _ => "UnsafeViewBackward0",
    }
}

/// The name of what goes different ways by the form of its call.
fn by_form(name: &str, args: &Args, inputs: &[Tensor]) -> Option<&'static str> {
    let params = &args.op.schema().ok()?.params;
    let given = |wanted: &str| {
        params.iter().zip(&args.values).any(|(param, value)| param.name == wanted && !matches!(value, Value::None))
    };
    let is_tensor = |place: usize| matches!(args.values.get(place), Some(Value::Tensor(_)));
    Some(match (name, given("dim")) {
        ("sum", true) => "SumBackward1",
        ("mean", true) => "MeanBackward1",
        ("prod", true) => "ProdBackward1",
        ("median", true) => "MedianBackward1",
        ("squeeze", true) => "SqueezeBackward1",
        ("max", false) if inputs.len() == 1 => "MaxBackward1",
        ("min", false) if inputs.len() == 1 => "MinBackward1",
        ("pow", _) if !is_tensor(0) => "PowBackward2",
        ("pow", _) if is_tensor(1) => "PowBackward1",
        ("rsub", _) if inputs.len() == 1 => "RsubBackward1",
        ("clamp", _) if inputs.len() == 1 => "ClampBackward1",
        _ => return None,
    })
}

/// The name of what goes different ways by its `mode=` or by its target.
fn by_mode(name: &str, args: &Args, inputs: &[Tensor]) -> Option<String> {
    let mode = args.values.iter().find_map(|value| match value {
        Value::Str(mode) if !matches!(mode.as_str(), "mean" | "sum" | "none") => Some(mode.to_string()),
        _ => None,
    });
    let dims = inputs.first()?.ndim().saturating_sub(2);
    match (name, mode.as_deref()) {
        ("interpolate", Some(mode @ ("nearest" | "linear" | "bilinear" | "trilinear" | "bicubic"))) => {
            Some(format!("Upsample{}{}{dims}DBackward0", mode[..1].to_uppercase(), &mode[1..]))
        }
        ("pad", Some("reflect")) => Some(format!("ReflectionPad{}DBackward0", dims.max(1))),
        ("pad", Some("replicate")) => Some(format!("ReplicationPad{}DBackward0", dims.max(1))),
        ("cross_entropy", _) if inputs.get(1)?.dtype().is_float() => Some("DivBackward1".into()),
        _ => None,
    }
}

/// The name of a change of shape that copies when it must, or lies as no `view` may.
fn by_layout(name: &str, inputs: &[Tensor], result: &Tensor) -> Option<&'static str> {
    let of = inputs.first().filter(|_| matches!(name, "reshape" | "flatten" | "ravel" | "reshape_as"))?;
    match result.storage().ok()?.same(&of.storage().ok()?) {
        false => Some("UnsafeViewBackward0"),
        true if !of.layout().is_contiguous() => Some("ReshapeAliasBackward0"),
        true => None,
    }
}

/// `MulBackward0` for `mul`.
pub(super) fn backward_name(set: &OpSet, args: &Args, inputs: &[Tensor], result: &Tensor) -> String {
    let full = set.rows.first().map_or(set.name, |op| op.name());
    let name = full.strip_prefix("nn.functional.").unwrap_or(full);
    if let Some(found) = by_form(name, args, inputs) {
        return found.into();
    }
    if let Some(found) = by_layout(name, inputs, result) {
        return found.into();
    }
    if let Some(found) = by_mode(name, args, inputs) {
        return found;
    }
    if matches!(name, "matmul" | "linear") {
        return product_step(inputs).to_string();
    }
    // A method may have the name of a function of networks: `x.unfold(…)`.
    let is_network = full != name || !matches!(name, "unfold");
    let recorded = RECORDED_AS.iter().find(|(from, _)| *from == name && is_network).map_or(name, |(_, to)| to);
    if recorded.contains("Backward") {
        return recorded.to_string();
    }
    let words = recorded.replace('.', "_");
    let camel: String = words
        .split('_')
        .map(|w| {
            let mut letters = w.chars();
            letters.next().map_or(String::new(), |c| c.to_uppercase().collect::<String>() + letters.as_str())
        })
        .collect();
    format!("{camel}Backward0")
}
