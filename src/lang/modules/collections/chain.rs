//! `ChainMap`: several dicts looked at as one.

use crate::lang::types::call::{Builtin, Call, Table, Takes, row};
use crate::lang::types::dict::{self, key_error};
use crate::lang::types::{overall, repr};
use crate::value::{Dict, Key, Machine, Object, Outcome, Raise, Value};
use std::any::Any;
use std::rc::Rc;

/// The dicts, the first one for what is written.
struct ChainMap {
    maps: Vec<Value>,
}

/// `ChainMap(*maps)`
pub fn construct(c: &mut Call<'_>) -> Outcome {
    let maps = c.args();
    Ok(Value::object(ChainMap { maps: if maps.is_empty() { vec![Value::dict(Dict::default())] } else { maps } }))
}

static METHODS: Table = Table {
    owner: "ChainMap",
    rows: Table::sorted(&[
        row("get", Takes::Between(1, 2), |c| {
            let key = c.arg(0).clone();
            let key = Key::of(c.machine, key)?;
            Ok(own(c)?.found(&key).unwrap_or_else(|| c.arg(1).clone()))
        }),
        row("items", Takes::Nothing, |c| by_entries(c, "items")),
        row("keys", Takes::Nothing, |c| by_entries(c, "keys")),
        row("new_child", Takes::Any, |c| {
            let mut first = Dict::default();
            if let Some(entries) = c.get(0).and_then(dict::entries_of) {
                first.extend(entries.borrow().iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            for (name, value) in std::mem::take(&mut c.keyword) {
                first.insert(Key::from(&*name), value);
            }
            let maps = [vec![Value::dict(first)], own(c)?.maps.clone()].concat();
            Ok(Value::object(ChainMap { maps }))
        }),
        row("pop", Takes::Between(1, 2), |c| {
            let (key, first) = (c.arg(0).clone(), own(c)?.first());
            let found = Key::of(c.machine, key.clone()).ok();
            let gone = first.and_then(|entries| entries.borrow_mut().shift_remove(&found?));
            match (gone, c.get(1)) {
                (Some(value), _) => Ok(value),
                (None, Some(default)) => Ok(default.clone()),
                (None, None) => Err(not_in_first(&key)),
            }
        }),
        row("values", Takes::Nothing, |c| by_entries(c, "values")),
    ]),
};

fn own<'c>(c: &Call<'c>) -> Outcome<&'c ChainMap> {
    match c.this.downcast::<ChainMap>() {
        Some(chain) => Ok(chain),
        None => fault!(TypeError, "a ChainMap is needed, not {}", c.this.type_name()),
    }
}

/// What a method of dicts gives for all entries.
fn by_entries(c: &mut Call<'_>, name: &str) -> Outcome {
    let entries = Value::dict(own(c)?.all());
    let method = c.machine.attr(&entries, name)?;
    c.machine.call(&method, Default::default())
}

fn not_in_first(key: &Value) -> Raise {
    let shown = repr::repr(key).unwrap_or_default();
    key_error(&Value::from(format!("Key not found in the first mapping: {shown}")))
}

impl ChainMap {
    fn first(&self) -> Option<dict::Entries> {
        self.maps.first().and_then(dict::entries_of)
    }

    fn found(&self, key: &Key) -> Option<Value> {
        self.maps.iter().find_map(|map| dict::entries_of(map)?.borrow().get(key).cloned())
    }

    /// The entries in the order of the last dict, each with the value that is found first.
    fn all(&self) -> Dict {
        let mut all = Dict::default();
        for map in self.maps.iter().rev().filter_map(dict::entries_of) {
            all.extend(map.borrow().iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        all
    }
}

impl Object for ChainMap {
    fn type_name(&self) -> String {
        "ChainMap".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let maps: Vec<String> = self.maps.iter().map(|map| repr::repr(map).unwrap_or_default()).collect();
        format!("ChainMap({})", maps.join(", "))
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "maps" => Some(Value::list(self.maps.clone())),
            "parents" => {
                let rest: Vec<Value> = self.maps.iter().skip(1).cloned().collect();
                let maps = if rest.is_empty() { vec![Value::dict(Dict::default())] } else { rest };
                Some(Value::object(ChainMap { maps }))
            }
            _ => METHODS.find(name).map(|row| Builtin::method(&METHODS, row, Value::shared(self))),
        })
    }
    fn attributes(&self) -> Vec<String> {
        METHODS.names().into_iter().chain(["maps", "parents"].map(String::from)).collect()
    }
    fn is_hashable(&self) -> bool {
        false
    }
    fn length(&self) -> Option<usize> {
        Some(self.all().len())
    }
    fn iter(self: Rc<Self>, machine: &mut dyn Machine) -> Option<Outcome> {
        Some(machine.iter(&Value::dict(self.all())))
    }
    fn contains(&self, machine: &mut dyn Machine, item: &Value) -> Option<Outcome<bool>> {
        Some(Key::of(machine, item.clone()).map(|key| self.found(&key).is_some()))
    }
    fn index(self: Rc<Self>, machine: &mut dyn Machine, key: &Value) -> Option<Outcome> {
        Some(Key::of(machine, key.clone()).and_then(|found| self.found(&found).ok_or_else(|| key_error(key))))
    }
    fn set_index(&self, machine: &mut dyn Machine, key: &Value, value: Option<Value>) -> Option<Outcome<()>> {
        let first = self.first()?;
        Some(match value {
            Some(value) => dict::set_index(machine, &first, key, value),
            None => dict::del_index(machine, &first, key).map_err(|_| not_in_first(key)),
        })
    }
    fn operate(self: Rc<Self>, machine: &mut dyn Machine, op: &'static str, other: &Value, _: bool) -> Option<Outcome> {
        if !matches!(op, "==" | "!=") {
            return None;
        }
        let theirs = match other.downcast::<ChainMap>() {
            Some(other) => other.all(),
            None => dict::entries_of(other)?.borrow().clone(),
        };
        let same = overall::equal(machine, &Value::dict(self.all()), &Value::dict(theirs));
        Some(same.map(|same| Value::Bool(same == (op == "=="))))
    }
}
