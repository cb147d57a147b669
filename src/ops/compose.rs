//! Rows written in the language itself: compositions that are rarely hot.

use super::Form::Code;
use super::{composed, op};

rows![
    op(
        "diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor",
        "The differences between neighbours along `dim`, taken `n` times.",
        "torch.tensor([1, 4, 9]).diff()  # tensor([3, 5])",
        Code(DIFF),
    )
    .usually(composed::diff),
    op(
        "cartesian_prod(Tensor[] tensors) -> Tensor",
        "All combinations of one element of each 1-d tensor, one row each.",
        "torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3]))  # tensor([[1, 3],\n#         [2, 3]])",
        Code(CARTESIAN_PROD),
    )
    .variadic()
    .no_out(),
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
        "cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor",
        "The covariances of the variables in the rows. `fweights` says how often an observation was made, `aweights` what it weighs.",
        "torch.tensor([[1., 2., 3.], [3., 2., 1.]]).cov()  # tensor([[ 1., -1.],\n#         [-1.,  1.]])",
        Code(COV),
    )
    .no_out()
    .usually(composed::cov),
    op(
        "corrcoef(Tensor self) -> Tensor",
        "The correlation coefficients of the variables in the rows.",
        "torch.tensor([[1., 2., 3.], [3., 2., 1.]]).corrcoef()  # tensor([[ 1., -1.],\n#         [-1.,  1.]])",
        Code(CORRCOEF),
    )
    .no_out()
    .usually(composed::corrcoef),
    op(
        "gradient(Tensor self, *, Any spacing=None, Any dim=None, int edge_order=1) -> Tensor[]",
        "The slope along each dimension: central differences inside, one-sided ones at the ends. `spacing` is the distance of the samples, one per \
         dimension, or their coordinates.",
        "torch.gradient(torch.tensor([1., 4., 9.]))  # (tensor([3., 4., 5.]),)",
        Code(GRADIENT),
    )
    .function_only()
    .no_out(),
    op(
        "histogramdd(Tensor self, Any bins, Any range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)",
        "Counts points, one a row, in the boxes of a grid. `bins` is a number of bins per dimension, or their edges.",
        "torch.histogramdd(torch.tensor([[0., 1.], [1., 0.]]), bins=[2, 2])[0]  # tensor([[0., 1.],\n#         [1., 0.]])",
        Code(HISTOGRAMDD),
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
        "sum_to_size(Tensor self, int[] size) -> Tensor",
        "Sums over the dimensions along which a tensor of that size would be repeated to have this one's.",
        "torch.ones(2, 3).sum_to_size(1, 3)  # tensor([[2., 2., 2.]])",
        Code(SUM_TO_SIZE),
    )
    .method_only(),
    op(
        "hash_tensor(Tensor input, int[1]? dim=None, *, bool keepdim=False, int mode=0) -> Tensor",
        "The bits of all elements, as 64-bit numbers, put together by exclusive or, along dimensions or altogether.",
        "torch.hash_tensor(torch.tensor([1, 3]))  # tensor(2, dtype=torch.uint64)",
        Code(HASH),
    )
    .function_only()
    .no_grad(),
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
        "trapezoid(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor",
        "The integral along `dim` by the trapezoidal rule.",
        "torch.trapezoid(torch.tensor([1., 5., 10.]))  # tensor(10.5000)",
        Code(TRAPEZOID),
    )
    .alias(&["trapz"])
    .no_out()
    .usually(composed::trapezoid),
    op("trapezoid(Tensor y, Tensor x, *, int dim=-1) -> Tensor", "", "", Code(TRAPEZOID_AT)).alias(&["trapz"]).no_out(),
    op(
        "cumulative_trapezoid(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor",
        "The integral from the first sample up to each other one, by the trapezoidal rule.",
        "torch.cumulative_trapezoid(torch.tensor([1., 5., 10.]))  # tensor([ 3.0000, 10.5000])",
        Code(CUMULATIVE_TRAPEZOID),
    )
    .no_out(),
    op("cumulative_trapezoid(Tensor y, Tensor x, *, int dim=-1) -> Tensor", "", "", Code(CUMULATIVE_TRAPEZOID_AT)).no_out(),
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
longest = max(s.size(0) for s in sequences)
out = sequences[0].new_full((len(sequences), longest, *sequences[0].shape[1:]), padding_value)
for i, s in enumerate(sequences):
    if padding_side == 'left':
        out[i, longest - s.size(0):] = s
    else:
        out[i, :s.size(0)] = s
out if batch_first else out.transpose(0, 1).contiguous()";

const CARTESIAN_PROD: &str = r#"
for t in tensors:
    if t.dim() != 1:
        raise RuntimeError(f'Expect a 1D vector, but got shape {list(t.shape)}')
tensors[0] if len(tensors) == 1 else torch.stack([g.flatten() for g in torch.meshgrid(*tensors, indexing='ij')], dim=1)
"#;

const DIFF: &str = "
if self.dim() == 0:
    raise RuntimeError('diff expects input to be at least one-dimensional')
if n < 0:
    raise RuntimeError(f'order must be non-negative but got {n}')
if n > 0:
    self.size(dim)
for part in (prepend, append):
    if part is not None and part.dim() != self.dim():
        raise RuntimeError('diff expects prepend or append to be the same dimension as input')
    for d in range(self.dim() if part is not None else 0):
        if d != dim % self.dim() and part.size(d) != self.size(d):
            raise RuntimeError('diff expects the shape of tensor to prepend or append to match that of input except along the differencing dimension; '
                f'input.size({d}) = {self.size(d)}, but got tensor.size({d}) = {part.size(d)}')
if prepend is None and append is None:
    x = self
else:
    x = torch.cat([t for t in (prepend, self, append) if t is not None], dim)
for _ in range(min(n, x.size(dim)) if n else 0):
    rest = max(x.size(dim) - 1, 0)
    later, earlier = x.narrow(dim, min(1, x.size(dim)), rest), x.narrow(dim, 0, rest)
    x = later.ne(earlier) if x.dtype == torch.bool else later - earlier
self.clone() if n == 0 or x is self else x";

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
if p < 0:
    raise RuntimeError('cdist only supports non-negative p values')
if x1.dtype != x2.dtype:
    raise RuntimeError(f'expected scalar type {x1.type()[6:-6]} but found {x2.type()[6:-6]}')
# As PyTorch does it: many rows by a product, |a - b|² = |a|² - 2ab + |b|².
many = compute_mode != 'donot_use_mm_for_euclid_dist' and (x1.size(-2) > 25 or x2.size(-2) > 25)
multiplied = p == 2 and x1.size(-1) > 0 and (many or compute_mode == 'use_mm_for_euclid_dist')
if not multiplied and x1.dtype not in (torch.float32, torch.float64):
    raise NotImplementedError(f'"cdist" not implemented for \'{x1.type()[6:-6]}\'')
if multiplied:
    a, b = x1.pow(2).sum(-1, True), x2.pow(2).sum(-1, True)
    left = torch.cat([x1.mul(-2), a, torch.ones_like(a)], -1)
    result = left.matmul(torch.cat([x2, torch.ones_like(b), b], -1).mT).clamp_min_(0).sqrt_()
elif x1.size(-1) == 0:
    result = (x1.unsqueeze(-2) - x2.unsqueeze(-3)).sum(-1)
elif p == 0:
    result = (x1.unsqueeze(-2) - x2.unsqueeze(-3)).abs().ceil().clamp_max(1).sum(-1)
else:
    result = (x1.unsqueeze(-2) - x2.unsqueeze(-3)).norm(p, -1)
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
# PyTorch marks every tuple of places, and refuses what memory does not hold.
torch.empty([n] * r, dtype=torch.bool)
rows = torch.arange(n, device=self.device).view(-1, 1)
for k in range(r - 1):
    first = rows[:, -1] + (0 if with_replacement else 1)
    counts = (n - first).clamp(min=0)
    shift = first - counts.cumsum(0) + counts
    rows = rows.repeat_interleave(counts, 0)
    rows = torch.cat([rows, (torch.arange(rows.size(0), device=self.device) + shift.repeat_interleave(counts)).view(-1, 1)], 1)
self.new_empty(0) if r == 0 else self[rows]
"#;

const COV: &str = r#"
if self.dim() > 2:
    raise RuntimeError(f'cov(): expected input to have two or fewer dimensions but got an input with {self.dim()} dimensions')
if self.dtype == torch.bool:
    raise NotImplementedError('cov(): bool dtype is not supported for input')
x = self.reshape(1, -1) if self.dim() < 2 else self
count = x.size(1)
for name, w in (('fweights', fweights), ('aweights', aweights)):
    if w is None:
        continue
    if w.dim() > 1:
        raise RuntimeError(f'cov(): expected {name} to have one or fewer dimensions but got {name} with {w.dim()} dimensions')
    if (name == 'fweights') == w.is_floating_point() or w.is_complex():
        kind = 'integral' if name == 'fweights' else 'floating point'
        raise RuntimeError(f'cov(): expected {name} to have {kind} dtype but got {name} with {w.type()[6:-6]} dtype')
    if w.numel() != count:
        raise RuntimeError(f'cov(): expected {name} to have the same numel as there are observations in the input but got {w.numel()} != {count}')
    if count > 0 and w.min().item() < 0:
        raise RuntimeError(f'cov(): {name} cannot be negative')
w = fweights if aweights is None else aweights if fweights is None else fweights * aweights
total = torch.tensor(count, dtype=torch.int64) if w is None else w.sum()
if w is not None and count > 0 and total.item() == 0:
    raise RuntimeError('cov(): weights sum to zero, can\'t be normalized')
mean = (x if w is None else x * w).sum(1) / total
if w is None or aweights is None:
    norm = total - correction
else:
    norm = total - correction * (w * aweights).sum() / total
if norm.item() < 0:
    norm = torch.zeros_like(norm)
x = x - mean.unsqueeze(1)
y = x.t().conj() if w is None else (x * w).t().conj()
found = x @ y
# The variance of a single variable is a real number.
found = torch.complex(found.real, torch.zeros_like(found.real)) if x.is_complex() and x.size(0) == 1 else found
found.true_divide(norm).squeeze()
"#;

const CORRCOEF: &str = r#"
if self.dim() > 2:
    raise RuntimeError(f'corrcoef(): expected input to have two or fewer dimensions but got an input with {self.dim()} dimensions')
c = self.cov()
if c.dim() == 0:
    r = c / c
else:
    d = (c.real if c.is_complex() else c).diag().sqrt()
    r = c / d.view(-1, 1) / d.view(1, -1)
torch.complex(r.real.clip(-1, 1), r.imag.clip(-1, 1)) if r.is_complex() else r.clip(-1, 1)
"#;

const GRADIENT: &str = r#"
if self.dtype == torch.uint8:
    raise NotImplementedError('torch.gradient does not support uint8 input.')
ndim = self.dim()
dims = list(range(ndim)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
if isinstance(spacing, torch.Tensor):
    raise TypeError('gradient(): argument \'spacing\' must be a number or a tuple, not Tensor')
if spacing is None or isinstance(spacing, (int, float, complex)):
    spaces = [1 if spacing is None else spacing] * len(dims)
else:
    spaces = list(spacing)
if len(spaces) != len(dims):
    wanted = f', or a list of length equal to \'self.dim() = {ndim}\', since dim argument was not given, but got a list of length {len(spaces)}' if dim is None else f' or it\'s spacing and dim arguments to have the same length, but got a spacing argument of length {len(spaces)} and a dim argument of length {len(dims)}.'
    raise RuntimeError('torch.gradient expected spacing to be unspecified, a scalar' + wanted)
if edge_order not in (1, 2):
    raise RuntimeError('torch.gradient only supports edge_order=1 and edge_order=2.')
for d in dims:
    if ndim == 0:
        raise IndexError(f'Dimension specified as {d} but tensor has no dimensions')
    if not -ndim <= d < ndim:
        raise IndexError(f'Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {d})')
dims = [d % ndim for d in dims]
for d in dims:
    if dims.count(d) > 1:
        raise RuntimeError(f'dim {d} appears multiple times in the list of dims')
for d in dims:
    if self.size(d) <= edge_order:
        raise RuntimeError('torch.gradient expected each dimension size to be at least edge_order+1')
results = []
for d, h in zip(dims, spaces):
    n = self.size(d)
    at = lambda k, length=1: self.narrow(d, k, length)
    if isinstance(h, torch.Tensor):
        if h.dim() != 1:
            raise RuntimeError(f'torch.gradient expected each element of spacing to have one dimension, but got an element with {h.dim()} dimensions!')
        step = h.diff()
        along = lambda t: t.view([-1 if k == d else 1 for k in range(ndim)])
        left = along(step[:-1])
        right = along(step[1:])
        middle = -right / (left * (left + right)) * at(0, n - 2) + (right - left) / (left * right) * at(1, n - 2) + left / (right * (left + right)) * at(2, n - 2)
        if edge_order == 1:
            first = (at(1) - at(0)) / along(step[:1])
            last = (at(n - 1) - at(n - 2)) / along(step[-1:])
        else:
            p, q = along(step[:1]), along(step[1:2])
            first = -(2.0 * p + q) / (p * (p + q)) * at(0) + (p + q) / (p * q) * at(1) - p / (q * (p + q)) * at(2)
            p, q = along(step[-2:-1]), along(step[-1:])
            last = q / (p * (p + q)) * at(n - 3) - (q + p) / (p * q) * at(n - 2) + (2.0 * q + p) / (q * (p + q)) * at(n - 1)
    else:
        middle = (at(2, n - 2) - at(0, n - 2)) / (2.0 * h) if n > 2 else None
        if edge_order == 1:
            first = (at(1) - at(0)) / h
            last = (at(n - 1) - at(n - 2)) / h
        else:
            first = (at(1) * 4 - at(0) * 3 - at(2)) / (2.0 * h)
            last = (at(n - 3) * 0.5 - at(n - 2) * 2 + at(n - 1) * 1.5) / h
    results.append(torch.cat([first, last] if n == 2 else [first, middle, last], d))
tuple(results)
"#;

const HISTOGRAMDD: &str = r#"
if isinstance(bins, int) and self.dim() == 0:
    self.size(-1)
if self.dim() < 2:
    raise RuntimeError('torch.histogramdd: input tensor should have at least 2 dimensions')
width = self.size(-1)
each = [bins] * width if isinstance(bins, int) else list(bins)
if each and isinstance(each[0], torch.Tensor):
    if len(each) != width:
        raise RuntimeError(f'torch.histogramdd: expected {width} sequences of bin edges for a {width}-dimensional histogram but got {len(each)}')
elif range is not None and len(range) != 2 * width:
    raise RuntimeError(f'torch.histogramdd: for a {width}-dimensional histogram range should have {2 * width} elements, but got {len(range)}')
if not self.is_floating_point() or self.dtype.itemsize < 4 and range is None:
    raise NotImplementedError(f'"histogramdd" not implemented for \'{self.type()[6:-6]}\'')
points = self.reshape(-1, width)
if len(each) != width:
    raise RuntimeError('histogramdd: The size of bins must be equal to the innermost dimension of the input.')
if weight is not None and (list(weight.shape) != list(self.shape)[:-1] or weight.dtype != self.dtype):
    raise RuntimeError('torch.histogramdd: if weight tensor is provided it should have the same shape and dtype as the input tensor excluding its innermost dimension')
edges = []
k = 0
for b in each:
    if isinstance(b, torch.Tensor):
        if b.dim() != 1:
            raise RuntimeError(f'torch.histogramdd: bins tensor should have one dimension, but got {b.dim()} dimensions in the bins tensor for dimension {k}')
        if b.dtype != self.dtype:
            raise RuntimeError(f'torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype {self.dtype} and bins for dimension {k} with dtype {b.dtype}')
        edges.append(b)
    else:
        if b <= 0:
            raise RuntimeError('histogramdd(): bins must be > 0, got ' + str(b))
        column = points[:, k]
        low, high = (column.min().item(), column.max().item()) if range is None and points.size(0) > 0 else (0.0, 1.0) if range is None else (range[2 * k], range[2 * k + 1])
        if not (math.isfinite(low) and math.isfinite(high)):
            raise RuntimeError(f'torch.histogramdd: dimension {k}\'s range [{low}, {high}] is not finite')
        if low > high:
            raise RuntimeError(f'torch.histogramdd: min should not exceed max, but got min {low} max {high} for dimension {k}')
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges.append(torch.linspace(low, high, b + 1, dtype=self.dtype))
    k += 1
place = torch.zeros(points.size(0), dtype=torch.int64)
inside = torch.ones(points.size(0), dtype=torch.bool)
count = 1
k = 0
for e in edges:
    column = points[:, k].contiguous()
    n = e.numel() - 1
    found = torch.searchsorted(e, column, right=True) - 1
    found = torch.where(column == e[-1], n - 1, found)
    inside = inside & (column >= e[0]) & (column <= e[-1])
    place = place * n + found
    count *= n
    k += 1
w = torch.ones(points.size(0), dtype=self.dtype) if weight is None else weight.reshape(-1)
hist = torch.zeros(count, dtype=self.dtype).index_add(0, place[inside], w[inside]).view([e.numel() - 1 for e in edges])
if density:
    hist = hist / hist.sum()
    k = 0
    for e in edges:
        hist = hist / e.diff().view([-1 if j == k else 1 for j in torch.arange(width).tolist()])
        k += 1
(hist, tuple(edges))
"#;

const RENORM: &str = r#"
for name, number in (('p', p), ('maxnorm', maxnorm)):
    if isinstance(number, complex):
        raise RuntimeError(f'renorm: {name} must be real-valued')
if not p > 0:
    raise RuntimeError('renorm: non-positive-norm not supported')
if not maxnorm >= 0:
    raise RuntimeError(f'renorm: expected maxnorm to be >= 0 but got {maxnorm:g}')
if self.dim() < 2:
    raise RuntimeError(f'renorm: input needs at least 2 dimensions, got {self.dim()} dimensions')
if not -self.dim() <= dim < self.dim():
    raise IndexError(f'Dimension out of range (expected to be in range of [{-self.dim()}, {self.dim() - 1}], but got {dim})')
if self.dtype in (torch.complex32, torch.uint16, torch.uint32, torch.uint64):
    raise RuntimeError(f'false INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/aten/src/ATen/AccumulateType.cpp":23, please report a bug to PyTorch. Unrecognized ScalarType: {self.type()[6:-6]}')
if not self.is_floating_point() and not self.is_complex():
    torch.linalg.vector_norm(self)
keep = dim % self.dim()
# Norms of 16-bit numbers are float32; the factor is not.
wide = torch.float32 if self.dtype in (torch.float16, torch.bfloat16) else None
norms = torch.linalg.vector_norm(self, p, [d for d in range(self.dim()) if d != keep], True, dtype=wide)
(self * torch.where(norms > maxnorm, torch.full_like(norms, maxnorm) / (norms + 1e-7), 1.0).to(self.dtype)).contiguous()
"#;

const VANDER: &str = r#"
if x.dim() != 1:
    raise RuntimeError('x must be a one-dimensional tensor.')
n = x.size(0) if N is None else N
if n < 0:
    raise RuntimeError('N must be non-negative.')
result = torch.empty(x.size(0), n, dtype=torch.int64 if not x.is_floating_point() and not x.is_complex() else x.dtype)
if n > 0:
    result[:, 0] = 1
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
(self.sum(dims, keepdim=True) if dims else self.sum() if self.dim() == 0 else self).view(size)
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

/// Text with the samples' places or with their distance; the other has no name among the parameters then.
macro_rules! trapezoid {
    ($other:literal) => {
        concat!($other, r#"
along = dim % max(y.dim(), 1)
if not -max(y.dim(), 1) <= dim < max(y.dim(), 1):
    raise IndexError(f'Dimension out of range (expected to be in range of [{-max(y.dim(), 1)}, {max(y.dim(), 1) - 1}], but got {dim})')
if y.dim() == 0:
    raise IndexError(f'Dimension specified as {dim if x is None else along} but tensor has no dimensions')
if y.dtype == torch.bool or (x is not None and x.dtype == torch.bool):
    named = '`x` or `y`' if x is not None else '`y`'
    raise NotImplementedError(f'trapezoid: received a bool input for {named}, but bool is not supported')
if isinstance(dx, (bool, complex)):
    raise RuntimeError('trapezoid: Currently, we only support dx as a real number.')
dx = float(dx)
if y.size(dim) == 0:
    result = y.new_zeros(list(y.shape)[:along] + list(y.shape)[along + 1:])
else:
    n = y.size(dim) - 1
    if x is None:
        step = None
    elif x.dim() == 1:
        if x.size(0) != y.size(dim):
            raise RuntimeError('trapezoid: There must be one `x` value for each sample point')
        step = x.diff().view([-1 if d == along else 1 for d in range(y.dim())])
    else:
        if x.dim() < y.dim():
            x = x.view([1] * (y.dim() - x.dim()) + list(x.shape))
        step = x.diff(dim=along)
    if step is None:
        result = (y.sum(dim) - (y.select(dim, 0) + y.select(dim, -1)) * 0.5) * dx
    else:
        result = ((y.narrow(dim, 1, n) + y.narrow(dim, 0, n)) * step).sum(along) / 2.0
result
"#)
    };
}
const TRAPEZOID: &str = trapezoid!("x = None");
const TRAPEZOID_AT: &str = trapezoid!("dx = 1");

/// As `trapezoid!`.
macro_rules! cumulative_trapezoid {
    ($other:literal) => {
        concat!(
            $other,
            r#"
if y.dtype == torch.bool or (x is not None and x.dtype == torch.bool):
    named = '`x` or `y`' if x is not None else '`y`'
    raise NotImplementedError(f'cumulative_trapezoid: received a bool input for {named}, but bool is not supported')
if y.dim() == 0:
    raise IndexError('Dimension specified as 0 but tensor has no dimensions' if x is not None and x.dim() == 1 else 'slice() cannot be applied to a 0-dim tensor.')
if isinstance(dx, (bool, complex)):
    raise RuntimeError('cumulative_trapezoid: Currently, we only support dx as a real number.')
dx = float(dx)
n = max(y.size(dim) - 1, 0)
total = y.narrow(dim, min(1, y.size(dim)), n) + y.narrow(dim, 0, n)
if x is None:
    step = dx / 2
elif x.dim() == 1:
    if x.size(0) != y.size(dim):
        raise RuntimeError('cumulative_trapezoid: There must be one `x` value for each sample point')
    step = x.diff().view([-1 if d == dim % y.dim() else 1 for d in range(y.dim())])
else:
    step = x.view([1] * (y.dim() - x.dim()) + list(x.shape)).diff(dim=dim % y.dim())
result = (total * step).cumsum(dim % y.dim())
result if x is None else result / 2.0
"#
        )
    };
}
const CUMULATIVE_TRAPEZOID: &str = cumulative_trapezoid!("x = None");
const CUMULATIVE_TRAPEZOID_AT: &str = cumulative_trapezoid!("dx = 1");

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
tuple(sorted(range(self.dim()), key=lambda d: (-self.stride(d), d)))";

const HASH: &str = "\
if mode != 0:
    raise RuntimeError(f'Unknown hash_tensor mode: {mode}')
if input.is_complex():
    raise NotImplementedError(f'\"xor_sum_cpu\" not implemented for \\'{input.type()[6:-6]}\\'')
if input.numel() == 0 and dim is None:
    raise RuntimeError('hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the \\'dim\\' argument.')
sizes = list(input.sum(dim or None, keepdim=keepdim).shape)
dims = [d % max(input.dim(), 1) for d in dim or range(input.dim())]
kept = [d for d in range(input.dim()) if d not in dims]
bits = input.double().view(torch.int64) if input.is_floating_point() else input.long()
bits = bits.permute(dims + kept).reshape([-1] + [input.size(d) for d in kept])
while bits.size(0) > 1:
    half = bits.size(0) // 2
    bits = torch.cat([bits[:half] ^ bits[half:2 * half], bits[2 * half:]])
bits[0].reshape(sizes).view(torch.uint64)";
