//! The methods of arrays and of numpy's numbers, by those of tensors.

use super::array::{from_data, is_array, scalar_dtype, unwrap, wrap, wrap_array};
use super::beside;
use super::bounds;
use super::dtypes::dtype_of;
use super::failures::of_axis;
use super::reduce::{self, Read};
use super::unsigned;
use crate::diag::ErrorClass;
use crate::dtype::DType;
use crate::lang::types::call::Call;
use crate::layout::{Dims, Layout};
use crate::ops::{self, exec};
use crate::tensor::Tensor;
use crate::value::{CallArgs, Key, Machine, Object, Outcome, Raise, Value};
use std::any::Any;
use std::rc::Rc;

/// numpy's methods by the methods of a tensor that do the same.
const METHODS: &[(&str, &str)] = &[
    ("all", "all"),
    ("any", "any"),
    ("argmax", "argmax"),
    ("argmin", "argmin"),
    ("argsort", "argsort"),
    ("clip", "clamp"),
    ("conj", "conj"),
    ("copy", "clone"),
    ("cumprod", "cumprod"),
    ("cumsum", "cumsum"),
    ("diagonal", "diagonal"),
    ("dot", "matmul"),
    ("fill", "fill_"),
    ("flatten", "flatten"),
    ("item", "item"),
    ("max", "amax"),
    ("mean", "mean"),
    ("min", "amin"),
    ("nonzero", "nonzero"),
    ("prod", "prod"),
    ("ravel", "ravel"),
    ("repeat", "repeat_interleave"),
    ("reshape", "reshape"),
    ("round", "round"),
    ("sort", "sort"),
    ("squeeze", "squeeze"),
    ("sum", "sum"),
    ("swapaxes", "swapaxes"),
    ("tolist", "tolist"),
    ("trace", "trace"),
    ("transpose", "permute"),
];

/// Methods that give an array where others give a number of numpy's own: they move elements or copy them.
const KEEPING: &[&str] = &["astype", "conj", "copy", "reshape", "squeeze", "swapaxes", "transpose"];

/// A method with its array.
struct Method {
    array: Tensor,
    /// It is that of a number of numpy's own.
    scalar: bool,
    name: &'static str,
    operation: &'static str,
}

impl Object for Method {
    fn type_name(&self) -> String {
        "builtin_function_or_method".to_string()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("<built-in method {} of numpy.ndarray object>", self.name)
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some(self.run(machine, args))
    }
}

/// Those that no method of a tensor does alone.
const SPECIAL: &[&str] = &["astype", "std", "tobytes", "var", "view"];

/// Those that are the function of that name, of the array first.
const BY_FUNCTION: &[&str] = &["argpartition", "choose", "compress", "conjugate", "partition", "put", "searchsorted", "take"];

/// Methods of Python's numbers that numpy's own have, too.
const OF_NUMBERS: &[&str] = &["as_integer_ratio", "bit_count", "hex", "is_integer"];

/// A method of an array, or of a number of numpy's own; none when it has no such name.
pub fn bound(array: &Tensor, scalar: bool, name: &str) -> Option<Value> {
    let of_numbers = if scalar { OF_NUMBERS } else { &[] };
    let special = SPECIAL.iter().chain(BY_FUNCTION).chain(of_numbers).find(|own| **own == name).map(|own| (*own, *own));
    let (name, operation) = METHODS.iter().find(|(own, _)| *own == name).copied().or(special)?;
    Some(Value::object(Method { array: array.clone(), scalar, name, operation }))
}

/// The names of all methods.
pub fn names() -> impl Iterator<Item = &'static str> {
    METHODS.iter().map(|(name, _)| *name).chain(SPECIAL.iter().chain(BY_FUNCTION).copied())
}

/// Fails with a `ValueError` when an array cannot have the shape, which one argument holds or several are.
fn check_shape(array: &Tensor, args: &[Value]) -> Outcome<()> {
    let items = match args {
        [one] => one.items().unwrap_or_else(|| vec![one.clone()]),
        several => several.to_vec(),
    };
    match args {
        [size @ Value::Float(_)] => {
            let shown = crate::lang::types::repr::repr(size)?;
            fault!(TypeError, "expected a sequence of integers or a single integer, got '{shown}'")
        }
        _ => {
            if let Some(item) = items.iter().find(|item| matches!(item, Value::Float(_) | Value::Str(_))) {
                fault!(TypeError, "'{}' object cannot be interpreted as an integer", item.type_name());
            }
        }
    }
    let Some(shape) = items.iter().map(|v| if let Value::Int(n) = v { Some(*n) } else { None }).collect::<Option<Dims>>() else {
        return Ok(());
    };
    let (known, numel) = (shape.iter().filter(|n| **n >= 0).product::<i64>(), array.numel());
    let fits = match shape.iter().filter(|n| **n < 0).count() {
        0 => known == numel,
        1 => known > 0 && numel % known == 0,
        _ => fault!(ValueError, "can only specify one unknown dimension"),
    };
    if !fits {
        // numpy leaves out an unknown size in front.
        let sizes: Vec<String> =
            shape.iter().skip_while(|n| **n < 0).map(|n| if *n < 0 { "newaxis".into() } else { n.to_string() }).collect();
        let comma = if shape.len() == 1 && sizes.len() == 1 { "," } else { "" };
        fault!(ValueError, "cannot reshape array of size {numel} into shape ({}{comma})", sizes.join(","))
    }
    Ok(())
}

impl Method {
    fn run(&self, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        let found = match self.value(machine, args.clone()) {
            Err(raise) => self.widened(machine, args, raise)?,
            Ok(found) => found,
        };
        let keeps = KEEPING.contains(&self.name) && !self.scalar && scalar_dtype(&found).is_some();
        Ok(if keeps { wrap_array(unwrap(&found)) } else { found })
    }

    fn value(&self, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        let args = match reduce::read(machine, self.name, &self.array, args, true)? {
            Read::Done(found) => return Ok(found),
            Read::Left(args) => args,
        };
        let given = |name: &str| args.keyword.iter().find(|(n, _)| &**n == name).map(|(_, v)| v.clone());
        if args.positional.is_empty() && given("axis").is_none() {
            beside::check_filled(self.name, &self.array)?;
        }
        if BY_FUNCTION.contains(&self.name) {
            return self.function(machine, args);
        }
        if OF_NUMBERS.contains(&self.name) {
            let number = Value::from(exec::item(&self.array)?);
            let method = machine.attr(&number, self.name)?;
            return machine.call(&method, args);
        }
        match self.name {
            "astype" if matches!(args.positional.first(), Some(Value::DType(_))) => {
                return super::dtypes::refuse_dtype(&args.positional[0]).map(|()| Value::None);
            }
            "astype" => match args.positional.first().cloned().or(given("dtype")).map(|d| dtype_of(&d)).transpose()?.flatten() {
                Some(dtype) => return wrap(Value::Tensor(exec::clone(&exec::cast(&self.array, dtype)?)?)),
                None => fault!(TypeError, "astype() missing required argument 'dtype' (pos 0)"),
            },
            // Those of whole numbers are float64 to numpy.
            "mean" | "std" | "var" if self.array.dtype().is_integral(true) => {
                let wide = Method { array: exec::cast(&self.array, DType::F64)?, ..*self };
                return wide.run(machine, args);
            }
            "std" | "var" => {
                let mut keyword = vec![("correction".into(), given("ddof").unwrap_or(Value::Int(0)))];
                keyword.extend(given("axis").map(|axis| ("dim".into(), axis)));
                keyword.extend(given("keepdims").map(|keeps| ("keepdim".into(), keeps)));
                return self.torch(machine, CallArgs { positional: vec![], keyword });
            }
            "round" => {
                let decimals = args.positional.first().cloned().or(given("decimals")).unwrap_or(Value::Int(0));
                let keyword = if self.array.dtype().is_float() { vec![("decimals".into(), decimals)] } else { vec![] };
                return self.torch(machine, CallArgs { positional: vec![], keyword });
            }
            // Bounds of floats make floats of whole numbers.
            "clip" if self.array.dtype().is_integral(true) => {
                let bounds = args.positional.iter().chain(args.keyword.iter().map(|(_, value)| value));
                let is_float = |value: &Value| matches!(value, Value::Float(_));
                if bounds.into_iter().any(is_float) {
                    let wide = Method { array: exec::cast(&self.array, DType::F64)?, ..*self };
                    return wide.run(machine, args);
                }
            }
            "all" | "any" if self.array.dtype() == DType::U8 => {
                let flags = Method { array: exec::cast(&self.array, DType::Bool)?, ..*self };
                return flags.run(machine, args);
            }
            // Truth values are numbers where the largest is looked for.
            "argmax" | "argmin" if self.array.dtype() == DType::Bool => {
                let wide = Method { array: exec::cast(&self.array, DType::U8)?, ..*self };
                return wide.run(machine, args);
            }
            "fill" => args.positional.iter().try_for_each(|number| bounds::check(number, self.array.dtype()))?,
            "sort" => return self.sort(machine, args),
            // Sums of unsigned numbers are uint64 to numpy.
            "sum" | "prod" | "cumprod" | "cumsum"
                if matches!(self.array.dtype(), DType::U8 | DType::U16 | DType::U32 | DType::U64) =>
            {
                let wide = Method { array: exec::cast(&self.array, DType::I64)?, ..*self };
                return match unwrap(&wide.run(machine, args)?) {
                    Value::Tensor(sum) => wrap(Value::Tensor(exec::cast(&sum, DType::U64)?)),
                    other => Ok(other),
                };
            }
            "item" => return self.item(machine, args),
            "dot" if args.keyword.is_empty() => {
                let factors = Value::tuple(args.positional);
                let names = [("a", wrap_array(Value::Tensor(self.array.clone()))), ("factors", factors)];
                return machine.eval_code("import numpy\nnumpy.dot(a, *factors)", &names);
            }
            "view" => {
                let kind = args.positional.first().cloned().or(given("dtype"));
                let Some(kind) = kind.map(|d| dtype_of(&d)).transpose()?.flatten() else {
                    return Ok(wrap_array(Value::Tensor(self.array.alias((*self.array.layout()).clone())?)));
                };
                return self.torch(machine, CallArgs::positional(vec![Value::DType(kind)]));
            }
            "tobytes" => return Ok(Value::Bytes(Rc::new(exec::bytes(&exec::contiguous(&self.array)?)?))),
            "reshape" => {
                check_shape(&self.array, &args.positional)?;
                return self.torch(machine, args).and_then(|found| self.laid_anew(found));
            }
            "squeeze" => {
                if let Some(Value::Int(axis)) = args.positional.first().cloned().or(given("axis")) {
                    let dims = self.array.ndim() as i64;
                    let place = usize::try_from(if axis < 0 { axis + dims } else { axis }).unwrap_or(usize::MAX);
                    if self.array.sizes().get(place).is_some_and(|size| *size != 1) {
                        fault!(ValueError, "cannot select an axis to squeeze out which has size not equal to one");
                    }
                }
            }
            // Without an axis it goes through all of them.
            "cumprod" | "cumsum" if args.positional.is_empty() && given("axis").is_none() => {
                let flat = ops::call_method(machine, "flatten", vec![Value::Tensor(self.array.clone())])?;
                return wrap(ops::call_method(machine, self.operation, vec![flat, Value::Int(0)])?);
            }
            "nonzero" => {
                let names = [("a", Value::Tensor(self.array.clone()))];
                let places = machine.eval_code("a.nonzero(as_tuple=True)", &names)?;
                return Ok(Value::tuple(places.items().unwrap_or_default().into_iter().map(wrap).collect::<Outcome<_>>()?));
            }
            "transpose" if args.positional.is_empty() => {
                let reversed: Vec<Value> = (0..self.array.ndim() as i64).rev().map(Value::Int).collect();
                return self.torch(machine, CallArgs::positional(vec![Value::tuple(reversed)]));
            }
            _ => {}
        }
        let result = self.torch(machine, args)?;
        Ok(if self.name == "fill" { Value::None } else { result })
    }

    /// The function of numpy's with this name. Of what it writes, the array itself is changed.
    fn function(&self, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        let text = match self.name {
            "compress" => "import numpy\nnumpy.compress(more[0], a, *more[1:], **named)",
            "partition" => "import numpy\na[...] = numpy.partition(a, *more, **named)\nNone",
            _ => "import numpy\ngetattr(numpy, name)(a, *more, **named)",
        };
        let named = args.keyword.into_iter().map(|(name, value)| (Key::from(&*name), value)).collect();
        let array = wrap_array(Value::Tensor(self.array.clone()));
        let names =
            [("a", array), ("name", self.name.into()), ("more", Value::tuple(args.positional)), ("named", Value::dict(named))];
        machine.eval_code(text, &names)
    }

    /// What was reshaped: of no elements, another shape has strides as if there were some, where numpy's own have none.
    fn laid_anew(&self, found: Value) -> Outcome {
        match unwrap(&found) {
            Value::Tensor(t) if t.numel() == 0 && t.sizes() != self.array.sizes() => {
                let room = exec::empty(&[1], t.dtype(), t.device())?;
                Ok(wrap(room.alias(Layout::contiguous(&t.sizes()))?.into())?)
            }
            _ => Ok(found),
        }
    }

    /// The only element, or the one at a place, as a number of Python's.
    fn item(&self, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        if !args.positional.is_empty() {
            let place = Value::tuple(args.positional);
            let names = [("a", wrap(Value::Tensor(self.array.clone()))?), ("place", place)];
            return machine.eval_code("(a if len(place) > 1 else a.ravel())[place].item()", &names);
        }
        if self.array.numel() != 1 {
            fault!(ValueError, "can only convert an array of size 1 to a Python scalar");
        }
        self.torch(machine, args)
    }

    /// Sorts the array where it is.
    fn sort(&self, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        let sorted = self.torch(machine, args)?;
        if let Some(Value::Tensor(values)) = sorted.sequence().and_then(|parts| parts.first().map(unwrap)) {
            exec::copy(&self.array, &values)?;
        }
        Ok(Value::None)
    }

    /// The same in int64, where unsigned numbers lack a kernel.
    fn widened(&self, machine: &mut dyn Machine, args: CallArgs, raise: Raise) -> Outcome {
        let Some(dtype) = unsigned::lacking(&raise, &[&self.array]) else { return Err(raise) };
        let Some(array) = unsigned::widened(self.name, &self.array)? else { return Err(raise) };
        let found = Method { array, ..*self }.value(machine, args)?;
        wrap(unsigned::narrowed(self.name, unwrap(&found), dtype)?)
    }

    fn torch(&self, machine: &mut dyn Machine, mut args: CallArgs) -> Outcome {
        let Some(set) = ops::method(self.operation) else {
            return Err(Raise::new(
                ErrorClass::AttributeError,
                format!("'numpy.ndarray' object has no attribute '{}'", self.name),
            ));
        };
        args.positional.insert(0, Value::Tensor(self.array.clone()));
        args.positional = args.positional.iter().map(unwrap).collect();
        wrap(ops::call(machine, set, true, args).map_err(of_axis)?)
    }
}

/// `numpy.sum(a, axis)` and the like: the method of the same name.
pub fn called(c: &mut Call<'_>, name: &'static str) -> Outcome {
    let mut positional = c.args();
    if positional.is_empty() {
        fault!(TypeError, "{name}() missing 1 required positional argument: 'a'");
    }
    let data = positional.remove(0);
    let args = CallArgs { positional, keyword: c.keyword.clone() };
    let is_tensor = matches!(data, Value::Tensor(_));
    if is_tensor && name == "squeeze" {
        // The tensor's own, which leaves what is longer than one.
        let own = c.machine.attr(&data, name)?;
        return c.machine.call(&own, args);
    }
    if is_tensor && let Some(found) = beside::reduced(c.machine, name, &data, &args) {
        return found;
    }
    let array = if is_array(&data) { data } else { wrap_array(unwrap(&from_data(c.machine, &data, None, false)?)) };
    let args = match unwrap(&array) {
        Value::Tensor(tensor) => match reduce::read(c.machine, name, &tensor, args, false)? {
            Read::Done(found) => return Ok(found),
            Read::Left(args) => args,
        },
        _ => args,
    };
    let bound = c.machine.attr(&array, name)?;
    let found = c.machine.call(&bound, args)?;
    if is_tensor && name != "ravel" { beside::of_numpy(unwrap(&found)) } else { Ok(found) }
}
