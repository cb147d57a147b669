//! What is recorded.

use super::packed::{self, Packed};
use super::steps;
use crate::layout::Layout;
use crate::ops::{Args, Form, FromValue, Op, exec};
use crate::settings;
use crate::tensor::{Grad, MadeBy, Recorded, Tensor, WeakTensor};
use crate::value::Value;
use anyhow::Result;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// A recorded operation.
pub struct Node {
    /// `MulBackward0`.
    pub name: String,
    /// Nodes are numbered in the order they are made.
    pub number: u64,
    /// True when it was written into a tensor that was there.
    pub writes: bool,
    /// Where the gradients of the arguments go.
    pub edges: RefCell<Vec<Edge>>,
    /// What they are computed from; none while it is taken apart.
    pub saved: RefCell<Option<Saved>>,
    /// True when that was given up.
    pub gone: Cell<bool>,
    /// How many results it has, and what a gradient of each is like.
    pub results: Vec<Tensor>,
    /// How often the storage of each was changed before.
    pub changes: Vec<u64>,
    /// What is called with the gradient of a result, by result and number.
    pub hooks: RefCell<Vec<(usize, u64, Value)>>,
    /// Results that keep their gradient.
    pub retained: RefCell<Vec<(usize, WeakTensor)>>,
    /// What is called before its way back and behind it.
    pub around: RefCell<Vec<Around>>,
    /// What functions of the user packed of what it keeps.
    pub packed: RefCell<Vec<Packed>>,
    /// What the user notes of it.
    pub notes: RefCell<Option<Value>>,
}

/// A function that the user hung on a node.
#[derive(Clone)]
pub struct Around {
    /// Called with the gradients of the results, before those of the arguments are computed; otherwise with both, then.
    pub is_before: bool,
    /// Which one it is.
    pub number: u64,
    /// What is called.
    pub call: Value,
}

/// From an argument to what made it.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Which parameter.
    pub param: usize,
    /// Which item, where the parameter is a list.
    pub item: Option<usize>,
    /// The argument without its history: its sizes and its dtype are those of the gradient.
    pub like: Tensor,
    /// Where it leads.
    pub to: Target,
    /// The argument itself, as long as somebody has it: since then it may have been made anew.
    pub of: WeakTensor,
}

/// What made a tensor.
#[derive(Clone, Debug)]
pub enum Target {
    /// A result of a node.
    Node(Rc<Node>, usize),
    /// Nothing: a leaf, which collects its gradient.
    Leaf(Tensor),
}

impl Target {
    /// The node that it leads to.
    pub fn node(&self) -> Option<Rc<Node>> {
        match self {
            Target::Node(node, _) => Some(node.clone()),
            Target::Leaf(_) => None,
        }
    }

    /// True when both are one.
    pub fn is(&self, other: &Target) -> bool {
        match (self, other) {
            (Target::Node(a, m), Target::Node(b, n)) => Rc::ptr_eq(a, b) && m == n,
            (Target::Leaf(a), Target::Leaf(b)) => a.same(b),
            _ => false,
        }
    }
}

/// How the gradients of the arguments follow.
pub enum Saved {
    /// By the rule of an operation.
    Call(Call),
    /// As they are: of copies and of results that a text computed.
    Same,
    /// As they are, of what a text computes in other steps than PyTorch.
    Whole(Whole),
    /// As they are, of what a text computes, whose last step has another name.
    Steps,
    /// Nothing is computed: it is shown between others, and where it leads.
    Shown(Vec<Option<Target>>),
    /// Those of a view go where it lies in what it is a view of.
    View {
        /// How that lies.
        of: Layout,
        /// How the view lies.
        view: Layout,
        /// The names of the steps before the last one, where it takes several.
        between: Vec<&'static str>,
    },
    /// As a function of the program's computes them.
    Own(OwnRule),
    /// Those of a tensor that was written to through a view: the part goes through what wrote it.
    Written { of: Layout, view: Layout, by: Rc<Node> },
}

/// A rule that the program gave.
pub struct OwnRule {
    /// What is called with the gradients of all results: a tensor, or a list with the result where there is none. It gives a tuple with
    /// the gradients of all arguments.
    pub call: Value,
    /// True when it keeps tensors for the way back.
    pub saves: bool,
}

/// A call of an operation whose gradient goes through the steps of its text.
pub struct Whole {
    /// The row.
    pub op: &'static Op,
    /// Its arguments.
    pub inputs: Vec<Input>,
}

/// An argument that could ask for a gradient.
pub struct Input {
    /// Which parameter.
    pub param: usize,
    /// The argument without its history.
    pub like: Tensor,
    /// Where its gradient goes; none when it asks for none.
    pub to: Option<Target>,
}

/// A call of an operation.
pub struct Call {
    /// The row.
    pub op: &'static Op,
    /// Its arguments, without their history.
    pub values: Vec<Value>,
    /// How often each was changed before, where it is a tensor; none for one that the call itself changed.
    pub changes: Vec<Option<u64>>,
}

/// A long chain is taken apart link by link, and not by one call inside the other.
impl Drop for Node {
    fn drop(&mut self) {
        let mut chain = vec![];
        take_apart(self, &mut chain);
        while let Some(node) = chain.pop() {
            if let Some(mut node) = Rc::into_inner(node) {
                take_apart(&mut node, &mut chain);
            }
        }
    }
}

fn take_apart(node: &mut Node, chain: &mut Vec<Rc<Node>>) {
    for edge in node.edges.get_mut().drain(..) {
        if let Target::Node(node, _) = edge.to {
            chain.push(node);
        }
    }
    match node.saved.get_mut().take() {
        Some(Saved::Written { by, .. }) => chain.push(by),
        Some(Saved::Whole(whole)) => {
            chain.extend(whole.inputs.iter().filter_map(|input| input.to.as_ref()).filter_map(Target::node))
        }
        _ => {}
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Recorded for Node {
    fn name(&self) -> &str {
        self.name.rsplit("::").next().unwrap_or_default()
    }
    fn name_of(&self, x: &Tensor) -> Option<String> {
        refresh(x);
        match outdated_of_several(x) {
            Some(_) => Some("Invalid".to_string()),
            None => x.grad().name().map(str::to_string),
        }
    }
    fn into_any(self: Rc<Self>) -> Rc<dyn Any> {
        self
    }
}

impl Node {
    /// Its name with the place it is from, where that is not the usual one.
    pub fn full_name(&self) -> &str {
        &self.name
    }

    /// A new node. `results` are tensors without history.
    pub(super) fn new(name: &str, writes: bool, edges: Vec<Edge>, saved: Saved, results: Vec<Tensor>) -> Rc<Node> {
        Rc::new(Node {
            name: name.to_string(),
            number: COUNT.with(|n| n.replace(n.get() + 1)),
            writes,
            edges: RefCell::new(edges),
            saved: RefCell::new(Some(saved)),
            gone: Cell::new(false),
            changes: results.iter().map(changes).collect(),
            results,
            hooks: RefCell::default(),
            retained: RefCell::default(),
            around: RefCell::default(),
            packed: RefCell::default(),
            notes: RefCell::default(),
        })
    }
}

/// The same slot, for a tensor that only poses as the other one: nothing goes back from it.
pub fn apart(slot: Grad) -> Grad {
    let made_by = slot.made_by.as_ref().map(|made| {
        let node = Node::new(made.node.name(), false, vec![], Saved::Same, vec![]);
        MadeBy { node, output: 0 }
    });
    Grad { made_by, hooks: None, ..slot }
}

/// The node that made a tensor.
pub fn maker(x: &Tensor) -> Option<(Rc<Node>, usize)> {
    let made = x.grad().made_by?;
    Some((made.node.into_any().downcast::<Node>().ok()?, made.output))
}

/// True for a result that was asked to keep its gradient.
pub fn retains(x: &Tensor) -> bool {
    maker(x).is_some_and(|(node, output)| node.retained.borrow().iter().any(|(place, _)| *place == output))
}

/// Where the gradient of a tensor goes; none when it asks for none.
pub fn target(x: &Tensor) -> Option<Target> {
    if !x.requires_grad() {
        return None;
    }
    refresh(x);
    Some(match maker(x) {
        Some((node, output)) => Target::Node(node, output),
        None => Target::Leaf(x.grad().stands_for.unwrap_or_else(|| x.clone())),
    })
}

fn edge(param: usize, item: Option<usize>, x: &Tensor) -> Option<Edge> {
    Some(Edge { param, item, like: x.twin(), to: target(x)?, of: x.downgrade() })
}

/// The operation that made a view together with others, or what that is a view of, and which of its results it is.
pub fn one_of_several(x: &Tensor) -> Option<(String, usize)> {
    const TOGETHER: [&str; 3] = ["Split", "SplitWithSizes", "Unbind"];
    x.base()?;
    let (node, output) = maker(x)?;
    let stem = |node: &Node| node.name().split("Backward").next().unwrap_or_default().to_string();
    let (name, mut at) = (stem(&node), node);
    loop {
        if TOGETHER.contains(&stem(&at).as_str()) {
            return Some((name, output));
        }
        let is_view = match &*at.saved.borrow() {
            Some(Saved::View { .. }) => true,
            Some(Saved::Call(call)) => call.op.schema().is_ok_and(|schema| schema.is_view),
            _ => false,
        };
        if !is_view {
            return None;
        }
        let before = at.edges.borrow().first().and_then(|edge| edge.to.node())?;
        at = before;
    }
}

/// Notes that a view was made while nothing was recorded: where its base asks for a gradient it does too, and is a leaf.
pub fn note_unseen(view: &Tensor, of: &Tensor) {
    let asks = view.base().is_some_and(Tensor::requires_grad);
    if asks && !is_recording() && differentiable(view) && !view.same(of) && !view.grad().requires_grad {
        view.set_grad(Grad { requires_grad: true, unseen: true, ..Grad::default() });
    }
}

/// How often the storage of a tensor was changed.
pub(super) fn changes(x: &Tensor) -> u64 {
    x.changes()
}

/// A view of what was written to since it was made is seen as made from it now.
pub fn refresh(x: &Tensor) {
    let Some(base) = x.base().filter(|_| is_outdated(x)) else { return };
    if one_of_several(x).is_none() {
        set_view(x, base, "AsStridedBackward0", vec![]);
    }
}

/// True for a view whose elements were changed since it was made, by itself or otherwise.
fn is_outdated(x: &Tensor) -> bool {
    let Some(base) = x.base() else { return false };
    match (maker(x), maker(base).filter(|(node, _)| node.writes)) {
        (None, written) => written.is_some(),
        (Some((node, output)), written) => {
            let before = node.changes.get(output).copied().unwrap_or(0);
            written.is_some_and(|(written, _)| node.number < written.number) || before < changes(x)
        }
    }
}

/// As [`one_of_several`], for a view whose elements were changed since it was made.
pub fn outdated_of_several(x: &Tensor) -> Option<(String, usize)> {
    if is_outdated(x) { one_of_several(x) } else { None }
}

/// Says of a tensor that it is a result of a node.
pub(super) fn set_maker(x: &Tensor, node: &Rc<Node>, output: usize) {
    let made_by = Some(MadeBy { node: node.clone(), output });
    x.set_grad(Grad { requires_grad: true, made_by, ..Grad::default() });
}

fn set_view(x: &Tensor, of: &Tensor, name: &str, between: Vec<&'static str>) {
    let saved = Saved::View { of: (*of.layout()).clone(), view: (*x.layout()).clone(), between };
    let node = Node::new(name, false, edge(0, None, of).into_iter().collect(), saved, vec![x.twin()]);
    set_maker(x, &node, 0);
}

fn is_recording() -> bool {
    settings::with(|s| s.grad_enabled)
}

pub(super) fn differentiable(x: &Tensor) -> bool {
    x.dtype().is_float() || x.dtype().is_complex()
}

/// True when the gradient of a text goes through its steps, so that they must be run.
pub fn needs_steps(args: &Args) -> bool {
    args.any_tensor(Tensor::requires_grad) && is_recording() && !super::rules::has(args.op)
}

/// What a call in place is about to change, copied, where the way back reads it.
pub fn before(args: &Args) -> Result<Option<Tensor>> {
    let (params, op) = (&args.op.schema()?.params, args.op);
    let (Value::Tensor(target), Some(own)) = (args.value(0), params.first()) else { return Ok(None) };
    if matches!(op.form, Form::View(_)) || !is_recording() || !args.any_tensor(Tensor::requires_grad) {
        return Ok(None);
    }
    let asks = |value: &Value| matches!(value, Value::Tensor(t) if t.requires_grad());
    let mut asking = params.iter().zip(&args.values).filter(|(_, value)| asks(value));
    let reads = match super::rules::has(op) {
        true => {
            asking.any(|(param, _)| super::rules::rule(op, &param.name).is_some_and(|text| super::rules::reads(text, &own.name)))
        }
        false => matches!(op.form, Form::Code(_)),
    };
    Ok(if reads { Some(exec::clone(target)?) } else { None })
}

/// The tensor, made by a node of another name that gives its gradient on as it is.
pub fn renamed(x: &Tensor, name: &str) -> Tensor {
    let other = x.twin();
    let node = Node::new(name, false, edge(0, None, x).into_iter().collect(), Saved::Same, vec![x.twin()]);
    set_maker(&other, &node, 0);
    other
}

/// Notes that a function of the program's made these results from those arguments, each with its place; a result without a gradient
/// is none.
pub fn record_own(name: &str, inputs: &[(usize, Tensor)], results: &[Option<Tensor>], call: Value, saves: bool) {
    let edges = inputs.iter().filter_map(|(place, x)| edge(*place, None, x)).collect();
    let kept: Vec<Option<Tensor>> = results.iter().map(|x| x.clone().filter(differentiable)).collect();
    let like = |x: &Option<Tensor>| x.as_ref().map_or_else(|| inputs[0].1.twin(), Tensor::twin);
    let node = Node::new(name, false, edges, Saved::Own(OwnRule { call, saves }), kept.iter().map(like).collect());
    for (place, x) in kept.iter().enumerate() {
        if let Some(x) = x {
            set_maker(x, &node, place);
        }
    }
}

/// Notes that `result` is `input`, copied or cast, when `input` asks for a gradient.
pub fn record(result: &Tensor, input: &Tensor, name: &str) {
    if input.requires_grad() && differentiable(result) && is_recording() {
        let node = Node::new(name, false, edge(0, None, input).into_iter().collect(), Saved::Same, vec![result.twin()]);
        set_maker(result, &node, 0);
    }
}

/// Notes that `view` is a view of `of`, when that asks for a gradient; `between` are the steps before the one of this name.
pub fn made_view(view: &Tensor, of: &Tensor, name: &str, between: Vec<&'static str>) {
    if of.requires_grad() && is_recording() {
        set_view(view, of, name, between);
    }
}

/// Notes a call and its results, each with the name of its node, unless it has no gradient.
pub fn record_as(args: &Args, writes: bool, results: &[(Tensor, Option<String>)], before: Option<Tensor>) {
    let Some(name) = results.iter().find_map(|(_, name)| name.clone()) else { return };
    // A text computed it, and its steps are recorded.
    let composed = matches!(args.op.form, Form::Code(_) | Form::Hosted(_)) && !writes && !super::rules::has(args.op);
    let edges = edges(args);
    let own = |t: &Tensor| {
        maker(t).filter(|(node, _)| !edges.iter().any(|e| matches!(&e.to, Target::Node(n, _) if Rc::ptr_eq(n, node))))
    };
    // What no step made from what asks for a gradient has none.
    let made: Vec<_> =
        results.iter().filter_map(|(t, name)| Some((t, name.as_ref()?))).filter(|(t, _)| own(t).is_some()).collect();
    if composed && !made.is_empty() {
        for (t, name) in made {
            let is_whole = is_named_after(name, args.op) || steps::has(args.op.name(), name);
            if !is_whole && own(t).is_some_and(|(node, _)| node.name == *name) {
                continue;
            }
            let saved = if is_whole { Saved::Whole(Whole { op: args.op, inputs: inputs(args) }) } else { Saved::Steps };
            let node = Node::new(name, false, edge(0, None, t).into_iter().collect(), saved, vec![t.twin()]);
            set_maker(t, &node, 0);
        }
        return;
    }
    let written = writes.then(|| Tensor::from_value(args.value(0))).flatten();
    let is_written = |value: &Value| matches!((value, &written), (Value::Tensor(t), Some(w)) if w.same(t));
    let saved_as = |(place, value): (usize, &Value)| match &before {
        Some(before) if place == 0 => (Value::Tensor(before.twin()), Some(changes(before))),
        _ => match value {
            Value::Tensor(t) => (bare(value), (!is_written(value)).then(|| changes(t))),
            _ => (bare(value), Some(0)),
        },
    };
    let (values, changes_of_values): (Vec<Value>, Vec<Option<u64>>) = args.values.iter().enumerate().map(saved_as).unzip();
    let saved = match (&args.op.form, args.value(0), results) {
        (Form::View(lay), Value::Tensor(of), [(view, _)]) if !writes && !super::rules::has(args.op) && !of.is_sparse() => {
            let with_own_cells = || (args.op.name() != "as_strided").then(|| lay(&Layout::contiguous(&of.sizes()), args).ok())?;
            match of.layout().may_repeat_cells().then(with_own_cells).flatten() {
                // Where elements share cells, a cell does not tell which of them is meant.
                Some(view) => Saved::View { of: Layout::contiguous(&of.sizes()), view, between: vec![] },
                None => Saved::View { of: (*of.layout()).clone(), view: (*view.layout()).clone(), between: vec![] },
            }
        }
        _ => Saved::Call(Call { op: args.op, values, changes: changes_of_values }),
    };
    let node = Node::new(&name, writes, edges, saved, results.iter().map(|(t, _)| t.twin()).collect());
    packed::note(&node);
    for (output, (t, own_name)) in results.iter().enumerate().filter(|(_, (_, name))| name.is_some()) {
        match (writes, t.base()) {
            (true, Some(base)) => write_through(t, base, &node),
            _ => set_maker(t, &node, output),
        }
        if let Some(own) = own_name.as_ref().filter(|own| **own != name && !writes) {
            t.set_grad(renamed(t, own).grad());
        }
    }
}

/// True for `MseLossBackward0` of `mse_loss`, and not for the name of a last step.
fn is_named_after(node: &str, op: &Op) -> bool {
    let own = op.name().rsplit('.').next().unwrap_or_default().replace('_', "");
    node.strip_prefix("torch::autograd::")
        .unwrap_or(node)
        .split("Backward")
        .next()
        .is_some_and(|name| name.eq_ignore_ascii_case(&own))
}

/// The arguments that could ask for a gradient.
fn inputs(args: &Args) -> Vec<Input> {
    let input = |param: usize, t: &Tensor| Input { param, like: t.twin(), to: target(t) };
    let of = |(param, value): (usize, &Value)| match value {
        Value::Tensor(t) if differentiable(t) => vec![input(param, t)],
        Value::Tuple(items) => {
            items.iter().filter_map(Tensor::from_value).filter(differentiable).map(|t| input(param, &t)).collect()
        }
        _ => vec![],
    };
    args.values.iter().enumerate().flat_map(of).collect()
}

/// Notes that a view was written to: what it is a view of was made by that.
fn write_through(view: &Tensor, base: &Tensor, by: &Rc<Node>) {
    let saved = Saved::Written { of: (*base.layout()).clone(), view: (*view.layout()).clone(), by: by.clone() };
    let mut edges: Vec<Edge> = edge(0, None, base).into_iter().collect();
    edges.extend(by.edges.borrow().iter().filter(|edge| edge.param > 0).cloned());
    let node = Node::new("CopySlices", true, edges, saved, vec![base.twin()]);
    set_maker(base, &node, 0);
    set_view(view, base, "AsStridedBackward0", vec![]);
}

/// Notes a call that wrote into its first argument.
pub fn write_recorded(args: &Args, name: &str) {
    if let Value::Tensor(target) = args.value(0) {
        record_as(args, true, &[(target.clone(), Some(name.to_string()))], None);
    }
}

fn edges(args: &Args) -> Vec<Edge> {
    let mut found = vec![];
    for (param, value) in args.values.iter().enumerate() {
        match value {
            Value::Tensor(t) => found.extend(edge(param, None, t)),
            Value::Tuple(items) => {
                found.extend(items.iter().enumerate().filter_map(|(k, item)| edge(param, Some(k), &Tensor::from_value(item)?)))
            }
            _ => {}
        }
    }
    found
}

/// A value without its history.
fn bare(value: &Value) -> Value {
    match value {
        Value::Tensor(t) => Value::Tensor(t.twin()),
        Value::Tuple(items) if items.iter().any(|item| matches!(item, Value::Tensor(_))) => {
            Value::tuple(items.iter().map(bare).collect())
        }
        other => other.clone(),
    }
}

/// Fails when a tensor cannot keep or give a gradient.
pub fn require_maker(x: &Tensor, what: &str) -> Result<Option<(Rc<Node>, usize)>> {
    if !x.requires_grad() {
        fault!(RuntimeError, "{what} on Tensor that has requires_grad=False");
    }
    refresh(x);
    Ok(maker(x))
}
