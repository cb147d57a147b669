//! `d.keys()`, `d.values()`, `d.items()`: views that follow the dict.

use super::call::{Builtin, Table, Takes, row};
use super::dict::{self, Entries};
use super::reused::Reused;
use super::{compare, repr, set};
use crate::syntax::ast::{BinaryOp, CompareOp};
use crate::value::{Key, Machine, Object, Outcome, Set, Value};
use std::any::Any;
use std::rc::Rc;

/// Which part of the entries a view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `d.keys()`
    Keys,
    /// `d.values()`
    Values,
    /// `d.items()`
    Items,
}

impl Kind {
    fn show(self) -> fn(&Key, &Value) -> Value {
        match self {
            Kind::Keys => |key, _| key.value().clone(),
            Kind::Values => |_, value| value.clone(),
            Kind::Items => |key, value| Value::tuple(vec![key.value().clone(), value.clone()]),
        }
    }

    /// Names of the view, its iterator and its reversed iterator.
    fn names(self) -> [&'static str; 3] {
        match self {
            Kind::Keys => ["dict_keys", "dict_keyiterator", "dict_reversekeyiterator"],
            Kind::Values => ["dict_values", "dict_valueiterator", "dict_reversevalueiterator"],
            Kind::Items => ["dict_items", "dict_itemiterator", "dict_reverseitemiterator"],
        }
    }
}

/// A view of a dict.
pub struct View {
    kind: Kind,
    entries: Entries,
    /// Of an `OrderedDict`, whose views have names of their own.
    ordered: bool,
}

static METHODS: Table = Table {
    owner: "dict_keys",
    rows: Table::sorted(&[row("isdisjoint", Takes::One, |c| {
        let other = c.arg(0).clone();
        let (mine, other) = (set::from_iterable(c.machine, c.this)?, set::from_iterable(c.machine, &other)?);
        Ok(Value::Bool(mine.iter().all(|key| !other.contains(key))))
    })]),
};

impl View {
    /// A view of the entries.
    pub fn value(kind: Kind, entries: Entries) -> Value {
        Value::object(View { kind, entries, ordered: false })
    }

    /// A view of the entries of an `OrderedDict`.
    pub fn ordered(kind: Kind, entries: Entries) -> Value {
        Value::object(View { kind, entries, ordered: true })
    }

    fn items(&self) -> Vec<Value> {
        self.entries.borrow().iter().map(|(k, v)| (self.kind.show())(k, v)).collect()
    }

    /// The items from the last to the first, for `reversed`.
    pub fn reversed(&self) -> Value {
        dict::walk_back(self.kind.names()[2], self.entries.clone(), self.kind.show())
    }
}

impl Object for View {
    fn type_name(&self) -> String {
        let name = self.kind.names()[0];
        if self.ordered { format!("o{name}") } else { name.into() }
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let id = Rc::as_ptr(&self.entries) as u64 ^ self.kind as u64;
        repr::of_container(id, "...", || Ok(format!("{}({})", self.type_name(), repr::repr(&Value::list(self.items()))?)))
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        if name == "mapping" {
            return Ok(Some(Value::Dict(self.entries.clone())));
        }
        let found = METHODS.find(name).filter(|_| self.kind != Kind::Values);
        Ok(found.map(|row| Builtin::method(&METHODS, row, Value::shared(self))))
    }
    fn attributes(&self) -> Vec<String> {
        let own: &[&str] = if self.kind == Kind::Values { &["mapping"] } else { &["isdisjoint", "mapping"] };
        own.iter().map(|n| n.to_string()).collect()
    }
    fn length(&self) -> Option<usize> {
        Some(self.entries.borrow().len())
    }
    fn is_hashable(&self) -> bool {
        self.kind == Kind::Values
    }
    fn iter(self: Rc<Self>, _machine: &mut dyn Machine) -> Option<Outcome> {
        let (name, entries) = (self.kind.names()[1], self.entries.clone());
        let mut pair = Reused::default();
        Some(Ok(match self.kind {
            Kind::Items => dict::walk(name, entries, move |key, value| pair.tuple([key.value().clone(), value.clone()])),
            kind => dict::walk(name, entries, kind.show()),
        }))
    }
    fn contains(&self, machine: &mut dyn Machine, item: &Value) -> Option<Outcome<bool>> {
        match self.kind {
            Kind::Keys => Some(dict::contains(machine, &self.entries, item)),
            Kind::Values => None,
            Kind::Items => Some(self.holds_item(machine, item)),
        }
    }
    fn operate(self: Rc<Self>, machine: &mut dyn Machine, op: &'static str, other: &Value, reflected: bool) -> Option<Outcome> {
        if self.kind == Kind::Values {
            return None;
        }
        match (BinaryOp::from_symbol(op), CompareOp::from_symbol(op)) {
            (Some(op), _) => self.combine(machine, op, other, reflected),
            (None, Some(op)) => self.compare(op, other),
            (None, None) => None,
        }
    }
}

impl View {
    fn holds_item(&self, machine: &mut dyn Machine, item: &Value) -> Outcome<bool> {
        let Some([key, value]) = item.sequence().and_then(|items| <[Value; 2]>::try_from(items).ok()) else {
            return Ok(false);
        };
        let key = Key::of(machine, key)?;
        let found = self.entries.borrow().get(&key).cloned();
        found.map_or(Ok(false), |mine| compare::same(machine, &mine, &value))
    }

    fn combine(&self, machine: &mut dyn Machine, op: BinaryOp, other: &Value, reflected: bool) -> Option<Outcome> {
        if !matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Sub) {
            return None;
        }
        let mine = Value::list(self.items());
        let (a, b) = if reflected { (other, &mine) } else { (&mine, other) };
        let sets = set::from_iterable(machine, a).and_then(|a| Ok((a, set::from_iterable(machine, b)?)));
        Some(sets.map(|(a, b)| set::combine(op, &a, &b).map_or(Value::None, set::value)))
    }

    fn compare(&self, op: CompareOp, other: &Value) -> Option<Outcome> {
        let theirs: Set = match other {
            Value::Object(o) => match o.as_any().downcast_ref::<View>() {
                Some(view) if view.kind != Kind::Values => keys(view.items())?,
                _ => set::elements(other)?,
            },
            _ => set::elements(other)?,
        };
        Some(Ok(Value::Bool(set::order(op, &keys(self.items())?, &theirs))))
    }
}

fn keys(items: Vec<Value>) -> Option<Set> {
    items.into_iter().map(Key::new).collect::<Outcome<Set>>().ok()
}
