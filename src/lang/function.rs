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
    /// The types that parameters and the result are written with.
    pub annotations: Option<Rc<Dict>>,
    /// What the user has put on it: `f.calls = 0`.
    attributes: RefCell<IndexMap<String, Value>>,
}

impl Function {
    /// A function that was just defined.
    pub fn new(code: Rc<Code>, defaults: Box<[Option<Value>]>, free: Box<[Cell]>) -> Function {
        Function { code, defaults, free, annotations: None, attributes: RefCell::default() }
    }

    /// How it is called, as Python writes it: `(x, *, y=2)`.
    pub fn signature(&self, interp: &mut Interp) -> Outcome<String> {
        let params = &self.code.params;
        let mut parts = Vec::new();
        for (at, name) in params.names.iter().enumerate() {
            if at == params.positional_only && at > 0 {
                parts.push("/".to_string());
            }
            if at == params.keyword_only_from {
                parts.push(if params.star { self.starred(0) } else { "*".into() });
            }
            parts.push(match self.defaults.get(at).and_then(Option::as_ref) {
                Some(value) => format!("{name}={}", interp.repr(value)?),
                None => name.to_string(),
            });
        }
        if params.positional_only > 0 && params.positional_only == params.names.len() {
            parts.push("/".into());
        }
        if params.star && params.keyword_only_from == params.names.len() {
            parts.push(self.starred(0));
        }
        if params.double_star {
            parts.push(format!("*{}", self.starred(usize::from(params.star))));
        }
        Ok(format!("({})", parts.join(", ")))
    }

    /// A parameter that takes what the others leave, with a star.
    fn starred(&self, place: usize) -> String {
        let slot = self.code.params.names.len() + place;
        format!("*{}", self.code.slot_names.get(slot).map_or("", |name| name))
    }

    fn defaults(&self) -> Value {
        let positional = self.defaults.iter().take(self.code.params.keyword_only_from);
        let values: Vec<Value> = positional.flatten().cloned().collect();
        if values.is_empty() { Value::None } else { Value::tuple(values) }
    }

    /// The variables it borrows, each in a cell of its own; none where it borrows none.
    fn closure(&self) -> Value {
        if self.free.is_empty() {
            return Value::None;
        }
        Value::tuple(self.free.iter().map(|cell| Value::object(Borrowed(cell.clone()))).collect())
    }

    /// What is known of its body.
    fn code_object(&self) -> Outcome {
        let params = &self.code.params;
        let names = |names: &[Rc<str>]| Value::tuple(names.iter().map(|name| Value::from(&**name)).collect());
        let count = params.keyword_only_from;
        let fields = [
            ("co_argcount", Value::from(count)),
            ("co_freevars", names(&self.code.free_names)),
            ("co_kwonlyargcount", Value::from(params.names.len().saturating_sub(count))),
            ("co_name", Value::from(&*self.code.name)),
            ("co_varnames", names(&self.code.slot_names)),
        ];
        Ok(Value::object(Body(fields.to_vec(), self.code.name.to_string())))
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
            "__annotations__" => Value::dict(self.annotations.as_deref().cloned().unwrap_or_default()),
            "__closure__" => self.closure(),
            "__code__" => self.code_object()?,
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

    fn is_function(&self) -> bool {
        true
    }
}

/// A variable that a function borrows.
struct Borrowed(Cell);

impl Object for Borrowed {
    fn type_name(&self) -> String {
        "cell".into()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        match (name, &*self.0.borrow()) {
            ("cell_contents", Some(value)) => Ok(Some(value.clone())),
            ("cell_contents", None) => fault!(ValueError, "Cell is empty"),
            _ => Ok(None),
        }
    }
}

/// What is told of a function's body, and the function's name.
struct Body(Vec<(&'static str, Value)>, String);

impl Object for Body {
    fn type_name(&self) -> String {
        "code".into()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn repr(&self) -> String {
        format!("<code object {} at {:#x}>", self.1, std::ptr::from_ref(self).addr())
    }

    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(self.0.iter().find(|(own, _)| *own == name).map(|(_, value)| value.clone()))
    }
}
