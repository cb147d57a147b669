//! Bytes.

use super::call::{Call, Table, Takes, named, row};
use super::sequence::{self, Place, Words};
use super::{buffer, convert, iter};
use crate::diag::ErrorClass;
use crate::value::{Class, Machine, Outcome, Value};
use std::rc::Rc;

const WORDS: Words = Words { subject: "byte indices must be integers or slices", outside: "index out of range" };

/// The methods.
pub static METHODS: Table = Table {
    owner: "bytes",
    rows: Table::sorted(&[
        row("count", Takes::Between(1, 3), |c| {
            let part = needle(c.arg(0))?;
            let found = places(c, &part)?;
            Ok(Value::from(found.len()))
        }),
        row("decode", named(&["encoding", "errors"], 0), |c| decode(&this(c), c.get(0), c.get(1))),
        row("endswith", Takes::Between(1, 3), |c| at_end(c, "endswith", |bytes, part| bytes.ends_with(part))),
        row("find", Takes::Between(1, 3), |c| {
            let part = needle(c.arg(0))?;
            Ok(Value::Int(places(c, &part)?.first().map_or(-1, |i| *i as i64)))
        }),
        row("hex", named(&["sep", "bytes_per_sep"], 0), hex),
        row("index", Takes::Between(1, 3), |c| {
            let part = needle(c.arg(0))?;
            match places(c, &part)?.first() {
                Some(place) => Ok(Value::from(*place)),
                None => fault!(ValueError, "subsection not found"),
            }
        }),
        row("join", Takes::One, join),
        row("lower", Takes::Nothing, |c| like(c.this, this(c).to_ascii_lowercase())),
        row("replace", Takes::Between(2, 3), replace),
        row("split", named(&["sep", "maxsplit"], 0), split),
        row("startswith", Takes::Between(1, 3), |c| at_end(c, "startswith", |bytes, part| bytes.starts_with(part))),
        row("strip", Takes::Between(0, 1), |c| {
            let set = c.some(0).map_or(Ok(b" \t\n\r\x0b\x0c".to_vec()), needle)?;
            let bytes = this(c);
            let inside = |b: &u8| !set.contains(b);
            let start = bytes.iter().position(inside).unwrap_or(bytes.len());
            let end = bytes.iter().rposition(inside).map_or(start, |i| i + 1);
            like(c.this, bytes[start..end].to_vec())
        }),
        row("upper", Takes::Nothing, |c| like(c.this, this(c).to_ascii_uppercase())),
    ]),
};

/// A bytes value.
pub fn value(bytes: Vec<u8>) -> Value {
    Value::Bytes(Rc::new(bytes))
}

/// The bytes of a bytes object or of a `bytearray`; none for what is neither.
pub fn read(value: &Value) -> Option<Rc<Vec<u8>>> {
    match value {
        Value::Bytes(bytes) => Some(bytes.clone()),
        other => buffer::read(other).map(Rc::new),
    }
}

/// What a method was called on.
pub fn this(c: &Call<'_>) -> Rc<Vec<u8>> {
    read(c.this).unwrap_or_default()
}

/// Bytes of the class that a method was called on.
pub fn like(this: &Value, bytes: Vec<u8>) -> Outcome {
    match this.class() {
        Some(Class::ByteArray) => buffer::bytearray(&bytes),
        _ => Ok(value(bytes)),
    }
}

/// What is looked for in bytes: bytes, or the number of one byte.
pub fn needle(value: &Value) -> Outcome<Vec<u8>> {
    match (read(value), value) {
        (Some(bytes), _) => Ok(bytes.to_vec()),
        (None, Value::Int(_) | Value::Bool(_)) => match u8::try_from(convert::to_i64(value)?) {
            Ok(byte) => Ok(vec![byte]),
            Err(_) => fault!(ValueError, "byte must be in range(0, 256)"),
        },
        (None, other) => fault!(TypeError, "a bytes-like object is required, not '{}'", other.type_name()),
    }
}

/// The bytes of an argument that can be nothing else.
pub fn only(value: &Value) -> Outcome<Rc<Vec<u8>>> {
    match read(value) {
        Some(bytes) => Ok(bytes),
        None => fault!(TypeError, "a bytes-like object is required, not '{}'", value.type_name()),
    }
}

/// True where a part, or one of a tuple of parts, stands at an end of what lies between the second and third arguments.
fn at_end(c: &mut Call<'_>, name: &str, stands: fn(&[u8], &[u8]) -> bool) -> Outcome {
    let bytes = this(c);
    let range = sequence::bounds(c.get(1), c.get(2), bytes.len())?;
    let inside = bytes.get(range.start..range.end);
    let parts = match c.arg(0) {
        Value::Tuple(parts) => parts.iter().map(only).collect::<Outcome<Vec<_>>>()?,
        one => match read(one) {
            Some(part) => vec![part],
            None => {
                let class = one.type_name();
                fault!(TypeError, "{name} first arg must be bytes or a tuple of bytes, not {class}")
            }
        },
    };
    Ok(Value::Bool(inside.is_some_and(|inside| parts.iter().any(|part| stands(inside, part)))))
}

/// Where a part stands, not overlapping, between the optional second and third arguments.
pub fn places(c: &Call<'_>, part: &[u8]) -> Outcome<Vec<usize>> {
    let bytes = this(c);
    let range = sequence::bounds(c.get(1), c.get(2), bytes.len())?;
    let (mut found, mut at) = (vec![], range.start);
    while at + part.len() <= range.end {
        if bytes[at..].starts_with(part) {
            found.push(at);
            at += part.len().max(1);
        } else {
            at += 1;
        }
    }
    Ok(found)
}

/// `bytes.decode()`: UTF-8, ASCII or Latin-1.
pub fn decode(bytes: &[u8], encoding: Option<&Value>, errors: Option<&Value>) -> Outcome {
    let (codec, errors) = (codec(encoding)?, error_mode(errors)?);
    if codec == Codec::Latin1 {
        return Ok(Value::from(bytes.iter().map(|b| *b as char).collect::<String>()));
    }
    let bad = match codec {
        Codec::Ascii => bytes.iter().position(|b| !b.is_ascii()),
        _ => std::str::from_utf8(bytes).err().map(|e| e.valid_up_to()),
    };
    match (bad, errors) {
        (None, _) => Ok(Value::from(String::from_utf8_lossy(bytes).into_owned())),
        (Some(_), Errors::Replace) => Ok(Value::from(String::from_utf8_lossy(bytes).into_owned())),
        (Some(_), Errors::Ignore) => Ok(Value::from(String::from_utf8_lossy(bytes).replace('\u{fffd}', ""))),
        (Some(place), Errors::Strict) if codec == Codec::Ascii => fault!(
            UnicodeDecodeError,
            "'ascii' codec can't decode byte {:#04x} in position {place}: ordinal not in range(128)",
            bytes[place]
        ),
        (Some(place), Errors::Strict) => fault!(
            UnicodeDecodeError,
            "'utf-8' codec can't decode byte {:#04x} in position {place}: {}",
            bytes[place],
            utf8_fault(&bytes[place..])
        ),
    }
}

/// Why the bytes begin with no UTF-8 character, as CPython says it.
fn utf8_fault(bytes: &[u8]) -> &'static str {
    match (bytes.first(), std::str::from_utf8(bytes).err().and_then(|e| e.error_len())) {
        (Some(0x80..=0xc1 | 0xf5..), _) => "invalid start byte",
        (_, None) => "unexpected end of data",
        _ => "invalid continuation byte",
    }
}

/// The encodings tsr knows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    /// UTF-8
    Utf8,
    /// ASCII
    Ascii,
    /// ISO 8859-1
    Latin1,
}

/// What happens to what cannot be converted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Errors {
    /// An exception.
    Strict,
    /// It is dropped.
    Ignore,
    /// A question mark takes its place.
    Replace,
}

/// The encoding named by an argument. Fails with a `LookupError` for an unknown one.
pub fn codec(name: Option<&Value>) -> Outcome<Codec> {
    let Some(name) = name else { return Ok(Codec::Utf8) };
    let name = convert::to_str(name, "decode", "argument 'encoding'")?;
    match name.to_ascii_lowercase().replace('_', "-").as_str() {
        "utf-8" | "utf8" | "u8" | "utf" => Ok(Codec::Utf8),
        "ascii" | "us-ascii" | "646" => Ok(Codec::Ascii),
        "latin-1" | "latin1" | "iso-8859-1" | "iso8859-1" | "l1" | "8859" => Ok(Codec::Latin1),
        _ => fault!(LookupError, "unknown encoding: {name}"),
    }
}

/// The treatment of errors named by an argument. Fails with a `LookupError` for an unknown one.
pub fn error_mode(name: Option<&Value>) -> Outcome<Errors> {
    let Some(name) = name else { return Ok(Errors::Strict) };
    match convert::to_str(name, "decode", "argument 'errors'")?.as_str() {
        "strict" => Ok(Errors::Strict),
        "ignore" => Ok(Errors::Ignore),
        "replace" => Ok(Errors::Replace),
        other => fault!(LookupError, "unknown error handler name '{other}'"),
    }
}

fn hex(c: &mut Call<'_>) -> Outcome {
    let digits: Vec<String> = this(c).iter().map(|b| format!("{b:02x}")).collect();
    let Some(separator) = c.get(0) else { return Ok(Value::from(digits.concat())) };
    let separator = convert::to_str(separator, "hex", "argument 'sep'")?;
    let group = c.get(1).map_or(Ok(1), convert::to_i64)?;
    if group == 0 {
        return Ok(Value::from(digits.concat()));
    }
    let size = group.unsigned_abs() as usize;
    // Groups are counted from the right for a positive number.
    let lead = if group > 0 { digits.len() % size } else { 0 };
    let (head, tail) = digits.split_at(lead);
    let groups: Vec<String> = [head].into_iter().filter(|h| !h.is_empty()).chain(tail.chunks(size)).map(|g| g.concat()).collect();
    Ok(Value::from(groups.join(separator)))
}

fn join(c: &mut Call<'_>) -> Outcome {
    let (glue, parts) = (this(c), c.arg(0).clone());
    let mut joined = vec![];
    for (i, part) in iter::collect(c.machine, &parts)?.iter().enumerate() {
        let Some(part) = read(part) else {
            fault!(TypeError, "sequence item {i}: expected a bytes-like object, {} found", part.type_name());
        };
        if i > 0 {
            joined.extend_from_slice(&glue);
        }
        joined.extend_from_slice(&part);
    }
    like(c.this, joined)
}

fn replace(c: &mut Call<'_>) -> Outcome {
    let (old, new) = (needle(c.arg(0))?, needle(c.arg(1))?);
    let most = c.get(2).map_or(Ok(-1), convert::to_i64)?;
    let (bytes, mut out, mut at, mut left) = (this(c), vec![], 0, if most < 0 { usize::MAX } else { most as usize });
    while at <= bytes.len() {
        if left > 0 && bytes[at..].starts_with(&old) {
            out.extend_from_slice(&new);
            at += old.len();
            left -= 1;
            if !old.is_empty() {
                continue;
            }
        }
        out.extend(bytes.get(at));
        at += 1;
    }
    like(c.this, out)
}

fn split(c: &mut Call<'_>) -> Outcome {
    let most = c.get(1).map_or(Ok(-1), convert::to_i64)?;
    let most = if most < 0 { usize::MAX } else { most as usize };
    let bytes = this(c);
    let Some(separator) = c.some(0).map(needle).transpose()? else {
        let words = bytes.split(|b| b.is_ascii_whitespace() || *b == 0x0b).filter(|w| !w.is_empty());
        return Ok(Value::list(words.map(|w| like(c.this, w.to_vec())).collect::<Outcome<_>>()?));
    };
    if separator.is_empty() {
        fault!(ValueError, "empty separator");
    }
    let (mut parts, mut start, mut at) = (vec![], 0, 0);
    while at + separator.len() <= bytes.len() && parts.len() < most {
        if bytes[at..].starts_with(&separator) {
            parts.push(like(c.this, bytes[start..at].to_vec())?);
            at += separator.len();
            start = at;
        } else {
            at += 1;
        }
    }
    parts.push(like(c.this, bytes[start..].to_vec())?);
    Ok(Value::list(parts))
}

/// `bytes[key]`.
pub fn index(bytes: &[u8], key: &Value) -> Outcome {
    Ok(match sequence::place(key, bytes.len(), &WORDS)? {
        Place::At(place) => Value::Int(bytes[place] as i64),
        Place::Slice(slice) => value(slice.places().map(|i| bytes[i]).collect()),
    })
}

/// `item in bytes`
pub fn contains(bytes: &[u8], item: &Value) -> Outcome<bool> {
    let part = needle(item)?;
    Ok(part.is_empty() || bytes.windows(part.len()).any(|w| w == part))
}

/// `bytes()`, `bytes(5)`, `bytes([1, 2])`, `bytes('é', 'utf-8')`; the name is that of the class that is made, `bytearray` as well.
pub fn construct(machine: &mut dyn Machine, name: &str, args: &[Option<Value>; 3]) -> Outcome {
    let [source, encoding, errors] = args;
    match (source, encoding) {
        (Some(Value::Str(_)), None) => fault!(TypeError, "string argument without an encoding"),
        (Some(Value::Str(text)), Some(_)) => super::str::encode(text, encoding.as_ref(), errors.as_ref()),
        (_, Some(_)) => fault!(TypeError, "encoding without a string argument"),
        (None, None) => Ok(value(vec![])),
        (Some(Value::Bytes(_)), None) => Ok(source.clone().unwrap_or(Value::None)),
        (Some(source), None) => match count(source)? {
            Some(Value::Int(count)) if count < 0 => fault!(ValueError, "negative count"),
            Some(count) => Ok(value(sequence::repeat(&[0], convert::to_count(&count)?)?)),
            None if read(source).is_some() => Ok(Value::Bytes(only(source)?)),
            None if !matches!(source, Value::Tensor(tensor) if tensor.ndim() > 0) && iter::iter(machine, source)?.is_none() => {
                fault!(TypeError, "cannot convert '{}' object to {name}", source.type_name())
            }
            None => from_numbers(machine, if name == "bytes" { name } else { "byte" }, source),
        },
    }
}

/// How many zeros a source asks for; none for one that gives its numbers, such as a tensor of several elements.
fn count(source: &Value) -> Outcome<Option<Value>> {
    match convert::as_int(source) {
        Err(raise) if raise.0.diagnostic.class.is_a(ErrorClass::TypeError) => Ok(None),
        found => found,
    }
}

/// Bytes of an iterable of numbers below 256, which are called so where one is not.
pub fn from_numbers(machine: &mut dyn Machine, called: &str, numbers: &Value) -> Outcome {
    let mut bytes = vec![];
    iter::each(machine, numbers, |_, number| {
        let Ok(byte) = u8::try_from(convert::to_i64(&number)?) else { fault!(ValueError, "{called} must be in range(0, 256)") };
        bytes.push(byte);
        Ok(true)
    })?;
    Ok(value(bytes))
}

/// The `TypeError` of `bytes + other`.
pub fn refuse_concatenation(other: &Value) -> Outcome {
    fault!(TypeError, "can't concat {} to bytes", other.type_name())
}
