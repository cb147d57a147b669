//! Windows that move over the last dimensions: the largest, the mean and the norm of each, and cuts into blocks.

use super::{builtin, function};
use crate::ops::refusal::{ALL, BOOL, COMPLEX, INTEGERS, LONG, kernel};

/// `x` of n dimensions behind batch and channel, from an input that may lack the batch; `n`-tuples from numbers.
macro_rules! prepared {
    ($n:literal, $text:literal) => {
        concat!(
            "n = ",
            $n,
            "
each = lambda v: [v] * n if isinstance(v, (int, float)) else list(v) * (n if len(v) == 1 else 1)
if input.dim() not in (n + 1, n + 2):
    raise RuntimeError(f'non-empty {n + 1}D or {n + 2}D (batch mode) tensor expected for input')
x = input if input.dim() == n + 2 else input.unsqueeze(0)
# What lies with its channels innermost gives results that do.
order = torch.channels_last if n < 3 else torch.channels_last_3d
image = input.unsqueeze(2) if n == 1 and input.dim() == 3 else input
inside_out = image.dim() == max(n, 2) + 2 and image.is_contiguous(memory_format=order) and not image.is_contiguous()
laid = lambda t: t if not inside_out else t.contiguous(memory_format=order) if n > 1 else t.unsqueeze(2).contiguous(memory_format=order).squeeze(2)
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
            prepared!($n, "
if min(list(x.shape)[1:]) < 1:
    raise RuntimeError(f'Expected {n + 1}D or {n + 2}D (batch mode) tensor with optional 0 dim batch size for input, but got: {list(input.shape)}')
if n == 1 and not return_indices and not x.is_floating_point() or x.dtype == torch.bool:
    raise NotImplementedError(f'max_pool{n}d is not implemented for {x.dtype}')
if isinstance(stride, (list, tuple)) and len(stride) == 0:
    stride = None
kernel, pad, spread = each(kernel_size), each(padding), each(dilation)
step = kernel if stride is None else each(stride)
for k, p, s in zip(kernel, pad, step):
    if k <= 0 or s <= 0:
        raise RuntimeError('kernel size and stride should be greater than zero')
    if p < 0 or p > k // 2:
        raise RuntimeError(f'pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k}')
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
if short:
    given, made = ([x.size(1), 1] + list(x.shape)[2:], [x.size(1), 1] + out) if n == 1 else (list(x.shape)[1:], [x.size(1)] + out)
    raise RuntimeError('Given input size: (' + 'x'.join(str(m) for m in given) + '). Calculated output size: (' + 'x'.join(str(m) for m in made) + '). Output size is too small')
low = -math.inf if x.is_floating_point() else torch.iinfo(x.dtype).min
places = torch.arange(torch.tensor(sizes).prod().item()).view(sizes)
spaces = [g for p, h in reversed(list(zip(pad, grow))) for g in (p, h)]
full = torch.nn.functional.pad(x, spaces, value=low).contiguous()
where = torch.nn.functional.pad(places, spaces, value=-1).contiguous()
view = lambda t, lead: t.as_strided(list(t.shape)[:lead] + out + kernel, list(t.stride())[:lead] + [t.stride(lead + i) * step[i] for i in range(n)] + [t.stride(lead + i) * spread[i] for i in range(n)])
windows = view(full, 2).flatten(n + 2)
inside = view(where, 0).flatten(n)
masked = torch.where(inside < 0, torch.full_like(windows, low), windows)
first = (inside >= 0).long().argmax(-1)
best = masked.max(-1)[1]
best = torch.where(masked.gather(-1, best.unsqueeze(-1)).squeeze(-1) == low, first, best)
y = windows.gather(-1, best.unsqueeze(-1)).squeeze(-1)
at = inside.expand(windows.shape).gather(-1, best.unsqueeze(-1)).squeeze(-1)
y, at = (laid(y), laid(at)) if n > 1 and input.dim() == n + 2 else (y, at) if input.dim() == n + 2 else (y.squeeze(0), at.squeeze(0))
(y, at) if return_indices else y"))
    };
}

macro_rules! max_pool_with_indices {
    ($name:literal, $plain:literal) => {
        function(concat!("nn.functional.", $name, "(Tensor input, Any kernel_size, Any stride=None, Any padding=0, Any dilation=1, bool ceil_mode=False, bool return_indices=False) -> Any"),
            "The largest element in each window and its place.", "", concat!("torch.nn.functional.", $plain, "(input, kernel_size, stride, padding, dilation, ceil_mode, True)"))
    };
}

macro_rules! avg_pool {
    ($name:literal, $n:literal) => {
        builtin(concat!("nn.functional.", $name, "(Tensor input, Any kernel_size, Any stride=None, Any padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor"),
            "The mean of each window.", "",
            prepared!($n, "
if min(list(x.shape)[1:]) < 1:
    raise RuntimeError(f'Expected {n + 1}D or {n + 2}D (batch mode) tensor with optional 0 dim batch size for input, but got: {list(input.shape)}')
if isinstance(stride, (list, tuple)) and len(stride) == 0:
    stride = None
kernel, pad = each(kernel_size), each(padding)
step = kernel if stride is None else each(stride)
if divisor_override == 0:
    raise RuntimeError('divisor must be not zero')
for k, p, s in zip(kernel, pad, step):
    if k <= 0 or s <= 0:
        raise RuntimeError('kernel size and stride should be greater than zero')
    if p < 0 or p > k // 2:
        raise RuntimeError(f'pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k}')
sizes = list(x.shape)[2:]
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
wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
full = torch.nn.functional.pad(wide, [g for p, h in reversed(list(zip(pad, grow))) for g in (p, h)]).contiguous()
windows = full.as_strided(list(full.shape)[:2] + out + kernel, list(full.stride())[:2] + [full.stride(2 + i) * step[i] for i in range(n)] + list(full.stride())[2:])
total = 0
for cell in windows.flatten(n + 2).unbind(-1):
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
laid(y) if input.dim() == n + 2 else y.squeeze(0)"))
    };
}

/// Sizes that are named must be fewer than the input's dimensions.
macro_rules! named_parts {
    ("1") => {
        ""
    };
    ($n:literal) => {
        "
if isinstance(output_size, (list, tuple)) and input.dim() <= len(output_size):
    raise ValueError(f'Input dimension should be at least {len(output_size) + 1}')
"
    };
}

macro_rules! adaptive {
    ($name:literal, $n:literal, avg) => {
        function(concat!("nn.functional.", $name, "(Tensor input, Any output_size) -> Tensor"), "The means of as many parts as the output is to have elements.", "",
            concat!(named_parts!($n), prepared!($n, "
if output_size is None:
    raise TypeError(f\"adaptive_pool{n}d(): argument 'output_size' must be tuple of ints, not NoneType\")
wanted = [x.size(2 + i) if v is None else v for i, v in enumerate([output_size] * n if isinstance(output_size, int) else output_size)]
if min(wanted) < 0:
    raise RuntimeError(f'elements of output_size must be greater than or equal to 0 but received {wanted}')
sizes = list(x.shape)[2:]
if min(sizes) < 1:
    raise RuntimeError(f'adaptive_avg_pool{n}d(): Expected input to have non-zero size for non-batch dimensions, but input has sizes {list(input.shape)}')
if len(wanted) != n:
    raise RuntimeError(f'adaptive_avg_pool{n}d: output_size must be {n}')
if wanted == [1] * n:
    y = x.mean(list(range(2, n + 2)), keepdim=True)
else:
    wide = x.float() if n < 3 and x.dtype in (torch.float16, torch.bfloat16) else x
    # The cells of each part in turn, for all parts at once; parts that have no such cell add nothing.
    starts = [[j * size // count for j in range(count)] for size, count in zip(sizes, wanted)]
    lengths = [[-((-(j + 1) * size) // count) - j * size // count for j in range(count)] for size, count in zip(sizes, wanted)]
    reach = [max(some) if some else 0 for some in lengths]
    total = torch.zeros(list(x.shape)[:2] + wanted, dtype=wide.dtype)
    cell = [0] * n
    for number in range(math.prod(reach)):
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
laid(y) if input.dim() == n + 2 else y.squeeze(0)")))
    };
    ($name:literal, $n:literal, max) => {
        function(concat!("nn.functional.", $name, "(Tensor input, Any output_size, bool return_indices=False) -> Any"), "The largest of each of as many parts as the output is to have elements.", "",
            concat!(named_parts!($n), prepared!($n, "
if output_size is None:
    raise TypeError(f\"adaptive_pool{n}d(): argument 'output_size' must be tuple of ints, not NoneType\")
wanted = [x.size(2 + i) if v is None else v for i, v in enumerate([output_size] * n if isinstance(output_size, int) else output_size)]
if min(wanted) < 0:
    raise RuntimeError(f'elements of output_size must be greater than or equal to 0 but received {wanted}')
sizes = list(x.shape)[2:]
at = torch.arange(torch.tensor(sizes).prod().item()).view(sizes).expand(x.shape)
y = x
for i in reversed(range(n)):
    size, count = x.size(2 + i), wanted[i]
    values, places = [], []
    for j in range(count):
        start = j * size // count
        length = -((-(j + 1) * size) // count) - start
        best = y.narrow(2 + i, start, length).max(2 + i, keepdim=True)
        values.append(best[0])
        places.append(at.narrow(2 + i, start, length).gather(2 + i, best[1]))
    y, at = torch.cat(values, 2 + i), torch.cat(places, 2 + i)
y, at = (y, at) if input.dim() == n + 2 else (y.squeeze(0), at.squeeze(0))
(y, at) if return_indices else y")))
    };
    ($name:literal, $plain:literal) => {
        function(concat!("nn.functional.", $name, "(Tensor input, Any output_size, bool return_indices=False) -> Any"), "The largest of each part and its place.", "",
            concat!("torch.nn.functional.", $plain, "(input, output_size, True)"))
    };
}

macro_rules! lp_pool {
    ($name:literal, $n:literal, $average:literal) => {
        function(
            concat!(
                "nn.functional.",
                $name,
                "(Tensor input, float norm_type, Any kernel_size, Any stride=None, bool ceil_mode=False) -> Tensor"
            ),
            "The norm of each window.",
            "",
            concat!(
                "n = ",
                $n,
                "
cells = kernel_size ** n if isinstance(kernel_size, int) else torch.tensor(kernel_size).prod().item()
mean = torch.nn.functional.",
                $average,
                "(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
(mean.sign() * mean.abs().relu() * cells).pow(1.0 / norm_type)"
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
            prepared!(
                $n,
                "
kernel, pad = each(kernel_size), each(padding)
step = kernel if stride is None else each(stride)
usual = [(x.size(2 + i) - 1) * step[i] - 2 * pad[i] + kernel[i] for i in range(n)]
if output_size is not None:
    for i, size in enumerate(list(output_size)[-n:]):
        if not usual[i] - step[i] < size < usual[i] + step[i]:
            raise ValueError(f'invalid output_size {tuple(output_size)[-n:]} (dim {i} must be between {usual[i] - step[i]} and {usual[i] + step[i]})')
if indices.dtype != torch.int64:
    raise RuntimeError('elements in indices should be type int64')
if indices.shape != input.shape:
    raise RuntimeError(f'Expected shape of indices to be same as that of the input tensor ({list(input.shape)}) but got indices tensor with shape: {list(indices.shape)}')
if not input.is_floating_point():
    raise NotImplementedError('max_unpooling is not implemented for this dtype')
out = usual if output_size is None else list(output_size)[-n:]
at = indices if input.dim() == n + 2 else indices.unsqueeze(0)
cells = torch.tensor(out).prod().item()
if at.numel() > 0 and not (at.min() >= 0 and at.max() < cells):
    raise RuntimeError('Found an invalid max index')
y = x.new_zeros(list(x.shape)[:2] + [cells]).scatter(2, at.flatten(2), x.flatten(2)).view(list(x.shape)[:2] + out)
laid(y) if input.dim() == n + 2 else y.squeeze(0)"
            ),
        )
    };
}

macro_rules! fractional {
    ($name:literal, $n:literal) => {
        function(concat!("nn.functional.", $name, "(Tensor input, Any kernel_size, Any output_size=None, Any output_ratio=None, bool return_indices=False, Tensor? _random_samples=None) -> Any"),
            "The largest element in windows whose distances are drawn at random.", "",
            prepared!($n, "
if output_size is None and output_ratio is None:
    raise ValueError('fractional_max_pool requires specifying either an output_size or an output_ratio')
kernel = each(kernel_size)
sizes = list(x.shape)[2:]
out = each(output_size) if output_size is not None else [int(s * r) for s, r in zip(sizes, each(output_ratio))]
draws = torch.rand(x.size(0), x.size(1), n, dtype=x.dtype) if _random_samples is None else _random_samples
def starts(draw, size, k, count):
    if count == 1:
        return [size - k]
    alpha = (size - k) / (count - 1)
    return [int((i + draw) * alpha) - int(draw * alpha) for i in range(count - 1)] + [size - k]
values = x.new_empty(list(x.shape)[:2] + out)
places = torch.empty(list(x.shape)[:2] + out, dtype=torch.int64)
flat = torch.arange(torch.tensor(sizes).prod().item()).view(sizes)
for b in range(x.size(0)):
    for c in range(x.size(1)):
        rows = [starts(draws[b, c, n - 1 - i].item(), sizes[i], kernel[i], out[i]) for i in range(n)]
        for cell in torch.cartesian_prod(*[torch.arange(o) for o in out]).view(-1, n).tolist():
            part = tuple(slice(rows[i][cell[i]], rows[i][cell[i]] + kernel[i]) for i in range(n))
            window = x[b, c][part].flatten()
            best = window.argmax()
            values[(b, c) + tuple(cell)] = window[best]
            places[(b, c) + tuple(cell)] = flat[part].flatten()[best]
y, at = (values, places) if input.dim() == n + 2 else (values.squeeze(0), places.squeeze(0))
(y, at) if return_indices else y"))
    };
    ($name:literal, with $plain:literal) => {
        function(concat!("nn.functional.", $name, "(Tensor input, Any kernel_size, Any output_size=None, Any output_ratio=None, bool return_indices=False, Tensor? _random_samples=None) -> Any"),
            "As without indices, and the places.", "", concat!("torch.nn.functional.", $plain, "(input, kernel_size, output_size, output_ratio, True, _random_samples)"))
    };
}

rows![
    max_pool!("max_pool1d", "1").refuses(&[kernel(COMPLEX, "max_pool1d_impl")]), max_pool!("max_pool2d", "2").refuses(&[kernel(BOOL | COMPLEX, "max_pool2d")]), max_pool!("max_pool3d", "3").refuses(&[kernel(BOOL | COMPLEX, "max_pool3d")]),
    max_pool_with_indices!("max_pool1d_with_indices", "max_pool1d"), max_pool_with_indices!("max_pool2d_with_indices", "max_pool2d"),
    max_pool_with_indices!("max_pool3d_with_indices", "max_pool3d"),
    avg_pool!("avg_pool1d", "1").no_out().refuses(&[kernel(ALL - LONG, "avg_pool2d")]), avg_pool!("avg_pool2d", "2").refuses(&[kernel(ALL - LONG, "avg_pool2d")]), avg_pool!("avg_pool3d", "3").refuses(&[kernel(ALL - LONG, "avg_pool3d_out_frame")]),
    adaptive!("adaptive_avg_pool1d", "1", avg).refuses(&[kernel(ALL, "adaptive_avg_pool2d")]), adaptive!("adaptive_avg_pool2d", "2", avg).refuses(&[kernel(ALL, "adaptive_avg_pool2d")]), adaptive!("adaptive_avg_pool3d", "3", avg).refuses(&[kernel(ALL, "adaptive_avg_pool3d_cpu")]),
    adaptive!("adaptive_max_pool1d", "1", max).refuses(&[kernel(ALL, "adaptive_max_pool2d")]), adaptive!("adaptive_max_pool2d", "2", max).refuses(&[kernel(ALL, "adaptive_max_pool2d")]), adaptive!("adaptive_max_pool3d", "3", max).refuses(&[kernel(ALL, "adaptive_max_pool3d_cpu")]),
    adaptive!("adaptive_max_pool1d_with_indices", "adaptive_max_pool1d"), adaptive!("adaptive_max_pool2d_with_indices", "adaptive_max_pool2d"),
    adaptive!("adaptive_max_pool3d_with_indices", "adaptive_max_pool3d"),
    lp_pool!("lp_pool1d", "1", "avg_pool1d").refuses(&[kernel(ALL - LONG, "avg_pool2d")]), lp_pool!("lp_pool2d", "2", "avg_pool2d").refuses(&[kernel(ALL - LONG, "avg_pool2d")]), lp_pool!("lp_pool3d", "3", "avg_pool3d"),
    unpool!("max_unpool1d", "1"), unpool!("max_unpool2d", "2"), unpool!("max_unpool3d", "3"),
    fractional!("fractional_max_pool2d", "2"), fractional!("fractional_max_pool3d", "3"),
    fractional!("fractional_max_pool2d_with_indices", with "fractional_max_pool2d"), fractional!("fractional_max_pool3d_with_indices", with "fractional_max_pool3d"),
    function("nn.functional.unfold(Tensor input, Any kernel_size, Any dilation=1, Any padding=0, Any stride=1) -> Tensor", "The blocks of an image as columns.",
        "torch.nn.functional.unfold(torch.arange(9.).view(1, 1, 3, 3), 2).shape  # torch.Size([1, 4, 4])",
        "pair = lambda v: [v, v] if isinstance(v, int) else list(v)
if input.dim() not in (3, 4):
    raise RuntimeError(f'Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: {list(input.shape)}')
k, d, p, s = pair(kernel_size), pair(dilation), pair(padding), pair(stride)
x = input if input.dim() == 4 else input.unsqueeze(0)
x = torch.nn.functional.pad(x, [p[1], p[1], p[0], p[0]]).contiguous()
out = [(x.size(2 + i) - d[i] * (k[i] - 1) - 1) // s[i] + 1 for i in range(2)]
if min(out) < 1:
    raise RuntimeError(f'Given input with spatial size {list(input.shape)[-2:]}, calculated shape of the array of sliding blocks as {out}, but its components must be at least one.')
t = x.stride()
y = x.as_strided(list(x.shape)[:2] + k + out, [t[0], t[1], t[2] * d[0], t[3] * d[1], t[2] * s[0], t[3] * s[1]]).reshape(x.size(0), x.size(1) * k[0] * k[1], out[0] * out[1])
y if input.dim() == 4 else y.squeeze(0)").refuses(&[kernel(INTEGERS, "im2col_out_cpu")]),
    function("nn.functional.fold(Tensor input, Any output_size, Any kernel_size, Any dilation=1, Any padding=0, Any stride=1) -> Tensor", "The sum of the blocks that `unfold` gives, at their places.",
        "torch.nn.functional.fold(torch.ones(1, 4, 4), 3, 2)  # tensor([[[[1., 2., 1.],\n#           [2., 4., 2.],\n#           [1., 2., 1.]]]])",
        "pair = lambda v: [v, v] if isinstance(v, int) else list(v)
if input.dim() not in (2, 3):
    raise RuntimeError(f'Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, but got: {list(input.shape)}')
o, k, d, p, s = pair(output_size), pair(kernel_size), pair(dilation), pair(padding), pair(stride)
x = input if input.dim() == 3 else input.unsqueeze(0)
count = [(o[i] + 2 * p[i] - d[i] * (k[i] - 1) - 1) // s[i] + 1 for i in range(2)]
if x.size(1) % (k[0] * k[1]) or x.size(2) != count[0] * count[1]:
    raise RuntimeError(f'Given output_size={o}, kernel_size={k}, dilation={d}, padding={p}, stride={s}, the input has another number of blocks or channels')
x = x.view(x.size(0), -1, k[0], k[1], count[0], count[1])
y = x.new_zeros(x.size(0), x.size(1), o[0] + 2 * p[0], o[1] + 2 * p[1])
for i in range(k[0]):
    for j in range(k[1]):
        y[:, :, i * d[0]:i * d[0] + s[0] * count[0]:s[0], j * d[1]:j * d[1] + s[1] * count[1]:s[1]] += x[:, :, i, j]
y = y[:, :, p[0]:p[0] + o[0], p[1]:p[1] + o[1]].contiguous()
y if input.dim() == 3 else y.squeeze(0)"),
];
