//! Layers of classes that the program defined on a layer's.

use super::{AnyLayer, Kind, Layer, container, layer};
use crate::lang::classes::{self, UserClass};
use crate::lang::library::construct::{self, RowClass};
use crate::value::{CallArgs, Machine, Outcome, Value};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What a layer has of its class, where the program defined that.
#[derive(Clone, Default)]
pub(super) struct Own {
    pub class: Option<Rc<UserClass>>,
    /// True once `super().__init__()` was called.
    begun: Cell<bool>,
    /// Its text, and what it shows behind its name, where functions of the class gave them last.
    shown: RefCell<[Option<String>; 2]>,
}

impl Own {
    /// What a function of the class said: the whole text.
    pub fn whole(&self) -> Option<String> {
        self.shown.borrow()[0].clone()
    }

    /// What a function of the class said: what stands in the parentheses.
    pub fn extra(&self) -> Option<String> {
        self.shown.borrow()[1].clone()
    }
}

/// True for a class whose objects are layers.
pub fn is_class(class: &Value) -> bool {
    class.downcast::<AnyLayer>().is_some() || class.downcast::<RowClass<Kind>>().is_some()
}

/// True for a layer.
pub fn is_layer(value: &Value) -> bool {
    layer(value).is_some()
}

/// The layers inside a layer.
pub fn parts(value: &Value) -> Vec<Value> {
    layer(value).map(Layer::parts).unwrap_or_default()
}

/// The layer called, whatever its class says of calls: `super().__call__(…)`.
pub fn call(machine: &mut dyn Machine, this: &Value, args: CallArgs) -> Option<Outcome> {
    let Value::Object(object) = this else { return None };
    let any: Rc<dyn std::any::Any> = (**object).clone();
    Some(super::hooks::between(any.downcast::<Layer>().ok()?, machine, args))
}

/// Keeps what functions of its class say of a layer: the whole text, and what stands in the parentheses.
pub fn show_as(value: &Value, whole: Option<String>, extra: Option<String>) {
    if let Some(layer) = layer(value) {
        layer.own.shown.replace([whole, extra]);
    }
}

/// A layer of a class before its `__init__` ran; none where the class's base is no layer's.
pub fn blank(base: &Value, class: Rc<UserClass>) -> Option<Value> {
    let kind = match base.downcast::<RowClass<Kind>>() {
        Some(class) => class.row(),
        None if base.downcast::<AnyLayer>().is_some() => &container::MODULE,
        None => return None,
    };
    let own = Own { class: Some(class), ..Own::default() };
    Some(Layer { own, ..Layer::bare(kind, super::Names::new()) }.value())
}

/// An object of a layer's class that was not made with anything; none of another class.
pub fn bare(class: &Value) -> Option<Value> {
    let kind = match class.downcast::<RowClass<Kind>>() {
        Some(class) => class.row(),
        None if class.downcast::<AnyLayer>().is_some() => &container::MODULE,
        None => return None,
    };
    Some(Layer::bare(kind, super::Names::new()).value())
}

/// `super().__init__(…)`: the layer gets what one of its base's has.
pub fn begin(machine: &mut dyn Machine, this: &Value, args: CallArgs) -> Outcome<()> {
    let Some(own) = layer(this) else { return Ok(()) };
    own.own.begun.set(true);
    if std::ptr::eq(own.kind(), &container::MODULE) {
        return construct::bind("Module.__init__()", &[], args).map(|_| ());
    }
    let made = Layer::make(machine, own.kind(), args)?;
    if let Some(made) = layer(&made) {
        for (own, made) in [
            (&own.parameters, &made.parameters),
            (&own.buffers, &made.buffers),
            (&own.children, &made.children),
            (&own.others, &made.others),
        ] {
            own.borrow_mut().extend(made.take());
        }
        own.settings.replace(made.settings.take());
        own.passing.replace(made.passing.take());
        own.kind.set(made.kind());
    }
    Ok(())
}

impl Layer {
    /// Fails with an `AttributeError` where what is put into the layer needs `super().__init__()` to have been called.
    pub(super) fn must_have_begun(&self, value: &Value) -> Outcome<()> {
        if self.own.class.is_none() || self.own.begun.get() {
            return Ok(());
        }
        let what = match value {
            value if super::is_parameter(value) => "parameters",
            value if is_layer(value) => "module",
            value if super::buffer::is_kept(value).is_some() => "buffer",
            _ => return Ok(()),
        };
        fault!(AttributeError, "cannot assign {what} before Module.__init__() call")
    }

    /// What the class, if the program defined it, has under a name: none where it has nothing, or computes it.
    pub(super) fn own_member(self: &Rc<Self>, name: &str) -> Found {
        let Some(class) = &self.own.class else { return Found::Nothing };
        match class.find(name) {
            Some(found) if classes::is_computed(&found) => Found::Computed,
            Some(found) => Found::Member(classes::bind(&found, &self.this(), class)),
            None => Found::Nothing,
        }
    }

    /// What the class computes under a name.
    pub(super) fn own_computed(self: &Rc<Self>, machine: &mut dyn Machine, name: &str) -> Option<Outcome> {
        classes::computed(machine, self.own.class.as_ref()?, &self.this(), name)
    }

    /// The answer of a special method of the class.
    pub(super) fn ask(self: &Rc<Self>, machine: &mut dyn Machine, name: &str, args: Vec<Value>) -> Option<Outcome> {
        self.own.class.as_ref()?.find(name)?;
        classes::ask(machine, &self.this(), name, args)
    }

    /// `forward` of the class.
    pub(super) fn own_forward(self: &Rc<Self>, machine: &mut dyn Machine, args: &CallArgs) -> Option<Outcome> {
        let class = self.own.class.as_ref()?;
        let forward = self.others.borrow().get("forward").cloned();
        let forward = forward.or_else(|| Some(classes::bind(&class.find("forward")?, &self.this(), class)))?;
        Some(machine.call(&forward, args.clone()))
    }
}

/// What a class has under a name.
pub(super) enum Found {
    Nothing,
    Computed,
    Member(Value),
}
