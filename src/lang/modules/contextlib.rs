//! `contextlib`: what stands behind `with`.

use crate::lang::types::call::{Table, Takes, def, row};
use crate::lang::types::class;
use crate::value::{Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "contextlib",
    rows: &[
        row("nullcontext", def(&["enter_result"], 0, 1), |c| Ok(Value::object(Nothing(c.arg(0).clone())))),
        row("suppress", Takes::Any, |c| Ok(Value::object(Suppress(Value::tuple(c.args()))))),
    ],
};

/// `nullcontext(x)`: gives `x` and does nothing.
struct Nothing(Value);

impl Object for Nothing {
    fn type_name(&self) -> String {
        "nullcontext".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "__enter__" => Some(Value::method(move |_| Ok(self.0.clone()))),
            "__exit__" => Some(Value::method(|_| Ok(Value::None))),
            "enter_result" => Some(self.0.clone()),
            _ => None,
        })
    }
}

/// `suppress(A, B)`: ends its block where one of these exceptions is raised.
struct Suppress(Value);

impl Object for Suppress {
    fn type_name(&self) -> String {
        "suppress".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "__enter__" => Some(Value::method(|_| Ok(Value::None))),
            "__exit__" => Some(Value::method_of(move |_, args| match args.positional.get(1) {
                Some(raised @ Value::Exception(_)) => class::is_instance(raised, &self.0).map(Value::Bool),
                _ => Ok(Value::None),
            })),
            _ => None,
        })
    }
}
