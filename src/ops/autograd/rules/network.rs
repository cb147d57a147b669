//! Functions of networks.

use super::{Rule, of};

/// What every gradient of a normalised layer looks at.
macro_rules! normal {
    () => {
        "dims = list(range(input.ndim - len(normalized_shape), input.ndim))\nmean = input.mean(dims, True)\nscale = (((input - mean) ** 2).mean(dims, True) + eps).rsqrt()\nx = (input - mean) * scale\n"
    };
}

/// How the windows of a convolution lie.
macro_rules! conv {
    () => {
        "pair = lambda n: (n, n) if isinstance(n, int) else (tuple(n) * 2 if len(n) == 1 else tuple(n))\nif isinstance(padding, str) or input.ndim != 4:\n    raise NotImplementedError('tsr has the gradient of conv2d for batches with padding in numbers only')\nhow = dict(dilation=pair(dilation), padding=pair(padding), stride=pair(stride))\n"
    };
}

macro_rules! smooth_l1 {
    () => {
        "d = input - target\nfound = grad * (torch.where(d.abs() < beta, d / beta, d.sgn()) if beta else d.sgn())\n"
    };
}

#[rustfmt::skip] // one rule a line
pub(super) const RULES: &[Rule] = &[
    of("nn.functional.relu", "input", "torch.where(result > 0, grad, 0.)"),
    of("nn.functional.leaky_relu", "input", "torch.where(input > 0, grad, grad * negative_slope)"),
    of("nn.functional.elu", "input", "torch.where(input > 0, grad, grad * alpha * input.exp())"),
    of("nn.functional.silu", "input", "s = input.sigmoid()\ngrad * (s * (1 + input * (1 - s)))"),
    of("nn.functional._silu", "input", "s = input.sigmoid()\ngrad * (s * (1 + input * (1 - s)))"),
    of("nn.functional.gelu", "input", GELU),
    of("nn.functional.softplus", "input", "torch.where(input * beta > threshold, grad, grad * (input * beta).sigmoid())"),
    of("nn.functional.logsigmoid", "input", "grad * (-input).sigmoid()"),
    of("nn.functional.hardtanh", "input", "torch.where((input > min_val) & (input < max_val), grad, 0.)"),
    of("nn.functional.relu6", "input", "torch.where((input > 0) & (input < 6), grad, 0.)"),
    of("nn.functional.mish", "input", "t = torch.nn.functional.softplus(input).tanh()\ngrad * (t + input * input.sigmoid() * (1 - t * t))"),
    of("nn.functional.hardsigmoid", "input", "torch.where((input > -3) & (input < 3), grad / 6, 0.)"),
    of("nn.functional.hardswish", "input", "torch.where(input <= -3, 0., torch.where(input < 3, grad * (input / 3 + 0.5), grad))"),
    of("nn.functional.prelu", "input", "torch.where(input > 0, grad, grad * (weight.reshape([-1 if k == 1 else 1 for k in range(input.ndim)]) if weight.numel() > 1 else weight))"),
    of("nn.functional.prelu", "weight", "part = torch.where(input > 0, 0., grad * input)\npart.sum([k for k in range(part.ndim) if k != 1]) if weight.numel() > 1 else part.sum()"),
    of("nn.functional.embedding", "weight", "places = input.reshape(-1)\npart = grad.reshape(-1, weight.shape[1])\nif padding_idx is not None:\n    part = torch.where((places == padding_idx % weight.shape[0]).unsqueeze(1), 0., part)\nweight.new_zeros(weight.shape).index_add(0, places, part)"),
    of("nn.functional._fma", "a", "grad * b"),
    of("nn.functional._fma", "b", "grad * a"),
    of("nn.functional._fma", "c", "grad"),
    of("nn.functional._gelu", "input", "grad * (0.5 * (1 + torch.erf(input * 0.7071067811865476)) + input * torch.exp(-0.5 * input * input) * 0.3989422804014327)"),
    of("nn.functional._prelu", "input", "torch.where(input > 0, grad, grad * weight)"),
    of("nn.functional._prelu", "weight", "torch.where(input > 0, 0., grad * input)"),
    of("nn.functional._smooth_l1", "input", concat!(smooth_l1!(), "found")),
    of("nn.functional._smooth_l1", "target", concat!(smooth_l1!(), "-found")),
    of("nn.functional._huber", "input", "grad * (input - target).clamp(-delta, delta)"),
    of("nn.functional._huber", "target", "-grad * (input - target).clamp(-delta, delta)"),
    of("nn.functional._rowwise", "rows", "n = rows.shape[-1]\n(grads[0].unsqueeze(-1) + 2 * grads[1].unsqueeze(-1) * (rows - rows.mean(-1, True))) / n"),
    of("nn.functional._places", "input", "places = torch.arange(input.numel()).reshape(input.shape)[(...,) + torch.meshgrid(*places, indexing='ij')]\ninput.new_zeros(input.numel()).index_add(0, places.reshape(-1), grad.reshape(-1)).reshape(input.shape)"),
    of("nn.functional.binary_cross_entropy_with_logits", "input", WITH_LOGITS),
    of("nn.functional.cross_entropy", "input", CROSS_ENTROPY),
    of("nn.functional.nll_loss", "input", NLL_LOSS),
    of("nn.functional.layer_norm", "input", concat!(normal!(), "g = grad if weight is None else grad * weight\n(g - g.mean(dims, True) - x * (g * x).mean(dims, True)) * scale")),
    of("nn.functional.layer_norm", "weight", concat!(normal!(), "grad * x")),
    of("nn.functional.layer_norm", "bias", "grad"),
    of("nn.functional.conv2d", "input", concat!(conv!(), "torch.nn.functional.fold(torch.cat([w.reshape(w.shape[0], -1).t() @ g for w, g in zip(weight.chunk(groups), grad.reshape(grad.shape[0], grad.shape[1], -1).chunk(groups, 1))], 1), input.shape[-2:], weight.shape[-2:], **how)")),
    of("nn.functional.conv2d", "weight", concat!(conv!(), "cols = torch.nn.functional.unfold(input, weight.shape[-2:], **how)\ntorch.cat([(g @ c.mT).sum(0) for g, c in zip(grad.reshape(grad.shape[0], grad.shape[1], -1).chunk(groups, 1), cols.chunk(groups, 1))]).reshape(weight.shape)")),
    of("nn.functional.conv2d", "bias", "grad.sum([0, 2, 3] if grad.ndim == 4 else [1, 2])"),
    of("nn.functional.max_pool2d", "input", "places = torch.nn.functional.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices=True)[1]\ninput.new_zeros(input.shape).flatten(-2).scatter_add(-1, places.flatten(-2), grad.flatten(-2)).reshape(input.shape)"),
];

const WITH_LOGITS: &str = "heavy = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
found = (1 - target) - heavy * (-input).sigmoid()
found = found if weight is None else found * weight
found * (grad / input.numel() if reduction == 'mean' else grad)";

const GELU: &str = "if approximate == 'tanh':
    inner = 0.7978845608028654 * (input + 0.044715 * input ** 3)
    t = inner.tanh()
    found = grad * (0.5 * (1 + t) + 0.5 * input * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * input ** 2))
else:
    found = grad * (0.5 * (1 + torch.erf(input * 0.7071067811865476)) + input * torch.exp(-0.5 * input * input) * 0.3989422804014327)
found";

/// A softmax less what was wanted, weighed.
const CROSS_ENTROPY: &str = "d = 1 if input.ndim > 1 else 0
classes = input.shape[d]
spread = [1] * d + [-1] + [1] * (input.ndim - d - 1)
w = torch.ones(classes, dtype=grad.dtype) if weight is None else weight
if target.dtype.is_floating_point:
    keep = torch.ones((), dtype=torch.bool)
    wanted = target
    total = input.numel() / classes
else:
    keep = target != ignore_index
    place = torch.where(keep, target, 0)
    wanted = torch.zeros(input.shape, dtype=grad.dtype).scatter(d, place.unsqueeze(d), 1.)
    total = (w[place] * keep).sum()
    keep = keep.unsqueeze(d)
wanted = wanted * (1 - label_smoothing) + label_smoothing / classes
each = grad / total if reduction == 'mean' else (grad if reduction == 'sum' else grad.unsqueeze(d))
wanted = wanted * w.reshape(spread)
torch.where(keep, each * (input.softmax(d) * wanted.sum(d, True) - wanted), 0.)";

const NLL_LOSS: &str = "d = 1 if input.ndim > 1 else 0
w = torch.ones(input.shape[d], dtype=grad.dtype) if weight is None else weight
keep = target != ignore_index
place = torch.where(keep, target, 0)
each = w[place] * keep
scale = grad / each.sum() if reduction == 'mean' else grad
torch.zeros(input.shape, dtype=grad.dtype).scatter(d, place.unsqueeze(d), (-scale * each).unsqueeze(d))";
