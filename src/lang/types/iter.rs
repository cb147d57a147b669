//! Iterators, and what to do with the items of any iterable.

use super::limits;
use crate::interrupt;
use crate::lang::iterate::Cursor;
use crate::value::{Class, Machine, Object, Outcome, Range, Text, Value};
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// What gives the next item.
type Step = Box<dyn FnMut(&mut dyn Machine) -> Outcome<Option<Value>>>;

/// An iterator written in Rust. Once it has ended it stays ended.
pub struct Walk {
    name: &'static str,
    class: Option<Class>,
    step: RefCell<Option<Step>>,
}

impl Walk {
    /// An iterator of a type that only has a name.
    pub fn value(name: &'static str, step: impl FnMut(&mut dyn Machine) -> Outcome<Option<Value>> + 'static) -> Value {
        Value::object(Walk { name, class: None, step: RefCell::new(Some(Box::new(step))) })
    }

    /// An iterator that is an object of a built-in class.
    pub fn of_class(
        class: Class,
        name: &'static str,
        step: impl FnMut(&mut dyn Machine) -> Outcome<Option<Value>> + 'static,
    ) -> Value {
        Value::object(Walk { name, class: Some(class), step: RefCell::new(Some(Box::new(step))) })
    }
}

impl Object for Walk {
    fn type_name(&self) -> String {
        self.name.into()
    }
    fn class(&self) -> Option<Class> {
        self.class
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("<{} object at {:#x}>", self.name, self as *const Walk as usize)
    }
    fn is_iterator(&self) -> bool {
        true
    }
    fn next(&self, machine: &mut dyn Machine) -> Outcome<Option<Value>> {
        let Ok(mut slot) = self.step.try_borrow_mut() else { fault!(ValueError, "{} already executing", self.name) };
        let Some(step) = slot.as_mut() else { return Ok(None) };
        let item = step(machine)?;
        if item.is_none() {
            *slot = None;
        }
        Ok(item)
    }
}

/// `iter(value)` of Python's types and objects; none when it is not iterable, or a tensor.
pub fn iter(machine: &mut dyn Machine, value: &Value) -> Outcome<Option<Value>> {
    Ok(Some(match value {
        Value::List(items) => {
            let (items, mut place) = (items.clone(), 0);
            Walk::value("list_iterator", move |_| {
                let item = items.borrow().get(place).cloned();
                place += 1;
                Ok(item)
            })
        }
        Value::Tuple(_) | Value::Size(_) | Value::Named(_) => {
            let items = value.sequence().unwrap_or_default();
            from_vec("tuple_iterator", items)
        }
        Value::Storage(view) => from_vec("storage_iterator", super::storage::items(view)?),
        Value::Range(range) => over_range(**range),
        Value::Str(text) => over_str(text.clone()),
        Value::Bytes(bytes) => {
            let (bytes, mut place) = (bytes.clone(), 0);
            Walk::value("bytes_iterator", move |_| {
                let item = bytes.get(place).map(|b| Value::Int(*b as i64));
                place += 1;
                Ok(item)
            })
        }
        Value::Dict(dict) => super::dict::iter_keys(dict.clone()),
        Value::Set(set) => super::set::iter(set.clone()),
        Value::Object(object) if object.is_iterator() && object.own_class().is_none() => value.clone(),
        Value::Object(object) => match Rc::clone(object).iter(machine) {
            Some(iterator) => iterator?,
            None => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

/// An iterator over items that nobody else sees.
pub fn from_vec(name: &'static str, items: Vec<Value>) -> Value {
    let mut items = items.into_iter();
    Walk::value(name, move |_| Ok(items.next()))
}

/// An iterator over a range.
pub fn over_range(range: Range) -> Value {
    let (mut place, len) = (0, range.len());
    Walk::value("range_iterator", move |_| {
        let item = (place < len).then(|| Value::Int(range.at(place)));
        place += 1;
        Ok(item)
    })
}

fn over_str(text: Rc<Text>) -> Value {
    let name = if text.is_ascii() { "str_ascii_iterator" } else { "str_iterator" };
    let mut cursor = Cursor::Str(text, 0);
    Walk::value(name, move |machine| cursor.next(machine))
}

/// Calls `f` with each item of an iterable until it says false. Stops with `KeyboardInterrupt` when the user asks.
///
/// A list may be changed by `f`: as in Python, what is appended is visited too.
pub fn each(
    machine: &mut dyn Machine,
    value: &Value,
    mut f: impl FnMut(&mut dyn Machine, Value) -> Outcome<bool>,
) -> Outcome<()> {
    let mut cursor = Cursor::new(machine, value)?;
    while let Some(item) = cursor.next(machine)? {
        interrupt::check()?;
        if !f(machine, item)? {
            break;
        }
    }
    Ok(())
}

/// All items of an iterable.
pub fn collect(machine: &mut dyn Machine, value: &Value) -> Outcome<Vec<Value>> {
    if let Some(items) = value.items() {
        return Ok(items);
    }
    match value {
        Value::Range(range) => return limits::gathered(range.len(), (0..).map(|i| Value::Int(range.at(i)))),
        Value::Dict(dict) => return Ok(dict.borrow().keys().map(|k| k.value().clone()).collect()),
        Value::Set(set) => return Ok(set.borrow().iter().map(|k| k.value().clone()).collect()),
        _ => {}
    }
    let mut found = vec![];
    each(machine, value, |_, item| {
        if found.len() == found.capacity() {
            limits::check_items(found.len() * 2)?;
        }
        found.push(item);
        Ok(true)
    })?;
    Ok(found)
}
