//! numpy's functions that are texts of the language: their arrays come as tensors, and tensors they give are arrays again.

use super::array::{from_data, unwrap, wrap, wrap_array};
use super::beside;
use super::failures::of_axis;
use crate::lang::library::construct::{self, Settings, Unless};
use crate::lang::types::call::{Call, Table, Takes, row};
use crate::value::{CallArgs, Named, Outcome, Value};
use std::rc::Rc;

const NEED: Unless = Unless::Required;
const NONE: Unless = Unless::None;
const A: Settings = &[("a", NEED)];
const ALONG: Settings = &[("a", NEED), ("axis", NONE)];
const ALONG_LAST: Settings = &[("a", NEED), ("axis", Unless::Int(-1))];
const TWO: Settings = &[("a", NEED), ("b", NEED)];
const CORNER: Settings = &[("n", NEED), ("k", Unless::Int(0))];
const SPREAD: Settings = &[("a", NEED), ("axis", NONE), ("ddof", Unless::Int(0)), ("keepdims", Unless::Bool(false))];
const PARTS: Settings = &[("a", NEED), ("n", NEED), ("axis", Unless::Int(0))];
const CLOSE: Settings =
    &[("a", NEED), ("b", NEED), ("rtol", Unless::Float(1e-7)), ("atol", Unless::Float(0.0)), ("equal_nan", Unless::Bool(true))];

/// A function: its name, what it takes, how many of that are arrays, and its text.
macro_rules! written {
    ($($name:literal $takes:expr, $arrays:literal, $text:expr;)*) => {
        Table::sorted(&[$(row($name, Takes::Any, |c| run(c, $name, $takes, $arrays, $text))),*])
    };
}

/// A reduction over one dimension, some or all; nothing is left of what is no number.
macro_rules! over {
    ($text:literal) => {
        concat!("dims = tuple(range(a.dim())) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)\n", $text)
    };
}

/// A function of floats, as which whole numbers go, too.
macro_rules! floats {
    ($text:literal) => {
        concat!("a = a if a.is_floating_point() or a.is_complex() else a.double()\n", $text)
    };
}

/// What a decomposition gives, by its names.
macro_rules! parts {
    ($name:literal, $fields:literal, $values:literal) => {
        concat!("from collections import namedtuple\nnamedtuple('", $name, "', '", $fields, "')(*", $values, ")")
    };
}

pub mod rarer;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "numpy",
    rows: written! {
        "angle" A, 1, "a.angle()";
        "append" &[("a", NEED), ("b", NEED), ("axis", NONE)], 2, "torch.cat((a.flatten(), b.flatten())) if axis is None else torch.cat((a, b), axis)";
        "argwhere" A, 1, "a.nonzero()";
        "array_split" PARTS, 1, "list(a.tensor_split(n, axis))";
        "ascontiguousarray" A, 1, "a.contiguous()";
        "atleast_1d" A, 1, "torch.atleast_1d(a)";
        "atleast_2d" A, 1, "torch.atleast_2d(a)";
        "average" &[("a", NEED), ("axis", NONE), ("weights", NONE)], 1, floats!("\
w = torch.ones_like(a) if weights is None else torch.as_tensor(weights, dtype=a.dtype)
(a * w).sum() / w.sum() if axis is None else (a * w).sum(axis) / w.expand(a.shape).sum(axis)");
        "bincount" &[("a", NEED), ("weights", NONE), ("minlength", Unless::Int(0))], 1, "\
if a.is_floating_point() or a.is_complex():
    raise TypeError(f\"Cannot cast array data from dtype('{str(a.dtype)[6:]}') to dtype('int64') according to the rule 'safe'\")
torch.bincount(a, None if weights is None else torch.as_tensor(weights, dtype=torch.float64), minlength)";
        "broadcast_arrays" &[("arrays", Unless::Rest)], 0, "tuple(torch.broadcast_tensors(*[torch.as_tensor(each) for each in arrays]))";
        "broadcast_to" &[("a", NEED), ("shape", NEED)], 1, "\
wanted = (shape,) if isinstance(shape, int) else tuple(shape)
lead = len(wanted) - a.dim()
if lead < 0:
    raise ValueError('input operand has more dimensions than allowed by the axis remapping')
if any(n not in (1, wanted[lead + k]) for k, n in enumerate(a.shape)):
    told = lambda sizes: '(' + ','.join(str(n) for n in sizes) + (',)' if len(sizes) == 1 else ')')
    raise ValueError(f'operands could not be broadcast together with remapped shapes [original->remapped]: {told(a.shape)}  and requested shape {told(wanted)}')
a.expand(shape)";
        "column_stack" &[("a", NEED)], 0, "torch.column_stack([torch.as_tensor(each) for each in a])";
        "convolve" &[("a", NEED), ("b", NEED), ("mode", Unless::Str("full"))], 2, "\
long, short = max(a.numel(), b.numel()), min(a.numel(), b.numel())
full = torch.nn.functional.conv1d(a.double().view(1, 1, -1), b.double().flip(0).view(1, 1, -1), padding=b.numel() - 1).flatten()
part = full if mode == 'full' else full.narrow(0, (short - 1) // 2, long) if mode == 'same' else full.narrow(0, short - 1, long - short + 1)
part.to(torch.promote_types(a.dtype, b.dtype))";
        "copy" A, 1, "a.clone()";
        "copyto" &[("a", NEED), ("b", NEED)], 1, "a.copy_(torch.as_tensor(b))\nNone";
        "corrcoef" &[("a", NEED), ("b", NONE)], 1, floats!("\
    torch.corrcoef(a if b is None else torch.stack((a, torch.as_tensor(b).to(a.dtype))))");
        "count_nonzero" ALONG, 1, "torch.count_nonzero(a) if axis is None else torch.count_nonzero(a, axis)";
        "cov" A, 1, floats!("torch.cov(a)");
        "delete" &[("a", NEED), ("obj", NEED), ("axis", NONE)], 1, "\
source, along = (a.flatten(), 0) if axis is None else (a, axis)
left = torch.ones(source.size(along), dtype=torch.bool)
left[obj] = False
source.index_select(along, left.nonzero().flatten())";
        "diag_indices" &[("n", NEED), ("ndim", Unless::Int(2))], 0, "(torch.arange(n),) * ndim";
        "diagonal" A, 1, "a.diagonal()";
        "diff" &[("a", NEED), ("n", Unless::Int(1)), ("axis", Unless::Int(-1))], 1, "\
if n < 0:
    raise ValueError(f'order must be non-negative but got {n}')
a.diff(n, axis)";
        "digitize" &[("a", NEED), ("bins", NEED), ("right", Unless::Bool(false))], 2, "torch.searchsorted(bins, a, right=not right)";
        "dstack" &[("a", NEED)], 0, "torch.dstack([torch.as_tensor(each) for each in a])";
        "ediff1d" A, 1, "a.flatten().diff()";
        "einsum" &[("formula", NEED), ("operands", Unless::Rest)], 0, "\
import functools
import numpy
parts = [torch.from_numpy(numpy.asarray(each)) for each in operands]
kind = functools.reduce(torch.promote_types, [part.dtype for part in parts])
torch.einsum(formula, *[part.to(kind) for part in parts])";
        "empty_like" A, 1, "torch.zeros_like(a)";
        "fill_diagonal" &[("a", NEED), ("val", NEED)], 1, "a.fill_diagonal_(val)\nNone";
        "flatnonzero" A, 1, "a.flatten().nonzero().flatten()";
        "fliplr" A, 1, "a.flip(1)";
        "flipud" A, 1, "a.flip(0)";
        "full_like" &[("a", NEED), ("fill_value", NEED)], 1, "torch.full_like(a, fill_value)";
        "geomspace" &[("start", NEED), ("stop", NEED), ("num", Unless::Int(50))], 0, "\
    torch.logspace(math.log10(start), math.log10(stop), num, dtype=torch.float64)";
        "gradient" A, 1, floats!("torch.gradient(a)[0]");
        "histogram" &[("a", NEED), ("bins", Unless::Int(10)), ("range", NONE)], 1, "\
x = a.flatten().double()
if isinstance(bins, int) and bins < 1:
    raise ValueError('`bins` must be positive, when an integer')
if isinstance(bins, int):
    low, high = (x.min().item(), x.max().item()) if range is None else range
    low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
    edges = torch.linspace(low, high, bins + 1, dtype=torch.float64)
else:
    edges = bins if isinstance(bins, torch.Tensor) else torch.as_tensor(bins, dtype=None if all(isinstance(b, int) for b in bins) else torch.float64)
last = edges.numel() - 1
bounds = edges.double()
places = torch.where(x == bounds[last], last, torch.searchsorted(bounds, x, right=True)) - 1
inside = places[(places >= 0) & (x <= bounds[last])]
(torch.bincount(inside, minlength=last), edges)";
        "hsplit" TWO, 1, "list(a.hsplit(b))";
        "identity" &[("n", NEED)], 0, "torch.eye(n, dtype=torch.float64)";
        "indices" &[("dimensions", NEED)], 0, "torch.stack(torch.meshgrid(*[torch.arange(n) for n in dimensions], indexing='ij'))";
        "inner" TWO, 2, "\
import numpy
p, q = a.numpy(), b.numpy()
if a.dim() and b.dim() and a.size(-1) != b.size(-1):
    raise ValueError(f'shapes {p.shape} and {q.shape} not aligned: {a.size(-1)} (dim {a.dim() - 1}) != {b.size(-1)} (dim {b.dim() - 1})'.replace(', ', ',').replace(',)', ',)'))
kind = numpy.result_type(p, q)
by = 'int64' if kind.kind in 'ub' else kind
torch.from_numpy(torch.inner(*[torch.from_numpy(each.astype(by)) for each in (p, q)]).numpy().astype(kind))";
        "insert" &[("a", NEED), ("obj", NEED), ("values", NEED), ("axis", NONE)], 1, "\
source, along = (a.flatten(), 0) if axis is None else (a, axis)
at = obj + source.size(along) if obj < 0 else obj
new = torch.as_tensor(values, dtype=a.dtype)
new = new.reshape(-1) if source.dim() == 1 else new.expand([1 if i == along else n for i, n in enumerate(source.shape)])
torch.cat((source.narrow(along, 0, at), new, source.narrow(along, at, source.size(along) - at)), along)";
        "interp" &[("x", NEED), ("xp", NEED), ("fp", NEED)], 3, "\
at, known, values = x.double(), xp.double(), fp.double()
i = torch.searchsorted(known, at, right=True).clamp(1, known.numel() - 1)
between = (values[i] - values[i - 1]) / (known[i] - known[i - 1]) * (at - known[i - 1]) + values[i - 1]
torch.where(at <= known[0], values[0], torch.where(at >= known[-1], values[-1], between))";
        "intersect1d" TWO, 2, "a.unique()[torch.isin(a.unique(), b)]";
        "iscomplexobj" A, 1, "a.is_complex()";
        "isin" TWO, 2, "whole = not (a.is_floating_point() or b.is_floating_point() or a.is_complex() or b.is_complex())\ntorch.isin(a.long(), b.long()) if whole else torch.isin(a, b)";
        "ix_" &[("lists", Unless::Rest)], 0, "\
places = [torch.as_tensor(each) for each in lists]
tuple(each.reshape([-1 if k == n else 1 for k in range(len(places))]) for n, each in enumerate(places))";
        "logspace" &[("start", NEED), ("stop", NEED), ("num", Unless::Int(50)), ("endpoint", Unless::Bool(true)), ("base", Unless::Float(10.0))], 0, "\
    torch.logspace(start, stop, num, base, dtype=torch.float64)";
        "median" ALONG, 1, floats!("a.flatten().quantile(0.5) if axis is None else a.quantile(0.5, axis)");
        "moveaxis" &[("a", NEED), ("source", NEED), ("destination", NEED)], 1, "\
import numpy
lists = [list(axes) if isinstance(axes, (list, tuple)) else [axes] for axes in (source, destination)]
for what, axes in zip(('source', 'destination'), lists):
    for axis in axes:
        if not -a.dim() <= axis < a.dim():
            raise numpy.exceptions.AxisError(f'{what}: axis {axis} is out of bounds for array of dimension {a.dim()}')
if len(lists[0]) != len(lists[1]):
    raise ValueError('`source` and `destination` arguments must have the same number of elements')
a.movedim(source, destination)";
        "nan_to_num" &[("a", NEED), ("copy", Unless::Bool(true)), ("nan", Unless::Float(0.0)), ("posinf", NONE), ("neginf", NONE)], 1, "\
    a.nan_to_num(nan, posinf, neginf)";
        "nanmax" ALONG, 1, over!("a.nan_to_num(-math.inf, math.inf, -math.inf).amax(dims)");
        "nanmean" ALONG, 1, over!("a.nanmean(dims)");
        "nanmedian" ALONG, 1, floats!("a.flatten().nanquantile(0.5) if axis is None else a.nanquantile(0.5, axis)");
        "nanmin" ALONG, 1, over!("a.nan_to_num(math.inf, math.inf, -math.inf).amin(dims)");
        "nanstd" SPREAD, 1, over!("((a - a.nanmean(dims, True)) ** 2).nanmean(dims, keepdims).sqrt()");
        "nansum" ALONG, 1, over!("a.nansum(dims)");
        "ndenumerate" A, 1, "\
import itertools
[(place, a[place]) for place in itertools.product(*[range(n) for n in a.shape])]";
        "ndim" A, 1, "a.dim()";
        "ndindex" &[("shape", Unless::Rest)], 0, "\
import itertools
sizes = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
list(itertools.product(*[range(n) for n in sizes]))";
        "nonzero" A, 1, "a.nonzero(as_tuple=True)";
        "outer" TWO, 2, "a.flatten().unsqueeze(1) * b.flatten()";
        "pad" &[("a", NEED), ("pad_width", NEED), ("mode", Unless::Str("constant")), ("constant_values", Unless::Int(0))], 1, "\
pairs = [(pad_width, pad_width)] if isinstance(pad_width, int) else list(pad_width)
pairs = [tuple(pairs)] if isinstance(pairs[0], int) else pairs
pairs = pairs * a.dim() if len(pairs) == 1 else pairs
def places(n, before, after):
    at = torch.arange(-before, n + after)
    turned = at % max(2 * n - 2, 1)
    return {'edge': at.clamp(0, n - 1), 'wrap': at % n, 'reflect': torch.where(turned < n, turned, 2 * n - 2 - turned)}[mode]
padded = a
for dim, (before, after) in enumerate(pairs if mode != 'constant' else []):
    padded = padded.index_select(dim, places(a.size(dim), before, after))
flat = [n for pair in reversed(pairs) for n in pair]
torch.nn.functional.pad(a, flat, value=constant_values) if mode == 'constant' else padded";
        "percentile" &[("a", NEED), ("q", NEED), ("axis", NONE)], 1, floats!("\
a = a if isinstance(q, (int, float)) else a.double()
q = torch.as_tensor(q, dtype=a.dtype) / 100
if not ((q >= 0) & (q <= 1)).all():
    raise ValueError('Percentiles must be in the range [0, 100]')
a.flatten().quantile(q) if axis is None else a.quantile(q, axis)");
        "polyval" &[("p", NEED), ("x", NEED)], 2, "\
value = torch.zeros_like(x)
for factor in p:
    value = value * x + factor
value";
        "ptp" ALONG, 1, over!("a.amax(dims) - a.amin(dims)");
        "quantile" &[("a", NEED), ("q", NEED), ("axis", NONE)], 1, floats!("\
a = a if isinstance(q, (int, float)) else a.double()
q = torch.as_tensor(q, dtype=a.dtype)
if not ((q >= 0) & (q <= 1)).all():
    raise ValueError('Quantiles must be in the range [0, 1]')
a.flatten().quantile(q) if axis is None else a.quantile(q, axis)");
        "repeat" &[("a", NEED), ("repeats", NEED), ("axis", NONE)], 1, "\
counts = repeats if isinstance(repeats, int) else torch.as_tensor(repeats)
cells = a.numel() if axis is None else a.size(axis)
if isinstance(repeats, int) and repeats < 0:
    raise ValueError('negative dimensions are not allowed')
if not isinstance(repeats, int) and counts.numel() not in (1, cells):
    raise ValueError(f'operands could not be broadcast together with shape ({cells},) ({counts.numel()},)')
(a.flatten() if axis is None else a).repeat_interleave(counts, dim=axis or 0)";
        "roll" &[("a", NEED), ("shift", NEED), ("axis", NONE)], 1, "a.roll(shift) if axis is None else a.roll(shift, axis)";
        "rot90" &[("a", NEED), ("k", Unless::Int(1))], 1, "a.rot90(k)";
        "searchsorted" &[("a", NEED), ("v", NEED), ("side", Unless::Str("left"))], 2, "torch.searchsorted(a, v, right=side == 'right')";
        "setdiff1d" TWO, 2, "a.unique()[~torch.isin(a.unique(), b)]";
        "size" ALONG, 1, "a.numel() if axis is None else a.size(axis)";
        "split" PARTS, 1, "\
if isinstance(n, int) and a.size(axis) % n:
    raise ValueError('array split does not result in an equal division')
list(a.tensor_split(n, axis))";
        "swapaxes" &[("a", NEED), ("first", NEED), ("second", NEED)], 1, "\
import numpy
for what, axis in (('axis1', first), ('axis2', second)):
    if not -a.dim() <= axis < a.dim():
        raise numpy.exceptions.AxisError(f'{what}: axis {axis} is out of bounds for array of dimension {a.dim()}')
a.swapaxes(first, second)";
        "take" &[("a", NEED), ("indices", NEED), ("axis", NONE)], 1, "\
places = torch.as_tensor(indices)
found = (a.flatten() if axis is None else a).index_select(axis or 0, places.flatten())
found.reshape(places.shape) if axis is None else found if places.dim() else found.squeeze(axis)";
        "take_along_axis" &[("a", NEED), ("indices", NEED), ("axis", NEED)], 2, "torch.take_along_dim(a, indices, axis)";
        "tensordot" &[("a", NEED), ("b", NEED), ("axes", Unless::Int(2))], 2, "torch.tensordot(a, b, axes)";
        "trace" A, 1, "a.diagonal().sum()";
        "trapezoid" ALONG_LAST, 1, floats!("torch.trapezoid(a, dim=axis)");
        "tri" &[("N", NEED), ("M", NONE), ("k", Unless::Int(0))], 0, "torch.ones(N, N if M is None else M, dtype=torch.float64).tril(k)";
        "tril_indices" CORNER, 0, "tuple(torch.tril_indices(n, n, k))";
        "triu_indices" CORNER, 0, "tuple(torch.triu_indices(n, n, k))";
        "union1d" TWO, 2, "torch.cat((a.flatten(), b.flatten())).unique()";
        "unravel_index" &[("indices", NEED), ("shape", NEED)], 1, "torch.unravel_index(indices, tuple(shape) if not isinstance(shape, int) else shape)";
        "vander" &[("a", NEED), ("n", NONE), ("increasing", Unless::Bool(false))], 1, "torch.vander(a, n, increasing)";
        "vdot" TWO, 2, "(a.flatten().conj() * b.flatten()).sum()";
        "vsplit" TWO, 1, "list(a.vsplit(b))";
    },
};

/// Functions of `numpy.linalg`: eigenvalues are real where none is not.
pub static LINALG: Table = Table {
    owner: "numpy.linalg",
    rows: written! {
        "cond" &[("a", NEED), ("p", NONE)], 1, floats!("torch.linalg.cond(a, p)");
        "cross" TWO, 2, "torch.linalg.cross(a, b)";
        // By logarithms, which shows in the last digit.
        "det" A, 1, floats!("\
import math
if a.dim() != 2 or a.size(0) != a.size(1) or a.dtype != torch.float64:
    found = torch.linalg.det(a)
else:
    lu, pivots = torch.linalg.lu_factor_ex(a)[:2]
    diagonal = lu.diagonal().tolist()
    turns = sum(pivot != place for place, pivot in enumerate(pivots.tolist(), 1)) + sum(d < 0 for d in diagonal)
    size = 0.0 if 0.0 in diagonal else math.exp(sum(math.log(abs(d)) for d in diagonal))
    found = torch.tensor((-1) ** turns * size if size else 0.0, dtype=torch.float64)
found");
        "diagonal" A, 1, "a.diagonal(0, -2, -1)";
        "eig" A, 1, concat!(floats!("\
values, vectors = torch.linalg.eig(a)
found = (values.real, vectors.real) if not a.is_complex() and bool((values.imag == 0).all()) else (values, vectors)
"), parts!("EigResult", "eigenvalues eigenvectors", "found"));
        "eigh" A, 1, concat!(floats!("found = torch.linalg.eigh(a)\n"), parts!("EighResult", "eigenvalues eigenvectors", "found"));
        "eigvals" A, 1, floats!("\
values = torch.linalg.eigvals(a)
values.real if not a.is_complex() and bool((values.imag == 0).all()) else values");
        "lstsq" &[("a", NEED), ("b", NEED), ("rcond", NONE)], 2, floats!("\
b = b.to(a.dtype)
found = torch.linalg.lstsq(a, b.unsqueeze(-1) if b.dim() == 1 else b, rcond, driver='gelsd')
solution = found.solution.squeeze(-1) if b.dim() == 1 else found.solution
(solution, found.residuals, found.rank.to(torch.int32), found.singular_values)");
        "matmul" TWO, 2, "import numpy\nnumpy.matmul(a.numpy(), b.numpy())";
        "matrix_norm" &[("a", NEED), ("keepdims", Unless::Bool(false)), ("ord", Unless::Str("fro"))], 1, floats!("torch.linalg.matrix_norm(a, ord, keepdim=keepdims)");
        "matrix_transpose" A, 1, "a.mT";
        "multi_dot" &[("arrays", NEED)], 0, "\
import numpy
found = numpy.asarray(arrays[0])
for factor in arrays[1:]:
    found = numpy.dot(found, factor)
found";
        "outer" TWO, 2, "a.unsqueeze(1) * b";
        "qr" &[("a", NEED), ("mode", Unless::Str("reduced"))], 1, concat!(floats!("found = torch.linalg.qr(a, mode)\n"),
            "if mode == 'r':\n    found = found[1]\nelse:\n    from collections import namedtuple\n    found = namedtuple('QRResult', 'Q R')(*found)\nfound");
        "slogdet" A, 1, concat!(floats!("found = torch.linalg.slogdet(a)\n"), parts!("SlogdetResult", "sign logabsdet", "found"));
        "svd" &[("a", NEED), ("full_matrices", Unless::Bool(true)), ("compute_uv", Unless::Bool(true))], 1, floats!("\
from collections import namedtuple
namedtuple('SVDResult', 'U S Vh')(*torch.linalg.svd(a, full_matrices)) if compute_uv else torch.linalg.svdvals(a)");
        "svdvals" A, 1, floats!("torch.linalg.svdvals(a)");
        "tensorinv" &[("a", NEED), ("ind", Unless::Int(2))], 1, floats!("torch.linalg.tensorinv(a, ind)");
        "tensorsolve" TWO, 2, floats!("torch.linalg.tensorsolve(a, b.to(a.dtype))");
        "trace" A, 1, "a.diagonal(0, -2, -1).sum(-1)";
        "vecdot" TWO, 2, "(a.conj() * b).sum(-1)";
        "vector_norm" &[("a", NEED), ("axis", NONE), ("keepdims", Unless::Bool(false)), ("ord", Unless::Int(2))], 1, floats!("torch.linalg.vector_norm(a, ord, axis, keepdims)");
    },
};

/// The functions of `numpy.testing`.
pub static TESTING: Table = Table {
    owner: "numpy.testing",
    rows: written! {
        "assert_allclose" CLOSE, 2, "\
if not torch.allclose(a.double(), b.double(), rtol, atol, equal_nan):
    raise AssertionError(f'\\nNot equal to tolerance rtol={rtol:g}, atol={atol:g}\\n')";
        "assert_array_equal" TWO, 2, "\
if a.shape != b.shape or not bool((a == b).all()):
    raise AssertionError('\\nArrays are not equal\\n')";
    },
};

/// Functions that give an array where others give a number of numpy's own.
const KEEPING: &[&str] = &["broadcast_to", "copy", "full_like", "swapaxes"];

/// The value of a text; the first `arrays` of its arguments are arrays, whatever stands for them.
fn run(c: &mut Call<'_>, name: &str, takes: Settings, arrays: usize, text: &'static str) -> Outcome {
    let args = CallArgs { positional: c.args(), keyword: std::mem::take(&mut c.keyword) };
    let mut names = construct::bind(&format!("{name}()"), takes, args)?;
    let given = if name == "apply_along_axis" { names.last() } else { names.first() };
    let of_tensor = OF_TENSORS.contains(&name) && matches!(given, Some((_, Value::Tensor(_))));
    let text = if of_tensor { for_tensor(name, text) } else { text };
    for (place, (_, value)) in names.iter_mut().enumerate() {
        if place < arrays {
            *value = from_data(c.machine, value, None, false)?;
        }
        *value = each(value, &mut |value| Ok(unwrap(value)))?;
    }
    let found = beside::of_matrices(c.machine.eval_code(text, &names).map_err(of_axis))?;
    if of_tensor {
        return each(&found, &mut |value| Ok(unwrap(value)));
    }
    let keeps = KEEPING.contains(&name);
    each(&found, &mut |value| if keeps { Ok(wrap_array(value.clone())) } else { wrap(value.clone()) })
}

/// Functions that numpy leaves to a tensor, or gives a tensor back where it was given one.
const OF_TENSORS: &[&str] =
    &["apply_along_axis", "argwhere", "array_split", "insert", "nonzero", "repeat", "searchsorted", "split", "swapaxes", "take"];

/// The text of a function for a tensor, where it is another.
fn for_tensor(name: &str, text: &'static str) -> &'static str {
    match name {
        "argwhere" => "a.nonzero().T",
        "nonzero" => "a.nonzero()",
        _ => text,
    }
}

/// What becomes of a value, or of each in a list or a tuple.
fn each(value: &Value, change: &mut dyn FnMut(&Value) -> Outcome) -> Outcome {
    Ok(match value {
        Value::List(items) => Value::list(items.borrow().iter().map(|item| each(item, change)).collect::<Outcome<_>>()?),
        Value::Tuple(items) => Value::tuple(items.iter().map(|item| each(item, change)).collect::<Outcome<_>>()?),
        Value::Named(named) => {
            let values = named.values.iter().map(|item| each(item, change)).collect::<Outcome<_>>()?;
            Value::Named(Rc::new(Named { values, type_name: named.type_name, fields: named.fields }))
        }
        other => change(other)?,
    })
}
