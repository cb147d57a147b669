//! Numbers, strings and bytes.

use super::Lower;
use crate::diag::Span;
use crate::syntax::ast::{Expr, ExprKind, FPart};
use crate::syntax::grammar::{Node, inside};
use crate::syntax::lex::number;
use crate::syntax::refusal::{Parsed, Refusal};
use num_bigint::BigInt;
use std::rc::Rc;

/// Decimal digits an integer literal may have, as in CPython; reading more would take quadratic time.
const MAX_DECIMAL_DIGITS: usize = 4300;

/// One string literal, taken apart.
pub(super) struct Piece<'i> {
    /// Between the quotes.
    pub body: &'i str,
    /// Where the body begins in the whole text.
    pub start: usize,
    pub raw: bool,
    pub bytes: bool,
    pub formatted: bool,
    pub span: Span,
}

impl Lower {
    pub(super) fn number(&self, node: &Node) -> Parsed<ExprKind> {
        let span = self.span(node);
        if let Some(fault) = number::scan(node.as_str().as_bytes()).fault {
            return Err(Refusal::new(span, fault));
        }
        let text: String = node.as_str().chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase();
        let broken = || Refusal::new(span, "invalid decimal literal");
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
            if let Some(digits) = text.strip_prefix(prefix) {
                return integer(digits, radix).ok_or_else(broken);
            }
        }
        if let Some(digits) = text.strip_suffix('j') {
            return digits.parse().map(ExprKind::Imaginary).map_err(|_| broken());
        }
        if text.contains(['.', 'e']) {
            return text.parse().map(ExprKind::Float).map_err(|_| broken());
        }
        if text.len() > MAX_DECIMAL_DIGITS {
            return Err(Refusal::new(
                span,
                format!(
                    "Exceeds the limit ({MAX_DECIMAL_DIGITS} digits) for integer string conversion: value has {} digits",
                    text.len()
                ),
            )
            .help("Write so large an integer in hexadecimal (0x…)."));
        }
        integer(&text, 10).ok_or_else(broken)
    }

    /// Adjacent string literals, joined.
    pub(super) fn strings(&self, node: &Node) -> Parsed<Expr> {
        let span = self.span(node);
        let nodes: Vec<Node> = inside(node).collect();
        let pieces: Vec<Piece> = nodes.iter().map(|n| self.piece(n)).collect();
        let kind = if pieces.iter().all(|p| p.bytes) {
            let mut all = Vec::new();
            for piece in &pieces {
                all.extend(bytes_value(piece)?);
            }
            ExprKind::Bytes(all.into())
        } else if pieces.iter().any(|p| p.bytes) {
            pieces.iter().filter(|p| p.formatted).try_for_each(|p| self.fstring(p).map(drop))?;
            return Err(Refusal::new(span, "cannot mix bytes and nonbytes literals"));
        } else if pieces.iter().any(|p| p.formatted) {
            ExprKind::FString(self.formatted(&pieces)?)
        } else {
            let mut all = String::new();
            for piece in &pieces {
                all.push_str(&string_value(piece.body, piece.start, piece.raw)?);
            }
            ExprKind::Str(all.into())
        };
        Ok(Expr { kind, span })
    }

    fn piece<'i>(&self, node: &Node<'i>) -> Piece<'i> {
        let text = node.as_str();
        let quote = text.find(['"', '\'']).unwrap_or(0);
        let (prefix, literal) = text.split_at(quote);
        let width = if literal.starts_with("\"\"\"") || literal.starts_with("'''") { 3 } else { 1 };
        let body = literal.get(width..literal.len().saturating_sub(width)).unwrap_or("");
        let has = |letter: char| prefix.chars().any(|c| c.eq_ignore_ascii_case(&letter));
        Piece {
            body,
            start: self.base + node.as_span().start() + quote + width,
            raw: has('r'),
            bytes: has('b'),
            formatted: has('f'),
            span: self.span(node),
        }
    }

    /// The parts of a run of literals of which at least one is an f-string, neighbouring texts joined.
    fn formatted(&self, pieces: &[Piece]) -> Parsed<Vec<FPart>> {
        let mut parts: Vec<FPart> = Vec::new();
        for piece in pieces {
            let more = if piece.formatted {
                self.fstring(piece)?
            } else {
                vec![FPart::Text(string_value(piece.body, piece.start, piece.raw)?.into())]
            };
            for part in more {
                push_part(&mut parts, part);
            }
        }
        Ok(parts)
    }
}

/// Adds a part; empty texts vanish and neighbouring ones join.
pub(super) fn push_part(parts: &mut Vec<FPart>, part: FPart) {
    match (parts.last_mut(), part) {
        (_, FPart::Text(text)) if text.is_empty() => {}
        (Some(FPart::Text(before)), FPart::Text(text)) => *before = Rc::from(format!("{before}{text}")),
        (_, part) => parts.push(part),
    }
}

fn integer(digits: &str, radix: u32) -> Option<ExprKind> {
    if let Ok(small) = i64::from_str_radix(digits, radix) {
        return Some(ExprKind::Int(small));
    }
    BigInt::parse_bytes(digits.as_bytes(), radix).map(|big| ExprKind::BigInt(Rc::new(big)))
}

/// Escapes of one letter and what they stand for.
const ESCAPES: [(char, char); 10] = [
    ('\\', '\\'),
    ('\'', '\''),
    ('"', '"'),
    ('a', '\x07'),
    ('b', '\x08'),
    ('f', '\x0C'),
    ('n', '\n'),
    ('r', '\r'),
    ('t', '\t'),
    ('v', '\x0B'),
];

/// The letters that begin an escape by number, and how many hexadecimal digits follow.
const HEX_ESCAPES: [(char, usize); 3] = [('x', 2), ('u', 4), ('U', 8)];

/// A cursor in the body of a string.
struct Body<'a> {
    text: &'a str,
    at: usize,
    start: usize,
}

impl<'a> Body<'a> {
    fn next(&mut self) -> Option<char> {
        let c = self.text.get(self.at..)?.chars().next()?;
        self.at += c.len_utf8();
        if c == '\r' {
            self.at += usize::from(self.text.get(self.at..).is_some_and(|r| r.starts_with('\n')));
            return Some('\n');
        }
        Some(c)
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn span(&self, from: usize) -> Span {
        Span::new(self.start + from, self.start + self.at)
    }

    /// Up to `most` digits, as many as there are.
    fn digits(&mut self, radix: u32, most: usize) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or("");
        let length = rest.bytes().take(most).take_while(|b| (*b as char).is_digit(radix)).count();
        self.at += length;
        rest.get(..length).unwrap_or("")
    }
}

/// The value of a string literal's body that begins at byte `start`.
pub(in crate::syntax) fn string_value(body: &str, start: usize, raw: bool) -> Parsed<String> {
    let mut out = String::with_capacity(body.len());
    let mut body = Body { text: body, at: 0, start };
    loop {
        let from = body.at;
        let Some(c) = body.next() else { return Ok(out) };
        if c == '\\' && !raw {
            escape(&mut body, from, &mut out)?;
        } else {
            out.push(c);
        }
    }
}

/// Reads what follows a backslash at `from`; an unknown escape stays as it is written.
fn escape(body: &mut Body, from: usize, out: &mut String) -> Parsed<()> {
    let Some(c) = body.peek() else {
        out.push('\\');
        return Ok(());
    };
    if let Some((_, digits)) = HEX_ESCAPES.iter().find(|(letter, _)| *letter == c) {
        body.next();
        out.push(hex_escape(body, from, c, *digits)?);
    } else if c.is_digit(8) {
        let code = u32::from_str_radix(body.digits(8, 3), 8).unwrap_or(0);
        out.push(char::from_u32(code).unwrap_or('\0'));
    } else if c == 'N' {
        body.next();
        out.push(named_escape(body, from)?);
    } else if matches!(c, '\n' | '\r') {
        body.next();
    } else if let Some((_, value)) = ESCAPES.iter().find(|(letter, _)| *letter == c) {
        body.next();
        out.push(*value);
    } else {
        out.push('\\');
    }
    Ok(())
}

/// The refusal of an escape that begins at `from`.
fn trouble(body: &Body, from: usize, why: &str) -> Box<Refusal> {
    let last = body.at.saturating_sub(1);
    let message = format!("(unicode error) 'unicodeescape' codec can't decode bytes in position {from}-{last}: {why}");
    Refusal::new(body.span(from), message)
}

/// The character of a Unicode name or alias, which is read as it is written but for its case, as CPython does.
pub fn character_named(name: &str) -> Option<char> {
    let is_exact = name.starts_with(|c: char| c.is_ascii_alphanumeric()) && !name.contains(['_', '\t', '\n']);
    let is_spaced = name.split(' ').all(|word| !word.is_empty());
    (is_exact && is_spaced).then(|| unicode_names2::character(name)).flatten()
}

/// The character that `{NAME}` stands for.
fn named_escape(body: &mut Body, from: usize) -> Parsed<char> {
    let rest = body.text.get(body.at..).unwrap_or("");
    let Some((name, _)) = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).filter(|(name, _)| !name.is_empty())
    else {
        return Err(trouble(body, from, "malformed \\N character escape"));
    };
    body.at += name.len() + 2;
    character_named(name).ok_or_else(|| trouble(body, from, "unknown Unicode character name"))
}

fn hex_escape(body: &mut Body, from: usize, letter: char, digits: usize) -> Parsed<char> {
    let found = body.digits(16, digits);
    if found.len() < digits {
        let pattern = "X".repeat(digits);
        return Err(trouble(body, from, &format!("truncated \\{letter}{pattern} escape")));
    }
    let code = u32::from_str_radix(found, 16).unwrap_or(u32::MAX);
    match char::from_u32(code) {
        Some(c) => Ok(c),
        None if code <= 0xFFFF => {
            Err(Refusal::new(body.span(from), format!("tsr strings cannot hold the lone surrogate U+{code:04X}"))
                .help("Write a character beyond U+FFFF as one \\UXXXXXXXX."))
        }
        None => Err(trouble(body, from, "illegal Unicode character")),
    }
}

fn bytes_value(piece: &Piece) -> Parsed<Vec<u8>> {
    let mut out = Vec::with_capacity(piece.body.len());
    let mut body = Body { text: piece.body, at: 0, start: piece.start };
    if !piece.body.is_ascii() {
        return Err(Refusal::new(piece.span, "bytes can only contain ASCII literal characters"));
    }
    while let Some(c) = body.next() {
        if c != '\\' || piece.raw {
            out.push(c as u8);
            continue;
        }
        let from = body.at - 1;
        match body.peek() {
            None => out.push(b'\\'),
            Some('x') => {
                body.next();
                let digits = body.digits(16, 2);
                let value = u8::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 2);
                let message = || format!("(value error) invalid \\x escape at position {from}");
                out.push(value.ok_or_else(|| Refusal::new(body.span(from), message()))?);
            }
            Some('0'..='7') => {
                let code = u32::from_str_radix(body.digits(8, 3), 8).unwrap_or(0);
                out.push((code & 0xFF) as u8);
            }
            Some('\n' | '\r') => drop(body.next()),
            Some(letter) => match ESCAPES.iter().find(|(l, _)| *l == letter) {
                Some((_, value)) => {
                    body.next();
                    out.push(*value as u8);
                }
                None => out.push(b'\\'),
            },
        }
    }
    Ok(out)
}
