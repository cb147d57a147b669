//! Bringing several tensors to one size without copying.

use super::{Args, Form, Op, exec, op};
use crate::layout::{Dims, broadcast_all};
use crate::tensor::Tensor;
use crate::value::{Machine, Value};
use anyhow::Result;

/// A row of views of several tensors.
const fn several(schema: &'static str, doc: &'static str, example: &'static str, form: Form) -> Op {
    op(schema, doc, example, form).function_only().variadic().marked().no_out()
}

rows![
    several(
        "broadcast_tensors(Tensor(a)[] tensors=[]) -> Tensor(a)[]",
        "Expands all tensors to the size they have in common.",
        "[t.shape for t in torch.broadcast_tensors(torch.zeros(3, 1), torch.zeros(2))]\n# [torch.Size([3, 2]), torch.Size([3, 2])]",
        Form::Native(broadcast_tensors),
    )
        .grads(&[("tensors", "list(grads)")]).complex(),
    several(
        "broadcast_shapes(Any[] shapes=[]) -> Any",
        "The size that all of these sizes broadcast to.",
        "torch.broadcast_shapes((3, 1), (2,))\n# torch.Size([3, 2])",
        Form::Hosted(broadcast_shapes),
    ),
];

fn broadcast_tensors(args: &Args) -> Result<Value> {
    let tensors: Vec<Tensor> = args.get(0)?;
    let sizes: Vec<Dims> = tensors.iter().map(Tensor::sizes).collect();
    let joint = broadcast_all(sizes.iter().map(|s| s.as_slice()))?;
    let expanded = tensors.into_iter().map(|t| if t.sizes() == joint { Ok(t) } else { t.alias(t.layout().expand(&joint)?) });
    Ok(expanded.collect::<Result<Vec<Tensor>>>()?.into())
}

/// An int, or a sequence of ints, as sizes.
fn shape_of(value: &Value) -> Result<Dims> {
    let int = |(place, value): (usize, &Value)| match value {
        Value::Int(size) => Ok(*size),
        Value::Bool(size) => Ok(*size as i64),
        other => fault!(TypeError, "torch.Size() takes an iterable of 'int' (item {place} is '{}')", other.type_name()),
    };
    match value.items() {
        Some(items) => items.iter().enumerate().map(int).collect(),
        None => match value {
            Value::Int(size) => Ok(Dims::from_slice(&[*size])),
            Value::Bool(size) => Ok(Dims::from_slice(&[*size as i64])),
            other => fault!(
                RuntimeError,
                "Input shapes should be of type ints, a tuple of ints, or a list of ints, got {}",
                other.type_name()
            ),
        },
    }
}

/// A shape as it was written.
fn shown(shape: &Value, sizes: &[i64]) -> String {
    match (shape, sizes) {
        (Value::Size(_), _) => format!("torch.Size({sizes:?})"),
        (Value::List(_), _) => format!("{sizes:?}"),
        (_, [one]) => format!("({one},)"),
        _ => format!("{sizes:?}").replace('[', "(").replace(']', ")"),
    }
}

/// Fails as Python does in comparing the sizes with 0, or with a `RuntimeError` for what holds none.
fn check_shape(machine: &mut dyn Machine, shape: &Value) -> Result<()> {
    let incomparable = |item: &Value| matches!(item, Value::Str(_) | Value::None) || item.items().is_some();
    let wrong = match (shape, shape.items()) {
        (Value::Str(_), _) => Some(shape.clone()),
        (_, Some(items)) => items.into_iter().find(incomparable),
        (Value::Int(_) | Value::Bool(_), None) => None,
        (other, None) => {
            let told = match other {
                Value::Tensor(t) if t.ndim() == 0 => machine.str(&exec::item(t)?.into())?,
                other => machine.str(other)?,
            };
            fault!(RuntimeError, "Input shapes should be of type ints, a tuple of ints, or a list of ints, got {told}")
        }
    };
    match wrong {
        Some(item) => fault!(TypeError, "'<' not supported between instances of '{}' and 'int'", item.type_name()),
        None => Ok(()),
    }
}

fn broadcast_shapes(machine: &mut dyn Machine, args: &Args) -> Result<Value> {
    let mut shapes = args.value(0).items().unwrap_or_default();
    shapes.retain(|shape| !matches!(shape, Value::None));
    for shape in &shapes {
        check_shape(machine, shape)?;
    }
    let mut joint = Dims::new();
    for (place, shape) in shapes.iter().enumerate() {
        let sizes = shape_of(shape)?;
        let ndim = joint.len().max(sizes.len());
        let at = |sizes: &[i64], back: usize| sizes.len().checked_sub(back).map_or(1, |k| sizes[k]);
        let clash = (1..=ndim).find(|&back| {
            let (old, new) = (at(&joint, back), at(&sizes, back));
            old != new && old != 1 && new != 1
        });
        if let Some(back) = clash {
            let most = shapes.iter().filter_map(|s| Some(shape_of(s).ok()?.len())).max().unwrap_or(0);
            // The dimensions behind it were joined already.
            let so_far = |k: usize| if at(&joint, k) == 1 && k < back { at(&sizes, k) } else { at(&joint, k) };
            let so_far: Dims = (1..=most).rev().map(so_far).collect();
            fault!(
                RuntimeError,
                "Attempting to broadcast a dimension of length {} at -{back}! Mismatching argument at index {place} had {}; but expected shape should be broadcastable to {:?}",
                at(&sizes, back),
                shown(shape, &sizes),
                so_far.as_slice()
            );
        }
        if sizes.iter().any(|n| *n < 0) {
            fault!(ValueError, "Attempting to broadcast a dimension with negative length!");
        }
        joint = broadcast_all([joint.as_slice(), &sizes])?;
    }
    Ok(Value::size(&joint))
}
