//! Does a statement print what its transcript says? Line by line, with wildcards and with rules of its own for errors.

use super::numbers::close;
use crate::diag::ErrorClass;

/// What a statement did.
#[derive(Clone, Debug, Default)]
pub(super) struct Actual {
    /// What it printed.
    pub printed: String,
    /// The exception that ended it: its class and the first line of its report.
    pub error: Option<(ErrorClass, String)>,
}

/// The first line that is not as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// The expected line; none when the output should have ended.
    pub expected: Option<String>,
    /// The line that came; none when the output ended.
    pub actual: Option<String>,
}

/// By which part of them floats may differ; none: not at all.
pub(super) type Tolerance = Option<f64>;

/// `[..]` stands for any characters of a line, a line `...` for any lines.
const ANY_CHARACTERS: &str = "[..]";
pub(super) const ANY_LINES: &str = "...";

/// Compares; none when all is as expected. Of an error only the first line counts, and when only its class is expected only that.
pub(super) fn compare(expected: &[String], actual: &Actual, tolerance: Tolerance) -> Option<Difference> {
    let lines = printed(actual);
    let Some((class, headline)) = &actual.error else { return compare_lines(&texts(expected), &lines, tolerance) };
    let (before, line) = split_error(expected);
    let difference = compare_lines(&before, &lines, tolerance);
    if difference.is_some() {
        return difference;
    }
    match line {
        Some(line) if error_matches(line, *class, headline) => None,
        line => Some(Difference { expected: line.map(str::to_string), actual: Some(headline.clone()) }),
    }
}

/// What is expected of a step that has to raise: an error's line where it says none.
pub(super) fn with_error(expected: &[String], raises: Option<&str>) -> Vec<String> {
    let says = expected.iter().any(|line| error_class(line).is_some());
    expected.iter().cloned().chain(raises.filter(|_| !says).map(String::from)).collect()
}

/// The lines that were printed, without blanks at their ends and empty ones behind them.
pub(super) fn printed(actual: &Actual) -> Vec<&str> {
    let mut lines: Vec<&str> = actual.printed.lines().map(str::trim_end).collect();
    while lines.last().is_some_and(|l| l.is_empty()) {
        lines.pop();
    }
    lines
}

fn texts(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}

/// The expected lines before an error, without the traceback Python prints, and the line of the error. What follows that line is
/// the report, which is not compared.
fn split_error(expected: &[String]) -> (Vec<&str>, Option<&str>) {
    let mut before = vec![];
    let mut in_traceback = false;
    for line in expected {
        if error_class(line).is_some() {
            return (before, Some(line));
        }
        in_traceback = line.starts_with("Traceback (most recent call last)") || (in_traceback && line.starts_with(' '));
        if !in_traceback {
            before.push(line.as_str());
        }
    }
    (before, None)
}

/// The class and the sentence of a line like `ValueError: sentence` or `ValueError`.
fn error_class(line: &str) -> Option<(ErrorClass, &str)> {
    let (title, sentence) = line.split_once(':').unwrap_or((line, ""));
    let name = title.rsplit('.').next()?.trim_start_matches('_');
    // Two classes may end in one name; a whole title says which is meant.
    let whole = ErrorClass::ALL.iter().copied().find(|class| class.title() == title);
    whole.or(ErrorClass::from_name(name)).filter(|_| !title.contains(' ')).map(|class| (class, sentence.trim()))
}

fn error_matches(line: &str, class: ErrorClass, headline: &str) -> bool {
    let Some((wanted, sentence)) = error_class(line) else { return false };
    let actual = headline.split_once(": ").map_or("", |(_, sentence)| sentence);
    // In a sentence three dots are the wildcard that doctest knows.
    let pattern = sentence.replace("...", ANY_CHARACTERS);
    // `Exception` alone is any error.
    // Two programs may have defined a class of one name.
    let is_wanted = wanted.title() == class.title() || (wanted == ErrorClass::Exception && sentence.is_empty());
    is_wanted && (sentence.is_empty() || line_matches(&pattern, actual, None))
}

/// Compares line by line. Between lines `...` the parts are looked for one after the other.
fn compare_lines(expected: &[&str], actual: &[&str], tolerance: Tolerance) -> Option<Difference> {
    let parts: Vec<&[&str]> = expected.split(|line| *line == ANY_LINES).collect();
    let mut rest = actual;
    for (k, part) in parts.iter().enumerate() {
        let (first, last) = (k == 0, k + 1 == parts.len());
        let place = match (first, last) {
            (true, true) if part.len() != rest.len() => None,
            (true, _) => Some(0).filter(|_| starts_with(rest, part, tolerance)),
            (false, true) => rest.len().checked_sub(part.len()).filter(|at| starts_with(&rest[*at..], part, tolerance)),
            (false, false) => (0..=rest.len()).find(|at| starts_with(&rest[*at..], part, tolerance)),
        };
        match place {
            Some(at) => rest = &rest[at + part.len()..],
            None => return Some(first_difference(part, rest, tolerance)),
        }
    }
    None
}

fn starts_with(lines: &[&str], part: &[&str], tolerance: Tolerance) -> bool {
    lines.len() >= part.len() && part.iter().zip(lines).all(|(p, l)| line_matches(p, l, tolerance))
}

fn first_difference(expected: &[&str], actual: &[&str], tolerance: Tolerance) -> Difference {
    let same = expected.iter().zip(actual).take_while(|(e, a)| line_matches(e, a, tolerance)).count();
    let line = |lines: &[&str]| lines.get(same).map(|l| l.to_string());
    Difference { expected: line(expected), actual: line(actual) }
}

/// True when a line is as the pattern says: `[..]` stands for any characters. In a line without it floats may differ as much as
/// the tolerance says.
pub(super) fn line_matches(pattern: &str, line: &str, tolerance: Tolerance) -> bool {
    let Some((head, tail)) = pattern.split_once(ANY_CHARACTERS) else {
        return pattern == line || tolerance.is_some_and(|tolerance| close(pattern, line, tolerance));
    };
    let Some(mut rest) = line.strip_prefix(head) else { return false };
    let parts: Vec<&str> = tail.split(ANY_CHARACTERS).collect();
    let Some((last, middle)) = parts.split_last() else { return true };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(expected: &str, printed: &str, error: Option<(ErrorClass, &str)>) -> Option<(Option<String>, Option<String>)> {
        let expected: Vec<String> = expected.lines().map(String::from).collect();
        let error = error.map(|(class, headline)| (class, headline.to_string()));
        compare(&expected, &Actual { printed: printed.into(), error }, None).map(|d| (d.expected, d.actual))
    }

    fn same(expected: &str, printed: &str) -> bool {
        difference(expected, printed, None).is_none()
    }

    #[test]
    fn plain_lines() {
        assert!(same("", ""));
        assert!(same("1\n2", "1  \n2\n\n"));
        let line = |text: &str| Some(text.to_string());
        assert_eq!(difference("1\n2", "1\n3\n", None), Some((line("2"), line("3"))));
        assert_eq!(difference("1\n2", "1\n", None), Some((line("2"), None)));
        assert_eq!(difference("1", "1\n2\n", None), Some((None, line("2"))));
        assert!(!same("tensor(0.669)", "tensor(0.667)"));
    }

    #[test]
    fn wildcards() {
        assert!(same("a[..]c", "abc") && same("[..]", "x") && same("a[..]b[..]c", "a1b2c") && !same("a[..]b", "abc"));
        assert!(same("a\n...\nz", "a\nb\nc\nz") && same("a\n...", "a") && same("...\nz", "z") && same("...", "anything\nat all"));
        assert!(same("a\n...\nm\n...\nz", "a\nl\nm\nn\nz") && !same("a\n...\nm\n...\nz", "a\nl\nz"));
        assert!(!same("a\n...\nz", "a\nz\nb"));
    }

    #[test]
    fn errors() {
        let value_error = Some((ErrorClass::ValueError, "ValueError: n is 3"));
        for expected in ["ValueError: n is 3", "ValueError", "ValueError: n is [..]", "ValueError: n ... 3"] {
            assert_eq!(difference(expected, "", value_error), None, "{expected}");
        }
        let traceback =
            "Traceback (most recent call last):\n  File \"x\", line 1\n    f()\nValueError: n is 3\n --> t:1:1\n  | x";
        assert_eq!(difference(traceback, "", value_error), None);
        assert_eq!(difference("0\nValueError", "0\n", value_error), None);
        for expected in ["ValueError: n is 4", "TypeError: n is 3", "", "n is 3"] {
            assert!(difference(expected, "", value_error).is_some(), "{expected}");
        }
        assert!(difference("ValueError: n is 3", "", None).is_some());
        let linalg = Some((ErrorClass::LinAlgError, "torch._C._LinAlgError: linalg.inv: singular"));
        for expected in ["torch._C._LinAlgError: [..]", "LinAlgError", "torch.linalg.LinAlgError: linalg.inv: singular"] {
            assert_eq!(difference(expected, "", linalg), None, "{expected}");
        }
    }
}
