//! `torch.nn.Buffer`: a tensor that a layer keeps as a buffer where it is put there by name.

use crate::lang::library::construct::{self, Settings, Unless};
use crate::lang::types::class_object::ClassObject;
use crate::lang::types::own;
use crate::value::{CallArgs, Machine, Outcome, Value};
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

impl ClassObject for BufferClass {
    fn full_name(&self) -> String {
        "torch.nn.parameter.Buffer".into()
    }
    fn make(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        construct::bind("Buffer.__new__()", TAKES, args).and_then(|given| machine.eval_code(MAKE, &given))
    }
    fn has(&self, value: &Value) -> bool {
        is_kept(value).is_some()
    }
    fn member(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        if name.starts_with("__") { Ok(None) } else { construct::no_attribute("Buffer", name) }
    }
}
