//! Functions of sequences that lie in one tensor, one behind the other: bags of rows, and the alignments of a text.

use super::function;

const CLIP_NORM: &str = "\
parameters = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
grads = [each.grad for each in parameters if each.grad is not None]
total = torch.nn.utils.get_total_norm(grads, norm_type, error_if_nonfinite)
torch.nn.utils.clip_grads_with_norm_(parameters, max_norm, total)
total";

const TOTAL_NORM: &str = "\
tensors, norm_type = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors), float(norm_type)
with torch.no_grad():
    if tensors:
        tensors[0].device
    norms = [torch.linalg.vector_norm(each, norm_type) for each in tensors]
    total = torch.linalg.vector_norm(torch.stack(norms), norm_type) if norms else torch.tensor(0.)
if error_if_nonfinite and not total.isfinite():
    raise RuntimeError(f'The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be clipped. To disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`')
total";

const CLIP_BY_NORM: &str = "\
max_norm = float(max_norm)
with torch.no_grad():
    factor = (max_norm / (total_norm + 1e-6)).clamp(max=1.0)
    for each in ([parameters] if isinstance(parameters, torch.Tensor) else parameters):
        if each.grad is not None:
            each.grad.mul_(factor)
None";

const CLIP_VALUE: &str = "\
clip_value = float(clip_value)
grads = [each.grad for each in ([parameters] if isinstance(parameters, torch.Tensor) else parameters) if each.grad is not None]
if not grads:
    raise RuntimeError('Expected !nested_tensorlist[0].empty() to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)')
with torch.no_grad():
    for each in grads:
        each.clamp_(-clip_value, clip_value)
None";

const BAG: &str = "\
if mode not in ('sum', 'mean', 'max'):
    raise ValueError('mode has to be one of sum, mean or max')
if weight.dtype == torch.int64 and input.is_floating_point():
    # The order that its arguments once had.
    weight, input = input, weight
if per_sample_weights is not None and input.size() != per_sample_weights.size():
    raise ValueError(f'embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have the same shape as the input ({input.shape})')
if weight.dim() != 2:
    raise ValueError(f'weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}')
if input.dim() == 2:
    if offsets is not None:
        raise ValueError('if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences. However, found offsets of type ' + (type(offsets).__name__ if not isinstance(offsets, torch.Tensor) else str(type(offsets))))
    starts = torch.arange(0, input.numel(), input.size(1), dtype=input.dtype, device=input.device)
    weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
elif input.dim() == 1:
    if offsets is None:
        raise ValueError('offsets has to be a 1D Tensor but got None')
    if offsets.dim() != 1:
        raise ValueError('offsets has to be a 1D Tensor')
    starts, weights = offsets, per_sample_weights
else:
    raise ValueError(f'input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}')
if weights is not None and mode != 'sum':
    raise NotImplementedError(f'embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode=\\'sum\\' (got mode=\\'{mode}\\'). Please open a feature request on GitHub.')
flat = input.reshape(-1)
if max_norm is not None:
    with torch.no_grad():
        torch.nn.functional.embedding(flat, weight, None, max_norm, norm_type)
def refuse_dtype(t, number, name, wanted):
    unknown = t.dtype in (torch.bool, torch.bfloat16) or t.is_complex()
    got = f'CPU{t.type()[6:-6]}Type' if unknown else t.type()
    raise RuntimeError(f'Expected tensor for argument #{number} \\'{name}\\' to have one of the following scalar types: {wanted}; but got {got} instead (while checking arguments for embedding_bag)')
if padding_idx is not None and not -weight.size(0) <= padding_idx < weight.size(0):
    raise RuntimeError(f'padding_idx must be within the number of embeddings, -{weight.size(0)} through {weight.size(0) - 1}, but got {padding_idx}')
common = torch.promote_types(input.dtype, starts.dtype)
if common not in (torch.int64, torch.int32):
    refuse_dtype(input.to(common), 1, 'indices', 'Long, Int')
flat = flat.to(common)
outside = ((flat < 0) | (flat >= weight.size(0))).nonzero()
if outside.numel():
    raise RuntimeError(f'Index {outside[0].item()} of input takes value {flat[outside[0]].item()} which is not in the valid range [0, {weight.size(0)})')
if not weight.is_floating_point():
    refuse_dtype(weight, 1, 'weight', 'Half, BFloat16, Float, Double')
bounds = starts.tolist() if include_last_offset and input.dim() == 1 else starts.tolist() + [flat.numel()]
if bounds and bounds[0] != 0:
    raise RuntimeError(f'offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got {bounds[0]}')
if bounds and bounds[-1] > flat.numel():
    raise RuntimeError(f'offsets[-1] can not be greater than input\\'s length({flat.numel()}) but got offsets[-1] of {bounds[-1]}')
rows = []
for start, end in zip(bounds, bounds[1:]):
    places = flat[start:end]
    kept = places != (padding_idx % weight.size(0)) if padding_idx is not None else torch.ones_like(places, dtype=torch.bool)
    picked = torch.nn.functional.embedding(places[kept], weight)
    if weights is not None:
        picked = picked * weights[start:end][kept].unsqueeze(-1)
    if picked.size(0) == 0:
        rows.append(weight.new_zeros(weight.size(1)))
    else:
        narrow = weight.dtype in (torch.float16, torch.bfloat16)
        # The mean of halves is rounded once.
        mean = lambda: (picked.float().sum(0) * (1 / picked.size(0))).to(weight.dtype) if narrow else picked.sum(0) / picked.size(0)
        rows.append(picked.amax(0) if mode == 'max' else picked.sum(0) if mode == 'sum' else mean())
torch.stack(rows) if rows else weight.new_zeros(0, weight.size(1))";

const CTC: &str = "\
if reduction not in ('none', 'mean', 'sum'):
    raise ValueError(f'{reduction} is not a valid value for reduction')
single = log_probs.dim() == 2
probs = log_probs.unsqueeze(1) if single else log_probs
for name, given in (('input_lengths', input_lengths), ('target_lengths', target_lengths)):
    if isinstance(given, torch.Tensor) and (given.is_floating_point() or given.is_complex() or given.dtype == torch.bool):
        raise RuntimeError(f'{name} must be integral')
if probs.dtype not in (torch.float32, torch.float64):
    raise NotImplementedError(f'\"ctc_loss_cpu\" not implemented for \\'{probs.type()[6:-6]}\\'')
behind = '(while checking arguments for ctc_loss_allocate_outputs)'
if probs.numel() == 0:
    raise RuntimeError('log_probs tensor must not be empty')
if probs.dim() != 3:
    raise RuntimeError(f'Expected 3-dimensional tensor, but got {probs.dim() + (log_probs.dim() == 1)}-dimensional tensor for argument #1 \\'log_probs\\' {behind}')
if targets.dim() not in (1, 2):
    raise RuntimeError(f'Expected 1 to 2 dimensions, but got {targets.dim()}-dimensional tensor for argument #2 \\'targets\\' {behind}')
targets = targets.long()
lengths = [int(n) for n in (input_lengths.reshape(-1).tolist() if isinstance(input_lengths, torch.Tensor) else input_lengths)]
sizes = [int(n) for n in (target_lengths.reshape(-1).tolist() if isinstance(target_lengths, torch.Tensor) else target_lengths)]
count = probs.size(1)
if not 0 <= blank < probs.size(2):
    raise RuntimeError('blank must be in label range')
if len(lengths) != count:
    raise RuntimeError('input_lengths must be of size batch_size')
if len(sizes) != count:
    raise RuntimeError('target_lengths must be of size batch_size')
def refuse_size(wanted, d):
    raise RuntimeError(f'Expected tensor to have size {wanted} at dimension {d}, but got size {targets.size(d)} for argument #2 \\'targets\\' {behind}')
for n in sizes:
    if n < 0:
        raise RuntimeError(f'Expected target_lengths to have value at least 0, but got value {n} {behind}')
if targets.dim() == 1 and targets.size(0) != sum(sizes):
    refuse_size(sum(sizes), 0)
if targets.dim() == 2 and targets.size(0) != count:
    refuse_size(count, 0)
if targets.dim() == 2 and targets.size(1) < max(sizes):
    refuse_size(f'at least {max(sizes)}', 1)
for n in lengths:
    if n < 0:
        raise RuntimeError(f'Expected input_lengths to have value at least 0, but got value {n} {behind}')
    if n > probs.size(0):
        raise RuntimeError(f'Expected input_lengths to have value at most {probs.size(0)}, but got value {n} {behind}')
def joined(parts):
    # Where all are impossible, there is nothing to go back through.
    most = parts.amax(0).detach()
    base = torch.where(most == -math.inf, 0., most)
    total = (parts - base).exp().sum(0)
    return torch.where(total == 0, -math.inf, torch.where(total == 0, 1., total).log() + base)
losses, start = [], 0
for i in range(count):
    if targets.dim() == 2:
        text = targets[i, :sizes[i]].tolist()
    else:
        text = targets[start:start + sizes[i]].tolist()
    start += sizes[i]
    marks = [blank] + [mark for letter in text for mark in (letter, blank)]
    may_skip = torch.tensor([k >= 2 and marks[k] != blank and marks[k] != marks[k - 2] for k in range(len(marks))])
    never = torch.full((2,), -math.inf, dtype=probs.dtype)
    alpha = torch.full((len(marks),), -math.inf, dtype=probs.dtype)
    places = torch.tensor(marks)
    if lengths[i] > 0:
        alpha[:2] = probs[0, i, places[:2]]
    for t in range(1, lengths[i]):
        one = torch.cat([never[:1], alpha[:-1]])
        two = torch.where(may_skip, torch.cat([never, alpha[:-2]])[:len(marks)], -math.inf)
        alpha = joined(torch.stack([alpha, one, two])) + probs[t, i, places]
    loss = -joined(alpha[-2:]) if lengths[i] > 0 else -alpha[-1]
    # The gradient is that of logarithms whose probabilities have the sum 1.
    whole = probs[:lengths[i], i].exp().sum()
    loss = loss + (whole - whole.detach())
    losses.append(torch.where(loss == math.inf, torch.zeros_like(loss), loss) if zero_infinity else loss)
loss = torch.stack(losses)
if reduction == 'mean':
    loss = (loss / torch.tensor(sizes, dtype=loss.dtype).clamp(min=1)).mean()
elif reduction == 'sum':
    loss = loss.sum()
elif single:
    loss = loss[0]
loss";

const GRID: &str = "\
if not theta.is_floating_point():
    raise ValueError(f'Expected theta to have floating point type, but got {theta.dtype}')
if len(size) not in (4, 5):
    raise NotImplementedError(f'affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size {size}.')
n = len(size) - 2
if theta.dim() != 3 or theta.shape[-2] != n or theta.shape[-1] != n + 1:
    raise ValueError(f'Expected a batch of {n}D affine matrices of shape Nx{n}x{n + 1} for size {size}. Got {theta.shape}.')
if min(size) <= 0:
    raise ValueError(f'Expected non-zero, positive output size. Got {size}')
corners = False if align_corners is None else align_corners
if corners:
    # What is no truth value is refused here.
    pass
takes = '(Tensor theta, int[] size, bool align_corners)'
theta, size, align_corners = torch.nn.functional._bound('affine_grid_generator', takes, [theta, size, corners])
lines = []
for count in reversed(size[2:]):
    line = torch.linspace(-1, 1, count, dtype=theta.dtype, device=theta.device) if count > 1 else theta.new_zeros(1)
    lines.append(line if align_corners or count <= 1 else line * (count - 1) / count)
places = torch.meshgrid(*reversed(lines), indexing='ij')
base = torch.stack([*reversed(places), torch.ones_like(places[0])], -1)
flat = base.reshape(1, -1, n + 1).expand(size[0], -1, -1)
torch.bmm(flat, theta.transpose(1, 2)).reshape(size[0], *size[2:], n)";

rows![
    function(
        "nn.functional.embedding_bag(Tensor input, Tensor weight, Tensor? offsets=None, float? max_norm=None, float norm_type=2, bool scale_grad_by_freq=False, str mode=\"mean\", bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int? padding_idx=None) -> Tensor",
        "The sum, mean or maximum of the rows of `weight` that a bag of numbers names.",
        "torch.nn.functional.embedding_bag(torch.tensor([[0, 1]]), torch.tensor([[1., 2.], [3., 4.]]))  # tensor([[2., 3.]])",
        BAG
    ),
    function(
        "nn.functional.ctc_loss(Tensor log_probs, Tensor targets, Any input_lengths, Any target_lengths, int blank=0, str reduction=\"mean\", bool zero_infinity=False) -> Tensor",
        "How unlikely a text is, over all ways to spread its letters in time.",
        "torch.nn.functional.ctc_loss(torch.tensor([[[0.5, 0.5]]]).log(), torch.tensor([[1]]), [1], [1])  # tensor(0.6931)",
        CTC
    ),
    function(
        "nn.functional.affine_grid(Any theta, Any size, Any align_corners=None) -> Tensor",
        "Where each element of an image comes from under a linear map: places for `grid_sample`.",
        "torch.nn.functional.affine_grid(torch.tensor([[[1., 0., 0.], [0., 1., 0.]]]), (1, 1, 1, 2), align_corners=True)\n# tensor([[[[-1.,  0.],\n#           [ 1.,  0.]]]])",
        GRID
    ),
    function(
        "nn.utils.clip_grad_norm_(Any parameters, Any max_norm, Any norm_type=2.0, bool error_if_nonfinite=False, bool? foreach=None) -> Tensor",
        "Makes the gradients smaller, all by one factor, where their norm together is more than `max_norm`; gives the norm that they had.",
        "x = torch.ones(2, requires_grad=True)\n(x * torch.tensor([3., 4.])).sum().backward()\ntorch.nn.utils.clip_grad_norm_([x], 1.)  # tensor(5.)",
        CLIP_NORM
    )
    .alias(&["nn.utils.clip_grad_norm"])
    .stepwise(),
    function(
        "nn.utils.clip_grad_value_(Any parameters, Any clip_value, bool? foreach=None) -> Any",
        "Brings every element of the gradients between `-clip_value` and `clip_value`.",
        "x = torch.ones(2, requires_grad=True)\n(x * torch.tensor([3., -4.])).sum().backward()\ntorch.nn.utils.clip_grad_value_([x], 3.5)\nx.grad  # tensor([ 3.0000, -3.5000])",
        CLIP_VALUE
    ),
    function(
        "nn.utils.clip_grads_with_norm_(Any parameters, Any max_norm, Tensor total_norm, bool? foreach=None) -> Any",
        "Makes the gradients smaller, all by one factor, where the norm given is more than `max_norm`.",
        "x = torch.ones(2, requires_grad=True)\n(x * torch.tensor([3., 4.])).sum().backward()\ntorch.nn.utils.clip_grads_with_norm_([x], 1., torch.tensor(5.))\nx.grad  # tensor([0.6000, 0.8000])",
        CLIP_BY_NORM
    )
    .stepwise(),
    function(
        "nn.utils.get_total_norm(Any tensors, Any norm_type=2.0, bool error_if_nonfinite=False, bool? foreach=None) -> Tensor",
        "The norm of the elements of all tensors together.",
        "torch.nn.utils.get_total_norm([torch.tensor([3.]), torch.tensor([4.])])  # tensor(5.)",
        TOTAL_NORM
    )
    .stepwise(),
    function(
        "nn.utils.parameters_to_vector(Any parameters) -> Tensor",
        "All elements, one behind the other.",
        "torch.nn.utils.parameters_to_vector([torch.ones(1), torch.zeros(1, 1)])  # tensor([1., 0.])",
        "torch.cat([each.view(-1) for each in parameters])"
    ),
    function(
        "nn.utils.vector_to_parameters(Any vec, Any parameters) -> Any",
        "Takes all elements of some tensors from one, in order.",
        "x = torch.zeros(2)\ntorch.nn.utils.vector_to_parameters(torch.ones(2), [x])\nx  # tensor([1., 1.])",
        "\
if not isinstance(vec, torch.Tensor):
    raise TypeError(f'expected torch.Tensor, but got: {torch.typename(vec)}')
start = 0
for each in parameters:
    each.data = vec[start:start + each.numel()].view_as(each).data
    start += each.numel()
None"
    ),
];
