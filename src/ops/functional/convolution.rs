//! Convolutions and other linear maps.

use super::piecewise::part;
use super::usual::{convolutions, rows};
use super::{builtin, function};
use crate::ops::{Form, Gradients};

/// `x` with a batch, from an input that may lack it; n-tuples from numbers.
macro_rules! prepared {
    ($n:literal, $name:literal) => {
        concat!(
            "n = ",
            $n,
            "
def each(v, what):
    given = [v] * n if isinstance(v, int) else list(v)
    if len(given) == 1:
        given = given * max(weight.dim() - 2, 1)
    if len(given) != weight.dim() - 2:
        raise RuntimeError(f'expected {what} to be a single integer value or a list of {weight.dim() - 2} values to match the convolution dimensions, but got {what}={given}')
    return given
title = lambda t: t.type()[6:-6]
shown = torch.nn.functional._c_name
is_strange = isinstance(padding, str) and padding not in ('same', 'valid')
if bias is not None and bias.dtype != input.dtype and '",
            $name,
            "' == 'conv' and padding != 'same' and not is_strange:
    raise RuntimeError(f'Input type ({shown(input)}) and bias type ({shown(bias)}) should be the same')
named = lambda t: f'CPU{title(t)}Type' if t.is_complex() or t.dtype in (torch.bool, torch.bfloat16) else t.type()
if input.dim() not in (n + 1, n + 2):
    raise RuntimeError(f'Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to ",
            $name,
            "{n}d, but got input of size: {list(input.shape)}')
if input.is_complex() and weight.dtype != input.dtype:
    raise RuntimeError(f'Input type ({named(input)}) and weight type ({named(weight)}) should be the same')
if is_strange:
    raise RuntimeError(f\"Invalid padding string: '{padding}'\")
if weight.dim() < 3:
    raise RuntimeError('weight should have at least three dimensions')
if not isinstance(padding, str) and groups < 1:
    raise RuntimeError('non-positive groups is not supported')
bias = None if bias is None else bias.to(input.dtype)
def check(groups, step, pads, more, spread):
    for wrong, what in ((groups < 1, 'non-positive groups'), (min(pads) < 0, 'negative padding'), (min(more) < 0, 'negative output_padding'), (min(step) < 1, 'non-positive stride')):
        if wrong:
            raise RuntimeError(f'{what} is not supported')
    if min(spread) < 0:
        raise RuntimeError('dilation should be greater than zero')
def check_groups():
    if weight.size(0) < groups:
        raise RuntimeError(f'Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size {list(weight.shape)} instead')
    if weight.size(0) % groups:
        raise RuntimeError(f'Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of size {[list(weight.shape)]} instead')
# True where PyTorch's library takes over.
by_library = lambda: torch.nn.functional._has_library(input, weight, groups) or torch.nn.functional._mkldnn_name(x) is not None
narrow = input.dtype in (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32)
def check_places(x):
    if 0 not in x.shape[:2] and x.numel() == 0:
        raise RuntimeError(f'Only zero batch or zero channel inputs are supported, but got input shape: {list((x.unsqueeze(2) if n == 1 else x).shape)}')
def check_dtype(x, spread, kernel):
    if x.numel() == 0:
        return
    if min(spread) < 1 and not by_library():
        raise RuntimeError(f'dilation should be greater than zero, but got {[1] + spread if n == 1 else spread}')
    if max(spread) > 1 and narrow and 'transpose' not in kernel:
        raise NotImplementedError(f'\"slow_conv_dilated<>\" not implemented for \\'{title(x)}\\'')
    if x.dtype == torch.bool or narrow and 'transpose' in kernel:
        raise NotImplementedError(f'\"{kernel}\" not implemented for \\'{title(x)}\\'')
    if x.dtype != weight.dtype and by_library():
        raise RuntimeError(f'Input type ({named(x)}) and weight type ({named(weight)}) should be the same or input should be a MKLDNN tensor and weight is a dense tensor')
    if x.dtype != weight.dtype:
        raise RuntimeError(f'expected scalar type {title(x)} but found {title(weight)}')
    if min(spread) < 1 and by_library():
        raise RuntimeError('non-positive dilation is not supported')
x = input if input.dim() == n + 2 else input.unsqueeze(0)
# Along one dimension the input is laid in order first, the weights are not.
order = torch.nn.functional._order([x, weight] if n > 1 else [x.contiguous().unsqueeze(2), weight.unsqueeze(2)] if x.dim() == 3 else [])
# Of volumes only the library keeps the order.
laid = lambda y: y.clone(memory_format=order if n < 3 or by_library() else torch.contiguous_format) if n > 1 else y.unsqueeze(2).clone(memory_format=order).squeeze(2)
def check_dims(space):
    if x.dim() != weight.dim():
        raise RuntimeError(f'Expected {weight.dim()}-dimensional input for {weight.dim()}-dimensional weight{space}{list(weight.shape)}, but got {x.dim()}-dimensional input of size {list(x.shape)} instead')
"
        )
    };
}

/// A convolution over n dimensions: windows, as a view, times the weights.
macro_rules! convolution {
    ($name:literal, $n:literal, $padding:literal) => {
        function(concat!("nn.functional.", $name, "(Tensor input, Tensor weight, Tensor? bias=None, int[", $n, "] stride=1, ", $padding, ", int[", $n, "] dilation=1, SymInt groups=1) -> Tensor"),
            "Each channel of the result is the sum of windows of the input times its weights.", "",
            concat!(prepared!($n, "conv"), "kernel = list(weight.shape)[2:]
if padding == 'same':
    check_dims('')
    for given, what in ((stride, 'stride'), (dilation, 'dilation')):
        if not isinstance(given, int) and len(given) not in (1, len(kernel)):
            raise RuntimeError(f'{what} cannot broadcast to {len(kernel)} dimensions')
step, spread = each(stride, 'stride'), each(dilation, 'dilation')
if padding == 'same':
    if any(s != 1 for s in step):
        raise RuntimeError('padding=\\'same\\' is not supported for strided convolutions')
    whole = [d * (k - 1) for d, k in zip(spread, kernel)]
    pads = [(w // 2, w - w // 2) for w in whole]
else:
    pads = [(p, p) for p in each(0 if padding == 'valid' else padding, 'padding')]
check(groups, step, [p for p, q in pads], [0], spread)
check_dims(' ')
check_groups()
if x.size(1) != weight.size(1) * groups:
    raise RuntimeError(f'Given groups={groups}, weight of size {list(weight.shape)}, expected input{list(x.shape[:2]) + [m + q - p for m, (p, q) in zip(x.shape[2:], pads)]} to have {weight.size(1) * groups} channels, but got {x.size(1)} channels instead')
if bias is not None and (bias.dim() != 1 or bias.size(0) != weight.size(0)):
    raise RuntimeError(f'Given weight of size {list(weight.shape)}, expected bias to be 1-dimensional with {weight.size(0)} elements, but got bias of size {list(bias.shape)} instead')
given, x = x, torch.nn.functional.pad(x, [g for pair in reversed(pads) for g in pair]).contiguous()
out = [(x.size(2 + i) - spread[i] * (kernel[i] - 1) - 1) // step[i] + 1 for i in range(n)]
if any(x.size(2 + i) < spread[i] * (kernel[i] - 1) + 1 for i in range(n)):
    reach = ' x '.join(str(s * (k - 1) + 1) for s, k in zip(spread, kernel))
    raise RuntimeError(f'Calculated padded input size per channel: ({\" x \".join(str(m) for m in x.shape[2:])}). Kernel size: ({reach}). Kernel size can\\'t be greater than actual input size')
check_places(given)
check_dtype(x, spread, 'slow_conv2d_cpu' if n < 3 else 'compute_columns3d')
windows = x.as_strided([x.size(0), groups, x.size(1) // groups] + kernel + out,
    [x.stride(0), x.stride(1) * (x.size(1) // groups), x.stride(1)] + [x.stride(2 + i) * spread[i] for i in range(n)] + [x.stride(2 + i) * step[i] for i in range(n)])
terms, rows = weight.size(1) * math.prod(kernel), weight.size(0) // groups
wider = {torch.complex32: torch.complex64, torch.float16: torch.float32, torch.bfloat16: torch.float32}
if x.device.type == 'cpu' and x.numel() and weight.numel() and torch.nn.functional._has_library(input, weight, groups):
    y, added = torch.nn.functional._convolve(x, weight, bias, step, [0] * n, spread, groups), False
elif x.dtype in (torch.float32, torch.float64) and groups <= 8:
    # Small ones add to the bias, the last bits tell.
    added = x.size(0) * weight.numel() * math.prod(out) >= 1 << 22
    parts = []
    for g in range(groups):
        w, part = weight[g * rows:(g + 1) * rows].reshape(rows, terms), windows[:, g]
        each_one = [part[i].reshape(terms, -1) for i in range(x.size(0))]
        own = None if bias is None or added else bias[g * rows:(g + 1) * rows].unsqueeze(1)
        made = [torch.mm(w, cells) if own is None else torch.addmm(own.expand(rows, cells.size(1)), w, cells) for cells in each_one]
        parts.append(torch.stack(made).view([x.size(0), rows] + out) if made else x.new_zeros([0, rows] + out))
    y = torch.cat(parts, 1)
else:
    # complex32 has no products of matrices; 16-bit floats are rounded once, with the bias.
    wide = wider.get(x.dtype, x.dtype)
    y = (weight.to(wide).reshape(groups, rows, terms) @ windows.to(wide).reshape(x.size(0), groups, terms, math.prod(out))).view([x.size(0), weight.size(0)] + out)
    added = not y.is_floating_point()
    y = (y if added or bias is None else y + bias.to(wide).view([-1] + [1] * n)).to(x.dtype)
if added and bias is not None:
    y = y + bias.view([-1] + [1] * n)
y = laid(y)
y if input.dim() == n + 2 else y.squeeze(0)")).usually(convolutions::convolution).grads(CONVOLUTION).conjugated()
    };
}

/// The transposed map of a convolution: what each cell of the kernel makes of the input, added where the cell puts it.
macro_rules! transposed {
    ($name:literal, $n:literal) => {
        function(concat!("nn.functional.", $name, "(Tensor input, Tensor weight, Tensor? bias=None, int[", $n, "] stride=1, int[", $n, "] padding=0, int[", $n, "] output_padding=0, SymInt groups=1, int[", $n, "] dilation=1) -> Tensor"),
            "The map whose matrix is the transpose of a convolution's.", "",
            concat!(prepared!($n, "conv_transpose"), "step, pad, more, spread = each(stride, 'stride'), each(padding, 'padding'), each(output_padding, 'output_padding'), each(dilation, 'dilation')
check(groups, step, pad, more, spread)
check_dims(' ')
check_groups()
if x.size(1) != weight.size(0):
    raise RuntimeError(f'Given transposed=1, weight of size {list(weight.shape)}, expected input{list(x.shape)} to have {weight.size(0)} channels, but got {x.size(1)} channels instead')
if bias is not None and (bias.dim() != 1 or bias.size(0) != weight.size(1) * groups):
    raise RuntimeError(f'Given transposed=1, weight of size {list(weight.shape)}, expected bias to be 1-dimensional with {weight.size(1) * groups} elements, but got bias of size {list(bias.shape)} instead')
sides = ['height', 'width'] if n < 3 else ['depth', 'height', 'width']
if min(spread) < 1 and by_library():
    undescribed = 'could not create a primitive descriptor for the deconvolution forward propagation primitive. Run workload with environment variable ONEDNN_VERBOSE=all to get additional diagnostic information.'
    raise RuntimeError(undescribed if n < 3 else 'dimensions are invalid')
if min(spread) < 1:
    got = ', '.join(f'dilation_{side}: {v}' for side, v in zip(sides, [1] + spread if n == 1 else spread))
    raise RuntimeError(f'dilation should be greater than zero, but got {got}')
if any(m >= max(s, d) for m, s, d in zip(more, step, spread)):
    lists = (('output_padding', 0, more), ('stride', 1, step), ('dilation', 1, spread))
    got = ' '.join(f'{what}_{side}: {v}' for what, one, given in lists for side, v in zip(sides, [one] + given if n == 1 else given))
    raise RuntimeError(f'output padding must be smaller than either stride or dilation, but got {got}')
check_places(x)
check_dtype(x, spread, f'slow_conv_transpose{max(n, 2)}d_out_cpu')
kernel, sizes = list(weight.shape)[2:], list(x.shape)[2:]
whole = [(sizes[i] - 1) * step[i] + spread[i] * (kernel[i] - 1) + 1 + more[i] for i in range(n)]
least = min(w - 2 * p for w, p in zip(whole, pad))
if least < 0 and by_library():
    raise RuntimeError('could not construct a memory descriptor using a format tag')
if least < 0 or least == 0 and not by_library():
    told = lambda v, one: '(' + ' x '.join(map(str, [1] * one + v)) + ')'
    raise RuntimeError(f'Given input size per channel: {told(sizes, n == 1)}. Calculated output size per channel: {told([w - 2 * p for w, p in zip(whole, pad)], n == 1)}. Output size is too small')
cells = math.prod(kernel)
if groups == 1 and x.dtype in (torch.float32, torch.float64) and x.size(0) > 0:
    flat = weight.reshape(weight.size(0), -1).t()
    made = torch.stack([torch.mm(flat, x[i].reshape(x.size(1), -1)) for i in range(x.size(0))])
else:
    # bfloat16 is rounded once, at the end.
    wide = {torch.complex32: torch.complex64, torch.bfloat16: torch.float32}.get(x.dtype, x.dtype)
    made = (weight.to(wide).reshape(groups, weight.size(0) // groups, -1).transpose(1, 2) @ x.to(wide).reshape(x.size(0), groups, x.size(1) // groups, math.prod(sizes)))
made = made if x.dtype == torch.bfloat16 else made.to(x.dtype)
made = made.reshape([x.size(0), weight.size(1) * groups, cells] + sizes)
y = made.new_zeros([x.size(0), weight.size(1) * groups] + whole)
for cell in range(cells):
    place, rest = [], cell
    for i in reversed(range(n)):
        start, rest = rest % kernel[i] * spread[i], rest // kernel[i]
        place.insert(0, slice(start, start + (sizes[i] - 1) * step[i] + 1, step[i]))
    y[tuple([slice(None), slice(None)] + place)] += made[:, :, cell]
y = y[tuple([slice(None), slice(None)] + [slice(p, w - p) for p, w in zip(pad, whole)])].clone(memory_format=torch.contiguous_format)
y = (y if bias is None else y + bias.to(y.dtype).view([-1] + [1] * n)).to(x.dtype)
y = laid(y)
y if input.dim() == n + 2 else y.squeeze(0)")).usually(convolutions::transposed).grads(TRANSPOSED).conjugated()
    };
}

const EMBEDDING: &str = "if padding_idx is not None and (padding_idx >= weight.size(0) if padding_idx > 0 else padding_idx < -weight.size(0)):
    raise AssertionError('Padding_idx must be within num_embeddings')
if padding_idx is not None:
    torch.nn.functional._bound('embedding', '(Tensor weight, Tensor indices, int padding_idx)', [weight, input, padding_idx])
kernel, indices = ('embedding', 1) if max_norm is None else ('embedding_renorm_', 2)
if max_norm is not None:
    for name, value, place in (('max_norm', max_norm, 3), ('norm_type', norm_type, 4)):
        if not isinstance(value, (int, float)):
            raise TypeError(f'embedding_renorm_(): argument \\'{name}\\' (position {place}) must be float, not {type(value).__name__}')
    if weight.dim() != 2:
        raise RuntimeError(f'Expected 2-dimensional tensor, but got {weight.dim()}-dimensional tensor for argument #1 \\'self\\' (while checking arguments for embedding_renorm_)')
if weight.dim() != 2:
    raise RuntimeError('\\'weight\\' must be 2-D')
if input.dtype not in (torch.int64, torch.int32):
    unknown = input.dtype in (torch.bool, torch.bfloat16) or input.is_complex()
    name = f'CPU{input.type()[6:-6]}Type' if unknown else input.type()
    raise RuntimeError(f'Expected tensor for argument #{indices} \\'indices\\' to have one of the following scalar types: Long, Int; but got {name} instead (while checking arguments for {kernel})')
if max_norm is not None:
    used = input.unique()
    for place in used.tolist():
        if not -weight.size(0) <= place < weight.size(0):
            raise IndexError(f'select(): index {place} out of range for tensor of size {list(weight.shape)} at dimension 0')
    rows = weight[used]
    if not (rows.is_floating_point() or rows.is_complex()):
        raise NotImplementedError(f'norm(): input dtype should be either floating point or complex. Got {rows.type()[6:-6]} instead.')
    norms = rows.norm(norm_type, 1, True)
    wide = norms.double()
    factor = (torch.full_like(wide, max_norm) / (wide + 1e-7)).to(norms.dtype)
    with torch.no_grad():
        weight[used] = torch.where(norms > max_norm, rows * factor, rows)
if input.numel() and (int(input.min()) < 0 or int(input.max()) >= weight.size(0)):
    raise IndexError('index out of range in self')
weight.index_select(0, input.reshape(-1)).view(list(input.shape) + [weight.size(1)])";

rows![
    function("nn.functional.embedding(Tensor input, Tensor weight, Any padding_idx=None, Any max_norm=None, Any norm_type=2.0, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
        "The row of `weight` that each number of `input` names.", "torch.nn.functional.embedding(torch.tensor([1, 0]), torch.tensor([[1., 2.], [3., 4.]]))  # tensor([[3., 4.],\n#         [1., 2.]])",
        EMBEDDING).usually(rows::embedding)
        .grads(&[("weight", "places = input.reshape(-1)\nif sparse and padding_idx is not None:\n    kept = places != padding_idx % weight.shape[0]\n    places, grad = places[kept], grad.reshape(-1, weight.shape[1])[kept]\npart = grad.reshape(-1, weight.shape[1])\nif padding_idx is not None and not sparse:\n    part = torch.where((places == padding_idx % weight.shape[0]).unsqueeze(1), 0., part)\nif scale_grad_by_freq:\n    part = part / torch.bincount(places)[places].unsqueeze(1)\ntorch.sparse_coo_tensor(places.unsqueeze(0), part, list(weight.shape)) if sparse else weight.new_zeros(weight.shape).index_add(0, places, part)")]),
    function("embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
        "The row of `weight` that each number of `indices` names.", "torch.embedding(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor(1))  # tensor([3., 4.])",
        "torch.nn.functional.embedding(indices, weight)").usually(rows::embedding_of),
    part(
        "nn.functional._has_library(Tensor input, Tensor weight, int groups) -> bool",
        "True where PyTorch leaves a convolution to its library for float32.",
        "torch.nn.functional._has_library(torch.ones(2, 1, 2, 2), torch.ones(1, 1, 2, 2), 1)  # True",
        Form::Native(convolutions::has_library),
    ),
    part(
        "nn.functional._convolve(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, int groups) -> Tensor",
        "A convolution of float32 as PyTorch's library adds it up.",
        "torch.nn.functional._convolve(torch.ones(2, 1, 3), torch.ones(1, 1, 3), None, [1], [0], [1], 1)  # tensor([[[3.]],\n#\n#         [[3.]]])",
        Form::Native(convolutions::convolve),
    )
    .no_grad(),
    part(
        "nn.functional._weights_back(Tensor grad, Tensor input, Tensor weight, int[] stride, int[] padding, int[] dilation, int groups) -> Tensor",
        "The gradient of the weights of a convolution.",
        "torch.nn.functional._weights_back(torch.ones(1, 1, 2), torch.ones(1, 1, 3), torch.ones(1, 1, 2), [1], [0], [1], 1)  # tensor([[[2., 2.]]])",
        Form::Code(WEIGHTS),
    ),
    part(
        "nn.functional._conv2d_weights_back(Tensor grad, Tensor input, Tensor weight, int[2] stride, int[2] padding, int[2] dilation) -> Tensor",
        "The gradient of the weights of a convolution of one group, or of planes with windows of their own, one window after the other.",
        "torch.nn.functional._conv2d_weights_back(torch.ones(1, 1, 1, 1), torch.ones(1, 1, 1, 2), torch.ones(1, 1, 1, 2), 1, 0, 1)  # tensor([[[[1., 1.]]]])",
        Form::Native(convolutions::weights_back),
    )
    .no_grad(),
    part(
        "nn.functional._offsets_back(Tensor grad, Tensor? input=None, Tensor? weight=None, int[2] stride=1, int[2] padding=0, int[2] dilation=1, bool by_example=False) -> Tensor",
        "The gradient of the offsets of channels, one element after the other: of a transposed convolution, or of one of two dimensions.",
        "torch.nn.functional._offsets_back(torch.ones(2, 1, 3))  # tensor([6.])",
        Form::Native(convolutions::offsets_back),
    )
    .no_grad(),
    convolution!("conv1d", "1", "int[1] padding=0"), convolution!("conv1d", "1", "str padding=\"valid\""),
    convolution!("conv2d", "2", "int[2] padding=0"), convolution!("conv2d", "2", "str padding=\"valid\""),
    convolution!("conv3d", "3", "int[3] padding=0"), convolution!("conv3d", "3", "str padding=\"valid\""),
    transposed!("conv_transpose1d", "1"), transposed!("conv_transpose2d", "2"), transposed!("conv_transpose3d", "3"),
    builtin("nn.functional.linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor", "The input times the transposed weights, and the bias.",
        "torch.nn.functional.linear(torch.tensor([[1., 2.]]), torch.tensor([[3., 4.]]), torch.tensor([0.5]))  # tensor([[11.5000]])",
        "if input.dim() == 0 or weight.dim() == 0:
    raise RuntimeError(f'both arguments to linear need to be at least 1D, but they are {input.dim()}D and {weight.dim()}D')
# Rows that lie one behind the other are one matrix, to which one row or column of numbers is added at once.
at_once = bias is not None and (bias.dim() == 1 or sum([size != 1 for size in bias.shape]) == 1)
if bias is not None and (input.dim() == 2 or at_once and bias.is_contiguous() and input.is_contiguous()):
    rows = input if input.dim() == 2 else input.reshape(math.prod(input.shape[:-1]), input.size(-1))
    y = torch.addmm(bias, rows, weight.t())
    y = y if input.dim() == 2 else y.view(input.shape[:-1] + y.shape[1:])
else:
    y = input @ weight.t()
    y = y if bias is None else y.add_(bias)
y")
        .grads(&[
            ("input", "grad @ weight if weight.ndim == 2 else grad.unsqueeze(-1) * weight"),
            ("weight", "(grad.flatten(0, -2).t() @ input.flatten(0, -2) if input.ndim > 1 else torch.outer(grad, input)) if weight.ndim == 2 else (grad.unsqueeze(-1) * input)"),
            ("bias", "grad"),
        ]).conjugated(),
    function("nn.functional.bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor", "`input1 @ weight @ input2`, for each output.",
        "torch.nn.functional.bilinear(torch.tensor([[1., 2.]]), torch.tensor([[3.]]), torch.ones(1, 2, 1))  # tensor([[9.]])",
        "shown = torch.nn.functional._c_name
every = [('input1', input1), ('input2', input2), ('weight', weight)] + ([] if bias is None else [('bias', bias)])
if any(t.dtype != input1.dtype for name, t in every):
    raise RuntimeError('All tensors must have the same dtype, got ' + ', '.join(f'{name}: {shown(t)}' for name, t in every))
if input1.dim() != input2.dim():
    raise RuntimeError(f'bilinear(): input dimensions do not match: got {input1.dim()} and {input2.dim()}')
for d in range(input1.dim() - 1):
    if input1.size(d) != input2.size(d):
        raise RuntimeError(f'bilinear(): input batch dimensions do not match at dim {d}: got {input1.size(d)} and {input2.size(d)}')
for name, t, d in (('input1', input1, 1), ('input2', input2, 2)):
    if t.size(-1) != weight.size(d):
        raise RuntimeError(f'bilinear(): {name} size does not match weight size: got {t.size(-1)} but expected {weight.size(d)}')
if bias is not None and bias.size(0) != weight.size(0):
    raise RuntimeError(f'bilinear(): bias size does not match weight size: got {bias.size(0)} but expected {weight.size(0)}')
y = torch.einsum('...i,kij,...j->...k', input1, weight, input2)
# The sums begin with a zero.
y = torch.zeros(y.shape, dtype=y.dtype, device=y.device).add_(y)
y if bias is None else y + bias"),
];

/// What a convolution was called with, a number for each dimension; 'same' may need one cell more at the ends.
macro_rules! arguments {
    () => {
        "n = weight.ndim - 2
each = lambda v: [v] * n if isinstance(v, int) else list(v) * (n if len(v) == 1 else 1)
kernel, step, rate = list(weight.shape[2:]), each(stride), each(dilation)
same = [r * (k - 1) for k, r in zip(kernel, rate)] if padding == 'same' else [0] * n
pads, ends = [w // 2 for w in same] if isinstance(padding, str) else each(padding), [w % 2 for w in same]
"
    };
}

/// The gradient of offsets, by what PyTorch's library does with it.
macro_rules! offsets {
    ($by_library:literal) => {
        concat!(
            arguments!(),
            "g = grad if grad.ndim == weight.ndim else grad.unsqueeze(0)
in_turn = not torch.is_grad_enabled() and g.device.type == 'cpu' and torch.nn.functional._has_library(input, weight, groups)
def by_library():
",
            $by_library,
            "
by_library() if in_turn and 0 < g.numel() <= 65536 * g.shape[1] else g.flatten(2).sum([0, 2])"
        )
    };
}

const CONVOLUTION: Gradients = &[
    (
        "input",
        concat!(
            arguments!(),
            "sizes = [size + end for size, end in zip(input.shape[-n:], ends)]
more = [(size + 2 * p - r * (k - 1) - 1) % s for size, p, r, k, s in zip(sizes, pads, rate, kernel, step)]
made = getattr(torch.nn.functional, f'conv_transpose{n}d')(grad, weight, None, step, pads, more, groups, rate)
made[tuple([...] + [slice(size) for size in input.shape[-n:]])] if any(ends) else made"
        ),
    ),
    (
        "weight",
        concat!(
            arguments!(),
            "input = torch.nn.functional.pad(input, [size for end in reversed(ends) for size in (0, end)]) if any(ends) else input
torch.nn.functional._weights_back(grad, input, weight, step, pads, rate, groups)"
        ),
    ),
    (
        "bias",
        offsets!(
            "    x = input if input.ndim == weight.ndim else input.unsqueeze(0)
    x = torch.nn.functional.pad(x, [size for end in reversed(ends) for size in (0, end)]) if any(ends) else x
    x, w = [t.unsqueeze(2) if n == 1 else t for t in (x, weight)]
    how = [v if n == 2 else [one] + v for one, v in ((1, step), (0, pads), (1, rate))]
    return torch.nn.functional._offsets_back(g) if n == 3 else torch.nn.functional._offsets_back(g, x, w, *how)"
        ),
    ),
];

/// A transposed convolution is a convolution's way back: input and result exchange their roles.
const TRANSPOSED: Gradients = &[
    (
        "input",
        "n = weight.ndim - 2
made = getattr(torch.nn.functional, f'conv{n}d')(grad, weight, None, stride, padding, dilation, groups)
made if made.shape[-n:] == input.shape[-n:] else made[tuple([...] + [slice(size) for size in input.shape[-n:]])].clone(memory_format=torch.contiguous_format)",
    ),
    (
        "weight",
        concat!(
            arguments!(),
            "# Windows that begin in what the result has more at its ends have nothing of the input.
more = [p // s for p, s in zip(each(output_padding), step)]
input = torch.nn.functional.pad(input, [size for m in reversed(more) for size in (0, m)]) if any(more) else input
torch.nn.functional._weights_back(input, grad, weight, step, pads, rate, groups)"
        ),
    ),
    // Few channels are added up example by example.
    ("bias", offsets!("    return torch.nn.functional._offsets_back(g, by_example=g.shape[1] < 4)")),
];

const WEIGHTS: &str = "n, shape = weight.ndim - 2, weight.shape
input, grad = [t if t.ndim == n + 2 else t.unsqueeze(0) for t in (input, grad)]
def volumes():
    pairs = zip(input.chunk(groups, 1), grad.chunk(groups, 1))
    made = [torch.nn.functional.conv3d(x.transpose(0, 1), g.transpose(0, 1), None, dilation, padding, stride) for x, g in pairs]
    return torch.cat([part[:, :, :shape[2], :shape[3], :shape[4]].transpose(0, 1) for part in made])
def planes():
    x, g, w = [t if n == 2 else t.unsqueeze(2) for t in (input, grad, weight)]
    step, pads, rate = [list(v) if n == 2 else [one] + list(v) for one, v in ((1, stride), (0, padding), (1, dilation))]
    in_turn = not torch.is_grad_enabled() and x.device.type == 'cpu' and torch.nn.functional._has_library(input, weight, groups)
    # Planes that have a small window of their own each.
    narrow = lambda: groups == shape[0] == x.shape[1] and max(shape[2:]) < 4 and max(pads) < 2 and g.shape[-1] <= 32
    pointwise = lambda: groups == 1 and max(step) == 1 and max(pads) == 0 and torch.get_num_threads() > 1
    in_turn = in_turn and (pointwise() if math.prod(shape[2:]) == 1 else groups == 1 or narrow()) and x.numel() > 0
    if in_turn and x.shape[0] * weight.numel() * math.prod(g.shape[2:]) < 4194304:
        return torch.nn.functional._conv2d_weights_back(g, x, w, step, pads, rate)
    cols = torch.nn.functional.unfold(x, w.shape[-2:], dilation=rate, padding=pads, stride=step).chunk(groups, 1)
    parts = g.flatten(2).chunk(groups, 1)
    return torch.cat([(part @ c.mT).sum(0) for part, c in zip(parts, cols)])
(torch.zeros(shape, dtype=grad.dtype) if input.numel() == 0 else volumes() if n == 3 else planes()).reshape(shape)";
