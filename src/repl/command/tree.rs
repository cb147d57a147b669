//! `%tree obj`: what is in a value, a line per entry, and which tensors in it share a storage; `%type expr`: what an expression
//! gives.

use super::reader::Reader;
use super::{Call, usage};
use crate::lang::Interp;
use crate::show::picture::{self, Entry, What};
use crate::value::{Dict, Machine, Outcome, Value};

/// How deep values in values are shown.
const DEEPEST: usize = 6;

/// Entries of one value that are shown: all when there are so many, else the first and the last of them.
const MOST: usize = 12;
const FIRST: usize = 8;
const LAST: usize = 2;

/// Entries in all.
const ENTRIES: usize = 200;

/// Columns of a value's text.
const TEXT: usize = 40;

pub(super) fn tree(call: &mut Call) -> Outcome<()> {
    drawn(call, "tree", true)
}

pub(super) fn kind(call: &mut Call) -> Outcome<()> {
    drawn(call, "type", false)
}

fn drawn(call: &mut Call, command: &str, with_storages: bool) -> Outcome<()> {
    if call.rest.is_empty() {
        return Err(usage(command, &format!("%{command} needs an expression")));
    }
    let reader = Reader::new(command, call.rest);
    let expr = reader.expression()?;
    let (name, value) = (reader.text(&expr).to_string(), reader.value(call, &expr)?);
    let mut walk = Walk { interp: call.interp, entries: vec![], seen: vec![], path: vec![] };
    walk.enter(name, &value)?;
    let doc = picture::tree(&walk.entries, with_storages, call.width())?;
    call.print(&doc);
    Ok(())
}

/// A walk over a value and what is in it.
struct Walk<'a> {
    interp: &'a mut Interp,
    entries: Vec<Entry>,
    /// Values that may be met again, by identity, each with where it was met first.
    seen: Vec<(u64, String)>,
    /// The keys that lead to where the walk is.
    path: Vec<String>,
}

impl Walk<'_> {
    /// Notes a value and, when it is a container, what is in it.
    fn enter(&mut self, key: String, value: &Value) -> Outcome<()> {
        self.path.push(key.clone());
        let what = self.what(value)?;
        let items = if matches!(what, Found::Inside) { inside(self.interp, value)? } else { vec![] };
        let what = match what {
            Found::Whole(what) => what,
            Found::Inside => What::Other(type_name(value), counted(items.len())),
        };
        self.note(key, what);
        let shown = |n: usize| items.len() <= MOST || n < FIRST || n + LAST >= items.len();
        for (n, (key, item)) in items.iter().enumerate() {
            if self.entries.len() >= ENTRIES {
                self.path.push(String::new());
                self.note("..".into(), What::More(Some(items.len() - n)));
                self.path.pop();
                break;
            }
            if shown(n) {
                self.enter(key.clone(), item)?;
            } else if n == FIRST {
                self.path.push(String::new());
                self.note("..".into(), What::More(Some(items.len() - FIRST - LAST)));
                self.path.pop();
            }
        }
        self.path.pop();
        Ok(())
    }

    fn note(&mut self, key: String, what: What) {
        self.entries.push(Entry { depth: self.path.len() - 1, key, what });
    }

    /// The way to where the walk is, from the value that was asked for.
    fn place(&self) -> String {
        match self.path.as_slice() {
            [only] => short(only),
            path => path[1..].concat(),
        }
    }

    /// What a value is; a container that is met again, or that lies too deep, is not entered.
    fn what(&mut self, value: &Value) -> Outcome<Found> {
        let is_container = holds(value);
        if is_container || matches!(value, Value::Tensor(_)) {
            let identity = value.identity();
            let again = self.seen.iter().find(|(seen, _)| *seen == identity).map(|(_, path)| path.clone());
            match (again, value) {
                (Some(path), Value::Tensor(tensor)) => return Ok(Found::Whole(What::Tensor(tensor.clone(), Some(path)))),
                (Some(path), _) => return Ok(Found::whole(value, format!("the same as {path}"))),
                (None, _) => self.seen.push((identity, self.place())),
            }
        }
        if let Value::Tensor(tensor) = value {
            return Ok(Found::Whole(What::Tensor(tensor.clone(), None)));
        }
        if !is_container {
            let text = match value {
                Value::Storage(view) => picture::counted(view.storage.nbytes(), "byte"),
                value if has_text(value) => short(&self.interp.repr(value)?),
                _ => String::new(),
            };
            return Ok(Found::whole(value, text));
        }
        let items = inside(self.interp, value)?;
        // Numbers and texts alone are one line.
        if items.iter().all(|(_, item)| has_text(item)) {
            let text = short(&self.interp.repr(value)?);
            return Ok(Found::whole(value, format!("{}: {text}", counted(items.len()))));
        }
        match self.path.len() > DEEPEST {
            true => Ok(Found::whole(value, format!("{}, too deep to show here", counted(items.len())))),
            false => Ok(Found::Inside),
        }
    }
}

/// What a value turned out to be.
enum Found {
    /// A line of its own.
    Whole(What),
    /// A container to be entered.
    Inside,
}

impl Found {
    fn whole(value: &Value, text: String) -> Found {
        Found::Whole(What::Other(type_name(value), text))
    }
}

/// The name of a value's type, without the module of a collection.
fn type_name(value: &Value) -> String {
    let name = value.type_name();
    name.strip_prefix("collections.").map(String::from).unwrap_or(name)
}

fn counted(entries: usize) -> String {
    picture::counted(entries, "entry").replace("entrys", "entries")
}

/// True for values that hold other values.
fn holds(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.entries().is_some() || object.type_name().ends_with("deque"),
        other => matches!(other, Value::List(_) | Value::Tuple(_) | Value::Dict(_) | Value::Named(_)),
    }
}

/// True for values whose text says all there is.
fn has_text(value: &Value) -> bool {
    let plain = matches!(value, Value::None | Value::Str(_) | Value::Bytes(_) | Value::Ellipsis | Value::BigInt(_));
    let torch = matches!(value, Value::DType(_) | Value::Device(_) | Value::Size(_) | Value::Range(_) | Value::Slice(_));
    plain || torch || value.as_number().is_some()
}

/// What is in a container, each with the text that leads to it.
fn inside(interp: &mut Interp, value: &Value) -> Outcome<Vec<(String, Value)>> {
    let placed = |items: Vec<Value>| items.into_iter().enumerate().map(|(n, item)| (format!("[{n}]"), item)).collect();
    match value {
        Value::Dict(dict) => keyed(interp, &dict.borrow()),
        Value::Named(named) => {
            Ok(named.fields.iter().zip(&named.values).map(|(field, item)| (format!(".{field}"), item.clone())).collect())
        }
        Value::Object(object) => match object.entries() {
            Some(entries) => keyed(interp, &entries.borrow()),
            None => {
                let (iterator, mut items) = (interp.iter(value)?, vec![]);
                while let Some(item) = interp.next(&iterator)? {
                    items.push(item);
                }
                Ok(placed(items))
            }
        },
        other => Ok(placed(other.items().unwrap_or_default())),
    }
}

fn keyed(interp: &mut Interp, entries: &Dict) -> Outcome<Vec<(String, Value)>> {
    entries.iter().map(|(key, item)| Ok((format!("[{}]", short(&interp.repr(key.value())?)), item.clone()))).collect()
}

/// The start of a text, on one line.
fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.chars().count() {
        n if n > TEXT => line.chars().take(TEXT - 3).collect::<String>() + " ..",
        _ => line,
    }
}
