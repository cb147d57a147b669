//! Tuples that iterators give: as in CPython, one that nobody has kept is filled anew.

use crate::value::Value;
use std::rc::Rc;

/// The last tuple that an iterator gave.
#[derive(Default)]
pub struct Reused(Rc<Vec<Value>>);

impl Reused {
    /// A tuple of these items.
    pub fn tuple<const N: usize>(&mut self, items: [Value; N]) -> Value {
        match Rc::get_mut(&mut self.0) {
            Some(last) if last.len() == N => last.iter_mut().zip(items).for_each(|(place, item)| *place = item),
            _ => self.0 = Rc::new(items.into()),
        }
        self.last()
    }

    /// Room for the `n` items of the next tuple, which is then the [last](Reused::last).
    pub fn room(&mut self, n: usize) -> &mut [Value] {
        if Rc::get_mut(&mut self.0).is_none_or(|last| last.len() != n) {
            self.0 = Rc::new(vec![Value::None; n]);
        }
        let items: &mut Vec<Value> = Rc::make_mut(&mut self.0);
        items
    }

    /// The last tuple.
    pub fn last(&self) -> Value {
        Value::Tuple(self.0.clone())
    }
}
