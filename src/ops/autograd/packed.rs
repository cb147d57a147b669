//! `torch.autograd.graph.saved_tensors_hooks`: what nodes keep for the way back, as functions of the user pack it.

use super::graph::{Node, Saved};
use super::{kept, rules};
use crate::ops::FromValue;
use crate::tensor::Tensor;
use crate::value::{CallArgs, Machine, Outcome, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// What packs and what unpacks.
type Pair = (Value, Value);

thread_local! {
    /// Those of the contexts that the program is in; the last one counts.
    static PAIRS: RefCell<Vec<Pair>> = const { RefCell::new(vec![]) };
    /// Nodes that were made since and are not packed yet.
    static WAITING: RefCell<Vec<Rc<Node>>> = const { RefCell::new(vec![]) };
}

/// What a node keeps.
#[derive(Clone, Copy, PartialEq)]
pub enum Place {
    /// An argument.
    Argument(usize),
    /// A result.
    Result(usize),
}

/// A tensor that a node keeps packed.
#[derive(Clone)]
pub struct Packed {
    /// Which one it is.
    pub place: Place,
    packed: Value,
    unpack: Value,
}

/// Begins a context.
pub fn begin(pack: Value, unpack: Value) {
    PAIRS.with_borrow_mut(|pairs| pairs.push((pack, unpack)));
}

/// Ends the last context.
pub fn end() {
    PAIRS.with_borrow_mut(Vec::pop);
}

/// Notes that a node was made.
pub(super) fn note(node: &Rc<Node>) {
    if PAIRS.with_borrow(|pairs| !pairs.is_empty()) {
        WAITING.with_borrow_mut(|waiting| waiting.push(node.clone()));
    }
}

/// Packs what the nodes keep that were made since.
pub fn pack(machine: &mut dyn Machine) -> Outcome<()> {
    let waiting = WAITING.with_borrow_mut(std::mem::take);
    let Some((pack, unpack)) = PAIRS.with_borrow(|pairs| pairs.last().cloned()).filter(|_| !waiting.is_empty()) else {
        return Ok(());
    };
    // What the functions themselves compute is not packed.
    let pairs = PAIRS.with_borrow_mut(std::mem::take);
    let packed = waiting.iter().try_for_each(|node| pack_node(machine, node, &pack, &unpack));
    PAIRS.with_borrow_mut(|now| *now = pairs);
    packed
}

fn pack_node(machine: &mut dyn Machine, node: &Rc<Node>, pack: &Value, unpack: &Value) -> Outcome<()> {
    for place in places(node)? {
        let kept = match place {
            Place::Argument(place) => kept::argument_of(node, place)?,
            Place::Result(output) => node.results.get(output).map(|x| Value::Tensor(kept::made_by(x, node, output))),
        };
        let Some(kept @ Value::Tensor(_)) = kept else { continue };
        let packed = machine.call(pack, CallArgs::positional(vec![kept]))?;
        node.packed.borrow_mut().push(Packed { place, packed, unpack: unpack.clone() });
    }
    Ok(())
}

/// What the rules of a node look at, in their order.
fn places(node: &Node) -> Outcome<Vec<Place>> {
    let saved = node.saved.borrow();
    let Some(Saved::Call(call)) = &*saved else { return Ok(vec![]) };
    if call.op.looks_at_form() || !rules::has(call.op) {
        return Ok(vec![]);
    }
    let params = &call.op.schema()?.params;
    let mut found = vec![];
    for edge in node.edges.borrow().iter() {
        let Some(text) = params.get(edge.param).and_then(|param| rules::rule(call.op, &param.name)) else { continue };
        let arguments = params.iter().enumerate().filter(|(place, _)| matches!(call.values.get(*place), Some(Value::Tensor(_))));
        let read = arguments.filter(|(_, param)| rules::reads(text, &param.name)).map(|(place, _)| Place::Argument(place));
        let results = (0..node.results.len()).filter(|output| rules::reads_result(text, *output)).map(Place::Result);
        for place in read.chain(results) {
            if !found.contains(&place) {
                found.push(place);
            }
        }
    }
    Ok(found)
}

/// What a node kept packed, unpacked.
///
/// Fails with a `TypeError` where that is no tensor.
pub fn unpacked(machine: &mut dyn Machine, node: &Node) -> Outcome<Vec<(Place, Tensor)>> {
    let packed = node.packed.borrow().clone();
    let unpack = |one: Packed| {
        let given = machine.call(&one.unpack, CallArgs::positional(vec![one.packed]))?;
        match Tensor::from_value(&given) {
            Some(x) => Ok((one.place, x.twin())),
            None => fault!(
                TypeError,
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type {}",
                given.type_name()
            ),
        }
    };
    packed.into_iter().map(unpack).collect()
}
