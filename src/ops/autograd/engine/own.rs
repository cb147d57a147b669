//! The way back through a function of the program's.

use super::super::graph::{Edge, Node, OwnRule};
use crate::tensor::Tensor;
use crate::value::{CallArgs, Machine, Outcome, Value};

/// The gradients of a node's arguments as the program computes them, one for each edge.
pub(super) fn own(
    machine: &mut dyn Machine,
    node: &Node,
    rule: &OwnRule,
    edges: &[Edge],
    grads: &[Option<Tensor>],
) -> Outcome<Vec<Option<Tensor>>> {
    let missing = |like: &Tensor| Value::list(vec![Value::Tensor(like.clone())]);
    let given = node.results.iter().enumerate().map(|(place, like)| match grads.get(place) {
        Some(Some(grad)) => Value::Tensor(grad.clone()),
        _ => missing(like),
    });
    let found = machine.call(&rule.call, CallArgs::positional(given.collect()))?.items().unwrap_or_default();
    let of = |edge: &Edge| match found.get(edge.param) {
        Some(Value::Tensor(grad)) => Some(grad.clone()),
        _ => None,
    };
    Ok(edges.iter().map(of).collect())
}
