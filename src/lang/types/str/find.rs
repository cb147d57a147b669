//! Looking for parts of a text.

use super::{between, len, this};
use crate::interrupt;
use crate::lang::types::call::Call;
use crate::lang::types::{convert, limits, sequence};
use crate::value::{Outcome, Text, Value};
use std::rc::Rc;

/// The part of the text that the optional arguments `start` and `end` leave, with the place of its first code point; none when
/// start lies behind the end.
fn window(c: &Call<'_>) -> Outcome<Option<(Rc<Text>, std::ops::Range<usize>)>> {
    let text = this(c);
    let range = sequence::bounds(c.get(1), c.get(2), len(&text))?;
    Ok((range.start <= range.end).then_some((text, range)))
}

fn part<'a>(c: &'a Call<'_>) -> Outcome<&'a Rc<Text>> {
    match c.arg(0) {
        Value::Str(part) => Ok(part),
        other => fault!(TypeError, "must be str, not {}", other.type_name()),
    }
}

/// Where the first argument first stands, in code points.
pub fn place(c: &mut Call<'_>) -> Outcome<Option<usize>> {
    locate(c, |text, part| text.find(part))
}

/// Where the first argument last stands.
pub fn last_place(c: &mut Call<'_>) -> Outcome<Option<usize>> {
    locate(c, |text, part| text.rfind(part))
}

fn locate(c: &Call<'_>, find: impl Fn(&str, &str) -> Option<usize>) -> Outcome<Option<usize>> {
    let part = part(c)?;
    let Some((text, range)) = window(c)? else { return Ok(None) };
    let inside = between(&text, range.clone());
    Ok(find(inside, part).map(|byte| range.start + len(&inside[..byte])))
}

/// `text.count(part, start, end)`.
pub fn count(c: &mut Call<'_>) -> Outcome {
    let part = part(c)?;
    let Some((text, range)) = window(c)? else { return Ok(Value::Int(0)) };
    let inside = between(&text, range);
    Ok(Value::from(if part.is_empty() { len(inside) + 1 } else { inside.matches(part.as_str()).count() }))
}

/// `text.startswith(part, start, end)` and `endswith`, whose part may be a tuple.
pub fn ends(c: &mut Call<'_>, function: &str) -> Outcome {
    let test = |text: &str, part: &str| if function == "startswith" { text.starts_with(part) } else { text.ends_with(part) };
    let parts = match c.arg(0) {
        Value::Str(part) => vec![part.clone()],
        Value::Tuple(parts) => {
            let each = parts.iter().map(|part| match part {
                Value::Str(part) => Ok(part.clone()),
                other => fault!(TypeError, "tuple for {function} must only contain str, not {}", other.type_name()),
            });
            each.collect::<Outcome<_>>()?
        }
        other => fault!(TypeError, "{function} first arg must be str or a tuple of str, not {}", other.type_name()),
    };
    let Some((text, range)) = window(c)? else { return Ok(Value::Bool(false)) };
    let inside = between(&text, range);
    Ok(Value::Bool(parts.iter().any(|part| test(inside, part))))
}

/// Replacements that are made before Ctrl-C is looked for again.
const AT_ONCE: usize = 1 << 16;

/// `text.replace(old, new, count)`.
pub fn replace(c: &mut Call<'_>) -> Outcome {
    let text = this(c);
    let old = convert::to_str(c.arg(0), "replace", "argument 1")?.clone();
    let new = convert::to_str(c.arg(1), "replace", "argument 2")?.clone();
    let most = c.get(2).map_or(Ok(-1), convert::to_i64)?;
    let most = if most < 0 { usize::MAX } else { most as usize };
    let mut times = 0;
    for _ in text.match_indices(old.as_str()).take(most) {
        times += 1;
        if times % AT_ONCE == 0 {
            interrupt::check()?;
        }
    }
    limits::check_bytes(text.len().saturating_add(times.saturating_mul(new.len())))?;
    let (mut out, mut end) = (String::with_capacity(text.len()), 0);
    for (k, (at, found)) in text.match_indices(old.as_str()).take(times).enumerate() {
        if k % AT_ONCE == 0 {
            interrupt::check()?;
        }
        out.push_str(&text[end..at]);
        out.push_str(&new);
        end = at + found.len();
    }
    out.push_str(&text[end..]);
    Ok(Value::from(out))
}
