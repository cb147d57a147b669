//! `torch.nn.Buffer`: a tensor that a layer keeps as a buffer where it is put there by name.

use crate::lang::library::construct::{self, Settings, Unless};
use crate::lang::types::own;
use crate::value::{CallArgs, Class, Machine, Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

const TAKES: Settings = &[("data", Unless::None), ("persistent", Unless::Bool(true))];

const MAKE: &str = "\
data = torch.empty(0) if data is None else data
made = data.detach().requires_grad_(data.requires_grad)
made.persistent, made._is_buffer = persistent, True
made";

/// The class: what it makes are tensors.
pub(super) struct BufferClass;

/// Whether a tensor that was made as a buffer is part of the state that is kept; none for another value.
pub(super) fn is_kept(value: &Value) -> Option<bool> {
    let Value::Tensor(x) = value else { return None };
    own::get(x, "_is_buffer").filter(|is| matches!(is, Value::Bool(true)))?;
    Some(!matches!(own::get(x, "persistent"), Some(Value::Bool(false))))
}

impl Object for BufferClass {
    fn type_name(&self) -> String {
        "type".into()
    }
    fn class(&self) -> Option<Class> {
        Some(Class::Type)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        "<class 'torch.nn.parameter.Buffer'>".into()
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        match name {
            "__name__" | "__qualname__" => Ok(Some(Value::from("Buffer"))),
            _ if name.starts_with("__") => Ok(None),
            _ => construct::no_attribute("Buffer", name),
        }
    }
    fn is_class_of(&self, value: &Value) -> Option<bool> {
        Some(is_kept(value).is_some())
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some(construct::bind("Buffer.__new__()", TAKES, args).and_then(|given| machine.eval_code(MAKE, &given)))
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        Some(other.downcast::<BufferClass>().is_some())
    }
    fn hash(&self) -> Option<u64> {
        Some(19)
    }
}
