//! Writes that go through the memory of a tensor element by element, as far as they come.

use super::into::form;
use super::run::change;
use super::{Args, OpSet, exec};
use crate::diag::Fault;
use crate::layout::{Dims, InternalOverlap, Layout, broadcast_sizes};
use crate::tensor::Tensor;
use crate::value::{Machine, Value};
use anyhow::Result;
use std::rc::Rc;

/// The size of elements of which none are read together.
const ALONE: usize = 64;

/// True for an elementwise write to a tensor some of whose elements are one cell, or are read elsewhere, unseen by the quick looks
/// that refuse such.
pub(super) fn sees_itself(args: &Args, target: &Tensor) -> bool {
    let layout = target.layout();
    goes_one_by_one(args, &layout)
        && (layout.may_repeat_cells() || tensors(args).any(|t| exec::meets(target, t)))
        && layout.internal_overlap() != InternalOverlap::Yes
}

/// The tensors among the arguments.
fn tensors(args: &Args) -> impl Iterator<Item = &Tensor> {
    args.values.iter().filter_map(|value| if let Value::Tensor(t) = value { Some(t) } else { None })
}

/// True for a function of elements whose few results have the sizes of what they are written to.
fn goes_one_by_one(args: &Args, layout: &Layout) -> bool {
    let joint = |so_far: Dims, t: &Tensor| broadcast_sizes(&so_far, &t.sizes()).ok();
    super::out::is_elementwise(args)
        && exec::is_few(layout)
        && tensors(args).try_fold(Dims::new(), joint).is_some_and(|joint| joint == layout.sizes)
}

/// A whole number that is to be divided by zero is met on the way: what comes before it is written. Gives the error of the call.
pub(super) fn up_to_zero(
    machine: &mut dyn Machine,
    set: &OpSet,
    args: &Args,
    target: &Tensor,
    error: anyhow::Error,
) -> anyhow::Error {
    let of_zero = error.downcast_ref::<Fault>().is_some_and(|fault| fault.message == "ZeroDivisionError");
    match of_zero && goes_one_by_one(args, &target.layout()) {
        true => one_by_one(machine, set, args, target, ALONE).err().unwrap_or(error),
        false => error,
    }
}

/// Writes the elements of a target, which is changed in place or given as `out`, one after another: each sees what the ones before it
/// wrote; `size` is that of an element in bytes.
pub(super) fn one_by_one(machine: &mut dyn Machine, set: &OpSet, args: &Args, target: &Tensor, size: usize) -> Result<()> {
    let is_walked = |value: &Value| matches!(value, Value::Tensor(t) if t.ndim() > 0);
    let walked: Vec<usize> = (0..args.values.len()).filter(|place| is_walked(args.value(*place))).collect();
    let tensors = walked.iter().map(|place| args.get(*place)).collect::<Result<Vec<Tensor>>>()?;
    let layouts: Vec<Rc<Layout>> = std::iter::once(target).chain(&tensors).map(Tensor::layout).collect();
    let layouts: Vec<&Layout> = layouts.iter().map(|layout| &**layout).collect();
    exec::each_block(&layouts, size, |parts| {
        let mut values = args.values.clone();
        // One element that all meet is read anew for each block.
        for value in values.iter_mut() {
            if let Value::Tensor(t) = value
                && t.ndim() == 0
                && exec::meets(target, t)
            {
                *value = Value::Tensor(exec::clone(t)?);
            }
        }
        let written = target.alias(parts[0].clone())?;
        for ((place, tensor), part) in walked.iter().zip(&tensors).zip(&parts[1..]) {
            let read = if tensor.same(target) { written.clone() } else { exec::block(tensor, part, target.dtype().size())? };
            values[*place] = Value::Tensor(read);
        }
        if args.inplace {
            return change(machine, set, &Args { op: args.op, values, out: Value::None, inplace: true }, &written);
        }
        form(machine, set, &Args { op: args.op, values, out: Value::Tensor(written), inplace: false }).map(|_| ())
    })
}
