//! What an attribute's name was found to mean, remembered at the place in the text where it stands.

use crate::lang::classes::MemberSite;
use crate::lang::function::Function;
use crate::lang::types;
use crate::lang::types::call::{Row, Table};
use crate::ops::{self, OpSet};
use crate::value::{Module, ObjectRef, Value, WeakObject};
use std::any::Any;
use std::cell::{Cell, OnceCell, Ref, RefCell};
use std::rc::{Rc, Weak};

/// The function that a call found last: a look at one pointer tells whether it is the same again.
#[derive(Default)]
pub struct CallSite {
    known: RefCell<(WeakObject, Weak<Function>)>,
}

impl CallSite {
    /// The object as a function of the user's, if it is one.
    #[inline(always)]
    pub fn function(&self, object: &ObjectRef) -> Option<Rc<Function>> {
        let known = self.known.borrow();
        if known.0.is(object) { known.1.upgrade() } else { self.look(object, known) }
    }

    #[cold]
    fn look(&self, object: &ObjectRef, known: Ref<(WeakObject, Weak<Function>)>) -> Option<Rc<Function>> {
        drop(known);
        let any: Rc<dyn Any> = (**object).clone();
        let function = any.downcast::<Function>().ok()?;
        *self.known.borrow_mut() = (object.downgrade(), Rc::downgrade(&function));
        Some(function)
    }
}

/// The memory of one `.name` in a text.
#[derive(Default)]
pub struct AttrSite {
    method: OnceCell<Option<&'static OpSet>>,
    property: OnceCell<Option<&'static OpSet>>,
    module: RefCell<Option<ModuleEntry>>,
    /// What a class of the program's had.
    pub own: MemberSite,
    builtin: Cell<Option<(&'static [&'static Table], &'static Table, &'static Row)>>,
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

    /// The method of a value of a built-in type.
    pub fn builtin(&self, value: &Value, name: &str) -> Option<(&'static Table, &'static Row)> {
        let tables = types::tables(value);
        if let Some((known, table, row)) = self.builtin.get()
            && std::ptr::eq(known, tables)
        {
            return Some((table, row));
        }
        let (table, row) = types::find(tables, name)?;
        self.builtin.set(Some((tables, table, row)));
        Some((table, row))
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
