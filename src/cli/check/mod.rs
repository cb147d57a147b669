//! `tsr test`: the statements of documents do what the documents say.

mod compare;
mod read;
mod report;

use super::source;
use super::terminal::Wishes;
use super::{FAILED, FINE, USAGE, complain, output};
use crate::diag::{Diagnostic, ErrorClass, Source};
use crate::lang::stack;
use crate::repl::{Ended, Session};
use crate::show::report::Look;
use crate::show::{Doc, Style};
use compare::{Actual, compare};
use read::{Content, Step};
use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

/// How many steps went how.
#[derive(Clone, Copy, Default)]
struct Count {
    files: usize,
    passed: usize,
    failed: usize,
}

/// Checks files and the files of directories; shows what failed and a line with the sums.
pub(super) fn run(paths: &[PathBuf], wishes: &Wishes, quiet: bool) -> u8 {
    let start = Instant::now();
    let look = wishes.look(io::stdout().is_terminal());
    let mut count = Count::default();
    for path in paths {
        let files = match files(path) {
            Ok(files) => files,
            Err(diagnostic) => return complain(&diagnostic, wishes, USAGE),
        };
        for file in files {
            let checked = source::file(&file).map(|source| check(&file, &source));
            match checked {
                Ok((passed, failures)) => {
                    count.files += 1;
                    count.passed += passed;
                    count.failed += failures.len();
                    failures.iter().for_each(|doc| output::write(&doc.render(look.render)));
                }
                Err(diagnostic) => return complain(&diagnostic, wishes, USAGE),
            }
        }
    }
    if count.failed > 0 || !quiet {
        output::write(&summary(count, start).render(look.render));
    }
    if count.failed > 0 { FAILED } else { FINE }
}

fn summary(count: Count, start: Instant) -> Doc {
    let mut doc = Doc::new();
    let files = if count.files == 1 { "1 file".to_string() } else { format!("{} files", count.files) };
    doc.push(Style::Plain, &format!("{files}: "));
    if count.failed > 0 {
        doc.push(Style::Error, &format!("{} failed", count.failed)).push(Style::Plain, ", ");
    }
    doc.push(Style::Good, &format!("{} passed", count.passed));
    doc.push(Style::Faint, &format!(" in {} ms", start.elapsed().as_millis())).newline();
    doc
}

/// A file itself; of a directory, its `.md` and `.tsr` files at any depth in order, hidden ones and `target` left out.
fn files(path: &Path) -> Result<Vec<PathBuf>, Box<Diagnostic>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let unreadable = |error: io::Error| Box::new(Diagnostic::new(ErrorClass::OSError, format!("{}: {error}", path.display())));
    let mut entries = vec![];
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        entries.push(entry.map_err(unreadable)?.path());
    }
    entries.sort();
    let mut found = vec![];
    for entry in entries {
        let name = entry.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let ours = entry.extension().is_some_and(|e| e == "md" || e == "tsr");
        match (name.starts_with('.') || name == "target", entry.is_dir()) {
            (false, true) => found.extend(files(&entry)?),
            (false, false) if ours => found.push(entry),
            _ => {}
        }
    }
    Ok(found)
}

/// Runs what is in a file: how many steps passed, and a report of each that failed.
fn check(path: &Path, source: &Source) -> (usize, Vec<Doc>) {
    let content = match path.extension().is_some_and(|e| e == "md") {
        true => read::markdown(&source.text),
        false => read::script(&source.text),
    };
    let sessions = match content {
        Content::Transcript(sessions) => sessions,
        Content::Program => vec![vec![Step { line: 1, code: source.text.clone(), expected: vec![] }]],
    };
    let is_program = path.extension().is_some_and(|e| e != "md") && read::script(&source.text) == Content::Program;
    let mut passed = 0;
    let mut failures = vec![];
    for steps in &sessions {
        for (step, actual) in steps.iter().zip(play(path, steps, is_program)) {
            match compare(&step.expected, &actual) {
                None => passed += 1,
                Some(difference) => failures.push(report::failure(path, step, &actual, &difference)),
            }
        }
    }
    (passed, failures)
}

/// Runs the steps of a session in a thread of its own, so that every session begins as a new process does: random numbers,
/// settings and storage labels belong to the thread.
fn play(path: &Path, steps: &[Step], is_program: bool) -> Vec<Actual> {
    let name = path.display().to_string();
    let played = stack::with_large(|| {
        let pad = Pad::default();
        let mut session = Session::new(Box::new(pad.clone()), Box::new(io::sink()), Look::default());
        let mut actuals = vec![];
        for step in steps {
            let source = Source { name: name.clone(), text: step.code.clone(), first_line: step.line }.into();
            let ended = if is_program { session.program(&source) } else { session.entry(&source) };
            let printed = if is_program { String::new() } else { pad.take() };
            let over = matches!(ended, Ended::Exit(_));
            let error = match ended {
                Ended::Failed(diagnostic) => {
                    Some((diagnostic.class, diagnostic.headline().lines().next().unwrap_or_default().to_string()))
                }
                _ => None,
            };
            actuals.push(Actual { printed, error });
            if over {
                break;
            }
        }
        actuals
    });
    played.unwrap_or_default()
}

/// A writer whose text can be taken away.
#[derive(Clone, Default)]
struct Pad(Rc<RefCell<Vec<u8>>>);

impl Pad {
    fn take(&self) -> String {
        String::from_utf8_lossy(&self.0.take()).into_owned()
    }
}

impl Write for Pad {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
