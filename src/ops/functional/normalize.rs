//! Normalisation: by the mean and variance of groups of elements, or by a norm.

use super::function;
use super::usual::norms;

/// Fails where the dtypes of weight and bias do not go with each other and with the input: the first that is given decides.
macro_rules! dtypes {
    () => {
        "first = bias if weight is None else weight
if first is not None and first.dtype != input.dtype:
    if first.dtype != torch.float32 or bias is not None and bias.dtype != torch.float32:
        raise RuntimeError('mixed dtype (CPU): expect parameter to have scalar type of Float')
    if input.dtype not in (torch.float16, torch.bfloat16):
        raise RuntimeError('mixed dtype (CPU): all inputs must share same datatype.')"
    };
}

/// The parameters have one dtype, and the kernel of this name takes the input's.
macro_rules! taken {
    ($kernel:literal) => {
        concat!(
            only_floats!($kernel),
            "if first is not None and bias is not None and first.dtype == input.dtype != bias.dtype:
    raise RuntimeError(f'expected scalar type {input.type()[6:-6]} but found {bias.type()[6:-6]}')"
        )
    };
}

/// One of the gradients of a norm: of floats of one dtype in one pass; of others, and where it has a history, by the formula of `found`,
/// which is indented.
macro_rules! way_back {
    ($call:expr, $formula:expr) => {
        concat!(
            "kinds = {t.dtype for t in (grad, input, weight) if t is not None}
if torch.is_grad_enabled() or input.numel() == 0 or len(kinds) > 1 or input.dtype not in (torch.float32, torch.float64):
",
            $formula,
            "
else:
    found = torch.nn.functional.",
            $call,
            "
found"
        )
    };
}
pub(super) use way_back;

/// A gradient of a normalised layer: of what it comes to, `x` being the normalised input and `scale` what it was multiplied by.
macro_rules! layer_back {
    ($place:literal, $found:literal) => {
        way_back!(
            concat!("_layer_norm_back(grad, input, weight, math.prod(normalized_shape), eps).", $place),
            concat!(
                "    low = input.dtype in (torch.float16, torch.bfloat16)
    wide = lambda t: t.float() if low else t
    held = lambda t: t.to(input.dtype).float() if low and (weight is None or weight.dtype == input.dtype) else t
    dims = list(range(input.ndim - len(normalized_shape), input.ndim))
    given = wide(input)
    mean = given.mean(dims, True)
    scale = held((((given - mean) ** 2).mean(dims, True) + eps).rsqrt())
    x, grad = (given - held(mean)) * scale, wide(grad)
",
                $found
            )
        )
    };
}

/// A gradient of a norm of groups.
macro_rules! group_back {
    ($place:literal, $found:literal) => {
        way_back!(
            concat!("_group_norm_back(grad, input, weight, num_groups, eps).", $place),
            concat!(
                "    along = [1, -1] + [1] * (input.ndim - 2)
    apart = lambda t: t.reshape([input.shape[0], num_groups, math.prod(input.shape[1:]) // num_groups])
    mean = apart(input).mean(-1, True)
    scale = (((apart(input) - mean) ** 2).mean(-1, True) + eps).rsqrt()
    x = (apart(input) - mean) * scale
    rest = [d for d in range(input.ndim) if d != 1]
",
                $found
            )
        )
    };
}

/// A gradient of a norm of channels.
macro_rules! batch_back {
    ($place:literal, $found:literal) => {
        super::normalize::way_back!(
            concat!("_batch_norm_back(grad, input, weight, None if training else running_mean, None if training else running_var, eps, None if grad.is_contiguous(memory_format=torch.nn.functional._order([grad])) else grad.sum([d for d in range(input.ndim) if d != 1])).", $place),
            concat!(
                "    along = [1, -1] + [1] * (input.ndim - 2)
    rest = [d for d in range(input.ndim) if d != 1]
    mean = input.mean(rest, True) if training else running_mean.view(along)
    scale = ((((input - mean) ** 2).mean(rest, True) if training else running_var.view(along)) + eps).rsqrt()
    x = (input - mean) * scale
",
                $found
            )
        )
    };
}
pub(super) use batch_back;

rows![
    function("nn.functional.layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor",
        "Mean 0 and variance 1 over the last dimensions.", "torch.nn.functional.layer_norm(torch.tensor([1., 3.]), (2,))  # tensor([-1.0000,  1.0000])",
        concat!(dtypes!(), "
k = len(normalized_shape)
if k == 0:
    raise RuntimeError(f'Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = {list(normalized_shape)}')
for name, p in (('weight', weight), ('bias', bias)):
    if p is not None and list(p.shape) != list(normalized_shape):
        raise RuntimeError(f'Expected {name} to be of same shape as normalized_shape, but got {name} of shape {list(p.shape)} and normalized_shape = {list(normalized_shape)}')
if list(input.shape)[input.dim() - k:] != list(normalized_shape):
    raise RuntimeError(f'Given normalized_shape={list(normalized_shape)}, expected input with shape [*, ' + ', '.join(str(n) for n in normalized_shape) + f'], but got input of size{list(input.shape)}')
", taken!("LayerNormKernelImpl"), "
input = input.contiguous()
x = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
of_row = lambda t: t.view(list(input.shape)[:input.dim() - k] + [1] * k)
mean, var = torch.nn.functional._rowwise(x.reshape(math.prod(list(input.shape)[:input.dim() - k]), math.prod(normalized_shape)))
inverse = 1 / (var.clamp(min=0) + eps).sqrt()
fused = torch.nn.functional._fma
y = (x - of_row(mean)) * of_row(inverse) if x is input else fused(x, of_row(inverse), of_row(-mean * inverse))
y = y if weight is None else y * weight + 0 if bias is None else fused(y, weight, bias)
y = y + bias if weight is None and bias is not None else y
torch.empty_like(input) if input.numel() == 0 else y if x is input else y.to(input.dtype)")).usually(norms::layer_norm)
        .grads(&[
            ("input", layer_back!("input", "    g = grad if weight is None else grad * weight\n    found = (g - g.mean(dims, True) - x * (g * x).mean(dims, True)) * scale")),
            ("weight", layer_back!("weight.view(normalized_shape)", "    found = (grad * x).sum_to_size(normalized_shape)")),
            ("bias", layer_back!("bias.view(normalized_shape)", "    found = grad.sum_to_size(normalized_shape)")),
        ]),
    function("nn.functional.rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
        "Divides by the root of the mean square over the last dimensions.", "torch.nn.functional.rms_norm(torch.tensor([3., 4.]), (2,))  # tensor([0.8485, 1.1314])",
        "k = len(normalized_shape)
if k == 0:
    raise RuntimeError(f'Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = {list(normalized_shape)}')
for name, p in (('weight', weight),):
    if p is not None and list(p.shape) != list(normalized_shape):
        raise RuntimeError(f'Expected {name} to be of same shape as normalized_shape, but got {name} of shape {list(p.shape)} and normalized_shape = {list(normalized_shape)}')
if input.dim() < k:
    raise ValueError(f'Input tensor must have at least {k} dimensions, but got {input.dim()}')
if list(input.shape)[input.dim() - k:] != list(normalized_shape):
    raise RuntimeError(f'Given normalized_shape={list(normalized_shape)}, expected input with shape [*' + ', '.join(str(n) for n in normalized_shape) + f'], but got input of size{list(input.shape)}')
if not input.is_floating_point() and not input.is_complex():
    raise NotImplementedError(f'\"rms_norm\" not implemented for \\'{input.type()[6:-6]}\\'')
x = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
y = x * (x.pow(2).mean(list(range(-k, 0)), keepdim=True) + (torch.finfo(x.dtype).eps if eps is None else eps)).rsqrt()
y = y if weight is None else y * weight
y.to(input.dtype).contiguous(memory_format=torch.nn.functional._order([input]))"),
    function("nn.functional.group_norm(Tensor input, Any num_groups, Any weight=None, Any bias=None, Any eps=1e-05) -> Tensor",
        "Mean 0 and variance 1 over groups of channels.", "torch.nn.functional.group_norm(torch.tensor([[1., 3.]]), 1)  # tensor([[-1.0000,  1.0000]])",
        concat!("if input.dim() < 2:
    raise RuntimeError(f'Expected at least 2 dimensions for input tensor but received {input.dim()}')
grouped = [input.size(0) * input.size(1) // num_groups, num_groups] + list(input.shape[2:])
if math.prod(grouped[:1] + grouped[2:]) == 1:
    raise ValueError(f'Expected more than 1 value per channel when training, got input size {grouped}')
takes = '(Tensor input, int num_groups, Tensor? weight, Tensor? bias, float eps)'
input, num_groups, weight, bias, eps = torch.nn.functional._bound('group_norm', takes, [input, num_groups, weight, bias, eps])
if input.size(1) == 0:
    raise RuntimeError('Expected number of channels to be greater than 0, got 0')
if num_groups <= 0:
    raise RuntimeError(f'Expected num groups to be greater than 0, got {num_groups}')
if input.size(1) % num_groups:
    raise RuntimeError(f'Expected number of channels in input to be divisible by num_groups, but got input of shape {list(input.shape)} and num_groups={num_groups}')
for name, p in (('weight', weight), ('bias', bias)):
    if p is not None and (p.dim() != 1 or p.numel() != input.size(1)):
        raise RuntimeError(f'Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of shape {list(p.shape)} and input of shape {list(input.shape)}')
if math.prod(list(input.shape)[2:]) == 0:
    raise RuntimeError('Expected HxW to be greater than 0, got 0')
", dtypes!(), "
", taken!("GroupNormKernelImpl"), "
x = (input.float() if input.dtype in (torch.float16, torch.bfloat16) else input).reshape([input.size(0), input.size(1), -1] if input.numel() else input.shape)
mean, var = torch.nn.functional._rowwise(x.reshape(input.size(0) * num_groups, input.numel() // max(input.size(0) * num_groups, 1)))
inverse = (1 / (var.clamp(min=0).double() + eps).sqrt()).to(x.dtype)
of_channel = lambda t: t.view(input.size(0), num_groups).repeat_interleave(input.size(1) // num_groups, 1).view([input.size(0), input.size(1)] + [1] * (x.dim() - 2))
along = [-1] + [1] * (x.dim() - 2)
# A slope and an offset for each channel; products are added unrounded.
slope = of_channel(inverse) if weight is None else of_channel(inverse) * weight.to(x.dtype).view(along)
fused = torch.nn.functional._fma
if weight is None and bias is None:
    y = (x - of_channel(mean)) * slope
else:
    y = fused(x, slope, fused(-slope, of_channel(mean), torch.zeros([], dtype=x.dtype) if bias is None else bias.to(x.dtype).view(along)))
y = y.view(input.shape).to(input.dtype)
order = torch.nn.functional._order([input])
y.contiguous() if order == torch.contiguous_format else y.clone(memory_format=order)")).usually(norms::group_norm)
        .grads(&[
            ("input", group_back!("input", "    g = apart(grad if weight is None else grad * weight.view(along))\n    found = ((g - g.mean(-1, True) - x * (g * x).mean(-1, True)) * scale).reshape(input.shape)")),
            ("weight", group_back!("weight", "    found = (grad * x.reshape(input.shape)).sum(rest)")),
            ("bias", group_back!("bias", "    found = grad.sum(rest)")),
        ]),
    function("nn.functional.batch_norm(Tensor input, Tensor? running_mean, Tensor? running_var, Tensor? weight=None, Tensor? bias=None, bool training=False, float momentum=0.1, Scalar eps=1e-05) -> Tensor",
        "Mean 0 and variance 1 over each channel of all examples: by the given mean and variance, or in training by their own, which also moves the given ones.",
        "torch.nn.functional.batch_norm(torch.tensor([[1.], [3.]]), None, None, training=True)  # tensor([[-1.0000],\n#         [ 1.0000]])",
        "if training and input.dim() > 1 and math.prod(list(input.shape)[:1] + list(input.shape)[2:]) == 1:
    raise ValueError(f'Expected more than 1 value per channel when training, got input size {input.size()}')
if training and eps <= 0:
    raise ValueError(f'batch_norm eps must be positive during training, but got {eps}')
if eps < 0:
    raise ValueError(f'batch_norm eps must be non-negative, but got {eps}')
torch.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, False)").constants(&[("running_mean", "native_batch_norm"), ("running_var", "native_batch_norm")]).usually(norms::batch_norm_function),
    function("nn.functional.instance_norm(Tensor input, Any running_mean=None, Any running_var=None, Any weight=None, Any bias=None, bool use_input_stats=True, float momentum=0.1, float eps=1e-05) -> Tensor",
        "Mean 0 and variance 1 over each channel of each example.", "torch.nn.functional.instance_norm(torch.tensor([[[1., 3.]]]))  # tensor([[[-1.0000,  1.0000]]])",
        "if use_input_stats and math.prod(list(input.shape)[2:]) == 1:
    raise ValueError(f'Expected more than 1 spatial element when training, got input size {input.size()}')
torch.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, False)").constants(&[("running_mean", "native_batch_norm"), ("running_var", "native_batch_norm")]).usually(norms::instance_norm_function),
    function("nn.functional.normalize(Any input, Any p=2.0, Any dim=1, Any eps=1e-12, Tensor? out=None) -> Tensor", "Divides by the norm along a dimension.",
        "torch.nn.functional.normalize(torch.tensor([[3., 4.]]))  # tensor([[0.6000, 0.8000]])", "torch.div(input, input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input), out=out)"),
    function("nn.functional.local_response_norm(Tensor input, Any size, Any alpha=0.0001, Any beta=0.75, Any k=1.0) -> Tensor", "Divides by the squares of neighbouring channels.",
        "torch.nn.functional.local_response_norm(torch.ones(1, 1, 1), 1)  # tensor([[[0.9999]]])",
        "if input.dim() < 3:
    raise ValueError(f'Expected 3D or higher dimensionality                          input (got {input.dim()} dimensions)')
if input.numel() == 0:
    y = input
else:
    square, sizes = input.mul(input), input.shape
    around = [size // 2, (size - 1) // 2]
    if input.dim() == 3:
        mean = torch.nn.functional.avg_pool2d(torch.nn.functional.pad(square.unsqueeze(1), [0, 0] + around), (size, 1), stride=1).squeeze(1)
    else:
        # All dimensions behind the second one of an image are one.
        boxes = torch.nn.functional.pad(square.view(sizes[0], 1, sizes[1], sizes[2], -1), [0, 0, 0, 0] + around)
        mean = torch.nn.functional.avg_pool3d(boxes, (size, 1, 1), stride=1).squeeze(1).view(sizes)
    y = input / mean.mul(alpha).add(k).pow(beta)
y"),
];
