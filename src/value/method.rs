//! Bound methods that are closures: `__enter__` and `__exit__` of context managers, and methods whose names come from data.

use super::{CallArgs, Machine, Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

struct Method<F>(F);

impl Value {
    /// A bound method that runs this, whatever it is called with.
    pub fn method(run: impl Fn(&mut dyn Machine) -> Outcome<Value> + 'static) -> Value {
        Value::method_of(move |machine, _| run(machine))
    }

    /// A bound method that runs this with the arguments of the call.
    pub fn method_of(run: impl Fn(&mut dyn Machine, CallArgs) -> Outcome<Value> + 'static) -> Value {
        Value::object(Method(run))
    }
}

impl<F: Fn(&mut dyn Machine, CallArgs) -> Outcome<Value> + 'static> Object for Method<F> {
    fn type_name(&self) -> String {
        "method".into()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some((self.0)(machine, args))
    }
}
