//! `deque`: a list that grows and shrinks at both ends.

use crate::lang::types::call::{Call, Table, Takes, row};
use crate::lang::types::iter::Walk;
use crate::lang::types::{compare, convert, iter, repr, sequence};
use crate::syntax::ast::CompareOp;
use crate::value::{Machine, Object, Outcome, Value};
use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The items and how many may be kept.
pub struct Deque {
    items: RefCell<VecDeque<Value>>,
    most: Option<usize>,
}

/// `deque(iterable, maxlen)`.
pub fn construct(c: &mut Call<'_>) -> Outcome {
    let most = match c.some(1) {
        None => None,
        Some(value) => match convert::as_int(value)? {
            None => fault!(TypeError, "an integer is required"),
            Some(_) => match usize::try_from(convert::to_i64(value)?) {
                Ok(most) => Some(most),
                Err(_) => fault!(ValueError, "maxlen must be non-negative"),
            },
        },
    };
    let deque = Deque { items: RefCell::default(), most };
    if let Some(items) = c.get(0).cloned() {
        deque.extend(c.machine, &items, false)?;
    }
    Ok(Value::object(deque))
}

/// The methods of a deque.
pub static METHODS: Table = Table {
    owner: "deque",
    rows: Table::sorted(&[
        row("append", Takes::One, |c| {
            this(c)?.push(c.arg(0).clone(), false);
            Ok(Value::None)
        }),
        row("appendleft", Takes::One, |c| {
            this(c)?.push(c.arg(0).clone(), true);
            Ok(Value::None)
        }),
        row("clear", Takes::Nothing, |c| {
            let old = this(c)?.items.take();
            drop(old);
            Ok(Value::None)
        }),
        row("copy", Takes::Nothing, |c| Ok(this(c)?.copy().unwrap_or(Value::None))),
        row("count", Takes::One, |c| crate::lang::types::list::count_in(c, Value::clone)),
        row("extend", Takes::One, |c| extend(c, false)),
        row("extendleft", Takes::One, |c| extend(c, true)),
        row("index", Takes::Between(1, 3), index_of),
        row("insert", Takes::Between(2, 2), insert),
        row("pop", Takes::Nothing, |c| pop(c, false)),
        row("popleft", Takes::Nothing, |c| pop(c, true)),
        row("remove", Takes::One, remove),
        row("reverse", Takes::Nothing, |c| {
            this(c)?.items.borrow_mut().make_contiguous().reverse();
            Ok(Value::None)
        }),
        row("rotate", Takes::Between(0, 1), |c| {
            let steps = c.get(0).map_or(Ok(1), convert::to_i64)?;
            let mut items = this(c)?.items.borrow_mut();
            let len = items.len() as i64;
            if len > 0 {
                items.rotate_right(steps.rem_euclid(len) as usize);
            }
            Ok(Value::None)
        }),
    ]),
};

fn this<'c>(c: &Call<'c>) -> Outcome<&'c Deque> {
    match c.this.downcast::<Deque>() {
        Some(deque) => Ok(deque),
        None => fault!(TypeError, "a deque is needed, not {}", c.this.type_name()),
    }
}

fn extend(c: &mut Call<'_>, left: bool) -> Outcome {
    let (deque, items) = (this(c)?, c.arg(0).clone());
    deque.extend(c.machine, &items, left)?;
    Ok(Value::None)
}

fn pop(c: &mut Call<'_>, left: bool) -> Outcome {
    let mut items = this(c)?.items.borrow_mut();
    match if left { items.pop_front() } else { items.pop_back() } {
        Some(item) => Ok(item),
        None => fault!(IndexError, "pop from an empty deque"),
    }
}

fn find(c: &mut Call<'_>, range: std::ops::Range<usize>) -> Outcome<Option<usize>> {
    let (items, wanted) = (this(c)?.to_vec(), c.arg(0).clone());
    for place in range {
        if let Some(item) = items.get(place)
            && compare::same(c.machine, item, &wanted)?
        {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

fn index_of(c: &mut Call<'_>) -> Outcome {
    let len = this(c)?.items.borrow().len();
    let range = sequence::bounds(c.get(1), c.get(2), len)?;
    match find(c, range)? {
        Some(place) => Ok(Value::from(place)),
        None => fault!(ValueError, "{} is not in deque", repr::repr(c.arg(0))?),
    }
}

fn remove(c: &mut Call<'_>) -> Outcome {
    let len = this(c)?.items.borrow().len();
    match find(c, 0..len)? {
        Some(place) => {
            let gone = this(c)?.items.borrow_mut().remove(place);
            drop(gone);
            Ok(Value::None)
        }
        None => fault!(ValueError, "{} is not in deque", repr::repr(c.arg(0))?),
    }
}

fn insert(c: &mut Call<'_>) -> Outcome {
    let (index, item) = (convert::to_i64_clamped(c.arg(0))?, c.arg(1).clone());
    let deque = this(c)?;
    let mut items = deque.items.borrow_mut();
    let len = items.len() as i64;
    if deque.most.is_some_and(|most| items.len() >= most) {
        fault!(IndexError, "deque already at its maximum size");
    }
    let place = if index < 0 { index.saturating_add(len).max(0) } else { index.min(len) };
    items.insert(place as usize, item);
    Ok(Value::None)
}

impl Deque {
    fn to_vec(&self) -> Vec<Value> {
        self.items.borrow().iter().cloned().collect()
    }

    /// Adds an item at one end; a full deque loses one at the other.
    fn push(&self, item: Value, left: bool) {
        let mut items = self.items.borrow_mut();
        if left {
            items.push_front(item)
        } else {
            items.push_back(item)
        }
        let gone = match self.most {
            Some(most) if items.len() > most && left => items.pop_back(),
            Some(most) if items.len() > most => items.pop_front(),
            _ => None,
        };
        drop(items);
        drop(gone);
    }

    fn extend(&self, machine: &mut dyn Machine, more: &Value, left: bool) -> Outcome<()> {
        for item in iter::collect(machine, more)? {
            self.push(item, left);
        }
        Ok(())
    }

    fn place(&self, key: &Value) -> Outcome<usize> {
        let index = match convert::as_int(key)? {
            Some(index) => convert::to_i64_clamped(&index)?,
            None => fault!(TypeError, "sequence index must be integer, not '{}'", key.type_name()),
        };
        match sequence::wrap(index, self.items.borrow().len()) {
            Some(place) => Ok(place),
            None => fault!(IndexError, "deque index out of range"),
        }
    }

    fn with_items(&self, items: VecDeque<Value>) -> Value {
        let deque = Deque { items: RefCell::default(), most: self.most };
        items.into_iter().for_each(|item| deque.push(item, false));
        Value::object(deque)
    }
}

impl Object for Deque {
    fn type_name(&self) -> String {
        "collections.deque".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        repr::of_container(self as *const Deque as u64, "[...]", || {
            let items = repr::repr(&Value::list(self.to_vec()))?;
            Ok(match self.most {
                Some(most) => format!("deque({items}, maxlen={most})"),
                None => format!("deque({items})"),
            })
        })
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok((name == "maxlen").then(|| self.most.map_or(Value::None, Value::from)))
    }
    fn attributes(&self) -> Vec<String> {
        METHODS.names().into_iter().chain(["maxlen".to_string()]).collect()
    }
    fn copy(&self) -> Option<Value> {
        Some(self.with_items(self.items.borrow().clone()))
    }
    fn deep_copy(&self, copy: &mut dyn FnMut(&Value) -> Outcome) -> Option<Outcome> {
        let items = self.items.borrow().clone();
        Some(items.iter().map(copy).collect::<Outcome<_>>().map(|items| self.with_items(items)))
    }
    fn is_hashable(&self) -> bool {
        false
    }
    fn length(&self) -> Option<usize> {
        Some(self.items.borrow().len())
    }
    fn iter(self: Rc<Self>, _machine: &mut dyn Machine) -> Option<Outcome> {
        let (mut place, len) = (0, self.items.borrow().len());
        Some(Ok(Walk::value("_collections._deque_iterator", move |_| {
            let items = self.items.borrow();
            if items.len() != len {
                fault!(RuntimeError, "deque mutated during iteration");
            }
            place += 1;
            Ok(items.get(place - 1).cloned())
        })))
    }
    fn index(self: Rc<Self>, _machine: &mut dyn Machine, key: &Value) -> Option<Outcome> {
        Some(self.place(key).map(|place| self.items.borrow()[place].clone()))
    }
    fn set_index(&self, _machine: &mut dyn Machine, key: &Value, value: Option<Value>) -> Option<Outcome<()>> {
        Some(self.place(key).map(|place| {
            let old = match value {
                Some(value) => Some(std::mem::replace(&mut self.items.borrow_mut()[place], value)),
                None => self.items.borrow_mut().remove(place),
            };
            drop(old);
        }))
    }
    fn operate(self: Rc<Self>, machine: &mut dyn Machine, op: &'static str, other: &Value, reflected: bool) -> Option<Outcome> {
        if op == "*" {
            let count = convert::as_int(other).ok()??;
            let repeated = convert::to_count(&count).and_then(|n| sequence::repeat(&self.to_vec(), n));
            return Some(repeated.map(|items| self.with_items(items.into())));
        }
        let theirs = other.downcast::<Deque>()?.to_vec();
        if op == "+" && !reflected {
            let mut items = self.items.borrow().clone();
            items.extend(theirs);
            return Some(Ok(self.with_items(items)));
        }
        let mine = self.to_vec();
        let op = CompareOp::from_symbol(op)?;
        if mine.len() != theirs.len() && matches!(op, CompareOp::Eq | CompareOp::Ne) {
            return Some(Ok(Value::Bool(op == CompareOp::Ne)));
        }
        Some(compare::sequence_order(machine, op, &mine, &theirs).map(Value::Bool))
    }
}
