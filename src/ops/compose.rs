//! Rows written in the language itself: compositions that are rarely hot.

use super::Form::Code;
use super::{composed, op};

rows![
    op(
        "cartesian_prod(Tensor[] tensors) -> Tensor",
        "All combinations of one element of each 1-d tensor, one row each.",
        "torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3]))  # tensor([[1, 3],\n#         [2, 3]])",
        Code(CARTESIAN_PROD),
    )
    .variadic()
    .no_out()
    .of_form(),
    op(
        "combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor",
        "All choices of `r` elements of a 1-d tensor, one row each; with replacement an element may be chosen again.",
        "torch.combinations(torch.tensor([1, 2, 3]))  # tensor([[1, 2],\n#         [1, 3],\n#         [2, 3]])",
        Code(COMBINATIONS),
    )
    .function_only()
    .no_out(),
    op(
        "nn.utils.rnn.pad_sequence(Any sequences, bool batch_first=False, float padding_value=0.0, str padding_side=\"right\") -> Tensor",
        "Tensors of different lengths as one: the shorter ones are filled up at their ends.",
        "torch.nn.utils.rnn.pad_sequence([torch.tensor([1]), torch.tensor([2, 3])], batch_first=True)  # tensor([[1, 0],\n#         [2, 3]])",
        Code(PAD_SEQUENCE),
    )
    .function_only()
    .no_out(),
    op(
        "constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor",
        "Puts a number around a tensor: how many times before and behind it, for the last dimension first.",
        "torch.constant_pad_nd(torch.tensor([1, 2]), (1, 0))  # tensor([0, 1, 2])",
        Code(
            "if len(pad) % 2:
    raise RuntimeError(f'Length of pad must be even but instead it equals {len(pad)}')
if len(pad) > 2 * self.dim():
    raise RuntimeError(f'Length of pad should be no more than twice the number of dimensions of the input. Pad length is {len(pad)}while the input has {self.dim()}dimensions.')
if isinstance(value, complex) or value < 0:
    border = torch.full((), value, dtype=self.dtype)
    inside = torch.nn.functional.pad(torch.ones_like(self, dtype=torch.bool), pad)
    y = torch.where(inside, torch.nn.functional.pad(self, pad), border)
else:
    y = torch.nn.functional.pad(self, pad, 'constant', value)
y",
        ),
    )
    .function_only()
    .no_out(),
    op(
        "renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor",
        "Scales down the slices along `dim` whose `p`-norm is above `maxnorm`.",
        "torch.tensor([[1., 1.], [3., 4.]]).renorm(2, 0, 2)  # tensor([[1.0000, 1.0000],\n#         [1.2000, 1.6000]])",
        Code(RENORM),
    )
    .inplace(),
    op(
        "vander(Tensor x, int? N=None, bool increasing=False) -> Tensor",
        "The powers of the elements of a 1-d tensor, one row each; falling unless `increasing`.",
        "torch.vander(torch.tensor([2, 3]))  # tensor([[2, 1],\n#         [3, 1]])",
        Code(VANDER),
    )
    .function_only()
    .no_out()
    .usually(composed::vander),
    op(
        "sum_to_size(Tensor self, SymInt[] size) -> Tensor",
        "Sums over the dimensions along which a tensor of that size would be repeated to have this one's.",
        "torch.ones(2, 3).sum_to_size(1, 3)  # tensor([[2., 2., 2.]])",
        Code(SUM_TO_SIZE),
    )
    .marked()
    .method_only(),
    op(
        "hash_tensor(Tensor self, int[1]? dim=None, *, bool keepdim=False, int mode=0) -> Tensor",
        "The bits of all elements, as 64-bit numbers, put together by exclusive or, along dimensions or altogether.",
        "torch.hash_tensor(torch.tensor([1, 3]))  # tensor(2, dtype=torch.uint64)",
        Code(HASH),
    )
    .no_grad(),
    op(
        "nuclear_norm(Tensor self, int[2] dim, bool keepdim=False) -> Tensor",
        "The sum of the singular values of matrices, which lie along two dimensions.",
        "torch.nuclear_norm(torch.tensor([[3., 0.], [0., 4.]]), (0, 1))  # tensor(7.)",
        Code("torch.linalg.matrix_norm(self, 'nuc', [d + self.dim() if -self.dim() <= d < 0 else d for d in dim], keepdim)"),
    )
    .function_only(),
    op(
        "nuclear_norm(Tensor self, bool keepdim=False) -> Tensor",
        "",
        "",
        Code("torch.linalg.matrix_norm(self, 'nuc', keepdim=keepdim)"),
    )
    .function_only(),
    op(
        "frobenius_norm(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
        "The root of the sum of squares along one or two dimensions, or of all elements where none is named.",
        "torch.frobenius_norm(torch.tensor([[3., 4.]]), 1)  # tensor([5.])",
        Code(
            "if len(dim) > 2:
    raise RuntimeError(f'Expected at most 2 dimensions, but got {len(dim)} dimensions instead.')
if not self.is_floating_point() and not self.is_complex():
    raise NotImplementedError(f'norm(): input dtype should be either floating point or complex. Got {self.type()[6:-6]} instead.')
self.norm(2, dim or None, keepdim)",
        ),
    )
    .function_only(),
    op(
        "set_default_tensor_type(Any t) -> Any",
        "Sets the dtype of new tensors made from Python floats, by the name of its tensors.",
        "torch.set_default_tensor_type(torch.FloatTensor)",
        Code(
            "\
named = {'torch.FloatTensor': torch.float32, 'torch.DoubleTensor': torch.float64, 'torch.HalfTensor': torch.float16, 'torch.BFloat16Tensor': torch.bfloat16}
name = t if isinstance(t, str) else str(t)[8:-2]
dtype = named.get(name)
if dtype is None:
    unknown = '' if name[:6] == 'torch.' and name[-6:] == 'Tensor' else 'invalid type object: '
    raise TypeError(unknown + 'only floating-point types are supported as the default type')
torch.set_default_dtype(dtype)
None",
        ),
    )
    .function_only()
    .no_out()
    .no_grad(),
    op(
        "dim_order(Tensor self, *, Any ambiguity_check=None) -> Any",
        "The dimensions in the order in which they lie in memory, outermost first.",
        "torch.zeros(2, 3).t().dim_order()  # (1, 0)",
        Code(DIM_ORDER),
    )
    .method_only(),
    op(
        "index(Tensor self, Any positions, Any dims) -> Tensor",
        "Picks by indices along dimensions; `x.index(1, i)` is `x[:, i]`.",
        "torch.arange(6).view(2, 3).index(1, 2)  # tensor([2, 5])",
        Code(INDEX),
    )
    .method_only(),
    op(
        "cdist(Tensor x1, Tensor x2, float p=2.0, Any compute_mode=\"use_mm_for_euclid_dist_if_necessary\") -> Tensor",
        "The distance between each row of `x1` and each row of `x2`.",
        "torch.cdist(torch.tensor([[0., 0.]]), torch.tensor([[3., 4.]]))  # tensor([[5.]])",
        Code(CDIST),
    )
    .no_out()
    .usually(composed::cdist),
];

const PAD_SEQUENCE: &str = "\
if not hasattr(sequences, '__iter__'):
    raise RuntimeError(f'pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}')
sequences = tuple(sequences)
if not sequences:
    raise RuntimeError('received an empty list of sequences')
for place, s in enumerate(sequences):
    if not isinstance(s, torch.Tensor):
        raise TypeError(f'expected Tensor as element {place} in argument 0, but got {type(s).__name__}')
if padding_side not in ('left', 'right'):
    raise RuntimeError(f'Expected padding_side to be one of left or right, but got {padding_side}.')
longest, rest = max(s.size(0) for s in sequences), sequences[0].shape[1:]
size = (len(sequences), longest) if batch_first else (longest, len(sequences))
out = sequences[0].new_full((*size, *rest), padding_value)
for i, s in enumerate(sequences):
    steps = slice(longest - s.size(0), None) if padding_side == 'left' else slice(s.size(0))
    (out[i, steps] if batch_first else out[steps, i]).copy_(s)
out";

const CARTESIAN_PROD: &str = r#"
for t in tensors:
    if t.dim() != 1:
        raise RuntimeError(f'Expect a 1D vector, but got shape {list(t.shape)}')
tensors[0] if len(tensors) == 1 else torch.stack([g.flatten() for g in torch.meshgrid(*tensors, indexing='ij')], dim=1)
"#;

const CDIST: &str = r#"
if compute_mode not in ('use_mm_for_euclid_dist_if_necessary', 'use_mm_for_euclid_dist', 'donot_use_mm_for_euclid_dist'):
    raise ValueError(f'{compute_mode} is not a valid value for compute_mode')
for name, x in (('X1', x1), ('X2', x2)):
    if x.dim() < 2:
        raise RuntimeError(f'cdist only supports at least 2D tensors, {name} got: {x.dim()}D')
if x1.size(-1) != x2.size(-1):
    raise RuntimeError(f'X1 and X2 must have the same number of columns. X1: {x1.size(-1)} X2: {x2.size(-1)}')
for name, x in (('X1', x1), ('X2', x2)):
    if not x.is_floating_point():
        raise RuntimeError(f'cdist only supports floating-point dtypes, {name} got: {torch.typename(x).removeprefix("torch.").removesuffix("Tensor")}')
if not p >= 0:
    raise RuntimeError('cdist only supports non-negative p values')
# As PyTorch does it: many rows by a product, |a - b|² = |a|² - 2ab + |b|².
many = compute_mode != 'donot_use_mm_for_euclid_dist' and (x1.size(-2) > 25 or x2.size(-2) > 25)
multiplied = p == 2 and x1.size(-1) > 0 and (many or compute_mode == 'use_mm_for_euclid_dist')
if not multiplied and x1.dtype not in (torch.float32, torch.float64):
    raise NotImplementedError(f'"cdist" not implemented for \'{x1.type()[6:-6]}\'')
if x1.dtype != x2.dtype and x1.size(-2) and x2.size(-2):
    raise RuntimeError(f'expected scalar type {x1.type()[6:-6]} but found {x2.type()[6:-6]}')
if multiplied:
    a, b = x1.pow(2).sum(-1, True), x2.pow(2).sum(-1, True)
    left = torch.cat([x1.mul(-2), a, torch.ones_like(a)], -1)
    result = left.matmul(torch.cat([x2, torch.ones_like(b), b], -1).mT).clamp_min_(0).sqrt_()
elif x1.size(-1) == 0:
    result = (x1.unsqueeze(-2) - x2.unsqueeze(-3)).sum(-1)
elif p == 0:
    result = (x1.unsqueeze(-2) - x2.unsqueeze(-3)).abs().ceil().clamp_max(1).sum(-1)
elif p == math.inf and (x1.requires_grad or x2.requires_grad):
    # All that are as far apart as the greatest have its gradient.
    apart = (x1.unsqueeze(-2) - x2.unsqueeze(-3)).abs()
    apart = torch.where(apart.isnan(), 0., apart)
    most = apart.detach().amax(-1, True)
    result = most.squeeze(-1) + torch.where(apart == most, (apart - apart.detach()).nan_to_num(), 0.).sum(-1)
else:
    apart = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    result = (torch.where(apart.isnan(), 0., apart) if p == math.inf else apart).norm(p, -1)
result.contiguous()
"#;

const COMBINATIONS: &str = r#"
if self.dim() != 1:
    raise RuntimeError(f'Expect a 1D vector, but got shape {list(self.shape)}')
if r < 0:
    raise RuntimeError(f'Expect a non-negative number, but got {r}')
n = self.numel()
if n > 1 and r > 63:
    raise RuntimeError('numel: integer multiplication overflow')
if n > 1:
    # PyTorch marks every tuple of places, and refuses what memory does not hold.
    torch.empty([n] * r, dtype=torch.bool)
    rows = torch.arange(n, device=self.device).view(-1, 1)
else:
    rows = torch.zeros(n if with_replacement or r <= n else 0, r, dtype=torch.int64, device=self.device)
for k in range(r - 1 if n > 1 else 0):
    first = rows[:, -1] + (0 if with_replacement else 1)
    counts = (n - first).clamp(min=0)
    shift = first - counts.cumsum(0) + counts
    rows = rows.repeat_interleave(counts, 0)
    rows = torch.cat([rows, (torch.arange(rows.size(0), device=self.device) + shift.repeat_interleave(counts)).view(-1, 1)], 1)
self.new_empty(0) if r == 0 else self[rows]
"#;

const RENORM: &str = r#"
if isinstance(p, complex):
    raise RuntimeError('renorm: p must be real-valued')
if not p > 0:
    raise RuntimeError('renorm: non-positive-norm not supported')
if isinstance(maxnorm, complex):
    raise RuntimeError('renorm: maxnorm must be real-valued')
if not maxnorm >= 0:
    raise RuntimeError(f'renorm: expected maxnorm to be >= 0 but got {maxnorm:g}')
if self.dim() < 2:
    raise RuntimeError(f'renorm: input needs at least 2 dimensions, got {self.dim()} dimensions')
if not -self.dim() <= dim < self.dim():
    raise IndexError(f'Dimension out of range (expected to be in range of [{-self.dim()}, {self.dim() - 1}], but got {dim})')
if self.is_floating_point() and self.dtype.itemsize == 1 and self.dtype != torch.float8_e8m0fnu:
    torch.promote_types(self.dtype, torch.float32)
if self.dtype in (torch.complex32, torch.uint16, torch.uint32, torch.uint64, torch.float8_e8m0fnu):
    raise RuntimeError(f'false INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/aten/src/ATen/AccumulateType.cpp":23, please report a bug to PyTorch. Unrecognized ScalarType: {self.type()[6:-6]}')
if not self.is_floating_point() and not self.is_complex():
    torch.linalg.vector_norm(self)
keep = dim % self.dim()
# Norms of 16-bit numbers are float32; the factor is not.
wide = torch.float32 if self.dtype in (torch.float16, torch.bfloat16) else None
norms = torch.linalg.vector_norm(self, p, [d for d in range(self.dim()) if d != keep], True, dtype=wide)
(self * torch.where(norms > maxnorm, torch.full_like(norms, maxnorm) / (norms + 1e-7), 1.0).to(self.dtype)).clone(memory_format=torch.contiguous_format)
"#;

const VANDER: &str = r#"
if x.dim() != 1:
    raise RuntimeError('x must be a one-dimensional tensor.')
n = x.size(0) if N is None else N
if n < 0:
    raise RuntimeError('N must be non-negative.')
result = torch.empty(x.size(0), n, dtype=torch.promote_types(x.dtype, torch.int64))
if n > 0:
    result[:, 0] = 1
if n > 1:
    result[:, 1:] = x.unsqueeze(1)
    result[:, 1:] = result[:, 1:].cumprod(1)
result if increasing else result.flip([1])
"#;

const SUM_TO_SIZE: &str = r#"
extra = self.dim() - len(size)
fits = extra >= 0 and all(want in (1, have) for want, have in zip(size, self.shape[extra:]))
if not fits:
    raise RuntimeError(f'size {{{list(size)}}} is not expandable to size {{{list(self.shape)}}}.')
dims = list(range(extra)) + [extra + k for k in range(len(size)) if size[k] == 1 and self.size(extra + k) != 1]
summed = self.sum() if not size else self.sum(dims, keepdim=True) if dims else self
summed.view(size) if extra > 0 and size else summed
"#;

const INDEX: &str = r#"
places = list(positions) if isinstance(positions, (list, tuple)) else [positions]
picks = list(dims) if isinstance(positions, (list, tuple)) else [dims]
if len(places) != len(picks):
    raise TypeError('index(): as many dimensions as indices are needed')
where = [slice(None)] * self.dim()
for place, pick in zip(places, picks):
    where[place] = pick
self[tuple(where)]
"#;

/// The order of the dimensions; with `ambiguity_check` only where it is the only one, or that of one of some formats.
const DIM_ORDER: &str = "\
formats = ambiguity_check if isinstance(ambiguity_check, list) else []
if not isinstance(ambiguity_check, (list, bool, type(None))) or not all(isinstance(each, torch.memory_format) for each in formats):
    raise TypeError('The ambiguity_check argument must be a bool or a list of memory formats.')
if ambiguity_check and 0 in self.stride() and any(s == 0 and n > 1 for n, s in zip(self.shape, self.stride())):
    raise RuntimeError('The tensor does not have unique dim order.')
fits = [each for each in formats if self.is_contiguous(memory_format=each)]
if ambiguity_check and (len(fits) != 1 if formats else len(set(self.stride())) != self.dim() or 1 in self.shape and self.dim() > 1):
    raise RuntimeError('The tensor does not have unique dim order, or cannot map to exact one of the given memory formats.')
def is_behind(a, b):
    # None where strides do not tell: one that is 0, or two that are equal and whose sizes are in order.
    near, far = self.stride(a), self.stride(b)
    if near == 0 or far == 0 or near == far and self.size(b) >= self.size(a):
        return None
    return near != far and (far >= near or far % near == 0)
if self.dim() < 2 or self.is_contiguous() and not (self.dim() == 4 and self.is_contiguous(memory_format=torch.channels_last)):
    order = list(range(self.dim()))
elif self.dim() == 4 and self.is_contiguous(memory_format=torch.channels_last) and not self.is_contiguous():
    order = [0, 2, 3, 1]
else:
    order = list(range(self.dim()))[::-1]
    for i in range(1, len(order)):
        at = i
        for k in range(i - 1, -1, -1):
            behind = is_behind(order[k], order[at])
            if behind is False:
                order[k], order[at] = order[at], order[k]
                at = k
            elif behind:
                break
    order = order[::-1]
tuple(order)";

const HASH: &str = "\
if mode != 0:
    raise RuntimeError(f'Unknown hash_tensor mode: {mode}')
if self.is_complex():
    raise NotImplementedError(f'\"xor_sum_cpu\" not implemented for \\'{self.type()[6:-6]}\\'')
if self.numel() == 0 and dim is None:
    raise RuntimeError('hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the \\'dim\\' argument.')
for d in dim or [] if self.numel() == 0 else []:
    if self.size(d) == 0:
        raise IndexError(f'hash_tensor: Expected reduction dim {d % self.dim()} to have non-zero size.')
sizes = list(self.sum(dim or None, keepdim=keepdim).shape)
dims = [d % max(self.dim(), 1) for d in dim or range(self.dim())]
kept = [d for d in range(self.dim()) if d not in dims]
bits = self.double().view(torch.int64) if self.is_floating_point() else self.long()
bits = bits.permute(dims + kept).reshape([math.prod(self.size(d) for d in dims)] + [self.size(d) for d in kept])
while bits.size(0) > 1:
    half = bits.size(0) // 2
    bits = torch.cat([bits[:half] ^ bits[half:2 * half], bits[2 * half:]])
bits[0].reshape(sizes).view(torch.uint64)";
