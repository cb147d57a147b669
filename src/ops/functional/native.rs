//! Norms by the names that their gradients are recorded under: they give the mean and the spread they found, too.

use super::function;
use crate::ops::Form::Code;
use crate::ops::{Op, op};

/// The norm of each channel as `y`, with `mean` and `inverse`, one over the deviation.
macro_rules! batch_norm {
    () => {
        "along = [1, -1] + [1] * (input.dim() - 2)
channels = input.size(1) if input.dim() > 1 else 0
for name, given in (('running_mean', running_mean), ('running_var', running_var), ('weight', weight), ('bias', bias)) if input.numel() else ():
    if given is not None and given.numel() != channels:
        raise RuntimeError(f'{name} should contain {channels} elements not {given.numel()}')
    if given is None and not training and name.startswith('running'):
        raise RuntimeError(f'{name} must be defined in evaluation mode')
if input.numel() and input.dim() < 2:
    input.size(1)
whole = input
if input.numel() == 0 and not input.is_floating_point():
    input = torch.empty(input.shape)
if not input.is_floating_point():
    raise NotImplementedError(f'\"batch_norm\" not implemented for \\'{input.type()[6:-6]}\\'')
given = [t for t in (weight, bias, running_mean, running_var) if t is not None]
others = [t for t in given if t.dtype != input.dtype]
if others and others[0] is given[0]:
    if any(t.dtype != torch.float32 for t in given):
        raise RuntimeError('mixed dtype (CPU): expect parameter to have scalar type of Float')
    if input.dtype not in (torch.float16, torch.bfloat16):
        raise RuntimeError('mixed dtype (CPU): all inputs must share same datatype.')
elif others:
    raise RuntimeError(f'expected scalar type {input.type()[6:-6]} but found {others[0].type()[6:-6]}')
# Sums of more than single numbers are taken in float64, what is kept of them has the input's dtype unless a parameter has another,
# and products are added unrounded. In bfloat16 the variance is rounded on its way.
work = torch.float64 if input.dtype == torch.float64 else torch.float32
mixed = any(t is not None and t.dtype != input.dtype for t in (weight, bias, running_mean, running_var))
held = lambda t: t.to(work if mixed else input.dtype).to(work)
fused = torch.nn.functional._fma
x = input.to(work)
dims = [d for d in range(input.dim()) if d != 1]
n = input.numel() // max(channels, 1)
orders = [torch.contiguous_format, {4: torch.channels_last, 5: torch.channels_last_3d}.get(input.dim(), torch.contiguous_format)]
plain = any(input.is_contiguous(memory_format=order) for order in orders) and all(t.is_contiguous() for t in given)
# What does not lie in order is walked element by element, in the dtype of the parameters.
step = work if mixed else input.dtype
if plain or input.numel() == 0:
    pass
elif training:
    centre = input.mean(dims)
    apart = (input.double() - centre.double().view(along)).permute([1] + sorted(dims, key=lambda d: -input.stride(d)))
    total = (apart * apart).reshape(channels, -1).cumsum(1)[:, -1]
    mean, inverse = centre.to(step), (1 / (total / n + eps).sqrt()).to(step)
    if running_mean is not None:
        running_mean.copy_((1 - momentum) * running_mean.double() + momentum * centre.double())
        running_var.copy_((1 - momentum) * running_var.double() + momentum * (total / (n - 1)))
else:
    mean, inverse = running_mean.to(step), 1 / (running_var.to(step) + eps).sqrt()
if not plain and input.numel() > 0:
    pass
elif training:
    if input.dtype == work and input.numel() == input.shape[0] * channels > 0:
        mean, total = torch.nn.functional._columnwise(x.reshape(-1, channels))
        mean = held(mean)
    else:
        mean = held(x.double().sum(dims) / n)
        apart = x - mean.view(along)
        total = (apart * apart).double().sum(dims).to(work)
    total = held(total) if input.dtype == torch.bfloat16 else total
    square = held(total / n) if input.dtype == torch.bfloat16 else total / n
    inverse = held(1 / (square.double() + eps).sqrt())
    if running_mean is not None and n > 0:
        running_mean.copy_((1 - momentum) * running_mean + momentum * mean.detach())
        share = torch.tensor(momentum, dtype=work).double()
        running_var.copy_(share * (total.detach() / (n - 1)).double() + ((1 - momentum) * running_var).double())
else:
    mean, inverse = running_mean.to(work), 1 / (running_var.to(work) + eps).sqrt()
slope = inverse.to(work) if weight is None else inverse.to(work) * weight.to(work)
offset = fused(-mean.to(work), slope, torch.zeros_like(mean) if bias is None else bias.to(work))
y = fused(x, slope.view(along), offset.view(along)).to(input.dtype)
order = {4: torch.channels_last, 5: torch.channels_last_3d}.get(input.dim(), torch.contiguous_format)
y = y if y.is_contiguous(memory_format=order) else y.contiguous()
if not plain and input.numel() > 0:
    y = (input.to(step) - mean.view(along)) * inverse.view(along)
    y = y if weight is None else y * weight.to(step).view(along)
    y = (y + (torch.zeros_like(mean) if bias is None else bias.to(step)).view(along)).to(input.dtype)
    y = torch.empty_like(y, memory_format=torch.nn.functional._order([input])).copy_(y)
if whole.numel() == 0:
    y = whole.clone()
    y = y if weight is None else y * weight[0]
    y = y if bias is None else y + bias[0]
"
    };
}
pub(super) use batch_norm;

/// As [`function`], with results that no gradient is known of.
const fn found(schema: &'static str, doc: &'static str, text: &'static str) -> Op {
    function(schema, doc, "", text)
}

rows![
    found("native_layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)",
        "As `torch.nn.functional.layer_norm`, with the mean and one over the deviation of each row.",
        "y = torch.nn.functional.layer_norm(input, normalized_shape, weight, bias, eps)
k = len(normalized_shape)
rows = list(input.shape)[:input.dim() - k]
mixed = any(t is not None and t.dtype != input.dtype for t in (weight, bias))
kept = torch.float32 if mixed else input.dtype
x = input.contiguous().to(torch.float64 if input.dtype == torch.float64 else torch.float32)
mean, var = torch.nn.functional._rowwise(x.reshape(math.prod(rows), math.prod(normalized_shape)))
inverse = 1 / (var.clamp(min=0) + eps).sqrt()
(y, mean.to(kept).view(rows + [1] * k), inverse.to(kept).view(rows + [1] * k))"),
    found("native_group_norm(Tensor input, Tensor? weight, Tensor? bias, int N, int C, int HxW, int group, float eps) -> (Tensor, Tensor, Tensor)",
        "As `torch.nn.functional.group_norm`, with the mean and one over the deviation of each group.",
        "if input.numel() != N * C * HxW:
    raise RuntimeError('Expected X.numel() == N * C * HxW to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)')
y = torch.nn.functional.group_norm(input.reshape(N, C, HxW), group, weight, bias, eps).view(input.shape)
mixed = any(t is not None and t.dtype != input.dtype for t in (weight, bias))
kept = torch.float32 if mixed else input.dtype
x = input.contiguous().to(torch.float64 if input.dtype == torch.float64 else torch.float32)
mean, var = torch.nn.functional._rowwise(x.reshape(N * group, C // group * HxW))
inverse = 1 / (var.clamp(min=0).double() + eps).sqrt()
(y, mean.to(kept).view(N, group), inverse.to(kept).view(N, group))"),
    op("native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
        "As `torch.nn.functional.batch_norm`, with the mean and one over the deviation of each channel; without them where those are given.", "",
        Code(concat!("if input.numel() == 0:
    raise RuntimeError(f'input tensor must have at least one element, but got input_sizes = {list(input.shape)}')
if not training and (running_mean is None or running_var is None):
    raise ValueError(('running_mean' if running_mean is None else 'running_var') + ' must be defined in evaluation mode')
", batch_norm!(), "kept = work if mixed else input.dtype
(y, mean.to(kept), inverse.to(kept)) if training else (y, torch.empty(0, dtype=kept), torch.empty(0, dtype=kept))"))).function_only(),
];
