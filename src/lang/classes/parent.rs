//! `super()`: an object as the classes behind one of its own see it.

use super::{Bound, Instance, UserClass, as_class, begin, bind, class_of};
use crate::lang::library::layers;
use crate::lang::types::call::Call;
use crate::lang::types::class::type_of;
use crate::lang::types::repr;
use crate::lang::types::special::not_implemented;
use crate::lang::{exceptions, operators};
use crate::syntax::ast::CompareOp;
use crate::value::{CallArgs, Class, Key, Machine, Object, Outcome, Value, python_hash};
use std::any::Any;
use std::rc::Rc;

/// `super(class, object)`.
struct Parent {
    /// The class whose members are passed over, with all before it.
    after: Rc<UserClass>,
    this: Value,
    /// The class of the object, or the object itself where that is a class.
    class: Rc<UserClass>,
}

/// `super(class, object)`; the compiler hands both over where none is written.
pub fn parent(c: &mut Call<'_>) -> Outcome {
    let args = c.args();
    let Some(after) = args.first() else { fault!(RuntimeError, "super(): no arguments") };
    let Some(after) = as_class(after) else { fault!(TypeError, "super() argument 1 must be a type, not {}", after.type_name()) };
    let Some(this) = args.get(1) else { return Ok(Value::object(OfNone { after })) };
    let found = as_class(this).into_iter().chain(class_of(this)).find(|class| class.is_a(&after.value()));
    match found {
        Some(class) => Ok(Value::object(Parent { after, this: this.clone(), class })),
        None => fault!(TypeError, "super(type, obj): obj must be an instance or subtype of type"),
    }
}

/// `super(class)`: of no object yet, so that it has nothing but what all objects have. To begin it is to do nothing.
struct OfNone {
    after: Rc<UserClass>,
}

impl Object for OfNone {
    fn type_name(&self) -> String {
        "super".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("<super: <class '{}'>, NULL>", self.after.name())
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok((name == "__init__").then(|| Value::method_of(|_, _| Ok(Value::None))))
    }
}

impl Parent {
    /// The member that the classes behind have by a name.
    fn find(&self, name: &str) -> Option<Value> {
        let every = std::iter::once(&self.class).chain(&self.class.parents);
        let behind = every.skip_while(|class| !Rc::ptr_eq(class, &self.after)).skip(1);
        behind.into_iter().find_map(|class| class.members.borrow().get(name).cloned())
    }

    /// What the nearest class of tsr's own has for all its objects.
    fn of_object(&self, name: &str) -> Option<Value> {
        let this = self.this.clone();
        match name {
            "__init_subclass__" => {
                let class = self.class.name().to_string();
                return Some(Value::method_of(move |_, args| match args.keyword.is_empty() {
                    true => Ok(Value::None),
                    false => fault!(TypeError, "{class}.__init_subclass__() takes no keyword arguments"),
                }));
            }
            "__call__" if layers::is_layer(&this) => {
                return Some(Value::method_of(move |machine, args| match layers::call(machine, &this, args) {
                    Some(found) => found,
                    None => fault!(TypeError, "'{}' object is not callable", this.type_name()),
                }));
            }
            "__getattr__" if layers::is_layer(&this) => {
                return Some(Value::method_of(move |_, args| layer_attribute(&this, &args)));
            }
            _ => {}
        }
        let native = match self.class.native() {
            Some(Value::Class(native)) => *native,
            _ => Class::Object,
        };
        let function = of_built_in(native, name).or_else(|| of_built_in(Class::Object, name))?;
        match STATIC.contains(&name) {
            true => Some(function),
            false => Some(Value::object(Bound { function, this: self.this.clone() })),
        }
    }
}

/// What an object has of `object` even where it is a value of another built-in class, too.
const OF_ITS_OWN: [&str; 9] = [
    "__delattr__",
    "__getattribute__",
    "__init__",
    "__init_subclass__",
    "__new__",
    "__repr__",
    "__setattr__",
    "__str__",
    "__eq__",
];

/// `super().__getattr__(name)` of a layer.
fn layer_attribute(this: &Value, args: &CallArgs) -> Outcome {
    let [Value::Str(name)] = &args.positional[..] else { fault!(TypeError, "__getattr__() takes a name") };
    let found = match this {
        Value::Object(object) => Rc::clone(object).native_attr(name)?,
        _ => None,
    };
    match found {
        Some(found) => Ok(found),
        None => fault!(AttributeError, "'{}' object has no attribute '{name}'", this.type_name()),
    }
}

/// Functions of a built-in class that are called without an object.
const STATIC: [&str; 2] = ["__init_subclass__", "__new__"];

/// What `object`, `type` and other built-in classes have for the classes on them: `object.__setattr__`, `int.__new__`. None for names that
/// their values have a method for.
pub fn of_built_in(class: Class, name: &str) -> Option<Value> {
    let function = |run: fn(&mut dyn Machine, &Value, CallArgs) -> Outcome| {
        Some(Value::method_of(move |machine, mut args: CallArgs| {
            if args.positional.is_empty() {
                fault!(TypeError, "descriptor of 'object' object needs an argument");
            }
            let this = args.positional.remove(0);
            run(machine, &this, args)
        }))
    };
    match (class, name) {
        (Class::Type, "__call__") => function(|machine, this, args| match as_class(this) {
            Some(class) => super::construct::call(machine, &class, args),
            None => machine.call(this, args),
        }),
        (_, "__new__") => function(|machine, this, args| match as_class(this) {
            Some(class) => super::construct::blank(machine, &class, &args),
            None => machine.call(this, args),
        }),
        (_, "__init__") => function(|machine, this, args| begin(machine, this, args).map(|()| Value::None)),
        (_, "__init_subclass__") => Some(Value::method_of(|_, _| Ok(Value::None))),
        (_, "__setattr__") => function(|machine, this, args| match &args.positional[..] {
            [Value::Str(name), value] => super::member::set_own(machine, this, name, value.clone()).map(|()| Value::None),
            _ => fault!(TypeError, "expected 2 arguments, got {}", args.positional.len()),
        }),
        (_, "__delattr__") => function(|machine, this, args| match &args.positional[..] {
            [Value::Str(name)] => super::member::delete_own(machine, this, name).map(|()| Value::None),
            _ => fault!(TypeError, "expected 1 argument, got {}", args.positional.len()),
        }),
        (_, "__getattribute__") => function(|machine, this, args| match &args.positional[..] {
            [Value::Str(name)] => own_attribute(machine, this, name),
            _ => fault!(TypeError, "expected 1 argument, got {}", args.positional.len()),
        }),
        (_, "__repr__" | "__str__") => function(|machine, this, _| native_text(machine, this).map(Value::from)),
        (_, "__hash__") => function(|_, this, _| match this.downcast::<Instance>() {
            Some(instance) => {
                Ok(Value::Int(python_hash(&instance.base().unwrap_or_else(|| Value::Int(this.identity() as i64 / 16)))))
            }
            None => Ok(Value::Int(Key::new(this.clone())?.hash())),
        }),
        (_, "__eq__") => function(|machine, this, args| {
            let other = args.positional.first().map_or(Value::None, super::plain);
            match this.downcast::<Instance>().and_then(Instance::base) {
                Some(base) => operators::compare(machine, CompareOp::Eq, &base, &other),
                None if this.is(&other) => Ok(Value::Bool(true)),
                None => Ok(not_implemented()),
            }
        }),
        _ => None,
    }
}

/// `object.__getattribute__(this, name)`.
fn own_attribute(machine: &mut dyn Machine, this: &Value, name: &str) -> Outcome {
    let found = class_of(this).filter(|_| this.downcast::<Instance>().is_some());
    let found = found.and_then(|class| super::member::by_itself(machine, &class, this, name));
    match (found, this, name) {
        (Some(found), ..) => found,
        (None, _, "__class__") => Ok(type_of(this)),
        (None, Value::Object(object), _) if this.downcast::<Instance>().is_none() => match Rc::clone(object).attr(name)? {
            Some(found) => Ok(found),
            None => fault!(AttributeError, "'{}' object has no attribute '{name}'", this.type_name()),
        },
        _ => fault!(AttributeError, "'{}' object has no attribute '{name}'", this.type_name()),
    }
}

/// A method that makes another value of the built-in class, as one that makes another object of the same class.
pub(super) fn of_same_class(this: &Instance, name: &str, method: Value) -> Value {
    match name {
        "_replace" => wrapped(this.of().clone(), method),
        _ => method,
    }
}

/// The same for a function of the class.
pub(super) fn of_class(class: &Rc<UserClass>, name: &str, function: Value) -> Value {
    match name {
        "_make" => wrapped(class.clone(), function),
        "fromkeys" if matches!(class.native(), Some(Value::Class(Class::Dict))) => wrapped(class.clone(), function),
        _ => function,
    }
}

fn wrapped(class: Rc<UserClass>, function: Value) -> Value {
    Value::method_of(move |machine, args| {
        let made = machine.call(&function, args)?;
        Ok(Instance::make(class.clone(), Some(made)))
    })
}

impl Object for Parent {
    fn type_name(&self) -> String {
        "super".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("<super: <class '{}'>, <{} object>>", self.after.name(), self.class.name())
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        if let Some(found) = self.find(name).filter(|found| !super::member::is_computed(found)) {
            return Ok(Some(bind(&found, &self.this, &self.class)));
        }
        if self.this.downcast::<Instance>().is_some_and(|this| this.base().is_some() && !OF_ITS_OWN.contains(&name)) {
            return Ok(None);
        }
        if let Some(found) = self.of_object(name) {
            return Ok(Some(found));
        }
        match &self.this {
            Value::Object(object) => Rc::clone(object).native_attr(name),
            _ => Ok(None),
        }
    }
    fn computed(self: Rc<Self>, machine: &mut dyn Machine, name: &str) -> Option<Outcome> {
        let Some(found) = self.find(name) else {
            let base = self.this.downcast::<Instance>()?.base()?;
            return Some(machine.attr(&base, name));
        };
        super::member::read(machine, &found, &self.this, &self.class, name)
    }
}

/// The text of an object, whatever its class says.
fn native_text(machine: &mut dyn Machine, this: &Value) -> Outcome<String> {
    if let Value::Exception(exception) = this {
        let args = exception.args.borrow().clone();
        return exceptions::plain_message(exception.diagnostic.class, &args);
    }
    let Some(instance) = this.downcast::<Instance>() else { return repr::repr(this) };
    if let Some(base) = instance.base() {
        super::settle(machine, &base, false)?;
    }
    let shown = instance.shown.take();
    let text = instance.repr();
    instance.shown.replace(shown);
    Ok(text)
}
