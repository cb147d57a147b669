//! `Template`: a text with names behind `$` that values take the place of.

use crate::lang::types::call::{Builtin, Call, Table, Takes, def, row};
use crate::lang::types::class::ObjectClass;
use crate::lang::types::convert;
use crate::lang::types::dict::key_error;
use crate::value::{Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

static CLASS: Table = Table {
    owner: "Template",
    rows: Table::sorted(&[row("__init__", def(&["template"], 1, 1), |c| {
        let text = convert::to_str(c.arg(0), "Template", "argument 'template'")?.to_string();
        Ok(Value::object(Template(text)))
    })]),
};

static METHODS: Table = Table {
    owner: "Template",
    rows: Table::sorted(&[
        row("get_identifiers", def(&[], 0, 0), |c| {
            let mut names: Vec<&str> = vec![];
            for part in parts(own(c)?) {
                if let Part::Name { name, .. } = part
                    && !names.contains(&name)
                {
                    names.push(name);
                }
            }
            Ok(Value::list(names.into_iter().map(Value::from).collect()))
        }),
        row("is_valid", def(&[], 0, 0), |c| {
            Ok(Value::Bool(!parts(own(c)?).iter().any(|part| matches!(part, Part::Malformed(_)))))
        }),
        row("safe_substitute", Takes::Any, |c| fill(c, true)),
        row("substitute", Takes::Any, |c| fill(c, false)),
    ]),
};

/// The class as a value.
pub fn class() -> Value {
    ObjectClass::callable("string.Template", &CLASS, &CLASS.rows[0], None)
}

struct Template(String);

/// A part of a template.
enum Part<'t> {
    Text(&'t str),
    /// A name, and how it is written.
    Name {
        name: &'t str,
        written: &'t str,
    },
    /// A `$` with nothing of use behind it, at this byte.
    Malformed(usize),
}

fn own<'c>(c: &Call<'c>) -> Outcome<&'c str> {
    match c.this.downcast::<Template>() {
        Some(template) => Ok(&template.0),
        None => fault!(TypeError, "a Template is needed, not {}", c.this.type_name()),
    }
}

/// The name that a text begins with.
fn identifier(text: &str) -> &str {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return "";
    }
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let (mut parts, mut at) = (vec![], 0);
    while let Some(place) = text[at..].find('$') {
        let start = at + place;
        parts.push(Part::Text(&text[at..start]));
        let rest = &text[start + 1..];
        let braced =
            rest.strip_prefix('{').map(identifier).filter(|name| !name.is_empty() && rest[name.len() + 1..].starts_with('}'));
        let (part, end) = match (braced, identifier(rest)) {
            _ if rest.starts_with('$') => (Part::Text("$"), start + 2),
            (Some(name), _) => {
                let end = start + name.len() + 3;
                (Part::Name { name, written: &text[start..end] }, end)
            }
            (None, "") => (Part::Malformed(start), start + 1),
            (None, name) => {
                let end = start + name.len() + 1;
                (Part::Name { name, written: &text[start..end] }, end)
            }
        };
        parts.push(part);
        at = end;
    }
    parts.push(Part::Text(&text[at..]));
    parts
}

/// `substitute(mapping={}, /, **names)`; `is_safe` leaves what has no value as it is written.
fn fill(c: &mut Call<'_>, is_safe: bool) -> Outcome {
    let (template, mapping) = (own(c)?, c.get(0).cloned());
    let mut filled = String::new();
    for part in parts(template) {
        match part {
            Part::Text(text) => filled.push_str(text),
            Part::Malformed(_) if is_safe => filled.push('$'),
            Part::Malformed(place) => {
                let before = &template[..place];
                let line = before.matches('\n').count() + 1;
                let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
                fault!(ValueError, "Invalid placeholder in string: line {line}, col {column}");
            }
            Part::Name { name, written } => {
                let named = c.keyword.iter().find(|(own, _)| **own == *name).map(|(_, value)| value.clone());
                let found = match (named, &mapping) {
                    (Some(value), _) => Ok(value),
                    (None, Some(mapping)) => c.machine.get_item(mapping, &Value::from(name)),
                    (None, None) => Err(key_error(&Value::from(name))),
                };
                match found {
                    Ok(value) => filled.push_str(&c.machine.str(&value)?),
                    Err(_) if is_safe => filled.push_str(written),
                    Err(raise) => return Err(raise),
                }
            }
        }
    }
    Ok(Value::from(filled))
}

impl Object for Template {
    fn type_name(&self) -> String {
        "string.Template".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "template" => Some(Value::from(self.0.as_str())),
            _ => METHODS.find(name).map(|row| Builtin::method(&METHODS, row, Value::shared(self))),
        })
    }
    fn attributes(&self) -> Vec<String> {
        METHODS.names().into_iter().chain([String::from("template")]).collect()
    }
}
