//! `bool(x)` and `len(x)`.

use crate::value::{Outcome, Value};

/// `bool(value)` of everything but tensors: zero and what is empty are false.
pub fn truth(value: &Value) -> Outcome<bool> {
    Ok(match value {
        Value::None => false,
        Value::Bool(b) => *b,
        Value::Int(i) => *i != 0,
        Value::BigInt(_) => true,
        Value::Float(f) => *f != 0.0,
        Value::Complex(c) => c.re != 0.0 || c.im != 0.0,
        Value::Object(o) => match o.truth() {
            Some(truth) => truth?,
            None => o.length() != Some(0),
        },
        other => len(other) != Some(0),
    })
}

/// `len(value)` of everything but tensors; none when it has no length.
pub fn len(value: &Value) -> Option<usize> {
    Some(match value {
        Value::Str(s) => super::str::len(s),
        Value::Bytes(b) => b.len(),
        Value::Tuple(items) => items.len(),
        Value::List(items) => items.borrow().len(),
        Value::Dict(entries) => entries.borrow().len(),
        Value::Set(items) => items.borrow().len(),
        Value::Range(range) => range.len(),
        Value::Size(sizes) => sizes.len(),
        Value::Named(named) => named.values.len(),
        Value::Storage(view) => view.storage.nbytes() / view.dtype.map_or(1, |d| d.size()),
        Value::Object(o) => return o.length(),
        _ => return None,
    })
}
