//! Layers with parameters or buffers.

use super::{INPUT, Kind, PAIR, named, setting, text};
use crate::lang::library::construct::Settings;
use crate::lang::library::construct::Unless::{self, Bool, Float, Int, Required, Str};
use crate::lang::types::repr;
use crate::value::Value;

const NORM: Settings = &[
    ("num_features", Required),
    ("eps", Float(1e-5)),
    ("momentum", Float(0.1)),
    ("affine", Bool(true)),
    ("track_running_stats", Bool(true)),
    ("bias", Bool(true)),
];
pub(super) const WEIGHTS: &[&str] = &["weight", "bias"];
pub(super) const NORM_BUFFERS: &[&str] = &["running_mean", "running_var", "num_batches_tracked"];
const NORM_MAKE: &str = "\
weight = torch.nn.Parameter(torch.empty(num_features).fill_(1)) if affine else None
bias = torch.nn.Parameter(torch.zeros(num_features)) if affine and bias else None
stats = [torch.zeros(num_features), torch.ones(num_features), torch.tensor(0)] if track_running_stats else [None] * 3
[weight, bias, *stats]";
/// Refuses an input of other dimensions.
macro_rules! of_dims {
    ($words:literal, $dims:literal) => {
        concat!(
            "if input.dim() not in (",
            $dims,
            "):\n    raise ValueError(f'expected ",
            $words,
            " input (got {input.dim()}D input)')\n"
        )
    };
}

macro_rules! norm_run {
    () => {
        "\
if training and num_batches_tracked is not None:
    num_batches_tracked.add_(1)
factor = momentum
if momentum is None:
    factor = 1 / int(num_batches_tracked) if training and num_batches_tracked is not None else 0.0
torch.nn.functional.batch_norm(input, running_mean, running_var, weight, bias, training or running_mean is None, factor, eps)"
    };
}

fn norm_text(settings: &[(&'static str, Value)]) -> String {
    format!(
        "{}, {}",
        text(settings, "num_features"),
        named(settings, &["eps", "momentum", "affine", "bias", "track_running_stats"])
    )
}

const INSTANCE_NORM: Settings = &[
    ("num_features", Required),
    ("eps", Float(1e-5)),
    ("momentum", Float(0.1)),
    ("affine", Bool(false)),
    ("track_running_stats", Bool(false)),
    ("bias", Bool(true)),
];
const INSTANCE_MAKE: &str = "\
weights = [torch.nn.Parameter(torch.empty(num_features).fill_(1)), torch.nn.Parameter(torch.zeros(num_features)) if bias else None] if affine else [None] * 2
stats = [torch.zeros(num_features), torch.ones(num_features), torch.tensor(0)] if track_running_stats else [None] * 3
[*weights, *stats]";

/// With how many dimensions an input is no batch.
macro_rules! instance_run {
    ($words:literal, $dims:literal, $alone:literal) => {
        concat!(
            of_dims!($words, $dims),
            "\
is_alone = input.dim() == ",
            $alone,
            "
channels = 0 if is_alone else 1
if affine and input.size(channels) != num_features:
    raise ValueError(f\"expected input's size at dim={channels} to match num_features ({num_features}), but got: {input.size(channels)}.\")
batch = input.unsqueeze(0) if is_alone else input
y = torch.nn.functional.instance_norm(batch, running_mean, running_var, weight, bias, training or running_mean is None, 0.0 if momentum is None else momentum, eps)
y.squeeze(0) if is_alone else y"
        )
    };
}

pub(super) const CONV: Settings = &[
    ("in_channels", Required),
    ("out_channels", Required),
    ("kernel_size", Required),
    ("stride", Int(1)),
    ("padding", Int(0)),
    ("dilation", Int(1)),
    ("groups", Int(1)),
    ("bias", Bool(true)),
    ("padding_mode", Str("zeros")),
    ("device", Unless::None),
    ("dtype", Unless::None),
];
pub(super) const TURNED: Settings = &[
    ("in_channels", Required),
    ("out_channels", Required),
    ("kernel_size", Required),
    ("stride", Int(1)),
    ("padding", Int(0)),
    ("output_padding", Int(0)),
    ("groups", Int(1)),
    ("bias", Bool(true)),
    ("dilation", Int(1)),
    ("padding_mode", Str("zeros")),
];

const TURNED_INPUT: Settings = &[("input", Required), ("output_size", Unless::None)];

/// What a convolution makes.
const CONV_MAKE: &str = "\
weight = torch.nn.Parameter(torch.empty((out_channels, in_channels // groups, *kernel_size), dtype=dtype))
torch.nn.init.kaiming_uniform_(weight, a=math.sqrt(5))
cells = in_channels // groups * math.prod(kernel_size)
bound = 1 / math.sqrt(cells) if cells else 0
offset = torch.nn.init.uniform_(torch.nn.Parameter(torch.empty(out_channels, dtype=dtype)), -bound, bound) if bias else None
[weight, offset]";

/// What a turned convolution makes.
const TURNED_MAKE: &str = "\
weight = torch.nn.Parameter(torch.empty((in_channels, out_channels // groups, *kernel_size)))
torch.nn.init.kaiming_uniform_(weight, a=math.sqrt(5))
cells = out_channels // groups * math.prod(kernel_size)
bound = 1 / math.sqrt(cells) if cells else 0
offset = torch.nn.init.uniform_(torch.nn.Parameter(torch.empty(out_channels)), -bound, bound) if bias else None
[weight, offset]";

/// What a turned convolution computes; a size that is asked for says how much is added at the far ends.
macro_rules! turned_run {
    ($name:literal, $dims:literal) => {
        concat!(
            "more = output_padding
if output_size is not None:
    dims, size = ", $dims, ", output_size
    before = input.dim() - dims
    size = size[before:] if len(size) == input.dim() else size
    if len(size) != dims:
        raise ValueError(f'ConvTranspose{dims}D: for {input.dim()}D input, output_size must have {dims} or {input.dim()} elements (got {len(size)})')
    parts = zip(input.shape[before:], stride, padding, dilation, kernel_size)
    least = [(n - 1) * step - 2 * side + spread * (kernel - 1) + 1 for n, step, side, spread, kernel in parts]
    most = [n + step - 1 for n, step in zip(least, stride)]
    if not all(low <= n <= high for low, n, high in zip(least, size, most)):
        raise ValueError(f'requested an output size of {size}, but valid sizes range from {least} to {most} (for an input of {input.shape[2:]})')
    more = [n - low for n, low in zip(size, least)]
torch.nn.functional.", $name, "(input, weight, bias, stride, padding, more, groups, dilation)"
        )
    };
}

/// What a convolution computes; its input is padded first where that is not done with zeros.
macro_rules! conv_run {
    ($name:literal) => {
        concat!(
            "if padding_mode != 'zeros':\n",
            "    whole = [d * (k - 1) if padding == 'same' else 0 for d, k in zip(dilation, kernel_size)]\n",
            "    sides = [(n // 2, n - n // 2) for n in whole] if isinstance(padding, str) else [(n, n) for n in padding]\n",
            "    input = torch.nn.functional.pad(input, [n for side in reversed(sides) for n in side], mode=padding_mode)\n",
            "torch.nn.functional.",
            $name,
            "(input, weight, bias, stride, padding if padding_mode == 'zeros' else 0, dilation, groups)"
        )
    };
}

fn conv_text(settings: &[(&'static str, Value)]) -> String {
    let mut out = format!(
        "{}, {}, {}",
        text(settings, "in_channels"),
        text(settings, "out_channels"),
        named(settings, &["kernel_size", "stride"])
    );
    for (name, default) in [("padding", 0), ("dilation", 1), ("output_padding", 0)] {
        let is_usual = |value: &Value| matches!(value, Value::Tuple(sizes) if sizes.iter().all(|n| matches!(n, Value::Int(n) if *n == default)));
        if settings.iter().any(|(own, value)| *own == name && !is_usual(value)) {
            out += &format!(", {}", named(settings, &[name]));
        }
    }
    if !matches!(setting(settings, "groups"), Value::Int(1)) {
        out += &format!(", groups={}", text(settings, "groups"));
    }
    if !matches!(setting(settings, "bias"), Value::Bool(true)) {
        out += ", bias=False";
    }
    let mode = setting(settings, "padding_mode");
    if !matches!(mode, Value::None) && text(settings, "padding_mode") != "zeros" {
        out += &format!(", padding_mode={}", text(settings, "padding_mode"));
    }
    out
}

/// The rows.
pub(super) static KINDS: &[Kind] = &[
    Kind {
        name: "Linear",
        module: "linear",
        settings: &[
            ("in_features", Required),
            ("out_features", Required),
            ("bias", Bool(true)),
            ("device", Unless::None),
            ("dtype", Unless::None),
        ],
        takes: INPUT,
        holds: &["weight", "bias"],
        buffers: &[],
        make: "\
weight = torch.nn.Parameter(torch.empty((out_features, in_features), device=device, dtype=dtype))
torch.nn.init.kaiming_uniform_(weight, a=math.sqrt(5))
bound = 1 / math.sqrt(in_features) if in_features > 0 else 0
offset = torch.nn.Parameter(torch.empty(out_features, device=device, dtype=dtype)) if bias else None
offset = torch.nn.init.uniform_(offset, -bound, bound) if bias else None
[weight, offset]",
        run: "torch.nn.functional.linear(input, weight, bias)",
        shows: |s| named(s, &["in_features", "out_features", "bias"]),
    },
    Kind {
        name: "Embedding",
        module: "sparse",
        settings: &[
            ("num_embeddings", Required),
            ("embedding_dim", Required),
            ("padding_idx", Unless::None),
            ("max_norm", Unless::None),
            ("norm_type", Float(2.0)),
            ("scale_grad_by_freq", Bool(false)),
            ("sparse", Bool(false)),
            ("_weight", Unless::None),
            ("_freeze", Bool(false)),
        ],
        takes: INPUT,
        holds: &["weight"],
        buffers: &[],
        make: "\
if padding_idx is not None and (padding_idx >= num_embeddings if padding_idx > 0 else padding_idx < 0 and padding_idx < -num_embeddings):
    raise AssertionError('Padding_idx must be within num_embeddings')
if _weight is None:
    weight = torch.nn.Parameter(torch.empty((num_embeddings, embedding_dim)), requires_grad=not _freeze)
    torch.nn.init.normal_(weight)
else:
    weight = torch.nn.Parameter(_weight, requires_grad=not _freeze)
if padding_idx is not None and _weight is None:
    with torch.no_grad():
        weight[padding_idx].fill_(0)
[weight]",
        run: "\
if not isinstance(input, torch.Tensor) and max_norm is None:
    raise TypeError(f\"embedding(): argument 'indices' (position 2) must be Tensor, not {type(input).__name__}\")
input = input if max_norm is None else input.contiguous()
torch.nn.functional.embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)",
        shows: |s| shown(s, &["padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse"]),
    },
    Kind {
        name: "LayerNorm",
        module: "normalization",
        settings: &[
            ("normalized_shape", Required),
            ("eps", Float(1e-5)),
            ("elementwise_affine", Bool(true)),
            ("bias", Bool(true)),
        ],
        takes: INPUT,
        holds: &["weight", "bias"],
        buffers: &[],
        make: "\
size = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
weight = torch.nn.Parameter(torch.empty(size).fill_(1)) if elementwise_affine else None
[weight, torch.nn.Parameter(torch.zeros(normalized_shape)) if elementwise_affine and bias else None]",
        run: "\
torch.nn.functional.layer_norm(input, normalized_shape, weight, bias, eps)",
        shows: |s| format!("{}, {}", text(s, "normalized_shape"), named(s, &["eps", "elementwise_affine", "bias"])),
    },
    Kind {
        name: "BatchNorm1d",
        module: "batchnorm",
        settings: NORM,
        takes: INPUT,
        holds: WEIGHTS,
        buffers: NORM_BUFFERS,
        make: NORM_MAKE,
        run: concat!(of_dims!("2D or 3D", "2, 3"), norm_run!()),
        shows: norm_text,
    },
    Kind {
        name: "BatchNorm2d",
        module: "batchnorm",
        settings: NORM,
        takes: INPUT,
        holds: WEIGHTS,
        buffers: NORM_BUFFERS,
        make: NORM_MAKE,
        run: concat!(of_dims!("4D", "4,"), norm_run!()),
        shows: norm_text,
    },
    Kind {
        name: "Conv1d",
        module: "conv",
        settings: CONV,
        takes: INPUT,
        holds: &["weight", "bias"],
        buffers: &[],
        make: CONV_MAKE,
        run: conv_run!("conv1d"),
        shows: conv_text,
    },
    Kind {
        name: "Conv2d",
        module: "conv",
        settings: CONV,
        takes: INPUT,
        holds: &["weight", "bias"],
        buffers: &[],
        make: CONV_MAKE,
        run: conv_run!("conv2d"),
        shows: conv_text,
    },
    Kind {
        name: "Conv3d",
        module: "conv",
        settings: CONV,
        takes: INPUT,
        holds: WEIGHTS,
        buffers: &[],
        make: CONV_MAKE,
        run: conv_run!("conv3d"),
        shows: conv_text,
    },
    Kind {
        name: "ConvTranspose1d",
        module: "conv",
        settings: TURNED,
        takes: TURNED_INPUT,
        holds: WEIGHTS,
        buffers: &[],
        make: TURNED_MAKE,
        run: turned_run!("conv_transpose1d", "1"),
        shows: conv_text,
    },
    Kind {
        name: "ConvTranspose2d",
        module: "conv",
        settings: TURNED,
        takes: TURNED_INPUT,
        holds: WEIGHTS,
        buffers: &[],
        make: TURNED_MAKE,
        run: turned_run!("conv_transpose2d", "2"),
        shows: conv_text,
    },
    Kind {
        name: "ConvTranspose3d",
        module: "conv",
        settings: TURNED,
        takes: TURNED_INPUT,
        holds: WEIGHTS,
        buffers: &[],
        make: TURNED_MAKE,
        run: turned_run!("conv_transpose3d", "3"),
        shows: conv_text,
    },
    Kind {
        name: "BatchNorm3d",
        module: "batchnorm",
        settings: NORM,
        takes: INPUT,
        holds: WEIGHTS,
        buffers: NORM_BUFFERS,
        make: NORM_MAKE,
        run: concat!(of_dims!("5D", "5,"), norm_run!()),
        shows: norm_text,
    },
    Kind {
        name: "SyncBatchNorm",
        module: "batchnorm",
        settings: NORM,
        takes: INPUT,
        holds: WEIGHTS,
        buffers: NORM_BUFFERS,
        make: NORM_MAKE,
        run: norm_run!(),
        shows: norm_text,
    },
    Kind {
        name: "InstanceNorm1d",
        module: "instancenorm",
        settings: INSTANCE_NORM,
        takes: INPUT,
        holds: WEIGHTS,
        buffers: NORM_BUFFERS,
        make: INSTANCE_MAKE,
        run: instance_run!("2D or 3D", "2, 3", "2"),
        shows: |s| format!("{}, {}", text(s, "num_features"), named(s, &["eps", "momentum", "affine", "bias", "track_running_stats"])),
    },
    Kind {
        name: "InstanceNorm2d",
        module: "instancenorm",
        settings: INSTANCE_NORM,
        takes: INPUT,
        holds: WEIGHTS,
        buffers: NORM_BUFFERS,
        make: INSTANCE_MAKE,
        run: instance_run!("3D or 4D", "3, 4", "3"),
        shows: |s| format!("{}, {}", text(s, "num_features"), named(s, &["eps", "momentum", "affine", "bias", "track_running_stats"])),
    },
    Kind {
        name: "InstanceNorm3d",
        module: "instancenorm",
        settings: INSTANCE_NORM,
        takes: INPUT,
        holds: WEIGHTS,
        buffers: NORM_BUFFERS,
        make: INSTANCE_MAKE,
        run: instance_run!("4D or 5D", "4, 5", "4"),
        shows: |s| format!("{}, {}", text(s, "num_features"), named(s, &["eps", "momentum", "affine", "bias", "track_running_stats"])),
    },
    Kind {
        name: "GroupNorm",
        module: "normalization",
        settings: &[("num_groups", Required), ("num_channels", Required), ("eps", Float(1e-5)), ("affine", Bool(true)), ("bias", Bool(true))],
        takes: INPUT,
        holds: WEIGHTS,
        buffers: &[],
        make: "\
if num_channels % num_groups != 0:
    raise ValueError(f'num_channels ({num_channels}) must be divisible by num_groups ({num_groups})')
[torch.nn.Parameter(torch.empty(num_channels).fill_(1)), torch.nn.Parameter(torch.zeros(num_channels)) if bias else None] if affine else [None, None]",
        run: "torch.nn.functional.group_norm(input, num_groups, weight, bias, eps)",
        shows: |s| format!("{}, {}, {}", text(s, "num_groups"), text(s, "num_channels"), named(s, &["eps", "affine", "bias"])),
    },
    Kind {
        name: "RMSNorm",
        module: "normalization",
        settings: &[("normalized_shape", Required), ("eps", Unless::None), ("elementwise_affine", Bool(true))],
        takes: &[("x", Required)],
        holds: &["weight"],
        buffers: &[],
        make: "\
size = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
[torch.nn.Parameter(torch.empty(size).fill_(1)) if elementwise_affine else None]",
        run: "\
torch.nn.functional.rms_norm(x, normalized_shape, weight, eps)",
        shows: |s| format!("{}, {}", text(s, "normalized_shape"), named(s, &["eps", "elementwise_affine"])),
    },
    Kind {
        name: "PReLU",
        module: "activation",
        settings: &[("num_parameters", Int(1)), ("init", Float(0.25))],
        takes: INPUT,
        holds: &["weight"],
        buffers: &[],
        make: "[torch.nn.Parameter(torch.empty(num_parameters).fill_(init))]",
        run: "torch.nn.functional.prelu(input, weight)",
        shows: |s| named(s, &["num_parameters"]),
    },
    Kind {
        name: "Bilinear",
        module: "linear",
        settings: &[("in1_features", Required), ("in2_features", Required), ("out_features", Required), ("bias", Bool(true))],
        takes: PAIR,
        holds: WEIGHTS,
        buffers: &[],
        make: "\
weight = torch.nn.Parameter(torch.empty((out_features, in1_features, in2_features)))
if in1_features <= 0:
    raise ValueError(f'in1_features must be > 0, but got (in1_features={in1_features})')
bound = 1 / math.sqrt(in1_features)
torch.nn.init.uniform_(weight, -bound, bound)
[weight, torch.nn.init.uniform_(torch.nn.Parameter(torch.empty(out_features)), -bound, bound) if bias else None]",
        run: "torch.nn.functional.bilinear(input1, input2, weight, bias)",
        shows: |s| named(s, &["in1_features", "in2_features", "out_features", "bias"]),
    },
    Kind {
        name: "EmbeddingBag",
        module: "sparse",
        settings: &[
            ("num_embeddings", Required),
            ("embedding_dim", Required),
            ("max_norm", Unless::None),
            ("norm_type", Float(2.0)),
            ("scale_grad_by_freq", Bool(false)),
            ("mode", Str("mean")),
            ("sparse", Bool(false)),
            ("_weight", Unless::None),
            ("include_last_offset", Bool(false)),
            ("padding_idx", Unless::None),
        ],
        takes: &[("input", Required), ("offsets", Unless::None), ("per_sample_weights", Unless::None)],
        holds: &["weight"],
        buffers: &[],
        make: "\
if padding_idx is not None and (padding_idx >= num_embeddings if padding_idx > 0 else padding_idx < 0 and padding_idx < -num_embeddings):
    raise AssertionError('padding_idx must be within num_embeddings')
if _weight is not None and list(_weight.shape) != [num_embeddings, embedding_dim]:
    raise AssertionError('Shape of weight does not match num_embeddings and embedding_dim')
weight = torch.nn.Parameter(torch.empty((num_embeddings, embedding_dim)) if _weight is None else _weight)
if _weight is None:
    torch.nn.init.normal_(weight)
if padding_idx is not None and _weight is None:
    with torch.no_grad():
        weight[padding_idx].fill_(0)
[weight]",
        run: "torch.nn.functional.embedding_bag(input, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx)",
        shows: |s| {
            let mode = repr::repr(setting(s, "mode")).unwrap_or_default();
            let first = shown(s, &["max_norm", "norm_type", "scale_grad_by_freq"]);
            match setting(s, "padding_idx") {
                Value::None => format!("{first}, mode={mode}"),
                _ => format!("{first}, mode={mode}, {}", named(s, &["padding_idx"])),
            }
        },
    },
];

/// The sizes of a table of rows, and those of the settings that are not as usual.
fn shown(settings: &[(&'static str, Value)], names: &[&str]) -> String {
    let is_shown = |name: &&&str| match setting(settings, name) {
        Value::None | Value::Bool(false) => false,
        Value::Float(norm) => **name != "norm_type" || *norm != 2.0,
        _ => true,
    };
    let sizes = ["num_embeddings", "embedding_dim"].map(|name| text(settings, name));
    let more = names.iter().filter(is_shown).map(|name| named(settings, &[name]));
    sizes.into_iter().chain(more).collect::<Vec<_>>().join(", ")
}
