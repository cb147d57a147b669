//! What only looks at a tensor: sizes, strides, dtype, device, its values as Python numbers.

use super::exec::Reduction;
use super::pointwise::compare::EQ;
use super::{Args, Form, Op, Operand, exec, op, sparse};
use crate::device::NO_ITEM;
use crate::dtype::{DType, Number};
use crate::interrupt;
use crate::kernel::fold::ALL;
use crate::layout::{MemoryFormat, real_dim};
use crate::tensor::{Form as TensorForm, SparseKind, Tensor};
use crate::value::{Class, Device, StorageView, TensorLayout, Value};
use anyhow::Result;
use std::rc::Rc;

/// A row that only looks: it takes every kind of tensor, marks included, and its result asks for no gradient.
const fn look(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).marked().sparse().no_grad().no_out()
}

/// The attributes that programs read most, without binding; none for the others, and while steps are recorded.
pub fn at_once(name: &str, tensor: &Tensor) -> Option<Value> {
    let value = match name {
        "shape" => Value::Size(Rc::new(tensor.sizes())),
        "dtype" => Value::DType(tensor.dtype()),
        "ndim" => tensor.ndim().into(),
        "device" => Value::from(Device::from(tensor.device())),
        _ => return None,
    };
    (!super::trace::is_recording()).then_some(value)
}

/// `tensor.shape[place]`; none when there is no such dimension, and while steps are recorded.
pub fn size_at_once(tensor: &Tensor, place: i64) -> Option<i64> {
    let size = tensor.look(|_, form| {
        let TensorForm::Strided(form) = form else { return None };
        let sizes = &form.layout.sizes;
        let place = if place < 0 { place + sizes.len() as i64 } else { place };
        sizes.get(usize::try_from(place).ok()?).copied()
    })?;
    (!super::trace::is_recording()).then_some(size)
}

/// What is true of tensors of other devices and libraries alone.
macro_rules! never {
    ($name:literal) => {
        look(
            concat!($name, "(Tensor self) -> bool"),
            "Always False: tsr has no such tensors.",
            concat!("torch.zeros(2).", $name, "\n# False"),
            |_| Ok(false.into()),
        )
        .property()
    };
}

rows![
    look(
        "shape(Tensor self) -> Any",
        "The size of each dimension, as a `torch.Size`.",
        "torch.zeros(2, 3).shape\n# torch.Size([2, 3])",
        |a| Ok(Value::size(&tensor(a)?.sizes())),
    )
    .property(),
    look(
        "size(Tensor self, int? dim=None) -> Any",
        "The size of each dimension, as a `torch.Size`, or of one dimension, as an int.",
        "torch.zeros(2, 3).size(0)\n# 2",
        size,
    )
    .method_only(),
    look(
        "dim(Tensor self) -> int",
        "The number of dimensions.",
        "torch.zeros(2, 3).dim()\n# 2",
        |a| Ok(tensor(a)?.ndim().into()),
    )
    .method_only()
    .alias(&["ndimension"]),
    look(
        "ndim(Tensor self) -> int",
        "The number of dimensions.",
        "torch.zeros(2, 3).ndim\n# 2",
        |a| Ok(tensor(a)?.ndim().into()),
    )
    .property(),
    look(
        "numel(Tensor self) -> int",
        "The number of elements: the product of the sizes, 1 for a tensor without dimensions.",
        "torch.zeros(2, 3).numel()\n# 6",
        |a| Ok(tensor(a)?.numel().into()),
    ),
    look(
        "nelement(Tensor self) -> int",
        "The number of elements.",
        "torch.zeros(2, 3).nelement()\n# 6",
        |a| Ok(tensor(a)?.numel().into()),
    )
    .method_only(),
    look(
        "stride(Tensor self, int? dim=None) -> Any",
        "How many storage cells to move for one step in each dimension, or in one dimension.",
        "torch.zeros(2, 3).t().stride()\n# (1, 3)",
        stride,
    )
    .method_only(),
    look(
        "storage_offset(Tensor self) -> int",
        "The storage cell of the first element.",
        "torch.zeros(2, 3)[1].storage_offset()\n# 3",
        |a| Ok(tensor(a)?.layout().offset.into()),
    )
    .method_only(),
    look(
        "is_contiguous(Tensor self, *, MemoryFormat memory_format=None) -> bool",
        "True when walking the elements in order, row by row (or in the order of another memory format), walks neighbouring cells.",
        "torch.zeros(2, 3).t().is_contiguous()\n# False",
        is_contiguous,
    )
    .method_only(),
    look(
        "_base(Tensor self) -> Tensor?",
        "The tensor that this one is a view of, or None.",
        "x = torch.zeros(2, 3)\nx[1]._base is x\n# True",
        |a| Ok(tensor(a)?.base().map_or(Value::None, |base| base.clone().into())),
    )
    .property(),
    look(
        "_version(Tensor self) -> int",
        "How often what the tensor lies on was changed in place.",
        "x = torch.zeros(2)\nx += 1\nx._version\n# 1",
        |a| {
            let x = tensor(a)?;
            if x.is_inference() {
                fault!(RuntimeError, "Inference tensors do not track version counter.");
            }
            x.strided()?;
            Ok(Value::Int(x.changes() as i64))
        },
    )
    .property(),
    look("_is_view(Tensor self) -> bool", "True for a view of another tensor.", "torch.zeros(2, 3).t()._is_view()\n# True", |a| {
        Ok(tensor(a)?.base().is_some().into())
    })
    .method_only(),
    look(
        "data_ptr(Tensor self) -> int",
        "The address of the first element; 0 for a tensor without elements.",
        "x = torch.zeros(2, 3)\nx[1].data_ptr() - x.data_ptr()\n# 12",
        data_ptr,
    )
    .method_only(),
    look(
        "element_size(Tensor self) -> int",
        "Bytes of one element.",
        "torch.zeros(2).element_size()\n# 4",
        |a| Ok(tensor(a)?.dtype().size().into()),
    )
    .method_only(),
    look("itemsize(Tensor self) -> int", "Bytes of one element.", "torch.zeros(2).itemsize\n# 4", |a| {
        Ok(tensor(a)?.dtype().size().into())
    })
    .property(),
    look(
        "nbytes(Tensor self) -> int",
        "Bytes of all elements: their number times the bytes of one, whatever the storage holds.",
        "torch.zeros(2, 3).nbytes\n# 24",
        nbytes,
    )
    .property(),
    look("dtype(Tensor self) -> DType", "The type of the elements.", "torch.zeros(2).dtype\n# torch.float32", |a| {
        Ok(tensor(a)?.dtype().into())
    })
    .property(),
    look(
        "device(Tensor self) -> Device",
        "Where the elements are kept.",
        "torch.zeros(2).device\n# device(type='cpu')",
        |a| Ok(Value::from(Device::from(tensor(a)?.device()))),
    )
    .property(),
    look(
        "layout(Tensor self) -> Layout",
        "How the elements are kept: `torch.strided`, or a sparse layout.",
        "torch.zeros(2).layout\n# torch.strided",
        |a| Ok(TensorLayout::of(&tensor(a)?).into()),
    )
    .property(),
    look("is_cuda(Tensor self) -> bool", "True when the elements are on a GPU.", "torch.zeros(2).is_cuda\n# False", |a| {
        Ok((tensor(a)?.device().kind() == "cuda").into())
    })
    .property(),
    look("is_cpu(Tensor self) -> bool", "True when the elements are in host memory.", "torch.zeros(2).is_cpu\n# True", |a| {
        Ok((tensor(a)?.device().kind() == "cpu").into())
    })
    .property(),
    look("is_meta(Tensor self) -> bool", "True for a tensor without data.", "torch.zeros(2, device='meta').is_meta\n# True", |a| {
        Ok((tensor(a)?.device().kind() == "meta").into())
    })
    .property(),
    never!("is_ipu"),
    never!("is_maia"),
    never!("volatile"),
    never!("is_mkldnn"),
    never!("is_mps"),
    never!("is_mtia"),
    never!("is_nested"),
    never!("is_vulkan"),
    never!("is_xla"),
    never!("is_xpu"),
    look("name(Tensor self) -> Any", "Always None: what PyTorch keeps for its compilers.", "torch.zeros(2).name", |_| Ok(Value::None))
        .property(),
    look(
        "is_sparse(Tensor self) -> bool",
        "True for a tensor of coordinates and values.",
        "torch.eye(2).to_sparse().is_sparse\n# True",
        |a| Ok((TensorLayout::of(&tensor(a)?).name() == "sparse_coo").into()),
    )
    .property(),
    look(
        "is_sparse_csr(Tensor self) -> bool",
        "True for a tensor of compressed rows.",
        "torch.eye(2).is_sparse_csr\n# False",
        |a| Ok((TensorLayout::of(&tensor(a)?).name() == "sparse_csr").into()),
    )
    .property(),
    look("is_quantized(Tensor self) -> bool", "False: quantized tensors are no form of tensors here.", "torch.zeros(2).is_quantized\n# False", |_| {
        Ok(false.into())
    })
    .property(),
    look(
        "is_floating_point(Tensor self) -> bool",
        "True when the dtype is a real float.",
        "torch.zeros(2).is_floating_point()\n# True",
        |a| Ok(tensor(a)?.dtype().is_float().into()),
    ),
    look(
        "is_complex(Tensor self) -> bool",
        "True when the dtype is complex.",
        "torch.zeros(2).is_complex()\n# False",
        |a| Ok(tensor(a)?.dtype().is_complex().into()),
    ),
    look("is_distributed(Tensor self) -> bool", "Always False, as in PyTorch.", "torch.zeros(2).is_distributed()\n# False", |_| {
        Ok(false.into())
    }),
    look(
        "is_signed(Tensor self) -> bool",
        "True when the dtype has negative numbers.",
        "torch.zeros(2, dtype=torch.uint8).is_signed()\n# False",
        is_signed,
    ),
    look(
        "is_conj(Tensor self) -> bool",
        "True when the elements are read as complex conjugates: the view that `conj` gives.",
        "torch.tensor([1j]).conj().is_conj()\n# True",
        |a| Ok(tensor(a)?.is_conj().into()),
    ),
    look(
        "is_neg(Tensor self) -> bool",
        "True when the elements are read negated, as the imaginary part of a conjugate view is.",
        "torch.tensor([1j]).conj().imag.is_neg()\n# True",
        |a| Ok(tensor(a)?.is_neg().into()),
    ),
    look(
        "is_nonzero(Tensor self) -> bool",
        "The truth of a tensor with one element; nan is true.",
        "torch.tensor([0.5]).is_nonzero()\n# True",
        is_nonzero,
    ),
    look(
        "is_same_size(Tensor self, Tensor other) -> bool",
        "True when both have the same sizes.",
        "torch.zeros(2, 3).is_same_size(torch.ones(2, 3))\n# True",
        |a| Ok((tensor(a)?.sizes() == a.get::<Tensor>(1)?.sizes()).into()),
    ),
    op(
        "is_set_to(Tensor self, Tensor tensor) -> bool",
        "True when both are the same view of the same storage: sizes, strides and offset.",
        "x = torch.zeros(2, 3)\nx.is_set_to(x.view(2, 3))\n# True",
        Form::Native(is_set_to),
    )
    .marked()
    .method_only(),
    op(
        "equal(Tensor self, Tensor other) -> bool",
        "True when both have the same sizes and equal elements; nan equals nothing.",
        "torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2]))\n# True",
        Form::Native(equal),
    )
    .no_grad()
    .no_out(),
    look("is_tensor(Any obj) -> bool", "True when the object is a tensor.", "torch.is_tensor([1, 2])\n# False", |a| {
        Ok(matches!(a.value(0), Value::Tensor(_)).into())
    })
    .function_only(),
    look(
        "is_storage(Any obj) -> bool",
        "True when the object is a storage.",
        "torch.is_storage(torch.zeros(2).storage())\n# True",
        |a| Ok(matches!(a.value(0), Value::Storage(_)).into()),
    )
    .function_only(),
    look("item(Tensor self) -> Scalar", "The only element, as a Python number.", "torch.tensor([2.5]).item()\n# 2.5", item)
        .method_only(),
    op(
        "tolist(Tensor self) -> Any",
        "The elements as nested lists of Python numbers; a single number for a tensor without dimensions.",
        "torch.tensor([[1, 2], [3, 4]]).tolist()\n# [[1, 2], [3, 4]]",
        Form::Native(tolist),
    )
    .no_grad()
    .method_only(),
    look(
        "storage(Tensor self) -> Storage",
        "The storage that the tensor is a view of, seen as elements of the tensor's dtype: the whole of it, not the view.",
        "x = torch.arange(4.)\nx[2:].storage()[0]\n# 0.0",
        |a| storage(a, true),
    )
    .method_only(),
    look(
        "storage_type(Tensor self) -> Any",
        "The legacy class of the storage, as elements of the tensor's dtype.",
        "torch.zeros(2).storage_type()\n# <class 'torch.FloatStorage'>",
        |a| {
            let dtype = a.get::<Tensor>(0)?.dtype();
            Ok(dtype.storage_class().map_or(Value::None, |_| Value::Class(Class::StorageOf(dtype))))
        },
    )
    .method_only(),
    look(
        "untyped_storage(Tensor self) -> Storage",
        "The storage that the tensor is a view of, seen as bytes.",
        "torch.zeros(2).untyped_storage().nbytes()\n# 8",
        |a| storage(a, false),
    )
    .method_only(),
    look(
        "get_device(Tensor self) -> int",
        "The number of the GPU that holds the elements; -1 in host memory.",
        "torch.zeros(2).get_device()\n# -1",
        |a| Ok(tensor(a)?.device().index().map_or(-1, i64::from).into()),
    ),
    look(
        "data(Tensor self) -> Any",
        "A tensor over the same storage that records no gradient.",
        "x = torch.ones(2, requires_grad=True)\nx.data\n# tensor([1., 1.])",
        |a| {
            let x = tensor(a)?;
            let data = Tensor::from_form(x.dtype(), x.form()?);
            data.count_from(0);
            Ok(data.into())
        },
    )
    .property(),
];

fn tensor(args: &Args) -> Result<Tensor> {
    args.get(0)
}

fn size(args: &Args) -> Result<Value> {
    let (x, dim): (Tensor, Option<i64>) = args.take()?;
    Ok(match dim {
        None => Value::size(&x.sizes()),
        Some(dim) => x.sizes()[real_dim(dim, x.ndim())?].into(),
    })
}

fn stride(args: &Args) -> Result<Value> {
    let (x, dim): (Tensor, Option<i64>) = args.take()?;
    let strides = match x.form()? {
        TensorForm::Strided(s) => s.layout.strides.clone(),
        TensorForm::Sparse(s) if s.kind == SparseKind::Coo => s.sizes.iter().map(|_| 0).collect(),
        TensorForm::Sparse(_) => return Err(sparse::lacks(&x, "strides")),
    };
    Ok(match dim {
        None => Value::tuple(strides.iter().map(|s| Value::Int(*s)).collect()),
        Some(dim) => strides[real_dim(dim, x.ndim())?].into(),
    })
}

fn is_contiguous(args: &Args) -> Result<Value> {
    let (x, format): (Tensor, Option<MemoryFormat>) = args.take()?;
    if x.sparse().is_some_and(|sparse| sparse.kind != SparseKind::Coo) {
        return Err(sparse::lacks(&x, "is_contiguous"));
    }
    let strided = x.sparse().is_none();
    Ok((strided && x.layout().is_contiguous_in(format.unwrap_or_default())).into())
}

fn data_ptr(args: &Args) -> Result<Value> {
    let x = tensor(args)?;
    if x.sparse().is_some() {
        fault!(RuntimeError, "Cannot access data pointer of Tensor that doesn't have storage");
    }
    let start = x.storage()?.data_ptr();
    if start == 0 || x.numel() == 0 {
        return Ok(Value::Int(0));
    }
    Ok((start + x.layout().offset as usize * x.dtype().size()).into())
}

fn nbytes(args: &Args) -> Result<Value> {
    let x = tensor(args)?;
    if x.sparse().is_some_and(|sparse| sparse.kind == SparseKind::Coo) {
        fault!(
            RuntimeError,
            "nbytes is not defined for sparse tensors.  If you want the size of the constituent tensors, add the nbytes of the indices and values.  If you want the size of the  equivalent dense tensor, multiply numel() by element_size()"
        );
    }
    Ok((x.numel() * x.dtype().size() as i64).into())
}

fn is_signed(args: &Args) -> Result<Value> {
    use crate::dtype::{DType, Kind};
    let dtype = tensor(args)?.dtype();
    Ok((!matches!(dtype.kind(), Kind::Unsigned | Kind::Bool) && dtype != DType::F8E8M0).into())
}

fn is_nonzero(args: &Args) -> Result<Value> {
    Ok(truth(&tensor(args)?)?.into())
}

/// `bool(x)`. Fails with a `RuntimeError` unless there is exactly one element.
pub fn truth(x: &Tensor) -> Result<bool> {
    match x.numel() {
        0 => fault!(RuntimeError, "Boolean value of Tensor with no values is ambiguous"),
        1 => Ok(exec::item(x)?.to_bool()),
        _ => fault!(RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"),
    }
}

/// `len(x)`. Fails with a `TypeError` on a tensor without dimensions.
pub fn length(x: &Tensor) -> Result<usize> {
    match x.sizes().first() {
        Some(size) => Ok(*size as usize),
        None => fault!(TypeError, "len() of a 0-d tensor"),
    }
}

fn item(args: &Args) -> Result<Value> {
    let x = tensor(args)?;
    if x.numel() == 1 && x.device().kind() == "meta" {
        fault!(RuntimeError, "{NO_ITEM}");
    }
    match x.sparse() {
        Some(sparse) if x.numel() == 1 && sparse.values.numel() == 1 => Ok(exec::item(&sparse.values)?.into()),
        Some(sparse) if x.numel() == 1 && sparse.values.numel() == 0 => Ok(Number::read(x.dtype(), &[0; 16]).into()),
        _ => Ok(exec::item(&x)?.into()),
    }
}

fn tolist(args: &Args) -> Result<Value> {
    let x = tensor(args)?;
    let (bytes, dtype) = (exec::bytes(&x)?, x.dtype());
    nested(&mut bytes.chunks_exact(dtype.size()), dtype, &x.sizes())
}

/// Elements between two looks at Ctrl-C.
const STRETCH: usize = 1 << 16;

/// The cells of a tensor as lists in lists.
fn nested(cells: &mut std::slice::ChunksExact<u8>, dtype: DType, sizes: &[i64]) -> Result<Value> {
    let value = |cell: &[u8]| Value::from(Number::read(dtype, cell));
    let Some((size, rest)) = sizes.split_first() else { return Ok(cells.next().map_or(Value::None, value)) };
    let mut items = Vec::with_capacity((*size as usize).min(STRETCH));
    for k in (0..*size as usize).step_by(STRETCH) {
        interrupt::check()?;
        let stretch = STRETCH.min(*size as usize - k);
        match rest {
            [] => items.extend(cells.take(stretch).map(value)),
            rest => {
                for _ in 0..stretch {
                    items.push(nested(cells, dtype, rest)?);
                }
            }
        }
    }
    Ok(Value::list(items))
}

fn storage(args: &Args, typed: bool) -> Result<Value> {
    let x = tensor(args)?;
    Ok(Value::Storage(Rc::new(StorageView { storage: x.storage()?, dtype: typed.then(|| x.dtype()) })))
}

/// Above so many elements the first row is looked at alone: it often settles the question.
const MANY: i64 = 4096;

fn equal(args: &Args) -> Result<Value> {
    let (a, b): (Tensor, Tensor) = args.take()?;
    if a.sizes() != b.sizes() {
        return Ok(false.into());
    }
    let first = |t: &Tensor| t.alias(t.layout().narrow(0, 0, 1)?);
    Ok(((a.numel() < MANY || is_equal(&first(&a)?, &first(&b)?)?) && is_equal(&a, &b)?).into())
}

fn is_equal(a: &Tensor, b: &Tensor) -> Result<bool> {
    let same = EQ.of("eq", &[Operand::Tensor(a.clone()), Operand::Tensor(b.clone())], &[])?;
    let dims: Vec<usize> = (0..same.ndim()).collect();
    let all = exec::fold(&Reduction::new(&ALL, DType::Bool), &same, &dims, false)?;
    Ok(exec::item(&all[0])?.to_bool())
}

fn is_set_to(args: &Args) -> Result<Value> {
    let (x, y): (Tensor, Tensor) = args.take()?;
    Ok((x.storage()?.same(&y.storage()?) && x.layout() == y.layout()).into())
}
