//! Why the grammar gave up, in Python's words.
//!
//! The grammar says only at which token it stopped. A row of detectors looks at the tokens around it for the mistakes that
//! have a sentence of their own; what none recognises is plain "invalid syntax".

mod clue;
mod expressions;
mod habits;
mod headers;
mod notation;
mod params;

use super::grammar::Stop;
use super::lex::{Lexeme, Lexer, Token};
use super::lines::{Line, Script};
use super::lower::too_deep;
use super::refusal::Refusal;
use crate::diag::Span;
use clue::Clue;

pub(super) use expressions::compared_perhaps;

/// Looks for one kind of mistake.
type Detector = fn(&Clue) -> Option<Box<Refusal>>;

/// The detectors, the more certain ones first.
const DETECTORS: &[Detector] = &[
    habits::absent_feature,
    params::mistake,
    headers::missing_parenthesis,
    headers::missing_colon,
    headers::exception_types,
    headers::trailing_comma,
    headers::loop_target,
    headers::with_target,
    habits::print_statement,
    notation::round_index,
    notation::rows,
    notation::dotted_operator,
    notation::first_word,
    expressions::spread,
    expressions::dict_value,
    expressions::dict_colon,
    expressions::comprehension_target,
    expressions::walrus_target,
    expressions::missing_else,
    expressions::assignment,
    expressions::keyword_comprehension,
    expressions::missing_comma,
    habits::keyword_as_name,
    habits::foreign_operator,
    headers::colon_before,
];

/// Why a logical line was refused.
pub(super) fn line(script: &Script, line: &Line, stop: Stop) -> Box<Refusal> {
    stopped(&script.blanked, script.tokens_of(line), line.span.start, stop, false)
}

/// Why a piece of text inside an f-string, which counts as parenthesised, was refused.
pub(super) fn fragment(text: &str, start: usize, stop: Stop) -> Box<Refusal> {
    let mut lexer = Lexer::new(text, 0);
    let tokens: Vec<Token> = std::iter::from_fn(|| lexer.next()).filter(|t| t.lexeme != Lexeme::Newline).collect();
    let mut refusal = stopped(text, &tokens, 0, stop, true);
    let shift = start as u32;
    refusal.span = Span { start: refusal.span.start + shift, end: refusal.span.end + shift };
    refusal
}

/// `else`, `except` and the like without what they belong to.
pub(super) fn stray_clause(span: Span) -> Box<Refusal> {
    Refusal::new(span, "invalid syntax").label("nothing above that this belongs to")
}

/// A string that was read well before the stop but is wrong inside, as Python finds out first: `f'{x['a']}'`.
fn broken_string(clue: &Clue) -> Option<Box<Refusal>> {
    let read = clue.tokens.iter().enumerate().take(clue.at).filter(|(_, t)| t.lexeme == Lexeme::String);
    read.map(|(i, _)| (i, clue.read(i..i + 1))).find_map(|(i, found)| {
        let refusal = found.err()?;
        let runs_on = clue.tokens.get(i).map(|t| t.end) == clue.tokens.get(i + 1).map(|t| t.start);
        Some(if runs_on { refusal.help("Inside an f-string, quote with the other kind of quotes.") } else { refusal })
    })
}

/// True for a name with a string right behind it, which the grammar takes for a wrong prefix: the string is what is wrong.
fn runs_into_string(tokens: &[Token], at: usize) -> bool {
    match (tokens.get(at), tokens.get(at + 1)) {
        (Some(name), Some(string)) => name.lexeme == Lexeme::Name && string.lexeme == Lexeme::String && name.end == string.start,
        _ => false,
    }
}

fn stopped(text: &str, tokens: &[Token], base: usize, stop: Stop, bracketed: bool) -> Box<Refusal> {
    let whole = Span::new(tokens.first().map_or(base, |t| t.start), tokens.last().map_or(base, |t| t.end));
    let byte = match stop {
        Stop::TooDeep => return too_deep(whole),
        Stop::At(at) => base + at,
    };
    let at = tokens.iter().position(|t| t.end > byte).unwrap_or(tokens.len());
    let at = at + usize::from(runs_into_string(tokens, at));
    let clue = Clue { text, tokens, at, bracketed };
    if let Some(refusal) = broken_string(&clue) {
        return refusal;
    }
    DETECTORS.iter().find_map(|detect| detect(&clue)).unwrap_or_else(|| Refusal::new(clue.place(), "invalid syntax"))
}
