//! Layers without parameters: activations, pools, paddings and what only changes the size.

use super::{Kind, bare, inplace, named, nothing, setting, text};
use crate::lang::library::construct::Settings;
use crate::lang::library::construct::Unless::{self, Bool, Float, Int, Required, Str};
use crate::lang::types::repr;
use crate::value::Value;

/// What an enlarging layer shows: its factor or its size, and how it enlarges.
fn upsample_text(settings: &[(&'static str, Value)]) -> String {
    let mode = match setting(settings, "mode") {
        Value::None => "'nearest'".to_string(),
        mode => repr::repr(mode).unwrap_or_default(),
    };
    format!("{}, mode={mode}", factor_text(settings))
}

/// Its factor or its size.
fn factor_text(settings: &[(&'static str, Value)]) -> String {
    match setting(settings, "scale_factor") {
        Value::None => named(settings, &["size"]),
        Value::Int(factor) => format!("scale_factor={factor}.0"),
        _ => named(settings, &["scale_factor"]),
    }
}

fn pool_text(settings: &[(&'static str, Value)]) -> String {
    named(settings, &["kernel_size", "stride", "padding"])
}

const POOL: Settings = &[
    ("kernel_size", Required),
    ("stride", Unless::None),
    ("padding", Int(0)),
    ("dilation", Int(1)),
    ("return_indices", Bool(false)),
    ("ceil_mode", Bool(false)),
];
const MEANS: Settings = &[
    ("kernel_size", Required),
    ("stride", Unless::None),
    ("padding", Int(0)),
    ("ceil_mode", Bool(false)),
    ("count_include_pad", Bool(true)),
    ("divisor_override", Unless::None),
];

/// Of one dimension: all but a divisor.
const LINE_MEANS: Settings = MEANS.split_at(5).0;

fn max_pool_text(settings: &[(&'static str, Value)]) -> String {
    format!("{}, {}", pool_text(settings), named(settings, &["dilation", "ceil_mode"]))
}

/// What a padding with the other end computes, for an input of so many dimensions.
macro_rules! circular {
    ($least:literal, $most:literal, $sides:literal) => {
        concat!(
            "if input.dim() not in (",
            $least,
            ", ",
            $most,
            "):
    raise ValueError(f'expected ",
            $least,
            "D or ",
            $most,
            "D input (got {input.dim()}D input)')
torch.nn.functional.pad(input, [padding] * ",
            $sides,
            " if isinstance(padding, int) else padding, 'circular')"
        )
    };
}

/// The rows.
pub(super) static KINDS: &[Kind] = &[
    bare(
        "MaxPool1d",
        "pooling",
        POOL,
        "torch.nn.functional.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)",
        max_pool_text,
    ),
    bare(
        "MaxPool2d",
        "pooling",
        POOL,
        "torch.nn.functional.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)",
        max_pool_text,
    ),
    bare(
        "AvgPool2d",
        "pooling",
        MEANS,
        "torch.nn.functional.avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)",
        pool_text,
    ),
    bare(
        "AdaptiveAvgPool2d",
        "pooling",
        &[("output_size", Required)],
        "torch.nn.functional.adaptive_avg_pool2d(input, output_size)",
        |s| named(s, &["output_size"]),
    ),
    bare("Identity", "linear", &[], "input", nothing),
    bare("Flatten", "flatten", &[("start_dim", Int(1)), ("end_dim", Int(-1))], "input.flatten(start_dim, end_dim)", |s| {
        named(s, &["start_dim", "end_dim"])
    }),
    bare(
        "Dropout",
        "dropout",
        &[("p", Float(0.5)), ("inplace", Bool(false))],
        "torch.nn.functional.dropout(input, p, training, inplace)",
        |s| named(s, &["p", "inplace"]),
    ),
    bare("ReLU", "activation", &[("inplace", Bool(false))], "torch.nn.functional.relu(input, inplace)", |s| {
        inplace(s, String::new())
    }),
    bare("ReLU6", "activation", &[("inplace", Bool(false))], "torch.nn.functional.hardtanh(input, 0.0, 6.0, inplace)", |s| {
        inplace(s, String::new())
    }),
    bare("SiLU", "activation", &[("inplace", Bool(false))], "torch.nn.functional.silu(input, inplace)", |s| {
        inplace(s, String::new())
    }),
    bare(
        "LeakyReLU",
        "activation",
        &[("negative_slope", Float(0.01)), ("inplace", Bool(false))],
        "torch.nn.functional.leaky_relu(input, negative_slope, inplace)",
        |s| inplace(s, named(s, &["negative_slope"])),
    ),
    bare(
        "ELU",
        "activation",
        &[("alpha", Float(1.0)), ("inplace", Bool(false))],
        "torch.nn.functional.elu(input, alpha, inplace)",
        |s| inplace(s, named(s, &["alpha"])),
    ),
    bare(
        "GELU",
        "activation",
        &[("approximate", Str("none"))],
        "torch.nn.functional.gelu(input, approximate=approximate)",
        |s| format!("approximate={}", repr::repr(setting(s, "approximate")).unwrap_or_default()),
    ),
    bare("Sigmoid", "activation", &[], "torch.sigmoid(input)", nothing),
    bare("Tanh", "activation", &[], "torch.tanh(input)", nothing),
    bare(
        "Softplus",
        "activation",
        &[("beta", Float(1.0)), ("threshold", Float(20.0))],
        "torch.nn.functional.softplus(input, beta, threshold)",
        |s| named(s, &["beta", "threshold"]),
    ),
    bare("Softmax", "activation", &[("dim", Unless::None)], "torch.nn.functional.softmax(input, dim)", |s| named(s, &["dim"])),
    bare("LogSoftmax", "activation", &[("dim", Unless::None)], "torch.nn.functional.log_softmax(input, dim)", |s| {
        named(s, &["dim"])
    }),
    bare(
        "MaxPool3d",
        "pooling",
        POOL,
        "torch.nn.functional.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)",
        max_pool_text,
    ),
    bare(
        "AvgPool1d",
        "pooling",
        LINE_MEANS,
        "torch.nn.functional.avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad)",
        pool_text,
    ),
    bare(
        "AvgPool3d",
        "pooling",
        MEANS,
        "torch.nn.functional.avg_pool3d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)",
        pool_text,
    ),
    bare(
        "AdaptiveAvgPool1d",
        "pooling",
        &[("output_size", Required)],
        "torch.nn.functional.adaptive_avg_pool1d(input, output_size)",
        |s| named(s, &["output_size"]),
    ),
    bare(
        "AdaptiveAvgPool3d",
        "pooling",
        &[("output_size", Required)],
        "torch.nn.functional.adaptive_avg_pool3d(input, output_size)",
        |s| named(s, &["output_size"]),
    ),
    bare(
        "AdaptiveMaxPool1d",
        "pooling",
        &[("output_size", Required), ("return_indices", Bool(false))],
        "torch.nn.functional.adaptive_max_pool1d(input, output_size, return_indices)",
        |s| named(s, &["output_size"]),
    ),
    bare(
        "AdaptiveMaxPool2d",
        "pooling",
        &[("output_size", Required), ("return_indices", Bool(false))],
        "torch.nn.functional.adaptive_max_pool2d(input, output_size, return_indices)",
        |s| named(s, &["output_size"]),
    ),
    bare(
        "LPPool1d",
        "pooling",
        &[("norm_type", Required), ("kernel_size", Required), ("stride", Unless::None), ("ceil_mode", Bool(false))],
        "torch.nn.functional.lp_pool1d(input, float(norm_type), kernel_size, stride, ceil_mode)",
        |s| named(s, &["norm_type", "kernel_size", "stride", "ceil_mode"]),
    ),
    bare(
        "LPPool2d",
        "pooling",
        &[("norm_type", Required), ("kernel_size", Required), ("stride", Unless::None), ("ceil_mode", Bool(false))],
        "torch.nn.functional.lp_pool2d(input, float(norm_type), kernel_size, stride, ceil_mode)",
        |s| named(s, &["norm_type", "kernel_size", "stride", "ceil_mode"]),
    ),
    bare(
        "LocalResponseNorm",
        "normalization",
        &[("size", Required), ("alpha", Float(1e-4)), ("beta", Float(0.75)), ("k", Float(1.0))],
        "torch.nn.functional.local_response_norm(input, size, alpha, beta, k)",
        |s| format!("{}, {}", text(s, "size"), named(s, &["alpha", "beta", "k"])),
    ),
    bare(
        "Upsample",
        "upsampling",
        &[
            ("size", Unless::None),
            ("scale_factor", Unless::None),
            ("mode", Str("nearest")),
            ("align_corners", Unless::None),
            ("recompute_scale_factor", Unless::None),
        ],
        "torch.nn.functional.interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)",
        upsample_text,
    ),
    bare(
        "UpsamplingNearest2d",
        "upsampling",
        &[("size", Unless::None), ("scale_factor", Unless::None)],
        "torch.nn.functional.interpolate(input, size, scale_factor, 'nearest')",
        upsample_text,
    ),
    bare(
        "UpsamplingBilinear2d",
        "upsampling",
        &[("size", Unless::None), ("scale_factor", Unless::None)],
        "torch.nn.functional.interpolate(input, size, scale_factor, 'bilinear', align_corners=True)",
        |s| format!("{}, mode='bilinear'", factor_text(s)),
    ),
    bare(
        "PixelShuffle",
        "pixelshuffle",
        &[("upscale_factor", Required)],
        "torch.nn.functional.pixel_shuffle(input, upscale_factor)",
        |s| named(s, &["upscale_factor"]),
    ),
    bare(
        "PixelUnshuffle",
        "pixelshuffle",
        &[("downscale_factor", Required)],
        "torch.nn.functional.pixel_unshuffle(input, downscale_factor)",
        |s| named(s, &["downscale_factor"]),
    ),
    bare(
        "ChannelShuffle",
        "channelshuffle",
        &[("groups", Required)],
        "torch.nn.functional.channel_shuffle(input, groups)",
        |s| named(s, &["groups"]),
    ),
    bare(
        "Unfold",
        "fold",
        &[("kernel_size", Required), ("dilation", Int(1)), ("padding", Int(0)), ("stride", Int(1))],
        "torch.nn.functional.unfold(input, kernel_size, dilation, padding, stride)",
        |s| named(s, &["kernel_size", "dilation", "padding", "stride"]),
    ),
    bare(
        "Fold",
        "fold",
        &[("output_size", Required), ("kernel_size", Required), ("dilation", Int(1)), ("padding", Int(0)), ("stride", Int(1))],
        "torch.nn.functional.fold(input, output_size, kernel_size, dilation, padding, stride)",
        |s| named(s, &["output_size", "kernel_size", "dilation", "padding", "stride"]),
    ),
    bare(
        "ZeroPad1d",
        "padding",
        &[("padding", Required)],
        "torch.nn.functional.pad(input, [padding] * 2 if isinstance(padding, int) else padding, 'constant', 0.0)",
        |s| text(s, "padding"),
    ),
    bare(
        "ConstantPad1d",
        "padding",
        &[("padding", Required), ("value", Required)],
        "torch.nn.functional.pad(input, [padding] * 2 if isinstance(padding, int) else padding, 'constant', value)",
        |s| format!("padding={}, value={}", text(s, "padding"), text(s, "value")),
    ),
    bare(
        "ReflectionPad1d",
        "padding",
        &[("padding", Required)],
        "torch.nn.functional.pad(input, [padding] * 2 if isinstance(padding, int) else padding, 'reflect')",
        |s| text(s, "padding"),
    ),
    bare(
        "ReplicationPad1d",
        "padding",
        &[("padding", Required)],
        "torch.nn.functional.pad(input, [padding] * 2 if isinstance(padding, int) else padding, 'replicate')",
        |s| text(s, "padding"),
    ),
    bare("CircularPad1d", "padding", &[("padding", Required)], circular!("2", "3", "2"), |s| text(s, "padding")),
    bare(
        "ZeroPad2d",
        "padding",
        &[("padding", Required)],
        "torch.nn.functional.pad(input, [padding] * 4 if isinstance(padding, int) else padding, 'constant', 0.0)",
        |s| text(s, "padding"),
    ),
    bare(
        "ConstantPad2d",
        "padding",
        &[("padding", Required), ("value", Required)],
        "torch.nn.functional.pad(input, [padding] * 4 if isinstance(padding, int) else padding, 'constant', value)",
        |s| format!("padding={}, value={}", text(s, "padding"), text(s, "value")),
    ),
    bare(
        "ReflectionPad2d",
        "padding",
        &[("padding", Required)],
        "torch.nn.functional.pad(input, [padding] * 4 if isinstance(padding, int) else padding, 'reflect')",
        |s| text(s, "padding"),
    ),
    bare(
        "ReplicationPad2d",
        "padding",
        &[("padding", Required)],
        "torch.nn.functional.pad(input, [padding] * 4 if isinstance(padding, int) else padding, 'replicate')",
        |s| text(s, "padding"),
    ),
    bare("CircularPad2d", "padding", &[("padding", Required)], circular!("3", "4", "4"), |s| text(s, "padding")),
    bare(
        "ZeroPad3d",
        "padding",
        &[("padding", Required)],
        "torch.nn.functional.pad(input, [padding] * 6 if isinstance(padding, int) else padding, 'constant', 0.0)",
        |s| text(s, "padding"),
    ),
    bare(
        "ConstantPad3d",
        "padding",
        &[("padding", Required), ("value", Required)],
        "torch.nn.functional.pad(input, [padding] * 6 if isinstance(padding, int) else padding, 'constant', value)",
        |s| format!("padding={}, value={}", text(s, "padding"), text(s, "value")),
    ),
    bare(
        "ReflectionPad3d",
        "padding",
        &[("padding", Required)],
        "torch.nn.functional.pad(input, [padding] * 6 if isinstance(padding, int) else padding, 'reflect')",
        |s| text(s, "padding"),
    ),
    bare(
        "ReplicationPad3d",
        "padding",
        &[("padding", Required)],
        "torch.nn.functional.pad(input, [padding] * 6 if isinstance(padding, int) else padding, 'replicate')",
        |s| text(s, "padding"),
    ),
    bare("CircularPad3d", "padding", &[("padding", Required)], circular!("4", "5", "6"), |s| text(s, "padding")),
    bare(
        "Unflatten",
        "flatten",
        &[("dim", Required), ("unflattened_size", Required)],
        "input.unflatten(dim, unflattened_size)",
        |s| named(s, &["dim", "unflattened_size"]),
    ),
    bare(
        "Dropout1d",
        "dropout",
        &[("p", Float(0.5)), ("inplace", Bool(false))],
        "torch.nn.functional.dropout1d(input, p, training, inplace)",
        |s| named(s, &["p", "inplace"]),
    ),
    bare(
        "Dropout2d",
        "dropout",
        &[("p", Float(0.5)), ("inplace", Bool(false))],
        "torch.nn.functional.dropout2d(input, p, training, inplace)",
        |s| named(s, &["p", "inplace"]),
    ),
    bare(
        "Dropout3d",
        "dropout",
        &[("p", Float(0.5)), ("inplace", Bool(false))],
        "torch.nn.functional.dropout3d(input, p, training, inplace)",
        |s| named(s, &["p", "inplace"]),
    ),
    bare(
        "AlphaDropout",
        "dropout",
        &[("p", Float(0.5)), ("inplace", Bool(false))],
        "torch.nn.functional.alpha_dropout(input, p, training)",
        |s| named(s, &["p", "inplace"]),
    ),
    bare(
        "FeatureAlphaDropout",
        "dropout",
        &[("p", Float(0.5)), ("inplace", Bool(false))],
        "torch.nn.functional.feature_alpha_dropout(input, p, training)",
        |s| named(s, &["p", "inplace"]),
    ),
    bare("Mish", "activation", &[("inplace", Bool(false))], "torch.nn.functional.mish(input, inplace=inplace)", |s| {
        inplace(s, String::new())
    }),
    bare(
        "Hardswish",
        "activation",
        &[("inplace", Bool(false))],
        "torch.nn.functional.hardswish(input, inplace=inplace)",
        nothing,
    ),
    bare(
        "Hardsigmoid",
        "activation",
        &[("inplace", Bool(false))],
        "torch.nn.functional.hardsigmoid(input, inplace=inplace)",
        nothing,
    ),
    bare("SELU", "activation", &[("inplace", Bool(false))], "torch.nn.functional.selu(input, inplace=inplace)", |s| {
        inplace(s, String::new())
    }),
    bare(
        "CELU",
        "activation",
        &[("alpha", Float(1.0)), ("inplace", Bool(false))],
        "torch.nn.functional.celu(input, alpha, inplace)",
        |s| inplace(s, named(s, &["alpha"])),
    ),
    bare(
        "Hardtanh",
        "activation",
        &[("min_val", Float(-1.0)), ("max_val", Float(1.0)), ("inplace", Bool(false))],
        "torch.nn.functional.hardtanh(input, min_val, max_val, inplace)",
        |s| inplace(s, named(s, &["min_val", "max_val"])),
    ),
    bare(
        "RReLU",
        "activation",
        &[("lower", Float(0.125)), ("upper", Float(1.0 / 3.0)), ("inplace", Bool(false))],
        "torch.nn.functional.rrelu(input, lower, upper, training, inplace)",
        |s| inplace(s, named(s, &["lower", "upper"])),
    ),
    bare("GLU", "activation", &[("dim", Int(-1))], "torch.nn.functional.glu(input, dim)", |s| named(s, &["dim"])),
    bare("LogSigmoid", "activation", &[], "torch.nn.functional.logsigmoid(input)", nothing),
    bare("Tanhshrink", "activation", &[], "torch.nn.functional.tanhshrink(input)", nothing),
    bare("Softsign", "activation", &[], "torch.nn.functional.softsign(input)", nothing),
    bare("Softshrink", "activation", &[("lambd", Float(0.5))], "torch.nn.functional.softshrink(input, lambd)", |s| {
        text(s, "lambd")
    }),
    bare("Hardshrink", "activation", &[("lambd", Float(0.5))], "torch.nn.functional.hardshrink(input, lambd)", |s| {
        text(s, "lambd")
    }),
    bare(
        "Threshold",
        "activation",
        &[("threshold", Required), ("value", Required), ("inplace", Bool(false))],
        "torch.nn.functional.threshold(input, threshold, value, inplace)",
        |s| inplace(s, named(s, &["threshold", "value"])),
    ),
    bare("Softmin", "activation", &[("dim", Unless::None)], "torch.nn.functional.softmin(input, dim)", |s| named(s, &["dim"])),
    bare(
        "Softmax2d",
        "activation",
        &[],
        "if input.dim() not in (3, 4):
    raise ValueError(f'Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead')
torch.nn.functional.softmax(input, -3)",
        nothing,
    ),
];
