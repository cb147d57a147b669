//! Classes that the program defines.
//!
//! A class is a name, a dict of members and a line of classes that it inherits from, ordered as Python orders it. What its objects are depends on the first
//! class of tsr's own in that line: a layer's are layers, an exception's are exceptions, and all
//! others are an [`Instance`], a class and a dict.

mod construct;
pub mod dataclass;
mod instance;
mod member;
mod order;
mod parent;
pub mod promised;
mod site;
mod special;
mod text;

pub use construct::{begin, call, make};
pub use instance::Instance;
pub use member::{Bound, FUNCTIONS, bind, computed, delete_attr, is_computed, set_attr};
pub use parent::parent;
pub use site::MemberSite;
pub use special::{ask, converted, length, operate, operate_in_place, special, truth};
pub use text::{formatted, settle};

use crate::diag::ErrorClass;
use crate::lang::library::rule;
use crate::value::{CallArgs, Class, Dict, Key, Machine, Object, Outcome, Value};
use indexmap::IndexMap;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Members by name, in the order of their definition.
type Members = IndexMap<Rc<str>, Value>;

/// What a `class` statement gives.
pub struct Draft {
    /// Its name.
    pub name: Rc<str>,
    /// The name with those of the functions and classes around it.
    pub qualname: Rc<str>,
    /// The string that opens its body.
    pub doc: Option<Rc<str>>,
    /// What its body defined.
    pub names: Members,
    /// The names in its body that are written with a type.
    pub annotated: Box<[Rc<str>]>,
}

/// A class that the program defined.
pub struct UserClass {
    name: Rc<str>,
    qualname: Rc<str>,
    doc: Option<Rc<str>>,
    /// What it is written to inherit from.
    bases: Vec<Value>,
    /// All classes that it inherits from, nearest first.
    line: Vec<Value>,
    /// Those of them that the program defined.
    parents: Vec<Rc<UserClass>>,
    members: RefCell<Members>,
    annotated: Box<[Rc<str>]>,
    /// The exception class that it is.
    error: Option<ErrorClass>,
    /// Whether attributes are just put into its objects, and at which version of all classes that was found.
    sets_plainly: Cell<Option<(u64, bool)>>,
}

thread_local! {
    /// The classes of exceptions, by their numbers; none for those of another thread.
    static ERRORS: RefCell<IndexMap<usize, Rc<UserClass>>> = RefCell::default();
}

impl UserClass {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The string that opens its body.
    pub fn doc(&self) -> Option<&str> {
        self.doc.as_deref()
    }

    /// What it is written to inherit from.
    pub fn bases(&self) -> &[Value] {
        &self.bases
    }

    /// Its own members, in the order of their definition.
    pub fn members(&self) -> Vec<(Rc<str>, Value)> {
        self.members.borrow().iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// As a value.
    pub fn value(self: &Rc<Self>) -> Value {
        match self.error {
            Some(class) => Value::Class(Class::Exception(class)),
            None => Value::shared(self.clone()),
        }
    }

    /// A member of the class, or of the nearest one that it inherits from which has it.
    pub fn find(&self, name: &str) -> Option<Value> {
        if let Some(found) = self.members.borrow().get(name) {
            return Some(found.clone());
        }
        self.parents.iter().find_map(|class| class.members.borrow().get(name).cloned())
    }

    /// The nearest class of tsr's own that it inherits from; none when that is `object`.
    pub fn native(&self) -> Option<&Value> {
        self.line.iter().find(|class| as_class(class).is_none() && !matches!(class, Value::Class(Class::Object)))
    }

    /// True for the class itself and for what it inherits from.
    pub fn is_a(&self, class: &Value) -> bool {
        match as_class(class) {
            Some(class) => self.is_below(&class),
            None => self.line.iter().any(|own| own.is(class)),
        }
    }

    /// True for the class itself and for one that the program defined and that it inherits from.
    fn is_below(&self, class: &UserClass) -> bool {
        std::ptr::eq(self, class) || self.parents.iter().any(|own| std::ptr::eq(&**own, class))
    }

    /// The class and all that it inherits from.
    fn whole_line(self: &Rc<Self>) -> Vec<Value> {
        std::iter::once(self.value()).chain(self.line.iter().cloned()).collect()
    }

    /// The names of all members.
    pub fn names(&self) -> Vec<String> {
        let every = std::iter::once(self).chain(self.parents.iter().map(|class| &**class));
        every.flat_map(|class| class.members.borrow().keys().map(|name| name.to_string()).collect::<Vec<_>>()).collect()
    }

    /// `class.name`, of the class itself; none when there is no such attribute.
    pub fn attribute(self: &Rc<Self>, machine: &mut dyn Machine, name: &str) -> Outcome<Option<Value>> {
        if let Some(found) = self.find(name) {
            return Ok(Some(member::of_class(&found, &self.value())));
        }
        let all = |names: &Members| Value::dict(names.iter().map(|(name, value)| (Key::from(&**name), value.clone())).collect());
        Ok(Some(match name {
            "__name__" => Value::from(&*self.name),
            "__qualname__" => Value::from(&*self.qualname),
            "__module__" => Value::from("__main__"),
            "__doc__" => self.doc.as_deref().map_or(Value::None, Value::from),
            "__dict__" => all(&self.members.borrow()),
            "__bases__" => Value::tuple(self.bases.clone()),
            "__mro__" => Value::tuple(self.whole_line()),
            "mro" => {
                let line = self.whole_line();
                Value::method(move |_| Ok(Value::list(line.clone())))
            }
            "__annotations__" => {
                Value::dict(self.annotated.iter().map(|name| (Key::from(&**name), Value::None)).collect::<Dict>())
            }
            "__class__" => Value::Class(Class::Type),
            "apply" if let Some(apply) = rule::apply_of(self) => apply,
            _ => match self.native() {
                Some(native) => return machine.attr(native, name).map(Some).or(Ok(None)),
                None => return Ok(None),
            },
        }))
    }

    /// True where no function of the class is asked when an attribute is set.
    fn sets_plainly(&self) -> bool {
        let version = site::version();
        if let Some((_, answer)) = self.sets_plainly.get().filter(|(known, _)| *known == version) {
            return answer;
        }
        let computes = |class: &UserClass| class.members.borrow().values().any(is_computed);
        let answer = self.find("__setattr__").is_none() && !computes(self) && !self.parents.iter().any(|class| computes(class));
        self.sets_plainly.set(Some((version, answer)));
        answer
    }

    /// `class.name = value`.
    pub fn set(&self, name: &str, value: Value) {
        site::changed();
        self.members.borrow_mut().insert(name.into(), value);
    }
}

/// A value as a class that the program defined, if it is one.
pub fn as_class(value: &Value) -> Option<Rc<UserClass>> {
    match value {
        Value::Object(object) => {
            let any: Rc<dyn Any> = (**object).clone();
            any.downcast().ok()
        }
        Value::Class(Class::Exception(class)) => of_error(*class),
        _ => None,
    }
}

/// The class of an object, if the program defined it.
pub fn class_of(value: &Value) -> Option<Rc<UserClass>> {
    match value {
        Value::Object(object) => object.own_class()?.downcast().ok(),
        Value::Exception(exception) => of_error(exception.diagnostic.class),
        _ => None,
    }
}

/// What the class of an exception has under a name; none where the program did not define it, or it has nothing.
pub fn of_exception(machine: &mut dyn Machine, exception: &Value, name: &str) -> Outcome<Option<Value>> {
    let Some(class) = class_of(exception) else { return Ok(None) };
    match class.find(name) {
        Some(found) if is_computed(&found) => computed(machine, &class, exception, name).transpose(),
        Some(found) => Ok(Some(bind(&found, exception, &class))),
        None => Ok(None),
    }
}

fn of_error(class: ErrorClass) -> Option<Rc<UserClass>> {
    match class {
        ErrorClass::Own(own) => ERRORS.with_borrow(|known| known.get(&own.number()).cloned()),
        _ => None,
    }
}

impl Object for UserClass {
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
        format!("<class '__main__.{}'>", self.qualname)
    }
    fn computed(self: Rc<Self>, machine: &mut dyn Machine, name: &str) -> Option<Outcome> {
        match self.attribute(machine, name).transpose() {
            None => Some(Err(crate::value::Raise::new(
                ErrorClass::AttributeError,
                format!("type object '{}' has no attribute '{name}'", self.name),
            ))),
            found => found,
        }
    }
    fn set_attr(&self, name: &str, value: Value) -> Outcome<bool> {
        self.set(name, value);
        Ok(true)
    }
    fn del_attr(&self, name: &str) -> bool {
        site::changed();
        self.members.borrow_mut().shift_remove(name).is_some()
    }
    fn attributes(&self) -> Vec<String> {
        self.names()
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some(construct::call(machine, &self, args))
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn is_class_of(&self, value: &Value) -> Option<bool> {
        Some(class_of(value).is_some_and(|class| class.is_below(self)))
    }
    fn is_base_of(&self, class: &Value) -> bool {
        as_class(class).is_some_and(|class| class.is_below(self))
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        Some(std::ptr::eq(other.downcast::<UserClass>()?, self))
    }
    fn hash(&self) -> Option<u64> {
        Some(std::ptr::from_ref(self).addr() as u64)
    }
}
