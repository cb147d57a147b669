//! Texts broken into lines.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A text broken into lines of at most `width` columns, at blanks as far as they reach, short brackets in one piece. Lines that it
/// has already stay apart.
pub fn filled(text: &str, width: usize) -> String {
    let options = textwrap::Options::new(width)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .word_separator(textwrap::WordSeparator::AsciiSpace);
    textwrap::fill(&glued(text, width), options).replace(HARD, " ")
}

/// Where a line is broken so that no part is wider than `width`: the byte of a blank that goes, and how far what follows is
/// indented: as the second column of a list, which two blanks set off, else as the line itself.
pub fn breaks(line: &str, width: usize) -> Vec<(usize, usize)> {
    let lead = line.len() - line.trim_start().len();
    let second =
        line.trim_start().find("  ").map(|gap| lead + gap + line[lead + gap..].len() - line[lead + gap..].trim_start().len());
    let indent = second.filter(|column| *column < width / 2).unwrap_or(lead);
    let (mut found, mut used, mut blank) = (vec![], 0, None);
    for (at, c) in line.char_indices() {
        used += c.width().unwrap_or(0);
        if c == ' ' && at > indent {
            blank = Some((at, used));
        }
        if used > width
            && c != ' '
            && let Some((place, columns)) = blank.take()
        {
            found.push((place, indent));
            used = used - columns + indent;
        }
    }
    found
}

/// A blank at which no line is broken.
const HARD: char = '\u{a0}';
/// Columns that a bracket has at most to be kept in one piece.
const PIECE: usize = 24;

/// The text with hard blanks inside its short brackets: `result[i, j]` is one word, unless that is longer than a line.
fn glued(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find(['(', '[']) {
        let (before, bracket) = rest.split_at(open);
        let close = if bracket.starts_with('(') { ')' } else { ']' };
        let end = bracket.find(close).filter(|end| *end <= PIECE).map_or(1, |end| end + 1);
        let (piece, behind) = bracket.split_at(end);
        out.push_str(before);
        out.extend(piece.chars().map(|c| if c == ' ' { HARD } else { c }));
        rest = behind;
    }
    out.push_str(rest);
    let word = |word: &str| if word.trim_end().width() > width { word.replace(HARD, " ") } else { word.to_string() };
    out.split_inclusive([' ', '\n']).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_words_and_not_in_short_brackets() {
        assert_eq!(filled("the written-to A[:3][i, 0]", 21), "the written-to\nA[:3][i, 0]");
        assert_eq!(filled("one\ntwo (a long bracket that may be broken)", 20), "one\ntwo (a long bracket\nthat may be broken)");
        assert_eq!(filled("x.view(2, 3, 4)[:, ::2]", 16), "x.view(2, 3,\n4)[:, ::2]");
        assert_eq!(filled("a ( b", 3), "a (\nb");
    }
}
