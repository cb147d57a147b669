//! Programs that say in comments what they print: a line `#> text` below the statements that print it, or `#> text` behind an
//! expression for its value. Such a file is still a program, of Python too, and a lesson.

use super::read::Step;
use crate::diag::Source;
use crate::repl::session::options;
use crate::syntax::{self, TokenKind, tokens};

/// Begins a line of expected output.
pub const MARK: &str = "#>";

/// The statements of a program in steps: those between which no empty line, no comment and no output stands run as one. A
/// statement with its output behind it is a step of its own, and its value is shown.
pub fn steps(text: &str) -> Vec<Step> {
    let lines: Vec<&str> = text.lines().collect();
    let mut steps: Vec<Step> = vec![];
    for (first, last) in statements(text) {
        let code = |from: usize| lines.get(from..=last).unwrap_or_default().join("\n");
        let whole = code(first);
        let behind = behind(&whole);
        match steps.last_mut() {
            Some(step) if step.below == first + 1 && step.expected.is_empty() && !step.behind && behind.is_none() => {
                step.code = code(step.line - 1);
                step.below = last + 2;
            }
            _ => {
                let kept = behind.map_or(whole.as_str(), |at| whole.get(..at).unwrap_or_default());
                let step = Step::new(first + 1, kept.trim_end().to_string(), last + 2);
                steps.push(Step { margin: format!("{MARK} "), behind: behind.is_some(), silent: behind.is_none(), ..step });
            }
        }
        let said = |text: &str| text.strip_prefix(' ').unwrap_or(text).trim_end().to_string();
        let output = lines.get(last + 1..).unwrap_or_default().iter().map_while(|line| line.strip_prefix(MARK));
        if let Some(step) = steps.last_mut() {
            let first = behind.and_then(|at| whole.get(at + MARK.len()..)).map(said).filter(|text| !text.is_empty());
            step.expected = first.into_iter().chain(output.map(said)).collect();
        }
    }
    steps
}

/// Where a statement's output begins behind it, if it does.
pub fn behind(statement: &str) -> Option<usize> {
    let (span, kind) = *tokens(statement).last()?;
    let at = span.range().start;
    (kind == TokenKind::Comment && statement.get(at..)?.starts_with(MARK)).then_some(at)
}

/// A program as one step that prints what it likes.
pub fn whole(text: &str) -> Step {
    Step { silent: true, ..Step::new(1, text.to_string(), text.lines().count() + 1) }
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

    #[test]
    fn output_stands_behind_its_statement() {
        let text = "x = 1\nx + 1  #> 2\nx  # no\n[x,\n x]  #> [1,\n#> 1]\n'#> no'\nx #>\n";
        let found: Vec<_> =
            steps(text).into_iter().map(|s| (s.line, s.code.clone(), s.expected.clone(), s.behind, s.end())).collect();
        let lines = |texts: &[&str]| texts.iter().map(|t| t.to_string()).collect::<Vec<_>>();
        let expected = [
            (1, "x = 1".to_string(), lines(&[]), false, 1),
            (2, "x + 1".to_string(), lines(&["2"]), true, 2),
            (3, "x  # no".to_string(), lines(&[]), false, 3),
            (4, "[x,\n x]".to_string(), lines(&["[1,", "1]"]), true, 6),
            (7, "'#> no'".to_string(), lines(&[]), false, 7),
            (8, "x".to_string(), lines(&[]), true, 8),
        ];
        assert_eq!(found, expected);
    }
}
