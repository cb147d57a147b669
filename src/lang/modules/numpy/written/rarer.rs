//! Functions of numpy that scripts ask for now and then, as texts, and those of `numpy.fft`.

use super::{A, ALONG, ALONG_LAST, NEED, NONE, Settings, TWO, Unless, run};
use crate::lang::types::call::{Table, Takes, row};

const WINDOW: Settings = &[("M", NEED)];
const LINE: Settings = &[("a", NEED), ("n", NONE), ("axis", Unless::Int(-1)), ("norm", NONE)];
const PLANE: Settings = &[("a", NEED), ("s", NONE), ("axes", NONE), ("norm", NONE)];
const STEPS: Settings = &[("n", NEED), ("d", Unless::Float(1.0))];
const AXES: Settings = &[("a", NEED), ("axes", NONE)];
const FROM: Settings = &[("a", NEED), ("k", Unless::Int(0))];
const KTH: Settings = &[("a", NEED), ("kth", NEED), ("axis", Unless::Int(-1))];

/// A transform of one line or of several dimensions, in double precision.
macro_rules! transform {
    (line $name:literal) => {
        concat!("torch.fft.", $name, "(a.double() if not a.is_complex() else a, n, axis, norm)")
    };
    (plane $name:literal) => {
        concat!("torch.fft.", $name, "(a.double() if not a.is_complex() else a, s, (-2, -1) if axes is None else axes, norm)")
    };
    (all $name:literal) => {
        concat!("torch.fft.", $name, "(a.double() if not a.is_complex() else a, s, axes, norm)")
    };
}

/// A window of so many numbers: of few there is one, or none.
macro_rules! window {
    ($text:literal) => {
        concat!(
            "at = torch.arange(1 - M, M, 2, dtype=torch.float64)
torch.zeros(0, dtype=torch.float64) if M < 1 else torch.ones(1, dtype=torch.float64) if M == 1 else (",
            $text,
            ")"
        )
    };
}

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "numpy",
    rows: written! {
        "apply_along_axis" &[("func1d", NEED), ("axis", NEED), ("arr", NEED)], 0, "\
import numpy
moved = torch.from_numpy(numpy.asarray(arr)).movedim(axis, -1)
lines = moved.reshape(-1, moved.size(-1))
made = torch.stack([torch.from_numpy(numpy.array(func1d(line.numpy()))) for line in lines])
found = made.reshape(list(moved.shape[:-1]) + list(made.shape[1:]))
found.movedim(-1, axis) if made.dim() > 1 else found";
        "argpartition" KTH, 1, "a.argsort(dim=axis, stable=True)";
        "array_equiv" TWO, 2, "\
try:
    found = bool((a == b).all())
except RuntimeError:
    found = False
found";
        "array_repr" A, 1, "repr(a.numpy())";
        "array_str" A, 1, "str(a.numpy())";
        "asfortranarray" A, 1, "a.permute(*range(a.dim() - 1, -1, -1)).contiguous().permute(*range(a.dim() - 1, -1, -1))";
        "astype" &[("a", NEED), ("dtype", NEED)], 1, "a.numpy().astype(dtype)";
        "atleast_3d" A, 1, "a.view(1, 1, 1) if a.dim() == 0 else a.view(1, -1, 1) if a.dim() == 1 else a.unsqueeze(-1) if a.dim() == 2 else a";
        "bartlett" WINDOW, 0, window!("torch.where(at <= 0, 1 + at / (M - 1), 1 - at / (M - 1))");
        "base_repr" &[("number", NEED), ("base", Unless::Int(2))], 0, "\
digits, left = '', abs(number)
while left:
    digits, left = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'[left % base] + digits, left // base
('-' if number < 0 else '') + (digits or '0')";
        "binary_repr" &[("num", NEED), ("width", NONE)], 0, "\
bits = format(num if num >= 0 or width is None else num + 2 ** width, 'b')
bits if width is None else bits.zfill(width)";
        "blackman" WINDOW, 0, window!("0.42 + 0.5 * (math.pi * at / (M - 1)).cos() + 0.08 * (2.0 * math.pi * at / (M - 1)).cos()");
        "block" &[("arrays", NEED)], 0, "\
import numpy
def depth(part):
    return 1 + depth(part[0]) if isinstance(part, list) else 0
def joined(part, axis):
    if not isinstance(part, list):
        return torch.from_numpy(numpy.asarray(part))
    parts = [joined(each, axis - 1) for each in part]
    dims = max([axis] + [each.dim() for each in parts])
    parts = [each.reshape([1] * (dims - each.dim()) + list(each.shape)) for each in parts]
    return torch.cat(parts, -axis)
joined(arrays, depth(arrays))";
        "broadcast_shapes" &[("shapes", Unless::Rest)], 0, "tuple(torch.broadcast_shapes(*shapes))";
        "cbrt" A, 1, floats!("\
root = a.abs() ** (1 / 3)
# One of Newton's steps takes the power's rounding away.
a.sign() * torch.where(root == 0, 0, root - (root * root * root - a.abs()) / (3 * root * root))");
        "choose" &[("a", NEED), ("choices", NEED)], 1, "\
import numpy
several = torch.broadcast_tensors(a, *[torch.from_numpy(numpy.asarray(each)) for each in choices])
torch.stack(several[1:]).gather(0, several[0].unsqueeze(0)).squeeze(0)";
        "compress" &[("condition", NEED), ("a", NEED), ("axis", NONE)], 2, "\
kept = condition.nonzero().flatten()
a.flatten()[kept] if axis is None else a.index_select(axis, kept)";
        "correlate" &[("a", NEED), ("v", NEED), ("mode", Unless::Str("valid"))], 2, "\
import numpy
numpy.convolve(a.numpy(), v.conj().flip(0).numpy(), mode)";
        "cumulative_prod" ALONG, 1, "a.cumprod(0 if axis is None else axis)";
        "cumulative_sum" ALONG, 1, "a.cumsum(0 if axis is None else axis)";
        "diag_indices_from" A, 1, "(torch.arange(a.size(0)),) * a.dim()";
        "diagflat" FROM, 1, "torch.diagflat(a, k)";
        "divmod" TWO, 2, "p, q = a.numpy(), b.numpy()\n(p // q, p % q)";
        "dsplit" TWO, 1, "list(a.dsplit(b))";
        "extract" &[("condition", NEED), ("a", NEED)], 2, "a.flatten()[condition.flatten().nonzero().flatten()]";
        "frombuffer" &[("buffer", NEED), ("dtype", NONE)], 0, "\
import numpy
torch.frombuffer(bytearray(buffer), dtype=torch.from_numpy(numpy.zeros(0, dtype=float if dtype is None else dtype)).dtype)";
        "fromfunction" &[("function", NEED), ("shape", NEED), ("dtype", NONE)], 0, "\
import numpy
lines = [numpy.arange(n).astype(float if dtype is None else dtype) for n in shape]
function(*numpy.meshgrid(*lines, indexing='ij'))";
        "fromiter" &[("iter", NEED), ("dtype", NEED)], 0, "import numpy\nnumpy.array(list(iter), dtype=dtype)";
        "hamming" WINDOW, 0, window!("0.54 + 0.46 * (math.pi * at / (M - 1)).cos()");
        "hanning" WINDOW, 0, window!("0.5 + 0.5 * (math.pi * at / (M - 1)).cos()");
        "histogram2d" &[("x", NEED), ("y", NEED), ("bins", Unless::Int(10))], 2, "\
found = torch.histogramdd(torch.stack((x.double(), y.double()), 1), [bins, bins] if isinstance(bins, int) else list(bins))
(found[0], *found[1])";
        "i0" A, 1, floats!("torch.i0(a)");
        "iscomplex" A, 1, "a.imag != 0 if a.is_complex() else torch.zeros_like(a, dtype=torch.bool)";
        "isrealobj" A, 1, "not a.is_complex()";
        "kaiser" &[("M", NEED), ("beta", NEED)], 0, "\
at = torch.arange(M, dtype=torch.float64)
half = (M - 1) / 2
torch.ones(1, dtype=torch.float64) if M == 1 else torch.i0(beta * (1 - ((at - half) / half) ** 2).sqrt()) / torch.i0(torch.tensor(float(beta), dtype=torch.float64))";
        "lexsort" &[("keys", NEED)], 0, "\
import numpy
columns = [torch.from_numpy(numpy.asarray(key)) for key in keys]
order = torch.arange(columns[0].numel())
for column in columns:
    order = order[column[order].argsort(stable=True)]
order";
        "matrix_transpose" A, 1, "a.mT";
        "modf" A, 1, floats!("(a - a.trunc(), a.trunc())");
        "nanargmax" ALONG, 1, "a.nan_to_num(-math.inf, math.inf, -math.inf).argmax(axis)";
        "nanargmin" ALONG, 1, "a.nan_to_num(math.inf, math.inf, -math.inf).argmin(axis)";
        "nancumprod" ALONG, 1, "a = torch.where(a.isnan(), 1, a)\na.flatten().cumprod(0) if axis is None else a.cumprod(axis)";
        "nancumsum" ALONG, 1, "a = torch.where(a.isnan(), 0, a)\na.flatten().cumsum(0) if axis is None else a.cumsum(axis)";
        "nanpercentile" &[("a", NEED), ("q", NEED), ("axis", NONE)], 1, floats!("\
q = torch.as_tensor(q, dtype=a.dtype) / 100
a.flatten().nanquantile(q) if axis is None else a.nanquantile(q, axis)");
        "nanprod" ALONG, 1, "a = torch.where(a.isnan(), 1, a)\na.prod() if axis is None else a.prod(axis)";
        "nanquantile" &[("a", NEED), ("q", NEED), ("axis", NONE)], 1, floats!("\
q = torch.as_tensor(q, dtype=a.dtype)
a.flatten().nanquantile(q) if axis is None else a.nanquantile(q, axis)");
        "nanvar" super::SPREAD, 1, over!("((a - a.nanmean(dims, True)) ** 2).nanmean(dims, keepdims)");
        "partition" KTH, 1, "a.sort(axis)[0]";
        "permute_dims" AXES, 1, "a.permute(*range(a.dim() - 1, -1, -1)) if axes is None else a.permute(axes)";
        "place" &[("a", NEED), ("mask", NEED), ("vals", NEED)], 3, "\
where = mask.flatten().nonzero().flatten()
a.view(-1)[where] = vals.flatten().repeat(where.numel())[:where.numel()].to(a.dtype)
None";
        "poly" A, 1, floats!("\
found = torch.ones(1, dtype=a.dtype)
for root in a.flatten():
    found = torch.nn.functional.pad(found, (0, 1)) - root * torch.nn.functional.pad(found, (1, 0))
found");
        "polyadd" TWO, 2, "\
long = max(a.numel(), b.numel())
torch.nn.functional.pad(a, (long - a.numel(), 0)) + torch.nn.functional.pad(b, (long - b.numel(), 0))";
        "polyder" A, 1, "a[:-1] * torch.arange(a.numel() - 1, 0, -1)";
        "polyfit" &[("x", NEED), ("y", NEED), ("deg", NEED)], 2, "\
powers = torch.vander(x.double(), deg + 1)
scale = (powers * powers).sum(0).sqrt()
found = torch.linalg.lstsq(powers / scale, y.double() if y.dim() > 1 else y.double().unsqueeze(1), driver='gelsd').solution
(found.squeeze(1) if y.dim() == 1 else found.T).div(scale) if y.dim() == 1 else found / scale.unsqueeze(1)";
        "polyint" A, 1, "torch.cat((a / torch.arange(a.numel(), 0, -1), torch.zeros(1, dtype=torch.float64)))";
        "polymul" TWO, 2, "import numpy\nnumpy.convolve(a.numpy(), b.numpy())";
        "polysub" TWO, 2, "import numpy\nnumpy.polyadd(a.numpy(), -b.numpy())";
        "put" &[("a", NEED), ("ind", NEED), ("v", NEED)], 3, "\
places = ind.flatten()
a.view(-1)[places] = v.flatten().repeat(places.numel())[:places.numel()].to(a.dtype)
None";
        "put_along_axis" &[("a", NEED), ("indices", NEED), ("values", NEED), ("axis", NEED)], 3, "\
a.scatter_(axis, indices, values.to(a.dtype).expand(indices.shape))
None";
        "putmask" &[("a", NEED), ("mask", NEED), ("values", NEED)], 3, "\
at = mask.flatten().nonzero().flatten()
a.view(-1)[at] = values.flatten()[at % values.numel()].to(a.dtype)
None";
        "ravel_multi_index" &[("multi_index", NEED), ("dims", NEED)], 0, "\
import numpy
found = 0
for places, size in zip(multi_index, dims):
    found = found * size + torch.from_numpy(numpy.asarray(places))
found";
        "resize" &[("a", NEED), ("new_shape", NEED)], 1, "\
sizes = [new_shape] if isinstance(new_shape, int) else list(new_shape)
a.flatten().repeat(math.prod(sizes) // max(a.numel(), 1) + 1)[:math.prod(sizes)].reshape(sizes)";
        "roots" A, 1, "\
import numpy
places = a.nonzero().flatten()
left = a[int(places[0]):int(places[-1]) + 1].double()
companion = torch.diag(torch.ones(max(left.numel() - 2, 0), dtype=torch.float64), -1)
companion[:1] = -left[1:] / left[0]
found = numpy.linalg.eigvals(companion.numpy()) if left.numel() > 1 else numpy.array([])
numpy.concatenate([found, numpy.zeros(a.numel() - 1 - int(places[-1]))])";
        "row_stack" &[("a", NEED)], 0, "import numpy\nnumpy.vstack(a)";
        "select" &[("condlist", NEED), ("choicelist", NEED), ("default", Unless::Int(0))], 0, "\
import numpy
found = torch.from_numpy(numpy.asarray(default))
for chosen, values in reversed(list(zip(condlist, choicelist))):
    found = torch.where(torch.from_numpy(numpy.asarray(chosen)), torch.from_numpy(numpy.asarray(values)), found)
found";
        "setxor1d" TWO, 2, "\
both = torch.cat((a.unique(), b.unique()))
values, counts = both.unique(return_counts=True)
values[counts == 1]";
        "spacing" A, 1, floats!("torch.nextafter(a.abs(), torch.tensor(math.inf, dtype=a.dtype)) - a.abs()");
        "tril_indices_from" FROM, 1, "tuple(torch.tril_indices(a.size(0), a.size(1), k))";
        "trim_zeros" &[("filt", NEED), ("trim", Unless::Str("fb"))], 0, "\
kept = [i for i, value in enumerate(filt) if value != 0]
first = 0 if 'f' not in trim.lower() else kept[0] if kept else len(filt)
last = len(filt) if 'b' not in trim.lower() or not kept else kept[-1] + 1
filt[first:last]";
        "triu_indices_from" FROM, 1, "tuple(torch.triu_indices(a.size(0), a.size(1), k))";
        "unstack" &[("a", NEED), ("axis", Unless::Int(0))], 1, "tuple(a.unbind(axis))";
        "unwrap" ALONG_LAST, 1, floats!("\
turn = 2 * math.pi
steps = a.diff(dim=axis)
back = (steps + math.pi) % turn - math.pi
back = torch.where((back == -math.pi) & (steps > 0), math.pi, back)
moved = torch.where(steps.abs() < math.pi, 0, back - steps).cumsum(axis)
torch.cat((a.narrow(axis, 0, 1), a.narrow(axis, 1, a.size(axis) - 1) + moved), axis)");
        "vecdot" TWO, 2, "(a.conj() * b).sum(-1)";
        "vectorize" &[("pyfunc", NEED), ("otypes", NONE)], 0, "\
import numpy
def call(*given):
    arrays = torch.broadcast_tensors(*[torch.from_numpy(numpy.asarray(each)) for each in given])
    made = [pyfunc(*each) for each in zip(*[each.numpy().ravel() for each in arrays])]
    return numpy.array(made).reshape(tuple(arrays[0].shape))
call";
    },
};

/// The functions of `numpy.fft`.
pub static FFT: Table = Table {
    owner: "numpy.fft",
    rows: written! {
        "fft" LINE, 1, transform!(line "fft");
        "fft2" PLANE, 1, transform!(plane "fft2");
        "fftfreq" STEPS, 0, "torch.fft.fftfreq(n, d, dtype=torch.float64)";
        "fftn" PLANE, 1, transform!(all "fftn");
        "fftshift" AXES, 1, "torch.fft.fftshift(a, axes)";
        "hfft" LINE, 1, transform!(line "hfft");
        "ifft" LINE, 1, transform!(line "ifft");
        "ifft2" PLANE, 1, transform!(plane "ifft2");
        "ifftn" PLANE, 1, transform!(all "ifftn");
        "ifftshift" AXES, 1, "torch.fft.ifftshift(a, axes)";
        "ihfft" LINE, 1, transform!(line "ihfft");
        "irfft" LINE, 1, transform!(line "irfft");
        "irfft2" PLANE, 1, transform!(plane "irfft2");
        "irfftn" PLANE, 1, transform!(all "irfftn");
        "rfft" LINE, 1, transform!(line "rfft");
        "rfft2" PLANE, 1, transform!(plane "rfft2");
        "rfftfreq" STEPS, 0, "torch.fft.rfftfreq(n, d, dtype=torch.float64)";
        "rfftn" PLANE, 1, transform!(all "rfftn");
    },
};

/// What is set about errors of numbers is not heeded: no warning is given anyway.
pub static SETTINGS: Table = Table {
    owner: "numpy",
    rows: written! {
        "errstate" &[("all", NONE), ("divide", NONE), ("over", NONE), ("under", NONE), ("invalid", NONE)], 0, "\
import contextlib
contextlib.nullcontext()";
        "geterr" &[], 0, "{'divide': 'warn', 'over': 'warn', 'under': 'ignore', 'invalid': 'warn'}";
        "seterr" &[("all", NONE), ("divide", NONE), ("over", NONE), ("under", NONE), ("invalid", NONE)], 0, "\
    {'divide': 'warn', 'over': 'warn', 'under': 'ignore', 'invalid': 'warn'}";
    },
};
