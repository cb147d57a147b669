//! `numpy.random.RandomState`: the generator of before with a state of its own.

use super::{FUNCTIONS, STATE, State, seeded};
use crate::lang::types::call::{Builtin, Call};
use crate::value::{CallArgs, Machine, Object, Outcome, Value};
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// A generator as a value.
struct RandomState(RefCell<State>);

/// `RandomState(seed)`.
pub(super) fn random_state(c: &mut Call<'_>) -> Outcome {
    Ok(Value::object(RandomState(RefCell::new(seeded(c.some(0))?))))
}

impl Object for RandomState {
    fn type_name(&self) -> String {
        "numpy.random.mtrand.RandomState".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("RandomState(MT19937) at {:#X}", self.0.as_ptr() as usize).replace("0X", "0x")
    }
    fn str(&self) -> String {
        "RandomState(MT19937)".into()
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        let row = FUNCTIONS.find(name).filter(|row| !matches!(row.name, "RandomState" | "default_rng"));
        Ok(row.map(|row| Value::object(Drawing { state: self, name: row.name, function: Builtin::function(&FUNCTIONS, row) })))
    }
    fn attributes(&self) -> Vec<String> {
        FUNCTIONS.names()
    }
}

/// A method: the function of the module's, which draws from another state meanwhile.
struct Drawing {
    state: Rc<RandomState>,
    name: &'static str,
    function: Value,
}

impl Drawing {
    fn change_places(&self) {
        STATE.with_borrow_mut(|usual| std::mem::swap(usual, &mut self.state.0.borrow_mut()));
    }
}

impl Object for Drawing {
    fn type_name(&self) -> String {
        "builtin_function_or_method".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("<built-in method {} of numpy.random.mtrand.RandomState object>", self.name)
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        self.change_places();
        let drawn = machine.call(&self.function, args);
        self.change_places();
        Some(drawn)
    }
}
