//! Slices that go backward, which tensors do not have and arrays do: `a[::-1]`.

use crate::lang::types::sequence;
use crate::layout::Layout;
use crate::tensor::Tensor;
use crate::value::{Outcome, Value};
use std::rc::Rc;

/// The array turned around where the key goes backward, and the key that is left for it.
pub fn turn(array: &Tensor, key: Value) -> Outcome<(Tensor, Value)> {
    let items = match &key {
        Value::Tuple(items) => items.to_vec(),
        one => vec![one.clone()],
    };
    if !items.iter().any(goes_backward) {
        return Ok((array.clone(), key));
    }
    let spelled: usize = items.iter().map(reach).sum();
    let mut layout = Layout::clone(&array.layout());
    let (mut dim, mut left) = (0, Vec::with_capacity(items.len()));
    for item in items {
        let here = dim;
        dim += if matches!(item, Value::Ellipsis) { layout.ndim().saturating_sub(spelled) } else { reach(&item) };
        match &item {
            Value::Slice(parts) if goes_backward(&item) && here < layout.ndim() => {
                let slice = sequence::fit(parts, layout.sizes[here] as usize)?;
                if slice.count > 0 {
                    layout.offset += slice.start * layout.strides[here];
                }
                layout.strides[here] *= slice.step;
                layout.sizes[here] = slice.count as i64;
                left.push(Value::Slice(Rc::new([Value::None, Value::None, Value::None])));
            }
            _ => left.push(item),
        }
    }
    Ok((array.alias(layout)?, Value::tuple(left)))
}

fn goes_backward(item: &Value) -> bool {
    matches!(item, Value::Slice(parts) if matches!(&parts[2], Value::Int(step) if *step < 0))
}

/// How many dimensions an item of a key takes.
fn reach(item: &Value) -> usize {
    match item {
        Value::None | Value::Bool(_) | Value::Ellipsis => 0,
        Value::Tensor(mask) if mask.dtype() == crate::dtype::DType::Bool => mask.ndim(),
        _ => 1,
    }
}
