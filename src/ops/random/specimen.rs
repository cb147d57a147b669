//! Tensors of random numbers for tests.

use crate::ops::Form::Code;
use crate::ops::op;

rows![
    op(
        "testing.make_tensor(int[] shape=[], *, DType dtype, Device device, Any low=None, Any high=None, bool requires_grad=False, \
         bool noncontiguous=False, bool exclude_zero=False, MemoryFormat? memory_format=None) -> Tensor",
        "Numbers between `low` and `high`, all equally likely, which is left out: from -9 to 9 unless given, from 0 to 1 for bools.",
        "g = torch.manual_seed(0)\ntorch.testing.make_tensor(2, dtype=torch.float32, device='cpu')  # tensor([-0.0674,  4.8280])",
        Code(MAKE_TENSOR),
    )
    .function_only()
    .no_out()
    .no_grad(),
];

const MAKE_TENSOR: &str = r#"
whole = not dtype.is_floating_point and not dtype.is_complex
def limits(least, most, given):
    low, high = [one if one is not None else other for one, other in zip((low_given, high_given), given)]
    if any(isinstance(value, float) and math.isnan(value) for value in [low, high]):
        raise ValueError(f'`low` and `high` cannot be NaN, but got low={low!r} and high={high!r}')
    if low == high and not whole:
        return low, high
    if low >= high:
        raise ValueError(f'`low` must be less than `high`, but got {low} >= {high}')
    if high < least or low >= most:
        raise ValueError(f'The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only supports [{least}, {most})')
    low, high = min(max(low, least), most), min(max(high, least), most)
    return (math.ceil(low), math.ceil(high)) if whole else (low, high)
low_given, high_given = low, high
if noncontiguous and memory_format is not None:
    raise ValueError(f'The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got noncontiguous={noncontiguous} and memory_format={memory_format}')
if requires_grad and whole:
    raise ValueError(f'`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype}')
apart = noncontiguous and math.prod(shape) > 1
size = list(shape)[:-1] + [2 * shape[-1]] if apart else list(shape)
if dtype == torch.bool:
    least, most = limits(0, 2, (0, 2))
    result = torch.randint(least, most, size, device=device, dtype=dtype)
elif whole:
    info = torch.iinfo(dtype)
    least, most = limits(info.min, info.max + (0 if dtype == torch.int64 else 1), (-9, 10))
    result = torch.randint(least, most, size, device=device, dtype=dtype)
else:
    info = torch.finfo(dtype)
    least, most = limits(info.min, info.max, (-9, 9))
    result = torch.empty(size, device=device, dtype=torch.float32 if dtype.itemsize == 1 else dtype)
    drawn = torch.view_as_real(result) if dtype.is_complex else result
    if most - least >= torch.finfo(drawn.dtype).max:
        drawn.uniform_(least / 2, most / 2).mul_(2)
    else:
        drawn.uniform_(least, most)
    result = result.to(dtype)
if apart:
    result = result[..., 1::2]
elif memory_format is not None:
    result = result.clone(memory_format=memory_format)
if exclude_zero:
    result[result == 0] = 1 if whole else torch.finfo(dtype).tiny
if not whole and dtype.itemsize > 1:
    result.requires_grad = requires_grad
result
"#;
