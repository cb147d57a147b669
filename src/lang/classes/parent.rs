//! `super()`: an object as the classes behind one of its own see it.

use super::{Instance, UserClass, as_class, begin, bind, class_of};
use crate::lang::exceptions;
use crate::lang::types::call::Call;
use crate::lang::types::repr;
use crate::value::{CallArgs, Machine, Object, Outcome, Value};
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
    let [after, this] = &args[..] else { fault!(RuntimeError, "super(): no arguments") };
    let Some(after) = as_class(after) else { fault!(TypeError, "super() argument 1 must be a type, not {}", after.type_name()) };
    match class_of(this).or_else(|| as_class(this)) {
        Some(class) if class.is_a(&after.value()) => Ok(Value::object(Parent { after, this: this.clone(), class })),
        _ => fault!(TypeError, "super(type, obj): obj must be an instance or subtype of type"),
    }
}

impl Parent {
    /// The member that the classes behind have by a name.
    fn find(&self, name: &str) -> Option<Value> {
        let every = std::iter::once(&self.class).chain(&self.class.parents);
        let behind = every.skip_while(|class| !Rc::ptr_eq(class, &self.after)).skip(1);
        behind.into_iter().find_map(|class| class.members.borrow().get(name).cloned())
    }

    /// What all objects have.
    fn of_object(&self, name: &str) -> Option<Value> {
        let this = self.this.clone();
        Some(match name {
            "__init__" => Value::method_of(move |machine, args| begin(machine, &this, args).map(|()| Value::None)),
            "__new__" => Value::method_of(|_, args| match args.positional.first().and_then(as_class) {
                Some(class) => super::construct::blank(&class, &CallArgs::default()),
                None => fault!(TypeError, "object.__new__(): not enough arguments"),
            }),
            "__setattr__" => Value::method_of(move |machine, args| match &args.positional[..] {
                [Value::Str(name), value] => super::construct::set_own(machine, &this, name, value.clone()).map(|()| Value::None),
                _ => fault!(TypeError, "__setattr__ expected 2 arguments, got {}", args.positional.len()),
            }),
            "__init_subclass__" => Value::method_of(|_, _| Ok(Value::None)),
            "__repr__" | "__str__" => {
                let text = match this.downcast::<Instance>() {
                    Some(instance) => {
                        let shown = instance.shown.take();
                        let text = instance.repr();
                        instance.shown.replace(shown);
                        text
                    }
                    None => native_text(&this),
                };
                Value::method(move |_| Ok(Value::from(text.as_str())))
            }
            _ => return None,
        })
    }
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
        if let Some(found) = self.of_object(name) {
            return Ok(Some(found));
        }
        match &self.this {
            Value::Object(object) => Rc::clone(object).native_attr(name),
            _ => Ok(None),
        }
    }
    fn computed(self: Rc<Self>, machine: &mut dyn Machine, name: &str) -> Option<Outcome> {
        let found = self.find(name)?;
        super::member::read(machine, &found, &self.this)
    }
}

/// The text of an exception, whatever its class says.
fn native_text(this: &Value) -> String {
    match this {
        Value::Exception(exception) => {
            let args = exception.args.borrow().clone();
            exceptions::plain_message(exception.diagnostic.class, &args).unwrap_or_default()
        }
        other => repr::repr(other).unwrap_or_default(),
    }
}
