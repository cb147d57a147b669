//! Python's notation of patterns in that of the crate.
//!
//! They differ in little: what ends a text, which characters stand for themselves inside brackets, and loose braces.

use crate::syntax::character_named;

/// A pattern with its flags, rewritten.
pub fn rewritten(source: &str, flags: i64) -> String {
    let letters: String = [('i', 2), ('m', 8), ('s', 16), ('x', 64)]
        .iter()
        .filter(|(_, bit)| flags & bit != 0)
        .map(|(letter, _)| *letter)
        .collect();
    let mut out = if letters.is_empty() { String::new() } else { format!("(?{letters})") };
    let lines = flags & 8 != 0 || source.starts_with("(?m)");
    let mut rest = source;
    let mut bracket = Bracket::Outside;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match (c, bracket) {
            ('\\', _) => {
                let escaped = rest.chars().next().unwrap_or('\\');
                rest = rest.get(escaped.len_utf8()..).unwrap_or_default();
                if let Some((c, behind)) = coded(escaped, rest) {
                    out.push_str(&format!("\\x{{{:x}}}", c as u32));
                    rest = behind;
                    bracket = if bracket == Bracket::Start { Bracket::Inside } else { bracket };
                    continue;
                }
                escape(&mut out, escaped, bracket != Bracket::Outside);
            }
            ('[', Bracket::Outside) => {
                out.push('[');
                if let Some(after) = rest.strip_prefix('^') {
                    out.push('^');
                    rest = after;
                }
                bracket = Bracket::Start;
                continue;
            }
            (']', Bracket::Inside) => {
                out.push(']');
                bracket = Bracket::Outside;
            }
            // Set operations and brackets inside brackets, which Python does not have.
            ('[' | ']' | '&' | '~', Bracket::Start | Bracket::Inside) => out.extend(['\\', c]),
            ('-', Bracket::Inside) if rest.starts_with('-') => out.push_str("\\-"),
            ('$', Bracket::Outside) if !lines => out.push_str("(?=\\n?\\z)"),
            ('{', Bracket::Outside) if !repeats(rest) => out.push_str("\\{"),
            ('{', Bracket::Outside) if rest.starts_with(',') => out.push_str("{0"),
            ('}', Bracket::Outside) if !out_is_repeating(&out) => out.push_str("\\}"),
            _ => out.push(c),
        }
        if bracket == Bracket::Start {
            bracket = Bracket::Inside;
        }
    }
    out
}

/// Where a character of a pattern is: right behind an opening bracket, `]` is a character.
#[derive(Clone, Copy, PartialEq)]
enum Bracket {
    Outside,
    Start,
    Inside,
}

/// The character of `\0`, with octal digits, or of `\N`, with a name, and what follows; none for other escapes.
fn coded(escaped: char, rest: &str) -> Option<(char, &str)> {
    match escaped {
        '0' => {
            let count = rest.bytes().take(2).take_while(|b| matches!(b, b'0'..=b'7')).count();
            let (digits, behind) = rest.split_at(count);
            Some((char::from(u8::from_str_radix(digits, 8).unwrap_or(0)), behind))
        }
        'N' => {
            let (name, behind) = rest.strip_prefix('{')?.split_once('}')?;
            Some((character_named(name)?, behind))
        }
        _ => None,
    }
}

fn escape(out: &mut String, c: char, inside: bool) {
    match (c, inside) {
        ('Z', false) => out.push_str("\\z"),
        ('b', true) => out.push_str("\\x08"),
        ('<' | '>', _) => out.push(c),
        (c, _) if !c.is_ascii() => out.push(c),
        _ => out.extend(['\\', c]),
    }
}

/// True for what follows the `{` of `a{2,3}`.
fn repeats(rest: &str) -> bool {
    let Some((counts, _)) = rest.split_once('}') else { return false };
    counts != ","
        && !counts.is_empty()
        && counts.matches(',').count() < 2
        && counts.chars().all(|c| c == ',' || c.is_ascii_digit())
}

/// True when what was written ends in an open `{2,3`.
fn out_is_repeating(out: &str) -> bool {
    let before = out.trim_end_matches(|c: char| c == ',' || c.is_ascii_digit());
    before.ends_with('{') && !before.ends_with("\\{")
}
