//! Dicts.

use super::call::{Call, Table, Takes, row};
use super::iter::{self, Walk};
use super::views::{self, View};
use crate::diag::{Diagnostic, ErrorClass};
use crate::value::{Dict, Exception, Key, KeyRef, Machine, Outcome, Raise, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// The entries of a dict value.
pub type Entries = Rc<RefCell<Dict>>;

/// The methods.
pub static METHODS: Table = Table {
    owner: "dict",
    rows: Table::sorted(&[
        row("clear", Takes::Nothing, |c| {
            let old = entries(c).take();
            drop(old);
            Ok(Value::None)
        }),
        row("copy", Takes::Nothing, |c| Ok(Value::dict(entries(c).borrow().clone()))),
        row("fromkeys", Takes::Between(1, 2), from_keys),
        row("get", Takes::Between(1, 2), |c| {
            let key = key_of(c)?;
            Ok(entries(c).borrow().get(&key).unwrap_or(c.arg(1)).clone())
        })
        .at_once(|this, args| match (this, args) {
            (Value::Dict(entries), [key] | [key, _]) => {
                let entries = entries.borrow();
                let found = entries.get(&KeyRef::new(key)?).or(args.get(1).copied());
                Some(found.cloned().unwrap_or(Value::None))
            }
            _ => None,
        }),
        row("items", Takes::Nothing, |c| Ok(View::value(views::Kind::Items, entries(c)))),
        row("keys", Takes::Nothing, |c| Ok(View::value(views::Kind::Keys, entries(c)))),
        row("pop", Takes::Between(1, 2), pop),
        row("popitem", Takes::Nothing, |c| match entries(c).borrow_mut().pop() {
            Some((key, value)) => Ok(Value::tuple(vec![key.into_value(), value])),
            None => Err(key_error(&Value::from("popitem(): dictionary is empty"))),
        }),
        row("setdefault", Takes::Between(1, 2), |c| {
            let key = key_of(c)?;
            Ok(entries(c).borrow_mut().entry(key).or_insert(c.arg(1).clone()).clone())
        }),
        row("update", Takes::Any, |c| {
            let (into, args) = (entries(c), c.args());
            super::call::check_count("update", args.len(), 0, 1)?;
            fill(c.machine, &into, args.first(), std::mem::take(&mut c.keyword))?;
            Ok(Value::None)
        }),
        row("values", Takes::Nothing, |c| Ok(View::value(views::Kind::Values, entries(c)))),
    ]),
};

/// The dict a method was called on.
fn entries(c: &Call<'_>) -> Entries {
    match c.this {
        Value::Dict(entries) => entries.clone(),
        _ => Rc::default(),
    }
}

/// The first argument as a key.
fn key_of(c: &mut Call<'_>) -> Outcome<Key> {
    let key = c.arg(0).clone();
    Key::of(c.machine, key)
}

/// The `KeyError` for a missing key, of which objects are asked how they are shown.
pub fn missing(machine: &mut dyn Machine, key: &Value) -> Raise {
    match key {
        Value::Object(_) | Value::Tuple(_) => match machine.repr(key) {
            Ok(_) => key_error(key),
            Err(raise) => raise,
        },
        _ => key_error(key),
    }
}

/// The `KeyError` for a missing key, which carries the key itself.
pub fn key_error(key: &Value) -> Raise {
    let text = super::repr::repr(key).unwrap_or_else(|_| "...".to_string());
    Raise(Rc::new(Exception::new(Diagnostic::new(ErrorClass::KeyError, text), vec![key.clone()])))
}

fn from_keys(c: &mut Call<'_>) -> Outcome {
    let (keys, value, mut made) = (c.arg(0).clone(), c.arg(1).clone(), Dict::default());
    iter::each(c.machine, &keys, |machine, key| {
        made.insert(Key::of(machine, key)?, value.clone());
        Ok(true)
    })?;
    Ok(Value::dict(made))
}

fn pop(c: &mut Call<'_>) -> Outcome {
    let key = key_of(c)?;
    let taken = entries(c).borrow_mut().shift_remove(&key);
    match (taken, c.get(1)) {
        (Some(value), _) => Ok(value),
        (None, Some(default)) => Ok(default.clone()),
        (None, None) => Err(missing(c.machine, key.value())),
    }
}

/// `dict[key]`.
pub fn index(machine: &mut dyn Machine, entries: &Entries, key: &Value) -> Outcome {
    let key = Key::of(machine, key.clone())?;
    if let Some(value) = entries.borrow().get(&key) {
        return Ok(value.clone());
    }
    Err(missing(machine, key.value()))
}

/// `dict[key] = value`.
pub fn set_index(machine: &mut dyn Machine, entries: &Entries, key: &Value, value: Value) -> Outcome<()> {
    let key = Key::of(machine, key.clone())?;
    let old = entries.borrow_mut().insert(key, value);
    drop(old);
    Ok(())
}

/// `del dict[key]`.
pub fn del_index(machine: &mut dyn Machine, entries: &Entries, key: &Value) -> Outcome<()> {
    let key = Key::of(machine, key.clone())?;
    let taken = entries.borrow_mut().shift_remove(&key);
    match taken {
        Some(_) => Ok(()),
        None => Err(missing(machine, key.value())),
    }
}

/// `key in dict`.
pub fn contains(machine: &mut dyn Machine, entries: &Entries, key: &Value) -> Outcome<bool> {
    let key = Key::of(machine, key.clone())?;
    Ok(entries.borrow().contains_key(&key))
}

/// `a | b`.
pub fn union(a: &Dict, b: &Dict) -> Value {
    let mut both = a.clone();
    both.extend(b.iter().map(|(k, v)| (k.clone(), v.clone())));
    Value::dict(both)
}

/// What `dict(source, **named)` and `update` put into a dict.
pub fn fill(machine: &mut dyn Machine, into: &Entries, source: Option<&Value>, named: Vec<(Rc<str>, Value)>) -> Outcome<()> {
    if let Some(source) = source {
        update(machine, into, source)?;
    }
    into.borrow_mut().extend(named.into_iter().map(|(name, value)| (Key::from(&*name), value)));
    Ok(())
}

/// Puts the entries of a dict, or the pairs of an iterable, into a dict.
pub fn update(machine: &mut dyn Machine, into: &Entries, source: &Value) -> Outcome<()> {
    if let Some(entries) = entries_of(source) {
        let more = entries.borrow().clone();
        into.borrow_mut().extend(more);
        return Ok(());
    }
    if let Value::Object(object) = source
        && let Ok(Some(_)) = std::rc::Rc::clone(object).attr("keys")
    {
        return iter::each(machine, source, |machine, key| {
            let value = machine.get_item(source, &key)?;
            let key = Key::of(machine, key)?;
            into.borrow_mut().insert(key, value);
            Ok(true)
        });
    }
    let mut count = 0;
    iter::each(machine, source, |machine, pair| {
        let (key, value) = pair_of(machine, &pair, count)?;
        let key = Key::of(machine, key)?;
        into.borrow_mut().insert(key, value);
        count += 1;
        Ok(true)
    })
}

fn pair_of(machine: &mut dyn Machine, pair: &Value, place: usize) -> Outcome<(Value, Value)> {
    let is_sequence = match pair {
        Value::Tensor(tensor) => tensor.ndim() > 0,
        other => iter::iter(machine, other)?.is_some(),
    };
    if !is_sequence {
        fault!(TypeError, "cannot convert dictionary update sequence element #{place} to a sequence");
    }
    let items = iter::collect(machine, pair)?;
    match <[Value; 2]>::try_from(items) {
        Ok([key, value]) => Ok((key, value)),
        Err(items) => {
            fault!(ValueError, "dictionary update sequence element #{place} has length {}; 2 is required", items.len())
        }
    }
}

/// The entries of a dict or of an object that is one.
pub fn entries_of(value: &Value) -> Option<Entries> {
    match value {
        Value::Dict(entries) => Some(entries.clone()),
        Value::Object(object) => object.entries(),
        _ => None,
    }
}

/// An iterator over the keys.
pub fn iter_keys(entries: Entries) -> Value {
    walk("dict_keyiterator", entries, |key, _| key.value().clone())
}

/// An iterator over entries that notices when the dict grows or shrinks.
pub fn walk(name: &'static str, entries: Entries, mut show: impl FnMut(&Key, &Value) -> Value + 'static) -> Value {
    let (mut place, len) = (0, entries.borrow().len());
    Walk::value(name, move |_| {
        let entries = entries.borrow();
        if entries.len() != len {
            fault!(RuntimeError, "dictionary changed size during iteration");
        }
        place += 1;
        Ok(entries.get_index(place - 1).map(|(key, value)| show(key, value)))
    })
}

/// An iterator over entries from the last to the first.
pub fn walk_back(name: &'static str, entries: Entries, show: fn(&Key, &Value) -> Value) -> Value {
    let len = entries.borrow().len();
    let mut left = len;
    Walk::value(name, move |_| {
        let entries = entries.borrow();
        if entries.len() != len {
            fault!(RuntimeError, "dictionary changed size during iteration");
        }
        left = left.wrapping_sub(1);
        Ok(entries.get_index(left).map(|(key, value)| show(key, value)))
    })
}
