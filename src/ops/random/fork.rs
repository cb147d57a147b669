//! `torch.random.fork_rng`: what is drawn inside leaves no trace.

use super::generator::with_generator;
use crate::kernel::rng::Generator;
use crate::value::{CallArgs, Machine, Object, Outcome, Value};
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
        let enters = match name {
            "__enter__" => true,
            "__exit__" => false,
            _ => return Ok(None),
        };
        Ok(Some(Value::object(Step { fork: self, enters })))
    }
}

/// `__enter__` or `__exit__`.
struct Step {
    fork: Rc<Fork>,
    enters: bool,
}

impl Object for Step {
    fn type_name(&self) -> String {
        "method".to_string()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(self: Rc<Self>, _machine: &mut dyn Machine, _args: CallArgs) -> Option<Outcome> {
        if self.enters {
            self.fork.enter()
        } else {
            self.fork.exit()
        }
        Some(Ok(Value::None))
    }
}
