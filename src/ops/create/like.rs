//! Tensors like another one: its sizes (`…_like`), or its dtype and device (`new_…`).

use super::data::from_data;
use super::options::{Options, factory, hybrid_zeros, like_layout, sparse_zeros};
use crate::device::no_kernel;
use crate::dtype::Number;
use crate::layout::{Dims, Layout, MemoryFormat};
use crate::ops::sparse::compressed::emptied_blocks;
use crate::ops::sparse::{no_room, with_values};
use crate::ops::{Args, Form, Op, exec, op};
use crate::tensor::{SparseKind, Tensor};
use crate::value::{TensorLayout, Value};
use anyhow::Result;

/// A function that makes a tensor of another one's sizes.
const fn like(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).function_only().no_grad().no_out().marked().sparse()
}

/// A method that makes a tensor of another one's dtype.
const fn new(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).method_only().no_grad().marked().sparse()
}

rows![
    like(
        factory!("empty_like(Tensor self, *", ", MemoryFormat? memory_format=None"),
        "A tensor of the same size and dtype whose elements are whatever the memory held.",
        "torch.empty_like(torch.zeros(2, 3).t()).stride()\n# (1, 3)",
        |a| {
            let (options, tensor) = empty_like(a, 1)?;
            options.finish(tensor)
        },
    ),
    like(
        factory!("zeros_like(Tensor self, *", ", MemoryFormat? memory_format=None"),
        "A tensor of zeros of the same size and dtype.",
        "torch.zeros_like(torch.tensor([1, 2]))\n# tensor([0, 0])",
        |a| filled_like(a, 1, Number::Int(0)),
    ),
    like(
        factory!("ones_like(Tensor self, *", ", MemoryFormat? memory_format=None"),
        "A tensor of ones of the same size and dtype.",
        "torch.ones_like(torch.tensor([5, 6]))\n# tensor([1, 1])",
        |a| filled_like(a, 1, Number::Int(1)),
    ),
    like(
        factory!("full_like(Tensor self, Scalar fill_value, *", ", MemoryFormat? memory_format=None"),
        "A tensor of the same size and dtype with one number in every element.",
        "torch.full_like(torch.tensor([1., 2.]), 7)\n# tensor([7., 7.])",
        |a| filled_like(a, 2, a.get(1)?),
    ),
    new(
        factory!("new_empty(Tensor self, SymInt[] size, *"),
        "A tensor of the same dtype, on the same device, whose elements are whatever the memory held.",
        "torch.tensor([1, 2]).new_empty(3).dtype\n# torch.int64",
        |a| {
            let (options, tensor) = new_empty(a, 2)?;
            options.finish(tensor)
        },
    ),
    new(
        factory!("new_zeros(Tensor self, SymInt[] size, *"),
        "A tensor of zeros of the same dtype, on the same device.",
        "torch.tensor([1, 2]).new_zeros(3)\n# tensor([0, 0, 0])",
        |a| new_filled(a, 2, Number::Int(0)),
    ),
    new(
        factory!("new_ones(Tensor self, SymInt[] size, *"),
        "A tensor of ones of the same dtype, on the same device.",
        "torch.tensor([1, 2]).new_ones(3)\n# tensor([1, 1, 1])",
        |a| new_filled(a, 2, Number::Int(1)),
    ),
    new(
        factory!("new_full(Tensor self, SymInt[] size, Scalar fill_value, *"),
        "A tensor of the same dtype, on the same device, with one number in every element.",
        "torch.tensor([1, 2]).new_full((3,), 7)\n# tensor([7, 7, 7])",
        |a| new_filled(a, 3, a.get(2)?),
    ),
    new(
        factory!("new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *"),
        "A tensor of the same dtype, on the same device, with these strides.",
        "torch.tensor([1, 2]).new_empty_strided((2, 3), (1, 2)).stride()\n# (1, 2)",
        |a| {
            let (x, size, stride): (Tensor, Dims, Dims) = a.take()?;
            let options = Options::read_like(a, 3, &x)?;
            options.finish(exec::empty_strided(&size, &stride, options.float_dtype(), options.device)?)
        },
    ),
    new(
        "new_tensor(Tensor self, Any data, *, DType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor",
        "A tensor made of data, of the same dtype and on the same device unless others are given.",
        "torch.tensor([1.5]).new_tensor([1, 2])\n# tensor([1., 2.])",
        |a| {
            let x: Tensor = a.get(0)?;
            if x.sparse().is_some_and(|s| s.kind != SparseKind::Coo) {
                fault!(RuntimeError, "Cannot map DispatchKey SparseCsrCPU to a unique layout.");
            }
            let options = Options {
                dtype: Some(a.get::<Option<_>>(2)?.unwrap_or(x.dtype())),
                layout: TensorLayout::Strided,
                device: a.get::<Option<_>>(3)?.unwrap_or(x.device()),
                requires_grad: a.get(4)?,
            };
            options.finish(from_data(a.value(1), options.dtype, options.device)?)
        },
    ),
];

/// A tensor like the first argument, and the options from place `first` on.
pub fn empty_like(args: &Args, first: usize) -> Result<(Options, Tensor)> {
    let x: Tensor = args.get(0)?;
    let options = Options::read_like(args, first, &x)?;
    let format: MemoryFormat = args.get::<Option<_>>(first + 5)?.unwrap_or(MemoryFormat::Preserve);
    if x.sparse().is_some_and(|s| s.kind != SparseKind::Coo) && options.layout != TensorLayout::of(&x) {
        let [own, asked] = [TensorLayout::of(&x), options.layout].map(TensorLayout::title);
        fault!(
            RuntimeError,
            "empty_like with different sparse layout is not supported (self is {own} but you requested {asked})"
        );
    }
    let tensor = match options.layout {
        TensorLayout::Sparse(kind) if let Some(sparse) = x.sparse().filter(|s| s.kind == kind && kind.is_blocked()) => {
            emptied_blocks(&sparse, options.float_dtype())?
        }
        TensorLayout::Sparse(kind) => {
            let outer = x.sparse().filter(|s| s.kind == SparseKind::Coo).map_or(x.ndim(), |s| s.indices[0].sizes()[0] as usize);
            hybrid_zeros(kind, &x.sizes(), outer, options.float_dtype(), options.device)?
        }
        TensorLayout::Strided | TensorLayout::Jagged => {
            exec::empty_layout(like_layout(&x, format)?, options.float_dtype(), options.device)?
        }
    };
    Ok((options, tensor))
}

fn no_fill() -> Result<()> {
    Err(no_kernel("fill_.Scalar", "SparseCPU"))
}

fn filled_like(args: &Args, first: usize, number: Number) -> Result<Value> {
    if let Some(filled) = filled_compressed(args, first, number)? {
        return Ok(filled);
    }
    let (options, tensor) = empty_like(args, first)?;
    match options.layout {
        TensorLayout::Strided | TensorLayout::Jagged => exec::fill(&tensor, number)?,
        TensorLayout::Sparse(_) if number.to_bool() && args.get::<Tensor>(0)?.is_sparse() => no_fill()?,
        TensorLayout::Sparse(_) if number.to_bool() => fault!(RuntimeError, "full(...) is not implemented for sparse layout"),
        TensorLayout::Sparse(_) => {}
    }
    options.finish(tensor)
}

/// What is compressed keeps its places, which are filled; none for other tensors, or zeros.
fn filled_compressed(args: &Args, first: usize, number: Number) -> Result<Option<Value>> {
    let x: Tensor = args.get(0)?;
    let Some(sparse) = x.sparse().filter(|s| s.kind != SparseKind::Coo && number.to_bool()) else { return Ok(None) };
    let options = Options::read_like(args, first, &x)?;
    if args.get::<Option<TensorLayout>>(first + 1)?.is_some() {
        return Ok(None);
    }
    let values = exec::empty(&sparse.values.sizes(), options.float_dtype(), options.device)?;
    exec::fill(&values, number)?;
    Ok(Some(with_values(&sparse, values)))
}

/// A contiguous tensor of the size in the second argument, with the dtype and device of the first.
fn new_empty(args: &Args, first: usize) -> Result<(Options, Tensor)> {
    let (x, size): (Tensor, Dims) = args.take()?;
    let mut options = Options::read_like(args, first, &x)?;
    let like = if x.sparse().is_some_and(|s| s.kind == SparseKind::Coo) { options.layout } else { TensorLayout::Strided };
    options.layout = args.get::<Option<TensorLayout>>(first + 1)?.unwrap_or(like);
    let (dtype, device) = (options.float_dtype(), options.device);
    let tensor = match options.layout {
        TensorLayout::Sparse(kind @ SparseKind::Coo) => sparse_zeros(kind, &size, dtype, device)?,
        _ => {
            options.require_strided("new_empty")?;
            exec::empty_layout(Layout::contiguous(&size), dtype, device)?
        }
    };
    Ok((options, tensor))
}

fn new_filled(args: &Args, first: usize, number: Number) -> Result<Value> {
    let (x, size): (Tensor, Dims) = args.take()?;
    if let Some(kind) = x.sparse().map(|s| s.kind).filter(|kind| *kind != SparseKind::Coo)
        && args.get::<Option<TensorLayout>>(first + 1)?.is_none()
    {
        if size.len() != 2 {
            no_room(&size)?;
        }
        if !number.to_bool() {
            let options = Options::read_like(args, first, &x)?;
            return options.finish(sparse_zeros(kind, &size, options.float_dtype(), options.device)?);
        }
    }
    let (options, tensor) = new_empty(args, first)?;
    match tensor.is_sparse() {
        true if number.to_bool() => no_fill()?,
        true => {}
        false => exec::fill(&tensor, number)?,
    }
    options.finish(tensor)
}
