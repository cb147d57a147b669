//! `enumerate`, `zip`, `map`, `filter`, `reversed`: iterators over iterators.

use super::call::Call;
use super::iter::{Walk, over_range};
use super::reused::Reused;
use super::views::View;
use super::{convert, dict, overall, range};
use crate::lang::classes;
use crate::lang::iterate::Cursor;
use crate::lang::modules::collections::deque::Deque;
use crate::syntax::ast::BinaryOp;
use crate::value::{CallArgs, Class, Outcome, Value};

/// `enumerate(iterable, start=0)`.
pub fn enumerate(c: &mut Call<'_>) -> Outcome {
    let (items, start) = (c.arg(0).clone(), c.get(1).map_or(Ok(Value::Int(0)), convert::to_int)?);
    let (mut items, mut count, mut pair) = (Cursor::new(c.machine, &items)?, start, Reused::default());
    Ok(Walk::of_class(Class::Enumerate, "enumerate", move |machine| {
        let Some(item) = items.next(machine)? else { return Ok(None) };
        let next = match count {
            Value::Int(i) if i < i64::MAX => Value::Int(i + 1),
            _ => overall::binary(machine, BinaryOp::Add, &count, &Value::Int(1))?,
        };
        Ok(Some(pair.tuple([std::mem::replace(&mut count, next), item])))
    }))
}

/// `zip(*iterables, strict=False)`.
pub fn zip(c: &mut Call<'_>) -> Outcome {
    let strict = match c.take_keyword("strict") {
        Some(value) => overall::truth(&value)?,
        None => false,
    };
    c.no_more_keywords("zip")?;
    let mut sources = c.args().iter().map(|v| Cursor::new(c.machine, v)).collect::<Outcome<Vec<_>>>()?;
    let mut last = Reused::default();
    Ok(Walk::of_class(Class::Zip, "zip", move |machine| {
        let row = last.room(sources.len());
        for i in 0..sources.len() {
            match sources[i].next(machine)? {
                Some(item) => row[i] = item,
                None if !strict => return Ok(None),
                None if i > 0 => fault!(ValueError, "zip() argument {} is shorter than argument{}", i + 1, before(i)),
                None => {
                    for (j, other) in sources.iter_mut().enumerate().skip(1) {
                        if other.next(machine)?.is_some() {
                            fault!(ValueError, "zip() argument {} is longer than argument{}", j + 1, before(j));
                        }
                    }
                    return Ok(None);
                }
            }
        }
        Ok((!sources.is_empty()).then(|| last.last()))
    }))
}

/// ` 1` or `s 1-3`: the arguments before the one at a place.
fn before(place: usize) -> String {
    if place == 1 { " 1".into() } else { format!("s 1-{place}") }
}

/// `map(function, *iterables)`.
pub fn map(c: &mut Call<'_>) -> Outcome {
    if !c.keyword.is_empty() {
        fault!(TypeError, "map() takes no keyword arguments");
    }
    let args = c.args();
    let (function, sources) = match args.split_first() {
        Some((function, sources)) if !sources.is_empty() => (function.clone(), sources),
        _ => fault!(TypeError, "map() must have at least two arguments."),
    };
    let mut sources = sources.iter().map(|v| Cursor::new(c.machine, v)).collect::<Outcome<Vec<_>>>()?;
    Ok(Walk::of_class(Class::Map, "map", move |machine| {
        let mut items = Vec::with_capacity(sources.len());
        for source in &mut sources {
            match source.next(machine)? {
                Some(item) => items.push(item),
                None => return Ok(None),
            }
        }
        machine.call(&function, CallArgs::positional(items)).map(Some)
    }))
}

/// `filter(function, iterable)`.
pub fn filter(c: &mut Call<'_>) -> Outcome {
    let (function, items) = (c.arg(0).clone(), c.arg(1).clone());
    let mut items = Cursor::new(c.machine, &items)?;
    Ok(Walk::of_class(Class::Filter, "filter", move |machine| {
        while let Some(item) = items.next(machine)? {
            crate::interrupt::check()?;
            let answer = match &function {
                Value::None | Value::Class(Class::Bool) => item.clone(),
                function => machine.call(function, CallArgs::positional(vec![item.clone()]))?,
            };
            if overall::truth(&answer)? {
                return Ok(Some(item));
            }
        }
        Ok(None)
    }))
}

/// `iter(callable, sentinel)`: calls until the sentinel comes.
pub fn until(callable: Value, sentinel: Value) -> Value {
    Walk::value("callable_iterator", move |machine| {
        crate::interrupt::check()?;
        let item = machine.call(&callable, CallArgs::default())?;
        Ok((!overall::equal(machine, &item, &sentinel)?).then_some(item))
    })
}

/// `reversed(sequence)`.
pub fn reversed(c: &mut Call<'_>) -> Outcome {
    let value = classes::plain(c.arg(0));
    Ok(match &value {
        Value::List(items) => {
            let (items, mut left) = (items.clone(), items.borrow().len());
            Walk::value("list_reverseiterator", move |_| {
                left = left.wrapping_sub(1);
                Ok(items.borrow().get(left).cloned())
            })
        }
        Value::Range(numbers) => over_range(range::reversed(numbers)),
        Value::Str(text) => backwards(text.chars().rev().map(|x| Value::from(x.to_string())).collect()),
        Value::Bytes(data) => backwards(data.iter().rev().map(|b| Value::Int(*b as i64)).collect()),
        Value::Tuple(_) | Value::Size(_) | Value::Named(_) => {
            let mut items = value.sequence().unwrap_or_default();
            items.reverse();
            backwards(items)
        }
        Value::Tensor(t) if t.ndim() == 0 => value.clone(),
        Value::Tensor(_) => crate::ops::call_method(c.machine, "flip", vec![value.clone(), Value::Int(0)])?,
        Value::Object(object) if object.as_any().is::<Deque>() => {
            let mut items = super::iter::collect(c.machine, &value)?;
            items.reverse();
            backwards(items)
        }
        other => match (dict::entries_of(other), view(other)) {
            (Some(entries), _) => dict::walk_back("dict_reversekeyiterator", entries, |key, _| key.value().clone()),
            (None, Some(walk)) => walk,
            (None, None) if classes::class_of(other).is_some_and(|class| class.find("__getitem__").is_some()) => {
                let other = other.clone();
                let Some(length) = classes::ask(c.machine, &other, "__len__", vec![]) else {
                    fault!(TypeError, "object of type '{}' has no len()", other.type_name())
                };
                let length = convert::to_count(&length?)?;
                let items = (0..length).map(|place| c.machine.get_item(&other, &Value::from(place)));
                let mut items = items.collect::<Outcome<Vec<_>>>()?;
                items.reverse();
                backwards(items)
            }
            (None, None) => fault!(TypeError, "'{}' object is not reversible", other.type_name()),
        },
    })
}

fn view(value: &Value) -> Option<Value> {
    let Value::Object(object) = value else { return None };
    object.as_any().downcast_ref::<View>().map(View::reversed)
}

/// What `reversed` gives of a sequence that cannot change.
fn backwards(items: Vec<Value>) -> Value {
    let mut items = items.into_iter();
    Walk::of_class(Class::Reversed, "reversed", move |_| Ok(items.next()))
}
