//! The same values as another dtype, on another device, in another memory format, or in a storage of their own.

use super::{Args, Form, FromValue, Op, Operand, autograd, exec, op, sparse};
use crate::device::{DeviceId, require_reached};
use crate::dtype::DType;
use crate::kernel::follows_intel;
use crate::layout::{Layout, MemoryFormat};
use crate::settings;
use crate::tensor::{Form as TensorForm, Sparse, SparseKind, Tensor};
use crate::value::{Class, Device, Value};
use anyhow::Result;
use std::rc::Rc;

/// What a conversion asks for; what is not said stays as it is.
#[derive(Default)]
struct Target {
    dtype: Option<DType>,
    device: Option<DeviceId>,
    format: Option<MemoryFormat>,
    copy: bool,
}

/// A method that converts: it gives the tensor itself when nothing changes.
const fn cast(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).marked().sparse().no_grad().method_only()
}

rows![
    cast(
        "to(Tensor(a) self, Device? device=None, DType? dtype=None, bool non_blocking=False, \
         bool copy=False, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "The same values as another dtype, on another device or in another memory format; the tensor itself when it is so \
         already, unless `copy` asks for a new one.",
        "torch.tensor([1.7, -1.7]).to(torch.int64)\n# tensor([ 1, -1])",
        |a| {
            let (x, device, dtype, _, copy, format): (Tensor, Option<Device>, Option<DType>, bool, bool, Option<MemoryFormat>) =
                a.take()?;
            // To PyTorch a processor with a number is another device.
            let copy = copy || device.is_some_and(|d| d.id == DeviceId::Cpu && d.index.is_some());
            convert(&x, Target { dtype, device: device.map(|d| d.id), format, copy })
        },
    ),
    cast(
        "to(Tensor(a) self, DType dtype, bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "",
        "",
        |a| {
            let (x, dtype, _, copy, format): (Tensor, DType, bool, bool, Option<MemoryFormat>) = a.take()?;
            convert(&x, Target { dtype: Some(dtype), format, copy, device: None })
        },
    ),
    cast(
        "to(Tensor(a) self, Operand tensor, bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "",
        "",
        |a| {
            let (x, like, _, copy, format): (Tensor, Operand, bool, bool, Option<MemoryFormat>) = a.take()?;
            let (dtype, device) = match like {
                Operand::Tensor(like) => (like.dtype(), like.device()),
                // A number stands for a tensor of the widest dtype of its kind.
                Operand::Number(number) => (exec::number_dtype(number), x.device()),
            };
            convert(&x, Target { dtype: Some(dtype), device: Some(device), format, copy })
        },
    ),
    cast(
        "type(Tensor(a) self, Any dtype=None, bool non_blocking=False) -> Any",
        "The name of the tensor's type, or the tensor converted to a dtype, a type such as `torch.DoubleTensor`, or its name.",
        "torch.zeros(2).type()\n# 'torch.FloatTensor'",
        type_of,
    ),
    cast(
        "type_as(Tensor(a) self, Tensor other) -> Tensor(a)",
        "The tensor converted to the dtype and device of another one.",
        "torch.ones(2).type_as(torch.tensor([1]))\n# tensor([1, 1])",
        |a| {
            let (x, like): (Tensor, Tensor) = a.take()?;
            let [own, other] = [&x, &like].map(sparse::layout_title);
            if own != other {
                fault!(
                    RuntimeError,
                    "to(options) doesn't support converting to a different layout, but got self.layout being {own} and options.layout set as {other}"
                );
            }
            convert(&x, Target { dtype: Some(like.dtype()), device: Some(like.device()), ..Target::default() })
        },
    )
    .grads(&[("self", "grad"), ("other", "None")]),
    cast(
        "float(Tensor(a) self, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "Converted to float32.",
        "torch.tensor([1, 2]).float()\n# tensor([1., 2.])",
        |a| to_dtype(a, DType::F32),
    ),
    cast(
        "double(Tensor(a) self, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "Converted to float64.",
        "torch.tensor([1, 2]).double()\n# tensor([1., 2.], dtype=torch.float64)",
        |a| to_dtype(a, DType::F64),
    ),
    cast(
        "half(Tensor(a) self, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "Converted to float16: 11 significant bits, infinite from 65520 on.",
        "torch.tensor([0.1, 70000.]).half()\n# tensor([0.1000,    inf], dtype=torch.float16)",
        |a| to_dtype(a, DType::F16),
    ),
    cast(
        "bfloat16(Tensor(a) self, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "Converted to bfloat16: the range of float32 with 8 significant bits.",
        "torch.tensor([0.1]).bfloat16()\n# tensor([0.1001], dtype=torch.bfloat16)",
        |a| to_dtype(a, DType::BF16),
    ),
    cast(
        "int(Tensor(a) self, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "Converted to int32; floats lose their fraction.",
        "torch.tensor([2.9, -2.9]).int()\n# tensor([ 2, -2], dtype=torch.int32)",
        |a| to_dtype(a, DType::I32),
    ),
    cast(
        "long(Tensor(a) self, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "Converted to int64; floats lose their fraction.",
        "torch.tensor([2.9, -2.9]).long()\n# tensor([ 2, -2])",
        |a| to_dtype(a, DType::I64),
    ),
    cast(
        "short(Tensor(a) self, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "Converted to int16; larger integers wrap.",
        "torch.tensor([40000]).short()\n# tensor([-25536], dtype=torch.int16)",
        |a| to_dtype(a, DType::I16),
    ),
    cast(
        "char(Tensor(a) self, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "Converted to int8; larger integers wrap.",
        "torch.tensor([200]).char()\n# tensor([-56], dtype=torch.int8)",
        |a| to_dtype(a, DType::I8),
    ),
    cast(
        "byte(Tensor(a) self, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "Converted to uint8; larger and negative integers wrap.",
        "torch.tensor([300, -1]).byte()\n# tensor([ 44, 255], dtype=torch.uint8)",
        |a| to_dtype(a, DType::U8),
    ),
    cast(
        "bool(Tensor(a) self, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "Converted to truth values: everything but zero is true, nan too.",
        "torch.tensor([0., 0.5]).bool()\n# tensor([False,  True])",
        |a| to_dtype(a, DType::Bool),
    ),
    cast(
        "cfloat(Tensor(a) self, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "Converted to complex64.",
        "torch.tensor([1.]).cfloat()\n# tensor([1.+0.j])",
        |a| to_dtype(a, DType::C64),
    ),
    cast(
        "cdouble(Tensor(a) self, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "Converted to complex128.",
        "torch.tensor([1.]).cdouble()\n# tensor([1.+0.j], dtype=torch.complex128)",
        |a| to_dtype(a, DType::C128),
    ),
    cast(
        "chalf(Tensor(a) self, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "Converted to complex32: a pair of float16.",
        "torch.tensor([1.]).chalf()\n# tensor([1.+0.j], dtype=torch.complex32)",
        |a| to_dtype(a, DType::C32),
    ),
    cast(
        "cpu(Tensor(a) self, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "The tensor in host memory: itself when it is there already.",
        "torch.zeros(2).cpu()\n# tensor([0., 0.])",
        |a| {
            let (x, format): (Tensor, Option<MemoryFormat>) = a.take()?;
            convert(&x, Target { device: Some(DeviceId::Cpu), format, ..Target::default() })
        },
    ),
    cast(
        "cuda(Tensor(a) self, Device? device=None, bool non_blocking=False, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "The tensor on a GPU, the first one unless another is named: itself when it is there already.",
        "",
        |a| {
            let (x, device, _, format): (Tensor, Option<Device>, bool, Option<MemoryFormat>) = a.take()?;
            let id = device.map_or(DeviceId::Cuda(0), |d| d.id);
            if id.kind() != "cuda" {
                fault!(RuntimeError, "Invalid device, must be cuda device");
            }
            convert(&x, Target { device: Some(id), format, ..Target::default() })
        },
    ),
    op(
        "clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
        "A copy in a storage of its own. The order of dimensions in memory is kept unless a memory format is named.",
        "x = torch.zeros(2)\ny = x.clone()\ny[0] = 1\nx\n# tensor([0., 0.])",
        Form::Native(|a| {
            let (x, format): (Tensor, Option<MemoryFormat>) = a.take()?;
            Ok(relaid(&x, x.dtype(), x.device(), format)?.into())
        }),
    )
    .marked()
    .sparse()
    .no_out()
    .grads(&[("self", "grad")])
    .complex(),
    op(
        "contiguous(Tensor(a) self, *, MemoryFormat memory_format=None) -> Tensor(a)",
        "The same values lying in order, row by row: the tensor itself when they do already, else a copy.",
        "torch.zeros(2, 3).t().contiguous().stride()\n# (2, 1)",
        Form::Native(contiguous),
    )
    .marked()
    .method_only()
    .grads(&[("self", "grad")])
    .complex(),
    op(
        "nn.functional._c_name(Tensor input) -> str",
        "The dtype's name in C++, for messages.",
        "torch.nn.functional._c_name(torch.tensor([1]))  # 'long int'",
        Form::Native(|a| Ok(Value::from(a.get::<Tensor>(0)?.dtype().c_name()))),
    )
    .function_only()
    .no_out()
    .no_grad(),
    op(
        "nn.functional._mkldnn_name(Tensor input) -> Any",
        "The name of a dtype of 16 bits that PyTorch's library of layers takes on this processor; `None` for others.",
        "torch.nn.functional._mkldnn_name(torch.ones(1).bfloat16())  # 'CPUBFloat16Type'",
        Form::Native(|a| {
            let name = match a.get::<Tensor>(0)?.dtype() {
                DType::BF16 => Some("CPUBFloat16Type"),
                DType::F16 if follows_intel() => Some("torch.HalfTensor"),
                _ => None,
            };
            Ok(name.map_or(Value::None, Value::from))
        }),
    )
    .function_only()
    .no_out()
    .no_grad(),
    op(
        "nn.functional._order(Tensor[] tensors) -> Any",
        "The memory format of what is made of some tensors: channels last where one of them lies so.",
        "torch.nn.functional._order([torch.ones(1, 2, 2, 2)])  # torch.contiguous_format",
        Form::Native(|a| {
            let mut formats = a.get::<Vec<Tensor>>(0)?.into_iter().map(|t| t.layout().suggested_format());
            Ok(formats.find(|f| *f != MemoryFormat::Contiguous).unwrap_or_default().into())
        }),
    )
    .function_only()
    .no_out()
    .no_grad(),
];

fn to_dtype(args: &Args, dtype: DType) -> Result<Value> {
    let (x, format): (Tensor, Option<MemoryFormat>) = args.take()?;
    convert(&x, Target { dtype: Some(dtype), format, ..Target::default() })
}

/// The tensor itself when nothing changes, else a new one that records where it came from.
fn convert(x: &Tensor, target: Target) -> Result<Value> {
    let (dtype, device) = (target.dtype.unwrap_or(x.dtype()), target.device.unwrap_or(x.device()));
    let format = target.format.filter(|f| *f != MemoryFormat::Preserve);
    let lies_so = format.is_none_or(|f| f == suggested_format(x));
    if dtype == x.dtype() && device == x.device() && lies_so && !target.copy {
        return Ok(x.clone().into());
    }
    let new = relaid(x, dtype, device, format)?;
    autograd::record(&new, x, "ToCopyBackward0");
    Ok(new.into())
}

/// The memory format that a tensor's strides speak for.
fn suggested_format(x: &Tensor) -> MemoryFormat {
    x.layout().suggested_format()
}

/// A copy of the values in a storage of its own.
fn relaid(x: &Tensor, dtype: DType, device: DeviceId, format: Option<MemoryFormat>) -> Result<Tensor> {
    if let Some(sparse) = x.sparse() {
        return relaid_sparse(&sparse, dtype, device, format);
    }
    require_reached(device)?;
    let own = x.layout();
    let strides = match format {
        None | Some(MemoryFormat::Preserve) => own.preserved_strides(),
        Some(format) => format.strides(&own.sizes)?,
    };
    let new = exec::empty_layout(Layout::new(&own.sizes, &strides, 0), dtype, device)?;
    exec::copy(&new, x)?;
    Ok(new)
}

fn relaid_sparse(sparse: &Sparse, dtype: DType, device: DeviceId, format: Option<MemoryFormat>) -> Result<Tensor> {
    if format.is_some_and(|f| f != MemoryFormat::Preserve) {
        fault!(RuntimeError, "unsupported memory format option {}: a sparse tensor has none", format.unwrap_or_default().name());
    }
    let indices = sparse.indices.iter().map(|i| relaid(i, i.dtype(), device, None)).collect::<Result<_>>()?;
    let values = relaid(&sparse.values, dtype, device, None)?;
    let new = Sparse { indices, values, sizes: sparse.sizes.clone(), ..*sparse };
    Ok(Tensor::from_form(dtype, TensorForm::Sparse(Rc::new(new))))
}

fn contiguous(args: &Args) -> Result<Value> {
    let (x, format): (Tensor, Option<MemoryFormat>) = args.take()?;
    let format = format.unwrap_or_default();
    if x.strided()?.layout.is_contiguous_in(format) {
        return Ok(x.into());
    }
    if format == MemoryFormat::Preserve {
        fault!(RuntimeError, "preserve memory format is unsupported by the contiguous operator");
    }
    Ok(relaid(&x, x.dtype(), x.device(), Some(format))?.into())
}

/// `x.type()` and `x.type(t)`.
fn type_of(args: &Args) -> Result<Value> {
    let x: Tensor = args.get(0)?;
    let (dtype, device) = match args.value(1) {
        Value::None if x.sparse().is_some_and(|sparse| sparse.kind != SparseKind::Coo) => {
            fault!(RuntimeError, "Unimplemented backend SparseCsrCPU")
        }
        Value::None => return Ok(type_name(&x).into()),
        Value::DType(dtype) => (*dtype, x.device()),
        Value::Class(Class::TensorOf(dtype)) => (*dtype, DeviceId::Cpu),
        Value::Class(Class::Tensor) => (settings::default_dtype(), DeviceId::Cpu),
        other => match String::from_value(other).as_deref().map(named_type) {
            Some(Some(found)) => found,
            Some(None) => fault!(ValueError, "invalid type: '{}'", String::from_value(other).unwrap_or_default()),
            None => match other {
                Value::Class(class) => fault!(ValueError, "invalid type: '{}'", class.name()),
                _ => fault!(TypeError, "dtype must be a type, str, or dtype object"),
            },
        },
    };
    convert(&x, Target { dtype: Some(dtype), device: Some(device), ..Target::default() })
}

/// `torch.FloatTensor`, `torch.cuda.FloatTensor`, `torch.sparse.FloatTensor`.
pub fn type_name(x: &Tensor) -> String {
    let sparse = if x.sparse().is_some() { "sparse." } else { "" };
    let device = if x.device().kind() == "cuda" { "cuda." } else { "" };
    format!("torch.{device}{sparse}{}", x.dtype().info().tensor)
}

/// A dtype as C++ names the type of its tensors: that of old where there was one.
pub fn c_type_name(dtype: DType) -> String {
    use DType::{F16, F32, F64, I8, I16, I32, I64, U8};
    match dtype {
        F16 | F32 | F64 | I8 | I16 | I32 | I64 | U8 => format!("torch.{}", dtype.info().tensor),
        _ => format!("CPU{}Type", dtype.title()),
    }
}

/// The dtype and device that a type's name stands for.
pub fn named_type(name: &str) -> Option<(DType, DeviceId)> {
    let name = name.strip_prefix("torch.")?;
    let (name, device) = match name.strip_prefix("cuda.") {
        Some(rest) => (rest, DeviceId::Cuda(0)),
        None => (name, DeviceId::Cpu),
    };
    DType::ALL.iter().find(|d| !name.is_empty() && d.info().tensor == name).map(|d| (*d, device))
}
