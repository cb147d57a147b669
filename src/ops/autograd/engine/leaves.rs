//! Leaves: where gradients are added up and kept, and what is called for them.

use super::{Collect, Run, reached, tensor};
use crate::layout::Layout;
use crate::ops::autograd::functions::Hooks;
use crate::ops::autograd::graph::Target;
use crate::ops::autograd::record;
use crate::ops::convert::type_name;
use crate::ops::{call_function, call_method, exec};
use crate::tensor::{Grad, Tensor};
use crate::value::{CallArgs, Machine, Outcome, Value};
use std::collections::HashMap;

impl Run<'_> {
    /// Adds a gradient to those that reached a leaf.
    pub(super) fn collect(&mut self, leaf: &Tensor, grad: Tensor) -> Outcome<()> {
        let known = self.leaves.iter().position(|(other, _)| other.same(leaf));
        let before = known.map(|at| self.leaves[at].1.clone());
        let sum = self.sum(before, grad)?;
        match known {
            Some(at) => self.leaves[at].1 = sum,
            None => self.leaves.push((leaf.clone(), sum)),
        }
        self.is_watched |= leaf.grad().hooks.is_some();
        Ok(())
    }

    /// Gives leaves the gradients that are complete. Only functions that are called for a leaf can tell when; without any it waits
    /// until the end.
    pub(super) fn settle(&mut self) -> Outcome<()> {
        let next = self.waiting.last_key_value().map(|(number, _)| *number);
        if next.is_some() && !self.is_watched {
            return Ok(());
        }
        self.is_watched = false;
        let leaves = std::mem::take(&mut self.leaves);
        for (leaf, grad) in leaves {
            match next.is_some_and(|next| next >= self.first_before(&leaf)) {
                true => {
                    self.is_watched |= leaf.grad().hooks.is_some();
                    self.leaves.push((leaf, grad));
                }
                false => self.keep(&leaf, grad)?,
            }
        }
        Ok(())
    }

    /// The number of the first made node that may send a gradient to a leaf.
    fn first_before(&mut self, leaf: &Tensor) -> u64 {
        let roots = &self.roots;
        let first = self.first.get_or_insert_with(|| {
            let mut first = HashMap::new();
            for (number, node) in reached(roots.clone()) {
                for edge in node.edges.borrow().iter() {
                    if let Target::Leaf(leaf) = &edge.to {
                        first.entry(leaf.serial()).or_insert(number);
                    }
                }
            }
            first
        });
        first.get(&leaf.serial()).copied().unwrap_or(u64::MAX)
    }

    /// A leaf's gradient goes where it is asked for.
    fn keep(&mut self, leaf: &Tensor, grad: Tensor) -> Outcome<()> {
        let is = |to: &Target| to.is(&Target::Leaf(leaf.clone()));
        let grad = call_hooks(self.machine, &leaf_hooks(leaf, false), grad)?;
        match &self.way.collect {
            Collect::Asked(asked) => {
                for (k, _) in asked.iter().enumerate().filter(|(_, to)| is(to)) {
                    self.asked[k] = Some(grad.clone());
                }
                Ok(())
            }
            Collect::Only(wanted) if !wanted.iter().any(is) => Ok(()),
            // It was asked for none after it was used.
            _ if !leaf.requires_grad() => Ok(()),
            _ => {
                accumulate(self.machine, leaf, grad, self.way.create)?;
                for hook in leaf_hooks(leaf, true) {
                    self.machine.call(&hook, CallArgs::positional(vec![leaf.clone().into()]))?;
                }
                Ok(())
            }
        }
    }
}

/// Adds a gradient to what a tensor has.
pub(super) fn accumulate(machine: &mut dyn Machine, x: &Tensor, grad: Tensor, recorded: bool) -> Outcome<()> {
    let slot = x.grad();
    let grad = match slot.dtype.flatten() {
        Some(dtype) if grad.dtype() != dtype => exec::cast(&grad, dtype)?,
        _ => grad,
    };
    let sum = match slot.grad.clone() {
        None if recorded => laid_for(x, grad)?,
        None => {
            let taken = grad.is_only_handle() && obeys(x, &grad);
            if taken { copy_of(&grad)? } else { laid_for(x, tensor(call_method(machine, "clone", vec![grad.twin().into()])?)?)? }
        }
        Some(before) if before.is_sparse() && !grad.is_sparse() => {
            tensor(call_function(machine, "add", vec![grad.into(), before.into()])?)?
        }
        Some(before) if recorded => tensor(call_function(machine, "add", vec![before.into(), grad.into()])?)?,
        Some(before) => tensor(call_method(machine, "add_", vec![before.into(), grad.into()])?)?,
    };
    x.set_grad(Grad { grad: Some(sum), ..slot });
    Ok(())
}

/// True for a gradient that a leaf takes as it is when nobody else holds it: it lies as the leaf does but for dimensions of one cell.
fn obeys(x: &Tensor, grad: &Tensor) -> bool {
    if x.is_sparse() || grad.is_sparse() || x.grad().made_by.is_some() {
        return false;
    }
    let (layout, own) = (x.layout(), grad.layout());
    let alike = |((size, own), stride): ((&i64, &i64), &i64)| *size == 1 || own == stride;
    match layout.is_dense() {
        true => own.sizes.iter().zip(&own.strides).zip(&layout.strides).all(alike),
        false => own.is_contiguous(),
    }
}

/// A copy that lies in a memory of its own as the gradient lies in the memory that it is a part of.
fn copy_of(grad: &Tensor) -> Outcome<Tensor> {
    let copy = exec::empty_layout((*grad.layout()).clone(), grad.dtype(), grad.device())?;
    exec::copy(&copy, grad)?;
    Ok(copy)
}

/// A first gradient as it is kept: that of a leaf lies as the leaf does, unless that leaves gaps, and every other one in order.
fn laid_for(x: &Tensor, grad: Tensor) -> Outcome<Tensor> {
    if x.is_sparse() || grad.is_sparse() {
        return Ok(grad);
    }
    let layout = x.layout();
    let is_kept = x.grad().made_by.is_none() && layout.is_dense();
    let strides = if is_kept { layout.strides.clone() } else { Layout::contiguous(&layout.sizes).strides };
    if grad.layout().strides == strides {
        return Ok(grad);
    }
    let laid = exec::empty_strided(&layout.sizes, &strides, grad.dtype(), grad.device())?;
    exec::copy(&laid, &grad)?;
    record(&laid, &grad, "CloneBackward0");
    Ok(laid)
}

/// What is called for a leaf, before its gradient is added or after.
fn leaf_hooks(leaf: &Tensor, after: bool) -> Vec<Value> {
    match leaf.grad().hooks.and_then(|hooks| hooks.downcast::<Hooks>().ok()) {
        Some(hooks) => hooks.borrow().iter().filter(|hook| hook.after == after).map(|hook| hook.call.clone()).collect(),
        None => vec![],
    }
}

/// Gives what functions make of a gradient, one after the other; each must leave its dtype and its size.
pub(super) fn call_hooks(machine: &mut dyn Machine, hooks: &[Value], mut grad: Tensor) -> Outcome<Tensor> {
    for hook in hooks {
        match machine.call(hook, CallArgs::positional(vec![grad.clone().into()]))? {
            Value::None => {}
            Value::Tensor(other) => {
                let mut name = || match machine.attr(hook, "__name__") {
                    Ok(Value::Str(name)) => name.to_string(),
                    _ => "<unknown>".to_string(),
                };
                if other.dtype() != grad.dtype() {
                    let (was, got) = (type_name(&grad), type_name(&other));
                    fault!(RuntimeError, "hook '{}' has changed the type of value (was {was} got {got})", name());
                }
                if other.sizes() != grad.sizes() {
                    fault!(RuntimeError, "hook '{}' has changed the size of value", name());
                }
                grad = other;
            }
            other => fault!(TypeError, "expected Variable, but hook returned '{}'", other.type_name()),
        }
    }
    Ok(grad)
}
