//! `torch.no_grad()` and its kin: context managers and decorators that switch gradients off and on.

use crate::lang::operators;
use crate::lang::types::class_object::ClassObject;
use crate::lang::types::wrapped::wrapped;
use crate::ops::exec;
use crate::settings;
use crate::value::{CallArgs, Machine, Object, Outcome, Value};
use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;

/// The switches by name.
pub fn switches() -> impl Iterator<Item = (&'static str, Value)> {
    [("no_grad", Some(false)), ("enable_grad", Some(true)), ("inference_mode", Some(false)), ("set_grad_enabled", None)]
        .into_iter()
        .map(|(name, mode)| (name, Value::object(Switch { name, mode })))
}

/// What makes guards: `torch.no_grad`.
struct Switch {
    name: &'static str,
    /// What it sets; none: what its argument says.
    mode: Option<bool>,
}

/// A mode to be in: the value of `torch.no_grad()`.
struct Guard {
    name: &'static str,
    mode: bool,
    before: Cell<Modes>,
}

/// Whether gradients are recorded, and whether the program is inside `torch.inference_mode()`.
#[derive(Clone, Copy)]
struct Modes {
    recording: bool,
    inference: bool,
}

impl Modes {
    fn now() -> Modes {
        settings::with(|s| Modes { recording: s.grad_enabled, inference: s.inference })
    }

    /// Begins these and gives those before.
    fn begin(self) -> Modes {
        let before = Modes::now();
        if before.inference != self.inference {
            // What was put off belongs to the mode it was written in; where that fails, it says so when it is read.
            let _ = exec::keep_all();
        }
        settings::change(|s| {
            (s.grad_enabled, s.inference) = (self.recording, self.inference);
            s.inferred |= self.inference;
        });
        before
    }
}

/// Begins the mode that a guard of this name sets, and gives those before.
fn set_mode(name: &str, recording: bool) -> Modes {
    let inference = if name == "inference_mode" { !recording } else { Modes::now().inference };
    Modes { recording, inference }.begin()
}

/// A function that runs under a guard.
fn under(name: &'static str, mode: bool, function: Value) -> Value {
    wrapped(function, move |machine, function, args| {
        let before = set_mode(name, mode);
        let result = machine.call(function, args);
        before.begin();
        result
    })
}

fn is_function(value: &Value) -> bool {
    matches!(value, Value::Object(object) if object.is_callable())
}

impl ClassObject for Switch {
    fn full_name(&self) -> String {
        format!("torch.autograd.grad_mode.{}", self.name)
    }
    fn make(self: Rc<Self>, _machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        self.guard(args)
    }
    fn has(&self, value: &Value) -> bool {
        value.downcast::<Guard>().is_some_and(|guard| guard.name == self.name)
    }
}

impl Switch {
    fn around(&self, function: &Value, mode: bool) -> Value {
        under(self.name, mode, function.clone())
    }

    /// A guard, or with a function as argument that function under a guard. `set_grad_enabled` sets its mode at once.
    fn guard(&self, args: CallArgs) -> Outcome {
        let argument = args.positional.first().or_else(|| args.keyword.first().map(|(_, value)| value));
        let mode = match (self.mode, argument) {
            (Some(mode), None) => mode,
            (Some(mode), Some(function)) if is_function(function) => {
                return Ok(self.around(function, mode));
            }
            (Some(_), Some(wanted)) if self.name == "inference_mode" => !operators::truth(wanted)?,
            (None, Some(_)) if args.keyword.iter().any(|(name, _)| &**name != "mode") => fault!(
                TypeError,
                "{}.__init__() got an unexpected keyword argument '{}'",
                self.name,
                args.keyword.first().map_or("", |(name, _)| name)
            ),
            (None, Some(Value::Bool(wanted))) => *wanted,
            (None, Some(other)) => {
                fault!(TypeError, "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {}", other.type_name())
            }
            (Some(_), Some(_)) if !args.keyword.is_empty() => fault!(
                TypeError,
                "_NoParamDecoratorContextManager.__new__() got an unexpected keyword argument '{}'",
                args.keyword.first().map_or("", |(name, _)| name)
            ),
            // Whatever it is given it takes for a function.
            (Some(mode), Some(function)) => return Ok(self.around(function, mode)),
            (None, None) => fault!(TypeError, "{}.__init__() missing 1 required positional argument: 'mode'", self.name),
        };
        let before = if self.mode.is_none() { set_mode(self.name, mode) } else { Modes::now() };
        Ok(Value::object(Guard { name: self.name, mode, before: Cell::new(before) }))
    }
}

impl Object for Guard {
    fn type_name(&self) -> String {
        self.name.into()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn repr(&self) -> String {
        match (self.name, self.mode) {
            ("set_grad_enabled", mode) => {
                let mode = if mode { "True" } else { "False" };
                format!("torch.autograd.grad_mode.set_grad_enabled(mode={mode})")
            }
            (name, _) => format!("<torch.autograd.grad_mode.{name} object>"),
        }
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "__enter__" => Some(Value::method(move |_| {
                let before = set_mode(self.name, self.mode);
                if self.name != "set_grad_enabled" {
                    self.before.set(before);
                }
                Ok(Value::None)
            })),
            "__exit__" => Some(Value::method(move |_| {
                self.before.get().begin();
                Ok(Value::None)
            })),
            _ => None,
        })
    }

    fn class_object(&self) -> Option<Value> {
        switches().find(|(name, _)| *name == self.name).map(|(_, class)| class)
    }

    fn is_callable(&self) -> bool {
        true
    }

    /// As a decorator.
    fn call(self: Rc<Self>, _machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        let function = args.positional.into_iter().next().unwrap_or(Value::None);
        if self.name == "set_grad_enabled" {
            self.before.get().begin();
        }
        Some(Ok(under(self.name, self.mode, function)))
    }
}
