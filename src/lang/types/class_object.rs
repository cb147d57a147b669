//! What all classes that are objects answer alike: an implementation says its name, what a call makes and what it is a class of.

use crate::value::{CallArgs, Class, Machine, Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

/// A class.
pub trait ClassObject: Sized + 'static {
    /// The name with its module: `collections.deque`.
    fn full_name(&self) -> String;
    /// The class called with arguments.
    fn make(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Outcome;
    /// `isinstance(value, class)`.
    fn has(&self, value: &Value) -> bool;
    /// An attribute that is none of its names; none when there is no such attribute.
    fn member(self: Rc<Self>, _name: &str) -> Outcome<Option<Value>> {
        Ok(None)
    }
    /// An attribute that a text gives, asked after that.
    fn computed_member(&self, _machine: &mut dyn Machine, _name: &str) -> Option<Outcome> {
        None
    }
    /// The names of its attributes, for completion.
    fn members(&self) -> Vec<String> {
        vec![]
    }
    /// True when another class inherits from this one.
    fn has_child(&self, _class: &Value) -> bool {
        false
    }
    /// True for the same class.
    fn is_same(&self, other: &Self) -> bool {
        self.full_name() == other.full_name()
    }
}

impl<C: ClassObject> Object for C {
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
        format!("<class '{}'>", self.full_name())
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        let full = self.full_name();
        let (module, short) = full.rsplit_once('.').unwrap_or(("builtins", &full));
        match name {
            "__name__" | "__qualname__" => Ok(Some(Value::from(short))),
            "__module__" => Ok(Some(Value::from(module))),
            _ => self.member(name),
        }
    }
    fn computed(self: Rc<Self>, machine: &mut dyn Machine, name: &str) -> Option<Outcome> {
        self.computed_member(machine, name)
    }
    fn attributes(&self) -> Vec<String> {
        self.members()
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some(self.make(machine, args))
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn is_class_of(&self, value: &Value) -> Option<bool> {
        Some(self.has(value))
    }
    fn is_base_of(&self, class: &Value) -> bool {
        self.has_child(class)
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        Some(self.is_same(other.downcast::<C>()?))
    }
    fn hash(&self) -> Option<u64> {
        Some(self.full_name().bytes().fold(7, |hash: u64, byte| hash.wrapping_mul(31) ^ byte as u64))
    }
}
