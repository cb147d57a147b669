//! Attributes that a user gave a tensor: `x.note = "weights"`. They belong to that very tensor; views and results have none.

use crate::tensor::Tensor;
use crate::value::{Key, Value};
use indexmap::IndexMap;
use std::cell::RefCell;

type Own = RefCell<IndexMap<String, Value>>;

/// `x.name`, if it was given.
#[inline]
pub fn get(x: &Tensor, name: &str) -> Option<Value> {
    x.own::<Own>()?.borrow().get(name).cloned()
}

/// `x.name = value`.
pub fn set(x: &Tensor, name: &str, value: Value) {
    if let Some(own) = x.own_or_new::<Own>() {
        own.borrow_mut().insert(name.to_string(), value);
    }
}

/// `del x.name`; false when it was not given.
pub fn remove(x: &Tensor, name: &str) -> bool {
    x.own::<Own>().is_some_and(|own| own.borrow_mut().shift_remove(name).is_some())
}

/// What was given, as a dict.
pub fn entries(x: &Tensor) -> Value {
    let own = x.own::<Own>();
    Value::dict(own.iter().flat_map(|own| own.borrow().clone()).map(|(name, value)| (Key::from(name.as_str()), value)).collect())
}

/// The names that were given.
pub fn names(x: &Tensor) -> Vec<String> {
    x.own::<Own>().map_or(vec![], |own| own.borrow().keys().cloned().collect())
}
