//! Programs that say in comments what they print: a line `#> text` below the statements that print it. Such a file is still a
//! program, of Python too, and a lesson.

use super::read::Step;
use crate::diag::Source;
use crate::repl::session::options;
use crate::syntax;

/// Begins a line of expected output.
pub const MARK: &str = "#>";

/// The statements of a program in steps: those between which no empty line, no comment and no output stands run as one.
pub fn steps(text: &str) -> Vec<Step> {
    let lines: Vec<&str> = text.lines().collect();
    let mut steps: Vec<Step> = vec![];
    for (first, last) in statements(text) {
        let code = |from: usize| lines.get(from..=last).unwrap_or_default().join("\n");
        match steps.last_mut() {
            Some(step) if step.below == first + 1 && step.expected.is_empty() => {
                step.code = code(step.line - 1);
                step.below = last + 2;
            }
            _ => steps.push(Step {
                line: first + 1,
                code: code(first),
                expected: vec![],
                below: last + 2,
                margin: format!("{MARK} "),
                silent: true,
                tolerance: None,
            }),
        }
        let output = lines.get(last + 1..).unwrap_or_default().iter().map_while(|line| line.strip_prefix(MARK));
        if let Some(step) = steps.last_mut() {
            step.expected = output.map(|text| text.strip_prefix(' ').unwrap_or(text).trim_end().to_string()).collect();
        }
    }
    steps
}

/// A program as one step that prints what it likes.
pub fn whole(text: &str) -> Step {
    let lines = text.lines().count();
    Step {
        line: 1,
        code: text.to_string(),
        expected: vec![],
        below: lines + 1,
        margin: String::new(),
        silent: true,
        tolerance: None,
    }
}

/// The first and the last line of each statement, counted from 0.
fn statements(text: &str) -> Vec<(usize, usize)> {
    let source = Source::new("<lesson>", text);
    let line_of = |at: usize| text.get(..at).map_or(0, |before| before.matches('\n').count());
    let place = |entry: syntax::Entry| {
        let range = entry.span.range();
        let inside = text.get(range.clone()).unwrap_or_default();
        let skipped = inside.len() - inside.trim_start().len();
        (line_of(range.start + skipped), line_of(range.start + inside.trim_end().len()))
    };
    syntax::parse_recovering(&source, &options()).into_iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_stands_below_in_comments() {
        let text = "# Title\nx = 1\nprint(x)\n#> 1\nprint()\nfor i in []:\n    pass\n\n    # inside\n    pass\n#>\n\n\
                    # words\n%layout x\ny = '''\n\n#> no'''\n";
        let found: Vec<(usize, usize, String, Vec<String>)> =
            steps(text).into_iter().map(|s| (s.line, s.below, s.code, s.expected)).collect();
        let lines = |texts: &[&str]| texts.iter().map(|t| t.to_string()).collect::<Vec<_>>();
        let expected = [
            (2, 4, "x = 1\nprint(x)".to_string(), lines(&["1"])),
            (5, 11, "print()\nfor i in []:\n    pass\n\n    # inside\n    pass".to_string(), lines(&[""])),
            (14, 18, "%layout x\ny = '''\n\n#> no'''".to_string(), vec![]),
        ];
        assert_eq!(found, expected);
    }
}
