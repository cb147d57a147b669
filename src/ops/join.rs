//! Joining tensors along a dimension.

use super::reshape::{at_least, reshape};
use super::{Args, Form, FromValue, Op, Operand, exec, op};
use crate::dtype::{DType, can_cast};
use crate::layout::{Dims, Layout, MemoryFormat, wrap_dim};
use crate::ops::autograd::texts;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// A row that joins a list of tensors.
const fn join(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).function_only()
}

const BLOCK_DIAG: &str = "found, row, column = [], 0, 0
for t in tensors:
    n, m = ([1, 1] + list(t.shape))[-2:]
    found.append(grad[row:row + n, column:column + m].reshape(t.shape))
    row, column = row + n, column + m
found";

rows![
    join(
        "cat(Tensor[] tensors, int dim=0) -> Tensor",
        "Joins tensors along a dimension they have; in all others they must have the same size.",
        "torch.cat([torch.tensor([1, 2]), torch.tensor([3])])\n# tensor([1, 2, 3])",
        |a| Ok(cat_for(&a.get::<Vec<Tensor>>(0)?, a.get(1)?, a)?.into()),
    )
    .alias(&["concat", "concatenate"])
    .grads(&[(
        "tensors",
        "skipped = [t.shape == (0,) and grad.ndim != 1 for t in tensors]
parts = torch.split(grad, [0 if skip else t.shape[dim] for skip, t in zip(skipped, tensors)], dim)
[t.new_zeros(0) if skip else part for skip, t, part in zip(skipped, tensors, parts)]"
    )])
    .complex()
    .of_form(),
    join(
        "stack(Tensor[] tensors, int dim=0) -> Tensor",
        "Joins tensors of one size along a new dimension.",
        "torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])], 1).tolist()\n# [[1, 3], [2, 4]]",
        |a| Ok(stack_of(&a.get::<Vec<Tensor>>(0)?, a.get(1)?, dtype_of_out(a))?.into()),
    )
    .grads(&[("tensors", "list(grad.unbind(dim))")])
    .complex(),
    join(
        "hstack(Tensor[] tensors) -> Tensor",
        "Joins tensors side by side: along columns, or 1-d tensors along their only dimension.",
        "torch.hstack([torch.tensor([1, 2]), torch.tensor([3])])\n# tensor([1, 2, 3])",
        |a| {
            let tensors = raised(a, 1, "hstack")?;
            Ok(cat_for(&tensors, (tensors[0].ndim() > 1) as i64, a)?.into())
        },
    )
    .grads(&[(
        "tensors",
        texts::again_list!(
            "tensors",
            "torch.cat([t.reshape(1) if t.ndim == 0 else t for t in tensors], 0 if tensors[0].ndim <= 1 else 1)"
        )
    )])
    .complex()
    .of_form(),
    join(
        "vstack(Tensor[] tensors) -> Tensor",
        "Joins tensors one below the other; a 1-d tensor is a row.",
        "torch.vstack([torch.tensor([1, 2]), torch.tensor([3, 4])]).tolist()\n# [[1, 2], [3, 4]]",
        |a| Ok(cat_for(&raised(a, 2, "vstack")?, 0, a)?.into()),
    )
    .alias(&["row_stack"])
    .grads(&[(
        "tensors",
        texts::again_list!("tensors", "torch.cat([t.reshape(1, -1) if t.ndim <= 1 else t for t in tensors], 0)")
    )])
    .complex()
    .of_form(),
    join(
        "dstack(Tensor[] tensors) -> Tensor",
        "Joins tensors along the third dimension.",
        "torch.dstack([torch.tensor([1, 2]), torch.tensor([3, 4])]).tolist()\n# [[[1, 3], [2, 4]]]",
        |a| Ok(cat_for(&raised(a, 3, "dstack")?, 2, a)?.into()),
    )
    .grads(&[(
        "tensors",
        texts::again_list!(
            "tensors",
            "torch.cat([t.reshape(1, -1, 1) if t.ndim <= 1 else (t.unsqueeze(-1) if t.ndim == 2 else t) for t in tensors], 2)"
        )
    )])
    .complex()
    .of_form(),
    join(
        "column_stack(Tensor[] tensors) -> Tensor",
        "Joins tensors side by side; a 1-d tensor is a column.",
        "torch.column_stack([torch.tensor([1, 2]), torch.tensor([3, 4])]).tolist()\n# [[1, 3], [2, 4]]",
        column_stack,
    )
    .grads(&[(
        "tensors",
        texts::again_list!("tensors", "torch.cat([t.reshape(-1, 1) if t.ndim <= 1 else t for t in tensors], 1)")
    )])
    .complex()
    .of_form(),
    join(
        "block_diag(Tensor[] tensors=[]) -> Tensor",
        "Puts matrices along the diagonal of one that is zero elsewhere; a 1-d tensor is a row.",
        "torch.block_diag(torch.tensor([[1, 2]]), torch.tensor([[3]])).tolist()\n# [[1, 2, 0], [0, 0, 3]]",
        block_diag,
    )
    .variadic()
    .no_out()
    .grads(&[("tensors", BLOCK_DIAG)])
    .complex()
    .of_form(),
];

/// The promoted dtype of some tensors.
fn common_dtype(tensors: &[Tensor]) -> Result<DType> {
    exec::common_dtype(&tensors.iter().cloned().map(Operand::Tensor).collect::<Vec<_>>())
}

/// The dtype that a call writes to, if it has an `out`.
fn dtype_of_out(args: &Args) -> Option<DType> {
    if let Value::Tensor(target) = &args.out { Some(target.dtype()) } else { None }
}

/// The dtype that tensors are joined in: that of `out` when it can hold their promoted one, so that none is rounded on its way.
fn joined_dtype(tensors: &[Tensor], out: Option<DType>) -> Result<DType> {
    let common = common_dtype(tensors)?;
    Ok(out.filter(|out| can_cast(common, *out)).unwrap_or(common))
}

/// Joins along a dimension. 1-d tensors without elements are passed over, whatever the others look like.
pub fn cat(tensors: &[Tensor], dim: i64) -> Result<Tensor> {
    cat_of(tensors, dim, None)
}

fn cat_for(tensors: &[Tensor], dim: i64, args: &Args) -> Result<Tensor> {
    cat_of(tensors, dim, dtype_of_out(args))
}

fn cat_of(tensors: &[Tensor], dim: i64, target: Option<DType>) -> Result<Tensor> {
    if tensors.is_empty() {
        fault!(ValueError, "torch.cat(): expected a non-empty list of Tensors");
    }
    if let Some(place) = tensors.iter().position(|t| t.ndim() == 0) {
        fault!(RuntimeError, "zero-dimensional tensor (at position {place}) cannot be concatenated");
    }
    let skipped = |t: &Tensor| t.ndim() == 1 && t.numel() == 0;
    let device = exec::common_device(tensors)?;
    let Some(first) = tensors.iter().find(|t| !skipped(t)) else {
        return exec::empty(&[0], joined_dtype(tensors, target)?, device);
    };
    let place = wrap_dim(dim, first.ndim())?;
    let dtype = joined_dtype(tensors, target)?;
    if let Some(out) = target.filter(|out| !can_cast(dtype, *out)) {
        fault!(TypeError, "torch.cat(): input types can't be cast to the desired output type {}", out.title());
    }
    let mut sizes = first.sizes();
    sizes[place] = 0;
    for (number, tensor) in tensors.iter().enumerate().filter(|(_, t)| !skipped(t)) {
        sizes[place] += size_to_join(&first.sizes(), &tensor.sizes(), place, number)?;
    }
    let format = common_format(tensors.iter().filter(|t| !skipped(t)));
    let out = exec::empty_strided(&sizes, &format.strides(&sizes)?, dtype, device)?;
    let mut start = 0;
    for tensor in tensors.iter().filter(|t| !skipped(t)) {
        let size = tensor.sizes()[place];
        if tensor.numel() > 0 {
            exec::copy(&out.alias(out.layout().narrow(place as i64, start, size)?)?, tensor)?;
        }
        start += size;
    }
    Ok(out)
}

/// The memory format that all tensors suggest; the usual one where they differ.
fn common_format<'a>(tensors: impl Iterator<Item = &'a Tensor>) -> MemoryFormat {
    let mut formats = tensors.map(|t| t.layout().suggested_format());
    let first = formats.next().unwrap_or(MemoryFormat::Contiguous);
    if formats.all(|format| format == first) { first } else { MemoryFormat::Contiguous }
}

/// The size of a tensor in the joined dimension, after checking the others.
fn size_to_join(first: &[i64], sizes: &[i64], place: usize, number: usize) -> Result<i64> {
    if sizes.len() != first.len() {
        fault!(RuntimeError, "Tensors must have same number of dimensions: got {} and {}", first.len(), sizes.len());
    }
    for (dim, (wanted, got)) in first.iter().zip(sizes).enumerate() {
        if dim != place && wanted != got {
            fault!(
                RuntimeError,
                "Sizes of tensors must match except in dimension {place}. Expected size {wanted} but got size {got} for tensor number {number} in the list."
            );
        }
    }
    Ok(sizes[place])
}

/// Joins along a new dimension.
pub fn stack(tensors: &[Tensor], dim: i64) -> Result<Tensor> {
    stack_of(tensors, dim, None)
}

fn stack_of(tensors: &[Tensor], dim: i64, target: Option<DType>) -> Result<Tensor> {
    let Some(first) = tensors.first() else { fault!(RuntimeError, "stack expects a non-empty TensorList") };
    let (sizes, place) = (first.sizes(), wrap_dim(dim, first.ndim() + 1)?);
    for (number, tensor) in tensors.iter().enumerate() {
        if tensor.sizes() != sizes {
            fault!(
                RuntimeError,
                "stack expects each tensor to be equal size, but got {:?} at entry 0 and {:?} at entry {number}",
                sizes.as_slice(),
                tensor.sizes().as_slice()
            );
        }
    }
    let layout = stacked(&sizes, tensors.len() as i64, place, common_format(tensors.iter()))?;
    let out = exec::empty_strided(&layout.sizes, &layout.strides, joined_dtype(tensors, target)?, exec::common_device(tensors)?)?;
    if out.numel() > 0 {
        for (number, tensor) in tensors.iter().enumerate() {
            exec::copy(&out.alias(out.layout().select(place as i64, number as i64)?)?, tensor)?;
        }
    }
    Ok(out)
}

/// The layout of `count` tensors of some sizes along a new dimension. Unless that is the last one, they are joined along the dimension in
/// its place, which then is seen as two.
fn stacked(sizes: &[i64], count: i64, place: usize, format: MemoryFormat) -> Result<Layout> {
    let (mut whole, mut joined) = (Dims::from_slice(sizes), Dims::from_slice(sizes));
    whole.insert(place, count);
    match joined.get_mut(place) {
        Some(size) if format != MemoryFormat::Contiguous => *size *= count,
        _ => return Ok(Layout::contiguous(&whole)),
    }
    Layout::new(&joined, &format.strides(&joined)?, 0).view(&whole)
}

/// The list in the first argument, each tensor with at least `ndim` dimensions; not empty.
fn raised(args: &Args, ndim: usize, name: &str) -> Result<Vec<Tensor>> {
    let tensors: Vec<Tensor> = args.get(0)?;
    if tensors.is_empty() {
        fault!(RuntimeError, "{name} expects a non-empty TensorList");
    }
    tensors.iter().map(|t| at_least(t, ndim)).collect()
}

fn column_stack(args: &Args) -> Result<Value> {
    let tensors = raised(args, 0, "column_stack")?;
    let columns = tensors.iter().map(|t| if t.ndim() <= 1 { reshape(t, &[t.numel(), 1]) } else { Ok(t.clone()) });
    Ok(cat_for(&columns.collect::<Result<Vec<Tensor>>>()?, 1, args)?.into())
}

fn block_diag(args: &Args) -> Result<Value> {
    let tensors: Vec<Tensor> = args.value(0).items().unwrap_or_default().iter().filter_map(Tensor::from_value).collect();
    if let Some((place, tensor)) = tensors.iter().enumerate().find(|(_, t)| t.ndim() > 2) {
        fault!(
            RuntimeError,
            "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {place} has {} dimensions",
            tensor.ndim()
        );
    }
    if tensors.is_empty() {
        return Ok(exec::empty(&[1, 0], crate::settings::default_dtype(), crate::device::DeviceId::Cpu)?.into());
    }
    let blocks = tensors.iter().map(|t| at_least(t, 2)).collect::<Result<Vec<Tensor>>>()?;
    let (rows, columns) = blocks.iter().fold((0, 0), |(r, c), b| (r + b.sizes()[0], c + b.sizes()[1]));
    let out = exec::zeros(&[rows, columns], common_dtype(&tensors)?, exec::common_device(&tensors)?)?;
    let (mut row, mut column) = (0, 0);
    for block in &blocks {
        let (height, width) = (block.sizes()[0], block.sizes()[1]);
        if block.numel() > 0 {
            let place = Layout { offset: row * columns + column, ..Layout::new(&[height, width], &[columns, 1], 0) };
            exec::copy(&out.alias(place)?, block)?;
        }
        row += height;
        column += width;
    }
    Ok(out.into())
}
