//! Lists.

use super::call::{Call, Row, Table, Takes, keywords, row};
use super::sequence::{self, Place, Words};
use super::{compare, convert, iter, limits, sort};
use crate::value::{Machine, Outcome, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// The items of a list value.
pub type Items = Rc<RefCell<Vec<Value>>>;

/// How indices of lists are refused.
pub const WORDS: Words = Words { subject: "list indices must be integers or slices", outside: "list index out of range" };
const STORE: Words = Words { outside: "list assignment index out of range", ..WORDS };

/// The methods.
pub static METHODS: Table = Table {
    owner: "list",
    rows: Table::sorted(&[
        row("append", Takes::One, append),
        row("clear", Takes::Nothing, clear),
        row("copy", Takes::Nothing, |c| Ok(Value::list(items(c).borrow().clone()))),
        row("count", Takes::One, count),
        row("extend", Takes::One, |c| {
            let (list, more) = (items(c), c.arg(0).clone());
            extend(c.machine, &list, &more)?;
            Ok(Value::None)
        }),
        row("index", Takes::Between(1, 3), index_of),
        row("insert", Takes::Between(2, 2), insert),
        row("pop", Takes::Between(0, 1), pop),
        row("remove", Takes::One, remove),
        row("reverse", Takes::Nothing, |c| {
            items(c).borrow_mut().reverse();
            Ok(Value::None)
        }),
        SORT,
    ]),
};

const SORT: Row = row("sort", keywords(&["key", "reverse"], 0, 0), |c| {
    let reverse = match c.get(1) {
        Some(value) => super::truth::truth(&convert::to_int(value)?)?,
        None => false,
    };
    let key = c.some(0).cloned();
    let list = items(c);
    let taken = list.take();
    let mut sorted = taken;
    let result = sort::sort(c.machine, &mut sorted, key.as_ref(), reverse);
    let changed = !list.borrow().is_empty();
    *list.borrow_mut() = sorted;
    result?;
    if changed {
        fault!(ValueError, "list modified during sort");
    }
    Ok(Value::None)
});

/// The list a method was called on.
fn items(c: &Call<'_>) -> Items {
    match c.this {
        Value::List(items) => items.clone(),
        _ => Rc::default(),
    }
}

fn append(c: &mut Call<'_>) -> Outcome {
    push(&items(c), c.arg(0).clone()).map(|()| Value::None)
}

/// `list.append(item)`.
pub fn push(list: &Items, item: Value) -> Outcome<()> {
    grow(&mut list.borrow_mut(), item)
}

/// Adds an item. Fails with a `MemoryError` when there is no room for more.
#[inline]
pub fn grow(items: &mut Vec<Value>, item: Value) -> Outcome<()> {
    if items.len() == items.capacity() {
        limits::check_items(items.len() * 2)?;
    }
    items.push(item);
    Ok(())
}

fn clear(c: &mut Call<'_>) -> Outcome {
    let old = items(c).take();
    drop(old);
    Ok(Value::None)
}

/// `list += items`, `list.extend(items)`.
pub fn extend(machine: &mut dyn Machine, list: &Items, more: &Value) -> Outcome<()> {
    let more = iter::collect(machine, more)?;
    limits::check_items(list.borrow().len() + more.len())?;
    list.borrow_mut().extend(more);
    Ok(())
}

fn count(c: &mut Call<'_>) -> Outcome {
    count_in(c, |value| value.clone())
}

/// How often the argument stands in what `this` iterates over.
pub fn count_in(c: &mut Call<'_>, over: fn(&Value) -> Value) -> Outcome {
    let (this, wanted, mut count) = (over(c.this), c.arg(0).clone(), 0);
    iter::each(c.machine, &this, |machine, item| {
        count += compare::same(machine, &item, &wanted)? as i64;
        Ok(true)
    })?;
    Ok(Value::Int(count))
}

fn index_of(c: &mut Call<'_>) -> Outcome {
    let found = find(c)?;
    match found {
        Some(place) => Ok(Value::from(place)),
        None => {
            let item = c.arg(0).clone();
            fault!(ValueError, "{} is not in list", c.machine.repr(&item)?)
        }
    }
}

/// The place of the first argument in a list or tuple, between the optional second and third.
pub fn find(c: &mut Call<'_>) -> Outcome<Option<usize>> {
    let items = c.this.items().unwrap_or_default();
    for bound in [c.get(1), c.get(2)].into_iter().flatten() {
        if convert::as_int(bound)?.is_none() {
            fault!(TypeError, "slice indices must be integers or have an __index__ method");
        }
    }
    let range = sequence::bounds(c.get(1), c.get(2), items.len())?;
    let (start, wanted) = (range.start, c.arg(0).clone());
    for (i, item) in items.get(range).unwrap_or_default().iter().enumerate() {
        if compare::same(c.machine, item, &wanted)? {
            return Ok(Some(start + i));
        }
    }
    Ok(None)
}

fn insert(c: &mut Call<'_>) -> Outcome {
    let (list, index) = (items(c), convert::to_i64_clamped(c.arg(0))?);
    let len = list.borrow().len() as i64;
    let place = if index < 0 { index.saturating_add(len).max(0) } else { index.min(len) };
    list.borrow_mut().insert(place as usize, c.arg(1).clone());
    Ok(Value::None)
}

fn pop(c: &mut Call<'_>) -> Outcome {
    let (list, index) = (items(c), c.get(0).map_or(Ok(-1), convert::to_i64_clamped)?);
    let len = list.borrow().len();
    if len == 0 {
        fault!(IndexError, "pop from empty list");
    }
    match sequence::wrap(index, len) {
        Some(place) => Ok(list.borrow_mut().remove(place)),
        None => fault!(IndexError, "pop index out of range"),
    }
}

fn remove(c: &mut Call<'_>) -> Outcome {
    let list = items(c);
    let (all, wanted) = (list.borrow().clone(), c.arg(0).clone());
    for (place, item) in all.iter().enumerate() {
        if compare::same(c.machine, item, &wanted)? {
            let mut list = list.borrow_mut();
            if place < list.len() {
                list.remove(place);
            }
            return Ok(Value::None);
        }
    }
    fault!(ValueError, "list.remove(x): x not in list")
}

/// `list[key]`.
pub fn index(list: &Items, key: &Value) -> Outcome {
    let items = list.borrow();
    Ok(match sequence::place(key, items.len(), &WORDS)? {
        Place::At(place) => items[place].clone(),
        Place::Slice(slice) if slice.step == 1 => Value::list(items[slice.span()].to_vec()),
        Place::Slice(slice) => Value::list(slice.places().map(|i| items[i].clone()).collect()),
    })
}

/// `list[key] = value`.
pub fn set_index(machine: &mut dyn Machine, list: &Items, key: &Value, value: Value) -> Outcome<()> {
    let len = list.borrow().len();
    match sequence::place(key, len, &STORE)? {
        Place::At(place) => {
            let old = std::mem::replace(&mut list.borrow_mut()[place], value);
            drop(old);
        }
        Place::Slice(slice) => {
            if super::iter::iter(machine, &value)?.is_none() && !matches!(value, Value::Tensor(_)) {
                match slice.step {
                    1 => fault!(TypeError, "can only assign an iterable"),
                    _ => fault!(TypeError, "must assign iterable to extended slice"),
                }
            }
            let new = iter::collect(machine, &value)?;
            set_slice(list, slice, new)?;
        }
    }
    Ok(())
}

fn set_slice(list: &Items, slice: sequence::Slice, new: Vec<Value>) -> Outcome<()> {
    let mut items = list.borrow_mut();
    if slice.step == 1 {
        let start = (slice.start as usize).min(items.len());
        let end = (start + slice.count).min(items.len());
        let old: Vec<Value> = items.splice(start..end, new).collect();
        drop(items);
        drop(old);
        return Ok(());
    }
    if new.len() != slice.count {
        fault!(ValueError, "attempt to assign sequence of size {} to extended slice of size {}", new.len(), slice.count);
    }
    for (place, value) in slice.places().zip(new) {
        if let Some(item) = items.get_mut(place) {
            *item = value;
        }
    }
    Ok(())
}

/// `del list[key]`.
pub fn del_index(list: &Items, key: &Value) -> Outcome<()> {
    let mut items = list.borrow_mut();
    match sequence::place(key, items.len(), &STORE)? {
        Place::At(place) => drop(items.remove(place)),
        Place::Slice(slice) => {
            let mut gone = vec![false; items.len()];
            slice.places().for_each(|i| gone[i] = true);
            let mut place = 0;
            items.retain(|_| {
                place += 1;
                !gone[place - 1]
            });
        }
    }
    Ok(())
}
