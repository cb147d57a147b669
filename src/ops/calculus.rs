//! Differences, slopes and integrals of samples, in terms of other operations.

use super::Form::Code;
use super::{Op, composed, op};

rows![
    op(
        "diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor",
        "The differences between neighbours along `dim`, taken `n` times.",
        "torch.tensor([1, 4, 9]).diff()  # tensor([3, 5])",
        Code(DIFF),
    )
    .usually(composed::diff),
    op(
        "gradient(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor[]",
        "The slope along each dimension: central differences inside, one-sided ones at the ends. `spacing` is the distance of the samples, one per \
         dimension, or their coordinates.",
        "torch.gradient(torch.tensor([1., 4., 9.]))  # (tensor([3., 4., 5.]),)",
        Code(GRADIENT),
    )
    .function_only()
    .no_out(),
    gradient("gradient(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]"),
    op(
        "gradient(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]",
        "",
        "",
        Code("torch.gradient(self, spacing=1, dim=dim, edge_order=edge_order)"),
    )
    .function_only()
    .no_out(),
    gradient("gradient(Tensor self, *, Scalar[] spacing, int? dim=None, int edge_order=1) -> Tensor[]"),
    gradient("gradient(Tensor self, *, Scalar[] spacing, int[] dim, int edge_order=1) -> Tensor[]"),
    gradient("gradient(Tensor self, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> Tensor[]"),
    gradient("gradient(Tensor self, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor[]"),
    op(
        "trapezoid(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor",
        "The integral along `dim` by the trapezoidal rule.",
        "torch.trapezoid(torch.tensor([1., 5., 10.]))  # tensor(10.5000)",
        Code(TRAPEZOID),
    )
    .no_out()
    .usually(composed::trapezoid)
    .of_form(),
    op("trapezoid(Tensor y, Tensor x, *, int dim=-1) -> Tensor", "", "", Code(TRAPEZOID_AT)).no_out()
    .of_form(),
    op(
        "trapz(Tensor y, *, float dx=1, int dim=-1) -> Tensor",
        "As `trapezoid`.",
        "torch.trapz(torch.tensor([1., 5., 10.]))  # tensor(10.5000)",
        Code("torch.trapezoid(y, dx=dx, dim=dim)"),
    )
    .no_out()
    .of_form(),
    op("trapz(Tensor y, Tensor x, *, int dim=-1) -> Tensor", "", "", Code("torch.trapezoid(y, x, dim=dim)")).no_out()
    .of_form(),
    op(
        "cumulative_trapezoid(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor",
        "The integral from the first sample up to each other one, by the trapezoidal rule.",
        "torch.cumulative_trapezoid(torch.tensor([1., 5., 10.]))  # tensor([ 3.0000, 10.5000])",
        Code(CUMULATIVE_TRAPEZOID),
    )
    .no_out()
    .of_form(),
    op("cumulative_trapezoid(Tensor y, Tensor x, *, int dim=-1) -> Tensor", "", "", Code(CUMULATIVE_TRAPEZOID_AT)).no_out()
    .of_form(),
];

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

const fn gradient(schema: &'static str) -> Op {
    op(schema, "", "", Code(GRADIENT)).function_only().no_out()
}

const GRADIENT: &str = r#"
if self.dtype == torch.uint8:
    raise NotImplementedError('torch.gradient does not support uint8 input.')
ndim = self.dim()
dims = list(range(ndim)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
if spacing is None or isinstance(spacing, (int, float, complex)):
    spaces = [1 if spacing is None else spacing] * len(dims)
else:
    spaces = list(spacing)
if len(spaces) != len(dims):
    wanted = f', or a list of length equal to \'self.dim() = {ndim}\', since dim argument was not given, but got a list of length {len(spaces)}' if dim is None else f' or it\'s spacing and dim arguments to have the same length, but got a spacing argument of length {len(spaces)} and a dim argument of length {len(dims)}.'
    raise RuntimeError('torch.gradient expected spacing to be unspecified, a scalar' + wanted)
if edge_order not in (1, 2):
    raise RuntimeError('torch.gradient only supports edge_order=1 and edge_order=2.')
most = max(ndim, 1)
for d in dims:
    if not -most <= d < most:
        raise IndexError(f'Dimension out of range (expected to be in range of [{-most}, {most - 1}], but got {d})')
given, dims = dims, [d % most for d in dims]
for d in dims:
    if dims.count(d) > 1:
        raise RuntimeError(f'dim {d} appears multiple times in the list of dims')
for d in given:
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
            first = (at(1) * 2 - at(0) * 1.5 - at(2) * 0.5) / h
            last = (at(n - 3) * 0.5 - at(n - 2) * 2 + at(n - 1) * 1.5) / h
    results.append(torch.cat([first, last] if n == 2 else [first, middle, last], d))
tuple(results)
"#;

/// Text with the samples' places or with their distance; the other has no name among the parameters then.
macro_rules! trapezoid {
    ($other:literal) => {
        concat!($other, r#"
along = dim % max(y.dim(), 1)
if y.dim() == 0 and x is None:
    raise IndexError(f'Dimension specified as {dim} but tensor has no dimensions')
if not -max(y.dim(), 1) <= dim < max(y.dim(), 1):
    raise IndexError(f'Dimension out of range (expected to be in range of [{-max(y.dim(), 1)}, {max(y.dim(), 1) - 1}], but got {dim})')
if y.dim() == 0:
    raise IndexError(f'Dimension specified as {dim if x is None else along} but tensor has no dimensions')
empty = y.size(dim) == 0
if not empty and (y.dtype == torch.bool or (x is not None and x.dtype == torch.bool)):
    named = '`x` or `y`' if x is not None else '`y`'
    raise NotImplementedError(f'trapezoid: received a bool input for {named}, but bool is not supported')
if not empty and isinstance(dx, (bool, complex)):
    raise RuntimeError('trapezoid: Currently, we only support dx as a real number.')
if empty:
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
        ends = y.select(dim, 0) + y.select(dim, -1)
        result = (y.sum(dim) - ends * 0.5) * float(dx)
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
most = max(y.dim(), 1)
if x is not None and not -most <= dim < most:
    raise IndexError(f'Dimension out of range (expected to be in range of [{-most}, {most - 1}], but got {dim})')
if y.dtype == torch.bool or (x is not None and x.dtype == torch.bool):
    named = '`x` or `y`' if x is not None else '`y`'
    raise NotImplementedError(f'cumulative_trapezoid: received a bool input for {named}, but bool is not supported')
if isinstance(dx, (bool, complex)):
    raise RuntimeError('cumulative_trapezoid: Currently, we only support dx as a real number.')
if y.dim() == 0:
    raise IndexError('Dimension specified as 0 but tensor has no dimensions' if x is not None and x.dim() == 1 else 'slice() cannot be applied to a 0-dim tensor.')
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
