//! Storages as values: `x.storage()` and `x.untyped_storage()`, their cells and their methods.

use super::call::{Call, Table, Takes, row};
use super::{convert, iter, sequence};
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::layout::Layout;
use crate::ops::exec;
use crate::tensor::{Storage, Tensor};
use crate::value::{CallArgs, Class, Device, Machine, Outcome, StorageView, Value};
use std::rc::Rc;

/// Methods of both kinds of storage.
pub static METHODS: Table = Table {
    owner: "StorageBase",
    rows: Table::sorted(&[
        row("__len__", Takes::Nothing, |c| Ok(Value::from(len(of(c)?)))),
        row("bfloat16", Takes::Nothing, |c| cast(c, DType::BF16)),
        row("bool", Takes::Nothing, |c| cast(c, DType::Bool)),
        row("byte", Takes::Nothing, |c| cast(c, DType::U8)),
        row("char", Takes::Nothing, |c| cast(c, DType::I8)),
        row("clone", Takes::Nothing, |c| {
            let from = of(c)?;
            Ok(view(exec::clone(&cells(from)?)?.storage()?, from.dtype))
        }),
        row("complex_double", Takes::Nothing, |c| cast(c, DType::C128)),
        row("complex_float", Takes::Nothing, |c| cast(c, DType::C64)),
        row("copy_", Takes::Between(1, 2), copy),
        row("cpu", Takes::Nothing, |c| Ok(c.this.clone())),
        row("data_ptr", Takes::Nothing, |c| Ok(Value::from(of(c)?.storage.data_ptr()))),
        row("double", Takes::Nothing, |c| cast(c, DType::F64)),
        row("element_size", Takes::Nothing, |c| Ok(Value::from(dtype(of(c)?).size()))),
        row("fill_", Takes::One, fill),
        row("float", Takes::Nothing, |c| cast(c, DType::F32)),
        row("get_device", Takes::Nothing, |_| Ok(Value::None)),
        row("half", Takes::Nothing, |c| cast(c, DType::F16)),
        row("int", Takes::Nothing, |c| cast(c, DType::I32)),
        row("is_pinned", Takes::Nothing, |_| Ok(Value::Bool(false))),
        row("is_shared", Takes::Nothing, |_| Ok(Value::Bool(false))),
        row("long", Takes::Nothing, |c| cast(c, DType::I64)),
        row("nbytes", Takes::Nothing, |c| Ok(Value::from(of(c)?.storage.nbytes()))),
        row("pickle_storage_type", Takes::Nothing, |c| Ok(Value::from(legacy_name(of(c)?)))),
        row("resizable", Takes::Nothing, |c| Ok(Value::Bool(!of(c)?.storage.is_fixed()))),
        row("resize_", Takes::One, resize),
        row("share_memory_", Takes::Nothing, |c| Ok(c.this.clone())),
        row("short", Takes::Nothing, |c| cast(c, DType::I16)),
        row("size", Takes::Nothing, |c| Ok(Value::from(len(of(c)?)))),
        row("tolist", Takes::Nothing, |c| Ok(Value::list(items(of(c)?)?))),
        row("type", Takes::Between(0, 1), |c| Ok(Value::from(format!("torch.{}", legacy_name(of(c)?))))),
        row("untyped", Takes::Nothing, |c| Ok(view(of(c)?.storage.clone(), None))),
    ]),
};

fn view(storage: Storage, dtype: Option<DType>) -> Value {
    Value::Storage(Rc::new(StorageView { storage, dtype }))
}

/// The storage a method was called on.
fn of<'a>(call: &'a Call<'_>) -> Outcome<&'a StorageView> {
    match call.this {
        Value::Storage(view) => Ok(view),
        other => fault!(TypeError, "'{}' object is not a storage", other.type_name()),
    }
}

/// The dtype of the cells; bytes for an untyped storage.
fn dtype(view: &StorageView) -> DType {
    view.dtype.unwrap_or(DType::U8)
}

/// Number of cells.
pub fn len(view: &StorageView) -> usize {
    view.storage.nbytes() / dtype(view).size()
}

/// The cells as a 1-d tensor over the same bytes.
fn cells(view: &StorageView) -> Outcome<Tensor> {
    Ok(Tensor::new(view.storage.clone(), dtype(view), Layout::contiguous(&[len(view) as i64]))?)
}

/// The cells as Python numbers.
pub fn items(view: &StorageView) -> Outcome<Vec<Value>> {
    let cells = cells(view)?;
    let size = cells.dtype().size();
    let bytes = exec::bytes(&cells)?;
    Ok(bytes.chunks(size).map(|cell| Value::from(crate::dtype::Number::read(cells.dtype(), cell))).collect())
}

fn legacy_name(view: &StorageView) -> String {
    match view.dtype {
        Some(dtype) => dtype.info().tensor.replace("Tensor", "Storage"),
        None => "storage.UntypedStorage".to_string(),
    }
}

/// A typed storage of its own with the cells cast.
fn cast(call: &mut Call<'_>, to: DType) -> Outcome {
    let copy = exec::clone(&exec::cast(&cells(of(call)?)?, to)?)?;
    Ok(view(copy.storage()?, Some(to)))
}

fn copy(call: &mut Call<'_>) -> Outcome {
    let Value::Storage(source) = call.arg(0) else {
        fault!(TypeError, "copy_(): argument 'source' must be a storage, not {}", call.arg(0).type_name());
    };
    if len(source) != len(of(call)?) {
        fault!(RuntimeError, "size mismatch: {} against {} cells", len(of(call)?), len(source));
    }
    exec::copy(&cells(of(call)?)?, &cells(source)?)?;
    Ok(call.this.clone())
}

fn fill(call: &mut Call<'_>) -> Outcome {
    let Some(number) = call.arg(0).as_number() else {
        fault!(TypeError, "fill_(): argument 'value' must be a number, not {}", call.arg(0).type_name());
    };
    exec::fill(&cells(of(call)?)?, number)?;
    Ok(call.this.clone())
}

fn resize(call: &mut Call<'_>) -> Outcome {
    let cells = convert::to_i64(call.arg(0))?;
    let view = of(call)?;
    match usize::try_from(cells).ok().and_then(|n| n.checked_mul(dtype(view).size())) {
        Some(bytes) => view.storage.resize(bytes)?,
        None => fault!(RuntimeError, "a storage cannot have {cells} cells"),
    }
    Ok(if view.dtype.is_some() { Value::None } else { call.this.clone() })
}

/// `torch.UntypedStorage(8)`, `torch.UntypedStorage([1, 2])`: so many bytes, or these.
pub fn construct(machine: &mut dyn Machine, args: &CallArgs) -> Outcome {
    let bytes = match (args.positional.as_slice(), args.keyword.is_empty()) {
        ([], true) => vec![],
        ([Value::Int(size)], true) => match usize::try_from(*size) {
            Ok(size) => return Ok(view(Storage::new(DeviceId::Cpu, size, true)?, None)),
            Err(_) => fault!(RuntimeError, "a storage cannot have {size} bytes"),
        },
        ([items], true) => bytes_of(machine, items)?,
        _ => fault!(TypeError, "torch.UntypedStorage() received an invalid combination of arguments"),
    };
    let count = bytes.len() as i64;
    Ok(view(exec::from_vec(&bytes, &[count])?.storage()?, None))
}

/// `torch.FloatStorage(3)`, `torch.TypedStorage([1, 2], dtype=torch.int32)`: so many cells, these, or those of an untyped storage.
pub fn construct_typed(class: Class, args: &CallArgs) -> Outcome {
    let named = |name: &str| args.keyword.iter().find(|(own, _)| &**own == name).map(|(_, value)| value);
    let (own, title, last) = match class {
        Class::StorageOf(dtype) => (Some(dtype), class.name(), ""),
        _ => (None, "TypedStorage".to_string(), ", torch.dtype dtype"),
    };
    let refused = |why: &str| {
        let head = if own.is_some() { format!("<class '{title}'>.__new__") } else { format!("{title}.__init__") };
        format!(
            "{head} received an invalid combination of arguments. Expected one of:\n * no arguments\n * (int size)\n * (Sequence data)\n * (*, UntypedStorage wrap_storage{last})\n{why}"
        )
    };
    if let Some((name, _)) =
        args.keyword.iter().find(|(name, _)| &**name != "wrap_storage" && (own.is_some() || &**name != "dtype"))
    {
        fault!(RuntimeError, "{}", refused(&format!("Keyword argument '{name}' cannot be specified")));
    }
    let dtype = own.or(match named("dtype") {
        Some(Value::DType(dtype)) => Some(*dtype),
        None => None,
        Some(other) => fault!(TypeError, "tensor(): argument 'dtype' must be torch.dtype, not {}", other.type_name()),
    });
    let dtype = dtype.unwrap_or_else(crate::settings::default_dtype);
    if let Some(Value::Storage(wrapped)) = named("wrap_storage") {
        return Ok(view(wrapped.storage.clone(), Some(dtype)));
    }
    let cells = match args.positional.as_slice() {
        [] => exec::empty(&[0], dtype, DeviceId::Cpu)?,
        [Value::Int(size)] if *size < 0 => fault!(RuntimeError, "a storage cannot have {size} cells"),
        [Value::Int(size)] => exec::zeros(&[*size], dtype, DeviceId::Cpu)?,
        [Value::Str(_)] => fault!(TypeError, "new(): invalid data type 'str'"),
        [items @ (Value::List(_) | Value::Tuple(_) | Value::Range(_))] => {
            crate::ops::create::data::from_data(items, Some(dtype), DeviceId::Cpu)?
        }
        [other] => {
            let class = super::repr::class_text(other);
            fault!(TypeError, "{}", refused(&format!("Argument type not recognized: <class '{class}'>")))
        }
        _ => fault!(RuntimeError, "{}", refused("Too many positional arguments")),
    };
    Ok(view(cells.storage()?, Some(dtype)))
}

/// The lowest bytes of a sequence of ints.
fn bytes_of(machine: &mut dyn Machine, items: &Value) -> Outcome<Vec<u8>> {
    const WHAT: &str = "torch.UntypedStorage()";
    let is_sequence = matches!(items, Value::List(_) | Value::Range(_) | Value::Str(_)) || items.sequence().is_some();
    if !is_sequence {
        fault!(RuntimeError, "{WHAT}: Expected a sequence type, but got {}", items.type_name());
    }
    let values = iter::collect(machine, items)?;
    let byte = |value: &Value| match value {
        Value::Int(i) => Ok(*i as u8),
        other => fault!(
            RuntimeError,
            "{WHAT}: tried to construct a storage from a sequence ({}), but one of the items was of type {} instead of int",
            items.type_name(),
            other.type_name()
        ),
    };
    values.iter().map(byte).collect()
}

/// `storage.dtype` and the like.
pub fn attr(view: &StorageView, name: &str) -> Option<Value> {
    Some(match name {
        "dtype" => Value::DType(view.dtype?),
        "device" => Value::from(Device::from(view.storage.device())),
        "is_cuda" => Value::Bool(matches!(view.storage.device(), DeviceId::Cuda(_))),
        "is_hpu" | "is_sparse" => Value::Bool(false),
        "is_sparse_csr" if view.dtype.is_none() => Value::Bool(false),
        "filename" => Value::None,
        "_cdata" => Value::Int(view.storage.serial() as i64),
        _ => return None,
    })
}

/// The class as messages about a storage name it.
fn class_name(view: &StorageView) -> &'static str {
    if view.dtype.is_some() { "torch.storage.TypedStorage" } else { "torch.storage.UntypedStorage" }
}

/// True for a place that is not there.
fn beyond(view: &StorageView, index: i64) -> bool {
    let count = len(view) as i64;
    !(-count..count).contains(&index)
}

/// The place of a cell; negative ones count from the end.
fn place(view: &StorageView, index: &Value) -> Outcome<usize> {
    let Value::Int(index) = index else {
        match view.dtype {
            Some(_) => {
                fault!(
                    RuntimeError,
                    "can't index a <class '{}'> with <class '{}'>",
                    class_name(view),
                    super::repr::class_text(index)
                )
            }
            None => fault!(TypeError, "can't index a torch.UntypedStorage with {}", index.type_name()),
        }
    };
    let count = len(view) as i64;
    let at = if *index < 0 { index + count } else { *index };
    if beyond(view, *index) {
        fault!(IndexError, "index {index} out of range for storage of size {count}");
    }
    Ok(at as usize)
}

/// The first cell and the number of cells of a slice without a step.
fn slice(view: &StorageView, parts: &[Value; 3]) -> Outcome<(usize, usize)> {
    let found = sequence::fit(parts, len(view))?;
    if found.step != 1 {
        fault!(RuntimeError, "Trying to slice with a step of {}, but only a step of 1 is supported", found.step);
    }
    Ok((found.start as usize, found.count))
}

/// `storage[i]`. Slices are for untyped storages.
pub fn index(view: &StorageView, index: &Value) -> Outcome {
    if let Value::Slice(parts) = index {
        if view.dtype.is_some() {
            fault!(RuntimeError, "slices are only supported in UntypedStorage.__getitem__");
        }
        let (start, count) = slice(view, parts)?;
        let part = cells(view)?.alias(Layout::new(&[count as i64], &[1], start as i64))?;
        return Ok(self::view(exec::clone(&part)?.storage()?, None));
    }
    let at = place(view, index)?;
    let cell = cells(view)?.alias(Layout::new(&[], &[], at as i64))?;
    Ok(Value::from(exec::item(&cell)?))
}

/// `storage[i] = v` and `storage[a:b] = v`.
pub fn set_index(_machine: &mut dyn Machine, view: &StorageView, index: &Value, value: &Value) -> Outcome<()> {
    let (start, count) = match index {
        Value::Slice(parts) => slice(view, parts)?,
        Value::Int(at) if beyond(view, *at) && view.dtype.is_none() => fault!(RuntimeError, "out of bounds"),
        Value::Int(at) if beyond(view, *at) => {
            fault!(IndexError, "index {at} is out of bounds for dimension 0 with size {}", len(view))
        }
        other => (place(view, other)?, 1),
    };
    let target = cells(view)?.alias(Layout::new(&[count as i64], &[1], start as i64))?;
    match value {
        Value::Tensor(t) => exec::copy(&target, t)?,
        other => match other.as_number() {
            Some(number) => exec::fill(&target, number)?,
            None => fault!(TypeError, "a cell of a storage takes a number, not {}", other.type_name()),
        },
    }
    Ok(())
}
