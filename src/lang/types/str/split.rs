//! Taking a text apart.

use super::this;
use crate::lang::types::call::Call;
use crate::lang::types::{convert, float, truth};
use crate::value::{Outcome, Value};

/// `text.split(sep, maxsplit)`, or from the end.
pub fn split(c: &mut Call<'_>, from_end: bool) -> Outcome {
    let text = this(c);
    let most = c.get(1).map_or(Ok(-1), convert::to_i64)?;
    let most = if most < 0 { usize::MAX } else { most as usize };
    let parts = match c.some(0) {
        None if from_end => words_from_end(&text, most),
        None => words(&text, most),
        Some(Value::Str(separator)) if separator.is_empty() => fault!(ValueError, "empty separator"),
        Some(Value::Str(separator)) => by_separator(&text, separator, most, from_end),
        Some(other) => fault!(TypeError, "must be str or None, not {}", other.type_name()),
    };
    Ok(Value::list(parts.into_iter().map(Value::from).collect()))
}

fn by_separator<'t>(text: &'t str, separator: &str, most: usize, from_end: bool) -> Vec<&'t str> {
    if from_end {
        let mut parts: Vec<&str> = text.rsplitn(most.saturating_add(1), separator).collect();
        parts.reverse();
        return parts;
    }
    text.splitn(most.saturating_add(1), separator).collect()
}

fn words(text: &str, most: usize) -> Vec<&str> {
    let (mut parts, mut rest) = (vec![], text.trim_start_matches(float::is_space));
    while !rest.is_empty() {
        let end =
            if parts.len() < most { rest.find(float::is_space) } else { Some(rest.trim_end_matches(float::is_space).len()) };
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        parts.push(word);
        rest = after.trim_start_matches(float::is_space);
    }
    parts
}

fn words_from_end(text: &str, most: usize) -> Vec<&str> {
    let (mut parts, mut rest) = (vec![], text.trim_end_matches(float::is_space));
    while !rest.is_empty() {
        if parts.len() == most {
            parts.push(rest.trim_start_matches(float::is_space));
            break;
        }
        let start = rest.char_indices().rfind(|(_, c)| float::is_space(*c)).map_or(0, |(i, c)| i + c.len_utf8());
        let (before, word) = rest.split_at(start);
        parts.push(word);
        rest = before.trim_end_matches(float::is_space);
    }
    parts.reverse();
    parts
}

/// `text.partition(sep)`, or at the last separator.
pub fn partition(c: &mut Call<'_>, at_last: bool) -> Outcome {
    let text = this(c);
    let separator = match c.arg(0) {
        Value::Str(separator) => separator.clone(),
        other => fault!(TypeError, "must be str, not {}", other.type_name()),
    };
    if separator.is_empty() {
        fault!(ValueError, "empty separator");
    }
    let found = if at_last { text.rsplit_once(separator.as_str()) } else { text.split_once(separator.as_str()) };
    let parts = match found {
        Some((before, after)) => [before, &separator, after],
        None if at_last => ["", "", &text],
        None => [&text, "", ""],
    };
    Ok(Value::tuple(parts.map(Value::from).to_vec()))
}

/// `text.splitlines(keepends)`.
pub fn lines(c: &mut Call<'_>) -> Outcome {
    let keep = c.get(0).map_or(Ok(false), truth::truth)?;
    Ok(Value::list(split_lines(&this(c), keep).into_iter().map(Value::from).collect()))
}

/// The lines of a text, ended by any of Unicode's line breaks.
fn split_lines(text: &str, keep: bool) -> Vec<&str> {
    let (mut lines, mut rest) = (vec![], text);
    while !rest.is_empty() {
        let Some((start, first)) = rest.char_indices().find(|(_, c)| is_line_break(*c)) else {
            lines.push(rest);
            break;
        };
        let mut end = start + first.len_utf8();
        if first == '\r' && rest[end..].starts_with('\n') {
            end += 1;
        }
        lines.push(&rest[..if keep { end } else { start }]);
        rest = &rest[end..];
    }
    lines
}

fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\x0b' | '\x0c' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}')
}
