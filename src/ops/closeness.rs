//! What tests of PyTorch programs call: that values are close, and what is said when they are not.

use super::{Form::Code, op};

const ASSERT_CLOSE: &str = r#"
if (rtol is None) != (atol is None):
    raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {'rtol' if rtol is None else 'atol'}.")
own = {torch.float16: 1e-3, torch.bfloat16: 1.6e-2, torch.float32: 1.3e-6, torch.complex64: 1.3e-6, torch.float64: 1e-7, torch.complex128: 1e-7}
def fail(sentence, place):
    if place:
        sentence += '\n\nThe failure occurred for item ' + ''.join(str([each]) for each in place)
    raise AssertionError(msg if isinstance(msg, str) else sentence if msg is None else msg(sentence))
def bounds(*dtypes):
    if rtol is not None:
        return rtol, atol
    absolute = [1e-7 if own.get(each) == 1e-7 else 1e-5 if each in own else 0.0 for each in dtypes]
    return max(own.get(each, 0.0) for each in dtypes), max(absolute)
def told(what, lead, differences, limits):
    exact = limits[0] == 0 and limits[1] == 0
    text = f"{what} are not {'equal' if exact else 'close'}!\n\n{lead}"
    for kind, difference, at, limit in zip(('absolute', 'relative'), differences[0], differences[1], (limits[1], limits[0])):
        text += f'\n{kind.title()} difference: {difference}' if at is None else f'\nGreatest {kind} difference: {difference} at index {at}'
        text += '' if exact else f' (up to {limit} allowed)'
    return text
def told_of_numbers(a, b, limits):
    apart = abs(a - b)
    relative = float('inf') if b == 0 else apart / abs(b)
    return told('Scalars', f'Expected {b} but got {a}.', ((apart, relative), (None, None)), limits)
def numbers(a, b, place):
    if check_dtype and type(a) is not type(b):
        fail(f'The (d)types do not match: {type(a)} != {type(b)}.', place)
    kinds = {int: torch.int64, float: torch.float64, complex: torch.complex128}
    limits = bounds(kinds.get(type(a)), kinds.get(type(b)))
    apart = abs(a - b)
    fine = a == b or (equal_nan and a != a and b != b) or (apart < float('inf') and apart <= limits[1] + limits[0] * abs(b))
    if not fine:
        fail(told_of_numbers(a, b, limits), place)
def tensors(a, b, place):
    for wanted, name, x, y in ((True, 'shape', a.shape, b.shape), (check_layout, 'layout', a.layout, b.layout), (check_device, 'device', a.device, b.device), (check_dtype, 'dtype', a.dtype, b.dtype), (check_stride, 'stride()', a.stride(), b.stride())):
        if wanted and x != y:
            fail(f"The values for attribute '{name}' do not match: {x} != {y}.", place)
    limits = bounds(a.dtype, b.dtype)
    if a.dtype != b.dtype:
        common = torch.promote_types(a.dtype, b.dtype)
        a, b = a.to(common), b.to(common)
    matches = torch.isclose(a, b, rtol=limits[0], atol=limits[1], equal_nan=equal_nan)
    if matches.all():
        return
    if a.dim() == 0:
        fail(told_of_numbers(a.item(), b.item(), limits), place)
    count = int((~matches).sum())
    lead = f'Mismatched elements: {count} / {a.numel()} ({count / a.numel():.1%})'
    if not a.is_floating_point() and not a.is_complex():
        a, b = a.long(), b.long()
    sizes = a.shape
    a, b, matches = a.flatten(), b.flatten(), matches.flatten()
    apart = (a - b).abs().masked_fill(matches, 0)
    relative = (apart / b.abs()).masked_fill(matches, 0)
    greatest = [each.max(0) for each in (apart, relative)]
    at = [tuple(int(i) for i in torch.unravel_index(each.indices, sizes)) for each in greatest]
    fail(told('Tensor-likes', lead, ([each.values.item() for each in greatest], at), limits), place)
import numpy
def pairs(a, b, place):
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        if len(a) != len(b):
            fail(f'The length of the sequences mismatch: {len(a)} != {len(b)}', place)
        return [each for k in range(len(a)) for each in pairs(a[k], b[k], place + [k])]
    if isinstance(a, dict) and isinstance(b, dict):
        missing, more = [k for k in b if k not in a], [k for k in a if k not in b]
        if missing or more:
            text = 'The keys of the mappings do not match:'
            text += f'\nMissing keys in the actual mapping: {sorted(missing)}' if missing else ''
            fail(text + (f'\nAdditional keys in the actual mapping: {sorted(more)}' if more else ''), place)
        return [each for k in sorted(a) for each in pairs(a[k], b[k], place + [k])]
    if a is None or b is None:
        if a is not b:
            fail(f'None mismatch: {a} is not {b}', place)
        return []
    if isinstance(a, bool) and isinstance(b, bool):
        if a is not b:
            fail(f'Booleans mismatch: {a} is not {b}', place)
        return []
    if isinstance(a, numpy.ndarray) and isinstance(b, numpy.ndarray):
        a, b = torch.from_numpy(a), torch.from_numpy(b)
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor) and (allow_subclasses or type(a) is type(b)):
        return [(tensors, a, b, place)]
    if isinstance(a, (int, float, complex)) and isinstance(b, (int, float, complex)):
        if isinstance(a, bool) or isinstance(b, bool):
            at = ''.join(f'[{k!r}]' for k in place)
            raise RuntimeError(f'Originating a NumberPair() at item {at} with\n\n{type(a).__name__}(): {a}\n\nand\n\n{type(b).__name__}(): {b}\n\nresulted in the unexpected exception above. If you are a user and see this message during normal operation please file an issue at https://github.com/pytorch/pytorch/issues. If you are a developer and working on the comparison functions, please except the previous error and raise an expressive `ErrorMeta` instead.')
        return [(numbers, a, b, place)]
    where = '\n\nThe failure occurred for item ' + ''.join(f'[{k!r}]' for k in place) if place else ''
    raise TypeError(f'No comparison pair was able to handle inputs of type {type(a)} and {type(b)}.{where}')
for compare, a, b, place in pairs(actual, expected, []):
    compare(a, b, place)
None
"#;

rows![
    op(
        "testing.assert_close(Any actual, Any expected, *, Any rtol=None, Any atol=None, bool equal_nan=False, \
         bool check_dtype=True, bool check_stride=False, bool check_device=True, bool check_layout=True, bool allow_subclasses=True, Any msg=None) -> ()",
        "Fails with an `AssertionError` unless two tensors, or what two lists or dictionaries hold, have one size, one dtype and close values.",
        "torch.testing.assert_close(torch.ones(2), torch.ones(2) + 1e-9)",
        Code(ASSERT_CLOSE),
    )
    .function_only()
    .no_out()
    .no_grad(),
];
