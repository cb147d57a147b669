//! `torch.Tensor(…)`, `torch.FloatTensor(…)`: the constructors from before there were factories.

use super::data::from_data;
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::layout::{Dims, Layout};
use crate::ops::{exec, no_signature, to_device};
use crate::settings;
use crate::tensor::{Grad, Tensor};
use crate::value::{CallArgs, StorageView, Value};
use anyhow::Result;

/// Calls a legacy constructor. Without a dtype it is `torch.Tensor`, which has the default dtype.
///
/// Ints are sizes of a tensor without contents, a list is data, a storage is looked at, a tensor is given another view.
/// Fails with a `TypeError` on anything else.
pub fn construct(dtype: Option<DType>, args: &CallArgs) -> Result<Value> {
    if let Some(args) = by_name(args) {
        return construct(dtype, &args);
    }
    check_keywords(args)?;
    let own = dtype.unwrap_or_else(settings::default_dtype);
    let empty = |sizes: &[i64]| Ok(exec::empty(sizes, own, DeviceId::Cpu)?.into());
    let begins_with_size = !matches!(args.positional.as_slice(), [Value::Bool(_), ..] | [Value::Tensor(_)]);
    let sizes: Option<Dims> = args.positional.iter().map(size).collect();
    if let Some(sizes) = sizes.filter(|_| begins_with_size) {
        return empty(if sizes.is_empty() { &[0] } else { &sizes });
    }
    match args.positional.as_slice() {
        [Value::Size(sizes)] => empty(sizes),
        [Value::Tensor(tensor)] => alias(tensor, dtype),
        [Value::Storage(view)] => over_storage(view, own),
        [data @ (Value::List(_) | Value::Tuple(_) | Value::Range(_))] => Ok(from_data(data, Some(own), DeviceId::Cpu)?.into()),
        [Value::Object(object)] if matches!(&*object.type_name(), "numpy.ndarray" | "bytearray") => {
            Ok(from_data(&args.positional[0], Some(own), DeviceId::Cpu)?.into())
        }
        [text @ (Value::Str(_) | Value::Bytes(_))] => fault!(TypeError, "new(): invalid data type '{}'", text.type_name()),
        [Value::BigInt(_)] => fault!(
            TypeError,
            "new(): argument 'size' failed to unpack the object at pos 1 with error \"Overflow when unpacking long long"
        ),
        [other] => fault!(TypeError, "new(): data must be a sequence (got {})", other.type_name()),
        [Value::Int(_), rest @ ..] if let Some(at) = rest.iter().position(|v| size(v).is_none()) => {
            let why = match &rest[at] {
                // PyTorch goes on with where in its sources that was found.
                Value::BigInt(_) => "Overflow when unpacking long long".to_string(),
                other => format!("type must be tuple of ints,but got {}\"", other.type_name()),
            };
            fault!(TypeError, "new(): argument 'size' failed to unpack the object at pos {} with error \"{why}", at + 2)
        }
        _ => fault!(TypeError, "{}", no_signature("new", WAYS, args)?),
    }
}

/// The arguments with the first one by place that was given by its name, `size=` or `data=`.
fn by_name(args: &CallArgs) -> Option<CallArgs> {
    let at = args.keyword.iter().position(|(name, value)| match &**name {
        "data" => true,
        "size" => matches!(value, Value::List(_) | Value::Tuple(_) | Value::Size(_)),
        _ => false,
    });
    let at = at.filter(|_| args.positional.is_empty())?;
    let mut keyword = args.keyword.clone();
    let (name, value) = keyword.remove(at);
    let ints = if &*name == "size" { value.items() } else { None };
    let sizes = ints.and_then(|ints| ints.iter().map(size).collect::<Option<Dims>>());
    Some(CallArgs { positional: vec![sizes.map_or(value, |sizes| Value::Size(sizes.into()))], keyword })
}

/// A number of elements: an int, behind one a bool as well, or a tensor or one of numpy's arrays and numbers that is an int.
fn size(value: &Value) -> Option<i64> {
    match value {
        Value::Int(i) => Some(*i),
        Value::Bool(b) => Some(i64::from(*b)),
        Value::Tensor(t) if t.numel() == 1 && t.dtype().is_integral(false) => exec::item(t).ok().map(|n| n.to_i64()),
        Value::Object(object) => {
            let array = object.as_array().filter(|a| a.ndim() == 0 && a.dtype().is_integral(false))?;
            exec::item(&array).ok().map(|n| n.to_i64())
        }
        _ => None,
    }
}

/// `torch.nn.Parameter(data=None, requires_grad=True)`: a leaf over the data that asks for a gradient.
///
/// Fails with a `TypeError` when the data is no tensor, with a `RuntimeError` when its dtype has no gradient.
pub fn parameter(args: &CallArgs) -> Result<Value> {
    let argument = |place: usize, name: &str| {
        let named = args.keyword.iter().find(|(n, _)| &**n == name).map(|(_, v)| v);
        args.positional.get(place).or(named)
    };
    if let Some((name, _)) = args.keyword.iter().find(|(name, _)| !matches!(&**name, "data" | "requires_grad")) {
        fault!(TypeError, "Parameter.__new__() got an unexpected keyword argument '{name}'");
    }
    if args.positional.len() > 2 {
        let given = args.positional.len() + 1;
        fault!(TypeError, "Parameter.__new__() takes from 1 to 3 positional arguments but {given} were given");
    }
    let data = match argument(0, "data") {
        None | Some(Value::None) => exec::empty(&[0], settings::default_dtype(), DeviceId::Cpu)?,
        Some(Value::Tensor(data)) => crate::ops::gradient::alias(data),
        Some(other) => fault!(AttributeError, "'{}' object has no attribute 'detach'", other.type_name()),
    };
    let requires_grad = match argument(1, "requires_grad") {
        None => true,
        Some(Value::Bool(asks)) => *asks,
        Some(other) => {
            fault!(TypeError, "_make_subclass(): argument 'require_grad' (position 3) must be bool, not {}", other.type_name())
        }
    };
    if requires_grad && !(data.dtype().is_float() || data.dtype().is_complex()) {
        fault!(RuntimeError, "Only Tensors of floating point and complex dtype can require gradients");
    }
    data.set_grad(Grad { requires_grad, parameter: true, ..Grad::default() });
    Ok(data.into())
}

/// The ways to call a legacy constructor.
const WAYS: &[&str] = &[
    "(*, Device? device=None)",
    "(Storage storage)",
    "(Tensor other)",
    "(int[] size, *, Device? device=None)",
    "(Any data, *, Device? device=None)",
];

fn check_keywords(args: &CallArgs) -> Result<()> {
    for (name, value) in &args.keyword {
        if &**name != "device" {
            fault!(TypeError, "{}", no_signature("new", WAYS, args)?);
        }
        match to_device(value)? {
            Some(device) if device.id == DeviceId::Cpu => {}
            Some(device) => {
                let kind = device.id.kind();
                fault!(RuntimeError, "legacy constructor expects device type: cpu but device type: {kind} was passed")
            }
            None => fault!(TypeError, "new(): argument 'device' must be torch.device, not {}", value.type_name()),
        }
    }
    Ok(())
}

fn alias(tensor: &Tensor, dtype: Option<DType>) -> Result<Value> {
    if let Some(wanted) = dtype.filter(|d| *d != tensor.dtype()) {
        let told = |dtype: DType| {
            format!(
                "TensorOptions(dtype={}, device=cpu, layout=Strided, requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))",
                dtype.c_name()
            )
        };
        fault!(TypeError, "expected {} (got {})", told(wanted), told(tensor.dtype()));
    }
    let made = crate::ops::gradient::alias(tensor);
    crate::ops::autograd::made_view(&made, tensor, "AliasBackward0", vec![]);
    Ok(made.into())
}

fn over_storage(view: &StorageView, dtype: DType) -> Result<Value> {
    if let Some(found) = view.dtype.filter(|d| *d != dtype) {
        fault!(
            RuntimeError,
            "Expected a Storage of type {} or an UntypedStorage, but got type {} for argument 1 'storage'",
            dtype.title(),
            found.title()
        );
    }
    let cells = (view.storage.nbytes() / dtype.size()) as i64;
    Ok(Tensor::new(view.storage.clone(), dtype, Layout::contiguous(&[cells]))?.into())
}
