//! Does a prompt entry go on? Python's rule: an open bracket, string or join does, and a block until a blank line.

use super::lex::Lexeme;
use super::lines::{Line, Script};
use super::refusal::Missing;
use super::{Options, blocks, entries};

/// Whether a prompt entry can be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// It can be run, or is wrong and its error can be shown.
    Complete,
    /// More lines must follow.
    Incomplete {
        /// Blanks to begin the next line with.
        indent: usize,
    },
}

/// Blanks per block.
const STEP: usize = 4;

/// Words after which a block is left.
const LEAVING: [&str; 5] = ["return", "pass", "break", "continue", "raise"];

/// Judges a prompt entry: `text` is what has been typed when Enter is pressed, without that line end, so that an empty
/// last line ends a block.
pub fn is_incomplete(text: &str, options: &Options) -> Completeness {
    let script = Script::new(text, 1);
    let Some(last) = script.lines.last() else { return Completeness::Complete };
    let blank_end = text.rsplit(['\n', '\r']).next().is_some_and(|l| l.trim().is_empty());
    let open_block =
        || entries::ranges(&script).last().and_then(|r| script.lines.get(r.start)).is_some_and(|l| entries::opens(&script, l));
    match blocks::parse(&script, &script.lines, options.commands) {
        Err(refusal) => match refusal.missing {
            Some(Missing::Text) => Completeness::Incomplete { indent: inside_indent(&script) },
            Some(Missing::Block) if !blank_end => Completeness::Incomplete { indent: block_indent(&script, last) },
            _ => Completeness::Complete,
        },
        Ok(_) if !blank_end && open_block() => Completeness::Incomplete { indent: block_indent(&script, last) },
        Ok(_) => Completeness::Complete,
    }
}

/// Where to go on inside brackets: as far as the last line, or one step when that is the first. Strings begin at once.
fn inside_indent(script: &Script) -> usize {
    let unfinished = |l: &&Line| l.fault.as_ref().is_some_and(|f| f.missing == Some(Missing::Text));
    let Some(line) = script.lines.iter().find(unfinished) else { return 0 };
    if script.tokens_of(line).last().is_some_and(|t| t.lexeme == Lexeme::OpenTriple) {
        return 0;
    }
    let typed = script.text.get(line.physical.start..).unwrap_or("");
    match typed.rsplit_once('\n') {
        Some((_, last)) if !last.trim().is_empty() => last.len() - last.trim_start().len(),
        _ => line.indent.column + STEP,
    }
}

/// Where to go on in a block: deeper after a colon, shallower after a word that leaves.
fn block_indent(script: &Script, line: &Line) -> usize {
    let tokens = script.tokens_of(line);
    let (first, last) = (tokens.first().map(|t| t.text(script.text)), tokens.last().map(|t| t.text(script.text)));
    if last == Some(":") {
        line.indent.column + STEP
    } else if first.is_some_and(|f| LEAVING.contains(&f)) {
        line.indent.column.saturating_sub(STEP)
    } else {
        line.indent.column
    }
}
