//! What a node keeps for the way back, and whether it is still what it was.

use super::graph::{Call, Edge, Node, Saved, Target, changes, target};
use super::rules;
use super::shown::is_as_tensor;
use crate::ops::schema::{Base, Param};
use crate::tensor::{Recorded, Tensor};
use crate::value::Value;
use anyhow::Result;

/// True when a node keeps elements for its way back, so that it goes only once; what looks at sizes alone goes again.
pub fn saves(node: &Node) -> Result<bool> {
    let saved = node.saved.borrow();
    let call = match &*saved {
        Some(Saved::Call(call)) if call.op.looks_at_form() => return Ok(false),
        Some(Saved::Call(call)) if rules::has(call.op) => call,
        Some(Saved::Call(_) | Saved::Written { .. }) => return Ok(true),
        Some(Saved::Same | Saved::Whole(_) | Saved::Steps | Saved::Shown(_) | Saved::View { .. }) | None => return Ok(false),
    };
    let params = &call.op.schema()?.params;
    let has_elements = |(place, (param, value)): &(usize, (&Param, &Value))| match value {
        Value::Tensor(_) => true,
        Value::Tuple(items) => items.iter().any(|item| matches!(item, Value::Tensor(_))),
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
    for (param, (value, before)) in call.values.iter().zip(&call.changes).enumerate() {
        let Value::Tensor(t) = value else { continue };
        let Some(known) = schema.params.get(param) else { continue };
        // Norms move running means and variances themselves, which PyTorch does not count as a change.
        let is_moved = known.name.starts_with("running_");
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
        if rules::reads_result(text, k) && changes(result) != *before {
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
