//! From the arguments of a call to the arguments of a row: places, names, defaults, conversions, and what is wrong with them.

use super::args::{Args, Values};
use super::schema::{Base, Default, Kind, Param, Schema};
use super::{Op, OpSet, VARIADIC, former, misfit};
use crate::device::DeviceId;
use crate::dtype::{DType, Number};
use crate::layout::Dims;
use crate::tensor::Tensor;
use crate::value::{CallRef, Class, Device, Value};
use anyhow::Result;
use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;
use smallvec::SmallVec;
use std::rc::Rc;

/// NumPy's and older PyTorch's names for parameters, with ours. Functions that are written in Python know but the first.
const SYNONYMS: &[(&str, &str)] =
    &[("input", "self"), ("axis", "dim"), ("keepdims", "keepdim"), ("x", "self"), ("a", "self"), ("x1", "self"), ("x2", "other")];

/// Names that `split` has for its parameters as a function and as a method.
const OF_SPLIT: &[(&str, &str, bool)] =
    &[("tensor", "self", false), ("split_size_or_sections", "split_size", false), ("split_size", "split_size", true)];

/// What is said of an int of more than 64 bits where one is wanted.
pub(super) const TOO_WIDE: &str = "Overflow when unpacking long long";

/// What PyTorch says of a truth value in a tensor that it took for an int at first.
const TRUTH_FOR_INT: &str = "scalar.isIntegral( false) INTERNAL ASSERT FAILED at \"/__w/pytorch/pytorch/torch/csrc/utils/pybind.cpp\":27, please report a bug to PyTorch.";

/// The same, of one among several ints.
const TRUTH_AMONG_INTS: &str = "Expected scalar.isIntegral( false) to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)";

/// Operations that take numbers alone, as if they were tensors without dimensions.
const OF_NUMBERS: &[&str] = &["add", "sub", "mul", "div", "floor_divide", "linspace", "logspace", "result_type"];

/// Functions that take a number wherever a tensor may stand, as `out`, too.
const NUMBERS_AS_TENSORS: &[&str] =
    &["add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide", "floor_divide"];

/// Functions of a number and a tensor that have no overload for them that writes its result.
#[rustfmt::skip] // in few lines
const WRITES_TENSORS: &[&str] = &[
    "remainder", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "bucketize",
];

/// The first row of the set that takes the arguments, with them bound.
///
/// `method` is true for `x.f(…)`, whose first argument is `x`. Fails with a `TypeError` that names the argument when the set has
/// one row, and lists the rows when it has several.
pub fn bind(set: &'static OpSet, method: bool, args: CallRef) -> Result<Args> {
    if let Some(bound) = first_that_takes(set, method, args)? {
        return Ok(bound);
    }
    let args = args.to_args();
    match former::bind(set, method, &args)? {
        Some(bound) => Ok(bound),
        None => fault!(TypeError, "{}", misfit::sentence(set, method, &args)?),
    }
}

/// The first row of the set that takes the arguments as they are, with them bound; none when no row does.
#[inline(always)]
pub(super) fn first_that_takes(set: &'static OpSet, method: bool, args: CallRef) -> Result<Option<Args>> {
    let mut values = Values::new();
    for &op in &set.rows {
        let mut out = Value::None;
        if bind_row(op, set, method, args, &mut values, &mut out)? {
            return Ok(Some(Args { op, values, out, inplace: set.inplace }));
        }
        values.clear();
    }
    Ok(None)
}

/// Writes the arguments into `values`, which is empty, and into `out` as the row takes them; false when it does not.
fn bind_row(op: &Op, set: &OpSet, method: bool, call: CallRef, values: &mut Values, out: &mut Value) -> Result<bool> {
    let schema = op.schema()?;
    let (positional, list) = match gather(op, schema, method, call) {
        Some(list) => (&call.positional[..schema.places - 1], Some(list)),
        None => (call.positional, None),
    };
    if positional.len() > schema.places {
        return Ok(false);
    }
    let mut unheld = None;
    for (param, value) in schema.params.iter().zip(positional) {
        match held(fit(op, value, param), &mut unheld) {
            Some(value) => values.push(value),
            None => return Ok(false),
        }
    }
    if let Some(list) = list {
        match held(fit(op, &list, &schema.params[positional.len()]), &mut unheld) {
            Some(list) => values.push(list),
            None => return Ok(false),
        }
    }
    if call.keyword.is_empty() {
        if values.len() < schema.required {
            return Ok(false);
        }
        for param in schema.params.iter().skip(values.len()) {
            values.push(param.default.as_ref().map_or(Value::None, default_value));
        }
    } else if !bind_named(op, set, method, call, (values, out), &mut unheld)? {
        return Ok(false);
    }
    if schema.has_bounds {
        level_bounds(schema, values)?;
        if mixes_bounds(schema, values) {
            return Ok(false);
        }
    }
    let lacks = schema.begins_with_operand && (lacks_tensor(op, schema, values) || lacks_overload(set, values, call));
    if lacks || !fits_out(schema, out)? {
        return Ok(false);
    }
    unheld.map_or(Ok(true), Err)
}

/// What was made of an argument. What is of the type that is wanted and cannot be held stands as None: the error about the first
/// such argument is kept, and is told when the row takes all the others.
#[inline(always)]
fn held(fitted: Result<Option<Value>>, unheld: &mut Option<anyhow::Error>) -> Option<Value> {
    match fitted {
        Ok(value) => value,
        Err(error) => {
            unheld.get_or_insert(error);
            Some(Value::None)
        }
    }
}

/// Binds the arguments that come by name, and the defaults of what does not come at all; false when the row does not take them.
fn bind_named(
    op: &Op,
    set: &OpSet,
    method: bool,
    call: CallRef,
    (values, out): (&mut Values, &mut Value),
    unheld: &mut Option<anyhow::Error>,
) -> Result<bool> {
    let schema = op.schema()?;
    let mut named: SmallVec<[Option<&Value>; 8]> = SmallVec::from_elem(None, schema.params.len());
    for (name, value) in call.keyword {
        match named_place(set, schema, method, (name, value)) {
            Some(place) if place < values.len() || named[place].is_some() => return Ok(false),
            Some(place) => named[place] = Some(value),
            None if &**name == "out" && op.takes_out() && !method && !set.inplace => *out = as_target(set, value)?,
            None => return Ok(false),
        }
    }
    for (param, given) in schema.params.iter().zip(named).skip(values.len()) {
        let value = match (given, &param.default) {
            (Some(value), _) => held(fit(op, value, param), unheld),
            (None, default) => default.as_ref().map(default_value),
        };
        match value {
            Some(value) => values.push(value),
            None => return Ok(false),
        }
    }
    Ok(true)
}

/// Where the parameter stands that a call gives by name; none when there is none of this name for such a value.
fn named_place(set: &OpSet, schema: &Schema, method: bool, (name, value): (&str, &Value)) -> Option<usize> {
    if misfit::BY_PLACE_ALONE.contains(&set.name) {
        return None;
    }
    if set.name == "split" && matches!(name, "input" | "tensor" | "split_size" | "split_size_or_sections") {
        let (_, own, _) = OF_SPLIT.iter().find(|(known, _, of_method)| *known == name && *of_method == method)?;
        return exact_place(&schema.params, own);
    }
    let python = || misfit::is_python(set.name) || method && misfit::is_python_method(set.name);
    let known = || if name != "input" && python() { None } else { place_of(&schema.params, name) };
    let place = exact_place(&schema.params, name).or_else(known)?;
    let param = &schema.params[place];
    let gathered = set.rows.iter().any(|op| op.has(VARIADIC));
    // A tensor in the place of `self` is called `input`, a number `self` where PyTorch has an overload for it.
    let misnamed = param.name == "self" && !method && {
        let number =
            !matches!(value, Value::Tensor(_)) && param.kind.base == Base::Operand && !NUMBERS_AS_TENSORS.contains(&set.name);
        number != (name == "self")
    };
    (!misnamed && (param.keyword_only || !gathered)).then_some(place)
}

/// An argument as its parameter takes it; none when it does not.
#[inline]
fn fit(op: &Op, value: &Value, param: &Param) -> Result<Option<Value>> {
    match value {
        Value::Tensor(t) if t.ndim() > 0 && t.numel() == 1 && takes_any_integer(op, param) && t.dtype().is_integral(false) => {
            Ok(Some(Value::from(super::exec::item(t)?)))
        }
        Value::Tensor(t) if is_truth(t) && takes_any_integer(op, param) => fault!(RuntimeError, "{TRUTH_FOR_INT}"),
        // Python itself looks whether it is to split by one of its own ints.
        Value::Object(_) if op.name() == "split" && param.name == "split_size" && param.kind.list.is_none() => Ok(None),
        Value::Tensor(tensor) if param.kind.takes_tensor() => Ok(Some(Value::Tensor(tensor.clone()))),
        Value::Size(sizes) if param.kind.list.is_some() && param.kind.base == Base::Int => Ok(Some(Value::Size(sizes.clone()))),
        other => convert(other, &param.kind, param.default.as_ref()),
    }
}

/// Symbolic parameters of operations with a row for a tensor in the same place.
const BESIDE_TENSORS: &[(&str, &str)] =
    &[("narrow", "start"), ("repeat_interleave", "repeats"), ("split", "split_size"), ("tensor_split", "sections")];

/// True for a tensor that holds one truth value.
fn is_truth(tensor: &Tensor) -> bool {
    tensor.numel() == 1 && tensor.dtype() == DType::Bool && !tensor.is_sparse()
}

/// True for a parameter that an integer tensor of one element stands for, however many dimensions it has.
pub(super) fn stands_for_int(param: &Param, value: &Value) -> bool {
    let is_one = matches!(value, Value::Tensor(t) if t.numel() == 1 && t.dtype().is_integral(true) && !t.requires_grad());
    is_one && param.kind.symbolic && param.kind.list.is_none()
}

/// True where an integer tensor of one element stands for the number, however many dimensions it has.
fn takes_any_integer(op: &Op, param: &Param) -> bool {
    param.kind.symbolic && param.kind.list.is_none() && !BESIDE_TENSORS.contains(&(op.name(), &param.name))
}

/// What is given as `out`: where numbers stand for tensors, one stands for a tensor of it there, too.
fn as_target(set: &OpSet, value: &Value) -> Result<Value> {
    if matches!(value, Value::Tensor(_)) || !NUMBERS_AS_TENSORS.contains(&set.name) {
        return Ok(value.clone());
    }
    let Some(number) = convert_one(value, Base::Operand)?.and_then(|given| given.as_number()) else { return Ok(value.clone()) };
    Ok(super::exec::number(number, super::exec::number_dtype(number), DeviceId::Cpu)?.into())
}

/// True for what results can be written to: a tensor, or as many in a list or tuple as the operation gives, or None.
fn fits_out(schema: &Schema, value: &Value) -> Result<bool> {
    let results = &schema.returns;
    let (Some(first), false) = (results.first(), matches!(value, Value::None)) else { return Ok(true) };
    if first.kind.base != Base::Tensor {
        return Ok(true);
    }
    if first.kind.list.is_some() {
        return Ok(convert(value, &first.kind, None)?.is_some());
    }
    let several = results.len() > 1;
    let kind = Kind { list: several.then_some(None), ..first.kind };
    let fits = convert(value, &kind, None)?.is_some();
    let count = value.items().filter(|_| fits && several).map_or(results.len(), |items| items.len());
    if count != results.len() {
        fault!(TypeError, "expected tuple of {} elements but got {count}", results.len());
    }
    Ok(fits)
}

/// A bound in a 0-d tensor is a number where the other bound is one.
fn level_bounds(schema: &Schema, values: &mut [Value]) -> Result<()> {
    if !mixes_bounds(schema, values) {
        return Ok(());
    }
    for (param, value) in schema.params.iter().zip(values) {
        if param.kind.base == Base::Operand && matches!(value, Value::Tensor(t) if t.ndim() == 0) {
            let kind = Kind { base: Base::Scalar, ..param.kind };
            if let Some(number) = convert(value, &kind, None)? {
                *value = number;
            }
        }
    }
    Ok(())
}

/// True where one bound is a tensor and the other a number, for which PyTorch has no overload.
fn mixes_bounds(schema: &Schema, values: &[Value]) -> bool {
    let bounds = schema.params.iter().zip(values).filter(|(p, _)| p.kind.base == Base::Operand && p.kind.optional);
    let mut given = bounds.map(|(_, value)| value).filter(|value| !matches!(value, Value::None));
    match (given.next(), given.next()) {
        (Some(low), Some(high)) => matches!(low, Value::Tensor(_)) != matches!(high, Value::Tensor(_)),
        _ => false,
    }
}

/// True for numbers where PyTorch has an overload for a tensor and a number in either order, but none for two numbers.
fn lacks_tensor(op: &Op, schema: &Schema, values: &[Value]) -> bool {
    let mut operands = schema.params.iter().zip(values).filter(|(p, _)| matches!(p.kind.base, Base::Operand | Base::Tensor));
    operands.all(|(p, value)| p.kind.base == Base::Operand && !matches!(value, Value::Tensor(_)))
        && !OF_NUMBERS.contains(&op.name())
}

/// True for a number in front, and an `out`, be it `None`, where PyTorch has no overload for both.
fn lacks_overload(set: &OpSet, values: &[Value], call: CallRef) -> bool {
    let is_number = |value: &Value| !matches!(value, Value::Tensor(_));
    call.keyword.iter().any(|(name, _)| &**name == "out")
        && values.first().is_some_and(is_number)
        && WRITES_TENSORS.contains(&set.name)
}

/// Functions of any number of tensors that may not come as one list.
pub(super) const BY_PLACE: &[&str] = &["block_diag", "broadcast_tensors", "cartesian_prod", "chain_matmul"];

/// `x.view(2, 3)` for `view(self, int[] size)`: several ints are one list when the list is the only positional parameter; so are
/// the arguments of a row that is variadic, which may be none. Gives the list that stands for the last parameter by place.
#[inline]
fn gather(op: &Op, schema: &Schema, method: bool, call: CallRef) -> Option<Value> {
    let before = schema.places.checked_sub(1)?;
    let only = schema.params.get(before)?;
    if only.kind.list.is_none() || !(before == method as usize || op.has(VARIADIC)) {
        return None;
    }
    gather_rest(op, only, call.positional.get(before..)?, call.keyword.is_empty())
}

/// The arguments from the place of the only list on as that list; none when they are not to be gathered.
fn gather_rest(op: &Op, only: &Param, rest: &[Value], all: bool) -> Option<Value> {
    let listed = matches!(rest, [Value::List(_) | Value::Tuple(_)]);
    if listed && BY_PLACE.contains(&op.name()) {
        return Some(Value::tuple(rest.to_vec()));
    }
    // Nothing is a list where the row is variadic; what one int stands for a whole list of is no list of several arguments.
    if (rest.is_empty() && !(all && op.has(VARIADIC))) || (rest.len() > 1 && matches!(only.kind.list, Some(Some(_)))) {
        return None;
    }
    match only.kind.base {
        Base::Int => {
            let ints = to_ints(rest)?;
            let truth = rest.iter().any(|value| matches!(value, Value::Tensor(t) if is_truth(t)));
            Some(if truth { Value::tuple(rest.to_vec()) } else { Value::Size(Rc::new(ints)) })
        }
        Base::Tensor if !rest.iter().all(|value| matches!(value, Value::Tensor(_))) => None,
        _ if !op.has(VARIADIC) => None,
        _ => Some(Value::tuple(rest.to_vec())),
    }
}

fn exact_place(params: &[Param], name: &str) -> Option<usize> {
    params.iter().position(|p| p.name == name)
}

/// Where the parameter of a name stands.
pub(super) fn place_of(params: &[Param], name: &str) -> Option<usize> {
    let find = |name: &str| exact_place(params, name);
    let ours = |to: &str| find(to).or_else(|| find("input").filter(|_| to == "self"));
    find(name).or_else(|| SYNONYMS.iter().filter(|(from, _)| *from == name).find_map(|(_, to)| ours(to)))
}

#[inline(always)]
fn default_value(default: &Default) -> Value {
    match default {
        Default::None => Value::None,
        Default::Bool(b) => Value::Bool(*b),
        Default::Int(i) => Value::Int(*i),
        Default::Float(f) => Value::Float(*f),
        Default::Str(s) => Value::from(s.as_str()),
        Default::Ints(v) => Value::size(v),
    }
}

/// The value as its parameter's type; none when it is of another type.
pub(super) fn convert(value: &Value, kind: &Kind, default: Option<&Default>) -> Result<Option<Value>> {
    if kind.base != Base::Any
        && let Value::Object(object) = value
    {
        if object.class() == Some(Class::NdArray) {
            refuse_array_for_list(object.as_array(), kind)?;
        }
        let stands = kind.symbolic || kind.list.is_some() || object.class() != Some(Class::NdArray);
        match number_of_numpy(value) {
            Some(number) if stands => return convert(&number, kind, default),
            // The ints that an array stands for elsewhere are those of a list.
            Some(_) if kind.base == Base::Int => return Ok(None),
            _ => {}
        }
    }
    if matches!(value, Value::None) {
        // What stands for a memory format that is not given is not `None` to PyTorch.
        let stands = default == Some(&Default::None) && kind.base != Base::MemoryFormat;
        return Ok((kind.optional || stands || kind.base == Base::Any).then_some(Value::None));
    }
    match kind.list {
        Some(n) => convert_list(value, kind, n),
        None => convert_one(value, kind.base),
    }
}

fn convert_one(value: &Value, base: Base) -> Result<Option<Value>> {
    let is_asked = matches!(value, Value::Tensor(t) if t.requires_grad());
    Ok(match base {
        // The gradient of what becomes a number would be lost.
        Base::Int | Base::Float | Base::Scalar if is_asked => None,
        Base::Any => Some(value.clone()),
        Base::Tensor => matches!(value, Value::Tensor(_)).then(|| value.clone()),
        Base::Operand => match value {
            Value::BigInt(n) if value.as_number().is_none() => return Err(too_big(n)),
            Value::Tensor(_) => Some(value.clone()),
            other => other.as_number().is_some().then(|| value.clone()),
        },
        Base::Int if matches!(value, Value::BigInt(_)) => fault!(ValueError, "{TOO_WIDE}"),
        Base::Int => to_int(value).map(Value::Int),
        Base::Float => match value {
            Value::Tensor(t) if t.ndim() == 0 && !t.dtype().is_complex() => Some(Value::Float(super::exec::item(t)?.to_f64())),
            Value::Tensor(t) if t.ndim() == 0 => match super::exec::item(t)?.to_complex() {
                number if number.im == 0.0 => Some(Value::Float(number.re)),
                _ => fault!(RuntimeError, "value cannot be converted to type double without overflow"),
            },
            Value::Complex(_) => None,
            Value::BigInt(n) => match n.to_f64().filter(|f| f.is_finite()) {
                Some(float) => Some(Value::Float(float)),
                None => fault!(OverflowError, "int too large to convert to float"),
            },
            other => other.as_number().map(|n| Value::Float(n.to_f64())),
        },
        Base::Bool => matches!(value, Value::Bool(_)).then(|| value.clone()),
        Base::Scalar => match value {
            Value::Tensor(t) if t.ndim() == 0 => Some(Value::from(super::exec::item(t)?)),
            Value::BigInt(n) if value.as_number().is_none() => return Err(too_big(n)),
            other => other.as_number().map(Value::from),
        },
        Base::Str => matches!(value, Value::Str(_)).then(|| value.clone()),
        Base::DType => to_dtype(value).map(Value::DType),
        Base::Device => to_device(value)?.map(Value::from),
        Base::Layout => (value.class() == Some(Class::Layout)).then(|| value.clone()),
        Base::MemoryFormat => (value.class() == Some(Class::MemoryFormat)).then(|| value.clone()),
        Base::Generator => (value.class() == Some(Class::TorchGenerator)).then(|| value.clone()),
        Base::Storage => matches!(value, Value::Storage(_)).then(|| value.clone()),
    })
}

/// The error for an int that no 64 bits hold where a number of any kind is wanted.
pub(super) fn too_big(n: &BigInt) -> anyhow::Error {
    match n.sign() {
        Sign::Minus => err!(OverflowError, "can't convert negative int to unsigned"),
        _ => err!(OverflowError, "int too big to convert"),
    }
}

fn convert_list(value: &Value, kind: &Kind, size: Option<usize>) -> Result<Option<Value>> {
    let base = kind.base;
    if base == Base::Int {
        // Here a truth value without dimensions is an int, too.
        let truth = match value {
            Value::Tensor(t) if t.ndim() == 0 && t.dtype() == DType::Bool && !t.is_sparse() => {
                Some(super::exec::item(t)?.to_i64())
            }
            _ => None,
        };
        if let (Some(n), Some(one)) = (size, to_int(value).or(truth)) {
            return Ok(Some(Value::size(&vec![one; n])));
        }
        if size.is_some() && matches!(value, Value::BigInt(_)) {
            fault!(ValueError, "{TOO_WIDE}");
        }
        let ints: Option<Dims> = match value {
            Value::Size(_) => return Ok(Some(value.clone())),
            Value::Tuple(items) => to_ints(items),
            Value::Tensor(t) if size.is_some() && t.numel() == 1 && t.ndim() > 0 && t.dtype().is_integral(false) => {
                Some(super::exec::read_vec::<i64>(t)?.into_iter().collect())
            }
            other => match other.items() {
                Some(items) => to_ints(&items),
                None => return Ok(None),
            },
        };
        let truth = |value: &Value| matches!(value, Value::Tensor(t) if is_truth(t));
        if ints.is_some() && kind.symbolic && value.items().is_some_and(|items| items.iter().any(truth)) {
            fault!(RuntimeError, "{TRUTH_AMONG_INTS}");
        }
        return Ok(ints.map(|d| Value::Size(Rc::new(d))));
    }
    let Some(items) = value.items() else { return Ok(None) };
    let mut converted = Vec::with_capacity(items.len());
    for item in &items {
        // Of tensors without dimensions only a single one stands for its number.
        if base == Base::Scalar && matches!(item, Value::Tensor(_)) {
            return Ok(None);
        }
        match convert_one(item, base)? {
            Some(v) => converted.push(v),
            None => return Ok(None),
        }
    }
    Ok(Some(Value::tuple(converted)))
}

/// An int in a list of them: tensors of one element stand for it, however many dimensions they have, and behind the first place
/// truth values count as ints.
fn to_listed_int(place: usize, value: &Value) -> Option<i64> {
    match value {
        Value::Bool(b) if place > 0 => Some(i64::from(*b)),
        Value::Tensor(t) if t.numel() == 1 && t.dtype().is_integral(true) => super::exec::item(t).ok().map(Number::to_i64),
        other => to_int(other),
    }
}

/// An int as PyTorch takes one: not a bool, not a float; a tensor of one integer stands for its value.
fn to_int(value: &Value) -> Option<i64> {
    match value {
        Value::Int(i) => Some(*i),
        Value::Tensor(t) if t.ndim() == 0 && t.dtype().is_integral(false) => super::exec::item(t).ok().map(Number::to_i64),
        other => number_of_numpy(other).and_then(|number| to_int(&number)),
    }
}

/// Python's number for one of numpy's, also for an array without dimensions. Of narrow complex numbers PyTorch takes the real part.
pub fn number_of_numpy(value: &Value) -> Option<Value> {
    let Value::Object(object) = value else { return None };
    let array = object.as_array().filter(|array| array.ndim() == 0)?;
    match object.number()? {
        Number::Complex(number) if array.dtype() == DType::C64 => Some(Value::Float(number.re)),
        number => Some(Value::from(number)),
    }
}

/// Where one int stands for a whole list, PyTorch takes an array without dimensions for an int at first and fails later.
fn refuse_array_for_list(array: Option<Tensor>, kind: &Kind) -> Result<()> {
    match (array, kind) {
        (Some(array), Kind { base: Base::Int, list: Some(Some(_)), .. })
            if array.ndim() == 0 && array.dtype().is_integral(false) =>
        {
            let line = if kind.symbolic { 573 } else { 658 };
            fault!(
                RuntimeError,
                "PyList_Check(arg) INTERNAL ASSERT FAILED at \"/__w/pytorch/pytorch/torch/csrc/utils/python_arg_parser.h\":{line}, please report a bug to PyTorch. expected tuple or list"
            )
        }
        _ => Ok(()),
    }
}

/// Each of them by [`to_listed_int`]; none when one is no int.
fn to_ints(values: &[Value]) -> Option<Dims> {
    let mut ints = Dims::new();
    for (place, value) in values.iter().enumerate() {
        ints.push(match value {
            Value::Int(i) => *i,
            other => to_listed_int(place, other)?,
        });
    }
    Some(ints)
}

/// A dtype, or the Python class that stands for one.
pub fn to_dtype(value: &Value) -> Option<DType> {
    match value {
        Value::DType(d) => Some(*d),
        Value::Class(Class::Float) => Some(DType::F64),
        Value::Class(Class::Int) => Some(DType::I64),
        Value::Class(Class::Bool) => Some(DType::Bool),
        Value::Class(Class::Complex) => Some(DType::C128),
        _ => None,
    }
}

/// A device from `torch.device`, a text such as `cuda:1`, or a GPU's number. Fails with a `RuntimeError` on an unknown text.
pub fn to_device(value: &Value) -> Result<Option<Device>> {
    Ok(match value {
        Value::Device(d) => Some(**d),
        Value::Str(text) => Some(parse_device(text)?),
        Value::BigInt(_) => fault!(ValueError, "{TOO_WIDE}"),
        Value::Int(n) if *n < 0 => fault!(RuntimeError, "Device index must not be negative"),
        Value::Int(n) if *n >= 0 => Some(Device { id: DeviceId::Cuda(*n as u32), index: Some(*n as u32) }),
        _ => None,
    })
}

/// Reads `cpu`, `cuda`, `cuda:1`, `meta`, and the names of devices that are not here.
pub fn parse_device(text: &str) -> Result<Device> {
    let (kind, index) = match text.split_once(':') {
        _ if text.is_empty() => fault!(RuntimeError, "Device string must not be empty"),
        // Zeros before a number are refused.
        Some((kind, number)) => {
            let number = if number.len() > 1 && number.starts_with('0') { "" } else { number };
            (kind, number.parse::<u32>().map(Some))
        }
        None => (text, Ok(None)),
    };
    let named = kind.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
    let index = match index {
        Ok(index) if named => index,
        _ => fault!(RuntimeError, "Invalid device string: '{text}'"),
    };
    let id = match kind {
        "cpu" => DeviceId::Cpu,
        "meta" => DeviceId::Meta,
        "cuda" => DeviceId::Cuda(index.unwrap_or(0)),
        other => match crate::device::named(other) {
            Some(id) => id,
            None => fault!(
                RuntimeError,
                "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, privateuseone device type at start of device string: {kind}"
            ),
        },
    };
    Ok(Device { id, index })
}
