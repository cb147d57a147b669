//! `copy`: shallow and deep copies.

use crate::dtype::DType;
use crate::lang::classes::{self, Instance};
use crate::lang::types::call::{Call, Table, def, row};
use crate::lang::types::{limits, set};
use crate::layout::Layout;
use crate::ops;
use crate::tensor::{Form, Grad, Strided, Tensor};
use crate::value::{Dict, Key, Machine, Outcome, Value};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "copy",
    rows: Table::sorted(&[row("copy", def(&["x"], 1, 1), shallow), row("deepcopy", def(&["x", "memo"], 1, 2), deep)]),
};

fn shallow(c: &mut Call<'_>) -> Outcome {
    let value = c.arg(0).clone();
    if let Some(copy) = classes::ask(c.machine, &value, "__copy__", vec![]) {
        return copy;
    }
    Ok(match c.arg(0).clone() {
        Value::List(items) => Value::list(items.borrow().clone()),
        Value::Dict(entries) => Value::dict(entries.borrow().clone()),
        Value::Set(items) => set::value(items.borrow().clone()),
        Value::Tensor(t) => {
            let copy = t.alias((*t.layout()).clone())?;
            copy.set_grad(Grad { requires_grad: t.requires_grad(), parameter: t.grad().parameter, ..copy.grad() });
            Value::Tensor(copy)
        }
        Value::Object(object) => match object.copy() {
            Some(copy) => copy,
            None => c.arg(0).clone(),
        },
        other => other,
    })
}

fn deep(c: &mut Call<'_>) -> Outcome {
    let value = c.arg(0).clone();
    deep_copy(c.machine, &value, &mut HashMap::new())
}

/// A copy down to the leaves. What was copied already is found by identity, so that shared parts stay shared and a container
/// may hold itself.
fn deep_copy(machine: &mut dyn Machine, value: &Value, done: &mut HashMap<u64, Value>) -> Outcome {
    let id = value.identity();
    if matches!(value, Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Tensor(_) | Value::Object(_))
        && let Some(copy) = done.get(&id)
    {
        return Ok(copy.clone());
    }
    limits::deeper("", || copy_parts(machine, value, id, done))
}

fn copy_parts(machine: &mut dyn Machine, value: &Value, id: u64, done: &mut HashMap<u64, Value>) -> Outcome {
    if let Some(copy) = classes::ask(machine, value, "__deepcopy__", vec![Value::dict(Dict::default())]) {
        let copy = copy?;
        done.insert(id, copy.clone());
        return Ok(copy);
    }
    if let Some(instance) = value.downcast::<Instance>() {
        // It may hold itself, and so is there before its parts are.
        let copy = instance.like();
        done.insert(id, copy.clone());
        if let Some(new) = copy.downcast::<Instance>() {
            new.fill(instance, &mut |part| deep_copy(machine, part, done))?;
        }
        return Ok(copy);
    }
    let copy = match value {
        Value::List(items) => {
            let copy = Value::list(vec![]);
            done.insert(id, copy.clone());
            let items = items.borrow().clone();
            let Value::List(new) = &copy else { return Ok(copy) };
            for item in items {
                let item = deep_copy(machine, &item, done)?;
                new.borrow_mut().push(item);
            }
            return Ok(copy);
        }
        Value::Dict(entries) => {
            let new = Rc::new(RefCell::new(Dict::default()));
            done.insert(id, Value::Dict(new.clone()));
            let entries = entries.borrow().clone();
            for (key, item) in entries {
                let (key, item) = (deep_copy(machine, key.value(), done)?, deep_copy(machine, &item, done)?);
                let key = Key::of(machine, key)?;
                new.borrow_mut().insert(key, item);
            }
            return Ok(Value::Dict(new));
        }
        Value::Set(items) => set::value(items.borrow().clone()),
        Value::Tuple(items) => {
            let copies = items.iter().map(|item| deep_copy(machine, item, done)).collect::<Outcome<Vec<_>>>()?;
            let changed = copies.iter().zip(items.iter()).any(|(a, b)| !a.is(b));
            return Ok(if changed { Value::tuple(copies) } else { value.clone() });
        }
        Value::Tensor(t) if t.requires_grad() && t.grad().made_by.is_some() => fault!(
            RuntimeError,
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
        ),
        Value::Tensor(t) => deep_tensor(machine, value, t, done)?,
        Value::Object(object) => match object.deep_copy(&mut |part| deep_copy(machine, part, done)) {
            Some(copy) => copy?,
            None => object.copy().unwrap_or_else(|| value.clone()),
        },
        other => other.clone(),
    };
    done.insert(id, copy.clone());
    Ok(copy)
}

/// A tensor over a copy of its whole storage, so that tensors that shared one share the copy too.
fn deep_tensor(machine: &mut dyn Machine, value: &Value, tensor: &Tensor, done: &mut HashMap<u64, Value>) -> Outcome {
    let Form::Strided(strided) = tensor.form()? else {
        return ops::call_method(machine, "clone", vec![value.clone()]);
    };
    // Storages have serial numbers of their own; they are told from values by the highest bit.
    let key = 1 << 63 | strided.storage.serial();
    let storage = match done.get(&key) {
        Some(Value::Tensor(bytes)) => bytes.storage()?,
        _ => {
            let layout = Layout::contiguous(&[strided.storage.nbytes() as i64]);
            let bytes = Tensor::new(strided.storage.clone(), DType::U8, layout)?;
            let copy = ops::call_method(machine, "clone", vec![Value::Tensor(bytes)])?;
            done.insert(key, copy.clone());
            match &copy {
                Value::Tensor(bytes) => bytes.storage()?,
                _ => strided.storage.clone(),
            }
        }
    };
    let copy = Tensor::from_form(tensor.dtype(), Form::Strided(Strided { storage, ..strided }));
    if tensor.requires_grad() {
        let grad = match tensor.grad().grad {
            Some(grad) => match deep_copy(machine, &Value::Tensor(grad), done)? {
                Value::Tensor(grad) => Some(grad),
                _ => None,
            },
            None => None,
        };
        copy.set_grad(Grad { grad, ..tensor.grad() });
    }
    Ok(Value::Tensor(copy))
}
