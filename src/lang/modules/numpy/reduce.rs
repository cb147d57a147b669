//! The arguments of numpy's reductions: an axis or several, `keepdims`, and which elements count.

use super::array::unwrap;
use super::dtypes::dtype_of;
use super::failures::of_axis;
use crate::lang::operators::truth;
use crate::tensor::Tensor;
use crate::value::{CallArgs, Machine, Outcome, Value, number_eq};
use std::rc::Rc;

/// A reduction: its parameters after the array, and how many of them may be given by place.
struct Reduction {
    name: &'static str,
    parameters: &'static [&'static str],
    places: usize,
    /// What messages of the method call it.
    title: &'static str,
}

const fn reduction(name: &'static str, parameters: &'static [&'static str], places: usize, title: &'static str) -> Reduction {
    Reduction { name, parameters, places, title }
}

const REDUCTIONS: &[Reduction] = &[
    reduction("all", &["axis", "out", "keepdims", "where"], 3, "_all"),
    reduction("any", &["axis", "out", "keepdims", "where"], 3, "_any"),
    reduction("argmax", &["axis", "out", "keepdims"], 2, "argmax"),
    reduction("argmin", &["axis", "out", "keepdims"], 2, "argmin"),
    reduction("max", &["axis", "out", "keepdims", "initial", "where"], 5, "_amax"),
    reduction("mean", &["axis", "dtype", "out", "keepdims", "where"], 4, "_mean"),
    reduction("min", &["axis", "out", "keepdims", "initial", "where"], 5, "_amin"),
    reduction("prod", &["axis", "dtype", "out", "keepdims", "initial", "where"], 6, "_prod"),
    reduction("std", &["axis", "dtype", "out", "ddof", "keepdims", "where"], 5, "_std"),
    reduction("sum", &["axis", "dtype", "out", "keepdims", "initial", "where"], 6, "_sum"),
    reduction("var", &["axis", "dtype", "out", "ddof", "keepdims", "where"], 5, "_var"),
];

/// Parameters that the reduction of a tensor does not know.
const OWN: &[&str] = &["initial", "where"];

/// What is left to do after the arguments of a reduction were read.
pub(super) enum Read {
    /// It is done.
    Done(Value),
    /// The tensor's reduction takes these.
    Left(CallArgs),
}

/// Reads the arguments of a reduction as numpy does. `method` says that it was called as one.
pub(super) fn read(machine: &mut dyn Machine, name: &str, array: &Tensor, args: CallArgs, method: bool) -> Outcome<Read> {
    let Some(reduction) = REDUCTIONS.iter().find(|known| known.name == name) else { return Ok(Read::Left(args)) };
    let title = if method { reduction.title } else { reduction.name };
    let (given, places) = (args.positional.len(), reduction.places);
    if given > places {
        fault!(TypeError, "{title}() takes from 1 to {} positional arguments but {} were given", places + 1, given + 1);
    }
    let mut named: Vec<(Rc<str>, Value)> = reduction.parameters.iter().map(|own| Rc::from(*own)).zip(args.positional).collect();
    for (own, value) in args.keyword {
        if !reduction.parameters.contains(&&*own) {
            fault!(TypeError, "{title}() got an unexpected keyword argument '{own}'");
        }
        named.push((own, value));
    }
    named.retain(|(_, value)| !matches!(value, Value::None));
    for (_, kind) in named.iter_mut().filter(|(own, _)| &**own == "dtype") {
        *kind = dtype_of(kind)?.map_or(Value::None, Value::DType);
    }
    if named.iter().any(|(own, _)| OWN.contains(&&**own)) {
        return some(machine, name, array, named).map(Read::Done);
    }
    let get = |name: &str| named.iter().find(|(own, _)| &**own == name).map(|(_, value)| value);
    let axis = get("axis");
    check_axis(axis, name.starts_with("arg"))?;
    let (keeps, axis) = (get("keepdims").map_or(Ok(false), truth)?, axis.cloned());
    for (_, value) in named.iter_mut().filter(|(own, _)| &**own == "keepdims") {
        *value = Value::Bool(keeps);
    }
    // Every dimension is kept by name.
    if axis.is_none() && keeps {
        let dims: Vec<Value> = (0..array.ndim() as i64).map(Value::Int).collect();
        let names = [("a", Value::Tensor(array.clone())), ("name", name.into()), ("dims", Value::tuple(dims))];
        let text = "\
import numpy
numpy.asarray(getattr(numpy.asarray(a), name)()).reshape((1,) * len(dims))";
        return Ok(Read::Done(machine.eval_code(text, &names)?));
    }
    Ok(Read::Left(CallArgs { positional: vec![], keyword: named }))
}

/// Fails for an axis that is no whole number and, where one alone will do, for several.
fn check_axis(axis: Option<&Value>, one: bool) -> Outcome<()> {
    match axis {
        Some(Value::Tuple(axes)) if !one => {
            let twice =
                |(place, axis): (usize, &Value)| axes.iter().take(place).any(|before| number_eq(before, axis) == Some(true));
            if axes.iter().enumerate().any(twice) {
                fault!(ValueError, "duplicate value in 'axis'");
            }
            axes.iter().try_for_each(|axis| check_axis(Some(axis), true))
        }
        Some(other @ (Value::Str(_) | Value::Float(_) | Value::List(_) | Value::Tuple(_))) => {
            fault!(TypeError, "'{}' object cannot be interpreted as an integer", other.type_name())
        }
        _ => Ok(()),
    }
}

/// The reduction of some elements, or one that begins with a number.
fn some(machine: &mut dyn Machine, name: &str, array: &Tensor, named: Vec<(Rc<str>, Value)>) -> Outcome {
    let get = |name: &str| named.iter().find(|(own, _)| &**own == name).map_or(Value::None, |(_, value)| unwrap(value));
    let names = [
        ("a", Value::Tensor(array.clone())),
        ("name", name.into()),
        ("axis", get("axis")),
        ("keepdims", get("keepdims")),
        ("initial", get("initial")),
        ("where", get("where")),
        ("ddof", get("ddof")),
        ("dtype", get("dtype")),
    ];
    let text = "\
import numpy
x = a if dtype is None else a.to(dtype)
dims = tuple(range(x.dim())) if axis is None else axis
held = torch.ones_like(x, dtype=torch.bool) if where is None else torch.as_tensor(where).expand(x.shape)
if name in ('max', 'min') and initial is None:
    title = {'max': 'maximum', 'min': 'minimum'}[name]
    raise ValueError(\"reduction operation '\" + title + \"' does not have an identity, so to use a where mask one has to specify 'initial'\")
counts = held.sum(dims, keepdim=bool(keepdims))
if name == 'sum':
    found = torch.where(held, x, torch.zeros_like(x)).sum(dims, keepdim=bool(keepdims)) + (initial or 0)
elif name == 'mean':
    found = torch.where(held, x, torch.zeros_like(x)).double().sum(dims, keepdim=bool(keepdims)) / counts
elif name in ('std', 'var'):
    each = torch.where(held, x, torch.zeros_like(x)).double()
    middle = each.sum(dims, keepdim=True) / held.sum(dims, keepdim=True)
    off = torch.where(held, each - middle, torch.zeros_like(each)) ** 2
    found = off.sum(dims, keepdim=bool(keepdims)) / (counts - (ddof or 0))
    found = found.sqrt() if name == 'std' else found
elif name == 'all':
    found = (~held | x.bool()).all(dims, keepdim=bool(keepdims))
elif name == 'any':
    found = (held & x.bool()).any(dims, keepdim=bool(keepdims))
elif name == 'prod':
    found = torch.where(held, x, torch.ones_like(x))
    for dim in sorted((d % x.dim() for d in ((dims,) if isinstance(dims, int) else dims)), reverse=True):
        found = found.prod(dim, keepdim=bool(keepdims))
    found = found * (1 if initial is None else initial)
else:
    start = torch.as_tensor(initial).to(torch.result_type(x, initial))
    found = torch.where(held, x, start)
    found = found.amax(dims, bool(keepdims)).clamp(min=start) if name == 'max' else found.amin(dims, bool(keepdims)).clamp(max=start)
found if dtype is None or found.dtype == dtype or name not in ('mean', 'std', 'var') else found.to(dtype)";
    super::array::wrap(machine.eval_code(text, &names).map_err(of_axis)?)
}
