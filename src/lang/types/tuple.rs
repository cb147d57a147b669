//! Tuples, `torch.Size` and named results, which are tuples too.

use super::call::{Table, Takes, row};
use super::sequence::{self, Place, Words};
use super::{list, torch_types};
use crate::layout::Dims;
use crate::value::{Outcome, Value};
use std::rc::Rc;

const WORDS: Words = Words { subject: "tuple indices must be integers or slices", outside: "tuple index out of range" };

/// The methods.
pub static METHODS: Table = Table {
    owner: "tuple",
    rows: Table::sorted(&[
        row("count", Takes::One, |c| list::count_in(c, Value::clone)),
        row("index", Takes::Between(1, 3), |c| match list::find(c)? {
            Some(place) => Ok(Value::from(place)),
            None => fault!(ValueError, "tuple.index(x): x not in tuple"),
        }),
    ]),
};

/// What `torch.Size` has beyond a tuple.
pub static SIZE_METHODS: Table = Table {
    owner: "Size",
    rows: Table::sorted(&[row("numel", Takes::Nothing, |c| match c.this {
        Value::Size(sizes) => Ok(Value::Int(sizes.iter().product())),
        _ => Ok(Value::None),
    })]),
};

/// `tuple[key]`.
pub fn index(tuple: &Value, key: &Value) -> Outcome {
    if let (Value::Tuple(items), Value::Int(i)) = (tuple, key)
        && let Some(place) = sequence::wrap(*i, items.len())
    {
        return Ok(items[place].clone());
    }
    let items = tuple.sequence().unwrap_or_default();
    Ok(match sequence::place(key, items.len(), &WORDS)? {
        Place::At(place) => items[place].clone(),
        Place::Slice(slice) => like(tuple, slice.places().map(|i| items[i].clone()).collect()),
    })
}

/// A tuple of the kind of `model`: slices of sizes are sizes; of named results they are plain tuples.
pub fn like(model: &Value, items: Vec<Value>) -> Value {
    match (model, sizes(&items)) {
        (Value::Size(_), Some(sizes)) => Value::Size(Rc::new(sizes)),
        _ => Value::tuple(items),
    }
}

/// `a + b` of two kinds of tuple: sizes when one of them is. Fails with a `TypeError` when an item then is no int.
pub fn joined(a: &Value, b: &Value, items: Vec<Value>) -> Outcome {
    match (a, b) {
        (Value::Size(_), _) | (_, Value::Size(_)) => torch_types::size_of(items),
        _ => Ok(Value::tuple(items)),
    }
}

fn sizes(items: &[Value]) -> Option<Dims> {
    items.iter().map(|item| if let Value::Int(i) = item { Some(*i) } else { None }).collect()
}
