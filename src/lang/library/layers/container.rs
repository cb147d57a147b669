//! `torch.nn.Sequential`: layers one after the other.

use super::{Layer, layer, method};
use crate::lang::types::call::{Row, Table, Takes, row};
use crate::lang::types::class::ObjectClass;
use crate::value::{CallArgs, Machine, Object, ObjectRef, Outcome, Value};
use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;

static CLASS: Table = Table {
    owner: "",
    rows: &[row("Sequential", Takes::Any, |c| {
        let parts = c.args();
        if let Some(other) = parts.iter().find(|part| layer(part).is_none()) {
            let class = crate::lang::types::class::class_text(other);
            fault!(TypeError, "{class} is not a Module subclass");
        }
        Ok(Value::object(Sequential::new(parts)))
    })],
};

/// The class.
pub(super) fn class() -> Value {
    let making: &'static Row = &CLASS.rows[0];
    ObjectClass::callable("Sequential", &CLASS, making, None)
}

/// Layers, each of which takes what the one before gave.
pub(super) struct Sequential {
    parts: Vec<Value>,
    training: Cell<bool>,
}

impl Layer for Sequential {
    fn parameters(&self) -> Vec<(String, Value)> {
        let of_part = |(place, part): (usize, &Value)| {
            let own = layer(part).map(Layer::parameters).unwrap_or_default();
            own.into_iter().map(|(name, value)| (format!("{place}.{name}"), value)).collect::<Vec<_>>()
        };
        self.parts.iter().enumerate().flat_map(of_part).collect()
    }

    fn set_training(&self, training: bool) {
        self.training.set(training);
        self.parts.iter().filter_map(layer).for_each(|part| part.set_training(training));
    }

    fn shown(&self) -> String {
        let line = |(place, part): (usize, &Value)| {
            let text = layer(part).map(Layer::shown).unwrap_or_default();
            format!("  ({place}): {}\n", text.replace('\n', "\n  "))
        };
        let lines: String = self.parts.iter().enumerate().map(line).collect();
        if lines.is_empty() { "Sequential()".into() } else { format!("Sequential(\n{lines})") }
    }
}

impl Object for Sequential {
    fn type_name(&self) -> String {
        "Sequential".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        self.shown()
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "training" => Some(Value::Bool(self.training.get())),
            _ => method(Value::Object(ObjectRef::new(self)), name),
        })
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some(self.run(machine, args))
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn length(&self) -> Option<usize> {
        Some(self.parts.len())
    }
    fn iter(self: Rc<Self>, machine: &mut dyn Machine) -> Option<Outcome> {
        Some(machine.iter(&Value::list(self.parts.clone())))
    }
    fn index(self: Rc<Self>, machine: &mut dyn Machine, key: &Value) -> Option<Outcome> {
        let picked = machine.get_item(&Value::list(self.parts.clone()), key);
        Some(picked.map(|picked| match picked {
            Value::List(parts) => Value::object(Sequential::new(parts.borrow().clone())),
            part => part,
        }))
    }
}

impl Sequential {
    fn new(parts: Vec<Value>) -> Sequential {
        Sequential { parts, training: Cell::new(true) }
    }

    fn run(&self, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        let [input] = &args.positional[..] else {
            fault!(TypeError, "Sequential.forward() takes 2 positional arguments but {} were given", args.positional.len() + 1);
        };
        let mut value = input.clone();
        for part in &self.parts {
            value = machine.call(part, CallArgs::positional(vec![value]))?;
        }
        Ok(value)
    }
}
