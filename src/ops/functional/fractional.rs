//! Pools whose windows lie where chance puts them.

use super::function;

macro_rules! fractional {
    ($name:literal, $n:literal) => {
        function(concat!("nn.functional.", $name, "(Any input, Any kernel_size, Any output_size=None, Any output_ratio=None, Any return_indices=False, Any _random_samples=None) -> Any"),
            "The largest element in windows whose distances are drawn at random.", "",
            concat!("n = ", $n, "
if output_size is None and output_ratio is None:
    raise ValueError(f'fractional_max_pool{n}d requires specifying either an output_size or an output_ratio')
if output_size is None:
    if n == 2 and len(output_ratio) > 2:
        raise ValueError('fractional_max_pool2d requires output_ratio to either be a single Int or tuple of Ints.')
    ratios = output_ratio if isinstance(output_ratio, (list, tuple)) else [output_ratio] * n
    output_size = [int(input.size(i - n) * ratios[i]) for i in range(n)]
if _random_samples is None:
    batch = 1 if input.dim() == n + 1 else input.size(0)
    _random_samples = torch.rand(batch, input.size(-n - 1), n, dtype=input.dtype)
takes = '(Tensor input, int[", $n, "] kernel_size, int[", $n, "] output_size, Tensor random_samples)'
input, kernel, out, draws = torch.nn.functional._bound(f'fractional_max_pool{n}d', takes, [input, kernel_size, output_size, _random_samples])
kernel, out, ints = list(kernel), list(out), 'tuple of Ints' if n == 2 else 'tuple of three Ints'
if len(kernel) != n:
    raise RuntimeError(f'fractional_max_pool{n}d: kernel_size must either be a single Int or {ints}')
if len(out) != n:
    raise RuntimeError(f'fractional_max_pool{n}d: output_size must either be a single Int or {ints}')
if min(kernel) < 1:
    raise RuntimeError(f'fractional_max_pool{n}d(): kernel size should be greater than zero, but got {\"x\".join(map(str, kernel))}')
if input.dim() not in (n + 1, n + 2):
    raise RuntimeError(f'fractional_max_pool{n}d{\"_out\" * (n == 3)}(): Expected {n + 1}D or {n + 2}D tensor, but got: {list(input.shape)}')
lacking = [i for i, size in enumerate(input.shape) if size == 0 and i > 0]
if lacking:
    raise RuntimeError(f'fractional_max_pool{n}d{\"_out\" * (n == 3)}(): Expected input to have non-zero size for non-batch dimensions, but got{list(input.shape)} with dimension {lacking[0]} being empty.')
x = input if input.dim() == n + 2 else input.unsqueeze(0)
sizes = list(x.shape)[2:]
for o, k, s, side in [(out[i], kernel[i], sizes[i], ['time', 'height', 'width'][i - n]) for i in ([0, 1] if n == 2 else [0, 2, 1])]:
    if o + k - (1 if n == 2 else 0) > s:
        raise RuntimeError(f'fractional_max_pool{n}d{\"_out\" * (n == 3)}(): pool {side} {k} too large relative to input {side} {s}')
if min(out) < 0:
    raise RuntimeError(f'Trying to create tensor with negative dimension {min(out)}: {list(input.shape)[:-n] + out}')
if draws.dtype != x.dtype:
    raise RuntimeError('Expect _random_samples to have the same dtype as input')
if draws.dim() != 3:
    raise RuntimeError(f'Expect _random_samples to have 3 dimensions, got {draws.dim()}')
if draws.size(0) < x.size(0):
    raise RuntimeError('Expect _random_samples.size(0) no less then input batch size.')
if draws.size(1) != x.size(1):
    raise RuntimeError('Expect _random_samples.size(1) equals to input channel size.')
if draws.size(2) != n:
    raise RuntimeError(f'Expect _random_samples.size(2) equals to {n}; got {draws.size(2)}.')
draws = draws[:x.size(0)]
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
        function(concat!("nn.functional.", $name, "(Any input, Any kernel_size, Any output_size=None, Any output_ratio=None, Any return_indices=False, Any _random_samples=None) -> Any"),
            "As without indices, and the places.", "", concat!("torch.nn.functional.", $plain, "(input, kernel_size, output_size, output_ratio, True, _random_samples)"))
    };
}

rows![
    fractional!("fractional_max_pool2d", "2"),
    fractional!("fractional_max_pool3d", "3"),
    fractional!("fractional_max_pool2d_with_indices", with "fractional_max_pool2d"),
    fractional!("fractional_max_pool3d_with_indices", with "fractional_max_pool3d"),
];
