//! What files expect: which statements, what they should print, and where both stand.

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
    /// Runs as a program does, which shows no values.
    pub silent: bool,
    /// By which part of them floats may differ.
    pub tolerance: Option<f64>,
}

/// What a file asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Sessions, each starting with nothing defined.
    Transcript(Vec<Vec<Step>>),
    /// A program that says nothing of its output: it should run without an error.
    Program,
}

/// Fences whose first word is one of these may hold a transcript.
const FENCES: [&str; 3] = ["tsr", "python", "pycon"];

/// What the file with this name and text asks for.
pub fn content(path: &Path, text: &str) -> Content {
    if path.extension().is_some_and(|e| e == "md") { markdown(text) } else { script(text) }
}

/// A fence while it is read.
struct Fence {
    fresh: bool,
    tolerance: Option<f64>,
    lines: Vec<(usize, String)>,
}

impl Fence {
    /// A fence with this info string; none when it is not to be run.
    fn of(info: &str) -> Option<Fence> {
        let mut words = info.split([' ', ',']).filter(|w| !w.is_empty());
        let ours = words.next().is_some_and(|w| FENCES.contains(&w));
        let marks: Vec<&str> = words.collect();
        let tolerance = marks.iter().find_map(|mark| mark.strip_prefix("tol=")?.parse().ok());
        (ours && !marks.contains(&"skip")).then(|| Fence { fresh: marks.contains(&"fresh"), tolerance, lines: vec![] })
    }
}

/// The transcripts of a Markdown text: the fences that hold a prompt. They make one session; a fence marked `fresh` begins a new
/// one, one marked `skip` is left out, and in one marked `tol=1e-4` floats may differ by this part of them.
pub fn markdown(text: &str) -> Content {
    let raw: Vec<&str> = text.lines().collect();
    let mut sessions: Vec<Vec<Step>> = vec![];
    let mut fence: Option<Fence> = None;
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => fence = Fence::of(&info),
            Event::Text(code) => {
                if let Some(fence) = &mut fence {
                    let first = 1 + text.get(..range.start).map_or(0, |before| before.matches('\n').count());
                    fence.lines.extend(code.lines().enumerate().map(|(k, line)| (first + k, line.to_string())));
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                let Some(fence) = fence.take() else { continue };
                let mut steps = steps(fence.lines.iter().map(|(n, line)| (*n, line.as_str())));
                for step in &mut steps {
                    step.tolerance = fence.tolerance;
                    // A fence in a list or a quotation is indented.
                    let prompt = raw.get(step.line - 1).and_then(|line| line.split_once(">>>"));
                    step.margin = prompt.map_or(String::new(), |(before, _)| before.to_string());
                }
                match sessions.last_mut() {
                    Some(last) if !fence.fresh => last.extend(steps),
                    _ => sessions.push(steps),
                }
            }
            _ => {}
        }
    }
    sessions.retain(|steps| !steps.is_empty());
    Content::Transcript(sessions)
}

/// A `.tsr` file: a transcript when a line begins with a prompt, a program with its output when a line begins with `#>`, else a
/// program.
pub fn script(text: &str) -> Content {
    let steps = steps(text.lines().enumerate().map(|(k, line)| (k + 1, line)));
    if !steps.is_empty() {
        Content::Transcript(vec![steps])
    } else if text.lines().any(|line| line.starts_with(program::MARK)) {
        Content::Transcript(vec![program::steps(text)])
    } else {
        Content::Program
    }
}

fn steps<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<Step> {
    let mut steps: Vec<Step> = vec![];
    for (number, line) in lines {
        match (prompted(line, ">>>"), steps.last_mut()) {
            (Some(code), _) => steps.push(Step {
                line: number,
                code: code.to_string(),
                expected: vec![],
                below: number + 1,
                margin: String::new(),
                silent: false,
                tolerance: None,
            }),
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
        Step {
            line,
            code: code.into(),
            expected: expected.iter().map(|s| s.to_string()).collect(),
            below: line + code.split('\n').count(),
            margin: String::new(),
            silent: false,
            tolerance: None,
        }
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
        assert_eq!(markdown(text), Content::Transcript(expected));
    }
}
