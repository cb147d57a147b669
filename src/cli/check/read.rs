//! Transcripts in files: which statements, what they should print, and where they stand.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// A statement of a transcript with what should appear below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The line of its first prompt, counted from 1.
    pub line: usize,
    /// The statement, prompts taken off.
    pub code: String,
    /// The lines below it, up to the next prompt; blank ones at the end left out.
    pub expected: Vec<String>,
}

/// What a file asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Sessions, each starting with nothing defined.
    Transcript(Vec<Vec<Step>>),
    /// A program without prompts: it should run without an error.
    Program,
}

/// Fences whose first word is one of these may hold a transcript.
const FENCES: [&str; 3] = ["tsr", "python", "pycon"];

/// The transcripts of a Markdown text: the fences that hold a prompt. They make one session; a fence marked `fresh` begins a new
/// one, and one marked `skip` is left out.
pub(super) fn markdown(text: &str) -> Content {
    let mut sessions: Vec<Vec<Step>> = vec![];
    let mut fence: Option<(bool, Vec<(usize, String)>)> = None;
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let mut words = info.split([' ', ',']).filter(|w| !w.is_empty());
                let ours = words.next().is_some_and(|w| FENCES.contains(&w));
                let marks: Vec<&str> = words.collect();
                if ours && !marks.contains(&"skip") {
                    fence = Some((marks.contains(&"fresh"), vec![]));
                }
            }
            Event::Text(code) => {
                if let Some((_, lines)) = &mut fence {
                    let first = 1 + text.get(..range.start).map_or(0, |before| before.matches('\n').count());
                    lines.extend(code.lines().enumerate().map(|(k, line)| (first + k, line.to_string())));
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                let Some((fresh, lines)) = fence.take() else { continue };
                let steps = steps(lines.iter().map(|(n, line)| (*n, line.as_str())));
                match sessions.last_mut() {
                    Some(last) if !fresh => last.extend(steps),
                    _ => sessions.push(steps),
                }
            }
            _ => {}
        }
    }
    sessions.retain(|steps| !steps.is_empty());
    Content::Transcript(sessions)
}

/// A `.tsr` file: a transcript when a line begins with a prompt, else a program.
pub(super) fn script(text: &str) -> Content {
    let steps = steps(text.lines().enumerate().map(|(k, line)| (k + 1, line)));
    if steps.is_empty() { Content::Program } else { Content::Transcript(vec![steps]) }
}

fn steps<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<Step> {
    let mut steps: Vec<Step> = vec![];
    for (number, line) in lines {
        match (prompted(line, ">>>"), steps.last_mut()) {
            (Some(code), _) => steps.push(Step { line: number, code: code.to_string(), expected: vec![] }),
            (None, None) => {}
            (None, Some(step)) => match prompted(line, "...") {
                Some(more) if step.expected.is_empty() => {
                    step.code.push('\n');
                    step.code.push_str(more);
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
        Step { line, code: code.into(), expected: expected.iter().map(|s| s.to_string()).collect() }
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
        let text = "# Title\n\n```tsr\n>>> x = 1\n```\n\ntext\n\n1. item\n\n   ```python\n   >>> x\n   1\n   ```\n\n```tsr fresh\n>>> y\n```\n\
                    \n```tsr skip\n>>> no\n```\n\n```python\nplain = 1\n```\n\n```text\n>>> no\n```\n";
        let expected = vec![vec![step(4, "x = 1", &[]), step(12, "x", &["1"])], vec![step(17, "y", &[])]];
        assert_eq!(markdown(text), Content::Transcript(expected));
    }
}
