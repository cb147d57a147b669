//! The chain of calls that led to an error: a line per call with its own caret, repeated calls of a recursion folded.

use crate::diag::{Frame, Source};
use std::fmt::Write;
use std::sync::Arc;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Calls shown at each end of a long chain.
const EDGE: usize = 8;
/// Longest cycle of calls that is recognised.
const LONGEST_CYCLE: usize = 6;

/// A line of the chain.
enum Row<'a> {
    Call(&'a Frame),
    /// The last `.0` calls came `.1` more times.
    Again(usize, usize),
    /// This many calls are not shown.
    Left(usize),
}

/// The calls as text of several lines, at most `width` columns each, without a line break at the end.
pub(super) fn chain(frames: &[Frame], width: usize) -> String {
    let rows = shorten(fold(frames));
    let places: Vec<String> = rows.iter().map(place).collect();
    let column = places.iter().map(|p| p.width()).max().unwrap_or(0);
    let mut out = String::from("called from, outermost first:");
    for (row, place) in rows.iter().zip(&places) {
        // Writing to a String cannot fail.
        let _ = match row {
            Row::Call(frame) => {
                // The renderer indents by four columns.
                let (code, carets) = excerpt(frame, width.saturating_sub(column + 7).max(16));
                let pad = " ".repeat(column - place.width());
                write!(out, "\n{place}{pad}  {code}\n{}  {carets}", " ".repeat(column))
            }
            Row::Again(1, times) => write!(out, "\n... this call {times} more times"),
            Row::Again(calls, times) => write!(out, "\n... these {calls} calls {times} more times"),
            Row::Left(calls) => write!(out, "\n... {calls} calls left out"),
        };
    }
    annotate_snippets::normalize_untrusted_str(&out)
}

fn place(row: &Row) -> String {
    match row {
        Row::Call(frame) => {
            let (line, column) = frame.source.line_column(frame.span.start as usize);
            format!("{}:{line}:{column}", frame.source.name)
        }
        _ => String::new(),
    }
}

/// Folds runs of equal calls, and of equal cycles of calls, when that saves lines.
fn fold(frames: &[Frame]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    let mut at = 0;
    while at < frames.len() {
        let (cycle, times) = cycle_at(&frames[at..]);
        rows.extend(frames[at..at + cycle].iter().map(Row::Call));
        if times > 1 {
            rows.push(Row::Again(cycle, times - 1));
        }
        at += cycle * times;
    }
    rows
}

/// The shortest cycle the calls begin with and how often it comes; a single call once when nothing comes at least three times.
fn cycle_at(frames: &[Frame]) -> (usize, usize) {
    for length in 1..=LONGEST_CYCLE.min(frames.len() / 3) {
        let times = 1 + frames[length..].chunks_exact(length).take_while(|c| same(c, &frames[..length])).count();
        if times >= 3 {
            return (length, times);
        }
    }
    (1, 1)
}

fn same(a: &[Frame], b: &[Frame]) -> bool {
    a.iter().zip(b).all(|(x, y)| x.span == y.span && x.function == y.function && Arc::ptr_eq(&x.source, &y.source))
}

fn shorten(mut rows: Vec<Row<'_>>) -> Vec<Row<'_>> {
    if rows.len() > 2 * EDGE + 1 {
        let left = rows.len() - 2 * EDGE;
        rows.splice(EDGE..EDGE + left, [Row::Left(left)]);
    }
    rows
}

/// The line of a call, trimmed to `room` columns around it, and carets under the call.
fn excerpt(frame: &Frame, room: usize) -> (String, String) {
    let (line, from, to) = line_of(&frame.source, frame.span.start as usize, frame.span.end as usize);
    let before = line[..from].trim_start();
    let (call, after) = (&line[from..to], line[to..].trim_end());
    // Three columns are kept for the dots at the end.
    let room = room - 3;
    let (lead, before) = if before.width() <= room / 2 { ("", before) } else { ("...", keep_end(before, room / 2 - 3)) };
    let used = lead.len() + before.width();
    let call_shown = keep_start(call, room - used);
    let after_shown = if call_shown.len() < call.len() { "" } else { keep_start(after, room - used - call_shown.width()) };
    let cut = call_shown.len() < call.len() || after_shown.len() < after.len();
    let carets = call_shown.width().max(1);
    let code = format!("{lead}{before}{call_shown}{after_shown}{}", if cut { "..." } else { "" });
    (code.trim_end().to_string(), format!("{}{}", " ".repeat(used), "^".repeat(carets)))
}

/// The line that holds byte `start`, and the part of it from `start` to `end` or to the line's end.
fn line_of(source: &Source, start: usize, end: usize) -> (&str, usize, usize) {
    let text = &source.text;
    let mut from = start.min(text.len());
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    let first = text[..from].rfind('\n').map_or(0, |i| i + 1);
    let last = text[from..].find(['\n', '\r']).map_or(text.len(), |i| from + i);
    let mut to = end.clamp(from, last);
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    (&text[first..last], from - first, to - first)
}

/// The longest start of a text that has at most `room` columns.
fn keep_start(text: &str, room: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(_, c)| {
        used += c.width().unwrap_or(0);
        used > room
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// The longest end of a text that has at most `room` columns.
fn keep_end(text: &str, room: usize) -> &str {
    let mut used = 0;
    let start = text.char_indices().rev().find(|(_, c)| {
        used += c.width().unwrap_or(0);
        used > room
    });
    start.map_or(text, |(at, c)| &text[at + c.len_utf8()..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Span;

    /// A call per letter, at the place of the letter.
    fn frames(calls: &str) -> Vec<Frame> {
        let source = Source::new("t", "abcdefghijklmnopqrstuvwxyz");
        let frame = |c: char| {
            let at = source.text.find(c).unwrap();
            Frame { source: source.clone(), span: Span::new(at, at + 1), function: c.to_string() }
        };
        calls.chars().map(frame).collect()
    }

    /// The rows in short: a letter per call, `(2x5)` for the last two calls five more times, `[3]` for three left out.
    fn short(rows: &[Row]) -> String {
        let word = |row: &Row| match row {
            Row::Call(frame) => frame.function.clone(),
            Row::Again(calls, times) => format!("({calls}x{times})"),
            Row::Left(calls) => format!("[{calls}]"),
        };
        rows.iter().map(word).collect()
    }

    #[test]
    fn cycles_of_calls_fold() {
        let folded = |calls: &str| short(&fold(&frames(calls)));
        assert_eq!(folded("abc"), "abc");
        assert_eq!(folded("aab"), "aab");
        assert_eq!(folded("aaab"), "a(1x2)b");
        assert_eq!(folded("xababababc"), "xab(2x3)c");
        assert_eq!(folded("abcabcabcabca"), "abc(3x3)a");
    }

    #[test]
    fn long_chains_keep_their_ends() {
        let calls = "abcdefghijklmnopqrstuvwxyz";
        assert_eq!(short(&shorten(fold(&frames(calls)))), "abcdefgh[10]stuvwxyz");
        assert_eq!(short(&shorten(fold(&frames(&calls[..17])))), calls[..17]);
    }

    #[test]
    fn long_lines_are_cut_around_the_call() {
        let source = Source::new("t", format!("    {}call(x){}", "a + ".repeat(20), " + b".repeat(20)));
        let at = source.text.find("call").unwrap();
        let frame = Frame { source, span: Span::new(at, at + 7), function: "call".into() };
        let (code, carets) = excerpt(&frame, 40);
        assert_eq!(code, "... + a + a + a + call(x) + b + b + b...");
        assert!(code.len() <= 40);
        assert_eq!(carets.find('^'), code.find("call"));
        assert_eq!(carets.trim(), "^^^^^^^");
    }
}
