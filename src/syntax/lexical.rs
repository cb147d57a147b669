//! Sentences for texts that cannot be cut into tokens or whose brackets do not fit.

use super::lex::{Lexeme, Token, number};
use super::lines::line_number;
use super::refusal::Refusal;
use crate::diag::Span;
use pest::unicode::{CONTROL, FORMAT, PRIVATE_USE, SEPARATOR, UNASSIGNED};

/// Why a token that is none was refused.
pub(super) fn refuse(text: &str, first_line: usize, token: Token) -> Box<Refusal> {
    match token.lexeme {
        Lexeme::BadNumber => bad_number(text, token),
        Lexeme::OpenString => {
            let line = line_number(text, first_line, token.end);
            let refusal = Refusal::new(quotes(text, token), format!("unterminated string literal (detected at line {line})"));
            if is_prime(text, token) { refusal.help("the transpose is x.t(), or x.mT with more than two dims") } else { refusal }
        }
        Lexeme::OpenTriple => {
            let line = line_number(text, first_line, text.trim_end_matches(['\n', '\r']).len());
            Refusal::new(quotes(text, token), format!("unterminated triple-quoted string literal (detected at line {line})"))
        }
        Lexeme::BadJoin => Refusal::new(
            Span::new(token.end, token.end + next_length(text, token.end)),
            "unexpected character after line continuation character",
        ),
        _ => bad_character(text, token),
    }
}

/// True for a quote that may have meant a transpose: right behind a value, with nothing behind it that a string would have.
fn is_prime(text: &str, token: Token) -> bool {
    let before =
        text.get(..token.start).and_then(|t| t.chars().next_back()).is_some_and(|c| c.is_alphanumeric() || ")]_.".contains(c));
    let behind = token.text(text).trim_start_matches('\'').trim_start();
    before && token.text(text).starts_with('\'') && behind.chars().next().is_none_or(|c| ";)*+-/@".contains(c))
}

/// The text ends after a backslash.
pub(super) fn end_of_text(text: &str, token: Token) -> Box<Refusal> {
    Refusal::new(Span::new(token.start, token.end.min(text.len())), "unexpected EOF while parsing")
}

/// A bracket is open at the end of the text.
pub(super) fn never_closed(text: &str, open: Token) -> Box<Refusal> {
    let close = match open.text(text) {
        "(" => ')',
        "[" => ']',
        _ => '}',
    };
    let refusal = Refusal::new(open.span(), format!("'{}' was never closed", open.text(text)));
    refusal.label("opened here").help(format!("write '{close}' where it ends"))
}

/// A closing bracket that nothing opened.
pub(super) fn unmatched(text: &str, close: Token) -> Box<Refusal> {
    Refusal::new(close.span(), format!("unmatched '{}'", close.text(text)))
}

/// A closing bracket of another kind than the open one.
pub(super) fn mismatched(text: &str, first_line: usize, open: Token, close: Token) -> Box<Refusal> {
    let (o, c) = (open.text(text), close.text(text));
    let line = line_number(text, first_line, open.start);
    let place = if line == line_number(text, first_line, close.start) { String::new() } else { format!(" on line {line}") };
    Refusal::new(close.span(), format!("closing parenthesis '{c}' does not match opening parenthesis '{o}'{place}"))
}

fn bad_number(text: &str, token: Token) -> Box<Refusal> {
    let number = number::scan(token.text(text).as_bytes());
    let message = number.fault.unwrap_or_else(|| "invalid decimal literal".into());
    Refusal::new(token.span(), message)
}

/// The opening quotes, prefix included.
fn quotes(text: &str, token: Token) -> Span {
    let literal = token.text(text);
    let prefix = literal.find(['"', '\'']).unwrap_or(0);
    Span::new(token.start, token.start + prefix + if token.lexeme == Lexeme::OpenTriple { 3 } else { 1 })
}

fn next_length(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|r| r.chars().next()).map_or(0, char::len_utf8)
}

/// Characters that look like ASCII ones, and which.
const LOOK_ALIKES: [(&str, &str); 8] = [
    ("\u{2018}\u{2019}\u{201A}\u{2032}", "'"),
    ("\u{201C}\u{201D}\u{201E}\u{2033}", "\""),
    ("\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2212}", "-"),
    ("\u{00D7}\u{2217}\u{22C5}\u{00B7}", "*"),
    ("\u{00F7}\u{2215}\u{2044}", "/"),
    ("\u{2264}", "<="),
    ("\u{2265}", ">="),
    ("\u{2026}", "..."),
];

fn bad_character(text: &str, token: Token) -> Box<Refusal> {
    let Some(c) = token.text(text).chars().next() else {
        return Refusal::new(token.span(), "invalid syntax");
    };
    if c == '\0' {
        return Refusal::new(token.span(), "source code string cannot contain null bytes");
    }
    let code = c as u32;
    let invisible = CONTROL(c) || FORMAT(c) || PRIVATE_USE(c) || SEPARATOR(c) || UNASSIGNED(c);
    if invisible {
        return Refusal::new(token.span(), format!("invalid non-printable character U+{code:04X}"));
    }
    let refusal = Refusal::new(token.span(), format!("invalid character '{c}' (U+{code:04X})"));
    match LOOK_ALIKES.iter().find(|(alike, _)| alike.contains(c)) {
        Some((_, plain)) => refusal.help(format!("Write {plain} in its place.")),
        None => refusal,
    }
}
