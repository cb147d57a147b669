//! What a class does to the attributes of its objects and to them as keys, found out once for as long as no class changes.

use super::{Descriptor, UserClass, member, site};
use crate::lang::modules::collections::named_tuple;
use crate::value::Value;

/// What was found out.
#[derive(Clone, Copy)]
pub(super) struct Habits {
    /// No function of the class is asked when an attribute is set.
    pub sets_plainly: bool,
    /// It has a function that is asked for every attribute that is read.
    pub reads: bool,
    /// Its objects have the attributes that it names, and no others.
    pub slotted: bool,
    /// It says how its objects hash.
    pub hashes: bool,
}

impl UserClass {
    /// What it does.
    pub(super) fn habits(&self) -> Habits {
        let version = site::version();
        if let Some((_, known)) = self.habits.get().filter(|(known, _)| *known == version) {
            return known;
        }
        let every = || std::iter::once(self).chain(self.parents.iter().map(|class| &**class));
        let is_data = |member: &Value| member::descriptor(member) == Descriptor::Data;
        let slotted = every().all(|class| class.slots().is_some_and(|names| !names.iter().any(|name| name == "__dict__")));
        let is_named = self.native().is_some_and(named_tuple::is_class);
        let computes = is_named || every().any(|class| class.members.borrow().values().any(is_data));
        let found = Habits {
            sets_plainly: !slotted && !computes && self.find("__setattr__").is_none(),
            reads: self.find("__getattribute__").is_some(),
            slotted,
            hashes: self.find("__hash__").is_some_and(|hash| !matches!(hash, Value::None)),
        };
        self.habits.set(Some((version, found)));
        found
    }

    /// True where no function of the class is asked when an attribute is set.
    pub(super) fn sets_plainly(&self) -> bool {
        self.habits().sets_plainly
    }

    /// True where the class says how its objects hash.
    pub(super) fn says_hash(&self) -> bool {
        self.habits().hashes
    }

    /// The names in `__slots__` of the class itself; none where it has none.
    fn slots(&self) -> Option<Vec<String>> {
        let text = |value: &Value| if let Value::Str(text) = value { Some(text.to_string()) } else { None };
        match self.members.borrow().get("__slots__")? {
            Value::Dict(entries) => Some(entries.borrow().keys().filter_map(|key| text(key.value())).collect()),
            names => Some(
                names.items().map_or_else(|| text(names).into_iter().collect(), |names| names.iter().filter_map(text).collect()),
            ),
        }
    }

    /// True for a name that its objects have a place for, where they are slotted.
    pub(super) fn has_slot(&self, name: &str) -> bool {
        let mut every = std::iter::once(self).chain(self.parents.iter().map(|class| &**class));
        every.any(|class| class.slots().is_some_and(|names| names.iter().any(|own| own == name)))
    }
}
