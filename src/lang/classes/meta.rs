//! Classes as objects of classes: those of the program that build on `type`, and what `type` itself does.

use super::{Draft, Members, UserClass, as_class, ask, bind, construct, member};
use crate::lang::frame;
use crate::lang::types::repr;
use crate::value::{CallArgs, Dict, Key, Machine, NameRef, Object, Outcome, Value};
use std::any::Any;
use std::rc::{Rc, Weak};

/// The class that a class statement makes its class by: the one that is named, or the narrowest of its bases' own; none: `type`.
pub(super) fn of_bases(named: Option<&Value>, bases: &[Value]) -> Outcome<Option<Rc<UserClass>>> {
    let mut found = named.and_then(as_class);
    for base in bases {
        let Some(other) = as_class(base).and_then(|base| base.meta.clone()) else { continue };
        found = match found {
            None => Some(other),
            Some(own) if own.is_a(&other.value()) => Some(own),
            Some(own) if other.is_a(&own.value()) => Some(other),
            Some(_) => fault!(
                TypeError,
                "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the metaclasses of all its bases"
            ),
        };
    }
    Ok(found)
}

/// The narrowest class of classes among those of a tuple of bases; none: `type`.
pub fn metaclass(bases: &Value) -> Outcome<Option<Rc<UserClass>>> {
    of_bases(None, &bases.sequence().unwrap_or_default())
}

/// Where the functions of a class look for it, on its way through a function of its class's class.
struct ClassCell(frame::Cell);

impl Object for ClassCell {
    fn type_name(&self) -> String {
        "cell".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// What a class statement defined as the dict that a class of classes is called with.
pub(super) fn namespace(draft: Draft) -> Dict {
    let mut entries = Dict::default();
    entries.insert(Key::from("__module__"), Value::from(&*draft.module));
    entries.insert(Key::from("__qualname__"), Value::from(&*draft.qualname));
    if let Some(doc) = &draft.doc {
        entries.insert(Key::from("__doc__"), Value::from(&**doc));
    }
    if !draft.annotated.is_empty() {
        let names = draft.annotated.iter().map(|(name, kind)| (Key::from(&**name), kind.clone()));
        entries.insert(Key::from("__annotations__"), Value::dict(names.collect()));
    }
    entries.extend(draft.names.into_iter().map(|(name, value)| (Key::from(&*name), value)));
    if let Some(cell) = draft.cell {
        entries.insert(Key::from("__classcell__"), Value::object(ClassCell(cell)));
    }
    entries
}

/// `type(name, bases, dict)`, for a class of classes or for `type` itself.
pub fn of_parts(machine: &mut dyn Machine, meta: Option<Rc<UserClass>>, args: CallArgs) -> Outcome {
    let [name, bases, entries] = &args.positional[..] else { fault!(TypeError, "type() takes 1 or 3 arguments") };
    let Value::Str(name) = name else {
        fault!(TypeError, "type.__new__() argument 1 must be str, not {}", name.type_name());
    };
    let Value::Tuple(bases) = bases else {
        fault!(TypeError, "type.__new__() argument 2 must be tuple, not {}", bases.type_name());
    };
    let Some(entries) = crate::lang::types::dict::entries_of(entries) else {
        fault!(TypeError, "type.__new__() argument 3 must be dict, not {}", entries.type_name());
    };
    let entries = entries.borrow().clone();
    let text = |name: &str| match entries.get(&NameRef(name)) {
        Some(Value::Str(text)) => Some(Rc::from(text.as_str())),
        _ => None,
    };
    let cell = entries.get(&NameRef("__classcell__")).and_then(|cell| Some(cell.downcast::<ClassCell>()?.0.clone()));
    let annotated = match entries.get(&NameRef("__annotations__")) {
        Some(Value::Dict(names)) => {
            let names = names.borrow();
            names.iter().filter_map(|(name, kind)| Some((repr::str(name.value()).ok()?.into(), kind.clone()))).collect()
        }
        _ => vec![],
    };
    const SAID: [&str; 5] = ["__module__", "__qualname__", "__doc__", "__annotations__", "__classcell__"];
    let mut names = Members::default();
    for (key, value) in &entries {
        match key.value() {
            Value::Str(name) if !SAID.contains(&name.as_str()) => drop(names.insert(Rc::from(name.as_str()), value.clone())),
            _ => {}
        }
    }
    let draft = Draft {
        name: Rc::from(name.as_str()),
        qualname: text("__qualname__").unwrap_or_else(|| Rc::from(name.as_str())),
        doc: text("__doc__"),
        names,
        annotated,
        module: text("__module__").unwrap_or_else(|| Rc::from("__main__")),
        cell,
    };
    construct::build(machine, meta, draft, bases, args.keyword)
}

/// A call of a class: what its own class says, or else a new object.
pub fn call(machine: &mut dyn Machine, class: &Rc<UserClass>, args: CallArgs) -> Outcome {
    if let Some(meta) = &class.meta
        && let Some(call) = meta.find("__call__")
    {
        return machine.call(&bind(&call, &class.value(), meta), args);
    }
    construct::call(machine, class, args)
}

/// An attribute that the class of a class has and that goes before the class's own: a property. What it has otherwise comes behind.
pub(super) fn asked(machine: &mut dyn Machine, meta: &Rc<UserClass>, class: &Rc<UserClass>, name: &str) -> Option<Outcome> {
    let this = class.value();
    let found = meta.find(name);
    if let Some(found) = found.as_ref().filter(|found| member::descriptor(found) == member::Descriptor::Data) {
        return member::read(machine, found, &this, meta, name);
    }
    if class.find(name).is_some() || matches!(name, "__init__" | "__new__" | "__doc__" | "__module__" | "__qualname__") {
        return None;
    }
    match found {
        Some(found) => Some(Ok(bind(&found, &this, meta))),
        None if is_of_type(name) => None,
        None => {
            let native = class.native().and_then(|native| machine.attr(native, name).ok());
            match native {
                Some(_) => None,
                None => ask(machine, &this, "__getattr__", vec![Value::from(name)]),
            }
        }
    }
}

/// What every class has.
fn is_of_type(name: &str) -> bool {
    name.starts_with("__") && name.ends_with("__") || name == "mro"
}

/// A class as the value that it is; none where no other class is its own.
pub(super) fn this(class: &UserClass) -> Option<Value> {
    class.meta.as_ref()?;
    class.me.upgrade().map(|class| class.value())
}

/// `class[key]`.
pub(super) fn item(machine: &mut dyn Machine, class: &Rc<UserClass>, key: &Value) -> Option<Outcome> {
    let this = class.value();
    if let Some(found) = ask(machine, &this, "__getitem__", vec![key.clone()]) {
        return Some(found);
    }
    if let Some(function) = class.find("__class_getitem__") {
        let args = CallArgs::positional(vec![this, key.clone()]);
        return Some(machine.call(&member::function_of(&function), args));
    }
    match class.marks.generic || class.native().is_some_and(|native| machine.get_item(native, key).is_ok()) {
        true => Some(Ok(this)),
        false => Some(Err(err!(TypeError, "type '{}' is not subscriptable", class.name()).into())),
    }
}

/// The classes that are written to inherit from a class, as long as they live.
pub(super) fn children(class: &Rc<UserClass>) -> Vec<Value> {
    class.children.borrow().iter().filter_map(Weak::upgrade).map(|child| child.value()).collect()
}
