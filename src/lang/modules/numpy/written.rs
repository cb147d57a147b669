//! numpy's functions that are texts of the language: their arrays come as tensors, and tensors they give are arrays again.

use super::array::{from_data, unwrap, wrap};
use crate::lang::library::construct::{self, Settings, Unless};
use crate::lang::types::call::{Call, Table, Takes, row};
use crate::value::{CallArgs, Outcome, Value};

const NEED: Unless = Unless::Required;
const NONE: Unless = Unless::None;
const A: Settings = &[("a", NEED)];
const ALONG: Settings = &[("a", NEED), ("axis", NONE)];
const ALONG_LAST: Settings = &[("a", NEED), ("axis", Unless::Int(-1))];
const TWO: Settings = &[("a", NEED), ("b", NEED)];
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

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "numpy",
    rows: written! {
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
    torch.bincount(a, None if weights is None else torch.as_tensor(weights, dtype=torch.float64), minlength)";
        "broadcast_to" &[("a", NEED), ("shape", NEED)], 1, "a.expand(shape)";
        "column_stack" &[("a", NEED)], 0, "torch.column_stack([torch.as_tensor(each) for each in a])";
        "copy" A, 1, "a.clone()";
        "corrcoef" A, 1, floats!("torch.corrcoef(a)");
        "count_nonzero" ALONG, 1, "torch.count_nonzero(a) if axis is None else torch.count_nonzero(a, axis)";
        "cov" A, 1, floats!("torch.cov(a)");
        "diagonal" A, 1, "a.diagonal()";
        "diff" &[("a", NEED), ("n", Unless::Int(1)), ("axis", Unless::Int(-1))], 1, "a.diff(n, axis)";
        "dstack" &[("a", NEED)], 0, "torch.dstack([torch.as_tensor(each) for each in a])";
        "einsum" &[("formula", NEED), ("operands", Unless::Rest)], 0, "torch.einsum(formula, *operands)";
        "empty_like" A, 1, "torch.zeros_like(a)";
        "flatnonzero" A, 1, "a.flatten().nonzero().flatten()";
        "fliplr" A, 1, "a.flip(1)";
        "flipud" A, 1, "a.flip(0)";
        "full_like" &[("a", NEED), ("fill_value", NEED)], 1, "torch.full_like(a, fill_value)";
        "gradient" A, 1, floats!("torch.gradient(a)[0]");
        "identity" &[("n", NEED)], 0, "torch.eye(n, dtype=torch.float64)";
        "inner" TWO, 2, "torch.inner(a, b)";
        "iscomplexobj" A, 1, "a.is_complex()";
        "isin" TWO, 2, "torch.isin(a, b)";
        "logspace" &[("start", NEED), ("stop", NEED), ("num", Unless::Int(50)), ("endpoint", Unless::Bool(true)), ("base", Unless::Float(10.0))], 0, "\
    torch.logspace(start, stop, num, base, dtype=torch.float64)";
        "median" ALONG, 1, floats!("a.flatten().quantile(0.5) if axis is None else a.quantile(0.5, axis)");
        "moveaxis" &[("a", NEED), ("source", NEED), ("destination", NEED)], 1, "a.movedim(source, destination)";
        "nan_to_num" &[("a", NEED), ("copy", Unless::Bool(true)), ("nan", Unless::Float(0.0)), ("posinf", NONE), ("neginf", NONE)], 1, "\
    a.nan_to_num(nan, posinf, neginf)";
        "nanmax" ALONG, 1, over!("a.nan_to_num(-math.inf, math.inf, -math.inf).amax(dims)");
        "nanmean" ALONG, 1, over!("a.nanmean(dims)");
        "nanmin" ALONG, 1, over!("a.nan_to_num(math.inf, math.inf, -math.inf).amin(dims)");
        "nanstd" SPREAD, 1, over!("((a - a.nanmean(dims, True)) ** 2).nanmean(dims, keepdims).sqrt()");
        "nansum" ALONG, 1, over!("a.nansum(dims)");
        "ndim" A, 1, "a.dim()";
        "nonzero" A, 1, "a.nonzero(as_tuple=True)";
        "outer" TWO, 2, "a.flatten().unsqueeze(1) * b.flatten()";
        "percentile" &[("a", NEED), ("q", NEED), ("axis", NONE)], 1, floats!("\
q = torch.as_tensor(q, dtype=a.dtype) / 100
a.flatten().quantile(q) if axis is None else a.quantile(q, axis)");
        "ptp" ALONG, 1, over!("a.amax(dims) - a.amin(dims)");
        "quantile" &[("a", NEED), ("q", NEED), ("axis", NONE)], 1, floats!("\
q = torch.as_tensor(q, dtype=a.dtype)
a.flatten().quantile(q) if axis is None else a.quantile(q, axis)");
        "repeat" &[("a", NEED), ("repeats", NEED), ("axis", NONE)], 1, "\
counts = repeats if isinstance(repeats, int) else torch.as_tensor(repeats)
(a.flatten() if axis is None else a).repeat_interleave(counts, dim=axis or 0)";
        "roll" &[("a", NEED), ("shift", NEED), ("axis", NONE)], 1, "a.roll(shift) if axis is None else a.roll(shift, axis)";
        "rot90" &[("a", NEED), ("k", Unless::Int(1))], 1, "a.rot90(k)";
        "searchsorted" &[("a", NEED), ("v", NEED), ("side", Unless::Str("left"))], 2, "torch.searchsorted(a, v, right=side == 'right')";
        "shape" A, 1, "tuple(a.shape)";
        "shares_memory" TWO, 2, "a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()";
        "size" ALONG, 1, "a.numel() if axis is None else a.size(axis)";
        "split" PARTS, 1, "\
if isinstance(n, int) and a.size(axis) % n:
    raise ValueError('array split does not result in an equal division')
list(a.tensor_split(n, axis))";
        "swapaxes" &[("a", NEED), ("first", NEED), ("second", NEED)], 1, "a.swapaxes(first, second)";
        "take" &[("a", NEED), ("indices", NEED), ("axis", NONE)], 1, "\
places = torch.as_tensor(indices)
found = (a.flatten() if axis is None else a).index_select(axis or 0, places.flatten())
found.reshape(places.shape) if axis is None else found if places.dim() else found.squeeze(axis)";
        "take_along_axis" &[("a", NEED), ("indices", NEED), ("axis", NEED)], 2, "torch.take_along_dim(a, indices, axis)";
        "tensordot" &[("a", NEED), ("b", NEED), ("axes", Unless::Int(2))], 2, "torch.tensordot(a, b, axes)";
        "trace" A, 1, "a.diagonal().sum()";
        "trapezoid" ALONG_LAST, 1, floats!("torch.trapezoid(a, dim=axis)");
        "vander" &[("a", NEED), ("n", NONE), ("increasing", Unless::Bool(false))], 1, "torch.vander(a, n, increasing)";
        "vdot" TWO, 2, "(a.flatten().conj() * b.flatten()).sum()";
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

/// The value of a text; the first `arrays` of its arguments are arrays, whatever stands for them.
fn run(c: &mut Call<'_>, name: &str, takes: Settings, arrays: usize, text: &'static str) -> Outcome {
    let args = CallArgs { positional: c.args(), keyword: std::mem::take(&mut c.keyword) };
    let mut names = construct::bind(&format!("{name}()"), takes, args)?;
    for (place, (_, value)) in names.iter_mut().enumerate() {
        if place < arrays {
            *value = from_data(c.machine, value, None, false)?;
        }
        *value = each(value, &mut |value| Ok(unwrap(value)))?;
    }
    let found = c.machine.eval_code(text, &names)?;
    each(&found, &mut |value| wrap(value.clone()))
}

/// What becomes of a value, or of each in a list or a tuple.
fn each(value: &Value, change: &mut dyn FnMut(&Value) -> Outcome) -> Outcome {
    Ok(match value {
        Value::List(items) => Value::list(items.borrow().iter().map(|item| each(item, change)).collect::<Outcome<_>>()?),
        Value::Tuple(items) => Value::tuple(items.iter().map(|item| each(item, change)).collect::<Outcome<_>>()?),
        other => change(other)?,
    })
}
