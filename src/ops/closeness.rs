//! What tests of PyTorch programs call: that values are close, and what is said when they are not.

use super::{Form::Code, op};

const ASSERT_CLOSE: &str = r#"
own = {torch.float16: 1e-3, torch.bfloat16: 1.6e-2, torch.float32: 1.3e-6, torch.complex64: 1.3e-6, torch.float64: 1e-7, torch.complex128: 1e-7}
def located(sentence, place):
    return sentence + '\n\nThe failure occurred for item ' + ''.join(str([each]) for each in place) if place else sentence
def unexpected(what):
    return what + '\n\nresulted in the unexpected exception above. If you are a user and see this message during normal operation please file an issue at https://github.com/pytorch/pytorch/issues. If you are a developer and working on the comparison functions, please except the previous error and raise an expressive `ErrorMeta` instead.'
def bounds(place, *dtypes):
    if (rtol is None) != (atol is None):
        raise ValueError(located(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {'rtol' if rtol is None else 'atol'}.", place))
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
def told_of_numbers(a, b, limits, what='Scalars'):
    apart = abs(a - b)
    relative = float('inf') if b == 0 else apart / abs(b)
    return told(what, f'Expected {b} but got {a}.', ((apart, relative), (None, None)), limits)
def numbers(a, b, limits):
    if check_dtype and type(a) is not type(b):
        return f'The (d)types do not match: {type(a)} != {type(b)}.'
    if a == b or (equal_nan and a != a and b != b):
        return
    apart = abs(a - b)
    if not apart < float('inf') or apart > limits[1] + limits[0] * abs(b):
        return told_of_numbers(a, b, limits)
def attributes(a, b):
    laid = check_stride and a.layout == b.layout == torch.strided
    for wanted, name, x, y in ((True, 'shape', a.shape, b.shape), (check_layout, 'layout', a.layout, b.layout), (laid, 'stride()', laid and a.stride(), laid and b.stride()), (check_device, 'device', a.device, b.device), (check_dtype, 'dtype', a.dtype, b.dtype)):
        if wanted and x != y:
            return f"The values for attribute '{name}' do not match: {x} != {y}."
def elements(a, b, limits, what=None):
    matches = torch.isclose(a, b, rtol=limits[0], atol=limits[1], equal_nan=equal_nan)
    if matches.all():
        return
    if a.dim() == 0:
        return told_of_numbers(a.item(), b.item(), limits, what or 'Scalars')
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
    return told(what or 'Tensor-likes', lead, ([each.values.item() for each in greatest], at), limits)
def coordinates(a, b, limits):
    for what, x, y in (('The number of sparse dimensions', a.sparse_dim(), b.sparse_dim()), ('The number of specified values', a._nnz(), b._nnz())):
        if x != y:
            return f'{what} in sparse COO tensors does not match: {x} != {y}'
    return elements(a._indices(), b._indices(), (0, 0), 'Sparse COO indices') or elements(a._values(), b._values(), limits, 'Sparse COO values')
def tensors(a, b, limits):
    differing = attributes(a, b)
    if differing or a.device.type == 'meta' or b.device.type == 'meta':
        return differing
    if a.dtype != b.dtype:
        common = torch.promote_types(a.dtype, b.dtype)
        a, b = a.to(common), b.to(common)
    if a.layout != b.layout:
        a, b = [each if each.layout == torch.strided else each.to_dense() for each in (a, b)]
    return coordinates(a, b, limits) if a.layout == torch.sparse_coo else elements(a, b, limits)
import numpy
def pairs(a, b, place):
    if isinstance(a, (list, tuple, range)) and isinstance(b, (list, tuple, range)):
        if len(a) != len(b):
            raise AssertionError(located(f'The length of the sequences mismatch: {len(a)} != {len(b)}', place))
        return [each for k in range(len(a)) for each in pairs(a[k], b[k], place + (k,))]
    if isinstance(a, dict) and isinstance(b, dict):
        if a.keys() != b.keys():
            missing, more = sorted(k for k in b if k not in a), sorted(k for k in a if k not in b)
            raise AssertionError(located(f'The keys of the mappings do not match:\nMissing keys in the actual mapping: {missing}\nAdditional keys in the actual mapping: {more}', place))
        keys = list(a)
        try:
            keys = sorted(keys)
        except Exception:
            pass
        return [each for k in keys for each in pairs(a[k], b[k], place + (k,))]
    if a is None or b is None:
        return [('NonePair', lambda a, b, limits: None if a is b else f'None mismatch: {a} is not {b}', a, b, place, None)]
    if isinstance(a, (bool, numpy.bool_)) and isinstance(b, (bool, numpy.bool_)):
        return [('BooleanPair', lambda a, b, limits: None if a is b else f'Booleans mismatch: {a} is not {b}', bool(a), bool(b), place, None)]
    if isinstance(a, (int, float, complex, numpy.number)) and isinstance(b, (int, float, complex, numpy.number)):
        if isinstance(a, bool) or isinstance(b, bool):
            at = ''.join(f'[{k!r}]' for k in place)
            raise RuntimeError(unexpected(f'Originating a NumberPair() at item {at} with\n\n{type(a).__name__}(): {a}\n\nand\n\n{type(b).__name__}(): {b}'))
        a, b = [each.item() if isinstance(each, numpy.number) else each for each in (a, b)]
        kinds = {int: torch.int64, float: torch.float64, complex: torch.complex128}
        return [('NumberPair', numbers, a, b, place, bounds(place, kinds.get(type(a)), kinds.get(type(b))))]
    if isinstance(a, numpy.ndarray) and isinstance(b, numpy.ndarray):
        a, b = torch.from_numpy(a), torch.from_numpy(b)
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor) and (allow_subclasses or type(a) is type(b)):
        return [('TensorLikePair', tensors, a, b, place, bounds(place, a.dtype, b.dtype))]
    raise TypeError(located(f'No comparison pair was able to handle inputs of type {type(a)} and {type(b)}.', place))
for kind, compare, a, b, place, limits in pairs(actual, expected, ()):
    try:
        sentence = compare(a, b, limits)
    except Exception:
        shown = {'rtol': limits and limits[0], 'atol': limits and limits[1], 'equal_nan': equal_nan, 'check_device': check_device, 'check_dtype': check_dtype, 'check_layout': check_layout, 'check_stride': check_stride}
        told_names = ['rtol', 'atol', 'equal_nan', 'check_dtype'] if kind == 'NumberPair' else list(shown) if limits else []
        lines = ''.join(f'    {name}={value!s},\n' for name, value in [('id', place), ('actual', a), ('expected', b)] + [(name, shown[name]) for name in told_names])
        raise RuntimeError(unexpected(f'Comparing\n\n{kind}(\n{lines})'))
    if sentence:
        sentence = located(sentence, place)
        raise AssertionError(msg if isinstance(msg, str) else msg(sentence) if callable(msg) else sentence)
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
    .sparse()
    .function_only()
    .no_out()
    .no_grad(),
];
