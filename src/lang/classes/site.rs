//! What a class has under the name of an attribute, remembered at the place in the text where that stands.

use super::{Instance, UserClass};
use crate::lang::function::Function;
use crate::value::{ObjectRef, Value};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

thread_local! {
    /// Rises whenever a class is made or changed.
    static VERSION: Cell<u64> = const { Cell::new(0) };
}

/// Notes that a class was made or changed.
pub(super) fn changed() {
    VERSION.set(VERSION.get() + 1);
}

/// The number of changes of all classes.
pub(super) fn version() -> u64 {
    VERSION.get()
}

/// The memory of one `.name` in a text.
#[derive(Default)]
pub struct MemberSite {
    known: RefCell<Option<Entry>>,
}

/// What was found: the class by its address, which no other one has while the version stays.
struct Entry {
    class: usize,
    version: u64,
    found: Found,
}

#[derive(Clone)]
enum Found {
    Nothing,
    Method(Weak<Function>),
    Other,
    /// A member of the class itself that is read as it is.
    Plain,
}

impl MemberSite {
    fn find(&self, class: &UserClass, name: &str) -> Found {
        let (address, version) = (std::ptr::from_ref(class).addr(), version());
        if let Some(entry) = &*self.known.borrow()
            && entry.class == address
            && entry.version == version
        {
            return entry.found.clone();
        }
        let found = match class.find(name) {
            None if class.find("__getattr__").is_none() => Found::Nothing,
            Some(Value::Object(object)) => {
                let any: Rc<dyn Any> = (*object).clone();
                any.downcast::<Function>().map_or(Found::Other, |function| Found::Method(Rc::downgrade(&function)))
            }
            _ => Found::Other,
        };
        *self.known.borrow_mut() = Some(Entry { class: address, version, found: found.clone() });
        found
    }

    /// The member of a class itself, where nobody has to be asked for it.
    pub fn of_class(&self, object: &ObjectRef, name: &str) -> Option<Value> {
        let class = object.as_any().downcast_ref::<UserClass>()?;
        let (address, version) = (std::ptr::from_ref(class).addr(), version());
        let known = matches!(&*self.known.borrow(), Some(Entry { class, version: at, found: Found::Plain }) if *class == address && *at == version);
        let found = class.find(name).filter(|found| known || class.reads_plainly(name, found))?;
        if !known {
            *self.known.borrow_mut() = Some(Entry { class: address, version, found: Found::Plain });
        }
        Some(found)
    }

    /// The attribute of an object whose class has nothing of the name.
    pub fn own(&self, object: &ObjectRef, name: &str) -> Option<Value> {
        let instance = object.as_any().downcast_ref::<Instance>()?;
        match self.find(instance.of(), name) {
            Found::Nothing => instance.held(name),
            _ => None,
        }
    }

    /// The function that a call of the name runs with the object as its first argument.
    pub fn method(&self, object: &ObjectRef, name: &str) -> Option<Rc<Function>> {
        let instance = object.as_any().downcast_ref::<Instance>()?;
        match self.find(instance.of(), name) {
            Found::Method(function) if instance.held(name).is_none() => function.upgrade(),
            _ => None,
        }
    }
}
