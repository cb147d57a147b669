//! `torch.dtype`, `torch.device`, `torch.Size`, `torch.finfo` and `torch.iinfo`: their attributes and how they are made.

use super::call::{Table, Takes, row};
use super::iter;
use crate::device::DeviceId;
use crate::dtype::{DType, FloatLimits, IntLimits, Kind};
use crate::layout::Dims;
use crate::ops;
use crate::settings;
use crate::show;
use crate::value::{CallArgs, Class, Device, Machine, Object, Outcome, Raise, Value};
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// `dtype.itemsize` and the like.
pub fn dtype_attr(dtype: DType, name: &str) -> Option<Value> {
    Some(match name {
        "is_floating_point" => Value::Bool(dtype.is_float()),
        "is_complex" => Value::Bool(dtype.is_complex()),
        "is_signed" => Value::Bool(!matches!(dtype.kind(), Kind::Unsigned | Kind::Bool)),
        "itemsize" => Value::from(dtype.size()),
        _ => return None,
    })
}

/// The dtypes of complex numbers and of their parts.
pub static DTYPE_METHODS: Table = Table {
    owner: "dtype",
    rows: Table::sorted(&[
        row("to_complex", Takes::Nothing, |c| match c.this {
            Value::DType(dtype) if (dtype.is_float() && dtype.size() > 1) || dtype.is_complex() => {
                Ok(Value::DType(dtype.to_complex()))
            }
            Value::DType(dtype) => fault!(RuntimeError, "Unknown Complex ScalarType for {}", dtype.title()),
            _ => Ok(Value::None),
        }),
        row("to_real", Takes::Nothing, |c| match c.this {
            Value::DType(dtype) => Ok(Value::DType(dtype.to_real())),
            _ => Ok(Value::None),
        }),
    ]),
};

/// `device.type`, `device.index`.
pub fn device_attr(device: &Device, name: &str) -> Option<Value> {
    Some(match name {
        "type" => Value::from(device.id.kind()),
        "index" => device.index.map_or(Value::None, |i| Value::Int(i as i64)),
        // As a context: new tensors are made there.
        "__enter__" => {
            let device = *device;
            Value::method(move |_| {
                let before = settings::change(|s| std::mem::replace(&mut s.default_device, device.id));
                BEFORE.with(|list| list.borrow_mut().push(before));
                Ok(Value::from(device))
            })
        }
        "__exit__" => Value::method(|_| {
            if let Some(before) = BEFORE.with(|list| list.borrow_mut().pop()) {
                settings::change(|s| s.default_device = before);
            }
            Ok(Value::None)
        }),
        _ => return None,
    })
}

thread_local! {
    /// Where new tensors were made before each device that is entered.
    static BEFORE: RefCell<Vec<DeviceId>> = const { RefCell::new(vec![]) };
}

/// What `torch.finfo` gives.
struct FInfo(FloatLimits);

impl Object for FInfo {
    fn type_name(&self) -> String {
        "torch.finfo".to_string()
    }
    fn class(&self) -> Option<Class> {
        Some(Class::FInfo)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        show::object::finfo(&self.0)
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        Some(other.downcast::<FInfo>()?.0.dtype == self.0.dtype)
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        let limits = &self.0;
        Ok(Some(match name {
            "eps" => Value::Float(limits.eps),
            "max" => Value::Float(limits.max),
            "min" => Value::Float(limits.min),
            "tiny" | "smallest_normal" => Value::Float(limits.smallest_normal),
            "resolution" => Value::Float(limits.resolution),
            "bits" => Value::from(limits.dtype.size() * 8),
            "dtype" => Value::from(limits.dtype.name()),
            _ => return Ok(None),
        }))
    }
}

/// What `torch.iinfo` gives.
struct IInfo(IntLimits);

impl Object for IInfo {
    fn type_name(&self) -> String {
        "torch.iinfo".to_string()
    }
    fn class(&self) -> Option<Class> {
        Some(Class::IInfo)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        show::object::iinfo(&self.0)
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        Some(other.downcast::<IInfo>()?.0.dtype == self.0.dtype)
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        let limits = &self.0;
        Ok(Some(match name {
            "max" => Value::big(limits.max.into()),
            "min" => Value::big(limits.min.into()),
            "bits" => Value::from(limits.dtype.size() * 8),
            "dtype" => Value::from(limits.dtype.name()),
            _ => return Ok(None),
        }))
    }
}

/// The value of a parameter by place or name.
fn argument(args: &CallArgs, place: usize, name: &str) -> Option<Value> {
    let named = args.keyword.iter().find(|(n, _)| &**n == name).map(|(_, v)| v.clone());
    args.positional.get(place).cloned().or(named)
}

/// Where the first argument stands, if it was given by place.
fn place(args: &CallArgs) -> &'static str {
    if args.positional.is_empty() { "" } else { " (position 1)" }
}

/// Calls one of these classes; none for others.
pub fn construct(machine: &mut dyn Machine, class: Class, args: &CallArgs) -> Option<Outcome> {
    Some(match class {
        Class::FInfo => finfo(args),
        Class::IInfo => iinfo(args),
        Class::Size => size(machine, args),
        Class::Device => device(args),
        Class::Parameter => ops::create::legacy::parameter(args).map_err(Raise::from),
        Class::UntypedStorage => super::storage::construct(machine, args),
        Class::StorageOf(_) | Class::TypedStorage => super::storage::construct_typed(class, args),
        Class::TorchGenerator => ops::random::construct(args).map_err(Raise::from),
        Class::Tensor => ops::create::legacy::construct(None, args).map_err(Raise::from),
        Class::TensorOf(dtype) => ops::create::legacy::construct(Some(dtype), args).map_err(Raise::from),
        _ => return None,
    })
}

fn finfo(args: &CallArgs) -> Outcome {
    if args.positional.len() + args.keyword.len() > 1 {
        let shown = args.positional.iter().map(|v| v.type_name().to_string());
        let named = args.keyword.iter().map(|(name, value)| format!("{name}={}", value.type_name()));
        fault!(
            TypeError,
            "finfo() received an invalid combination of arguments - got ({}), but expected one of:\n * (torch.dtype type)\n * ()\n",
            shown.chain(named).collect::<Vec<_>>().join(", ")
        );
    }
    if args.keyword.iter().any(|(name, _)| &**name != "type") {
        fault!(TypeError, "finfo() missing 1 required positional arguments: \"type\"");
    }
    let dtype = match argument(args, 0, "type") {
        None => settings::default_dtype(),
        Some(other) if ops::to_dtype(&other).is_some() => ops::to_dtype(&other).unwrap_or(settings::default_dtype()),
        Some(other) => {
            fault!(TypeError, "finfo(): argument 'type'{} must be torch.dtype, not {}", place(args), other.type_name())
        }
    };
    match dtype.float_limits() {
        Some(limits) => Ok(Value::object(FInfo(limits))),
        None => fault!(TypeError, "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"),
    }
}

fn iinfo(args: &CallArgs) -> Outcome {
    match args.positional.len() {
        1 if args.keyword.iter().any(|(name, _)| &**name == "type") => {
            fault!(TypeError, "iinfo() got multiple values for argument 'type'")
        }
        count if count > 1 => fault!(TypeError, "iinfo() takes 1 positional argument but {count} were given"),
        _ => {}
    }
    let dtype = match argument(args, 0, "type") {
        Some(other) if ops::to_dtype(&other).is_some() => ops::to_dtype(&other).unwrap_or(DType::I64),
        Some(other) => {
            fault!(TypeError, "iinfo(): argument 'type'{} must be torch.dtype, not {}", place(args), other.type_name())
        }
        None => fault!(TypeError, "iinfo() missing 1 required positional arguments: \"type\""),
    };
    if let Some((name, _)) = args.keyword.iter().find(|(name, _)| &**name != "type") {
        fault!(TypeError, "iinfo() got an unexpected keyword argument '{name}'");
    }
    if dtype == DType::Bool {
        fault!(TypeError, "torch.bool is not supported by torch.iinfo");
    }
    match dtype.int_limits() {
        Some(limits) => Ok(Value::object(IInfo(limits))),
        None => fault!(TypeError, "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'"),
    }
}

fn size(machine: &mut dyn Machine, args: &CallArgs) -> Outcome {
    match args.positional.len() {
        _ if !args.keyword.is_empty() => fault!(TypeError, "tuple() takes no keyword arguments"),
        count if count > 1 => fault!(TypeError, "tuple expected at most 1 argument, got {count}"),
        _ => {}
    }
    let Some(items) = args.positional.first() else { return Ok(Value::size(&[])) };
    size_of(iter::collect(machine, items)?)
}

/// A `torch.Size` of these items. Fails with a `TypeError` when one is no int.
pub fn size_of(items: Vec<Value>) -> Outcome {
    let mut sizes = Dims::new();
    for (n, item) in items.into_iter().enumerate() {
        match item {
            Value::Int(i) => sizes.push(i),
            Value::Bool(b) => sizes.push(b.into()),
            Value::BigInt(_) => fault!(ValueError, "Overflow when unpacking long long"),
            Value::Tensor(t) if t.numel() == 1 && t.dtype().is_integral(true) => sizes.push(ops::exec::item(&t)?.to_i64()),
            other => match ops::number_of_numpy(&other) {
                Some(Value::Int(i)) => sizes.push(i),
                _ => fault!(TypeError, "torch.Size() takes an iterable of 'int' (item {n} is '{}')", other.type_name()),
            },
        }
    }
    Ok(Value::Size(Rc::new(sizes)))
}

fn device(args: &CallArgs) -> Outcome {
    let given = args.positional.len() + args.keyword.len();
    let whole = argument(args, 0, "device").or_else(|| argument(args, 0, "type")).filter(|_| given == 1);
    // A number of numpy, or in a tensor, stands for an int.
    let index = argument(args, 1, "index").map(|index| match &index {
        Value::Tensor(one) if one.numel() == 1 && one.dtype().is_integral(false) => {
            ops::exec::item(one).map_or(index, |int| Value::Int(int.to_i64()))
        }
        other => ops::number_of_numpy(other).filter(|int| matches!(int, Value::Int(_))).unwrap_or(index),
    });
    match (whole, argument(args, 0, "type"), index) {
        (Some(Value::Int(..0)), ..) | (None, Some(Value::Str(_)), Some(Value::Int(..0))) if given <= 2 => {
            fault!(RuntimeError, "Device index must not be negative")
        }
        (None, Some(Value::Str(text)), Some(Value::Int(_))) if given == 2 && text.contains(':') => {
            fault!(RuntimeError, "type (string) must not include an index because index was passed explicitly: {text}")
        }
        (None, Some(Value::Str(kind)), Some(Value::Int(index))) if given == 2 => {
            // PyTorch keeps a byte of it; a number below 0 is none.
            let index = index as i8;
            let mut device = ops::parse_device(&format!("{kind}:0"))?;
            device.index = u32::try_from(index).ok();
            Ok(Value::from(device))
        }
        (None, Some(Value::Str(_)), Some(Value::BigInt(_))) if given == 2 => {
            fault!(ValueError, "Overflow when unpacking long long")
        }
        (None, Some(kind), Some(Value::None)) if given == 2 => device(&CallArgs::positional(vec![kind])),
        (whole, ..) => match whole.map(|value| ops::to_device(&value)).transpose()?.flatten() {
            Some(device) => Ok(Value::from(device)),
            None => fault!(TypeError, "{}", ops::no_signature("device", &["(Device device)", "(str type, int index=-1)"], args)?),
        },
    }
}
