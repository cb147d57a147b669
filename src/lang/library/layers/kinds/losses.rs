//! Losses and distances.

use super::{Kind, RANKED, TARGET, TRIPLET, called, named, nothing};
use crate::lang::library::construct::Settings;
use crate::lang::library::construct::Unless::{self, Bool, Float, Int, Required, Str};

/// A loss that takes how it is reduced and nothing else.
const fn loss(name: &'static str, run: &'static str) -> Kind {
    called(name, "loss", REDUCED, TARGET, run, nothing)
}

const REDUCED: Settings = &[("size_average", Unless::None), ("reduce", Unless::None), ("reduction", Str("mean"))];

const NLL: Settings = &[
    ("weight", Unless::None),
    ("size_average", Unless::None),
    ("ignore_index", Int(-100)),
    ("reduce", Unless::None),
    ("reduction", Str("mean")),
];

const DISTANT: Settings = &[("x1", Required), ("x2", Required)];

/// A linear layer whose results are the scores of classes.
const LINEAR_CROSS_ENTROPY: &str = "\
if weight is not None and weight.shape != (num_classes,):
    raise RuntimeError(f'expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}')
if label_smoothing < 0 or label_smoothing > 1.0:
    raise RuntimeError(f'expected label_smoothing to be in range [0, 1], got {label_smoothing}')
linear = torch.nn.Linear(in_features, math.prod(out_features, start=num_classes), bias=bias, device=device, dtype=dtype)
{'weight': weight, 'linear': linear}";

/// The rows.
pub(super) static KINDS: &[Kind] = &[
    loss("MSELoss", "torch.nn.functional.mse_loss(input, target, reduction=reduction)"),
    loss("L1Loss", "torch.nn.functional.l1_loss(input, target, reduction=reduction)"),
    called(
        "SmoothL1Loss",
        "loss",
        &[("size_average", Unless::None), ("reduce", Unless::None), ("reduction", Str("mean")), ("beta", Float(1.0))],
        TARGET,
        "torch.nn.functional.smooth_l1_loss(input, target, reduction=reduction, beta=beta)",
        nothing,
    ),
    called(
        "HuberLoss",
        "loss",
        &[("reduction", Str("mean")), ("delta", Float(1.0))],
        TARGET,
        "torch.nn.functional.huber_loss(input, target, reduction=reduction, delta=delta)",
        nothing,
    ),
    called(
        "KLDivLoss",
        "loss",
        &[("size_average", Unless::None), ("reduce", Unless::None), ("reduction", Str("mean")), ("log_target", Bool(false))],
        TARGET,
        "torch.nn.functional.kl_div(input, target, reduction=reduction, log_target=log_target)",
        nothing,
    ),
    called(
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
        TARGET,
        "torch.nn.functional.cross_entropy(input, target, weight=weight, ignore_index=ignore_index, reduction=reduction, label_smoothing=label_smoothing)",
        nothing,
    )
    .with_buffers(&["weight"], "[weight]"),
    called(
        "NLLLoss",
        "loss",
        NLL,
        TARGET,
        "torch.nn.functional.nll_loss(input, target, weight=weight, ignore_index=ignore_index, reduction=reduction)",
        nothing,
    )
    .with_buffers(&["weight"], "[weight]"),
    called(
        "NLLLoss2d",
        "loss",
        NLL,
        TARGET,
        "torch.nn.functional.nll_loss(input, target, weight=weight, ignore_index=ignore_index, reduction=reduction)",
        nothing,
    )
    .with_buffers(
        &["weight"],
        "\
torch._warn('`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.', True)
[weight]",
    ),
    called(
        "LinearCrossEntropyLoss",
        "loss",
        &[
            ("in_features", Required),
            ("num_classes", Required),
            ("out_features", Unless::Empty),
            ("bias", Bool(false)),
            ("device", Unless::None),
            ("dtype", Unless::None),
            ("reduction", Str("mean")),
            ("weight", Unless::None),
            ("ignore_index", Unless::None),
            ("label_smoothing", Float(0.0)),
            ("options", Unless::None),
        ],
        TARGET,
        "\
linear = self.linear
shape = [num_classes, *out_features]
offset = None if linear.bias is None else linear.bias.reshape(shape)
torch.nn.functional.linear_cross_entropy(input, linear.weight.reshape(shape + [in_features]), target, linear_bias=offset, weight=self.weight, reduction=reduction, ignore_index=ignore_index, label_smoothing=label_smoothing, options=options)",
        |s| {
            let first = named(s, &["in_features", "num_classes", "out_features", "bias"]);
            format!("{first}, {}", named(s, &["reduction", "ignore_index", "label_smoothing", "options"]))
        },
    )
    .with_buffers(&[], LINEAR_CROSS_ENTROPY),
    called(
        "BCELoss",
        "loss",
        &[("weight", Unless::None), ("size_average", Unless::None), ("reduce", Unless::None), ("reduction", Str("mean"))],
        TARGET,
        "torch.nn.functional.binary_cross_entropy(input, target, weight=weight, reduction=reduction)",
        nothing,
    )
    .with_buffers(&["weight"], "[weight]"),
    called(
        "BCEWithLogitsLoss",
        "loss",
        &[
            ("weight", Unless::None),
            ("size_average", Unless::None),
            ("reduce", Unless::None),
            ("reduction", Str("mean")),
            ("pos_weight", Unless::None),
        ],
        TARGET,
        "torch.nn.functional.binary_cross_entropy_with_logits(input, target, weight=weight, reduction=reduction, pos_weight=pos_weight)",
        nothing,
    )
    .with_buffers(&["weight", "pos_weight"], "[weight, pos_weight]"),
    called(
        "CosineSimilarity",
        "distance",
        &[("dim", Int(1)), ("eps", Float(1e-8))],
        DISTANT,
        "torch.nn.functional.cosine_similarity(x1, x2, dim, eps)",
        nothing,
    ),
    called(
        "PairwiseDistance",
        "distance",
        &[("p", Float(2.0)), ("eps", Float(1e-6)), ("keepdim", Bool(false))],
        DISTANT,
        "torch.nn.functional.pairwise_distance(x1, x2, p, eps, keepdim)",
        nothing,
    ),
    called(
        "HingeEmbeddingLoss",
        "loss",
        &[("margin", Float(1.0)), ("size_average", Unless::None), ("reduce", Unless::None), ("reduction", Str("mean"))],
        TARGET,
        "torch.nn.functional.hinge_embedding_loss(input, target, margin=margin, reduction=reduction)",
        nothing,
    ),
    called(
        "SoftMarginLoss",
        "loss",
        REDUCED,
        TARGET,
        "torch.nn.functional.soft_margin_loss(input, target, reduction=reduction)",
        nothing,
    ),
    called(
        "MultiLabelMarginLoss",
        "loss",
        REDUCED,
        TARGET,
        "torch.nn.functional.multilabel_margin_loss(input, target, reduction=reduction)",
        nothing,
    ),
    called(
        "MultiLabelSoftMarginLoss",
        "loss",
        &[("weight", Unless::None), ("size_average", Unless::None), ("reduce", Unless::None), ("reduction", Str("mean"))],
        TARGET,
        "torch.nn.functional.multilabel_soft_margin_loss(input, target, weight=weight, reduction=reduction)",
        nothing,
    )
    .with_buffers(&["weight"], "[weight]"),
    called(
        "MultiMarginLoss",
        "loss",
        &[
            ("p", Int(1)),
            ("margin", Float(1.0)),
            ("weight", Unless::None),
            ("size_average", Unless::None),
            ("reduce", Unless::None),
            ("reduction", Str("mean")),
        ],
        TARGET,
        "torch.nn.functional.multi_margin_loss(input, target, p=p, margin=margin, weight=weight, reduction=reduction)",
        nothing,
    )
    .with_buffers(&["weight"], "[weight]"),
    called(
        "PoissonNLLLoss",
        "loss",
        &[
            ("log_input", Bool(true)),
            ("full", Bool(false)),
            ("size_average", Unless::None),
            ("eps", Float(1e-8)),
            ("reduce", Unless::None),
            ("reduction", Str("mean")),
        ],
        TARGET,
        "torch.nn.functional.poisson_nll_loss(input, target, log_input=log_input, full=full, eps=eps, reduction=reduction)",
        nothing,
    ),
    called(
        "GaussianNLLLoss",
        "loss",
        &[("full", Bool(false)), ("eps", Float(1e-6)), ("reduction", Str("mean"))],
        &[("input", Required), ("target", Required), ("var", Required)],
        "torch.nn.functional.gaussian_nll_loss(input, target, var, full=full, eps=eps, reduction=reduction)",
        nothing,
    ),
    called(
        "MarginRankingLoss",
        "loss",
        &[("margin", Float(0.0)), ("size_average", Unless::None), ("reduce", Unless::None), ("reduction", Str("mean"))],
        RANKED,
        "torch.nn.functional.margin_ranking_loss(input1, input2, target, margin=margin, reduction=reduction)",
        nothing,
    ),
    called(
        "CosineEmbeddingLoss",
        "loss",
        &[("margin", Float(0.0)), ("size_average", Unless::None), ("reduce", Unless::None), ("reduction", Str("mean"))],
        RANKED,
        "torch.nn.functional.cosine_embedding_loss(input1, input2, target, margin=margin, reduction=reduction)",
        nothing,
    ),
    called(
        "TripletMarginLoss",
        "loss",
        &[
            ("margin", Float(1.0)),
            ("p", Float(2.0)),
            ("eps", Float(1e-6)),
            ("swap", Bool(false)),
            ("size_average", Unless::None),
            ("reduce", Unless::None),
            ("reduction", Str("mean")),
        ],
        TRIPLET,
        "torch.nn.functional.triplet_margin_loss(anchor, positive, negative, margin=margin, p=p, eps=eps, swap=swap, reduction=reduction)",
        nothing,
    ),
    called(
        "TripletMarginWithDistanceLoss",
        "loss",
        &[("distance_function", Unless::None), ("margin", Float(1.0)), ("swap", Bool(false)), ("reduction", Str("mean"))],
        TRIPLET,
        "torch.nn.functional.triplet_margin_with_distance_loss(anchor, positive, negative, distance_function=self.distance_function, margin=margin, swap=swap, reduction=reduction)",
        nothing,
    )
    .with_buffers(&[], "{'distance_function': torch.nn.PairwiseDistance() if distance_function is None else distance_function}"),
    called(
        "CTCLoss",
        "loss",
        &[("blank", Int(0)), ("reduction", Str("mean")), ("zero_infinity", Bool(false))],
        &[("log_probs", Required), ("targets", Required), ("input_lengths", Required), ("target_lengths", Required)],
        "torch.nn.functional.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)",
        nothing,
    ),
];
