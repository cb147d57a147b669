//! `x.grad_fn`: what made a tensor, as the user sees it.

use super::graph::{Around, Call, Edge, Input, Node, Saved, Target, Whole, differentiable};
use super::{engine, kept, rules, steps};
use crate::ops::schema::Base;
use crate::ops::{Args, FromValue, exec, guard, recorded};
use crate::tensor::{Recorded, Tensor};
use crate::value::{CallArgs, Dict, Machine, Object, Outcome, Value};
use anyhow::Result;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::{Rc, Weak};

/// `<MulBackward0 object at 0x…>`, or None for a leaf.
///
/// Fails with a `RuntimeError` for one of several views that were made together when its elements were changed since.
pub fn shown(x: &Tensor) -> Result<Value> {
    guard::refuse_outdated(std::iter::once(x))?;
    super::refresh(x);
    Ok(match super::graph::maker(x) {
        Some((node, _)) => object(Made::Node(node)),
        None => Value::None,
    })
}

thread_local! {
    /// What is shown now, by address: a node that is seen twice is one object.
    static SEEN: RefCell<HashMap<u64, Weak<Shown>>> = RefCell::default();
}

thread_local! {
    /// How many functions were hung on nodes.
    static HUNG: Cell<u64> = const { Cell::new(0) };
}

/// True for what made a tensor.
pub fn is_node(value: &Value) -> bool {
    value.downcast::<Shown>().is_some()
}

/// So many may be forgotten before their places are taken.
const FORGOTTEN: usize = 1 << 10;

fn object(made: Made) -> Value {
    let new = Shown(made);
    let address = new.address();
    let seen = SEEN.with_borrow_mut(|seen| {
        if seen.len() > FORGOTTEN {
            seen.retain(|_, shown| shown.strong_count() > 0);
        }
        let known = seen.get(&address).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let shown = Rc::new(new);
            seen.insert(address, Rc::downgrade(&shown));
            shown
        })
    });
    Value::shared(seen)
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

    /// True for a function of the program's.
    fn is_of_program(&self) -> bool {
        matches!(&self.0, Made::Node(node) if matches!(&*node.saved.borrow(), Some(Saved::Own(_))))
    }

    fn address(&self) -> u64 {
        match &self.0 {
            Made::Node(node) => Rc::as_ptr(node) as u64,
            // Leaves have no node: what stands for one is where nodes are, but between two of them.
            Made::Leaf(leaf) => 0x7f00_0000_0008 + leaf.serial() * 64,
        }
    }

    fn next(&self) -> Value {
        let Made::Node(node) = &self.0 else { return Value::tuple(vec![]) };
        Value::tuple(next_of(node).iter().map(|to| pair(to.as_ref())).collect())
    }

    /// The gradients of the arguments for those of the results, as one or as a tuple; with their own history where that is recorded.
    fn apply(&self, machine: &mut dyn Machine, args: &CallArgs) -> Outcome {
        let Made::Node(node) = &self.0 else { fault!(NotImplementedError, "tsr does not call AccumulateGrad: add to x.grad") };
        let mut grads: Vec<Option<Tensor>> = args.positional.iter().map(Tensor::from_value).collect();
        if grads.len() > node.results.len() || grads.iter().all(Option::is_none) {
            fault!(
                RuntimeError,
                "{} takes the gradients of its {} results, but got {}",
                node.name(),
                node.results.len(),
                grads.len()
            );
        }
        grads.resize(node.results.len(), None);
        let found = engine::apply(machine, node, &grads)?;
        let edges = node.edges.borrow();
        let of = |edge: &Edge| edges.iter().position(|known| (known.param, known.item) == (edge.param, edge.item));
        let ways = ways_of(node);
        let mut values: Vec<Value> = ways
            .iter()
            .map(|edge| edge.as_ref().and_then(of).and_then(|k| found[k].clone()).map_or(Value::None, Value::Tensor))
            .collect();
        Ok(if values.len() == 1 { values.remove(0) } else { Value::tuple(values) })
    }
}

/// The edges of a node in the order of its arguments, where some may ask for no gradient.
pub(super) fn ways_of(node: &Node) -> Vec<Option<Edge>> {
    match &*node.saved.borrow() {
        Some(Saved::Call(call)) => ways(node, Some(call)),
        _ => ways(node, None),
    }
}

/// What a node leads to, as it is shown; none for an argument that asks for no gradient.
fn next_of(node: &Rc<Node>) -> Vec<Option<Target>> {
    let to = |edges: Vec<Option<Edge>>| edges.into_iter().map(|edge| edge.map(|edge| edge.to)).collect();
    match &*node.saved.borrow() {
        Some(Saved::Shown(shown)) => shown.clone(),
        Some(Saved::Whole(Whole { op, inputs })) => {
            let plain = || inputs.iter().map(|input| input.to.clone()).collect();
            steps::before(op.name(), node, inputs, &[]).unwrap_or_else(plain)
        }
        Some(Saved::Call(call)) => {
            let inputs = inputs_of(call, &node.edges.borrow());
            let plain = || {
                let mut found: Vec<Option<Target>> = to(ways(node, Some(call)));
                if node.name.ends_with("NotImplemented") {
                    found.retain(Option::is_some);
                }
                found
            };
            steps::before(call.op.name(), node, &inputs, &call.values).unwrap_or_else(plain)
        }
        Some(Saved::Steps) => {
            let last = node.edges.borrow().first().and_then(|edge| edge.to.node());
            let mut found = last.map_or(vec![], |last| next_of(&last));
            if WITH_NUMBER.contains(&node.name()) {
                found.truncate(1);
            }
            found
        }
        Some(Saved::View { between, .. }) => {
            let way = |edge: Option<Edge>| steps::between(between, edge.map(|edge| edge.to));
            ways(node, None).into_iter().map(way).collect()
        }
        _ => to(ways(node, None)),
    }
}

/// Nodes of a tensor and a number.
const WITH_NUMBER: [&str; 4] = ["AddBackward1", "DivBackward1", "MulBackward1", "SubBackward1"];

/// The arguments of a call that could ask for a gradient.
fn inputs_of(call: &Call, edges: &[Edge]) -> Vec<Input> {
    let input = |param: usize, item: Option<usize>, t: &Tensor| {
        let edge = edges.iter().find(|edge| edge.param == param && edge.item == item);
        Input { param, like: t.twin(), to: edge.map(|edge| edge.to.clone()) }
    };
    let of = |(param, value): (usize, &Value)| match value {
        Value::Tensor(t) if differentiable(t) => vec![input(param, None, t)],
        Value::Tuple(items) => {
            let tensors = items.iter().enumerate().filter_map(|(k, item)| Some((k, Tensor::from_value(item)?)));
            tensors.filter(|(_, t)| differentiable(t)).map(|(k, t)| input(param, Some(k), &t)).collect()
        }
        _ => vec![],
    };
    call.values.iter().enumerate().flat_map(of).collect()
}

/// Where the gradients go: an edge, or none for an argument that asks for none.
fn ways(node: &Node, call: Option<&Call>) -> Vec<Option<Edge>> {
    let edges = node.edges.borrow();
    match call {
        Some(call) if rules::has(call.op) => of_call(node, call, &edges),
        _ => edges.iter().cloned().map(Some).collect(),
    }
}

/// Where a gradient goes, and to which result of it; no node for what asks for none.
fn pair(to: Option<&Target>) -> Value {
    let (made, output) = match to {
        None => (Value::None, 0),
        Some(Target::Node(node, output)) => (object(Made::Node(node.clone())), *output),
        Some(Target::Leaf(leaf)) => (object(Made::Leaf(leaf.clone())), 0),
    };
    Value::tuple(vec![made, Value::from(output as i64)])
}

/// Those of all arguments of a call that could ask for a gradient.
fn of_call(node: &Node, call: &Call, edges: &[Edge]) -> Vec<Option<Edge>> {
    let Ok(schema) = call.op.schema() else { return vec![] };
    let mut found = vec![];
    for (place, (param, value)) in schema.params.iter().zip(&call.values).enumerate() {
        if rules::rule(call.op, &param.name).is_none() {
            continue;
        }
        let to = |item| edges.iter().find(|edge| edge.param == place && edge.item == item).cloned();
        match value {
            Value::Tensor(_) => found.push(to(None)),
            Value::Tuple(items) => found.extend((0..items.len()).map(|k| to(Some(k)))),
            Value::None if param.kind.base == Base::Tensor && call.op.name() != "nn.functional.linear" => found.push(to(None)),
            Value::Int(_) | Value::Float(_) | Value::Complex(_) | Value::Bool(_) if is_as_tensor(node, call, place) => {
                found.push(to(None))
            }
            _ => {}
        }
    }
    found
}

/// True for a number that PyTorch makes a tensor of before it calls the function: that has no node of its own for numbers.
pub(super) fn is_as_tensor(node: &Node, call: &Call, place: usize) -> bool {
    let (Some(set), [result, ..], Ok(number)) =
        (crate::ops::function(call.op.name()), &node.results[..], exec::from_vec(&[0f64], &[]))
    else {
        return false;
    };
    let mut values: crate::ops::args::Values = call.values.iter().cloned().collect();
    values[place] = Value::Tensor(number);
    let tensors: Vec<Tensor> = values.iter().filter_map(Tensor::from_value).collect();
    let args = Args { op: call.op, values, out: Value::None, inplace: false };
    recorded::backward_name(set, &args, &tensors, result) == node.name()
}

impl Object for Shown {
    fn type_name(&self) -> String {
        self.name().to_string()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let module = if self.is_of_program() { "torch.autograd.function." } else { "" };
        format!("<{module}{} object at {:#x}>", self.name(), self.address())
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some(self.apply(machine, &args))
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match (name, &self.0) {
            ("name", _) => Some(Value::object(Name(self))),
            ("next_functions", _) => Some(self.next()),
            ("metadata", Made::Node(node)) => {
                Some(node.notes.borrow_mut().get_or_insert_with(|| Value::dict(Dict::default())).clone())
            }
            ("register_hook" | "register_prehook", Made::Node(_)) => {
                Some(Value::object(Hang { on: self, is_before: name == "register_prehook" }))
            }
            (name, Made::Node(node)) if name.starts_with("_saved_") => kept::saved(node, &name[7..])?,
            ("variable", Made::Leaf(leaf)) => Some(Value::Tensor(leaf.clone())),
            _ => None,
        })
    }
    fn attributes(&self) -> Vec<String> {
        ["metadata", "name", "next_functions", "register_hook", "register_prehook"].map(str::to_string).to_vec()
    }
}

/// A method that hangs a function on a node.
struct Hang {
    on: Rc<Shown>,
    is_before: bool,
}

impl Object for Hang {
    fn type_name(&self) -> String {
        "builtin_function_or_method".to_string()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn call(self: Rc<Self>, _machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        let Made::Node(node) = &self.on.0 else { return None };
        let [function] = &args.positional[..] else {
            let (title, method) = (self.on.name(), if self.is_before { "register_prehook" } else { "register_hook" });
            let given = args.positional.len();
            return Some(Err(err!(TypeError, "{title}.{method}() takes exactly one argument ({given} given)").into()));
        };
        let number = HUNG.with(|hung| hung.replace(hung.get() + 1));
        node.around.borrow_mut().push(Around { is_before: self.is_before, number, call: function.clone() });
        let node = node.clone();
        Some(Ok(Value::object(Handle(Box::new(move || node.around.borrow_mut().retain(|hung| hung.number != number))))))
    }
    fn is_callable(&self) -> bool {
        true
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
