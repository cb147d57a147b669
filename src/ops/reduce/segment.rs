//! Reductions of stretches of a dimension.

use crate::ops::{Form, op};

rows![
    op(
        "segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int axis=0, \
         bool unsafe=False, Scalar? initial=None) -> Tensor",
        "The sum, product, mean, maximum or minimum of each stretch of a dimension; stretches are told by their lengths or by where \
         they begin.",
        "torch.segment_reduce(torch.tensor([1., 2., 3.]), 'sum', lengths=torch.tensor([1, 2]))  # tensor([1., 5.])",
        Form::Code(SEGMENTS),
    )
    .function_only()
    .no_out(),
];

const SEGMENTS: &str = r#"n = max(data.dim(), 1)
if not -n <= axis < n:
    raise IndexError(f'Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {axis})')
d = axis % n
if lengths is None and offsets is None and indices is None:
    raise RuntimeError('segment_reduce(): Either lengths or offsets must be defined.')
plain = reduce[1:] if reduce in ('amax', 'amin') else reduce
if plain not in ('sum', 'prod', 'mean', 'max', 'min'):
    raise RuntimeError(f'reduce argument must be either sum, prod, mean, amax or amin, got {reduce}')
if indices is not None:
    raise RuntimeError('segment_reduce(): indices based reduction is not supported yet.')
told = lengths if offsets is None else offsets
named = 'lengths' if offsets is None else 'offsets'
if data.dim() < told.dim():
    raise RuntimeError(f'Expected data.dim() >= {named}_value.dim() to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)')
if d != told.dim() - 1:
    raise RuntimeError(f'segment_reduce(): Expected axis to be the last dimension of {named} but got {d}.')
spans = lengths if offsets is None else offsets.diff()
if offsets is None and not unsafe:
    if spans.numel() > 0 and spans.min() < 0:
        raise RuntimeError('lengths contains negative value!')
    if not bool((spans.sum(-1) == data.size(d)).all()):
        raise RuntimeError('segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe.')
if told.dtype != torch.int64 and told.dtype != torch.int32:
    raise NotImplementedError(f'"_segment_reduce_{named}_cpu_kernel1" not implemented for \'{told.type()[6:-6]}\'')
if not data.is_floating_point():
    raise NotImplementedError(f'"_segment_reduce_cpu" not implemented for \'{data.type()[6:-6]}\'')
begins = {'sum': 0, 'prod': 1, 'mean': 0, 'max': -math.inf, 'min': math.inf}
begin = begins[plain] if initial is None else initial
inner = list(data.shape)[d + 1:]
def joined(part):
    # Of few elements one after the other, as PyTorch goes through them.
    if part.size(0) > 1024:
        return part.prod(0) if plain == 'prod' else part.sum(0)
    total = part[0]
    for k in range(1, part.size(0)):
        total = total * part[k] if plain == 'prod' else total + part[k]
    return total
parts = []
starts = None if offsets is None else offsets.reshape(-1, offsets.size(-1))[:, 0].tolist()
for row, counts in zip(data.reshape([math.prod(list(data.shape)[:d]), data.size(d)] + inner), spans.reshape(math.prod(list(spans.shape)[:-1]), spans.size(-1)).tolist()):
    at = 0 if starts is None else starts.pop(0)
    for count in counts:
        if not 0 <= at <= at + count <= row.size(0):
            raise RuntimeError('segment_reduce(): a stretch lies outside of the data')
        part = torch.cat([torch.full([1] + inner, begin, dtype=data.dtype), row[at:at + count]])
        at += count
        if plain == 'mean':
            total = joined(part)
            parts.append(total / count if count > 0 or initial is None else total)
        else:
            parts.append(joined(part) if plain in ('sum', 'prod') else part.amax(0) if plain == 'max' else part.amin(0))
size = list(spans.shape) + inner
torch.stack(parts).reshape(size) if parts else torch.empty(size, dtype=data.dtype)"#;
