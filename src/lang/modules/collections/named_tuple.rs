//! `namedtuple`: classes of tuples with names.

use crate::lang::types::call::{Builtin, Call, Table, Takes, row};
use crate::lang::types::class_object::ClassObject;
use crate::lang::types::{iter, overall, repr};
use crate::value::{CallArgs, Class, Dict, Key, Machine, Named, Object, Outcome, Value};
use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A class that `namedtuple` made.
struct Factory {
    name: &'static str,
    fields: &'static [&'static str],
    defaults: Vec<Value>,
    /// The types that the fields are written with, if they are.
    kinds: Vec<Value>,
}

thread_local! {
    /// Names live as long as the program, since values refer to them; each text is kept once.
    static TEXTS: RefCell<HashMap<String, &'static str>> = RefCell::default();
    /// The class that was made last for a name and its fields.
    static CLASSES: RefCell<HashMap<(usize, usize), Value>> = RefCell::default();
    static LISTS: RefCell<HashMap<Vec<&'static str>, &'static [&'static str]>> = RefCell::default();
}

fn kept(text: &str) -> &'static str {
    TEXTS.with_borrow_mut(|texts| *texts.entry(text.to_string()).or_insert_with(|| text.to_string().leak()))
}

fn kept_list(names: Vec<&'static str>) -> &'static [&'static str] {
    LISTS.with_borrow_mut(|lists| *lists.entry(names.clone()).or_insert_with(|| names.leak()))
}

/// A class, which its objects find by their name and their fields.
fn made(factory: Factory) -> Value {
    let place = (factory.name.as_ptr() as usize, factory.fields.as_ptr() as usize);
    let class = Value::object(factory);
    CLASSES.with_borrow_mut(|classes| classes.insert(place, class.clone()));
    class
}

/// The class of a tuple with names.
pub fn class_of(named: &Named) -> Option<Value> {
    let place = (named.type_name.as_ptr() as usize, named.fields.as_ptr() as usize);
    CLASSES.with_borrow(|classes| classes.get(&place).cloned())
}

/// Words that cannot be field names.
const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
    "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise",
    "return", "try", "while", "with", "yield",
];

/// `namedtuple(typename, field_names, *, rename=False, defaults=None)`.
pub fn define(c: &mut Call<'_>) -> Outcome {
    let name = c.machine.str(&c.arg(0).clone())?;
    let rename = c.get(2).map_or(Ok(false), overall::truth)?;
    let given = c.arg(1).clone();
    let fields: Vec<String> = match &given {
        Value::Str(text) => text.replace(',', " ").split_whitespace().map(String::from).collect(),
        other => iter::collect(c.machine, other)?.iter().map(|field| c.machine.str(field)).collect::<Outcome<_>>()?,
    };
    let fields = checked(&name, fields, rename)?;
    let defaults = match c.some(3).cloned() {
        Some(values) => iter::collect(c.machine, &values)?,
        None => vec![],
    };
    if defaults.len() > fields.len() {
        fault!(TypeError, "Got more default values than field names");
    }
    let fields = kept_list(fields.iter().map(|field| kept(field)).collect());
    Ok(made(Factory { name: kept(&name), fields, defaults, kinds: vec![] }))
}

/// `typing.NamedTuple`: what a class with names builds on, or a call that makes one.
struct Form;

/// The value of `typing.NamedTuple`.
pub fn form() -> Value {
    Value::object(Form)
}

/// True for `typing.NamedTuple`.
pub fn is_form(value: &Value) -> bool {
    value.downcast::<Form>().is_some()
}

/// True for a class that one of these makes.
pub fn is_class(value: &Value) -> bool {
    value.downcast::<Factory>().is_some()
}

/// The class with these names, the last ones with defaults.
pub fn of_names(name: &str, names: &[(Rc<str>, Value)], defaults: Vec<Value>) -> Outcome {
    let fields = checked(name, names.iter().map(|(name, _)| name.to_string()).collect(), false)?;
    let fields = kept_list(fields.iter().map(|field| kept(field)).collect());
    let kinds = names.iter().map(|(_, kind)| kind.clone()).collect();
    Ok(made(Factory { name: kept(name), fields, defaults, kinds }))
}

impl Object for Form {
    fn type_name(&self) -> String {
        "function".into()
    }
    fn class(&self) -> Option<Class> {
        Some(Class::Function)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("<function NamedTuple at {:#x}>", std::ptr::from_ref(self).addr())
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some(by_call(machine, args))
    }
    fn is_callable(&self) -> bool {
        true
    }
}

/// `NamedTuple('P', [('x', int), ('y', int)])`.
fn by_call(machine: &mut dyn Machine, args: CallArgs) -> Outcome {
    let [name, fields] = &args.positional[..] else { fault!(TypeError, "NamedTuple() takes a name and a list of fields") };
    let name = machine.str(name)?;
    let mut names = vec![];
    for pair in iter::collect(machine, fields)? {
        let mut parts = iter::collect(machine, &pair)?.into_iter();
        let (first, kind) = (parts.next().unwrap_or(Value::None), parts.next().unwrap_or(Value::None));
        names.push((Rc::from(machine.str(&first)?), kind));
    }
    of_names(&name, &names, vec![])
}

fn is_identifier(text: &str) -> bool {
    let start = |c: char| c == '_' || c.is_alphabetic();
    text.chars().next().is_some_and(start) && text.chars().all(|c| start(c) || c.is_numeric())
}

fn checked(name: &str, fields: Vec<String>, rename: bool) -> Outcome<Vec<String>> {
    let mut seen: Vec<String> = vec![];
    for (place, field) in fields.into_iter().enumerate() {
        let bad = !is_identifier(&field) || KEYWORDS.contains(&field.as_str()) || field.starts_with('_') || seen.contains(&field);
        seen.push(if rename && bad { format!("_{place}") } else { field });
    }
    for text in std::iter::once(name).chain(seen.iter().map(String::as_str)) {
        if !is_identifier(text) {
            fault!(ValueError, "Type names and field names must be valid identifiers: {}", repr::repr(&Value::from(text))?);
        }
        if KEYWORDS.contains(&text) {
            fault!(ValueError, "Type names and field names cannot be a keyword: {}", repr::repr(&Value::from(text))?);
        }
    }
    for (place, field) in seen.iter().enumerate() {
        let shown = || repr::repr(&Value::from(field.as_str()));
        if field.starts_with('_') && !rename {
            fault!(ValueError, "Field names cannot start with an underscore: {}", shown()?);
        }
        if seen[..place].contains(field) {
            fault!(ValueError, "Encountered duplicate field name: {}", shown()?);
        }
    }
    Ok(seen)
}

impl Factory {
    fn filled(&self, args: CallArgs) -> Outcome {
        let title = format!("{}.__new__()", self.name);
        let (count, most) = (args.positional.len(), self.fields.len());
        if count > most {
            let least = most - self.defaults.len() + 1;
            let range = if self.defaults.is_empty() { format!("{}", most + 1) } else { format!("from {least} to {}", most + 1) };
            let plural = if most == 0 { "" } else { "s" };
            fault!(TypeError, "{title} takes {range} positional argument{plural} but {} were given", count + 1);
        }
        let mut slots: Vec<Option<Value>> = args.positional.into_iter().map(Some).collect();
        slots.resize(most, None);
        for (name, value) in args.keyword {
            match self.fields.iter().position(|field| **field == *name) {
                Some(place) if slots[place].is_some() => fault!(TypeError, "{title} got multiple values for argument '{name}'"),
                Some(place) => slots[place] = Some(value),
                None => fault!(TypeError, "{title} got an unexpected keyword argument '{name}'"),
            }
        }
        let first_default = most - self.defaults.len();
        for (place, slot) in slots.iter_mut().enumerate().skip(first_default) {
            slot.get_or_insert_with(|| self.defaults[place - first_default].clone());
        }
        let missing: Vec<String> =
            slots.iter().zip(self.fields).filter(|(slot, _)| slot.is_none()).map(|(_, field)| format!("'{field}'")).collect();
        if let Some((last, rest)) = missing.split_last() {
            let list = match rest {
                [] => last.clone(),
                [one] => format!("{one} and {last}"),
                several => format!("{}, and {last}", several.join(", ")),
            };
            let plural = if rest.is_empty() { "" } else { "s" };
            fault!(TypeError, "{title} missing {} required positional argument{plural}: {list}", missing.len());
        }
        Ok(self.of(slots.into_iter().flatten().collect()))
    }

    fn of(&self, values: Vec<Value>) -> Value {
        Value::Named(Rc::new(Named { type_name: self.name, fields: self.fields, values }))
    }

    fn doc(&self) -> String {
        format!("{}({})", self.name, self.fields.join(", "))
    }

    fn field_names(&self) -> Value {
        Value::tuple(self.fields.iter().map(|field| Value::from(*field)).collect())
    }
}

impl ClassObject for Factory {
    fn full_name(&self) -> String {
        format!("__main__.{}", self.name)
    }
    fn make(self: Rc<Self>, _machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        self.filled(args)
    }
    fn has(&self, value: &Value) -> bool {
        matches!(value, Value::Named(named) if named.type_name == self.name && named.fields == self.fields)
    }
    fn member(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "_fields" | "__match_args__" => Some(self.field_names()),
            "__doc__" => Some(Value::from(self.doc())),
            "__annotations__" if !self.kinds.is_empty() => {
                let named = self.fields.iter().zip(&self.kinds);
                Some(Value::dict(named.map(|(field, kind)| (Key::from(*field), kind.clone())).collect::<Dict>()))
            }
            "_field_defaults" => {
                let named = self.fields.iter().skip(self.fields.len() - self.defaults.len()).zip(&self.defaults);
                Some(Value::dict(named.map(|(field, value)| (Key::from(*field), value.clone())).collect::<Dict>()))
            }
            _ => CLASS_METHODS.find(name).map(|row| Builtin::method(&CLASS_METHODS, row, Value::shared(self))),
        })
    }
    fn members(&self) -> Vec<String> {
        ["_field_defaults", "_fields", "_make"].map(String::from).to_vec()
    }
    fn is_same(&self, other: &Factory) -> bool {
        std::ptr::eq(self, other)
    }
}

static CLASS_METHODS: Table = Table {
    owner: "type",
    rows: Table::sorted(&[row("_make", Takes::One, |c| {
        let items = c.arg(0).clone();
        let items = iter::collect(c.machine, &items)?;
        match c.this.downcast::<Factory>() {
            Some(factory) if factory.fields.len() == items.len() => Ok(factory.of(items)),
            Some(factory) => fault!(TypeError, "Expected {} arguments, got {}", factory.fields.len(), items.len()),
            None => Ok(Value::None),
        }
    })]),
};

/// The methods that every named tuple has.
pub static METHODS: Table = Table {
    owner: "tuple",
    rows: Table::sorted(&[
        row("_asdict", Takes::Nothing, |c| {
            let Value::Named(named) = c.this else { return Ok(Value::None) };
            let pairs = named.fields.iter().zip(&named.values);
            Ok(Value::dict(pairs.map(|(field, value)| (Key::from(*field), value.clone())).collect::<Dict>()))
        }),
        row("_replace", Takes::Any, |c| {
            let Value::Named(named) = c.this else { return Ok(Value::None) };
            let mut values = named.values.clone();
            for (name, value) in std::mem::take(&mut c.keyword) {
                match named.fields.iter().position(|field| **field == *name) {
                    Some(place) => values[place] = value,
                    None => fault!(ValueError, "Got unexpected field names: ['{name}']"),
                }
            }
            Ok(Value::Named(Rc::new(Named { values, ..named_head(named) })))
        }),
    ]),
};

fn named_head(named: &Named) -> Named {
    Named { type_name: named.type_name, fields: named.fields, values: vec![] }
}
