//! The table of layers: what each is made with, what it holds, what it computes, and how it is shown.

use crate::lang::types::repr;
use crate::value::Value;

/// What a setting is unless it is given.
#[derive(Clone, Copy)]
pub enum Unless {
    Required,
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(&'static str),
}

impl Unless {
    /// As a value; none where it must be given.
    pub fn value(self) -> Option<Value> {
        Some(match self {
            Unless::Required => return None,
            Unless::None => Value::None,
            Unless::Bool(flag) => Value::Bool(flag),
            Unless::Int(number) => Value::Int(number),
            Unless::Float(number) => Value::Float(number),
            Unless::Str(text) => Value::from(text),
        })
    }
}

type Settings = &'static [(&'static str, Unless)];
type Shows = fn(&[(&'static str, Value)]) -> String;

/// A kind of layer.
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// The module of `torch.nn.modules` it is from.
    pub module: &'static str,
    /// What it is made with, in order.
    pub settings: Settings,
    /// The names of its parameters and buffers.
    pub holds: &'static [&'static str],
    /// A text whose value is a list of these, from the settings.
    pub make: &'static str,
    /// A text whose value is the result, from the input, what it holds, its settings and `training`.
    pub run: &'static str,
    /// What it shows of its settings.
    pub shows: Shows,
}

impl Kind {
    /// The names of what it is called with.
    pub fn inputs(&self) -> &'static [&'static str] {
        if self.module == "loss" || self.module == "distance" { &["input", "target"] } else { &["input"] }
    }
}

use self::Unless::{Bool, Float, Int, Required, Str};

fn setting<'s>(settings: &'s [(&'static str, Value)], name: &str) -> &'s Value {
    settings.iter().find(|(own, _)| *own == name).map_or(&Value::None, |(_, value)| value)
}

fn text(settings: &[(&'static str, Value)], name: &str) -> String {
    repr::str(setting(settings, name)).unwrap_or_default()
}

/// `name=value` of these settings.
fn named(settings: &[(&'static str, Value)], names: &[&str]) -> String {
    names.iter().map(|name| format!("{name}={}", text(settings, name))).collect::<Vec<_>>().join(", ")
}

fn nothing(_: &[(&'static str, Value)]) -> String {
    String::new()
}

/// `inplace=True` behind the rest, when it is so.
fn inplace(settings: &[(&'static str, Value)], rest: String) -> String {
    match setting(settings, "inplace") {
        Value::Bool(true) if rest.is_empty() => "inplace=True".into(),
        Value::Bool(true) => format!("{rest}, inplace=True"),
        _ => rest,
    }
}

/// A layer without parameters.
const fn plain(name: &'static str, module: &'static str, settings: Settings, run: &'static str, shows: Shows) -> Kind {
    Kind { name, module, settings, holds: &[], make: "", run, shows }
}

/// A loss that takes how it is reduced and nothing else.
const fn loss(name: &'static str, run: &'static str) -> Kind {
    plain(name, "loss", REDUCED, run, nothing)
}

const REDUCED: Settings = &[("size_average", Unless::None), ("reduce", Unless::None), ("reduction", Str("mean"))];
const NORM: Settings = &[
    ("num_features", Required),
    ("eps", Float(1e-5)),
    ("momentum", Float(0.1)),
    ("affine", Bool(true)),
    ("track_running_stats", Bool(true)),
    ("bias", Bool(true)),
];
const NORM_HOLDS: &[&str] = &["weight", "bias", "running_mean", "running_var"];
const NORM_MAKE: &str = "\
weight = torch.nn.Parameter(torch.ones(num_features)) if affine else None
bias = torch.nn.Parameter(torch.zeros(num_features)) if affine and bias else None
[weight, bias, torch.zeros(num_features) if track_running_stats else None, torch.ones(num_features) if track_running_stats else None]";
const NORM_RUN: &str = "\
torch.nn.functional.batch_norm(input, running_mean, running_var, weight, bias, training or running_mean is None, momentum, eps)";

fn norm_text(settings: &[(&'static str, Value)]) -> String {
    format!(
        "{}, {}",
        text(settings, "num_features"),
        named(settings, &["eps", "momentum", "affine", "bias", "track_running_stats"])
    )
}

const CONV: Settings = &[
    ("in_channels", Required),
    ("out_channels", Required),
    ("kernel_size", Required),
    ("stride", Int(1)),
    ("padding", Int(0)),
    ("dilation", Int(1)),
    ("groups", Int(1)),
    ("bias", Bool(true)),
];

/// What a convolution makes, over so many dimensions.
macro_rules! conv_make {
    ($dims:literal) => {
        concat!(
            "size = (kernel_size,) * ",
            $dims,
            " if isinstance(kernel_size, int) else tuple(kernel_size)\n",
            "weight = torch.nn.Parameter(torch.empty(out_channels, in_channels // groups, *size))\n",
            "torch.nn.init.kaiming_uniform_(weight, a=math.sqrt(5))\n",
            "bound = 1 / math.sqrt(in_channels // groups * math.prod(size))\n",
            "offset = torch.nn.init.uniform_(torch.nn.Parameter(torch.empty(out_channels)), -bound, bound) if bias else None\n",
            "[weight, offset]"
        )
    };
}

/// A setting of a convolution, the same along each dimension unless several are given.
fn along(value: &Value, dims: usize) -> String {
    match value {
        Value::Int(n) if dims == 1 => format!("({n},)"),
        Value::Int(n) => format!("({})", vec![n.to_string(); dims].join(", ")),
        other => repr::repr(other).unwrap_or_default(),
    }
}

fn conv_text(settings: &[(&'static str, Value)], dims: usize) -> String {
    let of = |name: &str| along(setting(settings, name), dims);
    let mut out = format!(
        "{}, {}, kernel_size={}, stride={}",
        text(settings, "in_channels"),
        text(settings, "out_channels"),
        of("kernel_size"),
        of("stride")
    );
    for (name, default) in [("padding", 0), ("dilation", 1)] {
        if !matches!(setting(settings, name), Value::Int(n) if *n == default) {
            out += &format!(", {name}={}", of(name));
        }
    }
    if !matches!(setting(settings, "groups"), Value::Int(1)) {
        out += &format!(", groups={}", text(settings, "groups"));
    }
    if !matches!(setting(settings, "bias"), Value::Bool(true)) {
        out += ", bias=False";
    }
    out
}

fn pool_text(settings: &[(&'static str, Value)]) -> String {
    let stride = if matches!(setting(settings, "stride"), Value::None) { "kernel_size" } else { "stride" };
    format!(
        "kernel_size={}, stride={}, padding={}",
        text(settings, "kernel_size"),
        text(settings, stride),
        text(settings, "padding")
    )
}

const POOL: Settings = &[
    ("kernel_size", Required),
    ("stride", Unless::None),
    ("padding", Int(0)),
    ("dilation", Int(1)),
    ("return_indices", Bool(false)),
    ("ceil_mode", Bool(false)),
];
const MEANS: Settings = &[("kernel_size", Required), ("stride", Unless::None), ("padding", Int(0)), ("ceil_mode", Bool(false))];

fn max_pool_text(settings: &[(&'static str, Value)]) -> String {
    format!("{}, {}", pool_text(settings), named(settings, &["dilation", "ceil_mode"]))
}

/// Every kind.
pub static KINDS: &[Kind] = &[
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
        holds: &["weight", "bias"],
        make: "\
weight = torch.nn.Parameter(torch.empty(out_features, in_features, device=device, dtype=dtype))
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
        settings: &[("num_embeddings", Required), ("embedding_dim", Required), ("padding_idx", Unless::None)],
        holds: &["weight"],
        make: "\
weight = torch.nn.Parameter(torch.empty(num_embeddings, embedding_dim))
torch.nn.init.normal_(weight)
if padding_idx is not None:
    with torch.no_grad():
        weight[padding_idx].fill_(0)
[weight]",
        run: "torch.nn.functional.embedding(input, weight, padding_idx)",
        shows: |s| {
            let sizes = format!("{}, {}", text(s, "num_embeddings"), text(s, "embedding_dim"));
            match setting(s, "padding_idx") {
                Value::None => sizes,
                _ => format!("{sizes}, {}", named(s, &["padding_idx"])),
            }
        },
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
        holds: &["weight", "bias"],
        make: "\
sizes = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
weight = torch.nn.Parameter(torch.ones(sizes)) if elementwise_affine else None
[weight, torch.nn.Parameter(torch.zeros(sizes)) if elementwise_affine and bias else None]",
        run: "\
sizes = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
torch.nn.functional.layer_norm(input, sizes, weight, bias, eps)",
        shows: |s| {
            let shape = setting(s, "normalized_shape");
            format!("{}, {}", along(shape, 1), named(s, &["eps", "elementwise_affine", "bias"]))
        },
    },
    Kind {
        name: "BatchNorm1d",
        module: "batchnorm",
        settings: NORM,
        holds: NORM_HOLDS,
        make: NORM_MAKE,
        run: NORM_RUN,
        shows: norm_text,
    },
    Kind {
        name: "BatchNorm2d",
        module: "batchnorm",
        settings: NORM,
        holds: NORM_HOLDS,
        make: NORM_MAKE,
        run: NORM_RUN,
        shows: norm_text,
    },
    Kind {
        name: "Conv1d",
        module: "conv",
        settings: CONV,
        holds: &["weight", "bias"],
        make: conv_make!("1"),
        run: "torch.nn.functional.conv1d(input, weight, bias, stride, padding, dilation, groups)",
        shows: |s| conv_text(s, 1),
    },
    Kind {
        name: "Conv2d",
        module: "conv",
        settings: CONV,
        holds: &["weight", "bias"],
        make: conv_make!("2"),
        run: "torch.nn.functional.conv2d(input, weight, bias, stride, padding, dilation, groups)",
        shows: |s| conv_text(s, 2),
    },
    plain(
        "MaxPool1d",
        "pooling",
        POOL,
        "torch.nn.functional.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)",
        max_pool_text,
    ),
    plain(
        "MaxPool2d",
        "pooling",
        POOL,
        "torch.nn.functional.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)",
        max_pool_text,
    ),
    plain(
        "AvgPool2d",
        "pooling",
        MEANS,
        "torch.nn.functional.avg_pool2d(input, kernel_size, stride, padding, ceil_mode)",
        pool_text,
    ),
    plain(
        "AdaptiveAvgPool2d",
        "pooling",
        &[("output_size", Required)],
        "torch.nn.functional.adaptive_avg_pool2d(input, output_size)",
        |s| named(s, &["output_size"]),
    ),
    plain("Identity", "linear", &[], "input", nothing),
    plain("Flatten", "flatten", &[("start_dim", Int(1)), ("end_dim", Int(-1))], "input.flatten(start_dim, end_dim)", |s| {
        named(s, &["start_dim", "end_dim"])
    }),
    plain(
        "Dropout",
        "dropout",
        &[("p", Float(0.5)), ("inplace", Bool(false))],
        "torch.nn.functional.dropout(input, p, training, inplace)",
        |s| named(s, &["p", "inplace"]),
    ),
    plain("ReLU", "activation", &[("inplace", Bool(false))], "torch.nn.functional.relu(input, inplace)", |s| {
        inplace(s, String::new())
    }),
    plain("ReLU6", "activation", &[("inplace", Bool(false))], "torch.nn.functional.relu6(input, inplace)", |s| {
        inplace(s, String::new())
    }),
    plain("SiLU", "activation", &[("inplace", Bool(false))], "torch.nn.functional.silu(input, inplace)", |s| {
        inplace(s, String::new())
    }),
    plain(
        "LeakyReLU",
        "activation",
        &[("negative_slope", Float(0.01)), ("inplace", Bool(false))],
        "torch.nn.functional.leaky_relu(input, negative_slope, inplace)",
        |s| inplace(s, named(s, &["negative_slope"])),
    ),
    plain(
        "ELU",
        "activation",
        &[("alpha", Float(1.0)), ("inplace", Bool(false))],
        "torch.nn.functional.elu(input, alpha, inplace)",
        |s| inplace(s, named(s, &["alpha"])),
    ),
    plain(
        "GELU",
        "activation",
        &[("approximate", Str("none"))],
        "torch.nn.functional.gelu(input, approximate=approximate)",
        |s| format!("approximate={}", repr::repr(setting(s, "approximate")).unwrap_or_default()),
    ),
    plain("Sigmoid", "activation", &[], "torch.sigmoid(input)", nothing),
    plain("Tanh", "activation", &[], "torch.tanh(input)", nothing),
    plain(
        "Softplus",
        "activation",
        &[("beta", Float(1.0)), ("threshold", Float(20.0))],
        "torch.nn.functional.softplus(input, beta, threshold)",
        |s| named(s, &["beta", "threshold"]),
    ),
    plain("Softmax", "activation", &[("dim", Unless::None)], "torch.nn.functional.softmax(input, dim)", |s| named(s, &["dim"])),
    plain("LogSoftmax", "activation", &[("dim", Unless::None)], "torch.nn.functional.log_softmax(input, dim)", |s| {
        named(s, &["dim"])
    }),
    loss("MSELoss", "torch.nn.functional.mse_loss(input, target, reduction=reduction)"),
    loss("L1Loss", "torch.nn.functional.l1_loss(input, target, reduction=reduction)"),
    plain(
        "SmoothL1Loss",
        "loss",
        &[("size_average", Unless::None), ("reduce", Unless::None), ("reduction", Str("mean")), ("beta", Float(1.0))],
        "torch.nn.functional.smooth_l1_loss(input, target, reduction=reduction, beta=beta)",
        nothing,
    ),
    plain(
        "HuberLoss",
        "loss",
        &[("reduction", Str("mean")), ("delta", Float(1.0))],
        "torch.nn.functional.huber_loss(input, target, reduction=reduction, delta=delta)",
        nothing,
    ),
    plain(
        "KLDivLoss",
        "loss",
        &[("size_average", Unless::None), ("reduce", Unless::None), ("reduction", Str("mean")), ("log_target", Bool(false))],
        "torch.nn.functional.kl_div(input, target, reduction=reduction, log_target=log_target)",
        nothing,
    ),
    plain(
        "CrossEntropyLoss",
        "loss",
        &[
            ("weight", Unless::None),
            ("size_average", Unless::None),
            ("ignore_index", Int(-100)),
            ("reduce", Unless::None),
            ("reduction", Str("mean")),
            ("label_smoothing", Float(0.0)),
        ],
        "torch.nn.functional.cross_entropy(input, target, weight=weight, ignore_index=ignore_index, reduction=reduction, label_smoothing=label_smoothing)",
        nothing,
    ),
    plain(
        "NLLLoss",
        "loss",
        &[
            ("weight", Unless::None),
            ("size_average", Unless::None),
            ("ignore_index", Int(-100)),
            ("reduce", Unless::None),
            ("reduction", Str("mean")),
        ],
        "torch.nn.functional.nll_loss(input, target, weight=weight, ignore_index=ignore_index, reduction=reduction)",
        nothing,
    ),
    plain(
        "BCELoss",
        "loss",
        &[("weight", Unless::None), ("size_average", Unless::None), ("reduce", Unless::None), ("reduction", Str("mean"))],
        "torch.nn.functional.binary_cross_entropy(input, target, weight=weight, reduction=reduction)",
        nothing,
    ),
    plain(
        "BCEWithLogitsLoss",
        "loss",
        &[
            ("weight", Unless::None),
            ("size_average", Unless::None),
            ("reduce", Unless::None),
            ("reduction", Str("mean")),
            ("pos_weight", Unless::None),
        ],
        "torch.nn.functional.binary_cross_entropy_with_logits(input, target, weight=weight, reduction=reduction, pos_weight=pos_weight)",
        nothing,
    ),
    plain(
        "CosineSimilarity",
        "distance",
        &[("dim", Int(1)), ("eps", Float(1e-8))],
        "torch.nn.functional.cosine_similarity(input, target, dim, eps)",
        nothing,
    ),
];
