//! Objects of classes that build on `object`, on a class that only marks what they are, or on a built-in class whose value they are besides.

use super::{Descriptor, UserClass, besides, member, special};
use crate::lang::left;
use crate::lang::library::written;
use crate::lang::types::truth;
use crate::value::{CallArgs, Dict, Key, Machine, NameRef, Object, ObjectRef, Outcome, Value, key_eq, python_hash};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::{Rc, Weak};

/// An object.
pub struct Instance {
    me: Weak<Instance>,
    class: Rc<UserClass>,
    /// Its attributes, as `__dict__` gives them.
    own: Rc<RefCell<Dict>>,
    /// The dict that the program put in the place of its own.
    other: RefCell<Option<Rc<RefCell<Dict>>>>,
    has_other: Cell<bool>,
    /// The value of a built-in class that it is, too.
    base: RefCell<Option<Value>>,
    /// Its texts, `repr` and `str`, where functions of the class gave them last: what is shown has no evaluator at hand.
    pub(super) shown: RefCell<[Option<String>; 2]>,
    /// Its hash and its mark as a key, where its class said them last.
    pub(super) asked: Cell<Option<(i64, u64)>>,
    /// Its `__del__` ran.
    ended: Cell<bool>,
}

impl Instance {
    /// One without attributes.
    pub fn make(class: Rc<UserClass>, base: Option<Value>) -> Value {
        Value::shared(Rc::new_cyclic(|me| Instance {
            me: me.clone(),
            class,
            own: Rc::default(),
            other: RefCell::default(),
            has_other: Cell::default(),
            base: RefCell::new(base),
            shown: RefCell::default(),
            asked: Cell::default(),
            ended: Cell::default(),
        }))
    }

    /// Itself, not held.
    pub fn me(&self) -> Weak<Instance> {
        self.me.clone()
    }

    pub(super) fn this(&self) -> Value {
        self.me.upgrade().map_or(Value::None, |me| Value::Object(ObjectRef::new(me)))
    }

    /// Its class.
    pub(super) fn of(&self) -> &Rc<UserClass> {
        &self.class
    }

    /// An attribute of its own.
    pub fn held(&self, name: &str) -> Option<Value> {
        if self.has_other.get() {
            return self.own().borrow().get(&NameRef(name)).cloned();
        }
        self.own.borrow().get(&NameRef(name)).cloned()
    }

    /// Its attributes, as `__dict__` gives them.
    fn own(&self) -> Rc<RefCell<Dict>> {
        match &*self.other.borrow() {
            Some(other) => other.clone(),
            None => self.own.clone(),
        }
    }

    /// `object.__dict__ = value`: its attributes are the entries of a dict from now on.
    fn set_own(&self, value: &Value) -> Outcome<()> {
        match crate::lang::types::dict::entries_of(value) {
            Some(entries) => {
                let before = self.other.replace(Some(entries));
                self.has_other.set(true);
                drop(before);
                Ok(())
            }
            None => fault!(TypeError, "__dict__ must be set to a dictionary, not a '{}'", value.type_name()),
        }
    }

    /// Gives it an attribute of its own.
    pub fn hold(&self, name: &str, value: Value) {
        let before = self.own().borrow_mut().insert(Key::from(name), value);
        drop(before);
    }

    /// Its attributes by name.
    pub fn entries_of_own(&self) -> Vec<(Value, Value)> {
        self.own().borrow().iter().map(|(name, value)| (name.value().clone(), value.clone())).collect()
    }

    /// The value of a built-in class that it is, too.
    pub fn base(&self) -> Option<Value> {
        self.base.borrow().clone()
    }

    /// Makes it another value of its built-in class.
    pub fn become_value(&self, base: Value) {
        let before = self.base.replace(Some(base));
        drop(before);
    }

    /// An object of the same class without anything, to be filled by [`Instance::fill`].
    pub fn like(&self) -> Value {
        Instance::make(self.class.clone(), None)
    }

    /// Gives it what another one has, each part copied by this.
    pub fn fill(&self, from: &Instance, copy: &mut dyn FnMut(&Value) -> Outcome) -> Outcome<()> {
        let copied = |base| match written::part_of(&base, self) {
            Some(part) => Ok(part),
            None => copy(&base),
        };
        let base = from.base().map(copied).transpose()?;
        self.base.replace(base);
        let entries = from.own().borrow().clone();
        for (name, value) in entries {
            let value = copy(&value)?;
            self.own().borrow_mut().insert(name, value);
        }
        Ok(())
    }

    fn ask(&self, machine: &mut dyn Machine, name: &str, args: Vec<Value>) -> Option<Outcome> {
        self.class.find(name)?;
        special::ask(machine, &self.this(), name, args)
    }

    /// True where nothing but its attributes is between it and equality by its value.
    fn is_plain_key(&self) -> bool {
        !self.class.says_hash()
    }
}

thread_local! {
    /// Objects that nobody holds any more and whose classes have a `__del__`.
    static DROPPED: RefCell<VecDeque<Value>> = const { RefCell::new(VecDeque::new()) };
}

/// Runs the `__del__` of the objects that nobody holds any more. What fails there has nobody to tell, as in CPython.
pub fn end_dropped(machine: &mut dyn Machine) {
    while let Some(object) = DROPPED.with_borrow_mut(VecDeque::pop_front) {
        drop(special::ask(machine, &object, "__del__", vec![]));
        if let Some(instance) = object.downcast::<Instance>() {
            instance.ended.set(true);
        }
    }
}

impl Drop for Instance {
    /// One whose class has a `__del__` waits for the evaluator to run that.
    fn drop(&mut self) {
        if !self.class.ends || self.ended.get() {
            return;
        }
        let again = Rc::new_cyclic(|me| Instance {
            me: me.clone(),
            class: self.class.clone(),
            own: self.own.clone(),
            other: RefCell::new(self.other.take()),
            has_other: self.has_other.clone(),
            base: RefCell::new(self.base.take()),
            shown: RefCell::default(),
            asked: Cell::default(),
            ended: Cell::default(),
        });
        // At the end of the thread nobody is there to run it.
        let is_taken = DROPPED.try_with(|dropped| match dropped.try_borrow_mut() {
            Ok(mut dropped) => dropped.push_back(Value::shared(again.clone())),
            Err(_) => again.ended.set(true),
        });
        match is_taken {
            Ok(()) => left::note(),
            Err(_) => again.ended.set(true),
        }
    }
}

impl Object for Instance {
    fn type_name(&self) -> String {
        self.class.name().into()
    }
    fn class_object(&self) -> Option<Value> {
        Some(self.class.value())
    }
    fn own_class(&self) -> Option<Rc<dyn Any>> {
        Some(self.class.clone())
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        if let Some(text) = &self.shown.borrow()[0] {
            return text.clone();
        }
        let text = match self.base() {
            Some(base) if written::is_part(&base) => written::text_of_part(&base),
            base => base.map(|base| besides::repr(&self.class, &base)),
        };
        match text {
            Some(text) => text,
            None => format!("<{}.{} object at {:#x}>", self.class.module, self.class.qualname, std::ptr::from_ref(self).addr()),
        }
    }
    fn str(&self) -> String {
        match (&self.shown.borrow()[1], self.base.borrow().as_ref()) {
            (Some(text), _) => text.clone(),
            (None, Some(Value::Str(text))) => text.to_string(),
            _ => self.repr(),
        }
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        if self.class.habits().reads {
            return Ok(None);
        }
        let found = self.class.find(name);
        let kind = found.as_ref().map_or(Descriptor::None, member::descriptor);
        if kind == Descriptor::Data {
            return Ok(None);
        }
        if let Some(value) = self.held(name) {
            return Ok(Some(value));
        }
        match found {
            Some(_) if kind == Descriptor::Read => return Ok(None),
            Some(found) => return Ok(Some(member::bind(&found, &self.this(), &self.class))),
            None => {}
        }
        Ok(match name {
            "__dict__" if !self.class.habits().slotted => Some(Value::Dict(self.own())),
            "__doc__" => Some(self.class.doc().map_or(Value::None, Value::from)),
            "__module__" => Some(Value::from(&*self.class.module)),
            _ => None,
        })
    }
    fn computed(self: Rc<Self>, machine: &mut dyn Machine, name: &str) -> Option<Outcome> {
        let class = self.class.clone();
        member::computed(machine, &class, &self.this(), name)
    }
    fn native_attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        match (self.held(name), name) {
            (Some(value), _) => Ok(Some(value)),
            (None, "__dict__") if !self.class.habits().slotted => Ok(Some(Value::Dict(self.own()))),
            _ => Ok(None),
        }
    }
    fn set_attr(&self, name: &str, value: Value) -> Outcome<bool> {
        let other = if self.has_other.get() { Some(self.own()) } else { None };
        let mut own = other.as_ref().unwrap_or(&self.own).borrow_mut();
        match own.get_mut(&NameRef(name)) {
            // What was there goes when nothing is borrowed any more.
            Some(place) => {
                let before = std::mem::replace(place, value);
                drop(own);
                drop(before);
            }
            None if name == "__dict__" => {
                drop(own);
                return self.set_own(&value).map(|()| true);
            }
            None => drop(own.insert(Key::from(name), value)),
        }
        Ok(true)
    }
    fn del_attr(&self, name: &str) -> bool {
        let gone = self.own().borrow_mut().shift_remove(&NameRef(name));
        gone.is_some()
    }
    fn attributes(&self) -> Vec<String> {
        let own = self.own();
        let own = own.borrow();
        let own = own.keys().filter_map(|name| if let Value::Str(name) = name.value() { Some(name.to_string()) } else { None });
        let of_base = self.base().map(|base| match &base {
            Value::Object(object) => object.attributes(),
            built_in => crate::lang::types::attributes(built_in),
        });
        own.chain(self.class.names()).chain(of_base.unwrap_or_default()).collect()
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        let Some(call) = self.class.find("__call__") else {
            let Some(Value::Object(base)) = self.base() else { return None };
            return Rc::clone(&base).call(machine, args);
        };
        let class = self.class.clone();
        let bound = member::bind(&call, &self.this(), &class);
        Some(machine.call(&bound, args))
    }
    fn is_callable(&self) -> bool {
        self.class.find("__call__").is_some() || matches!(self.base(), Some(Value::Object(base)) if base.is_callable())
    }
    fn is_iterator(&self) -> bool {
        self.class.find("__next__").is_some()
    }
    fn next(&self, machine: &mut dyn Machine) -> Outcome<Option<Value>> {
        special::next(machine, &self.this())
    }
    fn same_key(&self, other: &Value) -> Option<bool> {
        let theirs = other.downcast::<Instance>();
        if self.is_plain_key() {
            let base = self.plain()?;
            return Some(match theirs {
                Some(theirs) if theirs.is_plain_key() => key_eq(&base, &theirs.plain()?),
                Some(_) => false,
                None => key_eq(&base, other),
            });
        }
        let (mine, theirs) = (self.asked.get()?, theirs?.asked.get()?);
        Some(mine == theirs)
    }
    fn plain(&self) -> Option<Value> {
        self.base().filter(|base| !written::is_part(base))
    }
    fn hash(&self) -> Option<u64> {
        match self.is_plain_key() {
            true => self.plain().map(|base| python_hash(&base) as u64),
            false => self.asked.get().map(|(hash, _)| hash as u64),
        }
    }
    fn is_hashable(&self) -> bool {
        match self.class.find("__hash__") {
            Some(found) => !matches!(found, Value::None),
            None => self.base.borrow().as_ref().is_none_or(besides::is_hashable),
        }
    }
    fn number(&self) -> Option<crate::dtype::Number> {
        self.base.borrow().as_ref()?.as_number()
    }
    fn entries(&self) -> Option<Rc<RefCell<Dict>>> {
        match self.base.borrow().as_ref()? {
            Value::Dict(entries) => Some(entries.clone()),
            Value::Object(object) => object.entries(),
            _ => None,
        }
    }
    fn copy(&self) -> Option<Value> {
        let copy = self.like();
        let mut first = true;
        let part = &mut |value: &Value| {
            // What it is besides is copied, its attributes are shared.
            let is_base = std::mem::take(&mut first) && self.base().is_some_and(|base| !written::is_part(&base));
            Ok(if is_base { besides::copy(value) } else { value.clone() })
        };
        copy.downcast::<Instance>()?.fill(self, part).ok()?;
        Some(copy)
    }
    fn length(&self) -> Option<usize> {
        truth::len(self.base.borrow().as_ref()?)
    }
    fn truth(&self) -> Option<Outcome<bool>> {
        Some(self.base().map_or(Ok(true), |base| truth::truth(&base)))
    }
    fn iter(self: Rc<Self>, machine: &mut dyn Machine) -> Option<Outcome> {
        if let Some(found) = self.ask(machine, "__iter__", vec![]) {
            return Some(match found {
                Ok(iterator) if iterator.is(&self.this()) => Ok(iterator),
                found => found.and_then(|iterator| special::iterator(machine, &iterator)),
            });
        }
        if let Some(base) = self.base().filter(|base| !written::is_part(base) || written::part_has(base, "__iter__")) {
            return crate::lang::types::iter::iter(machine, &base).transpose();
        }
        self.class.find("__getitem__").map(|_| Ok(special::by_index(self.this())))
    }
    fn contains(&self, machine: &mut dyn Machine, item: &Value) -> Option<Outcome<bool>> {
        match self.ask(machine, "__contains__", vec![item.clone()]) {
            Some(found) => Some(found.and_then(|answer| special::truth(machine, &answer))),
            None => match self.class.find("__iter__") {
                None => Some(crate::lang::operators::contains(machine, &self.base()?, item)),
                Some(_) => None,
            },
        }
    }
    fn index(self: Rc<Self>, machine: &mut dyn Machine, key: &Value) -> Option<Outcome> {
        self.ask(machine, "__getitem__", vec![key.clone()]).or_else(|| besides::item(machine, &self, key))
    }
    fn set_index(&self, machine: &mut dyn Machine, key: &Value, value: Option<Value>) -> Option<Outcome<()>> {
        let name = if value.is_some() { "__setitem__" } else { "__delitem__" };
        if let Some(done) = self.ask(machine, name, std::iter::once(key.clone()).chain(value.clone()).collect()) {
            return Some(done.map(|_| ()));
        }
        let base = self.base()?;
        Some(match value {
            Some(value) => machine.set_item(&base, key, value),
            None => machine.del_item(&base, key),
        })
    }
    fn unary(self: Rc<Self>, machine: &mut dyn Machine, op: &'static str) -> Option<Outcome> {
        let asked = special::unary_name(op).and_then(|name| self.ask(machine, name, vec![]));
        asked.or_else(|| besides::unary(machine, &self.base()?, op))
    }
    fn operate(self: Rc<Self>, machine: &mut dyn Machine, op: &'static str, other: &Value, reflected: bool) -> Option<Outcome> {
        special::operate(machine, &self.this(), op, other, reflected)
            .or_else(|| besides::operate(machine, &self.base()?, op, other, reflected))
    }
}
