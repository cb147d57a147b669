//! What a failed step looks like: the statement, the first line that differs, and where in it.

use super::compare::{Actual, Difference};
use super::read::Step;
use crate::show::{Doc, Style};
use std::path::Path;
use unicode_width::UnicodeWidthStr;

/// Lines of a statement and of an output that are shown.
const MOST: usize = 12;

/// A failed step as text, ending in a line break.
pub(super) fn failure(path: &Path, step: &Step, actual: &Actual, difference: &Difference) -> Doc {
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
    doc.push(Style::Faint, "expected  ").push(Style::Good, expected).newline();
    bar(&mut doc);
    doc.push(Style::Faint, "actual    ").push(Style::Error, came).newline();
    if difference.expected.is_some() && difference.actual.is_some() {
        let common: String = expected.chars().zip(came.chars()).take_while(|(e, a)| e == a).map(|(e, _)| e).collect();
        bar(&mut doc);
        doc.push(Style::Plain, &" ".repeat(10 + common.width())).push(Style::Strong, "^").newline();
    }
    whole_output(&mut doc, &gutter, actual);
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
    doc.push(Style::Faint, &format!("{gutter} = all of the output:")).newline();
    for line in lines.iter().take(MOST) {
        doc.push(Style::Faint, &format!("{gutter}   ")).push(Style::Plain, line).newline();
    }
    if lines.len() > MOST {
        doc.push(Style::Faint, &format!("{gutter}   .. {} more lines", lines.len() - MOST)).newline();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::ErrorClass;

    #[test]
    fn points_at_the_first_difference() {
        let step = Step { line: 4, code: "x.t().stride()".into(), expected: vec!["(3, 1)".into()] };
        let actual = Actual { printed: "(1, 3)\n".into(), error: None };
        let difference = Difference { expected: Some("(3, 1)".into()), actual: Some("(1, 3)".into()) };
        let expected = "\
lessons/view.md:4: output differs
4 | >>> x.t().stride()
  | expected  (3, 1)
  | actual    (1, 3)
  |            ^
";
        assert_eq!(failure(Path::new("lessons/view.md"), &step, &actual, &difference).text(), expected);
    }

    #[test]
    fn says_what_else_was_printed() {
        let step = Step { line: 12, code: "f(\n  1)".into(), expected: vec![] };
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
        assert_eq!(failure(Path::new("t.md"), &step, &actual, &difference).text(), expected);
    }
}
