//! `tsr test`: the statements of documents do what the documents say.

mod compare;
mod play;
mod read;
mod report;

use super::source;
use super::terminal::Wishes;
use super::{FAILED, FINE, USAGE, complain, output};
use crate::diag::{Diagnostic, ErrorClass, Source};
use crate::show::{Doc, Style};
use compare::{Actual, compare};
use read::{Content, Step};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
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
    let checked: Vec<(Step, Actual)> = match content {
        Content::Transcript(sessions) => sessions
            .into_iter()
            .flat_map(|steps| {
                let actuals = play::transcript(path, &steps);
                steps.into_iter().zip(actuals)
            })
            .collect(),
        Content::Program => {
            let step = Step { line: 1, code: source.text.clone(), expected: vec![] };
            vec![(step, play::program(path, &source.text))]
        }
    };
    let mut passed = 0;
    let mut failures = vec![];
    for (step, actual) in &checked {
        match compare(&step.expected, actual) {
            None => passed += 1,
            Some(difference) => failures.push(report::failure(path, step, actual, &difference)),
        }
    }
    (passed, failures)
}
