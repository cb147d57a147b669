//! Where the grammar stopped, and questions about the tokens around.

use crate::diag::Span;
use crate::syntax::ast::Expr;
use crate::syntax::grammar;
use crate::syntax::lex::{Lexeme, Token};
use crate::syntax::lower::Lower;
use crate::syntax::refusal::{Parsed, Refusal};
use std::ops::Range;

/// Tokens that no expression reaches across, brackets aside.
const SEPARATORS: [&str; 22] = [
    ",", ";", ":", "=", ":=", "+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", ">>=", "<<=", "**=", "return", "del",
    "assert", "raise",
];

/// Words that open a part of a statement or expression.
const OPENING_WORDS: [&str; 9] = ["if", "elif", "while", "for", "in", "else", "with", "except", "from"];

/// The tokens of a refused line and where the grammar stopped.
pub(super) struct Clue<'a> {
    /// The text the tokens point into, comments blanked.
    pub text: &'a str,
    pub tokens: &'a [Token],
    /// The token that does not fit; the number of tokens when the line ends too early.
    pub at: usize,
    /// True when the whole text counts as standing in parentheses.
    pub bracketed: bool,
}

impl<'a> Clue<'a> {
    /// The text of a token; empty beyond the ends.
    pub fn word(&self, index: usize) -> &'a str {
        self.tokens.get(index).map_or("", |t| t.text(self.text))
    }

    /// The text of the token so many places before the one that does not fit.
    pub fn before(&self, steps: usize) -> &'a str {
        self.at.checked_sub(steps).map_or("", |i| self.word(i))
    }

    /// What kind of token stands at an index.
    pub fn lexeme(&self, index: usize) -> Option<Lexeme> {
        self.tokens.get(index).map(|t| t.lexeme)
    }

    /// The token that does not fit; at the end of the line, the empty place there.
    pub fn place(&self) -> Span {
        let end = self.tokens.last().map_or(0, |t| t.end);
        self.tokens.get(self.at).map_or(Span::new(end, end), Token::span)
    }

    /// The place of some tokens.
    pub fn span(&self, range: Range<usize>) -> Span {
        let (first, last) = (self.tokens.get(range.start), range.end.checked_sub(1).and_then(|i| self.tokens.get(i)));
        match (first, last) {
            (Some(first), Some(last)) => Span::new(first.start, last.end.max(first.start)),
            _ => self.place(),
        }
    }

    /// The bracket that is open at a token.
    pub fn opener(&self, index: usize) -> Option<usize> {
        let mut depth = 0usize;
        (0..index.min(self.tokens.len())).rev().find(|&i| match self.lexeme(i) {
            Some(Lexeme::Close) => {
                depth += 1;
                false
            }
            Some(Lexeme::Open) if depth == 0 => true,
            Some(Lexeme::Open) => {
                depth -= 1;
                false
            }
            _ => false,
        })
    }

    /// True when a token stands inside brackets.
    pub fn in_brackets(&self, index: usize) -> bool {
        self.bracketed || self.opener(index).is_some()
    }

    /// The first token before `index`, outside inner brackets, that `wanted` accepts; none across an open bracket.
    pub fn back_to(&self, index: usize, wanted: impl Fn(&str) -> bool) -> Option<usize> {
        let mut depth = 0usize;
        for i in (0..index.min(self.tokens.len())).rev() {
            match self.lexeme(i) {
                Some(Lexeme::Close) => depth += 1,
                Some(Lexeme::Open) if depth == 0 => return None,
                Some(Lexeme::Open) => depth -= 1,
                _ if depth == 0 && wanted(self.word(i)) => return Some(i),
                _ => {}
            }
        }
        None
    }

    /// Where the expression that ends before `index` begins: after a separator, an opening word, or the open bracket.
    pub fn expression_start(&self, index: usize) -> usize {
        self.start_after(index, |w| SEPARATORS.contains(&w) || OPENING_WORDS.contains(&w))
    }

    /// One past the last token before `index` that `stop` accepts, or past the open bracket.
    pub fn start_after(&self, index: usize, stop: impl Fn(&str) -> bool) -> usize {
        self.back_to(index, stop).or_else(|| self.opener(index)).map_or(0, |i| i + 1)
    }

    /// The tree of some tokens, when they are an expression.
    pub fn parse(&self, range: Range<usize>) -> Option<Expr> {
        self.read(range).ok()
    }

    /// The tree of some tokens, or why they are no expression.
    pub fn read(&self, range: Range<usize>) -> Parsed<Expr> {
        let span = self.span(range.clone());
        let broken = || Refusal::new(span, "invalid syntax");
        let text = self.text.get(span.range()).filter(|_| !range.is_empty()).ok_or_else(broken)?;
        let node = grammar::expression(text).map_err(|_| broken())?;
        Lower::new(span.start as usize).expression(&node)
    }

    /// True when an expression may begin with this token.
    pub fn begins_value(&self, index: usize) -> bool {
        match self.lexeme(index) {
            Some(Lexeme::Name | Lexeme::Number | Lexeme::String | Lexeme::Open) => true,
            Some(Lexeme::Keyword) => matches!(self.word(index), "None" | "True" | "False" | "not" | "lambda"),
            Some(Lexeme::Operator) => matches!(self.word(index), "~" | "..." | "-" | "+"),
            _ => false,
        }
    }

    /// True when an expression may end with this token.
    pub fn ends_value(&self, index: usize) -> bool {
        match self.lexeme(index) {
            Some(Lexeme::Name | Lexeme::Number | Lexeme::String | Lexeme::Close) => true,
            Some(Lexeme::Keyword) => matches!(self.word(index), "None" | "True" | "False"),
            Some(Lexeme::Operator) => self.word(index) == "...",
            _ => false,
        }
    }
}
