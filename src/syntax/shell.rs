//! Lines for the shell rather than the language: `%word rest`, `!rest`, `?rest`, `rest?` and bare command words.

use super::ast::{Ident, ShellCommand, Stmt, StmtKind};
use super::lex::{Lexeme, Lexer, Token};
use super::lines::{Line, LineKind, Script};
use super::refusal::{Parsed, Refusal};
use crate::diag::Span;
use std::ops::Range;

/// True when the last of a line's tokens is a `?`, which is in no Python text.
pub(super) fn ends_in_question(text: &str, tokens: &[Token]) -> bool {
    tokens.len() > 1 && tokens.last().is_some_and(|t| t.text(text) == "?")
}

/// The statement of a line that is marked as the shell's.
///
/// # Errors
/// When no command follows the mark.
pub(super) fn marked(script: &Script, line: &Line) -> Parsed<Stmt> {
    let stmt = read(script, line);
    match &stmt.kind {
        StmtKind::Shell(command) if command.word.name.is_empty() => {
            let refusal = Refusal::new(Span::new(line.span.start, line.span.end), "invalid syntax");
            Err(refusal.label("a command must follow the %").help("%help lists the commands; a comment begins with #"))
        }
        _ => Ok(stmt),
    }
}

fn read(script: &Script, line: &Line) -> Stmt {
    let text = script.text;
    let Range { start, end } = line.span;
    let body = text.get(start..end).unwrap_or("");
    if line.kind == LineKind::Help {
        let marks = body.len() - body.trim_end_matches(['?', ' ', '\t', '\x0C']).len();
        return command(text, "help", end - marks..end, start..end - marks);
    }
    match body.chars().next() {
        Some('!') => command(text, "shell", start..start + 1, start + 1..end),
        Some('?') => {
            let rest = start + body.len() - body.trim_start_matches('?').len();
            command(text, "help", start..rest, rest..uncommented(text, rest..end))
        }
        _ => {
            let marks = body.len() - body.trim_start_matches('%').len();
            words(text, start + marks..end)
        }
    }
}

/// The statement of a line that begins with a bare command word followed by a blank and something; else none.
pub(super) fn bare(script: &Script, line: &Line, commands: &[&str]) -> Option<Stmt> {
    let first = script.tokens_of(line).first()?;
    let spaced = script.text.get(first.end..line.span.end)?.starts_with([' ', '\t']);
    (first.lexeme == Lexeme::Name && spaced && commands.contains(&first.text(script.text)))
        .then(|| words(script.text, line.span.clone()))
}

/// A word and the rest, a comment at the end left out.
fn words(text: &str, range: Range<usize>) -> Stmt {
    let body = text.get(range.clone()).unwrap_or("");
    let length = body.find(|c: char| c.is_whitespace()).unwrap_or(body.len());
    let word = range.start..range.start + length;
    let name = text.get(word.clone()).unwrap_or("").to_string();
    let rest = word.end..uncommented(text, word.end..range.end);
    command(text, &name, word, rest)
}

/// Where the part of a line before its comment ends; a `#` in a string, inside a word or before a digit, as in the storage `#1`,
/// opens no comment.
fn uncommented(text: &str, range: Range<usize>) -> usize {
    let Some(part) = text.get(..range.end) else { return range.end };
    let mut lexer = Lexer::new(part, range.start);
    while let Some(token) = lexer.next() {
        if token.lexeme == Lexeme::Comment && part.get(..token.start).is_some_and(|p| p.ends_with([' ', '\t'])) {
            let is_storage = part.get(token.start + 1..).is_some_and(|p| p.starts_with(|c: char| c.is_ascii_digit()));
            return if is_storage { uncommented(text, token.start + 1..range.end) } else { token.start };
        }
    }
    range.end
}

fn command(text: &str, name: &str, word: Range<usize>, rest: Range<usize>) -> Stmt {
    let raw = text.get(rest.clone()).unwrap_or("");
    let start = rest.start + raw.len() - raw.trim_start().len();
    let trimmed = raw.trim();
    let rest_span = Span::new(start, start + trimmed.len());
    let word_span = Span::new(word.start, word.end);
    Stmt {
        span: word_span.to(if trimmed.is_empty() { word_span } else { rest_span }),
        kind: StmtKind::Shell(ShellCommand {
            word: Ident { name: name.into(), span: word_span },
            rest: trimmed.to_string(),
            rest_span,
        }),
    }
}
