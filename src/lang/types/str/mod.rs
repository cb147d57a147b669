//! Strs: texts of code points. Places count code points; a text of ASCII alone finds them without walking.

mod case;
mod find;
mod pad;
mod split;
mod translate;

pub use case::capitalize;

use super::bytes::{self, Codec, Errors, codec, error_mode};
use super::call::{Call, Table, Takes, keywords, named, row};
use super::sequence::{self, Place, Words};
use super::{format_str, iter, limits, repr};
use crate::interrupt;
use crate::lang::classes;
use crate::value::{Outcome, Text, Value};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

const WORDS: Words = Words { subject: "string indices must be integers", outside: "string index out of range" };

/// The methods.
pub static METHODS: Table = Table {
    owner: "str",
    rows: Table::sorted(&[
        row("capitalize", Takes::Nothing, |c| text(capitalize(&this(c)))),
        row("casefold", Takes::Nothing, |c| text(case::fold(&this(c)))),
        row("center", Takes::Between(1, 2), |c| pad::justify(c, "center")),
        row("count", Takes::Between(1, 3), find::count),
        row("encode", named(&["encoding", "errors"], 0), |c| encode(&this(c), c.get(0), c.get(1))),
        row("endswith", Takes::Between(1, 3), |c| find::ends(c, "endswith")),
        row("expandtabs", named(&["tabsize"], 0), pad::expand_tabs),
        row("find", Takes::Between(1, 3), |c| Ok(Value::Int(find::place(c)?.map_or(-1, |i| i as i64)))),
        row("format", Takes::Any, |c| {
            let (template, args, named) = (this(c), c.args(), std::mem::take(&mut c.keyword));
            format_str::format(c.machine, &template, &args, &named).map(Value::from)
        }),
        row("format_map", Takes::One, |c| {
            let (template, mapping) = (this(c), c.arg(0).clone());
            format_str::format_map(c.machine, &template, &mapping).map(Value::from)
        }),
        row("index", Takes::Between(1, 3), |c| found(find::place(c)?)),
        row("isalnum", Takes::Nothing, |c| all(c, |x| case::is_letter(x) || x.is_numeric())),
        row("isalpha", Takes::Nothing, |c| all(c, case::is_letter)),
        row("isascii", Takes::Nothing, |c| Ok(Value::Bool(this(c).is_ascii()))),
        row("isdecimal", Takes::Nothing, |c| all(c, |x| super::digits::value_of(x).is_some())),
        row("isdigit", Takes::Nothing, |c| all(c, case::is_digit)),
        row("isidentifier", Takes::Nothing, |c| Ok(Value::Bool(case::is_identifier(&this(c))))),
        row("islower", Takes::Nothing, |c| Ok(Value::Bool(case::is_cased(&this(c), char::is_lowercase)))),
        row("isnumeric", Takes::Nothing, |c| all(c, char::is_numeric)),
        row("isprintable", Takes::Nothing, |c| Ok(Value::Bool(this(c).chars().all(repr::is_printable)))),
        row("isspace", Takes::Nothing, |c| all(c, super::float::is_space)),
        row("istitle", Takes::Nothing, |c| Ok(Value::Bool(case::is_title(&this(c))))),
        row("isupper", Takes::Nothing, |c| Ok(Value::Bool(case::is_cased(&this(c), char::is_uppercase)))),
        row("join", Takes::One, join),
        row("ljust", Takes::Between(1, 2), |c| pad::justify(c, "ljust")),
        row("lower", Takes::Nothing, |c| text(this(c).to_lowercase())),
        row("lstrip", Takes::Between(0, 1), |c| pad::strip(c, "lstrip")),
        row("maketrans", Takes::Between(1, 3), translate::make_table),
        row("partition", Takes::One, |c| split::partition(c, false)),
        row("removeprefix", Takes::One, |c| {
            let (mine, prefix) = (this(c), argument(c, "removeprefix")?);
            text(mine.strip_prefix(prefix.as_str()).unwrap_or(&mine))
        }),
        row("removesuffix", Takes::One, |c| {
            let (mine, suffix) = (this(c), argument(c, "removesuffix")?);
            text(mine.strip_suffix(suffix.as_str()).unwrap_or(&mine))
        }),
        row("replace", Takes::Between(2, 3), find::replace),
        row("rfind", Takes::Between(1, 3), |c| Ok(Value::Int(find::last_place(c)?.map_or(-1, |i| i as i64)))),
        row("rindex", Takes::Between(1, 3), |c| found(find::last_place(c)?)),
        row("rjust", Takes::Between(1, 2), |c| pad::justify(c, "rjust")),
        row("rpartition", Takes::One, |c| split::partition(c, true)),
        row("rsplit", named(&["sep", "maxsplit"], 0), |c| split::split(c, true)),
        row("rstrip", Takes::Between(0, 1), |c| pad::strip(c, "rstrip")),
        row("split", named(&["sep", "maxsplit"], 0), |c| split::split(c, false)),
        row("splitlines", keywords(&["keepends"], 0, 1), split::lines),
        row("startswith", Takes::Between(1, 3), |c| find::ends(c, "startswith")),
        row("strip", Takes::Between(0, 1), |c| pad::strip(c, "strip")),
        row("swapcase", Takes::Nothing, |c| text(case::swap(&this(c)))),
        row("title", Takes::Nothing, |c| text(case::title(&this(c)))),
        row("translate", Takes::One, translate::translate),
        row("upper", Takes::Nothing, |c| text(this(c).to_uppercase())),
        row("zfill", Takes::One, pad::fill_zeros),
    ]),
};

fn text(text: impl Into<Text>) -> Outcome {
    Ok(Value::Str(Rc::new(text.into())))
}

fn found(place: Option<usize>) -> Outcome {
    match place {
        Some(place) => Ok(Value::from(place)),
        None => fault!(ValueError, "substring not found"),
    }
}

/// The str a method was called on.
fn this(c: &Call<'_>) -> Rc<Text> {
    match c.this {
        Value::Str(text) => text.clone(),
        _ => Rc::default(),
    }
}

/// The only argument, a str.
fn argument(c: &Call<'_>, function: &str) -> Outcome<Rc<Text>> {
    match c.arg(0) {
        Value::Str(text) => Ok(text.clone()),
        other => fault!(TypeError, "{function}() argument must be str, not {}", other.type_name()),
    }
}

fn all(c: &mut Call<'_>, test: impl Fn(char) -> bool) -> Outcome {
    let text = this(c);
    Ok(Value::Bool(!text.is_empty() && text.chars().all(test)))
}

/// A str of one character; those of ASCII are made once.
pub fn of_char(c: char) -> Value {
    thread_local! {
        static ASCII: [OnceCell<Rc<Text>>; 128] = const { [const { OnceCell::new() }; 128] };
    }
    let new = || Rc::new(Text::from_iter([c]));
    Value::Str(ASCII.with(|known| known.get(c as usize).map_or_else(new, |known| known.get_or_init(new).clone())))
}

/// How many code points.
pub fn len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

/// The byte at which a code point starts; the end for one past the last.
fn byte_of(text: &str, place: usize) -> usize {
    if text.is_ascii() { place.min(text.len()) } else { text.char_indices().nth(place).map_or(text.len(), |(i, _)| i) }
}

/// The code points in a range of places.
fn between(text: &str, range: std::ops::Range<usize>) -> &str {
    let (start, end) = (byte_of(text, range.start), byte_of(text, range.end.max(range.start)));
    text.get(start..end).unwrap_or_default()
}

/// `text[key]`.
pub fn index(text: &Rc<Text>, key: &Value) -> Outcome {
    Ok(match sequence::place(key, len(text), &WORDS)? {
        Place::At(place) => between(text, place..place + 1).chars().next().map_or(Value::None, of_char),
        Place::Slice(slice) if slice.step == 1 => Value::from(between(text, slice.span())),
        Place::Slice(slice) if text.is_ascii() => {
            let bytes = text.as_bytes();
            Value::from(slice.places().map(|i| bytes[i] as char).collect::<String>())
        }
        Place::Slice(slice) => {
            let chars: Vec<char> = text.chars().collect();
            Value::from(slice.places().map(|i| chars[i]).collect::<String>())
        }
    })
}

/// Bytes that are copied before Ctrl-C is looked for again.
const AT_ONCE: usize = 1 << 20;

/// `text * count`.
pub fn repeat(text: &str, count: usize) -> Outcome {
    let len = text.len().saturating_mul(count);
    super::limits::check_bytes(len)?;
    let several = (AT_ONCE / text.len().max(1)).clamp(1, count.max(1));
    let block = text.repeat(several);
    let mut all = String::with_capacity(len);
    for _ in 0..count / several {
        interrupt::check()?;
        all.push_str(&block);
    }
    all.push_str(&text.repeat(count % several));
    Ok(Value::from(all))
}

/// `text.encode(encoding, errors)`.
pub fn encode(text: &str, encoding: Option<&Value>, errors: Option<&Value>) -> Outcome {
    let (codec, errors) = (codec(encoding)?, error_mode(errors)?);
    let (limit, name, range) = match codec {
        Codec::Utf8 => return Ok(bytes::value(text.as_bytes().to_vec())),
        Codec::Ascii => (0x80, "ascii", "128"),
        Codec::Latin1 => (0x100, "latin-1", "256"),
    };
    let mut out = vec![];
    for (place, c) in text.chars().enumerate() {
        match (u32::from(c) < limit, errors) {
            (true, _) => out.push(c as u8),
            (false, Errors::Ignore) => {}
            (false, Errors::Replace) => out.push(b'?'),
            (false, Errors::Strict) => {
                let shown = repr::ascii(&Value::from(c.to_string()))?;
                fault!(
                    UnicodeEncodeError,
                    "'{name}' codec can't encode character {shown} in position {place}: ordinal not in range({range})"
                )
            }
        }
    }
    Ok(bytes::value(out))
}

fn join(c: &mut Call<'_>) -> Outcome {
    let (glue, parts) = (this(c), c.arg(0).clone());
    let has_items = match &parts {
        Value::List(_) => true,
        Value::Tensor(tensor) => tensor.ndim() > 0,
        other => iter::iter(c.machine, other)?.is_some(),
    };
    if !has_items {
        fault!(TypeError, "can only join an iterable");
    }
    let mut joined = String::new();
    for (i, part) in iter::collect(c.machine, &parts)?.iter().enumerate() {
        let part = &classes::plain(part);
        let Value::Str(part) = part else {
            fault!(TypeError, "sequence item {i}: expected str instance, {} found", part.type_name());
        };
        if i > 0 {
            limits::push(&mut joined, &glue)?;
        }
        limits::push(&mut joined, part)?;
    }
    text(joined)
}

/// The text with the universal newlines of files: `\r\n` and `\r` become `\n`.
pub fn universal_newlines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { Cow::Borrowed(text) }
}
