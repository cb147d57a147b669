//! A lesson from a file: what is said, then what is run, step by step. The same files are valid for `tsr test`.

use crate::cli::check::read::{self, Content, Role, Step};
use crate::cli::check::{Unknown, program};
use std::path::Path;

/// A lesson.
pub(super) struct Lesson {
    /// Its first line.
    pub title: String,
    /// What there is to go through.
    pub parts: Vec<Part>,
    /// What is said at the end.
    pub closing: String,
}

/// Something that is said and something that is run.
pub(super) struct Part {
    /// Paragraphs, an empty line between two.
    pub said: String,
    /// What is run before it, in silence.
    pub before: Vec<Step>,
    /// The statements.
    pub step: Step,
    /// How one goes on from what is said to what is run.
    pub kind: Kind,
}

/// What a part asks of the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing: it runs at once.
    Plain,
    /// To think before it runs.
    Predict,
    /// To type an answer, which the statements behind `answer = ...` check.
    Check,
}

/// Reads a lesson from the text of the file with this name. Fails when it asks for what is not known.
pub(super) fn lesson(path: &Path, text: &str) -> Result<Lesson, Unknown> {
    let steps = match read::content(path, text)? {
        Content::Transcript(sessions) => sessions.into_iter().flatten().collect(),
        Content::Program => program::steps(text),
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut parts: Vec<Part> = vec![];
    let mut at = 0;
    let mut hidden: Vec<Step> = vec![];
    for step in steps {
        if matches!(step.role, Role::Hidden | Role::Before) {
            hidden.push(step);
            continue;
        }
        // Words above hidden steps are said, too; those steps are not.
        let is_hidden = |line: usize| hidden.iter().any(|s| s.role == Role::Hidden && (s.line..=s.end()).contains(&line));
        let words: Vec<&str> = (at..step.line - 1).filter(|k| !is_hidden(k + 1)).filter_map(|k| lines.get(k).copied()).collect();
        let said = said(path, &words);
        at = step.end();
        let before = std::mem::take(&mut hidden);
        match parts.last_mut() {
            // What only an empty line divides is one step, unless something was to be seen between.
            Some(last) if said.is_empty() && step.silent && last.step.silent && last.step.expected.is_empty() => {
                join(last, step, &lines);
            }
            _ => parts.push(Part { kind: kind(&said, &step.code), said, before, step }),
        }
    }
    let closing = said(path, lines.get(at..).unwrap_or_default());
    let whole = parts.first_mut().map_or(String::new(), |part| std::mem::take(&mut part.said));
    let (title, rest) = whole.split_once('\n').unwrap_or((&whole, ""));
    if let Some(first) = parts.first_mut() {
        first.said = rest.trim_start().to_string();
    }
    Ok(Lesson { title: title.trim_start_matches(['#', ' ']).to_string(), parts, closing })
}

/// Makes a step a part of the one above it.
fn join(last: &mut Part, step: Step, lines: &[&str]) {
    let code = lines.get(last.step.line - 1..step.below - 1).unwrap_or_default().join("\n");
    last.step = Step { line: last.step.line, code, ..step };
}

fn kind(said: &str, code: &str) -> Kind {
    let last = said.rsplit("\n\n").next().unwrap_or_default();
    if last.starts_with("Check:") && code.starts_with("answer = ") {
        Kind::Check
    } else if last.contains("Predict:") {
        Kind::Predict
    } else {
        Kind::Plain
    }
}

/// What a fence ends with, and begins with.
const FENCE: &str = "```";

/// Comments, or the text between fences, as paragraphs.
fn said(path: &Path, lines: &[&str]) -> String {
    let markdown = path.extension().is_some_and(|e| e == "md");
    // A fence that is run has its statements taken out; what stands in another one is not said.
    let closes = |from: usize| lines.iter().skip(from).any(|line| line.trim() == FENCE);
    let mut inside = false;
    let mut clean = |(k, line): (usize, &&str)| match markdown {
        true if line.trim_start().starts_with(FENCE) => {
            inside = line.trim() != FENCE && closes(k + 1);
            None
        }
        true => (!inside).then(|| line.trim().to_string()),
        // What names the interpreter is for the system.
        false if line.starts_with("#!") => None,
        false => Some(line.trim().trim_start_matches('#').trim().to_string()),
    };
    let mut out = String::new();
    for line in lines.iter().enumerate().filter_map(&mut clean) {
        let apart = line.is_empty() || out.is_empty() || out.ends_with('\n');
        if line.is_empty() && !out.is_empty() && !out.ends_with("\n\n") {
            out.truncate(out.trim_end().len());
            out.push_str("\n\n");
        } else if !line.is_empty() {
            if !apart {
                out.push(if line.starts_with(['-', '*', '|', '1', '2', '3']) { '\n' } else { ' ' });
            }
            out.push_str(&line);
        }
    }
    out.trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs() {
        let text = "#!/usr/bin/env tsr\n# Title.\n#\n# One\n# two.\nimport torch\n\nx = 1\n\n# Predict: what?\nprint(x)\n#> 1\n\n# Words.\n#\n\
                    # Check: how much?\nanswer = 2\nassert answer == x + 1\n# The end.\n";
        let lesson = lesson(Path::new("a.tsr"), text).unwrap();
        assert_eq!((lesson.title.as_str(), lesson.closing.as_str()), ("Title.", "The end."));
        let found: Vec<_> = lesson.parts.iter().map(|p| (p.said.as_str(), p.step.code.as_str(), p.kind)).collect();
        let expected = [
            ("One two.", "import torch\n\nx = 1", Kind::Plain),
            ("Predict: what?", "print(x)", Kind::Predict),
            ("Words.\n\nCheck: how much?", "answer = 2\nassert answer == x + 1", Kind::Check),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn documents() {
        let text = "# Title\n\nWords.\n\n```tsr\n>>> x = 1\n>>> x\n1\n```\n\n```tsr skip\n>>> y\n```\n\nThe end.\n";
        let lesson = lesson(Path::new("a.md"), text).unwrap();
        let found: Vec<_> = lesson.parts.iter().map(|p| (p.said.as_str(), p.step.code.as_str())).collect();
        assert_eq!(found, [("Words.", "x = 1"), ("", "x")]);
        assert_eq!((lesson.title.as_str(), lesson.closing.as_str()), ("Title", "The end."));
    }
}
