//! Functions that the user defines.

use super::compile::tree::Code;
use super::frame::Cell;
use super::interp::Interp;
use crate::value::{CallArgs, Class, Dict, Key, Machine, Object, Outcome, Value};
use indexmap::IndexMap;
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// A function or lambda: its body, its defaults, and the variables it borrows.
pub struct Function {
    /// The body.
    pub code: Rc<Code>,
    /// The default of each parameter.
    pub defaults: Box<[Option<Value>]>,
    /// The variables it borrows.
    pub free: Box<[Cell]>,
    /// What the user has put on it: `f.calls = 0`.
    attributes: RefCell<IndexMap<String, Value>>,
}

impl Function {
    /// A function that was just defined.
    pub fn new(code: Rc<Code>, defaults: Box<[Option<Value>]>, free: Box<[Cell]>) -> Function {
        Function { code, defaults, free, attributes: RefCell::default() }
    }

    fn defaults(&self) -> Value {
        let positional = self.defaults.iter().take(self.code.params.keyword_only_from);
        let values: Vec<Value> = positional.flatten().cloned().collect();
        if values.is_empty() { Value::None } else { Value::tuple(values) }
    }

    fn keyword_defaults(&self) -> Outcome {
        let params = &self.code.params;
        let mut found = Dict::default();
        for (name, default) in params.names.iter().zip(&self.defaults).skip(params.keyword_only_from) {
            if let Some(value) = default {
                found.insert(Key::new(Value::from(&**name))?, value.clone());
            }
        }
        Ok(if found.is_empty() { Value::None } else { Value::dict(found) })
    }
}

impl Object for Function {
    fn type_name(&self) -> String {
        "function".into()
    }

    fn class(&self) -> Option<Class> {
        Some(Class::Function)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn repr(&self) -> String {
        format!("<function {} at {:#x}>", self.code.qualname, self as *const Function as usize)
    }

    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        if let Some(value) = self.attributes.borrow().get(name) {
            return Ok(Some(value.clone()));
        }
        Ok(Some(match name {
            "__name__" => Value::from(&*self.code.name),
            "__qualname__" => Value::from(&*self.code.qualname),
            "__module__" => Value::from("__main__"),
            "__doc__" => self.code.doc.as_deref().map_or(Value::None, Value::from),
            "__defaults__" => self.defaults(),
            "__kwdefaults__" => self.keyword_defaults()?,
            "__dict__" => {
                let attributes = self.attributes.borrow();
                let entries = attributes.iter().map(|(k, v)| Ok((Key::new(Value::from(k.as_str()))?, v.clone())));
                Value::dict(entries.collect::<Outcome<Dict>>()?)
            }
            _ => return Ok(None),
        }))
    }

    fn set_attr(&self, name: &str, value: Value) -> Outcome<bool> {
        self.attributes.borrow_mut().insert(name.to_string(), value);
        Ok(true)
    }

    fn del_attr(&self, name: &str) -> bool {
        self.attributes.borrow_mut().shift_remove(name).is_some()
    }

    fn attributes(&self) -> Vec<String> {
        let own = ["__name__", "__qualname__", "__module__", "__doc__", "__defaults__", "__kwdefaults__", "__dict__"];
        own.iter().map(|n| n.to_string()).chain(self.attributes.borrow().keys().cloned()).collect()
    }

    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        let interp = machine.as_any().downcast_mut::<Interp>()?;
        Some(interp.call_function(&self, args))
    }

    fn is_callable(&self) -> bool {
        true
    }
}
