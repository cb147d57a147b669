//! `json`: values as text and back.

use crate::diag::ErrorClass;
use crate::lang::types::call::{Call, Table, Takes, def, row};
use crate::lang::types::{convert, float, limits, repr, sort};
use crate::value::{CallArgs, Class, Dict, Key, Machine, Outcome, Value};
use num_bigint::BigInt;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "json",
    rows: &[
        row("dump", Takes::Any, |c| {
            let mut args = c.args();
            if args.len() != 2 {
                fault!(TypeError, "dump() takes 2 positional arguments but {} were given", args.len());
            }
            let (file, value) = (args.remove(1), args.remove(0));
            let text = dumped(c, &value)?;
            let write = c.machine.attr(&file, "write")?;
            c.machine.call(&write, CallArgs::positional(vec![text]))?;
            Ok(Value::None)
        }),
        row("dumps", Takes::Any, |c| {
            let args = c.args();
            let [value] = &args[..] else {
                fault!(TypeError, "dumps() takes 1 positional argument but {} were given", args.len());
            };
            dumped(c, value)
        }),
        row("load", def(&["fp"], 1, 1), |c| {
            let file = c.arg(0).clone();
            let read = c.machine.attr(&file, "read")?;
            let text = c.machine.call(&read, CallArgs::positional(vec![]))?;
            loaded(&text)
        }),
        row("loads", def(&["s"], 1, 1), |c| loaded(c.arg(0))),
    ],
};

/// The exception of texts that cannot be read.
pub fn values() -> Vec<(&'static str, Value)> {
    vec![("JSONDecodeError", Value::Class(Class::Exception(ErrorClass::JSONDecodeError)))]
}

/// How a value is written.
struct Style {
    indent: Option<String>,
    comma: String,
    colon: String,
    ascii: bool,
    sorted: bool,
    default: Option<Value>,
}

fn dumped(c: &mut Call<'_>, value: &Value) -> Outcome {
    let indent = match c.take_keyword("indent") {
        None | Some(Value::None) => None,
        Some(Value::Str(text)) => Some(text.to_string()),
        Some(width) => Some(" ".repeat(convert::to_count(&width)?)),
    };
    let text = |separator: &Value| convert::to_str(separator, "dumps", "separators").map(|text| text.to_string());
    let separators = c.take_keyword("separators").and_then(|pair| pair.items());
    let (comma, colon) = match separators.as_deref() {
        Some([comma, colon]) => (text(comma)?, text(colon)?),
        _ => (if indent.is_some() { "," } else { ", " }.to_string(), ": ".to_string()),
    };
    let flag = |value: Option<Value>, default: bool| value.map_or(Ok(default), |v| crate::lang::operators::truth(&v));
    let style = Style {
        indent,
        comma,
        colon,
        ascii: flag(c.take_keyword("ensure_ascii"), true)?,
        sorted: flag(c.take_keyword("sort_keys"), false)?,
        default: c.take_keyword("default").filter(|v| !matches!(v, Value::None)),
    };
    c.no_more_keywords("JSONEncoder.__init__")?;
    let mut out = String::new();
    style.write(c.machine, &mut out, value, 0)?;
    Ok(Value::from(out))
}

impl Style {
    fn write(&self, machine: &mut dyn Machine, out: &mut String, value: &Value, depth: usize) -> Outcome<()> {
        match value {
            Value::None => out.push_str("null"),
            Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Value::Float(number) if number.is_nan() => out.push_str("NaN"),
            Value::Float(number) if number.is_infinite() => out.push_str(if *number > 0.0 { "Infinity" } else { "-Infinity" }),
            Value::Int(_) | Value::BigInt(_) | Value::Float(_) => out.push_str(&repr::repr(value)?),
            Value::Str(text) => self.write_text(out, text),
            Value::List(items) => {
                let items = items.borrow().clone();
                limits::deeper("", || self.write_items(machine, out, &items, depth))?;
            }
            Value::Tuple(_) | Value::Size(_) | Value::Named(_) => {
                self.write_items(machine, out, &value.sequence().unwrap_or_default(), depth)?;
            }
            other => match (entries(other), &self.default) {
                (Some(entries), _) => limits::deeper("", || self.write_entries(machine, out, &entries, depth))?,
                (None, Some(default)) => {
                    let instead = machine.call(default, CallArgs::positional(vec![other.clone()]))?;
                    limits::deeper("", || self.write(machine, out, &instead, depth))?;
                }
                (None, None) => fault!(TypeError, "Object of type {} is not JSON serializable", other.type_name()),
            },
        }
        Ok(())
    }

    fn write_items(&self, machine: &mut dyn Machine, out: &mut String, items: &[Value], depth: usize) -> Outcome<()> {
        out.push('[');
        for (i, item) in items.iter().enumerate() {
            self.separate(out, i, depth + 1);
            self.write(machine, out, item, depth + 1)?;
        }
        self.close(out, items.is_empty(), depth);
        out.push(']');
        Ok(())
    }

    fn write_entries(&self, machine: &mut dyn Machine, out: &mut String, entries: &Dict, depth: usize) -> Outcome<()> {
        let mut keys: Vec<Value> = entries.iter().map(|(key, _)| key.value().clone()).collect();
        if self.sorted {
            sort::sort(machine, &mut keys, None, false)?;
        }
        out.push('{');
        for (i, key) in keys.iter().enumerate() {
            self.separate(out, i, depth + 1);
            match key {
                Value::Str(text) => self.write_text(out, text),
                Value::None | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {
                    out.push('"');
                    self.write(machine, out, key, depth)?;
                    out.push('"');
                }
                other => fault!(TypeError, "keys must be str, int, float, bool or None, not {}", other.type_name()),
            }
            out.push_str(&self.colon);
            if let Some(item) = entries.get(&Key::new(key.clone())?) {
                self.write(machine, out, item, depth + 1)?;
            }
        }
        self.close(out, keys.is_empty(), depth);
        out.push('}');
        Ok(())
    }

    /// What comes before an item: a comma, and with an indent a new line.
    fn separate(&self, out: &mut String, place: usize, depth: usize) {
        if place > 0 {
            out.push_str(&self.comma);
        }
        self.new_line(out, depth);
    }

    fn close(&self, out: &mut String, is_empty: bool, depth: usize) {
        if !is_empty {
            self.new_line(out, depth);
        }
    }

    fn new_line(&self, out: &mut String, depth: usize) {
        if let Some(indent) = &self.indent {
            out.push('\n');
            out.push_str(&indent.repeat(depth));
        }
    }

    fn write_text(&self, out: &mut String, text: &str) {
        out.push('"');
        for c in text.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{8}' => out.push_str("\\b"),
                '\u{c}' => out.push_str("\\f"),
                c if (c as u32) < 0x20 || self.ascii && !c.is_ascii() => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        out.push_str(&format!("\\u{unit:04x}"));
                    }
                }
                c => out.push(c),
            }
        }
        out.push('"');
    }
}

/// The entries of a dict.
fn entries(value: &Value) -> Option<Dict> {
    match value {
        Value::Dict(entries) => Some(entries.borrow().clone()),
        Value::Object(object) => Some(object.entries()?.borrow().clone()),
        _ => None,
    }
}

fn loaded(text: &Value) -> Outcome {
    let Value::Str(text) = text else {
        fault!(TypeError, "the JSON object must be str, bytes or bytearray, not {}", text.type_name());
    };
    let mut reader = Reader { text, place: 0 };
    let value = reader.value()?;
    reader.space();
    if reader.place < text.len() {
        return reader.refuse("Extra data");
    }
    Ok(value)
}

/// A text on its way to a value.
struct Reader<'t> {
    text: &'t str,
    place: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.place..]
    }

    fn space(&mut self) {
        self.place += self.rest().len() - self.rest().trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.place += if found { text.len() } else { 0 };
        found
    }

    fn refuse<T>(&self, what: &str) -> Outcome<T> {
        let before = &self.text[..self.place];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        fault!(JSONDecodeError, "{what}: line {line} column {column} (char {})", before.chars().count())
    }

    fn value(&mut self) -> Outcome {
        self.space();
        for (word, value) in [
            ("null", Value::None),
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("NaN", Value::Float(f64::NAN)),
            ("Infinity", Value::Float(f64::INFINITY)),
            ("-Infinity", Value::Float(f64::NEG_INFINITY)),
        ] {
            if self.take(word) {
                return Ok(value);
            }
        }
        if self.take("[") {
            return limits::deeper("", || self.items());
        }
        if self.take("{") {
            return limits::deeper("", || self.entries());
        }
        if self.take("\"") {
            return Ok(Value::from(self.string()?));
        }
        self.number()
    }

    fn items(&mut self) -> Outcome {
        let mut items = vec![];
        self.space();
        if self.take("]") {
            return Ok(Value::list(items));
        }
        loop {
            items.push(self.value()?);
            self.space();
            if self.take("]") {
                return Ok(Value::list(items));
            }
            if !self.take(",") {
                return self.refuse("Expecting ',' delimiter");
            }
        }
    }

    fn entries(&mut self) -> Outcome {
        let mut entries = Dict::default();
        self.space();
        if self.take("}") {
            return Ok(Value::dict(entries));
        }
        loop {
            self.space();
            if !self.take("\"") {
                return self.refuse("Expecting property name enclosed in double quotes");
            }
            let key = Key::new(Value::from(self.string()?))?;
            self.space();
            if !self.take(":") {
                return self.refuse("Expecting ':' delimiter");
            }
            entries.insert(key, self.value()?);
            self.space();
            if self.take("}") {
                return Ok(Value::dict(entries));
            }
            if !self.take(",") {
                return self.refuse("Expecting ',' delimiter");
            }
        }
    }

    /// The text behind an opening quote.
    fn string(&mut self) -> Outcome<String> {
        let start = self.place - 1;
        let mut units: Vec<u16> = vec![];
        loop {
            let Some(c) = self.rest().chars().next() else {
                self.place = start;
                return self.refuse("Unterminated string starting at");
            };
            self.place += c.len_utf8();
            match c {
                '"' => return Ok(String::from_utf16_lossy(&units)),
                '\\' => units.push(self.escape()?),
                c => units.extend(c.encode_utf16(&mut [0; 2]).iter()),
            }
        }
    }

    fn escape(&mut self) -> Outcome<u16> {
        let Some(c) = self.rest().chars().next() else { return self.refuse("Unterminated string starting at") };
        self.place += c.len_utf8();
        let plain = match c {
            '"' | '\\' | '/' => c,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let digits = self.rest().get(..4).and_then(|digits| u16::from_str_radix(digits, 16).ok());
                let Some(unit) = digits else { return self.refuse("Invalid \\uXXXX escape") };
                self.place += 4;
                return Ok(unit);
            }
            _ => return self.refuse("Invalid \\escape"),
        };
        Ok(plain as u16)
    }

    fn number(&mut self) -> Outcome {
        let rest = self.rest();
        let end = rest.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')).unwrap_or(rest.len());
        let digits = &rest[..end];
        if !digits.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            return self.refuse("Expecting value");
        }
        let number = match digits.parse::<BigInt>() {
            Ok(whole) => Some(Value::big(whole)),
            Err(_) => float::parse(digits).map(Value::Float),
        };
        match number {
            Some(number) => {
                self.place += end;
                Ok(number)
            }
            None => self.refuse("Expecting value"),
        }
    }
}
