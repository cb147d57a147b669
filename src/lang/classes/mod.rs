//! Classes that the program defines.
//!
//! A class is a name, a dict of members and a line of classes that it inherits from, ordered as Python orders it. What its objects are depends on the first
//! class of tsr's own in that line: a layer's are layers, an exception's are exceptions, and all
//! others are an [`Instance`], a class and a dict, and besides a value of the built-in class that theirs builds on, if it does (`besides`).
//! A class that builds on `type` is a class of classes (`meta`): its objects are classes, which ask it as objects ask theirs.

mod besides;
mod construct;
pub mod dataclass;
mod habits;
mod instance;
mod keys;
mod member;
mod meta;
mod order;
mod parent;
pub mod promised;
mod protocol;
mod site;
mod special;
mod text;

pub use besides::plain;
pub use construct::{begin, make};
pub use instance::{Instance, end_dropped};
pub use keys::{hash_of, settle_key};
pub use member::{Bound, FUNCTIONS, bind, computed, delete_attr, is_computed, set_attr};
pub use meta::{call, metaclass, of_parts};
pub use parent::{of_built_in, parent};
pub use protocol::{CHECKABLE, is_instance, is_subclass};
pub use site::MemberSite;
pub use special::{Asked, ask, asked, converted, index, indices, length, operate, operate_in_place, special, truth};
pub use text::{formatted, settle};

use crate::diag::ErrorClass;
use crate::lang::frame;
use crate::lang::library::rule;
use crate::lang::types::class::is_subclass_of;
use crate::lang::types::hint;
use crate::value::{CallArgs, Class, Dict, Key, Machine, Object, Outcome, Value};
use habits::Habits;
use indexmap::IndexMap;
use member::Descriptor;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

/// Members by name, in the order of their definition.
type Members = IndexMap<Rc<str>, Value>;

/// Names that are written with a type, and the types.
type Annotated = Vec<(Rc<str>, Value)>;

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
    /// The names in its body that are written with a type, and the types.
    pub annotated: Annotated,
    /// The module that it is defined in.
    pub module: Rc<str>,
    /// Where its functions look for the class itself.
    pub cell: Option<frame::Cell>,
}

/// A class that the program defined.
pub struct UserClass {
    me: Weak<UserClass>,
    name: Rc<str>,
    qualname: Rc<str>,
    module: Rc<str>,
    /// What it is written to inherit from.
    bases: Vec<Value>,
    /// All classes that it inherits from, nearest first.
    line: Vec<Value>,
    /// Those of them that the program defined.
    parents: Vec<Rc<UserClass>>,
    members: RefCell<Members>,
    annotated: Annotated,
    /// The exception class that it is.
    error: Option<ErrorClass>,
    /// The class that it is an object of; none: `type`.
    meta: Option<Rc<UserClass>>,
    marks: Marks,
    /// Its objects have a `__del__`.
    ends: bool,
    /// What its objects are.
    kind: Kind,
    /// The classes that are written to inherit from it.
    children: RefCell<Vec<Weak<UserClass>>>,
    /// What was found out of it, and at which version of all classes.
    habits: Cell<Option<(u64, Habits)>>,
    /// Its texts, `repr` and `str`, where functions of its own class gave them last.
    shown: RefCell<[Option<String>; 2]>,
}

/// What the objects of a class are.
enum Kind {
    /// Objects and nothing else.
    Plain,
    /// Values of a built-in class, too.
    Besides(Value),
    /// Classes.
    Classes,
    /// What the nearest class of tsr's own makes: layers, exceptions.
    Native,
}

/// What the bases of a class say of it that are no classes, or only say something.
#[derive(Clone, Copy, Default)]
struct Marks {
    /// It takes types in brackets.
    generic: bool,
    /// It says what others must have to be of it.
    protocol: bool,
    /// It may promise methods.
    promises: bool,
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
    pub fn doc(&self) -> Option<String> {
        match self.members.borrow().get("__doc__") {
            Some(Value::Str(text)) => Some(text.to_string()),
            _ => None,
        }
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
        construct::native(&self.line)
    }

    /// The class that objects of its own class are made by: where it is a class of classes, those are classes.
    fn makes_classes(&self) -> bool {
        matches!(self.kind, Kind::Classes)
    }

    /// True for the class itself and for what it inherits from.
    pub fn is_a(&self, class: &Value) -> bool {
        match as_class(class) {
            Some(class) => self.is_below(&class),
            None => self.line.iter().any(|own| own.is(class) || is_subclass_of(own, class).unwrap_or(false)),
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

    /// True for a member that the class itself gives as it is.
    fn reads_plainly(&self, name: &str, found: &Value) -> bool {
        let is_asked = self.meta.as_ref().and_then(|meta| meta.find(name));
        let is_asked = is_asked.is_some_and(|found| member::descriptor(&found) == Descriptor::Data);
        name != "__doc__" && !is_asked && member::is_plain_in_class(found)
    }

    /// `class.name`, of the class itself; none when there is no such attribute.
    pub fn attribute(self: &Rc<Self>, machine: &mut dyn Machine, name: &str) -> Outcome<Option<Value>> {
        if let Some(meta) = &self.meta
            && let Some(found) = meta::asked(machine, meta, self, name)
        {
            return found.map(Some);
        }
        if let Some(found) = self.find(name).filter(|_| name != "__doc__") {
            return member::of_class(machine, &found, &self.value()).map(Some);
        }
        let all = |names: &Members| Value::dict(names.iter().map(|(name, value)| (Key::from(&**name), value.clone())).collect());
        Ok(Some(match name {
            "__name__" => Value::from(&*self.name),
            "__qualname__" => Value::from(&*self.qualname),
            "__module__" => Value::from(&*self.module),
            "__doc__" => self.members.borrow().get("__doc__").cloned().unwrap_or(Value::None),
            "__dict__" => all(&self.members.borrow()),
            "__bases__" => Value::tuple(self.bases.clone()),
            "__mro__" => Value::tuple(self.whole_line()),
            "mro" => {
                let line = self.whole_line();
                Value::method(move |_| Ok(Value::list(line.clone())))
            }
            "__annotations__" => {
                Value::dict(self.annotated.iter().map(|(name, kind)| (Key::from(&**name), kind.clone())).collect::<Dict>())
            }
            "__class__" => self.meta.as_ref().map_or(Value::Class(Class::Type), |meta| meta.value()),
            "__abstractmethods__" if self.marks.promises => {
                let names = construct::promised(self).into_iter().map(|name| Key::from(&*name)).collect();
                crate::lang::types::set::frozen(names)
            }
            "__base__" => self.bases.first().cloned().unwrap_or(Value::None),
            "__subclasses__" => {
                let children = meta::children(self);
                Value::method(move |_| Ok(Value::list(children.clone())))
            }
            "__hash__" if class_of(&self.value()).is_none() => Value::Class(Class::Object),
            "apply" if let Some(apply) = rule::apply_of(self) => apply,
            _ => {
                if let Some(native) = self.native()
                    && let Ok(found) = machine.attr(native, name)
                {
                    return Ok(Some(parent::of_class(self, name, found)));
                }
                return match of_built_in(Class::Object, name) {
                    Some(found) => Ok(Some(found)),
                    None if name.starts_with("__") => Ok(machine.attr(&Value::Class(Class::Object), name).ok()),
                    None => Ok(None),
                };
            }
        }))
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
    fn own_class(&self) -> Option<Rc<dyn Any>> {
        self.meta.clone().map(|meta| meta as Rc<dyn Any>)
    }
    fn class_object(&self) -> Option<Value> {
        Some(self.meta.as_ref()?.value())
    }
    fn repr(&self) -> String {
        match &self.shown.borrow()[0] {
            Some(text) => text.clone(),
            None if matches!(&*self.module, "builtins" | "types") => format!("<class '{}'>", self.qualname),
            None => format!("<class '{}.{}'>", self.module, self.qualname),
        }
    }
    fn str(&self) -> String {
        self.shown.borrow()[1].clone().unwrap_or_else(|| self.repr())
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
        Some(meta::call(machine, &self, args))
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn index(self: Rc<Self>, machine: &mut dyn Machine, key: &Value) -> Option<Outcome> {
        meta::item(machine, &self, key)
    }
    fn set_index(&self, machine: &mut dyn Machine, key: &Value, value: Option<Value>) -> Option<Outcome<()>> {
        let this = meta::this(self)?;
        let name = if value.is_some() { "__setitem__" } else { "__delitem__" };
        ask(machine, &this, name, std::iter::once(key.clone()).chain(value).collect()).map(|done| done.map(|_| ()))
    }
    fn iter(self: Rc<Self>, machine: &mut dyn Machine) -> Option<Outcome> {
        let found = ask(machine, &self.value(), "__iter__", vec![])?;
        Some(found.and_then(|iterator| special::iterator(machine, &iterator)))
    }
    fn contains(&self, machine: &mut dyn Machine, item: &Value) -> Option<Outcome<bool>> {
        let found = ask(machine, &meta::this(self)?, "__contains__", vec![item.clone()])?;
        Some(found.and_then(|answer| truth(machine, &answer)))
    }
    fn operate(self: Rc<Self>, machine: &mut dyn Machine, op: &'static str, other: &Value, reflected: bool) -> Option<Outcome> {
        let this = self.value();
        match operate(machine, &this, op, other, reflected) {
            None => hint::either(op, this, other, reflected),
            found => found,
        }
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
