//! One pass over the text that cuts it into logical lines.
//!
//! Follows brackets, strings, comments and backslash joins, so that the grammar sees one logical line at a time. A line
//! that cannot be cut properly (an unclosed bracket, a stray character) carries its fault, and the next line goes on.

use super::indent::{self, Indent};
use super::lex::{Lexeme, Lexer, Token};
use super::lexical;
use super::refusal::{Missing, Refusal};
use super::shell;
use crate::diag::Span;
use std::ops::Range;

/// Brackets that may be open at once, as in CPython; and lambdas whose colon has not come.
const MAX_OPEN: usize = 200;

/// The sentence for more.
const TOO_MANY: &str = "too many nested parentheses";

/// Bytes of one logical line. A script's lines are far shorter; a file of data given by mistake is refused at once.
const MAX_LINE: usize = 4 << 20;

/// How often a text with unclosed brackets is taken up again; keeps the pass linear.
const MAX_RESTARTS: usize = 100;

/// Who reads a logical line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    /// The grammar.
    Python,
    /// The shell: `%word rest`, `!rest`, `?rest`.
    Shell,
    /// The shell: `rest?`.
    Help,
}

/// A logical line.
#[derive(Debug)]
pub(super) struct Line {
    /// From its first token to its last (comments left out).
    pub span: Range<usize>,
    /// All its physical lines, line ends included.
    pub physical: Range<usize>,
    /// Its tokens in [`Script::tokens`], comments and line ends left out.
    pub tokens: Range<usize>,
    /// How far it is indented.
    pub indent: Indent,
    /// How many blocks it stands in.
    pub level: usize,
    /// Who reads it.
    pub kind: LineKind,
    /// Why it cannot be read.
    pub fault: Option<Box<Refusal>>,
}

/// A text cut into lines.
#[derive(Debug)]
pub(super) struct Script<'a> {
    /// The text as it was read.
    pub text: &'a str,
    /// The text with comments and backslash joins blanked; byte offsets are the same.
    pub blanked: String,
    /// The tokens of all lines.
    pub tokens: Vec<Token>,
    /// The lines, blank and comment-only ones left out.
    pub lines: Vec<Line>,
    /// The number of the first physical line.
    pub first_line: usize,
}

impl<'a> Script<'a> {
    /// Cuts a text.
    pub fn new(text: &'a str, first_line: usize) -> Script<'a> {
        let start = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
        let mut script = Script::part(text, start, first_line);
        indent::resolve(&mut script.lines);
        script
    }

    /// Cuts a text from a byte on, taking no notice of indentation.
    pub fn part(text: &'a str, start: usize, first_line: usize) -> Script<'a> {
        let mut cutter = Cutter::new(text, start, first_line);
        cutter.run();
        let lines = cutter.lines;
        Script { text, blanked: blank(text, &cutter.blanks), tokens: cutter.tokens, lines, first_line }
    }

    /// Number of the physical line that holds a byte.
    pub fn line_number(&self, byte: usize) -> usize {
        line_number(self.text, self.first_line, byte)
    }

    /// A line's tokens.
    pub fn tokens_of(&self, line: &Line) -> &[Token] {
        self.tokens.get(line.tokens.clone()).unwrap_or_default()
    }
}

/// Number of the physical line that holds a byte.
pub(super) fn line_number(text: &str, first_line: usize, byte: usize) -> usize {
    let before = text.as_bytes().get(..byte).unwrap_or(text.as_bytes());
    let mut line = first_line;
    for (i, b) in before.iter().enumerate() {
        line += usize::from(*b == b'\n' || (*b == b'\r' && before.get(i + 1) != Some(&b'\n')));
    }
    line
}

/// A piece of text that stands in brackets, with everything between its tokens blanked.
pub(super) fn blank_between(text: &str) -> String {
    let mut lexer = Lexer::new(text, 0);
    let mut gaps = Vec::new();
    let mut end = 0;
    while let Some(token) = lexer.next() {
        if !matches!(token.lexeme, Lexeme::Newline | Lexeme::Join | Lexeme::Comment) {
            gaps.push(end..token.start);
            end = token.end;
        }
    }
    gaps.push(end..text.len());
    blank(text, &gaps)
}

/// The text with blanks in place of the given ranges, which are in order.
fn blank(text: &str, ranges: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for range in ranges.iter().filter(|r| !r.is_empty()) {
        out.push_str(text.get(done..range.start).unwrap_or(""));
        out.extend(std::iter::repeat_n(' ', range.len()));
        done = range.end;
    }
    out.push_str(text.get(done..).unwrap_or(""));
    out
}

/// An open bracket.
struct Open {
    token: Token,
    /// Lambdas directly inside whose colon has not come.
    lambdas: usize,
}

/// How the reading of one logical line ended.
enum Ending {
    /// At a line end, a comment's included, or at the end of the text.
    Whole,
    /// At something that is no token, or a bracket that does not fit.
    Fault(Box<Refusal>),
    /// The text ended inside a bracket, a string or after a backslash.
    Unfinished(Box<Refusal>),
}

/// Refuses a line that begins here.
fn too_long(text: &str, start: usize) -> Box<Refusal> {
    let first = text.get(start..).and_then(|t| t.chars().next()).map_or(0, char::len_utf8);
    Refusal::new(Span::new(start, start + first), format!("a line of more than {} MiB is not read", MAX_LINE >> 20))
        .help("keep numbers in a file and read them with numpy.loadtxt or torch.from_numpy")
}

/// The pass at work.
struct Cutter<'a> {
    text: &'a str,
    first_line: usize,
    lexer: Lexer<'a>,
    tokens: Vec<Token>,
    lines: Vec<Line>,
    blanks: Vec<Range<usize>>,
    open: Vec<Open>,
    /// Lambdas open now, in all brackets.
    lambdas: usize,
    restarts: usize,
}

impl<'a> Cutter<'a> {
    fn new(text: &'a str, start: usize, first_line: usize) -> Cutter<'a> {
        Cutter {
            text,
            first_line,
            lexer: Lexer::new(text, start),
            tokens: vec![],
            lines: vec![],
            blanks: vec![],
            open: vec![],
            lambdas: 0,
            restarts: 0,
        }
    }

    fn run(&mut self) {
        loop {
            let physical_start = self.lexer.position();
            let indent = indent::measure(&mut self.lexer, &mut self.blanks);
            let rest = self.lexer.rest();
            match rest.chars().next() {
                None => return,
                Some('\n' | '\r') => drop(self.lexer.next()),
                Some('#') => self.comment(),
                Some('%' | '!' | '?') => self.shell_line(physical_start, indent),
                Some(_) => self.logical_line(physical_start, indent),
            }
        }
    }

    fn comment(&mut self) {
        if let Some(token) = self.lexer.next() {
            self.blanks.push(token.start..token.end);
        }
    }

    fn shell_line(&mut self, physical_start: usize, indent: Indent) {
        let first = self.tokens.len();
        let token = self.lexer.shell_line();
        self.tokens.push(token);
        self.pass_line_end();
        self.push(physical_start, indent, first, LineKind::Shell, Ending::Whole);
    }

    fn pass_line_end(&mut self) {
        if self.lexer.rest().starts_with(['\n', '\r']) {
            self.lexer.next();
        }
    }

    fn logical_line(&mut self, physical_start: usize, indent: Indent) {
        let first = self.tokens.len();
        self.open.clear();
        self.lambdas = 0;
        let ending = self.read_tokens();
        if !matches!(ending, Ending::Whole) {
            self.recover(physical_start, indent, first);
        }
        let kind = if shell::ends_in_question(self.text, self.tokens.get(first..).unwrap_or_default()) {
            LineKind::Help
        } else {
            LineKind::Python
        };
        self.push(physical_start, indent, first, kind, ending);
    }

    fn push(&mut self, physical_start: usize, indent: Indent, first: usize, kind: LineKind, ending: Ending) {
        let physical = physical_start..self.lexer.position();
        let tokens = first..self.tokens.len();
        let start = self.tokens.get(first).map_or(physical.start, |t| t.start);
        let end = self.tokens.last().map_or(start, |t| t.end).min(physical.end).max(start);
        let fault = match ending {
            Ending::Whole => None,
            Ending::Fault(refusal) => Some(refusal),
            Ending::Unfinished(refusal) => Some(refusal.missing(Some(Missing::Text))),
        };
        self.lines.push(Line { span: start..end, physical, tokens, indent, level: 0, kind, fault });
    }

    /// Reads tokens to the end of the logical line.
    fn read_tokens(&mut self) -> Ending {
        let start = self.lexer.position();
        let mut end = start;
        while let Some(token) = self.lexer.next() {
            self.blank_gap(end..token.start);
            end = token.end;
            if end - start > MAX_LINE {
                return Ending::Fault(too_long(self.text, start));
            }
            match token.lexeme {
                Lexeme::Comment => self.blanks.push(token.start..token.end),
                Lexeme::Join if self.lexer.rest().is_empty() => {
                    return Ending::Unfinished(lexical::end_of_text(self.text, token));
                }
                Lexeme::Join => self.blanks.push(token.start..token.end),
                Lexeme::Newline if self.open.is_empty() => return Ending::Whole,
                Lexeme::Newline => self.blanks.push(token.start..token.end),
                _ => {
                    self.tokens.push(token);
                    if let Some(ending) = self.take(token) {
                        return ending;
                    }
                }
            }
        }
        match self.open.last() {
            Some(open) => Ending::Unfinished(lexical::never_closed(self.text, open.token)),
            None => Ending::Whole,
        }
    }

    /// Has the tabs and form feeds between two tokens blanked.
    fn blank_gap(&mut self, gap: Range<usize>) {
        if self.text.as_bytes().get(gap.clone()).is_some_and(|b| b.iter().any(|c| *c != b' ')) {
            self.blanks.push(gap);
        }
    }

    /// Follows brackets; an ending when the line cannot go on.
    fn take(&mut self, token: Token) -> Option<Ending> {
        match token.lexeme {
            Lexeme::Open => self.open_bracket(token).err().map(Ending::Fault),
            Lexeme::Close => self.close_bracket(token).err().map(Ending::Fault),
            Lexeme::Keyword if token.text(self.text) == "lambda" => self.open_lambda(token).err().map(Ending::Fault),
            Lexeme::Operator if token.text(self.text) == ":" => {
                self.close_lambda();
                None
            }
            Lexeme::BadJoin if token.end == self.text.len() => Some(Ending::Unfinished(lexical::end_of_text(self.text, token))),
            Lexeme::OpenTriple => Some(Ending::Unfinished(lexical::refuse(self.text, self.first_line, token))),
            Lexeme::BadNumber | Lexeme::BadJoin | Lexeme::BadChar | Lexeme::OpenString => {
                Some(Ending::Fault(lexical::refuse(self.text, self.first_line, token)))
            }
            _ => None,
        }
    }

    fn open_bracket(&mut self, token: Token) -> Result<(), Box<Refusal>> {
        if self.open.len() >= MAX_OPEN {
            return Err(Refusal::new(token.span(), TOO_MANY));
        }
        self.open.push(Open { token, lambdas: 0 });
        Ok(())
    }

    fn close_bracket(&mut self, token: Token) -> Result<(), Box<Refusal>> {
        let Some(open) = self.open.pop() else {
            return Err(lexical::unmatched(self.text, token));
        };
        self.lambdas = self.lambdas.saturating_sub(open.lambdas);
        if matches!((open.token.text(self.text), token.text(self.text)), ("(", ")") | ("[", "]") | ("{", "}")) {
            return Ok(());
        }
        Err(lexical::mismatched(self.text, self.first_line, open.token, token))
    }

    fn open_lambda(&mut self, token: Token) -> Result<(), Box<Refusal>> {
        if self.lambdas >= MAX_OPEN {
            return Err(Refusal::new(token.span(), TOO_MANY));
        }
        self.lambdas += 1;
        if let Some(open) = self.open.last_mut() {
            open.lambdas += 1;
        }
        Ok(())
    }

    /// A colon ends the parameters of the lambda before it, if that stands in the same brackets.
    fn close_lambda(&mut self) {
        match self.open.last_mut() {
            Some(open) if open.lambdas > 0 => {
                open.lambdas -= 1;
                self.lambdas = self.lambdas.saturating_sub(1);
            }
            Some(_) => {}
            None => self.lambdas = self.lambdas.saturating_sub(1),
        }
    }

    /// After a fault: goes to where the next statement begins, dropping the tokens of what is passed over.
    ///
    /// A fault outside brackets ends with its physical line. Inside brackets the statement also takes the following lines
    /// that are indented deeper than its first, are blank, or begin with a closing bracket.
    fn recover(&mut self, physical_start: usize, indent: Indent, first: usize) {
        let bracketed = self.open.first().map(|o| o.token.start);
        let from = match (bracketed, self.tokens.last()) {
            (Some(opener), _) => opener,
            (None, Some(last)) if last.lexeme == Lexeme::OpenTriple => last.start,
            (None, _) => self.lexer.position(),
        };
        self.restarts += 1;
        let end = if self.restarts > MAX_RESTARTS { self.text.len() } else { self.line_end(from.max(physical_start)) };
        self.rewind(end, first);
        if bracketed.is_some() {
            while let Some(inside) = self.continues(indent) {
                let end = self.line_end(inside);
                self.lexer = Lexer::new(self.text, end);
            }
        }
    }

    /// One past the line end after a byte.
    fn line_end(&self, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or("");
        match rest.find(['\n', '\r']) {
            Some(i) if rest.get(i..).is_some_and(|r| r.starts_with("\r\n")) => from + i + 2,
            Some(i) => from + i + 1,
            None => self.text.len(),
        }
    }

    fn rewind(&mut self, end: usize, first: usize) {
        self.lexer = Lexer::new(self.text, end);
        while self.tokens.len() > first + 1 && self.tokens.last().is_some_and(|t| t.start >= end) {
            self.tokens.pop();
        }
        while self.blanks.last().is_some_and(|b| b.end > end) {
            self.blanks.pop();
        }
    }

    /// Where the line at the cursor begins behind its indentation, joins included, if it still belongs to a faulty statement.
    fn continues(&self, indent: Indent) -> Option<usize> {
        let mut probe = self.lexer.clone();
        let found = indent::measure(&mut probe, &mut vec![]);
        let belongs = match probe.rest().chars().next() {
            None => false,
            Some('\n' | '\r' | ')' | ']' | '}') => true,
            Some(_) => found.column > indent.column,
        };
        belongs.then(|| probe.position())
    }
}
