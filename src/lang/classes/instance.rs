//! Objects of classes that build on no other class than `object`, or on one that only marks what they are.

use super::{UserClass, member, special};
use crate::value::{CallArgs, Dict, Key, Machine, NameRef, Object, ObjectRef, Outcome, Value};
use std::any::Any;
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// An object.
pub struct Instance {
    me: Weak<Instance>,
    class: Rc<UserClass>,
    /// Its attributes, as `__dict__` gives them.
    own: Rc<RefCell<Dict>>,
    /// Its texts, `repr` and `str`, where functions of the class gave them last: what is shown has no evaluator at hand.
    pub(super) shown: RefCell<[Option<String>; 2]>,
}

impl Instance {
    /// One without attributes.
    pub fn make(class: Rc<UserClass>) -> Value {
        Instance::with(class, Dict::default())
    }

    fn with(class: Rc<UserClass>, own: Dict) -> Value {
        let own = Rc::new(RefCell::new(own));
        Value::shared(Rc::new_cyclic(|me| Instance { me: me.clone(), class, own, shown: RefCell::default() }))
    }

    fn this(&self) -> Value {
        self.me.upgrade().map_or(Value::None, |me| Value::Object(ObjectRef::new(me)))
    }

    /// Its class.
    pub(super) fn of(&self) -> &UserClass {
        &self.class
    }

    /// An attribute of its own.
    pub(super) fn held(&self, name: &str) -> Option<Value> {
        self.own.borrow().get(&NameRef(name)).cloned()
    }

    /// One of the same class with the same attributes, each copied by this.
    fn like(&self, mut copy: impl FnMut(&Value) -> Outcome) -> Outcome {
        let own = self.own.borrow().clone().into_iter().map(|(name, value)| Ok((name, copy(&value)?)));
        Ok(Instance::with(self.class.clone(), own.collect::<Outcome<Dict>>()?))
    }

    fn ask(&self, machine: &mut dyn Machine, name: &str, args: Vec<Value>) -> Option<Outcome> {
        self.class.find(name)?;
        special::ask(machine, &self.this(), name, args)
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
        match &self.shown.borrow()[0] {
            Some(text) => text.clone(),
            None => format!("<__main__.{} object at {:#x}>", self.class.qualname, std::ptr::from_ref(self).addr()),
        }
    }
    fn str(&self) -> String {
        self.shown.borrow()[1].clone().unwrap_or_else(|| self.repr())
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        let found = self.class.find(name);
        if found.as_ref().is_some_and(member::is_computed) {
            return Ok(None);
        }
        if let Some(value) = self.held(name) {
            return Ok(Some(value));
        }
        if let Some(found) = found {
            return Ok(Some(member::bind(&found, &self.this(), &self.class)));
        }
        Ok(match name {
            "__dict__" => Some(Value::Dict(self.own.clone())),
            "__doc__" => Some(self.class.doc.as_deref().map_or(Value::None, Value::from)),
            "__module__" => Some(Value::from("__main__")),
            _ => None,
        })
    }
    fn computed(self: Rc<Self>, machine: &mut dyn Machine, name: &str) -> Option<Outcome> {
        let class = self.class.clone();
        member::computed(machine, &class, &self.this(), name)
    }
    fn set_attr(&self, name: &str, value: Value) -> Outcome<bool> {
        let mut own = self.own.borrow_mut();
        match own.get_mut(&NameRef(name)) {
            // What was there goes when nothing is borrowed any more.
            Some(place) => {
                let before = std::mem::replace(place, value);
                drop(own);
                drop(before);
            }
            None => drop(own.insert(Key::from(name), value)),
        }
        Ok(true)
    }
    fn del_attr(&self, name: &str) -> bool {
        self.own.borrow_mut().shift_remove(&NameRef(name)).is_some()
    }
    fn attributes(&self) -> Vec<String> {
        let own = self.own.borrow();
        let own = own.keys().filter_map(|name| if let Value::Str(name) = name.value() { Some(name.to_string()) } else { None });
        own.chain(self.class.names()).collect()
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        let call = self.class.find("__call__")?;
        let class = self.class.clone();
        let bound = member::bind(&call, &self.this(), &class);
        Some(machine.call(&bound, args))
    }
    fn is_callable(&self) -> bool {
        self.class.find("__call__").is_some()
    }
    fn is_iterator(&self) -> bool {
        self.class.find("__next__").is_some()
    }
    fn next(&self, machine: &mut dyn Machine) -> Outcome<Option<Value>> {
        special::next(machine, &self.this())
    }
    fn copy(&self) -> Option<Value> {
        self.like(|value| Ok(value.clone())).ok()
    }
    fn deep_copy(&self, copy: &mut dyn FnMut(&Value) -> Outcome) -> Option<Outcome> {
        Some(self.like(copy))
    }
    fn is_hashable(&self) -> bool {
        let class = self.class.find("__hash__").or_else(|| self.class.find("__eq__").map(|_| Value::None));
        !matches!(class, Some(Value::None))
    }
    fn truth(&self) -> Option<Outcome<bool>> {
        Some(Ok(true))
    }
    fn iter(self: Rc<Self>, machine: &mut dyn Machine) -> Option<Outcome> {
        if let Some(found) = self.ask(machine, "__iter__", vec![]) {
            return Some(match found {
                Ok(iterator) if iterator.is(&self.this()) => Ok(iterator),
                found => found.and_then(|iterator| machine.iter(&iterator)),
            });
        }
        self.class.find("__getitem__").map(|_| Ok(special::by_index(self.this())))
    }
    fn contains(&self, machine: &mut dyn Machine, item: &Value) -> Option<Outcome<bool>> {
        let found = self.ask(machine, "__contains__", vec![item.clone()])?;
        Some(found.and_then(|answer| special::truth(machine, &answer)))
    }
    fn index(self: Rc<Self>, machine: &mut dyn Machine, key: &Value) -> Option<Outcome> {
        self.ask(machine, "__getitem__", vec![key.clone()])
    }
    fn set_index(&self, machine: &mut dyn Machine, key: &Value, value: Option<Value>) -> Option<Outcome<()>> {
        let name = if value.is_some() { "__setitem__" } else { "__delitem__" };
        self.ask(machine, name, std::iter::once(key.clone()).chain(value).collect()).map(|done| done.map(|_| ()))
    }
    fn unary(self: Rc<Self>, machine: &mut dyn Machine, op: &'static str) -> Option<Outcome> {
        let name = special::unary_name(op)?;
        self.ask(machine, name, vec![])
    }
    fn operate(self: Rc<Self>, machine: &mut dyn Machine, op: &'static str, other: &Value, reflected: bool) -> Option<Outcome> {
        special::operate(machine, &self.this(), op, other, reflected)
    }
}
