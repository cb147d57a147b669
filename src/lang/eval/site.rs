//! What an attribute's name was found to mean, remembered at the place in the text where it stands.

use crate::ops::{self, OpSet};
use crate::value::{Module, Value};
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// The memory of one `.name` in a text.
#[derive(Default)]
pub struct AttrSite {
    method: OnceCell<Option<&'static OpSet>>,
    property: OnceCell<Option<&'static OpSet>>,
    module: RefCell<Option<ModuleEntry>>,
}

struct ModuleEntry {
    module: Rc<Module>,
    version: u64,
    member: Member,
}

/// What a module has under a name.
#[derive(Clone)]
pub enum Member {
    /// An operation of the table.
    Operation(&'static OpSet),
    /// A constant, a class, a function, a module.
    Value(Value),
}

impl AttrSite {
    /// The operation that the name is as a method of a tensor.
    pub fn method(&self, name: &str) -> Option<&'static OpSet> {
        *self.method.get_or_init(|| ops::method(name))
    }

    /// The operation that the name is as an attribute of a tensor.
    pub fn property(&self, name: &str) -> Option<&'static OpSet> {
        *self.property.get_or_init(|| ops::property(name))
    }

    /// What the module had under this name when its version was this one.
    pub fn member(&self, module: &Rc<Module>, version: u64) -> Option<Member> {
        let entry = self.module.borrow();
        let entry = entry.as_ref().filter(|e| e.version == version && Rc::ptr_eq(&e.module, module))?;
        Some(entry.member.clone())
    }

    /// Remembers what the module has under this name.
    pub fn remember(&self, module: &Rc<Module>, version: u64, member: Member) {
        *self.module.borrow_mut() = Some(ModuleEntry { module: module.clone(), version, member });
    }
}
