//! Other sizes for the same elements: views where strides allow it, copies where they do not, and tensors that change in place.

use super::{Args, Form, Op, exec, op};
use crate::dtype::DType;
use crate::layout::{Dims, Element, Layout, MemoryFormat, infer_sizes};
use crate::tensor::{Form as TensorForm, Storage, Strided, Tensor};
use crate::value::Value;
use anyhow::Result;
use std::rc::Rc;

/// A row that gives a view where it can.
const fn shape(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).marked().no_out()
}

rows![
    shape(
        "view(Tensor(a) self, DType dtype) -> Tensor(a)",
        "The same storage with other sizes, of which one may be -1; an error when no strides can do it. Given a dtype, the same \
         bytes read as that dtype.",
        "torch.arange(6).view(2, -1).tolist()\n# [[0, 1, 2], [3, 4, 5]]",
        |a| Ok(view_dtype(&a.get(0)?, a.get(1)?)?.into()),
    )
    .method_only(),
    op("view(Tensor(a) self, int[] size) -> Tensor(a)", "", "", Form::View(|l, a| l.view(&a.get::<Dims>(1)?))).method_only(),
    op(
        "view_as(Tensor(a) self, Tensor other) -> Tensor(a)",
        "The same storage with the sizes of another tensor.",
        "torch.arange(4).view_as(torch.zeros(2, 2)).tolist()\n# [[0, 1], [2, 3]]",
        Form::View(|l, a| l.view(&a.get::<Tensor>(1)?.sizes())),
    )
    .method_only(),
    shape(
        "reshape(Tensor(a) self, int[] shape) -> Tensor(a)",
        "The same elements with other sizes, of which one may be -1: a view when strides allow it, else a copy.",
        "torch.arange(6).view(2, 3).t().reshape(6)\n# tensor([0, 3, 1, 4, 2, 5])",
        |a| Ok(reshape(&a.get(0)?, &a.get::<Dims>(1)?)?.into()),
    ),
    shape(
        "reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)",
        "The same elements with the sizes of another tensor: a view when strides allow it, else a copy.",
        "torch.arange(4).reshape_as(torch.zeros(2, 2)).tolist()\n# [[0, 1], [2, 3]]",
        |a| Ok(reshape(&a.get(0)?, &a.get::<Tensor>(1)?.sizes())?.into()),
    )
    .method_only(),
    shape(
        "flatten(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)",
        "Makes one dimension of those from `start_dim` to `end_dim`: a view when strides allow it, else a copy.",
        "torch.zeros(2, 3, 4).flatten(1).shape\n# torch.Size([2, 12])",
        flatten,
    ),
    shape(
        "ravel(Tensor(a) self) -> Tensor(a)",
        "All elements in one dimension: a view when the tensor is contiguous, else a copy.",
        "torch.arange(4).view(2, 2).ravel()\n# tensor([0, 1, 2, 3])",
        |a| Ok(reshape(&a.get(0)?, &[-1])?.into()),
    ),
    shape(
        "contiguous(Tensor(a) self, *, MemoryFormat? memory_format=None) -> Tensor(a)",
        "The tensor itself when its elements lie in row-major order (or in the order of the memory format), else a copy that does.",
        "torch.zeros(2, 3).t().contiguous().stride()\n# (2, 1)",
        contiguous,
    )
    .method_only(),
    shape(
        "atleast_1d(Tensor(a) self) -> Tensor(a)",
        "Gives a tensor without dimensions one. Several tensors, or a list of them, give a tuple.",
        "torch.atleast_1d(torch.tensor(3))\n# tensor([3])",
        |a| Ok(at_least(&a.get(0)?, 1)?.into()),
    )
    .function_only(),
    shape("atleast_1d(Tensor(a)[] tensors) -> Tensor(a)[]", "", "", |a| at_least_each(a, 1)).function_only().variadic(),
    shape(
        "atleast_2d(Tensor(a) self) -> Tensor(a)",
        "Adds leading dimensions until there are two. Several tensors, or a list of them, give a tuple.",
        "torch.atleast_2d(torch.tensor([1, 2]))\n# tensor([[1, 2]])",
        |a| Ok(at_least(&a.get(0)?, 2)?.into()),
    )
    .function_only(),
    shape("atleast_2d(Tensor(a)[] tensors) -> Tensor(a)[]", "", "", |a| at_least_each(a, 2)).function_only().variadic(),
    shape(
        "atleast_3d(Tensor(a) self) -> Tensor(a)",
        "Adds dimensions until there are three: `n` elements become (1, n, 1), a matrix gets a last dimension. Several tensors, or \
         a list of them, give a tuple.",
        "torch.atleast_3d(torch.zeros(2)).shape\n# torch.Size([1, 2, 1])",
        |a| Ok(at_least(&a.get(0)?, 3)?.into()),
    )
    .function_only(),
    shape("atleast_3d(Tensor(a)[] tensors) -> Tensor(a)[]", "", "", |a| at_least_each(a, 3)).function_only().variadic(),
    shape(
        "resize_(Tensor(a!) self, int[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!)",
        "Gives the tensor itself another size, contiguous from its offset. The storage grows when it must; new cells are not set.",
        "torch.arange(6).resize_(2, 2).tolist()\n# [[0, 1], [2, 3]]",
        |a| {
            let (x, size, format): (Tensor, Dims, Option<MemoryFormat>) = a.take()?;
            resize(&x, &size, format)
        },
    )
    .method_only(),
    shape(
        "resize_as_(Tensor(a!) self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor(a!)",
        "Gives the tensor itself the size of another one.",
        "torch.arange(6).resize_as_(torch.zeros(2)).tolist()\n# [0, 1]",
        |a| {
            let (x, like, format): (Tensor, Tensor, Option<MemoryFormat>) = a.take()?;
            let format = if format == Some(MemoryFormat::Preserve) { Some(like.layout().suggested_format()) } else { format };
            resize(&x, &like.sizes(), format)
        },
    ),
    shape(
        "set_(Tensor(a!) self) -> Tensor(a!)",
        "Makes the tensor itself a view of another storage: of another tensor's, whole or with offset, size and strides. Without \
         arguments it becomes empty.",
        "x = torch.zeros(2)\nx.set_(torch.arange(3.))\n# tensor([0., 1., 2.])",
        |a| {
            let (x,): (Tensor,) = a.take()?;
            let empty = Storage::new(x.device(), 0, false)?;
            set(&x, empty, Layout::contiguous(&[0]))
        },
    )
    .method_only(),
    shape("set_(Tensor(a!) self, Tensor source) -> Tensor(a!)", "", "", |a| {
        let (x, source): (Tensor, Tensor) = a.take()?;
        require_same_dtype(&x, &source)?;
        set(&x, source.storage()?, (*source.layout()).clone())
    })
    .method_only(),
    shape("set_(Tensor(a!) self, Storage source) -> Tensor(a!)", "", "", |a| {
        let (x, storage) = (a.get::<Tensor>(0)?, storage_of(a)?);
        let cells = storage.nbytes() / x.dtype().size();
        set(&x, storage, Layout::contiguous(&[cells as i64]))
    })
    .method_only(),
    shape(
        "set_(Tensor(a!) self, Tensor source, int storage_offset, int[] size, int[] stride=[]) -> Tensor(a!)",
        "",
        "",
        |a| {
            let (x, source): (Tensor, Tensor) = a.take()?;
            require_same_dtype(&x, &source)?;
            if !source.layout().is_contiguous() {
                fault!(RuntimeError, "passed in tensor to be used as storage must be contiguous");
            }
            set_strided(a, &x, source.storage()?, source.layout().offset)
        },
    )
    .method_only(),
    shape(
        "set_(Tensor(a!) self, Storage source, int storage_offset, int[] size, int[] stride=[]) -> Tensor(a!)",
        "",
        "",
        |a| set_strided(a, &a.get(0)?, storage_of(a)?, 0),
    )
    .method_only(),
];

/// The same bytes as elements of another dtype.
fn view_dtype(x: &Tensor, dtype: DType) -> Result<Tensor> {
    let strided = x.strided()?;
    let element = |d: DType| Element { bytes: d.size() as i64, title: d.title() };
    for (mark, what) in [(strided.conj, "conjugate view tensors"), (strided.neg, "tensors with negative bit set")] {
        if mark {
            fault!(RuntimeError, "torch.Tensor.view is not supported for {what} when converting to a different dtype.");
        }
    }
    let layout = Rc::new(strided.layout.reinterpret(element(x.dtype()), element(dtype))?);
    Ok(Tensor::from_form(dtype, TensorForm::Strided(Strided { layout, ..strided })))
}

/// The same elements with other sizes (one may be -1): a view when strides allow it, else a contiguous copy.
pub fn reshape(x: &Tensor, shape: &[i64]) -> Result<Tensor> {
    let layout = x.layout();
    let sizes = infer_sizes(shape, layout.numel())?;
    match layout.try_view(&sizes) {
        Some(view) => x.alias(view),
        None => exec::contiguous(x)?.alias(Layout::contiguous(&sizes)),
    }
}

fn flatten(args: &Args) -> Result<Value> {
    let (x, start, end): (Tensor, i64, i64) = args.take()?;
    let (sizes, view) = x.layout().flatten(start, end)?;
    Ok(match view {
        Some(view) if view == *x.layout() => x,
        Some(view) => x.alias(view)?,
        None => exec::contiguous(&x)?.alias(Layout::contiguous(&sizes))?,
    }
    .into())
}

fn contiguous(args: &Args) -> Result<Value> {
    let (x, format): (Tensor, Option<MemoryFormat>) = args.take()?;
    let format = format.unwrap_or_default();
    if x.layout().is_contiguous_in(format) {
        return Ok(x.into());
    }
    if format == MemoryFormat::Preserve {
        fault!(RuntimeError, "preserve memory format is unsupported by the contiguous operator");
    }
    Ok(exec::clone_in(&x, format)?.into())
}

/// Adds dimensions of size 1 until there are `ndim`; a tensor that has them is given back itself.
pub fn at_least(x: &Tensor, ndim: usize) -> Result<Tensor> {
    let layout = x.layout();
    let layout = match (layout.ndim(), ndim) {
        (have, want) if have >= want => return Ok(x.clone()),
        (0, 1) => layout.unsqueeze(0)?,
        (1, 2) => layout.unsqueeze(0)?,
        (1, 3) => layout.unsqueeze(0)?.unsqueeze(-1)?,
        (2, 3) => layout.unsqueeze(-1)?,
        (_, want) => layout.view(&Dims::from_elem(1, want))?,
    };
    x.alias(layout)
}

fn at_least_each(args: &Args, ndim: usize) -> Result<Value> {
    let (tensors,): (Vec<Tensor>,) = args.take()?;
    Ok(tensors.iter().map(|x| at_least(x, ndim)).collect::<Result<Vec<Tensor>>>()?.into())
}

fn resize(x: &Tensor, size: &[i64], format: Option<MemoryFormat>) -> Result<Value> {
    if x.requires_grad() {
        fault!(RuntimeError, "cannot resize variables that require grad");
    }
    exec::resize(x, size)?;
    if let Some(format) = format {
        let strided = x.strided()?;
        let layout = Rc::new(Layout { strides: format.strides(size)?, ..(*strided.layout).clone() });
        x.replace(x.dtype(), TensorForm::Strided(Strided { layout, ..strided }))?;
    }
    Ok(x.clone().into())
}

fn require_same_dtype(x: &Tensor, source: &Tensor) -> Result<()> {
    if x.dtype() != source.dtype() {
        fault!(
            RuntimeError,
            "Could not set tensor of type {} to a tensor of type {}",
            source.dtype().title().to_lowercase(),
            x.dtype().title().to_lowercase()
        );
    }
    Ok(())
}

/// The storage that `set_` was given; a typed one must have the tensor's dtype.
fn storage_of(args: &Args) -> Result<Storage> {
    let x: Tensor = args.get(0)?;
    let Value::Storage(view) = args.value(1) else { fault!(TypeError, "set_(): argument 'source' must be a storage") };
    match view.dtype {
        Some(dtype) if dtype != x.dtype() => fault!(
            RuntimeError,
            "Expected a Storage of type {} or an UntypedStorage, but got type {} for argument 1 'storage'",
            x.dtype().title().to_lowercase(),
            dtype.title()
        ),
        _ => Ok(view.storage.clone()),
    }
}

/// `set_` with offset (counted from cell `start`), size and strides from the arguments; the storage grows when it must.
fn set_strided(args: &Args, x: &Tensor, storage: Storage, start: i64) -> Result<Value> {
    let (offset, size, stride) = (args.get::<i64>(2)?, args.get::<Dims>(3)?, args.get::<Dims>(4)?);
    let stride = if stride.is_empty() { Layout::contiguous(&size).strides } else { stride };
    let layout = x.layout().as_strided(&size, &stride, Some(offset.saturating_add(start)))?;
    let cells = layout.extent().map_or(0, |(_, high)| high.saturating_add(1));
    let needed = (cells as usize).saturating_mul(x.dtype().size());
    if needed > storage.nbytes() {
        storage.resize(needed)?;
    }
    set(x, storage, layout)
}

fn set(x: &Tensor, storage: Storage, layout: Layout) -> Result<Value> {
    if storage.device() != x.device() {
        fault!(
            RuntimeError,
            "Attempted to set the storage of a tensor on device \"{}\" to a storage on different device \"{}\".",
            x.device(),
            storage.device()
        );
    }
    x.replace(x.dtype(), TensorForm::Strided(Strided { storage, layout: Rc::new(layout), conj: false, neg: false }))?;
    Ok(x.clone().into())
}
