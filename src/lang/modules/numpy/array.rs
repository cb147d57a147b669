//! `numpy.ndarray` and numpy's scalars.

use super::backward;
use super::beside::{self, Answer};
use super::bounds;
use super::dtypes::scalar_class;
pub use super::dtypes::{dtype_object, dtype_of, refuse_dtype};
use super::failures;
use super::memory;
use super::methods;
use super::nested;
use super::promotion;
use super::unsigned;
use crate::device::DeviceId;
use crate::diag::ErrorClass;
use crate::dtype::{DType, Number};
use crate::lang::types::call::{Call, Table, Takes, def, row};
use crate::lang::types::iter;
use crate::layout::{Dims, Layout};
use crate::ops::{self, exec};
use crate::show;
use crate::tensor::Tensor;
use crate::value::{CallArgs, Class, Key, Machine, Object, Outcome, Raise, Value, number_eq};
use std::any::Any;
use std::rc::Rc;

/// An array over the memory of a tensor.
struct NdArray {
    tensor: Tensor,
    /// A number of numpy's own, and not an array without dimensions.
    scalar: bool,
    /// The first over its memory, which nothing had shared: it is no view.
    owns: bool,
}

/// Has a tensor's memory keep its size, since an array shares it; true where one did before.
fn fix(tensor: &Tensor) -> bool {
    let Ok(storage) = tensor.storage() else { return false };
    let was_fixed = storage.is_fixed();
    storage.fix();
    was_fixed
}

/// A tensor as an array, or without dimensions as a number, which stays what it is when the array changes that it was in; anything else
/// as it is.
pub fn wrap(value: Value) -> Outcome {
    Ok(match value {
        Value::Tensor(tensor) if tensor.ndim() == 0 => NdArray::over(true, exec::clone(&tensor)?),
        Value::Tensor(tensor) => NdArray::over(false, tensor),
        other => other,
    })
}

/// A tensor as an array, without dimensions too; anything else as it is.
pub fn wrap_array(value: Value) -> Value {
    match value {
        Value::Tensor(tensor) => NdArray::over(false, tensor),
        other => other,
    }
}

/// An array as its tensor; anything else as it is.
pub fn unwrap(value: &Value) -> Value {
    match value {
        Value::Object(o) => o.as_array().map_or_else(|| value.clone(), Value::Tensor),
        other => other.clone(),
    }
}

/// True for arrays and for numbers of numpy's own.
pub fn is_array(value: &Value) -> bool {
    value.downcast::<NdArray>().is_some()
}

/// The dtype of a number of numpy's own; none for anything else.
pub fn scalar_dtype(value: &Value) -> Option<DType> {
    value.downcast::<NdArray>().filter(|array| array.scalar).map(|array| array.tensor.dtype())
}

/// A key, its arrays as tensors.
fn key(index: &Value) -> Value {
    match index {
        Value::Tuple(items) => Value::tuple(items.iter().map(place).collect()),
        one => place(one),
    }
}

/// One item of a key. A tensor of one whole number is that number to numpy.
fn place(item: &Value) -> Value {
    match item {
        Value::Tensor(tensor) if tensor.numel() == 1 && tensor.dtype().is_integral(true) => {
            exec::item(tensor).map_or_else(|_| item.clone(), |number| Value::Int(number.to_i64()))
        }
        // Other numbers than whole ones are no indices.
        other if scalar_dtype(other).is_some_and(|dtype| !dtype.is_integral(true)) => Value::Float(0.0),
        other => unwrap(other),
    }
}

/// What tensors have of numpy.
pub static TENSOR_METHODS: Table = Table {
    owner: "Tensor",
    rows: Table::sorted(&[
        row("__array__", def(&["dtype"], 0, 1), |c| {
            let (kind, tensor) = (c.some(0).cloned(), c.this.clone());
            let names = [("x", tensor), ("kind", kind.unwrap_or(Value::None))];
            c.machine.eval_code("x.numpy() if kind is None else x.numpy().astype(kind)", &names)
        }),
        row("numpy", Takes::Any, of_tensor),
    ]),
};

/// `x.numpy()`: an array over the tensor's memory.
fn of_tensor(c: &mut Call<'_>) -> Outcome {
    let Value::Tensor(tensor) = c.this else { return Ok(Value::None) };
    if let count @ 1.. = c.count() {
        let were = if count == 1 { "was" } else { "were" };
        fault!(TypeError, "numpy() takes 0 positional arguments but {count} {were} given");
    }
    if let Some((name, _)) = c.keyword.iter().find(|(name, _)| &**name != "force") {
        fault!(TypeError, "numpy() got an unexpected keyword argument '{name}'");
    }
    let force = c.keyword.iter().any(|(_, value)| matches!(value, Value::Bool(true)));
    check_plain(tensor, force)?;
    let view = tensor.alias((*tensor.layout()).clone())?;
    fix(&view);
    Ok(NdArray::over(false, counted_apart(exec::resolve(&view)?)))
}

/// What an array writes is no change of the tensor whose memory it shares.
fn counted_apart(array: Tensor) -> Tensor {
    array.count_from(0);
    array
}

/// Fails for a tensor whose memory an array cannot share; what can be resolved may be forced.
pub(super) fn check_plain(tensor: &Tensor, force: bool) -> Outcome<()> {
    if let (Some(_), layout) = (tensor.sparse(), ops::sparse::layout_title(tensor)) {
        fault!(TypeError, "can't convert {layout} layout tensor to numpy. Use Tensor.to_dense() first.");
    }
    if tensor.requires_grad() && !force {
        fault!(RuntimeError, "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
    }
    if tensor.device() == DeviceId::Meta && force {
        fault!(NotImplementedError, "Cannot copy out of meta tensor; no data!");
    }
    if tensor.device() == DeviceId::Meta {
        let way = "Use Tensor.cpu() to copy the tensor to host memory first.";
        fault!(TypeError, "can't convert meta device type tensor to numpy. {way}");
    }
    let bits = [("conjugate", "conj", tensor.is_conj()), ("negative", "neg", tensor.is_neg())];
    if let Some((title, name, _)) = bits.iter().find(|(.., set)| *set && !force) {
        fault!(
            RuntimeError,
            "Can't call numpy() on Tensor that has {title} bit set. Use tensor.resolve_{name}().numpy() instead."
        );
    }
    if tensor.dtype().is_float8() || matches!(tensor.dtype(), DType::BF16 | DType::C32 | DType::BC32) {
        fault!(TypeError, "Got unsupported ScalarType {}", tensor.dtype().title());
    }
    Ok(())
}

/// `numpy.array(object, dtype, copy=True, order='K', ndmin=0)`.
pub fn of_array(c: &mut Call<'_>) -> Outcome {
    let copy = match c.get(2) {
        None | Some(Value::Bool(true)) => true,
        Some(Value::None) => false,
        Some(_) if matches!(c.arg(0), Value::List(_) | Value::Tuple(_) | Value::Tensor(_)) => {
            fault!(
                ValueError,
                "Unable to avoid copy while creating an array as requested.\nIf using `np.array(obj, copy=False)` replace it with `np.asarray(obj)` to allow a copy when needed (no behavior change in NumPy 1.x).\nFor more details, see https://numpy.org/devdocs/numpy_2_0_migration_guide.html#adapting-to-changes-in-the-copy-keyword."
            )
        }
        Some(_) => false,
    };
    let made = of_call(c, copy)?;
    let columns = matches!(c.get(3), Some(Value::Str(order)) if order.as_str() == "F");
    let least = c.get(4).cloned().unwrap_or(Value::Int(0));
    if !columns && matches!(least, Value::Int(..=0)) {
        return Ok(made);
    }
    let names = [("a", unwrap(&made)), ("least", least), ("columns", Value::Bool(columns))];
    let text = "\
a = a.reshape((1,) * max(least - a.dim(), 0) + tuple(a.shape))
every = tuple(range(a.dim() - 1, -1, -1))
a.permute(every).contiguous().permute(every) if columns else a";
    Ok(wrap_array(c.machine.eval_code(text, &names)?))
}

/// `numpy.asarray(a, dtype)`: an array stays itself where the dtype is its own.
pub fn of_call(c: &mut Call<'_>, copy: bool) -> Outcome {
    let (data, dtype) = (c.arg(0).clone(), c.get(1).cloned());
    dtype.as_ref().map_or(Ok(()), refuse_dtype)?;
    if let (Some(array), false) = (data.downcast::<NdArray>().filter(|array| !array.scalar), copy) {
        let wanted = dtype.as_ref().map(dtype_of).transpose()?.flatten();
        if wanted.is_none_or(|dtype| dtype == array.tensor.dtype()) {
            return Ok(data);
        }
    }
    let made = from_data(c.machine, &data, dtype, copy)?;
    // What is asked for by this name is an array, without dimensions too.
    Ok(wrap_array(unwrap(&made)))
}

/// Calls an operation that makes a tensor, with a dtype.
pub fn call_as(machine: &mut dyn Machine, name: &str, positional: Vec<Value>, dtype: DType) -> Outcome {
    let Some(set) = ops::function(name) else { fault!(AttributeError, "module 'numpy' has no attribute '{name}'") };
    let of = |dtype| CallArgs { positional: positional.clone(), keyword: vec![("dtype".into(), Value::DType(dtype))] };
    match ops::call(machine, set, false, of(dtype)) {
        Err(raise) if unsigned::is_of_kernel(&raise) => {
            unsigned::narrowed(name, ops::call(machine, set, false, of(DType::I64))?, dtype)
        }
        made => made,
    }
}

/// An array of nested numbers, or of another array: a copy, or with `copy` false the same memory.
pub fn from_data(machine: &mut dyn Machine, data: &Value, dtype: Option<Value>, copy: bool) -> Outcome {
    let dtype = dtype.map(|d| dtype_of(&d)).transpose()?.flatten();
    if let Value::Tensor(tensor) = data {
        check_plain(tensor, false)?;
        fix(tensor);
    }
    if let Value::Tensor(tensor) = unwrap(data) {
        let cast = exec::cast(&tensor, dtype.unwrap_or(tensor.dtype()))?;
        return wrap(Value::Tensor(match data {
            _ if copy => exec::clone(&cast)?,
            Value::Tensor(_) => counted_apart(cast.alias((*cast.layout()).clone())?),
            _ => cast,
        }));
    }
    let data = match data {
        Value::List(_) | Value::Tuple(_) => data.clone(),
        other if other.as_number().is_some() => data.clone(),
        other => Value::list(iter::collect(machine, other)?),
    };
    let (data, dtype) = match nested::spread(&data)? {
        Some((plain, common)) => (plain, Some(dtype.unwrap_or(common))),
        None => (data, dtype),
    };
    let made = ops::create::data::from_data(&data, dtype, crate::device::DeviceId::Cpu);
    if made.is_err() {
        check_even(&data)?;
    }
    dtype.map_or(Ok(()), |dtype| bounds::check(&data, dtype))?;
    let tensor = made?;
    // Python floats are float64 to numpy, whatever torch's default is.
    let wide = match (dtype, tensor.dtype()) {
        (None, DType::F32 | DType::F16 | DType::BF16) => ops::create::data::from_data(&data, Some(DType::F64), tensor.device())?,
        (None, DType::C64) => ops::create::data::from_data(&data, Some(DType::C128), tensor.device())?,
        _ => tensor,
    };
    wrap(Value::Tensor(wide))
}

/// Fails with a `ValueError` for lists of different lengths side by side, or beside what is no list.
fn check_even(data: &Value) -> Outcome<()> {
    let (mut shape, mut level) = (vec![], vec![data.clone()]);
    loop {
        let is_list = |value: &Value| matches!(value, Value::List(_) | Value::Tuple(_));
        let lists = level.iter().filter(|value| is_list(value)).count();
        let inner: Vec<Vec<Value>> = level.iter().filter(|v| is_list(v)).map(|v| v.items().unwrap_or_default()).collect();
        let Some(length) = inner.first().map(Vec::len) else { return Ok(()) };
        if lists < level.len() || inner.iter().any(|items| items.len() != length) {
            let comma = if shape.len() == 1 { "," } else { "" };
            let sizes = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            fault!(
                ValueError,
                "setting an array element with a sequence. The requested array has an inhomogeneous shape after {} dimensions. The detected shape was ({sizes}{comma}) + inhomogeneous part.",
                shape.len()
            );
        }
        shape.push(length);
        level = inner.concat();
    }
}

/// Makes the operands of an operator what numpy computes with, in their order. Fails where it has no such function for them.
fn prepare(op: &str, name: &str, args: &mut [Value], reflected: bool) -> Outcome<()> {
    if op != "@" {
        let mut sides = args.to_vec();
        sides.rotate_left(usize::from(reflected));
        beside::check_kinds(name, args)?;
        beside::check_sizes(&sides)?;
    }
    promotion::level(args, op == "/")?;
    args.rotate_left(usize::from(reflected));
    match op {
        "@" => beside::check_factors(args),
        "**" => {
            args.split_first().map_or(Ok(()), |(base, rest)| rest.iter().try_for_each(|e| failures::check_exponents(base, e)))
        }
        _ => failures::check_truths(op, args),
    }
}

/// True for what picks from a number: nothing, new dimensions, dots.
fn is_of_scalars(key: &Value) -> bool {
    let is_open = |item: &Value| matches!(item, Value::None | Value::Ellipsis | Value::Bool(_));
    match key {
        Value::Tuple(items) => items.iter().all(is_open),
        one => is_open(one),
    }
}

impl NdArray {
    /// An array or a number over a tensor's memory, which keeps its size from then on.
    fn over(scalar: bool, tensor: Tensor) -> Value {
        let owns = !fix(&tensor);
        Value::object(NdArray { tensor, scalar, owns })
    }
    /// A tensor as this is: as a number of numpy's own, or as an array.
    fn alike(&self, value: Value) -> Value {
        match value {
            Value::Tensor(tensor) => NdArray::over(self.scalar && tensor.ndim() == 0, tensor),
            other => other,
        }
    }
    /// Writes the result of an operator into the array's memory, where its kind and its size fit.
    fn take_over(&self, op: &str, result: &Tensor) -> anyhow::Result<()> {
        let (from, to) = (result.dtype(), self.tensor.dtype());
        if promotion::rank(from) > promotion::rank(to) {
            fault!(
                OutputCastingError,
                "Cannot cast ufunc '{}' output from dtype('{}') to dtype('{}') with casting rule 'same_kind'",
                failures::title(op),
                from.name(),
                to.name()
            );
        }
        if result.sizes() != self.tensor.sizes() {
            fault!(
                ValueError,
                "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
                beside::shown(&self.tensor),
                beside::shown(result)
            );
        }
        exec::copy(&self.tensor, result)
    }
}

impl Object for NdArray {
    fn type_name(&self) -> String {
        if self.scalar { format!("numpy.{}", self.tensor.dtype().name()) } else { "numpy.ndarray".to_string() }
    }
    fn class(&self) -> Option<Class> {
        (!self.scalar).then_some(Class::NdArray)
    }
    fn class_object(&self) -> Option<Value> {
        self.scalar.then(|| scalar_class(self.tensor.dtype()))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_array(&self) -> Option<Tensor> {
        Some(self.tensor.clone())
    }
    fn is_hashable(&self) -> bool {
        self.scalar
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        let number = |array: &NdArray| exec::item(&array.tensor).ok().map(Value::from);
        let own = self.scalar.then(|| number(self)).flatten()?;
        match other.downcast::<NdArray>() {
            Some(array) => number_eq(&own, &array.scalar.then(|| number(array)).flatten()?),
            None => number_eq(&own, other),
        }
    }
    fn hash(&self) -> Option<u64> {
        let own = self.scalar.then(|| exec::item(&self.tensor).ok()).flatten()?;
        Some(Key::new(Value::from(own)).ok()?.hash() as u64)
    }
    fn repr(&self) -> String {
        let text = match self.tensor.ndim() {
            0 if self.scalar => exec::item(&self.tensor).map(|n| show::numpy::scalar_repr(self.tensor.dtype(), n)),
            // As an array of one element, without its brackets.
            0 => self
                .tensor
                .alias(Layout { offset: self.tensor.layout().offset, ..Layout::contiguous(&[1]) })
                .and_then(|line| show::numpy::repr(&line))
                .map(|text| text.replacen('[', "", 1).replacen(']', "", 1).replacen("( ", "(", 1)),
            _ => show::numpy::repr(&self.tensor),
        };
        text.unwrap_or_else(|e| e.to_string())
    }
    fn str(&self) -> String {
        let text = match self.tensor.ndim() {
            0 => exec::item(&self.tensor).map(|n| show::numpy::scalar_str(self.tensor.dtype(), n)),
            _ => show::numpy::str(&self.tensor),
        };
        text.unwrap_or_else(|e| e.to_string())
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        let layout = self.tensor.layout();
        let ints = |dims: &[i64]| Value::tuple(dims.iter().map(|n| Value::Int(*n)).collect());
        let size = self.tensor.dtype().size() as i64;
        Ok(Some(match name {
            "shape" => ints(&layout.sizes),
            "strides" if self.tensor.numel() == 0 && self.tensor.storage()?.nbytes() == 0 => {
                ints(&layout.strides.iter().map(|_| 0).collect::<Dims>())
            }
            "strides" => ints(&layout.strides.iter().map(|s| s * size).collect::<Dims>()),
            "dtype" => dtype_object(self.tensor.dtype()),
            "ndim" => Value::from(layout.ndim()),
            "size" => Value::Int(layout.numel()),
            "itemsize" => Value::Int(size),
            "nbytes" => Value::Int(layout.numel() * size),
            // Its elements in a row, which may be read one by one or by their places.
            "flat" => {
                let row = exec::contiguous(&self.tensor)?;
                let layout = Layout { offset: row.layout().offset, ..Layout::contiguous(&[row.numel()]) };
                self.alike(Value::Tensor(row.alias(layout)?))
            }
            "T" => {
                let (mut sizes, mut strides) = (layout.sizes.clone(), layout.strides.clone());
                sizes.reverse();
                strides.reverse();
                self.alike(Value::Tensor(self.tensor.alias(Layout::new(&sizes, &strides, layout.offset))?))
            }
            _ => {
                let method = methods::bound(&self.tensor, self.scalar, name);
                return method.map_or_else(|| memory::attr(&self.tensor, self.owns, name), |method| Ok(Some(method)));
            }
        }))
    }
    fn attributes(&self) -> Vec<String> {
        let more = ["shape", "strides", "dtype", "ndim", "size", "itemsize", "nbytes", "flat", "flags", "ctypes", "T"];
        methods::names().chain(more).map(str::to_string).collect()
    }
    fn computed(self: Rc<Self>, machine: &mut dyn Machine, name: &str) -> Option<Outcome> {
        let text = match name {
            "imag" => "array.imag if array.is_complex() else torch.zeros_like(array)",
            "real" => "array.real",
            _ => return None,
        };
        Some(machine.eval_code(text, &[("array", Value::Tensor(self.tensor.clone()))]).map(|part| self.alike(part)))
    }
    fn length(&self) -> Option<usize> {
        self.tensor.sizes().first().map(|n| *n as usize)
    }
    fn truth(&self) -> Option<Outcome<bool>> {
        Some(if self.tensor.numel() == 1 {
            exec::item(&self.tensor).map(|n| n.to_bool()).map_err(Raise::from)
        } else if self.tensor.numel() == 0 {
            Err(Raise::new(
                ErrorClass::ValueError,
                "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty.",
            ))
        } else {
            Err(Raise::new(
                ErrorClass::ValueError,
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
            ))
        })
    }
    fn number(&self) -> Option<Number> {
        let number = (self.tensor.numel() == 1).then(|| exec::item(&self.tensor).ok()).flatten()?;
        // To PyTorch, a truth value of numpy's own is a float.
        let is_truth = self.scalar && self.tensor.dtype() == DType::Bool;
        Some(if is_truth { Number::Float(number.to_f64()) } else { number })
    }
    fn iter(self: Rc<Self>, machine: &mut dyn Machine) -> Option<Outcome> {
        let rows: Outcome<Vec<Value>> =
            (0..*self.tensor.sizes().first()?).map(|i| wrap(ops::index::get(&self.tensor, &Value::Int(i))?)).collect();
        Some(rows.and_then(|rows| machine.iter(&Value::tuple(rows))))
    }
    fn index(self: Rc<Self>, _: &mut dyn Machine, index: &Value) -> Option<Outcome> {
        let key = key(index);
        if self.scalar && !is_of_scalars(&key) {
            return Some(Err(Raise::new(ErrorClass::IndexError, "invalid index to scalar variable.")));
        }
        // Where dots stand for dimensions, none of them left is an array still.
        let keeps = matches!(&key, Value::Ellipsis)
            || matches!(&key, Value::Tuple(items) if items.iter().any(|i| matches!(i, Value::Ellipsis)));
        let kept = |found: Value| if keeps { Ok(wrap_array(found)) } else { wrap(found) };
        let found = backward::turn(&self.tensor, key.clone()).and_then(|(array, index)| kept(ops::index::get(&array, &index)?));
        Some(found.map_err(|raise| beside::of_index(&self.tensor, &key, raise)))
    }
    fn set_index(&self, machine: &mut dyn Machine, index: &Value, value: Option<Value>) -> Option<Outcome<()>> {
        let value = value?;
        if self.scalar {
            let text = format!("'{}' object does not support item assignment", self.type_name());
            return Some(Err(Raise::new(ErrorClass::TypeError, text)));
        }
        if let Err(raise) = bounds::check(&value, self.tensor.dtype()) {
            return Some(Err(raise));
        }
        if let Value::Tensor(tensor) = &value
            && let Err(raise) = check_plain(tensor, false)
        {
            return Some(Err(raise));
        }
        let value = match value {
            Value::None if self.tensor.dtype().is_float() => Value::Float(f64::NAN),
            list @ (Value::List(_) | Value::Tuple(_)) => match from_data(machine, &list, None, false) {
                Ok(array) => unwrap(&array),
                Err(raise) => return Some(Err(raise)),
            },
            other => unwrap(&other),
        };
        let value = match bounds::taken(self.tensor.dtype(), value) {
            Ok(value) => value,
            Err(raise) => return Some(Err(raise)),
        };
        let key = key(index);
        let set =
            backward::turn(&self.tensor, key.clone()).and_then(|(array, index)| Ok(ops::index::set(&array, &index, &value)?));
        Some(set.map_err(|raise| failures::of_assignment(&self.tensor, &key, &value, raise)))
    }
    fn unary(self: Rc<Self>, machine: &mut dyn Machine, op: &'static str) -> Option<Outcome> {
        let name = match op {
            "-" => "neg",
            "+" => "positive",
            "abs" => "abs",
            _ => "bitwise_not",
        };
        let args = vec![Value::Tensor(self.tensor.clone())];
        if op == "abs" && self.tensor.dtype() == DType::Bool {
            return Some(wrap(Value::Tensor(self.tensor.clone())));
        }
        if let Err(raise) = failures::check_truths(op, &args).and_then(|()| beside::check_kinds(name, &mut args.clone())) {
            return Some(Err(raise));
        }
        Some(unsigned::computed(machine, name, args).and_then(wrap))
    }
    fn operate_in_place(&self, op: &'static str, result: &Value) -> Option<Outcome<()>> {
        match unwrap(result) {
            Value::Tensor(result) if !self.scalar => Some(self.take_over(op, &result).map_err(Raise::from)),
            _ => None,
        }
    }
    fn failed_in_place(&self, raise: Raise) -> Raise {
        beside::of_sizes_in_place(&self.tensor, raise)
    }
    fn operate(self: Rc<Self>, machine: &mut dyn Machine, op: &'static str, other: &Value, reflected: bool) -> Option<Outcome> {
        let name = match op {
            "+" => "add",
            "-" => "sub",
            "*" => "mul",
            "/" => "div",
            "//" => "floor_divide",
            "%" => "remainder",
            "**" => "pow",
            "@" => "matmul",
            "<" => "lt",
            "<=" => "le",
            ">" => "gt",
            ">=" => "ge",
            "==" => "eq",
            "!=" => "ne",
            "&" => "bitwise_and",
            "|" => "bitwise_or",
            "^" => "bitwise_xor",
            "<<" => "bitwise_left_shift",
            ">>" => "bitwise_right_shift",
            _ => return None,
        };
        let number = self.scalar.then(|| ops::number_of_numpy(&self.alike(self.tensor.clone().into()))).flatten();
        let beside = match (other, number) {
            (Value::Tensor(_), Some(number)) => beside::of_number(machine, op, &number, other, reflected),
            (Value::Tensor(_), None) => beside::of_array(op, reflected),
            _ => Answer::Computed,
        };
        match beside {
            Answer::Is(outcome) => return Some(outcome),
            Answer::Refused => return None,
            Answer::Computed => {}
        }
        if let Value::Tensor(tensor) = other {
            if op == "==" {
                // The tensor compares.
                return Some(ops::call_function(machine, "eq", vec![other.clone(), self.tensor.clone().into()]));
            }
            if let Err(raise) = check_plain(tensor, false) {
                return Some(Err(raise));
            }
        }
        let finish = match other {
            Value::Tensor(_) if reflected => beside::of_numpy,
            Value::Tensor(_) => Ok,
            _ => wrap,
        };
        // A tensor divides an array as PyTorch has it: its reciprocal is multiplied.
        let by_tensor = op == "/" && !reflected && matches!(other, Value::Tensor(_));
        let operand = match other {
            Value::List(_) | Value::Tuple(_) => from_data(machine, other, None, false),
            divisor if by_tensor => ops::call_function(machine, "reciprocal", vec![divisor.clone()]),
            other => Ok(other.clone()),
        };
        let other = match operand {
            Ok(operand) => unwrap(&operand),
            Err(raise) => return Some(Err(raise)),
        };
        if let (Value::None | Value::Str(_), false) = (&other, self.scalar)
            && let Some(settled) = failures::beside_no_number(&self.tensor, op, &other, reflected)
        {
            return Some(settled.map(wrap_array));
        }
        let name = if by_tensor { "mul" } else { name };
        if !matches!(other, Value::Tensor(_)) && other.as_number().is_none() {
            return None;
        }
        let mut args = vec![Value::Tensor(self.tensor.clone()), other];
        if let Err(raise) = bounds::fit(op, &mut args) {
            return Some(Err(raise));
        }
        if let Err(raise) = prepare(op, name, &mut args, reflected) {
            return Some(Err(raise));
        }
        let found = unsigned::computed(machine, name, args);
        Some(if op == "@" { beside::of_values(found) } else { found }.and_then(finish))
    }
}
