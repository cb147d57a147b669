//! `defaultdict`, `OrderedDict`, `Counter`: dicts with something more.

use super::counter;
use crate::lang::types::call::{Builtin, Call, Table, Takes, keywords, row};
use crate::lang::types::dict::{self, Entries, key_error};
use crate::lang::types::views::{self, View};
use crate::lang::types::{convert, overall, repr};
use crate::syntax::ast::{BinaryOp, CompareOp};
use crate::value::{CallArgs, Dict, Key, Machine, Object, Outcome, Value};
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// Which class it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// `collections.Counter`
    Counter,
    /// `collections.OrderedDict`
    Ordered,
    /// `collections.defaultdict`
    Default,
}

/// A dict of one of these classes.
pub struct Mapping {
    /// Which class.
    pub kind: Kind,
    /// The entries.
    pub entries: Entries,
    /// What `defaultdict` calls for a missing key; `None` for none.
    pub factory: Value,
}

/// `OrderedDict(…)`.
pub fn ordered(c: &mut Call<'_>) -> Outcome {
    if c.count() > 1 {
        fault!(TypeError, "expected at most 1 arguments, got {}", c.count());
    }
    make(c, Kind::Ordered, Value::None, 0)
}

/// An `OrderedDict` of these entries.
pub fn ordered_dict(entries: Dict) -> Value {
    Value::object(Mapping { kind: Kind::Ordered, entries: Rc::new(RefCell::new(entries)), factory: Value::None })
}

/// `defaultdict(factory, …)`.
pub fn with_default(c: &mut Call<'_>) -> Outcome {
    let factory = c.arg(0).clone();
    if !matches!(factory, Value::None) && !convert::is_callable(&factory) {
        fault!(TypeError, "first argument must be callable or None");
    }
    make(c, Kind::Default, factory, 1)
}

fn make(c: &mut Call<'_>, kind: Kind, factory: Value, from: usize) -> Outcome {
    let (entries, source) = (Entries::default(), c.get(from).cloned());
    let named = std::mem::take(&mut c.keyword);
    dict::fill(c.machine, &entries, source.as_ref(), named)?;
    Ok(Value::object(Mapping { kind, entries, factory }))
}

static ORDERED_METHODS: Table = Table {
    owner: "OrderedDict",
    rows: Table::sorted(&[
        row("items", Takes::Nothing, |c| view(c, views::Kind::Items)),
        row("keys", Takes::Nothing, |c| view(c, views::Kind::Keys)),
        row("move_to_end", keywords(&["key", "last"], 1, 2), move_to_end),
        row("popitem", POP_ITEM, pop_item),
        row("values", Takes::Nothing, |c| view(c, views::Kind::Values)),
    ]),
};

fn view(c: &mut Call<'_>, kind: views::Kind) -> Outcome {
    Ok(View::ordered(kind, mapping(c)?.entries.clone()))
}

const POP_ITEM: Takes = keywords(&["last"], 0, 1);

fn mapping<'c>(c: &'c Call<'_>) -> Outcome<&'c Mapping> {
    match c.this.downcast::<Mapping>() {
        Some(mapping) => Ok(mapping),
        None => fault!(TypeError, "an OrderedDict is needed, not {}", c.this.type_name()),
    }
}

fn move_to_end(c: &mut Call<'_>) -> Outcome {
    let (key, last) = (c.arg(0).clone(), c.get(1).map_or(Ok(true), overall::truth)?);
    let key = Key::of(c.machine, key)?;
    let mut entries = mapping(c)?.entries.borrow_mut();
    let Some(place) = entries.get_index_of(&key) else { return Err(key_error(key.value())) };
    let end = if last { entries.len() - 1 } else { 0 };
    entries.move_index(place, end);
    Ok(Value::None)
}

fn pop_item(c: &mut Call<'_>) -> Outcome {
    let last = c.get(0).map_or(Ok(true), overall::truth)?;
    let mut entries = mapping(c)?.entries.borrow_mut();
    match if last { entries.pop() } else { entries.shift_remove_index(0) } {
        Some((key, value)) => Ok(Value::tuple(vec![key.into_value(), value])),
        None => Err(key_error(&Value::from("dictionary is empty"))),
    }
}

impl Mapping {
    fn with_entries(&self, entries: crate::value::Dict) -> Value {
        let entries = Entries::new(entries.into());
        Value::object(Mapping { kind: self.kind.clone(), entries, factory: self.factory.clone() })
    }

    /// The value of a key that is not there.
    fn missing(&self, machine: &mut dyn Machine, key: Key) -> Outcome {
        match (&self.kind, &self.factory) {
            (Kind::Counter, _) => Ok(Value::Int(0)),
            (Kind::Ordered, _) | (_, Value::None) => Err(dict::missing(machine, key.value())),
            (Kind::Default, factory) => {
                let value = machine.call(factory, CallArgs::default())?;
                self.entries.borrow_mut().insert(key, value.clone());
                Ok(value)
            }
        }
    }

    fn text(&self) -> Outcome<String> {
        let entries = self.entries.borrow().clone();
        let mut shown = String::new();
        Ok(match self.kind {
            Kind::Default => {
                repr::write_dict(&mut shown, &entries)?;
                format!("defaultdict({}, {shown})", repr::repr(&self.factory)?)
            }
            Kind::Ordered if entries.is_empty() => "OrderedDict()".into(),
            Kind::Ordered => {
                let pairs = entries.iter().map(|(k, v)| Value::tuple(vec![k.value().clone(), v.clone()])).collect();
                format!("OrderedDict({})", repr::repr(&Value::list(pairs))?)
            }
            Kind::Counter if entries.is_empty() => "Counter()".into(),
            Kind::Counter => {
                repr::write_dict(&mut shown, &counter::most_common(&entries).into_iter().collect())?;
                format!("Counter({shown})")
            }
        })
    }

    fn own_methods(&self) -> Option<&'static Table> {
        match self.kind {
            Kind::Counter => Some(&counter::METHODS),
            Kind::Ordered => Some(&ORDERED_METHODS),
            Kind::Default => None,
        }
    }
}

impl Object for Mapping {
    fn type_name(&self) -> String {
        match self.kind {
            Kind::Counter => "Counter",
            Kind::Ordered => "collections.OrderedDict",
            Kind::Default => "collections.defaultdict",
        }
        .into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        repr::of_container(Rc::as_ptr(&self.entries) as u64, "...", || self.text())
    }
    fn entries(&self) -> Option<Entries> {
        Some(self.entries.clone())
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        if name == "default_factory" && self.kind == Kind::Default {
            return Ok(Some(self.factory.clone()));
        }
        if name == "copy" {
            return Ok(COPY.find(name).map(|row| Builtin::method(&COPY, row, Value::shared(self))));
        }
        if let Some(table) = self.own_methods()
            && let Some(row) = table.find(name)
        {
            return Ok(Some(Builtin::method(table, row, Value::shared(self))));
        }
        // The methods of dicts work on the entries themselves.
        Ok(dict::METHODS.find(name).map(|row| Builtin::method(&dict::METHODS, row, Value::Dict(self.entries.clone()))))
    }
    fn attributes(&self) -> Vec<String> {
        let mut names = dict::METHODS.names();
        names.extend(self.own_methods().map(Table::names).unwrap_or_default());
        names
    }
    fn copy(&self) -> Option<Value> {
        Some(self.with_entries(self.entries.borrow().clone()))
    }
    fn deep_copy(&self, copy: &mut dyn FnMut(&Value) -> Outcome) -> Option<Outcome> {
        let entries = self.entries.borrow().clone().into_iter();
        let copies = entries.map(|(key, value)| Ok((Key::new(copy(key.value())?)?, copy(&value)?)));
        Some(copies.collect::<Outcome<Dict>>().map(|copies| self.with_entries(copies)))
    }
    fn is_hashable(&self) -> bool {
        false
    }
    fn length(&self) -> Option<usize> {
        Some(self.entries.borrow().len())
    }
    fn iter(self: Rc<Self>, _machine: &mut dyn Machine) -> Option<Outcome> {
        Some(Ok(dict::iter_keys(self.entries.clone())))
    }
    fn contains(&self, machine: &mut dyn Machine, item: &Value) -> Option<Outcome<bool>> {
        Some(dict::contains(machine, &self.entries, item))
    }
    fn index(self: Rc<Self>, machine: &mut dyn Machine, key: &Value) -> Option<Outcome> {
        let key = match Key::of(machine, key.clone()) {
            Ok(key) => key,
            Err(raise) => return Some(Err(raise)),
        };
        let found = self.entries.borrow().get(&key).cloned();
        Some(found.map_or_else(|| self.missing(machine, key), Ok))
    }
    fn set_index(&self, machine: &mut dyn Machine, key: &Value, value: Option<Value>) -> Option<Outcome<()>> {
        Some(match value {
            Some(value) => dict::set_index(machine, &self.entries, key, value),
            None if self.kind == Kind::Counter => dict::del_index(machine, &self.entries, key).or(Ok(())),
            None => dict::del_index(machine, &self.entries, key),
        })
    }
    fn unary(self: Rc<Self>, machine: &mut dyn Machine, op: &'static str) -> Option<Outcome> {
        match self.kind {
            Kind::Counter => counter::unary(machine, op, &self.entries.borrow().clone()),
            _ => None,
        }
    }
    fn operate(self: Rc<Self>, machine: &mut dyn Machine, op: &'static str, other: &Value, reflected: bool) -> Option<Outcome> {
        let theirs = dict::entries_of(other)?;
        let both_count = self.kind == Kind::Counter && other.downcast::<Mapping>().is_some_and(|m| m.kind == Kind::Counter);
        if both_count && let Some(op) = CompareOp::from_symbol(op) {
            let (mine, theirs) = (self.entries.borrow().clone(), theirs.borrow().clone());
            let (a, b) = if reflected { (theirs, mine) } else { (mine, theirs) };
            return Some(counter::compare(machine, op, &a, &b).map(Value::Bool));
        }
        if matches!(op, "==" | "!=") {
            let (mine, theirs) = (Value::Dict(self.entries.clone()), Value::Dict(theirs));
            let ordered = self.kind == Kind::Ordered && other.downcast::<Mapping>().is_some_and(|m| m.kind == Kind::Ordered);
            return Some(equal(machine, &mine, &theirs, ordered).map(|eq| Value::Bool(eq == (op == "=="))));
        }
        let op = BinaryOp::from_symbol(op)?;
        if self.kind == Kind::Counter {
            other.downcast::<Mapping>().filter(|m| m.kind == Kind::Counter)?;
            return counter::combine(machine, op, &self.entries.borrow().clone(), &theirs.borrow().clone());
        }
        if op != BinaryOp::BitOr {
            return None;
        }
        let (first, second) = if reflected { (&theirs, &self.entries) } else { (&self.entries, &theirs) };
        let mut both = first.borrow().clone();
        both.extend(second.borrow().iter().map(|(k, v)| (k.clone(), v.clone())));
        Some(Ok(self.with_entries(both)))
    }
}

fn equal(machine: &mut dyn Machine, a: &Value, b: &Value, ordered: bool) -> Outcome<bool> {
    if ordered && let (Value::Dict(x), Value::Dict(y)) = (a, b) {
        let same_order = x.borrow().keys().eq(y.borrow().keys());
        if !same_order {
            return Ok(false);
        }
    }
    overall::equal(machine, a, b)
}

static COPY: Table = Table {
    owner: "dict",
    rows: Table::sorted(&[row("copy", Takes::Nothing, |c| match c.this {
        Value::Object(object) => Ok(object.copy().unwrap_or(Value::None)),
        other => Ok(other.clone()),
    })]),
};
