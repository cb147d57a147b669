//! Other sizes for the same elements: views where strides allow it, copies where they do not.

use super::{Args, Form, Op, exec, op};
use crate::dtype::DType;
use crate::layout::{Dims, Element, Layout, infer_sizes};
use crate::tensor::{Form as TensorForm, Strided, Tensor};
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
    .method_only()
    .no_grad(),
    op(
        "resize(Tensor(a) self, int[] sizes) -> Tensor(a)",
        "The old name of `reshape`, for as many elements as there are.",
        "torch.arange(4).resize(2, 2).tolist()\n# [[0, 1], [2, 3]]",
        Form::Code(RESIZE),
    )
    .method_only(),
    op(
        "resize_as(Tensor(a) self, Tensor tensor) -> Tensor(a)",
        "As `resize`, to the size of another tensor.",
        "torch.arange(4).resize_as(torch.ones(2, 2)).tolist()\n# [[0, 1], [2, 3]]",
        Form::Code(RESIZE_AS),
    )
    .method_only(),
    op("view(Tensor(a) self, SymInt[] size) -> Tensor(a)", "", "", Form::View(|l, a| l.view(&a.get::<Rc<Dims>>(1)?))).method_only()
        .grads(&[("self", "grad.reshape(self.shape)")]).complex(),
    op(
        "view_as(Tensor(a) self, Tensor other) -> Tensor(a)",
        "The same storage with the sizes of another tensor.",
        "torch.arange(4).view_as(torch.zeros(2, 2)).tolist()\n# [[0, 1], [2, 3]]",
        Form::View(|l, a| l.view(&a.get::<Tensor>(1)?.sizes())),
    )
    .method_only()
        .grads(&[("self", "grad.reshape(self.shape)"), ("other", "None")]).complex(),
    shape(
        "reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)",
        "The same elements with other sizes, of which one may be -1: a view when strides allow it, else a copy.",
        "torch.arange(6).view(2, 3).t().reshape(6)\n# tensor([0, 3, 1, 4, 2, 5])",
        |a| Ok(reshape(&a.get(0)?, &a.get::<Rc<Dims>>(1)?)?.into()),
    )
        .grads(&[("self", "grad.reshape(self.shape)")]).complex(),
    shape(
        "reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)",
        "The same elements with the sizes of another tensor: a view when strides allow it, else a copy.",
        "torch.arange(4).reshape_as(torch.zeros(2, 2)).tolist()\n# [[0, 1], [2, 3]]",
        |a| Ok(reshape(&a.get(0)?, &a.get::<Tensor>(1)?.sizes())?.into()),
    )
    .method_only()
        .grads(&[("self", "grad.reshape(self.shape)"), ("other", "None")]).complex(),
    shape(
        "flatten(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)",
        "Makes one dimension of those from `start_dim` to `end_dim`: a view when strides allow it, else a copy.",
        "torch.zeros(2, 3, 4).flatten(1).shape\n# torch.Size([2, 12])",
        flatten,
    )
        .grads(&[("self", "grad.reshape(self.shape)")]).complex(),
    shape(
        "ravel(Tensor(a) self) -> Tensor(a)",
        "All elements in one dimension: a view when the tensor is contiguous, else a copy.",
        "torch.arange(4).view(2, 2).ravel()\n# tensor([0, 1, 2, 3])",
        |a| {
            let (x,): (Tensor,) = a.take()?;
            let row = if x.layout().is_contiguous() { x.clone() } else { exec::contiguous(&x)? };
            let flat = row.alias(row.layout().view(&[-1])?)?;
            // Where a gradient is asked for, the way back knows no tensor between.
            if !x.requires_grad() {
                flat.note_view_of(&row);
            }
            Ok(flat.into())
        },
    )
        .grads(&[("self", "grad.reshape(self.shape)")]).complex(),
    shape(
        "atleast_1d(Tensor(a) self) -> Tensor(a)",
        "Gives a tensor without dimensions one. Several tensors, or a list of them, give a tuple.",
        "torch.atleast_1d(torch.tensor(3))\n# tensor([3])",
        |a| Ok(at_least(&a.get(0)?, 1)?.into()),
    )
    .function_only()
    .grads(&[("self", "grad.reshape(self.shape)")])
    .complex(),
    shape("atleast_1d(Tensor(a)[] tensors) -> Tensor(a)[]", "", "", |a| at_least_each(a, 1)).function_only().variadic()
    .grads(&[("tensors", "[g.reshape(t.shape) for g, t in zip(grads, tensors)]")])
    .complex(),
    shape(
        "atleast_2d(Tensor(a) self) -> Tensor(a)",
        "Adds leading dimensions until there are two. Several tensors, or a list of them, give a tuple.",
        "torch.atleast_2d(torch.tensor([1, 2]))\n# tensor([[1, 2]])",
        |a| Ok(at_least(&a.get(0)?, 2)?.into()),
    )
    .function_only()
    .grads(&[("self", "grad.reshape(self.shape)")])
    .complex(),
    shape("atleast_2d(Tensor(a)[] tensors) -> Tensor(a)[]", "", "", |a| at_least_each(a, 2)).function_only().variadic()
    .grads(&[("tensors", "[g.reshape(t.shape) for g, t in zip(grads, tensors)]")])
    .complex(),
    shape(
        "atleast_3d(Tensor(a) self) -> Tensor(a)",
        "Adds dimensions until there are three: `n` elements become (1, n, 1), a matrix gets a last dimension. Several tensors, or \
         a list of them, give a tuple.",
        "torch.atleast_3d(torch.zeros(2)).shape\n# torch.Size([1, 2, 1])",
        |a| Ok(at_least(&a.get(0)?, 3)?.into()),
    )
    .function_only()
    .grads(&[("self", "grad.reshape(self.shape)")])
    .complex(),
    shape("atleast_3d(Tensor(a)[] tensors) -> Tensor(a)[]", "", "", |a| at_least_each(a, 3)).function_only().variadic()
    .grads(&[("tensors", "[g.reshape(t.shape) for g, t in zip(grads, tensors)]")])
    .complex(),
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

/// The text of `resize`.
macro_rules! resize {
    () => {
        r#"
wanted = math.prod(sizes)
if wanted != self.numel():
    to, have = ['x'.join([str(n) for n in s]) for s in (sizes, self.size())]
    raise RuntimeError(f"requested resize to {to} ({wanted} elements in total), but the given tensor has a size of {have} ({self.numel()} elements). autograd's resize can only change the shape of a given tensor, while preserving the number of elements. ")
self.contiguous().view(sizes)"#
    };
}

const RESIZE: &str = resize!();

const RESIZE_AS: &str = concat!("sizes = tensor.size()", resize!());

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
