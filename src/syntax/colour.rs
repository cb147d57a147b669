//! Tokens for colouring a line as it is typed: total, linear, and knowing nothing but spelling.

use super::lex::{Lexeme, Lexer};
use crate::diag::Span;

/// What a token looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A reserved word.
    Keyword,
    /// An identifier.
    Name,
    /// A number, well-formed or not.
    Number,
    /// A string with prefix and quotes, closed or not.
    String,
    /// From `#` to the end of the line.
    Comment,
    /// An operator, a comma, a colon, and any character that has no place in the language.
    Operator,
    /// A bracket.
    Bracket,
    /// The mark and the word of a shell command, or a whole `!` line.
    Command,
}

/// The tokens of a text in order; blanks and line ends are left out.
pub fn tokens(text: &str) -> Vec<(Span, TokenKind)> {
    let mut out = Vec::new();
    let mut lexer = Lexer::new(text, 0);
    let mut depth = 0usize;
    let mut line_start = true;
    loop {
        lexer.skip_blanks();
        if line_start && depth == 0 {
            command(&mut lexer, &mut out);
        }
        let Some(token) = lexer.next() else { return out };
        line_start = token.lexeme == Lexeme::Newline;
        match token.lexeme {
            Lexeme::Open => depth += 1,
            Lexeme::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        if let Some(kind) = kind(token.lexeme, token.text(text)) {
            out.push((token.span(), kind));
        }
    }
}

/// Takes the mark and the word of a shell line, if the cursor stands at one.
fn command(lexer: &mut Lexer, out: &mut Vec<(Span, TokenKind)>) {
    let rest = lexer.rest();
    let length = match rest.chars().next() {
        Some('!') => rest.find(['\n', '\r']).unwrap_or(rest.len()),
        Some('%') => rest.find(char::is_whitespace).unwrap_or(rest.len()),
        Some('?') => rest.len() - rest.trim_start_matches('?').len(),
        _ => return,
    };
    let start = lexer.position();
    lexer.pass(length);
    out.push((Span::new(start, start + length), TokenKind::Command));
}

fn kind(lexeme: Lexeme, text: &str) -> Option<TokenKind> {
    Some(match lexeme {
        Lexeme::Newline | Lexeme::Join => return None,
        Lexeme::Keyword => TokenKind::Keyword,
        Lexeme::Name => TokenKind::Name,
        Lexeme::Number | Lexeme::BadNumber => TokenKind::Number,
        Lexeme::String | Lexeme::OpenString | Lexeme::OpenTriple => TokenKind::String,
        Lexeme::Comment => TokenKind::Comment,
        Lexeme::Open | Lexeme::Close => TokenKind::Bracket,
        Lexeme::Shell => TokenKind::Command,
        Lexeme::Operator if text == "?" => TokenKind::Command,
        Lexeme::Operator | Lexeme::BadJoin | Lexeme::BadChar => TokenKind::Operator,
    })
}
