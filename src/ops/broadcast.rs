//! Bringing several tensors to one size without copying.

use super::{Args, Form, Op, op};
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

/// An int, or a sequence of ints, as sizes; none for what is or holds something else.
fn shape_of(value: &Value) -> Option<Dims> {
    let size = |value: &Value| if let Value::Int(size) = value { Some(*size).filter(|size| *size >= 0) } else { None };
    match value {
        Value::Size(sizes) => Some((**sizes).clone()),
        Value::List(_) | Value::Tuple(_) => value.items()?.iter().map(size).collect(),
        one => size(one).map(|size| Dims::from_slice(&[size])),
    }
}

fn broadcast_shapes(machine: &mut dyn Machine, args: &Args) -> Result<Value> {
    let mut shapes = args.value(0).items().unwrap_or_default();
    shapes.retain(|shape| !matches!(shape, Value::None));
    let sizes: Option<Vec<Dims>> = shapes.iter().map(shape_of).collect();
    match sizes.and_then(|sizes| broadcast_all(sizes.iter().map(|s| s.as_slice())).ok()) {
        Some(joint) => Ok(Value::size(&joint)),
        None => Ok(machine.eval_code(SHAPES, &[("shapes", Value::tuple(shapes))])?),
    }
}

/// What does not fit, or is no plain size: PyTorch compares from the last dimension on, whatever it is given, and asks for plain answers.
const SHAPES: &str = "\
def sure(answer):
    if not isinstance(answer, bool):
        raise AssertionError(f'Expected bool, got {type(answer)}')
    return answer
shapes = [(shape,) if isinstance(shape, int) else shape for shape in shapes]
for shape in shapes:
    if not isinstance(shape, (tuple, list, str, range, bytes)):
        raise RuntimeError(f'Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}')
joint = [1] * max([len(shape) for shape in shapes])
for place, shape in enumerate(shapes):
    for k in range(-1, -1 - len(shape), -1):
        if sure(shape[k] == joint[k]):
            continue
        if sure(joint[k] == 1):
            if shape[k] < 0:
                raise ValueError('Attempting to broadcast a dimension with negative length!')
            joint[k] = shape[k]
        if not sure(shape[k] == 1) and joint[k] != shape[k]:
            raise RuntimeError(f'Attempting to broadcast a dimension of length {shape[k]} at {k}! Mismatching argument at index {place} had {shape}; but expected shape should be broadcastable to {joint}')
torch.Size(joint)";
