//! `value[index]`: read, written, deleted.

use super::expr::hand;
use super::number::{Given, Number};
use super::quick::peek;
use crate::lang::classes;
use crate::lang::compile::tree::{Node, Op};
use crate::lang::frame::Frame;
use crate::lang::interp::Interp;
use crate::lang::types;
use crate::ops;
use crate::value::{KeyRef, Outcome, Value};

impl Interp {
    /// `object[index]` as an expression.
    #[inline(never)]
    pub(in crate::lang) fn subscript(&mut self, f: &mut Frame, it: &(Node, Node), node: &Node) -> Given {
        let given = match &it.0.op {
            Op::Attr(attr) if &*attr.name == "shape" => self.size_of_variable(f, &attr.object, &it.1).map(Some),
            _ => self.item_of_variable(f, it),
        };
        if let Some(given) = given {
            return Ok(given);
        }
        let object = self.eval(f, &it.0)?;
        let index = self.eval(f, &it.1)?;
        if let Some(given) = quick_item(&mut self.given, &object, &index) {
            return Ok(given);
        }
        let item = self.get_item(&object, &index);
        let item = item.map_err(|r| self.blame(f, node.span, r, &[(it.0.span, &object), (it.1.span, &index)]))?;
        Ok(self.pass(item))
    }

    /// `tensor.shape[index]`, where both are variables or constants.
    #[inline(always)]
    fn size_of_variable(&self, f: &Frame, tensor: &Node, index: &Node) -> Option<Number> {
        let place = self.quick_operand(f, index)?.index()?;
        self.with_variable(f, tensor, |value| match value {
            Value::Tensor(tensor) => ops::inspect::size_at_once(tensor, place).map(Number::int),
            _ => None,
        })
    }

    /// The item where object and index are variables, constants, or an index that is quick: nothing is copied but the item.
    #[inline(always)]
    fn item_of_variable(&mut self, f: &Frame, it: &(Node, Node)) -> Option<Option<Number>> {
        let index = self.quick_operand(f, &it.1);
        let object = peek(&self.stack, &self.globals, f, &it.0)?;
        match index {
            Some(index) => quick_item(&mut self.given, object, &index.value()),
            None => quick_item(&mut self.given, object, peek(&self.stack, &self.globals, f, &it.1)?),
        }
    }

    /// `object[index]`.
    pub fn get_item(&mut self, object: &Value, index: &Value) -> Outcome {
        match object {
            Value::Tensor(tensor) => {
                if may_hold_own(index) {
                    let index = classes::indices(self, index)?;
                    return Ok(crate::ops::index::get(tensor, &index)?);
                }
                let item = crate::ops::index::get(tensor, index)?;
                crate::ops::warning::tell_of_index(self, index)?;
                Ok(item)
            }
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
            Value::Tensor(tensor) => {
                let (plain, value) = (classes::indices(self, index)?, classes::plain(&value));
                crate::ops::index::set(tensor, &plain, &value)?;
                crate::ops::warning::tell_of_index(self, index)
            }
            other => types::set_item(self, other, index, value),
        }
    }

    /// `del object[index]`.
    pub fn del_item(&mut self, object: &Value, index: &Value) -> Outcome<()> {
        types::del_item(self, object, index)
    }
}

/// True for what may hold an object of the program's classes.
fn may_hold_own(index: &Value) -> bool {
    match index {
        Value::Object(_) => true,
        Value::Slice(parts) => parts.iter().any(|part| matches!(part, Value::Object(_))),
        Value::Tuple(items) => items.iter().any(may_hold_own),
        _ => false,
    }
}

/// A non-negative index as a place; a negative one is no place here and takes the long way.
fn place(index: i64) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

/// The items that loops read most: of lists and tuples by a non-negative int, of dicts by a str or int that is there.
#[inline]
fn quick_item(given: &mut Value, object: &Value, index: &Value) -> Option<Option<Number>> {
    match (object, index) {
        (Value::List(items), Value::Int(i)) => items.borrow().get(place(*i)).map(|item| hand(given, item)),
        (Value::Tuple(items), Value::Int(i)) => items.get(place(*i)).map(|item| hand(given, item)),
        (Value::Dict(entries), Value::Int(_) | Value::Str(_)) => {
            let key = KeyRef::new(index)?;
            entries.borrow().get(&key).map(|item| hand(given, item))
        }
        _ => None,
    }
}
