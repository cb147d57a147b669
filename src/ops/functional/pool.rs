//! Windows that move over the last dimensions: the largest, the mean and the norm of each, and cuts into blocks.

use super::usual::pools;
use super::windows::{checked, empty, paired};
use super::{builtin, function};
use crate::ops::Gradients;
use crate::ops::refusal::{ALL, BOOL, COMPLEX, INTEGERS, LONG, kernel};

/// Refuses windows that are no ints; `given` are their names, values and places.
macro_rules! typed {
    ($n:literal, $given:literal) => {
        concat!(
            "n = ",
            $n,
            "
name = f'{kind}_pool{n}d'
for what, v, place in ",
            $given,
            ":
    if isinstance(v, (list, tuple)) and len(v) > 0 and not isinstance(v[0], int):
        raise TypeError(f\"{name}(): argument '{what}' (position {place}) must be tuple of ints, but found element of type {type(v[0]).__name__} at pos 0\")
    if isinstance(v, bool) or not isinstance(v, (int, list, tuple)):
        raise TypeError(f\"{name}(): argument '{what}' (position {place}) must be tuple of ints, not {'torch.dtype' if isinstance(v, torch.dtype) else type(v).__name__}\")
    for at, item in enumerate([] if isinstance(v, int) else v):
        if not isinstance(item, int):
            raise TypeError(f\"{name}(): argument '{what}' failed to unpack the object at pos {at + 1} with error \\\"type must be tuple of ints,but got {type(item).__name__}\\\"\")
"
        )
    };
}

/// `x` of n dimensions behind batch and channel, from an input that may lack the batch; `n`-tuples from numbers.
macro_rules! prepared {
    ($n:literal, $text:expr) => {
        concat!(
            "n = ",
            $n,
            "
def each(v, what):
    name = f'{kind}_pool{n}d'
    v = [v] * n if isinstance(v, int) else list(v) * (n if len(v) == 1 else 1)
    if len(v) != n and name == 'max_pool1d':
        comma = '' if what == 'kernel_size' else ','
        raise RuntimeError(f'max_pool1d() {what} must be an int, list of ints{comma} or tuple of ints of size 1 but got size {len(v)}')
    if len(v) != n and n == 1:
        raise RuntimeError(f\"{name}() argument '{what}' should contain one int (got {len(v)})\")
    if len(v) != n:
        omitted = {'stride': 'must either be omitted,', 'dilation': 'must be either'}.get(what, 'must either be')
        raise RuntimeError(f\"{name}: {what} {omitted} a single int, or a tuple of {'two' if n == 2 else 'three'} ints\")
    return v
if input.dim() not in (n + 1, n + 2):
    shape, dims = list(input.shape), f'{n + 1}D or {n + 2}D'
    raise RuntimeError({
        'max1': f'max_pool1d: Expected {dims} (batch mode) tensor with optional 0 dim batch size for input, but got:{shape}',
        'avg1': f\"Expected 2 to 3 dimensions, but got {input.dim()}-dimensional tensor for argument #1 'self' (while checking arguments for avg_pool1d)\",
        f'adaptive_avg{n}': f'adaptive_avg_pool{n}d(): Expected {dims} tensor, but got {shape}',
        f'adaptive_max{n}': f'adaptive_max_pool{n}d(): Expected {dims} tensor, but got: {shape}',
    }.get(f'{kind}{n}', f'non-empty {dims} (batch mode) tensor expected for input'))
x = input if input.dim() == n + 2 else input.unsqueeze(0)
# What lies with its channels innermost gives results that do.
order = torch.channels_last if n < 3 else torch.channels_last_3d
image = input.unsqueeze(2) if n == 1 and input.dim() == 3 else input
inside_out = image.dim() == max(n, 2) + 2 and image.is_contiguous(memory_format=order) and not image.is_contiguous()
laid = lambda t: t if not inside_out else t.clone(memory_format=order) if n > 1 else t.unsqueeze(2).clone(memory_format=order).squeeze(2)
",
            $text
        )
    };
}

/// A row for each number of dimensions.
macro_rules! max_pool {
    ($name:literal, $n:literal) => {
        function(concat!("nn.functional.", $name, "(Tensor input, Any kernel_size, Any stride=None, Any padding=0, Any dilation=1, bool ceil_mode=False, bool return_indices=False) -> Any"),
            "The largest element in each window; with `return_indices`, its place too.", "",
            concat!("kind = 'max'\n", typed!($n, "[('kernel_size', kernel_size, 2)] + ([] if stride is None else [('stride', stride, 3)]) + [('padding', padding, 4), ('dilation', dilation, 5)]"), prepared!($n, concat!("
in_line = n == 1 and not return_indices
def refuse_empty():
    name, title = ('max_pool1d: ', '') if in_line else ('', 'max_pool3d_with_indices_out_cpu_template')
    shape = list(input.shape) if n > 1 or in_line else list(input.shape)[:-1] + [1, input.size(-1)]
", empty!("n if in_line else max(n, 2)"), "
if in_line:
    refuse_empty()
if isinstance(stride, (list, tuple)) and len(stride) == 0:
    stride = None
kernel = each(kernel_size, 'kernel_size')
step = kernel if stride is None else each(stride, 'stride')
pad, spread = each(padding, 'padding'), each(dilation, 'dilation')
if in_line:
    for title, v in (('kernel_size', kernel[0]), ('stride', step[0])):
        if v <= 0:
            raise RuntimeError(f'max_pool1d() {title} must be greater than zero, but got {v}')
    if pad[0] < 0:
        raise RuntimeError(f'max_pool1d() padding must be non-negative, but got {pad[0]}')
    if pad[0] > kernel[0] // 2:
        raise RuntimeError(f'max_pool1d() padding should be at most half of kernel size, but got padding={pad[0]} and kernel_size={kernel[0]}')
    if spread[0] <= 0:
        raise RuntimeError(f'max_pool1d() dilation must be greater than zero, but got {spread[0]}')
", checked!(), "
refuse_empty()
if in_line and not x.is_floating_point() or x.dtype == torch.bool:
    name = 'max_pool1d_impl' if in_line else f'max_pool{max(n, 2)}d'
    raise NotImplementedError(f'\"{name}\" not implemented for \\'{x.type()[6:-6]}\\'')
sizes = list(x.shape)[2:]
out, grow, short = [], [], False
for size, k, p, s, d in zip(sizes, kernel, pad, step, spread):
    span = size + 2 * p - d * (k - 1) - 1
    count = (span + (s - 1 if ceil_mode else 0)) // s + 1
    if ceil_mode and (count - 1) * s >= size + p:
        count -= 1
    if count < 1:
        short = True
    out.append(count)
    grow.append(max((count - 1) * s + d * (k - 1) + 1 - size - p, p))
if short and in_line:
    raise RuntimeError(f'max_pool1d() Invalid computed output size: {out[0]}')
if short:
    given, made = ([x.size(1), 1] + list(x.shape)[2:], [x.size(1), 1] + out) if n == 1 else (list(x.shape)[1:], [x.size(1)] + out)
    raise RuntimeError('Given input size: (' + 'x'.join(str(m) for m in given) + '). Calculated output size: (' + 'x'.join(str(m) for m in made) + '). Output size is too small')
low = -math.inf if x.is_floating_point() else torch.iinfo(x.dtype).min
places = torch.arange(torch.tensor(sizes).prod().item()).view(sizes)
spaces = [g for p, h in reversed(list(zip(pad, grow))) for g in (p, h)]
full = torch.nn.functional.pad(x, spaces, value=low).contiguous()
where = torch.nn.functional.pad(places, spaces, value=-1).contiguous()
view = lambda t, lead: t.as_strided(list(t.shape)[:lead] + out + kernel, list(t.stride())[:lead] + [t.stride(lead + i) * step[i] for i in range(n)] + [t.stride(lead + i) * spread[i] for i in range(n)])
windows = view(full, 2)
whole = lambda t: t if input.dim() == n + 2 else t.squeeze(0)
def largest():
    cells = [windows]
    for _ in range(n):
        cells = [cell for part in cells for cell in part.unbind(n + 2)]
    y = cells[0].contiguous()
    for cell in cells[1:]:
        y = torch.maximum(y, cell)
    return y
def largest_and_places():
    flat, inside = windows.flatten(n + 2), view(where, 0).flatten(n)
    masked = torch.where(inside < 0, torch.full_like(flat, low), flat)
    first = (inside >= 0).long().argmax(-1)
    best = masked.max(-1)[1]
    best = torch.where(masked.gather(-1, best.unsqueeze(-1)).squeeze(-1) == low, first, best)
    lost = masked.isnan()
    best = torch.where(lost.any(-1), lost.size(-1) - 1 - lost.flip(-1).long().argmax(-1), best)
    y = flat.gather(-1, best.unsqueeze(-1)).squeeze(-1)
    return y, inside.expand(flat.shape).gather(-1, best.unsqueeze(-1)).squeeze(-1)
kept = n > 1 or return_indices or input.requires_grad and torch.is_grad_enabled()
finished = lambda t: whole(laid(t) if kept and input.dim() == n + 2 else t)
tuple(finished(t) for t in largest_and_places()) if return_indices else finished(largest())")))).usually(pools::max_pool)
    };
}

macro_rules! max_pool_with_indices {
    ($name:literal, $plain:literal) => {
        function(concat!("nn.functional.", $name, "(Tensor input, Any kernel_size, Any stride=None, Any padding=0, Any dilation=1, bool ceil_mode=False, bool return_indices=False) -> Any"),
            "The largest element in each window and its place.", "", concat!("torch.nn.functional.", $plain, "(input, kernel_size, stride, padding, dilation, ceil_mode, True)"))
    };
}

macro_rules! avg_pool {
    ($name:literal, $n:literal, $check:literal) => {
        builtin(concat!("nn.functional.", $name, "(Tensor input, Any kernel_size, Any stride=None, Any padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor"),
            "The mean of each window.", "",
            concat!("kind = 'avg'\n", typed!($n, "[('kernel_size', kernel_size, 2)] + ([] if stride is None else [('stride', stride, 3)]) + [('padding', padding, 4)]"), $check, prepared!($n, concat!("
shape = list(input.shape) if n > 1 else list(input.shape)[:-1] + [1, input.size(-1)]
if isinstance(stride, (list, tuple)) and len(stride) == 0:
    stride = None
kernel = each(kernel_size, 'kernel_size')
step = kernel if stride is None else each(stride, 'stride')
pad, spread = each(padding, 'padding'), [1] * n
if divisor_override == 0:
    raise RuntimeError('divisor must be not zero')
", checked!(), "
def refuse_empty():
    name, title = '', 'avg_pool3d'
", empty!("max(n, 2)"), "
refuse_empty()
sizes = list(x.shape)[2:]
if n == 3 and any(size < k for size, k in zip(sizes, kernel)):
    raise RuntimeError(f\"input image ({named('', sizes)}) smaller than kernel size ({named('k', kernel)})\")
out, grow, shares, short = [], [], [], False
for size, k, p, s in zip(sizes, kernel, pad, step):
    count = (size + 2 * p - k + (s - 1 if ceil_mode else 0)) // s + 1
    if ceil_mode and (count - 1) * s >= size + p:
        count -= 1
    if count < 1:
        short = True
    out.append(count)
    grow.append(max((count - 1) * s + k - size - p, p))
    starts = [i * s - p for i in range(count)]
    if count_include_pad:
        shares.append([min(a + k, size + p) - a for a in starts])
    else:
        shares.append([min(a + k, size) - max(a, 0) for a in starts])
if short:
    given, made = ([x.size(1), 1] + list(x.shape)[2:], [x.size(1), 1] + out) if n == 1 else (list(x.shape)[1:], [x.size(1)] + out)
    raise RuntimeError('Given input size: (' + 'x'.join(str(m) for m in given) + '). Calculated output size: (' + 'x'.join(str(m) for m in made) + '). Output size is too small')
if n == 3 and x.dtype in (torch.float16, torch.bfloat16):
    raise NotImplementedError(f'\"avg_pool3d_out_frame\" not implemented for \\'{x.type()[6:-6]}\\'')
wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
full = torch.nn.functional.pad(wide, [g for p, h in reversed(list(zip(pad, grow))) for g in (p, h)]).contiguous()
windows = full.as_strided(list(full.shape)[:2] + out + kernel, list(full.stride())[:2] + [full.stride(2 + i) * step[i] for i in range(n)] + list(full.stride())[2:])
cells = [windows]
for _ in range(n):
    cells = [cell for part in cells for cell in part.unbind(n + 2)]
total = 0
for cell in cells:
    total = total + cell
portion = lambda t, parts: t / parts if x.is_floating_point() else torch.div(t, parts, rounding_mode='trunc')
if divisor_override is not None:
    y = portion(total, divisor_override)
else:
    share = torch.tensor(shares[0], dtype=wide.dtype)
    for more in shares[1:]:
        share = share.unsqueeze(-1) * torch.tensor(more, dtype=wide.dtype)
    y = portion(total, share)
y = y.to(x.dtype)
laid(y) if input.dim() == n + 2 else y.squeeze(0)")))).usually(pools::avg_pool)
    };
}

/// Reads the sizes that an adaptive pool is to have as `wanted`; those that are none are the input's.
macro_rules! wanted {
    ($n:literal, $wrong:literal) => {
        concat!(
            "n = ",
            $n,
            "
if output_size is None:
    raise TypeError(\"object of type 'NoneType' has no len()\")
wanted = [output_size] * n if isinstance(output_size, int) else list(output_size)
if not isinstance(output_size, int) and input.dim() <= len(wanted):
    raise ValueError(f'Input dimension should be at least {len(wanted) + 1}')
wanted = [input.shape[i - len(wanted)] if v is None else v for i, v in enumerate(wanted)]
if isinstance(output_size, bool):
    raise TypeError(f\"adaptive_pool{n}d(): argument 'output_size' (position 2) must be tuple of ints, not bool\")
for i, v in enumerate(wanted):
    if not isinstance(v, int):
        raise TypeError(f\"adaptive_pool{n}d(): argument 'output_size' (position 2) must be tuple of ints, but found element of type {type(v).__name__} at pos {i}\")
if len(wanted) != n:
    raise RuntimeError(f'",
            $wrong,
            " must be {n}')
"
        )
    };
}

/// Where the parts begin and how long they are; `least` is the first dimension that may not be empty.
macro_rules! parted {
    ($n:literal, $least:literal, $text:literal) => {
        concat!("least = ", $least, "
kind = 'adaptive_avg' if least == 2 else 'adaptive_max'
", prepared!($n, concat!("
if min(wanted) < 0 and least == 2:
    shown = '{' + ', '.join(str(v) for v in wanted) + '}'
    raise RuntimeError(f'adaptive_avg_pool{n}d: elements of output_size must be greater than or equal to 0 but received {shown}')
if min(wanted) < 0:
    raise RuntimeError(f'Trying to create tensor with negative dimension {min(wanted)}: {list(input.shape)[:-n] + wanted}')
if min(list(x.shape)[least:]) < 1:
    raise RuntimeError(f'adaptive_pool{n}d(): Expected input to have non-zero size for non-batch dimensions, but input has sizes {list(input.shape)}')
if not x.is_floating_point():
    raise NotImplementedError(f'\"{kind}_pool{n}d{\"_cpu\" * (n == 3)}\" not implemented for \\'{x.type()[6:-6]}\\'')
# What cannot be held is refused before any place is looked for.
x.new_empty(list(x.shape)[:2] + wanted)
sizes = list(x.shape)[2:]
starts = [[j * size // count for j in range(count)] for size, count in zip(sizes, wanted)]
lengths = [[-((-(j + 1) * size) // count) - j * size // count for j in range(count)] for size, count in zip(sizes, wanted)]
", $text)))
    };
}

/// One dimension is two of which one is 1.
macro_rules! adaptive_line {
    ($kind:literal, $schema:literal, $doc:literal, $more:literal, $end:literal) => {
        function(
            concat!("nn.functional.adaptive_", $kind, "_pool1d", $schema),
            $doc,
            "",
            concat!(
                "wanted = list(output_size) if isinstance(output_size, (list, tuple)) else [output_size]
if any(not isinstance(v, int) or isinstance(v, bool) for v in wanted):
    raise TypeError(\"adaptive_",
                $kind,
                "_pool1d(): argument 'output_size' (position 2) must be tuple of ints\")
if input.dim() not in (2, 3):
    raise RuntimeError(f\"Expected 2 to 3 dimensions, but got {input.dim()}-dimensional tensor for argument #1 'self' (while checking arguments for adaptive_",
                $kind,
                "_pool1d)\")
if len(wanted) != 1:
    raise RuntimeError(f\"adaptive_",
                $kind,
                "_pool1d() argument 'output_size' should contain one int (got {len(wanted)})\")
y = torch.nn.functional.adaptive_",
                $kind,
                "_pool2d(input.unsqueeze(-2), [1] + wanted",
                $more,
                ")
",
                $end
            ),
        )
    };
}

macro_rules! adaptive {
    ($name:literal, $n:literal, avg) => {
        function(concat!("nn.functional.", $name, "(Tensor input, Any output_size) -> Tensor"), "The means of as many parts as the output is to have elements.", "",
            concat!(wanted!($n, "adaptive_avg_pool{n}d: output_size"), "if wanted == [1] * n:
    # One part is the mean, of any number of dimensions.
    y = input.mean(list(range(-n, 0)), keepdim=True)
    order = torch.channels_last if n < 3 else torch.channels_last_3d
    y = y.clone(memory_format=order) if input.dim() == n + 2 and input.is_contiguous(memory_format=order) and not input.is_contiguous() else y
else:
    y = torch._", $name, "(input, wanted)
y")).usually(pools::adaptive_avg_pool)
    };
    ($name:literal, $n:literal, parts) => {
        function(concat!($name, "(Tensor input, Any wanted) -> Tensor"), "As the function of this name in `torch.nn.functional`, of one list of sizes.", "",
            parted!($n, "2", "wide = x.float() if n < 3 and x.dtype in (torch.float16, torch.bfloat16) else x
# The cells of each part in turn, for all parts at once; parts that have no such cell add nothing.
reach = [max(some) if some else 0 for some in lengths]
plain = 0 not in wanted and wide.dtype in (torch.float32, torch.float64) and wide.device.type == 'cpu'
cell = [0] * n
if plain:
    total = torch.nn.functional._part_sums(wide, sum(starts, []), sum(lengths, []), wanted)
else:
    total = torch.zeros(list(x.shape)[:2] + wanted, dtype=wide.dtype)
for number in range(0 if plain else math.prod(reach)):
    part, there = wide, True
    for i in reversed(range(n)):
        number, cell[i] = number // reach[i], number % reach[i]
    for i in range(n):
        part = part.index_select(2 + i, torch.tensor([min(a + cell[i], sizes[i] - 1) for a in starts[i]], dtype=torch.int64))
        there = torch.tensor([cell[i] < length for length in lengths[i]]).view([-1] + [1] * (n - 1 - i)) & there
    total = torch.where(there, total + part, total)
for i in range(n):
    total = total / torch.tensor(lengths[i], dtype=wide.dtype).view([-1] + [1] * (n - 1 - i))
y = total.to(x.dtype)
laid(y) if input.dim() == n + 2 else y.squeeze(0)")).usually(pools::adaptive_avg_pool)
    };
    ($name:literal, $n:literal, max) => {
        function(concat!("nn.functional.", $name, "(Tensor input, Any output_size, bool return_indices=False) -> Any"), "The largest of each of as many parts as the output is to have elements.", "",
            concat!(wanted!($n, "adaptive_max_pool{n}d(): internal error: output_size.size()"), parted!($n, "1", "at = torch.arange(math.prod(sizes)).view(sizes).expand(x.shape)
y = x
for i in reversed(range(n)):
    d = 2 + i
    values, places = [y.narrow(d, 0, 0)], [at.narrow(d, 0, 0)]
    for start, length in zip(starts[i], lengths[i]):
        part = y.narrow(d, start, length)
        # The first of equal ones, but the last nan.
        lost = part.isnan()
        best = torch.where(lost.any(d, keepdim=True), length - 1 - lost.flip(d).long().argmax(d, keepdim=True), part.max(d, keepdim=True)[1])
        values.append(part.gather(d, best))
        places.append(at.narrow(d, start, length).gather(d, best))
    y, at = torch.cat(values, d), torch.cat(places, d)
y, at = (y.squeeze(0), at.squeeze(0)) if input.dim() == n + 1 else (y, at) if n == 3 else (laid(y), laid(at))
(y, at) if return_indices else y"))).usually(pools::adaptive_max_pool)
    };
    ($name:literal, $plain:literal) => {
        function(concat!("nn.functional.", $name, "(Tensor input, Any output_size, bool return_indices=False) -> Any"), "The largest of each part and its place.", "",
            concat!("torch.nn.functional.", $plain, "(input, output_size, True)"))
    };
}

macro_rules! lp_pool {
    ($name:literal, $n:literal, $unpacked:literal, $cells:literal) => {
        function(
            concat!(
                "nn.functional.",
                $name,
                "(Tensor input, Any norm_type, Any kernel_size, Any stride=None, bool ceil_mode=False) -> Tensor"
            ),
            "The norm of each window.",
            "",
            concat!(
                $unpacked,
                "if norm_type == 0:
    raise ValueError(f'norm_type must be a non-zero value, but got {norm_type}')
if abs(norm_type) == math.inf:
    sign = 1 if norm_type > 0 else -1
    y = torch.nn.functional.max_pool",
                $n,
                "d(input.abs() * sign, kernel_size, stride, 0, 1, ceil_mode) * sign
else:
    mean = torch.nn.functional.avg_pool",
                $n,
                "d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    y = (mean.sign() * mean.abs().relu()).mul(",
                $cells,
                ").pow(1.0 / norm_type)
y"
            ),
        )
    };
}

macro_rules! unpool {
    ($name:literal, $n:literal) => {
        function(
            concat!(
                "nn.functional.",
                $name,
                "(Tensor input, Tensor indices, Any kernel_size, Any stride=None, Any padding=0, Any output_size=None) -> Tensor"
            ),
            "Puts the results of `max_pool` back to their places, zeros elsewhere.",
            "",
            concat!("n = ", $n, "
several = lambda v: [v] * n if isinstance(v, (int, float)) else list(v)
kernel, pad = several(kernel_size), several(padding)
step = kernel if stride is None else several(stride)
usual = [(input.shape[i - len(kernel)] - 1) * step[i] - 2 * pad[i] + kernel[i] for i in range(len(kernel))]
out = usual
if output_size is not None:
    if len(output_size) not in (len(kernel), len(kernel) + 2):
        raise ValueError(f\"output_size should be a sequence containing {len(kernel)} or {len(kernel) + 2} elements, but it has a length of '{len(output_size)}'\")
    out = list(output_size)[len(output_size) - len(kernel):]
    for i, size in enumerate(out):
        if not usual[i] - step[i] < size < usual[i] + step[i]:
            raise ValueError(f'invalid output_size {out} (dim {i} must be between {usual[i] - step[i]} and {usual[i] + step[i]})')
if indices.dtype != torch.int64:
    raise RuntimeError(f'elements in indices should be type int64 but got: {indices.type()[6:-6]}')
if len(out) != n:
    raise RuntimeError(f'There should be exactly {n} elements in output_size')
if input.dim() not in (n + 1, n + 2):
    k = max(n, 2)
    raise RuntimeError(f'Input to max_unpooling{k}d should be a {k + 1}d or {k + 2}d Tensor, but got a tensor with {input.dim() + (n == 1)} dimensions.')
",
            prepared!(
                $n,
                "
if indices.shape != input.shape:
    raise RuntimeError(f'Expected shape of indices to be same as that of the input tensor ({list(input.shape) + [1] * (n == 1)}) but got indices tensor with shape: {list(indices.shape) + [1] * (n == 1)}')
if min(list(input.shape)[1:]) < 1:
    raise RuntimeError(f'Expected input to have non-zero size for non-batch dimensions, but input has sizes {list(input.shape)}')
if n == 3 and min(step) < 1:
    raise RuntimeError(f'strides should be greater than zero, but got stride: {step}')
if not input.is_floating_point():
    raise NotImplementedError(f'\"max_unpool{max(n, 2)}d\" not implemented for \\'{input.type()[6:-6]}\\'')
at = indices if input.dim() == n + 2 else indices.unsqueeze(0)
cells = math.prod(out)
if at.numel() > 0 and not (at.min() >= 0 and at.max() < cells):
    lost = at[(at < 0) | (at >= cells)][-1]
    raise RuntimeError(f'Found an invalid max index: {lost} (output volumes are of size {\"x\".join(map(str, out + [1] * (n == 1)))})')
y = x.new_zeros(list(x.shape)[:2] + [cells]).scatter(2, at.flatten(2), x.flatten(2)).view(list(x.shape)[:2] + out)
laid(y) if input.dim() == n + 2 else y.squeeze(0)"
            )),
        )
    };
}

macro_rules! fractional {
    ($name:literal, $n:literal) => {
        function(concat!("nn.functional.", $name, "(Tensor input, Any kernel_size, Any output_size=None, Any output_ratio=None, bool return_indices=False, Tensor? _random_samples=None) -> Any"),
            "The largest element in windows whose distances are drawn at random.", "",
            concat!("n = ", $n, "
if output_size is None and output_ratio is None:
    raise ValueError(f'fractional_max_pool{n}d requires specifying either an output_size or an output_ratio')
pair = lambda v: [v] * n if isinstance(v, (int, float)) else list(v)
if output_size is None:
    if n == 2 and isinstance(output_ratio, (int, float)):
        raise TypeError(f\"object of type '{type(output_ratio).__name__}' has no len()\")
    if n == 2 and len(output_ratio) > 2:
        raise ValueError('fractional_max_pool2d requires output_ratio to either be a single Int or tuple of Ints.')
    out = [int(input.size(i - n) * pair(output_ratio)[i]) for i in range(n)]
else:
    out = pair(output_size)
batch = 1 if input.dim() == n + 1 else input.size(0)
draws = torch.rand(batch, input.size(-n - 1), n, dtype=input.dtype) if _random_samples is None else _random_samples
kernel = [kernel_size] * n if isinstance(kernel_size, int) else list(kernel_size) * (n if len(kernel_size) == 1 else 1)
out = out * (n if len(out) == 1 else 1)
if len(kernel) != n:
    raise RuntimeError(f'fractional_max_pool{n}d: kernel_size must either be a single Int or tuple of Ints')
if len(out) != n:
    raise RuntimeError(f'fractional_max_pool{n}d: output_size must either be a single Int or tuple of Ints')
if input.dim() not in (n + 1, n + 2):
    raise RuntimeError(f'fractional_max_pool{n}d(): Expected {n + 1}D or {n + 2}D tensor, but got: {list(input.shape)}')
if min(list(input.shape)[1:]) < 1:
    raise RuntimeError(f'fractional_max_pool{n}d(): Expected input to have non-zero size for non-batch dimensions, but got{list(input.shape)}')
x = input if input.dim() == n + 2 else input.unsqueeze(0)
sizes = list(x.shape)[2:]
if any(o + k - (1 if n == 2 else 0) > s for o, k, s in zip(out, kernel, sizes)):
    raise RuntimeError(f'fractional_max_pool{n}d(): pool {kernel} too large relative to input {sizes}')
if not x.is_floating_point():
    raise NotImplementedError(f'\"fractional_max_pool{n}d_out_frame\" not implemented for \\'{x.type()[6:-6]}\\'')
# The windows of the last dimension come from the first draw for an image, from the last one for a volume.
def starts(i):
    draw, count, room = draws[..., n - 1 - i if n == 2 else i].unsqueeze(-1), out[i], sizes[i] - kernel[i]
    if count < 2:
        return torch.full(list(x.shape)[:2] + [count], room)
    alpha = torch.tensor(room, dtype=x.dtype) / (count - 1)
    places = ((torch.arange(count - 1).to(x.dtype) + draw) * alpha).int() - (draw * alpha).int()
    return torch.cat([places.long(), torch.full(list(x.shape)[:2] + [1], room)], -1)
at = torch.zeros(1, dtype=torch.int64)
for i in range(n):
    here = starts(i).unsqueeze(-1) + torch.arange(kernel[i])
    around = [1] * i + [out[i]] + [1] * (n - 1)
    at = at * sizes[i] + here.view(list(x.shape)[:2] + around + [kernel[i]] + [1] * (n - 1 - i))
at = at.flatten(2 + n)
windows = x.flatten(2).gather(-1, at.flatten(2)).view(at.shape)
lost = windows.isnan()
best = torch.where(lost.any(-1), lost.size(-1) - 1 - lost.flip(-1).long().argmax(-1), windows.argmax(-1)).unsqueeze(-1)
values, places = windows.gather(-1, best).squeeze(-1), at.gather(-1, best).squeeze(-1)
y, at = (values, places) if input.dim() == n + 2 else (values.squeeze(0), places.squeeze(0))
(y, at) if return_indices else y"))
    };
    ($name:literal, with $plain:literal) => {
        function(concat!("nn.functional.", $name, "(Tensor input, Any kernel_size, Any output_size=None, Any output_ratio=None, bool return_indices=False, Tensor? _random_samples=None) -> Any"),
            "As without indices, and the places.", "", concat!("torch.nn.functional.", $plain, "(input, kernel_size, output_size, output_ratio, True, _random_samples)"))
    };
}

rows![
    max_pool!("max_pool1d", "1").refuses(&[kernel(COMPLEX, "max_pool1d_impl")]), max_pool!("max_pool2d", "2").grads(MAX_POOL2D).piecewise().refuses(&[kernel(BOOL | COMPLEX, "max_pool2d")]), max_pool!("max_pool3d", "3").refuses(&[kernel(BOOL | COMPLEX, "max_pool3d")]),
    max_pool_with_indices!("max_pool1d_with_indices", "max_pool1d"), max_pool_with_indices!("max_pool2d_with_indices", "max_pool2d"),
    max_pool_with_indices!("max_pool3d_with_indices", "max_pool3d"),
    avg_pool!("avg_pool1d", "1", "").no_out().refuses(&[kernel(ALL - LONG, "avg_pool2d")]), avg_pool!("avg_pool2d", "2", "input.size(-3)\n").refuses(&[kernel(ALL - LONG, "avg_pool2d")]), avg_pool!("avg_pool3d", "3", "").refuses(&[kernel(ALL - LONG, "avg_pool3d_out_frame")]),
    adaptive_line!("avg", "(Tensor input, Any output_size) -> Tensor", "The means of as many parts as the output is to have elements.", "", "y.squeeze(-2)"),
    adaptive!("adaptive_avg_pool2d", "2", avg), adaptive!("adaptive_avg_pool3d", "3", avg), adaptive!("_adaptive_avg_pool2d", "2", parts), adaptive!("_adaptive_avg_pool3d", "3", parts),
    adaptive_line!("max", "(Tensor input, Any output_size, bool return_indices=False) -> Any", "The largest of each of as many parts as the output is to have elements.", ", True", "(y[0].squeeze(-2), y[1].squeeze(-2)) if return_indices else y[0].squeeze(-2)"),
    adaptive!("adaptive_max_pool2d", "2", max), adaptive!("adaptive_max_pool3d", "3", max),
    adaptive!("adaptive_max_pool1d_with_indices", "adaptive_max_pool1d"), adaptive!("adaptive_max_pool2d_with_indices", "adaptive_max_pool2d"),
    adaptive!("adaptive_max_pool3d_with_indices", "adaptive_max_pool3d"),
    lp_pool!("lp_pool1d", "1", "", "kernel_size"),
    lp_pool!("lp_pool2d", "2", "a, b = [kernel_size] * 2 if isinstance(kernel_size, (int, float)) else kernel_size\n", "a * b"),
    lp_pool!("lp_pool3d", "3", "a, b, c = [kernel_size] * 3 if isinstance(kernel_size, (int, float)) else kernel_size\n", "a * b * c"),
    unpool!("max_unpool1d", "1"), unpool!("max_unpool2d", "2"), unpool!("max_unpool3d", "3"),
    fractional!("fractional_max_pool2d", "2"), fractional!("fractional_max_pool3d", "3"),
    fractional!("fractional_max_pool2d_with_indices", with "fractional_max_pool2d"), fractional!("fractional_max_pool3d_with_indices", with "fractional_max_pool3d"),
    function("nn.functional.unfold(Tensor input, Any kernel_size, Any dilation=1, Any padding=0, Any stride=1) -> Tensor", "The blocks of an image as columns.",
        "torch.nn.functional.unfold(torch.arange(9.).view(1, 1, 3, 3), 2).shape  # torch.Size([1, 4, 4])",
        concat!(paired!(), "if input.dim() < 3:
    input.size(max(1, input.dim()))
if input.dim() > 4 or 0 in input.shape[input.dim() - 3:]:
    raise RuntimeError(f'Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: {list(input.shape)}')
x = input if input.dim() == 4 else input.unsqueeze(0)
x = torch.nn.functional.pad(x, [p[1], p[1], p[0], p[0]]).contiguous()
out = [(x.size(2 + i) - d[i] * (k[i] - 1) - 1) // s[i] + 1 for i in range(2)]
if min(out) < 1:
    raise RuntimeError(f'Given input with spatial size {tuple(input.shape[-2:])}, kernel_size={tuple(k)}, dilation={tuple(d)}, padding={tuple(p)}, calculated shape of the array of sliding blocks as {tuple(out)}, but its components must be at least one.')
t = x.stride()
y = x.as_strided(list(x.shape)[:2] + k + out, [t[0], t[1], t[2] * d[0], t[3] * d[1], t[2] * s[0], t[3] * s[1]]).reshape(x.size(0), x.size(1) * k[0] * k[1], out[0] * out[1])
y if input.dim() == 4 else y.squeeze(0)")).refuses(&[kernel(INTEGERS, "im2col_out_cpu")]).usually(pools::unfold),
    function("nn.functional.fold(Tensor input, Any output_size, Any kernel_size, Any dilation=1, Any padding=0, Any stride=1) -> Tensor", "The sum of the blocks that `unfold` gives, at their places.",
        "torch.nn.functional.fold(torch.ones(1, 4, 4), 3, 2)  # tensor([[[[1., 2., 1.],\n#           [2., 4., 2.],\n#           [1., 2., 1.]]]])",
        concat!(paired!(), "o = pair(output_size, 'output_size')
if input.dim() not in (2, 3) or 0 in list(input.shape)[input.dim() - 2:]:
    raise RuntimeError(f'Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, but got: {list(input.shape)}')
x = input if input.dim() == 3 else input.unsqueeze(0)
count = [(o[i] + 2 * p[i] - d[i] * (k[i] - 1) - 1) // s[i] + 1 for i in range(2)]
if x.size(1) % (k[0] * k[1]):
    raise RuntimeError(f\"Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)={x.size(1)} and kernel_size={tuple(k)}.\")
given = f'Given output_size={tuple(o)}, kernel_size={tuple(k)}, dilation={tuple(d)}, padding={tuple(p)}, stride={tuple(s)}, expected'
if x.size(2) != count[0] * count[1]:
    raise RuntimeError(f\"{given} size of input's dimension 2 to match the calculated number of sliding blocks {count[0]} * {count[1]} = {count[0] * count[1]}, but got input.size(2)={x.size(2)}.\")
if min(o + count) < 1:
    raise RuntimeError(f'{given} output size to be greater than zero')
channels = x.size(1) // (k[0] * k[1])
x = x.reshape(x.size(0), channels, k[0], k[1], count[0], count[1])
y = x.new_zeros(x.size(0), channels, o[0] + 2 * p[0], o[1] + 2 * p[1])
for i in range(k[0]):
    for j in range(k[1]):
        y[:, :, i * d[0]:i * d[0] + s[0] * count[0]:s[0], j * d[1]:j * d[1] + s[1] * count[1]:s[1]] += x[:, :, i, j]
y = y[:, :, p[0]:p[0] + o[0], p[1]:p[1] + o[1]].clone(memory_format=torch.contiguous_format)
y if input.dim() == 3 else y.squeeze(0)")).usually(pools::fold),
];

const MAX_POOL2D: Gradients = &[(
    "input",
    "places = torch.nn.functional.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices=True)[1]\ninput.new_zeros(input.shape).flatten(-2).scatter_add(-1, places.flatten(-2), grad.flatten(-2)).reshape(input.shape)",
)];
