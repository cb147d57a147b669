//! `torch.nn.Linear` and its kin: layers that are ready to be called. What one makes and what it computes are texts of the language,
//! in [`kinds`].

mod container;
mod kinds;

use super::construct;
use crate::lang::operators;
use crate::lang::types::call::{Builtin, Call, Table, Takes, def, plural, row};
use crate::lang::types::class::class_text;
use crate::lang::types::iter;
use crate::ops;
use crate::value::{CallArgs, Machine, Object, Outcome, Value};
use indexmap::IndexMap;
use kinds::Kind;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The classes of layers, by name.
pub fn classes() -> impl Iterator<Item = (&'static str, Value)> {
    let kinds = kinds::KINDS.iter().map(|kind| (kind.name, construct::class(kind)));
    kinds.chain([("Sequential", container::class())])
}

/// What every layer can do, a single one or several.
trait Layer {
    /// Its parameters, each with its name.
    fn parameters(&self) -> Vec<(String, Value)>;
    /// Switches between training and evaluation.
    fn set_training(&self, training: bool);
    /// As text, whose lines but the first are indented where it is inside another one.
    fn shown(&self) -> String;
}

/// A value as a layer, if it is one.
fn layer(value: &Value) -> Option<&dyn Layer> {
    let single = value.downcast::<Single>().map(|layer| layer as &dyn Layer);
    single.or_else(|| value.downcast::<container::Sequential>().map(|layer| layer as &dyn Layer))
}

impl construct::Row for Kind {
    fn name(&self) -> &'static str {
        self.name
    }
    fn module(&self) -> String {
        format!("torch.nn.modules.{}", self.module)
    }
    fn make(&'static self, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        Single::make(machine, self, args)
    }
    fn of(value: &Value) -> Option<&'static Kind> {
        Some(value.downcast::<Single>()?.kind)
    }
}

/// One layer.
struct Single {
    kind: &'static Kind,
    /// What it was made with.
    settings: Vec<(&'static str, Value)>,
    /// Its parameters and buffers.
    held: RefCell<IndexMap<&'static str, Value>>,
    training: Cell<bool>,
}

impl Single {
    fn make(machine: &mut dyn Machine, kind: &'static Kind, args: CallArgs) -> Outcome {
        let settings = kind.bind(args)?;
        let held = match kind.make {
            "" => vec![],
            make => machine.eval_code(make, &settings)?.items().unwrap_or_default(),
        };
        let held = RefCell::new(kind.holds.iter().copied().zip(held).collect());
        Ok(Value::object(Single { kind, settings, held, training: Cell::new(true) }))
    }

    fn forward(&self, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        let (wanted, given) = (self.kind.inputs(), args.positional.len() + args.keyword.len());
        let name = self.kind.name;
        if given < wanted.len() {
            let missing: Vec<String> = wanted.iter().skip(given).map(|input| format!("'{input}'")).collect();
            let count = missing.len();
            fault!(
                TypeError,
                "{name}.forward() missing {count} required positional argument{}: {}",
                plural(count),
                missing.join(" and ")
            );
        }
        if given > wanted.len() {
            let most = wanted.len() + 1;
            fault!(TypeError, "{name}.forward() takes {most} positional arguments but {} were given", given + 1);
        }
        let inputs = args.positional.into_iter().chain(args.keyword.into_iter().map(|(_, value)| value));
        let mut names: Vec<(&'static str, Value)> = wanted.iter().copied().zip(inputs).collect();
        let held = self.held.borrow().clone();
        let settings = self.settings.iter().filter(|(name, _)| !held.contains_key(name)).cloned();
        names.extend(held.clone());
        names.extend(settings);
        names.push(("training", Value::Bool(self.training.get())));
        machine.eval_code(self.kind.run, &names)
    }
}

impl Layer for Single {
    fn parameters(&self) -> Vec<(String, Value)> {
        let held = self.held.borrow();
        let is_parameter = |value: &Value| matches!(value, Value::Tensor(t) if t.grad().parameter);
        held.iter().filter(|(_, value)| is_parameter(value)).map(|(name, value)| (name.to_string(), value.clone())).collect()
    }

    fn set_training(&self, training: bool) {
        self.training.set(training);
    }

    fn shown(&self) -> String {
        format!("{}({})", self.kind.name, (self.kind.shows)(&self.settings))
    }
}

/// The methods of layers.
static METHODS: Table = Table {
    owner: "Module",
    rows: &[
        row("eval", def(&[], 0, 0), |c| train(c, false)),
        row("named_parameters", def(&[], 0, 0), |c| {
            let pairs = own_parameters(c).into_iter().map(|(name, value)| Value::tuple(vec![Value::from(name), value])).collect();
            Ok(iter::from_vec("generator", pairs))
        }),
        row("parameters", def(&["recurse"], 0, 1), |c| {
            Ok(iter::from_vec("generator", own_parameters(c).into_iter().map(|(_, value)| value).collect()))
        }),
        row("requires_grad_", def(&["requires_grad"], 0, 1), |c| {
            let wanted = c.get(0).cloned().unwrap_or(Value::Bool(true));
            for (_, parameter) in own_parameters(c) {
                c.machine.set_attr(&parameter, "requires_grad", wanted.clone())?;
            }
            Ok(c.this.clone())
        }),
        row("to", Takes::Any, to),
        row("train", def(&["mode"], 0, 1), |c| {
            let mode = c.get(0).map_or(Ok(true), operators::truth)?;
            train(c, mode)
        }),
    ],
};

fn own_parameters(c: &Call<'_>) -> Vec<(String, Value)> {
    layer(c.this).map(Layer::parameters).unwrap_or_default()
}

/// `layer.to(…)`: there is one device, so that a layer stays as it is. Fails as a tensor does on what it cannot be moved to, and with a
/// `NotImplementedError` on another dtype.
fn to(c: &mut Call<'_>) -> Outcome {
    let (positional, dtype) = (c.args(), c.take_keyword("dtype"));
    for (_, parameter) in own_parameters(c) {
        let args = std::iter::once(parameter.clone()).chain(positional.iter().cloned()).chain(dtype.clone()).collect();
        let moved = ops::call_method(c.machine, "to", args)?;
        if matches!((&parameter, &moved), (Value::Tensor(old), Value::Tensor(new)) if old.dtype() != new.dtype()) {
            fault!(NotImplementedError, "layers stay in the dtype that they were made in; convert what goes in and comes out");
        }
    }
    Ok(c.this.clone())
}

fn train(c: &Call<'_>, training: bool) -> Outcome {
    if let Some(layer) = layer(c.this) {
        layer.set_training(training);
    }
    Ok(c.this.clone())
}

/// A method of a layer, bound to it.
fn method(this: Value, name: &str) -> Option<Value> {
    match name {
        "forward" => Some(this),
        _ => Some(Builtin::method(&METHODS, METHODS.find(name)?, this)),
    }
}

impl Object for Single {
    fn type_name(&self) -> String {
        self.kind.name.into()
    }
    fn class_object(&self) -> Option<Value> {
        Some(construct::class(self.kind))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        self.shown()
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        if let Some(value) = self.held.borrow().get(name) {
            return Ok(Some(value.clone()));
        }
        if name == "training" {
            return Ok(Some(Value::Bool(self.training.get())));
        }
        let setting = self.settings.iter().find(|(own, _)| *own == name).map(|(_, value)| value.clone());
        Ok(setting.or_else(|| method(Value::Object(crate::value::ObjectRef::new(self)), name)))
    }
    fn set_attr(&self, name: &str, value: Value) -> Outcome<bool> {
        let mut held = self.held.borrow_mut();
        let Some(slot) = held.get_mut(name) else { return Ok(false) };
        if !matches!(&value, Value::None) && !matches!(&value, Value::Tensor(t) if t.grad().parameter) {
            let class = match &value {
                Value::Tensor(t) => format!("torch.{}", t.dtype().info().tensor),
                other => class_text(other),
            };
            fault!(TypeError, "cannot assign '{class}' as parameter '{name}' (torch.nn.Parameter or None expected)");
        }
        *slot = value;
        Ok(true)
    }
    fn attributes(&self) -> Vec<String> {
        let own = self.settings.iter().map(|(name, _)| name.to_string());
        METHODS.names().into_iter().chain(own).chain(self.kind.holds.iter().map(|name| name.to_string())).collect()
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some(self.forward(machine, args))
    }
    fn is_callable(&self) -> bool {
        true
    }
}

impl Kind {
    /// The settings by the arguments of a call.
    fn bind(&self, args: CallArgs) -> Outcome<Vec<(&'static str, Value)>> {
        let names: Vec<&'static str> = self.settings.iter().map(|(name, _)| *name).collect();
        let required = self.settings.iter().take_while(|(_, default)| default.value().is_none()).count();
        let values = construct::bind(self.name, &names, required, args)?;
        let settled = self
            .settings
            .iter()
            .zip(values)
            .filter_map(|((name, default), value)| Some((*name, value.or_else(|| default.value())?)));
        Ok(settled.collect())
    }
}
