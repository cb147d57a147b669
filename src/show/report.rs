//! Diagnostics as text: the exception's line, the source with carets, the calls that led there, notes and ways out.
//!
//! ```text
//! RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)
//!  --> model.tsr:3:12
//!   |
//! 3 |     return x @ w
//!   |            - ^ - float32 (2, 3)
//!   |            |
//!   |            float32 (2, 3)
//!   |
//!   = called from, outermost first:
//!     model.tsr:8:1  train(x, w)
//!                    ^^^^^^^^^^^
//! ```
//!
//! The first line is exactly what Python prints, so that a message can be searched for; everything else is ours.

use super::doc::Render;
use super::lines::filled;
use super::shorten::shortened;
use super::{frames, narrate};
use crate::diag::{Diagnostic, Label, Source, Span};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};
use std::borrow::Cow;
use std::ops::Range;
use unicode_width::UnicodeWidthChar;

/// How a report is laid out. The plain form (no colour, ASCII frame, 80 columns) is the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Colour, and whether only 7-bit characters may be used at all.
    pub render: Render,
    /// Draw the frame with line characters instead of `|` and `^`; ignored where `render` asks for 7 bits.
    pub lines: bool,
    /// Columns of the terminal; source lines are cut to them.
    pub width: usize,
    /// Break the exception's own sentence at words too, as on a terminal, which would break it inside them. Elsewhere it stays as
    /// it is, so that it can be compared and searched for.
    pub wraps: bool,
    /// Lines of the terminal; none where output is not read screen by screen.
    pub height: Option<usize>,
}

impl Default for Look {
    fn default() -> Look {
        Look { render: Render::default(), lines: false, width: 80, wraps: false, height: None }
    }
}

/// The whole report, ending in a line break.
pub fn text(diagnostic: &Diagnostic, look: &Look) -> String {
    if look.render.narrate {
        let words = narrate::report::text(diagnostic);
        let words = if look.wraps { filled(&words, look.width) } else { words };
        return if look.render.ascii { in_seven_bits(&words) } else { words };
    }
    let mut out = headline(diagnostic, look);
    out.push('\n');
    let body = body(diagnostic, look);
    for line in body.lines() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    if look.render.ascii { in_seven_bits(&out) } else { out }
}

/// `ErrorClass: sentence`, the class in colour.
fn headline(diagnostic: &Diagnostic, look: &Look) -> String {
    titled(diagnostic.headline(), diagnostic.class.title(), annotate_snippets::renderer::DEFAULT_ERROR_STYLE, look)
}

/// A warning: the name of its class, and what it says.
pub fn warning(class: &str, text: &str, look: &Look) -> String {
    let line = titled(format!("{class}: {text}"), class, annotate_snippets::renderer::DEFAULT_WARNING_STYLE, look);
    if look.render.ascii { in_seven_bits(&line) } else { line }
}

/// A sentence that begins with a title, which stands out where there is colour.
fn titled(line: String, title: &str, style: anstyle::Style, look: &Look) -> String {
    let line = if look.wraps { filled(&line, look.width) } else { line };
    if !look.render.color {
        return line;
    }
    format!("{style}{title}{style:#}{}", line.get(title.len()..).unwrap_or_default())
}

/// Columns before the text of a note or a way out, at most.
const MARGIN: usize = 14;

/// Everything below the headline; empty when there is nothing to say.
fn body(diagnostic: &Diagnostic, look: &Look) -> String {
    let excerpt = diagnostic.source.as_ref().and_then(|source| Excerpt::of(source, &diagnostic.labels, look.width));
    let mut group = Group::with_level(Level::ERROR);
    if let Some(excerpt) = &excerpt {
        group = group.element(excerpt.snippet());
    }
    if !diagnostic.frames.is_empty() {
        let chain = frames::chain(&diagnostic.frames, look.width);
        group = group.element(Level::NOTE.no_name().message(chain));
    }
    // Behind a line number and `= help: `; texts go on below their own start.
    let room = look.width.saturating_sub(MARGIN).max(20);
    let clean = |text: &String| filled(&annotate_snippets::normalize_untrusted_str(text), room);
    group = group.elements(diagnostic.notes.iter().map(|note| Level::NOTE.message(clean(note))));
    group = group.elements(diagnostic.help.iter().map(|help| Level::HELP.message(clean(help))));
    let change = changed(diagnostic, look.width);
    group = group.elements(change.iter().map(Changed::snippet));
    if group.is_empty() {
        return String::new();
    }
    let renderer = if look.render.color { Renderer::styled().hyperlink(false) } else { Renderer::plain() };
    let decor = if look.lines && !look.render.ascii { DecorStyle::Unicode } else { DecorStyle::Ascii };
    let body = renderer.decor_style(decor).term_width(look.width).render(&[group]);
    match &excerpt {
        Some(excerpt) => excerpt.with_true_place(&body),
        None => body,
    }
}

/// A line of the source with what to write in the place of a word.
struct Changed<'a> {
    line: &'a str,
    number: usize,
    word: Range<usize>,
    to: &'a str,
}

impl Changed<'_> {
    fn snippet(&self) -> Snippet<'_, Patch<'_>> {
        Snippet::source(self.line).line_start(self.number).patch(Patch::new(self.word.clone(), self.to))
    }
}

/// The change that a diagnostic asks for, when there is one, its word is found and the line is not too long to be shown twice.
fn changed(diagnostic: &Diagnostic, width: usize) -> Option<Changed<'_>> {
    let (change, source) = (diagnostic.change.as_ref()?, diagnostic.source.as_ref()?);
    let primary = diagnostic.labels.iter().find(|l| l.primary)?;
    let word = range_of(source, change.place(source, primary.span)?);
    let start = line_start(&source.text, word.start);
    let line = source.text.get(start..line_end(&source.text, word.end))?;
    let (number, room) = (source.line_column(start).0, width.saturating_sub(MARGIN));
    let fits = line.chars().count() + change.to.chars().count() <= room;
    fits.then(|| Changed { line, number, word: word.start - start..word.end - start, to: &change.to })
}

/// A label's part of the text, clamped to it and to whole characters, without a line break at its end.
fn range_of(source: &Source, span: Span) -> Range<usize> {
    let text = &source.text;
    let floor = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (start, end) = (floor(span.start as usize), floor(span.end.max(span.start) as usize));
    let part = text.get(start..end).unwrap_or_default();
    start..start + part.trim_end_matches(['\n', '\r']).len()
}

/// The lines of a source that a report shows. Texts beyond this many bytes are cut to a window around the primary label:
/// laying out a line takes time in proportion to its length.
const WINDOW: usize = 16 * 1024;

struct Excerpt<'a> {
    source: &'a Source,
    labels: &'a [Label],
    /// What is shown of the text: its lines, or a part of a line.
    text: Cow<'a, str>,
    /// The number of its first line.
    first_line: usize,
    /// Where each label is in it; none for one that is not in it.
    ranges: Vec<Option<Range<usize>>>,
    /// Line and column (in characters) where the primary label starts, in the source and in what is shown.
    place: (usize, usize),
    shown_column: usize,
}

impl<'a> Excerpt<'a> {
    /// None when no label points anywhere.
    fn of(source: &'a Source, labels: &'a [Label], width: usize) -> Option<Excerpt<'a>> {
        let primary = labels.iter().position(|l| l.primary).unwrap_or(0);
        let at = range_of(source, labels.get(primary)?.span);
        let spans: Vec<Range<usize>> = labels.iter().map(|l| range_of(source, l.span)).collect();
        let (start, end) = spans.iter().fold((at.start, at.end), |(s, e), r| (s.min(r.start), e.max(r.end)));
        let whole = line_start(&source.text, start)..line_end(&source.text, end);
        let shown = if whole.len() <= WINDOW { whole } else { window(&source.text, at.start) };
        let within = |at: Range<usize>| {
            let inside = shown.start <= at.start && at.start <= shown.end;
            inside.then(|| at.start - shown.start..at.end.clamp(at.start, shown.end) - shown.start)
        };
        let mut ranges: Vec<Option<Range<usize>>> = spans.into_iter().map(within).collect();
        let mut text = Cow::Borrowed(source.text.get(shown.clone()).unwrap_or_default());
        let first_line = source.line_column(shown.start).0;
        let known: Vec<Range<usize>> = ranges.iter().flatten().cloned().collect();
        let room = width.saturating_sub(FRAME + first_line.to_string().len());
        if !text.contains('\n')
            && let Some((shorter, moved)) = shortened(&text, &known, room)
        {
            text = Cow::Owned(shorter);
            ranges.iter_mut().flatten().zip(moved).for_each(|(range, new)| *range = new);
        }
        let before = ranges.get(primary).cloned().flatten().map_or(0, |r| r.start);
        let line = text.get(..before).unwrap_or_default();
        let shown_column = line.chars().rev().take_while(|c| *c != '\n').count() + 1;
        let place = source.line_column(at.start);
        Some(Excerpt { source, labels, text, first_line, ranges, place, shown_column })
    }

    fn snippet(&self) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
        let annotations = self.labels.iter().zip(&self.ranges).filter_map(|(label, range)| {
            let kind = if label.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let text = (!label.text.is_empty()).then_some(label.text.as_str());
            Some(kind.span(range.clone()?).label(text))
        });
        let path = self.source.name.as_str();
        Snippet::source(self.text.as_ref()).path(path).line_start(self.first_line).annotations(annotations)
    }

    /// The rendered body with the right column in its first line when what is shown of the line begins or goes on elsewhere.
    fn with_true_place(&self, body: &str) -> String {
        let (line, column) = self.place;
        body.replacen(&format!(":{line}:{}", self.shown_column), &format!(":{line}:{column}"), 1)
    }
}

/// Columns of a line beside its number that are not the source's.
const FRAME: usize = 3;

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |i| i + 1)
}

fn line_end(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|after| after.find('\n')).map_or(text.len(), |i| at + i)
}

/// The part of the line around a byte that is worth laying out.
fn window(text: &str, at: usize) -> Range<usize> {
    let mut start = line_start(text, at).max(at.saturating_sub(WINDOW / 2));
    let mut end = line_end(text, at).min(at + WINDOW / 2);
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

/// 7-bit text of the same width: a character without a twin becomes as many `?` as it has columns.
fn in_seven_bits(text: &str) -> String {
    let twin = |c: char| if c.is_ascii() { c.to_string() } else { "?".repeat(c.width().unwrap_or(1)) };
    text.chars().map(twin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{ErrorClass, Frame};

    fn span(source: &Source, part: &str) -> Span {
        let at = source.text.find(part).unwrap();
        Span::new(at, at + part.len())
    }

    /// A failing product with both operands labelled.
    fn product() -> Diagnostic {
        let source = Source::new("model.tsr", "x = 1\nh = relu(x @ w.t() + b)\n");
        let mut d = Diagnostic::new(ErrorClass::RuntimeError, "mat1 and mat2 shapes cannot be multiplied (200x764 and 100x764)")
            .at(&source, span(&source, "@"), "764 != 100")
            .note("w is (764, 100); .t() swapped it")
            .help("use w as it is");
        d.labels.push(Label { span: Span::new(15, 16), text: "(200, 764)".into(), primary: false });
        d.labels.push(Label { span: span(&source, "w.t()"), text: "(100, 764)".into(), primary: false });
        d
    }

    #[test]
    fn operands_are_labelled_below_the_exact_message() {
        let expected = "\
RuntimeError: mat1 and mat2 shapes cannot be multiplied (200x764 and 100x764)
 --> model.tsr:2:12
  |
2 | h = relu(x @ w.t() + b)
  |          - ^ ----- (100, 764)
  |          | |
  |          | 764 != 100
  |          (200, 764)
  |
  = note: w is (764, 100); .t() swapped it
  = help: use w as it is
";
        assert_eq!(text(&product(), &Look::default()), expected);
    }

    #[test]
    fn line_characters_and_seven_bits() {
        let lines = text(&product(), &Look { lines: true, ..Look::default() });
        assert!(lines.contains("  ╰ help: use w as it is\n"), "{lines}");
        let ascii = Render { ascii: true, ..Render::default() };
        assert_eq!(text(&product(), &Look { lines: true, render: ascii, ..Look::default() }), text(&product(), &Look::default()));
    }

    #[test]
    fn a_terminal_has_sentences_broken_at_words() {
        let narrow = text(&product(), &Look { width: 44, wraps: true, ..Look::default() });
        let expected = "RuntimeError: mat1 and mat2 shapes cannot be\nmultiplied (200x764 and 100x764)\n --> model.tsr:2:12\n";
        assert!(narrow.starts_with(expected), "{narrow}");
        let color = Render { color: true, ..Render::default() };
        let colored = text(&product(), &Look { width: 44, wraps: true, render: color, ..Look::default() });
        assert_eq!(anstream::adapter::strip_str(&colored).to_string(), narrow);
    }

    #[test]
    fn color_adds_only_escape_codes() {
        let color = Render { color: true, ..Render::default() };
        let colored = text(&product(), &Look { render: color, ..Look::default() });
        assert!(colored.starts_with("\x1b["), "{colored:?}");
        assert_eq!(anstream::adapter::strip_str(&colored).to_string(), text(&product(), &Look::default()));
    }

    #[test]
    fn without_a_place_there_is_only_the_sentence() {
        let plain = |d: &Diagnostic| text(d, &Look::default());
        assert_eq!(plain(&Diagnostic::new(ErrorClass::KeyboardInterrupt, "")), "KeyboardInterrupt\n");
        let two_lines = Diagnostic::new(ErrorClass::ValueError, "first\nsecond").help("a way out");
        assert_eq!(plain(&two_lines), "ValueError: first\nsecond\n = help: a way out\n");
    }

    /// An error in a function that calls itself 900 times, called by another one.
    fn recursion() -> Diagnostic {
        let code = "def f(n):\n    return f(n - 1) + 1\n\n\ndef g(n, 日本):\n    y = 日本 + f(n) * 2\ng(3, 4)\n";
        let source = Source::new("f.tsr", code);
        let frame =
            |part: &str, function: &str| Frame { source: source.clone(), span: span(&source, part), function: function.into() };
        let mut d = Diagnostic::new(ErrorClass::RecursionError, "maximum recursion depth exceeded").at(
            &source,
            span(&source, "f(n - 1)"),
            "",
        );
        d.frames = vec![frame("g(3, 4)", "g"), frame("f(n) * 2", "f")];
        d.frames.extend((0..900).map(|_| frame("f(n - 1)", "f")));
        d
    }

    #[test]
    fn the_call_chain_is_folded_and_carets_fit_wide_characters() {
        let expected = "\
RecursionError: maximum recursion depth exceeded
 --> f.tsr:2:12
  |
2 |     return f(n - 1) + 1
  |            ^^^^^^^^
  |
  = called from, outermost first:
    f.tsr:7:1   g(3, 4)
                ^^^^^^^
    f.tsr:6:14  y = 日本 + f(n) * 2
                           ^^^^^^^^
    f.tsr:2:12  return f(n - 1) + 1
                       ^^^^^^^^
    ... this call 899 more times
";
        assert_eq!(text(&recursion(), &Look::default()), expected);
        let ascii = Look { render: Render { ascii: true, ..Render::default() }, ..Look::default() };
        assert_eq!(text(&recursion(), &ascii), expected.replace("日本", "????"));
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let code = format!("é{}bad{}", "+ a ".repeat(50_000), "+ b ".repeat(500_000));
        let source = Source::new("long.tsr", code);
        let d = Diagnostic::new(ErrorClass::NameError, "name 'bad' is not defined").at(&source, span(&source, "bad"), "here");
        let expected = "\
NameError: name 'bad' is not defined
 --> long.tsr:1:200002
  |
1 | ... a + a + a + a + a + a + a + a bad+ b + b + b + b + b + b + b + b + b ...
  |                                   ^^^ here
";
        assert_eq!(text(&d, &Look::default()), expected);
    }

    #[test]
    fn spans_outside_the_text_are_clamped() {
        let source = Source::new("t.tsr", "日本");
        for span in [Span::new(1, 2), Span::new(6, 6), Span::new(5, 400), Span::new(400, 500), Span { start: 4, end: 1 }] {
            let d = Diagnostic::new(ErrorClass::SyntaxError, "invalid syntax").at(&source, span, "");
            assert!(text(&d, &Look::default()).contains(" --> t.tsr:1:"), "{span:?}");
        }
    }
}
