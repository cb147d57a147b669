//! Which lines make one top-level statement, found without parsing them.

use super::lex::Lexeme;
use super::lines::{Line, LineKind, Script};
use std::ops::Range;

/// Words that open a statement with a block. `match` is a name, too, so that the colon tells.
const OPENERS: [&str; 9] = ["if", "for", "while", "with", "def", "try", "class", "async", "@"];

/// Words that go on with the statement above.
const CLAUSES: [&str; 4] = ["elif", "else", "except", "finally"];

/// The lines of each top-level statement.
pub(super) fn ranges(script: &Script) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut holds_block = false;
    for (i, line) in script.lines.iter().enumerate() {
        let goes_on = !out.is_empty() && (continues(script, line, holds_block) || decorates(script, i));
        match out.last_mut() {
            Some(range) if goes_on => range.end = i + 1,
            _ => {
                holds_block = opens(script, line);
                out.push(i..i + 1);
            }
        }
    }
    out
}

fn first_word<'a>(script: &Script<'a>, line: &Line) -> &'a str {
    script.tokens_of(line).first().map_or("", |t| t.text(script.text))
}

/// True for a line whose block, if it has one, may follow.
pub(super) fn opens(script: &Script, line: &Line) -> bool {
    if line.kind != LineKind::Python || line.level > 0 {
        return line.level > 0;
    }
    let last = script.tokens_of(line).last();
    OPENERS.contains(&first_word(script, line)) || last.is_some_and(|t| t.text(script.text) == ":")
}

fn continues(script: &Script, line: &Line, holds_block: bool) -> bool {
    holds_block && (line.indent.column > 0 || CLAUSES.contains(&first_word(script, line)))
}

/// True for a line right below a decorator at top level.
fn decorates(script: &Script, index: usize) -> bool {
    let Some(above) = index.checked_sub(1).and_then(|i| script.lines.get(i)) else { return false };
    let first = script.tokens_of(above).first();
    above.level == 0 && first.is_some_and(|t| t.lexeme == Lexeme::Operator && t.text(script.text) == "@")
}
