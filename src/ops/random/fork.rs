//! `torch.random.fork_rng`: what is drawn inside leaves no trace.

use super::generator::with_generator;
use crate::kernel::rng::Generator;
use crate::value::{Object, Outcome, Value};
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// The context manager; one that is not enabled does nothing.
pub(super) fn fork(enabled: bool) -> Value {
    Value::object(Fork { enabled, saved: RefCell::new(None) })
}

struct Fork {
    enabled: bool,
    saved: RefCell<Option<Generator>>,
}

impl Fork {
    fn enter(&self) {
        if self.enabled {
            *self.saved.borrow_mut() = Some(with_generator(&Value::None, |g| g.clone()));
        }
    }

    fn exit(&self) {
        if let Some(state) = self.saved.borrow_mut().take() {
            with_generator(&Value::None, |g| *g = state);
        }
    }
}

impl Object for Fork {
    fn type_name(&self) -> String {
        "_GeneratorContextManager".to_string()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        let step = match name {
            "__enter__" => Fork::enter,
            "__exit__" => Fork::exit,
            _ => return Ok(None),
        };
        Ok(Some(Value::method(move |_| {
            step(&self);
            Ok(Value::None)
        })))
    }
}
