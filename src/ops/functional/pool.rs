//! Windows that move over the last dimensions: the largest, the mean and the norm of each, and cuts into blocks.

use super::usual::pools;
use super::windows::{checked, empty, paired};
use super::{builtin, function};
use crate::ops::Gradients;
use crate::ops::refusal::{INTEGERS, kernel};

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
    if len(v) != n and name == 'max_pool1d' and in_line:
        ints = {'stride': 'None, an int, list of ints,', 'padding': 'an int, list of ints,'}.get(what, 'an int, list of ints')
        raise RuntimeError(f'max_pool1d() {what} must be {ints} or tuple of ints of size 1 but got size {len(v)}')
    if len(v) != n and n == 1:
        raise RuntimeError(f\"{name}() argument '{what}' should contain one int (got {len(v)})\")
    if len(v) != n:
        usual = {'stride': 'must either be omitted,', 'dilation': 'must be either'}.get(what, 'must either be')
        omitted = {'avg_pool3dkernel_size': 'must be', 'avg_pool3dpadding': 'must be', 'avg_pool3dstride': 'must be omitted,'}.get(name + what, usual)
        raise RuntimeError(f\"{name}: {what} {omitted} a single int, or a tuple of {'two' if n == 2 else 'three'} ints\")
    return v
def check_dims():
    if input.dim() in (n + 1, n + 2):
        return
    shape, dims = list(input.shape), f'{n + 1}D or {n + 2}D'
    whole_line = f\"Expected 2 to 3 dimensions, but got {input.dim()}-dimensional tensor for argument #1 'self' (while checking arguments for {kind}_pool1d)\"
    raise RuntimeError({
        'max1': f'max_pool1d: Expected {dims} (batch mode) tensor with optional 0 dim batch size for input, but got:{shape}' if in_line else whole_line,
        'avg1': whole_line,
        f'adaptive_avg{n}': f'adaptive_avg_pool{n}d(): Expected {dims} tensor, but got {shape}',
        f'adaptive_max{n}': f'adaptive_max_pool{n}d(): Expected {dims} tensor, but got: {shape}',
    }.get(f'{kind}{n}', f'non-empty {dims} (batch mode) tensor expected for input'))
if n == 1:
    check_dims()
x = input if input.dim() == n + 2 else input.unsqueeze(0)
# What lies with its channels innermost gives results that do, some of volumes aside.
image = x if n == 3 else input.unsqueeze(2) if n == 1 and input.dim() == 3 else input
order = torch.contiguous_format if n == 3 and kind != 'max' else torch.nn.functional._order([image])
laid = lambda t: t.clone(memory_format=order) if n > 1 else t.unsqueeze(2).clone(memory_format=order).squeeze(2)
finished = lambda t: laid(t) if input.dim() == n + 2 else laid(t).squeeze(0)
",
            $text
        )
    };
}

/// A row for each number of dimensions.
macro_rules! max_pool {
    ($name:literal, $n:literal) => {
        function(concat!("nn.functional.", $name, "(Tensor input, int[", $n, "] kernel_size, int[", $n, "]? stride=None, int[", $n, "] padding=0, int[", $n, "] dilation=1, bool ceil_mode=False, Any return_indices=False) -> Any"),
            "The largest element in each window; with `return_indices`, its place too.", "",
            concat!("kind = 'max'\nin_line = ", $n, " == 1 and not return_indices\n", prepared!($n, concat!("
def refuse_empty():
    name, title = ('max_pool1d: ', '') if in_line else ('', 'max_pool3d_with_indices_out_cpu_template')
    shape = list(input.shape) if n > 1 or in_line else list(input.shape)[:-1] + [1, input.size(-1)]
", empty!("n if in_line else max(n, 2)"), "
if in_line:
    refuse_empty()
kernel = each(kernel_size, 'kernel_size')
step = kernel if stride is None or len(stride) == 0 else each(stride, 'stride')
pad, spread = each(padding, 'padding'), each(dilation, 'dilation')
check_dims()
if n == 3 and torch.nn.functional._order([input]) == torch.channels_last:
    raise RuntimeError('Unsupported memory format. Supports only ChannelsLast3d, Contiguous')
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
tiny = x.is_floating_point() and x.dtype.itemsize == 1
if in_line and not x.is_floating_point() or x.is_complex() or x.dtype in (torch.bool, torch.uint16, torch.uint32, torch.uint64) or tiny:
    end = '' if n == 3 or order == torch.contiguous_format else '_channels_last'
    name = 'max_pool1d_impl' if in_line else f'max_pool{max(n, 2)}d{end}'
    raise NotImplementedError(f'\"{name}\" not implemented for \\'{x.type()[6:-6]}\\'')
low = -math.inf if x.is_floating_point() else torch.iinfo(x.dtype).min
places = torch.arange(torch.tensor(sizes).prod().item()).view(sizes)
spaces = [g for p, h in reversed(list(zip(pad, grow))) for g in (p, h)]
full = torch.nn.functional.pad(x, spaces, value=low).contiguous()
where = torch.nn.functional.pad(places, spaces, value=-1).contiguous()
view = lambda t, lead: t.as_strided(list(t.shape)[:lead] + out + kernel, list(t.stride())[:lead] + [t.stride(lead + i) * step[i] for i in range(n)] + [t.stride(lead + i) * spread[i] for i in range(n)])
windows = view(full, 2)
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
if in_line and not (input.requires_grad and torch.is_grad_enabled()):
    order = torch.contiguous_format
tuple(finished(t) for t in largest_and_places()) if return_indices else finished(largest_and_places()[0] if input.requires_grad else largest())")))).usually(pools::max_pool)
    };
}

macro_rules! max_pool_with_indices {
    ($name:literal, $plain:literal, $n:literal) => {
        function(
            concat!(
                "nn.functional.",
                $name,
                "(Tensor input, int[",
                $n,
                "] kernel_size, int[",
                $n,
                "]? stride=None, int[",
                $n,
                "] padding=0, int[",
                $n,
                "] dilation=1, bool ceil_mode=False, Any return_indices=False) -> Any"
            ),
            "The largest element in each window and its place.",
            "",
            concat!("torch.nn.functional.", $plain, "(input, kernel_size, stride, padding, dilation, ceil_mode, True)"),
        )
    };
}

macro_rules! avg_pool {
    ($name:literal, $n:literal, $divisor:literal, $check:literal) => {
        builtin(concat!("nn.functional.", $name, "(Tensor input, int[", $n, "] kernel_size, int[", $n, "] stride=None, int[", $n, "] padding=0, bool ceil_mode=False, bool count_include_pad=True", $divisor, ") -> Tensor"),
            "The mean of each window.", "",
            concat!("kind, in_line = 'avg', False\n", prepared!($n, concat!("
shape = list(input.shape) if n > 1 else list(input.shape)[:-1] + [1, input.size(-1)]
kernel = each(kernel_size, 'kernel_size')
step = kernel if stride is None or len(stride) == 0 else each(stride, 'stride')
pad, spread = each(padding, 'padding'), [1] * n
", $check, "check_dims()
divisor_override = None if n == 1 else divisor_override
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
if x.dtype != torch.int64 and (not x.is_floating_point() or x.dtype.itemsize == 1 or n == 3 and x.dtype.itemsize == 2):
    name = 'avg_pool3d_out_frame' if n == 3 else 'avg_pool2d' if order == torch.contiguous_format else 'avg_pool2d_channels_last'
    raise NotImplementedError(f'\"{name}\" not implemented for \\'{x.type()[6:-6]}\\'')
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
    share = torch.tensor(shares[0], dtype=wide.dtype, device=wide.device)
    for more in shares[1:]:
        share = share.unsqueeze(-1) * torch.tensor(more, dtype=wide.dtype, device=wide.device)
    y = portion(total, share)
finished(y.to(x.dtype))")))).usually(pools::avg_pool)
    };
}

/// Reads the sizes that an adaptive pool is to have as `wanted`; those that are none are the input's.
macro_rules! wanted {
    ($name:literal, $n:literal, $wrong:literal) => {
        concat!(
            "n = ",
            $n,
            "
wanted = output_size
if not isinstance(wanted, int):
    if input.dim() <= len(wanted):
        raise ValueError(f'Input dimension should be at least {len(wanted) + 1}')
    wanted = [input.shape[i - len(wanted)] if v is None else v for i, v in enumerate(wanted)]
wanted = list(torch.nn.functional._bound('",
            $name,
            "', '(Tensor input, int[",
            $n,
            "] output_size)', [input, wanted])[1])
if len(wanted) != n and (input.dim() in (n + 1, n + 2) or 'max' not in '",
            $name,
            "'):
    raise RuntimeError(f'",
            $wrong,
            " must be {n}')
"
        )
    };
}

/// Where the parts begin and how long they are; `kind` is what the pool finds in each.
macro_rules! parted {
    ($n:literal, $kind:literal, $text:literal) => {
        concat!("kind, in_line = '", $kind, "', False
if min(wanted) < 0 and kind == 'adaptive_avg':
    # PyTorch forgets a space in front of the last of three.
    shown = '{' + ', '.join(str(v) for v in wanted[:2]) + ''.join(f',{v}' for v in wanted[2:]) + '}'
    raise RuntimeError(f'adaptive_avg_pool", $n, "d: elements of output_size must be greater than or equal to 0 but received {shown}')
", prepared!($n, concat!("
check_dims()
first = input.dim() - n if n == 2 and kind == 'adaptive_avg' else 1
lacking = [i for i, size in enumerate(input.shape) if size == 0 and i >= first]
if lacking:
    raise RuntimeError(f'{kind}_pool{n}d(): Expected input to have non-zero size for non-batch dimensions, but input has sizes {list(input.shape)} with dimension {lacking[0]} being empty')
if min(wanted) < 0:
    raise RuntimeError(f'Trying to create tensor with negative dimension {min(wanted)}: {list(input.shape)[:-n] + wanted}')
empties = n == 2 and kind == 'adaptive_avg' and 0 in wanted
if not empties and (not x.is_floating_point() or x.dtype.itemsize == 1):
    end = '_cpu' if n == 3 else '' if order == torch.contiguous_format else '_channels_last'
    raise NotImplementedError(f'\"{kind}_pool{n}d{end}\" not implemented for \\'{x.type()[6:-6]}\\'')
# What cannot be held is refused before any place is looked for.
x.new_empty(list(x.shape)[:2] + wanted)
sizes = list(x.shape)[2:]
starts = [[j * size // count for j in range(count)] for size, count in zip(sizes, wanted)]
lengths = [[-((-(j + 1) * size) // count) - j * size // count for j in range(count)] for size, count in zip(sizes, wanted)]
", $text)))
    };
}

/// One dimension is two of which one is 1; `empty` is what is said of an input without elements first.
macro_rules! adaptive_line {
    ($kind:literal, $schema:literal, $doc:literal, $empty:literal, $more:literal, $end:literal) => {
        function(
            concat!("nn.functional.adaptive_", $kind, "_pool1d", $schema),
            $doc,
            "",
            concat!(
                "if input.dim() not in (2, 3):
    raise RuntimeError(f\"Expected 2 to 3 dimensions, but got {input.dim()}-dimensional tensor for argument #1 'self' (while checking arguments for adaptive_",
                $kind,
                "_pool1d)\")
if len(output_size) != 1:
    raise RuntimeError(f\"adaptive_",
                $kind,
                "_pool1d() argument 'output_size' should contain one int (got {len(output_size)})\")
",
                $empty,
                "y = torch.nn.functional.adaptive_",
                $kind,
                "_pool2d(input.unsqueeze(-2), [1] + list(output_size)",
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
            concat!(wanted!($name, $n, "adaptive_avg_pool{n}d: output_size"), "if wanted == [1] * n:
    # One part is the mean, of any number of dimensions.
    y = input.mean(list(range(-1, -n - 1, -1)), keepdim=True)
    order = torch.nn.functional._order([input])
    y = y if input.dim() != n + 2 or order == torch.contiguous_format else y.clone(memory_format=order)
else:
    y = torch._", $name, "(input, wanted)
y")).usually(pools::adaptive_avg_pool)
    };
    ($name:literal, $n:literal, parts) => {
        function(concat!($name, "(Tensor input, Any wanted) -> Tensor"), "As the function of this name in `torch.nn.functional`, of one list of sizes.", "",
            parted!($n, "adaptive_avg", "wide = x.float() if n < 3 and x.dtype in (torch.float16, torch.bfloat16) else x
# The cells of each part in turn, for all parts at once; parts that have no such cell add nothing.
reach = [max(some) if some else 0 for some in lengths]
plain = 0 not in wanted and wide.dtype in (torch.float32, torch.float64) and wide.device.type == 'cpu'
cell = [0] * n
if plain:
    total = torch.nn.functional._part_sums(wide, sum(starts, []), sum(lengths, []), wanted)
else:
    total = torch.zeros(list(x.shape)[:2] + wanted, dtype=wide.dtype, device=wide.device)
for number in range(0 if plain else math.prod(reach)):
    part, there = wide, True
    for i in reversed(range(n)):
        number, cell[i] = number // reach[i], number % reach[i]
    for i in range(n):
        part = part.index_select(2 + i, torch.tensor([min(a + cell[i], sizes[i] - 1) for a in starts[i]], dtype=torch.int64, device=wide.device))
        there = torch.tensor([cell[i] < length for length in lengths[i]], device=wide.device).view([-1] + [1] * (n - 1 - i)) & there
    total = torch.where(there, total + part, total)
for i in range(n):
    total = total / torch.tensor(lengths[i], dtype=wide.dtype, device=wide.device).view([-1] + [1] * (n - 1 - i))
finished(total.to(x.dtype))")).usually(pools::adaptive_avg_pool)
    };
    ($name:literal, $n:literal, max) => {
        function(concat!("nn.functional.", $name, "(Tensor input, Any output_size, Any return_indices=False) -> Any"), "The largest of each of as many parts as the output is to have elements.", "",
            concat!(wanted!($name, $n, "adaptive_max_pool{n}d(): internal error: output_size.size()"), parted!($n, "adaptive_max", "at = torch.arange(math.prod(sizes)).view(sizes).expand(x.shape)
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
y, at = finished(y), finished(at)
(y, at) if return_indices else y"))).usually(pools::adaptive_max_pool)
    };
    ($name:literal, $plain:literal) => {
        function(concat!("nn.functional.", $name, "(Tensor input, Any output_size, Any return_indices=False) -> Any"), "The largest of each part and its place.", "",
            concat!("torch.nn.functional.", $plain, "(input, output_size, True)"))
    };
}

/// A norm is a root of a mean of powers, or a largest element.
macro_rules! lp_pool {
    ($name:literal, $n:literal, $unpacked:expr, $cells:literal) => {
        function(
            concat!(
                "nn.functional.",
                $name,
                "(Any input, Any norm_type, Any kernel_size, Any stride=None, Any ceil_mode=False) -> Tensor"
            ),
            "The norm of each window.",
            "",
            concat!(
                $unpacked,
                "known = isinstance(norm_type, (int, float))
if known and norm_type == 0:
    raise ValueError(f'norm_type must be a non-zero value, but got {norm_type}')
if known and norm_type == math.inf:
    y = torch.nn.functional.max_pool",
                $n,
                "d(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
elif known and norm_type == -math.inf:
    y = -torch.nn.functional.max_pool",
                $n,
                "d(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
else:
    if stride is None:
        mean = torch.nn.functional.avg_pool",
                $n,
                "d(input.pow(norm_type), kernel_size, padding=0, ceil_mode=ceil_mode)
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

/// Reads one number for each dimension.
macro_rules! unpacked {
    ($names:literal, $n:literal) => {
        concat!(
            $names,
            " = kernel_size if isinstance(kernel_size, (list, tuple, str, dict, torch.Tensor)) else [kernel_size] * ",
            $n,
            "\n"
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
several = lambda v: tuple(v) if isinstance(v, (list, tuple, str, dict, torch.Tensor)) else (v,) * n
kernel, step, pad = several(kernel_size), several(kernel_size if stride is None else stride), several(padding)
out = usual = [(input.shape[d - len(kernel)] - 1) * step[d] + kernel[d] - 2 * pad[d] for d in range(len(kernel))]
if output_size is not None:
    out = output_size[2:] if len(output_size) == len(kernel) + 2 else output_size
    if len(out) != len(kernel):
        raise ValueError(f\"output_size should be a sequence containing {len(kernel)} or {len(kernel) + 2} elements, but it has a length of '{len(output_size)}'\")
    for i, size in enumerate(out):
        if not usual[i] - step[i] < size < usual[i] + step[i]:
            raise ValueError(f'invalid output_size \"{out}\" (dim {i} must be between {usual[i] - step[i]} and {usual[i] + step[i]})')
for i, size in enumerate(out):
    if size < 0:
        raise ValueError(f'max_unpooling: output_size must contain non-negative spatial dimensions, but got output_size[{i}]={size}')
out = list(torch.nn.functional._bound(f'max_unpool{max(n, 2)}d', f'(Tensor input, Tensor indices, int[{max(n, 2)}] output_size)', [input, indices, list(out) + [1] * (n == 1)])[2])[:len(out)]
if indices.dtype != torch.int64:
    raise RuntimeError(f'elements in indices should be type int64 but got: {indices.type()[6:-6]}')
if input.dim() not in (n + 1, n + 2):
    k = max(n, 2)
    raise RuntimeError(f'Input to max_unpooling{k}d should be a {k + 1}d or {k + 2}d Tensor, but got a tensor with {input.dim() + (n == 1)} dimensions.')
if len(out) != n:
    sides = 'two elements (height, width)' if n == 2 else 'three elements (depth, height, width)'
    raise RuntimeError(f'There should be exactly {sides} in output_size, but got {len(out)} elements.')
",
            "kind, in_line = 'max' if n < 3 else 'unpool', False\n",
            prepared!(
                $n,
                "
order = torch.nn.functional._order([input.unsqueeze(-1) if n == 1 else input]) if n < 3 else torch.contiguous_format
if indices.shape != input.shape:
    raise RuntimeError(f'Expected shape of indices to be same as that of the input tensor ({list(input.shape) + [1] * (n == 1)}) but got indices tensor with shape: {list(indices.shape) + [1] * (n == 1)}')
if min(list(input.shape)[1:]) < 1:
    raise RuntimeError(f'Expected input to have non-zero size for non-batch dimensions, but input has sizes {list(input.shape)}')
if n == 3 and min(step) < 1:
    raise RuntimeError(f'strides should be greater than zero, but got stride: {list(step)}')
if not input.is_floating_point():
    end = '' if order == torch.contiguous_format else '_channels_last'
    raise NotImplementedError(f'\"max_unpool{max(n, 2)}d{end}\" not implemented for \\'{input.type()[6:-6]}\\'')
at = indices if input.dim() == n + 2 else indices.unsqueeze(0)
cells = math.prod(out)
if at.numel() > 0 and cells > 0 and not (at.min() >= 0 and at.max() < cells):
    lost = at[(at < 0) | (at >= cells)][-1]
    raise RuntimeError(f'Found an invalid max index: {lost} (output volumes are of size {\"x\".join(map(str, out + [1] * (n == 1)))})')
y = x.new_zeros(list(x.shape)[:2] + [cells])
y = y.scatter(2, at.flatten(2), x.flatten(2)) if cells > 0 else y
finished(y.view(list(x.shape)[:2] + out))"
            )),
        )
    };
}

rows![
    max_pool!("max_pool1d", "1"), max_pool!("max_pool2d", "2").grads(MAX_POOL2D).piecewise(), max_pool!("max_pool3d", "3"),
    max_pool_with_indices!("max_pool1d_with_indices", "max_pool1d", "1"), max_pool_with_indices!("max_pool2d_with_indices", "max_pool2d", "2"),
    max_pool_with_indices!("max_pool3d_with_indices", "max_pool3d", "3"),
    avg_pool!("avg_pool1d", "1", "", "").no_out(), avg_pool!("avg_pool2d", "2", ", int? divisor_override=None", "input.size(-3)\n"), avg_pool!("avg_pool3d", "3", ", int? divisor_override=None", ""),
    adaptive_line!("avg", "(Tensor input, int[1] output_size) -> Tensor", "The means of as many parts as the output is to have elements.", "", "", "y.squeeze(-2)"),
    adaptive!("adaptive_avg_pool2d", "2", avg), adaptive!("adaptive_avg_pool3d", "3", avg), adaptive!("_adaptive_avg_pool2d", "2", parts), adaptive!("_adaptive_avg_pool3d", "3", parts),
    adaptive_line!("max", "(Tensor input, int[1] output_size, Any return_indices=False) -> Any", "The largest of each of as many parts as the output is to have elements.", "lacking = [i for i, size in enumerate(input.shape) if size == 0 and i > 0]
if lacking:
    raise RuntimeError(f'adaptive_max_pool1d(): Expected input to have non-zero size for non-batch dimensions, but input has sizes {list(input.shape)} with dimension {lacking[0]} being empty')
", ", True", "(y[0].squeeze(-2), y[1].squeeze(-2)) if return_indices else y[0].squeeze(-2)"),
    adaptive!("adaptive_max_pool2d", "2", max), adaptive!("adaptive_max_pool3d", "3", max),
    adaptive!("adaptive_max_pool1d_with_indices", "adaptive_max_pool1d"), adaptive!("adaptive_max_pool2d_with_indices", "adaptive_max_pool2d"),
    adaptive!("adaptive_max_pool3d_with_indices", "adaptive_max_pool3d"),
    lp_pool!("lp_pool1d", "1", "", "kernel_size"),
    lp_pool!("lp_pool2d", "2", unpacked!("a, b", "2"), "a * b"),
    lp_pool!("lp_pool3d", "3", unpacked!("a, b, c", "3"), "a * b * c"),
    unpool!("max_unpool1d", "1"), unpool!("max_unpool2d", "2"), unpool!("max_unpool3d", "3"),
    function("nn.functional.unfold(Tensor input, Any kernel_size, Any dilation=1, Any padding=0, Any stride=1) -> Tensor", "The blocks of an image as columns.",
        "torch.nn.functional.unfold(torch.arange(9.).view(1, 1, 3, 3), 2).shape  # torch.Size([1, 4, 4])",
        concat!("kernel = 'im2col'\n", paired!(), "if input.dim() < 3:
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
(y if input.dim() == 4 else y.squeeze(0)).clone(memory_format=torch.contiguous_format)")).refuses(&[kernel(INTEGERS, "im2col_out_cpu")]).usually(pools::unfold),
    function("nn.functional.fold(Tensor input, Any output_size, Any kernel_size, Any dilation=1, Any padding=0, Any stride=1) -> Tensor", "The sum of the blocks that `unfold` gives, at their places.",
        "torch.nn.functional.fold(torch.ones(1, 4, 4), 3, 2)  # tensor([[[[1., 2., 1.],\n#           [2., 4., 2.],\n#           [1., 2., 1.]]]])",
        concat!("kernel = 'col2im'\n", paired!(), "o = given[0]
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
y if input.dim() == 3 else y.squeeze(0)")).refuses(&[kernel(INTEGERS, "col2im_out_cpu")]).usually(pools::fold),
];

const MAX_POOL2D: Gradients = &[(
    "input",
    "places = torch.nn.functional.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices=True)[1]\ninput.new_zeros(input.shape).flatten(-2).scatter_add(-1, places.flatten(-2), grad.flatten(-2)).reshape(input.shape)",
)];
