//! `json`: values as text and back.

use crate::diag::ErrorClass;
use crate::lang::types::call::{Call, Table, Takes, def, row};
use crate::lang::types::{bytes, convert, float, limits, repr, sort};
use crate::value::{CallArgs, Class, Dict, Key, Machine, Outcome, Value};
use num_bigint::BigInt;
use std::cell::RefCell;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "json",
    rows: Table::sorted(&[
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
        row("load", def(LOAD, 1, 1), |c| {
            let file = c.arg(0).clone();
            let read = c.machine.attr(&file, "read")?;
            let text = c.machine.call(&read, CallArgs::positional(vec![]))?;
            loaded(c, &text)
        }),
        row("loads", def(LOADS, 1, 1), |c| {
            let text = c.arg(0).clone();
            loaded(c, &text)
        }),
    ]),
};

const LOADS: &[&str] = &["s", "cls", "object_hook", "parse_float", "parse_int", "parse_constant", "object_pairs_hook", "strict"];
const LOAD: &[&str] = &["fp", "cls", "object_hook", "parse_float", "parse_int", "parse_constant", "object_pairs_hook", "strict"];

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
    /// Keys that are no texts are left out.
    skips: bool,
    /// Infinity and what is no number are written.
    any_float: bool,
    /// The containers that are being written.
    open: RefCell<Vec<u64>>,
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
        skips: flag(c.take_keyword("skipkeys"), false)?,
        any_float: flag(c.take_keyword("allow_nan"), true)?,
        open: RefCell::default(),
    };
    if let Some((name, _)) = c.keyword.first() {
        fault!(TypeError, "JSONEncoder.__init__() got an unexpected keyword argument '{name}'");
    }
    let mut out = String::new();
    style.write(c.machine, &mut out, value, 0)?;
    Ok(Value::from(out))
}

impl Style {
    fn write(&self, machine: &mut dyn Machine, out: &mut String, value: &Value, depth: usize) -> Outcome<()> {
        match value {
            Value::None => out.push_str("null"),
            Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Value::Float(number) if !number.is_finite() => out.push_str(self.unusual(*number)?),
            Value::Int(_) | Value::BigInt(_) | Value::Float(_) => out.push_str(&repr::repr(value)?),
            Value::Str(text) => self.write_text(out, text),
            Value::List(items) => {
                let items = items.borrow().clone();
                self.within(value, || self.write_items(machine, out, &items, depth))?;
            }
            Value::Tuple(_) | Value::Size(_) | Value::Named(_) => {
                let items = value.sequence().unwrap_or_default();
                self.within(value, || self.write_items(machine, out, &items, depth))?;
            }
            // An object of a class on a built-in one is written as the value that it is.
            Value::Object(object) if let Some(plain) = object.plain().filter(|plain| !matches!(plain, Value::Object(_))) => {
                self.within(value, || self.write(machine, out, &plain, depth))?;
            }
            other => match (entries(other), &self.default) {
                (Some(entries), _) => self.within(value, || self.write_entries(machine, out, &entries, depth))?,
                (None, Some(default)) => {
                    let instead = machine.call(default, CallArgs::positional(vec![other.clone()]))?;
                    self.within(value, || self.write(machine, out, &instead, depth))?;
                }
                (None, None) => fault!(TypeError, "Object of type {} is not JSON serializable", short_name(other)),
            },
        }
        Ok(())
    }

    /// Writes what is inside a value, which cannot be inside itself.
    fn within(&self, value: &Value, write: impl FnOnce() -> Outcome<()>) -> Outcome<()> {
        let identity = value.identity();
        if self.open.borrow().contains(&identity) {
            fault!(ValueError, "Circular reference detected");
        }
        self.open.borrow_mut().push(identity);
        limits::deeper("", write)?;
        self.open.borrow_mut().pop();
        Ok(())
    }

    /// A float that is not finite.
    fn unusual(&self, number: f64) -> Outcome<&'static str> {
        if !self.any_float {
            fault!(ValueError, "Out of range float values are not JSON compliant");
        }
        Ok(match number.is_nan() {
            true => "NaN",
            false if number > 0.0 => "Infinity",
            false => "-Infinity",
        })
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
        if self.skips {
            keys.retain(is_key);
        }
        out.push('{');
        for (i, key) in keys.iter().enumerate() {
            self.separate(out, i, depth + 1);
            match key {
                Value::Str(text) => self.write_text(out, text),
                other if is_key(other) => {
                    out.push('"');
                    self.write(machine, out, key, depth)?;
                    out.push('"');
                }
                other => fault!(TypeError, "keys must be str, int, float, bool or None, not {}", short_name(other)),
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

/// True for what can be a key: it is written as a text.
fn is_key(key: &Value) -> bool {
    matches!(key, Value::Str(_) | Value::None | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_))
}

/// The name of a value's type without its module.
fn short_name(value: &Value) -> String {
    value.type_name().rsplit('.').next().unwrap_or_default().to_string()
}

/// The entries of a dict.
fn entries(value: &Value) -> Option<Dict> {
    match value {
        Value::Dict(entries) => Some(entries.borrow().clone()),
        Value::Object(object) => Some(object.entries()?.borrow().clone()),
        _ => None,
    }
}

fn loaded(c: &mut Call<'_>, text: &Value) -> Outcome {
    let text = match text {
        Value::Str(text) => text.to_string(),
        other => match bytes::read(other) {
            Some(data) => String::from_utf8_lossy(&data).into_owned(),
            None => fault!(TypeError, "the JSON object must be str, bytes or bytearray, not {}", other.type_name()),
        },
    };
    let hooks = Hooks {
        object: c.some(2).cloned(),
        float: c.some(3).cloned(),
        int: c.some(4).cloned(),
        constant: c.some(5).cloned(),
        pairs: c.some(6).cloned(),
        strict: c.get(7).map_or(Ok(true), crate::lang::operators::truth)?,
    };
    let mut reader = Reader { machine: c.machine, hooks, text: &text, place: 0 };
    if text.starts_with('\u{feff}') {
        return reader.refuse_at("Unexpected UTF-8 BOM (decode using utf-8-sig)", 0);
    }
    let value = reader.value()?;
    reader.space();
    if reader.place < text.len() {
        return reader.refuse("Extra data");
    }
    Ok(value)
}

/// What makes the values, where the call says so.
struct Hooks {
    object: Option<Value>,
    float: Option<Value>,
    int: Option<Value>,
    constant: Option<Value>,
    pairs: Option<Value>,
    /// Control characters in texts are refused.
    strict: bool,
}

/// The words that are numbers.
const CONSTANTS: [(&str, f64); 3] = [("NaN", f64::NAN), ("Infinity", f64::INFINITY), ("-Infinity", f64::NEG_INFINITY)];

/// A text on its way to a value.
struct Reader<'t> {
    machine: &'t mut dyn Machine,
    hooks: Hooks,
    text: &'t str,
    place: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
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
        self.refuse_at(what, self.place)
    }

    /// Refuses the text at a byte.
    fn refuse_at<T>(&self, what: &str, place: usize) -> Outcome<T> {
        let before = &self.text[..place];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let place = before.chars().count();
        let text = format!("{what}: line {line} column {column} (char {place})");
        let attributes = [
            ("msg", Value::from(what)),
            ("doc", Value::from(self.text)),
            ("pos", Value::from(place)),
            ("lineno", Value::from(line)),
            ("colno", Value::from(column)),
        ];
        Err(super::refusal(ErrorClass::JSONDecodeError, text, &attributes))
    }

    /// What a hook makes of a value.
    fn hooked(&mut self, hook: fn(&Hooks) -> &Option<Value>, value: Value) -> Option<Outcome> {
        let hook = hook(&self.hooks).clone()?;
        Some(self.machine.call(&hook, CallArgs::positional(vec![value])))
    }

    fn value(&mut self) -> Outcome {
        self.space();
        for (word, value) in [("null", Value::None), ("true", Value::Bool(true)), ("false", Value::Bool(false))] {
            if self.take(word) {
                return Ok(value);
            }
        }
        for (word, number) in CONSTANTS {
            if self.take(word) {
                return self.hooked(|hooks| &hooks.constant, Value::from(word)).unwrap_or(Ok(Value::Float(number)));
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
        let mut entries = vec![];
        self.space();
        if !self.take("}") {
            loop {
                entries.push(self.entry()?);
                self.space();
                if self.take("}") {
                    break;
                }
                if !self.take(",") {
                    return self.refuse("Expecting ',' delimiter");
                }
            }
        }
        if self.hooks.pairs.is_some() {
            let pairs = entries.into_iter().map(|(key, value)| Value::tuple(vec![key.into_value(), value])).collect();
            return self.hooked(|hooks| &hooks.pairs, Value::list(pairs)).unwrap_or(Ok(Value::None));
        }
        let object = Value::dict(entries.into_iter().collect::<Dict>());
        self.hooked(|hooks| &hooks.object, object.clone()).unwrap_or(Ok(object))
    }

    fn entry(&mut self) -> Outcome<(Key, Value)> {
        self.space();
        if !self.take("\"") {
            return self.refuse("Expecting property name enclosed in double quotes");
        }
        let key = Key::new(Value::from(self.string()?))?;
        self.space();
        if !self.take(":") {
            return self.refuse("Expecting ':' delimiter");
        }
        Ok((key, self.value()?))
    }

    /// The text behind an opening quote.
    fn string(&mut self) -> Outcome<String> {
        let start = self.place - 1;
        let mut units: Vec<u16> = vec![];
        loop {
            let Some(c) = self.rest().chars().next() else { return self.refuse_at(UNTERMINATED, start) };
            match c {
                '"' => {
                    self.place += 1;
                    return Ok(String::from_utf16_lossy(&units));
                }
                '\\' => units.push(self.escape(start)?),
                c if c < ' ' && self.hooks.strict => return self.refuse("Invalid control character at"),
                c => {
                    self.place += c.len_utf8();
                    units.extend(c.encode_utf16(&mut [0; 2]).iter());
                }
            }
        }
    }

    /// What a backslash and the characters behind it stand for, in a text that began at a place.
    fn escape(&mut self, start: usize) -> Outcome<u16> {
        let Some(c) = self.rest().chars().nth(1) else { return self.refuse_at(UNTERMINATED, start) };
        if c == 'u' {
            let digits = self.rest().get(2..6).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
            let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
            let Some(unit) = unit.filter(|_| self.rest().len() > 6) else {
                return self.refuse_at("Invalid \\uXXXX escape", self.place + 1);
            };
            self.place += 6;
            return Ok(unit);
        }
        let Some((_, plain)) = ESCAPES.iter().find(|(own, _)| *own == c) else { return self.refuse("Invalid \\escape") };
        self.place += 2;
        Ok(*plain as u16)
    }

    fn number(&mut self) -> Outcome {
        let rest = self.rest();
        let digits = |from: usize| rest[from..].bytes().take_while(u8::is_ascii_digit).count();
        let sign = usize::from(rest.starts_with('-'));
        let whole = if rest[sign..].starts_with('0') { 1 } else { digits(sign) };
        if whole == 0 {
            return self.refuse("Expecting value");
        }
        let mut end = sign + whole;
        let point = rest[end..].starts_with('.').then(|| digits(end + 1)).filter(|count| *count > 0);
        end += point.map_or(0, |count| count + 1);
        let power = rest[end..].starts_with(['e', 'E']).then(|| {
            let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
            (sign, digits(end + 1 + sign))
        });
        let power = power.filter(|(_, count)| *count > 0);
        end += power.map_or(0, |(sign, count)| 1 + sign + count);
        self.place += end;
        let text = &rest[..end];
        if point.is_some() || power.is_some() {
            let number = || Ok(Value::Float(float::parse(text).unwrap_or(f64::NAN)));
            return self.hooked(|hooks| &hooks.float, Value::from(text)).unwrap_or_else(number);
        }
        let number = || Ok(text.parse().map_or(Value::None, |whole: BigInt| Value::big(whole)));
        self.hooked(|hooks| &hooks.int, Value::from(text)).unwrap_or_else(number)
    }
}

const UNTERMINATED: &str = "Unterminated string starting at";

/// What a letter behind a backslash stands for.
const ESCAPES: [(char, char); 8] =
    [('"', '"'), ('\\', '\\'), ('/', '/'), ('b', '\x08'), ('f', '\x0c'), ('n', '\n'), ('r', '\r'), ('t', '\t')];
