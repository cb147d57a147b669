//! Borders, and images of another size.

use super::function;
use super::usual::{borders, sizes};

rows![
    function("nn.functional.pixel_shuffle(Tensor input, int upscale_factor) -> Tensor", "Channels spread out into larger images.",
        "torch.nn.functional.pixel_shuffle(torch.arange(4.).view(4, 1, 1), 2)  # tensor([[[0., 1.],\n#          [2., 3.]]])",
        "r = upscale_factor
if input.dim() < 3:
    raise RuntimeError(f'pixel_shuffle expects input to have at least 3 dimensions, but got input with {input.dim()} dimension(s)')
if r <= 0:
    raise RuntimeError(f'pixel_shuffle expects a positive upscale_factor, but got {r}')
if input.size(-3) % (r * r):
    raise RuntimeError(f'pixel_shuffle expects its input\\'s \\'channel\\' dimension to be divisible by the square of upscale_factor, but input.size(-3)={input.size(-3)} is not divisible by {r * r}')
c, h, w = input.size(-3) // (r * r), input.size(-2), input.size(-1)
front, n = list(input.shape)[:-3], input.dim() - 3
input.reshape(front + [c, r, r, h, w]).permute(list(range(n)) + [n, n + 3, n + 1, n + 4, n + 2]).reshape(front + [c, h * r, w * r]).clone(memory_format=torch.nn.functional._order([input]))").usually(borders::pixel_shuffle),
    function("nn.functional.pixel_unshuffle(Tensor input, int downscale_factor) -> Tensor", "Images taken apart into channels: `pixel_shuffle` backwards.",
        "torch.nn.functional.pixel_unshuffle(torch.arange(4.).view(1, 2, 2), 2).flatten()  # tensor([0., 1., 2., 3.])",
        "r = downscale_factor
if input.dim() < 3:
    raise RuntimeError(f'pixel_unshuffle expects input to have at least 3 dimensions, but got input with {input.dim()} dimension(s)')
if r <= 0:
    raise RuntimeError(f'pixel_unshuffle expects a positive downscale_factor, but got {r}')
for d, name in ((-2, 'height'), (-1, 'width')):
    if input.size(d) % r:
        raise RuntimeError(f'pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({d})={input.size(d)} is not divisible by {r}')
c, h, w = input.size(-3), input.size(-2) // r, input.size(-1) // r
front, n = list(input.shape)[:-3], input.dim() - 3
input.reshape(front + [c, h, r, w, r]).permute(list(range(n)) + [n, n + 2, n + 4, n + 1, n + 3]).reshape(front + [c * r * r, h, w]).clone(memory_format=torch.nn.functional._order([input]))").usually(borders::pixel_unshuffle),
    function("nn.functional.channel_shuffle(Tensor input, SymInt groups) -> Tensor", "Channels dealt out in turn to as many groups.",
        "torch.nn.functional.channel_shuffle(torch.arange(4.).view(1, 4, 1), 2).flatten()  # tensor([0., 2., 1., 3.])",
        "if input.dim() < 3:
    raise RuntimeError(f'channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}')
if groups <= 0:
    raise RuntimeError(f'Number of groups to divide channels in must be positive. Value of groups:{groups}')
if input.size(1) % groups:
    raise RuntimeError(f'Number of channels must be divisible by groups. Got {input.size(1)} channels and {groups} groups.')
n, c = input.size(0), input.size(1)
order = torch.nn.functional._order([input])
input.reshape([n, groups, c // groups] + list(input.shape)[2:]).transpose(1, 2).reshape(input.shape).clone(memory_format=order)").alias(&["native_channel_shuffle", "nn.functional.native_channel_shuffle"]),
    function("nn.functional.pad(Tensor input, SymInt[] pad, str mode=\"constant\", float? value=None) -> Tensor",
        "Puts a border around the last dimensions: two widths for the last one, then two for the one before. It holds one number, or what lies near.",
        "torch.nn.functional.pad(torch.tensor([1., 2.]), (1, 2))  # tensor([0., 1., 2., 0., 0.])",
        "n = len(pad) // 2
if mode not in ('constant', 'reflect', 'replicate', 'circular'):
    raise NotImplementedError(f'Unrecognised padding mode {mode}')
if len(pad) % 2:
    raise RuntimeError('Padding length must be divisible by 2')
if n > input.dim():
    raise RuntimeError(f'Padding length should be less than or equal to two times the input dimension but got padding length {len(pad)} and input of dimension {input.dim()}')
if mode == 'constant':
    sizes = list(input.shape)
    inner = input
    where = [slice(None)] * input.dim()
    for i in range(n):
        d = input.dim() - 1 - i
        before, after = pad[2 * i], pad[2 * i + 1]
        sizes[d] += before + after
        if input.size(d) + min(before, 0) + min(after, 0) < 0:
            raise RuntimeError('narrow(): length must be non-negative.')
        inner = inner.narrow(d, min(max(-before, 0), input.size(d)), max(input.size(d) + min(before, 0) + min(after, 0), 0))
        where[d] = slice(max(before, 0), max(before, 0) + inner.size(d))
    if any(width > 0 for width in pad):
        result = torch.full(sizes, 0 if value is None else value, dtype=input.dtype)
        result[tuple(where)] = inner
        result = result.contiguous(memory_format=torch.nn.functional._order([input]))
    else:
        result = inner.clone()
else:
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode \\\"{mode}\\\" doesn\\'t take in value argument')
    if not (len(pad) == 2 and input.dim() in (2, 3) or len(pad) == 4 and input.dim() in (3, 4) or len(pad) == 6 and input.dim() in (4, 5)):
        raise NotImplementedError(f'Padding size {len(pad)} is not supported for {input.dim()}D input tensor.\\nSupported combinations for non-constant padding:\\n  - 2D or 3D input: padding size = 2 (pads last dimension)\\n  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\\n  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)')
    if mode != 'circular' and 0 in list(input.shape)[int(input.dim() == len(pad) // 2 + 2):]:
        raise RuntimeError(f'Expected {len(pad) // 2 + 1}D or {len(pad) // 2 + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: {list(input.shape)}')
    have = list(input.shape)[input.dim() - n:]
    want = [size + pad[2 * (n - 1 - i)] + pad[2 * (n - 1 - i) + 1] for i, size in enumerate(have)]
    places = [None] * n
    for i in reversed(range(n)) if mode == 'circular' else range(n):
        d, size, before, after = input.dim() - 1 - i, have[-1 - i], pad[2 * i], pad[2 * i + 1]
        if mode == 'circular' and max(before, after) > size:
            raise RuntimeError('Padding value causes wrapping around more than once.')
        if mode == 'circular' and want[-1 - i] < 0:
            raise RuntimeError('Negative padding value is resulting in an empty dimension')
        if mode == 'reflect' and max(before, after) >= size:
            raise RuntimeError(f'Argument #{4 + 2 * i}: Padding size should be less than the corresponding input dimension, but got: padding ({before}, {after}) at dimension {d} of input {list(input.shape)}')
        place = torch.arange(-before, size + after, device=input.device) if want[-1 - i] > 0 else torch.zeros(0, dtype=torch.int64)
        if mode == 'replicate':
            place = place.clamp(0, size - 1)
        elif mode == 'reflect':
            place = size - 1 - (size - 1 - place.abs()).abs()
        else:
            cut = max(-before, 0)
            left = size - cut + min(after, 0)
            if left < 1 and want[-1 - i] > 0:
                raise RuntimeError('Padding value causes wrapping around more than once.')
            place = (place - cut) % max(left, 1) + cut
        places[n - 1 - i] = place
    if mode != 'circular' and min(want) < 1:
        told = lambda sizes, between: between.join(f'{letter}: {v}' for letter, v in zip('DHW'[-n:], sizes))
        raise RuntimeError(f'input ({told(have, \"\")}) is too small. Calculated output {told(want, \"\")}' if n == 1 else f'Calculated output {told(want, \" \")} must be >= 1 in every dimension (input {told(have, \", \")})')
    if mode != 'circular' and input.dtype == torch.bool:
        name = 'reflection' if mode == 'reflect' else 'replication'
        raise NotImplementedError(f'\"{name}_pad{n}d\" not implemented for \\'Bool\\'')
    result = torch.nn.functional._places(input, places)
    result = result.contiguous(memory_format=torch.contiguous_format if mode == 'circular' else torch.nn.functional._order([input]))
result").usually(borders::pad),
    function("nn.functional._sizes(Any input, Any out, Any factors, Any mode, Any align_corners, Any antialias) -> Any",
        "The size of an image that is asked for by sizes or by factors.", "",
        "n = input.dim() - 2
corners = mode not in ('nearest', 'nearest-exact')
name = ('_' if antialias or mode == 'nearest-exact' else '') + 'upsample_' + mode.replace('-', '_') + f'{n}d' + ('_aa' if antialias else '')
given = factors if out is None else out
first = given[0]
if out is None:
    fits = isinstance(first, (int, float, complex))
else:
    fits = isinstance(first, int) and not isinstance(first, bool) or isinstance(first, torch.Tensor) and first.numel() == 1 and not first.is_floating_point()
if not fits:
    types = [type(v).__name__ for v in given]
    if isinstance(given, list):
        listed = 'list of [' + ', '.join(types) + ']'
    else:
        listed = 'tuple of (' + ', '.join(types) + (',)' if n == 1 else ')')
    kind = type(given).__name__
    got = ['Tensor', 'NoneType' if out is None else kind] + ['bool'] * corners + [kind if out is None else 'NoneType']
    told = ['Tensor', '!NoneType!' if out is None else f'!{listed}!'] + ['bool'] * corners + [f'!{listed}!' if out is None else '!NoneType!']
    lead = 'Tensor input, tuple of ints output_size' + ', bool align_corners' * corners
    scales = ['scales'] if n == 1 else ['scales_' + side for side in 'dhw'[3 - n:]]
    scales = ', '.join(f'float {each} = None' for each in scales)
    raise TypeError(f\"{name}() received an invalid combination of arguments - got ({', '.join(got)}), but expected one of:\\n * ({lead}, tuple of floats scale_factors)\\n      didn't match because some of the arguments have invalid types: ({', '.join(told)})\\n * ({lead}, {scales}, *, Tensor out = None)\\n\")
for i in range(n):
    if out is None and not isinstance(given[i], (int, float)):
        raise TypeError(f\"{name}(): argument 'scale_factors' must be tuple of floats, but found element of type {type(given[i]).__name__} at pos {i + 1}\")
wide = [] if factors is None else [float(input.size(2 + i)) * factors[i] for i in range(n)]
if not all(abs(v) < 2.0 ** 63 for v in wide):
    raise RuntimeError('value cannot be converted to type int64_t without overflow')
[int(math.floor(v)) for v in wide] if out is None else [int(v) for v in out]"),
    function("nn.functional.interpolate(Tensor input, Any size=None, Any scale_factor=None, Any mode=\"nearest\", Any align_corners=None, Any recompute_scale_factor=None, Any antialias=False) -> Tensor",
        "An image of another size: the nearest elements, or lines, cubics or means between them.",
        "torch.nn.functional.interpolate(torch.tensor([[[1., 2.]]]), scale_factor=2)  # tensor([[[1., 1., 2., 2.]]])",
        "n = input.dim() - 2
# Numbers of numpy serve as Python's.
plain = lambda v: v.item() if type(v).__module__ == 'numpy' else v
size = type(size)([plain(v) for v in size]) if type(size) in (list, tuple) else plain(size)
scale_factor = type(scale_factor)([plain(v) for v in scale_factor]) if type(scale_factor) in (list, tuple) else plain(scale_factor)
if mode in ('nearest', 'area', 'nearest-exact'):
    if align_corners is not None:
        raise ValueError('align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear')
elif align_corners is None:
    align_corners = False
if size is not None and scale_factor is not None:
    raise ValueError('only one of size or scale_factor should be defined')
if size is None and scale_factor is None:
    raise ValueError('either size or scale_factor should be defined')
if recompute_scale_factor and size is not None:
    raise ValueError('recompute_scale_factor is not meaningful with an explicit size.')
listed = isinstance(scale_factor if size is None else size, (list, tuple))
if size is not None and listed:
    if len(size) != n:
        raise ValueError(f'Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of {list(input.shape[2:])} and output size of {size}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format.')
    if not all(isinstance(v, int) or isinstance(v, torch.Tensor) and not v.is_floating_point() for v in size):
        raise TypeError(f'expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size with types {[type(v) for v in size]}')
if size is None and listed and len(scale_factor) != n:
    raise ValueError(f'Input and scale_factor must have the same number of spatial dimensions, but got input with spatial dimensions of {list(input.shape)[2:]} and scale_factor of shape {scale_factor}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format.')
out = None if size is None else size if listed else [size] * n
factors = None if size is not None else scale_factor if listed else [scale_factor] * n
if size is None and (recompute_scale_factor or mode == 'area'):
    out, factors = [int(input.size(2 + i) * factors[i]) for i in range(n)], None
if antialias and not (mode in ('bilinear', 'bicubic') and n == 2):
    raise ValueError('Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input')
if mode == 'lanczos' and n == 2 and not antialias:
    raise ValueError('Lanczos mode requires antialias=True')
fits = {'linear': 1, 'bilinear': 2, 'bicubic': 2, 'trilinear': 3}
if mode in ('linear', 'bilinear', 'trilinear') and n in (1, 2, 3) and fits[mode] != n:
    raise NotImplementedError(f'Got {n + 2}D input, but {mode} mode needs {fits[mode] + 2}D input')
if mode not in ('nearest', 'area', 'nearest-exact') and (mode not in fits or fits[mode] != n) or n not in (1, 2, 3):
    raise NotImplementedError(f'Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.dim()}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})')
if mode != 'area':
    out = torch.nn.functional._sizes(input, out, factors, mode, align_corners, antialias)
if mode != 'area' and min(list(input.shape)[1:] + out) < 1:
    letters = 'DHW'[-n:]
    shown = [', '.join(f'{l}: {v}' for l, v in zip(letters, sizes)) for sizes in (list(input.shape)[2:], out)]
    raise RuntimeError(f'Input and output sizes should be greater than 0, but got input ({shown[0]}){\" and\" * (n == 1)} output ({shown[1]})')
if mode != 'area' and (not input.is_floating_point() or 'float8' in str(input.dtype)) and not (input.dtype == torch.uint8 and (n == 2 or mode in ('nearest', 'nearest-exact'))):
    line = 'upsample_bilinear2d_channels_last' if n == 2 else 'compute_indices_weights_linear'
    near = 'upsample_nearest2d_channels_last' if n == 2 else 'compute_indices_weights_nearest'
    name = {'nearest': near, 'nearest-exact': near, 'bicubic': 'compute_indices_weights_cubic'}.get(mode, line)
    raise NotImplementedError(f'\"{name}\" not implemented for \\'{input.type()[6:-6]}\\'')
if mode == 'area':
    names = {1: torch.nn.functional.adaptive_avg_pool1d, 2: torch.nn.functional.adaptive_avg_pool2d, 3: torch.nn.functional.adaptive_avg_pool3d}
    result = names[n](input, out)
elif input.dtype == torch.uint8 and n == 2 and mode in ('bilinear', 'bicubic') and min(input.shape) > 0 and min(out) > 0:
    result = input
    for i in (1, 0):
        if input.size(2 + i) != out[i]:
            result = torch.nn.functional._byte_lines(result, 2 + i, out[i], mode == 'bicubic', bool(align_corners), None if factors is None else factors[i], antialias)
    result = input.clone() if result is input else result
elif antialias:
    # Each element is a mean of all that lie within the filter's reach, which grows as the image shrinks.
    work = torch.float64 if input.dtype == torch.float64 else torch.float32
    if input.dtype in (torch.float16, torch.bfloat16):
        raise NotImplementedError(f'\"compute_index_ranges_weights\" not implemented for \\'{input.type()[6:-6]}\\'')
    result = input.clone()
    for d in (3, 2):
        have, want = input.size(d), out[d - 2]
        if have == want:
            continue
        ratio = ((have - 1) / (want - 1) if want > 1 else 0.0) if align_corners else have / want if factors is None else 1.0 / factors[d - 2]
        ratio = torch.tensor(ratio, dtype=work)
        shrink = ratio if ratio >= 1 else torch.ones_like(ratio)
        reach = shrink * (1.0 if mode == 'bilinear' else 2.0)
        center = (torch.arange(want, dtype=work) + 0.5) * ratio
        low = (center - reach + 0.5).long().clamp(min=0)
        count = (center + reach + 0.5).long().clamp(max=have) - low
        cells = torch.arange(int(count.max()))
        far = (((cells + low.unsqueeze(1)).to(work) - center.unsqueeze(1) + 0.5) * (1 / shrink)).abs()
        if mode == 'bilinear':
            weights = (1 - far).clamp(min=0)
        else:
            weights = torch.where(far < 1, (1.5 * far - 2.5) * far * far + 1, torch.where(far < 2, (((far - 5) * far + 8) * far - 4) * -0.5, 0.0))
        there = cells < count.unsqueeze(1)
        weights = torch.where(there, weights, 0.0)
        total = torch.zeros(want, dtype=work)
        for j in range(len(cells)):
            total = total + weights[:, j]
        weights = weights / total.unsqueeze(1)
        wide, shape = result.to(work), [-1] + [1] * (3 - d)
        take = lambda j: wide.index_select(d, (low + j).clamp(max=have - 1))
        mean = take(0) * weights[:, 0].view(shape)
        for j in range(1, len(cells)):
            more = (take(j).double() * weights[:, j].view(shape).double() + mean).to(work)
            mean = torch.where(there[:, j].view(shape), more, mean)
        result = (mean if input.is_floating_point() else mean.round().clamp(0, 255)).to(input.dtype)
elif mode in ('linear', 'bilinear', 'trilinear') and min(input.shape) > 0 and min(out) > 0:
    work = torch.float64 if input.dtype == torch.float64 else torch.float32
    # The product is added to the rest without being rounded.
    fused = torch.nn.functional._fma
    low, high, near, far = [], [], [], []
    for i in range(n):
        have, want = input.size(2 + i), out[i]
        place = torch.arange(want, dtype=work, device=input.device)
        if align_corners:
            place = place * torch.tensor((have - 1) / (want - 1) if want > 1 else 0.0, dtype=work)
        else:
            ratio = torch.tensor(have / want if factors is None else 1.0 / factors[i], dtype=work)
            place = (fused(place + 0.5, ratio, torch.tensor(-0.5, dtype=work)) if n == 2 else (place + 0.5) * ratio - 0.5).clamp(min=0)
        place = torch.arange(want, dtype=work) if have == want else place
        base = place.floor()
        # Weights of 16-bit floats are rounded along lines and in boxes.
        held = input.dtype if n != 2 else work
        t = (place - base).clamp(0, 1).to(held)
        base = base.long().clamp(max=have - 1)
        shape = [-1] + [1] * (n - 1 - i)
        low.append(base)
        high.append(base if have == want else (base + 1).clamp(max=have - 1))
        near.append((1 - t).to(work).view(shape))
        far.append(t.to(work).view(shape))
    wide = input.to(work)
    if n == 2:
        side = lambda first, second: torch.stack([first.view(-1), second.view(-1)])
        rows, columns = [(side(low[i], high[i]), side(near[i], far[i])) for i in range(2)]
        result = torch.nn.functional._corners(wide, rows[0], columns[0], rows[1], columns[1], input.dtype == torch.float16)
        result = (result if input.is_floating_point() else (result + 0.5).floor()).to(input.dtype)
    else:
        result = wide
        for i in reversed(range(n)):
            result = fused(result.index_select(2 + i, low[i]), near[i], result.index_select(2 + i, high[i]) * far[i])
        result = result.to(input.dtype)
elif mode in ('nearest', 'nearest-exact'):
    work = torch.float64 if input.dtype == torch.float64 else torch.float32
    places = []
    for i in range(n):
        have, want = input.size(2 + i), out[i]
        ratio = torch.tensor(have / want if factors is None else 1.0 / factors[i], dtype=work)
        place = torch.arange(want, dtype=work)
        place = place if mode == 'nearest' else place + 0.5
        places.append((place * ratio).floor().long().clamp(max=have - 1))
    result = torch.nn.functional._places(input, places)
elif mode == 'bicubic' and input.is_floating_point() and min(input.shape) > 0 and min(out) > 0:
    work = torch.float64 if input.dtype == torch.float64 else torch.float32
    fused = torch.nn.functional._fma
    number = lambda value: torch.tensor(value, dtype=work)
    # The weights are kept in the dtype of the input.
    kept = lambda weight: weight.to(input.dtype).to(work)
    near = lambda u: kept((1.25 * u - 2.25) * u * u + 1)
    far = lambda u: kept(fused(fused(u, number(-0.75), number(3.75)), u, number(-6.0)) * u + 3.0)
    result = input.to(work)
    for i in reversed(range(n)):
        d, have, want = 2 + i, input.size(2 + i), out[i]
        place = torch.arange(want, dtype=work, device=input.device)
        if align_corners:
            place = place * number((have - 1) / (want - 1) if want > 1 else 0.0)
        else:
            place = fused(place + 0.5, number(have / want if factors is None else 1.0 / factors[i]), number(-0.5))
        low = place.floor()
        t = (place - low).view([-1] + [1] * (1 - i))
        low = low.long()
        take = lambda k: result.index_select(d, (low + k).clamp(0, have - 1))
        # The products are added without being rounded.
        first = fused(take(-1), far(t + 1), take(0) * near(t))
        result = fused(take(2), far((1 - t) + 1), fused(take(1), near(1 - t), first))
    result = result.to(input.dtype)
else:
    result = input
    for i in reversed(range(n)):
        d, have, want = 2 + i, input.size(2 + i), out[i]
        ratio = torch.tensor(have / want if factors is None else 1.0 / factors[i], dtype=torch.float64 if input.dtype == torch.float64 else torch.float32, device=input.device)
        place = torch.arange(want, dtype=ratio.dtype, device=input.device)
        if align_corners:
            place = place * ((have - 1) / (want - 1) if want > 1 else 0.0)
        else:
            place = (place + 0.5) * ratio - 0.5
            place = place.clamp(min=0)
        low = place.floor()
        t = (place - low).to(input.dtype).view([-1] + [1] * (input.dim() - 1 - d))
        low = low.long()
        take = lambda k: result.index_select(d, (low + k).clamp(0, have - 1))
        result = take(0) * (1 - t) + take(1) * t
result if mode == 'area' else result.clone(memory_format=torch.nn.functional._order([input]))").usually(sizes::interpolate),
    function("nn.functional.upsample(Tensor input, Any size=None, Any scale_factor=None, Any mode=\"nearest\", Any align_corners=None) -> Tensor", "The old name of `interpolate`.",
        "torch.nn.functional.upsample(torch.tensor([[[1., 2.]]]), scale_factor=2)  # tensor([[[1., 1., 2., 2.]]])", "torch.nn.functional.interpolate(input, size, scale_factor, mode, align_corners)"),
    function("nn.functional.upsample_nearest(Tensor input, Any size=None, Any scale_factor=None) -> Tensor", "`interpolate` by the nearest element.",
        "torch.nn.functional.upsample_nearest(torch.tensor([[[1., 2.]]]), scale_factor=2)  # tensor([[[1., 1., 2., 2.]]])", "torch.nn.functional.interpolate(input, size, scale_factor, 'nearest')"),
    function("nn.functional.upsample_bilinear(Tensor input, Any size=None, Any scale_factor=None) -> Tensor", "`interpolate` by lines, corner to corner.",
        "torch.nn.functional.upsample_bilinear(torch.ones(1, 1, 2, 2), size=(2, 3)).shape  # torch.Size([1, 1, 2, 3])", "torch.nn.functional.interpolate(input, size, scale_factor, 'bilinear', True)"),
    function("nn.functional.grid_sample(Any input, Any grid, Any mode=\"bilinear\", Any padding_mode=\"zeros\", Any align_corners=None) -> Tensor",
        "The image at places between its elements; -1 and 1 are its borders.",
        "torch.nn.functional.grid_sample(torch.tensor([[[[1., 3.]]]]), torch.tensor([[[[0., 0.]]]]), align_corners=False)  # tensor([[[[2.]]]])",
        "if mode not in ('bilinear', 'nearest', 'bicubic'):
    raise ValueError(f'nn.functional.grid_sample(): expected mode to be \\'bilinear\\', \\'nearest\\' or \\'bicubic\\', but got: \\'{mode}\\'')
if padding_mode not in ('zeros', 'border', 'reflection'):
    raise ValueError(f'nn.functional.grid_sample(): expected padding_mode to be \\'zeros\\', \\'border\\', or \\'reflection\\', but got: \\'{padding_mode}\\'')
corners = False if align_corners is None else align_corners
takes = '(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners)'
input, grid, _, _, corners = torch.nn.functional._bound('grid_sampler', takes, [input, grid, 0, 0, corners])
n = input.dim() - 2
if input.size(0) != grid.size(0):
    raise RuntimeError(f'grid_sampler(): expected grid and input to have same batch size, but got input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}')
if grid.size(-1) != n:
    raise RuntimeError(f'grid_sampler(): expected grid to have size {n} in last dimension, but got grid with sizes {list(grid.shape)}')
if n not in (2, 3) or grid.dim() != input.dim():
    raise RuntimeError(f'grid_sampler(): expected {4 if n < 3 else 5}D input and grid with same number of dimensions, but got input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}')
if min(list(input.shape)[2:]) < 1:
    raise RuntimeError(f'grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes {list(input.shape)}')
if not input.is_floating_point():
    kernel = 'grid_sampler_2d_cpu_kernel_impl' if n == 2 else 'grid_sampler3d_cpu'
    raise NotImplementedError(f'\"{kernel}\" not implemented for \\'{input.type()[6:-6]}\\'')
if input.dtype != grid.dtype:
    raise RuntimeError(f'expected scalar type {input.type()[6:-6]} but found {grid.type()[6:-6]}')
sizes = list(input.shape)[2:]
def bounded(x, size):
    if padding_mode == 'reflection':
        low, high = (0, 2 * (size - 1)) if corners else (-1, 2 * size - 1)
        if low == high:
            x = torch.zeros_like(x)
        else:
            base, span = low / 2, (high - low) / 2
            x = (x - base).abs()
            rest, turns = x % span, (x / span).floor()
            x = torch.where(turns % 2 == 0, rest + base, span - rest + base)
    # What is no number lies at the first element.
    return x if padding_mode == 'zeros' else x.nan_to_num(0.0, math.inf, -math.inf).clamp(0, size - 1)
raw = [((grid[..., i] + 1) / 2 * (s - 1)) if corners else (((grid[..., i] + 1) * s - 1) / 2) for i, s in enumerate(reversed(sizes))]
raw.reverse()
def at(places):
    inside = torch.ones(places[0].shape, dtype=torch.bool, device=input.device)
    flat = torch.zeros(places[0].shape, dtype=torch.int64, device=input.device)
    for p, s in zip(places, sizes):
        inside = inside & (p >= 0) & (p < s)
        flat = flat * s + p.nan_to_num().clamp(0, s - 1).long()
    picked = input.flatten(2).gather(2, flat.flatten(1).unsqueeze(1).expand(-1, input.size(1), -1)).view([input.size(0), input.size(1)] + list(flat.shape)[1:])
    return torch.where(inside.unsqueeze(1), picked, 0)
if n == 3 and mode == 'bicubic' and input.dtype in (torch.float16, torch.bfloat16):
    # Rounded once.
    result = torch.nn.functional.grid_sample(input.float(), grid.float(), mode, padding_mode, align_corners).to(input.dtype)
elif mode == 'nearest':
    result = at([bounded(x, s).round() for x, s in zip(raw, sizes)])
    if grid.requires_grad:
        # The grid has a gradient of zeros.
        result = torch.where(torch.zeros_like(result, dtype=torch.bool), sum(raw).unsqueeze(1), result)
elif mode == 'bilinear':
    places = [bounded(x, s) for x, s in zip(raw, sizes)]
    result = 0
    for corner in range(2 ** n):
        picks, weight = [], 1
        for i in range(n):
            low = places[i].floor()
            up = corner >> (n - 1 - i) & 1
            picks.append(low + up)
            weight = weight * ((places[i] - low) if up else (low + 1 - places[i]))
        result = result + at(picks) * weight.unsqueeze(1)
else:
    a = -0.75
    near = lambda u: ((a + 2) * u - (a + 3)) * u * u + 1
    far = lambda u: ((a * u - 5 * a) * u + 8 * a) * u - 4 * a
    low = [x.floor() for x in raw]
    t = [x - l for x, l in zip(raw, low)]
    weights = [[far(u + 1), near(u), near(1 - u), far(2 - u)] for u in t]
    def cubic(picks):
        d, total = len(picks), 0
        if d == n:
            return at(picks)
        for k in range(4):
            total = total + cubic(picks + [bounded(low[d] + (k - 1), sizes[d])]) * weights[d][k].unsqueeze(1)
        return total
    result = cubic([]) if n == 3 else 0
    for i in range(4 if n == 2 else 0):
        for j in range(4):
            picks = [bounded(low[0] + (i - 1), sizes[0]), bounded(low[1] + (j - 1), sizes[1])]
            result = result + at(picks) * (weights[0][i] * weights[1][j]).unsqueeze(1)
result"),
];
