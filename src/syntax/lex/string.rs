//! Where a string literal ends.

/// How a scan of a string literal ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StringEnd {
    /// At its closing quotes.
    Closed,
    /// A one-line string reached the end of its line.
    OpenLine,
    /// A triple-quoted string reached the end of the text.
    OpenTriple,
}

/// Length in bytes of the literal that begins with the quote at `text[0]`, and how it ended.
pub(crate) fn scan(text: &[u8]) -> (usize, StringEnd) {
    let quote = text.first().copied().unwrap_or(b'"');
    if text.starts_with(&[quote; 3]) {
        return scan_triple(text, quote);
    }
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += escaped(text, at),
            b'\n' | b'\r' => return (at, StringEnd::OpenLine),
            _ if byte == quote => return (at + 1, StringEnd::Closed),
            _ => at += 1,
        }
    }
    (text.len(), StringEnd::OpenLine)
}

fn scan_triple(text: &[u8], quote: u8) -> (usize, StringEnd) {
    let mut at = 3;
    while let Some(&byte) = text.get(at) {
        if byte == b'\\' {
            at += escaped(text, at);
        } else if byte == quote && text.get(at..at + 3) == Some(&[quote; 3]) {
            return (at + 3, StringEnd::Closed);
        } else {
            at += 1;
        }
    }
    (text.len(), StringEnd::OpenTriple)
}

/// Bytes that a backslash takes with it; a two-byte line end counts as one character.
fn escaped(text: &[u8], at: usize) -> usize {
    if text.get(at + 1) == Some(&b'\r') && text.get(at + 2) == Some(&b'\n') { 3 } else { 2 }
}

/// The letters that may stand before a string's quotes, in lower case.
const PREFIXES: [&str; 8] = ["r", "u", "b", "f", "br", "rb", "fr", "rf"];

/// True for the letters that may stand before a string's quotes.
pub(crate) fn is_prefix(word: &str) -> bool {
    word.len() <= 2 && PREFIXES.iter().any(|p| p.eq_ignore_ascii_case(word))
}
