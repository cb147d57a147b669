//! Runs that are under way: functions that are called on the way ask what theirs will reach.

use super::{Collect, Way, reached};
use crate::ops::autograd::graph::{self, Node, Target};
use crate::tensor::Tensor;
use anyhow::Result;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

struct UnderWay {
    number: i64,
    roots: Vec<Rc<Node>>,
    /// The nodes behind which something is asked for; none when every leaf is.
    leading: Option<Rc<HashSet<u64>>>,
    wanted: Vec<Target>,
    /// Gradients are given back, and leaves are left as they are.
    gives: bool,
}

thread_local! {
    static RUNS: RefCell<Vec<UnderWay>> = const { RefCell::new(vec![]) };
    static COUNT: Cell<i64> = const { Cell::new(0) };
}

/// A run is under way while this lives.
pub(super) struct Mark;

impl Drop for Mark {
    fn drop(&mut self) {
        RUNS.with_borrow_mut(|runs| runs.pop());
    }
}

/// A run begins.
pub(super) fn begin(way: &Way, roots: &[Rc<Node>], leading: Option<&Rc<HashSet<u64>>>) -> Mark {
    let number = COUNT.get();
    COUNT.set(number + 1);
    let wanted = match &way.collect {
        Collect::Asked(wanted) | Collect::Only(wanted) => wanted.clone(),
        Collect::Leaves => vec![],
    };
    let gives = matches!(way.collect, Collect::Asked(_));
    let run = UnderWay { number, roots: roots.to_vec(), leading: leading.cloned(), wanted, gives };
    RUNS.with_borrow_mut(|runs| runs.push(run));
    Mark
}

/// The number of the run that is under way, and for each tensor, whether its gradient comes in that run; none outside of one.
///
/// Fails with a `RuntimeError` for leaves in a run that gives gradients back.
pub fn awaited(tensors: &[Tensor]) -> Result<Option<(i64, Vec<bool>)>> {
    RUNS.with_borrow(|runs| {
        let Some(run) = runs.last() else { return Ok(None) };
        let targets: Vec<Option<Target>> = tensors.iter().map(graph::target).collect();
        if run.gives && targets.iter().any(|to| matches!(to, Some(Target::Leaf(_)))) {
            fault!(
                RuntimeError,
                "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is currently not supported."
            );
        }
        let nodes = reached(run.roots.clone());
        let is_reached = |to: &Target| match to {
            Target::Node(node, _) => nodes.contains_key(&node.number),
            Target::Leaf(_) => nodes.values().any(|node| node.edges.borrow().iter().any(|edge| edge.to.is(to))),
        };
        let is_needed = |to: &Target| match (&run.leading, to) {
            (None, _) => true,
            (Some(leading), Target::Node(node, _)) if leading.contains(&node.number) => true,
            (Some(_), to) => run.wanted.iter().any(|wanted| wanted.is(to)),
        };
        let comes = |to: &Option<Target>| to.as_ref().is_some_and(|to| is_reached(to) && is_needed(to));
        Ok(Some((run.number, targets.iter().map(comes).collect())))
    })
}
