//! `heapq` and `bisect`: lists kept as heaps, or in order.

use crate::lang::operators;
use crate::lang::types::call::{Call, Table, Takes, def, row};
use crate::lang::types::iter::Walk;
use crate::lang::types::{convert, iter, overall, sort};
use crate::syntax::ast::CompareOp;
use crate::value::{CallArgs, Machine, Outcome, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// The functions of `heapq`.
pub static FUNCTIONS: Table = Table {
    owner: "heapq",
    rows: Table::sorted(&[
        row("heapify", Takes::One, |c| {
            let list = heap(c, "heapify() argument")?;
            let mut items = list.borrow().clone();
            for place in (0..items.len() / 2).rev() {
                sift_up(c.machine, &mut items, place)?;
            }
            *list.borrow_mut() = items;
            Ok(Value::None)
        }),
        row("heappop", Takes::One, |c| {
            let list = heap(c, "heappop() argument")?;
            let mut items = list.borrow().clone();
            let Some(last) = items.pop() else { fault!(IndexError, "index out of range") };
            let first = match items.first_mut() {
                Some(first) => std::mem::replace(first, last),
                None => last,
            };
            if !items.is_empty() {
                sift_up(c.machine, &mut items, 0)?;
            }
            *list.borrow_mut() = items;
            Ok(first)
        }),
        row("heappush", Takes::Between(2, 2), |c| {
            let list = heap(c, "heappush() argument 1")?;
            let mut items = list.borrow().clone();
            items.push(c.arg(1).clone());
            let place = items.len() - 1;
            sift_down(c.machine, &mut items, 0, place)?;
            *list.borrow_mut() = items;
            Ok(Value::None)
        }),
        row("heappushpop", Takes::Between(2, 2), |c| {
            let (heap, item) = (heap(c, "heappushpop() argument 1")?, c.arg(1).clone());
            let least = heap.borrow().first().cloned();
            match least {
                Some(least) if less(c.machine, &least, &item)? => replace(c.machine, &heap, item),
                _ => Ok(item),
            }
        }),
        row("heapreplace", Takes::Between(2, 2), |c| {
            let (heap, item) = (heap(c, "heapreplace() argument 1")?, c.arg(1).clone());
            replace(c.machine, &heap, item)
        }),
        row("merge", Takes::Any, merge),
        row("nlargest", def(&["n", "iterable", "key"], 2, 3), |c| best(c, true)),
        row("nsmallest", def(&["n", "iterable", "key"], 2, 3), |c| best(c, false)),
    ]),
};

/// The functions of `bisect`.
pub static BISECT: Table = Table {
    owner: "bisect",
    rows: Table::sorted(&[
        row("bisect", def(&["a", "x", "lo", "hi", "key"], 2, 4), |c| place(c, true).map(Value::from)),
        row("bisect_left", def(&["a", "x", "lo", "hi", "key"], 2, 4), |c| place(c, false).map(Value::from)),
        row("bisect_right", def(&["a", "x", "lo", "hi", "key"], 2, 4), |c| place(c, true).map(Value::from)),
        row("insort", def(&["a", "x", "lo", "hi", "key"], 2, 4), |c| {
            let (at, item) = (place(c, true)?, c.arg(1).clone());
            let given = c.arg(0).clone();
            let insert = c.machine.attr(&given, "insert")?;
            c.machine.call(&insert, CallArgs::positional(vec![Value::from(at), item]))
        }),
    ]),
};

/// The list of a first argument, which messages call by a name.
fn heap(c: &Call<'_>, name: &str) -> Outcome<Rc<RefCell<Vec<Value>>>> {
    match c.arg(0) {
        Value::List(items) => Ok(items.clone()),
        other => fault!(TypeError, "{name} must be list, not {}", other.type_name()),
    }
}

/// The items of what has places for them: a list, a tuple, a text, an array.
fn sequence(machine: &mut dyn Machine, value: &Value) -> Outcome<Vec<Value>> {
    match value {
        Value::List(items) => Ok(items.borrow().clone()),
        Value::Tensor(_) | Value::Dict(_) => fault!(TypeError, "{} is not a sequence", value.type_name()),
        Value::Set(_) => fault!(TypeError, "'{}' object does not support indexing", value.type_name()),
        other if super::super::types::truth::len(other).is_none() => {
            fault!(TypeError, "object of type '{}' has no len()", other.type_name())
        }
        other => iter::collect(machine, other),
    }
}

/// Takes the least item of a heap and puts another in its place.
fn replace(machine: &mut dyn Machine, heap: &Rc<RefCell<Vec<Value>>>, item: Value) -> Outcome {
    let mut items = heap.borrow().clone();
    let Some(first) = items.first_mut() else { fault!(IndexError, "index out of range") };
    let least = std::mem::replace(first, item);
    sift_up(machine, &mut items, 0)?;
    *heap.borrow_mut() = items;
    Ok(least)
}

fn less(machine: &mut dyn Machine, a: &Value, b: &Value) -> Outcome<bool> {
    operators::truth(&operators::compare(machine, CompareOp::Lt, a, b)?)
}

/// Moves an item towards the root while it is less than its parent.
fn sift_down(machine: &mut dyn Machine, items: &mut [Value], start: usize, mut place: usize) -> Outcome<()> {
    while place > start {
        let parent = (place - 1) / 2;
        if !less(machine, &items[place], &items[parent])? {
            break;
        }
        items.swap(place, parent);
        place = parent;
    }
    Ok(())
}

/// Moves an item to a leaf along the lesser children, and from there back to where it belongs, as CPython does.
fn sift_up(machine: &mut dyn Machine, items: &mut [Value], start: usize) -> Outcome<()> {
    let mut place = start;
    while 2 * place + 1 < items.len() {
        let (left, right) = (2 * place + 1, 2 * place + 2);
        let take_right = right < items.len() && !less(machine, &items[left], &items[right])?;
        let child = if take_right { right } else { left };
        items.swap(place, child);
        place = child;
    }
    sift_down(machine, items, start, place)
}

/// An iterator whose items are being merged with those of others.
struct Source {
    iterator: Value,
    item: Value,
    key: Value,
}

impl Source {
    /// With the next item of an iterator; none at its end.
    fn next(machine: &mut dyn Machine, iterator: Value, key: Option<&Value>) -> Outcome<Option<Source>> {
        let Some(item) = machine.next(&iterator)? else { return Ok(None) };
        let key = match key {
            Some(key) => machine.call(key, CallArgs::positional(vec![item.clone()]))?,
            None => item.clone(),
        };
        Ok(Some(Source { iterator, item, key }))
    }
}

/// `merge(*iterables, key=None, reverse=False)`: the items of sorted iterables in order; of equals those of earlier iterables first.
fn merge(c: &mut Call<'_>) -> Outcome {
    let key = c.take_keyword("key").filter(|key| !matches!(key, Value::None));
    let descends = c.take_keyword("reverse").map_or(Ok(false), |flag| operators::truth(&flag))?;
    if let Some((name, _)) = c.keyword.first() {
        fault!(TypeError, "merge() got an unexpected keyword argument '{name}'");
    }
    let (mut waiting, mut open) = (c.args(), Vec::<Source>::new());
    Ok(Walk::value("generator", move |machine| {
        for iterable in std::mem::take(&mut waiting) {
            let iterator = machine.iter(&iterable)?;
            open.extend(Source::next(machine, iterator, key.as_ref())?);
        }
        let mut first = 0;
        for place in 1..open.len() {
            let (new, old) = (&open[place].key, &open[first].key);
            let comes_before = if descends { less(machine, old, new)? } else { less(machine, new, old)? };
            first = if comes_before { place } else { first };
        }
        if open.is_empty() {
            return Ok(None);
        }
        let Source { iterator, item, .. } = open.remove(first);
        if let Some(next) = Source::next(machine, iterator, key.as_ref())? {
            open.insert(first, next);
        }
        Ok(Some(item))
    }))
}

fn best(c: &mut Call<'_>, largest: bool) -> Outcome {
    let (source, key) = (c.arg(1).clone(), c.some(2).cloned());
    let count = match c.arg(0) {
        Value::Int(_) | Value::BigInt(_) | Value::Bool(_) => convert::to_i64_clamped(c.arg(0))?.max(0) as usize,
        other => {
            let other = other.clone();
            operators::compare(c.machine, CompareOp::Ge, &other, &Value::from(overall::len(&source)?))?;
            fault!(TypeError, "'{}' object cannot be interpreted as an integer", other.type_name())
        }
    };
    let mut items = iter::collect(c.machine, &source)?;
    sort::sort(c.machine, &mut items, key.as_ref(), largest)?;
    items.truncate(count);
    Ok(Value::list(items))
}

/// Where an item belongs in a sorted list: behind its equals, or before them.
fn place(c: &mut Call<'_>, behind: bool) -> Outcome<usize> {
    let (given, wanted) = (c.arg(0).clone(), c.arg(1).clone());
    let items = sequence(c.machine, &given)?;
    let mut low = c.some(2).map_or(Ok(0), convert::to_count)?;
    let mut high = c.some(3).map_or(Ok(items.len()), convert::to_count)?.min(items.len());
    let key = c.some(4).cloned();
    while low < high {
        let middle = (low + high) / 2;
        let item = match &key {
            Some(key) => c.machine.call(key, CallArgs::positional(vec![items[middle].clone()]))?,
            None => items[middle].clone(),
        };
        let go_on = if behind { !less(c.machine, &wanted, &item)? } else { less(c.machine, &item, &wanted)? };
        if go_on { low = middle + 1 } else { high = middle }
    }
    Ok(low)
}
