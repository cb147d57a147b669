//! Losses, and distances between rows.

use super::function;
use super::usual::rows;
use crate::ops::refusal::{ALL, BOOL, COMPLEX, INTEGERS, kernel, missing, words};

/// A loss: the text gives `loss`, one number an element, which is then averaged, summed or left. What stands behind `=>` comes before the
/// reduction is looked at.
macro_rules! loss {
    ($name:literal, $first:literal, $more:literal, $doc:literal, $example:literal, $(=> $before:expr,)? $($text:expr),+) => {
        function(
            concat!(
                "nn.functional.",
                $name,
                "(",
                $first,
                ", Any size_average=None, Any reduce=None, Any reduction=\"mean\"",
                $more,
                ") -> Tensor"
            ),
            $doc,
            $example,
            concat!(of_old!(), $($before,)? reduced!($($text),+)),
        )
    };
}

/// The reduction that flags of old ask for.
macro_rules! of_old {
    () => {
        "if size_average is not None or reduce is not None:\n    reduction = 'none' if reduce is not None and not reduce else 'mean' if size_average is None or size_average else 'sum'\n"
    };
}

/// A text that ends by reducing `loss`.
macro_rules! reduced {
    ($($text:tt)+) => {
        concat!(
            "if reduction not in ('none', 'mean', 'sum'):\n    raise ValueError(f'{reduction} is not a valid value for reduction')\n",
            $($text)+,
            "\nloss.mean() if reduction == 'mean' else loss.sum() if reduction == 'sum' else loss"
        )
    };
}

/// A text that weighs `loss`, with what becomes of it for the mean.
macro_rules! weighted {
    ($mean:literal) => {
        concat!("\nif weight is not None:\n    loss = loss * weight\n    if reduction == 'mean':\n        loss = ", $mean)
    };
}

/// Refuses weights of other sizes, and with weights reductions that there are not, before anything else is looked at.
macro_rules! weights_fit {
    () => {
        "if weight is not None and weight.size() != input.size():\n    raise ValueError('Weights and input must have the same size.')
if weight is not None and reduction not in ('none', 'mean', 'sum'):
    raise ValueError(f\"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.\")\n"
    };
}

/// Of the binary cross entropy of logits, by the slope of one loss.
macro_rules! with_logits {
    ($slope:literal) => {
        concat!(
            of_old!(),
            "found = ",
            $slope,
            "
found = found if weight is None else found * weight
found * grad / input.numel() if reduction == 'mean' else found * grad"
        )
    };
}

/// Of the square of the difference, which is taken from the side of the argument.
macro_rules! squared {
    ($difference:literal) => {
        concat!(
            of_old!(),
            "z = ",
            $difference,
            "
if weight is None:
    found = (2 / z.numel() if reduction == 'mean' else 2) * z * grad
else:
    found = 2 * z * ((grad / weight.sum() if reduction == 'mean' else grad) * weight)
found"
        )
    };
}

/// A softmax less what was wanted, weighed, or what a probability that was wanted costs.
macro_rules! cross_entropy {
    ($end:literal) => {
        concat!(
            "d = 1 if input.ndim > 1 else 0
classes = input.shape[d]
spread = [1] * d + [-1] + [1] * (input.ndim - d - 1)
w = torch.ones(classes, dtype=grad.dtype) if weight is None else weight
if target.dtype.is_floating_point:
    keep = torch.ones((), dtype=torch.bool)
    wanted = target
    total = input.numel() / classes
else:
    keep = target != ignore_index
    place = torch.where(keep, target, 0).long()
    wanted = torch.zeros(input.shape, dtype=grad.dtype).scatter(d, place.unsqueeze(d), 1.)
    total = (w[place] * keep).sum()
    keep = keep.unsqueeze(d)
wanted = wanted * (1 - label_smoothing) + label_smoothing / classes
each = grad / total if reduction == 'mean' else (grad if reduction == 'sum' else grad.unsqueeze(d))
wanted = wanted * w.reshape(spread)
",
            $end
        )
    };
}

const NLL_LOSS: &str = "d = 1 if input.ndim > 1 else 0
w = torch.ones(input.shape[d], dtype=grad.dtype) if weight is None else weight
keep = target != ignore_index
place = torch.where(keep, target, 0).long()
each = w[place] * keep
scale = grad / each.sum() if reduction == 'mean' else grad
torch.zeros(input.shape, dtype=grad.dtype).scatter(d, place.unsqueeze(d), torch.where(keep, -scale * each, 0.).unsqueeze(d))";

rows![
    loss!("l1_loss", "Any input, Any target", ", Tensor? weight=None", "The size of the difference.", "torch.nn.functional.l1_loss(torch.tensor([1., 4.]), torch.tensor([2., 2.]))  # tensor(1.5000)",
        => concat!("target.size(), input.size()\na, b = torch.broadcast_tensors(input, target)\n", weights_fit!()), "loss = (a - b).abs()", weighted!("loss.sum() / weight.sum()")),
    loss!("mse_loss", "Any input, Any target", ", Tensor? weight=None", "The square of the difference.", "torch.nn.functional.mse_loss(torch.tensor([1., 4.]), torch.tensor([2., 2.]))  # tensor(2.5000)",
        => concat!("target.size(), input.size()\na, b = torch.broadcast_tensors(input, target)\n", weights_fit!()), "common = torch.promote_types(a.dtype, b.dtype)
if weight is None and (common.is_complex or a.dtype == b.dtype and not common.is_floating_point):
    raise NotImplementedError(f'\"mse_cpu\" not implemented for \\'{torch.zeros(0, dtype=common).type()[6:-6]}\\'')
a, b = a.to(b.dtype) if a.dtype == torch.bool else a, b.to(a.dtype) if b.dtype == torch.bool else b
z = a - b
loss = z.mul_(z)", weighted!("loss.sum() / weight.sum()"))
        .grads(&[("input", squared!("input - target")), ("target", squared!("target - input")), ("weight", concat!(of_old!(), "z = input - target
grad * (z * z) if reduction != 'mean' else grad * (z * z - result) / weight.sum()"))]),
    loss!("smooth_l1_loss", "Tensor input, Tensor target", ", float beta=1.0", "The square of small differences, the size of large ones.", "torch.nn.functional.smooth_l1_loss(torch.tensor([1., 4.]), torch.tensor([2., 2.]))  # tensor(1.)",
        => "a, b = torch.broadcast_tensors(input, target)\n", "if not beta >= 0:
    raise RuntimeError('smooth_l1_loss does not support negative values for beta.')
kind = a.to(torch.promote_types(a.dtype, b.dtype))
if beta != 0 and (kind.is_complex() or a.dtype == b.dtype and not a.is_floating_point()):
    raise NotImplementedError(f'\"smooth_l1_cpu\" not implemented for \\'{kind.type()[6:-6]}\\'')
if beta == 0:
    loss = (a - b).abs()
elif a.dtype == torch.float16:
    # Each step is rounded.
    z = (a - b).abs()
    loss = torch.where(z < beta, 0.5 * z * z / beta, z - 0.5 * beta)
else:
    loss = torch.nn.functional._smooth_l1(a, b, beta)"),
    function("nn.functional.huber_loss(Tensor input, Tensor target, Any reduction=\"mean\", float delta=1.0, Tensor? weight=None) -> Tensor", "`smooth_l1_loss` times `delta`.",
        "torch.nn.functional.huber_loss(torch.tensor([1., 4.]), torch.tensor([2., 2.]))  # tensor(1.)",
        concat!("a, b = torch.broadcast_tensors(input, target)\n", weights_fit!(), reduced!("if not delta > 0:
    raise RuntimeError('huber_loss does not support non-positive values for delta.')
common = torch.result_type(a, b)
if not torch.can_cast(common, a.dtype):
    raise RuntimeError(f\"result type {torch.empty(0, dtype=common).type()[6:-6]} can't be cast to the desired output type {a.type()[6:-6]}\")
if not a.is_floating_point() and not a.is_complex():
    raise NotImplementedError(f'\"huber_cpu\" not implemented for \\'{a.type()[6:-6]}\\'')
if a.dtype == torch.bfloat16:
    # Each step is rounded, and the bound.
    delta = torch.tensor(delta, dtype=a.dtype).item()
    z = (a - b.to(a.dtype)).abs()
    loss = torch.where(z <= delta, 0.5 * z * z, delta * (z - 0.5 * delta))
else:
    loss = torch.nn.functional._huber(a, b, delta).to(a.dtype)
loss = torch.empty_like(a).copy_(loss)", weighted!("loss")))).refuses(&[kernel(COMPLEX, "huber_cpu")]),
    loss!("kl_div", "Tensor input, Tensor target", ", bool log_target=False", "How far a distribution is from the logarithm of another one.", "torch.nn.functional.kl_div(torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[0.25, 0.75]]), reduction='sum')  # tensor(0.1308)",
        => "rows = (input.size(0) if input.dim() > 0 else 1) if reduction == 'batchmean' else None\nreduction = reduction if rows is None else 'sum'\n",
        "if not (input.is_floating_point() or input.is_complex()) or not (target.is_floating_point() or target.is_complex()):
    raise RuntimeError('kl_div: Integral inputs not supported.')
loss = target.exp() * (target - input) if log_target else torch.xlogy(target, target) - target * input
loss = loss if rows is None else loss.sum() / rows").refuses(&[words(COMPLEX, "kl_div: Complex inputs not supported.")]),
    loss!("binary_cross_entropy", "Tensor input, Tensor target, Tensor? weight=None", "", "The cross entropy of probabilities and truths.", "torch.nn.functional.binary_cross_entropy(torch.tensor([0.5]), torch.tensor([1.]))  # tensor(0.6931)",
        "if input.shape != target.shape:
    raise ValueError(f'Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. Please ensure they have the same size.')
weight = None if weight is None else weight.expand(torch.broadcast_shapes(target.size(), weight.size()))
if target.dtype != input.dtype:
    raise RuntimeError(f'Found dtype {target.type()[6:-6]} but expected {input.type()[6:-6]}')
if not input.is_floating_point():
    raise NotImplementedError(f'\"binary_cross_entropy\" not implemented for \\'{input.type()[6:-6]}\\'')
if input.numel() > 0 and not (input.min() >= 0 and input.max() <= 1):
    raise RuntimeError('all elements of input should be between 0 and 1')
if target.numel() > 0 and not (target.min() >= 0 and target.max() <= 1):
    raise RuntimeError('all elements of target should be between 0 and 1')
loss = (-input).log1p().clamp(min=-100) * (target - 1) - input.log().clamp(min=-100) * target
if weight is not None:
    loss.mul_(weight)").constants(&[("weight", "binary_cross_entropy")])
        .grads(&[
            ("input", concat!(of_old!(), "found = grad * (input - target) / ((1 - input) * input).clamp(min=1e-12)
found = found if weight is None else found * weight
found / input.numel() if reduction == 'mean' else found")),
            ("target", concat!(of_old!(), "found = -torch.logit(input)
found = found if weight is None else found * weight
found * (grad / input.numel() if reduction == 'mean' else grad)")),
        ]),
    loss!("binary_cross_entropy_with_logits", "Tensor input, Tensor target, Tensor? weight=None", ", Tensor? pos_weight=None", "`binary_cross_entropy` of the `sigmoid`.", "torch.nn.functional.binary_cross_entropy_with_logits(torch.tensor([0.]), torch.tensor([1.]))  # tensor(0.6931)",
        "if input.shape != target.shape:
    raise ValueError(f'Target size ({target.shape}) must be the same as input size ({input.shape})')
logs = torch.nn.functional.logsigmoid(input)
if target.dtype == torch.bool:
    raise NotImplementedError('Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.')
logs = logs if pos_weight is None else logs * ((pos_weight - 1) * target + 1)
loss = (1 - target).mul_(input).sub_(logs)
if weight is not None:
    loss = loss.mul_(weight)").constants(&[("weight", "binary_cross_entropy_with_logits"), ("pos_weight", "binary_cross_entropy_with_logits")]).refuses(&[kernel(ALL, "log_sigmoid_cpu")]).grads(&[("input", with_logits!("input.sigmoid() - target if pos_weight is None else (pos_weight * target + 1 - target) * input.sigmoid() - pos_weight * target")), ("target", with_logits!("-input if pos_weight is None else (pos_weight - 1) * -torch.nn.functional.logsigmoid(input) - input"))]),
    function("nn.functional.nll_loss(Tensor input, Tensor target, Tensor? weight=None, Any size_average=None, SymInt ignore_index=-100, Any reduce=None, Any reduction=\"mean\") -> Tensor",
        "Minus the logarithm of the probability that each row gives to its class.", "torch.nn.functional.nll_loss(torch.tensor([[-1., -2.], [-3., -4.]]), torch.tensor([0, 1]))  # tensor(2.5000)",
        concat!(of_old!(), "if reduction not in ('none', 'mean', 'sum'):
    raise ValueError(f'{reduction} is not a valid value for reduction')
if input.dim() < 1:
    raise ValueError('Expected 1 or more dimensions (got 0)')
rows = target.size(0) if target.dim() > 0 else 0
if input.dim() > 1 and input.size(0) != rows:
    raise ValueError(f'Expected input batch_size ({input.size(0)}) to match target batch_size ({rows}).')
if input.dim() <= 2 and target.dim() > 1:
    raise RuntimeError('0D or 1D target tensor expected, multi-target not supported')
if input.dim() > 2 and target.shape[1:] != input.shape[2:]:
    raise RuntimeError(f'Expected target size {[input.size(0)] + list(input.shape[2:])}, got {list(target.shape)}')
if target.dtype not in (torch.int64, torch.uint8):
    raise RuntimeError(f'expected target dtype to be Long or Byte, but got {torch.typename(target).removeprefix(\"torch.\").removesuffix(\"Tensor\")}')
if input.dim() == 1 and target.dim() == 1 and rows != 1:
    raise ValueError(f'For 1D input, 1D target must have size 1, but got target size: {rows}')
if not input.is_floating_point():
    frame = 'nll_loss_out_frame' if input.dim() < 3 else 'nll_loss2d_forward_out_frame'
    raise NotImplementedError(f'\"{frame}\" not implemented for \\'{input.type()[6:-6]}\\'')
if input.dim() > 2 and target.dtype != torch.int64:
    raise RuntimeError(f'expected scalar type Long but found {target.type()[6:-6]}')
target = target.long()
if input.dim() == 1 and target.dim() == 1 and target.numel() == 1:
    target = target.squeeze(0)
axis = 0 if input.dim() == 1 else 1
classes = input.size(axis)
used = target != ignore_index
safe = torch.where(used, target, 0)
if weight is not None and input.dim() > 2 and weight.numel() != classes:
    raise RuntimeError('weight tensor should be defined either for all or no classes')
if weight is not None and input.dim() <= 2 and (weight.dim() != 1 or weight.numel() != classes):
    raise RuntimeError(f'weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of shape: {list(weight.shape)}')
if weight is not None and weight.dtype != input.dtype:
    raise RuntimeError(f'expected scalar type {input.type()[6:-6]} but found {weight.type()[6:-6]}')
if safe.numel() > 0 and not (safe.min() >= 0 and safe.max() < classes):
    raise IndexError(f'Target {safe[(safe < 0) | (safe >= classes)][0]} is out of bounds.')
w = (torch.ones(classes, dtype=input.dtype, device=input.device) if weight is None else weight.flatten())[safe] * used
loss = -input.gather(axis, safe.unsqueeze(axis)).squeeze(axis) * w
loss = torch.where(used, loss, torch.zeros_like(loss))
total = lambda values: values.sum()
if input.dtype in (torch.float16, torch.bfloat16):
    counted = used.flatten().tolist()
    def total(values):
        # Sums of 16, of 16 sums, and so on, of which the first are of one.
        sums = [torch.zeros((), dtype=input.dtype)] * 8
        for place, value in enumerate(values.flatten().unbind()):
            if counted[place]:
                sums[0] = sums[0] + value
                for level in range(7):
                    if place >> 4 * level & 15:
                        break
                    sums[level + 1], sums[level] = sums[level + 1] + sums[level], torch.zeros_like(value)
        whole = sums[0]
        for part in sums[1:]:
            whole = whole + part
        return whole
result = loss.contiguous() if reduction == 'none' else total(loss)
result / (w.sum() if weight is None else total(w)) if reduction == 'mean' else result")).constants(&[("weight", "nll_loss_forward")]).usually(rows::nll_loss)
        .grads(&[("input", NLL_LOSS)]).piecewise(),
    function("nn.functional.cross_entropy(Tensor input, Tensor target, Tensor? weight=None, Any size_average=None, int ignore_index=-100, Any reduce=None, Any reduction=\"mean\", float label_smoothing=0.0) -> Tensor",
        "`nll_loss` of the `log_softmax`; the target may be classes or probabilities.", "torch.nn.functional.cross_entropy(torch.zeros(1, 2), torch.tensor([0]))  # tensor(0.6931)",
        concat!(of_old!(), "if reduction not in ('none', 'mean', 'sum'):
    raise ValueError(f'{reduction} is not a valid value for reduction')
axis = 0 if input.dim() == 1 else 1
if input.dim() == 0 and target.shape != input.shape:
    raise ValueError('Expected 1 or more dimensions (got 0)')
if target.shape == input.shape and not target.is_floating_point():
    raise RuntimeError(f'Expected floating point type for target with class probabilities, got {torch.typename(target).removeprefix(\"torch.\").removesuffix(\"Tensor\")}')
classes = input.size(axis)
if target.shape == input.shape and ignore_index >= 0:
    raise RuntimeError('ignore_index is not supported for floating point target')
if target.shape == input.shape and weight is not None and (weight.dim() != 1 or weight.numel() != classes):
    raise RuntimeError(f'cross_entropy: weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of shape: {list(weight.shape)}')
# Logarithms of integers are refused before a share of probabilities is, and after a share of classes.
logs = input.log_softmax(axis) if target.shape == input.shape else None
if label_smoothing > 1.0:
    raise RuntimeError(f'label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}')
logs = input.log_softmax(axis) if logs is None else logs
along = [classes if d == axis else 1 for d in range(input.dim())]
if target.shape == input.shape:
    share = target * (1 - label_smoothing) + label_smoothing / classes if label_smoothing > 0 else target
    shares = logs * share * (1 if weight is None else weight.view(along))
    loss = -shares.sum(axis) if reduction == 'none' else -shares.sum()
    result = loss / (input.numel() // max(classes, 1)) if reduction == 'mean' else loss
else:
    result = torch.nn.functional.nll_loss(logs, target, weight, ignore_index=ignore_index, reduction=reduction)
    if label_smoothing > 0:
        if input.dim() < 2 and target.dim() > 0:
            raise RuntimeError(\"output with shape [] doesn't match the broadcast shape [1]\")
        used = target != ignore_index
        smooth = -(logs if weight is None else logs * weight.view(along)).sum(axis) * used
        if reduction == 'mean':
            smooth = smooth.sum() / (used.sum() if weight is None else (weight.gather(0, torch.where(used, target, 0).flatten()) * used.flatten()).sum())
        elif reduction == 'sum':
            smooth = smooth.sum()
        result = (1 - label_smoothing) * result + smooth * (label_smoothing / classes)
result")).constants(&[("weight", "nll_loss_forward")]).usually(rows::cross_entropy)
        .grads(&[("input", cross_entropy!("given, logs = torch.where(keep, -each * wanted, 0.), input.log_softmax(d)
if label_smoothing > 0 and not target.dtype.is_floating_point:
    # What goes to the class and what goes to all come on ways of their own.
    part = lambda t, count: t / count if reduction == 'mean' else t if reduction == 'sum' else t.unsqueeze(d)
    at = -w[place].unsqueeze(d) * part(grad * (1 - label_smoothing), total)
    even = -part(grad * (label_smoothing / classes), keep.sum() if weight is None else total)
    even = even if weight is None else even * w.reshape(spread)
    given = torch.where(keep, torch.zeros(input.shape, dtype=grad.dtype).scatter(d, place.unsqueeze(d), at) + even, 0.)
if grad.dtype in (torch.float16, torch.bfloat16) and label_smoothing == 0:
    given, logs = given.float(), logs.float()
torch._log_softmax_backward_data(given, logs, d, given.dtype)")), ("target", cross_entropy!("-each * input.log_softmax(d) * w.reshape(spread) * (1 - label_smoothing)"))]),
    function("nn.functional.linear_cross_entropy(Any input, Any linear_weight, Any target, *, Any linear_bias=None, Any weight=None, Any reduction=\"mean\", Any ignore_index=None, Any label_smoothing=0.0, Any options=None) -> Tensor",
        "`cross_entropy` of what a linear layer gives.", "torch.nn.functional.linear_cross_entropy(torch.zeros(1, 2), torch.ones(2, 2), torch.tensor([0]))  # tensor(0.6931)",
        "classes, *more, features = linear_weight.shape
shape = list(input.shape[:-1]) + [classes] + more
if ignore_index is not None and list(target.shape) == shape:
    raise RuntimeError('ignore_index cannot be specified when target contains probabilities')
offset = None if linear_bias is None else linear_bias.reshape(-1)
scores = torch.nn.functional.linear(input, linear_weight.reshape(-1, features), offset).reshape(shape)
ignored = -100 if ignore_index is None else ignore_index
torch.nn.functional.cross_entropy(scores, target, weight=weight, reduction=reduction, ignore_index=ignored, label_smoothing=label_smoothing)").stepwise(),
    function("nn.functional.poisson_nll_loss(Tensor input, Tensor target, bool log_input=True, bool full=False, Any size_average=None, float eps=1e-08, Any reduce=None, Any reduction=\"mean\") -> Tensor",
        "Minus the logarithm of a Poisson probability.", "torch.nn.functional.poisson_nll_loss(torch.tensor([0.]), torch.tensor([1.]))  # tensor(1.)",
        concat!(of_old!(), "if reduction not in ('none', 'mean', 'sum'):\n    raise ValueError(reduction + ' is not a valid value for reduction')\n", reduced!("loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
if full:
    more = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
    loss = loss + torch.where(target <= 1, torch.zeros_like(more), more)"))),
    function("nn.functional.gaussian_nll_loss(Any input, Any target, Any var, Any full=False, Any eps=1e-06, Any reduction=\"mean\") -> Tensor",
        "Minus the logarithm of a normal density.", "torch.nn.functional.gaussian_nll_loss(torch.tensor([0.]), torch.tensor([1.]), torch.tensor([1.]))  # tensor(0.5000)",
        concat!("if isinstance(var, float) and var < 0 or not isinstance(var, float) and torch.any(var < 0):
    raise ValueError('var has negative entry/entries')
var = var * torch.ones_like(input) if isinstance(var, float) else var
if var.size() != input.size():
    if list(input.shape)[:-1] == list(var.shape):
        var = var.unsqueeze(-1)
    elif not (var.dim() == input.dim() and sum(v for n, v in zip(input.shape, var.shape) if n != v) == 1):
        raise ValueError('var is of incorrect size')
if reduction not in ('none', 'mean', 'sum'):
    raise ValueError(reduction + ' is not valid')
", reduced!("if not var.is_floating_point():
    raise RuntimeError(f\"result type Float can't be cast to the desired output type {torch.nn.functional._c_name(var)}\")
var = var.clone()
with torch.no_grad():
    var.clamp_(min=eps)
loss = 0.5 * (var.log() + (input - target) ** 2 / var)
loss = loss + 0.5 * math.log(2 * math.pi) if full else loss"))),
    function("nn.functional.margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0, Any size_average=None, Any reduce=None, Any reduction=\"mean\") -> Tensor",
        "How far the first is from being ranked above the second by the margin.", "torch.nn.functional.margin_ranking_loss(torch.tensor([1.]), torch.tensor([2.]), torch.tensor([1.]))  # tensor(1.)",
        concat!(of_old!(), reduced!("if not input1.dim() == input2.dim() == target.dim():
    raise RuntimeError(f'margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: {input1.shape}, input2: {input2.shape}, target: {target.shape} ')
apart = input1 - input2
loss = (-target * apart + float(margin)).clamp(min=0)"))),
    loss!("soft_margin_loss", "Tensor input, Tensor target", "", "log(1 + exp(-target input)).", "torch.nn.functional.soft_margin_loss(torch.tensor([0.]), torch.tensor([1.]))  # tensor(0.6931)",
        "if torch.broadcast_tensors(input, target)[0].shape != input.shape:
    raise RuntimeError(f\"output with shape {list(input.shape)} doesn't match the broadcast shape {list(torch.broadcast_shapes(input.shape, target.shape))}\")
loss = (input * -target.to(torch.result_type(input, target))).exp().log1p()
if loss.is_complex() and not input.is_complex():
    raise RuntimeError(f\"result type {loss.type()[6:-6]} can't be cast to the desired output type {input.type()[6:-6]}\")
loss = loss.to(input.dtype)").constants(&[("target", "soft_margin_loss")]).refuses(&[missing(BOOL, "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."), words(INTEGERS, "result type Float can't be cast to the desired output type {}")]).grads(&[("input", concat!(of_old!(), "z = (-target * input).exp()
share = -1 / input.numel() if reduction == 'mean' and input.numel() else -1.
target * z * share / (z + 1) * grad"))]),
    function("nn.functional.multilabel_soft_margin_loss(Tensor input, Any target, Any weight=None, Any size_average=None, Any reduce=None, Any reduction=\"mean\") -> Tensor",
        "`binary_cross_entropy_with_logits`, averaged over the classes.", "torch.nn.functional.multilabel_soft_margin_loss(torch.zeros(1, 2), torch.ones(1, 2))  # tensor(0.6931)",
        concat!(of_old!(), "loss = -(target * torch.nn.functional.logsigmoid(input) + (1 - target) * torch.nn.functional.logsigmoid(-input))
classes = input.dim() - 1
loss = (loss if weight is None else loss * weight).sum(classes) / input.size(classes)
if reduction not in ('none', 'mean', 'sum'):
    raise ValueError(reduction + ' is not valid')
", reduced!(""))),
    loss!("hinge_embedding_loss", "Tensor input, Tensor target, float margin=1.0", "", "The input where the target is 1, how far it is below the margin where it is -1.", "torch.nn.functional.hinge_embedding_loss(torch.tensor([0.5, 0.25]), torch.tensor([1, -1]))  # tensor(0.6250)",
        "zero = torch.zeros_like(input)
# The margin has the dtype of the input.
loss = torch.where(target == 1, zero, (torch.empty((), dtype=input.dtype, device=input.device).fill_(margin) - input).clamp_min(0)) + torch.where(target == -1, zero, input)"),
    function("nn.functional.cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0, Any size_average=None, Any reduce=None, Any reduction=\"mean\") -> Tensor",
        "1 less the cosine where the target is 1, the cosine above the margin where it is -1.", "torch.nn.functional.cosine_embedding_loss(torch.tensor([[1., 0.]]), torch.tensor([[0., 1.]]), torch.tensor([1]))  # tensor(1.)",
        concat!(of_old!(), reduced!("if target.dim() > 1:
    raise RuntimeError('0D or 1D target tensor expected, multi-target not supported')
if target.dim() + 1 != input1.dim() or input1.dim() != input2.dim():
    raise RuntimeError(f'{target.dim()}D target tensor expects {target.dim() + 1}D input tensors, but found inputs with sizes {list(input1.shape)} and {list(input2.shape)}.')
square = lambda t: (t * t).sum(-1) + 1e-12
cos = (input1 * input2).sum(-1) / (square(input1) * square(input2)).sqrt()
zero = torch.zeros_like(cos)
loss = torch.where(target == 1, 1 - cos, zero) + torch.where(target == -1, (cos - margin).clamp_min(0), zero)"))),
    function("nn.functional.multi_margin_loss(Any input, Any target, Any p=1, Any margin=1.0, Any weight=None, Any size_average=None, Any reduce=None, Any reduction=\"mean\") -> Tensor",
        "How far the right class is from being above the others by the margin.", "torch.nn.functional.multi_margin_loss(torch.tensor([[0.1, 0.9]]), torch.tensor([1]))  # tensor(0.1000)",
        concat!(of_old!(), reduced!("if p != 1 and p != 2:
    raise ValueError('only p == 1 and p == 2 supported')
if weight is not None and weight.dim() != 1:
    raise ValueError('weight must be one-dimensional')
takes = '(Tensor input, Tensor target, Scalar p, Scalar margin, Tensor? weight)'
input, target, p, margin, weight = torch.nn.functional._bound('multi_margin_loss', takes, [input, target, p, margin, weight])
if input.dim() > 2 or 0 in list(input.shape)[int(input.dim() == 2):]:
    raise RuntimeError(f'Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(input.shape)}')
x, t = input if input.dim() == 2 else input.view(1, -1), target.view(-1) if input.dim() < 2 or target.dim() == 0 else target
if t.dim() != 1 or t.size(0) != x.size(0):
    raise RuntimeError(f'multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). Expected target size [{x.size(0)}], but got {list(target.shape)}. Input has shape {list(input.shape)}.')
if weight is not None and weight.numel() != x.size(1):
    raise RuntimeError(f'inconsistent weight size, expected {x.size(1)} but got {list(weight.shape)}')
if input.dtype not in (torch.float32, torch.float64):
    raise NotImplementedError(f'\"multi_margin_loss_cpu_kernel\" not implemented for \\'{input.type()[6:-6]}\\'')
if t.dtype != torch.int64:
    raise RuntimeError(f'expected scalar type Long but found {t.type()[6:-6]}')
if t.numel() > 0 and not (t.min() >= 0 and t.max() < x.size(1)):
    raise RuntimeError('target out of range')
z = margin - x.gather(1, t.unsqueeze(1)) + x
z = torch.where(z > 0, z, 0)
z = z if p == 1 else z * z
z = z if weight is None else z * weight[t].unsqueeze(1)
loss = (z.scatter(1, t.unsqueeze(1), 0.0).sum(1) / x.size(1)).view(target.shape)"))).constants(&[("weight", "multi_margin_loss")]).refuses(&[kernel(ALL, "multi_margin_loss_cpu_kernel")]),
    loss!("multilabel_margin_loss", "Tensor input, Tensor target", "", "How far the classes that are named, up to the first -1, are from being above the others by 1.", "torch.nn.functional.multilabel_margin_loss(torch.tensor([[0.1, 0.2, 0.4]]), torch.tensor([[2, -1, 0]]))  # tensor(0.5000)",
        "if input.dim() > 2 or 0 in list(input.shape)[int(input.dim() == 2):]:
    raise RuntimeError(f'Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(input.shape)}')
if target.shape != input.shape:
    raise RuntimeError(f'inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}')
if target.numel() > 0 and not (int(target.min()) > -2 and int(target.max()) < (input.size(-1) if input.dim() > 0 else 1)):
    raise RuntimeError(\"argument #2 'target' is out of range\")
if input.dtype not in (torch.float32, torch.float64):
    raise NotImplementedError(f'\"multilabel_margin_loss_forward_out_frame\" not implemented for \\'{input.type()[6:-6]}\\'')
if target.dtype != torch.int64:
    raise RuntimeError(f'expected scalar type Long but found {target.type()[6:-6]}')
x, t = (input, target) if input.dim() == 2 else (input.view(1, -1), target.view(1, -1))
named = (t < 0).cumsum(1) == 0
is_target = torch.zeros_like(x).scatter_add(1, torch.where(named, t, 0), named.to(x.dtype)) > 0
gap = 1 - x.gather(1, torch.where(named, t, 0)).unsqueeze(2) + x.unsqueeze(1)
# What is no number is not above zero.
counts = (gap > 0) & named.unsqueeze(2) & is_target.logical_not().unsqueeze(1)
rows = torch.where(counts, gap, 0.).double().sum((1, 2))
rows = rows if input.dim() == 2 else rows.squeeze(0)
# What is one number in the end is rounded once.
if reduction == 'none':
    loss = rows.to(x.dtype) / x.size(1)
else:
    loss = rows.sum() / x.size(1)
    loss = (loss / rows.numel() if reduction == 'mean' else loss).to(x.dtype)"),
    function("nn.functional.triplet_margin_loss(Any anchor, Any positive, Any negative, Any margin=1.0, Any p=2, Any eps=1e-06, Any swap=False, Any size_average=None, Any reduce=None, Any reduction=\"mean\") -> Tensor",
        "How far the positive is from being nearer to the anchor than the negative by the margin.", "torch.nn.functional.triplet_margin_loss(torch.zeros(1, 2), torch.zeros(1, 2), torch.zeros(1, 2))  # tensor(1.)",
        concat!(of_old!(), reduced!("if margin <= 0:
    raise ValueError(f'margin must be greater than 0, got {margin}')
takes = '(Tensor anchor, Tensor positive, Tensor negative, float margin, float p, float eps, bool swap)'
anchor, positive, negative, margin, p, eps, swap = torch.nn.functional._bound('triplet_margin_loss', takes, [anchor, positive, negative, margin, p, eps, swap])
", triplet!()))),
    function("nn.functional.triplet_margin_with_distance_loss(Any anchor, Any positive, Any negative, *, Any distance_function=None, Any margin=1.0, Any swap=False, Any reduction=\"mean\") -> Tensor",
        "`triplet_margin_loss` with any distance.", "torch.nn.functional.triplet_margin_with_distance_loss(torch.zeros(1, 2), torch.zeros(1, 2), torch.zeros(1, 2))  # tensor(1.)",
        reduced!("if margin <= 0:
    raise ValueError(f'margin must be greater than 0, got {margin}')
dims = [anchor.ndim, positive.ndim, negative.ndim]
if not dims[0] == dims[1] == dims[2]:
    raise RuntimeError(f'The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor {dims[0]}D, positive {dims[1]}D, and negative {dims[2]}D inputs')
far_from = torch.nn.functional.pairwise_distance if distance_function is None else distance_function
near = far_from(anchor, positive)
far = far_from(anchor, negative)
far = torch.minimum(far, far_from(positive, negative)) if swap else far
loss = (margin + near - far).clamp(min=0)")),
    function("nn.functional.pairwise_distance(Tensor x1, Tensor x2, float p=2.0, float eps=1e-06, bool keepdim=False) -> Tensor", "The distance between rows of the same number.",
        "torch.nn.functional.pairwise_distance(torch.tensor([[0., 0.]]), torch.tensor([[3., 4.]]))  # tensor([5.0000])", "gap = x1 - x2 + eps\ngap.norm(p, gap.dim() - 1, keepdim)"),
    function("nn.functional.pdist(Tensor input, float p=2) -> Tensor", "The distances between all pairs of rows.", "torch.nn.functional.pdist(torch.tensor([[0., 0.], [3., 4.]]))  # tensor([5.])",
        "if input.dim() != 2:
    raise RuntimeError(f'pdist only supports 2D tensors, got: {input.dim()}D')
if not input.is_floating_point():
    raise RuntimeError('pdist only supports floating-point dtypes')
if not p >= 0:
    raise RuntimeError('pdist only supports non-negative p values')
if input.dtype in (torch.float16, torch.bfloat16) and input.size(0) > 1 and input.size(1):
    raise NotImplementedError(f'\"pdist\" not implemented for \\'{input.type()[6:-6]}\\'')
n = input.size(0)
input.new_zeros(n * (n - 1) // 2) if input.size(1) == 0 or n < 2 else torch.cat([apart.norm(p, -1) if p else apart.abs().ceil().clamp_max(1).sum(-1) for apart in [input[k] - input[k + 1:] for k in range(n - 1)]])").refuses(&[words(ALL, "pdist only supports floating-point dtypes")]).usually(rows::pdist),
    function("nn.functional.cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor", "The cosine of the angle between rows.",
        "torch.nn.functional.cosine_similarity(torch.tensor([[1., 0.]]), torch.tensor([[1., 1.]]))  # tensor([0.7071])",
        "common = torch.result_type(x1, x2)
if not common.is_floating_point:
    raise RuntimeError(f'expected common dtype to be floating point, yet common dtype is {torch.empty(0, dtype=common).type()[6:-6]}')
if not eps >= 0:
    raise RuntimeError(f'eps must be non-negative, got: {eps:g}')
x, y = torch.broadcast_tensors(*[t if t.is_floating_point() else t.to(common) for t in (x1, x2)])
a, b = x.norm(2, dim, True).clamp(min=eps), y.norm(2, dim, True).clamp(min=eps)
((x / a) * (y / b)).sum(dim)"),
];
