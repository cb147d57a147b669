//! Why the grammar gave up, in Python's words.

use super::grammar::Stop;
use super::lex::{Lexer, Token};
use super::lines::{Line, Script};
use super::lower::too_deep;
use super::refusal::Refusal;
use crate::diag::Span;

/// Why a logical line was refused.
pub(super) fn line(script: &Script, line: &Line, stop: Stop) -> Box<Refusal> {
    stopped(script.text, script.tokens_of(line), line.span.start, stop)
}

/// Why a piece of text inside an f-string was refused.
pub(super) fn fragment(text: &str, start: usize, stop: Stop) -> Box<Refusal> {
    let mut lexer = Lexer::new(text, 0);
    let tokens: Vec<Token> = std::iter::from_fn(|| lexer.next()).collect();
    let mut refusal = stopped(text, &tokens, 0, stop);
    let shift = start as u32;
    refusal.span = Span { start: refusal.span.start + shift, end: refusal.span.end + shift };
    refusal
}

/// `else`, `except` and the like without what they belong to.
pub(super) fn stray_clause(span: Span) -> Box<Refusal> {
    Refusal::new(span, "invalid syntax")
}

fn stopped(text: &str, tokens: &[Token], base: usize, stop: Stop) -> Box<Refusal> {
    let whole = Span::new(tokens.first().map_or(base, |t| t.start), tokens.last().map_or(base, |t| t.end));
    let at = match stop {
        Stop::TooDeep => return too_deep(whole),
        Stop::At(at) => base + at,
    };
    let end = whole.end as usize;
    let place = tokens.iter().find(|t| t.end > at).map_or(Span::new(end, end), Token::span);
    let _ = text;
    Refusal::new(place, "invalid syntax")
}
