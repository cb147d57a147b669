//! Tensors made of data: numbers, nested lists, other tensors, arrays, bytes.

use super::filled::maker;
use super::nested;
use super::options::{Options, made};
use crate::device::{DeviceId, require_reached};
use crate::dtype::DType;
use crate::layout::Layout;
use crate::ops::{Args, Form, autograd, exec, gradient, op};
use crate::settings;
use crate::tensor::{Grad, Tensor};
use crate::value::{Class, Device, TensorLayout, Value};
use anyhow::Result;

rows![
    maker(
        "tensor(Any data, *, DType? dtype=None, Device? device=None, bool requires_grad=False, bool pin_memory=False) -> Tensor",
        "A tensor made of a number, nested lists of numbers, or a copy of another tensor. Its dtype follows from the numbers \
         unless one is given: int64 for ints, the default float dtype for floats, bool for truth values.",
        "torch.tensor([[1, 2], [3, 4.5]])\n# tensor([[1.0000, 2.0000],\n#         [3.0000, 4.5000]])",
        |a| {
            let options = options(a, 1)?;
            options.finish(from_data(a.value(0), options.dtype, options.device)?)
        },
    )
    .marked()
    .no_out(),
    op(
        "as_tensor(Any data, *, DType? dtype=None, Device? device=None) -> Tensor",
        "The data as a tensor: a tensor that has the dtype and device already is given back itself, an array is shared, \
         anything else is copied.",
        "x = torch.tensor([1, 2])\ntorch.as_tensor(x) is x\n# True",
        Form::Native(as_tensor),
    )
    .function_only()
    .no_grad()
    .no_out()
    .marked()
    .sparse(),
    op(
        "asarray(Any obj, *, DType? dtype=None, Device? device=None, bool? copy=None, bool? requires_grad=None) -> Tensor",
        "The data as a tensor, as `as_tensor`; `copy` says that it must be copied, or must not.",
        "x = torch.tensor([1, 2])\ntorch.asarray(x, copy=True) is x\n# False",
        Form::Native(as_array),
    )
    .function_only()
    .no_grad()
    .no_out()
    .marked(),
    maker(
        "from_numpy(Any ndarray) -> Tensor",
        "A tensor over the memory of a numpy array: a write to one is seen in the other.",
        "",
        |a| match array(a.value(0))?.filter(|_| a.value(0).class() == Some(Class::NdArray)) {
            Some(array) => Ok(over(&array).into()),
            None => fault!(TypeError, "expected np.ndarray (got {})", a.value(0).type_name()),
        },
    )
    .no_out(),
    op(
        "from_file(str filename, bool? shared=None, int? size=0, *, DType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False, bool requires_grad=False) -> Tensor",
        "A 1-d tensor of the first bytes of a file, read as elements of a dtype.",
        "",
        super::super::Form::Code(FROM_FILE),
    )
    .function_only()
    .no_out(),
    maker(
        "frombuffer(Any buffer, *, DType dtype, int count=-1, int offset=0, bool requires_grad=False) -> Tensor",
        "A 1-d tensor of the bytes of a buffer, read as elements of a dtype.",
        "torch.frombuffer(b'\\x01\\x00\\x02\\x00', dtype=torch.int16)\n# tensor([1, 2], dtype=torch.int16)",
        from_buffer,
    )
    .no_out(),
];

const FROM_FILE: &str = "\
kind = torch.get_default_dtype() if dtype is None else dtype
wanted = (size or 0) * kind.itemsize
try:
    with open(filename, 'rb') as file:
        data = file.read()
except FileNotFoundError:
    raise RuntimeError(f'unable to open file <{filename}> in read-only mode: No such file or directory (2)') from None
if len(data) < wanted:
    raise RuntimeError(f'file <{filename}> size <{len(data)}> is smaller than the required mapping size <{wanted}>')
torch.frombuffer(data, dtype=kind, count=size).clone().requires_grad_(requires_grad) if wanted else torch.empty(0, dtype=kind, requires_grad=requires_grad)";

/// `dtype`, `device` and `requires_grad` from place `first` on.
fn options(args: &Args, first: usize) -> Result<Options> {
    let device: Option<Device> = args.get(first + 1)?;
    Ok(Options {
        dtype: args.get(first)?,
        layout: TensorLayout::Strided,
        device: match (device, args.value(0)) {
            (Some(device), _) => device.id,
            (None, Value::Tensor(t)) => t.device(),
            (None, _) => settings::with(|s| s.default_device),
        },
        requires_grad: args.get(first + 2)?,
    })
}

/// An array as it is; one that has no memory has no strides.
fn without_strides(array: Tensor) -> Tensor {
    if array.numel() > 0 || array.storage().is_ok_and(|storage| storage.nbytes() > 0) {
        return array;
    }
    let strides = array.sizes().iter().map(|_| 0).collect();
    array.alias(Layout { strides, ..(*array.layout()).clone() }).unwrap_or(array)
}

/// A tensor over an array's memory: what is written to the array is no change of it.
fn over(array: &Tensor) -> Tensor {
    let x = gradient::alias(array);
    x.count_from(0);
    x
}

/// The numpy array or scalar behind a value. Fails with a `ValueError` for one that goes backward, as no tensor does.
fn array(value: &Value) -> Result<Option<Tensor>> {
    let Value::Object(object) = value else { return Ok(None) };
    let array = object.as_array().map(without_strides);
    if array.as_ref().is_some_and(|array| array.layout().strides.iter().any(|stride| *stride < 0)) {
        fault!(
            ValueError,
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently supported. (You can probably work around this by making a copy of your array  with array.copy().) "
        );
    }
    Ok(array)
}

/// A new tensor made of data; a dtype that is not given follows from the data. Fails as `torch.tensor` does.
pub fn from_data(data: &Value, dtype: Option<DType>, device: DeviceId) -> Result<Tensor> {
    require_reached(device)?;
    let source = match data {
        Value::Tensor(t) => Some(t.clone()),
        other if nested::number_of_numpy(other).is_some() => None,
        other => array(other)?,
    };
    if let Some(source) = source {
        return copied(&source, dtype.unwrap_or(source.dtype()), device);
    }
    if matches!(data, Value::Str(_) | Value::Bytes(_)) {
        fault!(TypeError, "new(): invalid data type '{}'", data.type_name());
    }
    let sizes = nested::sizes(data)?;
    let dtype = match dtype {
        Some(dtype) => dtype,
        None => nested::infer(data)?,
    };
    // Meta keeps no elements, but what cannot be an element is refused there too.
    let host = if device == DeviceId::Meta { DeviceId::Cpu } else { device };
    let tensor = made(&sizes, dtype, host, |out| nested::write(data, &sizes, dtype, out))?;
    if device == DeviceId::Meta { exec::empty(&sizes, dtype, device) } else { Ok(tensor) }
}

/// A copy in a storage of its own.
fn copied(source: &Tensor, dtype: DType, device: DeviceId) -> Result<Tensor> {
    require_reached(device)?;
    let layout = source.strided()?.layout;
    let target = Layout::new(&layout.sizes, &layout.preserved_strides(), 0);
    let tensor = exec::empty_layout(target, dtype, device)?;
    if device != DeviceId::Meta {
        exec::copy(&tensor, source)?;
    }
    Ok(tensor)
}

fn as_tensor(args: &Args) -> Result<Value> {
    shared(args.value(0), args.get(1)?, args.get(2)?)
}

fn as_array(args: &Args) -> Result<Value> {
    let (dtype, copy, requires_grad): (Option<DType>, Option<bool>, Option<bool>) = (args.get(1)?, args.get(3)?, args.get(4)?);
    let is_numpy = |value: &Value| matches!(value, Value::Object(object) if object.as_array().is_some());
    let mut source = match args.value(0) {
        Value::Tensor(t) => Some(t.clone()),
        Value::Bytes(_) => Some(of_bytes(args.value(0), dtype.unwrap_or(DType::U8), -1, 0)?),
        buffer @ Value::Object(object) if !is_numpy(buffer) => match object.buffer() {
            Some(bytes) => Some(of_bytes(buffer, dtype.unwrap_or(bytes.dtype()), -1, 0)?),
            None => array(buffer)?,
        },
        other => array(other)?,
    };
    // An array without dimensions is a number, whose memory is not shared.
    if let Some(number) = source.as_ref().filter(|source| source.ndim() == 0 && is_numpy(args.value(0))) {
        source = Some(exec::clone(number)?);
    }
    let is_buffer = source.is_some() && !is_numpy(args.value(0)) && !matches!(args.value(0), Value::Tensor(_));
    let changed = source.as_ref().and_then(|source| dtype.filter(|dtype| *dtype != source.dtype()).map(|dtype| (source, dtype)));
    match (copy, &source, changed) {
        (Some(false), None, _) => fault!(ValueError, "can't alias arbitrary sequence into a tensor."),
        (Some(false), _, Some((source, dtype))) => {
            fault!(ValueError, "can't alias tensor with dtype '{}' into dtype '{}'.", source.dtype().title(), dtype.title())
        }
        _ => {}
    }
    let made = match (copy, &source) {
        (Some(true), Some(source)) => {
            let copy = copied(source, dtype.unwrap_or(source.dtype()), source.device())?;
            autograd::record(&copy, source, if changed.is_some() { "ToCopyBackward0" } else { "CloneBackward0" });
            copy.into()
        }
        (_, Some(source)) if is_buffer || source.ndim() == 0 && is_numpy(args.value(0)) => {
            shared(&source.clone().into(), dtype, args.get(2)?)?
        }
        _ => shared(args.value(0), dtype, args.get(2)?)?,
    };
    match made {
        Value::Tensor(tensor) if requires_grad == Some(true) && !tensor.requires_grad() => {
            Options { dtype: None, layout: TensorLayout::Strided, device: tensor.device(), requires_grad: true }.finish(tensor)
        }
        // A leaf does without from now on; of what was computed it is a tensor beside.
        Value::Tensor(tensor) if requires_grad == Some(false) && tensor.requires_grad() => {
            if tensor.grad().made_by.is_some() {
                return Ok(gradient::alias(&tensor).into());
            }
            tensor.set_grad(Grad { requires_grad: false, ..tensor.grad() });
            Ok(tensor.into())
        }
        made => Ok(made),
    }
}

/// A tensor on the data's own memory where that can be, else a copy.
fn shared(data: &Value, dtype: Option<DType>, device: Option<Device>) -> Result<Value> {
    let source = match data {
        Value::Tensor(t) => t.clone(),
        other => match array(other)?.filter(|_| nested::number_of_numpy(other).is_none()) {
            Some(array) => over(&array),
            None => {
                let device = device.map_or_else(|| settings::with(|s| s.default_device), |d| d.id);
                return Ok(from_data(other, dtype, device)?.into());
            }
        },
    };
    let is_numbered = device.is_some_and(|d| d.id == DeviceId::Cpu && d.index.is_some());
    let (dtype, device) = (dtype.unwrap_or(source.dtype()), device.map_or(source.device(), |d| d.id));
    if dtype == source.dtype() && device == source.device() && !is_numbered {
        return Ok(source.into());
    }
    let tensor = copied(&source, dtype, device)?;
    autograd::record(&tensor, &source, "ToCopyBackward0");
    Ok(tensor.into())
}

fn from_buffer(args: &Args) -> Result<Value> {
    let tensor = of_bytes(args.value(0), args.get(1)?, args.get(2)?, args.get(3)?)?;
    let requires_grad = args.get(4)?;
    let options = Options { dtype: Some(tensor.dtype()), layout: TensorLayout::Strided, device: DeviceId::Cpu, requires_grad };
    options.finish(tensor)
}

/// A tensor of the bytes of a buffer from an offset on, as elements of a dtype; of so many, or of all.
fn of_bytes(given: &Value, dtype: DType, count: i64, offset: i64) -> Result<Tensor> {
    let buffer = match given {
        Value::Bytes(bytes) => exec::from_bytes(bytes, &[bytes.len() as i64], DType::U8)?,
        Value::Object(object) if let Some(buffer) = object.buffer() => buffer,
        _ => fault!(ValueError, "object does not implement Python buffer protocol."),
    };
    let cell = buffer.dtype().size() as i64;
    let (length, size) = (buffer.numel() * cell, dtype.size() as i64);
    if length == 0 || count == 0 {
        fault!(ValueError, "both buffer length ({length}) and count ({count}) must not be 0");
    }
    if !(0..length).contains(&offset) {
        fault!(
            ValueError,
            "offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} bytes) minus 1"
        );
    }
    let after = length - offset;
    if count < 0 && after % size != 0 {
        fault!(
            ValueError,
            "buffer length ({after} bytes) after offset ({offset} bytes) must be a multiple of element size ({size})"
        );
    }
    let count = if count < 0 { after / size } else { count };
    if count > after / size {
        fault!(
            ValueError,
            "requested buffer length ({count} * {size} bytes) after offset ({offset} bytes) must not be greater than actual \
             buffer length ({length} bytes)"
        );
    }
    let start = buffer.layout().offset * cell + offset;
    let shares = !matches!(given, Value::Bytes(_));
    if shares && start % size == 0 {
        let layout = Layout { offset: start / size, ..Layout::contiguous(&[count]) };
        Tensor::new(buffer.storage()?, dtype, layout)
    } else {
        // Bytes do not change, and no view of elements begins between two of them.
        let bytes = exec::bytes(&buffer)?;
        let start = offset as usize;
        exec::from_bytes(&bytes[start..start + (count * size) as usize], &[count], dtype)
    }
}
