//! Bytes as text of ASCII characters: the methods that str has, too.

use super::bytes::{like, needle, only, places, this, value};
use super::call::{Call, Table, Takes, named, row};
use super::{buffer, convert, overall, sequence};
use crate::value::{Class, Outcome, Value};

/// The methods.
pub static METHODS: Table = Table {
    owner: "bytes",
    rows: Table::sorted(&[
        row("capitalize", Takes::Nothing, |c| {
            let mut bytes = this(c).to_ascii_lowercase();
            bytes.iter_mut().take(1).for_each(|byte| byte.make_ascii_uppercase());
            like(c.this, bytes)
        }),
        row("center", Takes::Between(1, 2), |c| pad(c, "center", |missing, width| missing / 2 + (missing & width & 1))),
        row("fromhex", Takes::One, from_hex),
        row("isalnum", Takes::Nothing, |c| all(c, u8::is_ascii_alphanumeric)),
        row("isalpha", Takes::Nothing, |c| all(c, u8::is_ascii_alphabetic)),
        row("isascii", Takes::Nothing, |c| Ok(Value::Bool(this(c).is_ascii()))),
        row("isdigit", Takes::Nothing, |c| all(c, u8::is_ascii_digit)),
        row("islower", Takes::Nothing, |c| cased(c, u8::is_ascii_lowercase, u8::is_ascii_uppercase)),
        row("isspace", Takes::Nothing, |c| all(c, is_space)),
        row("istitle", Takes::Nothing, |c| {
            let bytes = this(c);
            Ok(Value::Bool(bytes.iter().any(u8::is_ascii_alphabetic) && titled(&bytes) == **bytes))
        }),
        row("isupper", Takes::Nothing, |c| cased(c, u8::is_ascii_uppercase, u8::is_ascii_lowercase)),
        row("ljust", Takes::Between(1, 2), |c| pad(c, "ljust", |_, _| 0)),
        row("lstrip", Takes::Between(0, 1), |c| stripped(c, true, false)),
        row("partition", Takes::One, |c| parted(c, false)),
        row("removeprefix", Takes::One, |c| {
            let (bytes, part) = (this(c), only(c.arg(0))?);
            like(c.this, bytes.strip_prefix(&part[..]).unwrap_or(&bytes).to_vec())
        }),
        row("removesuffix", Takes::One, |c| {
            let (bytes, part) = (this(c), only(c.arg(0))?);
            like(c.this, bytes.strip_suffix(&part[..]).unwrap_or(&bytes).to_vec())
        }),
        row("rfind", Takes::Between(1, 3), |c| Ok(last(c)?.map_or(Value::Int(-1), Value::from))),
        row("rindex", Takes::Between(1, 3), |c| match last(c)? {
            Some(place) => Ok(Value::from(place)),
            None => fault!(ValueError, "subsection not found"),
        }),
        row("rjust", Takes::Between(1, 2), |c| pad(c, "rjust", |missing, _| missing)),
        row("rpartition", Takes::One, |c| parted(c, true)),
        row("rstrip", Takes::Between(0, 1), |c| stripped(c, false, true)),
        row("splitlines", named(&["keepends"], 0), lines),
        row("swapcase", Takes::Nothing, |c| {
            let swapped =
                |byte: &u8| if byte.is_ascii_lowercase() { byte.to_ascii_uppercase() } else { byte.to_ascii_lowercase() };
            like(c.this, this(c).iter().map(swapped).collect())
        }),
        row("title", Takes::Nothing, |c| like(c.this, titled(&this(c)))),
        row("zfill", Takes::One, |c| {
            let (bytes, width) = (this(c), convert::to_i64(c.arg(0))?.max(0) as usize);
            let sign = usize::from(bytes.starts_with(b"+") || bytes.starts_with(b"-"));
            let zeros = sequence::repeat(b"0", width.saturating_sub(bytes.len()))?;
            like(c.this, [&bytes[..sign], &zeros, &bytes[sign..]].concat())
        }),
    ]),
};

fn is_space(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || *byte == 0x0b
}

fn all(c: &Call<'_>, test: fn(&u8) -> bool) -> Outcome {
    let bytes = this(c);
    Ok(Value::Bool(!bytes.is_empty() && bytes.iter().all(test)))
}

/// True where letters of one case are there and none of the other.
fn cased(c: &Call<'_>, some: fn(&u8) -> bool, none: fn(&u8) -> bool) -> Outcome {
    let bytes = this(c);
    Ok(Value::Bool(bytes.iter().any(some) && !bytes.iter().any(none)))
}

/// Every word with a capital.
fn titled(bytes: &[u8]) -> Vec<u8> {
    let mut inside = false;
    let letter = |byte: &u8| {
        let next = if inside { byte.to_ascii_lowercase() } else { byte.to_ascii_uppercase() };
        inside = byte.is_ascii_alphabetic();
        next
    };
    bytes.iter().map(letter).collect()
}

/// The bytes in a field of a width; `before` says how many of the missing ones, given the width, come first.
fn pad(c: &mut Call<'_>, name: &str, before: fn(usize, usize) -> usize) -> Outcome {
    let (bytes, width) = (this(c), convert::to_i64(c.arg(0))?.max(0) as usize);
    let fill = c.get(1).map_or(Ok(b" ".to_vec()), needle)?;
    let [fill] = fill[..] else {
        fault!(TypeError, "{name}() argument 2 must be a byte string of length 1, not {}", c.arg(1).type_name());
    };
    let missing = width.saturating_sub(bytes.len());
    let first = before(missing, width);
    let filled = |count: usize| sequence::repeat(&[fill], count);
    like(c.this, [filled(first)?, bytes.to_vec(), filled(missing - first)?].concat())
}

fn stripped(c: &mut Call<'_>, at_start: bool, at_end: bool) -> Outcome {
    let set = c.some(0).map(only).transpose()?;
    let goes = |byte: &u8| set.as_ref().map_or_else(|| is_space(byte), |set| set.contains(byte));
    let bytes = this(c);
    let start = if at_start { bytes.iter().take_while(|byte| goes(byte)).count() } else { 0 };
    let after = if at_end { bytes[start..].iter().rev().take_while(|byte| goes(byte)).count() } else { 0 };
    like(c.this, bytes[start..bytes.len() - after].to_vec())
}

/// Where a part stands last.
fn last(c: &Call<'_>) -> Outcome<Option<usize>> {
    let part = needle(c.arg(0))?;
    if part.is_empty() {
        return Ok(places(c, &part)?.last().copied());
    }
    let bytes = this(c);
    let range = sequence::bounds(c.get(1), c.get(2), bytes.len())?;
    let inside = bytes.get(range.start..range.end).unwrap_or_default();
    Ok(inside.windows(part.len()).rposition(|window| window == part).map(|place| place + range.start))
}

/// What stands before a separator, the separator, and what stands behind it.
fn parted(c: &mut Call<'_>, from_end: bool) -> Outcome {
    let (bytes, part) = (this(c), only(c.arg(0))?);
    if part.is_empty() {
        fault!(ValueError, "empty separator");
    }
    let mut windows = bytes.windows(part.len());
    let place = if from_end { windows.rposition(|w| w == &part[..]) } else { windows.position(|w| w == &part[..]) };
    let parts: [&[u8]; 3] = match place {
        Some(place) => [&bytes[..place], &part, &bytes[place + part.len()..]],
        None if from_end => [&[], &[], &bytes],
        None => [&bytes, &[], &[]],
    };
    Ok(Value::tuple(parts.iter().map(|part| like(c.this, part.to_vec())).collect::<Outcome<_>>()?))
}

fn lines(c: &mut Call<'_>) -> Outcome {
    let (bytes, keeps) = (this(c), c.get(0).map_or(Ok(false), overall::truth)?);
    let (mut lines, mut rest) = (vec![], &bytes[..]);
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        let mark = if rest[end..].starts_with(b"\r\n") { 2 } else { usize::from(end < rest.len()) };
        lines.push(like(c.this, rest[..if keeps { end + mark } else { end }].to_vec())?);
        rest = &rest[end + mark..];
    }
    Ok(Value::list(lines))
}

/// `bytes.fromhex(text)`
fn from_hex(c: &mut Call<'_>) -> Outcome {
    let Value::Str(text) = c.arg(0) else {
        fault!(TypeError, "fromhex() argument must be str, not {}", c.arg(0).type_name());
    };
    let digits: Vec<(usize, char)> = text.chars().enumerate().collect();
    let (mut bytes, mut at) = (vec![], 0);
    while let Some((_, c)) = digits.get(at) {
        if c.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let pair = [at, at + 1].map(|place| digits.get(place).and_then(|(_, c)| c.to_digit(16)));
        let [Some(high), Some(low)] = pair else {
            let place = if pair[0].is_some() { at + 1 } else { at };
            fault!(ValueError, "non-hexadecimal number found in fromhex() arg at position {place}");
        };
        bytes.push((high * 16 + low) as u8);
        at += 2;
    }
    match c.this {
        Value::Class(Class::ByteArray) => buffer::bytearray(&bytes),
        _ => Ok(value(bytes)),
    }
}
