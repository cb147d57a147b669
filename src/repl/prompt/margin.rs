//! The `... ` in front of the lines of a block. The editor has no continuation prompt, so the margin is text in its buffer, made
//! of characters that nobody types: it is put in when a line is opened and taken out when the entry is accepted.
//!
//! A margin is three dots and a no-break space. One level of indentation is a figure space and three blanks, so that one
//! backspace can remove exactly one level.

/// The margin of a continuation line, four columns wide.
pub(super) const MARGIN: &str = "...\u{a0}";
/// One level of indentation, four columns wide.
pub(super) const LEVEL: &str = "\u{2007}   ";
/// Blanks per level.
const STEP: usize = 4;

/// Blanks as levels and what is left over.
pub(super) fn indentation(blanks: usize) -> String {
    LEVEL.repeat(blanks / STEP) + &" ".repeat(blanks % STEP)
}

/// A text as the editor shows it: every line but the first behind a margin.
pub(super) fn with_margins(text: &str) -> String {
    let mut lines = text.split('\n');
    let mut out = lines.next().unwrap_or_default().to_string();
    for line in lines {
        let code = line.trim_start_matches(' ');
        out.push('\n');
        out.push_str(MARGIN);
        out.push_str(&indentation(line.len() - code.len()));
        out.push_str(code);
    }
    out
}

/// What stands in the editor as the text that was meant. Pasted lines have no margin and stay as they are.
pub(super) fn without_margins(buffer: &str) -> String {
    let clean = |line: &str| {
        let Some(rest) = line.strip_prefix(MARGIN) else { return line.to_string() };
        let code = rest.trim_start_matches([' ', '\u{2007}']);
        let blanks = rest.len() - code.len();
        rest.get(..blanks).unwrap_or_default().replace('\u{2007}', " ") + code
    };
    let mut lines = buffer.split('\n');
    let first = lines.next().unwrap_or_default().to_string();
    std::iter::once(first).chain(lines.map(clean)).collect::<Vec<_>>().join("\n")
}

/// The buffer with the margin's characters as blanks, byte for byte, so that places in both agree.
pub(super) fn blanked(buffer: &str) -> String {
    buffer.replace(MARGIN, "     ").replace('\u{2007}', "   ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_go_in_and_out() {
        let text = "def f(x):\n    if x:\n        return '\u{a0}\u{2007}...'\n\n      odd\n    ";
        let shown = with_margins(text);
        assert_eq!(shown.lines().nth(2), Some("...\u{a0}\u{2007}   \u{2007}   return '\u{a0}\u{2007}...'"));
        assert_eq!(without_margins(&shown), text);
    }

    #[test]
    fn pasted_lines_stay() {
        assert_eq!(without_margins("a\n    b\n... c"), "a\n    b\n... c");
    }

    #[test]
    fn blanking_keeps_every_place() {
        let shown = with_margins("if x:\n    y");
        assert_eq!(blanked(&shown).len(), shown.len());
        assert_eq!(blanked(&shown).find('y'), shown.find('y'));
    }
}
