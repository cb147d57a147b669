//! What `torch` itself has of the functions of networks where its parameters differ: nothing may be left out there, or a
//! reduction is a number.

use super::function;
use super::native::batch_norm;
use super::normalize::batch_back;
use super::usual::norms;
use crate::ops::Op;
use crate::ops::refusal::{ALL, kernel};

/// A loss whose `reduction` is a number: the function of this name with the number's word. Left out it is none at all.
macro_rules! counted {
    ($name:literal, $parameters:literal, $reduction:literal, $more:literal, $arguments:literal) => {
        counted!(
            $name,
            $parameters,
            $reduction,
            $more,
            text concat!("torch.nn.functional.", $name, "(", $arguments, ", reduction={1: 'mean', 2: 'sum'}.get(reduction, 'none'))")
        )
    };
    ($name:literal, $parameters:literal, $reduction:literal, $more:literal, text $text:expr) => {
        plain(
            concat!($name, "(", $parameters, ", int reduction", $reduction, $more, ") -> Tensor"),
            concat!("As `torch.nn.functional.", $name, "`, with 1 for the mean, 2 for the sum and 0 for neither."),
            $text,
        )
    };
}

/// What a loss that is written out here ends with.
macro_rules! reduced {
    ($($text:tt)+) => {
        concat!($($text)+, "\nloss.mean() if reduction == 1 else loss.sum() if reduction == 2 else loss")
    };
}

/// Noise for the elements of `input`, or for whole channels when `by` is `channel`.
macro_rules! noise {
    (element) => {
        "torch.empty_like(input, dtype=input.real.dtype if input.is_complex() else input.dtype).bernoulli_(1 - p)"
    };
    (channel) => {
        "torch.empty(list(input.shape)[:2] + [1] * (input.dim() - 2), dtype=input.real.dtype if input.is_complex() else input.dtype).bernoulli_(1 - p)"
    };
}

/// What the dropouts of whole channels ask of their input.
macro_rules! needs {
    (element) => {
        ""
    };
    (channel) => {
        "    if input.dim() < 2:\n        raise RuntimeError('Feature dropout requires at least 2 dimensions in the input')\n"
    };
}

/// A function of two values, as a new tensor or into the first.
macro_rules! made {
    (anew, $name:literal, $x:literal, $other:literal) => {
        concat!("torch.", $name, "(", $x, ", ", $other, ")")
    };
    (within, $name:literal, $x:literal, $other:literal) => {
        concat!($x, ".", $name, "_(", $other, ")")
    };
}

/// What a dropout makes of the input and the noise: what is left scaled up, or `alpha`, what is lost at the least value of `selu`, mean
/// and variance kept.
macro_rules! mixed {
    (scaled, $where:ident) => {
        concat!("    y = ", made!($where, "mul", "input", "noise.div_(1 - p)"))
    };
    (alpha, $where:ident) => {
        concat!(
            "    alpha = 1.7580993408473766
    a = 1.0 / math.sqrt((alpha * alpha * p + 1) * (1 - p))
    b = noise.add(-1).mul_(alpha * a).add_(alpha * a * p)
    y = ",
            made!($where, "mul", "input", "noise.mul_(a)"),
            "\n    y = ",
            made!($where, "add", "y", "b")
        )
    };
}

/// The text of a dropout by its noise, by what it makes of it and by where that is.
macro_rules! dropping {
    ($by:ident, $kind:ident, $where:ident) => {
        concat!(
            "if not 0 <= p <= 1:
    raise RuntimeError(f'dropout probability has to be between 0 and 1, but got {p:g}')
if not train or p == 0 or input.numel() == 0:
    y = input
elif p == 1:
    y = ",
            made!($where, "mul", "input", "torch.zeros((), dtype=input.dtype)"),
            "\nelse:\n",
            needs!($by),
            "    noise = ",
            noise!($by),
            "\n",
            mixed!($kind, $where),
            "\ny"
        )
    };
}

/// A dropout by its noise and by what it makes of it.
macro_rules! dropout {
    ($name:literal, $doc:literal, $by:ident, $kind:ident) => {
        plain(concat!($name, "(Tensor input, float p, bool train) -> Tensor"), $doc, dropping!($by, $kind, anew)).stepwise()
    };
}

/// The same into its input.
macro_rules! dropout_into {
    ($name:literal, $by:ident, $kind:ident) => {
        plain(
            concat!($name, "_(Tensor(a!) input, float p, bool train) -> Tensor(a!)"),
            concat!("As `", $name, "`, into the input."),
            dropping!($by, $kind, within),
        )
        .stepwise()
        // Where nothing is dropped nothing is written.
        .writes_leaves()
    };
}

/// `grid_sample` with numbers for its ways.
macro_rules! sampler {
    ($name:literal) => {
        plain(
            concat!($name, "(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor"),
            "As `torch.nn.functional.grid_sample`, with numbers for how elements are mixed and what lies outside.",
            "mode = ('bilinear', 'nearest', 'bicubic')[interpolation_mode]
torch.nn.functional.grid_sample(input, grid, mode, ('zeros', 'border', 'reflection')[padding_mode], align_corners)",
        )
        .stepwise()
    };
}

const fn plain(schema: &'static str, doc: &'static str, text: &'static str) -> Op {
    function(schema, doc, "", text)
}

rows![
    sampler!("grid_sampler"), sampler!("grid_sampler_2d"), sampler!("grid_sampler_3d"),
    plain("batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor",
        "As `torch.nn.functional.batch_norm`, with its parameters in another order.", concat!(batch_norm!(), "y")).usually(norms::batch_norm)
        .grads(&[
            ("input", batch_back!("input", "    g = grad if weight is None else grad * weight.view(along)\n    found = (g - g.mean(rest, True) - x * (g * x).mean(rest, True) if training else g) * scale")),
            ("weight", batch_back!("weight", "    found = (grad * x).sum(rest)")),
            ("bias", batch_back!("bias", "    found = grad.sum(rest)")),
        ]),
    plain("instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor",
        "As `torch.nn.functional.instance_norm`, with its parameters in another order.", INSTANCE).usually(norms::instance_norm),
    plain("group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enabled=True) -> Tensor",
        "As `torch.nn.functional.group_norm`.", "channels = input.size(1)
if num_groups == 0:
    raise RuntimeError('Expected num groups to be greater than 0, got 0')
if num_groups > 0 and channels % num_groups:
    raise RuntimeError(f'Expected number of channels in input to be divisible by num_groups, but got input of shape {list(input.shape)} and num_groups={num_groups}')
torch.nn.functional.group_norm(input, num_groups, weight, bias, eps)").stepwise(),
    plain("layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor",
        "As `torch.nn.functional.layer_norm`.", "torch.nn.functional.layer_norm(input, normalized_shape, weight, bias, eps)").stepwise(),
    plain("adaptive_max_pool1d(Tensor input, int[1] output_size) -> Tensor[]",
        "As `torch.nn.functional.adaptive_max_pool1d` with the places of the greatest elements, too.",
        "torch.nn.functional.adaptive_max_pool1d_with_indices(input, output_size)").stepwise(),
    plain("max_pool1d_with_indices(Tensor input, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> Tensor[]",
        "As `torch.nn.functional.max_pool1d` with the places of the greatest elements, too.",
        "torch.nn.functional.max_pool1d_with_indices(input, kernel_size, stride or None, padding, dilation, ceil_mode)").stepwise(),
    counted!("kl_div", "Tensor input, Tensor target", "=0", ", *, bool log_target=False", "input, target, log_target=log_target"),
    counted!("binary_cross_entropy_with_logits", "Tensor input, Tensor target, Tensor? weight=None, Tensor? pos_weight=None", "=0", "", text reduced!("logs = torch.nn.functional.logsigmoid(input)
if pos_weight is not None:
    logs.mul_((pos_weight - 1) * target + 1)
loss = (1 - target).mul_(input).sub_(logs)
if weight is not None:
    loss.mul_(weight)")).refuses(&[kernel(ALL, "log_sigmoid_cpu")]),
    counted!("cosine_embedding_loss", "Tensor input1, Tensor input2, Tensor target, float margin=0.0", "=0", "", "input1, input2, target, margin"),
    counted!("hinge_embedding_loss", "Tensor input, Tensor target, float margin=1.0", "=0", "", "input, target, margin"),
    counted!("margin_ranking_loss", "Tensor input1, Tensor input2, Tensor target, float margin=0.0", "=0", "", text reduced!("loss = (-target * (input1 - input2) + margin).clamp(min=0)")),
    counted!("poisson_nll_loss", "Tensor input, Tensor target, bool log_input, bool full, float eps", "", "", "input, target, log_input, full, eps=eps"),
    counted!("triplet_margin_loss", "Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float eps=1e-06, bool swap=False", "=0", "", text reduced!(triplet!())),
    plain("rrelu(Tensor input, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor",
        "As `torch.nn.functional.rrelu`.",
        "for name, bound in (('lower', lower), ('upper', upper)):
    if not math.isfinite(bound):
        raise RuntimeError(f'rrelu: {name} bound must be finite, got {bound:g}')
if lower > upper:
    raise RuntimeError('Lower bound should be less than or equal to the upper bound')
if not input.is_floating_point() or training and input.dtype == torch.float16:
    kernel = 'rrelu_with_noise_out_cpu' if training else 'leaky_relu_cpu'
    raise NotImplementedError(f'\"{kernel}\" not implemented for \\'{input.type()[6:-6]}\\'')
x = input.float() if input.dtype == torch.bfloat16 or input.dtype == torch.float16 else input
slope = torch.zeros_like(x).masked_scatter_(x <= 0, torch.empty(int((x <= 0).sum()), dtype=torch.float64).uniform_(lower, upper, generator=generator).to(x.dtype)) if training else (lower + upper) / 2
y = torch.where(x > 0, x, x * slope).to(input.dtype)
y.contiguous()"),
    plain("rrelu_(Tensor(a!) input, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor(a!)",
        "As `rrelu`, into the input.", "torch.nn.functional.rrelu(input, lower, upper, training, inplace=True) if generator is None else input.copy_(torch.rrelu(input, lower, upper, training, generator))").stepwise(),
    dropout!("dropout", "In training, zeroes elements with probability `p` and scales up the others.", element, scaled),
    plain("native_dropout(Tensor input, float p, bool? train) -> Tensor[]",
        "As `dropout`, with the mask of what was kept; `train=None` is training.", "if input.numel() == 0:
    y, mask = input, torch.empty_like(input)
elif train is None or train:
    mask = torch.empty_like(input, dtype=torch.bool).bernoulli_(1.0 - p)
    y = input.mul(mask).mul_(0.0 if p == 1 else 1.0 / (1.0 - p))
else:
    y, mask = input.clone(), torch.ones_like(input, dtype=torch.bool)
(y, mask)"),
    dropout!("feature_dropout", "As `dropout`, whole channels at once.", channel, scaled),
    dropout_into!("dropout", element, scaled),
    dropout_into!("feature_dropout", channel, scaled),
    dropout_into!("alpha_dropout", element, alpha),
    dropout_into!("feature_alpha_dropout", channel, alpha),
    dropout!("alpha_dropout", "A dropout for `selu`, which keeps mean and variance.", element, alpha),
    dropout!("feature_alpha_dropout", "As `alpha_dropout`, whole channels at once.", channel, alpha),
];

const INSTANCE: &str = "if not use_input_stats and (running_mean is None or running_var is None):
    raise RuntimeError('Expected running_mean and running_var to be defined when use_input_stats is false')
count, channels = input.size(0), input.size(1)
if (running_mean is None) != (running_var is None):
    for name, given in (('weight', weight), ('bias', bias)):
        if given is not None and given.numel() != channels:
            raise RuntimeError(f'{name} should contain {count * channels} elements not {count * given.numel()}')
    raise ValueError('running_mean and running_var must either both be None or neither be None')
each = lambda t: None if t is None else t.repeat(count)
fitting = lambda t: t if t is None or t.dtype == torch.float32 and input.dtype in (torch.float16, torch.bfloat16) else t.to(input.dtype)
mean, var = fitting(each(running_mean)), fitting(each(running_var))
y = torch.batch_norm(input.contiguous().view([1, count * channels] + list(input.shape)[2:]), each(weight), each(bias), mean, var, use_input_stats, momentum, eps, False)
if use_input_stats and running_mean is not None:
    running_mean.copy_(mean.detach().view(count, channels).mean(0))
    running_var.copy_(var.detach().view(count, channels).mean(0))
y.view(input.shape)";
