//! `x.grad_fn`: what made a tensor, as the user sees it.

use super::graph::{Node, Saved, Target};
use crate::tensor::{Recorded, Tensor};
use crate::value::{CallArgs, Machine, Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

/// `<MulBackward0 object at 0x…>`, or None for a leaf.
pub fn shown(x: &Tensor) -> Value {
    super::refresh(x);
    match super::graph::maker(x) {
        Some((node, _)) => Value::object(Shown(Made::Node(node))),
        None => Value::None,
    }
}

struct Shown(Made);

/// What a gradient goes to.
enum Made {
    Node(Rc<Node>),
    Leaf(Tensor),
}

impl Shown {
    fn name(&self) -> &str {
        match &self.0 {
            Made::Node(node) => node.name(),
            Made::Leaf(_) => "AccumulateGrad",
        }
    }

    /// As its method `name` says it.
    fn full_name(&self) -> String {
        match (self.name(), &self.0) {
            (name @ ("AccumulateGrad" | "CopySlices"), _) => format!("torch::autograd::{name}"),
            (_, Made::Node(node)) => node.full_name().to_string(),
            (name, _) => name.to_string(),
        }
    }

    fn address(&self) -> u64 {
        match &self.0 {
            Made::Node(node) => Rc::as_ptr(node) as u64,
            Made::Leaf(leaf) => leaf.serial(),
        }
    }

    fn next(&self) -> Value {
        let Made::Node(node) = &self.0 else { return Value::tuple(vec![]) };
        let edges = node.edges.borrow();
        let pair = |to: &Target| {
            let (made, output) = match to {
                Target::Node(node, output) => (Made::Node(node.clone()), *output),
                Target::Leaf(leaf) => (Made::Leaf(leaf.clone()), 0),
            };
            Value::tuple(vec![Value::object(Shown(made)), Value::from(output as i64)])
        };
        Value::tuple(edges.iter().map(|edge| pair(&edge.to)).collect())
    }
}

/// What a node keeps under a name: an argument, or `result`.
fn saved(node: &Rc<Node>, name: &str) -> Option<Value> {
    let saved = node.saved.borrow();
    let Some(Saved::Call(call)) = &*saved else { return None };
    if name == "result" {
        return node.results.first().map(|result| Value::Tensor(result.twin()));
    }
    let place = call.op.schema().ok()?.params.iter().position(|param| param.name == name)?;
    let edges = node.edges.borrow();
    match edges.iter().find(|edge| edge.param == place).map(|edge| &edge.to) {
        Some(Target::Leaf(leaf)) => Some(Value::Tensor(leaf.clone())),
        _ => call.values.get(place).cloned(),
    }
}

impl Object for Shown {
    fn type_name(&self) -> String {
        self.name().to_string()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("<{} object at {:#x}>", self.name(), self.address())
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match (name, &self.0) {
            ("name", _) => Some(Value::object(Name(self))),
            ("next_functions", _) => Some(self.next()),
            (name, Made::Node(node)) if name.starts_with("_saved_") => saved(node, &name[7..]),
            ("variable", Made::Leaf(leaf)) => Some(Value::Tensor(leaf.clone())),
            _ => None,
        })
    }
    fn attributes(&self) -> Vec<String> {
        vec!["name".to_string(), "next_functions".to_string()]
    }
}

/// The method `name` of what made a tensor.
struct Name(Rc<Shown>);

impl Object for Name {
    fn type_name(&self) -> String {
        "builtin_function_or_method".to_string()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn call(self: Rc<Self>, _machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        let given = args.positional.len() + args.keyword.len();
        Some(match given {
            0 => Ok(Value::from(self.0.full_name())),
            _ => Err(err!(TypeError, "{}.name() takes no arguments ({given} given)", self.0.name()).into()),
        })
    }
    fn is_callable(&self) -> bool {
        true
    }
}

/// What hangs on a tensor and can be taken off.
pub struct Handle(pub Box<dyn Fn()>);

impl Object for Handle {
    fn type_name(&self) -> String {
        "RemovableHandle".to_string()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("<torch.utils.hooks.RemovableHandle object at {:#x}>", std::ptr::from_ref(self).addr())
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok((name == "remove").then(|| {
            Value::method(move |_| {
                (self.0)();
                Ok(Value::None)
            })
        }))
    }
}
