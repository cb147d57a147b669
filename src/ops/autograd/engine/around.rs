//! Functions that the user hung on a node: they are called with the gradients of its results, and then with those of its arguments.

use crate::ops::FromValue;
use crate::ops::autograd::graph::{Edge, Node};
use crate::ops::autograd::shown;
use crate::tensor::Tensor;
use crate::value::{CallArgs, Machine, Outcome, Value};

/// Gradients as a tuple, with None where there is none.
fn tuple(grads: &[Option<Tensor>]) -> Value {
    Value::tuple(grads.iter().map(|grad| grad.clone().map_or(Value::None, Value::Tensor)).collect())
}

/// What a function gave in the place of some gradients; none where it leaves them.
///
/// Fails with a `TypeError` or a `RuntimeError` on what are not as many gradients.
fn changed(given: Value, count: usize, title: &str) -> Outcome<Option<Vec<Option<Tensor>>>> {
    let items = match given {
        Value::None => return Ok(None),
        Value::Tensor(_) if count == 1 => vec![given],
        other => match other.items() {
            Some(items) => items,
            None => fault!(TypeError, "expected tuple, but hook returned '{}'", other.type_name()),
        },
    };
    if items.len() != count {
        fault!(
            RuntimeError,
            "hook '{title}' has returned an incorrect number of values (got {}, but expected {count})",
            items.len()
        );
    }
    Ok(Some(items.iter().map(Tensor::from_value).collect()))
}

fn title(function: &Value) -> String {
    match function {
        Value::Object(object) => match std::rc::Rc::clone(object).attr("__name__") {
            Ok(Some(Value::Str(name))) => name.as_str().to_string(),
            _ => "<unknown>".to_string(),
        },
        _ => "<unknown>".to_string(),
    }
}

/// Calls the functions that wait for the gradients of the results.
pub(super) fn before(machine: &mut dyn Machine, node: &Node, grads: &mut Vec<Option<Tensor>>) -> Outcome<()> {
    let hung = node.around.borrow().clone();
    for one in hung.iter().filter(|one| one.is_before) {
        let given = machine.call(&one.call, CallArgs::positional(vec![tuple(grads)]))?;
        if let Some(other) = changed(given, grads.len(), &title(&one.call))? {
            *grads = other;
        }
    }
    Ok(())
}

/// Calls the functions that wait for the gradients of the arguments, which are those of the edges.
pub(super) fn behind(
    machine: &mut dyn Machine,
    node: &Node,
    edges: &[Edge],
    found: &mut [Option<Tensor>],
    grads: &[Option<Tensor>],
) -> Outcome<()> {
    let hung = node.around.borrow().clone();
    for one in hung.iter().filter(|one| !one.is_before) {
        let place = |edge: &Edge| edges.iter().position(|known| (known.param, known.item) == (edge.param, edge.item));
        let places: Vec<Option<usize>> = shown::ways_of(node).iter().map(|edge| edge.as_ref().and_then(place)).collect();
        let own: Vec<Option<Tensor>> = places.iter().map(|place| found[(*place)?].clone()).collect();
        let given = machine.call(&one.call, CallArgs::positional(vec![tuple(&own), tuple(grads)]))?;
        if let Some(other) = changed(given, own.len(), &title(&one.call))? {
            for (place, grad) in places.iter().zip(other) {
                if let Some(place) = place {
                    found[*place] = grad;
                }
            }
        }
    }
    Ok(())
}
