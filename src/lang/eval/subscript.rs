//! `value[index]`: read, written, deleted.

use super::arith::Number;
use crate::lang::compile::tree::{Node, Op};
use crate::lang::frame::Frame;
use crate::lang::interp::Interp;
use crate::lang::types;
use crate::ops;
use crate::value::{Key, Outcome, Value};

impl Interp {
    /// `object[index]` as an expression.
    #[inline(never)]
    pub(in crate::lang) fn subscript(&mut self, f: &mut Frame, it: &(Node, Node), node: &Node) -> Outcome {
        if let Op::Local(slot) = &it.0.op
            && let Some(number) = self.quick_operand(f, &it.1)
            && let Some(Some(object)) = self.stack.get(f.base + *slot as usize)
            && let Some(item) = quick_item(object, &number.value())
        {
            return Ok(item);
        }
        let object = match &it.0.op {
            Op::Attr(attr) if &*attr.name == "shape" => {
                let owner = self.eval(f, &attr.object)?;
                if let Value::Tensor(tensor) = &owner
                    && let Some(place) = self.quick_operand(f, &it.1).and_then(Number::index)
                    && let Some(size) = ops::inspect::size_at_once(tensor, place)
                {
                    return Ok(size);
                }
                let shape = self.attr_at(&owner, &attr.name, &attr.site);
                shape.map_err(|r| self.blame(f, it.0.span, r, &[(attr.object.span, &owner)]))?
            }
            _ => self.eval(f, &it.0)?,
        };
        let index = self.eval(f, &it.1)?;
        if let Some(item) = quick_item(&object, &index) {
            return Ok(item);
        }
        self.get_item(&object, &index).map_err(|r| self.blame(f, node.span, r, &[(it.0.span, &object), (it.1.span, &index)]))
    }

    /// `object[index]`.
    pub fn get_item(&mut self, object: &Value, index: &Value) -> Outcome {
        match object {
            Value::Tensor(tensor) => Ok(crate::ops::index::get(tensor, index)?),
            other => types::get_item(self, other, index),
        }
    }

    /// `object[index] = value`.
    pub fn set_item(&mut self, object: &Value, index: &Value, value: Value) -> Outcome<()> {
        if let (Value::List(items), Value::Int(i)) = (object, index)
            && let Some(place) = items.borrow_mut().get_mut(place(*i))
        {
            *place = value;
            return Ok(());
        }
        match object {
            Value::Tensor(tensor) => Ok(crate::ops::index::set(tensor, index, &value)?),
            other => types::set_item(self, other, index, value),
        }
    }

    /// `del object[index]`.
    pub fn del_item(&mut self, object: &Value, index: &Value) -> Outcome<()> {
        types::del_item(self, object, index)
    }
}

/// A non-negative index as a place; a negative one is no place here and takes the long way.
fn place(index: i64) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

/// The items that loops read most: of lists and tuples by a non-negative int, of dicts by a str or int that is there.
#[inline]
fn quick_item(object: &Value, index: &Value) -> Option<Value> {
    match (object, index) {
        (Value::List(items), Value::Int(i)) => items.borrow().get(place(*i)).cloned(),
        (Value::Tuple(items), Value::Int(i)) => items.get(place(*i)).cloned(),
        (Value::Dict(entries), Value::Int(_) | Value::Str(_)) => {
            let key = Key::new(index.clone()).ok()?;
            entries.borrow().get(&key).cloned()
        }
        _ => None,
    }
}
