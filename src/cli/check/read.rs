//! What files expect: which statements, what they should print, and where both stand.

use super::directives::{Directives, Unknown};
use super::program;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use std::path::Path;

/// A statement with what should appear below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The line of its first prompt, or of its first word, counted from 1.
    pub line: usize,
    /// The statement, prompts taken off.
    pub code: String,
    /// The lines below it, up to the next prompt; blank ones at the end left out.
    pub expected: Vec<String>,
    /// The line where what is expected begins, or would.
    pub below: usize,
    /// What stands in the file before each line that is expected.
    pub margin: String,
    /// The first line that is expected stands behind the statement.
    pub behind: bool,
    /// Runs as a program does, which shows no values.
    pub silent: bool,
    /// By which part of them floats may differ.
    pub tolerance: Option<f64>,
    /// The class of the error that it has to raise, whatever its sentence.
    pub raises: Option<String>,
    /// Where it comes from.
    pub role: Role,
}

/// Where a step comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// It stands in the file.
    #[default]
    Plain,
    /// It stands in the file, and a lesson does not show it.
    Hidden,
    /// A directive asked for it: what comes before a fence, which is not shown.
    Before,
    /// A directive asked for it: a picture of what the fence made.
    Picture,
}

impl Step {
    /// A statement at a line (counted from 1) of which nothing is expected; what is would begin at line `below`.
    pub fn new(line: usize, code: String, below: usize) -> Step {
        Step {
            line,
            code,
            expected: vec![],
            below,
            margin: String::new(),
            behind: false,
            silent: false,
            tolerance: None,
            raises: None,
            role: Role::Plain,
        }
    }

    /// Lines of the file up to the last one that is expected.
    pub fn end(&self) -> usize {
        self.below - 1 + self.lines_below()
    }

    /// Lines below the statement that are expected.
    pub fn lines_below(&self) -> usize {
        self.expected.len() - usize::from(self.behind && !self.expected.is_empty())
    }

    /// True for what stands in the file.
    pub fn is_written(&self) -> bool {
        matches!(self.role, Role::Plain | Role::Hidden)
    }
}

/// What a file asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Sessions, each starting with nothing defined.
    Transcript(Vec<Vec<Step>>),
    /// A program that says nothing of its output: it should run without an error.
    Program,
}

/// What the file with this name and text asks for. Fails when it asks for what is not known.
pub fn content(path: &Path, text: &str) -> Result<Content, Unknown> {
    if path.extension().is_some_and(|e| e == "md") { markdown(text) } else { Ok(script(text)) }
}

/// The transcripts of a Markdown text: the fences that hold a prompt. They make one session, but for what the words behind a
/// fence's mark ask for. Fails at a word that is not known.
pub fn markdown(text: &str) -> Result<Content, Unknown> {
    let raw: Vec<&str> = text.lines().collect();
    let mut sessions: Vec<Vec<Step>> = vec![];
    let mut fence: Option<(Directives, Vec<(usize, String)>)> = None;
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let directives = Directives::read(&info).map_err(|unknown| unknown.within(range.start))?;
                fence = directives.filter(|d| !d.skip).map(|d| (d, vec![]));
            }
            Event::Text(code) => {
                if let Some((_, lines)) = &mut fence {
                    let first = line_of(text, range.start);
                    lines.extend(code.lines().enumerate().map(|(k, line)| (first + k, line.to_string())));
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                let Some((directives, lines)) = fence.take() else { continue };
                let mut steps = steps(lines.iter().map(|(n, line)| (*n, line.as_str())));
                for step in &mut steps {
                    // A fence in a list or a quotation is indented.
                    let prompt = raw.get(step.line - 1).and_then(|line| line.split_once(">>>"));
                    step.margin = prompt.map_or(String::new(), |(before, _)| before.to_string());
                }
                directives.apply(&mut steps);
                match sessions.last_mut() {
                    Some(last) if !directives.fresh => last.extend(steps),
                    _ => sessions.push(steps),
                }
            }
            _ => {}
        }
    }
    sessions.retain(|steps| !steps.is_empty());
    Ok(Content::Transcript(sessions))
}

/// The line of a place in a text, counted from 1.
fn line_of(text: &str, at: usize) -> usize {
    1 + text.get(..at).map_or(0, |before| before.matches('\n').count())
}

/// A `.tsr` file: a transcript when a line begins with a prompt, a program with its output when there is a `#>`, else a program.
pub fn script(text: &str) -> Content {
    let steps = steps(text.lines().enumerate().map(|(k, line)| (k + 1, line)));
    if !steps.is_empty() {
        return Content::Transcript(vec![steps]);
    }
    let steps = if text.contains(program::MARK) { program::steps(text) } else { vec![] };
    match steps.iter().any(|step| step.behind || !step.expected.is_empty()) {
        true => Content::Transcript(vec![steps]),
        false => Content::Program,
    }
}

fn steps<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<Step> {
    let mut steps: Vec<Step> = vec![];
    for (number, line) in lines {
        match (prompted(line, ">>>"), steps.last_mut()) {
            (Some(code), _) => steps.push(Step::new(number, code.to_string(), number + 1)),
            (None, None) => {}
            (None, Some(step)) => match prompted(line, "...") {
                Some(more) if step.expected.is_empty() => {
                    step.code.push('\n');
                    step.code.push_str(more);
                    step.below = number + 1;
                }
                _ => step.expected.push(line.trim_end().to_string()),
            },
        }
    }
    for step in &mut steps {
        while step.expected.last().is_some_and(String::is_empty) {
            step.expected.pop();
        }
    }
    steps
}

/// What follows a prompt and its blank.
fn prompted<'a>(line: &'a str, prompt: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(prompt)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(line: usize, code: &str, expected: &[&str]) -> Step {
        let expected = expected.iter().map(|s| s.to_string()).collect();
        Step { expected, ..Step::new(line, code.into(), line + code.split('\n').count()) }
    }

    #[test]
    fn prompts_continuations_and_output() {
        let text = "# a title\n>>> for i in range(2):\n...     print(i)\n...\n0\n1\n\n>>> x\n...\n>>> y\n1\n...\n2\n\n";
        let expected = vec![
            step(2, "for i in range(2):\n    print(i)\n", &["0", "1"]),
            step(8, "x\n", &[]),
            step(10, "y", &["1", "...", "2"]),
        ];
        assert_eq!(script(text), Content::Transcript(vec![expected]));
        assert_eq!(script("x = 1\nprint(x)\n"), Content::Program);
    }

    #[test]
    fn fences_make_sessions() {
        let text = "# Title\n\n```tsr\n>>> x = 1\n```\n\ntext\n\n1. item\n\n   ```python tol=1e-3\n   >>> x\n   1\n   ```\n\n\
                    ```tsr fresh\n>>> y\n```\n\n```tsr skip\n>>> no\n```\n\n```python\nplain = 1\n```\n\n```text\n>>> no\n```\n";
        let indented = Step { margin: "   ".into(), tolerance: Some(1e-3), ..step(12, "x", &["1"]) };
        let expected = vec![vec![step(4, "x = 1", &[]), indented], vec![step(17, "y", &[])]];
        assert_eq!(markdown(text).ok(), Some(Content::Transcript(expected)));
    }
}
