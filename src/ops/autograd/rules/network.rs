//! Functions of networks.

use super::{Rule, of};

/// How the windows of a convolution lie.
macro_rules! conv {
    () => {
        "pair = lambda n: (n, n) if isinstance(n, int) else (tuple(n) * 2 if len(n) == 1 else tuple(n))\nif isinstance(padding, str) or input.ndim != 4:\n    raise NotImplementedError('tsr has the gradient of conv2d for batches with padding in numbers only')\nhow = dict(dilation=pair(dilation), padding=pair(padding), stride=pair(stride))\n"
    };
}

#[rustfmt::skip] // one rule a line
pub(super) const RULES: &[Rule] = &[
    of("nn.functional.binary_cross_entropy_with_logits", "input", WITH_LOGITS),
    of("nn.functional.conv2d", "input", concat!(conv!(), "torch.nn.functional.fold(torch.cat([w.reshape(w.shape[0], -1).t() @ g for w, g in zip(weight.chunk(groups), grad.reshape(grad.shape[0], grad.shape[1], -1).chunk(groups, 1))], 1), input.shape[-2:], weight.shape[-2:], **how)")),
    of("nn.functional.conv2d", "weight", concat!(conv!(), "cols = torch.nn.functional.unfold(input, weight.shape[-2:], **how)\ntorch.cat([(g @ c.mT).sum(0) for g, c in zip(grad.reshape(grad.shape[0], grad.shape[1], -1).chunk(groups, 1), cols.chunk(groups, 1))]).reshape(weight.shape)")),
    of("nn.functional.conv2d", "bias", "grad.sum([0, 2, 3] if grad.ndim == 4 else [1, 2])"),
    of("nn.functional.max_pool2d", "input", "places = torch.nn.functional.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices=True)[1]\ninput.new_zeros(input.shape).flatten(-2).scatter_add(-1, places.flatten(-2), grad.flatten(-2)).reshape(input.shape)"),
];

const WITH_LOGITS: &str = "heavy = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
found = (1 - target) - heavy * (-input).sigmoid()
found = found if weight is None else found * weight
found * (grad / input.numel() if reduction == 'mean' else grad)";
