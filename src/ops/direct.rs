//! Calls of pointwise operations on tensors that lie alike, and of functions of two tensors, without binding: the way of most
//! statements of a shell.
//!
//! What is not simple (names, gradients, marks, other shapes, anything that fails) takes the way of [`super::run`], which gives the
//! same results and the errors.

use super::args::{FromValue, Operand};
use super::map::Map;
use super::schema::{Base, Schema};
use super::{ENDS_IN_VIEW, Form, OpSet, autocast, exec, rare, trace};
use crate::kernel::scalar::{MAX_ARGS, Rule};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use smallvec::SmallVec;

/// True when some calls of the operation may be simple.
#[inline]
pub fn may_take(set: &OpSet) -> bool {
    set.rows.first().is_some_and(|row| matches!(row.form, Form::Map(_) | Form::Pair(_)) && !row.has(ENDS_IN_VIEW))
}

/// Calls an operation with arguments by place; none when the call is not simple.
pub fn call(set: &'static OpSet, args: &[&Value]) -> Option<Result<Value>> {
    let row = set.rows.first()?;
    match &row.form {
        _ if trace::is_recording() || autocast::is_on() => None,
        Form::Map(map) => call_map(set, row.schema().ok()?, map, args),
        Form::Pair(run) => call_pair(*run, args),
        _ => None,
    }
}

/// A function of two tensors.
fn call_pair(run: fn(&Tensor, &Tensor) -> Result<Tensor>, args: &[&Value]) -> Option<Result<Value>> {
    let is_plain = |t: &Tensor| t.is_ordinary() && !rare::is_rare(t.dtype()) && !t.dtype().is_complex();
    match args {
        [Value::Tensor(a), Value::Tensor(b)] if is_plain(a) && is_plain(b) => Some(run(a, b).map(Value::Tensor)),
        _ => None,
    }
}

/// A pointwise operation.
fn call_map(set: &'static OpSet, schema: &Schema, map: &Map, args: &[&Value]) -> Option<Result<Value>> {
    if !schema.takes_operands || schema.params.len() != args.len() {
        return None;
    }
    let mut operands: SmallVec<[Operand; MAX_ARGS]> = SmallVec::new();
    for (param, value) in schema.params.iter().zip(args) {
        operands.push(match value {
            Value::Tensor(t) if t.requires_grad() || rare::is_rare(t.dtype()) || t.dtype().is_half_complex() => return None,
            Value::Tensor(_) => Operand::from_value(value)?,
            _ if param.kind.base == Base::Tensor => return None,
            _ => Operand::from_value(value)?,
        });
    }
    if rare::makes_bcomplex(&operands) {
        return None;
    }
    let result = run(map, set.inplace, &operands).transpose();
    if set.inplace
        && let Some(Ok(changed)) = &result
    {
        super::run::note_change(changed);
    }
    result
}

fn run(map: &Map, inplace: bool, operands: &[Operand]) -> Result<Option<Value>> {
    match (inplace, operands.first()) {
        // What was promised may read what is written.
        (true, _) if exec::is_open() => Ok(None),
        // The general way refuses it.
        (true, Some(Operand::Tensor(target))) if map.scalar.rule == Rule::Real && target.dtype().is_complex() => Ok(None),
        (true, Some(Operand::Tensor(target))) if target.is_inference() => Ok(None),
        (true, Some(Operand::Tensor(target))) => {
            let done = exec::alike::map_into(map.scalar, target, operands, &[], map.refuses)?;
            Ok(done.then(|| Value::Tensor(target.clone())))
        }
        (true, _) => Ok(None),
        (false, _) => Ok(exec::alike::map_new(map.scalar, operands, &[], map.refuses)?.map(Value::Tensor)),
    }
}
