//! Operations as values: `f = torch.add`, `g = x.add`.

use super::{overrides, types};
use crate::diag::ErrorClass;
use crate::ops::{self, OpSet};
use crate::value::{CallArgs, Class, Machine, Object, Outcome, Raise, Value};
use std::any::Any;
use std::rc::Rc;

/// The class that tensors have their methods from.
const BASE: &str = "torch._C.TensorBase";

/// Methods that are functions of Python in PyTorch, which show themselves with their tensor.
#[rustfmt::skip] // a list
const IN_PYTHON: &[&str] = &[
    "backward", "dim_order", "istft", "lu", "norm", "register_hook", "register_post_accumulate_grad_hook", "resize", "resize_as",
    "share_memory_", "split", "stft", "storage", "storage_type", "to_sparse_coo", "unflatten", "unique", "unique_consecutive",
];

/// `torch.Tensor.name`: an operation that waits for its tensor, or a sign for an attribute.
pub fn of_class(name: &str) -> Option<Value> {
    match ops::method(name) {
        Some(set) => Some(Operation::unbound(set)),
        None => ops::property(name).map(|set| Value::object(Property(set.name))),
    }
}

/// `torch.Tensor.shape`: an attribute without its tensor.
struct Property(&'static str);

impl Object for Property {
    fn type_name(&self) -> String {
        "getset_descriptor".into()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn repr(&self) -> String {
        format!("<attribute '{}' of '{BASE}' objects>", self.0)
    }

    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok((name == "__name__").then(|| Value::from(self.0)))
    }
}

/// An operation of the table, alone or bound to a tensor.
pub struct Operation {
    set: &'static OpSet,
    receiver: Option<Value>,
    unbound: bool,
}

impl Operation {
    /// `torch.f`.
    pub fn function(set: &'static OpSet) -> Value {
        Value::object(Operation { set, receiver: None, unbound: false })
    }

    /// `x.f`.
    pub fn method(set: &'static OpSet, receiver: Value) -> Value {
        Value::object(Operation { set, receiver: Some(receiver), unbound: false })
    }

    /// `torch.Tensor.f`, which takes the tensor as its first argument.
    fn unbound(set: &'static OpSet) -> Value {
        Value::object(Operation { set, receiver: None, unbound: true })
    }

    /// The operation.
    pub fn set(&self) -> &'static OpSet {
        self.set
    }

    /// The tensor that `x.f` is bound to.
    pub fn receiver(&self) -> Option<&Value> {
        self.receiver.as_ref()
    }

    /// True when the first argument is the tensor whose method it is.
    pub fn is_method(&self) -> bool {
        self.unbound || self.receiver.is_some()
    }
}

impl Object for Operation {
    fn type_name(&self) -> String {
        if self.unbound { "method_descriptor".into() } else { "builtin_function_or_method".into() }
    }

    fn class(&self) -> Option<Class> {
        (!self.unbound).then_some(Class::Builtin)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn repr(&self) -> String {
        let name = self.set.name.rsplit('.').next().unwrap_or_default();
        match &self.receiver {
            _ if self.unbound => format!("<method '{name}' of '{BASE}' objects>"),
            Some(tensor) if IN_PYTHON.contains(&name) => {
                let shown = types::repr::repr(tensor).unwrap_or_default();
                format!("<bound method Tensor.{name} of {shown}>")
            }
            Some(tensor) => format!("<built-in method {name} of Tensor object at {:#x}>", tensor.identity()),
            None if python_name(self.set.name) != name => format!("<built-in function {}>", python_name(self.set.name)),
            None => format!("<built-in method {name} of type object at {:#x}>", self.set as *const OpSet as usize),
        }
    }

    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "__name__" | "__qualname__" => Some(Value::from(python_name(self.set.name))),
            "__doc__" => self.set.rows.first().map(|row| Value::from(row.doc)),
            "__self__" => self.receiver.clone(),
            _ => None,
        })
    }

    fn call(self: Rc<Self>, machine: &mut dyn Machine, mut args: CallArgs) -> Option<Outcome> {
        args.positional.splice(0..0, self.receiver.clone());
        let name = self.set.name;
        Some(match args.positional.first() {
            Some(first) if self.unbound && !matches!(first, Value::Tensor(_)) => {
                let text = format!("descriptor '{name}' for '{BASE}' objects doesn't apply to a '{}' object", first.type_name());
                Err(Raise::new(ErrorClass::TypeError, text))
            }
            None if self.unbound => {
                Err(Raise::new(ErrorClass::TypeError, format!("unbound method TensorBase.{name}() needs an argument")))
            }
            _ => types::of_operator(name, overrides::call_with(machine, self.set, self.is_method(), args.by_ref())).map_err(
                |raised| match &self.receiver {
                    Some(_) => bound(raised),
                    None => raised,
                },
            ),
        })
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn equals(&self, other: &Value) -> Option<bool> {
        let Value::Object(other) = other else { return None };
        let other = other.as_any().downcast_ref::<Operation>()?;
        let same_receiver = match (&self.receiver, &other.receiver) {
            (Some(a), Some(b)) => a.is(b),
            (None, None) => true,
            _ => false,
        };
        Some(std::ptr::eq(self.set, other.set) && same_receiver)
    }

    fn hash(&self) -> Option<u64> {
        Some(self.set as *const OpSet as u64)
    }
}

/// A method that was taken from its tensor before it was called names the tensor's own class.
fn bound(raised: Raise) -> Raise {
    match raised.0.diagnostic.message.strip_prefix("TensorBase.") {
        Some(rest) => Raise::new(ErrorClass::TypeError, format!("Tensor.{rest}")),
        None => raised,
    }
}

/// What a function says it is called: one of a module of mathematics has the module's name in its own, as `linalg_solve` has.
fn python_name(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((module @ ("linalg" | "special" | "fft"), name)) => format!("{module}_{name}"),
        Some((_, name)) => name.into(),
        None => name.into(),
    }
}
