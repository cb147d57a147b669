//! `str.maketrans` and `text.translate`.

use super::this;
use crate::diag::ErrorClass;
use crate::lang::types::call::Call;
use crate::lang::types::{convert, dict};
use crate::value::{Dict, Key, Outcome, Value};

/// `str.maketrans(…)`: from a dict, or from the letters of one text to those of another, and letters that go.
pub fn make_table(c: &mut Call<'_>) -> Outcome {
    let mut table = Dict::default();
    if c.count() == 1 {
        let Some(entries) = dict::entries_of(c.arg(0)) else {
            fault!(TypeError, "if you give only one argument to maketrans it must be a dict");
        };
        for (key, value) in entries.borrow().iter() {
            table.insert(code_point(key.value())?, value.clone());
        }
        return Ok(Value::dict(table));
    }
    let part = |place: usize| convert::to_str(c.arg(place), "maketrans", &format!("argument {}", place + 1));
    let Value::Str(from) = c.arg(0) else {
        fault!(TypeError, "first maketrans argument must be a string if there is a second argument");
    };
    let to = part(1)?;
    if from.chars().count() != to.chars().count() {
        fault!(ValueError, "the first two maketrans arguments must have equal length");
    }
    for (x, y) in from.chars().zip(to.chars()) {
        table.insert(Key::from(x as i64), Value::Int(y as i64));
    }
    if c.get(2).is_some() {
        part(2)?.chars().for_each(|x| drop(table.insert(Key::from(x as i64), Value::None)));
    }
    Ok(Value::dict(table))
}

fn code_point(key: &Value) -> Outcome<Key> {
    match key {
        Value::Int(i) => Ok(Key::from(*i)),
        Value::Str(text) => match (text.chars().next(), text.chars().nth(1)) {
            (Some(one), None) => Ok(Key::from(one as i64)),
            _ => fault!(ValueError, "string keys in translate table must be of length 1"),
        },
        _ => fault!(TypeError, "keys in translate table must be strings or integers"),
    }
}

/// `text.translate(table)`.
pub fn translate(c: &mut Call<'_>) -> Outcome {
    let (text, table, mut out) = (this(c), c.arg(0).clone(), String::new());
    for x in text.chars() {
        let found = match c.machine.get_item(&table, &Value::Int(x as i64)) {
            Ok(value) => Some(value),
            Err(raise) if raise.0.diagnostic.class.is_a(ErrorClass::LookupError) => None,
            Err(raise) => return Err(raise),
        };
        match found {
            None => out.push(x),
            Some(Value::None) => {}
            Some(Value::Str(text)) => out.push_str(&text),
            Some(Value::Int(code)) => match u32::try_from(code).ok().and_then(char::from_u32) {
                Some(y) => out.push(y),
                None => fault!(ValueError, "character mapping must be in range(0x110000)"),
            },
            Some(_) => fault!(TypeError, "character mapping must return integer, None or str"),
        }
    }
    Ok(Value::from(out))
}
