//! Members of classes as their objects see them: functions become methods, properties are computed.

use super::{Instance, UserClass, ask, class_of};
use crate::diag::ErrorClass;
use crate::lang::function::Function;
use crate::lang::types::call::{Builtin, Call, Table, Takes, row};
use crate::lang::types::repr;
use crate::value::{CallArgs, Machine, Object, Outcome, Raise, Value};
use std::any::Any;
use std::rc::Rc;

/// The functions that make members: `property` and its kin.
pub static FUNCTIONS: Table = Table {
    owner: "",
    rows: Table::sorted(&[
        row("classmethod", Takes::One, |c| Ok(Value::object(Wrapped { kind: Kind::OfClass, function: c.arg(0).clone() }))),
        row("property", Takes::Any, property),
        row("staticmethod", Takes::One, |c| Ok(Value::object(Wrapped { kind: Kind::Static, function: c.arg(0).clone() }))),
    ]),
};

/// A function with the object, or the class, that it is called on.
pub struct Bound {
    /// The function.
    pub function: Value,
    /// Its first argument.
    pub this: Value,
}

/// What a function in a class is, if it is no method.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Static,
    OfClass,
}

/// `@staticmethod`, `@classmethod`.
struct Wrapped {
    kind: Kind,
    function: Value,
}

/// `@property`: what reads, writes and deletes.
struct Property {
    steps: [Option<Value>; 3],
    /// What it says of itself; none: what its first function says.
    doc: Option<Value>,
}

/// A member as an object of the class has it.
pub fn bind(member: &Value, this: &Value, class: &Rc<UserClass>) -> Value {
    let Value::Object(object) = member else { return member.clone() };
    if let Some(wrapped) = member.downcast::<Wrapped>() {
        return match wrapped.kind {
            Kind::Static => wrapped.function.clone(),
            Kind::OfClass => Value::object(Bound { function: wrapped.function.clone(), this: class.value() }),
        };
    }
    match object.is_function() {
        true => Value::object(Bound { function: member.clone(), this: this.clone() }),
        false => member.clone(),
    }
}

/// A member as the class itself has it.
pub(super) fn of_class(machine: &mut dyn Machine, member: &Value, class: &Value) -> Outcome {
    match member.downcast::<Wrapped>() {
        Some(Wrapped { kind: Kind::Static, function }) => return Ok(function.clone()),
        Some(Wrapped { kind: Kind::OfClass, function }) => {
            return Ok(Value::object(Bound { function: function.clone(), this: class.clone() }));
        }
        None => {}
    }
    match member.downcast::<Instance>() {
        Some(_) => ask(machine, member, "__get__", vec![Value::None, class.clone()]).unwrap_or_else(|| Ok(member.clone())),
        None => Ok(member.clone()),
    }
}

/// True for a member that the class itself has as it is.
pub(super) fn is_plain_in_class(member: &Value) -> bool {
    match member.downcast::<Instance>() {
        Some(instance) => instance.of().find("__get__").is_none(),
        None => member.downcast::<Wrapped>().is_none(),
    }
}

/// How a member takes part when its name is read, written or deleted on an object.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Descriptor {
    /// Not at all: it is a value, or a function that becomes a method.
    None,
    /// It is asked when the object itself has nothing of the name.
    Read,
    /// It is always asked, when the name is written too.
    Data,
}

/// How a member takes part.
pub(super) fn descriptor(member: &Value) -> Descriptor {
    if let Some(instance) = member.downcast::<Instance>() {
        let class = instance.of();
        let has = |name| class.find(name).is_some();
        return match (has("__get__"), has("__set__") || has("__delete__")) {
            (_, true) => Descriptor::Data,
            (true, false) => Descriptor::Read,
            (false, false) => Descriptor::None,
        };
    }
    if member.downcast::<Property>().is_some() { Descriptor::Data } else { Descriptor::None }
}

/// The function that a member wraps, or the member itself.
pub(super) fn function_of(member: &Value) -> Value {
    member.downcast::<Wrapped>().map_or_else(|| member.clone(), |wrapped| wrapped.function.clone())
}

/// The name under which a function says that it is only promised: `@abstractmethod`.
pub(super) const PROMISED: &str = "__isabstractmethod__";

/// True for what a class only promises that others will have.
pub(super) fn is_promised(member: &Value) -> bool {
    if let Some(property) = member.downcast::<Property>() {
        return property.steps[0].as_ref().is_some_and(is_promised);
    }
    match function_of(member) {
        Value::Object(function) => matches!(Rc::clone(&function).attr(PROMISED), Ok(Some(Value::Bool(true)))),
        _ => false,
    }
}

/// True for what is computed each time it is read.
pub fn is_computed(member: &Value) -> bool {
    descriptor(member) != Descriptor::None
}

/// An attribute that the class has to say: by a descriptor, by the value that its objects are besides, by `__getattr__` or
/// `__getattribute__`; none when there is none of the name.
pub fn computed(machine: &mut dyn Machine, class: &Rc<UserClass>, this: &Value, name: &str) -> Option<Outcome> {
    let found = match class.habits().reads {
        true => ask(machine, this, "__getattribute__", vec![Value::from(name)]),
        false => by_itself(machine, class, this, name),
    };
    let is_missing = |found: &Outcome| matches!(found, Err(raise) if raise.0.diagnostic.class.is_a(ErrorClass::AttributeError));
    match found {
        Some(found) if !is_missing(&found) => Some(found),
        found => ask(machine, this, "__getattr__", vec![Value::from(name)]).or(found),
    }
}

/// The same without `__getattr__` and `__getattribute__`.
pub(super) fn by_itself(machine: &mut dyn Machine, class: &Rc<UserClass>, this: &Value, name: &str) -> Option<Outcome> {
    let Some(member) = class.find(name) else { return of_base(machine, this, name) };
    let held = |this: &Value| match this {
        Value::Object(object) => Rc::clone(object).native_attr(name).transpose(),
        _ => None,
    };
    match descriptor(&member) {
        Descriptor::Data => read(machine, &member, this, class, name).or_else(|| held(this)),
        Descriptor::Read => held(this).or_else(|| read(machine, &member, this, class, name)),
        Descriptor::None => held(this).or_else(|| Some(Ok(bind(&member, this, class)))),
    }
}

/// An attribute of the value of a built-in class that an object is, too.
fn of_base(machine: &mut dyn Machine, this: &Value, name: &str) -> Option<Outcome> {
    let instance = this.downcast::<Instance>()?;
    if let Some(held) = Rc::clone(&instance.me().upgrade()?).native_attr(name).transpose() {
        return Some(held);
    }
    let base = instance.base().filter(|_| !OF_OBJECTS.contains(&name))?;
    match machine.attr(&base, name) {
        Err(raise) if raise.0.diagnostic.class == ErrorClass::AttributeError => None,
        found => Some(found.map(|found| super::parent::of_same_class(instance, name, found))),
    }
}

/// What every object has of its own class, whatever it is besides.
const OF_OBJECTS: [&str; 5] = ["__class__", "__dict__", "__doc__", "__hash__", "__module__"];

/// What a descriptor gives for an object; none when the member is none that is read.
pub(super) fn read(
    machine: &mut dyn Machine,
    member: &Value,
    this: &Value,
    class: &Rc<UserClass>,
    name: &str,
) -> Option<Outcome> {
    if let Some(property) = member.downcast::<Property>() {
        return Some(match &property.steps[0] {
            Some(read) => machine.call(read, CallArgs::positional(vec![this.clone()])),
            None => unwritable(class, name, "getter"),
        });
    }
    member.downcast::<Instance>()?;
    ask(machine, member, "__get__", vec![this.clone(), class.value()])
}

fn unwritable<T>(class: &UserClass, name: &str, lacks: &str) -> Outcome<T> {
    Err(Raise::new(ErrorClass::AttributeError, format!("property '{name}' of '{}' object has no {lacks}", class.name())))
}

/// `object.name = value` where the class says what that does; false where it does not.
pub fn set_attr(machine: &mut dyn Machine, object: &Value, name: &str, value: &Value) -> Outcome<bool> {
    let Some(class) = class_of(object).filter(|class| !class.sets_plainly()) else { return Ok(false) };
    if let Some(set) = class.find("__setattr__") {
        let args = vec![Value::from(name), value.clone()];
        machine.call(&bind(&set, object, &class), CallArgs::positional(args))?;
        return Ok(true);
    }
    set_plainly(machine, &class, object, name, value)
}

/// The same where `__setattr__` is passed over.
fn set_plainly(machine: &mut dyn Machine, class: &Rc<UserClass>, object: &Value, name: &str, value: &Value) -> Outcome<bool> {
    let done = step(machine, class, object, name, 1, "setter", Some(value.clone()))?;
    if let Some(Value::Named(named)) = object.downcast::<Instance>().and_then(Instance::base)
        && named.fields.contains(&name)
    {
        fault!(AttributeError, "can't set attribute");
    }
    if !done && class.habits().slotted && !class.has_slot(name) && object.downcast::<Instance>().is_some() {
        if class.find(name).is_some() {
            fault!(AttributeError, "'{}' object attribute '{name}' is read-only", class.name());
        }
        fault!(AttributeError, "'{}' object has no attribute '{name}'", class.name());
    }
    Ok(done)
}

/// `object.__setattr__(this, name, value)`.
pub(super) fn set_own(machine: &mut dyn Machine, this: &Value, name: &str, value: Value) -> Outcome<()> {
    if let Some(class) = class_of(this)
        && set_plainly(machine, &class, this, name, &value)?
    {
        return Ok(());
    }
    if let Value::Object(object) = this
        && object.set_attr(name, value)?
    {
        return Ok(());
    }
    fault!(AttributeError, "'{}' object has no attribute '{name}'", this.type_name())
}

/// `del object.name` where the class says what that does; false where it does not.
pub fn delete_attr(machine: &mut dyn Machine, object: &Value, name: &str) -> Outcome<bool> {
    let Some(class) = class_of(object) else { return Ok(false) };
    match ask(machine, object, "__delattr__", vec![Value::from(name)]) {
        Some(done) => done.map(|_| true),
        None => step(machine, &class, object, name, 2, "deleter", None),
    }
}

/// `object.__delattr__(this, name)`.
pub(super) fn delete_own(machine: &mut dyn Machine, this: &Value, name: &str) -> Outcome<()> {
    if let Some(class) = class_of(this)
        && step(machine, &class, this, name, 2, "deleter", None)?
    {
        return Ok(());
    }
    match this {
        Value::Object(object) if object.del_attr(name) => Ok(()),
        _ => fault!(AttributeError, "'{}' object has no attribute '{name}'", this.type_name()),
    }
}

fn step(
    machine: &mut dyn Machine,
    class: &Rc<UserClass>,
    object: &Value,
    name: &str,
    which: usize,
    title: &str,
    value: Option<Value>,
) -> Outcome<bool> {
    let found = class.find(name);
    let Some(property) = found.as_ref().and_then(Value::downcast::<Property>) else {
        let Some(member) = found.filter(|found| found.downcast::<Instance>().is_some()) else { return Ok(false) };
        let asked = if which == 1 { "__set__" } else { "__delete__" };
        let args = std::iter::once(object.clone()).chain(value).collect();
        return ask(machine, &member, asked, args).map_or(Ok(false), |done| done.map(|_| true));
    };
    match &property.steps[which] {
        Some(run) => {
            machine.call(run, CallArgs::positional(std::iter::once(object.clone()).chain(value).collect())).map(|_| true)
        }
        None => unwritable(class, name, title),
    }
}

/// `property(fget, fset, fdel)`.
fn property(c: &mut Call<'_>) -> Outcome {
    let mut steps = [None, None, None];
    for (place, (step, name)) in steps.iter_mut().zip(["fget", "fset", "fdel"]).enumerate() {
        let named = c.take_keyword(name);
        *step = c.some(place).cloned().or(named).filter(|value| !matches!(value, Value::None));
    }
    let named = c.take_keyword("doc");
    let doc = c.some(3).cloned().or(named);
    Ok(Value::object(Property { steps, doc }))
}

/// `isinstance(value, property)` and the like; none where the class is none of these.
pub(super) fn is_made_by(value: &Value, class: &Value) -> Option<bool> {
    let name = class.downcast::<Builtin>()?.name();
    FUNCTIONS.find(name)?;
    Some(matches!(value, Value::Object(object) if object.type_name() == name))
}

impl Object for Property {
    fn type_name(&self) -> String {
        "property".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("<property object at {:#x}>", std::ptr::from_ref(self).addr())
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        let place = match name {
            "getter" | "fget" => 0,
            "setter" | "fset" => 1,
            "deleter" | "fdel" => 2,
            "__doc__" => {
                if let Some(doc) = &self.doc {
                    return Ok(Some(doc.clone()));
                }
                let Some(Value::Object(read)) = &self.steps[0] else { return Ok(None) };
                return Rc::clone(read).attr(name);
            }
            _ => return Ok(None),
        };
        if name.starts_with('f') {
            return Ok(Some(self.steps[place].clone().unwrap_or(Value::None)));
        }
        Ok(Some(Value::method_of(move |_, args| {
            let mut steps = self.steps.clone();
            steps[place] = args.positional.into_iter().next();
            Ok(Value::object(Property { steps, doc: self.doc.clone() }))
        })))
    }
}

impl Object for Wrapped {
    fn type_name(&self) -> String {
        match self.kind {
            Kind::Static => "staticmethod",
            Kind::OfClass => "classmethod",
        }
        .into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("<{}({})>", self.type_name(), repr::repr(&self.function).unwrap_or_default())
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        match (&self.function, name) {
            (function, "__func__") => Ok(Some(function.clone())),
            (Value::Object(function), _) => Rc::clone(function).attr(name),
            _ => Ok(None),
        }
    }
    fn is_callable(&self) -> bool {
        self.kind == Kind::Static
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        self.is_callable().then(|| machine.call(&self.function, args))
    }
}

impl Bound {
    /// The arguments of the function.
    pub fn args(&self, mut args: CallArgs) -> CallArgs {
        args.positional.insert(0, self.this.clone());
        args
    }
}

impl Object for Bound {
    fn type_name(&self) -> String {
        "method".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let name = match self.function.downcast::<Function>() {
            Some(function) => function.code.qualname.to_string(),
            None => self.function.type_name(),
        };
        format!("<bound method {name} of {}>", repr::repr(&self.this).unwrap_or_default())
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        match (&self.function, name) {
            (function, "__func__") => Ok(Some(function.clone())),
            (_, "__self__") => Ok(Some(self.this.clone())),
            (Value::Object(function), _) => Rc::clone(function).attr(name),
            _ => Ok(None),
        }
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        let args = self.args(args);
        Some(machine.call(&self.function, args))
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        let other = other.downcast::<Bound>()?;
        Some(self.function.is(&other.function) && self.this.is(&other.this))
    }
    fn hash(&self) -> Option<u64> {
        Some(self.function.identity() ^ self.this.identity().rotate_left(1))
    }
}
