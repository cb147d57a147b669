//! Text to syntax tree. Knows no tensor and no operation; no parser type leaves this folder.
//!
//! ```text
//! text --lex--> tokens --lines--> logical lines --grammar--> concrete syntax --lower--> statements --blocks--> tree
//! ```
//!
//! Every step is linear in the text, and none recurses without a limit.

pub mod ast;
mod blocks;
mod check;
mod colour;
mod completeness;
mod entries;
mod explain;
mod grammar;
mod indent;
mod lex;
mod lexical;
mod lines;
mod lower;
mod print;
mod refusal;
mod shell;

pub use check::FEATURES;
pub use colour::{TokenKind, tokens};
pub use completeness::{Completeness, is_incomplete};
pub use lower::character_named;
pub use print::print;

use crate::diag::{Diagnostic, Source, Span};
use ast::{Block, Expr};
use lines::{Line, LineKind, Script};
use refusal::{Parsed, Refusal};
use std::ops::Range;
use std::sync::Arc;

/// What the caller knows that the syntax does not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Words that open a shell command without a `%` when the line is not Python: `explain x.t()`.
    pub commands: &'a [&'a str],
}

/// A top-level statement (or several on one line) with the lines it covers.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its physical lines whole, from the first byte of the first to the last line end.
    pub span: Span,
    /// What it says, or why it was refused.
    pub block: Result<Block, Diagnostic>,
}

/// Parses a whole text.
///
/// # Errors
/// A `SyntaxError`, `IndentationError` or `TabError` at the first place that is wrong.
pub fn parse(source: &Arc<Source>, options: &Options) -> Result<Block, Diagnostic> {
    let script = Script::new(&source.text, source.first_line);
    checked(&script, &script.lines, options).map_err(|r| r.into_diagnostic(source))
}

/// Parses a text statement by statement: one that is wrong does not keep the next from being read.
pub fn parse_recovering(source: &Arc<Source>, options: &Options) -> Vec<Entry> {
    let script = Script::new(&source.text, source.first_line);
    let mut entries = Vec::new();
    for range in entries::ranges(&script) {
        let lines = script.lines.get(range).unwrap_or_default();
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { continue };
        let block = checked(&script, lines, options).map_err(|r| r.into_diagnostic(source));
        entries.push(Entry { span: Span::new(first.physical.start, last.physical.end), block });
    }
    entries
}

/// Parses one expression (or a tuple without parentheses) that fills the given part of a text.
///
/// # Errors
/// A `SyntaxError` when the part is anything else.
pub fn parse_expression(source: &Arc<Source>, span: Span) -> Result<Expr, Diagnostic> {
    expression(&source.text, source.first_line, span.range()).map_err(|r| r.into_diagnostic(source))
}

fn checked(script: &Script, lines: &[Line], options: &Options) -> Parsed<Block> {
    let block = blocks::parse(script, lines, options.commands)?;
    check::block(&block)?;
    Ok(block)
}

fn expression(text: &str, first_line: usize, range: Range<usize>) -> Parsed<Expr> {
    let refusal = || Refusal::new(Span::new(range.start, range.end), "invalid syntax").label("one expression must stand here");
    let script = Script::part(text.get(..range.end).ok_or_else(refusal)?, range.start, first_line);
    let [line] = script.lines.as_slice() else { return Err(refusal()) };
    if let Some(fault) = &line.fault {
        return Err(fault.clone());
    }
    if line.kind != LineKind::Python {
        return Err(refusal());
    }
    let node = grammar::expression(script.blanked.get(line.span.clone()).unwrap_or(""));
    let expr = lower::Lower::new(line.span.start).expression(&node.map_err(|stop| explain::line(&script, line, stop))?)?;
    check::expression(&expr)?;
    Ok(expr)
}
