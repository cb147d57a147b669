//! `tsr test --fix`: what came becomes what is expected, and nothing else in the file changes.
//!
//! Lines that match stay as they are, wildcards and all. The new text is read again before it is written; when it would not say
//! what it should, the file stays. The old file is there until the new one is complete.

use super::Failure;
use super::compare::{ANY_LINES, line_matches, printed};
use super::program;
use super::read::{self, Content, Step};
use crate::diag::{Diagnostic, ErrorClass};
use std::io::{self, Write};
use std::path::Path;

/// What was changed for one step.
pub(super) struct Fix {
    /// The line of the step in the file as it was.
    pub line: usize,
    /// The lines that went.
    pub old: Vec<String>,
    /// The lines that came.
    pub new: Vec<String>,
    /// Why nothing was changed.
    pub refused: Option<String>,
    /// All lines of output the step has now.
    output: Vec<String>,
}

impl Fix {
    /// True when the file says now what comes.
    pub(super) fn is_done(&self) -> bool {
        self.refused.is_none()
    }

    fn refused(step: &Step, reason: &str) -> Fix {
        Fix { line: step.line, old: vec![], new: vec![], output: vec![], refused: Some(reason.to_string()) }
    }
}

/// Mends the failed steps of a file, or only says how. Fails when the file cannot be written.
pub(super) fn all(path: &Path, failures: &[Failure], writes: bool) -> Result<Vec<Fix>, Box<Diagnostic>> {
    let told = |error: io::Error| Box::new(Diagnostic::new(ErrorClass::OSError, format!("{}: {error}", path.display())));
    let bytes = std::fs::read(path).map_err(told)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let mut fixes: Vec<Fix> = failures.iter().map(fix).collect();
    let mended = mended(&text, failures, &fixes);
    if fixes.iter().any(Fix::is_done) {
        if says(path, &text, &mended, failures, &fixes) {
            if writes {
                replace(path, &mended).map_err(told)?;
            }
        } else {
            let reason = "the output cannot be told from what stands around it in the file";
            fixes = failures.iter().map(|failure| Fix::refused(&failure.step, reason)).collect();
        }
    }
    Ok(fixes)
}

/// What to write for a step.
fn fix(failure: &Failure) -> Fix {
    let Failure { step, actual, .. } = failure;
    if !step.is_written() {
        return Fix::refused(step, "the fence asks for it, and what it does cannot be written down");
    }
    if step.raises.is_some() {
        return Fix::refused(step, "the fence says that it raises another error");
    }
    if step.below > 1 && step.margin.is_empty() && step.silent {
        return Fix::refused(step, "a program without #> lines says nothing of its output");
    }
    let mut came: Vec<&str> = printed(actual);
    came.extend(actual.error.iter().map(|(_, headline)| headline.as_str()));
    let matches = |(pattern, line): (&String, &&str)| pattern != ANY_LINES && line_matches(pattern, line, step.tolerance);
    let head = step.expected.iter().zip(&came).take_while(|pair| matches(*pair)).count();
    let (old, new) = (step.expected.get(head..).unwrap_or_default(), came.get(head..).unwrap_or_default());
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|pair| matches(*pair)).count();
    let (old, kept) = old.split_at(old.len() - tail);
    let new: Vec<String> = new.iter().take(new.len() - tail).map(|line| line.to_string()).collect();
    let output = step.expected.iter().take(head).chain(&new).chain(kept).cloned().collect();
    Fix { line: step.line, old: old.to_vec(), new, refused: None, output }
}

/// The text with the output of the failed steps exchanged. Line ends stay as they are.
fn mended(text: &str, failures: &[Failure], fixes: &[Fix]) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(String::from).collect();
    for (Failure { step, .. }, fix) in failures.iter().zip(fixes).rev().filter(|(_, fix)| fix.is_done()) {
        let end = if lines.get(step.line - 1).is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
        let from = (step.below - 1).min(lines.len());
        let to = (from + step.lines_below()).min(lines.len());
        let (first, below) = if step.behind { fix.output.split_at(fix.output.len().min(1)) } else { fix.output.split_at(0) };
        if step.behind
            && let Some(line) = from.checked_sub(1).and_then(|k| lines.get_mut(k))
            && let Some(at) = line.rfind(program::MARK)
        {
            line.truncate(at);
            line.push_str(format!("{}{}", step.margin, first.concat()).trim_end());
            line.push_str(end);
        }
        if let Some(above) = from.checked_sub(1).and_then(|k| lines.get_mut(k)).filter(|line| !line.ends_with('\n')) {
            above.push_str(end);
        }
        let new = below.iter().map(|line| format!("{}{end}", format!("{}{line}", step.margin).trim_end()));
        lines.splice(from..to, new.collect::<Vec<_>>());
    }
    lines.concat()
}

/// True when the new text has the same steps as the old one, with the new output.
fn says(path: &Path, old: &str, new: &str, failures: &[Failure], fixes: &[Fix]) -> bool {
    let (old, new) = (steps(path, old), steps(path, new));
    let wanted = |step: &Step| {
        let is_same = |other: &Step| other.line == step.line && other.role == step.role;
        let fix = failures.iter().zip(fixes).find(|(failure, fix)| is_same(&failure.step) && fix.is_done());
        fix.map_or(step.expected.clone(), |(_, fix)| fix.output.clone())
    };
    old.len() == new.len() && old.iter().zip(&new).all(|(o, n)| o.code == n.code && wanted(o) == n.expected)
}

fn steps(path: &Path, text: &str) -> Vec<Step> {
    let text = text.replace("\r\n", "\n");
    match read::content(path, text.strip_prefix('\u{feff}').unwrap_or(&text)) {
        Ok(Content::Transcript(sessions)) => sessions.into_iter().flatten().collect(),
        Ok(Content::Program) | Err(_) => vec![],
    }
}

/// Writes a file beside the old one and then puts it in its place.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = std::fs::canonicalize(path)?;
    let folder = path.parent().ok_or(io::ErrorKind::NotFound)?;
    // It goes by itself when it is not persisted.
    let mut beside = tempfile::Builder::new().prefix(".tsr-fix").tempfile_in(folder)?;
    beside.write_all(text.as_bytes())?;
    beside.as_file().set_permissions(std::fs::metadata(&path)?.permissions())?;
    beside.persist(&path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::compare::{Actual, compare};
    use super::*;

    /// The text after a fix, when the steps print what stands in `prints`.
    fn after(text: &str, prints: &[&str]) -> Option<String> {
        let path = Path::new(if text.contains("```") { "t.md" } else { "t.tsr" });
        let failures: Vec<Failure> = steps(path, text)
            .into_iter()
            .zip(prints)
            .filter_map(|(step, printed)| {
                let actual = Actual { printed: printed.to_string(), error: None };
                let difference = compare(&step.expected, &actual, None)?;
                Some(Failure { step, actual, difference, nearly: false })
            })
            .collect();
        let fixes: Vec<Fix> = failures.iter().map(fix).collect();
        let new = mended(text, &failures, &fixes);
        says(path, text, &new, &failures, &fixes).then_some(new)
    }

    #[test]
    fn only_what_differs_changes() {
        let text = "# T\n\n1. item\n\n   ```tsr\n   >>> x\n   1\n   a[..]\n   old\n   z\n\n   >>> y\n   ```\n\nend";
        let expected = "# T\n\n1. item\n\n   ```tsr\n   >>> x\n   1\n   a[..]\n   new\n   z\n\n   >>> y\n   2\n   ```\n\nend";
        assert_eq!(after(text, &["1\nabc\nnew\nz\n", "2\n"]).as_deref(), Some(expected));
        assert_eq!(after(">>> x\r\n1\r\n", &["2\n"]).as_deref(), Some(">>> x\r\n2\r\n"));
        assert_eq!(after(">>> x", &["2\n"]).as_deref(), Some(">>> x\n2\n"));
        assert_eq!(
            after("print(x)\n#> 1\n#> 2\nprint(y)\n", &["1\n", "\n3\n"]).as_deref(),
            Some("print(x)\n#> 1\nprint(y)\n#>\n#> 3\n")
        );
        // Output behind a statement stays there; of several lines the others go below.
        let behind = "x  #> 1\ny  #>\nz  #> 1\n#> 2\nw  #> 5\n";
        let expected = "x  #> 2\ny  #> [a,\n#> b]\nz  #> 3\nw  #>\n";
        assert_eq!(after(behind, &["2\n", "[a,\nb]\n", "3\n", ""]).as_deref(), Some(expected));
        assert_eq!(after(expected, &["2\n", "[a,\nb]\n", "3\n", ""]).as_deref(), Some(expected));
    }

    #[test]
    fn what_cannot_be_told_apart_is_refused() {
        assert_eq!(after(">>> x\n1\n", &["2\n>>> y\n"]), None);
        assert_eq!(after(">>> x\n", &["... more\n"]), None);
        assert_eq!(after("```tsr\n>>> x\n1\n```\n", &["2\n```\n"]), None);
    }
}
