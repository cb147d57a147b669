//! What texts about windows check first.

/// Refuses windows that are none; reads `kernel`, `step`, `pad` and `spread`, and the image's number of dimensions as `n`.
macro_rules! checked {
    () => {
        "
if any(not -2 ** 31 <= v < 2 ** 31 for v in kernel + step + pad + spread):
    raise RuntimeError('value cannot be converted to type int without overflow')
for k, p, s, d in zip(kernel, pad, step, spread):
    if s == 0:
        raise RuntimeError('stride should not be zero')
    if p < 0:
        raise RuntimeError(f'pad must be non-negative, but got pad: {p}')
    if p > int(((k - 1) * d + 1) / 2):
        raise RuntimeError(f'pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and dilation={d}')
named = lambda stem, values: ' '.join(f'{stem}{letter}: {v}' for letter, v in zip('HW' if n < 3 else 'THW', [1] + values if n == 1 else values))
for title, stem, values in (('kernel size', 'k', kernel), ('stride', 'd', step), ('dilation', 'dilation', spread)):
    if min(values) <= 0:
        raise RuntimeError(f'{title} should be greater than zero, but got {named(stem, values)}')
"
    };
}

/// The body of a function that refuses images without elements; reads the image's `shape`, the `title` of what refuses boxes and the
/// `name` before what is said of others.
macro_rules! empty {
    ($dims:literal) => {
        concat!(
            "    dims = ",
            $dims,
            "
    lacking = [i for i, size in enumerate(shape) if size == 0 and i > len(shape) - dims - 2]
    if lacking and n > 2:
        raise RuntimeError(f'{title}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes {shape} with dimension {lacking[0]} being empty')
    if lacking:
        raise RuntimeError(f'{name}Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with optional 0 dim batch size for input, but got:{shape}')
"
        )
    };
}

/// Reads what `unfold` and `fold` share: `k`, `d`, `p` and `s` of two numbers each. `kernel` names the function inside.
macro_rules! paired {
    () => {
        "pair = lambda v: list(v) if isinstance(v, (list, tuple, str, dict, torch.Tensor)) else [v, v]
names = ['output_size'] * (kernel == 'col2im') + ['kernel_size', 'dilation', 'padding', 'stride']
given = ([output_size] if kernel == 'col2im' else []) + [kernel_size, dilation, padding, stride]
takes = '(Tensor input' + ''.join(f', int[2] {name}' for name in names) + ')'
given = [list(v) for v in torch.nn.functional._bound(kernel, takes, [input] + [pair(v) for v in given])[1:]]
for name, v in zip(names, given):
    if len(v) != 2:
        raise RuntimeError(f'It is expected {name} equals to 2, but got size {len(v)}')
k, d, p, s = given[-4:]
for title, stem, values in (('kernel size', 'kernel', k), ('dilation', 'dilation', d), ('stride', 'stride', s)):
    if min(values) <= 0:
        raise RuntimeError(f'{title} should be greater than zero, but got {stem}_height: {values[0]} {stem}_width: {values[1]}')
if min(p) < 0:
    raise RuntimeError(f'padding should be non-negative, but got pad_height: {p[0]} pad_width: {p[1]}')
"
    };
}

pub(super) use {checked, empty, paired};
