//! `weakref`: references that do not keep an object.

use crate::lang::types::call::{Table, Takes, row};
use crate::value::{CallArgs, Machine, Object, Outcome, Value};
use std::any::Any;
use std::rc::{Rc, Weak};

/// The functions; the module's containers are texts of the language.
pub static FUNCTIONS: Table = Table {
    owner: "weakref",
    rows: Table::sorted(&[row("ref", Takes::Between(1, 2), |c| match c.arg(0) {
        Value::Object(object) => Ok(Value::object(Reference { to: Rc::downgrade(object) })),
        other => fault!(TypeError, "cannot create weak reference to '{}' object", other.type_name()),
    })]),
};

/// A reference to an object, or to one that is gone.
struct Reference {
    to: Weak<dyn Object>,
}

impl Object for Reference {
    fn type_name(&self) -> String {
        "weakref.ReferenceType".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let place = std::ptr::from_ref(self).addr();
        match self.to.upgrade() {
            Some(object) => {
                let to = Rc::as_ptr(&object).cast::<u8>() as usize;
                format!("<weakref at {place:#x}; to '{}' at {to:#x}>", object.type_name())
            }
            None => format!("<weakref at {place:#x}; dead>"),
        }
    }
    fn call(self: Rc<Self>, _machine: &mut dyn Machine, _args: CallArgs) -> Option<Outcome> {
        Some(Ok(self.to.upgrade().map_or(Value::None, Value::shared)))
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        Some(self.to.ptr_eq(&other.downcast::<Reference>()?.to))
    }
    fn hash(&self) -> Option<u64> {
        Some(self.to.as_ptr().cast::<u8>() as u64)
    }
}
