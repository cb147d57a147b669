//! Going backward: from results to what they were made of.

mod around;
mod leaves;
mod own;
mod under_way;

use self::around::{before, behind};
use self::leaves::{accumulate, call_hooks};
use self::own::own;
use super::complex;
use super::graph::{Call, Edge, Node, Saved, Target};
use super::kept::{require_unchanged, saves};
use super::packed::{self, Place};
use super::{rules, slopes};
use crate::dtype::DType;
use crate::interrupt;
use crate::layout::{Layout, broadcast_sizes};
use crate::ops::{Form, FromValue, Op, exec};
use crate::ops::{call_function, call_method};
use crate::settings;
use crate::tensor::{Grad, MadeBy, Tensor};
use crate::value::{CallArgs, Machine, Outcome, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

pub use self::under_way::awaited;

/// How to go.
pub struct Way {
    /// Keep what is saved, so that it can be gone again.
    pub keep: bool,
    /// Record what is computed.
    pub create: bool,
    /// Add to the leaves: all of them, or those that are wanted.
    pub collect: Collect,
}

/// Which gradients are kept.
pub enum Collect {
    /// Those of all leaves, in them.
    Leaves,
    /// Those of these leaves, in them.
    Only(Vec<Target>),
    /// Those of these tensors, as result.
    Asked(Vec<Target>),
}

/// Nodes that wait, with the gradients of their results, by number: the last made is next.
type Waiting = BTreeMap<u64, (Rc<Node>, Vec<Option<Tensor>>)>;

/// One run.
struct Run<'a> {
    machine: &'a mut dyn Machine,
    way: &'a Way,
    waiting: Waiting,
    asked: Vec<Option<Tensor>>,
    /// The nodes behind which something is asked for; none when every leaf is.
    leading: Option<Rc<HashSet<u64>>>,
    /// Where the run begins.
    roots: Vec<Rc<Node>>,
    /// Leaves that gradients have reached, each with their sum,
    leaves: Vec<(Tensor, Tensor)>,
    /// and whether functions are to be called for one of them.
    is_watched: bool,
    /// For each leaf, by its serial number, the first made of the nodes that may send it a gradient: known where it is asked for.
    first: Option<HashMap<u64, u64>>,
}

/// Nodes and all that is reached from them, by number.
fn reached(mut next: Vec<Rc<Node>>) -> BTreeMap<u64, Rc<Node>> {
    let mut nodes: BTreeMap<u64, Rc<Node>> = BTreeMap::new();
    while let Some(node) = next.pop() {
        if nodes.insert(node.number, node.clone()).is_none() {
            next.extend(node.edges.borrow().iter().filter_map(|edge| edge.to.node()));
        }
    }
    nodes
}

/// The numbers of the nodes from which some targets are reached.
fn leading(roots: &[Rc<Node>], asked: &[Target]) -> HashSet<u64> {
    let mut found = HashSet::new();
    // What made an argument was made before.
    for (number, node) in reached(roots.to_vec()) {
        let leads = |to: &Target| {
            asked.iter().any(|wanted| wanted.is(to)) || matches!(to, Target::Node(next, _) if found.contains(&next.number))
        };
        if node.edges.borrow().iter().any(|edge| leads(&edge.to)) {
            found.insert(number);
        }
    }
    found
}

/// Goes backward from results with their gradients; gives the gradients that were asked for.
pub fn run(machine: &mut dyn Machine, way: &Way, from: Vec<(Target, Tensor)>) -> Outcome<Vec<Option<Tensor>>> {
    let asked = match &way.collect {
        Collect::Asked(asked) => vec![None; asked.len()],
        _ => vec![],
    };
    let roots: Vec<Rc<Node>> = from.iter().filter_map(|(to, _)| to.node()).collect();
    let leading = match &way.collect {
        Collect::Asked(wanted) | Collect::Only(wanted) => Some(Rc::new(leading(&roots, wanted))),
        Collect::Leaves => None,
    };
    let _mark = under_way::begin(way, &roots, leading.as_ref());
    let mut run =
        Run { machine, way, waiting: Waiting::new(), asked, leading, roots, leaves: vec![], is_watched: false, first: None };
    let before = settings::change(|s| std::mem::replace(&mut s.grad_enabled, way.create));
    let done = run.all(from);
    settings::change(|s| s.grad_enabled = before);
    done?;
    Ok(run.asked)
}

/// True where leaves are reached that are none of these inputs.
pub fn asks_besides(from: Vec<Target>, inputs: &[Target]) -> bool {
    let is_known = |to: &Target| inputs.iter().any(|input| input.is(to));
    let unknown = |to: &Target| matches!(to, Target::Leaf(_)) && !is_known(to);
    let mut seen = HashSet::new();
    let mut next: Vec<Target> = from;
    while let Some(to) = next.pop() {
        if unknown(&to) {
            return true;
        }
        let Some(node) = to.node().filter(|node| !is_known(&to) && seen.insert(node.number)) else { continue };
        next.extend(node.edges.borrow().iter().map(|edge| edge.to.clone()));
    }
    false
}

/// The gradients of a node's arguments, one for each edge, by those of its results; recorded when other computations are.
pub fn apply(machine: &mut dyn Machine, node: &Rc<Node>, grads: &[Option<Tensor>]) -> Outcome<Vec<Option<Tensor>>> {
    let way = Way { keep: true, create: settings::with(|s| s.grad_enabled), collect: Collect::Leaves };
    let (asked, leading, leaves) = (vec![], None, vec![]);
    let waiting = Waiting::new();
    let mut run = Run { machine, way: &way, waiting, asked, leading, roots: vec![], leaves, is_watched: false, first: None };
    let edges = node.edges.borrow().clone();
    let found = run.step(node, &edges, grads)?;
    edges.iter().zip(found).map(|(edge, grad)| grad.map(|grad| run.fit(grad, &edge.like)).transpose()).collect()
}

impl Run<'_> {
    fn all(&mut self, from: Vec<(Target, Tensor)>) -> Outcome<()> {
        for (to, grad) in from {
            self.send(&to, grad)?;
        }
        loop {
            interrupt::check()?;
            self.settle()?;
            let Some((_, (node, mut grads))) = self.waiting.pop_last() else { return Ok(()) };
            self.hooks(&node, &mut grads)?;
            before(self.machine, &node, &mut grads)?;
            self.note_asked(&node, &grads);
            let wanted = if self.leads_on(&node) { node.edges.borrow().clone() } else { vec![] };
            if wanted.is_empty() || grads.iter().all(Option::is_none) {
                continue;
            }
            let mut found = self.step(&node, &wanted, &grads)?;
            behind(self.machine, &node, &wanted, &mut found, &grads)?;
            for (edge, grad) in wanted.iter().zip(&found) {
                grad.as_ref().map_or(Ok(()), |grad| refuse_misfit(&node, edge, grad))?;
            }
            if settings::with(|s| s.anomaly == Some(true)) {
                self.refuse_nan(&node, &wanted, &found)?;
            }
            if !self.way.keep && !settings::with(|s| s.keeps_graphs) && saves(&node)? {
                node.gone.set(true);
            }
            for (edge, grad) in wanted.iter().zip(found) {
                if let Some(grad) = grad {
                    let grad = if self.way.create { slopes::named(&node, edge, grad, &grads) } else { grad };
                    let grad = self.fit(grad, &edge.like)?;
                    self.send(&edge.to, grad)?;
                }
            }
        }
    }

    /// Fails where a gradient that a function gives has a NaN.
    fn refuse_nan(&mut self, node: &Node, edges: &[Edge], found: &[Option<Tensor>]) -> Outcome<()> {
        for (edge, grad) in edges.iter().zip(found) {
            let Some(grad) = grad else { continue };
            let unknown = tensor(call_function(self.machine, "isnan", vec![grad.clone().into()])?)?;
            let any = tensor(call_function(self.machine, "any", vec![unknown.into()])?)?;
            if exec::item(&any)?.to_bool() {
                fault!(RuntimeError, "Function '{}' returned nan values in its {}th output.", node.name, edge.param);
            }
        }
        Ok(())
    }

    fn leads_on(&self, node: &Node) -> bool {
        self.leading.as_ref().is_none_or(|leading| leading.contains(&node.number))
    }

    /// True for a node whose gradient is asked for, or from which one that is is reached: what hangs on others is left alone.
    fn is_needed(&self, node: &Rc<Node>) -> bool {
        let (Collect::Asked(wanted) | Collect::Only(wanted)) = &self.way.collect else { return true };
        self.leads_on(node) || wanted.iter().any(|to| to.node().is_some_and(|wanted| Rc::ptr_eq(&wanted, node)))
    }

    /// Adds a gradient to those that wait at a node, or in a leaf.
    fn send(&mut self, to: &Target, grad: Tensor) -> Outcome<()> {
        match to {
            Target::Node(node, output) => {
                let count = node.results.len();
                let (_, grads) = self.waiting.entry(node.number).or_insert_with(|| (node.clone(), vec![None; count]));
                let Some(slot) = grads.get_mut(*output) else { return Ok(()) };
                let before = slot.take();
                let sum = self.sum(before, grad)?;
                if let Some((_, grads)) = self.waiting.get_mut(&node.number)
                    && let Some(slot) = grads.get_mut(*output)
                {
                    *slot = Some(sum);
                }
                Ok(())
            }
            Target::Leaf(leaf) => self.collect(leaf, grad),
        }
    }

    fn sum(&mut self, before: Option<Tensor>, grad: Tensor) -> Outcome<Tensor> {
        match before {
            Some(before) => tensor(call_function(self.machine, "add", vec![before.into(), grad.into()])?),
            None => Ok(grad),
        }
    }

    /// Calls what the user hung on the results of a node, and keeps the gradients that are to be kept.
    fn hooks(&mut self, node: &Rc<Node>, grads: &mut [Option<Tensor>]) -> Outcome<()> {
        if !self.is_needed(node) {
            return Ok(());
        }
        let hooks = node.hooks.borrow().clone();
        for (output, slot) in grads.iter_mut().enumerate() {
            let Some(grad) = slot.take() else { continue };
            let own: Vec<Value> = hooks.iter().filter(|(of, ..)| *of == output).map(|(_, _, hook)| hook.clone()).collect();
            *slot = Some(call_hooks(self.machine, &own, grad)?);
        }
        let retained = node.retained.borrow().clone();
        for (output, weak) in retained {
            if let (Some(x), Some(Some(grad))) = (weak.upgrade(), grads.get(output)) {
                accumulate(self.machine, &x, grad.clone(), self.way.create)?;
            }
        }
        Ok(())
    }

    fn note_asked(&mut self, node: &Rc<Node>, grads: &[Option<Tensor>]) {
        let Collect::Asked(asked) = &self.way.collect else { return };
        for (k, to) in asked.iter().enumerate() {
            if let Target::Node(wanted, output) = to
                && Rc::ptr_eq(wanted, node)
            {
                self.asked[k] = grads.get(*output).cloned().flatten();
            }
        }
    }

    /// The gradients of a node's arguments, one for each edge.
    fn step(&mut self, node: &Rc<Node>, edges: &[Edge], grads: &[Option<Tensor>]) -> Outcome<Vec<Option<Tensor>>> {
        let saved = node.saved.borrow();
        let Some(saved) = saved.as_ref().filter(|_| !node.gone.get()) else { fault!(RuntimeError, "{AGAIN}") };
        let first = grads.iter().flatten().next().cloned();
        let Some(grad) = first else { return Ok(vec![None; edges.len()]) };
        match saved {
            Saved::Same | Saved::Whole(_) | Saved::Steps | Saved::Shown(_) => Ok(vec![Some(grad); edges.len()]),
            Saved::View { of, view, .. } => {
                let grad = placed(self.machine, &node.name, (of, view), grad, self.way.create)?;
                Ok(vec![Some(grad); edges.len()])
            }
            Saved::Own(rule) => own(self.machine, node, rule, edges, grads),
            Saved::Written { of, view, by } => self.written(edges, grad, (of, view), by),
            Saved::Call(call) => self.call(node, call, edges, grads),
        }
    }

    /// Of what was written to through a view: the part goes through what wrote it, the rest as it is.
    fn written(
        &mut self,
        edges: &[Edge],
        grad: Tensor,
        (of, view): (&Layout, &Layout),
        by: &Rc<Node>,
    ) -> Outcome<Vec<Option<Tensor>>> {
        let names = [("grad", Value::Tensor(grad))].into_iter().chain(geometry(of, view)).collect::<Vec<_>>();
        let part = tensor(self.machine.eval_code(PART, &names)?)?;
        let saved = by.saved.borrow();
        let Some(Saved::Call(call)) = &*saved else { fault!(RuntimeError, "{AGAIN}") };
        let before = edges.iter().find(|edge| edge.param == 0);
        let old = before.map(|before| {
            let saved = Saved::View { of: of.clone(), view: view.clone(), between: vec![] };
            let made = Node::new("AsStridedBackward0", false, vec![before.clone()], saved, vec![part.twin()]);
            Edge { like: part.twin(), to: Target::Node(made, 0), ..before.clone() }
        });
        let inner: Vec<Edge> = old.into_iter().chain(edges.iter().filter(|e| e.param > 0).cloned()).collect();
        let mut found = self.call(by, call, &inner, &[Some(part.clone())])?.into_iter();
        let whole = match before {
            Some(_) => {
                let through = match found.next().flatten() {
                    Some(through) => through,
                    None => tensor(call_function(self.machine, "zeros_like", vec![part.into()])?)?,
                };
                let names: Vec<_> = names.into_iter().chain([("part", Value::Tensor(through))]).collect();
                Some(tensor(self.machine.eval_code(REST, &names)?)?)
            }
            None => None,
        };
        Ok(edges.iter().map(|e| if e.param == 0 { whole.clone() } else { found.next().flatten() }).collect())
    }

    /// By the rule of the operation.
    fn call(&mut self, node: &Rc<Node>, call: &Call, edges: &[Edge], grads: &[Option<Tensor>]) -> Outcome<Vec<Option<Tensor>>> {
        let schema = call.op.schema()?;
        let turns = complex::turns(call.op, &node.results, &call.values);
        let mut names: Vec<(&'static str, Value)> = vec![];
        let unpacked = packed::unpacked(self.machine, node)?;
        let given = |place: Place| unpacked.iter().find(|(known, _)| *known == place).map(|(_, x)| x.clone());
        for (param, (known, value)) in schema.params.iter().zip(&call.values).enumerate() {
            let value = given(Place::Argument(param)).map_or_else(|| value.clone(), Value::Tensor);
            names.push((known.name.as_str(), self.with_history(param, &value, edges)));
        }
        let results = node.results.iter().enumerate().map(|(output, result)| {
            let result = given(Place::Result(output)).unwrap_or_else(|| result.twin());
            if self.way.create && (result.dtype().is_float() || result.dtype().is_complex()) {
                let made_by = Some(MadeBy { node: node.clone(), output });
                result.set_grad(Grad { requires_grad: true, made_by, ..Grad::default() });
            }
            Value::Tensor(result)
        });
        let results: Vec<Value> = results.collect();
        let filled = node.results.iter().zip(grads).map(|(like, grad)| match grad {
            Some(grad) => Ok(Value::Tensor(grad.clone())),
            None => call_function(self.machine, "zeros_like", vec![Value::Tensor(like.twin())]),
        });
        let filled = filled.collect::<Outcome<Vec<Value>>>()?;
        names.push(("grad", filled.first().cloned().unwrap_or(Value::None)));
        names.push(("grads", Value::list(filled)));
        names.push(("result", results.first().cloned().unwrap_or(Value::None)));
        names.push(("results", Value::list(results)));
        if turns {
            for (_, value) in names.iter_mut().filter(|(name, _)| !matches!(*name, "grad" | "grads")) {
                *value = complex::conjugated(self.machine, value)?;
            }
        }
        if node.results.first().is_some_and(|result| rules::is_in_float(call.op, result.dtype())) {
            for (_, value) in &mut names {
                *value = in_float(self.machine, value)?;
            }
        }
        if matches!(call.op.form, Form::Code(_)) && !rules::has(call.op) {
            return self.again(call, edges, names);
        }
        let mut found = vec![];
        let mut lists: Vec<(usize, Vec<Value>)> = vec![];
        for edge in edges {
            let Some(param) = schema.params.get(edge.param) else { continue };
            let Some(text) = rules::rule(call.op, &param.name).or_else(|| rules::turned(call.op)) else {
                fault!(NotImplementedError, "tsr does not have the gradient of {} yet", call.op.name())
            };
            let Some(item) = edge.item else {
                require_unchanged(node, call, text)?;
                let mut gradient = self.machine.eval_code(text, &names)?;
                if let (true, true, Some((_, of))) =
                    (self.way.create, call.op.is_piecewise(), looked_at(&names, edge.param, text))
                {
                    gradient = call_function(self.machine, "_beside", vec![gradient, of.clone()])?;
                }
                found.push(Tensor::from_value(&gradient));
                continue;
            };
            if !lists.iter().any(|(place, _)| *place == edge.param) {
                require_unchanged(node, call, text)?;
                let list = self.machine.eval_code(text, &names)?.items().unwrap_or_default();
                lists.push((edge.param, list));
            }
            let list = lists.iter().find(|(place, _)| *place == edge.param);
            found.push(list.and_then(|(_, list)| Tensor::from_value(list.get(item)?)));
        }
        Ok(found)
    }

    /// By the steps of a text that has no rule: it is run once more, and gone back through.
    fn again(&mut self, call: &Call, edges: &[Edge], names: Vec<(&'static str, Value)>) -> Outcome<Vec<Option<Tensor>>> {
        // What writes is run again as what does not: `leaky_relu` for `leaky_relu_`.
        let name = call.op.name().trim_end_matches('_');
        let found = crate::ops::function(name).or_else(|| crate::ops::method(name));
        let Some(set) = found.filter(|set| set.rows.iter().all(|op| op.schema().is_ok_and(|schema| !schema.writes))) else {
            fault!(NotImplementedError, "tsr does not have the gradient of {} yet", call.op.name())
        };
        let mut values: Vec<Value> = names.iter().take(call.values.len()).map(|(_, value)| value.clone()).collect();
        let mut own = vec![];
        for edge in edges {
            let Some(Value::Tensor(t)) = values.get(edge.param) else {
                fault!(NotImplementedError, "tsr does not have the gradient of {} yet", call.op.name())
            };
            let start = if self.way.create { t.clone() } else { t.twin() };
            if !self.way.create {
                start.set_grad(Grad { requires_grad: true, ..Grad::default() });
            }
            own.push(Value::Tensor(start.clone()));
            values[edge.param] = Value::Tensor(start);
        }
        let before = settings::with(|s| s.grad_enabled);
        settings::change(|s| s.grad_enabled = true);
        let result = crate::ops::call(self.machine, set, false, CallArgs::positional(values));
        settings::change(|s| s.grad_enabled = before);
        let grads = names.iter().find(|(name, _)| *name == "grads").map_or(Value::None, |(_, grads)| grads.clone());
        let result = result?;
        if is_call_of(&result, call.op) {
            let zeros = own.into_iter().map(|own| call_function(self.machine, "zeros_like", vec![own]));
            return Ok(zeros.collect::<Outcome<Vec<Value>>>()?.iter().map(Tensor::from_value).collect());
        }
        let given = [("again", result), ("own", Value::list(own)), ("grads", grads), ("create", Value::Bool(self.way.create))];
        let found = self.machine.eval_code(THROUGH, &given)?.items().unwrap_or_default();
        Ok(found.iter().map(Tensor::from_value).collect())
    }

    /// An argument as the rule sees it: with its history when what is computed is recorded.
    fn with_history(&self, param: usize, value: &Value, edges: &[Edge]) -> Value {
        if !self.way.create {
            return value.clone();
        }
        let restored = |item: Option<usize>, value: &Value| match (
            value,
            edges.iter().find(|edge| edge.param == param && edge.item == item),
        ) {
            (Value::Tensor(_), Some(Edge { to: Target::Leaf(leaf), .. })) => Value::Tensor(leaf.clone()),
            (Value::Tensor(t), Some(Edge { to: Target::Node(node, output), .. })) => {
                let t = t.twin();
                let made_by = Some(MadeBy { node: node.clone(), output: *output });
                t.set_grad(Grad { requires_grad: true, made_by, ..Grad::default() });
                Value::Tensor(t)
            }
            _ => value.clone(),
        };
        match value {
            Value::Tuple(items) => Value::tuple(items.iter().enumerate().map(|(k, item)| restored(Some(k), item)).collect()),
            other => restored(None, other),
        }
    }

    /// A gradient with the size and dtype of what it is the gradient of.
    fn fit(&mut self, grad: Tensor, like: &Tensor) -> Outcome<Tensor> {
        let mut grad = grad;
        if grad.sizes() != like.sizes() {
            let sizes = Value::tuple(like.sizes().iter().map(|n| Value::from(*n)).collect());
            grad = tensor(call_method(self.machine, "sum_to_size", vec![grad.into(), sizes])?)?;
        }
        if grad.dtype().is_complex() && !like.dtype().is_complex() {
            grad = tensor(call_function(self.machine, "real", vec![grad.into()])?)?;
        }
        cast(self.machine, grad, like.dtype())
    }
}

/// A gradient in the dtype of what it is of.
pub fn cast(machine: &mut dyn Machine, grad: Tensor, dtype: DType) -> Outcome<Tensor> {
    if grad.dtype() == dtype { Ok(grad) } else { tensor(call_method(machine, "to", vec![grad.into(), Value::DType(dtype)])?) }
}

/// What a rule with pieces chooses by, which a gradient of the gradient goes back through: the result where the rule looks at that,
/// the argument itself otherwise.
fn looked_at<'a>(names: &'a [(&'static str, Value)], param: usize, text: &str) -> Option<&'a (&'static str, Value)> {
    let by_result = text.contains("result").then(|| names.iter().find(|(name, _)| *name == "result"));
    by_result.flatten().or_else(|| names.get(param))
}

/// Fails where a rule gives a gradient that no sum brings to the sizes of the argument.
fn refuse_misfit(node: &Node, edge: &Edge, grad: &Tensor) -> Outcome<()> {
    let (found, wanted) = (grad.sizes(), edge.like.sizes());
    let fits = found == wanted || broadcast_sizes(&wanted, &found).is_ok_and(|joint| joint == found);
    let saved = node.saved.borrow();
    let place = match saved.as_ref().filter(|_| !fits) {
        Some(Saved::Call(call)) => {
            let param = &call.op.schema()?.params[edge.param].name;
            call.op.gradients.iter().position(|(name, _)| name == param).unwrap_or_default()
        }
        Some(Saved::Own(_)) => edge.param,
        _ => return Ok(()),
    };
    fault!(
        RuntimeError,
        "Function {} returned an invalid gradient at index {place} - got {:?} but expected shape compatible with {:?}",
        node.name,
        found.as_slice(),
        wanted.as_slice()
    )
}

/// A value whose numbers of 16 bits have become float32.
fn in_float(machine: &mut dyn Machine, value: &Value) -> Outcome<Value> {
    match value {
        Value::Tensor(t) if matches!(t.dtype(), DType::F16 | DType::BF16) => call_method(machine, "float", vec![value.clone()]),
        Value::List(items) => {
            let items = items.borrow().clone();
            Ok(Value::list(items.iter().map(|item| in_float(machine, item)).collect::<Outcome<Vec<Value>>>()?))
        }
        other => Ok(other.clone()),
    }
}

/// True when every result was recorded as a call of the operation, and not by its steps: none of them saw an argument.
fn is_call_of(result: &Value, op: &Op) -> bool {
    let is_made = |item: &Value| {
        let made = Tensor::from_value(item).and_then(|result| result.grad().made_by);
        let node = made.and_then(|made| made.node.into_any().downcast::<Node>().ok());
        node.is_none_or(|node| matches!(&*node.saved.borrow(), Some(Saved::Call(made)) if std::ptr::eq(made.op, op)))
    };
    match result {
        Value::Tensor(_) => is_made(result),
        several => several.items().unwrap_or_default().iter().all(is_made),
    }
}

/// The gradients of what a text was run from again.
const THROUGH: &str = "again = list(again) if isinstance(again, (tuple, list)) else [again]
asked = [(t, g) for t, g in zip(again, grads) if t.requires_grad]
list(torch.autograd.grad([t for t, _ in asked], own, [g for _, g in asked], create_graph=create, allow_unused=True))";

/// What is said when the saved arguments are gone.
pub const AGAIN: &str = "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors after calling backward.";

/// The part of a gradient that lies where a view lies.
const PART: &str = "cells = torch.zeros(extent, dtype=torch.int64)
cells.as_strided(sizes, strides, offset).copy_(torch.arange(count).reshape(sizes))
grad.reshape(-1)[cells.as_strided(view_sizes, view_strides, view_offset)]";

/// A gradient with another part where a view lies.
const REST: &str = "cells = torch.zeros(extent, dtype=torch.int64)
cells.as_strided(sizes, strides, offset).copy_(torch.arange(count).reshape(sizes))
places = cells.as_strided(view_sizes, view_strides, view_offset).reshape(-1)
grad.reshape(-1).index_copy(0, places, part.reshape(-1).to(grad.dtype)).reshape(sizes)";

/// A gradient of a view, put where it lies in what it is a view of; the sum of what meets in one place.
const PLACED: &str = "cells = torch.zeros(extent, dtype=torch.int64)
cells.as_strided(sizes, strides, offset).copy_(torch.arange(count).reshape(sizes))
places = cells.as_strided(view_sizes, view_strides, view_offset).reshape(-1)
torch.zeros(count, dtype=grad.dtype, device=grad.device).index_add(0, places, grad.reshape(-1)).reshape(sizes)";

/// As [`PLACED`], for a view that has cells of the storage that are none of what it is a view of.
const PLACED_WITHIN: &str = "cells = torch.full((extent,), -1)
cells.as_strided(sizes, strides, offset).copy_(torch.arange(count).reshape(sizes))
places = cells.as_strided(view_sizes, view_strides, view_offset).reshape(-1)
within = places >= 0
torch.zeros(count, dtype=grad.dtype, device=grad.device).index_add(0, places[within], grad.reshape(-1)[within]).reshape(sizes)";

/// As [`PLACED`], for a view no two elements of which are one cell, of what lies in order.
const PLACED_ALONE: &str = "whole = torch.zeros(sizes, dtype=grad.dtype, device=grad.device)
whole.as_strided(view_sizes, view_strides, view_offset - offset).copy_(grad)
whole";

/// The first cell and the last one of what a view is of and of the view, which may lie elsewhere.
fn bounds(of: &Layout, view: &Layout) -> (i64, i64) {
    let (low, high) = of.extent().unwrap_or((of.offset, of.offset - 1));
    view.extent().map_or((low, high), |(first, last)| (low.min(first), high.max(last)))
}

fn geometry(of: &Layout, view: &Layout) -> Vec<(&'static str, Value)> {
    let (low, high) = bounds(of, view);
    let list = |numbers: &[i64]| Value::tuple(numbers.iter().map(|n| Value::from(*n)).collect());
    vec![
        ("extent", Value::from(high - low + 1)),
        ("count", Value::from(of.numel())),
        ("sizes", list(&of.sizes)),
        ("strides", list(&of.strides)),
        ("offset", Value::from(of.offset - low)),
        ("view_sizes", list(&view.sizes)),
        ("view_strides", list(&view.strides)),
        ("view_offset", Value::from(view.offset - low)),
    ]
}

fn placed(
    machine: &mut dyn Machine,
    name: &str,
    (of, view): (&Layout, &Layout),
    grad: Tensor,
    recorded: bool,
) -> Outcome<Tensor> {
    let goes_beyond = bounds(of, view) != bounds(of, of);
    let alone = !recorded && of.is_contiguous() && !goes_beyond && !view.may_repeat_cells() && !view.sizes.contains(&0);
    let names: Vec<_> = [("grad", Value::Tensor(grad))].into_iter().chain(geometry(of, view)).collect();
    let text = match alone {
        true => PLACED_ALONE,
        false if goes_beyond || name.starts_with("AsStrided") && !of.is_dense() => PLACED_WITHIN,
        false => PLACED,
    };
    tensor(machine.eval_code(text, &names)?)
}

pub fn tensor(value: Value) -> Outcome<Tensor> {
    match value {
        Value::Tensor(t) => Ok(t),
        other => fault!(RuntimeError, "a gradient is a {} and no tensor", other.type_name()),
    }
}
