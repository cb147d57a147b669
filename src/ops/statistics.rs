//! How variables vary together, and counts of points on a grid, in terms of other operations.

use super::Form::Code;
use super::autograd::texts;
use super::{Gradients, composed, op};

rows![
    op(
        "cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor",
        "The covariances of the variables in the rows. `fweights` says how often an observation was made, `aweights` what it weighs.",
        "torch.tensor([[1., 2., 3.], [3., 2., 1.]]).cov()  # tensor([[ 1., -1.],\n#         [-1.,  1.]])",
        Code(COV),
    )
    .no_out()
    .usually(composed::cov)
    .ends_in_view(),
    op(
        "corrcoef(Tensor self) -> Tensor",
        "The correlation coefficients of the variables in the rows.",
        "torch.tensor([[1., 2., 3.], [3., 2., 1.]]).corrcoef()  # tensor([[ 1., -1.],\n#         [-1.,  1.]])",
        Code(CORRCOEF),
    )
    .no_out()
    .usually(composed::corrcoef),
    op(
        "histogramdd(Tensor self, int bins, Any range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)",
        "Counts points, one a row, in the boxes of a grid. `bins` is a number of bins per dimension, or their edges.",
        "torch.histogramdd(torch.tensor([[0., 1.], [1., 0.]]), bins=[2, 2])[0]  # tensor([[0., 1.],\n#         [1., 0.]])",
        Code(HISTOGRAMDD),
    )
    .grads(BY_COUNTS)
    .function_only()
    .no_out(),
    op(
        "histogramdd(Tensor self, int[] bins, Any range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)",
        "",
        "",
        Code(HISTOGRAMDD),
    )
    .grads(BY_COUNTS)
    .function_only()
    .no_out(),
    op(
        "histogramdd(Tensor self, Tensor[] bins, Any range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)",
        "",
        "",
        Code(HISTOGRAMDD),
    )
    .grads(BY_EDGES)
    .function_only()
    .no_out(),
];

/// What PyTorch says of the gradient of a histogram over numbers of bins,
const BY_COUNTS: Gradients =
    &[("self", texts::none!("_histogramdd_from_bin_cts")), ("weight", texts::none!("_histogramdd_from_bin_cts"))];

/// and of one over edges.
const BY_EDGES: Gradients = &[
    ("self", texts::none!("_histogramdd_from_bin_tensors")),
    ("bins", texts::none!("_histogramdd_from_bin_tensors")),
    ("weight", texts::none!("_histogramdd_from_bin_tensors")),
];

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
    if (name == 'fweights') == w.is_floating_point() or w.is_complex() or w.dtype == torch.bool:
        kind = 'integral' if name == 'fweights' else 'floating point'
        raise RuntimeError(f'cov(): expected {name} to have {kind} dtype but got {name} with {w.type()[6:-6]} dtype')
    if w.numel() != count:
        raise RuntimeError(f'cov(): expected {name} to have the same numel as there are observations in the input but got {w.numel()} != {count}')
    if count > 0 and not w.min().item() >= 0:
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
    found = c / c
else:
    d = (c.real if c.is_complex() else c).diag().sqrt()
    r = c / d.view(-1, 1) / d.view(1, -1)
    found = torch.complex(r.real.clip(-1, 1), r.imag.clip(-1, 1)) if r.is_complex() else r.clip(-1, 1)
found
"#;

const HISTOGRAMDD: &str = r#"
if isinstance(bins, int) and self.dim() == 0:
    self.size(-1)
if self.dim() < 2:
    raise RuntimeError('torch.histogramdd: input tensor should have at least 2 dimensions')
width = self.size(-1)
each = [bins] * width if isinstance(bins, int) else list(bins)
points = self.reshape(math.prod(list(self.shape)[:-1]), width)
if each and isinstance(each[0], torch.Tensor):
    if len(each) != width:
        raise RuntimeError(f'torch.histogramdd: expected {width} sequences of bin edges for a {width}-dimensional histogram but got {len(each)}')
    edges = each
else:
    if range is not None and len(range) != 2 * width:
        raise RuntimeError(f'torch.histogramdd: for a {width}-dimensional histogram range should have {2 * width} elements, but got {len(range)}')
    if range is not None:
        spans = list(zip(range[::2], range[1::2]))
    elif points.numel() == 0:
        spans = [(0.0, 1.0)] * width
    elif self.dtype == torch.float32 or self.dtype == torch.float64:
        spans = list(zip(points.amin(0).tolist(), points.amax(0).tolist()))
    else:
        raise NotImplementedError(f'"histogramdd" not implemented for \'{self.type()[6:-6]}\'')
    for k, span in enumerate(spans):
        if not (math.isfinite(span[0]) and math.isfinite(span[1])):
            raise RuntimeError(f'torch.histogramdd: dimension {k}\'s range [{span[0]:g}, {span[1]:g}] is not finite')
        if span[0] > span[1]:
            raise RuntimeError(f'torch.histogramdd: min should not exceed max, but got min {span[0]:g} max {span[1]:g} for dimension {k}')
    if len(each) != width:
        raise RuntimeError('histogramdd: The size of bins must be equal to the innermost dimension of the input.')
    spans = [(low - 0.5, high + 0.5) if low == high else (low, high) for low, high in spans]
    edges = [torch.linspace(low, high, b + 1, dtype=self.dtype) for b, (low, high) in zip(each, spans)]
for k, b in enumerate(edges):
    if b.dtype != self.dtype:
        raise RuntimeError(f'torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype {torch.nn.functional._c_name(self)} and bins for dimension {k} with dtype {torch.nn.functional._c_name(b)}')
    if b.dim() != 1:
        raise RuntimeError(f'torch.histogramdd: bins tensor should have one dimension, but got {b.dim()} dimensions in the bins tensor for dimension {k}')
    if b.numel() == 0:
        raise RuntimeError(f'torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the bins tensor for dimension {k}')
if weight is not None:
    c_name = torch.nn.functional._c_name
    if weight.dtype != self.dtype:
        raise RuntimeError(f'torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same dtype, but got input({c_name(self)}), and weight({c_name(weight)})')
    if weight.shape != self.shape[:-1]:
        raise RuntimeError(f'torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor excluding its innermost dimension, but got input with shape {list(self.shape)} and weight with shape {list(weight.shape)}')
for k, e in enumerate(edges):
    if e.numel() < 2:
        raise RuntimeError(f'torch.histogram(): bins must be > 0, but got {e.numel() - 1} for dimension {k}')
if not self.is_floating_point():
    raise NotImplementedError(f'"histogram_cpu" not implemented for \'{self.type()[6:-6]}\'')
place = torch.zeros(points.size(0), dtype=torch.int64)
inside = torch.full([points.size(0)], width > 0)
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
hist = torch.zeros(count, dtype=self.dtype).index_add(0, place[inside], w[inside])
boxes = [e.numel() - 1 for e in edges]
hist = hist.view(boxes) if hist.requires_grad else hist.resize_(boxes)
if density:
    hist = hist / hist.sum()
    k = 0
    for e in edges:
        hist = hist / e.diff().view([-1 if j == k else 1 for j in torch.arange(width).tolist()])
        k += 1
(hist, tuple(edges))
"#;
