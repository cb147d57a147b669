//! The variables outside functions, in slots that compiled code refers to by number.

use crate::syntax::ast::Name;
use crate::value::{Dict, Key, Value};
use indexmap::IndexMap;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Whose names a text sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Namespace {
    /// The user's program.
    User,
    /// The text of composed operations: built-in modules only, whatever the user has rebound.
    Library,
}

/// All global variables and built-ins. A slot, once given out, keeps its name.
#[derive(Default)]
pub struct Globals {
    slots: Vec<Option<Value>>,
    names: Vec<Name>,
    user: IndexMap<Name, u32>,
    library: HashMap<Name, u32>,
    builtins: Vec<Option<Value>>,
    builtin_slots: IndexMap<Name, u32>,
}

impl Globals {
    /// The slot of a name, given out when it has none.
    pub fn slot(&mut self, namespace: Namespace, name: &Name) -> u32 {
        let known = match namespace {
            Namespace::User => self.user.get(name),
            Namespace::Library => self.library.get(name),
        };
        if let Some(slot) = known {
            return *slot;
        }
        let slot = self.slots.len() as u32;
        self.slots.push(None);
        self.names.push(name.clone());
        match namespace {
            Namespace::User => drop(self.user.insert(name.clone(), slot)),
            Namespace::Library => drop(self.library.insert(name.clone(), slot)),
        }
        slot
    }

    /// The value in a slot.
    #[inline]
    pub fn at(&self, slot: u32) -> Option<&Value> {
        self.slots.get(slot as usize).and_then(Option::as_ref)
    }

    /// Puts a value into a slot, or empties it; gives what was there.
    pub fn put(&mut self, slot: u32, value: Option<Value>) -> Option<Value> {
        match self.slots.get_mut(slot as usize) {
            Some(place) => std::mem::replace(place, value),
            None => None,
        }
    }

    /// The name of a slot.
    pub fn name_of(&self, slot: u32) -> Name {
        self.names.get(slot as usize).cloned().unwrap_or_else(|| "?".into())
    }

    /// The value of a name of the user's.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.user.get(name).and_then(|slot| self.at(*slot))
    }

    /// Gives a name of the user's a value.
    pub fn set(&mut self, name: &str, value: Value) {
        let slot = self.slot(Namespace::User, &name.into());
        self.put(slot, Some(value));
    }

    /// Gives a name that composed operations see a value.
    pub fn set_library(&mut self, name: &str, value: Value) {
        let slot = self.slot(Namespace::Library, &name.into());
        self.put(slot, Some(value));
    }

    /// Begins a namespace without names for the user's program; gives the one so far. Code that was compiled keeps its own.
    pub fn enter(&mut self) -> IndexMap<Name, u32> {
        std::mem::take(&mut self.user)
    }

    /// Returns to a namespace that [`Globals::enter`] gave.
    pub fn leave(&mut self, outside: IndexMap<Name, u32>) {
        self.user = outside;
    }

    /// Forgets a name of the user's; gives what it had.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let slot = *self.user.get(name)?;
        self.put(slot, None)
    }

    /// The user's variables in the order their names were first seen.
    pub fn variables(&self) -> impl Iterator<Item = (&Name, &Value)> {
        self.user.iter().filter_map(|(name, slot)| Some((name, self.at(*slot)?)))
    }

    /// The place of a built-in.
    pub fn builtin_slot(&self, name: &str) -> Option<u32> {
        self.builtin_slots.get(name).copied()
    }

    /// The built-in in a place.
    pub fn builtin_at(&self, slot: u32) -> Option<&Value> {
        self.builtins.get(slot as usize).and_then(Option::as_ref)
    }

    /// Gives a built-in a value; none keeps the place without a value.
    pub fn set_builtin(&mut self, name: &str, value: Option<Value>) {
        match self.builtin_slots.get(name) {
            Some(slot) => self.builtins[*slot as usize] = value,
            None => {
                self.builtin_slots.insert(name.into(), self.builtins.len() as u32);
                self.builtins.push(value);
            }
        }
    }

    /// The built-ins that have a value.
    pub fn builtins(&self) -> impl Iterator<Item = (&Name, &Value)> {
        self.builtin_slots.iter().filter_map(|(name, slot)| Some((name, self.builtin_at(*slot)?)))
    }
}

/// The dict that calls of `globals` give, and what was in it when it was given last. What a program has put into it since,
/// `globals()["x"] = 1`, is a variable once somebody asks.
#[derive(Default)]
pub struct HandedOut {
    names: Rc<RefCell<Dict>>,
    known: Dict,
}

impl HandedOut {
    /// The dict with the variables as they are now, after those that the program has put into it.
    pub fn give(&mut self, globals: &mut Globals) -> Value {
        let put: Vec<_> = self.names.borrow().iter().filter_map(|(key, value)| self.is_new(key, value)).collect();
        put.into_iter().for_each(|(name, value)| globals.set(&name, value));
        self.known = globals.variables().map(|(name, value)| (Key::from(&**name), value.clone())).collect();
        self.names.replace(self.known.clone());
        Value::Dict(self.names.clone())
    }

    /// The value of a variable that has none but in the dict, where the program has put it; from now on it has that one.
    pub fn adopt(&mut self, globals: &mut Globals, slot: u32) -> Option<Value> {
        let key = Key::from(&*globals.name_of(slot));
        let value = self.names.borrow().get(&key).cloned()?;
        let (_, value) = self.is_new(&key, &value)?;
        globals.put(slot, Some(value.clone()));
        self.known.insert(key, value.clone());
        Some(value)
    }

    fn is_new(&self, key: &Key, value: &Value) -> Option<(Name, Value)> {
        let Value::Str(name) = key.value() else { return None };
        let is_known = self.known.get(key).is_some_and(|old| old.is(value));
        (!is_known).then(|| (name.as_str().into(), value.clone()))
    }
}
