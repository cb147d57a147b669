//! Styled text: the only thing that is ever output.
//!
//! A [`Doc`] is a text and marks that say what parts of it *are* (a number, a name, a warning), not how they look. How they
//! look is decided once, by [`Doc::render`]. No meaning is carried by colour alone: the plain text says the same.

use super::{lines, narrate, shade};
use anstyle::{AnsiColor, Effects, Style as Ansi};
use std::fmt;
use unicode_width::UnicodeWidthStr;

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Style {
    /// Nothing special.
    Plain,
    /// A number or another value of the data.
    Number,
    /// Quoted text.
    Text,
    /// A word of the language.
    Keyword,
    /// A name: of a variable, an operation, a parameter.
    Name,
    /// Present for completeness: rulings, what was left out. Dimmed, which is hard to read on some terminals: not for words.
    Faint,
    /// Words said in passing: titles of columns, sums, rules.
    Note,
    /// What the eye should find first.
    Strong,
    /// The title of a section.
    Heading,
    /// Went well.
    Good,
    /// Worth a second look: a nan, a copy where a view was expected.
    Warning,
    /// Went wrong.
    Error,
    /// A pixel of an image, whose character says how dark it is, too.
    Shade(u8),
    /// Two pixels in one character, the upper half and the lower half.
    Pixels(u8, u8),
}

impl Style {
    /// The terminal's own palette, so that the user's theme applies; images have colours of their own.
    fn ansi(self, truecolor: bool) -> Ansi {
        let color = |c: AnsiColor| Ansi::new().fg_color(Some(c.into()));
        match self {
            Style::Plain | Style::Note => Ansi::new(),
            Style::Number => color(AnsiColor::Cyan),
            Style::Text | Style::Good => color(AnsiColor::Green),
            Style::Keyword => color(AnsiColor::Magenta),
            // Plain blue cannot be read on black.
            Style::Name => color(AnsiColor::BrightBlue),
            Style::Faint => Ansi::new().effects(Effects::DIMMED),
            Style::Strong | Style::Heading => Ansi::new().effects(Effects::BOLD),
            // Yellow cannot be read on light paper.
            Style::Warning => color(AnsiColor::Magenta),
            Style::Error => color(AnsiColor::Red).effects(Effects::BOLD),
            Style::Shade(level) => {
                let letters = if shade::is_light(level) { AnsiColor::Black } else { AnsiColor::BrightWhite };
                color(letters).bg_color(Some(shade::ansi(level, truecolor)))
            }
            Style::Pixels(upper, lower) => {
                Ansi::new().fg_color(Some(shade::ansi(upper, truecolor))).bg_color(Some(shade::ansi(lower, truecolor)))
            }
        }
    }
}

/// Text with styles. Lines are separated by `\n`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doc {
    text: String,
    /// In order, not overlapping, none plain.
    marks: Vec<Mark>,
    /// In order, not overlapping.
    told: Vec<Told>,
}

/// A range of bytes of the text that is drawn for the eye, and the sentences that say the same.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Told {
    start: usize,
    end: usize,
    words: String,
}

/// A range of bytes of the text and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    start: usize,
    end: usize,
    style: Style,
}

/// How a [`Doc`] becomes bytes on a terminal or in a file. The caller decides both from flags and environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Render {
    /// With ANSI escape codes for the styles.
    pub color: bool,
    /// With 7-bit characters only, one for one.
    pub ascii: bool,
    /// In sentences that can be read aloud, without drawings and without colour.
    pub narrate: bool,
    /// Where there is colour, any colour, not only the 256 that every terminal has.
    pub truecolor: bool,
}

impl Doc {
    /// An empty document.
    pub fn new() -> Doc {
        Doc::default()
    }

    /// A document of one unstyled text.
    pub fn plain(text: impl Into<String>) -> Doc {
        Doc { text: text.into(), ..Doc::default() }
    }

    /// Appends a text in a style.
    pub fn push(&mut self, style: Style, text: &str) -> &mut Doc {
        let start = self.text.len();
        self.text.push_str(text);
        self.mark(start, style);
        self
    }

    /// Appends a line break.
    pub fn newline(&mut self) -> &mut Doc {
        self.text.push('\n');
        self
    }

    /// Appends another document.
    pub fn append(&mut self, other: &Doc) -> &mut Doc {
        let shift = self.text.len();
        self.text.push_str(&other.text);
        self.marks.extend(other.marks.iter().map(|m| Mark { start: m.start + shift, end: m.end + shift, ..*m }));
        let moved = |t: &Told| Told { start: t.start + shift, end: t.end + shift, words: t.words.clone() };
        self.told.extend(other.told.iter().map(moved));
        self
    }

    /// The same drawing, with the sentences that say what it shows, a line each.
    pub fn told_as(mut self, words: impl Into<String>) -> Doc {
        self.told = vec![Told { start: 0, end: self.text.len(), words: words.into() }];
        self
    }

    /// The same text, to be read aloud as it is.
    pub fn told_verbatim(self) -> Doc {
        let words = self.text.clone();
        self.told_as(words)
    }

    /// What it shows in sentences, a line each: those that came with the drawings, and the text between drawings.
    pub fn narrated(&self) -> String {
        let mut out = String::new();
        let mut at = 0;
        for told in &self.told {
            narrate::sentences(&mut out, self.text.get(at..told.start).unwrap_or_default());
            out.push_str(&told.words);
            if !told.words.is_empty() && !told.words.ends_with('\n') {
                out.push('\n');
            }
            at = told.end;
        }
        narrate::sentences(&mut out, self.text.get(at..).unwrap_or_default());
        out
    }

    /// Appends what `write` adds to the text, in one style; for long texts that are built in place.
    pub fn extend(&mut self, style: Style, write: impl FnOnce(&mut String)) {
        let start = self.text.len();
        write(&mut self.text);
        self.mark(start, style);
    }

    /// Gives the text from byte `start` on a style.
    fn mark(&mut self, start: usize, style: Style) {
        if style == Style::Plain || start >= self.text.len() {
            return;
        }
        self.marks.push(Mark { start, end: self.text.len(), style });
    }

    /// The same without blanks and line breaks at the end.
    pub fn trim_end(mut self) -> Doc {
        self.text.truncate(self.text.trim_end().len());
        self.marks.retain(|m| m.start < self.text.len());
        if let Some(last) = self.marks.last_mut() {
            last.end = last.end.min(self.text.len());
        }
        for told in &mut self.told {
            told.end = told.end.min(self.text.len());
            told.start = told.start.min(told.end);
        }
        self
    }

    /// The same with lines longer than `width` broken at blanks; they go on below the second column of a list, else below their
    /// own start. Code, which stands four blanks in, is left as it is.
    pub fn wrapped(&self, width: usize) -> Doc {
        let mut breaks = vec![];
        let mut start = 0;
        for line in self.text.split('\n') {
            if line.width() > width && !line.starts_with("    ") {
                breaks.extend(lines::breaks(line, width).into_iter().map(|(at, indent)| (start + at, indent)));
            }
            start += line.len() + 1;
        }
        let (mut doc, mut at) = (Doc::new(), 0);
        let mut breaks = breaks.into_iter().peekable();
        for (style, text) in self.spans() {
            let mut from = 0;
            while let Some((place, indent)) = breaks.next_if(|(place, _)| *place < at + text.len()) {
                doc.push(style, text.get(from..place - at).unwrap_or_default()).newline();
                doc.push(Style::Plain, &" ".repeat(indent));
                from = place - at + 1;
            }
            doc.push(style, text.get(from..).unwrap_or_default());
            at += text.len();
        }
        doc
    }

    /// The text without styles.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text without styles, as an owned string.
    pub fn into_text(self) -> String {
        self.text
    }

    /// True when there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The pieces in order, each with its style.
    pub fn spans(&self) -> impl Iterator<Item = (Style, &str)> {
        let mut pieces = Vec::with_capacity(2 * self.marks.len() + 1);
        let mut at = 0;
        for mark in &self.marks {
            pieces.push((Style::Plain, &self.text[at..mark.start]));
            pieces.push((mark.style, &self.text[mark.start..mark.end]));
            at = mark.end;
        }
        pieces.push((Style::Plain, &self.text[at..]));
        pieces.into_iter().filter(|(_, text)| !text.is_empty())
    }

    /// The text as `how` asks.
    pub fn render(&self, how: Render) -> String {
        if how.narrate {
            let words = self.narrated();
            return if how.ascii { to_ascii(&words) } else { words };
        }
        if !how.color {
            return if how.ascii { to_ascii(&self.text) } else { self.text.clone() };
        }
        let mut out = String::with_capacity(self.text.len() + 10 * self.marks.len());
        for (style, text) in self.spans() {
            let text = if how.ascii { to_ascii(text) } else { text.to_string() };
            let ansi = style.ansi(how.truecolor);
            out.push_str(&format!("{ansi}{text}{ansi:#}"));
        }
        out
    }
}

impl fmt::Display for Doc {
    /// The text without styles.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<String> for Doc {
    fn from(text: String) -> Doc {
        Doc::plain(text)
    }
}

impl From<&str> for Doc {
    fn from(text: &str) -> Doc {
        Doc::plain(text)
    }
}

/// The 7-bit twin of each character that tsr's own pictures use.
const ASCII: &[(char, char)] = &[
    ('│', '|'),
    ('─', '-'),
    ('┌', '+'),
    ('┐', '+'),
    ('└', '+'),
    ('┘', '+'),
    ('├', '+'),
    ('┤', '+'),
    ('┬', '+'),
    ('┴', '+'),
    ('┼', '+'),
    ('▲', '^'),
    ('▼', 'v'),
    ('→', '>'),
    ('←', '<'),
    ('·', '.'),
    ('×', 'x'),
    ('≠', '!'),
    ('…', '.'),
    ('█', '#'),
];

/// The text in 7-bit characters: the twin of a picture character, `?` for any other that has none.
pub fn to_ascii(text: &str) -> String {
    text.chars()
        .map(|c| match ASCII.iter().find(|(from, _)| *from == c) {
            Some((_, to)) => *to,
            None if c.is_ascii() => c,
            None => '?',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Doc {
        let mut doc = Doc::plain("┌ cell ");
        doc.push(Style::Number, "3").push(Style::Plain, " → ").push(Style::Error, "…").newline();
        doc
    }

    #[test]
    fn renderers_share_one_text() {
        let doc = sample();
        assert_eq!(doc.render(Render::default()), "┌ cell 3 → …\n");
        assert_eq!(doc.render(Render { ascii: true, ..Render::default() }), "+ cell 3 > .\n");
        let colored = doc.render(Render { color: true, ..Render::default() });
        assert_eq!(colored, "┌ cell \x1b[36m3\x1b[0m → \x1b[1m\x1b[31m…\x1b[0m\n");
        assert_eq!(anstream::adapter::strip_str(&colored).to_string(), doc.text());
    }

    #[test]
    fn append_moves_the_marks() {
        let mut doc = Doc::plain("ab");
        doc.append(&sample()).append(&sample());
        let numbers: Vec<_> = doc.spans().filter(|(style, _)| *style == Style::Number).map(|(_, text)| text).collect();
        assert_eq!(numbers, ["3", "3"]);
        assert_eq!(doc.spans().map(|(_, text)| text).collect::<String>(), doc.text());
    }

    #[test]
    fn long_lines_go_on_below_their_start() {
        let mut doc = Doc::plain("a ");
        doc.push(Style::Name, "long word").push(Style::Plain, " here now\n %who  lists the variables\n    code stays as it is\n");
        let wrapped = doc.wrapped(16);
        assert_eq!(wrapped.text(), "a long word here\nnow\n %who  lists the\n       variables\n    code stays as it is\n");
        assert_eq!(
            wrapped.spans().filter(|(style, _)| *style == Style::Name).map(|(_, text)| text).collect::<Vec<_>>(),
            ["long word"]
        );
        assert_eq!(doc.wrapped(80).text(), doc.text());
    }

    #[test]
    fn drawings_are_told_in_their_place() {
        let mut doc = Doc::plain(" a → b\n\n");
        doc.append(&Doc::plain("┌──┐\n").told_as("A box.")).push(Style::Faint, " stays  as it is\n");
        assert_eq!(doc.narrated(), "a becomes b.\nA box.\nstays as it is.\n");
        assert_eq!(doc.render(Render { narrate: true, ascii: true, color: true, ..Render::default() }), doc.narrated());
        assert_eq!(Doc::plain("  x\n\n  y").told_verbatim().narrated(), "  x\n\n  y\n");
    }

    #[test]
    fn ascii_is_one_character_for_one() {
        let text = "│─┌┐└┘├┤┬┴┼▲▼→←·×≠…█é\n";
        assert_eq!(to_ascii(text), "|-+++++++++^v><.x!.#?\n");
        assert_eq!(to_ascii(text).chars().count(), text.chars().count());
    }
}
