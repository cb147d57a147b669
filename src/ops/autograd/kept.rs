//! What a node keeps for the way back, and whether it is still what it was.

use super::graph::{Call, Edge, Node, Saved, Target, changes, target};
use super::packed::Place;
use super::shown::is_as_tensor;
use super::{engine, graph, rules};
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::ops::create;
use crate::ops::schema::{Base, Param};
use crate::tensor::{Recorded, Tensor};
use crate::value::Value;
use anyhow::Result;
use std::rc::Rc;

/// True when a node keeps elements for its way back, so that it goes only once; what looks at sizes alone goes again.
pub fn saves(node: &Node) -> Result<bool> {
    let saved = node.saved.borrow();
    let call = match &*saved {
        Some(Saved::Call(call)) if call.op.looks_at_form() => return Ok(false),
        Some(Saved::Call(call)) if rules::has(call.op) => call,
        Some(Saved::Call(_) | Saved::Written { .. }) => return Ok(true),
        Some(Saved::Own(rule)) => return Ok(rule.saves),
        Some(Saved::Same | Saved::Whole(_) | Saved::Steps | Saved::Shown(_) | Saved::View { .. }) | None => return Ok(false),
    };
    let params = &call.op.schema()?.params;
    let has_elements = |(place, (param, value)): &(usize, (&Param, &Value))| match value {
        Value::Tensor(_) => true,
        // Lists among the items of an index are tensors of places.
        Value::Tuple(items) => items.iter().any(|item| matches!(item, Value::Tensor(_) | Value::List(_))),
        Value::None => false,
        _ => match param.kind.base {
            Base::Operand => is_as_tensor(node, call, *place),
            Base::Any => true,
            _ => false,
        },
    };
    let kept = params.iter().zip(&call.values).enumerate().filter(has_elements).map(|(_, (param, _))| param.name.as_str());
    let names: Vec<&str> = kept.chain(["result", "results"]).collect();
    let rule = |edge: &Edge| params.get(edge.param).and_then(|param| rules::rule(call.op, &param.name));
    Ok(node.edges.borrow().iter().filter_map(rule).any(|text| names.iter().any(|name| rules::reads(text, name))))
}

/// Fails when what a rule looks at was changed since it was saved.
pub fn require_unchanged(node: &Node, call: &Call, text: &str) -> Result<()> {
    let schema = call.op.schema()?;
    let fail = |t: &Tensor, output: Option<(String, usize)>, before: u64| -> Result<()> {
        let name = match t.dtype().info().tensor {
            "" => "Tensor",
            name => name,
        };
        let place = output.map_or(String::new(), |(name, k)| format!(", which is output {k} of {name},"));
        fault!(
            RuntimeError,
            "one of the variables needed for gradient computation has been modified by an inplace operation: [torch.{} {:?}]{place} is at version {}; expected version {before} instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).",
            name,
            t.sizes().as_slice(),
            changes(t)
        )
    };
    // What was packed is as it was then.
    let is_packed = |place: Place| node.packed.borrow().iter().any(|one| one.place == place);
    for (param, (value, before)) in call.values.iter().zip(&call.changes).enumerate() {
        let Value::Tensor(t) = value else { continue };
        let Some(known) = schema.params.get(param) else { continue };
        // Norms move running means and variances themselves, which PyTorch does not count as a change.
        let is_moved = known.name.starts_with("running_") || is_packed(Place::Argument(param));
        if !is_moved && rules::reads(text, &known.name) && before.is_none_or(|before| before != changes(t)) {
            let edges = node.edges.borrow();
            let edge = edges.iter().find(|edge| edge.param == param);
            let made = edge.and_then(|edge| edge.of.upgrade().and_then(|t| target(&t)).or(Some(edge.to.clone())));
            let output = match made {
                Some(Target::Node(maker, k)) => Some((short(&maker), k)),
                _ => None,
            };
            return fail(t, output, before.unwrap_or(changes(t).saturating_sub(1)));
        }
    }
    for (k, (result, before)) in node.results.iter().zip(&node.changes).enumerate() {
        if rules::reads_result(text, k) && changes(result) != *before && !is_packed(Place::Result(k)) {
            return fail(result, Some((short(node), k)), *before);
        }
    }
    Ok(())
}

/// `Exp` of `ExpBackward0`, and `Pow2` of `PowBackward2`.
fn short(node: &Node) -> String {
    match node.name().split_once("Backward") {
        Some((name, "0")) => name.to_string(),
        Some((name, form)) => format!("{name}{form}"),
        None if node.name() == "CopySlices" => "torch::autograd::CopySlices".to_string(),
        None => node.name().to_string(),
    }
}

/// What a node keeps under a name for the way back: an argument, or `result`, each with what made it; Python's None for an operand that
/// no gradient asks for.
///
/// Fails with a `RuntimeError` for a tensor that was given up.
pub fn saved(node: &Rc<Node>, name: &str) -> Result<Option<Value>> {
    let saved = node.saved.borrow();
    let call = match &*saved {
        Some(Saved::Call(call)) => call,
        Some(Saved::View { of, .. }) if name == "self_sym_sizes" => {
            return Ok(Some(Value::tuple(of.sizes.iter().map(|n| Value::from(*n)).collect())));
        }
        _ => return Ok(None),
    };
    let params = &call.op.schema()?.params;
    if let Some(form) = form(call, params, name) {
        return Ok(Some(form));
    }
    let value = match params.iter().position(|param| param.name == name) {
        _ if name == "result" => node.results.first().map(|result| Value::Tensor(made_by(result, node, 0))),
        Some(place) if is_needless(node, call, params, place) => Some(Value::None),
        Some(place) => argument(node, call, params, place)?,
        None => None,
    };
    if node.gone.get() && matches!(value, Some(Value::Tensor(_))) {
        fault!(RuntimeError, "{}", engine::AGAIN);
    }
    Ok(value)
}

/// What is kept of the form of an argument: its sizes, their product, or its dtype, none of which is given up.
fn form(call: &Call, params: &[Param], name: &str) -> Option<Value> {
    let of = |end: &str| {
        let own = name.strip_suffix(end)?;
        let place = params.iter().position(|param| param.name == own)?;
        call.values.get(place)
    };
    let sizes = |x: &Tensor| x.sizes().iter().map(|n| Value::from(*n)).collect();
    match (of("_sym_sizes"), of("_sym_numel"), of("_scalar_type")) {
        (Some(Value::Tensor(x)), ..) => Some(Value::tuple(sizes(x))),
        (_, Some(Value::Tensor(x)), _) => Some(Value::from(x.numel())),
        (.., Some(Value::Tensor(x))) => Some(Value::DType(x.dtype())),
        _ => match call.values.get(params.iter().position(|param| param.name == name)?)? {
            Value::Size(dims) => Some(Value::tuple(dims.iter().map(|n| Value::from(*n)).collect())),
            _ => None,
        },
    }
}

/// An argument of the call that a node is of, with what made it.
pub(super) fn argument_of(node: &Rc<Node>, place: usize) -> Result<Option<Value>> {
    let saved = node.saved.borrow();
    match &*saved {
        Some(Saved::Call(call)) => argument(node, call, &call.op.schema()?.params, place),
        _ => Ok(None),
    }
}

/// A tensor's elements as a result of a node.
pub(super) fn made_by(x: &Tensor, node: &Rc<Node>, output: usize) -> Tensor {
    let shown = x.twin();
    graph::set_maker(&shown, node, output);
    shown
}

/// An argument as PyTorch keeps it: a number beside a tensor is a tensor.
fn argument(node: &Rc<Node>, call: &Call, params: &[Param], place: usize) -> Result<Option<Value>> {
    let edges = node.edges.borrow();
    let to = edges.iter().find(|edge| edge.param == place).map(|edge| &edge.to);
    Ok(match (call.values.get(place), to) {
        (_, Some(Target::Leaf(leaf))) => Some(Value::Tensor(leaf.clone())),
        (Some(Value::Tensor(x)), Some(Target::Node(maker, output))) => Some(Value::Tensor(made_by(x, maker, *output))),
        (Some(value), _) if params[place].kind.base == Base::Operand && is_as_tensor(node, call, place) => {
            Some(as_tensor(value)?)
        }
        (value, _) => value.cloned(),
    })
}

/// A number as a tensor of its widest dtype; anything else as it is.
fn as_tensor(value: &Value) -> Result<Value> {
    let dtype = match value {
        Value::Bool(_) | Value::Int(_) => None,
        Value::Float(_) => Some(DType::F64),
        Value::Complex(_) => Some(DType::C128),
        other => return Ok(other.clone()),
    };
    Ok(Value::Tensor(create::data::from_data(value, dtype, DeviceId::Cpu)?))
}

/// True for one of several operands that no gradient which is asked for looks at.
fn is_needless(node: &Node, call: &Call, params: &[Param], place: usize) -> bool {
    let is_operand = |param: &Param| matches!(param.kind.base, Base::Operand | Base::Tensor);
    let edges = node.edges.borrow();
    let mut rules = edges.iter().filter_map(|edge| params.get(edge.param)).filter_map(|param| rules::rule(call.op, &param.name));
    let several = params.iter().filter(|param| is_operand(param)).count() > 1;
    several && is_operand(&params[place]) && !rules.any(|text| rules::reads(text, &params[place].name))
}
