//! What a failed step looks like: the statement, the first line that differs, and where in it.

use super::Failure;
use super::compare::{Actual, Difference};
use super::fix::Fix;
use crate::show::{Doc, Style};
use std::path::Path;
use unicode_width::UnicodeWidthStr;

/// Lines of a statement and of an output that are shown.
const MOST: usize = 12;

/// A failed step as text, ending in a line break.
pub(super) fn failure(path: &Path, failure: &Failure) -> Doc {
    let Failure { step, actual, difference, nearly } = failure;
    let mut doc = Doc::new();
    doc.push(Style::Strong, &format!("{}:{}", path.display(), step.line));
    doc.push(Style::Plain, ": ").push(Style::Error, title(actual, difference)).newline();
    let gutter = " ".repeat(step.line.to_string().len());
    let bar = |doc: &mut Doc| {
        doc.push(Style::Faint, &format!("{gutter} | "));
    };
    for (k, line) in step.code.trim_end().lines().take(MOST).enumerate() {
        let (number, prompt) = if k == 0 { (step.line.to_string(), ">>> ") } else { (gutter.clone(), "... ") };
        doc.push(Style::Faint, &format!("{number} | {prompt}")).push(Style::Plain, line).newline();
    }
    let nothing = "(nothing)";
    let expected = difference.expected.as_deref().unwrap_or(nothing);
    let came = difference.actual.as_deref().unwrap_or(nothing);
    bar(&mut doc);
    doc.push(Style::Note, "expected  ").push(Style::Good, expected).newline();
    bar(&mut doc);
    doc.push(Style::Note, "actual    ").push(Style::Error, came).newline();
    if difference.expected.is_some() && difference.actual.is_some() {
        let (before, differing) = marked(expected, came);
        bar(&mut doc);
        doc.push(Style::Plain, &" ".repeat(10 + before)).push(Style::Strong, &"^".repeat(differing)).newline();
    }
    whole_output(&mut doc, &gutter, actual);
    if *nearly {
        let remark = "only digits of floats differ: --tol 1e-3, or tol=1e-3 behind the word of the fence, accepts that";
        doc.push(Style::Note, &format!("{gutter} = {remark}")).newline();
    }
    doc
}

/// Columns that two lines have in common at the start, and columns of the second up to their common end.
fn marked(expected: &str, came: &str) -> (usize, usize) {
    let same = |pairs: &mut dyn Iterator<Item = (char, char)>| -> Vec<char> {
        pairs.take_while(|(e, a)| e == a).map(|(e, _)| e).collect()
    };
    let before = same(&mut expected.chars().zip(came.chars()));
    let rest = |text: &str| text.chars().skip(before.len()).collect::<Vec<char>>();
    let (expected, came) = (rest(expected), rest(came));
    let behind = same(&mut expected.iter().rev().copied().zip(came.iter().rev().copied()));
    let differing: String = came[..came.len() - behind.len()].iter().collect();
    (before.iter().collect::<String>().width(), differing.width().max(1))
}

/// What was mended in a file, or would be, or why it was not.
pub(super) fn fixed(path: &Path, fix: &Fix, written: bool) -> Doc {
    let mut doc = Doc::new();
    doc.push(Style::Strong, &format!("{}:{}", path.display(), fix.line)).push(Style::Plain, ": ");
    if let Some(reason) = &fix.refused {
        doc.push(Style::Error, &format!("not fixed, {reason}")).newline();
        return doc;
    }
    doc.push(Style::Warning, if written { "fixed" } else { "--fix would write" }).newline();
    let changed = fix.old.iter().map(|line| (Style::Error, "-", line)).chain(fix.new.iter().map(|line| (Style::Good, "+", line)));
    for (style, sign, line) in changed.clone().take(2 * MOST) {
        doc.push(style, format!("  {sign} {line}").trim_end()).newline();
    }
    if changed.clone().count() > 2 * MOST {
        doc.push(Style::Faint, &format!("  .. {} more lines", changed.count() - 2 * MOST)).newline();
    }
    doc
}

fn title(actual: &Actual, difference: &Difference) -> &'static str {
    let comes_from_error = actual.error.as_ref().is_some_and(|(_, headline)| difference.actual.as_ref() == Some(headline));
    match (comes_from_error, &difference.expected) {
        (true, None) => "an error that was not expected",
        (true, Some(_)) => "another error was expected",
        (false, _) => "output differs",
    }
}

/// All that was printed, when the differing line alone does not tell.
fn whole_output(doc: &mut Doc, gutter: &str, actual: &Actual) {
    let headline = actual.error.iter().map(|(_, headline)| headline.as_str());
    let lines: Vec<&str> = actual.printed.lines().chain(headline).collect();
    if lines.len() < 2 {
        return;
    }
    doc.push(Style::Note, &format!("{gutter} = all of the output:")).newline();
    for line in lines.iter().take(MOST) {
        doc.push(Style::Faint, &format!("{gutter}   ")).push(Style::Plain, line).newline();
    }
    if lines.len() > MOST {
        doc.push(Style::Faint, &format!("{gutter}   .. {} more lines", lines.len() - MOST)).newline();
    }
}

#[cfg(test)]
mod tests {
    use super::super::program;
    use super::*;
    use crate::diag::ErrorClass;

    fn told(path: &str, line: usize, code: &str, actual: Actual, difference: Difference) -> String {
        let step = super::super::Step { line, ..program::whole(code) };
        failure(Path::new(path), &Failure { step, actual, difference, nearly: false }).into_text()
    }

    #[test]
    fn points_at_the_first_difference() {
        let actual = Actual { printed: "(1, 3)\n".into(), error: None };
        let difference = Difference { expected: Some("(3, 1)".into()), actual: Some("(1, 3)".into()) };
        let expected = "\
lessons/view.md:4: output differs
4 | >>> x.t().stride()
  | expected  (3, 1)
  | actual    (1, 3)
  |            ^^^^
";
        assert_eq!(told("lessons/view.md", 4, "x.t().stride()", actual, difference), expected);
    }

    #[test]
    fn marks_what_differs() {
        assert_eq!(
            [marked("(3, 1)", "(1, 3)"), marked("ab", "abc"), marked("aab", "ab"), marked("日x", "日y")],
            [(1, 4), (2, 1), (1, 1), (2, 1)]
        );
    }

    #[test]
    fn says_what_else_was_printed() {
        let headline = "ValueError: no".to_string();
        let actual = Actual { printed: "first\n".into(), error: Some((ErrorClass::ValueError, headline.clone())) };
        let difference = Difference { expected: None, actual: Some(headline) };
        let expected = "\
t.md:12: an error that was not expected
12 | >>> f(
   | ...   1)
   | expected  (nothing)
   | actual    ValueError: no
   = all of the output:
     first
     ValueError: no
";
        assert_eq!(told("t.md", 12, "f(\n  1)", actual, difference), expected);
    }
}
