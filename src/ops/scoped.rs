//! What holds inside a `with`, and is undone behind it.

use crate::value::{Object, Outcome, Value};
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// A context manager: `enter` changes something and gives what it was before, which `exit` brings back. Nothing is brought back where
/// nothing was given.
pub(super) fn scoped<S: 'static>(enter: impl Fn() -> Option<S> + 'static, exit: impl Fn(S) + 'static) -> Value {
    Value::object(Scoped { enter, exit, before: RefCell::new(None) })
}

struct Scoped<S, In, Out> {
    enter: In,
    exit: Out,
    before: RefCell<Option<S>>,
}

impl<S: 'static, In: Fn() -> Option<S> + 'static, Out: Fn(S) + 'static> Object for Scoped<S, In, Out> {
    fn type_name(&self) -> String {
        "_GeneratorContextManager".to_string()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        let enters = match name {
            "__enter__" => true,
            "__exit__" => false,
            _ => return Ok(None),
        };
        Ok(Some(Value::method(move |_| {
            if enters {
                self.before.replace((self.enter)());
            } else if let Some(before) = self.before.take() {
                (self.exit)(before);
            }
            Ok(Value::None)
        })))
    }
}
