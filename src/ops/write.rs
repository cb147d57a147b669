//! What writes into a tensor or makes it another view in place: copies, fills, `set_`, `resize_`.

use super::guard::refuse_leaf_write;
use super::{Args, Form, Op, Operand, exec, op};
use crate::device::DeviceId;
use crate::dtype::{DType, Number};
use crate::layout::{Dims, Layout, MemoryFormat, checked_numel, contiguous_strides};
use crate::ops::autograd::texts;
use crate::tensor::{Form as TensorForm, SparseKind, Storage, Strided, Tensor};
use crate::value::{StorageView, Value};
use anyhow::Result;
use std::rc::Rc;

/// A method that writes its tensor, and gives it.
const fn write(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).marked().method_only()
}

rows![
    write(
        "copy_(Tensor(a!) self, Operand other, bool non_blocking=False) -> Tensor(a!)",
        "Writes the elements of another tensor, broadcast and converted to this tensor's dtype.",
        "torch.zeros(2, 2).copy_(torch.tensor([1, 2]))\n# tensor([[1., 2.],\n#         [1., 2.]])",
        copy,
    )
    .sparse()
    .grads(&[("self", texts::FLAT), ("other", "grad")])
    .complex(),
    op(
        "fill_(Tensor(a!) self, Tensor value) -> Tensor(a!)",
        "Writes one number to every element.",
        "torch.zeros(2).fill_(7)\n# tensor([7., 7.])",
        Form::Native(fill_with_tensor),
    )
    .marked()
    .no_out()
    .grads(&[("self", texts::FLAT), ("value", "grad.sum()")])
    .complex(),
    op("fill_(Tensor(a!) self, Scalar value) -> Tensor(a!)", "", "", Form::Native(fill))
        .marked()
        .no_out()
        .grads(&[("self", texts::FLAT), ("value", "grad.sum()")])
        .complex(),
    op(
        "fill(Tensor self, Tensor value) -> Tensor",
        "A tensor like this one with one number in every element.",
        "torch.fill(torch.zeros(2), 7)\n# tensor([7., 7.])",
        Form::Native(|a| filled(a, fill_with_tensor)),
    )
    .marked()
    .function_only()
    .no_out()
    .grads(&[("self", texts::FLAT), ("value", "grad.sum()")])
    .complex(),
    op("fill(Tensor self, Scalar value) -> Tensor", "", "", Form::Native(|a| filled(a, fill)))
        .marked()
        .function_only()
        .no_out()
        .grads(&[("self", texts::FLAT), ("value", "grad.sum()")])
        .complex(),
    op(
        "zero_(Tensor(a!) self) -> Tensor(a!)",
        "Writes zero to every element.",
        "torch.ones(2).zero_()\n# tensor([0., 0.])",
        Form::Native(|a| {
            let x: Tensor = a.get(0)?;
            exec::fill(&x, Number::Int(0))?;
            Ok(x.into())
        }),
    )
    .marked()
    .no_out()
    .grads(&[("self", texts::FLAT)])
    .complex(),
    write(
        "fill_diagonal_(Tensor(a!) self, Scalar fill_value, bool wrap=False) -> Tensor(a!)",
        "Writes one number to the main diagonal; with `wrap`, a tall matrix has it again below, one row free.",
        "torch.zeros(2, 2).fill_diagonal_(5)\n# tensor([[5., 0.],\n#         [0., 5.]])",
        fill_diagonal,
    )
    .writes_leaves()
    .grads(&[("self", "grad.clone().fill_diagonal_(0, wrap)")])
    .complex(),
    write(
        "set_(Tensor(a!) self) -> Tensor(a!)",
        "Makes the tensor another view: of an empty storage, of a storage, or what another tensor is. \
         The storage grows when the view reaches beyond it.",
        "x = torch.arange(6.)\ntorch.empty(0).set_(x.storage(), 1, (2, 2), (2, 1))\n# tensor([[1., 2.],\n#         [3., 4.]])",
        |a| {
            let x: Tensor = a.get(0)?;
            let storage = Storage::new(x.device(), 0, true)?;
            set(x, storage, Layout::contiguous(&[0]))
        },
    ),
    write("set_(Tensor(a!) self, Storage source) -> Tensor(a!)", "", "", |a| {
        let (x, source): (Tensor, _) = (a.get(0)?, storage_for(a)?);
        refuse_leaf_write(&x, None)?;
        let cells = source.nbytes() / x.dtype().size();
        set(x, source, Layout::contiguous(&[cells as i64]))
    })
    .writes_leaves(),
    write(
        "set_(Tensor(a!) self, Storage source, SymInt storage_offset, SymInt[] size, SymInt[] stride=None) -> Tensor(a!)",
        "",
        "",
        |a| {
            let (x, source): (Tensor, _) = (a.get(0)?, storage_for(a)?);
            refuse_leaf_write(&x, None)?;
            let layout = asked_layout(a)?;
            require_room(&x, &source, &layout, a)?;
            set(x, source, layout)
        }
    )
    .writes_leaves(),
    write("set_(Tensor(a!) self, Tensor source) -> Tensor(a!)", "", "", |a| {
        let (x, source): (Tensor, Tensor) = a.take()?;
        same_dtype(&x, &source)?;
        refuse_leaf_write(&x, None)?;
        x.count_alone();
        x.replace(x.dtype(), source.form()?)?;
        Ok(x.into())
    })
    .writes_leaves(),
    write(
        "set_(Tensor(a!) self, Tensor source, SymInt storage_offset, SymInt[] size, SymInt[] stride=None) -> Tensor(a!)",
        "",
        "",
        |a| {
            let (x, source): (Tensor, Tensor) = (a.get(0)?, a.get(1)?);
            if !source.layout().is_contiguous() {
                fault!(RuntimeError, "passed in tensor to be used as storage must be contiguous");
            }
            let layout = asked_layout(a)?;
            let offset = layout.offset.saturating_add(source.layout().offset);
            set(x, source.storage()?, Layout { offset, ..layout })
        }
    ),
    write(
        "resize_(Tensor(a!) self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!)",
        "Gives the tensor another size, contiguous from its offset. The storage grows when it must, with zeros, and never shrinks.",
        "torch.arange(4).resize_(2, 2)\n# tensor([[0, 1],\n#         [2, 3]])",
        |a| {
            let (x, size, format): (Tensor, Dims, Option<MemoryFormat>) = a.take()?;
            resize(x, &size, format)
        },
    ),
    op(
        "resize_as_(Tensor(a!) self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor(a!)",
        "Gives the tensor the size of another one.",
        "torch.arange(4).resize_as_(torch.zeros(2, 2))\n# tensor([[0, 1],\n#         [2, 3]])",
        Form::Native(|a| {
            let (x, like, format): (Tensor, Tensor, Option<MemoryFormat>) = a.take()?;
            let format = if format == Some(MemoryFormat::Preserve) { Some(like.layout().suggested_format()) } else { format };
            resize(x, &like.sizes(), format)
        }),
    )
    .marked()
    .no_grad()
    .no_out(),
    write(
        "share_memory_(Tensor(a!) self) -> Tensor(a!)",
        "Moves the storage to memory that other processes see; tsr has one process, so this only gives the tensor.",
        "torch.zeros(2).share_memory_()\n# tensor([0., 0.])",
        |a| Ok(a.value(0).clone()),
    )
    .no_grad(),
    write(
        "pin_memory(Tensor(a) self, Device? device=None) -> Tensor(a)",
        "A copy in memory that a GPU reads directly. Fails without a GPU.",
        "",
        |a| {
            crate::device::get(DeviceId::Cuda(0))?;
            Ok(a.value(0).clone())
        },
    ),
    write(
        "is_pinned(Tensor self, Device? device=None) -> bool",
        "True when the memory is pinned for a GPU.",
        "torch.zeros(2).is_pinned()\n# False",
        |_| { Ok(false.into()) }
    )
    .sparse()
    .no_grad(),
    write(
        "is_shared(Tensor self) -> bool",
        "True when other processes see the memory.",
        "torch.zeros(2).is_shared()\n# False",
        |a| { Ok((a.get::<Tensor>(0)?.device().kind() == "cuda").into()) }
    )
    .no_grad(),
];

fn copy(args: &Args) -> Result<Value> {
    let (x, other): (Tensor, Operand) = args.take()?;
    if matches!(other, Operand::Number(_)) && x.sparse().is_none() {
        exec::refuse_overlap(&x)?;
    }
    match &other {
        // Unlike in `fill_`, what does not fit is converted as an element would be, and the imaginary part is dropped.
        Operand::Number(Number::Complex(number)) if !x.dtype().is_complex() && x.dtype() != DType::Bool => {
            exec::fill(&x, cast_number(Number::Float(number.re), &x))?
        }
        Operand::Number(number) => exec::fill(&x, cast_number(*number, &x))?,
        Operand::Tensor(other) => match (x.sparse(), other.sparse()) {
            (None, None) => exec::copy(&x, other).or_else(|error| exec::refuse_overlap(&x).and(Err(error)))?,
            (Some(to), Some(from)) if to.kind == SparseKind::Coo && from.kind == to.kind => {
                super::sparse::resize::refuse_smaller(&x, other)?;
                let kept = super::sparse::converted(&from, x.dtype())?;
                x.replace(x.dtype(), kept.form()?)?
            }
            (Some(to), Some(from)) if x.sizes() == other.sizes() && to.kind == from.kind => {
                x.replace(x.dtype(), TensorForm::Sparse(from))?
            }
            (Some(to), _) if to.kind != SparseKind::Coo => fault!(
                RuntimeError,
                "torch.copy_: copy of sparse compressed tensors having different layouts is not supported. self layout is {} and src layout is {}",
                super::sparse::layout_title(&x),
                super::sparse::layout_title(other)
            ),
            (None, Some(from)) if from.kind != SparseKind::Coo => {
                fault!(RuntimeError, "copy_sparse_compressed_ expected sparse compressed tensor layout but got Strided")
            }
            (Some(_), Some(_)) => fault!(RuntimeError, "copy_() between sparse Tensors of different sizes is not implemented"),
            _ => fault!(
                RuntimeError,
                "copy_() between dense and sparse Tensors is not implemented! Found self type = {} and src type = {}",
                super::convert::type_name(&x),
                super::convert::type_name(other)
            ),
        },
    }
    Ok(x.into())
}

fn fill(args: &Args) -> Result<Value> {
    let (x, number): (Tensor, Number) = args.take()?;
    exec::fill(&x, number)?;
    Ok(x.into())
}

fn fill_with_tensor(args: &Args) -> Result<Value> {
    let (x, value): (Tensor, Tensor) = args.take()?;
    if value.ndim() != 0 {
        fault!(RuntimeError, "fill_ only supports 0-dimension value tensor but got tensor with {} dimensions.", value.ndim());
    }
    exec::refuse_overlap(&x)?;
    exec::fill(&x, cast_number(exec::item(&value)?, &x))?;
    Ok(x.into())
}

/// A number from a tensor, which is converted to another dtype without looking whether it fits.
fn cast_number(number: Number, like: &Tensor) -> Number {
    let mut bytes = [0; 16];
    number.write(like.dtype(), &mut bytes);
    Number::read(like.dtype(), &bytes)
}

/// Runs a fill on a copy.
fn filled(args: &Args, fill: fn(&Args) -> Result<Value>) -> Result<Value> {
    let mut args = args.clone();
    let copy = exec::clone(&args.get(0)?)?;
    if let Some(first) = args.values.first_mut() {
        *first = copy.into();
    }
    fill(&args)
}

fn fill_diagonal(args: &Args) -> Result<Value> {
    let (x, number, wrap): (Tensor, Number, bool) = args.take()?;
    let layout = x.strided()?.layout;
    let sizes = &layout.sizes;
    if sizes.len() < 2 {
        fault!(RuntimeError, "dimensions must larger than 1");
    }
    if sizes.len() > 2 && sizes.iter().any(|s| *s != sizes[0]) {
        fault!(RuntimeError, "all dimensions of input must be of equal length");
    }
    refuse_leaf_write(&x, Some("AsStrided"))?;
    exec::check_fits(number, x.dtype())?;
    let (height, width) = (sizes[0], sizes.iter().skip(1).copied().min().unwrap_or(0));
    let step: i64 = layout.strides.iter().sum();
    let mut row = 0;
    while row < height {
        let offset = layout.offset + row * layout.strides[0];
        let piece = Layout::new(&[width.min(height - row)], &[step], offset);
        exec::fill(&x.alias(piece)?, number)?;
        row += if wrap && sizes.len() == 2 { width + 1 } else { height };
    }
    Ok(x.into())
}

fn same_dtype(x: &Tensor, source: &Tensor) -> Result<()> {
    if x.dtype() != source.dtype() {
        fault!(
            RuntimeError,
            "Could not set tensor of type {} to a tensor of type {}",
            source.dtype().c_name(),
            x.dtype().c_name()
        );
    }
    Ok(())
}

/// The storage argument of `set_`. Fails with a `RuntimeError` when it is typed and of another dtype.
fn storage_for(args: &Args) -> Result<Storage> {
    let (x, source): (Tensor, Rc<StorageView>) = args.take()?;
    match source.dtype {
        Some(dtype) if dtype != x.dtype() => fault!(
            RuntimeError,
            "Expected a Storage of type {} or an UntypedStorage, but got type {} for argument 1 'storage'",
            x.dtype().c_name(),
            dtype.title()
        ),
        _ => Ok(source.storage.clone()),
    }
}

/// Offset, size and stride of `set_`. Fails with a `RuntimeError` on negative ones.
fn asked_layout(args: &Args) -> Result<Layout> {
    let (offset, size, stride): (i64, Dims, Option<Dims>) = (args.get(2)?, args.get(3)?, args.get(4)?);
    let stride = stride.unwrap_or_else(|| contiguous_strides(&size));
    if size.len() != stride.len() {
        fault!(RuntimeError, "unequal size length ({}) and stride length ({})", size.len(), stride.len());
    }
    if offset < 0 {
        fault!(RuntimeError, "Tensor: invalid storage offset {offset}");
    }
    checked_numel(&size)?;
    if stride.iter().any(|s| *s < 0) {
        fault!(
            RuntimeError,
            "Storage size calculation overflowed with sizes={:?} and strides={:?}",
            size.as_slice(),
            stride.as_slice()
        );
    }
    Ok(Layout::new(&size, &stride, offset))
}

/// Fails with a `RuntimeError` when a storage is too small for the sizes that `x` has already: it is not made to grow then.
fn require_room(x: &Tensor, storage: &Storage, layout: &Layout, args: &Args) -> Result<()> {
    let asked: Option<Dims> = args.get(4)?;
    let (now, cells) = (x.layout(), layout.extent().map_or(0, |(_, high)| high + 1));
    let needed = cells.saturating_mul(x.dtype().size() as i64);
    let is_kept = now.sizes == layout.sizes && asked.as_ref().is_none_or(|strides| *strides == now.strides);
    if is_kept && needed > storage.nbytes() as i64 {
        fault!(
            RuntimeError,
            "setStorage: sizes {:?}, strides {:?}, storage offset {}, and itemsize {} requiring a storage size of {needed} are out of bounds for storage of size {}",
            layout.sizes.as_slice(),
            asked.unwrap_or_default().as_slice(),
            layout.offset,
            x.dtype().size(),
            storage.nbytes()
        );
    }
    Ok(())
}

/// Makes `x` a view of a storage, which grows when the view reaches beyond it.
fn set(x: Tensor, storage: Storage, layout: Layout) -> Result<Value> {
    let cells = layout.extent().map_or(0, |(_, high)| high as i128 + 1);
    let bytes = cells * x.dtype().size() as i128;
    let Ok(bytes) = usize::try_from(bytes).map(|b| b.min(isize::MAX as usize)) else {
        fault!(RuntimeError, "Storage size calculation overflowed with sizes={:?}", layout.sizes.as_slice());
    };
    if bytes > storage.nbytes() {
        storage.resize(bytes)?;
    }
    x.count_alone();
    x.replace(x.dtype(), TensorForm::Strided(Strided { storage, layout: Rc::new(layout), conj: false, neg: false }))?;
    Ok(x.into())
}

fn resize(x: Tensor, size: &[i64], format: Option<MemoryFormat>) -> Result<Value> {
    if x.requires_grad() {
        fault!(RuntimeError, "cannot resize variables that require grad");
    }
    checked_numel(size)?;
    if x.sizes().as_slice() != size {
        exec::resize(&x, size)?;
    }
    match (format, size.len()) {
        (Some(MemoryFormat::ChannelsLast), n) if n != 4 => {
            fault!(RuntimeError, "required rank 4 tensor to use channels_last format")
        }
        (Some(MemoryFormat::ChannelsLast3d), n) if n != 5 => {
            fault!(RuntimeError, "required rank 5 tensor to use channels_last_3d format")
        }
        (Some(MemoryFormat::Preserve), _) => fault!(RuntimeError, "Unsupported memory formatPreserve"),
        _ => {}
    }
    // A format that is asked for lays a tensor anew that has its size already.
    if let Some(format) = format {
        let form = x.strided()?;
        let layout = Layout::new(size, &format.strides(size)?, form.layout.offset);
        x.replace(x.dtype(), TensorForm::Strided(Strided { layout: Rc::new(layout), ..form }))?;
    }
    Ok(x.into())
}
