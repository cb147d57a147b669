//! Indentation: Python's rule for tabs, and which block each line stands in.

use super::lex::Lexer;
use super::lines::Line;
use super::refusal::Refusal;
use crate::diag::{ErrorClass, Span};
use std::ops::Range;

/// Blocks that may be open at once, as in CPython.
const MAX_LEVELS: usize = 100;

/// How far a line is indented, by two ways of counting tabs; blocks must agree by both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Indent {
    /// With tab stops every eight columns.
    pub column: usize,
    /// With a tab as one column.
    pub alternate: usize,
}

/// Reads the blanks a line begins with. A backslash join there does not count, and is blanked.
pub(super) fn measure(lexer: &mut Lexer, blanks: &mut Vec<Range<usize>>) -> Indent {
    let mut indent = Indent::default();
    let mut joined: Option<Indent> = None;
    let text = lexer.rest();
    let base = lexer.position();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' => indent = Indent { column: indent.column + 1, alternate: indent.alternate + 1 },
            b'\t' => indent = Indent { column: (indent.column / 8 + 1) * 8, alternate: indent.alternate + 1 },
            b'\x0C' => indent = Indent::default(),
            b'\\' if bytes.get(at + 1).is_some_and(|b| matches!(b, b'\n' | b'\r')) && at + 2 < bytes.len() => {
                let length = if bytes.get(at + 1..at + 3) == Some(b"\r\n") { 3 } else { 2 };
                blanks.push(base + at..base + at + length);
                joined = joined.or(Some(indent).filter(|i| i.column > 0));
                at += length - 1;
            }
            _ => break,
        }
        at += 1;
    }
    lexer.pass(at);
    joined.unwrap_or(indent)
}

/// Gives every line its level; a line that fits no block gets a fault.
pub(super) fn resolve(lines: &mut [Line]) {
    let mut stack = vec![Indent::default()];
    for line in lines {
        let before: Vec<Indent> = stack.clone();
        let verdict = place(&mut stack, line.indent);
        line.level = stack.len() - 1;
        if let Err((class, message)) = verdict {
            let refusal = Refusal::of(class, Span::new(line.span.start, line.span.end), message);
            line.fault = Some(match class {
                ErrorClass::TabError => refusal
                    .label(format!(
                        "indented by {}, the block above by {}",
                        blanks(line.indent),
                        blanks(other(&before, line.indent))
                    ))
                    .help("Indent the whole text with blanks only, or with tabs only."),
                _ if message == UNINDENT => {
                    let levels: Vec<String> = before.iter().map(|level| level.column.to_string()).collect();
                    let levels = levels.join(" or ");
                    refusal
                        .label(format!("indented by {}", blanks(line.indent)))
                        .help(format!("the blocks that are open here are indented by {levels}: begin the line there"))
                }
                _ => refusal,
            });
        }
    }
}

/// The block whose indentation a line disagrees with: the last one that has blanks of its own.
fn other(open: &[Indent], line: Indent) -> Indent {
    open.iter().rev().find(|level| level.column > 0 && **level != line).copied().unwrap_or_default()
}

/// An indentation in words, since tabs and blanks look alike.
fn blanks(indent: Indent) -> String {
    let count = |n: usize, thing: &str| if n == 1 { format!("1 {thing}") } else { format!("{n} {thing}s") };
    match (indent.column == indent.alternate, indent.column == 8 * indent.alternate) {
        (true, _) => count(indent.column, "blank"),
        (false, true) => count(indent.alternate, "tab"),
        (false, false) => format!("{} with tabs among them", count(indent.alternate, "character")),
    }
}

const UNINDENT: &str = "unindent does not match any outer indentation level";

/// Opens or closes blocks for a line indented so.
fn place(stack: &mut Vec<Indent>, indent: Indent) -> Result<(), (ErrorClass, &'static str)> {
    const TABS: (ErrorClass, &str) = (ErrorClass::TabError, "inconsistent use of tabs and spaces in indentation");
    let mut top = stack.last().copied().unwrap_or_default();
    if indent.column > top.column {
        if stack.len() >= MAX_LEVELS {
            return Err((ErrorClass::IndentationError, "too many levels of indentation"));
        }
        stack.push(indent);
        return if indent.alternate > top.alternate { Ok(()) } else { Err(TABS) };
    }
    while indent.column < top.column && stack.len() > 1 {
        stack.pop();
        top = stack.last().copied().unwrap_or_default();
    }
    if indent.column != top.column {
        return Err((ErrorClass::IndentationError, UNINDENT));
    }
    if indent.alternate == top.alternate { Ok(()) } else { Err(TABS) }
}
