//! Classes of the library that are written in Python there and are rows of a table here: the class as a value, and how it takes its
//! arguments.

use crate::lang::classes::as_class;
use crate::lang::types::call::{listed, plural};
use crate::lang::types::class_object::ClassObject;
use crate::lang::types::repr;
use crate::value::{CallArgs, Dict, Key, Machine, Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

/// What a setting is unless it is given.
#[derive(Clone, Copy)]
pub enum Unless {
    Required,
    None,
    /// An empty tuple.
    Empty,
    /// All arguments by place from here on.
    Rest,
    /// All arguments by name that no other one takes.
    More,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(&'static str),
}

impl Unless {
    /// As a value; none where it must be given.
    pub fn value(self) -> Option<Value> {
        Some(match self {
            Unless::Required => return None,
            Unless::None => Value::None,
            Unless::Empty | Unless::Rest => Value::tuple(vec![]),
            Unless::More => Value::dict(Dict::default()),
            Unless::Bool(flag) => Value::Bool(flag),
            Unless::Int(number) => Value::Int(number),
            Unless::Float(number) => Value::Float(number),
            Unless::Str(text) => Value::from(text),
        })
    }
}

/// The parameters of a call, in order.
pub type Settings = &'static [(&'static str, Unless)];

/// A row of a table of classes.
pub trait Row: Sized + 'static {
    /// The class's name.
    fn name(&self) -> &'static str;
    /// The module that it is shown in.
    fn module(&self) -> String;
    /// A new object of the class.
    fn make(&'static self, machine: &mut dyn Machine, args: CallArgs) -> Outcome;
    /// The row that a value was made by, if it is an object of one of these classes.
    fn of(value: &Value) -> Option<&'static Self>;
    /// The class that this one builds on.
    fn base(&self) -> Option<&'static Self> {
        None
    }
    /// True for an attribute of the class that a text gives,
    fn computes(&self, _name: &str) -> bool {
        false
    }
    /// and what it is.
    fn computed(&'static self, _machine: &mut dyn Machine, _name: &str) -> Outcome {
        Ok(Value::None)
    }
    /// A function of the class.
    fn function(&'static self, _name: &str) -> Option<Value> {
        None
    }
}

/// The class of a row.
pub struct RowClass<R: Row>(&'static R);

impl<R: Row> RowClass<R> {
    /// Its row.
    pub fn row(&self) -> &'static R {
        self.0
    }
}

/// The class of a row as a value.
pub fn class<R: Row>(row: &'static R) -> Value {
    Value::object(RowClass(row))
}

impl<R: Row> ClassObject for RowClass<R> {
    fn full_name(&self) -> String {
        format!("{}.{}", self.0.module(), self.0.name())
    }
    fn make(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        self.0.make(machine, args)
    }
    fn has(&self, value: &Value) -> bool {
        let bases = std::iter::successors(R::of(value), |row| row.base());
        bases.into_iter().any(|row| std::ptr::eq(row, self.0))
    }
    fn member(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        match self.0.function(name) {
            None if !name.starts_with("__") && !self.0.computes(name) => no_attribute(self.0.name(), name),
            found => Ok(found),
        }
    }
    fn computed_member(&self, machine: &mut dyn Machine, name: &str) -> Option<Outcome> {
        self.0.computes(name).then(|| self.0.computed(machine, name))
    }
    fn has_child(&self, class: &Value) -> bool {
        let native = as_class(class).and_then(|class| class.native().cloned());
        let own = native.as_ref().unwrap_or(class).downcast::<RowClass<R>>().map(|class| class.0);
        std::iter::successors(own, |row| row.base()).any(|row| std::ptr::eq(row, self.0))
    }
    fn is_same(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

/// Fails with the `AttributeError` of a class that has nothing by a name.
pub fn no_attribute(class: &str, name: &str) -> Outcome<Option<Value>> {
    fault!(AttributeError, "type object '{class}' has no attribute '{name}'")
}

/// A method of an object.
struct Bound<F> {
    /// The class that says what it does.
    owner: &'static str,
    name: &'static str,
    this: Value,
    run: F,
}

/// A method of `this` as a value: what it runs, its name, and the class that it is of.
pub fn bound(
    owner: &'static str,
    name: &'static str,
    this: Value,
    run: impl Fn(&mut dyn Machine, CallArgs) -> Outcome + 'static,
) -> Value {
    Value::object(Bound { owner, name, this, run })
}

impl<F: Fn(&mut dyn Machine, CallArgs) -> Outcome + 'static> Object for Bound<F> {
    fn type_name(&self) -> String {
        "method".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let this = repr::repr(&self.this).unwrap_or_default();
        format!("<bound method {}.{} of {this}>", self.owner, self.name)
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "__name__" => Some(Value::from(self.name)),
            "__qualname__" => Some(Value::from(format!("{}.{}", self.owner, self.name))),
            "__self__" => Some(self.this.clone()),
            _ => None,
        })
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some((self.run)(machine, args))
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        let other = other.downcast::<Bound<F>>()?;
        Some(self.name == other.name && self.this.is(&other.this))
    }
    fn hash(&self) -> Option<u64> {
        Some(self.name.as_ptr() as u64 ^ self.this.identity())
    }
}

/// The arguments of a call by the parameters, with what they are unless given.
///
/// Fails with a `TypeError`, as a function of Python's does, on arguments that do not fit; `title` names it there.
pub fn bind(title: &str, settings: Settings, args: CallArgs) -> Outcome<Vec<(&'static str, Value)>> {
    bind_places(title, settings, settings.len(), args)
}

/// As [`bind`], where so many of the parameters may be given by place.
pub fn bind_places(
    title: &str,
    settings: &[(&'static str, Unless)],
    places: usize,
    mut args: CallArgs,
) -> Outcome<Vec<(&'static str, Value)>> {
    if let Some(place) = settings.iter().position(|(_, unless)| matches!(unless, Unless::Rest))
        && args.positional.len() > place
    {
        let rest = args.positional.split_off(place);
        args.positional.push(Value::tuple(rest));
    }
    let takes_more = settings.iter().position(|(_, unless)| matches!(unless, Unless::More));
    let mut more = Dict::default();
    let required = settings.iter().take_while(|(_, unless)| unless.value().is_none()).count();
    let given = args.positional.len() + 1;
    // A name that nothing has is told before the count.
    let is_unknown = |name: &str| takes_more.is_none() && !settings.iter().any(|(own, _)| *own == name);
    if let Some((name, _)) = args.keyword.iter().find(|(name, _)| is_unknown(name)) {
        fault!(TypeError, "{title} got an unexpected keyword argument '{name}'");
    }
    if given > places + 1 {
        let (least, most) = (required + 1, places + 1);
        let range = if least == most { most.to_string() } else { format!("from {least} to {most}") };
        let is_by_name = |name: &str| settings[places..].iter().any(|(own, _)| *own == name);
        let by_name = args.keyword.iter().filter(|(name, _)| is_by_name(name)).count();
        if by_name > 0 {
            fault!(
                TypeError,
                "{title} takes {range} positional argument{} but {given} positional arguments (and {by_name} keyword-only argument{}) were given",
                plural(most),
                plural(by_name)
            );
        }
        fault!(TypeError, "{title} takes {range} positional argument{} but {given} were given", plural(most));
    }
    let mut values: Vec<Option<Value>> = args.positional.into_iter().map(Some).collect();
    values.resize(settings.len(), None);
    for (name, value) in args.keyword {
        match settings.iter().position(|(own, _)| **own == *name) {
            Some(place) if values[place].is_some() => fault!(TypeError, "{title} got multiple values for argument '{name}'"),
            Some(place) => values[place] = Some(value),
            None => {
                more.insert(Key::from(&*name), value);
            }
        }
    }
    let missing: Vec<String> =
        (0..required).filter(|place| values[*place].is_none()).map(|place| format!("'{}'", settings[place].0)).collect();
    if !missing.is_empty() {
        let count = missing.len();
        fault!(TypeError, "{title} missing {count} required positional argument{}: {}", plural(count), listed(&missing));
    }
    if let Some(place) = takes_more {
        values[place] = Some(Value::dict(more));
    }
    let settled =
        settings.iter().zip(values).filter_map(|((name, unless), value)| Some((*name, value.or_else(|| unless.value())?)));
    Ok(settled.collect())
}
