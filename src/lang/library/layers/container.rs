//! `torch.nn.Sequential`, `ModuleList`, `ModuleDict`: layers that hold layers.

use super::kinds::{self, Kind};
use super::{Layer, Names, layer};
use crate::lang::library::construct::Unless;
use crate::lang::types::call::{Call, Table, Takes, def, row};
use crate::lang::types::class::class_text;
use crate::lang::types::{dict, iter};
use crate::value::{CallArgs, Dict, Key, Machine, Outcome, Value};
use std::rc::Rc;

/// Layers one after the other.
pub(super) static SEQUENTIAL: Kind = kinds::container("Sequential", &[("input", Unless::Required)]);
/// A list of layers.
pub(super) static LIST: Kind = kinds::container("ModuleList", &[]);
/// Layers by name.
pub(super) static DICT: Kind = kinds::container("ModuleDict", &[]);

/// The layers that a container is made with, by name.
pub(super) fn children(machine: &mut dyn Machine, kind: &Kind, args: CallArgs) -> Outcome<Names> {
    let parts = args.positional;
    let named = match &parts[..] {
        [only] if kind.name != "ModuleList" => dict::entries_of(only),
        _ => None,
    };
    let pairs: Vec<(Rc<str>, Value)> = match (named, kind.name) {
        (Some(entries), _) => entries.borrow().iter().map(|(key, part)| (name_of(key), part.clone())).collect(),
        (None, "Sequential") => numbered(parts),
        (None, name) => match &parts[..] {
            [] | [Value::None] => vec![],
            [items] if name == "ModuleList" => numbered(iter::collect(machine, items)?),
            [items] => iter::collect(machine, items)?.iter().filter_map(pair).collect(),
            more => {
                fault!(TypeError, "{name}.__init__() takes from 1 to 2 positional arguments but {} were given", more.len() + 1)
            }
        },
    };
    for (_, part) in &pairs {
        check(part)?;
    }
    Ok(pairs.into_iter().collect())
}

pub(super) fn name_of(key: &Key) -> Rc<str> {
    match key.value() {
        Value::Str(name) => name.as_str().into(),
        _ => "".into(),
    }
}

fn pair(item: &Value) -> Option<(Rc<str>, Value)> {
    match &item.items()?[..] {
        [Value::Str(name), part] => Some((name.as_str().into(), part.clone())),
        _ => None,
    }
}

fn numbered(parts: Vec<Value>) -> Vec<(Rc<str>, Value)> {
    parts.into_iter().enumerate().map(|(place, part)| (place.to_string().into(), part)).collect()
}

/// Fails with a `TypeError` on what is no layer.
pub(super) fn check(part: &Value) -> Outcome<()> {
    if layer(part).is_none() && !matches!(part, Value::None) {
        fault!(TypeError, "{} is not a Module subclass", class_text(part));
    }
    Ok(())
}

/// The methods of containers, besides those of every layer.
pub(super) static METHODS: Table = Table {
    owner: "Sequential",
    rows: &[
        row("append", def(&["module"], 1, 1), |c| {
            let part = c.arg(0).clone();
            check(&part)?;
            let mut children = own(c)?.children.borrow_mut();
            let name = children.len().to_string();
            children.insert(name.into(), part);
            drop(children);
            Ok(c.this.clone())
        }),
        row("clear", Takes::Nothing, |c| {
            own(c)?.children.borrow_mut().clear();
            Ok(Value::None)
        }),
        row("extend", def(&["modules"], 1, 1), |c| {
            let source = c.arg(0).clone();
            for part in iter::collect(c.machine, &source)? {
                check(&part)?;
                let mut children = own(c)?.children.borrow_mut();
                let name = children.len().to_string();
                children.insert(name.into(), part);
            }
            Ok(c.this.clone())
        }),
        row("insert", def(&["index", "module"], 2, 2), |c| {
            let part = c.arg(1).clone();
            check(&part)?;
            let mut parts = own(c)?.parts();
            let place = match c.arg(0) {
                Value::Int(place) if *place < 0 => (parts.len() as i64 + place).max(0) as usize,
                Value::Int(place) => (*place as usize).min(parts.len()),
                other => fault!(TypeError, "'{}' object cannot be interpreted as an integer", other.type_name()),
            };
            parts.insert(place, part);
            let owner = own(c)?;
            owner.children.replace(numbered(parts).into_iter().collect());
            Ok(if owner.kind.name == "ModuleList" { Value::None } else { c.this.clone() })
        }),
        row("items", Takes::Nothing, |c| view(c, "items")),
        row("keys", Takes::Nothing, |c| view(c, "keys")),
        row("pop", def(&["key"], 1, 1), |c| {
            let key = c.arg(0).clone();
            let part = own(c)?.part(&key)?;
            own(c)?.remove(&key)?;
            Ok(part)
        }),
        row("update", def(&["modules"], 1, 1), |c| {
            let given = CallArgs::positional(vec![c.arg(0).clone()]);
            let more = children(c.machine, &DICT, given)?;
            own(c)?.children.borrow_mut().extend(more);
            Ok(Value::None)
        }),
        row("values", Takes::Nothing, |c| view(c, "values")),
    ],
};

fn own<'c>(c: &'c Call<'_>) -> Outcome<&'c Layer> {
    match layer(c.this) {
        Some(layer) => Ok(layer),
        None => fault!(TypeError, "a container of layers is needed, not {}", c.this.type_name()),
    }
}

/// What a dict of the layers gives.
fn view(c: &mut Call<'_>, what: &str) -> Outcome {
    let entries: Dict = own(c)?.children.borrow().iter().map(|(name, part)| (Key::from(&**name), part.clone())).collect();
    let method = c.machine.attr(&Value::dict(entries), what)?;
    c.machine.call(&method, CallArgs::default())
}

impl Layer {
    /// The layers inside, in order.
    pub(super) fn parts(&self) -> Vec<Value> {
        self.children.borrow().values().cloned().collect()
    }

    /// The name of a layer inside by what stands between brackets.
    fn named(&self, key: &Value) -> Outcome<Rc<str>> {
        let children = self.children.borrow();
        match key {
            Value::Str(name) if self.kind.name == "ModuleDict" && children.contains_key(name.as_str()) => {
                Ok(name.as_str().into())
            }
            Value::Int(place) if self.kind.name != "ModuleDict" => {
                let count = children.len() as i64;
                let at = if *place < 0 { place + count } else { *place };
                match usize::try_from(at).ok().and_then(|at| children.get_index(at)) {
                    Some((name, _)) => Ok(name.clone()),
                    None => fault!(IndexError, "index {place} is out of range"),
                }
            }
            other => Err(dict::key_error(other)),
        }
    }

    /// `layers[key]` for a single one.
    fn part(&self, key: &Value) -> Outcome {
        let name = self.named(key)?;
        Ok(self.children.borrow().get(&name).cloned().unwrap_or(Value::None))
    }

    /// `layers[key]`, which may be a slice.
    pub(super) fn picked(&self, machine: &mut dyn Machine, key: &Value) -> Outcome {
        if !matches!(key, Value::Slice(_)) {
            return self.part(key);
        }
        let pairs: Vec<Value> =
            self.children.borrow().iter().map(|(name, part)| Value::tuple(vec![Value::from(&**name), part.clone()])).collect();
        let picked = machine.get_item(&Value::list(pairs), key)?.items().unwrap_or_default();
        let picked: Vec<(Rc<str>, Value)> = picked.iter().filter_map(pair).collect();
        let children = match self.kind.name {
            "ModuleList" => numbered(picked.into_iter().map(|(_, part)| part).collect()),
            _ => picked,
        };
        Ok(Layer::bare(self.kind, children.into_iter().collect()).value())
    }

    /// `layers[key] = part`.
    pub(super) fn put(&self, key: &Value, part: Value) -> Outcome<()> {
        check(&part)?;
        let name = match key {
            Value::Str(name) if self.kind.name == "ModuleDict" => name.as_str().into(),
            other => self.named(other)?,
        };
        self.children.borrow_mut().insert(name, part);
        Ok(())
    }

    /// `del layers[key]`.
    pub(super) fn remove(&self, key: &Value) -> Outcome<()> {
        let name = self.named(key)?;
        self.children.borrow_mut().shift_remove(&name);
        if self.kind.name != "ModuleDict" {
            let parts = self.parts();
            self.children.replace(numbered(parts).into_iter().collect());
        }
        Ok(())
    }

    /// What each layer makes of what the one before gave.
    pub(super) fn chained(&self, machine: &mut dyn Machine, input: Value) -> Outcome {
        self.parts().iter().try_fold(input, |value, part| machine.call(part, CallArgs::positional(vec![value])))
    }
}
