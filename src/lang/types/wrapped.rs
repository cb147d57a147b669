//! Functions around functions: what decorators of the library make.

use crate::value::{CallArgs, Machine, Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

/// A function that calls another one in its own way and has that one's attributes (`__name__`, `__doc__`, …).
pub struct Wrapped<F> {
    function: Value,
    way: F,
}

/// The function that does `way` with `function` and the arguments.
pub fn wrapped(function: Value, way: impl Fn(&mut dyn Machine, &Value, CallArgs) -> Outcome + 'static) -> Value {
    Value::object(Wrapped { function, way })
}

impl<F: Fn(&mut dyn Machine, &Value, CallArgs) -> Outcome + 'static> Object for Wrapped<F> {
    fn type_name(&self) -> String {
        "function".into()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        match &self.function {
            Value::Object(function) => Rc::clone(function).attr(name),
            _ => Ok(None),
        }
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn is_function(&self) -> bool {
        true
    }

    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some((self.way)(machine, &self.function, args))
    }
}
