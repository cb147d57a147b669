//! f-strings: texts, values, conversions and format specs, by the rules of Python 3.11.

use super::Lower;
use super::expr::LONE_STAR;
use super::literal::{Piece, push_part, string_value};
use crate::diag::Span;
use crate::syntax::ast::{Expr, FPart};
use crate::syntax::lines::blank_between;
use crate::syntax::refusal::{Parsed, Refusal};
use crate::syntax::{explain, grammar};

/// Brackets that may be open inside one value, as in CPython.
const MAX_OPEN: usize = 200;

impl Lower {
    /// The parts of one f-string literal.
    pub(super) fn fstring(&self, piece: &Piece) -> Parsed<Vec<FPart>> {
        let mut reader = Reader { lower: self, text: piece.body, at: 0, start: piece.start, raw: piece.raw };
        let parts = reader.parts(0)?;
        Ok(parts)
    }

    /// The value between the braces of an f-string.
    fn fstring_value(&self, text: &str, start: usize) -> Parsed<Expr> {
        let inner = Lower { base: start, depth: self.depth.clone(), fstrings: self.fstrings + 1 };
        let parsed = match grammar::expression(&blank_between(text)) {
            Ok(node) => inner.deeper(1, Span::new(start, start + text.len()), || inner.expression(&node)),
            Err(stop) => Err(explain::fragment(text, start, stop)),
        };
        parsed.map_err(|mut refusal| {
            if refusal.message == LONE_STAR {
                refusal.message = "cannot use starred expression here".into();
            }
            if !refusal.message.starts_with("f-string: ") {
                refusal.message.insert_str(0, "f-string: ");
            }
            refusal
        })
    }
}

/// A cursor in the body of an f-string.
struct Reader<'a> {
    lower: &'a Lower,
    text: &'a str,
    at: usize,
    /// Where the body begins in the whole text.
    start: usize,
    raw: bool,
}

impl Reader<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn slice(&self, from: usize, to: usize) -> &str {
        self.text.get(from..to).unwrap_or("")
    }

    fn refuse<T>(&self, at: usize, message: impl Into<String>) -> Parsed<T> {
        let end = at + self.text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        Err(Refusal::new(Span::new(self.start + at, self.start + end), message))
    }

    /// Texts and values up to the end, or in a format spec (`level` above 0) up to its closing brace.
    fn parts(&mut self, level: usize) -> Parsed<Vec<FPart>> {
        let mut parts = Vec::new();
        loop {
            let text = self.literal(level)?;
            push_part(&mut parts, FPart::Text(text.into()));
            if self.byte(self.at) != b'{' {
                return Ok(parts);
            }
            parts.push(self.value(level)?);
        }
    }

    /// Plain text up to a brace that is one.
    fn literal(&mut self, level: usize) -> Parsed<String> {
        let mut out = String::new();
        let mut from = self.at;
        loop {
            let byte = self.byte(self.at);
            if self.at >= self.text.len() {
                break;
            } else if byte == b'\\' && !self.raw {
                self.at += if matches!(self.byte(self.at + 1), b'{' | b'}') { 1 } else { 2 };
            } else if !matches!(byte, b'{' | b'}') {
                self.at += 1;
            } else if level == 0 && self.byte(self.at + 1) == byte {
                out.push_str(&self.decode(from, self.at + 1)?);
                self.at += 2;
                from = self.at;
            } else if level == 0 && byte == b'}' {
                return self.refuse(self.at, "f-string: single '}' is not allowed");
            } else {
                break;
            }
        }
        self.at = self.at.min(self.text.len());
        out.push_str(&self.decode(from, self.at)?);
        Ok(out)
    }

    fn decode(&self, from: usize, to: usize) -> Parsed<String> {
        string_value(self.slice(from, to), self.start + from, self.raw)
    }

    /// `{value}`, `{value=}`, `{value!r:spec}`.
    fn value(&mut self, level: usize) -> Parsed<FPart> {
        if level >= 2 {
            return self.refuse(self.at, "f-string: expressions nested too deeply");
        }
        let from = self.at + 1;
        let to = self.value_end(from)?;
        let text = self.slice(from, to);
        if text.trim().is_empty() {
            return self.refuse(self.at, "f-string: empty expression not allowed");
        }
        let value = self.lower.fstring_value(text, self.start + from)?;
        self.at = to;
        let debug = self.debug(from);
        let mut conversion = self.conversion()?;
        let spec = if self.byte(self.at) == b':' {
            self.at += 1;
            Some(self.parts(level + 1)?)
        } else {
            None
        };
        if self.byte(self.at) != b'}' {
            return self.refuse(self.at, "f-string: expecting '}'");
        }
        self.at += 1;
        if debug.is_some() && spec.is_none() {
            conversion = conversion.or(Some('r'));
        }
        Ok(FPart::Value { value, debug: debug.map(Into::into), conversion, spec })
    }

    /// With `=`, the text from the opening brace to where the value's text ends.
    fn debug(&mut self, from: usize) -> Option<String> {
        if self.byte(self.at) != b'=' {
            return None;
        }
        self.at += 1;
        while self.byte(self.at).is_ascii_whitespace() || self.byte(self.at) == 0x0B {
            self.at += 1;
        }
        Some(self.slice(from, self.at).replace("\r\n", "\n").replace('\r', "\n"))
    }

    fn conversion(&mut self) -> Parsed<Option<char>> {
        if self.byte(self.at) != b'!' {
            return Ok(None);
        }
        let Some(letter) = self.text.get(self.at + 1..).and_then(|r| r.chars().next()) else {
            return self.refuse(self.at, "f-string: expecting '}'");
        };
        if !matches!(letter, 's' | 'r' | 'a') {
            return self.refuse(self.at + 1, "f-string: invalid conversion character: expected 's', 'r', or 'a'");
        }
        self.at += 2;
        Ok(Some(letter))
    }

    /// Where the value that begins at `from` ends: at `!`, `:`, `=` or `}` outside brackets and strings.
    fn value_end(&self, from: usize) -> Parsed<usize> {
        let mut open: Vec<(u8, usize)> = Vec::new();
        let mut at = from;
        while at < self.text.len() {
            let byte = self.byte(at);
            match byte {
                b'\\' => return self.refuse(at, "f-string expression part cannot include a backslash"),
                b'#' => return self.refuse(at, "f-string expression part cannot include '#'"),
                b'"' | b'\'' => {
                    at = self.string_end(at)?;
                    continue;
                }
                b'(' | b'[' | b'{' if open.len() >= MAX_OPEN => {
                    return self.refuse(at, "f-string: too many nested parenthesis");
                }
                b'(' | b'[' | b'{' => open.push((byte, at)),
                b'!' | b'=' | b'<' | b'>' if open.is_empty() && self.byte(at + 1) == b'=' => at += 1,
                b'!' | b':' | b'}' | b'=' if open.is_empty() => return Ok(at),
                b')' | b']' | b'}' => self.close(&mut open, byte, at)?,
                _ => {}
            }
            at += 1;
        }
        match open.last() {
            Some((bracket, place)) => self.refuse(*place, format!("f-string: unmatched '{}'", *bracket as char)),
            None => self.refuse(self.at, "f-string: expecting '}'"),
        }
    }

    fn close(&self, open: &mut Vec<(u8, usize)>, byte: u8, at: usize) -> Parsed<()> {
        let closing = byte as char;
        match open.pop() {
            None => self.refuse(at, format!("f-string: unmatched '{closing}'")),
            Some((opening, _)) if matches!((opening, byte), (b'(', b')') | (b'[', b']') | (b'{', b'}')) => Ok(()),
            Some((opening, _)) => self.refuse(
                at,
                format!("f-string: closing parenthesis '{closing}' does not match opening parenthesis '{}'", opening as char),
            ),
        }
    }

    /// One past the closing quotes of the string at `at`.
    fn string_end(&self, at: usize) -> Parsed<usize> {
        let quote = self.byte(at);
        let width = if self.byte(at + 1) == quote && self.byte(at + 2) == quote { 3 } else { 1 };
        let mut end = at + width;
        while end < self.text.len() {
            let closes = (0..width).all(|i| self.byte(end + i) == quote);
            match self.byte(end) {
                b'\\' => return self.refuse(end, "f-string expression part cannot include a backslash"),
                _ if closes => return Ok(end + width),
                _ => end += 1,
            }
        }
        self.refuse(at, "f-string: unterminated string")
    }
}
