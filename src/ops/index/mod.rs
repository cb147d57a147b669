//! `x[…]` and `x[…] = v`, exactly as PyTorch reads them: ints, slices, None, `...` and truth values give views; masks, tensors
//! and lists of numbers gather or scatter.

mod advanced;
mod items;
mod sequence;
mod write;

pub use items::stands_for_tuple;
pub use write::set;

use super::{Form, Op, copy_of_self, exec, op, run, sparse};
use crate::device::no_kernel;
use crate::layout::Layout;
use crate::tensor::{SparseKind, Tensor};
use crate::value::Value;
use advanced::Selection;
use anyhow::Result;
use items::{Found, Pick};

const GETITEM_GRADIENT: &str = "places = torch.arange(self.numel()).reshape(self.shape)[index].reshape(-1)
self.new_zeros(self.numel()).index_add(0, places, grad.reshape(-1)).reshape(self.shape)";

rows![
    op(
        "index_put(Tensor self, Tensor[] indices, Tensor values, bool accumulate=False) -> Tensor",
        "Writes `values` where the tensors of indices point, one per dimension: `x[indices] = values`. With `accumulate`, values that \
         meet are added up.",
        "torch.zeros(3).index_put((torch.tensor([0, 0]),), torch.ones(2), accumulate=True)\n# tensor([2., 0., 0.])",
        Form::Edit(write::index_put_row, copy_of_self),
    )
    .inplace()
    .no_out()
        .grads(&[("self", "grad if accumulate else grad.index_put(indices, grad.new_zeros(()))"), ("values", "grad[tuple(indices)]")]).complex(),
    op(
        "__getitem__(Tensor(a) self, Any index) -> Tensor(a)",
        "`x[index]`: a view for ints, slices, None and `...`; a copy when a mask, a tensor or a list takes part.",
        "torch.arange(6).view(2, 3).__getitem__((1, slice(0, 2)))\n# tensor([3, 4])",
        Form::Native(|a| Ok(read(&a.get(0)?, a.value(1))?.0.into())),
    )
    .marked()
    .sparse()
    .method_only()
        .grads(&[("self", GETITEM_GRADIENT)]).complex(),
    op(
        "__setitem__(Tensor(a!) self, Any index, Any value) -> Any",
        "`x[index] = value`: writes through the view that `x[index]` is, or to the places that masks and tensors of indices name.",
        "x = torch.zeros(3)\nx.__setitem__(1, 5)\nx\n# tensor([0., 5., 0.])",
        Form::Native(|a| {
            write::by_method(a)?;
            Ok(Value::None)
        }),
    )
    .marked()
    .method_only()
    .writes_leaves()
        .grads(&[("self", "rest = grad.clone()\nrest[index] = 0\nrest"), ("value", "grad[index]")]).complex(),
];

/// The row of `x[…]`.
const GETITEM: &Op = &ROWS[1];
/// The row of `x[…] = v`.
const SETITEM: &Op = &ROWS[2];

/// `x[index]`.
///
/// Fails with an `IndexError` for what is no index or lies outside, with a `TypeError` or `ValueError` as Python does for slices
/// and lists.
pub fn get(x: &Tensor, index: &Value) -> Result<Value> {
    let (result, node) = read(x, index)?;
    result.note_view_of(x);
    let result = Value::Tensor(result);
    run::conclude(GETITEM, x, &[index], &result, node)?;
    Ok(result)
}

/// Where `x[index] = ...` writes: the view of `x` that holds all of it, and how many of its elements. Fails as [`get`] does.
pub fn target(x: &Tensor, index: &Value) -> Result<(Tensor, i64)> {
    let mut found = Found::all(x);
    found.apply(index)?;
    let view = x.alias(found.layout)?;
    let count = match found.picks.is_empty() {
        true => view.numel(),
        false => Selection::new(&view, &found.picks)?.places.sizes.iter().product(),
    };
    Ok((view, count))
}

/// The name of the gradient node that `x[index]` gets; none for what is no index.
pub fn node_of(x: &Tensor, index: &Value) -> Option<&'static str> {
    let mut found = Found::all(x);
    found.apply(index).ok()?;
    Some(if found.picks.is_empty() { found.node } else { "IndexBackward0" })
}

/// The names of the gradient nodes that the items of an index leave, in order.
pub fn steps_of(x: &Tensor, index: &Value) -> Vec<&'static str> {
    let Ok(Some(items)) = items::as_items(index) else { return node_of(x, index).into_iter().collect() };
    let (mut steps, mut layout) = (vec![], Layout::clone(&x.layout()));
    for count in 1..=items.len() {
        let mut found = Found::all(x);
        if found.apply(&Value::tuple(items[..count].to_vec())).is_err() {
            break;
        }
        if found.picks.is_empty() && found.layout != layout {
            steps.push(found.node);
        }
        layout = found.layout;
    }
    if node_of(x, index) == Some("IndexBackward0") {
        steps.push("IndexBackward0");
    }
    steps
}

/// `x[index]` and the name of the gradient node it gets.
fn read(x: &Tensor, index: &Value) -> Result<(Tensor, &'static str)> {
    if x.is_sparse() {
        let mut node = "IndexBackward0";
        let check = |like: &Tensor| {
            let mut found = Found::all(like);
            found.apply(index)?;
            node = found.node;
            if !found.picks.is_empty() {
                if x.sparse().is_some_and(|s| s.kind != SparseKind::Coo) {
                    return Err(sparse::lacks(x, "strides"));
                }
                return Err(no_kernel("index.Tensor", "SparseCPU"));
            }
            Ok(!found.cut)
        };
        let picked = sparse::indexed(x, index, check)?;
        return Ok((picked, node));
    }
    let mut found = Found::all(x);
    found.apply(index)?;
    let view = x.alias(found.layout)?;
    if found.picks.is_empty() {
        return Ok((view, found.node));
    }
    let view = exec::resolve(&view)?;
    if let [Pick { dim: 0, index: mask }] = found.picks.as_slice()
        && mask.sizes() == view.sizes()
        && sequence::is_mask(mask)
    {
        return Ok((exec::select_masked(&view, mask)?, "IndexBackward0"));
    }
    let selection = Selection::new(&view, &found.picks)?;
    let out = exec::empty_layout(selection.output_layout(), view.dtype(), view.device())?;
    exec::read_at(&view, &selection.checked()?, &out)?;
    Ok((out, "IndexBackward0"))
}
