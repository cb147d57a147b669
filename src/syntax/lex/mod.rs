//! Text to tokens, without judging them: total and linear. Line structure is [`super::lines`]'s, meaning the grammar's.

pub(super) mod number;
pub(super) mod string;

use pest::unicode::{XID_CONTINUE, XID_START};
use string::StringEnd;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lexeme {
    Name,
    Keyword,
    Number,
    String,
    Operator,
    Open,
    Close,
    Comment,
    Newline,
    /// A backslash with the line end it hides.
    Join,
    /// A line for the shell, up to its end.
    Shell,
    /// A number that is none (`1_`, `0o9`).
    BadNumber,
    /// A one-line string without its closing quote.
    OpenString,
    /// A triple-quoted string without its closing quotes.
    OpenTriple,
    /// A backslash with something after it, or at the end of the text.
    BadJoin,
    /// A character no token begins with.
    BadChar,
}

/// A token: what it is and which bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub lexeme: Lexeme,
    pub start: usize,
    pub end: usize,
}

impl Token {
    /// The token's text.
    pub fn text<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start..self.end).unwrap_or("")
    }

    /// The token's place.
    pub fn span(&self) -> crate::diag::Span {
        crate::diag::Span::new(self.start, self.end)
    }
}

/// Python's reserved words.
pub(super) const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
    "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise",
    "return", "try", "while", "with", "yield",
];

/// Operators of more than one character, longest first.
const LONG_OPERATORS: [&str; 25] = [
    "**=", "//=", ">>=", "<<=", "...", "!=", "%=", "&=", "**", "*=", "+=", "-=", "->", "//", "/=", ":=", "<<", "<=", "==", ">=",
    ">>", "@=", "^=", "|=", "<>",
];

/// A cursor that yields the tokens of a text in order.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    /// Starts at a byte of the text.
    pub fn new(text: &'a str, at: usize) -> Lexer<'a> {
        Lexer { text, at }
    }

    /// The next byte to read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// What is left.
    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Passes over blanks (not line ends).
    pub fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\x0C']).len();
    }

    /// Passes over bytes the caller has read.
    pub fn pass(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.text.len());
    }

    /// The next token; none at the end of the text.
    pub fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        let rest = self.rest();
        let first = rest.chars().next()?;
        let (lexeme, length) = match first {
            '\n' => (Lexeme::Newline, 1),
            '\r' => (Lexeme::Newline, if rest.starts_with("\r\n") { 2 } else { 1 }),
            '#' => (Lexeme::Comment, line_length(rest)),
            '\\' => join(rest),
            '"' | '\'' => quoted(rest, 0),
            '(' | '[' | '{' => (Lexeme::Open, 1),
            ')' | ']' | '}' => (Lexeme::Close, 1),
            '0'..='9' => numeral(rest),
            '.' if rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit) => numeral(rest),
            _ if first == '_' || XID_START(first) => word(rest),
            _ => operator(rest, first),
        };
        Some(self.take(lexeme, length))
    }

    /// The rest of the physical line as one shell token.
    pub fn shell_line(&mut self) -> Token {
        let length = line_length(self.rest());
        self.take(Lexeme::Shell, length)
    }

    fn take(&mut self, lexeme: Lexeme, length: usize) -> Token {
        let start = self.at;
        self.at = (start + length).min(self.text.len());
        Token { lexeme, start, end: self.at }
    }
}

/// Bytes up to the line's end.
fn line_length(rest: &str) -> usize {
    rest.find(['\n', '\r']).unwrap_or(rest.len())
}

fn join(rest: &str) -> (Lexeme, usize) {
    match rest.as_bytes() {
        [_, b'\r', b'\n', ..] => (Lexeme::Join, 3),
        [_, b'\n' | b'\r', ..] => (Lexeme::Join, 2),
        _ => (Lexeme::BadJoin, 1),
    }
}

/// A string whose quote stands after `prefix` bytes of letters.
fn quoted(rest: &str, prefix: usize) -> (Lexeme, usize) {
    let (length, end) = string::scan(rest.as_bytes().get(prefix..).unwrap_or_default());
    let lexeme = match end {
        StringEnd::Closed => Lexeme::String,
        StringEnd::OpenLine => Lexeme::OpenString,
        StringEnd::OpenTriple => Lexeme::OpenTriple,
    };
    (lexeme, prefix + length)
}

fn numeral(rest: &str) -> (Lexeme, usize) {
    let number = number::scan(rest.as_bytes());
    if number.fault.is_none() {
        return (Lexeme::Number, number.length);
    }
    let tail = rest.find(|c: char| !(c == '.' || XID_CONTINUE(c))).unwrap_or(rest.len());
    (Lexeme::BadNumber, tail.max(1))
}

fn word(rest: &str) -> (Lexeme, usize) {
    let length = rest.find(|c: char| !XID_CONTINUE(c)).unwrap_or(rest.len());
    let word = rest.get(..length).unwrap_or("");
    if string::is_prefix(word) && rest.get(length..).is_some_and(|r| r.starts_with(['"', '\''])) {
        return quoted(rest, length);
    }
    (if KEYWORDS.contains(&word) { Lexeme::Keyword } else { Lexeme::Name }, length)
}

fn operator(rest: &str, first: char) -> (Lexeme, usize) {
    if let Some(long) = LONG_OPERATORS.iter().find(|o| rest.starts_with(**o)) {
        return (Lexeme::Operator, long.len());
    }
    match first {
        '!' | '$' | '?' | '`' | '%' | '&' | '*' | '+' | ',' | '-' | '.' | '/' | ':' | ';' | '<' | '=' | '>' | '@' | '^' | '|'
        | '~' => (Lexeme::Operator, 1),
        _ => (Lexeme::BadChar, first.len_utf8()),
    }
}
