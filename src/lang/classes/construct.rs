//! Classes and their objects being made.

use super::{Draft, ERRORS, Instance, UserClass, as_class, ask, bind, class_of, member, order, site, text};
use crate::diag::{Diagnostic, ErrorClass, OwnError};
use crate::lang::library::{layers, written};
use crate::lang::types::call::plural;
use crate::lang::types::{hint, repr};
use crate::value::{CallArgs, Class, Exception, Machine, Outcome, Value};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The class that a `class` statement defines, with what stood in its parentheses.
///
/// Fails with a `TypeError` where a base is no class or the bases have no order, and with a `NotImplementedError` where tsr does not build
/// classes on one of them.
pub fn make(machine: &mut dyn Machine, draft: Draft, args: CallArgs) -> Outcome {
    text::begin();
    site::changed();
    // What only says something to a reader of the text.
    let bases: Vec<Value> = args.positional.into_iter().filter(|base| !hint::is_hint(base)).collect();
    let line = order::line(machine, &bases)?;
    let line = if line.is_empty() { vec![Value::Class(Class::Object)] } else { line };
    check(&line)?;
    let error = line.iter().find_map(|class| match class {
        Value::Class(Class::Exception(parent)) => Some(ErrorClass::Own(OwnError::define(&draft.name, *parent))),
        _ => None,
    });
    let bases = if bases.is_empty() { vec![Value::Class(Class::Object)] } else { bases };
    let Draft { name, qualname, doc, names, annotated } = draft;
    let parents = line.iter().filter_map(as_class).collect();
    let class = Rc::new(UserClass {
        name,
        qualname,
        doc,
        bases,
        line,
        parents,
        members: RefCell::new(names),
        annotated,
        error,
        sets_plainly: Cell::default(),
    });
    if let Some(ErrorClass::Own(own)) = error {
        ERRORS.with_borrow_mut(|known| known.insert(own.number(), class.clone()));
    }
    begin_members(machine, &class)?;
    begin_child(machine, &class, args.keyword)?;
    Ok(class.value())
}

/// Tells members that want to know it by which name they are held.
fn begin_members(machine: &mut dyn Machine, class: &Rc<UserClass>) -> Outcome<()> {
    let members = class.members.borrow().clone();
    for (name, value) in &members {
        if let Some(told) = ask(machine, value, "__set_name__", vec![class.value(), Value::from(&**name)]) {
            told?;
        }
    }
    Ok(())
}

/// Tells the class that this one inherits from about it.
fn begin_child(machine: &mut dyn Machine, class: &Rc<UserClass>, keyword: Vec<(Rc<str>, Value)>) -> Outcome<()> {
    let keyword: Vec<_> = keyword.into_iter().filter(|(name, _)| &**name != "metaclass").collect();
    let told = class.parents.iter().find_map(|parent| parent.members.borrow().get("__init_subclass__").cloned());
    match told {
        Some(told) => {
            let args = CallArgs { positional: vec![], keyword };
            let function = Value::object(super::Bound { function: member::function_of(&told), this: class.value() });
            machine.call(&function, args).map(|_| ())
        }
        None if keyword.is_empty() => Ok(()),
        None => fault!(TypeError, "{}.__init_subclass__() takes no keyword arguments", class.name()),
    }
}

/// Refuses what is no class, and what tsr has another kind of object for.
fn check(line: &[Value]) -> Outcome<()> {
    for class in line {
        match class {
            Value::Class(Class::Object | Class::Exception(_)) => {}
            class if as_class(class).is_some() || layers::is_class(class) || written::only_marks(class) => {}
            Value::Class(own) => {
                fault!(NotImplementedError, "tsr does not build classes on '{}' yet", own.name())
            }
            Value::Object(object) if object.is_class_of(&Value::None).is_some() => {
                fault!(NotImplementedError, "tsr does not build classes on {} yet", repr::repr(class)?)
            }
            other => fault!(TypeError, "a base of a class is a class, not {}", repr::repr(other)?),
        }
    }
    Ok(())
}

/// A new object of a class.
pub fn call(machine: &mut dyn Machine, class: &Rc<UserClass>, args: CallArgs) -> Outcome {
    refuse_abstract(class)?;
    let new = class.find("__new__");
    let this = match &new {
        Some(new) => {
            let mut given = args.clone();
            given.positional.insert(0, class.value());
            machine.call(&member::function_of(new), given)?
        }
        None => blank(class, &args)?,
    };
    if !class_of(&this).is_some_and(|own| own.is_a(&class.value())) {
        return Ok(this);
    }
    match class.find("__init__") {
        Some(init) => match machine.call(&bind(&init, &this, class), args)? {
            Value::None => {}
            other => fault!(TypeError, "__init__() should return None, not '{}'", other.type_name()),
        },
        None if new.is_some() => {}
        None => begin(machine, &this, args)?,
    }
    if let Value::Exception(_) = &this {
        super::settle(machine, &this, true)?;
    }
    Ok(this)
}

/// An object before its `__init__` ran.
pub(super) fn blank(class: &Rc<UserClass>, args: &CallArgs) -> Outcome {
    if let Some(error) = class.error {
        let message = crate::lang::exceptions::plain_message(error, &args.positional)?;
        let args = args.positional.clone();
        return Ok(Value::Exception(Rc::new(Exception::new(Diagnostic::new(error, message), args))));
    }
    let layer = class.native().and_then(|native| layers::blank(native, class.clone()));
    Ok(layer.unwrap_or_else(|| Instance::make(class.clone())))
}

/// What the nearest class of tsr's own does when an object begins: `super().__init__(…)`.
pub fn begin(machine: &mut dyn Machine, this: &Value, args: CallArgs) -> Outcome<()> {
    let Some(class) = class_of(this) else { return Ok(()) };
    if let Value::Exception(_) = this {
        return machine.set_attr(this, "args", Value::tuple(args.positional));
    }
    if layers::is_layer(this) {
        return layers::begin(machine, this, args);
    }
    if class.native().is_none() && !(args.positional.is_empty() && args.keyword.is_empty()) {
        if class.find("__init__").is_none() {
            fault!(TypeError, "{}() takes no arguments", class.name());
        }
        fault!(TypeError, "object.__init__() takes exactly one argument (the instance to initialize)");
    }
    Ok(())
}

/// `object.__setattr__(this, name, value)`.
pub(super) fn set_own(_machine: &mut dyn Machine, this: &Value, name: &str, value: Value) -> Outcome<()> {
    match this {
        Value::Object(object) => object.set_attr(name, value).map(|_| ()),
        _ => Ok(()),
    }
}

/// Fails with a `TypeError` where a method is only promised.
fn refuse_abstract(class: &Rc<UserClass>) -> Outcome<()> {
    if !class.line.iter().any(written::is_abstract) {
        return Ok(());
    }
    let mut names = class.names();
    names.sort();
    names.dedup();
    let promised: Vec<String> =
        names.into_iter().filter(|name| class.find(name).is_some_and(|found| member::is_promised(&found))).collect();
    if promised.is_empty() {
        return Ok(());
    }
    fault!(
        TypeError,
        "Can't instantiate abstract class {} with abstract method{} {}",
        class.name(),
        plural(promised.len()),
        promised.join(", ")
    )
}
