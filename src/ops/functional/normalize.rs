//! Normalisation: by the mean and variance of groups of elements, or by a norm.

use super::function;
use crate::ops::refusal::{ALL, LONG, kernel};

rows![
    function("nn.functional.layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor",
        "Mean 0 and variance 1 over the last dimensions.", "torch.nn.functional.layer_norm(torch.tensor([1., 3.]), (2,))  # tensor([-1.0000,  1.0000])",
        "k = len(normalized_shape)
if k == 0 or list(input.shape)[input.dim() - k:] != list(normalized_shape):
    raise RuntimeError(f'Given normalized_shape={list(normalized_shape)}, expected input with shape [*, ' + ', '.join(str(n) for n in normalized_shape) + f'], but got input of size{list(input.shape)}')
for p in (weight, bias):
    if p is not None and p.dtype != input.dtype:
        if p.dtype != torch.float32:
            raise RuntimeError('mixed dtype (CPU): expect parameter to have scalar type of Float')
        if input.dtype not in (torch.float16, torch.bfloat16):
            raise RuntimeError('mixed dtype (CPU): all inputs must share same datatype.')
x = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
dims = list(range(-k, 0))
var, mean = torch.var_mean(x, dims, correction=0, keepdim=True)
y = (x - mean) * (var + eps).rsqrt()
y = y if weight is None else y * weight
y = y if bias is None else y + bias
y if x is input else y.to(input.dtype)").refuses(&[kernel(ALL, "LayerNormKernelImpl")]),
    function("nn.functional.rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
        "Divides by the root of the mean square over the last dimensions.", "torch.nn.functional.rms_norm(torch.tensor([3., 4.]), (2,))  # tensor([0.8485, 1.1314])",
        "k = len(normalized_shape)
if k == 0 or list(input.shape)[input.dim() - k:] != list(normalized_shape):
    raise RuntimeError(f'Given normalized_shape={list(normalized_shape)}, expected input with shape [*, ' + ', '.join(str(n) for n in normalized_shape) + f'], but got input of size{list(input.shape)}')
x = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
y = x * ((x * x).mean(list(range(-k, 0)), keepdim=True) + (torch.finfo(input.dtype).eps if eps is None else eps)).rsqrt()
y = y if weight is None else y * weight
y if x is input else y.to(input.dtype)"),
    function("nn.functional.group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor",
        "Mean 0 and variance 1 over groups of channels.", "torch.nn.functional.group_norm(torch.tensor([[1., 3.]]), 1)  # tensor([[-1.0000,  1.0000]])",
        "if input.dim() < 2:
    raise RuntimeError(f'Expected at least 2 dimensions for input tensor but received {input.dim()}')
if input.size(1) % num_groups:
    raise RuntimeError(f'Expected number of channels in input to be divisible by num_groups, but got input of shape {list(input.shape)} and num_groups={num_groups}')
x = input.reshape(input.size(0), num_groups, input.numel() // max(input.size(0) * num_groups, 1))
var, mean = torch.var_mean(x, 2, correction=0, keepdim=True)
y = ((x - mean) * (var + eps).rsqrt()).view(input.shape)
along = [-1] + [1] * (input.dim() - 2)
y = y if weight is None else y * weight.view(along)
y if bias is None else y + bias.view(along)").refuses(&[kernel(ALL, "GroupNormKernelImpl")]),
    function("nn.functional.batch_norm(Tensor input, Tensor? running_mean, Tensor? running_var, Tensor? weight=None, Tensor? bias=None, bool training=False, float momentum=0.1, float eps=1e-05) -> Tensor",
        "Mean 0 and variance 1 over each channel of all examples: by the given mean and variance, or in training by their own, which also moves the given ones.",
        "torch.nn.functional.batch_norm(torch.tensor([[1.], [3.]]), None, None, training=True)  # tensor([[-1.0000],\n#         [ 1.0000]])",
        "if training and input.numel() == input.size(1):
    raise ValueError(f'Expected more than 1 value per channel when training, got input size {input.size()}')
along = [1, -1] + [1] * (input.dim() - 2)
channels = input.size(1)
for name, given in (('running_mean', running_mean), ('running_var', running_var), ('weight', weight), ('bias', bias)):
    if given is not None and given.numel() != channels:
        raise RuntimeError(f'{name} should contain {channels} elements not {given.numel()}')
# Sums are taken in float64, what is kept of them has the input's dtype, and products are added unrounded.
work = torch.float64 if input.dtype == torch.float64 else torch.float32
held = lambda t: t.to(input.dtype).to(work)
fused = lambda a, b, c: (a.double() * b.double() + c.double()).to(work)
x = input.to(work)
if training:
    dims = [d for d in range(input.dim()) if d != 1]
    n = input.numel() // channels
    mean = held(x.double().sum(dims) / n)
    apart = x - mean.view(along)
    total = (apart * apart).double().sum(dims).to(input.dtype)
    inverse = held(1 / ((total / n).double() + eps).sqrt())
    if running_mean is not None:
        running_mean.copy_((1 - momentum) * running_mean + momentum * mean)
        running_var.copy_((1 - momentum) * running_var.double() + momentum * (total.double() / (n - 1)))
elif running_mean is None or running_var is None:
    raise RuntimeError(('running_mean' if running_mean is None else 'running_var') + ' must be defined in evaluation mode')
else:
    mean, inverse = running_mean.to(work), 1 / (running_var.to(work) + eps).sqrt()
slope = inverse if weight is None else inverse * weight.to(work)
offset = fused(-mean, slope, torch.zeros_like(mean) if bias is None else bias.to(work))
fused(x, slope.view(along), offset.view(along)).to(input.dtype)").refuses(&[kernel(ALL, "batch_norm")]),
    function("nn.functional.instance_norm(Tensor input, Tensor? running_mean=None, Tensor? running_var=None, Tensor? weight=None, Tensor? bias=None, bool use_input_stats=True, float momentum=0.1, float eps=1e-05) -> Tensor",
        "Mean 0 and variance 1 over each channel of each example.", "torch.nn.functional.instance_norm(torch.tensor([[[1., 3.]]]))  # tensor([[[-1.0000,  1.0000]]])",
        "if use_input_stats and input.dim() > 2 and input[0, 0].numel() == 1:
    raise ValueError(f'Expected more than 1 spatial element when training, got input size {input.size()}')
if not use_input_stats and (running_mean is None or running_var is None):
    raise RuntimeError('Expected running_mean and running_var to be defined when use_input_stats is false')
count, channels = input.size(0), input.size(1)
each = lambda t: None if t is None else t.repeat(count)
mean, var = each(running_mean), each(running_var)
y = torch.nn.functional.batch_norm(input.reshape([1, count * channels] + list(input.shape)[2:]), mean, var, each(weight), each(bias), use_input_stats, momentum, eps)
if use_input_stats and running_mean is not None:
    running_mean.copy_(mean.view(count, channels).mean(0))
    running_var.copy_(var.view(count, channels).mean(0))
y.view(input.shape)").refuses(&[kernel(ALL, "batch_norm")]),
    function("nn.functional.normalize(Any input, float p=2.0, int dim=1, float eps=1e-12, Tensor? out=None) -> Tensor", "Divides by the norm along a dimension.",
        "torch.nn.functional.normalize(torch.tensor([[3., 4.]]))  # tensor([[0.6000, 0.8000]])", "torch.div(input, input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input), out=out)"),
    function("nn.functional.local_response_norm(Tensor input, int size, float alpha=0.0001, float beta=0.75, float k=1.0) -> Tensor", "Divides by the squares of neighbouring channels.",
        "torch.nn.functional.local_response_norm(torch.ones(1, 1, 1), 1)  # tensor([[[0.9999]]])",
        "if input.dim() < 3:
    raise ValueError(f'Expected 3D or higher dimensionality                          input (got {input.dim()} dimensions)')
square = (input * input).transpose(1, -1)
padded = torch.nn.functional.pad(square, [size // 2, (size - 1) // 2])
mean = padded.unfold(-1, size, 1).mean(-1).transpose(1, -1)
input / (mean * alpha + k).pow(beta)").refuses(&[kernel(ALL - LONG, "avg_pool2d")]),
];
