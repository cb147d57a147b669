//! Iteration: a cursor over what loops walk most, without an object per loop.

use super::eval::{Number, Swift, hand};
use super::interp::Interp;
use super::types;
use crate::ops;
use crate::value::{CallArgs, Machine, Object, Outcome, Text, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// A place in an iterable.
pub enum Cursor {
    /// What is left of a range: the next number, the step, how many.
    Range(i64, i64, usize),
    /// A list and the next place; the list may change meanwhile.
    List(Rc<RefCell<Vec<Value>>>, usize),
    /// A tuple, or the rows of a tensor, and the next place.
    Tuple(Rc<Vec<Value>>, usize),
    /// A str and the byte where the next character begins.
    Str(Rc<Text>, usize),
    /// An iterator.
    Object(Rc<dyn Object>),
}

impl Cursor {
    /// Begins an iteration. Fails with a `TypeError` when the value is not iterable.
    pub fn new(machine: &mut dyn Machine, value: &Value) -> Outcome<Cursor> {
        match Cursor::find(machine, value)? {
            Some(cursor) => Ok(cursor),
            None => fault!(TypeError, "'{}' object is not iterable", value.type_name()),
        }
    }

    /// Begins an iteration; none when the value is not iterable.
    pub fn find(machine: &mut dyn Machine, value: &Value) -> Outcome<Option<Cursor>> {
        Ok(match value {
            Value::Range(range) => Some(Cursor::Range(range.start, range.step, range.len())),
            Value::List(items) => Some(Cursor::List(items.clone(), 0)),
            Value::Tuple(items) => Some(Cursor::Tuple(items.clone(), 0)),
            Value::Str(text) => Some(Cursor::Str(text.clone(), 0)),
            Value::Tensor(tensor) if tensor.ndim() == 0 => fault!(TypeError, "iteration over a 0-d tensor"),
            Value::Tensor(_) => Some(Cursor::Tuple(rows(machine, value)?, 0)),
            other => match types::iter::iter(machine, other)? {
                Some(Value::Object(iterator)) => Some(Cursor::Object(Rc::clone(&iterator))),
                _ => None,
            },
        })
    }

    /// How many items are left, as far as that is known; no more than some thousands.
    pub fn expected(&self) -> usize {
        const MOST: usize = 1 << 16;
        let left = match self {
            Cursor::Range(_, _, left) => *left,
            Cursor::List(items, place) => items.borrow().len().saturating_sub(*place),
            Cursor::Tuple(items, place) => items.len().saturating_sub(*place),
            Cursor::Str(text, place) => text.len() - place,
            Cursor::Object(_) => 0,
        };
        left.min(MOST)
    }

    /// The next item as by [`Interp::give`]; none at the end.
    #[inline]
    pub(in crate::lang) fn give(&mut self, interp: &mut Interp) -> Swift<Option<Option<Number>>> {
        let given = match self {
            Cursor::List(items, place) => {
                let given = items.borrow().get(*place).map(|item| hand(&mut interp.given, item));
                *place = if given.is_some() { *place + 1 } else { usize::MAX };
                given
            }
            Cursor::Tuple(items, place) => {
                let given = items.get(*place).map(|item| hand(&mut interp.given, item));
                *place += given.is_some() as usize;
                given
            }
            other => other.next(interp)?.map(|item| interp.pass(item)),
        };
        Ok(given)
    }

    /// The next item; none at the end.
    #[inline]
    pub fn next(&mut self, machine: &mut dyn Machine) -> Outcome<Option<Value>> {
        match self {
            Cursor::Range(next, step, left) => {
                if *left == 0 {
                    return Ok(None);
                }
                let item = *next;
                *left -= 1;
                *next = item.wrapping_add(*step);
                Ok(Some(Value::Int(item)))
            }
            Cursor::List(items, place) => {
                let item = items.borrow().get(*place).cloned();
                *place = if item.is_some() { *place + 1 } else { usize::MAX };
                Ok(item)
            }
            Cursor::Tuple(items, place) => {
                let item = items.get(*place).cloned();
                *place += item.is_some() as usize;
                Ok(item)
            }
            Cursor::Str(text, place) => {
                let next = text.get(*place..).and_then(|rest| rest.chars().next());
                *place += next.map_or(0, char::len_utf8);
                Ok(next.map(types::str::of_char))
            }
            Cursor::Object(object) => object.next(machine),
        }
    }
}

/// The rows of a tensor: `x.unbind(0)`.
fn rows(machine: &mut dyn Machine, tensor: &Value) -> Outcome<Rc<Vec<Value>>> {
    let rows = match ops::method("unbind") {
        Some(unbind) => ops::call(machine, unbind, true, CallArgs::positional(vec![tensor.clone()]))?,
        None => fault!(TypeError, "'Tensor' object is not iterable"),
    };
    match rows {
        Value::Tuple(rows) => Ok(rows),
        other => Ok(Rc::new(other.items().unwrap_or_default())),
    }
}

impl Interp {
    /// All items of an iterable.
    pub fn collect(&mut self, value: &Value) -> Outcome<Vec<Value>> {
        match value {
            Value::Tensor(_) => {
                let cursor = Cursor::new(self, value)?;
                self.drain(cursor, usize::MAX)
            }
            other => types::iter::collect(self, other),
        }
    }

    /// The items that are left, but no more than `limit`.
    pub fn drain(&mut self, mut cursor: Cursor, limit: usize) -> Outcome<Vec<Value>> {
        let mut items = vec![];
        while items.len() < limit {
            self.breathe()?;
            match cursor.next(self)? {
                Some(item) => items.push(item),
                None => break,
            }
        }
        Ok(items)
    }
}
